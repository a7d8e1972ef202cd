//! The model of a GPU: data from which sysfs, the ioctls and the engines answer.

mod chips;

pub use chips::{MI100, MI210, MI300X, MI300X_CPX, MI300X_DPX, MI300X_QPX};

use gcn::target::Target;
use std::fmt::{self, Display};
use std::str::FromStr;

/// One cache kind of a compute unit or of the whole GPU.
#[derive(Debug)]
pub struct Cache {
    /// 1 for the caches of compute units, 2 and 3 for the GPU's.
    pub level: u32,
    /// Size in KiB.
    pub kib: u32,
    /// Line size, in bytes.
    pub line: u32,
    /// `HSA_CACHE_TYPE_*` bits.
    pub kind: u32,
    /// Compute units that share one.
    pub shared_by: u32,
}

/// The sensors that the driver shows, whose kinds differ between chips.
#[derive(Debug)]
pub struct Sensors {
    /// `power1_average`; without it `power1_input`, the power at the moment.
    pub average_power: bool,
    /// `in0_input`, the voltage of the core.
    pub voltage: bool,
    /// The version of `gpu_metrics`.
    pub metrics: Metrics,
}

/// A version of the table of metrics, a structure of `kgd_pp_interface.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metrics {
    /// `gpu_metrics_v1_3`.
    V1_3,
    /// `gpu_metrics_v1_5`.
    V1_5,
}

/// One GPU model.
#[derive(Debug)]
pub struct Profile {
    /// Name for `--gpu`: the card's model, and after a colon its partition mode.
    pub name: &'static str,
    /// Marketing name, as libdrm's table of names gives it.
    pub product: &'static str,
    /// The driver's name of the chip.
    pub chip: &'static str,
    /// Instruction set.
    pub target: Target,
    /// Version of the graphics core, as the driver finds it.
    pub gc_version: [u32; 3],
    /// Version of the SDMA engines, likewise.
    pub sdma_version: [u32; 3],
    /// `gfx_target_version`: major * 10000 + minor * 100 + stepping.
    pub gfx_target_version: u32,
    /// PCI device id; the vendor is AMD (0x1002).
    pub device_id: u32,
    /// PCI revision.
    pub pci_revision: u32,
    /// PCI subsystem id of the card; its vendor is AMD too.
    pub subsystem: u32,
    /// Revision of the chip, as in `DRM_AMDGPU_INFO` and the capability bits.
    pub chip_revision: u32,
    /// External revision of the chip in its family.
    pub external_revision: u32,
    /// Partitions of the card. The profile describes one of them.
    pub partitions: u32,
    /// Accelerator complex dies (XCC): parts with shader engines and an L2 each, over which the work-groups of a
    /// dispatch are spread. A GPU that is not made of such parts is one.
    pub xccs: u32,
    /// Compute units that are present, in all XCCs.
    pub compute_units: u32,
    /// Compute units that a shader array could have.
    pub cus_per_array: u32,
    /// SIMDs of a compute unit.
    pub simds_per_cu: u32,
    /// Waves that a SIMD holds.
    pub waves_per_simd: u32,
    /// Shader engines of an XCC.
    pub shader_engines: u32,
    /// Scratch slots (waves) of a compute unit.
    pub scratch_slots_per_cu: u32,
    /// Local data share of a compute unit, in bytes.
    pub lds_bytes: u32,
    /// Bytes of vector registers of a compute unit, as the context save area counts them.
    pub vgpr_bytes_per_cu: u32,
    /// Global wave sync resources.
    pub gws: u32,
    /// Device memory, in bytes.
    pub vram_bytes: u64,
    /// Width of the memory bus, in bits.
    pub memory_width: u32,
    /// Highest memory clock, in MHz.
    pub memory_clock_mhz: u32,
    /// Highest core clock, in MHz.
    pub core_clock_mhz: u32,
    /// Power that the board may draw, in watts.
    pub power_limit_watts: u32,
    /// Temperatures from which it is throttled, in degrees Celsius: of the chip's edge, its hottest place, its memory;
    /// 0 of a place that has no sensor.
    pub temperature_limits: [u32; 3],
    /// Further sensors that the driver shows.
    pub sensors: Sensors,
    /// Turns of the fan in a minute, at most; 0 if there is none.
    pub fan_rpm: u32,
    /// SDMA engines for PCIe traffic.
    pub sdma_engines: u32,
    /// SDMA engines for xGMI traffic.
    pub sdma_xgmi_engines: u32,
    /// Bandwidth of an xGMI link in MB/s as the driver reports it, which it does from GC 9.4.2 on
    /// (`amdgpu_amdkfd_get_xgmi_bandwidth_mbytes`: 16 lanes of 25 GT/s).
    pub xgmi_megabytes: u32,
    /// Bits in which a linear copy of an SDMA engine counts its bytes (ROCr: `copy_size_overrides` of
    /// `GpuAgent::CreateBlitSdma`).
    pub sdma_copy_bits: u32,
    /// Queues of an SDMA engine.
    pub sdma_queues_per_engine: u32,
    /// The doorbells of an SDMA engine begin at a multiple of this (`KFD_SDMA_SHADER_DOORBELL_GRANULARITY`).
    pub sdma_doorbell_alignment: u32,
    /// Queues that the driver lets a process have (`pqm_create_queue`).
    pub queues_of_process: usize,
    /// Compute queues of the hardware.
    pub cp_queues: u32,
    /// Version of the command processor's firmware.
    pub firmware: u32,
    /// Version of the SDMA engines' firmware.
    pub sdma_firmware: u32,
    /// `HSA_CAP_*` bits of the topology node.
    pub capability: u32,
    /// `HSA_DBG_*` bits of the topology node.
    pub debug_properties: u64,
    /// `GB_ADDR_CONFIG` register.
    pub gb_addr_config: u32,
    /// Caches, in the order of the topology.
    pub caches: &'static [Cache],
}

