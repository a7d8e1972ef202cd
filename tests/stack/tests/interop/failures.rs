//! Every call that `rocm-interop` makes, failing: a named error each, and nothing kept.
use std::collections::BTreeSet;
use std::error::Error as StdError;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cl_sys::{Cl, cl_int, cl_mem};
use hip_sys::{Hip, Hiprtc};
use hsa_sys::Hsa;
use rocm_interop::hand_over::Flags;
use rocm_interop::hip::{HipModule, HipSource};
use rocm_interop::opencl::{OpenClProgram, OpenClSource};
use rocm_interop::{Buffer, Device, Error, Hip as OnHip, Libraries, OpenCl, Refused, Session};
use rocm_pipeline::Pipeline;
use stack_tests::{block_on, exclusive};

use crate::hand_over::{Broken, Gate, assert_failed};
use crate::host::Pages;
use crate::limits::LONG;
use crate::outside::UserEvent;
use crate::processes::lasting_handle;
use crate::report::Report;
use crate::shims::{self, Counts, OWNED};
use crate::{N, Sides, both_sides, open_with, some_mem};

/// The functions that `rocm-interop` calls, and the code that they fail with.
const CALLS: [(&str, &[&str]); 5] = [
    (
        "CL_OUT_OF_RESOURCES",
        &[
            "clBuildProgram",
            "clCompileProgram",
            "clCreateBuffer",
            "clCreateCommandQueue",
            "clCreateContext",
            "clCreateKernel",
            "clCreateProgramWithBinary",
            "clCreateProgramWithSource",
            "clEnqueueBarrierWithWaitList",
            "clEnqueueCopyBuffer",
            "clEnqueueFillBuffer",
            "clEnqueueMarkerWithWaitList",
            "clEnqueueNDRangeKernel",
            "clEnqueueReadBuffer",
            "clEnqueueSVMMemFill",
            "clEnqueueSVMMemcpy",
            "clEnqueueWriteBuffer",
            "clFinish",
            "clFlush",
            "clGetCommandQueueInfo",
            "clGetContextInfo",
            "clGetDeviceIDs",
            "clGetDeviceInfo",
            "clGetEventInfo",
            "clGetEventProfilingInfo",
            "clGetMemObjectInfo",
            "clGetPlatformIDs",
            "clGetProgramBuildInfo",
            "clGetProgramInfo",
            "clLinkProgram",
            "clReleaseCommandQueue",
            "clReleaseContext",
            "clReleaseEvent",
            "clReleaseKernel",
            "clReleaseMemObject",
            "clReleaseProgram",
            "clRetainCommandQueue",
            "clRetainContext",
            "clRetainMemObject",
            "clSetEventCallback",
            "clSetKernelArg",
            "clSetKernelArgSVMPointer",
            "clWaitForEvents",
        ],
    ),
    // These have no code.
    ("NULL", &["clSVMAlloc", "clSVMFree"]),
    (
        "hipErrorUnknown",
        &[
            "hipDeviceCanAccessPeer",
            "hipDestroyExternalMemory",
            "hipDeviceGetPCIBusId",
            "hipEventCreateWithFlags",
            "hipEventDestroy",
            "hipEventElapsedTime",
            "hipEventQuery",
            "hipEventRecord",
            "hipEventSynchronize",
            "hipExternalMemoryGetMappedBuffer",
            "hipFree",
            "hipGetDeviceCount",
            "hipGetLastError",
            "hipHostFree",
            "hipHostGetDevicePointer",
            "hipHostMalloc",
            "hipHostRegister",
            "hipHostUnregister",
            "hipLaunchHostFunc",
            "hipImportExternalMemory",
            "hipImportExternalSemaphore",
            "hipIpcCloseMemHandle",
            "hipIpcGetMemHandle",
            "hipIpcOpenMemHandle",
            "hipMalloc",
            "hipMallocManaged",
            "hipMemcpyAsync",
            "hipMemcpyDtoDAsync",
            "hipMemcpyPeerAsync",
            "hipMemcpyWithStream",
            "hipMemsetD16Async",
            "hipMemsetD32Async",
            "hipMemsetD8Async",
            "hipModuleGetFunction",
            "hipModuleLaunchKernel",
            "hipModuleLoadData",
            "hipModuleUnload",
            "hipRuntimeGetVersion",
            "hipSetDevice",
            "hipStreamCreate",
            "hipStreamCreateWithFlags",
            "hipStreamDestroy",
            "hipStreamQuery",
            "hipStreamSynchronize",
            "hipStreamWaitEvent",
        ],
    ),
    (
        "HIPRTC_ERROR_INTERNAL_ERROR",
        &[
            "hiprtcAddNameExpression",
            "hiprtcCompileProgram",
            "hiprtcCreateProgram",
            "hiprtcDestroyProgram",
            "hiprtcGetCode",
            "hiprtcGetCodeSize",
            "hiprtcGetLoweredName",
            "hiprtcGetProgramLog",
            "hiprtcGetProgramLogSize",
        ],
    ),
    (
        "HSA_STATUS_ERROR_OUT_OF_RESOURCES",
        &[
            "hsa_agent_get_info",
            "hsa_amd_agents_allow_access",
            "hsa_amd_interop_map_buffer",
            "hsa_amd_interop_unmap_buffer",
            "hsa_amd_pointer_info",
            "hsa_amd_portable_export_dmabuf",
            "hsa_init",
            "hsa_iterate_agents",
            "hsa_memory_copy",
            "hsa_shut_down",
            "hsa_system_get_info",
        ],
    ),
];

/// Those of them that take two GPUs.
const BETWEEN_GPUS: [&str; 3] = ["hipDeviceCanAccessPeer", "hipMemcpyPeerAsync", "hsa_amd_agents_allow_access"];

/// The first returns nothing, so it cannot fail; that it can be missing is in [`every_call_that_is_missing_is_named`].
/// What the second returns is of other calls.
const UNHEARD: [&str; 2] = ["clSVMFree", "hipGetLastError"];

