//! `kfd-sys`: the amdkfd ioctls, the amdgpu DRM ioctls, and what both share with the DRM core and dma-buf.
use super::Context;
use super::clang::Headers;
use super::packages::{Origin, Package};
use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

const INCLUDE: [&str; 6] = [
    "usr/include/linux/kfd_ioctl.h",
    "usr/include/linux/kfd_sysfs.h",
    "usr/include/linux/dma-buf.h",
    "usr/include/drm/drm.h",
    "usr/include/drm/amdgpu_drm.h",
    "usr/include/asm-generic/ioctl.h",
];

/// Linux 6.1, 6.12 and 7.2, by the version of KFD's interface that they define. The first is there to tell what came
/// later; its package lacks `amdgpu_drm.h`.
pub const VERSIONS: [(&str, Package); 3] = [
    (
        "1.11",
        Package {
            name: "linux-libc-dev",
            version: "6.1.176-1",
            origin: Origin::Debian { suite: "bookworm" },
            sha256: "8bb258735b9dffbb111da778ebdd024750878e435ffd9dfcadcb6762ede6b4cf",
            headers: Some((
                &["usr/include/linux/kfd_ioctl.h", "usr/include/linux/kfd_sysfs.h"],
                "6e56d2a15efa1c9e57244041dd720e56155ef8a4a1dd570325f01febac9e40f5",
            )),
        },
    ),
    (
        "1.17",
        Package {
            name: "linux-libc-dev",
            version: "6.12.94-1",
            origin: Origin::Debian { suite: "trixie" },
            sha256: "6183985d8fa4b97d277e8b55b10ad247bd98bc23aa8b531c1f79f05bfbf50997",
            headers: Some((&INCLUDE, "d8dcbf0d39dfd607f75ceafeef109c88dc11cef946807a83c3340363663b798d")),
        },
    ),
    (
        "1.23",
        Package {
            name: "linux-libc-dev",
            version: "7.2.13-1",
            origin: Origin::Debian { suite: "sid" },
            sha256: "8b33c2a408bbab537e753102dce181dc211007f64c1e2516065bc677f60d5d99",
            headers: Some((&INCLUDE, "370702f45e0c431fa12a67091caef8f1dbc143ad0ae40a482297a1b9a7370f48")),
        },
    ),
];

/// The minor version of KFD's interface with which each came, by the list in `kfd_ioctl.h`; `*` stands for any end of a
/// name. A driver whose version was not raised for an addition may have it earlier: then this is the first version that
/// surely has it.
///
/// The generator compares this with what the headers of [`VERSIONS`] declare, and fails if anything in `kfd_ioctl.h` is
/// new and not here.
pub const SINCE: [(u32, &[&str]); 16] = [
    (3, &["AMDKFD_IOC_SMI_EVENTS", "kfd_ioctl_smi_events_args"]),
    (5, &["AMDKFD_IOC_SVM", "kfd_ioctl_svm_args", "kfd_ioctl_svm_attribute"]),
    (5, &["AMDKFD_IOC_SET_XNACK_MODE", "kfd_ioctl_set_xnack_mode_args"]),
    (7, &["AMDKFD_IOC_CRIU_OP", "kfd_ioctl_criu_args"]),
    (9, &["AMDKFD_IOC_AVAILABLE_MEMORY", "kfd_ioctl_get_available_memory_args"]),
    (12, &["AMDKFD_IOC_EXPORT_DMABUF", "kfd_ioctl_export_dmabuf_args"]),
    (
        13,
        &[
            "AMDKFD_IOC_DBG_TRAP",
            "AMDKFD_IOC_RUNTIME_ENABLE",
            "KFD_DBG_*",
            "KFD_EC_MASK_*",
            "KFD_RUNTIME_ENABLE_MODE_*",
            "kfd_context_save_area_header*",
            "kfd_dbg_device_info_entry",
            "kfd_dbg_runtime_state",
            "kfd_dbg_trap_address_watch_mode",
            "kfd_dbg_trap_exception_code",
            "kfd_dbg_trap_flags",
            "kfd_dbg_trap_mask",
            "kfd_dbg_trap_operations",
            "kfd_dbg_trap_override_mode",
            "kfd_dbg_trap_wave_launch_mode",
            "kfd_ioctl_dbg_trap_*",
            "kfd_ioctl_runtime_enable_args",
            "kfd_queue_snapshot_entry",
            "kfd_runtime_info",
        ],
    ),
    (14, &["kfd_event_data__bindgen_ty_1.signal_event_data", "kfd_hsa_signal_event_data"]),
    // Drivers of 1.14 may have them: the version was not raised.
    (15, &["KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT", "KFD_IOCTL_SVM_FLAG_EXT_COHERENT"]),
    (16, &["KFD_IOC_ALLOC_MEM_FLAGS_CONTIGUOUS"]),
    (17, &["KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID", "kfd_ioctl_create_queue_args.sdma_engine_id"]),
    (18, &["KFD_PROC_FLAG_MFMA_HIGH_PRECISION", "kfd_ioctl_set_memory_policy_args.misc_process_flag"]),
    (19, &["AMDKFD_IOC_CREATE_PROCESS"]),
    (21, &["kfd_dbg_device_info_entry.capability2", "kfd_dbg_trap_flags::KFD_DBG_TRAP_FLAG_LDS_OUT_OF_ADDR_RANGE"]),
    (22, &["kfd_ioctl_create_queue_args.metadata_ring_size"]),
    (
        23,
        &[
            "AMDKFD_IOC_PROFILER",
            "KFD_IOC_PROFILER_VERSION_NUM",
            // The version was not raised for these two.
            "kfd_smi_event::KFD_SMI_EVENT_PROCESS_END",
            "kfd_smi_event::KFD_SMI_EVENT_PROCESS_START",
            "kfd_ioctl_pmc_settings",
            "kfd_ioctl_profiler_args*",
            "kfd_ioctl_ptl_control",
            "kfd_profiler_ops",
        ],
    ),
];

