//! What of OpenCL, HIP, HSA and KFD this machine offers, and which ways of sharing memory work. `rocm-probe [--json]`
use std::process::ExitCode;

use rocm_interop::Probe;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => print!("{}", Probe::run()),
        ["--json"] => println!("{}", Probe::run().to_json()),
        _ => {
            eprintln!("usage: rocm-probe [--json]");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
