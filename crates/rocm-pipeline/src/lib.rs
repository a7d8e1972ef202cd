//! Pipelines of OpenCL and HIP stages on one GPU: while one batch is in HIP's stage, the next is in OpenCL's.
//!
//! Batches stay in GPU memory, in the buffers of `rocm-interop`, and pass through the stages in order. Each stage has a
//! thread; a stage that fails costs its own batch only.
//!
//! | type | purpose |
//! |---|---|
//! | [`Pipeline`] | the stages; [`start`](Pipeline::start) or [`spawn`](Pipeline::spawn) gives each a thread |
//! | [`Input`], [`Output`] | the two ends, where batches go in and come out in order |
//! | [`StageFailed`], [`Empty`] | the reason why a batch is missing |
//! | [`Report`] | how long each API was busy, and how long both were |
//!
//! # Example
//! OpenCL adds 2 and HIP multiplies by 10, in two buffers that are used again and again:
//! ```no_run
//! # use rocm_interop::{Buffer, OpenCl, Session};
//! # use rocm_interop::hip::HipKernel;
//! # use rocm_interop::opencl::OpenClKernel;
//! use rocm_pipeline::Pipeline;
//! # fn stages(session: &Session, add: &OpenClKernel, scale: &HipKernel) -> Result<(), Box<dyn std::error::Error>> {
//! let buffers = [session.allocate::<f32>(1024)?, session.allocate(1024)?];
//! std::thread::scope(|threads| {
//!     // SAFETY: one work-item for each element.
//!     let add = |x: &mut Buffer<f32, _>| unsafe { add.launch(&[1024], None, &[x.into(), 2.0.into()]) };
//!     // SAFETY: as above.
//!     let scale = |x: &mut Buffer<f32, _>| unsafe { scale.launch(1024 / 64, 64, 0, &[x.into(), 10.0.into()]) };
//!     let (input, mut output) = Pipeline::new().opencl("add", add).hip("scale", scale).start(threads, buffers);
//!     threads.spawn(move || -> rocm_interop::Result<()> {
//!         for number in 0..100 {
//!             let Some(mut buffer) = input.buffer() else { break }; // waits for a free one
//!             buffer.write(&[number as f32; 1024])?;
//!             if input.send(buffer).is_err() { break } // a stage panicked
//!         }
//!         Ok(()) // the input is dropped, which ends the pipeline
//!     });
//!     while let Some(batch) = output.next() {
//!         let buffer: Buffer<f32, OpenCl> = batch?; // or the stage that failed, and why
//!         output.give_back(buffer);
//!     }
//!     println!("{}", output.report());
//!     Ok(())
//! })
//! # }
//! ```
//!
//! The crate uses the public API of `rocm-interop` alone. [`Shared::into_idle`] waits until no work uses a batch; the
//! batch then passes to either API without another wait.
//!
//! `Input` and `Output` are [`Send`], and not [`Sync`]. They borrow everything that the stages borrow.

mod meter;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SendError, Sender, TryRecvError, channel};
use std::thread::{JoinHandle, Scope};
use std::time::Duration;

use meter::Meter;
use rocm_interop::hand_over::{Idle, Shared};
use rocm_interop::sys::Api;
use rocm_interop::{Error, Hip, OpenCl, Turn};

/// Stages on either API through which batches pass in their order, each in one of a number of buffers: while one is in
/// HIP's stage, the next is in OpenCL's.
///
/// `B` is what a batch is in: a [`Buffer`](rocm_interop::Buffer), or a pair of such. Each stage has a thread of its
/// own, in the scope that the caller gives ([`start`](Pipeline::start)) or in none ([`spawn`](Pipeline::spawn)), in
/// which it enqueues its work and waits for what may use its batch; there is no other. A batch comes in and goes out on
/// OpenCL's turn, by which the host reads and writes. The [example](crate#example) has all of it.
///
/// A stage has its batch to itself, so libraries of HIP write to it by
/// [`RawHip::pointer_mut`](rocm_interop::hip::RawHip::pointer_mut). `E` is what stages fail with: [`Error`], or the
/// program's own type, which is made of it by `?`:
/// ```
/// # use rocm_interop::{Buffer, OpenCl, Session};
/// # use rocm_pipeline::Pipeline;
/// # unsafe fn rocblas_sscal(handle: usize, n: usize, alpha: &f32, x: *mut f32) -> i32 { 0 }
/// enum Failed {
///     Session(rocm_interop::Error),
///     RocBlas(i32),
/// }
///
/// impl From<rocm_interop::Error> for Failed {
///     fn from(error: rocm_interop::Error) -> Failed {
///         Failed::Session(error)
///     }
/// }
///
/// fn scale(session: Session, handle: usize) -> Pipeline<'static, Buffer<f32, OpenCl>, Failed> {
///     Pipeline::<Buffer<f32, OpenCl>, _>::default().hip("scale", move |x| {
///         let hip = session.raw_hip()?;
///         // SAFETY: x has `len` elements. The handle has the session's stream.
///         let status = unsafe { rocblas_sscal(handle, x.len(), &2.0, hip.pointer_mut(x)?) };
///         if status == 0 { Ok(()) } else { Err(Failed::RocBlas(status)) }
///     })
/// }
/// ```
#[must_use = "it runs when it is started"]
pub struct Pipeline<'w, B, E = Error> {
    stages: Vec<Stage<'w, B, E>>,
}

