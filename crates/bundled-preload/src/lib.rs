//! For a program that carries a library of its own package and preloads it (`LD_PRELOAD`) into the programs that it runs.
//!
//! The package has a library with `crate-type = ["rlib", "cdylib"]` (the first has cargo build it before the program), a program, and this crate as dependency and
//! as build-dependency. The build script has the linker put the library into the package's programs:
//!
//! ```no_run
//! // `main` of build.rs
//! bundled_preload::link("my_recorder");
//! ```
//!
//! and the program preloads it into others:
//!
//! ```text
//! let mut command = std::process::Command::new("ls");
//! bundled_preload::library!().preload(&mut command)?;
//! let status = command.status()?;
//! ```
//!
//! Where cargo builds both, the library is in the program's folder, and the program takes it from there. Otherwise, as `cargo install` copies only programs, it is unpacked once
//! to `$XDG_CACHE_HOME/LIBRARY` or `~/.cache/LIBRARY`.
//!
//! Preloaded libraries that stand in front of functions which programs look up have [`dlsym`].
//!
//! It is for Linux, with a linker that takes `--format=binary` (GNU ld, gold, LLD).

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

pub mod dlsym;
mod link;
pub mod log;
pub use link::link;

/// Why a library cannot be preloaded.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system does not say where the program is.
    #[error("cannot find out where this program is: {0}")]
    Program(io::Error),
    /// No environment variable names a folder to unpack to.
    #[error("there is no folder to unpack {file} to: set XDG_CACHE_HOME or HOME to an absolute path")]
    NoFolder {
        /// The library's file.
        file: String,
    },
    /// The library cannot be written, or others could change it.
    #[error("cannot unpack {path}: {reason}; set XDG_CACHE_HOME to a folder of yours")]
    Unpack {
        /// The file that was to be written.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// `LD_PRELOAD` separates its libraries by spaces and colons. The dynamic linker would look for parts of the name, warn, and run the program without them.
    #[error(
        "the dynamic linker cannot preload {0}: it must be in a folder without spaces and colons in its name; XDG_CACHE_HOME sets where it is unpacked to"
    )]
    Separators(PathBuf),
}

/// The text of `Display`, as `main` prints an error by this.
impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// A library that the program carries along; [`library!`] gives it.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// Its name, without `lib` and `.so`.
    name: &'static str,
    version: &'static str,
    bytes: &'static [u8],
}

/// The [`Library`] that the build script of the same package [put](link()) into the program.
#[macro_export]
macro_rules! library {
    () => {
        $crate::Library::new(include!(concat!(env!("OUT_DIR"), "/bundled_preload.rs")), env!("CARGO_PKG_VERSION"))
    };
}

impl Library {
    #[doc(hidden)]
    pub const fn new((name, bytes): (&'static str, &'static [u8]), version: &'static str) -> Library {
        Library { name, version, bytes }
    }

    /// Has `command` load the library in front of all others: those too that `LD_PRELOAD` of this process names, which stay behind it. Gives the library's path.
    ///
    /// # Errors
    /// If there is no place to unpack the library to, or none that can be named in `LD_PRELOAD`.
    pub fn preload(&self, command: &mut Command) -> Result<PathBuf, Error> {
        let path = self.path()?;
        command.env("LD_PRELOAD", in_front(&path, std::env::var_os("LD_PRELOAD"))?);
        Ok(path)
    }

    /// Beside the program or in its folder `deps`, else in the cache folder.
    fn path(&self) -> Result<PathBuf, Error> {
        let program = std::env::current_exe().map_err(Error::Program)?;
        let folder = program.parent().unwrap_or(Path::new("/"));
        let file = file(self.name);
        let candidates = [folder.join(&file), folder.join("deps").join(&file)];
        // Cargo leaves the one for tests in `deps` without renewing the other: the newest is the one just built.
        let built = |path: &PathBuf| path.metadata().and_then(|metadata| metadata.modified()).ok();
        match candidates.into_iter().filter(|path| path.is_file()).max_by_key(built) {
            Some(path) => Ok(path),
            None => self.unpacked(cache(|name| std::env::var_os(name))),
        }
    }

    /// In the cache folder, written there if it is not yet.
    fn unpacked(&self, cache: Option<PathBuf>) -> Result<PathBuf, Error> {
        let file = file(self.name);
        let Some(cache) = cache else { return Err(Error::NoFolder { file }) };
        let folder = cache.join(self.name);
        let path = folder.join(format!("{}-{}.so", file.trim_end_matches(".so"), self.version));
        match self.unpack(&folder, &path) {
            Ok(()) => Ok(path),
            Err(reason) => Err(Error::Unpack { path, reason }),
        }
    }

    fn unpack(&self, folder: &Path, path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // Whoever can write there can put code into the programs that run.
        let metadata = folder.metadata()?;
        // SAFETY: only returns a number.
        if metadata.uid() != unsafe { libc::geteuid() } || metadata.mode() & 0o022 != 0 {
            let reason = "the folder belongs to another user, or others may write to it";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
        }
        if fs::read(path).is_ok_and(|bytes| bytes == self.bytes) {
            return Ok(());
        }
        // Programs that run keep the file they have, and others never see half of one.
        // Processes of containers that share the folder may have the same number.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let new = folder.join(format!("{}-{}.new", std::process::id(), now.as_nanos()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(self.bytes).and_then(|()| fs::rename(&new, path)).inspect_err(|_| {
            let _ = fs::remove_file(&new);
        })
    }
}

