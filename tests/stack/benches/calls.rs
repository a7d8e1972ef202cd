//! Calls of `rocm-interop` next to the raw calls that they stand for, in the same run: launches, a session's first
//! view, uploads from staging memory, a pool's buffers, and kernels that were compiled before. Hand-overs and later
//! views are in `hand_over`.
#[path = "submission/empty.rs"]
#[expect(dead_code, reason = "the kernels here have arguments")]
mod empty;
#[path = "submission/hip.rs"]
#[expect(dead_code, reason = "the launches of the submission benchmark are without arguments")]
mod hip;
#[path = "../../../crates/rocm-interop/examples/aql_saxpy/hsa.rs"]
#[expect(dead_code, reason = "the submission benchmark's kernel needs it")]
mod hsa;

use std::ffi::c_void;
use std::hint::black_box;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cl_sys::{Cl, cl_kernel, cl_program};
use criterion::{Criterion, SamplingMode};
use rocm_interop::hip::HipModule;
use rocm_interop::memory::BufferPool;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::{Device, Libraries, Session};

const ITEMS: usize = 64;
const OPENCL: &str = "kernel void add(global uint *b, uint n) { b[get_global_id(0)] += n; }";
const HIP: &str = "extern \"C\" __global__ void add(unsigned *b, unsigned n) { b[threadIdx.x] += n; }";
const ADDRESS: &str = "kernel void address_of(global char *b, global ulong *out) { *out = (ulong)b; }";
/// Launches between two waits.
const BURST: u64 = 64;
const UPLOAD: usize = 8 << 20;
const BUFFER: usize = 64 << 10;

fn main() {
    let libraries = Arc::new(Libraries::load().expect("libraries"));
    let devices = Device::all(&libraries).expect("devices");
    let device = devices.first().expect("a GPU that OpenCL, HIP and HSA see");
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(20))
        .measurement_time(Duration::from_millis(60))
        .sample_size(10)
        .configure_from_args();
    let session = Session::open(device).expect("session");
    opencl_launches(&mut criterion, &session);
    hip_launches(&mut criterion, &session, &libraries);
    first_views(&mut criterion, device);
    uploads(&mut criterion, &session);
    pools(&mut criterion, &session);
    builds(&mut criterion, &session, &libraries);
    criterion.final_summary();
}

/// Bursts of launches, whose end is waited for while the clock stands.
fn bursts(launches: u64, mut launch: impl FnMut(), mut wait: impl FnMut()) -> Duration {
    let (mut spent, mut left) = (Duration::ZERO, launches);
    while left > 0 {
        let burst = left.min(BURST);
        let started = Instant::now();
        (0..burst).for_each(|_| launch());
        spent += started.elapsed();
        wait();
        left -= burst;
    }
    spent
}

fn opencl_launches(criterion: &mut Criterion, session: &Session) {
    let cl = &session.device().libraries().cl;
    let kernel = OpenClProgram::build(session, OPENCL, "").expect("program").kernel("add").expect("kernel");
    let mut buffer = session.allocate::<u32>(ITEMS).expect("allocate");
    buffer.write(&[0; ITEMS]).expect("write");
    let finish = || session.finish().expect("finish");
    let mut group = criterion.benchmark_group("a launch by OpenCL");
    group.sampling_mode(SamplingMode::Flat);
    let mut launched = 0u32;
    // The queue is asked for by a session beside, so that this one's stays its own.
    let beside = session.beside().expect("session");
    let (queue, raw, address) = (beside.queue(), kernel.raw(), buffer.residency().base);
    let pointer: *const c_void = std::ptr::with_exposed_provenance(address as usize);
    group.bench_function("reference clSetKernelArg, clEnqueueNDRangeKernel", |b| {
        b.iter_custom(|times| {
            let launch = || {
                let n = 1u32;
                launched += 1;
                // SAFETY: what the kernel declares, one work-item an element.
                unsafe {
                    opencl(cl.clSetKernelArgSVMPointer(raw, 0, pointer));
                    opencl(cl.clSetKernelArg(raw, 1, 4, (&raw const n).cast()));
                    let (size, none, no_event) = (&ITEMS, null(), null_mut());
                    opencl(cl.clEnqueueNDRangeKernel(queue, raw, 1, null(), size, size, 0, none, no_event));
                }
            };
            bursts(times, launch, || beside.finish().expect("finish"))
        });
    });
    group.bench_function("launch", |b| {
        b.iter_custom(|times| {
            let launch = || {
                launched += 1;
                // SAFETY: one work-item an element.
                unsafe { kernel.launch(&[ITEMS], Some(&[ITEMS]), &[(&buffer).into(), 1.into()]) }.expect("launch");
            };
            bursts(times, launch, finish)
        });
    });
    group.finish();
    let mut end = [0; ITEMS];
    buffer.read(&mut end).expect("read");
    assert_eq!(end, [launched; ITEMS], "every launch ran once");
}

