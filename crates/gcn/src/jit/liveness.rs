//! Which scalar registers are still read: carries that nobody reads need not be computed, nor masks be put together.
//!
//! So where an access faults, a register that the block writes once more before it is read may have what it had before.
//! Wherever else the code may be left, all registers are what the program makes them.

use crate::jit::live::Live;
use crate::jit::lower::valu::lanewise::Lanewise;
use crate::jit::part::{Compiled, Memory, Part};

/// What is live behind each instruction of a block.
pub fn live_behind(parts: &[(usize, Part)]) -> Vec<Live> {
    let mut all = vec![Live::ALL; parts.len()];
    let mut live = Live::ALL;
    for (behind, (_, part)) in all.iter_mut().zip(parts).rev() {
        *behind = live;
        live = in_front(live, part);
    }
    all
}

/// What is live in front of an instruction.
fn in_front(live: Live, part: &Part) -> Live {
    let scalar = |(first, is_pair): (u8, bool)| (first, 1 + u8::from(is_pair));
    match part {
        Part::Compiled(Compiled::Nothing) => live,
        Part::Compiled(Compiled::Vector(instruction)) => {
            live.write(instruction.mask_out.map(|first| (first, 2))).read(reads(instruction))
        }
        Part::Compiled(Compiled::Scalar(instruction)) => {
            live.write(instruction.writes().map(scalar)).read(instruction.reads().map(scalar))
        }
        Part::Memory(Memory::Vector(access)) => live.read(access.scalars()),
        Part::Memory(Memory::Scalar(constant)) => live.write([constant.writes()]).read(constant.reads()),
        // Others may read them, or the wave's turn may end there.
        Part::Compiled(Compiled::Lane(_)) | Part::Single | Part::Wait => Live::ALL,
        Part::Last | Part::End | Part::Branch(..) => Live::ALL,
    }
}

/// Some numbers are in the next register too.
fn reads(instruction: &Lanewise) -> impl Iterator<Item = (u8, u8)> {
    instruction.scalars().chain(instruction.mask_in).chain(instruction.unless).map(|first| (first, 2))
}
