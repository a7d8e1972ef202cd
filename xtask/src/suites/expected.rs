//! How the tests of a suite are known to end.
use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use super::program::{Outcome, Ran};

/// The list for kfdtest.
pub const KFDTEST: &str = include_str!("kfdtest.txt");
/// The list for the OpenCL conformance tests.
pub const OPENCL_CTS: &str = include_str!("opencl-cts.txt");
/// The list for rocrtst.
pub const ROCRTST: &str = include_str!("rocrtst.txt");

/// A list: lines `TEST: OUTCOME`, with `: REASON` behind every outcome but `passed`. What depends on the machine is
/// `OUTCOME or OUTCOME`. Lines behind `[MODEL]` hold on that model of the virtual GPU, in place of those before the
/// first such line.
#[derive(Debug)]
pub struct Expected<'a> {
    tests: BTreeMap<&'a str, Entry<'a>>,
}

#[derive(Debug)]
struct Entry<'a> {
    /// As it is written.
    text: &'a str,
    outcomes: Vec<Outcome>,
}

impl<'a> Expected<'a> {
    /// Reads what a list says of GPUs of `model`.
    ///
    /// # Errors
    /// The line that is not of the form.
    pub fn in_list(list: &'a str, model: &str) -> Result<Self> {
        let mut tests = BTreeMap::new();
        let mut of_model = BTreeMap::new();
        let mut section = None;
        for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                section = Some(name);
                continue;
            }
            let mut words = line.splitn(3, ": ");
            let (test, outcome, reason) = (words.next().unwrap_or_default(), words.next(), words.next());
            let text = outcome.with_context(|| format!("no outcome in the line {line:?}"))?;
            let known = |word: &str| Outcome::ALL.into_iter().find(|known| known.to_string() == word);
            let outcomes: Option<Vec<Outcome>> = text.split(" or ").map(known).collect();
            let outcomes = outcomes.with_context(|| format!("no outcome in the line {line:?}"))?;
            let passes = outcomes == [Outcome::Passed];
            ensure!(reason.is_some() != passes, "all but passed, and only these, have a reason: {line:?}");
            let entry = Entry { text, outcomes };
            let before = match section {
                None => tests.insert(test, entry),
                Some(name) if name == model => of_model.insert(test, entry),
                Some(_) => None,
            };
            ensure!(before.is_none(), "{test} is in the list twice");
        }
        tests.append(&mut of_model);
        Ok(Self { tests })
    }

    /// Whether a test must not run.
    pub fn left_out(&self, test: &str) -> bool {
        self.tests.get(test).is_some_and(|entry| entry.outcomes == [Outcome::NotRun])
    }

    /// What ended otherwise than listed, or is not listed.
    pub fn changes(&self, results: &[(String, Ran)]) -> Vec<String> {
        let changed = |(name, ran): &(String, Ran)| {
            let said = if ran.said.is_empty() { String::new() } else { format!(" ({})", ran.said) };
            match self.tests.get(name.as_str()) {
                Some(expected) if expected.outcomes.contains(&ran.outcome) => None,
                Some(expected) => Some(format!("{name}: {}, expected {}{said}", ran.outcome, expected.text)),
                None => Some(format!("{name}: {}, not in the list{said}", ran.outcome)),
            }
        };
        results.iter().filter_map(changed).collect()
    }

    /// What is listed and not among `tests`.
    pub fn gone(&self, tests: &[String]) -> Vec<String> {
        let gone = self.tests.keys().filter(|&&name| !tests.iter().any(|test| test == name));
        gone.map(|name| format!("{name}: in the list, but not in the suite")).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_lists_can_be_read() {
        for list in [KFDTEST, OPENCL_CTS, ROCRTST] {
            for model in ["mi100", "mi210", "mi300x"] {
                assert!(!Expected::in_list(list, model).unwrap().tests.is_empty());
            }
        }
        for wrong in ["A.b", "A.b: right", "A.b: failed", "A.b: passed: why not", "A.b: passed\nA.b: passed"] {
            assert!(Expected::in_list(wrong, "mi100").is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_models_lines_replace_those_of_all() {
        let list = "A.a: passed\nA.b: passed\n[mi210]\nA.a: skipped: it has none\n[mi300x]\nA.b: failed: it has many\nA.c: passed\n";
        let texts = |model: &str| -> Vec<(String, String)> {
            let tests = Expected::in_list(list, model).unwrap().tests;
            tests.iter().map(|(name, entry)| ((*name).to_owned(), entry.text.to_owned())).collect()
        };
        let listed = |lines: &[(&str, &str)]| -> Vec<(String, String)> {
            lines.iter().map(|(name, outcome)| ((*name).to_owned(), (*outcome).to_owned())).collect()
        };
        assert_eq!(texts("mi100"), listed(&[("A.a", "passed"), ("A.b", "passed")]));
        assert_eq!(texts("mi210"), listed(&[("A.a", "skipped"), ("A.b", "passed")]));
        assert_eq!(texts("mi300x"), listed(&[("A.a", "passed"), ("A.b", "failed"), ("A.c", "passed")]));
        assert!(Expected::in_list("[mi210]\nA.a: passed\nA.a: passed", "mi210").is_err());
    }

    #[test]
    fn every_difference_is_a_change() {
        let list = "# a comment\nA.a: passed\nA.b: failed: no debugger\nA.c: too slow or passed: two cores\nA.x: not run: it stops the machine\n";
        let expected = Expected::in_list(list, "mi100").unwrap();
        let ran = |name: &str, outcome| (name.to_owned(), Ran { outcome, time: Duration::ZERO, said: String::new() });
        let as_listed = [ran("A.a", Outcome::Passed), ran("A.b", Outcome::Failed), ran("A.c", Outcome::TooSlow)];
        assert!(expected.changes(&as_listed).is_empty());
        assert!(expected.changes(&[ran("A.c", Outcome::Passed)]).is_empty());
        assert!(expected.left_out("A.x") && !expected.left_out("A.a") && !expected.left_out("A.d"));
        let other = [ran("A.a", Outcome::Skipped), ran("A.b", Outcome::Passed), ran("A.d", Outcome::Passed)];
        assert_eq!(
            expected.changes(&other),
            ["A.a: skipped, expected passed", "A.b: passed, expected failed", "A.d: passed, not in the list"]
        );
        let names = ["A.a".to_owned(), "A.b".to_owned(), "A.x".to_owned()];
        assert_eq!(expected.gone(&names), ["A.c: in the list, but not in the suite"]);
    }
}
