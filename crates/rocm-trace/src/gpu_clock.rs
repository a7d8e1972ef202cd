//! Converts the times that the GPU writes into signals to the host's clock.
//!
//! The runtime asks the driver for both clocks at once when it starts, and again when a program asks how long a kernel
//! took. Those requests are recorded, and the first and the last of them tell how the clocks run.

use crate::clock::Scale;
use crate::flows;
use crate::raw::Kind;
use crate::timeline::{Body, Event};
use std::collections::HashMap;

/// The times that the GPU left in a signal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticks {
    /// Handle of the signal.
    pub signal: u64,
    /// When the work began, in the GPU's ticks.
    pub start: u64,
    /// When it ended, likewise.
    pub end: u64,
    /// The packet whose completion signal it is.
    pub packet: Option<PacketOf>,
}

/// Identifies a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketOf {
    /// Address of the queue.
    pub queue: u64,
    /// Index in the queue.
    pub index: u64,
    /// The kernel, if it is a dispatch.
    pub kernel_object: u64,
}

/// What the recording tells of a process's GPUs.
#[derive(Default)]
struct Clocks {
    /// Ticks of the GPU and `CLOCK_MONOTONIC_RAW` at the first and the last reading, by the driver's number of the GPU.
    readings: HashMap<u64, [(u64, u64); 2]>,
    /// The GPU of each queue, by the base of its ring and by the queue's address.
    rings: HashMap<u64, u64>,
    queues: HashMap<u64, u64>,
}

impl Clocks {
    fn add(&mut self, event: &Event) {
        if let Some(queue) = event.words(Kind::Queue, 7) {
            if let Some(gpu) = self.rings.get(&queue[3]) {
                self.queues.insert(queue[2], *gpu);
            }
            return;
        }
        let Some((name, fields)) = flows::answer(event) else { return };
        let number = |field: &str| match fields.get(field) {
            Some(serde_json::Value::String(text)) => u64::from_str_radix(text.strip_prefix("0x")?, 16).ok(),
            Some(value) => value.as_u64(),
            None => None,
        };
        match name {
            "AMDKFD_IOC_CREATE_QUEUE" => {
                if let (Some(ring), Some(gpu)) = (number("ring_base_address"), number("gpu_id")) {
                    self.rings.insert(ring, gpu);
                }
            }
            "AMDKFD_IOC_GET_CLOCK_COUNTERS" => {
                let reading = number("gpu_clock_counter").zip(number("cpu_clock_counter"));
                if let (Some(reading), Some(gpu)) = (reading, number("gpu_id")) {
                    self.readings.entry(gpu).or_insert([reading; 2])[1] = reading;
                }
            }
            _ => {}
        }
    }

    /// The clock of the GPU that has the queue; where there is only one, of that.
    fn of(&self, queue: Option<u64>) -> Option<Scale> {
        let only = || self.readings.keys().next().filter(|_| self.readings.len() == 1);
        let gpu = queue.and_then(|queue| self.queues.get(&queue)).or_else(only)?;
        let [first, last] = *self.readings.get(gpu)?;
        // One reading does not tell how fast it runs.
        (first.0 < last.0 && first.1 < last.1).then(|| Scale::new(first, last))
    }
}

/// Gives the times in signals their packets, and their place on the time line where that can be known. `events` are in
/// the order of time, and are not after it.
pub fn place(events: &mut Vec<Event>) {
    let mut clocks: HashMap<u32, Clocks> = HashMap::new();
    for event in events.iter() {
        clocks.entry(event.pid).or_default().add(event);
    }
    let mut packets: HashMap<(u32, u64), PacketOf> = HashMap::new();
    // Several calls may look at one signal, and times stay there when work without times has it next.
    let mut seen: HashMap<(u32, u64), (u64, u64)> = HashMap::new();
    events.retain_mut(|event| {
        if let Some(packet) = flows::packet(event) {
            let is_dispatch = matches!(packet.header as u8, 1 | 2);
            let kernel_object = if is_dispatch { packet.kernel_object } else { 0 };
            let of = PacketOf { queue: packet.queue, index: packet.index, kernel_object };
            packets.insert((event.pid, packet.completion), of);
        } else if let Some(signal) = signal_of_an_engine(event) {
            packets.remove(&(event.pid, signal));
        }
        let Some(&[_, _, signal, start, end, ..]) = event.words(Kind::Ticks, 5) else { return true };
        let key = (event.pid, signal);
        if seen.insert(key, (start, end)) == Some((start, end)) {
            return false;
        }
        let ticks = Ticks { signal, start, end, packet: packets.get(&key).copied() };
        if let Some(clock) =
            clocks.get(&event.pid).and_then(|clocks| clocks.of(ticks.packet.map(|packet| packet.queue)))
        {
            event.ns = clock.convert(start);
            event.end = Some(clock.convert(end));
            event.tid = 0;
        }
        event.body = Body::Ticks(Box::new(ticks));
        true
    });
}

/// The signal that a call gives to work without a packet, such as a copy by an engine. The runtimes have one pool of
/// signals for both.
fn signal_of_an_engine(event: &Event) -> Option<u64> {
    let call = event.call().filter(|call| call.function.name.to_bytes().starts_with(b"hsa_amd_"))?;
    call.argument(call.function.args.iter().position(|field| field.name == "completion_signal")?)
}
