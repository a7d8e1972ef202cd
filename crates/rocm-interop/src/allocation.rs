//! Memory and its owner: who made the bytes, and how they are given back.

mod fills_and_copies;
mod host_copies;
pub(crate) mod idle;
mod uses;

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use cl_sys::{cl_kernel, cl_mem};
use hip_sys::hipExternalMemory_t;

use crate::allocation::idle::IdleList;
use crate::apis::call::{Release, call, first, log, present};
use crate::error::Api;
use crate::session::Core;
use crate::session::{Place, Residency};
use crate::{Error, Libraries, Result};
pub(crate) use host_copies::HostCopy;

/// What has to be given back at the end, and by which API.
#[derive(Debug)]
pub(crate) enum Owner {
    /// From clSVMAlloc.
    Svm,
    /// A buffer object, retained once for this view.
    Mem(cl_mem),
    /// A buffer object on pages at this address of the process, which are registered with HIP.
    Pages(cl_mem, usize),
    /// From hipMalloc.
    Hip,
    /// A buffer object of the driver's that HSA's runtime mapped at this address.
    Mapped(usize),
    /// The same by HIP.
    External(hipExternalMemory_t),
    /// Memory of HIP in another process, which HIP opened.
    Opened,
    /// Made by another session, which it goes back to.
    Lent(Box<Allocation>),
    /// Made by another session, which reads it too.
    Shared(Arc<Allocation>),
}

/// Bytes at one address for both APIs, given back when dropped.
// `pub` for the sealed trait of what is handed over; nobody outside can name it.
#[derive(Debug)]
pub struct Allocation {
    core: Arc<Core>,
    owner: Owner,
    address: u64,
    bytes: usize,
    residency: Residency,
    /// Given back already, or never to be.
    released: bool,
    /// Somebody asked for the address, so that kernels may have it by other means than as an argument.
    address_given: AtomicBool,
    /// Number of the last work of the session's stream that may use it; `UNKNOWN` if a library of HIP's has the
    /// address.
    in_stream: AtomicU64,
    /// The pool that it goes back to.
    home: Option<Weak<IdleList>>,
    /// Whether others have a descriptor of it, so that the pool's next user would not be alone.
    exported: AtomicBool,
}

