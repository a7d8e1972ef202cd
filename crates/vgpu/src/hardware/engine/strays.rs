//! Reports the checks' findings about waves: accesses to memory that is mapped but not allocated, outside of LDS or
//! private memory, or behind a kernel's arguments; races, uninitialised loads, and barriers that some waves miss.

use super::trails::Trails;
use super::wave_fault::{Origin, WaveFault};
use crate::hardware::checks::{self, findings};
use crate::hardware::gpu::Gpu;
use crate::locks::lock;
use gcn::bus::{Access, MemoryFault, Window};
use gcn::exec::Launch;
use gcn::inst::Inst;
use gcn::sanitizer::Shadow;
use gcn::sanitizer::{Race, Racer, Space, Storage, Stray, Unordered, Wanted};
use std::sync::{Arc, Mutex};

/// Findings about waves in a turn of their work-group. They are reported after the turn, because reporting reads memory
/// that the turn has locked.
pub struct Strays<'a> {
    wanted: Wanted,
    /// What the work-group's waves executed last, if that is to be told too.
    trails: Option<Arc<Trails>>,
    /// What waves of the dispatch did to device memory, if races are looked for there.
    shadow: Option<&'a Shadow>,
    all: Mutex<Vec<Seen>>,
}

/// The first of the accesses of an instruction, and how many there were.
struct Seen {
    by: By,
    space: Space,
    /// What it races with, if it is no stray access, and why.
    with: Option<(By, Unordered)>,
    count: u64,
}

/// An access.
struct By {
    pc: u64,
    instruction: Inst,
    /// The work-group, if that is not the one whose turn it is.
    workgroup: Option<[u32; 3]>,
    wave: u32,
    lane: Option<u8>,
    fault: MemoryFault,
    /// The instructions that its wave executed last.
    trail: Vec<u64>,
}

impl By {
    fn of(racer: &Racer, address: u64) -> By {
        let Racer { pc, instruction, workgroup, wave, lane, access } = *racer;
        let fault = MemoryFault { address, access, protection: false };
        By { pc, instruction: *instruction, workgroup: Some(workgroup), wave, lane, fault, trail: Vec::new() }
    }

    fn is_by_that_of(&self, other: &By) -> bool {
        self.pc == other.pc && self.fault.access == other.fault.access
    }
}

impl<'a> Strays<'a> {
    /// An empty collector for the checks in `wanted`, with the `trails` of the work-group's waves if requested, and the
    /// dispatch's shadow memory.
    pub fn new(wanted: Wanted, trails: Option<Arc<Trails>>, shadow: Option<&'a Shadow>) -> Strays<'a> {
        Strays { wanted, trails, shadow, all: Mutex::default() }
    }

    /// The recorder of the waves' last instructions.
    pub fn trails(&self) -> Option<&Trails> {
        self.trails.as_deref()
    }

    /// The dispatch's shadow memory.
    pub fn shadow(&self) -> Option<&'a Shadow> {
        self.shadow
    }

    /// The enabled checks.
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
        let by = By { pc, instruction: *instruction, workgroup: None, wave, lane, fault, trail: Vec::new() };
        self.note(by, space, None, None);
    }

    /// Records a race. The order of the two instructions in the finding does not depend on which was executed first.
    pub fn add_race(&self, race: &Race) {
        let [a, b] = [&race.first, &race.second].map(|racer| By::of(racer, race.address));
        let key = |by: &By| (by.pc, by.workgroup, by.wave);
        // A barrier comes before what was done instead of coming to it, and a load before what uses its register.
        let is_in_order = matches!(race.unordered, Unordered::Off | Unordered::Ended | Unordered::Begun);
        let (by, with) = if is_in_order || key(&a) <= key(&b) { (a, b) } else { (b, a) };
        self.note(by, race.space, Some((with, race.unordered)), Some(race.second.workgroup));
    }

    /// `turn`: the work-group whose turn it is, if an access may be another one's. Of that one it is not known what its
    /// waves executed.
    fn note(&self, mut by: By, space: Space, mut with: Option<(By, Unordered)>, turn: Option<[u32; 3]>) {
        let is_same = |seen: &Seen| {
            seen.by.is_by_that_of(&by)
                && seen.space == space
                && match (&seen.with, &with) {
                    (None, None) => true,
                    (Some((seen, _)), Some((with, _))) => seen.is_by_that_of(with),
                    _ => false,
                }
        };
        let mut all = lock(&self.all);
        match all.iter_mut().find(|seen| is_same(seen)) {
            Some(seen) => seen.count += 1,
            None => {
                if let Some(trails) = &self.trails {
                    let both = [Some(&mut by), with.as_mut().map(|(with, _)| with)];
                    for by in both.into_iter().flatten().filter(|by| by.workgroup == turn) {
                        by.trail = trails.until(by.wave, by.pc);
                    }
                }
                all.push(Seen { by, space, with, count: 1 });
            }
        }
    }

    /// Reports the findings. Returns whether there were any.
    pub fn tell(self, gpu: &Gpu, launch: &Launch, origin: Origin, workgroup: [u32; 3]) -> bool {
        let all = std::mem::take(&mut *lock(&self.all));
        let any = !all.is_empty();
        for Seen { by, space, with, count } in all {
            let By { pc, fault, .. } = by;
            let freed = || checks::allocations().nearest(fault.address).is_some_and(|at| at.freed_at(fault.address));
            let finding = match (space, &with) {
                (Space::Device, Some(_)) => "device-race",
                (Space::Barrier, Some((_, Unordered::Ended))) => "ended-before-barrier",
                (Space::Barrier, _) => "barrier",
                (Space::Register(_), _) => "missing-wait",
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
                let By { pc, ref instruction, workgroup: own, wave, lane, fault, ref trail } = *by;
                let stray = Stray { pc, instruction, wave, lane, space, fault };
                WaveFault::stray(&stray, launch, origin, own.unwrap_or(workgroup)).behind(trail.clone())
            };
            // They copy whole allocations, with what nobody has written.
            if space == Space::Unwritten(Storage::Device) && of(&by).is_by_runtime(gpu) {
                continue;
            }
            let other = with.as_ref().map(|(with, _)| with.pc);
            let place = findings::Place { finding, pc, access: fault.access, with: other };
            let Some(id) = findings::count(place, count) else { continue };
            let other = with.as_ref().map(|(with, unordered)| (of(with), *unordered));
            of(&by).find(gpu, id, finding, space, other.as_ref());
        }
        any
    }
}
