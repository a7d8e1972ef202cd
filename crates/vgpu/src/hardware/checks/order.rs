//! What orders the packets of a process's queues, for races between them.
//!
//! Each queue is a thread of a vector clock ([`Known`]), and so is the host, with all of its threads. A packet begins behind
//!
//! - those of its queue that it waits for: all of them if it has the barrier bit, else those that a packet before it had to wait for;
//! - what those gave who changed the signals that it waits for, or a packet before it in its queue;
//! - what the host knew when it rang the doorbell.
//!
//! The host learns what a signal gives where it waits for it, or loads it, by functions of ROCr (`preload::rocr`). Whether the device was fast does not matter then. A program
//! that uses the driver without ROCr knows whatever is over.
//!
//! Where it is not seen who changed a signal, whoever waits for it knows all that has begun: what is not known for sure is not told.

mod host;
mod known;

pub use host::{changes, host_knows, is_told_of, kernel_ended, releases, running_behind, runs_one_of};
pub use known::{Known, Packet};

use super::pinned;
use crate::locks::lock;
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
    /// Copies wait for it, perhaps by ROCr's own look at it, which is not seen.
    copies: bool,
}

/// Who knows what.
#[derive(Default)]
pub struct Order {
    /// The program uses ROCr, which says what the host sees.
    has_runtime: bool,
    queues: u32,
    host: Arc<Known>,
    /// What is known of all that copies wait for: all copy engines are taken to know it.
    copies: Known,
    /// What is over.
    over: Known,
    /// What has begun and is not over, and what it knew then.
    begun: BTreeMap<Packet, Known>,
    /// By device address.
    places: HashMap<u64, Place>,
    /// By the address of an `amd_queue_t`: up to which packet the doorbell rang, and what the host knew then.
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

    /// What the host knew when it rang for packet `number` of the queue at `address`.
    fn host_at(&mut self, address: u64, number: u64) -> Arc<Known> {
        if !self.has_runtime {
            self.learn_all();
        }
        let Some(rung) = self.rung.get_mut(&address) else { return Arc::clone(&self.host) };
        while rung.front().is_some_and(|(furthest, _)| *furthest < number) {
            rung.pop_front();
        }
        rung.front().map_or(&self.host, |(_, known)| known).clone()
    }

    fn give(&mut self, address: u64, known: &Known, waited: bool) {
        if self.places.len() >= PLACES {
            self.places.clear();
            self.learn_all();
        }
        let place = self.places.entry(address).or_default();
        place.given.get_or_insert_default().join(known);
        if place.copies {
            self.copies.join(known);
        }
        if waited && place.put.is_none() {
            // ROCr's own, which waits for it unseen.
            self.learn(known);
        }
    }
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
}

impl Queue {
    /// A new one, with its `amd_queue_t` at `address`, or 0 if it has none.
    pub fn new(address: u64) -> Queue {
        let id = with(|order| {
            order.queues += 1;
            order.rung.remove(&address);
            order.queues
        });
        Queue { id, address, base: Known::NONE, all: Known::NONE }
    }

    /// Packet `number` of the queue.
    pub fn packet(&self, number: u64) -> Packet {
        Packet { queue: self.id, number }
    }

    /// It begins: behind all before it in the queue if `waits`, and behind who changed what is at `places`.
    pub fn begin(&mut self, number: u64, waits: bool, places: impl IntoIterator<Item = u64>) {
        let packet = self.packet(number);
        if waits {
            self.base.join(&self.all);
        }
        with(|order| {
            self.base.join(&order.host_at(self.address, number));
            if self.address == 0 {
                self.base.join(&order.copies);
            }
            for place in places {
                match order.places.get(&place).and_then(|place| place.given.as_ref()) {
                    Some(given) => self.base.join(given),
                    None => {
                        self.base.join(&order.all());
                        // Copy engines poll the upper half of a value too.
                        order.releases += u64::from(!order.places.contains_key(&place.wrapping_sub(4)));
                    }
                }
                // It may have been changed by the host.
                self.base.join(&order.host);
            }
            order.begun.insert(packet, self.base.clone());
        });
        self.all.join(&self.base);
        self.all.add(packet);
    }

    /// What a packet knew when it began.
    pub fn known(&self, number: u64) -> Known {
        with(|order| order.begun.get(&self.packet(number)).cloned().unwrap_or_default())
    }

    /// It is over, and is about to change what is at `place`. It knows this, perhaps more than when it began. `waited`: that is what those wait for who want to know that it is
    /// over; else it is there besides.
    pub fn end(&mut self, number: u64, mut known: Known, place: Option<u64>, waited: bool) {
        let packet = self.packet(number);
        known.add(packet);
        self.all.join(&known);
        with(|order| {
            order.begun.remove(&packet);
            order.over.add(packet);
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
            order.over.join(&self.all);
            order.learn(&self.all);
        });
    }
}

/// What others that run now knew when they began, and they themselves, without packet `own`.
pub fn running(own: Packet) -> Known {
    with(|order| {
        let mut all = Known::NONE;
        order.join_begun(&mut all, Some(own));
        all
    })
}

/// All that has begun, and what it knew.
pub fn begun() -> Known {
    with(|order| order.all())
}

/// The program uses ROCr, which will say what the host does.
pub fn has_runtime() {
    with(|order| order.has_runtime = true);
}

