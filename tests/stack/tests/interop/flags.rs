//! Y3: hand-over by a flag in memory, which the GPU waits for.
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use cl_sys::Cl;
use rocm_interop::hand_over::Flags;
use rocm_interop::hip::HipModule;
use rocm_interop::sys::Api;
use rocm_interop::{Buffer, Error, Hip, OpenCl, Session};
use stack_tests::{on_vgpu, on_virtual_gpu, run_tests};

use crate::hand_over::{
    Broken, Gate, Late, WAITS, after, assert_failed, assert_late, hold_up, start, telling, under_any_schedule,
    wait_until_submitted, when_it_waits,
};
use crate::{N, assert_same, ran_alone, some_mem};

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
    let (error, on_hip) = on_hip.into_opencl().expect_err("it ran too early, whoever else was told").into_parts();
    assert_timed_out(&error, Api::Hip, limit);
    let buffer = on_hip.into_opencl().expect("told once");
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

/// A kernel of HIP's that makes one buffer of another.
const COPY: &str = "extern \"C\" __global__ void copy(unsigned *to, const unsigned *from) {
    to[blockIdx.x * blockDim.x + threadIdx.x] = from[blockIdx.x * blockDim.x + threadIdx.x];
}";

/// Several batches are on their way to HIP, and one flag is late: its buffer and what was computed from it are told,
/// whoever asks first, and no other.
#[test]
fn y3_each_batch_is_told_of_its_own_late_flag() {
    needs_amd_opencl!();
    let (late, limit) = (Late::new(), LONG);
    let flags = Flags::new(&late.session, limit).expect("flags");
    let copy = HipModule::build(&late.session, COPY).expect("module").kernel("copy").expect("kernel");
    let copy = |to: &Buffer<u32, Hip>, from: &Buffer<u32, Hip>| {
        // SAFETY: one work-item an element.
        unsafe { copy.launch((N / 64) as u32, 64, 0, &[to.into(), from.into()]) }.expect("launch");
    };
    let on_hip = || late.session.allocate_hip::<u32>(N).expect("allocate");
    let good = || {
        let buffer = late.buffer();
        late.opencl(&buffer);
        let buffer = flags.into_hip(buffer).expect("hand-over");
        late.hip(&buffer);
        buffer
    };
    let before = good();
    late.session.synchronize().expect("in time");
    let (gate, bad) = behind_a_gate(&late, &flags, late.buffer());
    late.hip(&bad);
    let (of_bad, of_that, of_good) = (on_hip(), on_hip(), on_hip());
    copy(&of_bad, &bad);
    copy(&of_that, &of_bad);
    copy(&of_good, &before);
    let (raw, mut by_a_library) = (late.session.raw_hip().expect("HIP"), on_hip());
    raw.pointer(&of_that).and_then(|_| raw.pointer_mut(&mut by_a_library)).expect("pointers");
    flags.abandon();
    // A thread that waits for everything hears of it, and takes nothing from those who ask for their buffers.
    std::thread::scope(|threads| {
        let told = threads.spawn(|| late.session.synchronize().expect_err("a flag was late")).join().expect("asked");
        assert_timed_out(&told, Api::Hip, limit);
    });
    gate.open();
    let after_it = good();
    for buffer in [before, after_it, of_good] {
        assert_late(&buffer.into_opencl().expect("in time"), 2);
    }
    late.session.synchronize().expect("told once");
    for (what, buffer) in [("bad", bad), ("of bad", of_bad), ("of that", of_that), ("by a library", by_a_library)] {
        let Err(refused) = buffer.into_opencl() else { panic!("{what}: nobody was told") };
        let (error, buffer) = refused.into_parts();
        assert_timed_out(&error, Api::Hip, limit);
        drop(buffer.into_opencl().expect("told once"));
    }
    flags.close().expect("all were told");
}

