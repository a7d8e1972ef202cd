//! The requests on queues, and the driver's checks before a queue reaches the hardware.

use crate::backing::PAGE;
use crate::driver::accounts;
use crate::driver::at_exit;
use crate::driver::device::{self, Process, State};
use crate::driver::user;
use crate::errno::Errno;
use crate::hardware::engine::{Engine, Options};
use crate::hardware::gpu::Gpu;
use crate::hardware::profile::Profile;
use crate::hardware::queue::{QueueArgs, QueueKind, QueueUpdate};
use crate::log::{self, Topic};
use kfd_sys::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::memory::Object;
use crate::driver::device::KfdMapping;

/// Queues of a process, over all GPUs (`KFD_MAX_NUM_OF_QUEUES_PER_PROCESS`).
pub const MAX_QUEUES: u32 = 1024;
/// Doorbells that compute queues get; from here on are those of the SDMA engines.
const COMPUTE_DOORBELLS: u32 = 0x100;
/// Doorbells between two SDMA engines.
const SDMA_ENGINE_STEP: u32 = 10;
/// Odd queues of an SDMA engine have theirs in the second page.
const MIRROR: u32 = 512;
/// Largest CU mask, in bits.
const MAX_CUS: u32 = 1024;
/// The driver's own number for queues of xGMI's SDMA engines (`enum kfd_queue_type`), the only one that differs from
/// the ioctl's.
const TYPE_SDMA_XGMI: u32 = 4;

/// The buffers that a queue keeps mapped: device addresses of their objects.
#[derive(Debug)]
struct Queue {
    gpu: usize,
    /// The driver's number for its type.
    queue_type: u32,
    doorbell: u32,
    buffers: Vec<u64>,
    sdma: Option<(u32, u32)>,
    /// Bytes of an XCC's context save area.
    save_bytes: u32,
    global_wave_sync: bool,
}

/// The queues of a process and the engines that run them.
#[derive(Debug)]
pub struct Queues {
    engines: Vec<Arc<Engine>>,
    queues: BTreeMap<u32, Queue>,
}

impl Queues {
    /// None yet.
    ///
    /// # Errors
    /// As of [`Engine::new`].
    pub fn new(gpus: impl Iterator<Item = Arc<Gpu>>, options: Options) -> Result<Queues, Errno> {
        let engines = gpus.map(|gpu| Engine::new(gpu, options)).collect::<Result<_, Errno>>()?;
        Ok(Queues { engines, queues: BTreeMap::new() })
    }

    /// Doorbells were mapped, or are no more.
    pub fn look(&self) {
        self.engines.iter().for_each(|engine| engine.look());
    }

    /// The engines of each GPU.
    pub fn engines(&self) -> &[Arc<Engine>] {
        &self.engines
    }

    /// Whether there are any.
    pub fn any(&self) -> bool {
        !self.queues.is_empty()
    }

    /// Whether a queue of GPU `index` keeps the mapping at `va`.
    pub fn uses(&self, index: u32, va: u64) -> bool {
        self.queues.values().any(|queue| queue.gpu == index as usize && queue.buffers.contains(&va))
    }

    fn free_id(&self) -> Option<u32> {
        (0..MAX_QUEUES).find(|id| !self.queues.contains_key(id))
    }

    fn free_doorbell(&self, gpu: usize) -> Option<u32> {
        (0..COMPUTE_DOORBELLS)
            .find(|doorbell| !self.queues.values().any(|queue| queue.gpu == gpu && queue.doorbell == *doorbell))
    }

    fn sdma_taken(&self, gpu: usize, engine: u32, slot: u32) -> bool {
        self.queues.values().any(|queue| queue.gpu == gpu && queue.sdma == Some((engine, slot)))
    }

    fn get(&self, id: u32, missing: Errno) -> Result<(&Queue, &Arc<Engine>), Errno> {
        let queue = self.queues.get(&id).ok_or(missing.because("no queue has this queue_id"))?;
        Ok((queue, &self.engines[queue.gpu]))
    }
}

/// Checks what creating and updating have in common, and returns the size of the ring that the driver makes of the one
/// asked for.
fn check_common(percentage: u32, priority: u32, ring: u64, ring_size: u32) -> Result<u32, Errno> {
    if percentage & 0xff > KFD_MAX_QUEUE_PERCENTAGE || priority > KFD_MAX_QUEUE_PRIORITY {
        return Err(Errno::EINVAL.because("queue_percentage or queue_priority is too large"));
    }
    check_address(ring)?;
    if ring_size != 0 && !ring_size.is_power_of_two() {
        return Err(Errno::EINVAL.because("ring_size is no power of two"));
    }
    Ok(ring_size.max(KFD_MIN_QUEUE_RING_SIZE))
}

