//! PM4: executes the packets in a compute queue's ring and in indirect buffers, as the compute micro engine (MEC) does.
//!
//! Packets are processed in order, without waiting for what they start: dispatches run at once, and `RELEASE_MEM`
//! happens when the dispatches before it are over. `EVENT_WRITE` of a partial flush and `WAIT_REG_MEM` hold the packets
//! behind them. Cache maintenance has something to do only where caches are modelled; instruction caches are not: every
//! dispatch compares the code that it runs with memory.

pub mod packet;
mod registers;

use super::access::Memory;
use super::compute::IN_FLIGHT;
use super::packet::Scope;
use super::queue::{Progress, Stop};
use super::wave_fault::Origin;
use super::work::Dispatch;
use super::{Engine, atomic};
use crate::hardware::clock::gpu_ticks;
use crate::hardware::doorbells::{Doorbell, DoorbellWrite};
use crate::hardware::queue::QueueArgs;
use crate::hardware::units::Units;
use crate::queue_error;
use crate::trace;
use gcn::bus::{Access, MemoryFault};
use packet::{Data, HEAD, Packet, Place, Release, Source, coher_cntl};
use registers::Registers;
use std::collections::VecDeque;
use std::sync::Arc;

/// Packets that one step processes before other queues get their turn.
const PACKETS_PER_STEP: usize = 64;
/// Bytes of `DMA_DATA` that one step moves.
const QUANTUM: u64 = 256 << 10;
/// Indirect buffers that call each other: the micro engine has two levels.
const LEVELS: usize = 2;

/// The micro engine's state for one queue.
#[derive(Debug, Default)]
pub struct Pm4 {
    registers: Registers,
    /// Indirect buffers under way, the innermost last.
    buffers: Vec<Buffer>,
    in_flight: VecDeque<InFlight>,
    /// Bytes of the current `DMA_DATA` that are done.
    done: u64,
}

#[derive(Debug)]
struct Buffer {
    address: u64,
    left: u32,
}

#[derive(Debug)]
enum InFlight {
    Dispatch(Arc<Dispatch>),
    Release(Release),
}

/// The part of a ring that was written and not processed. All but the address in dwords.
#[derive(Debug)]
struct Ring {
    address: u64,
    size: u32,
    read: u32,
    left: u32,
}

/// What a packet came to.
enum Step {
    Complete,
    /// Part of the packet remains; `done` is the completed part.
    Partly,
    /// A condition does not hold yet.
    Waiting,
}

impl From<packet::Error> for Stop {
    fn from(error: packet::Error) -> Stop {
        Stop::Error(queue_error::INVALID_VENDOR_PACKET, error.to_string())
    }
}

impl Pm4 {
    /// Begins with the packets of an indirect buffer of an AQL queue.
    pub fn begin(&mut self, address: u64, dwords: u32) {
        self.buffers.push(Buffer { address, left: dwords });
    }

    /// Continues an indirect buffer of an AQL queue. `Progress::Idle` when all of its work has completed.
    ///
    /// # Errors
    /// What stops the queue.
    pub fn step(&mut self, engine: &Engine, args: &QueueArgs, units: Units) -> Result<Progress, Stop> {
        self.step_ring(engine, args, units, &mut Ring { address: 0, size: 1, read: 0, left: 0 })
    }

    fn step_ring(
        &mut self,
        engine: &Engine,
        args: &QueueArgs,
        units: Units,
        ring: &mut Ring,
    ) -> Result<Progress, Stop> {
        let mut progress = self.complete(engine, args)?;
        for _ in 0..PACKETS_PER_STEP {
            match self.next(engine, args, units, ring)? {
                Progress::Made => progress = Progress::Made,
                other => return Ok(progress.or(other)),
            }
        }
        Ok(progress)
    }

    /// The dispatches that run.
    pub fn running(&self) -> impl Iterator<Item = &Arc<Dispatch>> {
        self.in_flight.iter().filter_map(|entry| match entry {
            InFlight::Dispatch(dispatch) => Some(dispatch),
            InFlight::Release(_) => None,
        })
    }

