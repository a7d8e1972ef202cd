//! A division from `v_div_scale`, `v_rcp`, `v_fma`, `v_div_fmas` and `v_div_fixup`, as compilers build it, is correctly
//! rounded.

use crate::valu::tests::*;

/// Registers of the sequence; all pairs, so that f64 fits.
const NUM: u8 = 20;
const DEN: u8 = 22;
const D: u8 = 24;
const N: u8 = 26;
const R: u8 = 28;
const T: u8 = 30;
const Q: u8 = 32;

struct Ops {
    scale: Op,
    rcp: Op,
    fma: Op,
    mul: Op,
    fmas: Op,
    fixup: Op,
}

const F32: Ops = Ops {
    scale: Op::VDivScaleF32,
    rcp: Op::VRcpF32,
    fma: Op::VFmaF32,
    mul: Op::VMulF32,
    fmas: Op::VDivFmasF32,
    fixup: Op::VDivFixupF32,
};

const F64: Ops = Ops {
    scale: Op::VDivScaleF64,
    rcp: Op::VRcpF64,
    fma: Op::VFmaF64,
    mul: Op::VMulF64,
    fmas: Op::VDivFmasF64,
    fixup: Op::VDivFixupF64,
};

fn step(w: &mut Wave, op: Op, dst: u8, src: &[Operand], neg: u8) {
    let mut i = inst(op, Mods::Vop3 { neg, abs: 0, clamp: false, omod: 0, op_sel: 0 });
    i.dst[0] = v(dst);
    i.src = [Operand::None; 4];
    i.src[..src.len()].copy_from_slice(src);
    run(w, &i);
}

/// NUM / DEN into Q, as LLVM expands an IEEE division.
fn divide(w: &mut Wave, ops: &Ops) {
    let one = Operand::Float(242);
    // The denominator first; the mask of the numerator's scaling is the one that v_div_fmas reads.
    step(w, ops.scale, D, &[v(DEN), v(DEN), v(NUM)], 0);
    step(w, ops.rcp, R, &[v(D)], 0);
    step(w, ops.fma, T, &[v(D), v(R), one], 1);
    step(w, ops.fma, R, &[v(T), v(R), v(R)], 0);
    step(w, ops.scale, N, &[v(NUM), v(DEN), v(NUM)], 0);
    step(w, ops.mul, Q, &[v(N), v(R)], 0);
    step(w, ops.fma, T, &[v(D), v(Q), v(N)], 1);
    step(w, ops.fma, Q, &[v(T), v(R), v(Q)], 0);
    step(w, ops.fma, T, &[v(D), v(Q), v(N)], 1);
    step(w, ops.fmas, Q, &[v(T), v(R), v(Q)], 0);
    step(w, ops.fixup, Q, &[v(Q), v(DEN), v(NUM)], 0);
}

#[test]
fn f32_quotients() {
    let specials = [
        0.0,
        -0.0,
        1.0,
        f32::MIN_POSITIVE,
        f32::from_bits(1),
        f32::from_bits(0x7f_fffb),
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
        -3.0,
    ];
    let mut random = Random(40);
    for round in 0..2000 {
        let mut w = wave(1);
        for n in 0..64 {
            let mut value = |k: usize| match round {
                0 => specials[(n + 7 * k * n) % specials.len()].to_bits(),
                _ => random.next() as u32,
            };
            (w.vgpr[20].0[n], w.vgpr[22].0[n]) = (value(0), value(1));
        }
        divide(&mut w, &F32);
        for n in 0..64 {
            let (a, b) = (f32::from_bits(w.vgpr[20].0[n]), f32::from_bits(w.vgpr[22].0[n]));
            let (got, expected) = (f32::from_bits(w.vgpr[32].0[n]), a / b);
            assert!(
                got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(),
                "{a:e} / {b:e} = {got:e}, expected {expected:e}"
            );
        }
    }
}

#[test]
fn f64_quotients() {
    let mut random = Random(41);
    for round in 0..1000 {
        let mut w = wave(1);
        for n in 0..64 {
            for r in [20, 22] {
                let mut bits = random.next();
                if round % 3 == 0 {
                    // Ordinary magnitudes.
                    bits = bits & 0x800f_ffff_ffff_ffff | (0x3e0 + (random.next() & 0x3f)) << 52;
                } else if round % 3 == 1 && (r == 20) == (n % 2 == 0) {
                    // A denormal by, or divided by, any other.
                    bits = bits & 1 << 63 | (bits & ((1 << 52) - 1)) >> (random.next() % 52);
                }
                (w.vgpr[r].0[n], w.vgpr[r + 1].0[n]) = (bits as u32, (bits >> 32) as u32);
            }
        }
        divide(&mut w, &F64);
        let value =
            |r: usize, n: usize| f64::from_bits(u64::from(w.vgpr[r].0[n]) | u64::from(w.vgpr[r + 1].0[n]) << 32);
        for n in 0..64 {
            let (a, b, got) = (value(20, n), value(22, n), value(32, n));
            let expected = a / b;
            assert!(
                got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(),
                "{a:e} / {b:e} = {got:e}, expected {expected:e}"
            );
        }
    }
}

