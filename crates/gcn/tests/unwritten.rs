//! The initialisation check reports loads of uninitialised device memory and private memory.

mod support;

#[path = "support/machine.rs"]
mod machine;

use gcn::bus::Access;
use gcn::sanitizer::{Space, Storage, Wanted, poison};
use machine::memory::Told;
use machine::{BASE, DATA, FRESH, Machine};

/// Bytes of private memory of a work-item.
const PRIVATE: u32 = 16;
const WANTED: Wanted = Wanted { unwritten: true, ..Wanted::NOTHING };

/// Before each case: v3 is four times the lane, v4 is 12 in lanes 0 to 39 and 8 in the others, v5 the upper half of
/// addresses in private memory, v\[6:7\] the address of the data, v8 1, s\[12:15\] a buffer of them.
const BEFORE: &str = "s_add_u32 flat_scratch_lo, s6, s8
    s_addc_u32 flat_scratch_hi, s7, 0
    s_mov_b32 s12, s4
    s_mov_b32 s13, s5
    s_mov_b32 s14, 0x1000
    s_mov_b32 s15, 0x24fac
    v_and_b32 v2, 63, v0
    v_lshlrev_b32 v3, 2, v2
    v_mov_b32 v4, 12
    v_mov_b32 v5, 8
    v_cmp_lt_u32 vcc, 39, v2
    v_cndmask_b32 v4, v4, v5, vcc
    v_mov_b32 v5, 0x20000
    v_mov_b32 v6, s4
    v_mov_b32 v7, s5
    v_mov_b32 v8, 1";

fn all(lines: &str) -> Vec<String> {
    machine::lines(&format!("{BEFORE}\n{lines}\ns_endpgm"))
}

fn told_of(machine: &mut Machine, lines: &[String]) -> Vec<Told> {
    machine.check_segments_for(WANTED, 1, 0, PRIVATE, lines)
}

/// A load, by which lane, of what address or offset; and what writes a part of it, after which it is right.
type Case = (&'static str, Option<u8>, u64, Access, &'static str);

const DEVICE: &[Case] = &[
    (
        "global_load_dword v10, v3, s[4:5] offset:256",
        Some(0),
        FRESH,
        Access::Read,
        "global_store_dword v3, v0, s[4:5] offset:256",
    ),
    (
        "global_load_dword v6, v[6:7], off offset:256",
        Some(0),
        FRESH,
        Access::Read,
        "global_store_byte v[6:7], v0, off offset:259",
    ),
    // What is in front of it is written.
    (
        "global_load_dword v10, v3, s[4:5] offset:96",
        Some(40),
        FRESH,
        Access::Read,
        "global_store_dword v3, v0, s[4:5] offset:256",
    ),
    (
        "flat_load_ubyte v10, v[6:7] offset:261",
        Some(0),
        FRESH + 5,
        Access::Read,
        "flat_store_byte v[6:7], v0 offset:263",
    ),
    (
        "flat_load_dwordx4 v[10:13], v[6:7] offset:260",
        Some(0),
        FRESH + 4,
        Access::Read,
        "flat_store_short v[6:7], v0 offset:274",
    ),
    (
        "global_atomic_add v[6:7], v8, off offset:256",
        Some(0),
        FRESH,
        Access::Atomic,
        "global_store_dword v[6:7], v0, off offset:256",
    ),
    (
        "buffer_load_dwordx2 v[10:11], v3, s[12:15], 0 offen offset:252",
        Some(1),
        FRESH,
        Access::Read,
        "buffer_store_dword v0, v3, s[12:15], 0 offen offset:256",
    ),
    (
        "buffer_atomic_swap v8, off, s[12:15], 0 offset:264",
        Some(0),
        FRESH + 8,
        Access::Atomic,
        "buffer_store_byte v0, off, s[12:15], 0 offset:264",
    ),
    (
        "s_mov_b32 m0, 0\nbuffer_load_dword off, s[12:15], 0 offset:256 lds",
        Some(0),
        FRESH,
        Access::Read,
        "buffer_store_dword v0, off, s[12:15], 0 offset:256",
    ),
    (
        "s_load_dwordx4 s[20:23], s[4:5], 0x100",
        None,
        FRESH,
        Access::Read,
        "global_store_dword v[6:7], v0, off offset:268",
    ),
    (
        "s_buffer_load_dword s20, s[12:15], 0x104",
        None,
        FRESH + 4,
        Access::Read,
        "global_store_dword v[6:7], v0, off offset:260",
    ),
];

