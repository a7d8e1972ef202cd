//! Metadata of a buffer object, which its users write for each other, such as an image's tiling. Every process that has
//! the object sees it, through any handle.
//!
//! It is an extended attribute of the object's memory file, which Linux has for such files since 6.6.

use crate::errno::Errno;
use kfd_sys::drm_amdgpu_gem_metadata__bindgen_ty_1 as Args;
use std::ffi::CStr;
use std::os::fd::RawFd;

const ATTRIBUTE: &CStr = c"user.vgpu-metadata";
/// Bytes of the data, at most: those in the driver's request.
pub const MAX_DATA: usize = 256;
/// Before the data: its flags, and the tiling.
const HEAD: usize = 16;

/// The metadata of a buffer object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    flags: u64,
    tiling: u64,
    data: Vec<u8>,
}

impl Metadata {
    /// The metadata of the buffer object with this memory file; empty if none was written.
    pub fn of(file: RawFd) -> Metadata {
        let mut bytes = [0u8; HEAD + MAX_DATA];
        // SAFETY: the name is a C string, and `bytes` has the room that is told.
        let length = unsafe { libc::fgetxattr(file, ATTRIBUTE.as_ptr(), bytes.as_mut_ptr().cast(), bytes.len()) };
        // No such attribute, or a host that has none.
        let Ok(length @ HEAD..) = usize::try_from(length) else { return Metadata::default() };
        let word = |at: usize| u64::from_ne_bytes(std::array::from_fn(|i| bytes[at + i]));
        Metadata { flags: word(0), tiling: word(8), data: bytes[HEAD..length].to_vec() }
    }

    /// Applies a request that writes metadata. A request without data removes the data.
    ///
    /// # Errors
    /// `EINVAL` for more data than a request holds.
    pub fn changed_by(self, args: &Args) -> Result<Metadata, Errno> {
        let size = args.data_size_bytes as usize;
        if size > MAX_DATA {
            return Err(Errno::EINVAL);
        }
        let data = args.data.iter().flat_map(|word| word.to_ne_bytes()).take(size).collect();
        let flags = if size == 0 { self.flags } else { args.flags };
        Ok(Metadata { flags, tiling: args.tiling_info, data })
    }

    /// Writes it on the memory file.
    ///
    /// # Errors
    /// `EOPNOTSUPP` on a host whose memory files have no attributes, otherwise what the host says.
    pub fn write(&self, file: RawFd) -> Result<(), Errno> {
        let bytes = [&self.flags.to_ne_bytes()[..], &self.tiling.to_ne_bytes(), &self.data].concat();
        // SAFETY: the name is a C string, and `bytes` is as long as is told.
        let done = unsafe { libc::fsetxattr(file, ATTRIBUTE.as_ptr(), bytes.as_ptr().cast(), bytes.len(), 0) };
        if done == 0 { Ok(()) } else { Err(Errno::last()) }
    }

    /// Fills in a request for it.
    pub fn fill(&self, args: &mut Args) {
        (args.flags, args.tiling_info, args.data_size_bytes) = (self.flags, self.tiling, self.data.len() as u32);
        for (word, bytes) in args.data.iter_mut().zip(self.data.chunks(4)) {
            *word = u32::from_ne_bytes(std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(0)));
        }
    }

    /// The data alone.
    pub fn data(&self) -> &[u8] {
        &self.data
    }
}
