//! How many work-items a launch has, which both APIs are asked for in the same way.

use crate::{Error, Result};

/// Refuses a launch of nothing, and one of more than a packet can say. `global` is the work-items in each dimension,
/// `group` those of a work-group, and `asked` the caller's words for both.
///
/// AMD's OpenCL hands a size of 0, and the lower 32 bits of a larger one, on to ROCr, which ends the process
/// (`HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS`). HIP looks at some of it, by version. The grid's fields in
/// hsa_kernel_dispatch_packet_t of hsa.h have 32 bits.
pub(crate) fn check(
    global: impl IntoIterator<Item = u64>,
    group: impl IntoIterator<Item = u64>,
    asked: impl Fn() -> String,
) -> Result<()> {
    let refuse = |why: &str| Err(Error::Argument { subject: "work size", reason: format!("{}: {why}", asked()) });
    // Of all dimensions, as a 0 in one of them outweighs any other.
    let (mut all, mut too_many, mut none) = (1u64, false, group.into_iter().any(|items| items == 0));
    for items in global {
        none |= items == 0;
        too_many |= items > u32::MAX.into();
        all = all.checked_mul(items).unwrap_or_else(|| {
            too_many = true;
            1
        });
    }
    if none {
        return refuse("has no work-items; leave out the launch");
    }
    if too_many {
        return refuse(
            "has more work-items than a packet can say, 4294967295 in a dimension and 2^64 - 1 in all; launch several times",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_launch_has_some_work_items_and_as_many_as_a_packet_can_say() {
        const MAX_ITEMS: u64 = u32::MAX as u64;
        let outcome = |global: &[u64], group: &[u64]| {
            check(global.iter().copied(), group.iter().copied(), || "asked".to_owned())
                .map_err(|error| error.to_string())
        };
        for global in [&[1][..], &[MAX_ITEMS], &[MAX_ITEMS, MAX_ITEMS], &[1, 1, MAX_ITEMS], &[1 << 31, 1 << 31, 2]] {
            assert_eq!(outcome(global, &[64]), Ok(()), "{global:?}");
        }
        for (global, group) in
            [(&[0][..], &[][..]), (&[u64::MAX, u64::MAX, 0], &[]), (&[64], &[0]), (&[64, 64], &[64, 0])]
        {
            let error = outcome(global, group).expect_err("nothing");
            assert_eq!(error, "work size: asked: has no work-items; leave out the launch");
        }
        for global in [&[MAX_ITEMS + 1][..], &[1, u64::MAX], &[MAX_ITEMS, MAX_ITEMS, 2], &[1 << 31, 1 << 31, 4]] {
            let error = outcome(global, &[]).expect_err("too many");
            assert!(error.starts_with("work size: asked: has more work-items than a packet can say"), "{error}");
        }
    }
}
