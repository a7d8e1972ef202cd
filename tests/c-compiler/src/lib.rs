//! The machine's C compiler, for tests and commands that compile C: found by the crate `cc` as in build scripts, so
//! `CC`, `CXX`, `CFLAGS` and `CXXFLAGS` count.
//!
//! What runs inside a stack's tree uses that tree's own compiler, not this.
use std::process::Command;

pub use cc::{Build, Error};

/// A compiler with no flag but `-w` and those of the environment. Its messages are English, so they can be read by a
/// program.
pub fn build() -> Build {
    // The project is for this one. Cargo tells it to build scripts only.
    const TARGET: &str = "x86_64-unknown-linux-gnu";
    let mut build = Build::new();
    build.target(TARGET).host(TARGET).opt_level(0).no_default_flags(true).inherit_rustflags(false);
    build.warnings(false).extra_warnings(false).cargo_metadata(false);
    build
}

/// The C compiler's command line, for the caller to append to.
///
/// # Errors
/// What the environment says of the compiler makes no sense. One that is not installed is noticed only when the command
/// is run.
pub fn command() -> Result<Command, Error> {
    Ok(build().try_get_compiler()?.to_command())
}
