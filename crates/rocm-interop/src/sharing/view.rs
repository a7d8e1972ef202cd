//! Buffer objects that OpenCL code has.

use std::ptr::null_mut;

use bytemuck::Pod;
use cl_sys::cl_mem;
use smallvec::smallvec;

use crate::apis::call::{call, create, first, log};
use crate::buffer::whole_elements;
use crate::memory::{Memory, Owner};
use crate::{Api, Buffer, Error, OpenCl, OpenClProgram, Result, Session};

impl Session {
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
                .and_then(|()| if self.0.limits.wait().is_some() { self.0.wait(Api::OpenCl) } else { Ok(()) })
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