/// The address is one that a program can have (`access_ok`): below the last page of the lower half.
fn check_address(address: u64) -> Result<(), Errno> {
    if address < (1 << 47) - PAGE {
        Ok(())
    } else {
        Err(Errno::EFAULT.because("an address is not one that a program can have"))
    }
}

/// Device address of the object that is mapped to GPU `index` exactly at the page of `address`, with `size` bytes. One
/// that appears twice is two mappings of half its size (`kfd_mem_attach`).
fn buffer(state: &State, index: u32, address: u64, size: u64) -> Result<u64, Errno> {
    let page = address & !(PAGE - 1);
    let objects = state.gpus.iter().flat_map(|gpu| gpu.objects.values());
    let mapped = |object: &&Object| object.mapped & 1 << index != 0 && object.begins_at(page);
    let object = objects
        .into_iter()
        .find(mapped)
        .ok_or(Errno::EINVAL.because("no buffer object that is mapped to the GPU begins there"))?;
    // The driver looks at whole pages, and does not ask about the size of a buffer smaller than one.
    let pages = |bytes: u64| bytes / PAGE;
    let matches = pages(size) == 0 || pages(object.backed()) == pages(size);
    if matches { Ok(object.va) } else { Err(Errno::EINVAL.because("the buffer object there has another size")) }
}

/// The ring that the hardware gets for the address that was asked for: its registers have no place for the lowest 8
/// bits (`cp_hqd_pq_base_lo`, `sdmax_rlcx_rb_base` in `kfd_mqd_manager_v9.c`).
fn ring_of(address: u64) -> u64 {
    let ring = address & !0xff;
    if ring != address {
        log::write(
            Topic::Unknown,
            format_args!("the ring at {address:#x} is no multiple of 256 bytes: the GPU uses the one at {ring:#x}"),
        );
    }
    ring
}

/// Checks that all buffers of the queue are mapped as the driver wants them, and returns the device addresses of their
/// objects.
fn acquire_buffers(
    state: &State,
    gpu: &Gpu,
    args: &kfd_ioctl_create_queue_args,
    compute: bool,
) -> Result<Vec<u64>, Errno> {
    let mut buffers = vec![
        buffer(state, gpu.index, args.write_pointer_address, PAGE)?,
        buffer(state, gpu.index, args.read_pointer_address, PAGE)?,
        buffer(state, gpu.index, args.ring_base_address, u64::from(args.ring_size))?,
    ];
    if !compute {
        return Ok(buffers);
    }
    if args.eop_buffer_address != 0 {
        // The driver keeps the lower half of the size.
        let size = args.eop_buffer_size as u32;
        if size < gpu.profile.eop_bytes() {
            return Err(Errno::EINVAL.because("eop_buffer_size is too small"));
        }
        buffers.push(buffer(state, gpu.index, args.eop_buffer_address, u64::from(size).next_multiple_of(PAGE))?);
    }
    let save = gpu.profile.context_save();
    if args.ctl_stack_size != save.control_stack || args.ctx_save_restore_size < save.area {
        return Err(
            Errno::EINVAL.because("ctl_stack_size is not that of this chip, or ctx_save_restore_size is too small")
        );
    }
    let of_xcc = u64::from(args.ctx_save_restore_size) + u64::from(save.debugger);
    let total = (of_xcc * u64::from(gpu.profile.xccs)).next_multiple_of(PAGE);
    match buffer(state, gpu.index, args.ctx_save_restore_address, total) {
        Ok(at) => buffers.push(at),
        Err(_) if state.svm.always_mapped(gpu.index, args.ctx_save_restore_address, total) => {}
        Err(errno) => return Err(errno),
    }
    Ok(buffers)
}

/// The SDMA engines of which a new queue gets one; none for a compute queue.
fn sdma_engines(profile: &Profile, args: &kfd_ioctl_create_queue_args) -> Result<Option<Range<u32>>, Errno> {
    let (pcie, all) = (profile.sdma_engines, profile.sdma_engines + profile.sdma_xgmi_engines);
    match args.queue_type {
        KFD_IOC_QUEUE_TYPE_SDMA => Ok(Some(0..pcie)),
        KFD_IOC_QUEUE_TYPE_SDMA_XGMI => Ok(Some(pcie..all)),
        KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID if args.sdma_engine_id >= all => {
            Err(Errno::EINVAL.because("the GPU has no SDMA engine with this sdma_engine_id"))
        }
        KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID => Ok(Some(args.sdma_engine_id..args.sdma_engine_id + 1)),
        _ => Ok(None),
    }
}

