//! The architectural state of one wave.

use gcn_isa::inst::{Inst, Operand, Special};
use std::ops::{Deref, DerefMut};

/// Lanes of a wave (wave64 is all that gfx9 has).
pub const LANES: usize = 64;

/// Vector registers kept per wave: the 256 that an operand can name, and as many more as the widest operand (32
/// registers) reaches past the last one, so that no operand can be out of range.
pub const VECTOR_REGISTERS: usize = 256 + 32;

/// Index of `a0` in [`Wave::vgpr`].
pub const ACCUMULATION: usize = VECTOR_REGISTERS;

/// A vector register: one dword per lane.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes(pub [u32; LANES]);

impl Lanes {
    /// All lanes zero.
    pub const ZERO: Lanes = Lanes([0; LANES]);
}

/// All scalar registers, in whole lines of the host's cache: a wave starts with a copy of all.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalars(pub [u32; 128]);

impl Deref for Scalars {
    type Target = [u32; 128];

    #[inline]
    fn deref(&self) -> &[u32; 128] {
        &self.0
    }
}

impl DerefMut for Scalars {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u32; 128] {
        &mut self.0
    }
}

/// A vector operand: a register, or one value for all lanes.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A vector register.
    Lanes(&'a Lanes),
    /// A scalar register, an inline constant or a literal.
    Splat(u32),
}

/// The MODE register, laid out as `hwreg(HW_REG_MODE)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode(pub u32);

impl Mode {
    /// Rounding of f32: 0 nearest even, 1 towards +inf, 2 towards -inf, 3 towards zero.
    #[inline]
    pub fn round_f32(self) -> u32 {
        self.0 & 3
    }
    /// Rounding of f64 and f16, as [`Mode::round_f32`].
    #[inline]
    pub fn round_f16_f64(self) -> u32 {
        self.0 >> 2 & 3
    }
    /// f32 denormals: bit 0 keeps them in sources, bit 1 in results.
    #[inline]
    pub fn denorm_f32(self) -> u32 {
        self.0 >> 4 & 3
    }
    /// f64 and f16 denormals, as [`Mode::denorm_f32`].
    #[inline]
    pub fn denorm_f16_f64(self) -> u32 {
        self.0 >> 6 & 3
    }
    /// `clamp` turns NaN into 0.
    #[inline]
    pub fn dx10_clamp(self) -> bool {
        self.0 & 1 << 8 != 0
    }
    /// IEEE 754-2008 NaN quieting.
    #[inline]
    pub fn ieee(self) -> bool {
        self.0 & 1 << 9 != 0
    }
    /// Overflow of f16 results clamps to the largest finite value.
    #[inline]
    pub fn fp16_ovfl(self) -> bool {
        self.0 & 1 << 23 != 0
    }
    /// VGPR operands are relative to M0 (`s_set_gpr_idx_on`). The run loop resolves this before an ALU function sees
    /// the operand.
    #[inline]
    pub fn gpr_idx_en(self) -> bool {
        self.0 & Self::GPR_IDX_EN != 0
    }
    /// Whether vector instructions are skipped, which the run loop does.
    #[inline]
    pub fn vskip(self) -> bool {
        self.0 & Self::VSKIP != 0
    }
    /// Bit of [`Mode::gpr_idx_en`].
    pub const GPR_IDX_EN: u32 = 1 << 27;
    /// Bit of [`Mode::vskip`].
    pub const VSKIP: u32 = 1 << 28;
}

/// Register numbers of special registers in [`Wave::sgpr`].
pub mod reg {
    #![allow(missing_docs)]
    pub const FLAT_SCRATCH: usize = 102;
    pub const XNACK_MASK: usize = 104;
    pub const VCC: usize = 106;
    pub const TTMP: usize = 108;
    pub const M0: usize = 124;
    pub const EXEC: usize = 126;
}

/// Executes one instruction on a wave. The program counter is not its business.
pub type AluFn = fn(&mut Wave, &Inst);

