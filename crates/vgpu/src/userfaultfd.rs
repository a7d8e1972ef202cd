//! `userfaultfd`: threads that access registered pages stop in the kernel until they are released. Names are those of
//! `linux/userfaultfd.h`.

use crate::backing::PAGE;
use crate::descriptors::Descriptor;
use crate::errno::Errno;
use crate::real;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Accesses of the kernel for a thread (`read`, `write`) do not stop, but fail. Takes no rights.
pub const USER_MODE_ONLY: libc::c_int = 1;

const UFFD_API: u64 = 0xaa;
/// Stores can be stopped.
pub const FEATURE_PAGEFAULT_FLAG_WP: u64 = 1 << 0;
/// Messages contain the thread.
pub const FEATURE_THREAD_ID: u64 = 1 << 8;
/// All accesses to shared memory can be stopped.
pub const FEATURE_MINOR_SHMEM: u64 = 1 << 10;
/// Messages contain the exact address, and not only the page.
pub const FEATURE_EXACT_ADDRESS: u64 = 1 << 11;
/// Stores to shared memory can be stopped.
pub const FEATURE_WP_HUGETLBFS_SHMEM: u64 = 1 << 12;

/// To stop stores to pages that are write-protected.
pub const MODE_WP: u64 = 1 << 1;
/// To stop accesses to pages that are in no page table.
pub const MODE_MINOR: u64 = 1 << 2;

const PAGEFAULT_FLAG_WRITE: u64 = 1 << 0;
const PAGEFAULT_FLAG_MINOR: u64 = 1 << 2;

const UFFDIO_API: libc::c_ulong = 0xc018_aa3f;
const UFFDIO_REGISTER: libc::c_ulong = 0xc020_aa00;
const UFFDIO_UNREGISTER: libc::c_ulong = 0x8010_aa01;
const UFFDIO_WAKE: libc::c_ulong = 0x8010_aa02;
const UFFDIO_WRITEPROTECT: libc::c_ulong = 0xc018_aa06;
const UFFDIO_CONTINUE: libc::c_ulong = 0xc020_aa07;
/// Of `/dev/userfaultfd`.
const USERFAULTFD_IOC_NEW: libc::c_ulong = 0xaa00;

/// A thread that was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// The accessed address.
    pub address: u64,
    /// It stores.
    pub stores: bool,
    /// All accesses are stopped there, not only stores.
    pub minor: bool,
    /// The number.
    pub thread: u32,
}

/// A userfaultfd, which stops threads.
#[derive(Debug)]
pub struct Userfaultfd(Descriptor);

impl Userfaultfd {
    /// One with these features, by `userfaultfd(2)` with these flags.
    ///
    /// # Errors
    /// What the host says where the process has no right to it, or the kernel has no such features.
    pub fn new(flags: libc::c_int, features: u64) -> Result<Userfaultfd, Errno> {
        // SAFETY: plain system call.
        let fd = unsafe { libc::syscall(libc::SYS_userfaultfd, flags) };
        Userfaultfd::of(fd as RawFd, features)
    }

    /// A userfaultfd that also stops the kernel's accesses on behalf of a thread, if the process has the right to that.
    ///
    /// # Errors
    /// As of [`Userfaultfd::new`].
    pub fn of_all(features: u64) -> Result<Userfaultfd, Errno> {
        Userfaultfd::new(libc::O_CLOEXEC, features).or_else(|_| {
            // SAFETY: the path is a C string.
            let device = unsafe { real::open(c"/dev/userfaultfd".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC, 0) };
            if device < 0 {
                return Err(Errno::last());
            }
            // SAFETY: it is new and ours.
            let device = unsafe { OwnedFd::from_raw_fd(device) };
            let flags = std::ptr::without_provenance_mut(libc::O_CLOEXEC as usize);
            // SAFETY: the request takes the flags of a new descriptor, and no memory.
            let fd = unsafe { real::ioctl(device.as_raw_fd(), USERFAULTFD_IOC_NEW, flags) };
            Userfaultfd::of(fd, features)
        })
    }

    fn of(fd: RawFd, features: u64) -> Result<Userfaultfd, Errno> {
        if fd < 0 {
            return Err(Errno::last());
        }
        // SAFETY: `fd` is new and ours.
        let file = Userfaultfd(Descriptor::new(unsafe { OwnedFd::from_raw_fd(fd) }));
        // struct uffdio_api: api, features wanted and had, ioctls.
        file.request(UFFDIO_API, &mut [UFFD_API, features, 0])?;
        Ok(file)
    }

    /// Becomes readable when a thread is stopped.
    pub fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// From now on threads can be stopped there, in whole pages.
    ///
    /// # Errors
    /// What the host says.
    pub fn register(&self, start: u64, length: u64, mode: u64) -> Result<(), Errno> {
        // struct uffdio_register: range, mode, ioctls.
        self.request(UFFDIO_REGISTER, &mut [start, length, mode, 0])
    }

    /// Unregisters the range. Threads that are stopped there continue.
    ///
    /// # Errors
    /// What the host says.
    pub fn unregister(&self, start: u64, length: u64) -> Result<(), Errno> {
        self.request(UFFDIO_UNREGISTER, &mut [start, length])
    }

    /// Stops stores in the range, or lets them through, including those that are stopped.
    ///
    /// # Errors
    /// What the host says.
    pub fn write_protect(&self, start: u64, length: u64, on: bool) -> Result<(), Errno> {
        // struct uffdio_writeprotect: range, mode (UFFDIO_WRITEPROTECT_MODE_WP).
        self.request(UFFDIO_WRITEPROTECT, &mut [start, length, u64::from(on)])
    }

    /// The next thread that is stopped. Without `O_NONBLOCK` waits for it; else there may be none.
    pub fn stopped(&self) -> Option<Stopped> {
        // struct uffd_msg: event, flags, address, thread.
        let mut message = [0u64; 4];
        // SAFETY: `message` has the size given.
        let got = unsafe { libc::read(self.fd(), message.as_mut_ptr().cast(), size_of_val(&message)) };
        let [_, flags, address, thread] = message;
        let (stores, minor) = (flags & PAGEFAULT_FLAG_WRITE != 0, flags & PAGEFAULT_FLAG_MINOR != 0);
        (got > 0).then_some(Stopped { address, stores, minor, thread: thread as u32 })
    }

    /// Lets a stopped thread continue, and all others that access the page.
    pub fn let_through(&self, stopped: Stopped) {
        let page = stopped.address & !(PAGE - 1);
        let opened = match stopped.minor {
            // struct uffdio_continue: range, mode, bytes done.
            true => self.request(UFFDIO_CONTINUE, &mut [page, PAGE, 0, 0]),
            false => self.write_protect(page, PAGE, false),
        };
        if opened.is_err() {
            // Somebody has opened it before, or nothing is stopped there any more.
            let _ = self.request(UFFDIO_WAKE, &mut [page, PAGE]);
        }
    }

    fn request<const N: usize>(&self, request: libc::c_ulong, argument: &mut [u64; N]) -> Result<(), Errno> {
        // SAFETY: the requests above take structures of as many 64-bit numbers as they are called with. They change how
        // the kernel handles accesses to pages, never what is in memory.
        if unsafe { real::ioctl(self.fd(), request, argument.as_mut_ptr().cast()) } != 0 {
            return Err(Errno::last());
        }
        Ok(())
    }
}
