//! The kernels that copy and fill.

use super::device::Gpu;
use crate::code::Error::WrongTarget;
use crate::{Device, Error, Kernel, Module, Result};

/// Of `kernels.cl`, which has the command that makes it.
const OBJECT: &[u8] = include_bytes!("blit/kernels.co");

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
        let module = Module::load(Device(gpu), OBJECT).map_err(by_target)?;
        let blit = Blit { copy: module.kernel("copy")?, fill: module.kernel("fill")? };
        Ok(gpu.blit.get_or_init(|| blit))
    }
}

/// The caller did not choose the code, so that it is for another GPU is no mistake of theirs.
fn by_target(error: Error) -> Error {
    match error {
        Error::Code(WrongTarget { code, device }) => {
            let why = format!("this crate has kernels for {code} only, the device is a {device}; use an SdmaQueue");
            Error::Unsupported { subject: "copying by a kernel", why }
        }
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_gpu_is_told_which_one_the_kernels_are_for() {
        let target = |text: &str| text.parse().expect("a target ID");
        let error = by_target(WrongTarget { code: target("gfx908"), device: target("gfx90a:sramecc+:xnack-") }.into());
        assert_eq!(
            error.to_string(),
            "copying by a kernel is not supported here: this crate has kernels for gfx908 only, the device is a \
             gfx90a:sramecc+:xnack-; use an SdmaQueue"
        );
    }
}
