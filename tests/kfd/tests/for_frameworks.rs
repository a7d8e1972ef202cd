//! What a framework needs of the typed layer: buffers that are shared, seen as other values, copied within, passed from
//! a place on; addresses with what they keep; global variables by name.
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use aql::{Condition, Geometry};
use kfd::raw::{self, Command, Memory};
use kfd::{Arg, Buffer, Device, Engine, Error, Placement, Queue, Result, SdmaQueue, Signal, Ticket, Wait};
use kfd_tests::within::{LONG, within_long};
use kfd_tests::{gpu, module, on_gpu};

const SOON: Wait = Wait::Sleep(LONG);
const SHORT: Wait = Wait::Sleep(Duration::from_millis(20));

fn numbered(gpu: Device, count: u32) -> Result<Buffer<u32>> {
    let mut buffer = Buffer::new(gpu, count as usize, Placement::HOST)?;
    buffer.host_mut()?.iter_mut().zip(0..).for_each(|(value, number)| *value = number);
    Ok(buffer)
}

#[test]
fn framework_copies_within_one_buffer() {
    on_gpu("framework_copies_within_one_buffer", || within_long(within));
}

fn within() -> Result<()> {
    let gpu = gpu()?;
    let mut buffer = numbered(gpu, 100)?;
    let (mut queue, mut engine) = (Queue::new(gpu)?, SdmaQueue::new(gpu, Engine::Any)?);
    let work = queue.copy_within(&mut buffer, 10, 50, 7)?;
    queue.wait(&work, SOON)?;
    let work = engine.copy_within(&mut buffer, 52, 0, 10)?;
    engine.wait(&work, SOON)?;
    let expected = (0..100).map(|at| match at {
        0..=4 => 12 + at,
        5..=9 => 52 + at,
        50..=56 => at - 40,
        other => other,
    });
    assert_eq!(buffer.host()?, expected.collect::<Vec<u32>>());
    for outcome in
        [queue.copy_within(&mut buffer, 10, 12, 3).map(drop), engine.copy_within(&mut buffer, 12, 10, 3).map(drop)]
    {
        let error = outcome.unwrap_err().to_string();
        assert_eq!(
            error,
            "the distance of the two places of a copy within a buffer, in values is 2, must be at least as many as are copied"
        );
    }
    assert!(matches!(queue.copy_within(&mut buffer, 10, 98, 3), Err(Error::Range { .. })));
    // Side by side is apart.
    let work = queue.copy_within(&mut buffer, 20, 23, 3)?;
    queue.wait(&work, SOON)?;
    assert_eq!(buffer.host()?[20..27], [20, 21, 22, 20, 21, 22, 26]);
    Ok(())
}

#[test]
fn framework_sees_bytes_as_floats() {
    on_gpu("framework_sees_bytes_as_floats", || within_long(floats));
}

fn floats() -> Result<()> {
    const N: usize = 300;
    let gpu = gpu()?;
    let saxpy = module(gpu, "basic")?.kernel("saxpy")?;
    let mut bytes = Buffer::<u8>::new(gpu, N * 4, Placement::HOST)?;
    bytes.host_mut()?.iter_mut().zip([0, 0, 0x80, 0x3f].iter().cycle()).for_each(|(to, from)| *to = *from);
    let x = bytes.cast::<f32>()?;
    assert_eq!((x.len(), x.host()?), (N, &[1.0; N][..]));
    let mut y = Buffer::<u32>::new(gpu, N, Placement::HOST)?.cast::<f32>()?;
    y.host_mut()?.fill(0.5);
    let (mut queue, gate) = (Queue::new(gpu)?, Signal::new(gpu, 1)?);
    queue.wait_for(&[&gate])?;
    let launch = queue.launch(&saxpy, Geometry::one(N as u32, 256)?)?;
    // SAFETY: the kernel accesses N values of both buffers and writes the second.
    let work = unsafe { launch.argument(N as i32).argument(2.0f32).buffer(&x).buffer_mut(&mut y).submit() }?;
    let done = queue.ticket(&work)?;
    // Seen anew while it is used, which its memory knows under each of its types.
    let mut x = x.cast::<u8>()?;
    assert!(matches!(x.host_mut(), Err(Error::InUse)));
    gate.set(0);
    done.wait(SOON)?;
    assert_eq!(x.host_mut()?[..4], 1.0f32.to_le_bytes());
    assert_eq!(y.host()?, [2.5; N]);
    let odd = Buffer::<u8>::new(gpu, 6, Placement::HOST)?.cast::<u32>().unwrap_err();
    assert!(odd.to_string().starts_with("a buffer's size in bytes is 6, "), "{odd}");
    Ok(())
}

