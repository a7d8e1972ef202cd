//! Every shape and type against a plain matrix product.

mod bits;
mod sum_aligned;

use crate::mfma::*;
use crate::wave::ACCUMULATION;
use gcn_isa::inst::Format;
use gcn_isa::target::Target;

/// Small integers: exact in every element type, so that the order of summation cannot matter.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> i32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as i32 % 9 - 4
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Type {
    F32,
    F16,
    Bf16,
    Bf16x4,
    I8,
}

impl Type {
    fn pack(self) -> usize {
        match self {
            Type::F32 => 1,
            Type::F16 | Type::Bf16x4 | Type::I8 => 4,
            Type::Bf16 => 2,
        }
    }

    /// Bits and width in bits of one element.
    fn encode(self, value: i32) -> (u64, usize) {
        // Small integers are exact in all of these, and their f16 bits are the top of their f32 bits with a smaller
        // bias.
        let f32_bits = (value as f32).to_bits();
        match self {
            Type::F32 => (u64::from(f32_bits), 32),
            Type::Bf16 | Type::Bf16x4 => (u64::from(f32_bits >> 16), 16),
            Type::F16 => {
                let exponent = f32_bits >> 23 & 0xff;
                let magnitude = if value == 0 { 0 } else { (exponent - 127 + 15) << 10 | f32_bits >> 13 & 0x3ff };
                (u64::from(f32_bits >> 16 & 0x8000 | magnitude), 16)
            }
            Type::I8 => (u64::from(value as i8 as u8), 8),
        }
    }

    fn sum_bits(self, value: i32) -> u32 {
        if self == Type::I8 { value as u32 } else { (value as f32).to_bits() }
    }
}

/// (operation, element type, size, K, blocks)
const ALL: [(Op, Type, usize, usize, usize); 25] = [
    (Op::VMfmaF3232x32x1f32, Type::F32, 32, 1, 2),
    (Op::VMfmaF3216x16x1f32, Type::F32, 16, 1, 4),
    (Op::VMfmaF324x4x1f32, Type::F32, 4, 1, 16),
    (Op::VMfmaF3232x32x2f32, Type::F32, 32, 2, 1),
    (Op::VMfmaF3216x16x4f32, Type::F32, 16, 4, 1),
    (Op::VMfmaF3232x32x4f16, Type::F16, 32, 4, 2),
    (Op::VMfmaF3216x16x4f16, Type::F16, 16, 4, 4),
    (Op::VMfmaF324x4x4f16, Type::F16, 4, 4, 16),
    (Op::VMfmaF3232x32x8f16, Type::F16, 32, 8, 1),
    (Op::VMfmaF3216x16x16f16, Type::F16, 16, 16, 1),
    (Op::VMfmaI3232x32x4i8, Type::I8, 32, 4, 2),
    (Op::VMfmaI3216x16x4i8, Type::I8, 16, 4, 4),
    (Op::VMfmaI324x4x4i8, Type::I8, 4, 4, 16),
    (Op::VMfmaI3232x32x8i8, Type::I8, 32, 8, 1),
    (Op::VMfmaI3216x16x16i8, Type::I8, 16, 16, 1),
    (Op::VMfmaF3232x32x2bf16, Type::Bf16, 32, 2, 2),
    (Op::VMfmaF3216x16x2bf16, Type::Bf16, 16, 2, 4),
    (Op::VMfmaF324x4x2bf16, Type::Bf16, 4, 2, 16),
    (Op::VMfmaF3232x32x4bf16, Type::Bf16, 32, 4, 1),
    (Op::VMfmaF3216x16x8bf16, Type::Bf16, 16, 8, 1),
    (Op::VMfmaF3232x32x4bf161k, Type::Bf16x4, 32, 4, 2),
    (Op::VMfmaF3216x16x4bf161k, Type::Bf16x4, 16, 4, 4),
    (Op::VMfmaF324x4x4bf161k, Type::Bf16x4, 4, 4, 16),
    (Op::VMfmaF3232x32x8bf161k, Type::Bf16x4, 32, 8, 1),
    (Op::VMfmaF3216x16x16bf161k, Type::Bf16x4, 16, 16, 1),
];

const A: u8 = 0;
const B: u8 = 8;
const C: u8 = 0;
const D: u8 = 64;

