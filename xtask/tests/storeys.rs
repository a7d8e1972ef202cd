//! Who may import whom: a module knows nothing of the modules above it (docs/src/notes/structure.md).

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The storeys of a crate: modules directly below its root, from below upwards.
struct Crate {
    name: &'static str,
    storeys: &'static [&'static str],
    /// Whether modules that are no storey lie below all of them. Otherwise every module is one.
    has_files_below: bool,
}

const CRATES: [Crate; 10] = [
    Crate {
        name: "amdgpu-code-object",
        storeys: &[
            "service",
            "target",
            "error",
            "target_forms",
            "msgpack",
            "elf",
            "metadata",
            "descriptor",
            "kernel",
            "launch",
            "image",
            "compressed",
            "bundle",
        ],
        has_files_below: false,
    },
    Crate { name: "kfd-topology", storeys: &["error", "pci", "wait"], has_files_below: false },
    Crate { name: "kfd", storeys: &["driver", "memory", "queues", "raw", "typed"], has_files_below: true },
    Crate { name: "kfd-runtime", storeys: &["stats", "error", "arena", "graph"], has_files_below: false },
    Crate {
        name: "gcn-isa",
        storeys: &["target", "format", "op", "inst", "waitcnt", "decode", "disasm"],
        has_files_below: false,
    },
    Crate { name: "gcn-alu", storeys: &["wave", "fp", "simd", "salu", "valu", "mfma"], has_files_below: false },
    Crate {
        name: "gcn",
        storeys: &["machine", "interp", "jit", "sanitizer", "dispatch", "exec"],
        has_files_below: false,
    },
    Crate { name: "vgpu", storeys: &["hardware", "driver", "preload"], has_files_below: true },
    Crate {
        name: "dmabuf-channel",
        storeys: &["error", "socket", "descriptor", "dmabuf", "channel"],
        has_files_below: false,
    },
    Crate {
        name: "rocm-interop",
        storeys: &["error", "apis", "session", "allocation", "buffer", "kernels", "hand_over", "sharing"],
        has_files_below: false,
    },
];

/// Modules at the root that are no part of the library: programs, and examples that must not compile.
const BESIDE: [&str; 3] = ["lib", "bin", "wrong_uses"];

impl Crate {
    /// How high a module directly below the root stands.
    fn height(&self, module: &str) -> usize {
        self.storeys.iter().position(|storey| *storey == module).map_or(0, |index| index + 1)
    }

    /// What of the crate's source goes upwards.
    fn upwards(&self, source: &Path) -> Vec<String> {
        let exported = exported(&fs::read_to_string(source.join("lib.rs")).unwrap());
        let mut upwards = Vec::new();
        let mut seen = vec![false; self.storeys.len() + 1];
        for path in files(source) {
            let place = path.strip_prefix(source).unwrap();
            let module = place.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
            if BESIDE.contains(&module) {
                continue;
            }
            let height = self.height(module);
            if height == 0 && !self.has_files_below {
                upwards.push(format!("{} is on no storey", place.display()));
            }
            seen[height] = true;
            let text = code(&fs::read_to_string(&path).unwrap());
            for name in named(&text, place.components().count()) {
                let of = exported.get(&name).unwrap_or(&name);
                if self.height(of) > height {
                    upwards.push(format!("{} names {name} of {of}", place.display()));
                }
            }
            if self.name == "kfd" && module == "typed" {
                if text.contains("kfd_sys") || text.contains("request!") {
                    upwards.push(format!("{} asks the driver itself", place.display()));
                }
                if text.contains("queues::") {
                    upwards.push(format!("{} hands work over without raw", place.display()));
                }
            }
            if self.name == "kfd-runtime" && (text.contains("kfd_sys") || text.contains("request!")) {
                upwards.push(format!("{} asks the driver itself", place.display()));
            }
            if self.name == "vgpu" && height < self.height("driver") && text.contains("kfd_sys") {
                upwards.push(format!("{} knows the driver's interface, kfd_sys", place.display()));
            }
        }
        let missing = (usize::from(!self.has_files_below)..seen.len()).filter(|height| !seen[*height]);
        upwards.extend(missing.map(|height| format!("storey {height} has no files")));
        upwards
    }
}

/// The source files in a folder and those in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut list = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            list.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            list.push(path);
        }
    }
    list
}

/// A file without its comments and its unit tests: both may look at anything.
fn code(text: &str) -> String {
    let before_tests = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    before_tests.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The first name of each path in a group, from behind its brace on.
fn group(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0;
    let mut first = true;
    for (position, c) in text.char_indices() {
        if first && depth == 0 && !c.is_whitespace() && c != '}' {
            names.push(identifier(&text[position..]));
            first = false;
        }
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => first = true,
            _ => {}
        }
    }
    names
}

/// What the `text` of a file that lies so many folders deep names of its crate's root: behind `crate::`, each of a
/// group `crate::{...}`, and what is behind as many `super::` as lead there.
fn named(text: &str, depth: usize) -> Vec<String> {
    let root = "super::".repeat(depth);
    let paths = text.match_indices("crate::").chain(text.match_indices(root.as_str()));
    paths
        .flat_map(|(at, path)| {
            let behind = &text[at + path.len()..];
            match behind.strip_prefix('{') {
                Some(names) => group(names),
                None => vec![identifier(behind)],
            }
        })
        .collect()
}

/// The module behind each name that a crate's root exports.
fn exported(root: &str) -> HashMap<String, String> {
    let mut modules = HashMap::new();
    for (at, words) in root.match_indices("pub use ") {
        let path = &root[at + words.len()..];
        let module = identifier(path);
        let Some(behind) = path[module.len()..].strip_prefix("::") else { continue };
        let names = behind.strip_prefix('{').map_or_else(|| vec![identifier(behind)], group);
        modules.extend(names.into_iter().map(|name| (name, module.clone())));
    }
    modules
}

#[test]
fn arrows_go_down_only() {
    let crates = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).parent().unwrap().join("crates");
    let upwards = CRATES.map(|one| (one.name, one.upwards(&crates.join(one.name).join("src"))));
    assert!(upwards.iter().all(|(_, upwards)| upwards.is_empty()), "{upwards:#?}");
}

#[test]
fn what_a_text_names() {
    let text = "use crate::{log, driver::kfd::{self, events}, trace}; crate::hardware::gpu; super::preload::open;";
    assert_eq!(named(text, 1), ["log", "driver", "trace", "hardware", "preload"]);
    assert_eq!(named("super::low::x; super::super::driver::y", 2), ["driver"]);
    assert_eq!(code("a\n  // crate::b\nc\n#[cfg(test)]\nmod tests {\ncrate::d"), "a\nc");
}

#[test]
fn what_a_root_exports() {
    let exported = exported("pub use aql;\npub use error::{Error, Result};\npub use queue::Queue;");
    let module = |name: &str| exported.get(name).map(String::as_str);
    assert_eq!((module("Error"), module("Queue"), module("aql")), (Some("error"), Some("queue"), None));
}
