//! The processors of a GPU's queues: command processor, SDMA engines, and the compute units that run work-groups.
//!
//! # Threads
//! One *lead* thread per GPU reads doorbells and rings, runs SDMA, and runs work-groups itself; *helpers* (one less
//! than the host's CPUs, made at the first dispatch, unless seeds were given) sleep until that has taken as long as it
//! takes to wake one and there are more work-groups to run. So small dispatches never wait for a thread that the host
//! schedules late. All block all signals and go before the program's where they may. None of them needs to be stopped
//! when the program exits; a forked child has none of them and makes an engine of its own.
//!
//! # Doorbells
//! A doorbell is a plain store to a shared page: nothing tells the device. So the lead thread looks. After activity it
//! looks for `idle::SPIN` without a pause (or `idle::HOT`), then sleeps until a doorbell rings, which
//! [`crate::hardware::doorbells`] notices. While a packet waits for a signal or an SDMA engine polls, which are plain
//! stores to any memory, it sleeps between looks, twice as long each time, up to `idle::LONGEST_WAITING`. So too while
//! all work-groups poll, after `work::POLLS` turns of them each time, between which it looks at the queues and gives
//! way to other threads. Where doorbells cannot be noticed it sleeps between looks too, up to `idle::LONGEST`. Calls of
//! the program that usually go with work ([`Engine::hint`]) end a sleep between looks at once.
//!
//! Producers of one queue may overwrite each other's doorbells between two looks. So a queue whose doorbell rang is
//! worked off up to the first empty slot, as if all packets that are there had been rung for. With
//! [`Options::strict_doorbells`] only packets that a doorbell reached are seen, unless one may have been overwritten
//! unseen.

mod access;
mod amd_queue;
mod atomic;
mod compute;
mod idle;
mod in_flight;
mod known;
mod late;
mod launch;
mod occupancy;
mod overlaps;
pub mod packet;
pub mod pm4;
mod queue;
pub mod sdma;
mod signal;
mod strays;
mod support;
mod symbols;
mod thread;
mod trails;
#[cfg(any(test, fuzzing))]
pub mod untrusted;
mod wave_fault;
mod work;

#[cfg(test)]
mod tests;

use crate::errno::Errno;
use crate::faults::{self, DispatchFault};
use crate::hardware::bugs::{self, HardwareBugs};
use crate::hardware::checks::{findings, order};
use crate::hardware::doorbells::{Doorbell, WatchedDoorbell};
use crate::hardware::gpu::{DOORBELL_BYTES, Gpu};
use crate::hardware::interrupts::{FaultReason, Retry, Sender};
use crate::hardware::queue::{QueueArgs, QueueKind, QueueUpdate};
use crate::hardware::random::Random;
use crate::hardware::schedule::Schedule;
use crate::hardware::units::Units;
use crate::locks::lock;
use crate::log::{self, Topic};
use crate::queue_error;
use crate::trace;
use access::Memory;
use compute::ComputeQueue;
use gcn::bus::{Access, MemoryFault};
use gcn::exec::Compile;
use gcn::sanitizer::Wanted;
use idle::{Idle, Wake};
use late::{Carried, Late};
use launch::Prepared;
use packet::Scope;
use pm4::Pm4Queue;
use queue::{Progress, Stop};
use sdma::SdmaQueue;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::thread::JoinHandle;
use std::time::Instant;
pub(super) use thread::spawn;
use wave_fault::Origin;
use work::{Dispatch, Turn, Work};

pub use support::SUPPORT;

/// Base of the LDS aperture in FLAT addresses.
pub const SHARED_APERTURE: u64 = 0x1_0000_0000_0000;
/// Base of the private aperture in FLAT addresses.
pub const PRIVATE_APERTURE: u64 = 0x2_0000_0000_0000;

/// The processors of one GPU, as one process uses them. All methods may be called from any thread.
pub struct Engine {
    gpu: Arc<Gpu>,
    work: Work,
    queues: Mutex<Vec<Queue>>,
    /// A memory fault took all queues off the GPU, those to come too.
    evicted: AtomicBool,
    /// Threads that want `queues`: the lead thread lets them.
    visitors: AtomicU32,
    wake: Wake,
    stopped: AtomicBool,
    dispatches: AtomicU64,
    helpers: OnceLock<Vec<JoinHandle<()>>>,
    lead: Mutex<Option<JoinHandle<()>>>,
    options: Options,
}

