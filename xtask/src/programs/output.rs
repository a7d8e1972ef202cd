//! How programs tell what they compared: one function for each way of writing it.
use std::collections::BTreeMap;

use super::run::Part;

/// What a line of a program's output says.
#[derive(Debug, PartialEq, Eq)]
pub enum Said<'a> {
    /// So many comparisons are to come.
    Total(usize),
    /// A comparison begins, whose result is to follow.
    Begins(&'a str),
    /// One was equal.
    Passed,
    /// One cannot be made on this GPU, or is left out by the program.
    Unsupported,
    /// One was not equal.
    Failed(&'a str),
}

/// Reads one line, without its end.
pub type Read = fn(&str) -> Option<Said<'_>>;

/// GoogleTest, which AMD's libraries use.
pub fn google_test(line: &str) -> Option<Said<'_>> {
    if let Some(rest) = line.strip_prefix("[==========] Running ") {
        return Some(Said::Total(rest.split(' ').next()?.parse().ok()?));
    }
    let (mark, rest) = line.strip_prefix('[')?.split_once("] ")?;
    match mark.trim() {
        "RUN" => Some(Said::Begins(rest)),
        // The end of the output lists some again, without the time.
        _ if !rest.ends_with(" ms)") => None,
        "OK" => Some(Said::Passed),
        "SKIPPED" => Some(Said::Unsupported),
        "FAILED" => Some(Said::Failed(rest)),
        _ => None,
    }
}

/// rocWMMA's tests: GoogleTest, for which those that are left out are OK, with a row for each that says what came of
/// it.
pub fn rocwmma(line: &str) -> Option<Said<'_>> {
    match line.rsplit_once(", ") {
        Some((_, "PASSED")) => Some(Said::Passed),
        Some((_, "SKIPPED")) => Some(Said::Unsupported),
        _ => google_test(line).filter(|said| !matches!(said, Said::Passed | Said::Unsupported)),
    }
}

/// The suites that GoogleTest lists for `--gtest_list_tests`, and how many tests each has.
pub fn google_test_suites(list: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for line in list.lines() {
        match (line.strip_prefix("  "), parts.last_mut()) {
            (Some(_), Some(Part { total: Some(tests), .. })) => *tests += 1,
            (None, _) => {
                // After the name there may be a remark on its type.
                let name = line.split_whitespace().next().filter(|name| name.ends_with('.'));
                parts.extend(name.map(|name| Part { name: name.to_owned(), total: Some(0) }));
            }
            _ => {}
        }
    }
    parts
}

/// The operations that llama.cpp's `test-backend-ops support` tells of, and how many cases each has.
pub fn backend_op_names(list: &str) -> Vec<Part> {
    let mut cases: BTreeMap<&str, usize> = BTreeMap::new();
    for name in list.lines().filter_map(|line| operation(line.strip_prefix("  ")?)) {
        *cases.entry(name).or_default() += 1;
    }
    cases.into_iter().map(|(name, cases)| Part { name: name.to_owned(), total: Some(cases) }).collect()
}

/// The operation of a case such as `ADD(type=f32)`; backends and devices are told of in the same way.
fn operation(case: &str) -> Option<&str> {
    let (name, _) = case.split_once('(')?;
    let letter = |b: u8| b == b'_' || b.is_ascii_uppercase() || b.is_ascii_digit();
    (!name.is_empty() && name.bytes().all(letter)).then_some(name)
}

/// llama.cpp's `test-backend-ops`: `  ADD(type=f32,...): OK`, with colours.
pub fn backend_ops(line: &str) -> Option<Said<'_>> {
    let (case, result) = line.strip_prefix("  ")?.split_once("): ")?;
    operation(case)?;
    if result.contains("not supported") || result.contains("skipping") {
        Some(Said::Unsupported)
    } else if result.contains("FAIL") {
        Some(Said::Failed(line.trim()))
    } else if result.contains("OK") {
        Some(Said::Passed)
    } else {
        Some(Said::Begins(case))
    }
}