/// Called by `close`, and also where something else is the thing to tell: then only logged.
const SOMETIMES_HEARD: [&str; 3] = ["clReleaseEvent", "clReleaseProgram", "hiprtcDestroyProgram"];

/// Finding devices and compiling, with which most parts begin, alike: they fail in the first part that makes them. What
/// such a part goes on with takes most of the time.
const SET_UP: [&str; 14] = [
    "clBuildProgram",
    "clCreateKernel",
    "clCreateProgramWithBinary",
    "clCreateProgramWithSource",
    "clGetDeviceIDs",
    "clGetDeviceInfo",
    "clGetPlatformIDs",
    "clGetProgramInfo",
    "hipDeviceGetPCIBusId",
    "hipGetDeviceCount",
    "hipModuleGetFunction",
    "hiprtcCompileProgram",
    "hiprtcGetCode",
    "hiprtcGetCodeSize",
];

/// A buffer object of somebody else.
struct Existing<'c>(&'c Cl, cl_mem);

impl Drop for Existing<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `some_mem`, released once.
        _ = unsafe { self.0.clReleaseMemObject(self.1) };
    }
}

type Outcome = Result<(), Box<dyn StdError>>;

/// [`both_sides`] without compilers, which only [`allocated`] and parts on compilers have: they fail there.
fn on_both_sides(session: &Session, buffer: Buffer<u32, OpenCl>) -> Result<(), Error> {
    let sides = Sides::compiled(session)?;
    sides.run(buffer)?;
    sides.close()
}

/// All that `rocm-interop` does, in parts, through the shims. They get the OpenCL library itself.
const PARTS: [fn(&Cl) -> Outcome; 17] = [
    allocated,
    hips,
    viewed,
    staged,
    on_the_host,
    by_descriptor,
    between_processes,
    awaited,
    flagged,
    given_back_while_busy,
    unloaded_while_busy,
    closed_while_busy,
    broken_kernels,
    compiled_before,
    beside_and_timed,
    on_the_device,
    probed,
];

fn in_time(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let session = open_with(libraries.clone())?;
    session.set_wait_limit(Some(LONG));
    on_both_sides(&session, session.allocate(N)?)?;
    on_both_sides(&session, session.allocate_hip(N)?.into_opencl()?)?;
    session.close()?;
    Ok(end_of(libraries)?)
}

fn in_time_on_a_shared_queue(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let session = open_with(libraries.clone())?;
    session.set_wait_limit(Some(LONG));
    let _shared = session.queue();
    on_both_sides(&session, session.allocate(N)?)?;
    session.close()?;
    Ok(end_of(libraries)?)
}

fn allocated(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let session = open_with(libraries.clone())?;
    both_sides(&session, session.allocate(N)?)?;
    session.close()?;
    Ok(end_of(libraries)?)
}

fn hips(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let session = open_with(libraries.clone())?;
    on_both_sides(&session, session.allocate_hip(N)?.into_opencl()?)?;
    session.close()?;
    Ok(end_of(libraries)?)
}

fn viewed(cl: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let owner = open_with(libraries.clone())?;
    let existing = Existing(cl, some_mem(&owner, cl, cl_sys::CL_MEM_READ_WRITE));
    // SAFETY: handles of the owner, which outlives the guest.
    let guest = unsafe { Session::from_raw(&libraries, owner.context(), owner.queue(), owner.stream()) }?;
    // SAFETY: of the same context, used through the view only.
    on_both_sides(&guest, unsafe { guest.view(existing.1) }?)?;
    guest.close()?;
    owner.close()?;
    Ok(end_of(libraries)?)
}

/// Both ways by hand-overs that wake a task, behind kernels.
fn awaited(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let session = open_with(libraries.clone())?;
    let sides = Sides::compiled(&session)?;
    let mut buffer = session.allocate::<u32>(N)?;
    buffer.write(&[1; N])?;
    sides.add(&buffer, 1)?;
    let on_hip = block_on(buffer.into_hip_later()?)?;
    sides.triple(&on_hip)?;
    let buffer = block_on(on_hip.into_opencl_later()?)?;
    let mut end = vec![0; N];
    buffer.read(&mut end)?;
    assert_eq!(end, [6; N]);
    buffer.close()?;
    sides.close()?;
    session.close()?;
    Ok(end_of(libraries)?)
}

/// There and back on the GPU alone, behind kernels.
fn flagged(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let session = open_with(libraries.clone())?;
    let sides = Sides::compiled(&session)?;
    let flags = Flags::new(&session, Duration::from_secs(60))?;
    let mut buffer = session.allocate::<u32>(N)?;
    buffer.write(&[3; N])?;
    sides.add(&buffer, 1)?;
    let on_hip = flags.into_hip(buffer)?;
    sides.triple(&on_hip)?;
    let buffer = flags.into_opencl(on_hip)?;
    let mut end = vec![0; N];
    buffer.read(&mut end)?;
    assert_eq!(end, [12; N]);
    buffer.close()?;
    flags.close()?;
    sides.close()?;
    session.close()?;
    Ok(end_of(libraries)?)
}

/// Nobody waited for a kernel.
fn closed_while_busy(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let session = open_with(libraries.clone())?;
    leave_busy(&session)?;
    session.close()?;
    Ok(end_of(libraries)?)
}

fn leave_busy(session: &Session) -> Result<(), Error> {
    let program = OpenClProgram::build(session, "kernel void nothing(uint n) {}", "")?;
    let nothing = program.kernel("nothing")?;
    // SAFETY: it uses no memory.
    unsafe { nothing.launch(&[N], None, &[1.into()]) }?;
    nothing.close()?;
    program.close()
}

