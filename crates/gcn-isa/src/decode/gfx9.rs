//! Decodes the encodings of gfx9.
pub(crate) mod memory;
pub(crate) mod operand;
pub(crate) mod scalar;
pub(crate) mod vector;
