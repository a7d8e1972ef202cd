//! Lists the synchronisation instructions of the kernels in library files: barriers, waits (also those that order
//! stores before other stores), and fences. Waits for nothing are omitted.
//!
//! ```text
//! cargo run --release -p gcn --example synchronisation -- gfx908 librocblas.so Kernels.hsaco ... < NAMES
//! ```
//!
//! Standard input has the kernels' names, one a line. For each of a kernel's places and each of `barrier`, `wait`,
//! `release` and `fence` there is a line with the name, the file, that word and the offsets in the file, separated by
//! tabs. A library that is built of many files can have a kernel several times. `cargo xtask planted` runs it.

#[path = "../tests/support/objects.rs"]
#[allow(dead_code, reason = "others need more of it")]
mod objects;

use std::collections::HashSet;
use std::io;
use std::ops::Range;

use gcn::decode::decode;
use gcn::inst::{Format, Inst};
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
                let found = places(target, &file, code);
                for what in [What::Barrier, What::Wait, What::Release, What::Fence] {
                    let own = found.iter().filter(|(own, _)| *own == what);
                    let offsets = own.map(|(_, offset)| offset.to_string()).collect::<Vec<_>>();
                    println!("{kernel}\t{}\t{}\t{}", path.display(), what.name(), offsets.join("\t"));
                }
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

/// What orders accesses of waves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// `s_barrier`.
    Barrier,
    /// An `s_waitcnt` that is none of the next, and that may have something to wait for.
    Wait,
    /// An `s_waitcnt vmcnt(0)` behind a store to device memory and in front of another one, or of an atomic: what is
    /// behind it may be a flag for the first one.
    Release,
    /// `buffer_wbinvl1` and its kin, which empty the L1.
    Fence,
}

impl What {
    fn name(self) -> &'static str {
        match self {
            What::Barrier => "barrier",
            What::Wait => "wait",
            What::Release => "release",
            What::Fence => "fence",
        }
    }
}

/// What may be under way: instructions of vector memory, and those of LDS, scalar memory and messages.
#[derive(Clone, Copy)]
struct UnderWay([bool; 2]);

impl UnderWay {
    fn add(&mut self, inst: &Inst) {
        let Self([vector, other]) = self;
        *vector |= matches!(
            inst.format,
            Format::Flat | Format::Global | Format::Scratch | Format::Mubuf | Format::Mtbuf | Format::Mimg
        );
        *other |= matches!(inst.format, Format::Flat | Format::Ds | Format::Smem) || inst.op == Op::SSendmsg;
    }

    /// Whether an `s_waitcnt` with these counts may wait, behind which less may be under way.
    fn wait(&mut self, [vector, other]: [u8; 2]) -> bool {
        let waits = self.0[0] && vector < 63 || self.0[1] && other < 15;
        self.0 = [self.0[0] && vector > 0, self.0[1] && other > 0];
        waits
    }
}

/// Where branches go in this code. `None`: not all of them say it.
fn targets(target: Target, file: &[u8], code: Range<usize>) -> Option<HashSet<usize>> {
    let mut found = HashSet::new();
    let mut at = code.start;
    while at < code.end {
        let inst = decode(target, &file[at..code.end]).ok();
        let behind = at + inst.map_or(4, |inst| usize::from(inst.len));
        match inst {
            Some(inst) if ["s_setpc", "s_swappc", "s_call"].iter().any(|of| inst.op.mnemonic().starts_with(of)) => {
                return None;
            }
            Some(inst) if inst.format == Format::Sopp && inst.op.mnemonic().contains("branch") => {
                let words = i16::from_le_bytes([file[at], file[at + 1]]);
                found.insert(behind.wrapping_add_signed(4 * isize::from(words)));
            }
            _ => {}
        }
        at = behind;
    }
    Some(found)
}

/// Where in the file they are in this code.
fn places(target: Target, file: &[u8], code: Range<usize>) -> Vec<(What, usize)> {
    let mut found = Vec::new();
    // A store, and a wait behind it.
    let (mut stored, mut waited) = (false, None);
    let targets = targets(target, file, code.clone());
    let mut under_way = UnderWay([false; 2]);
    let mut at = code.start;
    while at < code.end {
        // What is no instruction is data or filling.
        let Ok(inst) = decode(target, &file[at..code.end]) else {
            at += 4;
            continue;
        };
        let name = inst.op.mnemonic();
        if targets.as_ref().is_none_or(|targets| targets.contains(&at)) {
            under_way = UnderWay([true; 2]);
        }
        under_way.add(&inst);
        let is_of = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        match inst.op {
            Op::SBarrier => found.push((What::Barrier, at)),
            Op::SWaitcnt => {
                let counts = counts(&file[at..]);
                if under_way.wait(counts) {
                    found.push((What::Wait, at));
                }
                if stored && counts[0] == 0 {
                    waited = Some(at);
                }
            }
            _ if is_of(&["buffer_wbinvl1", "buffer_inv"]) => found.push((What::Fence, at)),
            _ if name.starts_with("s_") && is_of(&["branch", "setpc", "swappc"]) => (stored, waited) = (false, None),
            _ if ["global_", "flat_", "buffer_"].iter().any(|format| name.starts_with(format)) => {
                stored = is_of(&["_store_", "_atomic_"]);
                let release = waited.take().filter(|_| stored);
                let of = found.iter_mut().filter(|(_, own)| Some(*own) == release);
                of.for_each(|(what, _)| *what = What::Release);
            }
            _ => {}
        }
        at += usize::from(inst.len);
    }
    found
}

/// How many instructions of vector memory, and of LDS, scalar memory and messages, an `s_waitcnt` leaves under way
/// (AMD's ISA manuals, "S_WAITCNT": bits 3 to 0, and 15 and 14 above them, and bits 11 to 8).
fn counts(bytes: &[u8]) -> [u8; 2] {
    [bytes[0] & 15 | bytes[1] >> 6 << 4, bytes[1] & 15]
}
