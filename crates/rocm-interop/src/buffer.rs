//! Views of memory that both APIs use, and whose turn it is.

mod fills_and_copies;
mod pool;
mod read_only;
mod slice;

use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::Arc;

use bytemuck::Pod;

pub use pool::{BufferPool, BufferPoolStatistics};
pub use read_only::ReadOnly;
pub use slice::{Slice, SliceMut};

use crate::allocation::{Allocation, Owner};
use crate::apis::call::{call, close, first, present};
use crate::session::Residency;
use crate::{Error, Refused, Result, Session};

/// Marks a buffer that OpenCL owns at present.
#[derive(Clone, Copy, Debug)]
pub enum OpenCl {}
/// Marks a buffer that HIP owns at present.
#[derive(Clone, Copy, Debug)]
pub enum Hip {}

/// Whose turn it is: [`OpenCl`] or [`Hip`]. For code that serves both; nothing else is the side of a buffer, and
/// nothing else implements it:
///
/// ```compile_fail,E0277
/// # use rocm_interop::Turn;
/// enum Mine {}
/// impl Turn for Mine {}
/// ```
pub trait Turn: sealed::Sealed {}
impl Turn for OpenCl {}
impl Turn for Hip {}

mod sealed {
    use crate::error::Api;
    use crate::{Hip, OpenCl};

    /// Nobody outside of this crate can name it.
    pub trait Sealed {
        const API: Api;
    }
    impl Sealed for OpenCl {
        const API: Api = Api::OpenCl;
    }
    impl Sealed for Hip {
        const API: Api = Api::Hip;
    }
}

/// `len` elements in the memory of a GPU or of the host ([`residency`](Buffer::residency)), at one address for both
/// APIs. `Side` says whose turn it is.
///
/// Elements are [`Pod`], plain old data, of which every bit pattern is valid: numbers, arrays of them, and structs that
/// derive it. Memory that is not aligned for them is refused; the APIs align to 128 bytes at least.
///
/// Using it from the other side does not compile; [`into_hip`](Buffer::into_hip) and
/// [`into_opencl`](Buffer::into_opencl) wait for the work of one side, so that the other sees it:
///
/// ```compile_fail,E0277
/// # use rocm_interop::{Buffer, Hip, Result};
/// # use rocm_interop::opencl::OpenClKernel;
/// fn launch_on_hips_turn(buffer: Buffer<f32, Hip>, kernel: &OpenClKernel) -> Result<()> {
///     unsafe { kernel.launch(&[64], None, &[(&buffer).into()]) } // OpenCL's kernel
/// }
/// ```
/// ```compile_fail,E0382
/// # use rocm_interop::{Buffer, OpenCl};
/// fn keep_the_old_name(buffer: Buffer<f32, OpenCl>) {
///     let on_hip = buffer.into_hip().unwrap();
///     buffer.read(&mut [0.0]).unwrap(); // moved
/// }
/// ```
///
/// It keeps what it needs of its session, so both can be in one struct, in any order, and go to other threads:
/// ```
/// use rocm_interop::{Buffer, OpenCl, Result, Session};
///
/// struct Worker {
///     session: Session,
///     batches: Vec<Buffer<[f32; 2], OpenCl>>,
/// }
///
/// fn start(mut worker: Worker) -> std::thread::JoinHandle<Result<()>> {
///     std::thread::spawn(move || {
///         worker.batches.push(worker.session.allocate(4096)?);
///         Ok(())
///     })
/// }
/// ```
#[derive(Debug)]
pub struct Buffer<T: Pod, Side> {
    pub(crate) memory: Allocation,
    len: usize,
    marker: PhantomData<(T, Side)>,
}