/// All models.
pub static PROFILES: &[&Profile] = &[&MI100, &MI210, &MI300X, &MI300X_DPX, &MI300X_QPX, &MI300X_CPX];

/// Models of cards, in order. As text: their names, separated by commas.
#[derive(Clone, Debug)]
pub struct Models(Vec<&'static Profile>);

/// Why there is no machine with the GPUs that were asked for.
#[derive(Clone, PartialEq, Eq)]
pub enum NoMachine {
    /// No model has this name.
    UnknownModel(String),
    /// There are more GPUs than a machine has room for.
    TooMany {
        /// GPUs that were asked for, each partition of a card being one.
        gpus: u32,
        /// Room that there is.
        most: u32,
    },
    /// A list has neither one model for all cards nor one for each.
    Lists {
        /// Models in the list.
        named: usize,
        /// Cards that were asked for.
        cards: u32,
    },
}

/// The text of `Display`, as `main` prints an error by this.
impl fmt::Debug for NoMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Display for NoMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoMachine::UnknownModel(name) => {
                let known: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
                write!(f, "no model is called `{name}`; there are: {}", known.join(", "))
            }
            NoMachine::TooMany { gpus, most } => {
                write!(f, "{gpus} GPUs, and a machine has {most} at most; each partition of a card counts")
            }
            NoMachine::Lists { named, cards } => {
                write!(f, "{named} models for {cards} GPUs: name one for all of them, or one for each")
            }
        }
    }
}

impl std::error::Error for NoMachine {}

impl FromStr for Models {
    type Err = NoMachine;

    fn from_str(list: &str) -> Result<Models, NoMachine> {
        let model = |name| Profile::by_name(name).ok_or_else(|| NoMachine::UnknownModel(name.to_owned()));
        Ok(Models(list.split(',').map(model).collect::<Result<_, _>>()?))
    }
}

impl Models {
    /// The model of each of `cards` cards, or of as many as are named.
    ///
    /// # Errors
    /// If these models make no machine of at most `most` GPUs.
    pub fn of_machine(self, cards: Option<u32>, most: u32) -> Result<Vec<&'static Profile>, NoMachine> {
        let named = self.0.len();
        let cards = cards.unwrap_or(named as u32);
        let models = match &self.0[..] {
            _ if cards > most => return Err(NoMachine::TooMany { gpus: cards, most }),
            [model] => vec![*model; cards as usize],
            _ if cards as usize != named => return Err(NoMachine::Lists { named, cards }),
            _ => self.0,
        };
        let gpus = models.iter().map(|model| model.partitions).sum();
        if gpus > most { Err(NoMachine::TooMany { gpus, most }) } else { Ok(models) }
    }
}

/// Sizes of the memory that a compute queue must bring for each XCC, as the driver computes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextSave {
    /// Control stack, in bytes.
    pub control_stack: u32,
    /// Whole save area with the control stack, in bytes.
    pub area: u32,
    /// Debugger memory after the area, in bytes.
    pub debugger: u32,
}

impl Profile {
    /// The model called `name`.
    pub fn by_name(name: &str) -> Option<&'static Profile> {
        PROFILES.iter().find(|profile| profile.name.eq_ignore_ascii_case(name)).copied()
    }

    /// Whether registers and LDS have ECC: `HSA_CAP_SRAM_EDCSUPPORTED`, from which the runtime makes `sramecc+` in the
    /// ISA's name.
    pub fn sram_ecc(&self) -> bool {
        self.capability & 1 << 26 != 0
    }

    /// Whether the driver lets each process choose if accesses that fault are repeated
    /// (`KFD_SUPPORT_XNACK_PER_PROCESS`).
    pub fn xnack_of_process(&self) -> bool {
        matches!(self.gc_version, [9, 4, 2 | 3])
    }

    /// How the card is divided, as the driver names it (`amdgpu_gfx_compute_mode_desc`).
    pub fn mode(&self) -> &'static str {
        match self.partitions {
            1 => "SPX",
            2 => "DPX",
            4 => "QPX",
            _ => "CPX",
        }
    }

    /// Compute units of an XCC.
    pub fn units_of_xcc(&self) -> u32 {
        self.compute_units / self.xccs
    }

    /// The compute units present in a shader engine of any XCC, one bit each: distributed as evenly as the XCC's total
    /// permits, with the first ones missing.
    pub fn units_of_engine(&self, engine: u32) -> u32 {
        let (even, more) = (self.units_of_xcc() / self.shader_engines, self.units_of_xcc() % self.shader_engines);
        let present = even + u32::from(engine < more);
        ((1 << present) - 1) << (self.cus_per_array - present)
    }

    /// Sizes by which `AMDKFD_IOC_CREATE_QUEUE` checks a compute queue's context save area. The area contains one such
    /// part for each XCC.
    pub fn context_save(&self) -> ContextSave {
        const SGPR: u32 = 0x4000;
        const HARDWARE_REGISTERS: u32 = 0x1000;
        const HEADER: u32 = 40;
        let waves = (self.units_of_xcc() * 40).min(self.shader_engines * 512);
        let data = self.units_of_xcc() * (self.vgpr_bytes_per_cu + SGPR + self.lds_bytes + HARDWARE_REGISTERS);
        let control_stack = (HEADER + waves * 8 + 8).next_multiple_of(4096);
        ContextSave {
            control_stack,
            area: control_stack + data.next_multiple_of(4096),
            debugger: (waves * 32).next_multiple_of(64),
        }
    }

    /// Bytes that an end-of-pipe buffer must have at least.
    pub fn eop_bytes(&self) -> u32 {
        4096
    }
}
