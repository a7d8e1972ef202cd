//! `close` and other calls that close descriptors. The device's own descriptors are protected from the program. For
//! others, the device forgets its state only after the descriptor is closed, because another thread may still use it
//! until then.

use super::{fail, integer};
use crate::descriptors::{is_own, next_own};
use crate::driver::files;
use crate::errno::Errno;
use crate::real;
use libc::{c_int, c_uint};

/// Interposes the libc function of this name: descriptors of the device are closed for the program already. Threads may
/// be cancelled in it.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn close(fd: c_int) -> c_int {
    if is_own(fd) {
        return fail(Errno::EBADF, -1);
    }
    // SAFETY: the caller's argument is passed on.
    let result = unsafe { real::close(fd) };
    files::changed(fd);
    result
}

/// Interposes the libc function of this name: it closes the stream's descriptor inside. Threads may be cancelled in it.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn fclose(stream: *mut libc::FILE) -> c_int {
    // SAFETY: the caller's argument is passed on.
    let result = unsafe { real::fclose(stream) };
    files::any_changed();
    result
}

/// Interposes the libc function of this name. The number of a descriptor of the device is taken, as by an `open` that
/// is not done yet.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dup2(old: c_int, new: c_int) -> c_int {
    if is_own(new) {
        return fail(Errno(libc::EBUSY), -1);
    }
    // SAFETY: the caller's arguments are passed on.
    let result = unsafe { real::dup2(old, new) };
    files::changed(new);
    result
}

/// Interposes the libc function of this name, as [`dup2`].
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dup3(old: c_int, new: c_int, flags: c_int) -> c_int {
    if is_own(new) {
        return fail(Errno(libc::EBUSY), -1);
    }
    // SAFETY: the caller's arguments are passed on.
    let result = unsafe { real::dup3(old, new, flags) };
    files::changed(new);
    result
}

/// Interposes the libc function of this name: closes the range except the device's own descriptors.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int {
    if first > last {
        return fail(Errno::EINVAL, -1);
    }
    let closed = between_own(first, last, |first, last| {
        // SAFETY: a part of the caller's range.
        if unsafe { real::close_range(first, last, flags) } == 0 { Ok(()) } else { Err(Errno::last()) }
    });
    files::any_changed();
    integer(closed)
}

/// Interposes the libc function of this name, as [`close_range`].
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn closefrom(first: c_int) {
    let first = first.max(0) as c_uint;
    let closed = between_own(first, c_uint::MAX, |first, last| {
        // SAFETY: a part of the caller's range.
        if unsafe { real::close_range(first, last, 0) } == 0 { Ok(()) } else { Err(Errno::last()) }
    });
    files::any_changed();
    if closed.is_err() {
        // Kernels before 5.9 cannot close ranges.
        // SAFETY: plain system call.
        let numbers = unsafe { libc::sysconf(libc::_SC_OPEN_MAX) };
        for fd in (first as c_int)..numbers.clamp(0, c_int::MAX.into()) as c_int {
            // SAFETY: the caller gives all of these up.
            unsafe { close(fd) };
        }
    }
}

/// Calls `each` for every part of `first..=last` without descriptors of the device.
fn between_own(first: u32, last: u32, each: impl Fn(u32, u32) -> Result<(), Errno>) -> Result<c_int, Errno> {
    let mut start = first;
    while let Some(own) = next_own(start).filter(|own| *own <= last) {
        if own > start {
            each(start, own - 1)?;
        }
        start = own + 1;
    }
    if start <= last {
        each(start, last)?;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptors::Descriptor;
    use std::cell::RefCell;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

    #[test]
    fn ranges_leave_own_descriptors_out() {
        // SAFETY: plain system call; the descriptor is new and ours.
        let own = Descriptor::new(unsafe { OwnedFd::from_raw_fd(libc::eventfd(0, libc::EFD_CLOEXEC)) });
        let own = own.as_raw_fd() as u32;
        let parts = |first, last| {
            let parts = RefCell::new(Vec::new());
            between_own(first, last, |first, last| {
                parts.borrow_mut().push((first, last));
                Ok(())
            })
            .unwrap();
            parts.into_inner()
        };
        assert_eq!(parts(own, own), []);
        // Other tests have descriptors above and below.
        let all = parts(0, u32::MAX);
        assert!(all.iter().all(|(first, last)| first <= last && !(*first..=*last).contains(&own)), "{all:?}");
        assert!(all.windows(2).all(|two| two[0].1 < two[1].0), "{all:?}");
        assert_eq!(all.last().unwrap().1, u32::MAX);
        assert_eq!(parts(3, 9), [(3, 9)]);
    }
}
