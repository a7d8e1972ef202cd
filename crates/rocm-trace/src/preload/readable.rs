//! Tests whether an address from a packet or a caller can be read, so that a bad address does not crash the recorded
//! program.
//!
//! The kernel is asked once for each page, and the answer kept until something is unmapped, so that launches whose
//! arguments go round in the same memory ask nothing. A page that goes while the packet that names it is recorded is
//! not noticed.

use std::ffi::c_char;
use std::sync::atomic::{AtomicU64, Ordering};

const PAGE_SHIFT: u32 = 12;
/// User addresses have so many bits; with five levels of page tables only if a program asks for more.
const ADDRESS_BITS: u32 = 47;
const NUMBER_BITS: u32 = ADDRESS_BITS - PAGE_SHIFT;

const PLACES: usize = 1024;
/// Pages that could be read, each at its number's place: the number, and above it the count of [`CHANGES`] at that
/// time. 0 is no page.
static PAGES: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];
/// Grows when something is unmapped.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// Something is about to be unmapped.
pub fn forget() {
    CHANGES.fetch_add(1, Ordering::Relaxed);
}

/// Whether the bytes from `address` on can be read.
pub fn is_readable(address: u64, bytes: usize) -> bool {
    if bytes == 0 {
        return true;
    }
    let Some(last) = address.checked_add(bytes as u64 - 1).filter(|last| last >> ADDRESS_BITS == 0) else {
        return false;
    };
    (address >> PAGE_SHIFT..=last >> PAGE_SHIFT).all(is_readable_page)
}

/// The C string at an address, if the whole string can be read.
///
/// # Safety
/// What can be read there stays as it is while the text is looked at.
pub unsafe fn text<'a>(start: *const c_char) -> Option<&'a [u8]> {
    let mut length = 0;
    loop {
        let end = start.wrapping_byte_add(length);
        let in_page = (1 << PAGE_SHIFT) - end.addr() % (1 << PAGE_SHIFT);
        if !is_readable(end.addr() as u64, in_page) {
            return None;
        }
        // SAFETY: so many bytes can be read.
        let found = unsafe { libc::strnlen(end, in_page) };
        length += found;
        if found < in_page {
            // SAFETY: they were just read.
            return Some(unsafe { std::slice::from_raw_parts(start.cast(), length) });
        }
    }
}

fn is_readable_page(number: u64) -> bool {
    let known = number | CHANGES.load(Ordering::Relaxed) << NUMBER_BITS;
    let place = &PAGES[number as usize % PLACES];
    if known != 0 && place.load(Ordering::Relaxed) == known {
        return true;
    }
    let readable = kernel_reads(number << PAGE_SHIFT);
    if readable {
        place.store(known, Ordering::Relaxed);
    }
    readable
}

/// Has the kernel read 8 bytes: `rt_sigprocmask` reads the set of signals before it refuses an operation that does not
/// exist. Unlike `process_vm_readv` it also reads memory of devices, and no sandbox forbids it.
#[cold]
fn kernel_reads(address: u64) -> bool {
    const NO_OPERATION: i64 = -1;
    let result: i64;
    // Not by libc, which would set the program's errno.
    // SAFETY: the call only reads, and changes nothing.
    unsafe {
        core::arch::asm!(
            "syscall",
            inlateout("rax") libc::SYS_rt_sigprocmask => result,
            in("rdi") NO_OPERATION,
            in("rsi") address,
            in("rdx") 0,
            in("r10") 8,
            out("rcx") _,
            out("r11") _,
            options(nostack),
        );
    }
    result == -i64::from(libc::EINVAL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::mm::{MapFlags, MprotectFlags, ProtFlags};

    #[test]
    fn only_what_is_mapped_and_readable_is_read() {
        const PAGE: usize = 1 << PAGE_SHIFT;
        let write = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let mapped = unsafe { rustix::mm::mmap_anonymous(std::ptr::null_mut(), 3 * PAGE, write, MapFlags::PRIVATE) };
        let mapped = mapped.expect("memory");
        // SAFETY: within the mapping, which nobody else uses.
        unsafe { rustix::mm::mprotect(mapped.byte_add(2 * PAGE), PAGE, MprotectFlags::empty()) }.expect("a mapping");
        let start = mapped as u64;
        let end = start + 2 * PAGE as u64;
        for _ in 0..2 {
            assert!(is_readable(start, 2 * PAGE) && is_readable(end - 1, 1) && is_readable(start + 4090, 100));
            assert!(!is_readable(end - 1, 2) && !is_readable(end, 1) && !is_readable(start, 3 * PAGE));
        }
        for wrong in [1, 0xdead_beef_dead_beef, u64::MAX, u64::MAX - 10, 0x7fff_ffff_ffff, 1 << 47] {
            assert!(!is_readable(wrong, 16), "{wrong:#x}");
        }
        assert!(is_readable(1, 0));
        let text_at = |offset: usize, bytes: &[u8]| {
            // SAFETY: within what can be written, and nobody changes it meanwhile.
            unsafe {
                let start = mapped.cast::<u8>().add(offset);
                start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                text(start.cast())
            }
        };
        assert_eq!(text_at(10, b"one page\0"), Some(&b"one page"[..]));
        assert_eq!(text_at(PAGE - 3, b"two pages\0"), Some(&b"two pages"[..]));
        assert_eq!(text_at(PAGE - 9, b"up to it\0"), Some(&b"up to it"[..]));
        assert_eq!(text_at(2 * PAGE - 4, b"open"), None);
        // SAFETY: nothing can be read there.
        assert_eq!([0, 16, usize::MAX].map(|wrong| unsafe { text(wrong as *const c_char) }), [None; 3]);
        // SAFETY: nobody uses it.
        unsafe { rustix::mm::munmap(mapped, 2 * PAGE) }.expect("a mapping");
        forget();
        assert!(!is_readable(start, 1) && !is_readable(end - 8, 8));
    }
}
