//! The hardware queue of a compute queue: creation, memory, destruction.

pub(crate) mod layout;
mod options;

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use aql::{BarrierAnd, Control, MmioDoorbell, Ring, SingleProducer, Slot};
use kfd_sys::*;

use crate::driver::PAGE;
use crate::driver::{lock, request};
use crate::family::INVALIDATE_CACHES;
use crate::memory::{Memory, Placement};
use crate::queues::device::Gpu;
use crate::queues::progress::QueueState;
use crate::{Device, Error, Result, Signal};
use layout::{AmdQueue, Scratch, Sizes};
pub use options::QueueOptions;

/// The memory of a compute queue, apart from scratch and arguments.
#[derive(Debug)]
pub(crate) struct QueueMemory {
    pub ring: Memory,
    /// One page with the `amd_queue_t`, and behind it the commands that empty caches.
    pub queue: Memory,
    pub end_of_pipe: Memory,
    pub context_save: Memory,
}

impl QueueMemory {
    /// Allocates it.
    fn new(gpu: &'static Gpu, options: &QueueOptions, sizes: &Sizes) -> Result<QueueMemory> {
        let bytes = options.packets as usize * aql::PACKET_BYTES;
        Ok(QueueMemory {
            ring: Memory::new(gpu, bytes, Placement::HOST.with_executable(true))?,
            queue: Memory::new(gpu, PAGE, Placement::HOST.with_executable(true))?,
            end_of_pipe: Memory::new(gpu, sizes.end_of_pipe, Placement::VRAM)?,
            context_save: Memory::new(gpu, sizes.context_save_whole, Placement::VRAM)?,
        })
    }

    /// Keeps it for ever, as a queue that was not destroyed may do so too.
    fn forget(&mut self) {
        let QueueMemory { ring, queue, end_of_pipe, context_save } = self;
        [ring, queue, end_of_pipe, context_save].into_iter().for_each(Memory::forget);
    }
}

/// A queue of the driver with all that it uses.
pub(crate) struct Hardware {
    /// Before the memory that it points to, as is `listed`.
    pub producer: SingleProducer<'static, MmioDoorbell>,
    /// The ring in its queue's list.
    _listed: Listed,
    pub id: u32,
    pub memory: QueueMemory,
    scratch: (Scratch, Option<Memory>),
    /// The one that this one continues completes it as its last packet, and this one waits for it in its first.
    after: Option<Signal>,
}

impl Hardware {
    /// Makes one, empty.
    pub fn new(gpu: &'static Gpu, options: &QueueOptions, sizes: &Sizes, state: &Arc<QueueState>) -> Result<Hardware> {
        let mut memory = QueueMemory::new(gpu, options, sizes)?;
        let mut scratch = scratch(gpu, options.private_bytes)?;
        let (queue, ring) = (memory.queue.host()?.cast::<AmdQueue>(), memory.ring.host()?.cast::<u64>());
        let (id, producer) = create(gpu, options, sizes, &mut memory, &mut scratch, state)?;
        let written = RingContents { queue, ring, packets: options.packets.into() };
        let _listed = Listed::new(state, written);
        let mut hardware = Hardware { producer, _listed, id, memory, scratch, after: None };
        if !options.cu_mask.is_empty()
            && let Err(error) = hardware.set_cu_mask(gpu, &options.cu_mask)
        {
            // Nothing may run where it must not. Whether this ends well is said in the log.
            _ = hardware.end(gpu);
            return Err(error);
        }
        Ok(hardware)
    }

    /// The largest private segment of a work-item that fits.
    pub fn private_bytes(&self) -> u64 {
        self.scratch.0.private_bytes()
    }

    /// Gives its priority to the driver, 0 to 15.
    pub fn set_priority(&self, gpu: &Gpu, priority: u32) -> Result<()> {
        let mut args = kfd_ioctl_update_queue_args {
            ring_base_address: self.memory.ring.address(),
            queue_id: self.id,
            ring_size: self.memory.ring.bytes() as u32,
            queue_percentage: KFD_MAX_QUEUE_PERCENTAGE,
            queue_priority: priority,
        };
        request!(gpu.driver, AMDKFD_IOC_UPDATE_QUEUE, amdkfd_ioc_update_queue, "a queue's priority", &mut args)
    }

