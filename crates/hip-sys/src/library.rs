//! Finding a shared library on this machine, and functions in it. (The same file in each crate that loads one.)
use std::ffi::{CString, OsString, c_ulong, c_void};
use std::fmt;
use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

/// A function that the headers declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// The symbol's name.
    pub name: &'static str,
    /// The oldest header version that declares it, of those that these bindings are made from.
    pub since: &'static str,
    /// The newest.
    pub until: &'static str,
}

/// Why a function cannot be called.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// No file of the library could be opened.
    LibraryNotFound {
        /// What was looked for.
        library: &'static str,
        /// Every file tried, in order, and what the loader said of it.
        tried: Vec<(PathBuf, String)>,
        /// What to do about it.
        help: &'static str,
    },
    /// The library is there but has no such function.
    FunctionMissing {
        /// The function; its `since` and `until` tell which versions have it.
        function: Function,
        /// The library's file, or a description of the caller's own loader.
        library: String,
    },
    /// The function belongs to a newer version of the API than the object's implementation supports, and must not be called.
    VersionTooOld {
        /// The function.
        function: &'static str,
        /// The version that has it.
        needed: String,
        /// The version at hand.
        found: String,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LibraryNotFound { library, tried, help } => {
                write!(f, "{library} could not be loaded: {help}. Tried:")?;
                tried.iter().try_for_each(|(path, error)| write!(f, "\n  {}: {error}", path.display()))
            }
            Self::FunctionMissing { function: Function { name, since, until }, library } => write!(
                f,
                "{library} has no function {name}; the headers that declare it are of versions {since} to {until}: \
                 install a library of such a version, or do without the function"
            ),
            Self::VersionTooOld { function, needed, found } => {
                write!(
                    f,
                    "{function} needs {needed}, but this is {found}: do without the function, or use another implementation"
                )
            }
        }
    }
}

impl std::error::Error for LoadError {}

/// Where a library may be.
pub(crate) struct Search {
    /// The library, in words.
    pub library: &'static str,
    /// Environment variable with the path of the only file to try.
    pub variable: &'static str,
    /// File names, the preferred one first.
    pub names: &'static [&'static str],
    /// Environment variables with the root of an installation, the preferred one first.
    pub roots: &'static [&'static str],
    /// What to install.
    pub help: &'static str,
}

/// Debian's library folders for the architectures that ROCm is built for; elsewhere the loader's own path has them.
const MULTIARCH: [&str; 2] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];
/// From `dlfcn.h`: give the library only if the process has it already.
const RTLD_NOLOAD: i32 = 4;
/// From `linux/auxvec.h`: whether the program has more rights than the one who started it.
const AT_SECURE: c_ulong = 23;

unsafe extern "C" {
    /// From `sys/auxv.h`.
    safe fn getauxval(kind: c_ulong) -> c_ulong;
}

/// An environment variable that names files to load. As with glibc's `secure_getenv` there is none in a set-user-ID program: whoever starts
/// it would have code of his own run with its rights.
fn variable(name: &str) -> Option<OsString> {
    if getauxval(AT_SECURE) == 0 { std::env::var_os(name) } else { None }
}

impl Search {
    /// Opens the library.
    pub(crate) fn open(&self, table: Table) -> Result<Symbols, LoadError> {
        if let Some(path) = variable(self.variable) {
            return self.open_first(table, [PathBuf::from(path)]);
        }
        // A process must not have two copies of such a library: if it has one already, that is the one to use.
        for &name in self.names {
            // SAFETY: the library is loaded already; no initialiser runs.
            if let Ok(library) = unsafe { Library::open(Some(name), RTLD_NOLOAD | RTLD_NOW | RTLD_LOCAL) } {
                return Ok(Symbols::of_library(table, library, name.to_owned()));
            }
        }
        self.open_first(table, self.candidates())
    }

    /// Opens the first of `paths` that can be opened.
    pub(crate) fn open_first(
        &self,
        table: Table,
        paths: impl IntoIterator<Item = PathBuf>,
    ) -> Result<Symbols, LoadError> {
        let mut tried = Vec::new();
        for path in paths {
            // SAFETY: opening runs the initialisers of a library that the machine's owner installed, or named, as this API.
            match unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) } {
                Ok(library) => return Ok(Symbols::of_library(table, library, path.display().to_string())),
                Err(error) => {
                    let source = std::error::Error::source(&error).map(ToString::to_string);
                    tried.push((path, source.unwrap_or_else(|| error.to_string())));
                }
            }
        }
        Err(LoadError::LibraryNotFound { library: self.library, tried, help: self.help })
    }

    /// All files to try: by name in the loader's path, then in the folders that packages use.
    fn candidates(&self) -> Vec<PathBuf> {
        let roots = self.roots.iter().copied().filter_map(variable).map(PathBuf::from);
        let folders = MULTIARCH
            .iter()
            .map(PathBuf::from)
            .filter(|folder| folder.is_dir())
            .chain(roots.chain(rocm_roots()).flat_map(|root| [root.join("lib"), root.join("lib64")]));
        let in_folders = folders.flat_map(|folder| self.names.iter().map(move |name| folder.join(name)));
        let mut paths: Vec<PathBuf> = self.names.iter().map(PathBuf::from).collect();
        for path in in_folders {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }
}

/// `/opt/rocm`, then `/opt/rocm-X.Y.Z` from the newest to the oldest.
fn rocm_roots() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/opt").into_iter().flatten().flatten();
    let mut versioned: Vec<(Vec<u32>, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let version = name.strip_prefix("rocm-")?;
            Some((version.split(['.', '-']).map_while(|part| part.parse().ok()).collect(), entry.path()))
        })
        .collect();
    versioned.sort();
    let newest_first = versioned.into_iter().rev().map(|(_, path)| path);
    std::iter::once(PathBuf::from("/opt/rocm")).chain(newest_first).collect()
}

type Table = &'static [Function];
type Resolver = dyn Fn(&str) -> Option<NonNull<c_void>> + Send + Sync;

/// A library's functions, looked up one by one when they are first called.
pub(crate) struct Symbols {
    name: String,
    table: Table,
    resolve: Box<Resolver>,
    /// By index of the table; null until looked up.
    addresses: Vec<AtomicPtr<c_void>>,
}

impl Symbols {
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

    pub(crate) fn of_resolver(
        table: Table,
        name: String,
        resolve: impl Fn(&str) -> Option<NonNull<c_void>> + Send + Sync + 'static,
    ) -> Self {
        let addresses = table.iter().map(|_| AtomicPtr::default()).collect();
        Self { name, table, resolve: Box::new(resolve), addresses }
    }

    /// The file or description that the library was opened by.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The address of the table's function `index`.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Result<NonNull<c_void>, LoadError> {
        // Acquire pairs with the release in `look_up`.
        match NonNull::new(self.addresses[index].load(Ordering::Acquire)) {
            Some(address) => Ok(address),
            None => self.look_up(index),
        }
    }

    #[cold]
    #[inline(never)]
    fn look_up(&self, index: usize) -> Result<NonNull<c_void>, LoadError> {
        let function = self.table[index];
        let found = (self.resolve)(function.name);
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
