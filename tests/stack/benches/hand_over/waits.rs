//! Hand-overs both ways next to the bare waits.
use std::thread::sleep;
use std::time::{Duration, Instant};

use cl_sys::cl_command_queue;
use criterion::{Criterion, SamplingMode};
use hip_sys::hipStream_t;
use rocm_interop::hand_over::Flags;
use rocm_interop::hip::{HipKernel, HipModule};
use rocm_interop::opencl::{OpenClKernel, OpenClProgram};
use rocm_interop::{Buffer, Device, Hip, OpenCl, Session};
use stack_tests::block_on;

/// Work-items of the kernels.
const ITEMS: usize = 1024;
/// Long enough to be in flight when the wait for it begins.
const OPENCL: &str = "kernel void work(global uint *out) {
    uint x = get_global_id(0);
    for (uint i = 0; i < 4096; i++) x = x * 1664525u + 1013904223u;
    out[get_global_id(0)] = x;
}";
const HIP: &str = "extern \"C\" __global__ void work(unsigned *out) {
    unsigned id = blockIdx.x * 64 + threadIdx.x, x = id;
    for (unsigned i = 0; i < 4096; i++) x = x * 1664525u + 1013904223u;
    out[id] = x;
}";
/// Longer than the kernel takes.
const ENDED: Duration = Duration::from_millis(5);

