//! Buffers of which it is known that no work uses them: what runtimes on top pass between their threads.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rocm_interop::Error;
use rocm_interop::hand_over::{Flags, Shared};
use rocm_interop::sys::Api;
use stack_tests::exclusive;

use crate::failures::intercepted;
use crate::hand_over::{Broken, Late, assert_failed, assert_late, hold_up, telling, when_it_waits};
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

/// The wait for a flag that the GPU gave up holds nothing back: the other side's work is waited for too.
#[test]
fn behind_a_late_flag_both_sides_work_is_waited_for() {
    needs_amd_opencl!();
    let late = telling();
    let flags = Flags::new(&late.session, Duration::from_secs(3600)).expect("flags");
    let on_hip = late.buffer().into_hip().expect("hand-over");
    let held = hold_up(&late.session);
    late.hip(&on_hip);
    let buffer = flags.into_opencl(on_hip).expect("hand-over");
    flags.abandon();
    let (error, buffer) = buffer.into_idle().expect_err("the stream is held up").into_parts();
    assert!(matches!(error, Error::TimedOut { api: Api::OpenCl, .. }), "{error}");
    let goes_on = AtomicBool::new(false);
    let let_go = || {
        goes_on.store(true, Ordering::Relaxed);
        drop(held);
    };
    let (idle, waited) = when_it_waits(Api::Hip, let_go, || {
        let idle = buffer.into_idle().expect("told once");
        (idle, goes_on.load(Ordering::Relaxed))
    });
    assert!(waited, "HIP's kernel had not begun");
    assert_late(&idle.into_inner(), 1);
    flags.close().expect("all were told");
}
