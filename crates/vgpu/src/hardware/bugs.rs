//! Known hardware bugs as options (`--hardware-bugs`), so that a program can be tested against them.
//! `docs/src/notes/hardware.md` lists the known bugs of gfx9, and those that are modelled.

use std::str::FromStr;

use super::profile::Profile;

/// One such bug.
#[derive(Debug)]
pub struct Bug {
    /// The name in `--hardware-bugs`.
    pub name: &'static str,
    /// The behaviour of the hardware.
    pub about: &'static str,
    /// Whether a chip of this `gfx_target_version` has it.
    on: fn(u32) -> bool,
}

/// SDMA's POLL_REGMEM of memory may end although the condition does not hold. ROCm/rocm-systems#1469, and
/// `sw_poll_workaround_` of ROCr's `BlitSdma`, which say it of all gfx90x but gfx90a.
pub const EARLY_POLLS: usize = 0;
/// SDMA may overlap copies and writes that follow each other, so that what stands behind a copy is done before it.
/// ROCr's `BlitSdma::SubmitCommand`, which therefore reports completion by a fence or an atomic, not by a write. It
/// makes no exception for a chip.
pub const OVERLAPPING_COPIES: usize = 1;
/// A doorbell reaches the GPU some time after the program's store, and of several only the last may. Stores to a PCI
/// Express device are posted: the host gets no answer and does not wait (PCI Express Base Specification, Transaction
/// Ordering). ROCr takes care of the "timely delivery of (write-combined) doorbell" in `AqlQueue::StoreRelaxed`. No
/// chip is excepted.
pub const LATE_DOORBELLS: usize = 2;

/// All of them.
pub static BUGS: &[Bug] = &[
    Bug {
        name: "early-polls",
        about: "every other wait of a copy engine (POLL_REGMEM of memory), drawn at random, ends at once (gfx90x but gfx90a)",
        on: |version| (90_000..90_100).contains(&version) && version != 90_010,
    },
    Bug {
        name: "overlapping-copies",
        about: "every other copy or fill of a copy engine, drawn at random, is done only before the next packet that is neither copy, fill nor write",
        on: |_| true,
    },
    Bug {
        name: "late-doorbells",
        about: "each doorbell reaches its queue up to a millisecond late, drawn at random, and of those rung meanwhile only the last",
        on: |_| true,
    },
];

/// A choice of [`BUGS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HardwareBugs(u32);

impl HardwareBugs {
    /// Every bug.
    pub const ALL: HardwareBugs = HardwareBugs(u32::MAX);

    /// Whether number `bug` of [`BUGS`] was chosen and a GPU of this model has it.
    pub fn has(self, bug: usize, profile: &Profile) -> bool {
        self.0 & 1 << bug != 0 && (BUGS[bug].on)(profile.gfx_target_version)
    }
}

/// Why a list makes no sense.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("--hardware-bugs: no bug is called {name:?}; there are: all, {}", BUGS.iter().map(|bug| bug.name).collect::<Vec<_>>().join(", "))]
pub struct ParseError {
    name: String,
}

/// The text of `Display`, as `main` prints an error by this.
impl std::fmt::Debug for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl FromStr for HardwareBugs {
    type Err = ParseError;

    /// Names separated by commas; `all` for every one.
    fn from_str(list: &str) -> Result<HardwareBugs, ParseError> {
        list.split(',').try_fold(HardwareBugs::default(), |bugs, name| {
            if name == "all" {
                return Ok(HardwareBugs::ALL);
            }
            let number =
                BUGS.iter().position(|bug| bug.name == name).ok_or_else(|| ParseError { name: name.into() })?;
            Ok(HardwareBugs(bugs.0 | 1 << number))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::profile::MI100;

    #[test]
    fn names_are_those_of_bugs() {
        assert_eq!("all".parse(), Ok(HardwareBugs::ALL));
        assert_eq!("early-polls".parse(), Ok(HardwareBugs(1 << EARLY_POLLS)));
        assert_eq!(BUGS[EARLY_POLLS].name, "early-polls");
        assert_eq!(BUGS[OVERLAPPING_COPIES].name, "overlapping-copies");
        assert_eq!(BUGS[LATE_DOORBELLS].name, "late-doorbells");
        let error = "early-polls,erly".parse::<HardwareBugs>().unwrap_err();
        assert_eq!(
            format!("{error:?}"),
            "--hardware-bugs: no bug is called \"erly\"; there are: all, early-polls, overlapping-copies, late-doorbells"
        );
    }

    /// Those that `sw_poll_workaround_` is for.
    #[test]
    fn polls_end_early_on_gfx90x_but_gfx90a() {
        assert!(HardwareBugs::ALL.has(EARLY_POLLS, &MI100) && !HardwareBugs::default().has(EARLY_POLLS, &MI100));
        let with = |version| (BUGS[EARLY_POLLS].on)(version);
        assert!([90_000, 90_006, 90_008, 90_012].into_iter().all(with));
        assert!(![80_003, 90_010, 90_402, 90_500, 100_300].into_iter().any(with));
    }
}
