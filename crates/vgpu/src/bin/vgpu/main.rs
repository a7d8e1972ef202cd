//! `vgpu`: runs programs on the virtual GPU.

mod check;

use clap::{Args, CommandFactory, Parser, Subcommand};
use gcn::exec::{Compile, Simd, SimdError};
use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use vgpu::driver::config::{self, MAX_GPUS};
use vgpu::driver::kfd::IOCTLS;
use vgpu::driver::support_table;
use vgpu::faults::{self, Faults};
use vgpu::hardware::bugs::{BUGS, HardwareBugs};
use vgpu::hardware::profile::{Models, NoMachine, PROFILES, Profile};
use vgpu::hardware::schedule::Schedule;
use vgpu::log::say;

/// A software AMD Instinct MI100, MI210 or MI300X for programs that use ROCm (HIP, OpenCL, HSA) on a machine without a
/// GPU.
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
    /// The device is a library that is loaded in front of the program (LD_PRELOAD) and answers the libc calls that
    /// concern /dev/kfd, /dev/dri and the GPU's files in /sys. It is beside `vgpu`, or is unpacked once to
    /// $XDG_CACHE_HOME/vgpu. Statically linked programs, and those that make system calls without libc, do not see it.
    /// The GPU's memory is the program's: nothing of it is left when the program ends or is killed. Each buffer object
    /// takes a file descriptor (from 1024 up); the soft limit of descriptors is raised to the hard one for them.
    ///
    /// `vgpu` becomes the program: process id, signals and exit status (128 + N in a shell if signal N kills it) are
    /// the program's own. The status is 126 if the program could not be started, 127 if there is none of that name, 125
    /// if vgpu itself failed, 2 if its own arguments make no sense.
    Run(RunArgs),
    /// Run a program, and its children, with the virtual GPU, and find accesses of its kernels to memory that it did
    /// not ask for, and races in LDS and device memory, of waves, kernels and copies.
    ///
    /// Found are accesses behind the end of an allocation of HIP, OpenCL or HSA, and of memory that is freed, though
    /// the driver maps whole pages; accesses outside of the LDS that a work-group has, and of the private memory that a
    /// work-item has; loads behind a kernel's arguments; accesses of two of its waves to the same place in LDS, one of
    /// which stores, without a barrier between them; the same in device memory, also of two work-groups between which
    /// no flag is that one sets and the other waits for; the same of two kernels, or a kernel and a copy, of which
    /// neither waits for the other; and, with `--only init`, loads from LDS where no wave has written. The program goes
    /// on as if nobody looked. What was found is on standard error when it has ended: kernel, line (if it was compiled
    /// with -g), instruction, work-item, address, and who allocated what is next to it.
    ///
    /// The exit status is 1 if something was found, otherwise the program's own (128 + N if signal N killed it), and
    /// 125 to 127 as of `vgpu run`. It is 3 if no kernel ran, so that nothing was looked at, and the program's own
    /// status is 0.
    Check(CheckArgs),
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
    #[command(flatten)]
    device: DeviceArgs,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true)]
    program: Vec<OsString>,
}

#[derive(Args)]
struct CheckArgs {
    /// Write what was found to this file too, as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write what was found to this file too, as SARIF 2.1.0, which code hosts show beside the lines. Files below the
    /// working directory are named from there.
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Look for these only: a list, separated by commas. What is not looked for takes no time. `init` is not looked for
    /// unless it is named: programs that are right do it too, in work-items that throw the value away. Of 61 transforms
    /// of rocFFT it told nine kernels so, of rocBLAS, rocSOLVER and rocRAND none. Device memory does not begin with
    /// zeros then. `exit`, `wait` and `leak` are told only if they are named, too.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "memory,race,sync,stream")]
    only: Vec<check::Kind>,
    /// Do not tell, nor fail, of findings that a line of this file names: the finding as JSON has it or *, and
    /// kernel=PATTERN or line=PATTERN or both, where * is any text. `race kernel=sum(* line=*/sum.hip:12` is one. Lines
    /// that name no finding are told.
    #[arg(long, value_name = "FILE")]
    suppress: Option<PathBuf>,
    /// Fail of findings in kernels of AMD's runtime too, which a program cannot change. Without it they are told, and
    /// no failure.
    #[arg(long)]
    fail_on_runtime: bool,
    /// How many seconds a program that ends waits for kernels and copies that it did not wait for, so that they are
    /// looked at. What has not completed then is told, and the exit status is 1.
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(..=86_400))]
    at_exit: u64,
    /// Run the program under the schedules 1 to N (--schedule), until one fails: something is found, or the program's
    /// exit status is not 0. Those of even number have caches too (--caches), drawn from the same number, unless that
    /// option is given. Of the one that fails it is then tried how few turns of waves in its order are enough, by
    /// running the program some more times without its output.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "schedule")]
    seeds: Option<u64>,
    /// Run the program once, as --seeds did with this number, or with so many turns of waves in its order (SEED:TURNS),
    /// and show for each finding the last instructions of the wave, or of both waves of a race, up to the access.
    /// Slower.
    #[arg(long, value_name = "SEED[:TURNS]", conflicts_with_all = ["schedule", "seeds"])]
    replay: Option<Schedule>,
    #[command(flatten)]
    device: DeviceArgs,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true)]
    program: Vec<OsString>,
}

