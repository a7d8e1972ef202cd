//! `cargo xtask suites`: test suites of the driver, the runtime and OpenCL, on the virtual GPU.
mod expected;
mod kfdtest;
mod opencl_cts;
mod program;
mod rocrtst;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::stack::Stack;
use crate::vgpu::{self, Build, Options, Vgpu};
use expected::Expected;
use program::{Harness, Outcome, Program, Ran};

/// Runs a test suite of AMD's or Khronos' on the virtual GPU, each test in a process of its own.
///
/// Prints a table of how many tests passed, only said that they do not apply, failed, and were too slow, and compares
/// each with the list in xtask/src/suites, which has the reason where one does not pass; any difference is an error.
/// What each test wrote is in target/suites. `docs/src/suites.md` says where the suites come from.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    suite: Suite,
}

#[derive(clap::Subcommand)]
enum Suite {
    /// kfdtest, libhsakmt's suite for the driver
    Kfdtest {
        /// A tree of ROCm/rocm-systems, from which it is built
        #[arg(long, value_name = "FOLDER", required_unless_present = "program")]
        sources: Option<PathBuf>,
        /// The program, if it is built already
        #[arg(long, value_name = "FILE", conflicts_with = "sources")]
        program: Option<PathBuf>,
        #[command(flatten)]
        how: How,
    },
    /// Programs of Khronos' OpenCL conformance tests, in the stack trixie, with the layer cl-external-memory
    OpenclCts {
        /// The folder in which they were built
        #[arg(long, value_name = "FOLDER")]
        built: PathBuf,
        /// Without the layer: all but the test of its extension has to end in the same way
        #[arg(long)]
        without_layer: bool,
        /// With Khronos' own loader, of Debian's suite sid, in place of ocl-icd
        #[arg(long)]
        khronos_loader: bool,
        #[command(flatten)]
        how: How,
    },
    /// rocrtst, ROCr's suite, of Debian's package libhsa-runtime64-tests in the stack experimental
    Rocrtst {
        #[command(flatten)]
        how: How,
    },
}

#[derive(clap::Args)]
struct How {
    /// Only the tests whose name contains this
    #[arg(default_value = "")]
    name: String,
    /// A test that takes longer is too slow, and is killed
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Use the optimised build of the virtual GPU, which checks itself less
    #[arg(long)]
    release: bool,
    /// Only print the names of the tests
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    vgpu: Options,
}

/// A suite, found or built.
struct Ready {
    name: &'static str,
    stack: Stack,
    /// How many GPUs its list is for.
    gpus: u32,
    harness: Harness,
    /// Its programs, each with what is before the names of its tests, and which of them it has (all if none is named).
    programs: Vec<(PathBuf, String, &'static [&'static str])>,
    /// The words before a program, which set its environment.
    environment: Vec<OsString>,
    expected: String,
}

/// With one GPU, what is between GPUs would only say that there are not enough.
const TWO: u32 = 2;

