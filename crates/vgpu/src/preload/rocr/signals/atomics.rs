//! Atomics of the host on signals: HIP lets a stream go on behind a callback by one.

use super::place;
use crate::hardware::checks::order;
use hsa_sys::{CoreApiTable, hsa_signal_t, hsa_signal_value_t};
use std::sync::OnceLock;

/// Atomics of one argument that give nothing, and the entry of ROCr's table that has each.
macro_rules! changes {
    ($($name:ident: $entry:ident)*) => {
        /// Puts this library's functions into ROCr's table, in place of those that there are.
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
            // SAFETY: as the caller promised.
            unsafe { watch_others(core) }
        }

        $(
            mod $name {
                use super::*;

                pub static REAL: OnceLock<unsafe extern "C" fn(hsa_signal_t, hsa_signal_value_t)> = OnceLock::new();

                pub unsafe extern "C" fn own(signal: hsa_signal_t, value: hsa_signal_value_t) {
                    // It is in the table only once ROCr's is known.
                    let Some(real) = REAL.get() else { std::process::abort() };
                    order::changes();
                    // SAFETY: as the caller promised.
                    unsafe { real(signal, value) }
                }
            }
        )*
    };
}
changes! {
    and_relaxed: hsa_signal_and_relaxed_fn
    and_scacquire: hsa_signal_and_scacquire_fn
    and_screlease: hsa_signal_and_screlease_fn
    and_scacq_screl: hsa_signal_and_scacq_screl_fn
    or_relaxed: hsa_signal_or_relaxed_fn
    or_scacquire: hsa_signal_or_scacquire_fn
    or_screlease: hsa_signal_or_screlease_fn
    or_scacq_screl: hsa_signal_or_scacq_screl_fn
    xor_relaxed: hsa_signal_xor_relaxed_fn
    xor_scacquire: hsa_signal_xor_scacquire_fn
    xor_screlease: hsa_signal_xor_screlease_fn
    xor_scacq_screl: hsa_signal_xor_scacq_screl_fn
    add_relaxed: hsa_signal_add_relaxed_fn
    add_scacquire: hsa_signal_add_scacquire_fn
    add_screlease: hsa_signal_add_screlease_fn
    add_scacq_screl: hsa_signal_add_scacq_screl_fn
    subtract_relaxed: hsa_signal_subtract_relaxed_fn
    subtract_scacquire: hsa_signal_subtract_scacquire_fn
    subtract_screlease: hsa_signal_subtract_screlease_fn
    subtract_scacq_screl: hsa_signal_subtract_scacq_screl_fn
}

/// Those that give what was there before, which the host has seen then.
macro_rules! exchanges {
    ($($name:ident($($argument:ident),*): $entry:ident)*) => {
        /// As [`watch`], for the others.
        ///
        /// # Safety
        /// As of [`watch`].
        unsafe fn watch_others(core: *mut CoreApiTable) {
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

                type Function = unsafe extern "C" fn(
                    hsa_signal_t,
                    $(exchanges!(@type $argument)),*
                ) -> hsa_signal_value_t;

                pub static REAL: OnceLock<Function> = OnceLock::new();

                pub unsafe extern "C" fn own(
                    signal: hsa_signal_t,
                    $($argument: hsa_signal_value_t),*
                ) -> hsa_signal_value_t {
                    // It is in the table only once ROCr's is known.
                    let Some(real) = REAL.get() else { std::process::abort() };
                    order::changes();
                    // SAFETY: as the caller promised.
                    let before = unsafe { real(signal, $($argument),*) };
                    order::seen(place(signal), before);
                    before
                }
            }
        )*
    };
    (@type $argument:ident) => { hsa_signal_value_t };
}
exchanges! {
    exchange_relaxed(value): hsa_signal_exchange_relaxed_fn
    exchange_scacquire(value): hsa_signal_exchange_scacquire_fn
    exchange_screlease(value): hsa_signal_exchange_screlease_fn
    exchange_scacq_screl(value): hsa_signal_exchange_scacq_screl_fn
    cas_relaxed(expected, value): hsa_signal_cas_relaxed_fn
    cas_scacquire(expected, value): hsa_signal_cas_scacquire_fn
    cas_screlease(expected, value): hsa_signal_cas_screlease_fn
    cas_scacq_screl(expected, value): hsa_signal_cas_scacq_screl_fn
}
