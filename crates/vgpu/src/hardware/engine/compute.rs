//! An AQL queue: its ring of packets, and the command processor's position in it.

use super::access::Memory;
use super::in_flight::InFlight;
use super::packet::{Body, Condition, INVALID, PACKET_BYTES, Packet, Scope, u64_at};
use super::pm4::Pm4;
use super::queue::{Progress, Stop};
use super::signal;
use super::wave_fault::Origin;
use super::work::Dispatch;
use super::{Engine, amd_queue, known, launch, overlaps};
use crate::hardware::checks::order;
use crate::hardware::clock::gpu_ticks;
use crate::hardware::doorbells::{Doorbell, DoorbellWrite};
use crate::hardware::queue::QueueArgs;
use crate::hardware::units::Units;
use crate::queue_error;
use crate::{log, trace};
use gcn::bus::MemoryFault;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Packets that one step launches before other queues get their turn.
const PACKETS_PER_STEP: usize = 64;

/// Dispatches of a queue that run at a time, so that a scan of them takes bounded time.
pub const IN_FLIGHT: usize = 256;
/// How long a packet that no doorbell has reached may wait before that is said.
const UNRUNG: Duration = Duration::from_secs(1);

/// The command processor's place in one AQL queue.
#[derive(Debug)]
pub struct ComputeQueue {
    /// Packets launched, since the queue was made.
    next: u64,
    /// Packets over: what the program sees in `read_dispatch_id`.
    read: u64,
    /// Packets launched and not over, or behind one that is not over; the first is packet `read`.
    launched: VecDeque<Launched>,
    /// Of these the dispatches that run, each with the number of its packet.
    running: Vec<(u64, Arc<Dispatch>)>,
    /// A doorbell rang since the command processor last found an empty slot, and others may have rung that it did not
    /// see.
    rung: bool,
    /// The packet that is there and that no doorbell has reached, since when, and whether that was said.
    unrung: Option<(u64, Instant, bool)>,
    /// When the packet at the head began to wait.
    waiting_since: Option<u64>,
    /// The head waits until `queue_inactive_signal` is 0.
    recovering: bool,
    /// Runs the indirect buffer of the packet at the head.
    pm4: Pm4,
    /// It has begun.
    in_indirect: bool,
    /// What orders its packets, if races between them are looked for.
    order: Option<order::Queue>,
}

#[derive(Debug)]
struct Launched {
    /// Device address of the completion signal, or 0.
    completion: u64,
    start: u64,
    over: bool,
    /// As of its packet.
    release: Scope,
    /// `AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE` holds for it.
    scratch_once: bool,
    /// What the program must leave alone until it is over, if that is checked.
    in_flight: Option<InFlight>,
}

impl ComputeQueue {
    /// A queue that begins with packet 0, with the order of its packets if races between packets are checked.
    pub fn new(order: Option<order::Queue>) -> ComputeQueue {
        ComputeQueue {
            next: 0,
            read: 0,
            launched: VecDeque::new(),
            running: Vec::new(),
            rung: false,
            unrung: None,
            waiting_since: None,
            recovering: false,
            pm4: Pm4::default(),
            in_indirect: false,
            order,
        }
    }

    /// The dispatches that run.
    pub fn running(&self) -> impl Iterator<Item = &Arc<Dispatch>> {
        self.running.iter().map(|(_, dispatch)| dispatch).chain(self.pm4.running())
    }

    /// Kernels that were enqueued and have not completed, and whether anything has not.
    pub fn unfinished(&self, memory: &Memory, args: &QueueArgs) -> (u64, bool) {
        let written = memory.load_u64(args.write_pointer).unwrap_or(self.next).max(self.next);
        let slots = u64::from(args.ring_size) / PACKET_BYTES;
        let waits = |&index: &u64| {
            let mut bytes = [0; 64];
            let is_there = memory.read(slot(args, index), &mut bytes).is_ok();
            is_there && matches!(Packet::parse(&bytes).body, Body::Dispatch(_))
        };
        let to_come = (self.next..written.min(self.read + slots)).filter(waits).count() as u64;
        (self.running().count() as u64 + to_come, !self.launched.is_empty() || self.next < written)
    }

    /// Abandons the queue's work, which never completes.
    pub fn abandon(&mut self) {
        self.launched.iter_mut().for_each(|launched| launched.in_flight = None);
    }

