//! Copies that the host submits, and the signals they wait for. Copy engines poll these signals; ROCr 7 also polls them
//! on the host first, and on GPUs before MI200 waits on the host for all of them. ROCr 6.1 does neither; 6.4 was not
//! examined.

use super::super::stack;
use super::{calls, is_of_6_4, place};
use crate::driver::device::{self, MemoryAt};
use crate::hardware::checks::order;
use crate::hardware::checks::pinned::{self, Copy, Use};
use gcn::bus::Access;
use hsa_sys::{
    AmdExtTable, hsa_agent_t, hsa_amd_copy_direction_t, hsa_amd_sdma_engine_id_t, hsa_dim3_t, hsa_pitched_ptr_t,
    hsa_signal_t, hsa_status_t,
};
use std::ffi::c_void;
use std::sync::OnceLock;

/// Puts this library's functions into ROCr's table, if that may be of such a version.
///
/// # Safety
/// The table is ROCr's.
pub unsafe fn watch(amd: *mut AmdExtTable) {
    macro_rules! replace {
        ($entry:ident, $own:ident) => {
            // SAFETY: the table of these versions has this entry.
            unsafe {
                if let Some(function) = (&raw const (*amd).$entry).read() {
                    // Another load of ROCr in this process has the same functions.
                    let _ = $own::REAL.set(function);
                    (&raw mut (*amd).$entry).write(Some($own::own));
                }
            }
        };
    }
    replace!(hsa_amd_memory_async_copy_fn, linear);
    // SAFETY: as the caller promised.
    if !unsafe { is_of_6_4(amd) } {
        return;
    }
    replace!(hsa_amd_memory_async_copy_on_engine_fn, on_engine);
    replace!(hsa_amd_memory_async_copy_rect_fn, rect);
}

/// The program gives a copy to ROCr, between a GPU's memory and the host's, perhaps.
///
/// # Safety
/// The signal is one, or null.
unsafe fn hands_over(to: u64, from: u64, bytes: usize, completion: hsa_signal_t) {
    let bytes = bytes as u64;
    if completion.handle == 0 {
        return;
    }
    let (range, access) = match (device::memory_at(to, bytes), device::memory_at(from, bytes)) {
        (Some(MemoryAt::Pinned), Some(MemoryAt::Vram)) => (to..to + bytes, Access::Write),
        (Some(MemoryAt::Vram), Some(MemoryAt::Pinned)) => (from..from + bytes, Access::Read),
        // Where both are the host's, the host itself may copy.
        _ => return,
    };
    // SAFETY: as the caller promised.
    let value = unsafe { super::value(completion) };
    let unseen = device::has_registered_memory();
    pinned::hands_over(Copy { place: place(completion), value, unseen, by: stack() }, Use { range, access });
}

/// The program gives a copy to ROCr that waits for `count` signals, and changes this one when it is over.
///
/// # Safety
/// There are so many, or there is no such list; and the last one is one, or null.
unsafe fn waits(count: u32, signals: *const hsa_signal_t, completion: hsa_signal_t) {
    if completion.handle == 0 {
        return;
    }
    order::hands_over(calls::reader(), place(completion));
    if signals.is_null() {
        return;
    }
    for index in 0..count as usize {
        // SAFETY: there are `count`.
        let signal = unsafe { *signals.add(index) };
        if signal.handle != 0 {
            // SAFETY: it is a signal.
            let value = unsafe { super::value(signal) };
            order::copy_waits(place(completion), place(signal), value);
        }
    }
}

/// Defines the replacement of a ROCr function that copies after signals.
macro_rules! copies {
    ($name:ident($($before:ident: $type:ty),*; $count:ident, $signals:ident; $($behind:ident: $last:ty),*)
        $completion:ident $(of $to:ident $from:ident $bytes:ident)?) => {
        mod $name {
            use super::*;

            type Function = unsafe extern "C" fn($($type,)* u32, *const hsa_signal_t, $($last),*) -> hsa_status_t;

            pub static REAL: OnceLock<Function> = OnceLock::new();

            pub unsafe extern "C" fn own(
                $($before: $type,)*
                $count: u32,
                $signals: *const hsa_signal_t,
                $($behind: $last),*
            ) -> hsa_status_t {
                // It is in the table only once ROCr's is known.
                let Some(real) = REAL.get() else { std::process::abort() };
                // SAFETY: as the caller promised.
                let status = unsafe {
                    waits($count, $signals, $completion);
                    $(hands_over($to.addr() as u64, $from.addr() as u64, $bytes, $completion);)?
                    real($($before,)* $count, $signals, $($behind),*)
                };
                if status != hsa_status_t::HSA_STATUS_SUCCESS {
                    pinned::forget_signal(place($completion));
                }
                status
            }
        }
    };
}
copies!(linear(to: *mut c_void, at: hsa_agent_t, from: *const c_void, of: hsa_agent_t, bytes: usize;
    count, signals; completion: hsa_signal_t) completion of to from bytes);
copies!(on_engine(to: *mut c_void, at: hsa_agent_t, from: *const c_void, of: hsa_agent_t, bytes: usize;
    count, signals; completion: hsa_signal_t, engine: hsa_amd_sdma_engine_id_t, force: bool) completion of to from bytes);
copies!(rect(to: *const hsa_pitched_ptr_t, to_offset: *const hsa_dim3_t, from: *const hsa_pitched_ptr_t,
    from_offset: *const hsa_dim3_t, range: *const hsa_dim3_t, agent: hsa_agent_t, direction: hsa_amd_copy_direction_t;
    count, signals; completion: hsa_signal_t) completion);
