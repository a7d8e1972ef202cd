//! The poison pattern of uninitialised device memory. A load that reads it is a finding.

use super::{allocations_mut, findings};
use crate::hardware::address_space::AddressSpace;
use gcn::bus::Access;
pub use gcn::sanitizer::poison as of;

/// Largest allocation that gets it: all of it then takes memory of the host, whether the program uses it or not.
const LARGEST: u64 = 256 << 20;

/// Whether the check is enabled.
pub fn is_wanted() -> bool {
    findings::wanted().is_some_and(|wanted| wanted.unwritten)
}

/// Puts it into the `size` bytes at `start` of VRAM. Whether that was done.
pub fn fill(space: &AddressSpace, start: u64, size: u64) -> bool {
    if size > LARGEST {
        return false;
    }
    let memory = space.enter();
    // Whole dwords: the allocation has all of its last page.
    let end = start.saturating_add(size.next_multiple_of(4));
    let Some(window) = memory.window(start, Access::Write).ok().filter(|window| window.end >= end) else {
        return false;
    };
    let host = window.host.wrapping_add((start - window.start) as usize).cast::<u32>();
    if let Some(caches) = memory.caches() {
        caches.expose(host as u64, end - start);
    }
    for (index, address) in (start..end).step_by(4).enumerate() {
        // SAFETY: it is mapped while `memory` lives, and aligned as pages are. Others may write there: it is no value
        // of Rust's.
        unsafe { host.wrapping_add(index).write_volatile(of(address)) };
    }
    true
}

/// An engine has written the range from `start` to `end`. Records partly written dwords that still hold their poison;
/// `load` returns their content.
pub fn wrote(start: u64, end: u64, load: impl Fn(u64) -> Option<u32>) {
    if !is_wanted() {
        return;
    }
    for dword in [start, end].into_iter().filter(|edge| edge & 3 != 0).map(|edge| edge & !3) {
        if load(dword) == Some(of(dword)) {
            allocations_mut().wrote_poison(dword);
        }
    }
}
