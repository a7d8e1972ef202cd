//! Selects the tests to run, by the arguments of Rust's test programs.
use crate::device::Test;

#[derive(clap::Args)]
pub struct Args {
    /// Only tests whose name contains one of these
    filters: Vec<String>,
    /// The whole name must be one of them
    #[arg(long)]
    exact: bool,
    /// No tests whose name contains this
    #[arg(long, value_name = "TEXT")]
    skip: Vec<String>,
    /// Only tests that are ignored otherwise
    #[arg(long, conflicts_with = "include_ignored")]
    ignored: bool,
    /// Tests that are ignored otherwise too
    #[arg(long)]
    include_ignored: bool,
}

impl Args {
    /// The numbers of the tests that are meant.
    pub fn choose(&self, tests: &[Test]) -> Vec<usize> {
        let is = |test: &Test, text: &String| {
            if self.exact { test.name == *text } else { test.name.contains(text.as_str()) }
        };
        let meant = |test: &Test| {
            (self.filters.is_empty() || self.filters.iter().any(|text| is(test, text)))
                && !self.skip.iter().any(|text| is(test, text))
                && (!self.ignored || test.ignore)
        };
        (0..tests.len()).filter(|&index| meant(&tests[index])).collect()
    }

    /// Whether a test that is meant is not run, and counted as ignored.
    pub fn leaves_out(&self, test: &Test) -> bool {
        test.ignore && !self.ignored && !self.include_ignored
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn chosen(line: &[&str]) -> (Vec<String>, Vec<String>) {
        let args = Line::parse_from(["program"].iter().chain(line)).args;
        let test =
            |name: &str, ignore| Test { name: name.to_owned(), ignore, should_panic: false, expected: String::new() };
        let tests = [test("a::one", false), test("a::two", true), test("b::one", false), test("b::one_more", false)];
        let (out, run) = args
            .choose(&tests)
            .into_iter()
            .map(|index| &tests[index])
            .partition::<Vec<_>, _>(|test| args.leaves_out(test));
        let names = |tests: Vec<&Test>| tests.into_iter().map(|test| test.name.clone()).collect();
        (names(run), names(out))
    }

    #[test]
    fn tests_are_chosen_as_by_rusts_own_programs() {
        let run = |line: &[&str]| chosen(line).0;
        assert_eq!(
            chosen(&[]),
            (["a::one", "b::one", "b::one_more"].map(str::to_owned).to_vec(), vec!["a::two".to_owned()])
        );
        assert_eq!(run(&["one", "--skip", "b::"]), ["a::one"]);
        assert_eq!(run(&["b::one", "--exact"]), ["b::one"]);
        assert_eq!(run(&["a::", "more"]), ["a::one", "b::one_more"]);
        assert_eq!(run(&["--ignored"]), ["a::two"]);
        assert_eq!(run(&["--include-ignored", "a::"]), ["a::one", "a::two"]);
    }
}
