//! `rocm-trace`: records the events between a HIP, OpenCL or HSA call and the GPU.

mod program;

use crate::program::Signals;
use clap::{Args, Parser, Subcommand, ValueEnum};
use rocm_trace::environment::{self, say};
use rocm_trace::output::{chrome, jsonl, perfetto};
use rocm_trace::page;
use rocm_trace::report::Recording;
use rocm_trace::timeline::Timeline;
use rocm_trace::view::View;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

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
    /// A library is loaded in front of the program (LD_PRELOAD). Statically linked and setuid programs are not
    /// recorded. The exit status is the program's own (128 + N if signal N killed it), 126 if it could not be started,
    /// 127 if there is none of that name, 125 if the recording could not be written. What the processes recorded is
    /// then kept in a folder beside the first output, for `convert`.
    Run(RunArgs),
    /// Write the recording of a folder that `run` has left: when it could not write all, or was interrupted while it
    /// did. The folder stays.
    Convert {
        /// The folder
        folder: PathBuf,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Print the launches of a recording (lines of JSON), what each waited for, and where the time went.
    Report {
        /// The recording: a `.jsonl` file.
        file: PathBuf,
        /// Which launch to show, from 0; the last if not given
        #[arg(long, value_name = "N")]
        launch: Option<usize>,
        /// Leave what came before the first launch out of all sums: starting the runtimes and loading code
        #[arg(long)]
        from_first_launch: bool,
    },
    /// Write a page of HTML that shows a recording (lines of JSON) in a browser, without a network: a time line with
    /// zoom and search, events with their arguments.
    View {
        /// The recording: a `.jsonl` file.
        file: PathBuf,
        /// The page to write; if not given, the recording's name with `.html`
        #[arg(long, short, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Leave what came before the first launch out: starting the runtimes and loading code
        #[arg(long)]
        from_first_launch: bool,
    },
}

#[derive(Args)]
struct OutputArgs {
    /// File to write; may be given several times. Without --format, the format is told by the name: .jsonl, .json
    /// (Chrome) or .pftrace (Perfetto)
    #[arg(long, short, value_name = "FILE", default_value = "rocm-trace.jsonl")]
    out: Vec<PathBuf>,
    /// Format of the file
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The trace that the device itself writes, such as that of `vgpu run --trace FILE`, to be merged
    #[arg(long, value_name = "FILE")]
    device_trace: Option<PathBuf>,
}

#[derive(Args)]
struct RunArgs {
    #[command(flatten)]
    output: OutputArgs,
    /// Also record the log of AMD's runtime for HIP and OpenCL (AMD_LOG_LEVEL=4), which slows the program down
    #[arg(long)]
    runtime_log: bool,
    /// Most bytes that each process may record; what comes after is counted as lost
    #[arg(long, value_name = "BYTES", default_value_t = environment::DEFAULT_LIMIT)]
    limit: u64,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true)]
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
        Task::Convert { folder, output } => {
            output.open().and_then(|files| convert(&folder, files)).map(|_| ExitCode::SUCCESS)
        }
        Task::Report { file, launch, from_first_launch } => report(&file, launch, from_first_launch),
        Task::View { file, out, from_first_launch } => view(&file, out, from_first_launch),
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

/// What a recording is written to, and what it is merged with. They are opened before a program runs, so that it does
/// not run in vain.
struct Files {
    outputs: Vec<(PathBuf, Format, File)>,
    device_trace: Option<(PathBuf, File)>,
}

impl OutputArgs {
    fn open(&self) -> Result<Files, String> {
        let formats = self.out.iter().map(|path| self.format.map_or_else(|| Format::of(path), Ok));
        let formats = formats.collect::<Result<Vec<_>, String>>()?;
        let device_trace = match &self.device_trace {
            Some(path) => Some((path.clone(), open_to_read(path).map_err(|error| cannot_read(path, &error))?)),
            None => None,
        };
        let outputs = self.out.iter().zip(formats).map(|(path, format)| {
            // An older recording stays until there is a new one.
            let file = File::options().write(true).create(true).truncate(false).open(path);
            Ok((path.clone(), format, file.map_err(|error| cannot_write(path, &error))?))
        });
        Ok(Files { outputs: outputs.collect::<Result<_, String>>()?, device_trace })
    }
}

fn open_to_read(path: &Path) -> std::io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() { Err(ErrorKind::IsADirectory.into()) } else { Ok(file) }
}

fn cannot_read(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("cannot read {}: {error}", path.display())
}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

/// Makes the folder of this run.
fn make_folder(beside: &Path) -> Result<PathBuf, String> {
    let path = std::path::absolute(beside).map_err(|error| format!("{}: {error}", beside.display()))?;
    // Processes of several containers may have the same number.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let path = path.with_extension(format!("recording-{}-{}", std::process::id(), now.as_nanos()));
    std::fs::create_dir(&path).map_err(|error| format!("cannot make the folder {}: {error}", path.display()))?;
    Ok(path)
}

