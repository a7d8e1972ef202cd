//! A client of the engines without ioctls: memory mapped at its host address, queues in it, packets, signals.

use crate::hardware::activity::Shown;
use crate::hardware::address_space::{AddressSpace, Caching, Permissions, Target};
use crate::hardware::doorbells::Protection;
use crate::hardware::engine::{Engine, Options, packet};
use crate::hardware::gpu::{DOORBELL_BYTES, Gpu};
use crate::hardware::interrupts::{FaultReason, Interrupts, Retry, Sender};
use crate::hardware::profile::{MI100, Profile};
use crate::hardware::queue::{QueueArgs, QueueKind};
use crate::hardware::schedule::Schedule;
use gcn::bus::MemoryFault;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Machine code of `kernels.s`.
pub const KERNELS: &[u8] = include_bytes!("kernels.bin");
/// Offsets of the kernels in it.
pub const STORE: u64 = 0x000;
pub const APPEND: u64 = 0x100;
pub const MEET: u64 = 0x200;
pub const SCRATCH: u64 = 0x300;
pub const ILLEGAL: u64 = 0x400;
pub const TRAP: u64 = 0x500;
pub const HAND_OVER: u64 = 0x600;
pub const COUNT: u64 = 0x700;
pub const HANDLER: u64 = 0x800;
pub const LOOK_TWICE: u64 = 0x900;
pub const SPIN: u64 = 0xa00;
pub const PLACE: u64 = 0xb00;

const ARENA: usize = 33 << 20;
/// The last part of it, which the GPU may keep in caches.
const CACHED: usize = 1 << 20;
/// Nothing takes that long here.
const PATIENCE: Duration = Duration::from_secs(30);

/// The interrupts that a GPU raised, which in a program are the driver's to handle.
#[derive(Debug, Default)]
pub struct Raised {
    events: Mutex<Vec<u32>>,
    traps: Mutex<Vec<(u32, Sender)>>,
    memory_faults: Mutex<Vec<(u64, FaultReason)>>,
    retried: Mutex<Vec<MemoryFault>>,
    on_demand: OnceLock<OnDemand>,
}

/// Memory that is mapped, page by page at its host address, when it is accessed for the second time: at the first the
/// driver is busy.
#[derive(Debug)]
pub struct OnDemand {
    pub space: Arc<AddressSpace>,
    pub memory: std::ops::Range<u64>,
}

impl Raised {
    pub fn events(&self) -> Vec<u32> {
        self.events.lock().unwrap().clone()
    }

    pub fn traps(&self) -> Vec<(u32, Sender)> {
        self.traps.lock().unwrap().clone()
    }

    /// The accesses that the GPU has asked its driver about.
    pub fn retried(&self) -> Vec<MemoryFault> {
        self.retried.lock().unwrap().clone()
    }

    pub fn memory_fault(&self) -> Option<(u64, FaultReason)> {
        self.memory_faults.lock().unwrap().first().copied()
    }
}

impl Interrupts for Raised {
    fn event(&self, event_id: u32) {
        self.events.lock().unwrap().push(event_id);
    }

    fn trap(&self, message: u32, sender: Sender) {
        self.traps.lock().unwrap().push((message, sender));
    }

    fn retry_fault(&self, fault: MemoryFault) -> Retry {
        let Some(OnDemand { space, .. }) = self.on_demand.get().filter(|all| all.memory.contains(&fault.address))
        else {
            return Retry::Refused;
        };
        let mut retried = self.retried.lock().unwrap();
        let first = !retried.contains(&fault);
        retried.push(fault);
        if first {
            return Retry::Later;
        }
        let permissions = Permissions { write: true, execute: false };
        space.map_own(fault.address & !4095, 4096, permissions, Caching::Uncached).unwrap();
        Retry::Mapped
    }

    fn memory_fault(&self, address: u64, reason: FaultReason) {
        self.memory_faults.lock().unwrap().push((address, reason));
    }

    fn queue_error(&self, _: u64, _: u64) {
        panic!("nobody asked for it");
    }
}

