//! Matrices of one block, dense and sparse, against a plain product. Layouts: AMD's matrix instruction calculator,
//! `--architecture cdna3`.

use crate::fp8::{FORMATS, Format};
use crate::machine::{HEAP, Lanes, Machine, lines};
use crate::support::Random;
use crate::{NO_LLVM, machine};

#[derive(Clone, Copy)]
enum Type {
    Byte(Format),
    I8,
    F16,
    Bf16,
    Xf32,
}

impl Type {
    fn bits(self) -> usize {
        match self {
            Type::Byte(_) | Type::I8 => 8,
            Type::F16 | Type::Bf16 => 16,
            Type::Xf32 => 32,
        }
    }

    /// The bits of a small integer.
    fn encode(self, value: i32) -> u32 {
        match self {
            Type::Byte(format) => format.byte(f64::from(value)).into(),
            Type::I8 => u32::from(value as i8 as u8),
            Type::F16 if value == 0 => 0,
            Type::F16 => {
                let bits = (value as f32).to_bits();
                bits >> 16 & 0x8000 | ((bits >> 23 & 0xff) - 112) << 10 | bits >> 13 & 0x3ff
            }
            Type::Bf16 => (value as f32).to_bits() >> 16,
            // Bits that do not count.
            Type::Xf32 => (value as f32).to_bits() | 0x1fff,
        }
    }

    fn sum(self, value: i32) -> u32 {
        if matches!(self, Type::I8) { value as u32 } else { (value as f32).to_bits() }
    }
}

/// Small enough for BF8 to have all of them.
fn small(random: &mut Random) -> i32 {
    random.below(9) as i32 - 4
}

/// A row of A or a column of B, by its elements along K.
type Line = Vec<i32>;

/// Puts `lines` into registers: element n of a lane is that of `count * (lane / size) + n`.
fn place(lines: &[Line], size: usize, count: usize, ty: Type) -> [Lanes; 4] {
    let mut registers = [[0; 64]; 4];
    for lane in 0..64 {
        for n in 0..count {
            let bit = n * ty.bits();
            registers[bit / 32][lane] |= ty.encode(lines[lane % size][lane / size * count + n]) << (bit % 32);
        }
    }
    registers
}

/// v\[4:7\] are what the heap has, v\[10:13\] what `input` has; `code` leaves `size * size / 64` sums from `file`8 on.
/// Checks each against `expected`, by row and column.
fn check(
    machine: &mut Machine,
    size: usize,
    code: &str,
    file: char,
    input: [Lanes; 4],
    expected: impl Fn(usize, usize) -> u32,
) {
    for first in (0..size * size / 64).step_by(4) {
        let take = |i: usize| match file {
            'a' => format!("v_accvgpr_read_b32 v{}, a{}", 20 + i, 8 + first + i),
            _ => format!("v_mov_b32 v{}, v{}", 20 + i, 24 + first + i),
        };
        let all = format!(
            "v_add_u32 v1, {HEAP}, v1
            global_load_dwordx4 v[4:7], v1, s[0:1]
            {code}\n{}",
            [0, 1, 2, 3].map(take).join("\n")
        );
        let output = machine.run(&lines(&all), input);
        for i in 0..4 {
            for lane in 0..64 {
                let register = first + i;
                let row = 8 * (register / 4) + 4 * (lane / size) + register % 4;
                let row = if size == 16 { 4 * (lane / 16) + register } else { row };
                assert_eq!(output[i][lane], expected(row, lane % size), "{code}: register {register} of lane {lane}");
            }
        }
    }
}

fn random_lines(random: &mut Random, size: usize, k: usize) -> Vec<Line> {
    (0..size).map(|_| (0..k).map(|_| small(random)).collect()).collect()
}

fn product(a: &[Line], b: &[Line], row: usize, column: usize) -> i32 {
    a[row].iter().zip(&b[column]).map(|(a, b)| a * b).sum()
}

/// The machine's heap as what lanes load four dwords each of.
fn set_heap(machine: &mut Machine, registers: &[Lanes; 4]) {
    for lane in 0..64 {
        (0..4).for_each(|k| machine.heap[4 * lane + k] = registers[k][lane]);
    }
}

fn last(size: usize) -> usize {
    size * size / 64 - 1
}

