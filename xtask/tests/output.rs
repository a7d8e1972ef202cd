//! `cargo xtask` where nobody reads its output.
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use rustix::process::Signal;

#[test]
fn a_reader_that_has_had_enough_ends_it_quietly() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("--help").stdout(writer).stderr(Stdio::piped());
    let output = command.spawn().unwrap().wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.signal(), &*said), (Some(Signal::PIPE.as_raw()), ""));
}
