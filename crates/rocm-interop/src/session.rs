//! One GPU, opened by OpenCL and HIP.

mod address;
pub(crate) mod by_address;
pub(crate) mod copies;
pub(crate) mod enqueued;
pub(crate) mod event;
pub(crate) mod failures;
mod foreign;
mod helper_kernel;
mod in_stream;
pub(crate) mod limits;
mod outside;
mod residency;
pub(crate) mod times;
pub(crate) mod turns;

use std::any::Any;
use std::ffi::CString;
use std::fmt;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cl_sys::{cl_command_queue, cl_context};
use hip_sys::hipStream_t;
use parking_lot::Mutex;
use smallvec::SmallVec;

use crate::apis::call::{Release, call, create, first, log};
use crate::apis::device::one_runtime;
use crate::error::Api;
use crate::{Device, Error, Libraries, Result};
use copies::CopyQueues;
use enqueued::Enqueued;
use event::EventPool;
use helper_kernel::HelperKernel;
use in_stream::InStream;
use limits::Limits;
pub use outside::{HipEvent, OpenClEvent};
pub use residency::{Place, Residency};
use times::Clock;
pub use times::{Time, Times, Work};
use turns::Turns;

/// An OpenCL context of exactly one device, an in-order queue and a HIP stream, all on one GPU.
///
/// One device, because in a context of several OpenCL keeps copies of its memory per device.
///
/// This is a counted reference: `clone` gives another one to the same queue and stream, and buffers, programs, modules
/// and kernels hold one each. What the session took is given back when the last of them goes. Threads can share all of
/// them. HIP's current device belongs to a thread; it is the session's after each call that uses HIP.
#[derive(Clone, Debug)]
pub struct Session(pub(crate) Arc<Core>);

/// What the references of a session share.
// A panic leaves whole what locks of this crate guard: none is held while code of the caller's runs, but for the clone
// and the drop of a waker (`event::Signal`), before and behind which it is whole too.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) libraries: Arc<Libraries>,
    pub(crate) device: Device,
    pub(crate) context: cl_context,
    pub(crate) queue: cl_command_queue,
    /// Somebody else has the queue too, and may enqueue.
    shared_queue: AtomicBool,
    /// Somebody else has the stream too.
    shared_stream: AtomicBool,
    pub(crate) enqueued: Enqueued,
    copies: CopyQueues,
    copy: HelperKernel,
    fill: HelperKernel,
    address: HelperKernel,
    pub(crate) stream: hipStream_t,
    owns_stream: bool,
    pub(crate) in_stream: InStream,
    /// HIP's events that no hand-over uses at present.
    pub(crate) event_pool: EventPool,
    /// Hand-overs that leave the waiting to the GPU.
    pub(crate) turns: Turns,
    /// Held while a kernel of HIP's is launched, so that what hangs on what is noted in the order of the stream.
    pub(crate) launching_hip: Mutex<()>,
    pub(crate) limits: Limits,
    /// How long work took.
    pub(crate) clock: Clock,
    /// The queue notes when its commands start and end.
    profiles: bool,
    /// Dropped behind all the rest.
    owners: Owners,
}

/// What the session keeps for others.
#[derive(Default)]
struct Owners(Mutex<Vec<Box<dyn Any + Send>>>);

impl fmt::Debug for Owners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Owners")
    }
}

// SAFETY: OpenCL's functions are thread-safe (but for the arguments of a kernel object, see `OpenClKernel`), and so are
// HIP's and HSA's. A HIP stream is not bound to a thread, except hipStreamPerThread, which `from_raw` refuses.
unsafe impl Send for Core {}
// SAFETY: as above.
unsafe impl Sync for Core {}

impl Session {
    /// Opens a GPU with a context, queue and stream of its own.
    ///
    /// # Errors
    /// [`Error::SeveralRuntimes`], [`Error::Call`] or [`Error::Load`]; what was made before is released.
    pub fn open(device: &Device) -> Result<Session> {
        Session::with_queue(device, false)
    }

