//! What differs between chips: one entry for each kind that this crate speaks to, and what all of gfx9 have alike.

/// Bytes that an engine is given at once, at least, where there is a least (ROCr, `BlitSdma::Initialize`: "a minimum of
/// 64 DWORDS per ring buffer submission").
pub const MIN_SUBMISSION_BYTES: u64 = 64 * 4;

/// Bytes of a process's doorbells on a GPU: 1024 of 8 (`kfd_doorbell_process_slice` of Linux; `doorbell_size` is 8 from
/// gfx9 on).
pub const DOORBELL_BYTES: usize = 8192;

/// `eop_buffer_size` of gfx9, in bytes.
pub const END_OF_PIPE: usize = 4096;

/// What the context save area has for each compute unit besides its vector registers, in bytes: `SGPR_SIZE_PER_CU`,
/// `LDS_SIZE_PER_CU` and `HWREG_SIZE_PER_CU` of Linux's `kfd_queue.c`.
pub const SGPRS_PER_CU: u64 = 0x4000;
pub const LDS_PER_CU: u64 = 0x10000;
pub const REGISTERS_PER_CU: u64 = 0x1000;

/// `COMPUTE_TMPRING_SIZE` of gfx9: WAVESIZE in units of so many bytes, the largest WAVESIZE (13 bits) and the largest
/// WAVES (12 bits).
pub const SCRATCH_UNIT: u64 = 1024;
pub const MAX_SCRATCH_UNITS: u64 = 0x1fff;
pub const MAX_SCRATCH_WAVES: u64 = 0xfff;

/// A PM4 packet ACQUIRE_MEM of gfx9 for all addresses, with the actions of COHER_CNTL that ROCr asks for after it loads
/// code (`GpuAgent::InvalidateCodeCaches`): the instruction and scalar caches, and the L2 cache's clean lines.
pub const INVALIDATE_CACHES: [u32; 7] = {
    const ACQUIRE_MEM: u32 = 3 << 30 | 5 << 16 | 0x58 << 8;
    const SH_ICACHE_ACTION_ENA: u32 = 1 << 29;
    const SH_KCACHE_ACTION_ENA: u32 = 1 << 27;
    const TC_ACTION_ENA: u32 = 1 << 23;
    const TC_WB_ACTION_ENA: u32 = 1 << 18;
    const POLL_INTERVAL: u32 = 4;
    let actions = SH_ICACHE_ACTION_ENA | SH_KCACHE_ACTION_ENA | TC_ACTION_ENA | TC_WB_ACTION_ENA;
    [ACQUIRE_MEM, actions, u32::MAX, 0xff, 0, 0, POLL_INTERVAL]
};

/// Words 1 (without the address) and 3 of the buffer resource (V#) through which kernels access scratch, as ROCr sets
/// them for gfx9 (`AqlQueue::InitScratchSRD`): swizzled; elements of 4 bytes, 64 lanes, lane number added, format
/// 32_UINT.
pub const SCRATCH_DESCRIPTOR: [u32; 2] = {
    const SWIZZLE_ENABLE: u32 = 1 << 31;
    const SELECT_XYZW: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    const NUM_FORMAT_UINT: u32 = 4 << 12;
    const DATA_FORMAT_32: u32 = 4 << 15;
    const ELEMENT_SIZE_4: u32 = 1 << 19;
    const INDEX_STRIDE_64: u32 = 3 << 21;
    const ADD_TID_ENABLE: u32 = 1 << 23;
    let elements = SELECT_XYZW | NUM_FORMAT_UINT | DATA_FORMAT_32 | ELEMENT_SIZE_4 | INDEX_STRIDE_64 | ADD_TID_ENABLE;
    [SWIZZLE_ENABLE, elements]
};

/// Machine code of `trap/handler.s`, which has the command that makes it, and the same for gfx94x and later.
const TRAP_HANDLER: &[u8] = include_bytes!("family/trap/handler.bin");
const TRAP_HANDLER_GFX94: &[u8] = include_bytes!("family/trap/handler_gfx94.bin");
const _: () = assert!(TRAP_HANDLER.len() <= 4096 && TRAP_HANDLER_GFX94.len() <= 4096, "each fits a page");

