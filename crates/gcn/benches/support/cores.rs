//! Runs the work-groups of a dispatch on all cores, as a device does.

use super::device::Loaded;
use gcn::exec::{Launch, Order, Outcome, View, Workgroup};
use std::num::NonZero;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

/// A dispatch.
struct Job {
    launch: Launch,
    groups: u32,
    /// The next work-group to start.
    next: Alone,
    /// Those that have ended.
    ended: Alone,
}

/// What is written often, in lines of the host's cache that have nothing else: what is beside it is read often.
#[derive(Default)]
#[repr(align(128))]
struct Alone(AtomicU32);

/// What helpers are told.
#[derive(Default)]
struct Told {
    /// Counts the dispatches.
    number: u64,
    job: Option<Arc<Job>>,
    stop: bool,
}

/// Calls `f` with a function that runs the dispatch once: in its own thread, and in helpers on the other cores, as far
/// as they wake in time. They are started before that, as PoCL's are.
pub fn on_all_cores(loaded: &Loaded, f: impl FnOnce(&dyn Fn())) {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let (told, tell) = (Mutex::new(Told::default()), Condvar::new());
    let lock = || told.lock().unwrap_or_else(PoisonError::into_inner);
    thread::scope(|scope| {
        for slot in 1..cores {
            let (lock, tell) = (&lock, &tell);
            scope.spawn(move || {
                let mut group = Workgroup::new();
                let mut known = 0;
                loop {
                    let told = tell.wait_while(lock(), |told| told.number == known && !told.stop);
                    let told = told.unwrap_or_else(PoisonError::into_inner);
                    if told.stop {
                        return;
                    }
                    known = told.number;
                    let job = told.job.clone();
                    drop(told);
                    job.iter().for_each(|job| work(loaded, job, slot as u32, &mut group));
                }
            });
        }
        let group = Mutex::new(Workgroup::new());
        f(&|| {
            let launch = Launch::new(&loaded.parameters, &loaded.code).expect("the packet is valid");
            let groups = launch.workgroups().iter().product();
            let job = Arc::new(Job { launch, groups, next: Alone::default(), ended: Alone::default() });
            let mut told = lock();
            told.number += 1;
            told.job = Some(Arc::clone(&job));
            drop(told);
            tell.notify_all();
            work(loaded, &job, 0, &mut group.lock().unwrap_or_else(PoisonError::into_inner));
            while job.ended.0.load(Ordering::Acquire) < groups {
                thread::yield_now();
            }
        });
        lock().stop = true;
        tell.notify_all();
    });
}

/// Work-groups that a thread takes at a time, at most, and which part of those that are left: as `vgpu` does.
const BATCH: u32 = 32;
const SHARE: u32 = 8;

/// Runs work-groups until there is none left to start.
fn work(loaded: &Loaded, job: &Job, slot: u32, group: &mut Workgroup) {
    let [x, y, _] = job.launch.workgroups();
    let mut order = Order::round_robin();
    let mut view = View::new(&loaded.memory, &loaded.code);
    let mut done = 0;
    loop {
        let left = job.groups.saturating_sub(job.next.0.load(Ordering::Relaxed));
        let count = (left / SHARE).clamp(1, BATCH);
        let first = job.next.0.fetch_add(count, Ordering::Relaxed);
        if first >= job.groups {
            break;
        }
        let numbers = first..job.groups.min(first + count);
        done += numbers.len() as u32;
        for n in numbers {
            group.start(&job.launch, [n % x, n / x % y, n / (x * y)], slot);
            loop {
                match group.run(&mut view, u64::MAX, &mut order) {
                    Outcome::Done => break,
                    Outcome::Yielded => {}
                    // `compare` has run it before.
                    Outcome::Trapped(exception) | Outcome::Faulted(exception) | Outcome::Exception(exception) => {
                        panic!("{exception}")
                    }
                }
            }
        }
    }
    job.ended.0.fetch_add(done, Ordering::Release);
}
