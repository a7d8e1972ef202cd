//! Instruction sequences of hand-written assembly that compilers do not emit, as in the kernels of rocBLAS (Tensile)
//! and MIOpen, assembled by llvm-mc. `docs/src/notes/compiled-code.md` lists them with the tests of each.

mod support;

#[path = "support/machine.rs"]
mod machine;

use machine::{HEAP, Lanes, Machine};
use support::Random;

fn lanes(f: impl Fn(usize) -> u32) -> Lanes {
    std::array::from_fn(f)
}

/// s\[8:11\] is a resource of `bytes` bytes at the heap, without a stride.
fn with_buffer(bytes: u32, lines: &[&str]) -> Vec<String> {
    let mut code = vec![
        format!("s_add_u32 s8, s0, {HEAP}"),
        "s_addc_u32 s9, s1, 0".into(),
        format!("s_mov_b32 s10, {bytes:#x}"),
        "s_mov_b32 s11, 0x20000".into(),
    ];
    code.extend(lines.iter().map(|&line| line.to_owned()));
    code
}

fn code(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|&line| line.to_owned()).collect()
}

/// Two registers with one half each are ORed, whatever they held.
#[test]
fn halves_are_put_together_by_or() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let mut random = Random(3);
    for (low, high) in [
        ("buffer_load_short_d16 v20, v10, s[8:11], 0 offen", "buffer_load_short_d16_hi v21, v11, s[8:11], 0 offen"),
        ("ds_read_u16 v20, v10", "ds_read_u16_d16_hi v21, v11"),
    ] {
        let text = [
            "v_lshlrev_b32 v1, 2, v0",
            "global_load_dword v2, v1, s[8:9]",
            "ds_write_b32 v1, v2",
            "v_mov_b32 v20, -1",
            "v_mov_b32 v21, v13",
            low,
            high,
            "s_waitcnt vmcnt(0) lgkmcnt(0)",
            "v_or_b32 v20, v20, v21",
        ];
        machine.heap = std::array::from_fn(|_| random.word());
        let heap = machine.heap;
        let half = |byte: u32| heap[byte as usize / 4] >> (8 * (byte & 2)) & 0xffff;
        let (a, b) = (lanes(|i| 2 * (i as u32 * 7 % 64)), lanes(|i| 2 * (63 - i as u32)));
        let [got, ..] = machine.run(&with_buffer(2048, &text), [a, b, a, [u32::MAX; 64]]);
        assert_eq!(got, lanes(|i| half(a[i]) | half(b[i]) << 16), "{low}");
    }
}

/// Lanes that have nothing to load or store get an offset out of range instead of a zero in EXEC, and the buffer may be
/// one of no bytes at an address that is not mapped.
#[test]
fn offsets_out_of_range_are_as_good_as_disabled_lanes() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let heap = |i: usize| 0x4000 + i as u32;
    for outside in [u32::MAX, 0x8000_0000, 0x7fff_fffc, 2048] {
        let offsets = lanes(|i| if i % 3 == 0 { outside } else { 4 * i as u32 });
        machine.heap = std::array::from_fn(heap);
        let text = [
            "v_mov_b32 v20, 5",
            "buffer_load_dword v20, v10, s[8:11], 0 offen",
            "s_mov_b32 s5, 64",
            "buffer_store_dword v11, v10, s[8:11], s5 offen",
        ];
        let [got, ..] = machine.run(&with_buffer(2048, &text), [offsets, [9; 64], [0; 64], [0; 64]]);
        assert_eq!(got, lanes(|i| if i % 3 == 0 { 0 } else { heap(i) }), "offset {outside:#x}");
        let mut expected: [u32; 512] = std::array::from_fn(heap);
        (0..64).filter(|i| i % 3 != 0).for_each(|i| expected[16 + i] = 9);
        assert_eq!(machine.heap, expected, "offset {outside:#x}");
    }
    let nowhere = [
        "s_mov_b32 s9, 0x7abc",
        "v_mov_b32 v20, 5",
        "buffer_load_dword v20, v10, s[8:11], 0 offen",
        "buffer_store_dwordx4 v[10:13], v10, s[8:11], 0 offen",
    ];
    let [got, ..] = machine.run(&with_buffer(0, &nowhere), [lanes(|i| 4 * i as u32); 4]);
    assert_eq!(got, [0; 64]);
}