struct Stage<'w, B, E> {
    name: &'static str,
    api: Api,
    run: Box<dyn FnMut(Batch<B>) -> Worked<B, E> + Send + 'w>,
}

/// The batch, whose work has ended, or why a stage failed; the error keeps the batch if no work uses it any more.
type Worked<B, E> = Result<Idle<B>, (E, Option<Idle<B>>)>;

/// A batch inside, on OpenCL's side.
enum Batch<B> {
    /// By the caller, whose OpenCL work may still use it.
    Sent(B),
    /// Through a stage.
    Idle(Idle<B>),
}

impl<B> Batch<B> {
    /// For OpenCL, which keeps its own work in order.
    fn into_inner(self) -> B {
        match self {
            Batch::Sent(batch) => batch,
            Batch::Idle(batch) => batch.into_inner(),
        }
    }
}

/// A batch, or which stage failed with it.
struct Item<B, E> {
    number: u64,
    batch: Result<Batch<B>, StageFailed<B, E>>,
}

/// A stage failed. Those behind it did not run.
#[non_exhaustive]
pub struct StageFailed<B, E = Error> {
    /// Its name.
    pub stage: &'static str,
    /// Which batch, counted from 0.
    pub number: u64,
    /// Why: what the stage returned, or the [`Error`] of the wait for its work.
    pub error: E,
    /// What the batch was in, for [`Output::give_back`]; `None` if the wait for its work failed: then it is given up.
    /// The pipeline has one buffer less until another is given back in its place, and with none left [`Input::buffer`]
    /// waits for one.
    pub batch: Option<B>,
}

/// As `Display`, with the error's own `Debug`.
impl<B, E: fmt::Debug> fmt::Debug for StageFailed<B, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stage `{}`, batch {}: {:?}", self.stage, self.number, self.error)
    }
}

impl<B, E: fmt::Display> fmt::Display for StageFailed<B, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stage `{}`, batch {}: {}", self.stage, self.number, self.error)
    }
}

/// The source is the error, whose text this has too.
impl<B, E: std::error::Error + 'static> std::error::Error for StageFailed<B, E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Without stages.
impl<B, E> Default for Pipeline<'_, B, E> {
    fn default() -> Self {
        Pipeline { stages: Vec::new() }
    }
}

impl<B, E> fmt::Debug for Pipeline<'_, B, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.stages.iter().map(|stage| (stage.name, stage.api))).finish()
    }
}

impl<B> Pipeline<'_, B> {
    /// Without stages, which fail with [`Error`]; [`default`](Pipeline::default) is for any type.
    pub fn new() -> Self {
        Pipeline::default()
    }
}

