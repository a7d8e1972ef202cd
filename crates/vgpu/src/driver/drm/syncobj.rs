//! The requests on sync objects, as Linux's `drm_syncobj.c` serves them, and the related answers of `drm_getcap`.

use super::RenderFile;
use super::submit::deadline;
use super::sync_object::{SyncObject, Wanted, is_memory_file, wait};
use crate::backing::memfd_low;
use crate::driver::device::Process;
use crate::driver::user;
use crate::errno::Errno;
use crate::locks::lock;
use kfd_sys::*;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::os::fd::IntoRawFd;
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

/// What the memory file that stands for a `sync_file` is called. Its fence is one that was signaled, as all are.
const SYNC_FILE: &str = "vgpu-sync-file";
/// `DRM_SYNCOBJ_WAIT_FOR_SUBMIT_TIMEOUT`
const WAIT_FOR_SUBMIT: Duration = Duration::from_secs(5);

/// Sync objects of an open file, by their handles.
pub type SyncObjects = BTreeMap<u32, Arc<SyncObject>>;

impl RenderFile {
    fn syncobjs(&self) -> MutexGuard<'_, SyncObjects> {
        lock(&self.syncobjs)
    }

    fn syncobj(&self, handle: u32) -> Result<Arc<SyncObject>, Errno> {
        self.syncobjs().get(&handle).cloned().ok_or(Errno::ENOENT.because("no sync object has this handle"))
    }

    fn add_syncobj(&self, object: SyncObject) -> u32 {
        let mut objects = self.syncobjs();
        let handle = (1..).find(|handle| !objects.contains_key(handle)).unwrap_or(u32::MAX);
        objects.insert(handle, Arc::new(object));
        handle
    }

    /// `drm_syncobj_array_find`
    fn syncobj_array(&self, handles: u64, count: u32) -> Result<Vec<Arc<SyncObject>>, Errno> {
        if count == 0 {
            return Err(Errno::EINVAL.because("count_handles is 0"));
        }
        let handles: Vec<u32> = user::read_array(handles, count as usize)?;
        handles.into_iter().map(|handle| self.syncobj(handle)).collect()
    }

    pub(super) fn syncobj_create(&self, _: &Process, args: &mut drm_syncobj_create) -> Result<(), Errno> {
        if args.flags & !DRM_SYNCOBJ_CREATE_SIGNALED != 0 {
            return Err(Errno::EINVAL.because("a flag is unknown"));
        }
        let object = SyncObject::new()?;
        if args.flags != 0 {
            object.replace(0);
        }
        args.handle = self.add_syncobj(object);
        Ok(())
    }

    pub(super) fn syncobj_destroy(&self, _: &Process, args: &mut drm_syncobj_destroy) -> Result<(), Errno> {
        if args.pad != 0 {
            return Err(Errno::EINVAL.because("pad is not 0"));
        }
        self.syncobjs().remove(&args.handle).map(drop).ok_or(Errno::EINVAL.because("no sync object has this handle"))
    }

    pub(super) fn syncobj_to_fd(&self, _: &Process, args: &mut drm_syncobj_handle) -> Result<(), Errno> {
        args.fd = match args.flags {
            _ if args.pad != 0 => return Err(Errno::EINVAL.because("pad is not 0")),
            0 => self.syncobj(args.handle).map_err(|_| Errno::EINVAL)?.export()?,
            DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE => {
                if !self.syncobj(args.handle)?.has(0) {
                    return Err(Errno::EINVAL.because("the sync object has no fence"));
                }
                let name = CString::new(SYNC_FILE).map_err(|_| Errno::EINVAL)?;
                memfd_low(&name, true)?.into_raw_fd()
            }
            _ => return Err(Errno::EINVAL.because("flags are unknown")),
        };
        Ok(())
    }

    pub(super) fn syncobj_of_fd(&self, _: &Process, args: &mut drm_syncobj_handle) -> Result<(), Errno> {
        match args.flags {
            _ if args.pad != 0 => Err(Errno::EINVAL.because("pad is not 0")),
            0 => {
                args.handle = self.add_syncobj(SyncObject::import(args.fd)?);
                Ok(())
            }
            DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE => {
                if !is_memory_file(args.fd, SYNC_FILE) {
                    return Err(Errno::EINVAL.because("the descriptor is no sync file"));
                }
                self.syncobj(args.handle)?.replace(0);
                Ok(())
            }
            _ => Err(Errno::EINVAL.because("flags are unknown")),
        }
    }

    pub(super) fn syncobj_transfer(&self, _: &Process, args: &mut drm_syncobj_transfer) -> Result<(), Errno> {
        if args.pad != 0 {
            return Err(Errno::EINVAL.because("pad is not 0"));
        }
        let to = self.syncobj(args.dst_handle)?;
        let from = self.syncobj(args.src_handle)?;
        if args.flags & !DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT != 0 {
            return Err(Errno::EINVAL.because("a flag is unknown"));
        }
        let mut wanted = Wanted::new(from.clone(), args.src_point);
        if !wanted.there() {
            if args.flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT == 0 {
                return Err(Errno::EINVAL.because("the source has no fence at this point"));
            }
            wait(&mut [wanted], true, Some(Instant::now() + WAIT_FOR_SUBMIT))?;
        }
        if args.dst_point != 0 {
            to.add(args.dst_point);
        } else {
            // The fence itself: the chain where it is the chain's last one, else one without a number.
            let last = from.last().filter(|last| args.src_point == 0 || args.src_point == *last);
            to.replace(last.unwrap_or(0));
        }
        Ok(())
    }

    pub(super) fn syncobj_wait(&self, _: &Process, args: &mut drm_syncobj_wait) -> Result<(), Errno> {
        const FLAGS: u32 = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL
            | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT
            | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_DEADLINE;
        if args.flags & !FLAGS != 0 {
            return Err(Errno::EINVAL.because("a flag is unknown"));
        }
        if args.count_handles == 0 {
            return Ok(());
        }
        let objects = self.syncobj_array(args.handles, args.count_handles)?;
        let wanted = objects.into_iter().map(|object| Wanted::new(object, 0)).collect();
        args.first_signaled = array_wait(wanted, args.flags, args.timeout_nsec)?;
        Ok(())
    }

    pub(super) fn syncobj_timeline_wait(&self, _: &Process, args: &mut drm_syncobj_timeline_wait) -> Result<(), Errno> {
        const FLAGS: u32 = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL
            | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT
            | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE
            | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_DEADLINE;
        if args.flags & !FLAGS != 0 {
            return Err(Errno::EINVAL.because("a flag is unknown"));
        }
        if args.count_handles == 0 {
            return Ok(());
        }
        let objects = self.syncobj_array(args.handles, args.count_handles)?;
        let points = points(args.points, args.count_handles)?;
        let wanted = objects.into_iter().zip(points).map(|(object, point)| Wanted::new(object, point)).collect();
        args.first_signaled = array_wait(wanted, args.flags, args.timeout_nsec)?;
        Ok(())
    }

    pub(super) fn syncobj_reset(&self, _: &Process, args: &mut drm_syncobj_array) -> Result<(), Errno> {
        self.syncobj_each(args, SyncObject::reset)
    }

    pub(super) fn syncobj_signal(&self, _: &Process, args: &mut drm_syncobj_array) -> Result<(), Errno> {
        self.syncobj_each(args, |object| object.replace(0))
    }

    fn syncobj_each(&self, args: &drm_syncobj_array, change: fn(&SyncObject)) -> Result<(), Errno> {
        if args.pad != 0 {
            return Err(Errno::EINVAL.because("pad is not 0"));
        }
        self.syncobj_array(args.handles, args.count_handles)?.iter().for_each(|object| change(object));
        Ok(())
    }

    pub(super) fn syncobj_timeline_signal(
        &self,
        _: &Process,
        args: &mut drm_syncobj_timeline_array,
    ) -> Result<(), Errno> {
        if args.flags != 0 {
            return Err(Errno::EINVAL.because("flags are not 0"));
        }
        let objects = self.syncobj_array(args.handles, args.count_handles)?;
        let points = points(args.points, args.count_handles)?;
        objects.iter().zip(points).for_each(|(object, point)| object.add(point));
        Ok(())
    }

    pub(super) fn syncobj_query(&self, _: &Process, args: &mut drm_syncobj_timeline_array) -> Result<(), Errno> {
        // What was submitted last is signaled.
        if args.flags & !DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED != 0 {
            return Err(Errno::EINVAL.because("a flag is unknown"));
        }
        let objects = self.syncobj_array(args.handles, args.count_handles)?;
        for (index, object) in objects.iter().enumerate() {
            let at = args.points.wrapping_add(index as u64 * size_of::<u64>() as u64);
            user::write_value(at, &object.last().unwrap_or(0))?;
        }
        Ok(())
    }

    /// `drm_getcap`
    pub(super) fn get_cap(&self, _: &Process, args: &mut drm_get_cap) -> Result<(), Errno> {
        args.value = 0;
        args.value = match u32::try_from(args.capability).map_err(|_| Errno::EOPNOTSUPP)? {
            DRM_CAP_TIMESTAMP_MONOTONIC | DRM_CAP_SYNCOBJ | DRM_CAP_SYNCOBJ_TIMELINE => 1,
            DRM_CAP_PRIME => u64::from(DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT),
            _ => return Err(Errno::EOPNOTSUPP.because("the capability is unknown")),
        };
        Ok(())
    }
}

/// The points of so many sync objects, which are all 0 without an address.
fn points(at: u64, count: u32) -> Result<Vec<u64>, Errno> {
    if at == 0 { Ok(vec![0; count as usize]) } else { user::read_array(at, count as usize) }
}

/// `drm_syncobj_array_wait_timeout`: all fences are signaled, so what is there is over.
fn array_wait(mut wanted: Vec<Wanted>, flags: u32, timeout: i64) -> Result<u32, Errno> {
    const LATER: u32 = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT | DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
    let there: Vec<bool> = wanted.iter_mut().map(Wanted::there).collect();
    if flags & LATER == 0 && there.contains(&false) {
        return Err(Errno::EINVAL.because("a sync object has no fence, and flags do not say to wait for one"));
    }
    let all = flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL != 0;
    let first = there.iter().position(|there| *there);
    // 0, and what is over, is a look (`drm_timeout_abs_to_jiffies`).
    let deadline = if timeout <= 0 { Some(Instant::now()) } else { deadline(timeout as u64) };
    let came = wait(&mut wanted, all, deadline)?;
    Ok(first.or(came).map_or(u32::MAX, |first| first as u32))
}
