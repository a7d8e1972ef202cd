//! `dlsym`: returns wrappers to programs that look functions up, and looks up the real functions for the wrappers.

use crate::raw::{Kind, words};
use crate::tables::{self, Function, Id, TABLES};
use crate::{clock, recorder};
use interposition::dlsym::{find, for_program, loaded_files, object_of, or_forget_error};
pub use interposition::dlsym::{next, resolve};
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicU32, Ordering};

interposition::interpose_dlsym!(answer);

fn answer(handle: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    // Most lookups are not of our functions.
    if !matches!(name.to_bytes(), [b'h', b'i' | b's', ..] | [b'c', b'l', ..] | [b'_', b'_', b'h', ..]) {
        return None;
    }
    let (id, function) = tables::find(name)?;
    let wrapper = function.wrapper.0.cast_mut();
    if handle == libc::RTLD_DEFAULT {
        // The wrapper is found, whether or not there is a function behind it.
        let there = function.resolve(id.table()).is_some();
        // To an unversioned lookup behind this library: it fails, and `dlerror` says so.
        // SAFETY: a number that stands for the libraries behind.
        return Some(if there { wrapper } else { unsafe { for_program(libc::RTLD_NEXT, name) } });
    }
    // SAFETY: the handle is the program's.
    let found = unsafe { for_program(handle, name) };
    Some(if found.is_null() { found } else { wrap(id, function, found) })
}

/// The function that a program gets for a library function: the wrapper, if it wraps this function.
pub fn wrap(id: Id, function: &'static Function, found: *mut c_void) -> *mut c_void {
    let wrapper = function.wrapper.0.cast_mut();
    let table = &TABLES[id.table()];
    if found == wrapper || table.exported && !object_of(found.addr()).is_some_and(|file| table.is_of(file)) {
        return found;
    }
    if let Some(first) = next(function.name).filter(|_| table.exported) {
        function.take(id.table(), first);
    }
    if function.take(id.table(), found) == found { wrapper } else { found }
}

/// The function of this name in a library of the table that was loaded with local scope, as the modules of interpreters
/// are.
pub fn loaded(table: usize, name: &CStr) -> Option<*mut c_void> {
    loaded_files(|file| TABLES[table].is_of(file)).iter().find_map(|file| {
        // SAFETY: the library is loaded already, and only looked up.
        let handle = or_forget_error(unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) })?;
        // SAFETY: it was just opened.
        let found = unsafe { find(handle, name) };
        // SAFETY: the handle was just opened; whoever loaded the library has another.
        unsafe { libc::dlclose(handle) };
        found
    })
}

/// Keeps the library of this function loaded even if the program closes it, because the address is stored.
pub fn pin(function: *mut c_void) {
    let Some(file) = object_of(function.addr()) else { return };
    // SAFETY: the library is loaded already. That it is the program itself, which has no such name, is no error.
    or_forget_error(unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE) });
}

/// Records where the first function of each table was found.
pub fn record_library(table: usize, function: &'static Function, real: *mut c_void) {
    static RECORDED: AtomicU32 = AtomicU32::new(0);
    if !recorder::enabled() || RECORDED.fetch_or(1 << table, Ordering::Relaxed) & 1 << table != 0 {
        return;
    }
    let Some((id, file)) = tables::find(function.name).map(|(id, _)| id).zip(object_of(real.addr())) else { return };
    let file = file.to_bytes();
    recorder::record(Kind::Library, id.0, 3 + words(file.len()), |record| {
        record[0] = clock::now();
        recorder::put_text(&mut record[1..], file);
    });
}
