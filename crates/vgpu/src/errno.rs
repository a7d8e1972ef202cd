//! Error numbers that the device files return.

use crate::trace;
use std::cell::Cell;
use std::fmt;

/// An errno value (positive), such as `EINVAL`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Errno(pub i32);

macro_rules! errnos {
    ($($name:ident)*) => {
        #[allow(missing_docs)] // Named exactly as in errno.h.
        impl Errno {
            $(pub const $name: Errno = Errno(libc::$name);)*

            /// The symbolic name, if it is one that this device uses.
            pub fn name(self) -> Option<&'static str> {
                match self.0 {
                    $(libc::$name => Some(stringify!($name)),)*
                    _ => None,
                }
            }

            /// The errno called `name`, such as `"ENOMEM"`, if it is one that this device uses.
            pub fn from_name(name: &str) -> Option<Errno> {
                match name {
                    $(stringify!($name) => Some(Errno::$name),)*
                    _ => None,
                }
            }
        }
    };
}
errnos! { EPERM ENOENT EINTR EIO ENXIO EBADF EAGAIN ENOMEM EACCES EFAULT EBUSY EEXIST ENODEV ENOTDIR EISDIR EINVAL EMFILE ENOTTY ENOSPC
EROFS ERANGE ENOSYS ENODATA ETIME EADDRINUSE EOVERFLOW EOPNOTSUPP ESRCH EALREADY }

thread_local! {
    /// Why this thread's request was refused, while there is a trace.
    static REASON: Cell<Option<&'static str>> = const { Cell::new(None) };
}

impl Errno {
    /// The same, noted with a reason for the trace if there is one.
    pub fn because(self, reason: &'static str) -> Errno {
        if trace::enabled() {
            REASON.set(Some(reason));
        }
        self
    }

    /// The reason that this thread has noted last, which is forgotten.
    pub fn take_reason() -> Option<&'static str> {
        REASON.take()
    }

    /// The calling thread's `errno`.
    pub fn last() -> Errno {
        Errno(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
    }
}

impl fmt::Debug for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "errno {}", self.0),
        }
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for Errno {}
