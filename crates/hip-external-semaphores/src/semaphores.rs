//! The program's semaphores, which are DRM sync objects of the kernel.

use crate::log::log;
use kfd_sys::*;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// A semaphore that was imported.
#[derive(Debug)]
pub struct Semaphore {
    /// The handle of its sync object at [`node`].
    handle: u32,
    timeline: bool,
    /// A signal of it failed.
    failed: AtomicBool,
}

/// A render node. Descriptors of sync objects are of no one driver: any node takes those of all
/// (`drm_syncobj_fd_to_handle`).
fn node() -> io::Result<BorrowedFd<'static>> {
    static NODE: OnceLock<Option<File>> = OnceLock::new();
    let open = || {
        // Minor numbers of render nodes (`drm_minor_alloc`).
        let nodes = (128..192)
            .filter_map(|minor| File::options().read(true).write(true).open(format!("/dev/dri/renderD{minor}")).ok());
        let found = nodes.into_iter().find(|node| {
            let mut cap = drm_get_cap { capability: DRM_CAP_SYNCOBJ_TIMELINE.into(), value: 0 };
            // SAFETY: no addresses.
            unsafe { drm_ioctl_get_cap(node.as_fd(), &mut cap) }.is_ok() && cap.value == 1
        });
        if found.is_none() {
            log!("no render node in /dev/dri has timelines of sync objects");
        }
        found
    };
    let node = NODE.get_or_init(open).as_ref().map(|node| node.as_fd());
    node.ok_or_else(|| io::Error::from_raw_os_error(libc::ENODEV))
}

fn there() -> MutexGuard<'static, BTreeMap<usize, Arc<Semaphore>>> {
    static THERE: Mutex<BTreeMap<usize, Arc<Semaphore>>> = Mutex::new(BTreeMap::new());
    THERE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The semaphore that the program calls so.
pub fn find(name: usize) -> Option<Arc<Semaphore>> {
    there().get(&name).cloned()
}

/// Removes the semaphore from the program's names. Enqueued operations keep the object.
pub fn destroy(name: usize) -> bool {
    there().remove(&name).is_some()
}

/// A descriptor of a new sync object.
///
/// # Errors
/// The kernel's; `ENODEV` if there is no render node.
pub fn descriptor() -> io::Result<OwnedFd> {
    let node = node()?;
    let mut made = drm_syncobj_create { handle: 0, flags: 0 };
    // SAFETY: no addresses.
    unsafe { drm_ioctl_syncobj_create(node, &mut made) }?;
    let mut args = drm_syncobj_handle { handle: made.handle, flags: 0, fd: -1, pad: 0, point: 0 };
    // SAFETY: no addresses.
    let exported = unsafe { drm_ioctl_syncobj_handle_to_fd(node, &mut args) };
    // SAFETY: no addresses.
    _ = unsafe { drm_ioctl_syncobj_destroy(node, &mut drm_syncobj_destroy { handle: made.handle, pad: 0 }) };
    exported?;
    // SAFETY: new, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(args.fd) })
}

/// Imports the sync object of a descriptor, which stays the program's, and returns the name for the program.
///
/// # Errors
/// The kernel's; `ENODEV` if there is no render node.
pub fn import(fd: RawFd, timeline: bool) -> io::Result<usize> {
    let node = node()?;
    let mut args = drm_syncobj_handle { handle: 0, flags: 0, fd, pad: 0, point: 0 };
    // SAFETY: no addresses.
    unsafe { drm_ioctl_syncobj_fd_to_handle(node, &mut args) }?;
    let semaphore = Arc::new(Semaphore { handle: args.handle, timeline, failed: AtomicBool::new(false) });
    let name = Arc::as_ptr(&semaphore).addr();
    there().insert(name, semaphore);
    Ok(name)
}

impl Semaphore {
    /// Whether a signal that was enqueued has failed since.
    pub fn failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// Remembers for the program's next call that a signal failed, and logs why.
    pub fn fails(&self, error: &io::Error) {
        log!("a signal of semaphore {self:p} failed: {error}");
        self.failed.store(true, Ordering::Release);
    }

    /// Signals it: a timeline's value, which never goes back, or a binary one.
    ///
    /// # Errors
    /// The kernel's.
    pub fn signal(&self, value: u64) -> io::Result<()> {
        let handles = [self.handle];
        let at = handles.as_ptr().expose_provenance() as u64;
        let node = node()?;
        if self.timeline {
            let points = [value];
            let points_at = points.as_ptr().expose_provenance() as u64;
            let mut args = drm_syncobj_timeline_array { handles: at, points: points_at, count_handles: 1, flags: 0 };
            // SAFETY: arrays of one.
            unsafe { drm_ioctl_syncobj_timeline_signal(node, &mut args) }
        } else {
            // SAFETY: an array of one.
            unsafe { drm_ioctl_syncobj_signal(node, &mut drm_syncobj_array { handles: at, count_handles: 1, pad: 0 }) }
        }
    }

    /// Waits for a timeline's value, or for a binary one, whose signal is taken then.
    ///
    /// # Errors
    /// The kernel's, if it is none that passes.
    pub fn wait(&self, value: u64) -> io::Result<()> {
        /// How long one call waits in the kernel, and how long to pause before the next one when the kernel lacks
        /// memory.
        const RETRY_INTERVAL: Duration = Duration::from_millis(100);
        let (handles, points) = ([self.handle], [if self.timeline { value } else { 0 }]);
        let at = handles.as_ptr().expose_provenance() as u64;
        let points_at = points.as_ptr().expose_provenance() as u64;
        let node = node()?;
        loop {
            let mut args = drm_syncobj_timeline_wait {
                handles: at,
                points: points_at,
                timeout_nsec: now().saturating_add(RETRY_INTERVAL).as_nanos() as i64,
                count_handles: 1,
                flags: DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
                first_signaled: 0,
                pad: 0,
                deadline_nsec: 0,
            };
            // SAFETY: arrays of one.
            match unsafe { drm_ioctl_syncobj_timeline_wait(node, &mut args) } {
                Err(error) if [libc::ETIME, libc::EINTR].map(Some).contains(&error.raw_os_error()) => {}
                Err(error) if [libc::ENOMEM, libc::EAGAIN].map(Some).contains(&error.raw_os_error()) => {
                    std::thread::sleep(RETRY_INTERVAL);
                }
                Err(error) => return Err(error),
                Ok(()) if self.timeline => return Ok(()),
                Ok(()) => {
                    let mut args = drm_syncobj_array { handles: at, count_handles: 1, pad: 0 };
                    // SAFETY: an array of one.
                    return unsafe { drm_ioctl_syncobj_reset(node, &mut args) };
                }
            }
        }
    }
}

impl Drop for Semaphore {
    fn drop(&mut self) {
        if let Ok(node) = node() {
            // SAFETY: no addresses.
            _ = unsafe { drm_ioctl_syncobj_destroy(node, &mut drm_syncobj_destroy { handle: self.handle, pad: 0 }) };
        }
    }
}

/// The time as the kernel takes it.
fn now() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is valid for writing.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}
