//! `rocm-trace run` on the host without a GPU: programs that use a test library in HIP's place.

use rocm_trace::environment;
use rocm_trace::timeline::Timeline;
use rocm_trace::view::View;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

mod kept;
mod unchanged;
mod ways;

/// A folder of one test, removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("the target folder is writable");
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Compiles the library that stands for HIP's. Gives what a linker is told who links with it.
    fn library(&self) -> [String; 2] {
        let library = self.path("libamdhip64.so.5");
        cc(["-shared", "-fPIC", "-o"], &library, "library.c", &[]);
        [library.to_str().expect("UTF-8").into(), format!("-Wl,-rpath,{}", self.0.display())]
    }

    /// Compiles that library, and the program that uses it: linked with it, or loading it itself.
    fn program(&self, linked: bool) -> PathBuf {
        let [library, rpath] = self.library();
        let program = self.path("program");
        if linked {
            cc(["-O1", "-DLINKED", "-o"], &program, "program.c", &[&library, &rpath, "-lpthread"]);
        } else {
            cc(["-O1", "-g0", "-o"], &program, "program.c", &["-ldl", "-lpthread"]);
        }
        program
    }

    /// Compiles the program that submits packets, with the library that it is linked with.
    fn packets(&self) -> PathBuf {
        let library = self.path("libhsa-runtime64.so.1");
        cc(["-shared", "-fPIC", "-o"], &library, "hsa.c", &[]);
        let (library, rpath) = (library.to_str().expect("UTF-8"), format!("-Wl,-rpath,{}", self.0.display()));
        let program = self.path("packets");
        cc(["-O1", "-g0", "-o"], &program, "packets.c", &[library, &rpath]);
        program
    }

    /// The recorder with these options, which is to record a program.
    fn recorder(&self, options: &[&str], program: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rocm-trace"));
        command.arg("run").args(options).arg("--out").arg(self.path("run.jsonl")).arg("--").arg(program);
        command
    }

    /// What it wrote.
    fn lines(&self) -> Vec<Value> {
        lines(&self.path("run.jsonl"))
    }

    /// Runs the program recorded, with its threads and calls.
    fn record(&self, linked: bool, options: &[&str], arguments: &[&str]) -> (Output, Vec<Value>) {
        let mut command = self.recorder(options, &self.program(linked));
        let output = command.arg(self.path("libamdhip64.so.5")).args(arguments).output().expect("rocm-trace");
        (output, self.lines())
    }
}

fn lines(recording: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(recording).expect("a recording");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

fn cc(options: [&str; 3], output: &Path, source: &str, behind: &[&str]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(source);
    let mut cc = c_compiler::command().expect("a C compiler");
    let status = cc.args(options).arg(output).arg(source).args(behind).status().expect("cc");
    assert!(status.success());
}

/// The variables that have the library loaded in front of programs. It is named without its folder, in whose path
/// `LD_PRELOAD` would end at a blank.
fn preloaded() -> [(&'static str, PathBuf); 2] {
    let folder = Path::new(env!("CARGO_BIN_EXE_rocm-trace")).with_file_name("deps");
    [("LD_PRELOAD", "librocm_trace.so".into()), ("LD_LIBRARY_PATH", folder)]
}

fn calls<'a>(lines: &'a [Value], name: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["kind"] == "call" && line["name"] == name).collect()
}

/// What the program prints after its lookups.
const RESULTS: &str = "missing: 1\nerror: 1\nlibc: 1\nhipMalloc: 0 0x7f0012345000 2\nhipLaunchKernel: 0\nhipMalloc3D: 0\n\
                       hipModuleGetFunction: 0\n";

