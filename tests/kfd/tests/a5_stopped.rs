//! A5: what stops one queue, or ends it, is that queue's own: others go on, and whoever depends on it hears of it.
use std::thread;

use aql::{AgentDispatch, Condition, Control, Geometry, KernelDispatch};
use kfd::{
    Buffer, Copier, Device, Engine, Error, Kernel, Module, Placement, Queue, QueueError, QueueOptions, Result, Signal,
    Wait,
};
use kfd_tests::within::{LONG, within_long};
use kfd_tests::{gpu, module, on_gpu};

const N: usize = 5000;

fn buffer(gpu: Device, len: usize, value: u32) -> Result<Buffer<u32>> {
    let mut buffer = Buffer::new(gpu, len, Placement::HOST)?;
    buffer.host_mut()?.fill(value);
    Ok(buffer)
}

/// A queue that is held by a kernel until the host writes 1, and counts behind it.
struct Held {
    queue: Queue,
    increment: Kernel,
    flag: Buffer<u32>,
    counter: Buffer<u32>,
}

impl Held {
    fn new(gpu: Device, module: &Module) -> Result<Held> {
        let (flag, mut counter) = (buffer(gpu, 1, 0)?, buffer(gpu, 1, 0)?);
        let (gate, increment) = (module.kernel("gate")?, module.kernel("increment")?);
        let mut queue = Queue::new(gpu)?;
        // SAFETY: the kernel reads one value, which the host writes atomically as far as it is concerned.
        drop(unsafe { queue.launch(&gate, Geometry::one(1, 1)?)?.buffer(&flag).submit() }?);
        // SAFETY: the kernel changes the first value.
        drop(unsafe { queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?);
        Ok(Held { queue, increment, flag, counter })
    }

    fn count(&mut self) -> Result<()> {
        let launch = self.queue.launch(&self.increment, Geometry::one(1, 1)?)?;
        // SAFETY: the kernel changes the first value.
        unsafe { launch.buffer_mut(&mut self.counter).submit() }.map(drop)
    }

    fn open(&mut self) -> Result<()> {
        self.flag.write(0, &[1])
    }
}

#[test]
fn a5_other_queues_go_on_when_one_stops() {
    on_gpu("a5_other_queues_go_on_when_one_stops", || within_long(others_go_on));
}

fn others_go_on() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let mut out = buffer(gpu, 1, 0)?;
    let object = module.kernel("increment")?.object();
    let lds =
        KernelDispatch::new(object, Geometry::one(64, 64)?).with_group_segment(1 << 20).with_control(Control::SYSTEM);
    let agent = AgentDispatch::new(0, [0; 4]).with_control(Control::SYSTEM);
    let kernels =
        [("trap", QueueError::Trap), ("illegal", QueueError::IllegalInstruction), ("outside", QueueError::Aperture)];
    let packets = [(lds.into(), QueueError::GroupMemory), (agent.into(), QueueError::Packet)];
    for case in 0..kernels.len() + packets.len() {
        let mut held = Held::new(gpu, &module)?;
        let (from, mut to) = (buffer(gpu, N, case as u32)?, buffer(gpu, N, 99)?);
        let waiter = Signal::new(gpu, 1)?;
        held.queue.signal(&waiter)?;
        let waiting = waiter.clone();
        let waiting = thread::spawn(move || waiting.wait(Condition::Eq, 0, Wait::FOREVER));
        let mut bad = Queue::new(gpu)?;
        let never = Signal::new(gpu, 1)?;
        // It stops when all of it was submitted.
        let start = Signal::polled(gpu, 1)?;
        bad.wait_for(&[&start])?;
        let expected = match kernels.get(case) {
            Some((name, expected)) => {
                let kernel = module.kernel(name)?;
                // SAFETY: the kernel writes the first value, then ends by an exception.
                drop(unsafe { bad.launch(&kernel, Geometry::one(1, 1)?)?.buffer_mut(&mut out).submit() }?);
                *expected
            }
            None => {
                let (packet, expected) = packets[case - kernels.len()];
                // SAFETY: the device refuses it before anything runs.
                drop(unsafe { bad.submit(&[packet]) }?);
                expected
            }
        };
        bad.signal(&never)?;
        start.set(0);
        let is_it = |result: Result<()>| matches!(result, Err(Error::Stopped { error, .. }) if error == expected);
        assert!(is_it(bad.wait_idle(Wait::FOREVER)), "{expected}");
        assert!(is_it(bad.signal(&never)) && is_it(bad.wait_for_room(Wait::Poll(LONG))));
        assert!(is_it(never.wait(Condition::Eq, 0, Wait::FOREVER).map(drop)), "it was that queue's to complete");
        // What ran meanwhile goes on, and so does what begins while the stopped queue is there, by kernels and engines.
        held.count()?;
        let mut copier = Copier::new(gpu, Engine::Any)?;
        let work = copier.copy(&from, 0, &mut to, 0, N)?;
        copier.wait(&work, Wait::Sleep(LONG))?;
        assert_eq!(to.host()?, [case as u32; N]);
        assert_eq!(gpu.fault()?, None);
        let before = waiter.value();
        held.open()?;
        held.queue.wait_idle(Wait::Sleep(LONG))?;
        assert_eq!((before, waiting.join().expect("no panic")?), (1, 0));
        assert_eq!(held.counter.host()?, [2]);
        drop(bad);
        assert!(matches!(never.wait(Condition::Eq, 0, Wait::FOREVER), Err(Error::Abandoned)));
        held.count()?;
        held.queue.wait_idle(Wait::Sleep(LONG))?;
        assert_eq!(held.counter.host()?, [3]);
    }
    Ok(())
}