fn staged(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let session = open_with(libraries.clone())?;
    let (mut svm, mut hips) = (session.allocate::<u32>(N)?, session.allocate_hip::<u32>(N)?);
    let mut staging = [0; N / 2];
    svm.write(&[7; N])?;
    svm.copy_staged(&mut hips, &mut staging)?;
    hips.copy_staged(&mut svm, &mut staging)?;
    hips.close()?;
    svm.close()?;
    session.close()?;
    Ok(end_of(libraries)?)
}

fn by_descriptor(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let session = open_with(libraries.clone())?;
    let original = session.allocate::<u32>((4 << 20) / 4)?;
    let exported = original.export()?;
    let sides = Sides::compiled(&session)?;
    sides.run(session.import(&exported)?)?;
    sides.run(session.import_hip(&exported)?.into_opencl()?)?;
    sides.close()?;
    original.close()?;
    session.close()?;
    Ok(end_of(libraries)?)
}

fn between_processes(_: &Cl) -> Outcome {
    let theirs = lasting_handle();
    let libraries = Arc::new(shims::libraries()?);
    let session = open_with(libraries.clone())?;
    let own = session.allocate_hip::<u32>((4 << 20) / 4)?;
    own.ipc_handle()?;
    // SAFETY: as the other process gave it.
    on_both_sides(&session, unsafe { session.open_ipc(&theirs) }?.into_opencl()?)?;
    own.close()?;
    session.close()?;
    Ok(end_of(libraries)?)
}

fn on_the_host(_: &Cl) -> Outcome {
    // Never freed: what could not be waited for keeps them.
    let (libraries, pages) = (Arc::new(shims::libraries()?), std::mem::ManuallyDrop::new(Pages::new()));
    let session = open_with(libraries.clone())?;
    let sides = Sides::compiled(&session)?;
    let mut svm = session.allocate_host::<u32>(N)?;
    svm.host_slice()?.fill(7);
    sides.run(svm)?;
    sides.run(session.allocate_managed::<u32>(N)?.into_opencl()?)?;
    // SAFETY: the pages are not freed.
    sides.run(unsafe { session.view_pages(pages.slice()) }?)?;
    sides.close()?;
    session.close()?;
    Ok(end_of(libraries)?)
}

/// Everything is closed while both sides may still work on it.
fn given_back_while_busy(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let session = open_with(libraries.clone())?;
    let Sides { add, triple, program, module } = Sides::compiled(&session)?;
    let [first, second] = [session.allocate::<u32>(N)?, session.allocate::<u32>(N)?];
    let first = first.into_hip()?;
    // SAFETY: one work-item an element.
    unsafe {
        triple.launch((N / 64) as u32, 64, 0, &[(&first).into()])?;
        add.launch(&[N], None, &[(&second).into(), 1.into()])?;
    }
    second.close()?;
    // SAFETY: as above.
    unsafe { triple.launch((N / 64) as u32, 64, 0, &[(&first).into()]) }?;
    first.close()?;
    triple.close()?;
    module.close()?;
    add.close()?;
    program.close()?;
    session.close()?;
    Ok(end_of(libraries)?)
}

fn unloaded_while_busy(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let session = open_with(libraries.clone())?;
    let module = HipModule::build(&session, crate::HIP)?;
    let triple = module.kernel("triple")?;
    let buffer = session.allocate::<u32>(N)?.into_hip()?;
    // SAFETY: one work-item an element.
    unsafe { triple.launch((N / 64) as u32, 64, 0, &[(&buffer).into()]) }?;
    module.close()?;
    triple.close()?;
    buffer.close()?;
    session.close()?;
    Ok(end_of(libraries)?)
}

/// What takes two GPUs.
fn between_gpus(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    used_by_another(libraries.clone())?;
    Ok(end_of(libraries)?)
}

fn used_by_another(libraries: Arc<Libraries>) -> Result<(), Error> {
    let devices = Device::all(&libraries)?;
    drop(libraries);
    let [first, second] = &devices[..] else { return Err(Error::NoDevice("two are needed".to_owned())) };
    let (first, second) = (Session::open(first)?, Session::open(second)?);
    first.allocate::<u32>(N)?.into_session(&second)?.close()?;
    let hips = first.allocate_hip(N)?.into_session(&second)?;
    on_both_sides(&second, hips.into_opencl()?)?;
    let on_hip = first.allocate_hip::<u32>(N)?.into_session(&second)?;
    on_hip.into_session(&first)?.close()?;
    let (mut from, mut to) = (first.allocate_hip::<u32>(N)?, second.allocate_hip(N)?);
    from.copy_peer(&mut to)?;
    from.close()?;
    to.close()?;
    leave_busy(&first)?;
    first.close()?;
    second.close().map(drop)
}

/// Sessions are closed, so this is the last owner.
fn end_of(libraries: Arc<Libraries>) -> Result<(), Error> {
    Arc::into_inner(libraries).expect("the last owner").close()
}

fn broken_kernels(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let session = open_with(libraries.clone())?;
    compile_error(OpenClProgram::build(&session, "kernel void broken(", "").map(drop))?;
    compile_error(HipModule::build(&session, "__global__ void broken(").map(drop))?;
    session.close()?;
    Ok(end_of(libraries)?)
}

fn compiled_before(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let session = open_with(libraries.clone())?;
    let source = HipSource::new("template <typename T> __global__ void one(T *x) { *x = 1; }").instance("one<int>");
    let module = HipModule::build(&session, source)?;
    let program = OpenClProgram::build(&session, OpenClSource::new(crate::OPENCL).header("unused.h", ""), "")?;
    // SAFETY: the compilers made them.
    let loaded = unsafe { (OpenClProgram::load(&session, program.code())?, HipModule::load(&session, module.code())?) };
    module.kernel("one<int>")?.close()?;
    loaded.0.kernel("add")?.close()?;
    loaded.0.close()?;
    loaded.1.close()?;
    program.close()?;
    module.close()?;
    session.close()?;
    Ok(end_of(libraries)?)
}

