//! Atomics on floats and halves, loads to LDS, and which cache loads go through.

use crate::machine::memory::Asked;
use crate::machine::{HEAP, Lanes, lines};
use crate::support::Random;
use crate::{NO_LLVM, machine};
use gcn::bus::{Access, Path};

/// v2 is the heap's offset from s\[0:1\], v\[4:5\] its address.
fn setup() -> String {
    format!(
        "s_mov_b32 s6, {HEAP}
        s_mov_b32 s7, 0
        v_mov_b32 v2, s6
        v_mov_b64 v[4:5], s[0:1]
        v_lshl_add_u64 v[4:5], v[4:5], 0, s[6:7]"
    )
}

/// Two values in the halves of a dword.
fn halves(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}

/// Bits of a small integer as f16 and as bf16.
fn small(value: i32) -> [u16; 2] {
    let bits = (value as f32).to_bits();
    let f16 = if value == 0 {
        0
    } else {
        (bits >> 16 & 0x8000 | ((bits >> 23 & 0xff) - 112) << 10 | bits >> 13 & 0x3ff) as u16
    };
    [f16, (bits >> 16) as u16]
}

/// All lanes add to one dword, in memory by each kind of address and in LDS: what lanes get back, and what is there in
/// the end.
#[test]
fn packed_halves_are_added() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let mut random = Random(16);
    let values: [[i32; 2]; 64] = std::array::from_fn(|_| [0, 1].map(|_| random.below(7) as i32 - 3));
    for (kind, name) in ["f16", "bf16"].into_iter().enumerate() {
        let bits = |[low, high]: [i32; 2]| halves(small(low)[kind], small(high)[kind]);
        let input = [values.map(bits), [0; 64], [0; 64], [0; 64]];
        let prepare = setup();
        for way in [
            format!("flat_atomic_pk_add_{name} v20, v[4:5], v10 sc0"),
            format!("global_atomic_pk_add_{name} v20, v2, v10, s[0:1] sc0"),
            format!(
                "v_mov_b32 v3, 0\nds_write_b32 v3, v3\nds_pk_add_rtn_{name} v20, v3, v10\nds_pk_add_{name} v3, v10\nds_read_b32 v21, v3"
            ),
        ] {
            machine.heap[0] = 0;
            let output = machine.run(&lines(&format!("{prepare}\n{way}")), input);
            let mut sum = [0, 0];
            for lane in 0..64 {
                assert_eq!(output[0][lane], bits(sum), "{way}: lane {lane}");
                sum = [0, 1].map(|half| sum[half] + values[lane][half]);
            }
            if way.contains("ds_") {
                assert_eq!(output[1][5], bits(sum.map(|half| 2 * half)), "{way}");
            } else {
                assert_eq!(machine.heap[0], bits(sum), "{way}");
            }
        }
    }
}

/// bf16 sums are rounded once, to nearest even.
#[test]
fn sums_of_bf16_are_rounded() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    // 1 + 2^-8 is half way to the next bf16, 1 + 3 * 2^-8 too; low and high half.
    machine.heap[0] = halves(0x3f80, 0x3f81);
    let code = format!(
        "v_mov_b32 v2, {HEAP}\ns_mov_b64 exec, 1\nglobal_atomic_pk_add_bf16 v2, v10, s[0:1]\ns_mov_b64 exec, -1"
    );
    machine.run(&lines(&code), [[halves(0x3b80, 0x3b80); 64], [0; 64], [0; 64], [0; 64]]);
    assert_eq!(machine.heap[0], halves(0x3f80, 0x3f82));
}

