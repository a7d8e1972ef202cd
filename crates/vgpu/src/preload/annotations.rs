//! The functions behind the annotations of `include/vgpu-check.h`, which the header looks up here.

use super::rocr::stack;
use crate::driver::device;
use crate::hardware::checks::{allocations_mut, findings, poison};
use crate::log::say;
use std::ffi::c_void;

/// `bytes` bytes at `start` are handed out, as a piece of an allocation that overlaps no other piece.
///
/// # Safety
/// Nobody uses them now: they may be overwritten.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vgpu_check_allocated(start: *const c_void, bytes: usize) {
    if findings::wanted().is_none() {
        return;
    }
    let (start, size) = (start.addr() as u64, bytes as u64);
    // The piece first: what is not in an allocation is not to be written to.
    let is_known = allocations_mut().add_piece(start, size, stack(), false);
    if !is_known {
        say(format_args!("check: vgpu_check_allocated: no allocation has the {bytes} bytes at {start:#x}"));
    } else if poison::is_wanted() && poison_inside(start, size) {
        allocations_mut().add_piece(start, size, stack(), true);
    }
}

/// Poisons the whole dwords of it. Whether that was done.
fn poison_inside(start: u64, size: u64) -> bool {
    let (first, end) = (start.next_multiple_of(4), (start + size) & !3);
    first < end && device::poison(first, end - first)
}

/// The piece at `start` is returned.
#[unsafe(no_mangle)]
pub extern "C" fn vgpu_check_freed(start: *const c_void) {
    if findings::wanted().is_none() {
        return;
    }
    let start = start.addr() as u64;
    if !allocations_mut().free_piece(start, stack()) {
        say(format_args!("check: vgpu_check_freed: nothing was given out at {start:#x}"));
    }
}

/// Waves synchronise by plain accesses to the `bytes` bytes at `start`.
#[unsafe(no_mangle)]
pub extern "C" fn vgpu_check_flag(start: *const c_void, bytes: usize) {
    if findings::wanted().is_none() {
        return;
    }
    let start = start.addr() as u64;
    if !allocations_mut().add_flag(start, bytes as u64) {
        say(format_args!("check: vgpu_check_flag: no allocation has the {bytes} bytes at {start:#x}"));
    }
}
