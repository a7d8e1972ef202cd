//! Detects the plain stores by which a program rings doorbells, while no thread polls them.
//!
//! Before the lead thread of an engine goes to sleep it write-protects the program's mappings of the doorbell page by
//! `userfaultfd`. A store then stops in the kernel until the thread, which that wakes, has lifted the protection. This
//! takes no signal handler of the program's, no rights (`UFFD_USER_MODE_ONLY`), and no time while work goes on. Linux
//! has it for shared memory since 5.19. Where it cannot be had (older kernels, sandboxes that forbid the system call),
//! the thread looks from time to time instead.
//!
//! Pages are protected only while the lead thread sleeps, so no store is held up longer than it takes to wake.
//!
//! Where every doorbell is to be seen ([`Doorbells::watch_all`]) they are protected all the time:
//! [`Doorbells::let_through`] lifts the protection for the stores that were stopped, looks at the page without a pause
//! until they are done, and puts it back.

use crate::errno::Errno;
use crate::reentry::Guard;
use crate::userfaultfd::{
    FEATURE_EXACT_ADDRESS, FEATURE_PAGEFAULT_FLAG_WP, FEATURE_THREAD_ID, FEATURE_WP_HUGETLBFS_SHMEM, MODE_WP, Stopped,
    USER_MODE_ONLY, Userfaultfd,
};
use std::os::fd::RawFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long [`Doorbells::let_through`] looks without a pause for stores that it let through: longer than a thread takes
/// to wake.
const SPIN: Duration = Duration::from_micros(100);
/// How long it looks in all. A thread that has not stored by then is stopped again.
const WINDOW: Duration = Duration::from_millis(2);
/// Time between two looks in which two threads cannot store to the same doorbell unnoticed, as far as anybody will ever
/// see.
const PROMPT: Duration = Duration::from_micros(1);

/// A doorbell, as its queue sees it.
#[derive(Clone, Copy, Debug)]
pub struct Doorbell {
    /// The last value seen, `u64::MAX` before the first.
    last: u64,
    /// The furthest value seen.
    pub furthest: Option<u64>,
    rung: bool,
    exact: bool,
    /// A thread whose store was stopped.
    thread: Option<u32>,
    /// Several threads ring it, so one may have overwritten another's doorbell unseen, if all that is seen is exact
    /// too.
    pub by_several: bool,
}

/// Stores to a doorbell since its queue looked last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoorbellWrite {
    /// The last value.
    pub value: u64,
    /// No value was overwritten unseen by another.
    pub exact: bool,
}

impl Doorbell {
    /// One that has not rung yet.
    pub const SILENT: Doorbell =
        Doorbell { last: u64::MAX, furthest: None, rung: false, exact: true, thread: None, by_several: false };

    /// Notes a thread that rings it.
    fn note_thread(&mut self, thread: u32) {
        self.by_several |= self.thread.replace(thread).is_some_and(|other| other != thread);
    }

    /// Records the present value. `exact`: the doorbell held no other value since the last record. Returns whether it
    /// changed.
    pub fn note(&mut self, value: u64, exact: bool) -> bool {
        if value == self.last {
            return false;
        }
        self.last = value;
        self.furthest = self.furthest.max(Some(value));
        self.rung = true;
        self.exact &= exact;
        true
    }

    /// Returns the write since the last call.
    pub fn take(&mut self) -> Option<DoorbellWrite> {
        let rung = self.rung.then_some(DoorbellWrite { value: self.last, exact: self.exact });
        (self.rung, self.exact) = (false, true);
        rung
    }
}

/// A doorbell that the engine watches.
#[derive(Debug)]
pub struct WatchedDoorbell<'a> {
    /// The number in the page.
    pub slot: u32,
    /// The place in the page.
    pub cell: &'a AtomicU64,
    /// The recorded state of the doorbell.
    pub doorbell: &'a mut Doorbell,
}

impl WatchedDoorbell<'_> {
    fn note(&mut self, exact: bool) -> bool {
        self.doorbell.note(self.cell.load(Ordering::Acquire), exact)
    }
}

