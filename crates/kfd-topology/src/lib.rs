//! Reads the GPUs that the AMD compute driver (KFD) reports in sysfs. It opens no device and needs no rights.
//!
//! - [`Topology`]: all nodes of the machine, CPUs and GPUs. [`Node`]: one of them, with its memory, caches and links.
//! - [`PciAddress`]: a place on the PCI bus, by which a GPU is found in OpenCL, HIP and HSA.
//! - [`Node::engines_wait`], [`Node::queues_wait_for_values`]: errata by chip, which sysfs does not have.
//!
//! The values are a snapshot, and do not change when a GPU appears or disappears later.
//!
//! # Example
//! ```no_run
//! for gpu in kfd_topology::Topology::read()?.gpus() {
//!     let address = gpu.pci_address().expect("a GPU has one");
//!     println!("{address}: {} with {} MiB", gpu.isa(), gpu.vram() >> 20);
//! }
//! # Ok::<(), kfd_topology::Error>(())
//! ```

mod error;
mod pci;
mod wait;

use std::collections::BTreeMap;
use std::path::Path;

pub use error::{Error, Result};
pub use pci::PciAddress;

const ROOT: &str = "/sys/class/kfd/kfd/topology";

/// All nodes of the machine, in the order of their numbers.
#[doc(alias = "hsaKmtAcquireSystemProperties")]
#[doc(alias = "hsa_iterate_agents")]
#[derive(Clone, Debug)]
pub struct Topology {
    nodes: Vec<Node>,
}

/// A CPU socket or a GPU.
#[derive(Clone, Debug)]
pub struct Node {
    number: u32,
    gpu_id: u32,
    name: String,
    properties: BTreeMap<String, u64>,
    banks: Vec<MemoryBank>,
    caches: Vec<Cache>,
    links: Vec<Link>,
    /// Of the card.
    partition: u32,
    /// The `location_id`, without what Linux 6.12 adds to it for a partition.
    place: u32,
}

/// Memory of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBank {
    /// The kind of memory.
    pub heap: HeapType,
    /// Bytes.
    pub size: u64,
    /// Width of its bus, in bits.
    pub width: u32,
    /// Highest clock, in MHz.
    pub clock_mhz: u32,
}

/// `HSA_MEM_HEAP_TYPE_*` of `kfd_crat.h` (Linux).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapType {
    /// The host's memory.
    System,
    /// VRAM that the host sees as a whole ("large BAR").
    VisibleVram,
    /// VRAM that the host does not see as a whole.
    PrivateVram,
    /// Another heap, by its number: the global data share, LDS, scratch.
    Other(u32),
}

/// A cache of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Level, from 1.
    pub level: u32,
    /// KiB.
    pub kib: u32,
    /// Bytes of a line.
    pub line: u32,
    /// `HSA_CACHE_TYPE_*` bits.
    pub kind: u32,
}

/// A connection of a node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Number of the other node.
    pub to: u32,
    /// `HSA_IOLINK_TYPE_*`: 2 is PCI Express, 11 is xGMI.
    pub kind: u32,
    /// The driver's measure of distance.
    pub weight: u32,
    /// `HSA_IOLINK_FLAGS_*`.
    pub flags: u32,
    /// Highest bandwidth in MB/s, 0 if unknown.
    pub max_bandwidth: u32,
}

impl Topology {
    /// Reads it.
    ///
    /// # Errors
    /// [`Error::NoDriver`] without a driver, [`Error::File`] for files that make no sense. A machine whose driver has
    /// no GPU for this process is not an error: [`gpus`](Self::gpus) is then empty.
    pub fn read() -> Result<Topology> {
        Topology::read_from(Path::new(ROOT))
    }

    fn read_from(root: &Path) -> Result<Topology> {
        const TRIES: usize = 16;
        if !root.exists() {
            return Err(Error::NoDriver { path: root.display().to_string() });
        }
        let generation = || text(&root.join("generation_id"));
        for _ in 0..TRIES {
            // A GPU may come or go meanwhile.
            let before = generation()?;
            let topology = Topology::snapshot(root);
            if generation()? == before {
                return topology;
            }
        }
        Err(Error::File { path: root.display().to_string(), subject: "it keeps changing".into() })
    }

