//! Y3: hand-over by a flag in memory, which the GPU waits for.
use std::process::Command;
use std::time::{Duration, Instant};

use cl_sys::Cl;
use rocm_interop::{Api, Buffer, Error, Flags, Hip, HipModule, OpenCl, Session};
use stack_tests::{on_vgpu, on_virtual_gpu, run_tests};

use crate::hand_over::{Broken, Gate, Late, after, assert_failed, assert_late, hold_up, start, under_any_schedule};
use crate::{N, assert_same, some_mem};

/// More than any test takes.
const LONG: Duration = Duration::from_secs(3600);

/// There and back, without a wait by the host.
fn pass(late: &Late, flags: &Flags, mut buffer: Buffer<u32, OpenCl>, rounds: u32) -> Buffer<u32, OpenCl> {
    for _ in 0..rounds {
        late.opencl(&buffer);
        let on_hip = flags.into_hip(buffer).expect("hand-over");
        late.hip(&on_hip);
        buffer = flags.into_opencl(on_hip).expect("hand-over");
    }
    buffer
}

/// A hand-over to HIP that OpenCL reaches when the gate is opened.
fn behind_a_gate(late: &Late, flags: &Flags, buffer: Buffer<u32, OpenCl>) -> (Gate, Buffer<u32, Hip>) {
    let gate = Gate::new(&late.session);
    late.opencl(&buffer);
    (gate, flags.into_hip(buffer).expect("hand-over"))
}

/// With each owner of memory, as OpenCL orders kernels by what it knows of it. Alone and under other schedules.
#[test]
fn y3_flags_carry_every_write() {
    needs_amd_opencl!();
    let (late, cl) = (Late::new(), Cl::load().expect("OpenCL"));
    let flags = Flags::new(&late.session, LONG).expect("flags");
    let mem = some_mem(&late.session, &cl, cl_sys::CL_MEM_READ_WRITE);
    // SAFETY: made above, used through the view only.
    let view = unsafe { late.session.view::<u32>(mem) }.expect("view");
    let hips = late.session.allocate_hip(N).expect("allocate").into_opencl().expect("hand-over");
    for mut buffer in [late.buffer(), view, hips] {
        buffer.write(&start()).expect("write");
        let buffer = pass(&late, &flags, buffer, 3);
        late.opencl(&buffer);
        assert_late(&buffer, 7);
    }
    // SAFETY: made above.
    unsafe { cl.clReleaseMemObject(mem) }.expect("clReleaseMemObject");
    flags.close().expect("close");
}

#[test]
fn y3_flags_carry_every_write_under_any_schedule() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    under_any_schedule("flags::y3_flags_carry_every_write");
}

/// All wait for each other's work on one queue and one stream, and none for ever.
#[test]
fn y3_threads_that_hand_over_at_once_do_not_deadlock() {
    needs_amd_opencl!();
    const ROUNDS: u32 = 5;
    let late = Late::new();
    let flags = Flags::new(&late.session, LONG).expect("flags");
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| assert_late(&pass(&late, &flags, late.buffer(), ROUNDS), 2 * ROUNDS));
        }
    });
}

fn assert_timed_out(error: &Error, side: Api, limit: Duration) {
    assert!(matches!(error, Error::TimedOut { api, limit: l } if *api == side && *l == limit), "{error}");
    let text = format!("{side}: a hand-over by a flag was not reached within {limit:?}");
    assert!(error.to_string().starts_with(&text), "{error}");
}

/// What the documentation says can deadlock: the host waits for one side, and the other for the host.
#[test]
fn y3_what_would_deadlock_ends_by_the_time_limit() {
    needs_amd_opencl!();
    let (late, limit) = (Late::new(), Duration::from_millis(200));
    let flags = Flags::new(&late.session, limit).expect("flags");
    let buffer = late.buffer();
    let (gate, on_hip) = behind_a_gate(&late, &flags, buffer);
    let started = Instant::now();
    assert_timed_out(&late.session.synchronize().expect_err("the gate is shut"), Api::Hip, limit);
    assert!(started.elapsed() >= limit / 2, "it has waited: {:?}", started.elapsed());
    gate.open();
    late.session.synchronize().expect("told once");
    late.session.finish().expect("OpenCL goes on");
    let buffer = on_hip.into_opencl().expect("hand-over");
    assert_late(&buffer, 1);

    let on_hip = buffer.into_hip().expect("hand-over");
    let held = hold_up(&late.session);
    late.hip(&on_hip);
    let buffer = flags.into_opencl(on_hip).expect("hand-over");
    assert_timed_out(&buffer.read(&mut [0; N]).expect_err("the stream is held up"), Api::OpenCl, limit);
    drop(held);
    late.session.synchronize().expect("HIP goes on");
    assert_late(&buffer, 2);

    // Both sides, and the same flags, are as usable as before. The kernels themselves take less than the limit.
    drop(flags);
    let flags = Flags::new(&late.session, LONG).expect("flags");
    assert_late(&pass(&late, &flags, buffer, 1), 4);
}

