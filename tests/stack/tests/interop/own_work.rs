//! Y6: a hand-over waits for the work that may use its buffer, and not for other work of the session.
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hip_sys::{Hip, hipError_t};
use rocm_interop::hip::{HipKernel, HipModule};
use rocm_interop::memory::BufferPool;
use rocm_interop::opencl::{OpenClKernel, OpenClProgram};
use rocm_interop::sys::Api;
use rocm_interop::{Argument, Buffer, Error, OpenCl, Refused, Session};

use crate::hand_over::hold_up;
use crate::{N, Sides, assert_same, ran_alone, session};

const OPENCL: &str = "kernel void hang(ulong flag, global uint *x) {
    while (!atomic_load_explicit((global atomic_uint *)flag, memory_order_relaxed, memory_scope_all_svm_devices)) __builtin_amdgcn_s_sleep(8);
    x[0] = 7;
}";
const HIP: &str = r#"extern "C" __global__ void hang_on(unsigned long long flag, unsigned *x) {
    while (!__hip_atomic_load((unsigned *)flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM)) __builtin_amdgcn_s_sleep(8);
    x[0] = 7;
}
extern "C" __global__ void hang_at(unsigned long long flag, unsigned long long at) {
    while (!__hip_atomic_load((unsigned *)flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM)) __builtin_amdgcn_s_sleep(8);
    *(unsigned *)at = 7;
}"#;

/// How long a kernel runs if nobody lets it end: whoever waits for it returns then, and the test fails.
const TOO_LONG: Duration = Duration::from_secs(30);

/// A session with kernels that run until they are let go, and a word of another session that lets them.
struct Hanging {
    session: Session,
    sides: Sides,
    opencl: OpenClKernel,
    hip: HipKernel,
    flag: Buffer<u32, OpenCl>,
    /// Where the flag is.
    word: usize,
}

impl Hanging {
    fn new() -> Hanging {
        Hanging::of(session())
    }

    fn of(session: Session) -> Hanging {
        let program = OpenClProgram::build(&session, OPENCL, "-cl-std=CL2.0").expect("program");
        let module = HipModule::build(&session, HIP).expect("module");
        let (opencl, hip) = (program.kernel("hang").expect("kernel"), module.kernel("hang_on").expect("kernel"));
        let sides = Sides::new(&session).expect("kernels");
        let mut flag = crate::session().allocate_host::<u32>(1).expect("allocate");
        let word = flag.host_slice().expect("nobody uses it").as_mut_ptr().expose_provenance();
        let hanging = Hanging { session, sides, opencl, hip, flag, word };
        hanging.word().store(0, Ordering::SeqCst);
        hanging
    }

    fn word(&self) -> &AtomicU32 {
        // SAFETY: one aligned word of host memory that is there as long as `flag`, and is only used atomically.
        unsafe { AtomicU32::from_ptr(std::ptr::with_exposed_provenance_mut(self.word)) }
    }

    /// Begins a kernel of `api`'s that uses `busy` and does not end before the end of `meanwhile`, which no wait for it
    /// may hold up.
    fn while_it_runs<R>(&self, api: Api, busy: Buffer<u32, OpenCl>, meanwhile: impl FnOnce() -> R) -> R {
        self.word().store(0, Ordering::SeqCst);
        let until = self.flag.address();
        let busy = if api == Api::OpenCl {
            // SAFETY: one work-item; the flag is there until the kernel has ended.
            unsafe { self.opencl.launch(&[1], None, &[Argument::value(&until), (&busy).into()]) }.expect("launch");
            Ok(busy)
        } else {
            let busy = busy.into_hip().expect("hand-over");
            // SAFETY: as above.
            unsafe { self.hip.launch(1, 1, 0, &[Argument::value(&until), (&busy).into()]) }.expect("launch");
            Err(busy)
        };
        let (is_over, was_late) = (AtomicBool::new(false), AtomicBool::new(false));
        let result = std::thread::scope(|threads| {
            let watch = threads.spawn(|| {
                let start = Instant::now();
                while !is_over.load(Ordering::SeqCst) {
                    if start.elapsed() > TOO_LONG {
                        was_late.store(true, Ordering::SeqCst);
                        self.word().store(1, Ordering::SeqCst);
                        return;
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
            });
            let result = meanwhile();
            is_over.store(true, Ordering::SeqCst);
            watch.join().expect("no panic");
            result
        });
        assert!(!was_late.load(Ordering::SeqCst), "somebody waited for {api}'s kernel on another buffer");
        self.word().store(1, Ordering::SeqCst);
        let mut end = [0];
        match busy {
            Ok(busy) => busy.read(&mut end),
            Err(busy) => busy.into_opencl().expect("it ends").read(&mut end),
        }
        .expect("read");
        assert_eq!(end, [7], "the hand-over of its own buffer waits for it");
        result
    }
}

/// Whatever failed, nobody waits for ever.
impl Drop for Hanging {
    fn drop(&mut self) {
        self.word().store(1, Ordering::SeqCst);
    }
}

/// The same where something that waits is dropped before.
struct LetGo<'h>(&'h Hanging);

impl Drop for LetGo<'_> {
    fn drop(&mut self) {
        self.0.word().store(1, Ordering::SeqCst);
    }
}

