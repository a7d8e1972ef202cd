//! Runs one test program (or `cargo test`), passing its output through and counting.
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::skips::{self, Allowed};
use super::tally::Tallies;
use crate::processes::{dies_with_us, kill_at_other_end, kill_left_behind, kill_with_descendants, left_behind};
use crate::{progress, vgpu};

/// A test program that writes nothing for this long hangs: it is killed and counts as a failure.
const SILENCE: Duration = Duration::from_secs(600);

/// What came out of the tests.
#[derive(Debug, Default)]
pub struct Totals {
    passed: usize,
    failed: usize,
    /// Names and reasons.
    skipped: Vec<String>,
    /// Those that the list does not allow; they count as failed.
    refused: Vec<String>,
    /// Lines of the list that no test used.
    outlived: Vec<String>,
    /// The same by test.
    tallies: Tallies,
}

impl Totals {
    /// Compares the skipped tests with those that may be skipped. `whole` is whether all tests were run, so that each
    /// of these had a chance to be skipped.
    pub fn check_skips(&mut self, allowed: &Allowed<'_>, whole: bool) {
        let all = std::mem::take(&mut self.skipped);
        if whole {
            self.outlived = allowed.outlived(&all);
        }
        (self.skipped, self.refused) = all.into_iter().partition(|skip| allowed.contains(skip));
        self.failed += self.refused.len();
    }

    /// Adds another part's totals, with its name in front of its tests.
    pub fn add(&mut self, part: &str, other: Self) {
        let named = |tests: Vec<String>| tests.into_iter().map(|test| format!("{part}: {test}")).collect();
        self.merge(Self {
            skipped: named(other.skipped),
            refused: named(other.refused),
            outlived: named(other.outlived),
            ..other
        });
    }

    /// Adds another part's totals.
    pub fn merge(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped.extend(other.skipped);
        self.refused.extend(other.refused);
        self.outlived.extend(other.outlived);
        self.tallies.merge(other.tallies);
    }

    /// The same by test, and the reasons of those that were skipped.
    pub fn by_test(&self) -> (&Tallies, &[String]) {
        (&self.tallies, &self.skipped)
    }

    /// Prints how often each test ended how.
    pub fn print_tallies(&self) {
        println!("{}", self.tallies);
    }

    /// Prints the skipped tests and, as the last line, the totals. False if a test failed, or there was none.
    pub fn report(&self) -> bool {
        show("skipped:", &self.skipped);
        show(&format!("in {}, but not skipped:", skips::FILE), &self.outlived);
        show(&format!("failed, for they were skipped, which {} does not allow:", skips::FILE), &self.refused);
        let any = self.passed + self.failed + self.skipped.len() > 0;
        if !any {
            println!("no test was run: no name has in it what follows `--`");
        }
        println!("{}", self.line());
        any && self.failed == 0
    }

    /// The numbers.
    pub fn line(&self) -> String {
        format!("{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped.len())
    }
}

fn show(title: &str, tests: &[String]) {
    if !tests.is_empty() {
        println!("{title}");
    }
    // One that is repeated, for the same reason each time, is shown once.
    for test in tests.iter().collect::<BTreeSet<_>>() {
        println!("  {test}");
    }
}

/// Runs test programs, one at a time.
pub struct Runner {
    /// The file in which tests record that they were skipped.
    skips: PathBuf,
    /// Before each line that the user reads.
    prefix: String,
}

impl Runner {
    /// `part` tells its lines from those of others that run at the same time. It may be empty.
    pub fn new(part: &str) -> Result<Self> {
        static RUNNERS: AtomicUsize = AtomicUsize::new(0);
        let number = RUNNERS.fetch_add(1, Ordering::Relaxed);
        // Another process may run the tests of another stack.
        let skips = vgpu::target_folder()?.join(format!("skipped-tests-{}-{number}", std::process::id()));
        Ok(Self { skips, prefix: if part.is_empty() { String::new() } else { format!("{part}: ") } })
    }

    /// Shows the user a line.
    pub fn say(&self, line: &str) {
        eprintln!("{}{line}", self.prefix);
    }

    /// Runs `command`, which writes as Rust's test harness does, to its end. In tallies `program` is before the tests'
    /// own names.
    ///
    /// # Errors
    /// If it cannot be started, or the file of skipped tests cannot be read.
    pub fn run(&self, program: &str, command: &mut Command) -> Result<Totals> {
        self.run_until_silent(program, command, SILENCE)
    }

