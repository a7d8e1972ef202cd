//! Hand-over on the GPU alone, by a flag in memory.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use bytemuck::Pod;

use crate::call::{Release, call, close, first, log};
use crate::session::Core;
use crate::{
    Api, Argument, Buffer, Error, Hip, HipKernel, HipModule, OpenCl, OpenClKernel, OpenClProgram, Refused, Result,
    Session,
};

/// The layout of [`Flag`]. The buffer is an argument for OpenCL to see that these kernels and those before and behind them use the same memory: only
/// then it has the GPU keep them in order.
const OPENCL: &str = "
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
ulong __ockl_steadyctr_u64(void);
struct flag { atomic_ulong raised, abandoned; atomic_uint late; };
kernel void raise(ulong at, ulong turn, global char *after) {
    global struct flag *flag = (global struct flag *)at;
    atomic_store_explicit(&flag->raised, turn, memory_order_release, memory_scope_all_svm_devices);
}
kernel void await_flag(ulong at, ulong turn, ulong ticks, global char *before) {
    global struct flag *flag = (global struct flag *)at;
    ulong since = __ockl_steadyctr_u64();
    while (atomic_load_explicit(&flag->raised, memory_order_acquire, memory_scope_all_svm_devices) < turn) {
        ulong abandoned = atomic_load_explicit(&flag->abandoned, memory_order_relaxed, memory_scope_all_svm_devices);
        if (abandoned >= turn || __ockl_steadyctr_u64() - since > ticks) {
            atomic_store_explicit(&flag->late, 1, memory_order_relaxed, memory_scope_all_svm_devices);
            break;
        }
        __builtin_amdgcn_s_sleep(2);
    }
}";
const HIP: &str = r#"
struct flag { unsigned long long raised, abandoned; unsigned late; };
extern "C" __global__ void raise(unsigned long long at, unsigned long long turn) {
    flag *flag = (struct flag *)at;
    __hip_atomic_store(&flag->raised, turn, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}
extern "C" __global__ void await_flag(unsigned long long at, unsigned long long turn, unsigned long long ticks) {
    flag *flag = (struct flag *)at;
    unsigned long long since = wall_clock64();
    while (__hip_atomic_load(&flag->raised, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) < turn) {
        unsigned long long abandoned = __hip_atomic_load(&flag->abandoned, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
        if (abandoned >= turn || wall_clock64() - since > ticks) {
            __hip_atomic_store(&flag->late, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
            break;
        }
        __builtin_amdgcn_s_sleep(2);
    }
}
"#;

/// Hands buffers over on the GPU alone: the side that gives raises a flag in memory behind its work, and a wave of the other side's queue waits for
/// it. The caller waits for nothing.
///
/// The buffer is the other side's at once: what is launched on it comes behind the flag. Work on other buffers comes behind it too on HIP's stream, which runs in order. AMD's OpenCL
/// begins with it before, if it uses no memory of earlier kernels, but only up to the next flush: there, the thread of OpenCL's queue sleeps until all that was
/// enqueued before has ended, a wait for a flag too, and submits nothing meanwhile. Hand-overs to HIP flush, and so do launches that are given memory which OpenCL does not know.
///
/// # What can go wrong
/// A wait ends when its flag is raised, after the time limit, or by [`abandon`](Flags::abandon), so the queues go on in any case. A wait that ended
/// without its flag is [`Error::TimedOut`] of the next wait for that side by the host (a hand-over, `read`, `finish`, `synchronize`, `close`): what was
/// launched behind it has run on data that was not ready. It is told once, whatever buffer that wait is for, and outlives the flags. Others who read or
/// overwrite a buffer from the host then wait for both sides.
///
/// That work of OpenCL's before a flag failed ([`Error::Failed`]) is told when the host waits for the buffer next, on either side. What HIP computed from it
/// in other buffers counts as computed.
///
/// Each flag is raised by work that was enqueued before the wait for it, and HIP and OpenCL share no queue of the hardware. So hand-overs of one session cannot wait for each
/// other in a circle. What never ends is a wait for work that itself waits for the host, if the host then waits for the other side: a user event of
/// OpenCL's that is completed later, or a host function of HIP's that does not return. Then the time limit is the way out.
///
/// Hand-overs of several sessions of one GPU can wait for each other, where both their streams and their queues share one queue of the hardware each, of which
/// AMD's runtimes use 4 for all streams, and 4 for all of OpenCL's queues, of a GPU in a process. The wait of one session's stream then holds up what raises the other's
/// flag, and OpenCL's thread may submit the other's wait before what raises the first one's. The time limit is the way out here too. Use `Flags` of one session
/// for each GPU (a session can be cloned for other threads), or set `GPU_MAX_HW_QUEUES` to more than the streams, and the queues, that the process has on a GPU.
///
/// The waiting wave takes one of the places of a compute unit, and keeps reading host memory over PCI Express.
///
/// ```no_run
/// # use std::time::Duration;
/// # use rocm_interop::{Buffer, Flags, Hip, HipKernel, OpenCl, OpenClKernel, Result, Session};
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
    words: Arc<Words>,
    /// Held while the two kernels of a hand-over are launched, so that turns are in the order of both queues.
    turn: Mutex<u64>,
    ticks: u64,
    opencl: (OpenClKernel, OpenClKernel),
    hip: (HipKernel, HipKernel),
}

/// Memory of the host that the GPU does not cache, so that both always see each other's writes.
#[derive(Debug)]
pub(crate) struct Words {
    core: Arc<Core>,
    /// From hipHostMalloc: for HIP's waits and OpenCL's. Null when given back.
    flags: *mut [Flag; 2],
    limit: Duration,
}

/// In a cache line of its own.
#[derive(Debug, Default)]
#[repr(C, align(64))]
struct Flag {
    /// The last turn whose flag was raised.
    raised: AtomicU64,
    /// The last turn that nobody is to wait for any more.
    abandoned: AtomicU64,
    /// A wait ended without its flag.
    late: AtomicU32,
}

// SAFETY: HIP's host memory is not bound to a thread, and all access is atomic.
unsafe impl Send for Words {}
// SAFETY: as above.
unsafe impl Sync for Words {}

impl Flags {
    /// Compiles the four kernels and allocates the flags. No wait takes longer than `limit` of the GPU's time, however long the work before it takes.
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
        unsafe { call!(core.libraries.hip, hipHostMalloc(&mut pointer, size_of::<[Flag; 2]>(), flags)) }?;
        let flags = pointer.cast::<[Flag; 2]>();
        // SAFETY: memory of that size, aligned to a page; nobody uses it yet.
        unsafe { flags.write(Default::default()) };
        let words = Arc::new(Words { core: Arc::clone(core), flags, limit });
        core.listed_flags().push((flags.addr(), Arc::downgrade(&words)));
        let ticks = u64::try_from(ticks).unwrap_or(u64::MAX);
        Ok(Flags { words, turn: Mutex::new(0), ticks, opencl, hip })
    }

    /// Hands the buffer to HIP, after OpenCL's work on it.
    ///
    /// # Errors
    /// [`Error::Argument`] if it is of another session, or SVM of another GPU, which OpenCL's kernels are not given; [`Error::Call`]; with the buffer, which
    /// is still OpenCL's.
    pub fn into_hip<T: Pod>(&self, buffer: Buffer<T, OpenCl>) -> Result<Buffer<T, Hip>, Refused<Buffer<T, OpenCl>>> {
        match self.to_hip(&buffer) {
            Ok(()) => Ok(buffer.turned()),
            Err(error) => Err(Refused::new(error, buffer)),
        }
    }

    fn to_hip<T: Pod>(&self, buffer: &Buffer<T, OpenCl>) -> Result<()> {
        let core = &self.words.core;
        let (turn, at) = (self.next_turn(), self.words.address(Api::Hip));
        let flag = [Argument::value(&at), Argument::value(&*turn), buffer.into()];
        // SAFETY: what the kernel declares; it writes the flag only.
        unsafe { self.opencl.0.launch(&[1], Some(&[1]), &flag) }?;
        // SAFETY: the session's queue. OpenCL need not begin before, and nobody may ask it to.
        unsafe { call!(core.libraries.cl, clFlush(core.queue)) }?;
        let wait = [Argument::value(&at), Argument::value(&*turn), Argument::value(&self.ticks)];
        // SAFETY: as above.
        unsafe { self.hip.1.launch(1, 1, 0, &wait) }
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
        let (turn, at) = (self.next_turn(), self.words.address(Api::OpenCl));
        // SAFETY: what the kernel declares; it writes the flag only.
        unsafe { self.hip.0.launch(1, 1, 0, &[Argument::value(&at), Argument::value(&*turn)]) }?;
        let wait = [Argument::value(&at), Argument::value(&*turn), Argument::value(&self.ticks), buffer.into()];
        // SAFETY: as above.
        unsafe { self.opencl.1.launch(&[1], Some(&[1]), &wait) }
    }

    fn next_turn(&self) -> MutexGuard<'_, u64> {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // Of 64 bits: no program hands over so often that it comes round.
        *turn += 1;
        turn
    }

    /// Ends all waits of the GPU for these flags now, as the time limit would. Later hand-overs are waited for again.
    pub fn abandon(&self) {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        for api in [Api::Hip, Api::OpenCl] {
            self.words.flag(api).abandoned.store(*turn, Ordering::Relaxed);
        }
    }

    /// Waits for the session's queue and stream, which may still use the flags, and gives them back. Dropping does too, but can only log an error,
    /// by `tracing`.
    ///
    /// # Errors
    /// [`Error::TimedOut`] if a wait ended without its flag, and no one was told; [`Error::Leaked`] if the host's wait failed; [`Error::Call`].
    pub fn close(self) -> Result<()> {
        let Flags { words, opencl: (raise, wait), hip: (hip_raise, hip_wait), .. } = self;
        let core = Arc::clone(&words.core);
        let closed = first([close(words), raise.close(), wait.close(), hip_raise.close(), hip_wait.close()]);
        let told = closed.and_then(|()| core.tell_late(Api::Hip)).and_then(|()| core.tell_late(Api::OpenCl));
        first([told, close(core)])
    }
}

