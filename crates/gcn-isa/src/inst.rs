//! A decoded instruction, for the disassembler and the executors.

pub use crate::format::Format;
use crate::op::{Kind, Op};
use crate::target::Target;

/// One decoded instruction.
///
/// The operation ([`Op`]) is shared by every encoding that can express it: `v_add_f32` is `Op::VAddF32` as VOP2, VOP3,
/// SDWA or DPP. What differs between encodings is in [`Inst::mods`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inst {
    /// The operation.
    pub op: Op,
    /// How it was written.
    pub format: Format,
    /// The chip whose code it is, which decides what some modifiers and registers are called.
    pub target: Target,
    /// Length in bytes, the literal included: 4, 8 or 12.
    pub len: u8,
    /// Results, in the order that the assembler writes them: vector or scalar destination, then carry-out or second
    /// result. For stores this is empty; the data is in `src`.
    pub dst: [Operand; 2],
    /// Sources, in the order that the assembler writes them; what each operation has is in [`crate::op::Info::src`]:
    /// - SMEM: load `[base, offset]`, store and atomic `[data, base, offset]`. The offset is `Imm` or a scalar
    ///   register; where both are added the register comes first and `Imm` follows in the next slot.
    /// - DS: `[address, data0, data1]`.
    /// - FLAT: `[address, data]`; GLOBAL and SCRATCH: load `[address, saddr]`, store and atomic `[address, data,
    ///   saddr]`.
    /// - MUBUF, MTBUF: load `[address, resource, soffset]`, store and atomic `[data, address, resource, soffset]`.
    /// - MIMG: load and sample `[address, resource, sampler]`, store and atomic `[data, address, resource]`.
    ///
    /// `off` is `Operand::None`. An atomic has a result (`dst`) only with glc. Carry-in and carry-out of the 32-bit
    /// encodings are explicit operands (VCC). The accumulator that `v_mac`, `v_fmac` and `v_dot*c` add to is the
    /// destination and not repeated here.
    pub src: [Operand; 4],
    /// The modifiers of the format.
    pub mods: Mods,
}


/// A source or a destination.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Operand {
    /// Not present.
    None,
    /// `count` consecutive scalar registers starting at `s<first>` (0..=101).
    Sgpr { first: u8, count: u8 },
    /// `count` consecutive vector registers starting at `v<first>`.
    Vgpr { first: u8, count: u8 },
    /// `count` consecutive accumulation registers starting at `a<first>`.
    Agpr { first: u8, count: u8 },
    /// A special scalar register (or the pair that starts there).
    Special { reg: Special, count: u8 },
    /// Inline integer constant -16..=64.
    Int(i8),
    /// Inline floating-point constant, by its encoding 240..=248 (0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi)).
    Float(u8),
    /// A 32-bit literal that follows the instruction.
    Literal(u32),
    /// An immediate field of the format (simm16, hwreg, branch offset, wait counts, memory offset), sign-extended where
    /// the field is signed.
    Imm(i32),
}

/// Scalar registers that are not general purpose, by the name the assembler uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Special {
    FlatScratchLo, FlatScratchHi, XnackMaskLo, XnackMaskHi, VccLo, VccHi,
    /// Trap temporaries `ttmp0`..`ttmp15`.
    Ttmp(u8),
    M0, ExecLo, ExecHi,
    SharedBase, SharedLimit, PrivateBase, PrivateLimit, PopsExitingWaveId,
    Vccz, Execz, Scc,
    /// Source only: the address of a direct LDS read.
    LdsDirect,
}

/// Modifiers, by format.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Mods {
    /// The format has none (or none were given).
    None,
    /// VOP3: per-source negate and absolute bits (bit i = source i), clamp, output modifier 0..=3 (none, *2, *4, /2),
    /// op_sel bits (bit 3 = destination).
    Vop3 { neg: u8, abs: u8, clamp: bool, omod: u8, op_sel: u8 },
    /// VOP3P: op_sel, op_sel_hi, neg_lo, neg_hi bit masks by source, clamp. For MFMA see [`Mods::Mfma`].
    Vop3p { op_sel: u8, op_sel_hi: u8, neg_lo: u8, neg_hi: u8, clamp: bool },
    /// MFMA: broadcast controls.
    Mfma { cbsz: u8, abid: u8, blgp: u8 },
    /// Sub-dword addressing.
    Sdwa(Sdwa),
    /// Data-parallel primitives: raw 9-bit control, masks, bound_ctrl:0, source negate and absolute bits.
    Dpp { ctrl: u16, row_mask: u8, bank_mask: u8, bound_ctrl: bool, neg: u8, abs: u8 },
    /// SMEM: cache bits. The offset (immediate or scalar register) is an operand.
    Smem { glc: bool, nv: bool },
    /// DS: both byte or element offsets (`offset1` is 0 for single-offset forms, whose 16 bits are all in `offset0`),
    /// gds.
    Ds { offset0: u16, offset1: u8, gds: bool },
    /// FLAT, GLOBAL, SCRATCH: signed (global, scratch) or unsigned (flat) byte offset and cache bits. `saddr` is an
    /// operand.
    Flat { offset: i16, cache: Cache, lds: bool, nv: bool },
    /// MUBUF and MTBUF. `dfmt`/`nfmt` are 0 for MUBUF.
    Buffer { offset: u16, offen: bool, idxen: bool, cache: Cache, lds: bool, tfe: bool, dfmt: u8, nfmt: u8 },
    /// MIMG.
    Image { dmask: u8, unorm: bool, cache: Cache, a16: bool, tfe: bool, lwe: bool, da: bool, d16: bool },
    /// EXP.
    Exp { target: u8, en: u8, done: bool, compr: bool, vm: bool },
    /// Interpolation as VINTRP or VOP3: attribute, channel, which half (f16 forms), and VOP3's modifiers.
    Interp { attr: u8, chan: u8, high: bool, neg: u8, abs: u8, clamp: bool, omod: u8 },
}