fn check_calls(lines: &[Value]) {
    let malloc = calls(lines, "hipMalloc");
    assert_eq!((malloc.len(), &malloc[0]["args"]["size"]), (2, &json!(12345)));
    assert_eq!((&malloc[0]["out"], &malloc[0]["result"]), (&json!({ "ptr": "0x7f0012345000" }), &json!("hipSuccess")));
    // What a function that failed left there says nothing.
    assert_eq!((malloc[1].get("out"), &malloc[1]["result"]), (None, &json!("hipErrorOutOfMemory")));
    let launch = calls(lines, "hipLaunchKernel");
    assert_eq!(launch.len(), 1);
    assert_eq!(launch[0]["args"]["numBlocks"], json!({ "x": 1, "y": 2, "z": 3 }));
    assert_eq!(launch[0]["args"]["dimBlocks"], json!({ "x": 4, "y": 5, "z": 6 }));
    assert_eq!(launch[0]["args"]["sharedMemBytes"], 7);
    assert_eq!(launch[0]["args"]["stream"], "0x3000");
    assert_eq!(calls(lines, "hipMalloc3D")[0]["args"]["extent"], json!({ "width": 8, "height": 9, "depth": 10 }));
    let function = calls(lines, "hipModuleGetFunction");
    assert_eq!(
        (&function[0]["args"]["kname"], &function[0]["out"]["function"]),
        (&json!("kernel \"name\""), &json!("0x5000"))
    );
}

#[test]
fn a_program_that_is_linked_gets_its_arguments_and_results() {
    let (output, lines) = Folder::new("linked").record(true, &[], &[]);
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("found by default: 1\n{RESULTS}"));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    check_calls(&lines);
}

#[test]
fn a_program_that_looks_functions_up_gets_its_arguments_and_results() {
    let (output, lines) = Folder::new("loaded").record(false, &[], &[]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("no error: 1\nmissing there: 1\n{RESULTS}"));
    assert_eq!(output.status.code(), Some(7));
    check_calls(&lines);
}

/// HIP and OpenCL have a runtime each, and both write to the file that `AMD_LOG_LEVEL_FILE` names, from its beginning.
#[test]
fn two_runtimes_in_a_process_have_one_log() {
    let (_, lines) = Folder::new("log").record(true, &["--runtime-log"], &[]);
    let log: Vec<_> = lines.iter().filter(|line| line["kind"] == "log").collect();
    let messages: Vec<_> = log.iter().map(|line| line["args"]["message"].as_str().expect("a message")).collect();
    assert_eq!(messages, ["line 0", "line 1", "line 2", "line 3"]);
    let call = calls(&lines, "hipModuleGetFunction")[0];
    for line in log {
        assert_eq!((&line["pid"], &line["tid"]), (&call["pid"], &call["tid"]));
        // On the clock of calls, but for the microsecond that the log does not tell.
        assert!(line["ns"].as_u64().expect("a time") + 1000 >= call["ns"].as_u64().expect("a time"), "{line} {call}");
    }
}

#[test]
fn calls_of_many_threads_are_all_there_or_counted_as_lost() {
    let folder = Folder::new("threads");
    let (_, lines) = folder.record(true, &[], &["4", "20000"]);
    let many = calls(&lines, "hipGetLastError");
    assert_eq!(many.len(), 80_000);
    let process = lines.iter().find(|line| line["kind"] == "process").expect("a process");
    assert_eq!(process["lost"], 0);
    assert_eq!(process["command"][0], folder.path("program").to_str().expect("UTF-8"));

    let (output, lines) = folder.record(true, &["--limit", "1000000"], &["4", "20000"]);
    assert_eq!(output.status.code(), Some(7));
    let process = lines.iter().find(|line| line["kind"] == "process").expect("a process");
    let lost = process["lost"].as_u64().expect("a number");
    let events = lines.iter().filter(|line| line["id"].is_u64()).count() as u64;
    let without = 80_000 + 5 + 1;
    assert!(events > 10_000 && lost > 1000, "{events} events, {lost} lost");
    assert_eq!(events + lost, without);
    assert!(String::from_utf8_lossy(&output.stderr).contains(&format!("{lost} events were lost")));
}

#[test]
fn a_program_that_closes_descriptors_and_limits_its_files_is_recorded_on() {
    let (output, lines) = Folder::new("closing").record(true, &[], &["4", "20000", "alone"]);
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    assert_eq!(calls(&lines, "hipGetLastError").len(), 80_000);
    // What it put in the descriptors' places got nothing of the recorder's.
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("found by default: 1\n{RESULTS}"));
}