    fn snapshot(root: &Path) -> Result<Topology> {
        let nodes = root.join("nodes");
        let nodes = numbered(&nodes)?.into_iter().filter_map(|number| Node::read(&nodes, number).transpose());
        let mut nodes = nodes.collect::<Result<Vec<_>>>()?;
        Topology::find_partitions(&mut nodes);
        Ok(Topology { nodes })
    }

    /// All nodes that this process may see.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The GPUs among the nodes. Containers and cgroups can hide GPUs; `ROCR_VISIBLE_DEVICES` and similar variables,
    /// which only AMD's runtime reads, have no effect.
    pub fn gpus(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.is_gpu())
    }

    /// The GPUs with their PCI addresses. Leaves out those that have none.
    pub fn gpus_by_address(&self) -> impl Iterator<Item = (PciAddress, &Node)> {
        self.gpus().filter_map(|node| Some((node.pci_address()?, node)))
    }

    /// The GPU at this PCI address. `None` if there is none, or if several partitions of one card have the address
    /// ([`gpus_at`](Self::gpus_at), [`Node::partition`]).
    pub fn gpu_at(&self, address: PciAddress) -> Option<&Node> {
        let mut here = self.gpus_at(address);
        here.next().filter(|_| here.next().is_none())
    }

    /// The GPUs at this place on the PCI bus: the partitions of one card, if it has several (an MI300 in the modes DPX,
    /// QPX and CPX).
    pub fn gpus_at(&self, address: PciAddress) -> impl Iterator<Item = &Node> {
        self.gpus().filter(move |node| node.pci_address() == Some(address))
    }

    /// Finds out which GPUs are partitions of one card. Linux 6.12 adds the partition's number to the lowest bits of
    /// `location_id`, others have it in bits 31:28.
    fn find_partitions(nodes: &mut [Node]) {
        const NUMBER_SHIFT: u32 = 28;
        let device =
            |node: &Node| (node.property("unique_id"), node.value("domain"), node.value("location_id") as u16 >> 3);
        let locations: Vec<_> = nodes.iter().map(|node| (device(node), node.value("location_id"))).collect();
        for node in nodes.iter_mut().filter(|node| node.is_gpu()) {
            let (own, location) = (device(node), node.value("location_id"));
            let of_card = || locations.iter().filter(|(other, _)| *other == own).map(|(_, location)| *location);
            let first = of_card().min().unwrap_or(location);
            node.partition = match location >> NUMBER_SHIFT {
                0 if own.0.is_some_and(|id| id != 0) && of_card().all(|location| location >> NUMBER_SHIFT == 0) => {
                    location - first
                }
                number => number,
            };
            node.place = if location >> NUMBER_SHIFT == 0 { location - node.partition } else { location };
        }
    }
}