impl<'w, B, E> Pipeline<'w, B, E>
where
    B: Shared<OpenCl> + Send + 'w,
    B::On<Hip>: Shared<Hip, On<OpenCl> = B>,
    E: From<Error> + Send + 'w,
{
    /// Adds a stage of OpenCL's: `work` enqueues it on the session's queue. What it leaves in its batch is what passes
    /// on.
    pub fn opencl(mut self, name: &'static str, mut work: impl FnMut(&mut B) -> Result<(), E> + Send + 'w) -> Self {
        let run = move |batch: Batch<B>| -> Worked<B, E> {
            let mut batch = batch.into_inner();
            let worked = work(&mut batch);
            end::<OpenCl, B, E>(batch, worked)
        };
        self.stages.push(Stage { name, api: Api::OpenCl, run: Box::new(run) });
        self
    }

    /// Adds a stage of HIP's: `work` enqueues it on the session's stream. What it leaves in its batch is what passes
    /// on.
    pub fn hip(
        mut self,
        name: &'static str,
        mut work: impl FnMut(&mut B::On<Hip>) -> Result<(), E> + Send + 'w,
    ) -> Self {
        let run = move |batch: Batch<B>| -> Worked<B, E> {
            let idle = match batch {
                Batch::Idle(idle) => idle,
                Batch::Sent(batch) => end::<OpenCl, B, E>(batch, Ok(()))?,
            };
            let mut batch = idle.into_hip().into_inner();
            let worked = work(&mut batch);
            end::<Hip, B::On<Hip>, E>(batch, worked)
                .map(Idle::into_opencl)
                .map_err(|(error, batch)| (error, batch.map(Idle::into_opencl)))
        };
        self.stages.push(Stage { name, api: Api::Hip, run: Box::new(run) });
        self
    }

    /// Starts a thread for each stage. At most as many batches are inside as there are `buffers`, also counting those
    /// that the caller has taken.
    ///
    /// Input and output are for two threads: one that has to wait for a buffer cannot take what is done. Neither can
    /// leave the scope, which ends when the stages do, and they when the input is dropped. To keep them in a struct,
    /// use [`spawn`](Pipeline::spawn).
    pub fn start<'scope>(
        self,
        threads: &'scope Scope<'scope, '_>,
        buffers: impl IntoIterator<Item = B>,
    ) -> (Input<'scope, B, E>, Output<'scope, B, E>)
    where
        'w: 'scope,
        B: 'scope,
    {
        let (input, works, output) = self.connect(buffers);
        for work in works {
            threads.spawn(work);
        }
        (input, output)
    }

    /// Input and output, and what runs the stages between them.
    fn connect<'scope>(
        self,
        buffers: impl IntoIterator<Item = B>,
    ) -> (Input<'scope, B, E>, Vec<impl FnOnce() + Send + 'w>, Output<'scope, B, E>) {
        let (give_back, free) = channel();
        // The receiver is here.
        buffers.into_iter().for_each(|buffer| drop(give_back.send(buffer)));
        let meter = Arc::new(Meter::new(self.stages.iter().map(|stage| (stage.name, stage.api)).collect()));
        let (first, mut received) = channel();
        let works = self.stages.into_iter().enumerate().map(|(index, stage)| {
            let (send, next) = channel();
            let (incoming, meter) = (std::mem::replace(&mut received, next), Arc::clone(&meter));
            move || work_at(stage, index, &meter, incoming, send)
        });
        let works = works.collect();
        let input = Input { free, first, sent: 0.into(), scope: PhantomData };
        (input, works, Output { received, give_back, meter, threads: Vec::new(), scope: PhantomData })
    }
}

impl<B, E> Pipeline<'static, B, E>
where
    B: Shared<OpenCl> + Send + 'static,
    B::On<Hip>: Shared<Hip, On<OpenCl> = B>,
    E: From<Error> + Send + 'static,
{
    /// [`start`](Pipeline::start) without a scope: the threads end when the input is dropped and all batches have come
    /// out, and input and output may be kept in a struct and go to other threads.
    ///
    /// A stage that panics ends the pipeline: the output goes on with its panic when it has given what came before.
    /// Nobody else waits for the threads: dropping both ends leaves them to end by themselves, with the buffers that
    /// they hold, which AMD's libraries do not survive while the process ends. So drop the input and take what comes
    /// out until there is no more.
    ///
    /// ```no_run
    /// # use rocm_interop::{Buffer, OpenCl, Result, Session};
    /// # use rocm_pipeline::{Input, Output, Pipeline};
    /// struct Receiver {
    ///     input: Input<'static, Buffer<f32, OpenCl>>,
    ///     output: Output<'static, Buffer<f32, OpenCl>>,
    ///     dropped: u64,
    /// }
    ///
    /// impl Receiver {
    ///     fn new(session: &Session, pipeline: Pipeline<'static, Buffer<f32, OpenCl>>) -> Result<Receiver> {
    ///         let buffers = [session.allocate(1024)?, session.allocate(1024)?];
    ///         let (input, output) = pipeline.spawn(buffers).expect("threads");
    ///         Ok(Receiver { input, output, dropped: 0 })
    ///     }
    ///
    ///     fn received(&mut self, data: &[f32]) -> Result<()> {
    ///         // The source does not wait.
    ///         let Ok(mut buffer) = self.input.try_buffer() else {
    ///             self.dropped += 1;
    ///             return Ok(());
    ///         };
    ///         buffer.write(data)?;
    ///         _ = self.input.send(buffer);
    ///         Ok(())
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// The system has no thread for a stage. Then nothing runs, and the buffers are dropped.
    pub fn spawn(
        self,
        buffers: impl IntoIterator<Item = B>,
    ) -> std::io::Result<(Input<'static, B, E>, Output<'static, B, E>)> {
        let names: Vec<_> = self.stages.iter().map(|stage| stage.name).collect();
        let (input, works, mut output) = self.connect(buffers);
        for (name, work) in names.into_iter().zip(works) {
            // A thread's name has no 0.
            let name = name.replace('\0', " ");
            output.threads.push(std::thread::Builder::new().name(name).spawn(work)?);
        }
        Ok((input, output))
    }
}

