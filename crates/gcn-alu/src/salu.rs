//! The scalar ALU: SOP1, SOP2, SOPC and SOPK, except branches and waits.

use crate::wave::{AluFn, Mode, Wave, reg, scalar_index};
use gcn_isa::inst::{Inst, Operand};
use gcn_isa::op::Op;

/// `sources => result` of one register width, SCC untouched.
macro_rules! keep {
    ($read:ident, $write:ident, |$a:ident $(, $b:ident)?| $value:expr) => {{
        fn run(w: &mut Wave, i: &Inst) {
            let $a = w.$read(i.src[0]);
            $(let $b = w.$read(i.src[1]);)?
            w.$write(i.dst[0], $value);
        }
        run
    }};
}

/// As `keep`, and SCC is set if the result is not zero.
macro_rules! nonzero {
    ($read:ident, $write:ident, |$a:ident $(, $b:ident)?| $value:expr) => {{
        fn run(w: &mut Wave, i: &Inst) {
            let $a = w.$read(i.src[0]);
            $(let $b = w.$read(i.src[1]);)?
            let value = $value;
            w.$write(i.dst[0], value);
            w.scc = value != 0;
        }
        run
    }};
}

/// 64-bit first source, 32-bit second; SCC is set if the result is not zero.
macro_rules! shift64 {
    ($read:ident, |$a:ident, $b:ident| $value:expr) => {{
        fn run(w: &mut Wave, i: &Inst) {
            let $a = w.$read(i.src[0]);
            let $b = w.read_scalar32(i.src[1]);
            let value: u64 = $value;
            w.write_scalar64(i.dst[0], value);
            w.scc = value != 0;
        }
        run
    }};
}

/// 32-bit sources and SCC in, a result and SCC out.
macro_rules! flag {
    (|$a:ident, $b:ident, $scc:ident| $value:expr) => {{
        fn run(w: &mut Wave, i: &Inst) {
            let ($a, $b, $scc) = (w.read_scalar32(i.src[0]), w.read_scalar32(i.src[1]), w.scc);
            let (value, scc): (u32, bool) = $value;
            w.write_scalar32(i.dst[0], value);
            w.scc = scc;
        }
        run
    }};
}

/// A comparison of two 32-bit sources into SCC.
macro_rules! compare {
    (|$a:ident, $b:ident| $value:expr) => {{
        fn run(w: &mut Wave, i: &Inst) {
            let ($a, $b) = (w.read_scalar32(i.src[0]), w.read_scalar32(i.src[1]));
            w.scc = $value;
        }
        run
    }};
}

/// A comparison of a register with a 16-bit immediate into SCC.
macro_rules! compare_k {
    ($ty:ty, $imm:ty, |$a:ident, $b:ident| $value:expr) => {{
        fn run(w: &mut Wave, i: &Inst) {
            let (register, k) = register_and_immediate(i);
            let ($a, $b) = (w.read_scalar32(register) as $ty, k as $imm as $ty);
            w.scc = $value;
        }
        run
    }};
}

/// EXEC and a source to a new EXEC; the destination gets the old one (`save`) or the new one (`write`).
macro_rules! exec_mask {
    ($kind:ident, |$s:ident, $e:ident| $value:expr) => {{
        fn run(w: &mut Wave, i: &Inst) {
            let ($s, $e) = (w.read_scalar64(i.src[0]), w.exec());
            let value = $value;
            w.write_scalar64(i.dst[0], exec_mask!(@$kind $e value));
            w.set_exec(value);
            w.scc = value != 0;
        }
        run
    }};
    (@save $old:ident $new:ident) => { $old };
    (@write $old:ident $new:ident) => { $new };
}