impl Words {
    /// The one that `api` waits for.
    fn flag(&self, api: Api) -> &Flag {
        // SAFETY: allocated until `release`, which nobody else can be at.
        let flags = unsafe { &*self.flags };
        &flags[usize::from(api == Api::OpenCl)]
    }

    /// The same for the GPU.
    fn address(&self, api: Api) -> u64 {
        std::ptr::from_ref(self.flag(api)).expose_provenance() as u64
    }

    /// Takes whether waits of `api` ended without their flags.
    fn take_late(&self, api: Api) -> bool {
        let late = &self.flag(api).late;
        // The caller has waited for the kernel that wrote it.
        if late.load(Ordering::SeqCst) == 0 {
            return false;
        }
        // First, so that no other thread finds neither.
        self.core.overtaken.store(true, Ordering::SeqCst);
        late.swap(0, Ordering::SeqCst) != 0
    }
}

impl Core {
    /// Whether hand-overs were left to the GPU.
    pub(crate) fn has_flags(&self) -> bool {
        !self.listed_flags().is_empty()
    }

    /// Whether the GPU may have given up waiting for a flag, so that work of both sides may use a buffer at once. Asked behind a wait for one side, which was told of
    /// its flags.
    pub(crate) fn may_be_overtaken(&self) -> bool {
        // In this order: flags that are being given back wait for both sides, then tell `overtaken`, and are on the list until then.
        let going = self.listed_flags().iter().any(|(_, words)| words.strong_count() == 0);
        going || self.overtaken.load(Ordering::SeqCst)
    }

