// Which events of a recording a tool sees, for the page about tools, which says how each was tried.
"use strict";
window.toolsSee = {
    "rocm-trace": () => true,
    // HIP's calls are in the log by name, with the line of their source.
    "AMD_LOG_LEVEL=4": (event) => event.l === "runtime" || (event.l === "hip" && event.s !== undefined),
    // Also the doorbell, since it is a call of HSA.
    "HSA_TOOLS_LIB": (event) => event.l === "hsa" || (event.l === "queue" && event.n === "doorbell"),
    "strace": (event) => event.l === "driver",
    "gdb": (event) => ["hip", "opencl", "hsa", "driver"].includes(event.l),
    "vgpu run --trace": (event) => event.l === "gpu" || (event.l === "driver" && /^(AMDKFD|AMDGPU|DRM)_/.test(event.n)),
    "rocm-smi, amd-smi": () => false,
};
