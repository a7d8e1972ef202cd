//! Host loads and stores in pinned memory that a copy still uses.
//!
//! When the host hands a copy over, its own mapping of the memory is armed by `userfaultfd`, until the host knows that
//! the copy is over (`order`). The device has a mapping of its own. The first access in between stops its thread for a
//! moment, and is a suspect. It is told once
//!
//! - the copy is over, and nothing that waited for the host may have begun since: the host may do what it likes before
//!   it lets the copy begin;
//! - kernels that ran behind the copy are over, and none has stored where the host may look: it may have told the host.
//!
//! Only where the process may stop what the kernel does for it too: `read` into such memory would fail otherwise.

mod accessor;
mod watch;

use super::allocations::Stack;
use super::order::{self, Packet};
use crate::locks::lock;
use crate::userfaultfd::Stopped;
use gcn::bus::Access;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use watch::Watch;

/// Copies that are kept. The oldest go first.
const COPIES: usize = 1024;

/// A copy's access to pinned memory.
#[derive(Clone, Debug)]
pub struct Use {
    /// Where.
    pub range: Range<u64>,
    /// The kind of access.
    pub access: Access,
}

/// A copy that the host is about to hand over.
#[derive(Clone, Debug)]
pub struct Copy {
    /// Where the value of its completion signal is.
    pub place: u64,
    /// The signal's value before the change.
    pub value: i64,
    /// Kernels may store where the host looks, and that is not seen: in memory that the program has registered.
    pub unseen: bool,
    /// The call stack of the submission.
    pub by: Stack,
}

struct Record {
    copy: Copy,
    used: Use,
    /// The packet by which it was over.
    over: Option<Packet>,
    suspect: Option<Suspect>,
}

/// An access of the host that the copy may not be ordered with.
#[derive(Debug)]
struct Suspect {
    address: u64,
    access: Access,
    by: Stack,
    /// [`order::releases`] then, if the copy was not over.
    releases: Option<u64>,
    /// What ran behind the copy.
    running: Vec<Packet>,
}

/// What becomes of a suspect.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Told,
    Right,
    Later,
}

/// All of this.
#[derive(Default)]
pub struct State {
    watch: Watch,
    records: Vec<Record>,
    /// Starts and ends of allocations of pinned memory.
    allocations: BTreeMap<u64, u64>,
}

pub(super) static STATE: Mutex<State> =
    Mutex::new(State { watch: Watch::Unused, records: Vec::new(), allocations: BTreeMap::new() });

/// Whether there are records.
static ANY: AtomicBool = AtomicBool::new(false);

/// The program has allocated this, in pinned memory.
pub fn allocated(range: Range<u64>) {
    lock(&STATE).allocations.insert(range.start, range.end);
}

/// It frees this, or something new is there.
pub fn forget(range: &Range<u64>) {
    let mut state = lock(&STATE);
    state.allocations.remove(&range.start);
    state.drop_if(|record| record.used.range.start < range.end && range.start < record.used.range.end);
}

/// Whether pinned memory of the program's has any of this.
pub fn has_any_of(mut ranges: impl Iterator<Item = Range<u64>>) -> bool {
    let state = lock(&STATE);
    let has =
        |range: Range<u64>| state.allocations.range(..range.end).next_back().is_some_and(|(_, &end)| end > range.start);
    !state.allocations.is_empty() && ranges.any(has)
}

/// The host is about to hand over a copy, which uses this.
pub fn hands_over(copy: Copy, used: Use) {
    let mut state = lock(&STATE);
    if !state.watch.arm(&used) {
        return;
    }
    if state.records.len() >= COPIES {
        let oldest = state.records.remove(0);
        state.watch.disarm(&oldest.used);
    }
    state.records.push(Record { copy, used, over: None, suspect: None });
    ANY.store(true, Ordering::Relaxed);
}

