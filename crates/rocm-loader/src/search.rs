//! Searches for a shared library on this machine.
use crate::{Function, LoadError, Symbols};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::cmp::Reverse;
use std::ffi::{OsString, c_ulong};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// File names of a library: `stem.so.N`, and `stem.so`.
#[derive(Clone, Debug)]
pub struct Names {
    /// The name without version, such as `libamdhip64`.
    pub stem: &'static str,
    /// The versions `N` that the bindings are made for.
    pub known: RangeInclusive<u32>,
    /// Whether any newer `N`, and `stem.so` without a version, will do too.
    pub newer: bool,
}

/// Where a library may be.
#[derive(Clone, Debug)]
pub struct Search {
    /// The library, in words.
    pub library: &'static str,
    /// Environment variable with the path of the only file to try.
    pub variable: &'static str,
    /// File names in order of preference. All places are tried for the first before the second, which names another
    /// library with the same functions.
    pub names: &'static [Names],
    /// Environment variables with the root of an installation, the preferred one first.
    pub roots: &'static [&'static str],
    /// Advice on the package to install.
    pub help: &'static str,
}

/// What was tried, and what came of it.
type Tried = Vec<(PathBuf, String)>;

/// Debian's library folders for the architectures that ROCm is built for; elsewhere the loader's own path has them.
const MULTIARCH: [&str; 2] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];
/// How many versions after the newest known one are looked for in the loader's path, of which there is no list.
const NEWER: u32 = 4;
/// From `dlfcn.h`: give the library only if the process has it already.
const RTLD_NOLOAD: i32 = 4;
/// From `linux/auxvec.h`: whether the program has more rights than the one who started it.
const AT_SECURE: c_ulong = 23;

unsafe extern "C" {
    /// From `sys/auxv.h`.
    safe fn getauxval(kind: c_ulong) -> c_ulong;
}

/// An environment variable that names files to load, if it is set and not empty. As with glibc's `secure_getenv` there
/// is none in a set-user-ID program: whoever starts it would have code of his own run with its rights.
fn variable(name: &str) -> Option<OsString> {
    if getauxval(AT_SECURE) == 0 { std::env::var_os(name).filter(|value| !value.is_empty()) } else { None }
}

impl Names {
    /// In the order of preference: what the bindings are made for, newest first; newer ones, nearest first; without a
    /// version.
    fn all(&self) -> Vec<String> {
        let (oldest, newest) = (*self.known.start(), *self.known.end());
        let newer = newest + 1..=newest + NEWER;
        let majors = (oldest..=newest).rev().chain(newer.take_while(|_| self.newer));
        let mut names: Vec<String> = majors.map(|major| format!("{}.so.{major}", self.stem)).collect();
        names.extend(self.newer.then(|| format!("{}.so", self.stem)));
        names
    }

    /// Where `name` comes in that order; `None` if it is no name of this library.
    fn rank(&self, name: &str) -> Option<(u32, u32)> {
        let (oldest, newest) = (*self.known.start(), *self.known.end());
        let rest = name.strip_prefix(self.stem)?.strip_prefix(".so")?;
        if rest.is_empty() {
            return self.newer.then_some((2, 0));
        }
        match rest.strip_prefix('.')?.parse().ok()? {
            major if major < oldest => None,
            major if major <= newest => Some((0, newest - major)),
            major => self.newer.then_some((1, major)),
        }
    }

    /// The library's files in `folder`, in the order of preference.
    fn in_folder(&self, folder: &Path) -> Vec<PathBuf> {
        let names = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok());
        let mut ranked: Vec<_> = names.filter_map(|name| Some((self.rank(&name)?, name))).collect();
        ranked.sort();
        ranked.into_iter().map(|(_, name)| folder.join(name)).collect()
    }

    /// Opens the first that there is: one that the process has, one in the loader's path, one in `folders`.
    fn open(&self, table: &'static [Function], folders: &[PathBuf], tried: &mut Tried) -> Option<Symbols> {
        // A process must not have two copies of such a library: if it has one already, that is the one to use.
        for name in self.all() {
            // SAFETY: the library is loaded already; no initialiser runs.
            if let Ok(library) = unsafe { Library::open(Some(&name), RTLD_NOLOAD | RTLD_NOW) } {
                return Some(Symbols::of_library(table, library, name));
            }
        }
        for name in self.all() {
            // SAFETY: a library that the machine's owner installed, or whoever set the loader's path named.
            let opened = unsafe { try_file(table, name.into(), tried) };
            if opened.is_some() {
                return opened;
            }
        }
        for folder in folders {
            let files = self.in_folder(folder);
            if files.is_empty() {
                tried.push((folder.join(format!("{}.so*", self.stem)), "no such file".to_owned()));
            }
            for file in files {
                // SAFETY: as above, in a folder for such libraries.
                let opened = unsafe { try_file(table, file, tried) };
                if opened.is_some() {
                    return opened;
                }
            }
        }
        None
    }
}

