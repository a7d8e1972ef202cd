//! The GPUs, and the resources that a process holds on them.

use crate::address_set::AddressSet;
use crate::backing::{Backing, PAGE};
use crate::driver::accounts::{Accounts, Queue};
use crate::driver::config::Config;
use crate::driver::events::Events;
use crate::driver::interrupt_handler::InterruptHandler;
use crate::driver::kfd::memory::{self, Object, Offsets};
use crate::driver::kfd::queues::Queues;
use crate::driver::kfd::svm::{self, Ranges};
use crate::errno::Errno;
use crate::hardware::activity::Shown;
use crate::hardware::checks::{findings, poison};
use crate::hardware::engine::Engine;
use crate::hardware::gpu::{DOORBELL_BYTES, Gpu};
use crate::hardware::interrupts::Retry;
use crate::real;
use crate::reentry::{self, Guard};
use gcn::bus::MemoryFault;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// A process's use of one GPU (the driver's "process device data").
#[derive(Debug)]
pub struct PerGpu {
    /// The GPU.
    pub gpu: Arc<Gpu>,
    /// Address of the render file that `AMDKFD_IOC_ACQUIRE_VM` named, once it did.
    pub vm: Option<usize>,
    /// Buffer objects by the low half of their handles.
    pub objects: BTreeMap<u32, Object>,
    /// Bytes of VRAM that they take.
    vram_used: u64,
}

impl PerGpu {
    /// The id by which ioctls name the GPU.
    pub fn gpu_id(&self) -> u32 {
        Config::gpu_id(self.gpu.index)
    }
}

/// State that ioctls change, under one lock as in the driver.
#[derive(Debug)]
pub struct State {
    /// By GPU index.
    pub gpus: Vec<PerGpu>,
    /// Queues of all GPUs.
    pub queues: Queues,
    /// Shared virtual memory.
    pub svm: Ranges,
    /// Offsets at which render files map buffer objects.
    pub offsets: Offsets,
    /// Handle of the events page, which cannot be freed.
    pub event_page: Option<u64>,
    /// `AMDKFD_IOC_RUNTIME_ENABLE` was called.
    pub runtime_enabled: bool,
    /// What all processes have taken of the GPUs' memory, if that can be known.
    accounts: Option<Accounts>,
}

impl State {
    /// The GPU called `gpu_id`.
    ///
    /// # Errors
    /// `EINVAL` if there is none.
    pub fn gpu(&mut self, gpu_id: u32) -> Result<&mut PerGpu, Errno> {
        self.gpus.iter_mut().find(|gpu| gpu.gpu_id() == gpu_id).ok_or(Errno::EINVAL.because("no GPU has this gpu_id"))
    }

    /// The GPU called `gpu_id`, with the process's VM on it.
    ///
    /// # Errors
    /// `EINVAL` if there is none, `ENODEV` if its VM was not acquired.
    pub fn bound(&mut self, gpu_id: u32) -> Result<&mut PerGpu, Errno> {
        let gpu = self.gpu(gpu_id)?;
        if gpu.vm.is_none() { Err(Errno::ENODEV.because("ACQUIRE_VM was not called for this GPU")) } else { Ok(gpu) }
    }

    /// Bytes of VRAM of GPU `gpu_id` that are taken: by all processes of this run, or by this one if the others are not
    /// known.
    pub fn vram_taken(&mut self, gpu_id: u32) -> Result<u64, Errno> {
        let gpu = self
            .gpus
            .iter()
            .find(|gpu| gpu.gpu_id() == gpu_id)
            .ok_or(Errno::EINVAL.because("no GPU has this gpu_id"))?;
        Ok(self.accounts.as_ref().map_or(gpu.vram_used, |accounts| accounts.taken(gpu.gpu.index)))
    }

