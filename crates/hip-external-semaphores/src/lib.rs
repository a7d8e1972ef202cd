//! A preloaded library that gives AMD's HIP on Linux external semaphores.
//!
//! The library is preloaded (`LD_PRELOAD`) and stands in front of `libamdhip64`. `functions` has the one table: four
//! functions that do the work (`operations`), and those that would make nodes of graphs (`graphs`). Programs that are
//! linked with HIP find them by themselves, and others by `dlsym` and `hipGetProcAddress`. A semaphore is a sync object
//! of the kernel's DRM (`semaphores`). A stream signals it by a host function, and waits at a gate that a thread opens
//! (`gates`).
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
mod native;
mod operations;
mod semaphores;
