//! What each stack is made of.
use super::tree::{Over, Recipe};

/// AMD's userspace as Debian trixie has it: ROCr 6.1.2, HIP and OpenCL 5.7.1.
pub const TRIXIE: &Recipe = &Recipe {
    suite: "trixie",
    gigabytes: 3.9,
    over: None,
    packages: &[
        "clinfo",
        "hipcc",
        "libamdhip64-dev",
        "libhsa-runtime-dev",
        "librocblas-dev",
        "librocfft-dev",
        "librocrand-dev",
        "librocsolver-dev",
        "libvulkan1",
        "mesa-vulkan-drivers",
        "ocl-icd-opencl-dev",
        "rocm-opencl-icd",
        "rocminfo",
    ],
    // Without the last, which no package depends on, OpenCL compiles nothing: its own headers include one of clang's.
    runtime: &["libamdhip64-dev", "ocl-icd-libopencl1", "rocm-opencl-icd", "libclang-common-17-dev"],
};

/// AMD's userspace as Debian forky has it: ROCr, HIP and OpenCL 6.4.3 when this was written. forky moves.
/// It has no rocRAND.
pub const FORKY: &Recipe = &Recipe {
    suite: "forky",
    gigabytes: 5.8,
    over: None,
    packages: &[
        "clinfo",
        "hipcc",
        "libamdhip64-dev",
        "libhsa-runtime-dev",
        "librocblas-dev",
        "librocfft-dev",
        "librocsolver-dev",
        "libvulkan1",
        "mesa-vulkan-drivers",
        "ocl-icd-opencl-dev",
        "rocm-opencl-icd",
        "rocminfo",
    ],
    runtime: RUNTIME,
};

/// AMD's userspace as Debian's suite experimental has it: all of ROCm 7.2.4 when this was written. The suite is no
/// whole release; what it lacks is from unstable. Both move, and not always together: packages that cannot be installed
/// for some days are usual there.
pub const EXPERIMENTAL: &Recipe = &Recipe {
    suite: "experimental",
    gigabytes: 2.7,
    over: Some(Over { release: "sid", sources: &["src:hip*", "src:roc*"] }),
    packages: TRIXIE.packages,
    runtime: RUNTIME,
};

/// What programs of HIP and OpenCL need to run: the libraries, which bring their compiler, and OpenCL's loader.
const RUNTIME: &[&str] = &["libamdhip64-dev", "ocl-icd-libopencl1", "rocm-opencl-icd"];

/// A compiler for kernels in Rust, with the sources of `core` and a linker: 1.97 when this was written. Nothing of
/// AMD's.
pub const RUST: &Recipe = &Recipe {
    suite: "forky",
    gigabytes: 1.4,
    over: None,
    packages: &["cargo", "lld", "rust-src", "rustc"],
    runtime: &[],
};

/// AMD's userspace in the host's own Debian (bookworm: ROCr and HIP 5.2.3), with PoCL as the OpenCL.
pub const NATIVE: &[&str] = &[
    "clinfo",
    "hipcc",
    "libamdhip64-dev",
    "libhsa-runtime-dev",
    "ocl-icd-opencl-dev",
    "pocl-opencl-icd",
    "rocm-device-libs",
    "rocminfo",
];

/// Files left out of the trees: documentation, rocBLAS kernels for GPUs that no profile of `vgpu` has (a gigabyte), and
/// the drivers of Vulkan but that of the CPU (lavapipe).
pub const EXCLUDED: &[&str] = &[
    "/usr/share/doc/*",
    "/usr/share/info/*",
    "/usr/share/locale/*",
    "/usr/share/man/*",
    "/usr/lib/*/rocblas/*/library/*gfx1*",
    "/usr/lib/*/rocblas/*/library/*gfx8*",
    "/usr/lib/*/libvulkan_[!l]*",
    "/usr/share/vulkan/icd.d/[!l]*",
];