fn numbers() -> Vec<u32> {
    (0..N as u32).collect()
}

fn filled(session: &Session) -> Buffer<u32, OpenCl> {
    let mut buffer = session.allocate(N).expect("allocate");
    buffer.write(&numbers()).expect("write");
    buffer
}

#[track_caller]
fn assert_contents(buffer: &Buffer<u32, OpenCl>, want: impl Fn(u32) -> u32) {
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    assert_same(&end, &numbers().into_iter().map(want).collect::<Vec<_>>());
}

/// A kernel of OpenCL's runs all the time; the buffers that it was not given go to HIP, which computes on them.
#[test]
fn y6_buffers_pass_to_hip_while_a_kernel_of_opencls_runs_on_another() {
    needs_amd_opencl!();
    // A kernel that waits would hold up other tests' queues, which share its queue of the hardware.
    if ran_alone("own_work::y6_buffers_pass_to_hip_while_a_kernel_of_opencls_runs_on_another", &[]) {
        return;
    }
    let hanging = Hanging::new();
    let session = &hanging.session;
    let (now, later, pair, busy) =
        (filled(session), filled(session), (filled(session), filled(session)), filled(session));
    for buffer in [&now, &later, &pair.0, &pair.1] {
        hanging.sides.add(buffer, 1).expect("launch");
    }
    // AMD's OpenCL tells of the end of commands that it submitted as one only when all of them have ended.
    drop(session.queue_event().expect("it flushes"));
    let (now, later, pair) = hanging.while_it_runs(Api::OpenCl, busy, || {
        let now = now.into_hip().expect("hand-over");
        hanging.sides.triple(&now).expect("launch");
        let now = now.into_opencl().expect("hand-over");
        let pending = later.into_hip_later().expect("begun");
        let later = pending.wait().expect("hand-over");
        let pending = pair.0.into_hip_later().expect("begun");
        let first = stack_tests::block_on(pending).expect("hand-over");
        let elsewhere = session.beside().expect("another session");
        let second = pair.1.into_session(&elsewhere).expect("passed on").into_hip().expect("hand-over");
        (now, later.into_opencl().expect("hand-over"), (first, second.into_opencl().expect("hand-over")))
    });
    assert_contents(&now, |i| 3 * (i + 1));
    assert_contents(&later, |i| i + 1);
    assert_contents(&pair.0.into_opencl().expect("hand-over"), |i| i + 1);
    assert_contents(&pair.1, |i| i + 1);
}

