//! The examples' code as tests: the pipeline (C1), libraries on shared memory (C2), and packets sent by `aql` into
//! queues of AMD's HSA runtime (A1, A2).
#[path = "../../../crates/rocm-interop/examples/covariance.rs"]
#[expect(dead_code, reason = "main and its options are the example's")]
mod covariance;
#[path = "../../../crates/rocm-pipeline/examples/dashboard.rs"]
#[expect(dead_code, reason = "main and its options are the example's")]
mod dashboard;
#[path = "../../../crates/rocm-interop/examples/deadline.rs"]
#[expect(dead_code, reason = "main and its options are the example's")]
mod deadline;
#[path = "../../../crates/rocm-interop/examples/aql_saxpy/hsa.rs"]
mod hsa;
#[path = "../../../crates/rocm-interop/examples/opencl_to_rocblas.rs"]
#[expect(dead_code, reason = "main is the example's")]
mod opencl_to_rocblas;
#[path = "../../../crates/rocm-pipeline/examples/pipeline.rs"]
#[expect(dead_code, reason = "main and its options are the example's")]
mod pipeline;
#[path = "../../../crates/rocm-interop/examples/two_processes.rs"]
#[expect(dead_code, reason = "main and its options are the example's")]
mod two_processes;

use std::ops::ControlFlow;
use std::time::Duration;

use aql::*;
use hsa_sys::hsa_queue_type_t;
use stack_tests::{TraceFile, on_vgpu, on_virtual_gpu, run_any, run_tests};

#[test]
fn c1_pipeline_matches_the_cpu() {
    stack_tests::needs_amd_opencl!();
    pipeline::run(16 * 4096, 3).expect("the pipeline");
}

#[test]
fn rocblas_computes_on_what_an_opencl_program_wrote() {
    stack_tests::needs_amd_opencl!();
    stack_tests::needs_code!("rocBLAS");
    let worst = opencl_to_rocblas::run().expect("every value is right");
    assert!(worst > 0.0, "something was compared");
}

/// On a terminal and elsewhere, to its end. Every kernel has a time, and so have copies and hand-overs.
#[test]
fn a_dashboard_shows_a_pipeline_to_its_end() {
    const BATCHES: usize = 12;
    stack_tests::needs_amd_opencl!();
    for is_terminal in [true, false] {
        let mut screen = Vec::new();
        dashboard::run(BATCHES, 1 << 14, &mut screen, is_terminal).expect("every value is right");
        let screen = String::from_utf8(screen).expect("text");
        assert_eq!(screen.contains('\x1b'), is_terminal, "{screen:?}");
        // What is left on it.
        let end = screen.rsplit("\x1b[J").next().expect("the last");
        assert!(end.ends_with("every value is right\n") && end.contains(&"#".repeat(40)), "{end}");
        assert!(end.contains(&format!("{BATCHES} of {BATCHES} batches")) && !end.contains("lost"), "{end}");
        for (what, least) in [
            ("OpenCL kernel add", 12),
            ("HIP kernel scale", 12),
            ("OpenCL copies", 24),
            ("OpenCL hand-overs", 12),
            ("HIP hand-overs", 12),
        ] {
            let line = end.lines().find(|line| line.starts_with(what)).unwrap_or_else(|| panic!("no {what}: {end}"));
            let count: usize =
                line[what.len()..].split_whitespace().next().and_then(|count| count.parse().ok()).expect("a count");
            assert!(if what.contains("kernel") { count == least } else { count >= least }, "{end}");
        }
    }
}

/// The second process is this test again.
#[test]
fn m5_two_processes_take_turns() {
    const SECOND: &str = "STACK_TESTS_SECOND";
    stack_tests::needs_amd_opencl!();
    if std::env::var_os(SECOND).is_some() {
        return two_processes::second().expect("the first process goes when it is done");
    }
    let mut second = std::process::Command::new(std::env::current_exe().expect("this test"));
    // Its totals are not those of this run.
    second.args(["--exact", "m5_two_processes_take_turns"]).env(SECOND, "1").stdout(std::process::Stdio::null());
    two_processes::first(second, 20).expect("every value is right");
}

