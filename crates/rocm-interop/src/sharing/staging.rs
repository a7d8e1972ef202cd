//! Memory of the host that GPUs copy from and to without another copy on the host.

use std::fmt;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;

use crate::allocation::Allocation;
use crate::hand_over::data::Data;
use crate::{Buffer, Error, OpenCl, Result, Session};

/// Elements in host memory that both APIs' copies use in place: for data that comes from a socket or goes to one, or is
/// computed by the host, and is [uploaded](crate::Buffer::upload) or [downloaded](crate::Buffer::download).
///
/// It is a slice, of `len` elements. While a [`Transfer`](crate::transfer::Transfer) uses it, the transfer owns it, so
/// nobody reads or writes it meanwhile. A `Vec` does too, but AMD's libraries copy that to memory of their own first,
/// or lock its pages for the time of the copy.
///
/// ```no_run
/// # use std::net::UdpSocket;
/// # use rocm_interop::{Buffer, OpenCl, Session};
/// # fn receive(session: &Session, socket: &UdpSocket, buffer: Buffer<u8, OpenCl>) -> Result<(), Box<dyn std::error::Error>> {
/// let mut packet = session.staging::<u8>(9000)?;
/// let received = socket.recv(&mut packet)?;
/// packet.set_len(received)?;
/// let (buffer, packet) = buffer.upload(packet)?.wait()?;
/// # Ok(()) }
/// ```
///
/// The memory is locked: it is taken from what the machine has for all, and never paged out.
pub struct Staging<T: Pod> {
    /// Taken when it is left to a copy for ever.
    memory: Option<Allocation>,
    len: usize,
    capacity: usize,
    elements: *mut T,
}

// SAFETY: it owns the elements, which are plain data.
unsafe impl<T: Pod> Send for Staging<T> {}
// SAFETY: as above; nothing changes by a shared reference.
unsafe impl<T: Pod> Sync for Staging<T> {}

impl Session {
    /// Allocates `len` elements for staging, all of them 0. It may be used with buffers of any session of this GPU.
    ///
    /// # Errors
    /// As of [`allocate_host`](Session::allocate_host).
    pub fn staging<T: Pod>(&self, len: usize) -> Result<Staging<T>> {
        let buffer: Buffer<T, OpenCl> = self.allocate_host(len)?;
        let elements = buffer.memory.pointer().cast::<T>();
        // SAFETY: that many elements of plain data, aligned, in memory that the host has mapped there; nobody uses it
        // yet.
        unsafe { elements.write_bytes(0, len) };
        Ok(Staging { memory: Some(buffer.memory), len, capacity: len, elements })
    }
}

impl<T: Pod> Staging<T> {
    /// Number of elements that there is room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// From now on it has `len` elements: as many as were received, say. Those behind stay as they are.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no room for so many.
    pub fn set_len(&mut self, len: usize) -> Result<()> {
        if len > self.capacity {
            let reason = format!("{len} elements, but there is room for {}", self.capacity);
            return Err(Error::Argument { subject: "len", reason });
        }
        self.len = len;
        Ok(())
    }
}

impl<T: Pod> Deref for Staging<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: allocated and initialised by `staging`, with room for `capacity`. No copy uses them: one that does
        // owns this.
        unsafe { std::slice::from_raw_parts(self.elements, self.len) }
    }
}

impl<T: Pod> DerefMut for Staging<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.elements, self.len) }
    }
}

impl<T: Pod> Data<T> for Staging<T> {
    fn elements(&mut self) -> &mut [T] {
        self
    }

    fn leave(&mut self) {
        std::mem::forget(self.memory.take());
        (self.len, self.capacity) = (0, 0);
    }
}

/// Without the elements.
impl<T: Pod> fmt::Debug for Staging<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Staging").field("len", &self.len).field("capacity", &self.capacity).finish_non_exhaustive()
    }
}