fn beside_and_timed(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let session = Session::open_timed(&Device::first(&libraries)?)?;
    session.record_times(true)?;
    let beside = session.beside()?;
    let (queue, stream) = (session.queue_event()?, session.timed_stream_event()?);
    // SAFETY: live events.
    unsafe {
        beside.queue_waits_for(&[queue.raw()])?;
        beside.stream_waits_for(&[stream.raw()])?;
    }
    queue.close()?;
    let later = session.timed_stream_event()?;
    session.synchronize()?;
    later.since(&stream)?;
    drop((stream, later));
    on_both_sides(&beside, session.allocate(N)?.into_session(&beside).map_err(Refused::into_error)?)?;
    on_both_sides(&session, session.allocate_hip(N)?.into_opencl()?)?;
    session.finish()?;
    session.synchronize()?;
    session.take_times()?;
    beside.close()?;
    session.close()?;
    Ok(end_of(libraries)?)
}

fn on_the_device(cl: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let session = open_with(libraries.clone())?;
    let existing = Existing(cl, some_mem(&session, cl, cl_sys::CL_MEM_READ_WRITE));
    // SAFETY: a buffer of the session's context, used by the view only.
    let (mut svm, mut view) = (session.allocate::<u32>(N)?, unsafe { session.view::<u32>(existing.1) }?);
    for buffer in [&mut svm, &mut view] {
        buffer.fill(1)?;
        buffer.copy_within(..4, 8)?;
    }
    svm.copy_from(0, &view.slice(..)?)?;
    let mut hips = session.allocate_hip::<u32>(N)?;
    hips.fill(1)?;
    hips.copy_within(..4, 8)?;
    let (mut bytes, mut words) = (session.allocate_hip::<u8>(N)?, session.allocate_hip::<u16>(N)?);
    bytes.fill(1)?;
    words.fill(1)?;
    svm.close()?;
    view.close()?;
    hips.close()?;
    bytes.close()?;
    words.close()?;
    session.close()?;
    Ok(end_of(libraries)?)
}

fn probed(_: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let Report { findings, gpus } = Report::with(&libraries);
    for (what, finding) in findings.into_iter().chain(gpus.into_iter().flat_map(|(_, findings)| findings)) {
        match finding {
            Err(reason) if reason.contains("hipErrorNotSupported") => {}
            Err(reason) if what != "other GPUs" => {
                return Err(format!("{what}: {reason}").into());
            }
            _ => {}
        }
    }
    Ok(end_of(libraries)?)
}

/// Success is that the compiler's log was read.
fn compile_error(outcome: Result<(), Error>) -> Outcome {
    match outcome {
        Err(Error::Compile { log, .. }) if log.contains("error: expected") => Ok(()),
        Err(error) => Err(error.into()),
        Ok(()) => Err("a broken kernel compiled".into()),
    }
}

/// What fails when waiting for work fails.
const WAITS: [&str; 6] =
    ["clFinish", "clWaitForEvents", "hipLaunchHostFunc", "hipSetDevice", "hipStreamQuery", "hipStreamSynchronize"];
/// The same where waits have a limit: they ask events. The session, which waits before it goes, is left to the work
/// too.
const WAITS_WITH_LIMIT: [&str; 10] = [
    "clEnqueueMarkerWithWaitList",
    "clFlush",
    "clGetEventInfo",
    "clWaitForEvents",
    "hipEventCreateWithFlags",
    "hipEventQuery",
    "hipEventRecord",
    "hipEventSynchronize",
    "hipSetDevice",
    "hipStreamQuery",
];
/// What such work may use.
const USED_BY_WORK: [&str; 9] = [
    "SVM",
    "buffer objects",
    "HIP memory",
    "HIP host memory",
    "registered pages",
    "external memory",
    "mappings",
    "opened memory",
    "HIP modules",
];

/// Everything that was taken was given back, and nothing before the work that may use it was waited for. What could not
/// be waited for is left to the work.
fn assert_balanced(counts: &Counts, failed: Option<&str>, context: &str, limited: bool) {
    assert_eq!(shims::freed_in_use(), [""; 0], "{context}: given back in use");
    for (what, takes, gives_back) in OWNED {
        let count = |function: &str| counts.get(function).copied().unwrap_or_default();
        let taken: usize = takes.iter().map(|function| count(function).succeeded).sum();
        let given_back = count(gives_back).made;
        let left = failed.is_some_and(|failed| match limited {
            false => WAITS.contains(&failed) && USED_BY_WORK.contains(&what),
            true => WAITS_WITH_LIMIT.contains(&failed),
        });
        assert!(
            taken == given_back || left && taken > given_back,
            "{context}: {what}: {taken} taken, {given_back} given back"
        );
    }
}

/// The first and the last call of each function in each part, but for those of [`SET_UP`].
#[test]
fn every_call_that_fails_is_named_and_nothing_leaks() {
    needs_amd_opencl!();
    let called = each_call_fails(&PARTS, false);
    // Only sessions with a limit ask whether a stream is idle: `every_wait_with_a_limit_...` lets that fail.
    let elsewhere = |call: &&str| BETWEEN_GPUS.contains(call) || *call == "hipStreamQuery";
    let table: BTreeSet<_> = table().into_iter().filter(|call| !elsewhere(call)).collect();
    assert_eq!(called, table, "the functions called are those of the table");
}

/// The same where all waits have a limit.
#[test]
fn every_wait_with_a_limit_that_fails_is_named_and_nothing_in_use_is_given_back() {
    needs_amd_opencl!();
    each_call_fails(&[in_time, in_time_on_a_shared_queue], true);
}

/// The same with two virtual GPUs.
#[test]
fn m10_every_call_between_gpus_that_fails_is_named() {
    on_two_gpus!("failures::m10_every_call_between_gpus_that_fails_is_named");
    let called = each_call_fails(&[between_gpus], false);
    assert!(BETWEEN_GPUS.iter().all(|call| called.contains(call)), "{called:?}");
    for call in BETWEEN_GPUS {
        let error = without(call).map(Arc::new).and_then(used_by_another).expect_err(call);
        assert!(matches!(error, Error::Load { .. }) && error.to_string().contains(call), "without {call}: {error}");
    }
}

