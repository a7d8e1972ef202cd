//! Writes an [`Api`] as compact Rust: tables for the macros that sit beside the generated files.
use super::hip::Change;
use super::libraries::LIBRARIES;
use super::merge::Merged;
use super::model::{Api, Item, Record};
use std::fmt::Write;

const KEYWORDS: [&str; 8] = ["type", "ref", "in", "where", "move", "match", "mod", "use"];

/// What functions return to say how they fared. HIP's header marks its own `nodiscard`, and `?` on a call takes only a
/// missing function off.
const STATUSES: [&str; 4] = ["hipError_t", "hiprtcResult", "hsa_status_t", "ncclResult_t"];

pub fn ident(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("r#{name}") } else { name.to_owned() }
}

/// Types and constants of `api`, in groups, each sorted by name. `document` gives the documentation of an item, of
/// `record.field` and of `enum::value`.
pub fn types(api: &Api, document: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let doc = |out: &mut String, indent: &str, name: &str| {
        if let Some(text) = document(name) {
            writeln!(out, "{indent}/// {text}").unwrap();
        }
    };
    for (name, item) in api {
        if let Item::Const { ty, value } = item {
            doc(&mut out, "", name);
            writeln!(out, "pub const {name}: {ty} = {value};").unwrap();
        }
    }
    for (name, item) in api {
        if let Item::Alias(ty) = item {
            writeln!(out, "pub type {name} = {ty};").unwrap();
        }
    }
    let enums: Vec<_> = api.iter().filter(|(_, item)| matches!(item, Item::Enum { .. })).collect();
    if !enums.is_empty() {
        out.push_str("c_enums! {\n");
        for (name, item) in enums {
            let Item::Enum { repr, values } = item else { continue };
            doc(&mut out, "    ", name);
            let status = |known: &str| known == name;
            if STATUSES.into_iter().any(status) || LIBRARIES.iter().any(|library| status(library.status)) {
                out.push_str("    #[must_use = \"it says whether the call succeeded\"]\n");
            }
            writeln!(out, "    {name}: {repr} {{").unwrap();
            for (value, number) in values {
                doc(&mut out, "        ", &format!("{name}::{value}"));
                writeln!(out, "        {value} = {number},").unwrap();
            }
            out.push_str("    }\n");
        }
        out.push_str("}\n");
    }
    let mut records = Vec::new();
    for (name, item) in api {
        if let Item::Record(item) = item {
            doc(&mut out, "", name);
            record(&mut out, name, item, |out, field| doc(out, "    ", &format!("{name}.{field}")));
            records.push(name.as_str());
        }
    }
    if !records.is_empty() {
        writeln!(out, "zeroed_default! {{\n    {},\n}}", records.join(",\n    ")).unwrap();
    }
    out
}

fn record(out: &mut String, name: &str, record: &Record, document: impl Fn(&mut String, &str)) {
    let debug = if record.debug { ", Debug" } else { "" };
    let kind = if record.union { "union" } else { "struct" };
    writeln!(out, "#[repr({})]\n#[derive(Clone, Copy{debug})]\npub {kind} {name} {{", record.repr).unwrap();
    for (field, ty) in &record.fields {
        document(out, field);
        // Padding and bit-field storage that bindgen names stay public: a struct literal must be able to name every
        // field.
        writeln!(out, "    pub {}: {ty},", ident(field)).unwrap();
    }
    out.push_str("}\n");
    if !record.bitfields.is_empty() {
        writeln!(out, "bitfields! {{ {name}").unwrap();
        for field in &record.bitfields {
            writeln!(out, "    {}: {} {} {};", ident(&field.name), field.unit, field.offset, field.width).unwrap();
        }
        out.push_str("}\n");
    }
}

/// Table of the functions that `wanted` takes, for the macro `functions!`. Those that changed point to the method that
/// knows how.
pub fn functions(merged: &Merged, changed: &[(&str, Change)], table: &str, wanted: impl Fn(&str) -> bool) -> String {
    let mut out = format!("functions! {{ {table} {{\n");
    for (name, (since, until)) in merged.functions.iter().filter(|(name, _)| wanted(name)) {
        let Some(Item::Function(function)) = merged.api.get(name) else { continue };
        let args: Vec<_> = function.args.iter().map(|(arg, ty)| format!("{}: {ty}", ident(arg))).collect();
        let ret = function.ret.as_ref().map(|ty| format!(" -> {ty}")).unwrap_or_default();
        if let Some((_, Change::Wrapped(method))) = changed.iter().find(|(function, _)| function == name) {
            let version = merged.changed.get(name).copied().unwrap_or(until);
            writeln!(out, "    ///\n    /// Libraries older than {version} take other parameters: [`{table}::{method}`] serves both.").unwrap();
        }
        let changed = if merged.refused.contains(name) { " changed" } else { "" };
        writeln!(out, "    {name} \"{since}\" \"{until}\"{changed} ({}){ret};", args.join(", ")).unwrap();
    }
    out + "}}\n"
}
