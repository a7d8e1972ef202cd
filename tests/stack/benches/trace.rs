//! What it costs a program to be recorded: the calls of launches, with `rocm-trace` and without.
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use criterion::{Criterion, SamplingMode};
use serde_json::Value;
use stack_tests::{hip_program, rocm_trace, run, work_folder};

const LIMIT: Duration = Duration::from_secs(300);

fn main() {
    let program = hip_program("traced");
    let recording = work_folder().join("bench.jsonl");
    let mut criterion =
        Criterion::default().measurement_time(Duration::from_secs(10)).sample_size(10).configure_from_args();
    let mut group = criterion.benchmark_group("the calls of 1000 launches by HIP");
    group.sampling_mode(SamplingMode::Flat);
    // Each sample is a program of its own, which says how long so many launches took.
    let time = |command: &mut Command, thousands: u64| {
        let output = run(command.arg("time").arg((1000 * thousands).to_string()), LIMIT);
        Duration::from_nanos(output.trim().parse().expect("nanoseconds"))
    };
    group.bench_function("reference alone", |b| b.iter_custom(|count| time(&mut Command::new(&program), count)));
    let mut launches = 0;
    group.bench_function("recorded", |b| {
        b.iter_custom(|count| {
            let mut command = Command::new(rocm_trace());
            command.arg("run").arg("--out").arg(&recording).arg("--").arg(&program);
            // The program warms up with a thousand more.
            launches = 1000 * (count + 1);
            time(&mut command, count)
        });
    });
    if launches > 0 {
        say_size(&recording, launches);
    }
    group.bench_function("with the runtime's log of level 4", |b| {
        b.iter_custom(|count| {
            let mut command = Command::new(&program);
            let log = work_folder().join("bench.log");
            command.env("AMD_LOG_LEVEL", "4").env("AMD_LOG_LEVEL_FILE", log);
            time(&mut command, count)
        });
    });
    group.finish();
    criterion.final_summary();
}

/// What the last recording took in the recorder's own file, with what the program did before and behind its launches.
fn say_size(recording: &Path, launches: u64) {
    let lines = BufReader::new(File::open(recording).expect("a recording")).lines();
    let (mut bytes, mut lost, mut events) = (0, 0, 0);
    for line in lines.map(|line| line.expect("a line")) {
        if line.starts_with("{\"kind\":\"process\"") {
            let process: Value = serde_json::from_str(&line).expect("JSON");
            bytes += process["bytes"].as_u64().expect("a number");
            lost += process["lost"].as_u64().expect("a number");
        } else if line.starts_with("{\"id\"") {
            events += 1;
        }
    }
    println!(
        "{launches} launches: {events} events in {bytes} bytes, {} a launch and {} an event; {lost} lost",
        bytes / launches,
        bytes / events
    );
}
