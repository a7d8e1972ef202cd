//! The macros behind generated tables of types.

/// C enums as newtypes: a value that the headers do not know is just a number without a name.
///
/// `name: repr { value = number, .. }` for each.
#[macro_export]
macro_rules! c_enums {
    ($($(#[$doc:meta])* $name:ident: $repr:ident { $($(#[$value_doc:meta])* $value:ident = $number:expr,)* })*) => {$(
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $repr);

        impl $name {
            $(
                $(#[$value_doc])*
                pub const $value: Self = Self($number);
            )*
            const NAMES: &[(Self, &str)] = &[$((Self::$value, stringify!($value)),)*];

            /// The name that the header gives this value, if it gives one.
            pub fn name(self) -> Option<&'static str> {
                Self::NAMES.iter().find(|(value, _)| *value == self).map(|(_, name)| *name)
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(self, f)
            }
        }

        /// The name that the header gives it, else its number.
        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self.name() {
                    Some(name) => f.write_str(name),
                    None => write!(f, concat!(stringify!($name), "({})"), self.0),
                }
            }
        }
    )*};
}

/// C's `= {0}`.
///
/// Only for structs and unions of integers, floats, raw pointers, nullable functions and newtypes of integers, which is
/// what C headers declare: all of these may be all-zero bits. The macro cannot check it.
#[macro_export]
macro_rules! zeroed_default {
    ($($name:ident,)*) => {$(
        impl Default for $name {
            fn default() -> Self {
                // SAFETY: all-zero bits are a value of such types.
                unsafe { core::mem::zeroed() }
            }
        }
    )*};
}

/// Bit-fields inside byte arrays, least significant bit first, as the x86-64 and AArch64 ABIs lay them out.
#[macro_export]
macro_rules! bitfields {
    ($record:ident $($name:ident: $unit:ident $offset:literal $width:literal;)*) => {
        impl $record {
            $(
                /// Reads the bit-field.
                pub fn $name(&self) -> u64 {
                    let bit = |n: usize| u64::from(self.$unit[n / 8] >> (n % 8) & 1);
                    (0..$width).fold(0, |value, n| value | bit($offset + n) << n)
                }
            )*
        }
    };
}
