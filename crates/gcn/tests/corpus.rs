//! The inputs that fuzzing has found (`fuzz/corpus`), once each: what the fuzz targets check holds for them.

#[path = "support/untrusted.rs"]
mod untrusted;

#[test]
fn decode() {
    test_corpus::replay("decode", untrusted::decode);
}

#[test]
fn execute() {
    test_corpus::replay("execute", untrusted::execute);
}

#[test]
fn launch() {
    test_corpus::replay("launch", untrusted::launch);
}
