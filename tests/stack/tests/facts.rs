//! What AMD's runtimes do with each other's memory, where their documentation is silent and code depends on it. The
//! findings are in `docs/src/rocm-interop/facts.md`; they are AMD's userspace on the virtual GPU, nobody has seen them
//! on hardware.
use std::ffi::c_void;
use std::process::Command;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use cl_sys::{CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_MEM_USE_HOST_PTR, CL_SUCCESS, Cl};
use hip_sys::{Hip, hipError_t, hipMemcpyKind, hipMemoryType};
use hsa_sys::{Hsa, hsa_agent_t, hsa_amd_pointer_info_t, hsa_status_t};
use rocm_interop::memory::Place;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::{Device, Error, Libraries, Session};
use stack_tests::{on_vgpu, run_tests};

const N: usize = 4096;
const ADD: &str = "kernel void add(global uint *b, uint n) { b[get_global_id(0)] += n; }";

/// A session and both APIs, or the end of a test whose stack's OpenCL does not use the GPU.
macro_rules! open_or_skip {
    () => {{
        stack_tests::needs_amd_opencl!();
        let libraries = Arc::new(Libraries::load().expect("libraries"));
        let devices = Device::all(&libraries).expect("devices");
        let session = Session::open(devices.first().expect("a GPU")).expect("session");
        (session, Cl::load().expect("OpenCL"), Hip::load().expect("HIP"))
    }};
}

fn host_bytes(session: &Session, pointer: *const c_void) -> bool {
    match session.residency(pointer.addr() as u64, N * 4) {
        Err(Error::NotResident { reason, .. }) => reason.contains("host memory"),
        other => panic!("{other:?}"),
    }
}

/// `CL_MEM_USE_HOST_PTR` on memory of somebody else: the code of clCreateBuffer.
fn use_host_pointer(session: &Session, cl: &Cl, pointer: *mut c_void) -> (cl_sys::cl_mem, cl_sys::cl_int) {
    let mut code = 0;
    // SAFETY: N * 4 bytes are allocated at the pointer.
    let mem = unsafe { cl.clCreateBuffer(session.context(), CL_MEM_USE_HOST_PTR, N * 4, pointer, &mut code) };
    (mem.expect("clCreateBuffer"), code)
}

fn hip_malloc(hip: &Hip) -> *mut c_void {
    let mut pointer = null_mut();
    // SAFETY: room for one pointer.
    assert_eq!(unsafe { hip.hipMalloc(&mut pointer, N * 4) }.expect("hipMalloc"), hipError_t::hipSuccess);
    pointer
}

fn copy(hip: &Hip, to: *mut c_void, from: *const c_void, kind: hipMemcpyKind) {
    // SAFETY: the callers' pointers have N * 4 bytes each.
    assert_eq!(unsafe { hip.hipMemcpy(to, from, N * 4, kind) }.expect("hipMemcpy"), hipError_t::hipSuccess);
}

/// Gives the kernel its first argument by `argument`, as OpenCL's own functions allow.
fn add(session: &Session, cl: &Cl, argument: impl FnOnce(&Cl, cl_sys::cl_kernel) -> cl_sys::cl_int, n: u32) {
    let program = OpenClProgram::build(session, ADD, "").expect("program");
    let add = program.kernel("add").expect("kernel");
    assert_eq!(argument(cl, add.raw()), CL_SUCCESS);
    let (global, local, none) = ([N], [64], std::ptr::null());
    // SAFETY: argument 1 is a number; one work-item an element of the argument.
    let codes = unsafe {
        let number = cl.clSetKernelArg(add.raw(), 1, 4, (&raw const n).cast());
        let (queue, sizes) = (session.queue(), (global.as_ptr(), local.as_ptr()));
        let launched =
            cl.clEnqueueNDRangeKernel(queue, add.raw(), 1, std::ptr::null(), sizes.0, sizes.1, 0, none, null_mut());
        (number.expect("clSetKernelArg"), launched.expect("clEnqueueNDRangeKernel"))
    };
    assert_eq!(codes, (CL_SUCCESS, CL_SUCCESS));
    session.finish().expect("clFinish");
}