impl Session {
    /// Allocates `len` elements in the GPU's memory: coarse-grained SVM of OpenCL, whose address HIP's kernels use as
    /// it is. Contents are undefined.
    ///
    /// # Errors
    /// [`Error::NoMemory`] if there is not enough, [`Error::NotResident`] if the runtime put it elsewhere,
    /// [`Error::Argument`] if that many elements have no bytes, or more than `isize::MAX`; [`Error::Call`].
    #[doc(alias = "clSVMAlloc")]
    pub fn allocate<T: Pod>(&self, len: usize) -> Result<Buffer<T, OpenCl>> {
        let bytes = byte_size::<T>(len)?;
        let (cl, context, flags) = (&self.0.libraries.cl, self.context(), cl_sys::CL_MEM_READ_WRITE);
        // SAFETY: the context is the session's. No CL_MEM_SVM_FINE_GRAIN_BUFFER: that would be host memory.
        let svm = present::<cl_sys::cl_int, _, _>(unsafe { cl.clSVMAlloc(context, flags, bytes, 0) })?;
        if svm.is_null() {
            return Err(Error::NoMemory { call: "clSVMAlloc", bytes });
        }
        let memory = Allocation::new(&self.0, Owner::Svm, svm.expose_provenance() as u64, bytes)?;
        Buffer::new(memory, len)
    }

    /// Allocates `len` elements in the GPU's memory by `hipMalloc`, for code that needs memory which HIP's own
    /// functions know; else [`allocate`](Session::allocate) is the better choice. Contents are undefined.
    ///
    /// OpenCL does not know this memory, and starts kernels of one queue that use it without waiting for each other. So
    /// [`OpenClKernel::launch`](crate::opencl::OpenClKernel::launch) flushes the queue behind each kernel that gets it,
    /// which AMD's OpenCL answers with a barrier on the GPU. Kernels launched by raw handles are the caller's to keep
    /// apart.
    ///
    /// # Errors
    /// [`Error::Argument`] if that many elements have no bytes, or more than `isize::MAX`; [`Error::NotResident`],
    /// [`Error::Call`].
    #[doc(alias = "hipMalloc")]
    pub fn allocate_hip<T: Pod>(&self, len: usize) -> Result<Buffer<T, Hip>> {
        let bytes = byte_size::<T>(len)?;
        self.0.select_device()?;
        let mut pointer = null_mut();
        // SAFETY: writes one pointer.
        unsafe { call!(self.0.libraries.hip, hipMalloc(&mut pointer, bytes)) }?;
        let memory = Allocation::new(&self.0, Owner::Hip, pointer.expose_provenance() as u64, bytes)?;
        Buffer::new(memory, len)
    }
}

pub(crate) fn byte_size<T>(len: usize) -> Result<usize> {
    let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes != 0 && bytes <= isize::MAX as usize);
    let reason = || format!("{len} elements of {} bytes, must be 1 to isize::MAX bytes in all", size_of::<T>());
    bytes.ok_or_else(|| Error::Argument { subject: "len", reason: reason() })
}

/// How many elements fit into memory of others, at least one.
pub(crate) fn whole_elements<T>(subject: &'static str, bytes: u64) -> Result<usize> {
    let reason = || format!("its {bytes} bytes have no whole element of {}", size_of::<T>());
    let len = bytes.checked_div(size_of::<T>() as u64).filter(|&len| len != 0);
    len.map(|len| len as usize).ok_or_else(|| Error::Argument { subject, reason: reason() })
}

impl<T: Pod, Side> Buffer<T, Side> {
    /// Refuses memory where the elements would not be aligned; the APIs align to their own largest types.
    pub(crate) fn new(memory: Allocation, len: usize) -> Result<Self> {
        let address = memory.address();
        if address.is_multiple_of(align_of::<T>() as u64) {
            return Ok(Buffer::of(memory, len));
        }
        let reason = format!("is at {address:#x}, but elements of this type are aligned to {} bytes", align_of::<T>());
        Err(Error::Argument { subject: "memory", reason })
    }

    pub(crate) fn of(memory: Allocation, len: usize) -> Self {
        Buffer { memory, len, marker: PhantomData }
    }

