//! What others write with `rocm-interop`: beside the crates that they already use, in threads of theirs, in structs of
//! theirs.
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Arc, mpsc};
use std::thread;

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::memory::{Buffer as ClBuffer, CL_MEM_READ_WRITE, ClMem};
use opencl3::types::CL_BLOCKING;
use rocm_interop::hip::{HipKernel, HipModule};
use rocm_interop::opencl::{OpenClKernel, OpenClProgram};
use rocm_interop::{Argument, Buffer, Device, Libraries, OpenCl, Result, Session};

const N: usize = 4096;
const OPENCL: &str = "kernel void offset(global float2 *x, float by) { x[get_global_id(0)] += by; }";
const HIP: &str = r#"
struct options { double factor; int first; int last; };
extern "C" __global__ void scale(float2 *x, options o) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= o.first && i < o.last) { x[i].x *= o.factor; x[i].y *= o.factor; }
}
"#;

/// Arguments of `scale`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Options {
    factor: f64,
    first: i32,
    last: i32,
}
// SAFETY: numbers without padding, all of which may be 0.
unsafe impl rocm_interop::sys::bytemuck::Zeroable for Options {}
// SAFETY: as above.
unsafe impl rocm_interop::sys::Pod for Options {}

type Batch = Buffer<[f32; 2], OpenCl>;

/// Owns a session and what was made with it, the session before and behind what needs it.
struct Computer {
    free: Vec<Batch>,
    session: Session,
    offset: OpenClKernel,
    scale: HipKernel,
}

impl Computer {
    fn new(device: &Device, batches: usize) -> Result<Computer> {
        let session = Session::open(device)?;
        let offset = OpenClProgram::build(&session, OPENCL, "")?.kernel("offset")?;
        let scale = HipModule::build(&session, HIP)?.kernel("scale")?;
        let free = (0..batches).map(|_| session.allocate(N)).collect::<Result<_>>()?;
        Ok(Computer { free, session, offset, scale })
    }

    fn compute(&self, batch: Batch, options: &Options) -> Result<Batch> {
        // SAFETY: one work-item an element.
        unsafe { self.offset.launch(&[N], None, &[(&batch).into(), 1.0.into()]) }?;
        let on_hip = batch.into_hip()?;
        // SAFETY: one work-item an element; the struct is the kernel's.
        unsafe { self.scale.launch((N / 64) as u32, 64, 0, &[(&on_hip).into(), Argument::value(options)]) }?;
        Ok(on_hip.into_opencl()?)
    }
}

fn devices() -> Vec<Device> {
    Device::all(&Arc::new(Libraries::load().expect("libraries"))).expect("devices")
}

/// One thread receives and fills, one computes, this one reads; two buffers go round.
#[test]
fn one_struct_owns_session_and_buffers_and_threads_share_them() {
    stack_tests::needs_amd_opencl!();
    const BATCHES: usize = 6;
    let mut computer = Computer::new(devices().first().expect("a GPU"), 2).expect("a computer");
    let (give_back, free) = mpsc::channel::<Batch>();
    let (filled, to_compute) = mpsc::channel::<Batch>();
    let (computed, results) = mpsc::channel::<Batch>();
    computer.free.drain(..).for_each(|batch| give_back.send(batch).expect("a receiver"));
    let network = thread::spawn(move || -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        for number in 0..BATCHES {
            let data: Vec<_> = (0..N).map(|i| [i as f32, number as f32]).collect();
            let (batch, _) = free.recv()?.upload(data)?.wait()?;
            filled.send(batch)?;
        }
        Ok(())
    });
    let computing = thread::spawn(move || -> Result<Session> {
        let options = Options { factor: 0.5, first: 2, last: N as i32 };
        for batch in to_compute {
            computed.send(computer.compute(batch, &options)?).expect("a receiver");
        }
        Ok(computer.session)
    });
    let mut end = vec![[0.0; 2]; N];
    for number in 0..BATCHES {
        let batch = results.recv().expect("a batch");
        batch.read(&mut end).expect("read");
        let want = |i: usize| [i as f32 + 1.0, number as f32 + 1.0].map(|x| if i < 2 { x } else { x / 2.0 });
        assert!((0..N).all(|i| end[i] == want(i)), "batch {number} is wrong");
        // The network thread has gone after the last.
        _ = give_back.send(batch);
    }
    network.join().expect("no panic").expect("the network");
    drop(results);
    let session = computing.join().expect("no panic").expect("the kernels");
    drop(give_back);
    session.close().expect("the last reference");
}

