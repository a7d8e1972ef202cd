//! What a device that checks accesses inspects, for code that is compiled: such instructions are executed by themselves.

use super::memory::WINDOWS;
use super::segments::{BEHIND_KERNARG, Segments};
use crate::bus::{Wanted, Window};
use crate::inst::{Format, Inst, Operand};
use crate::op::Op;

/// What is inspected of instructions that are compiled on other devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inspected {
    /// Each access to memory.
    accesses: bool,
    /// Each access to LDS. If not, they are as long as nobody has written some of it.
    lds: bool,
    /// What waits for them.
    waits: bool,
    /// Stores to device memory, which tell that lanes have not ended.
    stores: bool,
    /// Loads of a kernel's arguments. Other accesses that are outside are refused.
    arguments: bool,
}

impl Inspected {
    /// Those of a device that wants this.
    pub fn of(wanted: Wanted) -> Inspected {
        let Wanted { strays, races, unwritten, barriers, ended, waits: _ } = wanted;
        Inspected {
            accesses: races || unwritten,
            lds: races,
            waits: races,
            stores: barriers || ended,
            arguments: strays,
        }
    }

    /// Whether the instruction is inspected wherever it goes.
    pub fn includes(self, inst: &Inst) -> bool {
        let accesses = matches!(inst.format, Format::Flat | Format::Global | Format::Smem);
        let lds = inst.format == Format::Ds;
        let stores = inst.format == Format::Global && inst.dst[0] == Operand::None;
        self.accesses && accesses || self.lds && lds || self.waits && inst.op == Op::SWaitcnt || self.stores && stores
    }

    /// The windows that hold nothing of a kernel's arguments, nor what is behind them, if loads of these are inspected.
    pub fn but_arguments(self, windows: &[Window; WINDOWS], segments: &Segments) -> Option<[Window; WINDOWS]> {
        if !self.arguments || segments.kernarg_bytes == 0 {
            return None;
        }
        let begin = segments.kernarg;
        let end = begin.saturating_add(u64::from(segments.kernarg_bytes) + BEHIND_KERNARG);
        Some(windows.map(|window| {
            let holds = window.start < end && window.end > begin;
            if holds { Window { end: window.start, ..window } } else { window }
        }))
    }
}
