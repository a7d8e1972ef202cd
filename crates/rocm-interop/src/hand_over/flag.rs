//! Hand-over on the GPU alone, by a flag in memory.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytemuck::Pod;
use parking_lot::{Mutex, MutexGuard};

use crate::apis::call::{Release, call, close, first, log};
use crate::error::Api;
use crate::kernels::{HipKernel, HipModule, OpenClKernel, OpenClProgram};
use crate::session::Core;
use crate::session::turns::Place;
use crate::{Argument, Buffer, Error, Hip, OpenCl, Refused, Result, Session};

/// The layout of [`Place`]. The buffer is an argument for OpenCL to see that these kernels and those before and behind
/// them use the same memory: only then it has the GPU keep them in order.
const OPENCL: &str = "
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
ulong __ockl_steadyctr_u64(void);
struct place { atomic_ulong raised, ended; };
kernel void raise(ulong at, ulong turn, global char *after) {
    global struct place *place = (global struct place *)at;
    atomic_store_explicit(&place->raised, turn, memory_order_release, memory_scope_all_svm_devices);
}
kernel void await_flag(ulong at, ulong abandoned, ulong turn, ulong ticks, global char *before) {
    global struct place *place = (global struct place *)at;
    ulong since = __ockl_steadyctr_u64(), late = 0;
    while (atomic_load_explicit(&place->raised, memory_order_acquire, memory_scope_all_svm_devices) < turn) {
        ulong last = atomic_load_explicit((global atomic_ulong *)abandoned, memory_order_relaxed, memory_scope_all_svm_devices);
        if (last >= turn || __ockl_steadyctr_u64() - since > ticks) {
            late = 1;
            break;
        }
        __builtin_amdgcn_s_sleep(2);
    }
    atomic_store_explicit(&place->ended, 2 * turn + late, memory_order_release, memory_scope_all_svm_devices);
}";
const HIP: &str = r#"
struct place { unsigned long long raised, ended; };
extern "C" __global__ void raise(unsigned long long at, unsigned long long turn) {
    place *place = (struct place *)at;
    __hip_atomic_store(&place->raised, turn, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}
extern "C" __global__ void await_flag(unsigned long long at, unsigned long long abandoned, unsigned long long turn, unsigned long long ticks) {
    place *place = (struct place *)at;
    unsigned long long since = wall_clock64(), late = 0;
    while (__hip_atomic_load(&place->raised, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) < turn) {
        unsigned long long last = __hip_atomic_load((unsigned long long *)abandoned, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
        if (last >= turn || wall_clock64() - since > ticks) {
            late = 1;
            break;
        }
        __builtin_amdgcn_s_sleep(2);
    }
    __hip_atomic_store(&place->ended, 2 * turn + late, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}
"#;

/// Hands buffers over on the GPU alone: the side that gives raises a flag in memory behind its work, and a wave of the
/// other side's queue waits for it. The caller waits for nothing.
///
/// The buffer is the other side's at once: what is launched on it comes behind the flag. Work on other buffers comes
/// behind it too on HIP's stream, which runs in order. AMD's OpenCL begins with it before, if it uses no memory of
/// earlier kernels, but only up to the next flush: there, the thread of OpenCL's queue sleeps until all that was
/// enqueued before has ended, a wait for a flag too, and submits nothing meanwhile. Hand-overs to HIP flush, and so do
/// launches that are given memory which OpenCL does not know.
///
/// # What can go wrong
/// A wait ends when its flag is raised, after the time limit, or by [`abandon`](Flags::abandon), so the queues go on in
/// any case. What was launched on a buffer behind a wait that ended without its flag has run on data that was not
/// ready. So [`Error::TimedOut`] is told, once each, by the next wait of the host for that buffer (a hand-over, `read`,
/// `write`, `close` and so on), and for each buffer that kernels of either API computed from it since. Other buffers
/// are not told, whoever asks first, and nobody is told in another's place. [`finish`](Session::finish) of OpenCL's
/// side and [`synchronize`](Session::synchronize) of HIP's tell it once if nobody was told; the buffers tell it all the
/// same. It outlives the flags. From then on, who reads or overwrites a buffer from the host waits for both sides.
///
/// That work of OpenCL's before a flag failed ([`Error::Failed`]) is told when the host waits for the buffer next, on
/// either side. What HIP computed from it in other buffers counts as computed.
///
/// Each flag is raised by work that was enqueued before the wait for it, and HIP and OpenCL share no queue of the
/// hardware. So hand-overs of one session cannot wait for each other in a circle. What never ends is a wait for work
/// that itself waits for the host, if the host then waits for the other side: a user event of OpenCL's that is
/// completed later, or a host function of HIP's that does not return. Then the time limit is the way out.
///
/// Hand-overs of several sessions of one GPU can wait for each other, where both their streams and their queues share
/// one queue of the hardware each, of which AMD's runtimes use 4 for all streams, and 4 for all of OpenCL's queues, of
/// a GPU in a process. The wait of one session's stream then holds up what raises the other's flag, and OpenCL's thread
/// may submit the other's wait before what raises the first one's. The time limit is the way out here too. Use `Flags`
/// of one session for each GPU (a session can be cloned for other threads), or set `GPU_MAX_HW_QUEUES` to more than the
/// streams, and the queues, that the process has on a GPU.
///
/// The waiting wave takes one of the places of a compute unit, and keeps reading host memory over PCI Express.
///
/// ```no_run
/// # use std::time::Duration;
/// # use rocm_interop::{Buffer, Hip, OpenCl, Result, Session};
/// # use rocm_interop::hand_over::Flags;
/// # use rocm_interop::hip::HipKernel;
/// # use rocm_interop::opencl::OpenClKernel;
/// # fn step(session: &Session, add: &OpenClKernel, scale: &HipKernel, buffer: Buffer<f32, OpenCl>) -> Result<()> {
/// let flags = Flags::new(session, Duration::from_secs(1))?;
/// // SAFETY: one work-item an element.
/// unsafe { add.launch(&[1024], None, &[(&buffer).into(), 2.0.into()]) }?;
/// let on_hip = flags.into_hip(buffer)?; // waits for nothing
/// // SAFETY: as above.
/// unsafe { scale.launch(1024 / 64, 64, 0, &[(&on_hip).into(), 10.0.into()]) }?;
/// let buffer = flags.into_opencl(on_hip)?; // neither
/// buffer.read(&mut [0.0; 1024])?; // waits for both
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Flags {
    words: Words,
    /// Held while the two kernels of a hand-over are launched, so that turns are in the order of both queues. Also held
    /// while it waits for a place.
    order: Mutex<()>,
    /// Number of the last hand-over that began. Changed by who holds `order`, and read without it: who abandons
    /// hand-overs ends the wait of who holds it.
    last: AtomicU64,
    ticks: u64,
    opencl: (OpenClKernel, OpenClKernel),
    hip: (HipKernel, HipKernel),
}

/// So many hand-overs may be under way. AMD's runtimes keep 16,384 packets in a queue, and wait too when it is full.
const PLACES: usize = 1024;

/// A hand-over's number, and the turn of who makes it.
struct Turn<'f> {
    number: u64,
    words: &'f Words,
    _order: MutexGuard<'f, ()>,
}

/// However many of its kernels were launched.
impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let core = &self.words.core;
        self.words.unused_from.store(core.launched(), Ordering::Relaxed);
        self.words.in_stream.store(core.in_stream.last(), Ordering::Relaxed);
    }
}

