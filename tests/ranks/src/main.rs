//! The energies that a detector measured, as a histogram: the batches are spread over ranks of MPI, each with its own
//! GPU, and the ranks' histograms are added by RCCL where OpenCL wrote them.
//!
//! `ranks --help` says how it is used.
mod collective;
mod share;

use std::error::Error;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use mpi::Threading;
use rocm_interop::{Device, Libraries, Session};

use collective::{Collective, Ranks};
use share::{BINS, Share};

const HELP: &str = "\
A histogram of the energies in files of samples. The files are spread over the ranks of MPI, each of which has a GPU of its own.

usage: mpirun -n RANKS ranks FOLDER [SECONDS]

  FOLDER    of files, each a batch: samples of 16 bits, lower byte first. All machines see it under this name
  SECONDS   how long a rank waits for its GPU (60)

Rank 0 prints a line for each energy that was measured, with how often. The exit status is 0 if all ranks have the same
histogram. A rank that fails says why and ends all others.";

type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, limit) = match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--help" | "-h"] => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        [folder] => (PathBuf::from(folder), Some(Duration::from_secs(60))),
        [folder, seconds] => {
            let seconds = seconds.parse().ok();
            (PathBuf::from(folder), seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()))
        }
        _ => (PathBuf::new(), None),
    };
    let Some(limit) = limit else {
        eprintln!("ranks: a folder, and a number of seconds or none; see --help");
        return ExitCode::from(2);
    };
    // A pipeline has threads, of which this one alone calls MPI.
    let Some((universe, Threading::Funneled | Threading::Serialized | Threading::Multiple)) =
        mpi::initialize_with_threading(Threading::Funneled)
    else {
        eprintln!("ranks: this MPI is not for programs with threads");
        return ExitCode::FAILURE;
    };
    let ranks = Ranks::new(universe.world());
    // A panic must not reach the end of MPI either, which would wait for the other ranks.
    match catch_unwind(AssertUnwindSafe(|| run(&ranks, &folder, limit))) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => ranks.end(&*error),
        Err(_) => ranks.end("panicked"),
    }
}

fn run(ranks: &Ranks, folder: &Path, limit: Duration) -> Result<()> {
    let files = files(folder)?;
    let libraries = Arc::new(Libraries::load()?);
    let devices = Device::all(&libraries)?;
    let device = ranks.own_device(&devices)?;
    let session = Session::open(device)?;
    session.set_wait_limit(Some(limit));
    let collective = ranks.collective(&session)?;
    match add(ranks, &files, &session, &collective) {
        Ok(()) => collective.close(),
        // Before session and collective are given up, which would wait for the GPU.
        Err(error) => ranks.end(&*error),
    }
}

/// This rank's share of the files, and what comes of all.
fn add(ranks: &Ranks, files: &[(PathBuf, u64)], session: &Session, collective: &Collective<'_>) -> Result<()> {
    let device = session.device();
    let mine: Vec<&Path> =
        files.iter().skip(ranks.rank()).step_by(ranks.count()).map(|(path, _)| path.as_path()).collect();
    // Whatever the rank's own files are: all have the buffers of the same size.
    let largest = files.iter().map(|(_, bytes)| bytes / 2).max().unwrap_or(0);
    let share = Share::new(session, usize::try_from(largest)?)?;
    println!(
        "{ranks}: GPU {}, {} of {} batches, process {}",
        device.pci(),
        mine.len(),
        files.len(),
        std::process::id()
    );
    for (what, bytes, address) in share.buffers() {
        println!("{ranks}: {what}: {bytes} bytes at {address:#x}");
    }
    let (histogram, samples) = share.count(&mine)?;
    println!("{ranks}: counted {samples} samples");

    // OpenCL wrote it, RCCL adds to it where it is, and OpenCL has it again.
    // ANCHOR: sum
    let mut histogram = histogram.into_hip()?;
    ranks.meet();
    collective.sum(&mut histogram)?;
    let histogram = histogram.into_opencl().map_err(|refused| collective.why(refused.error()))?;
    // ANCHOR_END: sum

    let mut counts = [0; BINS];
    histogram.read(&mut counts)?;
    ranks.compare(&counts)?;
    if ranks.rank() == 0 {
        for (energy, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            println!("{energy} {count}");
        }
    }
    Ok(())
}

/// The files of a folder and their sizes, in the order of their names, which is the same for all ranks.
fn files(folder: &Path) -> Result<Vec<(PathBuf, u64)>> {
    let named = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| named(folder, error))? {
        let path = entry.map_err(|error| named(folder, error))?.path();
        let metadata = fs::metadata(&path).map_err(|error| named(&path, error))?;
        if metadata.is_file() {
            files.push((path, metadata.len()));
        }
    }
    files.sort();
    let samples: u64 = files.iter().map(|(_, bytes)| bytes / 2).sum();
    if samples > u32::MAX.into() {
        return Err(format!("{}: {samples} samples are more than a count of 32 bits can say", folder.display()).into());
    }
    Ok(files)
}
