//! The functions of OpenCL that the layer replaces or calls.

use cl_sys::*;
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

use crate::results::fail;
use crate::{commands, create, loader, queries};

/// The callback of AMD's OpenCL when a memory object is freed.
pub type Destructor = unsafe extern "C" fn(memory: cl_mem, data: *mut c_void);

// The slots are those of `cl_icd_dispatch` in Khronos' `cl_icd.h`.
interposition::functions! {
    /// In the loader's order.
    pub static OPENCL: found by loader::next, in "libOpenCL.so";
    fn clGetPlatformIDs[0](count: cl_uint, platforms: *mut cl_platform_id, found: *mut cl_uint) -> cl_int, else CL_INVALID_OPERATION;
    fn clGetPlatformInfo[1](platform: cl_platform_id, name: cl_platform_info, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int, else CL_INVALID_OPERATION
        => queries::platform_info(platform, name, size, value, needed);
    fn clGetDeviceInfo[3](device: cl_device_id, name: cl_device_info, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int, else CL_INVALID_OPERATION
        => queries::device_info(device, name, size, value, needed);
    fn clGetContextInfo[8](context: cl_context, name: cl_context_info, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int, else CL_INVALID_OPERATION;
    fn clGetCommandQueueInfo[12](queue: cl_command_queue, name: cl_command_queue_info, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int, else CL_INVALID_OPERATION;
    fn clCreateBuffer[14](context: cl_context, flags: cl_mem_flags, size: usize, host: *mut c_void, error: *mut cl_int) -> cl_mem, else fail(error, CL_INVALID_OPERATION);
    fn clReleaseMemObject[18](memory: cl_mem) -> cl_int, else CL_INVALID_OPERATION;
    fn clGetMemObjectInfo[20](memory: cl_mem, name: cl_mem_info, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int, else CL_INVALID_OPERATION
        => queries::mem_object_info(memory, name, size, value, needed);
    fn clGetImageInfo[21](image: cl_mem, name: cl_image_info, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int, else CL_INVALID_OPERATION
        => queries::image_info(image, name, size, value, needed);
    fn clGetEventInfo[42](event: cl_event, name: cl_event_info, size: usize, value: *mut c_void, needed: *mut usize) -> cl_int, else CL_INVALID_OPERATION
        => commands::event_info(event, name, size, value, needed);
    fn clRetainEvent[43](event: cl_event) -> cl_int, else CL_INVALID_OPERATION => commands::retain_event(event);
    fn clReleaseEvent[44](event: cl_event) -> cl_int, else CL_INVALID_OPERATION => commands::release_event(event);
    fn clFlush[46](queue: cl_command_queue) -> cl_int, else CL_INVALID_OPERATION;
    fn clGetExtensionFunctionAddress[65](name: *const c_char) -> *mut c_void, else null_mut() => queries::extension_function(name);
    fn clSetMemObjectDestructorCallback[83](memory: cl_mem, callback: Option<Destructor>, data: *mut c_void) -> cl_int, else CL_INVALID_OPERATION;
    fn clCreateImage[96](context: cl_context, flags: cl_mem_flags, format: *const cl_image_format, description: *const cl_image_desc, host: *mut c_void, error: *mut cl_int) -> cl_mem, else fail(error, CL_INVALID_OPERATION);
    fn clEnqueueMarkerWithWaitList[105](queue: cl_command_queue, count: cl_uint, events: *const cl_event, event: *mut cl_event) -> cl_int, else CL_INVALID_OPERATION;
    fn clGetExtensionFunctionAddressForPlatform[107](platform: cl_platform_id, name: *const c_char) -> *mut c_void, else null_mut()
        => queries::extension_function_for_platform(platform, name);
    fn clCreateBufferWithProperties[146](context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags, size: usize, host: *mut c_void, error: *mut cl_int) -> cl_mem, else fail(error, CL_INVALID_OPERATION)
        => create::buffer_with_properties(context, properties, flags, size, host, error);
    fn clCreateImageWithProperties[147](context: cl_context, properties: *const cl_mem_properties, flags: cl_mem_flags, format: *const cl_image_format, description: *const cl_image_desc, host: *mut c_void, error: *mut cl_int) -> cl_mem, else fail(error, CL_INVALID_OPERATION)
        => create::image_with_properties(context, properties, flags, format, description, host, error);
}
