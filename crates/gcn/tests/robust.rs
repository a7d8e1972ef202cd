//! Decoding any words does not panic, lengths are plausible, and everything has text. The fixed part of the fuzz target
//! `fuzz/fuzz_targets/decode.rs`.

mod support;

use std::fmt::Write;

use gcn::decode::{DecodeError, Reason, decode};
use gcn::inst::Inst;
use gcn::target::Target;
use support::Random;

/// Properties that hold for all bytes.
fn check(target: Target, bytes: &[u8], text: &mut String) -> Result<Inst, DecodeError> {
    let result = decode(target, bytes);
    text.clear();
    match &result {
        Ok(inst) => {
            assert!(matches!(inst.len, 4 | 8 | 12) && usize::from(inst.len) <= bytes.len(), "{bytes:02x?}: {inst:?}");
            write!(text, "{inst}").expect("a string");
            assert!(text.starts_with(inst.op.mnemonic()), "{bytes:02x?}: {text}");
        }
        Err(error) => write!(text, "{error}").expect("a string"),
    }
    assert!(!text.is_empty());
    result
}

#[test]
fn random_words_never_panic() {
    let mut random = Random(1);
    let mut text = String::new();
    let mut decoded = 0;
    let count = 1_500_000;
    for _ in 0..count {
        let (low, high) = (random.next(), random.next());
        let mut bytes = [0; 12];
        bytes[..8].copy_from_slice(&low.to_le_bytes());
        bytes[8..].copy_from_slice(&high.to_le_bytes()[..4]);
        for &target in Target::ALL {
            decoded += usize::from(check(target, &bytes, &mut text).is_ok());
        }
    }
    println!("{decoded} of {count} random words are instructions, of all chips together");
    assert!(decoded > count / 4 * Target::ALL.len());
}

/// Each upper half of a first word, with the lower half and the second word varied a little: every opcode and encoding.
#[test]
fn every_first_half_word() {
    let mut random = Random(2);
    let mut text = String::new();
    for upper in 0..=u16::MAX {
        for _ in 0..16 {
            let word = u32::from(upper) << 16 | random.word() & 0xffff;
            let mut bytes = [0; 12];
            bytes[..4].copy_from_slice(&word.to_le_bytes());
            bytes[4..8].copy_from_slice(&(random.word() & random.word()).to_le_bytes());
            for &target in Target::ALL {
                let _ = check(target, &bytes, &mut text);
            }
        }
    }
}

#[test]
fn truncated_code_says_so() {
    let mut random = Random(3);
    let mut text = String::new();
    for _ in 0..200_000 {
        let mut bytes = [0; 12];
        bytes[..8].copy_from_slice(&random.next().to_le_bytes());
        bytes[8..].copy_from_slice(&random.word().to_le_bytes());
        for &target in Target::ALL {
            let Ok(inst) = decode(target, &bytes) else { continue };
            let len = usize::from(inst.len);
            assert_eq!(decode(target, &bytes[..len]), Ok(inst), "what follows does not matter");
            for short in 0..len {
                let error = check(target, &bytes[..short], &mut text).expect_err("truncated");
                assert!(matches!(error.reason(), Reason::Truncated(_)), "{text}");
            }
        }
    }
    assert_eq!(
        decode(Target::Gfx908, &[0x01, 0x00, 0x00, 0xd1]).expect_err("half of it").to_string(),
        "illegal instruction d1000001 (v_cndmask_b32): the code ends before its 8 bytes do"
    );
}

#[test]
fn errors_name_the_bytes_and_the_instruction() {
    let on = |target: Target, words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let error = decode(target, &bytes).expect_err("illegal");
        assert_eq!(format!("{error:?}"), error.to_string());
        error.to_string()
    };
    let text = |words: &[u32]| on(Target::Gfx908, words);
    assert_eq!(text(&[0xffff_ffff]), "illegal instruction ffffffff: no gfx908 encoding starts like this");
    assert_eq!(on(Target::Gfx90a, &[0xffff_ffff]), "illegal instruction ffffffff: no gfx90a encoding starts like this");
    assert_eq!(
        on(Target::Gfx90a, &[0xd280_0001, 0x0002_0100]),
        "illegal instruction d2800001 00020100 (v_add_f64): operand of several registers begins at 1; on gfx90a it has to be even"
    );
    assert_eq!(
        text(&[0x8000_00d1]),
        "illegal instruction 800000d1 (s_add_u32): operand code 209 is reserved or not allowed there"
    );
    assert_eq!(text(&[0xbf7f_0000]), "illegal instruction bf7f0000: Sopc has no opcode 0x7f");
    assert_eq!(
        text(&[0xd280_00ff, 0x0002_0100]),
        "illegal instruction d28000ff 00020100 (v_add_f64): operand goes beyond the last register"
    );
}
