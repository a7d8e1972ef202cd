//! Unordered accesses of kernels and copies to the same bytes, and the findings about them.

use super::access::Memory;
use super::sdma::packet::Packet as Copy;
use super::wave_fault::{Origin, WaveFault};
use crate::hardware::checks::order::{self, Known, Packet};
use crate::hardware::checks::overlaps::{self, Conflict, Doer, Done, Kernel, Side};
use crate::hardware::checks::{self, findings, pinned};
use crate::hardware::gpu::Gpu;
use gcn::bus::{Access, MemoryFault};
use gcn::sanitizer::{Footprint, Run, Shadow};
use std::ops::Range;
use std::sync::Arc;

/// A dispatch has completed, whose waves' accesses are in `shadow`. Adds to `known` the knowledge that they acquired
/// through flags.
pub fn end_dispatch(gpu: &Arc<Gpu>, packet: Packet, known: &mut Known, origin: Origin, entry: u64, shadow: &Shadow) {
    let Some(object) = origin.kernel_object else { return };
    let kernel = Some(Kernel { gpu: Arc::downgrade(gpu), dispatch: origin.dispatch, object, entry });
    let by = Doer { queue: origin.queue, packet: packet.number, kernel };
    let footprint = Footprint::of(shadow);
    let takes = footprint.takes_unseen || footprint.loads.iter().chain(&footprint.stores).any(|run| run.taken);
    let speaks = pinned::has_any_of(footprint.stores.iter().map(|run| run.start..run.end));
    end(gpu, packet, known, by, footprint);
    order::kernel_ended(packet, known, speaks, takes);
}

/// A copy engine has completed a packet of queue `queue`.
pub fn end_copy(gpu: &Gpu, packet: Packet, known: &mut Known, queue: u32, copy: Copy) {
    let by = Doer { queue, packet: packet.number, kernel: None };
    end(gpu, packet, known, by, footprint(copy));
}

fn end(gpu: &Gpu, packet: Packet, known: &mut Known, by: Doer, footprint: Footprint) {
    let memory = Memory::enter(gpu);
    let done = Done::new(by, footprint, |address, bytes| memory.read(address, bytes).is_ok());
    drop(memory);
    let conflicts = overlaps::add(packet, known, done);
    conflicts.iter().for_each(|conflict| tell(gpu, conflict));
    if !conflicts.is_empty() {
        findings::flush();
    }
}

/// What a copy or a fill does to memory that the program has for its data.
fn footprint(copy: Copy) -> Footprint {
    /// Rows of a copy that are looked at.
    const ROWS: u64 = 1 << 12;
    let line = |start: u64, bytes: u64| start..start.saturating_add(bytes);
    let (from, to): (Vec<Range<u64>>, Vec<Range<u64>>) = match copy {
        Copy::CopyLinear { from, to, also, bytes } => {
            (vec![line(from, bytes)], [Some(to), also].into_iter().flatten().map(|to| line(to, bytes)).collect())
        }
        Copy::Fill { to, bytes, .. } => (Vec::new(), vec![line(to, bytes)]),
        Copy::CopySubWindow(window) => {
            let [width, height, depth] = window.size.map(u64::from);
            let rows =
                (0..height * depth).take(ROWS as usize).map(|row| ((row % height) as u32, (row / height) as u32));
            let of = |volume: &super::sdma::packet::Volume| {
                let row = |(y, z)| line(volume.row(y, z, window.element), width << window.element);
                rows.clone().map(row).collect()
            };
            (of(&window.from), of(&window.to))
        }
        _ => (Vec::new(), Vec::new()),
    };
    let runs = |ranges: Vec<Range<u64>>, access| {
        let allocations = checks::allocations();
        let run = |Range { start, end }| {
            let end = allocations.around(start)?.end().min(end);
            Some(Run { start, end, instruction: 0, access, scalar: false, flag: false, taken: false })
        };
        let mut runs: Vec<Run> = ranges.into_iter().filter_map(run).collect();
        runs.sort_unstable_by_key(|run| run.start);
        runs
    };
    Footprint { loads: runs(from, Access::Read), stores: runs(to, Access::Write), ..Footprint::default() }
}

/// Writes it down. Which of two is told as the other's does not depend on who was first.
fn tell(gpu: &Gpu, conflict: &Conflict) {
    let Conflict { address, mut sides } = conflict.clone();
    let allocation = checks::allocations().around(address).map_or(address, |at| at.start);
    let pc = |side: &Side| side.instruction.map(|(pc, _)| pc);
    // Copies behind kernels.
    sides.sort_by_key(|side| (pc(side).is_none(), pc(side), side.access == Access::Read));
    let [own, other] = &sides;
    let place = findings::Place {
        finding: "dispatch-race",
        pc: pc(own).unwrap_or(allocation),
        access: own.access,
        with: Some(pc(other).unwrap_or(allocation)),
    };
    let Some(id) = findings::count(place, 1) else { return };
    let [own, other] = sides.map(|side| {
        let fault = MemoryFault { address, access: side.access, protection: false };
        let Doer { queue, packet, kernel } = &side.by;
        let by = side.instruction.zip(kernel.as_ref()).map(|((pc, instruction), kernel)| {
            let Kernel { gpu, dispatch, object, entry } = kernel;
            let origin =
                Origin { queue: *queue, packet: Some(*packet), dispatch: *dispatch, kernel_object: Some(*object) };
            (WaveFault::of_dispatch(pc, &instruction, fault, origin, *entry), gpu.upgrade())
        });
        (side, by)
    });
    findings::write(id, place.finding, |e| {
        e.text("why", "no-wait").address("address", address);
        for (prefix, (side, by)) in [("", &own), ("other_", &other)] {
            // Its code is in the memory of the GPU that it ran on.
            let gpu = by.as_ref().and_then(|(_, gpu)| gpu.as_deref()).unwrap_or(gpu);
            e.number(&format!("{prefix}gpu"), gpu.index);
            e.number(&format!("{prefix}queue"), side.by.queue).number(&format!("{prefix}packet"), side.by.packet);
            e.text(&format!("{prefix}access"), super::wave_fault::word(side.access));
            if let Some((by, _)) = by {
                by.describe_apart(gpu, prefix, e);
            }
        }
        findings::describe_nearest(address, e)
    });
}
