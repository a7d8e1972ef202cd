//! Small OpenCL kernels that the session itself needs.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use cl_sys::{Cl, cl_kernel};
use parking_lot::{Mutex, MutexGuard};

use crate::Result;
use crate::apis::call::{call, create, log};
use crate::session::Core;

/// A kernel, built when it is first needed.
#[derive(Debug)]
pub(crate) struct HelperKernel {
    source: &'static CStr,
    name: &'static CStr,
    /// Null until then. Held while it is given arguments and enqueued.
    kernel: Mutex<Kernel>,
}

#[derive(Debug)]
pub(crate) struct Kernel(cl_kernel);

// SAFETY: OpenCL's kernels may be used by any thread, but not given arguments by two at a time, which the lock sees to.
unsafe impl Send for Kernel {}

impl Kernel {
    pub(crate) fn raw(&self) -> cl_kernel {
        self.0
    }
}

impl HelperKernel {
    pub(crate) const fn new(source: &'static CStr, name: &'static CStr) -> HelperKernel {
        HelperKernel { source, name, kernel: Mutex::new(Kernel(null_mut())) }
    }

    /// The kernel, for this thread alone.
    pub(crate) fn get(&self, core: &Core) -> Result<MutexGuard<'_, Kernel>> {
        let mut kernel = self.kernel.lock();
        if kernel.0.is_null() {
            kernel.0 = self.build(core)?;
        }
        Ok(kernel)
    }

    fn build(&self, core: &Core) -> Result<cl_kernel> {
        let (cl, device) = (&core.libraries.cl, core.device.opencl());
        let mut text = self.source.as_ptr();
        // SAFETY: one string that ends in 0, and the context's own device. The kernel holds the program.
        unsafe {
            let program = create!(cl, clCreateProgramWithSource(core.context, 1, &raw mut text, null()))?;
            let kernel = call!(cl, clBuildProgram(program, 1, &device, c"".as_ptr(), None, null_mut()))
                .and_then(|()| create!(cl, clCreateKernel(program, self.name.as_ptr())));
            log(call!(cl, clReleaseProgram(program)));
            kernel
        }
    }

    /// Gives it back.
    pub(crate) fn forget(&mut self, cl: &Cl) -> Result<()> {
        let kernel = std::mem::replace(&mut self.kernel.get_mut().0, null_mut());
        if kernel.is_null() {
            return Ok(());
        }
        // SAFETY: made by `build`, and used by nobody any more.
        unsafe { call!(cl, clReleaseKernel(kernel)) }
    }
}
