//! Modifier bits of image instructions.

use crate::interp::data_format::{Format, component_bits};
use crate::interp::vmem::element::insert_half;
use crate::machine::context::Stop;
use gcn_alu::wave::Wave;
use gcn_isa::inst::{Cache, Inst, Mods};

/// The modifiers that matter to execution. Caches are not modelled, and whether coordinates are normalised is the
/// sampler's to say if it is not `unorm`.
pub(crate) struct Modifiers {
    pub mask: u8,
    pub unnormalized: bool,
    pub cache: Cache,
    pub halves: bool,
    /// A register with the status of the fetch follows the data (`tfe` or `lwe`).
    pub status: bool,
    pub array: bool,
    pub d16: bool,
}

impl Modifiers {
    pub fn of(inst: &Inst) -> Result<Modifiers, Stop> {
        let Mods::Image { dmask, unorm, cache, a16, tfe, lwe, da, d16, .. } = inst.mods else {
            return Err(Stop::Illegal("not an image instruction"));
        };
        Ok(Modifiers { mask: dmask, unnormalized: unorm, cache, halves: a16, status: tfe || lwe, array: da, d16 })
    }

    /// Writes the components that `mask` selects to the registers from `first` on.
    #[inline(always)]
    pub fn write(&self, wave: &mut Wave, first: usize, lane: usize, format: Format, values: [u32; 4], mask: u8) {
        let selected = (0..4).filter(|i| mask >> i & 1 != 0).map(|i| values[i]);
        let (mut count, kept) = (0, wave.kept_bits());
        for (k, value) in selected.enumerate() {
            if self.d16 {
                let register = &mut wave.vgpr[first + k / 2].0[lane];
                // The low half is there already when the high one comes.
                let kept = if k % 2 == 0 { kept } else { u32::MAX };
                *register = insert_half(*register, kept, component_bits(format, value), k % 2 != 0);
                count = k / 2 + 1;
            } else {
                wave.vgpr[first + k].0[lane] = value;
                count = k + 1;
            }
        }
        if count == 0 {
            // Nothing is fetched, and one register is 0.
            wave.vgpr[first].0[lane] = 0;
            count = 1;
        }
        if self.status {
            // Everything that an image contains is there: there are no sparse images.
            wave.vgpr[first + count].0[lane] = 0;
        }
    }

    /// The components in registers; components outside the mask are 0.
    pub fn read(&self, wave: &Wave, first: usize, lane: usize, format: Format) -> [u32; 4] {
        let mut values = [0; 4];
        let selected = values.iter_mut().enumerate().filter(|(i, _)| self.mask >> i & 1 != 0);
        for (k, (_, value)) in selected.enumerate() {
            *value = if self.d16 {
                format.widen((wave.vgpr[first + k / 2].0[lane] >> (16 * (k % 2))) as u16)
            } else {
                wave.vgpr[first + k].0[lane]
            };
        }
        values
    }
}
