//! The caches of gfx9 between waves and memory: a vector L1 for each compute unit, scalar L1s, and an L2 for each XCC.
//! `docs/src/tools/caches.md` describes their behaviour with its sources.
//!
//! They hold memory that is mapped [`Cached`](super::address_space::Caching); by host address, which is to a process
//! what the physical one is to the hardware. One thread uses them at a time: the one that holds the lock of the page
//! table, for which [`AddressSpace`](super::address_space::AddressSpace) sees.

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
/// Lines of an L2: 8 MiB. (That of an XCC of an MI300X has 4 MiB.)
const L2_LINES: usize = 65536;
/// Compute units of an XCC with caches. Few, so that work-groups come across lines that others left behind.
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
    /// Those of the first XCC, then those of the next.
    units: Vec<Unit>,
    /// Of each XCC. Where there are several, memory and the others learn of what one writes back: their copies go.
    l2s: Vec<L2>,
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

/// Lines by host address, all of memory that is mapped to the GPU: what is unmapped is forgotten first. [`State`] sees
/// to the other L2s.
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
    /// Empty caches of a GPU with `xccs` XCCs, which evict lines as `seed` has it.
    pub fn new(seed: u64, xccs: usize) -> Caches {
        let mut random = Random::new(seed ^ 0xcac4_e5ca_c4e5);
        let patience = 1 << (4 + random.below(8));
        let units = (0..xccs * UNITS).map(|_| Unit::default()).collect();
        let l2s = (0..xccs).map(|_| L2::default()).collect();
        Caches { seed, state: Mutex::new(State { random, patience, units, l2s }) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// The compute unit of `xcc` that runs work-group `group` of dispatch `dispatch`.
    pub fn unit(&self, xcc: usize, dispatch: u64, group: u64) -> usize {
        let mix = self.seed.wrapping_add(dispatch.wrapping_mul(0x9e37_79b9)).wrapping_add(group << 32);
        xcc * UNITS + Random::new(mix).below(UNITS as u64) as usize
    }

    /// Where a wave on compute unit `unit` finds the `bytes` bytes of memory at `host`. They are its until the next
    /// call of a method.
    ///
    /// # Safety
    /// The page of `host` is mapped to the GPU, and stays so until [`Caches::forget`] is called for it; for such an
    /// access, if it is no load. If `program` is set, it may go away at any time after this call.
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
        let state = &mut *self.lock();
        let (of, several) = (unit / UNITS, state.l2s.len() > 1);
        if state.random.below(state.patience) == 0 {
            state.units[unit].cache(path).0.remove(&near);
            state.evict(of, far);
        }
        if state.l2s[of].0.len() >= L2_LINES {
            state.empty(of);
        }
        let reads = access == Access::Read;
        if several && !reads && (access == Access::Atomic || path == Path::Coherent) {
            state.units[unit].cache(path).0.remove(&near);
            (0..state.l2s.len()).for_each(|l2| state.evict(l2, far));
            return Reached::Line(std::ptr::with_exposed_provenance_mut(host as usize));
        }
        let (l1, l2) = (state.units[unit].cache(path), &mut state.l2s[of]);
        let words = if reads && path != Path::Coherent {
            // SAFETY: the caller promises it.
            l1.line(near, || unsafe { l2.line(far, program) }.part(near - far))
        } else {
            // The wave, and the others of its work-group, see what the L2 has from now on.
            l1.0.remove(&near);
            if several && reads {
                l2.renew(far);
            }
            // SAFETY: as above.
            let line = unsafe { l2.line(far, program) };
            if !reads {
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
        self.lock().units.fill_with(Unit::default);
    }

    /// Empties all L2s: what they hold is read again from memory. A system-scope acquire.
    pub fn invalidate_l2(&self) {
        let state = &mut *self.lock();
        (0..state.l2s.len()).for_each(|l2| state.empty(l2));
    }

    /// Empties the L2 of a compute unit of what memory may have newer. What is newer in it stays.
    pub fn invalidate_l2_of(&self, unit: usize) {
        let state = &mut *self.lock();
        match &mut state.l2s[..] {
            [_] => state.empty(0),
            several => several[unit / UNITS].renew_all(),
        }
    }

    /// Writes what the L2s have to memory, where all see it. A system-scope release.
    pub fn write_back(&self) {
        let state = &mut *self.lock();
        (0..state.l2s.len()).for_each(|l2| state.write_back(l2));
    }

    /// An agent-scope release: makes the writes of compute units visible to those of all XCCs.
    pub fn meet(&self) {
        if self.lock().l2s.len() > 1 {
            self.write_back();
        }
    }

    /// Writes what the L2 of a compute unit has to memory.
    pub fn write_back_of(&self, unit: usize) {
        self.lock().write_back(unit / UNITS);
    }

    /// Removes `length` bytes at `start` from the L2s, for an access that bypasses them and must see the same data.
    pub fn expose(&self, start: u64, length: u64) {
        self.lock().expose(start, length);
    }

    /// Removes `length` bytes at `start` from all caches, before they are unmapped.
    pub fn forget(&self, start: u64, length: u64) {
        let mut state = self.lock();
        state.expose(start, length);
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

impl State {
    /// Removes the line at `at` from an L2. What is newer in it goes to memory first, and then the other L2s have old
    /// copies, which go as well.
    fn evict(&mut self, l2: usize, at: u64) {
        if self.l2s[l2].evict(at) {
            self.l2s.iter_mut().for_each(|l2| _ = l2.evict(at));
        }
    }

    fn write_back(&mut self, l2: usize) {
        if let [only] = &mut self.l2s[..] {
            return only.0.iter_mut().for_each(|(at, line)| _ = line.write_back(*at));
        }
        for at in self.l2s[l2].lines(|line| line.dirty != 0) {
            self.evict(l2, at);
        }
    }

    fn empty(&mut self, l2: usize) {
        self.write_back(l2);
        self.l2s[l2].0.clear();
    }

    fn expose(&mut self, start: u64, length: u64) {
        let (first, end) = (start & !(L2_LINE - 1), start + length);
        self.l2s.iter_mut().for_each(|l2| l2.expose(first, end));
    }
}

impl L2 {
    /// The line at `at`, read from memory if it is not there.
    ///
    /// # Safety
    /// As of [`Caches::reach`].
    unsafe fn line(&mut self, at: u64, program: bool) -> &mut Line {
        match self.0.entry(at) {
            Entry::Occupied(line) => line.into_mut(),
            Entry::Vacant(place) => {
                // SAFETY: it is mapped now, the caller promises it.
                let words = std::array::from_fn(|index| AtomicU64::new(unsafe { memory(at, index) }.load(Relaxed)));
                place.insert(Box::new(Line { words, dirty: 0, program }))
            }
        }
    }

    /// Where the lines are of which `which` is true.
    fn lines(&self, which: impl Fn(&Line) -> bool) -> Vec<u64> {
        self.0.iter().filter(|(_, line)| which(line)).map(|(at, _)| *at).collect()
    }

    /// Removes the line at `at`. Whether something was newer in it, which is in memory now.
    fn evict(&mut self, at: u64) -> bool {
        self.0.remove(&at).is_some_and(|mut line| line.write_back(at))
    }

    /// The line at `at` has what memory has, but for what is newer in it.
    fn renew(&mut self, at: u64) {
        if let Entry::Occupied(mut line) = self.0.entry(at)
            && !line.get_mut().renew(at)
        {
            line.remove();
        }
    }

    fn renew_all(&mut self) {
        self.0.retain(|at, line| line.renew(*at));
    }

    fn expose(&mut self, first: u64, end: u64) {
        if (end - first) / L2_LINE < self.0.len() as u64 {
            return (first..end).step_by(L2_LINE as usize).for_each(|at| _ = self.evict(at));
        }
        let inside: Vec<u64> = self.0.keys().copied().filter(|at| (first..end).contains(at)).collect();
        inside.into_iter().for_each(|at| _ = self.evict(at));
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

    /// Stores the bytes that are newer than the memory at `at`, and no others, 64 bits at a time. Whether there were
    /// any.
    fn write_back(&mut self, at: u64) -> bool {
        let dirty = std::mem::take(&mut self.dirty);
        if dirty == 0 || (self.program && !is_mapped(at & !(PAGE - 1), PAGE)) {
            return false;
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
        true
    }

    /// Whether any byte is newer than the memory at `at`. If so, the others are read from there.
    fn renew(&mut self, at: u64) -> bool {
        if self.dirty == 0 || (self.program && !is_mapped(at & !(PAGE - 1), PAGE)) {
            return false;
        }
        for (index, word) in self.words.iter().enumerate() {
            let mask = spread((self.dirty >> (8 * index)) as u8);
            // SAFETY: as of `write_back`.
            let memory = unsafe { memory(at, index) }.load(Relaxed);
            word.store(memory & !mask | word.load(Relaxed) & mask, Relaxed);
        }
        true
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
