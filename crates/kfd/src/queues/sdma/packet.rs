//! SDMA v4 packets, as dwords. Field positions: Linux `vega10_sdma_pkt_open.h`.

/// Bytes that one packet copies or fills at most. The count has 22 bits; copies that are multiples of 32 bytes keep
/// both sides aligned.
pub const CHUNK: u64 = 0x3f_ffe0;

/// Dwords of the longest packet here.
pub const LONGEST: usize = 8;

const OP_COPY: u32 = 1;
const OP_FENCE: u32 = 5;
const OP_TRAP: u32 = 6;
const OP_POLL_REGMEM: u32 = 8;
const OP_ATOMIC: u32 = 10;
const OP_CONST_FILL: u32 = 11;
/// Fill with 4-byte values (`SDMA_PKT_CONSTANT_FILL_HEADER_FILLSIZE`).
const FILL_DWORDS: u32 = 2 << 30;
const OP_TIMESTAMP: u32 = 13;
/// Store the GPU's clock (`SDMA_SUBOP_TIMESTAMP_GET_GLOBAL`).
const GET_GLOBAL: u32 = 2 << 8;
/// Poll memory, not a register.
const POLL_MEMORY: u32 = 1 << 31;
/// Poll again after 4 intervals, for ever (retry count 0xfff).
const POLL_FOR_EVER: u32 = 0xfff << 16 | 4;

fn low(address: u64) -> u32 {
    address as u32
}

fn high(address: u64) -> u32 {
    (address >> 32) as u32
}

/// Copies `bytes`, at most [`CHUNK`].
pub fn copy(from: u64, to: u64, bytes: u64) -> [u32; 7] {
    [OP_COPY, bytes as u32 - 1, 0, low(from), high(from), low(to), high(to)]
}

/// Fills `bytes`, at most [`CHUNK`] and a multiple of 4, with `value`. The count is that of bytes, less one element.
pub fn fill(to: u64, value: u32, bytes: u64) -> [u32; 5] {
    [OP_CONST_FILL | FILL_DWORDS, low(to), high(to), value, bytes as u32 - 4]
}

/// Changes the 64 bits at `address` by an operation of the memory pipeline (`TC_OP`).
pub fn atomic(address: u64, operation: u8, value: u64) -> [u32; 8] {
    [OP_ATOMIC | (operation as u32) << 25, low(address), high(address), low(value), high(value), 0, 0, 0]
}

/// `TC_OP_ATOMIC_ADD_RTN_64`.
pub const ADD_64: u8 = 47;

/// Subtracts 1 from the 64 bits at `address`.
pub fn decrement(address: u64) -> [u32; 8] {
    atomic(address, ADD_64, u64::MAX)
}

/// How a poll compares 32 bits without a sign, as POLL_REGMEM numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poll {
    /// Until they are `value` at most.
    AtMost = 2,
    /// Until they are `value`.
    Equal = 3,
    /// Until they are not `value`.
    NotEqual = 4,
    /// Until they are `value` at least.
    AtLeast = 5,
}

/// Waits until the 32 bits at `address` compare so with `value`.
pub fn poll(address: u64, compare: Poll, value: u32) -> [u32; 6] {
    [OP_POLL_REGMEM | POLL_MEMORY | (compare as u32) << 28, low(address), high(address), value, u32::MAX, POLL_FOR_EVER]
}

/// Stores the GPU's clock, 64 bits, when everything before is done.
pub fn timestamp(address: u64) -> [u32; 3] {
    [OP_TIMESTAMP | GET_GLOBAL, low(address), high(address)]
}

/// Stores `value` when everything before is done.
pub fn fence(address: u64, value: u32) -> [u32; 4] {
    [OP_FENCE, low(address), high(address), value]
}

/// Interrupts with an event's id.
pub fn trap(event: u32) -> [u32; 2] {
    [OP_TRAP, event]
}