    /// [`open`](Session::open), with a queue that notes when its commands start and end, for
    /// [`record_times`](Session::record_times). Such a queue takes longer for each command.
    ///
    /// # Errors
    /// As of [`open`](Session::open).
    pub fn open_timed(device: &Device) -> Result<Session> {
        Session::with_queue(device, true)
    }

    fn with_queue(device: &Device, profiles: bool) -> Result<Session> {
        one_runtime()?;
        let mut core = Core::empty(device.clone());
        core.profiles = profiles;
        let (cl, id) = (&core.libraries.cl, device.opencl());
        // SAFETY: no properties, one device, no callback.
        core.context = unsafe { create!(cl, clCreateContext(std::ptr::null(), 1, &id, None, null_mut())) }?;
        Session::in_context(core)
    }

    /// Another queue and another stream: a session beside this one, on the same GPU and with the same OpenCL context.
    /// Work of one runs beside that of the other, and each hand-over waits for its own.
    ///
    /// A buffer is used by one session at a time, and passed on by [`into_session`](crate::Buffer#method.into_session),
    /// which waits for the one that had it. It is then as if the other had made it, so it costs no more than before,
    /// and may outlive its maker. Programs and modules are each session's own: `load` of what
    /// [`code`](crate::opencl::OpenClProgram::code) gives takes no compiler. The session has the time limit that this
    /// one has now, and records no times until it is told.
    ///
    /// ```no_run
    /// # use rocm_interop::{Buffer, OpenCl, Refused, Session};
    /// # use rocm_interop::opencl::OpenClKernel;
    /// # fn f(session: Session, one: &OpenClKernel, other: &OpenClKernel, x: Buffer<f32, OpenCl>, y: Buffer<f32, OpenCl>) -> Result<(), rocm_interop::Error> {
    /// let beside = session.beside()?;
    /// let y = y.into_session(&beside)?;
    /// // SAFETY: one work-item an element; `one` is of the first session's program, `other` of the second one's.
    /// unsafe {
    ///     one.launch(&[x.len()], None, &[(&x).into()])?; // both at the same time
    ///     other.launch(&[y.len()], None, &[(&y).into()])?;
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Call`]; what was made before is released. [`Error::Abandoned`] if the session was given up.
    pub fn beside(&self) -> Result<Session> {
        self.0.check_abandoned(Api::OpenCl)?;
        let mut core = Core::empty(self.0.device.clone());
        core.profiles = self.0.profiles;
        core.limits.set_wait(self.0.limits.wait());
        // SAFETY: the session's context, given back in `release`.
        unsafe { call!(core.libraries.cl, clRetainContext(self.0.context)) }?;
        core.context = self.0.context;
        Session::in_context(core)
    }

    /// Makes its queue and stream.
    fn in_context(mut core: Core) -> Result<Session> {
        let (cl, id) = (&core.libraries.cl, core.device.opencl());
        // SAFETY: context and device belong together; without another property it is an in-order queue. The older call
        // is the one that 1.x to 3.x have.
        core.queue = unsafe { create!(cl, clCreateCommandQueue(core.context, id, core.queue_properties())) }?;
        core.select_device()?;
        core.make_stream()?;
        Ok(Session(Arc::new(core)))
    }

    /// Gives up this reference. The last one, of the session or of what was made with it, gives everything back that
    /// the session made or retained; its `close` returns how that went. Dropping does too, but can only log an error,
    /// by `tracing`. Work that raw handles enqueued is not waited for; see [`finish`](Session::finish) and
    /// [`synchronize`](Session::synchronize).
    ///
    /// # Errors
    /// [`Error::Call`] of the first release that failed. The others were tried too. Else [`Error::Failed`] or
    /// [`Error::TimedOut`], if a wait heard of it and nobody was told.
    ///
    /// # Returns
    /// Whether it was the last reference, so that all is given back. If not, something that was made with the session
    /// still lives: a buffer, a kernel, a future that was dropped and waits.
    pub fn close(self) -> Result<bool> {
        Arc::into_inner(self.0).map_or(Ok(false), |mut last| last.release().map(|()| true))
    }

    /// The GPU.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// The OpenCL context, for use with other crates. It stays the session's.
    pub fn context(&self) -> cl_context {
        self.0.context
    }

    /// The OpenCL queue, for use with other crates. It stays the session's.
    ///
    /// From now on each hand-over to HIP, and what else waits for work on a buffer, waits for all that is in the queue,
    /// as not all of its commands are the session's. This takes some 50 us also when they are done, since OpenCL
    /// answers in a thread of its own. To put commands of other queues before or behind the session's,
    /// [`queue_event`](Session::queue_event) and [`queue_waits_for`](Session::queue_waits_for) do without.
    pub fn queue(&self) -> cl_command_queue {
        self.0.shared_queue.store(true, Ordering::Relaxed);
        self.0.queue
    }

    /// The HIP stream, for use with other crates. It stays the session's.
    ///
    /// From now on each hand-over to OpenCL, and what else waits for work on a buffer, waits for all that is in the
    /// stream, as not all of its work is the session's. [`raw_hip`](Session::raw_hip) is for calls that are given
    /// buffers of the session, and [`stream_event`](Session::stream_event) and
    /// [`stream_waits_for`](Session::stream_waits_for) for other streams: they do without.
    pub fn stream(&self) -> hipStream_t {
        self.0.shared_stream.store(true, Ordering::Relaxed);
        self.0.stream
    }

    /// Waits for all OpenCL work of the queue; the host and HIP see its results afterwards.
    ///
    /// # Errors
    /// [`Error::Failed`] if some work failed and nobody was told, whatever it was given; [`Error::TimedOut`] if some
    /// ran too early; [`Error::Call`]. The buffers concerned tell both all the same.
    #[doc(alias = "clFinish")]
    pub fn finish(&self) -> Result<()> {
        self.0.wait(Api::OpenCl)?;
        self.0.report_all()
    }

    /// Waits for all HIP work of the stream; the host and OpenCL see its results afterwards.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if some of it ran too early, [`Error::Call`].
    #[doc(alias = "hipStreamSynchronize")]
    pub fn synchronize(&self) -> Result<()> {
        self.0.synchronize()
    }

    /// From now on, no wait of the host for this session's work takes longer than `limit`, in whatever call: a
    /// hand-over, `read`, `finish`, `close`, a drop, and so on. The call returns [`Error::StillRunning`] then, with
    /// what it would have consumed, and may be made again. `None`, as it is in the beginning, is no limit.
    /// [`with_wait_limit`](Session::with_wait_limit) sets it where the session is made.
    ///
    /// # Leaving after a wait that ran out
    /// What is dropped while its work still runs waits once more, for `limit` at most, and is [leaked](Error::Leaked)
    /// then, which `tracing` logs. So choose more time than the longest work takes. Leaving by `?` takes as many limits
    /// as there are values whose work has not ended; [`abandon`](Session::abandon) before it leaves at once. Without a
    /// limit, dropping waits without end: after [`HandOver::wait_within`](crate::hand_over::HandOver::wait_within),
    /// too.
    ///
    /// HIP frees memory ([`allocate_hip`](Session::allocate_hip), imports, pages, [`Flags`](crate::hand_over::Flags))
    /// when all streams of the GPU are idle, whatever was given the memory: `hipFree` and `hipHostUnregister` wait
    /// inside for each of them. So the drop of such memory waits first, within the limit, for the streams of all
    /// sessions of this process on the GPU. Streams that no session uses are not known here, and not limited.
    ///
    /// A wait with a limit asks the API's event again and again, at first without a pause, later each millisecond, so
    /// it takes time of a CPU; `read` and `write` copy once more in the host's memory.
    ///
    /// Not limited are calls that wait inside the libraries: launches, while 16,384 packets are in a queue of the GPU,
    /// and copies of memory that OpenCL does not know, which begin when the work before them has ended.
    ///
    /// For one wait alone: [`HandOver::wait_within`](crate::hand_over::HandOver::wait_within),
    /// [`Transfer::wait_within`](crate::transfer::Transfer::wait_within).
    pub fn set_wait_limit(&self, limit: Option<Duration>) {
        self.0.limits.set_wait(limit);
    }

    /// This session, in which [no wait takes longer](Session::set_wait_limit) than `limit`, from its first on.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use rocm_interop::{Device, Result, Session};
    /// fn open(device: &Device) -> Result<Session> {
    ///     Ok(Session::open(device)?.with_wait_limit(Duration::from_secs(10)))
    /// }
    /// ```
    #[must_use]
    pub fn with_wait_limit(self, limit: Duration) -> Session {
        self.set_wait_limit(Some(limit));
        self
    }

