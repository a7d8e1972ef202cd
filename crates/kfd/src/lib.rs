//! AMD GPUs through the kernel driver alone: no AMD library is in the process.

pub mod code;
