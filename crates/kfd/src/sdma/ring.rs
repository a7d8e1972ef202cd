//! The ring of a copy queue.

use std::ptr::NonNull;

use super::packet::LONGEST;

/// Dwords that [`Ring::put`] may write besides its packet, once in each round of the ring.
pub const MOST_PADDING: u64 = LONGEST as u64 - 1;
/// A dword that does nothing.
const NOP: u32 = 0;

/// Where packets are written. Who writes makes sure that there is room, so that the engine has read what was there before.
#[derive(Debug)]
pub struct Ring {
    start: NonNull<u32>,
    bytes: u64,
    /// Since the ring was made.
    written: u64,
}

// SAFETY: memory that nobody else writes.
unsafe impl Send for Ring {}
// SAFETY: as above; what changes it takes `&mut self`.
unsafe impl Sync for Ring {}

impl Ring {
    /// An empty ring in these bytes.
    ///
    /// # Safety
    /// The memory is valid as long as this, and nobody else writes it. There are as many bytes, a multiple of 4.
    pub unsafe fn new(start: NonNull<u32>, bytes: u64) -> Ring {
        Ring { start, bytes, written: 0 }
    }

    /// Bytes written since the ring was made, padding included.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Writes a packet behind the last one, in one piece: what is left at the ring's end is padded if it is too short. Nothing says that
    /// engines follow a packet across the end, and neither ROCr (`BlitSdma::AcquireWriteAddress`) nor Linux lets one.
    pub fn put(&mut self, packet: &[u32]) {
        let left = (self.bytes - self.written % self.bytes) / 4;
        if left < packet.len() as u64 {
            (0..left).for_each(|_| self.push(NOP));
        }
        packet.iter().for_each(|dword| self.push(*dword));
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

    use super::*;

    proptest! {
        /// What an engine finds that knows nothing of packets across the ring's end.
        #[test]
        fn packets_are_in_one_piece(lengths in prop::collection::vec(1..=LONGEST, 1..40)) {
            const DWORDS: usize = 16;
            let mut memory = [u32::MAX; DWORDS];
            // SAFETY: the array outlives the ring.
            let mut ring = unsafe { Ring::new(NonNull::from(&mut memory).cast(), DWORDS as u64 * 4) };
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
                prop_assert!(padding as u64 <= MOST_PADDING && (padding == 0 || start == 0));
                prop_assert!((before..before + padding).all(|at| seen(at) == NOP));
            }
        }
    }
}
