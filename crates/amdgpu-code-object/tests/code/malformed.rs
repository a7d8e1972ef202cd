//! Damaged code objects: one defect at a time, and random bytes.

#[path = "../support/untrusted.rs"]
mod untrusted;

use amdgpu_code_object::{CodeObject, Error};
use proptest::prelude::*;

use crate::compile;

/// A file that is right: two pages of headers, metadata, a descriptor and code.
fn good() -> Vec<u8> {
    std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/code_object/saxpy-v5")).expect("a seed")
}

/// What is said of the file with some bytes replaced.
fn with(changes: &[(usize, &[u8])]) -> String {
    let mut bytes = good();
    for (at, new) in changes {
        bytes[*at..][..new.len()].copy_from_slice(new);
    }
    CodeObject::parse(&bytes).expect_err("something is wrong").to_string()
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..][..8].try_into().expect("eight bytes"))
}

/// Where the file's program header of a segment to be loaded is, by its number among these.
fn load(number: usize) -> usize {
    let bytes = good();
    let headers = (0..).map(|index| 64 + 56 * index);
    headers.filter(|&at| bytes[at..at + 4] == [1, 0, 0, 0]).nth(number).expect("a segment")
}

// Offsets in an `Elf64_Phdr`.
const P_FLAGS: usize = 4;
const P_OFFSET: usize = 8;
const P_VADDR: usize = 16;
const P_FILESZ: usize = 32;
const P_MEMSZ: usize = 40;
const P_ALIGN: usize = 48;

#[test]
fn files_of_other_kinds_are_named() {
    let error = CodeObject::parse(b"BC\xc0\xdeLLVM").expect_err("bitcode");
    assert_eq!(error.to_string(), "neither a code object (ELF) nor an offload bundle: it starts with [42, 43, c0, de]");
    assert_eq!(CodeObject::parse(&[]).expect_err("nothing"), Error::Unrecognised { start: Vec::new() });
    let host = std::fs::read("/proc/self/exe").expect("this program");
    let error = CodeObject::parse(&host).expect_err("a program of this machine").to_string();
    assert!(error.starts_with("the machine (e_machine) is 0x"), "{error}");
    assert!(error.ends_with("; supported: 0xe0, AMDGPU"), "{error}");
}

#[test]
fn headers_are_checked() {
    assert!(with(&[(4, &[1])]).starts_with("the ELF class (EI_CLASS) is 0x1"));
    assert!(with(&[(5, &[2])]).starts_with("the byte order (EI_DATA) is 0x2"));
    assert!(with(&[(7, &[65])]).starts_with("the OS ABI (EI_OSABI) is 0x41"));
    assert_eq!(
        with(&[(8, &[0])]),
        "the ABI version (EI_ABIVERSION) is 0x0; supported: 1 to 4, code objects of versions 3 to 6"
    );
    assert!(with(&[(8, &[5])]).starts_with("the ABI version (EI_ABIVERSION) is 0x5"));
    assert!(with(&[(16, &[1])]).contains("link relocatable files with ld.lld -shared"));
    assert!(with(&[(48, &[0xff])]).starts_with("the processor in e_flags (EF_AMDGPU_MACH) is 0xff"));
    // The program header table behind the end.
    assert!(
        with(&[(32, &u64::MAX.to_le_bytes())])
            .starts_with("malformed program header table at offset 0xffffffffffffffff")
    );
    assert!(
        with(&[(40, &0x7fff_ffff_0000u64.to_le_bytes())])
            .starts_with("malformed section header table at offset 0x7fffffff0000")
    );
}

