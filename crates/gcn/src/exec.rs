//! Running code: waves, work-groups, and what a dispatch gives them.
//!
//! A caller makes one [`Code`] per device, one [`Launch`] per dispatch and one [`Workgroup`] per worker thread; it starts each
//! work-group of the grid in a [`Workgroup`] and runs it until it is done, a quantum at a time, in the thread's [`View`] of the device.
//!
//! Not executed, each an [`Exception::IllegalInstruction`] that names the instruction: exports and interpolation (graphics only),
//! the global data share (`gds`), `ds_ordered_count`, messages other than `MSG_INTERRUPT` and
//! `MSG_GET_DOORBELL`, and of images `image_*_pck`, `image_gather4h`, and resources with cubes, several samples, mip levels above the first,
//! compression, anisotropic filters or border colours from a table.
//! The memory model is stronger than the hardware's: every access is complete before the next instruction, and nothing is cached unless the
//! device has caches ([`Bus::caches`](crate::bus::Bus::caches)).
//!
//! Each module imports only those below it; `tests/arrows.rs` holds it. From the top:
//!
//! - `checked` does an access that the device refuses though memory is there, once it has told the device; of LDS it knows from `local` what an instruction accesses, by `rows` of lanes, and
//!   `races` keeps who did. Of device memory `global` knows it, and `sharing` and `shadow` keep it, and `footprint`
//!   says it of a dispatch as a whole. `atomic_loads` knows loads that are no races, as only the source has them as atomics. `barriers` keeps who came to one,
//!   and `waits` what was begun and is not waited for.
//! - `workgroup` runs waves in some `order`, and takes them to a `trap` handler; `launch` sets them up.
//! - `code` keeps what is decoded, each instruction with the function that `lower` chooses for it; `native` makes machine code of rows of them that run often,
//!   but for what a device has `inspected`.
//! - One module for each kind of instruction: `control`, `salu`, `smem`, `valu`, `lds_direct`, `mfma`, `ds`, `gws`, `flat`, `buffer`, `image`.
//! - `access`, `atomic`, `format`: what instructions that access memory share.
//! - `machine`, what instructions work on besides their wave; `memory`; `wave`, the registers; `simd` and `float`, how the host computes.

mod access;
mod atomic;
mod atomic_loads;
mod barriers;
mod buffer;
mod checked;
mod code;
mod collisions;
mod control;
mod ds;
mod flat;
mod float;
mod footprint;
mod format;
mod global;
mod gws;
mod image;
mod inspected;
mod known;
mod launch;
mod lds_direct;
mod local;
mod lower;
mod machine;
mod memory;
mod mfma;
mod native;
mod order;
mod outcome;
mod outside;
mod piece;
mod poison;
mod private;
mod races;
mod relative;
mod rows;
mod run;
mod salu;
mod segments;
mod shadow;
mod sharing;
mod simd;
mod smem;
mod touch;
mod trap;
mod unwritten;
mod valu;
mod waits;
pub mod wave;
mod workgroup;
mod written;

pub use code::{Code, Compile};
pub use footprint::{Footprint, Run};
pub use image::GB_ADDR_CONFIG;
pub use launch::{Launch, LaunchError, LaunchParameters, Place, Scratch};
#[cfg(test)]
pub(crate) use lower::example;
pub use lower::{AluFn, alu};
pub use order::Order;
pub use outcome::{Exception, Outcome};
pub use shadow::Shadow;
pub use simd::{Simd, SimdError};
pub use workgroup::{View, Workgroup};