/// Waits for the work of a stage, which there may be also after an error. The first error is the stage's.
fn end<Side: Turn, V: Shared<Side>, E: From<Error>>(batch: V, worked: Result<(), E>) -> Worked<V, E> {
    let (error, batch) = match batch.into_idle() {
        Ok(idle) => {
            return match worked {
                Ok(()) => Ok(idle),
                Err(error) => Err((error, Some(idle))),
            };
        }
        Err(refused) => refused.into_parts(),
    };
    let has_ended = error.is_of_work_that_ended();
    let worked = first(worked, error);
    if !has_ended {
        return Err((worked, None));
    }
    // What is missing has been told, so this gives the batch unless others' work behind it fails.
    match batch.into_idle() {
        Ok(idle) => Err((worked, Some(idle))),
        Err(refused) => Err((first(Err(worked), refused.into_error()), None)),
    }
}

/// The first of two errors; the later one is logged if it is not the only one.
fn first<E: From<Error>>(worked: Result<(), E>, later: Error) -> E {
    match worked {
        Ok(()) => later.into(),
        Err(error) => {
            tracing::error!(error = %later, "a stage failed, and so did the wait for its work");
            error
        }
    }
}

/// A stage's thread, until no batch can come any more.
fn work_at<B, E>(
    mut stage: Stage<'_, B, E>,
    index: usize,
    meter: &Meter,
    incoming: Receiver<Item<B, E>>,
    outgoing: Sender<Item<B, E>>,
) {
    for mut item in incoming {
        if let Ok(batch) = item.batch {
            let busy = meter.enter(index);
            let worked = (stage.run)(batch);
            drop(busy);
            let (stage, number) = (stage.name, item.number);
            item.batch = worked.map(Batch::Idle).map_err(|(error, batch)| {
                let batch = batch.map(Idle::into_inner);
                StageFailed { stage, number, error, batch }
            });
        }
        if let Err(lost) = outgoing.send(item) {
            tracing::error!(
                stage = stage.name,
                number = lost.0.number,
                "a batch is dropped: nobody takes what comes out of the pipeline"
            );
        }
    }
}

/// Where batches go in. Dropping it says that there is no more; those inside come out.
///
/// That of [`Pipeline::start`] stays in the scope of the stages' threads, which end when it is dropped and which the
/// scope waits for:
/// ```compile_fail,E0521
/// # use rocm_interop::{Buffer, OpenCl};
/// # use rocm_pipeline::Pipeline;
/// fn keep(pipeline: Pipeline<'static, Buffer<f32, OpenCl>>, buffers: Vec<Buffer<f32, OpenCl>>) {
///     let mut kept = None;
///     std::thread::scope(|threads| {
///         let (input, _output) = pipeline.start(threads, buffers);
///         kept = Some(input); // the scope would never end
///     });
/// }
/// ```
/// So do not forget it ([`std::mem::forget`]), nor keep it while the same thread waits for the last of the output.
#[derive(Debug)]
pub struct Input<'scope, B, E = Error> {
    free: Receiver<B>,
    first: Sender<Item<B, E>>,
    sent: std::cell::Cell<u64>,
    scope: InScope<'scope>,
}

/// Keeps what has it inside the scope: of this lifetime and no shorter one, as [`Scope`] itself.
type InScope<'scope> = PhantomData<&'scope mut &'scope ()>;

