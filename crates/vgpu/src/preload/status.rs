//! `stat`, `access`, `readlink` and similar functions.

use super::paths::{self, Own};
use crate::driver::config::Config;
use crate::driver::files::{self, Opened};
use crate::driver::sysfs;
use crate::driver::sysfs::tree::{Directory, Found, Node};
use crate::errno::Errno;
use crate::real;
use libc::{c_char, c_int};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The status of a virtual node.
fn status(path: &str, node: &Node) -> libc::stat {
    let mut stat = real::empty_stat();
    stat.st_nlink = 1;
    stat.st_blksize = 4096;
    match node {
        Node::Directory(directory) => {
            stat.st_mode = libc::S_IFDIR | 0o755;
            let directories =
                directory.entries.values().filter(|node| matches!(node, Node::Directory(_) | Node::Made(_)));
            stat.st_nlink = 2 + directories.count() as u64;
        }
        Node::Made(make) => return status(path, &Node::Directory(make())),
        Node::File(_) | Node::Live { .. } => {
            stat.st_mode = libc::S_IFREG | 0o444;
            stat.st_size = 4096;
            // The kernel tells of none. Programs look for holes then, and find where the memory file ends, where the
            // kernel tells of none either.
            stat.st_blocks = 8;
        }
        Node::Link(target) => {
            stat.st_mode = libc::S_IFLNK | 0o777;
            stat.st_size = target.len() as i64;
        }
        Node::Device { major, minor } => {
            stat.st_mode = libc::S_IFCHR | 0o666;
            stat.st_rdev = libc::makedev(*major, *minor);
        }
    }
    // Each node has a number of its own, from its path: some are made anew at each look.
    let mut hash = DefaultHasher::new();
    path.hash(&mut hash);
    stat.st_ino = hash.finish();
    stat
}

/// Makes the host's status of a memory file that of what it stands for.
fn disguise(fd: c_int, stat: &mut libc::stat) {
    let Some(opened) = files::by_stat(fd, stat) else { return };
    let (Some(path), Some(tree)) = (opened.path(), sysfs::tree()) else { return };
    *stat = match (tree.find(&path, false), &opened) {
        (Found::Node(path, node), _) => status(&path, &node),
        // It has gone meanwhile.
        (_, Opened::Directory(_)) => status(&path, &Node::Directory(Directory::default())),
        _ => status(&path, &Node::File(Vec::new())),
    };
}

/// `stat` of a path, by `machine` or of a virtual node.
///
/// # Safety
/// `path` is null or a C string, and `buffer` is writable.
unsafe fn stat_at(
    directory: c_int,
    path: *const c_char,
    buffer: *mut libc::stat,
    follow: bool,
    machine: impl Fn(c_int, *const c_char) -> c_int,
) -> c_int {
    let own = |found: Own| {
        let (path, node) = found?;
        // SAFETY: the caller's buffer.
        unsafe { buffer.write(status(&path, &node)) };
        Ok(0)
    };
    // SAFETY: as promised by the caller.
    unsafe { paths::either(directory, path, follow, own, machine) }
}

/// `fstat` of any descriptor.
///
/// # Safety
/// That of `fstat`.
unsafe fn stat_fd(fd: c_int, buffer: *mut libc::stat) -> c_int {
    // SAFETY: the caller's buffer.
    let result = unsafe { real::fstat(fd, buffer) };
    if result == 0 && !Config::has_none() {
        // SAFETY: fstat has filled it.
        disguise(fd, unsafe { &mut *buffer });
    }
    result
}

macro_rules! interpose {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty $body:block)*) => {$(
        /// Interposes the libc function of this name.
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            // SAFETY: the caller's arguments are passed on.
            unsafe { $body }
        }
    )*};
}

macro_rules! interpose_pairs {
    ($($a:ident $b:ident ($($argument:ident: $type:ty),*) -> $result:ty $body:block)*) => {$(
        interpose! { fn $a($($argument: $type),*) -> $result $body }
        interpose! { fn $b($($argument: $type),*) -> $result $body }
    )*};
}

interpose_pairs! {
    stat stat64(path: *const c_char, buffer: *mut libc::stat) -> c_int {
        stat_at(libc::AT_FDCWD, path, buffer, true, |_, path| real::stat(path, buffer))
    }
    lstat lstat64(path: *const c_char, buffer: *mut libc::stat) -> c_int {
        stat_at(libc::AT_FDCWD, path, buffer, false, |_, path| real::lstat(path, buffer))
    }
    fstat fstat64(fd: c_int, buffer: *mut libc::stat) -> c_int { stat_fd(fd, buffer) }
    fstatat fstatat64(directory: c_int, path: *const c_char, buffer: *mut libc::stat, flags: c_int) -> c_int {
        if flags & libc::AT_EMPTY_PATH != 0 && !path.is_null() && *path == 0 && directory >= 0 {
            return stat_fd(directory, buffer);
        }
        let machine = |directory, path| real::fstatat(directory, path, buffer, flags);
        stat_at(directory, path, buffer, flags & libc::AT_SYMLINK_NOFOLLOW == 0, machine)
    }
    // What programs call that were linked with a glibc older than 2.33. The version argument has one value on x86-64.
    __xstat __xstat64(_version: c_int, path: *const c_char, buffer: *mut libc::stat) -> c_int { stat(path, buffer) }
    __lxstat __lxstat64(_version: c_int, path: *const c_char, buffer: *mut libc::stat) -> c_int { lstat(path, buffer) }
    __fxstat __fxstat64(_version: c_int, fd: c_int, buffer: *mut libc::stat) -> c_int { stat_fd(fd, buffer) }
    __fxstatat __fxstatat64(_version: c_int, directory: c_int, path: *const c_char, buffer: *mut libc::stat, flags: c_int) -> c_int {
        fstatat(directory, path, buffer, flags)
    }
}

