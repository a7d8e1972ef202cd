//! Data-race detection in LDS and in device memory, by vector clocks.

pub(crate) mod footprint;
pub(crate) mod global;
pub(crate) mod implied_atomic;
pub(crate) mod intra_wave;
pub(crate) mod lds;
pub(crate) mod shadow;
pub(crate) mod vector_clock;
