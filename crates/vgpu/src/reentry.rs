//! Guards against re-entry: the program's allocator, which the device uses too, may call an interposed function such as
//! `munmap` in the middle of the device's own work.

use crate::locks::{lock, try_lock};
use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard};

thread_local! {
    // Without a destructor, so that it can be used at any time in a thread's life and takes no memory.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Whether the calling thread is at work on the device, so that calls of interposed functions are the device's own.
pub fn is_inside() -> bool {
    DEPTH.get() > 0
}

/// Makes [`is_inside`] true on this thread while the value lives.
#[derive(Debug)]
pub struct Inside {
    of_this_thread: PhantomData<*mut ()>,
}

impl Inside {
    /// Begins work on the device.
    pub fn enter() -> Inside {
        DEPTH.set(DEPTH.get() + 1);
        Inside { of_this_thread: PhantomData }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// A lock that an interposed function takes too: while a thread holds it, [`is_inside`] is true there.
#[derive(Debug)]
pub struct Guard<'a, T> {
    // Dropped in this order.
    guard: MutexGuard<'a, T>,
    _inside: Inside,
}

impl<'a, T> Guard<'a, T> {
    /// Locks `mutex`.
    pub fn lock(mutex: &'a Mutex<T>) -> Guard<'a, T> {
        let inside = Inside::enter();
        Guard { guard: lock(mutex), _inside: inside }
    }

    /// Locks `mutex` if it is free.
    pub fn try_lock(mutex: &'a Mutex<T>) -> Option<Guard<'a, T>> {
        let inside = Inside::enter();
        try_lock(mutex).map(|guard| Guard { guard, _inside: inside })
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}
