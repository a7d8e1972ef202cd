//! The kernel descriptor: the 64 bytes from which the packet processor sets up a kernel's waves.

/// A kernel descriptor (the 64 bytes of `NAME.kd`), by the names of LLVM's AMDGPUUsage, "Kernel Descriptor".
///
/// The fields are as they are in the file; the methods take the register values apart. Their meaning is gfx9's where
/// generations differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelDescriptor {
    /// Local memory (LDS) that a work-group needs, in bytes, without what a launch adds.
    pub group_segment_fixed_size: u32,
    /// Scratch memory that a work-item needs, in bytes, without a dynamic stack.
    pub private_segment_fixed_size: u32,
    /// Bytes of the kernarg segment; 0 if the compiler did not record them.
    pub kernarg_size: u32,
    /// From the descriptor to the first instruction, in bytes.
    pub kernel_code_entry_byte_offset: i64,
    /// Register `COMPUTE_PGM_RSRC3` (gfx90a and gfx10 on).
    pub compute_pgm_rsrc3: u32,
    /// Register `COMPUTE_PGM_RSRC1`.
    pub compute_pgm_rsrc1: u32,
    /// Register `COMPUTE_PGM_RSRC2`.
    pub compute_pgm_rsrc2: u32,
    /// The scalar registers that the packet processor initialises, and flags of the whole kernel.
    pub kernel_code_properties: u16,
    /// How many dwords of kernel arguments are loaded into scalar registers (bits 6:0) and from which dword on (bits
    /// 15:7); gfx90a on.
    pub kernarg_preload: u16,
}

