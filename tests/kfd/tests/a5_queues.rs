//! A5: queues that are gone, and queues that the driver refuses something for.
use std::time::Duration;

use aql::{Condition, Geometry};
use kfd::{
    Buffer, Device, Engine, Errno, Error, Module, Placement, Queue, QueueOptions, Result, SdmaQueue, Signal, Wait,
};
use kfd_tests::{gpu, module, on_gpu, on_gpu_with};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a5_work_of_a_dropped_queue_is_not_the_next_ones() {
    on_gpu("a5_work_of_a_dropped_queue_is_not_the_next_ones", || work_of_a_dropped_queue().unwrap());
}

fn work_of_a_dropped_queue() -> Result<()> {
    const N: usize = 64;
    let gpu = gpu()?;
    let mut from = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    let mut to = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    from.host_mut()?.fill(7);
    let mut first = Queue::new(gpu)?;
    let work = first.copy(&from, 0, &mut to, 0, N)?;
    drop(first);
    let mut second = Queue::new(gpu)?;
    assert!(!second.is_done(&work));
    assert!(matches!(second.wait(&work, Wait::Poll(SECOND)), Err(Error::OtherQueue)));

    let mut first = SdmaQueue::new(gpu, Engine::Any)?;
    let work = first.copy(&from, 0, &mut to, 0, N)?;
    drop(first);
    let mut second = SdmaQueue::new(gpu, Engine::Any)?;
    assert!(!second.is_done(&work));
    assert!(matches!(second.wait(&work, Wait::Poll(SECOND)), Err(Error::OtherQueue)));
    Ok(())
}

/// Launches a kernel that needs scratch memory, for which another queue of the driver continues this one.
fn launch_with_scratch(queue: &mut Queue, module: &Module) -> Result<()> {
    let mut out = Buffer::<u32>::new(queue.device(), 64, Placement::HOST)?;
    // SAFETY: a value for each work-item.
    let work =
        unsafe { queue.launch(&module.kernel("scratchy")?, Geometry::one(64, 64)?)?.buffer_mut(&mut out).submit() }?;
    queue.wait(&work, Wait::FOREVER)?;
    // The place that it reads has the number of the work-item twice.
    assert!(out.host()?.iter().enumerate().all(|(i, value)| *value == 2 * i as u32), "{:?}", out.host()?);
    Ok(())
}

fn is_refusal(result: Result<()>, of: &str, with: i32) -> bool {
    matches!(result, Err(Error::Request { request, errno: Errno(errno), .. }) if request == of && errno == with)
}

#[test]
fn a5_a_queue_that_the_driver_gave_up_ends_no_other() {
    let faults = ["--faults", "ioctl:DESTROY_QUEUE:1=ETIME"];
    on_gpu_with(&faults, "a5_a_queue_that_the_driver_gave_up_ends_no_other", || gave_up().unwrap());
}

fn gave_up() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let before = gpu.available_vram()?;
    let mut first = Queue::new(gpu)?;
    // What continues it has taken over, and only the log says that the old one stays.
    launch_with_scratch(&mut first, &module)?;
    // Gets the number that the old one had.
    let mut second = Queue::new(gpu)?;
    launch_with_scratch(&mut second, &module)?;
    launch_with_scratch(&mut first, &module)?;
    drop(first);
    launch_with_scratch(&mut second, &module)?;
    drop(second);
    assert!(gpu.available_vram()? < before, "what may still run keeps its memory");
    launch_with_scratch(&mut Queue::new(gpu)?, &module)
}

/// How many compute units 120 work-groups run on.
fn units(queue: &mut Queue, module: &Module) -> Result<usize> {
    const GROUPS: u32 = 120;
    let mut out = Buffer::<u32>::new(queue.device(), GROUPS as usize * 64, Placement::HOST)?;
    let grid = Geometry::one(GROUPS * 64, 64)?;
    // SAFETY: a value for each work-item.
    let work = unsafe { queue.launch(&module.kernel("unit")?, grid)?.buffer_mut(&mut out).submit() }?;
    queue.wait(&work, Wait::FOREVER)?;
    let mut units = out.host()?.to_vec();
    units.sort_unstable();
    units.dedup();
    Ok(units.len())
}

/// XCCs of the GPU, each of which needs a compute unit.
fn xccs(gpu: Device) -> usize {
    gpu.node().property("num_xcc").map_or(1, |xccs| xccs as usize)
}

/// A queue that has one compute unit of each XCC.
fn on_one_unit(gpu: Device) -> Result<Queue> {
    Queue::with(gpu, QueueOptions::default().with_cu_mask(&[(1 << xccs(gpu)) - 1]))
}

#[test]
fn a5_work_is_spread_over_the_xccs() {
    on_gpu("a5_work_is_spread_over_the_xccs", || spread().unwrap());
}

