//! Some bytes of memory.

use crate::{Error, Result};

/// Some bytes of device memory, by their address. It keeps nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// Device address of the first.
    pub address: u64,
    /// How many.
    pub bytes: u64,
}

impl Part {
    /// The `bytes` from byte `offset` on.
    ///
    /// # Errors
    /// [`Error::Range`], in bytes.
    pub fn part(self, offset: u64, bytes: u64) -> Result<Part> {
        match offset.checked_add(bytes) {
            Some(end) if end <= self.bytes => Ok(Part { address: self.address + offset, bytes }),
            _ => Err(Error::Range { start: offset as usize, count: bytes as usize, len: self.bytes as usize }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_inside() {
        let whole = Part { address: 4096, bytes: 100 };
        let inner = whole.part(10, 90).unwrap();
        assert_eq!((inner, whole.part(100, 0).unwrap().bytes), (Part { address: 4106, bytes: 90 }, 0));
        for (offset, bytes) in [(11, 90), (101, 0), (u64::MAX, 2)] {
            assert!(matches!(whole.part(offset, bytes), Err(Error::Range { .. })), "{offset} {bytes}");
        }
        assert!(inner.part(0, 91).is_err());
    }
}
