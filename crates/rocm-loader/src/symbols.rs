//! Looks up functions of an open library.
use crate::{Function, LoadError};
use libloading::os::unix::Library;
use std::ffi::{CString, c_void};
use std::fmt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};

type Table = &'static [Function];
type Resolver = dyn Fn(&str) -> Option<NonNull<c_void>> + Send + Sync;

/// A library's functions, looked up one by one when they are first called.
pub struct Symbols {
    name: String,
    table: Table,
    resolve: Box<Resolver>,
    /// By index of the table; null until looked up.
    addresses: Vec<AtomicPtr<c_void>>,
}

impl Symbols {
    /// The functions of `table` in `library`, which is known by `name`.
    ///
    /// The library stays loaded for ever: AMD's runtimes start threads and register handlers, and cannot be unloaded.
    pub(crate) fn of_library(table: Table, library: Library, name: String) -> Self {
        let library = std::mem::ManuallyDrop::new(library);
        Self::of_resolver(table, name, move |function| {
            let function = CString::new(function).ok()?;
            // SAFETY: only the address is taken here.
            let symbol = unsafe { library.get::<*mut c_void>(function.as_bytes_with_nul()) }.ok()?;
            NonNull::new(symbol.into_raw())
        })
    }

    /// The functions of `table` by a loader of the caller's own, described by `name`: `resolve` gives the address of
    /// the function of that name.
    pub fn of_resolver(
        table: Table,
        name: String,
        resolve: impl Fn(&str) -> Option<NonNull<c_void>> + Send + Sync + 'static,
    ) -> Self {
        let addresses = table.iter().map(|_| AtomicPtr::default()).collect();
        Self { name, table, resolve: Box::new(resolve), addresses }
    }

    /// The file or description that the library was opened by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The address of the table's function `index`, which is looked up once.
    ///
    /// # Errors
    /// [`LoadError::FunctionMissing`]
    ///
    /// # Panics
    /// If the table has no such index.
    #[inline]
    pub fn get(&self, index: usize) -> Result<NonNull<c_void>, LoadError> {
        // Acquire pairs with the release in `look_up`.
        match NonNull::new(self.addresses[index].load(Ordering::Acquire)) {
            Some(address) => Ok(address),
            None => self.look_up(index),
        }
    }

    /// Whether what the library has under this name takes something else: an older library, which lacks what came with
    /// the new parameters.
    fn has_older(&self, function: Function) -> bool {
        let came_too = |other: &&Function| (other.since, other.until) == (function.since, function.until);
        function.changed && self.table.iter().filter(came_too).any(|other| (self.resolve)(other.name).is_none())
    }

    #[cold]
    #[inline(never)]
    fn look_up(&self, index: usize) -> Result<NonNull<c_void>, LoadError> {
        let function = self.table[index];
        let found = if self.has_older(function) { None } else { (self.resolve)(function.name) };
        let address = found.ok_or_else(|| LoadError::FunctionMissing { function, library: self.name.clone() })?;
        self.addresses[index].store(address.as_ptr(), Ordering::Release);
        Ok(address)
    }
}

impl fmt::Debug for Symbols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Symbols").field("library", &self.name).finish_non_exhaustive()
    }
}
