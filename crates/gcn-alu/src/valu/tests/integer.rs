//! Integer operations against the same operations in 128 bits.

use crate::valu::tests::*;

type Reference = fn(i128, i128, i128) -> i128;

fn u(x: i128) -> i128 {
    x & 0xffff_ffff
}
fn u16(x: i128) -> i128 {
    x & 0xffff
}
fn i16(x: i128) -> i128 {
    i128::from(x as i16)
}
fn u24(x: i128) -> i128 {
    x & 0xff_ffff
}
fn i24(x: i128) -> i128 {
    u24(x) - if x >> 23 & 1 != 0 { 1 << 24 } else { 0 }
}
fn s(x: i128) -> i128 {
    i128::from(x as i32)
}
fn median(mut x: [i128; 3]) -> i128 {
    x.sort();
    x[1]
}
fn bytes(x: i128) -> [i128; 4] {
    [x & 255, x >> 8 & 255, x >> 16 & 255, x >> 24 & 255]
}
fn sad(a: i128, b: i128) -> i128 {
    bytes(a).iter().zip(bytes(b)).map(|(a, b)| (a - b).abs()).sum()
}
fn elements(x: i128, bits: u32, signed: bool) -> impl Iterator<Item = i128> {
    (0..32 / bits).map(move |n| {
        let e = x >> (n * bits) & ((1 << bits) - 1);
        if signed && e >> (bits - 1) != 0 { e - (1 << bits) } else { e }
    })
}
fn dot(a: i128, b: i128, bits: u32, signed: bool) -> i128 {
    elements(a, bits, signed).zip(elements(b, bits, signed)).map(|(a, b)| a * b).sum()
}

