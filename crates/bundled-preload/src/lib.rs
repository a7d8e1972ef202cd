//! Carries a shared library inside a program and preloads it (`LD_PRELOAD`) into the programs that the program starts.
//!
//! The package has a library with `crate-type = ["rlib", "cdylib"]` (the first has cargo build it before the program),
//! a program, and this crate as dependency and as build-dependency. The build script has the linker put the library
//! into the package's programs:
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
//! Where cargo builds both, the library is in the program's folder, and the program takes it from there if it has the
//! same bytes. Otherwise, as `cargo install` copies only programs, it is unpacked once to `$XDG_CACHE_HOME/LIBRARY` or
//! `~/.cache/LIBRARY`.
//!
//! Whoever can change the library puts code into the programs that run. So it is taken only from where others cannot:
//! the file, its folder and all folders above belong to the user or to root, and others may write to none of them but
//! to those with the sticky bit, as `/tmp` has it. Symbolic links of the user and of root are followed, those of others
//! are not.
//!
//! What the preloaded library itself needs is in the crate `interposition`.
//!
//! It is for Linux, with a linker that takes `--format=binary` (GNU ld, gold, LLD).

use std::ffi::{OsStr, OsString};
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

mod link;
mod trusted;
pub use link::link;
use trusted::Folder;

/// Why a library cannot be preloaded.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system does not report the program's path.
    #[error("cannot find out where this program is: {0}")]
    Program(io::Error),
    /// No environment variable names a folder to unpack to.
    #[error("there is no folder to unpack {file} to: set XDG_CACHE_HOME or HOME to an absolute path")]
    NoFolder {
        /// The library's file.
        file: String,
    },
    /// The library cannot be written, or others could change it.
    #[error("cannot unpack {path}: {reason}; set XDG_CACHE_HOME to a folder that only you may write to")]
    Unpack {
        /// The file that was to be written.
        path: PathBuf,
        /// Why.
        reason: io::Error,
    },
    /// `LD_PRELOAD` separates its libraries by spaces and colons. The dynamic linker would look for parts of the name,
    /// warn, and run the program without them.
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
    /// The name, without `lib` and `.so`.
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

    /// Makes `command` load the library before all others, including those in this process' `LD_PRELOAD`, which follow
    /// it. Returns the library's path.
    ///
    /// # Errors
    /// If there is no place to unpack the library to, or none that can be named in `LD_PRELOAD`.
    pub fn preload(&self, command: &mut Command) -> Result<PathBuf, Error> {
        let path = self.path()?;
        command.env("LD_PRELOAD", in_front(&path, std::env::var_os("LD_PRELOAD"))?);
        Ok(path)
    }

    /// Where cargo put the library, else where it is unpacked.
    fn path(&self) -> Result<PathBuf, Error> {
        let program = std::env::current_exe().map_err(Error::Program)?;
        match program.parent().and_then(|folder| self.beside(folder)) {
            Some(path) => Ok(path),
            None => self.unpacked(cache(|name| std::env::var_os(name))),
        }
    }

    /// In the program's folder, or in its folder `deps`, where cargo puts it for tests. Only the very library that the
    /// program carries is taken, from where others cannot change it, and the dynamic linker can be told of it.
    fn beside(&self, folder: &Path) -> Option<PathBuf> {
        let file = file(self.name);
        [folder.to_owned(), folder.join("deps")].into_iter().find_map(|folder| {
            let folder = Folder::open(&folder).ok()?;
            let path = folder.path_of(&file);
            (in_front(&path, None).is_ok() && folder.has(&file, self.bytes)).then_some(path)
        })
    }

    /// In the cache folder, written there if it is not yet.
    fn unpacked(&self, cache: Option<PathBuf>) -> Result<PathBuf, Error> {
        let file = file(self.name);
        let Some(cache) = cache else { return Err(Error::NoFolder { file }) };
        // With a name for each content, so that no other build of this version takes its place before the dynamic
        // linker opens it.
        let mut digest = DefaultHasher::new();
        digest.write(self.bytes);
        let file = format!("{}-{}-{:016x}.so", file.trim_end_matches(".so"), self.version, digest.finish());
        let folder = cache.join(self.name);
        let unpack = || {
            let folder = Folder::own(&folder)?;
            if !folder.has(&file, self.bytes) {
                folder.put(&file, self.bytes)?;
            }
            Ok(folder.path_of(&file))
        };
        unpack().map_err(|reason| Error::Unpack { path: folder.join(&file), reason })
    }
}

/// The library's file, as cargo names it.
fn file(library: &str) -> String {
    format!("lib{library}.so")
}

/// `$XDG_CACHE_HOME`, or `.cache` in the home folder. Both count only as absolute paths (XDG Base Directory
/// Specification).
fn cache(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
}

