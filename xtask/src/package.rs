//! `cargo xtask package`: whether each crate could be published.
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{progress, vgpu};

/// Tries the publication of every crate that can be published, in order, without uploading anything.
///
/// Each crate is built from what its package contains, against the packages of the others. Names that are taken on crates.io are not noticed.
#[derive(clap::Args)]
pub struct Args {
    /// What else to pass to `cargo publish`, such as --allow-dirty
    #[arg(last = true)]
    options: Vec<String>,
}

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    let mut publish = Command::new(env!("CARGO"));
    publish.args(["publish", "--workspace", "--dry-run"]).args(args.options).current_dir(vgpu::root());
    let status = publish.status().context("cannot start cargo")?;
    if !status.success() {
        bail!("`{}` failed (it needs cargo 1.90 or newer)", progress::display(&publish));
    }
    let folder = vgpu::target_folder().join("package");
    let entries = folder.read_dir().with_context(|| format!("cannot read {}", folder.display()))?;
    let mut packages = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(name) = name.strip_suffix(".crate") {
            packages.push((name.to_owned(), entry.metadata()?.len()));
        }
    }
    packages.sort();
    for (name, bytes) in packages {
        println!("{name:24} {:5} KiB", bytes.div_ceil(1024));
    }
    Ok(())
}