/// How an engine does what may be done in several ways.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// One thread does everything, in an order drawn from this seed: the same again if the program gives its work in
    /// the same portions (packets that are all there when their doorbell rings, while no other work runs). What arrives
    /// while the GPU is busy comes at a moment that the host's time decides.
    pub schedule: Option<Schedule>,
    /// A packet is seen when a doorbell at or past it rang, not before. Each doorbell then stops the thread that rings
    /// it until the engine has seen it. Where the kernel cannot stop it, this does nothing.
    pub strict_doorbells: bool,
    /// The seed of the GPU's caches, if it has any. One thread then does everything.
    pub caches: Option<u64>,
    /// The GPU's hardware bugs. Random choices use the schedule's seed.
    pub bugs: HardwareBugs,
    /// The checks on accesses of waves.
    pub check: Option<Wanted>,
    /// When code of waves is compiled for the host.
    pub compile: Compile,
}

struct Queue {
    args: QueueArgs,
    /// Compute units that it may use.
    units: Units,
    state: QueueState,
    doorbell: Doorbell,
    /// Where doorbells arrive late.
    late: Option<Late>,
    /// An error stopped it, for good.
    halted: bool,
}

enum QueueState {
    Compute(ComputeQueue),
    Pm4(Pm4Queue),
    Sdma(SdmaQueue),
}

impl QueueState {
    /// The dispatches that run.
    fn running(&self) -> Vec<Arc<Dispatch>> {
        match self {
            QueueState::Compute(queue) => queue.running().cloned().collect(),
            QueueState::Pm4(queue) => queue.running().cloned().collect(),
            QueueState::Sdma(_) => Vec::new(),
        }
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("gpu", &self.gpu.index).field("options", &self.options).finish_non_exhaustive()
    }
}

impl Engine {
    /// The processors of `gpu`, with no queues.
    ///
    /// # Errors
    /// What the host says when there are too many open files.
    pub fn new(gpu: Arc<Gpu>, options: Options) -> Result<Arc<Engine>, Errno> {
        if options.strict_doorbells {
            gpu.watched_doorbells.watch_all();
        }
        if let Some(seed) = options.caches {
            gpu.space.cache(seed, gpu.profile.xccs as usize);
        }
        Ok(Arc::new(Engine {
            work: Work::new(gpu.clone(), &options),
            gpu,
            queues: Mutex::default(),
            evicted: AtomicBool::new(false),
            visitors: AtomicU32::new(0),
            wake: Wake::new()?,
            stopped: AtomicBool::new(false),
            dispatches: AtomicU64::new(0),
            helpers: OnceLock::new(),
            lead: Mutex::new(None),
            options,
        }))
    }

    /// The seed for a bug of [`bugs::BUGS`], if the GPU has it.
    fn bug(&self, bug: usize) -> Option<u64> {
        let has = self.options.bugs.has(bug, self.gpu.profile);
        has.then(|| self.options.schedule.map_or(0, |schedule| schedule.seed))
    }

    /// Begins to serve a queue. Its doorbell slot is reset to `u64::MAX`.
    ///
    /// # Errors
    /// `EINVAL` for an id or doorbell in use, an SDMA engine or doorbell that the GPU does not
    /// have, or a ring of another size than the driver allows. `ENOMEM` if the host cannot make the thread.
    pub fn create_queue(self: &Arc<Self>, args: QueueArgs) -> Result<(), Errno> {
        if u64::from(args.doorbell) * 8 >= DOORBELL_BYTES {
            return Err(Errno::EINVAL);
        }
        let empty = args.ring_size == 0;
        if !empty && (!args.ring_size.is_power_of_two() || args.ring_size < 1024) {
            return Err(Errno::EINVAL);
        }
        let orders = findings::wants_streams();
        let order = |address| orders.then(|| order::Queue::new(address));
        let state = match args.kind {
            QueueKind::Pm4 { .. } => QueueState::Pm4(Pm4Queue::default()),
            QueueKind::Aql => QueueState::Compute(ComputeQueue::new(order(amd_queue::address(&args)))),
            QueueKind::Sdma { engine } => {
                if engine >= self.gpu.profile.sdma_engines + self.gpu.profile.sdma_xgmi_engines {
                    return Err(Errno::EINVAL);
                }
                let (early_polls, overlaps) = (self.bug(bugs::EARLY_POLLS), self.bug(bugs::OVERLAPPING_COPIES));
                QueueState::Sdma(SdmaQueue::new(args.id, early_polls, overlaps, order(0)))
            }
        };
        let mut queues = self.visit();
        if queues.iter().any(|queue| queue.args.id == args.id || queue.args.doorbell == args.doorbell) {
            return Err(Errno::EINVAL);
        }
        // First, so that a queue which nobody serves is not left behind.
        self.start_lead()?;
        self.doorbell(args.doorbell).store(u64::MAX, Ordering::Relaxed);
        let units = Units::all(self.gpu.profile);
        let late = self.bug(bugs::LATE_DOORBELLS).map(|seed| Late::new(seed, args.id));
        queues.push(Queue { args, units, state, doorbell: Doorbell::SILENT, late, halted: false });
        drop(queues);
        self.wake.up();
        Ok(())
    }

