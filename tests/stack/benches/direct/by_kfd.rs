//! The children's side: what is measured of `kfd`.
use std::time::{Duration, Instant};

use kfd::aql::{BarrierAnd, Condition, Control, Geometry, Packet};
use kfd::code::Arg;
use kfd::raw::{self, Command};
use kfd::{
    Buffer, Device, Driver, Engine, Kernel, Launch, Module, Pending, Placement, Queue, SdmaQueue, Signal, Topology,
    Wait,
};

use kfd_runtime::Graph;

use crate::{ASLEEP, BURST, ITEMS, child, pattern, x};

const POLL: Wait = Wait::Poll(Duration::MAX);

/// Does a task of the benchmark.
pub fn run(task: &str) {
    let topology = Topology::read().expect("a driver");
    let gpu = Driver::open().and_then(|driver| driver.device(topology.gpus().next().expect("a GPU"))).expect("a GPU");
    match task.split(' ').collect::<Vec<_>>()[..] {
        ["launch"] => child::answer(launches(gpu)),
        ["replayed"] => child::answer(replays(gpu)),
        ["dependency"] => child::answer(dependencies(gpu)),
        ["edge"] => child::answer(edges(gpu)),
        ["polling"] => child::answer(polling(gpu)),
        ["asleep"] => child::answer(asleep(gpu)),
        ["engine", bytes] => child::answer(copies_by_engine(gpu, bytes, Wait::FOREVER)),
        ["engine", bytes, "polling"] => child::answer(copies_by_engine(gpu, bytes, POLL)),
        ["address", bytes] => child::answer(copies_by_address(gpu, bytes)),
        ["kernel", bytes] => child::answer(copies_by_kernel(gpu, bytes, Wait::FOREVER)),
        ["kernel", bytes, "polling"] => child::answer(copies_by_kernel(gpu, bytes, POLL)),
        ["first"] => first_result(gpu),
        _ => panic!("no task is called `{task}`"),
    }
}

/// `y = x + y`, so that `y` tells how often it ran.
struct Saxpy {
    kernel: Kernel,
    x: Buffer<f32>,
    y: Buffer<f32>,
}

impl Saxpy {
    fn new(gpu: Device) -> Saxpy {
        let module = Module::load(gpu, include_bytes!("../../../../crates/kfd/examples/kernels.co")).expect("a module");
        let buffer = || Buffer::new(gpu, ITEMS, Placement::HOST).expect("memory");
        let mut saxpy = Saxpy { kernel: module.kernel("saxpy").expect("saxpy"), x: buffer(), y: buffer() };
        saxpy.x.host_mut().expect("unused").copy_from_slice(&std::array::from_fn::<_, ITEMS, _>(x));
        saxpy
    }

    fn clear(&mut self) {
        self.y.host_mut().expect("unused").fill(0.0);
    }

    #[inline]
    fn launch<'q, 'b: 'q>(&'b mut self, queue: &'q mut Queue) -> Launch<'q, 'b> {
        let Saxpy { kernel, x, y } = self;
        let launch = queue.launch(kernel, Geometry::one(ITEMS as u32, 256).expect("valid")).expect("a launch");
        launch.argument(ITEMS as i32).argument(1.0f32).buffer(x).buffer_mut(y)
    }

    #[inline]
    fn submit(&mut self, queue: &mut Queue) -> Pending<'_> {
        // SAFETY: the kernel reads `ITEMS` values of `x`, and reads and writes as many of `y`.
        unsafe { self.launch(queue).submit() }.expect("room for a burst")
    }

    /// What it computed by that many runs.
    fn check(&self, runs: u64) {
        let y = self.y.host().expect("no run is left");
        assert!(y.iter().enumerate().all(|(i, &y)| y == runs as f32 * x(i)), "{runs} runs: {y:?}");
    }
}

fn launches(gpu: Device) -> impl FnMut(u64) -> Duration {
    let mut saxpy = Saxpy::new(gpu);
    let mut queue = Queue::new(gpu).expect("a queue");
    let gate = Signal::polled(gpu, 1).expect("a signal");
    move |count| {
        saxpy.clear();
        let (mut spent, mut done) = (Duration::ZERO, 0);
        while done < count {
            let burst = BURST.min(count - done);
            gate.set(1);
            queue.wait_for(&[&gate]).expect("a barrier");
            let started = Instant::now();
            for _ in 0..burst {
                drop(saxpy.submit(&mut queue));
            }
            spent += started.elapsed();
            let mut held = [0.0];
            saxpy.y.read(1, &mut held).expect("memory of the host");
            assert_eq!(held, [done as f32 * x(1)], "the barrier did not hold the burst");
            gate.set(0);
            queue.wait_idle(Wait::FOREVER).expect("the kernels run");
            done += burst;
        }
        saxpy.check(count);
        spent
    }
}

