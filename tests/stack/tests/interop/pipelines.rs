//! Y4: stages of both APIs, through which batches pass.
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use libloading::Library;
use rocm_interop::hip::{HipModule, RawHip};
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::{Buffer, Error, Hip, OpenCl, Session};
use rocm_pipeline::{Empty, Input, Output, Pipeline};

use crate::hand_over::{Broken, Late, assert_failed, assert_late, start, under_any_schedule};
use crate::{N, assert_same, session};

/// What the stages launch: OpenCL adds, HIP triples.
struct Kernels {
    session: Session,
    add: rocm_interop::opencl::OpenClKernel,
    triple: rocm_interop::hip::HipKernel,
}

impl Kernels {
    fn new() -> Kernels {
        let session = session();
        let program = OpenClProgram::build(&session, crate::OPENCL, "").expect("program");
        let module = HipModule::build(&session, crate::HIP).expect("module");
        let (add, triple) = (program.kernel("add").expect("kernel"), module.kernel("triple").expect("kernel"));
        Kernels { session, add, triple }
    }

    fn buffers(&self, count: usize) -> Vec<Buffer<u32, OpenCl>> {
        (0..count).map(|_| self.session.allocate(N).expect("allocate")).collect()
    }

    fn add(&self, buffer: &Buffer<u32, OpenCl>, n: u32) -> Result<(), Error> {
        // SAFETY: one work-item an element.
        unsafe { self.add.launch(&[N], Some(&[64]), &[buffer.into(), n.into()]) }
    }

    fn triple(&self, buffer: &Buffer<u32, Hip>) -> Result<(), Error> {
        // SAFETY: one work-item an element.
        unsafe { self.triple.launch((N / 64) as u32, 64, 0, &[buffer.into()]) }
    }
}

fn batch(number: usize) -> Vec<u32> {
    (0..N as u32).map(|i| i + 1000 * number as u32).collect()
}

/// The batch has been through `((x + 5) * 3 + 1) * 3`.
#[track_caller]
fn assert_done(buffer: &Buffer<u32, OpenCl>, number: usize) {
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    let want: Vec<u32> = batch(number).iter().map(|x| ((x + 5) * 3 + 1) * 3).collect();
    assert_same(&end, &want);
}

/// Four stages, three buffers. Alone and under other schedules.
#[test]
fn y4_batches_pass_in_order_with_every_write() {
    needs_amd_opencl!();
    const BATCHES: usize = 8;
    const BUFFERS: usize = 3;
    let kernels = &Kernels::new();
    let sent = &AtomicUsize::new(0);
    let buffers = kernels.buffers(BUFFERS);
    std::thread::scope(|threads| {
        let pipeline = Pipeline::new()
            .opencl("add 5", |x| kernels.add(x, 5))
            .hip("triple", |x| kernels.triple(x))
            .opencl("add 1", |x| kernels.add(x, 1))
            .hip("triple again", |x| kernels.triple(x));
        let (input, mut output) = pipeline.start(threads, buffers);
        threads.spawn(move || {
            for number in 0..BATCHES {
                let buffer = input.buffer().expect("the output is there");
                sent.fetch_add(1, Ordering::SeqCst);
                let (buffer, _) = buffer.upload(batch(number)).expect("upload").wait().expect("wait");
                input.send(buffer).expect("the first stage takes it");
            }
        });
        for number in 0..BATCHES {
            let buffer = output.next().expect("one for each").expect("no error");
            let inside = sent.load(Ordering::SeqCst) - number;
            assert!(inside <= BUFFERS, "{inside} batches are inside {BUFFERS} buffers");
            assert_done(&buffer, number);
            output.give_back(buffer);
        }
        assert!(output.next().is_none(), "the input is gone");
        let report = output.report();
        let batches: Vec<_> = report.stages.iter().map(|stage| (stage.name, stage.batches)).collect();
        assert_eq!(batches, [("add 5", 8), ("triple", 8), ("add 1", 8), ("triple again", 8)]);
        assert!(
            report.opencl <= report.wall && report.hip <= report.wall && report.overlapped <= report.hip,
            "{report}"
        );
    });
}

#[test]
fn y4_batches_pass_in_order_under_any_schedule() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    under_any_schedule("pipelines::y4_batches_pass_in_order_with_every_write");
}

