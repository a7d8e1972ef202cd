//! Detects barriers that some waves miss, and registers that are used before their load has completed.

pub(crate) mod barrier;
pub(crate) mod waitcnt;
