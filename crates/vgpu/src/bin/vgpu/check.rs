//! `vgpu check`: runs a program, collects the findings of its processes, and reports them when the program has ended.

mod calls;
mod fewest;
mod files;
mod report;
mod sarif;
mod suppress;
mod trail;

use crate::{CheckArgs, DeviceArgs, FAILED, command, not_started};
use clap::ValueEnum;
use fewest::{Came, fewest};
use files::Files;
use report::{Finding, counted};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use suppress::Suppressions;
use vgpu::driver::config;
use vgpu::hardware::checks::{findings, kinds};
use vgpu::hardware::schedule::Schedule;
use vgpu::log::say;

/// Kinds of checks.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Accesses outside of the program's allocations, LDS, private memory and arguments.
    Memory,
    /// Accesses of LDS and device memory that nothing orders, of waves of a kernel.
    Race,
    /// Barriers that not all waves or work-items of a work-group come to; arguments and completion signals that are
    /// changed or used again while a packet runs.
    Sync,
    /// Accesses to device memory by kernels and copies that are unordered; host accesses to pinned memory before the
    /// host knows that a copy has completed.
    Stream,
    /// Uninitialised loads from device memory, LDS and private memory.
    Init,
    /// Barriers that waves come to when others of the work-group have ended.
    Exit,
    /// Registers that are used before the load to them is waited for. Takes far longer.
    Wait,
    /// Memory that the program allocated and has not freed when it ends.
    Leak,
}

impl Kind {
    fn of(finding: &Finding) -> Kind {
        match finding.kind() {
            "race" | "device-race" => Kind::Race,
            "dispatch-race" | "host-race" => Kind::Stream,
            "leak" => Kind::Leak,
            "missing-wait" => Kind::Wait,
            "barrier" => Kind::Sync,
            "ended-before-barrier" => Kind::Exit,
            _ if finding.of_packet().is_some() => Kind::Sync,
            "uninitialized" | "lds-uninitialized" | "scratch-uninitialized" => Kind::Init,
            _ => Kind::Memory,
        }
    }

    /// As the device calls it.
    fn name(self) -> &'static str {
        match self {
            Kind::Memory => kinds::MEMORY,
            Kind::Race => kinds::RACE,
            Kind::Sync => kinds::SYNC,
            Kind::Stream => kinds::STREAM,
            Kind::Init => kinds::INIT,
            Kind::Exit => kinds::EXIT,
            Kind::Wait => kinds::WAIT,
            Kind::Leak => kinds::LEAK,
        }
    }
}

/// Status of `vgpu check` when it found something.
const FOUND: u8 = 1;
/// Status of `vgpu check` when no kernel ran, so that nothing was looked at, and the program succeeded.
const NO_KERNEL: u8 = 3;

