//! State for instructions other than ALU ones: memory, LDS, the scheduler.

use crate::machine::bus::Bus;
use crate::machine::exit_mask::ExitMask;
use crate::machine::memory::{Fault, Memory, OfLane};
use crate::machine::segments::Segments;
use gcn_alu::wave::{AluFn, Wave};
use gcn_isa::inst::Inst;

/// What the run loop does after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Continue after the instruction.
    Next,
    /// The instruction has set [`Wave::pc`].
    Branch,
    /// End this wave's turn (it waits, sleeps or has ended); it continues at [`Wave::pc`].
    Pause,
    /// Continue after the instruction, in code that may have changed.
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
    /// A [`Tool`] checks the work-groups, or the device [replays](Bus::replays) accesses, so that instructions need
    /// more than execution.
    pub checked: bool,
    /// Instructions that compiled code leaves to the interpreter.
    pub inspected: ExitMask,
    /// Caches are modelled.
    pub has_caches: bool,
}

impl<'a> Device<'a> {
    /// Reads the device's properties from `bus`. `inspected`: the instructions that a tool checks, if there is one.
    pub fn of(bus: &'a dyn Bus, inspected: Option<ExitMask>) -> Device<'a> {
        Device {
            bus,
            checked: inspected.is_some() || bus.replays(),
            inspected: inspected.unwrap_or_default(),
            has_caches: bus.caches().is_some(),
        }
    }
}

/// Sees what the waves of a work-group do: a sanitizer, a tracer. Without one nothing is called.
pub(crate) trait Tool {
    /// Whether [`Tool::step`] is to be called, which takes far longer: compiled code is not used then.
    fn follows(&self) -> bool;
    /// A wave is about to execute the instruction at `pc`.
    fn step(&mut self, wave: &Wave, pc: u64, inst: &Inst);
    /// Executes an instruction that needs more than its wave, by `core`. Meanwhile `machine` has no tool.
    fn execute(&mut self, core: CoreFn, wave: &mut Wave, inst: &Inst, machine: &mut Machine) -> Result<Flow, Stop>;
    /// All waves that have not ended are at a barrier, which opens.
    fn barrier(&mut self);
    /// Whether LDS has bytes whose loads are wanted: compiled code then has no LDS, so that each access is executed by
    /// itself.
    fn wants_lds(&mut self) -> bool;
}

/// What the waves of a work-group share while they run.
pub(crate) struct Machine<'a> {
    pub memory: Memory<'a>,
    /// Local data share of the work-group.
    pub lds: &'a mut Lds,
    /// The device's properties.
    pub device: &'a Device<'a>,
    /// The tool that checks the waves.
    pub tool: Option<&'a mut dyn Tool>,
    /// The kernarg and private segments.
    pub segments: &'a Segments,
    /// Base of the LDS aperture.
    pub shared_base: u64,
    /// Waves of the work-group that have not ended.
    pub waves: u32,
    /// Number of waves that wait at `s_barrier`.
    pub at_barrier: u32,
    /// The wave has its first turn since a barrier, which ends where it waits for vector memory.
    pub leaving: bool,
    /// The turn ended in `s_sleep`.
    pub slept: bool,
}

impl Machine<'_> {
    /// Whether the tool wants to see each access to LDS.
    pub fn shows_lds(&mut self) -> bool {
        self.tool.as_mut().is_some_and(|tool| tool.wants_lds())
    }
}

/// The local data share of a work-group. Reads past its size give 0, writes there are dropped, as gfx9 does it.
#[derive(Default)]
pub(crate) struct Lds {
    bytes: Vec<u8>,
}

impl Lds {
    /// Resizes it to `size` zero bytes.
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

    /// Replaces the 32 bits at `address` by the result of `change`; returns the old ones. A work-group's waves take
    /// turns, so that this is atomic.
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
