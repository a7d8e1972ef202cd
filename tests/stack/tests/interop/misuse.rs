//! What safe code may do wrong: sizes that nobody has, values that are forgotten, stages that panic. An error, or
//! nothing; never undefined behaviour.
use std::future::{Future, IntoFuture};
use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Waker};
use std::time::Duration;

use rocm_interop::hand_over::Flags;
use rocm_interop::hip::HipModule;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::{Argument, Buffer, Error, Hip, OpenCl, Refused, Result};
use rocm_pipeline::Pipeline;

use crate::{N, Sides, both_sides, session};

#[track_caller]
fn refused<T>(outcome: Result<T>, what: &str) -> String {
    match outcome {
        Ok(_) => panic!("{what} was accepted"),
        Err(error) => error.to_string(),
    }
}

/// The sizes are more than a GPU has, more than the host's addresses, and one that overflows when it is rounded up.
#[test]
fn sizes_that_nobody_has_are_errors() {
    needs_amd_opencl!();
    let session = session();
    let largest = isize::MAX as usize;
    for bytes in [1 << 47, largest - 4096, largest, largest + 1, usize::MAX] {
        let outcomes = [
            ("allocate", session.allocate::<u8>(bytes).map(drop)),
            ("allocate_hip", session.allocate_hip::<u8>(bytes).map(drop)),
            ("allocate_host", session.allocate_host::<u8>(bytes).map(drop)),
            ("allocate_managed", session.allocate_managed::<u8>(bytes).map(drop)),
        ];
        for (what, outcome) in outcomes {
            let error = refused(outcome, &format!("{what} of {bytes:#x} bytes"));
            let named = ["len: ", "clSVMAlloc", "hipMalloc returned", "hipMallocManaged returned"];
            assert!(named.iter().any(|name| error.contains(name)), "{what} of {bytes:#x} bytes: {error}");
        }
    }
    assert!(session.residency(u64::MAX, usize::MAX).is_err());
    assert!(session.residency(0, 0).is_err());
    both_sides(&session, session.allocate(N).expect("allocate")).expect("both sides");
}

/// A launch with a size that the GPU has not is an error of the API's, not a crash in it.
#[test]
fn launches_of_sizes_that_no_gpu_has_are_errors() {
    needs_amd_opencl!();
    let session = session();
    let program = OpenClProgram::build(
        &session,
        "kernel void nothing(uint n) {} kernel void scratch(local uint *n) { n[get_local_id(0)] = 1; }",
        "",
    );
    let program = program.expect("program");
    let (nothing, scratch) = (program.kernel("nothing").expect("kernel"), program.kernel("scratch").expect("kernel"));
    for (global, local) in [(64, 0), (64, usize::MAX), (usize::MAX, 64), (usize::MAX, usize::MAX), (64, 1 << 32)] {
        // SAFETY: it uses no memory.
        let launched = unsafe { nothing.launch(&[global], Some(&[local]), &[1.into()]) };
        refused(launched, &format!("{global} work-items in groups of {local}"));
    }
    // An LDS has 64 KiB. The others would be 0 and 64 in the 32 bits of a packet.
    for bytes in [0, (64 << 10) + 4, 1 << 32, (1 << 32) + 64, usize::MAX] {
        // SAFETY: one work-item, and 4 bytes at least if it is launched.
        let launched = unsafe { scratch.launch(&[1], None, &[Argument::local(bytes)]) };
        refused(launched, &format!("local memory of {bytes} bytes"));
    }
    session.finish().expect("nothing was launched");
    // With LDS of its own, by which the sum of both may be 0 in 32 bits.
    let source = "extern \"C\" __global__ void nothing(unsigned *n) {
        __shared__ unsigned all[256];
        all[threadIdx.x] = threadIdx.x;
        __syncthreads();
        if (n) *n = all[threadIdx.x ^ 1];
    }";
    let nothing = HipModule::build(&session, source).expect("module").kernel("nothing").expect("kernel");
    let out = session.allocate::<u32>(1).expect("allocate").into_hip().expect("hand-over");
    for (groups, items, lds) in [
        ([0, 1, 1], [64, 1, 1], 0),
        ([1, 0, 1], [64, 1, 1], 0),
        ([1, 1, 1], [0, 1, 1], 0),
        ([1, 1, 1], [64, 64, 64], 0),
        ([1, 1, 1], [u32::MAX; 3], 0),
        ([u32::MAX; 3], [64, 1, 1], 0),
        ([1, 1, 1], [64, 1, 1], (64 << 10) + 1),
        ([1, 1, 1], [64, 1, 1], u32::MAX),
        ([1, 1, 1], [64, 1, 1], u32::MAX - 1023),
        ([1, 1, 1], [64, 1, 1], u32::MAX - 511),
    ] {
        // SAFETY: it writes one number.
        let launched = unsafe { nothing.launch(groups, items, lds, &[(&out).into()]) };
        refused(launched, &format!("{groups:?} groups of {items:?} with {lds} bytes of LDS"));
    }
    session.synchronize().expect("nothing was launched");
    both_sides(&session, session.allocate(N).expect("allocate")).expect("both sides");
}