/// Register and lane of element (row, column) of C or D of a block, as AMD's register tables of each size give it.
fn accumulator(size: usize, block: usize, row: usize, column: usize) -> (usize, usize) {
    match size {
        32 => (16 * block + 4 * (row / 8) + row % 4, column + 32 * (row / 4 % 2)),
        16 => (4 * block + row % 4, column + 16 * (row / 4)),
        _ => (row, column + 4 * block),
    }
}

struct Case {
    op: Op,
    ty: Type,
    size: usize,
    k: usize,
    blocks: usize,
    wave: Wave,
    /// By block, row (of A) or column (of B), and position along K.
    a: Vec<Vec<Vec<i32>>>,
    b: Vec<Vec<Vec<i32>>>,
    c: Vec<Vec<Vec<i32>>>,
}

impl Case {
    fn new((op, ty, size, k, blocks): (Op, Type, usize, usize, usize), seed: u64) -> Case {
        let mut numbers = Numbers(seed);
        let mut matrix = |columns: usize| -> Vec<Vec<Vec<i32>>> {
            (0..blocks).map(|_| (0..size).map(|_| (0..columns).map(|_| numbers.next()).collect()).collect()).collect()
        };
        let (a, b, c) = (matrix(k), matrix(k), matrix(size));
        let mut wave = Wave::default();
        for block in 0..blocks {
            for row in 0..size {
                for (at, matrix) in [(A, &a), (B, &b)] {
                    for (position, &value) in matrix[block][row].iter().enumerate() {
                        let lane = row + size * (position / ty.pack() + k / ty.pack() * block);
                        let (bits, width) = ty.encode(value);
                        let bit = position % ty.pack() * width;
                        wave.vgpr[usize::from(at) + bit / 32].0[lane] |= (bits << (bit % 32)) as u32;
                    }
                }
                for (column, &value) in c[block][row].iter().enumerate() {
                    let (register, lane) = accumulator(size, block, row, column);
                    wave.vgpr[ACCUMULATION + usize::from(C) + register].0[lane] = ty.sum_bits(value);
                }
            }
        }
        Case { op, ty, size, k, blocks, wave, a, b, c }
    }

    fn run(&mut self, c: Operand, destination: u8, (cbsz, abid, blgp): (u8, u8, u8)) {
        let registers = (self.size * self.size * self.blocks / LANES) as u8;
        let inst = Inst {
            op: self.op,
            format: Format::Vop3p,
            target: Target::Gfx908,
            len: 8,
            dst: [Operand::Agpr { first: destination, count: registers }, Operand::None],
            src: [Operand::Vgpr { first: A, count: 1 }, Operand::Vgpr { first: B, count: 1 }, c, Operand::None],
            mods: Mods::Mfma { cbsz, abid, blgp },
        };
        lower(&inst).expect("an MFMA operation")(&mut self.wave, &inst);
    }

    fn product(&self, a_block: usize, b_block: usize, row: usize, column: usize) -> i32 {
        (0..self.k).map(|k| self.a[a_block][row][k] * self.b[b_block][column][k]).sum()
    }

    fn check(&self, destination: u8, expected: impl Fn(&Case, usize, usize, usize) -> i32) {
        for block in 0..self.blocks {
            for row in 0..self.size {
                for column in 0..self.size {
                    let (register, lane) = accumulator(self.size, block, row, column);
                    assert_eq!(
                        self.wave.vgpr[ACCUMULATION + usize::from(destination) + register].0[lane],
                        self.ty.sum_bits(expected(self, block, row, column)),
                        "{} block {block} row {row} column {column}",
                        self.op.mnemonic()
                    );
                }
            }
        }
    }
}

const ACCUMULATOR: Operand = Operand::Agpr { first: C, count: 32 };

#[test]
fn every_shape_and_type_is_a_matrix_product() {
    for (seed, shape) in ALL.into_iter().enumerate() {
        let mut case = Case::new(shape, seed as u64 + 1);
        case.wave.set_exec(0); // has no influence
        case.run(ACCUMULATOR, D, (0, 0, 0));
        case.check(D, |case, block, row, column| case.product(block, block, row, column) + case.c[block][row][column]);
    }
}

