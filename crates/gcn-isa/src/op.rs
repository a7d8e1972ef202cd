//! Operations: names, encodings, and the properties that the decoder, the disassembler and the executors use.

use crate::format::Format;
use crate::target::Target;

/// The kind of an operand slot. Scalar and vector register kinds have a width in 32-bit registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The slot is not used.
    None,
    /// Scalar registers, or (as a source of one or two registers) a constant.
    S1,
    /// Two scalar registers.
    S2,
    /// Four scalar registers.
    S4,
    /// Eight scalar registers.
    S8,
    /// Sixteen scalar registers.
    S16,
    /// One bit per lane in two scalar registers: VCC in the 32-bit encodings and DPP, any pair in VOP3.
    Mask,
    /// Lane number or value of `v_readlane` and `v_writelane`: scalar register or inline constant.
    Lane,
    /// Vector registers only.
    V1,
    /// Two vector registers.
    V2,
    /// Three vector registers.
    V3,
    /// Four vector registers.
    V4,
    /// Any vector ALU source: 16-bit integer.
    I16,
    /// Any vector ALU source: half.
    F16,
    /// Any vector ALU source: 32-bit integer, or untyped bits.
    I32,
    /// Any vector ALU source: float.
    F32,
    /// Any vector ALU source: 64-bit integer.
    I64,
    /// Any vector ALU source: double.
    F64,
    /// Any vector ALU source: two 16-bit integers.
    PkI16,
    /// Any vector ALU source: two halves.
    PkF16,
    /// Any vector ALU source: two floats in two registers.
    PkF32,
    /// Any vector ALU source: two 32-bit integers in two registers.
    PkI32,
    /// Source of `v_fma_mix*`: float, or one half of a register.
    Mix,
    /// Accumulation register.
    ///
    /// Where registers are unified, the results and the addend of an MFMA (this kind and those that follow, but for the
    /// moves of one register) are all in vector registers or all in accumulation registers.
    A1,
    /// Two accumulation registers.
    A2,
    /// Four accumulation registers.
    A4,
    /// Eight accumulation registers.
    A8,
    /// Sixteen accumulation registers.
    A16,
    /// Thirty-two accumulation registers.
    A32,
    /// One vector or accumulation register.
    AV1,
    /// Two vector or accumulation registers.
    AV2,
    /// Four vector or accumulation registers.
    AV4,
    /// Two accumulation registers or a constant: a double.
    Acc2,
    /// Four accumulation registers or a constant.
    Acc4,
    /// Eight accumulation registers or a constant: doubles.
    Acc8,
    /// Sixteen accumulation registers or a constant.
    Acc16,
    /// Thirty-two accumulation registers or a constant.
    Acc32,
    /// The immediate field of the format.
    Imm,
    /// A 32-bit literal that always follows.
    Literal,
    /// SMEM offset: immediate, scalar register, or both.
    Soffset,
    /// Address of a vector memory access; how many registers depends on the modifiers. (MIMG has the smallest number in
    /// its kind; how many are read depends on the image.)
    Vaddr,
    /// Scalar part of the address of GLOBAL and SCRATCH, or off.
    Saddr,
    /// MIMG data; how many registers depends on the modifiers.
    Vdata,
    /// Interpolation parameter (`p10`, `p20`, `p0`).
    Param,
    /// Interpolation attribute and channel, in the modifiers.
    Attr,
}

impl Kind {
    /// The source takes the negate and absolute modifiers.
    pub const fn is_float(self) -> bool {
        matches!(self, Kind::F16 | Kind::F32 | Kind::F64 | Kind::PkF16 | Kind::PkF32)
    }

    /// Registers that an operand of this kind covers; 0 where the modifiers decide or there is none.
    pub const fn words(self) -> u8 {
        use Kind::*;
        match self {
            S1 | Lane | V1 | I16 | F16 | I32 | F32 | PkI16 | PkF16 | Mix | A1 | AV1 => 1,
            S2 | Mask | V2 | I64 | F64 | PkF32 | PkI32 | A2 | AV2 | Acc2 => 2,
            V3 => 3,
            S4 | V4 | A4 | AV4 | Acc4 => 4,
            S8 | A8 | Acc8 => 8,
            S16 | A16 | Acc16 => 16,
            A32 | Acc32 => 32,
            None | Imm | Literal | Soffset | Vaddr | Saddr | Vdata | Param | Attr => 0,
        }
    }
}

