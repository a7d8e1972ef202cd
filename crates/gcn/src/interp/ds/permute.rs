//! Lane permutations through the LDS crossbar.

use crate::interp::ds::operands::{offsets, write_active};
use crate::interp::vmem;
use crate::interp::vmem::vector;
use crate::machine::context::{Flow, Machine, Stop};
use gcn_alu::simd::{Vectored, lookup, vectored};
use gcn_alu::wave::{LANES, Lanes, Wave};
use gcn_isa::inst::Inst;

/// Every active lane sends; lanes that none sends to get 0. Of several senders the highest lane wins.
pub(super) fn permute(wave: &mut Wave, inst: &Inst, _: &mut Machine) -> Result<Flow, Stop> {
    let (address, data, first) = (vector(inst.src[0])?, vector(inst.src[1])?, vector(inst.dst[0])?);
    let (offset, _) = offsets(inst);
    let exec = wave.exec();
    let mut sent = [0; LANES];
    vmem::lanes(exec, |i| {
        let to = wave.vgpr[address].0[i].wrapping_add(offset) >> 2 & 63;
        sent[to as usize] = wave.vgpr[data].0[i];
        Ok::<(), Stop>(())
    })?;
    write_active(wave, first, &sent);
    Ok(Flow::Next)
}

/// Every active lane fetches from another; inactive ones give 0.
pub(super) fn bpermute(wave: &mut Wave, inst: &Inst, _: &mut Machine) -> Result<Flow, Stop> {
    vectored(Bpermute { wave, inst })
}

struct Bpermute<'a> {
    wave: &'a mut Wave,
    inst: &'a Inst,
}

impl Vectored for Bpermute<'_> {
    type Out = Result<Flow, Stop>;
    #[inline(always)]
    fn run(self) -> Result<Flow, Stop> {
        let Bpermute { wave, inst } = self;
        let (address, data, first) = (vector(inst.src[0])?, vector(inst.src[1])?, vector(inst.dst[0])?);
        let (offset, _) = offsets(inst);
        let from = Lanes(wave.vgpr[address].0.map(|address| address.wrapping_add(offset) >> 2));
        let fetched = fetch(wave, data, &from);
        write_active(wave, first, &fetched.0);
        Ok(Flow::Next)
    }
}

/// What each lane finds in the lane `from` of a register, where inactive lanes have 0.
#[inline(always)]
fn fetch(wave: &Wave, register: usize, from: &Lanes) -> Lanes {
    let exec = wave.exec();
    if exec == u64::MAX {
        return lookup(&wave.vgpr[register], from);
    }
    let mut sent = wave.vgpr[register];
    sent.0.iter_mut().enumerate().for_each(|(i, lane)| *lane &= 0u32.wrapping_sub((exec >> i) as u32 & 1));
    lookup(&sent, from)
}

/// The lane that `lane` fetches from, by the offset field of `ds_swizzle_b32`.
fn swizzle_source(pattern: u32, lane: usize) -> usize {
    let group = lane & !31;
    let lane32 = (lane & 31) as u32;
    if pattern & 0xe000 == 0xe000 {
        // FFT: the number of the lane is reversed, but for the high bits in the mask, which stay.
        let mask = pattern & 31;
        let reversed = lane32.reverse_bits() >> 27 >> mask.count_ones();
        return group | (reversed | lane32 & mask) as usize;
    }
    if pattern & 0xe000 == 0xc000 {
        // Rotate within 32 lanes; lanes whose mask bit is set keep their place.
        let (left, amount, mask) = (pattern >> 10 & 1 == 0, pattern >> 5 & 31, pattern & 31);
        let turned = if left { lane32.wrapping_add(amount) } else { lane32.wrapping_sub(amount) } & 31;
        return group | (lane32 & mask | turned & !mask & 31) as usize;
    }
    if pattern & 0x8000 != 0 {
        // Full permutation within groups of four.
        return lane & !3 | (pattern >> (2 * (lane & 3)) & 3) as usize;
    }
    let (and, or, xor) = (pattern & 31, pattern >> 5 & 31, pattern >> 10 & 31);
    group | ((lane32 & and | or) ^ xor) as usize
}

pub(super) fn swizzle(wave: &mut Wave, inst: &Inst, _: &mut Machine) -> Result<Flow, Stop> {
    let (source, first) = (vector(inst.src[0])?, vector(inst.dst[0])?);
    let (pattern, _) = offsets(inst);
    let from = Lanes(std::array::from_fn(|lane| swizzle_source(pattern, lane) as u32));
    let fetched = fetch(wave, source, &from);
    write_active(wave, first, &fetched.0);
    Ok(Flow::Next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swizzle_patterns() {
        // Swap neighbours; broadcast lane 0 of each 32; quad permutation 3,2,1,0; rotate left by one.
        assert_eq!(swizzle_source(0x1f | 1 << 10, 6), 7);
        assert_eq!(swizzle_source(0, 45), 32);
        assert_eq!(swizzle_source(0x8000 | 0b00_01_10_11, 5), 6);
        assert_eq!(swizzle_source(0xc000 | 1 << 5, 31), 0);
        assert_eq!(swizzle_source(0xe000, 1), 16);
    }
}