fn spread() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let mut queue = on_one_unit(gpu)?;
    let mut out = Buffer::<u32>::new(gpu, 64 * 64, Placement::HOST)?;
    let kernel = module.kernel("unit")?;
    let launch = queue.launch(&kernel, Geometry::one(64 * 64, 64)?)?;
    // SAFETY: a value for each work-item.
    let work = unsafe { launch.buffer_mut(&mut out).submit() }?;
    queue.wait(&work, Wait::FOREVER)?;
    // Which is the first one's is not the kernel's business; that they take turns is.
    let xcc: Vec<u32> = out.host()?.iter().step_by(64).map(|place| place >> 16).collect();
    let mut first = xcc[..xccs(gpu)].to_vec();
    assert!(xcc.iter().enumerate().all(|(group, xcc)| *xcc == first[group % first.len()]), "{xcc:?}");
    first.sort_unstable();
    assert_eq!(first, (0..xccs(gpu) as u32).collect::<Vec<u32>>());
    if xccs(gpu) > 1 {
        let error = queue.set_cu_mask(&[1]).unwrap_err();
        assert!(matches!(error, Error::Value { value: 0, .. }), "{error}");
        assert_eq!(units(&mut queue, &module)?, xccs(gpu), "the mask is as it was");
    }
    Ok(())
}

#[test]
fn a5_refused_compute_units_change_nothing() {
    let faults = ["--faults", "ioctl:SET_CU_MASK:2=EINVAL"];
    on_gpu_with(&faults, "a5_refused_compute_units_change_nothing", || refused_units().unwrap());
}

fn refused_units() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let mut queue = on_one_unit(gpu)?;
    assert!(is_refusal(queue.set_cu_mask(&[u32::MAX; 4]), "AMDKFD_IOC_SET_CU_MASK", libc::EINVAL));
    assert_eq!(units(&mut queue, &module)?, xccs(gpu));
    launch_with_scratch(&mut queue, &module)?;
    assert_eq!(units(&mut queue, &module)?, xccs(gpu), "the new queue has the mask of the old one");
    queue.set_cu_mask(&[])?;
    assert!(units(&mut queue, &module)? > xccs(gpu));
    // Also before anything was launched.
    let mut queue = on_one_unit(gpu)?;
    queue.set_cu_mask(&[])?;
    assert!(units(&mut queue, &module)? > xccs(gpu));
    Ok(())
}

#[test]
fn a5_without_its_compute_units_a_queue_gets_no_scratch() {
    let faults = ["--faults", "ioctl:SET_CU_MASK:2=ENOMEM"];
    on_gpu_with(&faults, "a5_without_its_compute_units_a_queue_gets_no_scratch", || no_units().unwrap());
}

fn no_units() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let mut queue = on_one_unit(gpu)?;
    assert!(is_refusal(launch_with_scratch(&mut queue, &module), "AMDKFD_IOC_SET_CU_MASK", libc::ENOMEM));
    assert_eq!(units(&mut queue, &module)?, xccs(gpu), "the queue is as it was");
    drop(queue);
    assert_eq!(units(&mut on_one_unit(gpu)?, &module)?, xccs(gpu));
    Ok(())
}

#[test]
fn a5_signals_and_queues_share_the_processs_events() {
    on_gpu("a5_signals_and_queues_share_the_processs_events", || events().unwrap());
}

fn events() -> Result<()> {
    const EVENTS: usize = 4096;
    let gpu = gpu()?;
    let mut queue = Queue::new(gpu)?;
    let engine = SdmaQueue::new(gpu, Engine::Any)?;
    let mut signals = Vec::new();
    let error = loop {
        match Signal::new(gpu, 0) {
            Ok(signal) => signals.push(signal),
            Err(error) => break error,
        }
    };
    // One is for errors of queues, and the driver may keep one.
    assert!([EVENTS - 4, EVENTS - 3].contains(&signals.len()), "{}", signals.len());
    assert!(error.to_string().contains("Signal::polled"), "{error}");
    assert!(Queue::new(gpu).is_err());
    queue.signal(&Signal::polled(gpu, 1)?)?;
    drop(engine);
    signals.push(Signal::new(gpu, 0)?);
    signals.pop();
    Queue::new(gpu)?.wait_idle(Wait::FOREVER)
}

#[test]
fn a5_a_launch_that_is_forgotten_leaves_nothing_to_the_next_one() {
    on_gpu("a5_a_launch_that_is_forgotten_leaves_nothing_to_the_next_one", || forgotten().unwrap());
}

/// `mem::forget` is safe: a launch that was never submitted completes no signal, so the queue that is dropped abandons
/// none.
fn forgotten() -> Result<()> {
    let gpu = gpu()?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    counter.host_mut()?[0] = 5;
    let (signal, gate) = (Signal::new(gpu, 1)?, Signal::new(gpu, 1)?);
    let mut queue = Queue::new(gpu)?;
    let mut other = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    other.host_mut()?[0] = 9;
    std::mem::forget(
        queue.launch(&increment, Geometry::one(1, 1)?)?.argument(1u32).buffer_mut(&mut other).completes(&signal),
    );
    let launch = queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut counter);
    // SAFETY: the kernel changes the first value.
    let work = unsafe { launch.submit() }?;
    queue.wait(&work, Wait::FOREVER)?;
    assert_eq!((counter.host()?[0], other.host_mut()?[0]), (6, 9));
    std::mem::forget(queue.launch(&increment, Geometry::one(1, 1)?)?.completes(&signal));
    // This one is never done: what it was to complete is abandoned with the queue.
    queue.wait_for(&[&gate])?;
    drop(queue);
    let short = Wait::Sleep(Duration::from_millis(20));
    let waited = signal.wait(Condition::Eq, 0, short);
    assert!(matches!(waited, Err(Error::Timeout { .. })), "{waited:?}");
    // Nothing was to complete it: others may wait for it.
    let mut queue = Queue::new(gpu)?;
    queue.wait_for(&[&signal])?;
    signal.set(0);
    queue.wait_idle(Wait::FOREVER)
}