/// The same the other way: HIP has no event for each kernel, so these were waited for before, or none of HIP's got
/// them.
#[test]
fn y6_buffers_pass_to_opencl_while_a_kernel_of_hips_runs_on_another() {
    needs_amd_opencl!();
    // As above.
    if ran_alone("own_work::y6_buffers_pass_to_opencl_while_a_kernel_of_hips_runs_on_another", &[]) {
        return;
    }
    let hanging = Hanging::new();
    let session = &hanging.session;
    let [used, unused, later, passed, staged] = std::array::from_fn(|_| filled(session).into_hip().expect("hand-over"));
    hanging.sides.triple(&used).expect("launch");
    session.synchronize().expect("it has ended");
    let busy = filled(session);
    let mut host = vec![0; 64];
    let mut to = session.allocate_hip::<u32>(N).expect("allocate").into_opencl().expect("hand-over");
    let (mut from_hips, mut to_hips) =
        (session.allocate_hip::<u32>(N).expect("allocate"), session.allocate_hip::<u32>(N).expect("allocate"));
    from_hips.write(&numbers()).expect("write");
    let [used, unused, later, passed] = hanging.while_it_runs(Api::Hip, busy, || {
        let used = used.into_opencl().expect("hand-over");
        hanging.sides.add(&used, 1).expect("launch");
        let unused = unused.into_opencl().expect("hand-over");
        let later = later.into_opencl_later().expect("begun");
        assert!(later.is_ready().expect("asked"));
        let later = later.wait().expect("hand-over");
        let passed = passed.into_session(&session.beside().expect("another session")).expect("passed on").into_opencl();
        let mut staged = staged;
        staged.copy_staged(&mut to, &mut host).expect("copied");
        from_hips.copy_peer(&mut to_hips).expect("copied");
        [used, unused, later, passed.expect("hand-over")]
    });
    assert_contents(&used, |i| 3 * i + 1);
    for buffer in [&unused, &later, &passed, &to] {
        assert_contents(buffer, |i| i);
    }
    assert_contents(&to_hips.into_opencl().expect("hand-over"), |i| i);
}

/// What is handed over waits all the same for work that may use it: that which others launched, on a queue or stream
/// that they have too or by a library; and that which was told its address.
#[test]
fn y6_work_that_may_use_a_buffer_holds_its_hand_over_up() {
    needs_amd_opencl!();
    // As above.
    if ran_alone("own_work::y6_work_that_may_use_a_buffer_holds_its_hand_over_up", &[]) {
        return;
    }
    let hip = Hip::load().expect("HIP");
    type Case<'c> = (&'c str, &'c dyn Fn(&Hanging, &Buffer<u32, rocm_interop::Hip>));
    let cases: [Case<'_>; 4] = [
        ("as an argument", &|hanging, buffer| {
            // SAFETY: one work-item; the flag is there until the kernel has ended.
            unsafe { hanging.hip.launch(1, 1, 0, &[Argument::value(&hanging.flag.address()), buffer.into()]) }
                .expect("launch");
        }),
        ("by its address", &|hanging, buffer| {
            let (flag, address) = (hanging.flag.address(), buffer.address());
            let module = HipModule::build(&hanging.session, HIP).expect("module");
            let kernel = module.kernel("hang_at").expect("kernel");
            // SAFETY: as above.
            unsafe { kernel.launch(1, 1, 0, &[Argument::value(&flag), Argument::value(&address)]) }.expect("launch");
            // Their drops would wait.
            std::mem::forget((module, kernel));
        }),
        ("of a library", &|hanging, buffer| {
            let elsewhere = filled(&hanging.session).into_hip().expect("hand-over");
            // SAFETY: as above.
            unsafe { hanging.hip.launch(1, 1, 0, &[Argument::value(&hanging.flag.address()), (&elsewhere).into()]) }
                .expect("launch");
            let raw = hanging.session.raw_hip().expect("HIP");
            let at = raw.pointer(buffer).expect("of the session").cast_mut().cast::<c_void>();
            // SAFETY: one word of the buffer, which nobody else uses.
            let code = unsafe { hip.hipMemsetD32Async(at, 7, 1, raw.stream()) };
            assert_eq!(code.expect("HIP"), hipError_t::hipSuccess);
            // Its drop would wait.
            std::mem::forget(elsewhere);
        }),
        ("of an event", &|hanging, buffer| {
            let other = hanging.session.beside().expect("another session");
            let kernel = HipModule::build(&other, HIP).expect("module").kernel("hang_at").expect("kernel");
            let (flag, address) = (hanging.flag.address(), buffer.residency().base);
            // SAFETY: as above; the buffer is where its memory begins.
            unsafe { kernel.launch(1, 1, 0, &[Argument::value(&flag), Argument::value(&address)]) }.expect("launch");
            let event = other.stream_event().expect("event");
            // SAFETY: a live event.
            unsafe { hanging.session.stream_waits_for(&[event.raw()]) }.expect("wait");
            std::mem::forget((kernel, event));
        }),
    ];
    for (name, launch) in cases {
        for later in [false, true] {
            let hanging = Hanging::new();
            // HIP's own functions know no other.
            let mut buffer = hanging.session.allocate_hip::<u32>(N).expect("allocate");
            buffer.write(&numbers()).expect("write");
            let base = buffer.residency().base;
            launch(&hanging, &buffer);
            let ended = AtomicBool::new(false);
            let buffer = std::thread::scope(|threads| {
                let waits = threads.spawn(|| {
                    let handed: Result<_, Error> = if later {
                        buffer
                            .into_opencl_later()
                            .map_err(Refused::into_error)
                            .and_then(|pending| pending.wait().map_err(Refused::into_error))
                    } else {
                        buffer.into_opencl().map_err(Refused::into_error)
                    };
                    ended.store(true, Ordering::SeqCst);
                    handed.expect("hand-over")
                });
                std::thread::sleep(Duration::from_millis(200));
                let early = ended.load(Ordering::SeqCst);
                hanging.word().store(1, Ordering::SeqCst);
                assert!(!early, "{name}, later: {later}");
                waits.join().expect("no panic")
            });
            assert_contents(&buffer, |i| if i == 0 { 7 } else { i });
            assert_eq!(buffer.address(), base, "which the kernel behind the event wrote to");
        }
    }

    // On a stream that others have.
    let hanging = Hanging::new();
    let buffer = filled(&hanging.session).into_hip().expect("hand-over");
    let held = hold_up(&hanging.session);
    let ended = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            drop(buffer.into_opencl().expect("hand-over"));
            ended.store(true, Ordering::SeqCst);
        });
        std::thread::sleep(Duration::from_millis(200));
        let early = ended.load(Ordering::SeqCst);
        drop(held);
        assert!(!early, "others have the stream");
    });
}

