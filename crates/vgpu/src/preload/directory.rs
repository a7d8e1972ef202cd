//! `opendir`, `readdir` and their families.

use super::{fail, find};
use crate::errno::Errno;
use crate::files::{self, Opened};
use crate::real;
use crate::sysfs::tree::{Directory, Found, Node};
use libc::{DIR, c_char, c_int, dirent};
use std::collections::{BTreeMap, HashSet};
use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

/// What an `opendir` of a virtual directory returns, as a `DIR` that only our own functions look into.
struct Listing {
    path: String,
    names: Vec<(String, u8)>,
    next: usize,
    entry: dirent,
    /// A descriptor, once somebody asked for it.
    fd: c_int,
}

static OPEN: Mutex<Option<HashSet<usize>>> = Mutex::new(None);
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn open_listings() -> MutexGuard<'static, Option<HashSet<usize>>> {
    OPEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Our listing behind `stream`, if it is one.
fn listing(stream: *mut DIR) -> Option<*mut Listing> {
    if COUNT.load(Ordering::Relaxed) == 0 {
        return None;
    }
    open_listings().as_ref()?.contains(&(stream.addr())).then_some(stream.cast())
}

fn kind(node: &Node) -> u8 {
    match node {
        Node::Directory(_) => libc::DT_DIR,
        Node::File(_) => libc::DT_REG,
        Node::Link(_) => libc::DT_LNK,
        Node::Device { .. } => libc::DT_CHR,
    }
}

fn open(path: &str, directory: &Directory, real_path: *const c_char, fd: c_int) -> *mut DIR {
    let mut names: BTreeMap<String, u8> = BTreeMap::new();
    if directory.overlay {
        // SAFETY: a C string; the stream is closed below, and an entry is valid until the next is read.
        unsafe {
            let stream = real::opendir(real_path);
            while let Some(entry) = (!stream.is_null()).then(|| real::readdir(stream)).and_then(|entry| entry.as_ref())
            {
                names.insert(CStr::from_ptr(entry.d_name.as_ptr()).to_string_lossy().into_owned(), entry.d_type);
            }
            if !stream.is_null() {
                real::closedir(stream);
            }
        }
    }
    names.insert(".".to_owned(), libc::DT_DIR);
    names.insert("..".to_owned(), libc::DT_DIR);
    names.extend(directory.entries.iter().map(|(name, node)| (name.clone(), kind(node))));
    let listing = Box::new(Listing {
        path: path.to_owned(),
        names: names.into_iter().collect(),
        next: 0,
        // SAFETY: all zero is a valid dirent.
        entry: unsafe { std::mem::zeroed() },
        fd,
    });
    let stream = Box::into_raw(listing);
    open_listings().get_or_insert_default().insert(stream.addr());
    COUNT.fetch_add(1, Ordering::Relaxed);
    stream.cast()
}

/// The next entry; null at the end.
///
/// # Safety
/// `listing` is open, and no other thread reads it now (as for `readdir`).
unsafe fn next(listing: *mut Listing) -> *mut dirent {
    // SAFETY: as promised by the caller.
    let listing = unsafe { &mut *listing };
    let Some((name, kind)) = listing.names.get(listing.next) else { return std::ptr::null_mut() };
    listing.next += 1;
    fill(&mut listing.entry, name, *kind, listing.next);
    &mut listing.entry
}

fn fill(entry: &mut dirent, name: &str, kind: u8, number: usize) {
    entry.d_ino = number as u64;
    entry.d_off = number as i64;
    entry.d_reclen = size_of::<dirent>() as u16;
    entry.d_type = kind;
    let bytes = &name.as_bytes()[..name.len().min(entry.d_name.len() - 1)];
    for (to, from) in entry.d_name.iter_mut().zip(bytes.iter().chain([&0])) {
        *to = *from as c_char;
    }
}

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn opendir(path: *const c_char) -> *mut DIR {
    // SAFETY: the caller's argument is passed on.
    unsafe {
        match find(libc::AT_FDCWD, path, true) {
            Some(Found::Node(at, Node::Directory(directory))) => open(&at, directory, path, -1),
            Some(Found::Node(..)) => fail(Errno::ENOTDIR, std::ptr::null_mut()),
            Some(Found::Missing(errno)) => fail(errno, std::ptr::null_mut()),
            Some(Found::Real) | None => real::opendir(path),
        }
    }
}

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdopendir(fd: c_int) -> *mut DIR {
    if let Some(Opened::Directory(path)) = files::lookup(fd)
        && let Some(Found::Node(_, Node::Directory(directory))) =
            crate::sysfs::tree().map(|tree| tree.find(&path, true))
    {
        return open(&path, directory, std::ptr::null(), fd);
    }
    // SAFETY: the caller's argument is passed on.
    unsafe { real::fdopendir(fd) }
}

