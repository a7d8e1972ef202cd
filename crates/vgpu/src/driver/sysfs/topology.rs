//! `/sys/devices/virtual/kfd/kfd/topology`: nodes, memory banks, caches and links.

use super::tree::Directory;
use crate::driver::config::Config;
use crate::hardware::profile::{Cache, Profile};
use kfd_sys::{HSA_IOLINK_FLAGS_ENABLED, HSA_IOLINK_FLAGS_NON_COHERENT};
use std::fmt::Write;

/// Where amdkfd has its files.
pub(super) const BASE: &str = "sys/devices/virtual/kfd/kfd";
/// `simd_id_base` of the first GPU's node.
const SIMD_ID_BASE: u32 = 0x8000_1000;
/// `HSA_IOLINK_TYPE_PCIEXPRESS`.
const PCIE: u32 = 2;
/// `HSA_IOLINK_TYPE_XGMI`.
const XGMI: u32 = 11;

fn properties(values: &[(&str, u64)]) -> String {
    values.iter().fold(String::new(), |mut text, (key, value)| {
        let _ = writeln!(text, "{key} {value}");
        text
    })
}

/// Adds the topology of `config` to the tree's root.
pub fn add(root: &mut Directory, config: &Config) {
    let topology = format!("{BASE}/topology");
    // The driver counts the CPUs' part as one step, and each GPU's.
    root.file(&format!("{topology}/generation_id"), format!("{}\n", 1 + config.gpus()));
    root.file(
        &format!("{topology}/system_properties"),
        properties(&[("platform_oem", 0), ("platform_id", 0), ("platform_rev", 0)]),
    );
    cpu(root, config, &format!("{topology}/nodes/0"));
    for index in 0..config.gpus() {
        gpu(root, config, index, &format!("{topology}/nodes/{}", index + 1));
    }
    root.file(&format!("{BASE}/dev"), "236:0\n");
    root.file(&format!("{BASE}/uevent"), "MAJOR=236\nMINOR=0\nDEVNAME=kfd\n");
    root.link(&format!("{BASE}/subsystem"), "../../../../class/kfd");
    root.directory("sys/class/kfd", false).link("kfd", "../../devices/virtual/kfd/kfd");
}

fn online_cpus() -> u64 {
    // SAFETY: no memory involved.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) }).unwrap_or(1)
}

fn host_memory_bytes() -> u64 {
    // SAFETY: all zero is a valid sysinfo, and it is only written to.
    let mut info: libc::sysinfo = unsafe { std::mem::zeroed() };
    // SAFETY: `info` is valid for writing.
    if unsafe { libc::sysinfo(&mut info) } != 0 {
        return 0;
    }
    info.totalram * u64::from(info.mem_unit)
}