/// Each side's stage waits until the other has begun with its neighbour, so both are busy at once, which is measured.
#[test]
fn y4_both_sides_are_busy_at_once() {
    needs_amd_opencl!();
    const BATCHES: usize = 5;
    let kernels = &Kernels::new();
    let meeting = &Barrier::new(2);
    let buffers = kernels.buffers(2);
    std::thread::scope(|threads| {
        let (mut first, mut last) = (0, 0);
        let pipeline = Pipeline::new()
            .opencl("add 5", move |x| {
                kernels.add(x, 5)?;
                first += 1;
                if first > 1 {
                    meeting.wait();
                }
                Ok(())
            })
            .hip("triple", move |x| {
                kernels.triple(x)?;
                last += 1;
                if last < BATCHES {
                    meeting.wait();
                }
                Ok(())
            });
        let (input, mut output) = pipeline.start(threads, buffers);
        threads.spawn(move || {
            for number in 0..BATCHES {
                let mut buffer = input.buffer().expect("the output is there");
                buffer.write(&batch(number)).expect("write");
                input.send(buffer).expect("the first stage takes it");
            }
        });
        let mut end = vec![0; N];
        for number in 0..BATCHES {
            let buffer = output.next().expect("one for each").expect("no error");
            buffer.read(&mut end).expect("read");
            assert_same(&end, &batch(number).iter().map(|x| (x + 5) * 3).collect::<Vec<_>>());
            output.give_back(buffer);
        }
        let report = output.report();
        assert!(!report.overlapped.is_zero(), "{report}");
        assert!(report.overlap() > 0.0 && report.overlap() <= 2.0, "{report}");
    });
}

/// Every batch that went in comes out, or is an error with its number and its buffer.
#[test]
fn y4_a_stage_that_fails_loses_its_own_batch_only() {
    needs_amd_opencl!();
    const BATCHES: usize = 6;
    let kernels = &Kernels::new();
    let other = session();
    let foreign = &HipModule::build(&other, crate::HIP).expect("module").kernel("triple").expect("kernel");
    let buffers = kernels.buffers(2);
    std::thread::scope(|threads| {
        let mut number = 0;
        let pipeline = Pipeline::new()
            .opencl("add 5", |x| kernels.add(x, 5))
            .hip("triple", move |x| {
                number += 1;
                match number {
                    // SAFETY: refused, as the kernel is of another session.
                    3 => unsafe { foreign.launch((N / 64) as u32, 64, 0, &[x.into()]) },
                    _ => kernels.triple(x),
                }
            })
            .opencl("add 1", |x| kernels.add(x, 1));
        let (input, mut output) = pipeline.start(threads, buffers);
        threads.spawn(move || {
            for number in 0..BATCHES {
                let mut buffer = input.buffer().expect("the output is there");
                buffer.write(&batch(number)).expect("write");
                input.send(buffer).expect("the first stage takes it");
            }
        });
        let mut end = vec![0; N];
        for number in 0..BATCHES {
            let buffer = match output.next().expect("one for each") {
                Ok(buffer) => {
                    assert_ne!(number, 2);
                    buffer.read(&mut end).expect("read");
                    assert_same(&end, &batch(number).iter().map(|x| (x + 5) * 3 + 1).collect::<Vec<_>>());
                    buffer
                }
                Err(failed) => {
                    assert_eq!((failed.stage, failed.number, number), ("triple", 2, 2));
                    assert!(failed.to_string().starts_with("stage `triple`, batch 2: buffer: is of another session"));
                    let buffer = failed.batch.expect("nothing uses it");
                    buffer.read(&mut end).expect("read");
                    assert_same(&end, &batch(number).iter().map(|x| x + 5).collect::<Vec<_>>());
                    buffer
                }
            };
            output.give_back(buffer);
        }
        assert!(output.next().is_none());
        let batches: Vec<u64> = output.report().stages.iter().map(|stage| stage.batches).collect();
        assert_eq!(batches, [6, 6, 5], "the last stage did not run for it");
    });
}

