//! Time to hand a buffer from OpenCL to HIP with `rocm-interop`, in each of its ways, next to what it replaces, a
//! staged copy of the same bytes (OpenCL to the host, the host to HIP's memory), and next to its bound, the bare wait
//! of the API that gives the buffer away: `clFinish`, and `hipStreamSynchronize` on the way back.
//!
//! Next to the copy, OpenCL's work is done before the clock starts, so a hand-over is what is left of it. Says where
//! each kind's bytes are, from the HSA runtime's own bookkeeping, and checks what the copy copied; that HIP sees what
//! OpenCL wrote into shared memory is checked by the tests.
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[path = "hand_over/waits.rs"]
mod waits;

use criterion::{Criterion, SamplingMode};
use hip_sys::{hipError_t, hipMemcpyKind};
use rocm_interop::hand_over::Flags;
use rocm_interop::{Buffer, Device, Hip, Libraries, OpenCl, Session};
use stack_tests::block_on;

const SIZES: [(&str, usize); 3] = [("4 KiB", 4 << 10), ("32 MiB", 32 << 20), ("1 GiB", 1 << 30)];
/// Copies of the bytes that exist at once: OpenCL's, HIP's, the host's and one to spare.
const COPIES: usize = 4;

fn main() {
    let libraries = Arc::new(Libraries::load().expect("libraries"));
    let devices = Device::all(&libraries).expect("devices");
    let session = Session::open(devices.first().expect("a GPU that OpenCL, HIP and HSA see")).expect("session");
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(20))
        .measurement_time(Duration::from_millis(50))
        .sample_size(10)
        .configure_from_args();
    waits::waits(&mut criterion, session.device());
    views(&mut criterion, &session, &libraries);
    for (name, bytes) in SIZES {
        if free_memory() < COPIES * bytes {
            println!("{name}: skipped, less than {} MiB of memory are free", (COPIES * bytes) >> 20);
            continue;
        }
        measure(&mut criterion, &session, &libraries, name, bytes);
    }
    criterion.final_summary();
}

fn measure(criterion: &mut Criterion, session: &Session, libraries: &Libraries, name: &str, bytes: usize) {
    let mut group = criterion.benchmark_group(format!("hand-over of {name}"));
    group.sampling_mode(SamplingMode::Flat);
    let mut staged = Staged::new(libraries, bytes);

    let mut svm = Some(session.allocate::<u8>(bytes).expect("coarse-grained SVM"));
    fill(svm.as_mut(), &mut staged.host);
    println!("{name}, coarse-grained SVM: in {}", svm.as_ref().expect("there").residency().place);
    group.bench_function("reference staged copy", |b| {
        b.iter_custom(|times| staged.time(times, svm.as_ref().expect("there")));
    });
    drop(staged);
    group.bench_function("coarse-grained SVM", |b| {
        b.iter_custom(|times| hand_over(times, &mut svm, |buffer| buffer.into_hip().expect("into_hip")));
    });
    group.bench_function("coarse-grained SVM, by a callback", |b| {
        let awaited = |buffer: Buffer<_, _>| block_on(buffer.into_hip_later().expect("a marker")).expect("awaited");
        b.iter_custom(|times| hand_over(times, &mut svm, awaited));
    });
    let flags = Flags::new(session, Duration::from_secs(10)).expect("flags");
    group.bench_function("coarse-grained SVM, by a flag", |b| {
        b.iter_custom(|times| {
            hand_over(times, &mut svm, |buffer| {
                let on_hip = flags.into_hip(buffer).expect("a flag");
                // HIP's work would begin here; the host need not wait for it.
                session.synchronize().expect("HIP's stream is past the flag");
                on_hip
            })
        });
    });
    drop((flags, svm));

    let (cl, mut code) = (&libraries.cl, 0);
    let flags = cl_sys::CL_MEM_READ_WRITE;
    // SAFETY: no host pointer; the context lives.
    let mem = unsafe { cl.clCreateBuffer(session.context(), flags, bytes, null_mut(), &mut code) };
    assert_eq!(code, cl_sys::CL_SUCCESS);
    let mem = mem.expect("clCreateBuffer");
    // SAFETY: made above, used through the view only.
    let mut view = Some(unsafe { session.view::<u8>(mem) }.expect("view"));
    println!("{name}, cl_mem view: in {}", view.as_ref().expect("there").residency().place);
    group.bench_function("cl_mem view", |b| {
        b.iter_custom(|times| hand_over(times, &mut view, |buffer| buffer.into_hip().expect("into_hip")));
    });
    drop(view);
    // SAFETY: made above.
    unsafe { cl.clReleaseMemObject(mem) }.expect("clReleaseMemObject");

    let mut host = Some(session.allocate_host::<u8>(bytes).expect("fine-grained SVM"));
    println!("{name}, fine-grained SVM: in {}", host.as_ref().expect("there").residency().place);
    group.bench_function("fine-grained SVM", |b| {
        b.iter_custom(|times| hand_over(times, &mut host, |buffer| buffer.into_hip().expect("into_hip")));
    });
    drop(host);
    group.finish();
}

