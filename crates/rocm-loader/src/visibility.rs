//! Which environment variables hide GPUs from HSA, HIP and OpenCL.

use std::ffi::OsString;

/// A layer above the kernel driver, which may not see all of its GPUs.
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    /// What it is called.
    pub name: &'static str,
    /// Environment variables that hide GPUs from it.
    hiding: &'static [&'static str],
    /// What to check if none of them is set.
    question: &'static str,
}

/// HSA's runtime. HIP and OpenCL do not see GPUs that it does not see.
pub const HSA: Layer = Layer {
    name: "HSA",
    hiding: &["ROCR_VISIBLE_DEVICES"],
    question: "may this user open /dev/dri/renderD* (group `render`)?",
};
/// HIP.
pub const HIP: Layer = Layer {
    name: "HIP",
    hiding: &["HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"],
    question: "is this HIP built for the chip?",
};
/// OpenCL. AMD's implementation reads the first variable; by the others, loaders choose the implementations that they
/// open.
pub const OPENCL: Layer = Layer {
    name: "OpenCL",
    hiding: &["GPU_DEVICE_ORDINAL", "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH"],
    question: "is AMD's implementation installed, with its `.icd` file in /etc/OpenCL/vendors?",
};

impl Layer {
    /// Why the layer may not see a GPU: those of its variables that are set, or else the question. `variable` reads the
    /// environment, as [`std::env::var_os`] does.
    pub fn why(&self, variable: impl Fn(&str) -> Option<OsString>) -> String {
        let set = |name: &&str| Some(format!("{name}={}", variable(name)?.to_string_lossy()));
        let set: Vec<String> = self.hiding.iter().filter_map(set).collect();
        if set.is_empty() { self.question.to_owned() } else { format!("{} is set", set.join(", ")) }
    }
}