#[test]
fn argument_reduction_gives_two_over_pi() {
    // The segments of a small argument add up to 2/pi.
    let x = [1f64.to_bits(); 64];
    let segments: [u64; 64] = std::array::from_fn(|n| n as u64 % 3);
    let parts = compute64(&mut wave(1), Op::VTrigPreopF64, &[x, segments]).map(f64::from_bits);
    assert_eq!(parts[0] + parts[1] + parts[2], std::f64::consts::FRAC_2_PI);
    assert!(parts[1] < parts[0] * 2f64.powi(-50) && parts[2] < parts[1] * 2f64.powi(-50));
    // A large one: x * 2/pi modulo 4 from three segments, against the known reduction of 2^1000.
    let x = [2f64.powi(200).to_bits(); 64];
    let parts = compute64(&mut wave(1), Op::VTrigPreopF64, &[x, segments]).map(f64::from_bits);
    let turns = parts[..3].iter().map(|p| (p * 2f64.powi(200)) % 4.0).sum::<f64>() % 4.0;
    let sine = (turns * std::f64::consts::FRAC_PI_2).sin();
    assert!((sine - 2f64.powi(200).sin()).abs() < 1e-12, "{sine} against {}", 2f64.powi(200).sin());
}

/// `V_DIV_FMAS` in a lane of VCC: the sum scaled down by 2^64 (f32) or 2^128 (f64), rounded once, in the mode's
/// direction. `c` becomes `n` and a half units of the least denormal; the product, far below its last bit, decides to
/// which side of the midpoint the sum is.
#[test]
fn scaled_sums_round_once() {
    for round in 0..4u32 {
        for n in [1u64, 2] {
            for (sign, product) in [(1.0, 1), (0.0, 0), (-1.0, -1)] {
                let expected = match (round, product) {
                    (0, 1) | (1, _) => n + 1,
                    (0, 0) => 2,
                    _ => n,
                };
                let mut w = wave(1);
                w.set_vcc(u64::MAX);
                w.mode = Mode(0x3f0 | round | round << 2);
                let middle = n as f64 + 0.5;
                let sources = [sign * 2f64.powi(-75), 2f64.powi(-75), middle * 2f64.powi(-149 + 64)];
                let narrow = sources.map(|x| Lanes([(x as f32).to_bits(); 64]));
                let got = compute(&mut w, Op::VDivFmasF32, Mods::None, &narrow).0[0];
                assert_eq!(u64::from(got), expected, "f32, {middle} units, product {product}, round {round}");
                let unit = 2f64.powi(-537) * 2f64.powi(-537 + 128);
                let sources = [sign * 2f64.powi(-536), 2f64.powi(-536), middle * unit];
                let got = compute64(&mut w, Op::VDivFmasF64, &sources.map(|x| [x.to_bits(); 64]))[0];
                assert_eq!(got, expected, "f64, {middle} units, product {product}, round {round}");
            }
        }
    }
}

/// `V_DIV_SCALE`: the manual's table of cases, by exponents, for finite operands. Where it says 2^64 for a large
/// denominator of a tiny quotient, that would overflow; the quotients above show that 2^-64 is what works.
#[test]
fn scaling_before_a_division() {
    let mut random = Random(42);
    let power = |value: f32, by: i32| (f64::from(value) * 2f64.powi(by)) as f32;
    for _ in 0..300 {
        let mut numbers = || -> [f32; 64] {
            std::array::from_fn(|_| {
                let bits = random.next() as u32;
                f32::from_bits(match bits >> 8 & 7 {
                    // Denormals and zeros.
                    0 => bits & 0x8000_00ff,
                    _ if bits >> 23 & 0xff == 0xff => bits & !(1 << 23),
                    _ => bits,
                })
            })
        };
        let [den, num] = [numbers(), numbers()];
        for scales_num in [false, true] {
            let value = if scales_num { num } else { den };
            let mut w = wave(1);
            let sources = [value, den, num].map(|x| Lanes(x.map(f32::to_bits)));
            let got = compute(&mut w, Op::VDivScaleF32, Mods::None, &sources);
            for lane in 0..64 {
                let (s, d, n) = (value[lane], den[lane], num[lane]);
                if s == d && s == n {
                    continue;
                }
                // The biased exponent, of denormals as if they were normalised; the quotients as real numbers.
                let exponent = |x: f32| (f64::from(x).to_bits() >> 52 & 0x7ff) as i32 - 1023 + 127;
                let least = f64::from(f32::MIN_POSITIVE);
                let (reciprocal, quotient) = (1.0 / f64::from(d), f64::from(n) / f64::from(d));
                let (small_reciprocal, small_quotient) = (reciprocal.abs() < least, quotient.abs() < least);
                let (expected, flag) = if n == 0.0 || d == 0.0 {
                    (f32::NAN, false)
                } else if exponent(n) - exponent(d) >= 96 {
                    (if scales_num { s } else { power(s, 64) }, true)
                } else if d.is_subnormal() {
                    (power(s, 64), false)
                } else if small_reciprocal && small_quotient {
                    (if scales_num { s } else { power(s, -64) }, true)
                } else if small_reciprocal {
                    (power(s, -64), false)
                } else if small_quotient {
                    (if scales_num { power(s, 64) } else { s }, true)
                } else if exponent(n) <= 23 {
                    (power(s, 64), false)
                } else {
                    (s, false)
                };
                let (got, got_flag) = (f32::from_bits(got.0[lane]), w.vcc() >> lane & 1 != 0);
                let same = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
                assert!(
                    same && got_flag == flag,
                    "{n:e} / {d:e}, {s:e}: {got:e} {got_flag}, expected {expected:e} {flag}"
                );
            }
        }
    }
}