    fn run_until_silent(&self, program: &str, command: &mut Command, silence: Duration) -> Result<Totals> {
        fs::write(&self.skips, "").with_context(|| format!("cannot write {}", self.skips.display()))?;
        command.env(test_skip::FILE, &self.skips).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let shown = progress::display(command);
        let mark = [OsStr::new(test_skip::FILE), self.skips.as_os_str()].join(OsStr::new("="));
        let mut child = dies_with_us(command).spawn().with_context(|| format!("cannot start `{shown}`"))?;
        let (sender, lines) = mpsc::channel();
        let stdout = child.stdout.take().expect("stdout is piped");
        let pipe = stdout.as_fd().try_clone_to_owned().context("cannot watch the program's output")?;
        pass_through(stdout, self.prefix.clone(), shown_output, Some(sender));
        pass_through(child.stderr.take().expect("stderr is piped"), self.prefix.clone(), shown_errors, None);
        let mut counts = Counts::default();
        let (mut killed, mut left) = (false, false);
        loop {
            match lines.recv_timeout(silence) {
                Ok(line) => {
                    counts.read(&line);
                    // A test program has ended, of which `cargo test` runs many.
                    if line.starts_with(RESULT) {
                        left |= self.end_what_is_left(&mark, child.id());
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    self.say(&format!("killed: `{shown}` wrote nothing for {} s", silence.as_secs()));
                    kill_with_descendants(child.id());
                    // The program may be over, and what it started hold its output open.
                    kill_at_other_end(&pipe);
                    killed = true;
                    counts.tallies.silent();
                    break;
                }
            }
        }
        let status = child.wait()?;
        left |= self.end_what_is_left(&mark, child.id());
        if !status.success() && !killed && counts.failed == 0 && counts.open.is_empty() {
            self.say(&format!("failed: `{shown}`: {status}, though no test of it failed"));
        }
        let recorded = fs::read_to_string(&self.skips)?;
        fs::remove_file(&self.skips).with_context(|| format!("cannot remove {}", self.skips.display()))?;
        let mut totals = counts.totals(&recorded, status.success() && !killed && !left);
        totals.tallies.prefix(program);
        recorded.lines().for_each(|line| totals.tallies.skipped(line));
        Ok(totals)
    }

    /// Ends what test programs have left running, so that it takes no time from the next ones. True if something had to
    /// be killed: a test failed to end it.
    fn end_what_is_left(&self, mark: &OsStr, runner: u32) -> bool {
        let since = Instant::now();
        while !left_behind(mark, runner).is_empty() {
            if since.elapsed() > GRACE {
                let killed = kill_left_behind(mark, runner);
                killed
                    .iter()
                    .for_each(|process| self.say(&format!("killed: process {process}, which a test left running")));
                return !killed.is_empty();
            }
            thread::sleep(Duration::from_millis(20));
        }
        false
    }
}

/// How long what a test program started may take to end behind it.
const GRACE: Duration = Duration::from_secs(2);

/// How the line begins that is the last of a test program.
const RESULT: &str = "test result: ";

/// What the harness's output says.
#[derive(Debug, Default)]
struct Counts {
    passed: usize,
    failed: usize,
    ignored: Vec<String>,
    /// Test programs that began and did not say how it ended.
    open: Vec<Open>,
    tallies: Tallies,
}

/// A test program that has begun.
#[derive(Debug, Default)]
struct Open {
    tests: usize,
    passed: usize,
    ignored: usize,
}

impl Counts {
    fn read(&mut self, line: &str) {
        self.tallies.read(line);
        if let Some(result) = line.strip_prefix(RESULT) {
            self.passed += number_before(result, " passed");
            self.failed += number_before(result, " failed");
            self.open.pop();
        } else if line.starts_with("running ") && (line.ends_with(" tests") || line.ends_with(" test")) {
            self.open.push(Open { tests: number_before(line, " test"), ..Open::default() });
        } else if let Some((name, reason)) = ignored(line) {
            self.ignored.push(format!("{name}: {}", if reason.is_empty() { "#[ignore]" } else { reason }));
            if let Some(open) = self.open.last_mut() {
                open.ignored += 1;
            }
        } else if line.starts_with("test ")
            && line.ends_with(" ... ok")
            && let Some(open) = self.open.last_mut()
        {
            open.passed += 1;
        }
    }

