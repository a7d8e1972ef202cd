//! Vector instructions that are compiled.
//!
//! `table` says which operations, `source` what modifiers do to their sources and `place` to their results, `emit` what
//! the machine code of each is.

use crate::jit::lower::valu::dpp::Row;
use crate::jit::lower::valu::fp::Floats;
use crate::jit::lower::valu::lanewise::Lanewise;
use crate::jit::lower::valu::operand::Change;
use crate::jit::lower::valu::packed::packed;
use crate::jit::lower::valu::patterns::{Form, Kept, Operation, byte, form};
use crate::jit::lower::valu::result::{ONE, Place};
use crate::jit::lower::valu::ty::Type;
use crate::jit::x64::avx512::MUL_F;
use crate::jit::x64::strip::{Strip, TEMPORARY};
use gcn_alu::wave::{ACCUMULATION, reg, scalar_index, vector_index};
use gcn_isa::inst::{DstUnused, Inst, Mods, Operand, Sdwa};
use gcn_isa::op::Op;

pub(crate) use crate::jit::x64::source::Source;

mod divide;
mod dpp;
mod emit;
mod emit_ctx;
mod f64;
mod fp;
mod fp_class;
mod int64;
pub(crate) mod lanewise;
mod operand;
mod packed;
mod patterns;
mod predicate;
mod result;
mod transcendental;
mod ty;

impl Lanewise {
    /// `None` if `inst` is not compiled. `flushes`: denormals of f32 are zero. The host then takes denormal sources for
    /// zero, of f64 too, so those are left out; packed f32 and mixed ones are too.
    pub fn of(inst: &Inst, flushes: bool) -> Option<Lanewise> {
        let Form { operation, from, to: result, accumulates, keeps } = form(inst.op)?;
        if flushes && (matches!(from, Type::Double | Type::Mix | Type::PackedFloat) || result == Type::Double) {
            return None;
        }
        let takes_mask = matches!(
            operation,
            Operation::Select | Operation::AddCarry { carries: true } | Operation::SubBorrow { borrows: true, .. }
        );
        let is_compare = matches!(
            operation,
            Operation::Compare(..) | Operation::CompareWide(..) | Operation::CompareDouble(_) | Operation::Class(_)
        );
        let gives_mask = is_compare
            || matches!(
                operation,
                Operation::AddCarry { .. } | Operation::SubBorrow { .. } | Operation::MadWide | Operation::DivScale(_)
            );
        let numbers = if takes_mask { &inst.src[..2] } else { &inst.src[..3] };
        let mut sources = [Source::Constant(0); 3];
        for (i, (source, operand)) in sources.iter_mut().zip(numbers).enumerate() {
            let is_word = i == 1 && matches!(operation, Operation::ScaleDouble | Operation::Class(_));
            if *operand != Operand::None {
                *source = Source::of(*operand, if is_word { Type::Integer } else { from })?;
            }
        }
        let pair = |operand: Operand| {
            let index = scalar_index(operand).filter(|index| index.is_multiple_of(2))?;
            u8::try_from(index).ok()
        };
        let mask_in = match operation {
            Operation::DivFmas => Some(reg::VCC as u8),
            _ if takes_mask => Some(pair(inst.src[2])?),
            _ => None,
        };
        let mask_out = if gives_mask {
            // Not EXEC, nor what is next to it.
            Some(pair(inst.dst[usize::from(!is_compare)]).filter(|pair| *pair <= 122)?)
        } else {
            None
        };
        let to = if is_compare { None } else { Some(vector_index(inst.dst[0])? as u16) };
        let is_vector = |source: &Source| matches!(source, Source::Vector(_));
        // Of other constants the high half would be a question of their kind.
        let is_wide = |source| match source {
            Source::Vector(_) | Source::Constant(0) => true,
            Source::Scalar(index) => index.is_multiple_of(2),
            Source::Constant(_) | Source::Wide(_) => false,
        };
        let is_whole = |operand: &Operand| match Source::of(*operand, Type::Wide) {
            Some(Source::Constant(_)) => matches!(operand, Operand::Int(_)),
            Some(source) => source.next().is_some(),
            None => false,
        };
        match operation {
            Operation::Class(Floats::Double) if !is_vector(&sources[0]) => return None,
            // No encoding has others.
            Operation::ToDouble(_) if !matches!(inst.mods, Mods::None | Mods::Vop3 { .. }) => return None,
            Operation::ShiftLeft64 if !is_vector(&sources[1]) => return None,
            Operation::MadWide if !is_wide(sources[2]) => return None,
            // Of integers the sign goes on in the high half.
            Operation::CompareWide(..) if !inst.src[..2].iter().all(is_whole) => return None,
            Operation::Field { .. } if !matches!(sources[1..], [Source::Constant(_), Source::Constant(_)]) => {
                return None;
            }
            _ => {}
        }
        let mut changes = source_changes(inst, from)?;
        let flushes = flushes && matches!(result, Type::Float | Type::PackedFloat);
        let place = Place { flushes, ..place(inst, result, keeps)? };
        if let Operation::DivScale(_) = operation
            && place.clamps
        {
            return None;
        }
        // No encoding has accumulation registers there.
        if place.unused == DstUnused::Preserve && to.is_some_and(|to| usize::from(to) >= ACCUMULATION) {
            return None;
        }
        let second = second(inst, from, &sources);
        if from == Type::PackedWord || from == Type::PackedFloat {
            let low = |i: usize| if packed_mods(inst).0 >> i & 1 != 0 { behind(sources[i]) } else { sources[i] };
            sources = [low(0), low(1), low(2)];
        }
        if let Some(sel) = byte(inst.op) {
            if changes[0] != Change::NONE {
                return None;
            }
            changes[0] = changes[0].selected(sel, false);
        }
        let row = Row::of(inst.mods).filter(|_| is_vector(&sources[0]));
        if changes[0].moved && row.is_none() {
            return None;
        }
        let mut operation = operation;
        if accumulates {
            // What modifiers say is not said of it.
            sources[2] = Source::Vector(to?);
            changes[2] = Change::of(from);
            if let Operation::Fmac = operation
                && !place.is_whole()
            {
                operation = Operation::Fma;
            }
        }
        // Scaled back, a sum of f64 is rounded where no arithmetic of the host rounds.
        let unless = (inst.op == Op::VDivFmasF64).then_some(reg::VCC as u8);
        Some(Lanewise { operation, to, sources, changes, second, row, place, mask_in, mask_out, unless })
    }

