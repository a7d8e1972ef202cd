//! One API by itself: its library, and how many devices that sees. The other libraries are not loaded.

use std::ffi::c_void;
use std::ptr::null_mut;

use rocm_interop::Error;
use rocm_interop::sys::cl_sys::{self, CallError, Cl, LoadError, cl_int, cl_platform_id};
use rocm_interop::sys::hip_sys::{Hip, hipError_t};
use rocm_interop::sys::hsa_sys::{Hsa, hsa_agent_info_t, hsa_agent_t, hsa_device_type_t, hsa_status_t};
use rocm_interop::sys::{Api, Code};

use super::{Finding, hip_version};

/// The library, and what it sees.
///
/// # Errors
/// Why there is no library.
pub fn ask(api: Api) -> Result<(String, Finding), String> {
    let missing = |error: LoadError| error.to_string();
    let (library, seen) = match api {
        Api::OpenCl => {
            let cl = Cl::load().map_err(missing)?;
            (cl.library().to_owned(), opencl(&cl))
        }
        Api::Hsa => {
            let hsa = Hsa::load().map_err(missing)?;
            (hsa.library().to_owned(), hsa_gpus(&hsa))
        }
        _ => {
            let hip = Hip::load().map_err(missing)?;
            (hip_version(&hip)?, hip_devices(&hip))
        }
    };
    let seen = seen.and_then(|count| if count == 0 { Err("none".to_owned()) } else { Ok(count.to_string()) });
    Ok((library, seen))
}

fn refused(call: &'static str, code: Code) -> String {
    Error::Call { call, code }.to_string()
}

fn opencl(cl: &Cl) -> Result<usize, String> {
    let check = |call, code: Result<cl_int, CallError>| match code.map_err(|error| error.to_string())? {
        cl_sys::CL_SUCCESS => Ok(true),
        cl_sys::CL_PLATFORM_NOT_FOUND_KHR | cl_sys::CL_DEVICE_NOT_FOUND => Ok(false),
        code => Err(refused(call, Code::OpenCl(code))),
    };
    let mut count = 0;
    // SAFETY: counts only.
    if !check("clGetPlatformIDs", unsafe { cl.clGetPlatformIDs(0, null_mut(), &mut count) })? {
        return Ok(0);
    }
    let mut platforms: Vec<cl_platform_id> = vec![null_mut(); count as usize];
    // SAFETY: room for `count`.
    check("clGetPlatformIDs", unsafe { cl.clGetPlatformIDs(count, platforms.as_mut_ptr(), null_mut()) })?;
    let mut devices = 0;
    for platform in platforms {
        let (all, mut count) = (cl_sys::CL_DEVICE_TYPE_ALL, 0);
        // SAFETY: counts only.
        if check("clGetDeviceIDs", unsafe { cl.clGetDeviceIDs(platform, all, 0, null_mut(), &mut count) })? {
            devices += count as usize;
        }
    }
    Ok(devices)
}

fn hip_devices(hip: &Hip) -> Result<usize, String> {
    let mut count = 0;
    // SAFETY: writes one int.
    match unsafe { hip.hipGetDeviceCount(&mut count) }.map_err(|error| error.to_string())? {
        hipError_t::hipSuccess => Ok(count as usize),
        hipError_t::hipErrorNoDevice => Ok(0),
        code => Err(refused("hipGetDeviceCount", Code::Hip(code))),
    }
}

/// HSA stays initialised: the process ends after this.
fn hsa_gpus(hsa: &Hsa) -> Result<usize, String> {
    unsafe extern "C" fn collect(agent: hsa_agent_t, data: *mut c_void) -> hsa_status_t {
        // SAFETY: `data` is the vector below; HSA calls back on this thread before returning.
        unsafe { (*data.cast::<Vec<hsa_agent_t>>()).push(agent) };
        hsa_status_t::HSA_STATUS_SUCCESS
    }
    let check = |call, code: Result<hsa_status_t, LoadError>| match code.map_err(|error| error.to_string())? {
        hsa_status_t::HSA_STATUS_SUCCESS => Ok(()),
        code => Err(refused(call, Code::Hsa(code))),
    };
    // SAFETY: no preconditions.
    check("hsa_init", unsafe { hsa.hsa_init() })?;
    let mut agents: Vec<hsa_agent_t> = Vec::new();
    // SAFETY: the callback matches its data.
    check("hsa_iterate_agents", unsafe { hsa.hsa_iterate_agents(Some(collect), (&raw mut agents).cast()) })?;
    let mut gpus = 0;
    for agent in agents {
        let (mut kind, info) = (0u32, hsa_agent_info_t::HSA_AGENT_INFO_DEVICE);
        // SAFETY: the attribute is 4 bytes.
        check("hsa_agent_get_info", unsafe { hsa.hsa_agent_get_info(agent, info, (&raw mut kind).cast()) })?;
        gpus += usize::from(hsa_device_type_t(kind) == hsa_device_type_t::HSA_DEVICE_TYPE_GPU);
    }
    Ok(gpus)
}
