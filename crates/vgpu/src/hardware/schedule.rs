//! The values of `--schedule` and `--replay`: an order of execution, and time slices.

use std::fmt;
use std::str::FromStr;

/// An order that is drawn from a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The seed.
    pub seed: u64,
    /// The number of turns of waves in this order; afterwards work-groups and waves come in the usual order. `None`:
    /// all turns.
    pub turns: Option<u64>,
}

impl Schedule {
    /// All in the order of `seed`.
    pub fn of(seed: u64) -> Schedule {
        Schedule { seed, turns: None }
    }
}

impl FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Schedule, String> {
        let number = |digits: &str| digits.parse().map_err(|_| format!("{text:?} is neither SEED nor SEED:TURNS"));
        Ok(match text.split_once(':') {
            Some((seed, turns)) => Schedule { seed: number(seed)?, turns: Some(number(turns)?) },
            None => Schedule::of(number(text)?),
        })
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.turns {
            Some(turns) => write!(f, "{}:{turns}", self.seed),
            None => write!(f, "{}", self.seed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_a_seed_and_perhaps_turns() {
        for (text, schedule) in [
            ("7", Schedule::of(7)),
            ("7:0", Schedule { seed: 7, turns: Some(0) }),
            ("0:12", Schedule { seed: 0, turns: Some(12) }),
        ] {
            assert_eq!(text.parse(), Ok(schedule));
            assert_eq!(schedule.to_string(), text);
        }
        for text in ["", "x", "7:", ":7", "-1", "1:2:3"] {
            assert_eq!(text.parse::<Schedule>(), Err(format!("{text:?} is neither SEED nor SEED:TURNS")));
        }
    }
}
