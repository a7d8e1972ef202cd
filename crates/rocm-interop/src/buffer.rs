//! Memory that both APIs use, and whose turn it is.

use std::ffi::c_void;
use std::marker::PhantomData;

use cl_sys::{cl_bool, cl_command_queue, cl_kernel, cl_mem};

use crate::call::{call, create, first, log, present};
use crate::{Error, OpenClProgram, Residency, Result, Session};

/// Types that GPU and host agree on: plain numbers, every bit pattern valid.
///
/// # Safety
/// No padding, no pointers, every bit pattern valid.
pub unsafe trait Element: Copy + 'static {}
macro_rules! elements { ($($number:ty)*) => { $(
    // SAFETY: a primitive number.
    unsafe impl Element for $number {}
)* } }
elements! { u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 }
// SAFETY: arrays have no padding between elements.
unsafe impl<T: Element, const N: usize> Element for [T; N] {}

/// Marks a buffer that OpenCL owns at present.
#[derive(Clone, Copy, Debug)]
pub enum OpenCl {}
/// Marks a buffer that HIP owns at present.
#[derive(Clone, Copy, Debug)]
pub enum Hip {}

/// What has to be given back at the end, and by which API.
#[derive(Clone, Copy, Debug)]
enum Owner {
    /// From clSVMAlloc.
    Svm,
    /// A buffer object, retained once for this view.
    Mem(cl_mem),
}

/// `len` elements in the GPU's memory, at one address for both APIs. `Side` says whose turn it is.
///
/// Using it from the other side does not compile; [`into_hip`](Buffer::into_hip) and [`into_opencl`](Buffer::into_opencl)
/// wait for the work of one side, so that the other sees it:
///
/// ```compile_fail,E0599
/// # use rocm_interop::{Buffer, Hip};
/// fn read_on_hips_turn(buffer: Buffer<'_, f32, Hip>, out: &mut [f32]) {
///     buffer.read(out).unwrap(); // OpenCL's method
/// }
/// ```
/// ```compile_fail,E0382
/// # use rocm_interop::{Buffer, OpenCl};
/// fn keep_the_old_name(buffer: Buffer<'_, f32, OpenCl>) {
///     let on_hip = buffer.into_hip().unwrap();
///     buffer.read(&mut [0.0]).unwrap(); // moved
/// }
/// ```
/// ```compile_fail,E0597
/// # use rocm_interop::{Buffer, OpenCl, Session};
/// # fn open() -> Session { unimplemented!() }
/// let buffer: Buffer<'_, f32, OpenCl>;
/// {
///     let session = open();
///     buffer = session.allocate(16).unwrap(); // must not outlive its context
/// }
/// drop(buffer);
/// ```
#[derive(Debug)]
pub struct Buffer<'s, T: Element, Side> {
    session: &'s Session,
    owner: Owner,
    address: u64,
    len: usize,
    residency: Residency,
    /// Given back already.
    released: bool,
    marker: PhantomData<(T, Side)>,
}

