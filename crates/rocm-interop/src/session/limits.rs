//! How long the host waits for the GPU, and for which session it waits no more.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

use crate::session::Core;
use crate::{Api, Error, Result};

/// The limits of one session's waits.
#[derive(Debug)]
pub(crate) struct Limits {
    /// Nanoseconds; `FOREVER` is none.
    wait: AtomicU64,
    abandoned: AtomicBool,
}

const FOREVER: u64 = u64::MAX;

/// HIP's devices on which a session was abandoned, a bit each. For the rest of the process: what HIP frees there waits for all streams of the device
/// (`Stream::SyncAllStreams` in hip_stream.cpp), those of abandoned sessions too.
static HIP_WAITS_FOREVER: AtomicU64 = AtomicU64::new(0);

impl Default for Limits {
    fn default() -> Limits {
        Limits { wait: AtomicU64::new(FOREVER), abandoned: AtomicBool::new(false) }
    }
}

impl Limits {
    pub(crate) fn set_wait(&self, limit: Option<Duration>) {
        let nanos = limit.map_or(FOREVER, |limit| u64::try_from(limit.as_nanos()).unwrap_or(FOREVER));
        self.wait.store(nanos, Ordering::Relaxed);
    }

    pub(crate) fn wait(&self) -> Option<Duration> {
        let nanos = self.wait.load(Ordering::Relaxed);
        (nanos != FOREVER).then(|| Duration::from_nanos(nanos))
    }
}

impl Core {
    /// Nobody waits for this session's work any more.
    pub(crate) fn abandon(&self) {
        self.limits.abandoned.store(true, Ordering::SeqCst);
        if let Some(bit) = self.hip_bit() {
            HIP_WAITS_FOREVER.fetch_or(bit, Ordering::SeqCst);
        }
    }

    /// `None` for a device that no machine has so many of.
    fn hip_bit(&self) -> Option<u64> {
        1u64.checked_shl(u32::try_from(self.device.hip()).ok()?)
    }

    /// Refuses to wait for `api`'s work, or to begin with it, if the session was abandoned.
    pub(crate) fn check_abandoned(&self, api: Api) -> Result<()> {
        if self.limits.abandoned.load(Ordering::SeqCst) { Err(Error::Abandoned { api }) } else { Ok(()) }
    }

    /// Refuses what would wait for all of HIP's streams on the device, if one of them may never end.
    pub(crate) fn check_hip_frees(&self) -> Result<()> {
        let waits_forever = self.hip_bit().is_some_and(|bit| HIP_WAITS_FOREVER.load(Ordering::SeqCst) & bit != 0);
        if waits_forever { Err(Error::Abandoned { api: Api::Hip }) } else { Ok(()) }
    }

    /// Asks until `api`'s work `is_reached`, for `limit` at most, or until the session is abandoned. What is reached is no more than that: the API's own wait, which returns at once then,
    /// makes it visible.
    pub(crate) fn poll(&self, api: Api, limit: Duration, mut is_reached: impl FnMut() -> Result<bool>) -> Result<()> {
        let start = Instant::now();
        loop {
            self.check_abandoned(api)?;
            if is_reached()? {
                return Ok(());
            }
            let waited = start.elapsed();
            if waited >= limit {
                return Err(Error::StillRunning { api, limit });
            }
            if waited < SPIN {
                yield_now();
                continue;
            }
            // So the end is seen later by a sixteenth of the time that the work took, and by a millisecond at most.
            sleep((waited / 16).min(Duration::from_millis(1)).min(limit - waited));
        }
    }
}

/// How long nobody sleeps: a sleep takes some 50 us at least.
const SPIN: Duration = Duration::from_micros(50);
