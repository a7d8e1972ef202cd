//! Programs of the OpenCL conformance tests, with cl-external-memory in front of AMD's OpenCL.
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use anyhow::{Context, Result, bail};

use super::expected::OPENCL_CTS;
use super::program::{Harness, Outcome, last_line};
use crate::apt::{self, Archive};
use crate::{progress, vgpu};

/// The commit of KhronosGroup/OpenCL-CTS that `opencl-cts.txt` is for.
const COMMIT: &str = "b8f8906c251926b1b3679323bfbf3df730b40fb8";

/// The programs that use the extension, or functions that the layer stands in front of, and which of their tests do,
/// where not all.
pub const PROGRAMS: [(&str, &[&str]); 3] = [
    ("cl_khr_external_memory_dma_buf", &[]),
    (
        "api",
        &[
            "buffer_properties_queries",
            "get_buffer_info",
            "get_context_info",
            "get_device_info",
            "get_image1d_array_info",
            "get_image1d_info",
            "get_image2d_array_info",
            "get_image2d_info",
            "get_image3d_info",
            "get_platform_ids",
            "get_platform_info",
            "image_properties_queries",
            "mem_object_destructor_callback",
            "negative_enqueue_marker_with_wait_list",
            "negative_get_device_info",
            "negative_get_platform_info",
            "null_buffer_arg",
            "platform_extensions",
            "release_during_execute",
            "retain_mem_object_multiple",
            "retain_mem_object_set_kernel_arg",
            "retain_mem_object_single",
        ],
    ),
    ("events", &[]),
];

/// The test that needs the layer.
const OF_THE_EXTENSION: &str = "cl_khr_external_memory_dma_buf/external_memory_dma_buf";

/// How the conformance tests' programs are asked.
pub const HARNESS: Harness = Harness { list: "--list", listed, run: str::to_owned, judge };

/// The package of Khronos' loader, in Debian's sid.
const LOADER: &str = "khronos-opencl-icd-libopencl1";

/// The list of how tests end, with the layer or without it.
pub fn expected(with_layer: bool) -> String {
    if with_layer {
        return OPENCL_CTS.to_owned();
    }
    let (with, without) = (": passed", ": skipped: there is no such extension without the layer");
    OPENCL_CTS.replace(&format!("{OF_THE_EXTENSION}{with}"), &format!("{OF_THE_EXTENSION}{without}"))
}

/// The programs in a folder in which the suite was built, in the order of [`PROGRAMS`].
///
/// # Errors
/// If one is not there.
pub fn programs(folder: &Path) -> Result<Vec<PathBuf>> {
    let program = |(name, _): &(&str, &[&str])| {
        let file = format!("test_{name}");
        // Where the suite's own build leaves them, or all in one folder.
        let places = [
            folder.join("test_conformance").join(name),
            folder.join("test_conformance/extensions").join(name),
            folder.to_owned(),
        ];
        let found = places.iter().map(|place| place.join(&file)).find(|path| path.is_file());
        let Some(path) = found else {
            bail!(
                "{} has no {file}: it must be where KhronosGroup/OpenCL-CTS was built, at commit {COMMIT}",
                folder.display()
            )
        };
        path.canonicalize().with_context(|| format!("cannot find {}", path.display()))
    };
    PROGRAMS.iter().map(program).collect()
}

/// The words before a program, which set its environment: a heap of dma-bufs, the layer if it is to be there, and
/// Khronos' loader instead of the stack's.
///
/// # Errors
/// If something cannot be built or had.
pub fn environment(layer: Option<&Path>, khronos_loader: bool) -> Result<Vec<OsString>> {
    let folder = vgpu::target_folder()?.join("suites").join("opencl-cts-build");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut words: Vec<OsString> =
        ["env", "CL_DEVICE_TYPE=gpu", "OCL_CTS_DMA_HEAP_PATH_SYSTEM=/dev/dri/renderD128"].map(Into::into).into();
    let mut set = |name: &str, value: &Path| {
        let mut word = OsString::from(format!("{name}="));
        word.push(value);
        words.push(word);
    };
    if let Some(layer) = layer {
        set("OPENCL_LAYERS", layer);
    }
    if khronos_loader {
        set("LD_LIBRARY_PATH", &loader(&folder)?);
    }
    // In front of the virtual GPU's library, which knows no such heap.
    let shell = ["sh", "-c", "LD_PRELOAD=\"$0:$LD_PRELOAD\" exec \"$@\""].map(OsString::from);
    words.extend(shell);
    words.push(heap(&folder)?.into());
    Ok(words)
}

