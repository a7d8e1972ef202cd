//! Bindings for the kernel's compute interface to AMD GPUs: the `/dev/kfd` ioctls, the `amdgpu` DRM ioctls that the
//! ROCm userspace uses on render nodes, dma-buf, and the bits in KFD's sysfs files.
//!
//! Structs, constants and request numbers are generated from the Linux headers that `bindings.txt` names. Each request
//! `AMDKFD_IOC_X` has a call [`amdkfd_ioc_x`](amdkfd_ioc_get_version) with its argument type; the driver's
//! `errno` comes back as an [`io::Error`].
//! Nothing needs to be installed to build this crate, and no GPU to load it.
//!
//! # Versions
//! The headers are those of KFD 1.23 (Linux 7.2). KFD's interface only grows: an older driver answers an ioctl that it
//! does not know with `ENOTTY`; it ignores the fields behind the end of its own struct, and leaves them unset.
//! [`AMDKFD_IOC_GET_VERSION`] returns its version, which decides what it has: each request says since which one it is
//! there, in its documentation and in [`REQUESTS`], and so do fields, constants and enum values that came later than
//! their request. (Bits in sysfs files do not: they are 0 where the driver lacks the feature.)
//!
//! ```
//! use kfd_sys::*;
//! use std::os::fd::AsFd;
//!
//! match open_kfd() {
//!     Ok(kfd) => {
//!         let mut version = kfd_ioctl_get_version_args::default();
//!         // SAFETY: the descriptor is of /dev/kfd, and the arguments hold no addresses.
//!         unsafe { amdkfd_ioc_get_version(kfd.as_fd(), &mut version) }?;
//!         println!("KFD {}.{}", version.major_version, version.minor_version);
//!     }
//!     Err(error) => println!("{error}"),
//! }
//! # Ok::<(), std::io::Error>(())
//! ```
#[macro_use]
extern crate rocm_loader;

#[macro_use]
mod ioctls;
mod array;
mod errno;
#[rustfmt::skip]
mod bindings;

pub use bindings::*;
pub use errno::Errno;

use std::ffi::{c_ulong, c_void};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A request of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The name in the header.
    pub name: &'static str,
    /// The request number. Of a request whose argument ends in an array, it has the size without elements.
    pub number: c_ulong,
    /// The minor version of KFD's interface 1 that first had it; `None` for requests of DRM and dma-buf.
    pub since_minor: Option<u32>,
}

/// A device file that could not be opened.
#[non_exhaustive]
pub struct OpenError {
    /// The device file.
    pub path: PathBuf,
    /// The error of `open`.
    pub reason: io::Error,
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hint = match self.reason.kind() {
            io::ErrorKind::NotFound => {
                "no amdgpu driver with compute support is loaded, or this container was not given the device"
            }
            io::ErrorKind::PermissionDenied => "the user must be in the group that owns the file (usually `render`)",
            _ => "the driver refused",
        };
        write!(f, "cannot open {}: {}; {hint}", self.path.display(), self.reason)
    }
}

/// As [`Display`](std::fmt::Display): a `main` that returns the error prints it so.
impl std::fmt::Debug for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

// No `source`: the text of `reason` is quoted already.
impl std::error::Error for OpenError {}

/// Opens `/dev/kfd`.
///
/// # Errors
/// [`OpenError`]: without a driver the file is missing.
pub fn open_kfd() -> Result<OwnedFd, OpenError> {
    open(Path::new("/dev/kfd"))
}

/// Opens the render node `/dev/dri/renderD<minor>`; KFD's topology calls the number `drm_render_minor`.
///
/// # Errors
/// [`OpenError`]
pub fn open_render_node(minor: u32) -> Result<OwnedFd, OpenError> {
    open(Path::new(&format!("/dev/dri/renderD{minor}")))
}

/// Opens a device file for reading and writing, closed on `exec`.
///
/// # Errors
/// [`OpenError`]
pub fn open(path: &Path) -> Result<OwnedFd, OpenError> {
    let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_CLOEXEC).open(path);
    file.map(OwnedFd::from).map_err(|reason| OpenError { path: path.to_owned(), reason })
}

/// Queries a dma-buf's size, device and kind of memory. Metadata is not queried.
///
/// # Errors
/// The `errno` of the driver: `EINVAL` for what is no dma-buf of its own, `EBADF`.
///
/// # Safety
/// `kfd` is a descriptor of `/dev/kfd` ([`open_kfd`]): another driver may take the request for something else.
pub unsafe fn dmabuf_info(kfd: BorrowedFd<'_>, dmabuf: BorrowedFd<'_>) -> io::Result<kfd_ioctl_get_dmabuf_info_args> {
    // The most metadata that a buffer can have. Newer drivers refuse to tell anything if there is less room, also where
    // it is not asked for (`amdgpu_amdkfd_get_dmabuf_info`).
    const METADATA_BYTES: usize = size_of::<drm_amdgpu_gem_metadata__bindgen_ty_1>()
        - std::mem::offset_of!(drm_amdgpu_gem_metadata__bindgen_ty_1, data);
    let mut info = kfd_ioctl_get_dmabuf_info_args {
        dmabuf_fd: dmabuf.as_raw_fd() as u32,
        metadata_size: METADATA_BYTES as u32,
        ..Default::default()
    };
    // SAFETY: KFD's request by the caller's promise, and no addresses.
    unsafe { amdkfd_ioc_get_dmabuf_info(kfd, &mut info) }?;
    Ok(info)
}

/// libc's `ioctl`, for requests that this crate's headers do not have.
///
/// A call that a signal interrupts returns [`io::ErrorKind::Interrupted`]; it is not repeated, because not every
/// request may be.
///
/// # Errors
/// The `errno` of the driver; a request that it does not know is `ENOTTY` or `EINVAL`.
///
/// # Safety
/// `args` must point to what the driver expects for `request`, and addresses in it must be valid for what it does with
/// them.
pub unsafe fn ioctl(fd: BorrowedFd<'_>, request: c_ulong, args: *mut c_void) -> io::Result<()> {
    // SAFETY: the caller's promise. libc's function, and no system call of our own, so that a device loaded in
    // front of libc sees the request.
    let result = unsafe { libc::ioctl(fd.as_raw_fd(), request as _, args) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