macro_rules! b32 { (keep $($t:tt)*) => { keep!(read_scalar32, write_scalar32, $($t)*) }; ($($t:tt)*) => { nonzero!(read_scalar32, write_scalar32, $($t)*) }; }
macro_rules! b64 { (keep $($t:tt)*) => { keep!(read_scalar64, write_scalar64, $($t)*) }; ($($t:tt)*) => { nonzero!(read_scalar64, write_scalar64, $($t)*) }; }
/// 64-bit source, 32-bit result.
macro_rules! b64_to_32 { (keep $($t:tt)*) => { keep!(read_scalar64, write_scalar32, $($t)*) }; ($($t:tt)*) => { nonzero!(read_scalar64, write_scalar32, $($t)*) }; }
/// 32-bit source, 64-bit result.
macro_rules! b32_to_64 { (keep $($t:tt)*) => { keep!(read_scalar32, write_scalar64, $($t)*) }; }

/// The function that executes `inst`, if it is a scalar ALU instruction of this module.
pub fn lower(inst: &Inst) -> Option<AluFn> {
    sop2(inst.op).or_else(|| sop1(inst.op)).or_else(|| sopc_sopk(inst.op))
}

fn sop2(op: Op) -> Option<AluFn> {
    Some(match op {
        Op::SAddU32 => flag!(|a, b, _c| a.overflowing_add(b)),
        Op::SSubU32 => flag!(|a, b, _c| a.overflowing_sub(b)),
        Op::SAddI32 => flag!(|a, b, _c| signed((a as i32).overflowing_add(b as i32))),
        Op::SSubI32 => flag!(|a, b, _c| signed((a as i32).overflowing_sub(b as i32))),
        Op::SAddcU32 => flag!(|a, b, c| wide(u64::from(a) + u64::from(b) + u64::from(c))),
        Op::SSubbU32 => flag!(|a, b, c| wide(u64::from(a).wrapping_sub(u64::from(b)).wrapping_sub(u64::from(c)))),
        Op::SMinI32 => flag!(|a, b, _c| ((a as i32).min(b as i32) as u32, (a as i32) < b as i32)),
        Op::SMinU32 => flag!(|a, b, _c| (a.min(b), a < b)),
        Op::SMaxI32 => flag!(|a, b, _c| ((a as i32).max(b as i32) as u32, a as i32 > b as i32)),
        Op::SMaxU32 => flag!(|a, b, _c| (a.max(b), a > b)),
        Op::SCselectB32 => flag!(|a, b, c| (if c { a } else { b }, c)),
        Op::SCselectB64 => |w, i| {
            let chosen = if w.scc { i.src[0] } else { i.src[1] };
            let value = w.read_scalar64(chosen);
            w.write_scalar64(i.dst[0], value);
        },
        Op::SAndB32 => b32!(|a, b| a & b),
        Op::SAndB64 => b64!(|a, b| a & b),
        Op::SOrB32 => b32!(|a, b| a | b),
        Op::SOrB64 => b64!(|a, b| a | b),
        Op::SXorB32 => b32!(|a, b| a ^ b),
        Op::SXorB64 => b64!(|a, b| a ^ b),
        Op::SAndn2B32 => b32!(|a, b| a & !b),
        Op::SAndn2B64 => b64!(|a, b| a & !b),
        Op::SOrn2B32 => b32!(|a, b| a | !b),
        Op::SOrn2B64 => b64!(|a, b| a | !b),
        Op::SNandB32 => b32!(|a, b| !(a & b)),
        Op::SNandB64 => b64!(|a, b| !(a & b)),
        Op::SNorB32 => b32!(|a, b| !(a | b)),
        Op::SNorB64 => b64!(|a, b| !(a | b)),
        Op::SXnorB32 => b32!(|a, b| !(a ^ b)),
        Op::SXnorB64 => b64!(|a, b| !(a ^ b)),
        Op::SLshlB32 => b32!(|a, b| a << (b & 31)),
        Op::SLshlB64 => shift64!(read_scalar64, |a, b| a << (b & 63)),
        Op::SLshrB32 => b32!(|a, b| a >> (b & 31)),
        Op::SLshrB64 => shift64!(read_scalar64, |a, b| a >> (b & 63)),
        Op::SAshrI32 => b32!(|a, b| (a as i32 >> (b & 31)) as u32),
        Op::SAshrI64 => shift64!(read_scalar_i64, |a, b| (a as i64 >> (b & 63)) as u64),
        Op::SBfmB32 => b32!(keep | a, b | ((1 << (a & 31)) - 1) << (b & 31)),
        Op::SBfmB64 => |w, i| {
            let (a, b) = (w.read_scalar32(i.src[0]), w.read_scalar32(i.src[1]));
            w.write_scalar64(i.dst[0], ((1 << (a & 63)) - 1) << (b & 63));
        },
        Op::SMulI32 => b32!(keep | a, b | a.wrapping_mul(b)),
        Op::SMulHiU32 => b32!(keep | a, b | ((u64::from(a) * u64::from(b)) >> 32) as u32),
        Op::SMulHiI32 => b32!(keep | a, b | ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32),
        Op::SBfeU32 => b32!(|a, b| bfe_u64(u64::from(a), b & 31, b >> 16 & 127) as u32),
        Op::SBfeI32 => b32!(|a, b| bfe_i64(i64::from(a as i32), b & 31, b >> 16 & 127) as u32),
        Op::SBfeU64 => shift64!(read_scalar64, |a, b| bfe_u64(a, b & 63, b >> 16 & 127)),
        Op::SBfeI64 => shift64!(read_scalar_i64, |a, b| bfe_i64(a as i64, b & 63, b >> 16 & 127) as u64),
        Op::SAbsdiffI32 => b32!(|a, b| (a as i32).wrapping_sub(b as i32).wrapping_abs() as u32),
        Op::SLshl1AddU32 => flag!(|a, b, _c| carry((u64::from(a) << 1) + u64::from(b))),
        Op::SLshl2AddU32 => flag!(|a, b, _c| carry((u64::from(a) << 2) + u64::from(b))),
        Op::SLshl3AddU32 => flag!(|a, b, _c| carry((u64::from(a) << 3) + u64::from(b))),
        Op::SLshl4AddU32 => flag!(|a, b, _c| carry((u64::from(a) << 4) + u64::from(b))),
        Op::SPackLlB32B16 => b32!(keep | a, b | a & 0xffff | b << 16),
        Op::SPackLhB32B16 => b32!(keep | a, b | a & 0xffff | b & 0xffff_0000),
        Op::SPackHhB32B16 => b32!(keep | a, b | a >> 16 | b & 0xffff_0000),
        _ => return None,
    })
}