/// Sources arrive unsigned; the low 32 (or 16, where the operation is) bits of the result count.
#[rustfmt::skip]
const OPERATIONS: &[(Op, Reference)] = &[
    (Op::VMovB32, |a, _, _| a), (Op::VNotB32, |a, _, _| !a), (Op::VAndB32, |a, b, _| a & b), (Op::VOrB32, |a, b, _| a | b),
    (Op::VXorB32, |a, b, _| a ^ b), (Op::VXnorB32, |a, b, _| !(a ^ b)), (Op::VAndOrB32, |a, b, c| (a & b) | c),
    (Op::VOr3B32, |a, b, c| a | b | c), (Op::VBfiB32, |a, b, c| (a & b) | (!a & c)),
    (Op::VLshlrevB32, |a, b, _| b << (a & 31)), (Op::VLshrrevB32, |a, b, _| b >> (a & 31)), (Op::VAshrrevI32, |a, b, _| s(b) >> (a & 31)),
    (Op::VLshlOrB32, |a, b, c| (a << (b & 31)) | c), (Op::VLshlAddU32, |a, b, c| (a << (b & 31)) + c),
    (Op::VAddLshlU32, |a, b, c| u(a + b) << (c & 31)), (Op::VAdd3U32, |a, b, c| a + b + c), (Op::VXadU32, |a, b, c| (a ^ b) + c),
    (Op::VAlignbitB32, |a, b, c| (a << 32 | b) >> (c & 31)), (Op::VAlignbyteB32, |a, b, c| (a << 32 | b) >> (8 * (c & 3))),
    (Op::VBfeU32, |a, b, c| (a >> (b & 31)) % (1 << (c & 31))),
    (Op::VBfeI32, |a, b, c| { let (off, w) = (b & 31, c & 31); if w == 0 { 0 } else { let f = (s(a) >> off) & ((1 << w) - 1); if f >> (w - 1) != 0 { f - (1 << w) } else { f } } }),
    (Op::VBfmB32, |a, b, _| ((1 << (a & 31)) - 1) << (b & 31)),
    (Op::VBfrevB32, |a, _, _| (0..32).map(|n| (a >> n & 1) << (31 - n)).sum()),
    (Op::VBcntU32B32, |a, b, _| (0..32).map(|n| a >> n & 1).sum::<i128>() + b),
    (Op::VFfbhU32, |a, _, _| (0..32).find(|n| a >> (31 - n) & 1 != 0).unwrap_or(-1)),
    (Op::VFfblB32, |a, _, _| (0..32).find(|n| a >> n & 1 != 0).unwrap_or(-1)),
    (Op::VFfbhI32, |a, _, _| (1..32).find(|n| a >> (31 - n) & 1 != a >> 31).unwrap_or(-1)),
    (Op::VPermB32, |a, b, c| bytes(c).iter().enumerate().map(|(n, sel)| { let all = a << 32 | b; let sign = |m: i128| if all >> m & 1 != 0 { 255 } else { 0 };
        (match sel { 0..=7 => all >> (8 * sel) & 255, 8 => sign(15), 9 => sign(31), 10 => sign(47), 11 => sign(63), 12 => 0, _ => 255 }) << (8 * n) }).sum()),
    (Op::VAddU32, |a, b, _| a + b), (Op::VSubU32, |a, b, _| a - b), (Op::VSubrevU32, |a, b, _| b - a),
    (Op::VAddI32, |a, b, _| s(a) + s(b)), (Op::VSubI32, |a, b, _| s(a) - s(b)),
    (Op::VMulLoU32, |a, b, _| a * b), (Op::VMulHiU32, |a, b, _| (a * b) >> 32), (Op::VMulHiI32, |a, b, _| (s(a) * s(b)) >> 32),
    (Op::VMulU32U24, |a, b, _| u24(a) * u24(b)), (Op::VMulI32I24, |a, b, _| i24(a) * i24(b)),
    (Op::VMulHiU32U24, |a, b, _| (u24(a) * u24(b)) >> 32), (Op::VMulHiI32I24, |a, b, _| (i24(a) * i24(b)) >> 32),
    (Op::VMadU32U24, |a, b, c| u24(a) * u24(b) + c), (Op::VMadI32I24, |a, b, c| i24(a) * i24(b) + s(c)),
    (Op::VMadU32U16, |a, b, c| u16(a) * u16(b) + c), (Op::VMadI32I16, |a, b, c| i16(a) * i16(b) + s(c)),
    (Op::VMinU32, |a, b, _| a.min(b)), (Op::VMaxU32, |a, b, _| a.max(b)), (Op::VMinI32, |a, b, _| s(a).min(s(b))), (Op::VMaxI32, |a, b, _| s(a).max(s(b))),
    (Op::VMin3U32, |a, b, c| a.min(b).min(c)), (Op::VMax3U32, |a, b, c| a.max(b).max(c)), (Op::VMed3U32, |a, b, c| median([a, b, c])),
    (Op::VMin3I32, |a, b, c| s(a).min(s(b)).min(s(c))), (Op::VMax3I32, |a, b, c| s(a).max(s(b)).max(s(c))), (Op::VMed3I32, |a, b, c| median([s(a), s(b), s(c)])),
    (Op::VSadU8, |a, b, c| sad(a, b) + c), (Op::VSadHiU8, |a, b, c| (sad(a, b) << 16) + c), (Op::VSadU32, |a, b, c| (a - b).abs() + c),
    (Op::VSadU16, |a, b, c| (u16(a) - u16(b)).abs() + ((a >> 16) - (b >> 16)).abs() + c),
    (Op::VMsadU8, |a, b, c| bytes(a).iter().zip(bytes(b)).map(|(a, b)| if b == 0 { 0 } else { (a - b).abs() }).sum::<i128>() + c),
    (Op::VLerpU8, |a, b, c| (0..4).map(|n| ((bytes(a)[n] + bytes(b)[n] + (bytes(c)[n] & 1)) >> 1) << (8 * n)).sum()),
    (Op::VDot2I32I16, |a, b, c| dot(a, b, 16, true) + s(c)), (Op::VDot2U32U16, |a, b, c| dot(a, b, 16, false) + c),
    (Op::VDot4I32I8, |a, b, c| dot(a, b, 8, true) + s(c)), (Op::VDot4U32U8, |a, b, c| dot(a, b, 8, false) + c),
    (Op::VDot8I32I4, |a, b, c| dot(a, b, 4, true) + s(c)), (Op::VDot8U32U4, |a, b, c| dot(a, b, 4, false) + c),
    (Op::VCvtPkU16U32, |a, b, _| a.min(0xffff) | b.min(0xffff) << 16),
    (Op::VCvtPkI16I32, |a, b, _| u16(s(a).clamp(-32768, 32767)) | u16(s(b).clamp(-32768, 32767)) << 16),
];