    /// Completes finished packets and launches ready ones.
    pub fn step(
        &mut self,
        engine: &Engine,
        args: &QueueArgs,
        units: Units,
        doorbell: &mut Doorbell,
    ) -> Result<Progress, Stop> {
        if let Some(DoorbellWrite { value, exact }) = doorbell.take() {
            self.rung |= !exact;
            trace::emit("doorbell", |e| e.number("queue", args.id).number("value", value));
        }
        let mut progress = self.complete(engine, args)?;
        if self.recovering {
            let memory = Memory::enter(&engine.gpu);
            let inactive = amd_queue::inactive_signal(&memory, args)?;
            if signal::value(&memory, inactive)? != 0 {
                return Ok(progress.or(Progress::Waiting));
            }
            self.recovering = false;
            progress = Progress::Made;
        }
        for _ in 0..PACKETS_PER_STEP {
            match self.launch_next(engine, args, units, doorbell)? {
                Progress::Made => progress = Progress::Made,
                other => {
                    progress = progress.or(other);
                    break;
                }
            }
        }
        // Barriers and the like are over at once.
        Ok(progress.or(self.complete(engine, args)?))
    }

    /// Completes packets whose work is over.
    fn complete(&mut self, engine: &Engine, args: &QueueArgs) -> Result<Progress, Stop> {
        let mut progress = if self.launched.is_empty() { Progress::Idle } else { Progress::Waiting };
        while let Some(place) = self.running.iter().position(|(_, dispatch)| dispatch.finished()) {
            self.running[place].1.end(args)?;
            let (packet, dispatch) = self.running.remove(place);
            let launched = &mut self.launched[(packet - self.read) as usize];
            launched.over = true;
            let Launched { completion, start, release, scratch_once, .. } = *launched;
            let in_flight = launched.in_flight.take();
            progress = Progress::Made;
            engine.release(release);
            self.end(engine, packet, Some(&dispatch), completion);
            self.free_slots(engine, args)?;
            in_flight.into_iter().for_each(|in_flight| in_flight.end(engine, args, self.next));
            self.signal(engine, completion, start)?;
            if scratch_once {
                self.recover(engine, args, queue_error::SCRATCH_RECLAIM)?;
                break;
            }
        }
        Ok(progress)
    }

    /// Gives slots of packets that are over back to the program, in order.
    fn free_slots(&mut self, engine: &Engine, args: &QueueArgs) -> Result<(), MemoryFault> {
        let memory = Memory::enter(&engine.gpu);
        let before = self.read;
        while self.launched.front().is_some_and(|l| l.over) {
            self.launched.pop_front();
            memory.store_header(slot(args, self.read), INVALID)?;
            self.read += 1;
        }
        if self.read != before { memory.store_u64(args.read_pointer, self.read) } else { Ok(()) }
    }

    /// Packet `number` is over, and is about to say so by its `completion` signal.
    fn end(&mut self, engine: &Engine, number: u64, dispatch: Option<&Dispatch>, completion: u64) {
        let Some(order) = &mut self.order else { return };
        let mut known = order.known(number);
        if let Some((dispatch, shadow)) = dispatch.and_then(|dispatch| Some((dispatch, dispatch.shadow()?))) {
            let (origin, entry) = dispatch.origin();
            overlaps::end_dispatch(&engine.gpu, order.packet(number), &mut known, origin, entry, shadow);
        }
        order.end(number, known, self::completion(completion), true);
    }

    fn signal(&self, engine: &Engine, completion: u64, start: u64) -> Result<(), MemoryFault> {
        let memory = Memory::enter(&engine.gpu);
        let interrupt = signal::complete(&memory, completion, start, gpu_ticks())?;
        drop(memory);
        interrupt.raise(&engine.gpu);
        Ok(())
    }

    /// Reports `code` and waits until ROCr has dealt with it.
    fn recover(&mut self, engine: &Engine, args: &QueueArgs, code: u64) -> Result<(), Stop> {
        if amd_queue::inactive_signal(&Memory::enter(&engine.gpu), args)? == 0 {
            return Err(Stop::Error(code, "the queue has no queue_inactive_signal to ask by".into()));
        }
        self.recovering = true;
        Ok(amd_queue::report(engine, args, code)?)
    }

