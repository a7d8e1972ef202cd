//! Which bytes of its LDS and private memory a work-group has written, for devices that look for loads of the others.

use super::private::Private;
use super::races::{Kind, Touch};
use super::segments::Segments;

/// What a work-group has written.
#[derive(Default)]
pub(crate) struct Written {
    pub lds: Bits,
    /// Of each wave what any of its lanes has written, one wave behind the other. Compilers store a register in the lanes that need it, and load it in others too.
    private: Bits,
    /// Bytes of a work-item's private memory.
    private_bytes: u32,
}

impl Written {
    /// A work-group of so many waves begins, of which none has written anything.
    pub fn start(&mut self, lds_bytes: u32, waves: u32, segments: &Segments) {
        self.lds.start(lds_bytes);
        // The last dword is a whole one.
        self.private_bytes = segments.private_bytes.next_multiple_of(4);
        self.private.start(self.private_bytes.saturating_mul(waves));
    }

    /// Adds what an instruction of wave `wave` did to private memory, as [`Bits::add`] does. What it gives has the offset in the work-item's.
    pub fn add_private(&mut self, wave: u32, private: &Private) -> Option<Touch> {
        let start = self.private_bytes.saturating_mul(wave);
        let touches: Vec<Touch> = private
            .lanes()
            // What is outside is told as such.
            .filter_map(|(lane, offset)| {
                let end = offset + i64::from(private.bytes);
                let offset = u32::try_from(offset).ok().filter(|_| end <= self.private_bytes.into())?;
                Some(Touch { address: start.saturating_add(offset), bytes: private.bytes, lane, kind: private.kind() })
            })
            .collect();
        self.private.add(&touches).map(|touch| Touch { address: touch.address - start, ..touch })
    }
}

/// A bit for each byte.
#[derive(Default)]
pub(crate) struct Bits {
    bytes: u32,
    words: Vec<u64>,
}

impl Bits {
    /// There are so many bytes, of which none is written.
    fn start(&mut self, bytes: u32) {
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
