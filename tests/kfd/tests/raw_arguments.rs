//! The ring of kernel arguments: never overwritten under work, and used again behind it.
use std::time::Duration;

use aql::Geometry;
use kfd::code::{Arg, Launch};
use kfd::raw::{ArgumentRing, Command, Memory, Queue, SdmaQueue};
use kfd::{Buffer, Device, Engine, Error, Kernel, Placement, Result, Signal, Ticket, Wait};
use kfd_tests::within::{LONG, within_long};
use kfd_tests::{gpu, module, on_gpu};

const SOON: Wait = Wait::Sleep(LONG);
const SHORT: Wait = Wait::Sleep(Duration::from_millis(20));
const PAGE: usize = 4096;

/// y += a * x for one value.
struct Sum {
    kernel: Kernel,
    x: Buffer<f32>,
    y: Buffer<f32>,
}

impl Sum {
    fn new(gpu: Device) -> Result<Sum> {
        let buffer = |value: f32| {
            let mut buffer = Buffer::new(gpu, 1, Placement::HOST)?;
            buffer.host_mut()?[0] = value;
            Result::Ok(buffer)
        };
        Ok(Sum { kernel: module(gpu, "basic")?.kernel("saxpy")?, x: buffer(1.0)?, y: buffer(0.0)? })
    }

    /// Adds `value` in this queue, with arguments of the ring.
    fn add(&self, ring: &mut ArgumentRing, queue: &mut Queue, value: f32) -> Result<Ticket> {
        let arguments = [Arg::from(1), value.into(), Arg::pointer(self.x.address()), Arg::pointer(self.y.address())];
        let (packet, needs) = ring.launch(&self.kernel, &Launch::new(Geometry::one(1, 1)?, &arguments))?;
        assert_eq!((needs.private_bytes, needs.group_bytes), (0, 0));
        // SAFETY: the kernel accesses a value of each buffer, of which nobody has a slice.
        let ticket = unsafe { queue.submit(&[packet.into()]) }?;
        ring.used_by(&ticket);
        Ok(ticket)
    }

    fn value(&self) -> Result<f32> {
        self.y.host().map(|values| values[0])
    }
}

fn is_full<T: std::fmt::Debug>(outcome: Result<T>) -> bool {
    match outcome {
        Err(Error::QueueFull { queue, .. }) => queue == "ring of arguments",
        other => panic!("{other:?}"),
    }
}

#[test]
fn raw_arguments_of_unfinished_work_are_never_overwritten() {
    on_gpu("raw_arguments_of_unfinished_work_are_never_overwritten", || within_long(kept));
}

fn kept() -> Result<()> {
    let gpu = gpu()?;
    let (sum, gate) = (Sum::new(gpu)?, Signal::new(gpu, 1)?);
    let mut ring = ArgumentRing::new(gpu, 1)?;
    let mut queue = Queue::new(gpu)?;
    let mut expected = 0.0;
    // Round after round the ring is filled by work that is held, and comes round to where it began. Tickets are dropped
    // at once.
    for round in 0..20 {
        gate.set(1);
        queue.wait_for(&[&gate])?;
        let mut launched = 0;
        let refused = loop {
            let value = (round * 100 + launched) as f32;
            match sum.add(&mut ring, &mut queue, value) {
                Ok(_) => expected += value,
                Err(error) => break error,
            }
            launched += 1;
        };
        assert!(is_full::<()>(Err(refused)));
        // 64 bytes at least for each, and 4096 in all.
        assert!((8..=64).contains(&launched), "{launched}");
        assert!(is_full(ring.place(PAGE, 16)) && is_full(ring.place(PAGE / 2, 16)));
        assert!(matches!(ring.wait_for_room(SHORT), Err(Error::Timeout { .. })));
        gate.set(0);
        ring.wait_for_room(SOON)?;
        let last = sum.add(&mut ring, &mut queue, 7.0)?;
        last.wait(SOON)?;
        expected += 7.0;
        assert_eq!(sum.value()?, expected, "round {round}");
    }
    // Without a hold nothing is refused for long.
    for number in 0..2000 {
        while ring.place(1, 1).is_err() {
            ring.wait_for_room(SOON)?;
        }
        ring.discard();
        let value = (number % 10) as f32;
        while let Err(error) = sum.add(&mut ring, &mut queue, value) {
            match error {
                Error::QueueFull { .. } => ring.wait_for_room(SOON)?,
                error => return Err(error),
            }
        }
        expected += value;
    }
    queue.wait_idle(SOON)?;
    assert_eq!(sum.value()?, expected);
    Ok(())
}

#[test]
fn raw_argument_places_of_ragged_sizes_wrap_around() {
    on_gpu("raw_argument_places_of_ragged_sizes_wrap_around", || within_long(ragged));
}

