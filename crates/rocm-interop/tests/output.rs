//! `rocm-probe` where its output cannot be written, and where a library ends the process.
use std::fs::{self, File};
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

/// As LLVM does where OpenCL and HIP bring a copy each. The library ends each process that loads it; the report goes on with the other APIs.
#[test]
fn a_library_that_ends_the_process_does_not_end_the_report() {
    let folder = std::env::temp_dir().join(format!("rocm-probe-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (source, library) = (folder.join("ends.c"), folder.join("libends.so"));
    let text = r#"#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void ends(void) { fputs("registered more than once\n", stderr); abort(); }"#;
    fs::write(&source, text).unwrap();
    let compiled = c_compiler::command().unwrap().args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    assert!(compiled.unwrap().success());
    for json in [false, true] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rocm-probe"));
        command.args(json.then_some("--json")).env("CL_SYS_LIBRARY", &library);
        let output = command.output().unwrap();
        let report = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{}: {report}", output.status);
        let said = "a library ended the process that asked it (signal: 6 (SIGABRT)";
        assert_eq!(report.matches(said).count(), 2, "by itself, and with the others: {report}");
        assert!(report.contains("it said: registered more than once"), "{report}");
        for name in ["KFD GPUs", "HIP library", "HSA library", "all in one process"] {
            assert!(report.contains(name), "no {name}: {report}");
        }
        let last = report.trim_end().lines().rfind(|line| line.contains("verdict")).unwrap();
        assert!(last.contains("OpenCL and HIP share no memory"), "{last}");
        assert!(json || report.trim_end().ends_with(last), "{report}");
    }
    fs::remove_dir_all(folder).unwrap();
}