/// A GPU with an engine, and memory that both sides use.
pub struct Client {
    pub gpu: Arc<Gpu>,
    pub raised: Arc<Raised>,
    pub engine: Arc<Engine>,
    arena: u64,
    used: AtomicU64,
    cached: AtomicU64,
    code: u64,
    doorbells: AtomicU32,
    /// The client's own mapping of the doorbell page.
    pub page: u64,
}

impl Client {
    pub fn new(seed: Option<u64>) -> Client {
        Client::with(Options { schedule: seed.map(Schedule::of), ..Options::default() })
    }

    /// A client whose packets wait for their doorbells. `None` where the kernel cannot stop stores.
    pub fn strict() -> Option<Client> {
        let client = Client::with(Options { strict_doorbells: true, ..Options::default() });
        let can = client.gpu.watched_doorbells.protect() != Protection::None;
        can.then_some(client)
    }

    /// A client whose GPU has caches.
    pub fn with_caches(seed: u64) -> Client {
        Client::with(Options { caches: Some(seed), ..Options::default() })
    }

    pub fn with(options: Options) -> Client {
        Client::of(&MI100, KERNELS, options)
    }

    /// A client that does not register its doorbell mapping, so that the engine must poll.
    pub fn unwatched(options: Options) -> Client {
        Client::made(&MI100, KERNELS, options)
    }

    /// A client of a GPU of another model, whose kernels are these.
    pub fn of(profile: &'static Profile, kernels: &[u8], options: Options) -> Client {
        let client = Client::made(profile, kernels, options);
        client.gpu.watched_doorbells.mapped(client.page, DOORBELL_BYTES);
        client
    }

    fn made(profile: &'static Profile, kernels: &[u8], options: Options) -> Client {
        let raised = Arc::new(Raised::default());
        let gpu = Arc::new(Gpu::new(0, profile, raised.clone(), Arc::new(Shown::alone().unwrap())).unwrap());
        let (read_write, private) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping of its own.
        let arena = unsafe { libc::mmap(std::ptr::null_mut(), ARENA, read_write, private, -1, 0) } as u64;
        let split = arena + (ARENA - CACHED) as u64;
        for (start, size, caching) in [(arena, ARENA - CACHED, Caching::Uncached), (split, CACHED, Caching::Cached)] {
            let permissions = Permissions { write: true, execute: true };
            gpu.space.map(start, size as u64, Target::Host(start), permissions, caching).unwrap();
        }
        let engine = Engine::new(gpu.clone(), options).unwrap();
        // SAFETY: a new mapping of the memory file.
        let page = unsafe {
            let (none, fd) = (std::ptr::null_mut(), gpu.doorbell_memory().fd());
            libc::mmap(none, DOORBELL_BYTES as usize, read_write, libc::MAP_SHARED, fd, 0)
        };
        assert_ne!(page, libc::MAP_FAILED);
        let (used, doorbells) = (AtomicU64::new(0), AtomicU32::new(0));
        let cached = AtomicU64::new((ARENA - CACHED) as u64);
        let mut client = Client { gpu, raised, engine, arena, used, cached, code: 0, doorbells, page: page as u64 };
        client.code = client.allocate(8192);
        for (index, chunk) in kernels.chunks(4).enumerate() {
            client
                .word(client.code + 4 * index as u64)
                .store(u32::from_le_bytes(chunk.try_into().unwrap()), Ordering::Relaxed);
        }
        client
    }

    /// Begins to repeat accesses to unmapped memory, of which the driver has `memory`.
    pub fn retry_faults(&self, memory: std::ops::Range<u64>) {
        self.raised.on_demand.set(OnDemand { space: self.gpu.space.clone(), memory }).expect("once");
        self.gpu.retry_faults(true);
    }

    /// Zeroed memory, 256-byte aligned, that the GPU has mapped at its host address.
    pub fn allocate(&self, bytes: u64) -> u64 {
        let at = self.used.fetch_add(bytes.next_multiple_of(256), Ordering::Relaxed);
        assert!(at + bytes <= (ARENA - CACHED) as u64, "the test uses too much memory");
        self.arena + at
    }

