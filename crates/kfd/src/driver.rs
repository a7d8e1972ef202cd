//! The open driver of this process.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kfd_sys::{amdkfd_ioc_get_version, kfd_ioctl_get_version_args};

use crate::device::Gpu;
use crate::error::Errno;
use crate::events::Events;
use crate::host_writes::HostPaths;
use crate::progress::QueueState;
use crate::signal::Pool;
use crate::{Device, Error, Node, Result, fork};

/// The oldest minor version of the driver's interface (`KFD_IOCTL_MINOR_VERSION`) that is spoken: what ROCm 5.2 accepted.
pub const OLDEST_MINOR: u32 = 4;
/// A request that signals interrupt this often in a row is given up.
const INTERRUPTIONS: u32 = 1000;

/// The open driver. There is one for each process; copies are the same.
///
/// It stays open until the process ends: the kernel's state of a process does too (`kfd_release` of `kfd_chardev.c` gives back nothing
/// but a reference), and the address space of a GPU cannot be acquired twice.
#[derive(Clone, Copy, Debug)]
pub struct Driver(pub(crate) &'static Shared);

#[derive(Debug)]
pub(crate) struct Shared {
    kfd: OwnedFd,
    version: (u32, u32),
    generation: u32,
    gpus: Mutex<Vec<&'static Gpu>>,
    pub(crate) host_paths: HostPaths,
    pub(crate) events: Mutex<Events>,
    pub(crate) signals: Mutex<Pool>,
    /// The queues that are there, of all GPUs.
    pub(crate) queues: Mutex<Vec<Arc<QueueState>>>,
    /// How many signals are abandoned.
    pub(crate) abandoned: AtomicUsize,
}

/// Where a process has its driver. A forked child gets another, whose lock nobody holds.
struct Slot {
    generation: u32,
    driver: Mutex<Option<&'static Shared>>,
}

fn slot() -> &'static Slot {
    static SLOT: AtomicPtr<Slot> = AtomicPtr::new(std::ptr::null_mut());
    loop {
        let current = SLOT.load(Ordering::Acquire);
        // SAFETY: null, or a slot that was leaked below.
        if let Some(slot) = unsafe { current.as_ref() }.filter(|slot| slot.generation == fork::generation()) {
            return slot;
        }
        let new = Box::into_raw(Box::new(Slot { generation: fork::generation(), driver: Mutex::new(None) }));
        if SLOT.compare_exchange(current, new, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: made above and given to nobody.
            drop(unsafe { Box::from_raw(new) });
        }
    }
}

/// A lock whose data is whole even if a thread panicked with it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Driver {
    /// Opens `/dev/kfd`, or gives the driver that this process has open already. A child of a fork opens its own.
    ///
    /// # Errors
    /// [`Error::Open`] without the device file or the rights to it, [`Error::Version`] for a driver that is too old, [`Error::Request`].
    pub fn open() -> Result<Driver> {
        fork::watch();
        let mut open = lock(&slot().driver);
        if let Some(shared) = *open {
            return Ok(Driver(shared));
        }
        let kfd = kfd_sys::open_kfd()?;
        let mut version = kfd_ioctl_get_version_args::default();
        // SAFETY: the arguments hold no addresses.
        retried(|| unsafe { amdkfd_ioc_get_version(kfd.as_fd(), &mut version) })
            .map_err(|errno| Error::request("AMDKFD_IOC_GET_VERSION", "which interface it speaks", errno))?;
        let (major, minor) = (version.major_version, version.minor_version);
        if major != 1 || minor < OLDEST_MINOR {
            return Err(Error::Version { major, minor });
        }
        let shared = Box::leak(Box::new(Shared {
            kfd,
            version: (major, minor),
            generation: fork::generation(),
            gpus: Mutex::default(),
            host_paths: HostPaths::default(),
            events: Mutex::default(),
            signals: Mutex::default(),
            queues: Mutex::default(),
            abandoned: AtomicUsize::new(0),
        }));
        *open = Some(shared);
        Ok(Driver(shared))
    }

    /// Major and minor version of the driver's interface.
    pub fn version(self) -> (u32, u32) {
        self.0.version
    }

    /// This GPU, opened the first time it is asked for: its render node, this process's address space on it, events.
    ///
    /// # Errors
    /// [`Error::Open`] for the render node, [`Error::Unsupported`] for a node that is no GPU of gfx9, [`Error::Request`],
    /// [`Error::Forked`]. A try that failed can be repeated.
    pub fn device(self, node: &Node) -> Result<Device> {
        self.0.check_fork()?;
        let mut gpus = lock(&self.0.gpus);
        let known = gpus.iter().copied().find(|gpu| gpu.id() == node.gpu_id());
        let gpu = match known {
            Some(gpu) => gpu,
            None => {
                let gpu = Gpu::acquire(self.0, node)?;
                // From here on the address space is acquired for good.
                gpus.push(gpu);
                gpu
            }
        };
        drop(gpus);
        lock(&self.0.events).reach(gpu)?;
        gpu.start_clock()?;
        Ok(Device(gpu))
    }
}

impl Shared {
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.kfd.as_fd()
    }

    pub(crate) fn minor(&self) -> u32 {
        self.version.1
    }

    /// The GPUs that are open.
    pub(crate) fn gpus(&self) -> Vec<&'static Gpu> {
        lock(&self.gpus).clone()
    }

    pub(crate) fn gpu(&self, id: u32) -> Option<&'static Gpu> {
        lock(&self.gpus).iter().copied().find(|gpu| gpu.id() == id)
    }

    /// Wakes the threads that sleep for anything, to look again.
    pub(crate) fn wake_sleepers(&self) {
        let event = lock(&self.events).process().queue;
        if let Err(error) = event.raise(self) {
            // They notice when they look again by themselves.
            tracing::warn!(%error, "threads that wait were not woken");
        }
    }

    /// Whether this process is not the one that opened the driver.
    #[inline]
    pub(crate) fn is_forked(&self) -> bool {
        self.generation != fork::generation()
    }

    #[inline]
    pub(crate) fn check_fork(&self) -> Result<()> {
        if self.is_forked() { Err(Error::Forked) } else { Ok(()) }
    }

    /// Makes the request by `call`.
    pub(crate) fn request(
        &self,
        name: &'static str,
        what: &'static str,
        mut call: impl FnMut(BorrowedFd<'_>) -> std::io::Result<()>,
    ) -> Result<()> {
        self.check_fork()?;
        retried(|| call(self.kfd.as_fd())).map_err(|errno| Error::request(name, what, errno))
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
    ($shared:expr, $name:ident, $call:ident, $what:expr, $args:expr) => {{
        let args = $args;
        // SAFETY: the descriptor is of /dev/kfd; each use of the macro gives addresses that the driver may use.
        $shared.request(stringify!($name), $what, |fd| unsafe { kfd_sys::$call(fd, args) })
    }};
}
pub(crate) use request;
