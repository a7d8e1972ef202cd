//! Waits for several signals: for one of a group, and for all, which ROCr has since 6.4.

use super::{calls, place};
use crate::hardware::checks::order;
use hsa_sys::{
    AmdExtTable, CoreApiTable, hsa_signal_condition_t, hsa_signal_group_t, hsa_signal_t, hsa_signal_value_t,
    hsa_status_t, hsa_wait_state_t,
};
use std::sync::OnceLock;

type WaitGroup = unsafe extern "C" fn(
    hsa_signal_group_t,
    *const hsa_signal_condition_t,
    *const hsa_signal_value_t,
    hsa_wait_state_t,
    *mut hsa_signal_t,
    *mut hsa_signal_value_t,
) -> hsa_status_t;
type WaitAll = unsafe extern "C" fn(
    u32,
    *mut hsa_signal_t,
    *mut hsa_signal_condition_t,
    *mut hsa_signal_value_t,
    u64,
    hsa_wait_state_t,
    *mut hsa_signal_value_t,
) -> u32;

/// ROCr's own functions.
static GROUP_RELAXED: OnceLock<WaitGroup> = OnceLock::new();
static GROUP_SCACQUIRE: OnceLock<WaitGroup> = OnceLock::new();
static ALL: OnceLock<WaitAll> = OnceLock::new();

/// Replaces the functions in ROCr's tables by this library's.
///
/// # Safety
/// The tables are ROCr's.
pub unsafe fn watch(core: *mut CoreApiTable, amd: *mut AmdExtTable) {
    macro_rules! replace {
        ($table:ident.$entry:ident, $real:ident, $own:expr) => {
            // SAFETY: the table has this entry.
            unsafe {
                if let Some(function) = (&raw const (*$table).$entry).read() {
                    // Another load of ROCr in this process has the same functions.
                    let _ = $real.set(function);
                    (&raw mut (*$table).$entry).write(Some($own));
                }
            }
        };
    }
    replace!(core.hsa_signal_group_wait_any_relaxed_fn, GROUP_RELAXED, group_relaxed);
    replace!(core.hsa_signal_group_wait_any_scacquire_fn, GROUP_SCACQUIRE, group_scacquire);
    // SAFETY: the table is ROCr's.
    if unsafe { super::is_of_6_4(amd) } {
        replace!(amd.hsa_amd_signal_wait_all_fn, ALL, all);
    }
}

/// One of ROCr's own functions. The replacement is called only after the table was changed.
macro_rules! real {
    ($name:ident) => {
        match $name.get() {
            Some(real) => real,
            None => std::process::abort(),
        }
    };
}

macro_rules! waits_for_groups {
    ($($name:ident: $real:ident)*) => {$(
        unsafe extern "C" fn $name(
            group: hsa_signal_group_t,
            conditions: *const hsa_signal_condition_t,
            values: *const hsa_signal_value_t,
            state: hsa_wait_state_t,
            signal: *mut hsa_signal_t,
            value: *mut hsa_signal_value_t,
        ) -> hsa_status_t {
            // SAFETY: as the caller promised.
            let status = unsafe { real!($real)(group, conditions, values, state, signal, value) };
            if status == hsa_status_t::HSA_STATUS_SUCCESS {
                // SAFETY: it succeeded, so that it wrote there.
                unsafe { order::seen(calls::looks(), place(*signal), *value) };
            }
            status
        }
    )*};
}
waits_for_groups!(group_relaxed: GROUP_RELAXED group_scacquire: GROUP_SCACQUIRE);

unsafe extern "C" fn all(
    count: u32,
    signals: *mut hsa_signal_t,
    conditions: *mut hsa_signal_condition_t,
    values: *mut hsa_signal_value_t,
    timeout: u64,
    state: hsa_wait_state_t,
    satisfying: *mut hsa_signal_value_t,
) -> u32 {
    let mut own = Vec::new();
    let seen = if satisfying.is_null() {
        own.resize(count as usize, 0);
        own.as_mut_ptr()
    } else {
        satisfying
    };
    // SAFETY: as the caller promised, with places for the values in any case.
    let result = unsafe { real!(ALL)(count, signals, conditions, values, timeout, state, seen) };
    // Otherwise the time was over first.
    if result == 0 {
        for index in 0..count as usize {
            // SAFETY: there are `count` of both.
            let (signal, value) = unsafe { (*signals.add(index), *seen.add(index)) };
            order::seen(calls::looks(), place(signal), value);
        }
    }
    result
}
