//! Random code, disassembled by LLVM and by this crate. `GCN_RANDOM_INSTRUCTIONS` is the number of instructions
//! (default 30000).

mod support;

use gcn::op::Op;
use gcn::target::Target;
use support::words::{FORMATS, instruction};
use support::{Random, Tally};

/// `count` instructions' worth of words, aimed at what is defined.
fn generate(target: Target, count: usize, random: &mut Random) -> Vec<u8> {
    let mut code = Vec::new();
    for _ in 0..count {
        let (format, max) = FORMATS[random.below(FORMATS.len())];
        let mut opcode = random.below(max as usize) as u32;
        // Mostly opcodes that exist, sometimes any.
        while Op::from_opcode(target, format, opcode as u16).is_none() && random.below(32) != 0 {
            opcode = random.below(max as usize) as u32;
        }
        code.extend(instruction(format, max, opcode, random));
    }
    code
}

/// Defined and undefined ones: we know an operation where LLVM knows one, and by the same name.
#[test]
fn every_opcode_of_every_encoding() {
    if !support::has_llvm() {
        test_skip::skip!("llvm-mc and llvm-objdump (Debian package llvm-19) are not installed");
    }
    for &target in Target::ALL {
        let mut random = Random(19);
        let mut code = Vec::new();
        let mut opcodes = 0;
        for (format, max) in FORMATS {
            for opcode in 0..max {
                opcodes += 1;
                for _ in 0..24 {
                    code.extend(instruction(format, max, opcode, &mut random));
                }
            }
        }
        let mut tally = Tally::new(target);
        for part in code.chunks(12 * 10_000) {
            tally.compare_all(part, 12);
        }
        tally.report(&format!("{target}: {opcodes} opcodes"));
    }
}

#[test]
fn random_code_disassembles_as_llvm_does() {
    if !support::has_llvm() {
        test_skip::skip!("llvm-mc and llvm-objdump (Debian package llvm-19) are not installed");
    }
    let count = std::env::var("GCN_RANDOM_INSTRUCTIONS").map_or(30_000, |n| n.parse().expect("a number"));
    for &target in Target::ALL {
        let mut random = Random(908);
        let mut tally = Tally::new(target);
        for chunk in (0..count).step_by(10_000) {
            tally.compare_all(&generate(target, (count - chunk).min(10_000), &mut random), 12);
        }
        tally.report(&format!("{target}: random code"));
    }
}
