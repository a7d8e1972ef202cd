//! Suppressions: known findings that are not reported (`vgpu check --suppress FILE`).

use super::report::Finding;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

/// The suppressions in a file, one a line: `FINDING [kernel=PATTERN] [line=PATTERN]`. In a pattern, `*` matches any
/// text.
#[derive(Default)]
pub struct Suppressions {
    file: PathBuf,
    all: Vec<Suppression>,
}

struct Suppression {
    /// In the file, from 1.
    number: usize,
    text: String,
    finding: String,
    kernel: Option<String>,
    line: Option<String>,
    used: bool,
}

/// Why a file is none.
#[derive(Debug)]
pub enum Invalid {
    Unreadable(io::Error),
    /// The line with this number.
    Line(usize, String),
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Invalid::Unreadable(error) => write!(f, "cannot be read: {error}"),
            Invalid::Line(number, text) => write!(
                f,
                "line {number}, {text:?}: a line is a finding's name or *, and then kernel=PATTERN or line=PATTERN, in this order; at least one of these must be there"
            ),
        }
    }
}

impl Suppressions {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or has a line that is no suppression.
    pub fn read(file: &Path) -> Result<Suppressions, Invalid> {
        let text = fs::read_to_string(file).map_err(Invalid::Unreadable)?;
        Ok(Suppressions { file: file.to_owned(), all: parse(&text)? })
    }

    /// Whether a finding is suppressed.
    pub fn has(&mut self, finding: &Finding) -> bool {
        let (kernels, lines): (Vec<_>, Vec<_>) = (finding.kernels().collect(), finding.lines().collect());
        let any = |pattern: &Option<String>, texts: &[String]| {
            pattern.as_ref().is_none_or(|pattern| texts.iter().any(|text| matches(pattern, text)))
        };
        let mut has = false;
        for one in &mut self.all {
            if matches(&one.finding, finding.kind()) && any(&one.kernel, &kernels) && any(&one.line, &lines) {
                one.used = true;
                has = true;
            }
        }
        has
    }

    /// Suppressions that matched no finding: the place and the text of each.
    pub fn unused(&self) -> impl Iterator<Item = (String, &str)> {
        let place = |one: &Suppression| format!("{}:{}", self.file.display(), one.number);
        self.all.iter().filter(|one| !one.used).map(move |one| (place(one), one.text.as_str()))
    }
}

fn parse(text: &str) -> Result<Vec<Suppression>, Invalid> {
    let lines = (1..).zip(text.lines().map(str::trim)).filter(|(_, text)| !text.is_empty() && !text.starts_with('#'));
    lines
        .map(|(number, text)| suppression(number, text).ok_or_else(|| Invalid::Line(number, text.to_owned())))
        .collect()
}

fn suppression(number: usize, text: &str) -> Option<Suppression> {
    let (finding, rest) = text.split_once(char::is_whitespace)?;
    // A kernel's name may have spaces.
    let (rest, line) = match rest.trim().split_once("line=") {
        Some((rest, line)) => (rest.trim(), Some(line)),
        None => (rest.trim(), None),
    };
    let kernel = match rest {
        "" => None,
        rest => Some(rest.strip_prefix("kernel=")?),
    };
    if [kernel, line] == [None, None] || [kernel, line].contains(&Some("")) {
        return None;
    }
    let [kernel, line] = [kernel, line].map(|pattern| pattern.map(str::to_owned));
    Some(Suppression { number, text: text.to_owned(), finding: finding.to_owned(), kernel, line, used: false })
}

/// Whether `text` is as `pattern` says, in which `*` is any text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    // Without a star the whole of it is the first part.
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_are_any_text() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("race", "race", true),
            ("race", "races", false),
            ("sum*", "sum(int*)", true),
            ("*.hip:12", "/a/b.hip:12", true),
            ("*.hip:12", "/a/b.hip:123", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*b", "ab", false),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_line_has_a_finding_and_patterns() {
        let text = "# known\n\nrace kernel=sum(int const*, int) line=*.hip:12\n  * line=*/a b.h:*  \nrace kernel=x*\n";
        let all = parse(text).expect("they are right");
        let fields = |one: &Suppression| (one.number, one.finding.clone(), one.kernel.clone(), one.line.clone());
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            all.iter().map(fields).collect::<Vec<_>>(),
            [
                (3, "race".to_owned(), some("sum(int const*, int)"), some("*.hip:12")),
                (4, "*".to_owned(), None, some("*/a b.h:*")),
                (5, "race".to_owned(), some("x*"), None),
            ]
        );
        for wrong in ["race", "race ", "race function=x", "race kernel=", "race line=", "race line=", "kernel=x"] {
            assert!(matches!(parse(wrong), Err(Invalid::Line(1, _))), "{wrong}");
        }
    }
}
