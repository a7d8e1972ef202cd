//! Machine code of x86-64: the assembler, registers and masks across a strip of lanes, and the search for the window of
//! an address.

pub(crate) mod assembler;
pub(crate) mod avx2;
pub(crate) mod avx512;
pub(crate) mod cond;
pub(crate) mod frame;
pub(crate) mod source;
pub(crate) mod strip;
pub(crate) mod tlb_lookup;
