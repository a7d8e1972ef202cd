//! The log of AMD's runtime for HIP and OpenCL (`AMD_LOG_LEVEL`), whose lines tell in which file and line of its source they come from.
//!
//! A line of versions 5.2 to 7.2 begins with `:LEVEL:FILE:LINE: TIME us:`, with spaces, then has the process and the thread in one of several ways
//! or not at all, then the message.

use crate::reader::ProcessFile;
use crate::timeline::Thread;

/// How the files begin to which the runtime is asked to write.
pub const FILE_STEM: &str = "runtime-log";

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
    /// Line of it.
    pub line: u32,
    /// What it says.
    pub message: String,
}

impl LogLine {
    /// The time on the recorder's clock.
    pub fn ns(&self, process: &ProcessFile) -> u64 {
        (self.us * 1000).saturating_add_signed(process.raw_minus_monotonic())
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
