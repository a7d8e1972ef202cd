//! Batches on their way through stages of both APIs, several at a time.

mod meter;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SendError, Sender, channel};
use std::thread::Scope;
use std::time::Duration;

use crate::apis::call::{first, log};
use crate::hand_over::sealed::Waited;
use crate::hand_over::to_opencl;
use crate::session::event::Event;
use crate::{Api, Error, Hip, OpenCl, Result, Shared};
use meter::Meter;

/// Stages on either API through which batches pass in their order, each in one of a number of buffers: while one is in HIP's stage, the next is in
/// OpenCL's.
///
/// `B` is what a batch is in: a [`Buffer`](crate::Buffer), or a pair of such. Each stage has a thread of its own in the scope that the caller gives, in which
/// it enqueues its work and waits for it; there is no other. A batch comes in and goes out on OpenCL's turn, by which the host reads and writes.
///
/// ```no_run
/// # use rocm_interop::{Buffer, HipKernel, OpenCl, OpenClKernel, Pipeline, Session};
/// # fn stages(session: &Session, add: &OpenClKernel, scale: &HipKernel, batches: Vec<Vec<f32>>) -> Result<(), Box<dyn std::error::Error>> {
/// let buffers = [session.allocate::<f32>(1024)?, session.allocate(1024)?];
/// std::thread::scope(|threads| {
///     // SAFETY: one work-item an element.
///     let add = |x: &Buffer<f32, _>| unsafe { add.launch(&[1024], None, &[x.into(), 2.0.into()]) };
///     // SAFETY: as above.
///     let scale = |x: &Buffer<f32, _>| unsafe { scale.launch(1024 / 64, 64, 0, &[x.into(), 10.0.into()]) };
///     let (input, mut output) = Pipeline::new().opencl("add", add).hip("scale", scale).start(threads, buffers);
///     threads.spawn(move || -> rocm_interop::Result<()> {
///         for batch in batches {
///             let Some(mut buffer) = input.buffer() else { break }; // waits for a free one
///             buffer.write(&batch)?;
///             if input.send(buffer).is_err() { break } // a stage panicked
///         }
///         Ok(()) // the input is dropped: this was the last
///     });
///     while let Some(batch) = output.next() {
///         let buffer: Buffer<f32, OpenCl> = batch?; // or which stage failed, and why
///         buffer.read(&mut [0.0; 1024])?;
///         output.give_back(buffer);
///     }
///     println!("{}", output.report());
///     Ok(())
/// })
/// # }
/// ```
#[must_use = "it runs when it is started"]
pub struct Pipeline<'w, B> {
    stages: Vec<Stage<'w, B>>,
}

struct Stage<'w, B> {
    name: &'static str,
    api: Api,
    run: Box<dyn FnMut(B) -> Worked<B> + Send + 'w>,
}

/// The batch, whose work is done, or why it is not; the error keeps the batch if nothing uses it any more.
type Worked<B> = Result<B, (Error, Option<B>)>;

/// A batch inside.
struct Item<B> {
    number: u64,
    batch: Result<B, StageFailed<B>>,
}

/// A stage failed. Those behind it did not run.
#[non_exhaustive]
pub struct StageFailed<B> {
    /// Its name.
    pub stage: &'static str,
    /// Which batch, counted from 0.
    pub number: u64,
    /// Why.
    pub error: Error,
    /// What the batch was in, for [`Output::give_back`]; `None` if the wait for its work failed: then it is given up. The pipeline has one buffer less
    /// until another is given back in its place, and with none left [`Input::buffer`] waits for one.
    pub batch: Option<B>,
}

impl<B> fmt::Debug for StageFailed<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stage, number, error, .. } = self;
        f.debug_struct("StageFailed")
            .field("stage", stage)
            .field("number", number)
            .field("error", error)
            .finish_non_exhaustive()
    }
}

