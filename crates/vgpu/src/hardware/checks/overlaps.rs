//! Accesses of completed packets, kept to find conflicts with later packets that no ordering separates from them.

use super::order::{Known, Packet};
use crate::hardware::gpu::Gpu;
use crate::locks::lock;
use gcn::bus::Access;
use gcn::inst::Inst;
use gcn::sanitizer::{Footprint, Run};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Mutex, Weak};

/// Packets that are kept, and bytes of what is kept of them. The oldest go first.
const PACKETS: usize = 1024;
const BYTES: usize = 64 << 20;

/// Bytes that are kept of what a packet stored. Of the others it is not known whether somebody stored the same.
const CONTENT: usize = 16 << 20;

/// The author of an access.
#[derive(Clone, Debug)]
pub struct Doer {
    /// Id of its queue, as in the trace.
    pub queue: u32,
    /// Number of its packet in the queue.
    pub packet: u64,
    /// A copy engine, if it is no kernel.
    pub kernel: Option<Kernel>,
}

/// A kernel that ran.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Where it ran.
    pub gpu: Weak<Gpu>,
    /// Number of the dispatch.
    pub dispatch: u64,
    /// Device address of the kernel descriptor.
    pub object: u64,
    /// Address of the kernel's first instruction.
    pub entry: u64,
}

/// The accesses of a packet.
pub struct Done {
    by: Doer,
    footprint: Footprint,
    /// What it left where it stored.
    content: Vec<u8>,
    /// Where the part of each run of stores begins in it.
    parts: Vec<Option<usize>>,
}

impl Done {
    /// The accesses `footprint` of `by`; `read` returns the present content of memory.
    pub fn new(by: Doer, footprint: Footprint, read: impl Fn(u64, &mut [u8]) -> bool) -> Done {
        let mut content = Vec::new();
        let parts = footprint.stores.iter().map(|run| {
            let at = content.len();
            let bytes = (run.end - run.start) as usize;
            if bytes > CONTENT - at {
                return None;
            }
            content.resize(at + bytes, 0);
            let is_there = read(run.start, &mut content[at..]);
            is_there.then_some(at)
        });
        let parts = parts.collect();
        Done { by, footprint, content, parts }
    }

    /// Whether waves of it have got what was in a flag.
    fn takes(&self) -> bool {
        self.footprint.loads.iter().chain(&self.footprint.stores).any(|run| run.taken)
    }

    /// Whether waves of it may have got something by flags that the other one set.
    fn takes_of(&self, other: &Done) -> bool {
        let Footprint { loads, stores, .. } = &self.footprint;
        let takes = |runs| pairs(runs, &other.footprint.stores).any(|(own, ..)| own.1.taken);
        takes(loads) || takes(stores)
    }

    fn size(&self) -> usize {
        let Footprint { loads, stores, instructions, .. } = &self.footprint;
        self.content.len() + (loads.len() + stores.len()) * size_of::<Run>() + size_of_val(&instructions[..])
    }

    /// The bytes that it stored at `range`, which is a part of run `index`.
    fn stored(&self, index: usize, range: &Range<u64>) -> Option<&[u8]> {
        let run = self.footprint.stores.get(index)?;
        let at = (*self.parts.get(index)?)? + (range.start - run.start) as usize;
        self.content.get(at..at + (range.end - range.start) as usize)
    }

    fn forget(&mut self, range: &Range<u64>) {
        let Footprint { loads, stores, .. } = &mut self.footprint;
        // Those that are empty are nowhere.
        let all = loads.iter_mut().chain(stores);
        all.filter(|run| run.start < range.end && range.start < run.end).for_each(|run| run.end = run.start);
    }

    fn side(&self, run: &Run) -> Side {
        let instruction = self.footprint.instructions.get(usize::from(run.instruction)).copied();
        Side { by: self.by.clone(), instruction, access: run.access }
    }

    /// Where the two do something to the same bytes that depends on who comes first, once for each pair of their
    /// instructions.
    fn conflicts(&self, other: &Done) -> Vec<Conflict> {
        let (own, others) = (&self.footprint, &other.footprint);
        let kinds = [(&own.stores, &others.stores), (&own.stores, &others.loads), (&own.loads, &others.stores)];
        let mut told = Vec::new();
        let mut all = Vec::new();
        for (kind, (ours, theirs)) in kinds.into_iter().enumerate() {
            for ((i, a), (j, b), range) in pairs(ours, theirs) {
                let key = (kind, a.instruction, a.access, b.instruction, b.access);
                if told.contains(&key) {
                    continue;
                }
                let address = match [a.access, b.access] {
                    [Access::Atomic, Access::Atomic] => None,
                    [Access::Write, Access::Write] => {
                        // Two that store the same leave the same.
                        let both = self.stored(i, &range).zip(other.stored(j, &range));
                        let differs = both.and_then(|(a, b)| a.iter().zip(b).position(|(a, b)| a != b));
                        differs.map(|at| range.start + at as u64)
                    }
                    _ if a.scalar || b.scalar => {
                        // Whole dwords: of the others a part may be loaded that nobody asked for.
                        let start = range.start.next_multiple_of(4);
                        (start + 4 <= range.end).then_some(start)
                    }
                    _ => Some(range.start),
                };
                if let Some(address) = address {
                    told.push(key);
                    all.push(Conflict { address, sides: [self.side(a), other.side(b)] });
                }
            }
        }
        all
    }
}

