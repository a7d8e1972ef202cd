//! The silicon and its firmware: address translation, doorbells, command processor, SDMA engines, compute units.
//!
//! Knows the instruction set (`gcn`) and nothing of the driver, which makes GPUs and queues and handles their
//! [interrupts].

pub mod activity;
pub mod address_space;
pub mod bugs;
pub mod caches;
pub mod checks;
pub mod clock;
pub mod doorbells;
pub mod engine;
pub mod gpu;
pub mod gws;
pub mod interrupts;
pub mod profile;
pub mod queue;
mod random;
pub mod schedule;
pub mod sleepers;
pub mod units;
