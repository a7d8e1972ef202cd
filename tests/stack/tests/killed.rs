//! A program on the virtual GPU that is killed leaves nothing behind. A file of its own: no other test runs beside it.
//!
//! The programs are killed at what they have done, which the virtual GPU's trace says, and hang at their last kernel,
//! so that none ends before.
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use stack_tests::{TraceFile, hip_program, on_vgpu, run, target_folder, work_folder};

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

/// Files on disk or in shared memory that a process with this TMPDIR has open; they would stay if they were its own.
/// What else is in the target folder, which may itself be in /tmp, is the test's: the trace, the program.
fn temporary_files(process: u32, tmpdir: &Path) -> Vec<PathBuf> {
    let Ok(open) = fs::read_dir(format!("/proc/{process}/fd")) else { return Vec::new() };
    let targets = open.flatten().filter_map(|descriptor| fs::read_link(descriptor.path()).ok());
    let anybodys = |file: &PathBuf| file.starts_with("/tmp") || file.starts_with("/dev/shm");
    let temporary = |file: &PathBuf| file.starts_with(tmpdir) || anybodys(file) && !file.starts_with(target_folder());
    targets.filter(temporary).filter(|file| file.exists() && !of_amd(file)).collect()
}

/// A program in a process group of its own, all of which is killed when a test fails.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = Pid::from_raw(self.0.id() as i32).filter(|_| matches!(self.0.try_wait(), Ok(None))) {
            let _ = kill_process_group(group, Signal::KILL);
            let _ = self.0.wait();
        }
    }
}

/// What AMD's libraries leave, with every GPU: libhsakmt's shared memory, which it makes once and keeps, and the folder
/// that comgr compiles in, if it was at that.
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

/// How many lines a trace has so far.
fn lines(trace: &TraceFile) -> usize {
    trace.read().lines().count()
}

/// Wherever the target folder is, what is in TMPDIR is seen, and the test's own trace is not.
#[test]
fn open_files_of_a_program_are_told_from_those_of_its_test() {
    let temporary = work_folder().join(format!("open-{}", std::process::id()));
    fs::create_dir_all(&temporary).expect("the target folder is writable");
    let [left, trace] = [temporary.join("left"), temporary.with_extension("trace")];
    let _open = [&left, &trace].map(|file| fs::File::create(file).expect("the target folder is writable"));
    let found = temporary_files(std::process::id(), &temporary);
    fs::remove_file(&trace).and_then(|()| fs::remove_dir_all(&temporary)).expect("they are the test's own");
    let ours = |file: &&PathBuf| [&left, &trace].contains(file);
    assert_eq!(found.iter().filter(ours).collect::<Vec<_>>(), [&left]);
}

#[test]
fn a_killed_program_leaves_nothing_behind() {
    stack_tests::needs_vgpu!();
    let program = hip_program("compute");
    let temporary = work_folder().join(format!("killed-{}", std::process::id()));
    let _ = fs::remove_dir_all(&temporary);
    fs::create_dir_all(&temporary).expect("the target folder is writable");
    let command = |options: &[&str]| {
        let mut command = on_vgpu(options, &program);
        command.arg("math").env("TMPDIR", &temporary).env(MARK, &temporary);
        command
    };
    let mark = temporary.to_str().expect("the target folder's name is UTF-8");
    // Undisturbed, it goes well.
    let undisturbed = TraceFile::new("undisturbed");
    run(&mut command(&undisturbed.options()), Duration::from_secs(60));
    let dispatches = undisturbed.read().lines().filter(|line| line.contains(r#""event":"dispatch""#)).count();
    let before = undisturbed.read().lines().take_while(|line| !is_last(line, dispatches)).count();
    assert!(dispatches > 0 && before > 20, "{dispatches} dispatches behind {before} lines");
    let hang = format!("hang@dispatch:{dispatches}");
    let shared = entries(Path::new("/dev/shm"));
    let none: Vec<PathBuf> = Vec::new();
    // Requests are not as many in each run: the last kill is well before the hang.
    for step in 0..9 {
        let wanted = before * step / 12;
        let trace = TraceFile::new("killed");
        let mut options = vec!["--faults", &hang];
        options.extend(trace.options());
        let mut command = command(&options);
        command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut child = Group(command.spawn().expect("vgpu starts"));
        let start = Instant::now();
        while lines(&trace) < wanted {
            assert!(start.elapsed() < Duration::from_secs(60), "{} of {wanted} lines: {}", lines(&trace), trace.read());
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(temporary_files(child.0.id(), &temporary), none, "open at line {wanted}");
        child.0.kill().expect("a child can be killed");
        let status = child.0.wait().expect("a child can be waited for");
        assert_eq!(status.signal(), Some(9), "it ended by itself before line {wanted}: {status}");
        assert_eq!(marked(mark), none, "processes, killed at line {wanted}");
        assert_eq!(new_entries(&temporary, &BTreeSet::new()), none, "in TMPDIR, killed at line {wanted}");
        assert_eq!(new_entries(Path::new("/dev/shm"), &shared), none, "in shared memory, killed at line {wanted}");
    }
    // The device is as good as before.
    run(&mut command(&[]), Duration::from_secs(60));
    fs::remove_dir_all(&temporary).expect("the folder is the test's own");
}

/// Whether a line of a trace is the start of the kernel of this number.
fn is_last(line: &str, number: usize) -> bool {
    line.contains(r#""event":"dispatch""#) && line.contains(&format!(r#""dispatch":{number},"#))
}
