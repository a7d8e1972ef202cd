//! Vector instructions whose lanes have nothing to do with each other, as machine code for a strip of lanes at a time:
//! 16 with AVX-512, eight with AVX2.
//!
//! A phase is a row of such instructions. All of it is done for a strip of the wave before the next strip begins, so
//! that registers stay in registers of the host from one instruction to the next: what is loaded from the wave is
//! loaded once, and what is written is stored once. That needs no lane to see another one's results, which only a
//! scalar source could have: a phase ends in front of an instruction that reads a mask of the same phase as a number.

use crate::jit::live::Live;
use crate::jit::lower::salu::Scalar;
use crate::jit::lower::valu::lanewise::Lanewise;
use crate::jit::x64::assembler::{ALL, Code, RAX, RCX, SGPR};
use crate::jit::x64::strip::{MASKS, Strip, Width};
use gcn_alu::wave::reg;

/// Registers of the host in which masks of the whole wave are put together.
const WHOLE: [u8; MASKS.len()] = [RCX, 8, 9, 10, 11];

/// Instructions that are done strip by strip.
#[derive(Default)]
pub(crate) struct Phase {
    instructions: Vec<Lanewise>,
    /// First registers of the pairs of scalar registers that are read or written as masks.
    masks: Vec<u8>,
    written: Vec<u8>,
    /// What is still read behind the last instruction, if there is one.
    live: Option<Live>,
}

impl Phase {
    /// Whether `next` can be done in this phase.
    pub fn takes(&self, next: &Lanewise) -> bool {
        let overlaps = |a: u8, b: u8| a.abs_diff(b) < 2;
        let reads_number = |index: u8| self.written.iter().any(|&pair| index == pair || index == pair + 1);
        let numbers = next.scalars().any(reads_number);
        let pairs = || next.masks();
        let torn = pairs().any(|pair| self.masks.iter().any(|&known| known != pair && overlaps(known, pair)));
        let new = pairs().filter(|pair| !self.masks.contains(pair)).count();
        !numbers && !torn && self.masks.len() + new <= MASKS.len()
    }

    /// Whether `next` takes lanes from its row of 16 and what is here does not, or the reverse.
    pub fn is_apart(&self, next: &Lanewise) -> bool {
        self.instructions.first().is_some_and(|first| first.row.is_some() != next.row.is_some())
    }

    /// Whether a scalar instruction that comes next can be done before the phase, with the same results.
    pub fn lets_pass(&self, next: &Scalar) -> bool {
        let overlaps =
            |(first, is_pair): (u8, bool), other: u8| first <= other + 1 && other <= first + u8::from(is_pair);
        // Some numbers are in two registers.
        let reads = |registers| {
            self.instructions.iter().flat_map(Lanewise::scalars).any(|index| overlaps(registers, index))
                || self.masks.iter().any(|&pair| overlaps(registers, pair))
                || overlaps(registers, reg::EXEC as u8)
        };
        let writes = |registers| self.written.iter().any(|&pair| overlaps(registers, pair));
        !next.writes().any(reads) && !next.reads().any(writes)
    }

    /// `live`: what is still read behind it.
    pub fn push(&mut self, next: Lanewise, live: Live) {
        self.live = Some(live);
        for pair in next.masks() {
            if !self.masks.contains(&pair) {
                self.masks.push(pair);
            }
        }
        if let Some(pair) = next.mask_out.filter(|pair| !self.written.contains(pair)) {
            self.written.push(pair);
        }
        self.instructions.push(next);
    }

    /// Appends the machine code, if there is anything to do, and is empty again.
    pub fn emit(&mut self, code: &mut Code) {
        let mut phase = std::mem::take(self);
        let Some(live) = phase.live else { return };
        phase.written.retain(|&pair| live.has_pair(pair));
        if !code.has_halves() || phase.instructions.iter().any(|instruction| instruction.row.is_some()) {
            phase.strips(code, Width::Sixteen);
        } else {
            let partly = code.unless_all_enabled();
            phase.strips(code, Width::EightEnabled);
            let done = code.jump(None);
            code.land(partly);
            phase.strips(code, Width::Eight);
            code.land(done);
        }
        for (&pair, whole) in phase.written.iter().zip(WHOLE) {
            code.scalar(true, &[0x89], whole, SGPR, 4 * i32::from(pair));
        }
    }

    /// Appends the code of all strips, behind which [`WHOLE`] has the masks that are written.
    fn strips(&self, code: &mut Code, width: Width) {
        let skips = width == Width::Eight;
        if skips {
            // Of lanes that are disabled masks have 0.
            WHOLE[..self.written.len()].iter().for_each(|&whole| code.between(false, &[0x33], whole, whole));
        }
        for strip in 0..64 / width.lanes() {
            let none = skips.then(|| code.unless_any_enabled(strip));
            let mut lanes = Strip::new(code, width, strip);
            for instruction in &self.instructions {
                lanes.begin();
                instruction.emit(&mut lanes);
            }
            let masks = lanes.finish();
            for (pair, whole) in self.written.iter().zip(WHOLE) {
                let mask = masks.iter().find(|(known, _)| known == pair).map_or(ALL, |&(_, mask)| mask);
                code.mask_to_register(RAX, mask);
                if strip == 0 && !skips {
                    code.between(true, &[0x8b], whole, RAX);
                } else {
                    if strip != 0 {
                        code.raw(&[0x48, 0xc1, 0xe0, (width.lanes() * strip) as u8]);
                    }
                    code.between(true, &[0x0b], whole, RAX);
                }
            }
            code.set_single_halves(false);
            if let Some(none) = none {
                code.land(none);
            }
        }
    }
}
