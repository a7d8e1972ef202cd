//! The rings of an open render node: queues that the driver creates and fills for it, and the fences of submitted jobs.
//!
//! On a GPU all programs share the kernel's rings, and each job runs in its program's address space. Here each open
//! file has rings of its own, which all its contexts share, on processors that use the file's address space. Rings are
//! where no program can map anything.

use crate::backing::Backing;
use crate::driver::config::Config;
use crate::driver::device::Process;
use crate::driver::kfd::queues::MAX_QUEUES;
use crate::errno::Errno;
use crate::hardware::address_space::{AddressSpace, Caching, Permissions, Target};
use crate::hardware::engine::Engine;
use crate::hardware::gpu::Gpu;
use crate::hardware::interrupts::{FaultReason, Interrupts, Sender};
use crate::hardware::queue::{QueueArgs, QueueKind};
use crate::locks::{lock, wait_timeout};
use crate::log::{self, Topic};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Bytes of a ring; behind it are its pointers and its fence.
const RING: u64 = 32 << 10;
const READ_POINTER: u64 = RING;
const WRITE_POINTER: u64 = RING + 8;
const FENCE: u64 = RING + 64;
const MEMORY: u64 = RING + 4096;
/// Where rings are mapped: behind all that programs can map.
const RINGS: u64 = 1 << 47;
/// The interrupts of rings, which all mean the same.
const INTERRUPT: u32 = 1;

/// The purpose of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// PM4 packets of compute.
    Compute,
    /// Packets of an SDMA engine.
    Dma,
}

impl Kind {
    /// How many rings of this kind a context has (`amdgpu_ctx_num_entities`).
    pub fn rings(self) -> u32 {
        match self {
            Kind::Compute => 4,
            Kind::Dma => 2,
        }
    }
}

/// A ring, by its kind and number.
pub type Name = (Kind, u32);

/// An indirect buffer: its device address and how many dwords it has.
pub type Indirect = (u64, u32);

/// 64 bits that are written when a job has completed.
#[derive(Clone, Debug)]
pub struct UserFence {
    /// The buffer object.
    pub memory: Arc<Backing>,
    /// Where in it: 8 bytes that it has.
    pub offset: u64,
    /// The value to write.
    pub value: u64,
}

impl UserFence {
    fn write(&self) {
        // SAFETY: in the mapping of the buffer object, as promised. It need not be aligned; the program may look at it
        // at any time.
        unsafe { self.memory.host().add(self.offset as usize).cast::<u64>().write_unaligned(self.value) };
    }
}

/// What the interrupts of a file's processors change.
#[derive(Debug, Default)]
struct Signals {
    /// User fences of jobs that are not over.
    user_fences: Mutex<Vec<(FencePoint, UserFence)>>,
    changed: Condvar,
    /// A fault stopped the rings for good.
    lost: AtomicBool,
}

impl Signals {
    fn lock(&self) -> MutexGuard<'_, Vec<(FencePoint, UserFence)>> {
        lock(&self.user_fences)
    }

    fn lose(&self, why: std::fmt::Arguments<'_>) {
        log::write(Topic::Unknown, format_args!("render node: its rings stop: {why}"));
        self.lost.store(true, Ordering::Release);
        drop(self.lock());
        self.changed.notify_all();
    }
}

impl Interrupts for Signals {
    fn event(&self, _: u32) {
        self.lock().retain(|(point, fence)| {
            let over = point.reached();
            if over {
                fence.write();
            }
            !over
        });
        self.changed.notify_all();
    }

    fn trap(&self, _: u32, _: Sender) {}

    fn memory_fault(&self, address: u64, reason: FaultReason) {
        self.lose(format_args!("memory fault at {address:#x}, {reason:?}"));
    }

    fn queue_error(&self, _: u64, error: u64) {
        self.lose(format_args!("queue error {error:#x}"));
    }
}

/// A place in a ring: reached when the ring's fence is at or past the number.
#[derive(Clone, Debug)]
struct FencePoint {
    memory: Arc<Backing>,
    number: u32,
}

impl FencePoint {
    fn reached(&self) -> bool {
        // SAFETY: in the mapping, and aligned.
        let fence = unsafe { AtomicU32::from_ptr(self.memory.host().add(FENCE as usize).cast()) };
        fence.load(Ordering::Acquire) >= self.number
    }
}

#[derive(Debug)]
struct Ring {
    memory: Arc<Backing>,
    address: u64,
    doorbell: u32,
    /// Dwords written, ever.
    written: u64,
    /// The last job.
    number: u32,
    /// The jobs that may not be over, and where they begin.
    jobs: VecDeque<(FencePoint, u64)>,
}

/// The rings of one open file.
#[derive(Debug)]
pub struct Rings {
    gpu: Arc<Gpu>,
    engine: Arc<Engine>,
    signals: Arc<Signals>,
    rings: Mutex<BTreeMap<Name, Ring>>,
}

/// The end of a job.
#[derive(Clone, Debug)]
pub struct Fence {
    rings: Arc<Rings>,
    ring: Name,
    point: FencePoint,
}

