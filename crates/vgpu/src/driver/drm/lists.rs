//! Lists of buffer objects that jobs use.

use super::RenderFile;
use crate::driver::device::Process;
use crate::driver::user::{self, Plain};
use crate::errno::Errno;
use crate::locks::lock;
use kfd_sys::*;
use std::collections::BTreeMap;
use std::sync::MutexGuard;

/// Entries of a list (`AMDGPU_BO_LIST_MAX_ENTRIES`).
const MAX_ENTRIES: u32 = 128 * 1024;
const ENTRY: u32 = size_of::<drm_amdgpu_bo_list_entry>() as u32;

// SAFETY: integers.
unsafe impl Plain for drm_amdgpu_bo_list_entry {}

impl RenderFile {
    fn lists(&self) -> MutexGuard<'_, BTreeMap<u32, Vec<u32>>> {
        lock(&self.lists)
    }

    /// The buffers that a request lists, by their handles.
    ///
    /// # Errors
    /// `EINVAL` for too many, `EFAULT` for a bad address.
    fn entries(list: &drm_amdgpu_bo_list_in) -> Result<Vec<u32>, Errno> {
        if list.bo_number > MAX_ENTRIES {
            return Err(Errno::EINVAL.because("bo_number is too large"));
        }
        if list.bo_info_size == ENTRY {
            let entries: Vec<drm_amdgpu_bo_list_entry> = user::read_array(list.bo_info_ptr, list.bo_number as usize)?;
            return Ok(entries.iter().map(|entry| entry.bo_handle).collect());
        }
        let each = (0..u64::from(list.bo_number)).map(|number| {
            // What a caller with a shorter structure does not have is 0.
            let mut handle = [0; 4];
            let known = handle.len().min(list.bo_info_size as usize);
            let at = list
                .bo_info_ptr
                .checked_add(number * u64::from(list.bo_info_size))
                .ok_or(Errno::EFAULT.because("the list goes beyond the address space"))?;
            user::read(&mut handle[..known], at)?;
            Ok(u32::from_le_bytes(handle))
        });
        each.collect()
    }

    /// The buffers of a list that a request brings along, if this file has them.
    ///
    /// # Errors
    /// `ENOENT` for a handle that it has not, otherwise as the request's.
    pub(super) fn listed(&self, list: &drm_amdgpu_bo_list_in) -> Result<Vec<u32>, Errno> {
        let entries = RenderFile::entries(list)?;
        let handles = self.handles();
        if entries.iter().all(|handle| handles.contains_key(handle)) {
            Ok(entries)
        } else {
            Err(Errno::ENOENT.because("the list has a handle of no buffer object"))
        }
    }

    /// The buffers of a list that was made before.
    ///
    /// # Errors
    /// `ENOENT` if there is no such list.
    pub(super) fn list(&self, handle: u32) -> Result<Vec<u32>, Errno> {
        self.lists().get(&handle).cloned().ok_or(Errno::ENOENT.because("no list of buffers has this handle"))
    }

    /// As `amdgpu_bo_list_ioctl`.
    pub(super) fn bo_list(&self, _: &Process, args: &mut drm_amdgpu_bo_list) -> Result<(), Errno> {
        // SAFETY: every member of the union is integers.
        let wanted = unsafe { args.in_ };
        let handle = wanted.list_handle;
        let handle = match wanted.operation {
            AMDGPU_BO_LIST_OP_CREATE => {
                let buffers = self.listed(&wanted)?;
                let mut lists = self.lists();
                let free = (1..).find(|handle| !lists.contains_key(handle)).ok_or(Errno::ENOSPC)?;
                lists.insert(free, buffers);
                free
            }
            AMDGPU_BO_LIST_OP_DESTROY => {
                RenderFile::entries(&wanted)?;
                self.lists().remove(&handle);
                0
            }
            AMDGPU_BO_LIST_OP_UPDATE => {
                let buffers = self.listed(&wanted)?;
                *self.lists().get_mut(&handle).ok_or(Errno::ENOENT.because("no list of buffers has this handle"))? =
                    buffers;
                handle
            }
            _ => {
                RenderFile::entries(&wanted)?;
                return Err(Errno::EINVAL.because("operation is unknown"));
            }
        };
        args.out = drm_amdgpu_bo_list_out { list_handle: handle, _pad: 0 };
        Ok(())
    }
}
