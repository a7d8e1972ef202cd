//! `cargo xtask objects`: the code objects in Debian's ROCm libraries, disassembled by `gcn` and by llvm-objdump.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::apt::{self, Archive};
use crate::vgpu;

/// Disassembles every gfx908 code object in Debian's ROCm libraries and compares with llvm-objdump, line by line.
///
/// Fetches the packages of the suite with apt into the target folder (trixie: 0.3 GB, 3 GB unpacked), which a second
/// run uses again. Prints a table of the libraries; any difference that is not meant is an error. Takes the better part
/// of an hour.
#[derive(clap::Args)]
pub struct Args {
    /// The Debian release
    #[arg(default_value = "trixie")]
    suite: String,
    /// Only packages whose name contains this
    #[arg(long, default_value = "")]
    package: String,
}

/// Packages with code objects, without the number of the library's version.
const PACKAGES: &[&str] = &[
    "libamdhip64-",
    "libhsa-runtime64-",
    "librocalution",
    "librocblas",
    "librocfft",
    "librocrand",
    "librocsolver",
    "librocsparse",
    "rocm-opencl-icd",
];

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    apt::ensure(&["llvm-19", "debian-archive-keyring"], "disassembling ROCm's libraries")?;
    let folder = vgpu::target_folder()?.join("objects").join(&args.suite);
    let archive = Archive::new(&folder, &[&args.suite])?;
    let names: Vec<String> = packages(&archive)?.into_iter().filter(|name| name.contains(&args.package)).collect();
    if names.is_empty() {
        bail!("{} has no package of ROCm whose name contains {:?}", args.suite, args.package);
    }
    let mut files = Vec::new();
    for name in &names {
        let unpacked = folder.join(name);
        if !unpacked.is_dir() {
            archive.unpack(name, &unpacked)?;
        }
        collect(&unpacked, &mut files)?;
    }
    files.sort();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(vgpu::root()).args([
        "run",
        "--quiet",
        "--release",
        "--package",
        "gcn",
        "--example",
        "code_objects",
        "--",
        "gfx908",
    ]);
    let status = cargo.args(files).status().context("cannot start cargo")?;
    if !status.success() {
        bail!("the disassemblies differ");
    }
    Ok(())
}

/// The packages of [`PACKAGES`] that the release has.
fn packages(archive: &Archive) -> Result<Vec<String>> {
    let runtime = |name: &str| {
        PACKAGES.iter().any(|prefix| {
            name.strip_prefix(prefix).is_some_and(|version| version.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
        })
    };
    let mut names = archive.names()?;
    names.retain(|name| runtime(name));
    names.sort();
    Ok(names)
}

/// Libraries and code object files below `folder`, except those that name another GPU.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let (kind, name) = (entry.file_type()?, entry.file_name().to_string_lossy().into_owned());
        if kind.is_dir() {
            collect(&entry.path(), files)?;
        } else if kind.is_file() && (name.contains(".so") || name.ends_with(".co") || name.ends_with(".hsaco")) {
            let other_gpu = name.contains("gfx") && !name.contains("gfx908");
            files.extend((!other_gpu).then(|| entry.path()));
        }
    }
    Ok(())
}
