//! The inputs that fuzzing has found (`fuzz/corpus`), once each: what the fuzz targets check holds for them.

#[path = "support/untrusted.rs"]
mod untrusted;

#[test]
fn records() {
    test_corpus::replay("records", untrusted::records);
}

#[test]
fn lines() {
    test_corpus::replay("lines", untrusted::lines);
}