/// Runs it.
pub fn check(args: CheckArgs) -> ExitCode {
    // Now, not when the program has run for an hour.
    for path in args.json.iter().chain(&args.sarif) {
        if let Err(error) = fs::write(path, "") {
            return failed("cannot write", path, &error);
        }
    }
    let suppressions = args.suppress.as_deref().map(|file| (file, Suppressions::read(file)));
    let mut suppressions = match suppressions {
        None => Suppressions::default(),
        Some((_, Ok(suppressions))) => suppressions,
        Some((file, Err(error))) => {
            say(format_args!("--suppress: {}: {error}", file.display()));
            return ExitCode::from(FAILED);
        }
    };
    let seeds =
        args.seeds.map_or(vec![args.replay], |count| (1..=count).map(|seed| Some(Schedule::of(seed))).collect());
    let what = What {
        program: &args.program,
        only: &args.only,
        at_exit: args.at_exit,
        with_trails: args.replay.is_some(),
        quiet: false,
        runtime_fails: args.fail_on_runtime,
    };
    let mut last = Ok(Ran::default());
    for seed in seeds {
        let mut wanted = |finding: &Finding| args.only.contains(&Kind::of(finding)) && !suppressions.has(finding);
        let device = seed.map_or(args.device.clone(), |seed| of_seed(&args.device, seed));
        last = run_once(device, &what, &mut wanted);
        let is_clean = matches!(&last, Ok(ran) if ran.is_clean());
        if let Some(Schedule { seed, .. }) = seed.filter(|_| !is_clean && args.replay.is_none()) {
            say(format_args!(
                "check: that was with seed {seed}: --replay {seed} runs it again and shows what led to it"
            ));
            if let Ok(ran) = &last
                && !ran.was_interrupted()
            {
                reduce(seed, ran, &args.device, &What { quiet: true, ..what }, &mut wanted);
            }
        }
        if !is_clean {
            break;
        }
    }
    let Ran { found, own, reached, unfinished, .. } = match last {
        Ok(run) => run,
        Err(status) => return status,
    };
    let list = || found.iter().map(Finding::to_json).collect::<Vec<Value>>();
    let ran_kernels = reached == Reached::Kernel;
    let json = args.json.as_ref().map(|path| {
        (path, json!({ "ran_kernels": ran_kernels, "findings": list(), "unfinished_kernels": unfinished }))
    });
    let root = std::env::current_dir().unwrap_or_default();
    let unfinished = unfinished.map(said_of_unfinished);
    let notes = sarif::Notes { without_kernel: reached.without_kernel(), unfinished: unfinished.as_deref() };
    let sarif = args.sarif.as_ref().map(|path| (path, sarif::report(&found, &notes, &root)));
    for (path, value) in json.into_iter().chain(sarif) {
        if let Err(error) = fs::write(path, format!("{value:#}\n")) {
            return failed("cannot write", path, &error);
        }
    }
    for (place, text) in suppressions.unused() {
        say(format_args!("check: nothing was found that {place} suppresses: {text}"));
    }
    let leaks = || found.iter().filter_map(|finding| Some((finding.count(), finding.leaked()?)));
    if leaks().next().is_some() {
        let (count, bytes) = leaks().fold((0, 0), |(count, bytes), (more, of)| (count + more, bytes + of));
        say(format_args!("check: not freed: {} of {} in all", counted(count, "allocation"), counted(bytes, "byte")));
    }
    if let Some(unfinished) = &unfinished {
        say(format_args!("check: {unfinished}: let the program wait, or give --at-exit more seconds"));
    }
    let fails = found.iter().filter(|finding| args.fail_on_runtime || !finding.is_of_runtime()).count();
    let findings = counted(fails as u64, "finding");
    match (fails, found.len() - fails, reached.without_kernel()) {
        (0, 0, Some(why)) => say(format_args!("check: no kernel ran, so nothing was looked at: {why}")),
        (0, 0, None) if unfinished.is_some() => say(format_args!("check: nothing was found in what completed")),
        (0, 0, None) if !ran_kernels => say(format_args!("check: nothing was found in copies, and no kernel ran")),
        (0, 0, None) => say(format_args!("check: nothing was found")),
        (_, 0, _) => say(format_args!("check: {findings}")),
        (0, others, _) => say(format_args!(
            "check: nothing was found in the program; {} in kernels of AMD's runtime",
            counted(others as u64, "finding")
        )),
        (_, others, _) => say(format_args!("check: {findings}, and {others} in kernels of AMD's runtime")),
    }
    ExitCode::from(match (fails, own) {
        (1.., _) => FOUND,
        (0, _) if unfinished.is_some() => FOUND,
        (0, 0) if reached.without_kernel().is_some() && found.is_empty() => NO_KERNEL,
        (0, own) => own,
    })
}

/// How far the processes of a program came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Reached {
    #[default]
    Nothing,
    Device,
    Queue,
    /// Copies, which are checked too.
    Copy,
    Kernel,
}

impl Reached {
    /// What the processes wrote of it.
    fn of(text: &str) -> Reached {
        let has = |field: &str| text.lines().any(|line| line.contains(&format!("\"{field}\"")));
        match () {
            () if has(findings::KERNEL_RAN) => Reached::Kernel,
            () if has(findings::COPY_RAN) => Reached::Copy,
            () if has(findings::QUEUE_OPENED) => Reached::Queue,
            () if has(findings::DEVICE_OPENED) => Reached::Device,
            () => Reached::Nothing,
        }
    }

    /// Why nothing was looked at, if nothing was.
    fn without_kernel(self) -> Option<&'static str> {
        match self {
            Reached::Nothing => Some("no process opened /dev/kfd"),
            Reached::Device => Some("/dev/kfd was opened, but no queue on a GPU"),
            Reached::Queue => Some("a queue was opened, but no kernel was started on it"),
            Reached::Copy | Reached::Kernel => None,
        }
    }
}

fn failed(what: &str, path: &Path, error: &io::Error) -> ExitCode {
    say(format_args!("{what} {}: {error}", path.display()));
    ExitCode::from(FAILED)
}

/// The device that `--seeds` and `--replay` have for this seed. Caches take long, so half of the seeds have none.
fn of_seed(device: &DeviceArgs, schedule: Schedule) -> DeviceArgs {
    let caches = device.caches.or(schedule.seed.is_multiple_of(2).then_some(schedule.seed));
    DeviceArgs { schedule: Some(schedule), caches, ..device.clone() }
}