    /// Gives the compute units that it may run on to the driver.
    pub fn set_cu_mask(&self, gpu: &Gpu, mask: &[u32]) -> Result<()> {
        check_xccs(mask, gpu.node().compute_units(), gpu.node().value("num_xcc"))?;
        let mut args = kfd_ioctl_set_cu_mask_args {
            queue_id: self.id,
            num_cu_mask: mask.len() as u32 * 32,
            cu_mask_ptr: mask.as_ptr().expose_provenance() as u64,
        };
        request!(gpu.driver, AMDKFD_IOC_SET_CU_MASK, amdkfd_ioc_set_cu_mask, "a queue's compute units", &mut args)
    }

    /// Makes it begin when `before` has done all that was submitted to it, which gets nothing more. If there is no room
    /// left in `before` for the packet by which it says so, nothing is changed.
    pub fn continue_from(&mut self, gpu: &'static Gpu, before: &mut Hardware) -> Result<()> {
        let after = Signal::polled(Device(gpu), 1)?;
        let last = BarrierAnd::NOP.with_control(Control::SYSTEM).with_completion(after.handle());
        // SAFETY: the signal is kept until neither queue is there any more.
        unsafe { before.producer.try_submit(&last) }?;
        let first = BarrierAnd::new([Some(after.handle()), None, None, None, None]).with_control(Control::SYSTEM);
        self.after = Some(after);
        // SAFETY: as above. The ring is empty.
        unsafe { self.producer.try_submit(&first) }?;
        Ok(())
    }

    /// Whether the one that this one continues is done.
    pub fn has_begun(&self) -> bool {
        self.after.as_ref().is_none_or(|after| after.value() == 0)
    }

    /// Destroys it. When this returns without an error, nothing of it runs. After an error it still may, and nothing
    /// that it uses is ever given back.
    pub fn end(&mut self, gpu: &Gpu) -> Result<()> {
        destroy(gpu, self.id).inspect_err(|error| {
            self.forget();
            tracing::error!(%error, queue = self.id, "a queue was not destroyed");
        })
    }

    /// Keeps what it uses for ever.
    pub fn forget(&mut self) {
        self.memory.forget();
        self.scratch.1.iter_mut().for_each(Memory::forget);
        self.after.iter().for_each(Signal::forget);
    }
}

/// Where a ring's packets are, for whoever asks what a queue was given while another thread has the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RingContents {
    queue: NonNull<AmdQueue>,
    ring: NonNull<u64>,
    packets: u64,
}

// SAFETY: only ever read, by volatile and atomic loads, while it is in its queue's list.
unsafe impl Send for RingContents {}

impl RingContents {
    /// What the ring has had last, the latest first: for each packet that was not overwritten the addresses of a
    /// kernel's descriptor and of the completion signal, if it is one that has these there. Packet processors change
    /// nothing but headers.
    ///
    /// # Safety
    /// The ring is in the list of its queue, which is locked, in the process that made it.
    pub unsafe fn latest_packets(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        const KERNEL_OBJECT: usize = 32 / size_of::<u64>();
        const COMPLETION_SIGNAL: usize = 56 / size_of::<u64>();
        let RingContents { queue, ring, packets } = *self;
        // SAFETY: the queue's own page, where it was written, which is there as long as the ring is in the list; the
        // index is an atomic.
        let written = unsafe { queue.as_ref() }.write_dispatch_id.load(Ordering::Acquire);
        let field = move |index: u64, word: usize| {
            let at = (index % packets) as usize * (aql::PACKET_BYTES / size_of::<u64>()) + word;
            // SAFETY: inside the ring, which is there likewise. A packet that is being written has no kernel's address
            // yet, or its own.
            unsafe { ring.add(at).read_volatile() }
        };
        (written.saturating_sub(packets)..written)
            .rev()
            .map(move |index| (field(index, KERNEL_OBJECT), field(index, COMPLETION_SIGNAL)))
    }
}

