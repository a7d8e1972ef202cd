//! The acquire and release commands, and their events.
//!
//! Both are markers of AMD's OpenCL, and a release flushes the queue behind its marker.
//!
//! AMD's queues run in order, but AMD's OpenCL lets kernels of one queue overlap if it sees none of them use what
//! another writes, and it knows memory by objects: it does not see that two objects are of one dma-buf. A marker does
//! nothing about that, it is no packet of the GPU's queue. A flush is one: a barrier packet of system scope, for which
//! the caller does not wait. It has later kernels wait for earlier ones, writes the GPU's caches back to memory, so
//! that whoever has the dma-buf sees what kernels wrote, and empties them, so that kernels behind the next acquire see
//! what others wrote since.

use cl_sys::*;
use interposition::{c_name, caught};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::functions::next;
use crate::log::log;
use crate::objects::{self, Object};
use crate::platforms;
use crate::results::{answer, value};

/// The type of both functions.
pub type Enqueue =
    unsafe extern "C" fn(cl_command_queue, cl_uint, *const cl_mem, cl_uint, *const cl_event, *mut cl_event) -> cl_int;

/// Defines a function of the extension.
macro_rules! command {
    ($function:ident: $name:literal, $kind:ident) => {
        #[doc = concat!("`", $name, "`")]
        ///
        /// # Safety
        /// That of OpenCL's function.
        pub unsafe extern "C" fn $function(
            queue: cl_command_queue,
            count: cl_uint,
            objects: *const cl_mem,
            waits: cl_uint,
            wait_list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int {
            let command = Command { name: c_name(concat!($name, "\0")), kind: $kind };
            // SAFETY: as promised by the caller.
            caught(|| unsafe { command.enqueue(queue, (count, objects), (waits, wait_list), event) })
                .unwrap_or(CL_OUT_OF_RESOURCES)
        }
    };
}
command!(acquire: "clEnqueueAcquireExternalMemObjectsKHR", CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR);
command!(release: "clEnqueueReleaseExternalMemObjectsKHR", CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR);

struct Command {
    name: &'static CStr,
    kind: cl_command_type,
}

impl Command {
    /// # Safety
    /// That of OpenCL's functions; each pair is the length of a list and where it is.
    unsafe fn enqueue(
        &self,
        queue: cl_command_queue,
        (count, objects): (cl_uint, *const cl_mem),
        (waits, wait_list): (cl_uint, *const cl_event),
        event: *mut cl_event,
    ) -> cl_int {
        // SAFETY: as promised by the caller.
        let device = match unsafe { of_queue::<cl_device_id>(queue, CL_QUEUE_DEVICE) } {
            Ok(device) => device,
            Err(code) => return code,
        };
        // SAFETY: a queue's device.
        if unsafe { platforms::of_device(device) }.is_none() {
            // SAFETY: the same.
            return match unsafe { self.of_platform(device) } {
                // SAFETY: the caller's arguments, for the function of the queue's own platform.
                Some(function) => unsafe { function(queue, count, objects, waits, wait_list, event) },
                None => CL_INVALID_COMMAND_QUEUE,
            };
        }
        if (count == 0) != objects.is_null() {
            return self.refuse(CL_INVALID_VALUE, "the number of objects does not go with the list");
        }
        // SAFETY: as promised by the caller.
        let context = match unsafe { of_queue::<cl_context>(queue, CL_QUEUE_CONTEXT) } {
            Ok(context) => context,
            Err(code) => return code,
        };
        for nth in 0..count as usize {
            // SAFETY: in the list.
            let Some(Object { context: of, .. }) = objects::find(unsafe { *objects.add(nth) }) else {
                return self.refuse(CL_INVALID_MEM_OBJECT, "an object is not of a dma-buf");
            };
            if of != context as usize {
                return self.refuse(CL_INVALID_COMMAND_QUEUE, "an object is of another context than the queue");
            }
        }
        // SAFETY: as promised by the caller.
        if let Err(code) = unsafe { check_waits(waits, wait_list) } {
            return self.refuse(code, "of an event to wait for");
        }
        // SAFETY: as promised by the caller.
        let code = unsafe { next::clEnqueueMarkerWithWaitList(queue, waits, wait_list, event) };
        if code != CL_SUCCESS {
            return self.refuse(code, "so AMD's OpenCL says of its marker");
        }
        if !event.is_null() {
            // SAFETY: written by AMD's OpenCL.
            track(unsafe { *event }, self.kind);
        }
        if self.kind == CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR {
            // SAFETY: as promised by the caller. The command is enqueued, so its success is what counts; a queue that
            // cannot be flushed ends it with an error of its own.
            unsafe { next::clFlush(queue) };
        }
        CL_SUCCESS
    }

    fn refuse(&self, code: cl_int, reason: &str) -> cl_int {
        log!("{} refused with {code}: {reason}", self.name.to_string_lossy());
        code
    }

    /// The function of a platform that the layer does not serve.
    ///
    /// # Safety
    /// `device` is a device.
    unsafe fn of_platform(&self, device: cl_device_id) -> Option<Enqueue> {
        // SAFETY: as promised by the caller; a platform is a pointer.
        unsafe {
            let ask = |size, value, needed| next::clGetDeviceInfo(device, CL_DEVICE_PLATFORM, size, value, needed);
            let platform = value::<cl_platform_id>(ask).ok()?;
            let function = next::clGetExtensionFunctionAddressForPlatform(platform, self.name.as_ptr());
            // A null pointer is none; the function of this name has this type.
            std::mem::transmute::<*mut c_void, Option<Enqueue>>(function)
        }
    }
}

/// A handle that a queue knows.
///
/// # Safety
/// `queue` is null or a queue, and `T` is the type of what `name` asks for.
unsafe fn of_queue<T: Copy>(queue: cl_command_queue, name: cl_command_queue_info) -> Result<T, cl_int> {
    if queue.is_null() {
        return Err(CL_INVALID_COMMAND_QUEUE);
    }
    // SAFETY: as promised by the caller.
    unsafe { value(|size, value, needed| next::clGetCommandQueueInfo(queue, name, size, value, needed)) }
}

/// # Safety
/// `wait_list` is null or has `waits` events.
unsafe fn check_waits(waits: cl_uint, wait_list: *const cl_event) -> Result<(), cl_int> {
    if (waits == 0) != wait_list.is_null() {
        return Err(CL_INVALID_EVENT_WAIT_LIST);
    }
    for nth in 0..waits as usize {
        // SAFETY: in the list.
        let event = unsafe { *wait_list.add(nth) };
        let ask = |size, value, needed| {
            // SAFETY: an event, as promised by the caller, or null, which the loader refuses.
            unsafe { next::clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, size, value, needed) }
        };
        // SAFETY: a status is a number of this type.
        match unsafe { value::<cl_int>(ask) } {
            Ok(status) if status < 0 => return Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
            Ok(_) => {}
            Err(_) => return Err(CL_INVALID_EVENT_WAIT_LIST),
        }
    }
    Ok(())
}

