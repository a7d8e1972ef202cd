//! `cargo xtask verdicts`: what `vgpu check` tells of programs of which it is known what is to be told.
mod report;
mod runs;

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::builder::PossibleValuesParser;

use crate::progress::Status;
use crate::stack::Stack;
use crate::vgpu::{self, Build, Vgpu};
use report::{Came, Ran, Report};
use runs::{Case, Suite};

/// Runs programs with and without faults under `vgpu check`, and counts which faults it tells, and what it tells that
/// is none.
///
/// The programs are tests/stack/programs/verdict_*.hip: patterns of published suites, written anew, of which each says
/// itself what is to be told. Each runs in the usual order of the work, and if nothing is told then, with some seeds.
/// Prints a table, and the cases where what was told differs from what is so; target/verdicts has all as JSON.
#[derive(clap::Args)]
pub struct Args {
    /// Which; all if none is named
    #[arg(value_name = "SUITE", value_parser = PossibleValuesParser::new(SUITES))]
    suites: Vec<String>,
    /// Only the cases whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    case: String,
    /// Seeds to try besides the usual order, as `vgpu check --seeds` has them
    #[arg(long, value_name = "N", default_value_t = 4)]
    seeds: u32,
}

/// The suites: tests/stack/programs/verdict_NAME.hip of each.
const SUITES: [&str; 4] = ["graphs", "loops", "litmus", "samples"];

/// Runs the command line.
pub fn main(args: Args) -> Result<()> {
    let stack = Stack::Trixie.prepare()?;
    let vgpu = Vgpu::build(Build::Release)?;
    let folder = vgpu::target_folder()?.join("verdicts");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut report = Report::default();
    for name in SUITES {
        if !args.suites.is_empty() && !args.suites.iter().any(|wanted| wanted == name) {
            continue;
        }
        let suite = Suite::compile(name, &stack, &vgpu, &folder)?;
        let mut cases = suite.cases()?;
        cases.retain(|case| case.name.contains(&args.case));
        report.ran.extend(run_all(&suite, &cases, args.seeds)?);
    }
    let json = folder.join("verdicts.json");
    fs::write(&json, format!("{:#}\n", report.json())).with_context(|| format!("cannot write {}", json.display()))?;
    println!("\n{report}\nwritten to {}", json.display());
    Ok(())
}

/// Runs the cases, as many at a time as there are processors.
fn run_all(suite: &Suite, cases: &[Case], seeds: u32) -> Result<Vec<Ran>> {
    let status = Mutex::new(Status::new(&format!("{}: {} programs", suite.name, cases.len()), Instant::now()));
    let next = AtomicUsize::new(0);
    let worker = |number: usize| -> Result<Vec<(usize, Ran)>> {
        let mut ran = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(index) else { return Ok(ran) };
            status.lock().expect("no holder panics").update(&case.name);
            ran.push((index, judged(suite, case, seeds, number)?));
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let ran: Result<Vec<Vec<_>>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|number| scope.spawn(move || worker(number))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect()
    });
    status.into_inner().expect("no holder panics").finish(ran.is_ok());
    let mut ran: Vec<_> = ran?.into_iter().flatten().collect();
    ran.sort_by_key(|(index, _)| *index);
    Ok(ran.into_iter().map(|(_, ran)| ran).collect())
}

/// Runs a case in the usual order, then with seeds, until something is told.
fn judged(suite: &Suite, case: &Case, seeds: u32, worker: usize) -> Result<Ran> {
    let mut outcome = suite.run(case, 0, worker)?;
    let is_usual = seeds == 0 || !outcome.told.is_empty() || !outcome.ended;
    if !is_usual {
        outcome = suite.run(case, seeds, worker)?;
    }
    let is_told = outcome.told.iter().any(|finding| case.told.contains(finding));
    let came = match (case.told.is_empty(), is_told) {
        (false, true) if is_usual => Came::Told,
        (false, true) => Came::ToldWithSeed,
        (false, false) => Came::Missed,
        (true, _) if !outcome.told.is_empty() => Came::FalseAlarm,
        (true, _) if outcome.ended => Came::Quiet,
        (true, _) => Came::Failed,
    };
    let Case { name, planted, .. } = case.clone();
    Ok(Ran { suite: suite.name, name, planted, came, told: outcome.told })
}

#[cfg(test)]
mod tests;
