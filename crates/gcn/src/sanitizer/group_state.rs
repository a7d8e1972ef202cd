//! The sanitizer's state for a work-group.

use crate::sanitizer::Sanitizer;
use crate::sanitizer::init::shadow_bits::Written;
use crate::sanitizer::race::global::Sharing;
use crate::sanitizer::race::lds::Races;
use crate::sanitizer::report::{Checks, Wanted};
use crate::sanitizer::sync::barrier::Barriers;
use crate::sanitizer::sync::waitcnt::Waits;

/// Kept from one work-group to the next, each part once it was needed.
#[derive(Default)]
pub(crate) struct GroupState {
    races: Option<Box<Races>>,
    sharing: Option<Box<Sharing>>,
    written: Option<Box<Written>>,
    barriers: Option<Box<Barriers>>,
    waits: Option<Box<Waits>>,
}

/// A work-group that is looked at.
pub(crate) struct Group<'a> {
    /// The index of the work-group, and the number of work-groups, in each dimension.
    pub place_in_grid: &'a [[u32; 3]; 2],
    pub waves: usize,
    pub lds_bytes: usize,
    /// Private memory of a work-item.
    pub private_bytes: u32,
}

impl GroupState {
    /// Looks for what `checks` wants in a work-group, which begins if it `is_new`.
    #[cold]
    pub fn sanitizer<'a>(&'a mut self, checks: &'a dyn Checks, group: &Group<'a>, is_new: bool) -> Sanitizer<'a> {
        let wanted = checks.wanted();
        let Wanted { races, unwritten, barriers, ended, waits: finds_waits, .. } = wanted;
        let Group { place_in_grid: [id, groups], waves, lds_bytes, private_bytes } = *group;
        let several = waves > 1;
        let sharing = races && checks.shadow().is_some();
        Sanitizer {
            checks,
            wanted,
            raced: races.then_some(id),
            races: kept(&mut self.races, races && several, is_new, |races| races.start(*id, lds_bytes)),
            sharing: kept(&mut self.sharing, sharing, is_new, |sharing| sharing.start(*id, *groups)),
            written: kept(&mut self.written, unwritten, is_new, |written| {
                written.start(lds_bytes as u32, waves as u32, private_bytes);
            }),
            barriers: kept(&mut self.barriers, several && (barriers || ended), is_new, |barriers| barriers.start(*id)),
            waits: kept(&mut self.waits, finds_waits, is_new, |waits| waits.start(*id, waves)),
        }
    }
}

/// The one of these that is kept, if it is wanted; it starts with a new group.
fn kept<T: Default>(
    kept: &mut Option<Box<T>>,
    is_wanted: bool,
    is_new: bool,
    start: impl FnOnce(&mut T),
) -> Option<&mut T> {
    if is_wanted && is_new {
        start(kept.get_or_insert_default());
    }
    kept.as_deref_mut().filter(|_| is_wanted)
}
