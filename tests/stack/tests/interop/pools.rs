//! Buffers of one size that are used again.
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use rocm_interop::memory::BufferPool;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::{Argument, Buffer, Error, OpenCl, Result, Session};

use crate::failures::intercepted;
use crate::{N, Sides, ran_alone, session, shims};

const LATE: &str = "kernel void late(global uint *x, ulong flag) {
    while (!atomic_load_explicit((global atomic_uint *)flag, memory_order_relaxed, memory_scope_all_svm_devices)) __builtin_amdgcn_s_sleep(8);
    x[0] = 7;
}";

/// Whoever has the descriptor would have the contents of the pool's next user.
#[test]
fn what_was_exported_does_not_come_back() {
    const LONG: usize = 4 << 20;
    needs_amd_opencl!();
    let session = session();
    let pool = BufferPool::<u8, _>::new(&session, LONG, 1, Session::allocate).expect("pool");
    let mut first = pool.take().expect("take").expect("there is one");
    first.write(&[7; LONG]).expect("write");
    let exported = first.export().expect("export");
    drop(first);
    assert_eq!((pool.statistics().allocated, pool.statistics().idle), (0, 0));

    let mut second = pool.take().expect("take").expect("there is room for one again");
    assert_eq!((pool.statistics().allocated, pool.statistics().reused), (1, 1), "the first one was reused once");
    second.write(&[9; LONG]).expect("write");
    let mut seen = vec![0; LONG];
    session.import::<u8>(&exported).expect("the object is still there").read(&mut seen).expect("read");
    assert!(
        seen.iter().all(|byte| *byte == 7),
        "{} of them are the next user's",
        seen.iter().filter(|b| **b == 9).count()
    );
    drop(second);
    assert_eq!((pool.statistics().allocated, pool.statistics().idle), (1, 1));
}

/// A buffer comes back without a wait, and is given again when the GPU is done with it; the limit holds.
#[test]
fn what_comes_back_is_used_again_when_the_gpu_is_done() {
    needs_amd_opencl!();
    // A kernel that waits would hold up other tests' queues, which share its queue of the hardware.
    if ran_alone("pools::what_comes_back_is_used_again_when_the_gpu_is_done", &[]) {
        return;
    }
    let (session, other) = (intercepted(), session());
    let late = OpenClProgram::build(&session, LATE, "-cl-std=CL2.0").expect("program").kernel("late").expect("kernel");
    let sides = Sides::new(&session).expect("kernels");
    let mut flag = other.allocate_host::<u32>(1).expect("allocate");
    flag.host_slice().expect("nobody uses it")[0] = 0;
    let until = flag.address();
    let pool = BufferPool::<u32, _>::new(&session, N, 2, Session::allocate).expect("pool");
    let statistics = pool.statistics();
    assert_eq!((statistics.allocated, statistics.idle), (1, 1), "the first is made with the pool");

    let mut first = pool.take().expect("take").expect("there is one");
    assert_eq!(pool.statistics().allocated, 1, "it is used again");
    first.write(&[1; N]).expect("write");
    let base = first.residency().base;
    // SAFETY: one work-item; the flag is there until the kernel has ended.
    unsafe { late.launch(&[1], None, &[(&first).into(), Argument::value(&until)]) }.expect("launch");
    drop(first);
    let second = pool.take().expect("take").expect("there is room");
    assert_ne!(second.residency().base, base, "the GPU still uses the first");
    assert_eq!((pool.statistics().allocated, pool.statistics().idle), (2, 1));
    let got = AtomicU64::new(0);
    std::thread::scope(|threads| {
        let (got, pool) = (&got, &pool);
        threads.spawn(move || {
            let again = pool.take().expect("take").expect("the first");
            got.store(again.residency().base, Ordering::SeqCst);
            let mut end = [0; 2];
            again.read(&mut end).expect("read");
            assert_eq!(end, [7, 1], "its last use has ended");
            assert!(pool.take().expect("take").is_none(), "both are in use");
        });
        std::thread::sleep(Duration::from_millis(300));
        let early = got.load(Ordering::SeqCst);
        flag.host_slice().expect("no kernel of its session's uses it")[0] = 1;
        assert_eq!(early, 0, "given while a kernel uses it");
    });
    assert_eq!(got.load(Ordering::SeqCst), base);

    // By HIP, and closed.
    let on_hip = second.into_hip().expect("hand-over");
    sides.triple(&on_hip).expect("launch");
    on_hip.close().expect("close");
    let [one, two] = [(); 2].map(|()| pool.take().expect("take").expect("both are back"));
    let statistics = pool.statistics();
    assert_eq!((statistics.allocated, statistics.idle, statistics.waited), (2, 0, 1));
    assert_eq!((statistics.taken, statistics.reused), (6, 4));
    assert!(!shims::counts().contains_key("clSVMFree"), "nothing is given back so far");
    drop((one, pool, two));
    assert_eq!(shims::counts()["clSVMFree"].made, 2);
    assert_eq!(shims::freed_in_use(), [""; 0]);
}

