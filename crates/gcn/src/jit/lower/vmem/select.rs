//! Which instructions are compiled.

use crate::jit::lower::vmem::{Access, Element, Space};
use gcn_alu::wave::{ACCUMULATION, reg, scalar_index, vector_index};
use gcn_isa::inst::{Format, Inst, Mods, Operand};
use gcn_isa::op::Op;

impl Access {
    /// `None` if `inst` is not compiled.
    pub fn of(inst: &Inst) -> Option<Access> {
        let access = match inst.format {
            Format::Ds => Access::of_lds(inst),
            Format::Global | Format::Flat => Access::of_device(inst),
            Format::Mubuf => Access::of_buffer(inst),
            _ => None,
        }?;
        let registers = access.element.registers();
        let exists = |first: usize| first % ACCUMULATION + registers <= ACCUMULATION;
        let is_stored = access.is_load || access.element.row().is_some();
        (is_stored && access.parts.iter().all(|&(_, first)| exists(first))).then_some(access)
    }

    fn of_lds(inst: &Inst) -> Option<Access> {
        let Mods::Ds { offset0, offset1, gds: false } = inst.mods else { return None };
        let (element, is_load, scale) = lds_operation(inst.op)?;
        let address = vector_index(inst.src[0])?;
        let first = vector_index(if is_load { inst.dst[0] } else { inst.src[1] })?;
        let offsets = (i32::from(offset0), i32::from(offset1));
        let parts = match scale {
            0 => vec![(offsets.0, first)],
            // Equal offsets ask for one store.
            _ if !is_load && offsets.0 == offsets.1 => vec![(offsets.0 * scale, first)],
            _ => {
                let second = if is_load { first + element.registers() } else { vector_index(inst.src[2])? };
                vec![(offsets.0 * scale, first), (offsets.1 * scale, second)]
            }
        };
        Some(Access { space: Space::Lds, address, parts, element, is_load })
    }

    fn of_device(inst: &Inst) -> Option<Access> {
        let Mods::Flat { offset, lds: false, .. } = inst.mods else { return None };
        let (element, is_load) = device_operation(inst.op)?;
        let scalar = match inst.format {
            Format::Flat => Operand::None,
            _ => inst.src[if is_load { 1 } else { 2 }],
        };
        let base = match scalar {
            Operand::None => None,
            scalar => Some(scalar_index(scalar).filter(|index| *index < 127)?),
        };
        let first = vector_index(if is_load { inst.dst[0] } else { inst.src[1] })?;
        let address = vector_index(inst.src[0])?;
        Some(Access { space: Space::Device { base }, address, parts: vec![(offset.into(), first)], element, is_load })
    }

    fn of_buffer(inst: &Inst) -> Option<Access> {
        let Mods::Buffer { offset, offen: true, idxen: false, lds: false, tfe: false, .. } = inst.mods else {
            return None;
        };
        let (element, is_load) = buffer_operation(inst.op)?;
        let [address, resource, scalar] = *inst.src[if is_load { 0 } else { 1 }..].first_chunk()?;
        let first = vector_index(if is_load { inst.dst[0] } else { inst.src[0] })?;
        let resource = scalar_index(resource).filter(|index| index + 3 <= reg::EXEC)?;
        let mut offset = i32::from(offset);
        let scalar = match scalar {
            Operand::None => None,
            Operand::Int(constant) => {
                offset += i32::from(u8::try_from(constant).ok()?);
                None
            }
            register => Some(scalar_index(register)?),
        };
        let space = Space::Buffer { resource, scalar };
        Some(Access { space, address: vector_index(address)?, parts: vec![(offset, first)], element, is_load })
    }
}

