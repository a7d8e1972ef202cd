//! Buffers in calls of HIP's libraries, which this crate does not make itself.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use bytemuck::Pod;
use hip_sys::hipStream_t;

use crate::allocation::Allocation;
use crate::buffer::{ReadOnly, Slice, SliceMut};
use crate::error::Api;
use crate::session::Core;
use crate::session::failures::Accesses;
use crate::session::times::Work;
use crate::{Buffer, Hip, Result, Session};

/// HIP on this thread, ready for calls of a library on top of it: rocBLAS, rocSOLVER, rocFFT, or HIP's own functions.
///
/// It gives such a call the stream and, of each buffer whose turn is HIP's, the address. What the call must do:
///
/// - All its work is on [`stream`](RawHip::stream), which is what the next hand-over waits for; or it is done when the
///   call returns. A library that keeps its stream in a handle is told so first (`rocblas_set_stream`).
/// - It stays inside the elements of the buffer, or of the part, and writes only to those that it got by
///   [`pointer_mut`](RawHip::pointer_mut) or [`slice_pointer_mut`](RawHip::slice_pointer_mut).
/// - It keeps no address: after a hand-over, or when the buffer is gone, nothing uses it.
/// - It frees nothing that it did not allocate.
///
/// Those are the conditions under which the `unsafe` of the call is right.
///
/// A call that asks HIP what an address is (`hipPointerGetAttributes`, `hipMemcpy`, IPC) needs memory that HIP knows,
/// of [`Session::allocate_hip`]: HIP does not know OpenCL's. Kernels, and so the computing part of libraries, need no
/// such thing.
///
/// Where a flag was late ([`Flags`](crate::hand_over::Flags)), what calls wrote counts as computed from all buffers
/// that this value has given before: take one for each batch.
///
/// HIP's current device belongs to a thread, so this does too:
/// ```compile_fail,E0277
/// # use rocm_interop::hip::RawHip;
/// fn elsewhere(hip: RawHip<'_>) {
///     std::thread::scope(|scope| scope.spawn(|| hip.stream()).join().unwrap());
/// }
/// ```
/// Addresses are given on HIP's turn only:
/// ```compile_fail,E0308
/// # use rocm_interop::{Buffer, OpenCl, Result};
/// # use rocm_interop::hip::RawHip;
/// fn too_early(hip: &RawHip<'_>, buffer: &Buffer<f32, OpenCl>) -> Result<*const f32> {
///     hip.pointer(buffer)
/// }
/// ```
#[derive(Debug)]
pub struct RawHip<'s> {
    core: &'s Arc<Core>,
    /// The buffers that calls were given so far, by their addresses, and whether to write there.
    given: RefCell<Accesses>,
    of_thread: PhantomData<*const ()>,
}

