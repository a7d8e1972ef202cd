//! Text of a race between dispatches, or between a dispatch and a copy.

use super::super::files::{Line, Place, demangled};
use super::{Finding, counted, word};
use std::fmt;

impl Finding {
    /// A kernel, or what did it else.
    fn doer(&self, prefix: &str) -> String {
        let text = |name: &str| self.text(&format!("{prefix}{name}"));
        match (text("kernel"), text("kernel_object")) {
            (Some(kernel), _) => format!("kernel {}", demangled(kernel)),
            (None, Some(object)) => format!("the kernel with kernel object {object}"),
            (None, None) => "a copy engine".to_owned(),
        }
    }

    /// All of it.
    pub(super) fn fmt_dispatches(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let access = |prefix: &str| word(self.text(&format!("{prefix}access")).unwrap_or("?"));
        writeln!(
            f,
            "check: race in device memory: {} by {} and {} by {}, and neither waits for the other, {}",
            access(""),
            self.doer(""),
            access("other_"),
            self.doer("other_"),
            counted(self.count, "time")
        )?;
        self.fmt_doer(f, "", &self.place)?;
        self.fmt_doer(f, "other_", &self.other)?;
        write!(f, "    at {}", self.text("address").unwrap_or("?"))?;
        self.fmt_allocation(f)
    }

    fn fmt_doer(&self, f: &mut fmt::Formatter<'_>, prefix: &str, place: &Place) -> fmt::Result {
        let text = |name: &str| self.text(&format!("{prefix}{name}"));
        let number = |name: &str| self.number(&format!("{prefix}{name}")).unwrap_or(0);
        for Line { function, file, line } in &place.lines {
            writeln!(f, "    {file}:{line}, in {function}")?;
        }
        if let (Some(instruction), Some(at)) = (text("instruction"), text("place").or_else(|| text("pc"))) {
            writeln!(f, "    {instruction} at {at}")?;
        }
        writeln!(f, "    packet {} of queue {}, the first time", number("packet"), number("queue"))
    }
}
