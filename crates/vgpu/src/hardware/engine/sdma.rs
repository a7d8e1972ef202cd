//! An SDMA queue: its ring of dwords, and the engine's position in it.

pub mod packet;

use super::access::Memory;
use super::atomic;
use super::overlaps;
use super::queue::{Progress, Stop};
use crate::backing::PAGE;
use crate::hardware::bugs::{BUGS, EARLY_POLLS, OVERLAPPING_COPIES};
use crate::hardware::checks::findings;
use crate::hardware::checks::order::{self, Known, Source};
use crate::hardware::doorbells::{Doorbell, DoorbellWrite};
use crate::hardware::gpu::Gpu;
use crate::hardware::queue::QueueArgs;
use crate::hardware::random::Random;
use crate::time::monotonic_raw_ns;
use crate::trace;
use gcn::bus::{Access, MemoryFault};
use packet::{LONGEST, Packet, SubWindow};
use std::mem::take;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes copied or filled before other queues get their turn.
const QUANTUM: u64 = 256 << 10;

/// For how long copies are late behind which nothing comes that waits for them: a host that polls sees what was written
/// behind them meanwhile.
const LATE_NS: u64 = 100_000;

/// Bytes that SDMA copies have moved in this process, so that a program can prove that it copied none.
static BYTES_COPIED: AtomicU64 = AtomicU64::new(0);

/// Bytes that SDMA copies have moved in this process.
pub fn bytes_copied() -> u64 {
    BYTES_COPIED.load(Ordering::Relaxed)
}

/// The engine's place in one SDMA queue.
#[derive(Debug)]
pub struct SdmaQueue {
    /// Dwords consumed, in bytes since the queue was made.
    read: u64,
    /// The furthest doorbell.
    write: u64,
    /// Bytes (or rows, of a sub-window copy) of the current packet that are done.
    done: u64,
    /// An indirect buffer under way: next dword's address, dwords left.
    indirect: Option<(u64, u32)>,
    /// What draws whether a poll ends early, on hardware where they may.
    early_polls: Option<Random>,
    /// What it drew for the current packet.
    ends_early: Option<bool>,
    /// What draws whether a copy or fill is done late, on hardware where those in a row may overlap.
    overlaps: Option<Random>,
    /// Copies and fills that are still to be done, and their bytes.
    late: Vec<(Packet, u64)>,
    /// When the last of them was put off.
    late_since: u64,
    /// What orders its packets, if races with them are looked for.
    order: Option<Ordered>,
}

/// What orders the packets of a queue.
#[derive(Debug)]
struct Ordered {
    queue: order::Queue,
    /// Packets that began.
    count: u64,
    /// Behind the last copy something was written or changed, by which who waits for the copy knows that it is over.
    told: bool,
    /// What will be changed first behind the packets that run now, if anything is there yet.
    completion: Option<u64>,
    /// None of them has begun.
    is_new: bool,
}

/// What a packet came to.
enum Step {
    Complete,
    /// Part of the packet remains; `done` is the completed part.
    Partly,
    /// A condition does not hold yet.
    Waiting,
}

impl Ordered {
    fn begin(&mut self, place: Option<u64>, source: Source) -> (u64, Known) {
        let number = self.count;
        self.count += 1;
        if let Source::Copy { completion } = source
            && take(&mut self.is_new)
        {
            self.queue.begin_copy(completion);
        }
        self.queue.begin(number, true, place, source);
        (number, self.queue.known(number))
    }

    /// A packet is about to change what is at `place`.
    fn gives(&mut self, place: u64) {
        let source = if self.told { Source::Engine } else { Source::Copy { completion: Some(place) } };
        let (number, known) = self.begin(None, source);
        self.queue.end(number, known, Some(place), !self.told);
        (self.told, self.completion) = (true, None);
    }

