//! Who may import whom in `exec`: what lies lower knows nothing of what stands on it.

use std::fs;
use std::path::Path;

#[rustfmt::skip]
/// The modules of `exec`, from below upwards. Each may import those before it.
const MODULES: [&str; 51] = [
    // The wave, and how the host computes.
    "wave", "float", "simd", "memory", "outcome", "atomic_loads", "rows", "races", "written", "barriers", "segments", "inspected", "known", "shadow", "footprint", "touch",
    "sharing", "waits",
    "machine",
    // What instructions share.
    "piece", "run", "access", "atomic", "format",
    // Instructions.
    "control", "salu", "smem", "valu", "lds_direct", "mfma", "gws", "ds", "flat", "buffer", "image", "local", "global",
    // What is looked for before they run.
    "private", "outside", "poison", "unwritten", "collisions",
    // From code to instructions, and what runs them.
    "lower", "relative", "native", "code", "launch", "order", "trap", "checked", "workgroup",
];

fn rank(module: &str) -> Option<usize> {
    MODULES.iter().position(|name| *name == module)
}

/// The modules of `exec` that `text` names behind `super::` or `crate::exec::`, alone or in a group.
fn named(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for (at, path) in text.match_indices("super::").chain(text.match_indices("crate::exec::")) {
        let behind = &text[at + path.len()..];
        let (path, depth) = match behind.strip_prefix('{') {
            Some(group) => (group.split_once("};").map_or(group, |(group, _)| group), usize::MAX),
            None => (behind, 1),
        };
        let words = path.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        names.extend(words.take(depth).filter(|word| rank(word).is_some()));
    }
    names
}

fn check(path: &Path, module: usize, seen: &mut Vec<usize>) {
    if path.is_dir() {
        if !path.ends_with("tests") {
            fs::read_dir(path).unwrap().for_each(|entry| check(&entry.unwrap().path(), module, seen));
        }
        return;
    }
    if path.ends_with("tests.rs") {
        return;
    }
    let text = fs::read_to_string(path).unwrap();
    // Tests may look at everything.
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    for name in named(text) {
        assert!(
            rank(name) <= Some(module),
            "{} imports `{name}`, which stands above `{}`",
            path.display(),
            MODULES[module]
        );
    }
    seen.push(module);
}

#[test]
fn modules_import_only_those_below_them() {
    let folder = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("src/exec");
    let mut seen = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let module = rank(name).unwrap_or_else(|| panic!("`{name}` has no place in the list of modules"));
        check(&path, module, &mut seen);
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), MODULES.len(), "the list has modules that are no more");
}

#[test]
fn an_import_from_above_is_seen() {
    assert_eq!(named("use super::{Launch, code::Code};\nuse crate::exec::wave::Wave;"), ["code", "wave"]);
    assert_eq!(named("fn lower() { super::super::workgroup::run() }"), ["workgroup"]);
    assert!(named("use crate::bus::Bus; use std::memory::x;").is_empty());
}
