//! Where this process has devices mapped: the host's kernel takes these for ordinary memory, and would do with them what Linux refuses for a
//! device's.

use crate::address_set::AddressSet;
use crate::driver::user;

/// All of them, unless there are too many.
pub(super) static MAPPED: AddressSet = AddressSet::empty();

/// In a forked child, where those are not that a child does not get.
pub(super) fn look_again_in_child() {
    if MAPPED.any() {
        MAPPED.clear();
        user::device_ranges().into_iter().for_each(|range| _ = MAPPED.add(range.start, range.end - range.start));
    }
}
