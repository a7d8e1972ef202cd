//! Every operation in every form that LLVM assembles is decoded, printed as LLVM prints it, and assembled again from
//! that text.

mod support;

#[path = "support/forms.rs"]
mod forms;

#[path = "support/again.rs"]
mod again;

use std::collections::{BTreeMap, BTreeSet};

use again::Again;
use gcn::decode::decode;
use gcn::inst::Mods;
use gcn::op::Op;
use gcn::target::Target;
use support::{Tally, assemble};

/// A test for each target, so that they run beside each other: LLVM takes most of the time.
macro_rules! every_form_prints_as_llvm_does_and_assembles_again {
    ($($target:ident: $test:ident,)*) => {
        $(#[test]
        fn $test() {
            compare(Target::$target);
        })*

        #[test]
        fn every_target_has_a_test() {
            assert_eq!(Target::ALL, [$(Target::$target),*]);
        }
    };
}

every_form_prints_as_llvm_does_and_assembles_again! {
    Gfx908: gfx908,
    Gfx90a: gfx90a,
    Gfx942: gfx942,
}

fn compare(target: Target) {
    if !support::has_llvm() {
        test_skip::skip!("llvm-mc and llvm-objdump (Debian package llvm-19) are not installed");
    }
    println!("{target}");
    let operations: Vec<Op> = Op::ALL.iter().copied().filter(|op| op.info().is_on(target)).collect();
    let mut lines = Vec::new();
    let mut starts = Vec::new();
    for &op in &operations {
        starts.push(lines.len());
        lines.extend(forms::forms(target, op));
    }
    starts.push(lines.len());
    let codes = assemble(target, &lines);

    // Every operation has a form, and what it assembles to is that operation.
    let mut unassembled = Vec::new();
    let mut wrong = Vec::new();
    for (i, &op) in operations.iter().enumerate() {
        let mut any = false;
        for at in starts[i]..starts[i + 1] {
            let Some(code) = &codes[at] else { continue };
            any = true;
            // What we refuse is compared below.
            if decode(target, code).is_ok_and(|inst| inst.op != op || usize::from(inst.len) != code.len()) {
                wrong.push(format!(
                    "{}: {code:02x?}: {:?}",
                    lines[at],
                    decode(target, code).map(|inst| inst.to_string())
                ));
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
        operations.len(),
        lines.len(),
        assembled.len(),
        unique.len()
    );
    print_forms(target, unique.iter().copied());

    // As LLVM disassembles the same bytes.
    let code: Vec<u8> = unique.iter().copied().flatten().copied().collect();
    let mut tally = Tally::new(target);
    tally.compare_all(&code, code.len());

    let mut again = Again::new(target);
    again.add(unique.iter().map(|code| code.as_slice()));

    for failure in wrong.iter().take(40) {
        println!("{failure}");
    }
    assert!(wrong.is_empty(), "{} wrong", wrong.len());
    assert!(unassembled.is_empty(), "no form for {unassembled:?}");
    tally.print("disassembled");
    again.print("assembled again");
    assert!(
        tally.failures.is_empty() && again.failures.is_empty(),
        "{} and {} failures",
        tally.failures.len(),
        again.failures.len()
    );
}

/// How many operations and instructions each encoding has among `codes`.
fn print_forms<'a>(target: Target, codes: impl Iterator<Item = &'a Vec<u8>>) {
    let mut encodings: BTreeMap<String, (BTreeSet<Op>, usize)> = BTreeMap::new();
    for inst in codes.filter_map(|code| decode(target, code).ok()) {
        let suffix = match inst.mods {
            Mods::Sdwa(_) => " SDWA",
            Mods::Dpp { .. } => " DPP",
            _ => "",
        };
        let (operations, instructions) = encodings.entry(format!("{:?}{suffix}", inst.format)).or_default();
        operations.insert(inst.op);
        *instructions += 1;
    }
    println!("encoding     operations  forms");
    for (encoding, (operations, instructions)) in encodings {
        println!("{encoding:12} {:10} {instructions:6}", operations.len());
    }
}
