//! `opendir`, `readdir` and similar functions.

use super::paths::{self, Own};
use super::{fail, uncancelled};
use crate::driver::files::{self, Opened};
use crate::driver::sysfs;
use crate::driver::sysfs::tree::{Directory, Node};
use crate::errno::Errno;
use crate::locks::lock;
use crate::real::{self, Compare, Filter};
use libc::{DIR, c_char, c_int, c_long, c_void, dirent};
use std::cell::UnsafeCell;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CStr, CString};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// The entries that the stream of a virtual directory's `opendir` returns.
pub struct Listing {
    path: String,
    names: Vec<(String, u8)>,
    next: AtomicUsize,
    /// What `readdir` returned last.
    entry: UnsafeCell<dirent>,
    /// A descriptor, once somebody asked for it.
    fd: OnceLock<c_int>,
}

// SAFETY: only `readdir` writes `entry`, and programs must not call it for one stream from two threads at once.
unsafe impl Send for Listing {}
// SAFETY: as above.
unsafe impl Sync for Listing {}

/// Listings by the address of their stream: a real one, of another directory, so that no function of libc finds
/// anything else there.
pub type Open = HashMap<usize, Arc<Listing>>;

static OPEN: Mutex<Option<Open>> = Mutex::new(None);
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The open listings, which a forked child has too.
pub fn open_listings() -> MutexGuard<'static, Option<Open>> {
    lock(&OPEN)
}

/// Our listing behind `stream`, if it is one. Leaves `errno`, by which callers of `readdir` tell the end from an error.
fn listing(stream: *mut DIR) -> Option<Arc<Listing>> {
    if COUNT.load(Ordering::Relaxed) == 0 {
        return None;
    }
    // SAFETY: errno is the calling thread's own.
    let errno = unsafe { *libc::__errno_location() };
    let listing = open_listings().as_ref()?.get(&stream.addr()).cloned();
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
    listing
}

fn kind(node: &Node) -> u8 {
    match node {
        Node::Directory(_) | Node::Made(_) => libc::DT_DIR,
        Node::File(_) | Node::Live { .. } => libc::DT_REG,
        Node::Link(_) => libc::DT_LNK,
        Node::Device { .. } => libc::DT_CHR,
    }
}

