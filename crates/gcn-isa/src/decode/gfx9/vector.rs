//! Decodes vector instructions: VOP1, VOP2, VOPC with SDWA and DPP, VOP3, VOP3P and VINTRP.

use crate::decode::gfx9::operand::{VCC, mask, scalar_register};
use crate::decode::{Code, Reason, bit, bits, empty, reserved};
use crate::inst::{DstUnused, Format, Inst, Mods, Operand, Sdwa, Sel};
use crate::op::{Info, Kind, Op, flags};

/// Source codes that say that another word describes the sources.
const SDWA: u32 = 249;
const DPP: u32 = 250;

impl Code {
    pub(crate) fn vop1(&mut self) -> Result<Inst, Reason> {
        let (op, info) = self.op(Format::Vop1, bits(self.words[0], 9, 8))?;
        self.vop(op, info, None)
    }

    pub(crate) fn vop2(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, info) = self.op(Format::Vop2, bits(word, 25, 6))?;
        self.vop(op, info, Some(bits(word, 9, 8)))
    }

    pub(crate) fn vopc(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, info) = self.op(Format::Vopc, bits(word, 17, 8))?;
        self.vop(op, info, Some(bits(word, 9, 8)))
    }

    /// The 32-bit vector encodings.
    fn vop(&mut self, op: Op, info: &'static Info, src1: Option<u32>) -> Result<Inst, Reason> {
        let word = self.words[0];
        let src0 = bits(word, 0, 9);
        match src0 {
            SDWA if op != Op::VClrexcp => return self.sdwa(op, info, src1),
            DPP if op != Op::VClrexcp => return self.dpp(op, info, src1),
            _ => {}
        }
        let mut inst = empty(op, info.format);
        inst.dst = self.vop_dst(info)?;
        let mut src1 = src1;
        for (i, kind) in info.src.into_iter().enumerate() {
            inst.src[i] = match kind {
                Kind::None => break,
                Kind::Mask => VCC,
                Kind::Literal => Operand::Literal(self.literal()?),
                _ if i == 0 => self.vector_source(src0, kind)?,
                _ => self.vgpr(src1.take().unwrap_or(0), kind.words())?,
            };
        }
        Ok(inst)
    }

    /// Results of the 32-bit vector encodings.
    fn vop_dst(&mut self, info: &Info) -> Result<[Operand; 2], Reason> {
        let field = bits(self.words[0], 17, 8);
        let first = match info.dst[0] {
            Kind::None => {
                reserved("vdst", field)?;
                Operand::None
            }
            Kind::Mask => VCC,
            Kind::S1 if field < 128 => scalar_register(field, 1)?,
            Kind::S1 => return Err(Reason::Operand(field as u16)),
            Kind::A1 => self.agpr(field, 1)?,
            kind => self.vgpr(field, kind.words())?,
        };
        Ok([first, if info.dst[1] == Kind::Mask { VCC } else { Operand::None }])
    }

    fn sdwa(&mut self, op: Op, info: &'static Info, src1: Option<u32>) -> Result<Inst, Reason> {
        let second = self.second_word()?;
        let escape = Err(Reason::Operand(SDWA as u16));
        if !has_sdwa(op, info) {
            return escape;
        }
        let mut inst = empty(op, info.format);
        inst.dst = self.vop_dst(info)?;
        let compare = info.format == Format::Vopc;
        if info.src[0] == Kind::None {
            reserved("SDWA word", second)?;
            inst.mods = Mods::Sdwa(Sdwa::DEFAULT);
            return Ok(inst);
        }
        let sources = [(0, bits(second, 0, 8)), (1, src1.unwrap_or(0))];
        let (mut sext, mut neg, mut abs) = (0, 0, 0);
        for (i, code) in sources {
            let kind = info.src[i];
            let control = bits(second, 16 + 8 * i as u32, 8);
            if matches!(kind, Kind::None) {
                reserved("src1 control", control & !0x40)?;
                break;
            }
            let float = kind.is_float();
            inst.src[i] = match bit(control, 7) {
                false => self.vgpr(code, 1)?,
                true if code == 255 => return Err(Reason::Operand(255)),
                true => self.scalar_source(code, 1)?,
            };
            let (is_sext, is_neg, is_abs) = (bits(control, 3, 1), bits(control, 4, 1), bits(control, 5, 1));
            reserved(if float { "sext" } else { "neg, abs" }, if float { is_sext } else { is_neg | is_abs })?;
            sext |= (is_sext as u8) << i;
            neg |= (is_neg as u8) << i;
            abs |= (is_abs as u8) << i;
        }
        if info.src[2] == Kind::Mask {
            inst.src[2] = VCC;
        }
        let sel0 = sel(bits(second, 16, 3))?;
        let sel1 = if src1.is_some() { sel(bits(second, 24, 3))? } else { Sel::Dword };
        let mut sdwa = Sdwa {
            dst_sel: Sel::Dword,
            dst_unused: DstUnused::Pad,
            src_sel: [sel0, sel1],
            sext,
            neg,
            abs,
            clamp: false,
            omod: 0,
        };
        if compare {
            if bit(second, 15) {
                inst.dst[0] = mask(bits(second, 8, 7))?;
            }
        } else if info.dst[0] != Kind::None {
            if info.has(flags::NO_DST_SEL) {
                reserved("dst_sel, dst_unused", bits(second, 8, 5) ^ Sel::Dword as u32)?;
            } else {
                sdwa.dst_sel = sel(bits(second, 8, 3))?;
                sdwa.dst_unused = match bits(second, 11, 2) {
                    0 => DstUnused::Pad,
                    1 => DstUnused::Sext,
                    2 => DstUnused::Preserve,
                    _ => return Err(Reason::Field("dst_unused")),
                };
            }
            sdwa.clamp = bit(second, 13);
            sdwa.omod = bits(second, 14, 2) as u8;
            if !info.has(flags::OMOD) || has_integer_result(op) {
                reserved("omod", sdwa.omod.into())?;
            }
        }
        inst.mods = Mods::Sdwa(sdwa);
        Ok(inst)
    }

    fn dpp(&mut self, op: Op, info: &'static Info, src1: Option<u32>) -> Result<Inst, Reason> {
        let second = self.second_word()?;
        let wide = is_wide(info);
        if !has_dpp(info) || wide && !self.properties.dpp_row_newbcast {
            return Err(Reason::Operand(DPP as u16));
        }
        let mut inst = empty(op, info.format);
        inst.dst = self.vop_dst(info)?;
        match info.src[0] {
            Kind::None => reserved("DPP source", second & 0x00f6_00ff)?,
            kind => inst.src[0] = self.vgpr(bits(second, 0, 8), kind.words())?,
        }
        if let Some(src1) = src1 {
            inst.src[1] = self.vgpr(src1, info.src[1].words())?;
        }
        if info.src[2] == Kind::Mask {
            inst.src[2] = VCC;
        }
        let control = bits(second, 8, 9) as u16;
        let new_broadcast = self.properties.dpp_row_newbcast && matches!(control, 0x150..=0x15f);
        if !new_broadcast && (wide || !is_dpp_control(control)) {
            return Err(Reason::Field("dpp_ctrl"));
        }
        let (mut neg, mut abs) = (0, 0);
        for i in 0..2 {
            let (is_neg, is_abs) = (bits(second, 20 + 2 * i, 1), bits(second, 21 + 2 * i, 1));
            if !info.src[i as usize].is_float() {
                reserved("neg, abs", is_neg | is_abs)?;
            }
            neg |= (is_neg as u8) << i;
            abs |= (is_abs as u8) << i;
        }
        inst.mods = Mods::Dpp {
            ctrl: control,
            row_mask: bits(second, 28, 4) as u8,
            bank_mask: bits(second, 24, 4) as u8,
            bound_ctrl: bit(second, 19),
            neg,
            abs,
        };
        Ok(inst)
    }

    pub(crate) fn vop3(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, info) = self.op(Format::Vop3, bits(word, 16, 10))?;
        let second = self.second_word()?;
        let mut inst = empty(op, Format::Vop3);
        let vdst = bits(word, 0, 8);
        let carry_out = info.dst[1] == Kind::Mask;
        inst.dst[0] = match info.dst[0] {
            Kind::None => {
                reserved("vdst", vdst)?;
                Operand::None
            }
            Kind::Mask if vdst < 128 => mask(vdst)?,
            Kind::S1 if vdst < 128 => scalar_register(vdst, 1)?,
            Kind::Mask | Kind::S1 => return Err(Reason::Operand(vdst as u16)),
            kind => self.vgpr(vdst, kind.words())?,
        };
        if carry_out {
            inst.dst[1] = mask(bits(word, 8, 7))?;
        }
        if info.src.contains(&Kind::Attr) {
            return self.vop3_interp(inst, info, second);
        } else {
            for (i, kind) in info.src.into_iter().take(3).enumerate() {
                let code = bits(second, 9 * i as u32, 9);
                match kind {
                    Kind::None => reserved("unused source", code)?,
                    _ if code == 255 => return Err(Reason::Operand(255)),
                    _ => inst.src[i] = self.vector_source(code, kind)?,
                }
            }
        }
        let neg = bits(second, 29, 3) as u8;
        let abs = if carry_out { 0 } else { bits(word, 8, 3) as u8 };
        for (i, kind) in info.src.into_iter().take(3).enumerate() {
            if !kind.is_float() {
                reserved("neg, abs", u32::from((neg | abs) >> i & 1))?;
            }
        }
        let clamp = bit(word, 15);
        if !info.has(flags::CLAMP) {
            reserved("clamp", clamp.into())?;
        }
        let omod = bits(second, 27, 2) as u8;
        if !info.has(flags::OMOD) {
            reserved("omod", omod.into())?;
        }
        let op_sel = if info.has(flags::OP_SEL) { bits(word, 11, 4) as u8 } else { 0 };
        if info.src[2] == Kind::None && !info.has(flags::BYTE_SEL) {
            reserved("op_sel of the third source", u32::from(op_sel >> 2 & 1))?;
        }
        inst.mods = Mods::Vop3 { neg, abs, clamp, omod, op_sel };
        Ok(inst)
    }

    /// The first source field holds the attribute, so that the first source is in the second field.
    fn vop3_interp(&mut self, mut inst: Inst, info: &Info, second: u32) -> Result<Inst, Reason> {
        let word = self.words[0];
        let attribute = bits(second, 0, 9);
        let code = bits(second, 9, 9);
        inst.src[0] = match info.src[0] {
            Kind::Param if code < 256 => Operand::Imm(code as i32),
            Kind::Param => return Err(Reason::Operand(code as u16)),
            _ if code < 256 => return Err(Reason::Operand(code as u16)),
            _ => self.vgpr(code - 256, 1)?,
        };
        let third = bits(second, 18, 9);
        match info.src[2] {
            Kind::None => reserved("src2", third)?,
            _ if third < 256 => return Err(Reason::Operand(third as u16)),
            _ => inst.src[2] = self.vgpr(third - 256, 1)?,
        }
        // Bit i of both is for source i of the instruction.
        if info.format == Format::Vintrp {
            reserved("high", bits(attribute, 8, 1))?;
        }
        let by_source = |fields: u32| (fields >> 1 & 1 | fields & 4) as u8;
        let (neg, abs) = (bits(second, 29, 3), bits(word, 8, 3));
        let allowed = u32::from(info.src[0].is_float()) << 1 | u32::from(info.src[2].is_float()) << 2;
        reserved("neg, abs", (neg | abs) & !allowed)?;
        let omod = bits(second, 27, 2) as u8;
        if !info.has(flags::OMOD) {
            reserved("omod", omod.into())?;
        }
        inst.mods = Mods::Interp {
            attr: bits(attribute, 0, 6) as u8,
            chan: bits(attribute, 6, 2) as u8,
            high: bit(attribute, 8),
            neg: by_source(neg),
            abs: by_source(abs),
            clamp: bit(word, 15),
            omod,
        };
        Ok(inst)
    }

    pub(crate) fn vintrp(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, info) = self.op(Format::Vintrp, bits(word, 16, 2))?;
        let mut inst = empty(op, Format::Vintrp);
        inst.dst[0] = self.vgpr(bits(word, 18, 8), 1)?;
        let source = bits(word, 0, 8);
        inst.src[0] = if info.src[0] == Kind::Param { Operand::Imm(source as i32) } else { self.vgpr(source, 1)? };
        inst.mods = Mods::Interp {
            attr: bits(word, 10, 6) as u8,
            chan: bits(word, 8, 2) as u8,
            high: false,
            neg: 0,
            abs: 0,
            clamp: false,
            omod: 0,
        };
        Ok(inst)
    }

    pub(crate) fn vop3p(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, info) = self.op(Format::Vop3p, bits(word, 16, 7))?;
        let second = self.second_word()?;
        let mut inst = empty(op, Format::Vop3p);
        let vdst = bits(word, 0, 8);
        // The bit ACC_CD; without unified registers sums are in accumulation registers always.
        let summed = bit(word, 15) || !self.properties.unified_registers;
        inst.dst[0] = match info.dst[0] {
            Kind::A1 => self.agpr(vdst, 1)?,
            kind @ (Kind::A2 | Kind::A4 | Kind::A8 | Kind::A16 | Kind::A32) => self.data(vdst, kind.words(), summed)?,
            kind => self.vgpr(vdst, kind.words())?,
        };
        for (i, kind) in info.src.into_iter().take(3).enumerate() {
            let code = bits(second, 9 * i as u32, 9);
            let accumulation = bit(second, 59 - 32 + i as u32) && i < 2;
            inst.src[i] = match kind {
                Kind::None => {
                    reserved("unused source", code)?;
                    continue;
                }
                _ if code == 255 => return Err(Reason::Operand(255)),
                Kind::AV1 | Kind::AV2 | Kind::AV4 if code < 256 => return Err(Reason::Operand(code as u16)),
                Kind::AV1 | Kind::AV2 | Kind::AV4 if accumulation => self.agpr(code - 256, kind.words())?,
                Kind::Acc2 | Kind::Acc4 | Kind::Acc8 | Kind::Acc16 | Kind::Acc32 => match code {
                    256.. => self.data(code - 256, kind.words(), summed)?,
                    128.. => self.scalar_source(code, 1)?,
                    _ => return Err(Reason::Operand(code as u16)),
                },
                _ => self.vector_source(code, kind)?,
            };
        }
        if matches!(op, Op::VAccvgprReadB32 | Op::VAccvgprWriteB32) {
            reserved("cbsz, abid", bits(word, 8, 6))?;
            reserved("blgp", bits(second, 29, 3))?;
        } else if info.has(flags::MFMA) {
            // The last source of those of sparse matrices is an index.
            if info.src[2] == Kind::V1 {
                reserved("blgp", bits(second, 29, 3))?;
            }
            inst.mods = Mods::Mfma {
                cbsz: bits(word, 8, 3) as u8,
                abid: bits(word, 11, 4) as u8,
                blgp: bits(second, 29, 3) as u8,
            };
        } else {
            if info.src[2] == Kind::None {
                reserved("modifiers of the third source", bits(word, 13, 1) | bits(word, 10, 1) | bits(second, 31, 1))?;
            }
            inst.mods = Mods::Vop3p {
                op_sel: bits(word, 11, 3) as u8,
                op_sel_hi: (bits(second, 27, 2) | bits(word, 14, 1) << 2) as u8,
                neg_lo: bits(second, 29, 3) as u8,
                neg_hi: bits(word, 8, 3) as u8,
                clamp: bit(word, 15),
            };
        }
        Ok(inst)
    }
}

