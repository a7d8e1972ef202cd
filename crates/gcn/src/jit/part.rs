//! What becomes of an instruction.

use crate::jit::lower::read_lane::LaneMove;
use crate::jit::lower::salu::Scalar;
use crate::jit::lower::smem::Constant;
use crate::jit::lower::valu::lanewise::Lanewise;
use crate::jit::lower::vmem::Access;
use crate::jit::x64::cond::Condition;

/// What is compiled of an instruction that works on registers alone.
pub(crate) enum Compiled {
    Vector(Lanewise),
    Scalar(Scalar),
    Lane(LaneMove),
    /// Changes nothing.
    Nothing,
}

/// An access of memory that is compiled.
pub(crate) enum Memory {
    Vector(Access),
    Scalar(Constant),
}

/// What becomes of an instruction.
pub(crate) enum Part {
    Compiled(Compiled),
    Memory(Memory),
    /// A wait for vector memory, at which some turns end.
    Wait,
    /// Executed by itself.
    Single,
    /// The same, and the wave's turn or the region may end there.
    Last,
    /// The same, and the wave ends.
    End,
    /// To a dword of the page, if a condition holds.
    Branch(Option<Condition>, i64),
}