/// Says how few turns of waves in the order of `seed` are enough for what it `failed` by.
fn reduce(seed: u64, failed: &Ran, device: &DeviceArgs, what: &What, wanted: &mut dyn FnMut(&Finding) -> bool) {
    say(format_args!("check: looking for the fewest turns of waves in the order of seed {seed} that fail so"));
    let least = fewest(|turns| {
        let ran = run_once(of_seed(device, Schedule { seed, turns: Some(turns) }), what, wanted)
            .ok()
            .filter(|ran| !ran.was_interrupted())?;
        let came = match ran.is_like(failed) {
            true => Came::Failed,
            false => Came::Passed { had_all: !ran.schedule_ended },
        };
        say(format_args!(
            "check: {}: {}",
            counted(turns, "turn"),
            if came == Came::Failed { "fails" } else { "does not" }
        ));
        Some(came)
    });
    match least {
        Some(0) => {
            say(format_args!("check: none is needed: packets, caches or the host's time are enough: --replay {seed}:0"))
        }
        Some(turns) => say(format_args!(
            "check: {} are enough, and one less is not: --replay {seed}:{turns}",
            counted(turns, "turn")
        )),
        None => say(format_args!("check: it does not fail so each time")),
    }
}

/// What is run, and what is looked for.
#[derive(Clone, Copy)]
struct What<'a> {
    program: &'a [OsString],
    only: &'a [Kind],
    /// For how many seconds a process that ends waits for its kernels.
    at_exit: u64,
    /// Whether findings are to have what the waves executed before.
    with_trails: bool,
    /// Neither the program nor what was found is to be seen.
    quiet: bool,
    /// What is found in kernels of AMD's runtime fails the check too.
    runtime_fails: bool,
}

/// What came of a run.
#[derive(Default)]
struct Ran {
    /// What was found, of what is wanted.
    found: Vec<Finding>,
    /// The program's own status.
    own: u8,
    /// The schedule ended before the program did.
    schedule_ended: bool,
    reached: Reached,
    /// Findings in kernels of AMD's runtime count.
    runtime_fails: bool,
    /// Something had not completed when a process ended: so many kernels, or copies only.
    unfinished: Option<u64>,
}

impl Ran {
    fn is_clean(&self) -> bool {
        let fails = |finding: &Finding| self.runtime_fails || !finding.is_of_runtime();
        self.own == 0 && self.unfinished.is_none() && !self.found.iter().any(fails)
    }

    /// Whether somebody at the terminal, or who ends jobs, has had enough.
    fn was_interrupted(&self) -> bool {
        [libc::SIGINT, libc::SIGTERM, libc::SIGHUP].contains(&(i32::from(self.own) - 128))
    }

    /// Whether it failed as `other` did: something is found again, or if there was nothing, the status is the same.
    fn is_like(&self, other: &Ran) -> bool {
        let is_again = |finding: &Finding| other.found.iter().any(|other| other.is_same(finding));
        if other.found.is_empty() { self.own == other.own } else { self.found.iter().any(is_again) }
    }
}

/// Runs the program once, and tells what was found.
fn run_once(device: DeviceArgs, what: &What, wanted: &mut dyn FnMut(&Finding) -> bool) -> Result<Ran, ExitCode> {
    let (mut command, library) = command(device, what.program)?;
    let folder = Folder::new().map_err(|(path, error)| failed("cannot make the folder", &path, &error))?;
    ask_for_findings(&mut command, &library, &folder.0, what);
    if what.quiet {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    }
    let status = run(&mut command).map_err(|error| not_started(what.program, &error))?;
    let text = match fs::read_to_string(folder.0.join(findings::FILE)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(failed("cannot read the findings in", &folder.0, &error)),
    };
    let mut found = Finding::all(&text, &mut Files::new(&folder.0));
    found.retain(|finding| finding.is_the_programs() && wanted(finding));
    if !what.quiet {
        found.iter().for_each(|finding| say(format_args!("{finding}")));
    }
    Ok(Ran {
        found,
        own: own(status),
        schedule_ended: text.contains(findings::SCHEDULE_ENDED),
        reached: Reached::of(&text),
        runtime_fails: what.runtime_fails,
        unfinished: unfinished(&text),
    })
}