/// Methods that give bits `$low..=$high` of a field.
macro_rules! bits {
    ($($(#[$doc:meta])* $name:ident: $field:ident[$high:literal:$low:literal];)*) => {
        $(
            $(#[$doc])*
            #[doc = concat!("(`", stringify!($field), "` bits ", $high, ":", $low, ")")]
            pub const fn $name(&self) -> u32 {
                (self.$field as u32) >> $low & (u32::MAX >> (31 - $high + $low))
            }
        )*
    };
}

/// Methods that give one bit of a field.
macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident: $field:ident[$bit:literal];)*) => {
        $(
            $(#[$doc])*
            #[doc = concat!("(`", stringify!($field), "` bit ", $bit, ")")]
            pub const fn $name(&self) -> bool {
                self.$field >> $bit & 1 != 0
            }
        )*
    };
}

impl KernelDescriptor {
    /// Bytes of a descriptor, and the alignment of its address.
    pub const BYTES: usize = 64;

    /// Reads a descriptor.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> KernelDescriptor {
        fn at<const N: usize>(bytes: &[u8; KernelDescriptor::BYTES], offset: usize) -> [u8; N] {
            std::array::from_fn(|i| bytes[offset + i])
        }
        let word = |offset| u32::from_le_bytes(at(bytes, offset));
        KernelDescriptor {
            group_segment_fixed_size: word(0),
            private_segment_fixed_size: word(4),
            kernarg_size: word(8),
            kernel_code_entry_byte_offset: i64::from_le_bytes(at(bytes, 16)),
            compute_pgm_rsrc3: word(44),
            compute_pgm_rsrc1: word(48),
            compute_pgm_rsrc2: word(52),
            kernel_code_properties: u16::from_le_bytes(at(bytes, 56)),
            kernarg_preload: u16::from_le_bytes(at(bytes, 58)),
        }
    }

    bits! {
        /// Vector registers in granules, less one: of 4 on gfx6 to gfx908, of 8 on gfx90a.
        granulated_workitem_vgpr_count: compute_pgm_rsrc1[5:0];
        /// Scalar registers: twice the number of granules of 16, less two, on gfx9.
        granulated_wavefront_sgpr_count: compute_pgm_rsrc1[9:6];
        /// Priority of the wave.
        priority: compute_pgm_rsrc1[11:10];
        /// Rounding of single precision: to even, up, down, to zero.
        float_round_mode_32: compute_pgm_rsrc1[13:12];
        /// Rounding of half and double precision.
        float_round_mode_16_64: compute_pgm_rsrc1[15:14];
        /// Denormals of single precision: flush both, flush results, flush sources, keep.
        float_denorm_mode_32: compute_pgm_rsrc1[17:16];
        /// Denormals of half and double precision.
        float_denorm_mode_16_64: compute_pgm_rsrc1[19:18];
        /// Scalar registers that the packet processor sets before the wave's own.
        user_sgpr_count: compute_pgm_rsrc2[5:1];
        /// Vector registers with work-item ids: x, x and y, x y and z.
        enable_vgpr_workitem_id: compute_pgm_rsrc2[12:11];
        /// Local memory in granules; the packet processor takes it from the packet instead.
        granulated_lds_size: compute_pgm_rsrc2[23:15];
        /// First accumulation register in granules of 4, less one (gfx90a, gfx940).
        accum_offset: compute_pgm_rsrc3[5:0];
    }

    flags! {
        /// Starts in privileged mode.
        privileged: compute_pgm_rsrc1[20];
        /// Clamping turns NaN into zero.
        enable_dx10_clamp: compute_pgm_rsrc1[21];
        /// Starts in single-step mode.
        debug_mode: compute_pgm_rsrc1[22];
        /// Quiets signalling NaNs as IEEE 754 asks.
        enable_ieee_mode: compute_pgm_rsrc1[23];
        /// Only one work-group on a compute unit.
        bulky: compute_pgm_rsrc1[24];
        /// For a debugger's use.
        cdbg_user: compute_pgm_rsrc1[25];
        /// Half precision overflows to the largest number.
        fp16_ovfl: compute_pgm_rsrc1[26];
        /// Waves run on two compute units (gfx10 on).
        enable_wgp_mode: compute_pgm_rsrc1[29];
        /// Memory operations are counted in order (gfx10 on).
        mem_ordered: compute_pgm_rsrc1[30];
        /// Waves of a group make progress independently (gfx10 on).
        fwd_progress: compute_pgm_rsrc1[31];
        /// The kernel has scratch memory.
        enable_private_segment: compute_pgm_rsrc2[0];
        /// A trap handler is there; the driver sets it.
        enable_trap_handler: compute_pgm_rsrc2[6];
        /// The work-group's id in x is in a scalar register.
        enable_sgpr_workgroup_id_x: compute_pgm_rsrc2[7];
        /// The work-group's id in y is in a scalar register.
        enable_sgpr_workgroup_id_y: compute_pgm_rsrc2[8];
        /// The work-group's id in z is in a scalar register.
        enable_sgpr_workgroup_id_z: compute_pgm_rsrc2[9];
        /// Work-group information is in a scalar register.
        enable_sgpr_workgroup_info: compute_pgm_rsrc2[10];
        /// Raises an exception when a watched address is touched.
        enable_exception_address_watch: compute_pgm_rsrc2[13];
        /// Raises an exception for memory violations.
        enable_exception_memory: compute_pgm_rsrc2[14];
        /// Raises an exception for invalid floating-point operations.
        enable_exception_fp_invalid: compute_pgm_rsrc2[24];
        /// Raises an exception for denormal sources.
        enable_exception_fp_denorm: compute_pgm_rsrc2[25];
        /// Raises an exception for floating-point division by zero.
        enable_exception_fp_div_zero: compute_pgm_rsrc2[26];
        /// Raises an exception for floating-point overflow.
        enable_exception_fp_overflow: compute_pgm_rsrc2[27];
        /// Raises an exception for floating-point underflow.
        enable_exception_fp_underflow: compute_pgm_rsrc2[28];
        /// Raises an exception for inexact results.
        enable_exception_fp_inexact: compute_pgm_rsrc2[29];
        /// Raises an exception for integer division by zero.
        enable_exception_int_div_zero: compute_pgm_rsrc2[30];
        /// Waves of a work-group may run on several compute units (gfx90a, gfx940).
        tg_split: compute_pgm_rsrc3[16];
        /// Wants the buffer resource of scratch memory, which the packet processor copies from the queue.
        enable_sgpr_private_segment_buffer: kernel_code_properties[0];
        /// Wants the address of the dispatch packet.
        enable_sgpr_dispatch_ptr: kernel_code_properties[1];
        /// Wants the address of the queue (`amd_queue_t`).
        enable_sgpr_queue_ptr: kernel_code_properties[2];
        /// Wants the address of the arguments.
        enable_sgpr_kernarg_segment_ptr: kernel_code_properties[3];
        /// Wants the packet's index.
        enable_sgpr_dispatch_id: kernel_code_properties[4];
        /// Wants what sets up flat accesses to scratch memory.
        enable_sgpr_flat_scratch_init: kernel_code_properties[5];
        /// Wants the bytes of scratch memory of a work-item.
        enable_sgpr_private_segment_size: kernel_code_properties[6];
        /// Waves of 32 work-items instead of 64 (gfx10 on).
        enable_wavefront_size32: kernel_code_properties[10];
        /// The stack's size is not known when compiled (code object version 5 on).
        uses_dynamic_stack: kernel_code_properties[11];
    }
}