/// One of the two.
#[derive(Clone, Debug)]
pub struct Side {
    /// The author of the access.
    pub by: Doer,
    /// Address and instruction, of a kernel.
    pub instruction: Option<(u64, Inst)>,
    /// The kind of access.
    pub access: Access,
}

/// Accesses of two packets to the same bytes of which at least one stores, and nothing orders them.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The first byte.
    pub address: u64,
    /// The one that was over first, this time, comes first.
    pub sides: [Side; 2],
}

impl Conflict {
    /// Whether the same instructions did it, or copies.
    fn is_like(&self, other: &Conflict) -> bool {
        let key = |side: &Side| (side.instruction.map(|(pc, _)| pc), side.access);
        self.sides.iter().map(key).eq(other.sides.iter().map(key))
    }
}

/// A run and its index.
type Numbered<'a> = (usize, &'a Run);

/// Runs that overlap, and where.
fn pairs<'a>(a: &'a [Run], b: &'a [Run]) -> impl Iterator<Item = (Numbered<'a>, Numbered<'a>, Range<u64>)> {
    let (mut i, mut j) = (0, 0);
    std::iter::from_fn(move || {
        loop {
            let (at, other) = ((i, a.get(i)?), (j, b.get(j)?));
            let range = at.1.start.max(other.1.start)..at.1.end.min(other.1.end);
            match at.1.end <= other.1.end {
                true => i += 1,
                false => j += 1,
            }
            if range.start < range.end {
                return Some((at, other, range));
            }
        }
    })
}

struct Record {
    packet: Packet,
    known: Known,
    done: Done,
}

/// The records, oldest first.
#[derive(Default)]
pub struct Records {
    all: VecDeque<Record>,
    bytes: usize,
}

pub(super) static RECORDS: Mutex<Records> = Mutex::new(Records { all: VecDeque::new(), bytes: 0 });

impl Records {
    fn add(&mut self, packet: Packet, known: &mut Known, done: Done) -> Vec<Conflict> {
        let mut conflicts = Vec::new();
        for other in &self.all {
            if known.includes(other.packet) {
                continue;
            }
            if done.takes_of(&other.done) {
                // Though the other one may count as behind this one: it took something while this one ran, of which it
                // was not known which flags it had set.
                known.join(&other.known);
                known.add(other.packet);
            } else if !other.known.includes(packet) && !other.done.takes_of(&done) {
                for new in other.done.conflicts(&done) {
                    // Others of the earlier packets may have done the same: this one is told of once.
                    if !conflicts.iter().any(|known: &Conflict| known.is_like(&new)) {
                        conflicts.push(new);
                    }
                }
            }
        }
        self.bytes += done.size();
        self.all.push_back(Record { packet, known: known.clone(), done });
        while self.all.len() > PACKETS || self.bytes > BYTES {
            let Some(oldest) = self.all.pop_front() else { break };
            self.bytes -= oldest.done.size();
        }
        conflicts
    }
}

/// Adds the accesses of a completed packet that began with the knowledge `known`. Returns its conflicts with unordered
/// earlier accesses, and adds to `known` the knowledge that its waves acquired through flags.
pub fn add(packet: Packet, known: &mut Known, done: Done) -> Vec<Conflict> {
    if done.footprint.takes_unseen {
        known.join(&super::order::begun());
    }
    if done.footprint.loads.is_empty() && done.footprint.stores.is_empty() {
        return Vec::new();
    }
    if done.takes() {
        // Of those that still run it is not known which flags they have set.
        known.join(&super::order::running(packet));
    }
    lock(&RECORDS).add(packet, known, done)
}