/// Memory of the host that the GPU does not cache, so that both always see each other's writes.
#[derive(Debug)]
struct Words {
    core: Arc<Core>,
    /// From hipHostMalloc. Null when given back.
    memory: *mut FlagMemory,
    limit: Duration,
    /// Number behind the last command of the session's queue that uses them, and that of the last work of its stream.
    unused_from: AtomicU64,
    in_stream: AtomicU64,
}

#[derive(Debug)]
#[repr(C)]
struct FlagMemory {
    /// The last hand-over that nobody is to wait for any more. In a cache line of its own.
    abandoned: Abandoned,
    /// Of hand-over number `n`, the one at `n % PLACES`.
    places: [Place; PLACES],
}

#[derive(Debug)]
#[repr(C, align(64))]
struct Abandoned(AtomicU64);

// SAFETY: HIP's host memory is not bound to a thread, and all access is atomic.
unsafe impl Send for Words {}
// SAFETY: as above.
unsafe impl Sync for Words {}

impl Flags {
    /// Compiles the four kernels and allocates the flags. Up to 1,024 hand-overs may be under way; the next waits for
    /// all that is in the session's queue and stream, and those of other threads wait for it. No wait of the GPU takes
    /// longer than `limit` of the GPU's time, however long the work before it takes.
    ///
    /// # Errors
    /// [`Error::Compile`], [`Error::Call`].
    pub fn new(session: &Session, limit: Duration) -> Result<Flags> {
        let core = &session.0;
        let program = OpenClProgram::build(session, OPENCL, "-cl-std=CL2.0")?;
        let module = HipModule::build(session, HIP)?;
        let opencl = (program.kernel("raise")?, program.kernel("await_flag")?);
        let hip = (module.kernel("raise")?, module.kernel("await_flag")?);
        let frequency = core.libraries.timestamp_frequency(core.device.hsa())?;
        let ticks = limit.as_nanos().saturating_mul(frequency.into()) / 1_000_000_000;
        core.select_device()?;
        let (mut pointer, flags) =
            (null_mut::<c_void>(), hip_sys::hipHostMallocMapped | hip_sys::hipHostMallocCoherent);
        // SAFETY: writes one pointer.
        unsafe { call!(core.libraries.hip, hipHostMalloc(&mut pointer, size_of::<FlagMemory>(), flags)) }?;
        let memory = pointer.cast::<FlagMemory>();
        // SAFETY: memory of that size, aligned to a page; nobody uses it yet. All of it is numbers, which are 0.
        unsafe { memory.write_bytes(0, 1) };
        core.turns.made();
        let (unused_from, in_stream) = (AtomicU64::new(0), AtomicU64::new(0));
        let words = Words { core: Arc::clone(core), memory, limit, unused_from, in_stream };
        let ticks = u64::try_from(ticks).unwrap_or(u64::MAX);
        Ok(Flags { words, order: Mutex::default(), last: AtomicU64::new(0), ticks, opencl, hip })
    }

