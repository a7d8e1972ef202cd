//! Free compute units for work-groups.

use crate::hardware::profile::Profile;
use crate::hardware::units::{self, Unit, Units};

/// Parts that a compute unit is divided into, to count what work-groups of several dispatches take of it. Divisible by
/// 1 to 10, 16, 20 and 40.
const PARTS: u64 = 5040;

/// The resources of the GPU that a dispatch uses.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Compute units that it may use, until its queue's mask changes.
    pub units: Units,
    /// The work-groups that fit on a compute unit, at least 1.
    pub per_cu: u32,
    /// Waves of a work-group.
    pub waves: u32,
    /// The first XCC over which its work-groups are spread, and how many there are.
    pub xccs: [u32; 2],
    /// Work-groups of an XCC that may run at once: what its compute units and its part of the private memory allow.
    pub limit: u32,
    /// Slots of private memory of an XCC, including surplus ones.
    pub slots: u32,
}

impl Room {
    /// The place of the XCC of work-group `group` among those over which they are spread: one after the other, by their
    /// numbers (`compute_tg_chunk_size` of `kfd_mqd_manager_v9.c` is 1).
    pub fn xcc_of(&self, group: u64) -> u32 {
        let [_, count] = self.xccs;
        (group % u64::from(count)) as u32
    }

    /// What one work-group takes of a compute unit, of [`PARTS`].
    fn cost(&self) -> u64 {
        PARTS / u64::from(self.per_cu.max(1))
    }
}

/// The resources in use on each compute unit.
pub struct Occupied {
    /// Of [`PARTS`], by [`Unit::index`].
    used: [u64; Unit::COUNT],
    /// Wave slots, a bit each, likewise.
    waves: [u64; Unit::COUNT],
    /// The units in the order in which they get work-groups.
    order: Vec<Unit>,
    /// Next in the order.
    next: usize,
}

impl Occupied {
    /// Nothing is.
    pub fn none(profile: &Profile) -> Occupied {
        Occupied { used: [0; Unit::COUNT], waves: [0; Unit::COUNT], order: units::all(profile), next: 0 }
    }

    /// Reserves the resources of a work-group on the next of `units` of an XCC with enough of them. Returns the unit
    /// and its wave slots.
    pub fn take(&mut self, room: &Room, units: &Units, xcc: u32) -> Option<(Unit, u64)> {
        let cost = room.cost();
        let count = self.order.len();
        let fits = |at: &usize| {
            let unit = self.order[*at];
            u32::from(unit.xcc) == xcc && units.has(unit) && self.used[unit.index()] + cost <= PARTS
        };
        let at = (0..count).map(|i| (self.next + i) % count).find(fits)?;
        let unit = self.order[at];
        self.next = at + 1;
        self.used[unit.index()] += cost;
        let taken = &mut self.waves[unit.index()];
        let waves = (0..room.waves).fold(0, |waves, _| waves | lowest(!(*taken | waves)));
        *taken |= waves;
        Some((unit, waves))
    }

    /// Gives back what [`Occupied::take`] gave.
    pub fn give_back(&mut self, room: &Room, unit: Unit, waves: u64) {
        self.used[unit.index()] -= room.cost();
        self.waves[unit.index()] &= !waves;
    }
}

/// The lowest bit that is set.
fn lowest(bits: u64) -> u64 {
    bits & bits.wrapping_neg()
}