/// What the kernels compute.
fn worked(id: u32) -> u32 {
    (0..4096).fold(id, |x, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
}

#[derive(Clone, Copy, PartialEq)]
enum Work {
    /// Nothing was enqueued since the last wait.
    None,
    /// A kernel has ended, and nobody has asked yet.
    Ended,
    /// A kernel was just launched.
    InFlight,
}

/// A session with a kernel of each API.
struct Bench {
    session: Session,
    opencl: OpenClKernel,
    hip: HipKernel,
    buffer: Option<Buffer<u32, OpenCl>>,
}

impl Bench {
    fn new(device: &Device) -> Bench {
        let session = Session::open(device).expect("session");
        let program = OpenClProgram::build(&session, OPENCL, "").expect("OpenCL C");
        let module = HipModule::build(&session, HIP).expect("HIP C++");
        let (opencl, hip) = (program.kernel("work").expect("work"), module.kernel("work").expect("work"));
        let buffer = Some(session.allocate(ITEMS).expect("coarse-grained SVM"));
        Bench { session, opencl, hip, buffer }
    }

    fn opencl(&self, work: Work, buffer: &Buffer<u32, OpenCl>) {
        if work != Work::None {
            // SAFETY: one buffer of as many elements as work-items.
            unsafe { self.opencl.launch(&[ITEMS], Some(&[64]), &[buffer.into()]) }.expect("launch");
        }
    }

    fn hip(&self, work: Work, buffer: &Buffer<u32, Hip>) {
        if work != Work::None {
            // SAFETY: as above.
            unsafe { self.hip.launch(ITEMS as u32 / 64, 64, 0, &[buffer.into()]) }.expect("launch");
        }
    }

    /// The sum of the times that `round` takes. Checks that the last kernel's work is in the buffer, if there was one.
    fn rounds(
        &mut self,
        times: u64,
        work: Work,
        round: impl Fn(&Bench, Buffer<u32, OpenCl>) -> (Duration, Buffer<u32, OpenCl>),
    ) -> Duration {
        let mut buffer = self.buffer.take().expect("there");
        buffer.write(&[0; ITEMS]).expect("write");
        let mut spent = Duration::ZERO;
        for _ in 0..times {
            let (time, returned) = round(self, buffer);
            spent += time;
            buffer = returned;
        }
        let mut got = [0; ITEMS];
        buffer.read(&mut got).expect("read");
        let want: [u32; ITEMS] = std::array::from_fn(|id| if work == Work::None { 0 } else { worked(id as u32) });
        assert!(got == want, "the kernel's results are wrong");
        self.buffer = Some(buffer);
        spent
    }
}

/// What `wait` takes after `begin`, which are timed, without the time that the kernel is given in between.
fn timed<A, B>(work: Work, begin: impl FnOnce() -> A, wait: impl FnOnce(A) -> B) -> (Duration, B) {
    let started = Instant::now();
    let begun = begin();
    let begin = started.elapsed();
    if work == Work::Ended {
        sleep(ENDED);
    }
    let started = Instant::now();
    let waited = wait(begun);
    (begin + started.elapsed(), waited)
}

pub fn waits(criterion: &mut Criterion, device: &Device) {
    // The bare waits are of a session whose queue others have.
    let (mut own, mut bare) = (Bench::new(device), Bench::new(device));
    let (queue, stream): (cl_command_queue, hipStream_t) = (bare.session.queue(), bare.session.stream());
    let flags = Flags::new(&own.session, Duration::from_secs(10)).expect("flags");
    let libraries = device.libraries();
    for (state, work) in [("done", Work::None), ("ended", Work::Ended), ("in flight", Work::InFlight)] {
        let mut group = criterion.benchmark_group(format!("hand-over to HIP, work {state}"));
        group.sampling_mode(SamplingMode::Flat);
        let mut case = |name: &str, bench: &mut Bench, hand_over: &ToHip<'_>| {
            group.bench_function(name, |b| {
                b.iter_custom(|times| {
                    bench.rounds(times, work, |bench, on_opencl| {
                        bench.opencl(work, &on_opencl);
                        let (spent, on_hip) = hand_over(on_opencl);
                        (spent, on_hip.into_opencl().expect("into_opencl"))
                    })
                });
            });
        };
        case("reference clFinish", &mut bare, &|buffer| {
            let finish = || {
                // SAFETY: the queue lives.
                let code = unsafe { libraries.cl.clFinish(queue) };
                assert_eq!(code.expect("clFinish"), cl_sys::CL_SUCCESS);
            };
            let (spent, ()) = timed(work, || (), |()| finish());
            (spent, buffer.into_hip().expect("into_hip"))
        });
        case("into_hip", &mut own, &|buffer| timed(work, || buffer, |buffer| buffer.into_hip().expect("into_hip")));
        case("into_hip_later, wait", &mut own, &|buffer| {
            timed(work, || buffer.into_hip_later().expect("a marker"), |pending| pending.wait().expect("wait"))
        });
        case("into_hip_later, await", &mut own, &|buffer| {
            timed(work, || buffer.into_hip_later().expect("a marker"), |pending| block_on(pending).expect("awaited"))
        });
        let session = own.session.clone();
        case("by a flag, until HIP is past it", &mut own, &|buffer| {
            timed(
                work,
                || flags.into_hip(buffer).expect("a flag"),
                |on_hip| {
                    session.synchronize().expect("past the flag");
                    on_hip
                },
            )
        });
        group.finish();

        let mut group = criterion.benchmark_group(format!("hand-over to OpenCL, work {state}"));
        group.sampling_mode(SamplingMode::Flat);
        let mut case = |name: &str, bench: &mut Bench, hand_over: &ToOpenCl<'_>| {
            group.bench_function(name, |b| {
                b.iter_custom(|times| {
                    bench.rounds(times, work, |bench, on_opencl| {
                        let on_hip = on_opencl.into_hip().expect("into_hip");
                        bench.hip(work, &on_hip);
                        hand_over(on_hip)
                    })
                });
            });
        };
        case("reference hipStreamSynchronize", &mut bare, &|buffer| {
            let synchronize = || {
                // SAFETY: the stream lives.
                crate::ok(unsafe { libraries.hip.hipStreamSynchronize(stream) });
            };
            let (spent, ()) = timed(work, || (), |()| synchronize());
            (spent, buffer.into_opencl().expect("into_opencl"))
        });
        case("into_opencl", &mut own, &|buffer| {
            timed(work, || buffer, |buffer| buffer.into_opencl().expect("into_opencl"))
        });
        case("into_opencl_later, wait", &mut own, &|buffer| {
            timed(work, || buffer.into_opencl_later().expect("an event"), |pending| pending.wait().expect("wait"))
        });
        case("into_opencl_later, await", &mut own, &|buffer| {
            timed(work, || buffer.into_opencl_later().expect("an event"), |pending| block_on(pending).expect("awaited"))
        });
        case("by a flag, until OpenCL is past it", &mut own, &|buffer| {
            timed(
                work,
                || flags.into_opencl(buffer).expect("a flag"),
                |on_opencl| {
                    session.finish().expect("past the flag");
                    on_opencl
                },
            )
        });
        group.finish();
    }
}

/// How long it took, and the buffer on the other side.
type ToHip<'f> = dyn Fn(Buffer<u32, OpenCl>) -> (Duration, Buffer<u32, Hip>) + 'f;
type ToOpenCl<'f> = dyn Fn(Buffer<u32, Hip>) -> (Duration, Buffer<u32, OpenCl>) + 'f;
