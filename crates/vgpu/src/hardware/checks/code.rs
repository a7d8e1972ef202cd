//! Loaded code objects by address, to find source lines of instructions. Debug information is only in the file, because
//! loaders do not copy it to memory.

use crate::locks::lock;
use crate::real;
use std::sync::Mutex;

/// A loaded code object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The executable of AMD's runtime that it belongs to.
    pub executable: u64,
    /// Where it is loaded, in device addresses.
    pub start: u64,
    /// One past its end.
    pub end: u64,
    /// The load address, to which the code object's own addresses are added.
    pub base: u64,
    /// Where the file is: `file://PATH#offset=N&size=N`, or `memory://PROCESS#offset=N&size=N` (AMDGPUUsage, "Loaded
    /// Code Object Path URI").
    pub uri: String,
}

pub(super) static LOADED: Mutex<Vec<Loaded>> = Mutex::new(Vec::new());

/// A code object was loaded.
pub fn loaded(code: Loaded) {
    lock(&LOADED).push(code);
}

/// The code objects of `executable` are loaded no longer.
pub fn unloaded(executable: u64) {
    lock(&LOADED).retain(|code| code.executable != executable);
}

/// The code object that has `address`.
pub fn around(address: u64) -> Option<Loaded> {
    lock(&LOADED).iter().find(|code| (code.start..code.end).contains(&address)).cloned()
}

/// The file's bytes, if the URI refers to this process's memory and the bytes are still there.
pub fn in_memory(uri: &str) -> Option<Vec<u8>> {
    let (_, place) = uri.strip_prefix("memory://")?.split_once('#')?;
    let number = |name: &str| {
        let value = place.split('&').find_map(|field| field.strip_prefix(name)?.strip_prefix('='))?;
        match value.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => value.parse().ok(),
        }
    };
    let (start, size) = (number("offset")?, number("size")?);
    /// Largest file that is looked at.
    const LARGEST: u64 = 1 << 30;
    if size > LARGEST {
        return None;
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size as usize).ok()?;
    bytes.resize(size as usize, 0);
    let mut done = 0;
    while done < size {
        let rest = (size - done) as usize;
        let local = libc::iovec { iov_base: bytes[done as usize..].as_mut_ptr().cast(), iov_len: rest };
        let from = start.wrapping_add(done) as usize;
        let remote = libc::iovec { iov_base: std::ptr::without_provenance_mut(from), iov_len: rest };
        // SAFETY: `local` is valid for writing; the kernel reads the rest, and refuses what is not mapped.
        let read = unsafe { real::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0) };
        if read <= 0 {
            return None;
        }
        done += read as u64;
    }
    bytes.starts_with(b"\x7fELF").then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_memory_is_read_as_its_uri_says() {
        let mut file = vec![7u8; 10_000];
        file[..4].copy_from_slice(b"\x7fELF");
        let uri = |at: usize, size: usize| format!("memory://1#offset={at:#x}&size={size}");
        let at = file.as_ptr().addr();
        assert_eq!(in_memory(&uri(at, file.len())).as_ref(), Some(&file));
        assert_eq!(in_memory(&uri(at + 1, 100)), None, "no ELF file");
        assert_eq!(in_memory(&uri(8, 100)), None, "nothing is there");
        assert_eq!(in_memory(&uri(at, usize::MAX)), None);
        assert_eq!(in_memory("file:///a#offset=1&size=2"), None);
        assert_eq!(in_memory("memory://1#offset=x"), None);
    }

    #[test]
    fn code_is_found_by_address_while_it_is_loaded() {
        let code =
            |executable, start| Loaded { executable, start, end: start + 0x1000, base: start, uri: String::new() };
        loaded(code(71, 0x7100_0000));
        loaded(code(72, 0x7200_0000));
        assert_eq!(around(0x7100_0fff).map(|code| code.executable), Some(71));
        assert_eq!(around(0x7100_1000), None);
        unloaded(71);
        assert_eq!((around(0x7100_0000), around(0x7200_0000)), (None, Some(code(72, 0x7200_0000))));
        unloaded(72);
    }
}
