//! The examples of the crate, each on a virtual GPU.
use kfd_tests::{example, text_of};

#[test]
fn a3_example_saxpy() {
    assert_eq!(text("saxpy"), "gfx908 at 0000:23:00.0\n1048576 values are right\n");
}

#[test]
fn a4_example_graph_over_three_queues() {
    assert_eq!(text("graph"), "262144 values are right\n");
}

#[test]
fn a7_example_copy_with_progress() {
    let text = text("copy");
    assert!(text.starts_with("64 MiB are right\n") && text.contains("100 %"), "{text}");
}

#[test]
fn a5_example_fault() {
    let text = text("fault");
    let expected = [
        "the GPU is lost: a queue stopped: a trap; drop the device's queues, then call Device::recover",
        "the GPU is lost: memory fault in the page at 0x7ff0deadb000 (nothing is mapped there); the driver runs nothing more of this process",
        "and the program goes on",
    ];
    assert!(expected.iter().all(|line| text.contains(line)), "{text}");
}

fn text(name: &str) -> String {
    let output = example(&[], name);
    let text = text_of(&output);
    assert!(output.status.success(), "{}\n{text}", output.status);
    text
}
