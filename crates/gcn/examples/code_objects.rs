//! Compares our disassembly of every gfx908 code object in the given files with llvm-objdump's.
//!
//! ```text
//! cargo run --release -p gcn --example code_objects -- librocblas.so TensileLibrary_gfx908.co ...
//! ```

#[path = "../tests/support/mod.rs"]
mod support;

#[path = "../tests/support/objects.rs"]
mod objects;

use support::{Tally, objdump_each};

fn main() {
    let mut total = Tally::default();
    for path in std::env::args_os().skip(1) {
        let file = match std::fs::read(&path) {
            Ok(file) => file,
            Err(error) => {
                eprintln!("{}: {error}", path.to_string_lossy());
                std::process::exit(2);
            }
        };
        let (found, compressed) = objects::find(&file);
        let mut tally = Tally::default();
        let mut bytes = 0;
        for range in &found {
            let object = &file[range.clone()];
            for section in objects::code_sections(object) {
                // Without symbols, so that branches print their offset.
                let code = &object[section];
                bytes += code.len();
                let success = objdump_each(code, |line| tally.compare(&line, &code[line.address..]));
                assert!(success, "llvm-objdump failed on a code object of {}", path.to_string_lossy());
            }
        }
        let name = path.to_string_lossy();
        let name = name.rsplit('/').next().unwrap_or_default();
        let skipped =
            if compressed > 0 { format!(", {compressed} compressed bundles not opened") } else { String::new() };
        tally.print(&format!("{name}: {} code objects, {bytes} bytes of code{skipped}", found.len()));
        total.add(tally);
    }
    total.report("all");
}
