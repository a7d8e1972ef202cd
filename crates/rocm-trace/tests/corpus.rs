//! Replays the inputs that fuzzing has found (`fuzz/corpus`) through the checks of the fuzz targets.

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
