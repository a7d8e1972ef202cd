//! Reports what OpenCL, HIP, HSA and KFD of this machine offer, and which ways of sharing memory between them work.
//!
//! ```sh
//! cargo run -p rocm-probe                     # a line for each fact, with `yes`, or `no` and the reason
//! cargo run -p rocm-probe -- --json           # one JSON object
//! cargo run -p rocm-probe -- --limit 30       # seconds for a library that hangs; 120 without the option
//! ```
//!
//! The report lists the libraries, then each GPU that any API sees (matched by its PCI address), then the verdict:
//!
//! ```text
//! yes  HIP library: libamdhip64.so.5, 5.7.31921
//! yes  one HSA runtime: /usr/lib/x86_64-linux-gnu/libhsa-runtime64.so.1.13.0
//! GPU 0000:23:00.0
//!   yes  HIP: device 0
//!   yes  coarse-grained SVM: memory of GPU 0000:23:00.0
//!   no   other GPUs: there is none that every layer sees
//! yes  verdict: OpenCL and HIP share memory on 1 of 2 GPUs
//! ```
//!
//! A separate process queries the libraries. If a library ends that process, or hangs in it, the program queries each
//! API in a process by itself, so one bad library costs one line. The exit status is 0 when the report was made.

mod report;

use std::ffi::OsString;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use report::Report;
use rocm_interop::sys::Api;
use rustix::fs::{MemfdFlags, memfd_create};

const HELP: &str = "\
Reports what this machine's OpenCL, HIP, HSA and kernel driver offer, which GPUs each of them sees (matched by PCI
address), and which ways of sharing memory work on each GPU; of the rest, why not. The last line is the verdict.

usage: rocm-probe [--json] [--limit SECONDS]

  --json           one JSON object instead of text
  --limit SECONDS  how long a process that asks the libraries may take before it is ended (120)

The exit status is 0 when the report was made, whatever it says.";

/// How long a process that asks takes at most, unless the caller says so.
const LIMIT: Duration = Duration::from_secs(120);
/// How long to wait for the end of a killed process: one that is inside the driver may never end.
const KILL_GRACE: Duration = Duration::from_secs(1);
/// How often a process is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// What the process that asks all of them is started with, and one that asks one of them.
const ALL: &str = "--all-in-this-process";
const ALONE: [(Api, &str); 3] = [(Api::OpenCl, "--opencl-alone"), (Api::Hip, "--hip-alone"), (Api::Hsa, "--hsa-alone")];

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let arguments: Vec<String> = arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--help" | "-h"] => return print(&format!("{HELP}\n")),
        [ALL] => return print(&text(&Report::run(), false)),
        [ALL, "--json"] => return print(&text(&Report::run(), true)),
        [one] => {
            if let Some((api, _)) = ALONE.iter().find(|(_, argument)| *argument == one) {
                return print(&Report::of(*api).to_string());
            }
        }
        _ => {}
    }
    match options(&arguments) {
        Ok((json, limit)) => print(&report(json, limit)),
        Err(argument) => fail(&format!("cannot use {argument}\n\n{HELP}")),
    }
}

/// Whether JSON is wanted, and the time limit.
///
/// # Errors
/// The argument that is none.
fn options(arguments: &[String]) -> Result<(bool, Duration), String> {
    let (mut json, mut limit) = (false, LIMIT);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--json" => json = true,
            "--limit" => {
                let seconds = rest.next().map_or("", String::as_str);
                let parsed = seconds.parse::<u32>().ok().filter(|seconds| *seconds > 0);
                let seconds = parsed.ok_or_else(|| format!("--limit {seconds}").trim_end().to_owned())?;
                limit = Duration::from_secs(seconds.into());
            }
            other => return Err(other.to_owned()),
        }
    }
    Ok((json, limit))
}

fn text(report: &Report, json: bool) -> String {
    if json { format!("{}\n", report.to_json()) } else { report.to_string() }
}