    /// Launches the packet at the head, if there is one and nothing holds it.
    fn launch_next(
        &mut self,
        engine: &Engine,
        args: &QueueArgs,
        units: Units,
        doorbell: &Doorbell,
    ) -> Result<Progress, Stop> {
        let memory = Memory::enter(&engine.gpu);
        let slots = u64::from(args.ring_size) / PACKET_BYTES;
        if self.next - self.read >= slots {
            return Ok(Progress::Idle);
        }
        let reached = doorbell.furthest.is_some_and(|furthest| furthest >= self.next);
        if !self.rung && !reached {
            let strict = engine.options.strict_doorbells;
            return if strict { self.wait_for_doorbell(&memory, args, doorbell) } else { Ok(Progress::Idle) };
        }
        let address = slot(args, self.next);
        let written = memory.load_u64(args.write_pointer)?;
        if self.next >= written || Packet::is_empty_slot(memory.load_u32(address)?) {
            self.rung = false;
            // A doorbell that overtook a packet of another thread: that one is about to appear.
            let coming = reached && self.next < written;
            return Ok(if coming { Progress::Waiting } else { Progress::Idle });
        }
        let mut bytes = [0; 64];
        memory.read(address, &mut bytes)?;
        let packet = Packet::parse(&bytes);
        if packet.barrier && !self.launched.is_empty() {
            return Ok(Progress::Waiting);
        }
        let start = *self.waiting_since.get_or_insert_with(gpu_ticks);
        // Signals that have the value that the packet waits for.
        let mut waited = [0; 5];
        match packet.body {
            Body::Dispatch(_) if self.running.len() >= IN_FLIGHT => return Ok(Progress::Waiting),
            Body::Dispatch(bytes) => {
                drop(memory);
                return self.launch_dispatch(engine, args, units, &bytes, &packet);
            }
            Body::BarrierAnd(signals) => {
                for signal in signals.into_iter().filter(|&signal| signal != 0) {
                    if signal::value(&memory, signal)? != 0 {
                        return Ok(Progress::Waiting);
                    }
                }
                waited = signals;
            }
            Body::BarrierOr(signals) => {
                let mut any = signals.iter().all(|&signal| signal == 0);
                for (signal, waited) in signals.into_iter().zip(&mut waited).filter(|&(signal, _)| signal != 0) {
                    if signal::value(&memory, signal)? == 0 {
                        (any, *waited) = (true, signal);
                    }
                }
                if !any {
                    return Ok(Progress::Waiting);
                }
            }
            Body::BarrierValue { signal, value, mask, condition } => {
                if signal != 0 && !compare(&memory, signal, value, mask, condition)? {
                    return Ok(Progress::Waiting);
                }
                waited[0] = signal;
            }
            Body::IndirectBuffer { address, dwords } => {
                drop(memory);
                if !std::mem::replace(&mut self.in_indirect, true) {
                    self.pm4.begin(address, dwords);
                }
                match self.pm4.step(engine, args, units)? {
                    Progress::Idle => self.in_indirect = false,
                    other => return Ok(other),
                }
                return self.process(engine, args, &packet, &waited, start);
            }
            Body::Unsupported(code) => {
                let header = u16::from_le_bytes([bytes[0], bytes[1]]);
                return Err(Stop::Error(code, format!("packet {} with header {header:#06x}", self.next)));
            }
        }
        drop(memory);
        self.process(engine, args, &packet, &waited, start)
    }

    /// Ends a packet that is over once its turn has come, behind signals that it waited for.
    fn process(
        &mut self,
        engine: &Engine,
        args: &QueueArgs,
        packet: &Packet,
        waited: &[u64; 5],
        start: u64,
    ) -> Result<Progress, Stop> {
        record(args, self.next, packet);
        if let Some(order) = &mut self.order {
            let signals = waited.iter().filter(|&&signal| signal != 0);
            let places = signals.map(|&signal| signal::place(signal));
            order.begin_written(self.next, packet.barrier, places, completion(packet.completion));
        }
        self.end(engine, self.next, None, packet.completion);
        engine.acquire(packet.acquire);
        engine.release(packet.release);
        let in_flight = InFlight::start(engine, args, self.next, packet, None);
        self.push(packet, start, true, false, None);
        self.free_slots(engine, args)?;
        in_flight.into_iter().for_each(|in_flight| in_flight.end(engine, args, self.next));
        self.signal(engine, packet.completion, start)?;
        Ok(Progress::Made)
    }

