//! Buffers of which it is known that no work uses them: what runtimes on top pass between their threads.
use rocm_interop::hand_over::Shared;
use stack_tests::exclusive;

use crate::failures::intercepted;
use crate::hand_over::{Broken, Late, assert_failed, assert_late};
use crate::shims;

/// The wait comes once. Then the turn passes to either side and back without a call, also where others have queue and
/// stream.
#[test]
fn what_is_idle_passes_to_either_side_without_a_call() {
    needs_amd_opencl!();
    let _alone = exclusive();
    let session = intercepted();
    _ = (session.queue(), session.stream());
    let late = Late::of(session);
    let buffer = late.buffer();
    late.opencl(&buffer);
    let idle = buffer.into_idle().expect("wait");
    shims::start([]);
    let on_hip = idle.into_hip().into_opencl().into_hip().into_inner();
    assert!(shims::counts().is_empty(), "{:?}", shims::counts().keys());
    late.hip(&on_hip);
    let idle = on_hip.into_idle().expect("wait");
    shims::start([]);
    let buffer = idle.into_opencl().into_inner();
    assert!(shims::counts().is_empty(), "{:?}", shims::counts().keys());
    assert_late(&buffer, 2);
}

/// A failure is told once, with all buffers, whose work has ended by then.
#[test]
fn work_that_failed_leaves_buffers_that_are_idle_at_the_next_call() {
    needs_amd_opencl!();
    let late = Late::new();
    let (good, failed, broken) = (late.buffer(), late.buffer(), Broken::late(&late.session));
    late.opencl(&good);
    broken.launch(&failed);
    let (error, both) = (good, failed).into_idle().expect_err("one failed").into_parts();
    assert_failed(&error);
    let (good, failed) = both.into_idle().expect("told once").into_hip().into_opencl().into_inner();
    assert_late(&good, 1);
    assert_late(&failed, 0);
}
