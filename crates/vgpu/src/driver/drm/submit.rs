//! Submits jobs and waits for them, as Linux's `amdgpu_cs.c` does.

use super::RenderFile;
use super::rings::{Fence, Indirect, Kind, Rings, UserFence};
use crate::backing::PAGE;
use crate::driver::device::Process;
use crate::driver::user::{self, Plain};
use crate::errno::Errno;
use crate::locks::lock;
use kfd_sys::*;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Dwords that an indirect buffer may have.
const LONGEST_BUFFER: u32 = 0xf_ffff;
/// Chunks, and dwords of one, for which the driver could have no memory.
const TOO_MANY: u32 = 1 << 20;

// SAFETY: integers.
unsafe impl Plain for drm_amdgpu_cs_chunk {}
// SAFETY: as above.
unsafe impl Plain for drm_amdgpu_cs_chunk_ib {}
// SAFETY: as above.
unsafe impl Plain for drm_amdgpu_cs_chunk_dep {}
// SAFETY: as above.
unsafe impl Plain for drm_amdgpu_cs_chunk_fence {}
// SAFETY: as above.
unsafe impl Plain for drm_amdgpu_bo_list_in {}
// SAFETY: as above.
unsafe impl Plain for drm_amdgpu_fence {}

/// The moment until which a request waits, which is one of `CLOCK_MONOTONIC` in nanoseconds. `None`: for ever.
pub fn deadline(timeout: u64) -> Option<Instant> {
    if timeout as i64 <= -1 {
        return None;
    }
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is valid for writing.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    let now = now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64;
    Instant::now().checked_add(Duration::from_nanos(timeout.saturating_sub(now)))
}

/// A request to submit, taken apart.
#[derive(Default)]
struct Job {
    ring: Option<(u32, u32)>,
    buffers: Vec<Indirect>,
    user_fence: Option<drm_amdgpu_cs_chunk_fence>,
    listed: Option<Vec<u32>>,
    after: Vec<Fence>,
}

impl RenderFile {
    pub(super) fn submit(&self, process: &Process, args: &mut drm_amdgpu_cs) -> Result<(), Errno> {
        // SAFETY: every member of the union is integers.
        let wanted = unsafe { args.in_ };
        if wanted.num_chunks == 0 || !self.contexts().contains_key(&wanted.ctx_id) {
            return Err(Errno::EINVAL.because("num_chunks is 0, or ctx_id is unknown"));
        }
        if wanted.num_chunks > TOO_MANY {
            return Err(Errno::ENOMEM.because("num_chunks is too large"));
        }
        let mut job = Job::default();
        let chunks: Vec<u64> = user::read_array(wanted.chunks, wanted.num_chunks as usize)?;
        for chunk in chunks {
            self.take(wanted.ctx_id, &user::read_value(chunk)?, &mut job)?;
        }
        let (ip, ring) = job.ring.ok_or(Errno::EINVAL.because("no chunk has an indirect buffer"))?;
        let listed = match (job.listed, wanted.bo_list_handle) {
            (listed, 0) => listed.unwrap_or_default(),
            (None, handle) => self.list(handle)?,
            (Some(_), _) => return Err(Errno::EINVAL.because("the list of buffers is given twice")),
        };
        let memory =
            job.user_fence.map(|fence| Ok((self.object(fence.handle).map_err(|_| Errno::EINVAL)?, fence.offset)));
        let memory = memory.transpose()?;
        loop {
            let mut contexts = self.contexts();
            let context = contexts.get_mut(&wanted.ctx_id).ok_or(Errno::EINVAL.because("ctx_id is unknown"))?;
            let (name, entity) =
                context.entity(ip, 0, ring)?.ok_or(Errno::EINVAL.because("the GPU has no such ring"))?;
            let (number, oldest) = entity.next();
            if let Some(oldest) = oldest.filter(|oldest| oldest.signaled() == Ok(false)) {
                drop(contexts);
                Fence::wait_any(&[oldest], None)?;
                continue;
            }
            let user_fence = memory.map(|(memory, offset)| UserFence { memory, offset: offset.into(), value: number });
            let fence = self.rings(process)?.submit(name, &job.after, &job.buffers, user_fence)?;
            entity.submitted(fence.clone());
            drop(contexts);
            let mut handles = self.handles();
            for handle in listed {
                if let Some(handle) = handles.get_mut(&handle) {
                    handle.jobs.insert(name, fence.clone());
                }
            }
            args.out = drm_amdgpu_cs_out { handle: number };
            return Ok(());
        }
    }