/// The program's mappings of one GPU's doorbell page.
#[derive(Debug, Default)]
pub struct Doorbells {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Where the program mapped the page: start and length.
    mappings: Vec<(u64, u64)>,
    watch: Watch,
    /// Stores are stopped now.
    protected: bool,
    /// Stores are stopped all the time.
    all: bool,
}

#[derive(Debug, Default)]
enum Watch {
    /// Nothing has been mapped yet.
    #[default]
    Unused,
    /// Stores can be noticed.
    Works(Userfaultfd),
    /// Stores cannot be noticed on this machine, or not any more.
    Refused,
}

/// The result of [`Doorbells::protect`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Stores are stopped from now on; those before may have gone unnoticed.
    New,
    /// They were stopped already, and one makes this descriptor readable.
    Watched(RawFd),
    /// Stores cannot be noticed.
    None,
}

impl Doorbells {
    fn lock(&self) -> Guard<'_, State> {
        Guard::lock(&self.state)
    }

    /// From now on every store is stopped until [`Doorbells::let_through`], which the engine must call again and again.
    pub fn watch_all(&self) {
        self.lock().all = true;
    }

    /// The program has mapped the page. The engine must be woken after this, so that it protects this mapping too.
    pub fn mapped(&self, start: u64, length: u64) {
        let state = &mut *self.lock();
        state.lift();
        if let Watch::Unused = state.watch {
            state.watch = open(state.all).map_or(Watch::Refused, Watch::Works);
        }
        if let Watch::Works(file) = &state.watch
            && file.register(start, length, MODE_WP).is_err()
        {
            state.watch = Watch::Refused;
        }
        state.mappings.push((start, length));
    }

    /// The program is about to unmap the range, or to map something else there. Returns whether doorbells are mapped
    /// there: then the engine must be woken after this, for it may rely on a protection that is gone.
    pub fn unmapped(&self, start: u64, length: u64) -> bool {
        let end = start.saturating_add(length);
        let overlaps = |&(at, size): &(u64, u64)| start < at + size && at < end;
        let state = &mut *self.lock();
        if !state.mappings.iter().any(overlaps) {
            return false;
        }
        // Before they are forgotten: the program's call may yet fail, and nobody would let their stores through.
        state.lift();
        state.mappings.retain(|&(at, size)| !(start <= at && at + size <= end));
        if state.mappings.iter().any(overlaps) {
            // What is left of a mapping is not kept track of.
            state.refuse();
        }
        true
    }

    /// Stops stores.
    pub fn protect(&self) -> Protection {
        let state = &mut *self.lock();
        let Watch::Works(file) = &state.watch else { return Protection::None };
        if state.mappings.is_empty() {
            return Protection::None;
        }
        if state.protected {
            return Protection::Watched(file.fd());
        }
        if state.protect() { Protection::New } else { Protection::None }
    }

    /// Lets stores through, including stopped ones, and returns whether any was stopped. Does nothing if every store is
    /// watched.
    pub fn lift(&self) -> bool {
        let mut state = self.lock();
        !state.all && state.lift()
    }

    /// Lets stores through from now on.
    pub fn stop_watching(&self) {
        self.lock().lift();
    }

    /// A descriptor that becomes readable when a store is stopped, if every store is watched.
    pub fn stopped(&self) -> Option<RawFd> {
        let state = self.lock();
        match &state.watch {
            Watch::Works(file) if state.all && state.protected => Some(file.fd()),
            _ => None,
        }
    }

    /// Where every store is watched: lets those through that were stopped, and notes what they leave in the doorbells
    /// of `looks`. That is exact for a doorbell to which one thread stored, and if no other thread could have stored
    /// between two looks.
    pub fn let_through(&self, looks: &mut [WatchedDoorbell<'_>]) {
        let state = &mut *self.lock();
        // No thread of the program has stored while stores were stopped: this is from the GPU, or from before.
        looks.iter_mut().for_each(|look| _ = look.note(false));
        let Watch::Works(file) = &state.watch else { return };
        if state.mappings.is_empty() {
            return;
        }
        if state.protected {
            let stopped = stopped(file, &state.mappings);
            if stopped.is_empty() {
                return;
            }
            for &(start, length) in &state.mappings {
                let _ = file.write_protect(start, length, false);
            }
            for look in looks.iter_mut() {
                let threads = stopped.iter().filter(|(slot, _)| *slot == look.slot);
                threads.for_each(|(_, thread)| look.doorbell.note_thread(*thread));
            }
            watch(looks, &stopped);
        }
        if state.protect() {
            // What came between the last look and the protection may have overwritten something.
            looks.iter_mut().for_each(|look| _ = look.note(false));
        }
    }
}