/// The same on the way to OpenCL, with as many threads, of which those with good batches ask first.
#[test]
fn y3_threads_are_told_of_their_own_late_flags() {
    needs_amd_opencl!();
    let (late, limit) = (Late::new(), LONG);
    let flags = Flags::new(&late.session, limit).expect("flags");
    let pass = |buffer: Buffer<u32, OpenCl>| {
        let buffer = buffer.into_hip().expect("hand-over");
        late.hip(&buffer);
        flags.into_opencl(buffer).expect("hand-over")
    };
    let before = pass(late.buffer());
    late.session.finish().expect("in time");
    let bad = late.buffer().into_hip().expect("hand-over");
    let held = hold_up(&late.session);
    late.hip(&bad);
    let bad = flags.into_opencl(bad).expect("hand-over");
    late.opencl(&bad);
    flags.abandon();
    late.session.finish().expect_err("the stream is held up");
    drop(held);
    let after_it = pass(late.buffer());
    std::thread::scope(|threads| {
        for good in [before, after_it] {
            threads.spawn(move || assert_late(&good, 1)).join().expect("in time");
        }
        threads.spawn(move || {
            let mut end = vec![0; N];
            assert_timed_out(&bad.read(&mut end).expect_err("nobody was told"), Api::OpenCl, limit);
            bad.read(&mut end).expect("told once");
        });
    });
    flags.close().expect("all were told");
}

/// More hand-overs than the flags have places for, nobody waiting meanwhile: each is waited for, and the late one is
/// told.
#[test]
fn y3_more_hand_overs_than_places_are_each_waited_for() {
    needs_amd_opencl!();
    const ROUNDS: u32 = 700;
    let (late, limit) = (Late::new(), Duration::from_secs(60));
    let flags = Flags::new(&late.session, limit).expect("flags");
    let sides = crate::Sides::new(&late.session).expect("kernels");
    let mut buffer = late.buffer();
    for _ in 0..ROUNDS {
        sides.add(&buffer, 5).expect("launch");
        let on_hip = flags.into_hip(buffer).expect("hand-over");
        sides.triple(&on_hip).expect("launch");
        buffer = flags.into_opencl(on_hip).expect("hand-over");
    }
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    let step = |x: u32, _| x.wrapping_add(5).wrapping_mul(3);
    assert_same(&end, &start().iter().map(|x| (0..ROUNDS).fold(*x, step)).collect::<Vec<_>>());
}

/// As many hand-overs as there are places, of which the first raises its flag when the gate is opened.
fn all_places(late: &Late, flags: &Flags) -> (Gate, Buffer<u32, OpenCl>) {
    let (gate, mut on_hip) = behind_a_gate(late, flags, late.buffer());
    for _ in 0..511 {
        let buffer = flags.into_opencl(on_hip).expect("hand-over");
        on_hip = flags.into_hip(buffer).expect("hand-over");
    }
    (gate, flags.into_opencl(on_hip).expect("hand-over"))
}

/// One thread waits for a place, for as long as the gate is shut, which another opens when it has abandoned what is
/// under way.
#[test]
fn y3_what_is_abandoned_ends_while_another_thread_waits_for_a_place() {
    needs_amd_opencl!();
    // `hipHostFree` of another test waits for all streams of the device, and holds a lock that the thread behind the
    // gate needs.
    if ran_alone("flags::y3_what_is_abandoned_ends_while_another_thread_waits_for_a_place", &[]) {
        return;
    }
    let late = telling();
    let flags = Flags::new(&late.session, LONG).expect("flags");
    let (gate, buffer) = all_places(&late, &flags);
    let (waits, waiting) = channel();
    let on_hip = std::thread::scope(|threads| {
        let next = threads.spawn(|| {
            WAITS.set(Some((Api::OpenCl, waits)));
            flags.into_hip(buffer).expect("hand-over")
        });
        waiting.recv().expect("it waits for a place");
        flags.abandon();
        gate.open();
        next.join().expect("handed over")
    });
    let (error, on_hip) = on_hip.into_opencl().expect_err("it was abandoned on the way").into_parts();
    assert_timed_out(&error, Api::Hip, LONG);
    assert_late(&on_hip.into_opencl().expect("told once"), 1);
}

