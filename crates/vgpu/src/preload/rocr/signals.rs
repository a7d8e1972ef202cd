//! The host's reads of signals, which tell it that packets have completed, for race detection between packets. HIP and
//! OpenCL wait only in this way.

mod atomics;
mod calls;
mod copies;
mod packets;
mod several;

use crate::hardware::checks::order::Reader;
use crate::hardware::checks::{order, pinned};
use hsa_sys::{
    AmdExtTable, CoreApiTable, hsa_agent_t, hsa_amd_signal_handler, hsa_signal_condition_t, hsa_signal_t,
    hsa_signal_value_t, hsa_status_t, hsa_wait_state_t,
};
use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::OnceLock;

type Load = unsafe extern "C" fn(hsa_signal_t) -> hsa_signal_value_t;
type Store = unsafe extern "C" fn(hsa_signal_t, hsa_signal_value_t);
type Wait = unsafe extern "C" fn(
    hsa_signal_t,
    hsa_signal_condition_t,
    hsa_signal_value_t,
    u64,
    hsa_wait_state_t,
) -> hsa_signal_value_t;
type WaitAny = unsafe extern "C" fn(
    u32,
    *mut hsa_signal_t,
    *mut hsa_signal_condition_t,
    *mut hsa_signal_value_t,
    u64,
    hsa_wait_state_t,
    *mut hsa_signal_value_t,
) -> u32;
type Create = unsafe extern "C" fn(hsa_signal_value_t, u32, *const hsa_agent_t, *mut hsa_signal_t) -> hsa_status_t;
type Handle = unsafe extern "C" fn(
    hsa_signal_t,
    hsa_signal_condition_t,
    hsa_signal_value_t,
    hsa_amd_signal_handler,
    *mut c_void,
) -> hsa_status_t;

/// ROCr's own functions.
struct Real {
    create: Create,
    load_relaxed: Load,
    load_scacquire: Load,
    store_relaxed: Store,
    store_screlease: Store,
    silent_store_relaxed: Store,
    silent_store_screlease: Store,
    wait_relaxed: Wait,
    wait_scacquire: Wait,
    wait_any: WaitAny,
    handle: Handle,
}

static REAL: OnceLock<Real> = OnceLock::new();

/// Replaces the signal functions in ROCr's tables by this library's. Returns whether the tables have them.
///
/// # Safety
/// The tables are ROCr's.
pub unsafe fn watch(core: *mut CoreApiTable, amd: *mut AmdExtTable) -> bool {
    macro_rules! replace {
        ($($name:ident: $table:ident.$entry:ident,)*) => {
            // SAFETY: ROCr's tables have these entries in all versions.
            unsafe {
                let real = Real {
                    $($name: match (&raw const (*$table).$entry).read() {
                        Some(function) => function,
                        None => return false,
                    },)*
                };
                // Another load of ROCr in this process has the same functions.
                let _ = REAL.set(real);
                $((&raw mut (*$table).$entry).write(Some($name));)*
            }
        };
    }
    replace! {
        create: core.hsa_signal_create_fn,
        load_relaxed: core.hsa_signal_load_relaxed_fn,
        load_scacquire: core.hsa_signal_load_scacquire_fn,
        store_relaxed: core.hsa_signal_store_relaxed_fn,
        store_screlease: core.hsa_signal_store_screlease_fn,
        silent_store_relaxed: core.hsa_signal_silent_store_relaxed_fn,
        silent_store_screlease: core.hsa_signal_silent_store_screlease_fn,
        wait_relaxed: core.hsa_signal_wait_relaxed_fn,
        wait_scacquire: core.hsa_signal_wait_scacquire_fn,
        wait_any: amd.hsa_amd_signal_wait_any_fn,
        handle: amd.hsa_amd_signal_async_handler_fn,
    }
    // SAFETY: the tables are ROCr's.
    unsafe {
        several::watch(core, amd);
        atomics::watch(core);
        packets::watch(core);
        copies::watch(amd);
    }
    order::has_runtime();
    calls::watch();
    true
}

/// Whether the table is ROCr's of version 6.4 or later, which has a wait for all of several signals.
///
/// # Safety
/// The table is ROCr's.
unsafe fn is_of_6_4(amd: *mut AmdExtTable) -> bool {
    // SAFETY: it is at the start of all versions' tables, and has the table's size.
    let size = unsafe { (&raw const (*amd).version.minor_id).read() } as usize;
    size >= offset_of!(AmdExtTable, hsa_amd_signal_wait_all_fn) + size_of::<usize>()
}

/// Offsets in `amd_signal_t` (`amd_hsa_signal.h`).
const VALUE: u64 = 8;
const QUEUE: usize = 48;
/// `AMD_SIGNAL_KIND_USER`. Those of doorbells are less than 0.
const USER: i64 = 1;

fn place(signal: hsa_signal_t) -> u64 {
    signal.handle.wrapping_add(VALUE)
}

/// The host is about to store to a signal: a doorbell is one too.
///
/// # Safety
/// The signal is one.
unsafe fn stores(signal: hsa_signal_t, value: hsa_signal_value_t) {
    let start: *const u8 = std::ptr::with_exposed_provenance(signal.handle as usize);
    // SAFETY: the structure is ROCr's, of 64 bytes, and what kind it is does not change.
    match unsafe { start.cast::<i64>().read() } {
        USER => order::put(place(signal), value),
        kind if kind < 0 => {
            // SAFETY: as above; so with its queue.
            let queue = unsafe { start.add(QUEUE).cast::<u64>().read() };
            order::enqueues(calls::reader(), queue, value as u64);
        }
        _ => {}
    }
}

