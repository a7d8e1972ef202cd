//! Text of a host access to pinned memory that a copy still used.

use super::{Finding, counted, fmt_stack, word};
use crate::check::files::Line;
use std::fmt;

impl Finding {
    pub(super) fn fmt_host(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |name: &str| self.text(name).unwrap_or("?");
        writeln!(
            f,
            "check: race in pinned memory: {} by the host and {} by a copy, which the host does not wait for, {}",
            word(text("access")),
            word(text("other_access")),
            counted(self.count, "time")
        )?;
        for Line { function, file, line } in &self.place.lines {
            writeln!(f, "    {file}:{line}, in {function}")?;
        }
        write!(f, "    at {}", text("address"))?;
        self.fmt_allocation(f)?;
        fmt_stack(f, "copied", &self.copied)
    }
}
