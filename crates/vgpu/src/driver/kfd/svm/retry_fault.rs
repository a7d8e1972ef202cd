//! Retry faults: accesses that a GPU repeats until the driver has mapped the memory (XNACK on), as
//! `svm_range_restore_pages` of `kfd_svm.c` serves them.

use super::{Attributes, Range};
use crate::backing::PAGE;
use crate::driver::config::Config;
use crate::driver::device::{Process, State};
use crate::driver::kfd::smi;
use crate::driver::user::{self, HostRange};
use crate::hardware::interrupts::Retry;
use crate::trace;
use gcn::bus::{Access, MemoryFault};

/// `KFD_IOCTL_SVM_LOCATION_SYSMEM`.
const HOST: u32 = 0;

/// Memory about which the program has said nothing becomes ranges of this size at most, which do not cross its
/// multiples (`svm_range_get_range_boundaries`).
const SPAN: u64 = 2 << 20;

/// Some of the host's memory.
type Part = std::ops::Range<u64>;

/// Maps what GPU `index` accessed in vain, if the program itself may do so.
///
/// A request that is under way may wait for the thread that calls, so this waits for none.
pub fn retry_fault(process: &Process, index: u32, fault: MemoryFault) -> Retry {
    let Some(mut guard) = process.try_lock() else { return Retry::Later };
    let answer = serve(process, &mut guard, index, fault);
    drop(guard);
    match answer {
        Ok(mapped) => {
            let write = is_write(fault.access);
            trace::emit("retry_fault", |e| {
                e.number("gpu", index).address("address", fault.address);
                e.text("access", if write { "write" } else { "read" });
                e.address("start", mapped.start).number("bytes", mapped.end - mapped.start)
            });
            smi::page_fault(Config::gpu_id(index), fault.address, write);
            Retry::Mapped
        }
        Err(refusal) => refusal,
    }
}

fn is_write(access: Access) -> bool {
    matches!(access, Access::Write | Access::Atomic)
}

/// What is mapped then.
fn serve(process: &Process, state: &mut State, index: u32, fault: MemoryFault) -> Result<Part, Retry> {
    // Code is in memory that the program gave as such.
    if !state.svm.is_on_demand() || fault.access == Access::Execute {
        return Err(Retry::Refused);
    }
    let (from, range) = match around(state, fault.address) {
        Some(registered) => registered,
        None => register(process, state, fault.address)?,
    };
    let attributes = range.attributes;
    let size = PAGE << attributes.granularity.min(MOST_GRANULARITY);
    let start = start_of(fault.address, size);
    let (start, end) = (start.max(from), start.saturating_add(size).min(range.end));
    let part = user::mapped(start, end - start).and_then(|parts| holding(parts, fault.address));
    let Some(part) = part else {
        // It was unmapped unseen.
        let page = start_of(fault.address, PAGE);
        state.svm.host_unmapped(page, PAGE, &state.gpus);
        process.shared.remove(page, PAGE);
        return Err(Retry::Refused);
    };
    let permissions = attributes.permissions(part.write);
    let allowed = part.read && !part.device && (permissions.write || !is_write(fault.access));
    if !allowed || !may_use(process, &attributes, index) {
        return Err(Retry::Refused);
    }
    let there = backed(&part, fault.address).ok_or(Retry::Refused)?;
    let gpu = &state.gpus[index as usize].gpu;
    let caching = attributes.caching(gpu.profile);
    let mapped = gpu.space.map_own(there.start, there.end - there.start, permissions, caching);
    mapped.map(|()| there).map_err(|_| Retry::Refused)
}

/// Pages of a granularity that leave an address something to tell, as a power of two.
const MOST_GRANULARITY: u8 = 36;

/// The multiple of `size`, a power of two, up to `address`.
fn start_of(address: u64, size: u64) -> u64 {
    address & !(size - 1)
}

/// The part with this address.
fn holding(parts: Vec<HostRange>, address: u64) -> Option<HostRange> {
    parts.into_iter().find(|part| (part.start..part.end).contains(&address))
}

/// The registered range with this address, and where it starts.
fn around(state: &State, address: u64) -> Option<(u64, Range)> {
    let (from, range) = state.svm.ranges.range(..=address).next_back()?;
    (address < range.end).then_some((*from, *range))
}

/// Makes a range of memory about which the program has said nothing (`svm_range_create_unregistered_range`).
fn register(process: &Process, state: &mut State, address: u64) -> Result<(u64, Range), Retry> {
    let found = unregistered(process, state, address).ok_or(Retry::Refused)?;
    let (start, size) = (found.start, found.end - found.start);
    // First, so that no change of it goes unseen.
    if !process.shared.add(start, size) {
        return Err(Retry::Refused);
    }
    if unregistered(process, state, address) != Some(found) {
        process.shared.remove(start, size);
        return Err(Retry::Later);
    }
    let mut range = Range::new(found.end, state.svm.on_demand);
    if found.initial {
        range.attributes.preferred = HOST;
    }
    state.svm.ranges.insert(start, range);
    Ok((start, range))
}

/// The mapping of the program's at `address` which is to become a range, as far as one reaches that is free for it.
fn unregistered(process: &Process, state: &State, address: u64) -> Option<HostRange> {
    let part = holding(user::mapped(start_of(address, SPAN), SPAN)?, address)?;
    // Between its neighbours.
    let gaps = state.svm.gaps(part.start, part.end);
    let (start, end) = gaps.into_iter().find(|gap| (gap.0..gap.1).contains(&address))?;
    let taken = |start: u64, end: u64| {
        process.user_memory.overlaps(start, end - start)
            || state.gpus.iter().any(|gpu| !gpu.gpu.space.is_free(start, end))
    };
    let page = start_of(address, PAGE);
    let (start, end) = match taken(start, end) {
        false => (start, end),
        true if taken(page, page + PAGE) => return None,
        true => (page, page + PAGE),
    };
    (!part.device).then_some(HostRange { start, end, ..part })
}

/// Whether GPU `index` gets at a range by a fault (`svm_range_best_restore_location`): where the range is to be may
/// allow it too.
fn may_use(process: &Process, attributes: &Attributes, index: u32) -> bool {
    let preferred = |gpu: u32| attributes.preferred == Config::gpu_id(gpu);
    attributes.preferred == HOST
        || preferred(index)
        || process.config.hive(index).any(preferred)
        || (attributes.access | attributes.in_place) & 1 << index != 0
}

/// What of a mapping to map for an access to `address`: all of it, or the page alone where a file ends before its
/// mapping does. `None` if the page is behind the file's end.
fn backed(part: &HostRange, address: u64) -> Option<Part> {
    let page = start_of(address, PAGE);
    let is_there = |page: u64| user::read_value::<u32>(page).is_ok();
    if !is_there(page) {
        return None;
    }
    Some(if is_there(part.end - PAGE) { part.start..part.end } else { page..page + PAGE })
}
