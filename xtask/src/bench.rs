//! `cargo xtask bench`: the benchmarks, each next to the reference measured in the same run.
mod results;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::stack::Stack;
use crate::vgpu::{self, Build, Options, Vgpu};
use results::Measurement;

/// Runs the benchmarks of all crates and prints how each compares with its reference.
///
/// In a criterion group, the function named `bound` or `reference ...` is what the others are compared with. Benchmarks
/// of the package `stack-tests` run inside a stack on the virtual GPU. The figures go to target/bench/PACKAGE.json.
#[derive(clap::Args)]
pub struct Args {
    /// Only these packages
    #[arg(long = "package", short, value_name = "PACKAGE")]
    packages: Vec<String>,
    /// The stack for the benchmarks of `stack-tests`
    #[arg(long, default_value = "trixie")]
    stack: Stack,
    /// Arguments for criterion, such as --quick or a part of a benchmark's name
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    let packages = packages_with_benches(&args.packages)?;
    for package in &packages {
        println!("\n=== {package}");
        let figures = vgpu::target_folder().join("criterion").join(package);
        match fs::remove_dir_all(&figures) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", figures.display()));
            }
            _ => {}
        }
        run(package, &figures, &args)?;
        let measurements = results::collect(&figures)?;
        if measurements.is_empty() {
            bail!("the benchmarks of {package} left no figures in {}", figures.display());
        }
        results::print(&measurements);
        write(package, &measurements)?;
    }
    Ok(())
}

fn run(package: &str, figures: &Path, args: &Args) -> Result<()> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(vgpu::root()).args(["bench", "--package", package, "--benches"]);
    if package != "stack-tests" {
        cargo.arg("--").args(&args.arguments).env("CRITERION_HOME", figures);
        return succeed(&mut cargo);
    }
    let prepared = args.stack.prepare()?;
    let front = Vgpu::build(Build::Release)?.words(&Options::default());
    for program in vgpu::built_programs(&mut cargo)? {
        let mut command = prepared.command(&front, &program)?;
        command.arg("--bench").args(&args.arguments).current_dir(vgpu::root().join("stack-tests"));
        command.env("CRITERION_HOME", figures);
        command.env("STACK_TESTS_STACK", args.stack.name()).env("STACK_TESTS_TARGET", vgpu::target_folder());
        succeed(&mut command)?;
    }
    Ok(())
}

fn succeed(command: &mut Command) -> Result<()> {
    let shown = crate::progress::display(command);
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// The workspace's packages that have benchmarks, or those of them that are in `wanted`.
fn packages_with_benches(wanted: &[String]) -> Result<Vec<String>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(vgpu::root()).args(["metadata", "--no-deps", "--format-version", "1"]);
    let output = cargo.output().context("cannot start cargo")?;
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cannot read cargo's metadata")?;
    let has_bench = |package: &&Value| {
        let targets = package["targets"].as_array().into_iter().flatten();
        targets.into_iter().any(|target| target["kind"][0] == "bench")
    };
    let packages = metadata["packages"].as_array().into_iter().flatten().filter(has_bench);
    let mut names: Vec<String> = packages.filter_map(|package| package["name"].as_str()).map(str::to_owned).collect();
    if let Some(unknown) = wanted.iter().find(|name| !names.contains(name)) {
        bail!("no benchmarks in a package `{unknown}`; there are some in: {}", names.join(", "));
    }
    if !wanted.is_empty() {
        names.retain(|name| wanted.contains(name));
    }
    names.sort();
    Ok(names)
}

fn write(package: &str, measurements: &[Measurement]) -> Result<()> {
    let folder: PathBuf = vgpu::target_folder().join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join(format!("{package}.json"));
    let json = serde_json::to_string_pretty(&results::json(measurements))?;
    fs::write(&path, json + "\n").with_context(|| format!("cannot write {}", path.display()))?;
    println!("written to {}", path.display());
    Ok(())
}
