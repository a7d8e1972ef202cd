//! Host memory that both APIs use: asked for by name, as each access of a GPU's kernel crosses PCI Express.

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};

use bytemuck::Pod;
use hip_sys::hipError_t;

use crate::allocation::{Allocation, Owner};
use crate::apis::call::{Status, call, create, log, present};
use crate::buffer::byte_size;
use crate::error::Api;
use crate::{Buffer, Error, Hip, OpenCl, Result, Session};

impl Session {
    /// Allocates `len` elements in host memory: fine-grained SVM of OpenCL, whose address HIP's kernels and the host
    /// use as it is. Contents are undefined.
    ///
    /// A kernel that reads it gets each byte over PCI Express, at a fortieth of the speed of an MI100's own memory at
    /// most, and again each time. So it is for what is read once, or is small: flags, counters, results.
    ///
    /// # Errors
    /// [`Error::NoMemory`], [`Error::NotResident`] if the runtime put it elsewhere, [`Error::Argument`] if that many
    /// elements have no bytes, or more than `isize::MAX`; [`Error::Call`].
    #[doc(alias = "clSVMAlloc")]
    pub fn allocate_host<T: Pod>(&self, len: usize) -> Result<Buffer<T, OpenCl>> {
        let bytes = byte_size::<T>(len)?;
        let flags = cl_sys::CL_MEM_READ_WRITE | cl_sys::cl_mem_flags::from(cl_sys::CL_MEM_SVM_FINE_GRAIN_BUFFER);
        let (cl, context) = (&self.0.libraries.cl, self.context());
        // SAFETY: the context is the session's.
        let svm = present::<cl_sys::cl_int, _, _>(unsafe { cl.clSVMAlloc(context, flags, bytes, 0) })?;
        if svm.is_null() {
            return Err(Error::NoMemory { call: "clSVMAlloc", bytes });
        }
        let memory = Allocation::proven(&self.0, Owner::Svm, svm.expose_provenance() as u64, bytes, || {
            self.0.host_residency(svm.addr() as u64, bytes)
        })?;
        Buffer::new(memory, len)
    }

    /// Allocates `len` elements in host memory by `hipMallocManaged`, for code that is written for managed memory; else
    /// [`allocate_host`](Session::allocate_host) is the better choice. Contents are undefined.
    ///
    /// OpenCL does not know this memory; kernels are kept in order as with [`allocate_hip`](Session::allocate_hip).
    ///
    /// # Errors
    /// [`Error::NotResident`] on a machine with XNACK, where such pages move between the host and the GPU by
    /// themselves; [`Error::Argument`] if that many elements have no bytes, or more than `isize::MAX`; [`Error::Call`].
    #[doc(alias = "hipMallocManaged")]
    pub fn allocate_managed<T: Pod>(&self, len: usize) -> Result<Buffer<T, Hip>> {
        let bytes = byte_size::<T>(len)?;
        self.0.select_device()?;
        let mut pointer = null_mut();
        // SAFETY: writes one pointer. 1 is hipMemAttachGlobal: all streams may use it.
        unsafe { call!(self.0.libraries.hip, hipMallocManaged(&mut pointer, bytes, 1)) }?;
        let address = pointer.expose_provenance() as u64;
        let memory = Allocation::proven(&self.0, Owner::Hip, address, bytes, || {
            if self.0.retries_faults()? {
                let reason = "managed memory moves between the host and the GPU on this machine (XNACK is on), so that nobody can say where it \
                              is; start the program with HSA_XNACK=0, or use `allocate` or `allocate_host`"
                    .to_owned();
                return Err(Error::NotResident { address, bytes, reason });
            }
            self.0.host_residency(address, bytes)
        })?;
        Buffer::new(memory, len)
    }

