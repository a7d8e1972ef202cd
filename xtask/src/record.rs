//! `cargo xtask record`: the recordings that the site shows.
#[path = "../../crates/rocm-trace/src/recording.rs"]
mod recording;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use crate::progress;
use crate::stack::{Prepared, Stack};
use crate::vgpu::{self, Build, Options, Vgpu};
use recording::Recording;

/// Records the launches, copies and errors that the site shows, on the virtual GPU, into docs/src/recordings.
///
/// Small programs (docs/recorded, and examples of the crates) run under `rocm-trace`, with the runtime's log, in each
/// stack. The recordings are committed, so that the site can be built without AMD's libraries; run this again when a
/// stack moves or the recorder changes.
#[derive(clap::Args)]
pub struct Args {
    /// Which stacks
    #[arg(long = "stack", value_name = "STACK", default_values = ["trixie", "forky", "experimental"])]
    stacks: Vec<Stack>,
    /// Record only these (see docs/src/recordings)
    names: Vec<String>,
}

/// What is recorded.
struct Case {
    /// Of the files, and of the pages' `data-recording`.
    name: &'static str,
    program: Program,
    fault: Fault,
}

/// A program and what is recorded of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    /// A case of docs/recorded/hip.hip, between its marks. Without the second it is to the end of the process.
    Hip(&'static str),
    /// docs/recorded/opencl.cpp, between its marks.
    OpenCl,
    /// An example of a package, from beginning to end.
    Example(&'static str, &'static str),
}

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Nothing, or what the program does wrong by itself.
    None,
    /// What `vgpu run --faults` takes.
    Always(&'static str),
    /// The same, with the number of the kernel that the program launches between its marks behind `dispatch:`.
    AtKernel(&'static str),
}

const CASES: [Case; 21] = [
    case("first-launch", Program::Hip("first-launch"), Fault::None),
    case("launch", Program::Hip("launch"), Fault::None),
    case("malloc", Program::Hip("malloc"), Fault::None),
    case("copy-small", Program::Hip("copy-small"), Fault::None),
    case("copy-large", Program::Hip("copy-large"), Fault::None),
    case("copy-device", Program::Hip("copy-device"), Fault::None),
    case("stream", Program::Hip("stream"), Fault::None),
    case("wait-event", Program::Hip("wait-event"), Fault::None),
    case("callback", Program::Hip("callback"), Fault::None),
    case("graph", Program::Hip("graph"), Fault::None),
    case("graph-branches", Program::Hip("graph-branches"), Fault::None),
    case("queue", Program::Hip("queue"), Fault::None),
    case("opencl", Program::OpenCl, Fault::None),
    case("aql", Program::Example("rocm-interop", "aql_saxpy"), Fault::None),
    case("kfd", Program::Example("kfd", "saxpy"), Fault::None),
    case("exit", Program::Hip("exit"), Fault::None),
    case("error-kernel", Program::Hip("missing-kernel"), Fault::None),
    case("error-packet", Program::Hip("launch"), Fault::AtKernel("queue-error@dispatch:N=0x20")),
    case("error-instruction", Program::Hip("launch"), Fault::AtKernel("queue-error@dispatch:N=0x40000000")),
    case("error-memory", Program::Hip("fault"), Fault::None),
    case("error-ioctl", Program::Hip("refused"), Fault::Always("ioctl:CREATE_QUEUE:*=ENOMEM")),
];

const fn case(name: &'static str, program: Program, fault: Fault) -> Case {
    Case { name, program, fault }
}

/// Of so many runs the shortest is kept: the others waited for a processor.
const RUNS: usize = 9;
/// Most bytes of a recording: the pages are to load at once.
const LIMIT: usize = 400 << 10;

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    if let Some(unknown) = args.names.iter().find(|name| CASES.iter().all(|case| case.name != *name)) {
        let known: Vec<_> = CASES.iter().map(|case| case.name).collect();
        bail!("there is no recording {unknown}; there are {}", known.join(", "));
    }
    let wanted: Vec<_> =
        CASES.iter().filter(|case| args.names.is_empty() || args.names.iter().any(|name| name == case.name)).collect();
    let vgpu = Vgpu::build(Build::Release)?;
    let rocm_trace = vgpu::rocm_trace(Build::Release)?;
    let mut examples = BTreeMap::new();
    for case in &wanted {
        if let Program::Example(package, example) = case.program {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args(["build", "--release", "--package", package, "--example", example]).current_dir(vgpu::root());
            examples.insert(example, vgpu::built(&mut cargo, example, example)?);
        }
    }
    for stack in args.stacks {
        let recorder = Recorder::new(stack, &vgpu, &rocm_trace, &examples)?;
        for case in &wanted {
            recorder.record(case).with_context(|| format!("recording {} on {}", case.name, stack.name()))?;
        }
    }
    Ok(())
}

