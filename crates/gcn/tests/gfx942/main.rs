//! Instructions that gfx942 added, assembled by LLVM and executed, against the host's arithmetic and plain definitions.

#![expect(clippy::needless_range_loop, reason = "a lane's number is also what its values are computed from")]

#[path = "../support/machine.rs"]
mod machine;
#[path = "../support/mod.rs"]
mod support;

mod fp8;
mod launch;
mod matrices;
mod memory;
mod vector;

use gcn::target::Target;
use machine::Machine;

fn machine() -> Option<Machine> {
    Machine::of(Target::Gfx942)
}

const NO_LLVM: &str = "llvm-mc (Debian package llvm-19) is not installed";
