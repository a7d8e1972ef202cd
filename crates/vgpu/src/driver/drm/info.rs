//! The requests that describe a render node's GPU.

use super::RenderFile;
use super::rings::Kind;
use crate::backing::PAGE;
use crate::driver::config::Config;
use crate::driver::device::{Process, State};
use crate::driver::kfd::process::{GPUVM_BASE, GPUVM_LIMIT};
use crate::driver::user::{self, Plain};
use crate::errno::Errno;
use crate::hardware::gpu::Gpu;
use crate::hardware::profile::Profile;
use crate::log::{self, Topic};
use kfd_sys::*;

/// `AMDGPU_FAMILY_AI`: Vega and its successors up to MI300.
const FAMILY_AI: u32 = 141;
/// `AMDGPU_VRAM_TYPE_HBM`.
const VRAM_TYPE_HBM: u32 = 6;
/// Register that libdrm reads to know the tiling.
const GB_ADDR_CONFIG: u32 = 0x263e;
/// Shader engines that the driver can address (`AMDGPU_GFX_MAX_SE`).
const MAX_SHADER_ENGINES: u32 = 4;
/// Shader arrays of an engine that the driver can address (`AMDGPU_GFX_MAX_SH_PER_SE`).
const MAX_SHADER_ARRAYS: u32 = 2;
/// Registers that one request may read.
const MAX_REGISTERS: u32 = 128;

// SAFETY: the kernel's structures of integers.
unsafe impl Plain for drm_amdgpu_info_device {}
// SAFETY: as above.
unsafe impl Plain for drm_amdgpu_memory_info {}
// SAFETY: as above.
unsafe impl Plain for drm_amdgpu_info_vram_gtt {}
// SAFETY: as above.
unsafe impl Plain for drm_amdgpu_info_firmware {}
// SAFETY: as above.
unsafe impl Plain for drm_amdgpu_info_hw_ip {}

impl RenderFile {
    pub(super) fn info(&self, process: &Process, query: &mut drm_amdgpu_info) -> Result<(), Errno> {
        let query: &drm_amdgpu_info = query;
        if query.return_size == 0 || query.return_pointer == 0 {
            return Err(Errno::EINVAL.because("return_size or return_pointer is 0"));
        }
        let mut guard = process.lock();
        let state: &mut State = &mut guard;
        let config = process.config;
        // The node of a partition tells of the memory of all.
        let card = || config.card(self.index);
        let used = card().map(|index| state.vram_taken(Config::gpu_id(index))).sum::<Result<u64, Errno>>()?;
        let total = card().map(|index| config.vram_bytes(index)).sum();
        let usable = total - (config.vram_bytes(self.index) - config.usable_vram_bytes(self.index));
        let gpu = state.gpu(Config::gpu_id(self.index))?;
        let profile = gpu.gpu.profile;
        match query.query {
            AMDGPU_INFO_ACCEL_WORKING => reply(query, &1u32),
            AMDGPU_INFO_DEV_INFO => reply(query, &device_info(&gpu.gpu)),
            AMDGPU_INFO_HW_IP_COUNT | AMDGPU_INFO_HW_IP_INFO if unit(query) >= AMDGPU_HW_IP_NUM => {
                Err(Errno::EINVAL.because("the type of ring is unknown"))
            }
            AMDGPU_INFO_HW_IP_COUNT => {
                let count = match unit(query) {
                    AMDGPU_HW_IP_GFX | AMDGPU_HW_IP_COMPUTE => 1,
                    AMDGPU_HW_IP_DMA => profile.sdma_engines + profile.sdma_xgmi_engines,
                    _ => 0,
                };
                reply(query, &count)
            }
            AMDGPU_INFO_HW_IP_INFO => reply(query, &unit_info(profile, unit(query))),
            AMDGPU_INFO_TIMESTAMP => reply(query, &crate::hardware::clock::gpu_ticks()),
            AMDGPU_INFO_VRAM_USAGE | AMDGPU_INFO_VIS_VRAM_USAGE => reply(query, &used),
            AMDGPU_INFO_GTT_USAGE => reply(query, &0u64),
            AMDGPU_INFO_VRAM_GTT => reply(
                query,
                &drm_amdgpu_info_vram_gtt { vram_size: usable, vram_cpu_accessible_size: usable, gtt_size: total },
            ),
            AMDGPU_INFO_MEMORY => {
                let heap = |total_heap_size: u64, usable_heap_size: u64, heap_usage: u64| drm_amdgpu_heap_info {
                    total_heap_size,
                    usable_heap_size,
                    heap_usage,
                    max_allocation: usable_heap_size * 3 / 4,
                };
                let (vram, gtt) = (heap(total, usable, used), heap(total, total, 0));
                reply(query, &drm_amdgpu_memory_info { vram, cpu_accessible_vram: vram, gtt })
            }
            AMDGPU_INFO_FW_VERSION => {
                // SAFETY: every member of the union is integers.
                let wanted = unsafe { query.__bindgen_anon_1.query_fw };
                let ver = match (wanted.fw_type, wanted.index) {
                    _ if wanted.ip_instance != 0 => return Err(Errno::EINVAL.because("ip_instance is not 0")),
                    // No model has these; the driver knows no version then.
                    (AMDGPU_INFO_FW_VCE | AMDGPU_INFO_FW_UVD, _) => 0,
                    (AMDGPU_INFO_FW_GFX_MEC, 0 | 1) => profile.firmware,
                    (AMDGPU_INFO_FW_SDMA, engine) if engine < profile.sdma_engines + profile.sdma_xgmi_engines => {
                        profile.sdma_firmware
                    }
                    _ => return Err(Errno::EINVAL.because("the GPU has no such firmware")),
                };
                reply(query, &drm_amdgpu_info_firmware { ver, feature: 0 })
            }
            AMDGPU_INFO_READ_MMR_REG => {
                // SAFETY: every member of the union is integers.
                let register = unsafe { query.__bindgen_anon_1.read_mmr_reg };
                let valid = |shift: u32, mask: u32, limit: u32| {
                    let index = register.instance >> shift & mask;
                    // All bits set: whichever there is.
                    index == mask || index < limit
                };
                if !valid(AMDGPU_INFO_MMR_SE_INDEX_SHIFT, AMDGPU_INFO_MMR_SE_INDEX_MASK, MAX_SHADER_ENGINES)
                    || !valid(AMDGPU_INFO_MMR_SH_INDEX_SHIFT, AMDGPU_INFO_MMR_SH_INDEX_MASK, MAX_SHADER_ARRAYS)
                    || register.count > MAX_REGISTERS
                {
                    return Err(Errno::EINVAL.because("there is no such register, or count is too large"));
                }
                match (register.dword_offset, register.count) {
                    (_, 0) => Ok(()),
                    (GB_ADDR_CONFIG, 1) => reply(query, &profile.gb_addr_config),
                    _ => Err(Errno::EFAULT.because("the register cannot be read")),
                }
            }
            other => {
                log::write(Topic::Unknown, format_args!("render node: unknown AMDGPU_INFO query {other:#x}"));
                Err(Errno::EINVAL.because("query is unknown"))
            }
        }
    }
}

