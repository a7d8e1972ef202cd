//! Findings of the sanitizer, and the interface through which a device receives them.

use crate::machine::bus::{Access, Bus, MemoryFault};
use crate::machine::exit_mask::ExitMask;
use crate::sanitizer::allocations::Allocations;
use crate::sanitizer::race::shadow::Shadow;
use gcn_isa::inst::Inst;

/// The memory of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Device memory.
    Device,
    /// The work-group's LDS; addresses are offsets in it.
    Lds {
        /// What the work-group has, as its dispatch asked.
        bytes: u32,
    },
    /// The kernel's arguments, in device memory.
    Kernarg {
        /// Device address of the first.
        start: u64,
        /// What they take, as the kernel descriptor says.
        bytes: u32,
    },
    /// Uninitialised bytes of this memory; addresses are offsets in LDS or in private memory.
    Unwritten(Storage),
    /// A work-item's private memory; addresses are offsets in it, of 32 bits.
    Private {
        /// What the work-item has, as its dispatch asked.
        bytes: u32,
    },
    /// None: a barrier of the work-group that not all come to. Addresses are those of instructions.
    Barrier,
    /// None: a register of the wave, whose number is the address.
    Register(Registers),
}

/// The kind of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registers {
    /// `s0` and so on; those with names by the encoding of operands.
    Scalar,
    /// `v0` and so on.
    Vector,
    /// `a0` and so on.
    Accumulation,
}

/// A memory that a wave loads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Device memory.
    Device,
    /// The work-group's LDS.
    Lds,
    /// A work-item's private memory.
    Private,
}

/// The poison value of an uninitialised dword at `address`, a multiple of 4. A write by a wave, a copy engine or the
/// host replaces it. One in 2^32 other values is equal to it by chance.
pub fn poison(address: u64) -> u32 {
    // Vigna's mix of splitmix64.
    let mut z = (address >> 2).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ z >> 31) as u32
}

/// A finding about one access: memory that is mapped but that [`Bus::window`] refuses, outside the work-group's LDS or
/// a work-item's private memory, behind the kernel's arguments, or an uninitialised load.
#[derive(Clone, Copy, Debug)]
pub struct Stray<'a> {
    /// Address of the instruction.
    pub pc: u64,
    /// The instruction.
    pub instruction: &'a Inst,
    /// Index of the wave in its work-group.
    pub wave: u32,
    /// The lane, 0 to 63: of several the lowest. `None` for a scalar access, which is the wave's.
    pub lane: Option<u8>,
    /// The memory of the access.
    pub space: Space,
    /// The first byte that was refused, and what for.
    pub fault: MemoryFault,
}

/// One of the accesses of a [`Race`], or a wave that waits at a barrier.
#[derive(Clone, Copy, Debug)]
pub struct Racer<'a> {
    /// Address of the instruction.
    pub pc: u64,
    /// The instruction.
    pub instruction: &'a Inst,
    /// The work-group.
    pub workgroup: [u32; 3],
    /// Index of the wave in its work-group.
    pub wave: u32,
    /// A lane that made it, 0 to 63. `None` for a scalar access, which is the wave's.
    pub lane: Option<u8>,
    /// The kind of access.
    pub access: Access,
}

/// The reason why two accesses are unordered, or the defect of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unordered {
    /// They are of two waves of a work-group, and no barrier is between them.
    Waves,
    /// They are of two waves of a work-group, and a barrier is between them, but the first wave came to it without a
    /// wait (`s_waitcnt`) for its access.
    Unwaited,
    /// The accesses are of two work-groups without a flag between them, that is, without a store after a wait for
    /// earlier stores that the other work-group reads.
    Groups,
    /// The accesses are of two work-groups with a flag between them, but the loading work-group did not invalidate its
    /// compute unit's L1 after it read the flag.
    Stale,
    /// They are of two lanes of a wave, by one instruction.
    Lanes,
    /// Two waves of a work-group meet at different barriers.
    Elsewhere,
    /// A lane was off at its wave's barrier, and had not ended: the other instruction is its next barrier or store.
    Off,
    /// A wave ended, and others of its work-group come to a barrier after it.
    Ended,
    /// The first begins to load a register, and no `s_waitcnt` waits for it before the second, of the same wave, uses
    /// it.
    Begun,
}

