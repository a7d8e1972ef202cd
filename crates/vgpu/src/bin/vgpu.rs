//! `vgpu`: runs programs on the virtual GPU.

use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use vgpu::config::{self, MAX_GPUS};
use vgpu::profile::{PROFILES, Profile};
use vgpu::support;

/// A software AMD Instinct MI100 for programs that use ROCm (HIP, OpenCL, HSA) on a machine without a GPU.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run a program, and its children, with the virtual GPU.
    ///
    /// The device is a library that is loaded in front of the program (LD_PRELOAD) and answers the libc calls that concern
    /// /dev/kfd, /dev/dri and the GPU's files in /sys. Statically linked programs, and those that make system calls without libc,
    /// do not see it. Nothing is written to disk, and nothing is left when the program ends or is killed.
    ///
    /// `vgpu` becomes the program: process id, signals and exit status (128 + N in a shell if signal N kills it) are the
    /// program's own. The status is 126 or 127 if it could not be started, 125 if vgpu itself failed.
    Run(RunArgs),
    /// Print what the GPU models are.
    Info {
        /// Only this model.
        #[arg(long, value_parser = profile)]
        gpu: Option<&'static Profile>,
    },
    /// Print which requests of the kernel's interface the device serves, and how.
    Support {
        /// As Markdown tables.
        #[arg(long)]
        markdown: bool,
    },
}

#[derive(Args)]
struct RunArgs {
    /// The GPU model.
    #[arg(long, default_value = "mi100", value_parser = profile)]
    gpu: &'static Profile,
    /// How many GPUs; several are connected to each other by xGMI.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_GPUS)))]
    gpus: u32,
    /// Append a trace to this file: one line of JSON for each ioctl, packet, dispatch, signal and interrupt.
    #[arg(long)]
    trace: Option<PathBuf>,
    /// Faults to inject.
    #[arg(long)]
    faults: Option<String>,
    /// Run packets, queues and waves in another legal order, chosen by this number; the same number gives the same choices.
    #[arg(long)]
    schedule: Option<u64>,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<OsString>,
}

fn profile(name: &str) -> Result<&'static Profile, String> {
    Profile::by_name(name).ok_or_else(|| {
        let known: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
        format!("no such model; there are: {}", known.join(", "))
    })
}

/// Status of `vgpu` when it cannot do its own part.
const FAILED: u8 = 125;

fn main() -> ExitCode {
    match Cli::parse().command {
        Task::Run(args) => run(args),
        Task::Info { gpu } => {
            for profile in PROFILES.iter().filter(|profile| gpu.is_none_or(|gpu| gpu.name == profile.name)) {
                println!("{profile:#?}");
            }
            ExitCode::SUCCESS
        }
        Task::Support { markdown } => {
            print!("{}", if markdown { support::markdown() } else { support::text() });
            ExitCode::SUCCESS
        }
    }
}

/// The device library: beside this program, or where cargo puts it for tests.
fn library() -> Result<PathBuf, String> {
    const NAME: &str = "libvgpu.so";
    let program = std::env::current_exe().map_err(|error| format!("cannot find out where this program is: {error}"))?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let candidates = [folder.join(NAME), folder.join("deps").join(NAME)];
    // Cargo leaves the one for tests in `deps` without renewing the other: the newest is the one just built.
    let built = |path: &PathBuf| path.metadata().and_then(|metadata| metadata.modified()).ok();
    candidates.iter().filter(|path| path.is_file()).max_by_key(|path| built(path)).cloned().ok_or_else(|| {
        let [beside, deps] = candidates.map(|path| path.display().to_string());
        format!(
            "the device library is missing: neither {beside} nor {deps} exists; build it with `cargo build -p vgpu`"
        )
    })
}

fn run(args: RunArgs) -> ExitCode {
    let library = match library() {
        Ok(library) => library,
        Err(message) => {
            eprintln!("vgpu: {message}");
            return ExitCode::from(FAILED);
        }
    };
    let mut preload = library.into_os_string();
    // Behind the device, what was there already keeps working.
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preload.push(":");
        preload.push(others);
    }
    let mut command = Command::new(&args.program[0]);
    command.args(&args.program[1..]).env("LD_PRELOAD", preload);
    command.env(config::GPU, args.gpu.name).env(config::GPUS, args.gpus.to_string());
    let optional = [
        (config::TRACE, args.trace.map(|path| std::path::absolute(&path).unwrap_or(path).into_os_string())),
        (config::FAULTS, args.faults.map(OsString::from)),
        (config::SCHEDULE, args.schedule.map(|seed| OsString::from(seed.to_string()))),
    ];
    for (name, value) in optional {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    // The program takes the place of this one: its process id, its signals and its exit status are its own.
    let error = command.exec();
    eprintln!("vgpu: cannot run {}: {error}", args.program[0].display());
    ExitCode::from(if error.kind() == std::io::ErrorKind::NotFound { 127 } else { 126 })
}