/// The same launches, recorded once. An iteration is one of the graph's steps.
fn replays(gpu: Device) -> impl FnMut(u64) -> Duration {
    const STEPS: u64 = 32;
    let mut saxpy = Saxpy::new(gpu);
    let mut graph = Graph::new(gpu, 64 << 10).expect("memory");
    let arguments =
        [(ITEMS as i32).into(), 1.0f32.into(), Arg::pointer(saxpy.x.address()), Arg::pointer(saxpy.y.address())];
    let launch = kfd::code::Launch::new(Geometry::one(ITEMS as u32, 256).expect("valid"), &arguments);
    for _ in 0..STEPS {
        graph.launch(0, &[], &saxpy.kernel, &launch).expect("a step");
    }
    let mut queues = [raw::Queue::new(gpu).expect("a queue")];
    let gate = Signal::polled(gpu, 1).expect("a signal");
    move |count| {
        saxpy.clear();
        let lists = count.div_ceil(STEPS);
        let (mut spent, mut done) = (Duration::ZERO, 0);
        while done < lists {
            let burst = (BURST / STEPS).min(lists - done);
            gate.set(1);
            queues[0].wait_for(&[&gate]).expect("a barrier");
            let started = Instant::now();
            for _ in 0..burst {
                // SAFETY: the kernel reads `ITEMS` values of `x`, and reads and writes as many of `y`, in order.
                unsafe { graph.submit(&mut queues, &mut []) }.expect("room for a burst");
            }
            spent += started.elapsed();
            let mut held = [0.0];
            saxpy.y.read(1, &mut held).expect("memory of the host");
            assert_eq!(held, [(done * STEPS) as f32 * x(1)], "the barrier did not hold the burst");
            gate.set(0);
            graph.wait(Wait::FOREVER).expect("the kernels run");
            done += burst;
        }
        saxpy.check(lists * STEPS);
        spent.mul_f64(count as f64 / (lists * STEPS) as f64)
    }
}

/// One queue does a packet, the other waits for that piece of work.
fn edges(gpu: Device) -> impl FnMut(u64) -> Duration {
    let [mut before, mut after] = std::array::from_fn(|_| raw::Queue::new(gpu).expect("a queue"));
    let gate = Signal::polled(gpu, 1).expect("a signal");
    let nothing: Packet = BarrierAnd::NOP.with_control(Control::SYSTEM).into();
    move |count| {
        let (mut spent, mut left) = (Duration::ZERO, count);
        while left > 0 {
            let burst = (BURST / 2).min(left);
            gate.set(1);
            before.wait_for(&[&gate]).expect("a barrier");
            let started = Instant::now();
            for _ in 0..burst {
                // SAFETY: the packet names nothing.
                let ticket = unsafe { before.submit(&[nothing]) }.expect("room for a burst");
                after.wait_for_work(&ticket).expect("room for a burst");
            }
            spent += started.elapsed();
            let held = after.wait_idle(Wait::Poll(Duration::ZERO));
            assert!(matches!(held, Err(kfd::Error::Timeout { .. })), "the second queue did not wait: {held:?}");
            gate.set(0);
            after.wait_idle(Wait::FOREVER).expect("the work is done");
            left -= burst;
        }
        spent
    }
}

/// One queue counts a signal down, the other waits for it.
fn dependencies(gpu: Device) -> impl FnMut(u64) -> Duration {
    let [mut before, mut after] = std::array::from_fn(|_| Queue::new(gpu).expect("a queue"));
    let signal = || Signal::polled(gpu, 1).expect("a signal");
    let gate = signal();
    // Two packets of the first queue's 1024 each.
    let signals: Vec<Signal> = (0..BURST / 2).map(|_| signal()).collect();
    move |count| {
        let (mut spent, mut left) = (Duration::ZERO, count);
        while left > 0 {
            let burst = &signals[..left.min(signals.len() as u64) as usize];
            gate.set(1);
            burst.iter().for_each(|signal| signal.set(1));
            before.wait_for(&[&gate]).expect("a barrier");
            let started = Instant::now();
            for signal in burst {
                before.signal(signal).expect("room for a burst");
                after.wait_for(&[signal]).expect("room for a burst");
            }
            spent += started.elapsed();
            assert!(burst.iter().all(|signal| signal.value() == 1), "the barrier did not hold the burst");
            gate.set(0);
            after.wait_idle(Wait::FOREVER).expect("the signals come");
            assert!(burst.iter().all(|signal| signal.value() == 0), "the second queue did not wait");
            before.wait_idle(Wait::FOREVER).expect("the packets are processed");
            left -= burst.len() as u64;
        }
        spent
    }
}

