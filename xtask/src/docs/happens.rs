//! What the pages of `docs/src/happens` say of copies, events, callbacks and graphs, in the recordings of all versions.
use serde_json::Value;

use super::corrections::{Evidence, field};
use super::stack_pages::first_word;

fn begin(event: &Value) -> u64 {
    event["t"].as_u64().expect("a time")
}

fn end(event: &Value) -> u64 {
    begin(event) + event["d"].as_u64().expect("a duration")
}

#[test]
fn a_copy_on_the_device_is_a_kernel_that_the_host_does_not_wait_for() {
    for stack in Evidence::all() {
        let copy = stack.of("copy-device");
        assert_eq!(copy.count("kernel_dispatch __amd_rocclr_copyBuffer"), 1);
        assert!(copy.events.iter().all(|event| first_word(event) != "sdma"), "no copy engine on {}", stack.stack);
        let kernel = copy.first("__amd_rocclr_copyBuffer");
        assert!(end(copy.first("hipMemcpy")) < end(kernel), "{}", stack.stack);
        let grid = if stack.stack == "trixie" { "[262400,1,1]" } else { "[61440,1,1]" };
        assert_eq!(field(kernel, "grid"), grid, "{}", stack.stack);
    }
}