/// A wait has ended without its flag, which is raised long afterwards: not in place of the flag of a later hand-over.
#[test]
fn y3_a_late_flag_is_not_raised_over_a_later_one() {
    needs_amd_opencl!();
    // `hipHostFree` of another test waits for all streams of the device, and holds a lock that the thread behind the
    // gate needs.
    if ran_alone("flags::y3_a_late_flag_is_not_raised_over_a_later_one", &[]) {
        return;
    }
    let late = telling();
    let flags = Flags::new(&late.session, Duration::from_secs(20)).expect("flags");
    let good = late.buffer().into_hip().expect("hand-over");
    late.hip(&good);
    let (gate, _abandoned) = all_places(&late, &flags);
    flags.abandon();
    late.session.synchronize().expect_err("the gate is shut");
    let (waits, waiting) = channel();
    let good = std::thread::scope(|threads| {
        let next = threads.spawn(|| {
            WAITS.set(Some((Api::OpenCl, waits)));
            let good = flags.into_opencl(good).expect("hand-over");
            WAITS.set(None);
            good
        });
        if waiting.recv().is_err() {
            // It has not waited. HIP is to have raised its flag.
            _ = late.session.synchronize();
        }
        gate.open();
        next.join().expect("handed over")
    });
    assert_late(&good, 1);
}

/// A copy between buffers that hang on no late flag says nothing of others', and leaves them to be told.
#[test]
fn y3_a_copy_by_hip_is_not_told_of_others_late_flags() {
    needs_amd_opencl!();
    let late = Late::new();
    let flags = Flags::new(&late.session, LONG).expect("flags");
    let mut from = late.session.allocate_hip::<u32>(N).expect("allocate").into_opencl().expect("hand-over");
    from.write(&start()).expect("write");
    let (mut from, mut to) = (from.into_hip().expect("hand-over"), late.session.allocate_hip(N).expect("allocate"));
    let (gate, bad) = behind_a_gate(&late, &flags, late.buffer());
    flags.abandon();
    gate.open();
    from.copy_peer(&mut to).expect("neither hangs on a flag");
    assert_late(&to.into_opencl().expect("in time"), 0);
    assert_timed_out(&late.session.synchronize().expect_err("nobody was told"), Api::Hip, LONG);
    let (error, bad) = bad.into_opencl().expect_err("its own").into_parts();
    assert_timed_out(&error, Api::Hip, LONG);
    assert_late(&bad.into_opencl().expect("told once"), 1);
}

/// A hand-over to OpenCL of host memory that HIP reaches when the stream is let go.
fn behind_a_held_up_stream(limit: Duration) -> (Late, Flags, impl Drop + Send, Buffer<u32, OpenCl>) {
    let late = telling();
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
    let slice = || buffer.host_slice().expect("told once").to_vec();
    let elements = when_it_waits(Api::Hip, move || drop(held), slice);
    assert_late(&buffer, 1);
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    assert_same(&elements, &end);
}

/// The same while another thread gives the flags back, which waits for HIP too: nobody has been told yet.
#[test]
fn y3_what_ran_too_early_is_not_the_hosts_while_flags_are_given_back() {
    needs_amd_opencl!();
    let (_late, flags, held, mut buffer) = behind_a_held_up_stream(LONG);
    flags.abandon();
    let (waits, waiting) = channel();
    let closed = std::thread::spawn(move || {
        WAITS.set(Some((Api::Hip, waits)));
        flags.close()
    });
    waiting.recv().expect("it waits for HIP");
    assert_timed_out(&buffer.host_slice().expect_err("OpenCL did not wait for HIP"), Api::OpenCl, LONG);
    let slice = || buffer.host_slice().expect("told once").to_vec();
    let elements = when_it_waits(Api::Hip, move || drop(held), slice);
    // Nobody was told, or the buffer was.
    _ = closed.join().expect("given back");
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    assert_same(&end, &after(1));
    assert_same(&elements, &end);
}

