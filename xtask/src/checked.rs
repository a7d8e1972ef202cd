//! Runs of programs under `vgpu check`, for the commands that count what it finds.
use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::progress;

/// The instruction set of the virtual GPU that is the default.
pub const ISA: &str = "gfx908";

/// Runs `command`, a program in a sandbox, for as long as `limit` at most.
///
/// # Errors
/// If it cannot be started, or ended. That it fails is an outcome.
pub fn run(command: &mut Command, limit: Duration) -> Result<ExitStatus> {
    let mut child = command.spawn().with_context(|| format!("cannot start `{}`", progress::display(command)))?;
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if started.elapsed() > limit {
            // All that runs in the sandbox dies with it.
            child.kill().context("cannot end the program")?;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// The findings in the file that `vgpu check --json` wrote. None if it was ended before it wrote any.
pub fn findings(json: &Path) -> Vec<Value> {
    let text = fs::read(json).unwrap_or_default();
    let mut found: Value = serde_json::from_slice(&text).unwrap_or_default();
    match found["findings"].take() {
        Value::Array(findings) => findings,
        _ => Vec::new(),
    }
}