fn sel(code: u32) -> Result<Sel, Reason> {
    Ok(match code {
        0 => Sel::Byte0,
        1 => Sel::Byte1,
        2 => Sel::Byte2,
        3 => Sel::Byte3,
        4 => Sel::Word0,
        5 => Sel::Word1,
        6 => Sel::Dword,
        _ => return Err(Reason::Field("sel")),
    })
}

/// quad_perm, row_shl, row_shr, row_ror, wave_*, mirrors and broadcasts of gfx9.
fn is_dpp_control(control: u16) -> bool {
    matches!(
        control,
        0..=0xff | 0x101..=0x10f | 0x111..=0x11f | 0x121..=0x12f
            | 0x130 | 0x134 | 0x138 | 0x13c | 0x140..=0x143
    )
}

/// An operand has two registers.
fn is_wide(info: &Info) -> bool {
    let wide = |kind: &Kind| kind.words() == 2 && *kind != Kind::Mask;
    info.src.iter().any(wide) || wide(&info.dst[0])
}

/// Conversions whose VOP3 form has an output modifier that the SDWA form lacks.
fn has_integer_result(op: Op) -> bool {
    matches!(
        op,
        Op::VCvtU32F32
            | Op::VCvtI32F32
            | Op::VCvtU16F16
            | Op::VCvtI16F16
            | Op::VFrexpExpI16F16
            | Op::VCvtNormI16F16
            | Op::VCvtNormU16F16
    )
}

fn has_dpp(info: &Info) -> bool {
    !info.has(flags::ONLY_E32) && info.format != Format::Vopc
}

fn has_sdwa(op: Op, info: &Info) -> bool {
    let single = info.has(flags::ONLY_E32);
    let accumulates = matches!(
        op,
        Op::VMacF32
            | Op::VMacF16
            | Op::VFmacF32
            | Op::VDot2cF32F16
            | Op::VDot2cI32I16
            | Op::VDot4cI32I8
            | Op::VDot8cI32I4
    );
    (!is_wide(info) || info.has(flags::NO_DST_SEL)) && !single && !accumulates
}
