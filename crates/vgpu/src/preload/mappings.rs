//! Device mappings of this process. The host's kernel sees ordinary memory there, so that requests which Linux refuses
//! on device memory are refused here.

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
