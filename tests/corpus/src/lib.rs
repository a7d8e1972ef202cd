//! Replays the inputs that fuzzing has found, so that `cargo test` checks what the fuzz targets check.
use std::path::Path;

/// Calls `check` with each file of `fuzz/corpus/TARGET` of the package whose test this is, and prints the file's name
/// first.
///
/// # Panics
/// If cargo did not start the test, a file cannot be read, or there are no more than ten: then this is not the corpus.
pub fn replay(target: &str, check: fn(&[u8])) {
    // Not compiled in: in a copy of the project that would be the original's.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo starts the tests");
    let folder = Path::new(&package).join("fuzz/corpus").join(target);
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("an entry").path();
        println!("{}", path.display());
        check(&std::fs::read(path).expect("an input"));
        count += 1;
    }
    assert!(count > 10, "{target} has only {count} inputs");
}
