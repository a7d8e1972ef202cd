//! What a modelled GPU is: data that sysfs, the ioctls and the engines answer from.

/// One GPU model.
#[derive(Debug)]
pub struct Profile {
    /// Name for `--gpu`.
    pub name: &'static str,
    /// Instruction set, as LLVM spells it.
    pub isa: &'static str,
    /// `gfx_target_version`: major * 10000 + minor * 100 + stepping.
    pub gfx_target_version: u32,
    /// Compute units that are present.
    pub compute_units: u32,
    /// SIMDs of a compute unit.
    pub simds_per_cu: u32,
    /// Waves that a SIMD holds.
    pub waves_per_simd: u32,
    /// Shader engines.
    pub shader_engines: u32,
    /// Local data share of a compute unit, in bytes.
    pub lds_bytes: u32,
    /// Device memory, in bytes.
    pub vram_bytes: u64,
    /// Highest core clock, in MHz.
    pub core_clock_mhz: u32,
    /// SDMA engines for PCIe traffic.
    pub sdma_engines: u32,
    /// SDMA engines for xGMI traffic.
    pub sdma_xgmi_engines: u32,
}

/// AMD Instinct MI100.
pub static MI100: Profile = Profile {
    name: "mi100",
    isa: "gfx908",
    gfx_target_version: 90008,
    compute_units: 120,
    simds_per_cu: 4,
    waves_per_simd: 10,
    shader_engines: 8,
    lds_bytes: 65536,
    vram_bytes: 34342961152,
    core_clock_mhz: 1502,
    sdma_engines: 2,
    sdma_xgmi_engines: 6,
};
