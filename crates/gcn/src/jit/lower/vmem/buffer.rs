//! Buffer resources, of which plain ones are compiled: lanes have offsets of bytes from a base.
//!
//! A lane whose offset is behind the resource's bytes loads 0 and stores nothing. The code only does accesses of which
//! no lane is: it takes the window to end where the resource does. Offsets are added with more bits than the sum of 32
//! bits that an address is made of, so that sums that overflow are behind the end too.

use crate::jit::x64::assembler::{BELOW, Code, Jump, NOT_ZERO, RCX, SGPR, ZERO};
use crate::jit::x64::tlb_lookup::{END, START};

/// In the second dword of a resource, what is above the address: the stride, and whether records are interleaved.
const ABOVE_ADDRESS: u32 = 0xffff_0000;
/// In the fourth dword: whether a lane's number counts as its index, and the format, of which 0 means that nothing is
/// in range.
const ADDS_LANE: u32 = 1 << 23;
const FORMAT: u32 = 15 << 15;

/// Jumps for where the resource is not a plain one: its first two dwords are no more than an address.
pub fn not_plain(code: &mut Code, resource: usize) -> [Jump; 3] {
    let dword = |n: usize| 4 * (resource + n) as i32;
    code.test_bits(SGPR, dword(1), ABOVE_ADDRESS);
    let structured = code.jump(NOT_ZERO);
    code.test_bits(SGPR, dword(3), ADDS_LANE);
    let adds_lane = code.jump(NOT_ZERO);
    code.test_bits(SGPR, dword(3), FORMAT);
    [structured, adds_lane, code.jump(ZERO)]
}

/// Has [`END`] no higher than where the resource ends. The jump is for where that is in front of [`START`].
pub fn end(code: &mut Code, resource: usize) -> Jump {
    code.scalar(false, &[0x8b], RCX, SGPR, 4 * (resource + 2) as i32);
    code.scalar(true, &[0x03], RCX, SGPR, 4 * resource as i32);
    // cmp end, rcx; cmova end, rcx
    code.between(true, &[0x3b], END, RCX);
    code.between(true, &[0x0f, 0x47], END, RCX);
    code.between(true, &[0x3b], END, START);
    code.jump(BELOW)
}