/// Another thread was told that the GPU has given up waiting, and HIP still writes: what the host reads or overwrites
/// next waits for it.
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
    let (late, limit) = (telling(), Duration::from_millis(50));
    let flags = Flags::new(&late.session, limit).expect("flags");
    for (what, use_it) in USES {
        let on_hip = late.buffer().into_hip().expect("hand-over");
        let held = hold_up(&late.session);
        late.hip(&on_hip);
        let buffer = flags.into_opencl(on_hip).expect("hand-over");
        assert_timed_out(&late.session.finish().expect_err("the stream is held up"), Api::OpenCl, limit);
        assert_timed_out(&buffer.read(&mut []).expect_err("the buffer's own"), Api::OpenCl, limit);
        let (got, want) = when_it_waits(Api::Hip, move || drop(held), || use_it(&late, buffer));
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
    let (late, limit) = (Late::new(), LONG);
    let flags = Flags::new(&late.session, limit).expect("flags");
    let (buffer, other) = (late.buffer(), late.buffer());
    let (gate, on_hip) = behind_a_gate(&late, &flags, buffer);
    let module = HipModule::build(&late.session, crate::HIP).expect("module");
    flags.abandon();
    // This waits for HIP, and tells nobody.
    drop(module);
    gate.open();
    drop(other);
    drop(flags);
    let (error, on_hip) = on_hip.into_opencl().expect_err("nobody was told").into_parts();
    assert_timed_out(&error, Api::Hip, limit);
    assert_late(&on_hip.into_opencl().expect("told once"), 1);
}

/// The last wait was for a flag that was raised. HIP's before it was not, and what the host reads was computed too
/// early.
#[test]
fn y3_what_ran_too_early_on_the_way_is_told_to_the_reader() {
    needs_amd_opencl!();
    let (late, limit) = (Late::new(), LONG);
    let flags = Flags::new(&late.session, limit).expect("flags");
    let (gate, on_hip) = behind_a_gate(&late, &flags, late.buffer());
    let module = HipModule::build(&late.session, crate::HIP).expect("module");
    flags.abandon();
    // This waits for HIP, and tells nobody.
    drop(module);
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
    let (late, limit) = (telling(), Duration::from_millis(50));
    let other = Session::open(late.session.device()).expect("session");
    let flags = Flags::new(&late.session, limit).expect("flags");
    let mut buffer = late.session.allocate_host::<u32>(N).expect("allocate");
    buffer.host_slice().expect("host memory").copy_from_slice(&start());
    let (gate, on_hip) = behind_a_gate(&late, &flags, buffer);
    let (error, on_hip) = on_hip.into_session(&other).expect_err("the gate is shut").into_parts();
    assert_timed_out(&error, Api::Hip, limit);
    let (there, elements) = when_it_waits(
        Api::OpenCl,
        move || gate.open(),
        || {
            let there = on_hip.into_session(&other).expect("told once");
            let mut there = there.into_opencl().expect("hand-over");
            let elements = there.host_slice().expect("host memory").to_vec();
            (there, elements)
        },
    );
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

/// HIP's kernels get to the hardware at once, OpenCL's when its thread comes to them: in no order with those of another
/// session.
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
    // This one's wait is in the hardware queue before the other's work.
    wait_until_submitted(&one.session);
    gate.open();
    let told = [one.session.finish(), other.session.synchronize()];
    let late =
        |outcome: &Result<(), Error>| matches!(outcome, Err(Error::TimedOut { limit: told, .. }) if *told == limit);
    assert!(told.iter().any(late), "{told:?}");
    // Both go on.
    for late in [&one, &other] {
        _ = (late.session.finish(), late.session.synchronize());
    }
    _ = buffer.read(&mut []);
    assert_late(&buffer, 1);
    let others = others.into_opencl().or_else(|refused| refused.into_parts().1.into_opencl());
    assert_late(&others.expect("told once"), 1);
    assert_late(&pass(&one, &flags, buffer, 1), 3);
}