    /// From now on, notes how long each kernel, copy, fill and hand-over takes, or, with `false`, no longer: of a part
    /// of the program, or of one launch. [`take_times`](Session::take_times) gives them. While this is off, as it is in
    /// the beginning, nothing more is called than without times.
    ///
    /// ```no_run
    /// # use rocm_interop::{Buffer, Device, Hip, Session};
    /// # use rocm_interop::hip::{HipKernel, HipModule};
    /// # use rocm_interop::times::Work;
    /// # fn f(device: &Device, scale: &HipKernel, x: &Buffer<f32, Hip>) -> Result<(), rocm_interop::Error> {
    /// let session = Session::open_timed(device)?;
    /// # let session: Session = todo!();
    /// session.record_times(true)?;
    /// // SAFETY: one work-item an element.
    /// unsafe { scale.launch(64, 64, 0, &[x.into(), 10.0.into()]) }?;
    /// session.record_times(false)?;
    /// session.synchronize()?;
    /// for time in session.take_times()?.all {
    ///     println!("{:?} took {:?}", time.work, time.took);
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] if the OpenCL queue notes no times: open the session by [`open_timed`](Session::open_timed),
    /// or create the queue with `CL_QUEUE_PROFILING_ENABLE`.
    pub fn record_times(&self, on: bool) -> Result<()> {
        if on && !self.0.profiles {
            let reason = "notes no times of its commands; open the session by `Session::open_timed`, or create the queue with CL_QUEUE_PROFILING_ENABLE";
            return Err(Error::Argument { subject: "OpenCL queue", reason: reason.to_owned() });
        }
        self.0.clock.set(on);
        Ok(())
    }

    /// The times of what has ended since they were taken last. Waits for nothing, so what still runs is in the next.
    /// The newest 65,536 are kept.
    ///
    /// # Errors
    /// [`Error::Call`], also of a call that was made for the time of some work, which is then missing: the work itself
    /// goes on. Those that there are come with the next call.
    pub fn take_times(&self) -> Result<Times> {
        self.0.take_times()
    }

    /// Gives the session's work up, for a GPU that does not answer. From now on nothing waits for it: each wait of the
    /// session, and of what was made with it, returns [`Error::Abandoned`] at once, also one with a limit in which
    /// another thread is now ([`set_wait_limit`](Session::set_wait_limit)); one without a limit goes on. Nothing more
    /// is enqueued.
    ///
    /// What is dropped or closed afterwards stays for the rest of the process, since the GPU may still use it: buffers,
    /// modules, flags, the context, queue and stream. Each is [`Error::Leaked`], from `close` or in the log.
    ///
    /// Other sessions go on. If this session's stream is busy now, those on the same GPU leak what HIP would free
    /// ([`allocate_hip`](Session::allocate_hip), imports, pages), since HIP waits for all streams of the GPU first.
    ///
    /// When the process ends, AMD's libraries may wait for the GPU once more, without end: leave by `libc::_exit`, or
    /// the like, after this.
    ///
    /// ```no_run
    /// # use rocm_interop::{Error, Session};
    /// # use std::time::Duration;
    /// # fn work(session: &Session) -> Result<(), Error> { Ok(()) }
    /// # fn f(session: Session) {
    /// session.set_wait_limit(Some(Duration::from_secs(10)));
    /// if let Err(error @ Error::StillRunning { .. }) = work(&session) {
    ///     eprintln!("{error}");
    ///     session.abandon();
    /// }
    /// # }
    /// ```
    pub fn abandon(&self) {
        self.0.abandon();
    }

    /// Proves that `bytes` bytes at `address` are memory of this session's GPU, by the runtime's own bookkeeping. Any
    /// address may be asked about; nothing is read there. For a buffer, [`Buffer::residency`](crate::Buffer::residency)
    /// has the answer without asking.
    ///
    /// Ask about memory that nobody takes or gives back meanwhile: ROCr may end the process (it aborts by an assertion)
    /// if another thread just gets memory at the address that it looks up.
    ///
    /// # Errors
    /// [`Error::NotResident`] says where they are instead; [`Error::Call`].
    pub fn residency(&self, address: u64, bytes: usize) -> Result<Residency> {
        self.0.residency(address, bytes)
    }
}