    /// A packet is over.
    fn end(&mut self, gpu: &Gpu, args: &QueueArgs, packet: Packet) {
        let place = match packet {
            Packet::CopyLinear { .. } | Packet::CopySubWindow(_) | Packet::Fill { .. } => None,
            Packet::Poll { address, .. } => Some(address),
            _ => return,
        };
        let (number, mut known) = self.begin(place, Source::Copy { completion: self.completion });
        if place.is_none() {
            findings::came_to(findings::COPY_RAN);
            overlaps::end_copy(gpu, self.queue.packet(number), &mut known, args.id, packet);
        }
        self.told = false;
        self.queue.end(number, known, None, false);
    }
}

impl SdmaQueue {
    /// A new queue. With the seeds, some of its polls end early or some of its copies are late; with `order`, races
    /// with its packets are checked.
    pub fn new(id: u32, early_polls: Option<u64>, overlaps: Option<u64>, order: Option<order::Queue>) -> SdmaQueue {
        // Queues that differ, the same ones in the next run.
        let random = |salt: u64| move |seed: u64| Random::new(seed ^ salt << 32 ^ u64::from(id));
        let (early_polls, overlaps) = (early_polls.map(random(0xea71)), overlaps.map(random(0x1a7e)));
        let late = Vec::new();
        SdmaQueue {
            read: 0,
            write: 0,
            done: 0,
            indirect: None,
            early_polls,
            ends_early: None,
            overlaps,
            late,
            late_since: 0,
            order: order.map(|queue| Ordered { queue, count: 0, told: false, completion: None, is_new: true }),
        }
    }

    /// Whether anything was enqueued and is not done.
    pub fn is_unfinished(&self) -> bool {
        self.read != self.write || self.indirect.is_some() || !self.late.is_empty()
    }

    /// Runs packets for a while.
    ///
    /// # Errors
    /// What stops the queue.
    pub fn step(&mut self, gpu: &Gpu, args: &QueueArgs, doorbell: &mut Doorbell) -> Result<Progress, Stop> {
        if let Some(DoorbellWrite { value, .. }) = doorbell.take()
            && value.wrapping_sub(self.write) as i64 > 0
        {
            self.write = value;
            trace::emit("doorbell", |e| e.number("queue", args.id).number("value", value));
        }
        if self.read == self.write && self.indirect.is_none() && self.late.is_empty() {
            return Ok(Progress::Idle);
        }
        let start = monotonic_raw_ns();
        let result = self.run_packets(gpu, args);
        gpu.activity.add_sdma(monotonic_raw_ns().saturating_sub(start));
        result
    }

    fn run_packets(&mut self, gpu: &Gpu, args: &QueueArgs) -> Result<Progress, Stop> {
        let mut progress = Progress::Idle;
        for _ in 0..64 {
            let memory = Memory::of_sdma(gpu);
            if self.read == self.write && self.indirect.is_none() {
                if self.late.is_empty() {
                    break;
                }
                if monotonic_raw_ns().saturating_sub(self.late_since) < LATE_NS {
                    return Ok(progress.or(Progress::Waiting));
                }
                self.finish_late(&memory)?;
                return Ok(Progress::Made);
            }
            let d = self.fetch(&memory, args)?;
            let (packet, dwords) =
                packet::decode(&d, gpu.profile.sdma_copy_bits).map_err(|error| Stop::Sdma(error.to_string()))?;
            self.check_there(args, dwords)?;
            let mut event = None;
            if self.order.as_ref().is_some_and(|order| order.completion.is_none()) {
                let completion = self.completion(&memory, args, gpu.profile.sdma_copy_bits);
                self.order.iter_mut().for_each(|order| (order.completion, order.is_new) = (completion, true));
            }
            if let Packet::Fence { to, .. } | Packet::Write { to, .. } | Packet::Atomic { address: to, .. } = packet
                && let Some(order) = &mut self.order
            {
                order.gives(to);
            }
            match self.run(&memory, args, packet, &mut event)? {
                Step::Waiting => return Ok(progress.or(Progress::Waiting)),
                Step::Partly => return Ok(Progress::Made),
                Step::Complete => {}
            }
            if trace::enabled() {
                record(args, &packet);
            }
            self.advance(&memory, args, packet, dwords)?;
            drop(memory);
            if let Some(order) = &mut self.order {
                order.end(gpu, args, packet);
            }
            if let Some(event) = event {
                gpu.interrupts.event(event);
            }
            progress = Progress::Made;
        }
        Ok(progress)
    }

