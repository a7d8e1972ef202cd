//! What came of the programs, as a table and as JSON.
use std::fmt;

use serde_json::{Value, json};

/// What came of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// The fault was told in the usual order.
    Told,
    /// It was told with a seed.
    ToldWithSeed,
    /// It was not.
    Missed,
    /// It is right, and nothing was told.
    Quiet,
    /// It is right, and something was told.
    FalseAlarm,
    /// It is right, and fails.
    Failed,
}

impl Came {
    fn name(self) -> &'static str {
        match self {
            Came::Told => "told",
            Came::ToldWithSeed => "told with a seed",
            Came::Missed => "missed",
            Came::Quiet => "quiet",
            Came::FalseAlarm => "false alarm",
            Came::Failed => "failed",
        }
    }
}

/// A program, and what came of it.
pub struct Ran {
    pub suite: &'static str,
    pub name: String,
    pub planted: String,
    pub came: Came,
    /// The findings that were told.
    pub told: Vec<String>,
}

/// All programs.
#[derive(Default)]
pub struct Report {
    pub ran: Vec<Ran>,
}

impl Report {
    /// All of it, for other programs.
    pub fn json(&self) -> Value {
        let row = |ran: &Ran| json!({ "suite": ran.suite, "case": ran.name, "planted": ran.planted, "came": ran.came.name(), "told": ran.told });
        self.ran.iter().map(row).collect()
    }
}

/// A row of the table, of these programs.
fn row<'a>(suite: &str, planted: &str, ran: impl Iterator<Item = &'a Ran> + Clone) -> String {
    let count = |wanted: &[Came]| ran.clone().filter(|ran| wanted.contains(&ran.came)).count();
    let (told, missed) = (count(&[Came::Told, Came::ToldWithSeed]), count(&[Came::Missed]));
    let (quiet, alarms) = (count(&[Came::Quiet, Came::Failed]), count(&[Came::FalseAlarm]));
    let share =
        |part: usize, of: usize| if of == 0 { String::new() } else { format!("{:.3}", part as f64 / of as f64) };
    let faulty = format!("{} | {told} | {missed} | {}", told + missed, count(&[Came::ToldWithSeed]));
    let right = format!("{} | {alarms}", quiet + alarms);
    format!(
        "| {suite} | {planted} | {faulty} | {right} | {} | {} |",
        share(told, told + alarms),
        share(told, told + missed)
    )
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| suite | planted | with fault | told | missed | told with a seed only | without | false alarms | precision | recall |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|---|")?;
        let mut suites: Vec<&str> = self.ran.iter().map(|ran| ran.suite).collect();
        suites.dedup();
        for suite in suites {
            let of_suite = self.ran.iter().filter(|ran| ran.suite == suite);
            let mut planted: Vec<&str> = of_suite.clone().map(|ran| ran.planted.as_str()).collect();
            planted.sort_unstable();
            planted.dedup();
            for planted in planted {
                writeln!(f, "{}", row(suite, planted, of_suite.clone().filter(|ran| ran.planted == planted)))?;
            }
            writeln!(f, "{}", row(suite, "**all**", of_suite))?;
        }
        writeln!(f, "{}\n", row("**all**", "", self.ran.iter()))?;
        for Ran { suite, name, planted, came, told } in &self.ran {
            if matches!(came, Came::Missed | Came::FalseAlarm | Came::Failed) {
                let told = if told.is_empty() { String::new() } else { format!("; told: {}", told.join(", ")) };
                writeln!(f, "{}: {suite}: {name} ({planted}){told}", came.name())?;
            }
        }
        Ok(())
    }
}
