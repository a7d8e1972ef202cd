//! Detects loads of uninitialised device memory by the [`poison`] pattern that such memory holds.

use crate::interp::{buffer, flat, smem};
use crate::machine::bus::{Access, MemoryFault, Path};
use crate::machine::memory::Memory;
use crate::machine::segments::Segments;
use crate::sanitizer::report::{Checks, poison};
use crate::sanitizer::trace::lds_operands::piece;
use gcn_alu::simd::{Simd, simd};
use gcn_alu::wave::{LANES, Wave};
use gcn_isa::inst::{Format, Inst};

/// What the lanes of an instruction do to device memory.
struct Accesses {
    access: Access,
    /// Bytes of a lane's.
    bytes: u8,
    mask: u64,
    at: [u64; LANES],
    path: Path,
}

impl Accesses {
    fn of(segments: &Segments, wave: &Wave, inst: &Inst) -> Option<Accesses> {
        let (access, bytes) = piece(inst.op)?;
        let (mask, at, path) = match inst.format {
            Format::Flat | Format::Global => flat::device_lanes(wave, inst, access),
            Format::Mubuf => buffer::device_lanes(wave, inst, access, bytes, &segments.scratch),
            _ => return None,
        }
        .ok()?;
        let path = if access == Access::Atomic { Path::Coherent } else { path };
        Some(Accesses { access, bytes, mask, at, path })
    }

    fn lanes(&self, mask: u64) -> impl Iterator<Item = (u8, u64)> {
        (0..LANES).filter(move |lane| mask >> lane & 1 != 0).map(|lane| (lane as u8, self.at[lane]))
    }

    /// The lanes that may find poison: mostly none, which is quickly seen where all of them are in one window.
    fn possible(&self, memory: &mut Memory) -> u64 {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn avx512(accesses: &Accesses, memory: &mut Memory) -> u64 {
            accesses.possible_here(memory)
        }
        match simd() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has what `simd` found.
            Simd::Avx512 => unsafe { avx512(self, memory) },
            _ => self.possible_here(memory),
        }
    }

    /// Each loop is one that vectors can do.
    #[inline(always)]
    fn possible_here(&self, memory: &mut Memory) -> u64 {
        let Some(&first) = self.at.get(self.mask.trailing_zeros() as usize) else { return 0 };
        // Lanes that do nothing are taken to do what the first one does that does something.
        let mut dwords = [0; LANES];
        for (lane, (dword, at)) in dwords.iter_mut().zip(self.at).enumerate() {
            *dword = if self.mask >> lane & 1 != 0 { at } else { first } & !3;
        }
        let in_row = |(lane, at): (u64, &u64)| at ^ dwords[0].wrapping_add(4 * lane);
        let are_in_row = (0..).zip(&dwords).fold(0, |all, lane| all | in_row(lane)) == 0;
        let (start, end) = match are_in_row {
            true => (dwords[0], dwords[LANES - 1]),
            false => dwords.iter().fold((u64::MAX, 0), |(start, end), at| (start.min(*at), end.max(*at))),
        };
        let length = end.wrapping_sub(start).saturating_add(4);
        // Offsets have 32 bits.
        if length > u32::MAX.into() {
            return self.mask;
        }
        let Ok(Some(host)) = memory.find(start, length, Access::Read) else { return self.mask };
        let (mut offsets, mut found) = ([0; LANES], [0; LANES]);
        if are_in_row {
            host.copy_out(0, &mut found);
        } else {
            for (offset, at) in offsets.iter_mut().zip(dwords) {
                *offset = (at - start) as u32;
            }
            host.gather32(&offsets, &mut found);
        }
        let mut are_poison = [false; LANES];
        for (is_poison, (at, found)) in are_poison.iter_mut().zip(dwords.into_iter().zip(found)) {
            *is_poison = poison(at) == found;
        }
        if are_poison == [false; LANES] {
            return 0;
        }
        are_poison.iter().enumerate().fold(0, |all, (lane, is)| all | u64::from(*is) << lane) & self.mask
    }
}

/// The first load or atomic of an instruction that is about to find nothing that somebody has written: its lane and its
/// first byte.
///
/// Of a byte or a half-word, nobody has written the dword around it either: too many values are the same as a byte of
/// the poison.
pub(crate) fn unwritten(
    segments: &Segments,
    wave: &Wave,
    inst: &Inst,
    memory: &mut Memory,
    checks: &dyn Checks,
) -> Option<(Option<u8>, MemoryFault)> {
    let fault = |address, access| MemoryFault { address, access, protection: false };
    if inst.format == Format::Smem {
        let (at, size, bytes) = smem::device_load(wave, inst)?;
        return through(memory, Path::Scalar, |memory| is_unwritten(memory, checks, at, size.min(bytes)))
            .then(|| (None, fault(at, Access::Read)));
    }
    if matches!(piece(inst.op)?, (Access::Write, _)) {
        return None;
    }
    let accesses = Accesses::of(segments, wave, inst)?;
    let (access, bytes) = (accesses.access, u64::from(accesses.bytes));
    through(memory, accesses.path, |memory| {
        let mask = accesses.possible(memory);
        accesses.lanes(mask).find(|&(_, at)| is_unwritten(memory, checks, at, bytes))
    })
    .map(|(lane, at)| (Some(lane), fault(at, access)))
}

/// Notes which dwords a store of bytes or half-words has written a part of that is the same as in their poison. Of
/// whole dwords one in 2^32 is.
pub(crate) fn note_stores(segments: &Segments, wave: &Wave, inst: &Inst, memory: &mut Memory, checks: &dyn Checks) {
    if piece(inst.op).is_none_or(|(access, bytes)| access != Access::Write || bytes >= 4) {
        return;
    }
    let Some(accesses) = Accesses::of(segments, wave, inst) else { return };
    through(memory, accesses.path, |memory| {
        let ends = |at: u64| [at & !3, at.wrapping_add(u64::from(accesses.bytes) - 1) & !3];
        let mut before = None;
        for dword in accesses.lanes(accesses.mask).flat_map(|(_, at)| ends(at)) {
            // Neighbours write to the same one.
            if before.replace(dword) != Some(dword) && is_poison(memory, dword) {
                checks.wrote_poison(dword);
            }
        }
    });
}

/// What `access` gives, which goes through `path`.
fn through<T>(memory: &mut Memory, path: Path, access: impl FnOnce(&mut Memory) -> T) -> T {
    memory.path = path;
    let result = access(memory);
    memory.path = Path::Vector;
    result
}

fn is_poison(memory: &mut Memory, dword: u64) -> bool {
    memory.read32(dword).is_ok_and(|value| value == poison(dword))
}

fn is_unwritten(memory: &mut Memory, checks: &dyn Checks, at: u64, bytes: u64) -> bool {
    let dwords = || (at & !3..at.saturating_add(bytes)).step_by(4);
    bytes != 0 && dwords().all(|dword| is_poison(memory, dword)) && dwords().all(|dword| checks.is_unwritten(dword))
}