/// The functions that the parts call, of which the first and the last call failed by name, with nothing lost.
fn each_call_fails(parts: &[fn(&Cl) -> Outcome], limited: bool) -> BTreeSet<&'static str> {
    let _alone = exclusive();
    let cl = Cl::load().expect("OpenCL");
    let (mut called, mut heard) = (BTreeSet::new(), BTreeSet::new());
    let may_pass = |function: &str| UNHEARD.contains(&function) || SOMETIMES_HEARD.contains(&function);
    for part in parts {
        shims::start(None);
        part(&cl).expect("nothing fails yet");
        let clean = shims::counts();
        assert_balanced(&clean, None, "no failure", limited);
        called.extend(clean.keys().copied());
        for (function, count) in clean {
            if SET_UP.contains(&function) && heard.contains(function) {
                continue;
            }
            for n in BTreeSet::from([1, count.made]) {
                let context = format!("call {n} of {function}");
                // How many are made depends on what is over by then: a run without the call that was to fail says
                // nothing of it.
                let mut runs = 0..if limited { 1 } else { 5 };
                let outcome = runs.find_map(|_| {
                    shims::start(Some((function, n)));
                    let outcome = part(&cl).map_err(|error| error.to_string());
                    let counts = shims::counts();
                    assert_balanced(&counts, Some(function), &context, limited);
                    let was_made = counts.get(function).is_some_and(|count| count.made >= n);
                    (was_made || outcome.is_err()).then_some(outcome)
                });
                match outcome {
                    Some(Err(text)) => {
                        assert_named(&text, function, &context);
                        heard.insert(function);
                    }
                    // Waits with a limit ask as often as it takes.
                    None if limited => {}
                    None => assert!(may_pass(function), "{context}: it was not made again"),
                    Some(Ok(())) => assert!(may_pass(function), "{context}"),
                }
            }
        }
    }
    let may_be_unheard = |function: &str| UNHEARD.contains(&function) || limited && SOMETIMES_HEARD.contains(&function);
    let unheard: Vec<_> = called.difference(&heard).filter(|function| !may_be_unheard(function)).collect();
    assert_eq!(unheard, [&""; 0], "every other function was heard failing");
    called
}

/// A session on functions of which those that a test names fail; none yet.
pub fn intercepted() -> Session {
    shims::start(None);
    open_with(Arc::new(shims::libraries().expect("libraries"))).expect("session")
}

