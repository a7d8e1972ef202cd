//! Signals: values that GPUs count down.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};

use aql::Condition;

use crate::driver::PAGE;
use crate::driver::clock::DispatchTime;
use crate::driver::lock;
use crate::queues::device::Gpu;
use crate::queues::events::Event;
use crate::queues::progress::trouble_of_signal;
use crate::queues::wait::{Wait, until};
use crate::{Device, Error, Result};

/// `amd_signal_t` of ROCr's `amd_hsa_signal.h`, as the command processor reads it.
#[repr(C, align(64))]
#[derive(Debug)]
struct AmdSignal {
    kind: AtomicI64,
    value: AtomicI64,
    event_mailbox_ptr: AtomicU64,
    event_id: AtomicU32,
    reserved1: u32,
    start_ts: AtomicU64,
    end_ts: AtomicU64,
    queue_ptr: u64,
    reserved2: [u32; 2],
}

const _: () = {
    assert!(size_of::<AmdSignal>() == 64);
    assert!(std::mem::offset_of!(AmdSignal, value) == 8);
    assert!(std::mem::offset_of!(AmdSignal, event_mailbox_ptr) == 16);
    assert!(std::mem::offset_of!(AmdSignal, event_id) == 24);
    assert!(std::mem::offset_of!(AmdSignal, start_ts) == 32);
    assert!(std::mem::offset_of!(AmdSignal, queue_ptr) == 48);
};

/// `AMD_SIGNAL_KIND_USER`.
const KIND_USER: i64 = 1;

/// Signals that nobody has.
#[derive(Debug, Default)]
pub(crate) struct FreeSignals {
    polled: Vec<Place>,
    /// With an event each.
    waking: Vec<(Place, Event)>,
}

/// A signal's memory, which lasts until the process ends.
#[derive(Clone, Copy, Debug)]
struct Place(NonNull<AmdSignal>);

// SAFETY: all fields that change are atomics.
unsafe impl Send for Place {}
// SAFETY: as above.
unsafe impl Sync for Place {}

impl Place {
    fn get(&self) -> &'static AmdSignal {
        // SAFETY: in memory that is never given back.
        unsafe { self.0.as_ref() }
    }
}

/// A 64-bit value in memory that every GPU of the process reaches, which packets count down when they complete and
/// barriers wait for.
///
/// Copies are the same signal. It can be waited for on any thread. A packet that is in a queue keeps its signals.
#[doc(alias = "hsa_signal_t")]
#[doc(alias = "amd_signal_t")]
#[doc(alias = "semaphore")]
#[derive(Clone, Debug)]
pub struct Signal(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    gpu: &'static Gpu,
    place: Place,
    event: Option<Event>,
    /// A queue that was to complete it is gone. Counted by the driver.
    abandoned: AtomicBool,
    /// How often the host changed it from 0: somebody had seen it complete.
    set_again: AtomicU64,
}

impl Signal {
    /// A signal for which threads can sleep: it interrupts the host each time a GPU changes it. `device` is the one
    /// whose faults end a wait.
    ///
    /// # Errors
    /// [`Error::Request`], [`Error::Lost`], [`Error::Forked`]. A process has 4096 events (`KFD_SIGNAL_EVENT_LIMIT`).
    /// The driver may keep the first, one is for errors of queues, and each [`Queue`](crate::Queue),
    /// [`SdmaQueue`](crate::SdmaQueue) and signal of this kind has one, which the next gets when it is dropped. There
    /// can be any number of [`polled`](Self::polled) signals.
    pub fn new(device: Device, value: i64) -> Result<Signal> {
        Signal::make(device.0, value, true)
    }

    /// A signal without interrupts: cheaper for the GPU, and there can be any number. A thread that waits for it by
    /// [`Wait::Sleep`] looks again when as much time has passed as it has waited so far, and after half a second at
    /// most.
    ///
    /// # Errors
    /// As of [`new`](Self::new).
    pub fn polled(device: Device, value: i64) -> Result<Signal> {
        Signal::make(device.0, value, false)
    }

