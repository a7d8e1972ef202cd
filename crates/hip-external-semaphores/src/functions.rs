//! The four functions, as programs call them.

use crate::gates::Gate;
use crate::log::log;
use crate::next;
use crate::semaphores::{self, Semaphore};
use hip_sys::*;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hipError_t as Code;

/// Semaphores of one call, and the values of those with timelines.
type Items = Vec<(Arc<Semaphore>, u64)>;

/// What a call returns. HIP is told of failures, for the program's `hipGetLastError`.
fn code(of: Result<(), hipError_t>) -> hipError_t {
    match of {
        Ok(()) => Code::hipSuccess,
        Err(code) => {
            next::remember(code);
            code
        }
    }
}

/// Imports the sync object behind a descriptor, which stays the program's.
///
/// # Safety
/// Both are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipImportExternalSemaphore(
    semaphore: *mut hipExternalSemaphore_t,
    description: *const hipExternalSemaphoreHandleDesc,
) -> hipError_t {
    // SAFETY: as promised by the caller.
    code(unsafe { import(semaphore, description) })
}

/// # Safety
/// As of [`hipImportExternalSemaphore`].
unsafe fn import(
    semaphore: *mut hipExternalSemaphore_t,
    description: *const hipExternalSemaphoreHandleDesc,
) -> Result<(), hipError_t> {
    use hipExternalSemaphoreHandleType as Kind;
    if semaphore.is_null() || description.is_null() {
        return Err(Code::hipErrorInvalidValue);
    }
    // SAFETY: not null, so valid as promised. Descriptors are integers, so any bytes are one.
    let (kind, fd) = unsafe { ((*description).type_, (*description).handle.fd) };
    let timeline = match kind {
        Kind::hipExternalSemaphoreHandleTypeOpaqueFd => false,
        Kind::hipExternalSemaphoreHandleTypeTimelineSemaphoreFd => true,
        _ if (1..=10).contains(&kind.0) => {
            log!("refused: semaphores of {kind:?}, which Linux has not");
            return Err(Code::hipErrorNotSupported);
        }
        _ => return Err(Code::hipErrorInvalidValue),
    };
    let name = semaphores::import(fd, timeline).map_err(|error| {
        log!("refused: descriptor {fd} is no sync object that a render node takes: {error}");
        match error.raw_os_error() {
            Some(libc::ENODEV | libc::EOPNOTSUPP | libc::ENOTTY) => Code::hipErrorNotSupported,
            Some(libc::ENOMEM | libc::EMFILE | libc::ENFILE) => Code::hipErrorOutOfMemory,
            _ => Code::hipErrorInvalidValue,
        }
    })?;
    log!("descriptor {fd} is semaphore {name:#x}, {}", if timeline { "a timeline" } else { "binary" });
    // SAFETY: not null, so valid as promised.
    unsafe { semaphore.write(std::ptr::without_provenance_mut(name)) };
    Ok(())
}

/// Destroys a semaphore. What is enqueued with it goes on, but a wait that has begun ends without it.
///
/// # Safety
/// Any value may be given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipDestroyExternalSemaphore(semaphore: hipExternalSemaphore_t) -> hipError_t {
    code(if semaphores::destroy(semaphore.addr()) { Ok(()) } else { Err(Code::hipErrorInvalidValue) })
}

/// Has a stream signal semaphores when all that it was given before is done.
///
/// # Safety
/// The arrays are null or of `count` values as the headers of the loaded HIP have them; `stream` is a stream, as HIP takes them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipSignalExternalSemaphoresAsync(
    semaphores: *const hipExternalSemaphore_t,
    params: *const hipExternalSemaphoreSignalParams,
    count: c_uint,
    stream: hipStream_t,
) -> hipError_t {
    // SAFETY: as promised by the caller.
    code(unsafe { signal(semaphores, params, count, stream) })
}

