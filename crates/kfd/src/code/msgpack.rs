//! Reading MessagePack piece by piece: nothing is allocated for what nobody asks for.

use rmp::Marker;
use rmp::decode::{self, Bytes, MessageLen};

/// Deepest nesting of maps and arrays. AMD's metadata has five levels.
const MAX_DEPTH: usize = 32;

/// What a value is not, or why there is none.
pub(super) type Reason = &'static str;

/// A message whose structure has been checked: every length in it is within it.
pub(super) struct Reader<'data> {
    message: &'data [u8],
    at: usize,
}

impl<'data> Reader<'data> {
    /// Reads the message at the start of `bytes`.
    pub(super) fn new(bytes: &'data [u8]) -> Result<Self, Reason> {
        let length = MessageLen::with_limits(MAX_DEPTH, bytes.len())
            .incremental_len(bytes)
            .map_err(|_| "the MessagePack is cut off, invalid or nested deeper than 32 levels")?;
        Ok(Reader { message: &bytes[..length], at: 0 })
    }

    /// Bytes read so far.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// Runs one of rmp's decoders; the position stays if it fails.
    fn read<T, E>(
        &mut self,
        wanted: Reason,
        decode: impl FnOnce(&mut Bytes<'data>) -> Result<T, E>,
    ) -> Result<T, Reason> {
        let mut bytes = Bytes::new(&self.message[self.at..]);
        let value = decode(&mut bytes).map_err(|_| wanted)?;
        self.at = self.message.len() - bytes.remaining_slice().len();
        Ok(value)
    }

    /// A map's number of pairs.
    pub(super) fn map(&mut self) -> Result<u32, Reason> {
        self.read("not a map", decode::read_map_len)
    }

    /// An array's number of items.
    pub(super) fn array(&mut self) -> Result<u32, Reason> {
        self.read("not a sequence", decode::read_array_len)
    }

    pub(super) fn uint(&mut self) -> Result<u64, Reason> {
        self.read("not an integer from 0 up", decode::read_int::<u64, _>)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Reason> {
        self.read("not an integer from 0 to 2^32 - 1", decode::read_int::<u32, _>)
    }

    /// A boolean, for which LLVM also writes 0 and 1.
    pub(super) fn bool(&mut self) -> Result<bool, Reason> {
        self.read("not a boolean", |bytes| match decode::read_marker(bytes).map_err(drop)? {
            Marker::True | Marker::FixPos(1) => Ok(true),
            Marker::False | Marker::FixPos(0) => Ok(false),
            _ => Err(()),
        })
    }

    pub(super) fn str(&mut self) -> Result<&'data str, Reason> {
        let (text, rest) =
            decode::read_str_from_slice(&self.message[self.at..]).map_err(|_| "not a string of UTF-8")?;
        self.at = self.message.len() - rest.len();
        Ok(text)
    }

    /// Passes over one value of any type.
    pub(super) fn skip(&mut self) -> Result<(), Reason> {
        let length = MessageLen::with_limits(MAX_DEPTH, self.message.len())
            .incremental_len(&self.message[self.at..])
            .map_err(|_| "the MessagePack is invalid")?;
        self.at += length;
        Ok(())
    }
}