fn run(args: RunArgs) -> Result<ExitCode, String> {
    let mut command = Command::new(&args.program[0]);
    command.args(&args.program[1..]);
    bundled_preload::library!().preload(&mut command).map_err(|error| error.to_string())?;
    let files = args.output.open()?;
    let folder = make_folder(&args.output.out[0])?;
    command.env(environment::FOLDER, &folder).env(environment::LIMIT, args.limit.to_string());
    if args.runtime_log {
        command.env("AMD_LOG_LEVEL", "4");
        command.env("AMD_LOG_LEVEL_FILE", folder.join(rocm_trace::log::FILE_STEM));
    }
    let signals = Signals::hold();
    let mut program = match signals.start(&mut command) {
        Ok(program) => program,
        Err(error) => {
            _ = std::fs::remove_dir(&folder);
            say(format_args!("cannot run {}: {error}", args.program[0].display()));
            return Ok(ExitCode::from(if error.kind() == ErrorKind::NotFound { 127 } else { 126 }));
        }
    };
    let status = signals.wait(&mut program);
    signals.wait_for_others(&folder);
    // From here on they end this process, and leave the folder.
    drop(signals);
    match convert(&folder, files) {
        Ok(Converted::Whole) => _ = std::fs::remove_dir_all(&folder),
        Ok(Converted::InPart) => say(format_args!("what was recorded is kept in {}", folder.display())),
        Err(message) => {
            let folder = folder.display();
            return Err(format!("{message}; what was recorded is kept in {folder}, which `rocm-trace convert` reads"));
        }
    }
    let status = status.map_err(|error| format!("cannot wait for the program: {error}"))?;
    // As a shell reports a signal.
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    Ok(ExitCode::from(code as u8))
}

enum Converted {
    Whole,
    /// Files of the folder could not be read, which was said.
    InPart,
}

/// Writes what the processes have left in `folder`.
fn convert(folder: &Path, files: Files) -> Result<Converted, String> {
    let mut failures = Vec::new();
    let mut device_trace = Vec::new();
    if let Some((path, mut file)) = files.device_trace
        && let Err(error) = file.read_to_end(&mut device_trace)
    {
        failures.push(cannot_read(&path, &error));
    }
    let (timeline, unreadable) = Timeline::read(folder, &device_trace).map_err(|error| error.to_string())?;
    for error in &unreadable {
        say(format_args!("{error}; it is left out"));
    }
    let view = View::new(timeline);
    for (path, format, file) in files.outputs {
        if let Err(error) = write(&view, file, format) {
            failures.push(cannot_write(&path, &error));
        }
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
    match failures.is_empty() {
        true if unreadable.is_empty() => Ok(Converted::Whole),
        true => Ok(Converted::InPart),
        false => Err(failures.join("; ")),
    }
}

fn write(view: &View, file: File, format: Format) -> std::io::Result<()> {
    // Pipes have no length.
    if file.metadata()?.is_file() {
        file.set_len(0)?;
    }
    let mut out = BufWriter::new(file);
    match format {
        Format::Jsonl => jsonl::write(view, &mut out)?,
        Format::Chrome => chrome::write(view, &mut out)?,
        Format::Perfetto => perfetto::write(view, &mut out)?,
    }
    out.flush()
}

fn report(file: &Path, launch: Option<usize>, from_first_launch: bool) -> Result<ExitCode, String> {
    let lines = BufReader::new(open_to_read(file).map_err(|error| cannot_read(file, &error))?);
    let mut recording = Recording::read(lines).map_err(|error| cannot_read(file, &error))?;
    if from_first_launch {
        recording.begin_at_the_first_launch();
    }
    // A reader that has seen enough, as `head`, is no failure.
    _ = std::io::stdout().write_all(rocm_trace::report::report(&recording, launch).as_bytes());
    Ok(ExitCode::SUCCESS)
}

fn view(file: &Path, out: Option<PathBuf>, from_first_launch: bool) -> Result<ExitCode, String> {
    let out = out.unwrap_or_else(|| file.with_extension("html"));
    if out == file {
        return Err(format!("{}: the page would take the place of the recording; say --out", file.display()));
    }
    let mut trace = String::new();
    open_to_read(file)
        .and_then(|mut lines| lines.read_to_string(&mut trace))
        .map_err(|error| cannot_read(file, &error))?;
    // Read as for a report first, which says what is no recording.
    let recording = Recording::read(trace.as_bytes()).map_err(|error| cannot_read(file, &error))?;
    let from = recording.first_launch().filter(|_| from_first_launch).unwrap_or(0);
    let program = recording.commands();
    drop(recording);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let page = page::page(&name, &program, &trace, from).map_err(|error| cannot_read(file, &error))?;
    std::fs::write(&out, page.html).map_err(|error| cannot_write(&out, &error))?;
    if page.events > page::MOST_EVENTS {
        say(format_args!(
            "the page shows the first {} of {} events; --from-first-launch begins later",
            page::MOST_EVENTS,
            page.events
        ));
    }
    Ok(ExitCode::SUCCESS)
}
