//! SMI events: a descriptor from which a monitor reads events of a GPU.

use crate::backing::PAGE;
use crate::descriptors::Descriptor;
use crate::driver::device::Process;
use crate::errno::Errno;
use crate::reentry::Guard;
use crate::time;
use kfd_sys::*;
use std::collections::HashMap;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Mutex;

/// Our ends of the event streams, by GPU.
pub type Streams = HashMap<u32, Vec<Stream>>;

static STREAMS: Mutex<Option<Streams>> = Mutex::new(None);

/// Our end of one monitor's stream.
pub struct Stream {
    end: Descriptor,
    mask: u64,
}

/// All streams of this process.
pub fn streams() -> Guard<'static, Option<Streams>> {
    Guard::lock(&STREAMS)
}

pub(super) fn events(process: &Process, args: &mut kfd_ioctl_smi_events_args) -> Result<(), Errno> {
    process.lock().gpu(args.gpuid)?;
    let mut ends = [-1; 2];
    // The monitor writes its mask to its end and reads events from it: a socket does both, and can be polled.
    // SAFETY: `ends` has room for two.
    if unsafe { libc::socketpair(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_NONBLOCK, 0, ends.as_mut_ptr()) } != 0 {
        return Err(Errno::last());
    }
    // SAFETY: new and ours.
    let end = Descriptor::new(unsafe { OwnedFd::from_raw_fd(ends[1]) });
    // If it could not get another number.
    // SAFETY: plain system call.
    unsafe { crate::real::fcntl(end.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC as usize) };
    streams().get_or_insert_default().entry(args.gpuid).or_default().push(Stream { end, mask: 0 });
    args.anon_fd = ends[0] as u32;
    Ok(())
}

/// Notifies the monitors of GPU `gpu_id` of a fault of this process.
pub fn vm_fault(gpu_id: u32) {
    let name = crate::real::read_file(c"/proc/self/comm").unwrap_or_default();
    let name = String::from_utf8_lossy(&name).trim_end().to_owned();
    report(gpu_id, kfd_smi_event::KFD_SMI_EVENT_VMFAULT.0, &format!("{:x}:{name}", std::process::id()));
}

/// Memory that the driver moved because the program asked for it.
#[derive(Clone, Copy, Debug)]
pub struct Prefetch {
    /// The first address.
    pub start: u64,
    /// The address after the last byte.
    pub end: u64,
    /// The GPU whose memory it was in, 0 for the host's.
    pub from: u32,
    /// The GPU whose memory it is in now, likewise.
    pub to: u32,
    /// The attributes of the range, `KFD_IOCTL_SVM_ATTR_PREFETCH_LOC` and `KFD_IOCTL_SVM_ATTR_PREFERRED_LOC`.
    pub wanted: [u32; 2],
}

/// Notifies the GPU's monitors of the beginning and the end of a migration.
pub fn prefetched(prefetch: &Prefetch) {
    // One of the two is the host.
    let gpu_id = prefetch.from | prefetch.to;
    let &Prefetch { from, to, wanted: [wanted, preferred], .. } = prefetch;
    let (first, pages) = (prefetch.start / PAGE, (prefetch.end - prefetch.start) / PAGE);
    let trigger = KFD_MIGRATE_TRIGGERS::KFD_MIGRATE_TRIGGER_PREFETCH.0;
    let what = || format!("{} -{} @{first:x}({pages:x}) {from:x}->{to:x}", time::boottime_ns(), std::process::id());
    // As `kfd_smi_event_migration_start` and `_end` of `kfd_smi_events.c` write them.
    let start = format!("{} {wanted:x}:{preferred:x} {trigger}", what());
    report(gpu_id, kfd_smi_event::KFD_SMI_EVENT_MIGRATE_START.0, &start);
    report(gpu_id, kfd_smi_event::KFD_SMI_EVENT_MIGRATE_END.0, &format!("{} {trigger}", what()));
}

