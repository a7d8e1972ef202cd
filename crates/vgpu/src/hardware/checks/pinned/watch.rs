//! Stops threads of the program when they access watched pages, records the access, and lets them continue.

use super::{STATE, State, Use};
use crate::backing::PAGE;
use crate::hardware::engine::spawn;
use crate::locks::try_lock;
use crate::userfaultfd::{
    FEATURE_EXACT_ADDRESS, FEATURE_MINOR_SHMEM, FEATURE_PAGEFAULT_FLAG_WP, FEATURE_THREAD_ID,
    FEATURE_WP_HUGETLBFS_SHMEM, MODE_MINOR, MODE_WP, Userfaultfd,
};
use crate::{errno::Errno, log};
use gcn::bus::Access;
use std::ops::Range;
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

/// How often a thread's accesses are tried to be noted, once a millisecond, before it goes on anyway: another that has
/// the lock, for it forks, may wait for this one.
const TRIES: u32 = 200;

/// For how many milliseconds at most a process that ends waits for copies of which an access may be told.
const LINGER: u32 = 2000;

/// The mechanism that stops threads.
#[derive(Default)]
pub enum Watch {
    /// Nothing yet.
    #[default]
    Unused,
    /// This.
    Works(Arc<Userfaultfd>),
    /// It cannot be had.
    Refused,
}

impl Watch {
    /// Stops accesses there: all of them where the copy stores, else stores. Whether it does.
    pub fn arm(&mut self, used: &Use) -> bool {
        if let Watch::Unused = self {
            *self = open().map_or(Watch::Refused, Watch::Works);
            if let Watch::Refused = self {
                log::say(format_args!(
                    "check: it is not looked at what the host loads and stores in pinned memory, as this process may not stop its own threads there (userfaultfd)"
                ));
            }
        }
        let Watch::Works(file) = self else { return false };
        let (start, length) = pages(&used.range);
        // With both, a load of a page that the program has not touched before would open it for stores.
        let all = used.access == Access::Write;
        let mode = if all { MODE_MINOR } else { MODE_WP };
        let stops = || match all {
            true => {
                let at = std::ptr::without_provenance_mut(start as usize);
                // SAFETY: the pages are those of a shared memory file, which keeps what is in them.
                let done = unsafe { crate::real::madvise(at, length as usize, libc::MADV_DONTNEED) };
                if done == 0 { Ok(()) } else { Err(Errno::last()) }
            }
            false => file.write_protect(start, length, true),
        };
        let stops = file.register(start, length, mode).and_then(|()| stops()).is_ok();
        if !stops {
            self.disarm(used);
        }
        stops
    }

    /// Lets everybody in. What other copies use in the same pages is open too then.
    pub fn disarm(&self, used: &Use) {
        if let Watch::Works(file) = self {
            let (start, length) = pages(&used.range);
            // Where it fails, the mapping is gone.
            let _ = file.unregister(start, length);
        }
    }
}

/// The pages of a range: where they start, and bytes.
fn pages(range: &Range<u64>) -> (u64, u64) {
    let start = range.start & !(PAGE - 1);
    (start, range.end.next_multiple_of(PAGE) - start)
}

/// What stops threads, and a thread that lets them go on.
fn open() -> Result<Arc<Userfaultfd>, Errno> {
    let file = Arc::new(Userfaultfd::of_all(
        FEATURE_PAGEFAULT_FLAG_WP
            | FEATURE_WP_HUGETLBFS_SHMEM
            | FEATURE_MINOR_SHMEM
            | FEATURE_THREAD_ID
            | FEATURE_EXACT_ADDRESS,
    )?);
    let own = Arc::clone(&file);
    spawn("vgpu-pinned", move || {
        // Until the process ends: nobody else would let its threads go on.
        loop {
            let Some(stopped) = own.stopped() else {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            };
            if let Some(mut state) = lock_soon() {
                state.note(&stopped);
            }
            own.let_through(stopped);
        }
    })?;
    // SAFETY: the function is as atexit wants it, and lives as long as the process.
    unsafe { libc::atexit(linger) };
    Ok(file)
}

/// The process ends, perhaps before the copies do that the host did not wait for.
extern "C" fn linger() {
    for _ in 0..LINGER {
        if lock_soon().is_some_and(|state| !state.has_suspects()) {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The lock, unless somebody has it for long.
fn lock_soon() -> Option<MutexGuard<'static, State>> {
    (0..TRIES).find_map(|_| {
        let state = try_lock(&STATE);
        if state.is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        state
    })
}
