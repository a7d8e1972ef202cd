//! The bytes of private memory that an instruction will access, from its operands.

use crate::interp::{buffer, flat};
use crate::machine::bus::Access;
use crate::machine::segments::Segments;
use crate::sanitizer::trace::lds::{Kind, Touch};
use crate::sanitizer::trace::lds_operands::piece;
use gcn_alu::wave::{LANES, Wave};
use gcn_isa::inst::{Format, Inst};

/// The accesses of some lanes.
pub(crate) struct Private {
    pub access: Access,
    /// Bytes of a lane's.
    pub bytes: u8,
    mask: u64,
    /// Distance of each lane's device address from where the wave's private memory begins.
    distance: [i64; LANES],
}

impl Private {
    /// The private memory that `inst` is about to access. `None`: no access, or the wave has no private memory.
    pub fn of(segments: &Segments, wave: &Wave, inst: &Inst) -> Option<Private> {
        if segments.private_bytes == 0 || !matches!(inst.format, Format::Flat | Format::Scratch | Format::Mubuf) {
            return None;
        }
        let (access, bytes) = piece(inst.op)?;
        let (mask, at) = match inst.format {
            Format::Mubuf => buffer::private_lanes(wave, inst, access, &segments.scratch),
            _ => flat::private_lanes(wave, inst, access),
        }
        .ok()?;
        let start = segments.private.wrapping_add(u64::from(wave.index) * segments.private_step);
        Some(Private { access, bytes, mask, distance: at.map(|at| at.wrapping_sub(start) as i64) })
    }

    /// The lanes, the lowest first, and the offset of each in its own bytes.
    pub fn lanes(&self) -> impl Iterator<Item = (u8, i64)> {
        let offset = |distance: i64| distance >> 8 << 2 | distance & 3;
        (0..LANES).filter(|lane| self.mask >> lane & 1 != 0).map(move |lane| (lane as u8, offset(self.distance[lane])))
    }

    /// The accesses as bytes of a work-item, without the bytes before its private memory.
    pub fn touches(&self) -> impl Iterator<Item = Touch> {
        let kind = match self.access {
            Access::Write => Kind::Store,
            Access::Atomic => Kind::Atomic { returns: true },
            _ => Kind::Load,
        };
        let touch = move |(lane, offset): (u8, i64)| {
            Some(Touch { address: u32::try_from(offset).ok()?, bytes: self.bytes, lane, kind })
        };
        self.lanes().filter_map(touch)
    }
}