impl Search {
    /// Opens the library: the functions of `table` in it.
    ///
    /// # Errors
    /// [`LoadError::LibraryNotFound`] with every file that was tried.
    pub fn open(&self, table: &'static [Function]) -> Result<Symbols, LoadError> {
        if let Some(path) = variable(self.variable) {
            // SAFETY: the user, who runs this program with his own rights, names the file as this library.
            return unsafe { self.open_file(table, PathBuf::from(path)) };
        }
        let mut tried = Vec::new();
        let folders = self.folders(&mut tried);
        let opened = self.names.iter().find_map(|names| names.open(table, &folders, &mut tried));
        opened.ok_or_else(|| self.not_found(tried))
    }

    /// Opens the library in this file: the functions of `table` in it.
    ///
    /// # Errors
    /// [`LoadError::LibraryNotFound`]
    ///
    /// # Safety
    /// Opening a file runs its initialisers.
    pub unsafe fn open_file(&self, table: &'static [Function], path: PathBuf) -> Result<Symbols, LoadError> {
        let mut tried = Vec::new();
        // SAFETY: the caller's promise.
        unsafe { try_file(table, path, &mut tried) }.ok_or_else(|| self.not_found(tried))
    }

    fn not_found(&self, tried: Tried) -> LoadError {
        LoadError::LibraryNotFound { library: self.library, tried, help: self.help }
    }

    /// The folders that packages use. Roots that are no absolute paths go to `tried`.
    fn folders(&self, tried: &mut Tried) -> Vec<PathBuf> {
        let mut roots = Vec::new();
        for name in self.roots {
            let Some(root) = variable(name).map(PathBuf::from) else { continue };
            match root.is_absolute() {
                true => roots.push(root),
                false => tried.push((root, format!("left out, because {name} must be an absolute path"))),
            }
        }
        roots.extend(rocm_roots(Path::new("/opt")));
        let multiarch = MULTIARCH.iter().map(PathBuf::from).filter(|folder| folder.is_dir());
        multiarch.chain(roots.iter().flat_map(|root| [root.join("lib"), root.join("lib64")])).collect()
    }
}

/// # Safety
/// Opening a file runs its initialisers.
unsafe fn try_file(table: &'static [Function], path: PathBuf, tried: &mut Tried) -> Option<Symbols> {
    // SAFETY: the caller's promise.
    match unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_LOCAL) } {
        Ok(library) => Some(Symbols::of_library(table, library, path.display().to_string())),
        Err(error) => {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            tried.push((path, source.unwrap_or_else(|| error.to_string())));
            None
        }
    }
}

/// The roots of installations below `opt`: `rocm`, its `core` (ROCm 10) and `core-X.Y`, then each `rocm-X.Y.Z`
/// likewise, newest first.
fn rocm_roots(opt: &Path) -> Vec<PathBuf> {
    let installations = versions(opt, "rocm");
    // `/opt/rocm` is tried, and named in errors, whether it is there or not.
    let first = (!installations.contains(&opt.join("rocm"))).then(|| opt.join("rocm"));
    let with_core = |root: PathBuf| {
        let core = versions(&root, "core");
        std::iter::once(root).chain(core)
    };
    first.into_iter().chain(installations).flat_map(with_core).collect()
}

/// The folders `name` and `name-X.Y` in `folder`: the first without a version, then the newest.
fn versions(folder: &Path, name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .filter_map(|entry| {
            let file_name = entry.file_name().into_string().ok()?;
            let rest = file_name.strip_prefix(name)?;
            let version = match rest.strip_prefix('-') {
                Some(version) => Some(Reverse(numbers(version))),
                None if rest.is_empty() => None,
                None => return None,
            };
            Some((version, entry.path()))
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// `6.4.3-128` is 6, 4, 3, 128.
fn numbers(version: &str) -> Vec<u32> {
    version.split(['.', '-']).map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
#[path = "search_test.rs"]
mod tests;
