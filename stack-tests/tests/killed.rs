//! A program on the virtual GPU that is killed leaves nothing behind. A file of its own: no other test runs beside it.
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use stack_tests::{hip_program, on_vgpu, run, work_folder};

/// In the environment of the programs, so that their processes are known.
const MARK: &str = "STACK_TESTS_KILLED";

fn entries(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.expect("the folder can be read").path()).collect()
}

/// Processes that have the mark, which their children inherit.
fn marked(mark: &str) -> Vec<PathBuf> {
    let wanted = format!("{MARK}={mark}");
    let has_mark = |process: &PathBuf| {
        let environment = fs::read(process.join("environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    entries(Path::new("/proc")).into_iter().filter(has_mark).collect()
}

/// Files on disk or in shared memory that a process has open; they would stay if they were its own.
fn temporary_files(child: &Child) -> Vec<PathBuf> {
    let Ok(open) = fs::read_dir(format!("/proc/{}/fd", child.id())) else { return Vec::new() };
    let targets = open.flatten().filter_map(|descriptor| fs::read_link(descriptor.path()).ok());
    let temporary = |file: &PathBuf| file.starts_with("/tmp") || file.starts_with("/dev/shm");
    targets.filter(temporary).filter(|file| file.exists() && !of_amd(file)).collect()
}

/// What AMD's libraries leave, with every GPU: libhsakmt's shared memory, which it makes once and keeps, and the folder that comgr
/// compiles in, if it was at that.
fn of_amd(file: &Path) -> bool {
    let named = |name: &str| {
        name == "hsakmt_shared_mem"
            || name == "sem.hsakmt_semaphore"
            || name.starts_with("comgr-")
            || name.starts_with("CompileSource-")
    };
    file.components().any(|part| named(&part.as_os_str().to_string_lossy()))
}

/// What appeared in `folder` since it had the entries `before`, and is not AMD's.
fn new_entries(folder: &Path, before: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|entry| !before.contains(entry) && !of_amd(entry)).collect()
}

#[test]
fn a_killed_program_leaves_nothing_behind() {
    stack_tests::needs_vgpu!();
    let program = hip_program("compute");
    let temporary = work_folder().join(format!("killed-{}", std::process::id()));
    let _ = fs::remove_dir_all(&temporary);
    fs::create_dir_all(&temporary).expect("the target folder is writable");
    let command = || {
        let mut command = on_vgpu(&[], &program);
        command.arg("math").env("TMPDIR", &temporary).env(MARK, &temporary);
        command
    };
    let mark = temporary.to_str().expect("the target folder's name is UTF-8");
    // Undisturbed, it goes well.
    run(&mut command(), Duration::from_secs(60));
    let shared = entries(Path::new("/dev/shm"));
    let none: Vec<PathBuf> = Vec::new();
    let mut killed = 0;
    for delay in [1, 20, 50, 100, 150, 200, 300, 500, 800] {
        let mut command = command();
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn().expect("vgpu starts");
        thread::sleep(Duration::from_millis(delay));
        assert_eq!(temporary_files(&child), none, "open after {delay} ms");
        child.kill().expect("a child can be killed");
        let status = child.wait().expect("a child can be waited for");
        killed += usize::from(!status.success());
        assert_eq!(marked(mark), none, "processes, killed after {delay} ms");
        assert_eq!(new_entries(&temporary, &BTreeSet::new()), none, "in TMPDIR, killed after {delay} ms");
        assert_eq!(new_entries(Path::new("/dev/shm"), &shared), none, "in shared memory, killed after {delay} ms");
    }
    assert!(killed >= 4, "only {killed} programs were still running when they were to be killed");
    // The device is as good as before.
    run(&mut command(), Duration::from_secs(60));
    fs::remove_dir_all(&temporary).expect("the folder is the test's own");
}
