//! Pages of the program's own.
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::{NonNull, null_mut};

use rustix::mm::{MapFlags, ProtFlags};

/// Zeroed elements on whole pages, which stay for the rest of the process: what is dropped on an error may still use
/// them.
pub struct Pages<T> {
    start: NonNull<c_void>,
    /// Their size.
    pub bytes: usize,
    elements: PhantomData<T>,
}

impl<T> Pages<T> {
    /// What their size and address are multiples of.
    pub const SIZE: usize = 4096;

    /// `len` elements, which fill whole pages.
    pub fn new(len: usize) -> Pages<T> {
        let bytes = len * size_of::<T>();
        assert!(bytes.is_multiple_of(Self::SIZE), "{len} elements fill whole pages");
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping.
        let start = unsafe { rustix::mm::mmap_anonymous(null_mut(), bytes, access, MapFlags::PRIVATE) }.expect("pages");
        Pages { start: NonNull::new(start).expect("not at 0"), bytes, elements: PhantomData }
    }

    /// Where they are.
    pub fn start(&self) -> *mut c_void {
        self.start.as_ptr()
    }

    /// The elements, for others to use.
    pub fn elements(&self) -> NonNull<[T]> {
        NonNull::slice_from_raw_parts(self.start.cast(), self.bytes / size_of::<T>())
    }
}