/// Removes records of these addresses, which were freed or allocated again.
pub fn forget(range: &Range<u64>) {
    lock(&RECORDS).all.iter_mut().for_each(|record| record.done.forget(range));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(start: u64, end: u64, access: Access) -> Run {
        Run { start, end, instruction: 0, access, scalar: false, flag: false, taken: false }
    }

    /// What packet 0 of `queue` did, where memory has `content` in all bytes when it ends.
    fn done(queue: u32, loads: &[Run], stores: &[Run], content: u8) -> Done {
        let footprint = Footprint { loads: loads.to_vec(), stores: stores.to_vec(), ..Footprint::default() };
        Done::new(Doer { queue, packet: 0, kernel: None }, footprint, |_, bytes| {
            bytes.fill(content);
            true
        })
    }

    /// Where the first of queue 1 and of queue 2 conflict, if the second knows nothing of the first, or all.
    fn conflicts(first: Done, second: Done, knows: bool) -> Vec<u64> {
        let mut records = Records::default();
        let packets = [1, 2].map(|queue| Packet { queue, number: 0 });
        let mut known = Known::default();
        assert!(records.add(packets[0], &mut known, first).is_empty());
        if knows {
            known.add(packets[0]);
        }
        records.add(packets[1], &mut known, second).iter().map(|conflict| conflict.address).collect()
    }

    #[test]
    fn a_store_and_a_load_of_the_same_bytes_conflict_unless_something_orders_them() {
        let [store, load] = [run(0x1000, 0x1100, Access::Write), run(0x10fc, 0x1200, Access::Read)];
        let both = || (done(1, &[], &[store], 1), done(2, &[load], &[], 1));
        let (first, second) = both();
        assert_eq!(conflicts(first, second, false), [0x10fc]);
        let (first, second) = both();
        assert_eq!(conflicts(second, first, false), [0x10fc]);
        let (first, second) = both();
        assert_eq!(conflicts(first, second, true), []);
        let apart = run(0x1100, 0x1200, Access::Read);
        assert_eq!(conflicts(done(1, &[], &[store], 1), done(2, &[apart], &[], 1), false), []);
        assert_eq!(conflicts(done(1, &[load], &[], 1), done(2, &[load], &[], 1), false), []);
    }

    #[test]
    fn a_packet_that_conflicts_with_several_alike_is_told_of_once() {
        let [store, load] = [run(0x1000, 0x1100, Access::Write), run(0x1000, 0x1100, Access::Read)];
        let mut records = Records::default();
        let mut add = |queue, number, done| records.add(Packet { queue, number }, &mut Known::default(), done).len();
        for number in 0..3 {
            assert_eq!(add(1, number, done(1, &[], &[store], 1)), 0, "they store the same");
        }
        assert_eq!(add(2, 0, done(2, &[load], &[], 1)), 1);
        assert_eq!(add(2, 1, done(2, &[], &[store], 2)), 2, "with the stores, and with the load");
    }

    #[test]
    fn two_may_store_the_same_and_both_may_make_atomics() {
        let of = |access, contents: [u8; 2]| {
            let store = run(0x1000, 0x1100, access);
            conflicts(done(1, &[], &[store], contents[0]), done(2, &[], &[store], contents[1]), false)
        };
        assert_eq!(of(Access::Write, [1, 2]), [0x1000]);
        assert_eq!(of(Access::Write, [1, 1]), []);
        assert_eq!(of(Access::Atomic, [1, 2]), []);
    }

    #[test]
    fn who_takes_from_a_flag_of_the_other_is_ordered_by_it() {
        let data = run(0x1000, 0x1100, Access::Write);
        let set = run(0x2000, 0x2004, Access::Write);
        let polled = Run { flag: true, taken: true, ..run(0x2000, 0x2004, Access::Read) };
        let [first, second] = [done(1, &[], &[data, set], 1), done(2, &[polled], &[data], 2)];
        assert!(second.takes() && !first.takes());
        assert_eq!(conflicts(first, second, false), []);
    }

    #[test]
    fn flags_order_also_those_that_count_as_earlier() {
        let set = run(0x2000, 0x2004, Access::Write);
        let polled = Run { flag: true, taken: true, ..run(0x2000, 0x2004, Access::Read) };
        let packets = [1, 2].map(|queue| Packet { queue, number: 0 });
        let mut records = Records::default();
        // The first took a flag while the second, which waits for the first one's, ran.
        let mut known = Known::default();
        known.add(packets[1]);
        assert!(records.add(packets[0], &mut known, done(1, &[], &[set], 1)).is_empty());
        let mut known = Known::default();
        assert!(records.add(packets[1], &mut known, done(2, &[polled], &[], 1)).is_empty());
        assert!(known.includes(packets[0]));
    }

    #[test]
    fn of_scalar_loads_whole_dwords_count() {
        let load = Run { scalar: true, ..run(0x1000, 0x1008, Access::Read) };
        let of =
            |start, end| conflicts(done(1, &[], &[run(start, end, Access::Write)], 1), done(2, &[load], &[], 1), false);
        assert_eq!(of(0x1002, 0x1004), []);
        assert_eq!(of(0x1002, 0x1008), [0x1004]);
    }

    #[test]
    fn what_is_freed_is_forgotten_and_so_is_what_is_long_ago() {
        let store = run(0x1000, 0x1100, Access::Write);
        let mut first = done(1, &[], &[store], 1);
        first.forget(&(0x1080..0x2000));
        assert_eq!(conflicts(first, done(2, &[], &[store], 2), false), []);
        let mut records = Records::default();
        for number in 0..2 * PACKETS as u64 {
            records.add(Packet { queue: 1, number }, &mut Known::default(), done(1, &[store], &[], 1));
        }
        assert_eq!((records.all.len(), records.all[0].packet.number), (PACKETS, PACKETS as u64));
        assert_eq!(records.bytes, PACKETS * size_of::<Run>());
    }
}