impl Fence {
    /// Whether the job has completed.
    ///
    /// # Errors
    /// `ENODATA` if it never will be, because a fault stopped the rings: what the driver says of a job whose waves it
    /// had to kill.
    pub fn signaled(&self) -> Result<bool, Errno> {
        match self.point.reached() {
            true => Ok(true),
            false if self.rings.lost() => Err(Errno(libc::ENODATA)),
            false => Ok(false),
        }
    }

    /// Waits for any of `fences`, which are not empty, until `deadline` (`None`: for ever). Returns which, `None` if it
    /// was too late.
    ///
    /// # Errors
    /// As [`Fence::signaled`].
    pub fn wait_any(fences: &[Fence], deadline: Option<Instant>) -> Result<Option<usize>, Errno> {
        // Fences of a file are nearly always of the same rings: the others are looked at from time to time.
        const LOOK: Duration = Duration::from_millis(1);
        let first = &fences[0].rings;
        let alone = fences.iter().all(|fence| Arc::ptr_eq(&fence.rings, first));
        let signals = &first.signals;
        let mut guard = signals.lock();
        loop {
            for (index, fence) in fences.iter().enumerate() {
                if fence.signaled()? {
                    return Ok(Some(index));
                }
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(None);
            }
            let longest = if alone { Duration::from_secs(3600) } else { LOOK };
            let time = left.unwrap_or(longest).min(longest);
            guard = wait_timeout(&signals.changed, guard, time);
        }
    }
}

impl Rings {
    /// Processors for GPU `index` that use `space`, without rings.
    ///
    /// # Errors
    /// What the host says.
    pub fn new(process: &Process, index: u32, space: Arc<AddressSpace>) -> Result<Arc<Rings>, Errno> {
        let signals = Arc::new(Signals::default());
        let of_process = &process.gpus[index as usize];
        let gpu = Gpu::with_space(index, of_process.profile, signals.clone(), of_process.activity.clone(), space)?;
        gpu.report_exceptions(true);
        let gpu = Arc::new(gpu);
        let engine = Engine::new(gpu.clone(), process.config.engine)?;
        Ok(Arc::new(Rings { gpu, engine, signals, rings: Mutex::default() }))
    }

    /// Whether a fault stopped them for good.
    pub fn lost(&self) -> bool {
        self.signals.lost.load(Ordering::Acquire)
    }

    /// Submits a job: `buffers` are executed in order after the jobs in `after` have completed.
    ///
    /// # Errors
    /// `ENODATA` if a fault stopped the rings, otherwise what the host says.
    pub fn submit(
        self: &Arc<Self>,
        name: Name,
        after: &[Fence],
        buffers: &[Indirect],
        user_fence: Option<UserFence>,
    ) -> Result<Fence, Errno> {
        // Other processors' fences are not where these can look.
        let (here, elsewhere): (Vec<&Fence>, Vec<&Fence>) =
            after.iter().partition(|fence| Arc::ptr_eq(&fence.rings, self));
        for fence in elsewhere {
            Fence::wait_any(std::slice::from_ref(fence), None)?;
        }
        loop {
            let mut rings = lock(&self.rings);
            if self.lost() {
                return Err(Errno(libc::ENODATA));
            }
            let mut waits = BTreeMap::new();
            for fence in here.iter().filter(|fence| !fence.point.reached()) {
                let number = waits.entry(fence.ring).or_insert(0);
                *number = fence.point.number.max(*number);
            }
            let waits: Vec<(u64, u32)> =
                waits.iter().filter_map(|(name, number)| Some((rings.get(name)?.address + FENCE, *number))).collect();
            let ring = match rings.entry(name) {
                std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::btree_map::Entry::Vacant(entry) => entry.insert(self.make(name)?),
            };
            let number = ring.number.checked_add(1).ok_or(Errno::ENOSPC)?;
            let mut dwords = packets(name.0, &waits, buffers, ring.address + FENCE, number);
            let left = (RING / 4 - ring.written % (RING / 4)) as usize;
            if name.0 == Kind::Dma && left < dwords.len() {
                // Packets of SDMA are in one piece. Linux fills up to 256 dwords for each job.
                dwords.splice(..0, std::iter::repeat_n(0, left));
            }
            let point = FencePoint { memory: ring.memory.clone(), number };
            while ring.jobs.front().is_some_and(|(point, _)| point.reached()) {
                ring.jobs.pop_front();
            }
            let begin = ring.jobs.front().map_or(ring.written, |(_, begin)| *begin);
            if ring.written - begin + dwords.len() as u64 >= RING / 4 {
                // Until the oldest is over.
                let Some((oldest, _)) = ring.jobs.front().cloned() else { return Err(Errno::ENOMEM) };
                drop(rings);
                let oldest = Fence { rings: self.clone(), ring: name, point: oldest };
                Fence::wait_any(&[oldest], None)?;
                continue;
            }
            if let Some(fence) = user_fence {
                self.signals.lock().push((point.clone(), fence));
            }
            ring.number = number;
            ring.jobs.push_back((point.clone(), ring.written));
            ring.put(&dwords);
            self.ring_doorbell(name.0, ring);
            return Ok(Fence { rings: self.clone(), ring: name, point });
        }
    }

