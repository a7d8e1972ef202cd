//! Reservations of packet slots by the host. From a reservation on, another thread's doorbell may publish the packet to
//! the device.

use super::calls;
use crate::hardware::checks::order;
use hsa_sys::{CoreApiTable, hsa_queue_t};
use std::sync::OnceLock;

/// The packets of `queue` below `end` are written by this thread.
fn reserves(queue: *const hsa_queue_t, end: u64) {
    if let Some(last) = end.checked_sub(1) {
        // An `amd_queue_t` begins with what programs see of it.
        order::enqueues(calls::reader(), queue.addr() as u64, last);
    }
}

/// Defines replacements: names with arguments, results, the end of the reservation, and the entry of ROCr's table.
macro_rules! indices {
    ($($name:ident($($argument:ident),*) $(-> $result:ident)?, $before:ident => $end:expr; $entry:ident)*) => {
        /// Replaces the functions in ROCr's table by this library's.
        ///
        /// # Safety
        /// The table is ROCr's.
        pub unsafe fn watch(core: *mut CoreApiTable) {
            $(
                // SAFETY: the table has this entry in all versions.
                unsafe {
                    if let Some(function) = (&raw const (*core).$entry).read() {
                        // Another load of ROCr in this process has the same functions.
                        let _ = $name::REAL.set(function);
                        (&raw mut (*core).$entry).write(Some($name::own));
                    }
                }
            )*
        }

        $(
            mod $name {
                use super::*;

                type Function = unsafe extern "C" fn(*const hsa_queue_t, $(indices!(@index $argument)),*) $(-> indices!(@index $result))?;

                pub static REAL: OnceLock<Function> = OnceLock::new();

                pub unsafe extern "C" fn own(queue: *const hsa_queue_t, $($argument: u64),*) $(-> indices!(@index $result))? {
                    // It is in the table only once ROCr's is known.
                    let Some(real) = REAL.get() else { std::process::abort() };
                    // SAFETY: as the caller promised.
                    let $before = unsafe { real(queue, $($argument),*) };
                    if let Some(end) = $end {
                        reserves(queue, end);
                    }
                    $before
                }
            }
        )*
    };
    (@index $name:ident) => { u64 };
}
indices! {
    add_scacq_screl(more) -> index, before => Some(before.wrapping_add(more)); hsa_queue_add_write_index_scacq_screl_fn
    add_scacquire(more) -> index, before => Some(before.wrapping_add(more)); hsa_queue_add_write_index_scacquire_fn
    add_relaxed(more) -> index, before => Some(before.wrapping_add(more)); hsa_queue_add_write_index_relaxed_fn
    add_screlease(more) -> index, before => Some(before.wrapping_add(more)); hsa_queue_add_write_index_screlease_fn
    cas_scacq_screl(expected, value) -> index, before => (before == expected).then_some(value); hsa_queue_cas_write_index_scacq_screl_fn
    cas_scacquire(expected, value) -> index, before => (before == expected).then_some(value); hsa_queue_cas_write_index_scacquire_fn
    cas_relaxed(expected, value) -> index, before => (before == expected).then_some(value); hsa_queue_cas_write_index_relaxed_fn
    cas_screlease(expected, value) -> index, before => (before == expected).then_some(value); hsa_queue_cas_write_index_screlease_fn
    store_relaxed(value), before => Some(value); hsa_queue_store_write_index_relaxed_fn
    store_screlease(value), before => Some(value); hsa_queue_store_write_index_screlease_fn
}