    /// Reserves VRAM of GPU `gpu_id`, which has `total` bytes.
    ///
    /// # Errors
    /// `EINVAL` for an unknown GPU, `ENOMEM` if not so much is left.
    pub fn take_vram(&mut self, gpu_id: u32, bytes: u64, total: u64) -> Result<(), Errno> {
        let gpu = self
            .gpus
            .iter_mut()
            .find(|gpu| gpu.gpu_id() == gpu_id)
            .ok_or(Errno::EINVAL.because("no GPU has this gpu_id"))?;
        match &self.accounts {
            Some(accounts) => accounts.take(gpu.gpu.index, bytes, total)?,
            None if gpu.vram_used.checked_add(bytes).is_none_or(|used| used > total) => {
                return Err(Errno::ENOMEM.because("so much device memory is not left"));
            }
            None => {}
        }
        gpu.vram_used += bytes;
        Ok(())
    }

    /// Gives VRAM back.
    pub fn give_vram_back(&mut self, gpu_id: u32, bytes: u64) {
        let Some(gpu) = self.gpus.iter_mut().find(|gpu| gpu.gpu_id() == gpu_id) else { return };
        gpu.vram_used -= bytes;
        if let Some(accounts) = &self.accounts {
            accounts.give_back(gpu.gpu.index, bytes);
        }
    }

    /// Shows other processes that there is this queue, or that there is none.
    pub fn show_queue(&self, id: u32, queue: Option<Queue>) {
        if let Some(accounts) = &self.accounts {
            accounts.set_queue(id, queue);
        }
    }

    /// Enables or disables the runtime's notifications of exceptions.
    pub fn enable_runtime(&mut self, enabled: bool) {
        self.runtime_enabled = enabled;
        self.gpus.iter().for_each(|gpu| gpu.gpu.report_exceptions(enabled));
    }

    /// The process's accesses that fault are repeated, or are so no more: then the GPUs may use all of its memory, or
    /// what they are given access to.
    pub fn enable_retries(&mut self, enabled: bool) {
        let all = self.gpus.iter().fold(0, |all, gpu| all | 1 << gpu.gpu.index);
        self.svm.set_on_demand(if enabled { all } else { 0 });
        self.gpus.iter().for_each(|gpu| gpu.gpu.retry_faults(enabled));
    }

    /// The object with this handle.
    pub fn object(&mut self, handle: u64) -> Result<Option<&mut Object>, Errno> {
        Ok(self.gpu((handle >> 32) as u32)?.objects.get_mut(&(handle as u32)))
    }
}

/// The device's side of this process. Lives until the process ends.
#[derive(Debug)]
pub struct Process {
    /// The machine.
    pub config: &'static Config,
    /// The events.
    pub events: Arc<Events>,
    /// The GPUs, by index.
    pub gpus: Vec<Arc<Gpu>>,
    /// What runs the queues that the driver made, of each.
    engines: Vec<Arc<Engine>>,
    state: Mutex<State>,
    /// Host memory that is registered as shared virtual memory, and the program's mappings of doorbells: what becomes
    /// of them matters.
    pub(super) shared: Box<AddressSet>,
    /// Host memory of user pointers, with which GPUs may do what the program may.
    pub(super) user_memory: Box<AddressSet>,
}

static PROCESS: AtomicPtr<Process> = AtomicPtr::new(std::ptr::null_mut());

impl Process {
    fn new(config: &'static Config) -> Result<Process, Errno> {
        let events = Arc::new(Events::default());
        let accounts = config.run.as_ref().and_then(|run| Accounts::join(run).ok());
        let gpus = (0..config.gpus())
            .map(|index| {
                let handler = InterruptHandler::new(Config::gpu_id(index), events.clone());
                let activity = accounts.as_ref().and_then(|accounts| accounts.activity(index));
                let activity = activity.map_or_else(Shown::alone, Ok)?;
                let gpu = Arc::new(Gpu::new(index, config.profile(index), Arc::new(handler), Arc::new(activity))?);
                Ok(PerGpu { gpu, vm: None, objects: BTreeMap::new(), vram_used: 0 })
            })
            .collect::<Result<Vec<PerGpu>, Errno>>()?;
        let state = State {
            queues: Queues::new(gpus.iter().map(|gpu| gpu.gpu.clone()), config.engine)?,
            gpus,
            svm: Ranges::default(),
            offsets: Offsets::default(),
            event_page: None,
            runtime_enabled: false,
            accounts,
        };
        let all = state.gpus.iter().map(|gpu| gpu.gpu.clone()).collect();
        let engines = state.queues.engines().to_vec();
        let (shared, user_memory) = (AddressSet::boxed(), AddressSet::boxed());
        Ok(Process { config, events, gpus: all, engines, state: Mutex::new(state), shared, user_memory })
    }