    /// The same of memory that the GPU may keep in caches.
    pub fn allocate_cached(&self, bytes: u64) -> u64 {
        let at = self.cached.fetch_add(bytes.next_multiple_of(256), Ordering::Relaxed);
        assert!(at + bytes <= ARENA as u64, "the test uses too much memory");
        self.arena + at
    }

    /// 32 bits of the arena.
    pub fn word(&self, address: u64) -> &AtomicU32 {
        assert!((self.arena..self.arena + ARENA as u64 - 4).contains(&address) && address.is_multiple_of(4));
        // SAFETY: in the arena, which is never unmapped.
        unsafe { AtomicU32::from_ptr(address as *mut u32) }
    }

    /// 64 bits of the arena.
    pub fn quad(&self, address: u64) -> &AtomicU64 {
        assert!((self.arena..self.arena + ARENA as u64 - 8).contains(&address) && address.is_multiple_of(8));
        // SAFETY: in the arena, which is never unmapped.
        unsafe { AtomicU64::from_ptr(address as *mut u64) }
    }

    pub fn words(&self, address: u64, count: u64) -> Vec<u32> {
        (0..count).map(|i| self.word(address + 4 * i).load(Ordering::Acquire)).collect()
    }

    /// An `amd_signal_t` without mailbox.
    pub fn signal(&self, value: u64) -> u64 {
        let signal = self.allocate(64);
        self.quad(signal).store(1, Ordering::Relaxed);
        self.quad(signal + 8).store(value, Ordering::Relaxed);
        signal
    }

    /// Waits until the value of `signal` is `value`.
    pub fn wait(&self, signal: u64, value: u64) {
        self.wait_for(&format!("signal to be {value}"), || self.value(signal) == value);
    }

    pub fn value(&self, signal: u64) -> u64 {
        self.quad(signal + 8).load(Ordering::Acquire)
    }

    pub fn wait_for(&self, what: &str, mut done: impl FnMut() -> bool) {
        let start = Instant::now();
        while !done() {
            assert!(start.elapsed() < PATIENCE, "no {what}");
            std::thread::yield_now();
        }
    }

    /// Waits for the first memory fault: its address and reason.
    pub fn memory_fault(&self) -> (u64, FaultReason) {
        self.wait_for("memory fault", || self.raised.memory_fault().is_some());
        self.raised.memory_fault().unwrap()
    }

    fn slot(&self) -> u32 {
        self.doorbells.fetch_add(1, Ordering::Relaxed)
    }

    pub fn ring_doorbell(&self, slot: u32, value: u64) {
        // SAFETY: a slot that `slot` gave out.
        unsafe { AtomicU64::from_ptr((self.page as *mut u64).add(slot as usize)) }.store(value, Ordering::Release);
    }

    fn args(&self, kind: QueueKind, ring_size: u32) -> QueueArgs {
        let slot = self.slot();
        let queue = self.allocate(256);
        QueueArgs {
            id: slot,
            kind,
            ring: self.allocate(u64::from(ring_size)),
            ring_size,
            read_pointer: queue + 0x80,
            write_pointer: queue + 0x38,
            doorbell: slot,
            priority: 7,
            percentage: 100,
            context_save: 0,
        }
    }

    /// Arguments for an AQL queue of `packets` slots.
    pub fn queue_args(&self, packets: u32) -> QueueArgs {
        self.args(QueueKind::Aql, packets * 64)
    }