/// # Safety
/// As of [`hipSignalExternalSemaphoresAsync`].
unsafe fn signal(
    semaphores: *const hipExternalSemaphore_t,
    params: *const hipExternalSemaphoreSignalParams,
    count: c_uint,
    stream: hipStream_t,
) -> Result<(), hipError_t> {
    unsafe extern "C" fn signal(items: *mut c_void) {
        // SAFETY: the box of below, given once.
        for (semaphore, value) in *unsafe { Box::from_raw(items.cast::<Items>()) } {
            if let Err(error) = semaphore.signal(value) {
                semaphore.fails("a signal", &error);
            }
        }
    }
    // SAFETY: as promised by the caller.
    let items = unsafe { items(semaphores, params.cast(), count, stream) }?;
    let items = Box::into_raw(Box::new(items));
    // SAFETY: the function gets what it expects, once; the stream as promised by the caller.
    match unsafe { next::hipLaunchHostFunc(stream, Some(signal), items.cast()) } {
        Code::hipSuccess => Ok(()),
        code => {
            // SAFETY: the box of above, that HIP has not taken.
            drop(unsafe { Box::from_raw(items) });
            Err(code)
        }
    }
}

/// A wait of a stream.
struct Wait {
    items: Items,
    /// None when the stream is through, or the call failed.
    gate: Mutex<Option<Gate>>,
}

