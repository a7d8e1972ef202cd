//! Scenarios of `aql` and `rocm-interop` on AMD's unmodified OpenCL, HIP and HSA.
#[macro_use(needs_amd_opencl)]
extern crate stack_tests;

/// The rest of the test runs on two virtual GPUs, in a process of its own, with these options of `vgpu run`.
macro_rules! on_two_gpus {
    ($test:literal $(, $option:literal)*) => {
        needs_amd_opencl!();
        stack_tests::needs_vgpu!();
        if std::env::var_os(crate::TWO_GPUS).is_none() {
            return crate::again_on_two_gpus($test, &[$($option),*]);
        }
    };
}

mod caches;
mod compiled;
mod devices;
mod dmabuf;
mod failures;
mod flags;
mod foreign;
mod hand_over;
mod handles;
mod held;
mod hip_memory;
mod host;
mod idle;
mod kernels;
mod limits;
mod messages;
mod misuse;
mod on_device;
mod outside;
mod own_work;
mod peers;
mod pipelines;
mod pools;
mod processes;
mod read_only;
#[path = "../../../../crates/rocm-probe/src/report.rs"]
#[expect(dead_code, reason = "some of it is for the processes of the program")]
mod report;
mod runtimes;
mod second;
mod sharing;
mod shims;
mod staged;
mod times;
mod together;
mod trace;
mod transfers;
mod ways;

use std::ffi::c_void;
use std::process::Command;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cl_sys::Cl;
use hip_sys::{Hip, Hiprtc};
use hsa_sys::Hsa;
use rocm_interop::hip::{HipKernel, HipModule};
use rocm_interop::memory::Place;
use rocm_interop::opencl::{OpenClKernel, OpenClProgram};
use rocm_interop::{Buffer, Device, Error, Libraries, OpenCl, Session};
use stack_tests::{on_vgpu, on_virtual_gpu, run_tests};

const N: usize = 4096;
const OPENCL: &str = "kernel void add(global uint *b, uint n) { b[get_global_id(0)] += n; }";
const HIP: &str = "extern \"C\" __global__ void triple(unsigned *b) { b[blockIdx.x * blockDim.x + threadIdx.x] *= 3; }";

/// Set in the processes that have two GPUs.
const TWO_GPUS: &str = "STACK_TESTS_TWO_GPUS";

fn again_on_two_gpus(test: &str, options: &[&str]) {
    let mut command = on_vgpu(&[&["--gpus", "2"], options].concat(), std::env::current_exe().expect("this test"));
    // Otherwise small buffers share blocks, and get access with their neighbours.
    let alone = ("HSA_DISABLE_FRAGMENT_ALLOCATOR", "1");
    run_tests(command.envs([(TWO_GPUS, "1"), alone]), &[test], Duration::from_secs(300));
}

/// Set in the processes that run one test alone.
const ALONE: &str = "STACK_TESTS_ALONE";

/// The test runs again in a process of its own, on a virtual GPU of its own, with these options of `vgpu run`, if it is
/// on one: all memory that is taken is then its own, and no other test's gets an address that it gave back. Returns
/// whether it did.
#[track_caller]
fn ran_alone(test: &str, options: &[&str]) -> bool {
    ran_alone_within(test, options, Duration::from_secs(600))
}

/// The same for tests that may take longer.
#[track_caller]
fn ran_alone_within(test: &str, options: &[&str], limit: Duration) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return false;
    }
    let this = std::env::current_exe().expect("this test");
    let mut command = if on_virtual_gpu() { on_vgpu(options, this) } else { Command::new(this) };
    run_tests(command.env(ALONE, "1"), &[test], limit);
    true
}

fn open_with(libraries: Arc<Libraries>) -> Result<Session, Error> {
    Session::open(&Device::first(&libraries)?)
}

fn session() -> Session {
    open_with(Arc::new(Libraries::load().expect("libraries"))).expect("session")
}

