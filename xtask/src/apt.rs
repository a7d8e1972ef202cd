//! The host's apt: which packages are there, installing them, and the Debian mirror it is configured with.
mod archive;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::processes::lock;
use crate::progress;
use crate::stack::{cache_folder, make_in_cache};

pub use archive::Archive;

/// Has apt-get wait ten minutes for other programs that install packages.
const WAIT: &str = "-oDPkg::Lock::Timeout=600";

/// Installs those of `packages` that the host lacks. `why` says what they are for.
///
/// # Errors
/// If some are missing and this is not root: the error names the command to run.
pub fn ensure(packages: &[&str], why: &str) -> Result<()> {
    let missing: Vec<&str> = packages.iter().copied().filter(|package| !installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = missing.join(" ");
    if !is_root() {
        bail!(
            "{why} needs Debian packages that are not installed. Run:\n  sudo apt-get install --no-install-recommends {list}"
        );
    }
    let folder = make_in_cache(&cache_folder()?)?;
    // apt-get itself waits for other programs' installing only, not for who fetches lists.
    let _lock = lock(&folder.join("apt.lock"), "another process that installs packages")?;
    if !lists_present() {
        progress::run("apt-get update", Command::new("apt-get").args([WAIT, "--quiet", "update"]))?;
    }
    let mut install = Command::new("apt-get");
    install.args([WAIT, "--quiet", "--yes", "--no-install-recommends", "install"]).args(&missing);
    progress::run(&format!("installing for {why}: {list}"), install.env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Whether dpkg knows `package` as installed.
pub fn installed(package: &str) -> bool {
    let query = Command::new("dpkg-query").args(["--show", "--showformat=${db:Status-Status}\n", package]).output();
    query.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).lines().any(|status| status == "installed"))
}

/// Whether this process may install packages.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The Debian mirror that the host's apt is configured with. `scratch` is a folder for apt's package lists, used where
/// the host has none.
///
/// # Errors
/// If apt is missing or none of its sources is a Debian mirror.
pub fn mirror(scratch: &Path) -> Result<String> {
    if let Some(mirror) = indexed_mirror(&[])? {
        return Ok(mirror);
    }
    // A fresh container has sources but no lists, and apt names only the sources it has lists of. Lists of our own need
    // no root.
    let _lock = lock(&scratch.with_extension("lock"), "another process that asks apt for its mirror")?;
    let lists = scratch.join("lists");
    let cache = scratch.join("cache");
    for folder in [lists.join("partial"), cache.join("archives/partial")] {
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let options = [format!("-oDir::State::lists={}", lists.display()), format!("-oDir::Cache={}", cache.display())];
    let mut update = Command::new("apt-get");
    update.args(&options).args(["--quiet", "update"]);
    if is_root() {
        update.arg("-oAPT::Sandbox::User=root");
    }
    progress::run("asking apt for its Debian mirror", &mut update)?;
    indexed_mirror(&options)?.context(
        "apt's sources name no Debian mirror (see `apt-get indextargets`). The trixie, forky and experimental stacks are Debian trees: \
         add a Debian source, or use `--stack native` or `--stack host`",
    )
}

fn indexed_mirror(options: &[String]) -> Result<Option<String>> {
    let format = "$(ORIGIN)|$(LABEL)|$(REPO_URI)";
    let mut query = Command::new("apt-get");
    query.arg("indextargets").args(options).args(["--format", format, "Created-By: Packages"]);
    let output = query.output().context("cannot start apt-get: the stacks need a Debian host")?;
    if !output.status.success() {
        bail!("`{}` failed: {}", progress::display(&query), String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().find_map(|line| line.strip_prefix("Debian|Debian|")).map(str::to_owned))
}

fn lists_present() -> bool {
    let query =
        Command::new("apt-get").args(["indextargets", "--format", "$(FILENAME)", "Created-By: Packages"]).output();
    query.is_ok_and(|output| !output.stdout.is_empty())
}