    /// Hands the buffer to HIP, after OpenCL's work on it.
    ///
    /// # Errors
    /// [`Error::Argument`] if it is of another session, or SVM of another GPU, which OpenCL's kernels are not given;
    /// [`Error::Call`]; with the buffer, which is still OpenCL's.
    pub fn into_hip<T: Pod>(&self, buffer: Buffer<T, OpenCl>) -> Result<Buffer<T, Hip>, Refused<Buffer<T, OpenCl>>> {
        match self.to_hip(&buffer) {
            Ok(()) => Ok(buffer.turned()),
            Err(error) => Err(Refused::new(error, buffer)),
        }
    }

    fn to_hip<T: Pod>(&self, buffer: &Buffer<T, OpenCl>) -> Result<()> {
        let core = &self.words.core;
        // Before a number is taken, whose place would have to be waited for later.
        Argument::from(buffer).check_opencl(core)?;
        let turn = self.next_turn(Api::Hip)?;
        let (place, abandoned) = (self.words.address_of(turn.number), self.words.address_of_abandoned());
        let flag = [Argument::value(&place), Argument::value(&turn.number), buffer.into()];
        // SAFETY: what the kernel declares; it writes the flag only.
        unsafe { self.opencl.0.launch(&[1], Some(&[1]), &flag) }?;
        // Nobody else may ask it to.
        core.flush(core.queue)?;
        let wait = [
            Argument::value(&place),
            Argument::value(&abandoned),
            Argument::value(&turn.number),
            Argument::value(&self.ticks),
        ];
        self.words.waiting(Api::Hip, turn.number, buffer.memory.address(), || {
            // SAFETY: as above.
            unsafe { self.hip.1.launch(1, 1, 0, &wait) }
        })?;
        // Who gives the buffer back waits for the flag, and tells if it was late.
        buffer.memory.used_in_stream(core.in_stream.last());
        Ok(())
    }

    /// Hands the buffer to OpenCL, after HIP's work on the session's stream.
    ///
    /// # Errors
    /// As of [`into_hip`](Flags::into_hip); with the buffer, which is still HIP's.
    pub fn into_opencl<T: Pod>(&self, buffer: Buffer<T, Hip>) -> Result<Buffer<T, OpenCl>, Refused<Buffer<T, Hip>>> {
        let buffer = buffer.turned::<OpenCl>();
        match self.to_opencl(&buffer) {
            Ok(()) => Ok(buffer),
            Err(error) => Err(Refused::new(error, buffer.turned())),
        }
    }

    fn to_opencl<T: Pod>(&self, buffer: &Buffer<T, OpenCl>) -> Result<()> {
        // Before HIP's kernel, which cannot be taken back.
        Argument::from(buffer).check_opencl(&self.words.core)?;
        let turn = self.next_turn(Api::OpenCl)?;
        let (place, abandoned) = (self.words.address_of(turn.number), self.words.address_of_abandoned());
        // SAFETY: what the kernel declares; it writes the flag only.
        unsafe { self.hip.0.launch(1, 1, 0, &[Argument::value(&place), Argument::value(&turn.number)]) }?;
        let wait = [
            Argument::value(&place),
            Argument::value(&abandoned),
            Argument::value(&turn.number),
            Argument::value(&self.ticks),
            buffer.into(),
        ];
        self.words.waiting(Api::OpenCl, turn.number, buffer.memory.address(), || {
            // SAFETY: as above.
            unsafe { self.opencl.1.launch(&[1], Some(&[1]), &wait) }
        })
    }