impl<B> fmt::Display for StageFailed<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stage `{}`, batch {}: {}", self.stage, self.number, self.error)
    }
}

/// The source is the [`Error`], whose text this has too.
impl<B> std::error::Error for StageFailed<B> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl<B> Default for Pipeline<'_, B> {
    fn default() -> Self {
        Pipeline { stages: Vec::new() }
    }
}

impl<B> fmt::Debug for Pipeline<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.stages.iter().map(|stage| (stage.name, stage.api))).finish()
    }
}

impl<'w, B> Pipeline<'w, B>
where
    B: Shared<OpenCl> + Send + 'w,
    B::On<Hip>: Shared<Hip, On<OpenCl> = B>,
{
    /// Without stages.
    pub fn new() -> Self {
        Pipeline::default()
    }

    /// Adds a stage of OpenCL's: `work` enqueues it on the session's queue.
    pub fn opencl(mut self, name: &'static str, mut work: impl FnMut(&B) -> Result<()> + Send + 'w) -> Self {
        let run = move |batch: B| {
            let worked = work(&batch);
            // Also after an error there may be work.
            match batch.session().and_then(|session| Event::in_queue(&session.0, batch.addresses())?.wait()) {
                Err(error) if !error.is_of_work_that_ended() => Err(give_up(worked, error)),
                ended => keep(batch, [worked, ended]),
            }
        };
        self.stages.push(Stage { name, api: Api::OpenCl, run: Box::new(run) });
        self
    }

    /// Adds a stage of HIP's: `work` enqueues it on the session's stream.
    pub fn hip(mut self, name: &'static str, mut work: impl FnMut(&B::On<Hip>) -> Result<()> + Send + 'w) -> Self {
        let first_stage = self.stages.is_empty();
        let run = move |batch: B| {
            // A stage before has waited for its work. What comes from outside may have been launched on and not waited for.
            if first_stage {
                let ended = batch.session().and_then(|session| {
                    session.0.wait(Api::OpenCl)?;
                    session.0.tell(Api::OpenCl, &batch.addresses())
                });
                match ended {
                    Ok(()) => {}
                    Err(error) if error.is_of_work_that_ended() => return Err((error, Some(batch))),
                    Err(error) => return Err((error, None)),
                }
            }
            let batch = batch.turn::<Hip>(Waited(()));
            let worked = work(&batch);
            let pending = match to_opencl(batch) {
                Ok(pending) => pending,
                Err(refused) => return Err(give_up(worked, refused.into())),
            };
            match pending.wait() {
                Ok(batch) => keep(batch, [worked, Ok(())]),
                Err(refused) => match refused.into_parts() {
                    (error, pending) if error.is_of_work_that_ended() => match pending.wait() {
                        Ok(batch) => keep(batch, [worked, Err(error)]),
                        Err(refused) => Err(give_up(first([worked, Err(error)]), refused.into())),
                    },
                    (error, _) => Err(give_up(worked, error)),
                },
            }
        };
        self.stages.push(Stage { name, api: Api::Hip, run: Box::new(run) });
        self
    }

    /// Starts a thread for each stage. At most as many batches are inside as there are `buffers`, also counting those that the caller has taken.
    ///
    /// Input and output are for two threads: one that has to wait for a buffer cannot take what is done. Neither can leave the scope, which ends when the
    /// stages do, and they when the input is dropped.
    pub fn start<'scope>(
        self,
        threads: &'scope Scope<'scope, '_>,
        buffers: impl IntoIterator<Item = B>,
    ) -> (Input<'scope, B>, Output<'scope, B>)
    where
        'w: 'scope,
        B: 'scope,
    {
        let (give_back, free) = channel();
        // The receiver is here.
        buffers.into_iter().for_each(|buffer| drop(give_back.send(buffer)));
        let meter = Arc::new(Meter::new(self.stages.iter().map(|stage| (stage.name, stage.api)).collect()));
        let (first, mut received) = channel();
        for (index, stage) in self.stages.into_iter().enumerate() {
            let (send, next) = channel();
            let (incoming, meter) = (std::mem::replace(&mut received, next), Arc::clone(&meter));
            threads.spawn(move || work_at(stage, index, &meter, incoming, send));
        }
        (
            Input { free, first, sent: 0.into(), scope: PhantomData },
            Output { received, give_back, meter, scope: PhantomData },
        )
    }
}