    fn make(gpu: &'static Gpu, value: i64, waking: bool) -> Result<Signal> {
        gpu.check_usable()?;
        let mut free = lock(&gpu.process.signals);
        let used = if waking { free.waking.pop() } else { None };
        let (place, event) = match used {
            Some((place, event)) => (place, Some(event)),
            None => {
                if free.polled.is_empty() {
                    let memory = lock(&gpu.process.events).common_memory(gpu, PAGE)?;
                    let first = memory.host()?.cast::<AmdSignal>();
                    // SAFETY: within the page.
                    free.polled.extend((0..PAGE / 64).map(|index| Place(unsafe { first.add(index) })));
                }
                let Some(place) = free.polled.pop() else { return Err(Error::InUse) };
                let event = match waking {
                    true => Some(
                        lock(&gpu.process.events).create_signal(gpu.driver).inspect_err(|_| free.polled.push(place))?,
                    ),
                    false => None,
                };
                (place, event)
            }
        };
        drop(free);
        let signal = Signal(Arc::new(Inner {
            gpu,
            place,
            event,
            abandoned: AtomicBool::new(false),
            set_again: AtomicU64::new(0),
        }));
        signal.raises(event.unwrap_or_default());
        let raw = signal.raw();
        raw.kind.store(KIND_USER, Ordering::Relaxed);
        raw.start_ts.store(0, Ordering::Relaxed);
        raw.end_ts.store(0, Ordering::Relaxed);
        signal.store(value);
        Ok(signal)
    }

    /// Makes changes by GPUs raise `event`.
    pub(crate) fn raises(&self, event: Event) {
        let mailbox = if event.id == 0 { 0 } else { event.mailbox };
        self.raw().event_mailbox_ptr.store(mailbox, Ordering::Relaxed);
        self.raw().event_id.store(event.id, Ordering::Relaxed);
    }

    fn raw(&self) -> &AmdSignal {
        self.0.place.get()
    }

    pub(crate) fn event(&self) -> Event {
        self.0.event.unwrap_or_default()
    }

    /// Never gives its memory to another signal.
    pub(crate) fn forget(&self) {
        std::mem::forget(self.clone());
    }

    /// As packets name it.
    pub fn handle(&self) -> aql::Signal {
        match aql::Signal::new(self.0.place.0.as_ptr().expose_provenance() as u64) {
            Ok(handle) => handle,
            Err(_) => unreachable!("a signal is aligned to 64 bytes and not null"),
        }
    }

    /// Device address of the value, 64 bits with a sign, for [`raw`](crate::raw) commands and kernels that change it. A
    /// change by these raises no interrupt.
    pub fn value_address(&self) -> u64 {
        self.handle().get() + std::mem::offset_of!(AmdSignal, value) as u64
    }

    /// Refuses a signal that was made before a fork, whose memory this process has not got.
    #[inline]
    pub(crate) fn check_fork(&self) -> Result<()> {
        self.0.gpu.driver.check_fork()
    }

    /// The value now. A child of a fork has not got the memory: there it is 0, and [`wait`](Self::wait) says
    /// [`Error::Forked`].
    #[inline]
    pub fn value(&self) -> i64 {
        if self.0.gpu.driver.is_forked() {
            return 0;
        }
        // Acquire: what the GPU released before it changed the value is visible afterwards.
        self.raw().value.load(Ordering::Acquire)
    }

    /// Sets the value; what was abandoned is not any more. Threads that sleep for it are not woken, queues that wait
    /// notice, and find what this thread wrote to memory of any kind. A child of a fork sets nothing.
    pub fn set(&self, value: i64) {
        if self.0.gpu.driver.is_forked() {
            return;
        }
        // No release reaches what waits in write-combining buffers and in the GPUs.
        self.0.gpu.driver.publish_host_writes();
        self.store(value);
    }

    /// Sets the value of a signal that nobody waits for yet. Unlike [`set`](Self::set), it leaves what this thread
    /// wrote to memory to the next submission to publish. A child of a fork sets nothing.
    pub fn reset(&self, value: i64) {
        if !self.0.gpu.driver.is_forked() {
            self.store(value);
        }
    }

    /// The same in a process that is known to be no child of a fork.
    pub(crate) fn store(&self, value: i64) {
        self.0.take_back();
        if self.raw().value.load(Ordering::Relaxed) == 0 {
            self.0.set_again.fetch_add(1, Ordering::Relaxed);
        }
        // Release: queues that find the value find what was written before, too.
        self.raw().value.store(value, Ordering::Release);
    }