/// A hand-over to OpenCL of host memory that HIP reaches when the stream is let go.
fn behind_a_held_up_stream(limit: Duration) -> (Late, Flags, impl Drop + Send, Buffer<u32, OpenCl>) {
    let late = Late::new();
    let flags = Flags::new(&late.session, limit).expect("flags");
    let mut buffer = late.session.allocate_host::<u32>(N).expect("allocate");
    buffer.host_slice().expect("host memory").copy_from_slice(&start());
    let on_hip = buffer.into_hip().expect("hand-over");
    let held = hold_up(&late.session);
    late.hip(&on_hip);
    let buffer = flags.into_opencl(on_hip).expect("hand-over");
    (late, flags, held, buffer)
}

/// When the GPU has given up waiting, HIP still writes: the host gets the elements in place only when it is done.
#[test]
fn y3_what_ran_too_early_is_not_the_hosts_to_read_yet() {
    needs_amd_opencl!();
    let limit = Duration::from_millis(50);
    let (_late, _flags, held, mut buffer) = behind_a_held_up_stream(limit);
    assert_timed_out(&buffer.host_slice().expect_err("the stream is held up"), Api::OpenCl, limit);
    let opened = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        drop(held);
    });
    let elements = buffer.host_slice().expect("told once").to_vec();
    opened.join().expect("opened");
    assert_late(&buffer, 1);
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    assert_same(&elements, &end);
}

/// The same while another thread gives the flags back, which waits for HIP too: nobody has been told yet.
#[test]
fn y3_what_ran_too_early_is_not_the_hosts_while_flags_are_given_back() {
    needs_amd_opencl!();
    let limit = Duration::from_millis(50);
    let (_late, flags, held, mut buffer) = behind_a_held_up_stream(limit);
    let closed = std::thread::spawn(move || flags.close());
    std::thread::sleep(4 * limit);
    let opened = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        drop(held);
    });
    let elements = match buffer.host_slice() {
        Ok(elements) => elements.to_vec(),
        // The thread has not begun to give them back yet, on a busy machine.
        Err(_) => buffer.host_slice().expect("told once").to_vec(),
    };
    opened.join().expect("opened");
    // Told here or there.
    _ = closed.join().expect("given back");
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    assert_same(&end, &after(1));
    assert_same(&elements, &end);
}

/// Another thread was told that the GPU has given up waiting, and HIP still writes: what the host reads or overwrites next waits for it.
#[test]
fn y3_what_ran_too_early_is_waited_for_by_those_who_were_not_told() {
    needs_amd_opencl!();
    type Use = fn(&Late, Buffer<u32, OpenCl>) -> (Vec<u32>, Vec<u32>);
    /// What is read, and what is to be.
    const USES: [(&str, Use); 5] = [
        ("read", |_, buffer| {
            let mut end = vec![0; N];
            buffer.read(&mut end).expect("read");
            (end, after(1))
        }),
        ("write", |late, mut buffer| {
            buffer.write(&vec![7; N]).expect("write");
            (read_by_hip(late, buffer), vec![7; N])
        }),
        ("upload", |late, buffer| {
            let (buffer, data) = buffer.upload(vec![7; N]).expect("upload").wait().expect("wait");
            (read_by_hip(late, buffer), data)
        }),
        ("download", |_, buffer| {
            let (_, data) = buffer.download(vec![0; N]).expect("download").wait().expect("wait");
            (data, after(1))
        }),
        ("copy_staged", |late, mut buffer| {
            let mut to = late.session.allocate_hip::<u32>(N).expect("allocate");
            buffer.copy_staged(&mut to, &mut [0; N]).expect("copy");
            (read_by_hip(late, to.into_opencl().expect("hand-over")), after(1))
        }),
    ];
    let (late, limit) = (Late::new(), Duration::from_millis(50));
    let flags = Flags::new(&late.session, limit).expect("flags");
    for (what, use_it) in USES {
        let on_hip = late.buffer().into_hip().expect("hand-over");
        let held = hold_up(&late.session);
        late.hip(&on_hip);
        let buffer = flags.into_opencl(on_hip).expect("hand-over");
        assert_timed_out(&late.session.finish().expect_err("the stream is held up"), Api::OpenCl, limit);
        let opened = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            drop(held);
        });
        let (got, want) = use_it(&late, buffer);
        opened.join().expect("opened");
        assert!(got == want, "{what}: HIP was not waited for");
    }
}