    /// `recorded` are the lines of tests that skipped themselves, which the harness counted as passed.
    fn totals(self, recorded: &str, success: bool) -> Totals {
        let mut skipped = self.ignored;
        let before = skipped.len();
        skipped.extend(recorded.lines().map(str::to_owned));
        // Of a program that crashed, each test that had not passed failed: the one that crashed it, and those that did
        // not come to their end.
        let lost = |open: &Open| open.tests.saturating_sub(open.passed + open.ignored).max(1);
        let passed = self.passed + self.open.iter().map(|open| open.passed).sum::<usize>();
        let passed = passed.saturating_sub(skipped.len() - before);
        let mut failed = self.failed + self.open.iter().map(lost).sum::<usize>();
        if !success && failed == 0 {
            failed = 1;
        }
        let mut tallies = self.tallies;
        if !self.open.is_empty() {
            tallies.crashed();
        }
        Totals { passed, failed, skipped, tallies, ..Totals::default() }
    }
}

/// `test NAME ... ignored, REASON`.
fn ignored(line: &str) -> Option<(&str, &str)> {
    let (name, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    Some((name, outcome.strip_prefix("ignored")?.trim_start_matches(", ")))
}

fn number_before(text: &str, word: &str) -> usize {
    let number = text.split_once(word).and_then(|(before, _)| before.rsplit(' ').next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Shows the lines of `stream` where `shown` says, with `prefix` before each, and sends them on.
fn pass_through(
    stream: impl Read + Send + 'static,
    prefix: String,
    shown: fn() -> Box<dyn Write>,
    sender: Option<mpsc::Sender<String>>,
) {
    thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        while matches!(reader.read_until(b'\n', &mut line), Ok(read) if read > 0) {
            let whole = [prefix.as_bytes(), &line].concat();
            let mut out = shown();
            if out.write_all(&whole).and_then(|()| out.flush()).is_err() {
                return;
            }
            drop(out);
            let text = || String::from_utf8_lossy(&line).trim_end().to_owned();
            if sender.as_ref().is_some_and(|sender| sender.send(text()).is_err()) {
                return;
            }
            line.clear();
        }
    });
}

/// Where the user reads what programs print. In unit tests nowhere: their own output is counted by who runs them.
fn shown_output() -> Box<dyn Write> {
    if cfg!(test) { Box::new(std::io::sink()) } else { Box::new(std::io::stdout().lock()) }
}

/// Where the user reads what programs say beside it.
fn shown_errors() -> Box<dyn Write> {
    if cfg!(test) { Box::new(std::io::sink()) } else { Box::new(std::io::stderr().lock()) }
}

#[cfg(test)]
mod tests {
    use super::super::tally::Ended;
    use std::path::Path;

    use super::*;

    fn read(output: &str) -> Counts {
        let mut counts = Counts::default();
        output.lines().for_each(|line| counts.read(line));
        counts
    }

    const TWO_PROGRAMS: &str = "\
running 3 tests
test a ... ok
test b ... ignored, needs a window
test c ... FAILED
test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

running 1 test
test d ... ok
test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

    #[test]
    fn totals_of_several_programs_are_added() {
        let totals = read(TWO_PROGRAMS).totals("", false);
        assert_eq!((totals.passed, totals.failed), (2, 1));
        assert_eq!(totals.skipped, ["b: needs a window"]);
    }

    #[test]
    fn a_test_that_skipped_itself_is_not_counted_as_passed() {
        let totals = read(TWO_PROGRAMS).totals("x::d: no GPU\n", false);
        assert_eq!((totals.passed, totals.failed), (1, 1));
        assert_eq!(totals.skipped, ["b: needs a window", "x::d: no GPU"]);
    }

    #[test]
    fn a_skip_that_is_not_allowed_is_a_failure() {
        let skips = "x::d: the native stack's OpenCL is PoCL\n";
        let mut totals = read(TWO_PROGRAMS).totals(skips, false);
        totals.check_skips(&Allowed::of(["trixie"]), false);
        assert_eq!((totals.passed, totals.failed, totals.skipped.len()), (1, 3, 0));
        assert_eq!(totals.refused, ["b: needs a window", "x::d: the native stack's OpenCL is PoCL"]);
    }

    #[test]
    fn a_program_that_crashes_is_a_failure() {
        let totals = read("running 2 tests\ntest a ... ok\n").totals("", false);
        assert_eq!((totals.passed, totals.failed), (1, 1));
        assert_eq!(totals.tallies.endings()["(crashed)"], Ended::Failed);
        let totals = read("running 1 test\ntest a ... ok\n").totals("", false);
        assert_eq!((totals.passed, totals.failed), (1, 1));
    }

    #[test]
    fn tests_that_a_crash_kept_from_their_end_are_failures() {
        let crash = "running 9 tests\ntest a ... ok\ntest b ... ignored\ntest c ... FAILED\n";
        let totals = read(&format!("{TWO_PROGRAMS}{crash}")).totals("x::a: no GPU\n", false);
        assert_eq!((totals.passed, totals.failed, totals.skipped.len()), (2, 8, 3));
    }

    #[test]
    fn tests_that_passed_or_were_skipped_are_a_success_and_none_is_not() {
        assert!(!read("running 0 tests\ntest result: ok. 0 passed; 0 failed\n").totals("", true).report());
        let skipped = read("running 1 test\ntest d ... ok\ntest result: ok. 1 passed; 0 failed\n");
        assert!(skipped.totals("x::d: no GPU\n", true).report());
    }

    fn runner(skips: PathBuf) -> Runner {
        Runner { skips, prefix: String::new() }
    }

    /// Files of a test's own, of which nothing is left if it passes.
    fn files(test: &str) -> [PathBuf; 2] {
        let folder = std::env::temp_dir();
        ["skips", "left"].map(|name| folder.join(format!("xtask-runner-{test}-{name}-{}", std::process::id())))
    }

    /// Fails unless the process whose number is in the file ends soon.
    fn is_ended(left: &Path) {
        let process = fs::read_to_string(left).unwrap();
        fs::remove_file(left).unwrap();
        // Nothing is left of the command line of a process that is dead, whether or not it was waited for.
        let command_line = format!("/proc/{}/cmdline", process.trim());
        let alive = || fs::read(&command_line).is_ok_and(|words| !words.is_empty());
        for _ in 0..100 {
            if !alive() {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
        panic!("what the program left is still there");
    }

    /// It has closed its output, so that nobody waits for it.
    #[test]
    fn what_a_program_leaves_running_is_killed() {
        let [skips, left] = files("running");
        let script = r#"
            sleep 99 >/dev/null 2>&1 & echo $! >"$1"
            echo "running 1 test"
            echo "test a ... FAILED"
            echo "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"
            exit 101
        "#;
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh"]).arg(&left);
        let totals = runner(skips.clone()).run("x", &mut shell).unwrap();
        assert_eq!((totals.passed, totals.failed), (0, 1));
        is_ended(&left);
    }

    #[test]
    fn a_program_that_leaves_another_running_has_not_passed_and_one_that_ends_soon_is_waited_for() {
        let [skips, left] = files("passed");
        for (seconds, failed) in [("99", 1), ("0.3", 0)] {
            let script = r#"
                sleep "$2" >/dev/null 2>&1 & echo $! >"$1"
                echo "running 1 test"
                echo "test a ... ok"
                echo "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"
            "#;
            let mut shell = Command::new("sh");
            shell.args(["-c", script, "sh"]).arg(&left).arg(seconds);
            let totals = runner(skips.clone()).run("x", &mut shell).unwrap();
            assert_eq!((totals.passed, totals.failed), (1, failed), "{seconds} s");
            is_ended(&left);
        }
    }

    /// `cargo test` goes on with the next one.
    #[test]
    fn what_the_first_of_several_programs_leaves_running_is_killed_before_the_last_ends() {
        let [skips, left] = files("first");
        let script = r#"
            sh -c 'sleep 99 >/dev/null 2>&1 & echo $! >"$1"
                echo "running 1 test"
                echo "test a ... FAILED"' sh "$1"
            echo "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"
            for _ in $(seq 100); do
                grep -q . "/proc/$(cat "$1")/cmdline" 2>/dev/null || exit 101
                sleep 0.1
            done
            echo "running 1 test"
        "#;
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh"]).arg(&left);
        let totals = runner(skips.clone()).run("x", &mut shell).unwrap();
        assert_eq!((totals.passed, totals.failed), (0, 1));
        is_ended(&left);
    }

    #[test]
    fn what_a_program_leaves_hanging_is_killed_and_a_failure() {
        let [skips, left] = files("hanging");
        let script = r#"
            sleep 99 & echo $! >"$1"
            echo "running 1 test"
            echo "test a ... ok"
            echo "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"
        "#;
        let mut shell = Command::new("sh");
        shell.args(["-ec", script, "sh"]).arg(&left);
        let totals = runner(skips).run_until_silent("x", &mut shell, Duration::from_secs(2)).unwrap();
        assert_eq!((totals.passed, totals.failed), (1, 1));
        is_ended(&left);
    }

    #[test]
    fn a_build_that_fails_is_a_failure() {
        assert_eq!(read("").totals("", false).failed, 1);
        assert_eq!(read("").totals("", true).failed, 0);
    }
}
