//! Environment variables by which `rocm-trace run` configures the preloaded library.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Environment variable with the folder that each process writes its file to. Nothing is recorded where it is not set.
pub const FOLDER: &str = "ROCM_TRACE_FOLDER";
/// Environment variable with the most bytes of a process's file.
pub const LIMIT: &str = "ROCM_TRACE_LIMIT";
/// Most bytes of a process's file if nothing else is said.
pub const DEFAULT_LIMIT: u64 = 4 << 30;

/// The settings in the environment.
#[derive(Debug)]
pub struct Settings {
    /// The folder to write to.
    pub folder: PathBuf,
    /// Most bytes of a process's file.
    pub limit: u64,
}

/// The settings, as they were when the library was loaded. `None`: nothing is to be recorded.
pub fn settings() -> Option<&'static Settings> {
    static SETTINGS: OnceLock<Option<Settings>> = OnceLock::new();
    let read = || {
        let folder = variable(FOLDER)?.into();
        let limit = variable(LIMIT).and_then(|value| value.to_str()?.parse().ok()).unwrap_or(DEFAULT_LIMIT);
        Some(Settings { folder, limit })
    };
    SETTINGS.get_or_init(read).as_ref()
}

/// Whether a path is of the runtimes' log of this run.
pub fn is_log(path: &[u8]) -> bool {
    let path = Path::new(OsStr::from_bytes(path));
    crate::log::is_called_so(path) && settings().is_some_and(|settings| path.parent() == Some(&settings.folder))
}

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Writes a message to standard error.
pub fn say(message: std::fmt::Arguments<'_>) {
    _ = writeln!(std::io::stderr(), "rocm-trace: {message}");
}
