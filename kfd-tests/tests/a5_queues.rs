//! A5: queues that are gone, and queues that the driver refuses something for.
use std::time::Duration;

use kfd::{Buffer, Engine, Error, Placement, Queue, Result, SdmaQueue, Wait};
use kfd_tests::{gpu, on_gpu};

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
    assert!(matches!(second.wait(work, Wait::Poll(SECOND)), Err(Error::OtherQueue)));

    let mut first = SdmaQueue::new(gpu, Engine::Any)?;
    let work = first.copy(&from, 0, &mut to, 0, N)?;
    drop(first);
    let mut second = SdmaQueue::new(gpu, Engine::Any)?;
    assert!(!second.is_done(&work));
    assert!(matches!(second.wait(work, Wait::Poll(SECOND)), Err(Error::OtherQueue)));
    Ok(())
}