    /// Changes a queue. When it returns from suspending one, none of its waves run any more; they continue when the
    /// queue is active again.
    ///
    /// # Errors
    /// `EFAULT` if there is no such queue here, as the driver says.
    pub fn update_queue(&self, id: u32, update: QueueUpdate) -> Result<(), Errno> {
        let mut queues = self.visit();
        let queue = queues.iter_mut().find(|queue| queue.args.id == id).ok_or(Errno::EFAULT)?;
        let QueueUpdate { ring, ring_size, priority, percentage, xcc } = update;
        let kind = match queue.args.kind {
            QueueKind::Pm4 { .. } => QueueKind::Pm4 { xcc },
            other => other,
        };
        queue.args = QueueArgs { kind, ring, ring_size, priority, percentage, ..queue.args.clone() };
        let (active, running) = (queue.args.is_active(), queue.state.running());
        drop(queues);
        running.iter().for_each(|dispatch| self.work.suspend(dispatch, !active));
        self.wake.up();
        Ok(())
    }

    /// Whether a suspended queue has waves that wait to continue.
    ///
    /// # Errors
    /// `EFAULT` if there is no such queue here, `EINVAL` if it is active.
    pub fn has_saved_waves(&self, id: u32) -> Result<bool, Errno> {
        let queues = self.visit();
        let queue = queues.iter().find(|queue| queue.args.id == id).ok_or(Errno::EFAULT)?;
        if queue.args.is_active() && !self.evicted.load(Ordering::Relaxed) {
            return Err(Errno::EINVAL);
        }
        Ok(queue.state.running().iter().any(|dispatch| !dispatch.finished()))
    }

    /// Restricts the work-groups that a compute queue starts from now on to the compute units whose bits are set.
    ///
    /// # Errors
    /// `EFAULT` if there is no such queue here, as the driver says.
    pub fn set_cu_mask(&self, id: u32, mask: &[u32]) -> Result<(), Errno> {
        let units = Units::masked(self.gpu.profile, mask);
        let mut queues = self.visit();
        let queue = queues.iter_mut().find(|queue| queue.args.id == id).ok_or(Errno::EFAULT)?;
        queue.units = units;
        queue.state.running().iter().for_each(|dispatch| self.work.restrict(dispatch, units));
        drop(queues);
        self.wake.up();
        if units.count() == 0 {
            log::say(format_args!("queue {id} may use no compute unit: its kernels never start, as on hardware"));
        }
        Ok(())
    }

    /// Destroys a queue. After the return, none of its work runs and its memory is not used.
    ///
    /// # Errors
    /// `EINVAL` if there is no such queue here.
    pub fn destroy_queue(&self, id: u32) -> Result<(), Errno> {
        let mut queues = self.visit();
        let index = queues.iter().position(|queue| queue.args.id == id).ok_or(Errno::EINVAL)?;
        let queue = queues.remove(index);
        drop(queues);
        if findings::has_unfinished() {
            findings::abandoned(self.unfinished_of(&queue).0);
        }
        self.stop_work(&queue);
        Ok(())
    }

