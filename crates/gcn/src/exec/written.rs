//! Which bytes of its LDS a work-group has written, for devices that look for loads of the others.

use super::races::{Kind, Touch};

/// A bit for each byte of a work-group's LDS.
#[derive(Default)]
pub(crate) struct Written {
    bytes: u32,
    words: Vec<u64>,
}

impl Written {
    /// A work-group with so many bytes of LDS begins, of which none is written.
    pub fn start(&mut self, bytes: u32) {
        self.bytes = bytes;
        self.words.clear();
        // An access has bits in two words, of which the second may be behind the last.
        self.words.resize(bytes as usize / 64 + 2, 0);
    }

    /// Adds what an instruction did. Gives its first load or atomic that found no byte that was written.
    ///
    /// One that found some is right where it loads a structure with its padding, or more than it needs at the end of an array.
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
