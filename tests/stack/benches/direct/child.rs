//! Measuring in another process: `kfd` and ROCr cannot share one, as each wants to be the only one to give the GPU an
//! address space. The benchmark starts itself again; the child reads counts, a line each, and answers each with the
//! nanoseconds that so many iterations took.
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use criterion::{BenchmarkGroup, measurement::WallTime};

/// Tells a child its task.
const TASK: &str = "STACK_TESTS_DIRECT";

/// The task of this process, if it is a child.
pub fn task() -> Option<String> {
    std::env::var(TASK).ok()
}

/// Answers until the parent asks no more.
pub fn answer(mut time: impl FnMut(u64) -> Duration) {
    for line in std::io::stdin().lines() {
        let count = line.expect("the parent's line").parse().expect("a count");
        println!("{}", time(count).as_nanos());
    }
}

/// What the parent wrote.
pub fn input() -> Vec<u8> {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).expect("the parent's bytes");
    bytes
}

/// Measures a task in a child.
pub fn bench(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, task: &str) {
    // Started when the benchmark is among those that are asked for.
    let mut worker = None;
    group.bench_function(name, |b| {
        b.iter_custom(|count| worker.get_or_insert_with(|| Worker::start(task)).time(count));
    });
    if let Some(worker) = worker {
        worker.end();
    }
}

/// Time from the start of a child to its end, which has to be a success.
pub fn whole(task: &str, input: &[u8]) -> Duration {
    let started = Instant::now();
    let mut child = spawn(task);
    child.stdin.take().expect("piped").write_all(input).expect("the child reads");
    let status = child.wait().expect("a child");
    assert!(status.success(), "{task}: {status}");
    started.elapsed()
}

fn spawn(task: &str) -> Child {
    let mut this = Command::new(std::env::current_exe().expect("a program has a path"));
    this.env(TASK, task).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a child")
}

struct Worker {
    child: Child,
    counts: ChildStdin,
    times: BufReader<ChildStdout>,
}

impl Worker {
    fn start(task: &str) -> Worker {
        let mut child = spawn(task);
        let counts = child.stdin.take().expect("piped");
        let times = BufReader::new(child.stdout.take().expect("piped"));
        Worker { child, counts, times }
    }

    fn time(&mut self, count: u64) -> Duration {
        writeln!(self.counts, "{count}").expect("the child reads");
        let mut line = String::new();
        self.times.read_line(&mut line).expect("the child's line");
        Duration::from_nanos(line.trim_end().parse().expect("the child ended early"))
    }

    fn end(mut self) {
        drop(self.counts);
        let status = self.child.wait().expect("a child");
        assert!(status.success(), "{status}");
    }
}
