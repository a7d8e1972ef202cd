//! `hsa_signal_wait_scacquire`, by which HIP and OpenCL wait. A thread that polls a signal without pause is put to
//! sleep after a while.
//!
//! On hardware such a wait takes nothing from the GPU. Here the device needs the CPU, and where others want it too, the
//! program has used up its share of it by the time that there is work for it.

use crate::driver::sysfs;
use crate::hardware::sleepers;
use bundled_preload::dlsym::{self, next, object_of, or_forget_error};
use hsa_sys::{hsa_signal_condition_t as Condition, hsa_signal_t, hsa_signal_value_t, hsa_wait_state_t};
use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

type Wait =
    unsafe extern "C" fn(hsa_signal_t, Condition, hsa_signal_value_t, u64, hsa_wait_state_t) -> hsa_signal_value_t;

const NAME: &CStr = c"hsa_signal_wait_scacquire";
/// How long it looks without a pause: longer than small kernels take. Not if the last wait took twice as long, as the
/// next one mostly does then too: for large kernels, or where others want the CPU.
const SPIN: Duration = Duration::from_micros(100);
/// The start of `amd_signal_t` (`amd_hsa_signal.h`): the kind and the value. `AMD_SIGNAL_KIND_USER`.
type Signal = [AtomicI64; 2];
const USER: i64 = 1;

/// The function behind this library's.
struct Next {
    function: Wait,
    /// It is ROCr's, and not that of a tool that takes the time of calls.
    is_last: bool,
}

/// ROCr's function.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_signal_wait_scacquire(
    signal: hsa_signal_t,
    condition: Condition,
    compare: hsa_signal_value_t,
    timeout: u64,
    state: hsa_wait_state_t,
) -> hsa_signal_value_t {
    static NEXT: OnceLock<Next> = OnceLock::new();
    let next = NEXT.get_or_init(find);
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

/// In the libraries that all others see, or else in a ROCr that is for some alone, as the modules of interpreters are.
/// A signal is good for each that there is.
fn find() -> Next {
    let function = next(NAME).or_else(|| {
        let file = runtime()?;
        // SAFETY: a C string. The library is loaded already.
        let handle = or_forget_error(unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) })?;
        // It stays open, so that the function stays there.
        // SAFETY: it was just opened.
        unsafe { dlsym::find(handle, NAME) }
    });
    let Some(function) = function else {
        // Nobody is linked with a function that is nowhere.
        std::process::abort();
    };
    let is_last = object_of(function.addr()).is_some_and(is_runtime);
    // SAFETY: it has this type.
    Next { function: unsafe { std::mem::transmute::<*mut c_void, Wait>(function) }, is_last }
}

fn is_runtime(file: &CStr) -> bool {
    let name = file.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    name.starts_with(b"libhsa-runtime64")
}

/// The file of a ROCr that is loaded. It is not opened while the loader's list is walked: their locks are taken in the
/// other order.
fn runtime() -> Option<CString> {
    unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
        // SAFETY: `dl_iterate_phdr` passes both on.
        let (info, found) = unsafe { (&*info, &mut *found.cast::<Option<CString>>()) };
        if info.dlpi_name.is_null() {
            return 0;
        }
        // SAFETY: the name is a C string.
        let file = unsafe { CStr::from_ptr(info.dlpi_name) };
        *found = is_runtime(file).then(|| file.to_owned());
        c_int::from(found.is_some())
    }
    let mut found = None;
    // SAFETY: the function is as it wants it, and gets this place.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut found).cast()) };
    found
}
