//! OpenCL calls on the implementations of this machine, without a GPU.
use cl_sys::*;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

const SOURCE: &CStr = c"kernel void axpy(float a, global const float *x, global float *y) { size_t i = get_global_id(0); y[i] += a * x[i]; }";

fn platforms(cl: &Cl) -> Vec<cl_platform_id> {
    let mut count = 0;
    // SAFETY: the pointer is valid, and no platforms are asked for.
    let status = unsafe { cl.clGetPlatformIDs(0, null_mut(), &mut count) }.unwrap();
    if status == CL_PLATFORM_NOT_FOUND_KHR as cl_int {
        return Vec::new();
    }
    assert_eq!(status, CL_SUCCESS);
    let mut platforms = vec![null_mut(); count as usize];
    // SAFETY: there is room for `count` platforms.
    assert_eq!(unsafe { cl.clGetPlatformIDs(count, platforms.as_mut_ptr(), null_mut()) }.unwrap(), CL_SUCCESS);
    platforms
}

fn text(cl: &Cl, platform: cl_platform_id, what: cl_platform_info) -> String {
    let mut bytes = vec![0u8; 4096];
    // SAFETY: `bytes` has the room it is said to have.
    let status = unsafe { cl.clGetPlatformInfo(platform, what, bytes.len(), bytes.as_mut_ptr().cast(), null_mut()) };
    assert_eq!(status.unwrap(), CL_SUCCESS);
    CStr::from_bytes_until_nul(&bytes).unwrap().to_string_lossy().into_owned()
}

/// PoCL 3.1 says CL_DEVICE_NOT_FOUND to a thread that asks while another one is the first to ask.
static FIRST_USE: Mutex<()> = Mutex::new(());

struct Device {
    platform: cl_platform_id,
    /// What a failed assertion names.
    name: String,
    device: cl_device_id,
    context: cl_context,
}

impl Drop for Device {
    fn drop(&mut self) {
        let cl = Cl::load().unwrap();
        // SAFETY: the context was made with the device.
        unsafe { cl.clReleaseContext(self.context) }.unwrap();
    }
}

/// Every device of this machine, with a context of its own. Platforms without devices (AMD's, where there is no GPU)
/// have none.
fn devices(cl: &Cl) -> Vec<Device> {
    let _one_at_a_time = FIRST_USE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut devices = Vec::new();
    for platform in platforms(cl) {
        let mut ids = [null_mut(); 16];
        let mut count = 0;
        // SAFETY: there is room for 16 devices.
        let status = unsafe { cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, ids.as_mut_ptr(), &mut count) };
        let status = status.unwrap();
        let platform_name = text(cl, platform, CL_PLATFORM_NAME);
        if status == CL_DEVICE_NOT_FOUND {
            continue;
        }
        assert_eq!(status, CL_SUCCESS, "{platform_name}");
        for (index, device) in ids.into_iter().take(count as usize).enumerate() {
            let mut status = CL_INVALID_VALUE;
            // SAFETY: the device is valid.
            let context = unsafe { cl.clCreateContext(null(), 1, &device, None, null_mut(), &mut status) }.unwrap();
            let name = format!("{platform_name}, device {index}");
            assert_eq!(status, CL_SUCCESS, "{name}");
            devices.push(Device { platform, name, device, context });
        }
    }
    devices
}

macro_rules! devices_or_skip {
    ($cl:ident) => {{
        let Ok(loaded) = Cl::load().map_err(|error| error.to_string()) else {
            test_skip::skip!("no OpenCL loader is installed");
        };
        $cl = loaded;
        let found = devices(&$cl);
        if found.is_empty() {
            test_skip::skip!("no OpenCL device is here (pocl-opencl-icd is one that needs no GPU)");
        }
        found
    }};
}

