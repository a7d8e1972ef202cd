//! `rocm-probe` where its output cannot be written.
use std::fs::File;
use std::process::{Command, Output, Stdio};

fn probe(argument: Option<&str>, stdout: impl Into<Stdio>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rocm-probe"));
    command.args(argument).stdout(stdout).stderr(Stdio::piped());
    command.spawn().unwrap().wait_with_output().unwrap()
}

#[test]
fn a_reader_that_has_had_enough_is_no_failure() {
    for argument in [None, Some("--json"), Some("--help")] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = probe(argument, writer);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !said.contains("rocm-probe"), "{argument:?}: {}\n{said}", output.status);
    }
}

#[test]
fn a_full_disk_is_one() {
    for argument in [None, Some("--json"), Some("--help")] {
        let output = probe(argument, File::options().write(true).open("/dev/full").unwrap());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            said.ends_with("rocm-probe: cannot write to standard output: No space left on device (os error 28)\n"),
            "{said}"
        );
    }
}