/// The device that the program gets.
#[derive(Args, Clone)]
struct DeviceArgs {
    /// The GPU model, or a list, separated by commas, of each GPU's. A model with a mode (mi300x:dpx, mi300x:qpx,
    /// mi300x:cpx) is a card divided into several GPUs.
    #[arg(long, value_name = "MODELS", default_value = "mi100", overrides_with = "gpu")]
    gpu: Models,
    /// How many GPUs, as many as --gpu names if it is not given; those of a model are connected to each other by xGMI,
    /// others by PCI Express, unless --unlinked is given.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_GPUS)))]
    gpus: Option<u32>,
    /// Several GPUs cannot use each other's memory: they have no xGMI, and the bridges between them pass no requests
    /// on.
    #[arg(long)]
    unlinked: bool,
    /// Append a trace to this file: one line of JSON for each ioctl, packet, dispatch, signal and interrupt.
    #[arg(long)]
    trace: Option<PathBuf>,
    /// Let things go wrong: a list, separated by commas, of ioctl:NAME:N=ERRNO the N-th call (from 1; * for all) of the
    /// ioctl AMDKFD_IOC_NAME fails and does nothing, except that DESTROY_QUEUE gives the queue up when it answers
    /// ETIME, as Linux does vram=SIZE the GPU has only so much memory (K, M, G) queue-error@dispatch:N=CODE dispatch N
    /// stops its queue with this error code: 0x2 dimensions, 0x4 LDS, 0x8 no kernel, 0x20 packet, 0x40 work-group, 0x80
    /// registers, 0x100 vendor packet, 0x20000000 aperture, 0x40000000 illegal instruction, 0x80000000 trap
    /// memory-fault@dispatch:N dispatch N faults at address 0, after which no queue of the process runs on that GPU
    /// hang@dispatch:N dispatch N never ends
    #[arg(long, value_name = "SPEC", value_parser = faults, verbatim_doc_comment)]
    faults: Option<String>,
    /// Run packets, queues, work-groups and waves in another legal order, chosen by this number; the same number gives
    /// the same choices to a program that gives its work in the same portions. With SEED:TURNS, work-groups and waves
    /// have the usual order behind so many turns of waves.
    #[arg(long, value_name = "SEED[:TURNS]")]
    schedule: Option<Schedule>,
    /// See a packet only when a doorbell at or past it rang, as hardware does. A packet that waits for one for a second
    /// is named on standard error. Each doorbell takes some ten microseconds more.
    #[arg(long)]
    strict_doorbells: bool,
    /// Give the GPU caches, which keep what they may for as long as this number has it: a program that lacks a fence, a
    /// scope or a flush then meets old data. Much slower.
    #[arg(long, value_name = "SEED")]
    caches: Option<u64>,
    /// When kernels are compiled for the host: after they ran so many times (0: at once), or `never`. They compute the
    /// same. Without it, after some hundred times.
    #[arg(long, value_name = "RUNS", value_parser = compile)]
    compile: Option<String>,
    /// The host's vector instructions that kernels are executed with, as a level of x86-64: `baseline`, `v3` (AVX2) or
    /// `v4` (AVX-512). They compute the same. Without it, what GCN_HOST_ISA names, or the best that the processor has.
    #[arg(long, value_name = "LEVEL", value_parser = host_isa)]
    host_isa: Option<Simd>,
    #[arg(long, value_name = "LIST", num_args = 0..=1, require_equals = true, default_missing_value = "all", value_parser = hardware_bugs, help = about_hardware_bugs())]
    hardware_bugs: Option<String>,
}

