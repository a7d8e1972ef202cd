//! Prints [`Inst`] as LLVM does.

use std::fmt::{self, Display, Formatter, Write};

use crate::inst::{DstUnused, Format, Inst, Mods, Operand, Sdwa, Sel};
use crate::op::{Kind, Op, flags};

mod memory;
mod operand;
mod scalar;

use crate::disasm::operand::{Constant, sources};

impl Display for Inst {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.format {
            Format::Sop1 | Format::Sop2 | Format::Sopc | Format::Sopk | Format::Sopp | Format::Smem => self.scalar(f),
            Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vop3p | Format::Vintrp => {
                self.vector(f)
            }
            _ => self.memory(f),
        }
    }
}

/// Text made on the fly.
fn text(write: impl Fn(&mut Formatter<'_>) -> fmt::Result) -> impl Display {
    struct Text<F>(F);
    impl<F: Fn(&mut Formatter<'_>) -> fmt::Result> Display for Text<F> {
        fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
            self.0(f)
        }
    }
    Text(write)
}

/// Operands separated by commas behind the mnemonic.
struct List<'a, 'b> {
    f: &'a mut Formatter<'b>,
    first: bool,
}

impl<'a, 'b> List<'a, 'b> {
    fn new(f: &'a mut Formatter<'b>) -> Self {
        List { f, first: true }
    }

    fn item(&mut self, item: impl Display) -> fmt::Result {
        let separator = if self.first { " " } else { ", " };
        self.first = false;
        write!(self.f, "{separator}{item}")
    }
}

/// The destinations that are there.
fn destinations(inst: &Inst) -> impl Iterator<Item = Operand> {
    inst.dst.into_iter().filter(|&operand| operand != Operand::None)
}

impl Inst {
    /// What the assembler appends to the mnemonic to choose an encoding.
    fn suffix(&self) -> &'static str {
        let info = self.op.info();
        let has_twin = matches!(info.format, Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vintrp);
        let single = info.src[0] == Kind::None || info.has(flags::ONLY_E32) && self.op != Op::VPkFmacF16;
        match (self.mods, self.format) {
            _ if !has_twin || single => "",
            (Mods::Sdwa(_), _) => "_sdwa",
            (Mods::Dpp { .. }, _) => "_dpp",
            (_, Format::Vop3) => "_e64",
            _ => "_e32",
        }
    }

    fn vector(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let info = self.op.info();
        f.write_str(info.mnemonic)?;
        f.write_str(self.suffix())?;
        let mut list = List::new(f);
        for operand in destinations(self) {
            list.item(operand)?;
        }
        for (i, (operand, kind)) in sources(self).enumerate() {
            match (kind, self.mods) {
                (Kind::Attr, Mods::Interp { attr, chan, .. }) => {
                    list.item(format_args!("attr{attr}.{}", char::from(b"xyzw"[usize::from(chan & 3)])))?;
                }
                (Kind::Param, _) => match operand {
                    Operand::Imm(at @ 0..=2) => list.item(["p10", "p20", "p0"][at as usize])?,
                    Operand::Imm(other) => list.item(format_args!("invalid_param_{other}"))?,
                    _ => {}
                },
                (Kind::Literal, _) => {
                    if let Operand::Literal(value) = operand {
                        list.item(format_args!("{value:#x}"))?;
                    }
                }
                _ => list.item(self.vector_source(i, operand, kind))?,
            }
        }
        match self.mods {
            Mods::Vop3 { op_sel, clamp, omod, .. } => {
                if op_sel != 0 {
                    // Of two bits that choose a byte of the result, one is that of a source that there is not.
                    let count = sources(self).count() + usize::from(info.has(flags::BYTE_SEL));
                    write!(f, " op_sel:[")?;
                    for i in 0..count {
                        write!(f, "{},", op_sel >> i & 1)?;
                    }
                    write!(f, "{}]", op_sel >> 3 & 1)?;
                }
                output_modifiers(f, clamp, omod)
            }
            Mods::Interp { high, clamp, omod, .. } => {
                f.write_str(if high { " high" } else { "" })?;
                output_modifiers(f, clamp, omod)
            }
            Mods::Vop3p { op_sel, op_sel_hi, neg_lo, neg_hi, clamp } => {
                let count = sources(self).count();
                let packed = !matches!(info.src[0], Kind::Mix);
                let all = (1 << count) - 1;
                let hi_default = if packed { all } else { 0 };
                bit_list(f, "op_sel", op_sel, count, 0)?;
                bit_list(f, "op_sel_hi", op_sel_hi & all, count, hi_default)?;
                if packed {
                    bit_list(f, "neg_lo", neg_lo, count, 0)?;
                    bit_list(f, "neg_hi", neg_hi, count, 0)?;
                }
                output_modifiers(f, clamp, 0)
            }
            Mods::Mfma { cbsz, abid, blgp } => {
                let neg = info.has(flags::MFMA_NEG);
                for (name, value) in [("cbsz", cbsz), ("abid", abid), ("blgp", if neg { 0 } else { blgp })] {
                    if value != 0 {
                        write!(f, " {name}:{value}")?;
                    }
                }
                if neg { bit_list(f, "neg", blgp, 3, 0) } else { Ok(()) }
            }
            Mods::Sdwa(sdwa) if info.src[0] != Kind::None => self.sdwa(f, sdwa),
            Mods::Dpp { ctrl, row_mask, bank_mask, bound_ctrl, .. } => {
                f.write_char(' ')?;
                dpp_control(f, ctrl)?;
                write!(f, " row_mask:{row_mask:#x} bank_mask:{bank_mask:#x}")?;
                f.write_str(if bound_ctrl { " bound_ctrl:1" } else { "" })
            }
            _ => Ok(()),
        }
    }

    /// A source with its modifiers.
    fn vector_source(&self, i: usize, operand: Operand, kind: Kind) -> impl Display {
        let (neg, abs, sext) = match self.mods {
            Mods::Vop3 { neg, abs, .. } | Mods::Dpp { neg, abs, .. } | Mods::Interp { neg, abs, .. } => (neg, abs, 0),
            Mods::Sdwa(Sdwa { neg, abs, sext, .. }) => (neg, abs, sext),
            Mods::Vop3p { neg_lo, neg_hi, .. } if kind == Kind::Mix => (neg_lo, neg_hi, 0),
            _ => (0, 0, 0),
        };
        let has = move |mask: u8| mask >> i & 1 != 0;
        let (neg, abs, sext) = (has(neg), has(abs), has(sext));
        let constant = matches!(operand, Operand::Int(_) | Operand::Float(_) | Operand::Literal(_));
        let (open, close) = match (neg, abs, sext) {
            (_, _, true) => ("sext(", ")"),
            (true, true, _) => ("-|", "|"),
            (false, true, _) => ("|", "|"),
            (true, false, _) if constant => ("neg(", ")"),
            (true, false, _) => ("-", ""),
            _ => ("", ""),
        };
        text(move |f| write!(f, "{open}{}{close}", Constant(operand, kind)))
    }

    fn sdwa(&self, f: &mut Formatter<'_>, sdwa: Sdwa) -> fmt::Result {
        output_modifiers(f, sdwa.clamp, sdwa.omod)?;
        let info = self.op.info();
        if info.format != Format::Vopc && !info.has(flags::NO_DST_SEL) {
            let unused = match sdwa.dst_unused {
                DstUnused::Pad => "PAD",
                DstUnused::Sext => "SEXT",
                DstUnused::Preserve => "PRESERVE",
            };
            write!(f, " dst_sel:{} dst_unused:UNUSED_{unused}", sel(sdwa.dst_sel))?;
        }
        write!(f, " src0_sel:{}", sel(sdwa.src_sel[0]))?;
        if info.format != Format::Vop1 {
            write!(f, " src1_sel:{}", sel(sdwa.src_sel[1]))?;
        }
        Ok(())
    }
}

