//! Checking whole cache lines gives the same results as checking their dwords.

use crate::machine::bus::{Bus, MemoryFault, Window};
use crate::sanitizer::allocations::Allocations;
use crate::sanitizer::race::global::*;
use crate::sanitizer::race::shadow::{LINE, Unit};
use crate::sanitizer::report::{Race, Stray};
use gcn_isa::op::Op;
use std::ops::Range;
use std::sync::Mutex;

/// Where the program has data: neither end is that of a line.
const DATA: Range<u64> = 0x1_0014..0x1_2f8a;
/// Of it, what the program says are flags.
const FLAGS: Range<u64> = 0x1_1100..0x1_1108;
const GROUPS: usize = 3;

#[derive(Default)]
struct Told(Mutex<Vec<String>>);

// SAFETY: it gives no memory.
unsafe impl Bus for Told {
    fn window(&self, address: u64, access: Access) -> Result<Window, MemoryFault> {
        Err(MemoryFault { address, access, protection: false })
    }

    fn realtime(&self) -> u64 {
        0
    }

    fn memtime(&self) -> u64 {
        0
    }

    fn interrupt(&self, _: u32, _: bool) {}
}

impl Allocations for Told {
    fn allocation(&self, address: u64) -> Option<Range<u64>> {
        Some(DATA).filter(|data| data.contains(&address))
    }

    fn flags(&self, range: Range<u64>) -> Vec<Range<u64>> {
        Some(FLAGS).filter(|flags| range.contains(&flags.start)).into_iter().collect()
    }
}

impl Checks for Told {
    fn stray(&self, _: &Stray) {}

    fn race(&self, race: &Race) {
        let by = [race.first, race.second].map(|by| (by.pc, by.workgroup, by.wave, by.lane, by.access));
        self.0.lock().unwrap().push(format!("{:#x} {:?} {by:?}", race.address, race.unordered));
    }
}

/// A device of a few work-groups.
#[derive(Default)]
struct Device {
    groups: [Sharing; GROUPS],
    shadow: Shadow,
    told: Told,
}

impl Device {
    fn new() -> Device {
        let mut device = Device::default();
        for (number, group) in device.groups.iter_mut().enumerate() {
            group.start([number as u32, 0, 0], [GROUPS as u32, 1, 1]);
        }
        device
    }

    fn access(&mut self, group: usize, wave: &Wave, inst: &Inst, touch: Touch) {
        let at = At { wave, inst, shadow: &self.shadow, checks: &self.told, caches: None };
        self.groups[group].before(&at, &touch);
        self.groups[group].after(&at, touch);
    }

    fn content(&self) -> Vec<(u64, [u64; 2])> {
        let mut all = Vec::new();
        self.shadow.each_page(|start, page| {
            for (line, at) in page.lines().iter().zip((start..).step_by(LINE as usize)) {
                let dwords = line.dwords().map(|dword| [dword.store, dword.load].map(|seen| seen.bits()));
                all.extend((at..).step_by(4).zip(dwords));
            }
        });
        all.sort_unstable();
        all
    }
}

/// The same, with a run for each part of a dword.
fn apart(touch: &Touch) -> Touch {
    let run = |part: crate::sanitizer::trace::global::Part| Run {
        start: part.address + u64::from(part.bytes.trailing_zeros()),
        bytes: part.bytes.count_ones(),
        lane: part.lane,
        before: 0,
    };
    Touch { runs: touch.parts().map(run).collect(), ..*touch }
}

/// An access of many lanes, mostly side by side.
fn touch(access: Access, takes: bool, random: &mut impl FnMut(u64) -> u64) -> Touch {
    let unit = if access == Access::Atomic { 4 } else { [1, 2, 4, 4, 4, 8, 12, 16, 64][random(9) as usize] };
    let mut touch = Touch { access, takes, unit: Unit::new(unit), runs: Vec::new() };
    if random(4) == 0 {
        (0..16).for_each(|lane| touch.push(DATA.start - 16 + random(0x3000), unit.min(16), lane));
        return touch;
    }
    let lanes = if unit == 64 { 1 } else { 64 };
    let align = [1, 4, 64, 256][random(4) as usize];
    let start = (DATA.start - 64 + random(0x3000)) / align * align;
    let (first, count) = if random(2) == 0 { (0, lanes) } else { (random(lanes), 1 + random(lanes)) };
    touch.push(start, unit * count.min(lanes - first) as u32, first as usize);
    touch
}

#[test]
fn whole_lines_are_as_their_dwords() {
    let mut told = 0;
    for seed in 0..60 {
        let mut state: u64 = seed;
        let mut random = |count: u64| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) % count
        };
        let (mut whole, mut single) = (Device::new(), Device::new());
        // Of some devices most accesses are ordered, so that lines stay whole.
        let barriers = 1 + seed % 6;
        for _ in 0..300 {
            let (group, number) = (random(GROUPS as u64) as usize, random(3) as u32);
            let mut both = |act: fn(&mut Sharing, u32, &Shadow)| {
                for Device { groups, shadow, .. } in [&mut whole, &mut single] {
                    act(&mut groups[group], number, shadow);
                }
            };
            match random(12) {
                what if what < barriers => both(|group, _, _| group.barrier()),
                6 => both(|group, number, _| group.wait(number, 0)),
                7 => both(|group, _, _| group.invalidate()),
                8 if random(4) == 0 => both(|group, number, shadow| {
                    group.arrive(number, shadow);
                    group.leave(number, shadow);
                }),
                _ => {
                    let what = random(16);
                    let (op, access, takes) = match what {
                        0 => (Op::GlobalAtomicAdd, Access::Atomic, random(2) == 0),
                        1 => (Op::GlobalLoadDword, Access::Read, true),
                        2..8 => (Op::GlobalStoreDword, Access::Write, false),
                        _ => (Op::GlobalLoadDword, Access::Read, false),
                    };
                    let pc = 0x1000 + what * 8;
                    let (wave, inst) =
                        (Wave { index: number, pc, ..Wave::default() }, gcn_isa::inst::Inst::example(op));
                    let touch = touch(access, takes, &mut random);
                    single.access(group, &wave, &inst, apart(&touch));
                    whole.access(group, &wave, &inst, touch);
                }
            }
        }
        assert_eq!(*whole.told.0.lock().unwrap(), *single.told.0.lock().unwrap(), "seed {seed}");
        assert!(whole.content() == single.content(), "seed {seed}");
        told += whole.told.0.lock().unwrap().len();
    }
    assert!(told > 1000, "{told}");
}
