//! `cargo xtask bindgen [--check]`: regenerates the bindings of the five sys crates from pinned headers.
//!
//! Each crate gets `src/bindings.rs` and a provenance file that names every package, so that a reviewer can
//! tell which header a line came from, and a second run can be told apart from a drifted one.
#[cfg(feature = "bindgen")]
mod changed;
#[cfg(any(feature = "bindgen", test))]
#[cfg_attr(not(feature = "bindgen"), allow(dead_code))]
mod cl;
#[cfg(any(feature = "bindgen", test))]
#[cfg_attr(not(feature = "bindgen"), allow(dead_code))]
mod clang;
#[cfg(feature = "bindgen")]
mod crates;
#[cfg(feature = "bindgen")]
mod generate;
#[cfg(any(feature = "bindgen", test))]
#[cfg_attr(not(feature = "bindgen"), allow(dead_code))]
mod hip;
#[cfg(any(feature = "bindgen", test))]
mod hsa;
#[cfg(any(feature = "bindgen", test))]
#[cfg_attr(not(feature = "bindgen"), allow(dead_code))]
mod kfd;
#[cfg(test)]
mod layout_test;
#[cfg(any(feature = "bindgen", test))]
#[cfg_attr(not(feature = "bindgen"), allow(dead_code))]
mod libraries;
#[cfg(feature = "bindgen")]
mod merge;
#[cfg(feature = "bindgen")]
mod model;
#[cfg(any(feature = "bindgen", test))]
mod packages;
#[cfg(any(feature = "bindgen", test))]
mod rccl;
#[cfg(feature = "bindgen")]
mod render;
#[cfg(feature = "bindgen")]
mod since;
#[cfg(test)]
mod symbol_test;
#[cfg(feature = "bindgen")]
mod wrappers;

#[cfg(any(feature = "bindgen", test))]
#[cfg_attr(not(feature = "bindgen"), allow(dead_code))]
mod context;

use anyhow::Result;
#[cfg(any(feature = "bindgen", test))]
use context::Context;

/// Regenerates the bindings of the sys crates from pinned headers.
///
/// Needs libclang, and the network for packages that are not under target/ yet; the crates themselves need neither.
#[derive(clap::Args)]
pub struct Args {
    /// Change nothing; fail and print the difference if the bindings are not what the headers give
    #[arg(long)]
    check: bool,
    /// Only these crates, such as rocblas-sys; by default all
    #[arg(value_name = "CRATE")]
    only: Vec<String>,
}

/// Runs the command line.
#[cfg(feature = "bindgen")]
pub fn main(args: Args) -> Result<()> {
    generate::run(args.check, &args.only)
}

/// Runs the command line in an xtask that has bindgen in it: bindgen is slow to build, so other commands do without.
#[cfg(not(feature = "bindgen"))]
pub fn main(args: Args) -> Result<()> {
    use crate::{apt, exit_code, vgpu};
    apt::ensure(&["libclang1-19", "libclang-common-19-dev", "unzip", "python3-pip"], "generating bindings")?;
    let mut cargo = std::process::Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--package", "xtask", "--features", "bindgen", "--", "bindgen"]);
    cargo.args(args.check.then_some("--check")).args(&args.only);
    std::process::exit(exit_code(cargo.current_dir(vgpu::root()).status()?))
}
