//! The example on virtual GPUs: as many processes as GPUs, started by Open MPI. `cargo xtask ranks` runs these tests in
//! its stack.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rccl_sys::{Rccl, ncclResult_t};
use stack_tests::{Finished, Stack, TraceFile, on_vgpu, run, run_any, stack, work_folder};

/// For a run that nothing goes wrong in.
const LIMIT: Duration = Duration::from_secs(300);
/// For the end of all ranks when one has failed, the start of the programs included.
const END: Duration = Duration::from_secs(180);

/// A folder of files with samples, removed at the end.
struct Batches {
    folder: PathBuf,
    /// What the files hold, in the order of their names.
    samples: Vec<Vec<u16>>,
}

impl Batches {
    /// Files of these numbers of samples.
    fn new(name: &str, lengths: &[usize]) -> Batches {
        let folder = work_folder().join(format!("ranks-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("the target folder is writable");
        let mut seed = lengths.len() as u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) as u16
        };
        let samples: Vec<Vec<u16>> = lengths.iter().map(|length| (0..*length).map(|_| next()).collect()).collect();
        for (number, samples) in samples.iter().enumerate() {
            let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
            fs::write(folder.join(format!("{number:03}")), bytes).expect("the folder is writable");
        }
        Batches { folder, samples }
    }

    /// What the ranks are to find, computed here.
    fn histogram(&self) -> BTreeMap<u32, u32> {
        let mut histogram = BTreeMap::new();
        for sample in self.samples.iter().flatten() {
            let energy = ((i64::from(*sample) - 1000) * 7).div_euclid(256).clamp(0, 255);
            *histogram.entry(energy as u32).or_default() += 1;
        }
        histogram
    }

    fn bytes(&self) -> u64 {
        self.samples.iter().map(|samples| 2 * samples.len() as u64).sum()
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.folder).expect("nobody else removes it");
    }
}

/// `mpirun` with the example on a machine of so many virtual GPUs.
fn mpirun(gpus: usize, options: &[&str], ranks: usize, folder: &Path) -> Command {
    let gpus = gpus.to_string();
    let mut command = on_vgpu(&[&["--gpus", &gpus], options].concat(), "mpirun");
    command.args(["-n", &ranks.to_string(), "--map-by", "slot:OVERSUBSCRIBE", "--bind-to", "none"]);
    command.arg(env!("CARGO_BIN_EXE_ranks")).arg(folder);
    // The sandbox has one user, and Open MPI asks twice whether that may be root.
    for name in ["OMPI_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT"] {
        command.env(name, "1").env(format!("{name}_CONFIRM"), "1");
    }
    // Open MPI 6 writes its own `mmap` over the beginning of the one that it finds, which is the virtual GPU's.
    command.env("OMPI_MCA_memory", "^patcher");
    command
}

/// The lines of energies and counts.
fn printed(output: &str) -> BTreeMap<u32, u32> {
    let count = |line: &str| -> Option<(u32, u32)> {
        let (energy, count) = line.split_once(' ')?;
        Some((energy.parse().ok()?, count.parse().ok()?))
    };
    output.lines().filter_map(count).collect()
}

/// Where a buffer begins, and its bytes.
type Memory = (u64, u64);

/// The words behind `rank R of N on HOST: WHAT`, by rank.
fn said<'o>(output: &'o str, what: &str) -> BTreeMap<usize, Vec<&'o str>> {
    let mut by_rank: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for line in output.lines() {
        let Some((rank, rest)) = line.strip_prefix("rank ").and_then(|rest| rest.split_once(" of ")) else { continue };
        let Some((_, words)) = rest.split_once(&format!(": {what} ")) else { continue };
        by_rank.entry(rank.parse().expect("a number")).or_default().push(words);
    }
    by_rank
}

/// Checks that the run failed with these words of a rank's.
fn assert_failed(finished: &Finished, words: &[&str]) {
    assert!(!finished.status.success(), "{}", finished.stdout);
    let found = words.iter().all(|words| finished.stderr.contains(words));
    assert!(found, "missing are some of {words:?}\n{}\n{}", finished.stdout, finished.stderr);
}

#[test]
fn rccl_has_each_function_that_its_header_declares() {
    let rccl = Rccl::load().expect("the stack has RCCL");
    let mut version = 0;
    // SAFETY: it writes one c_int.
    assert_eq!(unsafe { rccl.ncclGetVersion(&mut version) }.unwrap(), ncclResult_t::ncclSuccess);
    let (rocm, expected) = match stack() {
        Stack::Trixie => ("5.4", 213),
        Stack::Experimental => ("7.2", 227),
        other => panic!("{other:?} has no RCCL"),
    };
    assert_eq!(version / 100, expected, "RCCL of ROCm {rocm}");
    let mut checked = 0;
    for function in Rccl::FUNCTIONS {
        // Debian's have none of those for profilers.
        let expected = [function.since, function.until].contains(&rocm) && !function.name.starts_with('p');
        assert_eq!(rccl.address(function.name).is_some(), expected, "{function:?}");
        checked += usize::from(expected);
    }
    assert!(checked >= 29, "{checked}");
}