impl Session {
    /// Allocates `len` elements in the GPU's memory: coarse-grained SVM of OpenCL, whose address HIP's kernels use as it is. Contents are
    /// undefined.
    ///
    /// # Errors
    /// [`Error::Call`] if there is not enough memory, [`Error::NotResident`] if the runtime put it elsewhere, [`Error::Argument`] if that
    /// many elements have no bytes, or more than `isize::MAX`.
    pub fn allocate<T: Element>(&self, len: usize) -> Result<Buffer<'_, T, OpenCl>> {
        let bytes = byte_size::<T>(len)?;
        let flags = cl_sys::CL_MEM_READ_WRITE;
        // SAFETY: the context is the session's. No CL_MEM_SVM_FINE_GRAIN_BUFFER: that would be host memory.
        let svm =
            present::<cl_sys::cl_int, _, _>(unsafe { self.libraries.cl.clSVMAlloc(self.context, flags, bytes, 0) })?;
        if svm.is_null() {
            let code = format!("NULL for {bytes} bytes (not enough memory, or the device has no coarse-grained SVM)");
            return Err(Error::Call { api: crate::Api::OpenCl, call: "clSVMAlloc", code });
        }
        let address = svm.expose_provenance() as u64;
        Buffer::new(self, Owner::Svm, address, len, bytes)
    }

    /// A view of an existing buffer object of this context, of as many whole elements as it has. It is retained while the view lives.
    ///
    /// A kernel of one work-item reports the object's address: no query of AMD's OpenCL does.
    ///
    /// # Errors
    /// [`Error::Argument`] if the object is host memory by its flags or of another context, [`Error::NotResident`] if the address is no
    /// memory of the GPU, [`Error::Compile`] if the compiler refuses the kernel, [`Error::Call`].
    ///
    /// # Safety
    /// `mem` is a valid buffer of this session's context, and nobody uses it while HIP owns the view.
    pub unsafe fn view<T: Element>(&self, mem: cl_mem) -> Result<Buffer<'_, T, OpenCl>> {
        let cl = &self.libraries.cl;
        let (mut flags, mut bytes) = (0 as cl_sys::cl_mem_flags, 0usize);
        let mut context: cl_sys::cl_context = std::ptr::null_mut();
        // SAFETY: the caller's object; each output has the attribute's type.
        unsafe {
            mem_info(cl, mem, cl_sys::CL_MEM_FLAGS, &mut flags)?;
            mem_info(cl, mem, cl_sys::CL_MEM_SIZE, &mut bytes)?;
            mem_info(cl, mem, cl_sys::CL_MEM_CONTEXT, &mut context)?;
        }
        if context != self.context {
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
        // SAFETY: the caller's object.
        unsafe { call!(cl, clRetainMemObject(mem)) }?;
        match self.address_of(mem) {
            Ok(address) => Buffer::new(self, Owner::Mem(mem), address, bytes / size_of::<T>().max(1), bytes),
            Err(error) => {
                // SAFETY: retained above.
                log(unsafe { call!(cl, clReleaseMemObject(mem)) });
                Err(error)
            }
        }
    }

    /// What a kernel gets as the address of `mem`.
    fn address_of(&self, mem: cl_mem) -> Result<u64> {
        const SOURCE: &str = "kernel void address_of(global char *b, global ulong *out) { *out = (ulong)b; }";
        let cl = &self.libraries.cl;
        let program = OpenClProgram::build(self, SOURCE, "")?;
        let kernel = program.kernel("address_of")?;
        let null = std::ptr::null_mut();
        // SAFETY: 8 bytes of the session's context, released below.
        let out = unsafe { create!(cl, clCreateBuffer(self.context, cl_sys::CL_MEM_WRITE_ONLY, 8, null)) }?;
        let mut address = 0u64;
        let pointer = size_of::<cl_mem>();
        // SAFETY: arguments are two buffer objects as the kernel declares; the blocking read waits for the kernel.
        let outcome = unsafe {
            call!(cl, clSetKernelArg(kernel.raw(), 0, pointer, (&raw const mem).cast()))
                .and_then(|()| call!(cl, clSetKernelArg(kernel.raw(), 1, pointer, (&raw const out).cast())))
                .and_then(|()| kernel.launch(&[1], None))
                .and_then(|()| {
                    let to = (&raw mut address).cast();
                    call!(
                        cl,
                        clEnqueueReadBuffer(self.queue, out, cl_sys::CL_TRUE, 0, 8, to, 0, null.cast(), null.cast())
                    )
                })
        };
        // SAFETY: made above.
        let released = unsafe { call!(cl, clReleaseMemObject(out)) };
        first([outcome, released, kernel.close(), program.close()]).map(|()| address)
    }
}

