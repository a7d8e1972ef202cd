//! `rocm-probe` where its output cannot be written, and where a library ends the process or hangs.
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

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

/// A library that runs `statements` of C when it is loaded, in a folder of its own.
fn library(name: &str, statements: &str) -> (PathBuf, PathBuf) {
    let folder = std::env::temp_dir().join(format!("rocm-probe-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (source, library) = (folder.join("library.c"), folder.join("liblibrary.so"));
    let text = format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
         __attribute__((constructor)) static void loaded(void) {{ {statements} }}\n"
    );
    fs::write(&source, text).unwrap();
    let compiled = c_compiler::command().unwrap().args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    assert!(compiled.unwrap().success());
    (folder, library)
}

/// The report with such an OpenCL, which says twice that it is no good: by itself, and with the others.
fn report_without_opencl(library: &PathBuf, arguments: &[&str], said: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rocm-probe"));
    let output = command.args(arguments).env("CL_SYS_LIBRARY", library).output().unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}: {report}", output.status);
    assert_eq!(report.matches(said).count(), 2, "by itself, and with the others: {report}");
    assert!(report.contains("it said: registered more than once"), "{report}");
    for name in ["KFD GPUs", "HIP library", "HSA library", "all in one process"] {
        assert!(report.contains(name), "no {name}: {report}");
    }
    let last = report.trim_end().lines().rfind(|line| line.contains("verdict")).unwrap();
    assert!(last.contains("OpenCL and HIP share no memory"), "{last}");
    assert!(arguments.contains(&"--json") || report.trim_end().ends_with(last), "{report}");
}

/// As LLVM does where OpenCL and HIP bring a copy each. The library ends each process that loads it; the report goes on
/// with the other APIs.
#[test]
fn a_library_that_ends_the_process_does_not_end_the_report() {
    let (folder, library) = library("ends", r#"fputs("registered more than once\n", stderr); abort();"#);
    let said = "a library ended the process that asked it (signal: 6 (SIGABRT)";
    for arguments in [&[][..], &["--json"]] {
        report_without_opencl(&library, arguments, said);
    }
    fs::remove_dir_all(folder).unwrap();
}

/// The process that waits for it is ended at the limit.
#[test]
fn a_library_that_hangs_does_not_hang_the_report() {
    let (folder, library) = library("hangs", r#"fputs("registered more than once\n", stderr); for (;;) pause();"#);
    let started = Instant::now();
    report_without_opencl(
        &library,
        &["--limit", "2"],
        "a library hangs: the process that asked it gave no answer within 2s",
    );
    assert!(started.elapsed() >= Duration::from_secs(4), "two processes were waited for: {:?}", started.elapsed());
    fs::remove_dir_all(folder).unwrap();
}
