//! A forked child has no device of its own yet, and must not touch its parent's.

use crate::{backing, device, files, trace};
use std::cell::RefCell;
use std::sync::Once;

/// Locks held while the process forks, so that the child finds consistent tables.
type Locks = (backing::DescriptorsGuard, std::sync::RwLockWriteGuard<'static, Option<files::Table>>, trace::ForkGuard);

thread_local! {
    static LOCKS: RefCell<Option<Locks>> = const { RefCell::new(None) };
}

/// Begins to watch for forks; called before anything is made that a child could inherit.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the handlers are functions of this library, which is never unloaded.
        unsafe { libc::pthread_atfork(Some(before), Some(after_in_parent), Some(after_in_child)) };
    });
}

unsafe extern "C" fn before() {
    let locks = (backing::descriptors(), files::lock(), trace::lock_for_fork());
    LOCKS.with_borrow_mut(|slot| *slot = Some(locks));
}

unsafe extern "C" fn after_in_parent() {
    LOCKS.with_borrow_mut(Option::take);
}

unsafe extern "C" fn after_in_child() {
    let Some((mut descriptors, mut table, mut trace)) = LOCKS.with_borrow_mut(Option::take) else { return };
    // The parent's memory files are open here too, but not mapped: close them, so that their memory goes with the parent.
    for fd in std::mem::take(&mut *descriptors) {
        // SAFETY: our own descriptors; the objects that hold them are never dropped in the child.
        unsafe { libc::close(fd) };
    }
    files::forget_in_child(&mut table);
    trace.forget_in_child();
    device::forget_in_child();
}