/// A launch of nothing never gets to ROCr, which ends the process; nor one of more than a packet can say. Both APIs'
/// kernels are refused alike, by name.
#[test]
fn launches_of_nothing_are_errors() {
    needs_amd_opencl!();
    let session = session();
    let sides = Sides::new(&session).expect("kernels");
    let mut buffer = session.allocate::<u32>(N).expect("allocate");
    buffer.write(&[7; N]).expect("write");
    #[track_caller]
    fn named(outcome: Result<()>, what: &str, words: &str) {
        let error = outcome.expect_err(what);
        assert!(matches!(error, Error::Argument { subject: "work size", .. }), "{what}: {error}");
        assert!(error.to_string().contains(words), "{what}: {error}");
    }
    let nothing: [(&[usize], Option<&[usize]>); 9] = [
        (&[0], None),
        (&[64, 0], None),
        (&[0, 64], None),
        (&[64, 1, 0], None),
        (&[0, 0, 0], None),
        (&[0], Some(&[64])),
        (&[64, 0], Some(&[64, 1])),
        (&[64], Some(&[0])),
        (&[64, 64], Some(&[64, 0])),
    ];
    for (global, local) in nothing {
        // SAFETY: nothing is launched.
        let launched = unsafe { sides.add.launch(global, local, &[(&buffer).into(), 1.into()]) };
        named(launched, &format!("{global:?} in {local:?}"), "has no work-items");
    }
    let huge: [&[usize]; 5] =
        [&[1 << 32], &[64, 1 << 32], &[usize::MAX], &[1 << 63, 2], &[u32::MAX as usize, u32::MAX as usize, 2]];
    for global in huge {
        // SAFETY: as above.
        let launched = unsafe { sides.add.launch(global, None, &[(&buffer).into(), 1.into()]) };
        named(launched, &format!("{global:?}"), "has more work-items than");
    }
    for dimensions in [0, 4] {
        let global = vec![1; dimensions];
        // SAFETY: as above.
        let launched = unsafe { sides.add.launch(&global, None, &[(&buffer).into(), 1.into()]) };
        named(launched, &format!("{dimensions} dimensions"), "needs 1 to 3 dimensions");
    }
    // OpenCL's own to say, as kernels of OpenCL C 2.0 have groups of any size.
    // SAFETY: 64 items, if it is launched.
    let ragged = unsafe { sides.add.launch(&[64], Some(&[48]), &[(&buffer).into(), 1.into()]) };
    assert!(refused(ragged, "groups of 48").contains("clEnqueueNDRangeKernel returned CL_INVALID_WORK_GROUP_SIZE"));

    let on_hip = buffer.into_hip().expect("hand-over");
    for (groups, items) in [
        ([0, 1, 1], [64, 1, 1]),
        ([1, 0, 1], [64, 1, 1]),
        ([1, 1, 0], [64, 1, 1]),
        ([1; 3], [0, 1, 1]),
        ([1; 3], [64, 1, 0]),
    ] {
        // SAFETY: nothing is launched.
        let launched = unsafe { sides.triple.launch(groups, items, 0, &[(&on_hip).into()]) };
        named(launched, &format!("{groups:?} of {items:?}"), "has no work-items");
    }
    for (groups, items) in [([1 << 26, 1, 1], [64, 1, 1]), ([1, 1 << 31, 1], [1, 2, 1]), ([u32::MAX; 3], [1, 1, 1])] {
        // SAFETY: as above.
        let launched = unsafe { sides.triple.launch(groups, items, 0, &[(&on_hip).into()]) };
        named(launched, &format!("{groups:?} of {items:?}"), "has more work-items than");
    }
    let buffer = on_hip.into_opencl().expect("hand-over");
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    assert_eq!(end, [7; N], "nothing was launched");
    sides.run(buffer).expect("both sides");
}

