//! kfdtest, built from AMD's sources as they are: by the projects' own CMake files.
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{apt, progress, vgpu};

/// The commit of ROCm/rocm-systems that `kfdtest.txt` is for.
const COMMIT: &str = "1b1610fc2b2ab32af71e6e04e4d4a6a4ae597992";

/// The thunk and its suite in a tree of ROCm/rocm-systems.
const THUNK: &str = "projects/rocr-runtime/libhsakmt";
const SUITE: &str = "tests/kfdtest";

/// What Debian bookworm needs to build both. LLVM assembles the shaders: 14 knows no gfx942.
const PACKAGES: [&str; 7] = ["cmake", "g++", "libdrm-dev", "libnuma-dev", "llvm-19-dev", "make", "pkg-config"];

/// Builds the suite of the sources in `folder`, a tree of ROCm/rocm-systems, and gives its program.
///
/// # Errors
/// If the folder has not the sources, or they cannot be built.
pub fn build(folder: &Path) -> Result<PathBuf> {
    let thunk = folder.join(THUNK);
    if !thunk.join(SUITE).is_dir() {
        bail!(
            "{} has no {THUNK}/{SUITE}: it must be a tree of ROCm/rocm-systems, at commit {COMMIT}",
            folder.display()
        );
    }
    let thunk = thunk.canonicalize().with_context(|| format!("cannot find {}", thunk.display()))?;
    say_if_other(folder);
    apt::ensure(&PACKAGES, "building kfdtest")?;
    let built = vgpu::target_folder()?.join("suites").join("kfdtest-build");
    let (library, suite) = (built.join("thunk"), built.join("kfdtest"));
    make(&thunk, &library, "libhsakmt", |cmake| cmake.arg("-DBUILD_SHARED_LIBS=OFF"))?;
    // Where the suite's CMake file looks for the thunk.
    make(&thunk.join(SUITE), &suite, "kfdtest", |cmake| {
        cmake.env("LIBHSAKMT_PATH", &library).arg("-DLLVM_DIR=/usr/lib/llvm-19/lib/cmake/llvm")
    })?;
    Ok(suite.join("kfdtest"))
}

/// Builds the project in `source` into `folder`.
fn make(source: &Path, folder: &Path, name: &str, configure: impl FnOnce(&mut Command) -> &mut Command) -> Result<()> {
    let mut cmake = Command::new("cmake");
    cmake.arg("-S").arg(source).arg("-B").arg(folder).arg("-DCMAKE_BUILD_TYPE=Release");
    progress::run(&format!("configuring {name}"), configure(&mut cmake))?;
    progress::run(&format!("building {name}"), Command::new("cmake").arg("--build").arg(folder))
}

/// Says so if the sources are of another commit than the list of results, as far as git knows.
fn say_if_other(folder: &Path) {
    let git = Command::new("git").arg("-C").arg(folder).args(["rev-parse", "HEAD"]).output();
    let commit = git.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    match commit.map(|commit| String::from_utf8_lossy(&commit).trim().to_owned()) {
        Some(commit) if commit != COMMIT => eprintln!("{} is at {commit}, the list is for {COMMIT}", folder.display()),
        _ => {}
    }
}