/// By FLAT too, and with denormals, which gfx908 and gfx90a flush there.
#[test]
fn additions_of_floats_keep_denormals() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let prepare = setup();
    for way in [
        "flat_atomic_add_f32 v20, v[4:5], v10 sc0".to_owned(),
        "global_atomic_add_f32 v20, v2, v10, s[0:1] sc0".to_owned(),
        "s_mov_b32 s4, s0\ns_mov_b32 s5, s1\ns_mov_b32 s6, -1\ns_mov_b32 s7, 0x27000\nv_mov_b32 v20, v10\nbuffer_atomic_add_f32 v20, v2, s[4:7], 0 offen sc0".to_owned(),
    ] {
        machine.heap[0] = 5;
        let output = machine.run(&lines(&format!("{prepare}\n{way}")), [[3; 64], [0; 64], [0; 64], [0; 64]]);
        let expected: Lanes = std::array::from_fn(|lane| 5 + 3 * lane as u32);
        assert_eq!((output[0], machine.heap[0]), (expected, 5 + 3 * 64), "{way}");
    }
}

#[test]
fn loads_go_to_lds_by_operations_of_their_own() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    machine.heap.iter_mut().enumerate().for_each(|(i, word)| *word = (i as u32).wrapping_mul(0x9e37_79b9));
    let heap = machine.heap;
    for (name, extend) in [
        ("dword", (|word| word) as fn(u32) -> u32),
        ("ubyte", |word| word & 0xff),
        ("sbyte", |word| word as i8 as u32),
        ("ushort", |word| word & 0xffff),
        ("sshort", |word| word as i16 as u32),
    ] {
        let code = format!(
            "s_mov_b32 m0, 256
            v_lshlrev_b32 v2, 3, v0
            v_add_u32 v2, {HEAP}, v2
            global_load_lds_{name} v2, s[0:1] offset:16
            v_lshlrev_b32 v3, 2, v0
            ds_read_b32 v20, v3 offset:272"
        );
        let output = machine.run(&lines(&code), [[0; 64]; 4]);
        for lane in 0..64 {
            assert_eq!(output[0][lane], extend(heap[4 + 2 * lane]), "{name}, lane {lane}");
        }
    }
}

/// The scope of an access decides: a work-group has one compute unit, and a device several L2s.
#[test]
fn accesses_of_larger_scopes_pass_the_caches_by() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let setup = format!("v_mov_b32 v2, {HEAP}");
    machine.run(&lines(&setup), [[0; 64]; 4]);
    let around = machine.asked.len() / 2;
    let loads = |path| vec![Asked::Reach(Access::Read, path)];
    let stores = |path| vec![Asked::Reach(Access::Write, path)];
    for (line, expected) in [
        ("global_load_dword v4, v2, s[0:1]", loads(Path::Vector)),
        ("global_load_dword v4, v2, s[0:1] sc0", loads(Path::Vector)),
        ("global_load_dword v4, v2, s[0:1] nt", loads(Path::Vector)),
        ("global_load_dword v4, v2, s[0:1] sc1", loads(Path::Coherent)),
        ("global_load_dword v4, v2, s[0:1] sc0 sc1", loads(Path::Coherent)),
        ("buffer_inv sc1", vec![Asked::Invalidate(Path::Vector)]),
        ("global_store_dword v2, v2, s[0:1] sc0", stores(Path::Vector)),
        ("global_store_dword v2, v2, s[0:1] sc1", stores(Path::Coherent)),
        ("global_store_dwordx4 v2, v[4:7], s[0:1] sc0 sc1", stores(Path::Coherent)),
        ("buffer_inv sc0 sc1", vec![Asked::InvalidateL2, Asked::Invalidate(Path::Vector)]),
        ("buffer_inv sc0", vec![]),
        ("buffer_wbl2 sc0", vec![]),
        ("buffer_wbl2 sc1", vec![Asked::WriteBackL2]),
        ("buffer_wbl2 sc0 sc1", vec![Asked::WriteBackL2]),
    ] {
        machine.run(&lines(&format!("{setup}\n{line}")), [[0; 64]; 4]);
        let mut asked = machine.asked[around..machine.asked.len() - around].to_vec();
        asked.dedup();
        assert_eq!(asked, expected, "{line}");
    }
}
