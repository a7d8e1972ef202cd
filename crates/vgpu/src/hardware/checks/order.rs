//! Happens-before order of the packets of a process's queues, for race detection between packets.
//!
//! Each queue is a thread of a vector clock ([`Known`]), and so is the host, with all of its threads. A packet begins
//! behind
//!
//! - those of its queue that it waits for: all of them if it has the barrier bit, else those that a packet before it
//!   had to wait for;
//! - what those gave who changed the signals that it waits for, or a packet before it in its queue;
//! - what the host knew when it wrote the packet and rang the doorbell, or handed the copy over.
//!
//! The host learns what a signal gives where it waits for it, or loads it, by functions of ROCr (`preload::rocr`). HIP
//! loads signals for itself too: whether a stream still has to wait for an event, for example. That depends on how fast
//! the device is, and the program never hears of it. So the host's knowledge has parts ([`Reader`]):
//!
//! - the program's, which reaches all that is enqueued later;
//! - a stream's, from signals that a call loaded which only enqueues there: it reaches the later packets and copies of
//!   that stream alone, which wait for these signals if they are not over yet;
//! - the runtime's, from signals that its own threads wait for. The program learns it where it waits in a way that is
//!   not known to be for something less.
//!
//! A program that uses the driver without ROCr knows whatever is over. Where it is not seen who changed a signal,
//! whoever waits for it knows all that has begun: what is not known for sure is not told.

mod host;
mod known;
mod readers;

pub use host::{host_knows, is_told_of, kernel_ended, releases, running_behind, runs_one_of};
pub use known::{Known, Packet};
pub use readers::{Reader, awaited, forget_stream, learned_by_runtime, stream_is_apart};

use super::pinned;
use crate::locks::lock;
use readers::Stream;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard};

/// Places whose givers are kept, beyond which it starts anew, and the host knows what is over.
const PLACES: usize = 1 << 16;

/// Where something is given: the value of a signal, or what a copy engine writes to memory and polls.
#[derive(Default)]
struct Place {
    /// What the program has put there by ROCr's functions: it will load it by them too, or wait.
    put: Option<i64>,
    /// What those knew who have changed it since.
    given: Option<Known>,
    /// The host has changed it by an atomic since, so that what it has says nothing of packets.
    changed: bool,
    /// Completion places of the copies that wait for it, perhaps by ROCr's own look at it, which is not seen.
    copies: Vec<u64>,
}

impl Place {
    /// Who finds `value` there has not found what others gave.
    fn is_as_put(&self, value: i64) -> bool {
        self.put == Some(value) && !self.changed
    }
}

/// The happens-before knowledge of all observers.
#[derive(Default)]
pub struct Order {
    /// The program uses ROCr, which says what the host sees.
    has_runtime: bool,
    queues: u32,
    /// The program.
    host: Arc<Known>,
    /// Threads of the runtime's own.
    runtime: Known,
    /// By handle.
    streams: HashMap<u64, Stream>,
    /// What the queue with its `amd_queue_t` there has ended, and what that knew.
    ended: HashMap<u64, Known>,
    /// By the completion signal's place: what a copy is behind that the host has handed over.
    handed: HashMap<u64, Known>,
    /// What is over.
    over: Known,
    /// What has begun and is not over, and what it knew then.
    begun: BTreeMap<Packet, Known>,
    /// By device address.
    places: HashMap<u64, Place>,
    /// By the address of an `amd_queue_t`: packets that the host has written, or rung for, each with those before it,
    /// and what it knew then.
    rung: HashMap<u64, VecDeque<(u64, Arc<Known>)>>,
    /// What kernels knew that are over, and what those knew that have stored where the host may look.
    kernels: Known,
    speakers: Known,
    /// How often something may have begun that waited for the host.
    releases: u64,
}

pub(super) static ORDER: Mutex<Option<Order>> = Mutex::new(None);

/// Runs `with` on what is known. It must lock nothing.
fn with<T>(with: impl FnOnce(&mut Order) -> T) -> T {
    let mut order: MutexGuard<Option<Order>> = lock(&ORDER);
    with(order.get_or_insert_default())
}

impl Order {
    fn learn(&mut self, more: &Known) {
        Arc::make_mut(&mut self.host).join(more);
    }

    fn learn_all(&mut self) {
        let over = take(&mut self.over);
        self.learn(&over);
        self.over = over;
    }

    /// All that has begun.
    fn all(&self) -> Known {
        let mut all = self.over.clone();
        self.join_begun(&mut all, None);
        all
    }