// SAFETY: OpenCL's buffer objects and SVM are not bound to a thread.
unsafe impl Send for Allocation {}
// SAFETY: as above; nothing changes by a shared reference.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// Takes `bytes` bytes at `address`; gives them back if they are not the GPU's.
    pub(crate) fn new(core: &Arc<Core>, owner: Owner, address: u64, bytes: usize) -> Result<Allocation> {
        Allocation::proven(core, owner, address, bytes, || core.residency(address, bytes))
    }

    /// Takes them, and gives them back if `prove` fails, which says where they are.
    pub(crate) fn proven(
        core: &Arc<Core>,
        owner: Owner,
        address: u64,
        bytes: usize,
        prove: impl FnOnce() -> Result<Residency>,
    ) -> Result<Allocation> {
        let residency = Residency { place: Place::Host, base: address, bytes };
        let mut memory = Allocation::of(core, owner, address, bytes, residency);
        memory.residency = prove()?;
        tracing::debug!(address, bytes, place = %memory.residency.place, "allocated or taken");
        Ok(memory)
    }

    fn of(core: &Arc<Core>, owner: Owner, address: u64, bytes: usize, residency: Residency) -> Allocation {
        Allocation {
            core: Arc::clone(core),
            owner,
            address,
            bytes,
            residency,
            released: false,
            address_given: AtomicBool::new(false),
            in_stream: AtomicU64::new(0),
            home: None,
            exported: AtomicBool::new(false),
        }
    }

    /// The same bytes for `core`, whose GPU can use them. Nobody works on them.
    pub(crate) fn lent(core: &Arc<Core>, made_by: Allocation) -> Allocation {
        made_by.unused_in_stream_behind(0);
        let Allocation { address, bytes, residency, .. } = made_by;
        let address_given = made_by.address_given.load(Ordering::Relaxed);
        let mut lent = Allocation::of(core, Owner::Lent(Box::new(made_by)), address, bytes, residency);
        *lent.address_given.get_mut() = address_given;
        lent
    }

    /// The same bytes for `core`, whose GPU can use them, to be read beside others.
    pub(crate) fn shared(core: &Arc<Core>, made_by: &Arc<Allocation>) -> Allocation {
        let Allocation { address, bytes, residency, .. } = **made_by;
        let shared = Allocation::of(core, Owner::Shared(Arc::clone(made_by)), address, bytes, residency);
        shared.address_given.store(made_by.address_given.load(Ordering::Relaxed), Ordering::Relaxed);
        shared
    }

    /// Whether it is of another session's.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.owner, Owner::Shared(_))
    }

    /// Whether kernels of OpenCL's that are given it are to be kept apart by a flush: OpenCL does not know it, and they
    /// may write it.
    pub(crate) fn takes_flushes(&self) -> bool {
        !self.is_opencls() && !self.is_shared()
    }

    /// As the session has it that made the bytes.
    pub(crate) fn made_by(&self) -> &Allocation {
        match &self.owner {
            Owner::Lent(made_by) => made_by,
            Owner::Shared(made_by) => made_by.made_by(),
            _ => self,
        }
    }

    /// Gives it back to the session that made the bytes. Nobody works on them.
    pub(crate) fn into_made_by(mut self) -> Allocation {
        // Of this one, nothing is left to give back then.
        match std::mem::replace(&mut self.owner, Owner::Hip) {
            Owner::Lent(made_by) => {
                self.released = true;
                made_by.address_given.fetch_or(*self.address_given.get_mut(), Ordering::Relaxed);
                *made_by
            }
            own => {
                self.owner = own;
                self
            }
        }
    }

    /// As if `core` had made it, which has the same context as its maker. Nobody works on the bytes, and its own
    /// session has told all of them.
    pub(crate) fn moved_to(mut self, core: &Arc<Core>) -> Allocation {
        self.disown();
        // Its numbers are of the other stream, and its pool gives what is of the other session.
        *self.in_stream.get_mut() = 0;
        if let Some(home) = self.home.take().and_then(|home| home.upgrade()) {
            home.lost();
        }
        self.core = Arc::clone(core);
        self
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Refuses it where another session than `core` works.
    pub(crate) fn check_session(&self, core: &Arc<Core>) -> Result<()> {
        if Arc::ptr_eq(&self.core, core) {
            return Ok(());
        }
        let reason = "is of another session, but its hand-over waits for its own session's queue and stream only: use it with what was \
                      made with its own session"
            .to_owned();
        Err(Error::Argument { subject: "buffer", reason })
    }

    /// Refuses it where OpenCL would not use it in place, but copy it behind the caller's back.
    ///
    /// AMD's OpenCL finds SVM by its address, in one map for all contexts of the process (`MemObjMap` of rocclr), and
    /// has a copy for each device whose kernels get it: at each change of the device the whole of it goes through the
    /// host (`syncCacheFromHost` in rocclr/device/rocm/rocmemory.cpp). Without a link between the devices, a context of
    /// one has no place for a second copy (`Memory::addDeviceMemory`), and the launch fails for want of memory. SVM on
    /// the host is treated alike.
    pub(crate) fn check_opencl(&self) -> Result<()> {
        let (made_by, user) = (self.made_by(), self.core.device.pci());
        let owner = made_by.core.device.pci();
        if owner == user || !matches!(made_by.owner, Owner::Svm) {
            return Ok(());
        }
        let reason = format!(
            "is SVM that was made for GPU {owner}, and AMD's OpenCL keeps a copy of SVM for each device whose kernels use it, here for GPU {user}; \
             launch HIP's kernels on it, or make it by `allocate_hip`, which OpenCL uses where it is"
        );
        Err(Error::Argument { subject: "buffer", reason })
    }

    /// In both APIs' kernels.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    pub(crate) fn residency(&self) -> Residency {
        self.residency
    }

    /// Whether OpenCL knows it, and so keeps kernels apart that are given it.
    pub(crate) fn is_opencls(&self) -> bool {
        match self.owner {
            Owner::Svm | Owner::Mem(_) | Owner::Pages(..) => true,
            Owner::Hip | Owner::Mapped(_) | Owner::External(_) | Owner::Opened | Owner::Lent(_) | Owner::Shared(_) => {
                false
            }
        }
    }

    /// Whether HIP knows it as memory of this session.
    pub(crate) fn is_hips(&self) -> bool {
        matches!(self.owner, Owner::Hip)
    }

    /// Waits until HIP has let go of memory that is to be given back or used by another session, after the session's
    /// work was waited for.
    ///
    /// `hipIpcCloseMemHandle` takes memory out of HIP's map of addresses only if nothing else refers to it
    /// (`Device::IpcDetach` in rocclr/device/device.cpp of HIP 5.7). Else the entry stays when the last reference goes,
    /// and HIP reads freed memory when it looks up an address there, as a second opening of the handle makes it do. All
    /// other memory is taken out of the map in any case.
    pub(crate) fn forgotten_by_hip(&self) -> Result<()> {
        match self.made_by().owner {
            Owner::Opened => self.core.wait_for_hips_thread(),
            _ => Ok(()),
        }
    }

    /// Whether another process or API allocated it.
    pub(crate) fn is_imported(&self) -> bool {
        matches!(self.made_by().owner, Owner::Mapped(_) | Owner::External(_) | Owner::Opened)
    }

    /// Where the host itself finds the bytes; `None` if they are a GPU's, or it has no mapping of them.
    pub(crate) fn host(&self) -> Option<*mut c_void> {
        match (self.residency.place, &self.owner) {
            (Place::Gpu(_), _) | (_, Owner::Mapped(_) | Owner::External(_) | Owner::Opened) => None,
            (Place::Host, Owner::Pages(_, pages)) => Some(std::ptr::with_exposed_provenance_mut(*pages)),
            (Place::Host, Owner::Lent(made_by)) => made_by.host(),
            (Place::Host, Owner::Shared(made_by)) => made_by.host(),
            (Place::Host, _) => Some(self.pointer()),
        }
    }

    pub(crate) fn pointer(&self) -> *mut c_void {
        self.at(0)
    }

    /// The address `offset` bytes behind the start.
    fn at(&self, offset: usize) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.address as usize + offset)
    }

    /// Makes it, from `address` on, argument `index` of a kernel of the same context, to which no other thread gives
    /// arguments meanwhile.
    pub(crate) fn set_argument(&self, kernel: cl_kernel, index: u32, address: u64) -> Result<()> {
        let cl = &self.core.libraries.cl;
        // SAFETY: pointer or object of the kernel's context.
        unsafe {
            match self.owner {
                Owner::Mem(mem) | Owner::Pages(mem, _) if !self.hides_from_opencl(address) => {
                    call!(cl, clSetKernelArg(kernel, index, size_of::<cl_mem>(), (&raw const mem).cast()))
                }
                _ => {
                    let pointer = std::ptr::with_exposed_provenance_mut(address as usize);
                    call!(cl, clSetKernelArgSVMPointer(kernel, index, pointer))
                }
            }
        }
    }

    /// Whether OpenCL does not see that a kernel which is given `address` uses this memory, though it knows it: a part
    /// of a buffer object goes by its address.
    ///
    /// As an object of its own (`clCreateSubBuffer`) it could not begin at any element, nor be a part of a part.
    pub(crate) fn hides_from_opencl(&self, address: u64) -> bool {
        matches!(self.owner, Owner::Mem(_) | Owner::Pages(..)) && address != self.address
    }

    /// Never gives it back, since what was submitted may use it for ever.
    pub(crate) fn leak(&mut self, reason: Error) -> Error {
        self.released = true;
        match &mut self.owner {
            Owner::Lent(made_by) => made_by.released = true,
            Owner::Shared(made_by) => std::mem::forget(Arc::clone(made_by)),
            _ => {}
        }
        let subject = format!("memory of {} bytes at {:#x}", self.bytes, self.address);
        Error::Leaked { subject, reason: Box::new(reason) }
    }
}