fn polling(gpu: Device) -> impl FnMut(u64) -> Duration {
    let mut saxpy = Saxpy::new(gpu);
    let mut queue = Queue::new(gpu).expect("a queue");
    move |count| {
        saxpy.clear();
        let started = Instant::now();
        for _ in 0..count {
            let work = saxpy.submit(&mut queue);
            queue.wait(&work, POLL).expect("the kernel runs");
        }
        let spent = started.elapsed();
        saxpy.check(count);
        spent
    }
}

/// From the submission by another thread to the moment at which a thread knows of the end which has long been asleep.
fn asleep(gpu: Device) -> impl FnMut(u64) -> Duration {
    let mut saxpy = Saxpy::new(gpu);
    let mut queue = Queue::new(gpu).expect("a queue");
    let done = Signal::new(gpu, 1).expect("a signal");
    move |count| {
        saxpy.clear();
        let mut spent = Duration::ZERO;
        for _ in 0..count {
            done.set(1);
            spent += std::thread::scope(|scope| {
                let other = scope.spawn(|| {
                    std::thread::sleep(ASLEEP);
                    let started = Instant::now();
                    // SAFETY: as in `Saxpy::submit`.
                    drop(unsafe { saxpy.launch(&mut queue).completes(&done).submit() }.expect("an empty queue"));
                    started
                });
                done.wait(Condition::Eq, 0, Wait::FOREVER).expect("the kernel runs");
                Instant::now() - other.join().expect("the other thread")
            });
            queue.wait_idle(Wait::FOREVER).expect("the kernel ran");
        }
        saxpy.check(count);
        spent
    }
}

fn copies_by_engine(gpu: Device, bytes: &str, wait: Wait) -> impl FnMut(u64) -> Duration + use<> {
    let mut queue = SdmaQueue::new(gpu, Engine::Any).expect("a queue");
    copies(gpu, bytes.parse().expect("bytes"), move |from, to| {
        let work = queue.copy(from, 0, to, 0, from.len()).expect("a copy");
        queue.wait(&work, wait).expect("the engine copies");
    })
}

fn copies_by_address(gpu: Device, bytes: &str) -> impl FnMut(u64) -> Duration + use<> {
    let mut queue = raw::SdmaQueue::new(gpu, Engine::Any).expect("a queue");
    copies(gpu, bytes.parse().expect("bytes"), move |from, to| {
        let copy = Command::Copy { from: from.address(), to: to.address(), bytes: from.len() as u64 };
        // SAFETY: both buffers have as many bytes, and nobody uses them meanwhile.
        let work = unsafe { queue.submit(&[copy]) }.expect("a copy");
        queue.wait(&work, Wait::FOREVER).expect("the engine copies");
    })
}

fn copies_by_kernel(gpu: Device, bytes: &str, wait: Wait) -> impl FnMut(u64) -> Duration + use<> {
    let mut queue = Queue::new(gpu).expect("a queue");
    copies(gpu, bytes.parse().expect("bytes"), move |from, to| {
        let work = queue.copy(from, 0, to, 0, from.len()).expect("a copy");
        queue.wait(&work, wait).expect("the kernel copies");
    })
}

/// Copies of host memory to VRAM. The bytes are checked after the first.
fn copies(
    gpu: Device,
    bytes: usize,
    mut copy: impl FnMut(&Buffer<u8>, &mut Buffer<u8>),
) -> impl FnMut(u64) -> Duration {
    let mut host = Buffer::new(gpu, bytes, Placement::HOST).expect("memory");
    let mut vram = Buffer::new(gpu, bytes, Placement::VRAM).expect("memory");
    host.host_mut().expect("unused").iter_mut().enumerate().for_each(|(i, byte)| *byte = pattern(i));
    copy(&host, &mut vram);
    check_copy(gpu, &vram);
    move |count| {
        let started = Instant::now();
        (0..count).for_each(|_| copy(&host, &mut vram));
        started.elapsed()
    }
}

fn check_copy(gpu: Device, vram: &Buffer<u8>) {
    let mut back = Buffer::new(gpu, vram.len(), Placement::HOST).expect("memory");
    let mut queue = SdmaQueue::new(gpu, Engine::Any).expect("a queue");
    let work = queue.copy(vram, 0, &mut back, 0, vram.len()).expect("a copy");
    queue.wait(&work, Wait::FOREVER).expect("the engine copies");
    let back = back.host().expect("no copy is left");
    assert!(back.iter().enumerate().all(|(i, &byte)| byte == pattern(i)), "the copy is wrong");
}

fn first_result(gpu: Device) {
    let mut saxpy = Saxpy::new(gpu);
    saxpy.clear();
    let mut queue = Queue::new(gpu).expect("a queue");
    let work = saxpy.submit(&mut queue);
    queue.wait(&work, Wait::FOREVER).expect("the kernel runs");
    saxpy.check(1);
}
