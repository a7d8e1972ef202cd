//! `hsa-sys`: the HSA runtime with AMD's extensions, and the memory layouts of its queues, signals and kernel code.
use super::Context;
use super::clang::Headers;
use super::packages::{Origin, Package, TRITON};
use anyhow::Result;

const INCLUDE: &str = "usr/include/hsa";

/// ROCr's version, which the Debian packages are named after; 7.1 is that of the HIP it comes with.
pub const VERSIONS: [(&str, Package); 5] = [
    (
        "5.2",
        Package {
            name: "libhsa-runtime-dev",
            version: "5.2.3-3",
            origin: Origin::Debian { suite: "bookworm" },
            sha256: "7b5d021c2718818d597cd9439581757931ecdc8e346c1f5e7aab664793b53fb0",
            headers: Some((&[INCLUDE], "c947dffcdea6a6c8f1daecb9670488ef9812e5dc8a199dffe726bb389f36a07f")),
        },
    ),
    (
        "6.1",
        Package {
            name: "libhsa-runtime-dev",
            version: "6.1.2-3",
            origin: Origin::Debian { suite: "trixie" },
            sha256: "210550164784b6f12067b6cfd8a9386f6855d12a5fdd768b14839c85c35e48c0",
            headers: Some((&[INCLUDE], "65aa9d6deb41fffe6aea748e20cf608c4bf1b8c845278251f6403e38f1bab32f")),
        },
    ),
    (
        "6.4",
        Package {
            name: "libhsa-runtime-dev",
            version: "6.4.3+dfsg-5",
            origin: Origin::Debian { suite: "forky" },
            sha256: "ee294edb1c087a4df853da341112752514d5f4f48510ba69b04698b904e35500",
            headers: Some((&[INCLUDE], "7dd663be4d583293d46e0b70569fdd4a81609e4877e66727ef55fdf369648db3")),
        },
    ),
    ("7.1", TRITON),
    (
        "7.2",
        Package {
            name: "libhsa-runtime-dev",
            version: "7.2.4+dfsg-1~exp1",
            origin: Origin::Debian { suite: "experimental" },
            sha256: "18b204f235cfb402833ecfc4c8a3d80842c038df3925e4e0148173a70e3d4c32",
            headers: Some((&[INCLUDE], "3ed8ed878bbe71daf1ec0f04d0a2db47c4898e56871bbe3090b945e291f98533")),
        },
    ),
];

/// In 7.1 only those that the wheel has whole.
const HEADERS: [&str; 12] = [
    "hsa.h",
    "hsa_ext_amd.h",
    "hsa_ext_image.h",
    "hsa_ext_finalize.h",
    "hsa_ven_amd_loader.h",
    "hsa_ven_amd_aqlprofile.h",
    "hsa_ven_amd_pc_sampling.h",
    "hsa_amd_tool.h",
    "amd_hsa_queue.h",
    "amd_hsa_signal.h",
    "amd_hsa_kernel_code.h",
    "hsa_api_trace.h",
];

pub fn headers(context: &Context, package: &Package) -> Result<Headers> {
    let root = context.fetch(package)?;
    let include = match package.origin {
        Origin::Debian { .. } => root.join("usr/include"),
        Origin::Wheel { .. } => root.join("triton/backends/amd/include"),
    };
    let whole = |header: &&str| match package.origin {
        Origin::Debian { .. } => include.join("hsa").join(header).exists(),
        Origin::Wheel { .. } => include.join("hsa").join(header).exists() && !header.starts_with("amd_"),
    };
    let source = HEADERS.into_iter().filter(whole).map(|header| format!("#include <hsa/{header}>\n")).collect();
    Ok(Headers {
        source,
        include: vec![include.clone(), include.join("hsa")],
        // Without it hsa_api_trace.h looks for its neighbours in a folder that packages do not have.
        defines: vec!["AMD_INTERNAL_BUILD".into()],
        // hsa_api_trace.h is C++.
        cpp: true,
        files: vec![".*/hsa/.*".into()],
        items: vec![],
        foreign: vec![],
    })
}