    fn listed_flags(&self) -> MutexGuard<'_, Vec<(usize, Weak<Words>)>> {
        self.flags.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells of waits of the GPU that ended without their flags, in what `api` has been waited for: the caller returns it.
    pub(crate) fn tell_late(&self, api: Api) -> Result<()> {
        // The last of them may go here, and locks the list again.
        let words: Vec<Arc<Words>> = self.listed_flags().iter().filter_map(|(_, words)| words.upgrade()).collect();
        let late = words.iter().find(|words| words.take_late(api)).map(|words| words.limit);
        let late = late.or_else(|| self.enqueued.untold(|untold| untold.take_late(api)));
        late.map_or(Ok(()), |limit| Err(Error::TimedOut { api, limit }))
    }
}

impl Release for Words {
    fn release(&mut self) -> Result<()> {
        if self.flags.is_null() {
            return Ok(());
        }
        let waited = self.core.wait_for_both();
        for api in [Api::Hip, Api::OpenCl] {
            if self.take_late(api) {
                self.core.enqueued.untold(|untold| untold.late(api, self.limit));
            }
        }
        let flags = std::mem::replace(&mut self.flags, null_mut());
        waited.map_err(|reason| Error::Leaked {
            what: "the flags of a hand-over".to_owned(),
            reason: Box::new(reason),
        })?;
        // Not before: see `may_be_overtaken`. Flags that are leaked stay there.
        self.core.listed_flags().retain(|(at, _)| *at != flags.addr());
        // SAFETY: allocated by `Flags::new`, given back once, and used by nobody any more.
        unsafe { call!(self.core.libraries.hip, hipHostFree(flags.cast())) }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        log(self.release());
    }
}
