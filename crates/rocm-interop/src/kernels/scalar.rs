//! The scalar types that kernels and Rust have in common.

use std::any::TypeId;
use std::fmt;

/// Signs aside, which a call may mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    /// Of so many bytes.
    Integer(usize),
    Float(usize),
}

impl Scalar {
    /// `None` for arrays, structs, and numbers that Rust has not.
    pub(crate) fn of<T: 'static>() -> Option<Scalar> {
        let is = |id| TypeId::of::<T>() == id;
        if is(TypeId::of::<f32>()) || is(TypeId::of::<f64>()) {
            return Some(Scalar::Float(size_of::<T>()));
        }
        let integers = [
            TypeId::of::<i8>(),
            TypeId::of::<u8>(),
            TypeId::of::<i16>(),
            TypeId::of::<u16>(),
            TypeId::of::<i32>(),
            TypeId::of::<u32>(),
            TypeId::of::<i64>(),
            TypeId::of::<u64>(),
            TypeId::of::<isize>(),
            TypeId::of::<usize>(),
        ];
        integers.into_iter().any(is).then_some(Scalar::Integer(size_of::<T>()))
    }

    /// By the name that compilers put into code objects; `None` for vectors, structs and types by another name. Of a
    /// pointer, what it points to.
    pub(crate) fn named(name: &str) -> Option<Scalar> {
        Some(match name.trim_end_matches(['*', ' ']) {
            "char" | "uchar" | "unsigned char" | "signed char" => Scalar::Integer(1),
            "short" | "ushort" | "unsigned short" => Scalar::Integer(2),
            "int" | "uint" | "unsigned int" => Scalar::Integer(4),
            "long" | "ulong" | "unsigned long" => Scalar::Integer(8),
            "half" => Scalar::Float(2),
            "float" => Scalar::Float(4),
            "double" => Scalar::Float(8),
            _ => return None,
        })
    }

    /// Whether a buffer of these may be what a kernel takes for `declared`: also where one of both is bytes.
    pub(crate) fn fills(self, declared: Scalar) -> bool {
        self == declared || [self, declared].contains(&Scalar::Integer(1))
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Integer(bytes) => write!(f, "integers of {bytes} bytes"),
            Scalar::Float(bytes) => write!(f, "floating-point numbers of {bytes} bytes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Scalar;

    #[test]
    fn names_and_types_agree() {
        for (name, of) in [
            ("float", Scalar::of::<f32>()),
            ("double*", Scalar::of::<f64>()),
            ("uint", Scalar::of::<u32>()),
            ("int*", Scalar::of::<u32>()),
            ("ulong", Scalar::of::<i64>()),
            ("ushort", Scalar::of::<u16>()),
            ("uchar*", Scalar::of::<u8>()),
            ("float2*", Scalar::of::<[f32; 2]>()),
            ("my_float", None),
        ] {
            assert_eq!(Scalar::named(name), of, "{name}");
        }
    }
}
