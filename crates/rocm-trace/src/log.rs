//! Reads the log of AMD's runtime for HIP and OpenCL (`AMD_LOG_LEVEL`), whose lines name the source file and line that
//! wrote them.
//!
//! A line of versions 5.2 to 7.2 begins with `:LEVEL:FILE:LINE: TIME us:`, with spaces, then has the process and the
//! thread in one of several ways or not at all, then the message.

use crate::reader::ProcessFile;
use crate::timeline::Thread;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// How the files begin to which the runtime is asked to write.
pub const FILE_STEM: &str = "runtime-log";

/// Whether a file is called as those are.
pub fn is_called_so(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_bytes().starts_with(FILE_STEM.as_bytes()))
}

/// A line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Microseconds of the runtime's clock, which is `CLOCK_MONOTONIC`.
    pub us: u64,
    /// The process.
    pub pid: u32,
    /// The thread, 0 if it is not known.
    pub tid: u32,
    /// 1 (errors) to 4 or 5 (everything).
    pub level: u32,
    /// Source file.
    pub file: String,
    /// Line of the source file.
    pub line: u32,
    /// The message.
    pub message: String,
}

impl LogLine {
    /// The time on the recorder's clock.
    pub fn ns(&self, process: &ProcessFile) -> u64 {
        process.monotonic().convert(self.us.saturating_mul(1000))
    }
}

/// Reads a log. Lines of another form continue the message before.
pub fn read(text: &str, threads: &[Thread]) -> Vec<LogLine> {
    let mut lines: Vec<LogLine> = Vec::new();
    for line in text.lines() {
        match parse(line, threads) {
            Some(line) => lines.push(line),
            None => {
                if let Some(last) = lines.last_mut() {
                    last.message.push('\n');
                    last.message.push_str(line);
                }
            }
        }
    }
    lines
}

fn parse(line: &str, threads: &[Thread]) -> Option<LogLine> {
    let mut parts = line.strip_prefix(':')?.splitn(5, ':');
    let level = parts.next()?.trim().parse().ok()?;
    let file = parts.next()?.trim().to_owned();
    let number = parts.next()?.trim().parse().ok()?;
    let us = parts.next()?.trim().strip_suffix("us")?.trim().parse().ok()?;
    let mut message = parts.next()?.trim_start();
    let (mut pid, mut pthread) = (None, None);
    // `[pid:1 tid:0x7f00]`, or `1 : [tid:0x7f00]`.
    if let Some((before, rest)) = message.split_once(" : [tid:") {
        pid = before.trim().parse().ok();
        message = rest;
    } else if let Some(rest) = message.strip_prefix("[pid:") {
        let (number, rest) = rest.split_once(" tid:")?;
        pid = number.trim().parse().ok();
        message = rest.trim_start();
    }
    if pid.is_some() {
        let (number, rest) = message.split_once(']')?;
        pthread = u64::from_str_radix(number.trim().trim_start_matches("0x"), 16).ok();
        message = rest.trim_start();
    }
    let of = |thread: &&Thread| pid.is_none_or(|pid| thread.pid == pid) && Some(thread.pthread) == pthread;
    let thread = threads.iter().find(of);
    Some(LogLine {
        us,
        pid: pid.or(threads.first().map(|thread| thread.pid))?,
        tid: thread.map_or(0, |thread| thread.tid),
        level,
        file,
        line: number,
        message: message.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_several_versions() {
        let thread = |tid, pthread| Thread { pid: 7, tid, pthread, name: String::new() };
        let threads = [thread(8, 0x7f00), thread(9, 0x7f01)];
        let text = "\
:3:rocdevice.cpp            :442 : 1234567890 us: 7    : [tid:0x7f01] Initializing HSA stack.
:4:rocvirtual.cpp           :1055: 1234567990 us: [pid:7     tid:0x7f00] [hip] SWq=0x55, HWq=0x7f: 2
second line
:1:x.cpp:1: 5 us:  no process
not the beginning of a line
:9:broken";
        let lines = read(text, &threads);
        let shown: Vec<_> = lines.iter().map(|line| (line.us, line.pid, line.tid, line.level, line.line)).collect();
        assert_eq!(shown, [(1_234_567_890, 7, 9, 3, 442), (1_234_567_990, 7, 8, 4, 1055), (5, 7, 0, 1, 1)]);
        assert_eq!((lines[0].file.as_str(), lines[0].message.as_str()), ("rocdevice.cpp", "Initializing HSA stack."));
        assert_eq!(lines[1].message, "[hip] SWq=0x55, HWq=0x7f: 2\nsecond line");
        assert_eq!(lines[2].message, "no process\nnot the beginning of a line\n:9:broken");
    }
}
