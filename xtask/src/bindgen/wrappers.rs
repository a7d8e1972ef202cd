//! `rocm-trace`: what its recorder must know of each function and of each request of the driver to show arguments and
//! results by name.
//!
//! Each function is a line `name(argument: type = [kind], ..) -> type = [kind];`, where a kind says how to show the
//! bytes: `unsigned T`, `signed T`, `float T`, `address`, `text` (a C string that the function reads), `enumerator T`
//! (of a C enum), `named T` and `flags T` (an integer or bits that constants name), `record T` (by value, shown field
//! by field), `bytes T`, `out KIND` (a pointer through which the function gives one value).
use super::merge::Merged;
use super::model::{Api, Function, Item, Record};
use super::render::ident;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Constants that name the values of an integer type, as OpenCL's are: by type, with the number.
type Constants<'a> = BTreeMap<&'a str, Vec<(&'a str, &'a str)>>;

/// Of several names of a number, those that are shown: what functions return is no event's status, and not all that is
/// true blocks.
const MEANT: [&str; 3] = ["CL_SUCCESS", "CL_TRUE", "CL_FALSE"];

/// Of arguments through which a function says how it went, as it does by its result, whose name is empty.
const STATUS: [&str; 3] = ["", "errcode_ret", "binary_status"];

/// Names of arguments that are arrays for the function to read, though they are no pointers to constants. What is there
/// is not looked at: where there are no elements, the pointer may lead nowhere.
const READ: [&str; 31] = [
    "agents",
    "args",
    "args_mem_loc",
    "attributes",
    "attrsIdxs",
    "conds",
    "data",
    "data_sizes",
    "dependencies",
    "dsts",
    "extra",
    "header_include_names",
    "jitOptions",
    "jitOptionsValues",
    "kernelParams",
    "libraryOptionValues",
    "libraryOptions",
    "optionValues",
    "option_ptr",
    "option_vals_pptr",
    "option_values",
    "options",
    "options_ptr",
    "perms",
    "resources",
    "signals",
    "sizes",
    "srcs",
    "strings",
    "svm_pointers",
    "values",
];

/// Lines of one API for the macro `wrappers!`, and the tables that they refer to.
pub struct Wrappers<'a> {
    api: &'a Api,
    constants: Constants<'a>,
    named: BTreeSet<&'a str>,
    records: BTreeSet<&'a str>,
}

impl<'a> Wrappers<'a> {
    /// Of what `api` declares.
    pub fn new(api: &'a Api) -> Self {
        let mut constants = Constants::new();
        for (name, item) in api {
            if let Item::Const { ty, value } = item
                && matches!(api.get(ty), Some(Item::Alias(_)))
            {
                constants.entry(ty).or_default().push((name, value));
            }
        }
        Self { api, constants, named: BTreeSet::new(), records: BTreeSet::new() }
    }

    /// The functions of `merged` that `wanted` takes, as a table called `table`.
    pub fn functions(&mut self, merged: &'a Merged, table: &str, wanted: impl Fn(&str) -> bool) -> String {
        let mut out = format!("wrappers! {{ {table}\n");
        for name in merged.functions.keys().filter(|name| wanted(name)) {
            let Some(Item::Function(function)) = merged.api.get(name) else { continue };
            writeln!(out, "    {}", self.function(name, function)).unwrap();
        }
        out + "}\n"
    }

    fn function(&mut self, name: &str, function: &'a Function) -> String {
        let args: Vec<_> = function
            .args
            .iter()
            .map(|(arg, ty)| format!("{}: {} = [{}]", ident(arg), ty, self.kind(arg, ty)))
            .collect();
        let ret = function.ret.as_ref().map(|ty| format!(" -> {ty} = [{}]", self.kind("", ty))).unwrap_or_default();
        format!("{name}({}){ret};", args.join(", "))
    }

    /// How to show the argument `name` of type `ty`.
    fn kind(&mut self, name: &str, ty: &'a str) -> String {
        if ty == "*const c_char" {
            return "text".into();
        }
        if let Some(pointee) = ty.strip_prefix("*mut ") {
            let behind = if READ.contains(&name) { None } else { self.argument(name, pointee) };
            return behind.map_or_else(|| "address".into(), |kind| format!("out {kind}"));
        }
        match self.argument(name, ty) {
            Some(kind) => kind,
            None => match self.api.get(ty) {
                Some(Item::Record(record)) if !record.union => {
                    self.records.insert(ty);
                    format!("record {ty}")
                }
                _ => "address".into(),
            },
        }
    }

