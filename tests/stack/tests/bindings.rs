//! The sys crates on AMD's libraries of each stack, by one program: with the virtual GPU, and without any.
//!
//! The tests run one at a time: they start HIP, OpenCL and HSA, and ROCr 6.4 must not be started by two threads at
//! once.
use std::ffi::CStr;
use std::process::Command;
use std::ptr::null_mut;
use std::time::Duration;

use cl_sys::{CL_PLATFORM_NAME, CL_PLATFORM_VERSION, CL_SUCCESS, Cl, cl_platform_id, cl_platform_info};
use hip_sys::{Hip, hipError_t};
use hsa_sys::{Hsa, hsa_status_t, hsa_system_info_t};
use stack_tests::{exclusive, hip_version, isa, on_virtual_gpu, run_tests};

/// Runs a test of this file again in a process that does not have the virtual GPU; the machine's own cannot be taken
/// from it.
fn without_gpu(test: &str) {
    if !on_virtual_gpu() {
        return;
    }
    let mut command = Command::new(std::env::current_exe().expect("the test's own path"));
    run_tests(command.env_remove("LD_PRELOAD").env("WITHOUT_GPU", "1"), &[test], Duration::from_secs(60));
}

fn has_gpu() -> bool {
    std::env::var_os("WITHOUT_GPU").is_none()
}

/// What the driver says of the GPUs.
fn gpus() -> Vec<kfd::Node> {
    kfd::Topology::read().expect("the driver's topology").gpus().cloned().collect()
}

#[test]
fn b1_hip_answers() {
    let _alone = exclusive();
    let hip = Hip::load().expect("the stack has HIP");
    let (mut version, mut count) = (0, -1);
    // SAFETY: each pointer is valid for one c_int.
    let (asked, counted) = unsafe { (hip.hipRuntimeGetVersion(&mut version), hip.hipGetDeviceCount(&mut count)) };
    if has_gpu() {
        let gpus = gpus();
        assert_eq!((asked.unwrap(), counted.unwrap()), (hipError_t::hipSuccess, hipError_t::hipSuccess));
        assert_eq!(usize::try_from(count), Ok(gpus.len()));
        let version = u32::try_from(version).expect("a version");
        assert!((version / 10_000_000, version / 100_000 % 100) >= hip_version(), "{version}");
        let properties = hip.device_properties(0).expect("the properties of the first device");
        assert_eq!(u32::try_from(properties.multiProcessorCount), Ok(gpus[0].compute_units()));
        assert_eq!(u64::try_from(properties.warpSize).ok(), gpus[0].property("wave_front_size"));
        if on_virtual_gpu() {
            // SAFETY: the library ends its names with a zero.
            let name = unsafe { CStr::from_ptr(properties.name.as_ptr()) };
            let expected = match &*isa() {
                "gfx90a" => (c"AMD Instinct MI210", 104, 1),
                "gfx942" => (c"AMD Instinct MI300X", 304, 1),
                _ => (c"AMD Instinct MI100", 120, 1),
            };
            assert_eq!((name, properties.multiProcessorCount, count), expected);
        }
        without_gpu("b1_hip_answers");
    } else {
        assert_eq!(counted.unwrap(), hipError_t::hipErrorNoDevice);
    }
}