    /// Forgets dispatches that are over, and releases what waited for all before it.
    fn complete(&mut self, engine: &Engine, args: &QueueArgs) -> Result<Progress, Stop> {
        let mut progress = Progress::Idle;
        let mut index = 0;
        while let Some(entry) = self.in_flight.get(index) {
            match entry {
                InFlight::Dispatch(dispatch) if dispatch.finished() => {
                    dispatch.end(args)?;
                }
                InFlight::Release(release) if index == 0 => end_of_pipe(engine, release)?,
                _ => {
                    index += 1;
                    continue;
                }
            }
            self.in_flight.remove(index);
            progress = Progress::Made;
        }
        Ok(progress)
    }

    /// Device address of dword `index` from the current packet's start.
    fn place(&self, ring: &Ring, index: u32) -> u64 {
        match self.buffers.last() {
            Some(buffer) => buffer.address.wrapping_add(u64::from(index) * 4),
            None => ring.address + u64::from((ring.read + index) % ring.size) * 4,
        }
    }

    /// Processes the next packet, as far as it can be.
    fn next(&mut self, engine: &Engine, args: &QueueArgs, units: Units, ring: &mut Ring) -> Result<Progress, Stop> {
        while self.buffers.pop_if(|buffer| buffer.left == 0).is_some() {}
        let (left, of) = self.buffers.last().map_or((ring.left, "ring"), |buffer| (buffer.left, "indirect buffer"));
        if left == 0 {
            return Ok(if self.in_flight.is_empty() { Progress::Idle } else { Progress::Waiting });
        }
        if self.in_flight.len() >= IN_FLIGHT {
            return Ok(Progress::Waiting);
        }
        let memory = Memory::enter(&engine.gpu);
        let header = memory.load_u32(self.place(ring, 0))?;
        let dwords = packet::length(header)?;
        if dwords > left {
            let text = format!("PM4 {} of {dwords} dwords, {left} are left in the {of}", packet::name(header));
            return Err(Stop::Error(queue_error::INVALID_VENDOR_PACKET, text));
        }
        let mut head = [header; HEAD];
        for (index, dword) in head.iter_mut().enumerate().take(dwords as usize).skip(1) {
            *dword = memory.load_u32(self.place(ring, index as u32))?;
        }
        let packet = packet::decode(&head)?;
        let data = |pm4: &Pm4, index| memory.load_u32(pm4.place(ring, index));
        let mut started = None;
        let mut skipped = 0;
        let step = match packet {
            Packet::SetRegisters(first) => {
                for index in 2..dwords {
                    let value = data(self, index)?;
                    self.registers.set(first + index - 2, value);
                }
                Step::Complete
            }
            Packet::WriteData { to, increment } => {
                for index in 4..dwords {
                    let step = if increment { index - 4 } else { 0 };
                    self.write(&memory, to, step, data(self, index)?)?;
                }
                Step::Complete
            }
            Packet::Dispatch { size, initiator } => {
                started = self.registers.dispatch(engine, args, units, size, initiator)?;
                Step::Complete
            }
            Packet::DispatchIndirect { address, initiator } => {
                let mut size = [0; 3];
                for (size, at) in size.iter_mut().zip([0, 4, 8]) {
                    *size = memory.load_u32(address + at)?;
                }
                started = self.registers.dispatch(engine, args, units, size, initiator)?;
                Step::Complete
            }
            Packet::AcquireMem(actions) => {
                acquire(engine, actions);
                Step::Complete
            }
            Packet::Predicate { xccs, dwords: guarded } => {
                let refuse = |text: String| Stop::Error(queue_error::INVALID_VENDOR_PACKET, text);
                if self.buffers.is_empty() {
                    let text =
                        "PM4 PRED_EXEC in a ring, where it has no effect on hardware: put it into an indirect buffer";
                    return Err(refuse(text.to_owned()));
                }
                let behind = left - dwords;
                if guarded > behind {
                    return Err(refuse(format!("PM4 PRED_EXEC of {guarded} dwords, {behind} are left in the {of}")));
                }
                // All XCCs that process this buffer do it here at once.
                if !args.xccs(engine.gpu.profile).any(|xcc| xccs >> xcc & 1 != 0) {
                    skipped = guarded;
                }
                Step::Complete
            }
            other => self.run(&memory, other)?,
        };
        match step {
            Step::Waiting => return Ok(Progress::Waiting),
            Step::Partly => return Ok(Progress::Made),
            Step::Complete => {}
        }
        drop(memory);
        trace::emit("pm4", |e| {
            e.number("queue", args.id).text("packet", packet::name(header)).number("dwords", dwords)
        });
        if let Some(prepared) = started {
            let number = engine.next_dispatch();
            let origin = Origin { queue: args.id, packet: None, dispatch: number, kernel_object: None };
            trace::emit("dispatch", |e| {
                let entry = prepared.launch.entry;
                prepared.describe(e.number("queue", args.id).number("dispatch", number).address("entry", entry))
            });
            self.in_flight.push_back(InFlight::Dispatch(engine.start(args, prepared, origin)?));
        }
        self.advance(ring, packet, dwords + skipped)?;
        Ok(Progress::Made)
    }