/// Queues that wait for one that is dropped, each for the one before, and what waits for them.
#[test]
fn a5_waits_for_a_dropped_queue_end() {
    on_gpu("a5_waits_for_a_dropped_queue_end", || within_long(|| end_of_first(true)));
}

#[test]
fn a5_waits_for_a_stopped_queue_end() {
    on_gpu("a5_waits_for_a_stopped_queue_end", || within_long(|| end_of_first(false)));
}

fn end_of_first(dropped: bool) -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let (trap, mut out) = (module.kernel("trap")?, buffer(gpu, 1, 0)?);
    let is_it = move |error: Error| match error {
        Error::Abandoned => dropped,
        Error::Stopped { error, .. } => !dropped && error == QueueError::Trap,
        _ => false,
    };
    for wait in [Wait::Sleep, Wait::Poll] {
        let mut held = Held::new(gpu, &module)?;
        let [first, second, third] = [Signal::new(gpu, 1)?, Signal::polled(gpu, 1)?, Signal::new(gpu, 1)?];
        if !dropped {
            // SAFETY: the kernel writes the first value, then ends by an exception.
            drop(unsafe { held.queue.launch(&trap, Geometry::one(1, 1)?)?.buffer_mut(&mut out).submit() }?);
        }
        held.queue.signal(&first)?;
        let mut counter = buffer(gpu, 1, 0)?;
        let mut queue = Queue::new(gpu)?;
        let earlier = queue.fill(&mut counter, 0, 1, 10)?;
        let earlier = queue.ticket(&earlier)?;
        queue.wait_for(&[&first])?;
        let blocked = queue.fill(&mut counter, 0, 1, 20)?;
        let blocked = queue.ticket(&blocked)?;
        queue.signal(&second)?;
        let mut third_queue = Queue::new(gpu)?;
        third_queue.wait_for(&[&second])?;
        third_queue.signal(&third)?;
        let forever = wait(std::time::Duration::MAX);
        let signals = [&first, &second, &third].map(Signal::clone);
        let waiters =
            signals.clone().map(|signal| thread::spawn(move || signal.wait(Condition::Eq, 0, forever).map(drop)));
        let all = signals.clone();
        let all = thread::spawn(move || Signal::wait_all(&[&all[2], &all[1]], forever));
        let ticket = blocked.clone();
        let ticket = thread::spawn(move || ticket.wait(forever));
        let queues = thread::spawn(move || {
            let ends = [queue.wait_idle(forever), queue.wait_for_room(forever), third_queue.wait_idle(forever)];
            (queue, third_queue, ends)
        });
        // Nobody can know yet.
        earlier.wait(forever)?;
        assert!(matches!(blocked.wait(Wait::Sleep(std::time::Duration::from_millis(20))), Err(Error::Timeout { .. })));
        assert!(!waiters.iter().any(|waiter| waiter.is_finished()) && !queues.is_finished());
        let mut source = Some(held);
        if dropped {
            source = None;
        } else if let Some(held) = &mut source {
            held.open()?;
            assert!(is_it(held.queue.wait_idle(forever).unwrap_err()));
        }
        for waiter in waiters.into_iter().chain([all, ticket]) {
            let end = waiter.join().expect("no panic");
            assert!(end.is_err_and(is_it));
        }
        let (mut queue, mut third_queue, [idle, room, third_idle]) = queues.join().expect("no panic");
        assert!(is_it(idle.unwrap_err()) && is_it(third_idle.unwrap_err()));
        // The older half may be done.
        assert!(room.is_ok() || room.is_err_and(is_it));
        // What came before the wait is done, and is nobody's trouble.
        earlier.wait(forever)?;
        let mut value = [0];
        counter.read(0, &mut value)?;
        assert_eq!(value, [10], "what was to wait did not run");
        if dropped {
            assert!(matches!(queue.wait_for(&[&first]), Err(Error::Abandoned)));
            assert!(matches!(third_queue.wait_for(&[&first]), Err(Error::Abandoned)));
            // Who knows better sets it, and all of it goes on.
            first.set(0);
            queue.wait_idle(Wait::Sleep(LONG))?;
            third_queue.wait_idle(Wait::Sleep(LONG))?;
            for signal in &signals {
                signal.wait(Condition::Eq, 0, forever)?;
            }
            assert_eq!(counter.host()?, [20]);
            // It is as good as new.
            first.set(1);
            queue.wait_for(&[&first])?;
            let work = queue.fill(&mut counter, 0, 1, 30)?;
            assert!(matches!(
                queue.wait(&work, Wait::Sleep(std::time::Duration::from_millis(5))),
                Err(Error::Timeout { .. })
            ));
            first.set(0);
            queue.wait(&work, Wait::Sleep(LONG))?;
            assert_eq!(counter.host()?, [30]);
        } else {
            drop((source, queue, third_queue));
            assert_eq!(counter.host()?, [10]);
        }
    }
    Ok(())
}

