//! How often each test ended how, for tests that are run many times.
use std::collections::BTreeMap;
use std::fmt;

/// In the message of a test whose program was not done in time: `stack_tests::run` and `run_any` say so.
const NOT_DONE: &str = "was not done within";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: usize,
    failed: usize,
    /// Of those that failed: it was not done in time.
    hung: usize,
    skipped: usize,
}

/// How a test ended that ran once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Passed,
    Failed,
    Skipped,
}

/// Stands for the test at which a program was killed.
const KILLED: &str = "(killed)";

/// How many lines of a failed test's message are kept.
const KEPT: usize = 12;

/// Tests by name.
#[derive(Debug, Default)]
pub struct Tallies {
    tests: BTreeMap<String, Tally>,
    /// What tests said that failed: the beginning, of the first time.
    messages: BTreeMap<String, Vec<String>>,
    /// The failed test whose message is being read.
    message_of: Option<String>,
}

impl Tallies {
    /// Reads a line of the harness's output.
    pub fn read(&mut self, line: &str) {
        if let Some((name, outcome)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ")) {
            let tally = self.tests.entry(name.to_owned()).or_default();
            // What the test itself printed may stand between.
            if outcome.ends_with("FAILED") {
                tally.failed += 1;
            } else if outcome.ends_with("ok") {
                tally.passed += 1;
            }
        } else if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----")) {
            self.message_of = Some(name.to_owned());
        } else if line == "failures:" {
            self.message_of = None;
        } else if let Some(name) = &self.message_of {
            let message = self.messages.entry(name.clone()).or_default();
            // Before the message comes an empty line.
            if message.len() < KEPT && (!line.is_empty() || !message.is_empty()) {
                message.push(line.to_owned());
            }
            if line.contains(NOT_DONE)
                && let Some(tally) = self.message_of.take().and_then(|name| self.tests.get_mut(&name))
            {
                tally.hung += 1;
            }
        }
    }

    /// What a test said that failed, if that is known.
    pub fn message(&self, test: &str) -> String {
        self.messages.get(test).map(|lines| lines.join("\n").trim_end().to_owned()).unwrap_or_default()
    }

    /// The test program ended in the middle: one of its tests crashed, it is not known which, and those behind it did
    /// not run.
    pub fn crashed(&mut self) {
        if !self.tests.contains_key(KILLED) {
            self.tests.entry("(crashed)".to_owned()).or_default().failed += 1;
        }
    }

    /// The test program was killed because it wrote nothing: one of its tests hung, it is not known which.
    pub fn silent(&mut self) {
        let tally = self.tests.entry(KILLED.to_owned()).or_default();
        tally.failed += 1;
        tally.hung += 1;
    }

    /// Puts `program` before the names of all tests.
    pub fn prefix(&mut self, program: &str) {
        fn renamed<T>(all: &mut BTreeMap<String, T>, program: &str) {
            *all = std::mem::take(all).into_iter().map(|(name, of)| (format!("{program}::{name}"), of)).collect();
        }
        renamed(&mut self.tests, program);
        renamed(&mut self.messages, program);
    }

    /// Takes back that a test passed which says that it was skipped: `PROGRAM::TEST: REASON`.
    pub fn skipped(&mut self, line: &str) {
        let name = line.split_once(": ").map_or(line, |(name, _)| name);
        if let Some(tally) = self.tests.get_mut(name) {
            tally.passed = tally.passed.saturating_sub(1);
            tally.skipped += 1;
        }
    }

    /// How each test ended, by `PROGRAM::TEST`; in several runs, whether it failed in one.
    pub fn endings(&self) -> BTreeMap<String, Ended> {
        let ended = |tally: &Tally| match tally {
            Tally { failed: 1.., .. } => Ended::Failed,
            Tally { passed: 1.., .. } => Ended::Passed,
            _ => Ended::Skipped,
        };
        self.tests.iter().map(|(name, tally)| (name.clone(), ended(tally))).collect()
    }

    /// Adds those of another run.
    pub fn merge(&mut self, other: Self) {
        for (name, tally) in other.tests {
            let sum = self.tests.entry(name).or_default();
            sum.passed += tally.passed;
            sum.failed += tally.failed;
            sum.hung += tally.hung;
            sum.skipped += tally.skipped;
        }
        for (name, message) in other.messages {
            self.messages.entry(name).or_insert(message);
        }
    }
}

impl fmt::Display for Tallies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:60} {:>6} {:>6} {:>6}", "test", "passed", "failed", "hung")?;
        let mut sum = Tally::default();
        for (name, tally) in self.tests.iter().filter(|(_, tally)| tally.passed + tally.failed > 0) {
            writeln!(f, "{name:60} {:>6} {:>6} {:>6}", tally.passed, tally.failed, tally.hung)?;
            sum.passed += tally.passed;
            sum.failed += tally.failed;
            sum.hung += tally.hung;
        }
        writeln!(f, "{:60} {:>6} {:>6} {:>6}", "all", sum.passed, sum.failed, sum.hung)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "\
running 3 tests
test a ... ok
test b ... FAILED
test c ... FAILED
test d ... ok

failures:

---- b stdout ----
\"b\" was not done within 60s

---- c stdout ----
wrong

failures:
    b
    c

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 60.00s
";

    fn run() -> Tallies {
        let mut tallies = Tallies::default();
        RUN.lines().for_each(|line| tallies.read(line));
        tallies.prefix("x");
        tallies.skipped("x::d: no GPU");
        tallies
    }

    #[test]
    fn runs_are_added_by_test() {
        let mut tallies = run();
        tallies.merge(run());
        assert_eq!(tallies.tests["x::a"], Tally { passed: 2, ..Tally::default() });
        assert_eq!(tallies.tests["x::b"], Tally { failed: 2, hung: 2, ..Tally::default() });
        assert_eq!(tallies.tests["x::c"], Tally { failed: 2, ..Tally::default() });
        assert_eq!(tallies.tests["x::d"], Tally { skipped: 2, ..Tally::default() });
        let text = tallies.to_string();
        assert!(!text.contains("x::d"), "{text}");
        assert_eq!((tallies.message("x::c"), tallies.message("x::a")), ("wrong".to_owned(), String::new()));
        let last: Vec<&str> = text.lines().last().unwrap().split_whitespace().collect();
        assert_eq!(last, ["all", "2", "4", "2"]);
    }
}
