//! Environment variables by which `vgpu run` configures the device.

use super::at_exit;
use crate::hardware::bugs::HardwareBugs;
use crate::hardware::checks::findings;
use crate::hardware::checks::kinds::{self, Kinds};
use crate::hardware::engine::Options;
use crate::hardware::profile::{MI100, Models, Profile};
use crate::{faults, log, trace};
use gcn::exec::Compile;
use std::ops::Range;
use std::sync::OnceLock;
use std::time::Duration;

/// Environment variable with the model of each card ([`Models`]). The device exists only where it is set.
pub const GPU: &str = "VGPU_GPU";
/// Environment variable that, whatever its value, takes the links between the GPUs away.
pub const UNLINKED: &str = "VGPU_UNLINKED";
/// Environment variable with the path of the trace.
pub const TRACE: &str = "VGPU_TRACE";
/// Environment variable with the faults to inject.
pub const FAULTS: &str = "VGPU_FAULTS";
/// Environment variable with the schedule: its seed, and perhaps how many turns of waves it lasts.
pub const SCHEDULE: &str = "VGPU_SCHEDULE";
/// Environment variable with the seed of the caches, which exist only with it.
pub const CACHES: &str = "VGPU_CACHES";
/// Environment variable with the time at which code is compiled for the host, if not the default ([`Compile`]).
pub const COMPILE: &str = "VGPU_COMPILE";
/// Environment variable with the names of the hardware's bugs that there are.
pub const HARDWARE_BUGS: &str = "VGPU_HARDWARE_BUGS";
/// Environment variable that, whatever its value, makes packets wait for their doorbells.
pub const STRICT_DOORBELLS: &str = "VGPU_STRICT_DOORBELLS";
/// Environment variable with a text that the processes of one `vgpu run` have in common, and no others.
pub const RUN: &str = "VGPU_RUN";
/// Environment variable with the folder that findings are written to, if accesses are to be checked.
pub const CHECK: &str = "VGPU_CHECK";
/// Environment variable with the enabled checks ([`kinds`]); the default checks without it.
pub const CHECK_ONLY: &str = "VGPU_CHECK_ONLY";
/// Environment variable that, with any value, adds the last instructions of waves to findings.
pub const CHECK_TRAILS: &str = "VGPU_CHECK_TRAILS";
/// For how many seconds a process that ends waits for its kernels, for checks.
pub const CHECK_AT_EXIT: &str = "VGPU_CHECK_AT_EXIT";
/// Most GPUs of one machine, of which each partition of a card is one.
pub const MAX_GPUS: u32 = 16;