fn report(json: bool, limit: Duration) -> String {
    let arguments: &[&str] = if json { &[ALL, "--json"] } else { &[ALL] };
    ask(arguments, limit).unwrap_or_else(|why| {
        let alone = ALONE.map(|(api, argument)| (api, ask(&[argument], limit)));
        text(&Report::apart(why, alone), json)
    })
}

/// What this program prints in another process.
///
/// # Errors
/// Why that process printed no report: it was ended, or took too long.
fn ask(arguments: &[&str], limit: Duration) -> Result<String, String> {
    let this = std::env::current_exe().map_err(|error| format!("this program is not found: {error}"))?;
    // Files, not pipes: what a library started may hold a pipe open when the process is over.
    let file = || Output::new().map_err(|error| format!("no memory for its output: {error}"));
    let (output, errors) = (file()?, file()?);
    let mut command = Command::new(this);
    command.args(arguments).stdin(Stdio::null()).stdout(output.writer()?).stderr(errors.writer()?);
    let mut process = command.spawn().map_err(|error| format!("no process: {error}"))?;
    let ended = wait(&mut process, limit).map_err(|error| format!("the process is lost: {error}"))?;
    if ended.is_none() {
        // What cannot be killed any more has ended, or is left behind.
        _ = process.kill();
        _ = wait(&mut process, KILL_GRACE);
    }
    let (output, errors) = (output.read()?, errors.read()?);
    if ended.is_some_and(|status| status.success()) {
        // What libraries say beside.
        _ = std::io::stderr().write_all(&errors);
        return String::from_utf8(output).map_err(|error| error.to_string());
    }
    let said = String::from_utf8_lossy(&errors);
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing").trim();
    Err(match ended {
        Some(status) => format!("a library ended the process that asked it ({status}); it said: {last}"),
        None => format!("a library hangs: the process that asked it gave no answer within {limit:?}; it said: {last}"),
    })
}

/// What a process writes, in a file without a name.
struct Output(File);

impl Output {
    fn new() -> std::io::Result<Output> {
        Ok(Output(memfd_create("rocm-probe", MemfdFlags::CLOEXEC)?.into()))
    }

    fn writer(&self) -> Result<File, String> {
        self.0.try_clone().map_err(|error| format!("no file for its output: {error}"))
    }

    /// All that was written so far.
    fn read(&self) -> Result<Vec<u8>, String> {
        let read = || {
            let mut bytes = vec![0; self.0.metadata()?.len() as usize];
            // The writer has the file's position.
            self.0.read_exact_at(&mut bytes, 0)?;
            Ok::<_, std::io::Error>(bytes)
        };
        read().map_err(|error| format!("its output is not readable: {error}"))
    }
}

/// How the process ended; `None` if it did not within `limit`.
fn wait(process: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let deadline = Instant::now() + limit;
    loop {
        let ended = process.try_wait()?;
        if ended.is_some() || Instant::now() >= deadline {
            return Ok(ended);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Writes to standard output. A reader that has had enough (`| head`) is no failure.
fn print(text: &str) -> ExitCode {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            fail(&format!("cannot write to standard output: {error}"))
        }
        _ => ExitCode::SUCCESS,
    }
}

fn fail(message: &str) -> ExitCode {
    // Where standard error is closed too, the status has to do.
    let _ = writeln!(std::io::stderr(), "rocm-probe: {message}");
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, options};
    use std::time::Duration;

    #[test]
    fn options_are_taken_in_any_order_and_others_are_named() {
        let of = |arguments: &[&str]| options(&arguments.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&[]), Ok((false, LIMIT)));
        assert_eq!(of(&["--limit", "3", "--json"]), Ok((true, Duration::from_secs(3))));
        assert_eq!(of(&["--limit", "0"]), Err("--limit 0".to_owned()));
        assert_eq!(of(&["--limit"]), Err("--limit".to_owned()));
        assert_eq!(of(&["--json", "--jsn"]), Err("--jsn".to_owned()));
    }
}