/// The library's file, as cargo names it.
fn file(library: &str) -> String {
    format!("lib{library}.so")
}

/// `$XDG_CACHE_HOME`, or `.cache` in the home folder. Both count only as absolute paths (XDG Base Directory Specification).
fn cache(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
}

/// A list for `LD_PRELOAD` with the library in front of what is there already (`ld.so(8)`: separated by spaces or colons, without a way to escape them).
fn in_front(library: &Path, others: Option<OsString>) -> Result<OsString, Error> {
    if library.as_os_str().as_bytes().iter().any(|byte| matches!(byte, b' ' | b':')) {
        return Err(Error::Separators(library.to_owned()));
    }
    let mut list = library.as_os_str().to_owned();
    if let Some(others) = others.filter(|others| !others.is_empty()) {
        list.push(OsStr::new(":"));
        list.push(others);
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    const LIBRARY: Library = Library::new(("some_recorder", b"the library"), "1.2.3");

    /// A folder of one test, removed with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("bundled-preload-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).expect("the folder for temporary files is writable");
            Folder(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_library_is_unpacked_once_and_again_where_it_is_another() {
        let folder = Folder::new("unpacked");
        let unpacked = || LIBRARY.unpacked(Some(folder.0.join("new"))).expect("a folder of this user's");
        let path = unpacked();
        assert_eq!(path, folder.0.join("new/some_recorder/libsome_recorder-1.2.3.so"));
        let metadata = || path.metadata().expect("a file");
        let first = metadata();
        assert_eq!(
            (first.mode() & 0o777, path.parent().expect("a folder").metadata().expect("it").mode() & 0o777),
            (0o600, 0o700)
        );
        unpacked();
        assert_eq!(metadata().ino(), first.ino(), "written again");
        // Programs that have the old one open keep it.
        let open = fs::File::open(&path).expect("a file");
        fs::write(&path, "of another build").expect("a file of this user's");
        unpacked();
        assert_eq!(fs::read(&path).expect("a file"), LIBRARY.bytes);
        assert_ne!(metadata().ino(), open.metadata().expect("a file").ino());
        assert_eq!(fs::read_dir(path.parent().expect("a folder")).expect("a folder").count(), 1);
    }

    /// It may be the library by now, if that process is in another container.
    #[test]
    fn a_file_of_a_process_with_the_same_number_is_not_written_to() {
        let folder = Folder::new("same-number");
        let path = LIBRARY.unpacked(Some(folder.0.clone())).expect("a folder of this user's");
        let other = path.with_file_name(format!("{}.new", std::process::id()));
        fs::rename(&path, &other).expect("a file of this user's");
        let open = fs::File::open(&other).expect("a file");
        LIBRARY.unpacked(Some(folder.0.clone())).expect("a folder of this user's");
        assert_eq!(fs::metadata(&other).expect("it is still there").ino(), open.metadata().expect("a file").ino());
        assert_ne!(fs::metadata(&path).expect("a file").ino(), open.metadata().expect("a file").ino());
    }

    #[test]
    fn folders_that_are_none_or_not_the_users_alone_are_refused() {
        let folder = Folder::new("refused");
        let message = |cache: Option<PathBuf>| LIBRARY.unpacked(cache).expect_err("refused").to_string();
        assert_eq!(
            message(None),
            "there is no folder to unpack libsome_recorder.so to: set XDG_CACHE_HOME or HOME to an absolute path"
        );
        let own = folder.0.join("some_recorder");
        fs::create_dir(&own).expect("a folder");
        for mode in [0o777, 0o770, 0o702] {
            fs::set_permissions(&own, Permissions::from_mode(mode)).expect("a folder of this user's");
            let message = message(Some(folder.0.clone()));
            assert!(message.contains("others may write to it; set XDG_CACHE_HOME"), "{message}");
        }
        fs::remove_dir(&own).expect("it is empty");
        fs::write(&own, "").expect("a file in the folder's place");
        let message = message(Some(folder.0.clone()));
        assert!(message.starts_with(&format!("cannot unpack {}", own.display())), "{message}");
    }

    #[test]
    fn the_cache_folder_is_an_absolute_path() {
        let of = |xdg: &str, home: &str| {
            cache(|name| {
                Some(OsString::from(if name == "HOME" { home } else { xdg })).filter(|value| !value.is_empty())
            })
        };
        assert_eq!(of("/cache", "/home/me"), Some("/cache".into()));
        for xdg in ["", "cache", "./cache"] {
            assert_eq!(of(xdg, "/home/me"), Some("/home/me/.cache".into()));
            assert_eq!(of(xdg, "home"), None);
        }
    }

    #[test]
    fn the_library_is_in_front_of_what_was_there() {
        let list = |others: Option<&str>| in_front(Path::new("/a/lib.so"), others.map(OsString::from)).expect("a list");
        assert_eq!(list(None), "/a/lib.so");
        assert_eq!(list(Some("")), "/a/lib.so");
        assert_eq!(list(Some("one.so:two.so three.so")), "/a/lib.so:one.so:two.so three.so");
        for name in ["/with space/lib.so", "/with:colon/lib.so"] {
            let error = in_front(Path::new(name), None).expect_err("not one library");
            assert!(error.to_string().contains(&format!("cannot preload {name}: ")), "{error}");
            assert_eq!(format!("{error:?}"), error.to_string());
        }
    }
}
