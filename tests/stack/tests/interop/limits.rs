//! Y5: waits of the host that end, and sessions that are given up.
use std::future::IntoFuture;
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use cl_sys::Cl;
use rocm_interop::hand_over::Flags;
use rocm_interop::hip::HipModule;
use rocm_interop::sys::Api;
use rocm_interop::{Argument, Buffer, Error, Hip, OpenCl};
use rocm_pipeline::Pipeline;

use crate::failures::intercepted;
use crate::hand_over::{Gate, Late, assert_late, hold_up};
use crate::{N, Sides, both_sides, ran_alone, session, shims, some_mem};

const SHORT: Duration = Duration::from_millis(5);
pub const LONG: Duration = Duration::from_secs(600);

#[track_caller]
fn assert_still_running(error: &Error, side: Api, limit: Duration) {
    assert!(matches!(error, Error::StillRunning { api, limit: of } if *api == side && *of == limit), "{error}");
    assert!(
        error.to_string().starts_with(&format!("{side}: work that was enqueued earlier had not ended after {limit:?}"))
    );
}

/// Each wait returns in its time with what it was given, and is made again when the work has ended, which loses
/// nothing.
#[test]
fn y5_every_wait_for_opencl_ends_in_its_time_and_can_be_made_again() {
    needs_amd_opencl!();
    // `hipHostFree` of another test waits for all streams of the device, and holds a lock that the thread behind the
    // gate needs.
    if ran_alone("limits::y5_every_wait_for_opencl_ends_in_its_time_and_can_be_made_again", &[]) {
        return;
    }
    let late = Late::new();
    let (mut buffer, other, third) = (late.buffer(), late.buffer(), late.buffer());
    let gate = Gate::new(&late.session);
    for buffer in [&buffer, &other, &third] {
        late.opencl(buffer);
    }
    late.session.set_wait_limit(Some(SHORT));
    assert_still_running(&late.session.finish().expect_err("finish"), Api::OpenCl, SHORT);
    assert_still_running(&buffer.read(&mut [0]).expect_err("read"), Api::OpenCl, SHORT);
    assert_still_running(&buffer.write(&[7]).expect_err("write"), Api::OpenCl, SHORT);
    let (error, buffer) = buffer.into_hip().expect_err("into_hip").into_parts();
    assert_still_running(&error, Api::OpenCl, SHORT);
    let (error, pending) = other.into_hip_later().expect("begun").wait().expect_err("wait").into_parts();
    assert_still_running(&error, Api::OpenCl, SHORT);
    let longer = 2 * SHORT;
    let (error, pending) = pending.wait_within(longer).expect_err("wait_within").into_parts();
    assert_still_running(&error, Api::OpenCl, longer);
    let (error, (third, data)) = third.upload(vec![0; N]).expect_err("upload").into_parts();
    assert_still_running(&error, Api::OpenCl, SHORT);
    assert_eq!(data.len(), N);
    late.session.set_wait_limit(Some(LONG));
    // Released with the process.
    let mem = some_mem(&late.session, &Cl::load().expect("OpenCL"), cl_sys::CL_MEM_READ_WRITE);
    // SAFETY: a buffer of the session's context, which nobody else has.
    let view = unsafe { late.session.view::<u32>(mem) }.expect("it waits for none of that");
    gate.open();
    let mut buffer = buffer;
    buffer.write(&[7]).expect("write");
    assert_late(&third, 1);
    assert_late(&pending.wait().expect("wait").into_opencl().expect("hand-over"), 1);
    // The write of 7, which was made again, behind the kernel.
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    assert_eq!((end[0], &end[1..]), (7, &crate::hand_over::after(1)[1..]));
    let late_session = late.session.clone();
    drop((late, buffer, third, view));
    late_session.close().expect("nothing is lost");
}

#[test]
fn y5_every_wait_for_hip_ends_in_its_time_and_can_be_made_again() {
    needs_amd_opencl!();
    // `hipHostFree` of another test waits for all streams of the device, and holds a lock that the thread behind the
    // gate needs.
    if ran_alone("limits::y5_every_wait_for_hip_ends_in_its_time_and_can_be_made_again", &[]) {
        return;
    }
    let late = Late::new();
    let [one, other] = [late.buffer(), late.buffer()].map(|buffer| buffer.into_hip().expect("hand-over"));
    let held = hold_up(&late.session);
    late.hip(&one);
    late.hip(&other);
    late.session.set_wait_limit(Some(SHORT));
    assert_still_running(&late.session.synchronize().expect_err("synchronize"), Api::Hip, SHORT);
    let (error, one) = one.into_opencl().expect_err("into_opencl").into_parts();
    assert_still_running(&error, Api::Hip, SHORT);
    let pending = other.into_opencl_later().expect("begun");
    let (error, pending) = pending.wait().expect_err("wait").into_parts();
    assert_still_running(&error, Api::Hip, SHORT);
    late.session.set_wait_limit(None);
    let (error, pending) = pending.wait_within(SHORT).expect_err("wait_within").into_parts();
    assert_still_running(&error, Api::Hip, SHORT);
    drop(held);
    assert_late(&pending.wait_within(LONG).expect("in time"), 1);
    assert_late(&one.into_opencl().expect("hand-over"), 1);
    late.session.close().expect("nothing is lost");
}

