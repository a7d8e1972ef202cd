//! y = a x + y on every OpenCL device of this machine, with the bindings alone: `cargo run -p rocm-cl-sys --example
//! opencl_saxpy`.
use cl_sys::*;
use std::error::Error;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};

const SOURCE: &CStr = c"kernel void saxpy(float a, global const float *x, global float *y) { size_t i = get_global_id(0); y[i] += a * x[i]; }";
const LEN: usize = 1 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let cl = Cl::load()?;
    let mut platforms = [null_mut(); 16];
    let mut platform_count = 0;
    // SAFETY: there is room for 16 platforms.
    check("clGetPlatformIDs", unsafe { cl.clGetPlatformIDs(16, platforms.as_mut_ptr(), &mut platform_count) }?)?;
    for platform in platforms.into_iter().take(platform_count as usize) {
        let mut devices = [null_mut(); 16];
        let mut device_count = 0;
        // SAFETY: the platform is the loader's, and there is room for 16 devices.
        let status =
            unsafe { cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, devices.as_mut_ptr(), &mut device_count) }?;
        if status == CL_DEVICE_NOT_FOUND {
            continue;
        }
        check("clGetDeviceIDs", status)?;
        for device in devices.into_iter().take(device_count as usize) {
            // SAFETY: the device is the platform's.
            let wrong = unsafe { saxpy(&cl, device) }?;
            println!("{}: {} elements, {wrong} wrong", name(&cl, device)?, LEN);
        }
    }
    Ok(())
}

fn check(call: &str, status: cl_int) -> Result<(), String> {
    if status == CL_SUCCESS { Ok(()) } else { Err(format!("{call}: {status}")) }
}

fn name(cl: &Cl, device: cl_device_id) -> Result<String, Box<dyn Error>> {
    let mut bytes = [0u8; 256];
    let room = bytes.len();
    // SAFETY: there is as much room as the call is told.
    let status = unsafe { cl.clGetDeviceInfo(device, CL_DEVICE_NAME, room, bytes.as_mut_ptr().cast(), null_mut()) }?;
    check("clGetDeviceInfo", status)?;
    Ok(CStr::from_bytes_until_nul(&bytes)?.to_string_lossy().into_owned())
}

/// How many elements differ from what the CPU computes.
///
/// # Safety
/// `device` must be a device that `cl` gave.
unsafe fn saxpy(cl: &Cl, device: cl_device_id) -> Result<usize, Box<dyn Error>> {
    let (a, x, mut y) = (2.0f32, vec![3.0f32; LEN], vec![1.0f32; LEN]);
    let bytes = size_of_val(x.as_slice());
    let mut status = CL_SUCCESS;
    // SAFETY: each handle was checked when it was made, and each pointer has the room that is given with it. What an
    // error leaves behind ends with the process.
    unsafe {
        let context = cl.clCreateContext(null(), 1, &device, None, null_mut(), &mut status)?;
        check("clCreateContext", status)?;
        let queue = cl.clCreateCommandQueue(context, device, 0, &mut status)?;
        check("clCreateCommandQueue", status)?;
        let buffer = |data: &[f32]| -> Result<cl_mem, Box<dyn Error>> {
            let mut status = CL_SUCCESS;
            let (flags, from) = (CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, data.as_ptr().cast_mut().cast());
            let buffer = cl.clCreateBuffer(context, flags, bytes, from, &mut status)?;
            check("clCreateBuffer", status)?;
            Ok(buffer)
        };
        let (x_buffer, y_buffer) = (buffer(&x)?, buffer(&y)?);
        let program = cl.clCreateProgramWithSource(context, 1, &mut SOURCE.as_ptr(), null(), &mut status)?;
        check("clCreateProgramWithSource", status)?;
        check("clBuildProgram", cl.clBuildProgram(program, 1, &device, c"".as_ptr(), None, null_mut())?)?;
        let kernel = cl.clCreateKernel(program, c"saxpy".as_ptr(), &mut status)?;
        check("clCreateKernel", status)?;
        let arguments: [(usize, *const c_void); 3] = [
            (size_of_val(&a), (&raw const a).cast()),
            (size_of::<cl_mem>(), (&raw const x_buffer).cast()),
            (size_of::<cl_mem>(), (&raw const y_buffer).cast()),
        ];
        for (index, (size, value)) in (0..).zip(arguments) {
            check("clSetKernelArg", cl.clSetKernelArg(kernel, index, size, value)?)?;
        }
        let launch = cl.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &LEN, null(), 0, null(), null_mut())?;
        check("clEnqueueNDRangeKernel", launch)?;
        let to = y.as_mut_ptr().cast();
        let read = cl.clEnqueueReadBuffer(queue, y_buffer, CL_TRUE, 0, bytes, to, 0, null(), null_mut())?;
        check("clEnqueueReadBuffer", read)?;
        cl.clReleaseKernel(kernel)?;
        cl.clReleaseProgram(program)?;
        cl.clReleaseMemObject(x_buffer)?;
        cl.clReleaseMemObject(y_buffer)?;
        cl.clReleaseCommandQueue(queue)?;
        cl.clReleaseContext(context)?;
    }
    Ok(y.iter().filter(|y| **y != 7.0).count())
}
