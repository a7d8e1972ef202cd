//! Lets a test say that it could not run here, so that `cargo xtask test` counts it as skipped and not as passed.
//!
//! Rust's test harness knows only passed, failed and `#[ignore]`, which is decided before the program runs. A test that
//! finds out while running that the machine lacks something calls [`skip!`], which returns from it:
//!
//! ```no_run
//! fn compares_with_the_library() {
//!     let Some(library) = std::env::var_os("A_LIBRARY") else {
//!         test_skip::skip!("the library is not installed");
//!     };
//!     // assertions on `library`
//! # let _ = library;
//! }
//! # compares_with_the_library();
//! ```
use std::fs::OpenOptions;
use std::io::Write;

/// The environment variable that holds the file to which skipped tests are written, one line each.
pub const FILE: &str = "TEST_SKIP_FILE";

/// Records that the calling test is skipped, with a reason given as for `format!`, and returns from it.
#[macro_export]
macro_rules! skip {
    ($($reason:tt)+) => {{
        $crate::record(module_path!(), &format!($($reason)+));
        return;
    }};
}

/// Writes the calling test's name and `reason` to the file that [`FILE`] names, or only to standard error if it names
/// none.
///
/// # Panics
/// If the file cannot be written: the test would count as passed.
pub fn record(module: &str, reason: &str) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("test");
    // The harness names a test's thread after the test, with its path in the crate; the crate's own name comes first in
    // `module`.
    let program = module.split("::").next().unwrap_or(module);
    let line = format!("{program}::{name}: {}\n", reason.replace('\n', " "));
    eprint!("skipped: {line}");
    let Some(path) = std::env::var_os(FILE) else { return };
    let written =
        OpenOptions::new().create(true).append(true).open(&path).and_then(|mut file| file.write_all(line.as_bytes()));
    if let Err(error) = written {
        panic!("cannot record in {} that this test is skipped: {error}", path.display());
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    /// Run by the test below in a process of its own, where the environment can be set.
    #[test]
    fn a_test_that_skips_when_asked() {
        if std::env::var_os("SKIP_NOW").is_some() {
            crate::skip!("no {} here", "GPU");
        }
    }

    #[test]
    fn a_skipped_test_is_recorded_by_name() {
        let file = std::env::temp_dir().join(format!("test-skip-{}", std::process::id()));
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tests::a_test_that_skips_when_asked"])
            .env("SKIP_NOW", "1")
            .env(crate::FILE, &file)
            .output()
            .unwrap()
            .status;
        assert!(status.success());
        let recorded = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(recorded, "test_skip::tests::a_test_that_skips_when_asked: no GPU here\n");
    }
}
