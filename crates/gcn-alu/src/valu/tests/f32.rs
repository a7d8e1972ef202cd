//! f32 and f64 arithmetic, every rounding and denormal mode, against exact integer arithmetic.

use crate::valu::tests::*;

const SPECIAL: [f32; 18] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.5,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    f32::from_bits(1),
    f32::from_bits(0x8000_0001),
    f32::from_bits(0x007f_ffff),
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    0.5,
    8388609.0,
    -3.1437,
];

fn lanes_of(values: impl Fn(usize) -> f32) -> Lanes {
    Lanes(std::array::from_fn(|n| values(n).to_bits()))
}

/// Equal bits, or both NaN: which NaN an operation makes is not specified here.
fn assert_same(got: u32, expected: f32, what: &str) {
    let got = f32::from_bits(got);
    assert!(
        got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(),
        "{what}: {got:e} ({:#x}), expected {expected:e} ({:#x})",
        got.to_bits(),
        expected.to_bits()
    );
}

/// `mantissa * 2^exponent` as f32, `round` as in MODE. Only for results in the normal range.
fn round_exact(mantissa: i128, exponent: i32, round: u32) -> f32 {
    if mantissa == 0 {
        return if round == 2 { -0.0 } else { 0.0 };
    }
    let magnitude = mantissa.unsigned_abs();
    let extra = (128 - magnitude.leading_zeros()).saturating_sub(24);
    let (kept, lost) = (magnitude >> extra, magnitude & ((1 << extra) - 1));
    let half = if extra == 0 { 0 } else { 1u128 << (extra - 1) };
    let up = match round {
        0 => lost > half || lost == half && half != 0 && kept & 1 == 1,
        1 => lost != 0 && mantissa > 0,
        2 => lost != 0 && mantissa < 0,
        _ => false,
    };
    let value = (kept + u128::from(up)) as f64 * 2f64.powi(exponent + extra as i32);
    if mantissa < 0 { -value as f32 } else { value as f32 }
}

/// Integer mantissa and exponent of a finite value.
fn exact(value: f32) -> (i128, i32) {
    let bits = value.to_bits();
    let exponent = (bits >> 23 & 255) as i32;
    let fraction = i128::from(bits & 0x7f_ffff);
    let (m, e) = if exponent == 0 { (fraction, -149) } else { (fraction | 1 << 23, exponent - 150) };
    (if bits >> 31 != 0 { -m } else { m }, e)
}

fn sum_exact(a: (i128, i32), b: (i128, i32)) -> (i128, i32) {
    let e = a.1.min(b.1);
    ((a.0 << (a.1 - e)) + (b.0 << (b.1 - e)), e)
}

#[test]
fn rounding_modes() {
    let mut random = Random(20);
    // Exponents near zero: sums and products stay exact in 128 bits and normal in f32.
    let mut value = || f32::from_bits((random.next() as u32 & 0x807f_ffff) | (120 + (random.next() as u32 & 15)) << 23);
    for round in 0..4 {
        for _ in 0..20 {
            let src: [Lanes; 3] = std::array::from_fn(|_| Lanes(std::array::from_fn(|_| value().to_bits())));
            let mut w = wave(1);
            w.mode = Mode(0x3f0 | round);
            for op in [Op::VAddF32, Op::VSubF32, Op::VSubrevF32, Op::VMulF32, Op::VFmaF32, Op::VMadF32] {
                let got = compute(&mut w, op, Mods::None, &src);
                for n in 0..64 {
                    let [a, b, c] = src.map(|s| f32::from_bits(s.0[n]));
                    let (ea, eb, ec) = (exact(a), exact(b), exact(c));
                    let negative = |x: (i128, i32)| (-x.0, x.1);
                    let product = (ea.0 * eb.0, ea.1 + eb.1);
                    let (m, e) = match op {
                        Op::VAddF32 => sum_exact(ea, eb),
                        Op::VSubF32 => sum_exact(ea, negative(eb)),
                        Op::VSubrevF32 => sum_exact(eb, negative(ea)),
                        Op::VMulF32 => product,
                        Op::VFmaF32 => sum_exact(product, ec),
                        _ => sum_exact(exact(round_exact(product.0, product.1, round)), ec),
                    };
                    assert_same(
                        got.0[n],
                        round_exact(m, e, round),
                        &format!("{op:?}({a:e}, {b:e}, {c:e}) mode {round}"),
                    );
                }
            }
        }
    }
}

