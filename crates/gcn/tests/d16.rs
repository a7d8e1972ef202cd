//! Loads of half a register (D16), assembled by llvm-mc.
//!
//! The half that the load has goes where the instruction's name says. The other half is written with zeros where
//! registers have ECC (`sramecc+`), and stays as it was where they have not. LLVM says so with
//! `d16PreservesUnusedBits`: with `sramecc-` its code relies on the one, and rocBLAS's kernels for gfx908 on the other.
//! The lanes that EXEC disables keep all of it.

mod support;

#[path = "support/machine.rs"]
mod machine;

use std::collections::BTreeSet;

use gcn::inst::Format;
use gcn::op::Op;
use machine::{HEAP, Lanes, Machine};
use support::Random;

/// The operations with one half and no conversion, and what it is in memory.
#[derive(Clone, Copy, Debug)]
enum Half {
    Unsigned8,
    Signed8,
    Short,
}

impl Half {
    fn of(mnemonic: &str) -> Half {
        match mnemonic {
            name if name.contains("ubyte") || name.contains("_u8_") => Half::Unsigned8,
            name if name.contains("sbyte") || name.contains("_i8_") => Half::Signed8,
            _ => Half::Short,
        }
    }

    /// The half that is loaded from the beginning of `word`.
    fn of_memory(self, word: u32) -> u16 {
        match self {
            Half::Unsigned8 => u16::from(word as u8),
            Half::Signed8 => i16::from(word as u8 as i8) as u16,
            Half::Short => word as u16,
        }
    }
}

fn is_d16_load(op: Op) -> bool {
    let name = op.mnemonic();
    name.contains("d16") && !name.contains("store") && !name.contains("write")
}

fn lanes(f: impl Fn(usize) -> u32) -> Lanes {
    std::array::from_fn(f)
}

/// The dwords that lanes load: side by side, one for all, every other one, and in no order.
fn patterns() -> [Lanes; 4] {
    [lanes(|i| i as u32), lanes(|_| 5), lanes(|i| 2 * i as u32), lanes(|i| (i as u32 * 29 + 7) % 64)]
}

const EXECS: [u64; 3] = [u64::MAX, 0xffff_0000_ffff_7ffe, 0x5555_5555_3333_3333];

/// Lines before the load: v1 is the byte offset of a lane's dword (of v12) in the heap, v\[2:3\] its address, s\[8:11\]
/// a resource.
fn prologue(records: u32, exec: u64) -> Vec<String> {
    vec![
        format!("s_add_u32 s8, s0, {HEAP}"),
        "s_addc_u32 s9, s1, 0".into(),
        format!("s_mov_b32 s10, {records}"),
        // x, y, z and w of four unsigned 16-bit integers.
        format!("s_mov_b32 s11, {:#x}", 4 | 5 << 3 | 6 << 6 | 7 << 9 | 4 << 12 | 12 << 15),
        "s_mov_b32 s5, 0".into(),
        "v_lshlrev_b32 v1, 2, v12".into(),
        "v_mov_b32 v3, s9".into(),
        "v_add_co_u32 v2, vcc, s8, v1".into(),
        "v_addc_co_u32 v3, vcc, 0, v3, vcc".into(),
        "v_mov_b32 v20, v10".into(),
        "v_mov_b32 v21, v11".into(),
        // LDS holds what the heap holds.
        "global_load_dword v4, v1, s[8:9]".into(),
        "s_waitcnt vmcnt(0)".into(),
        "ds_write_b32 v1, v4".into(),
        "s_mov_b64 s[6:7], src_shared_base".into(),
        "s_mov_b32 flat_scratch_lo, s8".into(),
        "s_mov_b32 flat_scratch_hi, s9".into(),
        "v_mov_b32 v6, 0".into(),
        format!("s_mov_b32 exec_lo, {:#x}", exec as u32),
        format!("s_mov_b32 exec_hi, {:#x}", (exec >> 32) as u32),
    ]
}

/// The lines that load with `op`, and whether each lane loads its own dword of private memory instead of that of v12.
fn loads(op: Op) -> Vec<(Vec<String>, bool)> {
    let name = op.mnemonic();
    let lines = |lines: &[String]| lines.to_vec();
    match op.info().format {
        Format::Ds => vec![(lines(&[format!("{name} v20, v1")]), false)],
        Format::Flat => vec![
            (lines(&[format!("{name} v20, v[2:3]")]), false),
            // The same in LDS.
            (lines(&["v_mov_b32 v2, v1".into(), "v_mov_b32 v3, s7".into(), format!("{name} v20, v[2:3]")]), false),
        ],
        Format::Global => vec![
            (lines(&[format!("{name} v20, v[2:3], off")]), false),
            (lines(&[format!("{name} v20, v1, s[8:9]")]), false),
        ],
        Format::Scratch => vec![(lines(&[format!("{name} v20, v6, off")]), true)],
        Format::Mubuf => vec![(lines(&[format!("{name} v20, v1, s[8:11], s5 offen")]), false)],
        format => panic!("{name}: {format:?} has no such loads"),
    }
}

/// `old` after a load of `half`.
fn expected(old: u32, half: u16, high: bool, sram_ecc: bool) -> u32 {
    let kept = if sram_ecc { 0 } else { old };
    if high { u32::from(half) << 16 | kept & 0xffff } else { u32::from(half) | kept & 0xffff_0000 }
}

