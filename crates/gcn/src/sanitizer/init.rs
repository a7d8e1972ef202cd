//! Finds loads of memory that nobody wrote.

pub(crate) mod check;
pub(crate) mod poison;
pub(crate) mod shadow_bits;
