//! `amd_queue_t`, which surrounds an AQL queue's read and write pointers (layout: ROCr `amd_hsa_queue.h`).

use super::Engine;
use super::access::Memory;
use super::signal;
use crate::hardware::queue::QueueArgs;
use gcn::bus::MemoryFault;

const READ_DISPATCH_ID: u64 = 0x80;
const COMPUTE_TMPRING_SIZE: u64 = 0x8c;
const SCRATCH_BACKING_MEMORY_LOCATION: u64 = 0xa0;
const QUEUE_PROPERTIES: u64 = 0xb4;
const QUEUE_INACTIVE_SIGNAL: u64 = 0xc0;

/// `AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE` of `amd_hsa_queue.h` (ROCr): bit 4, one bit wide.
const USE_SCRATCH_ONCE: u32 = 1 << 4;

/// Device address of the structure. The hardware, too, finds it by the read pointer.
pub fn address(args: &QueueArgs) -> u64 {
    args.read_pointer.wrapping_sub(READ_DISPATCH_ID)
}

/// The private memory that the queue has.
#[derive(Clone, Copy, Debug)]
pub struct Scratch {
    /// Device address.
    pub base: u64,
    /// Bytes, of all waves that run at once.
    pub bytes: u64,
    /// Bytes of each wave.
    pub wave_bytes: u64,
    /// To be given back after one dispatch.
    pub once: bool,
}

/// The queue's private memory as it is now.
pub fn scratch(memory: &Memory, args: &QueueArgs) -> Result<Scratch, MemoryFault> {
    let queue = address(args);
    let size = memory.load_u32(queue.wrapping_add(COMPUTE_TMPRING_SIZE))?;
    // WAVESIZE counts 256 dwords.
    let wave_bytes = u64::from(size >> 12 & 0x1fff) * 1024;
    Ok(Scratch {
        base: memory.load_u64(queue.wrapping_add(SCRATCH_BACKING_MEMORY_LOCATION))?,
        // WAVES of them. There is a field of bytes, too, which ROCr left empty from 7 on.
        bytes: u64::from(size & 0xfff) * wave_bytes,
        wave_bytes,
        once: memory.load_u32(queue.wrapping_add(QUEUE_PROPERTIES))? & USE_SCRATCH_ONCE != 0,
    })
}

/// Device address of the signal that reports errors, or 0.
pub fn inactive_signal(memory: &Memory, args: &QueueArgs) -> Result<u64, MemoryFault> {
    memory.load_u64(address(args).wrapping_add(QUEUE_INACTIVE_SIGNAL))
}

/// Adds `code` to the error signal and raises its event.
pub fn report(engine: &Engine, args: &QueueArgs, code: u64) -> Result<(), MemoryFault> {
    let memory = Memory::enter(&engine.gpu);
    let inactive = inactive_signal(&memory, args)?;
    if inactive == 0 {
        return Ok(());
    }
    let interrupt = signal::change(&memory, inactive, |value| value | code)?;
    drop(memory);
    interrupt.raise(&engine.gpu);
    Ok(())
}