fn open(path: &str, directory: &Directory, fd: c_int) -> *mut DIR {
    let mut names: BTreeMap<String, u8> = BTreeMap::new();
    if let Some(real_path) = CString::new(path).ok().filter(|_| directory.overlay) {
        // SAFETY: a C string; the stream is closed below, and an entry is valid until the next is read.
        unsafe {
            let stream = real::opendir(real_path.as_ptr());
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
    let listing = Listing {
        path: path.to_owned(),
        names: names.into_iter().collect(),
        next: AtomicUsize::new(0),
        // SAFETY: all zero is a valid dirent.
        entry: UnsafeCell::new(unsafe { std::mem::zeroed() }),
        fd: if fd < 0 { OnceLock::new() } else { OnceLock::from(fd) },
    };
    // SAFETY: a C string.
    let stream = unsafe { real::opendir(c"/".as_ptr()) };
    if !stream.is_null() {
        open_listings().get_or_insert_default().insert(stream.addr(), Arc::new(listing));
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
    stream
}

impl Listing {
    /// Writes the next entry to `entry`; false at the end.
    fn read(&self, entry: &mut dirent) -> bool {
        let next = self.next.load(Ordering::Relaxed);
        let Some((name, kind)) = self.names.get(next) else { return false };
        self.next.store(next + 1, Ordering::Relaxed);
        fill(entry, name, *kind, next + 1);
        true
    }
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
    let own = |found: Own| {
        let (path, node) = found?;
        let Node::Directory(directory) = &*node else { return Err(Errno::ENOTDIR) };
        Ok(open(&path, directory, -1))
    };
    let machine = |_, path| {
        // SAFETY: the caller's path, or the same from the root.
        let stream = unsafe { real::opendir(path) };
        if stream.is_null() {
            return stream;
        }
        // SAFETY: the stream just opened.
        let both = uncancelled(|| paths::directory_of(unsafe { real::dirfd(stream) }));
        both.map_or(stream, |(path, directory)| {
            // SAFETY: as above.
            unsafe { real::closedir(stream) };
            uncancelled(|| open(&path, &directory, -1))
        })
    };
    // SAFETY: the caller's argument is passed on.
    unsafe { paths::either(libc::AT_FDCWD, path, true, own, machine) }
}

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdopendir(fd: c_int) -> *mut DIR {
    match uncancelled(|| paths::directory_of(fd)) {
        Some((path, directory)) => uncancelled(|| open(&path, &directory, fd)),
        // SAFETY: the caller's argument is passed on.
        None => unsafe { real::fdopendir(fd) },
    }
}

macro_rules! readdir {
    ($($name:ident)*) => {$(
        /// Interposes the libc function of this name (`dirent64` is `dirent` on x86-64).
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(stream: *mut DIR) -> *mut dirent {
            let Some(listing) = listing(stream) else {
                // SAFETY: the caller's argument is passed on.
                return unsafe { real::readdir(stream) };
            };
            let entry = listing.entry.get();
            // SAFETY: the program reads a stream by one thread at a time; the entry lives until it closes the stream.
            if listing.read(unsafe { &mut *entry }) { entry } else { std::ptr::null_mut() }
        }
    )*};
}
readdir!(readdir readdir64);

macro_rules! readdir_r {
    ($($name:ident)*) => {$(
        /// Interposes the libc function of this name (`dirent64` is `dirent` on x86-64).
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(stream: *mut DIR, entry: *mut dirent, result: *mut *mut dirent) -> c_int {
            let Some(listing) = listing(stream) else {
                // SAFETY: the caller's arguments are passed on.
                return unsafe { real::readdir_r(stream, entry, result) };
            };
            // SAFETY: the caller's buffers.
            unsafe { result.write(if listing.read(&mut *entry) { entry } else { std::ptr::null_mut() }) };
            0
        }
    )*};
}
readdir_r!(readdir_r readdir64_r);

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn telldir(stream: *mut DIR) -> c_long {
    match listing(stream) {
        Some(listing) => listing.next.load(Ordering::Relaxed) as c_long,
        // SAFETY: the caller's argument is passed on.
        None => unsafe { real::telldir(stream) },
    }
}

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn seekdir(stream: *mut DIR, position: c_long) {
    match listing(stream) {
        // A position that `telldir` never returned is the end.
        Some(listing) => listing.next.store(position as usize, Ordering::Relaxed),
        // SAFETY: the caller's arguments are passed on.
        None => unsafe { real::seekdir(stream, position) },
    }
}

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rewinddir(stream: *mut DIR) {
    match listing(stream) {
        Some(listing) => listing.next.store(0, Ordering::Relaxed),
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
    if let Some(fd) = listing.fd.get() {
        return *fd;
    }
    let opened = Opened::Directory(listing.path.as_str().into());
    let fd = match uncancelled(|| files::open(opened, libc::O_RDONLY | libc::O_CLOEXEC)) {
        Ok(fd) => fd,
        Err(errno) => return fail(errno, -1),
    };
    if listing.fd.set(fd).is_err() {
        // Another thread was first.
        // SAFETY: the descriptor just made.
        uncancelled(|| unsafe { real::close(fd) });
    }
    listing.fd.get().copied().unwrap_or(fd)
}

/// Interposes the libc function of this name.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn closedir(stream: *mut DIR) -> c_int {
    if listing(stream).is_some() {
        let listing = open_listings().as_mut().and_then(|open| open.remove(&stream.addr()));
        COUNT.fetch_sub(1, Ordering::Relaxed);
        if let Some(fd) = listing.as_ref().and_then(|listing| listing.fd.get()) {
            // SAFETY: the stream's own descriptor.
            uncancelled(|| unsafe { real::close(*fd) });
        }
    }
    // SAFETY: the caller's argument is passed on.
    unsafe { real::closedir(stream) }
}

macro_rules! scandir {
    ($($name:ident)*) => {$(
        /// Interposes the libc function of this name (`dirent64` is `dirent` on x86-64).
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            path: *const c_char,
            list: *mut *mut *mut dirent,
            filter: Filter,
            compare: Compare,
        ) -> c_int {
            // SAFETY: the caller's arguments are passed on.
            unsafe {
                match sysfs::tree() {
                    Some(_) => scan(opendir(path), list, filter, compare),
                    None => real::scandir(path, list, filter, compare),
                }
            }
        }
    )*};
}
scandir!(scandir scandir64);

macro_rules! scandirat {
    ($($name:ident)*) => {$(
        /// Interposes the libc function of this name (`dirent64` is `dirent` on x86-64).
        ///
        /// # Safety
        /// That of the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            directory: c_int,
            path: *const c_char,
            list: *mut *mut *mut dirent,
            filter: Filter,
            compare: Compare,
        ) -> c_int {
            // SAFETY: the caller's arguments are passed on.
            unsafe {
                if sysfs::tree().is_none() {
                    return real::scandirat(directory, path, list, filter, compare);
                }
                let fd = super::open::openat(directory, path, libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC, 0);
                if fd < 0 {
                    return -1;
                }
                let stream = fdopendir(fd);
                if stream.is_null() {
                    let errno = Errno::last();
                    real::close(fd);
                    return fail(errno, -1);
                }
                scan(stream, list, filter, compare)
            }
        }
    )*};
}
scandirat!(scandirat scandirat64);

/// `scandir` of a stream, which is null with `errno` set if there is none, and closed here.
///
/// # Safety
/// That of `scandir`.
unsafe fn scan(stream: *mut DIR, list: *mut *mut *mut dirent, filter: Filter, compare: Compare) -> c_int {
    let mut found: Vec<*mut dirent> = Vec::new();
    // SAFETY: the callbacks get valid entries; the memory is malloc's, which the caller frees.
    unsafe {
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
        let array = libc::malloc(found.len().max(1) * size_of::<*mut dirent>()).cast::<*mut dirent>();
        if array.is_null() {
            return fail(Errno::ENOMEM, -1);
        }
        std::ptr::copy_nonoverlapping(found.as_ptr(), array, found.len());
        if let Some(compare) = compare {
            // libc's, as in its own scandir: the program's function need not be an order, which Rust's sorts may panic
            // about.
            let compare: unsafe extern "C" fn(*const c_void, *const c_void) -> c_int = std::mem::transmute(compare);
            libc::qsort(array.cast(), found.len(), size_of::<*mut dirent>(), Some(compare));
        }
        *list = array;
    }
    found.len() as c_int
}