#[test]
fn the_accumulator_may_be_its_own_destination_or_a_constant() {
    for (seed, shape) in ALL.into_iter().enumerate() {
        let mut case = Case::new(shape, seed as u64 + 101);
        case.run(ACCUMULATOR, C, (0, 0, 0));
        case.check(C, |case, block, row, column| case.product(block, block, row, column) + case.c[block][row][column]);
        case.run(Operand::Int(0), D, (0, 0, 0));
        case.check(D, |case, block, row, column| case.product(block, block, row, column));
    }
}

#[test]
fn cbsz_and_abid_share_a_block_of_a() {
    for (seed, shape) in ALL.into_iter().enumerate() {
        for cbsz in 0..=4u8 {
            let group = 1usize << cbsz;
            if group > shape.4 {
                continue;
            }
            for abid in 0..group as u8 {
                let mut case = Case::new(shape, seed as u64 + 201);
                case.run(Operand::Int(0), D, (cbsz, abid, 0));
                case.check(D, |case, block, row, column| {
                    case.product(block & !(group - 1) | usize::from(abid), block, row, column)
                });
            }
        }
    }
}

#[test]
fn blgp_moves_blocks_of_b() {
    // With 4 blocks of 16 columns, the groups of 16 lanes that BLGP moves are whole blocks.
    let source: [[usize; 4]; 8] = [
        [0, 1, 2, 3],
        [0, 1, 0, 1],
        [2, 3, 2, 3],
        [1, 2, 3, 0],
        [0, 0, 0, 0],
        [1, 1, 1, 1],
        [2, 2, 2, 2],
        [3, 3, 3, 3],
    ];
    for shape in ALL.into_iter().filter(|shape| shape.2 == 16 && shape.4 == 4) {
        for (blgp, blocks) in source.iter().enumerate() {
            let mut case = Case::new(shape, blgp as u64 + 301);
            case.run(Operand::Int(0), D, (0, 0, blgp as u8));
            case.check(D, |case, block, row, column| case.product(block, blocks[block], row, column));
        }
    }
}

#[test]
fn products_are_fused_into_the_sum() {
    // (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24; with a rounded product it would be 0.
    let mut wave = Wave::default();
    let factor = f32::to_bits(1.0 + f32::powi(2.0, -12));
    wave.vgpr[0] = Lanes([factor; LANES]);
    wave.vgpr[ACCUMULATION] = Lanes([f32::to_bits(-1.0 - f32::powi(2.0, -11)); LANES]);
    let inst = Inst {
        op: Op::VMfmaF324x4x1f32,
        format: Format::Vop3p,
        target: Target::Gfx908,
        len: 8,
        dst: [Operand::Agpr { first: 0, count: 4 }, Operand::None],
        src: [
            Operand::Vgpr { first: 0, count: 1 },
            Operand::Vgpr { first: 0, count: 1 },
            Operand::Agpr { first: 0, count: 4 },
            Operand::None,
        ],
        mods: Mods::Mfma { cbsz: 0, abid: 0, blgp: 0 },
    };
    lower(&inst).expect("an MFMA operation")(&mut wave, &inst);
    assert_eq!(wave.vgpr[ACCUMULATION].0[0], f32::powi(2.0, -24).to_bits());
}

#[test]
fn accumulators_move_under_exec() {
    let mut wave = Wave::default();
    wave.set_exec(0xf);
    wave.vgpr[5] = Lanes(std::array::from_fn(|lane| lane as u32 + 100));
    let mut inst = Inst {
        op: Op::VAccvgprWriteB32,
        format: Format::Vop3p,
        target: Target::Gfx908,
        len: 8,
        dst: [Operand::Agpr { first: 7, count: 1 }, Operand::None],
        src: [Operand::Vgpr { first: 5, count: 1 }, Operand::None, Operand::None, Operand::None],
        mods: Mods::None,
    };
    lower(&inst).expect("an accumulator move")(&mut wave, &inst);
    assert_eq!(wave.vgpr[ACCUMULATION + 7].0[..6], [100, 101, 102, 103, 0, 0]);
    inst.op = Op::VAccvgprReadB32;
    inst.dst[0] = Operand::Vgpr { first: 9, count: 1 };
    inst.src[0] = Operand::Agpr { first: 7, count: 1 };
    wave.set_exec(0b101);
    lower(&inst).expect("an accumulator move")(&mut wave, &inst);
    assert_eq!(wave.vgpr[9].0[..4], [100, 0, 102, 0]);
}
