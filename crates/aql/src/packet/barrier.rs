//! Barrier-AND and barrier-OR.

use super::packet;
use crate::{PacketType, Signal};

macro_rules! barrier {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[must_use = "a packet does nothing before it is submitted"]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(C, align(64))]
        pub struct $name {
            header: u16,
            reserved0: u16,
            reserved1: u32,
            dep_signal: [u64; 5],
            /// Reserved by HSA; kept when decoded, see [`KernelDispatch::reserved2`](crate::KernelDispatch::reserved2).
            reserved2: u64,
            completion_signal: u64,
        }

        impl $name {
            /// A barrier on these signals; each is met when its value is 0.
            pub const fn new(dependencies: [Option<Signal>; 5]) -> Self {
                let mut dep_signal = [0; 5];
                let mut i = 0;
                while i < 5 {
                    dep_signal[i] = Signal::bits(dependencies[i]);
                    i += 1;
                }
                $name {
                    header: PacketType::$name as u16,
                    reserved0: 0,
                    reserved1: 0,
                    dep_signal,
                    reserved2: 0,
                    completion_signal: 0,
                }
            }

            pub(crate) const fn with_reserved2(mut self, value: u64) -> Self {
                self.reserved2 = value;
                self
            }

            /// Handles of the dependencies, 0 for none.
            pub const fn dep_signals(&self) -> [u64; 5] {
                self.dep_signal
            }

            /// The word HSA reserves, as decoded.
            pub const fn reserved2(&self) -> u64 {
                self.reserved2
            }
        }

        packet!($name: $name {
            header @ 0, reserved0 @ 2, reserved1 @ 4, dep_signal @ 8, reserved2 @ 48, completion_signal @ 56,
        });
    };
}

barrier! {
    /// Barrier-AND packet (`hsa_barrier_and_packet_t`): waits until every dependency is met; with none it only applies
    /// its [`Control`](crate::Control).
    BarrierAnd
}
barrier! {
    /// Barrier-OR packet (`hsa_barrier_or_packet_t`): waits until one dependency is met.
    BarrierOr
}

impl BarrierAnd {
    /// The packet that does nothing: no dependencies, no fences, nothing signalled.
    pub const NOP: BarrierAnd = BarrierAnd::new([None; 5]);
}