/// Views of one buffer object, but for the session's first.
fn views(criterion: &mut Criterion, session: &Session, libraries: &Libraries) {
    let (cl, flags, mut code) = (&libraries.cl, cl_sys::CL_MEM_READ_WRITE, 0);
    // SAFETY: no host pointer; the context lives.
    let mem = unsafe { cl.clCreateBuffer(session.context(), flags, 4096, null_mut(), &mut code) };
    assert_eq!(code, cl_sys::CL_SUCCESS);
    let mem = mem.expect("clCreateBuffer");
    // SAFETY: made above, used through the view only.
    let view = || unsafe { session.view::<u8>(mem) }.expect("view");
    drop(view());
    let mut group = criterion.benchmark_group("a view of a cl_mem, and its end");
    group.bench_function("reference a blocking clEnqueueReadBuffer of 8 bytes", |b| {
        let (queue, mut to, blocking) = (session.queue(), [0u8; 8], cl_sys::CL_TRUE);
        b.iter(|| {
            let (to, none, no_event) = (to.as_mut_ptr().cast(), std::ptr::null(), null_mut());
            // SAFETY: 8 bytes on both sides.
            let code = unsafe { cl.clEnqueueReadBuffer(queue, mem, blocking, 0, 8, to, 0, none, no_event) };
            assert_eq!(code.expect("clEnqueueReadBuffer"), cl_sys::CL_SUCCESS);
        });
    });
    group.bench_function("view", |b| b.iter(&view));
    group.finish();
    // SAFETY: made above.
    unsafe { cl.clReleaseMemObject(mem) }.expect("clReleaseMemObject");
}

/// Gives OpenCL's buffer bytes that are told apart from those of memory that nobody wrote.
fn fill(buffer: Option<&mut Buffer<u8, OpenCl>>, host: &mut [u8]) {
    for (i, byte) in host.iter_mut().enumerate() {
        *byte = pattern(i);
    }
    buffer.expect("there").write(host).expect("write");
    host.fill(0);
}

fn pattern(i: usize) -> u8 {
    (i % 251) as u8 + 1
}

/// Time of handing a buffer over; the way back is not timed.
fn hand_over(
    times: u64,
    place: &mut Option<Buffer<u8, OpenCl>>,
    to_hip: impl Fn(Buffer<u8, OpenCl>) -> Buffer<u8, Hip>,
) -> Duration {
    let mut spent = Duration::ZERO;
    for _ in 0..times {
        let buffer = place.take().expect("there");
        let started = Instant::now();
        let on_hip = to_hip(buffer);
        spent += started.elapsed();
        *place = Some(on_hip.into_opencl().expect("into_opencl"));
    }
    spent
}

/// What a program does without shared memory: host memory between OpenCL's buffer and HIP's.
struct Staged<'l> {
    libraries: &'l Libraries,
    host: Vec<u8>,
    hip: *mut c_void,
    checked: bool,
}

impl<'l> Staged<'l> {
    fn new(libraries: &'l Libraries, bytes: usize) -> Self {
        let mut hip = null_mut();
        // SAFETY: writes one pointer.
        ok(unsafe { libraries.hip.hipMalloc(&mut hip, bytes) });
        Staged { libraries, host: vec![0; bytes], hip, checked: false }
    }

    fn time(&mut self, times: u64, buffer: &Buffer<u8, OpenCl>) -> Duration {
        let started = Instant::now();
        for _ in 0..times {
            buffer.read(&mut self.host).expect("read");
            let (from, kind) = (self.host.as_ptr().cast(), hipMemcpyKind::hipMemcpyHostToDevice);
            // SAFETY: both sides have that many bytes.
            ok(unsafe { self.libraries.hip.hipMemcpy(self.hip, from, self.host.len(), kind) });
        }
        let spent = started.elapsed();
        if !self.checked {
            self.check();
            self.checked = true;
        }
        spent
    }

    /// HIP's memory has what OpenCL wrote.
    fn check(&mut self) {
        self.host.fill(0);
        let (to, kind) = (self.host.as_mut_ptr().cast(), hipMemcpyKind::hipMemcpyDeviceToHost);
        // SAFETY: both sides have that many bytes.
        ok(unsafe { self.libraries.hip.hipMemcpy(to, self.hip, self.host.len(), kind) });
        assert!(self.host.iter().enumerate().all(|(i, &byte)| byte == pattern(i)), "the copy is wrong");
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `new`; an error has nobody to go to.
        _ = unsafe { self.libraries.hip.hipFree(self.hip) };
    }
}

fn ok(code: Result<hipError_t, hip_sys::LoadError>) {
    assert_eq!(code.expect("HIP"), hipError_t::hipSuccess);
}

/// Bytes that programs can still allocate.
fn free_memory() -> usize {
    let meminfo = std::fs::read_to_string("/proc/meminfo").expect("Linux");
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:")).expect("Linux");
    line.trim().trim_end_matches("kB").trim().parse::<usize>().expect("a number") << 10
}