fn hip_launches(criterion: &mut Criterion, session: &Session, libraries: &Libraries) {
    let (module, _code) = hip::load(libraries, HIP);
    let (function, stream) = (hip::function(&libraries.hip, module, "add"), hip::stream(&libraries.hip));
    let kernel = HipModule::build(session, HIP).expect("module").kernel("add").expect("kernel");
    let mut buffer = session.allocate_hip::<u32>(ITEMS).expect("allocate");
    buffer.write(&[0; ITEMS]).expect("write");
    let mut group = criterion.benchmark_group("a launch by HIP");
    group.sampling_mode(SamplingMode::Flat);
    let mut launched = 0u32;
    let address = buffer.residency().base;
    group.bench_function("reference hipModuleLaunchKernel", |b| {
        b.iter_custom(|times| {
            let launch = || {
                launched += 1;
                let (mut pointer, mut n) = (address, 1u32);
                let mut arguments: [*mut c_void; 2] = [(&raw mut pointer).cast(), (&raw mut n).cast()];
                let (items, arguments, none) = (ITEMS as u32, arguments.as_mut_ptr(), null_mut());
                // SAFETY: what the kernel declares, one work-item an element.
                hip::ok(unsafe {
                    libraries.hip.hipModuleLaunchKernel(function, 1, 1, 1, items, 1, 1, 0, stream, arguments, none)
                });
            };
            // SAFETY: a live stream.
            bursts(times, launch, || hip::ok(unsafe { libraries.hip.hipStreamSynchronize(stream) }))
        });
    });
    group.bench_function("launch", |b| {
        b.iter_custom(|times| {
            let launch = || {
                launched += 1;
                // SAFETY: one work-item an element.
                unsafe { kernel.launch(1, ITEMS as u32, 0, &[(&buffer).into(), 1.into()]) }.expect("launch");
            };
            bursts(times, launch, || session.synchronize().expect("synchronize"))
        });
    });
    group.finish();
    let mut end = [0; ITEMS];
    buffer.read(&mut end).expect("read");
    assert_eq!(end, [launched; ITEMS], "every launch ran once");
}

