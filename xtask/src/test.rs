//! `cargo xtask test`: every test of the project, with totals that count what could not run as skipped.
mod claims;
mod parts;
mod real;
mod runner;
mod skips;
mod tally;
mod userspace;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use crate::apt;
use crate::stack::{Device, Prepared, Stack};
use crate::vgpu::{self, Artifacts, Build, HostIsa, Options, Program, Vgpu};
use parts::Part;
use real::Before;
use runner::{Runner, Totals};
use skips::Allowed;
use userspace::Userspace;

#[cfg(test)]
pub use claims::{PAGES, claims};

/// Debian packages that tests and benchmarks on the host use: AMD's assembler and compilers to check the instruction
/// set against (15 writes code objects of version 3), PoCL, which runs the same kernels on the CPU, and libraries of
/// HIP and HSA, which must see that there is no GPU.
pub const HOST_PACKAGES: &[&str] = &[
    "clang-15",
    "clang-19",
    "clang-tools-19",
    "g++",
    "gcc",
    "libamdhip64-5",
    "libc6-dev",
    "libhsa-runtime64-1",
    "lld-15",
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

/// Runs the tests: those of the host, then those of AMD's userspace on the virtual GPU, in the native and trixie
/// stacks.
///
/// Sets up what it needs (as root, else it says what to install). Tests that cannot run here are counted as skipped and
/// listed with the reason; one that `xtask/src/test/skips.txt` does not allow to be skipped is counted as failed. The
/// last line is the totals.
///
/// `--device real` runs what makes sense on the machine's own GPU: the stack's tests, by default with the ROCm that is
/// installed here, and those of `kfd`, which needs none. It writes a report: the machine, its libraries, each test, and
/// which of the pages' claims hold on it.
///
/// What fails seldom is found by `--stack NAME --repeat 20`, on all cores and with `--cores 1`: everything is built
/// once, all tests run that often, and a table says how often each test passed, failed and hung (was not done in time,
/// one of the failures).
#[derive(clap::Args)]
pub struct Args {
    /// Only the tests of this stack
    #[arg(long)]
    stack: Option<Stack>,
    /// What the stack's tests find as GPU
    #[arg(long, value_enum, default_value_t = Device::Virtual)]
    device: Device,
    /// Hide from the tests, and from the virtual GPU, what the processor has beyond this level of x86-64
    #[arg(long, value_enum, value_name = "LEVEL")]
    host_isa: Option<HostIsa>,
    /// Run once more, with this level, what depends on the processor most: the tests of the instruction set, of the
    /// virtual GPU and of `kfd`, and the native stack's. They are parts of their own in the totals. On a processor that
    /// has no more than this level, the other tests have done that
    #[arg(long, value_enum, value_name = "LEVEL", conflicts_with_all = ["stack", "host_isa", "device"])]
    again_with: Option<HostIsa>,
    /// Model of the virtual GPU of the stack's tests (`vgpu info` prints them); what an MI100 alone has is then skipped
    #[arg(long, requires = "stack", value_name = "MODEL")]
    gpu: Option<String>,
    /// Run the stack's tests N times and count for each how it ended
    #[arg(long, value_name = "N", requires = "stack", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: Option<u32>,
    /// Run the stack's tests on N of the machine's cores only
    #[arg(long, value_name = "N", requires = "stack", value_parser = clap::value_parser!(u32).range(1..))]
    cores: Option<u32>,
    /// Use the optimised build of the virtual GPU for the stack's tests, which checks itself less
    #[arg(long, requires = "stack")]
    release: bool,
    /// Let packets of the stack's tests wait for their doorbells, as hardware does
    #[arg(long, requires = "stack")]
    strict_doorbells: bool,
    /// Let the GPU of the stack's tests misbehave as hardware is known to: by all its bugs, or those named (see `vgpu
    /// run --help`)
    #[arg(long, requires = "stack", value_name = "LIST", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    hardware_bugs: Option<String>,
    /// Arguments for the test programs, such as a part of a test's name
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

/// Runs the command line. The error is for what kept tests from being run; failed tests make the process exit with 1.
pub fn main(args: Args) -> Result<()> {
    if args.device == Device::Real {
        return on_the_machines_gpu(&args);
    }
    vgpu::leave_out_the_machines_gpus(args.stack.unwrap_or(Stack::Native));
    if let Some(isa) = args.host_isa {
        isa.hide_better_ones();
    }
    let again_with = args.again_with.filter(|&isa| {
        let fewer = isa < HostIsa::in_use();
        if !fewer {
            println!("not run again with {}: the processor's instructions are no more, or no less", isa.name());
        }
        fewer
    });
    let all = args.stack.is_none();
    let one = args.stack.map(|stack| [stack]);
    let stacks = set_up(one.as_ref().map_or(STACKS, |one| one), all)?;
    let (of_host, built) = if all { all_tests()? } else { (Vec::new(), StackTests::build(&args)?) };
    if let Some(cores) = args.cores {
        restrict_to(cores)?;
    }

    let (args, of_host, built, whole) = (&args, &of_host, &built, args.arguments.is_empty());
    let named = |part: &str, isa: Option<HostIsa>| isa.map_or(part.to_owned(), |isa| format!("{part}, {}", isa.name()));
    let host_part = |isa: Option<HostIsa>| {
        let skips = ["host"].into_iter().chain(without_avx2(isa.unwrap_or_else(HostIsa::in_use)));
        let run = move |runner: &Runner| match isa {
            None => host(of_host, &args.arguments, runner),
            Some(isa) => host_again_with(isa, of_host, &args.arguments, runner),
        };
        Part::new(named("host", isa), Some(Allowed::of(skips)), whole && isa.is_none(), run)
    };
    let in_stack = |&(stack, ref prepared): &(Stack, Prepared), isa: Option<HostIsa>| {
        let skips = [stack.name()].into_iter().chain(args.gpu.as_deref());
        // What a ROCm of the user's lacks is not known here.
        let skips = (stack != Stack::Host).then(|| Allowed::of(skips));
        let prepared = prepared.clone();
        let run = move |runner: &Runner| built.run_in(stack, &prepared, args, isa, runner);
        Part::new(named(stack.name(), isa), skips, whole && isa.is_none(), run)
    };
    let mut on_host_row = Vec::new();
    let mut in_stacks_row: Vec<_> = stacks.iter().map(|stack| in_stack(stack, None)).collect();
    if all {
        on_host_row.push(host_part(None));
    }
    if let Some(isa) = again_with {
        on_host_row.push(host_part(Some(isa)));
        // In one row with the native stack, whose folder its tests use.
        let native = stacks.iter().filter(|(stack, _)| *stack == Stack::Native);
        in_stacks_row.extend(native.map(|stack| in_stack(stack, Some(isa))));
    }
    let totals = parts::run([on_host_row, in_stacks_row])?;
    if args.repeat.is_some() {
        totals.print_tallies();
    }
    if totals.report() {
        Ok(())
    } else {
        std::process::exit(1);
    }
}

/// Gets what the tests of `stacks` need, and those of the host if `all` are to run.
fn set_up(stacks: &[Stack], all: bool) -> Result<Vec<(Stack, Prepared)>> {
    // While packages are fetched. What goes wrong there is shown by the build behind it, which goes on with what is
    // left.
    let _ahead = all.then(|| vgpu::Ahead::start(of_all().arg("--no-run"))).transpose()?;
    if all {
        apt::ensure(HOST_PACKAGES, "testing on the host")?;
    }
    stacks.iter().map(|&stack| Ok((stack, stack.prepare()?))).collect()
}

/// Builds all tests with what they use, and gives those of the host and those of the stacks. Built at once, as cargo
/// chooses the features of dependencies for all that it builds: one after the other, they would need `gcn` twice. Built
/// before they run, as a build may write nothing to standard output for longer than tests may.
fn all_tests() -> Result<(Vec<Program>, StackTests)> {
    let built = Artifacts::build_tests(&mut of_all())?;
    let in_stacks = StackTests::of(&built)?;
    let of_host = built.tests().into_iter().filter(|program| !in_stacks.programs.contains(program)).collect();
    Ok((of_host, in_stacks))
}

/// What may be skipped besides where no code is compiled for the host.
fn without_avx2(isa: HostIsa) -> Option<&'static str> {
    (isa < HostIsa::V3).then_some("without-avx2")
}

/// The packages on the host whose tests do other things with other vector instructions.
const OF_THE_PROCESSOR: [&str; 3] = ["crates/gcn-alu", "crates/gcn", "tests/kfd"];

/// Those of `programs` that depend on the processor most, with fewer of its instructions.
fn host_again_with(isa: HostIsa, programs: &[Program], arguments: &[String], runner: &Runner) -> Result<Totals> {
    let mut totals = Totals::default();
    let folders = OF_THE_PROCESSOR.map(|folder| vgpu::root().join(folder));
    for program in programs.iter().filter(|program| folders.contains(&program.folder)) {
        runner.say(&format!("     Running {} with {}", file_name(&program.path), isa.name()));
        let mut command = on_host(program);
        isa.of_command(command.args(arguments));
        totals.merge(runner.run("", &mut command)?);
    }
    Ok(totals)
}

/// The tests of `kfd` and the stack's on the machine's own GPU, with a report.
fn on_the_machines_gpu(args: &Args) -> Result<()> {
    let stack = args.stack.unwrap_or(Stack::Host);
    let runner = Runner::new("")?;
    real::isa()?;
    let userspace = Userspace::ask(&stack.prepare()?, &[])?;
    // All that may fail comes before the tests: what they take an hour for is not to be lost.
    let before = Before::new(stack, userspace)?;
    let folder = vgpu::target_folder()?.join("report");
    // First what needs the driver only: it tells whether the rest has a chance.
    let mut totals = direct(args, &runner)?;
    let in_stack = || StackTests::build(args)?.run_in(stack, &stack.prepare()?, args, None, &runner);
    let ended = in_stack().map(|part| totals.merge(part));
    let (tallies, skipped) = totals.by_test();
    let report = before.report(tallies, skipped);
    print!("\n{report}");
    let written = report.write(&folder);
    if let Ok([text, json]) = &written {
        println!("\nwritten to {} and {}", text.display(), json.display());
    }
    let fine = totals.report();
    ended?;
    written?;
    if fine { Ok(()) } else { std::process::exit(1) }
}

/// The tests that need no AMD userspace: `programs`, and the examples in the documentation.
fn host(programs: &[Program], arguments: &[String], runner: &Runner) -> Result<Totals> {
    let mut totals = Totals::default();
    for program in programs {
        runner.say(&format!("     Running {}", file_name(&program.path)));
        totals.merge(runner.run("", on_host(program).args(arguments))?);
    }
    totals.merge(runner.run("", of_all().args(["--doc", "--no-fail-fast", "--"]).args(arguments))?);
    // What build scripts are told is behind a feature that no other crate of the workspace turns on.
    let mut link = Command::new(env!("CARGO"));
    link.current_dir(vgpu::root());
    link.args(["test", "--package", "rocm-loader", "--features", "link", "--test", "link", "--"]).args(arguments);
    totals.merge(runner.run("", &mut link)?);
    Ok(totals)
}

/// A test program of the host, for which all is built that it uses.
fn on_host(program: &Program) -> Command {
    let mut command = Command::new(&program.path);
    program.in_its_folder(&mut command).env("KFD_TESTS_BUILT", "1");
    command
}

/// `cargo test` of all packages.
fn of_all() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(vgpu::root()).args(["test", "--workspace"]);
    heed_error_codes(&mut cargo);
    cargo
}

