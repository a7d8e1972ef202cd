//! Import, signal, wait and destroy.

use crate::functions::next;
use crate::gates::Gate;
use crate::log::log;
use crate::native;
use crate::semaphores::{self, Semaphore};
use hip_sys::*;
use interposition::caught;
use std::ffi::{c_int, c_uint, c_void};
use std::io::Write;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use hipError_t as Code;

/// Semaphores of one call, and the values of those with timelines.
type Items = Vec<(Arc<Semaphore>, u64)>;

/// What a call returns: what HIP says, where HIP has external semaphores itself, else what this library does. HIP is
/// told of failures, for the program's `hipGetLastError`.
fn answer(of_hip: impl FnOnce() -> Code, own: impl FnOnce() -> Result<(), Code>) -> Code {
    if native::has_semaphores() {
        return of_hip();
    }
    match own() {
        Ok(()) => Code::hipSuccess,
        Err(code) => {
            native::remember(code);
            code
        }
    }
}

/// Imports the sync object of a descriptor. The descriptor stays the program's.
///
/// # Safety
/// Both are null or valid.
pub unsafe fn import_semaphore(
    semaphore: *mut hipExternalSemaphore_t,
    description: *const hipExternalSemaphoreHandleDesc,
) -> hipError_t {
    // SAFETY: as promised by the caller.
    answer(
        || unsafe { next::hipImportExternalSemaphore(semaphore, description) },
        || unsafe { import(semaphore, description) },
    )
}

/// # Safety
/// As of [`import_semaphore`].
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

/// Destroys a semaphore. Enqueued operations on it continue: a wait still ends when the value is signaled, and not
/// before.
///
/// # Safety
/// Any value may be given.
pub unsafe fn destroy_semaphore(semaphore: hipExternalSemaphore_t) -> hipError_t {
    let own = || if semaphores::destroy(semaphore.addr()) { Ok(()) } else { Err(Code::hipErrorInvalidValue) };
    // SAFETY: HIP's function takes any value too.
    answer(|| unsafe { next::hipDestroyExternalSemaphore(semaphore) }, own)
}

/// Makes a stream signal semaphores after all earlier work of the stream has completed.
///
/// # Safety
/// The arrays are null or of `count` values as the headers of the loaded HIP have them; `stream` is a stream, as HIP
/// takes them.
pub unsafe fn signal_semaphores(
    semaphores: *const hipExternalSemaphore_t,
    params: *const hipExternalSemaphoreSignalParams,
    count: c_uint,
    stream: hipStream_t,
) -> hipError_t {
    // SAFETY: as promised by the caller.
    answer(
        || unsafe { next::hipSignalExternalSemaphoresAsync(semaphores, params, count, stream) },
        || unsafe { signal(semaphores, params, count, stream) },
    )
}