/// A list for `LD_PRELOAD` with the library in front of what is there already (`ld.so(8)`: separated by spaces or
/// colons, without a way to escape them).
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
    use std::fs::{self, Permissions};
    use std::io::Read;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
    use std::os::unix::process::CommandExt;

    const LIBRARY: Library = Library::new(("some_recorder", b"the library"), "1.2.3");
    /// A user that is neither this one nor root.
    const ANOTHER: u32 = 54321;

    /// A folder of one test, removed with it.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("bundled-preload-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).expect("the folder for temporary files is writable");
            fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("a folder of this user's");
            Scratch(path)
        }

        fn folder(&self, name: &str, mode: u32) -> PathBuf {
            let path = self.0.join(name);
            fs::create_dir_all(&path).expect("a folder of this user's");
            fs::set_permissions(&path, Permissions::from_mode(mode)).expect("a folder of this user's");
            path
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn unpacked(cache: &Path) -> PathBuf {
        LIBRARY.unpacked(Some(cache.to_owned())).expect("a folder that only this user can change")
    }

    fn refused(cache: &Path) -> String {
        LIBRARY.unpacked(Some(cache.to_owned())).expect_err("a folder that others can change").to_string()
    }

    fn write(path: &Path, bytes: &[u8], mode: u32) {
        fs::write(path, bytes).expect("a file of this user's");
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("a file of this user's");
    }

    /// Skips the calling test where it cannot make files of another user.
    macro_rules! needs_root {
        () => {
            // SAFETY: only returns a number.
            if unsafe { libc::geteuid() } != 0 {
                test_skip::skip!("only root can give files to another user");
            }
        };
    }

    #[test]
    fn a_library_is_unpacked_once_and_again_where_it_is_another() {
        let scratch = Scratch::new("unpacked");
        let path = unpacked(&scratch.0.join("new"));
        let name = path.file_name().and_then(OsStr::to_str).expect("a name");
        assert_eq!(path.parent(), Some(scratch.0.join("new/some_recorder").as_path()));
        assert!(name.starts_with("libsome_recorder-1.2.3-") && name.ends_with(".so"), "{name}");
        let metadata = || path.metadata().expect("a file");
        let first = metadata();
        let folder = path.parent().expect("a folder");
        assert_eq!((first.mode() & 0o777, folder.metadata().expect("it").mode() & 0o777), (0o600, 0o700));
        unpacked(&scratch.0.join("new"));
        assert_eq!(metadata().ino(), first.ino(), "written again");
        // Programs that have the old one open keep it. It is as long as the library.
        let mut open = fs::File::open(&path).expect("a file");
        fs::write(&path, "the_library").expect("a file of this user's");
        unpacked(&scratch.0.join("new"));
        assert_eq!(fs::read(&path).expect("a file"), LIBRARY.bytes);
        let mut old = String::new();
        open.read_to_string(&mut old).expect("a file");
        assert_eq!(old, "the_library");
        assert_eq!(fs::read_dir(folder).expect("a folder").count(), 1);
    }

    /// Between the look at a file and the dynamic linker's, another build of the same version may be unpacked.
    #[test]
    fn builds_of_one_version_have_a_file_each() {
        const OTHER: Library = Library::new(("some_recorder", b"the_library"), "1.2.3");
        let scratch = Scratch::new("builds");
        let path = unpacked(&scratch.0);
        let other = OTHER.unpacked(Some(scratch.0.clone())).expect("a folder of this user's");
        let read = |path| fs::read(path).expect("a file");
        assert_eq!((read(&path), read(&other)), (LIBRARY.bytes.to_owned(), OTHER.bytes.to_owned()));
    }

    /// It may be the library by now, if that process is in another container.
    #[test]
    fn a_file_of_a_process_with_the_same_number_is_not_written_to() {
        let scratch = Scratch::new("same-number");
        let path = unpacked(&scratch.0);
        let other = path.with_file_name(format!("{}.new", std::process::id()));
        fs::rename(&path, &other).expect("a file of this user's");
        let open = fs::File::open(&other).expect("a file");
        unpacked(&scratch.0);
        assert_eq!(fs::metadata(&other).expect("it is still there").ino(), open.metadata().expect("a file").ino());
        assert_ne!(fs::metadata(&path).expect("a file").ino(), open.metadata().expect("a file").ino());
    }

    #[test]
    fn folders_that_are_none_or_not_the_users_alone_are_refused() {
        let scratch = Scratch::new("refused");
        assert_eq!(
            LIBRARY.unpacked(None).expect_err("no folder").to_string(),
            "there is no folder to unpack libsome_recorder.so to: set XDG_CACHE_HOME or HOME to an absolute path"
        );
        let own = scratch.0.join("some_recorder");
        // The sticky bit keeps what is there, but lets others add files.
        for mode in [0o777, 0o770, 0o702, 0o1777] {
            scratch.folder("some_recorder", mode);
            let message = refused(&scratch.0);
            let expected = format!("others may write to {} (mode {mode:04o}); set XDG_CACHE_HOME", own.display());
            assert!(message.contains(&expected), "{message}");
        }
        fs::remove_dir(&own).expect("it is empty");
        fs::write(&own, "").expect("a file in the folder's place");
        let message = refused(&scratch.0);
        assert!(message.starts_with(&format!("cannot unpack {}", own.display())), "{message}");
    }

    /// Whoever can write to a folder above can put another one in its place.
    #[test]
    fn a_folder_above_to_which_others_may_write_is_refused() {
        let scratch = Scratch::new("above");
        for mode in [0o775, 0o757] {
            let above = scratch.folder("above", mode);
            scratch.folder("above/mine", 0o700);
            let message = refused(&above.join("mine/cache"));
            let expected = format!("others may write to {} (mode {mode:04o})", above.display());
            assert!(message.contains(&expected), "{message}");
            assert!(!above.join("mine/cache").exists(), "made below a folder of others");
            fs::remove_dir_all(above).expect("a folder of this user's");
        }
        // As `/tmp`: others can write, but not touch what is this user's.
        let sticky = scratch.folder("sticky", 0o1777);
        assert!(unpacked(&sticky.join("cache")).is_file());
    }

    #[test]
    fn links_of_the_user_are_followed_to_folders_that_are_checked() {
        let scratch = Scratch::new("links");
        scratch.folder("a/b", 0o700);
        symlink("../a/./b", scratch.0.join("a/link")).expect("a folder of this user's");
        symlink(scratch.0.join("a/link"), scratch.0.join("absolute")).expect("a folder of this user's");
        let path = unpacked(&scratch.0.join("absolute/cache"));
        assert_eq!(fs::read(&path).expect("a file"), LIBRARY.bytes);
        assert_eq!(
            path.canonicalize().expect("a file").parent(),
            Some(scratch.0.join("a/b/cache/some_recorder").as_path())
        );
        let open = scratch.folder("open", 0o777);
        symlink(&open, scratch.0.join("to-open")).expect("a folder of this user's");
        let message = refused(&scratch.0.join("to-open"));
        assert!(message.contains(&format!("others may write to {}", open.display())), "{message}");
        symlink("circle", scratch.0.join("circle")).expect("a folder of this user's");
        let message = refused(&scratch.0.join("circle"));
        assert!(message.contains("symbolic links"), "{message}");
    }

    #[test]
    fn what_is_planted_in_the_files_place_is_replaced() {
        let scratch = Scratch::new("planted");
        let path = unpacked(&scratch.0);
        let elsewhere = scratch.0.join("elsewhere");
        write(&elsewhere, LIBRARY.bytes, 0o600);
        let plants: [(&str, &dyn Fn()); 3] = [
            ("a link to a file that has the bytes for now", &|| symlink(&elsewhere, &path).expect("a link")),
            ("a file to which others may write", &|| write(&path, LIBRARY.bytes, 0o666)),
            ("a pipe that nobody writes to", &|| {
                let name = std::ffi::CString::new(path.as_os_str().as_bytes()).expect("no zeros");
                // SAFETY: a C string.
                assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
            }),
        ];
        for (what, plant) in plants {
            fs::remove_file(&path).expect("a file of this user's");
            plant();
            assert_eq!(unpacked(&scratch.0), path);
            let about = path.symlink_metadata().expect("a file");
            assert!(about.is_file() && about.mode() & 0o777 == 0o600, "{what}: {about:?}");
            assert_eq!(fs::read(&path).expect("a file"), LIBRARY.bytes, "{what}");
        }
    }

    #[test]
    fn what_cannot_be_put_in_its_place_leaves_nothing() {
        let scratch = Scratch::new("in-the-way");
        let path = unpacked(&scratch.0);
        fs::remove_file(&path).expect("a file of this user's");
        fs::create_dir(&path).expect("a folder of this user's");
        let message = refused(&scratch.0);
        assert!(message.contains("Is a directory"), "{message}");
        assert_eq!(fs::read_dir(path.parent().expect("a folder")).expect("a folder").count(), 1);
    }

    #[test]
    fn what_another_user_has_made_is_not_used() {
        needs_root!();
        let scratch = Scratch::new("another");
        let given = |path: &Path| {
            chown(path, Some(ANOTHER), None).expect("root may");
            refused(&scratch.0.join("sticky/cache"))
        };
        scratch.folder("sticky", 0o1777);
        // Made in front of this user, where everybody may.
        let cache = scratch.folder("sticky/cache", 0o755);
        let message = given(&cache);
        assert!(message.contains(&format!("{} belongs to user {ANOTHER}", cache.display())), "{message}");
        fs::remove_dir(&cache).expect("root may");
        let own = scratch.folder("sticky/cache/some_recorder", 0o755);
        assert!(given(&own).contains(&format!("{} belongs to user {ANOTHER}", own.display())));
        fs::remove_dir_all(&cache).expect("root may");
        // A link to a folder that is fine today.
        scratch.folder("fine", 0o755);
        symlink(scratch.0.join("fine"), &cache).expect("a link");
        std::os::unix::fs::lchown(&cache, Some(ANOTHER), None).expect("root may");
        let message = refused(&cache);
        assert!(message.contains(&format!("{} belongs to user {ANOTHER}", cache.display())), "{message}");
        // A file with the library's bytes, which its owner can change later.
        let path = unpacked(&scratch.0.join("fine"));
        chown(&path, Some(ANOTHER), None).expect("root may");
        let old = path.metadata().expect("a file").ino();
        unpacked(&scratch.0.join("fine"));
        let about = path.metadata().expect("a file");
        assert!(about.uid() == 0 && about.ino() != old, "{about:?}");
    }

    /// The dynamic linker opens the path later: until then it has to stay what was looked at.
    #[test]
    fn nobody_else_can_replace_what_was_unpacked() {
        needs_root!();
        let scratch = Scratch::new("replaced");
        scratch.folder("sticky", 0o1777);
        let path = unpacked(&scratch.0.join("sticky/cache"));
        let before = path.metadata().expect("a file");
        for (tool, what) in [("mv", &path), ("mv", &scratch.0.join("sticky/cache")), ("rm", &path)] {
            let mut command = Command::new(tool);
            match tool {
                "mv" => command.arg(what).arg(scratch.0.join("sticky/away")),
                _ => command.arg("-f").arg(what),
            };
            let status = command.uid(ANOTHER).gid(ANOTHER).output().expect("a program of every system").status;
            assert!(!status.success(), "{tool} {}", what.display());
        }
        let after = path.metadata().expect("it is still there");
        assert_eq!((after.ino(), after.mtime_nsec()), (before.ino(), before.mtime_nsec()));
        // What everybody may do there.
        let mut command = Command::new("touch");
        let touched = command.arg(scratch.0.join("sticky/file")).uid(ANOTHER).gid(ANOTHER).status();
        assert!(touched.expect("a program of every system").success());
    }

    /// A folder is swapped after it was looked at.
    #[test]
    fn a_folder_that_was_opened_is_the_one_that_is_used() {
        let scratch = Scratch::new("swapped");
        let opened = Folder::own(&scratch.0.join("own")).expect("a folder of this user's");
        fs::rename(scratch.0.join("own"), scratch.0.join("away")).expect("a folder of this user's");
        scratch.folder("own", 0o700);
        write(&scratch.0.join("own/file"), b"planted", 0o600);
        assert!(!opened.has("file", b"planted"));
        opened.put("file", b"right").expect("a folder of this user's");
        assert_eq!(fs::read(scratch.0.join("away/file")).expect("a file"), b"right");
        assert_eq!(fs::read(scratch.0.join("own/file")).expect("a file"), b"planted");
    }

    #[test]
    fn the_library_beside_the_program_is_taken_only_if_it_is_the_bundled_one() {
        let scratch = Scratch::new("beside");
        scratch.folder("deps", 0o755);
        let [beside, in_deps] = ["libsome_recorder.so", "deps/libsome_recorder.so"].map(|name| scratch.0.join(name));
        let taken = || LIBRARY.beside(&scratch.0);
        assert_eq!(taken(), None);
        write(&in_deps, LIBRARY.bytes, 0o755);
        assert_eq!(taken(), Some(in_deps.clone()));
        // Newer, as long, and planted: in a folder of downloads, say.
        write(&beside, b"the_library", 0o755);
        assert_eq!(taken(), Some(in_deps.clone()));
        write(&beside, LIBRARY.bytes, 0o755);
        assert_eq!(taken(), Some(beside.clone()));
        write(&beside, LIBRARY.bytes, 0o775);
        assert_eq!(taken(), Some(in_deps.clone()), "others may write to it");
        fs::remove_file(&beside).expect("a file of this user's");
        symlink(&in_deps, &beside).expect("a link");
        assert_eq!(taken(), Some(in_deps.clone()), "a link");
        scratch.folder("deps", 0o775);
        assert_eq!(taken(), None, "others may write to its folder");
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

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
