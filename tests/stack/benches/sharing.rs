//! One round of the same work by every way of sharing, over the size of what is shared. Every round's result is
//! checked.
//!
//! `cargo xtask bench -p stack-tests --plot docs/src/sharing.svg -- "a round"` draws it.
#[path = "../tests/interop/ways.rs"]
mod ways;

use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode};
use rocm_interop::{Device, Libraries, Session};
use ways::{ITEMS, Kernels, Page, WAYS, after};

/// In bytes.
const SIZES: [usize; 5] = [4 << 10, 64 << 10, 1 << 20, 32 << 20, 1 << 30];
/// Copies of the bytes that exist at once, and one to spare.
const COPIES: usize = 4;

fn main() {
    let libraries = Arc::new(Libraries::load().expect("libraries"));
    let devices = Device::all(&libraries).expect("devices");
    let session = Session::open(devices.first().expect("a GPU that OpenCL, HIP and HSA see")).expect("session");
    let kernels = Kernels::new(&session);
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(20))
        .measurement_time(Duration::from_millis(100))
        .sample_size(10)
        .configure_from_args();
    let mut group = criterion.benchmark_group("a round");
    group.sampling_mode(SamplingMode::Flat);
    for bytes in SIZES {
        if free_memory() < COPIES * bytes {
            println!("{bytes} bytes: skipped, too little memory is free");
            continue;
        }
        let mut pages = vec![Page([0; 1024]); bytes.div_ceil(size_of::<Page>())];
        for (name, make) in WAYS {
            group.bench_function(BenchmarkId::new(name, bytes), |b| {
                let mut way = make(&session, bytes / 4, &mut pages);
                way.buffer().write(&[1; ITEMS]).expect("write");
                let mut rounds = 0u32;
                b.iter(|| {
                    way.round(&kernels);
                    rounds += 1;
                });
                let mut end = [0; ITEMS];
                way.buffer().read(&mut end).expect("read");
                assert_eq!(end, [after(rounds); ITEMS], "{name}, {bytes} bytes");
            });
        }
    }
    group.finish();
    criterion.final_summary();
}

/// Bytes that programs can still allocate.
fn free_memory() -> usize {
    let meminfo = std::fs::read_to_string("/proc/meminfo").expect("Linux");
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:")).expect("Linux");
    line.trim().trim_end_matches("kB").trim().parse::<usize>().expect("a number") << 10
}
