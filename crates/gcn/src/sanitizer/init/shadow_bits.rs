//! Initialised bits of a work-group's LDS and private memory: one bit for each byte that was written.

use crate::sanitizer::trace::lds::{Kind, Touch, Touches};
use std::ops::Range;

/// What a work-group has written.
#[derive(Default)]
pub(crate) struct Written {
    pub lds: Bits,
    /// Of each wave what any of its lanes has written, one wave behind the other. Compilers store a register in the
    /// lanes that need it, and load it in others too.
    private: Bits,
    /// Bytes of a work-item's private memory.
    private_bytes: u32,
}

impl Written {
    /// Starts a work-group of this many waves, whose work-items have this much private memory. All of it is
    /// uninitialised.
    pub fn start(&mut self, lds_bytes: u32, waves: u32, private_bytes: u32) {
        self.lds.start(lds_bytes);
        // The last dword is a whole one.
        self.private_bytes = private_bytes.next_multiple_of(4);
        self.private.start(self.private_bytes.saturating_mul(waves));
    }

    /// Adds what an instruction of wave `wave` did to private memory, as [`Bits::add`] does: at offsets in the
    /// work-item's.
    pub fn add_private(&mut self, wave: u32, touches: impl Iterator<Item = Touch>) -> Option<Touch> {
        let start = self.private_bytes.saturating_mul(wave);
        // What is outside is told as such.
        let end = |touch: &Touch| touch.address.saturating_add(touch.bytes.into());
        let inside = touches.filter(|touch| end(touch) <= self.private_bytes);
        let of_wave = |touch: Touch| Touch { address: start.saturating_add(touch.address), ..touch };
        let touches: Vec<Touch> = inside.map(of_wave).collect();
        self.private.add(&touches).map(|touch| Touch { address: touch.address - start, ..touch })
    }
}

/// A bit for each byte.
#[derive(Default)]
pub(crate) struct Bits {
    bytes: u32,
    words: Vec<u64>,
    /// So many of them, from the first on, are known to have all bits.
    full: usize,
}

impl Bits {
    /// There are so many bytes, of which none is written.
    fn start(&mut self, bytes: u32) {
        self.bytes = bytes;
        self.full = 0;
        self.words.clear();
        // An access has bits in two words, of which the second may be behind the last.
        self.words.resize(bytes as usize / 64 + 2, 0);
    }

    /// As [`Bits::add`], of rows of accesses.
    pub fn add_rows(&mut self, touches: &Touches) -> Option<Touch> {
        let bytes = touches.bytes();
        let is = |kind| touches.rows().iter().all(|row| row.kind == kind);
        if is(Kind::Store) && touches.outside(self.bytes).is_none() {
            for row in touches.rows() {
                row.each_run(bytes, |_, start, lanes| {
                    self.write(start as usize..start as usize + usize::from(lanes) * usize::from(bytes));
                });
            }
            return None;
        }
        if is(Kind::Load) && (self.is_complete() || touches.rows().iter().all(|row| self.are_written(row.span(bytes))))
        {
            return None;
        }
        self.add(&touches.all().collect::<Vec<_>>())
    }

    /// The words that have bits of these bytes, with a mask for each.
    fn words(bytes: Range<usize>) -> impl Iterator<Item = (usize, u64)> {
        (bytes.start / 64..bytes.end.div_ceil(64)).map(move |word| {
            let first = bytes.start.saturating_sub(word * 64);
            let behind = (bytes.end - word * 64).min(64);
            (word, u64::MAX << first & u64::MAX >> (64 - behind))
        })
    }

    fn write(&mut self, bytes: Range<usize>) {
        for (word, mask) in Bits::words(bytes) {
            self.words[word] |= mask;
        }
    }

    /// Whether all bytes are written.
    pub fn is_complete(&mut self) -> bool {
        let all = self.bytes as usize / 64;
        while self.full < all && self.words[self.full] == u64::MAX {
            self.full += 1;
        }
        self.full == all && self.are_written(all * 64..self.bytes as usize)
    }

    /// Whether all of these are written.
    fn are_written(&self, bytes: Range<usize>) -> bool {
        Bits::words(bytes).all(|(word, mask)| self.words.get(word).is_some_and(|all| all & mask == mask))
    }

    /// Adds an instruction's accesses. Returns its first load or atomic all of whose bytes are uninitialised.
    ///
    /// One that found some is right where it loads a structure with its padding, or more than it needs at the end of an
    /// array.
    pub fn add(&mut self, touches: &[Touch]) -> Option<Touch> {
        let mut first = None;
        // Compilers make two loads, one beside the other, of a longer one that is not aligned.
        let continues = |a: &Touch, b: &Touch| {
            (a.lane, a.kind) == (b.lane, b.kind) && a.address.checked_add(a.bytes.into()) == Some(b.address)
        };
        for one in touches.chunk_by(continues) {
            let (touch, bytes) = (one[0], one.iter().map(|touch| u32::from(touch.bytes)).sum::<u32>());
            // What is outside is told as such.
            if touch.address.checked_add(bytes).is_none_or(|end| end > self.bytes) {
                continue;
            }
            let (word, shift) = (touch.address as usize / 64, touch.address % 64);
            let Some([low, high]) = self.words.get_mut(word..).and_then(<[u64]>::first_chunk_mut) else { continue };
            let known = u128::from(*high) << 64 | u128::from(*low);
            let own = ((1 << bytes) - 1) << shift;
            if touch.kind != Kind::Store && known & own == 0 {
                first = first.or(Some(touch));
            }
            if touch.kind != Kind::Load {
                let known = known | own;
                (*low, *high) = (known as u64, (known >> 64) as u64);
            }
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sanitizer::report::poison;
    use crate::sanitizer::trace::lds::tests::example;

    #[test]
    fn rows_leave_the_bits_that_lanes_one_by_one_do() {
        let (mut told, mut complete) = (0, 0);
        for start in 0..40 {
            let [mut rows, mut single] = [Bits::default(), Bits::default()];
            let bytes = 200 + poison(4 * start) % 900;
            [&mut rows, &mut single].into_iter().for_each(|bits| bits.start(bytes));
            for n in 0..100 {
                let seed = 100 * start + n;
                let kind = [Kind::Load, Kind::Store, Kind::Atomic { returns: true }][poison(4 * seed) as usize % 3];
                let touches = example(seed, kind);
                let first = rows.add_rows(&touches);
                assert_eq!(first, single.add(&touches.all().collect::<Vec<_>>()), "seed {seed}");
                assert_eq!(rows.words, single.words, "seed {seed}");
                told += u32::from(first.is_some());
                complete += u32::from(rows.is_complete());
            }
        }
        assert!(told > 300 && complete > 300, "{told}, {complete}");
    }
}