/// The error of a batch that could not be waited for: of its work, if that failed before.
fn give_up<B>(worked: Result<()>, wait: Error) -> (Error, Option<B>) {
    match worked {
        Ok(()) => (wait, None),
        Err(error) => {
            log(Err(wait));
            (error, None)
        }
    }
}

fn keep<B>(batch: B, outcomes: [Result<()>; 2]) -> Worked<B> {
    match first(outcomes) {
        Ok(()) => Ok(batch),
        Err(error) => Err((error, Some(batch))),
    }
}

/// A stage's thread, until no batch can come any more.
fn work_at<B>(
    mut stage: Stage<'_, B>,
    index: usize,
    meter: &Meter,
    incoming: Receiver<Item<B>>,
    outgoing: Sender<Item<B>>,
) {
    for mut item in incoming {
        if let Ok(batch) = item.batch {
            let busy = meter.enter(index);
            let worked = (stage.run)(batch);
            drop(busy);
            let (stage, number) = (stage.name, item.number);
            item.batch = worked.map_err(|(error, batch)| StageFailed { stage, number, error, batch });
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
/// It stays in the scope of the stages' threads, which end when it is dropped and which the scope waits for:
/// ```compile_fail,E0521
/// # use rocm_interop::{Buffer, OpenCl, Pipeline};
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
pub struct Input<'scope, B> {
    free: Receiver<B>,
    first: Sender<Item<B>>,
    sent: std::cell::Cell<u64>,
    scope: InScope<'scope>,
}

/// Keeps what has it inside the scope: of this lifetime and no shorter one, as [`Scope`] itself.
type InScope<'scope> = PhantomData<&'scope mut &'scope ()>;

impl<B> Input<'_, B> {
    /// A buffer to fill, when one is free; until then it waits, so that nobody is faster than the slowest stage. `None` if none is free and the
    /// [`Output`] is gone, by which they are given back.
    pub fn buffer(&self) -> Option<B> {
        self.free.recv().ok()
    }

    /// Sends a batch through the stages. It comes out as a batch or an error, after those before it.
    ///
    /// # Errors
    /// The batch, if the first stage is gone, whose work panicked.
    pub fn send(&self, batch: B) -> Result<(), B> {
        let number = self.sent.get();
        self.sent.set(number + 1);
        match self.first.send(Item { number, batch: Ok(batch) }) {
            Err(SendError(Item { batch: Ok(batch), .. })) => Err(batch),
            _ => Ok(()),
        }
    }
}

/// Where batches come out, in their order: an iterator that waits for the next, and ends when the [`Input`] is dropped and all have come.
///
/// If it is dropped before, those inside are dropped as they come; each is an error in the log (by `tracing`).
///
/// It stays in the scope of the stages' threads too, as whoever waits in [`Input::buffer`] waits for it to give one back or to be dropped:
/// ```compile_fail,E0521
/// # use rocm_interop::{Buffer, OpenCl, Pipeline};
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
/// # use rocm_interop::{Buffer, OpenCl, Pipeline, StageFailed};
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
pub struct Output<'scope, B> {
    received: Receiver<Item<B>>,
    give_back: Sender<B>,
    meter: Arc<Meter>,
    scope: InScope<'scope>,
}

impl<B> Iterator for Output<'_, B> {
    type Item = Result<B, StageFailed<B>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.received.recv().ok().map(|item| item.batch)
    }
}

impl<B> Output<'_, B> {
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
