//! A program of a suite, and what one test of it comes to.
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::processes::kill_with_descendants;
use crate::progress;
use crate::stack::Prepared;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It looked at something, and found it right.
    Passed,
    /// It passed and wrote that it skipped something, most often all.
    Skipped,
    /// It found something wrong, or crashed.
    Failed,
    /// It was not done in time.
    TooSlow,
    /// It is listed as one that must not run.
    NotRun,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Passed, Self::Skipped, Self::Failed, Self::TooSlow, Self::NotRun];
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Passed => "passed",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
            Self::TooSlow => "too slow",
            Self::NotRun => "not run",
        })
    }
}

/// What one test came to.
#[derive(Debug)]
pub struct Ran {
    pub outcome: Outcome,
    pub time: Duration,
    /// The line of its output that says why it did not pass.
    pub said: String,
}

impl Ran {
    /// Of a test that was not run.
    pub fn not() -> Self {
        Self { outcome: Outcome::NotRun, time: Duration::ZERO, said: String::new() }
    }
}

/// How programs of a suite are asked, and what they say.
#[derive(Clone, Copy)]
pub struct Harness {
    /// The argument with which a program lists its tests.
    pub list: &'static str,
    /// The tests in such a list.
    pub listed: fn(&str) -> Vec<String>,
    /// The argument that runs one test.
    pub run: fn(&str) -> String,
    /// What a test's output and the end of its process say; no status is one that was killed because it took too long.
    /// With the reason where it did not pass.
    pub judge: fn(&str, Option<ExitStatus>, &str) -> (Outcome, String),
}

/// GoogleTest.
pub const GOOGLE_TEST: Harness =
    Harness { list: "--gtest_list_tests", listed, run: |test| format!("--gtest_filter={test}"), judge };

/// A program of a suite that can be run.
pub struct Program {
    pub harness: Harness,
    /// What is before the names of its tests, where a suite has several programs.
    pub prefix: String,
    /// Which of its tests the suite has; all if none is named.
    pub only: &'static [&'static str],
    pub stack: Prepared,
    /// What goes before the program: the virtual GPU, and its environment.
    pub front: Vec<OsString>,
    pub program: PathBuf,
    /// The folder for what tests write.
    pub logs: PathBuf,
    /// How long a test may take.
    pub limit: Duration,
}

impl Program {
    fn command(&self, argument: &str) -> Result<Command> {
        let mut command = self.stack.command(&self.front, &self.program)?;
        command.arg(argument).stdin(Stdio::null());
        Ok(command)
    }

    /// The names of the suite's tests but the disabled ones, with the prefix.
    ///
    /// # Errors
    /// If the program cannot be started or is no suite.
    pub fn tests(&self) -> Result<Vec<String>> {
        let mut command = self.command(self.harness.list)?;
        let shown = progress::display(&command);
        let output = command.output().with_context(|| format!("cannot start `{shown}`"))?;
        let tests = (self.harness.listed)(&String::from_utf8_lossy(&output.stdout));
        if !output.status.success() || tests.is_empty() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("`{shown}` lists no tests ({}): {}", output.status, said.trim_end());
        }
        let wanted = tests.iter().filter(|test| self.only.is_empty() || self.only.contains(&test.as_str()));
        Ok(wanted.map(|test| format!("{}{test}", self.prefix)).collect())
    }

    /// Runs one test.
    ///
    /// # Errors
    /// If it cannot be started, or its output not be kept.
    pub fn run(&self, test: &str) -> Result<Ran> {
        fs::create_dir_all(&self.logs).with_context(|| format!("cannot make {}", self.logs.display()))?;
        // Tests with parameters have slashes in their names.
        let path = self.logs.join(format!("{}.log", test.replace('/', "-")));
        let log = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        let own = test.strip_prefix(&self.prefix).unwrap_or(test);
        let mut command = self.command(&(self.harness.run)(own))?;
        command.stdout(log.try_clone()?).stderr(log);
        let started = Instant::now();
        let mut child = command.spawn().with_context(|| format!("cannot start `{}`", progress::display(&command)))?;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if started.elapsed() >= self.limit {
                kill_with_descendants(child.id());
                child.wait()?;
                break None;
            }
            thread::sleep(Duration::from_millis(20));
        };
        let time = started.elapsed();
        let output = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let (outcome, said) = (self.harness.judge)(own, status, &String::from_utf8_lossy(&output));
        Ok(Ran { outcome, time, said })
    }
}

