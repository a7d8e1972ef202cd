//! The inputs that fuzzing has found (`fuzz/corpus`), once each: what the fuzz targets check holds for them.

#[path = "support/untrusted.rs"]
mod untrusted;

fn replay(target: &str, check: fn(&[u8])) {
    let folder = format!("{}/fuzz/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("an entry").path();
        println!("{}", path.display());
        check(&std::fs::read(path).expect("an input"));
        count += 1;
    }
    assert!(count > 10, "only {count} inputs");
}

#[test]
fn records() {
    replay("records", untrusted::records);
}

#[test]
fn lines() {
    replay("lines", untrusted::lines);
}
