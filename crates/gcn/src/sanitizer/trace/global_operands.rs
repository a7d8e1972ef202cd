//! The bytes of device memory that an instruction will access, from its operands. The interpreter does not report them,
//! because it moves whole waves at once.

use crate::interp::vmem::Addresses;
use crate::interp::{buffer, flat, smem};
use crate::machine::bus::Access;
use crate::sanitizer::race::shadow::Unit;
use crate::sanitizer::trace::global::{DWORD, Run, Touch};
use crate::sanitizer::trace::lds_operands::piece;
use gcn_alu::wave::Wave;
use gcn_isa::inst::{Cache, Format, Inst, Mods, Operand};

/// Bytes of the longest scalar load: all of them are the same lane's.
const SCALAR: Unit = Unit::new(64);

/// What `inst` accesses. `None`: nothing that is looked at. `runs` is an allocation to use.
pub(crate) fn touch(wave: &Wave, inst: &Inst, runs: impl FnOnce() -> Vec<Run>) -> Option<Touch> {
    if inst.format == Format::Smem {
        let (address, size, bytes) = smem::device_load(wave, inst)?;
        let inside = bytes.min(size) as u32 / DWORD;
        let dwords = bytes as u32 / DWORD;
        // Loads of three dwords are made ones of four, of five ones of eight: nobody uses the rest.
        let used = if dwords < 4 { dwords } else { dwords / 2 + 1 };
        let mut touch = Touch { access: Access::Read, takes: false, unit: SCALAR, runs: runs() };
        touch.push(address, used.min(inside) * DWORD, 0);
        return Some(touch);
    }
    let (access, bytes) = piece(inst.op)?;
    let cache = match inst.mods {
        Mods::Flat { cache, .. } | Mods::Buffer { cache, .. } => cache,
        _ => return None,
    };
    let takes = match access {
        Access::Atomic => inst.dst[0] != Operand::None,
        access => access == Access::Read && cache.has(Cache::COHERENT),
    };
    let addresses = match inst.format {
        Format::Global | Format::Flat => flat::memory_lanes(wave, inst, access),
        Format::Mubuf => buffer::memory_lanes(wave, inst, access, bytes),
        _ => return None,
    };
    let addresses = addresses.ok()?;
    let mut touch = Touch { access, takes, unit: Unit::new(bytes.into()), runs: runs() };
    add_runs(&mut touch, &addresses);
    Some(touch)
}

/// Adds each lane's bytes, those of neighbours together.
fn add_runs(touch: &mut Touch, addresses: &Addresses) {
    let Addresses { at, mask, stride } = addresses;
    let unit = touch.unit.bytes();
    // An atomic ignores the lowest bits.
    let ignored = if touch.access == Access::Atomic { u64::from(unit) - 1 } else { 0 };
    let dwords = unit.div_ceil(DWORD);
    let is_whole = dwords == 1 || *stride == DWORD && mask[1..dwords as usize].iter().all(|of| *of == mask[0]);
    let mut rest = mask[..dwords as usize].iter().fold(0, |all, of| all | of);
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        let start = at[lane] & !ignored;
        if !is_whole {
            for k in (0..dwords).filter(|k| mask[*k as usize] >> lane & 1 != 0) {
                touch.push(start.wrapping_add(u64::from(k) * u64::from(*stride)), DWORD, lane);
            }
            rest &= rest - 1;
            continue;
        }
        let most = (rest >> lane).trailing_ones() as usize;
        // Zero where a lane's bytes follow those of the one before.
        let gaps = at[lane..lane + most]
            .windows(2)
            .map(|two| (two[1] & !ignored).wrapping_sub(two[0] & !ignored) ^ u64::from(unit));
        // Mostly all do, which vectors find fast, or none.
        let lanes = match gaps.clone().next() {
            Some(0) if gaps.clone().fold(0, |all, gap| all | gap) == 0 => most,
            Some(0) => gaps.take_while(|gap| *gap == 0).count() + 1,
            _ => 1,
        };
        touch.push(start, lanes as u32 * unit, lane);
        rest &= !(u64::MAX >> (64 - lanes) << lane);
    }
}
