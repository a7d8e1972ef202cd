//! The project's commands: `cargo xtask --help`.
mod apt;
mod bench;
mod bindgen;
mod demo;
mod docs;
mod objects;
mod progress;
mod stack;
mod test;
mod vgpu;

use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "The project's commands")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Bench(bench::Args),
    Bindgen(bindgen::Args),
    Demo(demo::Args),
    Docs(docs::Args),
    Objects(objects::Args),
    Stack(stack::Args),
    Test(test::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Bench(args) => bench::main(args),
        Command::Bindgen(args) => bindgen::main(args),
        Command::Demo(args) => demo::main(args),
        Command::Docs(args) => docs::main(args),
        Command::Objects(args) => objects::main(args),
        Command::Stack(args) => stack::main(args),
        Command::Test(args) => test::main(args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The exit code of a child, as a shell gives it: 128 and the signal's number if it was killed.
fn exit_code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}