/// Why there is no batch or buffer.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Empty {
    /// There is none at present.
    #[error("the pipeline has none yet")]
    NotYet,
    /// There will never be one: the other end is gone.
    #[error("the other end of the pipeline is gone")]
    Ended,
}

/// The text of `Display`, as `main` prints an error by this.
impl fmt::Debug for Empty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<TryRecvError> for Empty {
    fn from(error: TryRecvError) -> Empty {
        match error {
            TryRecvError::Empty => Empty::NotYet,
            TryRecvError::Disconnected => Empty::Ended,
        }
    }
}

impl From<RecvTimeoutError> for Empty {
    fn from(error: RecvTimeoutError) -> Empty {
        match error {
            RecvTimeoutError::Timeout => Empty::NotYet,
            RecvTimeoutError::Disconnected => Empty::Ended,
        }
    }
}

impl<B, E> Input<'_, B, E> {
    /// A buffer to fill, when one is free; until then it waits, so that nobody is faster than the slowest stage. `None`
    /// if none is free and the [`Output`] is gone, by which they are given back.
    pub fn buffer(&self) -> Option<B> {
        self.free.recv().ok()
    }

    /// A buffer to fill, if one is free now: a source that cannot wait drops a batch if there is none.
    ///
    /// # Errors
    /// [`Empty::NotYet`] if all are in use, [`Empty::Ended`] as [`buffer`](Input::buffer) is `None`.
    pub fn try_buffer(&self) -> Result<B, Empty> {
        Ok(self.free.try_recv()?)
    }

    /// The same, waiting for `limit` at most.
    ///
    /// # Errors
    /// As [`try_buffer`](Input::try_buffer).
    pub fn buffer_within(&self, limit: Duration) -> Result<B, Empty> {
        Ok(self.free.recv_timeout(limit)?)
    }

    /// Sends a batch through the stages. It comes out as a batch or an error, after those before it.
    ///
    /// # Errors
    /// The batch, if the first stage is gone, whose work panicked.
    pub fn send(&self, batch: B) -> Result<(), B> {
        let number = self.sent.get();
        self.sent.set(number + 1);
        match self.first.send(Item { number, batch: Ok(Batch::Sent(batch)) }) {
            Err(SendError(Item { batch: Ok(batch), .. })) => Err(batch.into_inner()),
            _ => Ok(()),
        }
    }
}

/// Where batches come out, in their order: an iterator that waits for the next, and ends when the [`Input`] is dropped
/// and all have come.
///
/// If it is dropped before, those inside are dropped as they come; each is an error in the log (by `tracing`).
///
/// That of [`Pipeline::start`] stays in the scope of the stages' threads too, as whoever waits in [`Input::buffer`]
/// waits for it to give one back or to be dropped:
/// ```compile_fail,E0521
/// # use rocm_interop::{Buffer, OpenCl};
/// # use rocm_pipeline::Pipeline;
/// fn keep(pipeline: Pipeline<'static, Buffer<f32, OpenCl>>, buffers: Vec<Buffer<f32, OpenCl>>) {
///     let mut kept = None;
///     std::thread::scope(|threads| {
///         let (input, output) = pipeline.start(threads, buffers);
///         threads.spawn(move || while input.buffer().is_some_and(|buffer| input.send(buffer).is_ok()) {});
///         kept = Some(output); // the thread would never end
///     });
/// }
/// ```
/// What came out may leave it:
/// ```
/// # use rocm_interop::{Buffer, OpenCl};
/// # use rocm_pipeline::{Pipeline, StageFailed};
/// # type Batch = Buffer<f32, OpenCl>;
/// fn all(pipeline: Pipeline<'_, Batch>, batches: Vec<Batch>) -> Result<Vec<Batch>, StageFailed<Batch>> {
///     std::thread::scope(|threads| {
///         let (input, output) = pipeline.start(threads, []);
///         batches.into_iter().for_each(|batch| drop(input.send(batch)));
///         drop(input);
///         output.collect()
///     })
/// }
/// ```
#[derive(Debug)]
pub struct Output<'scope, B, E = Error> {
    received: Receiver<Item<B, E>>,
    give_back: Sender<B>,
    meter: Arc<Meter>,
    /// Of stages that no scope waits for, until they are known to have ended.
    threads: Vec<JoinHandle<()>>,
    scope: InScope<'scope>,
}

