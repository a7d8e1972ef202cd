//! `hsa_signal_wait_scacquire`, by which HIP and OpenCL wait: who would look at a signal without a pause sleeps once he has looked for a while.
//!
//! On hardware such a wait takes nothing from the GPU. Here the device needs the CPU, and where others want it too, the program has used up its share of it by the time
//! that there is work for it.

use crate::driver::sysfs;
use crate::hardware::sleepers;
use hsa_sys::{hsa_signal_condition_t as Condition, hsa_signal_t, hsa_signal_value_t, hsa_wait_state_t};
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

type Wait =
    unsafe extern "C" fn(hsa_signal_t, Condition, hsa_signal_value_t, u64, hsa_wait_state_t) -> hsa_signal_value_t;

const NAME: &CStr = c"hsa_signal_wait_scacquire";
/// How long it looks without a pause: longer than small kernels take. Not if the last wait took twice as long, as the next one mostly does then too: for large kernels, or where others
/// want the CPU.
const SPIN: Duration = Duration::from_micros(100);
/// The start of `amd_signal_t` (`amd_hsa_signal.h`): the kind and the value. `AMD_SIGNAL_KIND_USER`.
type Signal = [AtomicI64; 2];
const USER: i64 = 1;

/// What stands in front of ROCr's function.
#[derive(Clone, Copy)]
struct Next {
    function: Wait,
    /// It is ROCr's, and not that of a tool that takes the time of calls.
    is_last: bool,
}

/// ROCr's function. Its caller's address is passed on, as it says which ROCr that is.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn hsa_signal_wait_scacquire(
    signal: hsa_signal_t,
    condition: Condition,
    compare: hsa_signal_value_t,
    timeout: u64,
    state: hsa_wait_state_t,
) -> hsa_signal_value_t {
    // The sixth argument. A jump leaves all others where they are.
    std::arch::naked_asm!("mov r9, [rsp]", "jmp {wait}", wait = sym wait)
}

/// # Safety
/// That of the function.
unsafe extern "C" fn wait(
    signal: hsa_signal_t,
    condition: Condition,
    compare: hsa_signal_value_t,
    timeout: u64,
    state: hsa_wait_state_t,
    caller: *mut c_void,
) -> hsa_signal_value_t {
    let next = next(caller);
    // SAFETY: as the caller promised.
    let call = |timeout| unsafe { (next.function)(signal, condition, compare, timeout, state) };
    let pauses = state != hsa_wait_state_t::HSA_WAIT_STATE_ACTIVE;
    let place: *const Signal = std::ptr::with_exposed_provenance(signal.handle as usize);
    if pauses || !next.is_last || place.is_null() || sysfs::tree().is_none() {
        return call(timeout);
    }
    // SAFETY: the caller promised a signal, which is there while somebody waits for it.
    let [kind, value] = unsafe { &*place };
    if kind.load(Ordering::Relaxed) != USER {
        return call(timeout);
    }
    let ends = |value: &hsa_signal_value_t| match condition {
        Condition::HSA_SIGNAL_CONDITION_EQ => *value == compare,
        Condition::HSA_SIGNAL_CONDITION_NE => *value != compare,
        Condition::HSA_SIGNAL_CONDITION_LT => *value < compare,
        Condition::HSA_SIGNAL_CONDITION_GTE => *value >= compare,
        // Nothing that ROCr knows either.
        _ => true,
    };
    // What the program gets, and sees of memory, is ROCr's to say.
    let look = || ends(&value.load(Ordering::Relaxed)).then(|| call(0)).filter(ends);
    if let Some(value) = look() {
        return value;
    }
    /// Nanoseconds, of any thread.
    static LAST: AtomicU64 = AtomicU64::new(0);
    let start = Instant::now();
    // The driver says that the clock has ticks of a nanosecond.
    let timeout = Duration::from_nanos(timeout);
    let spin = if Duration::from_nanos(LAST.load(Ordering::Relaxed)) < 2 * SPIN { SPIN } else { Duration::ZERO };
    let mut found = None;
    while found.is_none() && start.elapsed() < spin.min(timeout) {
        std::hint::spin_loop();
        found = look();
    }
    let found = found.or_else(|| sleepers::sleep(look, || start.elapsed() >= timeout));
    LAST.store(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
    found.unwrap_or_else(|| call(0))
}

/// What the code at `caller` would call without this library.
fn next(caller: *mut c_void) -> Next {
    /// Calls of AMD's runtimes, which have a few.
    static KNOWN: [OnceLock<(usize, Next)>; 16] = [const { OnceLock::new() }; 16];
    for known in &KNOWN {
        match known.get() {
            Some((address, next)) if *address == caller.addr() => return *next,
            Some(_) => {}
            None => {
                let next = find(caller);
                // Another thread may have taken it for another call.
                let _ = known.set((caller.addr(), next));
                return next;
            }
        }
    }
    find(caller)
}

/// As the loader does: in all libraries that everybody sees, then in those that the caller's library is linked with. Python's packages may bring a ROCr of their own each.
fn find(caller: *mut c_void) -> Next {
    // SAFETY: the name is a C string.
    let mut found = unsafe { libc::dlsym(libc::RTLD_NEXT, NAME.as_ptr()) };
    if let Some(library) = library(caller).filter(|_| found.is_null()) {
        // SAFETY: C strings. The library is loaded already and stays, as it waits for an answer.
        unsafe {
            // The failure is not the program's.
            libc::dlerror();
            let handle = libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
            if !handle.is_null() {
                found = libc::dlsym(handle, NAME.as_ptr());
                libc::dlclose(handle);
            }
        }
    }
    if found.is_null() {
        // Nobody is linked with a function that is nowhere.
        std::process::abort();
    }
    let is_last =
        library(found).is_some_and(|library| library.to_bytes().windows(16).any(|part| part == b"libhsa-runtime64"));
    // SAFETY: it has this type.
    Next { function: unsafe { std::mem::transmute::<*mut c_void, Wait>(found) }, is_last }
}

/// The file of the library that has `address`.
fn library<'a>(address: *mut c_void) -> Option<&'a CStr> {
    let mut info =
        libc::Dl_info { dli_fname: null_mut(), dli_fbase: null_mut(), dli_sname: null_mut(), dli_saddr: null_mut() };
    // SAFETY: it is valid for writing. The name is the loader's, and there as long as the library is.
    unsafe { libc::dladdr(address, &raw mut info) };
    // SAFETY: as above.
    (!info.dli_fname.is_null()).then(|| unsafe { CStr::from_ptr(info.dli_fname) })
}
