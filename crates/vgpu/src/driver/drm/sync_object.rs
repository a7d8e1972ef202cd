//! Sync objects: the state that Linux's `drm_syncobj.c` keeps for a handle.
//!
//! Jobs of this device's rings take no sync objects, so every fence that one can have was signaled by a program, or was
//! signaled when it came. What is left of a chain of fences is then its last point. That is in a memory file, which
//! processes share by descriptors.

use crate::backing::{Backing, PAGE};
use crate::driver::kfd::dmabuf;
use crate::errno::Errno;
use crate::real;
use std::ffi::CString;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What the memory file of a sync object is called.
const NAME: &str = "vgpu-syncobj";

/// What processes share.
#[repr(C)]
struct Shared {
    /// 0 without a fence, else one more than the last point of the timeline; a binary fence is point 0. (So the last
    /// two points that 64 bits can count are one.) A single word: whoever is killed leaves it whole.
    state: AtomicU64,
    /// Counts fences, and is what waiters sleep on.
    fences: AtomicU32,
}

/// A sync object.
#[derive(Debug)]
pub struct SyncObject {
    memory: Backing,
}

impl SyncObject {
    /// One without a fence.
    ///
    /// # Errors
    /// What the host says.
    pub fn new() -> Result<SyncObject, Errno> {
        let name = CString::new(NAME).map_err(|_| Errno::EINVAL)?;
        Ok(SyncObject { memory: Backing::new(&name, PAGE)? })
    }

    /// The sync object of a descriptor that [`SyncObject::export`] returned in this process or another.
    ///
    /// # Errors
    /// `EINVAL` if there is none, otherwise what the host says.
    pub fn import(fd: RawFd) -> Result<SyncObject, Errno> {
        if !is_memory_file(fd, NAME) {
            return Err(Errno::EINVAL);
        }
        let file = dmabuf::reopen(fd, libc::O_RDWR | libc::O_CLOEXEC)?;
        Ok(SyncObject { memory: Backing::from_fd(file)? })
    }

    /// A new descriptor for the program.
    ///
    /// # Errors
    /// What the host says.
    pub fn export(&self) -> Result<RawFd, Errno> {
        dmabuf::give(&self.memory, true, libc::O_CLOEXEC)
    }

    fn shared(&self) -> &Shared {
        // SAFETY: the mapping has a page at least, and processes change it by these atomics alone.
        unsafe { &*self.memory.host().cast::<Shared>() }
    }

    /// The last point of its timeline, 0 with a binary fence. `None`: it has no fence.
    pub fn last(&self) -> Option<u64> {
        self.shared().state.load(Ordering::Acquire).checked_sub(1)
    }

    /// Whether it has a fence for this point (`dma_fence_chain_find_seqno`).
    pub fn has(&self, point: u64) -> bool {
        self.last().is_some_and(|last| last >= point)
    }

    /// Removes the fence.
    pub fn reset(&self) {
        self.shared().state.store(0, Ordering::Release);
    }

    /// Replaces all fences by a signaled one: a timeline that ends at `point`, or a binary fence for 0
    /// (`drm_syncobj_replace_fence`).
    pub fn replace(&self, point: u64) {
        self.shared().state.store(point.saturating_add(1), Ordering::Release);
        self.tell();
    }

    /// Adds a signaled point to its timeline (`drm_syncobj_add_point`), whose points never go back.
    pub fn add(&self, point: u64) {
        self.shared().state.fetch_max(point.saturating_add(1), Ordering::AcqRel);
        self.tell();
    }

    fn tell(&self) {
        let fences = &self.shared().fences;
        fences.fetch_add(1, Ordering::AcqRel);
        // SAFETY: wakes those that sleep on the word, in all processes.
        unsafe { libc::syscall(libc::SYS_futex, fences.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
    }

    /// Sleeps until there is another fence than when it had `fences`, for so long at most. May return earlier.
    fn sleep(&self, fences: u32, time: Duration) {
        let time = libc::timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
        let word = self.shared().fences.as_ptr();
        // SAFETY: an aligned word of the mapping, and a time. However it ends, the caller looks again.
        unsafe { libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAIT, fences, &raw const time) };
    }
}

/// A point that is waited for.
#[derive(Debug)]
pub struct Wanted {
    object: Arc<SyncObject>,
    point: u64,
    /// How many fences the object had had when the wait began.
    fences: u32,
    /// It was there at some moment of the wait.
    there: bool,
}

impl Wanted {
    /// Looks whether it is there.
    pub fn new(object: Arc<SyncObject>, point: u64) -> Wanted {
        let fences = object.shared().fences.load(Ordering::Acquire);
        let there = object.has(point);
        Wanted { object, point, fences, there }
    }

    /// Whether it is there, or was.
    pub fn there(&mut self) -> bool {
        // Any fence has point 0, even if it is taken away at once.
        let came = || self.point == 0 && self.object.shared().fences.load(Ordering::Acquire) != self.fences;
        self.there = self.there || self.object.has(self.point) || came();
        self.there
    }
}

/// Waits until all of `wanted`, which are not empty, were there, or any of them, until `deadline` (`None`: for ever).
/// Returns the first, and for all `None` too.
///
/// # Errors
/// `ETIME` if it was too late.
pub fn wait(wanted: &mut [Wanted], all: bool, deadline: Option<Instant>) -> Result<Option<usize>, Errno> {
    // A process that is killed between its fence and the call that tells of it wakes nobody, so all sleepers look from
    // time to time. Of several only one is slept on.
    const LOOK: Duration = Duration::from_millis(100);
    const LOOK_AT_SEVERAL: Duration = Duration::from_millis(1);
    let longest = if all || wanted.len() == 1 { LOOK } else { LOOK_AT_SEVERAL };
    loop {
        let count: Vec<u32> = wanted.iter().map(|one| one.object.shared().fences.load(Ordering::Acquire)).collect();
        let mut missing = None;
        for (index, one) in wanted.iter_mut().enumerate() {
            match one.there() {
                true if !all => return Ok(Some(index)),
                true => {}
                false => missing = missing.or(Some(index)),
            }
        }
        let Some(missing) = missing else { return Ok(None) };
        let left = deadline.map_or(longest, |deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return Err(Errno::ETIME);
        }
        wanted[missing].object.sleep(count[missing], left.min(longest));
    }
}

/// Whether `fd` is a memory file of this name.
pub fn is_memory_file(fd: RawFd, name: &str) -> bool {
    let Ok(path) = CString::new(format!("/proc/self/fd/{fd}")) else { return false };
    let mut target = [0u8; 64];
    // SAFETY: a C string, and a buffer of that size.
    let length = unsafe { real::readlink(path.as_ptr(), target.as_mut_ptr().cast(), target.len()) };
    let link = usize::try_from(length).ok().and_then(|length| target.get(..length));
    link.is_some_and(|link| link == format!("/memfd:{name} (deleted)").as_bytes())
}
