//! `cargo xtask package`: whether each crate could be published.
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail};

use crate::{progress, vgpu};

/// Tries the publication of every crate that can be published, in order, without uploading anything.
///
/// Each crate is built from what its package contains, against the packages of the others. Names that are taken on
/// crates.io are not noticed.
#[derive(clap::Args)]
pub struct Args {
    /// What else to pass to `cargo publish`, such as --allow-dirty
    #[arg(last = true)]
    options: Vec<String>,
}

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    let target = vgpu::target_folder()?.join("packages");
    forget_packages(&target)?;
    let mut publish = Command::new(env!("CARGO"));
    publish.args(["publish", "--workspace", "--dry-run", "--target-dir"]).arg(&target);
    publish.args(args.options).current_dir(vgpu::root());
    let status = publish.status().context("cannot start cargo")?;
    if !status.success() {
        bail!("`{}` failed (it needs cargo 1.90 or newer)", progress::display(&publish));
    }
    println!("every crate could be published");
    Ok(())
}

/// Removes what cargo made of the packages of an earlier run, which it would take for these: they have the same names
/// and versions.
fn forget_packages(target: &Path) -> Result<()> {
    let remove = |folder: &Path| match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    };
    remove(target)?;
    let home = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(env::home_dir()?.join(".cargo")));
    let Some(registries) = home.and_then(|home| fs::read_dir(home.join("registry/src")).ok()) else { return Ok(()) };
    for registry in registries {
        let registry = registry?;
        // A registry's folder is called by its host, which one of local files has not, and a digest.
        let is_local = registry.file_name().as_encoded_bytes().starts_with(b"-");
        let is_ours = registry.path().join(concat!("gcn-", env!("CARGO_PKG_VERSION"))).exists();
        if is_local && is_ours {
            remove(&registry.path())?;
        }
    }
    Ok(())
}
