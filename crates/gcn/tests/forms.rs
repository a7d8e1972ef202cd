//! Every operation in every form that LLVM assembles: decoded and printed as LLVM disassembles it, and assembled again from our text.

mod support;

#[path = "support/forms.rs"]
mod forms;

use gcn::decode::decode;
use gcn::op::Op;
use support::{Tally, assemble};

#[test]
fn every_form_prints_as_llvm_does_and_assembles_again() {
    if !support::has_llvm() {
        test_skip::skip!("llvm-mc and llvm-objdump (Debian package llvm-19) are not installed");
    }
    let mut lines = Vec::new();
    let mut starts = Vec::new();
    for &op in Op::ALL {
        starts.push(lines.len());
        lines.extend(forms::forms(op));
    }
    starts.push(lines.len());
    let codes = assemble(&lines);

    // Every operation has a form, and what it assembles to is that operation.
    let mut unassembled = Vec::new();
    let mut wrong = Vec::new();
    for (i, &op) in Op::ALL.iter().enumerate() {
        let mut any = false;
        for at in starts[i]..starts[i + 1] {
            let Some(code) = &codes[at] else { continue };
            any = true;
            // What we refuse is compared below.
            if decode(code).is_ok_and(|inst| inst.op != op || usize::from(inst.len) != code.len()) {
                wrong.push(format!("{}: {code:02x?}: {:?}", lines[at], decode(code).map(|inst| inst.to_string())));
            }
        }
        if !any {
            unassembled.push(op.mnemonic());
        }
    }

    let assembled: Vec<&Vec<u8>> = codes.iter().flatten().collect();
    let mut unique = assembled.clone();
    unique.sort();
    unique.dedup();
    println!(
        "{} operations, {} lines, {} assembled by LLVM, {} different instructions",
        Op::ALL.len(),
        lines.len(),
        assembled.len(),
        unique.len()
    );

    // As LLVM disassembles the same bytes.
    let code: Vec<u8> = unique.iter().copied().flatten().copied().collect();
    let mut tally = Tally::default();
    tally.compare_all(&code, code.len());
    tally.print("disassembled");

    // Our text assembles to the same bytes, or to another encoding of the same text. LLVM does not assemble all that it prints:
    // constants of 16-bit integers print as the bits of the half.
    let texts: Vec<String> =
        unique.iter().map(|code| decode(code).map_or_else(|e| e.to_string(), |i| i.to_string())).collect();
    let (mut same, mut synonyms, mut refused) = (0, 0, 0);
    for ((code, text), again) in unique.iter().zip(&texts).zip(&assemble(&texts)) {
        match again {
            Some(again) if again == *code => same += 1,
            // Lane patterns have several names.
            Some(again) if decode(again).is_ok_and(|inst| inst.to_string() == *text || inst.op == Op::DsSwizzleB32) => {
                synonyms += 1;
            }
            Some(again) => wrong.push(format!("{text}: {code:02x?} assembles to {again:02x?}")),
            None => refused += 1,
        }
    }
    println!(
        "assembled again: {same} equal, {synonyms} to another encoding of the same text, {refused} refused by the assembler"
    );
    for failure in wrong.iter().take(40) {
        println!("{failure}");
    }
    assert!(wrong.is_empty(), "{} wrong", wrong.len());
    assert!(unassembled.is_empty(), "no form for {unassembled:?}");
    tally.report("every form");
}