/// Rust's test harness.
pub fn rust_tests(line: &str) -> Option<Said<'_>> {
    if let Some(rest) = line.strip_prefix("running ") {
        return Some(Said::Total(rest.split(' ').next()?.parse().ok()?));
    }
    let (name, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    // What the test itself writes may stand between.
    if outcome.starts_with("ignored") {
        Some(Said::Unsupported)
    } else if outcome.ends_with("FAILED") {
        Some(Said::Failed(name))
    } else if outcome.ends_with("ok") {
        Some(Said::Passed)
    } else {
        Some(Said::Begins(name))
    }
}

/// CLBlast's tuners: a table with a row for each choice of parameters, after how many there are; with colours.
pub fn clblast_tuner(line: &str) -> Option<Said<'_>> {
    if line.starts_with("* Found ") || line.starts_with("* Exploring ") {
        let (_, number) = line.split_once("\u{1b}[1m")?;
        return Some(Said::Total(number.split(' ').next()?.parse().ok()?));
    }
    if !line.starts_with("| ") {
        None
    } else if line.contains("results match") {
        Some(Said::Passed)
    } else if line.contains("compilation error") || line.contains("invalid config") {
        Some(Said::Unsupported)
    } else if line.contains("L2 error") || line.contains("error code") {
        Some(Said::Failed(line))
    } else {
        None
    }
}

