//! A4: knowing that work is done, and when it ran.
use std::hint::spin_loop;
use std::thread;
use std::time::Duration;

use aql::{BarrierAnd, BarrierValue, Condition, Control, Geometry};
use kfd::{Buffer, Device, DispatchTime, Error, Kernel, Placement, Queue, Result, Signal, Wait, raw};
use kfd_tests::{gpu, module, on_gpu};

/// A kernel that waits for the host, and what it waits for.
struct Gate {
    kernel: Kernel,
    flag: Buffer<u32>,
}

impl Gate {
    fn new(gpu: Device) -> Result<Gate> {
        let mut flag = Buffer::new(gpu, 1, Placement::HOST)?;
        flag.host_mut()?[0] = 0;
        Ok(Gate { kernel: module(gpu, "basic")?.kernel("gate")?, flag })
    }

    /// Holds the queue until it is opened.
    fn hold(&mut self, queue: &mut Queue) -> Result<()> {
        self.flag.write(0, &[0])?;
        let launch = queue.launch(&self.kernel, Geometry::one(1, 1)?)?;
        // SAFETY: the kernel reads one value, which the host writes atomically as far as it is concerned.
        drop(unsafe { launch.buffer(&self.flag).submit() }?);
        Ok(())
    }

    fn open(&mut self) -> Result<()> {
        self.flag.write(0, &[1])
    }
}

const SHORT: Duration = Duration::from_millis(30);
const LONG: Duration = Duration::from_secs(60);

#[test]
fn a4_polling_and_interrupts_with_timeouts() {
    on_gpu("a4_polling_and_interrupts_with_timeouts", || waits().unwrap());
}

fn waits() -> Result<()> {
    let gpu = gpu()?;
    let mut gate = Gate::new(gpu)?;
    let mut queue = Queue::new(gpu)?;
    for wait in [Wait::Poll, Wait::Sleep] {
        for signal in [Signal::new(gpu, 1)?, Signal::polled(gpu, 1)?] {
            gate.hold(&mut queue)?;
            queue.signal(&signal)?;
            let error = signal.wait(Condition::Eq, 0, wait(SHORT)).unwrap_err();
            assert!(matches!(error, Error::Timeout { after, .. } if after >= SHORT), "{error}");
            assert!(matches!(queue.wait_idle(wait(SHORT)), Err(Error::Timeout { .. })));
            // Other threads wait for the same signal.
            let waiters = [(); 3].map(|()| {
                let signal = signal.clone();
                thread::spawn(move || signal.wait(Condition::Lt, 1, wait(LONG)))
            });
            thread::sleep(SHORT);
            gate.open()?;
            for waiter in waiters {
                assert_eq!(waiter.join().expect("no panic")?, 0);
            }
            queue.wait_idle(wait(LONG))?;
        }
    }
    Ok(())
}

#[test]
fn a4_one_or_all_of_many_signals() {
    on_gpu("a4_one_or_all_of_many_signals", || many().unwrap());
}

fn many() -> Result<()> {
    let gpu = gpu()?;
    let mut gates = [Gate::new(gpu)?, Gate::new(gpu)?];
    let mut queues = [Queue::new(gpu)?, Queue::new(gpu)?];
    let signals = [Signal::new(gpu, 1)?, Signal::new(gpu, 1)?];
    for index in 0..2 {
        gates[index].hold(&mut queues[index])?;
        queues[index].signal(&signals[index])?;
    }
    let both = [&signals[0], &signals[1]];
    assert!(matches!(Signal::wait_any(&both, Wait::Sleep(SHORT)), Err(Error::Timeout { .. })));
    gates[1].open()?;
    assert_eq!(Signal::wait_any(&both, Wait::Sleep(LONG))?, 1);
    assert!(matches!(Signal::wait_all(&both, Wait::Sleep(SHORT)), Err(Error::Timeout { .. })));
    gates[0].open()?;
    Signal::wait_all(&both, Wait::Sleep(LONG))?;
    assert!(matches!(Signal::wait_any(&[], Wait::FOREVER), Err(Error::Value { .. })));
    Ok(())
}

#[test]
fn a4_barriers_between_queues() {
    on_gpu("a4_barriers_between_queues", || barriers().unwrap());
}

