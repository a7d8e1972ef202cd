//! The files of a library's crate, all written from its row and its headers, and the page of the site that compares
//! versions.
use super::libraries::{LIBRARIES, Library};
use super::merge::Merged;
use super::model::{Api, Item, words};
use anyhow::{Context as _, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// First line of files that are written from a row.
const HEADER: &str = "Written by `cargo xtask bindgen` from a row of xtask/src/bindgen/libraries.rs; do not edit.";

/// Names of types, by the crate that has them.
pub type Foreign = BTreeMap<String, BTreeSet<String>>;

/// The types that `api` uses and another crate has: HIP's, or those of a library that this one builds on.
pub fn foreign(root: &Path, library: &Library, api: &Api) -> Result<Foreign> {
    let mut crates = vec!["hip-sys".to_owned()];
    crates.extend(library.uses.iter().map(|name| format!("{name}-sys")));
    let mut declared = Vec::new();
    for name in crates {
        let path = root.join("crates").join(&name).join("src/bindings.rs");
        declared.push((name, fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?));
    }
    let mut foreign = Foreign::new();
    let mut unknown = Vec::new();
    for name in used(api) {
        let lines = [
            format!("pub type {name} ="),
            format!("pub struct {name} {{"),
            format!("pub union {name} {{"),
            format!("    {name}: c_"),
        ];
        match declared.iter().find(|(_, text)| lines.iter().any(|line| text.contains(line))) {
            Some((of, _)) => {
                foreign.entry(of.clone()).or_default().insert(name);
            }
            None => unknown.push(name),
        }
    }
    if !unknown.is_empty() {
        bail!("{}: no crate has these types: {}", library.folder(), unknown.join(", "));
    }
    Ok(foreign)
}

/// The names in the types of `api` that are neither its own nor Rust's.
fn used(api: &Api) -> BTreeSet<String> {
    let mut types: Vec<&str> = Vec::new();
    for item in api.values() {
        match item {
            Item::Const { ty, .. } | Item::Alias(ty) => types.push(ty),
            Item::Enum { .. } => {}
            Item::Record(record) => types.extend(record.fields.iter().map(|(_, ty)| ty.as_str())),
            Item::Function(function) => {
                types.extend(function.args.iter().map(|(_, ty)| ty).chain(&function.ret).map(String::as_str));
            }
        }
    }
    let rust = [
        "mut", "const", "unsafe", "extern", "C", "fn", "Option", "bool", "usize", "isize", "f32", "f64", "str",
        "static",
    ];
    let mut names = BTreeSet::new();
    for ty in types {
        for (_, name, behind) in words(ty) {
            let integer = name.trim_start_matches(['u', 'i']).bytes().all(|byte| byte.is_ascii_digit());
            // An argument's name in the type of a function.
            let argument = behind.starts_with(": ");
            if !api.contains_key(name) && !name.starts_with("c_") && !rust.contains(&name) && !integer && !argument {
                names.insert(name.to_owned());
            }
        }
    }
    names
}

/// A version of a library's headers in figures.
pub struct Figures {
    pub version: &'static str,
    /// Functions of the crate that it has.
    pub has: usize,
    /// Functions of the crate that it lacks.
    pub lacking: Vec<String>,
}

/// What each version has and lacks.
pub fn figures(library: &Library, merged: &Merged) -> Vec<Figures> {
    let place = |name: &str| library.versions.iter().position(|version| version.name == name).unwrap_or_default();
    let figures = |(now, version): (usize, &super::libraries::Version)| {
        let lacking: Vec<String> = merged
            .functions
            .iter()
            .filter(|(_, (since, until))| now < place(since) || place(until) < now)
            .map(|(name, (since, _))| match now < place(since) && merged.refused.contains(name) {
                true => format!("{name}: takes something else"),
                false => name.clone(),
            })
            .collect();
        Figures { version: version.name, has: merged.functions.len() - lacking.len(), lacking }
    };
    library.versions.iter().enumerate().map(figures).collect()
}

/// `5.5, 6.4 and 7.2`.
fn list(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    match &words[..] {
        [] => String::new(),
        [word] => word.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// What `bindings.txt` says of functions that not all versions have.
pub fn lacking(figures: &[Figures]) -> String {
    let mut text = String::new();
    for figures in figures.iter().filter(|figures| !figures.lacking.is_empty()) {
        writeln!(text, "\nFunctions that {} lacks ({}):", figures.version, figures.lacking.len()).unwrap();
        figures.lacking.iter().for_each(|name| writeln!(text, "  {name}").unwrap());
    }
    text
}

/// The files of the crate beside its bindings, by name.
pub fn files(
    workspace: &Path,
    library: &Library,
    foreign: &Foreign,
    figures: &[Figures],
) -> Result<Vec<(&'static str, String)>> {
    let build = format!(
        "// {HEADER}\n//! With the feature `link`, has what the module `linked` declares linked; without it, nothing is linked and nothing fails.\n\n\
         fn main() {{\n    println!(\"cargo:rerun-if-changed=build.rs\");\n    #[cfg(feature = \"link\")]\n    \
         rocm_loader::link::dynamically(&[\"{}\"]);\n}}\n",
        library.file
    );
    let linked = format!(
        "// {HEADER}\n// What is documented where the crate declares this module.\nmacro_rules! functions {{\n    ($($table:tt)*) => {{\n        \
         rocm_loader::foreign_functions! {{ $($table)* }}\n    }};\n}}\ninclude!(\"bindings_functions.rs\");\n"
    );
    Ok(vec![
        ("Cargo.toml", manifest(library, foreign)),
        ("README.md", readme(library)),
        ("build.rs", build),
        ("src/lib.rs", formatted(workspace, &root(library, foreign, figures))?),
        ("src/linked.rs", linked),
    ])
}

/// As `cargo fmt` has it.
fn formatted(workspace: &Path, rust: &str) -> Result<String> {
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024", "--config-path"]).arg(workspace).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = rustfmt.spawn().context("cannot run rustfmt")?;
    // It reads all before it writes, so neither waits for the other.
    child.stdin.take().context("rustfmt has no input")?.write_all(rust.as_bytes())?;
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!("rustfmt failed: {}", output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}

fn manifest(library: &Library, foreign: &Foreign) -> String {
    let Library { title, purpose, name, .. } = library;
    let package = library.package();
    let mut text = format!("# {HEADER}\n[package]\nname = \"{package}\"\n");
    writeln!(text, "description = \"{title} bindings ({purpose} on AMD's GPUs), loaded at run time\"").unwrap();
    for key in ["version", "edition", "rust-version", "license"] {
        writeln!(text, "{key}.workspace = true").unwrap();
    }
    writeln!(text, "readme = \"README.md\"\nkeywords = [\"{name}\", \"rocm\", \"amdgpu\", \"ffi\", \"gpu\"]").unwrap();
    writeln!(text, "categories = [\"external-ffi-bindings\"]\n").unwrap();
    if library.taken {
        writeln!(text, "[lib]\nname = \"{}\"\n", library.module()).unwrap();
    }
    text.push_str("[features]\n# Also declares the functions as foreign functions in the module `linked`.\nlink = [\"dep:rocm-loader\"]\n\n");
    text.push_str("[dependencies]\n");
    foreign.keys().for_each(|name| writeln!(text, "{name}.workspace = true").unwrap());
    text.push_str("rocm-loader = { workspace = true, features = [\"load\"] }\n\n[build-dependencies]\n");
    text.push_str(
        "rocm-loader = { workspace = true, features = [\"link\"], optional = true }\n\n[lints]\nworkspace = true\n\n",
    );
    text.push_str("[package.metadata.docs.rs]\nall-features = true\ntargets = [\"x86_64-unknown-linux-gnu\"]\n");
    text
}

/// The headers, and the ROCm that they are of.
fn origin(library: &Library) -> String {
    let headers = list(library.headers.iter().map(|header| format!("`{header}`")));
    format!("{headers} of ROCm {}", list(library.versions.iter().map(|version| version.name.to_owned())))
}

fn readme(library: &Library) -> String {
    let (folder, package) = (library.folder(), library.package());
    let (title, purpose, origin) = (library.title, library.purpose, origin(library));
    let of = if library.taken { format!("package = \"{package}\", ") } else { String::new() };
    format!(
        "<!-- {HEADER} -->\n# {folder}\n\n{title} (`lib{}`), {purpose} on AMD's GPUs, for Rust: every function, type and constant of {origin}.\n\n\
         Building needs neither ROCm nor libclang. The library is opened at run time, and each function is looked up when it is first called. A missing\n\
         library or function is an error value that names every file tried and what to install. With the feature `link`, the module `linked` has the same\n\
         functions for ordinary linking.\n\n## Depending on it\n\nDepend on it by git or by path:\n\n```toml\n[dependencies]\n\
         {folder} = {{ {of}path = \"rocm-workspace/crates/{folder}\" }}\n```\n\n\
         `src/bindings.txt` names the packages that the headers come from, what changed between versions, and the functions that each version lacks.\n",
        library.file
    )
}

fn root(library: &Library, foreign: &Foreign, figures: &[Figures]) -> String {
    let Library { title, purpose, table, file, .. } = library;
    let module = library.module();
    let variable = format!("{}_LIBRARY", module.to_uppercase());
    let oldest = library.versions.iter().map(|version| version.soname).min().unwrap_or_default();
    let newest = library.versions.iter().map(|version| version.soname).max().unwrap_or_default();
    let mut rows = String::new();
    for (version, figures) in library.versions.iter().zip(figures) {
        let (has, lacking) = (figures.has, figures.lacking.len());
        writeln!(rows, "//! | {} | `lib{file}.so.{}` | {has} | {lacking} |", version.name, version.soname).unwrap();
    }
    let uses: String = foreign
        .iter()
        .map(|(name, types)| {
            let types: Vec<&str> = types.iter().map(String::as_str).collect();
            format!("pub use {}::{{{}}};\n", name.replace('-', "_"), types.join(", "))
        })
        .collect();
    let origin = origin(library);
    let (debian, amd) = library.install;
    format!(
        r##"// {HEADER}
//! {title} (`lib{file}`), {purpose} on AMD's GPUs.
//!
//! The crate has every function, type and constant of {origin}.
//!
//! Nothing needs to be installed to build this crate. The library is looked for when [`{table}::load`] is called and each
//! function when it is first called. A missing library or function is a [`LoadError`] that says what was tried and what
//! to install.
//!
//! ```
//! use {module}::{{LoadError, {table}}};
//!
//! match {table}::load() {{
//!     Ok(library) => println!("{{}}", library.library()),
//!     Err(error @ LoadError::LibraryNotFound {{ .. }}) => println!("{{error}}"),
//!     Err(error) => unreachable!("{{error}}"),
//! }}
//! ```
//!
//! # Where the library is looked for
//! 1. The file that the environment variable `{variable}` names, and no other.
//! 2. A copy that this process has loaded already.
//! 3. `lib{file}.so.{newest}`, then older versions down to `{oldest}`, newer ones, and `.so`, in the loader's path,
//!    Debian's multiarch folder, `lib` and `lib64` of `ROCM_PATH`, `/opt/rocm`, `/opt/rocm/core*` and `/opt/rocm-*`, in
//!    this order.
//!
//! [`rocm_loader`] has the details.
//!
//! # Versions
//! Signatures, structs and numbers of enum values are those of the newest header. `bindings.txt` lists how older headers
//! differ, and the functions that each version lacks.
//!
//! A call of a missing function returns [`LoadError::FunctionMissing`]. So does a call of a function that takes something
//! else in an older library: other parameters, structs with fields of other types, or enum values of other numbers.
//!
//! | ROCm | file in Debian | functions that it has | functions here that it lacks |
//! |---|---|---|---|
{rows}//!
//! Enums are newtypes of integers: a value that the headers do not know is a number without a name.
#[macro_use]
extern crate rocm_loader;

#[rustfmt::skip]
mod bindings;
#[rustfmt::skip]
mod bindings_functions;

/// Ordinary foreign functions, for programs that link `lib{file}`.
///
/// The build script links the library if it finds it where a development package puts it. A function that the linked
/// library lacks is an error of the linker, and only if it is used.
#[cfg(feature = "link")]
pub mod linked;

pub use bindings::*;
{uses}pub use rocm_loader::{{Function, LoadError}};

use rocm_loader::Names;

loaded_library! {{
    /// The {title} of this machine: a method for each function, looked up when it is first called.
    {table} {{
        library: "{title} (lib{file})",
        variable: "{variable}",
        names: &[Names {{ stem: "lib{file}", known: {oldest}..={newest}, newer: true }}],
        roots: &["ROCM_PATH"],
        help: "install {debian} (Debian, Ubuntu) or {amd} (AMD's packages), or set {variable} to the file",
    }}
}}
"##
    )
}

/// The site's page of all libraries: the table of their versions.
pub fn page(all: &BTreeMap<&str, Vec<Figures>>) -> String {
    let mut text = format!(
        "<!-- {HEADER} -->\n# Crates of ROCm's libraries\n\nThis page lists the crates of bindings for ROCm's libraries, and the versions of each library that they call.\n\n\
         One generator writes all of these crates. They find their library at run time and need nothing to build, as [the other sys crates](sys.md) do. \
         Each crate has the functions of all versions in the table.\n\n\
         Two kinds of calls return an error value instead of calling the library. \
         The first is a call of a function that the installed version lacks. \
         The second is a call of a function that an older library has with other parameters, structs or numbers of enum values. \
         `src/bindings.txt` in each crate lists these functions by name, and the differences in types and numbers.\n\n\
         The crates leave out functions with a variable number of arguments.\n\n\
         Each row is a crate and one version of its library. The last two columns count the functions of the crate that this version has, and those that it lacks:\n\n\
         | crate | library | ROCm | file in Debian | functions that it has | functions of the crate that it lacks |\n|---|---|---|---|---|---|\n"
    );
    for library in LIBRARIES {
        let Some(figures) = all.get(library.name) else { continue };
        for (version, figures) in library.versions.iter().zip(figures) {
            writeln!(
                text,
                "| `{}` | {} | {} | `lib{}.so.{}` | {} | {} |",
                library.folder(),
                library.title,
                version.name,
                library.file,
                version.soname,
                figures.has,
                figures.lacking.len()
            )
            .unwrap();
        }
    }
    text
}
