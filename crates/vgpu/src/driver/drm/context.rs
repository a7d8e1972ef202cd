//! DRM contexts, in which programs submit work and wait for it.

use super::RenderFile;
use super::rings::{Fence, Kind, Name};
use crate::driver::device::Process;
use crate::errno::Errno;
use crate::locks::lock;
use kfd_sys::*;
use std::collections::{BTreeMap, VecDeque};
use std::sync::MutexGuard;

/// Numbers of contexts are below (`AMDGPU_VM_MAX_NUM_CTX`).
const MAX_CONTEXTS: u32 = 4096;
/// The priorities above the normal one (`amdgpu_ctx_priority_is_valid`); other numbers stand for that.
const HIGH: [i32; 2] = [AMDGPU_CTX_PRIORITY_HIGH as i32, AMDGPU_CTX_PRIORITY_VERY_HIGH as i32];

/// Jobs of a context in one ring that are remembered, and that may be under way (`amdgpu_sched_jobs`).
const JOBS: usize = 32;

/// A context: its submissions to each ring.
#[derive(Debug, Default)]
pub struct Context {
    entities: BTreeMap<Name, Entity>,
}

/// The submissions of a context to one ring.
#[derive(Debug, Default)]
pub struct Entity {
    /// Jobs submitted. They are numbered from 1.
    submitted: u64,
    /// The last of them.
    last: VecDeque<Fence>,
}

impl Entity {
    /// The number of the next job, and the one that must be over before it can be submitted.
    pub fn next(&self) -> (u64, Option<Fence>) {
        let oldest = if self.last.len() == JOBS { self.last.front().cloned() } else { None };
        (self.submitted + 1, oldest)
    }

    /// A job was submitted.
    pub fn submitted(&mut self, fence: Fence) {
        self.submitted += 1;
        if self.last.len() == JOBS {
            self.last.pop_front();
        }
        self.last.push_back(fence);
    }

    /// The end of job `number`, all bits set for the last. `None`: it is over.
    ///
    /// # Errors
    /// `EINVAL` if it was not submitted.
    fn job(&self, number: u64) -> Result<Option<Fence>, Errno> {
        let number = if number == u64::MAX { self.submitted } else { number };
        let back = self.submitted.checked_sub(number).ok_or(Errno::EINVAL.because("the job was not submitted yet"))?;
        if number == 0 {
            return Ok(None);
        }
        let place = (self.last.len() as u64).checked_sub(back + 1);
        Ok(place.and_then(|place| self.last.get(place as usize).cloned()))
    }

    /// A fault stopped its rings.
    fn lost(&self) -> bool {
        self.last.back().is_some_and(|fence| fence.signaled().is_err())
    }
}

impl Context {
    /// The context's submissions to this ring. `None`: there are no such rings (`amdgpu_ctx_get_entity`).
    ///
    /// # Errors
    /// `EINVAL` for a ring that no GPU has, `ENODATA` if a fault stopped its jobs there.
    pub fn entity(&mut self, ip: u32, instance: u32, ring: u32) -> Result<Option<(Name, &mut Entity)>, Errno> {
        let kind = match ip {
            AMDGPU_HW_IP_COMPUTE => Some(Kind::Compute),
            AMDGPU_HW_IP_DMA => Some(Kind::Dma),
            _ => None,
        };
        if ip >= AMDGPU_HW_IP_NUM || instance != 0 || ring >= kind.map_or(1, Kind::rings) {
            return Err(Errno::EINVAL.because("the GPU has no such ring"));
        }
        let Some(kind) = kind else { return Ok(None) };
        let entity = self.entities.entry((kind, ring)).or_default();
        if entity.lost() { Err(Errno(libc::ENODATA)) } else { Ok(Some(((kind, ring), entity))) }
    }

    /// The completion of job `number` in this ring. `None`: it has completed.
    ///
    /// # Errors
    /// As of [`Context::entity`], and `EINVAL` for a job that was not submitted.
    pub fn job(&mut self, ip: u32, instance: u32, ring: u32, number: u64) -> Result<Option<Fence>, Errno> {
        match self.entity(ip, instance, ring)? {
            Some((_, entity)) => entity.job(number),
            None => Entity::default().job(number),
        }
    }

    fn lost(&self) -> bool {
        self.entities.values().any(Entity::lost)
    }
}

impl RenderFile {
    pub(super) fn contexts(&self) -> MutexGuard<'_, BTreeMap<u32, Context>> {
        lock(&self.contexts)
    }

    /// As `amdgpu_ctx_ioctl`.
    pub(super) fn context(&self, _: &Process, args: &mut drm_amdgpu_ctx) -> Result<(), Errno> {
        // SAFETY: every member of the union is integers.
        let drm_amdgpu_ctx_in { op, flags, ctx_id, priority } = unsafe { args.in_ };
        let mut contexts = self.contexts();
        let known = contexts.contains_key(&ctx_id);
        let lost = contexts.get(&ctx_id).is_some_and(Context::lost);
        if flags != 0 && op != AMDGPU_CTX_OP_SET_STABLE_PSTATE {
            return Err(Errno::EINVAL.because("flags are for another op"));
        }
        match op {
            AMDGPU_CTX_OP_ALLOC_CTX => {
                let free = (1..MAX_CONTEXTS)
                    .find(|id| !contexts.contains_key(id))
                    .ok_or(Errno::ENOSPC.because("there are as many contexts as there may be"))?;
                // SAFETY: plain system call.
                let permitted = !HIGH.contains(&priority) || unsafe { libc::geteuid() } == 0;
                let ctx_id = if permitted { free } else { 0 };
                args.out.alloc = drm_amdgpu_ctx_out__bindgen_ty_1 { ctx_id, _pad: 0 };
                if !permitted {
                    return Err(Errno::EACCES.because("the priority needs a right that the process lacks"));
                }
                contexts.insert(free, Context::default());
                Ok(())
            }
            AMDGPU_CTX_OP_FREE_CTX if contexts.remove(&ctx_id).is_some() => Ok(()),
            AMDGPU_CTX_OP_QUERY_STATE | AMDGPU_CTX_OP_QUERY_STATE2 if known => {
                // The GPU is never reset; jobs that fault are ended.
                let flags = if lost && op == AMDGPU_CTX_OP_QUERY_STATE2 { AMDGPU_CTX_QUERY2_FLAGS_GUILTY } else { 0 };
                args.out.state = drm_amdgpu_ctx_out__bindgen_ty_2 {
                    flags: flags.into(),
                    hangs: 0,
                    reset_status: AMDGPU_CTX_NO_RESET,
                };
                Ok(())
            }
            AMDGPU_CTX_OP_GET_STABLE_PSTATE if known => {
                args.out.pstate = drm_amdgpu_ctx_out__bindgen_ty_3 { flags: AMDGPU_CTX_STABLE_PSTATE_NONE, _pad: 0 };
                Ok(())
            }
            AMDGPU_CTX_OP_SET_STABLE_PSTATE if known && flags == AMDGPU_CTX_STABLE_PSTATE_NONE => Ok(()),
            _ => Err(Errno::EINVAL.because("op or ctx_id is unknown")),
        }
    }
}
