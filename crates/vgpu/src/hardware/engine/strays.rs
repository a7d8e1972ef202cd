//! Accesses of waves to memory that is mapped, and that the program has not asked for.

use super::wave_fault::{Origin, WaveFault};
use crate::hardware::checks::{self, findings};
use crate::hardware::gpu::Gpu;
use crate::locks::lock;
use gcn::bus::{Access, MemoryFault, Stray, Window};
use gcn::exec::Launch;
use gcn::inst::Inst;
use std::sync::Mutex;

/// What waves did in a turn of their work-group, to be told when it is over: who tells looks into memory, which the turn has locked.
#[derive(Default)]
pub struct Strays(Mutex<Vec<Seen>>);

/// The first of the accesses of an instruction, and how many there were.
struct Seen {
    pc: u64,
    instruction: Inst,
    wave: u32,
    lane: Option<u8>,
    fault: MemoryFault,
    count: u64,
}

impl Strays {
    /// The part of `window` around `address` that the program may use so.
    ///
    /// # Errors
    /// If `address` is in no such part.
    pub fn within(&self, window: Window, address: u64, access: Access) -> Result<Window, MemoryFault> {
        checks::allocations().clip(window, address).ok_or(MemoryFault { address, access, protection: false })
    }

    /// Notes an access.
    pub fn add(&self, stray: &Stray) {
        let Stray { pc, instruction, wave, lane, fault } = *stray;
        let mut all = lock(&self.0);
        match all.iter_mut().find(|seen| seen.pc == pc && seen.fault.access == fault.access) {
            Some(seen) => seen.count += 1,
            None => all.push(Seen { pc, instruction: *instruction, wave, lane, fault, count: 1 }),
        }
    }

    /// Tells of them. Returns whether there were any.
    pub fn tell(self, gpu: &Gpu, launch: &Launch, origin: Origin, workgroup: [u32; 3]) -> bool {
        let all = std::mem::take(&mut *lock(&self.0));
        let any = !all.is_empty();
        for Seen { pc, instruction, wave, lane, fault, count } in all {
            let freed = checks::allocations().nearest(fault.address).is_some_and(|at| at.freed_at(fault.address));
            let finding = if freed { "use-after-free" } else { "out-of-bounds" };
            if let Some(id) = findings::count(findings::Place { finding, pc, access: fault.access }, count) {
                let stray = Stray { pc, instruction: &instruction, wave, lane, fault };
                WaveFault::stray(&stray, launch, origin, workgroup).find(gpu, id, finding);
            }
        }
        any
    }
}