impl Node {
    /// `None` for a node that a container's device rules hide: the driver answers EPERM then
    /// (`kfd_devcgroup_check_permission`).
    fn read(nodes: &Path, number: u32) -> Result<Option<Node>> {
        let folder = nodes.join(number.to_string());
        let gpu_id = match std::fs::read_to_string(folder.join("gpu_id")) {
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return Ok(None),
            Err(error) => return Err(unreadable(&folder.join("gpu_id"), &error)),
            Ok(text) => parse(&folder.join("gpu_id"), text.trim())?,
        };
        let each =
            |kind: &str, count: &str, properties: &BTreeMap<String, u64>| -> Result<Vec<BTreeMap<String, u64>>> {
                let folder = folder.join(kind);
                if properties.get(count).copied().unwrap_or(0) == 0 {
                    return Ok(Vec::new());
                }
                numbered(&folder)?.into_iter().map(|n| table(&folder.join(n.to_string()).join("properties"))).collect()
            };
        let properties = table(&folder.join("properties"))?;
        let mut links = each("io_links", "io_links_count", &properties)?;
        links.extend(each("p2p_links", "p2p_links_count", &properties)?);
        let field = |table: &BTreeMap<String, u64>, key: &str| table.get(key).copied().unwrap_or(0) as u32;
        Ok(Some(Node {
            number,
            gpu_id,
            name: std::fs::read_to_string(folder.join("name")).unwrap_or_default().trim().to_owned(),
            banks: each("mem_banks", "mem_banks_count", &properties)?
                .iter()
                .map(|bank| MemoryBank {
                    heap: match field(bank, "heap_type") {
                        0 => HeapType::System,
                        1 => HeapType::VisibleVram,
                        2 => HeapType::PrivateVram,
                        other => HeapType::Other(other),
                    },
                    size: bank.get("size_in_bytes").copied().unwrap_or(0),
                    width: field(bank, "width"),
                    clock_mhz: field(bank, "mem_clk_max"),
                })
                .collect(),
            caches: each("caches", "caches_count", &properties)?
                .iter()
                .map(|cache| Cache {
                    level: field(cache, "level"),
                    kib: field(cache, "size"),
                    line: field(cache, "cache_line_size"),
                    kind: field(cache, "type"),
                })
                .collect(),
            links: links
                .iter()
                .map(|link| Link {
                    to: field(link, "node_to"),
                    kind: field(link, "type"),
                    weight: field(link, "weight"),
                    flags: field(link, "flags"),
                    max_bandwidth: field(link, "max_bandwidth"),
                })
                .collect(),
            partition: 0,
            place: 0,
            properties,
        }))
    }

    /// The number in sysfs.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The driver's id of the GPU, 0 for a CPU.
    pub fn gpu_id(&self) -> u32 {
        self.gpu_id
    }

    /// Whether it is a GPU.
    pub fn is_gpu(&self) -> bool {
        self.gpu_id != 0
    }

    /// The driver's name of the chip, such as `arcturus`; empty for a CPU.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A line of the file `properties`, by the driver's name for it.
    pub fn property(&self, name: &str) -> Option<u64> {
        self.properties.get(name).copied()
    }

    /// The lower 32 bits of a [`property`](Self::property); 0 if the driver does not report it. sysfs shows most fields
    /// as 32 bits.
    pub fn value(&self, name: &str) -> u32 {
        self.property(name).unwrap_or(0) as u32
    }

    /// The memory.
    pub fn memory_banks(&self) -> &[MemoryBank] {
        &self.banks
    }

    /// The caches.
    pub fn caches(&self) -> &[Cache] {
        &self.caches
    }

    /// The connections to other nodes.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Whether the GPU's atomic operations reach the host's memory. Over PCI Express, every bridge up to the root port
    /// must pass them. The driver reports this for each link (`kfd_set_iolink_no_atomics` of Linux).
    pub fn has_host_atomics(&self) -> bool {
        self.links.iter().all(|link| link.flags & kfd_sys::HSA_IOLINK_FLAGS_NO_ATOMICS_64_BIT == 0)
    }

    /// Where it is on the PCI bus, for GPUs (`location_id` is bus, device and function as PCI numbers them).
    pub fn pci_address(&self) -> Option<PciAddress> {
        self.is_gpu().then(|| PciAddress::from_bdf(self.value("domain"), self.place))
    }

    /// Index of the GPU's partition within its card, from 0; 0 for a card that is not divided. All partitions of a card
    /// have one PCI address.
    pub fn partition(&self) -> u32 {
        self.partition
    }

    /// The version of the GPU's instruction set as major, minor and stepping: (9, 0, 8) is gfx908.
    pub fn gfx_version(&self) -> (u32, u32, u32) {
        let version = self.value("gfx_target_version");
        (version / 10000, version / 100 % 100, version % 100)
    }

    /// The name of the instruction set as LLVM spells it, such as `gfx90a`.
    pub fn isa(&self) -> String {
        let (major, minor, stepping) = self.gfx_version();
        format!("gfx{major}{minor:x}{stepping:x}")
    }

    /// Compute units.
    pub fn compute_units(&self) -> u32 {
        self.value("simd_count").checked_div(self.value("simd_per_cu")).unwrap_or(0)
    }

