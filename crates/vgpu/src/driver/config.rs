//! What `vgpu run` tells the device, through the environment.

use crate::hardware::bugs::HardwareBugs;
use crate::hardware::engine::Options;
use crate::hardware::profile::{MI100, Profile};
use crate::{faults, log, trace};
use std::sync::OnceLock;

/// Environment variable with the GPU model. The device exists only where it is set.
pub const GPU: &str = "VGPU_GPU";
/// Environment variable with the number of GPUs.
pub const GPUS: &str = "VGPU_GPUS";
/// Environment variable that, whatever its value, takes the links between the GPUs away.
pub const UNLINKED: &str = "VGPU_UNLINKED";
/// Environment variable with the path of the trace.
pub const TRACE: &str = "VGPU_TRACE";
/// Environment variable with the faults to inject.
pub const FAULTS: &str = "VGPU_FAULTS";
/// Environment variable with the seed of the schedule.
pub const SCHEDULE: &str = "VGPU_SCHEDULE";
/// Environment variable with the seed of the caches, which there are only with it.
pub const CACHES: &str = "VGPU_CACHES";
/// Environment variable with the names of the hardware's bugs that there are.
pub const HARDWARE_BUGS: &str = "VGPU_HARDWARE_BUGS";
/// Environment variable that, whatever its value, makes packets wait for their doorbells.
pub const STRICT_DOORBELLS: &str = "VGPU_STRICT_DOORBELLS";
/// Environment variable with a text that the processes of one `vgpu run` have in common, and no others.
pub const RUN: &str = "VGPU_RUN";
/// Most GPUs of one machine.
pub const MAX_GPUS: u32 = 8;

/// The machine to present.
#[derive(Debug)]
pub struct Config {
    /// The GPUs' model.
    pub profile: &'static Profile,
    /// How many.
    pub gpus: u32,
    /// Whether they reach each other's memory, by xGMI.
    pub linked: bool,
    /// How the engines do what may be done in several ways.
    pub engine: Options,
    /// What the processes that share the GPUs have in common, if there may be several.
    pub run: Option<String>,
}

static CONFIG: OnceLock<Option<Config>> = OnceLock::new();

/// The value of an environment variable that is text.
fn variable(name: &str) -> Option<String> {
    Some(std::env::var_os(name)?.to_string_lossy().into_owned())
}

impl Config {
    /// The configuration, if this process has a device at all.
    pub fn get() -> Option<&'static Config> {
        CONFIG
            .get_or_init(|| {
                let name = variable(GPU)?;
                let profile = Profile::by_name(&name).unwrap_or_else(|| {
                    log::say(format_args!("{GPU}={name}: no such model; using {}", MI100.name));
                    &MI100
                });
                let gpus = variable(GPUS).map_or(Some(1), |value| value.parse().ok());
                let gpus = gpus.filter(|count| (1..=MAX_GPUS).contains(count)).unwrap_or_else(|| {
                    log::say(format_args!("{GPUS} must be 1 to {MAX_GPUS}; using 1"));
                    1
                });
                let number = |name: &str, without: &str| {
                    variable(name).and_then(|value| {
                        let number = value.parse().ok();
                        if number.is_none() {
                            log::say(format_args!("{name}={value}: not a number; {without}"));
                        }
                        number
                    })
                };
                if let Some(path) = std::env::var_os(TRACE)
                    && let Err(error) = trace::start(&path)
                {
                    log::say(format_args!("{TRACE}={}: {error}; not tracing", path.display()));
                }
                if let Some(spec) = variable(FAULTS) {
                    match spec.parse() {
                        Ok(faults) => faults::install(faults),
                        Err(error) => log::say(format_args!("{error}; injecting none")),
                    }
                }
                let bugs = variable(HARDWARE_BUGS).map_or(Ok(HardwareBugs::default()), |list| list.parse());
                let bugs = bugs.unwrap_or_else(|error| {
                    log::say(format_args!("{error}; there are none"));
                    HardwareBugs::default()
                });
                let run = variable(RUN);
                let engine = Options {
                    seed: number(SCHEDULE, "using the default order"),
                    strict_doorbells: variable(STRICT_DOORBELLS).is_some(),
                    caches: number(CACHES, "going without caches"),
                    bugs,
                };
                let linked = variable(UNLINKED).is_none();
                Some(Config { profile, gpus, linked, engine, run })
            })
            .as_ref()
    }

    /// Whether it is known that this process has no device. Takes no memory, as the first [`Config::get`] does.
    pub fn has_none() -> bool {
        matches!(CONFIG.get(), Some(None))
    }

    /// Memory of each GPU, in bytes: the model's, or less if faults were asked for.
    pub fn vram_bytes(&self) -> u64 {
        faults::vram_bytes().map_or(self.profile.vram_bytes, |less| less.min(self.profile.vram_bytes))
    }

    /// What of it programs can allocate: the driver keeps some for page tables.
    pub fn usable_vram_bytes(&self) -> u64 {
        /// `AMDGPU_VM_RESERVED_VRAM`, which is more than the share of all GPUs' memory that the driver would take otherwise.
        const RESERVED: u64 = 8 << 20;
        self.vram_bytes().min(self.profile.vram_bytes - RESERVED)
    }

    /// The id by which ioctls name GPU `index`.
    pub fn gpu_id(index: u32) -> u32 {
        51110 + index
    }

    /// The index of the GPU called `gpu_id`.
    pub fn gpu_index(&self, gpu_id: u32) -> Option<u32> {
        (0..self.gpus).find(|index| Config::gpu_id(*index) == gpu_id)
    }

    /// Minor number of GPU `index`'s render node.
    pub fn render_minor(index: u32) -> u32 {
        128 + index
    }

    /// PCI bus of GPU `index` (domain 0, device 0, function 0).
    pub fn pci_bus(index: u32) -> u32 {
        0x23 + 3 * index
    }
}
