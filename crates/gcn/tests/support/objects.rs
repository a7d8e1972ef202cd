//! Finds a chip's code objects in files of ROCm libraries: ELF files, offload bundles, and libraries that contain
//! bundles.

use std::ops::Range;

use gcn::target::Target;

const BUNDLE: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
const COMPRESSED: &[u8] = b"CCOB";

/// Little-endian integer of `N` bytes at `at`.
fn int<const N: usize>(file: &[u8], at: usize) -> Option<u64> {
    let bytes = file.get(at..at.checked_add(N)?)?;
    Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

fn u64_at(file: &[u8], at: usize) -> Option<usize> {
    int::<8>(file, at)?.try_into().ok()
}

/// An AMDGPU ELF file for `target`.
fn is_for(target: Target, file: &[u8]) -> bool {
    file.starts_with(b"\x7fELF")
        && int::<2>(file, 18) == Some(224)
        && int::<1>(file, 48) == Some(target.elf_machine().into())
}

/// Where `file` has code objects of `target`, and how many compressed bundles it has (which are not opened).
pub fn find(target: Target, file: &[u8]) -> (Vec<Range<usize>>, usize) {
    if is_for(target, file) {
        let whole = 0..file.len();
        return (Vec::from([whole]), 0);
    }
    let mut found = Vec::new();
    for at in memchr::memmem::find_iter(file, BUNDLE) {
        found.extend(bundle(target, file, at).unwrap_or_default());
    }
    // The magic is followed by a version; a chance match of four letters is not.
    let compressed = memchr::memmem::find_iter(file, COMPRESSED)
        .filter(|&at| matches!(int::<2>(file, at + 4), Some(1..=3)) && matches!(int::<2>(file, at + 6), Some(0..=2)))
        .count();
    (found, compressed)
}

/// The target's entries of the bundle at `start`.
fn bundle(target: Target, file: &[u8], start: usize) -> Option<Vec<Range<usize>>> {
    let mut at = start + BUNDLE.len();
    let count = u64_at(file, at)?;
    at += 8;
    let mut found = Vec::new();
    for _ in 0..count {
        let (offset, size, name_len) = (u64_at(file, at)?, u64_at(file, at + 8)?, u64_at(file, at + 16)?);
        at += 24;
        let name = file.get(at..at.checked_add(name_len)?)?;
        at += name_len;
        let range = start.checked_add(offset)?..start.checked_add(offset)?.checked_add(size)?;
        if memchr::memmem::find(name, target.name().as_bytes()).is_some()
            && file.get(range.clone()).is_some_and(|file| is_for(target, file))
        {
            found.push(range);
        }
    }
    Some(found)
}

/// Where the sections with SHF_EXECINSTR are in an ELF file.
pub fn code_sections(elf: &[u8]) -> Vec<Range<usize>> {
    let section = |i: usize| {
        let at = u64_at(elf, 40)?.checked_add(i * 64)?;
        let (kind, flags) = (int::<4>(elf, at.checked_add(4)?)?, int::<8>(elf, at.checked_add(8)?)?);
        let offset = u64_at(elf, at + 24)?;
        let bytes = offset..offset.checked_add(u64_at(elf, at + 32)?)?;
        (kind == 1 && flags & 4 != 0 && elf.get(bytes.clone()).is_some()).then_some(bytes)
    };
    let count = int::<2>(elf, 60).unwrap_or(0) as usize;
    (0..count).filter_map(section).collect()
}