fn barriers() -> Result<()> {
    let gpu = gpu()?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let mut queue = Queue::new(gpu)?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    let value = |buffer: &Buffer<u32>| -> Result<u32> {
        let mut value = [0];
        buffer.read(0, &mut value)?;
        Ok(value[0])
    };
    // More signals than a packet has room for.
    let signals = [(); 7].map(|()| Signal::new(gpu, 1));
    let signals = signals.into_iter().collect::<Result<Vec<_>>>()?;
    counter.host_mut()?[0] = 0;
    queue.wait_for(&signals.iter().collect::<Vec<_>>())?;
    // SAFETY: the kernel changes the first value.
    drop(unsafe { queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?);
    for signal in &signals {
        assert!(matches!(queue.wait_idle(Wait::Sleep(Duration::from_millis(5))), Err(Error::Timeout { .. })));
        assert_eq!(value(&counter)?, 0);
        signal.set(0);
    }
    queue.wait_idle(Wait::Sleep(LONG))?;
    assert_eq!(counter.host()?[0], 1);

    // AMD's barrier-value packet, as it is.
    let signal = Signal::polled(gpu, 5)?;
    let packet = BarrierValue::new(signal.handle(), Condition::Gte, 8).with_control(Control::SYSTEM);
    // SAFETY: the signal lives until the work was waited for.
    let work = unsafe { queue.submit(&[packet.into()]) }?;
    assert!(!queue.is_done(&work));
    // Waited for again when the time was over.
    assert!(matches!(queue.wait(&work, Wait::Poll(SHORT)), Err(Error::Timeout { .. })));
    signal.set(9);
    queue.wait(&work, Wait::Poll(LONG))
}

#[test]
fn a4_times_of_dispatches() {
    on_gpu("a4_times_of_dispatches", || times().unwrap());
}

fn times() -> Result<()> {
    /// The clocks are compared by readings, and a thread may lose its core between two of them, though hardly in each
    /// round.
    const ROUNDS: usize = 50;
    let slack = Duration::from_millis(2);
    let mut seen = Vec::new();
    while seen.len() < ROUNDS {
        let (before, [first, second], after) = two_dispatches()?;
        assert!(first.start <= first.end && second.start <= second.end, "{first:?} {second:?}");
        assert!(first.end + SHORT / 2 < second.start, "{first:?} {second:?}");
        if before < first.start + slack && second.end < after + slack {
            return Ok(());
        }
        seen.push((before, first, second, after));
    }
    panic!("each time more than {slack:?} before or behind the work: {seen:?}")
}

/// The host's time before two dispatches with a pause behind each, theirs, and the host's time after them.
fn two_dispatches() -> Result<(Duration, [DispatchTime; 2], Duration)> {
    let gpu = gpu()?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let mut queue = Queue::new(gpu)?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    let signals = [Signal::polled(gpu, 1)?, Signal::polled(gpu, 1)?];
    assert_eq!(signals[0].dispatch_time(gpu)?, None);
    let before = monotonic_raw();
    for signal in &signals {
        let launch = queue.launch(&increment, Geometry::one(1, 1)?)?;
        // SAFETY: the kernel changes the first value.
        let work = unsafe { launch.buffer_mut(&mut counter).completes(signal).submit() }?;
        queue.wait(&work, Wait::FOREVER)?;
        thread::sleep(SHORT);
    }
    let after = monotonic_raw();
    let [first, second] = &signals;
    let time = |signal: &Signal| Ok::<_, Error>(signal.dispatch_time(gpu)?.expect("it completed a dispatch"));
    Ok((before, [time(first)?, time(second)?], after))
}

#[test]
fn a4_a_reused_signal_has_no_times_of_before() {
    on_gpu("a4_a_reused_signal_has_no_times_of_before", || reused().unwrap());
}

fn reused() -> Result<()> {
    let gpu = gpu()?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let mut queue = Queue::new(gpu)?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    for make in [Signal::new, Signal::polled] {
        let signal = make(gpu, 1)?;
        let place = signal.handle();
        let launch = queue.launch(&increment, Geometry::one(1, 1)?)?;
        // SAFETY: the kernel changes the first value.
        let work = unsafe { launch.buffer_mut(&mut counter).completes(&signal).submit() }?;
        queue.wait(&work, Wait::Sleep(LONG))?;
        assert!(signal.dispatch_time(gpu)?.is_some_and(|time| time.start <= time.end));
        drop(signal);
        let signal = make(gpu, 1)?;
        assert_eq!(signal.handle(), place, "the memory is used again");
        assert_eq!(signal.dispatch_time(gpu)?, None);
    }
    Ok(())
}

fn monotonic_raw() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_RAW, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[test]
fn a4_work_may_end_while_another_queue_begins_to_wait_for_it() {
    on_gpu("a4_work_may_end_while_another_queue_begins_to_wait_for_it", || ends_meanwhile().unwrap());
}

/// The host looks at the work at moments that are a few nanoseconds apart, so that some are between its last look and
/// its end.
fn ends_meanwhile() -> Result<()> {
    let gpu = gpu()?;
    let (mut first, mut second) = (raw::Queue::new(gpu)?, raw::Queue::new(gpu)?);
    let packet = [BarrierAnd::NOP.with_control(Control::SYSTEM).into()];
    for round in 0..20_000 {
        // SAFETY: the packets use no memory.
        let work = unsafe { first.submit(&packet) }?;
        for _ in 0..round % 2000 {
            spin_loop();
        }
        second.wait_for_work(&work)?;
        // SAFETY: as above.
        unsafe { second.submit(&packet) }?.wait(Wait::Poll(LONG))?;
        assert!(work.is_done(), "round {round}");
    }
    Ok(())
}

#[test]
fn a4_queues_wait_for_every_condition_of_a_value() {
    on_gpu("a4_queues_wait_for_every_condition_of_a_value", || conditions().unwrap());
}

fn conditions() -> Result<()> {
    let gpu = gpu()?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    counter.host_mut()?[0] = 0;
    let mut queue = Queue::new(gpu)?;
    // The condition with 5, a value for which it does not hold, and two for which it does.
    let cases = [
        (Condition::Eq, 4, [5, 5]),
        (Condition::Ne, 5, [4, 6]),
        (Condition::Lt, 5, [4, -1]),
        (Condition::Gte, 4, [5, 6]),
    ];
    let mut launched = 0;
    for (condition, before, after) in cases {
        for value in after {
            let signal = Signal::new(gpu, before)?;
            queue.wait_for_value(&signal, condition, 5)?;
            // SAFETY: the kernel changes the first value.
            let work = unsafe { queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?;
            let held = queue.wait(&work, Wait::Sleep(Duration::from_millis(10)));
            assert!(matches!(held, Err(Error::Timeout { .. })), "{condition:?} of {before}: {held:?}");
            signal.set(value);
            queue.wait(&work, Wait::Sleep(Duration::from_secs(60)))?;
            launched += 1;
            assert_eq!(counter.host()?[0], launched, "{condition:?} of {value}");
        }
    }
    Ok(())
}
