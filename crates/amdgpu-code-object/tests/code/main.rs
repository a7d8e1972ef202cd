//! Code objects that clang compiled, as this crate and LLVM's tools read them.

mod bundles;
mod compile;
mod launching;
mod llvm;
mod loading;
mod malformed;
mod needs;
