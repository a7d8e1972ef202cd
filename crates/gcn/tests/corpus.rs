//! Replays the inputs that fuzzing has found (`fuzz/corpus`) through the checks of the fuzz targets.

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