/// Work of two stages is in one queue. The second waits for its own while the first's, which is before it, fails: the
/// first's batch is the one that fails.
#[test]
fn y4_work_that_fails_later_is_told_by_its_own_stage() {
    needs_amd_opencl!();
    const BATCHES: usize = 8;
    let late = &Late::new();
    let broken = &Broken::late(&late.session);
    std::thread::scope(|threads| {
        let (launched, is_launched) = channel();
        let (came_out, has_come_out) = channel();
        let mut number = 0;
        let pipeline = Pipeline::new()
            .opencl("bad", move |x| {
                number += 1;
                if number % 2 == 1 {
                    late.opencl(x);
                    return Ok(());
                }
                broken.launch(x);
                _ = launched.send(());
                // The other stage has waited.
                _ = has_come_out.recv();
                Ok(())
            })
            .opencl("good", move |x| {
                // Behind the work that fails.
                _ = is_launched.recv();
                late.opencl(x);
                Ok(())
            });
        let (input, mut output) = pipeline.start(threads, (0..3).map(|_| late.buffer()));
        threads.spawn(move || {
            for _ in 0..BATCHES {
                let mut buffer = input.buffer().expect("the output is there");
                buffer.write(&start()).expect("write");
                input.send(buffer).expect("the first stage takes it");
            }
        });
        for number in 0..BATCHES {
            let batch = output.next().expect("one for each");
            if number % 2 == 0 {
                _ = came_out.send(());
            }
            let buffer = match batch {
                Ok(buffer) => {
                    assert_eq!(number % 2, 0, "batch {number} failed, and nobody was told");
                    assert_late(&buffer, 2);
                    buffer
                }
                Err(failed) => {
                    assert_eq!((failed.stage, failed.number, number % 2), ("bad", number as u64, 1), "{failed}");
                    assert_failed(&failed.error);
                    failed.batch.expect("nothing uses it")
                }
            };
            output.give_back(buffer);
        }
        assert!(output.next().is_none());
        late.session.finish().expect("all were told");
    });
}

/// What comes in may have been launched on just before: a first stage of HIP's begins behind that.
#[test]
fn y4_a_first_stage_of_hips_waits_for_what_came_in() {
    needs_amd_opencl!();
    let late = &Late::new();
    std::thread::scope(|threads| {
        let pipeline = Pipeline::new().hip("late", |x| {
            late.hip(x);
            Ok(())
        });
        let (input, mut output) = pipeline.start(threads, [late.buffer(), late.buffer()]);
        for _ in 0..2 {
            let buffer = input.buffer().expect("a free one");
            late.opencl(&buffer);
            input.send(buffer).expect("the first stage takes it");
        }
        drop(input);
        for _ in 0..2 {
            assert_late(&output.next().expect("one for each").expect("no error"), 2);
        }
    });
}

/// Whoever ends first, the other side hears of it.
#[test]
fn y4_an_end_on_either_side_is_told() {
    needs_amd_opencl!();
    let kernels = &Kernels::new();
    std::thread::scope(|threads| {
        let pipeline = || Pipeline::new().opencl("add 5", |x| kernels.add(x, 5)).hip("triple", |x| kernels.triple(x));
        // Those inside come out when there is no more.
        let (input, output) = pipeline().start(threads, kernels.buffers(2));
        for number in 0..2 {
            let mut buffer = input.buffer().expect("a free one");
            buffer.write(&batch(number)).expect("write");
            input.send(buffer).expect("the first stage takes it");
        }
        drop(input);
        assert_eq!(output.map(|batch| batch.map(drop).is_ok()).collect::<Vec<_>>(), [true, true]);

        let (input, output) = pipeline().start(threads, kernels.buffers(2));
        drop(output);
        assert_eq!(input.buffer().map(|buffer| buffer.len()), Some(N), "those that are free");
        assert_eq!(input.buffer().map(|buffer| buffer.len()), Some(N));
        assert!(input.buffer().is_none(), "nobody gives one back");
    });
}

/// What the stages of [`y4_a_library_of_hips_writes_in_a_stage`] fail with.
#[derive(Debug)]
enum Failed {
    Session(Error),
    /// `rocblas_status`
    RocBlas(c_int),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Failed {
        Failed::Session(error)
    }
}

/// As much of rocBLAS as a stage uses.
struct RocBlas {
    library: Library,
    handle: *mut c_void,
}

