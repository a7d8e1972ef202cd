//! Bounds checks for the kernarg segment and for work-items' private memory. The hardware permits such accesses: the
//! bytes belong to other dispatches and other waves.

use crate::interp::smem;
use crate::machine::bus::{Access, MemoryFault};
use crate::machine::segments::{BEHIND_KERNARG, Segments};
use crate::sanitizer::report::Space;
use crate::sanitizer::trace::lds_operands::piece;
use crate::sanitizer::trace::scratch_operands::Private;
use gcn_alu::wave::{LANES, Wave, vector_index};
use gcn_isa::inst::{Format, Inst, Mods, Operand};

/// The first byte outside that an instruction is about to access, by the lowest lane that does.
#[derive(Clone, Copy)]
pub(crate) struct Outside {
    pub lane: Option<u8>,
    pub space: Space,
    pub fault: MemoryFault,
}

/// What `inst` is about to access outside. `None`: nothing.
pub(crate) fn outside(segments: &Segments, wave: &Wave, inst: &Inst) -> Option<Outside> {
    match inst.format {
        Format::Smem => scalar_argument(segments, wave, inst),
        Format::Global => vector_argument(segments, wave, inst),
        Format::Flat => vector_argument(segments, wave, inst).or_else(|| private_memory(segments, wave, inst)),
        Format::Scratch | Format::Mubuf => private_memory(segments, wave, inst),
        _ => None,
    }
}

/// A load at `address`, whose base is the arguments' address.
fn argument(segments: &Segments, address: u64, lane: Option<u8>) -> Option<Outside> {
    let end = u64::from(segments.kernarg_bytes);
    let is_behind = (end..end + BEHIND_KERNARG).contains(&address.wrapping_sub(segments.kernarg));
    is_behind.then_some(Outside {
        lane,
        space: Space::Kernarg { start: segments.kernarg, bytes: segments.kernarg_bytes },
        fault: MemoryFault { address, access: Access::Read, protection: false },
    })
}

/// A load that begins inside may read ahead.
fn scalar_argument(segments: &Segments, wave: &Wave, inst: &Inst) -> Option<Outside> {
    if !segments.is_kernarg(wave.read_scalar64(inst.src[0])) {
        return None;
    }
    argument(segments, smem::plain_load(wave, inst)?, None)
}

fn vector_argument(segments: &Segments, wave: &Wave, inst: &Inst) -> Option<Outside> {
    let ((Access::Read, _), Mods::Flat { offset, .. }) = (piece(inst.op)?, inst.mods) else { return None };
    let scalar = inst.src[1];
    let by_scalar = inst.format == Format::Global && scalar != Operand::None;
    if segments.kernarg_bytes == 0 || by_scalar && !segments.is_kernarg(wave.read_scalar64(scalar)) {
        return None;
    }
    let first = vector_index(inst.src[0])?;
    let (low, high) = (&wave.vgpr[first].0, &wave.vgpr[first + 1].0);
    lanes(wave.exec()).find_map(|lane| {
        let pair = u64::from(low[lane]) | u64::from(high[lane]) << 32;
        let address = match by_scalar {
            true => segments.kernarg.wrapping_add(low[lane].into()),
            false if segments.is_kernarg(pair) => pair,
            false => return None,
        };
        argument(segments, address.wrapping_add_signed(offset.into()), Some(lane as u8))
    })
}

fn private_memory(segments: &Segments, wave: &Wave, inst: &Inst) -> Option<Outside> {
    let private = Private::of(segments, wave, inst)?;
    // The last dword is a whole one.
    let end = u64::from(segments.private_bytes).next_multiple_of(4) as i64;
    private.lanes().find_map(|(lane, offset)| {
        let is_outside = offset < 0 || offset + i64::from(private.bytes) > end;
        let first = if offset < 0 { offset } else { offset.max(end) };
        is_outside.then_some(Outside {
            lane: Some(lane),
            space: Space::Private { bytes: segments.private_bytes },
            fault: MemoryFault { address: (first as u32).into(), access: private.access, protection: false },
        })
    })
}

fn lanes(mask: u64) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 != 0)
}
