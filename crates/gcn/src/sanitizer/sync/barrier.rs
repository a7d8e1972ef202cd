//! Detects barriers that some waves of a work-group miss.
//!
//! Hardware counts waves: a barrier opens when all that have not ended wait, at whichever instruction. To a compiler it
//! is one place in the program, which all work-items come to or none.
//!
//! EXEC does not tell whether a lane that is off has ended or goes on elsewhere. So it is told once the lane is on
//! again where only work-items that have not ended are: at a barrier, or at a store to device memory.

use crate::machine::bus::Access;
use crate::sanitizer::report::{Checks, Race, Racer, Space, Unordered};
use gcn_isa::inst::Inst;
use gcn_isa::op::Op;

/// Waves of the largest work-group.
const WAVES: usize = 16;

/// What a work-group's waves did.
#[derive(Default)]
pub(crate) struct Barriers {
    workgroup: [u32; 3],
    waves: [Seen; WAVES],
}

/// An instruction of a wave: its address, and what it is.
type At = (u64, Inst);

#[derive(Clone, Copy, Default)]
struct Seen {
    /// The barrier where it waits, or its end.
    last: Option<At>,
    /// The last barrier at which lanes were off.
    without: Option<At>,
    /// Those of them that have done nothing since.
    off: u64,
}

impl Barriers {
    /// A work-group begins.
    pub fn start(&mut self, workgroup: [u32; 3]) {
        *self = Barriers { workgroup, ..Barriers::default() };
    }

    /// `wave` comes to a barrier with the lanes of `exec`.
    pub fn come(&mut self, wave: u32, at: At, exec: u64, checks: &dyn Checks) {
        self.act(wave, at, exec, checks);
        let seen = &mut self.waves[wave as usize % WAVES];
        seen.last = Some(at);
        // With no lane at all it is there because a branch around it was not worth its while.
        if exec != 0 && exec != u64::MAX {
            (seen.without, seen.off) = (seen.last, !exec);
        }
    }

    /// `wave` ends.
    pub fn end(&mut self, wave: u32, at: At) {
        self.waves[wave as usize % WAVES].last = Some(at);
    }

    /// `wave` executes an instruction with the lanes of `exec`, which shows that it has not ended. Reports lanes that
    /// were off at an earlier barrier.
    pub fn act(&mut self, wave: u32, at: At, exec: u64, checks: &dyn Checks) {
        let seen = &mut self.waves[wave as usize % WAVES];
        let back = seen.off & exec;
        seen.off &= !exec;
        if let Some(barrier) = seen.without.filter(|_| back != 0 && checks.wanted().barriers) {
            let lane = Some(back.trailing_zeros() as u8);
            self.tell((wave, barrier, None), (wave, at, lane), Unordered::Off, checks);
        }
    }

    /// All waves of the work-group wait or have ended; the waiting ones continue.
    pub fn open(&self, checks: &dyn Checks) {
        let wanted = checks.wanted();
        let came = |ends: bool| {
            let all = (0..).zip(&self.waves).filter_map(|(wave, seen)| Some((wave, seen.last?)));
            all.filter(move |(_, (_, inst))| (inst.op != Op::SBarrier) == ends)
        };
        let Some((first, barrier)) = came(false).next() else { return };
        let elsewhere = came(false).find(|(_, (pc, _))| wanted.barriers && *pc != barrier.0);
        let ended = came(true).find(|_| wanted.ended);
        for (other, unordered) in [(elsewhere, Unordered::Elsewhere), (ended, Unordered::Ended)] {
            if let Some((wave, other)) = other {
                self.tell((first, barrier, None), (wave, other, None), unordered, checks);
            }
        }
    }

    fn tell(
        &self,
        first: (u32, At, Option<u8>),
        second: (u32, At, Option<u8>),
        unordered: Unordered,
        checks: &dyn Checks,
    ) {
        let [first, second] = [&first, &second].map(|(wave, (pc, instruction), lane)| Racer {
            pc: *pc,
            instruction,
            workgroup: self.workgroup,
            wave: *wave,
            lane: *lane,
            access: Access::Execute,
        });
        checks.race(&Race { space: Space::Barrier, address: first.pc, unordered, first, second });
    }
}