#[test]
fn c4_two_to_four_ranks_have_the_sum_of_all() {
    // The last batch is shorter, some ranks have one less than others, and of four one has none.
    for (ranks, lengths) in [(2, &[4096, 1000, 4096, 4096, 17][..]), (3, &[2000; 7]), (4, &[5000, 0, 1])] {
        let batches = Batches::new(&format!("sum-{ranks}"), lengths);
        let output = run(&mut mpirun(ranks, &[], ranks, &batches.folder), LIMIT);
        assert_eq!(printed(&output), batches.histogram(), "{output}");
        let gpus: BTreeSet<&str> =
            said(&output, "GPU").into_values().flatten().filter_map(|gpu| gpu.split(',').next()).collect();
        assert_eq!(gpus.len(), ranks, "{output}");
        for (rank, counted) in said(&output, "counted") {
            let own: usize = lengths.iter().skip(rank).step_by(ranks).sum();
            assert_eq!(counted, [format!("{own} samples")], "{output}");
        }
    }
}

/// What touches the ranks' buffers by a copy: what was read from files, once, and the result, once. All else is the
/// kernels' own, and RCCL's goes from one GPU to the other.
#[test]
fn c4_only_files_go_up_and_only_the_sum_comes_down() {
    const RANKS: usize = 3;
    let batches = Batches::new("bytes", &[3000, 4000, 2500, 100]);
    let trace = TraceFile::new("ranks");
    let mut command = mpirun(RANKS, &trace.options(), RANKS, &batches.folder);
    let output = run(command.env("NCCL_DEBUG", "INFO"), LIMIT);
    assert_eq!(printed(&output), batches.histogram(), "{output}");
    let hex = |text: &str| u64::from_str_radix(text.strip_prefix("0x").expect("hexadecimal"), 16).expect("hexadecimal");

    // By process: address and size of the samples and the histogram.
    let mut processes: BTreeMap<u64, (Vec<Memory>, Memory)> = BTreeMap::new();
    let (mut samples, mut histograms) = (said(&output, "samples:"), said(&output, "histogram:"));
    for (rank, line) in said(&output, "GPU") {
        let process = line[0].rsplit(' ').next().and_then(|process| process.parse().ok()).expect("a process");
        let buffer = |words: &&str| {
            let (bytes, address) = words.split_once(" bytes at ").expect("bytes and an address");
            (hex(address), bytes.parse::<u64>().expect("a number"))
        };
        let samples = samples.remove(&rank).expect("samples").iter().map(buffer).collect();
        let histogram = histograms.remove(&rank).expect("a histogram").iter().map(buffer).next().expect("one");
        processes.insert(process, (samples, histogram));
    }
    assert_eq!(processes.len(), RANKS, "{output}");

    let (mut up, mut down, mut rccls) = (0, Vec::new(), 0);
    for line in trace.read().lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        let Some((samples, histogram)) = event["pid"].as_u64().and_then(|process| processes.get(&process)) else {
            continue;
        };
        let is_copy =
            event["event"] == "sdma" && event["packet"].as_str().is_some_and(|packet| packet.starts_with("copy"));
        // HIP's and OpenCL's copies by kernels are named; ROCr's own are of code.
        assert!(
            !event["kernel"].as_str().is_some_and(|kernel| kernel.contains("copy") && !kernel.starts_with("ROCr")),
            "{line}"
        );
        if !is_copy {
            continue;
        }
        let [from, to] = ["from", "to"].map(|end| hex(event[end].as_str().expect("an address")));
        let bytes = event["bytes"].as_u64().expect("a size");
        let touches = |at: u64, (start, size): &Memory| at < start + size && at + bytes > *start;
        assert!(!samples.iter().any(|buffer| touches(from, buffer)) && !touches(to, histogram), "{line}");
        match (samples.iter().any(|buffer| touches(to, buffer)), touches(from, histogram)) {
            (true, _) => up += bytes,
            (_, true) => down.push(bytes),
            _ => rccls += bytes,
        }
    }
    assert_eq!((up, down), (batches.bytes(), vec![1024; RANKS]), "bytes of files, and 256 sums a rank");
    // What RCCL copies to begin with, and the numbers of samples.
    assert!(rccls > 0, "RCCL copies what its kernels are to know");

    let ways: BTreeSet<&str> =
        output.lines().filter_map(|line| line.split_once(" via ")?.1.split(' ').next()).collect();
    assert_eq!(ways, BTreeSet::from(["P2P/IPC"]), "{output}");
}