fn sel(sel: Sel) -> &'static str {
    match sel {
        Sel::Byte0 => "BYTE_0",
        Sel::Byte1 => "BYTE_1",
        Sel::Byte2 => "BYTE_2",
        Sel::Byte3 => "BYTE_3",
        Sel::Word0 => "WORD_0",
        Sel::Word1 => "WORD_1",
        Sel::Dword => "DWORD",
    }
}

fn output_modifiers(f: &mut Formatter<'_>, clamp: bool, omod: u8) -> fmt::Result {
    f.write_str(if clamp { " clamp" } else { "" })?;
    f.write_str(["", " mul:2", " mul:4", " div:2"][usize::from(omod & 3)])
}

/// One bit per source, not printed if all have the default.
fn bit_list(f: &mut Formatter<'_>, name: &str, value: u8, count: usize, default: u8) -> fmt::Result {
    if value == default {
        return Ok(());
    }
    write!(f, " {name}:[")?;
    for i in 0..count {
        let separator = if i == 0 { "" } else { "," };
        write!(f, "{separator}{}", value >> i & 1)?;
    }
    f.write_char(']')
}

fn dpp_control(f: &mut Formatter<'_>, control: u16) -> fmt::Result {
    let amount = control & 0xf;
    match control {
        0..=0xff => {
            let lane = |i: u16| control >> (2 * i) & 3;
            write!(f, "quad_perm:[{},{},{},{}]", lane(0), lane(1), lane(2), lane(3))
        }
        0x101..=0x10f => write!(f, "row_shl:{amount}"),
        0x111..=0x11f => write!(f, "row_shr:{amount}"),
        0x121..=0x12f => write!(f, "row_ror:{amount}"),
        0x130 => f.write_str("wave_shl:1"),
        0x134 => f.write_str("wave_rol:1"),
        0x138 => f.write_str("wave_shr:1"),
        0x13c => f.write_str("wave_ror:1"),
        0x140 => f.write_str("row_mirror"),
        0x141 => f.write_str("row_half_mirror"),
        0x142 => f.write_str("row_bcast:15"),
        0x143 => f.write_str("row_bcast:31"),
        0x150..=0x15f => write!(f, "row_newbcast:{amount}"),
        // The decoder accepts no other.
        _ => write!(f, "dpp_ctrl:{control:#x}"),
    }
}
