//! Decodes operand codes.

use crate::decode::{Code, Reason};
use crate::inst::{Operand, Special};
use crate::op::Kind;

/// First code of the vector registers in a 9-bit source field.
const VGPR: u32 = 256;

impl Code {
    /// A register or constant by its 8-bit code, `words` registers wide.
    pub(crate) fn scalar_source(&mut self, code: u32, words: u8) -> Result<Operand, Reason> {
        let bad = Err(Reason::Operand(code as u16));
        match code {
            0..=127 => scalar_register(code, words),
            _ if words > 2 => bad,
            128..=192 => Ok(Operand::Int((code - 128) as i8)),
            193..=208 => Ok(Operand::Int((192 - code as i32) as i8)),
            240..=248 => Ok(Operand::Float(code as u8)),
            255 => self.literal().map(Operand::Literal),
            235 => Ok(special(Special::SharedBase, words)),
            236 => Ok(special(Special::SharedLimit, words)),
            237 => Ok(special(Special::PrivateBase, words)),
            238 => Ok(special(Special::PrivateLimit, words)),
            239 => Ok(special(Special::PopsExitingWaveId, words)),
            251 => Ok(special(Special::Vccz, words)),
            252 => Ok(special(Special::Execz, words)),
            253 => Ok(special(Special::Scc, words)),
            _ => bad,
        }
    }

    pub(crate) fn vgpr(&self, first: u32, count: u8) -> Result<Operand, Reason> {
        let first = self.vector_registers(first, count)?;
        Ok(Operand::Vgpr { first, count })
    }

    pub(crate) fn agpr(&self, first: u32, count: u8) -> Result<Operand, Reason> {
        let first = self.vector_registers(first, count)?;
        Ok(Operand::Agpr { first, count })
    }

    fn vector_registers(&self, first: u32, count: u8) -> Result<u8, Reason> {
        if first + u32::from(count) > 256 {
            return Err(Reason::RegisterRange);
        }
        if self.properties.unified_registers && count > 1 && first & 1 != 0 {
            return Err(Reason::OddRegister(first as u16));
        }
        Ok(first as u8)
    }

    /// Data of an MFMA or of a vector memory instruction, in accumulation registers if `accumulation`.
    pub(crate) fn data(&self, first: u32, count: u8, accumulation: bool) -> Result<Operand, Reason> {
        if accumulation { self.agpr(first, count) } else { self.vgpr(first, count) }
    }

    /// A 9-bit vector ALU source.
    pub(crate) fn vector_source(&mut self, code: u32, kind: Kind) -> Result<Operand, Reason> {
        let words = kind.words();
        if code >= VGPR {
            return match kind {
                Kind::Lane | Kind::Mask => Err(Reason::Operand(code as u16)),
                Kind::A1 => self.agpr(code - VGPR, 1),
                _ => self.vgpr(code - VGPR, words),
            };
        }
        match kind {
            Kind::V1 | Kind::V4 | Kind::A1 => Err(Reason::Operand(code as u16)),
            // Carry-in: a pair, but not EXEC.
            Kind::Mask if code == 126 => Err(Reason::Operand(126)),
            Kind::Mask => mask(code),
            _ if code == 254 && words == 1 => Ok(Operand::Special { reg: Special::LdsDirect, count: 1 }),
            _ => self.scalar_source(code, words),
        }
    }
}

/// A pair of scalar registers with a bit for each lane.
pub(crate) fn mask(code: u32) -> Result<Operand, Reason> {
    scalar_register(code, 2)
}

fn special(reg: Special, count: u8) -> Operand {
    Operand::Special { reg, count }
}

/// VCC, implied by the 32-bit encodings.
pub(crate) const VCC: Operand = Operand::Special { reg: Special::VccLo, count: 2 };

/// Scalar registers by the code of the first. An unaligned code means the aligned registers below it, as LLVM reads it.
pub(crate) fn scalar_register(code: u32, words: u8) -> Result<Operand, Reason> {
    let aligned = code & !(u32::from(words.min(4)) - 1);
    match code {
        0..=101 if aligned + u32::from(words) <= 102 => Ok(Operand::Sgpr { first: aligned as u8, count: words }),
        0..=101 => Err(Reason::RegisterRange),
        108..=123 => {
            // Alignment counts from ttmp0, whose code is a multiple of four.
            if aligned + u32::from(words) > 124 {
                return Err(Reason::RegisterRange);
            }
            Ok(special(Special::Ttmp((aligned - 108) as u8), words))
        }
        _ => {
            let reg = match code {
                102 => Special::FlatScratchLo,
                103 => Special::FlatScratchHi,
                104 => Special::XnackMaskLo,
                105 => Special::XnackMaskHi,
                106 => Special::VccLo,
                107 => Special::VccHi,
                124 => Special::M0,
                126 => Special::ExecLo,
                127 => Special::ExecHi,
                _ => return Err(Reason::Operand(code as u16)),
            };
            let pair = matches!(reg, Special::FlatScratchLo | Special::XnackMaskLo | Special::VccLo | Special::ExecLo);
            if words == 1 || words == 2 && pair { Ok(special(reg, words)) } else { Err(Reason::Operand(code as u16)) }
        }
    }
}