impl Release for Allocation {
    fn release(&mut self) -> Result<()> {
        if self.released || self.go_home() {
            return Ok(());
        }
        self.wait_for_all()?;
        self.free()
    }
}

impl Allocation {
    /// Gives it back, and tells what is missing in it.
    pub(crate) fn close(&mut self) -> Result<()> {
        if self.released {
            return Ok(());
        }
        self.wait_for_all()?;
        let reported = self.report(Api::Hip).and_then(|()| self.report(Api::OpenCl));
        if self.go_home() {
            return reported;
        }
        first([reported, self.free()])
    }

    /// Waits for the work that may use it, or leaves it to that.
    fn wait_for_all(&mut self) -> Result<()> {
        let waited = self.wait_for_uses().and_then(|()| self.forgotten_by_hip()).and_then(|()| {
            match self.owner {
                Owner::Hip | Owner::Pages(..) | Owner::External(_) | Owner::Opened => self.core.wait_for_hip_frees(),
                // Given back by OpenCL, HSA or another session.
                Owner::Svm | Owner::Mem(_) | Owner::Mapped(_) | Owner::Lent(_) | Owner::Shared(_) => Ok(()),
            }
        });
        waited.map_err(|error| self.leak(error))
    }

    /// Nobody is told any more of what is missing here.
    fn disown(&self) {
        self.core.enqueued.failures(|failures| failures.disown(self.address));
        self.core.turns.disown(self.address);
    }

    /// Nobody uses it any more.
    fn free(&mut self) -> Result<()> {
        self.released = true;
        tracing::debug!(address = self.address, bytes = self.bytes, "given back");
        // Before another buffer has the address.
        self.disown();
        let Libraries { cl, hip, hsa, .. } = &*self.core.libraries;
        let context = self.core.context;
        // SAFETY: allocated or retained for this value, given back once.
        unsafe {
            match self.owner {
                Owner::Svm => present::<cl_sys::cl_int, _, _>(cl.clSVMFree(context, self.pointer())),
                Owner::Mem(mem) => call!(cl, clReleaseMemObject(mem)),
                Owner::Pages(mem, pages) => {
                    let pages = std::ptr::with_exposed_provenance_mut(pages);
                    first([call!(cl, clReleaseMemObject(mem)), call!(hip, hipHostUnregister(pages))])
                }
                Owner::Hip => call!(hip, hipFree(self.pointer())),
                Owner::Mapped(base) => {
                    call!(hsa, hsa_amd_interop_unmap_buffer(std::ptr::with_exposed_provenance_mut(base)))
                }
                Owner::External(memory) => {
                    first([call!(hip, hipFree(self.pointer())), call!(hip, hipDestroyExternalMemory(memory))])
                }
                Owner::Opened => call!(hip, hipIpcCloseMemHandle(self.pointer())),
                Owner::Lent(ref mut made_by) => made_by.release(),
                // The last reference gives it back.
                Owner::Shared(_) => Ok(()),
            }
        }
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        log(self.release());
    }
}
