//! `cl-sys`: OpenCL 3.0 with the extensions of `cl_ext.h`, AMD's among them.
use super::clang::Headers;
use super::generate::{Bindings, Context};
use super::merge::merge;
use super::model::{Api, Item};
use super::packages::{Origin, Package};
use super::render;
use anyhow::Result;
use std::fs;

const HEADERS: Package = Package {
    name: "opencl-c-headers",
    version: "3.0~2024.10.24-2",
    origin: Origin::Debian { suite: "trixie", arch: "all" },
    sha256: "ccff8d4172284039730f510ef7bf928c0c1ef976848d98c30b1cffbd8c45e3c2",
    headers: Some((&["usr/include/CL"], "38f3dd9095d63498c3a119a838070da8b4aa894ff847559e64b79cfde5576b01")),
};

/// The headers give the API of each of these versions.
const VERSIONS: [(&str, u32); 7] =
    [("1.0", 100), ("1.1", 110), ("1.2", 120), ("2.0", 200), ("2.1", 210), ("2.2", 220), ("3.0", 300)];

pub fn generate(context: &Context) -> Result<Bindings> {
    let mut core = Vec::new();
    for (version, number) in VERSIONS {
        core.push((version, headers(context, &["CL/cl.h"], number)?.read()?));
    }
    let core = merge(core);
    let mut all = merge(vec![("ext", headers(context, &["CL/cl.h", "CL/cl_ext.h"], 300)?.read()?)]);
    type_constants(&mut all.api, &fs::read_to_string(context.fetch(&HEADERS)?.join("usr/include/CL/cl.h"))?);
    type_constants(&mut all.api, &fs::read_to_string(context.fetch(&HEADERS)?.join("usr/include/CL/cl_ext.h"))?);
    let extension = |name: &str| !core.functions.contains_key(name);
    let tables = [render::functions(&core, "Cl", |_| true), render::functions(&all, "ClExtensions", extension)];
    Ok(Bindings { types: render::types(&all.api), functions: tables.concat() })
}

fn headers(context: &Context, headers: &[&str], version: u32) -> Result<Headers> {
    let include = context.fetch(&HEADERS)?.join("usr/include");
    Ok(Headers {
        source: headers.iter().map(|header| format!("#include <{header}>\n")).collect(),
        include: vec![include],
        defines: vec![
            format!("CL_TARGET_OPENCL_VERSION={version}"),
            // Applications may still call what later versions deprecate.
            "CL_USE_DEPRECATED_OPENCL_1_0_APIS".into(),
            "CL_USE_DEPRECATED_OPENCL_1_1_APIS".into(),
            "CL_USE_DEPRECATED_OPENCL_1_2_APIS".into(),
            "CL_USE_DEPRECATED_OPENCL_2_0_APIS".into(),
            "CL_USE_DEPRECATED_OPENCL_2_1_APIS".into(),
            "CL_USE_DEPRECATED_OPENCL_2_2_APIS".into(),
            "CL_ENABLE_BETA_EXTENSIONS".into(),
        ],
        cpp: false,
        files: vec![".*/CL/cl.*".into()],
        items: vec![],
    })
}

/// Gives constants the type that the comment above their group names: to C they are just numbers.
fn type_constants(api: &mut Api, header: &str) {
    let mut group = None;
    for line in header.lines() {
        if let Some(comment) = line.strip_prefix("/* ") {
            let word = comment.split([' ', '*']).next().unwrap_or_default();
            let status = comment.to_lowercase().starts_with("error code") || comment.contains("execution status");
            group = match api.get(word) {
                _ if status => Some("cl_int".to_owned()),
                Some(Item::Alias(_)) => Some(word.to_owned()),
                _ => None,
            };
        } else if line.starts_with("/***") {
            // The next extension.
            group = None;
        } else if let Some(define) = line.strip_prefix("#define ") {
            let name = define.split_whitespace().next().unwrap_or_default();
            if let (Some(group), Some(Item::Const { ty, value })) = (&group, api.get_mut(name)) {
                let number = value.trim_end_matches(|suffix: char| !suffix.is_ascii_digit());
                if ty != group
                    && (group == "cl_int" || !number.starts_with('-'))
                    && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
                    && !ty.starts_with('&')
                {
                    *value = number.trim_end_matches("u32").to_owned();
                    *ty = group.clone();
                }
            }
        }
    }
}