/// The tests in what `--gtest_list_tests` prints: a line `Case.`, then a line with two spaces before the name for each
/// test of it.
fn listed(text: &str) -> Vec<String> {
    let mut case = "";
    let mut tests = Vec::new();
    for line in text.lines() {
        // A comment names the parameter.
        let word = line.split('#').next().unwrap_or_default().trim_end();
        if let Some(test) = word.strip_prefix("  ") {
            tests.push(format!("{case}{test}"));
        } else if word.ends_with('.') && !word.contains(' ') {
            case = word;
        }
    }
    tests.retain(|test| !test.contains("DISABLED_"));
    tests
}

/// [`Harness::judge`] of GoogleTest.
fn judge(test: &str, status: Option<ExitStatus>, output: &str) -> (Outcome, String) {
    let line = |found: &dyn Fn(&str) -> bool| {
        let line = output.lines().find(|line| found(line))?;
        Some(line.trim_start_matches(['[', ']', ' ', '-']).trim_end().to_owned())
    };
    let last = || last_line(output);
    let Some(status) = status else { return (Outcome::TooSlow, last()) };
    let ok = output.lines().any(|line| line.strip_prefix("[       OK ] ").is_some_and(|rest| names(rest, test)));
    if !status.success() || !ok {
        let said = line(&|line| line.contains(": Failure") || line.contains("[  FAILED  ]"));
        return (Outcome::Failed, format!("{}; {status}", said.unwrap_or_else(last)));
    }
    // "Skipping test: no VRAM", "Test is skipped", "Skip test as": neither suite uses GoogleTest's own way to skip.
    match line(&|line| line.to_lowercase().contains("skip")) {
        Some(said) => (Outcome::Skipped, said),
        None => (Outcome::Passed, String::new()),
    }
}

/// The last line that a test wrote.
pub fn last_line(output: &str) -> String {
    output.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("wrote nothing").trim().to_owned()
}

/// Whether the text is a test's name, perhaps with the time it took.
fn names(text: &str, test: &str) -> bool {
    text.strip_prefix(test).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn tests_are_found_in_a_list() {
        let text = "[          ] Profile: Full Test\nMemory.\n  Map\n  DISABLED_Unmap\nRange/Move.\n  Twice/0  # GetParam() = 4\n  Twice/1\n";
        assert_eq!(listed(text), ["Memory.Map", "Range/Move.Twice/0", "Range/Move.Twice/1"]);
        assert!(listed("This is no suite.\n").is_empty());
    }

    const RIGHT: &str = "[ RUN      ] Memory.Map\n[       OK ] Memory.Map (3 ms)\n[  PASSED  ] 1 test.\n";

    fn outcome(code: i32, output: &str) -> (Outcome, String) {
        judge("Memory.Map", Some(ExitStatus::from_raw(code << 8)), output)
    }

    #[test]
    fn a_test_passes_that_ran_and_said_no_more() {
        assert_eq!(outcome(0, RIGHT).0, Outcome::Passed);
        // The filter found no test, or another one.
        assert_eq!(outcome(0, "[  PASSED  ] 0 tests.\n").0, Outcome::Failed);
        assert_eq!(outcome(0, &RIGHT.replace("Map", "Mapped")).0, Outcome::Failed);
    }

    #[test]
    fn a_skip_is_no_pass() {
        let text = format!("[          ] Skipping test: No VRAM found.\n{RIGHT}");
        assert_eq!(outcome(0, &text), (Outcome::Skipped, "Skipping test: No VRAM found.".to_owned()));
    }

    #[test]
    fn a_failure_says_where() {
        let text = "memory.cpp:12: Failure\nValue of: x\n[  FAILED  ] Memory.Map (3 ms)\n";
        assert_eq!(outcome(1, text), (Outcome::Failed, "memory.cpp:12: Failure; exit status: 1".to_owned()));
        let crash = judge("Memory.Map", Some(ExitStatus::from_raw(11)), "[ RUN      ] Memory.Map\n");
        assert!(crash.0 == Outcome::Failed && crash.1.contains("signal: 11"), "{crash:?}");
        // A process that fails after all was right, such as a sanitizer's.
        assert_eq!(outcome(1, RIGHT).0, Outcome::Failed);
    }

    #[test]
    fn one_that_was_killed_is_too_slow() {
        let (outcome, said) = judge("Memory.Map", None, "[ RUN      ] Memory.Map\nwaiting\n\n");
        assert_eq!((outcome, said.as_str()), (Outcome::TooSlow, "waiting"));
    }
}