fn profile(name: &str) -> Result<&'static Profile, NoMachine> {
    Profile::by_name(name).ok_or_else(|| NoMachine::UnknownModel(name.to_owned()))
}

fn about_hardware_bugs() -> String {
    let mut text = "Let the hardware misbehave as it is known to: all bugs of the GPU, or those named in a list, separated by commas. What happens at \
                    random is drawn from the number of --schedule"
        .to_owned();
    for bug in BUGS {
        text += &format!("\n  {:14} {}", bug.name, bug.about);
    }
    text
}

/// Checks a list of bugs, which the device itself will parse.
fn hardware_bugs(list: &str) -> Result<String, String> {
    list.parse::<HardwareBugs>().map(|_| list.to_owned()).map_err(|error| error.to_string())
}

/// Checks when to compile, which the device itself will parse.
fn compile(when: &str) -> Result<String, String> {
    when.parse::<Compile>().map(|_| when.to_owned())
}

/// The vector instructions, if this host has them.
fn host_isa(level: &str) -> Result<Simd, SimdError> {
    level.parse::<Simd>()?.ensure()
}

/// Checks a fault specification, which the device itself will parse.
fn faults(spec: &str) -> Result<String, String> {
    let faults: Faults = spec.parse().map_err(|error: faults::ParseError| error.to_string())?;
    let known: Vec<&str> = IOCTLS.iter().map(|ioctl| ioctl.name.trim_start_matches("AMDKFD_IOC_")).collect();
    match faults::ioctl_names(&faults).find(|name| !known.contains(name)) {
        Some(name) => Err(format!("no ioctl is called {name}; there are: {}", known.join(", "))),
        None => Ok(spec.to_owned()),
    }
}

/// Status of `vgpu` when it cannot do its own part.
const FAILED: u8 = 125;

fn main() -> ExitCode {
    match Cli::parse().command {
        Task::Run(args) => run(args),
        Task::Check(args) => check::check(args),
        Task::Info { gpu } => {
            let mut text = String::new();
            for profile in PROFILES.iter().filter(|profile| gpu.is_none_or(|gpu| gpu.name == profile.name)) {
                text.push_str(&info(profile));
            }
            print(&text)
        }
        Task::Support { markdown } => print(&if markdown { support_table::markdown() } else { support_table::text() }),
    }
}

/// Writes to standard output. A reader that has had enough (`| head`) is no failure.
fn print(text: &str) -> ExitCode {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            say(format_args!("cannot write to standard output: {error}"));
            ExitCode::from(FAILED)
        }
        _ => ExitCode::SUCCESS,
    }
}

fn info(profile: &Profile) -> String {
    let save = profile.context_save();
    let (of_xccs, of_xcc) = match profile.xccs {
        1 => (String::new(), ""),
        xccs => (format!(" of {xccs} XCCs"), " an XCC"),
    };
    let engines = profile.shader_engines * profile.xccs;
    let partition = match profile.partitions {
        1 => String::new(),
        partitions => {
            format!(" ({} partitions of a card in mode {}, of which this is one)", partitions, profile.mode())
        }
    };
    let units = format!("{} in {engines} shader engines{of_xccs}", profile.compute_units);
    let rows = [
        ("model", format!("{}{partition}", profile.name)),
        ("product", profile.product.to_owned()),
        ("instruction set", profile.target.to_string()),
        ("PCI device", format!("1002:{:04x} revision {}", profile.device_id, profile.pci_revision)),
        ("compute units", units),
        ("waves", format!("{} on each of {} SIMDs of a compute unit", profile.waves_per_simd, profile.simds_per_cu)),
        ("local memory", format!("{} KiB a compute unit", profile.lds_bytes >> 10)),
        ("device memory", format!("{} MiB, visible to the host", profile.vram_bytes >> 20)),
        ("clocks", format!("{} MHz core, {} MHz memory", profile.core_clock_mhz, profile.memory_clock_mhz)),
        ("SDMA engines", format!("{} for PCIe, {} for xGMI", profile.sdma_engines, profile.sdma_xgmi_engines)),
        ("context save area", format!("{} bytes{of_xcc}, of which control stack {}", save.area, save.control_stack)),
    ];
    rows.iter().map(|(name, value)| format!("{name:18} {value}\n")).collect()
}

