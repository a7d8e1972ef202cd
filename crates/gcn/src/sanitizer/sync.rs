//! Finds barriers that not all waves reach, and registers that are used before their load has completed.

pub(crate) mod barrier;
pub(crate) mod waitcnt;
