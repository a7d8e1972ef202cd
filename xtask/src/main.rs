//! The project's commands: `cargo xtask --help`.
mod api;
mod apt;
mod backtrace;
mod bench;
mod bindgen;
mod chains;
mod checked;
mod demo;
mod docs;
mod layers;
mod newcomer;
mod objects;
mod package;
mod planted;
mod processes;
mod programs;
mod progress;
mod ranks;
mod record;
mod rust_kernels;
mod shares;
mod stack;
mod suites;
mod test;
mod verdicts;
mod vgpu;
mod wrap;

use std::ffi::c_int;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};

use clap::{Parser, Subcommand};
use rustix::process::Signal;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "The project's commands")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Api(api::Args),
    Backtrace(backtrace::Args),
    Bench(bench::Args),
    Bindgen(bindgen::Args),
    Chains(chains::Args),
    Demo(demo::Args),
    Docs(docs::Args),
    Layers(layers::Args),
    Newcomer(newcomer::Args),
    Objects(objects::Args),
    Package(package::Args),
    Planted(planted::Args),
    Programs(programs::Args),
    Ranks(ranks::Args),
    Record(record::Args),
    RustKernels(rust_kernels::Args),
    Shares(shares::Args),
    Stack(stack::Args),
    Suites(suites::Args),
    Test(test::Args),
    Verdicts(verdicts::Args),
    Wrap(wrap::Args),
}

fn main() -> ExitCode {
    end_with_the_reader();
    let command = Cli::parse().command;
    let outcome = vgpu::find_root().and_then(|()| match command {
        Command::Api(args) => api::main(args),
        Command::Backtrace(args) => backtrace::main(args),
        Command::Bench(args) => bench::main(args),
        Command::Bindgen(args) => bindgen::main(args),
        Command::Chains(args) => chains::main(args),
        Command::Demo(args) => demo::main(args),
        Command::Docs(args) => docs::main(args),
        Command::Layers(args) => layers::main(args),
        Command::Newcomer(args) => newcomer::main(args),
        Command::Objects(args) => objects::main(args),
        Command::Package(args) => package::main(args),
        Command::Planted(args) => planted::main(args),
        Command::Programs(args) => programs::main(args),
        Command::Ranks(args) => ranks::main(args),
        Command::Record(args) => record::main(args),
        Command::RustKernels(args) => rust_kernels::main(args),
        Command::Shares(args) => shares::main(args),
        Command::Stack(args) => stack::main(args),
        Command::Suites(args) => suites::main(args),
        Command::Test(args) => test::main(args),
        Command::Verdicts(args) => verdicts::main(args),
        Command::Wrap(args) => wrap::main(args),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Has a reader that has had enough (`| head`) end this program quietly, as it ends others: Rust ignores the signal,
/// and `println!` panics.
fn end_with_the_reader() {
    unsafe extern "C" {
        /// From `signal.h`.
        fn signal(number: c_int, handler: usize) -> usize;
    }
    const SIG_DFL: usize = 0;
    // SAFETY: the default action runs no code of this program.
    unsafe { signal(Signal::PIPE.as_raw(), SIG_DFL) };
}

/// The exit code of a child, as a shell gives it: 128 and the signal's number if it was killed.
fn exit_code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}
