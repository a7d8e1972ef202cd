//! `cargo xtask programs`: programs of others on the virtual GPU, and what they compared.
mod built;
mod catalogue;
mod output;
mod report;
mod run;

use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::builder::PossibleValuesParser;

use crate::stack::{Device, Prepared};
use crate::vgpu::{self, Build, Options, Vgpu};
use catalogue::{CATALOGUE, Program};
use report::Report;
use run::Runner;

/// Runs programs that nobody here wrote on the virtual GPU, and counts what they compared.
///
/// Each is installed in a Debian tree of its own, beside the stack's, made on first use. A program has parts (an
/// operation, a file of tests); a part that is not done in its time is ended and counted as far as it came. What the
/// programs wrote, and the tables as JSON, is in the target folder under `programs`. Ends with 1 if a comparison or a
/// program failed.
#[derive(clap::Args)]
pub struct Args {
    /// Which; all if none is named
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(names()))]
    programs: Vec<String>,
    /// Show what there is and what each needs
    #[arg(long)]
    list: bool,
    /// Only the parts whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    part: String,
    /// For how long a part may run, in place of the program's own limit
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// What the programs find as GPU
    #[arg(long, value_enum, default_value_t = Device::Virtual)]
    device: Device,
    /// Model of the virtual GPU (`vgpu info` prints them)
    #[arg(long, value_name = "MODEL", conflicts_with = "device")]
    gpu: Option<String>,
    /// Install the programs anew
    #[arg(long)]
    renew: bool,
}

fn names() -> Vec<&'static str> {
    CATALOGUE.iter().map(|program| program.name).collect()
}

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    let wanted = |program: &&Program| args.programs.is_empty() || args.programs.iter().any(|name| name == program.name);
    let programs: Vec<&Program> = CATALOGUE.iter().filter(wanted).collect();
    if args.list {
        programs.iter().for_each(|program| println!("{program}\n"));
        return Ok(());
    }
    let _ahead = (args.device == Device::Virtual).then(|| Vgpu::build_ahead(Build::Release)).transpose()?;
    let set_up = |program: &Program| program.stack.prepare()?.with(&program.more(), args.renew);
    let stacks: Vec<Result<Prepared>> = programs.iter().map(|program| set_up(program)).collect();
    let front = match args.device {
        Device::Real => Vec::new(),
        Device::Virtual => Vgpu::build(Build::Release)?.words(&Options { gpu: args.gpu.clone(), ..Options::default() }),
    };
    let mut fine = true;
    let mut parts = 0;
    for (program, stack) in programs.into_iter().zip(stacks) {
        // One that cannot be had today, as happens with suites that move, keeps none of the others from running.
        let outcome = stack.and_then(|stack| run(program, &stack, &front, &args));
        match outcome {
            Ok(report) => {
                fine &= report.is_fine();
                parts += report.results.len();
            }
            Err(error) => {
                println!("\n{}: {error:#}\n", program.name);
                fine = false;
            }
        }
    }
    if fine && parts == 0 {
        bail!("nothing was run: no part's name contains {:?}", args.part);
    }
    if fine { Ok(()) } else { std::process::exit(1) }
}

/// Runs the program's parts and shows what came of them.
fn run<'a>(program: &'a Program, stack: &Prepared, front: &[OsString], args: &Args) -> Result<Report<'a>> {
    let folder = vgpu::target_folder()?.join("programs");
    let outputs = folder.join(program.name);
    fs::create_dir_all(&outputs).with_context(|| format!("cannot make {}", outputs.display()))?;
    let limit = args.limit.map_or(program.limit, Duration::from_secs);
    let built =
        program.crate_folder.map(|name| built::build(&vgpu::root().join("xtask/programs").join(name), stack, &outputs));
    let with_layer = program.environment.iter().any(|(_, value)| value.contains("{external_memory}"));
    let external_memory = with_layer.then(|| vgpu::external_memory_layer(Build::Release)).transpose()?;
    let built = built.transpose()?;
    let runner = Runner { program, stack, built, external_memory, front, outputs: &outputs, limit };
    let mut parts = runner.parts()?;
    parts.retain(|part| part.name.contains(&args.part));
    let results = parts.into_iter().map(|part| runner.run(part)).collect::<Result<_>>()?;
    runner.remove_temporary()?;
    let report = Report { program, versions: stack.versions(program.packages)?, results };
    let json = folder.join(format!("{}.json", program.name));
    fs::write(&json, report.json()?).with_context(|| format!("cannot write {}", json.display()))?;
    println!("{report}\nwritten to {} and {}\n", json.display(), outputs.display());
    Ok(report)
}
