//! Delays the exit of a process until its kernels have completed, so that `vgpu check` also checks kernels that the
//! program did not wait for.

use super::device;
use crate::hardware::checks::findings;
use std::sync::{Once, OnceLock};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// For how long.
static LIMIT: OnceLock<Duration> = OnceLock::new();

/// From now on a process that ends waits for its kernels and copies, but no longer than this.
pub fn wait_for(limit: Duration) {
    let _ = LIMIT.set(limit);
}

/// The process has a queue. Whoever comes to wait for it at the end registers now, to come before AMD's runtimes, which
/// have done so when they were loaded.
pub fn has_queue() {
    static REGISTERED: Once = Once::new();
    if LIMIT.get().is_some() {
        // SAFETY: the function is as atexit wants it, and lives as long as the process.
        REGISTERED.call_once(|| unsafe { _ = libc::atexit(ends) });
    }
}

extern "C" fn ends() {
    let (Some(limit), begin) = (LIMIT.get(), Instant::now()) else { return };
    loop {
        let (kernels, any) = device::unfinished();
        if !any {
            return;
        }
        if begin.elapsed() >= *limit {
            findings::unfinished(kernels);
            return;
        }
        sleep(Duration::from_millis(1));
    }
}

/// Called at the end of the process, after its libraries' destructors, in which some versions of HIP wait for kernels
/// or destroy queues with running ones.
pub fn ended() {
    if findings::has_unfinished() {
        let (kernels, any) = device::unfinished();
        findings::ended_with(kernels, any);
    }
}
