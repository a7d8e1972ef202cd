//! The origin of a memory fault (kernel, wave, instruction), for standard error and the trace. As on hardware, the
//! process itself gets only the address and the reason.

use super::access::Memory;
use super::known;
use super::symbols::Image;
use crate::hardware::checks::{code, findings};
use crate::hardware::gpu::Gpu;
use crate::trace::Fields;
use crate::{log, trace};
use gcn::bus::{Access, MemoryFault};
use gcn::decode::decode;
use gcn::exec::{Exception, Launch};
use gcn::inst::Inst;
use gcn::sanitizer::{Registers, Space, Storage, Stray, Unordered};
use gcn::target::Target;
use std::fmt;

/// Distance in bytes from a kernel's first instruction from which on an instruction is not the kernel's.
const FAR: u64 = 1 << 20;

/// Where a dispatch comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Id of its queue.
    pub queue: u32,
    /// Index of its packet since the queue was made. PM4 packets have none.
    pub packet: Option<u64>,
    /// Number among all dispatches of the GPU, from 1.
    pub dispatch: u64,
    /// Device address of the kernel descriptor, of an AQL packet.
    pub kernel_object: Option<u64>,
}

/// A wave that accessed memory which is not mapped, or not for this.
#[derive(Clone, Debug, PartialEq)]
pub struct WaveFault {
    /// The access.
    pub fault: MemoryFault,
    /// Device address of the instruction.
    pub pc: u64,
    /// The text, unless it is the instruction that could not be fetched.
    instruction: Option<String>,
    /// `None` if it is no lane's but the wave's.
    lane: Option<u8>,
    /// Index in its work-group.
    wave: usize,
    workgroup: [u32; 3],
    origin: Origin,
    grid_size: [u32; 3],
    workgroup_size: [u32; 3],
    /// Device address of the kernel's first instruction.
    entry: u64,
    /// The instructions that its wave executed last, this one as the last, if they are known.
    trail: Vec<u64>,
}

impl WaveFault {
    /// A memory fault that wave `wave` of work-group `workgroup` raised. `None` for another exception.
    pub fn of(
        exception: Exception,
        launch: &Launch,
        origin: Origin,
        workgroup: [u32; 3],
        wave: usize,
    ) -> Option<WaveFault> {
        let Exception::MemoryFault { pc, instruction, lane, fault } = exception else { return None };
        let Launch { grid_size, workgroup_size, entry, .. } = *launch;
        let trail = Vec::new();
        Some(WaveFault {
            fault,
            pc,
            instruction,
            lane,
            wave,
            workgroup,
            origin,
            grid_size,
            workgroup_size,
            entry,
            trail,
        })
    }

    /// A permitted access by a wave of work-group `workgroup` that is a finding: the memory is not the program's, or
    /// another wave uses it too.
    pub fn stray(stray: &Stray, launch: &Launch, origin: Origin, workgroup: [u32; 3]) -> WaveFault {
        let Stray { pc, instruction, wave, lane, fault, .. } = *stray;
        let (instruction, wave) = (Some(instruction.to_string()), wave as usize);
        let Launch { grid_size, workgroup_size, entry, .. } = *launch;
        let trail = Vec::new();
        WaveFault { fault, pc, instruction, lane, wave, workgroup, origin, grid_size, workgroup_size, entry, trail }
    }

    /// An access of some wave of a dispatch.
    pub fn of_dispatch(pc: u64, instruction: &Inst, fault: MemoryFault, origin: Origin, entry: u64) -> WaveFault {
        WaveFault {
            fault,
            pc,
            instruction: Some(instruction.to_string()),
            lane: None,
            wave: 0,
            workgroup: [0; 3],
            origin,
            grid_size: [0; 3],
            workgroup_size: [0; 3],
            entry,
            trail: Vec::new(),
        }
    }

    /// The same, of a wave that executed these instructions last.
    pub fn behind(self, trail: Vec<u64>) -> WaveFault {
        WaveFault { trail, ..self }
    }

    /// Whether a copying or filling kernel of AMD's runtimes made the access. Such kernels of HIP and OpenCL are known
    /// by name, and ROCr's are in no executable.
    pub fn is_by_runtime(&self, gpu: &Gpu) -> bool {
        let is_runtimes = |name: String| ["__amd_rocclr_", "HIP: ", "ROCr: "].iter().any(|of| name.starts_with(of));
        code::around(self.pc).is_none() || self.named(gpu).kernel.is_some_and(is_runtimes)
    }

    /// Reports the origin on standard error and in the trace, and as a finding if enabled.
    pub fn report(&self, gpu: &Gpu) {
        let named = self.named(gpu);
        trace::emit("memory_fault", |e| self.describe(&named, e).number("protection", self.fault.protection));
        // Unasked, as the kernel's log has it: nobody else knows.
        log::say(format_args!("{}", Message { by: self, named: &named }));
        if findings::wanted().is_some() {
            let (pc, access) = (self.pc, self.fault.access);
            let place = findings::Place { finding: "memory-fault", pc, access, with: None };
            if let Some(id) = findings::count(place, 1) {
                self.find(gpu, id, place.finding, Space::Device, None);
            }
        }
    }