#[test]
fn opencl_refuses_hips_memory_as_host_pointer() {
    let (session, cl, hip) = open_or_skip!();
    let mut pinned = null_mut();
    // SAFETY: room for one pointer.
    assert_eq!(unsafe { hip.hipHostMalloc(&mut pinned, N * 4, 0) }.expect("hipHostMalloc"), hipError_t::hipSuccess);
    let device = hip_malloc(&hip);
    for (name, pointer) in [("hipHostMalloc", pinned), ("hipMalloc", device)] {
        let (mem, code) = use_host_pointer(&session, &cl, pointer);
        assert_eq!((mem.is_null(), code), (true, CL_MEM_OBJECT_ALLOCATION_FAILURE), "{name}");
    }
    // SAFETY: allocated above.
    unsafe {
        assert_eq!(hip.hipHostFree(pinned).expect("hipHostFree"), hipError_t::hipSuccess);
        assert_eq!(hip.hipFree(device).expect("hipFree"), hipError_t::hipSuccess);
    }
}

#[test]
fn opencl_takes_svm_as_host_pointer_for_an_alias_of_it() {
    let (session, cl, _) = open_or_skip!();
    let mut svm = session.allocate::<u32>(N).expect("allocate");
    svm.write(&[7; N]).expect("write");
    let (mut mem, code) =
        use_host_pointer(&session, &cl, std::ptr::with_exposed_provenance_mut(svm.address() as usize));
    assert_eq!(code, CL_SUCCESS);
    // SAFETY: the argument is a live buffer object.
    let argument =
        |cl: &Cl, kernel| unsafe { cl.clSetKernelArg(kernel, 0, size_of_val(&mem), (&raw mut mem).cast()) }.unwrap();
    add(&session, &cl, argument, 3);
    let mut end = [0; N];
    svm.read(&mut end).expect("read");
    assert_eq!(end, [10; N], "what the kernel did to the cl_mem is in the SVM");
    // SAFETY: made above.
    assert_eq!(unsafe { cl.clReleaseMemObject(mem) }.expect("clReleaseMemObject"), CL_SUCCESS);
}

#[test]
fn fine_grained_svm_is_host_memory_and_coarse_grained_the_gpus() {
    let (session, cl, _) = open_or_skip!();
    let coarse = cl_sys::CL_MEM_READ_WRITE as cl_sys::cl_svm_mem_flags;
    let fine = coarse | cl_sys::CL_MEM_SVM_FINE_GRAIN_BUFFER as cl_sys::cl_svm_mem_flags;
    // SAFETY: the context lives.
    let allocate = |flags| unsafe { cl.clSVMAlloc(session.context(), flags, N * 4, 0) }.expect("clSVMAlloc");
    let (on_gpu, on_host) = (allocate(coarse), allocate(fine));
    assert!(!on_gpu.is_null() && !on_host.is_null());
    let residency = session.residency(on_gpu.addr() as u64, N * 4).expect("coarse-grained");
    assert_eq!(residency.place, Place::Gpu(session.device().pci()));
    assert!(host_bytes(&session, on_host));
    for pointer in [on_gpu, on_host] {
        // SAFETY: allocated above.
        unsafe { cl.clSVMFree(session.context(), pointer) }.expect("clSVMFree");
    }
}