#[test]
fn special_values_and_denormal_modes() {
    let flush = |x: f32| if x.is_subnormal() { 0f32.copysign(x) } else { x };
    for denormals in 0..4 {
        let mut w = wave(1);
        w.mode = Mode(0x3c0 | denormals << 4);
        let input = |x: f32| if denormals & 1 == 0 { flush(x) } else { x };
        let output = |x: f32| if denormals & 2 == 0 { flush(x) } else { x };
        for c in SPECIAL {
            for shift in 0..SPECIAL.len() {
                let (fa, fb) = (|n: usize| SPECIAL[n % SPECIAL.len()], |n: usize| SPECIAL[(n + shift) % SPECIAL.len()]);
                let src = [lanes_of(fa), lanes_of(fb), lanes_of(|_| c)];
                let check = |w: &mut Wave, op: Op, f: &dyn Fn(f32, f32, f32) -> f32| {
                    let got = compute(w, op, Mods::None, &src);
                    for n in 0..64 {
                        let what = format!("{op:?}({:e}, {:e}, {c:e}) denormal mode {denormals}", fa(n), fb(n));
                        assert_same(got.0[n], f(fa(n), fb(n), c), &what);
                    }
                };
                check(&mut w, Op::VAddF32, &|a, b, _| output(input(a) + input(b)));
                check(&mut w, Op::VMulF32, &|a, b, _| output(input(a) * input(b)));
                check(&mut w, Op::VFmaF32, &|a, b, c| output(input(a).mul_add(input(b), input(c))));
                check(&mut w, Op::VMadF32, &|a, b, c| flush(flush(flush(a) * flush(b)) + flush(c)));
                check(&mut w, Op::VMulLegacyF32, &|a, b, _| {
                    if input(a) == 0.0 || input(b) == 0.0 { 0.0 } else { output(input(a) * input(b)) }
                });
            }
        }
    }
}

