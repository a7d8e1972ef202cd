//! Kinds of instructions at which compiled code returns to the interpreter, because the device checks their accesses.

use crate::machine::bus::Window;
use crate::machine::memory::WINDOWS;
use crate::machine::segments::{BEHIND_KERNARG, Segments};
use gcn_isa::inst::{Format, Inst, Operand};
use gcn_isa::op::Op;

/// What is inspected of instructions that are compiled on other devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExitMask {
    /// Each access to memory.
    pub accesses: bool,
    /// Each LDS access. If false, LDS accesses are checked only while some of the LDS is uninitialised.
    pub lds: bool,
    /// Instructions that wait for accesses (`s_waitcnt`).
    pub waits: bool,
    /// Stores to device memory, which show that lanes have not ended.
    pub stores: bool,
    /// Loads of a kernel's arguments. Other accesses that are outside are refused.
    pub arguments: bool,
}

impl ExitMask {
    /// Whether the instruction is inspected wherever it goes.
    pub fn includes(self, inst: &Inst) -> bool {
        let accesses = matches!(inst.format, Format::Flat | Format::Global | Format::Mubuf | Format::Smem);
        let lds = inst.format == Format::Ds;
        let stores = inst.format == Format::Global && inst.dst[0] == Operand::None;
        self.accesses && accesses || self.lds && lds || self.waits && inst.op == Op::SWaitcnt || self.stores && stores
    }

    /// The windows without a kernel's arguments and the bytes after them, if argument loads are checked.
    pub fn but_arguments(self, windows: &[Window; WINDOWS], segments: &Segments) -> Option<[Window; WINDOWS]> {
        if !self.arguments || segments.kernarg_bytes == 0 {
            return None;
        }
        let begin = segments.kernarg;
        let end = begin.saturating_add(u64::from(segments.kernarg_bytes) + BEHIND_KERNARG);
        // Not `map`, which is a function for each.
        let mut others = *windows;
        for window in &mut others {
            let holds = window.start < end && window.end > begin;
            window.end = if holds { window.start } else { window.end };
        }
        Some(others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_with_what_is_behind_the_arguments_are_none() {
        let window = |start, end| Window { start, end, host: std::ptr::null_mut(), writable: true };
        // In front of the arguments, with them, right behind them, and where nothing is meant for them.
        let mut windows = [window(0, 0); WINDOWS];
        windows[..4].copy_from_slice(&[
            window(0x1000, 0x2000),
            window(0x2000, 0x3000),
            window(0x3000, 0x4000),
            window(0x2f80 + BEHIND_KERNARG, 0x9000),
        ]);
        let segments = Segments { kernarg: 0x2f00, kernarg_bytes: 0x80, ..Segments::default() };
        let strays = ExitMask { arguments: true, ..ExitMask::default() };
        let left = strays.but_arguments(&windows, &segments).expect("strays are looked for");
        let has = left.map(|window| window.start < window.end);
        assert_eq!(has[..5], [true, false, false, true, false]);
        assert!(ExitMask::default().but_arguments(&windows, &segments).is_none());
        // Whoever does not say how many there are cannot be told.
        assert!(strays.but_arguments(&windows, &Segments { kernarg_bytes: 0, ..segments }).is_none());
    }
}
