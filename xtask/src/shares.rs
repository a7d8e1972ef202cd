//! `cargo xtask shares`: what the time of a program on the virtual GPU goes to, by `perf`.

mod kinds;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::{apt, progress, vgpu};
use kinds::{DEVICE, Kind, Sample};

/// Runs a command under `perf` and says what its time went to: the device and what it did, AMD's runtimes, compilers,
/// the program.
///
/// The command is whatever runs programs on the virtual GPU, as `cargo xtask programs llama` or `cargo xtask stack
/// trixie -- ./my-program`. All processes that it starts count, but for cargo, rustc and xtask themselves. Needs
/// Debian's `linux-perf`, and the right to use it (as root, or `sysctl kernel.perf_event_paranoid=1`).
#[derive(clap::Args)]
pub struct Args {
    /// Samples a second of each core
    #[arg(long, default_value_t = 499, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    frequency: u32,
    /// What to run
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Args {
    /// The command as the user wrote it.
    fn shown(&self) -> String {
        self.command.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }
}

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    if Command::new("perf").arg("--version").output().is_err() {
        apt::ensure(&["linux-perf"], "counting shares of time")?;
    }
    let folder = vgpu::target_folder()?.join("shares");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let data = folder.join(format!("{}.data", std::process::id()));
    let outcome = measure(&args, &data);
    // It is large, and means nothing once the libraries were built anew.
    _ = std::fs::remove_file(&data);
    let samples = outcome?;
    let shares = Shares::of(&samples);
    ensure!(shares.all > 0, "`perf` took no samples of `{}`: did it start, and run for long enough?", args.shown());
    println!("{shares}");
    Ok(())
}

/// Runs the command, and reads what `perf` saw. A command that fails was running all the same.
fn measure(args: &Args, data: &Path) -> Result<Vec<Sample>> {
    let mut record = Command::new("perf");
    record.args(["record", "--quiet", "--event", "cpu-clock", "--freq", &args.frequency.to_string(), "--output"]);
    record.arg(data).arg("--").args(&args.command);
    let status = record.status().context("cannot start perf")?;
    if !data.exists() {
        bail!("`{}` failed ({status}) before it took a sample", progress::display(&record));
    }
    if !status.success() {
        eprintln!("`{}` failed ({status}); its time until then:", args.shown());
    }
    let mut report = Command::new("perf");
    report.args(["report", "--stdio", "--no-children", "--fields", "sample,comm,dso,sym", "--field-separator", "\t"]);
    let output = report.arg("--input").arg(data).output().context("cannot start perf")?;
    ensure!(output.status.success(), "perf cannot read what it recorded: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).map(Sample::parse).collect()
}

/// Samples by what they were taken in.
struct Shares {
    all: u64,
    kinds: BTreeMap<Kind, u64>,
    /// Of the device's own threads.
    device: BTreeMap<&'static str, u64>,
}

impl Shares {
    fn of(samples: &[Sample]) -> Shares {
        let mut shares = Shares { all: 0, kinds: BTreeMap::new(), device: BTreeMap::new() };
        for sample in samples {
            let Some(kind) = Kind::of(sample) else { continue };
            shares.all += sample.count;
            *shares.kinds.entry(kind).or_default() += sample.count;
            if kind == Kind::Device {
                *shares.device.entry(kinds::of_device(sample)).or_default() += sample.count;
            }
        }
        shares
    }
}

impl fmt::Display for Shares {
    /// Two tables, as the documentation has them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent =
            |count: Option<&u64>, of: u64| format!("{:.1} %", 100.0 * *count.unwrap_or(&0) as f64 / of.max(1) as f64);
        writeln!(f, "| where | share of {} samples |\n|---|---|", self.all)?;
        for kind in Kind::ALL {
            writeln!(f, "| {kind} | {} |", percent(self.kinds.get(&kind), self.all))?;
        }
        let device = self.kinds.get(&Kind::Device).copied().unwrap_or(0);
        write!(f, "\n| the device | share of {device} samples |\n|---|---|")?;
        for name in DEVICE {
            write!(f, "\n| {name} | {} |", percent(self.device.get(name), device))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
