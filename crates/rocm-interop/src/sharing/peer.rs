//! Several GPUs: a buffer's turn passes to a session on another one, or its bytes are copied there.

use std::ffi::c_void;
use std::ptr::null;
use std::sync::Arc;

use bytemuck::Pod;
use hsa_sys::{hsa_agent_t, hsa_amd_pointer_info_t, hsa_amd_pointer_type_t};
use parking_lot::Mutex;

use crate::allocation::Allocation;
use crate::apis::call::{call, first};
use crate::buffer::ReadOnly;
use crate::error::Api;
use crate::session::Core;
use crate::session::Place;
use crate::session::copies::Direction;
use crate::session::event::Event;
use crate::{Buffer, Error, Hip, OpenCl, Refused, Result, Session};

impl<T: Pod> Buffer<T, OpenCl> {
    /// Hands the buffer to another session's OpenCL: waits until the work of this session's queue is done that was
    /// given the buffer, or may have been (as of [`upload`](Buffer::upload)). The bytes stay where they are, so a
    /// session on another GPU uses them over the link between both, and [`residency`](Buffer::residency) says the same
    /// as before. The session that made the buffer gets it back in the same way. Between sessions of one context
    /// ([`Session::beside`]), the buffer is the other one's as if that had made it, and nothing below concerns it.
    ///
    /// The other GPU is given access to this buffer alone, by the HSA runtime, whichever API made it; it keeps it when
    /// the turn has passed on. Buffers of up to 2 MiB share blocks, which the runtime gives access to as a whole, and
    /// which keep it for the buffers that come after.
    ///
    /// To the other session's OpenCL it is memory that it does not know, as that of [`Session::allocate_hip`]. SVM
    /// ([`Session::allocate`], [`Session::allocate_host`]) is the exception: OpenCL knows it in all sessions, and keeps
    /// a copy for each GPU whose kernels get it, which it brings up to date through the host. So launches of OpenCL's
    /// kernels on another GPU refuse it ([`Error::Argument`]); HIP's use it where it is.
    ///
    /// `read` and `write` copy by the API that made it, on its own GPU.
    ///
    /// # Errors
    /// [`Error::NoLink`] if the other GPU cannot use this one's memory; [`Error::Argument`] for pages and imported
    /// memory, which the runtime gives to one GPU only; [`Error::Failed`] and [`Error::TimedOut`], once, if the work
    /// before failed or ran too early; [`Error::Call`]; with the buffer, which is still this session's.
    pub fn into_session(self, other: &Session) -> Result<Self, Refused<Self>> {
        let done = self.memory.finish_uses(Api::OpenCl);
        self.pass_on(done, other)
    }
}

impl<T: Pod> Buffer<T, Hip> {
    /// Hands the buffer to another session's HIP: waits as [`into_opencl`](Buffer::into_opencl) does, and where the GPU
    /// has given up waiting for a flag ([`Flags`](crate::hand_over::Flags)) for OpenCL's work with the buffer too. As
    /// the other [`into_session`](Buffer::into_session) in everything else.
    ///
    /// # Errors
    /// As there.
    pub fn into_session(self, other: &Session) -> Result<Self, Refused<Self>> {
        let done = self.memory.finish_uses(Api::Hip);
        self.pass_on(done, other)
    }

    /// Copies all elements to the start of a buffer of another GPU by `hipMemcpyPeerAsync`, and waits for it: after the
    /// work that was given one of both, or may have been (as of [`upload`](Buffer::upload)), and beside what else is in
    /// the streams. Without a link HIP takes the way through the host.
    ///
    /// # Errors
    /// [`Error::Argument`] if `to` is shorter, or one of both is not of [`Session::allocate_hip`] and of the session
    /// that made it, since HIP does not know others; [`Error::Failed`] if earlier work with one of them failed,
    /// [`Error::TimedOut`] if some ran too early; [`Error::Call`]; [`Error::Leaked`] if the copy began and cannot be
    /// waited for: then neither buffer's memory is ever freed.
    #[doc(alias = "hipMemcpyPeerAsync")]
    pub fn copy_peer(&mut self, to: &mut Buffer<T, Hip>) -> Result<()> {
        if to.len() < self.len() {
            let reason = format!("has {} elements, but {} are to be copied to it", to.len(), self.len());
            return Err(Error::Argument { subject: "to", reason });
        }
        for (subject, memory) in [("source", &self.memory), ("to", &to.memory)] {
            if !memory.is_hips() || memory.residency().place == Place::Host {
                let reason =
                    "is not memory of `hipMalloc`, which alone HIP knows as a GPU's; make it by `allocate_hip`"
                        .to_owned();
                return Err(Error::Argument { subject, reason });
            }
        }
        let (source, target) = (Arc::clone(self.memory.core()), Arc::clone(to.memory.core()));
        self.memory.finish_uses(Api::Hip)?;
        to.memory.finish_uses(Api::Hip)?;
        let stream = target.copy_stream(Direction::Up)?;
        let pointer = |address: u64| std::ptr::with_exposed_provenance_mut::<c_void>(address as usize);
        let (from, from_device) = (pointer(self.memory.address()), source.device.hip());
        let (at, at_device) = (pointer(to.memory.address()), target.device.hip());
        let bytes = self.len() * size_of::<T>();
        // SAFETY: both are allocated with that many bytes at least, on these devices, and stay so until the wait is
        // over.
        unsafe { call!(target.libraries.hip, hipMemcpyPeerAsync(at, at_device, from, from_device, bytes, stream)) }?;
        // Of late flags, both buffers were told above; those of others are not this call's to tell.
        let (mut copied, recorded) = Event::of_copies(&target, stream);
        // What frees the buffers does not wait for that stream. So a wait that fails is made once more, unless its time
        // was over, and if that fails too, the copy may still run.
        let waited = copied.wait().map_err(|error| {
            if !matches!(error, Error::StillRunning { .. }) && copied.wait().is_ok() {
                return error;
            }
            let leaked = self.memory.leak(error);
            to.memory.leak(leaked)
        });
        first([waited, recorded])
    }
}

