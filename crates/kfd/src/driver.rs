//! `/dev/kfd` and render nodes: what is asked of the driver, and what is opened once for the whole process.

mod allocations;
pub(crate) mod clock;
mod gpu;
mod host_path;
pub(crate) mod range;

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use kfd_sys::{amdkfd_ioc_get_version, kfd_ioctl_get_version_args};

use crate::{Error, OLDEST_MINOR, Result, fork};
pub(crate) use gpu::OpenGpu;
pub(crate) use host_path::{HostPath, fence};
use kfd_sys::Errno;

/// Bytes of a page.
pub(crate) const PAGE: usize = 4096;
/// A request that signals interrupt this often in a row is given up.
const INTERRUPTIONS: u32 = 1000;

/// The open driver.
#[derive(Debug)]
pub(crate) struct Connection {
    kfd: OwnedFd,
    version: (u32, u32),
    generation: u32,
    host_paths: host_path::HostPaths,
    /// Taken for a moment, with no other lock behind it.
    allocations: Mutex<allocations::Allocations>,
}

/// A mapping of device registers or memory, for as long as the process lives.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapped(pub NonNull<u8>);

// SAFETY: an address; what is there may be accessed from any thread.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

/// A lock whose data is whole even if a thread panicked with it. It is of the standard library, as threads of a forked
/// child wait for locks of their own driver: `parking_lot` keeps waiting threads in one table of the process, of which
/// the child has a copy in any state.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Connection {
    /// Opens `/dev/kfd`.
    pub fn open() -> Result<Connection> {
        let kfd = kfd_sys::open_kfd()?;
        let mut version = kfd_ioctl_get_version_args::default();
        // SAFETY: the arguments hold no addresses.
        retried(|| unsafe { amdkfd_ioc_get_version(kfd.as_fd(), &mut version) })
            .map_err(|errno| Error::request("AMDKFD_IOC_GET_VERSION", "which interface it speaks", errno))?;
        let (major, minor) = (version.major_version, version.minor_version);
        if major != 1 || minor < OLDEST_MINOR {
            return Err(Error::Version { major, minor });
        }
        let generation = fork::generation();
        Ok(Connection {
            kfd,
            version: (major, minor),
            generation,
            host_paths: host_path::HostPaths::default(),
            allocations: Mutex::default(),
        })
    }

    /// Major and minor version of the driver's interface.
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    pub fn fd(&self) -> BorrowedFd<'_> {
        self.kfd.as_fd()
    }

    pub fn minor(&self) -> u32 {
        self.version.1
    }

    /// Which memory the process has.
    pub fn allocations(&self) -> MutexGuard<'_, allocations::Allocations> {
        lock(&self.allocations)
    }

    /// Whether this process is not the one that opened the driver.
    #[inline]
    pub fn is_forked(&self) -> bool {
        self.generation != fork::generation()
    }

    #[inline]
    pub fn check_fork(&self) -> Result<()> {
        if self.is_forked() { Err(Error::Forked) } else { Ok(()) }
    }

    /// Makes the request by `call`.
    pub fn request(
        &self,
        name: &'static str,
        subject: &'static str,
        mut call: impl FnMut(BorrowedFd<'_>) -> std::io::Result<()>,
    ) -> Result<()> {
        self.check_fork()?;
        retried(|| call(self.kfd.as_fd())).map_err(|errno| Error::request(name, subject, errno))
    }
}

/// Maps `bytes` of `/dev/kfd` or a render node anywhere.
pub(crate) fn map_device(
    file: BorrowedFd<'_>,
    offset: u64,
    bytes: usize,
    subject: &'static str,
) -> Result<NonNull<u8>> {
    // SAFETY: a new mapping, wherever the kernel puts it.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            file.as_fd().as_raw_fd(),
            offset as libc::off_t,
        )
    };
    match NonNull::new(address.cast::<u8>()) {
        Some(start) if address != libc::MAP_FAILED => Ok(start),
        _ => Err(Error::request("mmap", subject, Errno::last())),
    }
}

/// Repeats a request that a signal handler interrupted, as AMD's thunk does.
fn retried(mut call: impl FnMut() -> std::io::Result<()>) -> std::result::Result<(), Errno> {
    for _ in 0..INTERRUPTIONS {
        match call() {
            Ok(()) => return Ok(()),
            Err(error) if matches!(error.raw_os_error(), Some(libc::EINTR | libc::EAGAIN)) => {}
            Err(error) => return Err(Errno::of(&error)),
        }
    }
    Err(Errno(libc::EINTR))
}

/// Makes a request of `/dev/kfd`: `request!(shared, AMDKFD_IOC_X, amdkfd_ioc_x, "what for", args)`.
///
/// The arguments' addresses must be valid for what the driver does with them.
macro_rules! request {
    ($shared:expr, $name:ident, $call:ident, $subject:expr, $args:expr) => {{
        let args = $args;
        // SAFETY: the descriptor is of /dev/kfd; each use of the macro gives addresses that the driver may use.
        $shared.request(stringify!($name), $subject, |fd| unsafe { kfd_sys::$call(fd, args) })
    }};
}
pub(crate) use request;
