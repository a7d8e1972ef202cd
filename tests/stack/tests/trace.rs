//! Programs recorded by `rocm-trace`: the way of a launch step by step, and results that recording does not change.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use stack_tests::{check_case, hip_program, on_vgpu, rocm_trace, run, work_folder};

const LIMIT: Duration = Duration::from_secs(600);
/// The kernel of `programs/traced.hip`.
const ADD: &str = "_Z3addPiii";

/// Files of one recording, removed with it.
struct Files(PathBuf);

impl Files {
    fn new(name: &str) -> Files {
        let folder = work_folder().join(format!("trace-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("the target folder is writable");
        Files(folder)
    }

    fn recording(&self) -> PathBuf {
        self.0.join("run.jsonl")
    }

    /// `program` on a virtual GPU whose trace is merged. Packets wait for their doorbells, as on hardware.
    fn command(&self, program: impl AsRef<Path>) -> Command {
        let device = self.0.join("gpu.jsonl");
        let vgpu = ["--strict-doorbells", "--trace", device.to_str().expect("UTF-8")];
        let mut command = on_vgpu(&vgpu, rocm_trace());
        command.arg("run").arg("--out").arg(self.recording()).arg("--device-trace").arg(&device).arg("--");
        command.arg(program.as_ref());
        command
    }

    /// `program` on the GPU that the tests run on.
    fn plain(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(rocm_trace());
        command.arg("run").arg("--out").arg(self.recording()).arg("--").arg(program.as_ref());
        command
    }

    fn read(&self) -> Recording {
        let text = fs::read_to_string(self.recording()).expect("a recording");
        Recording { lines: text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect() }
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

struct Recording {
    lines: Vec<Value>,
}

impl Recording {
    fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.lines.iter().filter(move |line| line["kind"] == kind)
    }

    fn calls(&self, name: &str) -> Vec<&Value> {
        self.of_kind("call").filter(|line| line["name"] == name).collect()
    }

    fn event(&self, id: &Value) -> &Value {
        self.lines.iter().find(|line| line["id"] == *id && !id.is_null()).unwrap_or_else(|| panic!("no event {id}"))
    }

    /// The events in which an event happened, from the inside out.
    fn around(&self, event: &Value) -> Vec<&Value> {
        let parent = |event: &&Value| (!event["parent"].is_null()).then(|| self.event(&event["parent"]));
        std::iter::successors(parent(&event), |event| parent(event)).collect()
    }

    /// What happened in an event, at any depth.
    fn within(&self, event: &Value) -> Vec<&Value> {
        // Lines without an id are no events, and the parent of a process is another process.
        let events = self.lines.iter().filter(|line| !line["id"].is_null());
        events.filter(|line| self.around(line).iter().any(|outer| outer["id"] == event["id"])).collect()
    }

    /// The flows of this kernel's launches.
    fn launches(&self, kernel: &str) -> Vec<&Value> {
        let of_kernel = |flow: &&Value| self.event(&flow["packet"])["args"]["kernel"] == kernel;
        self.of_kind("flow").filter(of_kernel).collect()
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn end(event: &Value) -> u64 {
    number(&event["ns"]) + number(&event["dur"])
}

fn name(event: &Value) -> &str {
    event["name"].as_str().expect("a name")
}

#[test]
fn l2_the_way_of_a_launch_step_by_step() {
    stack_tests::needs_vgpu!();
    let files = Files::new("launch");
    check_case("launch", 1000, &run(files.command(hip_program("traced")).arg("launch"), LIMIT));
    let recording = files.read();

    // Before: the queue that the driver made is the one of which the packets are.
    let flows = recording.launches(ADD);
    assert_eq!(flows.len(), 3);
    let packets: Vec<_> = flows.iter().map(|flow| recording.event(&flow["packet"])).collect();
    let queue = recording.of_kind("queue").find(|queue| queue["args"]["queue"] == packets[0]["args"]["queue"]);
    let queue = queue.expect("the queue was made");
    let made = recording.of_kind("ioctl").filter(|ioctl| ioctl["name"] == "AMDKFD_IOC_CREATE_QUEUE");
    let made: Vec<_> = made.filter(|ioctl| ioctl["args"]["ring_base_address"] == queue["args"]["ring"]).collect();
    assert_eq!(made.len(), 1);
    assert_eq!(made[0]["result"], 0);
    // The driver changes what was 0 before; queue 0 is unchanged.
    let id = made[0]["out"].get("queue_id").cloned().unwrap_or_else(|| json!(0));
    assert_eq!(queue["args"]["queue_id"], id);
    assert!(recording.around(made[0]).iter().any(|outer| outer["name"] == "hsa_queue_create"), "{}", made[0]);

    let memory = recording.calls("hipMalloc");
    assert_eq!(
        (memory.len(), &memory[0]["args"]["size"], &memory[0]["result"]),
        (1, &json!(4000), &json!("hipSuccess"))
    );
    let copies = recording.calls("hipMemcpy");
    assert_eq!(copies.len(), 2);
    assert_eq!(copies[0]["args"]["dst"], memory[0]["out"]["ptr"]);
    assert_eq!(copies[0]["args"]["kind"], "hipMemcpyHostToDevice");

    for (index, (flow, packet)) in flows.iter().zip(&packets).enumerate() {
        // 1. The program's call.
        let call = recording.event(&flow["call"]);
        assert_eq!((name(call), &call["result"]), ("hipLaunchKernel", &json!("hipSuccess")));
        assert_eq!(call["args"]["kernel"], ADD);
        assert_eq!(call["args"]["numBlocks"], json!({ "x": 4, "y": 1, "z": 1 }));
        assert_eq!(call["args"]["dimBlocks"], json!({ "x": 256, "y": 1, "z": 1 }));

        // 2. HIP's calls of ROCr below it. In steady state, no system call.
        let within = recording.within(call);
        let hsa: Vec<&str> = within.iter().filter(|event| event["layer"] == "hsa").map(|event| name(event)).collect();
        let slot = hsa.iter().position(|name| name.starts_with("hsa_queue_add_write_index_"));
        let ring = hsa.iter().position(|name| name.starts_with("hsa_signal_store_"));
        assert!(slot.is_some() && slot < ring, "{hsa:?}");
        if index > 0 {
            let driver: Vec<_> = within.iter().filter(|event| event["layer"] == "driver").collect();
            assert!(driver.is_empty(), "{driver:?}");
        }

        // 3. The packet.
        let args = &packet["args"];
        let bytes = args["bytes"].as_str().expect("bytes");
        assert_eq!(bytes.len(), 128);
        assert!(args["taken"].is_null(), "{args}");
        assert_eq!(&bytes[..2], "02", "a kernel dispatch");
        assert_eq!(&bytes[4..8], "0300", "three dimensions and nothing else in `setup`");
        assert_eq!(args["setup"], "0x3");
        let header = u16::from_le_bytes([2, u8::from_str_radix(&bytes[2..4], 16).expect("hex")]);
        assert_eq!(args["header"], format!("{header:#x}"));
        assert_eq!(args["grid"], json!([1024, 1, 1]));
        assert_eq!(args["workgroup"], json!([256, 1, 1]));
        let values: Vec<_> =
            args["arguments"].as_array().expect("arguments").iter().map(|value| &value["value"]).collect();
        assert_eq!(values, [&memory[0]["out"]["ptr"], &json!(1000), &json!(3)]);
        assert_eq!(packet["parent"], recording.event(&flow["doorbell"])["parent"]);

        // 4. The doorbell: the packet's index, by a store to the queue's signal.
        let doorbell = recording.event(&flow["doorbell"]);
        assert_eq!(doorbell["args"]["signal"], queue["args"]["doorbell_signal"]);
        assert_eq!(doorbell["args"]["value"], args["index"]);
        let store = recording.event(&doorbell["parent"]);
        assert!(name(store).starts_with("hsa_signal_store_"), "{store}");
        assert_eq!((&store["args"]["signal"], &store["args"]["value"]), (&doorbell["args"]["signal"], &args["index"]));

        // 5. The kernel, on the GPU.
        let kernel = recording.event(&flow["kernel"]);
        assert_eq!((kernel["kind"].as_str(), name(kernel)), (Some("kernel"), ADD));
        assert_eq!(kernel["args"]["kernel_object"], args["kernel_object"]);
        assert_eq!(kernel["args"]["packet"], args["index"]);
        assert_eq!(kernel["args"]["grid"], args["grid"]);

        // 6. The signal: that of the packet, or of one behind it with the barrier bit.
        let last = if flow["completed_by"].is_null() { packet } else { recording.event(&flow["completed_by"]) };
        assert_eq!(last["args"]["queue"], args["queue"]);
        let signal = recording.event(&flow["signal"]);
        assert_eq!(signal["args"]["signal"], last["args"]["completion_signal"]);
        assert_eq!(signal["args"]["value"], 0);

        // 7. The call that saw it.
        let wait = recording.event(&flow["wait"]);
        assert!(name(wait).starts_with("hsa_signal_"), "{wait}");
        assert_eq!((&wait["args"]["signal"], &wait["result"]), (&last["args"]["completion_signal"], &json!(0)));

        let times = [
            number(&call["ns"]),
            number(&packet["ns"]),
            number(&kernel["ns"]),
            end(kernel),
            number(&signal["ns"]),
            end(wait),
        ];
        assert!(times.is_sorted(), "{times:?}");
    }
    // The last one was waited for where the program said.
    assert_eq!(name(recording.event(&flows[2]["waited_in"])), "hipStreamSynchronize");
    assert_eq!(recording.of_kind("process").count(), 1);
    assert_eq!(recording.of_kind("process").next().expect("a process")["lost"], 0);
}

/// Runs a program alone and recorded; both must write the same. Gives the recording.
fn same_results(name: &str, program: impl AsRef<Path>, args: &[&str]) -> Recording {
    let files = Files::new(name);
    let alone = run(Command::new(program.as_ref()).args(args), LIMIT);
    let recorded = run(files.plain(&program).args(args), LIMIT);
    // Other programs take and give memory of the GPU meanwhile.
    let lasting = |output: &str| {
        output.lines().filter(|line| !line.contains("free memory")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(!alone.is_empty());
    assert_eq!(lasting(&alone), lasting(&recorded));
    files.read()
}

#[test]
fn l3_rocminfo_writes_the_same_when_recorded() {
    let recording = same_results("rocminfo", "rocminfo", &[]);
    let info = recording.calls("hsa_agent_get_info");
    assert!(info.iter().any(|call| call["args"]["attribute"] == "HSA_AGENT_INFO_NAME"), "{info:?}");
    assert_eq!(recording.calls("hsa_init")[0]["result"], "HSA_STATUS_SUCCESS");
    let opened: Vec<_> = recording.of_kind("syscall").filter(|call| call["args"]["path"] == "/dev/kfd").collect();
    assert!(!opened.is_empty());
}

/// What `docs/src/stack/tools.md` says of it.
#[test]
fn l5_rocminfo_makes_requests_and_no_queue() {
    let files = Files::new("rocminfo-requests");
    run(&mut files.plain("rocminfo"), LIMIT);
    let recording = files.read();
    let requests: Vec<_> = recording.of_kind("ioctl").map(name).collect();
    assert!(requests.contains(&"AMDKFD_IOC_GET_VERSION") && requests.len() > 10, "{requests:?}");
    assert!(!requests.contains(&"AMDKFD_IOC_CREATE_QUEUE"), "{requests:?}");
    assert!(recording.of_kind("call").all(|call| call["layer"] == "hsa"));
    let counts = [recording.of_kind("queue").count(), recording.of_kind("packet").count()];
    assert_eq!(counts, [0, 0]);
}

/// AMD's OpenCL has a runtime of its own, with a log of its own.
#[test]
fn l5_opencls_log_is_on_the_time_line_with_files_and_lines() {
    stack_tests::needs_amd_opencl!();
    let files = Files::new("opencl-log");
    let mut command = Command::new(rocm_trace());
    command.arg("run").arg("--runtime-log").arg("--out").arg(files.recording());
    check_case("vector_add", 65_538, &run(command.arg("--").arg(hip_program("opencl")).arg("vector_add"), LIMIT));
    let recording = files.read();
    for line in recording.of_kind("log") {
        let file = line["args"]["file"].as_str().expect("a file");
        assert!(file.ends_with(".cpp") || file.ends_with(".hpp"), "{line}");
        assert!(number(&line["args"]["line"]) > 0 && line["layer"] == "runtime", "{line}");
    }
    let named = |line: &&Value| line["args"]["message"].as_str().is_some_and(|message| message == "ShaderName : add");
    let lines: Vec<_> = recording.of_kind("log").filter(named).collect();
    let [line] = lines[..] else { panic!("{lines:?}") };
    assert_eq!(line["args"]["file"], "rocvirtual.cpp");
    // By the queue's thread, after the call and before that thread rings for the packet. The log has another clock,
    // which is compared with the recorder's at the program's beginning and end; the machine may be busy then.
    let packet = recording.of_kind("packet").find(|packet| name(packet) == "kernel_dispatch add").expect("the packet");
    assert_eq!(line["tid"], packet["tid"]);
    let [call] = recording.calls("clEnqueueNDRangeKernel")[..] else { panic!("one launch") };
    assert_ne!(line["tid"], call["tid"]);
    let tolerance = 100_000_000;
    let time = number(&line["ns"]);
    assert!(
        time + tolerance > number(&call["ns"]) && time < number(&packet["ns"]) + tolerance,
        "{line} {call} {packet}"
    );
}

#[test]
fn l3_clinfo_writes_the_same_when_recorded() {
    stack_tests::needs_amd_opencl!();
    let recording = same_results("clinfo", "clinfo", &[]);
    let info = recording.calls("clGetDeviceInfo");
    assert!(info.iter().any(|call| call["args"]["param_name"] == "CL_DEVICE_NAME" && call["result"] == "CL_SUCCESS"));
    // AMD's OpenCL asks ROCr.
    assert_eq!(recording.calls("hsa_init").len(), 1);
}

#[test]
fn l3_rocblas_computes_the_same_when_recorded() {
    stack_tests::needs_library!("rocBLAS");
    stack_tests::needs_code!("rocBLAS");
    let recording = same_results("blas", hip_program("blas"), &["sgemm"]);
    let kernels: BTreeSet<_> =
        recording.of_kind("packet").filter_map(|packet| packet["args"]["kernel"].as_str()).collect();
    assert!(kernels.iter().any(|kernel| kernel.starts_with("Cijk_")), "{kernels:?}");
}

#[test]
fn l3_threads_and_their_launches_are_told_apart() {
    stack_tests::needs_vgpu!();
    let files = Files::new("threads");
    check_case("threads", 4000, &run(files.command(hip_program("traced")).args(["threads", "10"]), LIMIT));
    let recording = files.read();
    let flows = recording.launches(ADD);
    assert_eq!(flows.len(), 40);
    let threads: BTreeSet<_> = flows.iter().map(|flow| number(&recording.event(&flow["call"])["tid"])).collect();
    assert_eq!(threads.len(), 4);
    for flow in flows {
        let [call, packet] = ["call", "packet"].map(|step| recording.event(&flow[step]));
        assert_eq!(call["tid"], packet["tid"]);
        // Each wait was for kernels of the same thread, which has a stream of its own.
        assert_eq!(recording.event(&flow["kernel"])["args"]["packet"], packet["args"]["index"]);
    }
}

#[test]
fn l3_forked_children_have_recordings_of_their_own() {
    stack_tests::needs_vgpu!();
    let files = Files::new("fork");
    check_case("fork", 2000, &run(files.command(hip_program("traced")).args(["fork", "2"]), LIMIT));
    let recording = files.read();
    let launches = recording.launches(ADD);
    let children: BTreeSet<_> = launches.iter().map(|flow| number(&recording.event(&flow["call"])["pid"])).collect();
    assert_eq!((launches.len(), children.len()), (4, 2));
    let parents: BTreeSet<_> = recording
        .of_kind("process")
        .filter(|process| children.contains(&number(&process["pid"])))
        .map(|process| number(&process["parent"]))
        .collect();
    assert_eq!(parents.len(), 1);
}

/// The virtual GPU's clock has a tick each 10 ns since `CLOCK_MONOTONIC_RAW` was 0; the recorder does not know that.
#[test]
fn l3_times_that_the_gpu_left_are_on_the_hosts_clock() {
    stack_tests::needs_vgpu!();
    let files = Files::new("timed");
    check_case("timed", 1000, &run(files.command(hip_program("traced")).arg("timed"), LIMIT));
    let recording = files.read();
    let readings: Vec<_> =
        recording.of_kind("ioctl").filter(|call| call["name"] == "AMDKFD_IOC_GET_CLOCK_COUNTERS").collect();
    // Between the two clocks' readings the thread may have had to wait.
    let longest = readings.iter().map(|call| number(&call["dur"])).max().expect("ROCr reads the clocks");
    let ticks: Vec<_> = recording.of_kind("ticks").collect();
    assert!(!ticks.is_empty());
    for times in &ticks {
        let [start, end] = ["start", "end"].map(|name| 10 * number(&times["args"][name]));
        assert!(number(&times["ns"]).abs_diff(start) <= longest + 20, "{times} {readings:?}");
        assert!(self::end(times).abs_diff(end) <= longest + 20, "{times} {readings:?}");
        // Copies by an engine have signals, and no packet in a queue of the program's.
        let track = if times["args"]["queue_id"].is_null() {
            "GPU".into()
        } else {
            format!("GPU queue {}", times["args"]["queue_id"])
        };
        assert_eq!(times["track"], track);
    }
    let kernel = ticks.iter().find(|times| times["name"] == ADD).unwrap_or_else(|| panic!("{ticks:?}"));
    assert!(kernel["args"]["packet"].is_u64() && kernel["args"]["queue_id"].is_u64(), "{kernel}");
}

/// The children of a process.
fn children(process: u32) -> Vec<i32> {
    let path = format!("/proc/{process}/task/{process}/children");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().map(|child| child.parse().expect("a number")).collect()
}

/// A program's recording that is killed so long after it came to what never ends.
fn killed_while_it_hangs(files: &Files, after: Duration) -> Recording {
    let output = files.0.join("output");
    let stdout = fs::File::create(&output).expect("the target folder is writable");
    let mut command = files.command(hip_program("traced"));
    let mut recorder = command.arg("hang").stdout(stdout).spawn().expect("rocm-trace");
    let started = Instant::now();
    let hangs = || fs::read_to_string(&output).is_ok_and(|text| text.contains("hang: 1000 values checked\n"));
    while !hangs() {
        assert!(started.elapsed() < LIMIT, "the program did not come so far");
        thread::sleep(Duration::from_millis(20));
    }
    thread::sleep(after);
    let program = children(recorder.id());
    assert_eq!(program.len(), 1);
    let program = Pid::from_raw(program[0]).expect("a process");
    kill_process(program, Signal::KILL).expect("it is there");
    let status: ExitStatus = recorder.wait().expect("it can be waited for");
    assert_eq!(status.code(), Some(128 + 9));
    files.read()
}

#[test]
fn l3_a_killed_program_leaves_what_it_hung_at() {
    stack_tests::needs_vgpu!();
    let (files, mut pause) = (Files::new("hang"), Duration::from_millis(50));
    // Nobody outside sees that the program is in its last call: whether it was is in the recording.
    let recording = loop {
        let recording = killed_while_it_hangs(&files, pause);
        let hung: Vec<_> = recording.lines.iter().filter(|line| line["unfinished"] == true).map(name).collect();
        if hung.contains(&"hipDeviceSynchronize") {
            break recording;
        }
        pause *= 2;
        assert!(pause < LIMIT, "{hung:?}");
    };
    let flow = *recording.launches("_Z4spinPVi").first().expect("the launch of the kernel that hangs");
    assert_eq!(name(recording.event(&flow["call"])), "hipLaunchKernel");
    assert!(!flow["doorbell"].is_null());
    assert!(flow["wait"].is_null(), "{flow}");
    // What came before is whole.
    assert_eq!(recording.launches(ADD).len(), 3);
}
