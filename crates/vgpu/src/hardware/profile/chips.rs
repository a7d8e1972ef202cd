//! The GPU models. All numbers about chips are here.

use super::{Cache, Metrics, Profile, Sensors};
use gcn::target::Target;

/// `HSA_CACHE_TYPE_DATA`.
const DATA: u32 = 1;
/// `HSA_CACHE_TYPE_INSTRUCTION`.
const INSTRUCTION: u32 = 2;
/// `HSA_CACHE_TYPE_HSACU`.
const HSACU: u32 = 8;

/// What the driver tells of chips before GC 9.4.3.
const SENSORS: Sensors = Sensors { average_power: true, voltage: true, metrics: Metrics::V1_3 };

/// AMD Instinct MI100.
///
/// The numbers are those of a published `/sys/class/kfd` dump of an MI100, the limits of power, temperature and fan
/// those of another one's sensors (ROCm/legacy-rocm-build#1468); the cache table is the driver's for this chip.
pub static MI100: Profile = Profile {
    name: "mi100",
    product: "AMD Instinct MI100",
    chip: "arcturus",
    target: Target::Gfx908,
    gc_version: [9, 4, 1],
    sdma_version: [4, 2, 2],
    gfx_target_version: 90008,
    device_id: 0x738c,
    pci_revision: 1,
    subsystem: 0x0c34,
    chip_revision: 2,
    external_revision: 0x34,
    partitions: 1,
    xccs: 1,
    compute_units: 120,
    cus_per_array: 16,
    simds_per_cu: 4,
    waves_per_simd: 10,
    shader_engines: 8,
    scratch_slots_per_cu: 32,
    lds_bytes: 65536,
    vgpr_bytes_per_cu: 0x80000,
    gws: 64,
    vram_bytes: 34_342_961_152,
    memory_width: 4096,
    memory_clock_mhz: 1200,
    core_clock_mhz: 1502,
    power_limit_watts: 290,
    temperature_limits: [100, 100, 94],
    sensors: SENSORS,
    fan_rpm: 3850,
    sdma_engines: 2,
    sdma_xgmi_engines: 6,
    xgmi_megabytes: 0,
    sdma_copy_bits: 22,
    sdma_queues_per_engine: 8,
    sdma_doorbell_alignment: 1,
    queues_of_process: 127,
    cp_queues: 24,
    firmware: 65,
    sdma_firmware: 18,
    // Trap-debug firmware, SVM, SRAM ECC, chip revision 2, RAS events, memory ECC, trap debugging (3 bits), AQL
    // doorbells (type 2), four watch points.
    capability: 0x2cb3_a280,
    debug_properties: 0x5d6,
    gb_addr_config: gcn::exec::GB_ADDR_CONFIG,
    caches: &[
        Cache { level: 1, kib: 16, line: 64, kind: DATA | HSACU, shared_by: 1 },
        Cache { level: 1, kib: 32, line: 64, kind: INSTRUCTION | HSACU, shared_by: 3 },
        Cache { level: 1, kib: 16, line: 64, kind: DATA | HSACU, shared_by: 3 },
        Cache { level: 2, kib: 8192, line: 64, kind: DATA | HSACU, shared_by: u32::MAX },
    ],
};

/// AMD Instinct MI210.
///
/// Linux 6.12 has of it: PCI device, engines, caches, GB_ADDR_CONFIG (`gfx_v9_0.c` writes the same bits as of an
/// MI100's; those that it keeps are taken to be an MI100's too), capabilities (`kfd_topology_set_capabilities`).
/// Compute units, clocks and memory are those of AMD's data sheet, waves those of LLVM's AMDGPU guide; nothing was read
/// from a machine. The versions of firmware are some that have all that Linux asks for; the limits of temperatures are
/// an MI100's. It has no fan.
pub static MI210: Profile = Profile {
    name: "mi210",
    product: "AMD Instinct MI210",
    chip: "aldebaran",
    target: Target::Gfx90a,
    gc_version: [9, 4, 2],
    sdma_version: [4, 4, 0],
    gfx_target_version: 90010,
    device_id: 0x740f,
    pci_revision: 2,
    subsystem: 0x0c34,
    chip_revision: 1,
    external_revision: 0x3d,
    partitions: 1,
    xccs: 1,
    compute_units: 104,
    cus_per_array: 14,
    simds_per_cu: 4,
    waves_per_simd: 8,
    shader_engines: 8,
    scratch_slots_per_cu: 32,
    lds_bytes: 65536,
    vgpr_bytes_per_cu: 0x80000,
    gws: 64,
    vram_bytes: 68_702_699_520,
    memory_width: 4096,
    memory_clock_mhz: 1600,
    core_clock_mhz: 1700,
    power_limit_watts: 300,
    temperature_limits: [100, 100, 94],
    sensors: SENSORS,
    fan_rpm: 0,
    sdma_engines: 2,
    sdma_xgmi_engines: 3,
    xgmi_megabytes: 50_000,
    sdma_copy_bits: 30,
    sdma_queues_per_engine: 8,
    sdma_doorbell_alignment: 1,
    queues_of_process: 127,
    cp_queues: 24,
    firmware: 78,
    sdma_firmware: 8,
    // As an MI100's, but for the chip revision 1 and precise memory operations.
    capability: 0x2c77_a280,
    // As an MI100's, without `HSA_DBG_DISPATCH_INFO_ALWAYS_VALID` (`kfd_dbg_has_ttmps_always_setup`).
    debug_properties: 0x1d6,
    gb_addr_config: gcn::exec::GB_ADDR_CONFIG,
    caches: &[
        Cache { level: 1, kib: 16, line: 64, kind: DATA | HSACU, shared_by: 1 },
        Cache { level: 1, kib: 32, line: 64, kind: INSTRUCTION | HSACU, shared_by: 2 },
        Cache { level: 1, kib: 16, line: 64, kind: DATA | HSACU, shared_by: 2 },
        Cache { level: 2, kib: 8192, line: 128, kind: DATA | HSACU, shared_by: u32::MAX },
    ],
};