#[test]
fn a_kernel_runs_on_every_device() {
    let cl;
    for Device { name, device, context, .. } in &devices_or_skip!(cl) {
        let y = axpy(&cl, *device, *context);
        assert!(y.iter().enumerate().all(|(i, y)| *y == 3.5 * i as f32), "{name}: {:?}", &y[..8]);
    }
}

fn axpy(cl: &Cl, device: cl_device_id, context: cl_context) -> Vec<f32> {
    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let mut y: Vec<f32> = (0..1000).map(|i| 0.5 * i as f32).collect();
    let bytes = std::mem::size_of_val(x.as_slice());
    let mut status = CL_INVALID_VALUE;
    // SAFETY: every handle comes from the call before, every pointer has the room that is given with it.
    unsafe {
        let queue = cl.clCreateCommandQueue(context, device, 0, &mut status).unwrap();
        let buffer = |data: &[f32], flags: cl_mem_flags| {
            let mut status = CL_INVALID_VALUE;
            let host = data.as_ptr().cast_mut().cast();
            let buffer = cl.clCreateBuffer(context, flags | CL_MEM_COPY_HOST_PTR, bytes, host, &mut status).unwrap();
            assert_eq!(status, CL_SUCCESS);
            buffer
        };
        let (x_buffer, y_buffer) = (buffer(&x, CL_MEM_READ_ONLY), buffer(&y, CL_MEM_READ_WRITE));
        let program = cl.clCreateProgramWithSource(context, 1, &mut SOURCE.as_ptr(), null(), &mut status).unwrap();
        assert_eq!(cl.clBuildProgram(program, 1, &device, c"".as_ptr(), None, null_mut()).unwrap(), CL_SUCCESS);
        let kernel = cl.clCreateKernel(program, c"axpy".as_ptr(), &mut status).unwrap();
        assert_eq!(status, CL_SUCCESS);
        let a = 3.0f32;
        for (index, size, value) in [
            (0, 4, (&raw const a).cast::<c_void>()),
            (1, 8, (&raw const x_buffer).cast()),
            (2, 8, (&raw const y_buffer).cast()),
        ] {
            assert_eq!(cl.clSetKernelArg(kernel, index, size, value).unwrap(), CL_SUCCESS);
        }
        let run = cl.clEnqueueNDRangeKernel(queue, kernel, 1, null(), &1000, null(), 0, null(), null_mut());
        assert_eq!(run.unwrap(), CL_SUCCESS);
        let result = y.as_mut_ptr().cast();
        let read = cl.clEnqueueReadBuffer(queue, y_buffer, CL_TRUE, 0, bytes, result, 0, null(), null_mut());
        assert_eq!(read.unwrap(), CL_SUCCESS);
        cl.clReleaseKernel(kernel).unwrap();
        cl.clReleaseProgram(program).unwrap();
        cl.clReleaseMemObject(x_buffer).unwrap();
        cl.clReleaseMemObject(y_buffer).unwrap();
        cl.clReleaseCommandQueue(queue).unwrap();
    }
    y
}

#[test]
fn platforms_of_3_0_may_be_called_with_functions_of_3_0_and_others_may_not() {
    let cl;
    for Device { platform, name, context, .. } in &devices_or_skip!(cl) {
        let mut status = CL_INVALID_VALUE;
        let no_memory = null_mut();
        let made =
            // SAFETY: the context is valid, and no host memory is given.
            unsafe { cl.clCreateBufferWithProperties(*context, null(), CL_MEM_READ_WRITE, 64, no_memory, &mut status) };
        let version = text(&cl, *platform, CL_PLATFORM_VERSION);
        if version.starts_with("OpenCL 3.") {
            assert_eq!(status, CL_SUCCESS, "{name}");
            // SAFETY: the buffer was made above.
            assert_eq!(unsafe { cl.clReleaseMemObject(made.unwrap()) }.unwrap(), CL_SUCCESS, "{name}");
        } else {
            let error = made.expect_err(name);
            assert!(matches!(error, CallError::VersionTooOld { .. }), "{name}: {error:?}");
            assert!(error.to_string().contains(&version), "{name}: {error}");
            assert_eq!(format!("{error:?}"), error.to_string());
        }
    }
}