/// The machine to present.
#[derive(Debug)]
pub struct Config {
    /// The GPUs' models, by index. The partitions of a card are consecutive GPUs.
    pub models: Vec<&'static Profile>,
    /// Whether the GPUs reach each other's memory: those of a model by xGMI, others by PCI Express.
    pub linked: bool,
    /// How the engines do what may be done in several ways.
    pub engine: Options,
    /// The identity of the run, if several processes may share the GPUs.
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
                let models = name.parse().and_then(|models: Models| models.of_machine(None, MAX_GPUS));
                let cards = models.unwrap_or_else(|error| {
                    log::say(format_args!("{GPU}={name}: {error}; using one {}", MI100.name));
                    vec![&MI100]
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
                if let Some(folder) = std::env::var_os(CHECK) {
                    let kinds = variable(CHECK_ONLY).map_or(Ok(Kinds::USUAL), |list| kinds::parse(&list));
                    let kinds = kinds.unwrap_or_else(|error| {
                        log::say(format_args!("{CHECK_ONLY}: {error}; looking for the usual"));
                        Kinds::USUAL
                    });
                    findings::start(&folder, kinds);
                    at_exit::wait_for(Duration::from_secs(number(CHECK_AT_EXIT, "not waiting at exit").unwrap_or(0)));
                    if std::env::var_os(CHECK_TRAILS).is_some() {
                        findings::follow();
                    }
                }
                let compile = variable(COMPILE).map_or(Ok(Compile::Usually), |when| when.parse());
                let compile = compile.unwrap_or_else(|error| {
                    log::say(format_args!("{COMPILE}: {error}; compiling as usual"));
                    Compile::Usually
                });
                let schedule = variable(SCHEDULE).map(|text| text.parse()).transpose().unwrap_or_else(|error| {
                    log::say(format_args!("{SCHEDULE}: {error}; using the default order"));
                    None
                });
                let engine = Options {
                    compile,
                    schedule,
                    strict_doorbells: variable(STRICT_DOORBELLS).is_some(),
                    caches: number(CACHES, "going without caches"),
                    bugs,
                    check: findings::wanted(),
                };
                let linked = variable(UNLINKED).is_none();
                Some(Config { models: Config::gpus_of(&cards), linked, engine, run })
            })
            .as_ref()
    }

    /// Whether it is known that this process has no device. Takes no memory, as the first [`Config::get`] does.
    pub fn has_none() -> bool {
        matches!(CONFIG.get(), Some(None))
    }

    /// The models of the GPUs that these cards are.
    pub fn gpus_of(cards: &[&'static Profile]) -> Vec<&'static Profile> {
        cards.iter().flat_map(|card| std::iter::repeat_n(*card, card.partitions as usize)).collect()
    }

    /// The GPUs of each card.
    pub fn cards(&self) -> impl Iterator<Item = Range<u32>> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let first = next;
            next += self.models.get(first as usize)?.partitions;
            Some(first..next)
        })
    }

    /// The GPUs of the card that GPU `index` is a partition of, or all of.
    pub fn card(&self, index: u32) -> Range<u32> {
        self.cards().find(|card| card.contains(&index)).unwrap_or(index..index + 1)
    }

    /// Whether GPU `index` reaches the memory of GPU `peer`: partitions of one card always do.
    pub fn reaches(&self, index: u32, peer: u32) -> bool {
        self.linked || self.card(index).contains(&peer)
    }

    /// How many GPUs there are.
    pub fn gpus(&self) -> u32 {
        self.models.len() as u32
    }

    /// The model of GPU `index`.
    pub fn profile(&self, index: u32) -> &'static Profile {
        self.models[index as usize]
    }

    /// The other GPUs of GPU `index`'s xGMI hive, which are of one kind of card, however it is divided.
    pub fn hive(&self, index: u32) -> impl Iterator<Item = u32> {
        self.peers(index).filter(move |peer| self.profile(*peer).device_id == self.profile(index).device_id)
    }

    /// The other GPUs that GPU `index` reaches by PCI Express.
    pub fn beside(&self, index: u32) -> impl Iterator<Item = u32> {
        self.peers(index).filter(move |peer| self.profile(*peer).device_id != self.profile(index).device_id)
    }

    fn peers(&self, index: u32) -> impl Iterator<Item = u32> {
        (0..self.gpus()).filter(move |peer| *peer != index && self.reaches(index, *peer))
    }

    /// Memory of GPU `index`, in bytes: the model's, or less if faults were asked for.
    pub fn vram_bytes(&self, index: u32) -> u64 {
        let all = self.profile(index).vram_bytes;
        faults::vram_bytes().map_or(all, |less| less.min(all))
    }

    /// The VRAM that programs can allocate: the driver keeps some for page tables.
    pub fn usable_vram_bytes(&self, index: u32) -> u64 {
        /// `AMDGPU_VM_RESERVED_VRAM`, which is more than the share of all GPUs' memory that the driver would take
        /// otherwise.
        const RESERVED: u64 = 8 << 20;
        self.vram_bytes(index).min(self.profile(index).vram_bytes - RESERVED)
    }

    /// The id by which ioctls name GPU `index`.
    pub fn gpu_id(index: u32) -> u32 {
        51110 + index
    }

    /// The index of the GPU called `gpu_id`.
    pub fn gpu_index(&self, gpu_id: u32) -> Option<u32> {
        (0..self.gpus()).find(|index| Config::gpu_id(*index) == gpu_id)
    }

    /// Minor number of GPU `index`'s render node.
    pub fn render_minor(index: u32) -> u32 {
        128 + index
    }

    /// PCI bus of GPU `index`'s card (domain 0, device 0, function 0).
    pub fn pci_bus(&self, index: u32) -> u32 {
        0x23 + 3 * self.card(index).start
    }
}