/// A kernel of four arguments in 24 bytes, which `kfd`'s tests have too.
const CODE_OBJECT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../amdgpu-code-object/fuzz/corpus/code_object/saxpy-v5");

#[test]
fn arguments_that_a_packet_does_not_have_end_nothing_but_its_kernel() {
    let folder = Folder::new("packets");
    let program = folder.packets();
    let alone = Command::new(&program).arg(CODE_OBJECT).output().expect("the program");
    assert_eq!(String::from_utf8_lossy(&alone.stdout), "0: 0\n1: -1\n2: -1\n3: -1\n4: 0\n5: -1\n6: 0\nloader: 0 1 1\n");
    let recorded = folder.recorder(&[], &program).arg(CODE_OBJECT).output().expect("rocm-trace");
    assert_eq!((recorded.status, &recorded.stdout), (alone.status, &alone.stdout), "{recorded:?}");

    let lines = folder.lines();
    let packets: Vec<_> = lines.iter().filter(|line| line["kind"] == "packet").collect();
    assert_eq!(packets.len(), 7);
    for (index, packet) in packets.iter().enumerate() {
        let args = &packet["args"];
        assert_eq!((&args["index"], &args["kernel"]), (&json!(index), &json!("saxpy")), "{packet}");
        let kept = match index {
            0 | 6 => json!(b"the arguments of saxpy..".map(|byte| format!("{byte:02x}")).concat()),
            4 => json!("0".repeat(48)),
            _ => Value::Null,
        };
        assert_eq!(args["kernarg"], kept, "{packet}");
        assert_eq!(args["arguments"].is_array(), !kept.is_null());
    }
    // The way of each: rung, and seen by the call that waited. The GPU's clock is not known here.
    let flows: Vec<_> = lines.iter().filter(|line| line["kind"] == "flow").collect();
    assert_eq!(flows.len(), 7);
    for (flow, packet) in flows.iter().zip(&packets) {
        let event = |step: &str| lines.iter().find(|line| line["id"] == flow[step] && line["id"].is_u64()).expect(step);
        assert_eq!(flow["packet"], packet["id"]);
        assert_eq!(event("doorbell")["args"]["value"], packet["args"]["index"]);
        assert_eq!(event("wait")["args"]["signal"], packet["args"]["completion_signal"]);
        assert!(flow["kernel"].is_null());
    }
    let ticks: Vec<_> = lines.iter().filter(|line| line["kind"] == "ticks").map(|line| &line["args"]).collect();
    assert_eq!(ticks.len(), 7);
    assert_eq!((&ticks[3]["start"], &ticks[3]["end"], &ticks[3]["packet"]), (&json!(1030), &json!(1035), &json!(3)));
    // No library exports this function: the program has it from a table.
    let loader = calls(&lines, "hsa_ven_amd_loader_query_host_address");
    assert_eq!((loader.len(), &loader[0]["result"]), (1, &json!("HSA_STATUS_SUCCESS")));
    assert_eq!(loader[0]["out"]["host_address"], loader[0]["args"]["device_address"]);
}

#[test]
fn programs_without_a_gpu_run_as_they_do_alone() {
    let folder = Folder::new("none");
    let recording = folder.path("run.jsonl");
    let run = |program: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rocm-trace"));
        command.arg("run").arg("-o").arg(&recording).args(program).output().expect("rocm-trace")
    };
    let output = run(&["--", "sh", "-c", "echo out; echo err >&2; exit 3"]);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(3), &b"out\n"[..]));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.starts_with("err\n") && stderr.contains("called nothing of HIP"), "{stderr}");
    let lines = std::fs::read_to_string(&recording).expect("a recording");
    assert_eq!(lines.lines().count(), 1);
    assert_eq!(run(&["--", "sh", "-c", "kill -9 $$"]).status.code(), Some(137));
    assert_eq!(run(&["--", "no-such-program"]).status.code(), Some(127));
    let output = run(&["-o", "no-format", "--", "true"]);
    assert_eq!(output.status.code(), Some(125));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the name does not tell the format"));
    // The folder of the raw files is gone.
    assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), 1);
}