    /// Waits until the value compares so with `value`, and returns it.
    ///
    /// # Errors
    /// [`Error::Timeout`], [`Error::Lost`] after a fault of its device or of that of a queue which is to change it.
    /// [`Error::Abandoned`] when such a queue was dropped, and [`Error::Stopped`] when it stopped; also when that
    /// happened to a queue that it waits for in turn. [`Error::Forked`], [`Error::Request`].
    pub fn wait(&self, condition: Condition, value: i64, wait: Wait) -> Result<i64> {
        let mut last = self.value();
        until(
            self.0.gpu,
            wait,
            "a signal",
            [self.event().id].into_iter(),
            || Ok(()),
            || {
                last = self.value();
                compares(condition, last, value)
            },
            || trouble_of_signal(self.0.gpu.process, self),
        )?;
        Ok(last)
    }

    /// How often the host changed it from 0.
    pub(crate) fn times_set_again(&self) -> u64 {
        // Relaxed: whoever relies on a signal that it set again sees its own change.
        self.0.set_again.load(Ordering::Relaxed)
    }

    /// Whether a queue that was to complete it is gone.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.0.abandoned.load(Ordering::Acquire)
    }

    /// Whether its value compares so with `value` now.
    pub(crate) fn holds(&self, condition: Condition, value: i64) -> bool {
        compares(condition, self.value(), value)
    }

    /// Refuses a signal whose value will never compare so, and one of a parent process.
    pub(crate) fn check_awaitable(&self, condition: Condition, value: i64) -> Result<()> {
        self.check_fork()?;
        if self.is_abandoned() && !self.holds(condition, value) { Err(Error::Abandoned) } else { Ok(()) }
    }

    /// Notes that a queue is gone that was to complete it.
    pub(crate) fn abandon(&self) {
        if !self.0.abandoned.swap(true, Ordering::AcqRel) {
            self.0.gpu.process.abandoned.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Waits until one of the signals is 0, and returns its position.
    ///
    /// # Errors
    /// As of [`wait`](Self::wait), by the device of the first; [`Error::Value`] without signals.
    pub fn wait_any(signals: &[&Signal], wait: Wait) -> Result<usize> {
        let mut found = None;
        Signal::wait_many(signals, wait, || {
            found = signals.iter().position(|signal| signal.value() == 0);
            found.is_some()
        })?;
        Ok(found.unwrap_or(0))
    }

    /// Waits until all of the signals are 0.
    ///
    /// # Errors
    /// As of [`wait_any`](Self::wait_any).
    pub fn wait_all(signals: &[&Signal], wait: Wait) -> Result<()> {
        Signal::wait_many(signals, wait, || signals.iter().all(|signal| signal.value() == 0))
    }

    fn wait_many(signals: &[&Signal], wait: Wait, done: impl FnMut() -> bool) -> Result<()> {
        let Some(first) = signals.first() else {
            return Err(Error::Value {
                subject: "the number of signals to wait for",
                value: 0,
                expected: "at least 1",
            });
        };
        let events = signals.iter().map(|signal| signal.event().id);
        until(
            first.0.gpu,
            wait,
            "one of several signals",
            events,
            || Ok(()),
            done,
            || signals.iter().find_map(|signal| trouble_of_signal(signal.0.gpu.process, signal)),
        )
    }

    /// When the last dispatch that this signal completed began and ended; `None` if none did.
    ///
    /// # Errors
    /// [`Error::Request`], when the clocks have to be compared anew; [`Error::Forked`].
    pub fn dispatch_time(&self, device: Device) -> Result<Option<DispatchTime>> {
        self.0.gpu.driver.check_fork()?;
        let (start, end) = (self.raw().start_ts.load(Ordering::Relaxed), self.raw().end_ts.load(Ordering::Relaxed));
        if end == 0 {
            return Ok(None);
        }
        let time = |ticks| device.0.monotonic_raw(ticks);
        Ok(Some(DispatchTime { start: time(start)?, end: time(end)? }))
    }
}

fn compares(condition: Condition, left: i64, right: i64) -> bool {
    match condition {
        Condition::Eq => left == right,
        Condition::Ne => left != right,
        Condition::Lt => left < right,
        Condition::Gte => left >= right,
    }
}

impl Inner {
    /// It is not abandoned any more.
    fn take_back(&self) {
        if self.abandoned.load(Ordering::Relaxed) && self.abandoned.swap(false, Ordering::AcqRel) {
            self.gpu.process.abandoned.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.gpu.driver.is_forked() {
            return;
        }
        self.take_back();
        let mut free = lock(&self.gpu.process.signals);
        match self.event {
            Some(event) => free.waking.push((self.place, event)),
            None => free.polled.push(self.place),
        }
    }
}
