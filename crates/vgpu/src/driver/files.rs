//! The file descriptors of virtual devices and directories.
//!
//! Each is a memory file whose inode or name identifies it. So whatever a program does with a descriptor (dup, dup2,
//! `F_DUPFD`, passing it over a socket or to a program that it becomes, closing it by any means), an ioctl on it finds
//! the right object, and nothing needs to watch those calls.
//!
//! That takes a system call. Requests that only `/dev/kfd` has do without where the thread's last one was on the same
//! descriptor, and none was closed or replaced since by a function of the C library that programs call.

use crate::backing;
use crate::driver::config::Config;
use crate::driver::drm::RenderFile;
use crate::driver::kfd::dmabuf::{self, Origin};
use crate::errno::Errno;
use crate::locks::{read, write};
use crate::real::{self, host_stat};
use libc::c_int;
use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::CString;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

/// The virtual file that a descriptor was opened on.
#[derive(Clone, Debug)]
pub enum Opened {
    /// `/dev/kfd`.
    Kfd,
    /// `/dev/kfd` as another process had opened it: its ioctls fail with `EBADF` here.
    Inherited,
    /// A render node.
    Render(Arc<RenderFile>),
    /// A virtual directory, by its path.
    Directory(Arc<str>),
    /// The content of a virtual file, by its path, or a file of any kind of which only the path counts (`O_PATH`).
    File(Arc<str>),
    /// A buffer object, as a dma-buf.
    Buffer(Origin),
}

impl Opened {
    /// The path at which it is found, of all but buffer objects.
    pub fn path(&self) -> Option<Arc<str>> {
        match self {
            Opened::Kfd | Opened::Inherited => Some("/dev/kfd".into()),
            Opened::Render(file) => Some(format!("/dev/dri/renderD{}", file.minor()).into()),
            Opened::Directory(path) | Opened::File(path) => Some(path.clone()),
            Opened::Buffer(_) => None,
        }
    }
}

/// Open devices by file system and inode: other file systems have the same inode numbers.
pub type Table = HashMap<(libc::dev_t, libc::ino_t), Opened>;

static TABLE: RwLock<Option<Table>> = RwLock::new(None);

/// How often descriptors of `/dev/kfd` may have been closed or replaced.
static CHANGES: AtomicU64 = AtomicU64::new(0);
/// Which descriptors may be of `/dev/kfd`: for each a bit, which it shares with every 64th.
static CANDIDATES: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// A descriptor of `/dev/kfd`, and [`CHANGES`] before it was found to be. Each thread has its own, as threads can
    /// have tables of descriptors of their own (`unshare`). Without a destructor: threads make requests in those of
    /// other variables too.
    static KFD: Cell<Option<(RawFd, u64)>> = const { Cell::new(None) };
}

fn candidate(fd: RawFd) -> u64 {
    1 << (fd as u32 % u64::BITS)
}

/// `fd` may have been closed, or may belong to another file now.
pub fn changed(fd: RawFd) {
    if CANDIDATES.load(Ordering::SeqCst) & candidate(fd) != 0 {
        any_changed();
    }
}

/// As [`changed`], of any descriptor.
pub fn any_changed() {
    CHANGES.fetch_add(1, Ordering::SeqCst);
}

/// As [`lookup`], for a request that only `/dev/kfd` has: what no function of the C library has closed is still open.
pub fn lookup_for_kfd(fd: RawFd) -> Option<Opened> {
    let changes = CHANGES.load(Ordering::SeqCst);
    if KFD.get() == Some((fd, changes)) {
        return Some(Opened::Kfd);
    }
    // Who closes it after this look tells of it.
    CANDIDATES.fetch_or(candidate(fd), Ordering::SeqCst);
    let opened = lookup(fd);
    if let Some(Opened::Kfd) = opened {
        KFD.set(Some((fd, changes)));
    }
    opened
}

/// The virtual file of `fd`, if it is virtual.
pub fn lookup(fd: RawFd) -> Option<Opened> {
    if Config::has_none() || fd < 0 {
        return None;
    }
    by_stat(fd, &host_stat(fd).ok()?)
}

/// The virtual file of `fd`, which has this host status, if it is virtual.
pub fn by_stat(fd: RawFd, stat: &libc::stat) -> Option<Opened> {
    if stat.st_mode & libc::S_IFMT != libc::S_IFREG || stat.st_nlink != 0 {
        return None;
    }
    in_table(stat).or_else(|| by_name(fd, stat))
}

fn in_table(stat: &libc::stat) -> Option<Opened> {
    read(&TABLE).as_ref()?.get(&(stat.st_dev, stat.st_ino)).cloned()
}

