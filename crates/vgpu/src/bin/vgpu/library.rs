//! Where the device library is: beside the program, as cargo builds it, or unpacked from the program, as `cargo install` copies only that.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const NAME: &str = "libvgpu.so";

// `START` and `END`: the linker puts the file in between (build.rs).
include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// The bytes of the library that was built with this program.
fn embedded() -> &'static [u8] {
    let (start, end) = (&raw const START, &raw const END);
    // SAFETY: the linker put the file between the two symbols, and nobody writes to it.
    unsafe { std::slice::from_raw_parts(start, end.addr() - start.addr()) }
}

/// The device library for the dynamic linker.
pub fn path() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find out where this program is: {error}"))?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let candidates = [folder.join(NAME), folder.join("deps").join(NAME)];
    // Cargo leaves the one for tests in `deps` without renewing the other: the newest is the one just built.
    let built = |path: &PathBuf| path.metadata().and_then(|metadata| metadata.modified()).ok();
    match candidates.into_iter().filter(|path| path.is_file()).max_by_key(built) {
        Some(path) => Ok(path),
        None => unpacked(),
    }
}

/// The library in the user's cache folder, written there first if need be.
fn unpacked() -> Result<PathBuf, String> {
    let folder = cache()?.join("vgpu");
    let path = folder.join(concat!("libvgpu-", env!("CARGO_PKG_VERSION"), ".so"));
    unpack(&folder, &path).map_err(|error| {
        format!(
            "cannot unpack the device library to {}: {error}; set XDG_CACHE_HOME to a folder of yours",
            path.display()
        )
    })?;
    Ok(path)
}

/// `$XDG_CACHE_HOME`, or `.cache` in the home folder. Both count only as absolute paths (XDG Base Directory Specification).
fn cache() -> Result<PathBuf, String> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_CACHE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        .ok_or_else(|| "there is no folder to unpack the device library to: set XDG_CACHE_HOME or HOME".to_owned())
}

fn unpack(folder: &Path, path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // Whoever can write there can put code into the programs that run.
    let metadata = folder.metadata()?;
    // SAFETY: only returns a number.
    if metadata.uid() != unsafe { libc::geteuid() } || metadata.mode() & 0o022 != 0 {
        let reason = "the folder belongs to another user, or others may write to it";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
    }
    if fs::read(path).is_ok_and(|bytes| bytes == embedded()) {
        return Ok(());
    }
    // Programs that run keep the file they have, and others never see half of one.
    let new = folder.join(format!("{}.new", std::process::id()));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    file.write_all(embedded()).and_then(|()| fs::rename(&new, path)).inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}