fn sop1(op: Op) -> Option<AluFn> {
    Some(match op {
        Op::SMovB32 => b32!(keep | a | a),
        Op::SMovB64 => b64!(keep | a | a),
        Op::SCmovB32 => |w, i| {
            if w.scc {
                let value = w.read_scalar32(i.src[0]);
                w.write_scalar32(i.dst[0], value);
            }
        },
        Op::SCmovB64 => |w, i| {
            if w.scc {
                let value = w.read_scalar64(i.src[0]);
                w.write_scalar64(i.dst[0], value);
            }
        },
        Op::SNotB32 => b32!(|a| !a),
        Op::SNotB64 => b64!(|a| !a),
        Op::SWqmB32 => b32!(|a| whole_quads(u64::from(a)) as u32),
        Op::SWqmB64 => b64!(|a| whole_quads(a)),
        Op::SBrevB32 => b32!(keep | a | a.reverse_bits()),
        Op::SBrevB64 => b64!(keep | a | a.reverse_bits()),
        Op::SBcnt0I32B32 => b32!(|a| a.count_zeros()),
        Op::SBcnt0I32B64 => b64_to_32!(|a| a.count_zeros()),
        Op::SBcnt1I32B32 => b32!(|a| a.count_ones()),
        Op::SBcnt1I32B64 => b64_to_32!(|a| a.count_ones()),
        Op::SFf0I32B32 => b32!(keep | a | found(a.trailing_ones(), 32)),
        Op::SFf0I32B64 => b64_to_32!(keep | a | found(a.trailing_ones(), 64)),
        Op::SFf1I32B32 => b32!(keep | a | found(a.trailing_zeros(), 32)),
        Op::SFf1I32B64 => b64_to_32!(keep | a | found(a.trailing_zeros(), 64)),
        Op::SFlbitI32B32 => b32!(keep | a | found(a.leading_zeros(), 32)),
        Op::SFlbitI32B64 => b64_to_32!(keep | a | found(a.leading_zeros(), 64)),
        // The first bit that differs from the sign.
        Op::SFlbitI32 => b32!(keep | a | found((a ^ (a as i32 >> 31) as u32).leading_zeros(), 32)),
        Op::SFlbitI32I64 => {
            keep!(read_scalar_i64, write_scalar32, |a| found((a ^ (a as i64 >> 63) as u64).leading_zeros(), 64))
        }
        Op::SSextI32I8 => b32!(keep | a | a as i8 as u32),
        Op::SSextI32I16 => b32!(keep | a | a as i16 as u32),
        Op::SBitset0B32 => |w, i| {
            let value = w.read_scalar32(i.dst[0]) & !(1 << (w.read_scalar32(i.src[0]) & 31));
            w.write_scalar32(i.dst[0], value);
        },
        Op::SBitset0B64 => |w, i| {
            let value = w.read_scalar64(i.dst[0]) & !(1 << (w.read_scalar32(i.src[0]) & 63));
            w.write_scalar64(i.dst[0], value);
        },
        Op::SBitset1B32 => |w, i| {
            let value = w.read_scalar32(i.dst[0]) | 1 << (w.read_scalar32(i.src[0]) & 31);
            w.write_scalar32(i.dst[0], value);
        },
        Op::SBitset1B64 => |w, i| {
            let value = w.read_scalar64(i.dst[0]) | 1 << (w.read_scalar32(i.src[0]) & 63);
            w.write_scalar64(i.dst[0], value);
        },
        Op::SAndSaveexecB64 => exec_mask!(save, |s, e| s & e),
        Op::SOrSaveexecB64 => exec_mask!(save, |s, e| s | e),
        Op::SXorSaveexecB64 => exec_mask!(save, |s, e| s ^ e),
        Op::SAndn2SaveexecB64 => exec_mask!(save, |s, e| s & !e),
        Op::SOrn2SaveexecB64 => exec_mask!(save, |s, e| s | !e),
        Op::SNandSaveexecB64 => exec_mask!(save, |s, e| !(s & e)),
        Op::SNorSaveexecB64 => exec_mask!(save, |s, e| !(s | e)),
        Op::SXnorSaveexecB64 => exec_mask!(save, |s, e| !(s ^ e)),
        Op::SAndn1SaveexecB64 => exec_mask!(save, |s, e| !s & e),
        Op::SOrn1SaveexecB64 => exec_mask!(save, |s, e| !s | e),
        Op::SAndn1WrexecB64 => exec_mask!(write, |s, e| !s & e),
        Op::SAndn2WrexecB64 => exec_mask!(write, |s, e| s & !e),
        Op::SQuadmaskB32 => b32!(|a| quad_mask(u64::from(a)) as u32),
        Op::SQuadmaskB64 => b64!(|a| quad_mask(a)),
        Op::SMovrelsB32 => |w, i| {
            let value = w.sgpr[relative(w, i.src[0], 1).unwrap_or(0)];
            w.write_scalar32(i.dst[0], value);
        },
        Op::SMovrelsB64 => |w, i| {
            let n = relative(w, i.src[0], 2).unwrap_or(0);
            w.write_scalar64(i.dst[0], u64::from(w.sgpr[n]) | u64::from(w.sgpr[n + 1]) << 32);
        },
        Op::SMovreldB32 => |w, i| {
            if let Some(n) = relative(w, i.dst[0], 1) {
                w.sgpr[n] = w.read_scalar32(i.src[0]);
            }
        },
        Op::SMovreldB64 => |w, i| {
            if let Some(n) = relative(w, i.dst[0], 2) {
                let value = w.read_scalar64(i.src[0]);
                (w.sgpr[n], w.sgpr[n + 1]) = (value as u32, (value >> 32) as u32);
            }
        },
        Op::SAbsI32 => b32!(|a| (a as i32).wrapping_abs() as u32),
        Op::SSetGprIdxIdx => |w, i| {
            w.sgpr[reg::M0] = w.m0() & !0xff | w.read_scalar32(i.src[0]) & 0xff;
        },
        Op::SBitreplicateB64B32 => b32_to_64!(keep | a | (0..32).map(|n| (u64::from(a >> n & 1) * 3) << (2 * n)).sum()),
        _ => return None,
    })
}

