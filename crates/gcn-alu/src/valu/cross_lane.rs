//! Moves between lanes and scalar registers (`v_readlane`, `v_writelane`, `v_mbcnt`, `v_swap`), and operations without
//! operands.

use crate::valu::*;

/// The function that executes `inst`, if it is one of this module.
pub fn lower(inst: &Inst) -> Option<AluFn> {
    Some(match inst.op {
        Op::VNop => |_, _| {},
        Op::VClrexcp => |w, _| w.trapsts &= !EXCEPTIONS,
        Op::VReadfirstlaneB32 => |w, i| {
            // Lane 0 if none is enabled.
            let lane = w.exec().trailing_zeros() & 63;
            let value = read(w, i.src[0], lane);
            w.write_scalar32(i.dst[0], value);
        },
        Op::VReadlaneB32 => |w, i| {
            let lane = w.read_scalar32(i.src[1]) & 63;
            let value = read(w, i.src[0], lane);
            w.write_scalar32(i.dst[0], value);
        },
        Op::VWritelaneB32 => |w, i| {
            let (value, lane) = (w.read_scalar32(i.src[0]), w.read_scalar32(i.src[1]) & 63);
            if let Operand::Vgpr { first, .. } = i.dst[0] {
                w.vgpr[usize::from(first)].0[lane as usize] = value;
            }
        },
        Op::VSwapB32 => |w, i| {
            if let (Operand::Vgpr { first: a, .. }, Operand::Vgpr { first: b, .. }) = (i.dst[0], i.src[0]) {
                let (exec, old) = (w.exec(), [w.vgpr[usize::from(a)], w.vgpr[usize::from(b)]]);
                write(w, i.dst[0], 0, exec, &old[1]);
                write(w, i.src[0], 0, exec, &old[0]);
            }
        },
        Op::VMbcntLoU32B32 => |w, i| count_below(w, i, |lane| if lane < 32 { (1 << lane) - 1 } else { u32::MAX }),
        Op::VMbcntHiU32B32 => |w, i| count_below(w, i, |lane| if lane < 32 { 0 } else { (1 << (lane - 32)) - 1 }),
        _ => return None,
    })
}

/// TRAPSTS: the exceptions that were raised.
const EXCEPTIONS: u32 = 0x1ff;

/// One lane of a source, scalars included.
fn read(w: &Wave, operand: Operand, lane: u32) -> u32 {
    match operand {
        Operand::Vgpr { first, .. } => w.vgpr[usize::from(first)].0[lane as usize],
        other => w.read_scalar32(other),
    }
}

/// `v_mbcnt`: the bits of the first source in the mask of each lane, added to the second.
#[inline(always)]
fn count_below(w: &mut Wave, inst: &Inst, mask: impl Fn(u32) -> u32) {
    let (mut a, mut b) = (Splat::default(), Splat::default());
    let a = source(w, inst.src[0], Type::Int32, &mut a);
    let b = source(w, inst.src[1], Type::Int32, &mut b);
    let mut out = Lanes::ZERO;
    for (lane, v) in (0..).zip(&mut out.0) {
        *v = (a.lo.0[lane as usize] & mask(lane)).count_ones().wrapping_add(b.lo.0[lane as usize]);
    }
    write(w, inst.dst[0], 0, w.exec(), &out);
}
