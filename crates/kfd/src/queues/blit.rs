//! The kernels that copy and fill.

use super::device::Gpu;
use crate::{Device, Error, Kernel, Module, Result};

/// The kernels on a device, loaded when they are first needed.
pub(crate) struct Blit {
    pub copy: Kernel,
    pub fill: Kernel,
}

impl std::fmt::Debug for Blit {
    // Not the kernels: their memory names the device, which has this.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blit").finish_non_exhaustive()
    }
}

impl Blit {
    pub fn of(gpu: &'static Gpu) -> Result<&'static Blit> {
        if let Some(blit) = gpu.blit.get() {
            return Ok(blit);
        }
        let Some(object) = gpu.family().blit else {
            let why = format!(
                "this crate has kernels for gfx908, gfx90a and gfx942, the device is a {}; use an SdmaQueue",
                gpu.node().isa()
            );
            return Err(Error::Unsupported { subject: "copying by a kernel", why });
        };
        let module = Module::load(Device(gpu), object)?;
        let blit = Blit { copy: module.kernel("copy")?, fill: module.kernel("fill")? };
        Ok(gpu.blit.get_or_init(|| blit))
    }
}
