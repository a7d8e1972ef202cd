//! Where bytes are, by the bookkeeping of the HSA runtime, which owns them whoever asked for them.

use std::ffi::c_void;
use std::fmt;

use hsa_sys::{hsa_amd_pointer_info_t, hsa_amd_pointer_type_t};

use crate::call::call;
use crate::session::Core;
use crate::{Error, PciAddress, Result};

/// Whose memory bytes are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A GPU's own.
    Gpu(PciAddress),
    /// The host's: each access of a GPU's kernel crosses PCI Express.
    Host,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Gpu(gpu) => write!(f, "memory of GPU {gpu}"),
            Place::Host => f.write_str("host memory, which a GPU reads over PCI Express"),
        }
    }
}

/// Where an address is, as HSA's runtime says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Residency {
    /// Whose memory it is.
    pub place: Place,
    /// Address of the start of the allocation, for GPU and host alike.
    pub base: u64,
    /// Its size in bytes.
    pub bytes: usize,
}

impl Core {
    pub(crate) fn residency(&self, address: u64, bytes: usize) -> Result<Residency> {
        let mut info =
            hsa_amd_pointer_info_t { size: size_of::<hsa_amd_pointer_info_t>() as u32, ..Default::default() };
        let pointer = std::ptr::without_provenance::<c_void>(address as usize);
        let null = std::ptr::null_mut();
        // SAFETY: `info` has the size it states; the pointer is looked up, not followed.
        unsafe { call!(self.libraries.hsa, hsa_amd_pointer_info(pointer, &mut info, None, null, null.cast())) }?;
        let refuse = |reason: String| Err(Error::NotResident { address, bytes, reason });
        if info.type_ != hsa_amd_pointer_type_t::HSA_EXT_POINTER_TYPE_HSA {
            return refuse(format!("HSA's runtime knows it as {:?}, not as an allocation of its own", info.type_));
        }
        let owner = self.libraries.hsa_gpus()?.into_iter().find(|(agent, _)| agent.handle == info.agentOwner.handle);
        let Some((_, gpu)) = owner else {
            return refuse("its owner is not a GPU: host memory, which a GPU reads over PCI Express".to_owned());
        };
        if gpu != self.device.pci() {
            return refuse(format!("it belongs to the GPU at {gpu}, not to the one at {}", self.device.pci()));
        }
        let base = info.agentBaseAddress.addr() as u64;
        if !contains(base, info.sizeInBytes as u64, address, bytes as u64) {
            return refuse(format!("the allocation is only {} bytes at {base:#x}", info.sizeInBytes));
        }
        Ok(Residency { place: Place::Gpu(gpu), base, bytes: info.sizeInBytes })
    }
}

/// Whether `bytes` bytes at `address` are in the `size` bytes at `base`.
fn contains(base: u64, size: u64, address: u64, bytes: u64) -> bool {
    let end = address.checked_sub(base).and_then(|offset| offset.checked_add(bytes));
    end.is_some_and(|end| end <= size)
}

#[cfg(test)]
mod tests {
    use super::contains;

    #[test]
    fn a_range_is_inside_with_both_ends() {
        assert!(
            contains(0x1000, 64, 0x1000, 64) && contains(0x1000, 64, 0x1020, 32) && contains(0x1000, 64, 0x1040, 0)
        );
        assert!(
            !contains(0x1000, 64, 0xfff, 1) && !contains(0x1000, 64, 0x1000, 65) && !contains(0x1000, 64, 0x1020, 33)
        );
        assert!(!contains(0x1000, 64, 0x1001, u64::MAX));
    }
}
