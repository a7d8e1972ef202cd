//! A4: whoever has a buffer or a ticket knows that work is done, whether its queue has looked or not.
use std::thread;
use std::time::Duration;

use aql::{Condition, Geometry};
use kfd::{Buffer, Copier, Device, Engine, Error, Kernel, Placement, Queue, Result, SdmaQueue, Signal, Ticket, Wait};
use kfd_tests::within::{LONG, within_long};
use kfd_tests::{gpu, module, on_gpu};

const N: usize = 1000;

fn buffer(gpu: Device, value: u32) -> Result<Buffer<u32>> {
    let mut buffer = Buffer::new(gpu, N, Placement::HOST)?;
    buffer.host_mut()?.fill(value);
    Ok(buffer)
}

#[test]
fn a4_finished_work_gives_its_buffers_back_whoever_waited() {
    on_gpu("a4_finished_work_gives_its_buffers_back_whoever_waited", || within_long(finished));
}

fn finished() -> Result<()> {
    let gpu = gpu()?;
    for waking in [true, false] {
        let mut queue = Queue::new(gpu)?;
        let signal = if waking { Signal::new(gpu, 1)? } else { Signal::polled(gpu, 1)? };
        let (mut from, mut to) = (buffer(gpu, 7)?, buffer(gpu, 0)?);
        let mut visible = Buffer::<u32>::new(gpu, N, Placement::VISIBLE)?;
        for round in 0..6 {
            signal.set(1);
            drop(queue.copy(&from, 0, &mut to, 0, N)?);
            drop(queue.fill(&mut visible, 0, N, round)?);
            queue.signal(&signal)?;
            signal.wait(Condition::Eq, 0, Wait::Sleep(LONG))?;
            // The queue was not asked.
            assert_eq!(to.host()?, [7 + round; N]);
            assert_eq!(visible.host()?, [round; N]);
            to.host_mut()?.fill(0);
            visible.host_mut()?.fill(99);
            from.host_mut()?.fill(8 + round);
        }
        // Here the signal is the kernel's own, and 0 a packet before the work is counted.
        let increment = module(gpu, "basic")?.kernel("increment")?;
        for round in 0..200 {
            signal.set(1);
            let launch = queue.launch(&increment, Geometry::one(1, 1)?)?;
            // SAFETY: the kernel changes the first value.
            drop(unsafe { launch.buffer_mut(&mut to).completes(&signal).submit() }?);
            signal.wait(Condition::Eq, 0, Wait::Sleep(LONG))?;
            assert_eq!(to.host_mut()?[0], round + 1);
        }
    }
    Ok(())
}

/// Two buffers in turn: one is filled by the host while the GPU works with the other.
#[test]
fn a4_double_buffering_waits_for_one_piece_of_work_at_a_time() {
    on_gpu("a4_double_buffering_waits_for_one_piece_of_work_at_a_time", || within_long(double_buffering));
}

fn double_buffering() -> Result<()> {
    const ROUNDS: u32 = 200;
    let gpu = gpu()?;
    let mut queue = Queue::new(gpu)?;
    let mut inputs = [buffer(gpu, 0)?, buffer(gpu, 0)?];
    let mut output = Buffer::<u32>::new(gpu, N * ROUNDS as usize, Placement::HOST)?;
    let mut last: [Option<Ticket>; 2] = [None, None];
    for round in 0..ROUNDS {
        let turn = round as usize % 2;
        if let Some(ticket) = last[turn].take() {
            ticket.wait(Wait::Sleep(LONG))?;
            assert!(ticket.is_done());
        }
        inputs[turn].host_mut()?.fill(round);
        let work = queue.copy(&inputs[turn], 0, &mut output, N * round as usize, N)?;
        last[turn] = Some(queue.ticket(&work)?);
    }
    queue.wait_idle(Wait::Sleep(LONG))?;
    let output = output.host()?;
    assert!(output.chunks(N).zip(0..).all(|(chunk, round)| chunk.iter().all(|value| *value == round)));
    Ok(())
}

/// A kernel that waits for the host.
fn gate(gpu: Device) -> Result<(Kernel, Buffer<u32>)> {
    let mut flag = Buffer::new(gpu, 1, Placement::HOST)?;
    flag.host_mut()?[0] = 0;
    Ok((module(gpu, "basic")?.kernel("gate")?, flag))
}

