//! Sources of vector instructions.

/// A source: the first register, if it has 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A vector register, accumulation registers behind the others.
    Vector(u16),
    /// A scalar register.
    Scalar(u8),
    Constant(u32),
    /// A constant of 64 bits.
    Wide(u64),
}

impl Source {
    /// The register behind it.
    pub fn next(self) -> Option<Source> {
        match self {
            Source::Vector(index) => Some(Source::Vector(index + 1)),
            Source::Scalar(index) if index < 127 => Some(Source::Scalar(index + 1)),
            _ => None,
        }
    }
}