impl RocBlas {
    fn new(hip: &RawHip) -> RocBlas {
        // SAFETY: rocBLAS may be loaded by any thread, at any time.
        let open = |version| unsafe { Library::new(format!("librocblas.so.{version}")) };
        let library = open(5).or_else(|_| open(4)).or_else(|_| open(0)).expect("rocBLAS");
        let mut blas = RocBlas { library, handle: null_mut() };
        // SAFETY: the functions' types; the first writes one handle.
        unsafe {
            let create = blas.library.get::<unsafe extern "C" fn(*mut *mut c_void) -> c_int>(b"rocblas_create_handle");
            assert_eq!(create.expect("function")(&mut blas.handle), 0);
            let set_stream = blas
                .library
                .get::<unsafe extern "C" fn(*mut c_void, hip_sys::hipStream_t) -> c_int>(b"rocblas_set_stream");
            assert_eq!(set_stream.expect("function")(blas.handle, hip.stream()), 0);
        }
        blas
    }

    /// Multiplies `n` elements of `x`, which are `step` from each other.
    ///
    /// # Safety
    /// There are so many.
    unsafe fn scale(&self, n: c_int, by: f32, x: *mut f32, step: c_int) -> Result<(), Failed> {
        type Sscal = unsafe extern "C" fn(*mut c_void, c_int, *const f32, *mut f32, c_int) -> c_int;
        // SAFETY: the function's type; the caller's promise.
        let status =
            unsafe { self.library.get::<Sscal>(b"rocblas_sscal").expect("function")(self.handle, n, &by, x, step) };
        if status == 0 { Ok(()) } else { Err(Failed::RocBlas(status)) }
    }
}

impl Drop for RocBlas {
    fn drop(&mut self) {
        // SAFETY: the function's type; the handle is given back once.
        unsafe {
            let destroy = self.library.get::<unsafe extern "C" fn(*mut c_void) -> c_int>(b"rocblas_destroy_handle");
            assert_eq!(destroy.expect("function")(self.handle), 0);
        }
    }
}

/// rocBLAS has the batch to write to, and its status comes out as the program's own error, as the session's do.
#[test]
fn y4_a_library_of_hips_writes_in_a_stage() {
    needs_amd_opencl!();
    stack_tests::needs_code!("rocBLAS");
    const OPENCL: &str = "kernel void add(global float *x, float a) { x[get_global_id(0)] += a; }";
    let session = session();
    let add = OpenClProgram::build(&session, OPENCL, "").expect("program").kernel("add").expect("kernel");
    let mut blas = None;
    let stages = session.clone();
    let mut number = 0;
    let pipeline = Pipeline::<Buffer<f32, OpenCl>, Failed>::default()
        // SAFETY: one work-item an element.
        .opencl("add", move |x| Ok(unsafe { add.launch(&[N], Some(&[64]), &[x.into(), 2.0.into()]) }?))
        .hip("scale", move |x| {
            let hip = stages.raw_hip()?;
            let blas = blas.get_or_insert_with(|| OfOneThread(RocBlas::new(&hip)));
            number += 1;
            let x = if number == 2 { null_mut() } else { hip.pointer_mut(x)? };
            // SAFETY: so many elements; rocBLAS refuses null.
            unsafe { blas.0.scale(N as c_int, 10.0, x, 1) }
        });
    let (input, mut output) = pipeline.spawn([session.allocate::<f32>(N).expect("allocate")]).expect("threads");
    for number in 0..3 {
        let mut buffer = input.buffer().expect("the one");
        let start: Vec<f32> = (0..N).map(|i| (i + number) as f32).collect();
        buffer.write(&start).expect("write");
        input.send(buffer).expect("the first stage takes it");
        let (buffer, scaled) = match output.next().expect("one for each") {
            Ok(buffer) => (buffer, true),
            Err(failed) => {
                match failed.error {
                    // rocblas_status_invalid_pointer of rocblas-types.h.
                    Failed::RocBlas(status) => assert_eq!(status, 3),
                    Failed::Session(error) => panic!("{error}"),
                }
                (failed.batch.expect("nothing uses it"), false)
            }
        };
        assert_eq!(scaled, number != 1);
        let mut end = vec![0.0; N];
        buffer.read(&mut end).expect("read");
        let want = start.iter().map(|x| (x + 2.0) * if scaled { 10.0 } else { 1.0 });
        assert!(end.iter().copied().eq(want), "{:?}", &end[..4]);
        output.give_back(buffer);
    }
    drop(input);
    assert!(output.next().is_none(), "rocBLAS is given back before the process ends");
}