fn run(args: RunArgs) -> ExitCode {
    match command(args.device, &args.program) {
        // The program takes the place of this one: its process id, its signals and its exit status are its own.
        Ok((mut command, _)) => not_started(&args.program, &command.exec()),
        Err(status) => status,
    }
}

/// Says why the program could not be started.
fn not_started(program: &[OsString], error: &std::io::Error) -> ExitCode {
    say(format_args!("cannot run {}: {error}", program[0].display()));
    ExitCode::from(if error.kind() == ErrorKind::NotFound { 127 } else { 126 })
}

/// Inside another `vgpu`, the program gets the device of this one only, which is `library`. Says so.
fn leave_other_device(command: &mut Command, library: &Path) {
    const PRELOAD: &str = "LD_PRELOAD";
    let loaded = std::env::var_os(PRELOAD).unwrap_or_default();
    // Separated by blanks or colons.
    let entries = |list: &OsStr| -> Vec<OsString> {
        let parts = list.as_bytes().split(|byte| *byte == b' ' || *byte == b':').filter(|part| !part.is_empty());
        parts.map(|part| OsStr::from_bytes(part).to_owned()).collect()
    };
    let is_device =
        |path: &OsString| Path::new(path).file_name().is_some_and(|name| name.as_bytes().starts_with(b"libvgpu"));
    let Some(other) = std::env::var_os(config::GPU).filter(|_| entries(&loaded).iter().any(is_device)) else { return };
    say(format_args!(
        "started inside another vgpu, which has a device for --gpu {}: the program gets a device of this command's options, and not that one",
        other.display()
    ));
    let others = entries(&loaded).into_iter().filter(|path| !is_device(path));
    let list: Vec<OsString> = std::iter::once(library.as_os_str().to_owned()).chain(others).collect();
    command.env(PRELOAD, list.join(OsStr::new(":")));
}

/// What starts `program` with the device, and the device's library. It fails with a status, having said why.
fn command(args: DeviceArgs, program: &[OsString]) -> Result<(Command, PathBuf), ExitCode> {
    let models = match args.gpu.of_machine(args.gpus, MAX_GPUS) {
        Ok(models) => models,
        Err(error) => Cli::command().error(clap::error::ErrorKind::ValueValidation, format!("--gpu: {error}")).exit(),
    };
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]);
    let failed = |what: std::fmt::Arguments<'_>| {
        say(what);
        ExitCode::from(FAILED)
    };
    let library = bundled_preload::library!().preload(&mut command).map_err(|error| failed(format_args!("{error}")))?;
    match args.host_isa {
        Some(level) => {
            command.env(Simd::VARIABLE, level.to_string());
        }
        None => {
            Simd::chosen().map_err(|error| failed(format_args!("{}: {error}", Simd::VARIABLE)))?;
        }
    }
    leave_other_device(&mut command, &library);
    let trace = args.trace.map(|path| std::path::absolute(&path).unwrap_or(path));
    if let Some(path) = &trace
        && let Err(error) = std::fs::OpenOptions::new().append(true).create(true).open(path)
    {
        return Err(failed(format_args!("cannot write the trace {}: {error}", path.display())));
    }
    let names: Vec<&str> = models.iter().map(|profile| profile.name).collect();
    command.env(config::GPU, names.join(","));
    command.env(config::RUN, format!("{}-{}", std::process::id(), vgpu::time::monotonic_raw_ns()));
    let number = |number: Option<u64>| number.map(|number| OsString::from(number.to_string()));
    let optional = [
        (config::TRACE, trace.map(PathBuf::into_os_string)),
        (config::UNLINKED, args.unlinked.then(|| OsString::from("1"))),
        (config::FAULTS, args.faults.map(OsString::from)),
        (config::STRICT_DOORBELLS, args.strict_doorbells.then(|| OsString::from("1"))),
        (config::SCHEDULE, args.schedule.map(|schedule| OsString::from(schedule.to_string()))),
        (config::CACHES, number(args.caches)),
        (config::COMPILE, args.compile.map(OsString::from)),
        (config::HARDWARE_BUGS, args.hardware_bugs.map(OsString::from)),
        // Those are for `vgpu check`.
        (config::CHECK, None),
        (config::CHECK_ONLY, None),
        (config::CHECK_TRAILS, None),
    ];
    for (name, value) in optional {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Ok((command, library))
}
