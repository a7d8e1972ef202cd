//! Instructions that gfx90a added, assembled by LLVM and executed, against the host's arithmetic.

#![expect(clippy::needless_range_loop, reason = "a lane's number is also what its values are computed from")]

#[path = "support/machine.rs"]
mod machine;
mod support;

use gcn::target::Target;
use machine::{HEAP, Lanes, Machine, lines};
use support::Random;

fn machine() -> Option<Machine> {
    Machine::of(Target::Gfx90a)
}

const NO_LLVM: &str = "llvm-mc (Debian package llvm-19) is not installed";

/// Floats of all magnitudes and signs, without NaN.
fn floats(random: &mut Random) -> [Lanes; 4] {
    let special = [0.0f32, -0.0, 1.0, f32::INFINITY, f32::MIN_POSITIVE / 4.0, f32::MAX];
    std::array::from_fn(|_| {
        std::array::from_fn(|lane| {
            let value = (random.word() as i32 as f32) * 2f32.powi(random.below(60) as i32 - 60);
            if lane % 11 == 3 { special[random.below(special.len())] } else { value }.to_bits()
        })
    })
}

fn same_float(ours: u32, expected: f32, what: &str) {
    assert!(
        ours == expected.to_bits() || f32::from_bits(ours).is_nan() && expected.is_nan(),
        "{what}: {ours:#x}, {expected}"
    );
}

/// v\[20:21\] = v\[10:11\] * v\[12:13\] + v\[10:11\] and its kin, each half selected and negated in every way.
#[test]
fn packed_floats_select_and_negate_each_half() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let bits = |mask: u32, count: u32| (0..count).map(|i| (mask >> i & 1).to_string()).collect::<Vec<_>>().join(",");
    let mut random = Random(90);
    for (name, count) in [("v_pk_fma_f32", 3), ("v_pk_mul_f32", 2), ("v_pk_add_f32", 2)] {
        for _ in 0..24 {
            let [low, high, neg_low, neg_high] = std::array::from_fn(|_| random.word() & 7);
            let third = if count == 3 { ", v[10:11]" } else { "" };
            let code = format!(
                "{name} v[20:21], v[10:11], v[12:13]{third} op_sel:[{}] op_sel_hi:[{}] neg_lo:[{}] neg_hi:[{}]
                v_pk_mov_b32 v[22:23], v[10:11], v[12:13] op_sel:[{}]",
                bits(low, count),
                bits(high, count),
                bits(neg_low, count),
                bits(neg_high, count),
                bits(low, 2)
            );
            let input = floats(&mut random);
            let output = machine.run(&lines(&code), input);
            for lane in 0..64 {
                let operand = |i: usize, select: u32, negate: u32| {
                    let pair = [[0, 1], [2, 3], [0, 1]][i];
                    let value = f32::from_bits(input[pair[(select >> i & 1) as usize]][lane]);
                    if negate >> i & 1 != 0 { -value } else { value }
                };
                for (half, select, negate) in [(0, low, neg_low), (1, high, neg_high)] {
                    let [a, b, c] = [0, 1, 2].map(|i| operand(i, select, negate));
                    let expected = match name {
                        "v_pk_fma_f32" => a.mul_add(b, c),
                        "v_pk_mul_f32" => a * b,
                        _ => a + b,
                    };
                    same_float(output[half][lane], expected, &format!("{code}, half {half} of lane {lane}"));
                }
                assert_eq!(output[2][lane], input[(low & 1) as usize][lane], "{code}");
                assert_eq!(output[3][lane], input[2 + (low >> 1 & 1) as usize][lane], "{code}");
            }
        }
    }
}

#[test]
fn packed_floats_take_scalars_constants_and_clamp() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let code = "s_mov_b32 s4, 0x40400000
        s_mov_b32 s5, 0xc1200000
        v_pk_mul_f32 v[20:21], v[10:11], s[4:5]
        v_pk_add_f32 v[22:23], v[10:11], 1.0 op_sel_hi:[1,0] clamp";
    let input = [[0.25f32.to_bits(); 64], [(-0.5f32).to_bits(); 64], [0; 64], [0; 64]];
    let output = machine.run(&lines(code), input);
    assert_eq!(output.map(|register| f32::from_bits(register[7])), [0.75, 5.0, 1.0, 0.5]);
}