/// A ring that is in the list of its queue's state until this is dropped.
struct Listed {
    state: Arc<QueueState>,
    ring: NonNull<u64>,
}

// SAFETY: the pointer is compared, never followed.
unsafe impl Send for Listed {}

impl Listed {
    fn new(state: &Arc<QueueState>, contents: RingContents) -> Listed {
        lock(&state.rings).push(contents);
        Listed { state: state.clone(), ring: contents.ring }
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        // In a child of a fork the lock may be held for ever.
        if !self.state.is_forked() {
            lock(&self.state.rings).retain(|other| other.ring != self.ring);
        }
    }
}

/// Where the commands are in a queue's page.
pub(crate) const COMMANDS_OFFSET: usize = 1024;
/// Ends a queue. When the driver returns without an error, nothing of it runs. After an error it may, for ever, but its
/// id is not to be used again: where the scheduler does not let go of a queue (ETIME), Linux gives the id to the next
/// one (`pqm_destroy_queue`).
pub(crate) fn destroy(gpu: &Gpu, id: u32) -> Result<()> {
    let mut args = kfd_ioctl_destroy_queue_args { queue_id: id, pad: 0 };
    request!(gpu.driver, AMDKFD_IOC_DESTROY_QUEUE, amdkfd_ioc_destroy_queue, "a queue", &mut args)
}

/// Ends a queue of which nobody will have anything. If that fails, it may still run, and `forget` keeps what it uses.
pub(crate) fn destroy_unfinished(gpu: &Gpu, id: u32, forget: impl FnOnce()) {
    if let Err(error) = destroy(gpu, id) {
        forget();
        tracing::error!(%error, queue = id, "a queue was not destroyed");
    }
}