/// Lets examples in the documentation that must not compile fail unless the compiler gives the error code that they
/// name. A stable rustdoc takes any error otherwise. What cargo has built stays valid: only rustdoc is another program.
fn heed_error_codes(cargo: &mut Command) -> &mut Command {
    let beside_cargo = Path::new(env!("CARGO")).with_file_name("rustdoc");
    // The first is set where this runs inside a test run of its own.
    let given = ["TESTED_RUSTDOC", "RUSTDOC"].into_iter().find_map(std::env::var_os);
    let tested = given.unwrap_or_else(|| match beside_cargo.exists() {
        true => beside_cargo.into(),
        false => "rustdoc".into(),
    });
    cargo.env("TESTED_RUSTDOC", tested).env("RUSTDOC", vgpu::root().join("xtask/src/test/rustdoc"))
}

/// The tests of the package `kfd-tests` on the machine's own GPU, with nothing of AMD's userspace.
fn direct(args: &Args, runner: &Runner) -> Result<Totals> {
    let mut totals = Totals::default();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(vgpu::root()).args(["test", "--package", "kfd-tests", "--tests"]);
    for program in Artifacts::build_tests(&mut cargo)?.tests() {
        eprintln!("     Running {} by the driver alone", file_name(&program.path));
        let mut command = Command::new(&program.path);
        program.in_its_folder(&mut command).args(&args.arguments).env("KFD_TESTS_DEVICE", "real");
        totals.merge(runner.run(target_name(&file_name(&program.path)), &mut command)?);
    }
    Ok(totals)
}

