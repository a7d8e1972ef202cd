//! The device memory that a dispatch as a whole read and wrote, for races between dispatches.

use crate::machine::bus::Access;
use crate::sanitizer::race::shadow::{Dword, LINE, Line, Shadow, Site};
use gcn_isa::inst::{Format, Inst};
use std::ops::Range;

/// Runs of each kind that are kept of a dispatch: the others are not looked at.
const MOST: usize = 1 << 16;

/// Bytes that one instruction accessed last, of those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Device address of the first.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// Index of the instruction in [`Footprint::instructions`].
    pub instruction: u16,
    /// The kind of access. Of atomics and stores, an atomic if it came last.
    pub access: Access,
    /// By a scalar load. Compilers widen those of bytes to dwords.
    pub scalar: bool,
    /// It is a flag, on which waves have made atomics, or loads that see what other compute units have stored.
    pub flag: bool,
    /// Whether some waves have received a value from an atomic here.
    pub taken: bool,
}

impl Run {
    fn goes_on_with(&self, next: &Run) -> bool {
        *next == Run { start: self.end, end: next.end, ..*self }
    }
}

/// The accesses of a completed dispatch.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    /// Address and instruction.
    pub instructions: Vec<(u64, Inst)>,
    /// Loads, by address; they do not overlap.
    pub loads: Vec<Run>,
    /// Stores and atomics, likewise.
    pub stores: Vec<Run>,
    /// Whether a wave has received a value from a flag in memory that is not checked.
    pub takes_unseen: bool,
}

impl Footprint {
    /// The accesses in `shadow`.
    pub fn of(shadow: &Shadow) -> Footprint {
        let sites = shadow.sites();
        let mut all = Footprint { takes_unseen: shadow.takes_unseen(), ..Footprint::default() };
        shadow.each_page(|start, page| {
            for (address, line) in (start..).step_by(LINE as usize).zip(page.lines()) {
                all.add_line(address, line, &sites);
            }
        });
        all.instructions = sites.iter().map(|site| (site.pc, site.instruction)).collect();
        all
    }

    fn add_line(&mut self, address: u64, line: &Line, sites: &[Site]) {
        if let Some(dword) = line.alike() {
            return self.add(address..address + u64::from(LINE), &dword, sites);
        }
        let dwords = (address..).step_by(4).zip(line.dwords());
        dwords.for_each(|(address, dword)| self.add(address..address + 4, &dword, sites));
    }

    /// Adds dwords that all have what `dword` has.
    fn add(&mut self, at: Range<u64>, dword: &Dword, sites: &[Site]) {
        let is_flag = dword.is_flag();
        for (seen, runs) in [(dword.load, &mut self.loads), (dword.store, &mut self.stores)] {
            if seen.is_none() {
                continue;
            }
            let by = seen.by();
            let Some(site) = sites.get(usize::from(by.site)) else { continue };
            let run = |start, end| Run {
                start,
                end,
                instruction: by.site,
                access: site.access,
                scalar: site.instruction.format == Format::Smem,
                flag: is_flag,
                taken: is_flag && dword.is_taken(),
            };
            if by.bytes == 15 {
                push(runs, run(at.start, at.end));
                continue;
            }
            let bytes = (0..4).filter(|i| by.bytes >> i & 1 != 0).map(|i| at.start + i);
            bytes.for_each(|byte| push(runs, run(byte, byte + 1)));
        }
    }
}

fn push(runs: &mut Vec<Run>, new: Run) {
    if let Some(last) = runs.last_mut().filter(|last| last.goes_on_with(&new)) {
        last.end = new.end;
    } else if runs.len() < MOST {
        runs.push(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitizer::race::shadow::{By, Seen};

    #[test]
    fn neighbours_of_one_instruction_are_a_run() {
        let instruction = gcn_isa::inst::Inst::example(gcn_isa::op::Op::GlobalStoreDword);
        let sites: Vec<Site> = [Access::Write, Access::Read, Access::Atomic]
            .map(|access| Site { pc: 0x100 + access as u64, instruction, access })
            .into();
        let seen = |site, bytes| Seen::new(1, 2, 3, By { site, lane: 0, bytes });
        let mut all = Footprint::default();
        for (address, bytes) in [(0x1000, 15), (0x1004, 15), (0x1008, 0b0110), (0x100c, 0b1001)] {
            all.add(address..address + 4, &Dword { store: seen(0, bytes), load: seen(1, 15) }, &sites);
        }
        let mut flag = Dword { store: seen(0, 15), load: Seen::default() };
        flag.add_to_flag(seen(2, 15), Access::Atomic, false);
        all.add(0x1010..0x1014, &flag, &sites);
        flag.add_to_flag(seen(1, 15), Access::Read, true);
        all.add(0x1014..0x1018, &flag, &sites);
        let of = |runs: &[Run]| runs.iter().map(|run| (run.start, run.end, run.access, run.taken)).collect::<Vec<_>>();
        let store = |start, end| (start, end, Access::Write, false);
        assert_eq!(
            of(&all.stores),
            [
                store(0x1000, 0x1008),
                store(0x1009, 0x100b),
                store(0x100c, 0x100d),
                store(0x100f, 0x1010),
                (0x1010, 0x1014, Access::Atomic, false),
                (0x1014, 0x1018, Access::Atomic, true),
            ]
        );
        assert_eq!(of(&all.loads), [(0x1000, 0x1010, Access::Read, false), (0x1014, 0x1018, Access::Read, true)]);
    }
}
