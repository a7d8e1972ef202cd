//! Shared virtual memory: ranges of the program's own memory that GPUs access at the same addresses.

use crate::backing::PAGE;
use crate::driver::config::Config;
use crate::driver::device::{PerGpu, Process, State};
use crate::driver::user::{self, HostRange};
use crate::errno::Errno;
use crate::hardware::address_space::{Caching, Permissions, Target};
use crate::hardware::gpu::Gpu;
use crate::hardware::profile::Profile;
use kfd_sys::*;
use std::collections::BTreeMap;

use super::smi;

mod retry_fault;

pub use retry_fault::retry_fault;

/// `KFD_IOCTL_SVM_LOCATION_UNDEFINED`.
const UNDEFINED: u32 = 0xffff_ffff;
/// Default migration granularity, as a power of two of pages.
const GRANULARITY: u8 = 9;

/// Flags of memory that is not cached.
const COHERENT: u32 = KFD_IOCTL_SVM_FLAG_COHERENT | KFD_IOCTL_SVM_FLAG_EXT_COHERENT;

/// Attributes of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Attributes {
    preferred: u32,
    prefetch: u32,
    /// GPUs with `ACCESS`, a bit each.
    access: u32,
    /// GPUs with `ACCESS_IN_PLACE`.
    in_place: u32,
    flags: u32,
    granularity: u8,
}

impl Default for Attributes {
    fn default() -> Attributes {
        Attributes {
            preferred: UNDEFINED,
            prefetch: UNDEFINED,
            access: 0,
            in_place: 0,
            flags: KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_COHERENT,
            granularity: GRANULARITY,
        }
    }
}

impl Attributes {
    /// Whether `gpu` may use the range.
    fn reaches(&self, gpu: &Gpu) -> bool {
        (self.access | self.in_place) & 1 << gpu.index != 0
    }

    /// Whether the caches of a GPU hold it, as `svm_range_get_pte_flags` of `kfd_svm.c` has it: from GC 9.4.3 on they
    /// hold no memory of the host.
    fn caching(&self, profile: &Profile) -> Caching {
        let cached = self.flags & COHERENT == 0 && profile.target != gcn::target::Target::Gfx942;
        if cached { Caching::Cached } else { Caching::Uncached }
    }

