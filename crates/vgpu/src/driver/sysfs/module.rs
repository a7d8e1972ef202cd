//! The folder `/sys/module/amdgpu`.

use super::tree::Directory;

/// Parameters of the module that concern compute, with the defaults of Linux 6.12 (`amdgpu_drv.c`), with which the
/// device behaves. Parameters of displays, of graphics and of older chips are not there.
const PARAMETERS: [(&str, &str); 28] = [
    ("bad_page_threshold", "-1"),
    ("compute_multipipe", "-1"),
    ("cwsr_enable", "1"),
    ("debug_evictions", "N"),
    ("emu_mode", "0"),
    ("enforce_isolation", "N"),
    ("exp_hw_support", "0"),
    ("gpu_recovery", "-1"),
    ("gttsize", "-1"),
    ("halt_if_hws_hang", "0"),
    ("hws_gws_support", "N"),
    ("hws_max_conc_proc", "-1"),
    ("max_num_of_queues_per_device", "4096"),
    ("mes", "0"),
    ("mtype_local", "0"),
    ("no_queue_eviction_on_vm_fault", "0"),
    ("no_system_mem_limit", "N"),
    ("noretry", "-1"),
    ("num_kcq", "-1"),
    ("pcie_p2p", "Y"),
    ("queue_preemption_timeout_ms", "9000"),
    ("ras_enable", "-1"),
    ("sched_policy", "0"),
    ("send_sigterm", "0"),
    ("svm_default_granularity", "9"),
    ("use_xgmi_p2p", "1"),
    ("vm_fragment_size", "-1"),
    ("vm_size", "-1"),
];

/// Adds the module to the tree's root.
pub fn add(root: &mut Directory) {
    let module = root.directory("sys/module/amdgpu", false);
    module.file("initstate", "live\n");
    module.file("version", "6.10.5\n");
    module.file("refcnt", "0\n");
    for (name, value) in PARAMETERS {
        module.file(&format!("parameters/{name}"), format!("{value}\n"));
    }
}