macro_rules! readdir {
    ($($name:ident)*) => {$(
        /// Interposes the libc function of this name (`dirent64` is `dirent` on x86-64).
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(stream: *mut DIR) -> *mut dirent {
            // SAFETY: the caller's argument is passed on.
            unsafe { listing(stream).map_or_else(|| real::readdir(stream), |listing| next(listing)) }
        }
    )*};
}
readdir!(readdir readdir64);

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rewinddir(stream: *mut DIR) {
    match listing(stream) {
        // SAFETY: an open listing.
        Some(listing) => unsafe { (*listing).next = 0 },
        // SAFETY: the caller's argument is passed on.
        None => unsafe { real::rewinddir(stream) },
    }
}

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dirfd(stream: *mut DIR) -> c_int {
    let Some(listing) = listing(stream) else {
        // SAFETY: the caller's argument is passed on.
        return unsafe { real::dirfd(stream) };
    };
    // SAFETY: an open listing.
    let listing = unsafe { &mut *listing };
    if listing.fd < 0 {
        let opened = Opened::Directory(listing.path.as_str().into());
        match files::open(c"vgpu-directory", opened, true) {
            Ok(fd) => listing.fd = fd,
            Err(errno) => return fail(errno, -1),
        }
    }
    listing.fd
}

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn closedir(stream: *mut DIR) -> c_int {
    let ours = listing(stream).is_some() && open_listings().as_mut().is_some_and(|set| set.remove(&stream.addr()));
    if !ours {
        // SAFETY: the caller's argument is passed on.
        return unsafe { real::closedir(stream) };
    }
    COUNT.fetch_sub(1, Ordering::Relaxed);
    // SAFETY: made by `Box::into_raw` in `open`, and removed from the set just now.
    let listing = unsafe { Box::from_raw(stream.cast::<Listing>()) };
    if listing.fd >= 0 {
        // SAFETY: the stream's own descriptor.
        unsafe { libc::close(listing.fd) };
    }
    0
}

type Filter = Option<unsafe extern "C" fn(*const dirent) -> c_int>;
type Compare = Option<unsafe extern "C" fn(*mut *const dirent, *mut *const dirent) -> c_int>;

macro_rules! scandir {
    ($($name:ident $next:literal)*) => {$(
        /// Interposes the libc function of this name.
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(path: *const c_char, list: *mut *mut *mut dirent, filter: Filter, compare: Compare) -> c_int {
            type Function = unsafe extern "C" fn(*const c_char, *mut *mut *mut dirent, Filter, Compare) -> c_int;
            static NEXT: real::Next = real::Next::new($next);
            // SAFETY: the caller's arguments are passed on.
            unsafe {
                if find(libc::AT_FDCWD, path, true).is_none() {
                    let next: Function = std::mem::transmute(NEXT.address());
                    return next(path, list, filter, compare);
                }
                scan(path, list, filter, compare)
            }
        }
    )*};
}
scandir!(scandir c"scandir" scandir64 c"scandir64");

/// `scandir` over our own `opendir`.
///
/// # Safety
/// That of `scandir`.
unsafe fn scan(path: *const c_char, list: *mut *mut *mut dirent, filter: Filter, compare: Compare) -> c_int {
    let mut found: Vec<*mut dirent> = Vec::new();
    // SAFETY: the callbacks get valid entries; the memory is malloc's, which the caller frees.
    unsafe {
        let stream = opendir(path);
        if stream.is_null() {
            return -1;
        }
        while let Some(entry) = readdir(stream).as_ref() {
            if filter.is_none_or(|filter| filter(entry) != 0) {
                let copy = libc::malloc(size_of::<dirent>()).cast::<dirent>();
                if copy.is_null() {
                    closedir(stream);
                    return fail(Errno::ENOMEM, -1);
                }
                copy.write(*entry);
                found.push(copy);
            }
        }
        closedir(stream);
        if let Some(compare) = compare {
            found.sort_by(|a, b| {
                let (mut a, mut b) = (a.cast_const(), b.cast_const());
                compare(&mut a, &mut b).cmp(&0)
            });
        }
        let array = libc::malloc(found.len().max(1) * size_of::<*mut dirent>()).cast::<*mut dirent>();
        if array.is_null() {
            return fail(Errno::ENOMEM, -1);
        }
        std::ptr::copy_nonoverlapping(found.as_ptr(), array, found.len());
        *list = array;
    }
    found.len() as c_int
}