/// The host puts `value` at a place.
pub fn put(address: u64, value: i64) {
    with(|order| {
        let given = (value <= 0).then(|| (*order.host).clone());
        let was_held = order.places.get(&address).is_some_and(|place| place.put.is_some_and(|put| put > 0));
        order.releases += u64::from(was_held && value <= 0);
        order.places.insert(address, Place { put: Some(value), given, copies: false });
    });
    pinned::forget_signal(address);
}

/// What is at this place is no signal any more.
pub fn forget(address: u64) {
    with(|order| order.places.remove(&address));
}

/// The host has seen `value` there.
pub fn seen(address: u64, value: i64) {
    with(|order| match order.places.get(&address) {
        Some(Place { given: Some(given), .. }) => Arc::make_mut(&mut order.host).join(given),
        // Something that is not seen here did it.
        Some(Place { put: Some(put), .. }) if *put != value => order.learn_all(),
        _ => {}
    });
    pinned::learned();
}

/// The host gives a copy to the runtime that waits for what is at this place, which has `value` now.
pub fn copy_waits(address: u64, value: i64) {
    with(|order| {
        let place = order.places.entry(address).or_default();
        place.copies = true;
        let given = match place.given.clone() {
            // Something that is not seen here did it.
            None if value <= 0 => Some(order.all()),
            given => given,
        };
        given.iter().for_each(|given| order.copies.join(given));
    });
}

/// The host is about to ring for all packets up to this one of the queue that has its `amd_queue_t` at `address`.
pub fn rings(address: u64, packet: u64) {
    with(|order| {
        let rung = order.rung.entry(address).or_default();
        match rung.back_mut() {
            // Of several threads that share the queue one may come late.
            Some((furthest, known)) if Arc::ptr_eq(known, &order.host) || packet <= *furthest => {
                (*furthest, *known) = (packet.max(*furthest), Arc::clone(&order.host));
            }
            _ => rung.push_back((packet, Arc::clone(&order.host))),
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where signals have their values, and queues their structures: at other addresses than those of other tests, which run at the same time.
    const SIGNAL: u64 = 1 << 60;
    const QUEUE: u64 = 2 << 60;

    /// What is known is the process's: one test at a time.
    static ALONE: Mutex<()> = Mutex::new(());

    /// Whether packet `number` of `queue`, which begins now, knows packet 0 of `other`.
    fn knows(queue: &mut Queue, number: u64, waits: bool, places: &[u64], other: &Queue) -> bool {
        queue.begin(number, waits, places.iter().copied());
        queue.known(number).includes(other.packet(0))
    }

    fn run(queue: &mut Queue, number: u64, place: Option<u64>) {
        queue.begin(number, true, []);
        let known = queue.known(number);
        queue.end(number, known, place, true);
    }

    #[test]
    fn a_packet_knows_what_it_waited_for_and_what_the_host_knew() {
        let _alone = lock(&ALONE);
        has_runtime();
        let [mut first, mut second, mut third, mut rung] = [0, 0, 0, QUEUE].map(Queue::new);
        put(SIGNAL, 1);
        seen(SIGNAL, 1);
        rings(QUEUE, 0);
        run(&mut first, 0, Some(SIGNAL));
        // It is over, and nobody has waited for it.
        assert!(!knows(&mut second, 0, true, &[], &first));
        // By a barrier packet, and then all behind it.
        assert!(knows(&mut third, 0, false, &[SIGNAL], &first));
        assert!(knows(&mut third, 1, false, &[], &first));
        assert!(!knows(&mut second, 1, true, &[], &first));
        seen(SIGNAL, 0);
        assert!(knows(&mut second, 2, false, &[], &first));
        // The doorbell rang before the host saw it.
        rings(QUEUE, 1);
        assert!(!knows(&mut rung, 0, true, &[], &first));
        assert!(knows(&mut rung, 1, true, &[], &first));
        // The end of a queue is seen too.
        let mut other = Queue::new(0);
        run(&mut other, 0, None);
        assert!(!knows(&mut second, 3, true, &[], &other));
        let end = other.packet(0);
        drop(other);
        second.begin(4, false, []);
        assert!(second.known(4).includes(end));
    }

    #[test]
    fn packets_without_the_barrier_bit_may_overlap() {
        let _alone = lock(&ALONE);
        has_runtime();
        let mut queue = Queue::new(0);
        let knows = |queue: &mut Queue, number, waits, other| {
            queue.begin(number, waits, []);
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
    fn copy_engines_know_what_copies_wait_for() {
        let _alone = lock(&ALONE);
        has_runtime();
        for is_over in [false, true] {
            let place = SIGNAL + 256 + u64::from(is_over);
            let [mut kernel, mut other] = [QUEUE + 64, QUEUE + 128].map(Queue::new);
            let [mut before, mut copy] = [0, 0].map(Queue::new);
            put(place, 1);
            if is_over {
                run(&mut kernel, 0, Some(place));
            }
            assert!(!knows(&mut before, 0, true, &[], &kernel));
            copy_waits(place, i64::from(!is_over));
            if !is_over {
                run(&mut kernel, 0, Some(place));
            }
            assert!(knows(&mut copy, 0, true, &[], &kernel), "{is_over}");
            assert!(!knows(&mut other, 0, true, &[], &kernel), "the host has not seen it");
        }
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
