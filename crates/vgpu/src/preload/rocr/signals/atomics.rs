//! Atomic operations of the host on signals. HIP uses one to let a stream continue after a callback.

use super::{calls, place};
use crate::hardware::checks::order;
use hsa_sys::{CoreApiTable, hsa_signal_t, hsa_signal_value_t};
use std::sync::OnceLock;

/// Defines replacements: names with arguments, the result if there is one (the value before, which the host has then
/// seen), and the entry of ROCr's table.
macro_rules! atomics {
    ($($name:ident($($argument:ident),*) $(gives $before:ident)?: $entry:ident)*) => {
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

                type Function =
                    unsafe extern "C" fn(hsa_signal_t, $(atomics!(@value $argument)),*) $(-> atomics!(@value $before))?;

                pub static REAL: OnceLock<Function> = OnceLock::new();

                pub unsafe extern "C" fn own(
                    signal: hsa_signal_t,
                    $($argument: hsa_signal_value_t),*
                ) $(-> atomics!(@value $before))? {
                    // It is in the table only once ROCr's is known.
                    let Some(real) = REAL.get() else { std::process::abort() };
                    order::changes(place(signal));
                    // SAFETY: as the caller promised.
                    let result = unsafe { real(signal, $($argument),*) };
                    $(
                        let $before = result;
                        order::seen(calls::looks(), place(signal), $before);
                    )?
                    result
                }
            }
        )*
    };
    (@value $name:ident) => { hsa_signal_value_t };
}
atomics! {
    and_relaxed(value): hsa_signal_and_relaxed_fn
    and_scacquire(value): hsa_signal_and_scacquire_fn
    and_screlease(value): hsa_signal_and_screlease_fn
    and_scacq_screl(value): hsa_signal_and_scacq_screl_fn
    or_relaxed(value): hsa_signal_or_relaxed_fn
    or_scacquire(value): hsa_signal_or_scacquire_fn
    or_screlease(value): hsa_signal_or_screlease_fn
    or_scacq_screl(value): hsa_signal_or_scacq_screl_fn
    xor_relaxed(value): hsa_signal_xor_relaxed_fn
    xor_scacquire(value): hsa_signal_xor_scacquire_fn
    xor_screlease(value): hsa_signal_xor_screlease_fn
    xor_scacq_screl(value): hsa_signal_xor_scacq_screl_fn
    add_relaxed(value): hsa_signal_add_relaxed_fn
    add_scacquire(value): hsa_signal_add_scacquire_fn
    add_screlease(value): hsa_signal_add_screlease_fn
    add_scacq_screl(value): hsa_signal_add_scacq_screl_fn
    subtract_relaxed(value): hsa_signal_subtract_relaxed_fn
    subtract_scacquire(value): hsa_signal_subtract_scacquire_fn
    subtract_screlease(value): hsa_signal_subtract_screlease_fn
    subtract_scacq_screl(value): hsa_signal_subtract_scacq_screl_fn
    exchange_relaxed(value) gives before: hsa_signal_exchange_relaxed_fn
    exchange_scacquire(value) gives before: hsa_signal_exchange_scacquire_fn
    exchange_screlease(value) gives before: hsa_signal_exchange_screlease_fn
    exchange_scacq_screl(value) gives before: hsa_signal_exchange_scacq_screl_fn
    cas_relaxed(expected, value) gives before: hsa_signal_cas_relaxed_fn
    cas_scacquire(expected, value) gives before: hsa_signal_cas_scacquire_fn
    cas_screlease(expected, value) gives before: hsa_signal_cas_screlease_fn
    cas_scacq_screl(expected, value) gives before: hsa_signal_cas_scacq_screl_fn
}
