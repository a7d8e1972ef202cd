//! Runs long commands so that a reader sees that they are alive, and sees their output when they fail.
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::processes;

/// How many lines of a failed command are shown.
const TAIL: usize = 40;

/// Runs `command`, showing `what`, the seconds since the start and the newest line of output while it works.
///
/// # Errors
/// If it cannot be started or fails; the error then holds the end of its output.
pub fn run(what: &str, command: &mut Command) -> Result<()> {
    follow(what, command, None)
}

/// The same for a command whose standard output is for programs: gives its lines, and shows only the errors.
pub fn output(what: &str, command: &mut Command) -> Result<Vec<String>> {
    let (sender, lines) = mpsc::channel();
    follow(what, command, Some(sender))?;
    Ok(lines.into_iter().collect())
}

fn follow(what: &str, command: &mut Command, output: Option<mpsc::Sender<String>>) -> Result<()> {
    let started = Instant::now();
    let shown = display(command);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = processes::dies_with_us(command).spawn().with_context(|| format!("cannot start `{shown}`"))?;
    let (sender, lines) = mpsc::channel();
    forward(child.stdout.take().expect("stdout is piped"), output.unwrap_or_else(|| sender.clone()));
    forward(child.stderr.take().expect("stderr is piped"), sender);

    let mut status = Status::new(what, started);
    let mut tail = VecDeque::new();
    loop {
        match lines.recv_timeout(Duration::from_secs(1)) {
            Ok(line) => {
                if let Some(whom) = waits_for(&line) {
                    status.note(&whom);
                }
                if tail.len() == TAIL {
                    tail.pop_front();
                }
                tail.push_back(line);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        status.update(tail.back().map_or("", String::as_str));
    }
    let exit = child.wait()?;
    status.finish(exit.success());
    if !exit.success() {
        let output: String = tail.iter().map(|line| format!("  {line}\n")).collect();
        bail!("{what}: `{shown}` failed ({exit}). The end of its output:\n{output}");
    }
    Ok(())
}

/// What the user is told at once when a command says by `line` that it waits for another program: for which one.
fn waits_for(line: &str) -> Option<String> {
    // Cargo does not tell who has the folder; apt does.
    if line.contains("Blocking waiting for file lock") {
        let folder = crate::vgpu::target_folder().ok()?;
        let locks = ["debug", "release"].map(|profile| folder.join(profile).join(".cargo-lock"));
        let holder = locks.iter().find_map(|lock| processes::holder(lock));
        let holder = holder.map_or(String::new(), |holder| format!(", that of process {holder}"));
        return Some(format!("{}{holder}", line.trim()));
    }
    line.starts_with("Waiting for cache lock").then(|| line.to_owned())
}

/// The command as one could type it.
pub fn display(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

fn forward(stream: impl Read + Send + 'static, sender: mpsc::Sender<String>) {
    thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        while matches!(reader.read_until(b'\n', &mut line), Ok(read) if read > 0) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            if sender.send(text).is_err() {
                return;
            }
            line.clear();
        }
    });
}

/// One line that is rewritten on a terminal, or a new line every ten seconds elsewhere.
pub struct Status {
    what: String,
    started: Instant,
    shown: Instant,
    terminal: bool,
}

impl Status {
    pub fn new(what: &str, started: Instant) -> Self {
        eprintln!("{what} ...");
        Self { what: what.to_owned(), started, shown: started, terminal: std::io::stderr().is_terminal() }
    }

    pub fn update(&mut self, line: &str) {
        let pause = if self.terminal { Duration::from_millis(200) } else { Duration::from_secs(10) };
        if self.shown.elapsed() < pause {
            return;
        }
        self.shown = Instant::now();
        let seconds = self.started.elapsed().as_secs();
        let line: String = line.chars().filter(|c| !c.is_control()).take(90).collect();
        if self.terminal {
            eprint!("\r\x1b[K  {seconds:>4} s  {line}");
        } else {
            eprintln!("  {seconds:>4} s  {line}");
        }
    }

    /// Shows what must not be missed, on a line of its own.
    fn note(&self, text: &str) {
        eprintln!("{}  {text}", if self.terminal { "\r\x1b[K" } else { "" });
    }

    pub fn finish(&self, success: bool) {
        if self.terminal {
            eprint!("\r\x1b[K");
        }
        let outcome = if success { "done" } else { "FAILED" };
        eprintln!("{}: {outcome} in {:.1} s", self.what, self.started.elapsed().as_secs_f32());
    }
}

#[cfg(test)]
mod tests {
    use super::waits_for;

    #[test]
    fn who_waits_says_for_whom() {
        let cargo = "    Blocking waiting for file lock on build directory";
        // A test run by cargo: nobody has the folder, or somebody who builds beside it.
        assert!(
            waits_for(cargo).is_some_and(|whom| whom.starts_with("Blocking waiting for file lock on build directory"))
        );
        let apt = "Waiting for cache lock: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (apt-get)...";
        assert_eq!(waits_for(apt).as_deref(), Some(apt));
        assert_eq!(waits_for("   Compiling kfd v0.1.0"), None);
    }
}
