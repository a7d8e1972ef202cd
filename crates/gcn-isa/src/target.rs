//! The supported chips as data; no other module names a chip.
//!
//! Which operations a chip has says the table of [`crate::op`]; what else differs between chips is a property here.
//! Decoder and executor ask for properties when code is decoded and when a wave starts, never while an instruction
//! executes.

use std::fmt;

/// A chip, by LLVM's name of its instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// MI100.
    Gfx908,
    /// MI210, MI250 and MI250X.
    Gfx90a,
    /// MI300X, MI300A and MI325X.
    Gfx942,
}

/// How MFMA add products of f16 and bf16.
#[derive(Clone, Copy, Debug)]
pub enum HalfSums {
    /// In the order of K, each sum rounded.
    InOrder,
    /// In pairs; denormal operands and intermediate results are flushed to zero.
    FlushedPairs,
    /// In groups of eight, each product cut off far below the largest.
    CutGroups,
}

/// Differences between chips apart from their operations.
#[derive(Debug)]
pub struct Properties {
    name: &'static str,
    /// `EF_AMDGPU_MACH` in the header of its code objects (LLVM: AMDGPUUsage, "ELF Header").
    elf_machine: u32,
    /// Accumulation registers are the upper part of the wave's vector registers, from ACCUM_OFFSET of the kernel
    /// descriptor on: MFMA and vector memory instructions take their data from either part (the bits ACC and ACC_CD),
    /// and operands of several registers begin at an even one.
    ///
    /// A wave cannot reach one part by the numbers of the other, so they are kept apart here too.
    pub unified_registers: bool,
    /// Vector registers are allocated in this many.
    pub register_granule: u32,
    /// Vector registers that a SIMD has for each lane, accumulation registers counted only where they are among them.
    pub registers_per_lane: u32,
    /// Work-item ids are ten bits each of the first register.
    pub packed_work_item_ids: bool,
    /// FLAT, buffer and image instructions have the bit SCC, for coherence with the system.
    pub scc: bool,
    /// The bits GLC, SLC and SCC of vector memory instructions are called SC0, NT and SC1. SC1 and SC0 of a load are
    /// the scope that it is coherent with: wave, work-group, device, system.
    pub scopes: bool,
    /// SCRATCH has a bit of its own for a vector address, so that it can have both a vector and a scalar one or none.
    /// FLAT and the like have no bit LDS.
    pub scratch_vector_enable: bool,
    /// The base of private memory is a hardware register from the start, instead of what a kernel puts into
    /// FLAT_SCRATCH.
    pub architected_flat_scratch: bool,
    /// The kernel descriptor can have the first dwords of the arguments put into user SGPRs.
    pub kernarg_preload: bool,
    /// Hardware registers 20 to 24 have names: XCC_ID and a snapshot of performance counters.
    pub xcc_id: bool,
    /// The number of the trap register in which the driver's trap handler keeps what has no register of its own
    /// (`s_save_ib_sts` of `cwsr_trap_handler_gfx9.asm` of Linux).
    pub trap_state: usize,
    /// Loads can report non-resident pages (TFE).
    pub tfe: bool,
    /// FLAT, GLOBAL and SCRATCH have the bit NV.
    pub nv: bool,
    /// Memory atomics of f32 and packed f16 can return the old value.
    pub float_atomics_return: bool,
    /// Additions of f32 in memory keep denormals.
    pub atomic_add_f32_denormals: bool,
    /// How MFMA add products of f16 and bf16.
    pub mfma_halves: HalfSums,
    /// DPP has `row_newbcast`, which operations on 64 bits have too.
    pub dpp_row_newbcast: bool,
    /// DS instructions other than those of global wave sync can go to the global data share.
    pub global_data_share: bool,
}

const GFX908: Properties = Properties {
    name: "gfx908",
    elf_machine: 0x30,
    unified_registers: false,
    register_granule: 4,
    registers_per_lane: 256,
    packed_work_item_ids: false,
    scc: false,
    scopes: false,
    scratch_vector_enable: false,
    architected_flat_scratch: false,
    kernarg_preload: false,
    xcc_id: false,
    trap_state: 11,
    tfe: true,
    nv: true,
    float_atomics_return: false,
    atomic_add_f32_denormals: false,
    mfma_halves: HalfSums::InOrder,
    dpp_row_newbcast: false,
    global_data_share: true,
};

