//! What is sent, and what must come of it.

pub const ANTENNAS: usize = 8;
pub const SAMPLES: usize = 256;
/// Of a batch: pairs of 16 bits.
pub const BYTES: usize = 4 * ANTENNAS * SAMPLES;
/// Elements of the covariance matrix.
pub const MATRIX: usize = ANTENNAS * ANTENNAS;

pub type Complex = [f32; 2];

/// Columns of all antennas, one for each sample.
pub fn packet(batch: u64) -> Vec<[i16; 2]> {
    let number = |i: u64, part: u64| {
        let mixed = (2 * (batch << 20 | i) + part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 50) as i16 - (1 << 13)
    };
    (0..(ANTENNAS * SAMPLES) as u64).map(|i| [number(i, 0), number(i, 1)]).collect()
}

/// A weight for each sample.
pub fn window() -> Vec<f32> {
    (0..SAMPLES).map(|sample| 0.5 + sample as f32 / SAMPLES as f32).collect()
}

/// Compares with the matrix of the batch, by the CPU: the largest error, of the diagonal's largest.
pub fn check(batch: u64, matrix: &[Complex]) -> Result<f64, String> {
    let (packet, window) = (packet(batch), window());
    let sample = |antenna: usize, sample: usize| {
        packet[ANTENNAS * sample + antenna].map(|part| f64::from(part) / 32768.0 * f64::from(window[sample]))
    };
    let mut worst = 0f64;
    let mut largest = 0f64;
    for column in 0..ANTENNAS {
        for row in 0..ANTENNAS {
            let product = |[sum, i]: [f64; 2], at: usize| {
                let ([a, b], [c, d]) = (sample(row, at), sample(column, at));
                [sum + a * c + b * d, i + b * c - a * d]
            };
            let want = (0..SAMPLES).fold([0.0; 2], product).map(|part| part / SAMPLES as f64);
            let got = matrix[ANTENNAS * column + row].map(f64::from);
            worst = worst.max((got[0] - want[0]).hypot(got[1] - want[1]));
            largest = largest.max(want[0].hypot(want[1]));
        }
    }
    let error = worst / largest;
    if error < 1e-5 { Ok(error) } else { Err(format!("batch {batch} is wrong, by {error:.2e} of its largest value")) }
}
