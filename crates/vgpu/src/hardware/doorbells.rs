//! Notices the plain stores by which a program rings doorbells, while nobody looks.
//!
//! Before the lead thread of an engine goes to sleep it write-protects the program's mappings of the doorbell page by `userfaultfd`. A
//! store then stops in the kernel until the thread, which that wakes, has lifted the protection. This takes no signal handler of the
//! program's, no rights (`UFFD_USER_MODE_ONLY`), and no time while work goes on. Linux has it for shared memory since 5.19. Where it
//! cannot be had (older kernels, sandboxes that forbid the system call), the thread looks from time to time instead.
//!
//! Pages are protected only while the lead thread sleeps, so no store is held up longer than it takes to wake.

use crate::descriptors::Descriptor;
use crate::errno::Errno;
use crate::reentry::Guard;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::Mutex;

/// `UFFD_USER_MODE_ONLY` of `linux/userfaultfd.h`, as are the names below.
const USER_MODE_ONLY: libc::c_int = 1;
const UFFD_API: u64 = 0xaa;
const UFFD_FEATURE_PAGEFAULT_FLAG_WP: u64 = 1 << 0;
const UFFD_FEATURE_WP_HUGETLBFS_SHMEM: u64 = 1 << 12;
const UFFDIO_REGISTER_MODE_WP: u64 = 1 << 1;
const UFFDIO_WRITEPROTECT_MODE_WP: u64 = 1 << 0;
const UFFDIO_API: libc::c_ulong = 0xc018_aa3f;
const UFFDIO_REGISTER: libc::c_ulong = 0xc020_aa00;
const UFFDIO_WRITEPROTECT: libc::c_ulong = 0xc018_aa06;

/// The program's mappings of one GPU's doorbell page.
#[derive(Debug, Default)]
pub struct Doorbells {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Where the program mapped the page: start and length.
    mappings: Vec<(u64, u64)>,
    watch: Watch,
    /// Stores are stopped now.
    protected: bool,
}

#[derive(Debug, Default)]
enum Watch {
    /// Nothing has been mapped yet.
    #[default]
    Unused,
    /// Stores can be noticed.
    Works(Descriptor),
    /// Stores cannot be noticed on this machine, or not any more.
    Refused,
}

/// What [`Doorbells::protect`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Stores are stopped from now on; those before may have gone unnoticed.
    New,
    /// They were stopped already, and one makes this descriptor readable.
    Watched(RawFd),
    /// Stores cannot be noticed.
    None,
}

impl Doorbells {
    fn lock(&self) -> Guard<'_, State> {
        Guard::lock(&self.state)
    }

    /// The program has mapped the page. The engine must be woken after this, so that it protects this mapping too.
    pub fn mapped(&self, start: u64, length: u64) {
        let state = &mut *self.lock();
        state.lift();
        if let Watch::Unused = state.watch {
            state.watch = open().map_or(Watch::Refused, Watch::Works);
        }
        if let Watch::Works(file) = &state.watch
            && register(file, start, length).is_err()
        {
            state.watch = Watch::Refused;
        }
        state.mappings.push((start, length));
    }

    /// The program is about to unmap the range, or to map something else there. Returns whether doorbells are mapped there: then the
    /// engine must be woken after this, for it may rely on a protection that is gone.
    pub fn unmapped(&self, start: u64, length: u64) -> bool {
        let end = start.saturating_add(length);
        let overlaps = |&(at, size): &(u64, u64)| start < at + size && at < end;
        let state = &mut *self.lock();
        if !state.mappings.iter().any(overlaps) {
            return false;
        }
        // Before they are forgotten: the program's call may yet fail, and nobody would let their stores through.
        state.lift();
        state.mappings.retain(|&(at, size)| !(start <= at && at + size <= end));
        if state.mappings.iter().any(overlaps) {
            // What is left of a mapping is not kept track of.
            state.refuse();
        }
        true
    }

    /// Stops stores.
    pub fn protect(&self) -> Protection {
        let state = &mut *self.lock();
        let Watch::Works(file) = &state.watch else { return Protection::None };
        if state.mappings.is_empty() {
            return Protection::None;
        }
        if state.protected {
            return Protection::Watched(file.as_raw_fd());
        }
        let all = state.mappings.iter().all(|&(start, length)| write_protect(file, start, length, true).is_ok());
        state.protected = true;
        if !all {
            // Somebody moved a mapping or closed the descriptor: what cannot be relied on is not used.
            state.refuse();
            return Protection::None;
        }
        Protection::New
    }

    /// Lets stores through, those that were stopped too. Returns whether there was one.
    pub fn lift(&self) -> bool {
        self.lock().lift()
    }
}

impl State {
    fn refuse(&mut self) {
        self.lift();
        self.watch = Watch::Refused;
    }

    fn lift(&mut self) -> bool {
        let Watch::Works(file) = &self.watch else { return false };
        if !std::mem::take(&mut self.protected) {
            return false;
        }
        let mut rung = false;
        // struct uffd_msg
        let mut message = [0u64; 4];
        // SAFETY: the descriptor does not block, and `message` has the size given.
        while unsafe { libc::read(file.as_raw_fd(), message.as_mut_ptr().cast(), size_of_val(&message)) } > 0 {
            rung = true;
        }
        for &(start, length) in &self.mappings {
            // A range that is not registered stops nobody.
            let _ = write_protect(file, start, length, false);
        }
        rung
    }
}

fn open() -> Result<Descriptor, Errno> {
    let flags = libc::O_CLOEXEC | libc::O_NONBLOCK | USER_MODE_ONLY;
    // SAFETY: plain system call.
    let fd = unsafe { libc::syscall(libc::SYS_userfaultfd, flags) };
    if fd < 0 {
        return Err(Errno::last());
    }
    // SAFETY: `fd` is new and ours.
    let file = Descriptor::new(unsafe { OwnedFd::from_raw_fd(fd as RawFd) });
    // struct uffdio_api: api, features wanted and had, ioctls.
    let mut api = [UFFD_API, UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM, 0];
    request(&file, UFFDIO_API, &mut api)?;
    Ok(file)
}

fn register(file: &Descriptor, start: u64, length: u64) -> Result<(), Errno> {
    // struct uffdio_register: range, mode, ioctls.
    request(file, UFFDIO_REGISTER, &mut [start, length, UFFDIO_REGISTER_MODE_WP, 0])
}

fn write_protect(file: &Descriptor, start: u64, length: u64, on: bool) -> Result<(), Errno> {
    // struct uffdio_writeprotect: range, mode.
    request(file, UFFDIO_WRITEPROTECT, &mut [start, length, if on { UFFDIO_WRITEPROTECT_MODE_WP } else { 0 }])
}

fn request<const N: usize>(file: &Descriptor, request: libc::c_ulong, argument: &mut [u64; N]) -> Result<(), Errno> {
    // SAFETY: the requests above take structures of as many 64-bit numbers as they are called with. They change how the kernel handles
    // stores to the doorbell page, never what is in memory.
    if unsafe { crate::real::ioctl(file.as_raw_fd(), request, argument.as_mut_ptr().cast()) } != 0 {
        return Err(Errno::last());
    }
    Ok(())
}