    /// Writes it down as finding number `id`, of this kind: an access to `space` that may race with `other`, and why.
    pub fn find(&self, gpu: &Gpu, id: usize, finding: &str, space: Space, other: Option<&(WaveFault, Unordered)>) {
        let named = self.named(gpu);
        let other = other.map(|(other, unordered)| (other, other.named(gpu), *unordered));
        findings::write(id, finding, |e| {
            self.describe(&named, e.number("gpu", gpu.index));
            findings::describe_code("", self.pc, e);
            named.describe_trail("trail", e);
            match (&other, space) {
                (Some((other, named, unordered)), space) => {
                    other.describe_other(named, *unordered, e);
                    match space {
                        Space::Device => findings::describe_nearest(self.fault.address, e),
                        Space::Register(file) => e.text("register", register(file, self.fault.address)),
                        _ => e,
                    }
                }
                (None, Space::Lds { bytes }) => {
                    e.number("lds_bytes", bytes).number("bytes_behind", self.fault.address.saturating_sub(bytes.into()))
                }
                (None, Space::Unwritten(Storage::Lds | Storage::Private) | Space::Barrier | Space::Register(_)) => e,
                (None, Space::Private { bytes }) => e
                    .number("scratch_bytes", bytes)
                    .number("bytes_behind", self.fault.address.saturating_sub(bytes.into())),
                (None, Space::Kernarg { start, bytes }) => e
                    .address("kernarg", start)
                    .number("kernarg_bytes", bytes)
                    .number("bytes_behind", self.fault.address.wrapping_sub(start).saturating_sub(bytes.into())),
                (None, Space::Device | Space::Unwritten(Storage::Device)) => {
                    findings::describe_nearest(self.fault.address, e)
                }
            }
        });
    }

    /// Adds which kernel it is, and which of its instructions, whichever wave executed it. The fields' names begin with
    /// `prefix`.
    pub fn describe_apart(&self, gpu: &Gpu, prefix: &str, e: &mut Fields) {
        let named = self.named(gpu);
        let field = |name: &str| format!("{prefix}{name}");
        e.number(&field("dispatch"), self.origin.dispatch).address(&field("pc"), self.pc);
        if let Some(object) = self.origin.kernel_object {
            e.address(&field("kernel_object"), object);
        }
        for (name, text) in [("kernel", &named.kernel), ("place", &named.place), ("instruction", &self.instruction)] {
            if let Some(text) = text {
                e.text(&field(name), text);
            }
        }
        findings::describe_code(prefix, self.pc, e);
    }

    /// Adds what a race is with, and why nothing orders it. Queue and dispatch are the same.
    fn describe_other<'f>(&self, named: &Named, unordered: Unordered, e: &'f mut Fields) -> &'f mut Fields {
        let why = match unordered {
            Unordered::Waves => "no-barrier",
            Unordered::Unwaited => "no-wait",
            Unordered::Groups => "no-order",
            Unordered::Stale => "no-acquire",
            Unordered::Lanes => "same-instruction",
            Unordered::Elsewhere => "other-barrier",
            Unordered::Off => "lanes-off",
            Unordered::Ended => "ended",
            Unordered::Begun => "not-waited-for",
        };
        e.text("why", why).address("other_pc", self.pc).text("other_access", word(self.fault.access));
        e.list("other_workgroup", &self.workgroup).number("other_wave", self.wave);
        if let Some(place) = &named.place {
            e.text("other_place", place);
        }
        if let Some(instruction) = &self.instruction {
            e.text("other_instruction", instruction);
        }
        if let Some(lane) = self.lane {
            e.number("other_lane", lane);
        }
        findings::describe_code("other_", self.pc, e);
        named.describe_trail("other_trail", e);
        e
    }

    fn named(&self, gpu: &Gpu) -> Named {
        Named::of(self, &Memory::enter(gpu), gpu.profile.target)
    }

    /// Adds it to a line.
    fn describe<'f>(&self, named: &Named, e: &'f mut Fields) -> &'f mut Fields {
        e.number("queue", self.origin.queue);
        if let Some(packet) = self.origin.packet {
            e.number("packet", packet);
        }
        e.number("dispatch", self.origin.dispatch).list("grid", &self.grid_size);
        e.list("workgroup_size", &self.workgroup_size);
        if let Some(kernel) = &named.kernel {
            e.text("kernel", kernel);
        }
        match self.origin.kernel_object {
            Some(object) => e.address("kernel_object", object),
            None => e.address("entry", self.entry),
        };
        e.address("pc", self.pc);
        if let Some(place) = &named.place {
            e.text("place", place);
        }
        if let Some(instruction) = &self.instruction {
            e.text("instruction", instruction);
        }
        e.list("workgroup", &self.workgroup).number("wave", self.wave);
        if let Some(lane) = self.lane {
            e.number("lane", lane);
        }
        e.address("address", self.fault.address).text("access", word(self.fault.access))
    }
}