/// What is dropped while its work runs is not freed under it.
#[test]
fn y5_what_is_closed_while_its_work_runs_is_leaked() {
    needs_amd_opencl!();
    // As above.
    if ran_alone("limits::y5_what_is_closed_while_its_work_runs_is_leaked", &[]) {
        return;
    }
    let late = Late::new();
    let buffer = late.buffer();
    let address = buffer.address();
    let gate = Gate::new(&late.session);
    late.opencl(&buffer);
    late.session.set_wait_limit(Some(SHORT));
    let error = buffer.close().expect_err("it is in use");
    let Error::Leaked { subject: what, reason } = &error else { panic!("{error}") };
    assert_eq!(*what, format!("memory of {} bytes at {address:#x}", 4 * N));
    assert_still_running(reason, Api::OpenCl, SHORT);
    gate.open();
    late.session.set_wait_limit(None);
    late.session.finish().expect("the kernel had its memory");
    let next: Vec<_> = (0..8).map(|_| late.buffer()).collect();
    assert!(next.iter().all(|buffer| buffer.address() != address), "nobody gets it any more");
}

/// A stage whose work does not end fails in its time, and the thread goes on.
#[test]
fn y5_a_stage_that_hangs_is_given_up() {
    needs_amd_opencl!();
    // As above.
    if ran_alone("limits::y5_a_stage_that_hangs_is_given_up", &[]) {
        return;
    }
    let late = Arc::new(Late::new());
    let buffers = [late.buffer(), late.buffer()];
    let (opencl, hip) = (Arc::clone(&late), Arc::clone(&late));
    let (hold, held) = channel();
    let mut number = 0;
    let pipeline = Pipeline::new()
        .opencl("good", move |x: &mut Buffer<u32, OpenCl>| {
            opencl.opencl(x);
            Ok(())
        })
        .hip("hangs", move |x: &mut Buffer<u32, Hip>| {
            number += 1;
            if number == 1 {
                hip.session.set_wait_limit(Some(SHORT));
                hold.send(hold_up(&hip.session)).expect("the test is there");
            }
            hip.hip(x);
            Ok(())
        });
    let (input, mut output) = pipeline.spawn(buffers).expect("threads");
    input.send(input.buffer().expect("a free one")).expect("the first stage takes it");
    let failed = output.next_within(LONG).expect("in time").expect_err("it hangs");
    assert_eq!((failed.stage, failed.number), ("hangs", 0));
    assert_still_running(&failed.error, Api::Hip, SHORT);
    assert!(failed.batch.is_none(), "the GPU may use it");
    drop(held.recv().expect("it was held up"));
    late.session.set_wait_limit(Some(LONG));
    input.send(input.buffer().expect("the other")).expect("the first stage takes it");
    assert_late(&output.next_within(LONG).expect("in time").expect("no error"), 2);
    drop(input);
    assert!(output.next().is_none());
}

