//! For libraries that stand in front of functions of another library: preloaded ones (`LD_PRELOAD`), and layers that a
//! loader puts in front of an implementation.
//!
//! | | |
//! |---|---|
//! | [`functions!`] | one table of the functions that the library calls or replaces |
//! | [`interpose_dlsym!`] | `dlsym`, for programs that look functions up |
//! | [`dlsym`] | looks functions up in the libraries behind this one |
//! | [`caught`] | keeps a panic from unwinding into C |
//! | [`log`] | a log file that an environment variable names |
//!
//! All of it may be used by any threads at once.

pub mod dlsym;
mod functions;
pub mod log;
mod panics;

pub use functions::{Function, Table, c_name};
pub use panics::caught;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