#[test]
fn segments_are_checked() {
    let bytes = good();
    let second = number(&bytes, load(1) + P_VADDR);
    let overlap = with(&[(load(0) + P_MEMSZ, &(second + 1).to_le_bytes())]);
    assert!(overlap.contains("they overlap or are not in order"), "{overlap}");
    let file =
        with(&[(load(0) + P_FILESZ, &0x10_0000u64.to_le_bytes()), (load(0) + P_MEMSZ, &0x10_0000u64.to_le_bytes())]);
    assert!(file.contains("its 0x100000 bytes are not within the"), "{file}");
    let offset = with(&[(load(1) + P_OFFSET, &u64::MAX.to_le_bytes())]);
    assert!(offset.contains("at offset 0xffffffffffffffff: its "), "{offset}");
    let more = with(&[(load(1) + P_MEMSZ, &1u64.to_le_bytes())]);
    assert!(more.ends_with("bytes of the file for 0x1 bytes of memory"), "{more}");
    let last = (0..).take_while(|&n| 64 + 56 * n < 64 + 56 * 8).filter(|&n| bytes[64 + 56 * n] == 1).count() - 1;
    let huge = with(&[(load(last) + P_MEMSZ, &(1u64 << 33).to_le_bytes())]);
    assert!(huge.ends_with("more than 4 GiB"), "{huge}");
    let wraps = with(&[(load(last) + P_MEMSZ, &u64::MAX.to_le_bytes())]);
    assert!(wraps.contains("exceed 64 bits"), "{wraps}");
    for align in [3u64, 4 << 20, u64::MAX] {
        let message = with(&[(load(0) + P_ALIGN, &align.to_le_bytes())]);
        assert!(message.ends_with(&format!("alignment {align:#x} is no power of two up to 2 MiB")), "{message}");
    }
}

#[test]
fn kernels_are_checked_against_the_file() {
    let bytes = good();
    let object = CodeObject::parse(&bytes).expect("the seed");
    let kernel = object.kernel("saxpy").expect("a kernel");
    // The first segment has the descriptor, at the same offset in the file.
    let descriptor = kernel.descriptor_offset() as usize;
    assert_eq!(number(&bytes, load(0) + P_OFFSET), 0);
    let entry = with(&[(descriptor + 16, &(-64i64).to_le_bytes())]);
    assert!(entry.starts_with("kernel saxpy: its descriptor saxpy.kd says that its code is at 0x"), "{entry}");
    let text = with(&[(load(1) + P_FLAGS, &[4])]);
    assert!(text.ends_with("which is no multiple of 256 in an executable segment"), "{text}");
    let kernarg = with(&[(descriptor + 8, &[0x20])]);
    assert_eq!(
        kernarg,
        "kernel saxpy: its descriptor saxpy.kd says that it has 32 bytes of arguments, the metadata say 24"
    );

    let at = |text: &[u8]| bytes.windows(text.len()).position(|window| window == text).expect("the text");
    let symbol = at(b"\xa8saxpy.kd");
    let missing = with(&[(symbol + 1, b"saxpi.kd")]);
    assert!(
        missing.starts_with("kernel saxpy: its descriptor saxpi.kd is not among the symbols of .dynsym"),
        "{missing}"
    );
    let code = with(&[(symbol, b"\xa5saxpy\xa0\xc0")]);
    assert!(code.starts_with("metadata "), "{code}");
    // The last argument, of four bytes at 20.
    let offset = at(b"\xa7.offset\x14") + 8;
    assert_eq!(
        with(&[(offset, &[21])]),
        "kernel saxpy: argument 3 of 4 bytes at byte 21 exceeds the kernarg segment of 24 bytes"
    );
    assert_eq!(with(&[(offset, &[18])]), "kernel saxpy: argument 3 at byte 18 overlaps with the one before it");
    let version = at(b"\xaeamdhsa.version\x92\x01\x02") + 16;
    let note = at(b"AMDGPU\0\0");
    let message = with(&[(version, &[2])]);
    // The metadata is behind the note's name.
    let start = format!("metadata amdhsa.version at offset {:#x}: ", note + 8);
    assert_eq!(message, start + "is 2.2, wanted 1.2 in a code object of V5");
    assert_eq!(with(&[(note, b"NVIDIA")]), "malformed file: it has no metadata note (NT_AMDGPU_METADATA)");
}

