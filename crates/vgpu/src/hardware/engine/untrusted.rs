//! Properties that hold for any stream of packets: the engine processes it, waits, or stops the queue, and accesses
//! only mapped memory. The fuzz targets in `fuzz/` run these functions; the tests run them on the inputs that fuzzing
//! has found.

use super::pm4::Pm4Queue;
use super::queue::Progress;
use super::sdma::SdmaQueue;
use super::work::Turn;
use super::{Engine, Options};
use crate::backing::Backing;
use crate::hardware::activity::Shown;
use crate::hardware::address_space::{Caching, Permissions, Target};
use crate::hardware::doorbells::Doorbell;
use crate::hardware::gpu::Gpu;
use crate::hardware::interrupts::{FaultReason, Interrupts, Sender};
use crate::hardware::profile::MI100;
use crate::hardware::queue::{QueueArgs, QueueKind};
use crate::hardware::units::Units;
use std::sync::Arc;

/// Device address of the memory there is: the ring, a page with the queue's pointers, and data, which is the stream
/// again and behind it `s_endpgm`, so that it can be code too.
const BASE: u64 = 0x1_0000;
const RING: u32 = 4096;
const POINTERS: u64 = BASE + RING as u64;
const DATA: u64 = POINTERS + 4096;
const END: u64 = DATA + 4 * 4096;
const S_ENDPGM: u32 = 0xbf81_0000;
/// Turns of a queue and of work-groups after which a stream may go on for ever as well.
const TURNS: usize = 64;

#[derive(Debug)]
struct NoInterrupts;

impl Interrupts for NoInterrupts {
    fn event(&self, _: u32) {}
    fn trap(&self, _: u32, _: Sender) {}
    fn memory_fault(&self, _: u64, _: FaultReason) {}
    fn queue_error(&self, _: u64, _: u64) {}
}

/// A GPU with this stream in the ring, and what the ring's queue is made with.
fn gpu(bytes: &[u8], kind: QueueKind) -> (Arc<Gpu>, QueueArgs, u32) {
    let dwords = bytes.as_chunks::<4>().0.iter().map(|dword| u32::from_le_bytes(*dword));
    let stream: Vec<u32> = dwords.take(RING as usize / 4 - 1).collect();
    let gpu = Arc::new(
        Gpu::new(0, &MI100, Arc::new(NoInterrupts), Arc::new(Shown::alone().expect("memory"))).expect("a GPU"),
    );
    let memory = Arc::new(Backing::new(c"vgpu-untrusted", END - BASE).expect("memory"));
    let words = memory.host().cast::<u32>();
    let count = ((END - DATA) / 4) as usize;
    let data = stream.iter().copied().chain(std::iter::repeat(S_ENDPGM)).take(count);
    let ring = stream.iter().enumerate().map(|(at, word)| (at, *word));
    for (at, word) in ring.chain(data.enumerate().map(|(at, word)| (at + ((DATA - BASE) / 4) as usize, word))) {
        // SAFETY: the ring and the data are within the memory, which nobody else uses yet.
        unsafe { words.add(at).write(word) };
    }
    let permissions = Permissions { write: true, execute: true };
    gpu.space
        .map(BASE, END - BASE, Target::Object(memory, 0), permissions, Caching::Uncached)
        .expect("nothing else is mapped");
    let args = QueueArgs {
        id: 0,
        kind,
        ring: BASE,
        ring_size: RING,
        read_pointer: POINTERS,
        write_pointer: POINTERS + 8,
        doorbell: 0,
        priority: 7,
        percentage: 100,
        context_save: 0,
    };
    (gpu, args, stream.len() as u32)
}

fn rung(value: u64) -> Doorbell {
    let mut doorbell = Doorbell::SILENT;
    doorbell.note(value, false);
    doorbell
}

/// Any dwords in the ring of an SDMA queue.
pub fn sdma(bytes: &[u8]) {
    let (gpu, args, dwords) = gpu(bytes, QueueKind::Sdma { engine: 0 });
    let mut doorbell = rung(u64::from(dwords) * 4);
    let mut queue = SdmaQueue::new(0, None, None, None);
    for _ in 0..TURNS {
        match queue.step(&gpu, &args, &mut doorbell) {
            Ok(Progress::Made) => {}
            Ok(Progress::Idle | Progress::Waiting) => return,
            Err(stop) => return assert!(!stop.to_string().is_empty()),
        }
    }
}

/// Any dwords in the ring of a PM4 queue.
pub fn pm4(bytes: &[u8]) {
    let (gpu, args, dwords) = gpu(bytes, QueueKind::Pm4 { xcc: 0 });
    let engine = Engine::new(gpu.clone(), Options::default()).expect("an engine");
    let mut doorbell = rung(u64::from(dwords));
    let mut queue = Pm4Queue::default();
    for _ in 0..TURNS {
        let ran = engine.work.turns(|| false);
        match queue.step(&engine, &args, Units::all(&MI100), &mut doorbell) {
            Ok(Progress::Idle | Progress::Waiting) if ran == Turn::None => break,
            Ok(_) => {}
            Err(stop) => {
                assert!(!stop.to_string().is_empty());
                break;
            }
        }
    }
    engine.work.kill_all();
}

#[cfg(test)]
mod tests {
    #[test]
    fn sdma_corpus() {
        test_corpus::replay("sdma", super::sdma);
    }

    #[test]
    fn pm4_corpus() {
        test_corpus::replay("pm4", super::pm4);
    }
}
