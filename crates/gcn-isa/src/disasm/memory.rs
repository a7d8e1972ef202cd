//! Prints memory instructions: DS, FLAT, GLOBAL, SCRATCH, MUBUF, MTBUF, MIMG and EXP.

use std::fmt::{self, Formatter};

use crate::disasm::operand::{Constant, sources};
use crate::disasm::{List, destinations};
use crate::inst::{Cache, Format, Inst, Mods, Operand};
use crate::op::{Op, flags};

/// A modifier that is a word.
fn named(f: &mut Formatter<'_>, words: &[(&str, bool)]) -> fmt::Result {
    for (word, set) in words {
        if *set {
            write!(f, " {word}")?;
        }
    }
    Ok(())
}

fn offset(f: &mut Formatter<'_>, name: &str, value: i32) -> fmt::Result {
    if value == 0 { Ok(()) } else { write!(f, " {name}:{value}") }
}

impl Inst {
    pub(super) fn memory(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let info = self.op.info();
        f.write_str(info.mnemonic)?;
        if let Mods::Exp { target, en, done, compr, vm } = self.mods {
            return self.export(f, target, en, &[("done", done), ("compr", compr), ("vm", vm)]);
        }
        let mut list = List::new(f);
        // MUBUF and MIMG atomics return into their data registers, which are written once.
        let returns_in_place = info.has(flags::ATOMIC) && matches!(self.format, Format::Mubuf | Format::Mimg);
        if !returns_in_place {
            for operand in destinations(self) {
                list.item(operand)?;
            }
        }
        for (operand, kind) in sources(self) {
            list.item(Constant(operand, kind))?;
        }
        match self.mods {
            Mods::Ds { offset0, offset1, gds } => {
                if info.has(flags::TWO_OFFSETS) {
                    offset(f, "offset0", offset0.into())?;
                    offset(f, "offset1", offset1.into())?;
                } else if self.op == Op::DsSwizzleB32 && offset0 != 0 {
                    swizzle(f, offset0)?;
                } else {
                    offset(f, "offset", offset0.into())?;
                }
                named(f, &[("gds", gds)])
            }
            Mods::Flat { offset: value, cache, lds, .. } => {
                offset(f, "offset", value.into())?;
                self.cache(f, cache)?;
                named(f, &[("lds", lds)])
            }
            Mods::Buffer { offset: value, offen, idxen, cache, lds, tfe, dfmt, nfmt } => {
                if self.format == Format::Mtbuf {
                    buffer_format(f, dfmt, nfmt)?;
                }
                named(f, &[("idxen", idxen), ("offen", offen)])?;
                offset(f, "offset", value.into())?;
                let (first, last) = if info.has(flags::ONLY_LDS) { (lds, false) } else { (false, lds) };
                named(f, &[("lds", first)])?;
                self.cache(f, cache)?;
                named(f, &[("tfe", tfe), ("lds", last)])
            }
            Mods::Image { dmask, unorm, cache, a16, tfe, lwe, da, d16 } => {
                if dmask != 0 {
                    write!(f, " dmask:{dmask:#x}")?;
                }
                named(f, &[("unorm", unorm)])?;
                self.cache(f, cache)?;
                named(f, &[("a16", a16), ("tfe", tfe), ("lwe", lwe), ("da", da), ("d16", d16)])
            }
            _ => Ok(()),
        }
    }

    fn cache(&self, f: &mut Formatter<'_>, cache: Cache) -> fmt::Result {
        let [glc, slc, scc] =
            if self.target.properties().scopes { ["sc0", "nt", "sc1"] } else { ["glc", "slc", "scc"] };
        named(f, &[(glc, cache.has(Cache::GLC)), (slc, cache.has(Cache::SLC)), (scc, cache.has(Cache::SCC))])
    }

    fn export(&self, f: &mut Formatter<'_>, target: u8, en: u8, words: &[(&str, bool)]) -> fmt::Result {
        match target {
            0..=7 => write!(f, " mrt{target}"),
            8 => f.write_str(" mrtz"),
            9 => f.write_str(" null"),
            12..=15 => write!(f, " pos{}", target - 12),
            32..=63 => write!(f, " param{}", target - 32),
            _ => write!(f, " invalid_target_{target}"),
        }?;
        let compressed = words[1].1;
        let mut separator = " ";
        for i in 0..4 {
            let source = if compressed { self.src[i / 2] } else { self.src[i] };
            let operand = if en >> i & 1 != 0 { source } else { Operand::None };
            write!(f, "{separator}{operand}")?;
            separator = ", ";
        }
        named(f, words)
    }
}

fn buffer_format(f: &mut Formatter<'_>, dfmt: u8, nfmt: u8) -> fmt::Result {
    const DATA: [&str; 16] = [
        "INVALID",
        "8",
        "16",
        "8_8",
        "32",
        "16_16",
        "10_11_11",
        "11_11_10",
        "10_10_10_2",
        "2_10_10_10",
        "8_8_8_8",
        "32_32",
        "16_16_16_16",
        "32_32_32",
        "32_32_32_32",
        "RESERVED_15",
    ];
    const NUMBER: [&str; 8] = ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"];
    let (data, number) = (DATA[usize::from(dfmt & 15)], NUMBER[usize::from(nfmt & 7)]);
    match (dfmt, nfmt) {
        (1, 0) => Ok(()),
        (1, _) => write!(f, " format:[BUF_NUM_FORMAT_{number}]"),
        (_, 0) => write!(f, " format:[BUF_DATA_FORMAT_{data}]"),
        _ => write!(f, " format:[BUF_DATA_FORMAT_{data},BUF_NUM_FORMAT_{number}]"),
    }
}

/// The lane patterns of `ds_swizzle_b32`.
fn swizzle(f: &mut Formatter<'_>, pattern: u16) -> fmt::Result {
    f.write_str(" offset:")?;
    if pattern & 0xff00 == 0x8000 {
        let lane = |i: u16| pattern >> (2 * i) & 3;
        return write!(f, "swizzle(QUAD_PERM,{},{},{},{})", lane(0), lane(1), lane(2), lane(3));
    }
    if pattern & 0x8000 != 0 {
        return write!(f, "{pattern}");
    }
    let (and, or, xor) = (pattern & 0x1f, pattern >> 5 & 0x1f, pattern >> 10 & 0x1f);
    let group = 32 - and;
    if and == 0x1f && or == 0 && xor.is_power_of_two() {
        write!(f, "swizzle(SWAP,{xor})")
    } else if and == 0x1f && or == 0 && xor > 0 && (xor + 1).is_power_of_two() {
        write!(f, "swizzle(REVERSE,{})", xor + 1)
    } else if group > 1 && group.is_power_of_two() && or < group && xor == 0 {
        write!(f, "swizzle(BROADCAST,{group},{or})")
    } else {
        f.write_str("swizzle(BITMASK_PERM,\"")?;
        let (zeros, ones) = (or ^ xor, (and | or) ^ xor);
        for bit in (0..5).rev() {
            let text = match (zeros >> bit & 1, ones >> bit & 1) {
                (0, 0) => "0",
                (1, 1) => "1",
                (0, _) => "p",
                _ => "i",
            };
            f.write_str(text)?;
        }
        f.write_str("\")")
    }
}
