//! The requests on events.

use crate::driver::device::Process;
use crate::driver::events::{self, Payload, Waited, Wanted};
use crate::driver::user::{self, Plain};
use crate::errno::Errno;
use kfd_sys::*;
use std::time::{Duration, Instant};

use super::memory::Memory;
use crate::driver::device::KfdMapping;

pub(super) fn create(process: &Process, args: &mut kfd_ioctl_create_event_args) -> Result<(), Errno> {
    if args.event_page_offset != 0 {
        let mut state = process.lock();
        if process.events.has_page() {
            return Err(Errno::EINVAL.because("there is a page of events already"));
        }
        let handle = args.event_page_offset;
        state.bound((handle >> 32) as u32)?;
        let memory = match state.object(handle)?.map(|object| &object.memory) {
            Some(Memory::Buffer(memory)) => memory.clone(),
            Some(_) | None => return Err(Errno::EINVAL.because("event_page_offset is no handle of a buffer object")),
        };
        process.events.set_page(memory)?;
        state.event_page = Some(handle);
    }
    args.event_page_offset = 0;
    let id = process.events.create(args.event_type, args.auto_reset != 0)?;
    if args.event_type == events::SIGNAL || args.event_type == events::DEBUG {
        args.event_page_offset = KfdMapping::Events.offset(0);
        args.event_slot_index = id;
    }
    args.event_id = id;
    args.event_trigger_data = id;
    Ok(())
}

pub(super) fn destroy(process: &Process, args: &mut kfd_ioctl_destroy_event_args) -> Result<(), Errno> {
    process.events.destroy(args.event_id)
}

pub(super) fn set(process: &Process, args: &mut kfd_ioctl_set_event_args) -> Result<(), Errno> {
    process.events.set(args.event_id)
}

pub(super) fn reset(process: &Process, args: &mut kfd_ioctl_reset_event_args) -> Result<(), Errno> {
    process.events.reset(args.event_id)
}

// SAFETY: the kernel's structure of integers.
unsafe impl Plain for kfd_event_data {}

/// `KFD_EVENT_TIMEOUT_INFINITE`.
const INFINITE: u32 = u32::MAX;
/// Events of one wait: what the driver has of each, 56 bytes, must fit in the 4 MiB that the kernel allocates at most.
const MAX_EVENTS: u32 = (4 << 20) / 56;

pub(super) fn wait(process: &Process, args: &mut kfd_ioctl_wait_events_args) -> Result<(), Errno> {
    args.wait_result = KFD_IOC_WAIT_RESULT_FAIL;
    if args.num_events > MAX_EVENTS {
        return Err(Errno::ENOMEM.because("num_events is too large"));
    }
    let mut data: Vec<kfd_event_data> = user::read_array(args.events_ptr, args.num_events as usize)?;
    let wanted: Vec<Wanted> = data
        .iter()
        .map(|data| Wanted {
            event: data.event_id,
            // SAFETY: every member of the union is integers.
            last_age: unsafe { data.__bindgen_anon_1.signal_event_data.last_event_age },
        })
        .collect();
    let timeout = match args.timeout {
        INFINITE => None,
        // The driver takes more for that.
        milliseconds => Some(Duration::from_millis(milliseconds.into()).min(events::LONGEST_WAIT)),
    };
    let start = Instant::now();
    let result = process.events.wait(&wanted, args.wait_for_all != 0, timeout);
    if let (Err(Errno::EINTR), Some(timeout)) = (&result, timeout) {
        // A caller that just calls again waits no longer in all.
        args.timeout = timeout.saturating_sub(start.elapsed()).as_millis() as u32;
    }
    let (waited, payloads) = result?;
    if waited == Waited::Complete {
        for (position, payload) in payloads.iter().enumerate().filter_map(|(at, payload)| Some((at, (*payload)?))) {
            store(&mut data[position], payload);
            user::write_value(args.events_ptr + (position * size_of::<kfd_event_data>()) as u64, &data[position])?;
        }
    }
    args.wait_result = match waited {
        Waited::Complete => KFD_IOC_WAIT_RESULT_COMPLETE,
        Waited::Timeout => KFD_IOC_WAIT_RESULT_TIMEOUT,
    };
    Ok(())
}

fn store(data: &mut kfd_event_data, payload: Payload) {
    let content = &mut data.__bindgen_anon_1;
    match payload {
        Payload::Age(age) => content.signal_event_data.last_event_age = age,
        Payload::MemoryFault { gpu_id, address, reason } => {
            content.memory_exception_data = kfd_hsa_memory_exception_data {
                failure: kfd_memory_exception_failure {
                    NotPresent: u32::from(reason.not_present),
                    ReadOnly: u32::from(reason.read_only),
                    NoExecute: 0,
                    imprecise: 0,
                },
                va: address,
                gpu_id,
                ErrorType: KFD_MEM_ERR_NO_RAS,
            };
        }
    }
}
