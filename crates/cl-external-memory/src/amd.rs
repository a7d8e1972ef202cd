//! AMD's OpenCL: how a dma-buf becomes the memory of one of its buffers.
//!
//! `libamdocl64` takes each buffer of the GPU's memory from HSA's runtime (`hsa_amd_memory_pool_allocate`) and gives it back there. HSA's runtime can also map a dma-buf
//! (`hsa_amd_interop_map_buffer`). So when a buffer is to be of a dma-buf, the layer has AMD's OpenCL create an ordinary one, and answers its call to HSA's runtime with the dma-buf's
//! address. What comes out is a buffer like any other to AMD's OpenCL: all its functions work on it, in order and without copies.
//!
//! The calls come here since the layer changes two entries of `libamdocl64`'s table of imported functions, at the first import.

mod imports;
mod runtime;
mod slots;

pub use imports::{Asked, give_back, import};
pub use runtime::Runtime;
