//! The libc functions that this library interposes in a program.
//!
//! Each asks first whether the call concerns the device (a path below `/dev` or `/sys`, a descriptor of ours) and
//! otherwise goes straight to the next library's function. Calls that glibc makes inside itself (`nftw`, `fts`) and raw
//! system calls do not come here.
//!
//! Variadic functions are defined with fixed arguments, which the x86-64 calling convention passes the same way.

mod annotations;
mod close;
mod device;
mod directory;
mod fork;
mod glob;
mod hip;
mod lookup;
mod mappings;
mod memory;
mod open;
mod paths;
mod rocr;
mod status;
mod waits;
mod working_directory;

use crate::driver::{at_exit, sysfs};
use crate::errno::Errno;
use crate::hardware::checks::leaks;
use crate::{log, real};
use libc::c_int;

/// Runs when the library is loaded, so that whatever is made once is there before the program has threads, forks or
/// handles signals.
extern "C" fn initialise() {
    lookup::resolve();
    real::resolve();
    log::wanted(log::Topic::Unknown);
    // After the program's allocator was used, so that its locks are taken after ours in a fork.
    if sysfs::tree().is_some() {
        fork::watch();
        working_directory::start();
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static INITIALISE: extern "C" fn() = initialise;

/// Runs when the process ends, behind all that the program and its libraries do then.
extern "C" fn finish() {
    at_exit::ended();
    leaks::tell();
    rocr::chips::tell_unknown();
}

#[used]
#[unsafe(link_section = ".fini_array")]
static FINISH: extern "C" fn() = finish;

/// Sets `errno` and gives the value that goes with it.
fn fail<T>(errno: Errno, value: T) -> T {
    // SAFETY: errno is the calling thread's own.
    unsafe { *libc::__errno_location() = errno.0 };
    value
}

/// The value of a call that returns an integer.
fn integer(result: Result<c_int, Errno>) -> c_int {
    result.unwrap_or_else(|errno| fail(errno, -1))
}

/// Does the device's part of a call, in which the thread cannot be cancelled: the calls of the driver are no
/// cancellation points either.
fn uncancelled<T>(work: impl FnOnce() -> T) -> T {
    // pthread.h
    const PTHREAD_CANCEL_DISABLE: c_int = 1;
    unsafe extern "C" {
        fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
    }
    let mut before = 0;
    // SAFETY: `before` is valid for writing.
    unsafe { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &mut before) };
    let result = work();
    // SAFETY: as above.
    unsafe { pthread_setcancelstate(before, &mut 0) };
    result
}
