//! Replays the inputs that fuzzing has found, so that `cargo test` checks what the fuzz targets check.

/// Calls `check` with each file of `fuzz/corpus/TARGET` of the crate at `root` (its `CARGO_MANIFEST_DIR`), and prints the file's name first.
///
/// # Panics
/// If a file cannot be read, or there are no more than ten: then this is not the corpus.
pub fn replay(root: &str, target: &str, check: fn(&[u8])) {
    let folder = format!("{root}/fuzz/corpus/{target}");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("an entry").path();
        println!("{}", path.display());
        check(&std::fs::read(path).expect("an input"));
        count += 1;
    }
    assert!(count > 10, "{target} has only {count} inputs");
}