    /// This process's side of the device, made at the first use (and again in a forked child).
    ///
    /// # Errors
    /// `ENODEV` without a device, otherwise what the host says.
    pub fn current() -> Result<&'static Process, Errno> {
        let known = PROCESS.load(Ordering::Acquire);
        if !known.is_null() {
            // SAFETY: never freed.
            return Ok(unsafe { &*known });
        }
        let made = Box::into_raw(Box::new(Process::new(Config::get().ok_or(Errno::ENODEV)?)?));
        match PROCESS.compare_exchange(std::ptr::null_mut(), made, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: never freed.
            Ok(_) => Ok(unsafe { &*made }),
            Err(other) => {
                // SAFETY: `made` is from `into_raw` above and nobody else saw it.
                drop(unsafe { Box::from_raw(made) });
                // SAFETY: never freed.
                Ok(unsafe { &*other })
            }
        }
    }

    /// The program is about to wait, possibly for work that it has just submitted.
    pub fn hint(&self) {
        match &self.engines[..] {
            [alone] => alone.hint(),
            // A kernel may have rung another GPU's doorbell, which is not noticed as the program's are.
            all => all.iter().for_each(|engine| engine.look()),
        }
    }

    /// Locks what the ioctls change.
    pub fn lock(&self) -> Guard<'_, State> {
        Guard::lock(&self.state)
    }

    /// Locks what the ioctls change, if none of them is under way.
    pub fn try_lock(&self) -> Option<Guard<'_, State>> {
        Guard::try_lock(&self.state)
    }
}

/// Forgets the parent's side of the device, in a forked child.
pub fn forget_in_child() {
    PROCESS.store(std::ptr::null_mut(), Ordering::Release);
}

/// Reads the accounts of this run's processes. `None` if none uses the device, or if the others are not known. Reading
/// does not count as use of the device.
pub fn with_accounts<T>(look: impl FnOnce(&Accounts) -> T) -> Option<T> {
    // SAFETY: never freed.
    if let Some(process) = unsafe { PROCESS.load(Ordering::Acquire).as_ref() } {
        return process.lock().accounts.as_ref().map(look);
    }
    Accounts::look_at(Config::get()?.run.as_ref()?).as_ref().map(look)
}

/// Bytes of GPU `index`'s memory that are taken, by all processes of this run. Asking makes no use of the device.
pub fn vram_taken(index: u32) -> u64 {
    // SAFETY: never freed.
    if let Some(process) = unsafe { PROCESS.load(Ordering::Acquire).as_ref() } {
        return process.lock().vram_taken(Config::gpu_id(index)).unwrap_or(0);
    }
    with_accounts(|accounts| accounts.taken(index)).unwrap_or(0)
}

/// Kernels of this process that were enqueued and have not completed, and whether anything has not.
pub fn unfinished() -> (u64, bool) {
    // SAFETY: never freed.
    let Some(process) = (unsafe { PROCESS.load(Ordering::Acquire).as_ref() }) else { return (0, false) };
    process.hint();
    let all = process.engines.iter().map(|engine| engine.unfinished());
    all.fold((0, false), |(count, any), (more, some)| (count + more, any || some))
}