    /// Adds to `all` what has begun and is not over, but for one packet.
    fn join_begun(&self, all: &mut Known, except: Option<Packet>) {
        for (packet, known) in self.begun.iter().filter(|(packet, _)| Some(**packet) != except) {
            all.join(known);
            all.add(*packet);
        }
    }

    /// What the host knew when it enqueued a packet.
    fn host_at(&mut self, source: Source) -> Arc<Known> {
        if !self.has_runtime {
            self.learn_all();
        }
        let (ring, completion) = match source {
            Source::Host { queue, number, completion } => {
                let rung = self.rung.get_mut(&queue);
                let entry = rung.and_then(|rung| {
                    while rung.front().is_some_and(|(furthest, _)| *furthest < number) {
                        rung.pop_front();
                    }
                    rung.front().map(|(_, known)| Arc::clone(known))
                });
                (entry, completion)
            }
            Source::Copy { completion } => (None, completion),
            Source::Engine => return Arc::default(),
        };
        let handed = || completion.and_then(|place| self.handed.get(&place)).map(|known| Arc::new(known.clone()));
        ring.or_else(handed).unwrap_or_else(|| Arc::new(self.anybody()))
    }

    fn give(&mut self, address: u64, known: &Known, waited: bool) {
        if self.places.len() >= PLACES {
            self.places.clear();
            self.handed.clear();
            self.learn_all();
        }
        let place = self.places.entry(address).or_default();
        place.given.get_or_insert_default().join(known);
        for copy in &place.copies {
            if let Some(handed) = self.handed.get_mut(copy) {
                handed.join(known);
            }
        }
        if waited && place.put.is_none() {
            // ROCr's own, which waits for it unseen.
            self.learn(known);
        }
    }
}

/// The source of a packet.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// The host, as packet `number` of the queue with its `amd_queue_t` at `queue`. The packet changes the signal at
    /// `completion` when it has completed.
    Host {
        /// Address of the `amd_queue_t`.
        queue: u64,
        /// Of the packet.
        number: u64,
        /// Where the completion signal's value is.
        completion: Option<u64>,
    },
    /// The runtime, for a copy that changes the signal at `completion` when it has completed.
    Copy {
        /// Where the completion signal's value is.
        completion: Option<u64>,
    },
    /// None: the packet only reports the completion of an earlier one.
    Engine,
}

/// A queue, as the engine that runs it sees it.
#[derive(Debug)]
pub struct Queue {
    id: u32,
    /// Of its `amd_queue_t`, by which a doorbell's signal names it, or 0: copy engines have none.
    address: u64,
    /// What the next packet knows, if it waits for no other.
    base: Known,
    /// What it knows if it waits for all.
    all: Known,
    /// What was in `all` before a copy began that waits for none of it.
    before: Known,
}

impl Queue {
    /// A new one, with its `amd_queue_t` at `address`, or 0 if it has none.
    pub fn new(address: u64) -> Queue {
        let id = with(|order| {
            order.queues += 1;
            order.rung.remove(&address);
            order.queues
        });
        Queue { id, address, base: Known::NONE, all: Known::NONE, before: Known::NONE }
    }

    /// Packet `number` of the queue.
    pub fn packet(&self, number: u64) -> Packet {
        Packet { queue: self.id, number }
    }

    /// A packet begins. It happens after all packets before it in the queue if `waits`, after the changes of the
    /// signals at `places`, and after everything that its source knew.
    pub fn begin(&mut self, number: u64, waits: bool, places: impl IntoIterator<Item = u64>, source: Source) {
        let packet = self.packet(number);
        if waits {
            self.base.join(&self.all);
        }
        with(|order| {
            self.base.join(&order.host_at(source));
            for place in places {
                match order.places.get(&place).and_then(|place| place.given.as_ref()) {
                    Some(given) => self.base.join(given),
                    // Copy engines poll the upper half of a value too, before the lower one and in vain.
                    None if order.places.contains_key(&place.wrapping_sub(4)) => {}
                    None => {
                        self.base.join(&order.all());
                        order.releases += 1;
                    }
                }
            }
            order.begun.insert(packet, self.base.clone());
        });
        self.all.join(&self.base);
        self.all.add(packet);
    }

    /// The packets of a copy begin, which changes what is at `completion` when it is over. One that the host has handed
    /// over waits for what it was given to wait for, and for no other copy, though an engine does one after the other:
    /// which engine does a copy is the runtime's choice.
    pub fn begin_copy(&mut self, completion: Option<u64>) {
        self.before.join(&take(&mut self.all));
        let is_apart = with(|order| completion.is_some_and(|place| order.handed.contains_key(&place)));
        self.base = if is_apart { Known::NONE } else { self.before.clone() };
    }