impl Core {
    /// Without anything to give back.
    fn empty(device: Device) -> Core {
        Core {
            libraries: Arc::clone(device.libraries()),
            device,
            context: null_mut(),
            queue: null_mut(),
            shared_queue: AtomicBool::new(false),
            shared_stream: AtomicBool::new(false),
            enqueued: Enqueued::default(),
            copies: CopyQueues::default(),
            copy: by_address::copy_kernel(),
            fill: by_address::fill_kernel(),
            address: address::kernel(),
            stream: null_mut(),
            owns_stream: false,
            in_stream: InStream::default(),
            event_pool: EventPool::default(),
            turns: Turns::default(),
            launching_hip: Mutex::default(),
            limits: Limits::default(),
            clock: Clock::default(),
            profiles: false,
            owners: Owners::default(),
        }
    }

    /// Makes a stream of the session's own on its device, which is this thread's current one.
    fn make_stream(&mut self) -> Result<()> {
        // SAFETY: writes one handle.
        unsafe { call!(self.libraries.hip, hipStreamCreate(&mut self.stream)) }?;
        self.owns_stream = true;
        self.uses_stream(self.stream);
        Ok(())
    }

    /// Makes the session's device this thread's current one.
    pub(crate) fn select_device(&self) -> Result<()> {
        // SAFETY: no preconditions.
        unsafe { call!(self.libraries.hip, hipSetDevice(self.device.hip())) }
    }

