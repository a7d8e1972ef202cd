//! The file descriptors of virtual devices and directories.
//!
//! Each is a memory file whose inode identifies it. So whatever a program does with a descriptor (dup, dup2, `F_DUPFD`, passing it over
//! a socket, closing it by any means), an ioctl on it finds the right object, and nothing needs to watch those calls.

use crate::backing;
use crate::driver::drm::RenderFile;
use crate::errno::Errno;
use crate::real::host_stat;
use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};

/// What a descriptor was opened on.
#[derive(Clone, Debug)]
pub enum Opened {
    /// `/dev/kfd`.
    Kfd,
    /// A render node.
    Render(Arc<RenderFile>),
    /// A virtual directory, by its path.
    Directory(Arc<str>),
    /// `/dev/kfd` as a parent process had opened it: its ioctls fail with `EBADF` here.
    Inherited,
}

/// Open virtual files by file system and inode: other file systems have the same inode numbers.
pub type Table = HashMap<(libc::dev_t, libc::ino_t), Opened>;

static TABLE: RwLock<Option<Table>> = RwLock::new(None);
static ANY: AtomicBool = AtomicBool::new(false);

/// True once this process (or its parent) has opened anything virtual: until then no descriptor needs a look.
pub fn any() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// What `fd` was opened on, if it is virtual.
pub fn lookup(fd: RawFd) -> Option<Opened> {
    if !any() || fd < 0 {
        return None;
    }
    by_stat(&host_stat(fd).ok()?)
}

/// What the file with this host status is, if it is virtual.
pub fn by_stat(stat: &libc::stat) -> Option<Opened> {
    if stat.st_mode & libc::S_IFMT != libc::S_IFREG || stat.st_nlink != 0 {
        return None;
    }
    TABLE.read().unwrap_or_else(|poisoned| poisoned.into_inner()).as_ref()?.get(&(stat.st_dev, stat.st_ino)).cloned()
}

/// Opens a new descriptor on `opened`, at the lowest free number.
///
/// # Errors
/// What the host says (`EMFILE`).
pub fn open(name: &CStr, opened: Opened, close_on_exec: bool) -> Result<RawFd, Errno> {
    let file = memory_file(name, &[], close_on_exec)?;
    let stat = host_stat(file.as_raw_fd())?;
    let replaced = lock().get_or_insert_default().insert((stat.st_dev, stat.st_ino), opened);
    // Not under the lock: a render node's buffer objects may go with it.
    drop(replaced);
    ANY.store(true, Ordering::Relaxed);
    Ok(file.into_raw_fd())
}

/// Opens a virtual file with this content.
///
/// # Errors
/// What the host says.
pub fn open_content(path: &str, content: &[u8], close_on_exec: bool) -> Result<RawFd, Errno> {
    let name = CString::new(format!("vgpu:{path}")).map_err(|_| Errno::EINVAL)?;
    Ok(memory_file(&name, content, close_on_exec)?.into_raw_fd())
}

fn memory_file(name: &CStr, content: &[u8], close_on_exec: bool) -> Result<OwnedFd, Errno> {
    let file = backing::memfd_low(name, close_on_exec)?;
    let mut written = 0;
    while written < content.len() {
        let rest = &content[written..];
        // SAFETY: `rest` is readable for its length.
        let count = unsafe { libc::pwrite(file.as_raw_fd(), rest.as_ptr().cast(), rest.len(), written as i64) };
        match usize::try_from(count) {
            Ok(count) => written += count,
            Err(_) => return Err(Errno::last()),
        }
    }
    Ok(file)
}

/// Forgets what a forked child must not use. As with the driver, `/dev/kfd` is of no use to the child and render nodes are.
pub fn forget_in_child(table: &mut Option<Table>) {
    for opened in table.iter_mut().flat_map(Table::values_mut) {
        let inherited = match opened {
            Opened::Directory(_) => continue,
            Opened::Kfd | Opened::Inherited => Opened::Inherited,
            Opened::Render(file) => Opened::Render(file.inherited()),
        };
        // The parent's buffer objects are not mapped here, so nothing may drop them.
        std::mem::forget(std::mem::replace(opened, inherited));
    }
}

/// The table, locked over a fork.
pub fn lock() -> std::sync::RwLockWriteGuard<'static, Option<Table>> {
    TABLE.write().unwrap_or_else(|poisoned| poisoned.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::FromRawFd;

    #[test]
    fn the_same_inode_of_another_file_system_is_another_file() {
        let fd = open(c"vgpu-test", Opened::Kfd, true).unwrap();
        // SAFETY: new and ours.
        let file = unsafe { OwnedFd::from_raw_fd(fd) };
        assert!(matches!(lookup(file.as_raw_fd()), Some(Opened::Kfd)));
        let mut stat = host_stat(file.as_raw_fd()).unwrap();
        assert!(matches!(by_stat(&stat), Some(Opened::Kfd)));
        stat.st_dev += 1;
        assert!(by_stat(&stat).is_none());
    }
}