    /// [`Self::begin`] for a packet that the host wrote, which changes the signal at `completion` when it has
    /// completed.
    pub fn begin_written(
        &mut self,
        number: u64,
        waits: bool,
        places: impl IntoIterator<Item = u64>,
        completion: Option<u64>,
    ) {
        self.begin(number, waits, places, Source::Host { queue: self.address, number, completion });
    }

    /// The knowledge of a packet at its beginning.
    pub fn known(&self, number: u64) -> Known {
        with(|order| order.begun.get(&self.packet(number)).cloned().unwrap_or_default())
    }

    /// It is over, and is about to change what is at `place`. It knows this, perhaps more than when it began. `waited`:
    /// that is what those wait for who want to know that it is over; else it is there besides.
    pub fn end(&mut self, number: u64, mut known: Known, place: Option<u64>, waited: bool) {
        let packet = self.packet(number);
        known.add(packet);
        self.all.join(&known);
        with(|order| {
            order.begun.remove(&packet);
            order.over.add(packet);
            if self.address != 0 {
                order.ended.entry(self.address).or_default().join(&known);
            }
            place.iter().for_each(|&place| order.give(place, &known, waited));
        });
        pinned::ended(packet, place);
    }
}

impl Drop for Queue {
    /// Nothing of it runs any more when the program goes on.
    fn drop(&mut self) {
        with(|order| {
            order.begun.retain(|packet, _| packet.queue != self.id);
            order.rung.remove(&self.address);
            order.ended.remove(&self.address);
            for all in [&self.all, &self.before] {
                order.over.join(all);
                order.learn(all);
            }
        });
    }
}

/// The other packets that run now, and their knowledge at their beginning, without packet `own`.
pub fn running(own: Packet) -> Known {
    with(|order| {
        let mut all = Known::NONE;
        order.join_begun(&mut all, Some(own));
        all
    })
}

/// All packets that have begun, and their knowledge.
pub fn begun() -> Known {
    with(|order| order.all())
}

/// Records that the program uses ROCr, which reports the host's actions.
pub fn has_runtime() {
    with(|order| order.has_runtime = true);
}

/// The host puts `value` at a place.
pub fn put(address: u64, value: i64) {
    with(|order| {
        let given = (value <= 0).then(|| (*order.host).clone());
        let was_held = order.places.get(&address).is_some_and(|place| place.put.is_some_and(|put| put > 0));
        order.releases += u64::from(was_held && value <= 0);
        order.places.insert(address, Place { put: Some(value), given, ..Place::default() });
        order.handed.remove(&address);
    });
    pinned::forget_signal(address);
}

/// The host is about to change the value at `address` by an atomic operation.
pub fn changes(address: u64) {
    with(|order| {
        order.releases += 1;
        let host = Arc::clone(&order.host);
        let place = order.places.entry(address).or_default();
        place.changed = true;
        place.given.get_or_insert_default().join(&host);
    });
}

/// The address is no longer a signal.
pub fn forget(address: u64) {
    with(|order| {
        order.places.remove(&address);
        order.handed.remove(&address);
    });
}

/// `reader` has seen `value` there.
pub fn seen(reader: Reader, address: u64, value: i64) {
    with(|order| {
        let known = match order.places.get(&address) {
            Some(place) if place.is_as_put(value) => return,
            Some(Place { given: Some(given), .. }) => given.clone(),
            // Something that is not seen here did it.
            Some(Place { put: Some(_), .. }) => order.over.clone(),
            _ => return,
        };
        order.tell(reader, &known);
    });
    pinned::learned();
}

/// `reader` submits a copy to the runtime, which changes the signal at this address when it has completed.
pub fn hands_over(reader: Reader, completion: u64) {
    with(|order| {
        let known = order.known_by(reader);
        order.handed.entry(completion).or_default().join(&known);
    });
}

/// The copy with this completion signal, which was [handed over](hands_over), waits for the signal at `address`, whose
/// value is `value` now.
pub fn copy_waits(completion: u64, address: u64, value: i64) {
    with(|order| {
        let place = order.places.entry(address).or_default();
        place.copies.push(completion);
        let given = match place.given.clone() {
            // Something that is not seen here did it.
            None if value <= 0 => Some(order.all()),
            given => given,
        };
        let handed = order.handed.entry(completion).or_default();
        given.iter().for_each(|given| handed.join(given));
    });
}

