//! Every operation with random operands, modifiers and modes: nothing panics, and disabled lanes keep their registers.

use crate::valu::tests::*;
use crate::wave::ACCUMULATION;
use gcn_isa::inst::{DstUnused, Format, Sdwa, Sel};

#[test]
fn random_instructions() {
    use Format::*;
    let mut random = Random(60);
    let mut w = wave(61);
    for op in Op::ALL {
        if !matches!(op.info().format, Sop1 | Sop2 | Sopc | Sopk | Sopp | Vop1 | Vop2 | Vopc | Vop3 | Vop3p) {
            continue;
        }
        for _ in 0..60 {
            let mut i = gcn_isa::inst::Inst::example(*op);
            for operand in i.src.iter_mut().chain(&mut i.dst) {
                *operand = random_operand(&mut random, *operand);
            }
            i.mods = random_mods(&mut random, op.info().format);
            let Some(function) = alu(&i) else { continue };
            w.mode = Mode(random.next() as u32 & !(Mode::GPR_IDX_EN | Mode::VSKIP));
            if random.next() & 1 == 0 {
                w.mode = USUAL;
            }
            w.set_exec(random.next());
            let (exec, vector) = (w.exec(), w.vgpr.clone());
            function(&mut w, &i);
            // v_writelane and MFMA do not obey EXEC.
            if *op != Op::VWritelaneB32 {
                for (register, (new, old)) in w.vgpr[..ACCUMULATION].iter().zip(vector.iter()).enumerate() {
                    for lane in (0..64).filter(|lane| exec >> lane & 1 == 0) {
                        assert_eq!(new.0[lane], old.0[lane], "{i:?} wrote v{register} of disabled lane {lane}");
                    }
                }
            }
        }
    }
}

fn random_operand(random: &mut Random, operand: Operand) -> Operand {
    let r = random.next();
    match operand {
        Operand::Vgpr { count, .. } if r & 7 == 0 => Operand::Sgpr { first: (r >> 8) as u8 % 100, count },
        Operand::Vgpr { .. } if r & 7 == 1 => Operand::Int((r >> 8) as i8),
        Operand::Vgpr { .. } if r & 7 == 2 => Operand::Float(240 + (r >> 8) as u8 % 9),
        Operand::Vgpr { .. } if r & 7 == 3 => Operand::Literal((r >> 8) as u32),
        Operand::Vgpr { count, .. } => Operand::Vgpr { first: (r >> 8) as u8, count },
        Operand::Agpr { count, .. } => Operand::Agpr { first: (r >> 8) as u8, count },
        Operand::Sgpr { count, .. } => Operand::Sgpr { first: (r >> 8) as u8 % 102, count },
        Operand::Imm(_) => Operand::Imm((r >> 8) as i16 as i32),
        other => other,
    }
}

fn random_mods(random: &mut Random, format: Format) -> Mods {
    let r = random.next();
    let bits = |n: u32, width: u32| (r >> n & ((1 << width) - 1)) as u8;
    let sel = |n: u32| {
        [Sel::Byte0, Sel::Byte1, Sel::Byte2, Sel::Byte3, Sel::Word0, Sel::Word1, Sel::Dword, Sel::Dword]
            [usize::from(bits(n, 3))]
    };
    match (format, r & 3) {
        (Format::Vop3p, _) => Mods::Vop3p {
            op_sel: bits(8, 3),
            op_sel_hi: bits(11, 3),
            neg_lo: bits(14, 3),
            neg_hi: bits(17, 3),
            clamp: bits(20, 1) != 0,
        },
        (_, 0) => Mods::None,
        (Format::Vop3, _) | (_, 1) => Mods::Vop3 {
            neg: bits(8, 3),
            abs: bits(11, 3),
            clamp: bits(14, 1) != 0,
            omod: bits(15, 2),
            op_sel: bits(17, 4),
        },
        (_, 2) => Mods::Sdwa(Sdwa {
            dst_sel: sel(8),
            dst_unused: [DstUnused::Pad, DstUnused::Sext, DstUnused::Preserve][usize::from(bits(11, 8)) % 3],
            src_sel: [sel(19), sel(22)],
            sext: bits(25, 2),
            neg: bits(27, 2),
            abs: bits(29, 2),
            clamp: bits(31, 1) != 0,
            omod: bits(32, 2),
        }),
        _ => Mods::Dpp {
            ctrl: (r >> 8) as u16 & 0x1ff,
            row_mask: bits(17, 4),
            bank_mask: bits(21, 4),
            bound_ctrl: bits(25, 1) != 0,
            neg: bits(26, 2),
            abs: bits(28, 2),
        },
    }
}
