//! The log file of a preloaded library.

use std::fmt::Arguments;
use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;

/// A log that an environment variable names. Without the variable there is none.
#[derive(Debug)]
pub struct Log {
    variable: &'static str,
    library: &'static str,
    file: OnceLock<Option<File>>,
}

impl Log {
    /// The log of `library`, which begins each line, in the file that `variable` names.
    pub const fn new(variable: &'static str, library: &'static str) -> Log {
        Log { variable, library, file: OnceLock::new() }
    }

    /// Appends a line, in one write, so that lines of threads and processes that share the file stay whole. That it
    /// fails is no reason to fail the program's call.
    pub fn append(&self, text: Arguments<'_>) {
        let Some(mut file) = self.file() else { return };
        let line = format!("{}[{}]: {text}\n", self.library, std::process::id());
        _ = file.write_all(line.as_bytes());
    }

    /// The file, opened when it is first needed. If that fails, a message says so once and there is none.
    fn file(&self) -> Option<&File> {
        let open = || {
            let path = std::env::var_os(self.variable).filter(|path| !path.is_empty())?;
            let opened = File::options().append(true).create(true).open(&path);
            // Not `eprintln!`, which panics where the program has no standard error.
            let said =
                |error| writeln!(std::io::stderr(), "{}: cannot open {}: {error}", self.variable, path.display());
            opened.map_err(said).ok()
        };
        self.file.get_or_init(open).as_ref()
    }
}
