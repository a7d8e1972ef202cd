//! What each stack is made of.

/// AMD's userspace as Debian trixie has it: ROCr 6.1.2, HIP and OpenCL 5.7.1.
pub const TRIXIE: &[&str] = &[
    "clinfo",
    "hipcc",
    "libamdhip64-dev",
    "libhsa-runtime-dev",
    "librocblas-dev",
    "librocfft-dev",
    "librocrand-dev",
    "librocsolver-dev",
    "ocl-icd-opencl-dev",
    "rocm-opencl-icd",
    "rocminfo",
];

/// AMD's userspace as Debian forky has it: ROCr, HIP and OpenCL 6.4.3 when this was written. forky moves.
/// It has no rocRAND.
pub const FORKY: &[&str] = &[
    "clinfo",
    "hipcc",
    "libamdhip64-dev",
    "libhsa-runtime-dev",
    "librocblas-dev",
    "librocfft-dev",
    "librocsolver-dev",
    "ocl-icd-opencl-dev",
    "rocm-opencl-icd",
    "rocminfo",
];

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

/// Files left out of the trees: documentation, and rocBLAS kernels for GPUs that no profile of `vgpu` has (a gigabyte).
pub const EXCLUDED: &[&str] = &[
    "/usr/share/doc/*",
    "/usr/share/info/*",
    "/usr/share/locale/*",
    "/usr/share/man/*",
    "/usr/lib/*/rocblas/*/library/*gfx1*",
    "/usr/lib/*/rocblas/*/library/*gfx8*",
];
