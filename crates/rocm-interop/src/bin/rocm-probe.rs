//! What of OpenCL, HIP, HSA and KFD this machine offers, and which ways of sharing memory work. `rocm-probe [--json]`
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
        [] => print!("{}", Probe::run()),
        ["--json"] => println!("{}", Probe::run().to_json()),
        ["--help" | "-h"] => println!("{HELP}"),
        other => {
            eprintln!("rocm-probe: cannot use {}\n\n{HELP}", other.join(" "));
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