    /// Kernels that were enqueued and have not completed, and whether anything has not. Nothing completes any more on a
    /// GPU that a fault has stopped.
    pub fn unfinished(&self) -> (u64, bool) {
        if self.evicted.load(Ordering::Acquire) {
            return (0, false);
        }
        let queues = self.visit();
        let all = queues.iter().filter(|queue| !queue.halted).map(|queue| self.unfinished_of(queue));
        all.fold((0, false), |(count, any), (more, some)| (count + more, any || some))
    }

    fn unfinished_of(&self, queue: &Queue) -> (u64, bool) {
        match &queue.state {
            QueueState::Compute(compute) => compute.unfinished(&Memory::enter(&self.gpu), &queue.args),
            QueueState::Pm4(pm4) => (pm4.running().count() as u64, pm4.running().next().is_some()),
            QueueState::Sdma(sdma) => (0, sdma.is_unfinished()),
        }
    }

    /// Polls for work that no doorbell announces.
    pub fn look(&self) {
        self.wake.up();
    }

    /// An event that often precedes work for a queue. Polls now, unless a watched doorbell would have announced the
    /// work.
    pub fn hint(&self) {
        self.wake.hint();
    }

    /// Ends all queues and threads. For tests and orderly ends; a process may as well just exit.
    pub fn shutdown(&self) {
        let queues = std::mem::take(&mut *self.visit());
        queues.iter().for_each(|queue| self.stop_work(queue));
        self.stopped.store(true, Ordering::Release);
        self.work.stop();
        self.wake.up();
        let lead = lock(&self.lead).take();
        if let Some(lead) = lead
            && lead.thread().id() != std::thread::current().id()
        {
            let _ = lead.join();
        }
    }

    fn stop_work(&self, queue: &Queue) {
        for dispatch in queue.state.running() {
            self.work.kill(&dispatch);
            self.work.wait(&dispatch);
        }
    }

    /// CPU time that the lead thread has used.
    #[cfg(test)]
    fn lead_cpu_time(&self) -> std::time::Duration {
        use std::os::unix::thread::JoinHandleExt;
        let lead = lock(&self.lead);
        let thread = lead.as_ref().expect("a queue was created").as_pthread_t();
        let mut clock = 0;
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the thread has not been joined; both results are written before they are read.
        unsafe {
            assert_eq!(libc::pthread_getcpuclockid(thread, &mut clock), 0);
            assert_eq!(libc::clock_gettime(clock, &mut time), 0);
        }
        std::time::Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }

    fn doorbell(&self, slot: u32) -> &AtomicU64 {
        // SAFETY: `create_queue` checked that the page has the slot; the page lives as long as the GPU.
        unsafe { AtomicU64::from_ptr(self.gpu.doorbells().add(slot as usize)) }
    }

    fn next_dispatch(&self) -> u64 {
        findings::came_to(findings::KERNEL_RAN);
        self.dispatches.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Starts a dispatch, if it is not to fail.
    fn start(&self, args: &QueueArgs, prepared: Prepared, origin: Origin) -> Result<Arc<Dispatch>, Stop> {
        let sender = Sender { doorbell: args.doorbell, context_save: args.context_save };
        let Prepared { launch, room, .. } = prepared;
        let dispatch = Arc::new(Dispatch::new(launch, origin, room, sender));
        if let Some(caches) = self.gpu.space.caches() {
            caches.invalidate_l1();
        }
        match faults::dispatch(origin.dispatch) {
            None => self.work.add(dispatch.clone()),
            // It is launched, and never ends.
            Some(DispatchFault::Hang) => {}
            Some(DispatchFault::MemoryFault { address }) => {
                return Err(Stop::Memory(MemoryFault { address, access: Access::Read, protection: false }));
            }
            Some(DispatchFault::QueueError(code)) => {
                return Err(Stop::Error(code, "asked for by --faults".into()));
            }
        }
        Ok(dispatch)
    }

    /// An acquire fence: what is read from now on is no older than this. (The L1s are emptied before each dispatch, and
    /// no L2 has older data than another: that is all that agent scope needs.)
    fn acquire(&self, scope: Scope) {
        if let Some(caches) = self.gpu.space.caches()
            && scope == Scope::System
        {
            caches.invalidate_l2();
        }
    }

    /// A release fence: what waves have written is seen by all, or by all of this GPU.
    fn release(&self, scope: Scope) {
        let Some(caches) = self.gpu.space.caches() else { return };
        match scope {
            Scope::None => {}
            Scope::Agent => caches.meet(),
            Scope::System => caches.write_back(),
        }
    }

    /// Locks the queues for a thread that is not the lead.
    fn visit(&self) -> MutexGuard<'_, Vec<Queue>> {
        self.visitors.fetch_add(1, Ordering::AcqRel);
        let queues = lock(&self.queues);
        self.visitors.fetch_sub(1, Ordering::AcqRel);
        queues
    }