#[test]
fn a4_tickets_are_waited_for_by_any_thread() {
    on_gpu("a4_tickets_are_waited_for_by_any_thread", || within_long(tickets));
}

fn tickets() -> Result<()> {
    let gpu = gpu()?;
    let (kernel, mut flag) = gate(gpu)?;
    let (from, mut to) = (buffer(gpu, 3)?, buffer(gpu, 0)?);
    let mut queue = Queue::new(gpu)?;
    // SAFETY: the kernel reads one value, which the host writes atomically as far as it is concerned.
    let held = unsafe { queue.launch(&kernel, Geometry::one(1, 1)?)?.buffer(&flag).submit() }?;
    let held = queue.ticket(&held)?;
    let copied = queue.copy(&from, 0, &mut to, 0, N)?;
    let copied = queue.ticket(&copied)?;
    assert!(matches!(Queue::new(gpu)?.ticket(&queue.fill(&mut to, 0, 1, 3)?), Err(Error::OtherQueue)));
    let waiters = [Wait::Poll, Wait::Sleep].map(|wait| {
        let ticket = copied.clone();
        let early = ticket.wait(wait(Duration::from_millis(5)));
        assert!(matches!(early, Err(Error::Timeout { .. })), "{early:?}");
        thread::spawn(move || ticket.wait(wait(LONG)).map(|()| ticket.is_done()))
    });
    assert!(!held.is_done() && !copied.is_done());
    assert!(matches!(to.host(), Err(Error::InUse)));
    assert!(matches!(flag.host_mut(), Err(Error::InUse)));
    assert_eq!(flag.host()?, [0], "it is only read");
    flag.write(0, &[1])?;
    for waiter in waiters {
        assert!(waiter.join().expect("no panic")?);
    }
    assert!(held.is_done());
    assert_eq!(flag.host_mut()?, [1]);
    queue.wait_idle(Wait::Sleep(LONG))?;
    assert_eq!(to.host()?, [3; N]);
    Ok(())
}

#[test]
fn a4_a_buffer_asks_all_the_queues_that_use_it() {
    on_gpu("a4_a_buffer_asks_all_the_queues_that_use_it", || within_long(several_queues));
}

fn several_queues() -> Result<()> {
    let gpu = gpu()?;
    let (kernel, mut flag) = gate(gpu)?;
    let from = buffer(gpu, 5)?;
    let mut shared = buffer(gpu, 0)?;
    // More queues than a buffer knows without allocating, of both kinds; the first one is held.
    let mut held = Queue::new(gpu)?;
    // SAFETY: as above.
    drop(unsafe { held.launch(&kernel, Geometry::one(1, 1)?)?.buffer(&flag).submit() }?);
    let first = held.copy(&from, 0, &mut shared, 0, N / 2)?;
    let first = held.ticket(&first)?;
    let mut queues = [Queue::new(gpu)?, Queue::new(gpu)?, Queue::new(gpu)?];
    for queue in &mut queues {
        let work = queue.copy(&from, 0, &mut shared, N / 2, 100)?;
        queue.ticket(&work)?.wait(Wait::Sleep(LONG))?;
    }
    let mut engine = SdmaQueue::new(gpu, Engine::Any)?;
    let work = engine.copy(&from, 0, &mut shared, N / 2, N / 2)?;
    engine.ticket(&work)?.wait(Wait::Sleep(LONG))?;
    let mut copier = Copier::new(gpu, Engine::Any)?;
    let work = copier.copy(&from, 0, &mut shared, N - 1, 1)?;
    copier.ticket(&work)?.wait(Wait::Sleep(LONG))?;
    assert!(matches!(shared.host(), Err(Error::InUse)), "the first queue still has it");
    flag.write(0, &[1])?;
    first.wait(Wait::Sleep(LONG))?;
    assert_eq!(shared.host()?, [5; N]);
    // A queue that is gone has nothing any more.
    flag.write(0, &[0])?;
    // SAFETY: as above.
    drop(unsafe { held.launch(&kernel, Geometry::one(1, 1)?)?.buffer(&flag).submit() }?);
    let never = held.copy(&from, 0, &mut shared, 0, N)?;
    let never = held.ticket(&never)?;
    assert!(matches!(shared.host_mut(), Err(Error::InUse)));
    drop(held);
    assert!(matches!(never.wait(Wait::FOREVER), Err(Error::Abandoned)) && !never.is_done());
    shared.host_mut()?.fill(1);
    assert_eq!(flag.host_mut()?, [0]);
    Ok(())
}