#[test]
fn minimum_maximum_and_median() {
    let signaling = f32::from_bits(0x7f80_0001);
    let quiet = f32::from_bits(0x7f80_0001 | 1 << 22);
    for (ieee, a, b, min, max) in [
        (true, 1.0, 2.0, 1.0, 2.0),
        (true, -0.0, 0.0, -0.0, 0.0),
        (true, 0.0, -0.0, -0.0, 0.0),
        (true, f32::NAN, 3.0, 3.0, 3.0),
        (true, 3.0, f32::NAN, 3.0, 3.0),
        (true, signaling, 3.0, quiet, quiet),
        (true, 3.0, signaling, quiet, quiet),
        (false, signaling, 3.0, 3.0, 3.0),
        (false, 3.0, signaling, 3.0, 3.0),
        (true, f32::NEG_INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY),
    ] {
        let mut w = wave(1);
        w.mode = Mode(0x1f0 | u32::from(ieee) << 9);
        let src = [lanes_of(|_| a), lanes_of(|_| b)];
        for (op, expected) in [(Op::VMinF32, min), (Op::VMaxF32, max)] {
            let got = compute(&mut w, op, Mods::None, &src).0[5];
            assert_eq!(got, expected.to_bits(), "{op:?}({a}, {b}) IEEE {ieee}");
        }
    }
    for [a, b, c] in [[1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [2.0, 3.0, 1.0], [2.0, 2.0, -7.0]] {
        let src = [a, b, c].map(|x| lanes_of(|_| x));
        assert_eq!(compute(&mut wave(1), Op::VMed3F32, Mods::None, &src).0[0], 2f32.to_bits());
        assert_eq!(compute(&mut wave(1), Op::VMax3F32, Mods::None, &src).0[0], a.max(b).max(c).to_bits());
        assert_eq!(compute(&mut wave(1), Op::VMin3F32, Mods::None, &src).0[0], a.min(b).min(c).to_bits());
    }
}

#[test]
fn output_modifiers_and_clamp() {
    let vop3 = |omod, clamp| Mods::Vop3 { neg: 0, abs: 0, clamp, omod, op_sel: 0 };
    let src = |x: f32| [lanes_of(|_| x), lanes_of(|_| 0.0)];
    // Ignored where denormals are kept or in IEEE mode.
    for (mode, applies) in [(0x3f0, false), (0x1f0, false), (0x3c0, false), (0x1c0, true)] {
        for (omod, factor) in [(1, 2.0), (2, 4.0), (3, 0.5)] {
            let mut w = wave(1);
            w.mode = Mode(mode);
            let got = compute(&mut w, Op::VAddF32, vop3(omod, false), &src(3.0)).0[0];
            assert_eq!(f32::from_bits(got), if applies { 3.0 * factor } else { 3.0 }, "mode {mode:#x} omod {omod}");
        }
    }
    for (dx10, x, expected) in
        [(true, 7.0, 1.0), (true, -7.0, 0.0), (true, 0.25, 0.25), (true, f32::NAN, 0.0), (false, f32::NAN, f32::NAN)]
    {
        let mut w = wave(1);
        w.mode = Mode(0x2f0 | u32::from(dx10) << 8);
        let got = compute(&mut w, Op::VAddF32, vop3(0, true), &src(x)).0[0];
        assert_same(got, expected, &format!("clamp({x}) DX10_CLAMP {dx10}"));
    }
}

#[test]
fn comparisons() {
    type Test = fn(f32, f32) -> bool;
    #[rustfmt::skip]
    let tests: [(&str, Test); 16] = [
        ("F", |_, _| false), ("Lt", |a, b| a < b), ("Eq", |a, b| a == b), ("Le", |a, b| a <= b), ("Gt", |a, b| a > b),
        ("Lg", |a, b| !a.is_nan() && !b.is_nan() && a != b), ("Ge", |a, b| a >= b), ("O", |a, b| a.partial_cmp(&b).is_some()),
        ("U", |a, b| a.partial_cmp(&b).is_none()), ("Nge", |a, b| a.is_nan() || b.is_nan() || a < b),
        ("Nlg", |a, b| a.is_nan() || b.is_nan() || a == b), ("Ngt", |a, b| a.is_nan() || b.is_nan() || a <= b),
        ("Nle", |a, b| a.is_nan() || b.is_nan() || a > b), ("Neq", |a, b| a != b),
        ("Nlt", |a, b| a.is_nan() || b.is_nan() || a >= b), ("Tru", |_, _| true),
    ];
    for (name, test) in tests {
        for (ty, convert) in [
            ("F32", (|x| (x.to_bits(), 0)) as fn(f32) -> (u32, u32)),
            ("F64", |x| (f64::from(x).to_bits() as u32, (f64::from(x).to_bits() >> 32) as u32)),
            ("F16", |x| (u32::from(crate::fp::f32_to_f16(x)), 0)),
        ] {
            let op = *Op::ALL.iter().find(|op| format!("{op:?}") == format!("VCmp{name}{ty}")).expect(name);
            // Exact in f16, so that all three types see the same numbers.
            let values = [0.0, -0.0, 1.0, -1.0, 2.5, 6e-8, f32::INFINITY, f32::NAN];
            let mut w = wave(1);
            for n in 0..64 {
                (w.vgpr[1].0[n], w.vgpr[2].0[n]) = convert(values[n / 8]);
                (w.vgpr[3].0[n], w.vgpr[4].0[n]) = convert(values[n % 8]);
            }
            run(&mut w, &inst(op, Mods::None));
            let expected = (0..64).filter(|n| test(values[n / 8], values[n % 8])).fold(0, |m, n| m | 1u64 << n);
            assert_eq!(w.vcc(), expected, "{op:?}");
        }
    }
    // One class each, in the order of the mask's bits.
    let classes =
        [0x7f80_0001, 0x7fc0_0000, 0xff80_0000, 0xc000_0000, 0x8000_0001, 0x8000_0000, 0, 1, 0x4000_0000, 0x7f80_0000];
    for (n, bits) in classes.into_iter().enumerate() {
        let mut w = wave(1);
        compute(
            &mut w,
            Op::VCmpClassF32,
            Mods::None,
            &[Lanes([bits; 64]), Lanes(std::array::from_fn(|lane| 1 << (lane % 10)))],
        );
        let expected = (0..64).filter(|lane| lane % 10 == n).fold(0, |m, lane| m | 1u64 << lane);
        assert_eq!(w.vcc(), expected, "class {n}");
    }
    // The same denormals of each type, -1 and 1 in the last place, as classes 4 and 7 in all modes.
    for (op, negative) in [
        (Op::VCmpClassF32, 1u64 << 31),
        (Op::VCmpClassF16, 1 << 15),
        (Op::VCmpClassF64, 1 << 63),
        (Op::VCmpxClassF32, 1 << 31),
    ] {
        for (mode, bits) in [0x3f0, 0x300, 0x3e0, 0x3b0].into_iter().flat_map(|m| [(m, negative | 1), (m, 1)]) {
            let mut w = wave(1);
            w.mode = Mode(mode);
            (w.vgpr[1], w.vgpr[2]) = (Lanes([bits as u32; 64]), Lanes([(bits >> 32) as u32; 64]));
            w.vgpr[3] = Lanes(std::array::from_fn(|lane| 1 << (lane % 10)));
            run(&mut w, &inst(op, Mods::None));
            let class = if bits == 1 { 7 } else { 4 };
            let expected = (0..64).filter(|lane| lane % 10 == class).fold(0, |m, lane| m | 1u64 << lane);
            assert_eq!(w.vcc(), expected, "{op:?}({bits:#x}), mode {mode:#x}");
        }
    }
}

#[test]
fn rounding_to_integers_and_parts() {
    let mut random = Random(21);
    for _ in 0..20 {
        let src = Lanes(std::array::from_fn(|n| match n {
            0..18 => SPECIAL[n].to_bits(),
            18..40 => (random.next() as i32 as f32 / 65536.0).to_bits(),
            _ => random.next() as u32,
        }));
        let check = |op: Op, f: &dyn Fn(f32) -> f32| {
            let got = compute(&mut wave(1), op, Mods::None, &[src]);
            (0..64).for_each(|n| {
                let x = f32::from_bits(src.0[n]);
                assert_same(got.0[n], f(x), &format!("{op:?}({x:e})"));
            });
        };
        check(Op::VFloorF32, &f32::floor);
        check(Op::VCeilF32, &f32::ceil);
        check(Op::VTruncF32, &f32::trunc);
        check(Op::VRndneF32, &f32::round_ties_even);
        check(Op::VFractF32, &|x| match x - x.floor() {
            one if one >= 1.0 => f32::from_bits(0x3f7f_ffff),
            fraction => fraction,
        });
        let mant = compute(&mut wave(1), Op::VFrexpMantF32, Mods::None, &[src]);
        let exp = compute(&mut wave(1), Op::VFrexpExpI32F32, Mods::None, &[src]);
        for n in 0..64 {
            let (x, m, e) = (f32::from_bits(src.0[n]), f32::from_bits(mant.0[n]), exp.0[n] as i32);
            if x.is_finite() && x != 0.0 {
                assert!((0.5..1.0).contains(&m.abs()), "mantissa of {x:e} is {m}");
                assert_eq!(f64::from(m) * 2f64.powi(e), f64::from(x));
            } else {
                assert_same(mant.0[n], x, "mantissa");
                assert_eq!(e, 0);
            }
        }
    }
}

#[test]
fn powers_of_two() {
    let mut random = Random(22);
    for _ in 0..200 {
        let x: [u64; 64] = std::array::from_fn(|_| random.next());
        let e: [u64; 64] = std::array::from_fn(|n| (random.next() % (4400 >> (n % 8))) as i64 as u64);
        let e = e.map(|e| (e as i64 - 1100) as i32 as u32 as u64);
        let got = compute64(&mut wave(1), Op::VLdexpF64, &[x, e]);
        for n in 0..64 {
            let (value, exponent) = (f64::from_bits(x[n]), e[n] as i32);
            if value.is_nan() {
                assert!(f64::from_bits(got[n]).is_nan());
                continue;
            }
            use rustc_apfloat::{Float, ieee::Double};
            let expected = Double::from_bits(u128::from(x[n])).scalbn(exponent).to_bits() as u64;
            assert_eq!(got[n], expected, "{value:e} * 2^{exponent}");
        }
        let narrow = [Lanes(x.map(|x| x as u32)), Lanes(e.map(|e| (e as i32 / 4) as u32))];
        let got = compute(&mut wave(1), Op::VLdexpF32, Mods::None, &narrow);
        for n in 0..64 {
            let (value, exponent) = (f32::from_bits(narrow[0].0[n]), narrow[1].0[n] as i32);
            assert_same(got.0[n], (f64::from(value) * 2f64.powi(exponent.clamp(-600, 600))) as f32, "ldexp");
        }
    }
}

#[test]
fn conversions() {
    let mut random = Random(23);
    for _ in 0..50 {
        let bits = random.lanes();
        let scaled = Lanes(std::array::from_fn(|n| (bits.0[n] as i32 as f32 / [1.0, 256.0, 65536.0][n % 3]).to_bits()));
        let check = |op: Op, src: Lanes, f: &dyn Fn(u32) -> u32| {
            let got = compute(&mut wave(1), op, Mods::None, &[src]);
            (0..64).for_each(|n| assert_eq!(got.0[n], f(src.0[n]), "{op:?}({:#x})", src.0[n]));
        };
        check(Op::VCvtF32I32, bits, &|x| (x as i32 as f32).to_bits());
        check(Op::VCvtF32U32, bits, &|x| (x as f32).to_bits());
        for src in [bits, scaled] {
            check(Op::VCvtI32F32, src, &|x| f32::from_bits(x) as i32 as u32);
            check(Op::VCvtU32F32, src, &|x| f32::from_bits(x) as u32);
            check(Op::VCvtFlrI32F32, src, &|x| f32::from_bits(x).floor() as i32 as u32);
            check(Op::VCvtRpiI32F32, src, &|x| (f64::from(f32::from_bits(x)) + 0.5).floor() as i32 as u32);
        }
        for (n, op) in
            [Op::VCvtF32Ubyte0, Op::VCvtF32Ubyte1, Op::VCvtF32Ubyte2, Op::VCvtF32Ubyte3].into_iter().enumerate()
        {
            check(op, bits, &|x| f32::from(x.to_le_bytes()[n]).to_bits());
        }
    }
    // Limits: NaN is 0, the rest saturates.
    for (x, signed, unsigned) in [
        (f32::NAN, 0, 0),
        (f32::INFINITY, i32::MAX, u32::MAX),
        (f32::NEG_INFINITY, i32::MIN, 0),
        (-1.5, -1, 0),
        (3e9, i32::MAX, 3_000_000_000),
    ] {
        let src = [lanes_of(|_| x)];
        assert_eq!(compute(&mut wave(1), Op::VCvtI32F32, Mods::None, &src).0[0] as i32, signed);
        assert_eq!(compute(&mut wave(1), Op::VCvtU32F32, Mods::None, &src).0[0], unsigned);
    }
    let offsets = compute(&mut wave(1), Op::VCvtOffF32I4, Mods::None, &[Lanes(std::array::from_fn(|n| n as u32))]);
    for (n, expected) in [(0, 0.0), (1, 0.0625), (7, 0.4375), (8, -0.5), (15, -0.0625)] {
        assert_eq!(f32::from_bits(offsets.0[n]), expected);
    }
}

#[test]
fn transcendental_operations_are_within_one_unit() {
    let mut random = Random(24);
    for _ in 0..50 {
        let src = Lanes(std::array::from_fn(|n| match n {
            0..18 => SPECIAL[n].to_bits(),
            _ => ((random.next() as i32 as f64 / 2f64.powi(24)) as f32).to_bits(),
        }));
        let flush = |x: f64| if (x as f32).is_subnormal() { 0f64.copysign(x) } else { x };
        let tau = std::f64::consts::TAU;
        let cases: [(Op, &dyn Fn(f64) -> f64); 7] = [
            (Op::VRcpF32, &|x| 1.0 / x),
            (Op::VSqrtF32, &f64::sqrt),
            (Op::VRsqF32, &|x| 1.0 / x.sqrt()),
            (Op::VExpF32, &f64::exp2),
            (Op::VLogF32, &f64::log2),
            (Op::VSinF32, &|x| if x.abs() > 256.0 && x.is_finite() { 0.0 } else { (x.fract() * tau).sin() }),
            (Op::VCosF32, &|x| if x.abs() > 256.0 && x.is_finite() { 1.0 } else { (x.fract() * tau).cos() }),
        ];
        for (op, f) in cases {
            let got = compute(&mut wave(1), op, Mods::None, &[src]);
            for n in 0..64 {
                let x = f32::from_bits(src.0[n]);
                let (got, expected) = (f64::from(f32::from_bits(got.0[n])), flush(f(flush(f64::from(x)))));
                let unit = (f64::from((expected as f32).abs()) * 2f64.powi(-23)).max(2e-16);
                let same = got == f64::from(expected as f32) || got.is_nan() && expected.is_nan();
                assert!(same || (got - expected).abs() <= unit, "{op:?}({x:e}) = {got:e}, expected {expected:e}");
            }
        }
    }
}
