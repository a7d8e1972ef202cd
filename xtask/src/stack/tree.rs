//! Makes the Debian trees of the trixie and forky stacks in the user's cache folder, once for all clones.
use std::fs::{self, File};
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use rustix::fs::FlockOperation;

use super::packages::EXCLUDED;
use crate::{apt, progress};

/// A Debian tree: which release, and what is in it.
pub struct Recipe {
    pub suite: &'static str,
    pub packages: &'static [&'static str],
}

/// The folder of the tree, made first if it is not there. `renew` makes it anew.
///
/// # Errors
/// If a tool is missing and cannot be installed, no Debian mirror is known, or the making fails.
pub fn prepare(recipe: &Recipe, renew: bool) -> Result<PathBuf> {
    let stacks = cache_folder()?.join("stacks");
    fs::create_dir_all(&stacks).with_context(|| format!("cannot make {}", stacks.display()))?;
    let tree = stacks.join(name(recipe));
    if tree.is_dir() && !renew {
        return Ok(tree);
    }
    let _lock = lock(&stacks.join(format!("{}.lock", recipe.suite)))?;
    // Another process may have made it while this one waited.
    if tree.is_dir() && !renew {
        return Ok(tree);
    }
    let unfinished = stacks.join(format!("{}.unfinished", recipe.suite));
    remove(&unfinished)?;
    make(recipe, &unfinished, &stacks)?;
    remove(&tree)?;
    // Renamed only when complete, so that a tree which is there can be trusted.
    fs::rename(&unfinished, &tree).with_context(|| format!("cannot rename {}", unfinished.display()))?;
    Ok(tree)
}

/// `$XDG_CACHE_HOME/rocm-workspace` or `~/.cache/rocm-workspace`.
pub fn cache_folder() -> Result<PathBuf> {
    let base = match std::env::var_os("XDG_CACHE_HOME") {
        // The specification tells to ignore relative paths.
        Some(path) if Path::new(&path).is_absolute() => PathBuf::from(path),
        _ => PathBuf::from(std::env::var_os("HOME").context("neither XDG_CACHE_HOME nor HOME is set")?).join(".cache"),
    };
    Ok(base.join("rocm-workspace"))
}

/// The suite and a digest of what goes in, so that a changed list makes a new tree beside the old one.
fn name(recipe: &Recipe) -> String {
    let mut digest = Fnv(0xcbf2_9ce4_8422_2325);
    for word in recipe.packages.iter().chain(EXCLUDED) {
        digest.write(word.as_bytes());
        digest.write(b"\n");
    }
    format!("{}-{:016x}", recipe.suite, digest.finish())
}

/// FNV-1a: a digest that stays the same in every Rust release, which the standard library's does not promise.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn lock(path: &Path) -> Result<File> {
    let file = File::create(path).with_context(|| format!("cannot make {}", path.display()))?;
    if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        eprintln!("waiting for another process that makes this stack ({}) ...", path.display());
        rustix::fs::flock(&file, FlockOperation::LockExclusive).context("cannot lock")?;
    }
    Ok(file)
}

fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn make(recipe: &Recipe, folder: &Path, stacks: &Path) -> Result<()> {
    let mirror = apt::mirror(&stacks.join("apt"))?;
    let what = format!("making the {} tree (once; about 1 GB to fetch, 4 GB on disk)", recipe.suite);
    let mut mmdebstrap = Command::new("mmdebstrap");
    mmdebstrap.args(["--verbose", "--variant=apt", "--format=directory"]);
    mmdebstrap.arg(format!("--include={}", recipe.packages.join(",")));
    mmdebstrap.arg("--aptopt=APT::Install-Recommends \"false\"");
    // A mirror that lags, or a snapshot, holds a testing release whose date has run out; packages stay checked by signature.
    mmdebstrap.arg("--aptopt=Acquire::Check-Valid-Until \"false\"");
    mmdebstrap.args(EXCLUDED.iter().map(|pattern| format!("--dpkgopt=path-exclude={pattern}")));
    if apt::is_root() {
        apt::ensure(&["mmdebstrap", "debian-archive-keyring"], "making a Debian tree")?;
        mmdebstrap.arg(recipe.suite).arg(folder).arg(mirror);
        return progress::run(&what, &mut mmdebstrap);
    }
    apt::ensure(&["mmdebstrap", "debian-archive-keyring", "uidmap"], "making a Debian tree without root")?;
    unpacked_as_user(&what, recipe, folder, mmdebstrap, &mirror)
}

/// Without root mmdebstrap works in a user namespace and its files would belong to subordinate users, whom the user
/// cannot even delete. So it writes an archive, which is unpacked as the user.
fn unpacked_as_user(what: &str, recipe: &Recipe, folder: &Path, mut mmdebstrap: Command, mirror: &str) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let archive = folder.with_extension("tar");
    mmdebstrap.args(["--mode=unshare", "--format=tar"]).arg(recipe.suite).arg(&archive).arg(mirror);
    progress::run(what, &mut mmdebstrap)?;
    let mut tar = Command::new("tar");
    tar.args(["--extract", "--no-same-owner", "--exclude=./dev/*", "--file"])
        .arg(&archive)
        .arg("--directory")
        .arg(folder);
    progress::run(&format!("unpacking the {} tree", recipe.suite), tar.stdout(Stdio::null()))?;
    fs::remove_file(&archive).with_context(|| format!("cannot remove {}", archive.display()))?;
    if !folder.join("usr").is_dir() {
        bail!("{} has no usr folder after unpacking", folder.display());
    }
    Ok(())
}