/// Poisons the `size` bytes at `start`, if they are VRAM. Whether that was done.
pub fn poison(start: u64, size: u64) -> bool {
    // SAFETY: never freed.
    let Some(process) = (unsafe { PROCESS.load(Ordering::Acquire).as_ref() }) else { return false };
    let has_it = |gpu: &&PerGpu| gpu.objects.values().any(|object| object.is_vram() && object.has(start));
    let gpu = process.lock().gpus.iter().find(has_it).map(|gpu| gpu.gpu.clone());
    gpu.is_some_and(|gpu| poison::fill(&gpu.space, start, size))
}

/// GPUs that this process has opened a queue on, a bit each.
static HAD_QUEUES: AtomicU32 = AtomicU32::new(0);

/// Whether this process uses the device.
pub fn is_open() -> bool {
    !PROCESS.load(Ordering::Acquire).is_null()
}

/// This process has opened a queue on GPU `index`.
pub fn opened_queue(index: u32) {
    HAD_QUEUES.fetch_or(1 << index, Ordering::Relaxed);
    findings::came_to(findings::QUEUE_OPENED);
}

/// Whether this process has opened a queue on GPU `index`.
pub fn had_queue(index: u32) -> bool {
    HAD_QUEUES.load(Ordering::Relaxed) & 1 << index != 0
}

/// Whether the driver has allocated memory of a GPU at this device address.
pub fn is_vram(address: u64) -> bool {
    // SAFETY: never freed.
    let Some(process) = (unsafe { PROCESS.load(Ordering::Acquire).as_ref() }) else { return false };
    let state = process.lock();
    state.gpus.iter().any(|gpu| gpu.objects.values().any(|object| object.is_vram() && object.has(address)))
}

/// The GPUs have the `size` bytes at `start` no longer, which the program has freed and [which were
/// kept](crate::hardware::checks::frees) for them.
pub fn forget_kept(start: u64, size: u64) {
    // SAFETY: never freed.
    if let Some(process) = unsafe { PROCESS.load(Ordering::Acquire).as_ref() } {
        process.gpus.iter().for_each(|gpu| _ = gpu.space.unmap(start, size));
    }
}

/// The kind of memory at a device address.
pub enum MemoryAt {
    /// Memory of a GPU.
    Vram,
    /// The host's, allocated by the driver, which the program has mapped at the same address.
    Pinned,
}

/// The kind of memory of the whole range. Host memory is populated by this call, and not only at the first access.
pub fn memory_at(start: u64, size: u64) -> Option<MemoryAt> {
    // SAFETY: never freed.
    let process = unsafe { PROCESS.load(Ordering::Acquire).as_ref() }?;
    let last = start.checked_add(size.checked_sub(1)?)?;
    let (memory, at) = {
        let state = process.lock();
        let mut objects = state.gpus.iter().flat_map(|gpu| gpu.objects.values());
        let object = objects.find(|object| object.has(start) && object.has(last))?;
        if object.is_vram() {
            return Some(MemoryAt::Vram);
        }
        let (memory, at) = object.pinned(start)?;
        (memory.clone(), at)
    };
    memory.populate(at, size).then_some(MemoryAt::Pinned)
}

/// Whether GPUs may use memory of the program's own, which it has registered.
pub fn has_registered_memory() -> bool {
    // SAFETY: never freed.
    let Some(process) = (unsafe { PROCESS.load(Ordering::Acquire).as_ref() }) else { return false };
    let state = process.lock();
    let mut objects = state.gpus.iter().flat_map(|gpu| gpu.objects.values());
    objects.any(|object| object.is_registered()) || state.svm.has_the_programs()
}

/// Ensures that this process has a device to open by `/dev/kfd`, by which other processes know it.
///
/// # Errors
/// As of [`Process::current`].
pub fn open_kfd() -> Result<(), Errno> {
    let state = Process::current()?.lock();
    if let Some(accounts) = &state.accounts {
        accounts.opened();
    }
    findings::came_to(findings::DEVICE_OPENED);
    Ok(())
}