/// How many kernels had not completed when the processes ended, of those of which something had not.
fn unfinished(text: &str) -> Option<u64> {
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let of_processes: BTreeMap<Option<u64>, Option<u64>> =
        lines.filter_map(|line| Some((line["pid"].as_u64(), line.get(findings::UNFINISHED)?.as_u64()))).collect();
    of_processes.into_values().flatten().reduce(|all, more| all + more)
}

/// Of what nothing is known, and why.
fn said_of_unfinished(kernels: u64) -> String {
    let (what, them) = match kernels {
        0 => ("copies".to_owned(), "them"),
        1 => ("1 kernel".to_owned(), "it"),
        _ => (counted(kernels, "kernel"), "them"),
    };
    format!("{what} had not completed when the program ended, and nothing is known of {them}")
}

/// The program's own status, as shells have it.
fn own(status: ExitStatus) -> u8 {
    status.code().or(status.signal().map(|signal| 128 + signal)).map_or(FAILED, |code| code as u8)
}

/// Has the device check accesses, and AMD's runtime tell it what programs ask for.
fn ask_for_findings(command: &mut Command, library: &Path, folder: &Path, what: &What) {
    const TOOLS: &str = "HSA_TOOLS_LIB";
    command.env(config::CHECK, folder);
    let kinds: Vec<&str> = what.only.iter().map(|kind| kind.name()).collect();
    command.env(config::CHECK_ONLY, kinds.join(","));
    command.env(config::CHECK_AT_EXIT, what.at_exit.to_string());
    if what.with_trails {
        command.env(config::CHECK_TRAILS, "1");
    }
    let mut tools = OsString::from(library);
    // A list that is separated by spaces.
    if let Some(others) = std::env::var_os(TOOLS).filter(|others| !others.is_empty()) {
        tools.push(" ");
        tools.push(others);
    }
    command.env(TOOLS, tools);
    // A ROCr that has rocprofiler-register looks at the list only then.
    command.env("HSA_TOOLS_ROCPROFILER_V1_TOOLS", "1");
    if what.only.contains(&Kind::Memory) {
        // Each allocation then has pages of its own.
        command.env("HSA_DISABLE_FRAGMENT_ALLOCATOR", "1");
    }
    if what.only.contains(&Kind::Stream) {
        // Pinned memory is then the driver's, of which the program and the device have mappings of their own.
        command.env("HSA_USERPTR_FOR_PAGED_MEM", "0");
        // Small copies then take the way of the others, not that of kernels.
        command.env("GPU_FORCE_BLIT_COPY_SIZE", "0");
    }
}

/// The program's process, while it runs.
static CHILD: AtomicI32 = AtomicI32::new(0);

extern "C" fn pass_on(signal: libc::c_int) {
    let child = CHILD.load(Ordering::Relaxed);
    if child > 0 {
        // SAFETY: a signal handler may call it.
        unsafe { libc::kill(child, signal) };
    }
}

/// Runs the program to its end. What the terminal sends to both of them is for the program to heed, and what is sent to
/// this one is passed on.
fn run(command: &mut Command) -> io::Result<ExitStatus> {
    let mut child = command.spawn()?;
    CHILD.store(child.id() as i32, Ordering::Relaxed);
    let pass_on: extern "C" fn(libc::c_int) = pass_on;
    // SAFETY: the handler does what handlers may.
    unsafe {
        libc::signal(libc::SIGINT, libc::SIG_IGN);
        libc::signal(libc::SIGQUIT, libc::SIG_IGN);
        libc::signal(libc::SIGTERM, pass_on as libc::sighandler_t);
        libc::signal(libc::SIGHUP, pass_on as libc::sighandler_t);
    }
    let status = child.wait();
    CHILD.store(0, Ordering::Relaxed);
    status
}

/// A folder of this run, gone with the value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, (PathBuf, io::Error)> {
        let name = format!("vgpu-check-{}-{}", std::process::id(), vgpu::time::monotonic_raw_ns());
        let path = std::env::temp_dir().join(name);
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => Ok(Folder(path)),
            Err(error) => Err((path, error)),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_process_the_last_line_says_what_had_not_completed() {
        assert_eq!(unfinished(r#"{"pid":1,"id":1,"finding":"race"}"#), None);
        assert_eq!(unfinished("{\"pid\":1,\"unfinished\":3}\n{\"pid\":2,\"unfinished\":0}\n"), Some(3));
        assert_eq!(unfinished("{\"pid\":1,\"unfinished\":3}\n{\"pid\":1,\"unfinished\":2}\n"), Some(2));
        assert_eq!(unfinished("{\"pid\":1,\"unfinished\":3}\n{\"pid\":1,\"unfinished\":\"nothing\"}\n"), None);
    }
}