/// Our own scripts: `equal NAME`, `differs NAME: HOW`, `unsupported NAME: WHY`.
pub fn own_script(line: &str) -> Option<Said<'_>> {
    match line.split_once(' ')? {
        ("begins", name) => Some(Said::Begins(name)),
        ("equal", _) => Some(Said::Passed),
        ("differs", rest) => Some(Said::Failed(rest)),
        ("unsupported", _) => Some(Said::Unsupported),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<'a>(read: Read, text: &'a str) -> Vec<Said<'a>> {
        text.lines().filter_map(read).collect()
    }

    #[test]
    fn google_test_is_counted_once() {
        let text = "\
Note: Google Test filter = *quick*
[==========] Running 3 tests from 2 test suites.
[----------] 2 tests from a
[ RUN      ] a.b/0
[       OK ] a.b/0 (3 ms)
[ RUN      ] a.b/1
x.cpp:3: Failure
[  FAILED  ] a.b/1, where GetParam() = { a: 1 } (4 ms)
[ RUN      ] a.c
[  SKIPPED ] a.c (0 ms)
[==========] 3 tests from 2 test suites ran. (7 ms total)
[  PASSED  ] 1 test.
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] a.c
[  FAILED  ] 1 test, listed below:
[  FAILED  ] a.b/1, where GetParam() = { a: 1 }
";
        let expected = [
            Said::Total(3),
            Said::Begins("a.b/0"),
            Said::Passed,
            Said::Begins("a.b/1"),
            Said::Failed("a.b/1, where GetParam() = { a: 1 } (4 ms)"),
            Said::Begins("a.c"),
            Said::Unsupported,
        ];
        assert_eq!(all(google_test, text), expected);
    }

    #[test]
    fn tests_of_rocwmma_are_counted_by_their_rows() {
        let text = "\
[==========] Running 4 tests from 1 test suite.
[ RUN      ] a.b/0
TBlkX, TBlkY, BlkM, Ti_To_Tc, elapsedMs, Efficiency(%), Result
64, 4, 16, h16_f32_f32, 14.9538, 0, PASSED
[       OK ] a.b/0 (107 ms)
[ RUN      ] a.b/1
64, 4, 16, xf32_f32_f32, n/a, n/a, SKIPPED
[       OK ] a.b/1 (3 ms)
[ RUN      ] a.b/2
64, 4, 16, f64_f64_f64, 0.7, 0, FAILED
[  FAILED  ] a.b/2 (3 ms)
[ RUN      ] a.b/3
[       OK ] a.b/3 (3 ms)
";
        let expected = [
            Said::Total(4),
            Said::Begins("a.b/0"),
            Said::Passed,
            Said::Begins("a.b/1"),
            Said::Unsupported,
            Said::Begins("a.b/2"),
            Said::Failed("a.b/2 (3 ms)"),
            Said::Begins("a.b/3"),
        ];
        assert_eq!(all(rocwmma, text), expected);
    }

    #[test]
    fn operations_of_llama_are_counted() {
        let text = "\
Testing 2 devices
Backend 1/2: ROCm0
  Device description: AMD Instinct MI100
  Device memory: 32752 MB (32750 MB free)
  ADD(type=f32,ne=[10,5,4,3]): \u{1b}[1;32mOK\u{1b}[0m
  MUL_MAT(type_a=f16,type_b=f32): [MUL_MAT] NMSE = 0.9 > 0.0005 \u{1b}[1;31mFAIL\u{1b}[0m
  CUMSUM(type=f32): not supported [ROCm0]
  SUM(type=f32): \u{20}
  1/2 tests passed
  Backend ROCm0: \u{1b}[1;31mFAIL\u{1b}[0m
";
        let said = all(backend_ops, text);
        assert!(
            matches!(said[..], [Said::Passed, Said::Failed(_), Said::Unsupported, Said::Begins("SUM(type=f32")]),
            "{said:?}"
        );
    }

    #[test]
    fn lists_of_parts() {
        let names = |parts: Vec<Part>| parts.into_iter().map(|part| (part.name, part.total)).collect::<Vec<_>>();
        let suites =
            "Note: a filter\n_/gemm.\n  quick/a  # GetParam() = 1\n  quick/b\nx/1.  # TypeParam = float\n  c\n";
        let expected = [("_/gemm.".to_owned(), Some(2)), ("x/1.".to_owned(), Some(1))];
        assert_eq!(names(google_test_suites(suites)), expected);
        let operations =
            "Testing 1 devices\n  Device memory (x)\n  SUM(type=f32): SUPPORTED\n  ADD(a=1): NO\n  SUM(type=f16): NO\n";
        let expected = [("ADD".to_owned(), Some(1)), ("SUM".to_owned(), Some(2))];
        assert_eq!(names(backend_op_names(operations)), expected);
    }

    #[test]
    fn rusts_tests_are_counted() {
        let text = "\
running 4 tests
test f32_ty::add::large ... ok
test f32_ty::add::small ... the GPU has no such type
ok
test f32_ty::mul::b - should panic ... FAILED
test f32_ty::mul::c ... ignored, slow
failures:
    f32_ty::mul::b
test result: FAILED. 2 passed; 1 failed
";
        let expected = [
            Said::Total(4),
            Said::Passed,
            Said::Begins("f32_ty::add::small"),
            Said::Failed("f32_ty::mul::b - should panic"),
            Said::Unsupported,
        ];
        assert_eq!(all(rust_tests, text), expected);
    }

    #[test]
    fn rows_of_clblasts_tuners_are_counted() {
        let text = "\
* Found \u{1b}[1m64 configuration(s)\u{1b}[0m
* Exploring a random subset of \u{1b}[1m4 configuration(s)\u{1b}[0m
|   ID | total |                param |      local      |      global     |       compiles |         time | GB/s |            status |
|  ref |     - |                    - |   64     1 | 65536    1 |             \u{1b}[32mOK\u{1b}[0m |      - |      - |      \u{1b}[32mreference OK\u{1b}[0m |
|    1 |     4 |    1   64    1 |   \u{1b}[32mOK\u{1b}[0m    130 ms |      0.10 ms |    7.8 |     \u{1b}[32mresults match\u{1b}[0m |
|    2 |     4 |    2   64    1 |   \u{1b}[32mOK\u{1b}[0m    130 ms |      - | \u{1b}[31mL2 error 2.00e+00\u{1b}[0m | <-- skipping
|    3 |     4 |    4   64    1 |  \u{1b}[31mcompilation error:   -11\u{1b}[0m     |      - |                 - | <-- skipping
";
        let said = all(clblast_tuner, text);
        let [Said::Total(64), Said::Total(4), ref rows @ ..] = said[..] else { panic!("{said:?}") };
        assert!(matches!(rows, [Said::Passed, Said::Failed(_), Said::Unsupported]), "{said:?}");
    }

    #[test]
    fn our_scripts_are_counted() {
        let text = "begins a\nequal a\ndiffers b: 3 of 4\nunsupported c: no such type\nsomething else\n";
        let expected = [Said::Begins("a"), Said::Passed, Said::Failed("b: 3 of 4"), Said::Unsupported];
        assert_eq!(all(own_script, text), expected);
    }
}
