//! Reads from a kernel descriptor and a dispatch packet which waves to start.

use crate::dispatch::code_cache::Code;
use crate::dispatch::launch::initial_state::Registers;
use crate::machine::segments::Segments;
use gcn_alu::wave::reg::FLAT_SCRATCH;
use gcn_alu::wave::{Scalars, Wave};

mod initial_state;

/// Parameters of a dispatch from the command processor.
#[derive(Clone, Copy, Debug)]
pub struct LaunchParameters {
    /// The AQL kernel dispatch packet, as in the ring.
    pub packet: [u8; 64],
    /// Device address of the packet (`dispatch_ptr`).
    pub packet_address: u64,
    /// Index of the packet since the queue was made (`dispatch_id`).
    pub dispatch_id: u64,
    /// Device address of the queue's `amd_queue_t` (`queue_ptr`).
    pub queue_address: u64,
    /// The 64 bytes at the packet's kernel object.
    pub descriptor: [u8; 64],
    /// Private memory for the waves of this dispatch.
    pub scratch: Scratch,
    /// Base of the LDS aperture: what FLAT addresses and `src_shared_base` use.
    pub shared_base: u64,
    /// Base of the private aperture.
    pub private_base: u64,
    /// The device's registers and LDS have ECC (LLVM's target feature `sramecc`), as those of an MI100 have.
    ///
    /// A code is computed of a whole register. So a load of one half (D16) writes zeros to the other with it, and
    /// leaves the other as it is without (LLVM: `d16PreservesUnusedBits`). Nothing else that a wave can see depends on
    /// it.
    pub sram_ecc: bool,
}

/// Private memory of a dispatch. A work-group that is started with slot `s` uses
/// [`Launch::scratch_bytes_per_workgroup`] bytes from `s` times that on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scratch {
    /// Device address, a multiple of 256.
    pub base: u64,
    /// Bytes there: enough for every slot that is used.
    pub bytes: u64,
}

/// Where a work-group runs, as its waves see it in HW_ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Accelerator complex die (XCC), 0 to 15. Chips with a single XCC have no register for it.
    pub xcc: u32,
    /// Shader engine, 0 to 7.
    pub engine: u32,
    /// Compute unit of the engine, 0 to 15.
    pub unit: u32,
    /// Wave slots of the compute unit that are the work-group's, a bit each: the lowest is its first wave's. Slot n is
    /// wave n / 4 of SIMD n % 4.
    pub slots: u64,
}

impl Place {
    /// The place of a work-group outside a device: on the first compute unit, alone.
    pub const FIRST: Place = Place { xcc: 0, engine: 0, unit: 0, slots: u64::MAX };

    /// HW_ID of wave `index` of the work-group.
    ///
    /// Fields: MI100 ISA manual, "HW_ID"; SE_ID has three bits on a gfx908 (`HW_ID_SE_ID_SIZE` of HIP's
    /// `amd_device_functions.h`). An engine has one shader array, so SH_ID is 0; what says which queue the wave comes
    /// from (pipe, queue, VMID, ME) is 0 too.
    pub(crate) fn hw_id(self, index: u32) -> u32 {
        let behind = (0..index).fold(self.slots, |slots, _| slots & slots.wrapping_sub(1));
        let slot = behind.trailing_zeros();
        (slot >> 2 & 15) | (slot & 3) << 4 | (self.unit & 15) << 8 | (self.engine & 7) << 13
    }
}

