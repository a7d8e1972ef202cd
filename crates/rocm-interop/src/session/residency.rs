//! Where bytes are, by the bookkeeping of the HSA runtime, which owns them whoever asked for them.

use std::ffi::c_void;
use std::fmt;

use hsa_sys::{hsa_amd_pointer_info_t, hsa_amd_pointer_type_t, hsa_system_info_t};

use crate::apis::call::call;
use crate::session::Core;
use crate::{Error, Result};
use kfd_topology::PciAddress;

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

impl Residency {
    /// This, if the bytes are in it.
    pub(crate) fn inside(self, address: u64, bytes: usize) -> Result<Residency> {
        if contains(self.base, self.bytes as u64, address, bytes as u64) {
            return Ok(self);
        }
        let reason = format!("the allocation is only {} bytes at {:#x}", self.bytes, self.base);
        Err(Error::NotResident { address, bytes, reason })
    }
}

impl Core {
    /// Whether the driver moves pages of the process to the GPU and back, by faults of the GPU (XNACK).
    pub(crate) fn retries_faults(&self) -> Result<bool> {
        let mut on = false;
        let subject = hsa_system_info_t(hsa_sys::hsa_system_info_t::HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT.0);
        // SAFETY: the attribute is a bool.
        unsafe { call!(self.libraries.hsa, hsa_system_get_info(subject, (&raw mut on).cast())) }?;
        Ok(on)
    }

    /// Proves that the bytes are memory of the session's GPU.
    pub(crate) fn residency(&self, address: u64, bytes: usize) -> Result<Residency> {
        const ADVICE: &str = "sharing without a copy needs memory of the GPU that HIP uses, allocated through ROCr";
        let refuse = |reason: String| Err(Error::NotResident { address, bytes, reason: format!("{reason}; {ADVICE}") });
        let info = self.pointer_info(address)?;
        if info.type_ != hsa_amd_pointer_type_t::HSA_EXT_POINTER_TYPE_HSA {
            return refuse(format!("HSA's runtime knows it as {:?}, not as an allocation of its own", info.type_));
        }
        let place = self.owner(&info)?;
        if place != Place::Gpu(self.device.pci()) {
            return refuse(format!("it is {place}, not of the GPU at {}", self.device.pci()));
        }
        allocation(&info, place).inside(address, bytes)
    }

    /// The buffer object, of which the driver says whose it is, that HSA's runtime mapped at `address`.
    pub(crate) fn imported(&self, address: u64, place: Place) -> Result<Residency> {
        let info = self.pointer_info(address)?;
        if info.type_ == hsa_amd_pointer_type_t::HSA_EXT_POINTER_TYPE_GRAPHICS {
            return Ok(allocation(&info, place));
        }
        let reason = format!("HSA's runtime knows it as {:?}, not as imported", info.type_);
        Err(Error::NotResident { address, bytes: 0, reason })
    }

    /// Proves that the bytes, which are another process's, are memory of the session's GPU.
    pub(crate) fn opened(&self, address: u64, bytes: usize) -> Result<Residency> {
        let refuse = |reason: String| Err(Error::NotResident { address, bytes, reason });
        let info = self.pointer_info(address)?;
        let place = self.owner(&info)?;
        let own = Place::Gpu(self.device.pci());
        match info.type_ {
            hsa_amd_pointer_type_t::HSA_EXT_POINTER_TYPE_IPC
            | hsa_amd_pointer_type_t::HSA_EXT_POINTER_TYPE_GRAPHICS => {}
            type_ => return refuse(format!("HSA's runtime knows it as {type_:?}, not as another process's")),
        }
        if place != own {
            return refuse(format!("it is {place}, not {own}; open it in a session on that GPU"));
        }
        allocation(&info, place).inside(address, bytes)
    }

    /// Proves that the bytes are the host's: HSA's allocation for a CPU, or pages of the process that HSA did not
    /// allocate.
    pub(crate) fn host_residency(&self, address: u64, bytes: usize) -> Result<Residency> {
        let refuse = |reason: String| Err(Error::NotResident { address, bytes, reason });
        let info = self.pointer_info(address)?;
        match info.type_ {
            hsa_amd_pointer_type_t::HSA_EXT_POINTER_TYPE_HSA => match self.owner(&info)? {
                Place::Host => allocation(&info, Place::Host).inside(address, bytes),
                place => refuse(format!("it is {place}, not the host's as was asked for")),
            },
            type_ if is_process_memory(type_) => Ok(Residency { place: Place::Host, base: address, bytes }),
            type_ => refuse(format!("HSA's runtime knows it as {type_:?}, not as the host's")),
        }
    }

    /// Refuses a page that HSA's runtime allocated or imported, so that it is the process's alone.
    pub(crate) fn process_page(&self, address: u64) -> Result<()> {
        let type_ = self.pointer_info(address)?.type_;
        if is_process_memory(type_) {
            return Ok(());
        }
        let reason = format!(
            "HSA's runtime has memory there ({type_:?}), which OpenCL refuses as a host pointer; pages that the program allocated are needed"
        );
        Err(Error::Argument { subject: "pages", reason })
    }

    fn pointer_info(&self, address: u64) -> Result<hsa_amd_pointer_info_t> {
        let mut info =
            hsa_amd_pointer_info_t { size: size_of::<hsa_amd_pointer_info_t>() as u32, ..Default::default() };
        let pointer = std::ptr::without_provenance::<c_void>(address as usize);
        let null = std::ptr::null_mut();
        // SAFETY: `info` has the size it states; the pointer is looked up, not followed.
        unsafe { call!(self.libraries.hsa, hsa_amd_pointer_info(pointer, &mut info, None, null, null.cast())) }?;
        Ok(info)
    }

    /// Whose an allocation of HSA's is.
    fn owner(&self, info: &hsa_amd_pointer_info_t) -> Result<Place> {
        let mut gpus = self.libraries.hsa_gpus()?.into_iter();
        let owner = gpus.find(|(agent, _)| agent.handle == info.agentOwner.handle);
        Ok(owner.map_or(Place::Host, |(_, gpu)| Place::Gpu(gpu)))
    }
}

/// Not known to HSA's runtime, registered with it, or, from 7.2 on, part of a range of addresses that it keeps for
/// HIP's managed memory.
fn is_process_memory(type_: hsa_amd_pointer_type_t) -> bool {
    matches!(
        type_,
        hsa_amd_pointer_type_t::HSA_EXT_POINTER_TYPE_UNKNOWN
            | hsa_amd_pointer_type_t::HSA_EXT_POINTER_TYPE_LOCKED
            | hsa_amd_pointer_type_t::HSA_EXT_POINTER_TYPE_RESERVED_ADDR
    )
}

fn allocation(info: &hsa_amd_pointer_info_t, place: Place) -> Residency {
    Residency { place, base: info.agentBaseAddress.addr() as u64, bytes: info.sizeInBytes }
}

/// Whether `bytes` bytes at `address` are in the `size` bytes at `base`.
fn contains(base: u64, size: u64, address: u64, bytes: u64) -> bool {
    let end = address.checked_sub(base).and_then(|offset| offset.checked_add(bytes));
    end.is_some_and(|end| end <= size)
}

#[cfg(test)]
mod tests {
    use super::{PciAddress, Place, contains};

    #[test]
    fn places_say_whose_memory_it_is() {
        let gpu = PciAddress { domain: 0, bus: 0x23, device: 0, function: 0 };
        assert_eq!(Place::Gpu(gpu).to_string(), "memory of GPU 0000:23:00.0");
        assert_eq!(Place::Host.to_string(), "host memory, which a GPU reads over PCI Express");
    }

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
