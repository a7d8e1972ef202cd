//! `hsa_signal_wait_scacquire`, by which HIP and OpenCL wait. A thread that polls a signal without pause is put to
//! sleep after a while.
//!
//! On hardware such a wait takes nothing from the GPU. Here the device needs the CPU, and where others want it too, the
//! program has used up its share of it by the time that there is work for it.

use crate::driver::sysfs;
use crate::hardware::sleepers;
use hsa_sys::{hsa_signal_condition_t as Condition, hsa_signal_t, hsa_signal_value_t, hsa_wait_state_t};
use interposition::dlsym::{is_called, next_or_loaded, object_of};
use std::ffi::{CStr, c_void};
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
    const ROCR: &str = "libhsa-runtime64";
    let Some(function) = next_or_loaded(NAME, ROCR) else {
        // Nobody is linked with a function that is nowhere.
        std::process::abort();
    };
    let is_last = object_of(function.addr()).is_some_and(|file| is_called(file, ROCR));
    // SAFETY: it has this type.
    Next { function: unsafe { std::mem::transmute::<*mut c_void, Wait>(function) }, is_last }
}
