//! The file that says what the layer did.

use std::fmt::Arguments;
use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;

/// The environment variable that names the file.
const VARIABLE: &str = "CL_EXTERNAL_MEMORY_LOG";

/// Appends a line to the log if there is one.
macro_rules! log {
    ($($text:tt)*) => {
        if let Some(file) = $crate::log::file() {
            $crate::log::append(file, format_args!($($text)*));
        }
    };
}
pub(crate) use log;

/// The log, opened when it is first needed. If that fails, a message says so once and there is none.
pub fn file() -> Option<&'static File> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    FILE.get_or_init(|| {
        let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty())?;
        let opened = File::options().append(true).create(true).open(&path);
        // Not `eprintln!`, which panics where the program has no standard error.
        opened.map_err(|error| writeln!(std::io::stderr(), "{VARIABLE}: cannot open {}: {error}", path.display())).ok()
    })
    .as_ref()
}

/// One write, so that lines of threads and processes that share the file stay whole. That it fails is no reason to fail the program's call.
pub fn append(mut file: &File, text: Arguments<'_>) {
    let line = format!("cl-external-memory[{}]: {text}\n", std::process::id());
    _ = file.write_all(line.as_bytes());
}
