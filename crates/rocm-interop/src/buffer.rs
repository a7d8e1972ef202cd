//! Views of memory that both APIs use, and whose turn it is.

use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::Arc;

use bytemuck::Pod;
use cl_sys::cl_mem;
use smallvec::smallvec;

use crate::call::{call, close, create, first, log, present};
use crate::memory::{Memory, Owner};
use crate::{Api, Error, OpenClProgram, Residency, Result, Session};

/// Marks a buffer that OpenCL owns at present.
#[derive(Clone, Copy, Debug)]
pub enum OpenCl {}
/// Marks a buffer that HIP owns at present.
#[derive(Clone, Copy, Debug)]
pub enum Hip {}

/// `len` elements in the memory of a GPU or of the host ([`residency`](Buffer::residency)), at one address for both APIs. `Side` says whose turn it is.
///
/// Elements are [`Pod`], plain old data, of which every bit pattern is valid: numbers, arrays of them, and structs that derive it. Memory that is not
/// aligned for them is refused; the APIs align to 128 bytes at least.
///
/// Using it from the other side does not compile; [`into_hip`](Buffer::into_hip) and [`into_opencl`](Buffer::into_opencl)
/// wait for the work of one side, so that the other sees it:
///
/// ```compile_fail,E0599
/// # use rocm_interop::{Buffer, Hip};
/// fn read_on_hips_turn(buffer: Buffer<f32, Hip>, out: &mut [f32]) {
///     buffer.read(out).unwrap(); // OpenCL's method
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
    pub(crate) memory: Memory,
    len: usize,
    marker: PhantomData<(T, Side)>,
}

impl Session {
    /// Allocates `len` elements in the GPU's memory: coarse-grained SVM of OpenCL, whose address HIP's kernels use as it is. Contents are
    /// undefined.
    ///
    /// # Errors
    /// [`Error::NoMemory`] if there is not enough, [`Error::NotResident`] if the runtime put it elsewhere, [`Error::Argument`] if that
    /// many elements have no bytes, or more than `isize::MAX`; [`Error::Call`].
    pub fn allocate<T: Pod>(&self, len: usize) -> Result<Buffer<T, OpenCl>> {
        let bytes = byte_size::<T>(len)?;
        let (cl, context, flags) = (&self.0.libraries.cl, self.context(), cl_sys::CL_MEM_READ_WRITE);
        // SAFETY: the context is the session's. No CL_MEM_SVM_FINE_GRAIN_BUFFER: that would be host memory.
        let svm = present::<cl_sys::cl_int, _, _>(unsafe { cl.clSVMAlloc(context, flags, bytes, 0) })?;
        if svm.is_null() {
            return Err(Error::NoMemory { call: "clSVMAlloc", bytes });
        }
        let memory = Memory::new(&self.0, Owner::Svm, svm.expose_provenance() as u64, bytes)?;
        Buffer::new(memory, len)
    }

    /// Allocates `len` elements in the GPU's memory by `hipMalloc`, for code that needs memory which HIP's own functions know; else
    /// [`allocate`](Session::allocate) is the better choice. Contents are undefined.
    ///
    /// OpenCL does not know this memory, and starts kernels of one queue that use it without waiting for each other. So
    /// [`OpenClKernel::launch`](crate::OpenClKernel::launch) flushes the queue behind each kernel that gets it, which AMD's OpenCL
    /// answers with a barrier on the GPU. Kernels launched by raw handles are the caller's to keep apart.
    ///
    /// # Errors
    /// [`Error::Argument`] if that many elements have no bytes, or more than `isize::MAX`; [`Error::NotResident`],
    /// [`Error::Call`].
    pub fn allocate_hip<T: Pod>(&self, len: usize) -> Result<Buffer<T, Hip>> {
        let bytes = byte_size::<T>(len)?;
        self.0.select_device()?;
        let mut pointer = null_mut();
        // SAFETY: writes one pointer.
        unsafe { call!(self.0.libraries.hip, hipMalloc(&mut pointer, bytes)) }?;
        let memory = Memory::new(&self.0, Owner::Hip, pointer.expose_provenance() as u64, bytes)?;
        Buffer::new(memory, len)
    }