/// Two unordered accesses of different waves to the same bytes, of which at least one is a store and at most one is an
/// atomic; or two stores of one instruction with different values. With [`Space::Barrier`]: a barrier that a wave
/// reaches, and what another wave or a lane did instead. With [`Space::Register`]: a load, and an instruction that uses
/// its result too early.
#[derive(Clone, Copy, Debug)]
pub struct Race<'a> {
    /// The memory: LDS, if both accesses are of one work-group, or device memory.
    pub space: Space,
    /// The first byte that is common to them.
    pub address: u64,
    /// Why nothing orders them.
    pub unordered: Unordered,
    /// The one that was made first, this time.
    pub first: Racer<'a>,
    /// The other.
    pub second: Racer<'a>,
}

/// The checks that a device enables. Disabled checks cost nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Accesses outside of what waves may use: [`Checks::stray`].
    pub strays: bool,
    /// Accesses to LDS that nothing orders, and to device memory if there is a [`Checks::shadow`]: [`Checks::race`].
    pub races: bool,
    /// Loads and atomics of which all bytes are uninitialised, in LDS, private memory, or device memory that the device
    /// has filled with [`poison`]: [`Checks::stray`], with [`Space::Unwritten`].
    pub unwritten: bool,
    /// Barriers at which waves meet others that wait at another one, or without some of their lanes: [`Checks::race`],
    /// with [`Space::Barrier`].
    pub barriers: bool,
    /// Barriers that waves reach after others have ended, reported in the same way. The hardware does not count ended
    /// waves, and kernels rely on it.
    pub ended: bool,
    /// Registers that are used before the load to them is waited for: [`Checks::race`], with [`Space::Register`]. Each
    /// instruction is checked.
    pub waits: bool,
}

impl Wanted {
    /// The default checks, which correct programs pass.
    pub const USUAL: Wanted = Wanted { strays: true, races: true, barriers: true, ..Wanted::NOTHING };
    /// Nothing.
    pub const NOTHING: Wanted =
        Wanted { strays: false, races: false, unwritten: false, barriers: false, ended: false, waits: false };

    /// The instructions that compiled code leaves to be executed by themselves.
    pub(crate) fn exits(self) -> ExitMask {
        let Wanted { strays, races, unwritten, barriers, ended, waits: _ } = self;
        ExitMask {
            accesses: races || unwritten,
            lds: races,
            waits: races,
            stores: barriers || ended,
            arguments: strays,
        }
    }
}

/// The interface of a device that checks accesses, in addition to refusing them.
///
/// A device may let [`Bus::window`] end before [what is mapped](Bus::mapped) does. A wave that accesses memory beyond
/// that end is reported. Its instruction is executed nevertheless, and the wave continues as without the check.
pub trait Checks: Bus + Allocations {
    /// The enabled checks. The same for all calls of one [`crate::exec::Workgroup::run`].
    fn wanted(&self) -> Wanted {
        Wanted::USUAL
    }
    /// Reports an access of a wave.
    fn stray(&self, stray: &Stray);
    /// Whether the dword at `address`, which holds its [`poison`], is uninitialised.
    fn is_unwritten(&self, address: u64) -> bool {
        let _ = address;
        false
    }
    /// A wave has written bytes of the dword at `address`, and they are those of its [`poison`].
    fn wrote_poison(&self, address: u64) {
        let _ = address;
    }
    /// Reports two unordered accesses. For a pair of instructions it is called each time that a wave executes the
    /// second one.
    fn race(&self, race: &Race);
    /// Whether [`Checks::step`] must be called for each instruction, which takes far longer. The same for all calls of
    /// one [`crate::exec::Workgroup::run`].
    fn follows(&self) -> bool {
        false
    }
    /// A wave of the work-group, by its index, is about to execute the instruction at `pc`.
    fn step(&self, wave: u32, pc: u64) {
        let _ = (wave, pc);
    }
    /// Where the accesses of all waves of the dispatch to device memory are kept, of a device that wants races there.
    /// The same for all calls of [`crate::exec::Workgroup::run`] of a dispatch.
    fn shadow(&self) -> Option<&Shadow> {
        None
    }
}