    /// Appends the code for a strip.
    pub fn emit(&self, lanes: &mut Strip) {
        let (Some(row), Source::Vector(first)) = (self.row, self.sources[0]) else {
            return self.emit_enabled(lanes);
        };
        let (register, quarter) = (lanes.register(first), lanes.number());
        lanes.begin_part();
        row.begin(lanes, register, quarter);
        self.emit_enabled(lanes);
        lanes.end_part();
    }

    /// The same where lanes are enabled.
    fn emit_enabled(&self, lanes: &mut Strip) {
        if let Some((sources, changes)) = self.second {
            return packed(self, &Lanewise { sources, changes, ..*self }, lanes);
        }
        let (Some((instruction, first, rm, immediate)), Some(to)) = (self.operation.emit(self, lanes), self.to) else {
            return;
        };
        if self.place.is_whole() {
            lanes.write(to, instruction, first, rm, immediate);
            if self.place.flushes {
                let result = lanes.register(to);
                lanes.change(to, MUL_F, result, ONE, None);
            }
            return;
        }
        let [value, ..] = TEMPORARY;
        lanes.all(instruction, value, first, rm, immediate);
        self.place.write(lanes, value, to);
    }
}

/// What modifiers do to the sources. `None` if that is not compiled.
fn source_changes(inst: &Inst, from: Type) -> Option<[Change; 3]> {
    let plain = Change::of(from);
    let bit = |mask: u8, i: usize| mask >> i & 1 != 0;
    let has_signs = matches!(from, Type::Float | Type::Half | Type::Double);
    Some(match inst.mods {
        Mods::None => [plain; 3],
        Mods::Vop3 { neg, abs, op_sel, .. } if has_signs || neg | abs == 0 => {
            std::array::from_fn(|i| plain.high(from == Type::Half && bit(op_sel, i)).signs(bit(neg, i), bit(abs, i)))
        }
        Mods::Vop3p { op_sel, op_sel_hi, neg_lo, neg_hi, .. } => std::array::from_fn(|i| match from {
            Type::Mix => {
                let widens = bit(op_sel_hi, i);
                Change { widens, ..plain.high(widens && bit(op_sel, i)) }.signs(bit(neg_lo, i), bit(neg_hi, i))
            }
            Type::PackedFloat => plain.signs(bit(neg_lo, i), false),
            Type::PackedHalf => plain.high(bit(op_sel, i)).signs(bit(neg_lo, i), false),
            _ => plain,
        }),
        Mods::Sdwa(Sdwa { src_sel, sext, neg, abs, .. })
            if matches!(from, Type::Integer | Type::Float | Type::Half) && (has_signs || neg | abs == 0) =>
        {
            std::array::from_fn(|i| match src_sel.get(i) {
                Some(sel) => plain.selected(*sel, bit(sext, i)).signs(bit(neg, i), bit(abs, i)),
                None => plain.signs(bit(neg, i), bit(abs, i)),
            })
        }
        Mods::Dpp { neg, abs, .. }
            if matches!(from, Type::Integer | Type::Float | Type::Half) && (has_signs || neg | abs == 0) =>
        {
            std::array::from_fn(|i| Change { moved: i == 0, ..plain }.signs(bit(neg, i), bit(abs, i)))
        }
        _ => return None,
    })
}

