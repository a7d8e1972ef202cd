//! Compute units: those that exist, and the masks of queues.

use crate::hardware::profile::Profile;

/// Most compute units of a GPU.
const MOST: usize = 320;

/// One compute unit: where it is on the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    index: u16,
    /// The XCC.
    pub xcc: u8,
    /// The shader engine, of the XCC.
    pub engine: u8,
    /// The unit's number in its engine, counting absent ones.
    pub number: u8,
}

impl Unit {
    /// Most units of a GPU: [`Unit::index`] is below.
    pub const COUNT: usize = MOST;

    /// The place in [`all`].
    pub fn index(self) -> usize {
        usize::from(self.index)
    }
}

/// The units that are there, in the order in which work is spread over them and in which the bits of a queue's mask
/// stand for them: of the first engine of each XCC one, of the second of each, and so on, then the next of each.
pub fn all(profile: &Profile) -> Vec<Unit> {
    // The bits of the units that are present, from which each turn takes the lowest.
    let mut left: Vec<u32> = (0..profile.shader_engines).map(|engine| profile.units_of_engine(engine)).collect();
    let mut units = Vec::new();
    while left.iter().any(|bits| *bits != 0) {
        for (engine, bits) in (0..).zip(&mut left).filter(|(_, bits)| **bits != 0) {
            let number = bits.trailing_zeros() as u8;
            let of = |xcc| Unit { index: 0, xcc, engine, number };
            units.extend((0..profile.xccs as u8).map(of));
            *bits &= *bits - 1;
        }
    }
    (0..).zip(&mut units).for_each(|(index, unit)| unit.index = index);
    units
}

/// A set of compute units: a bit for each place in [`all`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units([u32; MOST / 32]);

impl Units {
    /// All that are there.
    pub fn all(profile: &Profile) -> Units {
        Units::masked(profile, &[u32::MAX; MOST / 32])
    }

    /// The units whose bit is set in `mask`, as the driver spreads a queue's mask over XCCs and engines
    /// (`mqd_symmetrically_map_cu_mask`). Units after the mask's end are excluded.
    pub fn masked(profile: &Profile, mask: &[u32]) -> Units {
        let there = |word: usize| match (profile.compute_units as usize).saturating_sub(32 * word) {
            left @ 0..32 => (1 << left) - 1,
            _ => u32::MAX,
        };
        Units(std::array::from_fn(|word| mask.get(word).map_or(0, |bits| bits & there(word))))
    }

    /// Whether `unit` is one of them.
    pub fn has(&self, unit: Unit) -> bool {
        self.0[unit.index() / 32] >> (unit.index() % 32) & 1 != 0
    }

    /// How many.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|bits| bits.count_ones()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::profile::{MI100, MI300X, PROFILES};

    fn places(units: Units) -> Vec<(u8, u8)> {
        all(&MI100).into_iter().filter(|unit| units.has(*unit)).map(|unit| (unit.engine, unit.number)).collect()
    }

    /// An MI100 has 15 of 16 units in each of 8 engines. The first of each is the absent one here.
    #[test]
    fn bits_stand_for_one_unit_of_each_engine_in_turn() {
        assert_eq!(Units::all(&MI100).count(), 120);
        assert_eq!(places(Units::masked(&MI100, &[1])), [(0, 1)]);
        assert_eq!(places(Units::masked(&MI100, &[0b1000_0010])), [(1, 1), (7, 1)]);
        assert_eq!(places(Units::masked(&MI100, &[0x100, 1 << 31])), [(0, 2), (7, 8)]);
        assert_eq!(places(Units::masked(&MI100, &[0, 0, 0, 1 << 23])), [(7, 15)]);
        // Bits behind the last unit stand for none, and units behind the last bit are not enabled.
        assert_eq!(Units::masked(&MI100, &[0, 0, 0, 0xff00_0000, u32::MAX]).count(), 0);
        assert_eq!(Units::masked(&MI100, &[u32::MAX]).count(), 32);
        assert_eq!(Units::masked(&MI100, &[u32::MAX; 8]), Units::all(&MI100));
    }

    /// The example of `mqd_symmetrically_map_cu_mask`: of n XCCs, bit 0 is the first one's and bit n is of its second
    /// engine.
    #[test]
    fn bits_stand_for_the_xccs_in_turn() {
        let places = |mask: &[u32]| -> Vec<(u8, u8, u8)> {
            let units = Units::masked(&MI300X, mask);
            let those = all(&MI300X).into_iter().filter(|unit| units.has(*unit));
            those.map(|unit| (unit.xcc, unit.engine, unit.number)).collect()
        };
        assert_eq!(places(&[0b1_1000_0001]), [(0, 0, 0), (7, 0, 0), (0, 1, 0)]);
        // Of 38 units an engine has ten or nine, of which the first is absent here.
        assert_eq!(places(&[1 << 16, 1]), [(0, 2, 1), (0, 0, 1)]);
        // The last two turns are of the engines that have ten.
        assert_eq!(places(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 1 << 15]), [(7, 1, 9)]);
        assert_eq!(Units::masked(&MI300X, &[u32::MAX; 32]).count(), 304);
    }

    #[test]
    fn every_unit_has_a_place_of_its_own() {
        for profile in PROFILES {
            let units = all(profile);
            assert_eq!(units.len() as u32, profile.compute_units, "{}", profile.name);
            assert!(units.len() <= Unit::COUNT);
            assert!(units.iter().enumerate().all(|(at, unit)| unit.index() == at));
            let of_first = units.iter().filter(|unit| unit.xcc == 0).count() as u32;
            assert_eq!(of_first * profile.xccs, profile.compute_units, "{}", profile.name);
        }
    }
}
