//! Supervises the recorded program: forwards signals, and waits a limited time for processes that it leaves behind.

use libc::{c_int, sigset_t};
use rocm_trace::environment::say;
use std::mem::zeroed;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::ptr::null_mut;
use std::time::Duration;

/// What would end this process.
const ENDING: [c_int; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP];

/// While it is there, the signals wait until they are asked for, and do nothing by themselves.
pub struct Signals {
    held: sigset_t,
    /// The mask of before, and what SIGCHLD did: a program that is started gets both.
    before: sigset_t,
    child_before: libc::sighandler_t,
}

impl Signals {
    pub fn hold() -> Signals {
        // SAFETY: all zero is valid for the sets and for what `sigaction` writes; the calls change this process's own
        // signals only.
        unsafe {
            let (mut held, mut before) = (zeroed(), zeroed());
            libc::sigaddset(&mut held, libc::SIGCHLD);
            for signal in ENDING {
                let mut action: libc::sigaction = zeroed();
                libc::sigaction(signal, null_mut(), &mut action);
                // What `nohup` and shells have ignored stays ignored.
                if action.sa_sigaction != libc::SIG_IGN {
                    libc::sigaddset(&mut held, signal);
                }
            }
            // Where it is ignored, nobody is told of children that end.
            let child_before = libc::signal(libc::SIGCHLD, libc::SIG_DFL);
            libc::sigprocmask(libc::SIG_BLOCK, &held, &mut before);
            Signals { held, before, child_before }
        }
    }

    /// Starts a program, for which signals do what they would without this process.
    pub fn start(&self, command: &mut Command) -> std::io::Result<Child> {
        let (before, child_before) = (self.before, self.child_before);
        let restore = move || {
            // SAFETY: both may be called between fork and exec.
            unsafe {
                libc::signal(libc::SIGCHLD, child_before);
                libc::sigprocmask(libc::SIG_SETMASK, &before, null_mut());
            }
            Ok(())
        };
        // SAFETY: it calls nothing else.
        unsafe { command.pre_exec(restore) }.spawn()
    }

    /// The next signal, if one comes in time.
    fn next(&self, timeout: Option<Duration>) -> Option<c_int> {
        let timeout = timeout.map(|timeout| libc::timespec {
            tv_sec: timeout.as_secs() as libc::time_t,
            tv_nsec: timeout.subsec_nanos().into(),
        });
        let timeout = timeout.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: all pointers are valid, or null where that is allowed.
        let signal = unsafe { libc::sigtimedwait(&self.held, null_mut(), timeout) };
        (signal > 0).then_some(signal)
    }

    /// Waits until the program has ended, and forwards signals that should end it.
    pub fn wait(&self, program: &mut Child) -> std::io::Result<ExitStatus> {
        loop {
            if let Some(status) = program.try_wait()? {
                return Ok(status);
            }
            if let Some(signal @ (libc::SIGTERM | libc::SIGHUP)) = self.next(None) {
                // SAFETY: the program was not waited for yet, so the number is still its own.
                unsafe { libc::kill(program.id() as libc::pid_t, signal) };
            }
            // The terminal sends the others to the program too, which decides.
        }
    }

    /// Waits for processes that the program has started and that are recorded, until they end or a signal ends the
    /// wait.
    pub fn wait_for_others(&self, folder: &Path) {
        const POLL_INTERVAL: Duration = Duration::from_millis(100);
        let mut said = false;
        loop {
            let running = recorded(folder);
            if running.is_empty() {
                return;
            }
            let running = running.join(", ");
            if !said {
                say(format_args!(
                    "the program has ended; waiting for processes that it started and that are recorded: {running} (Ctrl-C ends the wait)"
                ));
                said = true;
            }
            if self.next(Some(POLL_INTERVAL)).is_some_and(|signal| signal != libc::SIGCHLD) {
                say(format_args!("still running: {running}; what they do from now on is not recorded"));
                return;
            }
        }
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        // What came for the program is not for what follows.
        while self.next(Some(Duration::ZERO)).is_some() {}
        // SAFETY: as above.
        unsafe { libc::sigprocmask(libc::SIG_SETMASK, &self.before, null_mut()) };
    }
}

/// The processes that write to their files in `folder`, by their numbers: they have them mapped. Those of other
/// containers have other numbers here, and are not found.
fn recorded(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let process = |file: &str| {
        let (process, _) = file.strip_suffix(".raw")?.split_once('-')?;
        let maps = std::fs::read(format!("/proc/{process}/maps")).unwrap_or_default();
        maps.split(|byte| *byte == b'\n').any(|line| line.ends_with(file.as_bytes())).then(|| process.to_owned())
    };
    entries.filter_map(|entry| process(entry.file_name().to_str()?)).collect()
}
