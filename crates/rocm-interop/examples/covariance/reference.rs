//! The same computation on the CPU, in double precision.

/// Real and imaginary part.
pub type Complex = [f32; 2];
/// What is on the diagonal before the samples' covariance is added ("diagonal loading"): it keeps the matrix positive
/// definite.
pub const LOADING: f32 = 0.5;

/// What OpenCL's `noise` gives.
fn noise(x: u32) -> f32 {
    let x = (x ^ 61) ^ (x >> 16);
    let x = x.wrapping_mul(9);
    let x = (x ^ (x >> 4)).wrapping_mul(0x27d4_eb2d);
    let x = x ^ (x >> 15);
    (x % 2001) as f32 / 1000.0 - 1.0
}

type Double = (f64, f64);

fn double([re, im]: Complex) -> Double {
    (re.into(), im.into())
}

/// a times the conjugate of b.
fn times((a, b): Double, (c, d): Double) -> Double {
    (a * c + b * d, b * c - a * d)
}

/// Compares all samples and the factor with the CPU's; returns the largest error relative to the diagonal's mean.
pub fn check(antennas: usize, samples: &[Complex], factor: &[Complex]) -> Result<f64, String> {
    for (i, got) in samples.iter().enumerate() {
        let want = [noise(2 * i as u32), noise(2 * i as u32 + 1)];
        if want.iter().zip(got).any(|(want, got)| (want - got).abs() > 1e-6) {
            return Err(format!("sample {i}: GPU {got:?}, CPU {want:?}"));
        }
    }
    let want = cholesky(antennas, covariance(antennas, samples));
    let scale = (0..antennas).map(|i| want[i + i * antennas].0).sum::<f64>() / antennas as f64;
    let mut worst = 0f64;
    for (i, (want, got)) in want.iter().zip(factor).enumerate() {
        let got = double(*got);
        let error = (want.0 - got.0).hypot(want.1 - got.1) / scale;
        // Sums of single precision lose about 1e-6.
        if error.is_nan() || error >= 1e-4 {
            return Err(format!("row {}, column {}: GPU {got:?}, CPU {want:?}", i % antennas, i / antennas));
        }
        worst = worst.max(error);
    }
    Ok(worst)
}

fn covariance(n: usize, samples: &[Complex]) -> Vec<Double> {
    let count = samples.len() / n;
    let mut matrix = vec![(0.0, 0.0); n * n];
    for sample in samples.chunks_exact(n) {
        for column in 0..n {
            for row in 0..n {
                let (re, im) = times(double(sample[row]), double(sample[column]));
                let sum = &mut matrix[row + column * n];
                *sum = (sum.0 + re / count as f64, sum.1 + im / count as f64);
            }
        }
    }
    (0..n).for_each(|i| matrix[i + i * n].0 += f64::from(LOADING));
    matrix
}

/// The lower factor, column by column: another order than the libraries', which work in blocks.
fn cholesky(n: usize, mut a: Vec<Double>) -> Vec<Double> {
    for column in 0..n {
        let diagonal = a[column + column * n].0.sqrt();
        a[column + column * n] = (diagonal, 0.0);
        for row in column + 1..n {
            let (re, im) = a[row + column * n];
            a[row + column * n] = (re / diagonal, im / diagonal);
            a[column + row * n] = (0.0, 0.0);
        }
        for right in column + 1..n {
            for row in right..n {
                let (re, im) = times(a[row + column * n], a[right + column * n]);
                let left = &mut a[row + right * n];
                *left = (left.0 - re, left.1 - im);
            }
        }
    }
    a
}