#[test]
fn b1_hsa_answers() {
    let _alone = exclusive();
    let hsa = Hsa::load().expect("the stack has ROCr");
    // SAFETY: hsa_init has no preconditions.
    let status = unsafe { hsa.hsa_init() }.unwrap();
    if !has_gpu() {
        return assert_eq!(status, hsa_status_t::HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    }
    assert_eq!(status, hsa_status_t::HSA_STATUS_SUCCESS);
    let mut major = 0u16;
    // SAFETY: this attribute is a u16; the runtime is initialised.
    let status =
        unsafe { hsa.hsa_system_get_info(hsa_system_info_t::HSA_SYSTEM_INFO_VERSION_MAJOR, (&raw mut major).cast()) };
    assert_eq!((status.unwrap(), major), (hsa_status_t::HSA_STATUS_SUCCESS, 1));
    // SAFETY: it was initialised above.
    assert_eq!(unsafe { hsa.hsa_shut_down() }.unwrap(), hsa_status_t::HSA_STATUS_SUCCESS);
    without_gpu("b1_hsa_answers");
}

fn text(cl: &Cl, platform: cl_platform_id, what: cl_platform_info) -> String {
    let mut bytes = vec![0u8; 4096];
    // SAFETY: `bytes` has the room that it is said to have.
    let status = unsafe { cl.clGetPlatformInfo(platform, what, bytes.len(), bytes.as_mut_ptr().cast(), null_mut()) };
    assert_eq!(status.unwrap(), CL_SUCCESS);
    CStr::from_bytes_until_nul(&bytes).expect("text ends with a zero").to_string_lossy().into_owned()
}

fn amd_platform(cl: &Cl) -> cl_platform_id {
    let mut platforms = [null_mut(); 8];
    let mut count = 0;
    // SAFETY: there is room for 8 platforms.
    assert_eq!(unsafe { cl.clGetPlatformIDs(8, platforms.as_mut_ptr(), &mut count) }.unwrap(), CL_SUCCESS);
    let amd =
        |platform: &&cl_platform_id| text(cl, **platform, CL_PLATFORM_NAME) == "AMD Accelerated Parallel Processing";
    *platforms[..count as usize].iter().find(amd).expect("AMD's platform")
}

#[test]
fn b1_amd_opencl_answers() {
    stack_tests::needs_amd_opencl!();
    let _alone = exclusive();
    let cl = Cl::load().expect("the stack has OpenCL");
    let platform = amd_platform(&cl);
    let version = text(&cl, platform, CL_PLATFORM_VERSION);
    assert!(version.starts_with("OpenCL 2.1 AMD-APP"), "{version}");
    let mut count = 0;
    // SAFETY: the pointer is valid, and no devices are asked for.
    let status = unsafe { cl.clGetDeviceIDs(platform, cl_sys::CL_DEVICE_TYPE_GPU, 0, null_mut(), &mut count) };
    if has_gpu() {
        assert_eq!((status.unwrap(), usize::try_from(count)), (CL_SUCCESS, Ok(gpus().len())));
        without_gpu("b1_amd_opencl_answers");
    } else {
        assert_eq!(status.unwrap(), cl_sys::CL_DEVICE_NOT_FOUND);
    }
}

#[test]
fn b3_a_function_of_3_0_is_refused_on_amds_platform() {
    stack_tests::needs_amd_opencl!();
    let _alone = exclusive();
    let cl = Cl::load().expect("the stack has OpenCL");
    let platform = amd_platform(&cl);
    let (mut device, mut status) = (null_mut(), 0);
    // SAFETY: there is room for one device; the device is valid; no properties are given.
    let buffer = unsafe {
        let found = cl.clGetDeviceIDs(platform, cl_sys::CL_DEVICE_TYPE_GPU, 1, &mut device, null_mut());
        assert_eq!(found.unwrap(), CL_SUCCESS);
        let context = cl.clCreateContext(std::ptr::null(), 1, &device, None, null_mut(), &mut status);
        let context = context.expect("clCreateContext is in every version");
        assert_eq!(status, CL_SUCCESS);
        let flags = cl_sys::CL_MEM_READ_WRITE;
        cl.clCreateBufferWithProperties(context, std::ptr::null(), flags, 64, null_mut(), &mut status)
    };
    let error = buffer.expect_err("AMD's platform is older than 3.0");
    assert!(matches!(error, cl_sys::CallError::VersionTooOld { .. }), "{error:?}");
    let message = error.to_string();
    assert!(message.contains("clCreateBufferWithProperties") && message.contains("3.0"), "{message}");
}