/// Looks at doorbells until all stores that were `stopped` (doorbell and thread) are done.
fn watch(looks: &mut [WatchedDoorbell<'_>], stopped: &[(u32, u32)]) {
    let threads = |slot| stopped.iter().filter(|stopped| stopped.0 == slot).count();
    let mut missing = stopped.iter().map(|stopped| stopped.0).collect::<Vec<u32>>();
    missing.dedup();
    let single_cpu = std::thread::available_parallelism().is_ok_and(|n| n.get() == 1);
    let begin = Instant::now();
    let mut before = begin;
    while !missing.is_empty() {
        let changed = looks.iter().any(|look| look.cell.load(Ordering::Acquire) != look.doorbell.last);
        let now = Instant::now();
        let prompt = now - before <= PROMPT;
        before = now;
        if changed {
            for look in looks.iter_mut() {
                if look.note(prompt && threads(look.slot) == 1) {
                    missing.retain(|slot| *slot != look.slot);
                }
            }
        } else if now - begin > WINDOW {
            break;
        } else if single_cpu || now - begin > SPIN {
            std::thread::yield_now();
        }
    }
}

/// The doorbells to which stores were stopped, each with the thread that stores, in order and without repetition.
fn stopped(file: &Userfaultfd, mappings: &[(u64, u64)]) -> Vec<(u32, u32)> {
    let mut stopped = Vec::new();
    while let Some(Stopped { address, thread, .. }) = file.stopped() {
        let mapping = mappings.iter().find(|(start, length)| (*start..start + length).contains(&address));
        // What is stored to something else is no matter here, but must be let through too.
        let slot = mapping.map_or(u32::MAX, |(start, _)| ((address - start) / 8) as u32);
        stopped.push((slot, thread));
    }
    stopped.sort_unstable();
    stopped.dedup();
    stopped
}

impl State {
    /// Stops stores. Returns whether they can be.
    fn protect(&mut self) -> bool {
        let Watch::Works(file) = &self.watch else { return false };
        let all = self.mappings.iter().all(|&(start, length)| file.write_protect(start, length, true).is_ok());
        self.protected = true;
        if !all {
            // Somebody moved a mapping or closed the descriptor: what cannot be relied on is not used.
            self.refuse();
        }
        all
    }

    fn refuse(&mut self) {
        self.lift();
        self.watch = Watch::Refused;
    }

    fn lift(&mut self) -> bool {
        let Watch::Works(file) = &self.watch else { return false };
        if !std::mem::take(&mut self.protected) {
            return false;
        }
        // Threads that are stopped go on then, whether or not anybody has read the message of it.
        for &(start, length) in &self.mappings {
            // A range that is not registered stops nobody.
            let _ = file.write_protect(start, length, false);
        }
        true
    }
}

/// `who`: messages tell which thread stores to which address.
fn open(who: bool) -> Result<Userfaultfd, Errno> {
    let more = if who { FEATURE_THREAD_ID | FEATURE_EXACT_ADDRESS } else { 0 };
    let flags = libc::O_CLOEXEC | libc::O_NONBLOCK | USER_MODE_ONLY;
    Userfaultfd::new(flags, FEATURE_PAGEFAULT_FLAG_WP | FEATURE_WP_HUGETLBFS_SHMEM | more)
}