/// OpenCL adds, HIP triples, and so on, on the same bytes, by both kinds of hand-over.
fn both_sides(session: &Session, buffer: Buffer<u32, OpenCl>) -> Result<(), Error> {
    let sides = Sides::new(session)?;
    sides.run(buffer)?;
    sides.close()
}

/// The kernels of [`both_sides`].
struct Sides {
    add: OpenClKernel,
    triple: HipKernel,
    program: OpenClProgram,
    module: HipModule,
}

impl Sides {
    fn new(session: &Session) -> Result<Sides, Error> {
        let program = OpenClProgram::build(session, OPENCL, "")?;
        let add = program.kernel("add")?;
        let module = HipModule::build(session, HIP)?;
        let triple = module.kernel("triple")?;
        Ok(Sides { add, triple, program, module })
    }

    /// The same kernels, which this process compiles once: compilers take most of a short test's time.
    fn compiled(session: &Session) -> Result<Sides, Error> {
        static CODE: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
        let [opencl, hip] = CODE.get_or_init(|| {
            let sides = Sides::new(&crate::session()).expect("kernels");
            [&sides.program.code(), &sides.module.code()].map(|code| code.to_vec())
        });
        // SAFETY: the compilers made them.
        let (program, module) = unsafe { (OpenClProgram::load(session, opencl)?, HipModule::load(session, hip)?) };
        let (add, triple) = (program.kernel("add")?, module.kernel("triple")?);
        Ok(Sides { add, triple, program, module })
    }

    fn add(&self, buffer: &Buffer<u32, OpenCl>, n: u32) -> Result<(), Error> {
        // SAFETY: one work-item an element.
        unsafe { self.add.launch(&[N], Some(&[64]), &[buffer.into(), n.into()]) }
    }

    fn triple(&self, buffer: &Buffer<u32, rocm_interop::Hip>) -> Result<(), Error> {
        // SAFETY: one work-item an element.
        unsafe { self.triple.launch((N / 64) as u32, 64, 0, &[buffer.into()]) }
    }

    /// Of a buffer of `N` numbers or more.
    fn run(&self, mut buffer: Buffer<u32, OpenCl>) -> Result<(), Error> {
        let start: Vec<u32> = (0..N as u32).collect();
        buffer.write(&vec![u32::MAX; N])?;
        let (buffer, start) = buffer.upload(start)?.wait()?;
        self.add(&buffer, 5)?;
        let on_hip = buffer.into_hip()?;
        self.triple(&on_hip)?;
        let buffer = on_hip.into_opencl()?;
        self.add(&buffer, 1)?;
        let pending = buffer.into_hip_later()?;
        pending.is_ready()?;
        let on_hip = pending.wait()?;
        self.triple(&on_hip)?;
        let pending = on_hip.into_opencl_later()?;
        pending.is_ready()?;
        let buffer = pending.wait()?;
        self.add(&buffer, 2)?;
        let mut end = vec![0; N];
        buffer.read(&mut end)?;
        let want: Vec<u32> = start.iter().map(|i| ((i + 5) * 3 + 1) * 3 + 2).collect();
        assert_same(&end, &want);
        buffer.close()
    }

    fn close(self) -> Result<(), Error> {
        self.add.close()?;
        self.program.close()?;
        self.triple.close()?;
        self.module.close()
    }
}

#[track_caller]
fn assert_same(got: &[u32], want: &[u32]) {
    assert_eq!(got.len(), want.len());
    let wrong: Vec<usize> = (0..got.len()).filter(|&i| got[i] != want[i]).collect();
    assert!(
        wrong.is_empty(),
        "{} are wrong, first {}: {} for {}",
        wrong.len(),
        wrong[0],
        got[wrong[0]],
        want[wrong[0]]
    );
}

#[test]
fn m1_coarse_svm_is_shared_in_vram() {
    needs_amd_opencl!();
    let session = session();
    let buffer = session.allocate::<u32>(N).expect("allocate");
    assert_eq!(buffer.residency().place, Place::Gpu(session.device().pci()));
    assert!(buffer.residency().bytes >= N * 4);
    both_sides(&session, buffer).expect("both sides");
}