static CALLED: AtomicBool = AtomicBool::new(false);

/// What the jump past the end of an old platform's table would be.
unsafe extern "C" fn past_the_end() {
    CALLED.store(true, Ordering::Relaxed);
}
/// AMD's platform as it describes itself.
unsafe extern "C" fn old_platform_info(
    _: cl_platform_id,
    _: cl_platform_info,
    size: usize,
    value: *mut c_void,
    _: *mut usize,
) -> cl_int {
    let version = b"OpenCL 2.1 AMD-APP (3590.0)\0";
    assert!(size >= version.len());
    // SAFETY: there is room for it.
    unsafe { value.cast::<u8>().copy_from_nonoverlapping(version.as_ptr(), version.len()) };
    CL_SUCCESS
}
unsafe extern "C" fn handles(
    _: *mut c_void,
    _: cl_uint,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> cl_int {
    if !size_ret.is_null() {
        // SAFETY: valid if it is not null.
        unsafe { *size_ret = 8 };
    }
    if !value.is_null() {
        assert!(size >= 8);
        // SAFETY: there is room for one handle.
        unsafe { value.cast::<usize>().write(0x1000) };
    }
    CL_SUCCESS
}

#[test]
fn a_function_of_3_0_is_never_called_on_a_platform_of_2_1() {
    let resolve = |name: &str| {
        let address = match name {
            "clGetPlatformInfo" => old_platform_info as *const () as usize,
            "clGetContextInfo" | "clGetDeviceInfo" | "clGetProgramInfo" => handles as *const () as usize,
            _ => past_the_end as *const () as usize,
        };
        std::ptr::NonNull::new(address as *mut c_void)
    };
    // SAFETY: the functions that may be called have their types.
    let cl = unsafe { Cl::from_resolver("a platform of 2.1", resolve) };
    let context = 0x2000 as cl_context;
    // SAFETY: the library of this test takes any handle.
    let errors = unsafe {
        [
            cl.clCreateBufferWithProperties(context, null(), CL_MEM_READ_WRITE, 64, null_mut(), null_mut())
                .unwrap_err(),
            cl.clSetContextDestructorCallback(context, None, null_mut()).unwrap_err(),
            cl.clSetProgramSpecializationConstant(0x3000 as cl_program, 0, 4, null()).unwrap_err(),
        ]
    };
    for error in &errors {
        assert!(matches!(error, CallError::VersionTooOld { .. }), "{error:?}");
    }
    assert_eq!(
        errors[0].to_string(),
        "clCreateBufferWithProperties needs OpenCL 3.0, but this is OpenCL 2.1 AMD-APP (3590.0): do without the function, or use \
         another implementation"
    );
    assert!(!CALLED.load(Ordering::Relaxed));
    // SAFETY: as above.
    unsafe { cl.clCreateProgramWithIL(context, null(), 0, null_mut()) }.unwrap();
    assert!(CALLED.load(Ordering::Relaxed), "a function of 2.1 is called on a platform of 2.1");
}

#[test]
fn extensions_come_from_the_platform() {
    let cl;
    for Device { platform, name, .. } in &devices_or_skip!(cl) {
        // SAFETY: the platform is the loader's.
        let extensions = unsafe { ClExtensions::new(&cl, *platform) }.unwrap();
        if text(&cl, *platform, CL_PLATFORM_EXTENSIONS).contains("cl_arm_import_memory") {
            continue;
        }
        // SAFETY: the call is not made: the platform does not have this extension.
        let imported = unsafe { extensions.clImportMemoryARM(null_mut(), 0, null(), null_mut(), 0, null_mut()) };
        let error = imported.expect_err(name).to_string();
        assert!(error.contains("the OpenCL platform has no function clImportMemoryARM"), "{name}: {error}");
    }
}
