//! What differs between the chips of the family.

/// Bytes that an engine is given at once, at least, where there is a least (ROCr, `BlitSdma::Initialize`: "a minimum of 64 DWORDS per ring
/// buffer submission").
pub const LEAST_SUBMISSION: u64 = 64 * 4;

/// How many bytes the engines of a GPU with this instruction set are given at once, at least: of gfx900 to gfx904 and gfx90c, as ROCr does.
pub fn least_submission(gfx_version: (u32, u32, u32)) -> u64 {
    match gfx_version {
        (9, 0, 0..=4 | 12) => LEAST_SUBMISSION,
        _ => 0,
    }
}

/// Whether POLL_REGMEM of memory ends only when the condition holds. Of gfx90x but gfx90a it may end before: ROCm/rocm-systems#1469, which made
/// ROCr wait on the host there (`sw_poll_workaround_` of `BlitSdma`).
pub fn polls_hold(gfx_version: (u32, u32, u32)) -> bool {
    !matches!(gfx_version, (9, 0, stepping) if stepping != 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_of_gfx90x_do_not_wait_but_those_of_gfx90a() {
        for version in [(9, 0, 0), (9, 0, 6), (9, 0, 8), (9, 0, 12)] {
            assert!(!polls_hold(version), "{version:?}");
        }
        for version in [(8, 0, 3), (9, 0, 10), (9, 4, 2), (9, 5, 0), (10, 3, 0)] {
            assert!(polls_hold(version), "{version:?}");
        }
    }
}