impl<B, E> Iterator for Output<'_, B, E> {
    type Item = Result<B, StageFailed<B, E>>;

    /// # Panics
    /// With the panic of a stage, if [`Pipeline::spawn`] started it.
    fn next(&mut self) -> Option<Self::Item> {
        match self.received.recv() {
            Ok(item) => Some(item.batch.map(Batch::into_inner)),
            Err(_) => {
                self.ended();
                None
            }
        }
    }
}

impl<B, E> Output<'_, B, E> {
    /// The next, if it comes within `limit`. So a stage whose work never ends holds up nobody; see
    /// [`Session::set_wait_limit`](rocm_interop::Session::set_wait_limit) for how it ends.
    ///
    /// # Errors
    /// [`Empty::NotYet`] if none came, [`Empty::Ended`] if the [`Input`] is dropped and all have come.
    ///
    /// # Panics
    /// As [`next`](Output::next).
    pub fn next_within(&mut self, limit: Duration) -> Result<Result<B, StageFailed<B, E>>, Empty> {
        match self.received.recv_timeout(limit) {
            Ok(item) => Ok(item.batch.map(Batch::into_inner)),
            Err(RecvTimeoutError::Timeout) => Err(Empty::NotYet),
            Err(RecvTimeoutError::Disconnected) => {
                self.ended();
                Err(Empty::Ended)
            }
        }
    }

    /// No stage sends any more. The last has ended, and if it did not panic, that before it too, or it would still wait
    /// for that one. A panic is the caller's.
    fn ended(&mut self) {
        while let Some(last) = self.threads.pop() {
            if let Err(panic) = last.join() {
                // Those before it end when the input does.
                self.threads.clear();
                std::panic::resume_unwind(panic);
            }
        }
    }

    /// Gives a buffer to [`Input::buffer`]. If there is no input any more, it is dropped.
    pub fn give_back(&self, batch: B) {
        _ = self.give_back.send(batch);
    }

    /// What was busy so far, and how much of that at once.
    pub fn report(&self) -> Report {
        self.meter.report()
    }
}

/// How long stages were busy: from the start of their work on a batch until the host saw its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// From the first start to the last end.
    pub wall: Duration,
    /// How long one or several of OpenCL's stages were busy.
    pub opencl: Duration,
    /// The same of HIP's.
    pub hip: Duration,
    /// How long both sides were busy at once.
    pub overlapped: Duration,
    /// Each stage, in their order.
    pub stages: Vec<StageReport>,
}

/// How long one stage was busy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StageReport {
    /// Its name.
    pub name: &'static str,
    /// For how long, over all its batches.
    pub busy: Duration,
    /// How many it worked on.
    pub batches: u64,
}

impl Report {
    /// Busy time of both sides over wall time: 1 if they took turns without a pause, up to 2 if both were always busy.
    pub fn overlap(&self) -> f64 {
        if self.wall.is_zero() { 0.0 } else { (self.opencl + self.hip).as_secs_f64() / self.wall.as_secs_f64() }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Duration| 1e3 * time.as_secs_f64();
        for StageReport { name, busy, batches } in &self.stages {
            writeln!(f, "{name}: {batches} batches, {:.2} ms each", ms(*busy) / (*batches).max(1) as f64)?;
        }
        let (opencl, hip, both, wall) = (ms(self.opencl), ms(self.hip), ms(self.overlapped), ms(self.wall));
        write!(
            f,
            "busy: OpenCL {opencl:.2} ms, HIP {hip:.2} ms, both at once {both:.2} ms of {wall:.2} ms; overlap {:.2}",
            self.overlap()
        )
    }
}

#[cfg(test)]
mod tests {
    use rocm_interop::{Buffer, Error, OpenCl};

    use super::{Empty, Input, Output, StageFailed};

    fn missing() -> Error {
        Error::NoMemory { call: "clSVMAlloc", bytes: 1 }
    }

    #[test]
    fn the_reason_is_found_in_what_a_stage_failed_with() {
        let failed = StageFailed { stage: "add", number: 3, error: missing(), batch: Some(()) };
        assert!(Error::find(&failed).is_some_and(Error::is_out_of_memory));
        assert_eq!(format!("{failed:?}"), format!("stage `add`, batch 3: {}", missing()));
        assert_eq!(format!("{:?}", Empty::NotYet), "the pipeline has none yet");
    }

    #[test]
    fn both_ends_go_to_other_threads() {
        fn sent<T: Send + 'static>() {}
        sent::<Input<'static, Buffer<f32, OpenCl>>>();
        sent::<Output<'static, Buffer<f32, OpenCl>>>();
    }
}