/// One buffer that a kernel still uses does not hide those of a pool that are done.
#[test]
fn y6_a_pool_gives_what_is_done_behind_what_is_not() {
    needs_amd_opencl!();
    // As above.
    if ran_alone("own_work::y6_a_pool_gives_what_is_done_behind_what_is_not", &[]) {
        return;
    }
    let hanging = Hanging::new();
    let pool = BufferPool::<u32, _>::new(&hanging.session, N, 3, Session::allocate).expect("pool");
    let _let_go = LetGo(&hanging);
    let [first, second] = [(); 2].map(|()| pool.take().expect("take").expect("there is room"));
    let (slow, done) = (first.residency().base, second.residency().base);
    hanging.word().store(0, Ordering::SeqCst);
    // SAFETY: one work-item; the flag is there until the kernel has ended.
    unsafe { hanging.opencl.launch(&[1], None, &[Argument::value(&hanging.flag.address()), (&first).into()]) }
        .expect("launch");
    drop(first);
    drop(second);
    let again = pool.take().expect("take").expect("one is done");
    assert_eq!(again.residency().base, done);
    let statistics = pool.statistics();
    assert_eq!((statistics.allocated, statistics.idle, statistics.waited), (2, 1, 0), "the slow one is still there");
    let third = pool.take().expect("take").expect("there is room");
    assert!(![slow, done].contains(&third.residency().base));
    hanging.word().store(1, Ordering::SeqCst);
    let fourth = pool.take().expect("take").expect("the slow one");
    assert_eq!((fourth.residency().base, pool.statistics().allocated), (slow, 3));
    // What is passed on to another session is the pool's no more.
    let beside = hanging.session.beside().expect("another session");
    let passed = third.into_session(&beside).expect("nobody uses it");
    assert_eq!(pool.statistics().allocated, 2);
    drop((again, fourth));
    assert_eq!((pool.statistics().allocated, pool.statistics().idle), (2, 2));
    let sides = Sides::new(&beside).expect("kernels");
    sides.run(passed).expect("the other session's");
    assert_eq!((pool.statistics().allocated, pool.statistics().idle), (2, 2), "it did not come back");
    let taken: Vec<_> = std::iter::from_fn(|| pool.take().expect("take")).collect();
    assert_eq!(taken.len(), 3, "there is room for one more");
}
