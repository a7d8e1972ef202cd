//! `cargo xtask suites`: AMD's own test suites for the driver and the runtime, on the virtual GPU.
mod expected;
mod kfdtest;
mod program;
mod rocrtst;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::stack::Stack;
use crate::vgpu::{self, Build, Options, Vgpu};
use expected::Expected;
use program::{Outcome, Program, Ran};

/// Runs a test suite of AMD's on the virtual GPU, each test in a process of its own.
///
/// Prints a table of how many tests passed, only said that they do not apply, failed, and were too slow, and compares each
/// with the list in xtask/src/suites, which has the reason where one does not pass; any difference is an error. What each test wrote is
/// in target/suites. `docs/src/suites.md` says where the suites come from.
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

/// GPUs that the lists are for: with one, what is between GPUs would only say that there are not enough.
const GPUS: u32 = 2;

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    let (name, stack, program, environment, expected, how) = match args.suite {
        Suite::Kfdtest { sources, program, how } => {
            let built = sources.map(|sources| kfdtest::build(&sources)).transpose()?;
            let program = built.or(program).context("--sources or --program says what to run")?;
            ensure!(program.is_file(), "there is no program {}", program.display());
            let program = program.canonicalize().with_context(|| format!("cannot find {}", program.display()))?;
            ("kfdtest", Stack::Host, program, Vec::new(), expected::KFDTEST, how)
        }
        Suite::Rocrtst { how } => {
            let (program, environment) = rocrtst::prepare()?;
            ("rocrtst", Stack::Experimental, program, environment, expected::ROCRTST, how)
        }
    };
    let stack = stack.prepare()?;
    let options = Options { gpus: how.vgpu.gpus.or(Some(GPUS)), ..how.vgpu };
    let build = if how.release { Build::Release } else { Build::Checked };
    let front = [Vgpu::build(build)?.words(&options), environment].concat();
    let logs = vgpu::target_folder()?.join("suites").join(name);
    let limit = Duration::from_secs(how.seconds.into());
    let expected = Expected::in_list(expected).with_context(|| format!("xtask/src/suites/{name}.txt"))?;
    let suite = Program { stack, front, program, logs, limit };
    let all = suite.tests()?;
    let tests: Vec<&String> = all.iter().filter(|test| test.contains(&how.name)).collect();
    if tests.is_empty() {
        bail!("{name} has no test whose name contains {:?}", how.name);
    }
    if how.list {
        tests.iter().for_each(|test| println!("{test}"));
        return Ok(());
    }
    let results = run(&suite, &expected, &tests)?;
    report(&results);
    let mut changes = expected.changes(&results);
    if how.name.is_empty() {
        changes.extend(expected.gone(&all));
    }
    if changes.is_empty() {
        return Ok(());
    }
    println!("\nnot as xtask/src/suites/{name}.txt says:");
    changes.iter().for_each(|change| println!("  {change}"));
    bail!("{} of {name}'s tests are not as listed; what they wrote is in {}", changes.len(), suite.logs.display())
}

fn run(suite: &Program, expected: &Expected<'_>, tests: &[&String]) -> Result<Vec<(String, Ran)>> {
    let mut results = Vec::new();
    for (number, test) in tests.iter().enumerate() {
        print!("{:>3} of {}  {test} ... ", number + 1, tests.len());
        std::io::stdout().flush()?;
        let ran = if expected.left_out(test) { Ran::not() } else { suite.run(test)? };
        println!("{} ({:.1} s)", ran.outcome, ran.time.as_secs_f32());
        results.push(((*test).clone(), ran));
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
