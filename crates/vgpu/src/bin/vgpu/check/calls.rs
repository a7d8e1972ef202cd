//! The target of a host call, decoded from the instruction before its return address. Functions that tail-call others
//! leave no frame on the stack, as HIP's functions do from version 6 on.

use super::files::address_of;
use object::{
    Architecture, Object, ObjectSegment, ObjectSymbol, ObjectSymbolTable, ReadCache, ReadRef, RelocationTarget,
};
use std::fs::File;

/// Bytes of the longest of the calls below.
const CALL: u64 = 6;
/// Bytes that are looked at of what a call goes to.
const STUB: u64 = 16;

/// The function of another library that is called by the instruction whose last byte is at `offset` of the file at
/// `path`.
pub fn called(path: &str, offset: u64) -> Option<String> {
    let data = ReadCache::new(File::open(path).ok()?);
    let file = object::File::parse(&data).ok()?;
    if file.architecture() != Architecture::X86_64 {
        return None;
    }
    let part = |address: u64| {
        file.segments().find_map(|segment| {
            Some((segment.file_range(), address.checked_sub(segment.address())?))
                .filter(|&((_, size), inside)| inside < size)
        })
    };
    let behind = address_of(&file, offset)? + 1;
    let code = (&data).read_bytes_at((offset + 1).checked_sub(CALL)?, CALL).ok()?;
    let relative = |bytes: &[u8]| Some(i64::from(i32::from_le_bytes(*bytes.first_chunk()?)));
    // To a stub of the linkage table (`.plt`), which jumps to the address in a slot.
    let by_stub = || {
        let target = behind.wrapping_add_signed(relative(&code[2..])?);
        let ((start, size), inside) = part(target)?;
        let stub = (&data).read_bytes_at(start + inside, STUB.min(size - inside)).ok()?;
        // `endbr64`, and the prefix `bnd`.
        let rest = stub.strip_prefix(&[0xf3, 0x0f, 0x1e, 0xfa]).unwrap_or(stub);
        let rest = rest.strip_prefix(&[0xf2]).unwrap_or(rest).strip_prefix(&[0xff, 0x25])?;
        let after = target + (stub.len() - rest.len()) as u64 + 4;
        Some(after.wrapping_add_signed(relative(rest)?))
    };
    let slot = match code {
        [_, 0xe8, ..] => by_stub()?,
        [0xff, 0x15, ..] => behind.wrapping_add_signed(relative(&code[2..])?),
        _ => return None,
    };
    let (_, relocation) = file.dynamic_relocations()?.find(|(at, _)| *at == slot)?;
    let RelocationTarget::Symbol(index) = relocation.target() else { return None };
    let symbol = file.dynamic_symbol_table()?.symbol_by_index(index).ok()?;
    Some(symbol.name().ok()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::files::tests::mapped;
    use super::*;

    /// Of this program: calls of `getppid` of the C library, wherever they stand in a function that nobody else calls.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn a_call_of_a_library_has_a_name() {
        #[inline(never)]
        fn caller() -> libc::pid_t {
            // SAFETY: it has no requirements.
            let parent = unsafe { libc::getppid() };
            std::hint::black_box(parent)
        }
        assert!(caller() > 0);
        let (path, offset) = mapped(caller as fn() -> libc::pid_t as usize);
        let names: Vec<String> = (5..64).filter_map(|behind| called(&path, offset + behind)).collect();
        assert_eq!(names.first().map(String::as_str), Some("getppid"), "{names:?}");
        assert_eq!(called(&path, offset), None, "no call ends there");
        assert_eq!(called("/nonexistent", 0), None);
    }
}