/// A packet has completed and is about to change the signal at `place`.
pub fn ended(packet: Packet, place: Option<u64>) {
    if !ANY.load(Ordering::Relaxed) {
        return;
    }
    let mut state = lock(&STATE);
    let of_place = |record: &&mut Record| record.over.is_none() && Some(record.copy.place) == place;
    if let Some(record) = state.records.iter_mut().find(of_place) {
        record.over = Some(packet);
    }
    state.settle();
}

/// The host may know more than before.
pub fn learned() {
    if ANY.load(Ordering::Relaxed) {
        lock(&STATE).drop_if(|record| record.suspect.is_none() && record.over.is_some_and(order::host_knows));
    }
}

/// The place is no longer a signal, is reused, or is not changed by a copy after all.
pub fn forget_signal(place: u64) {
    if ANY.load(Ordering::Relaxed) {
        lock(&STATE).drop_if(|record| record.over.is_none() && record.copy.place == place);
    }
}

/// ROCr ends, with all memory and signals that it had.
pub fn clear() {
    let mut state = lock(&STATE);
    state.allocations.clear();
    state.drop_if(|_| true);
}

impl State {
    fn has_suspects(&self) -> bool {
        self.records.iter().any(|record| record.suspect.is_some())
    }

    fn drop_if(&mut self, gone: impl Fn(&Record) -> bool) {
        let State { watch, records, .. } = self;
        records.retain(|record| {
            let goes = gone(record);
            // With a suspect it is open already.
            if goes && record.suspect.is_none() {
                watch.disarm(&record.used);
            }
            !goes
        });
        ANY.store(!records.is_empty(), Ordering::Relaxed);
    }

    /// A thread of the host is stopped.
    fn note(&mut self, stopped: &Stopped) {
        let State { watch, records, .. } = self;
        let (address, access) = (stopped.address, if stopped.stores { Access::Write } else { Access::Read });
        let mut by = None;
        for Record { copy, used, over, suspect } in records {
            let is_race = used.access == Access::Write || access == Access::Write;
            if suspect.is_some() || !is_race || !used.range.contains(&address) {
                continue;
            }
            let is_right = match *over {
                Some(packet) => order::host_knows(packet),
                // Something that is not seen here did it.
                None => value(copy.place) != copy.value,
            };
            if is_right {
                continue;
            }
            let by = by.get_or_insert_with(|| accessor::of(stopped.thread)).clone();
            // Who is not known may be a runtime too.
            if by.is_empty() || accessor::is_a_runtime(&by) {
                continue;
            }
            // Of a copy one access is told.
            watch.disarm(used);
            let releases = over.is_none().then(order::releases);
            let running = over.map_or(Vec::new(), order::running_behind);
            *suspect = Some(Suspect { address, access, by, releases, running });
        }
        self.settle();
    }

    /// Tells of suspects of which it is known by now.
    fn settle(&mut self) {
        for record in &mut self.records {
            let Record { copy, used, over: Some(packet), suspect: Some(suspect) } = record else { continue };
            match suspect.verdict(*packet, copy) {
                Verdict::Told => accessor::tell(copy, used, suspect),
                Verdict::Right => {}
                Verdict::Later => continue,
            }
            // Nothing of it is armed, and nothing more is told of it.
            used.range.end = used.range.start;
        }
        self.drop_if(|record| record.used.range.is_empty());
    }
}

impl Suspect {
    /// The copy is over, by `packet`.
    fn verdict(&mut self, packet: Packet, copy: &Copy) -> Verdict {
        if self.releases.take().is_some_and(|then| then != order::releases()) {
            return Verdict::Right;
        }
        if order::runs_one_of(&self.running) {
            return Verdict::Later;
        }
        if order::is_told_of(packet, copy.unseen) { Verdict::Right } else { Verdict::Told }
    }
}