/// The SDMA engine, of these, and its slot for a new queue.
fn sdma_slot(state: &State, gpu: &Gpu, engines: Range<u32>) -> Result<(u32, u32), Errno> {
    // Queues are spread over the engines first.
    (0..gpu.profile.sdma_queues_per_engine)
        .flat_map(|slot| engines.clone().map(move |engine| (engine, slot)))
        .find(|(engine, slot)| !state.queues.sdma_taken(gpu.index as usize, *engine, *slot))
        .ok_or(Errno::ENOMEM.because("all slots of the SDMA engines have queues"))
}

/// On which XCC a queue's PM4 packets run: what a program says above the percentage (`pm4_target_xcc`).
fn xcc_of_pm4(percentage: u32) -> u32 {
    percentage >> 8 & 0xff
}

pub(super) fn create(process: &Process, args: &mut kfd_ioctl_create_queue_args) -> Result<(), Errno> {
    // The caller gets to see the size that the ring got.
    args.ring_size = check_common(args.queue_percentage, args.queue_priority, args.ring_base_address, args.ring_size)?;
    for address in
        [args.read_pointer_address, args.write_pointer_address, args.eop_buffer_address, args.ctx_save_restore_address]
    {
        check_address(address)?;
    }
    if args.queue_type > KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID {
        // The kernel's own ENOTSUPP, which has no name outside of it.
        return Err(Errno(524).because("queue_type is unknown"));
    }
    let mut guard = process.lock();
    let state: &mut State = &mut guard;
    state.gpu(args.gpu_id)?;
    let gpu = state.bound(args.gpu_id).map_err(|_| Errno::ESRCH)?.gpu.clone();
    let index = gpu.index as usize;
    let engines = sdma_engines(gpu.profile, args)?;
    let compute = engines.is_none();
    let buffers = acquire_buffers(state, &gpu, args, compute)?;
    if state.queues.queues.values().filter(|queue| queue.gpu == index).count() >= gpu.profile.queues_of_process {
        return Err(Errno::ENOSPC.because("the process has as many queues on this GPU as it may"));
    }
    let id = state.queues.free_id().ok_or(Errno::ENOMEM.because("the process has as many queues as it may"))?;
    let sdma = engines.map(|engines| sdma_slot(state, &gpu, engines)).transpose()?;
    let (kind, doorbell) = match (sdma, args.queue_type) {
        (Some((engine, slot)), _) => {
            let first = COMPUTE_DOORBELLS + engine * SDMA_ENGINE_STEP;
            let first = first.next_multiple_of(gpu.profile.sdma_doorbell_alignment);
            (QueueKind::Sdma { engine }, first + (slot & 1) * MIRROR + (slot >> 1))
        }
        (None, KFD_IOC_QUEUE_TYPE_COMPUTE) => {
            let kind = QueueKind::Pm4 { xcc: xcc_of_pm4(args.queue_percentage) };
            (kind, state.queues.free_doorbell(index).ok_or(Errno::EBUSY.because("all doorbells are taken"))?)
        }
        (None, _) => {
            (QueueKind::Aql, state.queues.free_doorbell(index).ok_or(Errno::EBUSY.because("all doorbells are taken"))?)
        }
    };
    state.queues.engines[index].create_queue(QueueArgs {
        id,
        kind,
        ring: ring_of(args.ring_base_address),
        ring_size: args.ring_size,
        read_pointer: args.read_pointer_address,
        write_pointer: args.write_pointer_address,
        doorbell,
        priority: args.queue_priority,
        percentage: args.queue_percentage & 0xff,
        context_save: if compute { args.ctx_save_restore_address } else { 0 },
    })?;
    at_exit::has_queue();
    // However the engine was chosen (`allocate_sdma_queue`).
    let queue_type = match kind {
        QueueKind::Pm4 { .. } | QueueKind::Aql => KFD_IOC_QUEUE_TYPE_COMPUTE,
        QueueKind::Sdma { engine } if engine < gpu.profile.sdma_engines => KFD_IOC_QUEUE_TYPE_SDMA,
        QueueKind::Sdma { .. } => TYPE_SDMA_XGMI,
    };
    let save_bytes = args.ctx_save_restore_size;
    let queue = Queue { gpu: index, queue_type, doorbell, buffers, sdma, save_bytes, global_wave_sync: false };
    state.queues.queues.insert(id, queue);
    device::opened_queue(gpu.index);
    state.show_queue(id, Some(accounts::Queue { gpu: gpu.index, kind: queue_type, size: args.ring_size }));
    args.queue_id = id;
    args.doorbell_offset = KfdMapping::Doorbell.offset(args.gpu_id) | (u64::from(doorbell) * 8);
    Ok(())
}

