//! Re-exports of all that executes code: waves, work-groups and dispatches.
//!
//! A caller makes one [`Code`] per device, one [`Launch`] per dispatch and one [`Workgroup`] per worker thread; it
//! starts each work-group of the grid in a [`Workgroup`] and runs it until it is done, a quantum at a time, in the
//! thread's [`View`] of the device.
//!
//! Not executed, each an [`Exception::IllegalInstruction`] that names the instruction: exports and interpolation
//! (graphics only), the global data share (`gds`), `ds_ordered_count`, messages other than `MSG_INTERRUPT` and
//! `MSG_GET_DOORBELL`, and of images `image_*_pck`, `image_gather4h`, and resources with cubes, several samples, mip
//! levels above the first, compression, anisotropic filters or border colours from a table. The memory model is
//! stronger than the hardware's: every access is complete before the next instruction, and nothing is cached unless the
//! device has caches ([`Bus::caches`](crate::bus::Bus::caches)).

pub use crate::dispatch::code_cache::{Code, Compile};
pub use crate::dispatch::launch::{Launch, LaunchError, LaunchParameters, Place, Scratch};
pub use crate::dispatch::outcome::{Exception, Outcome};
pub use crate::dispatch::scheduler::Order;
pub use crate::dispatch::workgroup::{View, Workgroup};
pub use crate::interp::image::GB_ADDR_CONFIG;
pub use gcn_alu::select as alu;
pub use gcn_alu::simd::{Simd, SimdError};
pub use gcn_alu::wave::{self, AluFn};
