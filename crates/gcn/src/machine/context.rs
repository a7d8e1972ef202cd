//! What instructions other than ALU ones work on: memory, LDS, the scheduler.

use crate::dispatch::outcome::Exception;
use crate::machine::bus::{Bus, Checks, Wanted};
use crate::machine::exit_mask::Inspected;
use crate::machine::memory::{Fault, Memory, OfLane};
use crate::machine::segments::Segments;
use crate::sanitizer::init::shadow_bits::Written;
use crate::sanitizer::race::global::Sharing;
use crate::sanitizer::race::lds::Races;
use crate::sanitizer::sync::barrier::Barriers;
use crate::sanitizer::sync::waitcnt::Waits;
use gcn_alu::wave::{AluFn, Wave};
use gcn_isa::inst::Inst;

/// What the run loop does after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Go on behind the instruction.
    Next,
    /// The instruction has set [`Wave::pc`].
    Branch,
    /// End this wave's turn (it waits, sleeps or ended); it goes on at [`Wave::pc`].
    Pause,
    /// Go on behind the instruction, in code that may have changed.
    Refetch,
}

/// Why an instruction could not complete. The run loop adds where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Memory(Fault),
    Aperture(u64),
    Illegal(&'static str),
    Trap(u8),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Memory(fault)
    }
}

impl OfLane for Stop {
    #[cold]
    fn of_lane(self, lane: usize) -> Stop {
        match self {
            Stop::Memory(fault) => Stop::Memory(fault.of_lane(lane)),
            other => other,
        }
    }
}

impl Stop {
    pub(crate) fn exception(self, pc: u64, inst: &Inst, bytes: Vec<u8>) -> Exception {
        match self {
            Stop::Memory(fault) => Exception::MemoryFault {
                pc,
                instruction: Some(inst.to_string()),
                lane: fault.lane(),
                fault: fault.into(),
            },
            Stop::Aperture(address) => Exception::ApertureViolation { pc, address },
            Stop::Illegal(why) => {
                Exception::IllegalInstruction { pc, bytes, text: format!("{}: {why}", inst.op.mnemonic()) }
            }
            Stop::Trap(id) => Exception::Trap { id, pc },
        }
    }
}

/// An instruction that needs more than its wave.
pub(crate) type CoreFn = fn(&mut Wave, &Inst, &mut Machine) -> Result<Flow, Stop>;

/// What executes a decoded instruction.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    Alu(AluFn),
    Core(CoreFn),
}

/// An instruction that is ready to run.
pub(crate) struct Slot {
    pub step: Step,
    pub inst: Inst,
}

/// What a device says of itself. It is asked once for all work-groups of a [`View`](crate::exec::View).
pub(crate) struct Device<'a> {
    pub bus: &'a dyn Bus,
    /// Who is told, if it checks accesses.
    pub checks: Option<&'a dyn Checks>,
    /// It checks accesses or [replays](Bus::replays) them: what is refused is undone.
    pub checked: bool,
    /// What it wants to be told of.
    pub wanted: Wanted,
    /// What compiled code leaves to be executed by itself.
    pub inspected: Inspected,
    /// Caches are modelled.
    pub has_caches: bool,
}

impl<'a> Device<'a> {
    /// Asks it.
    pub fn of(bus: &'a dyn Bus) -> Device<'a> {
        let checks = bus.checks();
        let wanted = checks.map_or(Wanted::NOTHING, |checks| checks.wanted());
        Device {
            bus,
            checks,
            checked: checks.is_some() || bus.replays(),
            wanted,
            inspected: Inspected::of(wanted),
            has_caches: bus.caches().is_some(),
        }
    }
}

/// Those that look at a work-group, on a device that checks accesses.
#[derive(Default)]
pub(crate) struct Watching<'a> {
    /// The work-group, if the device looks for races.
    pub raced: Option<&'a [u32; 3]>,
    /// Who accessed LDS, if the device looks for races and there are several waves.
    pub races: Option<&'a mut Races>,
    /// What the waves did to device memory, if the device looks for races there.
    pub sharing: Option<&'a mut Sharing>,
    /// Which bytes of LDS and of private memory were written, if the device looks for loads of others.
    pub written: Option<&'a mut Written>,
    /// Who came to which barrier, if the device looks for those that not all come to and there are several waves.
    pub barriers: Option<&'a mut Barriers>,
    /// What the waves have begun to load, if the device looks for waits that are missing.
    pub waits: Option<&'a mut Waits>,
}