/// Who waits by a signal or a ticket alone does not have to ask the queue for the memory.
#[test]
fn a4_memory_of_finished_work_is_given_back_with_the_next_submission() {
    on_gpu("a4_memory_of_finished_work_is_given_back_with_the_next_submission", || within_long(given_back));
}

fn given_back() -> Result<()> {
    let gpu = gpu()?;
    let mut queue = Queue::new(gpu)?;
    let mut engine = SdmaQueue::new(gpu, Engine::Any)?;
    // Three of them fit, and never four.
    let values = (gpu.available_vram()? / 7 * 2) as usize / size_of::<u32>();
    for round in 0..8 {
        let mut large = Buffer::<u32>::new(gpu, values, Placement::VRAM)?;
        let ticket = match round % 2 {
            0 => queue.fill(&mut large, 0, 1, round).and_then(|work| queue.ticket(&work))?,
            _ => engine.fill(&mut large, 0, 1, round).and_then(|work| engine.ticket(&work))?,
        };
        ticket.wait(Wait::Sleep(LONG))?;
    }
    Ok(())
}

/// A signal that was waited for may be made ready for the next piece of work before the buffer is asked for.
#[test]
fn a4_a_signal_may_be_set_again_before_the_buffer_is_asked_for() {
    on_gpu("a4_a_signal_may_be_set_again_before_the_buffer_is_asked_for", || within_long(set_again));
}

fn set_again() -> Result<()> {
    let gpu = gpu()?;
    let mut queue = Queue::new(gpu)?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let signal = Signal::polled(gpu, 1)?;
    let mut counter = buffer(gpu, 0)?;
    for round in 0..2000 {
        let launch = queue.launch(&increment, Geometry::one(1, 1)?)?;
        // SAFETY: the kernel changes the first value.
        drop(unsafe { launch.buffer_mut(&mut counter).completes(&signal).submit() }?);
        signal.wait(Condition::Eq, 0, Wait::Poll(LONG))?;
        signal.set(1);
        assert_eq!(counter.host_mut()?[0], round + 1);
    }
    Ok(())
}

/// Whoever asks a buffer may have to wait until work is counted. Here it is not even begun, which looks alike: its
/// signal is 0 from the start.
#[test]
fn a4_who_asks_a_buffer_does_not_hold_up_who_submits_with_it() {
    on_gpu("a4_who_asks_a_buffer_does_not_hold_up_who_submits_with_it", || within_long(asking));
}

fn asking() -> Result<()> {
    /// A thread may be late, though hardly in each round, however busy the machine.
    const ROUNDS: u32 = 50;
    let gpu = gpu()?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let (mut queue, mut other) = (Queue::new(gpu)?, Queue::new(gpu)?);
    let (mut counter, mut copy) = (buffer(gpu, 0)?, buffer(gpu, 0)?);
    for round in 0..ROUNDS {
        let (gate, zero) = (Signal::new(gpu, 1)?, Signal::new(gpu, 0)?);
        queue.wait_for(&[&gate])?;
        let launch = queue.launch(&increment, Geometry::one(1, 1)?)?;
        // SAFETY: the kernel changes the first value.
        let work = unsafe { launch.buffer_mut(&mut counter).completes(&zero).submit() }?;
        let work = queue.ticket(&work)?;
        let shared = &counter;
        let answer = thread::scope(|scope| {
            let asks = scope.spawn(move || shared.host().map(|values| values[0]));
            // Long enough for it to ask, and to be waiting.
            thread::sleep(Duration::from_millis(100));
            other.copy(shared, 1, &mut copy, 1, 1).map(drop).inspect(|()| gate.set(0))?;
            Ok::<_, Error>(asks.join().expect("no panic"))
        })?;
        work.wait(Wait::Sleep(LONG))?;
        assert_eq!(counter.host()?[0], round + 1);
        other.wait_idle(Wait::Sleep(LONG))?;
        if answer.is_ok_and(|value| value == round + 1) {
            return Ok(());
        }
    }
    panic!("each time the copy was submitted when the other thread had given up")
}