const GFX90A: Properties = Properties {
    name: "gfx90a",
    elf_machine: 0x3f,
    unified_registers: true,
    register_granule: 8,
    registers_per_lane: 512,
    packed_work_item_ids: true,
    scc: true,
    scopes: false,
    scratch_vector_enable: false,
    architected_flat_scratch: false,
    kernarg_preload: true,
    xcc_id: false,
    trap_state: 11,
    tfe: false,
    nv: false,
    float_atomics_return: true,
    atomic_add_f32_denormals: false,
    mfma_halves: HalfSums::FlushedPairs,
    dpp_row_newbcast: true,
    global_data_share: false,
};

const GFX942: Properties = Properties {
    name: "gfx942",
    elf_machine: 0x4c,
    scopes: true,
    scratch_vector_enable: true,
    architected_flat_scratch: true,
    xcc_id: true,
    trap_state: 13,
    atomic_add_f32_denormals: true,
    mfma_halves: HalfSums::CutGroups,
    ..GFX90A
};

impl Target {
    /// Every chip.
    pub const ALL: &[Target] = &[Target::Gfx908, Target::Gfx90a, Target::Gfx942];

    /// The chip's differences from others.
    pub const fn properties(self) -> &'static Properties {
        match self {
            Target::Gfx908 => &GFX908,
            Target::Gfx90a => &GFX90A,
            Target::Gfx942 => &GFX942,
        }
    }

    /// LLVM's name: `gfx908`.
    pub const fn name(self) -> &'static str {
        self.properties().name
    }

    /// `EF_AMDGPU_MACH`: the lowest byte of `e_flags` of its code objects.
    pub const fn elf_machine(self) -> u32 {
        self.properties().elf_machine
    }

    /// The chip whose code object has these `e_flags`.
    pub fn from_elf_flags(flags: u32) -> Option<Target> {
        Target::ALL.iter().copied().find(|target| target.elf_machine() == flags & 0xff)
    }

    /// The chip that LLVM calls so.
    pub fn from_name(name: &str) -> Option<Target> {
        Target::ALL.iter().copied().find(|target| target.name() == name)
    }

    /// Vector registers that a wave of a kernel with this COMPUTE_PGM_RSRC1 takes of each lane of a SIMD.
    pub fn allocated_registers(self, rsrc1: u32) -> u32 {
        ((rsrc1 & 63) + 1) * self.properties().register_granule
    }

    /// Registers that a SIMD has for each lane.
    pub fn registers_per_lane(self) -> u32 {
        self.properties().registers_per_lane
    }

    /// Vector registers that a wave of a kernel with this descriptor has for each of `v0...` and `a0...`.
    ///
    /// COMPUTE_PGM_RSRC1 and RSRC3: LLVM's AMDGPUUsage, "Kernel Descriptor".
    pub fn registers(self, rsrc1: u32, rsrc3: u32) -> [usize; 2] {
        let properties = self.properties();
        let allocated = self.allocated_registers(rsrc1) as usize;
        if !properties.unified_registers {
            return [allocated, allocated];
        }
        // An operand names 256 of a kind, however the descriptor divides the 512 that there can be.
        let vector = allocated.min(((rsrc3 & 63) as usize + 1) * 4);
        let accumulation = allocated - vector;
        [vector, if accumulation < 256 { accumulation } else { 256 }]
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_divides_the_registers() {
        // Granules of 4 for each kind, whatever else the descriptor says.
        assert_eq!(Target::Gfx908.registers(5, 63), [24, 24]);
        assert_eq!(Target::Gfx908.registers(63, 0), [256, 256]);
        // Granules of 8 of both together, divided at a multiple of 4.
        assert_eq!(Target::Gfx90a.registers(3, 4), [20, 12]);
        assert_eq!(Target::Gfx90a.registers(3, 63), [32, 0]);
        assert_eq!(Target::Gfx90a.registers(63, 63), [256, 256]);
        assert_eq!(Target::Gfx90a.registers(63, 0), [4, 256], "no operand reaches further");
        assert_eq!(Target::Gfx90a.registers(u32::MAX, u32::MAX), [256, 256]);
    }

    #[test]
    fn chips_are_found_by_name_and_by_the_header_of_their_code() {
        for &target in Target::ALL {
            assert_eq!(Target::from_name(target.name()), Some(target));
            assert_eq!(Target::from_elf_flags(0x500 | target.elf_machine()), Some(target));
        }
        assert_eq!((Target::from_name("gfx900"), Target::from_elf_flags(0x2c)), (None, None));
    }
}