pub(super) fn destroy(process: &Process, args: &mut kfd_ioctl_destroy_queue_args) -> Result<(), Errno> {
    let mut state = process.lock();
    let engine = state.queues.get(args.queue_id, Errno::EINVAL)?.1.clone();
    engine.destroy_queue(args.queue_id)?;
    state.queues.queues.remove(&args.queue_id);
    state.show_queue(args.queue_id, None);
    Ok(())
}

pub(super) fn update(process: &Process, args: &mut kfd_ioctl_update_queue_args) -> Result<(), Errno> {
    let ring_size = check_common(args.queue_percentage, args.queue_priority, args.ring_base_address, args.ring_size)?;
    let mut guard = process.lock();
    let state: &mut State = &mut guard;
    let (queue, engine) = state.queues.get(args.queue_id, Errno::EFAULT)?;
    let (gpu, kind, engine) = (queue.gpu, queue.queue_type, engine.clone());
    // A new ring must be mapped as the first one was.
    let ring = if args.ring_base_address == 0 {
        None
    } else {
        Some(buffer(state, gpu as u32, args.ring_base_address, u64::from(ring_size)).map_err(|_| Errno::EFAULT)?)
    };
    engine.update_queue(
        args.queue_id,
        QueueUpdate {
            ring: ring_of(args.ring_base_address),
            ring_size,
            priority: args.queue_priority,
            percentage: args.queue_percentage & 0xff,
            xcc: xcc_of_pm4(args.queue_percentage),
        },
    )?;
    state.show_queue(args.queue_id, Some(accounts::Queue { gpu: gpu as u32, kind, size: ring_size }));
    if let (Some(ring), Some(queue)) = (ring, state.queues.queues.get_mut(&args.queue_id)) {
        // The third buffer is the ring, see `acquire_buffers`.
        queue.buffers[2] = ring;
    }
    Ok(())
}

pub(super) fn set_cu_mask(process: &Process, args: &mut kfd_ioctl_set_cu_mask_args) -> Result<(), Errno> {
    if args.num_cu_mask == 0 || !args.num_cu_mask.is_multiple_of(32) {
        return Err(Errno::EINVAL.because("num_cu_mask is no multiple of 32 above 0"));
    }
    let words: Vec<u32> = user::read_array(args.cu_mask_ptr, (args.num_cu_mask.min(MAX_CUS) / 32) as usize)?;
    let state = process.lock();
    let (_, engine) = state.queues.get(args.queue_id, Errno::EFAULT)?;
    engine.set_cu_mask(args.queue_id, &words)
}

/// The part of the context save area's header that the driver writes.
type WaveState = kfd_context_save_area_header__bindgen_ty_1;

// SAFETY: integers.
unsafe impl user::Plain for WaveState {}

/// As `get_wave_state` of `kfd_device_queue_manager.c` and `kfd_mqd_manager_v9.c`, for a queue that has no waves: the
/// control stack of each XCC, which grows down, and the area behind it are empty.
pub(super) fn get_wave_state(process: &Process, args: &mut kfd_ioctl_get_queue_wave_state_args) -> Result<(), Errno> {
    let state = process.lock();
    let (queue, engine) = state.queues.get(args.queue_id, Errno::EFAULT)?;
    if queue.sdma.is_some() || engine.has_saved_waves(args.queue_id)? {
        return Err(Errno::EINVAL.because("it is a queue of SDMA, or is active"));
    }
    let profile = process.gpus[queue.gpu].profile;
    let end = profile.context_save().control_stack;
    let empty =
        WaveState { control_stack_offset: end, control_stack_size: 0, wave_state_offset: end, wave_state_size: 0 };
    // The sizes are set before it is written.
    (args.ctl_stack_used_size, args.save_area_used_size) = (0, 0);
    let areas = (0..u64::from(profile.xccs)).map(|xcc| xcc * u64::from(queue.save_bytes));
    areas.into_iter().try_for_each(|area| user::write_value(args.ctl_stack_address.wrapping_add(area), &empty))
}

pub(super) fn alloc_gws(process: &Process, args: &mut kfd_ioctl_alloc_queue_gws_args) -> Result<(), Errno> {
    let queues = &mut process.lock().queues.queues;
    let gpu = queues.get(&args.queue_id).ok_or(Errno::EINVAL.because("no queue has this queue_id"))?.gpu;
    args.first_gws = 0;
    // One queue of a process has all resources of a GPU.
    let wants = args.num_gws != 0;
    if wants && queues.values().any(|queue| queue.gpu == gpu && queue.global_wave_sync) {
        return Err(Errno::EBUSY.because("another queue has the resource"));
    }
    let queue = queues.get_mut(&args.queue_id).ok_or(Errno::EINVAL.because("no queue has this queue_id"))?;
    if !wants && !queue.global_wave_sync {
        return Err(Errno::EINVAL.because("the queue does not have the resource"));
    }
    queue.global_wave_sync = wants;
    Ok(())
}