/// Whoever drops a future waits for nothing; the buffer is freed behind the work.
#[test]
fn y5_a_future_that_is_dropped_holds_up_nobody() {
    needs_amd_opencl!();
    // As above.
    if ran_alone("limits::y5_a_future_that_is_dropped_holds_up_nobody", &[]) {
        return;
    }
    let late = Late::of(intercepted());
    let mut context = Context::from_waker(Waker::noop());
    let gate = Gate::new(&late.session);
    for poll in [true, false] {
        let buffer = late.session.allocate::<u32>(N).expect("allocate");
        late.opencl(&buffer);
        let mut future = pin!(buffer.into_hip_later().expect("begun").into_future());
        if poll {
            assert!(matches!(future.as_mut().poll(&mut context), Poll::Pending));
        }
        // Dropped here, with the gate shut.
    }
    gate.open();
    late.session.finish().expect("the kernels had their memory");
    for _ in 0..60_000 {
        if shims::counts().get("clSVMFree").is_some_and(|count| count.succeeded == 2) {
            assert_eq!(shims::freed_in_use(), [""; 0]);
            late.session.close().expect("close");
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("the buffers of cancelled futures are not freed: {:?}", shims::counts());
}

const HANG: &str = r#"extern "C" __global__ void hang(unsigned long long flag) {
    while (!__hip_atomic_load((unsigned *)flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM)) __builtin_amdgcn_s_sleep(8);
}"#;

/// Neither side answers: the session is given up, and another one of the same GPU goes on.
#[test]
fn y5_a_session_is_given_up_and_others_go_on() {
    needs_amd_opencl!();
    // As above.
    if ran_alone("limits::y5_a_session_is_given_up_and_others_go_on", &[]) {
        return;
    }
    let (hung, other) = (session(), session());
    let (sides, others) = (Sides::new(&hung).expect("kernels"), Sides::new(&other).expect("kernels"));
    let buffers = [hung.allocate::<u32>(N).expect("allocate"), hung.allocate(N).expect("allocate")];
    let on_hip = hung.allocate_hip::<u32>(N).expect("allocate");
    let of_others = other.allocate_hip::<u32>(N).expect("allocate");
    let mut flag = other.allocate_host::<u32>(1).expect("allocate");
    flag.host_slice().expect("nobody uses it")[0] = 0;
    let hang = HipModule::build(&hung, HANG).expect("module").kernel("hang").expect("kernel");
    // SAFETY: the flag is there until it is raised, below.
    unsafe { hang.launch(1, 64, 0, &[Argument::value(&flag.address())]) }.expect("launch");
    let gate = Gate::new(&hung);
    sides.add(&buffers[0], 1).expect("launch");
    sides.triple(&on_hip).expect("launch");
    hung.set_wait_limit(Some(LONG));
    std::thread::scope(|threads| {
        let waits = [threads.spawn(|| hung.finish()), threads.spawn(|| hung.synchronize())];
        hung.abandon();
        let ended = waits.map(|wait| wait.join().expect("no panic").expect_err("it was abandoned"));
        assert!(
            matches!(ended, [Error::Abandoned { api: Api::OpenCl }, Error::Abandoned { api: Api::Hip }]),
            "{ended:?}"
        );
    });
    assert!(matches!(sides.add(&buffers[0], 1), Err(Error::Abandoned { api: Api::OpenCl })));
    assert!(matches!(sides.triple(&on_hip), Err(Error::Abandoned { api: Api::Hip })));
    hung.set_wait_limit(None);
    assert!(matches!(buffers[0].read(&mut [0]), Err(Error::Abandoned { api: Api::OpenCl })));
    let is_leaked = |closed: Result<(), Error>| {
        let error = closed.expect_err("it may be in use");
        let Error::Leaked { reason, .. } = &error else { panic!("{error}") };
        assert!(matches!(**reason, Error::Abandoned { .. }), "{error}");
    };
    buffers.into_iter().for_each(|buffer| is_leaked(buffer.close()));
    is_leaked(on_hip.close());
    others.run(other.allocate(N).expect("allocate")).expect("others go on");
    both_sides(&other, other.allocate(N).expect("allocate")).expect("with kernels of its own");
    is_leaked(of_others.close());
    drop((sides, hang));
    let stream = hung.stream();
    is_leaked(hung.close().map(drop));
    // The end of the process waits for the GPU.
    gate.open();
    flag.host_slice().expect("nobody of its session uses it")[0] = 1;
    // SAFETY: the stream was leaked.
    let ended = unsafe { hip_sys::Hip::load().expect("HIP").hipStreamSynchronize(stream) };
    assert_eq!(ended.expect("HIP"), hip_sys::hipError_t::hipSuccess, "the kernel reads the flag");
    flag.close().expect("nothing of it hangs");
    others.close().expect("nothing of it hangs");
    other.close().expect("nothing of it hangs");
}

/// HIP's frees wait inside for all streams of the GPU, whatever was given the memory. Leaving by `?` ends all the same,
/// and so does the process.
#[test]
fn y5_who_leaves_after_a_wait_that_ran_out_is_not_held_by_what_hip_frees() {
    needs_amd_opencl!();
    // Its kernel never ends.
    stack_tests::needs_vgpu!();
    if crate::ran_alone_within(LEAVING, &[], Duration::from_secs(120)) {
        return;
    }
    let errors = crate::failures::Errors::default();
    tracing::subscriber::set_global_default(errors.clone()).expect("the only listener");
    let mut flag = session().allocate_host::<u32>(1).expect("allocate");
    flag.host_slice().expect("nobody uses it")[0] = 0;
    let address = flag.address();
    let limit = Duration::from_millis(200);
    let other = session().with_wait_limit(limit);
    let of_other = other.allocate_hip::<u32>(N).expect("allocate");
    let leave = || -> Result<(), Error> {
        let session = session().with_wait_limit(limit);
        let beside = session.beside()?;
        let (_unused, _staged) = (session.allocate_hip::<u32>(N)?, beside.allocate_managed::<u32>(N)?);
        let _flags = Flags::new(&session, limit)?;
        let hang = HipModule::build(&session, HANG)?.kernel("hang")?;
        // SAFETY: the flag is there for the rest of the process.
        unsafe { hang.launch(1, 64, 0, &[Argument::value(&address)]) }?;
        beside.synchronize()?;
        session.synchronize()
    };
    assert_still_running(&leave().expect_err("it hangs"), Api::Hip, limit);
    let leaked = errors.take();
    for what in [&format!("memory of {} bytes", 4 * N), "a HIP module", "a session's queue"] {
        assert!(leaked.iter().any(|line| line.contains(what)), "{what} in {leaked:?}");
    }
    // Another session's memory, too.
    let error = of_other.close().expect_err("hipFree would wait");
    assert!(matches!(error, Error::Leaked { .. }), "{error}");
    other.close().expect("nothing of it hangs");
    std::mem::forget(flag);
}
const LEAVING: &str = "limits::y5_who_leaves_after_a_wait_that_ran_out_is_not_held_by_what_hip_frees";