/// Properties of an operation, combined with `|`.
pub mod flags {
    /// The result can be clamped.
    pub const CLAMP: u16 = 1 << 0;
    /// The result can be multiplied by 2 or 4 or divided by 2.
    pub const OMOD: u16 = 1 << 1;
    /// VOP3 `op_sel` chooses halves of 16-bit operands.
    pub const OP_SEL: u16 = 1 << 2;
    /// There is no VOP3 form.
    pub const ONLY_E32: u16 = 1 << 3;
    /// Matrix unit: [`crate::inst::Mods::Mfma`] instead of the VOP3P modifiers.
    pub const MFMA: u16 = 1 << 4;
    /// Memory atomic: returns the old value only with `glc`.
    pub const ATOMIC: u16 = 1 << 5;
    /// DS: two 8-bit offsets instead of one of 16 bits.
    pub const TWO_OFFSETS: u16 = 1 << 6;
    /// DS: always global data share.
    pub const GDS: u16 = 1 << 7;
    /// DS: the data is without an address operand.
    pub const NO_ADDR: u16 = 1 << 8;
    /// MUBUF, GLOBAL and SCRATCH: can load to LDS.
    pub const LDS: u16 = 1 << 9;
    /// MUBUF: always with the `lds` bit.
    pub const ONLY_LDS: u16 = 1 << 10;
    /// MIMG: four components whatever the mask is.
    pub const GATHER4: u16 = 1 << 11;
    /// MIMG: can convert to and from 16 bits.
    pub const D16: u16 = 1 << 12;
    /// SDWA selects of the source only.
    pub const NO_DST_SEL: u16 = 1 << 13;
    /// VOP3 `op_sel`: its two highest bits choose the byte of the result.
    pub const BYTE_SEL: u16 = 1 << 15;
    /// Matrix unit: the signs of the sources are in the field BLGP.
    pub const MFMA_NEG: u16 = 1 << 14;
}

/// An operation's row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// The assembler's name, without an encoding suffix (`_e32`, `_e64`, `_sdwa`, `_dpp`).
    pub mnemonic: &'static str,
    /// The smallest encoding that has it.
    pub format: Format,
    /// The opcode field of that encoding.
    pub opcode: u16,
    /// Results.
    pub dst: [Kind; 2],
    /// Sources, in the assembler's order.
    pub src: [Kind; 4],
    /// See [`flags`].
    pub flags: u16,
    /// The chips that have it, so encoded.
    pub targets: &'static [Target],
}

impl Info {
    /// All of these [`flags`] are set.
    pub const fn has(&self, flags: u16) -> bool {
        self.flags & flags == flags
    }

    /// Whether `target` has it.
    pub const fn is_on(&self, target: Target) -> bool {
        let mut i = 0;
        while i < self.targets.len() {
            if self.targets[i] as u8 == target as u8 {
                return true;
            }
            i += 1;
        }
        false
    }
}

const fn slots<const N: usize>(kinds: &[Kind]) -> [Kind; N] {
    let mut all = [Kind::None; N];
    let mut i = 0;
    while i < kinds.len() {
        all[i] = kinds[i];
        i += 1;
    }
    all
}

macro_rules! ops {
    ($($variant:ident $name:literal $format:ident $opcode:literal [$($dst:ident)*] [$($src:ident)*] $($flag:ident)* $(@ $($target:ident)+)?;)*) => {
        /// An operation, named as the assembler names it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Op {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl Op {
            /// Every operation, of all chips.
            pub const ALL: &[Op] = &[$(Op::$variant,)*];
        }

        pub(crate) const INFO: &[super::Info] = &[
            $(super::Info {
                mnemonic: $name,
                format: crate::format::Format::$format,
                opcode: $opcode,
                dst: super::slots(&[$(super::Kind::$dst,)*]),
                src: super::slots(&[$(super::Kind::$src,)*]),
                flags: 0 $(| super::flags::$flag)*,
                targets: ops!(@targets $($($target)+)?),
            },)*
        ];
    };
    (@targets) => { crate::target::Target::ALL };
    (@targets $($target:ident)+) => { &[$(crate::target::Target::$target),+] };
}

