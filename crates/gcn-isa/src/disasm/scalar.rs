//! Prints scalar instructions: SOP1, SOP2, SOPC, SOPK, SOPP and SMEM.

use std::fmt::{self, Display, Formatter};

use crate::disasm::operand::{Constant, single, sources};
use crate::disasm::{List, destinations, text};
use crate::inst::{Format, Inst, Mods, Operand};
use crate::op::{Kind, Op, flags};
use crate::target::Target;

impl Inst {
    pub(super) fn scalar(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.op.mnemonic())?;
        let mut list = List::new(f);
        // An atomic returns into its data registers, which are written once.
        let in_place = self.op.info().has(flags::ATOMIC);
        for operand in destinations(self).filter(|_| !in_place) {
            list.item(operand)?;
        }
        for (i, (operand, kind)) in sources(self).enumerate() {
            match (operand, kind) {
                (_, Kind::Soffset) => return self.smem_offset(list, i),
                (Operand::Imm(0), Kind::Imm) if self.op == Op::SEndpgm => {}
                (Operand::Imm(value), Kind::Imm) => list.item(self.immediate(value))?,
                (Operand::Literal(value), Kind::Literal) => list.item(text(move |f| single(f, value)))?,
                _ => list.item(Constant(operand, kind))?,
            }
        }
        self.smem_bits(f)
    }

    fn smem_offset(&self, mut list: List<'_, '_>, at: usize) -> fmt::Result {
        let hex = |value: i32| {
            let sign = if value < 0 { "-" } else { "" };
            text(move |f| write!(f, "{sign}{:#x}", value.unsigned_abs()))
        };
        match (self.src[at], self.src.get(at + 1)) {
            (Operand::Imm(value), _) => list.item(hex(value))?,
            (register, Some(&Operand::Imm(value))) => {
                list.item(format_args!("{register} offset:{}", hex(value)))?;
            }
            (register, _) => list.item(register)?,
        }
        self.smem_bits(list.f)
    }

    fn smem_bits(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // Probes, cache controls and clocks do not read or write at an address.
        let info = self.op.info();
        let kinds = [info.dst[0], info.src[0], info.src[1], info.src[2]];
        let moves = kinds[1] != Kind::Imm && kinds.iter().filter(|kind| kind.words() != 0).count() >= 2;
        match self.mods {
            Mods::Smem { glc: true, .. } if moves => f.write_str(" glc"),
            _ => Ok(()),
        }
    }

    /// The immediate field as this operation reads it.
    fn immediate(&self, value: i32) -> impl Display {
        let (op, target) = (self.op, self.target);
        let format = self.format;
        text(move |f| match op {
            Op::SWaitcnt => waitcnt(f, value as u16),
            Op::SSendmsg | Op::SSendmsghalt => message(f, value as u16),
            Op::SGetregB32 | Op::SSetregB32 | Op::SSetregImm32B32 => hardware_register(f, target, value as u16),
            Op::SSetGprIdxOn | Op::SSetGprIdxMode => index_mode(f, value as u16),
            Op::SEndpgm | Op::SBranch | Op::SCbranchIFork | Op::SCallB64 => write!(f, "{}", value as u16),
            Op::SCbranchScc0 | Op::SCbranchScc1 | Op::SCbranchVccz | Op::SCbranchVccnz => write!(f, "{}", value as u16),
            Op::SCbranchExecz | Op::SCbranchExecnz => write!(f, "{}", value as u16),
            Op::SCbranchCdbgsys | Op::SCbranchCdbguser => write!(f, "{}", value as u16),
            Op::SCbranchCdbgsysAndUser | Op::SCbranchCdbgsysOrUser => write!(f, "{}", value as u16),
            _ if format == Format::Sopk => write!(f, "{:#x}", value as u16),
            _ => single(f, u32::from(value as u16)),
        })
    }
}

/// Counters that are to be waited for; all of them if none is limited.
fn waitcnt(f: &mut Formatter<'_>, value: u16) -> fmt::Result {
    let counters = [
        ("vmcnt", value & 0xf | value >> 10 & 0x30, 0x3f),
        ("expcnt", value >> 4 & 7, 7),
        ("lgkmcnt", value >> 8 & 0xf, 0xf),
    ];
    let all = counters.iter().all(|&(_, count, max)| count == max);
    let mut separator = "";
    for (name, count, max) in counters {
        if all || count != max {
            write!(f, "{separator}{name}({count})")?;
            separator = " ";
        }
    }
    Ok(())
}