    /// Waits for the work that may use the buffer, whoever's turn it is, and gives the memory back by the API that it
    /// came from. Dropping does too, but can only log an error, by `tracing`; that results are missing in it is left to
    /// [`Session::finish`] to tell.
    ///
    /// OpenCL's work is waited for up to the last kernel that was given the buffer; HIP has no event for each kernel,
    /// so if one was given it since the stream was waited for, all of the stream is. All of the session's work is
    /// waited for if somebody asked for the [`address`](Buffer::address), and all of the queue or stream that is shared
    /// ([`Session::queue`], [`Session::stream`]). What HIP gives back (of [`allocate_hip`](Session::allocate_hip),
    /// say), waits inside HIP for all streams of the GPU.
    ///
    /// # Errors
    /// [`Error::Leaked`] if a wait failed. Else it is given back: [`Error::Failed`] if results are missing in it,
    /// [`Error::TimedOut`] if work ran too early, or [`Error::Call`] of the first call that failed. The others were
    /// made too.
    pub fn close(mut self) -> Result<()> {
        let core = Arc::clone(self.memory.core());
        let released = self.memory.close();
        drop(self);
        first([released, close(core)])
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where the bytes are, as HSA's runtime, and of a dma-buf the driver, said when the buffer was made.
    pub fn residency(&self) -> Residency {
        self.memory.residency()
    }

    /// The address in both APIs' kernels. Using it from the side whose turn it is not is the caller's risk.
    ///
    /// Kernels may have it by other means than as an argument then, in a struct, say. So from now on, who hands over,
    /// reads or writes this buffer waits for all of the session's work on the side that has the turn, and who drops or
    /// closes it for that of both sides.
    pub fn address(&self) -> u64 {
        self.memory.give_address()
    }

    /// The same bytes as elements of another type: samples that were received as bytes, or pairs of `i16` as one
    /// struct.
    ///
    /// ```
    /// # use rocm_interop::{Buffer, OpenCl, Result};
    /// fn samples(received: Buffer<u8, OpenCl>) -> Result<Buffer<[i16; 2], OpenCl>> {
    ///     Ok(received.cast()?)
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::Argument`] if they are not whole elements, or not aligned for them; with the buffer.
    pub fn cast<U: Pod>(self) -> Result<Buffer<U, Side>, Refused<Self>> {
        let bytes = self.len * size_of::<T>();
        let wrong = if size_of::<U>() == 0 || !bytes.is_multiple_of(size_of::<U>()) {
            format!("its {bytes} bytes are not whole elements of {}", size_of::<U>())
        } else if !self.memory.address().is_multiple_of(align_of::<U>() as u64) {
            format!("is at {:#x}, but such elements are aligned to {} bytes", self.memory.address(), align_of::<U>())
        } else {
            return Ok(Buffer::of(self.memory, bytes / size_of::<U>()));
        };
        Err(Refused::new(Error::Argument { subject: "buffer", reason: wrong }, self))
    }

    pub(crate) fn fits(&self, at: usize, len: usize) -> Result<()> {
        if at.checked_add(len).is_some_and(|end| end <= self.len) {
            return Ok(());
        }
        let from = if at == 0 { String::new() } else { format!(" from element {at} on") };
        Err(Error::Argument {
            subject: "data",
            reason: format!("{len} elements{from}, but the buffer has {}", self.len),
        })
    }

    pub(crate) fn turned<Other>(self) -> Buffer<T, Other> {
        Buffer::of(self.memory, self.len)
    }
}

impl<T: Pod, Side: Turn> Buffer<T, Side> {
    /// Copies `data` from the host to the start of the buffer, after all earlier work that was given it, or may have
    /// been (as of [`upload`](Buffer::upload)); returns when it is there. Kernels on other buffers do not hold it up,
    /// but for those of HIP's stream, if that has work that was given this buffer too and was not waited for.
    ///
    /// # Errors
    /// [`Error::Argument`] if it does not fit, [`Error::Failed`] if earlier work with this buffer failed, or the copy,
    /// and [`Error::TimedOut`] if work ran too early, [`Error::Call`].
    #[doc(alias = "clEnqueueWriteBuffer")]
    #[doc(alias = "hipMemcpy")]
    pub fn write(&mut self, data: &[T]) -> Result<()> {
        self.write_at(0, data)
    }

    /// The same, from the element `at` on.
    ///
    /// # Errors
    /// As [`write`](Buffer::write).
    pub fn write_at(&mut self, at: usize, data: &[T]) -> Result<()> {
        self.fits(at, data.len())?;
        // SAFETY: it fits.
        unsafe { self.memory.write(Side::API, at * size_of::<T>(), bytemuck::cast_slice(data)) }?;
        self.memory.report(Side::API)
    }

    /// Fills `data` on the host from the start of the buffer, after all earlier work that was given it, or may have
    /// been (as of [`upload`](Buffer::upload)); returns when it is there.
    ///
    /// Other threads may launch meanwhile, on this buffer too: what is read is what one of the launches left, of no
    /// launch a part. It is read again if it was launched on meanwhile; after the third time it is read in its turn
    /// among them. Where OpenCL does not know the memory (of [`allocate_hip`](Session::allocate_hip),
    /// [`allocate_managed`](Session::allocate_managed), an import, or another session), a kernel copies it to host
    /// memory then. On OpenCL's turn no launch waits for a read, on HIP's only for such a fourth. Launches by raw
    /// handles, and calls of libraries ([`RawHip`](crate::hip::RawHip)), are the caller's to keep apart from it.
    ///
    /// # Errors
    /// [`Error::Argument`] if the buffer is shorter, [`Error::Failed`] if earlier work with this buffer failed, or the
    /// copy, and [`Error::TimedOut`] if work ran too early, [`Error::NoMemory`] on the host for the kernel's copy,
    /// [`Error::Call`].
    #[doc(alias = "clEnqueueReadBuffer")]
    #[doc(alias = "hipMemcpy")]
    pub fn read(&self, data: &mut [T]) -> Result<()> {
        self.read_at(0, data)
    }

    /// The same, from the element `at` on.
    ///
    /// # Errors
    /// As [`read`](Buffer::read).
    pub fn read_at(&self, at: usize, data: &mut [T]) -> Result<()> {
        self.fits(at, data.len())?;
        // SAFETY: it fits.
        unsafe { self.memory.read(Side::API, at * size_of::<T>(), bytemuck::cast_slice_mut(data)) }?;
        self.memory.report(Side::API)
    }
}

#[cfg(test)]
mod tests {
    use super::{byte_size, whole_elements};

    #[test]
    fn elements_are_whole() {
        assert_eq!(whole_elements::<u32>("x", 11).expect("two"), 2);
        for refused in
            [whole_elements::<u32>("x", 3), whole_elements::<u32>("x", 0), whole_elements::<[u32; 0]>("x", 8)]
        {
            assert!(refused.expect_err("none").to_string().contains("have no whole element of"));
        }
    }

    #[test]
    fn sizes_have_bytes_and_fit_the_host() {
        assert_eq!(byte_size::<[f32; 2]>(4096).expect("a size"), 32768);
        assert_eq!(byte_size::<u8>(isize::MAX as usize).expect("a size"), isize::MAX as usize);
        for (refused, words) in [
            (byte_size::<u32>(0), "0 elements of 4 bytes"),
            (byte_size::<[u32; 0]>(7), "7 elements of 0 bytes"),
            (byte_size::<u8>(isize::MAX as usize + 1), "of 1 bytes"),
            (byte_size::<u32>(usize::MAX / 2), "of 4 bytes"),
        ] {
            let error = refused.expect_err(words).to_string();
            assert!(error.contains(words) && error.contains("must be 1 to isize::MAX bytes"), "{error}");
        }
    }
}