    /// Local memory (LDS) that a work-group can have, in bytes.
    pub fn group_bytes(&self) -> u32 {
        self.value("lds_size_in_kb").saturating_mul(1024)
    }

    /// Bytes of VRAM, all banks together.
    pub fn vram(&self) -> u64 {
        let vram = |bank: &&MemoryBank| matches!(bank.heap, HeapType::VisibleVram | HeapType::PrivateVram);
        self.banks.iter().filter(vram).map(|bank| bank.size).sum()
    }

    /// Whether a copy engine waits reliably for a value in memory (POLL_REGMEM). The engines of gfx90x except gfx90a
    /// (for example gfx908) may continue too early. `false` for GPUs other than gfx9.
    pub fn engines_wait(&self) -> bool {
        wait::of(self.gfx_version()).engines
    }

    /// Whether a compute queue that is given a barrier-value packet is known to wait for the value: where AMD's runtime
    /// uses such packets, on gfx90a and gfx94x. Elsewhere, as on gfx908, such a packet may stop the queue. `false` for
    /// a GPU that is not of gfx9.
    pub fn queues_wait_for_values(&self) -> bool {
        wait::of(self.gfx_version()).queues
    }

    /// A GPU of which only these properties are known, for tests of code that computes with them.
    pub fn from_properties<'a>(properties: impl IntoIterator<Item = (&'a str, u64)>) -> Node {
        Node {
            number: 1,
            gpu_id: 1,
            name: String::new(),
            properties: properties.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            banks: Vec::new(),
            caches: Vec::new(),
            links: Vec::new(),
            partition: 0,
            place: 0,
        }
    }

    /// Whether the host can map all of the VRAM.
    pub fn has_visible_vram(&self) -> bool {
        self.banks.iter().any(|bank| bank.heap == HeapType::VisibleVram)
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::File { path: path.display().to_string(), subject: error.to_string() }
}

fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

fn parse<T: std::str::FromStr>(path: &Path, text: &str) -> Result<T> {
    let subject = || format!("{text:?} is not a number of the expected size");
    text.parse().map_err(|_| Error::File { path: path.display().to_string(), subject: subject() })
}

/// Lines of a name and a number; others, such as `sibling_map`, are passed over.
fn table(path: &Path) -> Result<BTreeMap<String, u64>> {
    let text = text(path)?;
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    Ok(lines.filter_map(|(name, value)| Some((name.to_owned(), value.trim().parse().ok()?))).collect())
}