/// Loads go to LDS one after another, M0 stepped between them.
#[test]
fn m0_steps_through_lds() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    machine.heap = std::array::from_fn(|i| 0x7000 + i as u32);
    let text = [
        "s_mov_b32 m0, 0x200",
        "buffer_load_dword v10, s[8:11], 0 offen lds",
        "s_add_u32 m0, m0, 0x100",
        "s_mov_b32 s5, 0x100",
        "buffer_load_dword v10, s[8:11], s5 offen lds",
        "s_waitcnt vmcnt(0)",
        "v_lshlrev_b32 v1, 2, v0",
        "ds_read_b32 v20, v1 offset:0x200",
        "ds_read_b32 v21, v1 offset:0x300",
    ];
    let offsets = lanes(|i| 4 * (i as u32 ^ 21));
    let [first, second, ..] = machine.run(&with_buffer(2048, &text), [offsets; 4]);
    assert_eq!(first, lanes(|i| 0x7000 + (i as u32 ^ 21)));
    assert_eq!(second, lanes(|i| 0x7040 + (i as u32 ^ 21)));
}

/// Branches further than 16 bits count: the program counter is read, changed and set.
#[test]
fn the_program_counter_is_computed() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let text = [
        "v_mov_b32 v20, 0",
        "v_mov_b32 v21, 0",
        "s_mov_b32 s6, 5",
        // Five times.
        "v_add_u32 v20, 1, v20",
        "s_sub_u32 s6, s6, 1",
        "s_cmp_eq_u32 s6, 0",
        "s_cbranch_scc1 4",
        "s_getpc_b64 s[4:5]",
        "s_sub_u32 s4, s4, 20",
        "s_subb_u32 s5, s5, 0",
        "s_setpc_b64 s[4:5]",
        // Over the next instruction.
        "s_getpc_b64 s[4:5]",
        "s_add_u32 s4, s4, 16",
        "s_addc_u32 s5, s5, 0",
        "s_setpc_b64 s[4:5]",
        "v_mov_b32 v21, 1",
    ];
    let [turns, skipped, ..] = machine.run(&code(&text), [[0; 64]; 4]);
    assert_eq!((turns, skipped), ([5; 64], [0; 64]));
}

/// Sums in memory by compare-and-swap: lanes leave the loop, in EXEC, once nobody came between.
#[test]
fn lanes_repeat_until_their_exchange_succeeds() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let text = [
        "buffer_load_dword v5, v10, s[8:11], 0 offen",
        "s_waitcnt vmcnt(0)",
        "v_mov_b32 v7, v5",
        "v_add_f32 v6, v5, v11",
        "buffer_atomic_cmpswap v[6:7], v10, s[8:11], 0 offen glc",
        "v_cmp_ne_u32 s[12:13], v6, v7",
        "v_mov_b32 v5, v6",
        "s_and_b64 exec, exec, s[12:13]",
        "s_cbranch_execnz 65527",
        "s_mov_b64 exec, -1",
    ];
    // Four lanes to a place, and all to one.
    for places in [16, 1] {
        machine.heap = [1f32.to_bits(); 512];
        let offsets = lanes(|i| 4 * (i as u32 % places));
        machine.run(&with_buffer(2048, &text), [offsets, lanes(|i| (i as f32).to_bits()), [0; 64], [0; 64]]);
        let mut expected = [1f32; 512];
        (0..64).for_each(|i| expected[i % places as usize] += i as f32);
        assert_eq!(machine.heap.map(f32::from_bits), expected);
    }
}

/// f32 to bf16, rounded to nearest even with integer operations; NaNs stay NaNs.
#[test]
fn bf16_is_rounded_by_hand() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let text = [
        "v_mov_b32 v6, 0x7fff",
        "v_mov_b32 v7, 0x7fff0000",
        "v_cmp_u_f32 s[4:5], v10, v10",
        "v_bfe_u32 v20, v10, 16, 1",
        "v_add3_u32 v20, v10, v20, v6",
        "v_cndmask_b32 v20, v20, v7, s[4:5]",
        "v_lshrrev_b32 v20, 16, v20",
    ];
    let mut random = Random(5);
    for round in 0..20 {
        let edge = [0x3f80_8000, 0x3f81_8000, 0x3f80_8001, 0x7f7f_ffff, 0x7f80_0000, 0xff80_0001, 0x7fc0_0000, 1];
        let input = lanes(|i| if round == 0 { edge[i % 8] } else { 0 })
            .map(|edge| edge | if round == 0 { 0 } else { random.word() });
        let [got, ..] = machine.run(&code(&text), [input; 4]);
        for (got, input) in got.into_iter().zip(input) {
            let value = f32::from_bits(input);
            if value.is_nan() {
                assert_eq!(got, 0x7fff);
                continue;
            }
            // The nearer neighbour, the even one of two that are as near; all are exact in f64.
            let (below, above) = (input >> 16, (input >> 16) + 1);
            let distance = |half: u32| match f32::from_bits(half << 16) {
                // One step of the exponent past the largest number, where infinity would be.
                end if end.is_infinite() && !value.is_infinite() => {
                    (f64::powi(2.0, 128) - f64::from(value.abs())).abs()
                }
                end => (f64::from(end) - f64::from(value)).abs(),
            };
            let expected = if value.is_infinite() || distance(below) < distance(above) {
                below
            } else if distance(below) > distance(above) {
                above
            } else {
                below + (below & 1)
            };
            assert_eq!(got, expected, "{input:#x}");
        }
    }
}