/// The exponent of a fraction in \[1, 2) and the bits of that fraction, of denormals as if they were normalised.
fn normalised(value: f64) -> (i32, u64) {
    let (value, by) = if value.is_subnormal() { (value * 2f64.powi(200), 200) } else { (value, 0) };
    ((value.to_bits() >> 52 & 0x7ff) as i32 - 1023 - by, value.to_bits() & ((1 << 52) - 1))
}

/// The same table for `V_DIV_SCALE_F64`, mostly where denormals are a step on either side of a limit.
#[test]
fn scaling_of_doubles_before_a_division() {
    let mut random = Random(43);
    let mut cases = [0u32; 7];
    for round in 0..600 {
        let mut numbers = || {
            let number = |exponent: i32, bits: u64| {
                let fraction = f64::from_bits(1023 << 52 | bits & ((1 << 52) - 1) | bits & 1 << 63);
                // In two steps, as a denormal's power of two is none of f64.
                fraction * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
            };
            let denormal =
                |bits: u64| f64::from_bits(bits & 1 << 63 | ((bits & ((1 << 52) - 1)) >> ((bits >> 56) % 52)).max(1));
            let anything = |bits: u64| number((bits >> 52 & 0x7ff) as i32 % 2046 - 1022, bits);
            let (one, other) = (random.next(), random.next());
            let near = (random.next() % 3) as i32 - 1;
            let (small, any) = (denormal(one), anything(other));
            let (den, num) = match round % 7 {
                0 => (any, anything(one)),
                1 => (small, any),
                2 => (any, small),
                3 => (small, denormal(other)),
                // A quotient near the largest that needs no scaling, and near the least normal number.
                4 => (small, number(normalised(small).0 + 768 + near, other)),
                5 => (number(normalised(small).0 + 1022 + near, other), small),
                // The largest denominators.
                _ => (number(1022 + near.abs(), one), any),
            };
            (den, num)
        };
        let pairs: [(f64, f64); 64] = std::array::from_fn(|_| numbers());
        for scales_num in [false, true] {
            let value = pairs.map(|(den, num)| if scales_num { num } else { den });
            let sources = [value, pairs.map(|(den, _)| den), pairs.map(|(_, num)| num)];
            let mut w = wave(1);
            let got = compute64(&mut w, Op::VDivScaleF64, &sources.map(|numbers| numbers.map(f64::to_bits)));
            for (lane, (d, n)) in pairs.into_iter().enumerate() {
                let s = value[lane];
                let ((of_n, n_bits), (of_d, d_bits)) = (normalised(n), normalised(d));
                let small_reciprocal = d.abs() > 2f64.powi(1022);
                let small_quotient = of_n - of_d < -1022 || of_n - of_d == -1022 && n_bits < d_bits;
                let (up, down) = (s * 2f64.powi(128), s * 2f64.powi(-128));
                let (case, expected, flag) = if of_n - of_d >= 768 {
                    (0, if scales_num { s } else { up }, true)
                } else if d.is_subnormal() {
                    (1, up, false)
                } else if small_reciprocal && small_quotient {
                    (2, if scales_num { s } else { down }, true)
                } else if small_reciprocal {
                    (3, down, false)
                } else if small_quotient {
                    (4, if scales_num { up } else { s }, true)
                } else if of_n <= 53 - 1023 {
                    (5, up, false)
                } else {
                    (6, s, false)
                };
                cases[case] += 1;
                let (got, got_flag) = (f64::from_bits(got[lane]), w.vcc() >> lane & 1 != 0);
                assert!(
                    got.to_bits() == expected.to_bits() && got_flag == flag,
                    "{n:e} / {d:e}, {s:e}: {got:e} {got_flag}, expected {expected:e} {flag}"
                );
            }
        }
    }
    assert!(cases.iter().all(|&count| count > 50), "{cases:?}");
}
