//! Completion signals of running packets in all queues of the process, to report a signal that is reused or destroyed
//! too early.

use super::allocations::Stack;
use super::findings::{self, Place};
use crate::locks::lock;
use crate::trace::Fields;
use gcn::bus::Access;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Number of the GPU.
    pub gpu: u32,
    /// Id of its queue.
    pub queue: u32,
    /// The index since the queue was made.
    pub index: u64,
    /// Device addresses of its kernel's descriptor and of the first instruction, if it has one.
    pub kernel: Option<(u64, u64)>,
}

impl Packet {
    /// Adds it to a line. The fields' names begin with `prefix`.
    pub fn describe(&self, prefix: &str, e: &mut Fields) {
        e.number(&format!("{prefix}gpu"), self.gpu).number(&format!("{prefix}queue"), self.queue);
        e.number(&format!("{prefix}packet"), self.index);
        if let Some((object, entry)) = self.kernel {
            e.address(&format!("{prefix}kernel_object"), object);
            findings::describe_code(prefix, entry, e);
        }
    }

    /// The address that identifies it in a finding ([`Place::pc`]).
    pub fn place(&self) -> u64 {
        self.kernel.map_or(0, |(object, _)| object)
    }
}

pub(super) static HELD: Mutex<BTreeMap<u64, Vec<Arc<Packet>>>> = Mutex::new(BTreeMap::new());

/// A packet that runs has a completion signal, until this is dropped.
#[derive(Debug)]
pub struct Held {
    /// Device address of the signal.
    pub signal: u64,
    /// The packet.
    pub packet: Arc<Packet>,
}

impl Held {
    /// From now on `packet` has `signal`.
    pub fn new(signal: u64, packet: Packet) -> Held {
        let packet = Arc::new(packet);
        lock(&HELD).entry(signal).or_default().push(packet.clone());
        Held { signal, packet }
    }

    /// The other packets that run and have the signal.
    pub fn others(&self) -> Vec<Arc<Packet>> {
        let held = lock(&HELD);
        let all = held.get(&self.signal).into_iter().flatten();
        all.filter(|packet| !Arc::ptr_eq(packet, &self.packet)).cloned().collect()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut held = lock(&HELD);
        if let Some(packets) = held.get_mut(&self.signal) {
            packets.retain(|packet| !Arc::ptr_eq(packet, &self.packet));
            if packets.is_empty() {
                held.remove(&self.signal);
            }
        }
    }
}

/// The program destroys a signal. Tells of the packet that has it.
pub fn destroyed(signal: u64, by: impl FnOnce() -> Stack) {
    let packet = lock(&HELD).get(&signal).and_then(|packets| packets.first().cloned());
    let Some(packet) = packet else { return };
    let by = by();
    let place = Place { finding: "signal-destroyed", pc: packet.place(), access: Access::Write, with: None };
    if let Some(id) = findings::count(place, 1) {
        findings::write(id, place.finding, |e| {
            packet.describe("", e.address("signal", signal));
            findings::describe_stack("freed_by", &by, e);
            e
        });
    }
    findings::flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_has_those_packets_that_run() {
        let packet = |index| Packet { gpu: 0, queue: 7, index, kernel: None };
        let indices = |held: &Held| held.others().iter().map(|packet| packet.index).collect::<Vec<u64>>();
        let (first, second) = (Held::new(0x7100, packet(1)), Held::new(0x7100, packet(2)));
        let elsewhere = Held::new(0x7200, packet(3));
        assert_eq!([&first, &second, &elsewhere].map(indices), [vec![2], vec![1], vec![]]);
        drop(first);
        assert_eq!(indices(&second), []);
        drop((second, elsewhere));
        assert!(!lock(&HELD).contains_key(&0x7100));
    }
}