#[test]
fn hip_knows_no_bounds_of_svm_and_calls_it_device_0s() {
    let (session, _, hip) = open_or_skip!();
    let svm = session.allocate::<u32>(N).expect("allocate");
    let pointer = std::ptr::with_exposed_provenance_mut::<c_void>(svm.address() as usize);
    let (mut base, mut bytes) = (null_mut(), 0);
    // SAFETY: the outputs have room; the pointer is looked up only.
    let code = unsafe { hip.hipMemGetAddressRange(&mut base, &mut bytes, pointer) }.expect("hipMemGetAddressRange");
    assert_eq!((code, base.addr(), bytes), (hipError_t::hipSuccess, 0x100, usize::MAX));
    let attributes = hip.pointer_attributes(pointer).expect("hipPointerGetAttributes");
    assert_eq!((attributes.type_, attributes.device), (hipMemoryType::hipMemoryTypeDevice, 0));
    let mut handle = hip_sys::hipIpcMemHandle_t { reserved: [0; 64] };
    // SAFETY: the output has room; the pointer is looked up only.
    let code = unsafe { hip.hipIpcGetMemHandle(&mut handle, pointer) }.expect("hipIpcGetMemHandle");
    assert_eq!(code, hipError_t::hipErrorInvalidValue);
}

#[test]
fn hip_copies_to_and_from_svm() {
    let (session, _, hip) = open_or_skip!();
    let mut svm = session.allocate::<u32>(N).expect("allocate");
    let start: Vec<u32> = (0..N as u32).collect();
    svm.write(&start).expect("write");
    let pointer = std::ptr::with_exposed_provenance_mut::<c_void>(svm.address() as usize);
    let (mut end, device) = (vec![0u32; N], hip_malloc(&hip));
    copy(&hip, end.as_mut_ptr().cast(), pointer, hipMemcpyKind::hipMemcpyDeviceToHost);
    assert_eq!(end, start);
    let doubled: Vec<u32> = start.iter().map(|i| i * 2).collect();
    copy(&hip, device, doubled.as_ptr().cast(), hipMemcpyKind::hipMemcpyHostToDevice);
    copy(&hip, pointer, device, hipMemcpyKind::hipMemcpyDeviceToDevice);
    // SAFETY: no preconditions; allocated above.
    unsafe {
        assert_eq!(hip.hipDeviceSynchronize().expect("hipDeviceSynchronize"), hipError_t::hipSuccess);
        assert_eq!(hip.hipFree(device).expect("hipFree"), hipError_t::hipSuccess);
    }
    svm.read(&mut end).expect("read");
    assert_eq!(end, doubled);
}

/// GPUs that may use an allocation, by their agents' handles, as the HSA runtime says.
fn with_access(hsa: &Hsa, pointer: *const c_void) -> Vec<u64> {
    unsafe extern "C" fn keep(bytes: usize) -> *mut c_void {
        Vec::<u64>::leak(vec![0; bytes.div_ceil(8)]).as_mut_ptr().cast()
    }
    let mut info = hsa_amd_pointer_info_t { size: size_of::<hsa_amd_pointer_info_t>() as u32, ..Default::default() };
    let (mut count, mut list) = (0, null_mut::<hsa_agent_t>());
    // SAFETY: `info` has the size it states; the list is as long as the runtime says, and stays.
    let agents = unsafe {
        let code = hsa.hsa_amd_pointer_info(pointer, &mut info, Some(keep), &mut count, &mut list);
        assert_eq!(code.expect("hsa_amd_pointer_info"), hsa_status_t::HSA_STATUS_SUCCESS);
        std::slice::from_raw_parts(list, count as usize)
    };
    agents.iter().map(|agent| agent.handle).collect()
}