/// Cache policy of a vector memory instruction: its bits GLC, SLC and SCC, which gfx942 calls SC0, NT and SC1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cache(u8);

impl Cache {
    /// Global coherence: an atomic returns the old value, a load (before gfx942) sees what other compute units have
    /// written.
    pub const GLC: Cache = Cache(1);
    /// System-level coherence: streamed.
    pub const SLC: Cache = Cache(2);
    /// Coherence with the system.
    pub const SCC: Cache = Cache(4);
    /// A load bypasses the compute unit's cache. The bit for this differs between chips.
    pub const COHERENT: Cache = Cache(8);

    /// With `bit` too, if `set`.
    pub fn with(self, bit: Cache, set: bool) -> Cache {
        Cache(self.0 | if set { bit.0 } else { 0 })
    }

    /// `bit` is set.
    #[inline(always)]
    pub fn has(self, bit: Cache) -> bool {
        self.0 & bit.0 != 0
    }
}

/// Sub-dword addressing of a VOP1, VOP2 or VOPC instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Sdwa {
    pub dst_sel: Sel,
    pub dst_unused: DstUnused,
    pub src_sel: [Sel; 2],
    /// Sign extension by source (integer operands).
    pub sext: u8,
    pub neg: u8,
    pub abs: u8,
    pub clamp: bool,
    pub omod: u8,
}

impl Sdwa {
    /// Whole registers, no modifiers.
    pub const DEFAULT: Sdwa = Sdwa {
        dst_sel: Sel::Dword, dst_unused: DstUnused::Pad, src_sel: [Sel::Dword; 2], sext: 0, neg: 0, abs: 0, clamp: false, omod: 0,
    };
}

/// The part of a register that SDWA selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Sel { Byte0, Byte1, Byte2, Byte3, Word0, Word1, Dword }

impl Sel {
    /// The first selected bit, and the number of selected bits.
    pub fn bits(self) -> (u8, u8) {
        match self {
            Sel::Byte0 => (0, 8),
            Sel::Byte1 => (8, 8),
            Sel::Byte2 => (16, 8),
            Sel::Byte3 => (24, 8),
            Sel::Word0 => (0, 16),
            Sel::Word1 => (16, 16),
            Sel::Dword => (0, 32),
        }
    }
}

/// How SDWA sets the destination bits that it does not select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum DstUnused { Pad, Sext, Preserve }

impl Inst {
    /// An instruction of `op` in its smallest encoding, for tests. Operand kinds are right, registers arbitrary.
    #[doc(hidden)]
    pub fn example(op: Op) -> Self {
        let info = op.info();
        let operand = |kind: &Kind| match kind {
            Kind::None => Operand::None,
            Kind::S1 | Kind::S2 | Kind::S4 | Kind::S8 | Kind::S16 | Kind::Mask | Kind::Lane => {
                Operand::Sgpr { first: 4, count: kind.words() }
            }
            Kind::Imm => Operand::Imm(0),
            Kind::Literal => Operand::Literal(0),
            Kind::A1 | Kind::A2 | Kind::A4 | Kind::A8 | Kind::A16 | Kind::A32 => {
                Operand::Agpr { first: 0, count: kind.words() }
            }
            kind => Operand::Vgpr { first: 1, count: kind.words() },
        };
        Self {
            op,
            format: info.format,
            target: info.targets[0],
            len: 4,
            dst: [operand(&info.dst[0]), operand(&info.dst[1])],
            src: std::array::from_fn(|n| operand(&info.src[n])),
            mods: Mods::None,
        }
    }
}