#[test]
fn pools_of_nothing_are_refused() {
    needs_amd_opencl!();
    let session = session();
    let refused = |outcome: Result<BufferPool<u32, _>>, words: &str| {
        let error = outcome.expect_err(words).to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(BufferPool::new(&session, N, 0, Session::allocate), "limit: is 0");
    refused(BufferPool::new(&session, 0, 1, Session::allocate), "len: 0 elements");
    let pool = BufferPool::<u32, _>::new(&session, N, 1, Session::allocate_hip).expect("pool");
    let mut buffer = pool.take().expect("take").expect("one");
    buffer.write(&[3; N]).expect("write");
    assert!(pool.take().expect("take").is_none());
    drop(pool);
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("it outlives its pool");
    assert_eq!(end, [3; N]);
}

/// The length of a pooled buffer is what was asked for: its memory alone comes back, and gets that length again.
#[test]
fn a_pool_takes_no_other_buffers_than_it_asks_for() {
    needs_amd_opencl!();
    type Made = Result<Buffer<u32, OpenCl>>;
    static OTHER: OnceLock<Session> = OnceLock::new();
    static POOL: OnceLock<BufferPool<u32, OpenCl>> = OnceLock::new();
    fn shorter(session: &Session, _: usize) -> Made {
        session.allocate_host(1)
    }
    fn longer(session: &Session, len: usize) -> Made {
        session.allocate(2 * len)
    }
    fn elsewhere(_: &Session, len: usize) -> Made {
        OTHER.get().expect("a session").allocate(len)
    }
    fn of_a_pool(_: &Session, _: usize) -> Made {
        Ok(POOL.get().expect("a pool").take()?.expect("one"))
    }
    /// The first is right.
    fn shorter_later(session: &Session, len: usize) -> Made {
        static MADE: AtomicU32 = AtomicU32::new(0);
        session.allocate(if MADE.fetch_add(1, Ordering::Relaxed) == 0 { len } else { len - 1 })
    }
    let session = session();
    OTHER.set(crate::session()).expect("once");
    POOL.set(BufferPool::new(&session, N, 1, Session::allocate).expect("pool")).expect("once");
    let refused = |make: fn(&Session, usize) -> Made, len: usize, words: &str| {
        let error = BufferPool::new(&session, len, 2, make).expect_err(words);
        assert!(matches!(error, Error::Argument { .. }) && error.to_string().contains(words), "{error}");
    };
    refused(shorter, 1 << 28, "made one of 1 elements, but was asked for 268435456");
    refused(longer, N, "made one of 8192 elements, but was asked for 4096");
    refused(elsewhere, N, "is of another session");
    refused(of_a_pool, N, "is of another pool");
    let counts = POOL.get().expect("a pool").statistics();
    assert_eq!((counts.allocated, counts.idle), (1, 1), "it is back in its own");

    let pool = BufferPool::new(&session, N, 2, shorter_later).expect("pool");
    let first = pool.take().expect("take").expect("the first");
    let error = pool.take().expect_err("a shorter one").to_string();
    assert!(error.contains("made one of 4095 elements, but was asked for 4096"), "{error}");
    let counts = pool.statistics();
    assert_eq!((counts.allocated, counts.idle, counts.taken), (1, 0, 2), "the refused one is none of its");
    drop(first);
    let again = pool.take().expect("take").expect("the first");
    assert_eq!((again.len(), again.residency().bytes >= 4 * N), (N, true));
}

/// A panic of the function that makes buffers takes no place in the pool.
#[test]
fn a_pool_whose_function_panics_goes_on() {
    needs_amd_opencl!();
    fn panics_once(session: &Session, len: usize) -> Result<Buffer<u32, OpenCl>> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        assert_ne!(MADE.fetch_add(1, Ordering::Relaxed), 1, "the second time");
        session.allocate(len)
    }
    let session = session();
    let pool = BufferPool::new(&session, N, 2, panics_once).expect("pool");
    let one = pool.take().expect("take").expect("the first");
    catch_unwind(AssertUnwindSafe(|| pool.take().map(drop))).expect_err("a panic");
    assert_eq!((pool.statistics().allocated, pool.statistics().taken), (1, 2));
    let mut two = pool.take().expect("take").expect("there is room for another");
    two.write(&[5; N]).expect("write");
    let mut end = vec![0; N];
    two.read(&mut end).expect("read");
    assert_eq!((end, pool.statistics().allocated), (vec![5; N], 2));
    drop((one, two));
}