    /// The kind of the argument `name`, if it is a value of at most 8 bytes.
    fn argument(&mut self, name: &str, ty: &'a str) -> Option<String> {
        let is_status = STATUS.contains(&name) && self.constants.contains_key(ty) && self.is_plain_integer(ty);
        if is_status {
            self.named.insert(ty);
            return Some(format!("named {ty}"));
        }
        self.scalar(ty)
    }

    /// Whether this is an integer of any meaning (`cl_uint`), and no type of its own for some constants
    /// (`cl_device_info`). Constants of such a type name errors and the like, not every index and count.
    fn is_plain_integer(&self, ty: &str) -> bool {
        matches!(self.api.get(ty), Some(Item::Alias(target)) if !self.api.contains_key(target))
    }

    /// The kind of a value of at most 8 bytes.
    fn scalar(&mut self, ty: &'a str) -> Option<String> {
        if self.constants.contains_key(ty) && !self.is_plain_integer(ty) {
            self.named.insert(ty);
            let flags = matches!(self.api.get(ty), Some(Item::Alias(target)) if target == "cl_bitfield");
            return Some(format!("{} {ty}", if flags { "flags" } else { "named" }));
        }
        if ty.starts_with("*const ") || ty.starts_with("*mut ") || ty.starts_with("Option<") {
            return Some("address".into());
        }
        Some(match ty {
            "c_char" | "c_schar" | "c_uchar" | "u8" | "i8" | "c_void" => return None,
            "bool" => "unsigned u8".into(),
            "c_float" | "f32" => "float f32".into(),
            "c_double" | "f64" => "float f64".into(),
            "c_short" | "c_int" | "c_long" | "c_longlong" | "i16" | "i32" | "i64" | "isize" => format!("signed {ty}"),
            "c_ushort" | "c_uint" | "c_ulong" | "c_ulonglong" | "u16" | "u32" | "u64" | "usize" => {
                format!("unsigned {ty}")
            }
            _ => match self.api.get(ty)? {
                Item::Enum { .. } => format!("enumerator {ty}"),
                // An integer of the API's own keeps its size.
                Item::Alias(target) => self.scalar(target)?,
                Item::Record(Record { union: false, fields, .. }) => match &fields[..] {
                    [(field, ty)] if field == "handle" && ty == "u64" => "address".into(),
                    _ => return None,
                },
                _ => return None,
            },
        })
    }

    /// The tables of names and records that the functions so far need.
    pub fn tables(&mut self) -> String {
        let mut records = String::new();
        for ty in std::mem::take(&mut self.records) {
            let Some(Item::Record(record)) = self.api.get(ty) else { continue };
            writeln!(records, "    {ty}:\n{}    ;", self.fields(record)).unwrap();
        }
        let mut names = String::new();
        for ty in &self.named {
            writeln!(names, "    {ty}:").unwrap();
            let mut numbers = BTreeSet::new();
            for (name, number) in &self.constants[ty] {
                let meant = MEANT.contains(name);
                let other = |(other, same): &(&str, &str)| MEANT.contains(other) && same == number;
                // The first of several names, if it is not said which.
                if meant || !self.constants[ty].iter().any(other) && numbers.insert(number) {
                    writeln!(names, "        {name},").unwrap();
                }
            }
            names.push_str("    ;\n");
        }
        let table =
            |name: &str, lines: String| if lines.is_empty() { lines } else { format!("{name}! {{\n{lines}}}\n") };
        table("named", names) + &table("records", records)
    }

    fn fields(&mut self, record: &'a Record) -> String {
        let mut out = String::new();
        for (field, ty) in &record.fields {
            if field.starts_with("__bindgen_padding") || ty.ends_with("; 0]") {
                continue;
            }
            let kind = match self.scalar(ty) {
                Some(_) if ty == "u64" && holds_an_address(field) => "address".into(),
                Some(kind) => kind,
                None => format!("bytes {ty}"),
            };
            writeln!(out, "        {} = [{kind}],", ident(field)).unwrap();
        }
        out
    }

    /// A line of the macro `requests!` for a request of the driver whose argument is the record `args`.
    pub fn request(&mut self, request: &str, args: &str) -> String {
        match self.api.get(args) {
            Some(Item::Record(record)) => format!("    {request}: {args} {{\n{}    }},\n", self.fields(record)),
            _ => format!("    {request}: (),\n"),
        }
    }
}

/// The kernel has no types for addresses and offsets to map at.
fn holds_an_address(field: &str) -> bool {
    ["addr", "ptr", "va", "offset", "base", "limit", "handle"].iter().any(|word| field.contains(word))
}
