//! Text of an invalid free.

use super::{Finding, counted};
use crate::check::files::Line;
use serde_json::Value;
use std::fmt;

impl Finding {
    /// Whether it is a call that frees.
    pub fn is_free(&self) -> bool {
        ["double-free", "invalid-free", "mismatched-free"].contains(&self.kind())
    }

    pub(super) fn fmt_free(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |name: &str| self.text(name).unwrap_or("?");
        let function = text("function");
        let what = match (self.kind(), text("heap")) {
            ("double-free", _) => format!("double free: {function} of memory that is freed already"),
            ("invalid-free", _) => format!("invalid free: {function} of an address inside an allocation"),
            (_, "host") => format!("mismatched free: {function} of pinned memory of the host"),
            _ => format!("mismatched free: {function} of device memory"),
        };
        writeln!(f, "check: {what}, {}", counted(self.count, "time"))?;
        for Line { function, file, line } in &self.place.lines {
            writeln!(f, "    {file}:{line}, in {function}")?;
        }
        let answer = match self.fields.get("result").and_then(Value::as_i64) {
            Some(0) => "succeeded".to_owned(),
            code => format!("returned {}", code.unwrap_or_default()),
        };
        write!(f, "    {function} {answer}\n    at {}", text("address"))?;
        self.fmt_allocation(f)
    }
}
