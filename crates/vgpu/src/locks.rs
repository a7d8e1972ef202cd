//! Locks of the standard library without poisoning: they can be taken after a thread panicked with them.
//!
//! They must not be `parking_lot`'s, which keeps the waiting threads of all locks in one table of the process:
//! - The table is copied by `fork` as it is. Where a thread of the parent's was about to wait or to wake, the child's
//!   threads wait for ever for any lock that comes to the same place of the table, also for one that the child made.
//!   And who gives back a lock that the parent took for the fork may pass it on to a thread that is not in the child.
//!   Linux keeps the waiting threads of a futex, and a child has none.
//! - The table grows by the program's allocator, which changes memory by the functions that stand here in front, with
//!   its own locks held.
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::Duration;

/// Locks `mutex`.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks `mutex` if it is free.
pub fn try_lock<T: ?Sized>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Locks `lock` for reading, together with other readers.
pub fn read<T: ?Sized>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// Locks `lock` alone.
pub fn write<T: ?Sized>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// Gives the lock of `guard` back until `condition` is notified, or for no reason.
pub fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// As [`wait`], with a time limit.
pub fn wait_timeout<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>, time: Duration) -> MutexGuard<'a, T> {
    condition.wait_timeout(guard, time).unwrap_or_else(PoisonError::into_inner).0
}
