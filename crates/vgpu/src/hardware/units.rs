//! Compute units by shader engine: which there are, and which a queue may use.

use crate::hardware::profile::Profile;

/// Compute units that an engine could have.
const PER_ENGINE: u32 = 16;

/// One compute unit: where it is on the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit(u8);

impl Unit {
    /// Most units of a GPU, those that are absent included: [`Unit::index`] is below.
    pub const COUNT: usize = 128;

    fn new(engine: u32, number: u32) -> Unit {
        Unit((engine * PER_ENGINE + number) as u8)
    }

    /// A number that no other unit of the GPU has.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Its shader engine.
    pub fn engine(self) -> u32 {
        u32::from(self.0) / PER_ENGINE
    }

    /// Its number in the engine, those that are absent counted too.
    pub fn number(self) -> u32 {
        u32::from(self.0) % PER_ENGINE
    }
}

/// The units that are there, in the order in which work is spread over them and in which the bits of a queue's mask stand for them: one of each
/// engine, then the next of each.
pub fn all(profile: &Profile) -> Vec<Unit> {
    // The bits of the units that are present, from which each turn takes the lowest.
    let mut left: Vec<u32> = (0..profile.shader_engines).map(|engine| profile.units_of_engine(engine)).collect();
    let mut units = Vec::new();
    while left.iter().any(|bits| *bits != 0) {
        for (engine, bits) in left.iter_mut().enumerate().filter(|(_, bits)| **bits != 0) {
            units.push(Unit::new(engine as u32, bits.trailing_zeros()));
            *bits &= *bits - 1;
        }
    }
    units
}

/// A set of compute units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Units(u128);

impl Units {
    /// All that are there.
    pub fn all(profile: &Profile) -> Units {
        Units::of(all(profile))
    }

    /// Those for which a bit of `mask` is set, as the driver spreads a queue's mask over the engines (`mqd_symmetrically_map_cu_mask`). Units
    /// behind the mask's end are not in it.
    pub fn masked(profile: &Profile, mask: &[u32]) -> Units {
        let bits = mask.iter().flat_map(|word| (0..32).map(move |bit| word >> bit & 1 != 0));
        Units::of(all(profile).into_iter().zip(bits).filter_map(|(unit, enabled)| enabled.then_some(unit)))
    }

    fn of(units: impl IntoIterator<Item = Unit>) -> Units {
        Units(units.into_iter().fold(0, |bits, unit| bits | 1 << unit.0))
    }

    /// Whether `unit` is one of them.
    pub fn has(self, unit: Unit) -> bool {
        self.0 >> unit.0 & 1 != 0
    }

    /// How many.
    pub fn count(self) -> u32 {
        self.0.count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::profile::MI100;

    fn places(units: Units) -> Vec<(u32, u32)> {
        all(&MI100).into_iter().filter(|unit| units.has(*unit)).map(|unit| (unit.engine(), unit.number())).collect()
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
}
