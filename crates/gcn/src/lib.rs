//! The gfx9 instruction set: decode, disassemble, execute.
#[rustfmt::skip]
pub mod inst;
pub mod bus;
pub mod decode;
mod disasm;
pub mod op;