#[test]
fn dense_matrices_multiply() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let mut random = Random(16);
    let [fp8, bf8] = FORMATS.map(Type::Byte);
    let mut all = vec![("xf32", 8, Type::Xf32, Type::Xf32), ("i8", 32, Type::I8, Type::I8)];
    all.extend([
        ("fp8_fp8", 32, fp8, fp8),
        ("fp8_bf8", 32, fp8, bf8),
        ("bf8_fp8", 32, bf8, fp8),
        ("bf8_bf8", 32, bf8, bf8),
    ]);
    for (name, k16, a_type, b_type) in all {
        for (size, k) in [(16, k16), (32, k16 / 2)] {
            let (a, b) = (random_lines(&mut random, size, k), random_lines(&mut random, size, k));
            let count = k * size / 64;
            let (a_in, b_in) = (place(&a, size, count, a_type), place(&b, size, count, b_type));
            let input = [a_in[0], a_in[1], b_in[0], b_in[1]];
            let result = if name == "i8" { "i32" } else { "f32" };
            let op = format!("v_mfma_{result}_{size}x{size}x{k}_{name}");
            let (one, end) = (if name == "i8" { "1" } else { "1.0" }, last(size));
            let code = format!(
                "{op} v[24:{}], v[10:11], v[12:13], {one}
                {op} v[24:{}], v[10:11], v[12:13], v[24:{}]",
                24 + end,
                24 + end,
                24 + end
            );
            let twice = |row, column| a_type.sum(2 * product(&a, &b, row, column) + 1);
            check(&mut machine, size, &code, 'v', input, twice);
            let code = format!(
                "v_accvgpr_write_b32 a2, v10
                v_accvgpr_write_b32 a3, v11
                {op} a[8:{}], a[2:3], v[12:13], 0",
                8 + end
            );
            check(&mut machine, size, &code, 'a', input, |row, column| a_type.sum(product(&a, &b, row, column)));
        }
    }
}

/// What an index register has for one row and group of lanes: which two of each four elements there are.
fn pairs(random: &mut Random, groups: usize) -> Vec<[usize; 2]> {
    const ALL: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    (0..groups).map(|_| ALL[random.below(6)]).collect()
}

#[test]
fn sparse_matrices_multiply() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let mut random = Random(42);
    let [fp8, bf8] = FORMATS.map(Type::Byte);
    let mut all =
        vec![("f16", 32, Type::F16, Type::F16), ("bf16", 32, Type::Bf16, Type::Bf16), ("i8", 64, Type::I8, Type::I8)];
    all.extend([
        ("fp8_fp8", 64, fp8, fp8),
        ("fp8_bf8", 64, fp8, bf8),
        ("bf8_fp8", 64, bf8, fp8),
        ("bf8_bf8", 64, bf8, bf8),
    ]);
    for (name, k16, a_type, b_type) in all {
        for (size, k) in [(16, k16), (32, k16 / 2)] {
            let (packed, b) = (random_lines(&mut random, size, k / 2), random_lines(&mut random, size, k));
            let count = k * size / 64;
            let sets = 32 / count;
            set_heap(&mut machine, &place(&b, size, count, b_type));
            let a_in = place(&packed, size, count / 2, a_type);
            // By lane and set of the index register.
            let index: Vec<Vec<Vec<[usize; 2]>>> =
                (0..64).map(|_| (0..sets).map(|_| pairs(&mut random, count / 4)).collect()).collect();
            let mut register = [0; 64];
            for (lane, word) in register.iter_mut().enumerate() {
                for (n, [first, second]) in index[lane].iter().flatten().enumerate() {
                    *word |= (first | second << 2) as u32 * (1 << (4 * n));
                }
            }
            // What the packed elements are in full, if `set` says where they are.
            let full = |set: usize| -> Vec<Line> {
                let mut rows = vec![vec![0; k]; size];
                for lane in 0..64 {
                    for (four, pair) in index[lane][set].iter().enumerate() {
                        for (n, place) in pair.iter().enumerate() {
                            let at = lane / size * count;
                            rows[lane % size][at + 4 * four + place] = packed[lane % size][at / 2 + 2 * four + n];
                        }
                    }
                }
                rows
            };
            let result = if name == "i8" { "i32" } else { "f32" };
            let op = format!("v_smfmac_{result}_{size}x{size}x{k}_{name}");
            let input = [a_in[0], a_in[1], register, [0; 64]];
            let end = last(size);
            let zero: String = (0..=end).map(|n| format!("v_mov_b32 v{}, 0\n", 24 + n)).collect();
            for (modifiers, set) in [("", 0), ("abid:1", 1 % sets), ("abid:3", 3 % sets), ("cbsz:1 abid:1", 0)] {
                let a = full(set);
                let code = format!(
                    "{zero}{op} v[24:{}], v[10:11], v[4:7], v12 {modifiers}
                    {op} v[24:{}], v[10:11], v[4:7], v12 {modifiers}",
                    24 + end,
                    24 + end
                );
                let twice = |row, column| a_type.sum(2 * product(&a, &b, row, column));
                check(&mut machine, size, &code, 'v', input, twice);
            }
        }
    }
}

