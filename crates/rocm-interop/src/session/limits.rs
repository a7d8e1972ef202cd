//! How long the host waits for the GPU, and for which session it waits no more.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

use hip_sys::{hipError_t, hipStream_t};
use parking_lot::Mutex;

use crate::apis::call::{check, present};
use crate::error::Api;
use crate::session::Core;
use crate::{Error, Result};

/// The limits of one session's waits.
#[derive(Debug)]
pub(crate) struct Limits {
    /// Nanoseconds; `FOREVER` is none.
    wait: AtomicU64,
    abandoned: AtomicBool,
}

const FOREVER: u64 = u64::MAX;

/// Devices of HIP on which a session was abandoned while its stream was busy, a bit each, for the rest of the process:
/// HIP waits for all streams of a device before it frees memory there (`Stream::SyncAllStreams` in hip_stream.cpp),
/// streams of abandoned sessions included.
static HIP_WAITS_FOREVER: AtomicU64 = AtomicU64::new(0);

/// HIP's streams that sessions of this process use, with their devices: what HIP frees on a device waits for all of its
/// streams.
static STREAMS: Mutex<Vec<Used>> = Mutex::new(Vec::new());

#[derive(PartialEq, Eq)]
struct Used {
    device: i32,
    stream: hipStream_t,
}

// SAFETY: HIP's streams may be used by any thread.
unsafe impl Send for Used {}

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
        let Some(bit) = self.hip_bit() else { return };
        // Nothing is enqueued any more, so an idle stream stays idle.
        if !matches!(self.is_idle(self.stream), Ok(true)) {
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

    /// Before HIP frees what is on the session's device, which waits inside HIP for all streams there (`hipFree`,
    /// `hipHostUnregister` and the like), however long that takes. Refuses it if one of them may never end. If waits
    /// have a limit, waits here for the streams of all sessions.
    pub(crate) fn wait_for_hip_frees(&self) -> Result<()> {
        if self.hip_bit().is_some_and(|bit| HIP_WAITS_FOREVER.load(Ordering::SeqCst) & bit != 0) {
            return Err(Error::Abandoned { api: Api::Hip });
        }
        let Some(limit) = self.limits.wait() else { return Ok(()) };
        // The default stream is that of the thread's current device.
        self.select_device()?;
        self.poll(Api::Hip, limit, || self.are_all_streams_idle())
    }

    /// Of the sessions on this one's device.
    fn are_all_streams_idle(&self) -> Result<bool> {
        // None is destroyed meanwhile.
        for used in STREAMS.lock().iter().filter(|used| used.device == self.device.hip()) {
            if !self.is_idle(used.stream)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `stream` is alive.
    fn is_idle(&self, stream: hipStream_t) -> Result<bool> {
        // SAFETY: a live stream, by the caller.
        match present::<hipError_t, _, _>(unsafe { self.libraries.hip.hipStreamQuery(stream) })? {
            hipError_t::hipErrorNotReady => {
                self.libraries.forget_hips_error();
                Ok(false)
            }
            code => check::<_, std::convert::Infallible>("hipStreamQuery", Ok(code)).map(|()| true),
        }
    }

    /// The session uses `stream` from now on, which is on its device.
    pub(crate) fn uses_stream(&self, stream: hipStream_t) {
        STREAMS.lock().push(Used { device: self.device.hip(), stream });
    }

    /// It does no more: the stream may be destroyed.
    pub(crate) fn leaves_stream(&self, stream: hipStream_t) {
        let (used, mut streams) = (Used { device: self.device.hip(), stream }, STREAMS.lock());
        if let Some(at) = streams.iter().position(|other| *other == used) {
            streams.swap_remove(at);
        }
    }

    /// Asks until `api`'s work `is_reached`, for `limit` at most, or until the session is abandoned. What is reached is
    /// no more than that: the API's own wait, which returns at once then, makes it visible.
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