/// A plain buffer of the session's context, as somebody else's OpenCL code makes one.
fn some_mem(session: &Session, cl: &Cl, flags: cl_sys::cl_mem_flags) -> cl_sys::cl_mem {
    mem_of(session, cl, flags, N * 4)
}

fn mem_of(session: &Session, cl: &Cl, flags: cl_sys::cl_mem_flags, bytes: usize) -> cl_sys::cl_mem {
    let mut code = 0;
    // SAFETY: no host pointer; the context lives.
    let mem = unsafe { cl.clCreateBuffer(session.context(), flags, bytes, std::ptr::null_mut(), &mut code) };
    assert_eq!(code, cl_sys::CL_SUCCESS);
    mem.expect("clCreateBuffer")
}

fn references(cl: &Cl, mem: cl_sys::cl_mem) -> u32 {
    let mut count = 0u32;
    let info = cl_sys::CL_MEM_REFERENCE_COUNT;
    // SAFETY: a live object and room for a cl_uint.
    let code = unsafe { cl.clGetMemObjectInfo(mem, info, 4, (&raw mut count).cast(), std::ptr::null_mut()) };
    assert_eq!(code.expect("clGetMemObjectInfo"), cl_sys::CL_SUCCESS);
    count
}

#[test]
fn m2_an_existing_cl_mem_is_used_by_hip() {
    needs_amd_opencl!();
    let (session, cl) = (session(), Cl::load().expect("OpenCL"));
    let mem = some_mem(&session, &cl, cl_sys::CL_MEM_READ_WRITE);
    // SAFETY: made above, used through the view only.
    let view = unsafe { session.view::<u32>(mem) }.expect("view");
    assert_eq!((view.len(), view.residency().place), (N, Place::Gpu(session.device().pci())));
    assert_eq!(references(&cl, mem), 2, "the view holds the object");
    both_sides(&session, view).expect("both sides");
    assert_eq!(references(&cl, mem), 1, "and gives it back");
    // SAFETY: as above.
    let error = unsafe { session.view::<[u32; 2 * N]>(mem) }.expect_err("half an element").to_string();
    assert_eq!(error, "cl_mem: its 16384 bytes have no whole element of 32768");
    assert_eq!(references(&cl, mem), 1);
    // SAFETY: made above.
    unsafe { cl.clReleaseMemObject(mem) }.expect("clReleaseMemObject");
}

#[test]
fn m2_host_memory_is_refused() {
    needs_amd_opencl!();
    let (session, cl) = (session(), Cl::load().expect("OpenCL"));
    let mem = some_mem(&session, &cl, cl_sys::CL_MEM_ALLOC_HOST_PTR);
    // SAFETY: made above.
    let error = unsafe { session.view::<u32>(mem) }.expect_err("host memory").to_string();
    assert!(error.contains("CL_MEM_ALLOC_HOST_PTR"), "{error}");
    assert_eq!(references(&cl, mem), 1);
    // SAFETY: made above.
    unsafe { cl.clReleaseMemObject(mem) }.expect("clReleaseMemObject");
    let host = Box::new([0u8; 64]);
    let error = session.residency((&raw const *host).addr() as u64, 64).expect_err("host memory");
    assert!(matches!(error, Error::NotResident { .. }), "{error}");
}

#[test]
fn m13_objects_of_others_are_retained_and_given_back() {
    needs_amd_opencl!();
    let (owner, cl) = (session(), Cl::load().expect("OpenCL"));
    let mem = some_mem(&owner, &cl, cl_sys::CL_MEM_READ_WRITE);
    let libraries = Arc::new(Libraries::load().expect("libraries"));
    for _ in 0..3 {
        // SAFETY: live handles of the owner, which outlives the guest.
        let guest =
            unsafe { Session::from_raw(&libraries, owner.context(), owner.queue(), owner.stream()) }.expect("from_raw");
        // SAFETY: made above, used through the view only.
        let view = unsafe { guest.view::<u32>(mem) }.expect("view").into_hip().expect("hand-over");
        assert_eq!(references(&cl, mem), 2);
        drop(view);
        assert_eq!(references(&cl, mem), 1);
    }
    both_sides(&owner, owner.allocate(N).expect("allocate")).expect("the owner's objects still work");
    // SAFETY: made above.
    unsafe { cl.clReleaseMemObject(mem) }.expect("clReleaseMemObject");
}

