//! The examples of the crate, whose kernels are compiled for gfx908, gfx90a and gfx942.
use kfd_tests::{example, isa, on_machines_gpu, text_of};

macro_rules! needs_kernels {
    () => {
        if !["gfx908", "gfx90a", "gfx942"].contains(&&*isa()) {
            test_skip::skip!("the example's kernels are for gfx908, gfx90a and gfx942, and this GPU is a {}", isa());
        }
    };
}

#[test]
fn a3_example_saxpy() {
    needs_kernels!();
    let text = text("saxpy");
    let place = text.lines().next().and_then(|line| line.strip_prefix(&*format!("{} at ", isa())));
    assert!(place == Some("0000:23:00.0") || place.is_some() && on_machines_gpu(), "{text}");
    assert!(text.ends_with("\n1048576 values are right\n"), "{text}");
}

#[test]
fn a4_example_graph_over_three_queues() {
    needs_kernels!();
    assert_eq!(text("graph"), "262144 values are right\n");
}

#[test]
fn a7_example_copy_with_progress() {
    let text = text("copy");
    assert!(text.starts_with("64 MiB are right\n") && text.contains("100 %"), "{text}");
}

#[test]
fn a5_example_fault() {
    needs_kernels!();
    let text = text("fault");
    let expected = [
        "a queue stopped that was to do it, or that it waits for: a trap (not done: kernel trap); drop that queue and make another",
        "the GPU is lost: memory fault in the page at 0x7ff0deadb000 (nothing is mapped there); the driver runs nothing more of this process",
        "and the program goes on",
    ];
    assert!(expected.iter().all(|line| text.contains(line)), "{text}");
}

fn text(name: &str) -> String {
    let output = example(name);
    let text = text_of(&output);
    assert!(output.status.success(), "{}\n{text}", output.status);
    text
}
