//! The virtual files that describe the machine's GPUs.

mod config_space;
mod discovery;
mod module;
pub mod pci;
mod power;
mod proc;
pub mod topology;
pub mod tree;

use crate::driver::config::Config;
use std::sync::OnceLock;
use tree::Directory;

/// Directories whose real content shows beside the virtual one.
const OVERLAYS: [&str; 15] = [
    "dev",
    "sys/bus/pci/devices",
    "sys/bus/pci/drivers",
    "sys/class",
    "sys/dev/char",
    "sys/devices/pci0000:20",
    "sys/devices/platform",
    "sys/devices/virtual",
    "sys/module",
    "sys/bus/pci",
    "sys/bus",
    "sys/dev",
    "sys/devices",
    "sys",
    "",
];

/// The tree of the machine that `config` describes.
pub fn build(config: &Config) -> Directory {
    let mut root = Directory { overlay: true, ..Directory::default() };
    topology::add(&mut root, config);
    proc::add(&mut root);
    module::add(&mut root);
    pci::add(&mut root, config);
    for path in OVERLAYS {
        root.directory(path, true);
    }
    root
}

/// The tree of this process's machine, if it has GPUs.
pub fn tree() -> Option<&'static Directory> {
    static TREE: OnceLock<Directory> = OnceLock::new();
    Config::get().map(|config| TREE.get_or_init(|| build(config)))
}

#[cfg(test)]
mod tests {
    use super::tree::{Found, Node};
    use super::*;
    use crate::hardware::engine::Options;
    use crate::hardware::profile::{MI100, MI210, MI300X, MI300X_CPX, MI300X_DPX, MI300X_QPX, Profile};