/// The element, whether it is a load, and what offsets of two elements are multiplied with: 0 if there is one.
fn lds_operation(op: Op) -> Option<(Element, bool, i32)> {
    use Element::{Byte, Dwords, Short};
    Some(match op {
        Op::DsReadU8 => (Byte { signed: false }, true, 0),
        Op::DsReadI8 => (Byte { signed: true }, true, 0),
        Op::DsReadU16 => (Short { signed: false }, true, 0),
        Op::DsReadI16 => (Short { signed: true }, true, 0),
        Op::DsReadB32 => (Dwords(1), true, 0),
        Op::DsReadB64 => (Dwords(2), true, 0),
        Op::DsReadB96 => (Dwords(3), true, 0),
        Op::DsReadB128 => (Dwords(4), true, 0),
        Op::DsRead2B32 => (Dwords(1), true, 4),
        Op::DsRead2st64B32 => (Dwords(1), true, 256),
        Op::DsRead2B64 => (Dwords(2), true, 8),
        Op::DsRead2st64B64 => (Dwords(2), true, 512),
        Op::DsWriteB8 => (Byte { signed: false }, false, 0),
        Op::DsWriteB16 => (Short { signed: false }, false, 0),
        Op::DsWriteB32 => (Dwords(1), false, 0),
        Op::DsWriteB64 => (Dwords(2), false, 0),
        Op::DsWriteB128 => (Dwords(4), false, 0),
        Op::DsWrite2B32 => (Dwords(1), false, 4),
        Op::DsWrite2st64B32 => (Dwords(1), false, 256),
        Op::DsWrite2B64 => (Dwords(2), false, 8),
        Op::DsWrite2st64B64 => (Dwords(2), false, 512),
        _ => return None,
    })
}

/// The element, and whether it is a load.
fn device_operation(op: Op) -> Option<(Element, bool)> {
    use Element::{Byte, Dwords, Short};
    Some(match op {
        Op::GlobalLoadUbyte | Op::FlatLoadUbyte => (Byte { signed: false }, true),
        Op::GlobalLoadSbyte | Op::FlatLoadSbyte => (Byte { signed: true }, true),
        Op::GlobalLoadUshort | Op::FlatLoadUshort => (Short { signed: false }, true),
        Op::GlobalLoadSshort | Op::FlatLoadSshort => (Short { signed: true }, true),
        Op::GlobalLoadDword | Op::FlatLoadDword => (Dwords(1), true),
        Op::GlobalLoadDwordx2 | Op::FlatLoadDwordx2 => (Dwords(2), true),
        Op::GlobalLoadDwordx3 | Op::FlatLoadDwordx3 => (Dwords(3), true),
        Op::GlobalLoadDwordx4 | Op::FlatLoadDwordx4 => (Dwords(4), true),
        Op::GlobalStoreByte | Op::FlatStoreByte => (Byte { signed: false }, false),
        Op::GlobalStoreShort | Op::FlatStoreShort => (Short { signed: false }, false),
        Op::GlobalStoreDword | Op::FlatStoreDword => (Dwords(1), false),
        Op::GlobalStoreDwordx2 | Op::FlatStoreDwordx2 => (Dwords(2), false),
        Op::GlobalStoreDwordx4 | Op::FlatStoreDwordx4 => (Dwords(4), false),
        _ => return None,
    })
}

/// The same.
fn buffer_operation(op: Op) -> Option<(Element, bool)> {
    use Element::{Byte, Dwords, Short};
    Some(match op {
        Op::BufferLoadUbyte => (Byte { signed: false }, true),
        Op::BufferLoadSbyte => (Byte { signed: true }, true),
        Op::BufferLoadUshort => (Short { signed: false }, true),
        Op::BufferLoadSshort => (Short { signed: true }, true),
        Op::BufferLoadDword => (Dwords(1), true),
        Op::BufferLoadDwordx2 => (Dwords(2), true),
        Op::BufferLoadDwordx3 => (Dwords(3), true),
        Op::BufferLoadDwordx4 => (Dwords(4), true),
        Op::BufferStoreByte => (Byte { signed: false }, false),
        Op::BufferStoreShort => (Short { signed: false }, false),
        Op::BufferStoreDword => (Dwords(1), false),
        Op::BufferStoreDwordx2 => (Dwords(2), false),
        Op::BufferStoreDwordx4 => (Dwords(4), false),
        _ => return None,
    })
}