/// Queues that wait for each other are no trouble of anybody else's, and looking for trouble among them ends.
#[test]
fn a5_queues_that_wait_for_each_other_time_out() {
    on_gpu("a5_queues_that_wait_for_each_other_time_out", || within_long(circle));
}

fn circle() -> Result<()> {
    let short = std::time::Duration::from_millis(20);
    let gpu = gpu()?;
    let mut queues = [Queue::new(gpu)?, Queue::new(gpu)?, Queue::new(gpu)?];
    let signals = [Signal::new(gpu, 1)?, Signal::new(gpu, 1)?, Signal::new(gpu, 1)?];
    for index in 0..3 {
        queues[index].wait_for(&[&signals[index]])?;
        queues[index].signal(&signals[(index + 1) % 3])?;
    }
    // There is some trouble elsewhere.
    let mut held = Held::new(gpu, &module(gpu, "basic")?)?;
    let other = Signal::new(gpu, 1)?;
    held.queue.signal(&other)?;
    drop(held);
    assert!(matches!(other.wait(Condition::Eq, 0, Wait::FOREVER), Err(Error::Abandoned)));
    for index in 0..3 {
        assert!(matches!(queues[index].wait_idle(Wait::Sleep(short)), Err(Error::Timeout { .. })));
        assert!(matches!(signals[index].wait(Condition::Eq, 0, Wait::Poll(short)), Err(Error::Timeout { .. })));
    }
    signals[1].set(0);
    queues.iter_mut().try_for_each(|queue| queue.wait_idle(Wait::Sleep(LONG)))?;
    assert_eq!([0, 1, 2].map(|index| signals[index].value()), [0, -1, 0]);
    Ok(())
}

/// A queue that is dropped before it has looked has done what it has done.
#[test]
fn a5_signals_of_finished_work_are_not_abandoned() {
    on_gpu("a5_signals_of_finished_work_are_not_abandoned", || within_long(not_abandoned));
}

