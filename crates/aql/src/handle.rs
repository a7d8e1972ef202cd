//! Addresses in packets, checked for the alignment that the packet processor requires.

use core::fmt;
use core::num::NonZeroU64;

/// An address that no packet may carry.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AddressError {
    /// The meaning of the address, such as "kernel object".
    pub role: &'static str,
    /// The address.
    pub address: u64,
    /// The alignment it must have, in bytes.
    pub align: u64,
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.address == 0 {
            write!(f, "{} is null", self.role)
        } else {
            write!(f, "{} {:#x} is not aligned to {} bytes", self.role, self.address, self.align)
        }
    }
}

impl core::error::Error for AddressError {}

crate::debug_is_display!(AddressError);

macro_rules! address {
    ($(#[$doc:meta])* $name:ident, $role:literal, $align:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(transparent)]
        pub struct $name(NonZeroU64);

        impl $name {
            /// Required alignment in bytes.
            pub const ALIGN: u64 = $align;

            /// Checks an address or handle that the runtime reported.
            ///
            /// # Errors
            /// When it is null or not aligned to [`ALIGN`](Self::ALIGN).
            pub const fn new(address: u64) -> Result<Self, AddressError> {
                match NonZeroU64::new(address) {
                    Some(nonzero) if address.is_multiple_of($align) => Ok($name(nonzero)),
                    _ => Err(AddressError { role: $role, address, align: $align }),
                }
            }

            /// The address.
            pub const fn get(self) -> u64 {
                self.0.get()
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({:#x})"), self.get())
            }
        }
    };
}

address! {
    /// Address of a kernel descriptor, as `HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT` reports it.
    KernelObject, "kernel object", 64
}
address! {
    /// Address of a kernel's arguments. They stay untouched until the kernel has finished.
    Kernarg, "kernarg address", 16
}
address! {
    /// Handle of an HSA signal. On AMD's runtime it is the address of a 64-byte `amd_signal_t`.
    Signal, "signal", 64
}
address! {
    /// Address of PM4 commands, readable by the GPU.
    IndirectBuffer, "indirect buffer", 4
}

impl Signal {
    /// The handle, 0 for none.
    pub(crate) const fn bits(signal: Option<Signal>) -> u64 {
        match signal {
            Some(signal) => signal.get(),
            None => 0,
        }
    }
}
