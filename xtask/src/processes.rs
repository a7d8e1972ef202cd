//! Ending processes that this program started.
use std::fs;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

/// Kills a process and all that it started. (A process group would do, but would cut them off from the terminal's Ctrl-C.)
pub fn kill_with_descendants(process: u32) {
    let mut doomed = vec![process];
    let mut next = 0;
    while let Some(parent) = doomed.get(next).copied() {
        doomed.extend(children(parent));
        next += 1;
    }
    doomed.into_iter().for_each(kill);
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
    let Ok(entries) = fs::read_dir("/proc") else { return };
    let processes = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes.filter(|process| *process != std::process::id()).filter(has_it).for_each(kill);
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