/// What a kind of chip has that others of gfx9 have not.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// Bytes of vector registers of a compute unit (`VGPR_SIZE_PER_CU` of `kfd_queue.c`).
    pub vgprs_per_cu: u64,
    /// The context save area has as much LDS for each compute unit as the chip, not [`LDS_PER_CU`].
    pub saves_all_lds: bool,
    /// How many bytes the copy engines are given at once, at least.
    pub least_submission: u64,
    /// Whether KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT means more than COHERENT (`gmc_v9_0_get_coherence_flags` of Linux).
    pub has_extended_coherence: bool,
    /// What waves run when they raise an exception.
    pub trap_handler: &'static [u8],
    /// The kernels that copy and fill, if there are any for it.
    pub blit: Option<&'static [u8]>,
}

const GFX906: Family = Family {
    vgprs_per_cu: 0x40000,
    saves_all_lds: false,
    least_submission: 0,
    has_extended_coherence: false,
    trap_handler: TRAP_HANDLER,
    blit: None,
};
const GFX900: Family = Family { least_submission: MIN_SUBMISSION_BYTES, ..GFX906 };
const GFX908: Family = Family { vgprs_per_cu: 0x80000, blit: Some(include_bytes!("family/blit/gfx908.co")), ..GFX906 };
const GFX90A: Family = Family { blit: Some(include_bytes!("family/blit/gfx90a.co")), ..GFX908 };
const GFX942: Family = Family {
    has_extended_coherence: true,
    trap_handler: TRAP_HANDLER_GFX94,
    blit: Some(include_bytes!("family/blit/gfx942.co")),
    ..GFX90A
};
const GFX950: Family = Family { saves_all_lds: true, blit: None, ..GFX942 };

impl Family {
    /// That of a GPU with this instruction set: major, minor and stepping.
    ///
    /// # Errors
    /// Why this crate does not speak to it, as the end of a sentence.
    pub fn of((major, minor, stepping): (u32, u32, u32)) -> Result<&'static Family, &'static str> {
        match (major, minor, stepping) {
            (9, 0, 0..=4 | 12) => Ok(&GFX900),
            (9, 0, 6) => Ok(&GFX906),
            (9, 0, 8) => Ok(&GFX908),
            (9, 0, 10) => Ok(&GFX90A),
            (9, 4, 0..=2) => Ok(&GFX942),
            (9, 5, 0) => Ok(&GFX950),
            (10, ..) => Err("RDNA 1 or 2 (gfx10), and this crate speaks to gfx9 only"),
            (11, ..) => Err("RDNA 3 (gfx11), and this crate speaks to gfx9 only"),
            (12, ..) => Err("RDNA 4 (gfx12), and this crate speaks to gfx9 only"),
            _ => Err("of no family that this crate speaks to, which is gfx9"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_refused_by_name() {
        for (version, name) in [((10, 3, 0), "RDNA 1 or 2"), ((11, 0, 0), "RDNA 3"), ((12, 0, 1), "RDNA 4")] {
            assert!(Family::of(version).unwrap_err().contains(name), "{version:?}");
        }
        for version in [(8, 0, 3), (9, 0, 7), (9, 3, 0), (13, 0, 0)] {
            assert!(Family::of(version).unwrap_err().contains("gfx9"), "{version:?}");
        }
    }

    /// The words of `GpuAgent::InvalidateCodeCaches` of ROCr, by the masks of `gc_9_0_sh_mask.h` of Linux:
    /// `CP_COHER_CNTL__SH_ICACHE_ACTION_ENA_MASK` 0x20000000, `SH_KCACHE` 0x08000000, `TC` 0x00800000, `TC_WB`
    /// 0x00040000.
    #[test]
    fn code_caches_are_invalidated_as_by_rocr() {
        assert_eq!(INVALIDATE_CACHES, [0xc005_5800, 0x2884_0000, 0xffff_ffff, 0xff, 0, 0, 4]);
    }
}
