//! Ending processes that this program started.
use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// Kills a process and all that it started. (A process group would do, but would cut them off from the terminal's Ctrl-C.)
pub fn kill_with_descendants(process: u32) {
    let mut doomed = vec![process];
    let mut next = 0;
    while let Some(parent) = doomed.get(next).copied() {
        doomed.extend(children(parent));
        next += 1;
    }
    for process in doomed {
        if let Some(pid) = i32::try_from(process).ok().and_then(Pid::from_raw) {
            // It may have ended by itself meanwhile.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

fn children(parent: u32) -> Vec<u32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{parent}/task")) else { return Vec::new() };
    let lists = tasks.flatten().filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<_>>()).collect()
}
