//! The platforms that the layer serves: AMD's, if they use the HSA runtime and lack the extension.

use cl_sys::*;
use std::sync::{Mutex, PoisonError};

use crate::amd::Runtime;
use crate::extensions::EXTENSIONS;
use crate::functions::next;
use crate::log::log;
use crate::results::{list, value};

/// What AMD's OpenCL calls itself.
const NAME: &[u8] = b"AMD Accelerated Parallel Processing\0";

/// What was found out of a platform. Platforms are never freed.
type Known = (usize, Option<&'static Runtime>);

/// AMD's runtime of a platform that the layer serves.
///
/// # Safety
/// `platform` is null or a platform.
pub unsafe fn of_platform(platform: cl_platform_id) -> Option<&'static Runtime> {
    static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());
    if platform.is_null() {
        return None;
    }
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let of = |known: &[Known]| known.iter().find(|(of, _)| *of == platform as usize).map(|(_, runtime)| *runtime);
    if let Some(runtime) = of(&known()) {
        return runtime;
    }
    // SAFETY: as promised by the caller.
    let runtime = unsafe { look(platform) };
    let mut known = known();
    of(&known).unwrap_or_else(|| {
        known.push((platform as usize, runtime));
        runtime
    })
}

/// # Safety
/// `platform` is a platform.
unsafe fn look(platform: cl_platform_id) -> Option<&'static Runtime> {
    let text = |name| {
        // SAFETY: as promised by the caller; texts are bytes.
        unsafe { list::<u8>(|size, value, needed| next::clGetPlatformInfo(platform, name, size, value, needed)) }.ok()
    };
    if text(CL_PLATFORM_NAME)? != NAME {
        return None;
    }
    let extensions = text(CL_PLATFORM_EXTENSIONS)?;
    if extensions.split(|byte| *byte == b' ' || *byte == 0).any(|name| name == EXTENSIONS[0].name.to_bytes()) {
        log!("AMD's OpenCL has the extension itself, so it stays as it is");
        return None;
    }
    // SAFETY: a platform, whose first word the loader needs to be the address of its implementation's table.
    match unsafe { Runtime::of(platform) } {
        Ok(runtime) => Some(runtime),
        Err(reason) => {
            log!("AMD's OpenCL stays as it is: {reason}");
            None
        }
    }
}

/// AMD's runtime of a device that the layer serves.
///
/// # Safety
/// `device` is null or a device.
pub unsafe fn of_device(device: cl_device_id) -> Option<&'static Runtime> {
    if device.is_null() {
        return None;
    }
    // SAFETY: as promised by the caller; a platform is a pointer.
    unsafe {
        let ask = |size, value, needed| next::clGetDeviceInfo(device, CL_DEVICE_PLATFORM, size, value, needed);
        of_platform(value::<cl_platform_id>(ask).ok()?)
    }
}

/// The devices of a context.
///
/// # Safety
/// `context` is a context.
pub unsafe fn devices(context: cl_context) -> Result<Vec<cl_device_id>, cl_int> {
    // SAFETY: as promised by the caller; devices are pointers.
    let devices = unsafe {
        list::<usize>(|size, value, needed| next::clGetContextInfo(context, CL_CONTEXT_DEVICES, size, value, needed))
    };
    Ok(devices?.into_iter().map(|device| device as cl_device_id).collect())
}