    /// The file's rings, made if there are none.
    fn rings(&self, process: &Process) -> Result<Arc<Rings>, Errno> {
        // In this order, as whoever acquires the address space has the state already.
        let state = process.lock();
        let mut rings = lock(&self.rings);
        if let Some(rings) = &*rings {
            return Ok(rings.clone());
        }
        let made = Rings::new(process, self.index, self.space(&state).clone())?;
        *rings = Some(made.clone());
        Ok(made)
    }

    /// Takes a chunk of a request.
    fn take(&self, context: u32, chunk: &drm_amdgpu_cs_chunk, job: &mut Job) -> Result<(), Errno> {
        if chunk.length_dw > TOO_MANY {
            return Err(Errno::ENOMEM.because("a chunk is too large"));
        }
        let bytes = chunk.length_dw as usize * 4;
        let has = |size: usize| if bytes < size { Err(Errno::EINVAL.because("a chunk is too short")) } else { Ok(()) };
        let at = chunk.chunk_data;
        match chunk.chunk_id {
            AMDGPU_CHUNK_ID_IB => {
                has(size_of::<drm_amdgpu_cs_chunk_ib>())?;
                self.take_buffer(context, &user::read_value(at)?, job)
            }
            AMDGPU_CHUNK_ID_FENCE => {
                has(size_of::<drm_amdgpu_cs_chunk_fence>())?;
                let fence: drm_amdgpu_cs_chunk_fence = user::read_value(at)?;
                let memory = self
                    .object(fence.handle)
                    .map_err(|_| Errno::EINVAL.because("the user fence has a handle of no buffer object"))?;
                if job.user_fence.is_some() || memory.size() != PAGE || u64::from(fence.offset) > PAGE - 8 {
                    return Err(Errno::EINVAL.because("there are two user fences, or its buffer is not one page"));
                }
                job.user_fence = Some(fence);
                Ok(())
            }
            AMDGPU_CHUNK_ID_BO_HANDLES => {
                has(size_of::<drm_amdgpu_bo_list_in>())?;
                if job.listed.is_some() {
                    return Err(Errno::EINVAL.because("the list of buffers is given twice"));
                }
                job.listed = Some(self.listed(&user::read_value(at)?)?);
                Ok(())
            }
            AMDGPU_CHUNK_ID_DEPENDENCIES => {
                let count = bytes / size_of::<drm_amdgpu_cs_chunk_dep>();
                let jobs: Vec<drm_amdgpu_cs_chunk_dep> = user::read_array(at, count)?;
                for of in jobs {
                    job.after.extend(self.fence(of.ctx_id, of.ip_type, of.ip_instance, of.ring, of.handle)?);
                }
                Ok(())
            }
            // Jobs are scheduled as soon as they are submitted.
            AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES => {
                let count = bytes / size_of::<drm_amdgpu_cs_chunk_dep>();
                let jobs: Vec<drm_amdgpu_cs_chunk_dep> = user::read_array(at, count)?;
                jobs.iter().try_for_each(|of| {
                    self.fence(of.ctx_id, of.ip_type, of.ip_instance, of.ring, of.handle).map(|_| ())
                })
            }
            // Of sync objects there are none, and no graphics.
            _ => Err(Errno::EINVAL.because("a kind of chunk is unknown or not supported")),
        }
    }

