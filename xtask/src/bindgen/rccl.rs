//! `rccl-sys`: RCCL, the collectives between GPUs.
use super::clang::Headers;
use super::packages::{Origin, Package};
use super::{Context, hip};
use anyhow::{Context as _, Result};

const INCLUDE: &str = "usr/include/rccl";

/// The release of ROCm, which the Debian packages are named after. RCCL's own versions are 2.13.4 and 2.27.7.
pub const VERSIONS: [(&str, Package); 2] = [
    (
        "5.4",
        Package {
            name: "librccl-dev",
            version: "5.4.3-3+b1",
            origin: Origin::Debian { suite: "trixie" },
            sha256: "87e977a72579fcc891c37be5169f051699b9ab3822bef1331f6d33a0e66fd571",
            headers: Some((&[INCLUDE], "d929b57e8c7b46d4425946a4310e10be32fe7aeda7c31f0ea9e0375977d08328")),
        },
    ),
    (
        "7.2",
        Package {
            name: "librccl-dev",
            version: "7.2.4-1~exp3",
            origin: Origin::Debian { suite: "experimental" },
            sha256: "c224353521f931fc9e9eb0800e401d5dde27d428a144f86d3766e52b9f40fdd5",
            headers: Some((&[INCLUDE], "ce6423b11122e6f07dc8f697ae745ce319b3e2e31f62199ca1f4c1d11e450103")),
        },
    ),
];

/// The version of HIP that a suite has beside its RCCL.
fn hip_beside(version: &str) -> &str {
    match version {
        "5.4" => "5.7",
        same => same,
    }
}

pub fn headers(context: &Context, version: &str, package: &Package) -> Result<Headers> {
    let include = context.fetch(package)?.join("usr/include");
    let beside = hip_beside(version);
    let (_, of_hip) = hip::VERSIONS.iter().find(|(hip, _)| *hip == beside).context("no headers of that HIP")?;
    let of_hip = context.fetch(of_hip)?.join("usr/include");
    // Of HIP it needs streams only. These two are for HIP's own compiler, so they count as included.
    let left_out = ["HIP_INCLUDE_HIP_HIP_RUNTIME_H", "HIP_INCLUDE_HIP_HIP_FP16_H"];
    let defines = ["__HIP_PLATFORM_AMD__"].into_iter().chain(left_out).map(str::to_owned).collect();
    Ok(Headers {
        source: "#include <hip/hip_runtime_api.h>\n#include <rccl/rccl.h>\n".into(),
        include: vec![include, of_hip],
        defines,
        cpp: false,
        files: vec![".*/rccl/.*".into()],
        items: vec![],
        foreign: vec![],
    })
}
