//! PM4 packets in the indirect buffers that AQL vendor packets point at: what ROCr submits after it loads code.

use super::access::Memory;
use super::queue::Stop;
use crate::queue_error;

const NOP: u32 = 0x10;
const ACQUIRE_MEM: u32 = 0x58;

/// Runs the `dwords` dwords of PM4 at `address`.
///
/// Cache maintenance has nothing to do: memory is coherent here, and every dispatch compares the code that it runs with memory.
pub fn run(memory: &Memory, address: u64, dwords: u32) -> Result<(), Stop> {
    let mut at = 0;
    while at < dwords {
        let header = memory.load_u32(address + u64::from(at) * 4)?;
        let opcode = header >> 8 & 0xff;
        // Type 2 is a one-dword filler; type 3 has count + 1 dwords behind the header.
        let length = match header >> 30 {
            2 => 1,
            3 if header >> 16 & 0x3fff == 0x3fff && opcode == NOP => 1,
            3 if opcode == NOP || opcode == ACQUIRE_MEM => 2 + (header >> 16 & 0x3fff),
            _ => return Err(Stop::Error(queue_error::INVALID_VENDOR_PACKET, format!("PM4 packet {header:#010x}"))),
        };
        // ACQUIRE_MEM has seven dwords on gfx9.
        if length > dwords - at || opcode == ACQUIRE_MEM && header >> 30 == 3 && length != 7 {
            let text = format!("PM4 packet {header:#010x} of {length} dwords, {} are left", dwords - at);
            return Err(Stop::Error(queue_error::INVALID_VENDOR_PACKET, text));
        }
        at += length;
    }
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
    Ok(())
}