/// Why a dispatch cannot start. The command processor turns these into queue errors.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// `setup` asks for no dimension.
    #[error("packet setup {setup:#x} asks for {dimensions} dimensions, 1 to 3 exist")]
    Dimensions {
        /// The `setup` field.
        setup: u16,
        /// The dimension count.
        dimensions: u16,
    },
    /// A work-group or grid dimension is zero.
    #[error("work-group {workgroup:?} of grid {grid:?} has a dimension of zero")]
    EmptyDimension {
        /// `workgroup_size_x/y/z`.
        workgroup: [u16; 3],
        /// `grid_size_x/y/z`.
        grid: [u32; 3],
    },
    /// More work-groups than 64 bits count.
    #[error("grid {grid:?} has more than 2^64 work-groups of {workgroup:?}")]
    GridTooLarge {
        /// `workgroup_size_x/y/z`.
        workgroup: [u16; 3],
        /// `grid_size_x/y/z`.
        grid: [u32; 3],
    },
    /// More work-items in a work-group than the hardware has room for (1024).
    #[error("work-group {0:?} has more than 1024 work-items")]
    WorkgroupTooLarge([u16; 3]),
    /// More LDS than a work-group can have (64 KiB).
    #[error("the packet asks for {0} bytes of LDS, a work-group can have 65536")]
    LdsTooLarge(u32),
    /// The descriptor asks for what gfx9 does not have.
    #[error("kernel descriptor: {0}")]
    Descriptor(&'static str),
    /// The scratch memory is too small for one work-group.
    #[error("a work-group needs {needed} bytes of scratch memory, the queue has {available}")]
    Scratch {
        /// Bytes of one work-group.
        needed: u64,
        /// Bytes given.
        available: u64,
    },
}

/// The text of `Display`, as `main` prints an error by this.
impl std::fmt::Debug for LaunchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// LDS that a work-group can have.
pub(crate) const LDS_BYTES: u32 = 65536;

/// Bytes of code before the entry of a kernel whose arguments are in user SGPRs.
const PRELOAD_PROLOGUE: u64 = 256;

/// KERNARG_PRELOAD_SPEC of the kernel descriptor.
#[derive(Clone, Copy, Debug)]
struct Preload {
    /// In the argument segment, in bytes.
    offset: u64,
    dwords: usize,
    /// The first user SGPR that is not taken otherwise.
    first: usize,
}

/// A dispatch, ready to start its work-groups.
#[derive(Clone, Debug)]
pub struct Launch {
    parameters: LaunchParameters,
    /// Device address of the first instruction.
    pub entry: u64,
    /// Work-items of a full work-group.
    pub workgroup_size: [u32; 3],
    /// Work-items of the grid.
    pub grid_size: [u32; 3],
    groups: [u32; 3],
    /// LDS bytes of a work-group.
    pub lds_bytes: u32,
    kernarg: u64,
    private_bytes: u32,
    rsrc1: u32,
    rsrc2: u32,
    properties: u16,
    /// Vector and accumulation registers of a wave.
    registers: [usize; 2],
    packed_work_item_ids: bool,
    architected_flat_scratch: bool,
    /// Which XCC a wave runs on is a register of it.
    has_xcc_id: bool,
    trap_state: usize,
    /// Arguments that the descriptor asks to be in user SGPRs: the first dword of the argument segment, how many, and
    /// the first SGPR.
    preload: Option<Preload>,
    /// The scalar registers' initial values, as far as all waves have the same: those of the user SGPRs, and zeros.
    scalars: Scalars,
    pub(crate) generation: u64,
}

