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
    println!("every crate could be published");
    Ok(())
}
