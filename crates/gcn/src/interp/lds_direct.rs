//! The operand `src_lds_direct`: all lanes get the LDS value at the address in M0.
//!
//! M0\[15:0\] is the address, M0\[18:16\] the type (AMD's "Vega" instruction set manual, "LDS Direct Reads"). Waves
//! wait for each other by looking there, so it ends a wave's turn.

use crate::machine::context::{CoreFn, Flow, Lds, Machine, Stop};
use gcn_alu::valu;
use gcn_alu::wave::Wave;
use gcn_isa::inst::{Inst, Mods, Operand, Special};

const DIRECT: Operand = Operand::Special { reg: Special::LdsDirect, count: 1 };

/// The function of a vector instruction whose first source lies in LDS.
///
/// Others than the first, parts of the dword, and operations whose sources are reversed are not defined; LLVM refuses
/// them.
pub(crate) fn lower(inst: &Inst) -> Option<CoreFn> {
    let (first, others) = inst.src.split_first()?;
    let defined = *first == DIRECT && !others.contains(&DIRECT) && !matches!(inst.mods, Mods::Sdwa(_));
    let reversed = inst.op.mnemonic().contains("rev_");
    (defined && !reversed && valu::lower(&with_value(inst, 0)).is_some()).then_some(run)
}

fn with_value(inst: &Inst, value: u32) -> Inst {
    let mut with = *inst;
    with.src[0] = Operand::Literal(value);
    with
}

fn run(wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop> {
    let inst = with_value(inst, read(machine.lds, wave.m0())?);
    let run = valu::lower(&inst).ok_or(Stop::Illegal("it has no source in LDS"))?;
    run(wave, &inst);
    Ok(Flow::Pause)
}

fn read(lds: &Lds, m0: u32) -> Result<u32, Stop> {
    let at = m0 & 0xffff;
    let byte = || u8::from_le_bytes(lds.read(at));
    let short = || u16::from_le_bytes(lds.read(at & !1));
    Ok(match m0 >> 16 & 7 {
        0 => byte().into(),
        1 => short().into(),
        2 => lds.read32(at & !3),
        4 => byte() as i8 as u32,
        5 => short() as i16 as u32,
        _ => return Err(Stop::Illegal("M0 has a reserved type of the value in LDS")),
    })
}
