//! Vector arithmetic on 64 bits and with literals.

use crate::machine::lines;
use crate::support::Random;
use crate::{NO_LLVM, machine};

#[test]
fn moves_and_shifted_sums_of_64_bits() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let mut random = Random(942);
    let input = [0; 4].map(|_| std::array::from_fn(|_| random.word()));
    let wide = |pair: usize, lane: usize| u64::from(input[pair][lane]) | u64::from(input[pair + 1][lane]) << 32;
    for distance in 0..8 {
        let code = format!(
            "v_lshl_add_u64 v[20:21], v[10:11], {distance}, v[12:13]
            v_mov_b64 v[22:23], v[12:13]
            v_mov_b64_dpp v[22:23], v[10:11] row_newbcast:6 row_mask:0x7 bank_mask:0xf"
        );
        let output = machine.run(&lines(&code), input);
        for lane in 0..64 {
            let got = |pair: usize| u64::from(output[pair][lane]) | u64::from(output[pair + 1][lane]) << 32;
            assert_eq!(got(0), (wide(0, lane) << distance).wrapping_add(wide(2, lane)), "lane {lane}, {distance}");
            let broadcast = if lane < 48 { wide(0, lane / 16 * 16 + 6) } else { wide(2, lane) };
            assert_eq!(got(2), broadcast, "lane {lane}");
        }
    }
    let code = "s_mov_b32 s4, 7
        s_mov_b32 s5, 9
        v_mov_b64 v[20:21], s[4:5]
        v_mov_b64 v[22:23], 0x89abcdef";
    assert_eq!(machine.run(&lines(code), input).map(|register| register[63]), [7, 9, 0x89ab_cdef, 0]);
    let code = "v_mov_b64 v[20:21], 1.0
        v_mov_b64 v[22:23], -2";
    assert_eq!(machine.run(&lines(code), input).map(|register| register[1]), [0, 0x3ff0_0000, !1, !0]);
}

/// Where gfx908 has products that are rounded before they are added.
#[test]
fn literals_are_multiplied_and_added_with_one_rounding() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let mut random = Random(23);
    let input = [0; 4].map(|_| std::array::from_fn(|_| (random.word() as i32 as f32 * 1.1e-9).to_bits()));
    let literal = 0x3f80_0003;
    let code = format!(
        "v_fmamk_f32 v20, v10, {literal:#x}, v11
        v_fmaak_f32 v21, v10, v11, {literal:#x}"
    );
    let output = machine.run(&lines(&code), input);
    for lane in 0..64 {
        let [a, b] = [0, 1].map(|i| f32::from_bits(input[i][lane]));
        let k = f32::from_bits(literal);
        let got = [0, 1].map(|i| f32::from_bits(output[i][lane]));
        assert_eq!(got, [a.mul_add(k, b), a.mul_add(b, k)], "lane {lane}");
    }
}
