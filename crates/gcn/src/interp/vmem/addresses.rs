//! The memory address of each lane of an instruction.

use gcn_alu::wave::LANES;

/// Where the lanes of an instruction access memory.
pub(crate) struct Addresses {
    /// Device address of each lane's first byte. Those of lanes that are not in a mask mean nothing.
    pub at: [u64; LANES],
    /// By dword of the access: the lanes that access memory. Loads give other lanes of EXEC 0.
    pub mask: [u64; 4],
    /// Distance of a lane's consecutive dwords: 4, or 256 where the dwords of a wave are interleaved (private memory).
    pub stride: u32,
}
