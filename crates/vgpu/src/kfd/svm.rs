//! Shared virtual memory: ranges of the program's own memory that GPUs use at the same addresses.

use crate::backing::PAGE;
use crate::device::{PerGpu, Process, State};
use crate::errno::Errno;
use crate::memory::{Permissions, Target};
use crate::user;
use kfd_sys::*;
use std::collections::BTreeMap;

/// Most attributes of one request.
const MAX_ATTRIBUTES: u32 = 1024;
/// `KFD_IOCTL_SVM_LOCATION_UNDEFINED`.
const UNDEFINED: u32 = 0xffff_ffff;
/// Default migration granularity, as a power of two of pages.
const GRANULARITY: u8 = 9;

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

#[derive(Clone, Copy, Debug)]
struct Range {
    end: u64,
    attributes: Attributes,
}

/// The registered ranges of a process, by start; they do not overlap.
#[derive(Debug, Default)]
pub struct Ranges {
    ranges: BTreeMap<u64, Range>,
}

impl Ranges {
    fn overlapping(&self, start: u64, end: u64) -> Vec<(u64, Range)> {
        let first = self.ranges.range(..=start).next_back().filter(|(_, range)| range.end > start);
        let first = first.map_or(start, |(at, _)| *at);
        self.ranges.range(first..end).map(|(at, range)| (*at, *range)).collect()
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

    /// The host's memory goes away in `size` bytes at `start`.
    pub fn host_unmapped(&mut self, start: u64, size: u64, gpus: &[PerGpu]) {
        let start = start & !(PAGE - 1);
        let end = start.saturating_add(size.next_multiple_of(PAGE));
        if self.overlapping(start, end).is_empty() {
            return;
        }
        self.split(start, end);
        for (at, range) in self.overlapping(start, end) {
            self.ranges.remove(&at);
            for gpu in gpus {
                if (range.attributes.access | range.attributes.in_place) & (1 << gpu.gpu.index) != 0 {
                    gpu.gpu.space.unmap(at, range.end - at);
                }
            }
        }
    }
}

/// Serves `AMDKFD_IOC_SVM`, whose size varies with the number of attributes.
pub(super) fn ioctl(process: &Process, bytes: &mut [u8], _argument: u64) -> Result<(), Errno> {
    const HEADER: usize = size_of::<kfd_ioctl_svm_args>();
    const ATTRIBUTE: usize = size_of::<kfd_ioctl_svm_attribute>();
    // SAFETY: the buffer is at least as long as the structure, which is integers.
    let args = unsafe { bytes.as_ptr().cast::<kfd_ioctl_svm_args>().read_unaligned() };
    if args.nattr > MAX_ATTRIBUTES || bytes.len() < HEADER + args.nattr as usize * ATTRIBUTE {
        return Err(Errno::EINVAL);
    }
    if args.start_addr % PAGE != 0 || args.size % PAGE != 0 || args.start_addr == 0 || args.size == 0 {
        return Err(Errno::EINVAL);
    }
    let end = args.start_addr.checked_add(args.size).ok_or(Errno::EFAULT)?;
    let at = |index: usize| HEADER + index * ATTRIBUTE;
    let mut attributes: Vec<kfd_ioctl_svm_attribute> = (0..args.nattr as usize)
        // SAFETY: the buffer holds that many attributes, which are integers.
        .map(|index| unsafe { bytes.as_ptr().add(at(index)).cast::<kfd_ioctl_svm_attribute>().read_unaligned() })
        .collect();
    let mut guard = process.lock();
    let state: &mut State = &mut guard;
    match kfd_ioctl_svm_op(args.op) {
        kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_SET_ATTR => {
            process.uses_svm();
            set(state, args.start_addr, end, &attributes)
        }
        kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_GET_ATTR => {
            get(state, args.start_addr, end, &mut attributes)?;
            for (index, attribute) in attributes.iter().enumerate() {
                // SAFETY: the buffer holds that many attributes.
                unsafe {
                    bytes.as_mut_ptr().add(at(index)).cast::<kfd_ioctl_svm_attribute>().write_unaligned(*attribute)
                };
            }
            Ok(())
        }
        _ => Err(Errno::EINVAL),
    }
}

fn gpu_bit(state: &State, gpu_id: u32) -> Result<u32, Errno> {
    let gpu = state.gpus.iter().find(|gpu| gpu.gpu.gpu_id == gpu_id).ok_or(Errno::EINVAL)?;
    Ok(1 << gpu.gpu.index)
}

type Kind = kfd_ioctl_svm_attr_type;

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
        _ => return Err(Errno::EINVAL),
    }
    Ok(())
}

fn set(state: &mut State, start: u64, end: u64, attributes: &[kfd_ioctl_svm_attribute]) -> Result<(), Errno> {
    let mut checked = Attributes::default();
    for attribute in attributes {
        apply(state, &mut checked, attribute)?;
    }
    if !user::host_accessible(start, end - start, false) {
        return Err(Errno::EFAULT);
    }
    state.svm.split(start, end);
    // Gaps become ranges with the default attributes.
    let mut at = start;
    for (from, range) in state.svm.overlapping(start, end) {
        if from > at {
            state.svm.ranges.insert(at, Range { end: from, attributes: Attributes::default() });
        }
        at = range.end;
    }
    if at < end {
        state.svm.ranges.insert(at, Range { end, attributes: Attributes::default() });
    }
    for (from, range) in state.svm.overlapping(start, end) {
        let mut changed = range.attributes;
        for attribute in attributes {
            apply(state, &mut changed, attribute)?;
        }
        remap(&state.gpus, from, range.end, range.attributes, changed)?;
        state.svm.ranges.insert(from, Range { end: range.end, attributes: changed });
    }
    Ok(())
}

/// Brings the page tables from one set of attributes to another.
fn remap(gpus: &[PerGpu], start: u64, end: u64, old: Attributes, new: Attributes) -> Result<(), Errno> {
    const PERMISSIONS: u32 = KFD_IOCTL_SVM_FLAG_GPU_RO | KFD_IOCTL_SVM_FLAG_GPU_EXEC;
    let permissions = Permissions {
        write: new.flags & KFD_IOCTL_SVM_FLAG_GPU_RO == 0,
        execute: new.flags & KFD_IOCTL_SVM_FLAG_GPU_EXEC != 0,
    };
    let permissions_change = (old.flags ^ new.flags) & PERMISSIONS != 0;
    for gpu in gpus {
        let bit = 1 << gpu.gpu.index;
        let was = (old.access | old.in_place) & bit != 0;
        let is = (new.access | new.in_place) & bit != 0;
        if was && (!is || permissions_change) {
            gpu.gpu.space.unmap(start, end - start);
        }
        if is && (!was || permissions_change) {
            gpu.gpu.space.map(start, end - start, Target::Host(start), permissions).map_err(|_| Errno::EADDRINUSE)?;
        }
    }
    Ok(())
}

fn get(state: &State, start: u64, end: u64, attributes: &mut [kfd_ioctl_svm_attribute]) -> Result<(), Errno> {
    if !user::host_accessible(start, end - start, false) {
        return Err(Errno::EFAULT);
    }
    let ranges = state.svm.overlapping(start, end);
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
                let all = if ranges.is_empty() { 0 } else { u32::MAX };
                let kind = if fold(all, |all, attributes| all & attributes.access) & bit != 0 {
                    Kind::KFD_IOCTL_SVM_ATTR_ACCESS
                } else if fold(all, |all, attributes| all & attributes.in_place) & bit != 0 {
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
            _ => return Err(Errno::EINVAL),
        }
    }
    Ok(())
}
