//! What of OpenCL, HIP, HSA and KFD this machine offers, and which ways of sharing memory work. `rocm-probe [--json]`
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use rocm_interop::Probe;

const HELP: &str = "\
Reports what this machine's OpenCL, HIP, HSA and kernel driver offer, which GPUs each of them sees (matched by PCI
address), and which ways of sharing memory work on each GPU; of the rest, why not.

usage: rocm-probe [--json]

  --json  one JSON object instead of text

The exit status is 0 when the report was made, whatever it says.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => print(&Probe::run().to_string()),
        ["--json"] => print(&format!("{}\n", Probe::run().to_json())),
        ["--help" | "-h"] => print(&format!("{HELP}\n")),
        other => fail(&format!("cannot use {}\n\n{HELP}", other.join(" "))),
    }
}

/// Writes to standard output. A reader that has had enough (`| head`) is no failure.
fn print(text: &str) -> ExitCode {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            fail(&format!("cannot write to standard output: {error}"))
        }
        _ => ExitCode::SUCCESS,
    }
}

fn fail(message: &str) -> ExitCode {
    // Where standard error is closed too, the status has to do.
    let _ = writeln!(std::io::stderr(), "rocm-probe: {message}");
    ExitCode::FAILURE
}
