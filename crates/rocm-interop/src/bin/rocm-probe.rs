//! What of OpenCL, HIP, HSA and KFD this machine offers, and which ways of sharing memory work. `rocm-probe [--json]`
//!
//! The libraries are asked in a process of their own, and each by itself if one of them ends that process.
use std::io::{ErrorKind, Write};
use std::process::{Command, ExitCode};

use rocm_interop::{Api, Probe};

const HELP: &str = "\
Reports what this machine's OpenCL, HIP, HSA and kernel driver offer, which GPUs each of them sees (matched by PCI
address), and which ways of sharing memory work on each GPU; of the rest, why not. The last line is the verdict.

usage: rocm-probe [--json]

  --json  one JSON object instead of text

The exit status is 0 when the report was made, whatever it says.";

/// What the process that asks all of them is started with, and one that asks one of them.
const ALL: &str = "--all-in-this-process";
const ALONE: [(Api, &str); 3] = [(Api::OpenCl, "--opencl-alone"), (Api::Hip, "--hip-alone"), (Api::Hsa, "--hsa-alone")];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => print(&report(false)),
        ["--json"] => print(&report(true)),
        ["--help" | "-h"] => print(&format!("{HELP}\n")),
        [ALL] => print(&text(&Probe::run(), false)),
        [ALL, "--json"] => print(&text(&Probe::run(), true)),
        ref other => match ALONE.iter().find(|(_, argument)| *other == [*argument]) {
            Some((api, _)) => print(&Probe::of(*api).to_string()),
            None => fail(&format!("cannot use {}\n\n{HELP}", other.join(" "))),
        },
    }
}

fn text(probe: &Probe, json: bool) -> String {
    if json { format!("{}\n", probe.to_json()) } else { probe.to_string() }
}

fn report(json: bool) -> String {
    let arguments: &[&str] = if json { &[ALL, "--json"] } else { &[ALL] };
    ask(arguments).unwrap_or_else(|ended| {
        let alone = |api| {
            let argument = ALONE.iter().find(|(known, _)| *known == api).map(|(_, argument)| *argument);
            ask(&argument.into_iter().collect::<Vec<_>>())
        };
        text(&Probe::apart(ended, alone), json)
    })
}

/// What this program prints in another process, or how that ended.
fn ask(arguments: &[&str]) -> Result<String, String> {
    let this = std::env::current_exe().map_err(|error| format!("this program is not found: {error}"))?;
    let output = Command::new(this).args(arguments).output().map_err(|error| format!("no process: {error}"))?;
    if output.status.success() {
        // What libraries say beside.
        _ = std::io::stderr().write_all(&output.stderr);
        return String::from_utf8(output.stdout).map_err(|error| error.to_string());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
    Err(format!("a library ended the process that asked it ({}); it said: {}", output.status, last.trim()))
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