/// What modifiers do to the result. `None` if that is not compiled. In the modes that regions are for, an output
/// modifier does nothing.
fn place(inst: &Inst, result: Type, keeps: Option<Kept>) -> Option<Place> {
    let word = |high: bool, unused| (if high { 16 } else { 0 }, 16, unused);
    let narrows = result.is_half();
    let usual = match keeps {
        Some(kept) => word(kept == Kept::Low, DstUnused::Preserve),
        None => (0, 32, DstUnused::Pad),
    };
    let (clamps, (shift, width, unused)) = match inst.mods {
        Mods::None | Mods::Dpp { .. } => (false, usual),
        Mods::Vop3 { clamp, op_sel, .. } if op_sel & 8 != 0 && result == Type::Half => {
            (clamp, word(true, DstUnused::Preserve))
        }
        Mods::Vop3 { op_sel, .. } if op_sel & 8 != 0 => return None,
        Mods::Vop3 { clamp, .. } | Mods::Vop3p { clamp, .. } => (clamp, usual),
        Mods::Sdwa(Sdwa { dst_sel, dst_unused, clamp, .. }) => {
            let (shift, width) = dst_sel.bits();
            (clamp, (shift, width, if width == 32 { DstUnused::Pad } else { dst_unused }))
        }
        _ => return None,
    };
    (!clamps || result.is_float()).then_some(Place { flushes: false, clamps, narrows, shift, width, unused })
}

/// Which of two each source of a packed instruction is, by bits, for the first and for the second result.
fn packed_mods(inst: &Inst) -> (u8, u8) {
    match inst.mods {
        Mods::Vop3p { op_sel, op_sel_hi, .. } => (op_sel, op_sel_hi),
        _ => (0, 7),
    }
}

/// The second of two numbers: a constant has none.
fn behind(source: Source) -> Source {
    source.next().unwrap_or(Source::Constant(0))
}

/// Sources of a packed instruction's second result, if it is one.
fn second(inst: &Inst, from: Type, sources: &[Source; 3]) -> Option<([Source; 3], [Change; 3])> {
    let (low, high) = packed_mods(inst);
    let neg = if let Mods::Vop3p { neg_hi, .. } = inst.mods { neg_hi } else { 0 };
    let bit = |mask: u8, i: usize| mask >> i & 1 != 0;
    let of_pair = |i: usize, second: bool| if second { behind(sources[i]) } else { sources[i] };
    Some(match from {
        Type::PackedFloat => (
            std::array::from_fn(|i| of_pair(i, bit(high, i))),
            std::array::from_fn(|i| Change::NONE.signs(bit(neg, i), false)),
        ),
        Type::PackedHalf => {
            (*sources, std::array::from_fn(|i| Change::of(from).high(bit(high, i)).signs(bit(neg, i), false)))
        }
        // The first one's second result is the second one's first.
        Type::PackedWord => ([of_pair(1, bit(low, 1)), sources[1], sources[2]], [Change::NONE; 3]),
        _ => return None,
    })
}
