//! A layer for the OpenCL loader that gives AMD's OpenCL `cl_khr_external_memory` and `cl_khr_external_memory_dma_buf`.
//!
//! The loader loads `libcl_external_memory.so` if the environment variable `OPENCL_LAYERS` names it, and asks `layer`'s
//! functions for the calls that it wants to see. Loaders without layers know no such variable; for them the library is
//! preloaded (`LD_PRELOAD`), and stands in front of the loader by `preload`.
//!
//! Its parts:
//!
//! - `functions`: the one table of OpenCL's functions that the layer replaces or calls.
//! - `queries`: the extensions' names, and the kinds of handles.
//! - `create`: buffers and images of dma-bufs, by `clCreateBufferWithProperties` and `clCreateImageWithProperties`.
//! - `commands`: acquire and release, and the events of them.
//!
//! AMD's OpenCL has no function that imports memory, but its buffers are allocations of HSA's runtime, which has one.
//! `amd` has HSA's next allocation for this thread be the dma-buf.
//!
//! # Threads
//! All functions may be called by any threads at once, as OpenCL's may. Locks are held for a few instructions, and
//! never while a function of OpenCL is called.
//!
//! # Log
//! `CL_EXTERNAL_MEMORY_LOG` names a file to which a line is appended for each thing that the layer did or refused.

mod amd;
mod commands;
mod create;
mod extensions;
mod functions;
mod layer;
mod loader;
mod log;
mod objects;
mod platforms;
mod preload;
mod queries;
mod results;
