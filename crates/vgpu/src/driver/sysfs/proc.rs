//! `/sys/class/kfd/kfd/proc`: the processes that have `/dev/kfd` open, as in `kfd_process.c` of Linux 6.12.

use super::topology::BASE;
use super::tree::{Directory, Node};
use crate::driver::accounts::Seen;
use crate::driver::config::Config;
use crate::driver::device;

/// The first number for a process's address space: the lower half of 16 bits is for amdgpu's own.
const FIRST_PASID: u64 = 0x8000;

/// Adds the directory to the tree's root.
pub fn add(root: &mut Directory) {
    root.insert(&format!("{BASE}/proc"), Node::Made(processes));
}

fn processes() -> Directory {
    let mut all = Directory::default();
    let Some(config) = Config::get() else { return all };
    device::with_accounts(|accounts| {
        for seen in accounts.processes() {
            all.insert(&seen.process().to_string(), Node::Directory(process(&seen, config)));
        }
    });
    all
}

fn process(seen: &Seen<'_>, config: &Config) -> Directory {
    let mut process = Directory::default();
    process.file("pasid", format!("{}\n", FIRST_PASID + seen.number));
    process.directory("queues", false);
    for (id, queue) in seen.queues() {
        // Without line ends, as the driver writes these three.
        process.file(&format!("queues/{id}/gpuid"), Config::gpu_id(queue.gpu).to_string());
        process.file(&format!("queues/{id}/size"), queue.size.to_string());
        process.file(&format!("queues/{id}/type"), queue.kind.to_string());
    }
    for (index, profile) in (0..).zip(&config.models) {
        let waves_per_unit = u64::from(profile.simds_per_cu * profile.waves_per_simd);
        let (id, activity) = (Config::gpu_id(index), seen.activity(index));
        process.file(&format!("vram_{id}"), format!("{}\n", seen.vram(index)));
        process.file(&format!("sdma_{id}"), format!("{}\n", activity.sdma_ns() / 1000));
        process.file(&format!("stats_{id}/cu_occupancy"), format!("{}\n", activity.waves().div_ceil(waves_per_unit)));
        // Queues are evicted after a memory fault only, and nothing restores them then, which is when the driver
        // counts.
        process.file(&format!("stats_{id}/evicted_ms"), "0\n");
        // Memory does not move.
        for counter in ["faults", "page_in", "page_out"] {
            process.file(&format!("counters_{id}/{counter}"), "0\n");
        }
    }
    process
}
