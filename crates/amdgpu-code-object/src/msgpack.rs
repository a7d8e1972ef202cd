//! A MessagePack reader that allocates nothing for values that are skipped, and does not recurse.

use rmp::Marker;
use rmp::decode::{self, Bytes, RmpRead};

/// What a value is not, or why there is none.
pub(super) type Reason = &'static str;

const CUT_OFF: Reason = "the MessagePack is cut off";

/// A message, read from its start to its end.
pub(super) struct Reader<'data> {
    message: &'data [u8],
    at: usize,
}

impl<'data> Reader<'data> {
    pub(super) fn new(message: &'data [u8]) -> Self {
        Reader { message, at: 0 }
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
        if self.at == self.message.len() {
            return Err(CUT_OFF);
        }
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

    /// Passes over one value of any type, with all that is in it.
    pub(super) fn skip(&mut self) -> Result<(), Reason> {
        // rmp's own way to do this, `MessageLen`, panics at extension types.
        let mut values = 1u64;
        while values > 0 {
            let (inner, length) = self.read(CUT_OFF, contents)?;
            // A value takes a byte at least.
            let left = (self.message.len() - self.at) as u64;
            values = values - 1 + inner;
            if length > left || values > left - length {
                return Err(CUT_OFF);
            }
            self.at += length as usize;
        }
        Ok(())
    }
}

/// How many values, or how many bytes, belong to the value that starts here, behind its length.
fn contents(bytes: &mut Bytes<'_>) -> Result<(u64, u64), ()> {
    let marker = decode::read_marker(bytes).map_err(drop)?;
    let mut u8 = || bytes.read_data_u8().map(u64::from).map_err(drop);
    Ok(match marker {
        Marker::Null | Marker::True | Marker::False | Marker::FixPos(_) | Marker::FixNeg(_) => (0, 0),
        Marker::U8 | Marker::I8 => (0, 1),
        Marker::U16 | Marker::I16 => (0, 2),
        Marker::U32 | Marker::I32 | Marker::F32 => (0, 4),
        Marker::U64 | Marker::I64 | Marker::F64 => (0, 8),
        Marker::FixStr(length) => (0, length.into()),
        Marker::Str8 | Marker::Bin8 => (0, u8()?),
        Marker::Str16 | Marker::Bin16 => (0, bytes.read_data_u16().map_err(drop)?.into()),
        Marker::Str32 | Marker::Bin32 => (0, bytes.read_data_u32().map_err(drop)?.into()),
        // One byte more for the extension's type.
        Marker::FixExt1 => (0, 2),
        Marker::FixExt2 => (0, 3),
        Marker::FixExt4 => (0, 5),
        Marker::FixExt8 => (0, 9),
        Marker::FixExt16 => (0, 17),
        Marker::Ext8 => (0, u8()? + 1),
        Marker::Ext16 => (0, u64::from(bytes.read_data_u16().map_err(drop)?) + 1),
        Marker::Ext32 => (0, u64::from(bytes.read_data_u32().map_err(drop)?) + 1),
        Marker::FixArray(items) => (items.into(), 0),
        Marker::Array16 => (bytes.read_data_u16().map_err(drop)?.into(), 0),
        Marker::Array32 => (bytes.read_data_u32().map_err(drop)?.into(), 0),
        Marker::FixMap(pairs) => (2 * u64::from(pairs), 0),
        Marker::Map16 => (2 * u64::from(bytes.read_data_u16().map_err(drop)?), 0),
        Marker::Map32 => (2 * u64::from(bytes.read_data_u32().map_err(drop)?), 0),
        Marker::Reserved => return Err(()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each type of value with something behind it, passed over: the length that rmp's encoder gave it.
    #[test]
    fn values_of_every_type_are_passed_over() {
        use rmp::encode::*;
        let mut values: Vec<Vec<u8>> = Vec::new();
        let mut add = |write: &dyn Fn(&mut Vec<u8>)| {
            let mut value = Vec::new();
            write(&mut value);
            values.push(value);
        };
        add(&|out| write_nil(out).expect("a vector"));
        add(&|out| write_bool(out, true).expect("a vector"));
        add(&|out| write_f32(out, 1.0).expect("a vector"));
        add(&|out| write_f64(out, 1.0).expect("a vector"));
        for number in [0, 127, 128, 0xffff, 0x1_0000, u64::MAX] {
            add(&|out| {
                let _ = write_uint(out, number).expect("a vector");
            });
        }
        for number in [-1, -33, -129, -0x8001, i64::MIN] {
            add(&|out| {
                let _ = write_sint(out, number).expect("a vector");
            });
        }
        for length in [0, 1, 2, 3, 4, 8, 15, 16, 31, 32, 255, 256, 0xffff, 0x1_0000] {
            add(&|out| write_str(out, &"x".repeat(length)).expect("a vector"));
            add(&|out| write_bin(out, &vec![0xc1; length]).expect("a vector"));
            add(&|out| {
                let _ = write_ext_meta(out, length as u32, 5).expect("a vector");
                out.extend(vec![0xc1; length]);
            });
            add(&|out| {
                let _ = write_array_len(out, length as u32).expect("a vector");
                out.extend(vec![0x01; length]);
            });
            add(&|out| {
                let _ = write_map_len(out, length as u32).expect("a vector");
                out.extend([0x90, 0xc0].repeat(length));
            });
        }
        for value in values {
            let message = [&value[..], &[0x2a]].concat();
            let mut reader = Reader::new(&message);
            assert_eq!(reader.skip(), Ok(()), "{:02x?}", &value[..value.len().min(8)]);
            assert_eq!((reader.offset(), reader.u32()), (value.len(), Ok(42)));
            assert_eq!(Reader::new(&value).skip(), Ok(()), "{:02x?}", &value[..value.len().min(8)]);
            let mut short = Reader::new(&value[..value.len() - 1]);
            assert_eq!(short.skip(), Err(CUT_OFF), "{:02x?}", &value[..value.len().min(8)]);
        }
    }
}
