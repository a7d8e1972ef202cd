//! The `vgpu` program: what it prints, what it refuses, where the trace goes.
mod common;

use common::*;
use kfd_sys::*;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};

fn program() -> Command {
    Command::new(common::program())
}

fn failed(output: &Output, status: i32, text: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(status) && error.contains(text), "{output:?}");
}

/// What `vgpu check` says of a program that uses no GPU.
const NO_KERNEL: &str = "check: no kernel ran, so nothing was looked at: no process opened /dev/kfd";

/// A new folder for a test's files.
fn folder(name: &str) -> PathBuf {
    let path = temporary().join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// Runs a test of this file on the GPU, with a trace.
fn traced(trace: &Path, test: &str) -> ExitStatus {
    let mut run = program();
    run.args(["run", "--trace"]).arg(trace).arg("--").arg(std::env::current_exe().unwrap()).args(["--exact", test]);
    run.stdout(Stdio::null()).status().unwrap()
}

#[test]
fn a_reader_that_has_had_enough_is_no_failure() {
    for arguments in [&["info"][..], &["support"], &["support", "--markdown"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = program().args(arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    }
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    failed(
        &program().arg("info").stdout(full.try_clone().unwrap()).stderr(Stdio::piped()).output().unwrap(),
        125,
        "No space left",
    );
    let unheard = |arguments: &[&str]| {
        let full = || full.try_clone().unwrap();
        program().args(arguments).stdout(full()).stderr(full()).status().unwrap().code()
    };
    assert_eq!(unheard(&["info"]), Some(125));
    assert_eq!(unheard(&["run", "--", "/nonexistent/program"]), Some(127));
}

/// The site is built without this program.
#[test]
fn the_sites_table_is_what_the_program_prints() {
    let page = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../docs/src/tools/vgpu-support.md");
    let printed = program().args(["support", "--markdown"]).output().unwrap();
    assert!(printed.status.success(), "{printed:?}");
    let committed = fs::read(&page).unwrap_or_default();
    assert!(
        committed == printed.stdout,
        "run `cargo run --bin vgpu -- support --markdown > docs/src/tools/vgpu-support.md`"
    );
}

#[test]
fn what_cannot_work_is_refused() {
    let run = |arguments: &[&str]| program().arg("run").args(arguments).output().unwrap();
    failed(&run(&["--trace", "/nonexistent/trace", "--", "true"]), 125, "cannot write the trace /nonexistent/trace");
    failed(&run(&["--faults", "explode", "--", "true"]), 2, "hang@dispatch:1");
    failed(&run(&["--gpus", "0", "--", "true"]), 2, "0");
    failed(&run(&["--schedule", "dawn", "--", "true"]), 2, "dawn");
    failed(&run(&["--caches", "cold", "--", "true"]), 2, "cold");
    failed(&run(&["--gpu", "mi9", "--", "true"]), 2, "mi100");
    failed(&run(&[]), 2, "PROGRAM");
    failed(&run(&["--vram", "1K", "--", "true"]), 2, "unexpected argument '--vram'");
    let echo = run(&["echo", "--vram", "1K", "--", "--gpus"]);
    assert_eq!(String::from_utf8_lossy(&echo.stdout), "--vram 1K -- --gpus\n", "{echo:?}");
}

/// `cargo install` copies the program and no library.
#[test]
fn the_program_alone_brings_its_library() {
    let folder = folder("alone");
    let alone = folder.join("vgpu");
    // Not by this process: a child that another test forks meanwhile would have the file open for writing, and it could
    // not be run (ETXTBSY).
    let copied = Command::new("cp").arg(common::program()).arg(&alone).status().unwrap();
    assert!(copied.success());
    // Not in the target folder, which may be where others may write: there nothing is unpacked.
    let cache = std::env::temp_dir().join(format!("vgpu-alone-{}", std::process::id()));
    let run = |cache: &Path| {
        let mut run = Command::new(&alone);
        run.args(["run", "--", "cat", "/sys/module/amdgpu/initstate"]).env("XDG_CACHE_HOME", cache).output().unwrap()
    };
    let output = run(&cache);
    assert!(output.status.success() && output.stdout == b"live\n", "{output:?}");
    let unpacked: Vec<_> = fs::read_dir(cache.join("vgpu")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let name = unpacked[0].file_name().unwrap().to_str().unwrap();
    assert!(unpacked.len() == 1 && name.starts_with(concat!("libvgpu-", env!("CARGO_PKG_VERSION"), "-")), "{name}");
    let refused = run(&unpacked[0]);
    fs::remove_dir_all(&cache).unwrap();
    failed(&refused, 125, "Not a directory");
}

/// What the topology says of each GPU of `vgpu run OPTIONS`.
fn targets(options: &[&str]) -> Vec<String> {
    let shell = "grep -h gfx_target_version /sys/class/kfd/kfd/topology/nodes/[1-9]/properties";
    let output = vgpu(options).args(["sh", "-c", shell]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.split(' ').next_back().unwrap().to_owned()).collect()
}

#[test]
fn a_machine_has_gpus_of_one_model_or_of_several() {
    let (mi100, mi210) = ("90008", "90010");
    assert_eq!(targets(&[]), [mi100]);
    assert_eq!(targets(&["--gpus=2", "--gpu=mi210"]), [mi210; 2]);
    assert_eq!(targets(&["--gpu=mi210,mi100"]), [mi210, mi100]);
    assert_eq!(targets(&["--gpus", "3", "--gpu", "mi100,MI210,mi100"]), [mi100, mi210, mi100]);
    assert_eq!(targets(&["--gpu=mi300x,mi100"]), ["90402", mi100]);
    assert_eq!(targets(&["--gpu=mi300x:cpx,mi100"]), [&["90402"; 8][..], &[mi100]].concat());
    assert_eq!(targets(&["--gpu=MI300X:dpx", "--gpus=3"]), ["90402"; 6]);
}

#[test]
fn the_hosts_instructions_are_chosen_by_option_or_variable() {
    let run = |options: &[&str], variable: Option<&str>| {
        let mut run = program();
        run.arg("run").args(options).args(["--", "sh", "-c", "echo $GCN_HOST_ISA"]).env_remove("GCN_HOST_ISA");
        run.envs(variable.map(|value| ("GCN_HOST_ISA", value))).output().unwrap()
    };
    let told = |output: Output| (output.status.code(), String::from_utf8(output.stdout).unwrap());
    assert_eq!(told(run(&[], None)), (Some(0), "\n".into()));
    assert_eq!(told(run(&[], Some("baseline"))), (Some(0), "baseline\n".into()));
    assert_eq!(told(run(&["--host-isa", "baseline"], Some("nonsense"))), (Some(0), "baseline\n".into()));
    failed(
        &run(&["--host-isa", "v5"], None),
        2,
        "\"v5\" is no instruction set of the host: there are baseline, v3 and v4",
    );
    failed(&run(&[], Some("v5")), 125, "GCN_HOST_ISA: \"v5\" is no instruction set of the host");
}

#[test]
fn lists_of_models_that_make_no_machine() {
    let refused = |options: &[&str], text: &str| failed(&vgpu(options).arg("true").output().unwrap(), 2, text);
    refused(
        &["--gpu=mi9"],
        "no model is called `mi9`; there are: mi100, mi210, mi300x, mi300x:dpx, mi300x:qpx, mi300x:cpx",
    );
    refused(&["--gpu=mi300x:tpx"], "no model is called `mi300x:tpx`");
    refused(&["--gpu=mi210:cpx"], "no model is called `mi210:cpx`");
    refused(&["--gpu=mi100,"], "no model is called ``");
    refused(&["--gpu=mi100,mi210", "--gpus=3"], "2 models for 3 GPUs: name one for all of them, or one for each");
    refused(&["--gpu=mi100,mi210", "--gpus=1"], "2 models for 1 GPUs");
    refused(&[&format!("--gpu=mi100{}", ",mi210".repeat(16))], "17 GPUs, and a machine has 16 at most");
    refused(
        &["--gpu=mi300x:cpx", "--gpus=3"],
        "24 GPUs, and a machine has 16 at most; each partition of a card counts",
    );
    refused(&["--gpus=17"], "17 is not in 1..=16");
}

/// The device says that it does not know the model and takes its own, if it can be said or not.
#[test]
fn what_nobody_can_read_is_no_failure() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let shell = "VGPU_GPU=mi9 VGPU_LOG=all exec cat /sys/module/amdgpu/initstate";
    let output = vgpu(&[]).args(["sh", "-c", shell]).stderr(full).stdout(Stdio::piped()).spawn().unwrap();
    let output = output.wait_with_output().unwrap();
    assert!(output.status.success() && output.stdout == b"live\n", "{output:?}");
}

/// Low numbers are the program's, which may count on getting the lowest.
#[test]
fn the_trace_is_out_of_the_programs_way() {
    let trace = folder("descriptor").join("trace");
    let arguments = ["run", "--trace", trace.to_str().unwrap(), "--", "ls", "-l", "/dev/kfd", "/proc/self/fd"];
    let output = program().args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let link = format!(" -> {}", trace.display());
    let line = text.lines().find_map(|line| line.strip_suffix(&link)).unwrap_or_else(|| panic!("{output:?}"));
    let number: u32 = line.split(' ').next_back().unwrap().parse().unwrap();
    assert!(number >= 512, "{text}");
}

/// The dynamic linker separates libraries by spaces and colons, and only warns about those that it cannot find. So from
/// such a folder the library is unpacked elsewhere.
#[test]
fn a_library_that_cannot_be_preloaded() {
    let beside = common::program().with_file_name("libvgpu.so");
    let library = if beside.exists() { beside } else { common::program().with_file_name("deps/libvgpu.so") };
    for name in ["with space", "with:colon"] {
        let folder = folder(name);
        let copy = folder.join("vgpu");
        // Not a copy: a child that another test forks meanwhile would have it open for writing, and it could not be
        // executed.
        fs::hard_link(common::program(), &copy).unwrap();
        fs::hard_link(&library, folder.join("libvgpu.so")).unwrap();
        // Not in the target folder, whose path may have spaces too.
        let cache = std::env::temp_dir().join(format!("vgpu-elsewhere-{}", std::process::id()));
        let run = |cache: &Path| {
            Command::new(&copy).args(["run", "--", "ls", "/dev/kfd"]).env("XDG_CACHE_HOME", cache).output().unwrap()
        };
        assert_eq!(run(&cache).stdout, b"/dev/kfd\n", "{name}");
        failed(&run(&folder.join("cache")), 125, "cannot preload");
        [folder, cache].into_iter().for_each(|folder| fs::remove_dir_all(folder).unwrap());
    }
}

#[test]
fn a_killed_program_leaves_a_trace_of_every_request() {
    if std::env::var_os("VGPU_GPU").is_some() {
        let device = Device::open(1);
        for _ in 0..3 {
            let mut version = kfd_sys::kfd_ioctl_get_version_args::default();
            // SAFETY: `version` is the structure that the request is for.
            unsafe { kfd_sys::amdkfd_ioc_get_version(device.fd(), &mut version) }.unwrap();
        }
        // SAFETY: no preconditions.
        unsafe { libc::raise(libc::SIGKILL) };
    }
    let path = folder("killed").join("trace");
    let status = traced(&path, "a_killed_program_leaves_a_trace_of_every_request");
    assert_eq!(status.signal(), Some(libc::SIGKILL));
    let text = fs::read_to_string(&path).unwrap();
    let last = text.lines().skip_while(|line| !line.contains(r#""name":"ACQUIRE_VM","result":0"#)).skip(1);
    let last: Vec<&str> = last.filter(|line| line.contains(r#""name":"GET_VERSION","result":0"#)).collect();
    assert_eq!(last.len(), 3, "{text}");
}

#[test]
fn a_trace_goes_to_the_file_that_was_named() {
    if std::env::var_os("VGPU_GPU").is_some() {
        Device::open(1);
        return;
    }
    let folder = folder("trace");
    // No UTF-8, and what JSON and shells mark.
    let path = folder.join(OsStr::from_bytes(b"\xff\"\\ trace"));
    assert!(traced(&path, "a_trace_goes_to_the_file_that_was_named").success());
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.lines().any(|line| line.contains(r#""event":"ioctl","name":"ACQUIRE_VM","result":0"#)), "{text}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(folder).unwrap();
}

/// One errno has several reasons.
#[test]
fn a_trace_says_why_a_request_was_refused() {
    if std::env::var_os("VGPU_GPU").is_some() {
        let device = Device::open(1);
        let gpu_id = device.gpu_ids[0];
        for (percentage, ring_size, kind, gpu_id) in [
            (101, 4096, 2, gpu_id),
            (100, 3000, 2, gpu_id),
            (100, 4096, 9, gpu_id),
            (100, 4096, 2, 1),
            (100, 4096, 2, gpu_id),
        ] {
            let mut args = kfd_ioctl_create_queue_args {
                queue_percentage: percentage,
                ring_size,
                queue_type: kind,
                gpu_id,
                ..Default::default()
            };
            // SAFETY: no addresses.
            assert!(unsafe { amdkfd_ioc_create_queue(device.fd(), &mut args) }.is_err());
        }
        return;
    }
    let folder = folder("reasons");
    let path = folder.join("trace");
    assert!(traced(&path, "a_trace_says_why_a_request_was_refused").success());
    let text = fs::read_to_string(&path).unwrap();
    let of = |name: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.contains(&format!(r#""name":"{name}""#)));
        lines
            .map(|line| line.split(r#""result":"#).nth(1).unwrap().split(r#","args""#).next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        of("CREATE_QUEUE"),
        [
            r#""EINVAL","reason":"queue_percentage or queue_priority is too large""#,
            r#""EINVAL","reason":"ring_size is no power of two""#,
            r#""errno 524","reason":"queue_type is unknown""#,
            r#""EINVAL","reason":"no GPU has this gpu_id""#,
            r#""EINVAL","reason":"no buffer object that is mapped to the GPU begins there""#,
        ]
    );
    assert_eq!(of("ACQUIRE_VM"), ["0"]);
    fs::remove_dir_all(folder).unwrap();
}

/// Inside another one, programs have the device of the inner one only.
#[test]
fn one_inside_another_says_so() {
    let script = "cat /sys/class/kfd/kfd/topology/nodes/1/properties | grep gfx_target; echo $LD_PRELOAD | grep -o libvgpu | wc -l";
    let run = |front: &[&str]| {
        let mut command = program();
        if let [model] = front {
            command.args(["run", "--gpu", model, "--", env!("CARGO_BIN_EXE_vgpu")]);
        }
        command.args(["run", "--gpu", "mi210", "--", "sh", "-c", script]).output().unwrap()
    };
    let (alone, inside) = (run(&[]), run(&["mi300x"]));
    assert_eq!(alone.stdout, b"gfx_target_version 90010\n1\n", "{alone:?}");
    assert_eq!((&inside.stdout, inside.status.code()), (&alone.stdout, Some(0)), "{inside:?}");
    let said = "vgpu: started inside another vgpu, which has a device for --gpu mi300x: the program gets a device of this command's options, and not that one\n";
    assert_eq!((&*alone.stderr, &*inside.stderr), (&b""[..], said.as_bytes()), "{inside:?}");
}

/// Programs that use no GPU: no kernel runs, and their status is kept unless it is 0.
#[test]
fn a_check_keeps_the_status_where_nothing_is_found() {
    let check = |arguments: &[&str]| program().arg("check").args(arguments).output().unwrap();
    failed(&check(&["--", "true"]), 3, NO_KERNEL);
    failed(&check(&["--", "sh", "-c", "exit 4"]), 4, NO_KERNEL);
    failed(&check(&["--", "sh", "-c", "kill -USR1 $$"]), 128 + libc::SIGUSR1, NO_KERNEL);
    failed(&check(&["--", "/nonexistent/program"]), 127, "cannot run /nonexistent/program");
    failed(&check(&["--json", "/nonexistent/file", "--", "true"]), 125, "cannot write /nonexistent/file");
    failed(&check(&["--seeds", "2", "--schedule", "1", "--", "true"]), 2, "--seeds");
    // The second seed is the one that fails.
    let script = "test $VGPU_SCHEDULE = 1";
    let output = check(&["--seeds", "3", "--", "sh", "-c", script]);
    failed(&output, 1, "check: that was with seed 2: --replay 2 runs it again and shows what led to it");
    failed(&output, 1, "check: none is needed: packets, caches or the host's time are enough: --replay 2:0");
    // What is looked for again is the program's own status.
    let script = r#"echo x >> "$0"; case $(wc -l < "$0") in 1) exit 3;; *) exit 4;; esac"#;
    let counter = std::env::temp_dir().join(format!("vgpu-seeds-{}", std::process::id()));
    let output = program().args(["check", "--seeds", "3", "--", "sh", "-c", script]).arg(&counter).output().unwrap();
    std::fs::remove_file(&counter).unwrap();
    failed(&output, 3, "check: it does not fail so each time");
}

/// Every other seed has caches, and what is run again is the same, with what waves executed.
#[test]
fn a_replay_has_what_the_seed_had() {
    let check = |arguments: &[&str], wanted: &str| {
        let script = format!("test \"$VGPU_SCHEDULE/$VGPU_CACHES/$VGPU_CHECK_TRAILS\" = {wanted} && exit 4");
        let output = program().arg("check").args(arguments).args(["--", "sh", "-c", &script]).output().unwrap();
        failed(&output, 4, NO_KERNEL);
    };
    check(&["--seeds", "1"], "1//");
    check(&["--replay", "1"], "1//1");
    check(&["--replay", "2"], "2/2/1");
    check(&["--replay", "2", "--caches", "7"], "2/7/1");
    check(&["--replay", "2:5"], "2:5/2/1");
    check(&[], "//");
    let of_second = r#"test "$VGPU_SCHEDULE/$VGPU_CACHES/$VGPU_CHECK_TRAILS" != 2/2/"#;
    let output = program().args(["check", "--seeds", "3", "--", "sh", "-c", of_second]).output().unwrap();
    failed(&output, 1, "check: that was with seed 2");
    let output = program().args(["check", "--replay", "2", "--seeds", "1", "--", "true"]).output().unwrap();
    failed(&output, 2, "--replay");
}

/// The device is told which kinds to look for, and looks for all if it cannot make sense of that.
#[test]
fn a_check_looks_for_what_is_wanted_only() {
    let check = |arguments: &[&str], script: &str| {
        program().arg("check").args(arguments).args(["--", "sh", "-c", script]).output().unwrap()
    };
    for (arguments, list) in [
        (&[][..], "memory,race,sync,stream"),
        (&["--only", "race"], "race"),
        (&["--only=race,memory"], "race,memory"),
        (&["--only=init"], "init"),
        (&["--only=leak"], "leak"),
        (&["--only=wait,race"], "wait,race"),
        (&["--only=sync,exit"], "sync,exit"),
        (&["--only=stream"], "stream"),
    ] {
        let script = format!("test $VGPU_CHECK_ONLY = {list} && exit 4");
        failed(&check(arguments, &script), 4, NO_KERNEL);
    }
    failed(
        &check(&["--only", "leaks"], "true"),
        2,
        "[possible values: memory, race, sync, stream, init, exit, wait, leak]",
    );
    let output = check(&[], "VGPU_CHECK_ONLY=memory,leaks cat /sys/module/amdgpu/initstate; exit 4");
    failed(
        &output,
        4,
        "VGPU_CHECK_ONLY: no kind of finding is called \"leaks\"; there are: memory, race, sync, stream, init, exit, wait, leak; looking for the usual",
    );
}