/// By itself again, on two virtual GPUs.
#[test]
fn hip_enables_peer_access_for_its_own_memory_only() {
    const TWO_GPUS: &str = "STACK_TESTS_TWO_GPUS";
    stack_tests::needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    if std::env::var_os(TWO_GPUS).is_none() {
        let mut command = on_vgpu(&["--gpus", "2"], std::env::current_exe().expect("this test"));
        let test = "hip_enables_peer_access_for_its_own_memory_only";
        run_tests(command.env(TWO_GPUS, "1"), &[test], Duration::from_secs(120));
        return;
    }
    let libraries = Arc::new(Libraries::load().expect("libraries"));
    let devices = Device::all(&libraries).expect("devices");
    let [first, second] = &devices[..] else { panic!("two GPUs: {devices:?}") };
    let agents = [first, second].map(|device| device.hsa().handle);
    let sessions = [first, second].map(|device| Session::open(device).expect("session"));
    let (hip, hsa) = (&libraries.hip, &libraries.hsa);
    let pointer = |address: u64| std::ptr::with_exposed_provenance_mut::<c_void>(address as usize);

    // What the second GPU owns. Up to 2 MiB, both would be parts of one block, which has one list.
    const LONG: usize = 1 << 20;
    let svm = sessions[1].allocate::<u32>(LONG).expect("SVM");
    let hips = sessions[1].allocate_hip::<u32>(LONG).expect("hipMalloc");
    let (svm, hips) = (pointer(svm.address()), pointer(hips.address()));
    assert_eq!([svm, hips].map(|pointer| with_access(hsa, pointer)), [vec![agents[1]], vec![agents[1]]]);
    // SAFETY: no preconditions.
    let codes = unsafe { [hip.hipSetDevice(first.hip()), hip.hipDeviceEnablePeerAccess(second.hip(), 0)] };
    codes.into_iter().for_each(|code| assert_eq!(code.expect("HIP"), hipError_t::hipSuccess));
    assert_eq!(with_access(hsa, svm), [agents[1]]);
    let mut both = with_access(hsa, hips);
    both.sort_unstable_by_key(|agent| *agent != agents[0]);
    assert_eq!(both, agents);

    let attributes = hip.pointer_attributes(svm).expect("hipPointerGetAttributes");
    assert_eq!((attributes.type_, attributes.device), (hipMemoryType::hipMemoryTypeDevice, 0), "it is of device 1");
}

#[test]
fn hip_free_of_svm_succeeds_and_frees_nothing() {
    let (session, _, hip) = open_or_skip!();
    let mut svm = session.allocate::<u32>(N).expect("allocate");
    svm.write(&[11; N]).expect("write");
    let pointer = std::ptr::with_exposed_provenance_mut(svm.address() as usize);
    // SAFETY: HIP does not own it, so there is nothing for it to free: what this test is about.
    assert_eq!(unsafe { hip.hipFree(pointer) }.expect("hipFree"), hipError_t::hipSuccess);
    assert_eq!(session.residency(svm.address(), N * 4).expect("still allocated"), svm.residency());
    let mut end = [0; N];
    svm.read(&mut end).expect("read");
    assert_eq!(end, [11; N]);
}

#[test]
fn opencl_kernels_take_hips_memory_as_svm_argument() {
    let (session, cl, hip) = open_or_skip!();
    let device = hip_malloc(&hip);
    let start: Vec<u32> = (0..N as u32).collect();
    copy(&hip, device, start.as_ptr().cast(), hipMemcpyKind::hipMemcpyHostToDevice);
    // SAFETY: the pointer stays allocated until the kernel is done.
    let argument = |cl: &Cl, kernel| unsafe { cl.clSetKernelArgSVMPointer(kernel, 0, device) }.unwrap();
    add(&session, &cl, argument, 9);
    let mut end = vec![0u32; N];
    copy(&hip, end.as_mut_ptr().cast(), device, hipMemcpyKind::hipMemcpyDeviceToHost);
    assert_eq!(end, start.iter().map(|i| i + 9).collect::<Vec<_>>());
    // SAFETY: allocated above.
    assert_eq!(unsafe { hip.hipFree(device) }.expect("hipFree"), hipError_t::hipSuccess);
}

