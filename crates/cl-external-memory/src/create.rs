//! Creates buffers and images on dma-bufs.

use cl_sys::*;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use crate::amd::{self, Asked, Runtime};
use crate::functions::next;
use crate::log::log;
use crate::objects::{self, Object};
use crate::platforms;
use crate::results::{fail, value};

mod image;
mod properties;

use properties::Properties;

/// Flags with which the memory would be the host's.
const OF_THE_HOST: cl_mem_flags = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/// How often an import is begun anew, as for another thread the dynamic linker just bound what the layer had changed.
/// It does so once for each thread at most.
const ATTEMPTS: u32 = 16;

/// A context of a platform that the layer serves.
struct Context {
    context: cl_context,
    devices: Vec<cl_device_id>,
    runtime: &'static Runtime,
}

impl Context {
    /// None if the layer does not serve its platform.
    ///
    /// # Safety
    /// `context` is null or a context.
    unsafe fn of(context: cl_context) -> Option<Context> {
        if context.is_null() {
            return None;
        }
        // SAFETY: as promised by the caller.
        let devices = unsafe { platforms::devices(context) }.ok()?;
        // SAFETY: a device of the context.
        let runtime = unsafe { platforms::of_device(*devices.first()?) }?;
        Some(Context { context, devices, runtime })
    }

    /// Checks what the specification asks of a memory object of an external handle.
    fn check(&self, of: &Properties, flags: cl_mem_flags, host: *mut c_void) -> Result<(), cl_int> {
        if let Some(stranger) = of.devices.iter().find(|device| !self.devices.contains(device)) {
            log!("refused: the device {stranger:p} of CL_MEM_DEVICE_HANDLE_LIST_KHR is not of the context");
            return Err(CL_INVALID_DEVICE);
        }
        if self.devices.len() > 1 {
            log!(
                "refused: the context has {} devices, for each of which AMD's OpenCL keeps a copy of its own; use a context of one",
                self.devices.len()
            );
            return Err(CL_INVALID_DEVICE);
        }
        if flags & OF_THE_HOST != 0 {
            log!("refused: flags {flags:#x} ask for memory of the host");
            return Err(CL_INVALID_VALUE);
        }
        if !host.is_null() {
            log!("refused: a dma-buf has no host pointer");
            return Err(CL_INVALID_HOST_PTR);
        }
        Ok(())
    }

    /// A buffer of AMD's OpenCL whose memory is a dma-buf. The descriptor stays the program's.
    fn buffer(&self, fd: c_int, flags: cl_mem_flags, bytes: usize) -> Result<cl_mem, cl_int> {
        // SAFETY: any number may be asked about.
        if unsafe { libc::fcntl(fd, libc::F_GETFD) } == -1 {
            log!("refused: {fd} is no open descriptor");
            return Err(CL_INVALID_PROPERTY);
        }
        let mut code = CL_SUCCESS;
        let mut attempts = 0;
        let (memory, asked) = loop {
            self.runtime.hook().map_err(|reason| {
                log!("refused: {reason}");
                CL_OUT_OF_RESOURCES
            })?;
            let (memory, asked) = amd::import(fd, bytes, || {
                // SAFETY: a context, no host pointer, and a place for the code.
                unsafe { next::clCreateBuffer(self.context, flags, bytes, null_mut(), &mut code) }
            });
            attempts += 1;
            if asked != Asked::Not || memory.is_null() || self.runtime.is_hooked() {
                break (memory, asked);
            }
            // SAFETY: created above, and nobody else has it.
            unsafe { next::clReleaseMemObject(memory) };
            if attempts == ATTEMPTS {
                log!(
                    "refused: AMD's OpenCL called HSA's functions past the layer {ATTEMPTS} times, as something else changes them"
                );
                return Err(CL_OUT_OF_RESOURCES);
            }
        };
        if let (false, Asked::Given(address)) = (memory.is_null(), asked) {
            log!("{bytes} bytes of dma-buf {fd} are the buffer {memory:p}, at {address:#x} of the GPU");
            return Ok(memory);
        }
        if !memory.is_null() {
            // SAFETY: created above, and nobody else has it.
            unsafe { next::clReleaseMemObject(memory) };
        }
        Err(match asked {
            Asked::Given(address) => {
                // SAFETY: of a buffer that does not exist.
                unsafe { amd::give_back(address) };
                log!("refused by AMD's OpenCL: clCreateBuffer gives {code}");
                code
            }
            Asked::Refused(status) => {
                log!(
                    "refused: HSA's runtime does not map descriptor {fd} ({status:?}), so it is no dma-buf of amdgpu's"
                );
                CL_INVALID_PROPERTY
            }
            Asked::TooShort(object) => {
                log!("refused: the dma-buf {fd} has {object} bytes, and {bytes} were asked for");
                CL_INVALID_BUFFER_SIZE
            }
            Asked::Not if memory.is_null() => {
                log!("refused by AMD's OpenCL: clCreateBuffer gives {code}");
                code
            }
            Asked::Not => {
                log!("refused: with flags {flags:#x} AMD's OpenCL does not take memory of the GPU");
                CL_INVALID_VALUE
            }
        })
    }