impl Suite {
    fn ready(self) -> Result<(Ready, How)> {
        Ok(match self {
            Suite::Kfdtest { sources, program, how } => {
                let built = sources.map(|sources| kfdtest::build(&sources)).transpose()?;
                let program = built.or(program).context("--sources or --program says what to run")?;
                ensure!(program.is_file(), "there is no program {}", program.display());
                let program = program.canonicalize().with_context(|| format!("cannot find {}", program.display()))?;
                let suite = Ready {
                    name: "kfdtest",
                    stack: Stack::Host,
                    gpus: TWO,
                    harness: program::GOOGLE_TEST,
                    programs: vec![(program, String::new(), &[])],
                    environment: Vec::new(),
                    expected: expected::KFDTEST.to_owned(),
                };
                (suite, how)
            }
            Suite::OpenclCts { built, without_layer, khronos_loader, how } => {
                let names = opencl_cts::PROGRAMS.map(|(name, only)| (format!("{name}/"), only));
                let programs = opencl_cts::programs(&built)?.into_iter().zip(names);
                let build = if how.release { Build::Release } else { Build::Checked };
                let layer = (!without_layer).then(|| vgpu::external_memory_layer(build)).transpose()?;
                let suite = Ready {
                    name: "opencl-cts",
                    stack: Stack::Trixie,
                    gpus: 1,
                    harness: opencl_cts::HARNESS,
                    programs: programs.map(|(program, (prefix, only))| (program, prefix, only)).collect(),
                    environment: opencl_cts::environment(layer.as_deref(), khronos_loader)?,
                    expected: opencl_cts::expected(!without_layer),
                };
                (suite, how)
            }
            Suite::Rocrtst { how } => {
                let (program, environment) = rocrtst::prepare()?;
                let suite = Ready {
                    name: "rocrtst",
                    stack: Stack::Experimental,
                    gpus: TWO,
                    harness: program::GOOGLE_TEST,
                    programs: vec![(program, String::new(), &[])],
                    environment,
                    expected: expected::ROCRTST.to_owned(),
                };
                (suite, how)
            }
        })
    }
}

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    let (suite, how) = args.suite.ready()?;
    let name = suite.name;
    let stack = suite.stack.prepare()?;
    let options = Options { gpus: how.vgpu.gpus.or(Some(suite.gpus)), ..how.vgpu };
    let build = if how.release { Build::Release } else { Build::Checked };
    let front = [Vgpu::build(build)?.words(&options), suite.environment].concat();
    let logs = vgpu::target_folder()?.join("suites").join(name);
    let limit = Duration::from_secs(how.seconds.into());
    let model = options.gpu.as_deref().unwrap_or("mi100");
    let expected = Expected::in_list(&suite.expected, model).with_context(|| format!("xtask/src/suites/{name}.txt"))?;
    let (harness, suite) = (suite.harness, suite.programs);
    let programs: Vec<Program> = suite
        .into_iter()
        .map(|(program, prefix, only)| Program {
            harness,
            prefix,
            only,
            stack: stack.clone(),
            front: front.clone(),
            program,
            logs: logs.clone(),
            limit,
        })
        .collect();
    let mut all = Vec::new();
    for program in &programs {
        all.extend(program.tests()?.into_iter().map(|test| (program, test)));
    }
    let tests: Vec<_> = all.iter().filter(|(_, test)| test.contains(&how.name)).collect();
    if tests.is_empty() {
        bail!("{name} has no test whose name contains {:?}", how.name);
    }
    if how.list {
        tests.iter().for_each(|(_, test)| println!("{test}"));
        return Ok(());
    }
    let results = run(&expected, &tests)?;
    report(&results);
    let mut changes = expected.changes(&results);
    if how.name.is_empty() {
        let all: Vec<String> = all.iter().map(|(_, test)| test.clone()).collect();
        changes.extend(expected.gone(&all));
    }
    if changes.is_empty() {
        return Ok(());
    }
    println!("\nnot as xtask/src/suites/{name}.txt says:");
    changes.iter().for_each(|change| println!("  {change}"));
    bail!("{} of {name}'s tests are not as listed; what they wrote is in {}", changes.len(), logs.display())
}

fn run(expected: &Expected<'_>, tests: &[&(&Program, String)]) -> Result<Vec<(String, Ran)>> {
    let mut results = Vec::new();
    for (number, (program, test)) in tests.iter().enumerate() {
        print!("{:>3} of {}  {test} ... ", number + 1, tests.len());
        std::io::stdout().flush()?;
        let ran = if expected.left_out(test) { Ran::not() } else { program.run(test)? };
        println!("{} ({:.1} s)", ran.outcome, ran.time.as_secs_f32());
        results.push((test.clone(), ran));
    }
    Ok(results)
}

fn report(results: &[(String, Ran)]) {
    for outcome in [Outcome::Skipped, Outcome::Failed, Outcome::TooSlow] {
        let these = results.iter().filter(|(_, ran)| ran.outcome == outcome);
        let lines: Vec<String> = these.map(|(name, ran)| format!("  {name}: {}", ran.said)).collect();
        if !lines.is_empty() {
            println!("\n{outcome}:\n{}", lines.join("\n"));
        }
    }
    println!("\n{:10} {:>5}", "outcome", "tests");
    for outcome in Outcome::ALL {
        let count = results.iter().filter(|(_, ran)| ran.outcome == outcome).count();
        println!("{:10} {count:>5}", outcome.to_string());
    }
    println!("{:10} {:>5}", "all", results.len());
}