/// Why a hand-over from HIP does not let OpenCL wait for a user event: it holds up what comes behind it, but an error
/// of it does not.
#[test]
fn opencl_runs_what_waited_for_a_user_event_that_failed() {
    let (session, cl, _) = open_or_skip!();
    let mut buffer = session.allocate::<u32>(N).expect("allocate");
    buffer.write(&[7; N]).expect("write");
    let kernel = OpenClProgram::build(&session, ADD, "").expect("program").kernel("add").expect("kernel");
    let mut code = 0;
    // SAFETY: the context lives.
    let event = unsafe { cl.clCreateUserEvent(session.context(), &mut code) }.expect("clCreateUserEvent");
    assert_eq!(code, CL_SUCCESS);
    // SAFETY: the queue lives, and the event was made above.
    let code = unsafe { cl.clEnqueueBarrierWithWaitList(session.queue(), 1, &event, null_mut()) };
    assert_eq!(code.expect("clEnqueueBarrierWithWaitList"), CL_SUCCESS);
    // SAFETY: one work-item an element.
    unsafe { kernel.launch(&[N], Some(&[64]), &[(&buffer).into(), 3.into()]) }.expect("launch");
    let pending = buffer.into_hip_later().expect("hand-over");
    std::thread::sleep(Duration::from_millis(100));
    assert!(!pending.is_ready().expect("asked"), "the event is open");
    // SAFETY: made above, ended and released once.
    let codes = unsafe { [cl.clSetUserEventStatus(event, cl_sys::CL_OUT_OF_RESOURCES), cl.clReleaseEvent(event)] };
    assert_eq!(codes.map(|code| code.expect("OpenCL")), [CL_SUCCESS; 2]);
    let buffer = pending.wait().expect("nobody is told").into_opencl().expect("hand-over");
    let mut end = [0; N];
    buffer.read(&mut end).expect("read");
    assert_eq!(end, [10; N], "the kernel ran");
}

/// Why a hand-over on the GPU does not use HIP's own wait: only the value ends it.
#[test]
fn hip_waits_for_a_value_as_long_as_it_takes() {
    const ALONE: &str = "STACK_TESTS_ALONE";
    stack_tests::needs_amd_opencl!();
    // In a process of its own: a copy of another test's would wait for this stream too, and hipStreamQuery for a lock
    // that it holds meanwhile.
    if std::env::var_os(ALONE).is_none() {
        let mut command = Command::new(std::env::current_exe().expect("this test"));
        run_tests(command.env(ALONE, "1"), &["hip_waits_for_a_value_as_long_as_it_takes"], Duration::from_secs(120));
        return;
    }
    let (session, _, hip) = open_or_skip!();
    let (mut pointer, flags) = (null_mut(), hip_sys::hipHostMallocMapped | hip_sys::hipHostMallocCoherent);
    // SAFETY: room for one pointer.
    assert_eq!(unsafe { hip.hipHostMalloc(&mut pointer, 4, flags) }.expect("hipHostMalloc"), hipError_t::hipSuccess);
    // SAFETY: allocated above, aligned, and used atomically from here on.
    let word = unsafe {
        pointer.cast::<u32>().write(0);
        AtomicU32::from_ptr(pointer.cast())
    };
    let (stream, at_least) = (session.stream(), hip_sys::hipStreamWaitValueGte);
    // SAFETY: the stream and the word live.
    let code = unsafe { hip.hipStreamWaitValue32(stream, pointer, 1, at_least, u32::MAX) };
    assert_eq!(code.expect("hipStreamWaitValue32"), hipError_t::hipSuccess);
    // SAFETY: the stream lives.
    let query = || unsafe { hip.hipStreamQuery(stream) }.expect("hipStreamQuery");
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(query(), hipError_t::hipErrorNotReady);
    word.store(1, Ordering::Release);
    session.synchronize().expect("it has ended");
    assert_eq!(query(), hipError_t::hipSuccess);
    // SAFETY: allocated above.
    assert_eq!(unsafe { hip.hipHostFree(pointer) }.expect("hipHostFree"), hipError_t::hipSuccess);
}