/// Scratch memory for work-items of `private_bytes`: on all waves that the GPU holds, or on fewer if memory is short.
fn scratch(gpu: &'static Gpu, private_bytes: u32) -> Result<(Scratch, Option<Memory>)> {
    if private_bytes == 0 {
        return Ok((Scratch::default(), None));
    }
    let mut scratch = Scratch::for_all_waves(gpu.node(), private_bytes);
    loop {
        match Memory::new(gpu, scratch.bytes() as usize, Placement::VRAM) {
            Ok(memory) => {
                scratch.address = memory.address();
                return Ok((scratch, Some(memory)));
            }
            Err(error @ Error::Request { errno: crate::Errno(libc::ENOMEM), .. }) => {
                scratch = scratch.halved().ok_or(error)?;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Makes the queue in `memory`, empty. All that is given is the queue's if there is no error, or if the error left a
/// queue that was not destroyed, and then never given back.
fn create(
    gpu: &'static Gpu,
    options: &QueueOptions,
    sizes: &Sizes,
    memory: &mut QueueMemory,
    scratch: &mut (Scratch, Option<Memory>),
    state: &QueueState,
) -> Result<(u32, SingleProducer<'static, MmioDoorbell>)> {
    let inactive = state.inactive.as_ref().map_or(0, |signal| signal.handle().get());
    let apertures = gpu.aperture_bases();
    let content = AmdQueue::new(gpu.node(), memory.ring.address(), options.packets, apertures, &scratch.0, inactive);
    let queue = memory.queue.host()?.cast::<AmdQueue>();
    // SAFETY: a page of this queue's, which no GPU uses before the queue is made.
    unsafe { queue.write(content) };
    // SAFETY: in the same page, behind the structure.
    unsafe { queue.byte_add(COMMANDS_OFFSET).cast::<[u32; 7]>().write(INVALIDATE_CACHES) };
    let slots = memory.ring.host()?.cast::<Slot>();
    for index in 0..options.packets as usize {
        // SAFETY: inside the ring, likewise.
        unsafe { slots.add(index).write(Slot::empty()) };
    }
    // SAFETY: as long as the producer, which a queue drops before its memory. What GPUs change are atomics and the
    // slots' contents.
    let (queue, slots): (&'static AmdQueue, &'static [Slot]) =
        unsafe { (queue.as_ref(), NonNull::slice_from_raw_parts(slots, options.packets as usize).as_ref()) };
    let address = |field: *const u64| field.expose_provenance() as u64;
    let mut args = kfd_ioctl_create_queue_args {
        ring_base_address: memory.ring.address(),
        write_pointer_address: address(queue.write_dispatch_id.as_ptr()),
        read_pointer_address: address(queue.read_dispatch_id.as_ptr()),
        ring_size: memory.ring.bytes() as u32,
        gpu_id: gpu.id(),
        queue_type: KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
        queue_percentage: KFD_MAX_QUEUE_PERCENTAGE,
        queue_priority: options.priority,
        eop_buffer_address: memory.end_of_pipe.address(),
        eop_buffer_size: memory.end_of_pipe.bytes() as u64,
        ctx_save_restore_address: memory.context_save.address(),
        ctx_save_restore_size: sizes.context_save,
        ctl_stack_size: sizes.control_stack,
        ..Default::default()
    };
    let reports = gpu.reports()?;
    request!(gpu.driver, AMDKFD_IOC_CREATE_QUEUE, amdkfd_ioc_create_queue, "a compute queue", &mut args)?;
    reports.route(args.doorbell_offset, inactive);
    let made = || {
        // SAFETY: the driver maps the register for as long as the queue is there.
        let doorbell = unsafe { MmioDoorbell::new(gpu.doorbell(args.doorbell_offset)?) };
        // SAFETY: nobody else has the memory, all slots are INVALID, both indices 0, and the ring is ordinary memory of
        // the host.
        let ring = unsafe { Ring::new(slots, &queue.write_dispatch_id, &queue.read_dispatch_id, doorbell) };
        let expected = "a power of two";
        ring.map_err(|_| Error::Value { subject: "a queue's number of packets", value: slots.len() as u64, expected })
    };
    match made() {
        Ok(ring) => Ok((args.queue_id, ring.single_producer())),
        Err(error) => {
            destroy_unfinished(gpu, args.queue_id, || {
                memory.forget();
                scratch.1.iter_mut().for_each(Memory::forget);
                state.inactive.iter().for_each(Signal::forget);
            });
            Err(error)
        }
    }
}

/// Each XCC of a GPU runs its share of a dispatch's work-groups, and of a mask it has every bit whose number leaves its
/// own when it is divided by how many XCCs there are (`mqd_symmetrically_map_cu_mask` of Linux). If it has no compute
/// unit, its work-groups never start.
fn check_xccs(mask: &[u32], units: u32, xccs: u32) -> Result<()> {
    let has = |bit: u32| mask.get((bit / 32) as usize).is_some_and(|word| word >> (bit % 32) & 1 != 0);
    let step = xccs.max(1) as usize;
    if xccs > 1 && (0..xccs.min(units)).any(|xcc| !(xcc..units).step_by(step).any(has)) {
        return Err(Error::Value {
            subject: "the number of compute units of an XCC in a mask",
            value: 0,
            expected: "at least 1 of each: bit n is one of XCC n modulo their number",
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_has_units_of_each_xcc() {
        let refused = |mask: &[u32], units, xccs| check_xccs(mask, units, xccs).is_err();
        // An MI100 is not divided, and of no unit its driver says something itself.
        assert!(!refused(&[1], 120, 1) && !refused(&[0], 120, 0));
        assert!(!refused(&[0xff], 304, 8) && !refused(&[0xfe, 1 << 8], 304, 8) && !refused(&[u32::MAX; 10], 304, 8));
        assert!(refused(&[0x7f], 304, 8) && refused(&[0], 304, 8) && refused(&[0xfe, 2], 304, 8));
        // What is behind the last unit counts for nothing.
        let behind = [0xfe, 0, 0, 0, 0, 0, 0, 0, 0, 1 << 16];
        assert!(refused(&behind, 304, 8));
        let error = check_xccs(&[1], 304, 8).unwrap_err().to_string();
        assert!(error.contains("is 0, must be at least 1 of each"), "{error}");
    }
}
