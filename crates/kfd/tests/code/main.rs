//! Code objects compiled from our own sources, as this crate and LLVM's tools see them.

mod compile;
mod launching;
mod llvm;
mod loading;