/// Small integers, exact in every order of summation.
fn small(random: &mut Random) -> f64 {
    f64::from(random.below(19) as i32 - 9)
}

fn pair(value: f64) -> [u32; 2] {
    [value.to_bits() as u32, (value.to_bits() >> 32) as u32]
}

fn double(low: u32, high: u32) -> f64 {
    f64::from_bits(u64::from(low) | u64::from(high) << 32)
}

/// Of one block, by row of A or column of B, and by k.
type Matrix = [[f64; 4]; 16];

/// A and B in v\[10:13\] by the rows and columns that `place` gives to each lane's element of A and B: (block, row or
/// column, k).
fn matrices(
    random: &mut Random,
    blocks: usize,
    size: usize,
    lane_of: impl Fn(usize, usize, usize) -> usize,
) -> ([Lanes; 4], Vec<[Matrix; 2]>) {
    let mut registers = [[0; 64]; 4];
    let mut values = vec![[[[0.0; 4]; 16]; 2]; blocks];
    for (block, matrices) in values.iter_mut().enumerate() {
        for (i, matrix) in matrices.iter_mut().enumerate() {
            for (row, elements) in matrix.iter_mut().enumerate().take(size) {
                for (k, element) in elements.iter_mut().enumerate() {
                    *element = small(random);
                    let lane = lane_of(block, row, k);
                    [registers[2 * i][lane], registers[2 * i + 1][lane]] = pair(*element);
                }
            }
        }
    }
    (registers, values)
}

/// Layouts as others measured them on an MI250 (16 x 16) and an MI350 (4 x 4): see `gcn-alu/src/mfma/f64.rs`.
#[test]
fn matrices_of_doubles_multiply() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let mut random = Random(64);
    let (input, values) = matrices(&mut random, 1, 16, |_, row, k| row + 16 * k);
    for pair in 0..4 {
        // The sums twice: C is 1.0, then what came out, in vector and in accumulation registers.
        let code = format!(
            "v_mfma_f64_16x16x4f64 v[24:31], v[10:11], v[12:13], 1.0
            v_mfma_f64_16x16x4f64 v[24:31], v[10:11], v[12:13], v[24:31]
            v_mov_b32 v20, v{}
            v_mov_b32 v21, v{}
            v_accvgpr_write_b32 a2, v10
            v_accvgpr_write_b32 a3, v11
            v_mfma_f64_16x16x4f64 a[8:15], a[2:3], v[12:13], 0
            v_accvgpr_mov_b32 a4, a{}
            v_accvgpr_read_b32 v22, a4
            v_accvgpr_read_b32 v23, a{}",
            24 + 2 * pair,
            25 + 2 * pair,
            8 + 2 * pair,
            9 + 2 * pair
        );
        let output = machine.run(&lines(&code), input);
        for lane in 0..64 {
            let (row, column) = (lane / 16 + 4 * pair, lane % 16);
            let product: f64 = (0..4).map(|k| values[0][0][row][k] * values[0][1][column][k]).sum();
            assert_eq!(double(output[0][lane], output[1][lane]), 2.0 * product + 1.0, "pair {pair} of lane {lane}");
            assert_eq!(double(output[2][lane], output[3][lane]), product, "pair {pair} of lane {lane}");
        }
    }
    let (input, values) = matrices(&mut random, 4, 4, |block, row, k| row + 4 * block + 16 * k);
    let output = machine.run(&lines("v_mfma_f64_4x4x4f64 v[20:21], v[10:11], v[12:13], 0.5"), input);
    for lane in 0..64 {
        let (row, block, column) = (lane / 16, lane % 16 / 4, lane % 4);
        let product: f64 = (0..4).map(|k| values[block][0][row][k] * values[block][1][column][k]).sum();
        assert_eq!(double(output[0][lane], output[1][lane]), product + 0.5, "lane {lane}");
    }
}

