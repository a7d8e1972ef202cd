//! Loads and stores single texels.

use crate::interp::image::descriptor::Image;
use crate::machine::bus::Access;
use crate::machine::memory::{Fault, Memory};

/// The components of a texel that the image contains, in the order of memory.
#[inline(always)]
pub(super) fn read(image: &Image, memory: &mut Memory, texel: [u32; 3]) -> Result<[u32; 4], Fault> {
    let (at, count) = (image.address(texel), image.format.bytes());
    let mut bytes = [0; 16];
    match memory.find(at, count as u64, Access::Read)? {
        Some(host) if count % 4 == 0 => {
            for (i, dword) in bytes.chunks_exact_mut(4).enumerate().take(count / 4) {
                dword.copy_from_slice(&host.read32(i * 4).to_le_bytes());
            }
        }
        Some(host) if count == 2 => bytes[..2].copy_from_slice(&host.read16(0).to_le_bytes()),
        _ => {
            for (i, byte) in bytes.iter_mut().enumerate().take(count) {
                *byte = memory.read8(at.wrapping_add(i as u64))?;
            }
        }
    }
    Ok(image.format.decode(&bytes))
}

/// Writes the components of a texel that the image contains, in the order of registers.
pub(super) fn write(image: &Image, memory: &mut Memory, texel: [u32; 3], values: [u32; 4]) -> Result<(), Fault> {
    let (at, count) = (image.address(texel), image.format.bytes());
    let bytes = image.format.encode(image.format.arrange(values, image.select));
    match memory.find(at, count as u64, Access::Write)? {
        Some(host) if count % 4 == 0 => {
            for (i, dword) in bytes.chunks_exact(4).enumerate().take(count / 4) {
                host.write32(i * 4, u32::from_le_bytes([dword[0], dword[1], dword[2], dword[3]]));
            }
        }
        Some(host) if count == 2 => host.write16(0, u16::from_le_bytes([bytes[0], bytes[1]])),
        _ => {
            // All of it first: a texel that faults does not change.
            for i in 0..count as u64 {
                memory.find(at.wrapping_add(i), 1, Access::Write)?;
            }
            for (i, &byte) in bytes.iter().enumerate().take(count) {
                memory.write8(at.wrapping_add(i as u64), byte)?;
            }
        }
    }
    Ok(())
}
