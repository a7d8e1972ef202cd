//! Memory that the program must not change until a packet has completed, for `vgpu check`: the kernel's arguments and
//! the completion signal.

use super::Engine;
use super::access::Memory;
use super::packet::{Body, PACKET_BYTES, Packet, u64_at};
use super::{known, signal};
use crate::backing::PAGE;
use crate::hardware::checks::findings::{self, Place};
use crate::hardware::checks::signals::{self, Held};
use crate::hardware::queue::QueueArgs;
use gcn::bus::Access;

/// Packets behind it in its queue that are looked at.
const AHEAD: u64 = 64;

/// A packet that runs.
#[derive(Debug)]
pub struct InFlight {
    packet: signals::Packet,
    arguments: Option<Arguments>,
    signal: Option<Held>,
}

/// The arguments of a kernel as they were when it started.
#[derive(Debug)]
struct Arguments {
    address: u64,
    bytes: Vec<u8>,
}

impl Arguments {
    /// Those of the packet with these bytes, as far as the kernel descriptor says how many there are.
    fn of(memory: &Memory, packet: &[u8; 64]) -> Option<Arguments> {
        let (object, address) = (u64_at(packet, 32), u64_at(packet, 40));
        // KERNARG_SIZE of the descriptor.
        let size = memory.load_u32(object.wrapping_add(8)).ok().filter(|&size| size > 0 && size <= 1 << 16)?;
        Some(Arguments { address, bytes: read(memory, address, size as usize)? })
    }

    /// The first dword that is not what it was: where it is, what it was and what it is now.
    fn changed(&self, memory: &Memory) -> Option<(usize, [u32; 2])> {
        let now = read(memory, self.address, self.bytes.len())?;
        let dword = |bytes: &[u8]| bytes.iter().rev().fold(0, |all, &byte| all << 8 | u32::from(byte));
        let pairs = self.bytes.chunks(4).zip(now.chunks(4)).map(|(old, new)| [dword(old), dword(new)]);
        (0..).step_by(4).zip(pairs).find(|(_, [old, new])| old != new)
    }
}

/// So many bytes from `address`, unless the program has freed them.
fn read(memory: &Memory, address: u64, length: usize) -> Option<Vec<u8>> {
    let end = address.checked_add(length as u64)?;
    for page in (address & !(PAGE - 1)..end).step_by(PAGE as usize) {
        memory.check(page, Access::Read).ok()?;
    }
    let mut bytes = vec![0; length];
    memory.read(address, &mut bytes).ok()?;
    Some(bytes)
}

impl InFlight {
    /// Packet `index` starts, if anybody wants to know. `bytes` are those of a dispatch.
    pub fn start(
        engine: &Engine,
        args: &QueueArgs,
        index: u64,
        packet: &Packet,
        bytes: Option<&[u8; 64]>,
    ) -> Option<InFlight> {
        if !findings::wants_sync() {
            return None;
        }
        let memory = Memory::enter(&engine.gpu);
        let arguments = bytes.and_then(|bytes| Arguments::of(&memory, bytes));
        let kernel = bytes.and_then(|bytes| kernel(&memory, bytes));
        let own = signals::Packet { gpu: engine.gpu.index, queue: args.id, index, kernel };
        let signal = (packet.completion != 0).then(|| Held::new(packet.completion, own.clone()));
        Some(InFlight { packet: own, arguments, signal })
    }

    /// The packet has ended and is about to complete its signal. `next` is the packet of its queue that starts next.
    pub fn end(self, engine: &Engine, args: &QueueArgs, next: u64) {
        let memory = Memory::enter(&engine.gpu);
        let changed = self.arguments.as_ref().and_then(|arguments| Some((arguments, arguments.changed(&memory)?)));
        let reused = self.signal.as_ref().and_then(|held| reused(&memory, held, engine, args, next));
        let name = |packet: &signals::Packet| packet.kernel.and_then(|(object, _)| known::kernel(&memory, object));
        let own = if changed.is_some() || reused.is_some() { name(&self.packet) } else { None };
        let other = reused.as_ref().and_then(|(_, other)| name(other));
        // Who writes findings looks into memory for himself.
        drop(memory);
        let place = |finding, with| Place { finding, pc: self.packet.place(), access: Access::Write, with };
        if let Some((Arguments { address, bytes }, (offset, [old, new]))) = changed
            && let Some(id) = findings::count(place("kernarg-changed", None), 1)
        {
            findings::write(id, "kernarg-changed", |e| {
                own.iter().for_each(|name| _ = e.text("kernel", name));
                self.packet.describe("", e.address("kernarg", *address).number("kernarg_bytes", bytes.len()));
                e.number("offset", offset).number("before", old).number("after", new)
            });
        }
        if let (Some(held), Some((value, packet))) = (&self.signal, &reused)
            && let Some(id) = findings::count(place("signal-reused", Some(packet.place())), 1)
        {
            findings::write(id, "signal-reused", |e| {
                own.iter().for_each(|name| _ = e.text("kernel", name));
                other.iter().for_each(|name| _ = e.text("other_kernel", name));
                self.packet.describe("", e.address("signal", held.signal).number("value", value));
                packet.describe("other_", e);
                e
            });
        }
        findings::flush();
    }
}

/// The kernel of a dispatch: its descriptor and its first instruction.
fn kernel(memory: &Memory, packet: &[u8; 64]) -> Option<(u64, u64)> {
    let object = u64_at(packet, 32);
    Some((object, known::entry(memory, object).ok()?))
}

/// Another packet that has the signal of one that is about to complete, if they are more than its value: each takes one
/// from it. A signal for several packets begins with their number.
fn reused(
    memory: &Memory,
    held: &Held,
    engine: &Engine,
    args: &QueueArgs,
    next: u64,
) -> Option<(i64, signals::Packet)> {
    let value = signal::value(memory, held.signal).ok()?;
    let mut others: Vec<signals::Packet> = held.others().iter().map(|packet| (**packet).clone()).collect();
    let written = memory.load_u64(args.write_pointer).ok()?;
    for index in next..written.min(next.saturating_add(AHEAD)) {
        let mut bytes = [0; 64];
        memory.read(args.ring + index * PACKET_BYTES % u64::from(args.ring_size), &mut bytes).ok()?;
        // It is not there yet, nor are those behind it.
        if Packet::is_empty_slot(u32::from(bytes[0])) {
            break;
        }
        let packet = Packet::parse(&bytes);
        if packet.completion == held.signal {
            let kernel = matches!(packet.body, Body::Dispatch(_)).then(|| kernel(memory, &bytes)).flatten();
            others.push(signals::Packet { gpu: engine.gpu.index, queue: args.id, index, kernel });
        }
    }
    // Programs may also count downwards from 0.
    let is_short = value > 0 && (value as u64) < 1 + others.len() as u64;
    others.into_iter().next().filter(|_| is_short).map(|other| (value, other))
}