/// The kind of unit that a query about one names.
fn unit(query: &drm_amdgpu_info) -> u32 {
    // SAFETY: every member of the union is integers.
    unsafe { query.__bindgen_anon_1.query_hw_ip.type_ }
}

/// What there is of units of this kind (`amdgpu_hw_ip_info`). No model has rings of graphics.
fn unit_info(profile: &Profile, kind: u32) -> drm_amdgpu_info_hw_ip {
    // SAFETY: integers, of which zeroes are valid: none.
    let none: drm_amdgpu_info_hw_ip = unsafe { std::mem::zeroed() };
    let rings = |kind: Kind| (1 << kind.rings()) - 1;
    let version = |[major, minor, revision]: [u32; 3]| major << 16 | minor << 8 | revision;
    let alignment = |start, size| drm_amdgpu_info_hw_ip { ib_start_alignment: start, ib_size_alignment: size, ..none };
    match kind {
        AMDGPU_HW_IP_GFX | AMDGPU_HW_IP_COMPUTE => drm_amdgpu_info_hw_ip {
            hw_ip_version_major: 9,
            available_rings: if kind == AMDGPU_HW_IP_COMPUTE { rings(Kind::Compute) } else { 0 },
            ip_discovery_version: version(profile.gc_version),
            ..alignment(32, 32)
        },
        AMDGPU_HW_IP_DMA => drm_amdgpu_info_hw_ip {
            hw_ip_version_major: 4,
            available_rings: rings(Kind::Dma),
            ip_discovery_version: version(profile.sdma_version),
            ..alignment(256, 4)
        },
        _ => none,
    }
}

/// Writes as much of the answer as the caller has room for: newer kernels have longer structures.
fn reply<T: Plain>(query: &drm_amdgpu_info, value: &T) -> Result<(), Errno> {
    user::write_start(query.return_pointer, value, query.return_size as usize)
}

fn device_info(gpu: &Gpu) -> drm_amdgpu_info_device {
    let profile = gpu.profile;
    // SAFETY: the structure is integers, of which zeroes are valid.
    let mut info: drm_amdgpu_info_device = unsafe { std::mem::zeroed() };
    info.device_id = profile.device_id;
    info.chip_rev = profile.chip_revision;
    info.external_rev = profile.external_revision;
    info.pci_rev = profile.pci_revision;
    info.family = FAMILY_AI;
    info.num_shader_engines = profile.shader_engines;
    info.num_shader_arrays_per_engine = 1;
    info.gpu_counter_freq = (crate::hardware::clock::GPU_CLOCK_HZ / 1000) as u32;
    info.max_engine_clock = u64::from(profile.core_clock_mhz) * 1000;
    info.max_memory_clock = u64::from(profile.memory_clock_mhz) * 1000;
    // Of all partitions.
    info.cu_active_number = profile.compute_units * profile.partitions;
    info.virtual_address_offset = GPUVM_BASE;
    info.virtual_address_max = GPUVM_LIMIT + 1;
    info.virtual_address_alignment = PAGE as u32;
    info.pte_fragment_size = 2 << 20;
    info.gart_page_size = PAGE as u32;
    info.vram_type = VRAM_TYPE_HBM;
    info.vram_bit_width = profile.memory_width;
    info.wave_front_size = 64;
    info.num_cu_per_sh = profile.cus_per_array;
    info
}
