//! What copies wait for. Copy engines poll it; but ROCr 7 itself looks whether it is over already, and waits itself for all of it on GPUs before MI200. ROCr 6.1 does not; 6.4 was not looked at.

use super::{is_of_6_4, place};
use crate::hardware::checks::order;
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
    // SAFETY: as the caller promised.
    if !unsafe { is_of_6_4(amd) } {
        return;
    }
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
    replace!(hsa_amd_memory_async_copy_on_engine_fn, on_engine);
    replace!(hsa_amd_memory_async_copy_rect_fn, rect);
}

/// The program gives a copy to ROCr that waits for `count` signals.
///
/// # Safety
/// There are so many, or there is no such list.
unsafe fn waits(count: u32, signals: *const hsa_signal_t) {
    if signals.is_null() {
        return;
    }
    for index in 0..count as usize {
        // SAFETY: there are `count`.
        let signal = unsafe { *signals.add(index) };
        if signal.handle != 0 {
            // SAFETY: it is a signal.
            let value = unsafe { super::value(signal) };
            order::copy_waits(place(signal), value);
        }
    }
}

/// A function of ROCr's that copies behind signals, and the one in its place.
macro_rules! copies {
    ($name:ident($($before:ident: $type:ty),*; $count:ident, $signals:ident; $($behind:ident: $last:ty),*)) => {
        mod $name {
            use super::*;

            type Copy = unsafe extern "C" fn($($type,)* u32, *const hsa_signal_t, $($last),*) -> hsa_status_t;

            pub static REAL: OnceLock<Copy> = OnceLock::new();

            pub unsafe extern "C" fn own(
                $($before: $type,)*
                $count: u32,
                $signals: *const hsa_signal_t,
                $($behind: $last),*
            ) -> hsa_status_t {
                // It is in the table only once ROCr's is known.
                let Some(real) = REAL.get() else { std::process::abort() };
                // SAFETY: as the caller promised.
                unsafe {
                    waits($count, $signals);
                    real($($before,)* $count, $signals, $($behind),*)
                }
            }
        }
    };
}
copies!(linear(to: *mut c_void, at: hsa_agent_t, from: *const c_void, of: hsa_agent_t, bytes: usize;
    count, signals; completion: hsa_signal_t));
copies!(on_engine(to: *mut c_void, at: hsa_agent_t, from: *const c_void, of: hsa_agent_t, bytes: usize;
    count, signals; completion: hsa_signal_t, engine: hsa_amd_sdma_engine_id_t, force: bool));
copies!(rect(to: *const hsa_pitched_ptr_t, to_offset: *const hsa_dim3_t, from: *const hsa_pitched_ptr_t,
    from_offset: *const hsa_dim3_t, range: *const hsa_dim3_t, agent: hsa_agent_t, direction: hsa_amd_copy_direction_t;
    count, signals; completion: hsa_signal_t));