/// An event of acquire or release, as long as the program has it.
struct Event {
    kind: cl_command_type,
    references: usize,
}

/// How many there are, so that nobody needs the lock where there are none.
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn events() -> Option<MutexGuard<'static, BTreeMap<usize, Event>>> {
    static EVENTS: Mutex<BTreeMap<usize, Event>> = Mutex::new(BTreeMap::new());
    (COUNT.load(Ordering::Acquire) != 0).then(|| EVENTS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Keeps what the event is of, which to AMD's OpenCL is one of a marker.
fn track(event: cl_event, kind: cl_command_type) {
    COUNT.fetch_add(1, Ordering::AcqRel);
    if let Some(mut events) = events() {
        events.insert(event as usize, Event { kind, references: 1 });
    }
}

/// OpenCL's function, which knows acquire and release from other markers.
///
/// # Safety
/// That of OpenCL's function.
pub unsafe fn event_info(
    event: cl_event,
    name: cl_event_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    if name == CL_EVENT_COMMAND_TYPE {
        let kind = events().and_then(|events| events.get(&(event as usize)).map(|event| event.kind));
        if let Some(kind) = kind {
            // SAFETY: as promised by the caller.
            return unsafe { answer(&kind.to_ne_bytes(), size, value, needed) };
        }
    }
    // SAFETY: as promised by the caller.
    unsafe { next::clGetEventInfo(event, name, size, value, needed) }
}

/// OpenCL's function, which counts the program's references of acquire's and release's events.
///
/// # Safety
/// That of OpenCL's function.
pub unsafe fn retain_event(event: cl_event) -> cl_int {
    if let Some(mut events) = events()
        && let Some(known) = events.get_mut(&(event as usize))
    {
        known.references += 1;
    }
    // SAFETY: as promised by the caller.
    unsafe { next::clRetainEvent(event) }
}

/// OpenCL's function, after whose last call for an event of acquire or release nothing is known of that event.
///
/// # Safety
/// That of OpenCL's function.
pub unsafe fn release_event(event: cl_event) -> cl_int {
    if let Some(mut events) = events()
        && let Some(known) = events.get_mut(&(event as usize))
    {
        known.references -= 1;
        // Before the release, behind which another event may have the same address.
        if known.references == 0 {
            events.remove(&(event as usize));
            COUNT.fetch_sub(1, Ordering::AcqRel);
        }
    }
    // SAFETY: as promised by the caller.
    unsafe { next::clReleaseEvent(event) }
}
