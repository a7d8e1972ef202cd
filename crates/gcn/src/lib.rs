//! The gfx9 instruction set: decode, disassemble, execute.
pub mod bus;
pub mod decode;
mod disasm;
pub mod exec;
#[rustfmt::skip]
pub mod inst;
pub mod op;
