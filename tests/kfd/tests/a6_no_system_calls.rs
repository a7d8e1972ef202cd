//! A6: launching makes no system call, and the doorbell is a mapping of /dev/kfd.
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use allocation_counter::measure;
use aql::Geometry;
use kfd::code::Launch;
use kfd::raw::{self, ArgumentRing};
use kfd::{Arg, Buffer, Error, Placement, Queue, Result, Signal, Wait};
use kfd_runtime::Graph;
use kfd_tests::{gpu, module, on_gpu};

const LAUNCHES: u32 = 100_000;
/// The counter's value, from the thread that may not make system calls.
static COUNTED: AtomicU32 = AtomicU32::new(0);
/// 1 for a refused launch.
static FAILED: AtomicU32 = AtomicU32::new(0);

/// Ends the process when the calling thread makes another system call.
fn forbid_system_calls() {
    const KILL: libc::sock_filter = libc::sock_filter {
        code: (libc::BPF_RET | libc::BPF_K) as u16,
        jt: 0,
        jf: 0,
        k: libc::SECCOMP_RET_KILL_PROCESS,
    };
    let mut filter = [KILL];
    let program = libc::sock_fprog { len: 1, filter: filter.as_mut_ptr() };
    // SAFETY: a filter of one instruction, which the kernel copies.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program), 0);
    }
}

#[test]
fn a6_launches_under_a_filter_that_ends_the_process_at_any_system_call() {
    on_gpu("a6_launches_under_a_filter_that_ends_the_process_at_any_system_call", || launches().unwrap());
}

