//! A5: a queue gets more scratch memory whatever it is busy with.
use aql::Geometry;
use kfd::{Buffer, Device, Error, Module, Pending, Placement, Queue, QueueError, QueueOptions, Result, Signal, Wait};
use kfd_tests::within::{LONG, within_long};
use kfd_tests::{gpu, module, on_gpu};

const N: usize = 640;

/// What the kernel `scratchy` stores for a work-item.
fn scratchy(i: u32) -> u32 {
    let mut values: [u32; 64] = std::array::from_fn(|k| i + k as u32);
    for k in 0..64 {
        let place = &mut values[(k * 7 + i as usize) & 63];
        *place = place.wrapping_add(k as u32 * i);
    }
    values[i as usize & 63]
}

/// What the kernel `deep` stores for a work-item.
fn deep(i: u32) -> u32 {
    (0..1024).step_by(5).fold(0, |sum, k| sum + i * ((k * 7 + i) & 1023))
}

/// A queue that waits for work that is submitted later, and what it is to do then.
struct Graph {
    first: Queue,
    last: Queue,
    ready: Signal,
    counter: Buffer<u32>,
    small: Buffer<u32>,
    large: Buffer<u32>,
}

fn launch<'b>(
    queue: &mut Queue,
    module: &Module,
    name: &str,
    items: usize,
    out: &'b mut Buffer<u32>,
) -> Result<Pending<'b>> {
    let kernel = module.kernel(name)?;
    // SAFETY: a value for each work-item, or the first one.
    unsafe { queue.launch(&kernel, Geometry::one(items as u32, 64.min(items as u16))?)?.buffer_mut(out).submit() }
}

impl Graph {
    fn new(gpu: Device, packets: u32) -> Result<Graph> {
        let mut buffer = [N, N, 1].map(|len| Buffer::<u32>::new(gpu, len, Placement::HOST)).into_iter();
        let mut next = || buffer.next().expect("three");
        let (mut small, mut large, mut counter) = (next()?, next()?, next()?);
        small.host_mut()?.fill(0);
        large.host_mut()?.fill(0);
        counter.host_mut()?.fill(0);
        let last = Queue::with(gpu, QueueOptions::default().with_packets(packets))?;
        Ok(Graph { first: Queue::new(gpu)?, last, ready: Signal::new(gpu, 1)?, counter, small, large })
    }

    /// Work without scratch memory, with some, with more, and without again.
    fn submit_last(&mut self, module: &Module) -> Result<()> {
        self.last.wait_for(&[&self.ready])?;
        drop(launch(&mut self.last, module, "increment", 1, &mut self.counter)?);
        drop(launch(&mut self.last, module, "scratchy", N, &mut self.small)?);
        drop(launch(&mut self.last, module, "deep", N, &mut self.large)?);
        drop(launch(&mut self.last, module, "increment", 1, &mut self.counter)?);
        Ok(())
    }

    /// What the other queue waits for.
    fn submit_first(&mut self) -> Result<()> {
        drop(self.first.fill(&mut self.counter, 0, 1, 40)?);
        self.first.signal(&self.ready)
    }

    fn check(&mut self) -> Result<()> {
        self.first.wait_idle(Wait::Sleep(LONG))?;
        self.last.wait_idle(Wait::Sleep(LONG))?;
        assert_eq!(self.counter.host()?, [42], "the order");
        assert!(self.small.host()?.iter().enumerate().all(|(i, value)| *value == scratchy(i as u32)));
        assert!(self.large.host()?.iter().enumerate().all(|(i, value)| *value == deep(i as u32)));
        Ok(())
    }
}

#[test]
fn a5_scratch_grows_in_a_queue_that_waits_for_later_work() {
    on_gpu("a5_scratch_grows_in_a_queue_that_waits_for_later_work", || {
        within_long(|| -> Result<()> {
            let gpu = gpu()?;
            let module = module(gpu, "basic")?;
            let mut graph = Graph::new(gpu, 1024)?;
            graph.submit_last(&module)?;
            graph.submit_first()?;
            graph.check()?;
            // It is an ordinary queue afterwards.
            graph.counter.host_mut()?.fill(7);
            for value in 8..200 {
                let work = launch(&mut graph.last, &module, "increment", 1, &mut graph.counter)?;
                graph.last.wait(&work, Wait::Sleep(LONG))?;
                assert_eq!(graph.counter.host()?, [value]);
            }
            Ok(())
        });
    });
}

