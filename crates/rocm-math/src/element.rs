//! The numbers that the libraries compute with.

use rocm_interop::sys::Pod;

/// A number of matrices and vectors: `f32`, `f64`, and the complex `[f32; 2]` and `[f64; 2]`, real part first.
///
/// [`Buffer::cast`](rocm_interop::Buffer::cast) makes a buffer of another complex type one of arrays.
///
/// Nothing else implements it:
/// ```compile_fail,E0277
/// fn of_elements<T: rocm_math::Element>() {}
/// of_elements::<i32>();
/// ```
pub trait Element: Pod + Send + Sync + sealed::Sealed {
    /// That of its parts.
    type Real: Real;
}

/// `f32` or `f64`.
pub trait Real: Element<Real = Self> {
    /// The complex number of two of these.
    type Complex: Element<Real = Self>;
}

/// What the functions of a library for one type of numbers are called by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Kind {
    /// `s`
    F32,
    /// `d`
    F64,
    /// `c`
    Complex32,
    /// `z`
    Complex64,
}

mod sealed {
    /// Nobody outside of this crate can name it.
    pub trait Sealed {
        const KIND: super::Kind;
    }
}
pub(crate) use sealed::Sealed;

macro_rules! elements { ($($T:ty, $Real:ty, $kind:ident;)*) => { $(
    impl Sealed for $T {
        const KIND: Kind = Kind::$kind;
    }
    impl Element for $T {
        type Real = $Real;
    }
)* } }
elements! {
    f32, f32, F32;
    f64, f64, F64;
    [f32; 2], f32, Complex32;
    [f64; 2], f64, Complex64;
}
impl Real for f32 {
    type Complex = [f32; 2];
}
impl Real for f64 {
    type Complex = [f64; 2];
}

/// The one of four functions that is for numbers of `$T`, in the order s, d, c, z; `cast` of a pointer gives each its
/// own type.
macro_rules! typed {
    ($T:ty, $library:expr, [$s:ident $d:ident $c:ident $z:ident] ($($argument:expr),* $(,)?)) => {
        match <$T as $crate::element::Sealed>::KIND {
            $crate::element::Kind::F32 => $library.$s($($argument),*),
            $crate::element::Kind::F64 => $library.$d($($argument),*),
            $crate::element::Kind::Complex32 => $library.$c($($argument),*),
            $crate::element::Kind::Complex64 => $library.$z($($argument),*),
        }
    };
}

/// The name of that function.
macro_rules! typed_name {
    ($T:ty, [$s:ident $d:ident $c:ident $z:ident]) => {
        match <$T as $crate::element::Sealed>::KIND {
            $crate::element::Kind::F32 => stringify!($s),
            $crate::element::Kind::F64 => stringify!($d),
            $crate::element::Kind::Complex32 => stringify!($c),
            $crate::element::Kind::Complex64 => stringify!($z),
        }
    };
}

#[cfg(any(feature = "rocblas", feature = "rocsparse"))]
pub(crate) use {typed, typed_name};
