//! SDWA, DPP and the sign modifiers of VOP3.

use crate::valu::tests::*;
use gcn_isa::inst::{DstUnused, Sdwa, Sel};

const SELECTIONS: [(Sel, u32, u32); 7] = [
    (Sel::Byte0, 0, 8),
    (Sel::Byte1, 8, 8),
    (Sel::Byte2, 16, 8),
    (Sel::Byte3, 24, 8),
    (Sel::Word0, 0, 16),
    (Sel::Word1, 16, 16),
    (Sel::Dword, 0, 32),
];

#[test]
fn sdwa_selects_extends_and_places() {
    let part = |x: u32, shift: u32, width: u32, sext: bool| {
        let field = i64::from(x) >> shift & ((1 << width) - 1);
        if sext && field >> (width - 1) & 1 != 0 { (field - (1 << width)) as u32 } else { field as u32 }
    };
    for (src0, shift0, width0) in SELECTIONS {
        for (src1, shift1, width1) in SELECTIONS {
            for sext in 0..4u8 {
                for (dst_sel, shift, width) in SELECTIONS {
                    for dst_unused in [DstUnused::Pad, DstUnused::Sext, DstUnused::Preserve] {
                        let sdwa = Sdwa {
                            dst_sel,
                            dst_unused,
                            src_sel: [src0, src1],
                            sext,
                            neg: 0,
                            abs: 0,
                            clamp: false,
                            omod: 0,
                        };
                        let mut w = wave(50);
                        let (a, b, old) = (w.vgpr[1], w.vgpr[3], w.vgpr[10]);
                        run(&mut w, &inst(Op::VAddU32, Mods::Sdwa(sdwa)));
                        for n in [0, 1, 17, 63] {
                            let a = part(a.0[n], shift0, width0, sext & 1 != 0);
                            let b = part(b.0[n], shift1, width1, sext & 2 != 0);
                            let sum = a.wrapping_add(b);
                            let mask = ((1u64 << width) - 1) as u32;
                            let expected = match dst_unused {
                                _ if width == 32 => sum,
                                DstUnused::Pad => (sum & mask) << shift,
                                DstUnused::Sext => part(sum, 0, width, true) << shift,
                                DstUnused::Preserve => (sum & mask) << shift | old.0[n] & !(mask << shift),
                            };
                            assert_eq!(w.vgpr[10].0[n], expected, "{sdwa:?} lane {n}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn sdwa_negates_selected_halves() {
    let sdwa = Sdwa {
        dst_sel: Sel::Word1,
        dst_unused: DstUnused::Preserve,
        src_sel: [Sel::Word1, Sel::Word0],
        sext: 0,
        neg: 1,
        abs: 2,
        clamp: false,
        omod: 0,
    };
    let mut w = wave(1);
    w.vgpr[10] = Lanes([0xaaaa_5555; 64]);
    // -(1.0) + |-2.0| = 1.0
    let got = compute(&mut w, Op::VAddF16, Mods::Sdwa(sdwa), &[Lanes([0x3c00_1111; 64]), Lanes([0x2222_c000; 64])]);
    assert_eq!(got.0[3], 0x3c00_5555);
}

/// Source lane by the definition of each control.
fn dpp_source(ctrl: u16, lane: i32) -> Option<i32> {
    let row = lane / 16 * 16;
    let in_row = |n: i32| (row..row + 16).contains(&n).then_some(n);
    let in_wave = |n: i32| (0..64).contains(&n).then_some(n);
    let n = i32::from(ctrl & 15);
    match ctrl {
        0..=0xff => Some(lane / 4 * 4 + i32::from(ctrl >> (lane % 4 * 2) & 3)),
        0x101..=0x10f => in_row(lane + n),
        0x111..=0x11f => in_row(lane - n),
        0x121..=0x12f => Some(row + (lane - row - n).rem_euclid(16)),
        0x130 => in_wave(lane + 1),
        0x134 => Some((lane + 1).rem_euclid(64)),
        0x138 => in_wave(lane - 1),
        0x13c => Some((lane - 1).rem_euclid(64)),
        0x140 => Some(row + 15 - (lane - row)),
        0x141 => Some(lane / 8 * 8 + 7 - lane % 8),
        0x142 => in_wave(row - 1),
        0x143 => (lane >= 32).then_some(31),
        _ => None,
    }
}

#[test]
fn dpp_moves_between_lanes() {
    let controls = (0..=0xff).chain(0x101..=0x10f).chain(0x111..=0x11f).chain(0x121..=0x12f);
    let controls = controls.chain([0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143]);
    let mut random = Random(51);
    for ctrl in controls {
        for (exec, masks) in [
            (u64::MAX, 0xff),
            (random.next(), 0xff),
            (u64::MAX, random.next() as u8),
            (random.next(), random.next() as u8),
        ] {
            for bound_ctrl in [false, true] {
                let (row_mask, bank_mask) = (masks >> 4, masks & 15);
                let mut w = wave(52);
                w.set_exec(exec);
                let (a, b, old) = (w.vgpr[1], w.vgpr[3], w.vgpr[10]);
                run(&mut w, &inst(Op::VAddU32, Mods::Dpp { ctrl, row_mask, bank_mask, bound_ctrl, neg: 0, abs: 0 }));
                for lane in 0..64usize {
                    let source = dpp_source(ctrl, lane as i32).filter(|n| exec >> n & 1 != 0);
                    let writes = exec >> lane & 1 != 0
                        && row_mask >> (lane / 16) & 1 != 0
                        && bank_mask >> (lane % 16 / 4) & 1 != 0
                        && (bound_ctrl || source.is_some());
                    let value = source.map_or(0, |n| a.0[n as usize]).wrapping_add(b.0[lane]);
                    let expected = if writes { value } else { old.0[lane] };
                    assert_eq!(
                        w.vgpr[10].0[lane], expected,
                        "{ctrl:#x} lane {lane} exec {exec:#x} masks {masks:#x} {bound_ctrl}"
                    );
                }
            }
        }
    }
}

#[test]
fn signs_of_sources() {
    for neg in 0..8u8 {
        for abs in 0..8u8 {
            let mods = Mods::Vop3 { neg, abs, clamp: false, omod: 0, op_sel: 0 };
            let change = |x: f64, n: u8| {
                let x = if abs >> n & 1 != 0 { x.abs() } else { x };
                if neg >> n & 1 != 0 { -x } else { x }
            };
            let values = [-3.0, 5.0, -7.0];
            let expected = change(values[0], 0) * change(values[1], 1) + change(values[2], 2);
            let f32s = values.map(|x| Lanes([(x as f32).to_bits(); 64]));
            let got = compute(&mut wave(1), Op::VFmaF32, mods, &f32s).0[8];
            assert_eq!(f64::from(f32::from_bits(got)), expected);
            let halves = values.map(|x| Lanes([u32::from(crate::fp::f32_to_f16(x as f32)); 64]));
            let got = compute(&mut wave(1), Op::VFmaF16, mods, &halves).0[8];
            assert_eq!(f64::from(crate::fp::f16_to_f32(got as u16)), expected);
            let mut w = wave(1);
            for (n, x) in values.iter().enumerate() {
                (w.vgpr[1 + 2 * n], w.vgpr[2 + 2 * n]) =
                    (Lanes([x.to_bits() as u32; 64]), Lanes([(x.to_bits() >> 32) as u32; 64]));
            }
            run(&mut w, &inst(Op::VFmaF64, mods));
            let got = f64::from_bits(u64::from(w.vgpr[10].0[8]) | u64::from(w.vgpr[11].0[8]) << 32);
            assert_eq!(got, expected);
        }
    }
}
