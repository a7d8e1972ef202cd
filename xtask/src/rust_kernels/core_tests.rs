//! `core`'s own tests as a program for the GPU: the compiler's sources have them, and those are copied that a GPU can
//! run.
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::write_if_changed;
use crate::vgpu;

/// The modules that are taken. Others need of the standard library what a GPU does not have (threads, panics that are
/// caught, functions of floats), or would take minutes more of the compiler.
const TAKEN: [&str; 6] = ["bool", "cell", "cmp", "option", "result", "tuple"];

/// Attributes of the root that are left out: a feature that `core` does not have, and a lint.
const LEFT_OUT: [&str; 2] = ["#![feature(float_gamma)]", "#![deny(unsafe_op_in_unsafe_fn)]"];

/// What makes a program for the GPU of them.
const BEGIN: &str = "#![no_main]\n#![feature(abi_gpu_kernel, custom_test_frameworks)]\n#![reexport_test_harness_main = \"test_main\"]\n#![allow(warnings)]\n";
const END: &str = "\n#[cfg(test)]\ntest::harness!(test_main);\n";

/// The seed of random numbers, which is new in each run of a host.
const RANDOM: [(&str, &str); 2] = [
    ("std::hash::RandomState::new().build_hasher()", "core::hash::SipHasher::new()"),
    ("use core::hash::{BuildHasher, ", "use core::hash::{"),
];

/// Writes a package of them into `folder` and gives its path. `library` has the sources of `core`.
///
/// # Errors
/// If there are none, or they lack what is taken or changed: they are of another version then.
pub fn write(library: &Path, folder: &Path) -> Result<PathBuf> {
    let package = folder.join("core-tests");
    copy(&library.join("coretests/tests"), &package.join("src"), Path::new(""))?;
    let root = vgpu::root();
    let manifest = fs::read_to_string(root.join("tests/rust-kernels/Cargo.toml"))?;
    let (_, profile) =
        manifest.split_once("[profile.dev]").context("tests/rust-kernels/Cargo.toml has no [profile.dev]")?;
    let path = |path: &str| root.join(path).display().to_string();
    let manifest = format!(
        r#"[package]
name = "core-tests"
version = "0.0.0"
edition = "2024"
publish = false

[workspace]

[[bin]]
name = "core-tests"
path = "src/main.rs"

[dependencies]
rand = {{ version = "0.9", default-features = false }}
rand_xorshift = {{ version = "0.4", default-features = false }}
std = {{ package = "std-on-gpu", path = {:?} }}
test = {{ package = "kfd-runner", path = {:?}, default-features = false, features = ["alloc"] }}

[profile.dev]{profile}"#,
        path("tests/rust-kernels/std"),
        path("crates/kfd-runner")
    );
    write_if_changed(&package.join("Cargo.toml"), manifest.as_bytes())?;
    Ok(package)
}

/// Copies a folder, changed as above. `name` is its path among the tests.
fn copy(from: &Path, to: &Path, name: &Path) -> Result<()> {
    let folder = from.join(name);
    for entry in fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let name = name.join(entry?.file_name());
        let source = from.join(&name);
        if source.is_dir() {
            copy(from, to, &name)?;
        } else {
            let text = fs::read_to_string(&source).with_context(|| format!("cannot read {}", source.display()))?;
            let (name, text) = match name.to_str() {
                // The tests' own name for their root would be that of a library.
                Some("lib.rs") => (PathBuf::from("main.rs"), changed(&text)?),
                _ => (name, text),
            };
            write_if_changed(&to.join(&name), text.as_bytes())?;
        }
    }
    Ok(())
}

/// The root for the GPU.
fn changed(text: &str) -> Result<String> {
    let module = |line: &str| line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')).map(str::to_owned);
    for taken in TAKEN {
        let there = text.lines().filter_map(module).any(|module| module == taken);
        ensure!(there, "core's tests have no module {taken}: they are of another version");
    }
    let left_out =
        |line: &&str| LEFT_OUT.contains(line) || module(line).is_some_and(|module| !TAKEN.contains(&module.as_str()));
    let mut text: String = text.lines().filter(|line| !left_out(line)).flat_map(|line| [line, "\n"]).collect();
    for (random, fixed) in RANDOM {
        ensure!(text.contains(random), "core's tests have no `{random}`: they are of another version");
        text = text.replace(random, fixed);
    }
    Ok(format!("{BEGIN}{text}{END}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_gpu_cannot_compile_is_left_out_and_the_harness_is_added() {
        let modules = TAKEN.map(|module| format!("mod {module};\n")).concat();
        let rest = |random: &str, hasher: &str| format!("    {random}\n    {hasher}Hash}};\n");
        let before = rest(RANDOM[0].0, RANDOM[1].0);
        let text = format!("#![feature(a)]\n{}\n{modules}mod panic;\n{before}", LEFT_OUT.join("\n"));
        let expected = format!("{BEGIN}#![feature(a)]\n{modules}{}{END}", rest(RANDOM[0].1, RANDOM[1].1));
        assert_eq!(changed(&text).unwrap(), expected);
        let error = changed(&text.replace("mod cell;\n", "")).unwrap_err().to_string();
        assert!(error.contains("no module cell"), "{error}");
        let error = changed(&text.replace(RANDOM[0].0, "")).unwrap_err().to_string();
        assert!(error.contains("RandomState"), "{error}");
    }
}