/// Unlike on gfx90a. Each element of A is the smallest denormal, and each of B is 1.
#[test]
fn halves_keep_denormals() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    for (ty, one, smallest) in [("f16", 0x3c00_u32, 2f32.powi(-24)), ("bf16", 0x3f80, 2f32.powi(-133))] {
        let code = format!("v_mfma_f32_4x4x4_16b_{ty} v[20:23], v[10:11], v[12:13], 0");
        let input = [0x1_0001, 0x1_0001, one << 16 | one, one << 16 | one].map(|register| [register; 64]);
        assert_eq!(machine.run(&lines(&code), input), [[(4.0 * smallest).to_bits(); 64]; 4], "{ty}");
    }
}

/// Ten bits of fraction count, of values as large and as small as those of f32; products and sums are not rounded to
/// them.
#[test]
fn xf32_cuts_off_thirteen_bits() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let mut random = Random(19);
    let cut = |bits: u32| f32::from_bits(bits & !0x1fff);
    let code = "v_mfma_f32_16x16x8_xf32 v[24:27], v[10:11], v[12:13], 0";
    for (a_exponent, b_exponent) in [(127, 127), (1, 250), (254, 80), (100, 140)] {
        // All of one magnitude, so that four products of 22 bits add up to an f32 whatever the order.
        let mut values =
            |exponent: u32| -> Lanes { std::array::from_fn(|_| (random.word() & 0x807f_ffff) | exponent << 23) };
        let input = [values(a_exponent), [0; 64], values(b_exponent), [0; 64]];
        // Of the other k, zeros; those of the other lanes' groups are even ones.
        let expected = |row: usize, column: usize| {
            let product = |group: usize| cut(input[0][row + 16 * group]) * cut(input[2][column + 16 * group]);
            (0..4).map(product).sum::<f32>().to_bits()
        };
        check(&mut machine, 16, code, 'v', input, expected);
    }
    let denormal = [[0x0040_0000; 64], [0; 64], [2f32.to_bits(); 64], [0; 64]];
    let sum = (0..4).map(|_| f32::from_bits(0x0080_0000)).sum::<f32>().to_bits();
    check(&mut machine, 16, code, 'v', denormal, |_, _| sum);
}

#[test]
fn the_sources_of_doubles_have_signs() {
    let Some(mut machine) = machine() else { test_skip::skip!("{NO_LLVM}") };
    let input =
        [[0; 64], [3f64.to_bits().wrapping_shr(32) as u32; 64], [0; 64], [5f64.to_bits().wrapping_shr(32) as u32; 64]];
    for mask in 0..8u32 {
        let [a, b, c] = [0, 1, 2].map(|i| if mask >> i & 1 != 0 { -1.0 } else { 1.0 });
        let code = format!(
            "v_mfma_f64_4x4x4_4b_f64 v[20:21], v[10:11], v[12:13], 4.0 neg:[{},{},{}]
            v_mov_b32 v22, 0",
            mask & 1,
            mask >> 1 & 1,
            mask >> 2
        );
        let output = machine.run(&lines(&code), input);
        let value = f64::from_bits(u64::from(output[0][9]) | u64::from(output[1][9]) << 32);
        assert_eq!(value, 4.0 * (3.0 * a) * (5.0 * b) + 4.0 * c, "{code}");
    }
}