    /// Waits for all work of `side`, and notes how it ended.
    pub(crate) fn wait(&self, side: Api) -> Result<()> {
        self.waiting("wait for all work", side, || self.wait_untold(side))
    }

    fn wait_untold(&self, side: Api) -> Result<()> {
        if side != Api::Hip {
            return self.finish_before(u64::MAX);
        }
        // The default stream is that of the thread's current device, which may be another session's by now.
        self.select_device()?;
        let last = self.in_stream.last();
        match self.limits.wait() {
            Some(limit) => self.finish_stream_within(self.stream, limit),
            None => self.check_abandoned(Api::Hip).and_then(|()| {
                // SAFETY: the stream lives as long as the session.
                unsafe { call!(self.libraries.hip, hipStreamSynchronize(self.stream)) }
            }),
        }?;
        self.in_stream.ended(last);
        Ok(())
    }

    /// Whether others may enqueue too.
    pub(crate) fn shares_queue(&self) -> bool {
        self.shared_queue.load(Ordering::Relaxed)
    }

    /// The same of the stream.
    pub(crate) fn shares_stream(&self) -> bool {
        self.shared_stream.load(Ordering::Relaxed)
    }

    /// Waits for the session's commands before number `end`; if others may enqueue too, for all.
    pub(crate) fn finish_before(&self, end: u64) -> Result<()> {
        if self.shares_queue() {
            self.finish_queue(self.queue)?;
            return self.settle(u64::MAX);
        }
        self.settle(end)
    }