/// A stack that is set up, with the programs compiled in it.
struct Recorder<'a> {
    stack: Stack,
    prepared: Prepared,
    vgpu: &'a Vgpu,
    rocm_trace: &'a Path,
    /// By name.
    examples: &'a BTreeMap<&'static str, PathBuf>,
    /// For programs and traces.
    folder: PathBuf,
    versions: serde_json::Value,
}

impl<'a> Recorder<'a> {
    fn new(
        stack: Stack,
        vgpu: &'a Vgpu,
        rocm_trace: &'a Path,
        examples: &'a BTreeMap<&'static str, PathBuf>,
    ) -> Result<Self> {
        let prepared = stack.prepare()?;
        let folder = vgpu::target_folder()?.join("record").join(stack.name());
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let sources = vgpu::root().join("docs/recorded");
        // OpenCL's program without the library of HIP: both have the runtime that writes the log.
        let hip = ["-O2", "--offload-arch=gfx908", "-Wno-unused-result", "-lhsa-runtime64"].as_slice();
        let opencl = ["-O2", "-x", "c++", "-no-hip-rt", "-lOpenCL"].as_slice();
        for (source, program, options) in [("hip.hip", "hip", hip), ("opencl.cpp", "opencl", opencl)] {
            let mut compiler = prepared.command(&[], "hipcc")?;
            compiler.args(options).arg(sources.join(source)).arg("-o").arg(folder.join(program));
            progress::run(&format!("compiling {source} on {}", stack.name()), &mut compiler)?;
        }
        let versions = versions(&prepared)?;
        Ok(Self { stack, prepared, vgpu, rocm_trace, examples, folder, versions })
    }