/// An engine copies each place to where it is compared, while the ring goes round behind it.
fn ragged() -> Result<()> {
    const ROUNDS: usize = 3000;
    let gpu = gpu()?;
    let mut ring = ArgumentRing::new(gpu, PAGE + 1)?;
    let mut engine = SdmaQueue::new(gpu, Engine::Any)?;
    let mut results = Buffer::<u8>::new(gpu, ROUNDS * 16, Placement::HOST)?;
    results.host_mut()?.fill(0);
    let mut random = 1_u32;
    let mut expected = vec![0; ROUNDS * 16];
    for round in 0..ROUNDS {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (bytes, align) = (1 + (random >> 8) as usize % 1500, 1 << ((random >> 24) % 13));
        let (address, place) = loop {
            match ring.place(bytes, align) {
                Ok((address, place)) => break (address, (place.as_mut_ptr(), place.len())),
                Err(Error::QueueFull { .. }) => ring.wait_for_room(SOON)?,
                Err(error) => return Err(error),
            }
        };
        assert!(address.is_multiple_of(align as u64) && address.is_multiple_of(64), "{address:#x} {align}");
        assert_eq!(place.1, bytes);
        let value = (random >> 16) as u8 | 1;
        // SAFETY: the place that was taken.
        unsafe { place.0.write_bytes(value, bytes) };
        let copied = bytes.min(16);
        let to = results.address() + round as u64 * 16;
        let last = address + (bytes - copied) as u64;
        // SAFETY: from the end of the place into the buffer.
        let ticket = unsafe { engine.submit(&[Command::Copy { from: last, to, bytes: copied as u64 }]) };
        let ticket = match ticket {
            Err(Error::QueueFull { .. }) => {
                engine.wait_for_room(SOON)?;
                // SAFETY: as above.
                unsafe { engine.submit(&[Command::Copy { from: last, to, bytes: copied as u64 }]) }?
            }
            ticket => ticket?,
        };
        ring.used_by(&ticket);
        expected[round * 16..][..copied].fill(value);
    }
    engine.wait_idle(SOON)?;
    assert_eq!(results.host()?, expected);
    Ok(())
}

#[test]
fn raw_argument_places_come_back_in_order_or_by_discard() {
    on_gpu("raw_argument_places_come_back_in_order_or_by_discard", || within_long(order));
}

fn order() -> Result<()> {
    let gpu = gpu()?;
    let sum = Sum::new(gpu)?;
    let mut ring = ArgumentRing::new(gpu, PAGE)?;
    for (bytes, align) in [(PAGE + 1, 16), (usize::MAX, 16), (1, 0), (1, 3), (1, 8192), (1, 1 << 63)] {
        let refused = ring.place(bytes, align).map(drop);
        assert!(matches!(refused, Err(Error::Value { .. })), "{bytes} {align}: {refused:?}");
    }
    // Nothing was said of these: they are kept, though no work is in flight, until they are discarded.
    let start = ring.place(PAGE, 4096)?.0;
    assert!(is_full(ring.place(1, 1)));
    ring.wait_for_room(Wait::FOREVER)?;
    assert!(is_full(ring.place(1, 1)));
    ring.discard();
    assert_eq!(ring.place(0, 1)?.0, start, "one byte, where the discarded place was");
    ring.discard();
    // A mistake takes nothing.
    let wrong = ring.launch(&sum.kernel, &Launch::new(Geometry::one(1, 1)?, &[]));
    assert!(matches!(wrong, Err(Error::Launch(_))), "{wrong:?}");
    assert_eq!(ring.place(PAGE, 64)?.0, start);
    ring.discard();

    // What is over waits for what was taken before it, by another queue.
    let gate = Signal::new(gpu, 1)?;
    let (mut held, mut free) = (Queue::new(gpu)?, Queue::new(gpu)?);
    held.wait_for(&[&gate])?;
    // SAFETY: nothing is named.
    let first = unsafe { held.submit(&[]) }?;
    ring.place(PAGE / 2, 64)?;
    ring.used_by(&first);
    // SAFETY: nothing is named.
    let second = unsafe { free.submit(&[]) }?;
    ring.place(PAGE / 2, 64)?;
    ring.used_by(&second);
    second.wait(SOON)?;
    assert!(is_full(ring.place(64, 64)));
    // The oldest one's queue is dropped: nothing of it runs any more.
    drop(held);
    assert_eq!(ring.place(PAGE, 64)?.0, start);
    ring.used_by(&second);

    // As many pieces of work as it keeps places for.
    let mut ring = ArgumentRing::new(gpu, 1 << 20)?;
    let mut held = Queue::new(gpu)?;
    held.wait_for(&[&gate])?;
    // SAFETY: nothing is named.
    let last = unsafe { held.submit(&[]) }?;
    for number in 0..ArgumentRing::WORKS {
        ring.place(1, 1).unwrap_or_else(|error| panic!("{number}: {error}"));
        ring.used_by(&last);
        // Said twice: no place is left to say it of.
        ring.used_by(&last);
    }
    assert!(is_full(ring.place(1, 1)));
    gate.set(0);
    held.wait(&last, SOON)?;
    ring.place(1, 1)?;
    Ok(())
}

#[test]
fn raw_argument_ring_that_is_dropped_under_work_keeps_the_memory() {
    on_gpu("raw_argument_ring_that_is_dropped_under_work_keeps_the_memory", || within_long(dropped));
}

fn dropped() -> Result<()> {
    let gpu = gpu()?;
    let (sum, gate) = (Sum::new(gpu)?, Signal::new(gpu, 1)?);
    let mut queue = Queue::new(gpu)?;
    queue.wait_for(&[&gate])?;
    let mut ring = ArgumentRing::new(gpu, PAGE)?;
    let last = sum.add(&mut ring, &mut queue, 5.0)?;
    drop(ring);
    // What the next allocations get is not that memory.
    let other = Memory::new(gpu, PAGE, Placement::HOST)?;
    // SAFETY: the memory's own bytes.
    unsafe { other.host()?.as_ptr().write_bytes(0xff, PAGE) };
    gate.set(0);
    last.wait(SOON)?;
    assert_eq!(sum.value()?, 5.0);
    Ok(())
}