/// Behind HIP's work.
fn read_by_hip(late: &Late, buffer: Buffer<u32, OpenCl>) -> Vec<u32> {
    late.session.synchronize().expect("HIP goes on");
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    end
}

/// A time limit that passed with nobody told is not lost with the flags or what else is dropped.
#[test]
fn y3_what_ran_too_early_is_told_when_the_flags_are_gone() {
    needs_amd_opencl!();
    let (late, limit) = (Late::new(), Duration::from_millis(50));
    let flags = Flags::new(&late.session, limit).expect("flags");
    let (buffer, other) = (late.buffer(), late.buffer());
    let (gate, on_hip) = behind_a_gate(&late, &flags, buffer);
    let module = HipModule::build(&late.session, crate::HIP).expect("module");
    std::thread::sleep(3 * limit);
    drop(module);
    gate.open();
    drop(other);
    drop(flags);
    let (error, on_hip) = on_hip.into_opencl().expect_err("nobody was told").into_parts();
    assert_timed_out(&error, Api::Hip, limit);
    assert_late(&on_hip.into_opencl().expect("told once"), 1);
}

/// The last wait was for a flag that was raised. HIP's before it was not, and what the host reads was computed too early.
#[test]
fn y3_what_ran_too_early_on_the_way_is_told_to_the_reader() {
    needs_amd_opencl!();
    let (late, limit) = (Late::new(), Duration::from_millis(200));
    let flags = Flags::new(&late.session, limit).expect("flags");
    let buffer = late.buffer();
    let (gate, on_hip) = behind_a_gate(&late, &flags, buffer);
    std::thread::sleep(3 * limit);
    gate.open();
    let buffer = flags.into_opencl(on_hip).expect("hand-over");
    assert_timed_out(&buffer.read(&mut [0; N]).expect_err("HIP did not wait for OpenCL"), Api::Hip, limit);
    assert_late(&buffer, 1);
}

/// What failed before a flag is told by the host's next wait for the buffer, on either side, also by another session's.
#[test]
fn y3_a_failure_before_a_flag_is_told() {
    needs_amd_opencl!();
    let late = Late::new();
    let (broken, other) = (Broken::late(&late.session), Session::open(late.session.device()).expect("session"));
    let flags = Flags::new(&late.session, LONG).expect("flags");
    let buffer = late.buffer();
    broken.launch(&buffer);
    let on_hip = flags.into_hip(buffer).expect("hand-over");
    let (error, on_hip) = on_hip.into_session(&other).expect_err("it failed").into_parts();
    assert_failed(&error);
    let buffer = on_hip.into_opencl().expect("told once");
    broken.launch(&buffer);
    let buffer = flags.into_opencl(flags.into_hip(buffer).expect("hand-over")).expect("hand-over");
    assert_failed(&buffer.read(&mut [0; N]).expect_err("it failed"));

    // By those that wait for HIP alone too, whose work was behind OpenCL's.
    let failing = |buffer| {
        broken.launch(&buffer);
        flags.into_hip(buffer).expect("hand-over")
    };
    let (error, on_hip) = failing(buffer).into_opencl().expect_err("it failed").into_parts();
    assert_failed(&error);
    let pending = failing(on_hip.into_opencl().expect("told once")).into_opencl_later().expect("hand-over");
    let (error, pending) = pending.wait().expect_err("it failed").into_parts();
    assert_failed(&error);
    let buffer = pending.wait().expect("told once");
    assert_late(&buffer, 0);
    flags.close().expect("told once");
}

