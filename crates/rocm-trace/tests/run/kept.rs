//! A recording survives full disks, killed processes and limits as far as possible, and reports its gaps.

use super::{Folder, RESULTS, calls, cc, check_calls, lines, preloaded};
use rocm_trace::environment;
use std::fs::File;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Runs a program of the folder with the recorder in front of it, which writes to a file system of so many KiB; then
/// prints what is there. Skips the test where that cannot be had.
macro_rules! run_on_a_disk {
    ($folder:expr, $kib:expr, $program:expr, $arguments:expr) => {{
        let output = run_on_a_disk($folder, $kib, $program, $arguments);
        if String::from_utf8_lossy(&output.stderr).starts_with("unshare: ") {
            test_skip::skip!("this machine lets nobody have file systems of their own");
        }
        output
    }};
}

fn run_on_a_disk(folder: &Folder, kib: u32, program: &Path, arguments: &[&str]) -> Output {
    let disk = folder.path("disk");
    std::fs::create_dir(&disk).expect("a folder");
    let script = "disk=$0; mount -t tmpfs -o size=$1 tmpfs \"$disk\" && shift && LD_PRELOAD=$LIBRARY LD_LIBRARY_PATH=$LIBRARIES \"$@\"; status=$?; du -k \"$disk\"; ls \"$disk\"; exit $status";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]).arg(&disk).arg(format!("{kib}k"));
    let [(_, library), (_, libraries)] = preloaded();
    command.arg(program).args(arguments).env(environment::FOLDER, &disk);
    command.env("LIBRARY", library).env("LIBRARIES", libraries);
    command.output().expect("unshare")
}

#[test]
fn a_full_disk_ends_the_recording_and_not_the_program() {
    let folder = Folder::new("full");
    let output = run_on_a_disk!(&folder, 400, &folder.program(true), &["none", "4", "20000"]);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(7) && stdout.contains(&format!("{RESULTS}400\t")), "{output:?}");
}

#[test]
fn a_disk_that_was_full_before_leaves_no_recording_and_says_so() {
    let folder = Folder::new("full-before");
    let output = run_on_a_disk!(&folder, 40, &folder.program(true), &["none", "4", "20"]);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // `du` tells of the folder, and `ls` of nothing in it.
    let disk = folder.path("disk");
    assert_eq!(stdout.split_once(RESULTS).expect("all results").1, format!("0\t{}\n", disk.display()));
    assert!(stderr.contains("No space left on device") && stderr.contains("not recorded"), "{stderr}");
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn a_recording_that_the_disk_has_no_room_for_is_told_from_one_that_reached_its_limit() {
    let folder = Folder::new("lost");
    let message = |options: &[&str], script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]).arg(folder.path("disk"));
        command
            .arg(env!("CARGO_BIN_EXE_rocm-trace"))
            .arg("run")
            .args(options)
            .arg("-o")
            .arg(folder.path("disk/run.jsonl"));
        let output =
            command.arg("--").arg(folder.program(true)).args(["none", "4", "20000"]).output().expect("unshare");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    std::fs::create_dir(folder.path("disk")).expect("a folder");
    let limited = message(&["--limit", "400000"], "shift 0; \"$@\"");
    if limited.starts_with("unshare: ") {
        test_skip::skip!("this machine lets nobody have file systems of their own");
    }
    assert!(limited.contains("events were lost") && limited.contains("--limit"), "{limited}");
    // The recorder's own files are beside the first output.
    let full = message(&[], "mount -t tmpfs -o size=1m tmpfs \"$0\" && ln -s /dev/null \"$0/run.jsonl\" && \"$@\"");
    assert!(full.contains("events were lost") && full.contains("disk") && !full.contains("--limit"), "{full}");
}