/// Highest clock of the host's processors, in MHz (0 if the host does not say).
fn cpu_clock_mhz() -> u64 {
    crate::real::read_file(c"/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
        .and_then(|text| String::from_utf8_lossy(&text).trim().parse::<u64>().ok())
        .map_or(0, |khz| khz / 1000)
}

fn cpu(root: &mut Directory, config: &Config, node: &str) {
    root.file(&format!("{node}/gpu_id"), "0\n");
    root.file(&format!("{node}/name"), "\n");
    let values = node_properties(&[
        ("cpu_cores_count", online_cpus()),
        ("mem_banks_count", 1),
        ("io_links_count", u64::from(config.gpus())),
    ]);
    root.file(
        &format!("{node}/properties"),
        properties(&values) + &format!("max_engine_clk_ccompute {}\n", cpu_clock_mhz()),
    );
    memory(root, &format!("{node}/mem_banks/0"), 0, host_memory_bytes(), 72, 2933);
    root.directory(&format!("{node}/caches"), false);
    root.directory(&format!("{node}/p2p_links"), false);
    root.directory(&format!("{node}/perf"), false);
    for index in 0..config.gpus() {
        write_link(
            root,
            &format!("{node}/io_links/{index}"),
            &Link::to_host(config.profile(index)).between(0, index + 1),
        );
    }
}

/// The properties that every node has, in the driver's order, with `known` values and 0 for the rest.
fn node_properties(known: &[(&'static str, u64)]) -> Vec<(&'static str, u64)> {
    const KEYS: [&str; 34] = [
        "cpu_cores_count",
        "simd_count",
        "mem_banks_count",
        "caches_count",
        "io_links_count",
        "p2p_links_count",
        "cpu_core_id_base",
        "simd_id_base",
        "max_waves_per_simd",
        "lds_size_in_kb",
        "gds_size_in_kb",
        "num_gws",
        "wave_front_size",
        "array_count",
        "simd_arrays_per_engine",
        "cu_per_simd_array",
        "simd_per_cu",
        "max_slots_scratch_cu",
        "gfx_target_version",
        "vendor_id",
        "device_id",
        "location_id",
        "domain",
        "drm_render_minor",
        "hive_id",
        "num_sdma_engines",
        "num_sdma_xgmi_engines",
        "num_sdma_queues_per_engine",
        "num_cp_queues",
        "cwsr_size",
        "ctl_stack_size",
        "max_engine_clk_fcompute",
        "local_mem_size",
        "fw_version",
    ];
    // The driver reports everything from the engine clock on for GPUs only.
    let gpu = known.iter().any(|(key, _)| *key == "simd_count");
    let keys = if gpu { &KEYS[..] } else { &KEYS[..31] };
    keys.iter()
        .map(|key| (*key, known.iter().find(|(name, _)| name == key).map_or(0, |(_, value)| *value)))
        .chain(known.iter().filter(|(name, _)| !KEYS.contains(name)).copied())
        .collect()
}

fn gpu(root: &mut Directory, config: &Config, index: u32, node: &str) {
    let profile = config.profile(index);
    root.file(&format!("{node}/gpu_id"), format!("{}\n", Config::gpu_id(index)));
    root.file(&format!("{node}/name"), format!("{}\n", profile.chip));
    let simd_id_base = simd_id_base(config, index);
    let caches = caches(root, profile, simd_id_base, &format!("{node}/caches"));
    let save = profile.context_save();
    let values = node_properties(&[
        ("simd_count", u64::from(profile.compute_units * profile.simds_per_cu)),
        ("mem_banks_count", 1),
        ("caches_count", caches),
        ("io_links_count", 1 + config.hive(index).count() as u64),
        ("p2p_links_count", config.beside(index).count() as u64),
        ("simd_id_base", u64::from(simd_id_base)),
        ("max_waves_per_simd", u64::from(profile.waves_per_simd)),
        ("lds_size_in_kb", u64::from(profile.lds_bytes / 1024)),
        ("num_gws", u64::from(profile.gws)),
        ("wave_front_size", 64),
        ("array_count", u64::from(profile.shader_engines * profile.xccs)),
        ("simd_arrays_per_engine", 1),
        ("cu_per_simd_array", u64::from(profile.cus_per_array)),
        ("simd_per_cu", u64::from(profile.simds_per_cu)),
        ("max_slots_scratch_cu", u64::from(profile.scratch_slots_per_cu)),
        ("gfx_target_version", u64::from(profile.gfx_target_version)),
        ("vendor_id", 0x1002),
        ("device_id", u64::from(profile.device_id)),
        // A partition's number is where PCI numbers functions have theirs (`kfd_topology_add_device`), though the card
        // has one function only.
        ("location_id", u64::from(config.pci_bus(index) << 8 | (index - config.card(index).start))),
        ("drm_render_minor", u64::from(Config::render_minor(index))),
        ("hive_id", hive_id(config, index)),
        ("num_sdma_engines", u64::from(profile.sdma_engines)),
        ("num_sdma_xgmi_engines", u64::from(profile.sdma_xgmi_engines)),
        ("num_sdma_queues_per_engine", u64::from(profile.sdma_queues_per_engine)),
        ("num_cp_queues", u64::from(profile.cp_queues)),
        ("cwsr_size", u64::from(save.area)),
        ("ctl_stack_size", u64::from(save.control_stack)),
        ("max_engine_clk_fcompute", u64::from(profile.core_clock_mhz)),
        ("fw_version", u64::from(profile.firmware)),
        ("capability", u64::from(profile.capability)),
        ("debug_prop", profile.debug_properties),
        ("sdma_fw_version", u64::from(profile.sdma_firmware)),
        ("unique_id", unique_id(config.card(index).start)),
        ("num_xcc", u64::from(profile.xccs)),
    ]);
    root.file(
        &format!("{node}/properties"),
        properties(&values) + &format!("max_engine_clk_ccompute {}\n", cpu_clock_mhz()),
    );
    // One bank of type 1 (`HSA_MEM_HEAP_TYPE_FB_PUBLIC`): all of the memory is visible to the host.
    memory(
        root,
        &format!("{node}/mem_banks/0"),
        1,
        config.vram_bytes(index),
        profile.memory_width,
        profile.memory_clock_mhz,
    );
    root.directory(&format!("{node}/p2p_links"), false);
    root.directory(&format!("{node}/perf"), false);
    write_link(root, &format!("{node}/io_links/0"), &Link::to_host(profile).between(index + 1, 0));
    for (at, peer) in (1..).zip(config.hive(index)) {
        write_link(
            root,
            &format!("{node}/io_links/{at}"),
            &Link::in_hive(config, index, peer).between(index + 1, peer + 1),
        );
    }
    for (at, peer) in config.beside(index).enumerate() {
        let link = Link::over_the_host(config, index, peer).between(index + 1, peer + 1);
        write_link(root, &format!("{node}/p2p_links/{at}"), &link);
    }
}

/// First processor id of GPU `index`: one for each compute unit of an XCC, those that are absent included. (The driver
/// counts one XCC's only.)
fn simd_id_base(config: &Config, index: u32) -> u32 {
    let before = &config.models[..index as usize];
    SIMD_ID_BASE + before.iter().map(|profile| profile.shader_engines * profile.cus_per_array).sum::<u32>()
}

/// Id of the xGMI hive that connects GPU `index`'s card with others; without one, of a card that is divided the place
/// on the PCI bus, by which the driver connects its partitions (`kgd2kfd_device_init`), and of others 0.
fn hive_id(config: &Config, index: u32) -> u64 {
    const HIVES: u64 = 0x7667_7075_0000_0000;
    let (profile, card) = (config.profile(index), config.card(index));
    if config.hive(index).any(|peer| !card.contains(&peer)) {
        HIVES | u64::from(profile.device_id)
    } else if profile.partitions > 1 {
        u64::from(config.pci_bus(index) << 8)
    } else {
        0
    }
}

/// Serial number of the card whose first GPU is `index`.
pub fn unique_id(index: u32) -> u64 {
    0x0076_6770_7500_0001 + u64::from(index)
}

fn memory(root: &mut Directory, bank: &str, heap: u64, bytes: u64, width: u32, clock: u32) {
    let values = [
        ("heap_type", heap),
        ("size_in_bytes", bytes),
        ("flags", 0),
        ("width", u64::from(width)),
        ("mem_clk_max", u64::from(clock)),
    ];
    root.file(&format!("{bank}/properties"), properties(&values));
}

/// A link of the topology.
struct Link {
    kind: u32,
    from: u32,
    to: u32,
    weight: u32,
    /// In MB/s, the least and the most.
    bandwidth: [u32; 2],
    /// Copy engines that the driver recommends, a bit each.
    engines: u32,
    /// What is written on one side is not coherent with the other's caches.
    non_coherent: bool,
}

impl Link {
    /// Of the host with a GPU.
    fn to_host(profile: &Profile) -> Link {
        let engines = (1 << profile.sdma_engines) - 1;
        Link { kind: PCIE, from: 0, to: 0, weight: 20, bandwidth: [312, 32000], engines, non_coherent: false }
    }

    /// From GPU `index` to another of its hive. The driver describes a link, one hop of xGMI, when it adds the later
    /// GPU; that of a partition has weights of its own (`kfd_fill_gpu_xgmi_link_to_gpu`).
    fn in_hive(config: &Config, index: u32, peer: u32) -> Link {
        const IN_SOCKET: u32 = 13;
        const HOP: u32 = 15;
        let (profile, later) = (config.profile(index), config.profile(index.max(peer)));
        let engines = ((1 << profile.sdma_xgmi_engines) - 1) << profile.sdma_engines;
        let (weight, megabytes) = match later.partitions {
            1 => (HOP, profile.xgmi_megabytes),
            _ if config.card(index).contains(&peer) => (IN_SOCKET, 819_200),
            _ => (2 * IN_SOCKET + HOP, 0),
        };
        Link { kind: XGMI, from: 0, to: 0, weight, bandwidth: [megabytes; 2], engines, non_coherent: false }
    }

    /// From GPU `index` to another that no xGMI connects with it (`kfd_add_peer_prop`): it takes both GPUs' links to
    /// the host, and recommends the engines of the other's link, which has none yet if the driver adds that GPU later.
    fn over_the_host(config: &Config, index: u32, peer: u32) -> Link {
        let to_host = Link::to_host(config.profile(peer));
        let engines = if peer < index { to_host.engines } else { 0 };
        Link { weight: 2 * to_host.weight, engines, non_coherent: true, ..to_host }
    }

    /// This link between two nodes. What the host writes over PCI Express is not coherent with the GPU's caches.
    fn between(self, from: u32, to: u32) -> Link {
        Link { from, to, non_coherent: self.non_coherent || from == 0, ..self }
    }
}

fn write_link(root: &mut Directory, path: &str, link: &Link) {
    // Atomics and peer-to-peer DMA work on all.
    let flags = HSA_IOLINK_FLAGS_ENABLED | if link.non_coherent { HSA_IOLINK_FLAGS_NON_COHERENT } else { 0 };
    let values = [
        ("type", link.kind),
        ("version_major", 0),
        ("version_minor", 0),
        ("node_from", link.from),
        ("node_to", link.to),
        ("weight", link.weight),
        ("min_latency", 0),
        ("max_latency", 0),
        ("min_bandwidth", link.bandwidth[0]),
        ("max_bandwidth", link.bandwidth[1]),
        ("recommended_transfer_size", 0),
        ("recommended_sdma_engine_id_mask", link.engines),
        ("flags", flags),
    ];
    root.file(&format!("{path}/properties"), properties(&values.map(|(key, value)| (key, u64::from(value)))));
}

/// `base` is the processor id of the GPU's first compute unit.
fn caches(root: &mut Directory, profile: &Profile, base: u32, directory: &str) -> u64 {
    let engines = || (0..profile.xccs).flat_map(|xcc| (0..profile.shader_engines).map(move |engine| (xcc, engine)));
    let mut count = 0;
    for cache in profile.caches {
        if cache.shared_by == u32::MAX {
            // As the driver writes it: the first engine from its first compute unit on, then all engines but the last.
            let first = profile.units_of_engine(0);
            let absent = first.trailing_zeros();
            let maps: Vec<u32> = std::iter::once(first >> absent)
                .chain(engines().map(|(_, engine)| profile.units_of_engine(engine)))
                .take(engines().count())
                .collect();
            write_cache(root, directory, &mut count, cache, base + absent, &maps);
            continue;
        }
        for (xcc, engine) in engines() {
            for group in (0..profile.cus_per_array).step_by(cache.shared_by as usize) {
                let members = profile.units_of_engine(engine) >> group & ((1 << cache.shared_by) - 1);
                let absent = members.trailing_zeros();
                if members != 0 {
                    let before = (xcc * profile.shader_engines + engine) * profile.cus_per_array;
                    let processor = base + before + group + absent;
                    write_cache(root, directory, &mut count, cache, processor, &[members >> absent]);
                }
            }
        }
    }
    count
}

/// `siblings` has a bit for each compute unit that shares the cache, from `processor` on.
fn write_cache(
    root: &mut Directory,
    directory: &str,
    count: &mut u64,
    cache: &Cache,
    processor: u32,
    siblings: &[u32],
) {
    let values = [
        ("processor_id_low", u64::from(processor)),
        ("level", u64::from(cache.level)),
        ("size", u64::from(cache.kib)),
        ("cache_line_size", u64::from(cache.line)),
        ("cache_lines_per_tag", 0),
        ("association", 0),
        ("latency", 0),
        ("type", u64::from(cache.kind)),
    ];
    let bits = siblings.iter().flat_map(|word| (0..32).map(move |bit| if word >> bit & 1 == 1 { "1" } else { "0" }));
    let map = bits.collect::<Vec<&str>>().join(",");
    root.file(&format!("{directory}/{count}/properties"), properties(&values) + &format!("sibling_map {map}\n"));
    *count += 1;
}
