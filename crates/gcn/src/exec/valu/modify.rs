//! Instructions with modifiers: SDWA, DPP, VOP3 and VOP3P source and result modifiers, and any MODE.

use super::*;
use crate::exec::float::{Float, clamp, f16_to_f32, output_modifier};
use crate::exec::wave::Mode;
use crate::inst::{DstUnused, Sdwa, Sel};

/// Whether `inst` needs [`modified`] whatever the modes are.
pub(super) fn is_modified(shape: &Shape, inst: &Inst) -> bool {
    let used = shape.sources.iter().take_while(|t| **t != Type::Nothing).count();
    let all = (1u8 << used) - 1;
    shape.keep_half
        || match inst.mods {
            Mods::Vop3 { neg, abs, clamp, omod, op_sel } => neg | abs | omod | op_sel != 0 || clamp,
            Mods::Vop3p { op_sel, op_sel_hi, neg_lo, neg_hi, clamp } => {
                let usual_hi = match shape.sources[0] {
                    Type::Mix => op_sel_hi & all == 0,
                    Type::PackedInt | Type::PackedFloat => op_sel_hi & all == all,
                    _ => true,
                };
                clamp || (op_sel | neg_lo | neg_hi) & all != 0 || !usual_hi
            }
            Mods::Sdwa(_) | Mods::Dpp { .. } => true,
            _ => false,
        }
}

/// An instruction with any modifiers, in any mode.
pub(super) fn modified(w: &mut Wave, inst: &Inst, shape: &Shape) {
    let mode = w.mode;
    let changes = Changes::new(inst);
    let mut enabled = w.exec();
    let mut out = Results::new();
    {
        let mut buffers = [[Lanes::ZERO; 2]; 3];
        let [a, b, c] = &mut buffers;
        let (operands, types) = (shape.operands(inst), shape.sources);
        // Selections and signs never apply to the implied accumulator.
        let a = fetch(w, inst, operands[0], types[0], 0, a);
        let b = fetch(w, inst, operands[1], types[1], 1, b);
        let mut c = fetch(w, inst, operands[2], types[2], if shape.accumulate { 3 } else { 2 }, c);
        if shape.vcc {
            c.mask = halves(w.vcc());
        }
        let e = Moded { mode, saturate: changes.clamp };
        let usual = (!changes.clamp || shape.result.is_float()) && (!shape.obeys_mode || float::is_native(mode));
        let run = if usual { shape.native } else { shape.moded };
        run(e, a, b, c, &mut out);
    }
    if let Mods::Dpp { ctrl, row_mask, bank_mask, bound_ctrl, .. } = inst.mods {
        enabled = dpp_writes(ctrl, row_mask, bank_mask, bound_ctrl, enabled);
    }
    if changes.clamp || changes.omod != 0 {
        change_results(mode, changes, shape.result, &mut out);
    }
    if shape.result != Type::Nothing {
        let old = match inst.dst[0] {
            Operand::Vgpr { first, .. } => w.vgpr[usize::from(first)],
            _ => Lanes::ZERO,
        };
        match inst.mods {
            Mods::Sdwa(sdwa) => insert(sdwa, &old, &mut out.lo),
            Mods::Vop3 { op_sel, .. } if op_sel & 8 != 0 => keep_half(true, &old, &mut out.lo),
            _ if shape.keep_half => keep_half(shape.high_half, &old, &mut out.lo),
            _ => {}
        }
        write(w, inst.dst[0], 0, enabled, &out.lo);
    }
    if shape.result.is_wide() {
        write(w, inst.dst[0], 1, enabled, &out.hi);
    }
    if shape.mask {
        write_mask(w, inst, shape, out.mask & enabled);
    }
}

/// What is done to results.
#[derive(Clone, Copy)]
struct Changes {
    clamp: bool,
    omod: u8,
}

impl Changes {
    fn new(inst: &Inst) -> Changes {
        match inst.mods {
            Mods::Vop3 { clamp, omod, .. } => Changes { clamp, omod },
            Mods::Vop3p { clamp, .. } => Changes { clamp, omod: 0 },
            Mods::Sdwa(Sdwa { clamp, omod, .. }) => Changes { clamp, omod },
            _ => Changes { clamp: false, omod: 0 },
        }
    }
}