    /// An AQL queue with an error signal, of `packets` slots.
    pub fn queue(&self, packets: u32) -> Queue<'_> {
        self.queue_with(self.queue_args(packets))
    }

    /// The same of these arguments.
    pub fn queue_with(&self, args: QueueArgs) -> Queue<'_> {
        let packets = args.ring_size / 64;
        (0..u64::from(packets)).for_each(|i| self.word(args.ring + 64 * i).store(1, Ordering::Relaxed));
        let error = self.signal(0);
        self.quad(args.read_pointer - 0x80 + 0xc0).store(error, Ordering::Relaxed);
        self.engine.create_queue(args.clone()).unwrap();
        Queue { client: self, args, error }
    }

    /// An SDMA queue.
    pub fn sdma(&self) -> Sdma<'_> {
        let args = self.args(QueueKind::Sdma { engine: 0 }, 4096);
        self.engine.create_queue(args.clone()).unwrap();
        Sdma { client: self, args, written: 0 }
    }

    /// A PM4 queue with a ring of `dwords`.
    pub fn pm4(&self, dwords: u32) -> Pm4<'_> {
        self.pm4_on(0, dwords)
    }

    /// The same on an XCC.
    pub fn pm4_on(&self, xcc: u32, dwords: u32) -> Pm4<'_> {
        let args = self.args(QueueKind::Pm4 { xcc }, dwords * 4);
        self.engine.create_queue(args.clone()).unwrap();
        Pm4 { client: self, args, written: 0 }
    }

    /// Device address of the kernel at `offset`.
    pub fn code(&self, offset: u64) -> u64 {
        self.code + offset
    }

    /// A kernel descriptor for the code at `offset`, with the kernel argument pointer as only user SGPRs and x of the
    /// work-group id.
    pub fn kernel(&self, offset: u64) -> u64 {
        self.descriptor(offset, 2 << 1 | 1 << 7, 1 << 3)
    }

    pub fn descriptor(&self, offset: u64, rsrc2: u32, properties: u32) -> u64 {
        let descriptor = self.allocate(64);
        self.quad(descriptor + 16).store((self.code + offset).wrapping_sub(descriptor), Ordering::Relaxed);
        // 8 VGPRs, denormals on, IEEE mode.
        self.word(descriptor + 48).store(1 | 0xf0 << 12 | 1 << 23, Ordering::Relaxed);
        self.word(descriptor + 52).store(rsrc2, Ordering::Relaxed);
        self.word(descriptor + 56).store(properties, Ordering::Relaxed);
        descriptor
    }

    pub fn arguments(&self, values: &[u64]) -> u64 {
        let kernarg = self.allocate(8 * values.len() as u64);
        values.iter().enumerate().for_each(|(i, v)| self.quad(kernarg + 8 * i as u64).store(*v, Ordering::Relaxed));
        kernarg
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.engine.shutdown();
        self.gpu.space.unmap(self.arena, ARENA as u64);
        // SAFETY: mapped in `new`; the engine that used it has stopped.
        unsafe {
            libc::munmap(self.arena as *mut libc::c_void, ARENA);
            libc::munmap(self.page as *mut libc::c_void, DOORBELL_BYTES as usize);
        }
    }
}

pub struct Queue<'a> {
    pub client: &'a Client,
    pub args: QueueArgs,
    /// `queue_inactive_signal`.
    pub error: u64,
}

/// A dispatch packet's fields that tests vary.
#[derive(Clone, Copy)]
pub struct Dispatch {
    pub kernel: u64,
    pub kernarg: u64,
    pub groups: u32,
    pub items: u16,
    pub private: u32,
    pub lds: u32,
    pub barrier: bool,
    /// Scopes of its fences: 0 none, 1 agent, 2 system.
    pub acquire: u64,
    pub release: u64,
    pub completion: u64,
}

impl Dispatch {
    pub fn new(kernel: u64, kernarg: u64) -> Dispatch {
        let (private, lds, barrier, completion) = (0, 0, false, 0);
        Dispatch { kernel, kernarg, groups: 1, items: 64, private, lds, barrier, acquire: 2, release: 2, completion }
    }

    pub fn packet(&self) -> [u64; 8] {
        let items = u64::from(self.items);
        [
            2 | u64::from(self.barrier) << 8 | self.acquire << 9 | self.release << 11 | 1 << 16 | items << 32 | 1 << 48,
            1 | (u64::from(self.groups) * items) << 32,
            1 | 1 << 32,
            u64::from(self.private) | u64::from(self.lds) << 32,
            self.kernel,
            self.kernarg,
            0,
            self.completion,
        ]
    }
}

/// A barrier packet of type 3 (AND) or 5 (OR).
pub fn barrier(kind: u64, wait: bool, signals: &[u64], completion: u64) -> [u64; 8] {
    let mut packet = [0; 8];
    packet[0] = kind | u64::from(wait) << 8;
    packet[1..1 + signals.len()].copy_from_slice(signals);
    packet[7] = completion;
    packet
}