#[test]
fn c4_a_rank_that_fails_ends_all_and_is_named() {
    let batches = Batches::new("fails", &[3000, 4000, 2500, 100, 100]);
    fs::write(batches.folder.join("004"), [1, 2, 3]).expect("the folder is writable");
    let finished = run_any(&mut mpirun(3, &[], 3, &batches.folder), END);
    // The fifth file is of the second rank.
    assert_failed(&finished, &["rank 1 of 3 on ", "/004 has 3 bytes, no whole number of samples of 2"]);
    assert_eq!(printed(&finished.stdout), BTreeMap::new());
}

/// Starts two ranks, sends a signal to the second when it says its process, and gives what `mpirun` wrote as an error.
fn with_signal(signal: &str, mut command: Command) -> String {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
    let process = lines.map_while(Result::ok).find_map(|line| {
        let rank = line.strip_prefix("rank 1 of 2")?;
        Some(rank.split_once(", process ")?.1.to_owned())
    });
    run(Command::new("sh").args(["-c", "kill -$0 $1", signal, &process.expect("a process")]), END);
    let ended = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(!ended.status.success(), "{stderr}");
    stderr
}

#[test]
fn c4_a_rank_that_is_killed_ends_all() {
    let batches = Batches::new("killed", &[20_000; 60]);
    let stderr = with_signal("KILL", mpirun(2, &[], 2, &batches.folder));
    assert!(stderr.contains("signal 9"), "{stderr}");
}

/// For MPI and the start of RCCL, which have no limit of their own, `mpirun` has one.
#[test]
fn c4_a_rank_that_stands_still_ends_all_in_mpiruns_time() {
    let batches = Batches::new("stopped", &[20_000; 60]);
    let mut command = mpirun(2, &[], 2, &batches.folder);
    // Of Open MPI's own variables: the same as `--timeout`.
    command.env("MPIEXEC_TIMEOUT", "30");
    let stderr = with_signal("STOP", command);
    assert!(stderr.contains("30 seconds"), "{stderr}");
}

/// A kernel never ends on the GPU of the first rank: RCCL's, for which that of the other rank waits, or the last one of
/// OpenCL's stage.
#[test]
fn c4_a_gpu_that_hangs_ends_all_in_their_time() {
    const SECONDS: &str = "15";
    // Two batches and one: the first rank launches more, so its last two kernels have numbers that no kernel of the
    // other has.
    let batches = Batches::new("hangs", &[300, 400, 500]);
    let trace = TraceFile::new("ranks-hang");
    let output = run(&mut mpirun(2, &trace.options(), 2, &batches.folder), LIMIT);
    let process = said(&output, "GPU")[&0][0].rsplit(' ').next().and_then(|process| process.parse::<u64>().ok());
    let events = trace.read();
    let events = events.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a line of JSON"));
    let own = events.filter(|event| event["event"] == "dispatch" && event["pid"].as_u64() == process);
    // Kernels of AMD's runtimes have names.
    let numbers = own.filter(|event| event["kernel"].is_null()).filter_map(|event| event["dispatch"].as_u64());
    let numbers: Vec<u64> = numbers.collect();
    let [.., counting, summing] = numbers[..] else { panic!("few kernels: {numbers:?}") };
    for (dispatch, words) in [(summing, "the ranks' sum: "), (counting, "rank 0 of 2 on ")] {
        let mut command = mpirun(2, &["--faults", &format!("hang@dispatch:{dispatch}")], 2, &batches.folder);
        let finished = run_any(command.arg(SECONDS), END);
        assert_failed(&finished, &["of 2 on ", words, "had not ended after 15s"]);
        assert_eq!(printed(&finished.stdout), BTreeMap::new());
    }
}

#[test]
fn c4_more_ranks_than_gpus_are_refused_by_name() {
    let batches = Batches::new("many", &[100]);
    let finished = run_any(&mut mpirun(2, &[], 3, &batches.folder), END);
    assert_failed(
        &finished,
        &["rank 2 of 3 on ", "it is number 2 on this machine, where OpenCL, HIP and HSA all see 2 GPUs"],
    );
    let finished = run_any(&mut mpirun(1, &[], 2, &batches.folder), END);
    assert_failed(&finished, &["rank 1 of 2 on ", "rank 0 of this machine has GPU 0000:23:00.0 too"]);
}
