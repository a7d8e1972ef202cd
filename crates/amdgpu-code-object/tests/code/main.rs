//! Code objects compiled from our own sources, as this crate and LLVM's tools see them.

mod bundles;
mod compile;
mod launching;
mod llvm;
mod loading;
mod malformed;
mod needs;