/// What a load, a store and so on are called.
pub(super) fn word(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Atomic => "atomic",
        Access::Execute => "execute",
    }
}

/// What a register is called.
fn register(file: Registers, number: u64) -> String {
    match (file, number) {
        (Registers::Scalar, 106) => "vcc_lo".to_owned(),
        (Registers::Scalar, 107) => "vcc_hi".to_owned(),
        (Registers::Scalar, _) => format!("s{number}"),
        (Registers::Vector, _) => format!("v{number}"),
        (Registers::Accumulation, _) => format!("a{number}"),
    }
}

/// Names of addresses.
struct Named {
    /// The kernel.
    kernel: Option<String>,
    /// Where the instruction is: in a function that the code object exports, else from the kernel's first instruction
    /// on.
    place: Option<String>,
    /// The instructions that the wave executed last: address, and place and text separated by a space.
    trail: Vec<(u64, String)>,
}

impl Named {
    fn of(by: &WaveFault, memory: &Memory, target: Target) -> Named {
        let image = Image::around(memory, by.entry);
        let function = |address| image.as_ref().and_then(|image| image.function(address));
        let kernel = function(by.entry).filter(|(_, offset)| *offset == 0).map(|(name, _)| name);
        let known = || known::name(memory, by.origin.kernel_object?).map(str::to_owned);
        let place = |pc: u64| match function(pc) {
            Some((name, offset)) => Some(format!("{name}+{offset:#x}")),
            // Of a function that the code object keeps to itself.
            None => match pc.checked_sub(by.entry).filter(|&offset| offset < FAR) {
                Some(offset) => Some(format!("entry+{offset:#x}")),
                None => image.as_ref().and_then(|image| image.offset(pc)).map(|offset| format!("code+{offset:#x}")),
            },
        };
        let step = |&pc: &u64| {
            let place = place(pc).unwrap_or_else(|| format!("{pc:#x}"));
            (pc, format!("{place} {}", text(memory, target, pc)))
        };
        Named { kernel: kernel.or_else(known), place: place(by.pc), trail: by.trail.iter().map(step).collect() }
    }

    /// Adds the trail, with addresses as the code object has them.
    fn describe_trail(&self, name: &str, e: &mut Fields) {
        if !self.trail.is_empty() {
            e.texts(name, self.trail.iter().map(|(pc, text)| format!("{:#x} {text}", findings::in_code(*pc))));
        }
    }
}

/// The instruction at `pc`, as it is in memory now.
fn text(memory: &Memory, target: Target, pc: u64) -> String {
    let mut bytes = [0; 12];
    // It may be the last before memory ends.
    let there = (4..=bytes.len())
        .step_by(4)
        .take_while(|&end| memory.read(pc + end as u64 - 4, &mut bytes[end - 4..end]).is_ok());
    let count = there.last().unwrap_or(0);
    decode(target, &bytes[..count]).map_or_else(|error| error.to_string(), |inst| inst.to_string())
}

/// All of it in one line.
struct Message<'a> {
    by: &'a WaveFault,
    named: &'a Named,
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WaveFault { fault, origin, .. } = self.by;
        let reason = if fault.protection { "which is not mapped for this" } else { "where nothing is mapped" };
        write!(f, "memory fault: {} at {:#x}, {reason}, by ", word(fault.access), fault.address)?;
        match (&self.named.kernel, origin.kernel_object) {
            (Some(kernel), _) => write!(f, "kernel {kernel}")?,
            (None, Some(object)) => write!(f, "the kernel with kernel object {object:#x}")?,
            (None, None) => write!(f, "the code at {:#x}", self.by.entry)?,
        }
        let instruction = self.by.instruction.as_deref().unwrap_or("an instruction that cannot be fetched");
        write!(f, ": {instruction} at ")?;
        match &self.named.place {
            Some(place) => write!(f, "{place} (pc {:#x}), ", self.by.pc)?,
            None => write!(f, "pc {:#x}, ", self.by.pc)?,
        }
        if let Some(lane) = self.by.lane {
            write!(f, "lane {lane} of ")?;
        }
        write!(f, "wave {} of work-group {:?}; ", self.by.wave, self.by.workgroup)?;
        write!(f, "dispatch {}, queue {}, ", origin.dispatch, origin.queue)?;
        if let Some(packet) = origin.packet {
            write!(f, "packet {packet}, ")?;
        }
        write!(f, "grid {:?} in work-groups of {:?}", self.by.grid_size, self.by.workgroup_size)
    }
}
