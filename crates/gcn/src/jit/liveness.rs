//! Which scalar registers are still read: carries that nobody reads need not be computed, nor masks be put together.
//!
//! So where an access faults, a register that the block writes once more before it is read may have what it had before. Wherever else the code may be left, all registers are what the
//! program makes them.

use crate::jit::lower::valu::Lanewise;
use crate::jit::translate::{Compiled, Memory, Part};

/// Scalar registers, a bit each.
#[derive(Clone, Copy)]
pub(crate) struct Live(u128);

impl Live {
    const ALL: Live = Live(!0);

    /// What is live behind each instruction of a block.
    pub fn of(parts: &[(usize, Part)]) -> Vec<Live> {
        let mut all = vec![Live::ALL; parts.len()];
        let mut live = Live::ALL;
        for (behind, (_, part)) in all.iter_mut().zip(parts).rev() {
            *behind = live;
            live = live.in_front(part);
        }
        all
    }

    /// Whether any register of a pair is.
    pub fn has_pair(self, first: u8) -> bool {
        self.0 >> first & 3 != 0
    }

    /// What is live in front of an instruction.
    fn in_front(self, part: &Part) -> Live {
        let scalar = |(first, is_pair): (u8, bool)| (first, 1 + u8::from(is_pair));
        match part {
            Part::Compiled(Compiled::Nothing) => self,
            Part::Compiled(Compiled::Vector(instruction)) => {
                self.write(instruction.mask_out.map(|first| (first, 2))).read(reads(instruction))
            }
            Part::Compiled(Compiled::Scalar(instruction)) => {
                self.write(instruction.writes().map(scalar)).read(instruction.reads().map(scalar))
            }
            Part::Memory(Memory::Vector(access)) => self.read(access.scalars()),
            Part::Memory(Memory::Scalar(constant)) => self.write([constant.writes()]).read(constant.reads()),
            // Others may read them, or the wave's turn may end there.
            Part::Compiled(Compiled::Lane(_)) | Part::Single | Part::Wait => Live::ALL,
            Part::Last | Part::End | Part::Branch(..) => Live::ALL,
        }
    }

    /// Registers are read: the first ones, and how many from there on.
    fn read(self, registers: impl IntoIterator<Item = (u8, u8)>) -> Live {
        Live(self.0 | bits(registers))
    }

    fn write(self, registers: impl IntoIterator<Item = (u8, u8)>) -> Live {
        Live(self.0 & !bits(registers))
    }
}

/// Some numbers are in the next register too.
fn reads(instruction: &Lanewise) -> impl Iterator<Item = (u8, u8)> {
    instruction.scalars().chain(instruction.mask_in).chain(instruction.unless).map(|first| (first, 2))
}

fn bits(registers: impl IntoIterator<Item = (u8, u8)>) -> u128 {
    registers.into_iter().fold(0, |bits, (first, count)| bits | ((1 << count) - 1) << first)
}