#[test]
fn framework_copies_into_a_buffer_that_is_shared() {
    on_gpu("framework_copies_into_a_buffer_that_is_shared", || within_long(shared));
}

/// Work in a struct beside its buffer.
struct Filled {
    buffer: Arc<Buffer<u32>>,
    done: Ticket,
}

fn shared() -> Result<()> {
    let gpu = gpu()?;
    let from = numbered(gpu, 64)?;
    let target = Arc::new(numbered(gpu, 64)?);
    let (mut queue, mut engine) = (Queue::new(gpu)?, SdmaQueue::new(gpu, Engine::Any)?);
    let gate = Signal::new(gpu, 1)?;
    queue.wait_for(&[&gate])?;
    // SAFETY: nobody has a slice of it.
    let done = unsafe { queue.copy_shared(&from, 0, &target, 32, 32) }?;
    let task = Filled { buffer: target.clone(), done };
    assert!(matches!(target.host(), Err(Error::InUse)));
    assert!(matches!(task.done.wait(SHORT), Err(Error::Timeout { .. })));
    gate.set(0);
    let Filled { buffer, done } =
        std::thread::spawn(move || task.done.wait(SOON).map(|()| task)).join().expect("no panic")?;
    assert!(done.is_done());
    assert_eq!(buffer.host()?, (0..32).chain(0..32).collect::<Vec<u32>>());
    // SAFETY: as above.
    unsafe { engine.copy_shared(&from, 10, &target, 0, 5) }?.wait(SOON)?;
    assert_eq!(target.host()?[..6], [10, 11, 12, 13, 14, 5]);
    // SAFETY: as above.
    let overlapping = unsafe { engine.copy_shared(&target, 0, &target, 1, 2) };
    assert!(matches!(overlapping, Err(Error::Value { .. })), "{overlapping:?}");
    // And a kernel writes it.
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let launch = queue.launch(&increment, Geometry::one(1, 1)?)?;
    // SAFETY: the kernel changes the first value, and nobody has a slice of it.
    let work = unsafe { launch.buffer_shared(&target).submit() }?;
    queue.wait(&work, SOON)?;
    assert_eq!(target.host()?[0], 11);
    Ok(())
}

#[test]
fn framework_passes_a_buffer_from_a_place_on() {
    on_gpu("framework_passes_a_buffer_from_a_place_on", || within_long(places));
}

fn places() -> Result<()> {
    let gpu = gpu()?;
    let saxpy = module(gpu, "basic")?.kernel("saxpy")?;
    let mut x = Buffer::<f32>::new(gpu, 100, Placement::HOST)?;
    let mut y = Buffer::<f32>::new(gpu, 100, Placement::HOST)?;
    x.host_mut()?.iter_mut().enumerate().for_each(|(at, x)| *x = at as f32);
    y.host_mut()?.fill(0.0);
    let mut queue = Queue::new(gpu)?;
    let grid = Geometry::one(10, 10)?;
    let launch = queue.launch(&saxpy, grid)?.argument(10).argument(1.0f32);
    // SAFETY: the kernel reads ten values of the first and changes ten of the second, from these places on.
    let work = unsafe { launch.buffer_from(&x, 20).buffer_mut_from(&mut y, 90).submit() }?;
    queue.wait(&work, SOON)?;
    let expected = (0..100).map(|at| if at < 90 { 0.0 } else { at as f32 - 70.0 });
    assert_eq!(y.host()?, expected.collect::<Vec<f32>>());
    let launch = queue.launch(&saxpy, grid)?.argument(0).argument(1.0f32);
    // SAFETY: nothing is submitted.
    let outside = unsafe { launch.buffer_from(&x, 101).buffer_mut(&mut y).submit() };
    assert!(matches!(outside, Err(Error::Range { start: 101, count: 0, len: 100 })), "{outside:?}");
    Ok(())
}

#[test]
fn framework_keeps_what_an_address_leads_to() {
    on_gpu("framework_keeps_what_an_address_leads_to", || within_long(keeps));
}