/// A file size limit of 0 would have the system send a signal.
#[test]
fn a_process_that_may_write_no_files_is_not_recorded() {
    let folder = Folder::new("no-files");
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 0; exec \"$@\"", "sh"]).arg(folder.program(true)).args(["none", "4", "20"]);
    let output = command.envs(preloaded()).env(environment::FOLDER, &folder.0).output().expect("sh");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(7) && stderr.contains("not recorded"), "{output:?}");
}

/// The folder that a run has left.
fn left(folder: &Folder) -> PathBuf {
    let entries = std::fs::read_dir(&folder.0).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut found = entries.filter(|path| path.is_dir());
    found.next().filter(|_| found.next().is_none()).expect("one folder")
}

/// Writes what is in it.
fn converted(folder: &Folder) -> Vec<serde_json::Value> {
    let recording = folder.path("converted.jsonl");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rocm-trace"));
    let output = command.arg("convert").arg(left(folder)).arg("-o").arg(&recording).output().expect("rocm-trace");
    assert!(output.status.success(), "{output:?}");
    lines(&recording)
}

#[test]
fn nothing_runs_in_vain() {
    let folder = Folder::new("in-vain");
    let program = folder.program(true);
    let before = std::fs::read_dir(&folder.0).expect("a folder").count();
    let missing = folder.path("missing");
    let here = folder.0.to_str().expect("UTF-8");
    for options in [
        &["--device-trace", missing.to_str().expect("UTF-8")][..],
        &["--device-trace", here],
        &["--format", "jsonl", "-o", here],
    ] {
        let output = folder.recorder(options, &program).arg("none").output().expect("rocm-trace");
        assert_eq!((output.status.code(), &output.stdout[..]), (Some(125), &b""[..]), "{output:?}");
        _ = std::fs::remove_file(folder.path("run.jsonl"));
    }
    assert_eq!(std::fs::read_dir(&folder.0).expect("a folder").count(), before);
}

#[test]
fn what_could_not_be_written_can_be_converted_later() {
    let folder = Folder::new("not-written");
    let program = folder.program(true);
    let mut command = Command::new(env!("CARGO_BIN_EXE_rocm-trace"));
    command.args(["run", "--format", "jsonl", "-o"]).arg(folder.path("run.jsonl")).args(["-o", "/dev/full", "--"]);
    let output = command.arg(program).arg("none").output().expect("rocm-trace");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(125) && stderr.contains("/dev/full"), "{output:?}");
    assert!(stderr.contains(left(&folder).to_str().expect("UTF-8")), "{stderr}");
    // The other output was written, too.
    check_calls(&folder.lines());
    check_calls(&converted(&folder));
}

