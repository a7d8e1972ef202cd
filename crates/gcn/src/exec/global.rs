//! Which bytes of device memory an instruction is about to access, for devices that look for races there. What runs instructions does not say: it moves whole waves at once.

use super::access::Addresses;
use super::local::piece;
use super::smem;
use super::touch::{DWORD, Part, Touch};
use super::wave::{LANES, Wave};
use super::{buffer, flat};
use crate::bus::Access;
use crate::inst::{Cache, Format, Inst, Mods, Operand};

/// What `inst` accesses. `None`: nothing that is looked at. `parts` is an allocation to use.
pub(crate) fn touch(wave: &Wave, inst: &Inst, parts: impl FnOnce() -> Vec<Part>) -> Option<Touch> {
    if inst.format == Format::Smem {
        let (address, size, bytes) = smem::device_load(wave, inst)?;
        let inside = bytes.min(size);
        let dwords = bytes / DWORD;
        // Loads of three dwords are made ones of four, of five ones of eight: nobody uses the rest.
        let used = if dwords < 4 { dwords } else { dwords / 2 + 1 };
        let mut parts = parts();
        parts.extend((0..used.min(inside / DWORD)).map(|k| Part {
            address: address.wrapping_add(k * DWORD),
            bytes: 15,
            lane: 0,
        }));
        return Some(Touch { access: Access::Read, takes: false, parts });
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
    let mut parts = parts();
    add_parts(&mut parts, &addresses, bytes.into(), access);
    Some(Touch { access, takes, parts })
}

/// Adds the dwords of each lane's `bytes` bytes.
fn add_parts(parts: &mut Vec<Part>, addresses: &Addresses, bytes: u64, access: Access) {
    let stride = u64::from(addresses.stride);
    for lane in 0..LANES {
        // An atomic ignores the lowest bits.
        let aligned = if access == Access::Atomic { bytes } else { 1 };
        let start = addresses.at[lane] & !(aligned - 1);
        for k in 0..bytes.div_ceil(DWORD) {
            if addresses.mask[k as usize % 4] >> lane & 1 == 0 {
                continue;
            }
            let at = start.wrapping_add(k * stride);
            let (address, first) = (at & !(DWORD - 1), at % DWORD);
            let both = ((1u8 << bytes.min(DWORD)) - 1) << first;
            let lane = lane as u8;
            parts.push(Part { address, bytes: both & 15, lane });
            if both >> 4 != 0 {
                parts.push(Part { address: address.wrapping_add(DWORD), bytes: both >> 4, lane });
            }
        }
    }
}
