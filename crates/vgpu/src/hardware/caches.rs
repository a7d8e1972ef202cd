//! The caches of gfx9 between waves and memory: a vector L1 of each compute unit, scalar L1s, and the L2 of the agent. What they do, and where that is
//! written, is in the documentation (`docs/src/caches.md`).
//!
//! They hold memory that is mapped [`Cached`](super::address_space::Caching); by host address, which is to a process what the physical one is to the hardware.
//! One thread uses them at a time: the one that holds the lock of the page table, for which [`AddressSpace`](super::address_space::AddressSpace) sees.

#[cfg(test)]
mod tests;

use super::random::Random;
use crate::backing::{PAGE, is_mapped};
use crate::locks::lock;
use gcn::bus::{Access, Path, Reached};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

/// Bytes of a line of an L1.
const L1_LINE: u64 = 64;
/// Lines of an L1: 16 KiB.
const L1_LINES: usize = 256;
/// Bytes of a line of the L2.
const L2_LINE: u64 = 128;
/// Lines of the L2: 8 MiB.
const L2_LINES: usize = 65536;
/// Compute units with caches. Few, so that work-groups come across lines that others left behind.
const UNITS: usize = 4;

/// The caches of one GPU. All methods may be called from any thread.
#[derive(Debug)]
pub struct Caches {
    seed: u64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    random: Random,
    /// So many accesses pass, as a rule, until one finds its lines evicted.
    patience: u64,
    units: [Unit; UNITS],
    l2: L2,
}

/// The L1s of a compute unit. (Hardware has a scalar one for several of them.)
#[derive(Debug, Default)]
struct Unit {
    vector: L1,
    scalar: L1,
}

impl Unit {
    fn cache(&mut self, path: Path) -> &mut L1 {
        if path == Path::Scalar { &mut self.scalar } else { &mut self.vector }
    }
}

/// Copies of lines, by host address. Nothing in them is newer than the L2.
#[derive(Debug, Default)]
struct L1(HashMap<u64, Box<[AtomicU64; (L1_LINE / 8) as usize]>>);

/// Lines by host address, all of memory that is mapped to the GPU: what is unmapped is forgotten first.
#[derive(Debug, Default)]
struct L2(HashMap<u64, Box<Line>>);

#[derive(Debug)]
struct Line {
    words: [AtomicU64; (L2_LINE / 8) as usize],
    /// The bytes that are newer than memory, a bit each.
    dirty: u128,
    /// Memory of the program's own, which it may free at any time.
    program: bool,
}

impl Caches {
    /// Empty caches, which evict lines as `seed` has it.
    pub fn new(seed: u64) -> Caches {
        let mut random = Random::new(seed ^ 0xcac4_e5ca_c4e5);
        let patience = 1 << (4 + random.below(8));
        let state = State { random, patience, units: Default::default(), l2: L2::default() };
        Caches { seed, state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// The compute unit that runs work-group `group` of dispatch `dispatch`.
    pub fn unit(&self, dispatch: u64, group: u64) -> usize {
        let mix = self.seed.wrapping_add(dispatch.wrapping_mul(0x9e37_79b9)).wrapping_add(group << 32);
        Random::new(mix).below(UNITS as u64) as usize
    }

    /// Where a wave on compute unit `unit` finds the `bytes` bytes of memory at `host`. They are its until the next call of a method.
    ///
    /// # Safety
    /// The page of `host` is mapped to the GPU, and stays so until [`Caches::forget`] is called for it; for such an access, if it is no
    /// load. If `program` is set, it may go away at any time after this call.
    pub unsafe fn reach(
        &self,
        host: u64,
        bytes: u64,
        access: Access,
        path: Path,
        unit: usize,
        program: bool,
    ) -> Reached {
        let (near, far) = (host & !(L1_LINE - 1), host & !(L2_LINE - 1));
        if host + bytes > near + L1_LINE {
            return Reached::Apart;
        }
        let State { random, patience, units, l2 } = &mut *self.lock();
        let l1 = units[unit].cache(path);
        if random.below(*patience) == 0 {
            l1.0.remove(&near);
            l2.evict(far);
        }
        let words = if access == Access::Read && path != Path::Coherent {
            // SAFETY: the caller promises it.
            l1.line(near, || unsafe { l2.line(far, program) }.part(near - far))
        } else {
            // The wave, and the others of its work-group, see what the L2 has from now on.
            l1.0.remove(&near);
            // SAFETY: as above.
            let line = unsafe { l2.line(far, program) };
            if access != Access::Read {
                line.mark_dirty(host - far, bytes);
            }
            line.part(near - far)
        };
        Reached::Line(words.as_ptr().cast_mut().cast::<u8>().wrapping_add((host - near) as usize))
    }

    /// Empties the L1 of this path of a compute unit.
    pub fn invalidate(&self, path: Path, unit: usize) {
        self.lock().units[unit].cache(path).0.clear();
    }

    /// Empties all L1s, as happens before each dispatch.
    pub fn invalidate_l1(&self) {
        self.lock().units = Default::default();
    }

    /// Empties the L2: what it holds is read again from memory. A system-scope acquire.
    pub fn invalidate_l2(&self) {
        self.lock().l2.empty();
    }

    /// Writes what the L2 has to memory, where all see it. A system-scope release.
    pub fn write_back(&self) {
        self.lock().l2.write_back();
    }

    /// Takes `length` bytes at `start` out of the L2, for who accesses memory beside it and yet sees the same.
    pub fn expose(&self, start: u64, length: u64) {
        self.lock().l2.expose(start, length);
    }

    /// Takes `length` bytes at `start` out of all caches: they are unmapped next.
    pub fn forget(&self, start: u64, length: u64) {
        let mut state = self.lock();
        state.l2.expose(start, length);
        for Unit { vector, scalar } in &mut state.units {
            for cache in [vector, scalar] {
                cache.0.retain(|line, _| line + L1_LINE <= start || *line >= start + length);
            }
        }
    }
}

impl L1 {
    /// The line at `at`, made of what `words` gives if it is not there.
    fn line<'a>(&mut self, at: u64, words: impl FnOnce() -> &'a [AtomicU64]) -> &[AtomicU64] {
        if self.0.len() >= L1_LINES {
            self.0.clear();
        }
        &self.0.entry(at).or_insert_with(|| {
            let words = words();
            Box::new(std::array::from_fn(|index| AtomicU64::new(words[index].load(Relaxed))))
        })[..]
    }
}

impl L2 {
    /// The line at `at`, read from memory if it is not there.
    ///
    /// # Safety
    /// As of [`Caches::reach`].
    unsafe fn line(&mut self, at: u64, program: bool) -> &mut Line {
        if self.0.len() >= L2_LINES {
            self.empty();
        }
        match self.0.entry(at) {
            Entry::Occupied(line) => line.into_mut(),
            Entry::Vacant(place) => {
                // SAFETY: it is mapped now, the caller promises it.
                let words = std::array::from_fn(|index| AtomicU64::new(unsafe { memory(at, index) }.load(Relaxed)));
                place.insert(Box::new(Line { words, dirty: 0, program }))
            }
        }
    }

