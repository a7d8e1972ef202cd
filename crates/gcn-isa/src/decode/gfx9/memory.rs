//! Decodes memory instructions: DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG and EXP.

use crate::decode::gfx9::operand::scalar_register;
use crate::decode::{Code, Reason, bit, bits, empty, reserved};
use crate::inst::{Format, Inst, Mods, Operand};
use crate::op::{Info, Kind, Op, flags};

impl Code {
    pub(crate) fn ds(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, info) = self.op(Format::Ds, bits(word, 17, 8))?;
        let second = self.second_word()?;
        let accumulation = self.properties.unified_registers && bit(word, 25);
        if !accumulation {
            reserved("bit 25", bits(word, 25, 1))?;
        }
        let mut inst = empty(op, Format::Ds);
        let fields = [bits(second, 0, 8), bits(second, 8, 8), bits(second, 16, 8)];
        let vdst = bits(second, 24, 8);
        match info.dst[0] {
            Kind::None => reserved("vdst", vdst)?,
            kind => inst.dst[0] = self.data(vdst, kind.words(), accumulation)?,
        }
        let skip = usize::from(info.has(flags::NO_ADDR));
        if skip == 1 {
            reserved("addr", fields[0])?;
        }
        for (i, (&field, kind)) in fields[skip..].iter().zip(info.src).enumerate() {
            match kind {
                Kind::None => reserved(["addr", "data0", "data1"][i + skip], field)?,
                kind => {
                    // The first field is the address, but of global wave sync.
                    let data = i + skip > 0 || info.has(flags::GDS);
                    inst.src[i] = self.data(field, kind.words(), data && accumulation)?;
                }
            }
        }
        let gds = bit(word, 16);
        if info.has(flags::GDS) && !gds {
            return Err(Reason::Field("gds"));
        }
        if op == Op::DsNop {
            reserved("offset", bits(word, 0, 16))?;
        }
        if matches!(op, Op::DsNop | Op::DsPermuteB32 | Op::DsBpermuteB32) {
            reserved("gds", gds.into())?;
        }
        let moves = inst.dst[0] != Operand::None || inst.src[0] != Operand::None;
        if !moves {
            reserved("acc", accumulation.into())?;
        }
        if !self.properties.global_data_share && !info.has(flags::GDS) {
            reserved("gds", gds.into())?;
        }
        let (low, high) = (bits(word, 0, 8), bits(word, 8, 8));
        inst.mods = if info.has(flags::TWO_OFFSETS) {
            Mods::Ds { offset0: low as u16, offset1: high as u8, gds }
        } else {
            Mods::Ds { offset0: bits(word, 0, 16) as u16, offset1: 0, gds }
        };
        Ok(inst)
    }

    pub(crate) fn flat(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let format = match bits(word, 14, 2) {
            0 => Format::Flat,
            1 => Format::Scratch,
            2 => Format::Global,
            _ => return Err(Reason::Field("seg")),
        };
        let (op, info) = self.op(format, bits(word, 18, 7))?;
        let second = self.second_word()?;
        let scc = self.properties.scc && bit(word, 25);
        if !scc {
            reserved("bit 25", bits(word, 25, 1))?;
        }
        let mut inst = empty(op, format);
        let glc = bit(word, 16);
        let vector_enable = self.properties.scratch_vector_enable && format == Format::Scratch;
        let lds = bit(word, 13) && !vector_enable;
        let saddr = bits(second, 16, 7);
        let vdst = bits(second, 24, 8);
        if lds && (!info.has(flags::LDS) || self.properties.scratch_vector_enable) {
            return Err(Reason::Field("lds"));
        }
        let nv = self.properties.nv && bit(second, 23);
        let accumulation = self.properties.unified_registers && bit(second, 23);
        if is_float_atomic(op) && !self.properties.scopes {
            reserved("scc", scc.into())?;
        }
        if !self.properties.float_atomics_return && matches!(op, Op::GlobalAtomicAddF32 | Op::GlobalAtomicPkAddF16) {
            reserved("glc", glc.into())?;
        }
        // To LDS, by a bit or by an operation of its own.
        if lds || info.dst[0] == Kind::None && matches!(info.src[1], Kind::Saddr) {
            reserved("nv", nv.into())?;
            reserved("acc", accumulation.into())?;
        }
        if info.dst[0] != Kind::None && !lds && (glc || !info.has(flags::ATOMIC)) {
            inst.dst[0] = self.data(vdst, info.dst[0].words(), accumulation)?;
        }
        let off = saddr == 0x7f;
        let address = bits(second, 0, 8);
        for (i, kind) in info.src.into_iter().enumerate() {
            inst.src[i] = match kind {
                Kind::None => break,
                Kind::Vaddr => match (format, off) {
                    (Format::Global, true) | (Format::Flat, _) => self.vgpr(address, 2)?,
                    (Format::Global, false) => self.vgpr(address, 1)?,
                    // Scratch has a vector address if a bit says so, or else instead of a scalar one.
                    (_, off) if (if vector_enable { bit(word, 13) } else { off }) => self.vgpr(address, 1)?,
                    _ => Operand::None,
                },
                Kind::Saddr if off => Operand::None,
                Kind::Saddr if format == Format::Global => scalar_register(saddr, 2)?,
                Kind::Saddr => scalar_register(saddr, 1)?,
                kind => self.data(bits(second, 8, 8), kind.words(), accumulation)?,
            };
        }
        if format == Format::Flat {
            reserved("saddr", saddr)?;
        }
        let offset = bits(word, 0, 13) as i16;
        let offset = match format {
            Format::Flat => {
                reserved("offset bit 12", bits(word, 12, 1))?;
                offset
            }
            _ => offset << 3 >> 3,
        };
        inst.mods = Mods::Flat { offset, cache: self.cache(glc, bit(word, 17), scc), lds, nv };
        Ok(inst)
    }

    pub(crate) fn mubuf(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, info) = self.op(Format::Mubuf, bits(word, 18, 7))?;
        let second = self.second_word()?;
        let mut inst = empty(op, Format::Mubuf);
        let lds = bit(word, 16);
        self.buffer_operands(&mut inst, info, second, lds)?;
        let control = info.src[0] == Kind::None;
        if control && !self.has_scope(op) {
            return Ok(inst);
        }
        inst.mods = Mods::Buffer {
            offset: if control { 0 } else { bits(word, 0, 12) as u16 },
            offen: bit(word, 12),
            idxen: bit(word, 13),
            // A write-back knows no streaming.
            cache: self.cache(bit(word, 14), bit(word, 17) && op != Op::BufferWbl2, bit(word, 15)),
            lds,
            tfe: self.properties.tfe && bit(second, 23),
            dfmt: 0,
            nfmt: 0,
        };
        Ok(inst)
    }

    pub(crate) fn mtbuf(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, info) = self.op(Format::Mtbuf, bits(word, 15, 4))?;
        let second = self.second_word()?;
        let mut inst = empty(op, Format::Mtbuf);
        self.buffer_operands(&mut inst, info, second, false)?;
        inst.mods = Mods::Buffer {
            offset: bits(word, 0, 12) as u16,
            offen: bit(word, 12),
            idxen: bit(word, 13),
            cache: self.cache(bit(word, 14), bit(second, 22), bit(second, 21)),
            lds: false,
            tfe: self.properties.tfe && bit(second, 23),
            dfmt: bits(word, 19, 4) as u8,
            nfmt: bits(word, 23, 3) as u8,
        };
        Ok(inst)
    }

    fn buffer_operands(&mut self, inst: &mut Inst, info: &Info, second: u32, lds: bool) -> Result<(), Reason> {
        let word = self.words[0];
        let (offen, idxen, glc) = (bit(word, 12), bit(word, 13), bit(word, 14));
        let data = bits(second, 8, 8);
        let tfe = u8::from(self.properties.tfe && bit(second, 23));
        let accumulation = self.properties.unified_registers && bit(second, 23);
        let atomic = info.has(flags::ATOMIC);
        if lds && !info.has(flags::LDS) && !info.has(flags::ONLY_LDS) || !lds && info.has(flags::ONLY_LDS) {
            return Err(Reason::Field("lds"));
        }
        if info.src[0] == Kind::None {
            // Cache invalidation: the address fields are not used, and nothing of them is printed.
            let ignored = inst.op == Op::BufferWbl2 || self.has_scope(inst.op);
            let cache_bits = if ignored { 0 } else { bits(word, 14, 2) };
            reserved("offen, idxen, glc", bits(word, 12, 2) | cache_bits)?;
            reserved("acc", accumulation.into())?;
            reserved("tfe", tfe.into())?;
            return Ok(());
        }
        if lds {
            reserved("acc", accumulation.into())?;
        }
        if info.has(flags::ONLY_LDS) {
            reserved("offen, idxen", bits(word, 12, 2))?;
        }
        let no_return = !self.properties.float_atomics_return
            && matches!(inst.op, Op::BufferAtomicAddF32 | Op::BufferAtomicPkAddF16);
        if no_return {
            reserved("glc", glc.into())?;
        }
        if is_float_atomic(inst.op) && !self.properties.scopes {
            reserved("scc", u32::from(self.properties.scc && bit(word, 15)))?;
        }
        if lds || atomic || info.format == Format::Mtbuf {
            reserved("tfe", tfe.into())?;
        }
        if info.dst[0] != Kind::None && !lds && (glc || !atomic) {
            inst.dst[0] = self.data(data, info.dst[0].words() + tfe, accumulation)?;
        }
        for (i, kind) in info.src.into_iter().enumerate() {
            inst.src[i] = match kind {
                Kind::None => break,
                Kind::Vaddr if offen || idxen => self.vgpr(bits(second, 0, 8), u8::from(offen) + u8::from(idxen))?,
                Kind::Vaddr => Operand::None,
                Kind::S4 => scalar_register(bits(second, 16, 5) * 4, 4)?,
                Kind::S1 if bits(second, 24, 8) == 255 => return Err(Reason::Operand(255)),
                Kind::S1 => self.scalar_source(bits(second, 24, 8), 1)?,
                kind => self.data(data, kind.words() + tfe, accumulation)?,
            };
        }
        Ok(())
    }

    /// A cache control whose policy is its scope.
    fn has_scope(&self, op: Op) -> bool {
        self.properties.scopes && matches!(op, Op::BufferWbl2 | Op::BufferInv)
    }

    pub(crate) fn mimg(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, info) = self.op(Format::Mimg, bits(word, 18, 7) | bits(word, 0, 1) << 7)?;
        let second = self.second_word()?;
        let mut inst = empty(op, Format::Mimg);
        let (dmask, tfe, d16) = (bits(word, 8, 4) as u8, self.properties.tfe && bit(word, 16), bit(second, 31));
        let accumulation = self.properties.unified_registers && bit(word, 16);
        let components = if info.has(flags::GATHER4) { 4 } else { dmask.count_ones().max(1) as u8 };
        let words = if d16 { components.div_ceil(2) } else { components } + u8::from(tfe);
        let data = bits(second, 8, 8);
        if !info.has(flags::D16) {
            reserved("d16", d16.into())?;
        }
        let masks = if op == Op::ImageAtomicCmpswap { [3, 15] } else { [1, 3] };
        if info.has(flags::ATOMIC) && !masks.contains(&dmask) {
            return Err(Reason::Field("dmask"));
        }
        inst.dst[0] = match info.dst[0] {
            Kind::Vdata => self.data(data, words, accumulation)?,
            _ => Operand::None,
        };
        for (i, kind) in info.src.into_iter().enumerate() {
            inst.src[i] = match kind {
                Kind::None => break,
                Kind::Vdata => self.data(data, words, accumulation)?,
                Kind::S8 => scalar_register(bits(second, 16, 5) * 4, 8)?,
                Kind::S4 => scalar_register(bits(second, 21, 5) * 4, 4)?,
                address => self.vgpr(bits(second, 0, 8), address.words())?,
            };
        }
        if !info.src.contains(&Kind::S4) {
            reserved("ssamp", bits(second, 21, 5))?;
        }
        inst.mods = Mods::Image {
            dmask,
            unorm: bit(word, 12),
            cache: self.cache(bit(word, 13), bit(word, 25), bit(word, 7)),
            a16: bit(word, 15),
            tfe,
            lwe: bit(word, 17),
            da: bit(word, 14),
            d16,
        };
        Ok(inst)
    }

    pub(crate) fn exp(&mut self) -> Result<Inst, Reason> {
        let word = self.words[0];
        let (op, _) = self.op(Format::Exp, 0)?;
        let second = self.second_word()?;
        let mut inst = empty(op, Format::Exp);
        for (i, operand) in inst.src.iter_mut().enumerate() {
            *operand = self.vgpr(bits(second, 8 * i as u32, 8), 1)?;
        }
        inst.mods = Mods::Exp {
            target: bits(word, 4, 6) as u8,
            en: bits(word, 0, 4) as u8,
            done: bit(word, 11),
            compr: bit(word, 10),
            vm: bit(word, 12),
        };
        Ok(inst)
    }
}

/// Memory atomics on floats, which have no bit SCC.
fn is_float_atomic(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        FlatAtomicAddF64
            | FlatAtomicMinF64
            | FlatAtomicMaxF64
            | GlobalAtomicAddF32
            | GlobalAtomicPkAddF16
            | GlobalAtomicAddF64
            | GlobalAtomicMinF64
            | GlobalAtomicMaxF64
            | BufferAtomicAddF32
            | BufferAtomicPkAddF16
            | BufferAtomicAddF64
            | BufferAtomicMinF64
            | BufferAtomicMaxF64
    )
}
