//! Recognises the device's paths in the virtual tree, whether they are absolute, relative to an open directory or to
//! the working directory, or lead through the program's own symbolic link.

use super::{fail, uncancelled, working_directory};
use crate::driver::config::Config;
use crate::driver::files::{self, Opened};
use crate::driver::sysfs;
use crate::driver::sysfs::tree::{Directory, Found, Node};
use crate::errno::Errno;
use crate::real;
use libc::{c_char, c_int};
use std::borrow::Cow;
use std::ffi::{CStr, CString};
use std::io::Write;
use std::ptr::NonNull;

/// A virtual node and its path without links, or why there is none.
pub type Own = Result<(String, Cow<'static, Node>), Errno>;

/// Links that the kernel follows before it gives up (`MAXSYMLINKS`).
const MAX_LINKS: u32 = 40;

/// The result type of a libc function.
pub trait Answer: Copy {
    /// When it fails.
    const FAILURE: Self;
    /// Whether this is a failure.
    fn failed(self) -> bool;
}

impl Answer for c_int {
    const FAILURE: c_int = -1;
    fn failed(self) -> bool {
        self == -1
    }
}

impl Answer for isize {
    const FAILURE: isize = -1;
    fn failed(self) -> bool {
        self == -1
    }
}

impl<T> Answer for *mut T {
    const FAILURE: *mut T = std::ptr::null_mut();
    fn failed(self) -> bool {
        self.is_null()
    }
}

/// Whether a program can have anything at this address. The kernel, which looks at more, says `EFAULT` where it cannot.
fn is_address(path: *const c_char) -> bool {
    // The default of `vm.mmap_min_addr`, and the end of the lower half.
    (1 << 16..1 << 47).contains(&path.addr())
}

/// Calls `own` if `path` is the device's, otherwise `machine` with the directory and path to use.
///
/// The tree is made when a path may be its, and takes memory then. The program's allocator asks for paths of the
/// machine while it starts, when it cannot give any.
///
/// # Safety
/// `path` is a C string, or no address that a program can have anything at.
pub unsafe fn either<T: Answer>(
    directory: c_int,
    path: *const c_char,
    follow: bool,
    own: impl FnOnce(Own) -> Result<T, Errno>,
    machine: impl Fn(c_int, *const c_char) -> T,
) -> T {
    if Config::has_none() || !is_address(path) {
        return machine(directory, path);
    }
    // SAFETY: as promised by the caller.
    let name = unsafe { CStr::from_ptr(path) }.to_bytes();
    let answer = |found| uncancelled(|| own(found)).unwrap_or_else(|errno| fail(errno, T::FAILURE));
    match look(directory, name, follow) {
        Place::Own(found) => answer(found),
        Place::MachineAt(path) => machine(libc::AT_FDCWD, path.as_ptr()),
        Place::Machine => {
            let result = machine(directory, path);
            if !result.failed() || Errno::last() != Errno::ENOENT {
                return result;
            }
            match through_links(directory, name, follow) {
                Some(found) => answer(found),
                None => fail(Errno::ENOENT, result),
            }
        }
    }
}

enum Place {
    /// The machine's, as the program named it.
    Machine,
    /// The machine's, but the path begins at something virtual: this is the same path from the root.
    MachineAt(CString),
    Own(Own),
}

/// Whether something virtual may be at or below this path, or the path of a directory.
fn may_be_own(path: &[u8]) -> bool {
    let name = &path[path.iter().take_while(|byte| **byte == b'/').count()..];
    path.starts_with(b"/") && (name.is_empty() || name.starts_with(b"dev") || name.starts_with(b"sys"))
}

fn look(directory: c_int, path: &[u8], follow: bool) -> Place {
    if path.starts_with(b"/") {
        let own = if may_be_own(path) { std::str::from_utf8(path).ok() } else { None };
        return own.and_then(|path| find(path, follow)).map_or(Place::Machine, Place::Own);
    }
    let base = match files::lookup(directory) {
        _ if path.is_empty() => None,
        Some(Opened::Directory(base)) => Some((base.to_string(), true)),
        Some(_) => None,
        None if directory == libc::AT_FDCWD => working_directory::base().map(|base| (base.path.clone(), base.own)),
        None => near_path_of(directory).map(|base| (base, false)),
    };
    let Some((base, own_base)) = base else { return Place::Machine };
    let Ok(path) = std::str::from_utf8(path) else { return Place::Machine };
    let path = format!("{base}/{path}");
    match find(&path, follow) {
        Some(found) => Place::Own(found),
        None if own_base => CString::new(normal(&path)).map_or(Place::Machine, Place::MachineAt),
        None => Place::Machine,
    }
}

/// Looks an absolute path up in the tree. `None`: it is the machine's, also if the directory there shows both.
fn find(path: &str, follow: bool) -> Option<Own> {
    match sysfs::tree()?.find(path, follow) {
        Found::Real => None,
        Found::Node(at, node) => match &*node {
            Node::Directory(directory) if directory.overlay && machine_has(&at) => None,
            _ => Some(Ok((at, node))),
        },
        Found::Missing(errno) => Some(Err(errno)),
    }
}

fn machine_has(path: &str) -> bool {
    // SAFETY: a C string.
    CString::new(path).is_ok_and(|path| unsafe { real::access(path.as_ptr(), libc::F_OK) } == 0)
}

/// The path without `.` and `..`.
fn normal(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    format!("/{}", parts.join("/"))
}

/// The link to what is behind a descriptor, as a C string.
fn link_of(fd: c_int) -> [u8; 32] {
    let mut link = [0; 32];
    // It has room for every number.
    let _ = write!(&mut link[..], "/proc/self/fd/{fd}");
    link
}

/// The path of the machine's directory behind a descriptor, if something virtual may be near.
fn near_path_of(fd: c_int) -> Option<String> {
    let link = link_of(fd);
    let mut start = [0; 5];
    // SAFETY: a C string, and a buffer of that size.
    let length = unsafe { real::readlink(link.as_ptr().cast(), start.as_mut_ptr().cast(), start.len()) };
    if !may_be_own(start.get(..usize::try_from(length).ok()?)?) {
        return None;
    }
    let mut room = Room::new()?;
    let [mut path, ..] = room.texts();
    path.read_link(&link).then(|| String::from_utf8_lossy(path.bytes()).into_owned())
}

/// The directory of the tree for a descriptor, and its path: a virtual directory, or one of the machine's that shows
/// both.
pub fn directory_of(fd: c_int) -> Option<(String, Cow<'static, Directory>)> {
    let tree = sysfs::tree()?;
    let path = match files::lookup(fd) {
        Some(Opened::Directory(path)) => path.to_string(),
        Some(_) => return None,
        None => near_path_of(fd)?,
    };
    match tree.find(&path, true) {
        Found::Node(at, Cow::Borrowed(Node::Directory(directory))) => Some((at, Cow::Borrowed(directory))),
        Found::Node(at, Cow::Owned(Node::Directory(directory))) => Some((at, Cow::Owned(directory))),
        Found::Node(..) | Found::Missing(_) | Found::Real => None,
    }
}

/// Follows the machine's links in a path at which the machine has nothing. `None`: none leads to the tree. Takes no
/// memory before one does.
fn through_links(directory: c_int, path: &[u8], follow: bool) -> Option<Own> {
    let mut room = Room::new()?;
    let [mut done, mut left, mut target] = room.texts();
    left.push(path)?;
    match path {
        [b'/', ..] => {}
        [] => return None,
        _ if directory == libc::AT_FDCWD => done.working_directory().then_some(())?,
        _ => done.read_link(&link_of(directory)).then_some(())?,
    }
    let mut links = 0;
    while let Some(part) = left.first_part() {
        let length = done.length;
        let name = &left.bytes()[part.clone()];
        if name == b".." {
            done.pop();
        }
        if name == b".." || name == b"." {
            left.drop_first(part.end);
            continue;
        }
        done.push(b"/")?;
        done.push(name)?;
        left.drop_first(part.end);
        if !follow && left.first_part().is_none() {
            break;
        }
        if target.read_link(done.terminated()) {
            links += 1;
            if links > MAX_LINKS {
                return None;
            }
            done.length = if target.bytes().starts_with(b"/") { 0 } else { length };
            // It begins with a slash, if anything is left.
            target.push(left.bytes())?;
            std::mem::swap(&mut left, &mut target);
        } else if Errno::last() == Errno::ENOENT {
            break;
        }
    }
    if links == 0 || !may_be_own(done.bytes()) {
        return None;
    }
    done.push(left.bytes())?;
    find(std::str::from_utf8(done.bytes()).ok()?, follow)
}

/// Room for paths that takes neither memory of the program's allocator nor much of the stack: signal handlers come here
/// too, and threads with little of it.
struct Room(NonNull<[[u8; libc::PATH_MAX as usize]; 3]>);

impl Room {
    const BYTES: usize = size_of::<[[u8; libc::PATH_MAX as usize]; 3]>();

    fn new() -> Option<Room> {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping.
        let start = unsafe { real::mmap(std::ptr::null_mut(), Room::BYTES, access, kind, -1, 0) };
        if start == libc::MAP_FAILED { None } else { NonNull::new(start.cast()).map(Room) }
    }

    fn texts(&mut self) -> [Text<'_>; 3] {
        // SAFETY: mapped while `self` lives, for nobody else, and zero at first.
        unsafe { self.0.as_mut() }.each_mut().map(|bytes| Text { bytes, length: 0 })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`.
        unsafe { real::munmap(self.0.as_ptr().cast(), Room::BYTES) };
    }
}

/// A path in a [`Room`].
struct Text<'a> {
    bytes: &'a mut [u8; libc::PATH_MAX as usize],
    length: usize,
}

impl Text<'_> {
    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Appends. `None` if there is no room, for a final NUL too.
    fn push(&mut self, bytes: &[u8]) -> Option<()> {
        let end = self.length + bytes.len();
        if end >= self.bytes.len() {
            return None;
        }
        self.bytes[self.length..end].copy_from_slice(bytes);
        self.length = end;
        Some(())
    }

    /// Drops the last part.
    fn pop(&mut self) {
        self.length = self.bytes().iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    }

    /// Where the first part is.
    fn first_part(&self) -> Option<std::ops::Range<usize>> {
        let start = self.bytes().iter().position(|byte| *byte != b'/')?;
        let length = self.bytes()[start..].iter().position(|byte| *byte == b'/');
        Some(start..length.map_or(self.length, |length| start + length))
    }

    fn drop_first(&mut self, count: usize) {
        self.bytes.copy_within(count..self.length, 0);
        self.length -= count;
    }

    /// With a NUL behind it, for which `push` keeps room.
    fn terminated(&mut self) -> &[u8] {
        self.bytes[self.length] = 0;
        &self.bytes[..=self.length]
    }

    /// Becomes what the link at `path`, a C string, says; false, with `errno`, if there is none.
    fn read_link(&mut self, path: &[u8]) -> bool {
        let room = self.bytes.len();
        // SAFETY: a C string, and a buffer of that size.
        let length = unsafe { real::readlink(path.as_ptr().cast(), self.bytes.as_mut_ptr().cast(), room) };
        self.length = usize::try_from(length).unwrap_or(0).min(room - 1);
        length >= 0
    }

    /// Becomes the machine's working directory.
    fn working_directory(&mut self) -> bool {
        // SAFETY: a buffer of that size.
        let path = unsafe { real::getcwd(self.bytes.as_mut_ptr().cast(), self.bytes.len()) };
        self.length = self.bytes.iter().position(|byte| *byte == 0).unwrap_or(0);
        !path.is_null() && self.length != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_apart() {
        assert_eq!(normal("/sys/class/kfd/../net//./lo"), "/sys/class/net/lo");
        assert_eq!(normal("/../.."), "/");
        assert!(may_be_own(b"/sys/class") && may_be_own(b"//dev") && may_be_own(b"/"));
        assert!(!may_be_own(b"/home/dev") && !may_be_own(b"sys"));
        let mut room = Room::new().unwrap();
        let [mut text, ..] = room.texts();
        text.push(b"//a/bc").unwrap();
        assert_eq!(text.first_part(), Some(2..3));
        text.drop_first(3);
        assert_eq!((text.bytes(), text.first_part()), (b"/bc".as_slice(), Some(1..3)));
        text.pop();
        assert_eq!((text.bytes(), text.first_part()), (b"".as_slice(), None));
        text.push(b"1207").unwrap();
        assert_eq!(text.terminated(), b"1207\0");
        assert!(link_of(c_int::MIN).starts_with(b"/proc/self/fd/-2147483648\0"));
        assert!(text.push(&[b'x'; 4092]).is_none() && text.push(&[b'x'; 4091]).is_some());
    }
}