    /// A view of an existing buffer object of this context, of as many whole elements as it has. It is retained while the view lives.
    ///
    /// A kernel of one work-item reports the object's address: no query of AMD's OpenCL does.
    ///
    /// # Errors
    /// [`Error::Argument`] if the object is host memory by its flags, of another context or shorter than an element, [`Error::NotResident`] if the
    /// address is no memory of the GPU, [`Error::Compile`] if the compiler refuses the kernel, [`Error::Call`].
    ///
    /// # Safety
    /// `mem` is a valid buffer of this session's context, and nobody uses it while HIP owns the view.
    pub unsafe fn view<T: Pod>(&self, mem: cl_mem) -> Result<Buffer<T, OpenCl>> {
        let cl = &self.0.libraries.cl;
        let (mut flags, mut bytes) = (0 as cl_sys::cl_mem_flags, 0usize);
        let mut context: cl_sys::cl_context = null_mut();
        // SAFETY: the caller's object; each output has the attribute's type.
        unsafe {
            mem_info(cl, mem, cl_sys::CL_MEM_FLAGS, &mut flags)?;
            mem_info(cl, mem, cl_sys::CL_MEM_SIZE, &mut bytes)?;
            mem_info(cl, mem, cl_sys::CL_MEM_CONTEXT, &mut context)?;
        }
        if context != self.context() {
            return Err(Error::Argument {
                what: "cl_mem",
                reason: "is of another context than the session; open one on that context (`Session::from_raw`)"
                    .to_owned(),
            });
        }
        if flags & (cl_sys::CL_MEM_USE_HOST_PTR | cl_sys::CL_MEM_ALLOC_HOST_PTR) != 0 {
            let reason = "was created with CL_MEM_USE_HOST_PTR or CL_MEM_ALLOC_HOST_PTR: its bytes are in host memory; create it \
                          without them"
                .to_owned();
            return Err(Error::Argument { what: "cl_mem", reason });
        }
        let len = whole_elements::<T>("cl_mem", bytes as u64)?;
        // SAFETY: the caller's object.
        unsafe { call!(cl, clRetainMemObject(mem)) }?;
        match self.address_of(mem) {
            Ok(address) => {
                let memory = Memory::new(&self.0, Owner::Mem(mem), address, bytes)?;
                Buffer::new(memory, len)
            }
            Err(error) => {
                // SAFETY: retained above.
                log(unsafe { call!(cl, clReleaseMemObject(mem)) });
                Err(error)
            }
        }
    }

    /// What a kernel gets as the address of `mem`.
    pub(crate) fn address_of(&self, mem: cl_mem) -> Result<u64> {
        const SOURCE: &str = "kernel void address_of(global char *b, global ulong *out) { *out = (ulong)b; }";
        let (cl, queue) = (&self.0.libraries.cl, self.0.queue);
        let program = OpenClProgram::build(self, SOURCE, "")?;
        let kernel = program.kernel("address_of")?;
        // SAFETY: 8 bytes of the session's context, released below.
        let out = unsafe { create!(cl, clCreateBuffer(self.context(), cl_sys::CL_MEM_WRITE_ONLY, 8, null_mut())) }?;
        let (mut address, mut read) = (0u64, null_mut());
        // Stands for the address of `out`: no buffer of the session has it.
        let key = out.addr() as u64;
        let pointer = size_of::<cl_mem>();
        let (one, none, blocking) = (1, std::ptr::null(), cl_sys::CL_TRUE);
        let to = (&raw mut address).cast();
        // SAFETY: arguments are two buffer objects as the kernel declares; the blocking read waits for the kernel.
        let outcome = unsafe {
            call!(cl, clSetKernelArg(kernel.raw(), 0, pointer, (&raw const mem).cast()))
                .and_then(|()| call!(cl, clSetKernelArg(kernel.raw(), 1, pointer, (&raw const out).cast())))
                .and_then(|()| {
                    let (kernel, no_offset, local) = (kernel.raw(), std::ptr::null(), std::ptr::null());
                    self.0.enqueue(smallvec![(key, true)], |event| {
                        call!(cl, clEnqueueNDRangeKernel(queue, kernel, 1, no_offset, &one, local, 0, none, event))
                    })
                })
                .and_then(|()| call!(cl, clEnqueueReadBuffer(queue, out, blocking, 0, 8, to, 0, none, &mut read)))
                .and_then(|()| self.0.ended(read))
        };
        // Also after an error. How others' work ended is not told here.
        let computed = self.0.settle(u64::MAX).and_then(|()| self.0.tell_missing(&[key]));
        // SAFETY: made above.
        let released = unsafe { call!(cl, clReleaseMemObject(out)) };
        first([outcome, computed, released, kernel.close(), program.close()]).map(|()| address)
    }
}

/// # Safety
/// `info` of a valid `mem` has the type of `value`.
unsafe fn mem_info<T>(cl: &cl_sys::Cl, mem: cl_mem, info: u32, value: &mut T) -> Result<()> {
    let value = std::ptr::from_mut(value).cast();
    // SAFETY: the caller's promise.
    unsafe { call!(cl, clGetMemObjectInfo(mem, info, size_of::<T>(), value, null_mut())) }
}

pub(crate) fn byte_size<T>(len: usize) -> Result<usize> {
    let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes != 0 && bytes <= isize::MAX as usize);
    let reason = || format!("{len} elements of {} bytes, must be 1 to isize::MAX bytes in all", size_of::<T>());
    bytes.ok_or_else(|| Error::Argument { what: "len", reason: reason() })
}