    /// Goes past a packet.
    fn advance(&mut self, ring: &mut Ring, packet: Packet, dwords: u32) -> Result<(), Stop> {
        self.done = 0;
        match self.buffers.last_mut() {
            Some(buffer) => {
                buffer.address = buffer.address.wrapping_add(u64::from(dwords) * 4);
                buffer.left -= dwords;
            }
            None => {
                ring.read = (ring.read + dwords) % ring.size;
                ring.left -= dwords;
            }
        }
        let Packet::IndirectBuffer { address, dwords, chain } = packet else { return Ok(()) };
        if chain {
            self.buffers.pop();
        }
        if self.buffers.len() >= LEVELS {
            let text = "PM4 INDIRECT_BUFFER in a buffer that a buffer called".to_owned();
            return Err(Stop::Error(queue_error::INVALID_VENDOR_PACKET, text));
        }
        self.buffers.push(Buffer { address, left: dwords });
        Ok(())
    }

    /// Does what a packet without data behind it asks for.
    fn run(&mut self, memory: &Memory, packet: Packet) -> Result<Step, Stop> {
        match packet {
            Packet::Flush if !self.in_flight.is_empty() => return Ok(Step::Waiting),
            Packet::ReleaseMem(release) => self.in_flight.push_back(InFlight::Release(release)),
            Packet::CopyData { from, to, wide } => {
                let value = match from {
                    Source::Immediate(value) => value,
                    Source::Clock => gpu_ticks(),
                    Source::Place(place) => {
                        let high = if wide { self.read(memory, place, 1)? } else { 0 };
                        u64::from(self.read(memory, place, 0)?) | u64::from(high) << 32
                    }
                };
                match to {
                    Place::Memory(to) if wide => {
                        memory.check(to, Access::Write)?;
                        memory.store_u64(to, value)?;
                    }
                    to => {
                        self.write(memory, to, 0, value as u32)?;
                        if wide {
                            self.write(memory, to, 1, (value >> 32) as u32)?;
                        }
                    }
                }
            }
            Packet::Atomic { operation, address, data, compare, repeat } => {
                memory.check(address, Access::Atomic)?;
                let stored = atomic::run(memory, operation, address, data, compare)?;
                if repeat && !stored {
                    return Ok(Step::Waiting);
                }
            }
            Packet::Wait { place, function, reference, mask, write } => {
                if let Some(register) = write {
                    self.registers.set(register, reference);
                }
                if !packet::compares(function, self.read(memory, place, 0)? & mask, reference) {
                    return Ok(Step::Waiting);
                }
            }
            Packet::Dma { from, to, bytes } => {
                let here = (u64::from(bytes) - self.done).min(QUANTUM);
                match from {
                    Ok(from) => memory.copy(to + self.done, from + self.done, here)?,
                    Err(dword) => memory.fill(to + self.done, here, &dword.to_le_bytes())?,
                }
                self.done += here;
                if self.done < u64::from(bytes) {
                    return Ok(Step::Partly);
                }
            }
            _ => {}
        }
        Ok(Step::Complete)
    }