const OWN: &[Case] = &[
    (
        "buffer_load_dword v10, off, s[0:3], s8 offset:4",
        Some(0),
        4,
        Access::Read,
        "buffer_store_byte v0, off, s[0:3], s8 offset:7",
    ),
    (
        "buffer_load_dword v10, v4, s[0:3], s8 offen",
        Some(0),
        12,
        Access::Read,
        "buffer_store_dwordx2 v[0:1], off, s[0:3], s8 offset:8",
    ),
    ("flat_load_dword v10, v[4:5]", Some(0), 12, Access::Read, "flat_store_dword v[4:5], v0"),
    ("flat_atomic_add v[4:5], v8", Some(0), 12, Access::Atomic, "flat_store_dword v[4:5], v0"),
    ("scratch_load_ushort v10, v4, off", Some(0), 12, Access::Read, "scratch_store_byte v4, v0, off offset:1"),
    // Other lanes have written it: the register that a compiler keeps there.
    (
        "buffer_load_dword v10, off, s[0:3], s8 offset:4",
        Some(0),
        4,
        Access::Read,
        "s_mov_b64 s[20:21], exec\ns_mov_b32 exec_lo, 0\nbuffer_store_dword v0, off, s[0:3], s8 offset:4\ns_mov_b64 exec, s[20:21]",
    ),
];

#[test]
fn loads_of_what_nobody_wrote_are_told() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    for (cases, storage) in [(DEVICE, Storage::Device), (OWN, Storage::Private)] {
        for &(text, lane, address, access, cure) in cases {
            let lines = all(text);
            let (last, before) = lines[..lines.len() - 1].split_last().expect("there are some");
            let pc = BASE + machine.length(before);
            let instruction = last.clone();
            let told = Told { pc, instruction, wave: 0, lane, space: Space::Unwritten(storage), address, access };
            assert_eq!(told_of(&mut machine, &lines), [told], "{text}");
            assert_eq!(told_of(&mut machine, &all(&format!("{cure}\n{text}"))), [], "{text} behind {cure}");
            assert_eq!(machine.check_segments(1, 0, PRIVATE, &lines), [], "not wanted: {text}");
        }
    }
}

/// What is loaded with what is written, lanes that are off, what a buffer has not, and stores.
#[test]
fn other_accesses_are_left_alone() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    for lines in [
        "global_load_dwordx4 v[10:13], v[6:7], off offset:244\ns_load_dwordx8 s[20:27], s[4:5], 0xf8",
        "s_mov_b64 exec, 0xff\nglobal_load_dword v10, v3, s[4:5] offset:224\nbuffer_store_dwordx4 v[10:13], off, s[0:3], s8",
        "s_mov_b32 s14, 0x100\nbuffer_load_dword v10, v3, s[12:15], 0 offen offset:256\ns_buffer_load_dword s20, s[12:15], 0x100",
        "global_store_dwordx2 v3, v[0:1], s[4:5] offset:256\nglobal_atomic_add v3, v8, s[4:5] offset:256",
        // All of the waves' registers in private memory, and back.
        "buffer_store_dword v0, v4, s[0:3], s8 offen\nbuffer_load_dword v10, off, s[0:3], s8 offset:12\nbuffer_load_dword v10, off, s[0:3], s8 offset:8",
    ] {
        assert_eq!(told_of(&mut machine, &all(lines)), [], "{lines}");
    }
}

/// A byte that is written counts, though it is the same as one that nobody wrote.
#[test]
fn stores_of_what_was_there_are_stores() {
    let Some(mut machine) = Machine::new() else {
        test_skip::skip!("llvm-mc (Debian package llvm-19) is not installed")
    };
    let [first, second, ..] = poison(FRESH).to_le_bytes();
    let store = |byte: u8| {
        format!(
            "v_mov_b32 v9, {byte}\nglobal_store_byte v[6:7], v9, off offset:257\nglobal_load_ubyte v10, v[6:7], off offset:257"
        )
    };
    assert_ne!(first, second);
    for byte in [first, second] {
        assert_eq!(told_of(&mut machine, &all(&store(byte))), [], "{byte}");
    }
    let across = "global_store_short v[6:7], v9, off offset:259\nglobal_load_ushort v10, v[6:7], off offset:258";
    let half = poison(FRESH) >> 24 | (poison(FRESH + 4) & 0xff) << 8;
    assert_eq!(told_of(&mut machine, &all(&format!("v_mov_b32 v9, {half}\n{across}"))), []);
}

/// It is another one for each address, and no lane's number.
#[test]
fn poison_depends_on_the_address() {
    let mut all: Vec<u32> = (0..10_000).map(|dword| poison(DATA + 4 * dword)).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 10_000);
    assert!(all[0] > 64);
}