/// By itself again, with the device's trace, by which of the buffers only the results are copied, whole, for the check.
#[test]
fn c2_rocblas_and_rocsolver_compute_on_what_opencl_wrote() {
    const TRACED: &str = "STACK_TESTS_TRACED";
    stack_tests::needs_amd_opencl!();
    stack_tests::needs_code!("rocBLAS");
    // The machine's own GPU keeps no trace.
    if std::env::var_os(TRACED).is_some() || !on_virtual_gpu() {
        // On one core, the test's name stands before what the example says, on the same line.
        println!();
        // Not more than 65 rows, for which rocSOLVER 6.4 and 7.2 factorise right (docs/src/limits.md).
        return covariance::run(61, 133).expect("the covariance matrix");
    }
    let trace = TraceFile::new("c2");
    let mut command = on_vgpu(&trace.options(), std::env::current_exe().expect("this test"));
    let test = "c2_rocblas_and_rocsolver_compute_on_what_opencl_wrote";
    let output = run_tests(command.env(TRACED, "1"), &[test], Duration::from_secs(240));
    let hex = |text: &str| u64::from_str_radix(text.strip_prefix("0x").expect("hexadecimal"), 16).expect("hexadecimal");
    // `samples: 71288 bytes at 0x7f5dd1a00000 in memory of GPU 0000:23:00.0`
    let buffer = |line: &str| -> Option<(u64, u64)> {
        let (bytes, place) = line.split_once(": ")?.1.split_once(" bytes at ")?;
        Some((hex(place.split(' ').next()?), bytes.parse().ok()?))
    };
    let buffers: Vec<(u64, u64)> = output.lines().filter_map(buffer).collect();
    assert_eq!(buffers.len(), 2, "{output}");
    let (mut copied, mut by_kernels) = (Vec::new(), 0);
    for line in trace.read().lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        // ROCr copies code objects by kernels of its own; HIP's and OpenCL's are copies of buffers.
        by_kernels += usize::from(event["kernel"].as_str().is_some_and(|kernel| kernel.starts_with("HIP: copy")));
        if event["event"] == "sdma" && event["packet"].as_str().is_some_and(|packet| packet.starts_with("copy")) {
            let [from, to] = ["from", "to"].map(|end| hex(event[end].as_str().expect("an address")));
            let bytes = event["bytes"].as_u64().expect("a size");
            let touches = |at: u64| buffers.iter().any(|(start, size)| at < start + size && at + bytes > *start);
            assert!(!touches(to), "{line}");
            copied.extend(touches(from).then_some((from, bytes)));
        }
    }
    assert_eq!(copied, buffers);
    assert!(by_kernels <= 1, "{by_kernels}; newer HIP reads the one word that says how rocSOLVER fared by a kernel");
}

/// The number of a dispatch of the example's: AMD's own kernels, which copy and fill, are named.
fn own_dispatch(line: &str) -> Option<u64> {
    let event: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
    let own = event["event"] == "dispatch" && event["kernel"].is_null() && event["grid"][0] == 4096;
    own.then(|| event["dispatch"].as_u64().expect("a number"))
}

/// Whichever of the two kernels never ends, the program does.
#[test]
fn y5_a_program_with_a_deadline_ends_where_a_kernel_never_does() {
    const ALONE: &str = "STACK_TESTS_DEADLINE_SECONDS";
    const TEST: &str = "y5_a_program_with_a_deadline_ends_where_a_kernel_never_does";
    stack_tests::needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    if let Ok(seconds) = std::env::var(ALONE) {
        let seconds = seconds.parse().expect("a number");
        return deadline::run(Duration::from_secs_f64(seconds)).expect("the GPU computes");
    }
    let this = || std::env::current_exe().expect("this test");
    let with = |options: &[&str], seconds: &str| {
        let mut command = on_vgpu(options, this());
        command.env(ALONE, seconds).args(["--exact", "--nocapture", TEST]);
        run_any(&mut command, Duration::from_secs(120))
    };
    let trace = TraceFile::new("deadline");
    let undisturbed = with(&trace.options(), "600");
    assert!(undisturbed.status.success() && undisturbed.stdout.contains("sum 122880"), "{}", undisturbed.stdout);
    let dispatches: Vec<u64> = trace.read().lines().filter_map(own_dispatch).collect();
    assert_eq!(dispatches.len(), 2, "add and scale");
    for (dispatch, side) in dispatches.into_iter().zip(["OpenCL", "HIP"]) {
        let hang = format!("hang@dispatch:{dispatch}");
        let ended = with(&["--faults", &hang], "0.2");
        assert_eq!(ended.status.code(), Some(3), "{}{}", ended.stdout, ended.stderr);
        let words = format!(" s: {side}: work that was enqueued earlier had not ended after 200ms");
        assert!(ended.stdout.contains("given up after ") && ended.stdout.contains(&words), "{}", ended.stdout);
    }
}

