//! A process can fork while one of its threads initialises a static value. With the standard library's statics, the
//! child would wait for a thread that it does not have.

use std::fs;
use std::path::Path;

/// The statics in `text` for which threads wait.
fn waited_for(text: &str) -> Vec<&str> {
    let waits = |line: &&str| {
        ["OnceLock<", "LazyLock<"].iter().any(|kind| line.split_once(kind).is_some_and(|(before, _)| is_static(before)))
    };
    text.lines().map(str::trim).filter(waits).collect()
}

fn is_static(line: &str) -> bool {
    line.trim_start().trim_start_matches("pub ").starts_with("static ")
}

fn look(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            look(&path, found);
        } else {
            let text = fs::read_to_string(&path).unwrap();
            found.extend(waited_for(&text).into_iter().map(|line| format!("{}: {line}", path.display())));
        }
    }
}

#[test]
fn nobody_waits_for_a_static() {
    assert_eq!(waited_for("    static A: OnceLock<u8> = OnceLock::new();\nslots: OnceLock<u8>").len(), 1);
    let mut found = Vec::new();
    look(&Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("src"), &mut found);
    assert!(found.is_empty(), "{found:#?}");
}