/// `ds_bpermute_b32` adds its offset to the lane's address.
#[test]
fn permutations_have_an_offset() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let (values, addresses) = (lanes(|i| 0x100 + i as u32), lanes(|i| 4 * (i as u32 * 5 % 64)));
    for offset in [0u32, 4, 128, 252] {
        let text = format!("ds_bpermute_b32 v20, v11, v10 offset:{offset}");
        let [got, ..] = machine.run(&[text], [values, addresses, values, values]);
        assert_eq!(got, lanes(|i| 0x100 + (addresses[i] + offset) / 4 % 64), "offset {offset}");
    }
}

/// A resource whose format is the invalid one switches loads, stores and atomics off, wherever it points: borders of
/// images are zero.
#[test]
fn a_resource_without_format_switches_accesses_off() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let heap = |i: usize| 0x4000 + i as u32;
    let text = |flags: &str| {
        let select = format!("s_cselect_b32 s11, {flags}");
        with_buffer(
            2048,
            &[
                "s_cmp_eq_u32 s10, 2048",
                &select,
                "v_mov_b32 v20, 5",
                "v_mov_b32 v21, 5",
                "v_mov_b32 v22, v11",
                "buffer_load_dword v20, v10, s[8:11], 0 offen",
                "buffer_load_format_x v21, v10, s[8:11], 0 offen",
                "buffer_atomic_add v22, v10, s[8:11], 0 offen glc",
                "buffer_store_dword v11, v10, s[8:11], 0 offen offset:1024",
            ],
        )
    };
    let offsets = lanes(|i| 4 * i as u32);
    for nowhere in [false, true] {
        machine.heap = std::array::from_fn(heap);
        let mut code = text("0, 0x24fac");
        if nowhere {
            code.insert(4, "s_mov_b32 s9, 0x7abc".into());
        }
        let [loaded, formatted, old, _] = machine.run(&code, [offsets, [9; 64], [0; 64], [0; 64]]);
        assert_eq!([loaded, formatted, old], [[0; 64]; 3]);
        assert_eq!(machine.heap, std::array::from_fn(heap));
    }
    // 32 bits, unsigned.
    let [loaded, formatted, old, _] = machine.run(&text("0x24fac, 0"), [offsets, [9; 64], [0; 64], [0; 64]]);
    assert_eq!([loaded, formatted, old], [lanes(heap); 3]);
    let expected = |i: usize| match i {
        0..64 => heap(i) + 9,
        256..320 => 9,
        _ => heap(i),
    };
    assert_eq!(machine.heap, std::array::from_fn(expected));
}

/// The first source of a vector instruction is a value in LDS, of the type and at the address in M0.
#[test]
fn a_value_in_lds_is_a_source() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let text = [
        "v_lshlrev_b32 v1, 2, v0",
        "ds_write_b32 v1, v10",
        "s_mov_b32 m0, 0x20010",
        "v_add_u32 v20, src_lds_direct, v11",
        "s_mov_b32 m0, 0x00013",
        "v_mov_b32 v21, src_lds_direct",
        "s_mov_b32 m0, 0x40013",
        "v_sub_u32 v21, src_lds_direct, v21",
        "s_mov_b32 m0, 0x10012",
        "v_mov_b32 v22, src_lds_direct",
        "s_mov_b32 m0, 0x50012",
        "v_cmp_eq_u32_e64 vcc, src_lds_direct, s4",
        "v_cndmask_b32 v23, 0, 1, vcc",
    ];
    let mut code = code(&text);
    code.insert(0, "s_mov_b32 s4, 0xffff89ab".into());
    let words = lanes(|i| if i == 4 { 0x89ab_cdef } else { 7 });
    let [sum, bytes, short, equal] = machine.run(&code, [words, lanes(|i| i as u32), [0; 64], [0; 64]]);
    assert_eq!(sum, lanes(|i| 0x89ab_cdef + i as u32));
    assert_eq!(bytes, [0xffff_ff89 - 0x89; 64], "signed less unsigned");
    assert_eq!((short, equal), ([0x89ab; 64], [1; 64]));
}

