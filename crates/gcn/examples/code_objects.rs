//! Disassembles every code object of a chip in the given files and compares the text with llvm-objdump's.
//!
//! ```text
//! cargo run --release -p gcn --example code_objects -- gfx908 librocblas.so TensileLibrary_gfx908.co ...
//! ```
//!
//! `cargo xtask objects` runs it on Debian's libraries.

#[path = "../tests/support/mod.rs"]
mod support;

#[path = "../tests/support/objects.rs"]
mod objects;

use gcn::target::Target;
use support::{Tally, objdump_each};

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let name = arguments.next().unwrap_or_default();
    let Some(target) = name.to_str().and_then(Target::from_name) else {
        eprintln!("{}: not a chip; these are: {:?}", name.to_string_lossy(), Target::ALL);
        std::process::exit(2);
    };
    let mut total = Tally::new(target);
    let (mut objects, mut all_bytes) = (0, 0);
    println!(
        "{:44} {:>7} {:>11} {:>12} {:>8} {:>8} {:>8}",
        "file", "objects", "code bytes", "equal", "no code", "intended", "failures"
    );
    for path in arguments {
        let file = match std::fs::read(&path) {
            Ok(file) => file,
            Err(error) => {
                eprintln!("{}: {error}", path.to_string_lossy());
                std::process::exit(2);
            }
        };
        let (found, compressed) = objects::find(target, &file);
        let mut tally = Tally::new(target);
        let mut bytes = 0;
        for range in &found {
            let object = &file[range.clone()];
            for section in objects::code_sections(object) {
                // Without symbols, so that branches print their offset.
                let code = &object[section];
                bytes += code.len();
                let success = objdump_each(target, code, |line| tally.compare(&line, &code[line.address..]));
                assert!(success, "llvm-objdump failed on a code object of {}", path.to_string_lossy());
            }
        }
        let name = path.to_string_lossy();
        let name = name.rsplit('/').next().unwrap_or_default();
        row(name, found.len(), bytes, &tally);
        if compressed > 0 {
            println!("  {compressed} compressed bundles were not opened");
        }
        objects += found.len();
        all_bytes += bytes;
        total.add(tally);
    }
    row("all", objects, all_bytes, &total);
    total.report("all");
}

fn row(name: &str, objects: usize, bytes: usize, tally: &Tally) {
    let intended: usize = tally.intended.values().sum();
    println!(
        "{name:44} {objects:7} {bytes:11} {:12} {:8} {:8} {:8}",
        tally.equal,
        tally.both_refuse,
        intended + tally.remarked,
        tally.failures.len()
    );
}