fn message(f: &mut Formatter<'_>, value: u16) -> fmt::Result {
    const GS: [&str; 4] = ["GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"];
    let (id, op, stream) = (value & 0xf, value >> 4 & 7, value >> 8 & 3);
    let gs = |op: u16| GS.get(usize::from(op)).copied();
    let name = match id {
        1 => "MSG_INTERRUPT",
        2 => "MSG_GS",
        3 => "MSG_GS_DONE",
        4 => "MSG_SAVEWAVE",
        5 => "MSG_STALL_WAVE_GEN",
        6 => "MSG_HALT_WAVES",
        7 => "MSG_ORDERED_PS_DONE",
        8 => "MSG_EARLY_PRIM_DEALLOC",
        9 => "MSG_GS_ALLOC_REQ",
        10 => "MSG_GET_DOORBELL",
        15 => "MSG_SYSMSG",
        _ => "",
    };
    match (id, op, stream) {
        (2 | 3, 1..=3, _) => write!(f, "sendmsg({name}, {}, {stream})", gs(op).unwrap_or_default()),
        (3, 0, 0) => write!(f, "sendmsg({name}, {})", GS[0]),
        (15, 1, 0) => write!(f, "sendmsg({name}, SYSMSG_OP_ECC_ERR_INTERRUPT)"),
        (15, 2, 0) => write!(f, "sendmsg({name}, SYSMSG_OP_REG_RD)"),
        (15, 4, 0) => write!(f, "sendmsg({name}, SYSMSG_OP_TTRACE_PC)"),
        (1 | 4..=10, 0, 0) => write!(f, "sendmsg({name})"),
        _ if value & !0x37f == 0 => write!(f, "sendmsg({id}, {op}, {stream})"),
        _ => write!(f, "{value}"),
    }
}

fn hardware_register(f: &mut Formatter<'_>, target: Target, value: u16) -> fmt::Result {
    let (id, offset, width) = (value & 0x3f, value >> 6 & 0x1f, (value >> 11) + 1);
    f.write_str("hwreg(")?;
    match id {
        1 => f.write_str("HW_REG_MODE")?,
        2 => f.write_str("HW_REG_STATUS")?,
        3 => f.write_str("HW_REG_TRAPSTS")?,
        4 => f.write_str("HW_REG_HW_ID")?,
        5 => f.write_str("HW_REG_GPR_ALLOC")?,
        6 => f.write_str("HW_REG_LDS_ALLOC")?,
        7 => f.write_str("HW_REG_IB_STS")?,
        15 => f.write_str("HW_REG_SH_MEM_BASES")?,
        16 => f.write_str("HW_REG_TBA_LO")?,
        17 => f.write_str("HW_REG_TBA_HI")?,
        18 => f.write_str("HW_REG_TMA_LO")?,
        19 => f.write_str("HW_REG_TMA_HI")?,
        20..=24 if target.properties().xcc_id => f.write_str(
            [
                "HW_REG_XCC_ID",
                "HW_REG_SQ_PERF_SNAPSHOT_DATA",
                "HW_REG_SQ_PERF_SNAPSHOT_DATA1",
                "HW_REG_SQ_PERF_SNAPSHOT_PC_LO",
                "HW_REG_SQ_PERF_SNAPSHOT_PC_HI",
            ][usize::from(id - 20)],
        )?,
        _ => write!(f, "{id}")?,
    }
    if (offset, width) != (0, 32) {
        write!(f, ", {offset}, {width}")?;
    }
    f.write_str(")")
}

fn index_mode(f: &mut Formatter<'_>, value: u16) -> fmt::Result {
    if value > 0xf {
        return write!(f, "{value:#x}");
    }
    let names = ["SRC0", "SRC1", "SRC2", "DST"];
    let chosen: Vec<&str> = (0..4).filter(|i| value >> i & 1 != 0).map(|i| names[i]).collect();
    write!(f, "gpr_idx({})", chosen.join(","))
}