/// A buffer that was not handed over is where it was, with its contents.
#[test]
fn what_a_failed_call_would_have_consumed_comes_back() {
    needs_amd_opencl!();
    let _alone = exclusive();
    let session = intercepted();
    let mut buffer = session.allocate::<u32>(N).expect("allocate");
    buffer.write(&[7; N]).expect("write");
    let failed = |error: &Error, function: &str, number: i64| {
        let Error::Call { call, code } = error else { panic!("{error}") };
        assert_eq!((*call, code.number()), (function, number));
    };
    let program = OpenClProgram::build(&session, crate::OPENCL, "").expect("program");
    let add = program.kernel("add").expect("kernel");
    // SAFETY: one work-item an element.
    let add_one =
        |buffer: &Buffer<u32, OpenCl>| unsafe { add.launch(&[N], None, &[buffer.into(), 1.into()]) }.expect("launch");
    add_one(&buffer);
    shims::start([("clWaitForEvents", 1)]);
    let (error, buffer) = buffer.into_hip().expect_err("clWaitForEvents fails").into_parts();
    failed(&error, "clWaitForEvents", cl_sys::CL_OUT_OF_RESOURCES.into());
    let on_hip = buffer.into_hip().expect("the second time");
    let triple = HipModule::build(&session, crate::HIP).expect("module").kernel("triple").expect("kernel");
    let triple = |buffer: &Buffer<u32, OnHip>| {
        // SAFETY: as above.
        unsafe { triple.launch((N / 64) as u32, 64, 0, &[buffer.into()]) }.expect("launch")
    };
    triple(&on_hip);
    shims::start([("hipStreamSynchronize", 1)]);
    let (error, on_hip) = on_hip.into_opencl().expect_err("hipStreamSynchronize fails").into_parts();
    failed(&error, "hipStreamSynchronize", 999);
    let buffer = on_hip.into_opencl().expect("the second time");
    // Where others have the queue too, there is a marker behind all that is in it.
    let others = session.beside().expect("another queue");
    _ = others.queue();
    let theirs = others.allocate::<u32>(N).expect("allocate");
    shims::start([("clEnqueueMarkerWithWaitList", 1)]);
    let (error, theirs) = theirs.into_hip_later().expect_err("the marker fails").into_parts();
    failed(&error, "clEnqueueMarkerWithWaitList", cl_sys::CL_OUT_OF_RESOURCES.into());
    theirs.close().expect("it is there");
    others.close().expect("nobody else has it");
    // Not done before it is looked for.
    let held = UserEvent::new(&session);
    // SAFETY: a live event.
    unsafe { session.queue_waits_for(&[held.1]) }.expect("wait");
    add_one(&buffer);
    shims::start([("clFlush", 1), ("clWaitForEvents", 1)]);
    let (error, buffer) = buffer.into_hip_later().expect_err("clFlush fails").into_parts();
    failed(&error, "clFlush", cl_sys::CL_OUT_OF_RESOURCES.into());
    let pending = buffer.into_hip_later().expect("the second time");
    held.complete(cl_sys::CL_COMPLETE as cl_int);
    let (error, pending) = pending.wait().expect_err("clWaitForEvents fails").into_parts();
    failed(&error, "clWaitForEvents", cl_sys::CL_OUT_OF_RESOURCES.into());
    let on_hip = pending.wait().expect("the second time");
    triple(&on_hip);
    shims::start([("hipEventRecord", 1), ("hipEventSynchronize", 1)]);
    let (error, on_hip) = on_hip.into_opencl_later().expect_err("hipEventRecord fails").into_parts();
    failed(&error, "hipEventRecord", 999);
    let (error, pending) = on_hip.into_opencl_later().expect("then").wait().expect_err("it fails").into_parts();
    failed(&error, "hipEventSynchronize", 999);
    let buffer = pending.wait().expect("the second time");
    let flags = Flags::new(&session, Duration::from_secs(60)).expect("flags");
    shims::start([("clEnqueueNDRangeKernel", 1), ("clFlush", 1), ("hipModuleLaunchKernel", 1)]);
    let (error, buffer) = flags.into_hip(buffer).expect_err("OpenCL's kernel fails").into_parts();
    failed(&error, "clEnqueueNDRangeKernel", cl_sys::CL_OUT_OF_RESOURCES.into());
    let (error, buffer) = flags.into_hip(buffer).expect_err("clFlush fails").into_parts();
    failed(&error, "clFlush", cl_sys::CL_OUT_OF_RESOURCES.into());
    let (error, buffer) = flags.into_hip(buffer).expect_err("HIP's kernel fails").into_parts();
    failed(&error, "hipModuleLaunchKernel", 999);
    let on_hip = flags.into_hip(buffer).expect("at last");
    shims::start([("hipModuleLaunchKernel", 1), ("clEnqueueNDRangeKernel", 1)]);
    let (error, on_hip) = flags.into_opencl(on_hip).expect_err("HIP's kernel fails").into_parts();
    failed(&error, "hipModuleLaunchKernel", 999);
    let (error, on_hip) = flags.into_opencl(on_hip).expect_err("OpenCL's kernel fails").into_parts();
    failed(&error, "clEnqueueNDRangeKernel", cl_sys::CL_OUT_OF_RESOURCES.into());
    let mut buffer = flags.into_opencl(on_hip).expect("at last");
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    assert_eq!(end, [((7 + 1) * 3 + 1) * 3; N]);
    add_one(&buffer);

    let mut data: Vec<u32> = (0..N as u32).collect();
    for function in ["clWaitForEvents", "clCreateCommandQueue", "clEnqueueSVMMemcpy", "clFlush"] {
        shims::start([(function, 1)]);
        let (error, back) = buffer.upload(data).expect_err(function).into_parts();
        failed(&error, function, cl_sys::CL_OUT_OF_RESOURCES.into());
        (buffer, data) = back;
        assert!(data.iter().copied().eq(0..N as u32), "{function}");
    }
    shims::start(None);
    let upload = buffer.upload(data).expect("upload");
    shims::start([("clWaitForEvents", 1)]);
    let (error, upload) = upload.wait().expect_err("clWaitForEvents fails").into_parts();
    failed(&error, "clWaitForEvents", cl_sys::CL_OUT_OF_RESOURCES.into());
    let (buffer, data) = upload.wait().expect("the second time");
    buffer.read(&mut end).expect("read");
    assert_eq!(end, data);
    drop(buffer);
    assert_eq!(shims::counts().get("clSVMFree").map(|count| count.made), Some(1), "it is not leaked");

    // The copy began and cannot be waited for.
    let buffer = session.allocate::<u32>(N).expect("allocate");
    shims::start([("clFlush", 1), ("clWaitForEvents", 1)]);
    let (error, (buffer, data)) = buffer.upload(data).expect_err("both fail").into_parts();
    assert!(
        matches!(&error, Error::Leaked { subject: what, .. } if what.starts_with("memory of 16384 bytes at 0x")),
        "{error}"
    );
    assert!(data.is_empty(), "it is being read");
    drop(buffer);
    assert!(!shims::counts().contains_key("clSVMFree"), "it is being written");
    drop(session);
}

/// An upload that is dropped is waited for first, and if it cannot be, its memory is left to it.
#[test]
fn an_upload_that_is_dropped_is_waited_for() {
    needs_amd_opencl!();
    let _alone = exclusive();
    let session = intercepted();
    let upload = || session.allocate::<u32>(N).expect("allocate").upload(vec![2; N]).expect("upload");
    let first = upload();
    shims::start(None);
    drop(first);
    assert_eq!(shims::freed_in_use(), [""; 0], "the copy was waited for");
    assert_eq!(shims::counts().get("clSVMFree").map(|count| count.made), Some(1));
    let second = upload();
    shims::start([("clWaitForEvents", 1)]);
    let errors = logged(|| drop(second));
    let words = "is leaked: OpenCL: clWaitForEvents returned";
    assert!(matches!(&errors[..], [error] if error.contains(words)), "{errors:?}");
    assert!(!shims::counts().contains_key("clSVMFree"), "it may still be written");
}

/// A module whose work ran too early is unloaded all the same: the work has ended.
#[test]
fn a_module_is_unloaded_when_its_work_ran_too_early() {
    needs_amd_opencl!();
    let _alone = exclusive();
    let session = intercepted();
    let module = HipModule::build(&session, crate::HIP).expect("module");
    let triple = module.kernel("triple").expect("kernel");
    let flags = Flags::new(&session, Duration::from_millis(50)).expect("flags");
    let mut buffer = session.allocate::<u32>(N).expect("allocate");
    buffer.write(&[3; N]).expect("write");
    let gate = Gate::new(&session);
    let on_hip = flags.into_hip(buffer).expect("hand-over");
    // SAFETY: one work-item an element.
    unsafe { triple.launch((N / 64) as u32, 64, 0, &[(&on_hip).into()]) }.expect("launch");
    module.close().expect("the kernel keeps it");
    shims::start(None);
    let closed = triple.close();
    let (counts, freed_in_use) = (shims::counts(), shims::freed_in_use());
    gate.open();
    let error = closed.expect_err("the gate was shut");
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
    assert_eq!(counts.get("hipModuleUnload").map(|count| count.made), Some(1), "it is not leaked");
    assert_eq!(freed_in_use, [""; 0], "it was waited for");
    flags.close().expect("told once");
    let mut end = vec![0; N];
    let (error, on_hip) = on_hip.into_opencl().expect_err("the buffer's own").into_parts();
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
    on_hip.into_opencl().expect("told once").read(&mut end).expect("read");
    assert_eq!(end, [9; N]);
}