/// Made, used and given back by a stage's thread.
struct OfOneThread(RocBlas);

// SAFETY: a handle of rocBLAS may be used by any thread, one at a time.
unsafe impl Send for OfOneThread {}

/// What a steady source keeps: both ends in one struct, which goes to another thread.
struct Source {
    input: Input<'static, Buffer<u32, OpenCl>>,
    output: Output<'static, Buffer<u32, OpenCl>>,
    dropped: Vec<usize>,
}

#[test]
fn y4_a_steady_source_keeps_a_pipeline_and_drops_what_it_has_no_buffer_for() {
    needs_amd_opencl!();
    let kernels = Kernels::new();
    let buffers = kernels.buffers(2);
    let (go, gone) = channel::<()>();
    let mut gone = Some(gone);
    let pipeline = Pipeline::new().hip("triple", move |x| {
        // The first batch takes as long as the test says.
        _ = gone.take().map(|gone| gone.recv());
        kernels.triple(x)
    });
    let (input, output) = pipeline.spawn(buffers).expect("threads");
    let mut source = Source { input, output, dropped: Vec::new() };
    let source = std::thread::spawn(move || {
        for number in 0..5 {
            match source.input.try_buffer() {
                Ok(mut buffer) => {
                    buffer.write(&batch(number)).expect("write");
                    source.input.send(buffer).expect("the first stage takes it");
                }
                Err(empty) => {
                    assert_eq!(empty, Empty::NotYet);
                    source.dropped.push(number);
                }
            }
        }
        source
    });
    let Source { input, mut output, dropped } = source.join().expect("no panic");
    assert_eq!(dropped, [2, 3, 4]);
    let short = Duration::from_millis(1);
    assert_eq!(input.buffer_within(short).expect_err("both are inside"), Empty::NotYet);
    assert_eq!(output.next_within(short).expect_err("the stage hangs"), Empty::NotYet);
    drop(go);
    let mut end = vec![0; N];
    let long = Duration::from_secs(600);
    for number in 0..2 {
        let buffer = output.next_within(long).expect("in time").expect("no error");
        buffer.read(&mut end).expect("read");
        assert_same(&end, &batch(number).iter().map(|x| x * 3).collect::<Vec<_>>());
        output.give_back(buffer);
        assert!(input.buffer_within(long).is_ok(), "it is free again");
    }
    drop(input);
    assert_eq!(output.next_within(long).expect_err("no more"), Empty::Ended);
    assert!(output.next().is_none());
}

/// Without a scope, whoever takes what comes out has the panic.
#[test]
fn a_stage_that_panics_ends_a_pipeline_without_a_scope() {
    needs_amd_opencl!();
    for panics in [0, 1, 2] {
        let kernels = Kernels::new();
        let buffers = kernels.buffers(2);
        let (ends, ended) = channel::<()>();
        let stage = |number: usize| {
            let (mut batches, ends) = (0, ends.clone());
            move |_: &mut Buffer<u32, OpenCl>| {
                let _ends = &ends;
                batches += 1;
                assert!(number != panics || batches == 1, "stage {number} panics");
                Ok::<(), Error>(())
            }
        };
        let pipeline = Pipeline::new().opencl("first", stage(0)).opencl("second", stage(1)).opencl("third", stage(2));
        let (input, mut output) = pipeline.spawn(buffers).expect("threads");
        input.send(input.buffer().expect("a free one")).expect("the first stage takes it");
        output.next().expect("the first").expect("no error");
        input.send(input.buffer().expect("a free one")).expect("the first stage takes it");
        let panic = catch_unwind(AssertUnwindSafe(|| output.next().is_none())).expect_err("the stage's");
        let text = panic.downcast_ref::<String>().expect("a text");
        assert!(text.contains(&format!("stage {panics} panics")), "{text}");
        assert!(output.next().is_none(), "once");
        drop(output);
        assert!(input.buffer().is_none(), "the other end is gone");
        drop((input, ends));
        assert!(ended.recv().is_err(), "all stages have ended");
    }
}