/// The same for operations on the low 16 bits.
#[rustfmt::skip]
const OPERATIONS16: &[(Op, Reference)] = &[
    (Op::VAddU16, |a, b, _| a + b), (Op::VSubU16, |a, b, _| a - b), (Op::VSubrevU16, |a, b, _| b - a), (Op::VMulLoU16, |a, b, _| a * b),
    (Op::VAddI16, |a, b, _| i16(a) + i16(b)), (Op::VSubI16, |a, b, _| i16(a) - i16(b)),
    (Op::VMadU16, |a, b, c| a * b + c), (Op::VMadI16, |a, b, c| i16(a) * i16(b) + i16(c)),
    (Op::VMadLegacyU16, |a, b, c| a * b + c), (Op::VMadLegacyI16, |a, b, c| i16(a) * i16(b) + i16(c)),
    (Op::VLshlrevB16, |a, b, _| b << (a & 15)), (Op::VLshrrevB16, |a, b, _| b >> (a & 15)), (Op::VAshrrevI16, |a, b, _| i16(b) >> (a & 15)),
    (Op::VMinU16, |a, b, _| a.min(b)), (Op::VMaxU16, |a, b, _| a.max(b)), (Op::VMinI16, |a, b, _| i16(a).min(i16(b))), (Op::VMaxI16, |a, b, _| i16(a).max(i16(b))),
    (Op::VMin3U16, |a, b, c| a.min(b).min(c)), (Op::VMax3U16, |a, b, c| a.max(b).max(c)), (Op::VMed3U16, |a, b, c| median([a, b, c])),
    (Op::VMin3I16, |a, b, c| i16(a).min(i16(b)).min(i16(c))), (Op::VMax3I16, |a, b, c| i16(a).max(i16(b)).max(i16(c))),
    (Op::VMed3I16, |a, b, c| median([i16(a), i16(b), i16(c)])),
];

/// Packed operations do on each half what these do.
#[rustfmt::skip]
const PACKED: &[(Op, Op)] = &[
    (Op::VPkAddU16, Op::VAddU16), (Op::VPkSubU16, Op::VSubU16), (Op::VPkMulLoU16, Op::VMulLoU16), (Op::VPkMadU16, Op::VMadU16),
    (Op::VPkMinU16, Op::VMinU16), (Op::VPkMaxU16, Op::VMaxU16), (Op::VPkLshlrevB16, Op::VLshlrevB16), (Op::VPkLshrrevB16, Op::VLshrrevB16),
    (Op::VPkAshrrevI16, Op::VAshrrevI16), (Op::VPkAddI16, Op::VAddI16), (Op::VPkSubI16, Op::VSubI16), (Op::VPkMadI16, Op::VMadI16),
    (Op::VPkMinI16, Op::VMinI16), (Op::VPkMaxI16, Op::VMaxI16),
];

fn reference16(op: Op) -> Reference {
    OPERATIONS16.iter().find(|(o, _)| *o == op).expect("in the table").1
}

/// Random lanes with limits and small numbers among them.
fn sources(random: &mut Random) -> [Lanes; 3] {
    const EDGES: [u32; 10] = [0, 1, 2, 31, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, u32::MAX];
    std::array::from_fn(|_| {
        Lanes(std::array::from_fn(|_| match random.next() {
            r if r & 3 == 0 => EDGES[(r >> 8) as usize % EDGES.len()],
            r if r & 3 == 1 => (r >> 8) as u32 & 63,
            r => (r >> 16) as u32,
        }))
    })
}

#[test]
fn operations_of_32_bits() {
    let mut random = Random(10);
    for (op, reference) in OPERATIONS {
        for _ in 0..20 {
            let src = sources(&mut random);
            let got = compute(&mut wave(1), *op, Mods::None, &src);
            for lane in 0..64 {
                let [a, b, c] = src.map(|s| i128::from(s.0[lane]));
                let expected = reference(a, b, c) as u32;
                assert_eq!(got.0[lane], expected, "{}({a:#x}, {b:#x}, {c:#x})", op.mnemonic());
            }
        }
    }
}

