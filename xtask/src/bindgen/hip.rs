//! `hip-sys`: the HIP runtime and hiprtc.
use super::Context;
use super::clang::Headers;
use super::packages::{Origin, Package};
use anyhow::Result;
use std::fs;
use std::path::Path;

const INCLUDE: &str = "usr/include/hip";

pub const VERSIONS: [(&str, Package); 5] = [
    (
        "5.2",
        Package {
            name: "libamdhip64-dev",
            version: "5.2.3-8",
            origin: Origin::Debian { suite: "bookworm" },
            sha256: "1f87b72e5aa86025c6cb96312c75ee7f549c42475f4bc51049ab7b67cc4e762e",
            headers: Some((&[INCLUDE], "95c78c898c0a6f60c0be2f72fb46f68bcd61ef0234630928d6b910f0c8ab860f")),
        },
    ),
    (
        "5.7",
        Package {
            name: "libamdhip64-dev",
            version: "5.7.1-6+deb13u1",
            origin: Origin::Debian { suite: "trixie" },
            sha256: "471242c9d89ce6aca57b2dc75eabbeb872d787f70d3b92144c58bb444e6256a1",
            headers: Some((&[INCLUDE], "d2f2ffa25826a18ca050bdb56f743dc64a18750cddebd988af1a69b65f98eb2a")),
        },
    ),
    (
        "6.4",
        Package {
            name: "libamdhip64-dev",
            version: "6.4.3-5",
            origin: Origin::Debian { suite: "forky" },
            sha256: "f2a3a542d41883f87a45e2d0554c1c84ccf350c836b9e8b35473dadbc34ced5e",
            headers: Some((&[INCLUDE], "bc82e206e78495c91d871fbb199860f5855ecccf141a23211ab20014501f9c9a")),
        },
    ),
    ("7.1", super::packages::TRITON),
    (
        "7.2",
        Package {
            name: "libamdhip64-dev",
            version: "7.2.4-1~exp2",
            origin: Origin::Debian { suite: "experimental" },
            sha256: "28ae316c5be2d33b53fae8f2151e76a758f84aa3493abafeaef935e49cc5ba07",
            headers: Some((&[INCLUDE], "bc77a75af042096d0e2b7634ee678034344a2f736544e9ea9ad2912fca1da4e3")),
        },
    ),
];

/// A function whose parameters changed without a new name, as somebody has looked at it.
pub enum Change {
    /// Other types, the same calls: what a program passes means the same to every library.
    SameAbi,
    /// This method asks for the library's version and calls the function as that version has it.
    Wrapped(&'static str),
}

/// Functions whose parameters changed without a new name, as reviewed. Any other is an error of the generator: a
/// program would call the function of an older library with arguments that it takes for others.
pub const CHANGED: [(&str, Change); 13] = [
    // c_int became c_uint.
    ("hipCtxGetApiVersion", Change::SameAbi),
    ("hipDeviceGetTexture1DLinearMaxWidth", Change::Wrapped("texture_1d_linear_max_width")),
    ("hipDrvGraphAddMemsetNode", Change::Wrapped("drv_graph_add_memset_node")),
    ("hipDrvGraphExecMemsetNodeSetParams", Change::Wrapped("drv_graph_exec_memset_node_set_params")),
    ("hipDrvMemcpy3D", Change::Wrapped("drv_memcpy_3d")),
    ("hipDrvMemcpy3DAsync", Change::Wrapped("drv_memcpy_3d_async")),
    // The types of attribute and value were given other names, and the value grew.
    ("hipGraphKernelNodeGetAttribute", Change::SameAbi),
    ("hipGraphKernelNodeSetAttribute", Change::SameAbi),
    // 7.1.0 declared pointers to pointers by mistake; libraries refuse any options, so nothing is behind them.
    ("hipLibraryLoadData", Change::SameAbi),
    ("hipLibraryLoadFromFile", Change::SameAbi),
    // The types of options and inputs were given other names too; their values kept their numbers.
    ("hiprtcLinkAddData", Change::SameAbi),
    ("hiprtcLinkAddFile", Change::SameAbi),
    ("hiprtcLinkCreate", Change::SameAbi),
];

pub fn headers(context: &Context, version: &str, package: &Package) -> Result<Headers> {
    let root = context.fetch(package)?;
    let mut source = String::from("#include <hip/hip_runtime_api.h>\n");
    let include = match package.origin {
        Origin::Debian { .. } => root.join("usr/include"),
        Origin::Wheel { .. } => root.join("triton/backends/amd/include"),
    };
    // Complex numbers and numbers of data types are for AMD's libraries.
    for optional in
        ["hip/hip_deprecated.h", "hip/hiprtc.h", "hip/hip_bfloat16.h", "hip/hip_complex.h", "hip/library_types.h"]
    {
        if include.join(optional).exists() {
            source.push_str(&format!("#include <{optional}>\n"));
        }
    }
    source.push_str(&c_functions(&include.join("hip/hip_ext.h"))?);
    let mut defines = vec!["__HIP_PLATFORM_AMD__".to_owned()];
    if version.starts_with('5') {
        // Structs that HIP 6 laid out anew. The headers of 6 call the first one's old form R0000.
        defines.push("hipDeviceProp_t=hipDeviceProp_tR0000".into());
        defines.push("HIP_MEMCPY3D=HIP_MEMCPY3D_HIP5".into());
    }
    Ok(Headers {
        source,
        include: vec![include],
        defines,
        cpp: false,
        files: vec![".*/hip/.*".into()],
        items: vec![],
        foreign: vec![],
    })
}

/// The declarations of C functions in a C++ header that only HIP's own compiler can read.
fn c_functions(header: &Path) -> Result<String> {
    if !header.exists() {
        return Ok(String::new());
    }
    let text = fs::read_to_string(header)?;
    let declarations = text.split("extern \"C\" ").skip(1).filter_map(|rest| rest.split_once(';'));
    // `__dparm` gives a default value, which C does not have.
    let functions: String = declarations.map(|(declaration, _)| format!("{declaration};\n")).collect();
    Ok(format!("#undef __dparm\n#define __dparm(value)\n{functions}"))
}
