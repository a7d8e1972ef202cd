//! The table of a program's parts, as text and as JSON.
use std::fmt;
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use super::catalogue::Program;
use super::run::{Ended, Outcome};

/// How many of a part's failed comparisons the table names.
const NAMED: usize = 3;

/// What came of a program.
pub struct Report<'a> {
    pub program: &'a Program,
    /// Of its packages.
    pub versions: Vec<String>,
    pub results: Vec<Outcome>,
}

impl Report<'_> {
    /// Whether no comparison and no part failed.
    pub fn is_fine(&self) -> bool {
        self.results.iter().all(Outcome::is_fine)
    }

    /// All of it, for other programs.
    pub fn json(&self) -> Result<String> {
        let part = |outcome: &Outcome| {
            let ended = match outcome.ended {
                Ended::Done => json!("done"),
                Ended::Failed(code) => json!({ "exit code": code }),
                Ended::TooSlow => json!("too slow"),
            };
            json!({
                "part": outcome.part.name,
                "passed": outcome.passed,
                "unsupported": outcome.unsupported,
                "failed": outcome.failed,
                "not reached": outcome.not_reached(),
                "under way": outcome.under_way,
                "ended": ended,
                "seconds": outcome.time.as_secs_f64(),
            })
        };
        let parts: Vec<Value> = self.results.iter().map(part).collect();
        let program = self.program;
        let all = json!({
            "program": program.name, "about": program.about, "stack": program.stack.name(), "packages": self.versions, "wheels": program.wheels,
            "parts": parts,
        });
        Ok(serde_json::to_string_pretty(&all)? + "\n")
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} unsupported, {} failed", self.passed, self.unsupported, self.failed.len())?;
        if let Some(name) = &self.under_way {
            write!(f, ", now {name}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = self.program;
        writeln!(f, "\n{}: {}", program.name, program.about)?;
        writeln!(
            f,
            "on {}: {}\n",
            program.stack.name(),
            self.versions
                .iter()
                .map(String::as_str)
                .chain(program.wheels.iter().copied())
                .collect::<Vec<_>>()
                .join(", ")
        )?;
        let wide = self.results.iter().map(|outcome| outcome.part.name.chars().count()).max().unwrap_or(0).max(4);
        writeln!(
            f,
            "{:wide$} {:>8} {:>11} {:>7} {:>11} {:>8}",
            "part", "passed", "unsupported", "failed", "not reached", "seconds"
        )?;
        let mut sum = [0; 4];
        let mut time = Duration::ZERO;
        for outcome in &self.results {
            let counts =
                [outcome.passed, outcome.unsupported, outcome.failed.len(), outcome.not_reached().unwrap_or(0)];
            row(f, wide, &outcome.part.name, counts, outcome.time)?;
            let unknown = outcome.not_reached().is_none();
            match outcome.ended {
                Ended::Done => {}
                Ended::Failed(code) => write!(f, "  ended with {code}")?,
                Ended::TooSlow if unknown => write!(f, "  too slow; not known how many were to come")?,
                Ended::TooSlow => write!(f, "  too slow")?,
            }
            if outcome.ended != Ended::Done
                && let Some(name) = &outcome.under_way
            {
                write!(f, ", in {name}")?;
            }
            if outcome.ended == Ended::Done && !outcome.is_fine() && outcome.failed.is_empty() {
                write!(f, "  compared nothing")?;
            }
            writeln!(f)?;
            outcome.failed.iter().take(NAMED).try_for_each(|name| writeln!(f, "  failed: {name}"))?;
            if outcome.failed.len() > NAMED {
                writeln!(f, "  and {} more", outcome.failed.len() - NAMED)?;
            }
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            time += outcome.time;
        }
        row(f, wide, "all", sum, time)?;
        writeln!(f)
    }
}

fn row(f: &mut fmt::Formatter<'_>, wide: usize, name: &str, counts: [usize; 4], time: Duration) -> fmt::Result {
    let [passed, unsupported, failed, not_reached] = counts;
    write!(f, "{name:wide$} {passed:>8} {unsupported:>11} {failed:>7} {not_reached:>11} {:>8.1}", time.as_secs_f64())
}
