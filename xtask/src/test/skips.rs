//! Which tests may be skipped: the list in `skips.txt`. A skip that is not on it is a failure, as nobody would see it
//! otherwise.
use std::collections::BTreeSet;

/// Where the list is, for messages.
pub const FILE: &str = "xtask/src/test/skips.txt";

/// Lines `PART: PROGRAM::TEST: REASON`, as the totals show them.
const LIST: &str = include_str!("skips.txt");

/// Before lines about what depends on the machine.
const MAYBE: &str = "maybe ";

/// The skips that are allowed in one part of the tests.
#[derive(Debug)]
pub struct Allowed<'a> {
    always: BTreeSet<&'a str>,
    maybe: BTreeSet<&'a str>,
}

impl Allowed<'static> {
    /// Those of the project's list for `parts`: `host`, a stack, the virtual GPU's model, `without-avx2`.
    pub fn of<'p>(parts: impl IntoIterator<Item = &'p str>) -> Self {
        Self::in_list(LIST, parts)
    }
}

impl<'a> Allowed<'a> {
    fn in_list<'p>(list: &'a str, parts: impl IntoIterator<Item = &'p str>) -> Self {
        let parts: Vec<&str> = parts.into_iter().collect();
        let of_part = |line: &'a str| {
            let (part, skip) = line.split_once(": ")?;
            parts.contains(&part).then_some(skip)
        };
        Self {
            always: list.lines().filter_map(of_part).collect(),
            maybe: list.lines().filter_map(|line| of_part(line.strip_prefix(MAYBE)?)).collect(),
        }
    }

    /// Whether a test may be skipped for this reason; `skip` is `PROGRAM::TEST: REASON`.
    pub fn contains(&self, skip: &str) -> bool {
        self.always.contains(skip) || self.maybe.contains(skip)
    }

    /// The lines that say of a test that it is skipped on every machine, though it is not in `skipped`.
    pub fn outlived(&self, skipped: &[String]) -> Vec<String> {
        let used = |line: &&&str| skipped.iter().any(|skip| skip == **line);
        self.always.iter().filter(|line| !used(line)).map(|&line| line.to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: &str = "\
# native: x::comment: no
native: x::a: no OpenCL
native: x::b: no OpenCL
maybe native: x::c: no userfaultfd
trixie: x::d: no window
";

    #[test]
    fn a_skip_is_allowed_by_part_test_and_reason() {
        let native = Allowed::in_list(SOME, ["native"]);
        assert!(native.contains("x::a: no OpenCL") && native.contains("x::c: no userfaultfd"));
        for other in ["x::a: no GPU", "x::d: no window", "x::e: no OpenCL", "x::comment: no"] {
            assert!(!native.contains(other), "{other}");
        }
    }

    #[test]
    fn lines_that_no_test_uses_are_found_unless_they_depend_on_the_machine() {
        let native = Allowed::in_list(SOME, ["native"]);
        assert_eq!(native.outlived(&["x::a: no OpenCL".to_owned()]), ["x::b: no OpenCL"]);
    }

    #[test]
    fn skips_of_the_gpus_model_are_allowed_besides_the_stacks() {
        let both = Allowed::in_list(SOME, ["native", "trixie"]);
        assert!(both.contains("x::a: no OpenCL") && both.contains("x::d: no window"));
    }

    /// A line that does not parse would allow nothing, silently.
    #[test]
    fn every_line_of_the_list_names_a_part_a_test_and_a_reason() {
        let lines: Vec<&str> = LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        for line in &lines {
            let words: Vec<&str> = line.strip_prefix(MAYBE).unwrap_or(line).splitn(3, ": ").collect();
            let &[part, test, reason] = &words[..] else { panic!("{line}") };
            assert!(
                ["host", "without-avx2", "native", "trixie", "forky", "experimental", "mi210", "mi300x"]
                    .contains(&part),
                "{line}"
            );
            assert!(test.contains("::") && !test.contains(' ') && !reason.is_empty(), "{line}");
        }
        assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), lines.len(), "a line is there twice");
    }
}