/// # Safety
/// `info` of a valid `mem` has the type of `value`.
unsafe fn mem_info<T>(cl: &cl_sys::Cl, mem: cl_mem, info: u32, value: &mut T) -> Result<()> {
    let null = std::ptr::null_mut();
    // SAFETY: the caller's promise.
    unsafe { call!(cl, clGetMemObjectInfo(mem, info, size_of::<T>(), std::ptr::from_mut(value).cast(), null)) }
}

fn byte_size<T>(len: usize) -> Result<usize> {
    let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes != 0 && bytes <= isize::MAX as usize);
    let reason = || format!("{len} elements of {} bytes, must be 1 to isize::MAX bytes in all", size_of::<T>());
    bytes.ok_or_else(|| Error::Argument { what: "len", reason: reason() })
}

impl<'s, T: Element> Buffer<'s, T, OpenCl> {
    /// Takes `owner`'s memory; gives it back if it is not the GPU's.
    fn new(session: &'s Session, owner: Owner, address: u64, len: usize, bytes: usize) -> Result<Self> {
        let residency = Residency { gpu: session.device().pci(), base: address, bytes };
        let mut buffer = Buffer { session, owner, address, len, residency, released: false, marker: PhantomData };
        buffer.residency = session.residency(address, bytes)?;
        Ok(buffer)
    }
}

impl<'s, T: Element, Side> Buffer<'s, T, Side> {
    pub(crate) fn session(&self) -> &'s Session {
        self.session
    }

    /// Waits for the session's queue and stream, whoever's turn it is, and gives the memory back by the API that it came from. Dropping does too, but can
    /// only log an error, by `tracing`.
    ///
    /// # Errors
    /// [`Error::Call`] of the first call that failed. The others were made too.
    pub fn close(mut self) -> Result<()> {
        self.release()
    }

    fn release(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.released, true) {
            return Ok(());
        }
        let Session { libraries, context, .. } = self.session;
        let cl = &libraries.cl;
        // Both: work that was submitted may still use the memory.
        let (hip, opencl) = (self.session.synchronize(), self.session.finish());
        // SAFETY: allocated or retained by this value, given back once.
        let freed = unsafe {
            match self.owner {
                Owner::Svm => {
                    let pointer = std::ptr::with_exposed_provenance_mut(self.address as usize);
                    present::<cl_sys::cl_int, _, _>(cl.clSVMFree(*context, pointer))
                }
                Owner::Mem(mem) => call!(cl, clReleaseMemObject(mem)),
            }
        };
        first([hip, opencl, freed])
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where the bytes are, as HSA's runtime said when the buffer was made.
    pub fn residency(&self) -> Residency {
        self.residency
    }

    /// The address in both APIs' kernels. Using it from the side whose turn it is not is the caller's risk.
    pub fn address(&self) -> u64 {
        self.address
    }

    fn turn<Other>(self) -> Buffer<'s, T, Other> {
        let this = std::mem::ManuallyDrop::new(self);
        Buffer {
            session: this.session,
            owner: this.owner,
            address: this.address,
            len: this.len,
            residency: this.residency,
            released: false,
            marker: PhantomData,
        }
    }
}

impl<'s, T: Element> Buffer<'s, T, OpenCl> {
    /// Copies `data` from the host to the start of the buffer, after all earlier work of the session's queue; returns when it is there.
    ///
    /// # Errors
    /// [`Error::Argument`] if it does not fit, [`Error::Call`].
    pub fn write(&mut self, data: &[T]) -> Result<()> {
        self.fits(data.len())?;
        // SAFETY: it fits, and the call blocks until `data` was read.
        unsafe { self.enqueue_write(self.session.queue, cl_sys::CL_TRUE, data) }
    }

