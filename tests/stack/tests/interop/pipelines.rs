//! Y4: stages of both APIs, through which batches pass.
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use rocm_interop::{Buffer, Error, Hip, HipModule, OpenCl, OpenClProgram, Pipeline, Session};

use crate::hand_over::{Broken, Late, assert_failed, assert_late, start, under_any_schedule};
use crate::{N, assert_same, session};

/// What the stages launch: OpenCL adds, HIP triples.
struct Kernels {
    session: Session,
    add: rocm_interop::OpenClKernel,
    triple: rocm_interop::HipKernel,
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

/// Work of two stages is in one queue. The second waits for its own while the first's, which is before it, fails: the first's batch is the one that fails.
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