/// The same product with its sums in either kind of register.
#[test]
fn sums_may_be_in_vector_registers() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let code = "v_mfma_f32_4x4x1f32 v[24:27], v10, v11, 2.0
        v_accvgpr_write_b32 a9, v11
        v_mfma_f32_4x4x1f32 a[4:7], v10, a9, 2.0
        v_mov_b32 v20, v25
        v_mov_b32 v21, v27
        v_accvgpr_read_b32 v22, a5
        v_accvgpr_read_b32 v23, a7";
    let input = [0, 1, 2, 3].map(|i| std::array::from_fn(|lane| ((lane * (i + 3)) as f32).to_bits()));
    let output = machine.run(&lines(code), input);
    for lane in 0..64 {
        for (register, row) in [(0, 1), (1, 3), (2, 1), (3, 3)] {
            let a = f32::from_bits(input[0][lane / 4 * 4 + row]);
            let expected = a * f32::from_bits(input[1][lane]) + 2.0;
            assert_eq!(f32::from_bits(output[register][lane]), expected, "row {row} of lane {lane}");
        }
    }
}

/// Loads, stores and atomics of every kind of memory take accumulation registers, which are not the vector registers of
/// the same number.
#[test]
fn accumulation_registers_are_data() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    machine.heap[..256].iter_mut().enumerate().for_each(|(i, word)| *word = i as u32 * 3);
    // v2 is the lane's place in the heap; a buffer's records are bytes from s[0:1] on.
    let code = format!(
        "v_lshlrev_b32 v2, 3, v0
        v_mov_b32 v3, 0
        v_mov_b32 v4, 77
        v_mov_b32 v5, 78
        s_mov_b32 s4, s0
        s_mov_b32 s5, s1
        s_mov_b32 s6, -1
        s_mov_b32 s7, 0x27000
        s_add_u32 s2, s0, {HEAP}
        s_addc_u32 s3, s1, 0
        global_load_dwordx2 a[4:5], v2, s[2:3]
        ds_write_b64 v2, a[4:5]
        ds_read_b64 a[8:9], v2
        v_add_u32 v2, {HEAP}, v2
        buffer_store_dwordx2 a[8:9], v2, s[4:7], 0 offen offset:1024
        buffer_load_dwordx2 a[10:11], v2, s[4:7], 0 offen offset:1024
        v_accvgpr_read_b32 v20, a10
        v_accvgpr_read_b32 v21, a11
        v_accvgpr_write_b32 a12, 5
        global_atomic_add a13, v2, a12, s[0:1] offset:4 glc
        v_accvgpr_read_b32 v22, a13
        global_load_dword v23, v2, s[0:1] offset:4"
    );
    let output = machine.run(&lines(&code), [[0; 64]; 4]);
    for lane in 0..64u32 {
        let words = [lane * 6, lane * 6 + 3];
        let got = output.map(|register| register[lane as usize]);
        assert_eq!(got, [words[0], words[1], words[1], words[1] + 5], "lane {lane}");
        assert_eq!(machine.heap[256 + lane as usize * 2..][..2], words, "lane {lane}");
        assert_eq!(machine.heap[lane as usize * 2..][..2], [words[0], words[1] + 5], "lane {lane}");
    }
}

