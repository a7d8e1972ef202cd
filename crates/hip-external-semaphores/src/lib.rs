//! A preloaded library that gives AMD's HIP on Linux external semaphores.
//!
//! The library is preloaded (`LD_PRELOAD`) and stands in front of four functions of `libamdhip64` (`functions`), and of
//! those that would make nodes of graphs (`graphs`), for programs that are linked with it and, by `dlsym` and
//! `hipGetProcAddress` (`lookup`), for those that look them up. A semaphore is a sync object of the kernel's DRM
//! (`semaphores`). A stream signals it by a host function, and waits at a gate that a thread opens (`gates`).
//!
//! # Threads
//! All functions may be called by any threads at once, as HIP's may.
//!
//! # Log
//! `HIP_EXTERNAL_SEMAPHORES_LOG` names a file to which a line is appended for each thing that was imported, refused or
//! failed.

mod functions;
mod gates;
mod graphs;
mod log;
mod lookup;
mod next;
mod semaphores;