/// OpenCL takes a length of 0 for none given, and 0 bytes for an error.
#[test]
fn what_is_empty_is_read_by_nobody() {
    needs_amd_opencl!();
    let session = session();
    let mut buffer = session.allocate::<u32>(N).expect("allocate");
    buffer.write(&[7; N]).expect("write");
    buffer.write(&[]).expect("an empty write");
    let (buffer, data) = buffer.upload(Vec::new()).expect("an empty upload").wait().expect("wait");
    assert_eq!(data, [0; 0]);
    buffer.read(&mut []).expect("an empty read");
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    assert_eq!(end, [7; N]);

    let refused = |error: Error, words: &str| assert!(error.to_string().contains(words), "{error}");
    refused(OpenClProgram::build(&session, "", "").expect_err("no source"), "clCreateProgramWithSource");
    refused(OpenClProgram::build(&session, "\0", "").expect_err("a 0"), "source: nul byte found");
    refused(session.allocate::<u32>(0).expect_err("no bytes"), "len: 0 elements of 4 bytes, must be 1 to");
    let program = OpenClProgram::build(&session, OPENCL, "").expect("program");
    // SAFETY: refused before it is launched.
    let launched = unsafe { program.kernel("add").expect("kernel").launch(&[N, 1], Some(&[64]), &[]) };
    refused(launched.expect_err("dimensions"), "work size: global [4096, 1], local Some([64])");
}

/// What the types cannot keep apart, because it is one type, is refused when it runs.
#[test]
fn m13_objects_that_do_not_belong_together_are_refused() {
    needs_amd_opencl!();
    let (one, other) = (session(), session());
    let refused = |outcome: Result<(), Error>, words: &str| {
        let error = outcome.expect_err(words);
        assert!(matches!(error, Error::Argument { .. }) && error.to_string().contains(words), "{error}");
    };
    let buffer = one.allocate::<u32>(N).expect("allocate");
    let program = OpenClProgram::build(&other, OPENCL, "").expect("program");
    // SAFETY: one work-item an element.
    let launched = unsafe { program.kernel("add").expect("kernel").launch(&[N], None, &[(&buffer).into(), 1.into()]) };
    refused(launched, "buffer: is of another session");
    let module = HipModule::build(&other, HIP).expect("module");
    let buffer = buffer.into_hip().expect("hand-over");
    // SAFETY: one work-item an element.
    let launched = unsafe { module.kernel("triple").expect("kernel").launch(64, 64, 0, &[(&buffer).into()]) };
    refused(launched, "buffer: is of another session");

    let (libraries, cl) = (Arc::new(Libraries::load().expect("libraries")), Cl::load().expect("OpenCL"));
    let mem = some_mem(&one, &cl, cl_sys::CL_MEM_READ_WRITE);
    // SAFETY: made above.
    refused(unsafe { other.view::<u32>(mem) }.map(drop), "cl_mem: is of another context");
    // SAFETY: made above.
    unsafe { cl.clReleaseMemObject(mem) }.expect("clReleaseMemObject");
    // SAFETY: live handles.
    let mixed = unsafe { Session::from_raw(&libraries, one.context(), other.queue(), one.stream()) };
    refused(mixed.map(drop), "OpenCL queue: is of another context");
    let per_thread = std::ptr::without_provenance_mut(2);
    // SAFETY: live handles, and a value that stands for a stream.
    let moving = unsafe { Session::from_raw(&libraries, one.context(), one.queue(), per_thread) };
    refused(moving.map(drop), "HIP stream: is hipStreamPerThread");
    // AMD's OpenCL makes every queue one that runs in order, and says so; what one would say that does not is made up.
    let (hip, rtc, hsa) = (Hip::load().expect("HIP"), Hiprtc::load().expect("hiprtc"), Hsa::load().expect("HSA"));
    // SAFETY: the library's own functions, and one of the same type.
    let unordered = unsafe {
        Cl::from_resolver("OpenCL", |name| match name {
            "clGetCommandQueueInfo" => NonNull::new(out_of_order as *mut c_void),
            _ => real_opencl().address(name),
        })
    };
    let libraries = Arc::new(Libraries::new(unordered, hip, rtc, hsa).expect("libraries"));
    // SAFETY: live handles.
    let session = unsafe { Session::from_raw(&libraries, one.context(), one.queue(), one.stream()) };
    refused(session.map(drop), "OpenCL queue: runs out of order");
}