/// Builds the heap.
fn heap(folder: &Path) -> Result<PathBuf> {
    const SOURCE: &str = include_str!("dma_heap.c");
    let (source, library) = (folder.join("dma_heap.c"), folder.join("libdma_heap.so"));
    if !library.is_file() || fs::read_to_string(&source).is_ok_and(|text| text != SOURCE) {
        apt::ensure(&["gcc", "linux-libc-dev"], "making a heap of dma-bufs")?;
        fs::write(&source, SOURCE).with_context(|| format!("cannot write {}", source.display()))?;
        let mut compiler = c_compiler::command()?;
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).arg("-ldl");
        progress::run("making a heap of dma-bufs", &mut compiler)?;
    }
    Ok(library)
}

/// Fetches Khronos' loader, unless it is there, and gives its folder.
fn loader(folder: &Path) -> Result<PathBuf> {
    let unpacked = folder.join(LOADER);
    if !unpacked.is_dir() {
        apt::ensure(&["debian-archive-keyring"], "fetching a package of Debian's suite sid")?;
        Archive::new(&folder.join("archive"), &["sid"])?.unpack(LOADER, &unpacked)?;
    }
    Ok(unpacked.join("usr/lib/x86_64-linux-gnu"))
}

/// The tests in what `--list` prints: a tab before each.
fn listed(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.strip_prefix('\t')).map(str::to_owned).collect()
}

/// [`Harness::judge`] of the conformance tests, which say at the end of each how it went.
fn judge(test: &str, status: Option<ExitStatus>, output: &str) -> (Outcome, String) {
    let Some(status) = status else { return (Outcome::TooSlow, last_line(output)) };
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is = |line: &&str, end: &str| line.strip_prefix(test).is_some_and(|rest| rest.starts_with(end));
    // The reason is what it said last.
    let skipped = lines.iter().position(|line| is(line, " test not supported") || is(line, " skipped ("));
    match skipped {
        Some(at) if status.success() => {
            let said = if is(&lines[at], " skipped (") { lines[at] } else { lines[at.saturating_sub(1)] };
            (Outcome::Skipped, said.to_owned())
        }
        None if status.success() && lines.iter().any(|line| is(line, " passed")) => {
            // "Device does not support out-of-order exec mode; skipping test."
            match lines.iter().find(|line| line.to_lowercase().contains("skip")) {
                Some(said) => (Outcome::Skipped, (*said).to_owned()),
                None => (Outcome::Passed, String::new()),
            }
        }
        _ => {
            let said = lines.iter().find(|line| line.contains("ERROR")).map(|line| (*line).to_owned());
            (Outcome::Failed, format!("{}; {status}", said.unwrap_or_else(|| last_line(output))))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn without_the_layer_one_test_is_skipped() {
        let (with, without) = (expected(true), expected(false));
        let changed: Vec<_> = with.lines().zip(without.lines()).filter(|(with, without)| with != without).collect();
        assert!(matches!(changed[..], [(_, to)] if to.starts_with(OF_THE_EXTENSION)), "{changed:?}");
    }

    #[test]
    fn tests_are_found_in_a_list() {
        assert_eq!(listed("Test names:\n\tbinary_get\n\tget_info\n"), ["binary_get", "get_info"]);
        assert!(listed("no suite\n").is_empty());
    }

    fn outcome(code: i32, output: &str) -> (Outcome, String) {
        judge("get_info", Some(ExitStatus::from_raw(code << 8)), output)
    }

    #[test]
    fn the_last_word_of_a_test_counts() {
        assert_eq!(outcome(0, "get_info...\nget_info passed\nPASSED test.\n").0, Outcome::Passed);
        let said = "WARNING: Device does not support out-of-order exec mode; skipping test.";
        assert_eq!(outcome(0, &format!("{said}\nget_info passed\n")), (Outcome::Skipped, said.to_owned()));
        // Another one, or a process that fails after all was right.
        assert_eq!(outcome(0, "get_info_of passed\n").0, Outcome::Failed);
        assert_eq!(outcome(1, "get_info passed\n").0, Outcome::Failed);
        let failed = outcome(1, "get_info...\nERROR: no info (from x.cpp:3)\nget_info FAILED\n");
        assert_eq!(failed, (Outcome::Failed, "ERROR: no info (from x.cpp:3); exit status: 1".to_owned()));
        let skipped = outcome(0, "get_info...\nThe device has none.\nget_info test not supported\nPASSED test.\n");
        assert_eq!(skipped, (Outcome::Skipped, "The device has none.".to_owned()));
        let old = "get_info skipped (requires at least OpenCL version 3.0, but the device reports OpenCL version 2.0)";
        assert_eq!(outcome(0, old), (Outcome::Skipped, old.to_owned()));
        assert_eq!(judge("get_info", None, "get_info...\n").0, Outcome::TooSlow);
    }
}