    fn record(&self, case: &Case) -> Result<()> {
        let faults = match case.fault {
            Fault::None => None,
            Fault::Always(spec) => Some(spec.to_owned()),
            Fault::AtKernel(spec) => {
                let (recording, _) = self.run(case, None)?;
                let number = recording.dispatches().next().context("the program launched no kernel")?;
                Some(spec.replace(":N=", &format!(":{number}=")))
            }
        };
        let mut runs = (0..RUNS).map(|_| self.run(case, faults.as_deref())).collect::<Result<Vec<_>>>()?;
        runs.sort_by_key(|(recording, _)| recording.duration());
        let (recording, output) = &runs[0];
        let command = match case.program {
            Program::Hip(case) => format!("docs/recorded/hip.hip {case}"),
            Program::OpenCl => "docs/recorded/opencl.cpp".into(),
            Program::Example(package, example) => format!("crates/{package}/examples/{example}"),
        };
        let command = faults.map_or(command.clone(), |faults| format!("{command}, with --faults {faults}"));
        let script = recording.script(case.name, self.stack.name(), &self.versions, &command, output);
        ensure!(
            script.len() <= LIMIT,
            "the recording has {} bytes, more than the {LIMIT} that a page may load",
            script.len()
        );
        let folder = vgpu::root().join("docs/src/recordings");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let path = folder.join(format!("{}.{}.js", case.name, self.stack.name()));
        fs::write(&path, &script).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}: {} bytes", path.display(), script.len());
        Ok(())
    }

    /// Runs the program of `case`: what was recorded, and what the program wrote besides its marks.
    fn run(&self, case: &Case, faults: Option<&str>) -> Result<(Recording, String)> {
        let [device, trace] = ["device.jsonl", "trace.jsonl"].map(|name| self.folder.join(name));
        for old in [&device, &trace] {
            if old.exists() {
                fs::remove_file(old).with_context(|| format!("cannot remove {}", old.display()))?;
            }
        }
        let options = Options { trace: Some(device.clone()), faults: faults.map(Into::into), ..Options::default() };
        let mut front = self.vgpu.words(&options);
        front.push(self.rocm_trace.into());
        front.extend(["run", "--runtime-log", "--out"].map(OsString::from));
        front.extend([trace.clone().into(), "--device-trace".into(), device.into(), "--".into()]);
        let (program, argument) = match case.program {
            Program::Hip(case) => (self.folder.join("hip"), Some(case)),
            Program::OpenCl => (self.folder.join("opencl"), None),
            Program::Example(_, example) => (self.examples[example].clone(), None),
        };
        let mut command = self.prepared.command(&front, program)?;
        let output = command.args(argument).current_dir(&self.folder).output().context("cannot start the program")?;
        // Errors that are provoked end some of the programs; what was recorded until then is shown.
        if !output.status.success() && case.fault == Fault::None && !case.name.starts_with("error") {
            bail!("the program failed ({}): {}", output.status, String::from_utf8_lossy(&output.stderr));
        }
        let (begin, end) = match case.program {
            Program::Example(..) => (0, u64::MAX),
            _ => marks(&output)?,
        };
        let text = fs::read_to_string(&trace).with_context(|| format!("cannot read {}", trace.display()))?;
        Ok((Recording::read(&text, begin, end)?, words_of(&output)))
    }
}

/// The times that the program printed. The end is missing when it did not get there, or when its own end is recorded.
fn marks(output: &Output) -> Result<(u64, u64)> {
    let text = String::from_utf8_lossy(&output.stdout);
    let mark = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    let Some(begin) = mark("begin ") else {
        bail!("the program ended before its first mark: {}", String::from_utf8_lossy(&output.stderr));
    };
    Ok((begin, mark("end ").unwrap_or(u64::MAX)))
}

/// What the program wrote, without its marks.
fn words_of(output: &Output) -> String {
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    let lines =
        text.lines().filter(|line| !line.starts_with("begin ") && !line.starts_with("end ") && !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// Versions of AMD's libraries in the stack: those of Debian's packages.
fn versions(prepared: &Prepared) -> Result<serde_json::Value> {
    let mut query = prepared.command(&[], "dpkg-query")?;
    query.args(["--show", "--showformat", "${Package} ${Version}\n"]);
    let output = query.args(["libamdhip64-[0-9]", "libhsa-runtime64-1"]).output().context("cannot start dpkg-query")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let of = |package: &str| {
        // dpkg also shows packages that others only mention, without a version.
        let mut versions =
            text.lines().filter(|line| line.starts_with(package)).filter_map(|line| line.split_once(' '));
        let (_, version) = versions.find(|(_, version)| !version.is_empty())?;
        Some(version.split(['-', '+']).next()?.to_owned())
    };
    let versions = json!({ "HIP": of("libamdhip64"), "ROCr": of("libhsa-runtime64") });
    ensure!(
        versions["HIP"].is_string(),
        "dpkg knows no HIP in this stack: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(versions)
}

/// The names of all recordings.
#[cfg(test)]
pub fn names() -> impl Iterator<Item = &'static str> {
    CASES.iter().map(|case| case.name)
}

/// Where the recordings are.
pub fn folder() -> PathBuf {
    vgpu::root().join("docs/src/recordings")
}
