//! Copies between the host's own memory and memory that a device uses at the same time.
//!
//! Every naturally aligned word of 2, 4 or 8 bytes in the device's memory is accessed at once, as it is or as part of a
//! larger one: a value that the device writes meanwhile is never seen half. The host's side may be aligned to anything.
//! Accesses are volatile: the compiler must neither repeat nor split nor leave out one.

/// Copies out of a device's memory.
///
/// # Safety
/// Both ranges are valid for `bytes` bytes, hold plain data, and do not overlap.
pub unsafe fn read(device: *const u8, host: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise; the device's memory is only read.
    unsafe { copy::<true>(device.cast_mut(), host, bytes) };
}

/// Copies into a device's memory.
///
/// # Safety
/// As of [`read`].
pub unsafe fn write(host: *const u8, device: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise; the host's memory is only read.
    unsafe { copy::<false>(device, host.cast_mut(), bytes) };
}

const WORD: usize = size_of::<u64>();

unsafe fn copy<const OUT: bool>(device: *mut u8, host: *mut u8, bytes: usize) {
    let head = bytes.min(device.addr().wrapping_neg() % WORD);
    let words = (bytes - head) / WORD;
    let tail = head + words * WORD;
    // SAFETY: inside both ranges, as the parts add up; the device's side is aligned to a word behind the head.
    unsafe {
        few::<OUT>(device, host, head);
        for at in (head..tail).step_by(WORD) {
            one::<u64, OUT>(device.add(at), host.add(at));
        }
        few::<OUT>(device.add(tail), host.add(tail), bytes - tail);
    }
}

/// Copies less than a word, by as few accesses as can be.
unsafe fn few<const OUT: bool>(device: *mut u8, host: *mut u8, bytes: usize) {
    let mut at = 0;
    while at < bytes {
        let aligned = (device.addr() + at).trailing_zeros();
        let size = 1 << aligned.min((bytes - at).ilog2());
        // SAFETY: inside both ranges; the device's side is aligned to the size.
        unsafe {
            let (device, host) = (device.add(at), host.add(at));
            match size {
                4 => one::<u32, OUT>(device, host),
                2 => one::<u16, OUT>(device, host),
                _ => one::<u8, OUT>(device, host),
            }
        }
        at += size;
    }
}

/// Copies one `W`, to which the device's side is aligned.
unsafe fn one<W, const OUT: bool>(device: *mut u8, host: *mut u8) {
    let (device, host) = (device.cast::<W>(), host.cast::<W>());
    // SAFETY: the caller's promise.
    unsafe {
        match OUT {
            true => host.write_unaligned(device.read_volatile()),
            false => device.write_volatile(host.read_unaligned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    #[repr(align(8))]
    struct Bytes([u8; 64]);

    #[test]
    fn all_bytes_are_copied_and_no_others() {
        let content: [u8; 64] = std::array::from_fn(|i| i as u8 + 1);
        for (device, host) in (0..8).flat_map(|device| (0..8).map(move |host| (device, host))) {
            for bytes in 0..40 {
                let (from, mut to) = (Bytes(content), Bytes([0; 64]));
                // SAFETY: inside both.
                unsafe { read(from.0.as_ptr().add(device), to.0.as_mut_ptr().add(host), bytes) };
                assert_eq!(to.0[host..][..bytes], content[device..][..bytes]);
                assert_eq!(to.0.iter().filter(|byte| **byte != 0).count(), bytes);
                let mut to = Bytes([0; 64]);
                // SAFETY: inside both.
                unsafe { write(from.0.as_ptr().add(host), to.0.as_mut_ptr().add(device), bytes) };
                assert_eq!(to.0[device..][..bytes], content[host..][..bytes]);
                assert_eq!(to.0.iter().filter(|byte| **byte != 0).count(), bytes);
            }
        }
    }

    /// Wherever it is, and whatever is read with it.
    #[test]
    fn a_word_is_read_whole() {
        #[repr(align(8))]
        struct Words([AtomicU32; 4]);
        let words = &Words([const { AtomicU32::new(0) }; 4]);
        let stop = &AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    words.0.iter().for_each(|word| word.store(!0, Ordering::Relaxed));
                    words.0.iter().for_each(|word| word.store(0, Ordering::Relaxed));
                }
            });
            let start = words.0.as_ptr().cast::<u8>();
            let mut seen = [0; 2];
            let mut torn = None;
            while torn.is_none() && seen.iter().any(|times| *times < 10_000) {
                for (from, count) in [(0, 1), (1, 1), (1, 3), (0, 4)] {
                    let mut values = [0_u32; 4];
                    // SAFETY: inside both, which are apart.
                    unsafe { read(start.add(from * 4), values.as_mut_ptr().cast(), count * 4) };
                    for value in &values[..count] {
                        match value {
                            0 => seen[0] += 1,
                            &u32::MAX => seen[1] += 1,
                            _ => torn = Some(*value),
                        }
                    }
                }
            }
            stop.store(true, Ordering::Relaxed);
            assert_eq!(torn, None);
        });
    }
}