fn u16_at(bytes: &[u8; 64], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8; 64], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn u64_at(bytes: &[u8; 64], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

/// The sizes of a work-group and of the grid that a packet asks for, if the hardware can run them.
fn sizes(packet: &[u8; 64]) -> Result<([u16; 3], [u32; 3]), LaunchError> {
    let setup = u16_at(packet, 2);
    let dimensions = setup & 3;
    if dimensions == 0 {
        return Err(LaunchError::Dimensions { setup, dimensions });
    }
    let workgroup = [u16_at(packet, 4), u16_at(packet, 6), u16_at(packet, 8)];
    let grid = [u32_at(packet, 12), u32_at(packet, 16), u32_at(packet, 20)];
    if workgroup.contains(&0) || grid.contains(&0) {
        return Err(LaunchError::EmptyDimension { workgroup, grid });
    }
    if workgroup.iter().map(|&n| u64::from(n)).product::<u64>() > 1024 {
        return Err(LaunchError::WorkgroupTooLarge(workgroup));
    }
    let mut groups = grid.iter().zip(workgroup).map(|(&items, of)| u64::from(items.div_ceil(u32::from(of))));
    if groups.try_fold(1, u64::checked_mul).is_none() {
        return Err(LaunchError::GridTooLarge { workgroup, grid });
    }
    Ok((workgroup, grid))
}

impl Launch {
    /// Parses packet and descriptor. Call it once per dispatch, after the code that it runs is in memory: code that
    /// `code` has decoded before is compared with memory once per launch.
    ///
    /// Layouts: HSA Runtime Programmer's Reference Manual 1.2 (`hsa_kernel_dispatch_packet_t`), LLVM's AMDGPUUsage
    /// (kernel descriptor of code object v3 and later).
    ///
    /// # Errors
    /// What the command processor would stop the queue for.
    pub fn new(parameters: &LaunchParameters, code: &Code) -> Result<Launch, LaunchError> {
        let packet = &parameters.packet;
        let descriptor = &parameters.descriptor;
        let (workgroup, grid) = sizes(packet)?;
        let group_bytes = u32_at(packet, 28);
        if group_bytes > LDS_BYTES {
            return Err(LaunchError::LdsTooLarge(group_bytes));
        }
        let kernel_object = u64_at(packet, 32);
        let (rsrc1, rsrc2) = (u32_at(descriptor, 48), u32_at(descriptor, 52));
        let properties = u16_at(descriptor, 56);
        if properties & 1 << 10 != 0 {
            return Err(LaunchError::Descriptor("ENABLE_WAVEFRONT_SIZE32: gfx9 has waves of 64 only"));
        }
        if rsrc2 >> 11 & 3 == 3 {
            return Err(LaunchError::Descriptor("ENABLE_VGPR_WORKITEM_ID is 3, which is undefined"));
        }
        let target = code.target().properties();
        // Nor has such a chip registers to hand private memory over in.
        if target.architected_flat_scratch && properties & (1 << 0 | 1 << 5) != 0 {
            return Err(LaunchError::Descriptor(
                "ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER or _FLAT_SCRATCH_INIT: this chip has architected flat scratch",
            ));
        }
        let mut launch = Launch {
            parameters: *parameters,
            entry: kernel_object.wrapping_add(u64_at(descriptor, 16)),
            workgroup_size: workgroup.map(u32::from),
            grid_size: grid,
            groups: std::array::from_fn(|i| grid[i].div_ceil(u32::from(workgroup[i]))),
            lds_bytes: group_bytes,
            kernarg: u64_at(packet, 40),
            private_bytes: u32_at(packet, 24),
            rsrc1,
            rsrc2,
            properties,
            registers: code.target().registers(rsrc1, u32_at(descriptor, 44)),
            packed_work_item_ids: target.packed_work_item_ids,
            architected_flat_scratch: target.architected_flat_scratch,
            has_xcc_id: target.xcc_id,
            trap_state: target.trap_state,
            preload: None,
            scalars: Scalars([0; 128]),
            generation: code.next_generation(),
        };
        let (user, count) = launch.user_sgprs();
        launch = launch.with_user_sgprs(user);
        let preloaded = u16_at(descriptor, 58);
        let (dwords, offset) = (usize::from(preloaded & 0x7f), preloaded >> 7);
        if dwords != 0 && target.kernarg_preload {
            if count + dwords > user.len() {
                return Err(LaunchError::Descriptor(
                    "KERNARG_PRELOAD_SPEC_LENGTH is more than there are user SGPRs left",
                ));
            }
            launch.preload = Some(Preload { offset: u64::from(offset) * 4, dwords, first: count });
        }
        let count = count + launch.preload.map_or(0, |preload| preload.dwords);
        if count > (rsrc2 >> 1 & 31) as usize {
            return Err(LaunchError::Descriptor("USER_SGPR_COUNT is less than the enabled user SGPRs need"));
        }
        let needed = launch.scratch_bytes_per_workgroup();
        if needed > parameters.scratch.bytes {
            return Err(LaunchError::Scratch { needed, available: parameters.scratch.bytes });
        }
        Ok(launch)
    }

    /// Replaces the initial values of the user SGPRs by `user`, whatever the descriptor's properties say. A dispatch by
    /// compute registers (`COMPUTE_USER_DATA_0` to `_15`) does this.
    pub fn with_user_sgprs(mut self, user: [u32; 16]) -> Launch {
        self.scalars[..user.len()].copy_from_slice(&user);
        self
    }

    /// The arguments that the kernel asks to be in user SGPRs: their device address and how many bytes they are, at
    /// most 64. `None` if it asks for none.
    pub fn preloaded_arguments(&self) -> Option<(u64, usize)> {
        let preload = self.preload?;
        Some((self.kernarg.wrapping_add(preload.offset), preload.dwords * 4))
    }

    /// The same with the bytes of [`Launch::preloaded_arguments`] in user SGPRs. Without this the kernel loads them
    /// itself: its code begins with 256 bytes of instructions that do, which are left out here.
    ///
    /// LLVM's AMDGPUUsage, "Preloaded Kernel Arguments".
    pub fn with_preloaded_arguments(self, arguments: &[u8]) -> Launch {
        let Some(preload) = self.preload else { return self };
        let mut scalars = self.scalars;
        for (register, bytes) in scalars[preload.first..][..preload.dwords].iter_mut().zip(arguments.chunks_exact(4)) {
            *register = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        Launch { scalars, entry: self.entry.wrapping_add(PRELOAD_PROLOGUE), preload: None, ..self }
    }

    /// Number of work-groups of the grid in each dimension, including partial ones. Their product fits in 64 bits.
    pub fn workgroups(&self) -> [u32; 3] {
        self.groups
    }

    /// Private memory of one wave: the packet's bytes per work-item, rounded up as the hardware allocates it.
    #[inline]
    pub fn scratch_bytes_per_wave(&self) -> u64 {
        (u64::from(self.private_bytes) * 64).next_multiple_of(1024)
    }

    /// Private memory of a full work-group.
    #[inline]
    pub fn scratch_bytes_per_workgroup(&self) -> u64 {
        self.scratch_bytes_per_wave() * u64::from(self.workgroup_size.iter().product::<u32>().div_ceil(64))
    }

    /// Private memory that must be given for `workgroups` to run at once: what a packet and descriptor need before
    /// [`Launch::new`] can be called.
    ///
    /// # Errors
    /// As of [`Launch::new`] for the sizes in the packet.
    pub fn scratch_bytes(packet: &[u8; 64], workgroups: u32) -> Result<u64, LaunchError> {
        let (workgroup, _) = sizes(packet)?;
        let waves = workgroup.iter().map(|&n| u64::from(n)).product::<u64>().div_ceil(64);
        let per_wave = (u64::from(u32_at(packet, 24)) * 64).next_multiple_of(1024);
        Ok((per_wave * waves).saturating_mul(u64::from(workgroups)))
    }

    /// Work-items of work-group `id` (fewer than full at the grid's far edges).
    #[inline]
    pub(crate) fn items(&self, id: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|i| {
            let first = u64::from(id[i]) * u64::from(self.workgroup_size[i]);
            u64::from(self.grid_size[i]).saturating_sub(first).min(u64::from(self.workgroup_size[i])) as u32
        })
    }

    /// The user SGPRs in order, and how many there are.
    fn user_sgprs(&self) -> ([u32; 16], usize) {
        let mut values = [0; 16];
        let mut count = 0;
        let mut put = |enabled: bool, words: &[u32]| {
            if enabled {
                values[count..count + words.len()].copy_from_slice(words);
                count += words.len();
            }
        };
        let p = &self.parameters;
        let pair = |v: u64| [v as u32, (v >> 32) as u32];
        let on = |bit: u16| self.properties & 1 << bit != 0;
        put(on(0), &self.private_segment_buffer());
        put(on(1), &pair(p.packet_address));
        put(on(2), &pair(p.queue_address));
        put(on(3), &pair(self.kernarg));
        put(on(4), &pair(p.dispatch_id));
        put(on(5), &pair(p.scratch.base));
        put(on(6), &[self.private_bytes]);
        (values, count)
    }

    /// The buffer resource of private memory: dwords of a wave's 64 lanes interleaved.
    fn private_segment_buffer(&self) -> [u32; 4] {
        const SWIZZLE_ENABLE: u32 = 1 << 31;
        const DST_SEL_XYZW: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9;
        const NUM_FORMAT_UINT: u32 = 4 << 12;
        const INDEX_STRIDE_64: u32 = 3 << 21;
        const ADD_TID_ENABLE: u32 = 1 << 23;
        let scratch = self.parameters.scratch;
        // With ADD_TID_ENABLE the data format's bits are more bits of the stride, which is 0 here.
        [
            scratch.base as u32,
            (scratch.base >> 32) as u32 & 0xffff | SWIZZLE_ENABLE,
            scratch.bytes.min(u64::from(u32::MAX)) as u32,
            DST_SEL_XYZW | NUM_FORMAT_UINT | INDEX_STRIDE_64 | ADD_TID_ENABLE,
        ]
    }

    /// What the waves of a work-group in the private memory of work-group slot `scratch_slot` have.
    #[inline]
    pub(crate) fn segments(&self, scratch_slot: u32) -> Segments {
        let Scratch { base, bytes } = self.parameters.scratch;
        Segments {
            kernarg: self.kernarg,
            kernarg_bytes: u32_at(&self.parameters.descriptor, 8),
            scratch: base..base.saturating_add(bytes),
            private: base.wrapping_add(u64::from(scratch_slot) * self.scratch_bytes_per_workgroup()),
            private_step: self.scratch_bytes_per_wave(),
            private_bytes: self.private_bytes,
        }
    }

    /// How to start the waves of work-group `id` in the private memory of work-group slot `scratch_slot`.
    #[inline]
    pub(crate) fn workgroup(&self, id: [u32; 3], scratch_slot: u32) -> WorkgroupStart<'_> {
        let scratch = u64::from(scratch_slot) * self.scratch_bytes_per_workgroup();
        let items = self.items(id);
        let [x, y, z] = items;
        // At most 1024, as the launch was checked for.
        let total = x.wrapping_mul(y).wrapping_mul(z);
        WorkgroupStart { launch: self, id, items, total, scratch }
    }
}