    /// What GPUs may do with memory to which the program may write or not.
    fn permissions(&self, write: bool) -> Permissions {
        Permissions {
            write: write && self.flags & KFD_IOCTL_SVM_FLAG_GPU_RO == 0,
            execute: self.flags & KFD_IOCTL_SVM_FLAG_GPU_EXEC != 0,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Range {
    end: u64,
    attributes: Attributes,
    /// The GPU to whose memory the driver moved it last, 0 for the host's. (All memory is the host's here: it is what
    /// monitors are told.)
    resident: u32,
}

impl Range {
    /// A range that GPUs with bits in `access` may use.
    fn new(end: u64, access: u32) -> Range {
        Range { end, attributes: Attributes { access, ..Attributes::default() }, resident: 0 }
    }
}

/// The registered ranges of a process, by start; they do not overlap.
#[derive(Debug, Default)]
pub struct Ranges {
    ranges: BTreeMap<u64, Range>,
    /// The GPUs, a bit each, that may use memory about which the program has said nothing, and find it by faults: all
    /// with XNACK on, none with it off.
    on_demand: u32,
}

impl Ranges {
    /// Whether GPUs find memory by faults.
    pub fn is_on_demand(&self) -> bool {
        self.on_demand != 0
    }

    /// From now on these GPUs, a bit each, find memory by faults.
    pub fn set_on_demand(&mut self, gpus: u32) {
        self.on_demand = gpus;
    }

    /// Whether some of a range with these attributes may be mapped to `gpu`.
    fn may_be_mapped(&self, attributes: &Attributes, gpu: &Gpu) -> bool {
        self.is_on_demand() || attributes.reaches(gpu)
    }

    fn overlapping(&self, start: u64, end: u64) -> Vec<(u64, Range)> {
        let first = self.ranges.range(..=start).next_back().filter(|(_, range)| range.end > start);
        let first = first.map_or(start, |(at, _)| *at);
        self.ranges.range(first..end).map(|(at, range)| (*at, *range)).collect()
    }

    /// Whether GPUs may use memory that the program has registered, or all of its memory. What AMD's thunk registers
    /// for waves that are saved stays mapped always.
    pub fn has_the_programs(&self) -> bool {
        let is_the_programs = |range: &Range| range.attributes.flags & KFD_IOCTL_SVM_FLAG_GPU_ALWAYS_MAPPED == 0;
        self.is_on_demand() || self.ranges.values().any(is_the_programs)
    }

    /// Whether any byte of the range is registered.
    pub fn overlaps(&self, start: u64, size: u64) -> bool {
        !self.overlapping(start, start.saturating_add(size)).is_empty()
    }

    /// Whether all of the range is registered for GPU `index` and stays mapped to it.
    pub fn always_mapped(&self, index: u32, start: u64, size: u64) -> bool {
        let end = start.saturating_add(size);
        let mut at = start;
        for (from, range) in self.overlapping(start, end) {
            let usable = (range.attributes.access | range.attributes.in_place) & (1 << index) != 0
                && range.attributes.flags & KFD_IOCTL_SVM_FLAG_GPU_ALWAYS_MAPPED != 0;
            if from > at || !usable {
                return false;
            }
            at = range.end;
        }
        at >= end
    }

    /// The parts of the range that are not registered, as starts and ends.
    fn gaps(&self, start: u64, end: u64) -> Vec<(u64, u64)> {
        let mut gaps = Vec::new();
        let mut at = start;
        for (from, range) in self.overlapping(start, end) {
            if from > at {
                gaps.push((at, from));
            }
            at = range.end;
        }
        if at < end {
            gaps.push((at, end));
        }
        gaps
    }

    /// Cuts ranges so that none crosses `start` or `end`.
    fn split(&mut self, start: u64, end: u64) {
        for cut in [start, end] {
            if let Some((_, range)) = self.ranges.range_mut(..cut).next_back()
                && range.end > cut
            {
                let rest = *range;
                range.end = cut;
                self.ranges.insert(cut, rest);
            }
        }
    }

    /// The host's memory goes away in `size` bytes at `start`, whole pages.
    pub fn host_unmapped(&mut self, start: u64, size: u64, gpus: &[PerGpu]) {
        let end = start + size;
        if self.overlapping(start, end).is_empty() {
            return;
        }
        self.split(start, end);
        for (at, range) in self.overlapping(start, end) {
            self.ranges.remove(&at);
            for gpu in gpus {
                if self.may_be_mapped(&range.attributes, &gpu.gpu) {
                    gpu.gpu.space.unmap(at, range.end - at);
                }
            }
        }
    }

    /// The program is about to lose the right to write to, or (`readable` is not set) to use at all, `size` bytes of
    /// host memory at `start`, whole pages.
    pub fn host_protecting(&self, start: u64, size: u64, readable: bool, gpus: &[PerGpu]) {
        for (from, to, attributes) in self.clipped(start, start + size) {
            for PerGpu { gpu, .. } in gpus.iter().filter(|gpu| self.may_be_mapped(&attributes, &gpu.gpu)) {
                if readable {
                    gpu.space.write_protect(from, to - from);
                } else {
                    gpu.space.unmap(from, to - from);
                }
            }
        }
    }

    /// The program's access rights to `size` bytes of host memory at `start`, whole pages, have changed. The driver
    /// maps them again with the rights of their VMAs (`svm_range_validate_and_map`).
    pub fn host_protected(&self, start: u64, size: u64, gpus: &[PerGpu]) {
        for (from, to, attributes) in self.clipped(start, start + size) {
            for part in user::host_ranges(from, to - from).unwrap_or_default() {
                let (from, to) = (part.start.max(from), part.end.min(to));
                for PerGpu { gpu, .. } in gpus.iter().filter(|gpu| attributes.reaches(&gpu.gpu)) {
                    let permissions = attributes.permissions(part.write);
                    let caching = attributes.caching(gpu.profile);
                    if !part.read || gpu.space.map_own(from, to - from, permissions, caching).is_err() {
                        gpu.space.unmap(from, to - from);
                    }
                }
            }
        }
    }

    /// The registered parts of a range, with their starts and ends.
    fn clipped(&self, start: u64, end: u64) -> impl Iterator<Item = (u64, u64, Attributes)> {
        let clip = move |(at, range): (u64, Range)| (at.max(start), range.end.min(end), range.attributes);
        self.overlapping(start, end).into_iter().map(clip)
    }
}

/// Serves `AMDKFD_IOC_SVM`, whose size varies with the number of attributes.
pub(super) fn ioctl(process: &Process, bytes: &mut [u8], given: usize) -> Result<(), Errno> {
    const HEADER: usize = size_of::<kfd_ioctl_svm_args>();
    const ATTRIBUTE: usize = size_of::<kfd_ioctl_svm_attribute>();
    // SAFETY: the buffer is at least as long as the structure, which is integers.
    let args = unsafe { bytes.as_ptr().cast::<kfd_ioctl_svm_args>().read_unaligned() };
    if given < HEADER + args.nattr as usize * ATTRIBUTE {
        return Err(Errno::EINVAL.because("nattr is more than the request has"));
    }
    if args.start_addr % PAGE != 0 || args.size % PAGE != 0 || args.start_addr == 0 || args.size == 0 {
        return Err(Errno::EINVAL.because("start_addr or size is 0 or not whole pages"));
    }
    let at = |index: usize| HEADER + index * ATTRIBUTE;
    let mut attributes: Vec<kfd_ioctl_svm_attribute> = (0..args.nattr as usize)
        // SAFETY: the buffer holds that many attributes, which are integers.
        .map(|index| unsafe { bytes.as_ptr().add(at(index)).cast::<kfd_ioctl_svm_attribute>().read_unaligned() })
        .collect();
    let mut guard = process.lock();
    let state: &mut State = &mut guard;
    match kfd_ioctl_svm_op(args.op) {
        kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_SET_ATTR => {
            // Before a look at what the host has there, so that no change of it goes unseen.
            let new = !process.shared.overlaps(args.start_addr, args.size);
            if !process.shared.add(args.start_addr, args.size) {
                return Err(Errno::ENOMEM.because("too many ranges are registered"));
            }
            let result = set(state, args.start_addr, args.size, &attributes, process.config);
            if new && !state.svm.overlaps(args.start_addr, args.size) {
                process.shared.remove(args.start_addr, args.size);
            }
            result
        }
        kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_GET_ATTR => {
            get(state, args.start_addr, args.size, &mut attributes)?;
            for (index, attribute) in attributes.iter().enumerate() {
                // SAFETY: the buffer holds that many attributes.
                unsafe {
                    bytes.as_mut_ptr().add(at(index)).cast::<kfd_ioctl_svm_attribute>().write_unaligned(*attribute)
                };
            }
            Ok(())
        }
        _ => Err(Errno::EINVAL.because("op is unknown")),
    }
}

fn gpu_bit(state: &State, gpu_id: u32) -> Result<u32, Errno> {
    let gpu =
        state.gpus.iter().find(|gpu| gpu.gpu_id() == gpu_id).ok_or(Errno::EINVAL.because("no GPU has this gpu_id"))?;
    Ok(1 << gpu.gpu.index)
}

type Kind = kfd_ioctl_svm_attr_type;

/// What the host has from `start` on, which must be all there, the program's own, and no buffer object's address.
fn host_ranges(state: &State, start: u64, size: u64) -> Result<Vec<HostRange>, Errno> {
    let end =
        start.checked_add(size).ok_or(Errno::EOVERFLOW.because("start_addr and size go beyond the address space"))?;
    let parts = user::host_ranges(start, size).ok_or(Errno::EFAULT.because("the host memory is not mapped"))?;
    if parts.iter().any(|part| part.device) {
        return Err(Errno::EFAULT.because("the host memory is a device's"));
    }
    // What is mapped where nothing is registered are buffer objects.
    let free = |gap: &(u64, u64)| state.gpus.iter().all(|gpu| gpu.gpu.space.is_free(gap.0, gap.1));
    if state.svm.gaps(start, end).iter().all(free) {
        Ok(parts)
    } else {
        Err(Errno::EADDRINUSE.because("a buffer object has these addresses"))
    }
}

fn apply(state: &State, to: &mut Attributes, attribute: &kfd_ioctl_svm_attribute) -> Result<(), Errno> {
    let value = attribute.value;
    match kfd_ioctl_svm_attr_type(attribute.type_) {
        Kind::KFD_IOCTL_SVM_ATTR_PREFERRED_LOC => {
            if value != 0 && value != UNDEFINED {
                gpu_bit(state, value)?;
            }
            to.preferred = value;
        }
        Kind::KFD_IOCTL_SVM_ATTR_PREFETCH_LOC => {
            if value != 0 {
                gpu_bit(state, value)?;
            }
            to.prefetch = value;
        }
        kind @ (Kind::KFD_IOCTL_SVM_ATTR_ACCESS
        | Kind::KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE
        | Kind::KFD_IOCTL_SVM_ATTR_NO_ACCESS) => {
            let bit = gpu_bit(state, value)?;
            to.access &= !bit;
            to.in_place &= !bit;
            match kind {
                Kind::KFD_IOCTL_SVM_ATTR_ACCESS => to.access |= bit,
                Kind::KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE => to.in_place |= bit,
                _ => {}
            }
        }
        Kind::KFD_IOCTL_SVM_ATTR_SET_FLAGS => to.flags |= value,
        Kind::KFD_IOCTL_SVM_ATTR_CLR_FLAGS => to.flags &= !value,
        Kind::KFD_IOCTL_SVM_ATTR_GRANULARITY => to.granularity = value.min(0x3f) as u8,
        _ => return Err(Errno::EINVAL.because("an attribute is unknown")),
    }
    Ok(())
}

fn set(
    state: &mut State,
    start: u64,
    size: u64,
    attributes: &[kfd_ioctl_svm_attribute],
    config: &Config,
) -> Result<(), Errno> {
    let mut checked = Attributes::default();
    for attribute in attributes {
        apply(state, &mut checked, attribute)?;
    }
    let without_vm = |gpu: &PerGpu| gpu.vm.is_none();
    let reachable = checked.access | checked.in_place;
    if state.gpus.iter().all(without_vm)
        || state.gpus.iter().any(|gpu| without_vm(gpu) && reachable & 1 << gpu.gpu.index != 0)
    {
        return Err(Errno::EINVAL.because("ACQUIRE_VM was not called for a GPU that is to have access"));
    }
    let parts = host_ranges(state, start, size)?;
    // What GPUs find by faults need not be readable until then.
    let mapped_now = checked.in_place != 0 || checked.flags & KFD_IOCTL_SVM_FLAG_GPU_ALWAYS_MAPPED != 0;
    if parts.iter().any(|part| !part.read) && (mapped_now || !state.svm.is_on_demand()) {
        return Err(Errno::EFAULT.because("the host memory cannot be read"));
    }
    let end = start + size;
    check_free(state, start, end, attributes)?;
    state.svm.split(start, end);
    // Gaps become ranges with the default attributes.
    for (from, to) in state.svm.gaps(start, end) {
        let range = Range::new(to, state.svm.on_demand);
        state.svm.ranges.insert(from, range);
    }
    // A location that is set moves the range even if it is the same as before.
    let moves = attributes.iter().any(|attribute| attribute.type_ == Kind::KFD_IOCTL_SVM_ATTR_PREFETCH_LOC.0);
    for (from, range) in state.svm.overlapping(start, end) {
        let mut changed = range.attributes;
        for attribute in attributes {
            apply(state, &mut changed, attribute)?;
        }
        let clip = |part: &HostRange| (part.start.max(from), part.end.min(range.end), part.write);
        let parts = parts.iter().filter(|part| part.read).map(clip).filter(|(start, end, _)| start < end);
        let parts = parts.collect::<Vec<_>>();
        let on_demand = state.svm.is_on_demand();
        state.gpus.iter().try_for_each(|gpu| remap(&gpu.gpu, &parts, range.attributes, changed, on_demand))?;
        let mut resident = range.resident;
        if moves || changed != range.attributes {
            resident = destination(state, &changed, config).unwrap_or(resident);
            parts.iter().for_each(|&(start, end, _)| migrate((start, end), range.resident, resident, &changed));
        }
        state.svm.ranges.insert(from, Range { end: range.end, attributes: changed, resident });
    }
    Ok(())
}

/// Where a range is to be, if the program said so, as `svm_range_best_prefetch_location` of `kfd_svm.c` chooses: a
/// GPU's memory is for a range that others use too only if they reach it. With XNACK on those others fetch it by faults
/// that have it in place.
fn destination(state: &State, attributes: &Attributes, config: &Config) -> Option<u32> {
    let to = Some(attributes.prefetch).filter(|to| *to != UNDEFINED)?;
    let users = if state.svm.is_on_demand() { attributes.in_place } else { attributes.access | attributes.in_place };
    let Some(owner) = config.gpu_index(to) else { return Some(0) };
    let reach = |user: u32| users & 1 << user == 0 || config.reaches(user, owner);
    Some(if (0..config.gpus()).all(reach) { to } else { 0 })
}

/// Tells monitors that the driver moves memory. It looks at every page, also of a range that is where it should be, as
/// pages come back by themselves; from one GPU to another memory goes through the host's.
fn migrate((start, end): (u64, u64), from: u32, to: u32, attributes: &Attributes) {
    let wanted = [attributes.prefetch, attributes.preferred];
    if from != 0 && from != to {
        smi::prefetched(&smi::Prefetch { start, end, from, to: 0, wanted });
    }
    if to != 0 {
        smi::prefetched(&smi::Prefetch { start, end, from: 0, to, wanted });
    }
}

/// Makes sure that nothing else is mapped where `attributes` give a GPU access to registered memory, before any of it
/// is changed. (Where nothing is registered yet, [`host_ranges`] has looked.)
fn check_free(state: &State, start: u64, end: u64, attributes: &[kfd_ioctl_svm_attribute]) -> Result<(), Errno> {
    for (from, range) in state.svm.overlapping(start, end) {
        let mut changed = range.attributes;
        for attribute in attributes {
            apply(state, &mut changed, attribute)?;
        }
        let gains = |gpu: &&PerGpu| changed.reaches(&gpu.gpu) && !range.attributes.reaches(&gpu.gpu);
        let (from, to) = (from.max(start), range.end.min(end));
        if state.gpus.iter().filter(gains).any(|gpu| !gpu.gpu.space.is_free(from, to)) {
            return Err(Errno::EADDRINUSE.because("a buffer object has these addresses"));
        }
    }
    Ok(())
}

/// Brings a GPU's page table from one set of attributes to another, for parts of the host's memory: start, end, and
/// whether the host itself may write there. What GPUs find `on_demand` may be mapped already or not.
fn remap(
    gpu: &Gpu,
    parts: &[(u64, u64, bool)],
    old: Attributes,
    new: Attributes,
    on_demand: bool,
) -> Result<(), Errno> {
    const OF_PAGES: u32 = KFD_IOCTL_SVM_FLAG_GPU_RO | KFD_IOCTL_SVM_FLAG_GPU_EXEC | COHERENT;
    let pages_change = (old.flags ^ new.flags) & OF_PAGES != 0;
    let caching = new.caching(gpu.profile);
    let (was, is) = (old.reaches(gpu), new.reaches(gpu));
    parts.iter().try_for_each(|&(start, end, write)| {
        let (size, permissions) = (end - start, new.permissions(write));
        match (was, is) {
            (_, true) if on_demand => gpu.space.map_own(start, size, permissions, caching)?,
            (true, false) => _ = gpu.space.unmap(start, size),
            (false, true) => {
                let target = Target::Host(start);
                gpu.space
                    .map(start, size, target, permissions, caching)
                    .map_err(|_| Errno::EADDRINUSE.because("a buffer object has these addresses"))?;
            }
            // Waves go on using it meanwhile.
            (true, true) if pages_change => gpu.space.map_own(start, size, permissions, caching)?,
            _ => {}
        }
        Ok(())
    })
}

fn get(state: &State, start: u64, size: u64, attributes: &mut [kfd_ioctl_svm_attribute]) -> Result<(), Errno> {
    host_ranges(state, start, size)?;
    let ranges = state.svm.overlapping(start, start + size);
    let every = |value: fn(&Attributes) -> u32| {
        let mut values = ranges.iter().map(|(_, range)| value(&range.attributes));
        let first = values.next().unwrap_or(UNDEFINED);
        if values.all(|value| value == first) { first } else { UNDEFINED }
    };
    let fold = |start: u32, value: fn(u32, &Attributes) -> u32| {
        ranges.iter().fold(start, |all, (_, range)| value(all, &range.attributes))
    };
    let default = Attributes::default();
    for attribute in attributes {
        match kfd_ioctl_svm_attr_type(attribute.type_) {
            Kind::KFD_IOCTL_SVM_ATTR_PREFERRED_LOC => attribute.value = every(|attributes| attributes.preferred),
            Kind::KFD_IOCTL_SVM_ATTR_PREFETCH_LOC => attribute.value = every(|attributes| attributes.prefetch),
            Kind::KFD_IOCTL_SVM_ATTR_ACCESS => {
                let bit = gpu_bit(state, attribute.value)?;
                let all = |default| if ranges.is_empty() { default } else { u32::MAX };
                let kind = if fold(all(state.svm.on_demand), |all, attributes| all & attributes.access) & bit != 0 {
                    Kind::KFD_IOCTL_SVM_ATTR_ACCESS
                } else if fold(all(0), |all, attributes| all & attributes.in_place) & bit != 0 {
                    Kind::KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE
                } else {
                    Kind::KFD_IOCTL_SVM_ATTR_NO_ACCESS
                };
                attribute.type_ = kind.0;
            }
            Kind::KFD_IOCTL_SVM_ATTR_SET_FLAGS => {
                attribute.value =
                    if ranges.is_empty() { default.flags } else { fold(u32::MAX, |all, a| all & a.flags) };
            }
            Kind::KFD_IOCTL_SVM_ATTR_CLR_FLAGS => {
                attribute.value = if ranges.is_empty() { !default.flags } else { !fold(0, |all, a| all | a.flags) };
            }
            Kind::KFD_IOCTL_SVM_ATTR_GRANULARITY => {
                let least = fold(u32::MAX, |least, attributes| least.min(u32::from(attributes.granularity)));
                attribute.value = if ranges.is_empty() { u32::from(default.granularity) } else { least };
            }
            _ => return Err(Errno::EINVAL.because("an attribute is unknown")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::interrupt_handler::InterruptHandler;
    use crate::hardware::activity::Shown;
    use crate::hardware::profile::MI100;
    use gcn::bus::{Access, Path, Reached};
    use std::sync::Arc;

    fn gpu() -> Gpu {
        let handler = Arc::new(InterruptHandler::new(51110, Arc::default()));
        Gpu::new(0, &MI100, handler, Arc::new(Shown::alone().unwrap())).unwrap()
    }

    #[test]
    fn the_gpu_may_write_what_the_host_may() {
        let gpu = gpu();
        let parts = [(0x10_0000, 0x10_1000, true), (0x10_1000, 0x10_3000, false)];
        let none = Attributes::default();
        let access = Attributes { access: 1, ..none };
        remap(&gpu, &parts, none, access, false).unwrap();
        let allowed = |address, access| gpu.space.enter().window(address, access).map_err(|fault| fault.protection);
        assert!(allowed(0x10_0000, Access::Write).is_ok());
        assert_eq!(allowed(0x10_1000, Access::Write).err(), Some(true));
        assert!(allowed(0x10_2fff, Access::Read).is_ok());
        let read_only = Attributes { flags: none.flags | KFD_IOCTL_SVM_FLAG_GPU_RO, ..access };
        remap(&gpu, &parts, access, read_only, false).unwrap();
        assert_eq!(allowed(0x10_0000, Access::Write).err(), Some(true));
        remap(&gpu, &parts, read_only, none, false).unwrap();
        assert!(gpu.space.is_free(0x10_0000, 0x10_3000));
    }

    /// Waves use it while the flags change.
    #[test]
    fn memory_stays_mapped_while_its_flags_change() {
        use std::sync::atomic::{AtomicBool, Ordering};

        let gpu = gpu();
        let parts = [(0x10_0000, 0x10_1000, true)];
        let access = Attributes { access: 1, ..Attributes::default() };
        let executable = Attributes { flags: access.flags | KFD_IOCTL_SVM_FLAG_GPU_EXEC, ..access };
        remap(&gpu, &parts, Attributes::default(), access, false).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..20_000 {
                    remap(&gpu, &parts, access, executable, false).unwrap();
                    remap(&gpu, &parts, executable, access, false).unwrap();
                }
                done.store(true, Ordering::Relaxed);
            });
            while !done.load(Ordering::Relaxed) {
                assert!(!gpu.space.is_free(0x10_0000, 0x10_1000));
            }
        });
        remap(&gpu, &parts, access, executable, false).unwrap();
        assert!(gpu.space.enter().window(0x10_0000, Access::Execute).is_ok());
    }

    #[test]
    fn what_is_not_coherent_is_cached() {
        let gpu = gpu();
        gpu.space.cache(1, 1);
        let (read_write, private) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping of its own.
        let page = unsafe { libc::mmap(std::ptr::null_mut(), PAGE as usize, read_write, private, -1, 0) } as u64;
        let cached = || {
            let reached = gpu.space.enter().reach(page, 4, Access::Read, Path::Vector, 0, 0);
            reached.map(|reached| reached != Reached::Uncached)
        };
        let none = Attributes::default();
        let coherent = Attributes { access: 1, ..none };
        let cacheable = Attributes { flags: coherent.flags & !KFD_IOCTL_SVM_FLAG_COHERENT, ..coherent };
        let parts = [(page, page + PAGE, true)];
        remap(&gpu, &parts, none, coherent, false).unwrap();
        assert_eq!(cached(), Ok(false));
        remap(&gpu, &parts, coherent, cacheable, false).unwrap();
        assert_eq!(cached(), Ok(true));
        remap(&gpu, &parts, cacheable, none, false).unwrap();
        // SAFETY: mapped above, and the GPU has it no more.
        unsafe { libc::munmap(page as *mut libc::c_void, PAGE as usize) };
    }

    #[test]
    fn gaps_are_what_is_not_registered() {
        let mut ranges = Ranges::default();
        for (start, end) in [(0x2000, 0x4000), (0x6000, 0x7000)] {
            ranges.ranges.insert(start, Range::new(end, 0));
        }
        assert_eq!(ranges.gaps(0x1000, 0x8000), [(0x1000, 0x2000), (0x4000, 0x6000), (0x7000, 0x8000)]);
        assert_eq!(ranges.gaps(0x3000, 0x5000), [(0x4000, 0x5000)]);
        assert_eq!(ranges.gaps(0x2000, 0x4000), []);
    }
}
