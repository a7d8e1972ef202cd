//! Whether the versions that `kfd.rs` gives for additions to KFD's interface are what the headers show.
use super::kfd;
use super::merge::Versions;
use super::model::{Api, Item};
use anyhow::{Result, bail};
use std::collections::BTreeSet;

/// Fails if something in `kfd_ioctl.h` came between two of the header versions and [`kfd::SINCE`] says otherwise, or
/// nothing.
pub fn check(versions: &Versions) -> Result<()> {
    let mut known = BTreeSet::new();
    let mut wrong = Vec::new();
    for (version, api) in versions {
        let names = names(api);
        let now: u32 = version.trim_start_matches("1.").parse()?;
        for name in names.difference(&known) {
            let (first, record) = (known.is_empty(), name.split(['.', ':']).next().unwrap_or_default());
            // What came with its record or enum.
            let part = record != name && !known.contains(record);
            match kfd::since(name) {
                None if first || part => {}
                Some(minor) if minor <= now && (first || minor > before(versions, version)) => {}
                None => wrong.push(format!("{name} came before {version}: say since when")),
                Some(minor) => {
                    wrong.push(format!("{name} is in the headers of {version}, but said to be since 1.{minor}"))
                }
            }
        }
        known.extend(names);
    }
    if !wrong.is_empty() {
        bail!("kfd::SINCE is not what the headers show:\n  {}", wrong.join("\n  "));
    }
    Ok(())
}

/// The minor version of the headers before `version`.
fn before(versions: &Versions, version: &str) -> u32 {
    let older = versions.iter().map(|(older, _)| *older).take_while(|older| *older != version).last();
    older.and_then(|older| older.trim_start_matches("1.").parse().ok()).unwrap_or(0)
}

/// Items, fields and enum values of `kfd_ioctl.h`. Those of `kfd_sysfs.h` are bits that older drivers leave 0.
fn names(api: &Api) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (name, item) in api {
        let name = name.strip_prefix("request_").unwrap_or(name);
        if !["kfd_", "KFD_", "AMDKFD_IOC_"].iter().any(|start| name.starts_with(start)) {
            continue;
        }
        names.insert(name.to_owned());
        match item {
            Item::Enum { values, .. } => names.extend(values.iter().map(|(value, _)| format!("{name}::{value}"))),
            Item::Record(record) => {
                let fields = record.fields.iter().map(|(field, _)| field);
                let fields = fields.filter(|field| !field.starts_with("pad") && !field.starts_with("__bindgen"));
                names.extend(fields.map(|field| format!("{name}.{field}")));
            }
            _ => {}
        }
    }
    names
}
