//! Minimises a failing seed: the fewest wave switches of its schedule that still fail.

/// The result of a run with a number of turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// It failed in the same way.
    Failed,
    /// It did not.
    Passed {
        /// The program had no more turns than that.
        had_all: bool,
    },
}

/// A number of turns that fails, where one less does not. `None`: not even all turns fail again.
///
/// From 0 upwards, twice as many each time, and then by halves: about twice as often as the number has bits.
pub fn fewest(mut run: impl FnMut(u64) -> Option<Came>) -> Option<u64> {
    let (mut passes, mut fails) = (None, 0u64);
    loop {
        match run(fails)? {
            Came::Failed => break,
            Came::Passed { had_all: true } => return None,
            Came::Passed { had_all: false } => passes = Some(fails),
        }
        fails = fails.checked_mul(2)?.max(1);
    }
    while let Some(low) = passes.filter(|low| fails - low > 1) {
        let middle = low + (fails - low) / 2;
        match run(middle)? {
            Came::Failed => fails = middle,
            Came::Passed { .. } => passes = Some(middle),
        }
    }
    Some(fails)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_are_found_in_few_runs() {
        for (least, all) in [(0, 10), (1, 1), (2, 7), (3, 100), (37, 1000), (1000, 1000), (99_999, 1 << 30)] {
            let mut runs = Vec::new();
            let found = fewest(|turns| {
                runs.push(turns);
                Some(if turns >= least { Came::Failed } else { Came::Passed { had_all: turns >= all } })
            });
            assert_eq!(found, Some(least));
            assert!(runs.len() as u32 <= 3 + 2 * (u64::BITS - least.leading_zeros()), "{runs:?}");
        }
    }

    #[test]
    fn what_does_not_fail_again_ends() {
        assert_eq!(fewest(|turns| Some(Came::Passed { had_all: turns > 50 })), None);
        assert_eq!(fewest(|turns| (turns < 8).then_some(Came::Passed { had_all: false })), None);
    }

    /// Between what passes and what fails, whatever is beyond.
    #[test]
    fn one_turn_less_passes() {
        let fails = |turns: u64| turns == 5 || turns == 6 || turns >= 9;
        let found = fewest(|turns| Some(if fails(turns) { Came::Failed } else { Came::Passed { had_all: false } }));
        let found = found.expect("some fail");
        assert!(fails(found) && !fails(found - 1), "{found}");
    }
}