fn extended(stat: &libc::stat) -> libc::statx {
    // SAFETY: all zero is a valid `statx`.
    let mut extended: libc::statx = unsafe { std::mem::zeroed() };
    extended.stx_mask = libc::STATX_BASIC_STATS;
    extended.stx_blksize = stat.st_blksize as u32;
    extended.stx_nlink = stat.st_nlink as u32;
    extended.stx_uid = stat.st_uid;
    extended.stx_gid = stat.st_gid;
    extended.stx_mode = stat.st_mode as u16;
    extended.stx_ino = stat.st_ino;
    extended.stx_size = stat.st_size as u64;
    extended.stx_blocks = stat.st_blocks as u64;
    extended.stx_rdev_major = libc::major(stat.st_rdev);
    extended.stx_rdev_minor = libc::minor(stat.st_rdev);
    extended
}

interpose! {
    fn statx(directory: c_int, path: *const c_char, flags: c_int, mask: u32, buffer: *mut libc::statx) -> c_int {
        if flags & libc::AT_EMPTY_PATH != 0 && (path.is_null() || *path == 0) {
            if !matches!(files::lookup(directory), None | Some(Opened::Buffer(_))) {
                let mut stat = real::empty_stat();
                let result = stat_fd(directory, &mut stat);
                buffer.write(extended(&stat));
                return result;
            }
            return real::statx(directory, path, flags, mask, buffer);
        }
        let own = |found: Own| {
            let (path, node) = found?;
            buffer.write(extended(&status(&path, &node)));
            Ok(0)
        };
        let machine = |directory, path| real::statx(directory, path, flags, mask, buffer);
        paths::either(directory, path, flags & libc::AT_SYMLINK_NOFOLLOW == 0, own, machine)
    }

    fn access(path: *const c_char, mode: c_int) -> c_int {
        let own = |found| permitted(found, mode);
        paths::either(libc::AT_FDCWD, path, true, own, |_, path| real::access(path, mode))
    }

    fn faccessat(directory: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int {
        let own = |found| permitted(found, mode);
        paths::either(directory, path, true, own, |directory, path| real::faccessat(directory, path, mode, flags))
    }

    fn euidaccess(path: *const c_char, mode: c_int) -> c_int {
        let own = |found| permitted(found, mode);
        paths::either(libc::AT_FDCWD, path, true, own, |_, path| real::euidaccess(path, mode))
    }

    fn eaccess(path: *const c_char, mode: c_int) -> c_int { euidaccess(path, mode) }

    fn readlink(path: *const c_char, buffer: *mut c_char, size: usize) -> isize {
        let own = |found| read_link(found, buffer, size);
        paths::either(libc::AT_FDCWD, path, false, own, |_, path| real::readlink(path, buffer, size))
    }

    fn readlinkat(directory: c_int, path: *const c_char, buffer: *mut c_char, size: usize) -> isize {
        let own = |found| read_link(found, buffer, size);
        paths::either(directory, path, false, own, |directory, path| real::readlinkat(directory, path, buffer, size))
    }

    fn __readlink_chk(path: *const c_char, buffer: *mut c_char, size: usize, room: usize) -> isize {
        // libc ends programs that tell of more room than there is.
        if room < size { real::__readlink_chk(path, buffer, size, room) } else { readlink(path, buffer, size) }
    }

    fn __readlinkat_chk(directory: c_int, path: *const c_char, buffer: *mut c_char, size: usize, room: usize) -> isize {
        if room < size {
            return real::__readlinkat_chk(directory, path, buffer, size, room);
        }
        readlinkat(directory, path, buffer, size)
    }

    fn realpath(path: *const c_char, resolved: *mut c_char) -> *mut c_char {
        let own = |found: Own| {
            let (path, _) = found?;
            let to = if resolved.is_null() { libc::malloc(path.len() + 1).cast::<c_char>() } else { resolved };
            if to.is_null() || path.len() >= libc::PATH_MAX as usize {
                return Err(Errno::ENOMEM);
            }
            std::ptr::copy_nonoverlapping(path.as_ptr().cast(), to, path.len());
            *to.add(path.len()) = 0;
            Ok(to)
        };
        paths::either(libc::AT_FDCWD, path, true, own, |_, path| real::realpath(path, resolved))
    }

    fn __realpath_chk(path: *const c_char, resolved: *mut c_char, _size: usize) -> *mut c_char { realpath(path, resolved) }

    fn canonicalize_file_name(path: *const c_char) -> *mut c_char { realpath(path, std::ptr::null_mut()) }
}

/// Whether a virtual node allows `mode`.
fn permitted(found: Own, mode: c_int) -> Result<c_int, Errno> {
    let allowed = match &*found?.1 {
        Node::Directory(_) | Node::Made(_) => libc::R_OK | libc::X_OK,
        Node::File(_) | Node::Live { .. } => libc::R_OK,
        Node::Device { .. } | Node::Link(_) => libc::R_OK | libc::W_OK,
    };
    if mode & !allowed != 0 { Err(Errno::EACCES) } else { Ok(0) }
}

/// `readlink` of a virtual node.
///
/// # Safety
/// `buffer` is writable for `size` bytes.
unsafe fn read_link(found: Own, buffer: *mut c_char, size: usize) -> Result<isize, Errno> {
    let node = found?.1;
    let Node::Link(target) = &*node else { return Err(Errno::EINVAL) };
    let length = target.len().min(size);
    // SAFETY: the caller's buffer holds `size` bytes.
    unsafe { std::ptr::copy_nonoverlapping(target.as_ptr().cast(), buffer, length) };
    Ok(length as isize)
}