/// What is at a signal's place.
fn value(place: u64) -> i64 {
    // SAFETY: the signal is there until it is destroyed, and then its records are gone.
    unsafe { std::ptr::with_exposed_provenance::<i64>(place as usize).read_volatile() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backing::Backing;
    use order::Queue;
    use std::os::fd::AsRawFd;
    use std::sync::atomic::AtomicI64;

    /// A place of the program's, which a copy uses that has this completion signal. `None` if threads cannot be
    /// stopped.
    fn handed_over(signal: &AtomicI64, access: Access) -> Option<(Backing, *mut u8)> {
        let backing = Backing::new(c"vgpu-test", 8192).unwrap();
        assert!(backing.populate(0, 8192));
        let both = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping.
        let own = unsafe { libc::mmap(std::ptr::null_mut(), 8192, both, libc::MAP_SHARED, backing.fd(), 0) };
        assert_ne!(own, libc::MAP_FAILED);
        let start = own.addr() as u64;
        let place = std::ptr::from_ref(signal).expose_provenance() as u64;
        hands_over(Copy { place, value: 1, unseen: false, by: [].into() }, Use { range: start..start + 6000, access });
        let is_armed = lock(&STATE).records.iter().any(|record| record.copy.place == place);
        is_armed.then_some((backing, own.cast()))
    }

    /// What is known of that copy: whether it is over, and who was there.
    fn record(signal: &AtomicI64) -> Option<(bool, Option<(u64, Access)>)> {
        let place = std::ptr::from_ref(signal).addr() as u64;
        let state = lock(&STATE);
        let record = state.records.iter().find(|record| record.copy.place == place)?;
        Some((record.over.is_some(), record.suspect.as_ref().map(|suspect| (suspect.address, suspect.access))))
    }

    #[test]
    fn who_touches_what_a_copy_uses_goes_on_and_is_known() {
        let signal = AtomicI64::new(1);
        let Some((backing, own)) = handed_over(&signal, Access::Write) else {
            test_skip::skip!("this process may not stop its own threads (userfaultfd)");
        };
        // SAFETY: bytes of both mappings, which are there until the end.
        let (load, store) =
            (|at| unsafe { own.add(at).read_volatile() }, |at, byte| unsafe { own.add(at).write_volatile(byte) });
        let address = |at: usize| own.addr() as u64 + at as u64;
        // SAFETY: as above.
        unsafe { backing.host().add(4100).write(7) };
        assert_eq!(load(7000), 0, "behind the copy");
        assert_eq!(record(&signal), Some((false, None)));
        assert_eq!(load(4100), 7);
        store(4101, 8);
        assert_eq!(record(&signal), Some((false, None)), "the page is open already");
        store(5, 9);
        assert_eq!(record(&signal), Some((false, Some((address(5), Access::Write)))));
        // SAFETY: as above.
        assert_eq!(unsafe { [backing.host().add(5).read(), backing.host().add(4101).read()] }, [9, 8]);
        let mut queue = Queue::new(0);
        queue.begin_written(0, true, [], None);
        queue.end(0, queue.known(0), Some(std::ptr::from_ref(&signal).addr() as u64), true);
        assert_eq!(record(&signal), None);

        // Of what a copy loads only stores matter.
        let other = AtomicI64::new(1);
        let Some((backing, own)) = handed_over(&other, Access::Read) else { panic!("it was armed before") };
        // SAFETY: bytes of the mappings.
        unsafe {
            assert_eq!(own.read_volatile(), 0);
            assert_eq!(record(&other), Some((false, None)));
            own.add(8).write_volatile(3);
            assert_eq!(backing.host().add(8).read(), 3);
        }
        assert_eq!(record(&other), Some((false, Some((own.addr() as u64 + 8, Access::Write)))));
        // What the host knows to be over is its own again, for the kernel too.
        let last = AtomicI64::new(1);
        let Some((_backing, own)) = handed_over(&last, Access::Write) else { panic!("it was armed before") };
        last.store(0, Ordering::Relaxed);
        let null = std::fs::File::open("/dev/zero").unwrap();
        // SAFETY: bytes of the mapping.
        assert_eq!(unsafe { libc::read(null.as_raw_fd(), own.cast(), 100) }, 100);
        assert_eq!(record(&last), Some((false, None)), "somebody unseen has changed the signal");
        [&signal, &other, &last].into_iter().for_each(|signal| forget_signal(std::ptr::from_ref(signal).addr() as u64));
        assert_eq!(record(&last), None);
    }
}