/// How many elements fit into memory of others, at least one.
pub(crate) fn whole_elements<T>(what: &'static str, bytes: u64) -> Result<usize> {
    let reason = || format!("its {bytes} bytes have no whole element of {}", size_of::<T>());
    let len = bytes.checked_div(size_of::<T>() as u64).filter(|&len| len != 0);
    len.map(|len| len as usize).ok_or_else(|| Error::Argument { what, reason: reason() })
}

impl<T: Pod, Side> Buffer<T, Side> {
    /// Refuses memory where the elements would not be aligned; the APIs align to their own largest types.
    pub(crate) fn new(memory: Memory, len: usize) -> Result<Self> {
        let address = memory.address();
        if address.is_multiple_of(align_of::<T>() as u64) {
            return Ok(Buffer::of(memory, len));
        }
        let reason = format!("is at {address:#x}, but elements of this type are aligned to {} bytes", align_of::<T>());
        Err(Error::Argument { what: "memory", reason })
    }

    pub(crate) fn of(memory: Memory, len: usize) -> Self {
        Buffer { memory, len, marker: PhantomData }
    }

    /// Waits for the session's queue and stream, whoever's turn it is, and gives the memory back by the API that it came from. Dropping does too, but can
    /// only log an error, by `tracing`; that results are missing in it is left to [`Session::finish`] to tell.
    ///
    /// # Errors
    /// [`Error::Leaked`] if a wait failed. Else it is given back: [`Error::Failed`] if results are missing in it, [`Error::TimedOut`] if work ran too
    /// early, or [`Error::Call`] of the first call that failed. The others were made too.
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
    pub fn address(&self) -> u64 {
        self.memory.address()
    }

    pub(crate) fn turned<Other>(self) -> Buffer<T, Other> {
        Buffer::of(self.memory, self.len)
    }
}

impl<T: Pod> Buffer<T, OpenCl> {
    /// Copies `data` from the host to the start of the buffer, after all earlier work of the session's queue; returns when it is there.
    ///
    /// # Errors
    /// [`Error::Argument`] if it does not fit, [`Error::Failed`] if earlier work with this buffer failed, or the copy, and [`Error::TimedOut`] if work ran
    /// too early, [`Error::Call`].
    pub fn write(&mut self, data: &[T]) -> Result<()> {
        self.write_at(0, data)
    }

    /// The same, from the element `at` on.
    ///
    /// # Errors
    /// As [`write`](Buffer::write).
    pub fn write_at(&mut self, at: usize, data: &[T]) -> Result<()> {
        self.fits(at, data.len())?;
        let core = self.memory.core();
        if !self.memory.is_opencls() {
            core.wait(Api::OpenCl)?;
        }
        if core.has_flags() {
            self.memory.finish_uses()?;
        }
        let earlier = core.next_command();
        // SAFETY: it fits.
        unsafe { self.memory.write(at * size_of::<T>(), bytemuck::cast_slice(data)) }?;
        core.settle(earlier)?;
        self.memory.tell(Api::OpenCl)
    }

    /// Fills `data` on the host from the start of the buffer, after all earlier work of the session's queue; returns when it is there.
    ///
    /// Other threads may launch meanwhile, on this buffer too: what is read is what one of the launches left, of no launch a part. Where OpenCL does not know the memory (of
    /// [`allocate_hip`](Session::allocate_hip), [`allocate_managed`](Session::allocate_managed), an import, or another session), it is read again if it was launched on meanwhile,
    /// and the third time launches on the session's queue wait for the copy. Launches by raw handles are the caller's to keep apart from it.
    ///
    /// # Errors
    /// [`Error::Argument`] if the buffer is shorter, [`Error::Failed`] if earlier work with this buffer failed, or the copy, and [`Error::TimedOut`] if work
    /// ran too early, [`Error::Call`].
    pub fn read(&self, data: &mut [T]) -> Result<()> {
        self.read_at(0, data)
    }

    /// The same, from the element `at` on.
    ///
    /// # Errors
    /// As [`read`](Buffer::read).
    pub fn read_at(&self, at: usize, data: &mut [T]) -> Result<()> {
        self.fits(at, data.len())?;
        let core = self.memory.core();
        if core.has_flags() {
            self.memory.finish_uses()?;
        }
        let earlier = core.next_command();
        // SAFETY: it fits.
        unsafe { self.memory.read(at * size_of::<T>(), bytemuck::cast_slice_mut(data)) }?;
        core.settle(earlier)?;
        self.memory.tell(Api::OpenCl)
    }

    pub(crate) fn fits(&self, at: usize, len: usize) -> Result<()> {
        if at.checked_add(len).is_some_and(|end| end <= self.len) {
            return Ok(());
        }
        let from = if at == 0 { String::new() } else { format!(" from element {at} on") };
        Err(Error::Argument { what: "data", reason: format!("{len} elements{from}, but the buffer has {}", self.len) })
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
