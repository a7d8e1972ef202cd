//! `cl-sys`: OpenCL 3.0 with the extensions of `cl_ext.h`, AMD's among them.
use super::Context;
use super::clang::Headers;
use super::packages::{Origin, Package};
use anyhow::Result;

pub const HEADERS: Package = Package {
    name: "opencl-c-headers",
    version: "3.0~2025.07.22-2",
    origin: Origin::Debian { suite: "forky" },
    sha256: "54fdb154528950a89d65baf86d089f2e81dfaa994ab8e940c24d7d3c5930f805",
    headers: Some((&["usr/include/CL"], "2321472f9c06eb2cb97181e4e9054a81e6c1f73cec7c6266b44b702d3eb79ea7")),
};

/// The headers give the API of each of these versions.
pub const VERSIONS: [(&str, u32); 7] =
    [("1.0", 100), ("1.1", 110), ("1.2", 120), ("2.0", 200), ("2.1", 210), ("2.2", 220), ("3.0", 300)];

pub fn headers(context: &Context, headers: &[&str], version: u32) -> Result<Headers> {
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
        foreign: vec![],
    })
}
