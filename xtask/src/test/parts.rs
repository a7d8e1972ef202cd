//! The parts of the tests, which run beside each other: most tests wait for something, so that one part alone leaves
//! half of two cores idle.
use std::thread;

use anyhow::{Result, anyhow};

use super::runner::{Runner, Totals};
use super::skips::Allowed;

type Run<'a> = Box<dyn FnOnce(&Runner) -> Result<Totals> + Send + 'a>;

/// A part of the tests, with a line of its own in the totals.
pub struct Part<'a> {
    name: String,
    skips: Option<Allowed<'static>>,
    whole: bool,
    run: Run<'a>,
}

impl<'a> Part<'a> {
    /// `run` gives the part's totals. Of its tests those in `skips` may be skipped, or any if that is not known, and if
    /// the part is run as a `whole`, all those must be.
    pub fn new(
        name: String,
        skips: Option<Allowed<'static>>,
        whole: bool,
        run: impl FnOnce(&Runner) -> Result<Totals> + Send + 'a,
    ) -> Self {
        Self { name, skips, whole, run: Box::new(run) }
    }
}

/// Runs rows of parts: those of a row one after the other, the rows beside each other. Each line of output then begins
/// with its part's name.
///
/// # Errors
/// The first for which a part could not be run. The other rows are run to their ends all the same.
pub fn run<'a>(rows: impl IntoIterator<Item = Vec<Part<'a>>>) -> Result<Totals> {
    let rows: Vec<_> = rows.into_iter().collect();
    let several = rows.iter().map(Vec::len).sum::<usize>() > 1;
    let in_row = |parts: Vec<Part<'a>>| {
        let totals = parts.into_iter().map(|part| {
            let shown_as = if several { &part.name } else { "" };
            let mut totals = (part.run)(&Runner::new(shown_as)?)?;
            if let Some(skips) = &part.skips {
                totals.check_skips(skips, part.whole);
            }
            println!("{}: {}\n", part.name, totals.line());
            Ok((part.name, totals))
        });
        totals.collect::<Result<Vec<_>>>()
    };
    let ended: Vec<_> = thread::scope(|scope| {
        let started = rows.into_iter().map(|parts| scope.spawn(move || in_row(parts)));
        let started: Vec<_> = started.collect();
        started
            .into_iter()
            .map(|row| row.join().unwrap_or_else(|_| Err(anyhow!("a part of the tests panicked"))))
            .collect()
    });
    let mut totals = Totals::default();
    for (name, part) in ended.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten() {
        totals.add(&name, part);
    }
    Ok(totals)
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    fn harness(lines: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", "printf \"$1\"", "sh", lines]);
        shell
    }

    fn part<'a>(name: &str, run: impl FnOnce(&Runner) -> Result<Totals> + Send + 'a) -> Part<'a> {
        Part::new(name.to_owned(), None, true, run)
    }

    const PASSED: &str = "running 1 test\ntest a ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured\n";
    const IGNORED: &str = "running 1 test\ntest b ... ignored, x\ntest result: ok. 0 passed; 0 failed; 1 ignored\n";

    #[test]
    fn rows_run_beside_each_other_and_all_their_parts_are_counted() {
        let (sender, receiver) = mpsc::channel();
        let waits = part("waits", move |runner| {
            // It ends only if the other row runs meanwhile.
            receiver.recv_timeout(Duration::from_secs(60))?;
            runner.run("", &mut harness(PASSED))
        });
        let first = part("first", |runner| runner.run("", &mut harness(IGNORED)));
        let second = part("second", move |runner| {
            sender.send(())?;
            runner.run("", &mut harness(PASSED))
        });
        let totals = run([vec![waits], vec![first, second]]).unwrap();
        assert_eq!(totals.line(), "2 passed, 0 failed, 1 skipped");
        assert_eq!(totals.by_test().1, ["first: b: x"]);
    }

    #[test]
    fn a_row_that_cannot_be_run_is_told_when_the_others_are_done() {
        let (sender, receiver) = mpsc::channel();
        let fails = part("fails", |_| Err(anyhow!("no such stack")));
        let goes_on = part("goes on", move |runner| {
            sender.send(runner.run("", &mut harness(PASSED))?)?;
            Ok(Totals::default())
        });
        let error = run([vec![fails], vec![goes_on]]).unwrap_err();
        assert_eq!(error.to_string(), "no such stack");
        assert_eq!(receiver.recv().unwrap().line(), "1 passed, 0 failed, 0 skipped");
    }
}
