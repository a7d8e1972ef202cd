//! The inputs that fuzzing has found (`fuzz/corpus`), once each: what the fuzz target checks holds for them. One test, since it counts the
//! descriptors of the process.

#[path = "support/untrusted.rs"]
mod untrusted;

#[test]
fn receive() {
    let mut count = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/receive")).expect("the corpus") {
        let path = entry.expect("an entry").path();
        println!("{}", path.display());
        untrusted::receive(&std::fs::read(path).expect("an input"));
        count += 1;
    }
    assert!(count > 10, "only {count} inputs");
}