/// Source `index` (3: take it as it is) with its modifiers, in `buffer` if there are any.
fn fetch<'a>(
    w: &'a Wave,
    inst: &Inst,
    operand: Operand,
    ty: Type,
    index: usize,
    buffer: &'a mut [Lanes; 2],
) -> Source<'a> {
    let mut splat = None;
    let unmodified = source(w, operand, ty, &mut splat);
    let mask = unmodified.mask;
    *buffer = [*unmodified.lo, *unmodified.hi];
    let bit = 1u8 << index;
    let (mut neg, mut abs) = (false, false);
    match inst.mods {
        _ if index > 2 || matches!(ty, Type::Nothing | Type::Mask) => {}
        Mods::Vop3 { neg: n, abs: a, op_sel, .. } => {
            (neg, abs) = (n & bit != 0, a & bit != 0);
            if op_sel & bit != 0 && matches!(ty, Type::Int16 | Type::Float16) {
                buffer[0].0.iter_mut().for_each(|v| *v >>= 16);
            }
        }
        Mods::Vop3p { op_sel, op_sel_hi, neg_lo, neg_hi, .. } => {
            let (low, high) = (op_sel & bit != 0, op_sel_hi & bit != 0);
            match ty {
                Type::Mix => {
                    if high {
                        buffer[0]
                            .0
                            .iter_mut()
                            .for_each(|v| *v = f16_to_f32((*v >> if low { 16 } else { 0 }) as u16).to_bits());
                    }
                    (neg, abs) = (neg_lo & bit != 0, neg_hi & bit != 0);
                }
                Type::PackedInt | Type::PackedFloat => {
                    select_halves(low, high, &mut buffer[0]);
                    if ty == Type::PackedFloat {
                        let flips = u32::from(neg_lo & bit != 0) << 15 | u32::from(neg_hi & bit != 0) << 31;
                        buffer[0].0.iter_mut().for_each(|v| *v ^= flips);
                    }
                }
                _ => neg = ty == Type::Float32 && neg_lo & bit != 0,
            }
        }
        Mods::Sdwa(sdwa) => {
            (neg, abs) = (sdwa.neg & bit != 0, sdwa.abs & bit != 0);
            if let Some(sel) = sdwa.src_sel.get(index) {
                extract(*sel, sdwa.sext & bit != 0, &mut buffer[0]);
            }
        }
        Mods::Dpp { ctrl, neg: n, abs: a, .. } => {
            (neg, abs) = (n & bit != 0, a & bit != 0);
            if index == 0 {
                let enabled = w.exec();
                buffer.iter_mut().for_each(|lanes| permute(ctrl, enabled, lanes));
            }
        }
        _ => {}
    }
    change_sign(ty, neg, abs, buffer);
    Source { lo: &buffer[0], hi: &buffer[1], mask }
}

/// Each half of a packed source from the low (false) or high half of its register.
fn select_halves(low: bool, high: bool, lanes: &mut Lanes) {
    if (low, high) == (false, true) {
        return;
    }
    for v in &mut lanes.0 {
        let lo = if low { *v >> 16 } else { *v & 0xffff };
        let hi = if high { *v & 0xffff_0000 } else { *v << 16 };
        *v = lo | hi;
    }
}

/// Absolute value, then negation.
fn change_sign(ty: Type, neg: bool, abs: bool, buffer: &mut [Lanes; 2]) {
    if !neg && !abs {
        return;
    }
    let (register, sign) = match ty {
        Type::Float16 => (&mut buffer[0], 0x8000),
        // Untyped operands of VOP3 (v_cndmask_b32, v_mov_b32) take the modifiers of floats.
        Type::Float32 | Type::Mix | Type::Int32 => (&mut buffer[0], 0x8000_0000),
        Type::Float64 => (&mut buffer[1], 0x8000_0000),
        _ => return,
    };
    let (keep, flip) = (if abs { !sign } else { !0 }, if neg { sign } else { 0 });
    register.0.iter_mut().for_each(|v| *v = (*v & keep) ^ flip);
}

/// SDWA source selection.
fn extract(sel: Sel, sext: bool, lanes: &mut Lanes) {
    let (shift, width) = match sel {
        Sel::Byte0 => (0, 8),
        Sel::Byte1 => (8, 8),
        Sel::Byte2 => (16, 8),
        Sel::Byte3 => (24, 8),
        Sel::Word0 => (0, 16),
        Sel::Word1 => (16, 16),
        Sel::Dword => return,
    };
    let left = 32 - shift - width;
    for v in &mut lanes.0 {
        *v = if sext { ((*v << left) as i32 >> (32 - width)) as u32 } else { *v << left >> (32 - width) };
    }
}