/// `reader` has written packets up to this one of the queue that has its `amd_queue_t` at `address`, or is about to
/// ring for them.
pub fn enqueues(reader: Reader, address: u64, packet: u64) {
    with(|order| {
        if let Reader::Stream(stream) | Reader::Waiter(stream) = reader {
            order.streams.entry(stream).or_default().queues.insert(address);
        }
        let known = order.known_by(reader);
        let rung = order.rung.entry(address).or_default();
        // Of several threads that share the queue one may come late.
        match rung.iter_mut().find(|(furthest, _)| packet <= *furthest) {
            Some((_, earlier)) if Arc::ptr_eq(earlier, &known) => {}
            Some((_, earlier)) => Arc::make_mut(earlier).join(&known),
            None => rung.push_back((packet, known)),
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where signals have their values, and queues their structures: at other addresses than those of other tests,
    /// which run at the same time.
    const SIGNAL: u64 = 1 << 60;
    const QUEUE: u64 = 2 << 60;

    /// What is known is the process's: one test at a time.
    static ALONE: Mutex<()> = Mutex::new(());

    /// Whether packet `number` of `queue`, which begins now, knows packet 0 of `other`.
    fn knows(queue: &mut Queue, number: u64, waits: bool, places: &[u64], other: &Queue) -> bool {
        queue.begin_written(number, waits, places.iter().copied(), None);
        queue.known(number).includes(other.packet(0))
    }

    fn run(queue: &mut Queue, number: u64, place: Option<u64>) {
        queue.begin_written(number, true, [], place);
        let known = queue.known(number);
        queue.end(number, known, place, true);
    }

    #[test]
    fn a_packet_knows_what_it_waited_for_and_what_the_host_knew() {
        let _alone = lock(&ALONE);
        has_runtime();
        let [mut first, mut second, mut third, mut rung] = [0, 0, 0, QUEUE].map(Queue::new);
        put(SIGNAL, 1);
        seen(Reader::Program, SIGNAL, 1);
        enqueues(Reader::Program, QUEUE, 0);
        run(&mut first, 0, Some(SIGNAL));
        // It is over, and nobody has waited for it.
        assert!(!knows(&mut second, 0, true, &[], &first));
        // By a barrier packet, and then all behind it.
        assert!(knows(&mut third, 0, false, &[SIGNAL], &first));
        assert!(knows(&mut third, 1, false, &[], &first));
        assert!(!knows(&mut second, 1, true, &[], &first));
        seen(Reader::Program, SIGNAL, 0);
        assert!(knows(&mut second, 2, false, &[], &first));
        // The doorbell rang before the host saw it.
        enqueues(Reader::Program, QUEUE, 1);
        assert!(!knows(&mut rung, 0, true, &[], &first));
        assert!(knows(&mut rung, 1, true, &[], &first));
        // The end of a queue is seen too.
        let mut other = Queue::new(0);
        run(&mut other, 0, None);
        assert!(!knows(&mut second, 3, true, &[], &other));
        let end = other.packet(0);
        drop(other);
        second.begin_written(4, false, [], None);
        assert!(second.known(4).includes(end));
    }

    #[test]
    fn packets_without_the_barrier_bit_may_overlap() {
        let _alone = lock(&ALONE);
        has_runtime();
        let mut queue = Queue::new(0);
        let knows = |queue: &mut Queue, number, waits, other| {
            queue.begin_written(number, waits, [], None);
            let known = queue.known(number);
            known.includes(queue.packet(other))
        };
        assert!(!knows(&mut queue, 0, false, 0));
        assert!(!knows(&mut queue, 1, false, 0));
        assert!(knows(&mut queue, 2, true, 0));
        assert!(knows(&mut queue, 3, false, 0) && !queue.known(3).includes(queue.packet(2)));
        assert!(knows(&mut queue, 4, true, 2));
    }

    #[test]
    fn a_copy_knows_what_it_waits_for_and_no_other_copy_does() {
        let _alone = lock(&ALONE);
        has_runtime();
        for is_over in [false, true] {
            let place = SIGNAL + 256 + u64::from(is_over);
            let completions = [512, 640].map(|at| SIGNAL + at);
            let [mut kernel, mut engine] = [QUEUE + 64, 0].map(Queue::new);
            [place, completions[0], completions[1]].into_iter().for_each(|place| put(place, 1));
            if is_over {
                run(&mut kernel, 0, Some(place));
            }
            completions.into_iter().for_each(|place| hands_over(Reader::Program, place));
            copy_waits(completions[0], place, i64::from(!is_over));
            if !is_over {
                run(&mut kernel, 0, Some(place));
            }
            let mut knows = |number, completion| {
                engine.begin_copy(Some(completion));
                engine.begin(number, true, [], Source::Copy { completion: Some(completion) });
                let known = engine.known(number);
                let knows = [kernel.packet(0), engine.packet(0)].map(|packet| known.includes(packet));
                engine.end(number, known, Some(completion), true);
                knows
            };
            assert_eq!(knows(0, completions[0]), [true, false], "{is_over}");
            assert_eq!(knows(1, completions[1]), [false, false], "{is_over}: it waits for neither");
            // One that nobody has handed over counts as behind all that the engine did before.
            assert_eq!(knows(2, SIGNAL + 768), [true, true], "{is_over}");
        }
    }

    /// What the runtime sees for a stream, or in a thread of its own, reaches what it sees it for and nothing else.
    #[test]
    fn what_the_runtime_looks_at_is_not_what_the_program_knows() {
        let _alone = lock(&ALONE);
        has_runtime();
        let place = SIGNAL + 1024;
        let [mut first, mut own, mut others] = [QUEUE + 192, QUEUE + 256, QUEUE + 320].map(Queue::new);
        let (stream, other, null) = (1 << 20, 2 << 20, 3 << 20);
        [stream, other].into_iter().for_each(stream_is_apart);
        put(place, 1);
        run(&mut first, 0, Some(place));
        seen(Reader::Stream(stream), place, 1);
        enqueues(Reader::Stream(stream), QUEUE + 256, 0);
        assert!(!knows(&mut own, 0, false, &[], &first), "it has not changed yet");
        seen(Reader::Stream(stream), place, 0);
        enqueues(Reader::Stream(stream), QUEUE + 256, 1);
        enqueues(Reader::Stream(other), QUEUE + 320, 0);
        assert!(knows(&mut own, 1, false, &[], &first));
        assert!(!knows(&mut others, 0, false, &[], &first), "of another stream");
        seen(Reader::Runtime, place, 0);
        enqueues(Reader::Program, QUEUE + 320, 1);
        assert!(!knows(&mut others, 1, false, &[], &first), "the program has not seen it");
        // The runtime may have let the null stream go on because of what it knew.
        let mut shared = Queue::new(QUEUE + 384);
        enqueues(Reader::Stream(null), QUEUE + 384, 0);
        assert!(knows(&mut shared, 0, false, &[], &first));
        // Who waits for a stream knows what it has waited for.
        enqueues(Reader::Program, QUEUE + 320, 2);
        awaited(stream);
        enqueues(Reader::Program, QUEUE + 320, 3);
        assert!(!knows(&mut others, 2, false, &[], &first));
        assert!(knows(&mut others, 3, false, &[], &first));
        [stream, other, null].into_iter().for_each(forget_stream);
    }

    /// The host may know more when the device comes to a packet than when it wrote it.
    #[test]
    fn a_packet_that_waits_for_a_signal_knows_what_its_changers_knew() {
        let _alone = lock(&ALONE);
        has_runtime();
        let [done, gate] = [SIGNAL + 2048, SIGNAL + 2176];
        let [mut first, mut second] = [QUEUE + 448, QUEUE + 512].map(Queue::new);
        [done, gate].into_iter().for_each(|place| put(place, 1));
        enqueues(Reader::Program, QUEUE + 512, 1);
        changes(gate);
        run(&mut first, 0, Some(done));
        seen(Reader::Program, done, 0);
        assert!(!knows(&mut second, 0, false, &[gate], &first), "the host let it go before it knew");
        changes(gate);
        assert!(knows(&mut second, 1, false, &[gate], &first));
    }

    /// ROCr's own signals, and those that somebody else changes.
    #[test]
    fn what_is_not_seen_counts_as_ordered() {
        let _alone = lock(&ALONE);
        has_runtime();
        let [mut first, mut second] = [0, 0].map(Queue::new);
        run(&mut first, 0, Some(SIGNAL + 64));
        assert!(knows(&mut second, 0, true, &[], &first), "a signal that the program has not made");
        let [mut first, mut second] = [0, 0].map(Queue::new);
        run(&mut first, 0, None);
        put(SIGNAL + 128, 1);
        assert!(knows(&mut second, 0, true, &[SIGNAL + 128], &first), "a signal that nobody seen has changed");
    }
}
