//! Conditions of branches.

use gcn_alu::wave::reg;

/// Of a branch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Condition {
    /// Whether SCC is set.
    Scc(bool),
    /// Whether any bit of a pair of scalar registers is set.
    AnyOf { pair: u8, is_set: bool },
}

impl Condition {
    pub fn vcc(is_set: bool) -> Condition {
        Condition::AnyOf { pair: reg::VCC as u8, is_set }
    }

    pub fn exec(is_set: bool) -> Condition {
        Condition::AnyOf { pair: reg::EXEC as u8, is_set }
    }
}
