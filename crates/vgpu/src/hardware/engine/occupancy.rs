//! Which compute units have room for a work-group.

use crate::hardware::profile::Profile;
use crate::hardware::units::{self, Unit, Units};

/// Parts that a compute unit is divided into, to count what work-groups of several dispatches take of it. Divisible by 1 to 10, 16,
/// 20 and 40.
const PARTS: u64 = 5040;

/// What a dispatch takes of the GPU.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Compute units that it may use, until its queue's mask changes.
    pub units: Units,
    /// Work-groups of it that a compute unit holds, at least 1.
    pub per_cu: u32,
    /// Waves of a work-group.
    pub waves: u32,
    /// Work-groups that may run at once: what the whole GPU and the private memory allow.
    pub limit: u32,
}

impl Room {
    /// What one work-group takes of a compute unit, of [`PARTS`].
    fn cost(&self) -> u64 {
        PARTS / u64::from(self.per_cu.max(1))
    }
}

/// What of each compute unit is in use.
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

    /// Takes the room of a work-group on the next of `units` that has it: the unit and the wave slots there.
    pub fn take(&mut self, room: &Room, units: Units) -> Option<(Unit, u64)> {
        let cost = room.cost();
        let count = self.order.len();
        let fits = |at: &usize| {
            let unit = self.order[*at];
            units.has(unit) && self.used[unit.index()] + cost <= PARTS
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
