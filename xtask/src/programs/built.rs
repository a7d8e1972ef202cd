//! Crates of others, whose tests are built on the host for a stack.
use std::env;
use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::stack::Prepared;
use crate::vgpu::Artifacts;

/// Builds the tests of the crate in `folder`, for the HIP of `stack`, and gives the program. What is built is kept in
/// `outputs`.
///
/// # Errors
/// If the stack has no `hipconfig`, or the crate does not build.
pub fn build(folder: &Path, stack: &Prepared, outputs: &Path) -> Result<PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(folder).args(["test", "--locked", "--target-dir"]).arg(outputs.join("build"));
    cargo.env("PATH", path_with(&hipconfig(stack, outputs)?)?);
    let programs = Artifacts::build_tests(&mut cargo)?.tests();
    ensure!(programs.len() == 1, "{} has {} test programs, not one", folder.display(), programs.len());
    Ok(programs.into_iter().next().expect("there is one").path)
}

/// A folder with a `hipconfig` that tells the version of the stack's HIP: build scripts choose their bindings by it,
/// and the host's is another or none.
fn hipconfig(stack: &Prepared, outputs: &Path) -> Result<PathBuf> {
    let output = stack.command(&[], "hipconfig")?.arg("--version").output().context("cannot start hipconfig")?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let plain = !version.is_empty() && version.bytes().all(|b| b.is_ascii_alphanumeric() || b".-".contains(&b));
    ensure!(output.status.success() && plain, "hipconfig --version of the stack says {version:?} ({})", output.status);
    let folder = outputs.join("bin");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let script = folder.join("hipconfig");
    let written = File::create(&script).and_then(|mut file| {
        writeln!(file, "#!/bin/sh\necho {version}")?;
        file.set_permissions(Permissions::from_mode(0o755))
    });
    written.with_context(|| format!("cannot make {}", script.display()))?;
    Ok(folder)
}

/// The search path of the shell, with `first` before it.
fn path_with(first: &Path) -> Result<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = [first.to_owned()].into_iter().chain(env::split_paths(&path));
    env::join_paths(folders).context("the target folder's name cannot be in PATH")
}