/// The first view of a session, which compiles its kernel, next to what a program does that finds an address out
/// itself.
fn first_views(criterion: &mut Criterion, device: &Device) {
    let cl = &device.libraries().cl;
    let mut group = criterion.benchmark_group("the first view of a session");
    group.sampling_mode(SamplingMode::Flat);
    let in_new_session = |times: u64, work: &dyn Fn(&Session, cl_sys::cl_mem)| {
        (0..times)
            .map(|_| {
                let session = Session::open(device).expect("session");
                let mem = created(cl, &session, BUFFER);
                let started = Instant::now();
                work(&session, mem);
                let spent = started.elapsed();
                // SAFETY: made above.
                opencl(unsafe { cl.clReleaseMemObject(mem) });
                spent
            })
            .sum()
    };
    group.bench_function("reference a kernel compiled, launched and read", |b| {
        b.iter_custom(|times| {
            in_new_session(times, &|session, mem| {
                let (program, kernel) = built(cl, session, ADDRESS, Some("address_of"));
                let (told, queue, mut address) = (created(cl, session, 8), session.queue(), 0u64);
                // SAFETY: what the kernel declares, one work-item, and room for one address; all of it is given back
                // once.
                unsafe {
                    opencl(cl.clSetKernelArg(kernel, 0, 8, (&raw const mem).cast()));
                    opencl(cl.clSetKernelArg(kernel, 1, 8, (&raw const told).cast()));
                    let (one, none, no_event) = (&1, null(), null_mut());
                    opencl(cl.clEnqueueNDRangeKernel(queue, kernel, 1, null(), one, null(), 0, none, no_event));
                    let (to, blocking) = ((&raw mut address).cast(), cl_sys::CL_TRUE);
                    opencl(cl.clEnqueueReadBuffer(queue, told, blocking, 0, 8, to, 0, none, no_event));
                    opencl(cl.clReleaseMemObject(told));
                    opencl(cl.clReleaseKernel(kernel));
                    opencl(cl.clReleaseProgram(program));
                }
                assert_ne!(address, 0);
            })
        });
    });
    group.bench_function("view", |b| {
        // SAFETY: used through the view only.
        let view = |session: &Session, mem| drop(black_box(unsafe { session.view::<u8>(mem) }.expect("view")));
        b.iter_custom(|times| in_new_session(times, &view));
    });
    group.finish();
}

fn uploads(criterion: &mut Criterion, session: &Session) {
    let cl = &session.device().libraries().cl;
    let beside = session.beside().expect("session");
    let queue = beside.queue();
    let bytes: Vec<u8> = (0..UPLOAD).map(|i| (i % 251) as u8).collect();
    let mut staging = session.staging::<u8>(UPLOAD).expect("staging");
    staging.copy_from_slice(&bytes);
    let mut buffer = session.allocate::<u8>(UPLOAD).expect("allocate");
    let mut group = criterion.benchmark_group("an upload of 8 MiB");
    group.sampling_mode(SamplingMode::Flat);
    group.bench_function("reference a blocking clEnqueueSVMMemcpy of fine-grained SVM", |b| {
        let to = std::ptr::with_exposed_provenance_mut(buffer.residency().base as usize);
        let from = staging.as_ptr().cast();
        b.iter(|| {
            // SAFETY: as many bytes on both sides.
            opencl(unsafe { cl.clEnqueueSVMMemcpy(queue, cl_sys::CL_TRUE, to, from, UPLOAD, 0, null(), null_mut()) });
        });
    });
    let mut place = Some((buffer, staging));
    group.bench_function("upload of a Staging", |b| {
        b.iter(|| {
            let (buffer, staging) = place.take().expect("there");
            place = Some(buffer.upload(staging).expect("upload").wait().expect("wait"));
        });
    });
    let (back, staging) = place.expect("there");
    let mut place = Some((back, bytes.clone()));
    group.bench_function("upload of a Vec", |b| {
        b.iter(|| {
            let (buffer, bytes) = place.take().expect("there");
            place = Some(buffer.upload(bytes).expect("upload").wait().expect("wait"));
        });
    });
    buffer = place.expect("there").0;
    group.bench_function("write", |b| b.iter(|| buffer.write(&bytes).expect("write")));
    group.finish();
    let mut end = vec![0; UPLOAD];
    buffer.write(&end).expect("write");
    let (buffer, staging) = buffer.upload(staging).expect("upload").wait().expect("wait");
    buffer.read(&mut end).expect("read");
    assert!(end == bytes && *staging == bytes[..], "the bytes are wrong");
}

fn pools(criterion: &mut Criterion, session: &Session) {
    let cl = &session.device().libraries().cl;
    let pool = BufferPool::<u8, _>::new(session, BUFFER, 2, Session::allocate).expect("pool");
    let mut group = criterion.benchmark_group("a buffer of 64 KiB, and its end");
    group.bench_function("reference clSVMAlloc, clSVMFree", |b| {
        b.iter(|| {
            let (context, flags) = (session.context(), cl_sys::CL_MEM_READ_WRITE);
            // SAFETY: a live context; given back once.
            unsafe {
                let svm = cl.clSVMAlloc(context, flags, BUFFER, 0).expect("OpenCL");
                assert!(!black_box(svm).is_null());
                cl.clSVMFree(context, svm).expect("OpenCL");
            }
        });
    });
    group.bench_function("allocate", |b| b.iter(|| session.allocate::<u8>(BUFFER).expect("allocate")));
    group.bench_function("BufferPool::take", |b| b.iter(|| pool.take().expect("take").expect("one is there")));
    group.finish();
    assert_eq!(pool.statistics().allocated, 1, "the same all the time");
}