#[test]
fn a1_packets_of_all_types_are_accepted() {
    let gpu = hsa::Gpu::first().expect("GPU");
    let queue = gpu.queue(64, hsa_queue_type_t::HSA_QUEUE_TYPE_SINGLE).expect("queue");
    // SAFETY: a queue of AMD's runtime that lives on; one producer.
    let mut producer = unsafe { Ring::from_amd_queue(queue.cast()) }.expect("ring").single_producer();
    let signal = |value| gpu.signal(value).expect("signal");
    let handle = |signal: hsa_sys::hsa_signal_t| Signal::new(signal.handle).expect("aligned");
    let (met, unmet) = (handle(signal(0)), handle(signal(1)));
    let commands = gpu.allocate::<u32>(2).expect("memory");
    commands.copy_from_slice(&[0xc000_1000, 0]); // PM4 NOP with one dword
    let commands = IndirectBuffer::new(commands.as_ptr().expose_provenance() as u64).expect("aligned");
    let done = signal(4);
    let batch = [
        BarrierAnd::new([Some(met), None, None, None, None])
            .with_control(Control::SYSTEM)
            .with_completion(handle(done))
            .into(),
        BarrierOr::new([Some(unmet), Some(met), None, None, None]).with_completion(handle(done)).into(),
        BarrierValue::new(unmet, Condition::Gte, 1).with_completion(handle(done)).into(),
        Pm4Ib::new(commands, 2).expect("size").with_completion(handle(done)).into(),
    ];
    // SAFETY: signals and commands last as long as the process; the commands are a NOP.
    assert_eq!(unsafe { producer.try_submit_all(&batch) }, Ok(0..4));
    gpu.wait(done).expect("every packet counts the signal down once");
}

#[test]
fn a2_many_producers_submit_into_a_runtimes_queue() {
    const THREADS: u32 = 4;
    const EACH: u32 = 50;
    const N: usize = 1024;
    #[repr(C)]
    struct Arguments {
        a: f32,
        n: u32,
        x: *const f32,
        y: *mut f32,
    }
    let gpu = hsa::Gpu::first().expect("GPU");
    let source = include_str!("../../../crates/rocm-interop/examples/aql_saxpy/saxpy.hip");
    let kernel = gpu.load(source, "saxpy").expect("kernel");
    let (x, y) = (gpu.allocate::<f32>(N).expect("x"), gpu.allocate::<f32>(N).expect("y"));
    for (i, x) in x.iter_mut().enumerate() {
        *x = i as f32;
    }
    let arguments = &mut gpu.allocate::<Arguments>(1).expect("arguments")[0];
    *arguments = Arguments { a: 1.0, n: N as u32, x: x.as_ptr(), y: y.as_mut_ptr() };
    let done = gpu.signal((THREADS * EACH).into()).expect("signal");
    // A ring smaller than the work, so that it is full most of the time.
    let queue = gpu.queue(64, hsa_queue_type_t::HSA_QUEUE_TYPE_MULTI).expect("queue");
    // SAFETY: a queue of AMD's runtime that lives on; submitted to by this ring only.
    let ring = unsafe { Ring::from_amd_queue(queue.cast()) }.expect("ring");
    let producer = ring.multi_producer().expect("HSA_QUEUE_TYPE_MULTI");
    // The barrier bit makes the additions follow each other, so that none is lost.
    let geometry = Geometry::one(N as u32, 256).expect("geometry");
    let packet = KernelDispatch::new(KernelObject::new(kernel.object).expect("aligned"), geometry)
        .with_kernarg(Kernarg::new(std::ptr::from_mut(arguments).expose_provenance() as u64).expect("aligned"))
        .with_private_segment(kernel.private_segment)
        .with_group_segment(kernel.group_segment)
        .with_control(Control::SYSTEM)
        .with_completion(Signal::new(done.handle).expect("aligned"));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..EACH {
                    let wait = || {
                        std::thread::yield_now();
                        ControlFlow::Continue(())
                    };
                    // SAFETY: what the packet names lasts as long as the process; nobody else uses `x` and `y` before
                    // the signal is 0.
                    unsafe { producer.submit(&packet, wait) }.expect("waits until there is room");
                }
            });
        }
    });
    gpu.wait(done).expect("all dispatches");
    for (i, &y) in y.iter().enumerate() {
        assert_eq!(y, (THREADS * EACH) as f32 * i as f32, "y[{i}]");
    }
}