    /// Dword `index` from `place` on.
    fn read(&self, memory: &Memory, place: Place, index: u32) -> Result<u32, Stop> {
        match place {
            Place::Memory(address) => {
                let at = address + u64::from(index) * 4;
                memory.check(at, Access::Read)?;
                Ok(memory.load_u32(at)?)
            }
            Place::Register(register) => self.registers.get(register + index).ok_or_else(|| {
                let text = format!("PM4 reads register {:#x}, which the queue has not written", register + index);
                Stop::Error(queue_error::INVALID_VENDOR_PACKET, text)
            }),
        }
    }

    fn write(&mut self, memory: &Memory, place: Place, index: u32, value: u32) -> Result<(), MemoryFault> {
        match place {
            Place::Memory(address) => {
                let at = address + u64::from(index) * 4;
                memory.check(at, Access::Write)?;
                memory.store_u32(at, value)
            }
            Place::Register(register) => {
                self.registers.set(register + index, value);
                Ok(())
            }
        }
    }
}

/// Does what `ACQUIRE_MEM` asks for, for all addresses.
fn acquire(engine: &Engine, actions: u32) {
    let Some(caches) = engine.gpu.space.caches() else { return };
    if actions & coher_cntl::TC_ACTION_ENA != 0 {
        caches.invalidate_l2();
    } else if actions & coher_cntl::TC_WB_ACTION_ENA != 0 {
        caches.write_back();
    }
    if actions & (coher_cntl::TCL1_ACTION_ENA | coher_cntl::SH_KCACHE_ACTION_ENA) != 0 {
        caches.invalidate_l1();
    }
}

/// Does what `RELEASE_MEM` asks for when the dispatches before it are over.
fn end_of_pipe(engine: &Engine, release: &Release) -> Result<(), Stop> {
    if release.invalidate {
        engine.acquire(Scope::System);
    } else if release.write_back {
        engine.release(Scope::System);
    }
    let memory = Memory::enter(&engine.gpu);
    if release.data != Data::None {
        memory.check(release.to, Access::Write)?;
    }
    match release.data {
        Data::None => {}
        Data::Low(value) => memory.store_u32(release.to, value)?,
        Data::Wide(value) => memory.store_u64(release.to, value)?,
        Data::Clock => memory.store_u64(release.to, gpu_ticks())?,
    }
    drop(memory);
    // The driver hears nothing of a compute queue's interrupt for event 0.
    if let Some(event) = release.interrupt.filter(|event| *event != 0) {
        trace::emit("interrupt", |e| e.text("source", "release_mem").number("event_id", event));
        engine.gpu.interrupts.event(event);
    }
    Ok(())
}

/// A PM4 compute queue: its ring of dwords, and how far the micro engine is in it.
#[derive(Debug, Default)]
pub struct Pm4Queue {
    engine: Pm4,
    /// Dwords processed, modulo the ring's size.
    read: u32,
    /// Dwords written, likewise: the last doorbell.
    written: u32,
}

impl Pm4Queue {
    /// Processes packets for a while.
    ///
    /// # Errors
    /// What stops the queue.
    pub fn step(
        &mut self,
        engine: &Engine,
        args: &QueueArgs,
        units: Units,
        doorbell: &mut Doorbell,
    ) -> Result<Progress, Stop> {
        let size = args.ring_size / 4;
        if let Some(DoorbellWrite { value, .. }) = doorbell.take() {
            self.written = (value % u64::from(size)) as u32;
            trace::emit("doorbell", |e| e.number("queue", args.id).number("value", value));
        }
        let left = (self.written % size + size - self.read % size) % size;
        let mut ring = Ring { address: args.ring, size, read: self.read % size, left };
        let progress = self.engine.step_ring(engine, args, units, &mut ring);
        if ring.read != self.read {
            self.read = ring.read;
            Memory::enter(&engine.gpu).store_u32(args.read_pointer, self.read)?;
        }
        progress.map_err(|stop| match stop {
            Stop::Error(queue_error::INVALID_VENDOR_PACKET, text) => Stop::Error(queue_error::INVALID_PACKET, text),
            other => other,
        })
    }

    /// The dispatches that run.
    pub fn running(&self) -> impl Iterator<Item = &Arc<Dispatch>> {
        self.engine.running()
    }
}
