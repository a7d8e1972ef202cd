//! The kernel's error numbers.

use std::{fmt, io};

/// An error number of the kernel, shown by its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Errno(pub i32);

impl Errno {
    /// The name in `errno.h`, if it is one that the driver gives.
    pub fn name(self) -> Option<&'static str> {
        macro_rules! names {
            ($($name:ident)*) => {
                match self.0 {
                    $(libc::$name => Some(stringify!($name)),)*
                    // The kernel's own ENOTSUPP, which `errno.h` has not.
                    524 => Some("ENOTSUPP"),
                    _ => None,
                }
            };
        }
        names!(EPERM ENOENT ESRCH EINTR EIO EBADF EAGAIN ENOMEM EACCES EFAULT EBUSY EEXIST ENODEV EINVAL ENFILE EMFILE ENOTTY
               ENOSPC EPIPE ENOSYS ETIME ETIMEDOUT EADDRINUSE EOPNOTSUPP ECANCELED)
    }

    /// The error number of this thread's last failed libc call; 0 if none has failed.
    pub fn last() -> Errno {
        Errno::of(&io::Error::last_os_error())
    }

    /// The error number of a kernel error; 0 for other errors.
    pub fn of(error: &io::Error) -> Errno {
        Errno(error.raw_os_error().unwrap_or(0))
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "errno {}", self.0),
        }
    }
}

// Errors print by `Debug` what `unwrap` and a `main` that fails show.
impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
