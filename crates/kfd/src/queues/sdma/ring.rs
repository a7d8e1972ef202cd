//! The ring of a copy queue.

use std::ptr::NonNull;

use super::packet::LONGEST;
use crate::family::MIN_SUBMISSION_BYTES;

/// Dwords of padding in what is handed to the engine at once, at most: at the ring's end, and behind the packets.
pub const MAX_PADDING: u64 = LONGEST as u64 - 1 + MIN_SUBMISSION_BYTES / 4;
/// A dword that does nothing.
const NOP: u32 = 0;

/// Where packets are written. Who writes makes sure that there is room, so that the engine has read what was there
/// before.
#[derive(Debug)]
pub struct Ring {
    start: NonNull<u32>,
    bytes: u64,
    /// Since the ring was made.
    written: u64,
    /// That part of it which the engine was given.
    submitted: u64,
    /// Bytes that it is given at once, at least.
    least: u64,
}

// SAFETY: memory that nobody else writes.
unsafe impl Send for Ring {}
// SAFETY: as above; what changes it takes `&mut self`.
unsafe impl Sync for Ring {}

impl Ring {
    /// An empty ring in these bytes, for an engine that is given `least` bytes at once.
    ///
    /// # Safety
    /// The memory is valid as long as this, and nobody else writes it. There are as many bytes, a multiple of 4.
    pub unsafe fn new(start: NonNull<u32>, bytes: u64, least: u64) -> Ring {
        Ring { start, bytes, written: 0, submitted: 0, least }
    }

    /// Bytes written since the ring was made, padding included.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Writes a packet behind the last one, in one piece: what is left at the ring's end is padded if it is too short.
    /// Nothing says that engines follow a packet across the end, and neither ROCr (`BlitSdma::AcquireWriteAddress`) nor
    /// Linux lets one.
    pub fn put(&mut self, packet: &[u32]) {
        let left = (self.bytes - self.written % self.bytes) / 4;
        if left < packet.len() as u64 {
            (0..left).for_each(|_| self.push(NOP));
        }
        packet.iter().for_each(|dword| self.push(*dword));
    }

    /// Ends what the engine is given at once, with padding if that is too little. Returns up to where it is, as
    /// [`written`](Self::written).
    pub fn submit(&mut self) -> u64 {
        while self.written - self.submitted < self.least {
            self.push(NOP);
        }
        self.submitted = self.written;
        self.written
    }

    fn push(&mut self, dword: u32) {
        let at = self.written % self.bytes / 4;
        // SAFETY: inside the ring, and aligned.
        unsafe { self.start.add(at as usize).write_volatile(dword) };
        self.written += 4;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::family::Family;

    use super::*;

    proptest! {
        /// What an engine finds that knows nothing of packets across the ring's end.
        #[test]
        fn packets_are_in_one_piece(lengths in prop::collection::vec(1..=LONGEST, 1..40)) {
            const DWORDS: usize = 16;
            let mut memory = [u32::MAX; DWORDS];
            // SAFETY: the array outlives the ring.
            let mut ring = unsafe { Ring::new(NonNull::from(&mut memory).cast(), DWORDS as u64 * 4, 0) };
            for (number, length) in lengths.iter().enumerate() {
                let packet = vec![number as u32 + 1; *length];
                let before = ring.written() as usize / 4;
                ring.put(&packet);
                let end = ring.written() as usize / 4;
                let (start, padding) = ((end - length) % DWORDS, end - length - before);
                prop_assert!(start + length <= DWORDS, "packet {} at {}", number, start);
                // SAFETY: inside the array, which nobody writes now.
                let seen = |at: usize| unsafe { ring.start.add(at % DWORDS).read() };
                prop_assert!((start..start + length).all(|at| seen(at) == packet[0]));
                prop_assert!(padding < LONGEST && (padding == 0 || start == 0));
                prop_assert!((before..before + padding).all(|at| seen(at) == NOP));
            }
        }
    }
    #[test]
    fn the_first_engines_of_gfx9_are_given_enough_at_once() {
        for (version, expected) in
            [((9, 0, 0), 64), ((9, 0, 4), 64), ((9, 0, 12), 64), ((9, 0, 6), 5), ((9, 0, 8), 5), ((9, 4, 2), 5)]
        {
            let mut memory = [u32::MAX; 256];
            // SAFETY: the array outlives the ring.
            let mut ring = unsafe {
                Ring::new(NonNull::from(&mut memory).cast(), 1024, Family::of(version).unwrap().least_submission)
            };
            ring.put(&[9; 5]);
            assert_eq!(ring.submit(), expected * 4, "{version:?}");
            // As much again, whatever came before.
            ring.put(&[9; 5]);
            assert_eq!(ring.submit(), expected * 8, "{version:?}");
            // A long one gets nothing more.
            (0..20).for_each(|_| ring.put(&[9; 4]));
            assert_eq!(ring.submit(), expected * 8 + 320, "{version:?}");
            let end = ring.written() as usize / 4;
            assert_eq!(memory[..end].iter().filter(|dword| **dword == 9).count(), 90, "the rest does nothing");
            assert!(memory[..end].iter().all(|dword| [9, NOP].contains(dword)));
        }
    }
}