fn sopc_sopk(op: Op) -> Option<AluFn> {
    Some(match op {
        Op::SCmpEqI32 | Op::SCmpEqU32 => compare!(|a, b| a == b),
        Op::SCmpLgI32 | Op::SCmpLgU32 => compare!(|a, b| a != b),
        Op::SCmpGtI32 => compare!(|a, b| a as i32 > b as i32),
        Op::SCmpGeI32 => compare!(|a, b| a as i32 >= b as i32),
        Op::SCmpLtI32 => compare!(|a, b| (a as i32) < b as i32),
        Op::SCmpLeI32 => compare!(|a, b| a as i32 <= b as i32),
        Op::SCmpGtU32 => compare!(|a, b| a > b),
        Op::SCmpGeU32 => compare!(|a, b| a >= b),
        Op::SCmpLtU32 => compare!(|a, b| a < b),
        Op::SCmpLeU32 => compare!(|a, b| a <= b),
        Op::SCmpEqU64 => |w, i| w.scc = w.read_scalar64(i.src[0]) == w.read_scalar64(i.src[1]),
        Op::SCmpLgU64 => |w, i| w.scc = w.read_scalar64(i.src[0]) != w.read_scalar64(i.src[1]),
        Op::SBitcmp0B32 => compare!(|a, b| a >> (b & 31) & 1 == 0),
        Op::SBitcmp1B32 => compare!(|a, b| a >> (b & 31) & 1 == 1),
        Op::SBitcmp0B64 => |w, i| w.scc = w.read_scalar64(i.src[0]) >> (w.read_scalar32(i.src[1]) & 63) & 1 == 0,
        Op::SBitcmp1B64 => |w, i| w.scc = w.read_scalar64(i.src[0]) >> (w.read_scalar32(i.src[1]) & 63) & 1 == 1,
        Op::SSetvskip => |w, i| {
            let skip = w.read_scalar32(i.src[0]) >> (w.read_scalar32(i.src[1]) & 31) & 1 != 0;
            w.mode.0 = w.mode.0 & !Mode::VSKIP | if skip { Mode::VSKIP } else { 0 };
        },
        Op::SSetGprIdxOn => |w, i| {
            let (index, kinds) = (w.read_scalar32(i.src[0]), w.read_scalar32(i.src[1]));
            w.mode.0 |= Mode::GPR_IDX_EN;
            w.sgpr[reg::M0] = w.m0() & 0xffff_0f00 | (kinds & 15) << 12 | index & 0xff;
        },
        Op::SSetGprIdxOff => |w, _| w.mode.0 &= !Mode::GPR_IDX_EN,
        Op::SSetGprIdxMode => |w, i| {
            let kinds = w.read_scalar32(i.src[0]);
            w.sgpr[reg::M0] = w.m0() & 0xffff_0fff | (kinds & 15) << 12;
        },
        Op::SMovkI32 => |w, i| {
            let k = register_and_immediate(i).1;
            w.write_scalar32(i.dst[0], k as i16 as u32);
        },
        Op::SCmovkI32 => |w, i| {
            if w.scc {
                let k = register_and_immediate(i).1;
                w.write_scalar32(i.dst[0], k as i16 as u32);
            }
        },
        Op::SCmpkEqI32 => compare_k!(i32, i16, |a, b| a == b),
        Op::SCmpkLgI32 => compare_k!(i32, i16, |a, b| a != b),
        Op::SCmpkGtI32 => compare_k!(i32, i16, |a, b| a > b),
        Op::SCmpkGeI32 => compare_k!(i32, i16, |a, b| a >= b),
        Op::SCmpkLtI32 => compare_k!(i32, i16, |a, b| a < b),
        Op::SCmpkLeI32 => compare_k!(i32, i16, |a, b| a <= b),
        Op::SCmpkEqU32 => compare_k!(u32, u16, |a, b| a == b),
        Op::SCmpkLgU32 => compare_k!(u32, u16, |a, b| a != b),
        Op::SCmpkGtU32 => compare_k!(u32, u16, |a, b| a > b),
        Op::SCmpkGeU32 => compare_k!(u32, u16, |a, b| a >= b),
        Op::SCmpkLtU32 => compare_k!(u32, u16, |a, b| a < b),
        Op::SCmpkLeU32 => compare_k!(u32, u16, |a, b| a <= b),
        Op::SAddkI32 => |w, i| {
            let (register, k) = register_and_immediate(i);
            let (value, overflow) = (w.read_scalar32(register) as i32).overflowing_add(i32::from(k as i16));
            w.write_scalar32(register, value as u32);
            w.scc = overflow;
        },
        Op::SMulkI32 => |w, i| {
            let (register, k) = register_and_immediate(i);
            let value = (w.read_scalar32(register) as i32).wrapping_mul(i32::from(k as i16));
            w.write_scalar32(register, value as u32);
        },
        _ => return None,
    })
}

