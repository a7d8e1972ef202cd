//! What the device serves of the kernel's interface, from the tables that serve it.

use crate::drm;
use crate::kfd::{IOCTLS, Support};
use std::fmt::Write;

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The device file.
    pub device: &'static str,
    /// The request.
    pub name: &'static str,
    /// `full`, `partial` or `refused`.
    pub level: &'static str,
    /// What differs, or why it is refused.
    pub note: &'static str,
}

/// All rows.
pub fn rows() -> Vec<Row> {
    let kfd = IOCTLS.iter().map(|ioctl| {
        let (level, note) = match ioctl.support {
            Support::Full => ("full", ""),
            Support::Partial(note) => ("partial", note),
            Support::Refused(note) => ("refused", note),
        };
        Row { device: "/dev/kfd", name: ioctl.name, level, note }
    });
    let drm = drm::REQUESTS.iter().map(|(name, note)| {
        let (level, note) = if *note == "full" { ("full", "") } else { ("partial", *note) };
        Row { device: "/dev/dri/renderD*", name, level, note }
    });
    kfd.chain(drm).collect()
}

/// The table for a terminal.
pub fn text() -> String {
    rows().iter().fold(String::new(), |mut text, row| {
        let _ = writeln!(text, "{:18} {:40} {:8} {}", row.device, row.name, row.level, row.note);
        text
    })
}

/// The table for documentation.
pub fn markdown() -> String {
    let head = "| device | request | served | note |\n|---|---|---|---|\n".to_owned();
    rows().iter().fold(head, |mut text, row| {
        let _ = writeln!(text, "| `{}` | `{}` | {} | {} |", row.device, row.name, row.level, row.note);
        text
    })
}