    /// A new ring.
    fn make(&self, (kind, number): Name) -> Result<Ring, Errno> {
        let profile = self.gpu.profile;
        let id = if kind == Kind::Compute { number } else { Kind::Compute.rings() + number };
        let queue_kind = match kind {
            Kind::Compute => QueueKind::Pm4 { xcc: 0 },
            Kind::Dma => QueueKind::Sdma { engine: number % (profile.sdma_engines + profile.sdma_xgmi_engines) },
        };
        let memory = Arc::new(Backing::new(c"vgpu-ring", MEMORY)?);
        let address = RINGS + u64::from(id) * MEMORY;
        let permissions = Permissions { write: true, execute: false };
        let target = Target::Object(memory.clone(), 0);
        self.gpu.space.map(address, MEMORY, target, permissions, Caching::Uncached)?;
        let made = self.engine.create_queue(QueueArgs {
            id: MAX_QUEUES + id,
            kind: queue_kind,
            ring: address,
            ring_size: RING as u32,
            read_pointer: address + READ_POINTER,
            write_pointer: address + WRITE_POINTER,
            doorbell: id,
            priority: 7,
            percentage: 100,
            context_save: 0,
        });
        made.inspect_err(|_| _ = self.gpu.space.unmap(address, MEMORY))?;
        log::write(
            Topic::Ioctl,
            format_args!("render node {}: {kind:?} ring {number}", Config::render_minor(self.gpu.index)),
        );
        Ok(Ring { memory, address, doorbell: id, written: 0, number: 0, jobs: VecDeque::new() })
    }

    fn ring_doorbell(&self, kind: Kind, ring: &Ring) {
        let value = if kind == Kind::Compute { ring.written } else { ring.written * 4 };
        // SAFETY: in the mapping of the ring, and aligned.
        let pointer = unsafe { AtomicU64::from_ptr(ring.memory.host().add(WRITE_POINTER as usize).cast()) };
        pointer.store(value, Ordering::Release);
        // SAFETY: the page has a slot for each doorbell, and lives as long as the GPU.
        let doorbell = unsafe { AtomicU64::from_ptr(self.gpu.doorbells().add(ring.doorbell as usize)) };
        doorbell.store(value, Ordering::Release);
        self.engine.look();
    }
}

impl Drop for Rings {
    fn drop(&mut self) {
        self.engine.shutdown();
        for ring in lock(&self.rings).values() {
            self.gpu.space.unmap(ring.address, MEMORY);
        }
    }
}

impl Ring {
    fn put(&mut self, dwords: &[u32]) {
        for dword in dwords {
            let at = self.written * 4 % RING;
            // SAFETY: in the mapping of the ring, and aligned.
            let place = unsafe { AtomicU32::from_ptr(self.memory.host().add(at as usize).cast()) };
            place.store(*dword, Ordering::Relaxed);
            self.written += 1;
        }
    }
}

/// The packets of job `number` for a ring of this kind, whose fence is at `fence`.
fn packets(kind: Kind, waits: &[(u64, u32)], buffers: &[Indirect], fence: u64, number: u32) -> Vec<u32> {
    let mut dwords = Vec::new();
    let [low, high] = [|address: u64| address as u32, |address: u64| (address >> 32) as u32];
    match kind {
        Kind::Compute => {
            for (at, number) in waits {
                // WAIT_REG_MEM until memory is at least.
                dwords.extend([0xc005_3c02, 5 | 1 << 4, low(*at), high(*at), *number, u32::MAX, 4]);
            }
            // ACQUIRE_MEM: all caches, all addresses.
            dwords.extend([0xc005_5802, 0x28c4_0000, u32::MAX, 0xff_ffff, 0, 0, 10]);
            for (at, count) in buffers.iter().filter(|(_, count)| *count > 0) {
                // INDIRECT_BUFFER, with `VALID`.
                dwords.extend([0xc002_3f02, low(*at), high(*at), count | 1 << 23]);
            }
            // RELEASE_MEM: caches are written back, then 32 bits, then an interrupt.
            dwords.extend([0xc006_4902, 0x2_8514, 1 << 29 | 2 << 24, low(fence), high(fence), number, 0, INTERRUPT]);
        }
        Kind::Dma => {
            for (at, number) in waits {
                // POLL_REGMEM of memory until it is at least.
                dwords.extend([8 | 5 << 28 | 1 << 31, low(*at), high(*at), *number, u32::MAX, 10 | 0xfff << 16]);
            }
            for (at, count) in buffers.iter().filter(|(_, count)| *count > 0) {
                dwords.extend([4, low(*at), high(*at), *count, 0, 0]);
            }
            dwords.extend([5, low(fence), high(fence), number, 6, INTERRUPT]);
        }
    }
    dwords
}