/// All lanes at one double, in memory of every kind: what lanes get back, and what is there in the end.
#[test]
fn atomics_of_doubles() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let mut random = Random(7);
    let values: [f64; 64] = std::array::from_fn(|_| small(&mut random));
    let mut input = [[0; 64]; 4];
    for (lane, &value) in values.iter().enumerate() {
        [input[0][lane], input[1][lane]] = pair(value);
    }
    let setup = format!(
        "v_mov_b32 v2, {HEAP}
        v_mov_b32 v3, 0
        v_mov_b32 v4, s0
        v_mov_b32 v5, s1
        v_add_co_u32 v4, vcc, v4, v2
        v_addc_co_u32 v5, vcc, v5, v3, vcc
        s_mov_b32 s4, s0
        s_mov_b32 s5, s1
        s_mov_b32 s6, -1
        s_mov_b32 s7, 0x27000"
    );
    for (operation, apply) in [("add", (|a, b| a + b) as fn(f64, f64) -> f64), ("min", f64::min), ("max", f64::max)] {
        let ways = [
            format!("flat_atomic_{operation}_f64 v[20:21], v[4:5], v[10:11] glc"),
            format!("global_atomic_{operation}_f64 v[20:21], v2, v[10:11], s[0:1] glc"),
            format!(
                "v_mov_b32 v20, v10\nv_mov_b32 v21, v11\nbuffer_atomic_{operation}_f64 v[20:21], v2, s[4:7], 0 offen glc"
            ),
        ];
        for way in ways {
            [machine.heap[0], machine.heap[1]] = pair(0.5);
            let output = machine.run(&lines(&format!("{setup}\n{way}")), input);
            let mut memory = 0.5;
            for (lane, &value) in values.iter().enumerate() {
                assert_eq!(double(output[0][lane], output[1][lane]), memory, "{way}: lane {lane}");
                memory = apply(memory, value);
            }
            assert_eq!(double(machine.heap[0], machine.heap[1]), memory, "{way}");
        }
    }
    let code = "v_mov_b32 v2, 0
        v_mov_b32 v6, 0
        v_mov_b32 v7, 0x3fe00000
        ds_write_b64 v2, v[6:7]
        ds_add_f64 v2, v[10:11]
        ds_add_rtn_f64 v[20:21], v2, v[10:11]
        ds_read_b64 v[22:23], v2";
    let output = machine.run(&lines(code), input);
    let sum: f64 = values.iter().sum();
    let mut memory = 0.5 + sum;
    for (lane, &value) in values.iter().enumerate() {
        assert_eq!(double(output[0][lane], output[1][lane]), memory, "lane {lane}");
        assert_eq!(double(output[2][lane], output[3][lane]), 0.5 + 2.0 * sum, "lane {lane}");
        memory += value;
    }
}

/// Denormals are zero for additions of f32 in memory: those that are there, those that come, and sums. What a lane gets
/// back is as it was.
#[test]
fn additions_of_floats_flush_denormals() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let setup =
        format!("v_mov_b32 v2, {HEAP}\ns_mov_b32 s4, s0\ns_mov_b32 s5, s1\ns_mov_b32 s6, -1\ns_mov_b32 s7, 0x27000");
    for way in [
        "global_atomic_add_f32 v20, v2, v10, s[0:1] glc",
        "v_mov_b32 v20, v10\nbuffer_atomic_add_f32 v20, v2, s[4:7], 0 offen glc",
    ] {
        machine.heap[0] = 5;
        let smallest = f32::MIN_POSITIVE;
        let mut values: Lanes = [3; 64];
        (values[1], values[3]) = (smallest.to_bits(), (-1.5 * smallest).to_bits());
        let output = machine.run(&lines(&format!("{setup}\n{way}")), [values, [0; 64], [0; 64], [0; 64]]);
        assert_eq!(output[0][..4], [5, 0, smallest.to_bits(), smallest.to_bits()], "{way}");
        // The sum of lane 3 is half of the smallest, so a zero of either sign.
        assert!(output[0][4..].iter().chain(&machine.heap[..1]).all(|bits| bits << 1 == 0), "{way}: {:x?}", output[0]);
    }
}

/// Each lane gets what one lane of its row has, of 32 and of 64 bits.
#[test]
fn a_lane_is_broadcast_to_its_row() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let code = "v_mov_b32 v20, 7
        v_mov_b32_dpp v20, v10 row_newbcast:5 row_mask:0xb bank_mask:0xf
        v_mov_b32 v21, 0
        v_mov_b32 v22, v12
        v_mov_b32 v23, v13
        s_nop 1
        v_fmac_f64_dpp v[22:23], v[10:11], v[12:13] row_newbcast:9 row_mask:0xf bank_mask:0xf";
    let mut input = [[0; 64]; 4];
    for lane in 0..64 {
        [input[0][lane], input[1][lane]] = pair(lane as f64 + 1.5);
        [input[2][lane], input[3][lane]] = pair(3.0 - lane as f64);
    }
    input[0].iter_mut().enumerate().for_each(|(lane, word)| *word = lane as u32);
    let output = machine.run(&lines(code), input);
    for lane in 0..64 {
        let row = lane / 16 * 16;
        assert_eq!(output[0][lane], if row == 32 { 7 } else { row as u32 + 5 }, "lane {lane}");
        let a = double(input[0][row + 9], input[1][row + 9]);
        let b = double(input[2][lane], input[3][lane]);
        assert_eq!(double(output[2][lane], output[3][lane]), a.mul_add(b, b), "lane {lane}");
    }
}