    fn take_buffer(&self, context: u32, buffer: &drm_amdgpu_cs_chunk_ib, job: &mut Job) -> Result<(), Errno> {
        let mut contexts = self.contexts();
        let context = contexts.get_mut(&context).ok_or(Errno::EINVAL.because("ctx_id is unknown"))?;
        let ((kind, ring), _) = context
            .entity(buffer.ip_type, buffer.ip_instance, buffer.ring)?
            .ok_or(Errno::EINVAL.because("the GPU has no such ring"))?;
        // `amdgpu_ring_max_ibs`
        let most = if kind == Kind::Compute { 125 } else { 49 };
        let other = job.ring.is_some_and(|known| known != (buffer.ip_type, ring));
        if other || job.buffers.len() >= most || buffer.ib_bytes / 4 > LONGEST_BUFFER {
            return Err(Errno::EINVAL.because("indirect buffers are of two rings, too many or too long"));
        }
        job.ring = Some((buffer.ip_type, ring));
        job.buffers.push((buffer.va_start, buffer.ib_bytes / 4));
        Ok(())
    }

    /// The end of a job of this file. `None`: it is over.
    fn fence(&self, context: u32, ip: u32, instance: u32, ring: u32, number: u64) -> Result<Option<Fence>, Errno> {
        self.contexts()
            .get_mut(&context)
            .ok_or(Errno::EINVAL.because("ctx_id is unknown"))?
            .job(ip, instance, ring, number)
    }

    pub(super) fn wait_cs(&self, _: &Process, args: &mut drm_amdgpu_wait_cs) -> Result<(), Errno> {
        // SAFETY: every member of the union is integers.
        let of = unsafe { args.in_ };
        let late = match self.fence(of.ctx_id, of.ip_type, of.ip_instance, of.ring, of.handle)? {
            Some(fence) => Fence::wait_any(&[fence], deadline(of.timeout))?.is_none(),
            None => false,
        };
        // SAFETY: integers, of which zeroes are valid.
        *args = unsafe { std::mem::zeroed() };
        args.out = drm_amdgpu_wait_cs_out { status: late.into() };
        Ok(())
    }

    pub(super) fn wait_fences(&self, _: &Process, args: &mut drm_amdgpu_wait_fences) -> Result<(), Errno> {
        // SAFETY: every member of the union is integers.
        let wanted = unsafe { args.in_ };
        if wanted.fence_count > TOO_MANY {
            return Err(Errno::ENOMEM.because("fence_count is too large"));
        }
        let wanted_fences: Vec<drm_amdgpu_fence> = user::read_array(wanted.fences, wanted.fence_count as usize)?;
        let find = |of: &drm_amdgpu_fence| self.fence(of.ctx_id, of.ip_type, of.ip_instance, of.ring, of.seq_no);
        let deadline = deadline(wanted.timeout_ns);
        let (status, first) = if wanted.wait_all != 0 {
            let mut all = true;
            for of in &wanted_fences {
                if let Some(fence) = find(of)?
                    && Fence::wait_any(&[fence], deadline)?.is_none()
                {
                    all = false;
                    break;
                }
            }
            (all, 0)
        } else {
            let fences = wanted_fences.iter().map(find).collect::<Result<Vec<_>, Errno>>()?;
            let over = fences.iter().position(Option::is_none);
            let fences: Vec<Fence> = fences.into_iter().flatten().collect();
            match over {
                Some(first) => (true, first as u32),
                None if fences.is_empty() => (false, u32::MAX),
                None => Fence::wait_any(&fences, deadline)?.map_or((false, u32::MAX), |first| (true, first as u32)),
            }
        };
        // SAFETY: integers, of which zeroes are valid.
        *args = unsafe { std::mem::zeroed() };
        args.out = drm_amdgpu_wait_fences_out { status: status.into(), first_signaled: first };
        Ok(())
    }
}