#[test]
fn a5_scratch_that_grows_is_given_back() {
    on_gpu("a5_scratch_that_grows_is_given_back", || {
        within_long(|| -> Result<()> {
            let gpu = gpu()?;
            let module = module(gpu, "basic")?;
            let mut left = Vec::new();
            for _ in 0..3 {
                let mut graph = Graph::new(gpu, 1024)?;
                graph.submit_last(&module)?;
                graph.submit_first()?;
                graph.check()?;
                drop(graph);
                left.push(gpu.available_vram()?);
                // Also when nothing of it has run.
                let mut graph = Graph::new(gpu, 1024)?;
                graph.submit_last(&module)?;
                drop(graph);
                left.push(gpu.available_vram()?);
            }
            assert!(left.iter().all(|bytes| *bytes == left[0]), "{left:?}");
            Ok(())
        });
    });
}

/// The packet by which one queue of the driver hands over to the next needs a place.
#[test]
fn a5_a_full_queue_gets_no_scratch_until_there_is_room() {
    on_gpu("a5_a_full_queue_gets_no_scratch_until_there_is_room", || {
        within_long(|| -> Result<()> {
            let gpu = gpu()?;
            let module = module(gpu, "basic")?;
            let mut graph = Graph::new(gpu, 64)?;
            // Its first launch empties caches by a packet of its own, which would make room when it is done.
            let work = launch(&mut graph.last, &module, "increment", 1, &mut graph.counter)?;
            graph.last.wait(&work, Wait::Sleep(LONG))?;
            graph.last.wait_for(&[&graph.ready])?;
            let mut launched = 0;
            let full = loop {
                match launch(&mut graph.last, &module, "increment", 1, &mut graph.counter) {
                    Ok(_) => launched += 1,
                    Err(error) => break error,
                }
            };
            assert!(matches!(full, Error::QueueFull { .. }), "{full}");
            // Takes the slot that is kept free.
            let room = graph.last.wait_for_room(Wait::Sleep(std::time::Duration::from_millis(5)));
            assert!(matches!(room, Err(Error::Timeout { .. })));
            let refused = launch(&mut graph.last, &module, "scratchy", N, &mut graph.small);
            assert!(matches!(refused, Err(Error::QueueFull { .. })), "{refused:?}");
            graph.submit_first()?;
            graph.last.wait_for_room(Wait::Sleep(LONG))?;
            drop(launch(&mut graph.last, &module, "scratchy", N, &mut graph.small)?);
            graph.last.wait_idle(Wait::Sleep(LONG))?;
            graph.first.wait_idle(Wait::Sleep(LONG))?;
            assert_eq!(graph.counter.host()?, [40 + launched], "what was refused did not run");
            assert!(graph.small.host()?.iter().enumerate().all(|(i, value)| *value == scratchy(i as u32)));
            Ok(())
        });
    });
}

#[test]
fn a5_a_trap_before_and_behind_scratch_that_grows() {
    on_gpu("a5_a_trap_before_and_behind_scratch_that_grows", || {
        within_long(|| -> Result<()> {
            let gpu = gpu()?;
            let module = module(gpu, "basic")?;
            for before in [true, false] {
                let mut out = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
                let mut graph = Graph::new(gpu, 1024)?;
                // Nothing of it runs yet.
                graph.last.wait_for(&[&graph.ready])?;
                if before {
                    drop(launch(&mut graph.last, &module, "trap", 1, &mut out)?);
                }
                graph.submit_last(&module)?;
                if !before {
                    drop(launch(&mut graph.last, &module, "trap", 1, &mut out)?);
                }
                graph.submit_first()?;
                let error = graph.last.wait_idle(Wait::Sleep(LONG)).unwrap_err();
                assert!(matches!(error, Error::Stopped { error: QueueError::Trap, .. }), "{error}");
                graph.first.wait_idle(Wait::Sleep(LONG))?;
                let Graph { first, last, mut counter, small, .. } = graph;
                drop((first, last));
                assert_eq!(out.host_mut()?, [1], "what came before the exception");
                assert_eq!(counter.host_mut()?, [if before { 40 } else { 42 }]);
                assert_eq!(small.host()?[9], if before { 0 } else { scratchy(9) });
                // A queue that is made afterwards does the same.
                let mut graph = Graph::new(gpu, 1024)?;
                graph.submit_last(&module)?;
                graph.submit_first()?;
                graph.check()?;
            }
            Ok(())
        });
    });
}
