//! Random instructions of a chosen operation.

use super::Random;
use gcn::inst::Format;

/// First word of an encoding with this opcode; other bits zero.
fn first_word(format: Format, opcode: u32) -> u32 {
    match format {
        Format::Sop1 => 0xbe80_0000 | opcode << 8,
        Format::Sop2 => 0x8000_0000 | opcode << 23,
        Format::Sopc => 0xbf00_0000 | opcode << 16,
        Format::Sopk => 0xb000_0000 | opcode << 23,
        Format::Sopp => 0xbf80_0000 | opcode << 16,
        Format::Smem => 0xc000_0000 | opcode << 18,
        Format::Vop1 => 0x7e00_0000 | opcode << 9,
        Format::Vop2 => opcode << 25,
        Format::Vopc => 0x7c00_0000 | opcode << 17,
        Format::Vop3 => 0xd000_0000 | opcode << 16,
        Format::Vop3p => 0xd380_0000 | opcode << 16,
        Format::Vintrp => 0xd400_0000 | opcode << 16,
        Format::Ds => 0xd800_0000 | opcode << 17,
        Format::Flat => 0xdc00_0000 | opcode << 18,
        Format::Scratch => 0xdc00_4000 | opcode << 18,
        Format::Global => 0xdc00_8000 | opcode << 18,
        Format::Mubuf => 0xe000_0000 | opcode << 18,
        Format::Mtbuf => 0xe800_0000 | opcode << 15,
        Format::Mimg => 0xf000_0000 | (opcode & 0x7f) << 18 | opcode >> 7,
        Format::Exp => 0xc400_0000,
    }
}

/// Every encoding, with how many opcodes it has room for.
pub const FORMATS: [(Format, u32); 20] = [
    (Format::Sop1, 256),
    (Format::Sop2, 104),
    (Format::Sopc, 128),
    (Format::Sopk, 29),
    (Format::Sopp, 128),
    (Format::Smem, 256),
    (Format::Vop1, 256),
    (Format::Vop2, 62),
    (Format::Vopc, 256),
    (Format::Vop3, 896),
    (Format::Vop3p, 128),
    (Format::Vintrp, 4),
    (Format::Ds, 256),
    (Format::Flat, 128),
    (Format::Scratch, 128),
    (Format::Global, 128),
    (Format::Mubuf, 128),
    (Format::Mtbuf, 16),
    (Format::Mimg, 256),
    (Format::Exp, 1),
];

/// Bits that the opcode and the encoding leave free.
fn free_bits(format: Format, max: u32) -> u32 {
    let all = (0..max).fold(0, |mask, opcode| mask | (first_word(format, opcode) ^ first_word(format, 0)));
    let fixed = match format {
        Format::Vop2 => 0x8000_0000,
        Format::Vop1 | Format::Vopc => 0xfe00_0000,
        Format::Sop2 => 0xc000_0000,
        Format::Sopk => 0xf000_0000,
        Format::Sop1 | Format::Sopc | Format::Sopp | Format::Vop3p => 0xff80_0000,
        Format::Flat | Format::Scratch | Format::Global => 0xfc00_c000,
        _ => 0xfc00_0000,
    };
    !(all | fixed)
}

/// Sparse words set few optional bits, so that more of them are instructions.
fn some_word(random: &mut Random) -> u32 {
    match random.below(4) {
        0 => random.word(),
        1 => random.word() & random.word(),
        2 => random.word() & random.word() & random.word(),
        _ => 0,
    }
}

/// Source fields of SDWA, DPP and literals are a fraction of all codes; take them more often.
fn operands(format: Format, word: u32, random: &mut Random) -> u32 {
    match (format, random.below(8)) {
        (Format::Vop1 | Format::Vop2 | Format::Vopc, 0) => word & !0x1ff | 249,
        (Format::Vop1 | Format::Vop2 | Format::Vopc, 1) => word & !0x1ff | 250,
        (Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Sop1 | Format::Sop2 | Format::Sopc, 2) => {
            word & !0xff | 255
        }
        (Format::Vop1 | Format::Vop2 | Format::Vopc, _) => word | 256,
        _ => word,
    }
}

fn second_word(format: Format, random: &mut Random) -> u32 {
    let mut word = some_word(random);
    if matches!(format, Format::Vop1 | Format::Vop2 | Format::Vopc) {
        // LLVM crashes on the reserved SDWA select 7, and finding which word it was takes many runs.
        for field in [8, 16, 24] {
            if word >> field & 7 == 7 {
                word &= !(1 << field);
            }
        }
    }
    let vgprs = (random.word() & 0x0403_0201) | 0x0402_0100;
    match (format, random.below(3)) {
        (Format::Vop3 | Format::Vop3p, 0 | 1) => word | vgprs,
        (Format::Vop3 | Format::Vop3p, _) => word,
        (Format::Global | Format::Scratch, 0 | 1) => word & !0x007f_0000 | 0x007f_0000,
        (Format::Flat, 0 | 1) => word & !0x00ff_0000,
        (Format::Ds, 0) => word & 0xffff,
        (Format::Ds, 1) => word & 0xff00_00ff,
        (Format::Vop1 | Format::Vop2 | Format::Vopc, 0 | 1) => word & 0x81c7_3fff,
        _ => word,
    }
}

/// Three words that start with this opcode.
pub fn instruction(format: Format, max: u32, opcode: u32, random: &mut Random) -> Vec<u8> {
    let word = first_word(format, opcode) | some_word(random) & free_bits(format, max);
    let word = operands(format, word, random);
    // A literal for some; where it is not one, whatever it decodes to is compared too.
    let words = [word, second_word(format, random), random.word()];
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}