    /// Waits for all HIP work of the stream, and tells of what ran too early.
    pub(crate) fn synchronize(&self) -> Result<()> {
        self.wait(Api::Hip)?;
        self.report_late(Api::Hip)
    }

    /// Waits for all that is in `queue` now.
    fn finish_queue(&self, queue: cl_command_queue) -> Result<()> {
        match self.limits.wait() {
            None => {
                self.check_abandoned(Api::OpenCl)?;
                // SAFETY: the queue lives as long as the session.
                unsafe { call!(self.libraries.cl, clFinish(queue)) }
            }
            Some(limit) => self.finish_queue_within(queue, limit),
        }
    }

    /// If waits have a limit, waits for all that there is; nobody enqueues any more.
    fn finish_all_within_limit(&mut self) -> Result<()> {
        self.check_abandoned(Api::OpenCl)?;
        let Some(limit) = self.limits.wait() else { return Ok(()) };
        let queues: SmallVec<[cl_command_queue; 3]> = [self.queue].into_iter().chain(self.copies.queues()).collect();
        for queue in queues.into_iter().filter(|queue| !queue.is_null()) {
            self.finish_queue_within(queue, limit)?;
        }
        let streams: SmallVec<[hipStream_t; 2]> = self.copies.streams().collect();
        for stream in streams {
            self.finish_stream_within(stream, limit)?;
        }
        if self.owns_stream { self.wait(Api::Hip) } else { Ok(()) }
    }

    /// Of the queues that the session makes.
    fn queue_properties(&self) -> cl_sys::cl_command_queue_properties {
        if self.profiles { cl_sys::CL_QUEUE_PROFILING_ENABLE } else { 0 }
    }
}

impl Release for Core {
    fn release(&mut self) -> Result<()> {
        // The last who could ask.
        let failures = [self.report_all(), self.report_late(Api::OpenCl), self.report_late(Api::Hip)];
        // Taken, so that each is given back once whatever happens.
        // Of somebody else's stream, nobody knows how long it lives.
        if !self.owns_stream {
            self.leaves_stream(self.stream);
        }
        // What gives a queue or stream back waits for its work.
        if let Err(reason) = self.finish_all_within_limit() {
            if let Error::StillRunning { .. } = reason {
                self.abandon();
            }
            // The GPU may still use what they own.
            std::mem::forget(std::mem::take(self.owners.0.get_mut()));
            let subject = "a session's queue, stream and context".to_owned();
            return first([Err(Error::Leaked { subject, reason: Box::new(reason) }), first(failures)]);
        }
        let (commands, event_pool) = (self.forget_commands(), first([self.forget_event_pool(), self.forget_times()]));
        let copies = self.forget_copies();
        let cl = &self.libraries.cl;
        let kernels = first([self.copy.forget(cl), self.fill.forget(cl), self.address.forget(cl)]);
        let stream = std::mem::take(&mut self.owns_stream).then_some(self.stream);
        if let Some(stream) = stream {
            self.leaves_stream(stream);
        }
        let queue = std::mem::replace(&mut self.queue, null_mut());
        let context = std::mem::replace(&mut self.context, null_mut());
        let Libraries { cl, hip, .. } = &*self.libraries;
        // SAFETY: retained or made by this session; what used them held a reference to it and is gone.
        let released = unsafe {
            first([
                commands,
                event_pool,
                kernels,
                copies,
                stream.map_or(Ok(()), |stream| call!(hip, hipStreamDestroy(stream))),
                if queue.is_null() { Ok(()) } else { call!(cl, clReleaseCommandQueue(queue)) },
                if context.is_null() { Ok(()) } else { call!(cl, clReleaseContext(context)) },
            ])
        };
        first([released, first(failures)])
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        log(self.release());
    }
}

pub(crate) fn c_string(subject: &'static str, text: &str) -> Result<CString> {
    CString::new(text).map_err(|error| Error::Argument { subject, reason: error.to_string() })
}
