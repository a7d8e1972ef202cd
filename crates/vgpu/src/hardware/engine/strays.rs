//! What waves did that the program did not mean: accesses to memory that is mapped, and that it has not asked for, outside of LDS or of private memory, or behind a kernel's
//! arguments; races in LDS, and loads of what nobody has written.

use super::wave_fault::{Origin, WaveFault};
use crate::hardware::checks::{self, findings};
use crate::hardware::gpu::Gpu;
use crate::locks::lock;
use gcn::bus::{Access, MemoryFault, Race, Racer, Space, Storage, Stray, Wanted, Window};
use gcn::exec::Launch;
use gcn::inst::Inst;
use std::sync::Mutex;

/// What waves did in a turn of their work-group, to be told when it is over: who tells looks into memory, which the turn has locked.
pub struct Strays {
    wanted: Wanted,
    all: Mutex<Vec<Seen>>,
}

/// The first of the accesses of an instruction, and how many there were.
struct Seen {
    by: By,
    space: Space,
    /// What it races with, if it is no stray access.
    with: Option<By>,
    count: u64,
}

/// An access.
#[derive(Clone, Copy)]
struct By {
    pc: u64,
    instruction: Inst,
    wave: u32,
    lane: Option<u8>,
    fault: MemoryFault,
}

impl By {
    fn of(racer: &Racer, address: u32) -> By {
        let Racer { pc, instruction, wave, lane, access } = *racer;
        let fault = MemoryFault { address: address.into(), access, protection: false };
        By { pc, instruction: *instruction, wave, lane: Some(lane), fault }
    }

    fn is_by_that_of(&self, other: &By) -> bool {
        self.pc == other.pc && self.fault.access == other.fault.access
    }
}

impl Strays {
    /// None yet, of those that are wanted.
    pub fn new(wanted: Wanted) -> Strays {
        Strays { wanted, all: Mutex::default() }
    }

    /// What is to be noted.
    pub fn wanted(&self) -> Wanted {
        self.wanted
    }

    /// The part of `window` around `address` that the program may use so.
    ///
    /// # Errors
    /// If `address` is in no such part.
    pub fn within(&self, window: Window, address: u64, access: Access) -> Result<Window, MemoryFault> {
        if !self.wanted.strays {
            return Ok(window);
        }
        checks::allocations().clip(window, address).ok_or(MemoryFault { address, access, protection: false })
    }

    /// Notes an access.
    pub fn add(&self, stray: &Stray) {
        let Stray { pc, instruction, wave, lane, space, fault } = *stray;
        self.note(By { pc, instruction: *instruction, wave, lane, fault }, space, None);
    }

    /// Notes a race. Which of two instructions is told as the other's does not depend on who was first.
    pub fn add_race(&self, race: &Race) {
        let [a, b] = [&race.first, &race.second].map(|racer| By::of(racer, race.address));
        let key = |by: &By| (by.pc, by.wave);
        let (by, with) = if key(&a) <= key(&b) { (a, b) } else { (b, a) };
        self.note(by, Space::Lds { bytes: 0 }, Some(with));
    }

    fn note(&self, by: By, space: Space, with: Option<By>) {
        let is_same = |seen: &Seen| {
            seen.by.is_by_that_of(&by)
                && seen.space == space
                && match (&seen.with, &with) {
                    (None, None) => true,
                    (Some(seen), Some(with)) => seen.is_by_that_of(with),
                    _ => false,
                }
        };
        let mut all = lock(&self.all);
        match all.iter_mut().find(|seen| is_same(seen)) {
            Some(seen) => seen.count += 1,
            None => all.push(Seen { by, space, with, count: 1 }),
        }
    }

    /// Tells of them. Returns whether there were any.
    pub fn tell(self, gpu: &Gpu, launch: &Launch, origin: Origin, workgroup: [u32; 3]) -> bool {
        let all = std::mem::take(&mut *lock(&self.all));
        let any = !all.is_empty();
        for Seen { by, space, with, count } in all {
            let By { pc, fault, .. } = by;
            let freed = || checks::allocations().nearest(fault.address).is_some_and(|at| at.freed_at(fault.address));
            let finding = match (space, with) {
                (_, Some(_)) => "race",
                (Space::Lds { .. }, _) => "lds-out-of-bounds",
                (Space::Unwritten(Storage::Device), _) => "uninitialized",
                (Space::Unwritten(Storage::Lds), _) => "lds-uninitialized",
                (Space::Unwritten(Storage::Private), _) => "scratch-uninitialized",
                (Space::Kernarg { .. }, _) => "kernarg-out-of-bounds",
                (Space::Private { .. }, _) => "scratch-out-of-bounds",
                (Space::Device, _) if freed() => "use-after-free",
                (Space::Device, _) => "out-of-bounds",
            };
            let of = |by: &By| {
                let By { pc, ref instruction, wave, lane, fault } = *by;
                WaveFault::stray(&Stray { pc, instruction, wave, lane, space, fault }, launch, origin, workgroup)
            };
            // They copy whole allocations, with what nobody has written.
            if space == Space::Unwritten(Storage::Device) && of(&by).is_by_runtime(gpu) {
                continue;
            }
            let place = findings::Place { finding, pc, access: fault.access, with: with.map(|with| with.pc) };
            let Some(id) = findings::count(place, count) else { continue };
            of(&by).find(gpu, id, finding, space, with.as_ref().map(of).as_ref());
        }
        any
    }
}
