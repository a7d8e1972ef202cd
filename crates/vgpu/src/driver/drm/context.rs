//! Contexts: what programs submit work in. Here they have no rings.

use super::RenderFile;
use crate::driver::device::Process;
use crate::errno::Errno;
use kfd_sys::*;
use std::collections::BTreeSet;
use std::sync::{MutexGuard, PoisonError};

/// Numbers of contexts are below (`AMDGPU_VM_MAX_NUM_CTX`).
const MAX_CONTEXTS: u32 = 4096;
/// The priorities above the normal one (`amdgpu_ctx_priority_is_valid`); other numbers stand for that.
const HIGH: [i32; 2] = [AMDGPU_CTX_PRIORITY_HIGH as i32, AMDGPU_CTX_PRIORITY_VERY_HIGH as i32];

impl RenderFile {
    fn contexts(&self) -> MutexGuard<'_, BTreeSet<u32>> {
        self.contexts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As `amdgpu_ctx_ioctl`.
    pub(super) fn context(&self, _: &Process, args: &mut drm_amdgpu_ctx) -> Result<(), Errno> {
        // SAFETY: every member of the union is integers.
        let drm_amdgpu_ctx_in { op, flags, ctx_id, priority } = unsafe { args.in_ };
        let mut contexts = self.contexts();
        let known = contexts.contains(&ctx_id);
        if flags != 0 && op != AMDGPU_CTX_OP_SET_STABLE_PSTATE {
            return Err(Errno::EINVAL);
        }
        match op {
            AMDGPU_CTX_OP_ALLOC_CTX => {
                let free = (1..MAX_CONTEXTS).find(|id| !contexts.contains(id)).ok_or(Errno::ENOSPC)?;
                // SAFETY: plain system call.
                let permitted = !HIGH.contains(&priority) || unsafe { libc::geteuid() } == 0;
                let ctx_id = if permitted { free } else { 0 };
                args.out.alloc = drm_amdgpu_ctx_out__bindgen_ty_1 { ctx_id, _pad: 0 };
                if !permitted {
                    return Err(Errno::EACCES);
                }
                contexts.insert(free);
                Ok(())
            }
            AMDGPU_CTX_OP_FREE_CTX if contexts.remove(&ctx_id) => Ok(()),
            AMDGPU_CTX_OP_QUERY_STATE | AMDGPU_CTX_OP_QUERY_STATE2 if known => {
                // The GPU is never reset.
                args.out.state =
                    drm_amdgpu_ctx_out__bindgen_ty_2 { flags: 0, hangs: 0, reset_status: AMDGPU_CTX_NO_RESET };
                Ok(())
            }
            AMDGPU_CTX_OP_GET_STABLE_PSTATE if known => {
                args.out.pstate = drm_amdgpu_ctx_out__bindgen_ty_3 { flags: AMDGPU_CTX_STABLE_PSTATE_NONE, _pad: 0 };
                Ok(())
            }
            AMDGPU_CTX_OP_SET_STABLE_PSTATE if known && flags == AMDGPU_CTX_STABLE_PSTATE_NONE => Ok(()),
            _ => Err(Errno::EINVAL),
        }
    }
}
