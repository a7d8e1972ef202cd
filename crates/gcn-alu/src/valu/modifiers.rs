//! Slow path for instructions with modifiers: SDWA, DPP, and the source and result modifiers of VOP3 and VOP3P, in any
//! MODE.

use crate::fp::{Float, clamp, f16_to_f32, output_modifier};
use crate::valu::*;
use crate::wave::Mode;
use gcn_isa::inst::{DstUnused, Sdwa, Sel};
use once_cell::race::OnceBox;

/// Whether `inst` needs [`modified`] whatever the modes are.
pub fn is_modified(shape: &Shape, inst: &Inst) -> bool {
    let used = shape.sources.iter().take_while(|t| **t != Type::Nothing).count();
    let all = (1u8 << used) - 1;
    shape.keep_half
        || shape.result == Type::Byte
        || match inst.mods {
            Mods::Vop3 { neg, abs, clamp, omod, op_sel } => neg | abs | omod | op_sel != 0 || clamp,
            Mods::Vop3p { op_sel, op_sel_hi, neg_lo, neg_hi, clamp } => {
                let usual_hi = match shape.sources[0] {
                    Type::Mix => op_sel_hi & all == 0,
                    Type::PackedInt | Type::PackedFloat | Type::PackedFloat32 | Type::PackedInt32 => {
                        op_sel_hi & all == all
                    }
                    _ => true,
                };
                clamp || (op_sel | neg_lo | neg_hi) & all != 0 || !usual_hi
            }
            Mods::Sdwa(_) | Mods::Dpp { .. } => true,
            _ => false,
        }
}

/// Whether the signs of 32- and 64-bit sources are all that the modifiers of `inst` change.
pub fn is_signed_only(shape: &Shape, inst: &Inst) -> bool {
    let signed = |ty: &Type| matches!(ty, Type::Float32 | Type::Float64 | Type::Nothing | Type::Mask);
    shape.sources.iter().all(signed)
        && !shape.accumulate
        && !shape.keep_half
        && matches!(inst.mods, Mods::Vop3 { neg, abs, clamp: false, omod: 0, op_sel: 0 } if neg | abs != 0)
}

/// An instruction with any modifiers, in any mode.
pub fn modified(w: &mut Wave, inst: &Inst, shape: &Shape) {
    let mode = w.mode;
    let changes = Changes::new(inst);
    let mut enabled = w.exec();
    let mut out = Results::new();
    {
        let [a, b, c] = &mut [None; 3];
        let (operands, types) = (shape.operands(inst), shape.sources);
        // Selections and signs never apply to the implied accumulator.
        let a = fetch(w, inst, operands[0], types[0], 0, a);
        let b = fetch(w, inst, operands[1], types[1], 1, b);
        let mut c = fetch(w, inst, operands[2], types[2], if shape.accumulate { 3 } else { 2 }, c);
        if shape.vcc {
            c.mask = halves(w.vcc());
        }
        let e = Moded { mode, saturate: changes.clamp };
        let usual = (!changes.clamp || shape.result.is_float()) && shape.is_usual(mode);
        let run = if usual { shape.native } else { shape.moded };
        run(e, &[a, b, c], &mut out);
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
            Mods::Vop3 { op_sel, .. } if shape.result == Type::Byte => keep_bytes(op_sel >> 2, &old, &mut out.lo),
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

/// Source `index` (3: take it as it is) with its modifiers, in `buffer` unless it is a register as it is.
fn fetch<'a>(
    w: &'a Wave,
    inst: &Inst,
    operand: Operand,
    ty: Type,
    index: usize,
    buffer: &'a mut Option<[Lanes; 2]>,
) -> Source<'a> {
    let (changes, sign) = source_changes(inst, ty, index);
    let mut splat = Splat::default();
    if let (SourceChange::None, SignChange { neg: false, abs: false }, Operand::Vgpr { .. }) = (changes, sign, operand)
    {
        // A register needs no splat.
        return register(w, operand, ty);
    }
    let unmodified = source(w, operand, ty, &mut splat);
    let mask = unmodified.mask;
    let [lo, hi] = buffer.insert([*unmodified.lo, *unmodified.hi]);
    match changes {
        SourceChange::None => {}
        SourceChange::HighHalf => lo.0.iter_mut().for_each(|v| *v >>= 16),
        SourceChange::Widen { high } => {
            lo.0.iter_mut().for_each(|v| *v = f16_to_f32((*v >> if high { 16 } else { 0 }) as u16).to_bits());
        }
        SourceChange::Halves { low, high, flips } => {
            select_halves(low, high, lo);
            lo.0.iter_mut().for_each(|v| *v ^= flips);
        }
        SourceChange::Registers { low, high, flips } => {
            let (first, second) = (*lo, *hi);
            *lo = if low { second } else { first };
            *hi = if high { second } else { first };
            lo.0.iter_mut().for_each(|v| *v ^= flips[0]);
            hi.0.iter_mut().for_each(|v| *v ^= flips[1]);
        }
        SourceChange::Extract { sel, sext } => extract(sel, sext, lo),
        SourceChange::Permute { ctrl } => {
            let enabled = w.exec();
            permute(ctrl, enabled, lo);
            if ty.is_wide() {
                permute(ctrl, enabled, hi);
            }
        }
    }
    change_sign(ty, sign, lo, hi);
    Source { lo, hi, mask }
}

