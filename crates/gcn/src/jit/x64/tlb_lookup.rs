//! The window of device memory that has an address, as machine code.

use crate::jit::x64::assembler::{BELOW, Code, NOT_BELOW, RAX, WINDOWS as LIST, ZERO};
use crate::machine::bus::Window;
use crate::machine::memory::WINDOWS;
use std::mem::offset_of;

/// Registers of the host: where the window begins and ends, and what makes a host address of a device address.
pub(crate) const START: u8 = 8;
pub(crate) const END: u8 = 10;
pub(crate) const DISTANCE: u8 = 11;

/// A routine that finds the window that has the address in RAX: [`START`] and [`END`], and [`DISTANCE`]. The zero flag
/// says that there is one.
pub(crate) fn window(code: &mut Code, is_load: bool) {
    for n in 0..WINDOWS {
        let field = |offset: usize| (n * size_of::<Window>() + offset) as i32;
        code.scalar(true, &[0x8b], START, LIST, field(offset_of!(Window, start)));
        code.between(true, &[0x3b], RAX, START);
        let below = code.jump(BELOW);
        code.scalar(true, &[0x8b], END, LIST, field(offset_of!(Window, end)));
        code.between(true, &[0x3b], RAX, END);
        let behind = code.jump(NOT_BELOW);
        let refused = (!is_load).then(|| {
            // cmp byte [writable], 0
            code.raw(&[0x41, 0x80, 0xb8 | LIST & 7]);
            code.raw(&field(offset_of!(Window, writable)).to_le_bytes());
            code.raw(&[0]);
            code.jump(ZERO)
        });
        code.scalar(true, &[0x8b], DISTANCE, LIST, field(offset_of!(Window, host)));
        code.between(true, &[0x2b], DISTANCE, START);
        // cmp rsp, rsp
        code.raw(&[0x48, 0x39, 0xe4]);
        code.end_routine();
        [Some(below), Some(behind), refused].into_iter().flatten().for_each(|jump| code.land(jump));
    }
    // test rsp, rsp
    code.raw(&[0x48, 0x85, 0xe4]);
    code.end_routine();
}
