//! Makes the Debian trees of the stacks in the user's cache folder, once for all clones.
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::more;
use super::packages::EXCLUDED;
use crate::processes::lock;
use crate::{apt, progress};

/// A Debian tree: which suite, and what is in it.
pub struct Recipe {
    pub suite: &'static str,
    /// Gigabytes on disk, as far as is known: suites move.
    pub gigabytes: f32,
    /// What a suite that is no whole release lies over.
    pub over: Option<Over>,
    pub packages: &'static [&'static str],
    /// Those of them that programs of HIP and OpenCL need to run, with what these lack.
    pub runtime: &'static [&'static str],
}

/// The release that the packages come from which are not the suite's own.
#[derive(Clone, Copy)]
pub struct Over {
    pub release: &'static str,
    /// What is taken from the suite where it has a newer version, as apt's preferences name packages (`src:NAME` or a
    /// glob). apt takes nothing else from such a suite, even to satisfy a dependency that the release cannot.
    pub sources: &'static [&'static str],
}

/// The folder of the tree, made first if it is not there. `renew` makes it anew.
///
/// # Errors
/// If a tool is missing and cannot be installed, no Debian mirror is known, or the making fails.
pub fn prepare(recipe: &Recipe, renew: bool) -> Result<PathBuf> {
    let stacks = make_in_cache(&cache_folder()?.join("stacks"))?;
    let tree = stacks.join(name(recipe));
    let runtime = stacks.join(name(&recipe.runtime()));
    made_once(&tree, recipe.suite, renew, |unfinished| {
        if runtime.is_dir() && !renew {
            more::copy(&runtime, unfinished)?;
            let what = format!("extending the {} tree (once; to about {} GB on disk)", recipe.suite, recipe.gigabytes);
            more::install(&what, unfinished, recipe.packages)
        } else {
            make(recipe, unfinished, &stacks)
        }
    })?;
    Ok(tree)
}

/// The folder of a tree in which programs run that use no library above HIP and OpenCL: the whole one if it is there,
/// else one of a tenth of its size. That of the whole is made from it later.
///
/// # Errors
/// As of [`prepare`].
pub fn prepare_runtime(recipe: &Recipe) -> Result<PathBuf> {
    let stacks = make_in_cache(&cache_folder()?.join("stacks"))?;
    let whole = stacks.join(name(recipe));
    if whole.is_dir() { Ok(whole) } else { prepare(&recipe.runtime(), false) }
}

impl Recipe {
    /// The same with no library above HIP and OpenCL.
    fn runtime(&self) -> Self {
        Self { gigabytes: 0.4, packages: self.runtime, ..*self }
    }
}

/// Makes the folder `tree` if it is not there, or anew. `short` names the files that are beside it meanwhile.
pub fn made_once(tree: &Path, short: &str, renew: bool, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    if tree.is_dir() && !renew {
        return Ok(());
    }
    let _lock = lock(&tree.with_file_name(format!("{short}.lock")), "another process that makes this stack")?;
    // Another process may have made it while this one waited.
    if tree.is_dir() && !renew {
        return Ok(());
    }
    let unfinished = tree.with_file_name(format!("{short}.unfinished"));
    let old = tree.with_file_name(format!("{short}.old"));
    remove(&unfinished)?;
    remove(&old)?;
    make(&unfinished)?;
    // A tree that is there can be trusted: it gets its name only when complete, and loses it before anything in it is
    // removed.
    if tree.is_dir() {
        rename(tree, &old)?;
    }
    rename(&unfinished, tree)?;
    remove(&old)
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).with_context(|| format!("cannot rename {} to {}", from.display(), to.display()))
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

/// A folder in [`cache_folder`], which may be on a file system that cannot be written to.
pub fn make_in_cache(folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| {
        format!("cannot make {}; set XDG_CACHE_HOME to a folder that can be written to", folder.display())
    })?;
    Ok(folder.to_owned())
}

/// The suite and a digest of what goes in, so that a changed list makes a new tree beside the old one.
fn name(recipe: &Recipe) -> String {
    let over = recipe.over.iter().flat_map(|over| [over.release].into_iter().chain(over.sources.iter().copied()));
    let words = recipe.packages.iter().copied().chain(EXCLUDED.iter().copied()).chain(over);
    format!("{}-{:016x}", recipe.suite, digest(words))
}