/// What the name of the memory file says: what this process did not open, or what the path says all of.
fn by_name(fd: RawFd, stat: &libc::stat) -> Option<Opened> {
    // A memory file's name has up to 249 bytes.
    let (mut path, mut target) = ([0u8; 32], [0u8; 320]);
    // It has room for every number.
    let _ = std::io::Write::write_fmt(&mut &mut path[..], format_args!("/proc/self/fd/{fd}"));
    // SAFETY: a C string, and a buffer of that size.
    let length = unsafe { real::readlink(path.as_ptr().cast(), target.as_mut_ptr().cast(), target.len()) };
    let link = std::str::from_utf8(target.get(..usize::try_from(length).ok()?)?).ok()?;
    let name = link.strip_prefix("/memfd:vgpu")?.strip_suffix(" (deleted)")?;
    if name == "-kfd" {
        Some(Opened::Inherited)
    } else if let Some(path) = name.strip_prefix(":directory:") {
        Some(Opened::Directory(path.into()))
    } else if let Some(path) = name.strip_prefix(":file:") {
        Some(Opened::File(path.into()))
    } else if let Some(index) = name.strip_prefix("-render-") {
        // Another process's open file has its buffer objects there.
        let index = index.parse().ok().filter(|index| Config::get().is_some_and(|config| *index < config.gpus()))?;
        let opened = Opened::Render(RenderFile::new(index));
        Some(lock().get_or_insert_default().entry((stat.st_dev, stat.st_ino)).or_insert(opened).clone())
    } else {
        Origin::of_name(link).map(Opened::Buffer)
    }
}

/// Opens a new descriptor on `opened`, at the lowest free number, with the `flags` of `open`.
///
/// # Errors
/// What the host says (`EMFILE`).
pub fn open(opened: Opened, flags: c_int) -> Result<RawFd, Errno> {
    let name = match &opened {
        Opened::Render(file) => format!("vgpu-render-{}", file.minor() - Config::render_minor(0)),
        Opened::Directory(path) => format!("vgpu:directory:{path}"),
        _ => "vgpu-kfd".to_owned(),
    };
    let file = memory_file(&name, &[], flags)?;
    if matches!(opened, Opened::Kfd | Opened::Render(_)) {
        let stat = host_stat(file.as_raw_fd())?;
        let replaced = lock().get_or_insert_default().insert((stat.st_dev, stat.st_ino), opened);
        // Not under the lock: a render node's buffer objects may go with it.
        drop(replaced);
    }
    Ok(file.into_raw_fd())
}

/// Opens a virtual file with this content, as [`open`].
///
/// # Errors
/// What the host says.
pub fn open_content(path: &str, content: &[u8], flags: c_int) -> Result<RawFd, Errno> {
    Ok(memory_file(&format!("vgpu:file:{path}"), content, flags)?.into_raw_fd())
}

fn memory_file(name: &str, content: &[u8], flags: c_int) -> Result<OwnedFd, Errno> {
    let name = CString::new(name).map_err(|_| Errno::EINVAL)?;
    let file = backing::memfd_low(&name, flags & libc::O_CLOEXEC != 0)?;
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
    // What the kernel looks at in each call on the descriptor.
    let flags = flags & (libc::O_ACCMODE | libc::O_NONBLOCK | libc::O_PATH | libc::O_CLOEXEC);
    if flags & !libc::O_CLOEXEC != libc::O_RDWR {
        let again = dmabuf::reopen(file.as_raw_fd(), flags)?;
        // At the number that it has, which is the lowest.
        // SAFETY: both are ours.
        if unsafe { real::dup3(again.as_raw_fd(), file.as_raw_fd(), flags & libc::O_CLOEXEC) } < 0 {
            return Err(Errno::last());
        }
    }
    Ok(file)
}

/// Forgets what a forked child must not use. As with the driver, `/dev/kfd` is of no use to the child and render nodes
/// are.
pub fn forget_in_child(table: &mut Option<Table>) {
    any_changed();
    let Some(table) = table else { return };
    table.retain(|_, opened| !matches!(opened, Opened::Kfd));
    for opened in table.values_mut() {
        if let Opened::Render(file) = opened {
            let inherited = Opened::Render(file.inherited());
            // The parent's buffer objects are not mapped here, so nothing may drop them.
            std::mem::forget(std::mem::replace(opened, inherited));
        }
    }
}

/// The table, locked over a fork.
pub fn lock() -> std::sync::RwLockWriteGuard<'static, Option<Table>> {
    write(&TABLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::FromRawFd;

    #[test]
    fn the_same_inode_of_another_file_system_is_another_file() {
        let fd = open(Opened::Kfd, libc::O_RDWR | libc::O_CLOEXEC).unwrap();
        // SAFETY: new and ours.
        let file = unsafe { OwnedFd::from_raw_fd(fd) };
        let mut stat = host_stat(file.as_raw_fd()).unwrap();
        assert!(matches!(by_stat(fd, &stat), Some(Opened::Kfd)));
        // What is not in the table is another process's.
        stat.st_dev += 1;
        assert!(matches!(by_stat(fd, &stat), Some(Opened::Inherited)));
        stat.st_nlink = 1;
        assert!(by_stat(fd, &stat).is_none());
    }
}