/// What is forgotten is not given back, and harms nobody: the session goes on, and its work is waited for.
#[test]
fn what_is_forgotten_stays_and_harms_nobody() {
    needs_amd_opencl!();
    let session = session();
    let sides = Sides::new(&session).expect("kernels");
    let buffer = || session.allocate::<u32>(N).expect("allocate");
    let busy = || {
        let buffer = buffer();
        sides.add(&buffer, 1).expect("launch");
        buffer
    };
    forget(busy());
    forget(busy().upload(vec![7; N]).expect("upload"));
    forget(busy().into_hip_later().expect("a marker"));
    let mut polled = busy().into_hip_later().expect("a marker").into_future();
    _ = Pin::new(&mut polled).poll(&mut Context::from_waker(Waker::noop()));
    forget(polled);
    let on_hip = busy().into_hip().expect("hand-over");
    sides.triple(&on_hip).expect("launch");
    let mut polled = on_hip.into_opencl_later().expect("an event").into_future();
    _ = Pin::new(&mut polled).poll(&mut Context::from_waker(Waker::noop()));
    forget(polled);
    let flags = Flags::new(&session, Duration::from_secs(60)).expect("flags");
    forget(flags.into_hip(busy()).expect("a flag"));
    forget(flags);
    forget(session.clone());
    let other = self::session();
    let refused: Refused<Buffer<u32, OpenCl>> = {
        let foreign = Flags::new(&other, Duration::from_secs(60)).expect("flags");
        let refused = foreign.into_hip(busy()).expect_err("another session's");
        forget(foreign);
        refused
    };
    forget(refused);
    sides.run(buffer()).expect("both sides");
    sides.close().expect("close");
    session.synchronize().expect("HIP");
    session.finish().expect("OpenCL");
    session.close().expect("close");
}

/// A session may be dropped before what was made with it, in any order, and in another thread; a buffer also when its
/// thread ends.
#[test]
fn any_order_of_drops_is_right() {
    needs_amd_opencl!();
    thread_local! {
        static OF_THREAD: std::cell::RefCell<Option<Buffer<u32, Hip>>> = const { std::cell::RefCell::new(None) };
    }
    let make = || {
        let session = session();
        let sides = Sides::new(&session).expect("kernels");
        let flags = Flags::new(&session, Duration::from_secs(60)).expect("flags");
        let buffer = session.allocate::<u32>(N).expect("allocate");
        sides.add(&buffer, 1).expect("launch");
        (session, sides, flags, buffer)
    };
    let (session, sides, flags, buffer) = make();
    drop((session, sides));
    let on_hip = flags.into_hip(buffer).expect("a flag");
    drop(flags);
    drop(on_hip);
    let (session, sides, flags, buffer) = make();
    let pending = buffer.into_hip_later().expect("a marker");
    drop((flags, sides, session));
    pending.wait().expect("wait").close().expect("close");
    let (session, sides, flags, buffer) = make();
    std::thread::spawn(move || {
        OF_THREAD.with(|slot| slot.replace(Some(buffer.into_hip().expect("hand-over"))));
        OF_THREAD.with_borrow(|buffer| sides.triple(buffer.as_ref().expect("there"))).expect("launch");
        drop((sides, flags));
    })
    .join()
    .expect("no panic when the thread ends");
    session.close().expect("close");
}

/// A stage that panics ends the pipeline: the panic comes out of the scope, as that of any thread, and nobody waits for
/// ever.
#[test]
fn a_stage_that_panics_ends_the_pipeline() {
    needs_amd_opencl!();
    let session = session();
    let sides = &Sides::new(&session).expect("kernels");
    for panics in [0, 1, 2] {
        let buffers = [session.allocate::<u32>(N).expect("allocate"), session.allocate(N).expect("allocate")];
        let mut came = 0;
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            std::thread::scope(|threads| {
                let work = move |stage: usize, outcome: Result<(), Error>| {
                    assert_ne!(stage, panics, "the panic that is asked for");
                    outcome
                };
                let pipeline = Pipeline::new()
                    .opencl("first", move |x| work(0, sides.add(x, 1)))
                    .hip("second", move |x| work(1, sides.triple(x)))
                    .opencl("third", move |x| work(2, sides.add(x, 1)));
                let (input, mut output) = pipeline.start(threads, buffers);
                threads.spawn(move || {
                    while let Some(buffer) = input.buffer() {
                        if input.send(buffer).is_err() {
                            break;
                        }
                    }
                });
                while let Some(batch) = output.next() {
                    came += 1;
                    output.give_back(batch.expect("no error"));
                }
            });
        }));
        assert!(outcome.is_err() && came == 0, "stage {panics}: {came}");
        sides.run(session.allocate(N).expect("allocate")).expect("both sides");
    }
}