/// One wave: registers and the status that instructions can see.
pub struct Wave {
    /// Address of the instruction that executes; already of the next one while an instruction function runs.
    pub pc: u64,
    /// Scalar registers by their 7-bit operand encoding: s0..s101 = 0..=101, flat_scratch 102/103, xnack_mask 104/105,
    /// vcc 106/107, ttmp0..15 = 108..=123, m0 = 124, exec = 126/127.
    pub sgpr: Scalars,
    /// Vector registers, and from [`ACCUMULATION`] on the accumulation registers. Those past the kernel's allocation
    /// exist too, and hold whatever was there.
    pub vgpr: Box<[Lanes; 2 * VECTOR_REGISTERS]>,
    /// How many of [`Wave::vgpr`] the kernel has allocated, which registers relative to M0 must be among.
    pub vector_registers: usize,
    /// Scalar condition code.
    pub scc: bool,
    /// Floating-point and addressing modes.
    pub mode: Mode,
    /// TRAPSTS as `s_getreg` reads it.
    pub trapsts: u32,
    /// Number of this wave in its work-group.
    pub index: u32,
    /// HW_ID as `s_getreg` reads it: where the wave runs.
    pub hw_id: u32,
    /// XCC_ID as `s_getreg` reads it, on chips that have it.
    pub xcc_id: Option<u32>,
    /// The trap register with the state that the driver's trap handler keeps for the process's.
    pub trap_state: usize,
    /// Base of the LDS aperture (FLAT addresses), a multiple of 2^48.
    pub shared_base: u64,
    /// Base of the private aperture.
    pub private_base: u64,
    /// The device's registers have ECC; see `LaunchParameters::sram_ecc` of `gcn`.
    pub sram_ecc: bool,
    /// Set while the wave waits at `s_barrier`.
    pub at_barrier: bool,
    /// `s_endpgm` was executed.
    pub ended: bool,
    /// STATUS.HALT: the wave does not run, except in a trap handler.
    pub halted: bool,
    /// STATUS.PRIV: it is in a trap handler.
    pub privileged: bool,
    /// The program's EXEC while an atomic instruction is repeated, during which only the lanes that are still to be
    /// done are enabled.
    pub whole_exec: Option<u64>,
    /// It waits at a global wave sync barrier.
    pub gws_ticket: Option<u64>,
    /// One more than the highest vector and accumulation register that may be non-zero.
    pub touched: [usize; 2],
}

impl Default for Wave {
    fn default() -> Wave {
        Wave {
            pc: 0,
            sgpr: Scalars([0; 128]),
            vgpr: zeroed_registers(),
            vector_registers: 256,
            scc: false,
            mode: Mode(0),
            trapsts: 0,
            index: 0,
            hw_id: 0,
            xcc_id: None,
            trap_state: 11,
            shared_base: 0,
            private_base: 0,
            sram_ecc: false,
            at_barrier: false,
            ended: false,
            halted: false,
            privileged: false,
            whole_exec: None,
            gws_ticket: None,
            touched: [0; 2],
        }
    }
}

fn zeroed_registers() -> Box<[Lanes; 2 * VECTOR_REGISTERS]> {
    let registers = vec![Lanes::ZERO; 2 * VECTOR_REGISTERS].into_boxed_slice();
    registers.try_into().unwrap_or_else(|_| unreachable!("made with this length"))
}

/// f32, f64 and f16 bits of the inline constants 240..=248.
const FLOATS: [(u32, u64, u16); 9] = [
    (0x3f00_0000, 0x3fe0_0000_0000_0000, 0x3800),
    (0xbf00_0000, 0xbfe0_0000_0000_0000, 0xb800),
    (0x3f80_0000, 0x3ff0_0000_0000_0000, 0x3c00),
    (0xbf80_0000, 0xbff0_0000_0000_0000, 0xbc00),
    (0x4000_0000, 0x4000_0000_0000_0000, 0x4000),
    (0xc000_0000, 0xc000_0000_0000_0000, 0xc000),
    (0x4080_0000, 0x4010_0000_0000_0000, 0x4400),
    (0xc080_0000, 0xc010_0000_0000_0000, 0xc400),
    (0x3e22_f983, 0x3fc4_5f30_6dc9_c882, 0x3118),
];

/// Bits of inline float constant `code` (240..=248) as f32; 0 for any other code.
pub fn inline_f32(code: u8) -> u32 {
    FLOATS.get(usize::from(code.wrapping_sub(240))).map_or(0, |f| f.0)
}

/// As [`inline_f32`], for f64 operands.
pub fn inline_f64(code: u8) -> u64 {
    FLOATS.get(usize::from(code.wrapping_sub(240))).map_or(0, |f| f.1)
}