/// Two threads launch one kernel with arguments of their own: neither gets the other's.
#[test]
fn threads_launch_one_kernel_with_arguments_of_their_own() {
    stack_tests::needs_amd_opencl!();
    let mut computer = Computer::new(devices().first().expect("a GPU"), 2).expect("a computer");
    computer.free.iter_mut().for_each(|batch| batch.write(&[[0.0; 2]; N]).expect("write"));
    let offset = &computer.offset;
    thread::scope(|scope| {
        for (batch, by) in computer.free.iter().zip([1.0, 1000.0]) {
            scope.spawn(move || {
                for _ in 0..100 {
                    // SAFETY: one work-item an element.
                    unsafe { offset.launch(&[N], Some(&[64]), &[batch.into(), by.into()]) }.expect("launch");
                }
            });
        }
    });
    let mut end = vec![[0.0; 2]; N];
    for (batch, want) in computer.free.iter().zip([100.0, 100_000.0]) {
        batch.read(&mut end).expect("read");
        assert!(end.iter().flatten().all(|&x| x == want), "{:?} for {want}", end[0]);
    }
}

/// HIP as `cubecl-hip-sys` calls it: by `libloading`, with types of its own. The crate itself cannot be used here: its
/// build script asks `hipconfig`, and for a version that it has no bindings of, such as Debian's 5.2, it is empty.
struct TheirHip(libloading::Library);

#[allow(non_camel_case_types)]
enum ihipStream_t {}
type TheirStream = *mut ihipStream_t;

impl TheirHip {
    fn load() -> TheirHip {
        // SAFETY: HIP's initialisers are those of any program that links it.
        TheirHip(unsafe { libloading::Library::new("libamdhip64.so") }.expect("HIP's library"))
    }

    /// Calls a function that returns 0 for success.
    ///
    /// # Safety
    /// It takes this one argument.
    unsafe fn call<A>(&self, name: &str, argument: A) {
        // SAFETY: the caller's promise.
        let code = unsafe {
            let function = self.0.get::<unsafe extern "C" fn(A) -> u32>(name.as_bytes()).expect(name);
            function(argument)
        };
        assert_eq!(code, 0, "{name}");
    }
}

#[test]
fn m12_handles_of_other_crates_go_in_and_out() {
    stack_tests::needs_amd_opencl!();
    let their_hip = TheirHip::load();
    let libraries = Arc::new(Libraries::load().expect("libraries"));
    let devices = Device::all(&libraries).expect("devices");
    let device = devices.first().expect("a GPU");

    // Theirs: a context, a queue and a buffer with data; a stream.
    let theirs = opencl3::device::Device::new(device.opencl().cast::<c_void>());
    let context = Context::from_device(&theirs).expect("opencl3's context");
    // SAFETY: the context's own device.
    let queue = unsafe { CommandQueue::create_with_properties(&context, theirs.id(), 0, 0) }.expect("opencl3's queue");
    // SAFETY: no host pointer.
    let mut buffer =
        unsafe { ClBuffer::<[f32; 2]>::create(&context, CL_MEM_READ_WRITE, N, null_mut()) }.expect("a buffer");
    let start: Vec<[f32; 2]> = (0..N).map(|i| [i as f32, -1.0]).collect();
    // SAFETY: the data fits, and the call blocks.
    unsafe { queue.enqueue_write_buffer(&mut buffer, CL_BLOCKING, 0, &start, &[]) }.expect("write");
    let mut stream: TheirStream = null_mut();
    // SAFETY: it writes one handle.
    unsafe { their_hip.call("hipStreamCreate", &mut stream) };

    // In: a session on their handles, their buffer scaled by a HIP kernel of ours on their stream.
    let handles = (context.get().cast(), queue.get().cast(), stream.cast());
    // SAFETY: live handles of the process's only OpenCL and HIP, which outlive the session.
    let session = unsafe { Session::from_raw(&libraries, handles.0, handles.1, handles.2) }.expect("session");
    // SAFETY: used through the view until that is gone.
    let view = unsafe { session.view::<[f32; 2]>(buffer.get().cast()) }.expect("view").into_hip().expect("hand-over");
    let scale = HipModule::build(&session, HIP).expect("module").kernel("scale").expect("kernel");
    let options = Options { factor: 4.0, first: 0, last: N as i32 };
    // SAFETY: one work-item an element; the struct is the kernel's.
    unsafe { scale.launch((N / 64) as u32, 64, 0, &[(&view).into(), Argument::value(&options)]) }.expect("launch");
    let view = view.into_opencl().expect("hand-over");
    // SAFETY: a live stream. It fails if work is left there.
    unsafe { their_hip.call("hipStreamQuery", stream) };

    // Out: they read what we wrote, and our session's handles are theirs.
    drop(view);
    let mut end = vec![[0.0; 2]; N];
    // SAFETY: the data fits, and the call blocks.
    unsafe { queue.enqueue_read_buffer(&buffer, CL_BLOCKING, 0, &mut end, &[]) }.expect("read");
    assert!(start.iter().zip(&end).all(|(a, b)| a.map(|x| 4.0 * x) == *b), "{:?}", end[1]);
    assert_eq!((session.queue().cast(), session.stream().cast()), (queue.get(), stream));
    scale.close().and_then(|()| session.close()).expect("close");
    // SAFETY: made above, used by nobody.
    unsafe { their_hip.call("hipStreamDestroy", stream) };
}
