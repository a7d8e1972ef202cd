//! Runs the parts of a program, each for a limited time, and counts.
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::catalogue::{Parts, Program};
use super::output::Said;
use crate::progress::{self, Status};
use crate::stack::Prepared;
use crate::vgpu;

/// A part that is to be run.
#[derive(Clone, Debug)]
pub struct Part {
    pub name: String,
    /// How many comparisons it has, if that is known before.
    pub total: Option<usize>,
}

/// How a part ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with success.
    Done,
    /// By itself, saying that it failed: an exit code, as a shell gives it.
    Failed(i32),
    /// It was not done in time.
    TooSlow,
}

/// What came of a part.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub part: Part,
    pub passed: usize,
    pub unsupported: usize,
    /// The comparisons that failed, by their names.
    pub failed: Vec<String>,
    /// What was begun last and did not end.
    pub under_way: Option<String>,
    pub ended: Ended,
    pub time: Duration,
}

impl Outcome {
    fn new(part: Part) -> Self {
        let nothing = Duration::ZERO;
        Self { part, passed: 0, unsupported: 0, failed: Vec::new(), under_way: None, ended: Ended::Done, time: nothing }
    }

    fn read(&mut self, said: Said<'_>) {
        self.under_way = None;
        match said {
            Said::Total(total) => self.part.total = Some(total),
            Said::Begins(name) => self.under_way = Some(name.to_owned()),
            Said::Passed => self.passed += 1,
            Said::Unsupported => self.unsupported += 1,
            Said::Failed(name) => self.failed.push(name.to_owned()),
        }
    }

    /// How many comparisons were not come to, if that is known.
    pub fn not_reached(&self) -> Option<usize> {
        Some(self.part.total?.saturating_sub(self.passed + self.unsupported + self.failed.len()))
    }

    /// Whether nothing was wrong; to be too slow is not.
    pub fn is_fine(&self) -> bool {
        let compared = self.passed + self.unsupported > 0 || self.ended == Ended::TooSlow;
        self.failed.is_empty() && compared && !matches!(self.ended, Ended::Failed(_))
    }
}

/// Runs a program's parts.
pub struct Runner<'a> {
    pub program: &'a Program,
    pub stack: &'a Prepared,
    /// The test program of its crate, where it is one.
    pub built: Option<PathBuf>,
    /// The OpenCL layer, where it is used.
    pub external_memory: Option<PathBuf>,
    /// What goes before the program: the virtual GPU.
    pub front: &'a [OsString],
    /// The folder in which it runs, and in which what it writes is kept.
    pub outputs: &'a Path,
    /// For each part.
    pub limit: Duration,
}

impl Runner<'_> {
    /// The parts that there are; where the program has to be asked, it is run for that.
    pub fn parts(&self) -> Result<Vec<Part>> {
        if !self.program.before.is_empty() {
            let what = format!("preparing {}", self.program.name);
            progress::run(&what, &mut self.command(&[], self.program.before, "")?)?;
        }
        match self.program.parts {
            Parts::These(names) => {
                Ok(names.iter().map(|name| Part { name: (*name).to_owned(), total: None }).collect())
            }
            Parts::Asked { command, read } => {
                let mut command = self.command(self.front, command, "")?;
                let output = command.stderr(Stdio::inherit()).output();
                let output = output.with_context(|| format!("cannot start `{}`", progress::display(&command)))?;
                ensure!(output.status.success(), "`{}` failed: {}", progress::display(&command), output.status);
                Ok(read(&String::from_utf8_lossy(&output.stdout)))
            }
        }
    }

    /// Runs one part.
    ///
    /// # Errors
    /// If it cannot be started, or what it writes cannot be kept. That it fails is an outcome.
    pub fn run(&self, part: Part) -> Result<Outcome> {
        let started = Instant::now();
        let name = part.name.clone();
        let mut status = Status::new(&format!("{}: {name}", self.program.name), started);
        let mut command = self.command(self.front, self.program.command, &name)?;
        let mut kept = self.keep(&name, "out")?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(self.keep(&name, "err")?);
        let mut child = command.spawn().with_context(|| format!("cannot start `{}`", progress::display(&command)))?;
        let (sender, lines) = mpsc::channel();
        let stdout = child.stdout.take().expect("stdout is piped");
        thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut line = Vec::new();
            while matches!(reader.read_until(b'\n', &mut line), Ok(read) if read > 0) {
                if sender.send(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()).is_err() {
                    return;
                }
                line.clear();
            }
        });
        let mut outcome = Outcome::new(part);
        let mut killed = false;
        loop {
            match lines.recv_timeout(Duration::from_secs(1)) {
                Ok(line) => {
                    writeln!(kept, "{line}").context("cannot write what the program wrote")?;
                    if let Some(said) = (self.program.read)(&line) {
                        outcome.read(said);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            status.update(&outcome.to_string());
            if !killed && started.elapsed() >= self.limit {
                // All that runs in the sandbox dies with it.
                child.kill().context("cannot end the program")?;
                killed = true;
            }
        }
        let exit = child.wait()?;
        outcome.time = started.elapsed();
        outcome.ended = match crate::exit_code(exit) {
            0 => Ended::Done,
            _ if killed => Ended::TooSlow,
            code => Ended::Failed(code),
        };
        status.finish(outcome.is_fine());
        Ok(outcome)
    }

    /// A file for what a part writes.
    fn keep(&self, part: &str, extension: &str) -> Result<File> {
        let name: String =
            part.chars().map(|c| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect();
        let path = self.outputs.join(format!("{name}.{extension}"));
        File::create(&path).with_context(|| format!("cannot make {}", path.display()))
    }

    /// `words` in the stack, with the part's name in the place of `{}` and the folders' in that of their names.
    fn command(&self, front: &[OsString], words: &[&str], part: &str) -> Result<Command> {
        let files = vgpu::root().join("xtask/programs");
        let filled = |word: &str| -> String {
            let word = word.replace("{files}", &files.to_string_lossy());
            let path = |of: &Option<PathBuf>| of.as_deref().unwrap_or(Path::new("")).to_string_lossy().into_owned();
            let word =
                word.replace("{outputs}", &self.outputs.to_string_lossy()).replace("{built}", &path(&self.built));
            word.replace("{external_memory}", &path(&self.external_memory)).replace("{}", part)
        };
        let words: Vec<String> = words.iter().map(|word| filled(word)).collect();
        let (program, arguments) = words.split_first().context("a program has a command")?;
        let mut command = self.stack.command(front, program)?;
        command.args(arguments).current_dir(self.outputs).env("TMPDIR", self.temporary()?);
        command.envs(self.program.environment.iter().map(|(name, value)| (name, filled(value))));
        Ok(command)
    }

    /// A folder for temporary files, which programs leave behind when they are ended.
    fn temporary(&self) -> Result<PathBuf> {
        let folder = self.outputs.join("temporary");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder)
    }

    /// Removes what programs left behind.
    ///
    /// # Errors
    /// If that fails.
    pub fn remove_temporary(&self) -> Result<()> {
        let folder = self.temporary()?;
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))
    }
}