    /// A view of pages of the program's own, which stay where they are: registered with HIP, and a buffer object of
    /// OpenCL's (`CL_MEM_USE_HOST_PTR`). A network card's buffers, say, or a mapped file.
    ///
    /// What a kernel's access costs is said at [`allocate_host`](Session::allocate_host). HSA and HIP are asked about
    /// each page, which takes about a microsecond.
    ///
    /// # Errors
    /// [`Error::Argument`] if they are not whole pages, or memory that HIP, OpenCL or HSA allocated or has registered;
    /// [`Error::NotResident`] if the APIs do not use them in place; [`Error::Compile`] if the compiler refuses the
    /// kernel that finds that out; [`Error::Call`].
    ///
    /// # Safety
    /// The pages are allocated, for reading and writing, until [`close`](Buffer::close) of the buffer returned `Ok`,
    /// whichever session has it by then. They stay for the rest of the process if it returned an error, if the buffer
    /// was dropped instead, which tells nobody whether the APIs still use them, or if this call returned another error
    /// than [`Error::Argument`]. Until then they are read and written elsewhere only while no kernel uses the buffer,
    /// nobody has its [`host_slice`](Buffer::host_slice), and no [`Transfer`](crate::transfer::Transfer) of it is under
    /// way, nor was forgotten or leaked.
    #[doc(alias = "hipHostRegister")]
    #[doc(alias = "CL_MEM_USE_HOST_PTR")]
    pub unsafe fn view_pages<T: Pod>(&self, pages: NonNull<[T]>) -> Result<Buffer<T, OpenCl>> {
        let (start, bytes) = (pages.cast::<c_void>().as_ptr(), byte_size::<T>(pages.len())?);
        let refuse = |reason| Error::Argument { subject: "pages", reason };
        whole_pages(start.addr(), bytes, rustix::param::page_size()).map_err(refuse)?;
        let (hip, cl) = (&self.0.libraries.hip, &self.0.libraries.cl);
        self.0.select_device()?;
        let mut address = null_mut();
        for page in (0..bytes).step_by(rustix::param::page_size()) {
            let page = start.wrapping_byte_add(page);
            self.0.process_page(page.addr() as u64)?;
            // HIP 5 registers pages twice, but gives them back once. SAFETY: the pointer is looked up only.
            match present::<hipError_t, _, _>(unsafe { hip.hipHostGetDevicePointer(&mut address, page, 0) })? {
                hipError_t::hipErrorInvalidValue => self.0.libraries.forget_hips_error(),
                hipError_t::hipSuccess => {
                    let reason = format!(
                        "HIP has them registered already, the page at {page:p}; use the buffer that has them, or unregister them"
                    );
                    return Err(refuse(reason));
                }
                code => return Err(Error::Call { call: "hipHostGetDevicePointer", code: code.code() }),
            }
        }
        // SAFETY: the caller's pages. 0 is hipHostRegisterDefault.
        unsafe { call!(hip, hipHostRegister(start, bytes, 0)) }?;
        let flags = cl_sys::CL_MEM_READ_WRITE | cl_sys::CL_MEM_USE_HOST_PTR;
        // SAFETY: registered above; the pages stay as long as the buffer object.
        let made = unsafe {
            call!(hip, hipHostGetDevicePointer(&mut address, start, 0))
                .and_then(|()| create!(cl, clCreateBuffer(self.context(), flags, bytes, start)))
        };
        let mem = made.inspect_err(|_| {
            // SAFETY: registered above; nothing uses them.
            log(unsafe { call!(hip, hipHostUnregister(start)) });
        })?;
        let (owner, address) = (Owner::Pages(mem, start.expose_provenance()), address.addr() as u64);
        let memory = Allocation::proven(&self.0, owner, address, bytes, || {
            let on_opencl = self.0.address_of(mem)?;
            if on_opencl != address {
                let reason = format!(
                    "OpenCL's kernels have the pages at {on_opencl:#x}: in a copy or another mapping, which cannot be told apart; use \
                     `allocate_host`"
                );
                return Err(Error::NotResident { address, bytes, reason });
            }
            self.0.host_residency(address, bytes)
        })?;
        Buffer::new(memory, pages.len())
    }
}

impl<T: Pod> Buffer<T, OpenCl> {
    /// The elements, for the host to read and write in place, after all earlier work that was given this buffer; if
    /// [`Session::queue`] or [`Session::from_raw`] shared the queue with others, after all that is in it.
    ///
    /// If somebody asked for the buffer's [`address`](Buffer::address), all of the queue is waited for. AMD's OpenCL
    /// tells of the end of kernels that it submitted as one, which were launched without a flush or a wait between,
    /// only when all of them have ended.
    ///
    /// # Errors
    /// [`Error::Argument`] if the buffer is in a GPU's memory; [`Error::Failed`] and [`Error::TimedOut`], once, if that
    /// work failed or ran too early; [`Error::Call`].
    pub fn host_slice(&mut self) -> Result<&mut [T]> {
        let Some(host) = self.memory.host() else {
            let reason = format!("is {}; use `read` and `write`", self.residency().place);
            return Err(Error::Argument { subject: "buffer", reason });
        };
        self.memory.finish_uses(Api::OpenCl)?;
        // SAFETY: that many elements of plain data, aligned, in memory that the host has mapped there. No work uses
        // them, and none begins without a reference to this buffer.
        Ok(unsafe { std::slice::from_raw_parts_mut(host.cast(), self.len()) })
    }
}

fn whole_pages(start: usize, bytes: usize, page: usize) -> Result<(), String> {
    if start.is_multiple_of(page) && bytes.is_multiple_of(page) {
        return Ok(());
    }
    Err(format!(
        "{bytes} bytes at {start:#x} are not whole pages of {page} bytes: kernels could use what else is in the first and last page"
    ))
}

#[cfg(test)]
mod tests {
    use super::whole_pages;

    #[test]
    fn parts_of_pages_are_refused() {
        assert_eq!(whole_pages(0x3000, 0x1000, 0x1000), Ok(()));
        for (start, bytes) in [(0x3010, 0x1000), (0x3000, 0xfff), (0x3000, 0x1001), (0x3800, 0x1800)] {
            let reason = whole_pages(start, bytes, 0x1000).expect_err("a part of a page");
            assert!(reason.contains(&format!("{bytes} bytes at {start:#x} are not whole pages")), "{reason}");
        }
    }
}
