//! Makes a dma-buf the memory of an AMD OpenCL buffer.
//!
//! `libamdocl64` takes each buffer of the GPU's memory from HSA's runtime (`hsa_amd_memory_pool_allocate`) and gives it
//! back there. HSA's runtime can also map a dma-buf (`hsa_amd_interop_map_buffer`). So when a buffer is to be of a
//! dma-buf, the layer has AMD's OpenCL create an ordinary one, and answers its call to HSA's runtime with the dma-buf's
//! address. What comes out is a buffer like any other to AMD's OpenCL: all its functions work on it, in order and
//! without copies.
//!
//! The calls come here since the layer changes two entries of `libamdocl64`'s table of imported functions, at the first
//! import. The layer's own ways in do not reach them:
//!
//! - A layer of the loader sees calls of OpenCL. OpenCL has no call by which AMD's would take memory that HSA's runtime
//!   mapped: `CL_MEM_USE_HOST_PTR` refuses such addresses.
//! - As a layer the library is loaded after `libamdocl64` and for the loader alone, so the dynamic linker does not look
//!   for HSA's functions in it.
//! - A preloaded library is searched first, and could have HSA's functions. That serves only programs that are started
//!   with it, and would be a second way for the same.
//! - HSA's runtime lets tools change its functions, but only those that the environment (`HSA_TOOLS_LIB`) named before
//!   it started.
//! - A memory object of the layer's own would need all of OpenCL's functions to be replaced.

mod imports;
mod runtime;
mod slots;

pub use imports::{Asked, give_back, import, keep_hooks};
pub use runtime::Runtime;