fn real_opencl() -> &'static Cl {
    static REAL: OnceLock<Cl> = OnceLock::new();
    REAL.get_or_init(|| Cl::load().expect("OpenCL"))
}

/// `clGetCommandQueueInfo` as of a queue that runs out of order.
unsafe extern "C" fn out_of_order(
    queue: cl_sys::cl_command_queue,
    info: cl_sys::cl_command_queue_info,
    size: usize,
    value: *mut c_void,
    written: *mut usize,
) -> cl_sys::cl_int {
    // SAFETY: the caller's arguments, passed on.
    let code = unsafe { real_opencl().clGetCommandQueueInfo(queue, info, size, value, written) }.expect("OpenCL");
    if info == cl_sys::CL_QUEUE_PROPERTIES {
        // SAFETY: the caller asks for one value of this type.
        unsafe {
            *value.cast::<cl_sys::cl_command_queue_properties>() |= cl_sys::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
        };
    }
    code
}

/// Each side is still busy when the buffer is handed over: without the wait, the other side would begin on what is not
/// there yet.
///
/// What does not compile is in the documentation tests of `rocm_interop::Buffer`.
#[test]
fn y1_hand_over_carries_every_write() {
    needs_amd_opencl!();
    const OPENCL: &str = "kernel void late(global uint *b, uint rounds) {
        uint x = b[get_global_id(0)];
        for (uint i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u;
        b[get_global_id(0)] = x;
    }";
    const HIP: &str = "extern \"C\" __global__ void late(unsigned *b, unsigned rounds) {
        unsigned x = b[blockIdx.x * blockDim.x + threadIdx.x];
        for (unsigned i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u;
        b[blockIdx.x * blockDim.x + threadIdx.x] = x;
    }";
    /// Long enough for the other side to begin, if nobody waits.
    const ROUNDS: u32 = 20_000;
    let session = session();
    let (program, module) = (OpenClProgram::build(&session, OPENCL, ""), HipModule::build(&session, HIP));
    let on_opencl = program.expect("program").kernel("late").expect("kernel");
    let on_hip = module.expect("module").kernel("late").expect("kernel");
    let start: Vec<u32> = (0..N as u32).collect();
    let mut buffer = session.allocate::<u32>(N).expect("allocate");
    buffer.write(&start).expect("write");
    for _ in 0..3 {
        let arguments = [(&buffer).into(), ROUNDS.into()];
        // SAFETY: one work-item an element.
        unsafe { on_opencl.launch(&[N], Some(&[64]), &arguments) }.expect("launch");
        let hips = buffer.into_hip().expect("hand-over");
        let arguments = [(&hips).into(), ROUNDS.into()];
        // SAFETY: as above.
        unsafe { on_hip.launch((N / 64) as u32, 64, 0, &arguments) }.expect("launch");
        buffer = hips.into_opencl().expect("hand-over");
    }
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    // That many steps at once: x becomes a * x + c.
    let step = |(a, c): (u32, u32), _| (a.wrapping_mul(1664525), c.wrapping_mul(1664525).wrapping_add(1013904223));
    let (a, c) = (0..6 * ROUNDS).fold((1, 0), step);
    let want: Vec<u32> = start.iter().map(|x| x.wrapping_mul(a).wrapping_add(c)).collect();
    assert_same(&end, &want);
}
