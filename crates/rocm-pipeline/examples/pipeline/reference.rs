//! The same computation on the CPU, in double precision.

/// Real and imaginary part.
pub type Complex = [f32; 2];
/// Points of a row.
pub const ROW: usize = 4096;
/// What `add` adds to the real part.
pub const OFFSET: f32 = 0.5;
/// What `scale` multiplies by.
pub const SCALE: f32 = 1.0 / 64.0;

/// Samples of a batch: two tones and noise, different in every row and iteration.
pub fn batch(points: usize, iteration: usize) -> Vec<Complex> {
    let mut random = 0x9e37_79b9u32 ^ (iteration as u32).wrapping_mul(0x85eb_ca6b);
    let mut noise = || {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        (random >> 8) as f32 / (1 << 24) as f32 - 0.5
    };
    let tone: Vec<Complex> = (0..ROW)
        .map(|i| {
            let angle = std::f64::consts::TAU * (i * (17 + iteration)) as f64 / ROW as f64;
            [angle.cos() as f32, angle.sin() as f32]
        })
        .collect();
    (0..points)
        .map(|i| {
            let [re, im] = tone[(i * (1 + i / ROW % 7)) % ROW];
            [re + noise(), im + noise()]
        })
        .collect()
}

/// Compares all magnitudes with the CPU's; returns the largest error relative to the largest value of its row.
pub fn check(batch: &[Complex], magnitudes: &[f32]) -> Result<f64, String> {
    let roots: Vec<[f64; 2]> = (0..ROW)
        .map(|i| {
            let angle = -std::f64::consts::TAU * i as f64 / ROW as f64;
            [angle.cos(), angle.sin()]
        })
        .collect();
    let mut worst = 0f64;
    for (number, (row, got)) in batch.chunks_exact(ROW).zip(magnitudes.chunks_exact(ROW)).enumerate() {
        let mut row: Vec<[f64; 2]> = row.iter().map(|&[re, im]| [f64::from(re + OFFSET), f64::from(im)]).collect();
        fft(&mut row, &roots);
        let want: Vec<f64> = row.iter().map(|[re, im]| re.hypot(*im) * f64::from(SCALE)).collect();
        let largest = want.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        for (i, (want, &got)) in want.iter().zip(got).enumerate() {
            let error = (want - f64::from(got)).abs() / largest;
            // 12 stages of single precision lose about 1e-6.
            if error.is_nan() || error >= 1e-5 {
                return Err(format!("row {number}, point {i}: GPU {got}, CPU {want}"));
            }
            worst = worst.max(error);
        }
    }
    Ok(worst)
}

/// Radix 2, in place: another algorithm than the kernel's, so that they do not share a mistake.
fn fft(data: &mut [[f64; 2]], roots: &[[f64; 2]]) {
    let bits = data.len().trailing_zeros();
    for i in 0..data.len() {
        let j = i.reverse_bits() >> (usize::BITS - bits);
        if i < j {
            data.swap(i, j);
        }
    }
    let mut half = 1;
    while half < data.len() {
        let step = data.len() / (2 * half);
        for block in data.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (k, (a, b)) in low.iter_mut().zip(high).enumerate() {
                let w = roots[k * step];
                let t = [b[0] * w[0] - b[1] * w[1], b[0] * w[1] + b[1] * w[0]];
                *b = [a[0] - t[0], a[1] - t[1]];
                *a = [a[0] + t[0], a[1] + t[1]];
            }
        }
        half *= 2;
    }
}
