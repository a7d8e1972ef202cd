//! Work-groups of a dispatch on all cores, as a device runs them.

use super::device::Loaded;
use gcn::exec::{Launch, Order, Outcome, View, Workgroup};
use std::num::NonZero;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Barrier, Mutex, PoisonError};
use std::thread;

/// Calls `f` with a function that runs the dispatch once. The threads are started before that, as PoCL's are.
pub fn on_all_cores(loaded: &Loaded, f: impl FnOnce(&dyn Fn())) {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let (begin, end) = (Barrier::new(cores + 1), Barrier::new(cores + 1));
    // What the threads run next; they stop if there is nothing.
    let launch = Mutex::new(None::<Launch>);
    let next = AtomicU32::new(0);
    thread::scope(|scope| {
        for slot in 0..cores {
            let (begin, end, launch, next) = (&begin, &end, &launch, &next);
            scope.spawn(move || {
                let mut group = Workgroup::new();
                loop {
                    begin.wait();
                    let Some(launch) = launch.lock().unwrap_or_else(PoisonError::into_inner).clone() else { return };
                    work(loaded, &launch, next, slot as u32, &mut group);
                    end.wait();
                }
            });
        }
        let set = |new| *launch.lock().unwrap_or_else(PoisonError::into_inner) = new;
        f(&|| {
            set(Some(Launch::new(&loaded.parameters, &loaded.code).expect("the packet is valid")));
            next.store(0, Ordering::Relaxed);
            begin.wait();
            end.wait();
        });
        set(None);
        begin.wait();
    });
}

/// Runs work-groups until there is none left to start.
fn work(loaded: &Loaded, launch: &Launch, next: &AtomicU32, slot: u32, group: &mut Workgroup) {
    let [x, y, z] = launch.workgroups();
    let mut order = Order::round_robin();
    let mut view = View::new(&loaded.memory, &loaded.code);
    loop {
        let n = next.fetch_add(1, Ordering::Relaxed);
        if n >= x * y * z {
            return;
        }
        group.start(launch, [n % x, n / x % y, n / (x * y)], slot);
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