impl Wait {
    fn with_gate(&self, call: impl FnOnce(&mut Option<Gate>)) {
        call(&mut self.gate.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits, and lets the stream through, however that ended: a stream that is held for good would take the program with it.
    fn run(&self) {
        for (semaphore, value) in &self.items {
            if let Err(error) = semaphore.wait(*value) {
                semaphore.fails("a wait", &error);
            }
        }
        self.with_gate(|gate| _ = gate.as_ref().map(Gate::open));
    }
}

/// Has a stream go on when semaphores have been signaled. Neither the caller waits nor the threads of HIP's.
///
/// # Safety
/// As of [`hipSignalExternalSemaphoresAsync`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hipWaitExternalSemaphoresAsync(
    semaphores: *const hipExternalSemaphore_t,
    params: *const hipExternalSemaphoreWaitParams,
    count: c_uint,
    stream: hipStream_t,
) -> hipError_t {
    // SAFETY: as promised by the caller.
    code(unsafe { wait(semaphores, params, count, stream) })
}

/// # Safety
/// As of [`hipWaitExternalSemaphoresAsync`].
unsafe fn wait(
    semaphores: *const hipExternalSemaphore_t,
    params: *const hipExternalSemaphoreWaitParams,
    count: c_uint,
    stream: hipStream_t,
) -> Result<(), hipError_t> {
    /// The stream has come: a binary semaphore's signal may be taken now, and not by a wait that comes later.
    unsafe extern "C" fn begin(wait: *mut c_void) {
        // SAFETY: a reference of below, given once.
        let wait = unsafe { Arc::from_raw(wait.cast::<Wait>()) };
        let mut given_up = false;
        wait.with_gate(|gate| given_up = gate.is_none());
        if given_up {
            return;
        }
        let waits = wait.clone();
        let thread = std::thread::Builder::new().name("hip-semaphore".to_owned());
        if let Err(error) = thread.spawn(move || without_signals(|| waits.run())) {
            wait.items.iter().for_each(|(semaphore, _)| semaphore.fails("a wait's thread", &error));
            wait.with_gate(|gate| _ = gate.as_ref().map(Gate::open));
        }
    }
    unsafe extern "C" fn through(wait: *mut c_void) {
        // SAFETY: a reference of below, given once.
        let wait = unsafe { Arc::from_raw(wait.cast::<Wait>()) };
        wait.with_gate(|gate| _ = gate.take().map(Gate::reuse));
    }
    // SAFETY: as promised by the caller.
    let items = unsafe { items(semaphores, params.cast(), count, stream) }?;
    let wait = Arc::new(Wait { items, gate: Mutex::new(Some(Gate::closed()?)) });
    let launch = |function: unsafe extern "C" fn(*mut c_void)| {
        let data = Arc::into_raw(wait.clone());
        // SAFETY: the function gets what it expects, once; the stream as promised by the caller.
        match unsafe { next::hipLaunchHostFunc(stream, Some(function), data.cast_mut().cast()) } {
            Code::hipSuccess => Ok(()),
            code => {
                // SAFETY: the reference of above, that HIP has not taken.
                drop(unsafe { Arc::from_raw(data) });
                Err(code)
            }
        }
    };
    launch(begin).inspect_err(|_| wait.with_gate(|gate| _ = gate.take().map(Gate::reuse)))?;
    let mut held = Ok(());
    // SAFETY: the stream as promised by the caller.
    wait.with_gate(|gate| held = gate.as_ref().map_or(Ok(()), |gate| unsafe { gate.hold(stream) }));
    held.inspect_err(|_| wait.with_gate(|gate| *gate = None))?;
    // If that fails, the stream waits all the same; the gate is not used again.
    _ = launch(through);
    Ok(())
}

/// Runs `call` in a thread that handles none of the program's signals.
fn without_signals(call: impl FnOnce()) {
    // SAFETY: a set that is filled first.
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
    call();
}

/// The semaphores and values of a call; none of it is done if anything is wrong.
///
/// # Safety
/// As of [`hipSignalExternalSemaphoresAsync`], whose parameters begin as those of waits do.
unsafe fn items(
    names: *const hipExternalSemaphore_t,
    params: *const u8,
    count: c_uint,
    stream: hipStream_t,
) -> Result<Items, hipError_t> {
    if names.is_null() || params.is_null() {
        return Err(Code::hipErrorInvalidValue);
    }
    let mut capturing = hipStreamCaptureStatus::hipStreamCaptureStatusNone;
    // SAFETY: writes the status; the stream as promised by the caller.
    match unsafe { next::hipStreamIsCapturing(stream, &mut capturing) } {
        Code::hipSuccess => {}
        // What HIP's other functions say of a stream that is none. These two are to say that a value is wrong.
        Code::hipErrorContextIsDestroyed | Code::hipErrorInvalidHandle => return Err(Code::hipErrorInvalidValue),
        code => return Err(code),
    }
    if capturing != hipStreamCaptureStatus::hipStreamCaptureStatusNone {
        log!("refused: a stream that is captured");
        return Err(Code::hipErrorStreamCaptureUnsupported);
    }
    // Bytes of a struct, and where its flags are. Those of HIP 5 lack `nvSciSync`.
    let (size, flags_at) = if major()? < 6 { (136, 64) } else { (144, 72) };
    let mut items = Items::new();
    for nth in 0..count as usize {
        // SAFETY: in the arrays, as promised by the caller. The value is first in each.
        let (name, value, flags) = unsafe {
            let of = params.add(nth * size);
            (
                (*names.add(nth)).addr(),
                of.cast::<u64>().read_unaligned(),
                of.add(flags_at).cast::<c_uint>().read_unaligned(),
            )
        };
        let Some(semaphore) = semaphores::find(name).filter(|_| flags == 0) else {
            log!("refused: {name:#x}, number {nth} of the call, with the flags {flags:#x}: no semaphore, or flags");
            return Err(Code::hipErrorInvalidValue);
        };
        if semaphore.failed() {
            return Err(Code::hipErrorUnknown);
        }
        items.push((semaphore, value));
    }
    Ok(items)
}

/// HIP's major version, asked for once.
fn major() -> Result<c_int, hipError_t> {
    static MAJOR: AtomicI32 = AtomicI32::new(0);
    match MAJOR.load(Ordering::Relaxed) {
        0 => {}
        known => return Ok(known),
    }
    let mut version = 0;
    // SAFETY: writes the number.
    match unsafe { next::hipRuntimeGetVersion(&mut version) } {
        Code::hipSuccess => {
            let major = version / 10_000_000;
            MAJOR.store(major, Ordering::Relaxed);
            Ok(major)
        }
        code => Err(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_of_newer_headers_are_as_long_as_is_assumed() {
        assert_eq!(size_of::<hipExternalSemaphoreSignalParams>(), 144);
        assert_eq!(size_of::<hipExternalSemaphoreWaitParams>(), 144);
        assert_eq!(std::mem::offset_of!(hipExternalSemaphoreSignalParams_st, flags), 72);
        assert_eq!(std::mem::offset_of!(hipExternalSemaphoreWaitParams_st, flags), 72);
    }
}