    /// The packet at the read pointer, as far as it was written.
    fn fetch(&self, memory: &Memory, args: &QueueArgs) -> Result<[u32; LONGEST], Stop> {
        let mut d = [0; LONGEST];
        d[0] = self.dword(memory, args, 0)?;
        let length = packet::length(d[0]).map_err(|error| Stop::Sdma(error.to_string()))?;
        self.check_there(args, length as u32)?;
        for (index, dword) in d.iter_mut().enumerate().take(length).skip(1) {
            *dword = self.dword(memory, args, index as u32)?;
        }
        Ok(d)
    }

    /// What the packets from the read pointer on change first: of a copy, its completion signal.
    fn completion(&self, memory: &Memory, args: &QueueArgs, copy_bits: u32) -> Option<u64> {
        let end = match self.indirect {
            Some((_, left)) => left,
            None => (self.write.wrapping_sub(self.read) / 4) as u32,
        };
        let mut at = 0;
        while at < end {
            let mut d = [0; LONGEST];
            d[0] = self.dword(memory, args, at).ok()?;
            let length = packet::length(d[0]).ok()?;
            for (index, dword) in d.iter_mut().enumerate().take(length).skip(1) {
                *dword = self.dword(memory, args, at + index as u32).ok()?;
            }
            let (packet, dwords) = packet::decode(&d, copy_bits).ok()?;
            match packet {
                Packet::Fence { to, .. } | Packet::Write { to, .. } | Packet::Atomic { address: to, .. } => {
                    return Some(to);
                }
                Packet::Indirect { .. } => return None,
                _ => at += dwords.max(1),
            }
        }
        None
    }

    /// Refuses a packet of which not all `dwords` were written, or are in the indirect buffer, and one that continues
    /// at the ring's start: no client lets one, and whether hardware follows it is not known.
    fn check_there(&self, args: &QueueArgs, dwords: u32) -> Result<(), Stop> {
        let (bytes, of) = match self.indirect {
            Some((_, left)) => (u64::from(left) * 4, "its indirect buffer"),
            None => (self.write.wrapping_sub(self.read), "what was written"),
        };
        if u64::from(dwords) * 4 > bytes {
            return Err(Stop::Sdma(format!("the packet at byte {} is longer than the rest of {of}", self.read)));
        }
        let ring_size = u64::from(args.ring_size);
        if self.indirect.is_none() && self.read % ring_size + u64::from(dwords) * 4 > ring_size {
            return Err(Stop::Sdma(format!("the packet at byte {} goes across the end of the ring", self.read)));
        }
        Ok(())
    }

    /// Dword `index` from the current packet's start.
    fn dword(&self, memory: &Memory, args: &QueueArgs, index: u32) -> Result<u32, MemoryFault> {
        let at = match self.indirect {
            Some((address, _)) => address + u64::from(index) * 4,
            None => args.ring + (self.read + u64::from(index) * 4) % u64::from(args.ring_size),
        };
        memory.load_u32(at)
    }

    fn advance(&mut self, memory: &Memory, args: &QueueArgs, packet: Packet, dwords: u32) -> Result<(), MemoryFault> {
        self.done = 0;
        self.ends_early = None;
        match &mut self.indirect {
            Some((address, left)) => {
                *address += u64::from(dwords) * 4;
                *left -= dwords;
                if *left > 0 {
                    return Ok(());
                }
                self.indirect = None;
                return memory.store_u64(args.read_pointer, self.read);
            }
            None => self.read += u64::from(dwords) * 4,
        }
        if let Packet::Indirect { address, dwords } = packet
            && dwords > 0
        {
            // The packet itself is consumed when its buffer is.
            self.indirect = Some((address, dwords));
            return Ok(());
        }
        memory.store_u64(args.read_pointer, self.read)
    }

