//! `kfd-sys`: the amdkfd ioctls, the amdgpu DRM ioctls, and what both share with the DRM core and dma-buf.
use super::Context;
use super::clang::Headers;
use super::packages::{Origin, Package};
use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

pub const LINUX: Package = Package {
    name: "linux-libc-dev",
    version: "6.12.94-1",
    origin: Origin::Debian { suite: "trixie", arch: "all" },
    sha256: "6183985d8fa4b97d277e8b55b10ad247bd98bc23aa8b531c1f79f05bfbf50997",
    headers: Some((
        &[
            "usr/include/linux/kfd_ioctl.h",
            "usr/include/linux/kfd_sysfs.h",
            "usr/include/linux/dma-buf.h",
            "usr/include/drm/drm.h",
            "usr/include/drm/amdgpu_drm.h",
            "usr/include/asm-generic/ioctl.h",
        ],
        "d8dcbf0d39dfd607f75ceafeef109c88dc11cef946807a83c3340363663b798d",
    )),
};

const HEADERS: [&str; 5] =
    ["linux/kfd_ioctl.h", "linux/kfd_sysfs.h", "linux/dma-buf.h", "drm/drm.h", "drm/amdgpu_drm.h"];

/// DRM core ioctls that a compute client may use; the rest are display and pre-KMS ones.
const DRM_CORE: [&str; 10] = [
    "DRM_IOCTL_VERSION",
    "DRM_IOCTL_GET_UNIQUE",
    "DRM_IOCTL_GET_MAGIC",
    "DRM_IOCTL_AUTH_MAGIC",
    "DRM_IOCTL_GET_CLIENT",
    "DRM_IOCTL_GET_CAP",
    "DRM_IOCTL_SET_CLIENT_CAP",
    "DRM_IOCTL_GEM_",
    "DRM_IOCTL_PRIME_",
    "DRM_IOCTL_SYNCOBJ_",
];

/// An ioctl request as its header defines it: `#define NAME _IOWR(nr, struct args)`.
pub struct Request {
    pub args: Option<String>,
}

pub fn headers(context: &Context) -> Result<Headers> {
    let include = context.fetch(&LINUX)?.join("usr/include");
    let mut source: String = HEADERS.iter().map(|header| format!("#include <{header}>\n")).collect();
    for name in requests(context)?.keys() {
        // libclang does not evaluate _IOWR macros, but it does evaluate initialisers.
        writeln!(source, "static const unsigned long request_{name} = {name};").unwrap();
    }
    Ok(Headers {
        source,
        include: vec![include.clone(), include.join("x86_64-linux-gnu")],
        defines: vec![],
        cpp: false,
        files: HEADERS
            .iter()
            .filter(|header| **header != "drm/drm.h")
            .map(|header| format!(".*/{}", header.replace('.', "\\.")))
            .collect(),
        // Of the DRM core only what its requests for compute clients use: the rest is display and older.
        items: requests(context)?
            .values()
            .filter_map(|request| request.args.clone())
            .chain(["DRM_(CAP|CLIENT_CAP|PRIME|SYNCOBJ|COMMAND|IOCTL_BASE).*".into()])
            .collect(),
    })
}

/// All requests that the headers define, by name.
pub fn requests(context: &Context) -> Result<BTreeMap<String, Request>> {
    let include = context.fetch(&LINUX)?.join("usr/include");
    let mut requests = BTreeMap::new();
    for header in HEADERS {
        let text = fs::read_to_string(include.join(header))?.replace("\\\n", " ");
        for line in text.lines() {
            let Some((name, value)) = line.strip_prefix("#define").and_then(|rest| rest.trim().split_once([' ', '\t']))
            else {
                continue;
            };
            let wanted = name.starts_with("AMDKFD_IOC_")
                || name.starts_with("DMA_BUF_IOCTL_")
                || name.starts_with("DRM_IOCTL_AMDGPU_")
                || DRM_CORE.iter().any(|core| name.starts_with(core));
            let Some((call, rest)) = value.trim().split_once('(') else { continue };
            if !wanted || !call.contains("IO") {
                continue;
            }
            let args = rest.split_once(',').and_then(|(_, ty)| {
                let ty = ty.rsplit_once(',').map_or(ty, |(_, last)| last);
                let ty = ty.split(')').next()?.trim();
                Some(ty.trim_start_matches("struct ").trim_start_matches("union ").trim().to_owned())
            });
            requests.insert(name.to_owned(), Request { args });
        }
    }
    Ok(requests)
}