/// Headers that all show the same note: what is read of it would be as many times as much as the file has.
#[test]
fn notes_are_not_multiplied() {
    let bytes = good();
    let header = (0..).map(|index| 64 + 56 * index).find(|&at| bytes[at..at + 4] == [4, 0, 0, 0]).expect("a note");
    let note = bytes[header..header + 56].to_vec();
    // A table of its own behind the file: those that load, and the note as often as it says.
    let many = |count: usize| {
        let mut bytes = bytes.clone();
        let table = bytes.len().next_multiple_of(8);
        bytes.resize(table, 0);
        let headers = usize::from(bytes[56]);
        let loads: Vec<Vec<u8>> = (0..headers).map(|index| bytes[64 + 56 * index..][..56].to_vec()).collect();
        let loads: Vec<Vec<u8>> = loads.into_iter().filter(|header| header[..4] == [1, 0, 0, 0]).collect();
        loads.iter().for_each(|load| bytes.extend(load));
        (0..count).for_each(|_| bytes.extend(&note));
        bytes[32..40].copy_from_slice(&(table as u64).to_le_bytes());
        bytes[56..58].copy_from_slice(&((loads.len() + count) as u16).to_le_bytes());
        bytes
    };
    assert_eq!(CodeObject::parse(&many(1)).map(|object| object.kernels().len()), Ok(1));
    // Twice there is room for it; it is the kernel that is there twice then.
    let twice = CodeObject::parse(&many(2)).expect_err("twice").to_string();
    assert_eq!(twice, "kernel saxpy: the metadata describes it twice");
    let error = CodeObject::parse(&many(100)).expect_err("a hundred times").to_string();
    let offset = number(&note, P_OFFSET);
    assert_eq!(
        error,
        format!(
            "malformed note segment at offset {offset:#x}: with those before it, more metadata than the file has room for"
        )
    );
}

/// Types of relocation that LLD does not leave, and places outside of the image.
#[test]
fn relocations_are_checked() {
    let bytes = crate::compiled!(compile::kernels(5));
    let text = compile::printed("llvm-readelf", &["--section-headers", "--wide"], &bytes);
    let line = text.lines().find(|line| line.contains(" .rela.dyn ")).expect("relocations");
    let offset = line.split_whitespace().skip_while(|word| *word != "RELA").nth(2).expect("an offset");
    let first = usize::from_str_radix(offset, 16).expect("a number");
    let with = |at: usize, new: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[first + at..][..new.len()].copy_from_slice(new);
        CodeObject::parse(&bytes).map(drop).expect_err("something is wrong").to_string()
    };
    let place = number(&bytes, first);
    let message = with(8, &[4]);
    assert!(
        message
            .starts_with(&format!("relocation R_AMDGPU_REL32 at {place:#x} of the image: its type is not supported")),
        "{message}"
    );
    assert!(with(8, &[99]).starts_with("relocation type 99 at "));
    let message = with(0, &(1u64 << 40).to_le_bytes());
    assert!(message.ends_with("at 0x10000000000 of the image: it is outside of all segments"), "{message}");
    let message = with(8, &[3, 0, 0, 0, 0xe7, 3]);
    assert!(
        message.contains("relocation R_AMDGPU_ABS64") && message.contains("it names symbol 999, there are"),
        "{message}"
    );
    let packed =
        compile::opencl(compile::KERNELS, "gfx908", 5, &["-Wl,--pack-dyn-relocs=relr"]).expect("a code object");
    let message = CodeObject::parse(&packed).map(drop).expect_err("packed").to_string();
    assert!(message.contains("(.relr.dyn)") && message.contains("link without --pack-dyn-relocs"), "{message}");
}

/// Every file that is cut off says so.
#[test]
fn no_truncated_file_is_accepted() {
    let bytes = good();
    for length in 0..bytes.len() {
        untrusted::code_object(&bytes[..length]);
        assert!(CodeObject::parse(&bytes[..length]).is_err(), "{length} bytes of {}", bytes.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Some bytes changed anywhere.
    #[test]
    fn changed_files_do_no_harm(changes in prop::collection::vec((0usize..3016, any::<u8>()), 1..16)) {
        let mut bytes = good();
        for (at, byte) in changes {
            let length = bytes.len();
            bytes[at % length] = byte;
        }
        untrusted::code_object(&bytes);
    }

    /// Words in the headers changed to what is likely to overflow.
    #[test]
    fn changed_headers_do_no_harm(at in 0usize..140, word in prop_oneof![Just(u64::MAX), Just(1 << 63), Just(1 << 32), Just(0xffff_ffff), 0u64..0x4000]) {
        let mut bytes = good();
        bytes[at * 4..][..8].copy_from_slice(&word.to_le_bytes());
        untrusted::code_object(&bytes);
    }
}