fn file_name(program: &Path) -> String {
    program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// cargo puts a digest behind the name.
fn target_name(file: &str) -> &str {
    file.rsplit_once('-').map_or(file, |(name, _)| name)
}

/// The tests of the package `stack-tests` and what they use, built on the host.
struct StackTests {
    programs: Vec<Program>,
    rocm_trace: PathBuf,
    external_memory: PathBuf,
    external_semaphores: PathBuf,
    /// Nothing where the GPU is the machine's.
    vgpu: Option<Vgpu>,
}

impl StackTests {
    /// Builds them and no other tests.
    fn build(args: &Args) -> Result<Self> {
        let build = if args.release { Build::Release } else { Build::Checked };
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(vgpu::root()).args(["test", "--package", "stack-tests", "--tests"]);
        Ok(Self {
            rocm_trace: vgpu::rocm_trace(build)?,
            external_memory: vgpu::external_memory_layer(build)?,
            external_semaphores: vgpu::external_semaphores_library(build)?,
            vgpu: (args.device == Device::Virtual).then(|| Vgpu::build(build)).transpose()?,
            programs: Artifacts::build_tests(&mut cargo)?.tests(),
        })
    }

    /// Those of what cargo built, with all that they use.
    fn of(built: &Artifacts) -> Result<Self> {
        let folder = vgpu::root().join("tests/stack");
        Ok(Self {
            programs: built.tests().into_iter().filter(|program| program.folder == folder).collect(),
            rocm_trace: built.program("rocm-trace")?,
            external_memory: built.library("cl-external-memory")?,
            external_semaphores: built.library("hip-external-semaphores")?,
            vgpu: Some(Vgpu::of(built)?),
        })
    }

    /// Runs them in a stack as often as `args` says, with fewer of the processor's instructions if `isa` says so.
    fn run_in(
        &self,
        stack: Stack,
        prepared: &Prepared,
        args: &Args,
        isa: Option<HostIsa>,
        runner: &Runner,
    ) -> Result<Totals> {
        // The programs' environment says what the GPU is, and where a virtual one for tests that need one of their own.
        let (front, device) = match &self.vgpu {
            None => (Vec::new(), vec![("STACK_TESTS_ISA", real::isa()?.into())]),
            Some(vgpu) => {
                let (strict_doorbells, hardware_bugs) = (args.strict_doorbells, args.hardware_bugs.clone());
                let gpu = args.gpu.clone();
                let mut device = vec![("STACK_TESTS_VGPU", vgpu.program().as_os_str().to_owned())];
                if let Some(model) = &gpu {
                    device.push(("STACK_TESTS_GPU", model.into()));
                    device.push(("STACK_TESTS_ISA", vgpu.isa(model)?.into()));
                }
                (vgpu.words(&Options { gpu, strict_doorbells, hardware_bugs, ..Options::default() }), device)
            }
        };
        // What is known of the other stacks.
        let found = (stack == Stack::Host).then(|| Userspace::ask(prepared, &front)).transpose()?;
        let hip = found.as_ref().map(Userspace::hip).transpose()?.map(|version| ("STACK_TESTS_HIP", version));
        let opencl = found.filter(Userspace::opencl).map(|_| ("STACK_TESTS_OPENCL", "1"));
        let mut totals = Totals::default();
        // hipcc and AMD's run-time compiler leave folders in the one for temporary files, the latter when it is killed.
        let suffix = isa.map_or(String::new(), |isa| format!("-{}", isa.name()));
        let temporary = format!("temporary-{}-{}{suffix}", std::process::id(), stack.name());
        let temporary = vgpu::target_folder()?.join("stack-tests").join(temporary);
        fs::create_dir_all(&temporary).with_context(|| format!("cannot make {}", temporary.display()))?;
        let rounds = args.repeat.unwrap_or(1);
        for round in 1..=rounds {
            for program in &self.programs {
                let file = file_name(&program.path);
                let of = if args.repeat.is_some() { format!(" ({round} of {rounds})") } else { String::new() };
                runner.say(&format!("     Running {file} in {}{of}", stack.name()));
                let mut command = prepared.command(&front, &program.path)?;
                program.in_its_folder(&mut command).args(&args.arguments);
                command.env("STACK_TESTS_STACK", stack.name()).env("STACK_TESTS_TARGET", vgpu::target_folder()?);
                command.env_remove("STACK_TESTS_VGPU").envs(device.clone()).env("TMPDIR", &temporary);
                command.env_remove("STACK_TESTS_OPENCL").envs(hip.clone()).envs(opencl);
                command.env("STACK_TESTS_ROCM_TRACE", &self.rocm_trace);
                command.env("STACK_TESTS_EXTERNAL_MEMORY", &self.external_memory);
                command.env("STACK_TESTS_EXTERNAL_SEMAPHORES", &self.external_semaphores);
                if let Some(isa) = isa {
                    isa.of_command(&mut command);
                }
                totals.merge(runner.run(target_name(&file), &mut command)?);
            }
        }
        fs::remove_dir_all(&temporary).with_context(|| format!("cannot remove {}", temporary.display()))?;
        Ok(totals)
    }
}

/// Leaves this process, and so all that it starts from now on, only the first `cores` of the CPUs it may use.
fn restrict_to(cores: u32) -> Result<()> {
    let before = sched_getaffinity(None).context("cannot ask for the CPUs of this process")?;
    let mut fewer = CpuSet::new();
    (0..CpuSet::MAX_CPU).filter(|&cpu| before.is_set(cpu)).take(cores as usize).for_each(|cpu| fewer.set(cpu));
    sched_setaffinity(None, &fewer).context("cannot restrict this process to fewer CPUs")
}
