//! Threads that are cancelled in calls that the device answers.
mod common;

use common::*;
use kfd_sys::*;
use libc::{c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::ptr::{from_ref, null, null_mut};
use std::time::Duration;

unsafe extern "C-unwind" {
    // Unlike the libc crate's: cancelled threads unwind through these.
    fn open(path: *const c_char, flags: c_int) -> c_int;
    fn pthread_create(
        thread: *mut libc::pthread_t,
        attributes: *const c_void,
        start: unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void,
        argument: *mut c_void,
    ) -> c_int;
}

/// `PTHREAD_CANCELED` of pthread.h.
const CANCELED: usize = usize::MAX;

/// Cancels a thread that runs `start`, `delay` after it began, does `then`, and returns with what the thread ended.
fn cancelled(
    start: unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void,
    argument: *const c_void,
    then: impl FnOnce(),
) -> usize {
    let mut thread = MaybeUninit::uninit();
    let mut result = null_mut();
    // SAFETY: `argument` is as `start` wants it and outlives the thread, which is joined.
    unsafe {
        assert_eq!(pthread_create(thread.as_mut_ptr(), null(), start, argument.cast_mut()), 0);
        let thread = thread.assume_init();
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(libc::pthread_cancel(thread), 0);
        std::thread::sleep(Duration::from_millis(100));
        then();
        assert_eq!(libc::pthread_join(thread, &mut result), 0);
    }
    result.addr()
}

#[test]
fn in_an_open_that_blocks() {
    unsafe extern "C-unwind" fn open_for_ever(path: *mut c_void) -> *mut c_void {
        // SAFETY: a C string.
        std::ptr::without_provenance_mut(unsafe { open(path.cast(), libc::O_RDONLY) } as usize)
    }
    on_gpu("in_an_open_that_blocks", || {
        let path = format!("{}/cancelled-{}\0", temporary().display(), std::process::id());
        let path = std::ffi::CStr::from_bytes_with_nul(path.as_bytes()).unwrap();
        // SAFETY: a C string.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        let ended = cancelled(open_for_ever, path.as_ptr().cast(), || ());
        std::fs::remove_file(path.to_str().unwrap()).unwrap();
        assert_eq!(ended, CANCELED);
    });
}

#[test]
fn in_a_wait_for_an_event() {
    struct Wait {
        device: Device,
        event_id: u32,
    }
    unsafe extern "C-unwind" fn wait(argument: *mut c_void) -> *mut c_void {
        // SAFETY: the test passes one.
        let wait = unsafe { &*argument.cast::<Wait>() };
        let mut data = kfd_event_data { event_id: wait.event_id, ..Default::default() };
        let mut args = kfd_ioctl_wait_events_args {
            events_ptr: std::ptr::from_mut(&mut data).addr() as u64,
            num_events: 1,
            wait_for_all: 1,
            timeout: u32::MAX,
            wait_result: 9,
        };
        // SAFETY: `data` is one event.
        unsafe { amdkfd_ioc_wait_events(wait.device.fd(), &mut args) }.unwrap();
        std::ptr::without_provenance_mut(100 + args.wait_result as usize)
    }
    on_gpu("in_a_wait_for_an_event", || {
        let device = Device::open(1);
        let mut event =
            kfd_ioctl_create_event_args { event_type: KFD_IOC_EVENT_SIGNAL, auto_reset: 1, ..Default::default() };
        // SAFETY: no addresses.
        unsafe { amdkfd_ioc_create_event(device.fd(), &mut event) }.unwrap();
        let argument = Wait { device, event_id: event.event_id };
        // ioctl is no cancellation point: the wait goes on until the event is set.
        let ended = cancelled(wait, from_ref(&argument).cast(), || {
            let mut set = kfd_ioctl_set_event_args { event_id: argument.event_id, pad: 0 };
            // SAFETY: no addresses.
            unsafe { amdkfd_ioc_set_event(argument.device.kfd.as_fd(), &mut set) }.unwrap();
        });
        assert_eq!(ended, 100 + KFD_IOC_WAIT_RESULT_COMPLETE as usize);
    });
}