/// What a modifier does to the bits of a source before its sign changes.
#[derive(Clone, Copy)]
enum SourceChange {
    None,
    /// `op_sel` of a 16-bit source.
    HighHalf,
    /// A half of a `v_fma_mix` source.
    Widen {
        high: bool,
    },
    /// Packed: the halves for the low and the high result, and the sign bits to flip.
    Halves {
        low: bool,
        high: bool,
        flips: u32,
    },
    /// Packed in two registers: those for the low and the high result, and the sign bits to flip.
    Registers {
        low: bool,
        high: bool,
        flips: [u32; 2],
    },
    /// SDWA.
    Extract {
        sel: Sel,
        sext: bool,
    },
    /// DPP.
    Permute {
        ctrl: u16,
    },
}

/// Absolute value, then negation.
#[derive(Clone, Copy)]
struct SignChange {
    neg: bool,
    abs: bool,
}

fn source_changes(inst: &Inst, ty: Type, index: usize) -> (SourceChange, SignChange) {
    let bit = 1u8 << index;
    let signs = |neg: u8, abs: u8| SignChange { neg: neg & bit != 0, abs: abs & bit != 0 };
    match inst.mods {
        _ if index > 2 || matches!(ty, Type::Nothing | Type::Mask) => (SourceChange::None, signs(0, 0)),
        Mods::Vop3 { neg, abs, op_sel, .. } => {
            let high = op_sel & bit != 0 && matches!(ty, Type::Int16 | Type::Float16);
            (if high { SourceChange::HighHalf } else { SourceChange::None }, signs(neg, abs))
        }
        Mods::Vop3p { op_sel, op_sel_hi, neg_lo, neg_hi, .. } => {
            let (low, high) = (op_sel & bit != 0, op_sel_hi & bit != 0);
            match ty {
                Type::Mix if high => (SourceChange::Widen { high: low }, signs(neg_lo, neg_hi)),
                Type::Mix => (SourceChange::None, signs(neg_lo, neg_hi)),
                Type::PackedFloat => {
                    let flips = u32::from(neg_lo & bit != 0) << 15 | u32::from(neg_hi & bit != 0) << 31;
                    (SourceChange::Halves { low, high, flips }, signs(0, 0))
                }
                Type::PackedInt => (SourceChange::Halves { low, high, flips: 0 }, signs(0, 0)),
                Type::PackedFloat32 => {
                    let flips = [neg_lo, neg_hi].map(|neg| u32::from(neg & bit != 0) << 31);
                    (SourceChange::Registers { low, high, flips }, signs(0, 0))
                }
                Type::PackedInt32 => (SourceChange::Registers { low, high, flips: [0; 2] }, signs(0, 0)),
                Type::Float32 => (SourceChange::None, signs(neg_lo, 0)),
                _ => (SourceChange::None, signs(0, 0)),
            }
        }
        Mods::Sdwa(sdwa) => {
            let change = match sdwa.src_sel.get(index) {
                Some(sel) => SourceChange::Extract { sel: *sel, sext: sdwa.sext & bit != 0 },
                None => SourceChange::None,
            };
            (change, signs(sdwa.neg, sdwa.abs))
        }
        Mods::Dpp { ctrl, neg, abs, .. } => {
            (if index == 0 { SourceChange::Permute { ctrl } } else { SourceChange::None }, signs(neg, abs))
        }
        _ => (SourceChange::None, signs(0, 0)),
    }
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

fn change_sign(ty: Type, SignChange { neg, abs }: SignChange, lo: &mut Lanes, hi: &mut Lanes) {
    if !neg && !abs {
        return;
    }
    let (register, sign) = match ty {
        Type::Float16 => (lo, 0x8000),
        // Untyped operands of VOP3 (v_cndmask_b32, v_mov_b32) take the modifiers of floats.
        Type::Float32 | Type::Mix | Type::Int32 => (lo, 0x8000_0000),
        Type::Float64 => (hi, 0x8000_0000),
        _ => return,
    };
    let (keep, flip) = (if abs { !sign } else { !0 }, if neg { sign } else { 0 });
    register.0.iter_mut().for_each(|v| *v = (*v & keep) ^ flip);
}

/// SDWA source selection.
fn extract(sel: Sel, sext: bool, lanes: &mut Lanes) {
    if sel == Sel::Dword {
        return;
    }
    let (shift, width) = sel.bits();
    let left = 32 - shift - width;
    for v in &mut lanes.0 {
        *v = if sext { ((*v << left) as i32 >> (32 - width)) as u32 } else { *v << left >> (32 - width) };
    }
}

/// SDWA result placement.
fn insert(sdwa: Sdwa, old: &Lanes, lanes: &mut Lanes) {
    if sdwa.dst_sel == Sel::Dword {
        return;
    }
    let (shift, width) = sdwa.dst_sel.bits();
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

/// An 8-bit result at byte `index` beside what the register held.
fn keep_bytes(index: u8, old: &Lanes, lanes: &mut Lanes) {
    let shift = 8 * (index & 3);
    for (v, old) in lanes.0.iter_mut().zip(old.0) {
        *v = (*v & 0xff) << shift | old & !(0xff << shift);
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
        Type::PackedFloat32 => {
            for v in out.lo.0.iter_mut().chain(&mut out.hi.0) {
                *v = change(mode, changes, f32::from_bits(*v)).to_bits();
            }
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

/// No source lane: out of range, or not a DPP control.
pub const OUT_OF_RANGE: u8 = 0xff;

/// The lane that `lane` gets, by DPP control, or [`OUT_OF_RANGE`].
pub fn dpp_source(ctrl: usize, lane: usize) -> u8 {
    let (row, n, count) = (lane & !15, lane & 15, ctrl & 15);
    let source = match ctrl {
        0..=0xff => lane & !3 | ctrl >> (2 * (lane & 3)) & 3,
        0x101..=0x10f if n + count < 16 => lane + count,
        0x111..=0x11f if n >= count => lane - count,
        0x121..=0x12f => row + (n + 16 - count) % 16,
        0x130 if lane < 63 => lane + 1,
        0x134 => (lane + 1) % 64,
        0x138 if lane > 0 => lane - 1,
        0x13c => (lane + 63) % 64,
        0x140 => row + 15 - n,
        0x141 => lane ^ 7,
        0x142 if row > 0 => row - 1,
        0x143 if lane >= 32 => 31,
        0x150..=0x15f => row + count,
        _ => return OUT_OF_RANGE,
    };
    source as u8
}

/// The lane that each lane gets, by DPP control. The table is made at run time: the compiler takes seconds for it.
fn dpp_sources(ctrl: u16) -> &'static [u8; 64] {
    static ALL: OnceBox<Vec<[u8; 64]>> = OnceBox::new();
    let sources = |ctrl| std::array::from_fn(|lane| dpp_source(ctrl, lane));
    let all = ALL.get_or_init(|| Box::new((0..0x160).map(sources).collect()));
    all.get(usize::from(ctrl)).unwrap_or(&[OUT_OF_RANGE; 64])
}

/// DPP: every lane gets its source lane's value, 0 if that is out of range or disabled.
fn permute(ctrl: u16, enabled: u64, lanes: &mut Lanes) {
    let old = *lanes;
    for (v, from) in lanes.0.iter_mut().zip(dpp_sources(ctrl)) {
        let valid = *from != OUT_OF_RANGE && enabled >> (from & 63) & 1 != 0;
        *v = if valid { old.0[usize::from(from & 63)] } else { 0 };
    }
}

/// The lanes that a DPP instruction writes: enabled, in the row and bank masks, and with a source unless `bound_ctrl`
/// gives them 0.
fn dpp_writes(ctrl: u16, row_mask: u8, bank_mask: u8, bound_ctrl: bool, enabled: u64) -> u64 {
    let mut mask = 0;
    for (lane, from) in dpp_sources(ctrl).iter().enumerate() {
        let selected = row_mask >> (lane >> 4) & bank_mask >> (lane >> 2 & 3) & 1 != 0;
        let valid = *from != OUT_OF_RANGE && enabled >> (from & 63) & 1 != 0;
        mask |= u64::from(selected && (bound_ctrl || valid)) << lane;
    }
    mask & enabled
}