#[test]
fn operations_of_16_bits_and_packed() {
    let mut random = Random(11);
    for (op, reference) in OPERATIONS16 {
        // gfx9: most write zeros to the high half; those that came with it and have op_sel leave it as it is.
        let keeps = !matches!(op.info().format, gcn_isa::inst::Format::Vop2) && !op.mnemonic().contains("legacy");
        for _ in 0..20 {
            let src = sources(&mut random);
            let mut w = wave(1);
            let old = w.vgpr[10];
            let got = compute(&mut w, *op, Mods::None, &src);
            for lane in 0..64 {
                let [a, b, c] = src.map(|s| i128::from(s.0[lane] & 0xffff));
                let high = if keeps { old.0[lane] & 0xffff_0000 } else { 0 };
                let expected = reference(a, b, c) as u32 & 0xffff | high;
                assert_eq!(got.0[lane], expected, "{}({a:#x}, {b:#x}, {c:#x})", op.mnemonic());
            }
        }
    }
    for (op, half) in PACKED {
        let reference = reference16(*half);
        for op_sel in 0..8u8 {
            for op_sel_hi in 0..8u8 {
                let src = sources(&mut random);
                let mods = Mods::Vop3p { op_sel, op_sel_hi, neg_lo: 0, neg_hi: 0, clamp: false };
                let got = compute(&mut wave(1), *op, mods, &src);
                for lane in 0..64 {
                    let select = |bits: u8| -> [i128; 3] {
                        std::array::from_fn(|n| i128::from(src[n].0[lane] >> (16 * (bits >> n & 1)) & 0xffff))
                    };
                    let [lo, hi] =
                        [select(op_sel), select(op_sel_hi)].map(|[a, b, c]| reference(a, b, c) as u32 & 0xffff);
                    assert_eq!(got.0[lane], lo | hi << 16, "{} op_sel {op_sel:#b} {op_sel_hi:#b}", op.mnemonic());
                }
            }
        }
    }
}