fn not_abandoned() -> Result<()> {
    let gpu = gpu()?;
    let mut value = buffer(gpu, 1, 0)?;
    // Two queues count it down, one of which is gone when the other begins.
    let signal = Signal::new(gpu, 2)?;
    let mut first = Queue::new(gpu)?;
    first.signal(&signal)?;
    let work = first.fill(&mut value, 0, 1, 1)?;
    first.ticket(&work)?.wait(Wait::Sleep(LONG))?;
    drop(first);
    assert_eq!(signal.value(), 1);
    let mut waiting = Queue::new(gpu)?;
    waiting.wait_for(&[&signal])?;
    let work = waiting.fill(&mut value, 0, 1, 2)?;
    let short = Wait::Sleep(std::time::Duration::from_millis(5));
    assert!(matches!(waiting.wait(&work, short), Err(Error::Timeout { .. })));
    assert!(matches!(signal.wait(Condition::Eq, 0, short), Err(Error::Timeout { .. })));
    let mut second = Queue::new(gpu)?;
    second.signal(&signal)?;
    waiting.wait(&work, Wait::Sleep(LONG))?;
    assert_eq!(value.host()?, [2]);
    Ok(())
}

/// A signal that a queue has waited for is used again, and is then abandoned: that is not the queue's trouble.
#[test]
fn a5_a_wait_that_is_over_is_no_dependency() {
    on_gpu("a5_a_wait_that_is_over_is_no_dependency", || within_long(no_dependency));
}

fn no_dependency() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let signal = Signal::new(gpu, 0)?;
    let mut value = buffer(gpu, 1, 0)?;
    let mut queue = Queue::new(gpu)?;
    queue.wait_for(&[&signal])?;
    let work = queue.fill(&mut value, 0, 1, 1)?;
    queue.ticket(&work)?.wait(Wait::Sleep(LONG))?;
    signal.set(1);
    let mut other = Held::new(gpu, &module)?;
    other.queue.signal(&signal)?;
    drop(other);
    assert!(matches!(signal.wait(Condition::Eq, 0, Wait::FOREVER), Err(Error::Abandoned)));
    let go = Signal::new(gpu, 1)?;
    queue.wait_for(&[&go])?;
    let work = queue.fill(&mut value, 0, 1, 2)?;
    let short = Wait::Sleep(std::time::Duration::from_millis(5));
    assert!(matches!(queue.wait(&work, short), Err(Error::Timeout { .. })));
    go.set(0);
    queue.wait(&work, Wait::Sleep(LONG))?;
    assert_eq!(value.host()?, [2]);
    Ok(())
}

/// Two queues whose work waits for each other's, each time further behind, and at the end for a queue that is gone.
#[test]
fn a5_waits_of_thousands_of_dependencies_end() {
    on_gpu("a5_waits_of_thousands_of_dependencies_end", || within_long(thousands));
}

fn thousands() -> Result<()> {
    const STEPS: usize = 4000;
    let gpu = gpu()?;
    let make = || Queue::with(gpu, QueueOptions::default().with_packets(1 << 14));
    let (mut first, mut second) = (make()?, make()?);
    let signals = || (0..STEPS).map(|_| Signal::polled(gpu, 1)).collect::<Result<Vec<_>>>();
    let (of_first, of_second) = (signals()?, signals()?);
    let mut ticket = None;
    for step in 0..STEPS {
        first.wait_for(&[&of_second[step]])?;
        if ticket.is_none() {
            // SAFETY: no packets.
            let work = unsafe { first.submit(&[]) }?;
            ticket = Some(first.ticket(&work)?);
        }
        if step > 0 {
            first.signal(&of_first[step - 1])?;
        }
        second.wait_for(&[&of_first[step]])?;
        second.signal(&of_second[step])?;
    }
    let mut gone = Queue::new(gpu)?;
    let never = Signal::polled(gpu, 1)?;
    gone.wait_for(&[&never])?;
    gone.signal(&of_first[STEPS - 1])?;
    drop(gone);
    let ticket = ticket.expect("made in the first step");
    // Of a thread with a stack of the usual size.
    let waits = thread::spawn(move || ticket.wait(Wait::FOREVER));
    let answer = waits.join().expect("no panic");
    assert!(matches!(answer, Err(Error::Abandoned)), "{answer:?}");
    Ok(())
}