/// The folders named by numbers, in order.
fn numbered(folder: &Path) -> Result<Vec<u32>> {
    let entries = std::fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    let mut numbers: Vec<u32> =
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("kfd-topology-{}-{name}", std::process::id()));
        std::fs::create_dir_all(folder.join("nodes/0/mem_banks/0")).unwrap();
        std::fs::write(folder.join("generation_id"), "1\n").unwrap();
        std::fs::write(folder.join("nodes/0/gpu_id"), "51110\n").unwrap();
        folder
    }

    #[test]
    fn a_gpu_of_a_made_up_machine() {
        let root = folder("gpu");
        let properties = "simd_count 480\nsimd_per_cu 4\nlds_size_in_kb 160\nlocation_id 49410\ndomain 1\ngfx_target_version 90010\nmem_banks_count 1\nodd line here\n";
        std::fs::write(root.join("nodes/0/properties"), properties).unwrap();
        std::fs::write(root.join("nodes/0/mem_banks/0/properties"), "heap_type 2\nsize_in_bytes 34342961152\n")
            .unwrap();
        let topology = Topology::read_from(&root).unwrap();
        let address = PciAddress { domain: 1, bus: 0xc1, device: 0, function: 2 };
        let gpu = topology.gpu_at(address).unwrap();
        assert_eq!(address.to_string(), "0001:c1:00.2");
        assert_eq!((gpu.isa().as_str(), gpu.compute_units(), gpu.vram()), ("gfx90a", 120, 34_342_961_152));
        assert_eq!(gpu.group_bytes(), 163_840);
        assert!(!gpu.has_visible_vram());
        std::fs::remove_dir_all(root).unwrap();
    }

    /// As Linux 6.12 numbers them, and as other versions do.
    #[test]
    fn partitions_of_one_card_are_told_apart() {
        for (name, shift) in [("partitions-low", 0), ("partitions-high", 28)] {
            let root = folder(name);
            for (number, unique, bus, partition) in [(0, 7, 0xc1, 0), (1, 7, 0xc1, 1), (2, 7, 0xc1, 2), (3, 8, 0xc2, 0)]
            {
                let node = root.join(format!("nodes/{number}"));
                std::fs::create_dir_all(&node).unwrap();
                std::fs::write(node.join("gpu_id"), format!("{}\n", 100 + number)).unwrap();
                let location = bus << 8 | partition << shift;
                std::fs::write(node.join("properties"), format!("location_id {location}\nunique_id {unique}\n"))
                    .unwrap();
            }
            let topology = Topology::read_from(&root).unwrap();
            let card = |bus| PciAddress { domain: 0, bus, device: 0, function: 0 };
            let partitions: Vec<u32> = topology.gpus_at(card(0xc1)).map(Node::partition).collect();
            assert_eq!((partitions, topology.gpu_at(card(0xc1)).is_none()), (vec![0, 1, 2], true), "{name}");
            assert_eq!(topology.gpu_at(card(0xc2)).map(Node::number), Some(3), "{name}");
            std::fs::remove_dir_all(root).unwrap();
        }
    }

    /// The driver refuses to read what is not this process's.
    #[test]
    fn gpus_of_others_are_left_out() {
        let root = folder("others");
        std::fs::create_dir_all(root.join("nodes/1")).unwrap();
        std::fs::write(root.join("nodes/1/gpu_id"), "77\n").unwrap();
        std::fs::write(root.join("nodes/1/properties"), "location_id 0\n").unwrap();
        std::fs::set_permissions(root.join("nodes/0/gpu_id"), std::fs::Permissions::from_mode(0o000)).unwrap();
        let found = std::thread::scope(|scope| {
            let as_nobody = scope.spawn(|| {
                // Root reads all files. SAFETY: changes whom the kernel takes this thread for when it opens files, no
                // other thread.
                unsafe { libc::setfsuid(65534) };
                Topology::read_from(&root)
            });
            as_nobody.join().unwrap()
        });
        assert_eq!(found.unwrap().gpus().map(Node::gpu_id).collect::<Vec<_>>(), [77]);
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn atomic_operations_reach_the_host_unless_a_link_says_no() {
        let root = folder("atomics");
        std::fs::create_dir_all(root.join("nodes/0/io_links/0")).unwrap();
        std::fs::write(root.join("nodes/0/properties"), "io_links_count 1\n").unwrap();
        // Enabled alone, with 32 bits at most, and with none.
        for (flags, expected) in [(1, true), (1 | 1 << 2, true), (1 | 1 << 2 | 1 << 3, false)] {
            let link = format!("type 2\nnode_from 1\nnode_to 0\nflags {flags}\n");
            std::fs::write(root.join("nodes/0/io_links/0/properties"), link).unwrap();
            assert_eq!(Topology::read_from(&root).unwrap().nodes()[0].has_host_atomics(), expected, "{flags}");
        }
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn files_that_make_no_sense_are_errors_that_name_them() {
        let root = folder("nonsense");
        let error = Topology::read_from(&root).unwrap_err().to_string();
        assert!(error.contains("nodes/0/properties"), "{error}");
        std::fs::write(root.join("nodes/0/gpu_id"), "-7").unwrap();
        let error = Topology::read_from(&root).unwrap_err().to_string();
        assert!(error.contains("nodes/0/gpu_id") && error.contains("-7"), "{error}");
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn no_driver_is_a_value_that_says_so() {
        let error = Topology::read_from(Path::new("/nonexistent")).unwrap_err().to_string();
        assert!(error.contains("no amdgpu driver"), "{error}");
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
