//! One file of the cache: what the code depends on, and the code.

use crate::kernels::hip_source::Symbols;

/// Changes with the format.
const MAGIC: &[u8; 16] = b"rocm-interop 01\n";

/// What a file has beside the key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Compiled {
    pub(crate) code: Vec<u8>,
    pub(crate) symbols: Symbols,
}

/// FNV-1a: any byte that differs makes another sum, and so does an end that is missing. Nobody is kept from forging one; see `CodeCache`.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

pub(crate) fn encode(key: &[u8], code: &[u8], symbols: &[(String, String)]) -> Vec<u8> {
    let mut body = Vec::new();
    let mut put = |bytes: &[u8]| {
        body.extend((bytes.len() as u64).to_le_bytes());
        body.extend(bytes);
    };
    put(key);
    put(code);
    for (name, symbol) in symbols {
        put(name.as_bytes());
        put(symbol.as_bytes());
    }
    [MAGIC.as_slice(), &checksum(&body).to_le_bytes(), &body].concat()
}

/// What is in a file; why it is not taken if it is not whole. `None` if it is of another key.
pub(crate) fn decode(bytes: &[u8], key: &[u8]) -> Result<Option<Compiled>, &'static str> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("it does not start as a file of this cache")?;
    let (sum, mut body) = rest.split_first_chunk().ok_or("it ends too early")?;
    if u64::from_le_bytes(*sum) != checksum(body) {
        return Err("its checksum is wrong");
    }
    let mut take = || {
        let (size, rest) = body.split_first_chunk()?;
        let (taken, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*size)).ok()?)?;
        body = rest;
        Some(taken)
    };
    if take().ok_or("it has no key")? != key {
        return Ok(None);
    }
    let code = take().ok_or("it has no code")?.to_vec();
    let mut symbols = Symbols::new();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|_| "a symbol is no text");
    while let Some(name) = take() {
        symbols.push((text(name)?, text(take().ok_or("a name has no symbol")?)?));
    }
    if !body.is_empty() {
        return Err("it ends within a symbol");
    }
    Ok(Some(Compiled { code, symbols }))
}

#[cfg(test)]
mod tests {
    use super::{Compiled, MAGIC, checksum, decode, encode};

    #[test]
    fn what_is_written_is_read() {
        for symbols in [vec![], vec![("a<int>".to_owned(), "_Z1aIiEv".to_owned()), (String::new(), String::new())]] {
            let bytes = encode(b"key", b"code", &symbols);
            assert_eq!(decode(&bytes, b"key"), Ok(Some(Compiled { code: b"code".to_vec(), symbols })));
            assert_eq!((decode(&bytes, b"kex"), decode(&bytes, b"")), (Ok(None), Ok(None)));
        }
    }

    #[test]
    fn torn_and_changed_files_are_not_taken() {
        let bytes = encode(b"key", b"some code", &[("name".to_owned(), "symbol".to_owned())]);
        for end in 0..bytes.len() {
            decode(&bytes[..end], b"key").expect_err("torn");
        }
        decode(&[&bytes[..], b"\0"].concat(), b"key").expect_err("too long");
        for at in 0..bytes.len() {
            for change in 1..=255 {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                decode(&changed, b"key").expect_err("changed");
            }
        }
    }

    /// Whatever lengths it has, with a sum that is right.
    #[test]
    fn lengths_are_not_trusted() {
        let whole = encode(b"key", b"some code", &[("name".to_owned(), "symbol".to_owned())]);
        let body = &whole[24..];
        let sealed = |body: &[u8]| [MAGIC.as_slice(), &checksum(body).to_le_bytes(), body].concat();
        for end in 0..body.len() {
            // A file without symbols is whole too.
            let outcome = decode(&sealed(&body[..end]), b"key");
            assert!(outcome.is_err() || end == 8 + 3 + 8 + 9, "{end}: {outcome:?}");
        }
        for at in [0, 11, 28, 40] {
            for length in [u64::MAX, 1 << 32, 1000] {
                let mut changed = body.to_vec();
                changed[at..at + 8].copy_from_slice(&length.to_le_bytes());
                decode(&sealed(&changed), b"key").expect_err("no such length");
            }
        }
    }
}
