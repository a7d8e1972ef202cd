//! `kfd-runner`, the program with which cargo runs programs for the target `amdgcn-amd-amdhsa`.
mod device;
mod outcome;
mod select;
mod target;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use kfd::{Driver, Module, Topology};

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// Runs the tests of a program for AMD GPUs on the first GPU, each in a work-group of its own.
#[derive(Parser)]
#[command(version)]
enum Command {
    /// Run a program's tests, or show the kernels of a program that has none
    Run(Run),
    /// Write the description of the target for rustc, with which cargo makes programs and tests for it
    Target(target::Args),
}

/// The options are those of Rust's own test programs, as far as they make sense here.
#[derive(clap::Args)]
struct Run {
    /// The program, as cargo built it
    program: PathBuf,
    #[command(flatten)]
    select: select::Args,
    /// List the tests and run none
    #[arg(long)]
    list: bool,
    /// For how long a test may run
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// Accepted and without effect: tests print nothing
    #[arg(long, alias = "show-output")]
    nocapture: bool,
}

fn main() -> ExitCode {
    let outcome = match Command::parse() {
        Command::Run(args) => run(&args),
        Command::Target(args) => target::main(&args).map(|()| true),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        // As of Rust's own test programs.
        Ok(false) => ExitCode::from(101),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(101)
        }
    }
}

/// Whether all tests passed.
fn run(args: &Run) -> Result<bool> {
    let file = std::fs::read(&args.program).map_err(|error| format!("{}: {error}", args.program.display()))?;
    let topology = Topology::read()?;
    let node = topology
        .gpus()
        .next()
        .ok_or("this machine has no GPU: let the runner be `vgpu run -- kfd-runner run` to use a virtual one")?;
    let gpu = Driver::open()?.device(node)?;
    let module = Module::load(gpu, &file)?;
    if !module.kernel_names().any(|name| name == kfd_runner::report::KERNEL) {
        show_kernels(&module)?;
        return Ok(true);
    }
    let mut device = device::Device::new(gpu, &module, Duration::from_secs(args.limit))?;
    let tests = device.describe()?;
    let selected = args.select.choose(&tests);
    if args.list {
        selected.iter().for_each(|&index| println!("{}: test", tests[index].name));
        println!("\n{} tests, 0 benchmarks", selected.len());
        return Ok(true);
    }
    println!("\nrunning {} tests on {}", selected.len(), node.isa());
    let begin = Instant::now();
    let (ignored, wanted): (Vec<usize>, Vec<usize>) =
        selected.iter().partition(|&&index| args.select.leaves_out(&tests[index]));
    let mut results = outcome::Results::new(tests.len() - selected.len(), ignored.len());
    ignored.iter().for_each(|&index| println!("test {} ... ignored", tests[index].name));
    device.run(&wanted, |index, report| results.add(&tests[index], report))?;
    results.finish(begin.elapsed());
    Ok(results.is_fine())
}

/// What a launch of each kernel has to give.
fn show_kernels(module: &Module) -> Result<()> {
    println!("no tests; the kernels, which `kfd::Module` loads from this file, are");
    for name in module.kernel_names() {
        let kernel = module.kernel(name)?;
        let description = kernel.description();
        let arguments = description.metadata().args.iter().filter(|argument| !argument.value_kind.is_hidden());
        let arguments: Vec<String> =
            arguments.map(|argument| format!("{} bytes ({:?})", argument.size, argument.value_kind)).collect();
        println!(
            "  {name}({}): {} bytes of LDS, {} of scratch memory for a work-item{}",
            arguments.join(", "),
            description.group_bytes(),
            description.private_bytes(),
            if description.uses_dynamic_stack() { " and a stack" } else { "" }
        );
    }
    Ok(())
}
