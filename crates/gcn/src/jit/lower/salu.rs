//! Scalar instructions as machine code: sources from the wave's registers in memory, results there.

use crate::jit::x64::assembler::{Code, RAX, RCX, SCC, SGPR};
use gcn_alu::wave::{inline_f32, inline_f64, reg, scalar_index};
use gcn_isa::inst::{Format, Inst, Operand};
use gcn_isa::op::Op;

/// What SCC becomes, as the condition of the host that says so.
#[derive(Clone, Copy)]
enum Scc {
    Keep,
    /// Whether the result is not zero.
    NotZero,
    /// Whether this condition of the host holds.
    Host(u8),
}

const CARRY: Scc = Scc::Host(0x92);
const OVERFLOW: Scc = Scc::Host(0x90);

/// What is done with `a` in RAX and `b` in RCX, the result in RAX.
#[derive(Clone, Copy)]
enum Work {
    /// `a`.
    Move,
    /// An instruction `opcode a, b`.
    Binary(&'static [u8]),
    /// The same with `b` inverted.
    BinaryNot(u8),
    /// The same, and its result inverted.
    NotBinary(u8),
    Not,
    /// `a` by the low bits of `b`: which one is in the opcode.
    Shift(u8),
    /// The sum with SCC.
    AddCarry,
    /// The difference less SCC.
    SubBorrow,
    /// The high half of the product.
    MulHigh,
    /// Nothing but SCC.
    Compare,
    /// `a` if SCC is set, else `b`.
    Select,
    /// EXEC becomes what the instruction makes of `a` and EXEC, the destination what EXEC was.
    SaveExec(&'static Work),
}

/// A scalar instruction that is compiled.
pub(crate) struct Scalar {
    work: Work,
    scc: Scc,
    wide: bool,
    a: Source,
    b: Source,
    to: Option<u8>,
}

/// A scalar register or a number.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    Register(u8),
    Constant(u64),
}

impl Source {
    /// `wide`: of 64 bits. `None` if it is neither.
    pub fn of(operand: Operand, wide: bool) -> Option<Source> {
        if let Some(index) = scalar_index(operand) {
            return (index < 127 || !wide).then_some(Source::Register(index as u8));
        }
        Some(Source::Constant(match operand {
            Operand::Int(value) if wide => i64::from(value) as u64,
            Operand::Int(value) => u64::from(i32::from(value) as u32),
            Operand::Float(code) if wide => inline_f64(code),
            Operand::Float(code) => u64::from(inline_f32(code)),
            Operand::Literal(value) => u64::from(value),
            Operand::None => 0,
            _ => return None,
        }))
    }

    /// Appends code that loads it to a register of the host.
    pub fn load(self, code: &mut Code, wide: bool, to: u8) {
        match self {
            Source::Register(index) => code.scalar(wide, &[0x8b], to, SGPR, 4 * i32::from(index)),
            Source::Constant(value) => code.constant(to, value),
        }
    }
}

impl Scalar {
    /// `None` if `inst` is not compiled.
    pub fn of(inst: &Inst) -> Option<Scalar> {
        let (work, scc, wide) = work(inst.op)?;
        let [a, b] = match (inst.dst[0], inst.src) {
            // An immediate of SOPK is next to its register, which may be the destination too.
            (to, [Operand::Imm(k), ..]) if inst.op == Op::SMovkI32 => {
                let value = Source::Constant(u64::from(k as i16 as u32));
                let to = u8::try_from(scalar_index(to)?).ok()?;
                return Some(Scalar { work, scc, wide, a: value, b: value, to: Some(to) });
            }
            (to, [Operand::Imm(k), ..]) if inst.op == Op::SAddkI32 => {
                let index = u8::try_from(scalar_index(to)?).ok()?;
                let (a, b) = (Source::Register(index), Source::Constant(u64::from(k as i16 as u32)));
                return Some(Scalar { work, scc, wide, a, b, to: Some(index) });
            }
            (_, [register, Operand::Imm(k), ..]) if inst.format == Format::Sopk => {
                let signed = !inst.op.mnemonic().ends_with("u32");
                let k = if signed { k as i16 as u32 } else { u32::from(k as u16) };
                [Source::of(register, wide)?, Source::Constant(k.into())]
            }
            (_, [a, b, ..]) => [Source::of(a, wide)?, Source::of(b, wide && !matches!(work, Work::Shift(_)))?],
        };
        let to = match work {
            Work::Compare => None,
            _ => Some(u8::try_from(scalar_index(inst.dst[0])?).ok().filter(|index| *index < 127 || !wide)?),
        };
        let saves = matches!(work, Work::SaveExec(_));
        // EXEC would be written twice.
        if saves && to.is_some_and(|index| usize::from(index) + 2 > reg::EXEC) {
            return None;
        }
        Some(Scalar { work, scc, wide, a, b, to })
    }

