//! What was recorded is kept as far as it can be, and what was not is said.

use super::{Folder, RESULTS, recorder_library};
use rocm_trace::environment;
use std::path::Path;
use std::process::{Command, Output};

/// Runs a program of the folder with the recorder in front of it, which writes to a file system of so many KiB; then prints what is there.
/// Skips the test where that cannot be had.
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
    let script = "disk=$0; mount -t tmpfs -o size=$1 tmpfs $disk && shift && LD_PRELOAD=$LIBRARY \"$@\"; status=$?; du -k $disk; ls $disk; exit $status";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]).arg(&disk).arg(format!("{kib}k"));
    command.arg(program).args(arguments).env(environment::FOLDER, &disk).env("LIBRARY", recorder_library());
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
    let full = message(&[], "mount -t tmpfs -o size=1m tmpfs $0 && ln -s /dev/null $0/run.jsonl && \"$@\"");
    assert!(full.contains("events were lost") && full.contains("disk") && !full.contains("--limit"), "{full}");
}

/// A file size limit of 0 would have the system send a signal.
#[test]
fn a_process_that_may_write_no_files_is_not_recorded() {
    let folder = Folder::new("no-files");
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 0; exec \"$@\"", "sh"]).arg(folder.program(true)).args(["none", "4", "20"]);
    let output =
        command.env("LD_PRELOAD", recorder_library()).env(environment::FOLDER, &folder.0).output().expect("sh");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(7) && stderr.contains("not recorded"), "{output:?}");
}
