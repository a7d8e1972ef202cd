//! What is measured of ROCr, with the packets of `aql`.
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use aql::{Control, Geometry, Kernarg, KernelDispatch, KernelObject, MmioDoorbell, Signal, SingleProducer};
use hsa_sys::{Hsa, hsa_queue_type_t, hsa_signal_condition_t, hsa_signal_t, hsa_wait_state_t};

use crate::hsa::{Gpu, Kernel};
use crate::queue::{Held, SLOTS};
use crate::{ASLEEP, ITEMS, SAXPY, x};

/// As the kernel has them.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Arguments {
    n: i32,
    a: f32,
    x: usize,
    y: usize,
}

/// `y = x + y`, so that `y` tells how often it ran.
pub struct Saxpy<'g> {
    hsa: &'g Hsa,
    held: Held<'g>,
    kernel: Kernel,
    /// Address of [`Arguments`] for each slot of the queue. The kernel reads no hidden ones behind them.
    arguments: usize,
    x: usize,
    y: usize,
    done: hsa_signal_t,
}

impl<'g> Saxpy<'g> {
    pub fn new(gpu: &'g Gpu, hsa: &'g Hsa) -> Self {
        let kernel = gpu.load(SAXPY, "saxpy").expect("saxpy");
        let values = gpu.allocate::<f32>(ITEMS).expect("memory");
        values.iter_mut().enumerate().for_each(|(i, value)| *value = x(i));
        let x = values.as_ptr().expose_provenance();
        let y = gpu.allocate::<f32>(ITEMS).expect("memory").as_mut_ptr().expose_provenance();
        let arguments = gpu.allocate::<Arguments>(SLOTS as usize).expect("memory").as_mut_ptr().expose_provenance();
        let queue = gpu.queue(SLOTS, hsa_queue_type_t::HSA_QUEUE_TYPE_MULTI).expect("a queue");
        let [gate, done] = std::array::from_fn(|_| gpu.signal(1).expect("a signal"));
        Saxpy { hsa, held: Held::new(hsa, queue, gate), kernel, arguments, x, y, done }
    }

    fn clear(&self) {
        // SAFETY: memory of that many values, which no kernel uses now.
        unsafe { with_exposed_provenance_mut::<f32>(self.y).write_bytes(0, ITEMS) };
    }

    /// Submits it; its arguments are the slot's of this number.
    #[inline]
    fn submit(&self, producer: &mut SingleProducer<'_, MmioDoorbell>, slot: usize, done: Option<hsa_signal_t>) {
        let (n, a, x, y) = (ITEMS as i32, 1.0, self.x, self.y);
        let arguments = self.arguments + slot % SLOTS as usize * size_of::<Arguments>();
        // SAFETY: memory of that many structures, of which no kernel in flight uses this one.
        unsafe { with_exposed_provenance_mut::<Arguments>(arguments).write(Arguments { n, a, x, y }) };
        let kernarg = Kernarg::new(arguments as u64).expect("aligned");
        let object = KernelObject::new(self.kernel.object).expect("aligned");
        let mut dispatch = KernelDispatch::new(object, Geometry::one(ITEMS as u32, 256).expect("valid"))
            .with_kernarg(kernarg)
            .with_private_segment(self.kernel.private_segment)
            .with_group_segment(self.kernel.group_segment)
            .with_control(Control::SYSTEM);
        if let Some(done) = done {
            dispatch = dispatch.with_completion(signal(done));
        }
        // SAFETY: the kernel's four arguments; both buffers have `ITEMS` values, and all lasts as long as the process.
        unsafe { producer.try_submit(&dispatch) }.expect("room for a burst");
    }

    /// What it computed by that many runs, which are done.
    fn check(&self, runs: u64) {
        // SAFETY: as in `clear`.
        let y = unsafe { std::slice::from_raw_parts(with_exposed_provenance::<f32>(self.y), ITEMS) };
        assert!(y.iter().enumerate().all(|(i, &y)| y == runs as f32 * x(i)), "{runs} runs: {y:?}");
    }

    pub fn launches(&self, count: u64) -> Duration {
        self.clear();
        let runs = AtomicUsize::new(0);
        let spent = self.held.time(1, count, 1, || {
            let mut producer = self.held.queue.ring().single_producer();
            let runs = &runs;
            move || {
                // By one thread, so without an atomic addition.
                let run = runs.load(Ordering::Relaxed);
                self.submit(&mut producer, run, None);
                runs.store(run + 1, Ordering::Relaxed);
            }
        });
        // The packets are taken; the last kernel may still run.
        self.run(&mut self.held.queue.ring().single_producer(), hsa_wait_state_t::HSA_WAIT_STATE_BLOCKED);
        self.check(runs.into_inner() as u64 + 1);
        spent
    }

    /// There and back.
    fn run(&self, producer: &mut SingleProducer<'_, MmioDoorbell>, how: hsa_wait_state_t) {
        self.store(self.done, 1);
        self.submit(producer, 0, Some(self.done));
        self.wait(how);
    }

    pub fn polling(&self, count: u64) -> Duration {
        self.clear();
        let mut producer = self.held.queue.ring().single_producer();
        let started = Instant::now();
        (0..count).for_each(|_| self.run(&mut producer, hsa_wait_state_t::HSA_WAIT_STATE_ACTIVE));
        let spent = started.elapsed();
        self.check(count);
        spent
    }

    /// From the submission by another thread to the moment at which a thread knows of the end which has long been
    /// asleep.
    pub fn asleep(&self, count: u64) -> Duration {
        self.clear();
        let mut producer = self.held.queue.ring().single_producer();
        let mut spent = Duration::ZERO;
        for _ in 0..count {
            self.store(self.done, 1);
            spent += std::thread::scope(|scope| {
                let other = scope.spawn(|| {
                    std::thread::sleep(ASLEEP);
                    let started = Instant::now();
                    self.submit(&mut producer, 0, Some(self.done));
                    started
                });
                self.wait(hsa_wait_state_t::HSA_WAIT_STATE_BLOCKED);
                Instant::now() - other.join().expect("the other thread")
            });
        }
        self.check(count);
        spent
    }

    fn store(&self, signal: hsa_signal_t, value: i64) {
        // SAFETY: a live signal.
        unsafe { self.hsa.hsa_signal_store_screlease(signal, value) }.expect("libhsa");
    }

    /// Waits for `done`.
    fn wait(&self, how: hsa_wait_state_t) {
        let equal = hsa_signal_condition_t::HSA_SIGNAL_CONDITION_EQ;
        // SAFETY: a live signal.
        let value = unsafe { self.hsa.hsa_signal_wait_scacquire(self.done, equal, 0, u64::MAX, how) };
        assert_eq!(value.expect("libhsa"), 0);
    }
}

fn signal(signal: hsa_signal_t) -> Signal {
    Signal::new(signal.handle).expect("a signal")
}