    /// Scalar registers that it reads: the first ones, and whether the next ones too.
    pub fn reads(&self) -> impl Iterator<Item = (u8, bool)> {
        let exec = matches!(self.work, Work::SaveExec(_)).then_some((reg::EXEC as u8, true));
        let register = |source| match source {
            Source::Register(index) => Some((index, self.wide)),
            Source::Constant(_) => None,
        };
        [register(self.a), register(self.b), exec].into_iter().flatten()
    }

    /// As [`Scalar::reads`], those that it writes.
    pub fn writes(&self) -> impl Iterator<Item = (u8, bool)> {
        let exec = matches!(self.work, Work::SaveExec(_)).then_some((reg::EXEC as u8, true));
        [self.to.map(|to| (to, self.wide)), exec].into_iter().flatten()
    }

    /// Appends the code.
    pub fn emit(&self, code: &mut Code) {
        let Scalar { work, scc, wide, a, b, to } = *self;
        a.load(code, wide, RAX);
        match work {
            Work::Move | Work::Not => {}
            Work::SaveExec(_) => Source::Register(reg::EXEC as u8).load(code, true, RCX),
            _ => b.load(code, wide, RCX),
        }
        let mut to = to;
        let mut work = work;
        if let Work::SaveExec(inner) = work {
            if let Some(index) = to {
                code.scalar(true, &[0x89], RCX, SGPR, 4 * i32::from(index));
            }
            to = Some(reg::EXEC as u8);
            work = *inner;
        }
        work.emit(code, wide);
        match scc {
            Scc::Keep => {}
            Scc::NotZero => {
                code.between(wide, &[0x85], RAX, RAX);
                set_scc(code, 0x95);
            }
            Scc::Host(condition) => set_scc(code, condition),
        }
        if let Some(index) = to {
            code.scalar(wide, &[0x89], RAX, SGPR, 4 * i32::from(index));
        }
    }
}

/// `setcc [SCC]`.
fn set_scc(code: &mut Code, condition: u8) {
    code.raw(&[0x0f, condition, SCC]);
}

impl Work {
    fn emit(self, code: &mut Code, wide: bool) {
        match self {
            Work::Move | Work::SaveExec(_) => {}
            Work::Binary(opcode) => code.between(wide, opcode, RAX, RCX),
            Work::BinaryNot(opcode) => {
                code.between(wide, &[0xf7], 2, RCX);
                code.between(wide, &[opcode], RAX, RCX);
            }
            Work::NotBinary(opcode) => {
                code.between(wide, &[opcode], RAX, RCX);
                code.between(wide, &[0xf7], 2, RAX);
            }
            Work::Not => code.between(wide, &[0xf7], 2, RAX),
            Work::Shift(digit) => code.between(wide, &[0xd3], digit, RAX),
            Work::AddCarry => {
                // movzx r8d, byte [SCC]; add r8b, 255, which carries if it was 1; adc
                code.raw(&[0x44, 0x0f, 0xb6, SCC, 0x41, 0x80, 0xc0, 0xff]);
                code.between(wide, &[0x13], RAX, RCX);
            }
            Work::SubBorrow => {
                code.raw(&[0x44, 0x0f, 0xb6, SCC, 0x41, 0x80, 0xc0, 0xff]);
                code.between(wide, &[0x1b], RAX, RCX);
            }
            Work::MulHigh => {
                // What was loaded as 32 bits has zeros above.
                code.between(true, &[0x0f, 0xaf], RAX, RCX);
                code.raw(&[0x48, 0xc1, 0xe8, 32]);
            }
            Work::Compare => code.between(wide, &[0x3b], RAX, RCX),
            Work::Select => {
                // cmp byte [SCC], 0; cmove
                code.raw(&[0x80, 0x38 | SCC, 0]);
                code.between(wide, &[0x0f, 0x44], RAX, RCX);
            }
        }
    }
}

fn work(op: Op) -> Option<(Work, Scc, bool)> {
    use Scc::{Host, Keep, NotZero};
    use Work::*;
    const AND: u8 = 0x23;
    const OR: u8 = 0x0b;
    const XOR: u8 = 0x33;
    Some(match op {
        Op::SMovB32 | Op::SMovkI32 => (Move, Keep, false),
        Op::SMovB64 => (Move, Keep, true),
        Op::SNotB32 => (Not, NotZero, false),
        Op::SNotB64 => (Not, NotZero, true),
        Op::SAndB32 => (Binary(&[AND]), NotZero, false),
        Op::SAndB64 => (Binary(&[AND]), NotZero, true),
        Op::SOrB32 => (Binary(&[OR]), NotZero, false),
        Op::SOrB64 => (Binary(&[OR]), NotZero, true),
        Op::SXorB32 => (Binary(&[XOR]), NotZero, false),
        Op::SXorB64 => (Binary(&[XOR]), NotZero, true),
        Op::SAndn2B32 => (BinaryNot(AND), NotZero, false),
        Op::SAndn2B64 => (BinaryNot(AND), NotZero, true),
        Op::SOrn2B32 => (BinaryNot(OR), NotZero, false),
        Op::SOrn2B64 => (BinaryNot(OR), NotZero, true),
        Op::SNandB64 => (NotBinary(AND), NotZero, true),
        Op::SNorB64 => (NotBinary(OR), NotZero, true),
        Op::SXnorB64 => (NotBinary(XOR), NotZero, true),
        Op::SAndSaveexecB64 => (SaveExec(&Binary(&[AND])), NotZero, true),
        Op::SOrSaveexecB64 => (SaveExec(&Binary(&[OR])), NotZero, true),
        Op::SXorSaveexecB64 => (SaveExec(&Binary(&[XOR])), NotZero, true),
        Op::SAndn2SaveexecB64 => (SaveExec(&BinaryNot(AND)), NotZero, true),
        Op::SOrn2SaveexecB64 => (SaveExec(&BinaryNot(OR)), NotZero, true),
        Op::SAddU32 => (Binary(&[0x03]), CARRY, false),
        Op::SAddI32 | Op::SAddkI32 => (Binary(&[0x03]), OVERFLOW, false),
        Op::SSubU32 => (Binary(&[0x2b]), CARRY, false),
        Op::SSubI32 => (Binary(&[0x2b]), OVERFLOW, false),
        Op::SAddcU32 => (AddCarry, CARRY, false),
        Op::SSubbU32 => (SubBorrow, CARRY, false),
        Op::SMulHiU32 => (MulHigh, Keep, false),
        Op::SMulI32 => (Binary(&[0x0f, 0xaf]), Keep, false),
        Op::SLshlB32 => (Shift(4), NotZero, false),
        Op::SLshrB32 => (Shift(5), NotZero, false),
        Op::SAshrI32 => (Shift(7), NotZero, false),
        Op::SLshlB64 => (Shift(4), NotZero, true),
        Op::SLshrB64 => (Shift(5), NotZero, true),
        Op::SCselectB32 => (Select, Keep, false),
        Op::SCselectB64 => (Select, Keep, true),
        Op::SCmpEqI32 | Op::SCmpEqU32 => (Compare, Host(0x94), false),
        Op::SCmpLgI32 | Op::SCmpLgU32 => (Compare, Host(0x95), false),
        Op::SCmpGtI32 => (Compare, Host(0x9f), false),
        Op::SCmpGeI32 => (Compare, Host(0x9d), false),
        Op::SCmpLtI32 => (Compare, Host(0x9c), false),
        Op::SCmpLeI32 => (Compare, Host(0x9e), false),
        Op::SCmpGtU32 => (Compare, Host(0x97), false),
        Op::SCmpGeU32 => (Compare, Host(0x93), false),
        Op::SCmpLtU32 => (Compare, Host(0x92), false),
        Op::SCmpLeU32 => (Compare, Host(0x96), false),
        Op::SCmpkEqI32 => (Compare, Host(0x94), false),
        Op::SCmpkLgI32 => (Compare, Host(0x95), false),
        Op::SCmpkGtI32 => (Compare, Host(0x9f), false),
        Op::SCmpkGeI32 => (Compare, Host(0x9d), false),
        Op::SCmpkLtI32 => (Compare, Host(0x9c), false),
        Op::SCmpkLeI32 => (Compare, Host(0x9e), false),
        Op::SCmpkGtU32 => (Compare, Host(0x97), false),
        Op::SCmpkGeU32 => (Compare, Host(0x93), false),
        Op::SCmpkLtU32 => (Compare, Host(0x92), false),
        Op::SCmpkLeU32 => (Compare, Host(0x96), false),
        Op::SCmpkEqU32 => (Compare, Host(0x94), false),
        Op::SCmpkLgU32 => (Compare, Host(0x95), false),
        Op::SCmpEqU64 => (Compare, Host(0x94), true),
        Op::SCmpLgU64 => (Compare, Host(0x95), true),
        _ => return None,
    })
}