/// Ensures that this process has a device to open.
///
/// # Errors
/// As of [`Process::current`].
pub fn prepare() -> Result<(), Errno> {
    Process::current().map(|_| ())
}

/// GPU `index` repeats an access that its page table refused.
pub fn retry_fault(index: u32, fault: MemoryFault) -> Retry {
    // SAFETY: never freed.
    let process = unsafe { PROCESS.load(Ordering::Acquire).as_ref() };
    process.map_or(Retry::Refused, |process| svm::retry_fault(process, index, fault))
}

/// Programs have the lower half of the addresses.
const HOST_END: u64 = 1 << 47;

/// The program makes `change`, by which it unmaps host memory (or maps something over it), at up to two places, starts
/// and sizes: what the GPUs see of it through shared virtual memory goes first, and comes back if the change fails.
///
/// # Errors
/// Those of `change`.
pub fn host_replaced<T, E>(gone: [(u64, u64); 2], change: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    let gone = gone.map(|(start, size)| shared(start, size).map(|(process, size)| (process, start, size)));
    let gone = || gone.into_iter().flatten();
    let Some((process, ..)) = gone().next() else { return change() };
    for (_, start, size) in gone() {
        if process.gpus.iter().filter(|gpu| gpu.watched_doorbells.unmapped(start, size)).count() > 0 {
            process.lock().queues.look();
        }
    }
    let state = &mut *process.lock();
    gone().for_each(|(_, start, size)| state.svm.host_protecting(start, size, false, &state.gpus));
    let result = change();
    for (_, start, size) in gone() {
        if result.is_err() {
            state.svm.host_protected(start, size, &state.gpus);
        } else {
            state.svm.host_unmapped(start, size, &state.gpus);
            process.shared.remove(start, size);
        }
    }
    result
}

/// The program has moved a mapping; the old contents of the target are gone.
pub fn host_moved((from, old): (u64, u64), (to, new): (u64, u64)) {
    let doorbells = shared(from, old).map_or(Vec::new(), |(process, size)| {
        process.gpus.iter().filter(|gpu| gpu.watched_doorbells.unmapped(from, size)).collect()
    });
    let _ = host_replaced([(from, old), (to, new)], || Ok::<(), ()>(()));
    let Some((process, size)) = changed(to, new).filter(|_| !doorbells.is_empty()) else { return };
    process.shared.add(to, size);
    doorbells.iter().for_each(|gpu| gpu.watched_doorbells.mapped(to, size));
    process.lock().queues.look();
}

/// As [`changed`], if GPUs share some of the memory.
fn shared(start: u64, size: u64) -> Option<(&'static Process, u64)> {
    changed(start, size).filter(|(process, size)| process.shared.overlaps(start, *size))
}

/// The device that a change of the program's `size` bytes at `start` may concern, and how many bytes the kernel takes
/// them for.
fn changed(start: u64, size: u64) -> Option<(&'static Process, u64)> {
    // The allocator changes memory of its own, while this thread may hold the locks taken then.
    if reentry::is_inside() {
        return None;
    }
    // SAFETY: never freed.
    let process = unsafe { PROCESS.load(Ordering::Acquire).as_ref() }?;
    // What the kernel refuses changes nothing.
    let size = size.checked_next_multiple_of(PAGE).filter(|size| *size != 0 && start.is_multiple_of(PAGE))?;
    let end = start.checked_add(size)?;
    (end <= HOST_END).then_some((process, size))
}

