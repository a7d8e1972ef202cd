//! Compressed offload bundles.

use std::borrow::Cow;
use std::io::Read;

use crate::Error;

/// Most bytes that a compressed bundle is unpacked to. A file of a few KiB could ask for any amount.
pub const UNPACKED_LIMIT: u64 = 1 << 30;

/// What a compressed bundle starts with.
const MAGIC: &[u8] = b"CCOB";

/// The first bytes of an offload bundle that is not compressed.
pub(super) const BUNDLE_MAGIC: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";

/// `llvm::compression::Format`.
const ZLIB: u16 = 0;
const ZSTD: u16 = 1;

/// Whether `bytes` start as a compressed bundle does.
pub(super) fn is_at(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The version that a compressed bundle says it has; 0 if it ends before.
pub(super) fn version(bytes: &[u8]) -> u16 {
    Header { bytes, at: MAGIC.len() }.int(2, "").map_or(0, |version| version as u16)
}

/// The bundle in a compressed one (`--offload-compress`), of versions 1 to 3, by zlib or Zstandard ([format]); other
/// bytes as they are. For [`find`](crate::find) and [`Bundle::parse`](crate::Bundle::parse), which read in place.
///
/// Memory is allocated for what was unpacked so far, up to the size that the header says and [`UNPACKED_LIMIT`]. The
/// header's hash is not checked, as in clang's own tools: it detects errors of the compiler, not of the file. Bytes
/// after the bundle are ignored.
///
/// ```
/// # let bundle = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/code_object/bundle-zstd-v2")).unwrap();
/// let bundle = amdgpu_code_object::unpack(&bundle)?;
/// let object = amdgpu_code_object::find(&bundle, &"gfx908:sramecc+:xnack-".parse()?)?;
/// assert_eq!(object.kernels()[0].name(), "add");
/// # Ok::<(), amdgpu_code_object::Error>(())
/// ```
///
/// # Errors
/// [`Error::Unsupported`] for another version or method, more than [`UNPACKED_LIMIT`], or a Zstandard window of more
/// than 100 MiB; [`Error::Malformed`] for bytes that end too early, do not unpack, or unpack to another size than the
/// header says.
#[doc(alias = "CCOB")]
#[doc(alias = "clang-offload-bundler")]
pub fn unpack(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Error> {
    if !is_at(bytes) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut header = Header { bytes, at: MAGIC.len() };
    let version = header.int(2, "the version")?;
    let method = header.int(2, "the compression method")?;
    let (file_size, size) = match version {
        1 => (None, header.int(4, "the unpacked size")?),
        2 => (Some(header.int(4, "the file's size")?), header.int(4, "the unpacked size")?),
        3 => (Some(header.int(8, "the file's size")?), header.int(8, "the unpacked size")?),
        _ => {
            let subject = "the version of the compressed offload bundle";
            return Err(Error::Unsupported { subject, value: version, supported: "1 to 3" });
        }
    };
    let _hash = header.int(8, "the hash")?;
    let start = header.at;
    let end = match file_size {
        None => bytes.len(),
        Some(end) => match usize::try_from(end).ok().filter(|end| (start..=bytes.len()).contains(end)) {
            Some(end) => end,
            None => {
                let reason =
                    format!("its file has {end} bytes, the header {start} of them, but {} were given", bytes.len());
                return Err(malformed(8, reason));
            }
        },
    };
    if size > UNPACKED_LIMIT {
        let subject = "the unpacked size of the compressed offload bundle";
        return Err(Error::Unsupported {
            subject,
            value: size,
            supported: "up to 1 GiB (unpack it by clang-offload-bundler)",
        });
    }
    let (packed, size) = (&bytes[start..end], size as usize);
    let unpacked = match method as u16 {
        ZLIB => zlib(packed, size),
        ZSTD => zstd(packed, size),
        _ => {
            let subject = "the method of the compressed offload bundle";
            return Err(Error::Unsupported { subject, value: method, supported: "0 (zlib) and 1 (Zstandard)" });
        }
    };
    let unpacked = unpacked.map_err(|reason| malformed(start as u64, reason))?;
    if unpacked.len() != size {
        let reason = format!("it unpacks to {} bytes, the header says {size}", unpacked.len());
        return Err(malformed(start as u64, reason));
    }
    // Once: `find` would say of a second layer that it is to be unpacked, too.
    if !unpacked.starts_with(BUNDLE_MAGIC) {
        let reason = format!("it unpacks to no offload bundle: that starts with {:02x?}", &unpacked[..size.min(4)]);
        return Err(malformed(start as u64, reason));
    }
    Ok(Cow::Owned(unpacked))
}

/// At most `size` bytes, or why not.
fn zlib(packed: &[u8], size: usize) -> Result<Vec<u8>, String> {
    miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(packed, size).map_err(|error| match error.status {
        miniz_oxide::inflate::TINFLStatus::HasMoreOutput => {
            format!("it unpacks to more than the {size} bytes that the header says")
        }
        status => format!("zlib's data is broken after {} bytes of output ({status:?})", error.output.len()),
    })
}

/// One byte more than `size` at most, or why not.
fn zstd(packed: &[u8], size: usize) -> Result<Vec<u8>, String> {
    let mut unpacked = Vec::new();
    let decoder = ruzstd::decoding::StreamingDecoder::new(packed)
        .map_err(|error| format!("Zstandard's data is not taken: {error}"))?;
    // To see whether there is more.
    let read = decoder.take(size as u64 + 1).read_to_end(&mut unpacked);
    read.map_err(|error| format!("Zstandard's data is broken after {} bytes of output: {error}", unpacked.len()))?;
    Ok(unpacked)
}

fn malformed(offset: u64, reason: String) -> Error {
    Error::Malformed { place: "compressed offload bundle".to_owned(), offset: Some(offset), reason }
}

/// Numbers of a compressed bundle's start.
struct Header<'data> {
    bytes: &'data [u8],
    at: usize,
}

impl Header<'_> {
    fn int(&mut self, size: usize, subject: &str) -> Result<u64, Error> {
        let Some(taken) = self.bytes.get(self.at..self.at + size) else {
            let reason = format!("the {} bytes given end within {subject}", self.bytes.len());
            return Err(malformed(self.at as u64, reason));
        };
        self.at += size;
        Ok(taken.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }
}