#[test]
fn files_that_cannot_be_read_are_left_out() {
    let folder = Folder::new("unreadable");
    let script = format!(
        "cd \"${0}\"; echo > 1-1.raw; : > 1-2.raw; head -c 100000 /dev/zero > 1-3.raw; mkdir runtime-log_1; cd - >/dev/null; exec \"$@\"",
        environment::FOLDER
    );
    let mut command = folder.recorder(&[], Path::new("sh"));
    let output = command.arg("-c").arg(script).arg("sh").arg(folder.program(true)).arg("none").output();
    let output = output.expect("rocm-trace");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    for part in
        ["1-1.raw is not a recorder's file", "1-2.raw is empty", "1-3.raw is empty", "cannot read", "is kept in"]
    {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
    check_calls(&folder.lines());
    check_calls(&converted(&folder));
}

/// Long, because the machine may be busy.
const LIMIT: Duration = Duration::from_secs(120);

fn wait_for(process: &mut Child) -> ExitStatus {
    let started = Instant::now();
    loop {
        match process.try_wait().expect("a child") {
            Some(status) => return status,
            None if started.elapsed() > LIMIT => {
                _ = process.kill();
                panic!("it does not end");
            }
            None => thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// Starts it with the signals that end processes as a terminal has them: who started the tests may ignore some
/// (`nohup`), which the recorder would do too.
fn start(command: &mut Command) -> Child {
    let heed = || {
        for signal in [libc::SIGINT, libc::SIGTERM] {
            // SAFETY: only sets how a signal is handled.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: what it does may be done behind a fork.
    unsafe { command.pre_exec(heed) }.spawn().expect("rocm-trace")
}

fn interrupt(process: &Child) {
    // SAFETY: only sends a signal.
    assert_eq!(unsafe { libc::kill(process.id() as libc::pid_t, libc::SIGINT) }, 0);
}

#[test]
fn writing_can_be_interrupted_and_done_later() {
    let folder = Folder::new("interrupted");
    let program = folder.program(true);
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    // For writing too, so that opening it waits for nobody.
    let mut reader = File::options().read(true).write(true).open(&pipe).expect("a pipe");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rocm-trace"));
    command.args(["run", "--format", "jsonl", "-o"]).arg(&pipe).arg("--").arg(program).args(["none", "4", "20000"]);
    let mut recorder = start(command.stdout(Stdio::null()));
    // It writes, and nobody reads the rest.
    reader.read_exact(&mut [0; 100]).expect("the first line");
    interrupt(&recorder);
    assert_eq!(wait_for(&mut recorder).signal(), Some(libc::SIGINT));
    assert_eq!(calls(&converted(&folder), "hipGetLastError").len(), 80_000);
}

/// Compiles the program that leaves a child behind, which sleeps for so many seconds.
fn leaves_a_child(folder: &Folder, seconds: &str) -> Command {
    let ([library, rpath], program) = (folder.library(), folder.path("outlives"));
    cc(["-O1", "-g0", "-o"], &program, "outlives.c", &[&library, &rpath]);
    let mut command = folder.recorder(&[], &program);
    command.arg(seconds).stdout(Stdio::null());
    command
}

#[test]
fn recorded_children_that_outlive_the_program_are_waited_for() {
    let folder = Folder::new("outlives");
    let output = leaves_a_child(&folder, "2").output().expect("rocm-trace");
    assert!(output.status.success(), "{output:?}");
    let lines = folder.lines();
    assert_eq!([calls(&lines, "hipGetLastError").len(), calls(&lines, "hipMalloc").len()], [1, 1]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("waiting for processes"), "{output:?}");
}

#[test]
fn an_interrupt_ends_the_wait_for_children() {
    let folder = Folder::new("interrupted-wait");
    let messages = folder.path("messages");
    let mut command = leaves_a_child(&folder, "600");
    let mut recorder = start(command.stderr(File::create(&messages).expect("a file")));
    let started = Instant::now();
    let said = || std::fs::read_to_string(&messages).expect("a file");
    while !said().contains("Ctrl-C ends the wait") {
        assert!(started.elapsed() < LIMIT && recorder.try_wait().expect("a child").is_none(), "{}", said());
        thread::sleep(Duration::from_millis(10));
    }
    interrupt(&recorder);
    let status = wait_for(&mut recorder);
    let messages = said();
    let (_, child) = messages.split_once("still running: ").expect("its number");
    let child = child.split(';').next().expect("a number").parse().expect("a number");
    // SAFETY: only sends a signal.
    assert_eq!(unsafe { libc::kill(child, libc::SIGKILL) }, 0, "{messages}");
    assert_eq!(status.code(), Some(0));
    let lines = folder.lines();
    assert_eq!([calls(&lines, "hipGetLastError").len(), calls(&lines, "hipMalloc").len()], [1, 0]);
}

/// Also one that comes as soon as the program has started.
#[test]
fn a_signal_that_is_to_end_the_recorder_ends_the_program() {
    let folder = Folder::new("terminated");
    let script = "kill -TERM $PPID; while :; do sleep 1; done";
    let mut recorder = start(folder.recorder(&[], Path::new("sh")).args(["-c", script]));
    assert_eq!(wait_for(&mut recorder).code(), Some(128 + libc::SIGTERM));
}
