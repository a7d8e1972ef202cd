//! Queues and streams of their own for copies between the host and buffers, one of each kind for each direction, so
//! that copies run beside the session's work and beside each other.

use std::ptr::null_mut;

use cl_sys::cl_command_queue;
use hip_sys::hipStream_t;
use parking_lot::Mutex;

use crate::Result;
use crate::apis::call::{call, create, first};
use crate::session::Core;

/// Of a copy, as the host sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Direction {
    Up,
    Down,
}

/// Null until they are first needed; by the direction.
#[derive(Debug)]
pub(crate) struct CopyQueues(Mutex<Made>);

#[derive(Debug)]
struct Made {
    queues: [cl_command_queue; 2],
    streams: [hipStream_t; 2],
}

// SAFETY: OpenCL's queues and HIP's streams may be used and released by any thread.
unsafe impl Send for Made {}

impl Default for CopyQueues {
    fn default() -> CopyQueues {
        CopyQueues(Mutex::new(Made { queues: [null_mut(); 2], streams: [null_mut(); 2] }))
    }
}

impl CopyQueues {
    /// OpenCL's, those that were made.
    pub(crate) fn queues(&mut self) -> impl Iterator<Item = cl_command_queue> {
        self.0.get_mut().queues.into_iter().filter(|queue| !queue.is_null())
    }

    /// HIP's.
    pub(crate) fn streams(&mut self) -> impl Iterator<Item = hipStream_t> {
        self.0.get_mut().streams.into_iter().filter(|stream| !stream.is_null())
    }
}

impl Core {
    /// OpenCL's queue for copies in this direction.
    pub(crate) fn copy_queue(&self, direction: Direction) -> Result<cl_command_queue> {
        let queue = &mut self.copies.0.lock().queues[direction as usize];
        if queue.is_null() {
            // SAFETY: the session's context and device; without another property it is an in-order queue.
            *queue = unsafe {
                create!(
                    self.libraries.cl,
                    clCreateCommandQueue(self.context, self.device.opencl(), self.queue_properties())
                )
            }?;
        }
        Ok(*queue)
    }

    /// HIP's stream for the same. The session's device is this thread's current one afterwards.
    pub(crate) fn copy_stream(&self, direction: Direction) -> Result<hipStream_t> {
        self.select_device()?;
        let stream = &mut self.copies.0.lock().streams[direction as usize];
        if stream.is_null() {
            // One that does not wait for the default stream, which may be the session's.
            let flags = hip_sys::hipStreamNonBlocking;
            // SAFETY: writes one handle.
            unsafe { call!(self.libraries.hip, hipStreamCreateWithFlags(stream, flags)) }?;
            self.uses_stream(*stream);
        }
        Ok(*stream)
    }

    /// Gives them back. Their work has ended.
    pub(crate) fn forget_copies(&mut self) -> Result<()> {
        let Made { queues, streams } = std::mem::take(&mut self.copies).0.into_inner();
        let (cl, hip) = (&self.libraries.cl, &self.libraries.hip);
        let released = |queue: cl_command_queue| {
            if queue.is_null() {
                return Ok(());
            }
            // SAFETY: made above; what used it held a reference to the session and is gone.
            unsafe { call!(cl, clReleaseCommandQueue(queue)) }
        };
        let destroyed = |stream: hipStream_t| {
            if stream.is_null() {
                return Ok(());
            }
            self.leaves_stream(stream);
            // SAFETY: as above.
            unsafe { call!(hip, hipStreamDestroy(stream)) }
        };
        first([first(queues.map(released)), first(streams.map(destroyed))])
    }
}
