//! An OpenCL program that wants rocBLAS: the crate `opencl3` made its context, queue and buffers, and rocBLAS
//! multiplies what is in them, without a copy. The page `docs/src/rocm-interop/rocblas.md` explains the six steps.
#[path = "receiver/blas.rs"]
mod blas;
#[path = "receiver/reference.rs"]
#[expect(dead_code, reason = "the length of a packet is for who receives it")]
mod reference;

use std::ptr::null_mut;
use std::sync::Arc;

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_GPU, Device, get_all_devices};
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, ClMem};
use opencl3::program::Program;
use opencl3::types::CL_BLOCKING;
use rocm_interop::{Libraries, Session};

use blas::Blas;
use reference::{ANTENNAS, Complex, MATRIX, SAMPLES, check, packet, window};

/// What the program fails with.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

const WEIGH: &str =
    "kernel void weigh(global const short2 *packet, global const float *window, global float2 *samples) {
    size_t i = get_global_id(0);
    samples[i] = convert_float2(packet[i]) / 32768.0f * window[i / 8];
}";

fn main() -> Result<(), Failure> {
    println!("checked against the CPU: largest error {:.2e} of the largest value", run()?);
    Ok(())
}

/// The largest error; an error if a value is wrong.
pub fn run() -> Result<f64, Failure> {
    // The OpenCL program as it was.
    let device = Device::new(*get_all_devices(CL_DEVICE_TYPE_GPU)?.first().ok_or("no GPU that OpenCL sees")?);
    let context = Context::from_device(&device)?;
    let program = Program::create_and_build_from_source(&context, WEIGH, "")?;
    let weigh = Kernel::create(&program, "weigh")?;
    // SAFETY: the context's own device, no host pointers, data that fits, and one work-item an element.
    let (queue, samples, matrix) = unsafe {
        let queue = CommandQueue::create_with_properties(&context, device.id(), 0, 0)?;
        let mut received = Buffer::<[i16; 2]>::create(&context, CL_MEM_READ_WRITE, ANTENNAS * SAMPLES, null_mut())?;
        let mut weights = Buffer::<f32>::create(&context, CL_MEM_READ_WRITE, SAMPLES, null_mut())?;
        let samples = Buffer::<Complex>::create(&context, CL_MEM_READ_WRITE, ANTENNAS * SAMPLES, null_mut())?;
        let matrix = Buffer::<Complex>::create(&context, CL_MEM_READ_WRITE, MATRIX, null_mut())?;
        queue.enqueue_write_buffer(&mut received, CL_BLOCKING, 0, &packet(0), &[])?;
        queue.enqueue_write_buffer(&mut weights, CL_BLOCKING, 0, &window(), &[])?;
        let mut launch = ExecuteKernel::new(&weigh);
        launch.set_arg(&received).set_arg(&weights).set_arg(&samples).set_global_work_size(ANTENNAS * SAMPLES);
        launch.enqueue_nd_range(&queue)?;
        (queue, samples, matrix)
    };

    // 1. The libraries of both APIs.
    let libraries = Arc::new(Libraries::load()?);
    // 2. A session on the program's context and queue, with a HIP stream.
    // SAFETY: live handles of the process's OpenCL.
    let session = unsafe { Session::from_opencl(&libraries, context.get().cast(), queue.get().cast()) }?;
    // 3. Views of its buffers.
    // SAFETY: buffers of that context, which OpenCL does not use while HIP has them.
    let [samples_view, matrix_view] =
        unsafe { [session.view::<Complex>(samples.get().cast())?, session.view::<Complex>(matrix.get().cast())?] };
    // 4. rocBLAS on the session's stream.
    // SAFETY: the session outlives it.
    let blas = unsafe { Blas::new(session.raw_hip()?.stream().cast()) }?;
    // 5. HIP's turn: this waits for the program's kernel. Then rocBLAS computes.
    let (samples_on_hip, mut matrix_on_hip) = (samples_view.into_hip()?, matrix_view.into_hip()?);
    let hip = session.raw_hip()?;
    // SAFETY: both are as long as rocBLAS is told.
    unsafe { blas.covariance(hip.pointer(&samples_on_hip)?, hip.pointer_mut(&mut matrix_on_hip)?) }?;
    // 6. OpenCL's turn again: this waits for rocBLAS.
    samples_on_hip.into_opencl()?.close()?;
    matrix_on_hip.into_opencl()?.close()?;

    // The OpenCL program reads its own buffer.
    let mut result = vec![Complex::default(); MATRIX];
    // SAFETY: it fits, and the call blocks.
    unsafe { queue.enqueue_read_buffer(&matrix, CL_BLOCKING, 0, &mut result, &[]) }?;
    Ok(check(0, &result)?)
}