/// What a stage's work returned is why it failed, also if its wait fails too, which gives the batch up.
#[test]
fn a_stages_own_error_is_told_where_its_wait_fails_too() {
    needs_amd_opencl!();
    let _alone = exclusive();
    let session = intercepted();
    // Where others have both, each wait asks the API.
    _ = (session.queue(), session.stream());
    let own = || Err(Error::Argument { subject: "stage", reason: "its own".to_owned() });
    for (stage, wait) in [("opencl", "clEnqueueMarkerWithWaitList"), ("hip", "hipEventRecord")] {
        let buffer = session.allocate::<u32>(N).expect("allocate");
        shims::start([(wait, 1)]);
        std::thread::scope(|threads| {
            let pipeline = Pipeline::<Buffer<u32, OpenCl>>::new();
            let pipeline =
                if stage == "opencl" { pipeline.opencl(stage, |_| own()) } else { pipeline.hip(stage, |_| own()) };
            let (input, mut output) = pipeline.start(threads, []);
            input.send(buffer).expect("the stage is there");
            drop(input);
            let failed = output.next().expect("a batch").expect_err("it failed");
            assert!(matches!(failed.error, Error::Argument { .. }), "{failed}");
            assert!(failed.batch.is_none(), "{failed}");
        });
        assert_eq!(shims::counts().get(wait).map(|count| count.made), Some(1), "{stage}");
    }
}

/// What nobody asked about until the end is in the log, as what it is.
#[test]
fn a_failure_that_nobody_was_told_of_is_logged_at_the_end() {
    needs_amd_opencl!();
    let session = crate::session();
    let (broken, buffer) = (Broken::late(&session), session.allocate::<u32>(N).expect("allocate"));
    broken.launch(&buffer);
    let errors = logged(|| drop(buffer));
    assert_eq!(errors, [""; 0], "somebody may still ask");
    drop(broken);
    let errors = logged(|| drop(session));
    let words = "results are missing: OpenCL: work that was enqueued earlier ended with CL_";
    assert!(matches!(&errors[..], [error] if error.starts_with(words)), "{errors:?}");

    let session = crate::session();
    let (broken, buffer) = (Broken::late(&session), session.allocate::<u32>(N).expect("allocate"));
    broken.launch(&buffer);
    drop((buffer, broken));
    assert_failed(&session.close().expect_err("nobody was told"));
}

/// What owners that were not closed give back, failing in a destructor.
#[test]
fn a_release_that_fails_in_a_destructor_is_logged() {
    needs_amd_opencl!();
    let _alone = exclusive();
    let cl = Cl::load().expect("OpenCL");
    let releases = [
        "hipStreamSynchronize",
        "clWaitForEvents",
        "clReleaseEvent",
        "clReleaseMemObject",
        "clReleaseKernel",
        "clReleaseProgram",
        "hipModuleUnload",
        "hipStreamDestroy",
        "clReleaseCommandQueue",
        "clReleaseContext",
        "hsa_shut_down",
    ];
    shims::start(None);
    let none = logged(|| all_dropped(&cl, || ()));
    assert_eq!(none, [""; 0], "nothing fails yet");
    for release in releases {
        let context = format!("{release} in a destructor");
        shims::start(None);
        let errors = logged(|| all_dropped(&cl, || shims::start(Some((release, 1)))));
        assert_eq!(errors.len(), 1, "{context}: {errors:?}");
        assert_named(&errors[0], release, &context);
    }
}

/// Makes one of each owner, calls `now` and drops them.
fn all_dropped(cl: &Cl, now: impl FnOnce()) {
    let session = open_with(Arc::new(shims::libraries().expect("libraries"))).expect("session");
    let existing = Existing(cl, some_mem(&session, cl, cl_sys::CL_MEM_READ_WRITE));
    // SAFETY: of the same context, used through the view only.
    let view = unsafe { session.view::<u32>(existing.1) }.expect("view");
    let program = OpenClProgram::build(&session, crate::OPENCL, "").expect("program");
    let kernel = program.kernel("add").expect("kernel");
    // SAFETY: one work-item an element.
    unsafe { kernel.launch(&[N], None, &[(&view).into(), 1.into()]) }.expect("launch");
    let hips = session.allocate_hip::<u32>(N).expect("allocate");
    let triple = HipModule::build(&session, crate::HIP).expect("module").kernel("triple").expect("kernel");
    // SAFETY: as above.
    unsafe { triple.launch((N / 64) as u32, 64, 0, &[(&hips).into()]) }.expect("launch");
    now();
}

/// The errors that `run` logs, as text: what it is about, and the error.
fn logged(run: impl FnOnce()) -> Vec<String> {
    let errors = Errors::default();
    tracing::subscriber::with_default(errors.clone(), run);
    errors.take()
}

/// Keeps the errors that are logged, as text.
#[derive(Clone, Default)]
pub struct Errors(Arc<Mutex<Vec<String>>>);

impl Errors {
    /// What was logged since this was called last.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().expect("no panic while locked"))
    }
}