#[test]
fn clamp_saturates_integers() {
    let clamp = Mods::Vop3 { neg: 0, abs: 0, clamp: true, omod: 0, op_sel: 0 };
    let clamp_pk = Mods::Vop3p { op_sel: 0, op_sel_hi: 7, neg_lo: 0, neg_hi: 0, clamp: true };
    let unsigned = |bits: u32| (0, (1i128 << bits) - 1);
    let signed = |bits: u32| (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    let mut random = Random(12);
    for (op, mods, (low, high)) in [
        (Op::VAddU32, clamp, unsigned(32)),
        (Op::VSubU32, clamp, unsigned(32)),
        (Op::VSubrevU32, clamp, unsigned(32)),
        (Op::VAddI32, clamp, signed(32)),
        (Op::VSubI32, clamp, signed(32)),
        (Op::VMadU32U24, clamp, unsigned(32)),
        (Op::VMadI32I24, clamp, signed(32)),
        (Op::VMadU32U16, clamp, unsigned(32)),
        (Op::VMadI32I16, clamp, signed(32)),
        (Op::VSadU32, clamp, unsigned(32)),
        (Op::VDot4I32I8, clamp_pk, signed(32)),
        (Op::VDot4U32U8, clamp_pk, unsigned(32)),
        (Op::VDot2I32I16, clamp_pk, signed(32)),
        (Op::VDot2U32U16, clamp_pk, unsigned(32)),
        (Op::VDot8I32I4, clamp_pk, signed(32)),
    ] {
        let reference = OPERATIONS.iter().find(|(o, _)| *o == op).expect("in the table").1;
        for _ in 0..50 {
            let src = sources(&mut random);
            let got = compute(&mut wave(1), op, mods, &src);
            for lane in 0..64 {
                let [a, b, c] = src.map(|s| i128::from(s.0[lane]));
                let expected = reference(a, b, c).clamp(low, high) as u32;
                assert_eq!(got.0[lane], expected, "{}({a:#x}, {b:#x}, {c:#x}) clamp", op.mnemonic());
            }
        }
    }
    for (op, half, (low, high)) in [
        (Op::VPkAddU16, Op::VAddU16, unsigned(16)),
        (Op::VPkSubU16, Op::VSubU16, unsigned(16)),
        (Op::VPkMadU16, Op::VMadU16, unsigned(16)),
        (Op::VPkAddI16, Op::VAddI16, signed(16)),
        (Op::VPkSubI16, Op::VSubI16, signed(16)),
        (Op::VPkMadI16, Op::VMadI16, signed(16)),
    ] {
        let reference = reference16(half);
        let src = sources(&mut random);
        let got = compute(&mut wave(1), op, clamp_pk, &src);
        for lane in 0..64 {
            let half = |shift: u32| {
                let [a, b, c] = src.map(|s| i128::from(s.0[lane] >> shift & 0xffff));
                reference(a, b, c).clamp(low, high) as u32 & 0xffff
            };
            assert_eq!(got.0[lane], half(0) | half(16) << 16, "{}", op.mnemonic());
        }
    }
}

#[test]
fn carries() {
    let mut random = Random(13);
    for (op, with_carry, reference) in [
        (Op::VAddCoU32, false, (|a, b, c| a + b + c) as Reference),
        (Op::VSubCoU32, false, |a, b, c| a - b - c),
        (Op::VSubrevCoU32, false, |a, b, c| b - a - c),
        (Op::VAddcCoU32, true, |a, b, c| a + b + c),
        (Op::VSubbCoU32, true, |a, b, c| a - b - c),
        (Op::VSubbrevCoU32, true, |a, b, c| b - a - c),
    ] {
        for _ in 0..50 {
            let [a, b, _] = sources(&mut random);
            let (mut w, carry) = (wave(1), random.next());
            w.set_vcc(carry);
            let got = compute(&mut w, op, Mods::None, &[a, b]);
            for lane in 0..64 {
                let carry = if with_carry { i128::from(carry >> lane & 1) } else { 0 };
                let exact = reference(i128::from(a.0[lane]), i128::from(b.0[lane]), carry);
                assert_eq!(got.0[lane], exact as u32, "{}", op.mnemonic());
                let out = w.vcc() >> lane & 1 != 0;
                assert_eq!(out, !(0..1 << 32).contains(&exact), "{} carry", op.mnemonic());
            }
        }
    }
}

#[test]
fn operations_of_64_bits() {
    let mut random = Random(14);
    for _ in 0..50 {
        let mut w = wave(random.next());
        let pairs: [u64; 64] = std::array::from_fn(|n| u64::from(w.vgpr[5].0[n]) | u64::from(w.vgpr[6].0[n]) << 32);
        let (a, b) = (w.vgpr[1], w.vgpr[3]);
        for (op, signed) in [(Op::VMadU64U32, false), (Op::VMadI64I32, true)] {
            run(&mut w, &inst(op, Mods::None));
            for (lane, c) in pairs.into_iter().enumerate() {
                let (a, b) = (i128::from(a.0[lane]), i128::from(b.0[lane]));
                let exact = if signed { s(a) * s(b) + i128::from(c as i64) } else { a * b + i128::from(c) };
                let got = u64::from(w.vgpr[10].0[lane]) | u64::from(w.vgpr[11].0[lane]) << 32;
                assert_eq!(got, exact as u64, "{}", op.mnemonic());
                assert_eq!(w.vcc() >> lane & 1, (exact >> 64) as u64 & 1, "{} carry", op.mnemonic());
            }
        }
        for (op, reference) in [
            (Op::VLshlrevB64, (|n, x| x << (n & 63)) as fn(u64, u64) -> u64),
            (Op::VLshrrevB64, |n, x| x >> (n & 63)),
            (Op::VAshrrevI64, |n, x| (x as i64 >> (n & 63)) as u64),
        ] {
            let x: [u64; 64] = std::array::from_fn(|n| u64::from(w.vgpr[3].0[n]) | u64::from(w.vgpr[4].0[n]) << 32);
            run(&mut w, &inst(op, Mods::None));
            for (lane, x) in x.into_iter().enumerate() {
                let got = u64::from(w.vgpr[10].0[lane]) | u64::from(w.vgpr[11].0[lane]) << 32;
                assert_eq!(got, reference(u64::from(a.0[lane]), x), "{}", op.mnemonic());
            }
        }
    }
}

#[test]
fn sums_of_absolute_differences_of_windows() {
    let mut random = Random(15);
    let byte = |x: u64, n: usize| (x >> (8 * n) & 255) as i64;
    for (op, masked, wide) in
        [(Op::VQsadPkU16U8, false, false), (Op::VMqsadPkU16U8, true, false), (Op::VMqsadU32U8, true, true)]
    {
        let mut w = wave(random.next());
        let old = w.vgpr.clone();
        run(&mut w, &inst(op, Mods::None));
        for lane in 0..64 {
            let a = u64::from(old[1].0[lane]) | u64::from(old[2].0[lane]) << 32;
            let b = u64::from(old[3].0[lane]);
            for n in 0..4 {
                let sum: i64 = (0..4)
                    .map(|m| (byte(a, n + m), byte(b, m)))
                    .map(|(a, b)| if masked && b == 0 { 0 } else { (a - b).abs() })
                    .sum();
                let (got, add, modulus) = if wide {
                    (w.vgpr[10 + n].0[lane], old[5 + n].0[lane], 1i64 << 32)
                } else {
                    let half = |r: &Lanes| r.0[lane] >> (16 * (n % 2)) & 0xffff;
                    (half(&w.vgpr[10 + n / 2]), half(&old[5 + n / 2]), 1 << 16)
                };
                assert_eq!(i64::from(got), (sum + i64::from(add)) % modulus, "{} window {n}", op.mnemonic());
            }
        }
    }
}

#[test]
fn comparisons_and_selection() {
    let mut random = Random(16);
    type Test = fn(i128, i128) -> bool;
    let tests: [(&str, Test); 8] = [
        ("F", |_, _| false),
        ("Lt", |a, b| a < b),
        ("Eq", |a, b| a == b),
        ("Le", |a, b| a <= b),
        ("Gt", |a, b| a > b),
        ("Ne", |a, b| a != b),
        ("Ge", |a, b| a >= b),
        ("T", |_, _| true),
    ];
    for (ty, bits, signed) in [
        ("I16", 16, true),
        ("U16", 16, false),
        ("I32", 32, true),
        ("U32", 32, false),
        ("I64", 64, true),
        ("U64", 64, false),
    ] {
        for (name, test) in tests {
            for x in ["", "x"] {
                let name = format!("VCmp{x}{name}{ty}");
                let op = *Op::ALL.iter().find(|op| format!("{op:?}") == name).expect(&name);
                let mut w = wave(random.next());
                // Equal values too.
                for n in 0..64 {
                    if random.next() & 1 == 0 {
                        (w.vgpr[3].0[n], w.vgpr[4].0[n]) = (w.vgpr[1].0[n], w.vgpr[2].0[n]);
                    }
                }
                let exec = random.next();
                w.set_exec(exec);
                run(&mut w, &inst(op, Mods::None));
                let value = |r: usize, n: usize| {
                    let all = u64::from(w.vgpr[r].0[n]) | u64::from(w.vgpr[r + 1].0[n]) << 32;
                    let kept = i128::from(all) & ((1 << bits) - 1);
                    if signed && kept >> (bits - 1) != 0 { kept - (1 << bits) } else { kept }
                };
                let expected =
                    (0..64).filter(|n| test(value(1, *n), value(3, *n))).fold(0, |m, n| m | 1u64 << n) & exec;
                assert_eq!(w.vcc(), expected, "{name}");
                assert_eq!(w.exec(), if x.is_empty() { exec } else { expected }, "{name}");
            }
        }
    }
    let mut w = wave(17);
    let (a, b, mask) = (w.vgpr[1], w.vgpr[3], w.vcc());
    run(&mut w, &inst(Op::VCndmaskB32, Mods::None));
    for n in 0..64 {
        assert_eq!(w.vgpr[10].0[n], if mask >> n & 1 != 0 { b.0[n] } else { a.0[n] });
    }
}
