//! Target IDs: the GPUs that code is compiled for, and which of it a device runs.

use std::fmt;

/// A processor and the settings that its code depends on, written as `gfx908:sramecc+:xnack-` ([LLVM's target ID]).
///
/// A setting that a piece of code leaves open runs with either; a device always has one, if its processor has the
/// feature at all.
///
/// ```
/// use amdgpu_code_object::TargetId;
/// # fn main() -> Result<(), amdgpu_code_object::Error> {
/// let device = TargetId::of_device(90008, Some(true), Some(false));
/// assert_eq!(device.to_string(), "gfx908:sramecc+:xnack-");
/// assert!("gfx908".parse::<TargetId>()?.runs_on(&device));
/// assert!("amdgcn-amd-amdhsa--gfx908:xnack-".parse::<TargetId>()?.runs_on(&device));
/// assert!("amdgpu9.08-amd-amdhsa-unknown-gfx908".parse::<TargetId>()?.runs_on(&device));
/// assert!(!"gfx908:xnack+".parse::<TargetId>()?.runs_on(&device));
/// # Ok(()) }
/// ```
///
/// [LLVM's target ID]: https://llvm.org/docs/AMDGPUUsage.html#target-id
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TargetId {
    pub(super) processor: String,
    pub(super) sramecc: Option<bool>,
    pub(super) xnack: Option<bool>,
}

impl TargetId {
    /// The target ID of a device, from `gfx_target_version` of its topology node (90008 for gfx908, 90010 for gfx90a)
    /// and the settings with which the driver runs it; `None` where the processor does not have the feature.
    pub fn of_device(gfx_target_version: u32, sramecc: Option<bool>, xnack: Option<bool>) -> TargetId {
        let (major, minor) = (gfx_target_version / 10000, gfx_target_version / 100 % 100);
        let processor = format!("gfx{major}{minor:x}{:x}", gfx_target_version % 100);
        TargetId { processor, sramecc, xnack }
    }

    /// The processor, such as `gfx908`.
    pub fn processor(&self) -> &str {
        &self.processor
    }

    /// Whether ECC of on-chip memory is on; `None` if it may be either or does not exist.
    pub fn sramecc(&self) -> Option<bool> {
        self.sramecc
    }

    /// Whether page faults are retried (XNACK); `None` if it may be either or does not exist.
    pub fn xnack(&self) -> Option<bool> {
        self.xnack
    }

    /// Whether code for `self` runs correctly on `device`: the processors are equal, or `self` is the generic one of
    /// the device's (`gfx9-generic`, `gfx9-4-generic`), and the device has each setting that the code requires.
    pub fn runs_on(&self, device: &TargetId) -> bool {
        let agrees = |code: Option<bool>, device: Option<bool>| code.is_none() || code == device;
        let is_same = self.processor == device.processor || generic_of(&device.processor) == Some(&self.processor);
        is_same && agrees(self.sramecc, device.sramecc) && agrees(self.xnack, device.xnack)
    }

    /// Of two that run on a device, the greater is the better one: code for this processor before generic code, then by
    /// how many settings it asks for.
    pub(super) fn rank(&self) -> (bool, usize) {
        let is_generic = self.processor.ends_with("-generic");
        (!is_generic, usize::from(self.sramecc.is_some()) + usize::from(self.xnack.is_some()))
    }
}

impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.processor)?;
        for (name, setting) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            if let Some(on) = setting {
                write!(f, ":{name}{}", if on { '+' } else { '-' })?;
            }
        }
        Ok(())
    }
}

/// The generic processor that stands for one, if any: AMDGPUUsage, "Generic Processors". All versions of these that
/// there are run on all of them, as ROCr asks for 1 at least (`IsaRegistry::GetSupportedGenericVersions`).
fn generic_of(processor: &str) -> Option<&'static str> {
    match processor {
        "gfx900" | "gfx902" | "gfx904" | "gfx906" | "gfx909" | "gfx90c" => Some("gfx9-generic"),
        "gfx940" | "gfx941" | "gfx942" | "gfx950" => Some("gfx9-4-generic"),
        _ => None,
    }
}
