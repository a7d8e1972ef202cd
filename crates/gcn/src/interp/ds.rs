//! DS: the local data share, and the lane permutations that use its crossbar.

use crate::interp::ds::load_store::{read, read_addtid, read_part, read2, write, write_addtid, write_part, write2};
use crate::interp::ds::permute::{bpermute, permute, swizzle};
use crate::interp::ds::rmw::{append, atomic32, atomic64, conditional_exchange, exchange2, source2_32, source2_64};
pub(crate) use crate::interp::ds::rmw::{read_modify_write, source2_addresses};
use crate::interp::vmem;
use crate::interp::vmem::element::{Byte, High, Part, Short};
use crate::machine::context::{CoreFn, Flow, Stop};
use gcn_isa::inst::{Inst, Mods};
use gcn_isa::op::Op;

mod load_store;
pub(crate) mod operands;
mod permute;
mod rmw;

/// The function of a DS instruction.
pub(crate) fn lower(inst: &Inst) -> Option<CoreFn> {
    use Op::*;
    if let Some(sync) = crate::interp::gws::lower(inst) {
        return Some(sync);
    }
    if let Mods::Ds { gds: true, .. } = inst.mods {
        return Some(|_, _, _| Err(Stop::Illegal("there is no global data share")));
    }
    Some(match inst.op {
        DsNop => |_, _, _| Ok(Flow::Next),
        DsReadB32 => read::<1>,
        DsReadB64 => read::<2>,
        DsReadB96 => read::<3>,
        DsReadB128 => read::<4>,
        DsReadU8 => read_part::<Byte>,
        DsReadU16 => read_part::<Short>,
        DsReadI8 => |w, i, m| vmem::load_part(read_part::<Byte>, w, i, m, Part::Signed8),
        DsReadI16 => |w, i, m| vmem::load_part(read_part::<Short>, w, i, m, Part::Signed16),
        DsReadU8D16 => |w, i, m| vmem::load_part(read_part::<Byte>, w, i, m, Part::Low),
        DsReadU8D16Hi => |w, i, m| vmem::load_part(read_part::<Byte>, w, i, m, Part::High),
        DsReadI8D16 => |w, i, m| vmem::load_part(read_part::<Byte>, w, i, m, Part::LowSigned8),
        DsReadI8D16Hi => |w, i, m| vmem::load_part(read_part::<Byte>, w, i, m, Part::HighSigned8),
        DsReadU16D16 => |w, i, m| vmem::load_part(read_part::<Short>, w, i, m, Part::Low),
        DsReadU16D16Hi => |w, i, m| vmem::load_part(read_part::<Short>, w, i, m, Part::High),
        DsWriteB32 => write::<1>,
        DsWriteB64 => write::<2>,
        DsWriteB96 => write::<3>,
        DsWriteB128 => write::<4>,
        DsWriteB8 => write_part::<Byte>,
        DsWriteB16 => write_part::<Short>,
        DsWriteB8D16Hi => write_part::<High<Byte>>,
        DsWriteB16D16Hi => write_part::<High<Short>>,
        DsRead2B32 => read2::<1, 4>,
        DsRead2st64B32 => read2::<1, 256>,
        DsRead2B64 => read2::<2, 8>,
        DsRead2st64B64 => read2::<2, 512>,
        DsWrite2B32 => write2::<1, 4>,
        DsWrite2st64B32 => write2::<1, 256>,
        DsWrite2B64 => write2::<2, 8>,
        DsWrite2st64B64 => write2::<2, 512>,
        DsWrxchg2RtnB32 => exchange2::<1, 4>,
        DsWrxchg2st64RtnB32 => exchange2::<1, 256>,
        DsWrxchg2RtnB64 => exchange2::<2, 8>,
        DsWrxchg2st64RtnB64 => exchange2::<2, 512>,
        DsPermuteB32 => permute,
        DsBpermuteB32 => bpermute,
        DsSwizzleB32 => swizzle,
        DsReadAddtidB32 => read_addtid,
        DsWriteAddtidB32 => write_addtid,
        DsAppend => append::<true>,
        DsConsume => append::<false>,
        DsCondxchg32RtnB64 => conditional_exchange,
        op => {
            let (_, wide, source2) = read_modify_write(op)?;
            match (wide, source2) {
                (false, false) => atomic32,
                (true, false) => atomic64,
                (false, true) => source2_32,
                (true, true) => source2_64,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcn_isa::inst::Operand;

    #[test]
    fn every_lds_operation_has_a_function() {
        for &op in Op::ALL {
            let name = op.mnemonic();
            let info = op.info();
            if info.format != gcn_isa::inst::Format::Ds || info.has(gcn_isa::op::flags::GDS) {
                continue;
            }
            let inst = Inst {
                op,
                format: info.format,
                target: info.targets[0],
                len: 8,
                dst: [Operand::None; 2],
                src: [Operand::None; 4],
                mods: Mods::Ds { offset0: 0, offset1: 0, gds: false },
            };
            assert!(lower(&inst).is_some(), "{name}");
        }
    }
}
