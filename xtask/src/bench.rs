//! `cargo xtask bench`: the benchmarks, each next to the reference measured in the same run.
mod plot;
mod results;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::apt;
use crate::stack::{Device, Stack};
use crate::test::HOST_PACKAGES;
use crate::vgpu::{self, Artifacts, Build, HostIsa, Options, Vgpu};
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
    /// What the benchmarks of `stack-tests` find as GPU; the figures of a real one go to
    /// target/bench/stack-tests-real.json
    #[arg(long, value_enum, default_value_t = Device::Virtual)]
    device: Device,
    /// Hide from the benchmarks, and from the virtual GPU, what the processor has beyond this level of x86-64
    #[arg(long, value_enum, value_name = "LEVEL")]
    host_isa: Option<HostIsa>,
    /// Draw the times over the sizes, of benchmarks whose parameter is a number of bytes, to this SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Arguments for criterion, such as --quick or a part of a benchmark's name
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

/// The package whose benchmarks run in a stack.
const STACK_TESTS: &str = "stack-tests";

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    if args.device == Device::Virtual {
        vgpu::leave_out_the_machines_gpus(args.stack);
    }
    if let Some(isa) = args.host_isa {
        isa.hide_better_ones();
    }
    let mut measured = false;
    for (package, benches) in &packages_with_benches(&args.packages)? {
        println!("\n=== {package}");
        let figures = vgpu::target_folder()?.join("criterion").join(package);
        match fs::remove_dir_all(&figures) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot remove {}", figures.display()));
            }
            _ => {}
        }
        run(package, benches, &figures, &args)?;
        // Criterion makes the folder for the first figure.
        let measurements = if figures.exists() { results::collect(&figures)? } else { Vec::new() };
        if measurements.is_empty() {
            println!("no benchmark of {package} was run");
            continue;
        }
        measured = true;
        results::print(&measurements);
        let stack_tests = package == STACK_TESTS;
        write(&file(if stack_tests { args.device } else { Device::Virtual }, package)?, &measurements)?;
        if let (Some(path), Some(svg)) = (&args.plot, plot::svg(&measurements)) {
            fs::write(path, svg).with_context(|| format!("cannot write {}", path.display()))?;
            println!("drawn to {}", path.display());
        }
    }
    if !measured {
        bail!("no benchmark was run; the arguments for criterion were {:?}", args.arguments);
    }
    Ok(())
}

fn run(package: &str, benches: &[String], figures: &Path, args: &Args) -> Result<()> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(vgpu::root()).args(["bench", "--package", package]);
    // By name: `--benches` would run the library's unit tests too, which do not know criterion's arguments.
    cargo.args(benches.iter().flat_map(|bench| ["--bench", bench]));
    if package != STACK_TESTS {
        apt::ensure(HOST_PACKAGES, "benchmarks on the host")?;
        cargo.arg("--").args(&args.arguments).env("CRITERION_HOME", figures);
        return succeed(&mut cargo);
    }
    let prepared = args.stack.prepare()?;
    let front = match args.device {
        Device::Real => Vec::new(),
        Device::Virtual => Vgpu::build(Build::Release)?.words(&Options::default()),
    };
    let rocm_trace = vgpu::rocm_trace(Build::Release)?;
    for program in Artifacts::build_tests(&mut cargo)?.tests() {
        let mut command = prepared.command(&front, &program.path)?;
        program.in_its_folder(&mut command).arg("--bench").args(&args.arguments);
        command.env("CRITERION_HOME", figures);
        command.env("STACK_TESTS_ROCM_TRACE", &rocm_trace);
        command.env("STACK_TESTS_STACK", args.stack.name()).env("STACK_TESTS_TARGET", vgpu::target_folder()?);
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

/// The workspace's packages that have benchmarks, or those of them that are in `wanted`, with the benchmarks' names.
fn packages_with_benches(wanted: &[String]) -> Result<BTreeMap<String, Vec<String>>> {
    let metadata = vgpu::metadata()?;
    let mut found = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let targets = package["targets"].as_array().into_iter().flatten();
        let benches = targets.filter(|target| target["kind"][0] == "bench");
        let benches: Vec<String> = benches.filter_map(|bench| bench["name"].as_str()).map(str::to_owned).collect();
        if let (Some(name), false) = (package["name"].as_str(), benches.is_empty()) {
            found.insert(name.to_owned(), benches);
        }
    }
    if let Some(unknown) = wanted.iter().find(|name| !found.contains_key(*name)) {
        let names: Vec<&str> = found.keys().map(String::as_str).collect();
        bail!("no benchmarks in a package `{unknown}`; there are some in: {}", names.join(", "));
    }
    if !wanted.is_empty() {
        found.retain(|name, _| wanted.contains(name));
    }
    Ok(found)
}

/// Where the figures of a package go.
fn file(device: Device, package: &str) -> Result<PathBuf> {
    let of = match device {
        Device::Virtual => "",
        Device::Real => "-real",
    };
    Ok(vgpu::target_folder()?.join("bench").join(format!("{package}{of}.json")))
}

/// Medians in nanoseconds of the benchmarks of `stack-tests` that ran last on a device, by name; nothing if none did.
///
/// # Errors
/// If they are there and cannot be read.
pub fn figures(device: Device) -> Result<Option<BTreeMap<String, f64>>> {
    let path = file(device, STACK_TESTS)?;
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text.with_context(|| format!("cannot read {}", path.display()))?,
    };
    let rows: Vec<Value> = serde_json::from_str(&text).with_context(|| format!("cannot read {}", path.display()))?;
    let named = |row: &Value| {
        let parts = ["group", "function", "parameter"].map(|part| row[part].as_str());
        Some((parts.into_iter().flatten().collect::<Vec<_>>().join(" / "), row["median_ns"].as_f64()?))
    };
    Ok(Some(rows.iter().filter_map(named).collect()))
}

fn write(path: &Path, measurements: &[Measurement]) -> Result<()> {
    let folder = path.parent().expect("figures are in a folder");
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let json = serde_json::to_string_pretty(&results::json(measurements))?;
    fs::write(path, json + "\n").with_context(|| format!("cannot write {}", path.display()))?;
    println!("written to {}", path.display());
    Ok(())
}