/// ROCr's own functions, which the replacements forward to. They are called only after the tables were changed.
macro_rules! real {
    () => {
        match REAL.get() {
            Some(real) => real,
            None => std::process::abort(),
        }
    };
}

/// What a signal has, without the host's having seen it.
///
/// # Safety
/// The signal is one.
unsafe fn value(signal: hsa_signal_t) -> hsa_signal_value_t {
    // SAFETY: as the caller promised.
    unsafe { (real!().load_relaxed)(signal) }
}

unsafe extern "C" fn create(
    value: hsa_signal_value_t,
    count: u32,
    consumers: *const hsa_agent_t,
    signal: *mut hsa_signal_t,
) -> hsa_status_t {
    // SAFETY: as the caller promised.
    let status = unsafe { (real!().create)(value, count, consumers, signal) };
    // HIP makes signals for its queues, and may have come behind ROCr.
    calls::watch();
    if status == hsa_status_t::HSA_STATUS_SUCCESS {
        // SAFETY: it succeeded, so that it wrote there.
        order::put(place(unsafe { *signal }), value);
    }
    status
}

/// The program destroys a signal.
pub fn destroyed(signal: hsa_signal_t) {
    order::forget(place(signal));
    pinned::forget_signal(place(signal));
}

macro_rules! loads {
    ($($name:ident)*) => {$(
        unsafe extern "C" fn $name(signal: hsa_signal_t) -> hsa_signal_value_t {
            // SAFETY: as the caller promised.
            let value = unsafe { (real!().$name)(signal) };
            order::seen(calls::looks(), place(signal), value);
            value
        }
    )*};
}
loads!(load_relaxed load_scacquire);

macro_rules! stores {
    ($($name:ident)*) => {$(
        unsafe extern "C" fn $name(signal: hsa_signal_t, value: hsa_signal_value_t) {
            // SAFETY: as the caller promised.
            unsafe {
                stores(signal, value);
                (real!().$name)(signal, value);
            }
        }
    )*};
}
stores!(store_relaxed store_screlease silent_store_relaxed silent_store_screlease);

macro_rules! waits {
    ($($name:ident)*) => {$(
        unsafe extern "C" fn $name(
            signal: hsa_signal_t,
            condition: hsa_signal_condition_t,
            compare: hsa_signal_value_t,
            timeout: u64,
            state: hsa_wait_state_t,
        ) -> hsa_signal_value_t {
            // SAFETY: as the caller promised.
            let value = unsafe { (real!().$name)(signal, condition, compare, timeout, state) };
            order::seen(calls::looks(), place(signal), value);
            value
        }
    )*};
}
waits!(wait_relaxed wait_scacquire);

unsafe extern "C" fn wait_any(
    count: u32,
    signals: *mut hsa_signal_t,
    conditions: *mut hsa_signal_condition_t,
    values: *mut hsa_signal_value_t,
    timeout: u64,
    state: hsa_wait_state_t,
    satisfying: *mut hsa_signal_value_t,
) -> u32 {
    let mut value = 0;
    // SAFETY: as the caller promised, with a place for the value in any case.
    let index = unsafe { (real!().wait_any)(count, signals, conditions, values, timeout, state, &raw mut value) };
    if index < count {
        // SAFETY: there are `count`.
        order::seen(calls::looks(), place(unsafe { *signals.add(index as usize) }), value);
    }
    if !satisfying.is_null() {
        // SAFETY: the caller wants it there.
        unsafe { satisfying.write(value) };
    }
    index
}

/// A handler of the program's, and what it is called with.
struct Handler {
    signal: hsa_signal_t,
    /// Who learns that the signal has changed.
    reader: Reader,
    handler: unsafe extern "C" fn(hsa_signal_value_t, *mut c_void) -> bool,
    argument: *mut c_void,
}

unsafe extern "C" fn handle(
    signal: hsa_signal_t,
    condition: hsa_signal_condition_t,
    compare: hsa_signal_value_t,
    handler: hsa_amd_signal_handler,
    argument: *mut c_void,
) -> hsa_status_t {
    let Some(function) = handler else {
        // SAFETY: as the caller promised.
        return unsafe { (real!().handle)(signal, condition, compare, handler, argument) };
    };
    let own =
        Box::into_raw(Box::new(Handler { signal, reader: calls::reader_of_handler(), handler: function, argument }));
    // SAFETY: as the caller promised, with a handler that wants this argument.
    let status = unsafe { (real!().handle)(signal, condition, compare, Some(handled), own.cast()) };
    if status != hsa_status_t::HSA_STATUS_SUCCESS {
        // SAFETY: nobody else has it.
        drop(unsafe { Box::from_raw(own) });
    }
    status
}

/// ROCr's thread has seen the signal.
unsafe extern "C" fn handled(value: hsa_signal_value_t, argument: *mut c_void) -> bool {
    // SAFETY: `handle` gave it, and it is there until the handler says that it is done.
    let Handler { signal, reader, handler, argument: own } = unsafe { &*argument.cast::<Handler>() };
    order::seen(*reader, place(*signal), value);
    // SAFETY: as whoever gave the handler promised.
    let again = calls::on_behalf(*reader, || unsafe { handler(value, *own) });
    if !again {
        // SAFETY: it is not called again.
        drop(unsafe { Box::from_raw(argument.cast::<Handler>()) });
    }
    again
}