    fn run(
        &mut self,
        memory: &Memory,
        args: &QueueArgs,
        packet: Packet,
        event: &mut Option<u32>,
    ) -> Result<Step, Stop> {
        match packet {
            Packet::CopyLinear { bytes, .. } | Packet::Fill { bytes, .. } if self.is_late(args) => {
                self.late.push((packet, bytes));
                return Ok(Step::Complete);
            }
            Packet::Nop
            | Packet::CopyLinear { .. }
            | Packet::CopySubWindow(_)
            | Packet::Fill { .. }
            | Packet::Write { .. }
            | Packet::Indirect { .. } => {}
            // Waits for what was begun.
            Packet::HdpFlush
            | Packet::Fence { .. }
            | Packet::Trap(_)
            | Packet::Timestamp { .. }
            | Packet::Atomic { .. }
            | Packet::Poll { .. } => self.finish_late(memory)?,
        }
        match packet {
            Packet::Nop | Packet::HdpFlush => {}
            Packet::CopyLinear { bytes, .. } | Packet::Fill { bytes, .. } => {
                let here = (bytes - self.done).min(QUANTUM);
                copy_or_fill(memory, packet, self.done, here)?;
                self.done += here;
                if self.done < bytes {
                    return Ok(Step::Partly);
                }
            }
            Packet::CopySubWindow(window) => return Ok(self.copy_rows(memory, &window)?),
            Packet::Fence { to, value } => {
                memory.check(to, Access::Write)?;
                memory.store_u32(to, value)?;
            }
            Packet::Trap(id) => {
                trace::emit("interrupt", |e| e.text("source", "sdma").number("event_id", id));
                *event = Some(id);
            }
            Packet::Timestamp { to } => {
                memory.check(to, Access::Write)?;
                memory.store_u64(to, crate::hardware::clock::gpu_ticks())?;
            }
            Packet::Atomic { operation, address, data, compare, repeat } => {
                if !atomic::exists(operation) {
                    return Err(Stop::Sdma(format!("SDMA has no atomic operation {operation}")));
                }
                memory.check(address, Access::Atomic)?;
                let stored = atomic::run(memory, operation, address, data, compare)?;
                if repeat && !stored {
                    return Ok(Step::Waiting);
                }
            }
            Packet::Poll { address, value, mask, function } => {
                memory.check(address, Access::Read)?;
                let draw = |random: &mut Random| random.below(2) == 0;
                // Once for each packet, whether it has to wait or not: the host's time does not decide what comes next.
                let early = *self.ends_early.get_or_insert_with(|| self.early_polls.as_mut().is_some_and(draw));
                if !packet::compares(function, memory.load_u32(address)? & mask, value) {
                    if !early {
                        return Ok(Step::Waiting);
                    }
                    trace::emit("hardware_bug", |e| {
                        e.text("bug", BUGS[EARLY_POLLS].name).number("queue", args.id).address("address", address)
                    });
                }
            }
            Packet::Write { to, dwords } => {
                for index in 0..dwords {
                    let at = to + u64::from(index) * 4;
                    if index == 0 || at % PAGE < 4 {
                        memory.check(at, Access::Write)?;
                    }
                    memory.store_u32(at, self.dword(memory, args, 4 + index)?)?;
                }
            }
            Packet::Indirect { .. } if self.indirect.is_some() => {
                return Err(Stop::Sdma("an indirect buffer cannot call another".into()));
            }
            Packet::Indirect { .. } => {}
        }
        Ok(Step::Complete)
    }

    /// Whether the copy or fill that begins is done late.
    fn is_late(&mut self, args: &QueueArgs) -> bool {
        let late = self.done == 0 && self.overlaps.as_mut().is_some_and(|random| random.below(2) == 0);
        if late {
            self.late_since = monotonic_raw_ns();
            let bug = BUGS[OVERLAPPING_COPIES].name;
            trace::emit("hardware_bug", |e| e.text("bug", bug).number("queue", args.id));
        }
        late
    }