/// What the waves of a work-group share while they run.
pub(crate) struct Machine<'a> {
    pub memory: Memory<'a>,
    /// Local data share of the work-group.
    pub lds: &'a mut Lds,
    /// What the device said of itself.
    pub device: &'a Device<'a>,
    /// Who looks at what the waves do.
    pub watching: Watching<'a>,
    /// What else its waves have.
    pub segments: &'a Segments,
    /// Base of the LDS aperture.
    pub shared_base: u64,
    /// Waves of the work-group that have not ended.
    pub waves: u32,
    /// Those of them that wait at `s_barrier`.
    pub at_barrier: u32,
    /// The wave has its first turn since a barrier, which ends where it waits for vector memory.
    pub leaving: bool,
    /// The turn ended in `s_sleep`.
    pub slept: bool,
    /// Who wants to know of each instruction.
    pub follower: Option<&'a dyn Checks>,
}

impl Machine<'_> {
    /// Whether the device looks for loads of LDS that nobody has written, and there is such LDS: compiled code then has none, so that each access is executed by itself.
    pub fn has_fresh_lds(&mut self) -> bool {
        self.watching.written.as_mut().is_some_and(|written| !written.lds.is_complete())
    }

    /// A wave is about to execute the instruction at `pc`. Tells who wants to know.
    pub fn follow(&mut self, wave: &Wave, pc: u64, inst: &Inst) {
        let Some(checks) = self.follower else { return };
        checks.step(wave.index, pc);
        if let Some(waits) = &mut self.watching.waits {
            waits.step(wave, pc, inst, checks);
        }
    }
}

/// The local data share of a work-group. Reads past its size give 0, writes there are dropped, as gfx9 does it.
#[derive(Default)]
pub(crate) struct Lds {
    bytes: Vec<u8>,
}

impl Lds {
    /// Makes it `size` zero bytes.
    pub fn reset(&mut self, size: usize) {
        self.bytes.clear();
        self.bytes.resize(size, 0);
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    #[inline]
    pub fn read<const N: usize>(&self, address: u32) -> [u8; N] {
        let address = address as usize;
        match self.bytes.get(address..address + N) {
            Some(bytes) => bytes.try_into().unwrap_or([0; N]),
            None => [0; N],
        }
    }

    #[inline]
    pub fn write<const N: usize>(&mut self, address: u32, value: [u8; N]) {
        let address = address as usize;
        if let Some(bytes) = self.bytes.get_mut(address..address + N) {
            bytes.copy_from_slice(&value);
        }
    }

    #[inline]
    pub fn read32(&self, address: u32) -> u32 {
        u32::from_le_bytes(self.read(address))
    }

    #[inline]
    pub fn write32(&mut self, address: u32, value: u32) {
        self.write(address, value.to_le_bytes());
    }

    pub fn read64(&self, address: u32) -> u64 {
        u64::from_le_bytes(self.read(address))
    }

    pub fn write64(&mut self, address: u32, value: u64) {
        self.write(address, value.to_le_bytes());
    }

    /// Replaces the 32 bits at `address` by what `change` makes of them; returns the old ones. A work-group's waves take turns, so nothing
    /// comes between.
    #[inline]
    pub fn atomic32(&mut self, address: u32, change: impl FnOnce(u32) -> u32) -> u32 {
        let old = self.read32(address);
        self.write32(address, change(old));
        old
    }

    /// As [`Lds::atomic32`], of 64 bits.
    #[inline]
    pub fn atomic64(&mut self, address: u32, change: impl FnOnce(u64) -> u64) -> u64 {
        let old = self.read64(address);
        self.write64(address, change(old));
        old
    }
}
