//! Prints operands.

use std::fmt::{self, Display, Formatter};

use crate::inst::{Inst, Operand, Special};
use crate::op::Kind;

/// The sources in use, with their kinds.
pub(super) fn sources(inst: &Inst) -> impl Iterator<Item = (Operand, Kind)> {
    inst.src.into_iter().zip(inst.op.info().src).take_while(|&(_, kind)| kind != Kind::None)
}

/// An operand whose constants read as the kind says.
pub(super) struct Constant(pub Operand, pub Kind);

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Constant(operand, kind) = *self;
        match operand {
            Operand::Float(code) => match kind {
                Kind::I16 => write!(f, "{:#x}", HALF[usize::from(code.wrapping_sub(240)).min(8)]),
                Kind::F64 | Kind::I64 | Kind::S2 | Kind::Acc2 | Kind::Acc8 if code == 248 => {
                    f.write_str("0.15915494309189532")
                }
                _ => operand.fmt(f),
            },
            Operand::Literal(value) => match kind {
                Kind::I16 if SINGLE.contains(&value) => single(f, value),
                Kind::I16 => integer(f, value as i32, value & 0xffff),
                Kind::F16 => {
                    let half = value as i16;
                    match HALF.iter().position(|&bits| bits == value & 0xffff) {
                        Some(at) if !(-16..=64).contains(&half) => f.write_str(FLOAT[at]),
                        _ => integer(f, i32::from(half), value & 0xffff),
                    }
                }
                Kind::F64 => match DOUBLE.iter().position(|&high| high == value) {
                    Some(at) => f.write_str(FLOAT[at]),
                    None if value == 0 => f.write_str("0"),
                    None => write!(f, "{value:#x}"),
                },
                Kind::I64 | Kind::S2 => match i32::try_from(value) {
                    Ok(small @ 0..=64) => write!(f, "{small}"),
                    _ => write!(f, "{value:#x}"),
                },
                _ => single(f, value),
            },
            _ => operand.fmt(f),
        }
    }
}

/// As a 32-bit operand prints.
pub(super) fn single(f: &mut Formatter<'_>, value: u32) -> fmt::Result {
    match SINGLE.iter().position(|&bits| bits == value) {
        Some(at) => f.write_str(FLOAT[at]),
        None => integer(f, value as i32, value),
    }
}

fn integer(f: &mut Formatter<'_>, value: i32, bits: u32) -> fmt::Result {
    match value {
        -16..=64 => write!(f, "{value}"),
        _ => write!(f, "{bits:#x}"),
    }
}

/// The inline constants 240..=248.
const FLOAT: [&str; 9] = ["0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"];
const HALF: [u32; 9] = [0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118];
const SINGLE: [u32; 9] = [
    0x3f00_0000,
    0xbf00_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4000_0000,
    0xc000_0000,
    0x4080_0000,
    0xc080_0000,
    0x3e22_f983,
];
/// The upper halves; 1/(2 pi) has a lower half too and so is never a literal.
const DOUBLE: [u32; 8] =
    [0x3fe0_0000, 0xbfe0_0000, 0x3ff0_0000, 0xbff0_0000, 0x4000_0000, 0xc000_0000, 0x4010_0000, 0xc010_0000];

impl Display for Operand {
    /// Constants as a 32-bit operand prints them.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Operand::None => f.write_str("off"),
            Operand::Sgpr { first, count } => registers(f, 's', first, count),
            Operand::Vgpr { first, count } => registers(f, 'v', first, count),
            Operand::Agpr { first, count } => registers(f, 'a', first, count),
            Operand::Special { reg: Special::Ttmp(first), count } => {
                f.write_str("ttm")?;
                registers(f, 'p', first, count)
            }
            Operand::Special { reg, count } => {
                let pair = count == 2;
                f.write_str(match reg {
                    Special::FlatScratchLo if pair => "flat_scratch",
                    Special::XnackMaskLo if pair => "xnack_mask",
                    Special::VccLo if pair => "vcc",
                    Special::ExecLo if pair => "exec",
                    Special::FlatScratchLo => "flat_scratch_lo",
                    Special::FlatScratchHi => "flat_scratch_hi",
                    Special::XnackMaskLo => "xnack_mask_lo",
                    Special::XnackMaskHi => "xnack_mask_hi",
                    Special::VccLo => "vcc_lo",
                    Special::VccHi => "vcc_hi",
                    Special::ExecLo => "exec_lo",
                    Special::ExecHi => "exec_hi",
                    Special::M0 => "m0",
                    Special::SharedBase => "src_shared_base",
                    Special::SharedLimit => "src_shared_limit",
                    Special::PrivateBase => "src_private_base",
                    Special::PrivateLimit => "src_private_limit",
                    Special::PopsExitingWaveId => "src_pops_exiting_wave_id",
                    Special::Vccz => "src_vccz",
                    Special::Execz => "src_execz",
                    Special::Scc => "src_scc",
                    Special::LdsDirect => "src_lds_direct",
                    Special::Ttmp(_) => "ttmp",
                })
            }
            Operand::Int(value) => write!(f, "{value}"),
            Operand::Float(code) => f.write_str(FLOAT[usize::from(code.wrapping_sub(240)).min(8)]),
            Operand::Literal(value) => single(f, value),
            Operand::Imm(value) => write!(f, "{value}"),
        }
    }
}

fn registers(f: &mut Formatter<'_>, file: char, first: u8, count: u8) -> fmt::Result {
    match count {
        0 | 1 => write!(f, "{file}{first}"),
        _ => write!(f, "{file}[{first}:{}]", u32::from(first) + u32::from(count) - 1),
    }
}
