//! The atomic operations of packets (SDMA's ATOMIC, PM4's ATOMIC_MEM), numbered as the memory pipeline numbers its
//! operations: `TC_OP_ATOMIC_*_RTN_32` of `TC_OP` in `gfx_7_2_enum.h` of ROCr (libhsakmt/tests), and the `_RTN_64` ones
//! 32 higher. The one that ROCr's `sdma_registers.h` uses agrees: `SDMA_ATOMIC_ADD64` = 47.

use super::access::Memory;
use crate::hardware::sleepers;
use gcn::bus::MemoryFault;

/// Whether there is an operation of this number.
pub fn exists(operation: u8) -> bool {
    matches!(operation & !32, 7 | 8 | 15..=25)
}

/// Runs one operation that [`exists`]. Returns false if it is a compare-and-swap whose comparison failed.
pub fn run(memory: &Memory, operation: u8, address: u64, data: u64, compare: u64) -> Result<bool, MemoryFault> {
    let wide = operation & 32 != 0;
    let operation_32 = operation & !32;
    let mut stored = true;
    if wide {
        let old =
            memory.update_u64(address, |old| change(operation_32, old, data, compare, old as i64, data as i64))?;
        if operation_32 == 8 {
            stored = old == compare;
        }
    } else {
        let (data, compare) = (data as u32, compare as u32);
        let old = memory.update_u32(address, |old| {
            let (signed_old, signed_data) = (i64::from(old as i32), i64::from(data as i32));
            change(operation_32, u64::from(old), u64::from(data), u64::from(compare), signed_old, signed_data) as u32
        })?;
        if operation_32 == 8 {
            stored = old == compare;
        }
    }
    // It may be a signal.
    sleepers::wake();
    Ok(stored)
}

/// The new value. Wrapping in the low 32 bits is what the 32-bit operations need, too.
fn change(operation: u8, old: u64, data: u64, compare: u64, signed_old: i64, signed_data: i64) -> u64 {
    match operation {
        7 => data,
        8 if old == compare => data,
        8 => old,
        15 => old.wrapping_add(data),
        16 => old.wrapping_sub(data),
        17 if signed_data < signed_old => data,
        17 => old,
        18 => old.min(data),
        19 if signed_data > signed_old => data,
        19 => old,
        20 => old.max(data),
        21 => old & data,
        22 => old | data,
        23 => old ^ data,
        // Increment that wraps to 0 behind `data`.
        24 if old >= data => 0,
        24 => old + 1,
        // Decrement that wraps to `data` below 0 and from above `data`.
        _ if old == 0 || old > data => data,
        _ => old - 1,
    }
}