/// Waves wait for each other without a barrier: each counts its lanes in LDS and looks there until all have.
#[test]
fn waves_wait_for_a_count_in_lds() {
    const WAVES: u16 = 8;
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let mut lines = code(&[
        "v_lshlrev_b32 v1, 2, v0",
        "v_lshrrev_b32 v2, 6, v0",
        // The address of the one and, with its rounded high half, of the other.
        "s_mov_b32 m0, 0x2ffc0",
        "ds_write_b32 v1, v2",
        "ds_append v3 offset:65472",
        // Until all have.
        "v_cmp_eq_u32_e64 vcc, src_lds_direct, s4",
        "s_nop 0",
        "s_cbranch_vccz 65532",
        // What the last wave wrote.
        "v_mov_b32 v4, 0x700",
        "ds_read_b32 v4, v4",
        "v_lshlrev_b32 v3, 8, v3",
        "v_or_b32 v4, v4, v3",
        "global_store_dword v1, v4, s[0:1]",
        "s_endpgm",
    ]);
    lines.insert(0, format!("s_movk_i32 s4, {}", 64 * WAVES));
    let heap = machine.run_group(WAVES, &lines);
    let mut counts: Vec<u32> = heap.chunks(64).map(|lanes| lanes[0] >> 8).collect();
    assert!(heap.chunks(64).all(|lanes| lanes.iter().all(|&lane| lane == lanes[0] && lane & 0xff == 7)), "{heap:?}");
    counts.sort_unstable();
    assert_eq!(counts, (0..u32::from(WAVES)).map(|wave| 64 * wave).collect::<Vec<u32>>());
}

/// Lanes with nothing to write have an address out of LDS, and get 0 when they read there.
#[test]
fn addresses_out_of_lds_are_as_good_as_disabled_lanes() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let text = [
        "v_lshlrev_b32 v1, 2, v0",
        "ds_write_b32 v1, v11",
        "v_add_u32 v2, 1, v11",
        "ds_write_b32 v10, v2",
        "ds_read_b32 v20, v1",
        "v_mov_b32 v21, 3",
        "ds_read_b32 v21, v10",
    ];
    let own = lanes(|i| 0x100 + i as u32);
    for outside in [u32::MAX, 0x1_0000, 0x8000_0000] {
        let addresses = lanes(|i| if i % 5 == 0 { outside } else { 4 * i as u32 });
        let [after, read, ..] = machine.run(&code(&text), [addresses, own, own, own]);
        let written = |i: usize| own[i] + u32::from(!i.is_multiple_of(5));
        assert_eq!(after, lanes(written), "{outside:#x}");
        assert_eq!(read, lanes(|i| if i % 5 == 0 { 0 } else { written(i) }), "{outside:#x}");
    }
}

/// Conditions are operands, a carry comes from a comparison or a logical operation, and code is called.
#[test]
fn conditions_are_operands_and_carries() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let text = [
        // All lanes are below 64, none is 70.
        "v_cmp_eq_u32 vcc, 70, v0",
        "s_cmp_eq_u32 1, src_vccz",
        "s_cselect_b32 s4, 11, 22",
        "v_cmp_gt_u32 vcc, 64, v0",
        "s_cmp_eq_u32 1, src_vccz",
        "s_cselect_b32 s5, 11, 22",
        "v_mov_b32 v20, s4",
        "v_mov_b32 v21, s5",
        // 32 - lane, less one where the lane is 7.
        "v_cmp_eq_u32 vcc, 7, v0",
        "v_subb_co_u32 v22, vcc, 32, v0, vcc",
        // 100 and one more if the bits of 0x30 are set in 0x10, then if those of 0x40 are.
        "s_movk_i32 s6, 0x10",
        "s_and_b32 s7, s6, 0x30",
        "s_addc_u32 s8, 100, 0",
        "s_and_b32 s7, s6, 64",
        "s_addc_u32 s8, s8, 0",
        "v_mov_b32 v23, s8",
        // Over two instructions to the second part, and back.
        "s_call_b64 s[30:31], 1",
        "s_branch 3",
        "v_add_u32 v23, 1000, v23",
        "s_setpc_b64 s[30:31]",
    ];
    let [zero, other, difference, sum] = machine.run(&code(&text), [[0; 64]; 4]);
    assert_eq!((zero, other), ([11; 64], [22; 64]));
    assert_eq!(difference, lanes(|i| 32u32.wrapping_sub(i as u32).wrapping_sub(u32::from(i == 7))));
    assert_eq!(sum, [1101; 64]);
}