fn builds(criterion: &mut Criterion, session: &Session, libraries: &Libraries) {
    let cl = &libraries.cl;
    let module = HipModule::build(session, HIP).expect("module");
    let program = OpenClProgram::build(session, OPENCL, "").expect("program");
    let mut group = criterion.benchmark_group("a kernel of HIP's built");
    group.sampling_mode(SamplingMode::Flat);
    group.bench_function("reference hiprtcCompileProgram, hipModuleLoadData", |b| {
        b.iter_custom(|times| {
            (0..times)
                .map(|_| {
                    let started = Instant::now();
                    let (module, _code) = hip::load(libraries, HIP);
                    let spent = started.elapsed();
                    // SAFETY: loaded above; nothing runs it.
                    hip::ok(unsafe { libraries.hip.hipModuleUnload(module) });
                    spent
                })
                .sum()
        });
    });
    group.bench_function("HipModule::build", |b| b.iter(|| HipModule::build(session, HIP).expect("module")));
    group.bench_function("HipModule::load", |b| {
        // SAFETY: hiprtc made it.
        b.iter(|| unsafe { HipModule::load(session, module.code()) }.expect("module"));
    });
    group.finish();
    let mut group = criterion.benchmark_group("a kernel of OpenCL's built");
    group.sampling_mode(SamplingMode::Flat);
    group.bench_function("reference clBuildProgram", |b| {
        b.iter(|| {
            let (program, _) = built(cl, session, OPENCL, None);
            // SAFETY: made by `built`.
            opencl(unsafe { cl.clReleaseProgram(program) });
        });
    });
    group.bench_function("OpenClProgram::build", |b| {
        b.iter(|| OpenClProgram::build(session, OPENCL, "").expect("program"));
    });
    group.bench_function("OpenClProgram::load", |b| {
        // SAFETY: OpenCL's compiler made it.
        b.iter(|| unsafe { OpenClProgram::load(session, program.code()) }.expect("program"));
    });
    group.finish();
}

/// A program compiled by raw calls, and a kernel of it.
fn built(cl: &Cl, session: &Session, source: &str, name: Option<&str>) -> (cl_program, cl_kernel) {
    let (mut text, length, mut code) = (source.as_ptr().cast(), source.len(), 0);
    let device = session.device().opencl();
    // SAFETY: one text of that length, and the context's own device.
    unsafe {
        let program = cl.clCreateProgramWithSource(session.context(), 1, &raw mut text, &length, &mut code);
        let program = program.expect("OpenCL");
        opencl(cl.clBuildProgram(program, 1, &device, c"".as_ptr(), None, null_mut()));
        let Some(name) = name else { return (program, null_mut()) };
        let name = std::ffi::CString::new(name).expect("no 0");
        let kernel = cl.clCreateKernel(program, name.as_ptr(), &mut code).expect("OpenCL");
        assert_eq!(code, cl_sys::CL_SUCCESS);
        (program, kernel)
    }
}

fn created(cl: &Cl, session: &Session, bytes: usize) -> cl_sys::cl_mem {
    let mut code = 0;
    // SAFETY: no host pointer; the context lives.
    let mem = unsafe { cl.clCreateBuffer(session.context(), cl_sys::CL_MEM_READ_WRITE, bytes, null_mut(), &mut code) };
    assert_eq!(code, cl_sys::CL_SUCCESS);
    mem.expect("clCreateBuffer")
}

fn opencl(code: Result<cl_sys::cl_int, cl_sys::CallError>) {
    assert_eq!(code.expect("OpenCL"), cl_sys::CL_SUCCESS);
}
