//! Buffer objects that OpenCL code has.

use std::ptr::null_mut;

use bytemuck::Pod;
use cl_sys::cl_mem;

use crate::allocation::{Allocation, Owner};
use crate::apis::call::{call, log};
use crate::buffer::whole_elements;
use crate::{Buffer, Error, OpenCl, Result, Session};

impl Session {
    /// A view of an existing buffer object of this context, of as many whole elements as it has. It is retained while
    /// the view lives.
    ///
    /// A kernel of one work-item reports the object's address: no query of AMD's OpenCL does. The session's first view
    /// compiles it and makes a second queue for it, a tenth of a second; what is in the session's own queue is not
    /// waited for.
    ///
    /// # Errors
    /// [`Error::Argument`] if the object is host memory by its flags, of another context or shorter than an element,
    /// [`Error::NotResident`] if the address is no memory of the GPU, [`Error::Compile`] if the compiler refuses the
    /// kernel, [`Error::Call`].
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
                subject: "cl_mem",
                reason: "is of another context than the session; open one on that context (`Session::from_raw`)"
                    .to_owned(),
            });
        }
        if flags & (cl_sys::CL_MEM_USE_HOST_PTR | cl_sys::CL_MEM_ALLOC_HOST_PTR) != 0 {
            let reason = "was created with CL_MEM_USE_HOST_PTR or CL_MEM_ALLOC_HOST_PTR: its bytes are in host memory; create it \
                          without them"
                .to_owned();
            return Err(Error::Argument { subject: "cl_mem", reason });
        }
        let len = whole_elements::<T>("cl_mem", bytes as u64)?;
        // SAFETY: the caller's object.
        unsafe { call!(cl, clRetainMemObject(mem)) }?;
        match self.0.address_of(mem) {
            Ok(address) => {
                let memory = Allocation::new(&self.0, Owner::Mem(mem), address, bytes)?;
                Buffer::new(memory, len)
            }
            Err(error) => {
                // SAFETY: retained above.
                log(unsafe { call!(cl, clReleaseMemObject(mem)) });
                Err(error)
            }
        }
    }
}

/// # Safety
/// `info` of a valid `mem` has the type of `value`.
unsafe fn mem_info<T>(cl: &cl_sys::Cl, mem: cl_mem, info: u32, value: &mut T) -> Result<()> {
    let value = std::ptr::from_mut(value).cast();
    // SAFETY: the caller's promise.
    unsafe { call!(cl, clGetMemObjectInfo(mem, info, size_of::<T>(), value, null_mut())) }
}
