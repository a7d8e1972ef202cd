//! A stack's tree with more in it, for programs that the project's own tests do not need.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::tree;
use crate::{apt, progress};

/// What a program needs beyond its stack.
pub struct More {
    /// Names the tree.
    pub name: &'static str,
    /// Debian packages.
    pub packages: &'static [&'static str],
    /// Packages of PyPI with their versions, taken as wheels without what these depend on.
    pub wheels: &'static [&'static str],
}

/// The tree, made first if it is not there: the stack's own at `base`, copied by hard links where its large files are,
/// so that it costs little more than what comes in addition. dpkg replaces files and does not write into them, so the
/// stack's stay as they are.
///
/// # Errors
/// If the packages or wheels cannot be had, or the making fails.
pub fn prepare(base: &Path, more: &More, renew: bool) -> Result<PathBuf> {
    let stack = base.file_name().context("a stack's tree has a name")?.to_string_lossy();
    let digest = tree::digest(more.packages.iter().chain(more.wheels).copied());
    let tree = base.with_file_name(format!("{stack}+{}-{digest:016x}", more.name));
    tree::made_once(&tree, &format!("{stack}+{}", more.name), renew, |unfinished| {
        copy(base, unfinished)?;
        let what = format!("installing {} in a tree of its own (once)", more.packages.join(" "));
        install(&what, unfinished, more.packages)?;
        if more.wheels.is_empty() { Ok(()) } else { add_wheels(unfinished, more) }
    })?;
    Ok(tree)
}

/// Copies a tree, by hard links where its large files are.
pub fn copy(base: &Path, folder: &Path) -> Result<()> {
    const SCRIPT: &str = r#"
        cd "$1"
        mkdir "$2"
        for entry in *; do
            case $entry in
                dev) ;;
                opt | usr) cp --archive --link "$entry" "$2" ;;
                *) cp --archive "$entry" "$2" ;;
            esac
        done
    "#;
    let mut shell = Command::new("sh");
    progress::run("copying the stack's tree by hard links", shell.args(["-ec", SCRIPT, "sh"]).arg(base).arg(folder))
}

/// Installs packages by the tree's own apt, as root of the tree. The user reads `what` meanwhile.
pub fn install(what: &str, folder: &Path, packages: &[&str]) -> Result<()> {
    const SCRIPT: &str = r#"
        apt-get --quiet $OPTIONS update
        apt-get --quiet --yes --no-install-recommends $OPTIONS install "$@"
        apt-get clean
        rm -rf /var/lib/apt/lists/*
    "#;
    // A tree that is not complete is thrown away, so nothing has to wait until it is on the disk.
    let mut options =
        String::from("-oAPT::Sandbox::User=root -oAcquire::Languages=none -oDpkg::Options::=--force-unsafe-io");
    let mut bwrap = Command::new("bwrap");
    bwrap.args(["--die-with-parent", "--unshare-pid"]);
    if !apt::is_root() {
        bwrap.args(["--unshare-user", "--uid", "0", "--gid", "0", "--cap-add", "ALL"]);
    }
    bwrap.arg("--bind").arg(folder).arg("/");
    bwrap.args(["--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run"]);
    bwrap.args(["--ro-bind-try", "/etc/resolv.conf", "/etc/resolv.conf"]);
    // The tree has no certificates, and the mirror may be one that needs them.
    let certificates = "/etc/ssl/certs/ca-certificates.crt";
    if Path::new(certificates).exists() {
        bwrap.args(["--ro-bind", certificates, "/run/certificates"]);
        options.push_str(" -oAcquire::https::CAInfo=/run/certificates");
    }
    bwrap.args(["--setenv", "PATH", "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"]);
    bwrap.args(["--setenv", "DEBIAN_FRONTEND", "noninteractive", "--setenv", "HOME", "/root"]);
    bwrap.args(["--setenv", "OPTIONS", &options]);
    bwrap.args(["--chdir", "/", "--", "sh", "-ec", SCRIPT, "sh"]).args(packages);
    progress::run(what, &mut bwrap)
}

/// Adds the wheels where the tree's Python looks for what Debian does not have.
fn add_wheels(folder: &Path, more: &More) -> Result<()> {
    apt::ensure(&["python3-pip"], "taking packages from PyPI")?;
    // `python3` leads to the version that is the tree's.
    let python =
        fs::read_link(folder.join("usr/bin/python3")).context("the tree has no Python: its packages lack `python3`")?;
    let python = python.to_string_lossy().into_owned();
    let mut pip = Command::new("pip");
    pip.args(["install", "--quiet", "--no-deps", "--only-binary=:all:", "--root-user-action=ignore"]);
    pip.arg("--python-version").arg(python.trim_start_matches("python"));
    pip.arg("--target").arg(folder.join("usr/local/lib").join(&python).join("dist-packages")).args(more.wheels);
    progress::run(&format!("fetching {}", more.wheels.join(" ")), &mut pip)
}
