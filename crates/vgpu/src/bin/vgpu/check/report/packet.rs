//! Text of a change to a packet that was still running: to its arguments or its completion signal.

use super::{Finding, counted, fmt_stack};
use crate::check::files::{Line, Place};
use std::fmt;

/// Findings of this kind, and what happened.
const WHAT: &[(&str, &str)] = &[
    ("kernarg-changed", "arguments were changed before the kernel ended"),
    ("signal-reused", "completion signal used again before its packet was over"),
    ("signal-destroyed", "completion signal destroyed before its packet was over"),
];

impl Finding {
    /// The event at a packet, if this is a finding about packets.
    pub fn of_packet(&self) -> Option<&'static str> {
        WHAT.iter().find(|(name, _)| *name == self.kind()).map(|(_, what)| *what)
    }

    pub(super) fn fmt_packet(&self, f: &mut fmt::Formatter<'_>, what: &str) -> fmt::Result {
        writeln!(f, "check: {what}, {}", counted(self.count, "time"))?;
        let number = |name: &str| self.number(name).unwrap_or(0);
        let text = |name: &str| self.text(name).unwrap_or("?");
        self.fmt_one(f, "", &self.place)?;
        if self.number("other_packet").is_some() {
            self.fmt_one(f, "other_", &self.other)?;
        }
        match self.kind() {
            "kernarg-changed" => write!(
                f,
                "    {} into {} of arguments at {}: {:#x} became {:#x}",
                counted(number("offset"), "byte"),
                counted(number("kernarg_bytes"), "byte"),
                text("kernarg"),
                number("before"),
                number("after")
            ),
            "signal-reused" => write!(f, "    the signal at {}, whose value is {}", text("signal"), number("value")),
            _ => {
                write!(f, "    the signal at {}", text("signal"))?;
                fmt_stack(f, "destroyed", &self.freed)
            }
        }
    }

    /// A packet, whose fields' names begin with `prefix`.
    fn fmt_one(&self, f: &mut fmt::Formatter<'_>, prefix: &str, place: &Place) -> fmt::Result {
        let number = |name: &str| self.number(&format!("{prefix}{name}")).unwrap_or(0);
        let object = || Some(format!("with kernel object {}", self.text(&format!("{prefix}kernel_object"))?));
        let what = match self.kernel_of(prefix).or_else(object) {
            Some(kernel) => format!("kernel {kernel}"),
            None => "no kernel".to_owned(),
        };
        let (packet, queue) = (number("packet"), number("queue"));
        writeln!(f, "    packet {packet} of queue {queue}: {what}")?;
        // The first line of the kernel.
        match place.lines.last() {
            Some(Line { file, line, .. }) => writeln!(f, "        {file}:{line}"),
            None => Ok(()),
        }
    }
}