    /// Keeps what is known of a new object.
    fn keep(&self, memory: cl_mem, of: Properties, image: bool) -> Result<cl_mem, cl_int> {
        let object = Object { context: self.context as usize, properties: of.all, image };
        // SAFETY: just created.
        unsafe { objects::add(memory, object) }.map(|()| memory).inspect_err(|_| {
            // SAFETY: created by the caller, and nobody else has it.
            unsafe { next::clReleaseMemObject(memory) };
        })
    }
}

/// What OpenCL's functions that create an object return.
fn outcome(created: Result<cl_mem, cl_int>, error: *mut cl_int) -> cl_mem {
    match created {
        Ok(memory) => {
            fail(error, CL_SUCCESS);
            memory
        }
        Err(code) => fail(error, code),
    }
}

/// OpenCL's function. AMD's OpenCL implements 2.1 and lacks it, so that a call without this layer would jump to a null
/// address.
///
/// # Safety
/// That of OpenCL's function.
pub unsafe fn buffer_with_properties(
    context: cl_context,
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    size: usize,
    host: *mut c_void,
    error: *mut cl_int,
) -> cl_mem {
    // SAFETY: as promised by the caller.
    unsafe {
        let Some(served) = Context::of(context) else {
            return next::clCreateBufferWithProperties(context, properties, flags, size, host, error);
        };
        let of = match Properties::read(properties) {
            Ok(of) => of,
            Err(code) => return fail(error, code),
        };
        let Some(fd) = of.fd else { return next::clCreateBuffer(context, flags, size, host, error) };
        let created = served.check(&of, flags, host).and_then(|()| served.buffer(fd, flags, size));
        outcome(created.and_then(|buffer| served.keep(buffer, of, false)), error)
    }
}

/// OpenCL's function, as [`buffer_with_properties`]. Images of dma-bufs are linear, of two dimensions.
///
/// # Safety
/// That of OpenCL's function.
pub unsafe fn image_with_properties(
    context: cl_context,
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    format: *const cl_image_format,
    description: *const cl_image_desc,
    host: *mut c_void,
    error: *mut cl_int,
) -> cl_mem {
    // SAFETY: as promised by the caller.
    unsafe {
        let Some(served) = Context::of(context) else {
            return next::clCreateImageWithProperties(context, properties, flags, format, description, host, error);
        };
        let of = match Properties::read(properties) {
            Ok(of) => of,
            Err(code) => return fail(error, code),
        };
        let Some(fd) = of.fd else { return next::clCreateImage(context, flags, format, description, host, error) };
        let created = served.check(&of, flags, host).and_then(|()| {
            let format = format.as_ref().ok_or(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
            let description = description.as_ref().ok_or(CL_INVALID_IMAGE_DESCRIPTOR)?;
            let ask = |size, value, needed| {
                next::clGetDeviceInfo(served.devices[0], CL_DEVICE_IMAGE_PITCH_ALIGNMENT, size, value, needed)
            };
            let layout = image::layout(format, description, value::<cl_uint>(ask)?)?;
            let buffer = served.buffer(fd, flags, layout.bytes)?;
            let mut on_buffer = *description;
            on_buffer.image_row_pitch = layout.pitch;
            on_buffer.__bindgen_anon_1.mem_object = buffer;
            let mut code = CL_SUCCESS;
            let image = next::clCreateImage(context, flags, format, &on_buffer, null_mut(), &mut code);
            // The image keeps it.
            next::clReleaseMemObject(buffer);
            if image.is_null() {
                log!("refused by AMD's OpenCL: clCreateImage on the buffer gives {code}");
                return Err(code);
            }
            log!("the image {image:p} is on that buffer, with {} bytes a row", layout.pitch);
            Ok(image)
        });
        outcome(created.and_then(|image| served.keep(image, of, true)), error)
    }
}