/// As [`inline_f32`], for f16 operands.
pub fn inline_f16(code: u8) -> u16 {
    FLOATS.get(usize::from(code.wrapping_sub(240))).map_or(0, |f| f.2)
}

/// Index in [`Wave::sgpr`] of a scalar register operand that is stored there.
#[inline]
pub fn scalar_index(operand: Operand) -> Option<usize> {
    Some(match operand {
        Operand::Sgpr { first, .. } => usize::from(first & 127),
        Operand::Special { reg, .. } => match reg {
            Special::FlatScratchLo => 102,
            Special::FlatScratchHi => 103,
            Special::XnackMaskLo => 104,
            Special::XnackMaskHi => 105,
            Special::VccLo => 106,
            Special::VccHi => 107,
            Special::Ttmp(n) => reg::TTMP + usize::from(n & 15),
            Special::M0 => reg::M0,
            Special::ExecLo => 126,
            Special::ExecHi => 127,
            _ => return None,
        },
        _ => return None,
    })
}

/// Index in [`Wave::vgpr`] of the first register of a vector operand.
#[inline(always)]
pub fn vector_index(operand: Operand) -> Option<usize> {
    match operand {
        Operand::Vgpr { first, .. } => Some(usize::from(first)),
        Operand::Agpr { first, .. } => Some(ACCUMULATION + usize::from(first)),
        _ => None,
    }
}

impl Wave {
    #[inline]
    fn pair(&self, index: usize) -> u64 {
        match self.sgpr[index & 127..].first_chunk() {
            Some([low, high]) => u64::from(*low) | u64::from(*high) << 32,
            None => u64::from(self.sgpr[127]) | u64::from(self.sgpr[0]) << 32,
        }
    }

    /// One store of 64 bits: what is stored in halves is not soon read as a whole.
    #[inline]
    fn set_pair(&mut self, index: usize, value: u64) {
        let (low, high) = (value as u32, (value >> 32) as u32);
        match self.sgpr[index & 127..].first_chunk_mut() {
            Some(pair) => *pair = [low, high],
            None => (self.sgpr[127], self.sgpr[0]) = (low, high),
        }
    }

    /// The bits of a register that stay as they are where a D16 load writes only the others.
    #[inline]
    pub fn kept_bits(&self) -> u32 {
        if self.sram_ecc { 0 } else { u32::MAX }
    }

    /// EXEC: bit i enables lane i.
    #[inline]
    pub fn exec(&self) -> u64 {
        self.pair(reg::EXEC)
    }

    /// Sets EXEC.
    #[inline]
    pub fn set_exec(&mut self, value: u64) {
        self.set_pair(reg::EXEC, value);
    }

    /// VCC.
    #[inline]
    pub fn vcc(&self) -> u64 {
        self.pair(reg::VCC)
    }

    /// Sets VCC.
    #[inline]
    pub fn set_vcc(&mut self, value: u64) {
        self.set_pair(reg::VCC, value);
    }

    /// M0.
    #[inline]
    pub fn m0(&self) -> u32 {
        self.sgpr[reg::M0]
    }

    /// STATUS as `s_getreg` reads it. `in_group` is whether its work-group has a barrier.
    #[inline]
    pub fn status(&self, in_group: bool) -> u32 {
        // SCC, PRIV, EXECZ, VCCZ, IN_TG, HALT, VALID.
        u32::from(self.scc)
            | u32::from(self.privileged) << 5
            | u32::from(self.exec() == 0) << 9
            | u32::from(self.vcc() == 0) << 10
            | u32::from(in_group) << 11
            | u32::from(self.halted) << 13
            | 1 << 16
    }

    /// Writes what a trap handler may of STATUS.
    #[inline]
    pub fn set_status(&mut self, value: u32) {
        self.scc = value & 1 != 0;
        self.halted = value >> 13 & 1 != 0;
    }

    /// Registers below these were written, perhaps.
    #[inline]
    pub fn touch(&mut self, below: [usize; 2]) {
        let [vector, accumulation] = self.touched;
        self.touched = [vector.max(below[0]), accumulation.max(below[1])];
    }

    /// Whether it executes instructions when its turn comes.
    #[inline]
    pub fn runs(&self) -> bool {
        !self.ended && !self.at_barrier && (!self.halted || self.privileged)
    }

    /// Sets `ttmp[n:n+1]`.
    #[inline]
    pub fn set_ttmp64(&mut self, n: usize, value: u64) {
        self.set_pair(reg::TTMP + n, value);
    }