    /// Does what is late, the newest first.
    fn finish_late(&mut self, memory: &Memory) -> Result<(), MemoryFault> {
        while let Some((packet, bytes)) = self.late.pop() {
            copy_or_fill(memory, packet, 0, bytes)?;
        }
        Ok(())
    }

    /// Copies rows until the quantum is used up. `done` counts rows.
    fn copy_rows(&mut self, memory: &Memory, window: &SubWindow) -> Result<Step, MemoryFault> {
        let [width, height, depth] = window.size;
        let row_bytes = u64::from(width) << window.element;
        let rows = u64::from(height) * u64::from(depth);
        let mut moved = 0;
        while self.done < rows {
            let (y, z) = ((self.done % u64::from(height)) as u32, (self.done / u64::from(height)) as u32);
            let (to, from) = (window.to.row(y, z, window.element), window.from.row(y, z, window.element));
            memory.copy(to, from, row_bytes)?;
            BYTES_COPIED.fetch_add(row_bytes, Ordering::Relaxed);
            self.done += 1;
            moved += row_bytes;
            if moved >= QUANTUM && self.done < rows {
                return Ok(Step::Partly);
            }
        }
        Ok(Step::Complete)
    }
}

/// Does `bytes` bytes of a linear copy or a fill, from its byte number `at` on. Other packets have none.
fn copy_or_fill(memory: &Memory, packet: Packet, at: u64, bytes: u64) -> Result<(), MemoryFault> {
    match packet {
        Packet::CopyLinear { from, to, also, .. } => {
            for to in std::iter::once(to).chain(also) {
                memory.copy(to + at, from + at, bytes)?;
                BYTES_COPIED.fetch_add(bytes, Ordering::Relaxed);
            }
            Ok(())
        }
        Packet::Fill { to, value, size, .. } => memory.fill(to + at, bytes, &value[..usize::from(size)]),
        _ => Ok(()),
    }
}

fn record(args: &QueueArgs, packet: &Packet) {
    trace::emit("sdma", |e| {
        e.number("queue", args.id);
        match *packet {
            Packet::Nop => e.text("packet", "nop"),
            Packet::CopyLinear { from, to, also, bytes } => {
                e.text("packet", "copy_linear").address("from", from).address("to", to).number("bytes", bytes);
                match also {
                    Some(also) => e.address("also", also),
                    None => e,
                }
            }
            Packet::CopySubWindow(window) => {
                let bytes = window.size.iter().map(|&n| u64::from(n)).product::<u64>() << window.element;
                e.text("packet", "copy_linear_sub_window")
                    .address("from", window.from.base)
                    .address("to", window.to.base)
                    .list("size", &window.size)
                    .number("element", 1u32 << window.element)
                    .number("bytes", bytes)
            }
            Packet::Fill { to, bytes, value, size } => e
                .text("packet", "constant_fill")
                .address("to", to)
                .number("bytes", bytes)
                .address("value", u64::from(u32::from_le_bytes(value)))
                .number("element", size),
            Packet::Fence { to, value } => e.text("packet", "fence").address("to", to).number("value", value),
            Packet::Trap(id) => e.text("packet", "trap").number("event_id", id),
            Packet::Timestamp { to } => e.text("packet", "timestamp").address("to", to),
            Packet::Atomic { operation, address, data, compare, repeat } => e
                .text("packet", "atomic")
                .number("operation", operation)
                .address("address", address)
                .address("data", data)
                .address("compare", compare)
                .number("repeat", repeat),
            Packet::Poll { address, value, mask, function } => e
                .text("packet", "poll_regmem")
                .address("address", address)
                .number("function", function)
                .address("value", u64::from(value))
                .address("mask", u64::from(mask)),
            Packet::HdpFlush => e.text("packet", "hdp_flush"),
            Packet::Write { to, dwords } => e.text("packet", "write").address("to", to).number("dwords", dwords),
            Packet::Indirect { address, dwords } => {
                e.text("packet", "indirect").address("address", address).number("dwords", dwords)
            }
        }
    });
}