impl tracing::Subscriber for Errors {
    fn enabled(&self, about: &tracing::Metadata<'_>) -> bool {
        *about.level() == tracing::Level::ERROR
    }
    fn event(&self, event: &tracing::Event<'_>) {
        let (mut message, mut error) = (String::new(), None);
        let mut take = |field: &tracing::field::Field, value: &dyn std::fmt::Debug| match field.name() {
            "message" => message = format!("{value:?}"),
            "error" => error = Some(format!("{value:?}")),
            _ => {}
        };
        event.record(&mut take);
        let text = error.map_or_else(|| message.clone(), |error| format!("{message}: {error}"));
        self.0.lock().expect("no panic while locked").push(text);
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

fn table() -> BTreeSet<&'static str> {
    CALLS.iter().flat_map(|(_, functions)| functions.iter().copied()).collect()
}

/// The error names API, function and code, and says what to do.
fn assert_named(text: &str, function: &str, context: &str) {
    let (code, _) = CALLS.iter().find(|(_, functions)| functions.contains(&function)).expect("a row of the table");
    let api = match function {
        _ if function.starts_with("cl") => "OpenCL",
        _ if function.starts_with("hiprtc") => "hiprtc",
        _ if function.starts_with("hip") => "HIP",
        _ => "HSA",
    };
    // A probe's rows have the API in their own names, such as `HIP library`.
    let returned = text.find(&format!(": {function} returned {code}"));
    let names_api = |at: usize| text[..at].lines().next_back().is_some_and(|before| before.contains(api));
    assert!(returned.is_some_and(names_api), "{context}: {text}");
    let advice = text.rsplit_once("; ").map(|(_, advice)| advice).unwrap_or_default();
    let known: &[&str] = match function {
        "hsa_init" => &["is the amdgpu driver loaded"],
        _ => &["free memory", "check what", "`rocm-probe`"],
    };
    assert!(known.iter().any(|start| advice.starts_with(start)), "{text}");
}

/// The table has what the sources call, so that no call can be added without a place in [`PARTS`].
#[test]
fn the_table_of_calls_is_complete() {
    let crates = stack_tests::package().join("../../crates");
    let mut called = BTreeSet::new();
    let mut folders = vec![crates.join("rocm-interop/src"), crates.join("rocm-probe/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the sources are there") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(path).expect("a source");
            let names = text.split_inclusive('(').filter_map(|before| before.strip_suffix('('));
            let name = |before: &str| {
                before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_owned()
            };
            called.extend(names.map(name));
        }
    }
    let known = [
        Cl::FUNCTIONS.iter().map(|f| f.name).collect::<Vec<_>>(),
        Hip::FUNCTIONS.iter().map(|f| f.name).collect(),
        Hiprtc::FUNCTIONS.iter().map(|f| f.name).collect(),
        Hsa::FUNCTIONS.iter().map(|f| f.name).collect(),
    ];
    let called: BTreeSet<&str> = known.into_iter().flatten().filter(|name| called.contains(*name)).collect();
    assert_eq!(called, table());
}

/// Each function of the libraries missing in turn: the error names it.
#[test]
fn every_call_that_is_missing_is_named() {
    needs_amd_opencl!();
    let calls = [
        "hsa_init",
        "clGetPlatformIDs",
        "clGetDeviceIDs",
        "hsa_iterate_agents",
        "hsa_agent_get_info",
        "hipGetDeviceCount",
        "hipDeviceGetPCIBusId",
        "clCreateContext",
        "clCreateCommandQueue",
        "hipSetDevice",
        "hipStreamCreate",
        "clSVMAlloc",
        "hsa_amd_pointer_info",
        "clCreateProgramWithSource",
        "clBuildProgram",
        "clGetProgramInfo",
        "clCreateKernel",
        "hiprtcCreateProgram",
        "hiprtcCompileProgram",
        "hiprtcGetCodeSize",
        "hiprtcGetCode",
        "hiprtcDestroyProgram",
        "hipModuleLoadData",
        "hipModuleGetFunction",
        "clEnqueueSVMMemcpy",
        "clSetKernelArgSVMPointer",
        "clSetKernelArg",
        "clEnqueueNDRangeKernel",
        "clWaitForEvents",
        "clEnqueueMarkerWithWaitList",
        "clGetEventInfo",
        "clReleaseEvent",
        "clFinish",
        "clFlush",
        "hipModuleLaunchKernel",
        "hipEventCreateWithFlags",
        "hipEventRecord",
        "hipEventQuery",
        "hipEventSynchronize",
        "hipEventDestroy",
        "hipStreamSynchronize",
        "clSVMFree",
        "clReleaseKernel",
        "clReleaseProgram",
        "hipModuleUnload",
        "hipStreamDestroy",
        "clReleaseCommandQueue",
        "clReleaseContext",
        "hsa_shut_down",
    ];
    let everything = |libraries: Libraries| {
        let libraries = Arc::new(libraries);
        let session = open_with(libraries.clone())?;
        both_sides(&session, session.allocate(N)?)?;
        // From now on others might use the queue.
        session.queue();
        session.finish()?;
        session.queue_event()?.close()?;
        leave_busy(&session)?;
        session.close()?;
        end_of(libraries)
    };
    for call in calls {
        let error = without(call).and_then(everything).expect_err(call);
        assert!(error.to_string().contains(call), "without {call}: {error}");
        assert!(matches!(error, Error::Load { .. }), "without {call}: {error}");
    }
}

fn without(call: &'static str) -> Result<Libraries, Error> {
    let (cl, hip) = (Cl::load().expect("OpenCL"), Hip::load().expect("HIP"));
    let (rtc, hsa) = (Hiprtc::load().expect("hiprtc"), Hsa::load().expect("HSA"));
    // SAFETY: the libraries' own functions; the libraries stay loaded.
    unsafe {
        Libraries::new(
            Cl::from_resolver("OpenCL", move |name| if name == call { None } else { cl.address(name) }),
            Hip::from_resolver("HIP", move |name| if name == call { None } else { hip.address(name) }),
            Hiprtc::from_resolver("hiprtc", move |name| if name == call { None } else { rtc.address(name) }),
            Hsa::from_resolver("HSA", move |name| if name == call { None } else { hsa.address(name) }),
        )
    }
}
