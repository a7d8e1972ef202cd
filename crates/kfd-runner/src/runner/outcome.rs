//! Prints test results in the format of Rust's test programs.
use std::time::Duration;

use crate::device::{End, Test};

/// Counts, and what failed.
pub struct Results {
    passed: usize,
    failed: Vec<(String, String)>,
    ignored: usize,
    filtered_out: usize,
}

impl Results {
    pub fn new(filtered_out: usize, ignored: usize) -> Results {
        Results { passed: 0, failed: Vec::new(), ignored, filtered_out }
    }

    /// Prints a test's line.
    pub fn add(&mut self, test: &Test, end: &End) {
        let what = if test.should_panic { " - should panic" } else { "" };
        match failure(test, end) {
            None => {
                self.passed += 1;
                println!("test {}{what} ... ok", test.name);
            }
            Some(why) => {
                println!("test {}{what} ... FAILED", test.name);
                self.failed.push((test.name.clone(), why));
            }
        }
    }

    /// Prints what failed, and the totals.
    pub fn finish(&self, took: Duration) {
        if !self.failed.is_empty() {
            println!("\nfailures:");
            self.failed.iter().for_each(|(name, why)| println!("\n---- {name} ----\n{why}"));
            println!("\nfailures:");
            self.failed.iter().for_each(|(name, _)| println!("    {name}"));
        }
        println!(
            "\ntest result: {}. {} passed; {} failed; {} ignored; 0 measured; {} filtered out; finished in {:.2}s\n",
            if self.is_fine() { "ok" } else { "FAILED" },
            self.passed,
            self.failed.len(),
            self.ignored,
            self.filtered_out,
            took.as_secs_f64()
        );
    }

    pub fn is_fine(&self) -> bool {
        self.failed.is_empty()
    }
}

/// Why a test that ended like this has failed, if it has.
fn failure(test: &Test, end: &End) -> Option<String> {
    match end {
        End::Returned if test.should_panic => Some("it should panic, and did not".to_owned()),
        End::Returned => None,
        End::Panicked(message) if test.should_panic && message.contains(&test.expected) => None,
        End::Panicked(message) if test.should_panic => {
            Some(format!("{message}\nit should panic, and say {:?}", test.expected))
        }
        End::Panicked(message) | End::Error(message) | End::Stopped(message) => Some(message.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_passes_if_it_ends_as_it_should() {
        let test = |should_panic, expected: &str| Test {
            name: "test".to_owned(),
            ignore: false,
            should_panic,
            expected: expected.to_owned(),
        };
        let panicked = End::Panicked("panicked at a.rs:1:2:\nno room left".to_owned());
        let fine = |test: &Test, end: &End| failure(test, end).is_none();
        assert!(fine(&test(false, ""), &End::Returned) && !fine(&test(false, ""), &panicked));
        assert!(fine(&test(true, ""), &panicked) && !fine(&test(true, ""), &End::Returned));
        assert!(fine(&test(true, "no room"), &panicked) && !fine(&test(true, "no time"), &panicked));
        // Only a panic is what such a test asks for.
        for end in [End::Error("no room".to_owned()), End::Stopped("no room".to_owned())] {
            assert!(!fine(&test(true, ""), &end) && !fine(&test(false, ""), &end));
        }
    }
}