#[test]
fn one_half_is_loaded_and_the_other_is_zero_with_ecc_and_stays_without() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let mut random = Random(16);
    let mut cases = Vec::new();
    let mut seen = BTreeSet::new();
    let mut all: Vec<Op> = Op::ALL.iter().copied().filter(|&op| is_d16_load(op)).collect();
    all.retain(|op| !op.mnemonic().contains("format"));
    for &op in &all {
        for (load, private) in loads(op) {
            for exec in EXECS {
                let mut code = prologue(512, exec);
                code.extend(load.iter().cloned());
                code.push("s_mov_b64 exec, -1".into());
                cases.push((op, exec, private, code));
            }
        }
    }
    machine.prepare(cases.iter().flat_map(|(.., code)| code));
    for (op, exec, private, code) in cases {
        let name = op.mnemonic();
        for (sram_ecc, dwords) in [true, false].into_iter().flat_map(|ecc| patterns().map(|pattern| (ecc, pattern))) {
            machine.sram_ecc = sram_ecc;
            machine.heap = std::array::from_fn(|_| random.word());
            let old: Lanes = std::array::from_fn(|_| random.word());
            let heap = machine.heap;
            let [got, beside, ..] = machine.run(&code, [old, old, dwords, old]);
            for lane in 0..64 {
                let word = heap[if private { lane } else { dwords[lane] as usize }];
                let after = expected(old[lane], Half::of(name).of_memory(word), name.ends_with("_hi"), sram_ecc);
                let after = if exec >> lane & 1 != 0 { after } else { old[lane] };
                assert_eq!(got[lane], after, "{code:?}, ECC {sram_ecc}, lane {lane}");
            }
            assert_eq!(beside, old, "{code:?}: another register");
            seen.insert(name);
        }
    }
    // Two of each of six: LDS, flat, global, scratch, buffer.
    assert_eq!(seen.len(), 5 * 6, "{seen:?}");
}

#[test]
fn what_is_out_of_a_buffer_is_zero_in_its_half_only() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    machine.heap = [0x7654_3210; 512];
    for name in ["buffer_load_short_d16", "buffer_load_short_d16_hi", "buffer_load_format_d16_hi_x"] {
        for sram_ecc in [true, false] {
            machine.sram_ecc = sram_ecc;
            let mut code = prologue(64, u64::MAX);
            code.push(format!("{name} v20, v1, s[8:11], s5 offen"));
            let old = lanes(|i| 0xabcd_ef00 + i as u32);
            let [got, ..] = machine.run(&code, [old, old, lanes(|i| i as u32), old]);
            // What converts is four components of 16 bits, which have to be inside as a whole.
            let inside = if name.contains("format") { 15 } else { 16 };
            for lane in 0..64 {
                let half = if lane < inside { 0x3210 } else { 0 };
                let after = expected(old[lane], half, name.contains("_hi"), sram_ecc);
                assert_eq!(got[lane], after, "{name}, ECC {sram_ecc}, lane {lane}");
            }
        }
    }
}

#[test]
fn converting_loads_fill_the_half_beside_an_odd_component_likewise() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let mut random = Random(17);
    let converting: Vec<&str> = Op::ALL.iter().filter(|&&op| is_d16_load(op)).map(|op| op.mnemonic()).collect();
    let converting: Vec<&str> = converting.into_iter().filter(|name| name.contains("format")).collect();
    assert_eq!(converting.len(), 9, "{converting:?}");
    for name in converting {
        let high = name.contains("_hi_");
        let components = match name.rsplit_once('_') {
            Some((_, "x")) => 1,
            Some((_, "xy")) => 2,
            Some((_, "xyz")) => 3,
            _ => 4,
        };
        for (sram_ecc, exec) in [true, false].into_iter().flat_map(|ecc| EXECS.map(|exec| (ecc, exec))) {
            machine.sram_ecc = sram_ecc;
            machine.heap = std::array::from_fn(|_| random.word());
            let typed = if name.starts_with("tbuffer") { " dfmt:12, nfmt:4," } else { "" };
            let registers = if components > 2 { "v[20:21]" } else { "v20" };
            let mut code = prologue(2048, exec);
            code.push(format!("{name} {registers}, v1, s[8:11],{typed} s5 offen"));
            code.push("s_mov_b64 exec, -1".into());
            let old: [Lanes; 2] = std::array::from_fn(|_| std::array::from_fn(|_| random.word()));
            let heap = machine.heap;
            // Texels of two dwords.
            let [first, second, ..] = machine.run(&code, [old[0], old[1], lanes(|i| 2 * i as u32), old[0]]);
            for lane in 0..64 {
                let texel = [heap[2 * lane], heap[2 * lane + 1]];
                let old = [old[0][lane], old[1][lane]];
                let mut after = old;
                if exec >> lane & 1 != 0 {
                    match components {
                        1 => after[0] = expected(old[0], texel[0] as u16, high, sram_ecc),
                        2 => after[0] = texel[0],
                        3 => after = [texel[0], expected(old[1], texel[1] as u16, false, sram_ecc)],
                        _ => after = texel,
                    }
                }
                assert_eq!([first[lane], second[lane]], after, "{name}, ECC {sram_ecc}, EXEC {exec:#x}, lane {lane}");
            }
        }
    }
}