    /// # Safety
    /// `data` fits. Unless `blocking`, it and the buffer stay until the queue is done.
    pub(crate) unsafe fn enqueue_write(&self, queue: cl_command_queue, blocking: cl_bool, data: &[T]) -> Result<()> {
        // OpenCL has no copies of 0 bytes.
        if data.is_empty() {
            return Ok(());
        }
        let cl = &self.session.libraries.cl;
        let (from, bytes) = (data.as_ptr().cast::<c_void>(), size_of_val(data));
        let none = std::ptr::null();
        // SAFETY: the caller's promise.
        unsafe {
            match self.owner {
                Owner::Svm => call!(
                    cl,
                    clEnqueueSVMMemcpy(queue, blocking, self.svm(), from, bytes, 0, none, std::ptr::null_mut())
                ),
                Owner::Mem(mem) => {
                    call!(cl, clEnqueueWriteBuffer(queue, mem, blocking, 0, bytes, from, 0, none, std::ptr::null_mut()))
                }
            }
        }
    }

    /// Fills `data` on the host from the start of the buffer, after all earlier work of the session's queue; returns when it is there.
    ///
    /// # Errors
    /// [`Error::Argument`] if the buffer is shorter, [`Error::Call`].
    pub fn read(&self, data: &mut [T]) -> Result<()> {
        self.fits(data.len())?;
        if data.is_empty() {
            return Ok(());
        }
        let (cl, queue) = (&self.session.libraries.cl, self.session.queue);
        let (to, bytes) = (data.as_mut_ptr().cast::<c_void>(), size_of_val(data));
        let (none, blocking) = (std::ptr::null(), cl_sys::CL_TRUE);
        // SAFETY: `bytes` bytes fit on both sides, T takes any bits, and the call blocks until `data` was written.
        unsafe {
            match self.owner {
                Owner::Svm => {
                    call!(cl, clEnqueueSVMMemcpy(queue, blocking, to, self.svm(), bytes, 0, none, std::ptr::null_mut()))
                }
                Owner::Mem(mem) => {
                    call!(cl, clEnqueueReadBuffer(queue, mem, blocking, 0, bytes, to, 0, none, std::ptr::null_mut()))
                }
            }
        }
    }

    /// Hands the buffer to HIP: waits until OpenCL's work on the session's queue is done. Work on other queues is not waited for.
    ///
    /// # Errors
    /// [`Error::Call`]; the buffer is freed then.
    pub fn into_hip(self) -> Result<Buffer<'s, T, Hip>> {
        self.session.finish()?;
        Ok(self.turn())
    }

    /// Makes the buffer argument `index` of an OpenCL kernel.
    pub(crate) fn set_argument(&self, kernel: cl_kernel, index: u32) -> Result<()> {
        let cl = &self.session.libraries.cl;
        // SAFETY: pointer or object of the session's context, which the kernel's program is of.
        unsafe {
            match self.owner {
                Owner::Svm => call!(cl, clSetKernelArgSVMPointer(kernel, index, self.svm())),
                Owner::Mem(mem) => {
                    call!(cl, clSetKernelArg(kernel, index, size_of::<cl_mem>(), (&raw const mem).cast()))
                }
            }
        }
    }

    pub(crate) fn fits(&self, len: usize) -> Result<()> {
        if len <= self.len {
            return Ok(());
        }
        Err(Error::Argument { what: "data", reason: format!("{len} elements, but the buffer has {}", self.len) })
    }

    fn svm(&self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.address as usize)
    }
}

impl<'s, T: Element> Buffer<'s, T, Hip> {
    /// Hands the buffer to OpenCL: waits until HIP's work on the session's stream is done. Work on other streams is not waited for.
    ///
    /// # Errors
    /// [`Error::Call`]; the buffer is freed then.
    pub fn into_opencl(self) -> Result<Buffer<'s, T, OpenCl>> {
        self.session.synchronize()?;
        Ok(self.turn())
    }
}

impl<T: Element, Side> Drop for Buffer<'_, T, Side> {
    fn drop(&mut self) {
        log(self.release());
    }
}
