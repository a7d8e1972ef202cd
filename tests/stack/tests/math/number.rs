//! Numbers of all four types as complex ones of the CPU.
use rocm_math::Element;

/// A complex number: real and imaginary part.
pub type Complex = [f64; 2];

pub fn add(a: Complex, b: Complex) -> Complex {
    [a[0] + b[0], a[1] + b[1]]
}

pub fn multiply(a: Complex, b: Complex) -> Complex {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

pub fn conjugate(a: Complex) -> Complex {
    [a[0], -a[1]]
}

pub trait Number: Element + PartialEq + std::fmt::Debug {
    /// Of a real type, the real part.
    fn of(value: Complex) -> Self;
    fn complex(self) -> Complex;
    /// How far results may be off, of numbers near 1.
    const ERROR: f64;

    /// The small integer number `index` of a sequence.
    fn small(index: usize) -> Self {
        let digit = |shift: u32| (((index as u64 * 2_654_435_761) >> shift) % 7) as f64 - 3.0;
        Self::of([digit(7), digit(15)])
    }
}

impl Number for f32 {
    const ERROR: f64 = 1e-5;
    fn of(value: Complex) -> Self {
        value[0] as f32
    }
    fn complex(self) -> Complex {
        [self.into(), 0.0]
    }
}
impl Number for f64 {
    const ERROR: f64 = 1e-13;
    fn of(value: Complex) -> Self {
        value[0]
    }
    fn complex(self) -> Complex {
        [self, 0.0]
    }
}
impl Number for [f32; 2] {
    const ERROR: f64 = 1e-5;
    fn of(value: Complex) -> Self {
        value.map(|part| part as f32)
    }
    fn complex(self) -> Complex {
        self.map(f64::from)
    }
}
impl Number for [f64; 2] {
    const ERROR: f64 = 1e-13;
    fn of(value: Complex) -> Self {
        value
    }
    fn complex(self) -> Complex {
        self
    }
}

/// Runs a test of each type of numbers.
macro_rules! for_all_numbers {
    ($test:ident($($argument:expr),*)) => {
        $test::<f32>($($argument),*);
        $test::<f64>($($argument),*);
        $test::<[f32; 2]>($($argument),*);
        $test::<[f64; 2]>($($argument),*);
    };
}
pub(crate) use for_all_numbers;
