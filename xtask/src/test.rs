//! `cargo xtask test`: every test of the project, with totals that count what could not run as skipped.
mod runner;

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::apt;
use crate::stack::Stack;
use crate::vgpu::{self, Build, Options, Vgpu};
use runner::{Runner, Totals};

/// Debian packages that tests on the host use: AMD's assembler and compilers to check the instruction set against, and
/// PoCL, which runs the same kernels on the CPU.
const HOST_PACKAGES: &[&str] = &[
    "clang-19",
    "g++",
    "gcc",
    "libc6-dev",
    "lld-19",
    "llvm-19",
    "ocl-icd-libopencl1",
    "pocl-opencl-icd",
    "python3-pip",
    "rocm-device-libs",
    "unzip",
];

/// The stacks that are tested when none is named.
const STACKS: &[Stack] = &[Stack::Native, Stack::Trixie];

/// Runs the tests: those of the host, then those of AMD's userspace on the virtual GPU, in the native and trixie stacks.
///
/// Sets up what it needs (as root, else it says what to install). Tests that cannot run here are counted as skipped and
/// listed with the reason. The last line is the totals.
#[derive(clap::Args)]
pub struct Args {
    /// Only the tests of this stack
    #[arg(long)]
    stack: Option<Stack>,
    /// Arguments for the test programs, such as a part of a test's name
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

/// Runs the command line. The error is for what kept tests from being run; failed tests make the process exit with 1.
pub fn main(args: Args) -> Result<()> {
    let mut totals = Totals::default();
    let skips = vgpu::target_folder().join("skipped-tests");
    if args.stack.is_none() {
        totals.add("host", host(&args.arguments, &skips)?);
    }
    let one = args.stack.map(|stack| [stack]);
    for stack in one.as_ref().map_or(STACKS, |one| one) {
        totals.add(stack.name(), in_stack(*stack, &args.arguments, &skips)?);
    }
    if totals.report() {
        Ok(())
    } else {
        std::process::exit(1);
    }
}

/// The tests that need no AMD userspace.
fn host(arguments: &[String], skips: &Path) -> Result<Totals> {
    apt::ensure(HOST_PACKAGES, "testing on the host")?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["test", "--workspace", "--exclude", "stack-tests", "--no-fail-fast", "--"]).args(arguments);
    Runner { skips }.run(cargo.current_dir(vgpu::root()))
}

/// The tests of the package `stack-tests`, built on the host and run in the stack.
fn in_stack(stack: Stack, arguments: &[String], skips: &Path) -> Result<Totals> {
    let prepared = stack.prepare()?;
    let vgpu = Vgpu::build(Build::Checked)?;
    let front = vgpu.words(&Options::default());
    let mut totals = Totals::default();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(vgpu::root()).args(["test", "--package", "stack-tests", "--tests"]);
    for program in vgpu::built_programs(&mut cargo)? {
        let name = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        eprintln!("     Running {name} in {}", stack.name());
        let mut command = prepared.command(&front, &program)?;
        command.args(arguments).current_dir(vgpu::root().join("stack-tests"));
        command.env("STACK_TESTS_STACK", stack.name()).env("STACK_TESTS_TARGET", vgpu::target_folder());
        command.env("STACK_TESTS_VGPU", vgpu.program());
        totals.merge(Runner { skips }.run(&mut command)?);
    }
    Ok(totals)
}