/// Notifies the monitors of GPU `gpu_id` of the beginning and the end of a page fault that moved no memory.
pub fn page_fault(gpu_id: u32, address: u64, write: bool) {
    let what = |end| format!("{} -{} @{:x}({gpu_id:x}) {end}", time::boottime_ns(), std::process::id(), address / PAGE);
    // As `kfd_smi_event_page_fault_start` and `_end` of `kfd_smi_events.c` write them.
    report(gpu_id, kfd_smi_event::KFD_SMI_EVENT_PAGE_FAULT_START.0, &what(if write { 'W' } else { 'R' }));
    report(gpu_id, kfd_smi_event::KFD_SMI_EVENT_PAGE_FAULT_END.0, &what('U'));
}

/// Tells the monitors of GPU `gpu_id` about an event; those that left are forgotten.
fn report(gpu_id: u32, event: u32, text: &str) {
    let mut streams = streams();
    let Some(list) = streams.as_mut().and_then(|streams| streams.get_mut(&gpu_id)) else { return };
    let message = format!("{event:x} {text}\n");
    list.retain_mut(|stream| {
        let mut mask = [0u8; 8];
        // SAFETY: `mask` has 8 bytes. Masks that the monitor wrote replace each other.
        while unsafe { libc::read(stream.end.as_raw_fd(), mask.as_mut_ptr().cast(), 8) } == 8 {
            stream.mask = u64::from_ne_bytes(mask);
        }
        if stream.mask & 1 << (event - 1) == 0 {
            return true;
        }
        let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
        // SAFETY: `message` is readable for its length.
        let sent = unsafe { libc::send(stream.end.as_raw_fd(), message.as_ptr().cast(), message.len(), flags) };
        // A monitor that does not read loses events, as with the driver's bounded queue.
        sent >= 0 || Errno::last() == Errno::EAGAIN
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monitors_read_what_they_asked_for() {
        // A GPU that no other test has.
        const GPU: u32 = 7;
        let mut ends = [-1; 2];
        let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK;
        // SAFETY: `ends` has room for two.
        assert_eq!(unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) }, 0);
        // SAFETY: new and ours.
        let [monitor, end] = ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) });
        let end = Descriptor::new(end);
        streams().get_or_insert_default().entry(GPU).or_default().push(Stream { end, mask: 0 });
        let ask = |event: kfd_smi_event| {
            let mask = (1u64 << (event.0 - 1)).to_ne_bytes();
            // SAFETY: eight bytes.
            assert_eq!(unsafe { libc::write(monitor.as_raw_fd(), mask.as_ptr().cast(), 8) }, 8);
        };
        let read = || {
            let mut text = [0u8; 128];
            // SAFETY: `text` has that many bytes.
            let length = unsafe { libc::read(monitor.as_raw_fd(), text.as_mut_ptr().cast(), text.len()) };
            String::from_utf8_lossy(&text[..usize::try_from(length).unwrap_or(0)]).into_owned()
        };
        vm_fault(GPU);
        assert_eq!(read(), "");
        ask(kfd_smi_event::KFD_SMI_EVENT_VMFAULT);
        vm_fault(GPU);
        report(GPU, kfd_smi_event::KFD_SMI_EVENT_GPU_PRE_RESET.0, "1 HWS hang");
        // The event's number and, as the driver writes it, the process and its name.
        let start = format!("1 {:x}:", std::process::id());
        let text = read();
        assert!(text.starts_with(&start) && text.ends_with('\n') && text.lines().count() == 1, "{text:?}");
        ask(kfd_smi_event::KFD_SMI_EVENT_GPU_PRE_RESET);
        vm_fault(GPU);
        report(GPU, kfd_smi_event::KFD_SMI_EVENT_GPU_PRE_RESET.0, "1 HWS hang");
        assert_eq!(read(), "3 1 HWS hang\n");
        drop(monitor);
        report(GPU, kfd_smi_event::KFD_SMI_EVENT_GPU_PRE_RESET.0, "2 HWS hang");
        assert!(streams().as_ref().and_then(|streams| streams.get(&GPU)).is_some_and(Vec::is_empty));
    }
}