    fn machine(models: &[&'static Profile], linked: bool) -> Directory {
        build(&Config { models: Config::gpus_of(models), linked, engine: Options::default(), run: None })
    }

    fn text(tree: &Directory, path: &str) -> String {
        match node(tree, path) {
            Node::File(content) => String::from_utf8(content).unwrap(),
            other => panic!("{path}: {other:?}"),
        }
    }

    fn node(tree: &Directory, path: &str) -> Node {
        match tree.find(path, true) {
            Found::Node(_, node) => node.into_owned(),
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn an_mi100_reads_like_a_published_dump() {
        let tree = machine(&[&MI100], true);
        let properties = text(&tree, "/sys/class/kfd/kfd/topology/nodes/1/properties");
        for line in [
            "simd_count 480",
            "caches_count 217",
            "simd_id_base 2147487744",
            "gfx_target_version 90008",
            "device_id 29580",
            "num_sdma_xgmi_engines 6",
            "num_cp_queues 24",
            "capability 749970048",
            "debug_prop 1494",
            "num_xcc 1",
        ] {
            assert!(properties.lines().any(|have| have == line), "{line} is missing in\n{properties}");
        }
        assert!(matches!(
            tree.find("/sys/class/kfd/kfd/topology/nodes/1/caches/216/properties", true),
            Found::Node(..)
        ));
        assert!(matches!(tree.find("/sys/class/kfd/kfd/topology/nodes/1/caches/217", true), Found::Missing(_)));
    }

    /// Values of the driver's tables and loops (`kfd_topology.c` and `kfd_crat.c` of Linux 6.12) for 15 of 16 compute
    /// units in each engine.
    #[test]
    fn caches_and_links_read_as_the_driver_writes_them() {
        let tree = machine(&[&MI100, &MI100], true);
        let node = |path: &str| text(&tree, &format!("/sys/class/kfd/kfd/topology/nodes/{path}"));
        let value = |path: &str, key: &str| {
            let text = node(path);
            let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')).map(str::to_owned);
            line.unwrap_or_else(|| panic!("{key} is missing in\n{text}"))
        };
        let siblings = |path: &str| {
            let bits = value(path, "sibling_map");
            let bits: Vec<&str> = bits.split(',').collect();
            (bits.len(), bits.iter().filter(|bit| **bit == "1").count(), bits[0] == "1")
        };
        // The vector cache of the first and of the last compute unit.
        assert_eq!(value("1/caches/0/properties", "processor_id_low"), "2147487745");
        assert_eq!(value("1/caches/119/properties", "processor_id_low"), "2147487871");
        assert_eq!(siblings("1/caches/119/properties"), (32, 1, true));
        assert_eq!(value("1/caches/0/properties", "cache_lines_per_tag"), "0");
        // Instruction caches: two compute units, then three, and one at the end of an engine.
        assert_eq!(value("1/caches/120/properties", "processor_id_low"), "2147487745");
        assert_eq!([120, 121, 125].map(|cache| siblings(&format!("1/caches/{cache}/properties")).1), [2, 3, 1]);
        assert_eq!(value("1/caches/126/properties", "processor_id_low"), "2147487761");
        assert_eq!(value("1/caches/216/properties", "level"), "2");
        assert_eq!(siblings("1/caches/216/properties"), (256, 120, true));
        assert_eq!(value("2/properties", "simd_id_base"), "2147487872");
        assert_eq!(value("2/caches/0/properties", "processor_id_low"), "2147487873");

        assert_eq!(value("0/properties", "cwsr_size"), "0");
        assert!(!node("0/properties").contains("max_engine_clk_fcompute"));
        assert_eq!(text(&tree, "/sys/class/kfd/kfd/topology/generation_id"), "3\n");
        for (link, engines, flags) in
            [("0/io_links/1", "3", "3"), ("1/io_links/0", "3", "1"), ("1/io_links/1", "252", "1")]
        {
            let path = format!("{link}/properties");
            assert_eq!(value(&path, "recommended_sdma_engine_id_mask"), engines, "{link}");
            assert_eq!(value(&path, "flags"), flags, "{link}");
        }
        for index in 0..3 {
            let path = format!("/sys/class/kfd/kfd/topology/nodes/{index}/perf");
            assert!(matches!(super::tests::node(&tree, &path), Node::Directory(_)), "{path}");
        }
    }

    /// Of the dump in the tests of the Python package gpuq all that is the GPU's own; the sizes of the save area are
    /// `kfd_queue_ctx_save_restore_size`'s.
    #[test]
    fn an_mi300x_reads_like_a_published_dump() {
        let tree = machine(&[&MI300X, &MI300X], true);
        let node = |path: &str| text(&tree, &format!("/sys/class/kfd/kfd/topology/nodes/{path}/properties"));
        let have = |path: &str, lines: &[&str]| {
            let text = node(path);
            for line in lines {
                assert!(text.lines().any(|have| have == *line), "{path}: {line} is missing in\n{text}");
            }
        };
        let counts = ["simd_count 1216", "mem_banks_count 1", "caches_count 626", "array_count 32", "num_xcc 8"];
        have("2", &counts);
        let shape = ["simd_arrays_per_engine 1", "cu_per_simd_array 10", "simd_per_cu 4", "max_slots_scratch_cu 32"];
        have("2", &shape);
        // One XCC's processors for each GPU.
        have("2", &["simd_id_base 2147487784", "max_waves_per_simd 8", "lds_size_in_kb 64", "num_gws 64"]);
        have("2", &["gfx_target_version 90402", "device_id 29857", "num_sdma_engines 2", "num_sdma_xgmi_engines 14"]);
        have("2", &["num_sdma_queues_per_engine 8", "num_cp_queues 24", "max_engine_clk_fcompute 2100"]);
        have("2", &["fw_version 166", "capability 746037888", "debug_prop 1511", "sdma_fw_version 22"]);
        have("2", &["cwsr_size 23203840", "ctl_stack_size 12288"]);
        have("2/mem_banks/0", &["size_in_bytes 206141652992", "width 8192", "mem_clk_max 1300"]);
        have("2/io_links/1", &["type 11", "node_to 1", "max_bandwidth 50000", "recommended_sdma_engine_id_mask 65532"]);
        // 304 vector caches, 160 of instructions, 160 scalar ones, and of those of the GPU a map of 32 engines with 10
        // units each.
        have("2/caches/303", &["level 1", "size 32", "cache_line_size 128", "processor_id_low 2147488103"]);
        have("2/caches/304", &["size 64", "type 10"]);
        have("2/caches/624", &["level 2", "size 4096", "cache_line_size 128"]);
        have("2/caches/625", &["level 3", "size 262144", "cache_line_size 64"]);
        let map = node("2/caches/624");
        let map = map.lines().find_map(|line| line.strip_prefix("sibling_map ")).unwrap();
        // The first engine, which has ten units, is there twice, and the last, which has nine, is not
        // (`fill_in_l2_l3_pcache`).
        assert_eq!((map.split(',').count(), map.matches('1').count()), (32 * 32, 304 + 10 - 9));
        assert_eq!(text(&tree, "/sys/class/kfd/kfd/topology/nodes/2/name"), "ip discovery\n");
        let device = "/sys/dev/char/226:128/device";
        for (file, content) in [
            ("device", "0x74a1\n"),
            ("subsystem_device", "0x74a1\n"),
            ("current_compute_partition", "SPX\n"),
            ("available_compute_partition", "SPX, DPX, QPX, CPX\n"),
            ("current_memory_partition", "NPS1\n"),
            ("ip_discovery/die/0/11/7/revision", "3\n"),
            ("ip_discovery/die/0/SDMA0/15/minor", "4\n"),
            ("ip_discovery/die/0/NBIF/0/hw_id", "108\n"),
            ("ip_discovery/die/0/NBIF/0/harvest", "0x0\n"),
        ] {
            assert_eq!(text(&tree, &format!("{device}/{file}")), content, "{file}");
        }
        assert!(matches!(tree.find(&format!("{device}/ip_discovery/die/0/GC/8"), true), Found::Missing(_)));
    }

    /// What Linux 6.12 makes of the modes: `kfd_create_vcrat_image_gpu`, `kfd_get_num_sdma_engines`,
    /// `amdgpu_amdkfd_xcp_memory_size`, `kfd_topology_add_device`, `kgd2kfd_device_init`,
    /// `kfd_fill_gpu_xgmi_link_to_gpu`, `amdgpu_xcp_drm_dev_alloc`.
    #[test]
    fn partitions_of_a_card_are_gpus() {
        for (model, mode, partitions, of_each) in [
            (&MI300X_DPX, "DPX", 2_u32, ["simd_count 608", "array_count 16", "num_xcc 4", "num_sdma_xgmi_engines 6"]),
            (&MI300X_QPX, "QPX", 4, ["simd_count 304", "array_count 8", "num_xcc 2", "num_sdma_xgmi_engines 2"]),
            (&MI300X_CPX, "CPX", 8, ["simd_count 152", "array_count 4", "num_xcc 1", "num_sdma_xgmi_engines 0"]),
        ] {
            // In front of them stands another card, behind them nothing.
            let tree = machine(&[&MI100, model], true);
            let topology = "/sys/class/kfd/kfd/topology";
            let node = |path: &str| text(&tree, &format!("{topology}/nodes/{path}/properties"));
            let have = |path: &str, line: &str| {
                let text = node(path);
                assert!(text.lines().any(|have| have == line), "{mode} {path}: {line} is missing in\n{text}");
            };
            assert_eq!(text(&tree, &format!("{topology}/generation_id")), format!("{}\n", 2 + partitions));
            have("0", &format!("io_links_count {}", 1 + partitions));
            for partition in 0..partitions {
                let at = (2 + partition).to_string();
                of_each.iter().for_each(|line| have(&at, line));
                have(&at, "num_sdma_engines 2");
                // Of one XCC, in all modes.
                have(&at, "cwsr_size 23203840");
                have(&at, "lds_size_in_kb 64");
                have(&at, &format!("location_id {}", 0x26 << 8 | partition));
                have(&at, &format!("drm_render_minor {}", 129 + partition));
                have(&at, &format!("unique_id {}", topology::unique_id(1)));
                have(&at, "domain 0");
                have(&at, &format!("hive_id {}", 0x26 << 8));
                have(
                    &format!("{at}/mem_banks/0"),
                    &format!("size_in_bytes {}", 206_141_652_992_u64 / u64::from(partitions)),
                );
                // The host, and each of the others.
                have(&at, &format!("io_links_count {partitions}"));
                have(&at, "p2p_links_count 1");
                let peers = (2..2 + partitions).filter(|peer| *peer != 2 + partition);
                for (link, peer) in (1..).zip(peers) {
                    let link = format!("{at}/io_links/{link}");
                    for line in ["type 11", "weight 13", "min_bandwidth 819200", "max_bandwidth 819200"] {
                        have(&link, line);
                    }
                    have(&link, &format!("node_to {peer}"));
                }
                let render = format!("/sys/class/drm/renderD{}", 129 + partition);
                let bus = match tree.find(&format!("{render}/device/subsystem"), false) {
                    Found::Node(_, node) => node.into_owned(),
                    other => panic!("{other:?}"),
                };
                let is_on = if partition == 0 { "pci" } else { "platform" };
                assert!(matches!(&bus, Node::Link(to) if to.ends_with(&format!("/bus/{is_on}"))), "{bus:?}");
                assert!(matches!(
                    super::tests::node(&tree, &format!("/dev/dri/renderD{}", 129 + partition)),
                    Node::Device { .. }
                ));
            }
            assert!(matches!(tree.find(&format!("{topology}/nodes/{}", 2 + partitions), true), Found::Missing(_)));
            let card = "/sys/bus/pci/devices/0000:26:00.0";
            for (file, content) in [
                ("current_compute_partition", mode),
                ("available_compute_partition", "SPX, DPX, QPX, CPX"),
                ("current_memory_partition", "NPS1"),
                ("mem_info_vram_total", "206141652992"),
                ("ip_discovery/die/0/GC/7/major", "9"),
                ("ip_discovery/die/0/SDMA0/15/major", "4"),
            ] {
                assert_eq!(text(&tree, &format!("{card}/{file}")), format!("{content}\n"), "{mode} {file}");
            }
        }
    }

    /// The later GPU of a pair decides how the driver describes the link, and cards that are connected have a hive of
    /// their own.
    #[test]
    fn partitions_of_two_cards_are_connected_and_those_of_one_always() {
        let link = |tree: &Directory, from: u32, at: u32| {
            let text = text(tree, &format!("/sys/class/kfd/kfd/topology/nodes/{from}/io_links/{at}/properties"));
            let of = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok()).unwrap();
            ["node_to ", "weight ", "max_bandwidth "].map(of)
        };
        let hive = |tree: &Directory| {
            let text = text(tree, "/sys/class/kfd/kfd/topology/nodes/1/properties");
            text.lines().find_map(|line| line.strip_prefix("hive_id ")?.parse::<u64>().ok()).unwrap()
        };
        let both = machine(&[&MI300X_DPX, &MI300X_DPX], true);
        let links: Vec<[u32; 3]> = (1..4).map(|at| link(&both, 1, at)).collect();
        assert_eq!(links, [[2, 13, 819_200], [3, 41, 0], [4, 41, 0]]);
        let mixed = machine(&[&MI300X_DPX, &MI300X], true);
        assert_eq!([link(&mixed, 1, 2), link(&mixed, 3, 1)], [[3, 15, 50_000], [1, 15, 50_000]]);
        let unlinked = machine(&[&MI300X_DPX, &MI300X_DPX], false);
        assert_eq!([link(&unlinked, 1, 1), link(&unlinked, 3, 1)], [[2, 13, 819_200], [4, 13, 819_200]]);
        let missing = unlinked.find("/sys/class/kfd/kfd/topology/nodes/1/io_links/2", true);
        assert!(matches!(missing, Found::Missing(_)), "{missing:?}");
        assert_eq!([hive(&both) == hive(&mixed), hive(&unlinked) == 0x23 << 8], [true; 2]);
    }

    #[test]
    fn libdrm_finds_the_render_node() {
        let tree = machine(&[&MI100, &MI100], true);
        assert!(matches!(node(&tree, "/sys/dev/char/226:129/device/drm"), Node::Directory(_)));
        assert_eq!(text(&tree, "/sys/dev/char/226:128/device/device"), "0x738c\n");
        assert!(matches!(tree.find("/dev/null", true), Found::Real));
        assert!(matches!(tree.find("/dev/dri/card0", true), Found::Missing(_)));
    }

    #[test]
    fn two_gpus_are_linked_to_each_other() {
        let tree = machine(&[&MI100, &MI100], true);
        let link = text(&tree, "/sys/class/kfd/kfd/topology/nodes/2/io_links/1/properties");
        assert!(link.starts_with("type 11\n") && link.contains("node_from 2\nnode_to 1\n"), "{link}");
    }

    #[test]
    fn two_gpus_without_links_are_of_no_hive() {
        let tree = machine(&[&MI100, &MI100], false);
        let node = "/sys/class/kfd/kfd/topology/nodes/2";
        let properties = text(&tree, &format!("{node}/properties"));
        assert!(properties.contains("\nio_links_count 1\n") && properties.contains("\nhive_id 0\n"), "{properties}");
        assert!(text(&tree, &format!("{node}/io_links/0/properties")).contains("node_to 0\n"));
        assert!(matches!(tree.find(&format!("{node}/io_links/1"), true), Found::Missing(_)));
    }

    /// Values of `kfd_topology.c` and `kfd_crat.c` of Linux 6.12: a hive for the two of a model, and links over the
    /// host between the models.
    #[test]
    fn gpus_of_two_models_are_linked_over_the_host() {
        let tree = machine(&[&MI100, &MI210, &MI210], true);
        let node = |path: &str| text(&tree, &format!("/sys/class/kfd/kfd/topology/nodes/{path}/properties"));
        let have = |path: &str, lines: &[&str]| {
            let text = node(path);
            for line in lines {
                assert!(text.lines().any(|have| have == *line), "{path}: {line} is missing in\n{text}");
            }
        };
        have("0", &["io_links_count 3", "p2p_links_count 0"]);
        have("1", &["gfx_target_version 90008", "io_links_count 1", "p2p_links_count 2", "hive_id 0"]);
        // The MI100 before it has 16 compute units in each of 8 engines, this one 14.
        let mi210 = ["gfx_target_version 90010", "io_links_count 2", "p2p_links_count 1", "debug_prop 470"];
        have("2", &mi210);
        have("2", &["simd_id_base 2147487872", "hive_id 8531911666890208271"]);
        have("3", &["simd_id_base 2147487984", "hive_id 8531911666890208271"]);
        have("2/mem_banks/0", &["size_in_bytes 68702699520"]);
        // One link of 16 lanes with 25 GT/s each.
        have("2/io_links/1", &["type 11", "node_to 3", "min_bandwidth 50000", "max_bandwidth 50000"]);
        have("2/io_links/1", &["recommended_sdma_engine_id_mask 28"]);
        for (link, to, engines) in [("1/p2p_links/1", 3, 0), ("3/p2p_links/0", 1, 3)] {
            let (to, engines) = (format!("node_to {to}"), format!("recommended_sdma_engine_id_mask {engines}"));
            have(link, &["type 2", "weight 40", "max_bandwidth 32000", "flags 3", &to, &engines]);
        }
        assert_eq!(text(&tree, "/sys/class/kfd/kfd/topology/nodes/2/name"), "aldebaran\n");
        assert_eq!(text(&tree, "/sys/dev/char/226:129/device/device"), "0x740f\n");
        // An MI210 has no fan, so no sensor of one. Each GPU has one directory of sensors.
        for (device, has_fan) in [("226:128", true), ("226:129", false)] {
            let sensors = super::tests::node(&tree, &format!("/sys/dev/char/{device}/device/hwmon"));
            let Node::Directory(Directory { entries, .. }) = sensors else { panic!("{sensors:?}") };
            let names: Vec<&String> = entries.keys().collect();
            let [name] = names[..] else { panic!("{names:?}") };
            let fan = tree.find(&format!("/sys/class/hwmon/{name}/fan1_max"), true);
            assert_eq!(matches!(fan, Found::Node(..)), has_fan, "{device}: {fan:?}");
        }
    }
}