impl Queue<'_> {
    /// Writes a packet, as any number of threads may.
    pub fn write(&self, packet: [u64; 8]) -> u64 {
        let client = self.client;
        let slots = u64::from(self.args.ring_size) / packet::PACKET_BYTES;
        let index = client.quad(self.args.write_pointer).fetch_add(1, Ordering::Relaxed);
        client.wait_for("free slot", || index - client.quad(self.args.read_pointer).load(Ordering::Acquire) < slots);
        let at = self.args.ring + index % slots * packet::PACKET_BYTES;
        for (i, quad) in packet.iter().enumerate().skip(1) {
            client.quad(at + 8 * i as u64).store(*quad, Ordering::Relaxed);
        }
        client.word(at + 4).store((packet[0] >> 32) as u32, Ordering::Relaxed);
        client.word(at).store(packet[0] as u32, Ordering::Release);
        index
    }

    /// Writes a packet and rings the doorbell.
    pub fn submit(&self, packet: [u64; 8]) -> u64 {
        let index = self.write(packet);
        self.client.ring_doorbell(self.args.doorbell, index);
        index
    }

    /// Runs a dispatch and waits for its end.
    pub fn run(&self, dispatch: Dispatch) {
        let completion = self.client.signal(1);
        self.submit(Dispatch { completion, ..dispatch }.packet());
        self.client.wait(completion, 0);
    }

    /// Waits until the queue reports an error, and returns it.
    pub fn reported(&self) -> u64 {
        self.client.wait_for("queue error", || self.client.value(self.error) != 0);
        self.client.value(self.error)
    }
}

pub struct Sdma<'a> {
    client: &'a Client,
    pub args: QueueArgs,
    written: u64,
}

impl Sdma<'_> {
    /// Writes a packet, at the beginning of the ring if its end is too short, and rings the doorbell.
    pub fn submit(&mut self, packet: &[u32]) {
        let ring_size = u64::from(self.args.ring_size);
        let left = (ring_size - self.written % ring_size) / 4;
        if packet.len() as u64 > left {
            self.write(&vec![0; left as usize]);
        }
        self.submit_anywhere(packet);
    }

    /// Writes dwords after the last ones, and rings the doorbell.
    pub fn submit_anywhere(&mut self, dwords: &[u32]) {
        self.write(dwords);
        self.client.quad(self.args.write_pointer).store(self.written, Ordering::Release);
        self.client.ring_doorbell(self.args.doorbell, self.written);
    }

    fn write(&mut self, dwords: &[u32]) {
        for dword in dwords {
            let at = self.args.ring + self.written % u64::from(self.args.ring_size);
            self.client.word(at).store(*dword, Ordering::Relaxed);
            self.written += 4;
        }
    }

    pub fn consumed(&self) -> u64 {
        self.client.quad(self.args.read_pointer).load(Ordering::Acquire)
    }

    /// Waits until all submitted work has completed.
    pub fn wait(&self) {
        self.client.wait_for("end of SDMA packets", || self.consumed() == self.written);
    }
}

pub struct Pm4<'a> {
    pub client: &'a Client,
    pub args: QueueArgs,
    written: u64,
}

impl Pm4<'_> {
    fn size(&self) -> u64 {
        u64::from(self.args.ring_size) / 4
    }

    /// Writes dwords and rings the doorbell.
    pub fn submit(&mut self, dwords: &[u32]) {
        for dword in dwords {
            self.client.word(self.args.ring + self.written % self.size() * 4).store(*dword, Ordering::Relaxed);
            self.written += 1;
        }
        self.client.quad(self.args.write_pointer).store(self.written, Ordering::Release);
        self.client.ring_doorbell(self.args.doorbell, self.written);
    }

    /// Waits until everything submitted is processed.
    pub fn wait(&self) {
        let end = self.written % self.size();
        let read = || self.client.word(self.args.read_pointer).load(Ordering::Acquire);
        self.client.wait_for("end of the ring", || u64::from(read()) == end);
    }
}
