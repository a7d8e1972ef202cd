//! Forked children, which get a device of their own later and must not use their parent's.

use super::{directory, mappings, working_directory};
use crate::driver::{device, files, kfd::smi, user};
use crate::hardware::checks;
use crate::reentry::Guard;
use crate::{descriptors, faults, trace};
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::{MutexGuard, RwLockWriteGuard};

/// All locks that the child may come to, held while the process forks so that it finds consistent tables. A thread that
/// has one of them never waits for one before it in this list.
struct Locks {
    _listings: MutexGuard<'static, Option<directory::Open>>,
    table: RwLockWriteGuard<'static, Option<files::Table>>,
    streams: Guard<'static, Option<smi::Streams>>,
    _calls: MutexGuard<'static, Option<faults::Calls>>,
    trace: trace::ForkGuard,
    mappings: MutexGuard<'static, ()>,
    checks: checks::ForkGuard,
}

thread_local! {
    // Without a destructor: threads fork in those of other variables too, and at the end of the process.
    static LOCKS: RefCell<Option<ManuallyDrop<Locks>>> = const { RefCell::new(None) };
}

/// Begins to watch for forks.
pub fn watch() {
    // SAFETY: the handlers are functions of this library, which is never unloaded.
    unsafe { libc::pthread_atfork(Some(before), Some(after_in_parent), Some(after_in_child)) };
}

extern "C" fn before() {
    let locks = Locks {
        _listings: directory::open_listings(),
        table: files::lock(),
        streams: smi::streams(),
        _calls: faults::calls(),
        trace: trace::lock_for_fork(),
        mappings: mappings::MAPPED.lock(),
        checks: checks::lock_for_fork(),
    };
    LOCKS.with_borrow_mut(|slot| *slot = Some(ManuallyDrop::new(locks)));
}

/// What [`before`] took.
fn taken() -> Option<Locks> {
    LOCKS.with_borrow_mut(Option::take).map(ManuallyDrop::into_inner)
}

extern "C" fn after_in_parent() {
    drop(taken());
}

extern "C" fn after_in_child() {
    let Some(mut locks) = taken() else { return };
    user::forget_in_child();
    // The parent's memory files are open here too, but not mapped.
    descriptors::close_inherited(locks.trace.forget_in_child());
    // Their descriptors were closed just now.
    std::mem::forget(locks.streams.take());
    files::forget_in_child(&mut locks.table);
    locks.checks.forget_in_child();
    device::forget_in_child();
    working_directory::own();
    drop(locks.mappings);
    mappings::look_again_in_child();
}
