//! The initial registers of a wave.

use gcn_alu::simd::{Simd, simd};
use gcn_alu::wave::{ACCUMULATION, Lanes, Scalars, Wave};
use std::hint::black_box;

/// What a wave starts with.
pub(super) struct Registers<'a> {
    /// Scalar registers that all waves share.
    pub scalars: &'a Scalars,
    /// Vector and accumulation registers that it has.
    pub count: [usize; 2],
    /// How many of x, y and z of the work-item ids are in vector registers.
    pub ids: usize,
    /// They are all in the first one.
    pub packed: bool,
    /// Work-items of the work-group. A reference, because reading recently written partial values is slow.
    pub items: &'a [u32; 3],
    /// The work-item of lane 0.
    pub first: u32,
}

impl Registers<'_> {
    /// Sets them. What others the last wave left is still there.
    #[inline]
    pub fn set(&self, wave: &mut Wave) {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn avx512(registers: &Registers, wave: &mut Wave) {
            registers.set_here(wave);
        }
        match simd() {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the processor has what `simd` found.
            Simd::Avx512 => unsafe { avx512(self, wave) },
            _ => self.set_here(wave),
        }
    }

    #[inline(always)]
    fn set_here(&self, wave: &mut Wave) {
        let Registers { scalars, count: [count, accumulation], ids, packed, items, first } = *self;
        wave.sgpr = *scalars;
        // Real registers hold whatever the last wave left; zero makes runs repeatable.
        set_work_item_ids(&mut wave.vgpr[..ids], items, first);
        let mut set = ids;
        if packed && ids > 1 {
            pack_work_item_ids(&mut wave.vgpr[..ids]);
            set = 1;
        }
        // Those that nobody has touched still are zeros.
        let [touched, accumulated] = wave.touched;
        zero(&mut wave.vgpr[set..count.min(touched.max(ids))]);
        zero(&mut wave.vgpr[ACCUMULATION..][..accumulation.min(accumulated)]);
        wave.touched =
            [if touched > count { touched } else { ids }, if accumulated > accumulation { accumulated } else { 0 }];
    }
}

/// Not `fill`, which for some kilobytes is a string instruction that takes long to begin: what is stored is a zero that
/// the compiler does not know.
#[inline(always)]
fn zero(registers: &mut [Lanes]) {
    let zero = black_box([0; 16]);
    for register in registers {
        register.0.as_chunks_mut::<16>().0.iter_mut().for_each(|lanes| *lanes = zero);
    }
}

/// Puts the ids in two or three registers into the first, ten bits each.
#[inline(always)]
fn pack_work_item_ids(registers: &mut [Lanes]) {
    let (packed, others) = registers.split_at_mut(1);
    for (other, shift) in others.iter().zip([10, 20]) {
        for (packed, id) in packed[0].0.iter_mut().zip(other.0) {
            *packed |= id << shift;
        }
    }
}

/// Sets one to three registers to the work-item ids in x, y and z of the wave whose lane 0 is work-item `first` of a
/// work-group of `items`.
#[inline(always)]
fn set_work_item_ids(registers: &mut [Lanes], items: &[u32; 3], first: u32) {
    let (width, height) = (items[0].max(1), items[1].max(1));
    // Mostly the quotient is 0, and a division takes longer than all the rest.
    let divide = |value, divisor| if value < divisor { (0, value) } else { (value / divisor, value % divisor) };
    let (row, x) = divide(first, width);
    if x + 64 <= width {
        let (z, y) = divide(row, height);
        for (register, start) in registers.iter_mut().zip([x, y, z]) {
            register.0 = [start; 64];
        }
        for (i, lane) in registers[0].0.iter_mut().enumerate() {
            // Less than the work-group is wide. Wrapping, as checks keep this from being one of vectors.
            *lane = x.wrapping_add(i as u32);
        }
        return;
    }
    // A work-group has 1024 work-items at most, and the wave may go 63 past them: a product with a reciprocal that is
    // rounded up to 21 bits behind the point, shifted, is their exact quotient by any divisor up to 1024.
    let [by_width, by_height] = [width, height].map(|divisor| (1 << 21) / divisor + 1);
    let divide = |value: u32, by: u32| value.wrapping_mul(by) >> 21;
    let mut ids = [Lanes::ZERO; 3];
    for i in 0..64 {
        let item = first.wrapping_add(i as u32);
        let row = divide(item, by_width);
        let z = divide(row, by_height);
        ids[0].0[i] = item.wrapping_sub(row.wrapping_mul(width));
        ids[1].0[i] = row.wrapping_sub(z.wrapping_mul(height));
        ids[2].0[i] = z;
    }
    registers.copy_from_slice(&ids[..registers.len()]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_work_item_has_its_id() {
        for items in [
            [1, 1, 1],
            [64, 1, 1],
            [100, 1, 1],
            [1024, 1, 1],
            [16, 16, 1],
            [3, 5, 7],
            [1, 1024, 1],
            [7, 11, 13],
            [1, 1, 513],
            [128, 2, 4],
        ] {
            let total: u32 = items.iter().product();
            for first in (0..total).step_by(64) {
                let mut ids = [Lanes([u32::MAX; 64]); 3];
                set_work_item_ids(&mut ids, &items, first);
                let [x, y, z] = ids;
                for lane in 0..64 {
                    let item = first + lane as u32;
                    let id = (x.0[lane], y.0[lane], z.0[lane]);
                    assert_eq!(
                        id,
                        (item % items[0], item / items[0] % items[1], item / (items[0] * items[1])),
                        "{items:?} {item}"
                    );
                }
            }
        }
    }
}
