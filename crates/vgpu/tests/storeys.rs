//! Who may import whom: what lies lower knows nothing of what stands on it (CONTRIBUTING.md, "The storeys of vgpu").

use std::fs;
use std::path::{Path, PathBuf};

/// From below upwards. Modules directly in `src` are below all.
const STOREYS: [&str; 3] = ["hardware", "driver", "preload"];

/// How high a module directly below the crate's root stands.
fn height(module: &str) -> usize {
    STOREYS.iter().position(|storey| *storey == module).map_or(0, |index| index + 1)
}

fn files(folder: &Path, list: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, list);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            list.push(path);
        }
    }
}

/// The crate's modules that `text` names: behind `crate::`, each of a group `crate::{...}`, and a storey behind `super::`.
fn named(text: &str) -> Vec<String> {
    let identifier = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = Vec::new();
    for (at, path) in text.match_indices("crate::").chain(text.match_indices("super::")) {
        let behind = &text[at + path.len()..];
        match behind.strip_prefix('{') {
            None if path == "crate::" || height(&identifier(behind)) > 0 => names.push(identifier(behind)),
            Some(group) if path == "crate::" => {
                let mut depth = 0;
                let mut first = true;
                for (position, c) in group.char_indices() {
                    if first && depth == 0 && !c.is_whitespace() && c != '}' {
                        names.push(identifier(&group[position..]));
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
            }
            _ => {}
        }
    }
    names
}

#[test]
fn arrows_go_down_only() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut list = Vec::new();
    files(&source, &mut list);
    let mut seen = [false; 4];
    let mut upwards = Vec::new();
    for path in &list {
        let place = path.strip_prefix(&source).unwrap();
        let module = place.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        // The crate's root names all storeys, and the program is no part of the device.
        if matches!(module, "lib" | "bin") {
            continue;
        }
        let text = fs::read_to_string(path).unwrap();
        let higher = |name: &String| height(name) > height(module);
        upwards.extend(named(&text).into_iter().filter(higher).map(|name| format!("{} names {name}", place.display())));
        if height(module) < height("driver") && text.contains("kfd_sys") {
            upwards.push(format!("{} knows the driver's interface, kfd_sys", place.display()));
        }
        seen[height(module)] = true;
    }
    assert_eq!(seen, [true; 4], "a storey has no files");
    assert!(upwards.is_empty(), "{upwards:#?}");
}

#[test]
fn what_a_text_names() {
    let text =
        "use crate::{log, driver::kfd::{self, events}, trace}; crate::hardware::gpu; super::preload::open; super::gpu";
    assert_eq!(named(text), ["log", "driver", "trace", "hardware", "preload"]);
}
