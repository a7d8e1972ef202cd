//! The race check reports two lanes that store different values to the same place in one instruction, in LDS and in
//! device memory.

mod support;

#[path = "support/machine.rs"]
mod machine;

use gcn::exec::{Compile, Order};
use gcn::sanitizer::Unordered;
use machine::Machine;
use machine::memory::Raced;

/// Before each case: v0 is the lane, v1 four times that, v2 0, v3 1, v4 the lane in the upper half.
const BEFORE: &str = "v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 0
    v_mov_b32 v3, 1
    v_lshlrev_b32 v4, 16, v0";

/// A store that is told, and one like it that is not.
const IN_LDS: &[(&str, &str)] = &[
    ("ds_write_b32 v2, v0", "ds_write_b32 v2, v3"),
    ("ds_write_b32 v2, v0", "ds_write_b32 v1, v0"),
    ("ds_write_b8 v2, v0", "ds_write_b8 v2, v4"),
    ("ds_write_b8_d16_hi v2, v4", "ds_write_b8_d16_hi v2, v0"),
    ("ds_write2_b32 v2, v3, v0 offset1:1", "ds_write2_b32 v2, v3, v2 offset1:1"),
    ("ds_write_b64 v2, v[3:4]", "ds_write_b64 v2, v[2:3]"),
];
const IN_DEVICE_MEMORY: &[(&str, &str)] = &[
    ("global_store_dword v2, v0, s[0:1]", "global_store_dword v2, v3, s[0:1]"),
    ("global_store_dword v2, v0, s[0:1]", "global_store_dword v1, v0, s[0:1]"),
    ("global_store_short v0, v0, s[0:1]", "global_store_byte v0, v0, s[0:1]"),
    ("global_store_dwordx2 v2, v[3:4], s[0:1]", "global_store_dwordx2 v2, v[2:3], s[0:1]"),
];
#[test]
fn lanes_that_store_different_values_to_one_place_are_told() {
    let Some(mut machine) = Machine::new() else { return };
    let mut told = |store: &str, is_lds: bool| {
        let lines = machine::lines(&format!("{BEFORE}\n{store}\ns_endpgm"));
        let raced = match is_lds {
            true => machine.check_group(1, &lines, Order::round_robin()).2,
            false => machine.check_grid(Compile::After(0), 1, 1, &lines, &mut |_| (0, 100_000)),
        };
        let of = |raced: &Raced| {
            assert_eq!((&raced.by[0].instruction[..], &raced.by[1].instruction[..]), (store, store));
            assert_ne!(raced.by[0].lane, raced.by[1].lane);
            raced.unordered
        };
        raced.iter().map(of).collect::<Vec<_>>()
    };
    for (cases, is_lds) in [(IN_LDS, true), (IN_DEVICE_MEMORY, false)] {
        for (wrong, right) in cases {
            assert_eq!(told(wrong, is_lds), [Unordered::Lanes], "{wrong}");
            assert_eq!(told(right, is_lds), [], "{right}");
        }
    }
    // What is atomic in the source is plain in the code.
    assert_eq!(told("global_atomic_add v2, v3, s[0:1]\nglobal_store_dword v2, v0, s[0:1]", false), []);
}