    /// A 32-bit scalar source. Inline floats are f32; a vector register gives its lane 0.
    #[inline]
    pub fn read_scalar32(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Sgpr { first, .. } => self.sgpr[usize::from(first & 127)],
            other => self.read_other32(other),
        }
    }

    fn read_other32(&self, operand: Operand) -> u32 {
        if let Some(index) = scalar_index(operand) {
            return self.sgpr[index];
        }
        match operand {
            Operand::Int(i) => i32::from(i) as u32,
            Operand::Float(code) => inline_f32(code),
            Operand::Literal(v) => v,
            Operand::Imm(v) => v as u32,
            Operand::Special { .. } => self.read_scalar64(operand) as u32,
            Operand::Vgpr { first, .. } => self.vgpr[usize::from(first)].0[0],
            Operand::Agpr { first, .. } => self.vgpr[ACCUMULATION + usize::from(first)].0[0],
            Operand::None | Operand::Sgpr { .. } => 0,
        }
    }

    /// A 64-bit scalar source. Integers are sign-extended, literals zero-extended, inline floats are f64.
    #[inline]
    pub fn read_scalar64(&self, operand: Operand) -> u64 {
        match operand {
            Operand::Sgpr { first, .. } => self.pair(usize::from(first)),
            Operand::Special { reg: Special::VccLo, .. } => self.vcc(),
            other => self.read_other64(other),
        }
    }

    /// As [`Wave::read_scalar64`], of a signed integer: a literal is sign-extended (LLVM: AMDGPUOperandSyntax,
    /// "literal").
    #[inline]
    pub fn read_scalar_i64(&self, operand: Operand) -> u64 {
        match operand {
            Operand::Literal(v) => v as i32 as u64,
            other => self.read_scalar64(other),
        }
    }

    fn read_other64(&self, operand: Operand) -> u64 {
        if let Some(index) = scalar_index(operand) {
            return self.pair(index);
        }
        match operand {
            Operand::Int(i) => i64::from(i) as u64,
            Operand::Float(code) => inline_f64(code),
            Operand::Literal(v) => u64::from(v),
            Operand::Imm(v) => i64::from(v) as u64,
            Operand::Special { reg, .. } => match reg {
                Special::SharedBase => self.shared_base,
                Special::SharedLimit => self.shared_base | 0xffff_ffff,
                Special::PrivateBase => self.private_base,
                Special::PrivateLimit => self.private_base | 0xffff_ffff,
                Special::Vccz => u64::from(self.vcc() == 0),
                Special::Execz => u64::from(self.exec() == 0),
                Special::Scc => u64::from(self.scc),
                _ => 0,
            },
            Operand::Vgpr { first, .. } => {
                let first = usize::from(first);
                u64::from(self.vgpr[first].0[0]) | u64::from(self.vgpr[first + 1].0[0]) << 32
            }
            Operand::Agpr { first, .. } => {
                let first = ACCUMULATION + usize::from(first);
                u64::from(self.vgpr[first].0[0]) | u64::from(self.vgpr[first + 1].0[0]) << 32
            }
            Operand::None | Operand::Sgpr { .. } => 0,
        }
    }

    /// Writes a scalar register; anything else is ignored.
    #[inline]
    pub fn write_scalar32(&mut self, operand: Operand, value: u32) {
        if let Some(index) = scalar_index(operand) {
            self.sgpr[index] = value;
        }
    }

    /// Writes a scalar register pair; anything else is ignored.
    #[inline]
    pub fn write_scalar64(&mut self, operand: Operand, value: u64) {
        if let Some(index) = scalar_index(operand) {
            self.set_pair(index, value);
        }
    }

    /// A 32-bit vector source (register `part` of the operand if it is a register or a pair; constants as
    /// [`Wave::read_scalar32`]).
    #[inline]
    pub fn source_lanes(&self, operand: Operand, part: usize) -> Source<'_> {
        match operand {
            Operand::Vgpr { first, .. } => Source::Lanes(&self.vgpr[usize::from(first) + (part & 31)]),
            Operand::Agpr { first, .. } => Source::Lanes(&self.vgpr[ACCUMULATION + usize::from(first) + (part & 31)]),
            _ if part == 0 => Source::Splat(self.read_scalar32(operand)),
            _ => Source::Splat((self.read_scalar64(operand) >> 32) as u32),
        }
    }
}