impl<T: Pod> ReadOnly<T> {
    /// A reference for another session, to the same bytes where they are: of the same GPU, or of another one that has a
    /// link, as of [`Buffer::into_session`](Buffer#method.into_session), with its limits. Both sessions' kernels read
    /// them at the same time. Waits for nothing.
    ///
    /// # Errors
    /// [`Error::NoLink`], [`Error::Argument`] or [`Error::Call`], as there.
    pub fn for_session(&self, other: &Session) -> Result<ReadOnly<T>> {
        let memory = self.memory();
        if Arc::ptr_eq(memory.core(), &other.0) {
            return Ok(self.clone());
        }
        memory.permit(&other.0)?;
        Ok(ReadOnly::of(Arc::new(Allocation::shared(&other.0, memory)), self.len()))
    }
}

impl<T: Pod, Side> Buffer<T, Side> {
    /// After the wait for this session's work, `done`.
    fn pass_on(self, done: Result<()>, other: &Session) -> Result<Self, Refused<Self>> {
        let (len, memory) = (self.len(), self.memory);
        let passed = match done {
            Ok(()) => memory.lend(&other.0),
            Err(error) => Err(Refused::new(error, memory)),
        };
        passed.map(|memory| Buffer::of(memory, len)).map_err(|refused| {
            let (error, memory) = refused.into_parts();
            Refused::new(error, Buffer::of(memory, len))
        })
    }
}

impl Allocation {
    /// The same bytes for `core`. Nobody works on them.
    fn lend(self, core: &Arc<Core>) -> Result<Allocation, Refused<Allocation>> {
        if Arc::ptr_eq(self.core(), core) {
            return Ok(self);
        }
        if let Err(error) = self.forgotten_by_hip() {
            return Err(Refused::new(error, self));
        }
        let made_by = self.made_by().core();
        if Arc::ptr_eq(made_by, core) {
            return Ok(self.into_made_by());
        }
        if made_by.context == core.context {
            return Ok(self.into_made_by().moved_to(core));
        }
        if let Err(error) = self.permit(core) {
            return Err(Refused::new(error, self));
        }
        Ok(Allocation::lent(core, self.into_made_by()))
    }

    /// Sees to it that the GPU of `core` may use it.
    fn permit(&self, core: &Arc<Core>) -> Result<()> {
        let made_by = self.made_by().core();
        if made_by.device.pci() == core.device.pci() {
            return Ok(());
        }
        // To the host's memory every GPU has a link.
        let linked = if self.residency().place == Place::Host { Ok(()) } else { made_by.reaches(core) };
        linked.and_then(|()| made_by.allow(core, self.pointer()))
    }
}

impl Core {
    /// Whether the GPU of `user` can use memory of this one.
    fn reaches(&self, user: &Core) -> Result<()> {
        let mut can = 0;
        let (device, peer) = (user.device.hip(), self.device.hip());
        // SAFETY: writes one int.
        unsafe { call!(self.libraries.hip, hipDeviceCanAccessPeer(&mut can, device, peer)) }?;
        if can != 0 { Ok(()) } else { Err(Error::NoLink { user: user.device.pci(), owner: self.device.pci() }) }
    }

    /// Adds the GPU of `user` to those that may use the allocation at `pointer`.
    fn allow(&self, user: &Core, pointer: *const c_void) -> Result<()> {
        // Buffers of one block have one list, which two threads would otherwise take from each other between asking and
        // setting it.
        static LISTS: Mutex<()> = Mutex::new(());
        let _one_at_a_time = LISTS.lock();
        let hsa = &self.libraries.hsa;
        let mut info =
            hsa_amd_pointer_info_t { size: size_of::<hsa_amd_pointer_info_t>() as u32, ..Default::default() };
        let (mut count, mut list) = (0u32, std::ptr::null_mut::<hsa_agent_t>());
        // SAFETY: `info` has the size it states; the function allocates `list` and says how long it is.
        unsafe {
            call!(hsa, hsa_amd_pointer_info(pointer, &mut info, Some(libc::malloc), &mut count, &mut list))?;
        }
        // The call below takes access away from who is not in its list. Who has it is the owner, and who was given it
        // by this crate or HIP. SAFETY: allocated by the call above with `count` agents, if not null.
        let mut agents = unsafe {
            let known = if list.is_null() { &[] } else { std::slice::from_raw_parts(list, count as usize) };
            let agents = known.to_vec();
            libc::free(list.cast());
            agents
        };
        if agents.iter().any(|agent| agent.handle == user.device.hsa().handle) {
            return Ok(());
        }
        if info.type_ != hsa_amd_pointer_type_t::HSA_EXT_POINTER_TYPE_HSA {
            let reason = format!(
                "is memory that HSA's runtime knows as {:?}; it gives other GPUs access to its own allocations only, not to pages or dma-bufs \
                 that were made known to it for one GPU",
                info.type_
            );
            return Err(Error::Argument { subject: "buffer", reason });
        }
        agents.push(user.device.hsa());
        // SAFETY: agents of this runtime, and an allocation of it; the flags are reserved.
        unsafe { call!(hsa, hsa_amd_agents_allow_access(agents.len() as u32, agents.as_ptr(), null(), pointer)) }
    }
}