    /// No doorbell has reached the packet at the head. If it is there, says so once it has waited for long: that is
    /// what a program looks like which forgot a doorbell, or rang for the first packet of several.
    fn wait_for_doorbell(&mut self, memory: &Memory, args: &QueueArgs, doorbell: &Doorbell) -> Result<Progress, Stop> {
        let written = memory.load_u64(args.write_pointer)?;
        let there = |index| -> Result<bool, MemoryFault> {
            Ok(index < written && !Packet::is_empty_slot(memory.load_u32(slot(args, index))?))
        };
        if !there(self.next)? {
            self.unrung = None;
            return Ok(Progress::Idle);
        }
        let (packet, since, said) = self.unrung.get_or_insert_with(|| (self.next, Instant::now(), false));
        if *packet != self.next {
            (*packet, *since, *said) = (self.next, Instant::now(), false);
        }
        if *said {
            return Ok(Progress::Idle);
        }
        if since.elapsed() < UNRUNG {
            return Ok(Progress::Waiting);
        }
        *said = true;
        let mut last = self.next;
        while last + 1 - self.read < u64::from(args.ring_size) / PACKET_BYTES && there(last + 1)? {
            last += 1;
        }
        trace::emit("unrung", |e| e.number("queue", args.id).number("first", self.next).number("last", last));
        trace::flush();
        let furthest = doorbell.furthest.map_or("none".into(), |furthest| furthest.to_string());
        let what = format_args!(
            "queue {}: packets {} to {last} wait for a doorbell at or past them; the furthest that rang is {furthest}",
            args.id, self.next
        );
        if doorbell.by_several {
            log::say(format_args!(
                "{what}; several threads ring for this queue, so one may have been lost here: going on"
            ));
            self.rung = true;
            return Ok(Progress::Made);
        }
        log::say(format_args!("{what}; on hardware they wait for ever"));
        Ok(Progress::Idle)
    }

    fn push(&mut self, packet: &Packet, start: u64, over: bool, scratch_once: bool, in_flight: Option<InFlight>) {
        let Packet { completion, release, .. } = *packet;
        self.launched.push_back(Launched { completion, start, over, release, scratch_once, in_flight });
        self.next += 1;
        self.waiting_since = None;
    }

    fn launch_dispatch(
        &mut self,
        engine: &Engine,
        args: &QueueArgs,
        units: Units,
        bytes: &[u8; 64],
        packet: &Packet,
    ) -> Result<Progress, Stop> {
        let prepared = match launch::prepare(engine, args, units, bytes, self.next) {
            Ok(prepared) => prepared,
            Err(Stop::Error(queue_error::INSUFFICIENT_SCRATCH, _)) => {
                // ROCr finds the packet by `read_dispatch_id`, and takes the old scratch memory away.
                if self.launched.is_empty() {
                    self.recover(engine, args, queue_error::INSUFFICIENT_SCRATCH)?;
                }
                return Ok(Progress::Waiting);
            }
            Err(stop) => return Err(stop),
        };
        let number = engine.next_dispatch();
        let (scratch_once, kernel_object) = (prepared.scratch_once, u64_at(bytes, 32));
        trace::emit("dispatch", |e| {
            e.number("queue", args.id).number("packet", self.next).number("dispatch", number);
            prepared.describe(e.address("kernel_object", kernel_object));
            e.number("barrier", packet.barrier)
                .address("kernarg", u64_at(bytes, 40))
                .address("completion", packet.completion);
            known::describe(&engine.gpu, kernel_object, e)
        });
        engine.acquire(packet.acquire);
        let (packet_index, object) = (Some(self.next), Some(kernel_object));
        let origin = Origin { queue: args.id, packet: packet_index, dispatch: number, kernel_object: object };
        if let Some(order) = &mut self.order {
            order.begin_written(self.next, packet.barrier, [], completion(packet.completion));
        }
        let in_flight = InFlight::start(engine, args, self.next, packet, Some(bytes));
        let dispatch = engine.start(args, prepared, origin)?;
        self.running.push((self.next, dispatch));
        self.push(packet, gpu_ticks(), false, scratch_once, in_flight);
        Ok(Progress::Made)
    }
}

fn compare(memory: &Memory, signal: u64, value: i64, mask: i64, condition: Condition) -> Result<bool, MemoryFault> {
    Ok(condition.holds(signal::value(memory, signal)? & mask, value))
}

/// Where a completion signal has its value, if there is one.
fn completion(signal: u64) -> Option<u64> {
    (signal != 0).then(|| signal::place(signal))
}

fn slot(args: &QueueArgs, index: u64) -> u64 {
    args.ring + index * PACKET_BYTES % u64::from(args.ring_size)
}

fn record(args: &QueueArgs, index: u64, packet: &Packet) {
    trace::emit("packet", |e| {
        e.number("queue", args.id)
            .number("packet", index)
            .text("type", packet.name())
            .number("barrier", packet.barrier);
        match packet.body {
            Body::BarrierAnd(signals) | Body::BarrierOr(signals) => {
                e.addresses("depends_on", signals.into_iter().filter(|&signal| signal != 0));
            }
            Body::BarrierValue { signal, value, mask, condition } => {
                e.addresses("depends_on", [signal].into_iter().filter(|&signal| signal != 0));
                e.address("value", value as u64).address("mask", mask as u64).text("condition", condition.name());
            }
            Body::IndirectBuffer { address, dwords } => {
                e.address("address", address).number("dwords", dwords);
            }
            _ => {}
        }
        e.address("completion", packet.completion)
    });
}
