//! `dlsym`: programs that look functions up get the wrappers. And looking functions up for the wrappers.

use crate::raw::{Kind, words};
use crate::tables::{self, Function, Id, TABLES};
use crate::{clock, recorder};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

/// libc's function, or that of another library that stands in front of it.
static REAL: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// What the shim does next.
#[repr(C)]
pub struct Answer {
    /// What `dlsym` returns.
    address: *mut c_void,
    /// Not 0: the next `dlsym` is to be asked instead.
    pass_on: usize,
}

/// Interposes `dlsym`. The next one is jumped to, not called, so that it sees its caller: `RTLD_NEXT` and `RTLD_DEFAULT` depend on it.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    core::arch::naked_asm!(
        "push rdi",
        "push rsi",
        // The stack is aligned to 16 bytes at calls.
        "sub rsp, 8",
        "call {answer}",
        "add rsp, 8",
        "pop rsi",
        "pop rdi",
        "test rdx, rdx",
        "jnz 2f",
        "ret",
        "2:",
        "jmp qword ptr [rip + {real}]",
        answer = sym answer,
        real = sym REAL,
    )
}

/// # Safety
/// `name` is null or a C string.
unsafe extern "C" fn answer(handle: *mut c_void, name: *const c_char) -> Answer {
    const PASS_ON: Answer = Answer { address: null_mut(), pass_on: 1 };
    resolve();
    if handle == libc::RTLD_NEXT || name.is_null() {
        return PASS_ON;
    }
    // SAFETY: as promised by the caller.
    let name = unsafe { CStr::from_ptr(name) };
    // Most lookups are not of our functions.
    if !matches!(name.to_bytes(), [b'h', b'i' | b's', ..] | [b'c', b'l', ..] | [b'_', b'_', b'h', ..]) {
        return PASS_ON;
    }
    let Some((id, function)) = tables::find(name) else { return PASS_ON };
    let wrapper = function.wrapper.0.cast_mut();
    if handle == libc::RTLD_DEFAULT {
        // The wrapper is found, whether or not there is a function behind it.
        let there = function.resolve(id.table()).is_some();
        // To an unversioned lookup behind this library: it fails, and `dlerror` says so.
        let address = if there { wrapper } else { real(libc::RTLD_NEXT, name) };
        return Answer { address, pass_on: 0 };
    }
    let found = real(handle, name);
    Answer { address: if found.is_null() { found } else { wrap(id, function, found) }, pass_on: 0 }
}

/// What a program is given for a function of a library: the wrapper, if that is in front of this function.
pub fn wrap(id: Id, function: &'static Function, found: *mut c_void) -> *mut c_void {
    let wrapper = function.wrapper.0.cast_mut();
    let table = &TABLES[id.table()];
    if found == wrapper || table.exported && !object_of(found).is_some_and(|file| table.is_of(file.to_bytes())) {
        return found;
    }
    if let Some(first) = next(function.name).filter(|_| table.exported) {
        function.take(id.table(), first);
    }
    if function.take(id.table(), found) == found { wrapper } else { found }
}

/// Looks libc's function up.
pub fn resolve() {
    if !REAL.load(Ordering::Acquire).is_null() {
        return;
    }
    unsafe extern "C" {
        fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
    }
    // glibc 2.34 moved it from libdl to libc.
    for version in [c"GLIBC_2.34", c"GLIBC_2.2.5"] {
        // SAFETY: both are C strings.
        let found = unsafe { dlvsym(libc::RTLD_NEXT, c"dlsym".as_ptr(), version.as_ptr()) };
        if let Some(found) = of_ours(found) {
            REAL.store(found, Ordering::Release);
            return;
        }
    }
}

/// What was found for the recorder itself. An error is not the program's, which may ask (`dlerror`) for one of its own next.
fn of_ours(found: *mut c_void) -> Option<*mut c_void> {
    if found.is_null() {
        // SAFETY: it has no preconditions.
        unsafe { libc::dlerror() };
    }
    Some(found).filter(|found| !found.is_null())
}

fn real(handle: *mut c_void, name: &CStr) -> *mut c_void {
    resolve();
    let real = REAL.load(Ordering::Acquire);
    if real.is_null() {
        return null_mut();
    }
    // SAFETY: `dlsym` has this type.
    let real = unsafe { std::mem::transmute::<*mut c_void, Dlsym>(real) };
    // SAFETY: the name is a C string, the handle the caller's.
    unsafe { real(handle, name.as_ptr()) }
}

/// The function of this name in the libraries behind this one.
pub fn next(name: &CStr) -> Option<*mut c_void> {
    of_ours(real(libc::RTLD_NEXT, name))
}

/// The function of this name in a library of the table that was loaded for somebody else alone, as the modules of interpreters are.
pub fn loaded(table: usize, name: &CStr) -> Option<*mut c_void> {
    (0..).map_while(|nth| nth_library(table, nth)).find_map(|file| {
        // SAFETY: the library is loaded already, and only looked up.
        let handle = of_ours(unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) })?;
        let found = of_ours(real(handle, name));
        // SAFETY: the handle was just opened; whoever loaded the library has another.
        unsafe { libc::dlclose(handle) };
        found
    })
}

/// Has the library of this function stay loaded: its address is kept, whoever closes the library.
pub fn pin(function: *mut c_void) {
    let Some(file) = object_of(function) else { return };
    // SAFETY: the library is loaded already. That it is the program itself, which has no such name, is no error.
    of_ours(unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE) });
}

/// The file of a loaded library of the table. It is not opened while the loader's list is walked: their locks are taken in the other order.
fn nth_library(table: usize, nth: usize) -> Option<CString> {
    struct Search {
        table: usize,
        left: usize,
        file: Option<CString>,
    }
    unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
        // SAFETY: `dl_iterate_phdr` passes both on.
        let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
        if info.dlpi_name.is_null() {
            return 0;
        }
        // SAFETY: the name is a C string.
        let file = unsafe { CStr::from_ptr(info.dlpi_name) };
        if TABLES[search.table].is_of(file.to_bytes()) {
            if search.left == 0 {
                search.file = Some(file.to_owned());
                return 1;
            }
            search.left -= 1;
        }
        0
    }
    let mut search = Search { table, left: nth, file: None };
    // SAFETY: the callback gets what it expects.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.file
}

/// The file of the library or program that has this address.
fn object_of(address: *mut c_void) -> Option<&'static CStr> {
    // SAFETY: all zero is a valid `Dl_info`.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: `info` is valid for writing; any address may be asked for.
    if unsafe { libc::dladdr(address, &mut info) } == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the name is a C string that lives as long as the library is loaded.
    Some(unsafe { CStr::from_ptr(info.dli_fname) })
}

/// Records where the first function of each table was found.
pub fn record_library(table: usize, function: &'static Function, real: *mut c_void) {
    use std::sync::atomic::AtomicU32;
    static RECORDED: AtomicU32 = AtomicU32::new(0);
    if !recorder::enabled() || RECORDED.fetch_or(1 << table, Ordering::Relaxed) & 1 << table != 0 {
        return;
    }
    let Some((id, file)) = tables::find(function.name).map(|(id, _)| id).zip(object_of(real)) else { return };
    let file = file.to_bytes();
    recorder::record(Kind::Library, id.0, 3 + words(file.len()), |record| {
        record[0] = clock::now();
        recorder::put_text(&mut record[1..], file);
    });
}
