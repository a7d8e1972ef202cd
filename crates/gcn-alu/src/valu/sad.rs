//! Sums of absolute differences, and `v_lerp_u8`.

use crate::valu::int32::saturated_u32;
use crate::valu::*;

kernels! {
    VSadU8 |e, a: u32, b: u32, c: u32| -> u32 { accumulate(e, bytes(a, b, false), c) }
    VSadHiU8 |e, a: u32, b: u32, c: u32| -> u32 { accumulate(e, bytes(a, b, false) << 16, c) }
    VMsadU8 |e, a: u32, b: u32, c: u32| -> u32 { accumulate(e, bytes(a, b, true), c) }
    VSadU16 |e, a: u32, b: u32, c: u32| -> u32 {
        accumulate(e, (a & 0xffff).abs_diff(b & 0xffff) + (a >> 16).abs_diff(b >> 16), c)
    }
    VSadU32 |e, a: u32, b: u32, c: u32| -> u32 { accumulate(e, a.abs_diff(b), c) }
    VQsadPkU16U8 |e, a: u64, b: u32, c: u64| -> u64 { four(e, a, b, c, false) }
    VMqsadPkU16U8 |e, a: u64, b: u32, c: u64| -> u64 { four(e, a, b, c, true) }
    // The average of each byte, rounded up where the third source says so.
    VLerpU8 |e, a: u32, b: u32, c: u32| -> u32 {
        (0..4).fold(0, |all, n| {
            let byte = |v: u32| v >> (8 * n) & 0xff;
            all | (byte(a) + byte(b) + (byte(c) & 1)) >> 1 << (8 * n)
        })
    }
}

/// The function that executes `inst`, if it is `v_mqsad_u32_u8`: the one operation with results of four registers.
pub fn lower_wide(inst: &Inst) -> Option<AluFn> {
    (inst.op == Op::VMqsadU32U8).then_some(mqsad_u32)
}

fn mqsad_u32(w: &mut Wave, inst: &Inst) {
    let saturate = matches!(inst.mods, Mods::Vop3 { clamp: true, .. });
    let e = Moded { mode: w.mode, saturate };
    let mut out = [Lanes::ZERO; 4];
    {
        let (mut a, mut b) = (Splat::default(), Splat::default());
        let a = source(w, inst.src[0], Type::Int64, &mut a);
        let b = source(w, inst.src[1], Type::Int32, &mut b);
        for (n, part) in out.iter_mut().enumerate() {
            let (operand, mut c) = (word(inst.src[2], n), Splat::default());
            let c = source(w, operand, Type::Int32, &mut c);
            for lane in 0..64 {
                let window = (u64::from(a.lo.0[lane]) | u64::from(a.hi.0[lane]) << 32) >> (8 * n);
                part.0[lane] = accumulate(e, bytes(window as u32, b.lo.0[lane], true), c.lo.0[lane]);
            }
        }
    }
    let exec = w.exec();
    for (n, part) in out.iter().enumerate() {
        write(w, inst.dst[0], n, exec, part);
    }
}

/// Register `n` of an operand of several; constants extend with their sign.
fn word(operand: Operand, n: usize) -> Operand {
    match operand {
        Operand::Vgpr { first, .. } => match first.checked_add(n as u8) {
            Some(first) => Operand::Vgpr { first, count: 1 },
            None => Operand::Int(0),
        },
        Operand::Sgpr { first, .. } => Operand::Sgpr { first: first + n as u8, count: 1 },
        Operand::Int(v) if n > 0 => Operand::Int(v >> 7),
        _ if n > 0 => Operand::Int(0),
        other => other,
    }
}

/// Sum over the bytes; with `masked` not of those where `b` is 0.
fn bytes(a: u32, b: u32, masked: bool) -> u32 {
    let pairs = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
    pairs.filter(|(_, b)| !masked || *b != 0).map(|(a, b)| u32::from(a.abs_diff(b))).sum()
}

fn accumulate<E: Env>(e: E, sum: u32, c: u32) -> u32 {
    if e.saturate() { saturated_u32(u64::from(sum) + u64::from(c)) } else { sum.wrapping_add(c) }
}

/// Sums of four windows of `a`, one byte apart, each with its own 16-bit accumulator.
fn four<E: Env>(e: E, a: u64, b: u32, c: u64, masked: bool) -> u64 {
    (0..4).fold(0, |all, n| {
        let sum = bytes((a >> (8 * n)) as u32, b, masked) + (c >> (16 * n)) as u32 % 0x1_0000;
        let sum = if e.saturate() { sum.min(0xffff) } else { sum & 0xffff };
        all | u64::from(sum) << (16 * n)
    })
}
