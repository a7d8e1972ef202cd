//! Operations.

/// An operation, named as the assembler names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {}
