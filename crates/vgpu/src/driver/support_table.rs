//! The table of supported kernel requests, made from the tables that serve them.

use crate::driver::drm;
use crate::driver::kfd::IOCTLS;
use crate::hardware::engine;
use crate::support::Support;
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
    /// The difference, or the reason of the refusal.
    pub note: &'static str,
}

/// All rows.
pub fn rows() -> Vec<Row> {
    let row = |device, name, support| {
        let (level, note) = match support {
            Support::Full => ("full", ""),
            Support::Partial(note) => ("partial", note),
            Support::Refused(note) => ("refused", note),
        };
        Row { device, name, level, note }
    };
    let kfd = IOCTLS.iter().map(|ioctl| row("/dev/kfd", ioctl.name, ioctl.support));
    let drm = drm::REQUESTS.iter().map(|request| row("/dev/dri/renderD*", request.name, request.support));
    let engines = engine::SUPPORT.iter().map(|(device, name, support)| row(device, name, *support));
    kfd.chain(drm).chain(engines).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::kfd::process::VERSION;
    use std::collections::BTreeSet;

    #[test]
    fn every_request_of_the_kernels_header_has_a_row() {
        let rows: BTreeSet<&str> = rows().iter().map(|row| row.name).collect();
        let missing: Vec<&str> = kfd_sys::REQUESTS
            .iter()
            // What came after the interface that the device says it has is unknown to it.
            .filter(|request| request.since_minor.is_some_and(|minor| minor <= VERSION.1))
            .map(|request| request.name)
            .filter(|name| !rows.contains(name))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn no_number_is_served_twice() {
        let numbers: BTreeSet<u64> = IOCTLS.iter().map(|ioctl| ioctl.request & 0xff).collect();
        assert_eq!(numbers.len(), IOCTLS.len());
        let numbers: BTreeSet<u64> = drm::REQUESTS.iter().map(|request| request.request & 0xff).collect();
        assert_eq!(numbers.len(), drm::REQUESTS.len());
    }

    #[test]
    fn what_differs_is_said() {
        for row in rows() {
            assert_eq!(row.level == "full", row.note.is_empty(), "{row:?}");
        }
        assert_eq!(markdown().lines().count(), rows().len() + 2);
    }
}
