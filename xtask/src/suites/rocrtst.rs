//! rocrtst as Debian packages it.
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::apt::{self, Archive};
use crate::{progress, vgpu};

/// The suite, and a library of it that the stack does not have.
const PACKAGES: [&str; 2] = ["libhsa-runtime64-tests", "libhwloc15"];

/// Where the package has the suite, and the kernels for each GPU.
const FOLDER: &str = "usr/libexec/rocm/libhsa-runtime64-tests";

/// What the suite needs of AMD SMI, whose version 26 Debian no longer has. It asks about the GPU's sensors only when
/// told to (`-m`).
const AMD_SMI: [&str; 13] = [
    "get_clk_freq",
    "get_gpu_board_info",
    "get_gpu_fan_speed",
    "get_gpu_fan_speed_max",
    "get_gpu_id",
    "get_gpu_overdrive_level",
    "get_gpu_perf_level",
    "get_processor_handles",
    "get_processor_type",
    "get_socket_handles",
    "get_temp_metric",
    "init",
    "shut_down",
];

/// Fetches the suite and what it needs, unless it is there. Gives its program, and the words to put before it, which
/// set its environment.
///
/// # Errors
/// If a package cannot be had or something cannot be written.
pub fn prepare() -> Result<(PathBuf, Vec<OsString>)> {
    let folder = vgpu::target_folder()?.join("suites").join("rocrtst-packages");
    let [tests, hwloc] = PACKAGES.map(|name| folder.join(name));
    if !tests.is_dir() || !hwloc.is_dir() {
        apt::ensure(&["debian-archive-keyring"], "fetching packages of Debian's suite experimental")?;
        let archive = Archive::new(&folder, &["sid", "experimental"])?;
        for (name, unpacked) in PACKAGES.iter().zip([&tests, &hwloc]).filter(|(_, unpacked)| !unpacked.is_dir()) {
            archive.unpack(name, unpacked)?;
        }
    }
    let smi = amd_smi(&folder)?;
    let suite = tests.join(FOLDER);
    let variable = |name: &str, folders: &[&Path]| {
        let mut word = OsString::from(format!("{name}="));
        for (number, folder) in folders.iter().enumerate() {
            word.push(if number == 0 { "" } else { ":" });
            word.push(folder);
        }
        word
    };
    let libraries = hwloc.join("usr/lib/x86_64-linux-gnu");
    let environment =
        ["env".into(), variable("LD_LIBRARY_PATH", &[&libraries, &smi]), variable("ROCRTST_KERNELS_PATH", &[&suite])];
    Ok((suite.join("rocrtst64"), environment.into()))
}

/// Makes a library with AMD SMI's functions, all of which say that they are not supported, and gives its folder.
fn amd_smi(folder: &Path) -> Result<PathBuf> {
    const AMDSMI_STATUS_NOT_SUPPORTED: u32 = 2;
    let (source, library) = (folder.join("amd_smi.c"), folder.join("libamd_smi.so.26"));
    if !library.is_file() {
        apt::ensure(&["gcc"], "making a library in the place of AMD SMI's")?;
        let text: String = AMD_SMI
            .iter()
            .map(|name| format!("int amdsmi_{name}(void) {{ return {AMDSMI_STATUS_NOT_SUPPORTED}; }}\n"))
            .collect();
        fs::write(&source, text).with_context(|| format!("cannot write {}", source.display()))?;
        let mut compiler = c_compiler::command()?;
        compiler
            .args(["-shared", "-nostdlib", "-fPIC", "-Wl,-soname,libamd_smi.so.26", "-o"])
            .arg(&library)
            .arg(&source);
        progress::run("making a library in the place of AMD SMI's", &mut compiler)?;
    }
    Ok(folder.to_owned())
}