/// Counts how often it is dropped.
struct Owner {
    memory: Memory,
    dropped: &'static AtomicU32,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

fn keeps() -> Result<()> {
    static DROPPED: AtomicU32 = AtomicU32::new(0);
    let dropped = || DROPPED.load(Ordering::Relaxed);
    let gpu = gpu()?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let owner = Arc::new(Owner { memory: Memory::new(gpu, 4096, Placement::HOST)?, dropped: &DROPPED });
    let address = owner.memory.address();
    let (mut queue, gate) = (Queue::new(gpu)?, Signal::new(gpu, 1)?);
    queue.wait_for(&[&gate])?;
    let launch = queue.launch(&increment, Geometry::one(1, 1)?)?.argument(Arg::pointer(address)).keep(owner);
    // SAFETY: the kernel changes the first word, which is kept.
    let work = unsafe { launch.submit() }?;
    let done = queue.ticket(&work)?;
    assert_eq!(dropped(), 0, "the kernel has not run");
    gate.set(0);
    done.wait(SOON)?;
    queue.wait_idle(SOON)?;
    assert_eq!(dropped(), 1, "nothing needs it any more");
    // What was not submitted is not kept.
    let owner = Arc::new(Owner { memory: Memory::new(gpu, 4096, Placement::HOST)?, dropped: &DROPPED });
    drop(queue.launch(&increment, Geometry::one(1, 1)?)?.keep(owner));
    assert_eq!(dropped(), 2);
    Ok(())
}

#[test]
fn framework_finds_global_variables_by_name() {
    on_gpu("framework_finds_global_variables_by_name", || within_long(variables));
}

fn variables() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "globals")?;
    let look = module.kernel("look")?;
    let (table, counted) = (module.variable("table")?, module.variable("counted")?);
    assert_eq!((table.bytes, counted.bytes), (16, 4));
    let mut out = Buffer::<u32>::new(gpu, 4, Placement::HOST)?;
    let mut seen = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    let (mut queue, mut engine) = (Queue::new(gpu)?, raw::SdmaQueue::new(gpu, Engine::Any)?);
    let mut run = |out: &mut Buffer<u32>| -> Result<()> {
        // SAFETY: four work-items write a value each.
        let work = unsafe { queue.launch(&look, Geometry::one(4, 4)?)?.buffer_mut(out).submit() }?;
        queue.wait(&work, SOON)
    };
    run(&mut out)?;
    assert_eq!(out.host()?, [10, 20, 30, 40]);
    let second = table.part(4, 4)?;
    seen.host_mut()?.fill(0);
    let commands = [
        Command::Fill { to: second.address, value: 99, bytes: second.bytes },
        Command::Copy { from: counted.address, to: seen.address(), bytes: counted.bytes },
    ];
    // SAFETY: the variables, while no kernel runs, and a buffer of which nobody has a slice.
    unsafe { engine.submit(&commands) }?.wait(SOON)?;
    assert_eq!(seen.host()?, [1]);
    run(&mut out)?;
    assert_eq!(out.host()?, [10, 99, 30, 40]);
    let error = module.variable("tables").unwrap_err().to_string();
    assert_eq!(error, "no global variable is called tables; there are counted, table");
    Ok(())
}

#[test]
fn framework_waits_for_values_in_typed_queues() {
    on_gpu("framework_waits_for_values_in_typed_queues", || within_long(values));
}

fn values() -> Result<()> {
    let gpu = gpu()?;
    let (mut queue, mut other) = (Queue::new(gpu)?, Queue::new(gpu)?);
    let mut buffer = numbered(gpu, 4)?;
    let value = Signal::new(gpu, -10)?;
    queue.wait_for_value(&value, Condition::Gte, -3)?;
    let work = queue.fill(&mut buffer, 0, 2, 7)?;
    let first = queue.ticket(&work)?;
    other.wait_for_work(&first)?;
    let work = other.copy_within(&mut buffer, 1, 3, 1)?;
    let second = other.ticket(&work)?;
    value.set(-4);
    assert!(matches!(second.wait(SHORT), Err(Error::Timeout { .. })));
    value.set(-3);
    second.wait(SOON)?;
    assert_eq!(buffer.host()?, [7, 7, 2, 7]);
    Ok(())
}