/// When the GPU has given up waiting, OpenCL still writes: another session gets the buffer only when it is done.
#[test]
fn y3_what_ran_too_early_is_not_another_sessions_to_use_yet() {
    needs_amd_opencl!();
    let (late, limit) = (Late::new(), Duration::from_millis(50));
    let other = Session::open(late.session.device()).expect("session");
    let flags = Flags::new(&late.session, limit).expect("flags");
    let mut buffer = late.session.allocate_host::<u32>(N).expect("allocate");
    buffer.host_slice().expect("host memory").copy_from_slice(&start());
    let (gate, on_hip) = behind_a_gate(&late, &flags, buffer);
    let (error, on_hip) = on_hip.into_session(&other).expect_err("the gate is shut").into_parts();
    assert_timed_out(&error, Api::Hip, limit);
    let opened = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        gate.open();
    });
    let there = on_hip.into_session(&other).expect("told once");
    let mut there = there.into_opencl().expect("hand-over");
    let elements = there.host_slice().expect("host memory").to_vec();
    opened.join().expect("opened");
    assert_late(&there.into_session(&late.session).expect("back"), 1);
    assert_same(&elements, &after(1));
}

#[test]
fn y3_what_is_abandoned_ends_at_once() {
    needs_amd_opencl!();
    let late = Late::new();
    let flags = Flags::new(&late.session, LONG).expect("flags");
    let (first, second) = (late.buffer(), late.buffer());
    let (gate, on_hip) = behind_a_gate(&late, &flags, first);
    let pending = on_hip.into_opencl_later().expect("hand-over");
    assert!(!pending.is_ready().expect("asked"), "HIP waits for the flag");
    flags.abandon();
    let (error, pending) = pending.wait().expect_err("the gate is shut").into_parts();
    assert_timed_out(&error, Api::Hip, LONG);
    gate.open();
    let first = pending.wait().expect("told once");
    assert_late(&first, 1);
    // The same flags again.
    assert_late(&pass(&late, &flags, second, 2), 4);

    // Nobody asks, but the one that gives the flags back.
    let (gate, on_hip) = behind_a_gate(&late, &flags, first);
    flags.abandon();
    gate.open();
    match flags.close() {
        Err(error) => assert_timed_out(&error, Api::Hip, LONG),
        Ok(()) => panic!("nobody was told"),
    }
    drop(on_hip);
}

/// How many queues of the hardware AMD's runtimes give all streams of a GPU, and all of OpenCL's queues.
const QUEUES: &str = "GPU_MAX_HW_QUEUES";

/// Runs a test in a process of its own, with one such queue for each API.
fn with_one_queue(test: &str) {
    let this = std::env::current_exe().expect("this test");
    let mut command = if on_virtual_gpu() { on_vgpu(&[], this) } else { Command::new(this) };
    run_tests(command.env(QUEUES, "1"), &[test], Duration::from_secs(300));
}

#[test]
fn y3_flags_carry_every_write_with_one_hardware_queue() {
    needs_amd_opencl!();
    with_one_queue("flags::y3_flags_carry_every_write");
}

/// HIP's kernels get to the hardware at once, OpenCL's when its thread comes to them: in no order with those of another session.
#[test]
fn y3_sessions_that_share_hardware_queues_can_wait_for_each_other() {
    needs_amd_opencl!();
    if std::env::var_os(QUEUES).is_none() {
        return with_one_queue("flags::y3_sessions_that_share_hardware_queues_can_wait_for_each_other");
    }
    let (one, other, limit) = (Late::new(), Late::new(), Duration::from_secs(5));
    let [flags, others_flags] = [&one, &other].map(|late| Flags::new(&late.session, limit).expect("flags"));
    let (buffer, others) = (one.buffer().into_hip().expect("hand-over"), other.buffer());
    // The other's stream waits for what OpenCL has not submitted, and this one's is behind it.
    let (gate, others) = behind_a_gate(&other, &others_flags, others);
    one.hip(&buffer);
    let buffer = flags.into_opencl(buffer).expect("hand-over");
    // OpenCL has submitted this one's wait when the other's work comes.
    std::thread::sleep(Duration::from_millis(200));
    gate.open();
    let told = [one.session.finish(), other.session.synchronize()];
    let late =
        |outcome: &Result<(), Error>| matches!(outcome, Err(Error::TimedOut { limit: told, .. }) if *told == limit);
    assert!(told.iter().any(late), "{told:?}");
    // Both go on.
    for late in [&one, &other] {
        _ = (late.session.finish(), late.session.synchronize());
    }
    assert_late(&buffer, 1);
    assert_late(&others.into_opencl().expect("hand-over"), 1);
    assert_late(&pass(&one, &flags, buffer, 1), 3);
}