impl Session {
    /// Makes the session's GPU HIP's current device of this thread, for calls that this crate does not make itself;
    /// libraries take it for the one that they are to use. It stays so until a session on another GPU is used in this
    /// thread.
    ///
    /// ```no_run
    /// # use rocm_interop::{Buffer, Hip, Session};
    /// # unsafe fn library_scale(stream: hip_sys::hipStream_t, n: usize, x: *const f32, y: *mut f32) -> i32 { 0 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let session: Session = todo!();
    /// # let (x, mut y): (Buffer<f32, Hip>, Buffer<f32, Hip>) = todo!();
    /// let hip = session.raw_hip()?;
    /// // SAFETY: both have `len` elements, of which it reads x and writes y, on the stream that it gets.
    /// let status = unsafe { library_scale(hip.stream(), x.len(), hip.pointer(&x)?, hip.pointer_mut(&mut y)?) };
    /// assert_eq!(status, 0);
    /// let y = y.into_opencl()?; // waits for it
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Call`](crate::Error::Call)
    pub fn raw_hip(&self) -> Result<RawHip<'_>> {
        self.0.select_device()?;
        Ok(RawHip { core: &self.0, given: RefCell::default(), of_thread: PhantomData })
    }
}

impl RawHip<'_> {
    /// The session's stream.
    pub fn stream(&self) -> hipStream_t {
        self.core.stream
    }

    /// Where a call may read the buffer's elements.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument) if the buffer is of another session, whose stream is another one.
    pub fn pointer<T: Pod>(&self, buffer: &Buffer<T, Hip>) -> Result<*const T> {
        buffer.memory.check_session(self.core)?;
        self.give(&buffer.memory, false);
        Ok(std::ptr::with_exposed_provenance(buffer.memory.address() as usize))
    }

    /// Where a call may read elements that nobody writes.
    ///
    /// # Errors
    /// As [`pointer`](RawHip::pointer).
    pub fn read_only_pointer<T: Pod>(&self, table: &ReadOnly<T>) -> Result<*const T> {
        let memory = table.memory();
        memory.check_session(self.core)?;
        self.give(memory, false);
        Ok(std::ptr::with_exposed_provenance(memory.address() as usize))
    }

    /// Where a call may read and write the buffer's elements.
    ///
    /// # Errors
    /// As [`pointer`](RawHip::pointer).
    pub fn pointer_mut<T: Pod>(&self, buffer: &mut Buffer<T, Hip>) -> Result<*mut T> {
        let pointer = self.pointer(buffer)?.cast_mut();
        self.give(&buffer.memory, true);
        Ok(pointer)
    }

    /// Where a call may read the elements of a part of a buffer.
    ///
    /// # Errors
    /// As [`pointer`](RawHip::pointer).
    pub fn slice_pointer<T: Pod>(&self, part: &Slice<'_, T, Hip>) -> Result<*const T> {
        let memory = part.memory();
        memory.check_session(self.core)?;
        self.give(memory, false);
        Ok(std::ptr::with_exposed_provenance(part.start() as usize))
    }

    /// Where a call may read and write the elements of a part of a buffer.
    ///
    /// # Errors
    /// As [`pointer`](RawHip::pointer).
    pub fn slice_pointer_mut<T: Pod>(&self, part: &mut SliceMut<'_, T, Hip>) -> Result<*mut T> {
        let part = part.as_slice();
        let pointer = self.slice_pointer(&part)?.cast_mut();
        self.give(part.memory(), true);
        Ok(pointer)
    }

    /// Makes `call`, and notes as [`Work::Library`] of this name how long it takes on the GPU, if the session [records
    /// times](Session::record_times): between two of HIP's events on [`stream`](RawHip::stream), one before and one
    /// behind what it enqueues there. Work of other streams is not in it, and what other threads enqueue on this one
    /// meanwhile is.
    ///
    /// ```no_run
    /// # use rocm_interop::Result;
    /// # use rocm_interop::hip::RawHip;
    /// # unsafe fn sgemm() -> i32 { 0 }
    /// # fn f(hip: &RawHip<'_>) -> Result<()> {
    /// // SAFETY: as without it.
    /// let status = hip.timed("rocblas_sgemm", || unsafe { sgemm() })?;
    /// # assert_eq!(status, 0);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Abandoned`](crate::Error::Abandoned), and [`Error::Call`](crate::Error::Call) if the session's GPU
    /// can't be made the thread's current device; before `call` is made. That the time is missing,
    /// [`Session::take_times`] tells.
    pub fn timed<R>(&self, name: &str, call: impl FnOnce() -> R) -> Result<R> {
        self.core.check_abandoned(Api::Hip)?;
        self.core.select_device()?;
        let work = || Work::Library(name.into());
        // A panic goes on when the events are put away.
        let called = self.core.on_stream(self.core.stream, work, || Ok(catch_unwind(AssertUnwindSafe(call))))?;
        called.or_else(|panic| resume_unwind(panic))
    }

    /// A call may compute what it is to write from all that was given.
    fn give(&self, memory: &Allocation, written: bool) {
        memory.used_by_library();
        let (address, mut given) = (memory.address(), self.given.borrow_mut());
        if !given.contains(&(address, written)) {
            given.push((address, written));
        }
        self.core.turns.launched(&given);
    }
}