/// SDWA result placement.
fn insert(sdwa: Sdwa, old: &Lanes, lanes: &mut Lanes) {
    let (shift, width) = match sdwa.dst_sel {
        Sel::Byte0 => (0, 8),
        Sel::Byte1 => (8, 8),
        Sel::Byte2 => (16, 8),
        Sel::Byte3 => (24, 8),
        Sel::Word0 => (0, 16),
        Sel::Word1 => (16, 16),
        Sel::Dword => return,
    };
    let field = (1u32 << width) - 1;
    for (v, old) in lanes.0.iter_mut().zip(old.0) {
        let value = *v & field;
        *v = match sdwa.dst_unused {
            DstUnused::Pad => value << shift,
            DstUnused::Sext => (((value << (32 - width)) as i32 >> (32 - width)) as u32) << shift,
            DstUnused::Preserve => value << shift | old & !(field << shift),
        };
    }
}

/// A 16-bit result beside what the register held.
fn keep_half(high: bool, old: &Lanes, lanes: &mut Lanes) {
    for (v, old) in lanes.0.iter_mut().zip(old.0) {
        *v = if high { *v << 16 | old & 0xffff } else { *v & 0xffff | old & 0xffff_0000 };
    }
}

/// Clamp and output modifier of floating-point results; integers saturated on their way.
fn change_results(mode: Mode, changes: Changes, ty: Type, out: &mut Results) {
    fn change<F: Float>(mode: Mode, changes: Changes, value: F) -> F {
        let value = output_modifier(mode, changes.omod, value);
        if changes.clamp { clamp(mode, value) } else { value }
    }
    let half = |bits: u32| u32::from(change(mode, changes, F16(bits as u16)).0);
    match ty {
        Type::Float16 => out.lo.0.iter_mut().for_each(|v| *v = half(*v)),
        Type::PackedFloat => out.lo.0.iter_mut().for_each(|v| *v = half(*v) | half(*v >> 16) << 16),
        Type::Float32 | Type::Mix => {
            out.lo.0.iter_mut().for_each(|v| *v = change(mode, changes, f32::from_bits(*v)).to_bits());
        }
        Type::Float64 => {
            for (lo, hi) in out.lo.0.iter_mut().zip(&mut out.hi.0) {
                let value = change(mode, changes, f64::from_bits(u64::from(*lo) | u64::from(*hi) << 32)).to_bits();
                (*lo, *hi) = (value as u32, (value >> 32) as u32);
            }
        }
        _ => {}
    }
}

/// The lane that DPP gives to `lane`; `None` if it is out of range.
fn dpp_source(ctrl: u16, lane: usize) -> Option<usize> {
    let (row, n) = (lane & !15, lane & 15);
    let count = usize::from(ctrl & 15);
    let in_row = |n: usize| (n < 16).then_some(row + n);
    match ctrl {
        0..=0xff => Some(lane & !3 | usize::from(ctrl >> (2 * (lane & 3)) & 3)),
        0x101..=0x10f => in_row(n + count),
        0x111..=0x11f => in_row(n.wrapping_sub(count)),
        0x121..=0x12f => in_row(n.wrapping_sub(count) & 15),
        0x130 => (lane < 63).then_some(lane + 1),
        0x134 => Some(lane + 1 & 63),
        0x138 => lane.checked_sub(1),
        0x13c => Some(lane.wrapping_sub(1) & 63),
        0x140 => Some(row + 15 - n),
        0x141 => Some(lane ^ 7),
        0x142 => row.checked_sub(1),
        0x143 => (lane >= 32).then_some(31),
        _ => None,
    }
}

/// DPP: every lane gets its source lane's value, 0 if that is out of range or disabled.
fn permute(ctrl: u16, enabled: u64, lanes: &mut Lanes) {
    let old = *lanes;
    for (lane, v) in lanes.0.iter_mut().enumerate() {
        *v = match dpp_source(ctrl, lane) {
            Some(from) if enabled >> from & 1 != 0 => old.0[from & 63],
            _ => 0,
        };
    }
}

/// The lanes that a DPP instruction writes: enabled, in the row and bank masks, and with a source unless `bound_ctrl` gives them 0.
fn dpp_writes(ctrl: u16, row_mask: u8, bank_mask: u8, bound_ctrl: bool, enabled: u64) -> u64 {
    (0..64)
        .filter(|lane| row_mask >> (lane >> 4) & 1 != 0 && bank_mask >> (lane >> 2 & 3) & 1 != 0)
        .filter(|lane| bound_ctrl || dpp_source(ctrl, *lane).is_some_and(|from| enabled >> from & 1 != 0))
        .fold(0, |mask, lane| mask | 1 << lane)
        & enabled
}