/// A work-group whose waves are to be set up.
pub(crate) struct WorkgroupStart<'a> {
    launch: &'a Launch,
    id: [u32; 3],
    items: [u32; 3],
    /// All of them.
    total: u32,
    /// Offset of its private memory in that of the dispatch.
    scratch: u64,
}

impl WorkgroupStart<'_> {
    /// Waves that hold its work-items.
    #[inline]
    pub fn waves(&self) -> u32 {
        self.total.div_ceil(64)
    }

    /// Sets up wave `index`.
    pub fn wave(&self, wave: &mut Wave, index: u32) {
        let Launch { rsrc1, rsrc2, .. } = *self.launch;
        let first = index * 64;
        let lanes = self.total.saturating_sub(first).min(64);

        let registers = Registers {
            scalars: &self.launch.scalars,
            count: self.launch.registers,
            ids: 1 + (rsrc2 >> 11 & 3) as usize,
            packed: self.launch.packed_work_item_ids,
            items: &self.items,
            first,
        };
        registers.set(wave);
        wave.vector_registers = self.launch.registers[0];
        let mut next = (rsrc2 >> 1 & 31) as usize;
        let mut put = |enabled: bool, value: u32| {
            if enabled {
                wave.sgpr[next] = value;
                next += 1;
            }
        };
        let on = |bit: u32| rsrc2 & 1 << bit != 0;
        put(on(7), self.id[0]);
        put(on(8), self.id[1]);
        put(on(9), self.id[2]);
        // Work-group info: first wave of the group, ordered append term (unused), waves in the group.
        put(on(10), u32::from(index == 0) << 31 | self.waves());
        let scratch = self.scratch + u64::from(index) * self.launch.scratch_bytes_per_wave();
        put(on(0) && !self.launch.architected_flat_scratch, scratch as u32);
        if on(0) && self.launch.architected_flat_scratch {
            let base = self.launch.parameters.scratch.base.wrapping_add(scratch);
            wave.sgpr[FLAT_SCRATCH..][..2].copy_from_slice(&[base as u32, (base >> 32) as u32]);
        }

        wave.set_exec(if lanes == 64 { u64::MAX } else { (1 << lanes) - 1 });
        wave.pc = self.launch.entry;
        wave.scc = false;
        wave.mode.0 = rsrc1 >> 12 & 0xff
            | (rsrc1 >> 21 & 1) << 8
            | (rsrc1 >> 23 & 1) << 9
            | (rsrc2 >> 24 & 0x7f) << 12
            | (rsrc1 >> 26 & 1) << 23;
        wave.trapsts = 0;
        wave.index = index;
        wave.hw_id = Place::FIRST.hw_id(index);
        wave.xcc_id = self.launch.has_xcc_id.then_some(Place::FIRST.xcc);
        wave.trap_state = self.launch.trap_state;
        wave.shared_base = self.launch.parameters.shared_base;
        wave.private_base = self.launch.parameters.private_base;
        wave.sram_ecc = self.launch.parameters.sram_ecc;
        wave.at_barrier = false;
        wave.ended = lanes == 0;
        wave.halted = false;
        wave.whole_exec = None;
        wave.privileged = false;
        wave.gws_ticket = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(workgroup: [u16; 3], grid: [u32; 3], private: u32) -> [u8; 64] {
        let mut packet = [0; 64];
        packet[2] = 3;
        for i in 0..3 {
            packet[4 + 2 * i..][..2].copy_from_slice(&workgroup[i].to_le_bytes());
            packet[12 + 4 * i..][..4].copy_from_slice(&grid[i].to_le_bytes());
        }
        packet[24..28].copy_from_slice(&private.to_le_bytes());
        packet
    }

    #[test]
    fn scratch_of_a_work_group_that_cannot_be_is_an_error() {
        let all = [u16::MAX; 3];
        assert_eq!(Launch::scratch_bytes(&packet(all, [1; 3], u32::MAX), 1), Err(LaunchError::WorkgroupTooLarge(all)));
        assert_eq!(Launch::scratch_bytes(&packet([1024, 1, 1], [1; 3], u32::MAX), 1), Ok(1 << 42));
        assert_eq!(Launch::scratch_bytes(&packet([1024, 1, 1], [1; 3], u32::MAX), u32::MAX), Ok(u64::MAX));
        assert_eq!(Launch::scratch_bytes(&packet([65, 1, 1], [1; 3], 20), 3), Ok(2 * 2048 * 3));
    }

    #[test]
    fn grids_of_more_work_groups_than_64_bits_count_are_errors() {
        let sizes = |workgroup, grid| sizes(&packet(workgroup, grid, 0));
        for grid in [[u32::MAX; 3], [1 << 31, 1 << 31, 4]] {
            assert_eq!(sizes([1; 3], grid), Err(LaunchError::GridTooLarge { workgroup: [1; 3], grid }));
        }
        assert!(sizes([1; 3], [1 << 31, 1 << 31, 3]).is_ok());
        assert!(sizes([2, 1, 1], [1 << 31, 1 << 31, 4]).is_ok());
    }
}