/// AMD Instinct MI300X, as one GPU of eight XCCs (mode SPX) with one memory (NPS1).
///
/// The numbers of the topology's node are those of a published `/sys/class/kfd` dump of an MI300X (the tests of the
/// Python package gpuq), memory, clocks and sizes of caches those of published outputs of rocminfo, the cache lines
/// those of `kfd_fill_gpu_cache_info_from_gfx_config_v2` (Linux 6.12). The data sheet has the width and clock of the
/// memory and the power. Which of an XCC's 40 compute units are the two absent ones differs from chip to chip: the
/// dump's 626 caches say only that none of the pairs which share caches is absent as a whole. The limits of
/// temperatures are an MI100's. It has no fan.
pub static MI300X: Profile = MI300X_WHOLE;

const MI300X_WHOLE: Profile = Profile {
    name: "mi300x",
    product: "AMD Instinct MI300X",
    chip: "ip discovery",
    target: Target::Gfx942,
    gc_version: [9, 4, 3],
    sdma_version: [4, 4, 2],
    gfx_target_version: 90402,
    device_id: 0x74a1,
    pci_revision: 0,
    subsystem: 0x74a1,
    chip_revision: 1,
    external_revision: 0x47,
    partitions: 1,
    xccs: 8,
    compute_units: 304,
    cus_per_array: 10,
    simds_per_cu: 4,
    waves_per_simd: 8,
    shader_engines: 4,
    scratch_slots_per_cu: 32,
    lds_bytes: 65536,
    vgpr_bytes_per_cu: 0x80000,
    gws: 64,
    vram_bytes: 206_141_652_992,
    memory_width: 8192,
    memory_clock_mhz: 1300,
    core_clock_mhz: 2100,
    power_limit_watts: 750,
    temperature_limits: [0, 100, 94],
    sensors: Sensors { average_power: false, voltage: false, metrics: Metrics::V1_5 },
    fan_rpm: 0,
    sdma_engines: 2,
    sdma_xgmi_engines: 14,
    xgmi_megabytes: 50_000,
    sdma_copy_bits: 30,
    sdma_queues_per_engine: 8,
    sdma_doorbell_alignment: 4,
    queues_of_process: 255,
    cp_queues: 24,
    firmware: 166,
    sdma_firmware: 22,
    // As an MI210's.
    capability: 0x2c77_a280,
    // As an MI100's, with other bits of watched addresses.
    debug_properties: 0x5e7,
    gb_addr_config: gcn::exec::GB_ADDR_CONFIG,
    caches: &[
        Cache { level: 1, kib: 32, line: 128, kind: DATA | HSACU, shared_by: 1 },
        Cache { level: 1, kib: 64, line: 64, kind: INSTRUCTION | HSACU, shared_by: 2 },
        Cache { level: 1, kib: 16, line: 64, kind: DATA | HSACU, shared_by: 2 },
        Cache { level: 2, kib: 4096, line: 128, kind: DATA | HSACU, shared_by: u32::MAX },
        Cache { level: 3, kib: 262_144, line: 64, kind: DATA | HSACU, shared_by: u32::MAX },
    ],
};

/// AMD Instinct MI300X in mode DPX: two GPUs of four XCCs each.
pub static MI300X_DPX: Profile = partition(MI300X_WHOLE, 2, "mi300x:dpx");

/// AMD Instinct MI300X in mode QPX: four GPUs of two XCCs each.
pub static MI300X_QPX: Profile = partition(MI300X_WHOLE, 4, "mi300x:qpx");

/// AMD Instinct MI300X in mode CPX: eight GPUs of one XCC each.
pub static MI300X_CPX: Profile = partition(MI300X_WHOLE, 8, "mi300x:cpx");

/// One of the partitions into which `card` is divided evenly, with one memory (NPS1): its share of XCCs and compute
/// units (`kfd_create_vcrat_image_gpu`), of memory (`amdgpu_amdkfd_xcp_memory_size`) and of copy engines, of which the
/// first two are for PCI Express (`kfd_get_num_sdma_engines`; all of Linux 6.12).
const fn partition(card: Profile, partitions: u32, name: &'static str) -> Profile {
    const PAGE: u64 = 4096;
    let engines = (card.sdma_engines + card.sdma_xgmi_engines) / partitions;
    let sdma_engines = if engines < card.sdma_engines { engines } else { card.sdma_engines };
    Profile {
        name,
        partitions,
        xccs: card.xccs / partitions,
        compute_units: card.compute_units / partitions,
        vram_bytes: card.vram_bytes / partitions as u64 / PAGE * PAGE,
        sdma_engines,
        sdma_xgmi_engines: engines - sdma_engines,
        ..card
    }
}