/// The register of a SOPK instruction, whichever side it is on, and the immediate.
fn register_and_immediate(i: &Inst) -> (Operand, i32) {
    let (register, imm) = match i.dst[0] {
        Operand::None => (i.src[0], i.src[1]),
        register => (register, i.src[0]),
    };
    match imm {
        Operand::Imm(k) => (register, k),
        _ => (register, 0),
    }
}

/// Index of the first of `count` registers, M0 after `operand`; `None` if they reach past the last one: then s0 is read
/// instead, and nothing written (AMD's ISA manuals, "Out-of-Range behavior").
fn relative(w: &Wave, operand: Operand, count: usize) -> Option<usize> {
    let index = scalar_index(operand)? + w.m0() as usize;
    (index + count <= w.sgpr.len()).then_some(index)
}

fn signed((value, overflow): (i32, bool)) -> (u32, bool) {
    (value as u32, overflow)
}

/// Low half, and whether bit 32 is set.
fn wide(value: u64) -> (u32, bool) {
    (value as u32, value >> 32 & 1 != 0)
}

/// Low half, and whether anything does not fit in it.
fn carry(value: u64) -> (u32, bool) {
    (value as u32, value >> 32 != 0)
}

/// A bit position, or -1 if there is none.
fn found(position: u32, bits: u32) -> u32 {
    if position == bits { u32::MAX } else { position }
}

fn bfe_u64(value: u64, offset: u32, width: u32) -> u64 {
    match width {
        0 => 0,
        64.. => value >> offset,
        _ => value >> offset & ((1 << width) - 1),
    }
}

fn bfe_i64(value: i64, offset: u32, width: u32) -> i64 {
    match width {
        0 => 0,
        64.. => value >> offset,
        _ => value >> offset << (64 - width) >> (64 - width),
    }
}

/// Every quad with a bit set, whole.
fn whole_quads(mask: u64) -> u64 {
    (0..64).step_by(4).filter(|n| mask >> n & 15 != 0).fold(0, |all, n| all | 15 << n)
}

/// One bit per quad.
fn quad_mask(mask: u64) -> u64 {
    (0..16).filter(|n| mask >> (4 * n) & 15 != 0).fold(0, |all, n| all | 1 << n)
}

#[cfg(test)]
mod tests;