    fn write_back(&mut self) {
        self.0.iter_mut().for_each(|(at, line)| line.write_back(*at));
    }

    fn empty(&mut self) {
        self.write_back();
        self.0.clear();
    }

    fn evict(&mut self, at: u64) {
        if let Some(mut line) = self.0.remove(&at) {
            line.write_back(at);
        }
    }

    fn expose(&mut self, start: u64, length: u64) {
        let (first, end) = (start & !(L2_LINE - 1), start + length);
        if (end - first) / L2_LINE < self.0.len() as u64 {
            (first..end).step_by(L2_LINE as usize).for_each(|at| self.evict(at));
            return;
        }
        let inside: Vec<u64> = self.0.keys().copied().filter(|at| (first..end).contains(at)).collect();
        inside.into_iter().for_each(|at| self.evict(at));
    }
}

impl Line {
    /// The words of a line of an L1, `offset` bytes from the start.
    fn part(&self, offset: u64) -> &[AtomicU64] {
        &self.words[(offset / 8) as usize..][..(L1_LINE / 8) as usize]
    }

    /// Notes that `bytes` bytes from `offset` on are newer than memory.
    fn mark_dirty(&mut self, offset: u64, bytes: u64) {
        self.dirty |= (u128::MAX >> (L2_LINE - bytes)) << offset;
    }

    /// Stores the bytes that are newer than the memory at `at`, and no others, 64 bits at a time.
    fn write_back(&mut self, at: u64) {
        let dirty = std::mem::take(&mut self.dirty);
        if dirty == 0 || (self.program && !is_mapped(at & !(PAGE - 1), PAGE)) {
            return;
        }
        for (index, word) in self.words.iter().enumerate() {
            let mask = spread((dirty >> (8 * index)) as u8);
            if mask == 0 {
                continue;
            }
            let new = word.load(Relaxed) & mask;
            // SAFETY: it is mapped as long as the line is here, or was found to be there.
            let memory = unsafe { memory(at, index) };
            if mask == u64::MAX {
                memory.store(new, Relaxed);
            } else {
                let _ = memory.fetch_update(Relaxed, Relaxed, |old| Some(old & !mask | new));
            }
        }
    }
}

/// Word `index` of the line of memory at `at`.
///
/// # Safety
/// It is mapped, and only accessed atomically, for as long as the result is used.
unsafe fn memory<'a>(at: u64, index: usize) -> &'a AtomicU64 {
    let word = std::ptr::with_exposed_provenance_mut::<u64>(at as usize + 8 * index);
    // SAFETY: lines are aligned; the caller promises the rest.
    unsafe { AtomicU64::from_ptr(word) }
}

/// A byte of ones for each bit that is set.
fn spread(bits: u8) -> u64 {
    (0..8).filter(|bit| bits >> bit & 1 != 0).fold(0, |mask, bit| mask | 0xff << (8 * bit))
}