    /// The number of the next hand-over, whose place no kernel of an earlier one uses any more.
    fn next_turn(&self, to: Api) -> Result<Turn<'_>> {
        let order = self.order.lock();
        // Of 64 bits: no program hands over so often that it comes round.
        let number = self.last.load(Ordering::Relaxed) + 1;
        if number > PLACES as u64 && !self.words.place(number).is_over(number - PLACES as u64) {
            let core = &self.words.core;
            // It was to either side. A kernel that failed has written nothing, so this is what says that they are over.
            core.wait(if to == Api::Hip { Api::OpenCl } else { Api::Hip })?;
            core.wait(to)?;
        }
        self.last.store(number, Ordering::Relaxed);
        Ok(Turn { number, words: &self.words, _order: order })
    }

    /// Ends all waits of the GPU for these flags now, as the time limit would. Later hand-overs are waited for again.
    /// Waits for nothing, also while another thread's hand-over waits for a place.
    pub fn abandon(&self) {
        let last = self.last.load(Ordering::Relaxed);
        // Two threads may come here in any order.
        self.words.memory().abandoned.0.fetch_max(last, Ordering::Relaxed);
    }

    /// Waits for the work of the session's queue and stream that may still use the flags, and gives them back. Dropping
    /// does too, but can only log an error, by `tracing`.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if a wait ended without its flag, and no one was told; [`Error::Leaked`] if the host's wait
    /// failed; [`Error::Call`].
    pub fn close(self) -> Result<()> {
        let Flags { mut words, opencl: (raise, wait), hip: (hip_raise, hip_wait), .. } = self;
        let core = Arc::clone(&words.core);
        let closed = first([words.release(), raise.close(), wait.close(), hip_raise.close(), hip_wait.close()]);
        let reported = closed.and_then(|()| core.report_late(Api::Hip)).and_then(|()| core.report_late(Api::OpenCl));
        drop(words);
        first([reported, close(core)])
    }
}

impl Words {
    fn memory(&self) -> &FlagMemory {
        // SAFETY: allocated until `release`, which nobody else can be at.
        unsafe { &*self.memory }
    }

    fn place(&self, turn: u64) -> &Place {
        &self.memory().places[(turn % PLACES as u64) as usize]
    }

    /// For the GPU.
    fn address_of(&self, turn: u64) -> u64 {
        std::ptr::from_ref(self.place(turn)).expose_provenance() as u64
    }

    /// The same.
    fn address_of_abandoned(&self) -> u64 {
        std::ptr::from_ref(&self.memory().abandoned).expose_provenance() as u64
    }

    fn wait_for_uses(&self) -> Result<()> {
        let core = &self.core;
        core.check_abandoned(Api::Hip)?;
        if core.in_stream.may_run(self.in_stream.load(Ordering::Relaxed)) {
            core.wait(Api::Hip)?;
        }
        core.finish_before(self.unused_from.load(Ordering::Relaxed))
    }

    /// Launches a wait of `api`'s, which the buffer at `address` hangs on.
    fn waiting(&self, api: Api, turn: u64, address: u64, launch: impl FnOnce() -> Result<()>) -> Result<()> {
        let turns = &self.core.turns;
        // SAFETY: `release` gives the places back before it frees them.
        let wait = unsafe { turns.begin(api, self.limit, turn, self.place(turn), address) };
        launch().inspect_err(|_| turns.not_launched(wait))
    }
}

impl Release for Words {
    fn release(&mut self) -> Result<()> {
        if self.memory.is_null() {
            return Ok(());
        }
        let waited = self.wait_for_uses().and_then(|()| self.core.wait_for_hip_frees());
        let memory = std::mem::replace(&mut self.memory, null_mut());
        // Flags that are leaked stay there.
        waited.map_err(|reason| Error::Leaked {
            subject: "the flags of a hand-over".to_owned(),
            reason: Box::new(reason),
        })?;
        // SAFETY: allocated by `Flags::new`.
        let places = unsafe { &*memory }.places.as_ptr_range();
        self.core.turns.given_back(|place| places.contains(&place));
        // SAFETY: allocated by `Flags::new`, given back once, and used by nobody any more.
        unsafe { call!(self.core.libraries.hip, hipHostFree(memory.cast())) }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        log(self.release());
    }
}