    fn start_lead(self: &Arc<Self>) -> Result<(), Errno> {
        let mut lead = lock(&self.lead);
        if lead.is_none() {
            let engine = self.clone();
            *lead = Some(spawn("vgpu-lead", move || engine.lead())?);
        }
        Ok(())
    }

    fn start_helpers(self: &Arc<Self>) {
        self.helpers.get_or_init(|| {
            let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
            let alone = self.options.schedule.is_some() || self.options.caches.is_some();
            let count = if alone { 0 } else { cpus - 1 };
            // Without a helper the lead thread does all the work.
            (0..count)
                .filter_map(|_| {
                    let engine = self.clone();
                    spawn("vgpu-helper", move || engine.work.help()).ok()
                })
                .collect()
        });
    }

    /// The lead thread's life.
    fn lead(self: &Arc<Self>) {
        let mut idle = Idle::new();
        let mut random = self.options.schedule.map(|schedule| Random::new(schedule.seed));
        while !self.stopped.load(Ordering::Acquire) {
            let mut progress = self.step_queues(random.as_mut());
            // A queue may have got what the waves wait for. With a seed, how often queues are looked at must not depend
            // on the host's time.
            let turn = self.work.turns(|| random.is_none() && self.step_queues(None) == Progress::Made);
            if turn != Turn::None {
                self.start_helpers();
                // A kernel may run for ever.
                trace::flush_old();
            }
            match turn {
                Turn::Ran | Turn::Ended => progress = Progress::Made,
                Turn::Polled => progress = progress.or(Progress::Waiting),
                Turn::None => {}
            }
            let no_queue = progress == Progress::Idle && self.visit_is_empty();
            idle.after(progress, no_queue, &self.wake, &self.gpu.watched_doorbells);
        }
        self.gpu.watched_doorbells.stop_watching();
    }

    fn visit_is_empty(&self) -> bool {
        lock(&self.queues).is_empty()
    }

    /// One step of every queue.
    fn step_queues(&self, random: Option<&mut Random>) -> Progress {
        while self.visitors.load(Ordering::Acquire) > 0 {
            std::thread::yield_now();
        }
        let mut queues = lock(&self.queues);
        self.look_at_doorbells(&mut queues);
        let under_way = carry_doorbells(&mut queues);
        let count = queues.len();
        let Some(random) = random else {
            return queues.iter_mut().fold(under_way, |all, queue| all.or(self.step(queue)));
        };
        // How far each queue gets between two turns of work-groups is what a seed decides. A look that finds nothing to
        // decide takes no number: how often the thread looks depends on the host's time, the choices must not.
        let mut drawn = random.clone();
        let first = drawn.below(count as u64 + 1) as usize;
        let steps = drawn.below(count as u64 + 1) as usize;
        let (before, after) = queues.split_at_mut(first);
        let may_wait = !self.work.is_empty();
        let mut progress = under_way;
        for (stepped, queue) in after.iter_mut().chain(before).enumerate() {
            // Without work-groups to run instead, a queue that is left out must not keep the others waiting.
            if stepped >= steps && (may_wait || progress == Progress::Made) {
                break;
            }
            progress = progress.or(self.step(queue));
        }
        if may_wait || progress == Progress::Made {
            *random = drawn;
            // A queue that was left out may have work.
            return progress.or(Progress::Waiting);
        }
        progress
    }

