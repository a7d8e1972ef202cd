//! What the pages claim of AMD's userspace and device: rows of tables that name the tests by which it was seen.
use std::collections::BTreeMap;
use std::fmt;

use super::tally::Ended;

/// Pages whose tables say by which tests a claim was seen, and the title of these claims.
pub const PAGES: [(&str, &str); 3] = [
    ("rocm-interop/facts.md", "what each API does with the other's memory (docs/src/rocm-interop/facts.md)"),
    ("scenarios.md", "scenarios of docs/src/scenarios.md"),
    ("tools/stacks.md", "versions of AMD's userspace, of docs/src/tools/stacks.md"),
];

/// Whether a claim holds on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All of its tests that ran passed.
    Holds,
    /// One failed.
    Differs,
    /// None ran.
    NotSeen,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::Differs => "differs",
            Self::NotSeen => "not seen",
        })
    }
}

/// A row of a page's table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub text: String,
    /// Tests' names; one that ends in `_...` is the beginning of several.
    pub tests: Vec<String>,
}

impl Claim {
    /// Whether it is one of its tests that has this full name, `PROGRAM::MODULE::NAME`.
    fn names(&self, full: &str) -> bool {
        let name = full.rsplit("::").next().unwrap_or(full);
        self.tests.iter().any(|test| match test.strip_suffix("...") {
            Some(beginning) => name.starts_with(beginning),
            None => name == test,
        })
    }

    /// Its tests that ended so, of those that ran, by their full names.
    pub fn that<'a>(&self, ended: Ended, endings: &'a BTreeMap<String, Ended>) -> Vec<&'a str> {
        endings.iter().filter(|(full, how)| **how == ended && self.names(full)).map(|(full, _)| full.as_str()).collect()
    }

    /// What the tests say that ran.
    pub fn verdict(&self, endings: &BTreeMap<String, Ended>) -> Verdict {
        if !self.that(Ended::Failed, endings).is_empty() {
            Verdict::Differs
        } else if !self.that(Ended::Passed, endings).is_empty() {
            Verdict::Holds
        } else {
            Verdict::NotSeen
        }
    }
}

/// The rows of a page's tables that name tests in the column which is headed `test` or `tests`. The text is of those
/// before it.
pub fn claims(page: &str) -> Vec<Claim> {
    let mut claims: Vec<Claim> = Vec::new();
    // Of the table that is being read.
    let mut column = None;
    for line in page.lines() {
        let Some(row) = line.strip_prefix('|') else {
            column = None;
            continue;
        };
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let Some(column) = column else {
            // A table begins with its heads; one without such a column has no claims.
            column = Some(cells.iter().position(|cell| matches!(*cell, "test" | "tests")).unwrap_or(usize::MAX));
            continue;
        };
        let Some(cell) = cells.get(column) else { continue };
        let code = cell.split('`').skip(1).step_by(2);
        let is_name =
            |word: &&str| word.contains('_') && word.chars().all(|c| "_.".contains(c) || c.is_ascii_alphanumeric());
        let mut tests: Vec<String> = code.filter(is_name).map(str::to_owned).collect();
        if cell.starts_with("the same") {
            let before = claims.last().map(|claim| claim.tests.clone()).unwrap_or_default();
            tests.splice(0..0, before);
        }
        let text: Vec<&str> = cells[..column].iter().copied().filter(|cell| !cell.is_empty()).collect();
        match claims.last_mut() {
            // More tests of the row before.
            Some(before) if text.is_empty() => before.tests.append(&mut tests),
            _ if tests.is_empty() => {}
            _ => claims.push(Claim { text: text.join(": ").replace(['`', '*'], ""), tests }),
        }
    }
    claims
}

#[cfg(test)]
pub mod tests {
    use std::fs;

    use super::*;
    use crate::vgpu;

    pub const PAGE: &str = "\
| what a program does | what happens | test |
|---|---|---|
| `a` is called | it works | `a_works` |
| again | it does not | the same |
| M1 | sharing | all `m1_...`: more |
| | | `m10_too` |
| M2 | nothing | not yet |
";

    #[test]
    fn rows_that_name_tests_are_claims() {
        let claims = claims(PAGE);
        let found: Vec<(&str, &[String])> = claims.iter().map(|claim| (&*claim.text, &*claim.tests)).collect();
        let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            found,
            [
                ("a is called: it works", &of(&["a_works"])[..]),
                ("again: it does not", &of(&["a_works"])),
                ("M1: sharing", &of(&["m1_...", "m10_too"])),
            ]
        );
    }

    #[test]
    fn one_failed_test_is_a_difference() {
        use Ended::{Failed, Passed, Skipped};
        let verdicts = |endings: &[(&str, Ended)]| -> Vec<Verdict> {
            let endings = endings.iter().map(|(name, ended)| ((*name).to_owned(), *ended)).collect();
            claims(PAGE).iter().map(|claim| claim.verdict(&endings)).collect()
        };
        use Verdict::{Differs, Holds, NotSeen};
        let some = [("x::a_works", Passed), ("x::y::m1_one", Passed), ("x::m1_two", Failed), ("x::m10", Failed)];
        assert_eq!(verdicts(&some), [Holds, Holds, Differs]);
        assert_eq!(
            verdicts(&[("x::a_works", Failed), ("x::m1_one", Skipped), ("x::m1_two", Passed)]),
            [Differs, Differs, Holds]
        );
        assert_eq!(verdicts(&[("x::a_works", Skipped)]), [NotSeen; 3]);
    }

    #[test]
    fn the_column_of_tests_is_found_by_its_head() {
        let page = "| what | before | now | test |\n|---|---|---|---|\n| `x` | 1 | 2 | the test `x_is_one` |\n\n| a | b | c |\n|---|---|---|\n| 1 | 2 | `no_test` |\n";
        assert_eq!(claims(page), [Claim { text: "x: 1: 2".to_owned(), tests: vec!["x_is_one".to_owned()] }]);
    }

    #[test]
    fn the_pages_have_claims() {
        for (page, _) in PAGES {
            let text = fs::read_to_string(vgpu::root().join("docs/src").join(page)).unwrap();
            assert!(claims(&text).len() >= 9, "{page}");
        }
    }
}