mod table;
pub use crate::op::table::Op;

impl Op {
    /// This operation's row of the table.
    pub const fn info(self) -> &'static Info {
        &table::INFO[self as usize]
    }

    /// The assembler's name, without an encoding suffix.
    pub const fn mnemonic(self) -> &'static str {
        self.info().mnemonic
    }

    /// The operation with this opcode in this encoding of `target`.
    pub fn from_opcode(target: Target, format: Format, opcode: u16) -> Option<Op> {
        OPCODES[target as usize][format as usize].get(usize::from(opcode)).copied().flatten()
    }
}

/// The VOP3 opcode of an operation of a 32-bit vector encoding (or VOP3 itself).
const fn vop3_opcode(info: &Info) -> Option<u16> {
    if info.has(flags::ONLY_E32) {
        return None;
    }
    match info.format {
        Format::Vopc | Format::Vop3 => Some(info.opcode),
        Format::Vop2 => Some(info.opcode + 0x100),
        Format::Vop1 => Some(info.opcode + 0x140),
        Format::Vintrp => Some(info.opcode + 0x270),
        _ => None,
    }
}

const fn opcodes<const N: usize>(target: Target, format: Format) -> [Option<Op>; N] {
    let mut all = [None; N];
    let mut i = 0;
    while i < Op::ALL.len() {
        let op = Op::ALL[i];
        let info = op.info();
        i += 1;
        if !info.is_on(target) {
            continue;
        }
        if let (Format::Vop3, Some(opcode)) = (format, vop3_opcode(info)) {
            all[opcode as usize] = Some(op);
        } else if info.format as u8 == format as u8 {
            all[info.opcode as usize] = Some(op);
        }
    }
    all
}

/// By [`Format`], in its order.
macro_rules! by_format {
    ($target:expr) => {
        [
            &const { opcodes::<256>($target, Format::Sop1) },
            &const { opcodes::<128>($target, Format::Sop2) },
            &const { opcodes::<128>($target, Format::Sopc) },
            &const { opcodes::<32>($target, Format::Sopk) },
            &const { opcodes::<128>($target, Format::Sopp) },
            &const { opcodes::<256>($target, Format::Smem) },
            &const { opcodes::<256>($target, Format::Vop1) },
            &const { opcodes::<64>($target, Format::Vop2) },
            &const { opcodes::<256>($target, Format::Vopc) },
            &const { opcodes::<1024>($target, Format::Vop3) },
            &const { opcodes::<128>($target, Format::Vop3p) },
            &const { opcodes::<4>($target, Format::Vintrp) },
            &const { opcodes::<256>($target, Format::Ds) },
            &const { opcodes::<128>($target, Format::Flat) },
            &const { opcodes::<128>($target, Format::Global) },
            &const { opcodes::<128>($target, Format::Scratch) },
            &const { opcodes::<128>($target, Format::Mubuf) },
            &const { opcodes::<16>($target, Format::Mtbuf) },
            &const { opcodes::<256>($target, Format::Mimg) },
            &const { opcodes::<1>($target, Format::Exp) },
        ]
    };
}

/// By [`Target`], in its order.
static OPCODES: [[&[Option<Op>]; 20]; 3] =
    [by_format!(Target::Gfx908), by_format!(Target::Gfx90a), by_format!(Target::Gfx942)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcode_tables_find_every_operation() {
        for &target in Target::ALL {
            for &op in Op::ALL.iter().filter(|op| op.info().is_on(target)) {
                let info = op.info();
                assert_eq!(Op::from_opcode(target, info.format, info.opcode), Some(op));
                if let Some(opcode) = vop3_opcode(info) {
                    assert_eq!(Op::from_opcode(target, Format::Vop3, opcode), Some(op));
                }
            }
        }
    }
}