/// # Safety
/// As of [`signal_semaphores`].
unsafe fn signal(
    semaphores: *const hipExternalSemaphore_t,
    params: *const hipExternalSemaphoreSignalParams,
    count: c_uint,
    stream: hipStream_t,
) -> Result<(), hipError_t> {
    unsafe extern "C" fn signal(items: *mut c_void) {
        caught(|| {
            // SAFETY: the box of below, given once.
            for (semaphore, value) in *unsafe { Box::from_raw(items.cast::<Items>()) } {
                if let Err(error) = semaphore.signal(value) {
                    semaphore.fails(&error);
                }
            }
        });
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
    fn with_gate<T>(&self, call: impl FnOnce(&mut Option<Gate>) -> T) -> T {
        call(&mut self.gate.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits, once the stream has come here, and lets it through. A binary semaphore's signal may be taken then, and
    /// not by a wait that comes later.
    fn run(&self, stream: &Receiver<()>) {
        // The call failed where nobody sends or there is no gate any more.
        if stream.recv().is_err() || self.with_gate(|gate| gate.is_none()) {
            return;
        }
        for (semaphore, value) in &self.items {
            if let Err(error) = semaphore.wait(*value) {
                end_the_process(format_args!("semaphore {:p} cannot be waited for: {error}", Arc::as_ptr(semaphore)));
            }
        }
        self.with_gate(|gate| _ = gate.as_ref().map(Gate::open));
    }
}

/// Ends the process. HIP has no way to fail a stream: work enqueued after the wait would either run without the wait,
/// or never complete.
fn end_the_process(reason: std::fmt::Arguments<'_>) -> ! {
    log!("{reason}; the process ends, as a stream must not go on without its wait");
    let text =
        format!("hip-external-semaphores: {reason}; a stream must not go on without its wait, so the process ends\n");
    // Not `eprintln!`, which panics where the program has no standard error.
    _ = std::io::stderr().write_all(text.as_bytes());
    std::process::abort()
}

/// Makes a stream wait until semaphores are signaled. Neither the caller nor HIP's threads wait.
///
/// # Safety
/// As of [`signal_semaphores`].
pub unsafe fn wait_for_semaphores(
    semaphores: *const hipExternalSemaphore_t,
    params: *const hipExternalSemaphoreWaitParams,
    count: c_uint,
    stream: hipStream_t,
) -> hipError_t {
    // SAFETY: as promised by the caller.
    answer(
        || unsafe { next::hipWaitExternalSemaphoresAsync(semaphores, params, count, stream) },
        || unsafe { wait(semaphores, params, count, stream) },
    )
}

/// # Safety
/// As of [`wait_for_semaphores`].
unsafe fn wait(
    semaphores: *const hipExternalSemaphore_t,
    params: *const hipExternalSemaphoreWaitParams,
    count: c_uint,
    stream: hipStream_t,
) -> Result<(), hipError_t> {
    unsafe extern "C" fn come(stream: *mut c_void) {
        // SAFETY: the box of below, given once.
        caught(|| unsafe { Box::from_raw(stream.cast::<Sender<()>>()) }.send(()));
    }
    unsafe extern "C" fn through(wait: *mut c_void) {
        caught(|| {
            // SAFETY: a reference of below, given once.
            let wait = unsafe { Arc::from_raw(wait.cast::<Wait>()) };
            wait.with_gate(|gate| _ = gate.take().map(Gate::reuse));
        });
    }
    // SAFETY: as promised by the caller.
    let items = unsafe { items(semaphores, params.cast(), count, stream) }?;
    let wait = Arc::new(Wait { items, gate: Mutex::new(Some(Gate::closed()?)) });

    // The thread is there before anything is enqueued: if there can be none, the call fails.
    let (sender, receiver) = channel();
    let waits = wait.clone();
    let waiting = move || {
        if caught(|| without_signals(|| waits.run(&receiver))).is_none() {
            end_the_process(format_args!("a wait panicked"));
        }
    };
    let thread = std::thread::Builder::new().name("hip-semaphore".to_owned()).stack_size(STACK).spawn(waiting);

    // The thread looks at the gate when all of this is done.
    wait.with_gate(|gate| {
        let refused = |gate: &mut Option<Gate>, code| {
            _ = gate.take().map(Gate::reuse);
            Err(code)
        };
        if let Err(error) = thread {
            log!("refused: there can be no thread to wait in: {error}");
            return refused(gate, Code::hipErrorOutOfMemory);
        }
        let sender = Box::into_raw(Box::new(sender));
        // SAFETY: the function gets what it expects, once; the stream as promised by the caller.
        let code = unsafe { next::hipLaunchHostFunc(stream, Some(come), sender.cast()) };
        if code != Code::hipSuccess {
            // SAFETY: the box of above, that HIP has not taken.
            drop(unsafe { Box::from_raw(sender) });
            return refused(gate, code);
        }
        // SAFETY: the stream as promised by the caller.
        let held = gate.as_ref().map_or(Ok(()), |gate| unsafe { gate.hold(stream) });
        // Whatever HIP did of it: the gate is not used again.
        held.inspect_err(|_| *gate = None)
    })?;
    let data = Arc::into_raw(wait);
    // If that fails, the stream waits all the same; the gate is not used again.
    // SAFETY: as above.
    if unsafe { next::hipLaunchHostFunc(stream, Some(through), data.cast_mut().cast()) } != Code::hipSuccess {
        // SAFETY: the reference of above, that HIP has not taken.
        drop(unsafe { Arc::from_raw(data) });
    }
    Ok(())
}

/// Bytes of the stack of a thread that waits, of which there are as many as waits that are enqueued.
const STACK: usize = 256 << 10;

/// Runs `call` in a thread that handles none of the program's signals.
pub fn without_signals<T>(call: impl FnOnce() -> T) -> T {
    // SAFETY: a set that is filled first.
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
    call()
}

/// The semaphores and values of a call; none of it is done if anything is wrong.
///
/// # Safety
/// As of [`signal_semaphores`], whose parameters begin as those of waits do.
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