fn launches() -> Result<()> {
    // The filter does what it says: a child dies of a call that changes nothing.
    // SAFETY: the child makes system calls only.
    let child = unsafe { libc::fork() };
    if child == 0 {
        forbid_system_calls();
        // SAFETY: as above.
        unsafe { libc::getppid() };
        // SAFETY: not reached.
        unsafe { libc::_exit(0) };
    }
    let mut status = 0;
    // SAFETY: waits for the child.
    unsafe { libc::waitpid(child, &mut status, 0) };
    assert!(libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGSYS, "{status:#x}");

    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("increment")?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    counter.host_mut()?[0] = 0;
    // With a slice of such memory each submission sends on what the host wrote there.
    let mut visible = Buffer::<u32>::new(gpu, 1, Placement::VISIBLE)?;
    visible.host_mut()?[0] = 0;
    let mut queue = Queue::new(gpu)?;
    // The kernel that fills is loaded when it is first used.
    let work = queue.fill(&mut visible, 0, 1, 0)?;
    queue.wait(&work, Wait::FOREVER)?;
    let gate = Signal::new(gpu, 0)?;
    thread::spawn(move || {
        forbid_system_calls();
        let sent = visible.write(0, &[1]);
        gate.set(0);
        if sent.is_err() {
            return stay(1, 0);
        }
        for _ in 0..LAUNCHES {
            loop {
                let launched = queue.launch(&kernel, Geometry::one(1, 1).expect("valid")).and_then(|launch| {
                    // SAFETY: the kernel changes the first value.
                    unsafe { launch.buffer_mut(&mut counter).submit() }.map(drop)
                });
                match launched {
                    Ok(()) => break,
                    Err(Error::QueueFull { .. }) => _ = queue.wait_for_room(Wait::Poll(Duration::from_secs(60))),
                    Err(_) => return stay(1, 0),
                }
            }
        }
        // A buffer asks for itself, and tickets wait.
        let waited = queue.fill(&mut visible, 0, 1, 7).and_then(|work| queue.ticket(&work));
        let waited = waited.and_then(|ticket| ticket.wait(Wait::Poll(Duration::from_secs(60))));
        let waited = waited.and_then(|()| visible.host_mut().map(|host| host[0] = 0));
        let counted = counter.host().map_or(0, |host| host[0]);
        stay(u32::from(waited.is_err()), counted);
    });
    while COUNTED.load(Ordering::Acquire) == 0 && FAILED.load(Ordering::Acquire) == 0 {
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(FAILED.load(Ordering::Acquire), 0);
    assert_eq!(COUNTED.load(Ordering::Acquire), LAUNCHES);
    Ok(())
}

/// Says how it went. The thread cannot end, as that is a system call: it is there until the process ends.
fn stay(failed: u32, counted: u32) {
    COUNTED.store(counted, Ordering::Release);
    FAILED.store(failed, Ordering::Release);
    loop {
        spin_loop();
    }
}

#[test]
fn a6_a_graph_is_submitted_again_under_such_a_filter_and_allocates_nothing() {
    on_gpu("a6_a_graph_is_submitted_again_under_such_a_filter_and_allocates_nothing", || graphs().unwrap());
}

/// Two queues count in turn, and how far they count is changed each time.
fn graphs() -> kfd_runtime::Result<()> {
    const ROUNDS: u32 = 2000;
    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("saxpy")?;
    let (mut x, mut y) = (Buffer::<f32>::new(gpu, 1, Placement::HOST)?, Buffer::<f32>::new(gpu, 1, Placement::HOST)?);
    x.host_mut()?.fill(1.0);
    y.host_mut()?.fill(0.0);
    let grid = Geometry::one(1, 1)?;
    let arguments = move |a: f32, from: u64, to: u64| [Arg::from(1), a.into(), Arg::pointer(from), Arg::pointer(to)];
    let (x_at, y_at) = (x.address(), y.address());
    let mut graph = Graph::new(gpu, 4096)?;
    let first = graph.launch(0, &[], &kernel, &Launch::new(grid, &arguments(1.0, x_at, y_at)))?;
    let second = graph.launch(1, &[first], &kernel, &Launch::new(grid, &arguments(1.0, x_at, y_at)))?;
    graph.launch(0, &[second], &kernel, &Launch::new(grid, &arguments(1.0, x_at, y_at)))?;
    let mut queues = [raw::Queue::new(gpu)?, raw::Queue::new(gpu)?];
    let mut once = move |a: f32| -> kfd_runtime::Result<()> {
        graph.set_launch(second, &Launch::new(grid, &arguments(a, x_at, y_at)))?;
        // SAFETY: the kernels access one value of each buffer.
        unsafe { graph.submit(&mut queues, &mut []) }?;
        graph.wait(Wait::Poll(Duration::from_secs(60)))
    };
    once(0.0)?;
    let mut counted = Ok(());
    let allocations = measure(|| counted = (0..ROUNDS).try_for_each(|_| once(2.0)));
    counted?;
    assert_eq!(allocations.count_total, 0);
    thread::spawn(move || {
        forbid_system_calls();
        let counted = (0..ROUNDS).try_for_each(|_| once(4.0));
        let value = y.host().map_or(0, |host| host[0] as u32);
        stay(u32::from(counted.is_err()), value);
    });
    while COUNTED.load(Ordering::Acquire) == 0 && FAILED.load(Ordering::Acquire) == 0 {
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(FAILED.load(Ordering::Acquire), 0);
    assert_eq!(COUNTED.load(Ordering::Acquire), 2 + ROUNDS * 4 + ROUNDS * 6);
    Ok(())
}

#[test]
fn a6_a_ring_of_arguments_is_used_under_such_a_filter_and_allocates_nothing() {
    on_gpu("a6_a_ring_of_arguments_is_used_under_such_a_filter_and_allocates_nothing", || ring().unwrap());
}

/// More launches than the ring has places for, one for each ticket.
fn ring() -> Result<()> {
    const ROUNDS: u32 = 2000;
    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("saxpy")?;
    let (mut x, mut y) = (Buffer::<f32>::new(gpu, 1, Placement::HOST)?, Buffer::<f32>::new(gpu, 1, Placement::HOST)?);
    x.host_mut()?.fill(1.0);
    y.host_mut()?.fill(0.0);
    let (x_at, y_at) = (x.address(), y.address());
    let mut ring = ArgumentRing::new(gpu, 4096)?;
    let mut queue = raw::Queue::new(gpu)?;
    let mut once = move |a: f32| -> Result<()> {
        let arguments = [Arg::from(1), a.into(), Arg::pointer(x_at), Arg::pointer(y_at)];
        let launch = Launch::new(Geometry::one(1, 1)?, &arguments);
        let packet = loop {
            match ring.launch(&kernel, &launch) {
                Ok((packet, _)) => break packet,
                Err(Error::QueueFull { .. }) => ring.wait_for_room(Wait::Poll(Duration::from_secs(60)))?,
                Err(error) => return Err(error),
            }
        };
        // SAFETY: the kernel accesses one value of each buffer.
        let ticket = unsafe { queue.submit(&[packet.into()]) }?;
        ring.used_by(&ticket);
        // The first and the last wait for all.
        if a == 0.0 { queue.wait_idle(Wait::Poll(Duration::from_secs(60))) } else { Ok(()) }
    };
    once(0.0)?;
    let mut counted = Ok(());
    let allocations = measure(|| counted = (0..ROUNDS).try_for_each(|_| once(2.0)));
    counted?;
    assert_eq!(allocations.count_total, 0);
    thread::spawn(move || {
        forbid_system_calls();
        let counted = (0..ROUNDS).try_for_each(|_| once(4.0)).and_then(|()| once(0.0));
        let value = y.host().map_or(0, |host| host[0] as u32);
        stay(u32::from(counted.is_err()), value);
    });
    while COUNTED.load(Ordering::Acquire) == 0 && FAILED.load(Ordering::Acquire) == 0 {
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(FAILED.load(Ordering::Acquire), 0);
    assert_eq!(COUNTED.load(Ordering::Acquire), ROUNDS * 2 + ROUNDS * 4);
    Ok(())
}

#[test]
fn a6_launches_allocate_nothing() {
    on_gpu("a6_launches_allocate_nothing", || no_allocations().unwrap());
}

fn no_allocations() -> Result<()> {
    const N: usize = 300;
    let gpu = gpu()?;
    let saxpy = module(gpu, "basic")?.kernel("saxpy")?;
    let mut x = Buffer::<f32>::new(gpu, N, Placement::HOST)?;
    let mut y = Buffer::<f32>::new(gpu, N, Placement::HOST)?;
    x.host_mut()?.fill(1.0);
    y.host_mut()?.fill(0.0);
    let mut visible = Buffer::<u32>::new(gpu, 1, Placement::VISIBLE)?;
    visible.host_mut()?[0] = 0;
    let (signal, finished) = (Signal::polled(gpu, 0)?, Signal::polled(gpu, 1 << 20)?);
    let mut queue = Queue::new(gpu)?;
    let mut launch_and_wait = || -> Result<()> {
        queue.wait_for(&[&signal])?;
        let launch = queue.launch(&saxpy, Geometry::one(N as u32, 256)?)?;
        // SAFETY: the kernel accesses N values of both buffers and writes the second.
        drop(unsafe {
            launch.argument(N as i32).argument(2.0f32).buffer(&x).buffer_mut(&mut y).completes(&finished).submit()
        }?);
        _ = (x.host_mut().is_ok(), y.host().is_ok());
        while queue.wait_for_room(Wait::Poll(Duration::from_secs(60))).is_err() {}
        Ok(())
    };
    let mut launched = Ok(());
    let allocations = measure(|| launched = (0..5000).try_for_each(|_| launch_and_wait()));
    launched?;
    assert_eq!(allocations.count_total, 0);
    queue.wait_idle(Wait::FOREVER)?;
    assert_ne!(measure(|| drop(std::hint::black_box(Box::new(0)))).count_total, 0, "it counts");
    assert_eq!(y.host()?, [10_000.0; N]);
    Ok(())
}

#[test]
fn a6_doorbells_are_a_mapping_of_the_driver() {
    on_gpu("a6_doorbells_are_a_mapping_of_the_driver", || doorbell().unwrap());
}

fn doorbell() -> Result<()> {
    let mappings = || {
        let maps = std::fs::read_to_string("/proc/self/maps").expect("the kernel shows it");
        // The driver of a virtual device is in the process: its files are memory, with names of their own.
        let of_driver = |line: &&str| line.contains("/dev/kfd") || line.contains("doorbells");
        maps.lines().filter(of_driver).map(str::to_owned).collect::<Vec<_>>()
    };
    let shown = |range: &str| {
        let (start, end) = range.split_once('-').expect("a range");
        let address = |text| u64::from_str_radix(text, 16).expect("hexadecimal");
        address(start)..address(end)
    };
    let gpu = gpu()?;
    let before = mappings();
    let _queues = [Queue::new(gpu)?, Queue::new(gpu)?];
    let after = mappings();
    let new: Vec<_> = after.iter().filter(|line| !before.contains(line)).collect();
    assert_eq!(new.len(), 1, "one page for all queues: {after:?}");
    let range = shown(new[0].split(' ').next().expect("a range"));
    assert_eq!(range.end - range.start, 8192, "{new:?}");
    assert!(new[0].contains(" rw-s "), "{new:?}");
    Ok(())
}