/// The program makes `change`, by which it may do with `size` bytes at `start` what `protection` says: what GPUs may do
/// with host memory changes too, what they lose before it and what they get after it.
pub fn host_protected<T>(start: u64, size: u64, protection: i32, change: impl FnOnce() -> T) -> T {
    let used = |process: &Process, size| {
        [&process.shared, &process.user_memory].iter().any(|memory| memory.overlaps(start, size))
    };
    let Some((process, size)) = changed(start, size).filter(|(process, size)| used(process, *size)) else {
        return change();
    };
    let state = &mut *process.lock();
    let (readable, writable) = (protection & libc::PROT_READ != 0, protection & libc::PROT_WRITE != 0);
    if !readable || !writable {
        state.svm.host_protecting(start, size, readable, &state.gpus);
        memory::host_protecting(state, start, size);
    }
    let result = change();
    state.svm.host_protected(start, size, &state.gpus);
    memory::host_protected(state, start, size);
    result
}

/// The program has mapped `size` bytes at `start` from this offset of `/dev/kfd`.
pub fn kfd_mapped(offset: u64, start: u64, size: u64) {
    let at = std::ptr::with_exposed_provenance_mut(start as usize);
    // SAFETY: the new mapping, which a forked child does not get (the driver's `VM_DONTCOPY`): it must not ring its
    // parent's doorbells.
    unsafe { real::madvise(at, size as usize, libc::MADV_DONTFORK) };
    if offset >> KFD_MMAP_TYPE != KfdMapping::Doorbell as u64 {
        return;
    }
    let Ok(process) = Process::current() else { return };
    if let Some(gpu) = process.gpus.iter().find(|gpu| Config::gpu_id(gpu.index) == mapped_gpu(offset)) {
        // Its room is that of all mappings that Linux allows.
        process.shared.add(start, size);
        gpu.watched_doorbells.mapped(start, size);
        process.lock().queues.look();
    }
}

fn mapped_gpu(offset: u64) -> u32 {
    (offset >> KFD_MMAP_GPU) as u32 & 0xffff
}

/// Bits of an mmap offset of `/dev/kfd` that say what is mapped.
const KFD_MMAP_TYPE: u32 = 62;
/// Position of the GPU's id in such an offset.
const KFD_MMAP_GPU: u32 = 46;

/// The object that an offset of `/dev/kfd` maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KfdMapping {
    /// The doorbell page.
    Doorbell = 3,
    /// The events page that the driver made.
    Events = 2,
    /// The register page.
    Mmio = 0,
}

impl KfdMapping {
    /// The offset for GPU `gpu_id`.
    pub fn offset(self, gpu_id: u32) -> u64 {
        (self as u64) << KFD_MMAP_TYPE | u64::from(gpu_id) << KFD_MMAP_GPU
    }
}

/// The memory of which `/dev/kfd` maps `length` bytes at `offset`.
///
/// # Errors
/// As `mmap` of the driver: `EINVAL` if this process has not opened the device, `ENODEV` for an unknown GPU, `EINVAL`
/// for a wrong size and for what is not the start of a page. `EINVAL` too for the memory of the kernel's trap handler,
/// which the driver maps itself, and for APUs only.
pub fn kfd_mapping(offset: u64, length: u64) -> Result<Arc<Backing>, Errno> {
    if length == 0 || !offset.is_multiple_of(PAGE) {
        return Err(Errno::EINVAL);
    }
    let length = length.checked_next_multiple_of(PAGE).ok_or(Errno::ENOMEM)?;
    // SAFETY: never freed.
    let process = unsafe { PROCESS.load(Ordering::Acquire).as_ref() }.ok_or(Errno::EINVAL)?;
    let gpu = process.gpus.iter().find(|gpu| Config::gpu_id(gpu.index) == mapped_gpu(offset)).ok_or(Errno::ENODEV);
    let (memory, size) = match offset >> KFD_MMAP_TYPE {
        kind if kind == KfdMapping::Events as u64 => return process.events.map_page(length),
        kind if kind == KfdMapping::Doorbell as u64 => (gpu?.doorbell_memory().clone(), DOORBELL_BYTES),
        kind if kind == KfdMapping::Mmio as u64 => (gpu?.mmio_memory().clone(), PAGE),
        _ => return gpu.and(Err(Errno::EINVAL)),
    };
    if length == size { Ok(memory) } else { Err(Errno::EINVAL) }
}