/// The minor version with which `name` came: an item, `record.field` or `enum::value`.
pub fn since(name: &str) -> Option<u32> {
    let is_it = |pattern: &&str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => *pattern == name,
    };
    SINCE.iter().find(|(_, patterns)| patterns.iter().any(is_it)).map(|(minor, _)| *minor)
}

/// Requests whose arguments end in an array, by the field that counts its elements: the request's size includes them.
pub const ARRAYS: [(&str, &str); 1] = [("kfd_ioctl_svm_args", "nattr")];

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

pub fn headers(context: &Context, package: &Package) -> Result<Headers> {
    let include = context.fetch(package)?.join("usr/include");
    let there = HEADERS.iter().filter(|header| include.join(header).exists());
    let mut source: String = there.map(|header| format!("#include <{header}>\n")).collect();
    let requests = requests(context, package)?;
    // Debian's package of Linux 6.1 has no `drm.h`, of which `kfd_ioctl.h` needs only the types.
    let drm = match include.join("drm/drm.h").exists() {
        true => None,
        false => Some(context.fetch(&VERSIONS[1].1)?.join("usr/include")),
    };
    for name in requests.keys() {
        // libclang does not evaluate _IOWR macros, but it does evaluate initialisers.
        writeln!(source, "static const unsigned long request_{name} = {name};").unwrap();
    }
    Ok(Headers {
        source,
        include: [include.clone(), include.join("x86_64-linux-gnu")].into_iter().chain(drm).collect(),
        defines: vec![],
        cpp: false,
        files: HEADERS
            .iter()
            .filter(|header| **header != "drm/drm.h")
            .map(|header| format!(".*/{}", header.replace('.', "\\.")))
            .collect(),
        // Of the DRM core only what its requests for compute clients use: the rest is display and older.
        items: requests
            .values()
            .filter_map(|request| request.args.clone())
            .chain(["DRM_(CAP|CLIENT_CAP|PRIME|SYNCOBJ|COMMAND|IOCTL_BASE).*".into()])
            .collect(),
        foreign: vec![],
    })
}

/// All requests that the headers define, by name.
pub fn requests(context: &Context, package: &Package) -> Result<BTreeMap<String, Request>> {
    let include = context.fetch(package)?.join("usr/include");
    let mut requests = BTreeMap::new();
    for header in HEADERS.iter().filter(|header| include.join(header).exists()) {
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
