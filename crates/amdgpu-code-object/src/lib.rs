//! A reader for AMD GPU code objects that needs no driver: it lists kernels, places code in memory and checks launches.
//!
//! - [`CodeObject`]: an ELF file of versions 3 to 6: its target, its image in memory, its symbols and kernels.
//! - [`Bundle`]: several of them in one file, for several targets; [`find`] gives the one for a device. [`unpack`]
//!   reads compressed ones.
//! - [`Kernel`]: descriptor, arguments and needs of a kernel; [`Kernel::prepare`] checks a [`Launch`] and fills its
//!   arguments.
//!
//! All of it is data: no device is touched, nothing is executed. Bytes from anywhere may be given; what is malformed is
//! an [`Error`] that says where and why, and memory is allocated in proportion to the bytes given; [`unpack`] alone may
//! take more, up to [`UNPACKED_LIMIT`]. An image may be far larger than its file ([`CodeObject::excess_bytes`]): a
//! loader should have a limit for that.
//!
//! # Does not
//! link (a code object is loaded alone), run the constructors of global variables ([`KernelKind::Init`]), or provide
//! what AMD's runtimes do for `printf`, `malloc` and launches from kernels ([`Service`]).
//!
//! # Example
//! ```
//! use aql::Geometry;
//! use amdgpu_code_object::{Arg, CodeObject, Launch, TargetId};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/code_object/saxpy-v5");
//! // kernel void saxpy(global float *y, global const float *x, float a, uint n)
//! let bytes = std::fs::read(file)?;
//! let device: TargetId = "gfx908:sramecc+:xnack-".parse()?;
//! let object: CodeObject = amdgpu_code_object::find(&bytes, &device)?;
//! let saxpy = object.kernel("saxpy")?;
//!
//! // The image goes to executable memory of the GPU, at an address that it must know.
//! let address = 0x7f00_0000_0000;
//! let mut image = vec![0; object.image_bytes() as usize];
//! object.write_image(address, &mut image)?;
//! let kernel_object = address + saxpy.descriptor_offset();
//!
//! let (y, x) = (0x7f00_1000_0000, 0x7f00_2000_0000);
//! let arguments = [Arg::pointer(y), Arg::pointer(x), 2.0f32.into(), 1000u32.into()];
//! let launch = Launch::new(Geometry::one(1024, 256)?, &arguments);
//! let mut kernarg = vec![0; saxpy.kernarg_bytes() as usize];
//! let segments = saxpy.prepare(&launch, &mut kernarg)?;
//! assert_eq!(kernarg[..8], u64::to_le_bytes(y));
//! # assert_eq!(kernarg[16..20], 2.0f32.to_le_bytes());
//! # assert_eq!((kernel_object % 64, segments.group_bytes, segments.private_bytes), (0, 0, 0));
//!
//! let wrong = [Arg::pointer(y), Arg::pointer(x), 2.0f64.into(), 1000u32.into()];
//! let error = saxpy.prepare(&Launch::new(Geometry::one(1024, 256)?, &wrong), &mut kernarg).unwrap_err();
//! assert_eq!(error.to_string(), "kernel saxpy: argument 2 (float) has 4 bytes, 8 were given");
//! # Ok(()) }
//! ```

#![forbid(unsafe_code)]

mod bundle;
mod compressed;
mod descriptor;
mod elf;
mod error;
mod image;
mod kernel;
mod launch;
mod metadata;
mod msgpack;
mod service;
mod target;
mod target_forms;

pub use bundle::{Bundle, Entry};
pub use compressed::{UNPACKED_LIMIT, unpack};
pub use descriptor::KernelDescriptor;
pub use elf::{Symbol, SymbolKind, Version};
pub use error::{Error, LaunchError, LaunchProblem};
pub use image::CodeObject;
pub use kernel::Kernel;
pub use launch::{Arg, Launch, Limits, Segments};
pub use metadata::{Access, AddressSpace, ArgumentMetadata, Hidden, KernelKind, KernelMetadata, ValueKind};
pub use service::Service;
pub use target::TargetId;

/// The code object for `device` in `bytes`, which are a code object or an uncompressed offload bundle.
///
/// # Errors
/// [`Error::WrongTarget`] or [`Error::NoCodeForTarget`] if there is none for it, else those of [`Bundle::parse`] and
/// [`CodeObject::parse`].
pub fn find<'data>(bytes: &'data [u8], device: &TargetId) -> Result<CodeObject<'data>, Error> {
    let bytes = if Bundle::is_at(bytes) { Bundle::parse(bytes)?.code_for(device)? } else { bytes };
    let object = CodeObject::parse(bytes)?;
    if object.target().runs_on(device) {
        Ok(object)
    } else {
        Err(Error::WrongTarget { code: object.target().clone(), device: device.clone() })
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
