//! Says where the barriers of kernels are in the files of libraries.
//!
//! ```text
//! cargo run --release -p gcn --example barriers -- gfx908 librocblas.so Kernels.hsaco ... < NAMES
//! ```
//!
//! Standard input has the kernels' names, one a line. For each of a kernel's places there is a line with the name, the file and the offsets of its
//! barriers in the file, separated by tabs. A library that is built of many files can have a kernel several times. `cargo xtask planted` runs it.

#[path = "../tests/support/objects.rs"]
#[allow(dead_code, reason = "others need more of it")]
mod objects;

use std::collections::HashSet;
use std::io;
use std::ops::Range;

use gcn::decode::decode;
use gcn::op::Op;
use gcn::target::Target;
use object::{Object, ObjectSection, ObjectSymbol};

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let name = arguments.next().unwrap_or_default();
    let Some(target) = name.to_str().and_then(Target::from_name) else {
        fail(&format!("{}: not a chip; these are: {:?}", name.display(), Target::ALL))
    };
    let wanted: HashSet<String> = match io::stdin().lines().collect() {
        Ok(wanted) => wanted,
        Err(error) => fail(&format!("cannot read standard input: {error}")),
    };
    for path in arguments {
        let file = match std::fs::read(&path) {
            Ok(file) => file,
            Err(error) => fail(&format!("{}: {error}", path.display())),
        };
        let (found, compressed) = objects::find(target, &file);
        if compressed > 0 {
            fail(&format!("{}: {compressed} bundles are compressed, and are not opened", path.display()));
        }
        for object in found {
            for (kernel, code) in kernels(&file[object.clone()], &wanted) {
                let code = object.start + code.start..object.start + code.end;
                let offsets = barriers(target, &file, code).iter().map(usize::to_string).collect::<Vec<_>>();
                println!("{kernel}\t{}\t{}", path.display(), offsets.join("\t"));
            }
        }
    }
}

fn fail(why: &str) -> ! {
    eprintln!("{why}");
    std::process::exit(2)
}

/// The wanted kernels of a code object, and where in it their code is.
fn kernels(object: &[u8], wanted: &HashSet<String>) -> Vec<(String, Range<usize>)> {
    let Ok(code) = object::File::parse(object) else { return Vec::new() };
    let place = |symbol: object::Symbol| {
        let name = symbol.name().ok().filter(|name| wanted.contains(*name))?;
        let section = code.section_by_index(symbol.section_index()?).ok()?;
        let start = section.file_range()?.0.checked_add(symbol.address().checked_sub(section.address())?)?;
        let range = start as usize..start.checked_add(symbol.size())? as usize;
        object.get(range.clone()).is_some().then(|| (name.to_owned(), range))
    };
    code.dynamic_symbols().filter_map(place).collect()
}

/// Where in the file the barriers of this code are.
fn barriers(target: Target, file: &[u8], code: Range<usize>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = code.start;
    while at < code.end {
        // What is no instruction is data or filling.
        let inst = decode(target, &file[at..code.end]).ok();
        if inst.as_ref().is_some_and(|inst| inst.op == Op::SBarrier) {
            found.push(at);
        }
        at += inst.map_or(4, |inst| usize::from(inst.len));
    }
    found
}
