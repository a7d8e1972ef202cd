//! `vgpu check` on programs each barrier of which is taken away in turn: a race is told where waves share LDS across
//! that barrier.
use object::{Object, ObjectSection, ObjectSymbol};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use stack_tests::{checked, hip_program, run_any, work_folder};

const LIMIT: Duration = Duration::from_secs(120);
/// AMD's ISA manuals, "SOPP Instructions".
const BARRIER: [u8; 4] = 0xbf8a_0000_u32.to_le_bytes();
const NOP: [u8; 4] = 0xbf80_0000_u32.to_le_bytes();

/// Programs, kernels, the cases that run them, and how many of their barriers are not needed: of a sum of 256 in
/// rounds, which compilers unroll, from the round on in which one wave is left that reads what it stored itself.
const KERNELS: &[(&str, &str, &str, usize)] = &[
    ("races", "_Z7reverseILb1EEvPi", "reverse", 0),
    ("races", "_Z3sumILb1EEvPKiPi", "sum", 7),
    ("races", "_Z9histogramILb1EEvPKiPi", "histogram", 0),
    ("races", "_Z13last_of_wavesPKiPi", "synced", 0),
    ("races", "_Z10any_is_oddPKiPi", "synced", 0),
    ("races", "_Z7shiftedPKiPi", "sized", 0),
    ("compute", "_Z6reducePKimPi", "reduction", 7),
    ("compute", "_Z5tiledPKfS0_Pfi", "matmul_lds", 0),
];

/// Where in a program the barriers of this kernel are.
fn barriers(program: &[u8], kernel: &str) -> Vec<usize> {
    let starts = (0..program.len()).filter(|at| program[*at..].starts_with(b"\x7fELF"));
    let mut found = Vec::new();
    for start in starts {
        let Ok(code) = object::File::parse(&program[start..]) else { continue };
        let is_kernel = |symbol: &object::Symbol| symbol.name() == Ok(kernel);
        let Some(symbol) = code.symbols().chain(code.dynamic_symbols()).find(is_kernel) else { continue };
        let Some(section) = symbol.section_index().and_then(|index| code.section_by_index(index).ok()) else {
            continue;
        };
        let Some((offset, _)) = section.file_range() else { continue };
        let first = start + (offset + symbol.address() - section.address()) as usize;
        let words = (first..first + symbol.size() as usize).step_by(4);
        found.extend(words.filter(|at| program[*at..].starts_with(&BARRIER)));
    }
    found
}

/// The program with other bytes at this place.
fn changed(program: &[u8], at: usize, name: &str) -> PathBuf {
    let mut bytes = program.to_owned();
    bytes[at..at + 4].copy_from_slice(&NOP);
    let path = work_folder().join(format!("planted-{name}-{}", std::process::id()));
    fs::write(&path, bytes).expect("the target folder is writable");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the file is ours");
    path
}

/// The races that are told of a program, by kernel.
fn races(program: &Path, case: &str, options: &[&str]) -> Vec<String> {
    let json = program.with_extension("json");
    let file = json.to_str().expect("the target folder's name is UTF-8");
    let options = [&["--only", "race", "--json", file], options].concat();
    let finished = run_any(checked(&options, program).arg(case), LIMIT);
    let text = fs::read_to_string(&json).unwrap_or_else(|error| panic!("{error}: {finished:?}"));
    fs::remove_file(&json).expect("it was just written");
    let all: Value = serde_json::from_str(&text).expect("it is JSON");
    let name = |finding: &Value| finding["place"].as_str().expect("a text").to_owned();
    all["findings"].as_array().expect("a list").iter().map(name).collect()
}

#[test]
fn a_barrier_that_is_taken_away_is_a_race() {
    stack_tests::needs_vgpu!();
    for (program, kernel, case, not_needed) in KERNELS {
        let bytes = fs::read(hip_program(program)).expect("it was just built");
        let places = barriers(&bytes, kernel);
        let mut found = 0;
        for (number, at) in places.iter().enumerate() {
            let without = changed(&bytes, *at, &format!("{kernel}-{number}"));
            // Atomics may order the waves as they happen to come in one order, and not in another.
            let orders = [&[][..], &["--schedule", "1"]];
            let told = orders.map(|order| races(&without, case, order)).concat();
            fs::remove_file(&without).expect("it was just written");
            assert!(
                told.iter().all(|place| place.starts_with(&format!("{kernel}+0x"))),
                "{kernel}, {number}: {told:?}"
            );
            found += usize::from(!told.is_empty());
        }
        println!("{kernel}: {found} of {}", places.len());
        assert!(found > 0 && found == places.len() - not_needed, "{kernel}: {found} of {}", places.len());
    }
}
