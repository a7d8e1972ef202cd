//! Buffers of one size, used again.

use std::sync::Arc;

use bytemuck::Pod;

use crate::allocation::idle::{Given, IdleList};
use crate::{Buffer, Error, Result, Session};

/// Makes a pool's buffers: [`Session::allocate`], for one.
type Make<T, Side> = fn(&Session, usize) -> Result<Buffer<T, Side>>;

/// Buffers of one size, which come back when they are dropped or closed, whichever side has the turn by then, and are
/// given again when the GPU is done with them.
///
/// An allocation asks the driver, and giving memory back waits for the GPU. A pool does neither in a steady state: a
/// buffer of its that is dropped waits for nothing, and one that is taken is the one that came back first of those that
/// the GPU is done with. If it is done with none, there is one allocation more as long as there are fewer than the
/// limit; then the oldest is waited for.
///
/// ```no_run
/// # use rocm_interop::{Result, Session};
/// # use rocm_interop::memory::BufferPool;
/// # fn batches(session: &Session, mut next: impl FnMut() -> Option<Vec<f32>>) -> Result<()> {
/// let pool = BufferPool::new(session, 4096, 4, Session::allocate)?;
/// while let Some(data) = next() {
///     let Some(mut batch) = pool.take()? else { continue }; // all four are in use: this batch is lost
///     batch.write(&data)?;
///     // launches, and the batch goes on to others; it comes back by itself
/// }
/// println!("{:?}", pool.statistics());
/// # Ok(()) }
/// ```
///
/// Contents are those of the last use. What is missing in a buffer that came back ([`Error::Failed`]) is not told to
/// who gets it next. A buffer that was [leaked](Error::Leaked) counts for the rest of the process.
#[derive(Debug)]
pub struct BufferPool<T: Pod, Side> {
    session: Session,
    idle: Arc<IdleList>,
    len: usize,
    limit: usize,
    make: Make<T, Side>,
}

/// What a [`BufferPool`] has and did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BufferPoolStatistics {
    /// Buffers that there are, in use or not.
    pub allocated: usize,
    /// Those of them that the program does not use; the GPU may.
    pub idle: usize,
    /// How often one was taken.
    pub taken: u64,
    /// How often that was one that had been used before.
    pub reused: u64,
    /// How often its work had not ended, or was not known to have, so that it was waited for.
    pub waited: u64,
}

impl<T: Pod, Side> BufferPool<T, Side> {
    /// A pool of buffers of `len` elements, `limit` at most, each made by `make` when it is first needed:
    /// [`Session::allocate`], [`Session::allocate_hip`], or [`Session::allocate_host`]. The first is made now.
    ///
    /// # Errors
    /// Those of `make`; [`Error::Argument`] for a limit of 0, and if `make` gave a buffer of another length or session
    /// than it was asked for, or one of another pool.
    pub fn new(session: &Session, len: usize, limit: usize, make: Make<T, Side>) -> Result<BufferPool<T, Side>> {
        if limit == 0 {
            let reason = "is 0: a pool has one buffer at least".to_owned();
            return Err(Error::Argument { subject: "limit", reason });
        }
        let pool = BufferPool { session: session.clone(), idle: Arc::default(), len, limit, make };
        drop(pool.take()?);
        Ok(pool)
    }

    /// A buffer that no work uses; `None` if there are as many as the limit, all in use by the program.
    ///
    /// Waits for the GPU only if there are as many as the limit, and work still uses all that came back. What HIP's
    /// stream got, and was not waited for, counts as used; so does everything on a queue or stream that others have too
    /// ([`Session::queue`], [`Session::stream`]).
    ///
    /// # Errors
    /// As of [`new`](BufferPool::new), for one that is made; [`Error::Call`] or [`Error::StillRunning`] of a wait,
    /// after which the buffer is still in the pool.
    pub fn take(&self) -> Result<Option<Buffer<T, Side>>> {
        match self.idle.take(self.limit)? {
            Given::Used(memory) => Ok(Some(Buffer::of(memory, self.len))),
            Given::New(room) => {
                let mut made = (self.make)(&self.session, self.len)?;
                // When it comes back, only its memory does, which gets the pool's length again.
                if made.len() != self.len {
                    let reason = format!("made one of {} elements, but was asked for {}", made.len(), self.len);
                    return Err(Error::Argument { subject: "function that makes a pool's buffers", reason });
                }
                room.fill(&self.session.0, &mut made.memory)?;
                Ok(Some(made))
            }
            Given::None => Ok(None),
        }
    }

    /// What there is, and what happened since the pool was made.
    pub fn statistics(&self) -> BufferPoolStatistics {
        let counts = self.idle.counts();
        BufferPoolStatistics {
            allocated: counts.allocated,
            idle: counts.idle,
            taken: counts.taken,
            reused: counts.reused,
            waited: counts.waited,
        }
    }
}
