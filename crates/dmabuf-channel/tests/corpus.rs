//! The inputs that fuzzing has found (`fuzz/corpus`), once each: what the fuzz target checks holds for them. One test,
//! since it counts the descriptors of the process.

#[path = "support/untrusted.rs"]
mod untrusted;

#[test]
fn receive() {
    test_corpus::replay("receive", untrusted::receive);
}