/// A digest of what goes into a tree, for its name.
pub fn digest<'a>(words: impl Iterator<Item = &'a str>) -> u64 {
    let mut digest = Fnv(0xcbf2_9ce4_8422_2325);
    for word in words {
        digest.write(word.as_bytes());
        digest.write(b"\n");
    }
    digest.finish()
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

/// Removes a folder and what is in it, if it is there.
pub fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn make(recipe: &Recipe, folder: &Path, stacks: &Path) -> Result<()> {
    let mirror = apt::mirror(&stacks.join("apt"))?;
    let what = format!("making the {} tree (once; about {} GB on disk)", recipe.suite, recipe.gigabytes);
    let mut mmdebstrap = Command::new("mmdebstrap");
    mmdebstrap.args(["--verbose", "--variant=apt", "--format=directory"]);
    mmdebstrap.arg(format!("--include={}", recipe.packages.join(",")));
    mmdebstrap.arg("--aptopt=APT::Install-Recommends \"false\"");
    // A mirror that lags, or a snapshot, holds a testing release whose date has run out; packages stay checked by
    // signature.
    mmdebstrap.arg("--aptopt=Acquire::Check-Valid-Until \"false\"");
    mmdebstrap.args(EXCLUDED.iter().map(|pattern| format!("--dpkgopt=path-exclude={pattern}")));
    let mut release = recipe.suite;
    let mut sources = vec![mirror.clone()];
    if let Some(over) = &recipe.over {
        release = over.release;
        sources = [over.release, recipe.suite].map(|suite| format!("deb {mirror} {suite} main")).into();
        mmdebstrap.arg(format!("--setup-hook={}", preferring(recipe.suite, over.sources)));
    }
    if apt::is_root() {
        apt::ensure(&["mmdebstrap", "debian-archive-keyring"], "making a Debian tree")?;
        mmdebstrap.arg(release).arg(folder).args(sources);
        return progress::run(&what, &mut mmdebstrap);
    }
    apt::ensure(&["mmdebstrap", "debian-archive-keyring", "uidmap"], "making a Debian tree without root")?;
    mmdebstrap.args(["--mode=unshare", "--format=tar"]).arg(release).arg(folder.with_extension("tar")).args(sources);
    unpacked_as_user(&what, recipe, folder, mmdebstrap)
}

/// A shell command that tells the apt of the tree in `$1` to take `packages` from `suite` where it has the newest.
fn preferring(suite: &str, packages: &[&str]) -> String {
    // The priority that a release's own packages have: the higher version wins.
    let text = format!(r"Package: {}\nPin: release a={suite}\nPin-Priority: 500\n", packages.join(" "));
    format!(r#"printf '{text}' > "$1/etc/apt/preferences.d/{suite}""#)
}

/// Without root mmdebstrap works in a user namespace and its files would belong to subordinate users, whom the user
/// cannot even delete. So it writes an archive, which is unpacked as the user.
fn unpacked_as_user(what: &str, recipe: &Recipe, folder: &Path, mut mmdebstrap: Command) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let archive = folder.with_extension("tar");
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Deletes the folder at the end, even of a test that failed.
    struct Scratch(PathBuf);

    impl Drop for Scratch {
        fn drop(&mut self) {
            _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_cache_that_cannot_be_written_to_can_be_elsewhere() {
        let refused = make_in_cache(Path::new("/proc/rocm-workspace/stacks")).unwrap_err().to_string();
        assert_eq!(
            refused,
            "cannot make /proc/rocm-workspace/stacks; set XDG_CACHE_HOME to a folder that can be written to"
        );
    }

    #[test]
    fn a_tree_is_replaced_as_a_whole_and_leavings_are_removed() {
        let stacks = Scratch(std::env::temp_dir().join(format!("xtask-tree-{}", std::process::id())));
        let tree = stacks.0.join("suite-1");
        for file in ["suite-1/old", "suite.old/left", "suite.unfinished/left"] {
            fs::create_dir_all(stacks.0.join(file)).unwrap();
        }
        let make = |folder: &Path| Ok(fs::create_dir_all(folder.join("new"))?);
        made_once(&tree, "suite", true, |_| anyhow::bail!("no network")).unwrap_err();
        assert!(tree.join("old").is_dir());
        made_once(&tree, "suite", true, make).unwrap();
        assert!(tree.join("new").is_dir() && !tree.join("old").exists());
        let mut left: Vec<_> = fs::read_dir(&stacks.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["suite-1", "suite.lock"]);
    }
}
