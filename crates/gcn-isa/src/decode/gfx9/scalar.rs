//! Decodes scalar instructions: SOP1, SOP2, SOPC, SOPK, SOPP and SMEM.

use crate::decode::gfx9::operand::scalar_register;
use crate::decode::{Code, Reason, bit, bits, count, empty, reserved};
use crate::inst::{Format, Inst, Mods, Operand};
use crate::op::{Kind, Op, flags};

impl Code {
    pub(crate) fn sop1(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, info) = self.op(Format::Sop1, bits(word, 8, 8))?;
        let mut inst = empty(op, Format::Sop1);
        let dst = bits(word, 16, 7);
        if info.dst[0] != Kind::None {
            inst.dst[0] = scalar_register(dst, info.dst[0].words())?;
        }
        if info.src[0] != Kind::None {
            inst.src[0] = self.scalar_source(bits(word, 0, 8), info.src[0].words())?;
        }
        let register_only =
            matches!(op, Op::SMovrelsB32 | Op::SMovrelsB64 | Op::SSetpcB64 | Op::SRfeB64 | Op::SCbranchJoin);
        if register_only && matches!(inst.src[0], Operand::Int(_) | Operand::Float(_) | Operand::Literal(_)) {
            return Err(Reason::Operand(bits(word, 0, 8) as u16));
        }
        Ok(inst)
    }

    pub(crate) fn sop2(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, info) = self.op(Format::Sop2, bits(word, 23, 7))?;
        let mut inst = empty(op, Format::Sop2);
        let dst = bits(word, 16, 7);
        if info.dst[0] != Kind::None {
            inst.dst[0] = scalar_register(dst, info.dst[0].words())?;
        }
        inst.src[0] = self.scalar_source(bits(word, 0, 8), info.src[0].words())?;
        inst.src[1] = self.scalar_source(bits(word, 8, 8), info.src[1].words())?;
        Ok(inst)
    }

    pub(crate) fn sopc(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, info) = self.op(Format::Sopc, bits(word, 16, 7))?;
        let mut inst = empty(op, Format::Sopc);
        inst.src[0] = self.scalar_source(bits(word, 0, 8), info.src[0].words())?;
        let second = bits(word, 8, 8);
        inst.src[1] = match info.src[1] {
            Kind::Imm => Operand::Imm(second as i32),
            kind => self.scalar_source(second, kind.words())?,
        };
        Ok(inst)
    }

    pub(crate) fn sopk(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, info) = self.op(Format::Sopk, bits(word, 23, 5))?;
        let mut inst = empty(op, Format::Sopk);
        let register = bits(word, 16, 7);
        if info.dst[0] != Kind::None {
            inst.dst[0] = scalar_register(register, info.dst[0].words())?;
        }
        for (operand, kind) in inst.src.iter_mut().zip(info.src) {
            *operand = match kind {
                Kind::None => break,
                Kind::Imm => Operand::Imm(i32::from(word as i16)),
                Kind::Literal => Operand::Literal(self.literal()?),
                _ => scalar_register(register, kind.words())?,
            };
        }
        Ok(inst)
    }

    pub(crate) fn sopp(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, info) = self.op(Format::Sopp, bits(word, 16, 7))?;
        let mut inst = empty(op, Format::Sopp);
        match info.src[0] {
            Kind::None => reserved("simm16", bits(word, 0, 16))?,
            _ => inst.src[0] = Operand::Imm(i32::from(word as i16)),
        }
        Ok(inst)
    }

    pub(crate) fn smem(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, info) = self.op(Format::Smem, bits(word, 18, 8))?;
        self.second_word()?;
        let mut inst = empty(op, Format::Smem);
        let glc = bit(word, 16);
        inst.mods = Mods::Smem { glc, nv: bit(word, 15) };
        let data = bits(word, 6, 7);
        if info.dst[0] != Kind::None && (glc || !info.has(flags::ATOMIC)) {
            inst.dst[0] = transfer_register(data, info.dst[0].words())?;
        }
        let kinds = &info.src[..count(&info.src)];
        if kinds.is_empty() {
            reserved("imm", bits(word, 17, 1))?;
        }
        let mut slot = 0;
        for (i, &kind) in kinds.iter().enumerate() {
            inst.src[slot] = match kind {
                Kind::Imm => Operand::Imm(data as i32),
                Kind::Soffset => {
                    slot = self.smem_offset(&mut inst, slot)?;
                    continue;
                }
                // The last register before the offset is the base, in units of two registers.
                _ if i + 2 == kinds.len() => base_register(bits(word, 0, 6) * 2, kind.words())?,
                _ => transfer_register(data, kind.words())?,
            };
            slot += 1;
        }
        Ok(inst)
    }

    fn smem_offset(&mut self, inst: &mut Inst, slot: usize) -> Result<usize, Reason> {
        let (word, second) = (self.words[0], self.words[1]);
        let imm = Operand::Imm((second << 11) as i32 >> 11);
        let (has_imm, has_register) = (bit(word, 17), bit(word, 14));
        match (has_imm, has_register) {
            (true, false) => {
                inst.src[slot] = imm;
                Ok(slot + 1)
            }
            (true, true) => {
                inst.src[slot] = scalar_register(bits(second, 25, 7), 1)?;
                inst.src[slot + 1] = imm;
                Ok(slot + 2)
            }
            (false, true) => {
                inst.src[slot] = scalar_register(bits(second, 25, 7), 1)?;
                Ok(slot + 1)
            }
            (false, false) => {
                inst.src[slot] = scalar_register(bits(second, 0, 7), 1)?;
                Ok(slot + 1)
            }
        }
    }
}

/// Data registers of scalar memory: not M0 or EXEC.
fn transfer_register(code: u32, words: u8) -> Result<Operand, Reason> {
    match code {
        124..=127 => Err(Reason::Operand(code as u16)),
        _ => scalar_register(code, words),
    }
}

fn base_register(code: u32, words: u8) -> Result<Operand, Reason> {
    scalar_register(code, words)
}
