//! Ending processes that this program started, and waiting for others, with who they are.
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use rustix::fs::FlockOperation;
use rustix::process::{Pid, Signal, kill_process};

/// Waits until no other process has the lock at `path`, which this one then has until the file is dropped. `who` is
/// whom the user reads that this waits for.
pub fn lock(path: &Path, who: &str) -> Result<File> {
    let file = File::create(path).with_context(|| format!("cannot make {}", path.display()))?;
    if rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        let holder = holder(path).map_or(String::new(), |holder| format!(", which is process {holder}"));
        eprintln!("waiting for {who}{holder} ({}) ...", path.display());
        rustix::fs::flock(&file, FlockOperation::LockExclusive).context("cannot lock")?;
    }
    Ok(file)
}

/// Who has locked the file at `path`, as /proc/locks tells: the process's number and its command line.
pub fn holder(path: &Path) -> Option<String> {
    let inode = format!(":{}", fs::metadata(path).ok()?.ino());
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let process: u32 = locks.lines().find_map(|line| {
        // `1: FLOCK  ADVISORY  WRITE 4711 fe:00:131 0 EOF`; who waits for it stands below, with `->` behind the number.
        let words: Vec<_> = line.split_whitespace().collect();
        let [_, "FLOCK", _, _, process, file, ..] = words[..] else { return None };
        if file.ends_with(&inode) { process.parse().ok() } else { None }
    })?;
    Some(named(process))
}

/// A process's number and its command line.
fn named(process: u32) -> String {
    let command = fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let command: Vec<_> = command.split('\0').filter(|word| !word.is_empty()).take(4).collect();
    format!("{process} ({})", command.join(" "))
}

/// Has the system end what `command` starts when this program ends, however it ends: `cargo build` holds the lock of
/// the target folder, for which the next command would wait. It is to be started by a thread that lives until then.
pub fn dies_with_us(command: &mut Command) -> &mut Command {
    let us = rustix::process::getpid();
    let before_it_begins = move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
        // This program may have ended before that.
        if rustix::process::getppid() == Some(us) { Ok(()) } else { Err(io::Error::other("the parent has ended")) }
    };
    // SAFETY: it makes two system calls and, if it fails, allocates in a child that ends then.
    unsafe { command.pre_exec(before_it_begins) }
}

/// Kills a process and all that it started. (A process group would do, but would cut them off from the terminal's
/// Ctrl-C.)
pub fn kill_with_descendants(process: u32) {
    with_descendants(process).into_iter().for_each(kill);
}

fn with_descendants(process: u32) -> Vec<u32> {
    let mut found = vec![process];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found.extend(children(parent));
        next += 1;
    }
    found
}

/// Kills what is [left behind](left_behind), and gives the numbers and command lines.
pub fn kill_left_behind(variable: &OsStr, process: u32) -> Vec<String> {
    let killed = left_behind(variable, process).into_iter().map(|process| {
        let name = named(process);
        kill(process);
        name
    });
    killed.collect()
}

/// Processes that have `variable` (`NAME=VALUE`) in their environment, as those have that `process` started, but are
/// not among its descendants: whoever started them has ended.
pub fn left_behind(variable: &OsStr, process: u32) -> Vec<u32> {
    let kept = with_descendants(process);
    let has_variable = |process: &u32| {
        let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|found| found == variable.as_bytes())
    };
    all().filter(|process| !kept.contains(process)).filter(has_variable).collect()
}

/// Kills every other process that has an end of `pipe` open: also what a program left behind that has ended itself.
pub fn kill_at_other_end(pipe: impl AsFd) {
    let Ok(stat) = rustix::fs::fstat(pipe) else { return };
    let link = format!("pipe:[{}]", stat.st_ino);
    let has_it = |process: &u32| {
        let Ok(files) = fs::read_dir(format!("/proc/{process}/fd")) else { return false };
        // The link's text: to look at what it leads to may block.
        files.flatten().any(|file| fs::read_link(file.path()).is_ok_and(|to| to == Path::new(&link)))
    };
    all().filter(|process| *process != std::process::id()).filter(has_it).for_each(kill);
}

/// The numbers of all processes.
fn all() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn kill(process: u32) {
    if let Some(pid) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        // It may have ended by itself meanwhile.
        let _ = kill_process(pid, Signal::KILL);
    }
}

fn children(parent: u32) -> Vec<u32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{parent}/task")) else { return Vec::new() };
    let lists = tasks.flatten().filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_lock_is_waited_for() {
        let path = std::env::temp_dir().join(format!("xtask-lock-{}", std::process::id()));
        let first = lock(&path, "nobody").unwrap();
        let (sender, locked) = mpsc::channel();
        let second = path.clone();
        let waiter = thread::spawn(move || {
            let _file = lock(&second, "this test").unwrap();
            sender.send(()).unwrap();
        });
        assert!(locked.recv_timeout(Duration::from_millis(200)).is_err());
        let holder = holder(&path).unwrap();
        let own = std::env::current_exe().unwrap();
        assert!(holder.starts_with(&format!("{} (", std::process::id())), "{holder}");
        assert!(holder.contains(own.file_name().unwrap().to_str().unwrap()), "{holder}");
        drop(first);
        waiter.join().unwrap();
        locked.recv().unwrap();
        assert_eq!(super::holder(&path), None);
        fs::remove_file(&path).unwrap();
    }
}
