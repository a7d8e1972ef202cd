//! `rocm-trace`: records what happens between a call of HIP, OpenCL or HSA and the GPU.

use clap::{Args, Parser, Subcommand, ValueEnum};
use rocm_trace::environment::{self, say};
use rocm_trace::output::{chrome, jsonl, perfetto};
use rocm_trace::report::Recording;
use rocm_trace::timeline::Timeline;
use rocm_trace::view::View;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicI32, Ordering};

/// Records what happens between a call of HIP, OpenCL or HSA and the GPU, for any program as it is.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run a program, and its children, and record it.
    ///
    /// A library is loaded in front of the program (LD_PRELOAD). Statically linked and setuid programs are not recorded. The exit status is the program's own
    /// (128 + N if signal N killed it), 126 if it could not be started, 127 if there is none of that name, 125 if the recording could not be written.
    Run(RunArgs),
    /// Print the launches of a recording (lines of JSON), what each waited for, and where the time went.
    Report {
        /// The recording: a `.jsonl` file.
        file: PathBuf,
        /// Which launch to show, from 0; the last if not given
        #[arg(long, value_name = "N")]
        launch: Option<usize>,
    },
}

#[derive(Args)]
struct RunArgs {
    /// File to write; may be given several times. Without --format, the format is told by the name: .jsonl, .json (Chrome) or .pftrace (Perfetto)
    #[arg(long, short, value_name = "FILE", default_value = "rocm-trace.jsonl")]
    out: Vec<PathBuf>,
    /// Format of the file
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The trace that the device itself writes, such as that of `vgpu run --trace FILE`, to be merged
    #[arg(long, value_name = "FILE")]
    device_trace: Option<PathBuf>,
    /// Also record the log of AMD's runtime for HIP and OpenCL (AMD_LOG_LEVEL=4), which slows the program down
    #[arg(long)]
    runtime_log: bool,
    /// Most bytes that each process may record; what comes after is counted as lost
    #[arg(long, value_name = "BYTES", default_value_t = environment::DEFAULT_LIMIT)]
    limit: u64,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<OsString>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Perfetto's TrackEvent protobuf, for ui.perfetto.dev
    Perfetto,
    /// Chrome's JSON, for Perfetto, speedscope and browsers
    Chrome,
    /// One JSON object a line, for scripts and `rocm-trace report`
    Jsonl,
}

/// Exit status when the recorder itself failed.
const FAILED: u8 = 125;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Task::Run(args) => run(args),
        Task::Report { file, launch } => report(&file, launch),
    };
    result.unwrap_or_else(|message| {
        say(format_args!("{message}"));
        ExitCode::from(FAILED)
    })
}

impl Format {
    fn of(path: &Path) -> Result<Format, String> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("jsonl") => Ok(Format::Jsonl),
            Some("json") => Ok(Format::Chrome),
            Some("pftrace" | "perfetto-trace") => Ok(Format::Perfetto),
            _ => Err(format!(
                "{}: the name does not tell the format; say --format, or name it .jsonl, .json or .pftrace",
                path.display()
            )),
        }
    }
}

/// A folder of this run, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(beside: &Path) -> Result<Folder, String> {
        let path = std::path::absolute(beside).map_err(|error| format!("{}: {error}", beside.display()))?;
        // Processes of several containers may have the same number.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let path = path.with_extension(format!("recording-{}-{}", std::process::id(), now.as_nanos()));
        std::fs::create_dir(&path).map_err(|error| format!("cannot make the folder {}: {error}", path.display()))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The program, while it runs.
static PROGRAM: AtomicI32 = AtomicI32::new(0);

extern "C" fn pass_on(signal: libc::c_int) {
    let program = PROGRAM.load(Ordering::Relaxed);
    if program > 0 {
        // SAFETY: kill may be called in signal handlers.
        unsafe { libc::kill(program, signal) };
    }
}

extern "C" fn nothing(_: libc::c_int) {}

fn run(args: RunArgs) -> Result<ExitCode, String> {
    let outputs: Vec<_> = args
        .out
        .iter()
        .map(|path| Ok((path.clone(), args.format.map_or_else(|| Format::of(path), Ok)?)))
        .collect::<Result<_, String>>()?;
    let mut command = Command::new(&args.program[0]);
    command.args(&args.program[1..]);
    bundled_preload::library!().preload(&mut command).map_err(|error| error.to_string())?;
    let folder = Folder::new(&args.out[0])?;
    command.env(environment::FOLDER, &folder.0).env(environment::LIMIT, args.limit.to_string());
    if args.runtime_log {
        command.env("AMD_LOG_LEVEL", "4");
        command.env("AMD_LOG_LEVEL_FILE", folder.0.join(rocm_trace::log::FILE_STEM));
    }
    // The terminal sends these to the program too, which decides; others end the program through this one. Handlers, not ignoring, which the program would inherit.
    for (signal, handler) in [
        (libc::SIGINT, nothing as extern "C" fn(libc::c_int)),
        (libc::SIGQUIT, nothing),
        (libc::SIGTERM, pass_on),
        (libc::SIGHUP, pass_on),
    ] {
        // SAFETY: the handlers only do what signal handlers may do.
        unsafe { libc::signal(signal, handler as *const () as libc::sighandler_t) };
    }
    let mut program = match command.spawn() {
        Ok(program) => program,
        Err(error) => {
            say(format_args!("cannot run {}: {error}", args.program[0].display()));
            return Ok(ExitCode::from(if error.kind() == ErrorKind::NotFound { 127 } else { 126 }));
        }
    };
    PROGRAM.store(program.id() as i32, Ordering::Relaxed);
    let status = program.wait().map_err(|error| format!("cannot wait for the program: {error}"))?;
    PROGRAM.store(0, Ordering::Relaxed);
    let timeline = Timeline::read(&folder.0, args.device_trace.as_deref()).map_err(|error| error.to_string())?;
    let view = View::new(timeline);
    for (path, format) in &outputs {
        write(&view, path, *format).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    for (disk_full, reason) in [(false, "--limit sets how much a process may record"), (true, "the disk was full")] {
        let processes = view.timeline.processes.iter().filter(|process| process.disk_full == disk_full);
        let lost: u64 = processes.map(|process| process.lost).sum();
        if lost > 0 {
            say(format_args!("{lost} events were lost: {reason}"));
        }
    }
    if view.timeline.processes.is_empty() {
        say(format_args!(
            "the program called nothing of HIP, OpenCL, HSA or the driver, or is one that cannot be recorded"
        ));
    }
    // As a shell reports a signal.
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    Ok(ExitCode::from(code as u8))
}

fn write(view: &View, path: &Path, format: Format) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    match format {
        Format::Jsonl => jsonl::write(view, &mut out)?,
        Format::Chrome => chrome::write(view, &mut out)?,
        Format::Perfetto => perfetto::write(view, &mut out)?,
    }
    out.flush()
}

fn report(file: &Path, launch: Option<usize>) -> Result<ExitCode, String> {
    let with_name = |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", file.display());
    let lines = BufReader::new(File::open(file).map_err(|error| with_name(&error))?);
    let recording = Recording::read(lines).map_err(|error| with_name(&error))?;
    // A reader that has seen enough, as `head`, is no failure.
    _ = std::io::stdout().write_all(rocm_trace::report::report(&recording, launch).as_bytes());
    Ok(ExitCode::SUCCESS)
}