/// `cargo install` copies the program and no library.
#[test]
fn the_program_alone_brings_its_library() {
    let folder = Folder::new("alone");
    let (program, recorder) = (folder.program(true), folder.path("rocm-trace"));
    // Not a copy: a child that another test forks meanwhile would have it open for writing, and it could not be
    // executed.
    std::fs::hard_link(env!("CARGO_BIN_EXE_rocm-trace"), &recorder).expect("the same folder tree");
    let recording = folder.path("run.jsonl");
    let run = |cache: &Path| {
        let mut command = Command::new(&recorder);
        command.arg("run").arg("-o").arg(&recording).arg("--").arg(&program).env("XDG_CACHE_HOME", cache);
        command.output().expect("rocm-trace")
    };
    // Not in the target folder, which may be where others may write: there nothing is unpacked.
    let caches = std::env::temp_dir().join(format!("rocm-trace-alone-{}", std::process::id()));
    assert_eq!(run(&caches.join("cache")).status.code(), Some(7));
    check_calls(&lines(&recording));
    let unpacked = std::fs::read_dir(caches.join("cache/rocm_trace")).expect("the library's folder");
    let names: Vec<_> = unpacked.map(|entry| entry.expect("a file").file_name().into_string()).collect();
    let begin = concat!("librocm_trace-", env!("CARGO_PKG_VERSION"), "-");
    assert!(names.len() == 1 && names[0].as_ref().is_ok_and(|name| name.starts_with(begin)), "{names:?}");

    let output = run(&caches.join("with space"));
    std::fs::remove_dir_all(&caches).expect("a folder of this test's");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(125) && stderr.contains("cannot preload"), "{output:?}");
}

#[test]
fn a_recording_that_is_not_there_is_named() {
    let missing = Folder::new("missing").path("run.jsonl");
    let output =
        Command::new(env!("CARGO_BIN_EXE_rocm-trace")).arg("report").arg(&missing).output().expect("rocm-trace");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains(&format!("cannot read {}: No such file", missing.display())), "{stderr}");
    assert_eq!(output.status.code(), Some(125));
}

#[test]
fn whatever_a_file_holds_can_be_shown() {
    let folder = Folder::new("torn");
    let program = folder.program(true);
    let raw = folder.path("raw");
    std::fs::create_dir(&raw).expect("a folder");
    let mut command = Command::new(program);
    command.envs(preloaded()).env(environment::FOLDER, &raw).env(environment::LIMIT, "400000");
    assert_eq!(command.args(["", "2", "50"]).output().expect("the program").status.code(), Some(7));
    let file = std::fs::read_dir(&raw).expect("a folder").next().expect("a file").expect("an entry").path();
    let whole = std::fs::read(&file).expect("the file");
    let shown = |bytes: &[u8]| {
        std::fs::write(&file, bytes).expect("the file is writable");
        let (timeline, unreadable) = Timeline::read(&raw, &[]).expect("a folder");
        let view = View::new(timeline);
        (0..view.timeline.events.len()).for_each(|index| _ = view.show(index));
        let mut out = Vec::new();
        rocm_trace::output::chrome::write(&view, &mut out).expect("memory can be written");
        rocm_trace::output::perfetto::write(&view, &mut out).expect("memory can be written");
        match unreadable.is_empty() {
            true => Ok(view.timeline.events.len()),
            false => Err(unreadable),
        }
    };
    assert_eq!(shown(&whole).expect("whole"), 106);
    // The header's chunk is the recorder's own word; records may be anything.
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..300 {
        let mut bytes = whole.clone();
        for _ in 0..20 {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            // Most of what is used is at the beginning of the chunks.
            let at = rocm_trace::raw::CHUNK_BYTES + (random >> 20) as usize % 4096;
            bytes[at] = (random >> 40) as u8;
        }
        shown(&bytes).expect("it is the recorder's");
    }
    assert!(shown(&whole[..1000]).is_err());
    assert!(shown(&vec![0; 100_000]).is_err());
}