    fn look_at_doorbells(&self, queues: &mut [Queue]) {
        if !self.options.strict_doorbells {
            for Queue { args, doorbell, .. } in queues {
                doorbell.note(self.doorbell(args.doorbell).load(Ordering::Acquire), false);
            }
            return;
        }
        let looks = queues.iter_mut().map(|Queue { args, doorbell, .. }| {
            let cell = self.doorbell(args.doorbell);
            WatchedDoorbell { slot: args.doorbell, cell, doorbell }
        });
        self.gpu.watched_doorbells.let_through(&mut looks.collect::<Vec<WatchedDoorbell<'_>>>());
    }

    fn step(&self, queue: &mut Queue) -> Progress {
        let Queue { args, units, state, doorbell, late, halted } = queue;
        let doorbell = late.as_mut().map_or(doorbell, |late| &mut late.arrived);
        if *halted || self.evicted.load(Ordering::Relaxed) || !args.is_active() {
            return Progress::Idle;
        }
        let result = match state {
            QueueState::Compute(compute) => compute.step(self, args, *units, doorbell),
            QueueState::Pm4(pm4) => pm4.step(self, args, *units, doorbell),
            QueueState::Sdma(sdma) => {
                let result = match sdma.step(&self.gpu, args, doorbell) {
                    // It goes on with the packet that it is at.
                    Err(Stop::Memory(fault)) if self.gpu.retries_faults() => {
                        match self.gpu.interrupts.retry_fault(fault) {
                            Retry::Mapped => Ok(Progress::Made),
                            Retry::Later => Ok(Progress::Waiting),
                            Retry::Refused => Err(Stop::Memory(fault)),
                        }
                    }
                    other => other,
                };
                if matches!(result, Ok(Progress::Made)) {
                    // It may have copied, while work-groups wait.
                    self.work.lead_was_busy();
                }
                result
            }
        };
        result.unwrap_or_else(|stop| {
            *halted = true;
            if let QueueState::Compute(compute) = state {
                compute.abandon();
            }
            self.halt(args, state, &stop);
            Progress::Made
        })
    }

    /// Reports why a queue stopped, as the hardware and the driver do.
    fn halt(&self, args: &QueueArgs, state: &QueueState, stop: &Stop) {
        // The program may well abort when it hears of it: here and below, the trace is written first.
        trace::emit("queue_error", |e| e.number("queue", args.id).text("error", stop));
        trace::flush();
        log::write(Topic::Unknown, format_args!("queue {} stops: {stop}", args.id));
        state.running().iter().for_each(|dispatch| self.work.kill(dispatch));
        match stop {
            Stop::Error(code, _) => {
                let by_driver = self.gpu.reports_exceptions();
                // Only AQL queues have a structure to tell it by.
                if matches!(state, QueueState::Compute(_)) && !(by_driver && queue_error::is_of_wave(*code)) {
                    // A queue whose own structure is gone has nobody to tell.
                    let _ = amd_queue::report(self, args, *code);
                }
                if by_driver {
                    self.gpu.interrupts.queue_error(args.context_save, *code);
                }
            }
            Stop::Memory(fault) => self.memory_fault(*fault),
            Stop::Wave(by) => {
                by.report(&self.gpu);
                self.memory_fault(by.fault);
            }
            Stop::Sdma(_) => {}
        }
    }

    /// Takes all queues off the GPU and tells the driver of the fault.
    fn memory_fault(&self, fault: MemoryFault) {
        // The driver evicts all queues that the process has on the GPU, and nothing restores them.
        self.evicted.store(true, Ordering::Relaxed);
        self.work.kill_all();
        let reason = FaultReason {
            not_present: !fault.protection,
            read_only: fault.protection && matches!(fault.access, Access::Write | Access::Atomic),
        };
        let source = "memory_fault";
        trace::emit("interrupt", |e| e.text("source", source).address("address", fault.address));
        trace::flush();
        self.gpu.interrupts.memory_fault(fault.address, reason);
    }
}

/// Where doorbells arrive late: brings them a bit further. Says whether one is under way, for which the lead thread
/// must not sleep.
fn carry_doorbells(queues: &mut [Queue]) -> Progress {
    let mut progress = Progress::Idle;
    for Queue { args, doorbell, late, .. } in queues {
        match late.as_mut().map_or(Carried::None, |late| late.carry(doorbell, Instant::now())) {
            Carried::None => {}
            Carried::UnderWay => progress = Progress::Waiting,
            Carried::Merged(value) => {
                let bug = bugs::BUGS[bugs::LATE_DOORBELLS].name;
                trace::emit("hardware_bug", |e| e.text("bug", bug).number("queue", args.id).number("value", value));
            }
        }
    }
    progress
}
