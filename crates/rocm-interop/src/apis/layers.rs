//! Which GPUs each layer enumerates, and why none is seen by all.

use std::ffi::OsString;
use std::sync::Arc;

use hsa_sys::hsa_agent_t;
use kfd_topology::Node;
use rocm_loader::visibility::{HIP, HSA, Layer, OPENCL};

use crate::apis::OpenClDevice;
use crate::apis::device;
use crate::{Device, Libraries, Result};
use kfd_topology::PciAddress;

/// What each layer enumerates, or why it does not.
pub(crate) struct Layers {
    pub(crate) kfd: Result<Vec<(PciAddress, Node)>>,
    pub(crate) opencl: Result<Vec<OpenClDevice>>,
    pub(crate) hip: Result<Vec<(i32, PciAddress)>>,
    pub(crate) hsa: Result<Vec<(hsa_agent_t, PciAddress)>>,
}

impl Layers {
    pub(crate) fn ask(libraries: &Libraries) -> Layers {
        Layers {
            kfd: device::gpus(),
            opencl: libraries.opencl_devices(),
            hip: libraries.hip_devices(),
            hsa: libraries.hsa_gpus(),
        }
    }

    /// What all of them enumerate.
    ///
    /// # Errors
    /// That of the first that failed.
    pub(crate) fn whole(self) -> Result<Enumerated> {
        Ok(Enumerated { opencl: self.opencl?, hsa: self.hsa?, hip: self.hip?, kfd: self.kfd? })
    }
}

/// What each layer enumerates.
pub(crate) struct Enumerated {
    kfd: Vec<(PciAddress, Node)>,
    opencl: Vec<OpenClDevice>,
    hip: Vec<(i32, PciAddress)>,
    hsa: Vec<(hsa_agent_t, PciAddress)>,
}

impl Enumerated {
    /// The GPUs that all of them have, in the order of HIP.
    pub(crate) fn shared(&self, libraries: &Arc<Libraries>) -> Vec<Device> {
        // OpenCL gives no domain: with several domains, two GPUs may look alike to it, and neither is safe to choose.
        // The driver has them all, also those that an environment variable hides from HIP.
        let alike = |at: PciAddress| self.kfd.iter().filter(|(pci, _)| pci.is_same_without_domain(at)).count();
        let known = self.kfd.iter().filter(|(pci, _)| alike(*pci) == 1);
        let mut devices: Vec<Device> = known.filter_map(|(pci, kfd)| self.device(libraries, *pci, kfd)).collect();
        devices.sort_by_key(Device::hip);
        devices
    }

    fn device(&self, libraries: &Arc<Libraries>, pci: PciAddress, kfd: &Node) -> Option<Device> {
        Some(Device {
            libraries: Arc::clone(libraries),
            opencl: self.opencl.iter().find(|cl| cl.pci.is_some_and(|at| pci.is_same_without_domain(at)))?.device,
            hip: self.hip.iter().find(|(_, at)| *at == pci)?.0,
            hsa: self.hsa.iter().find(|(_, at)| *at == pci)?.0,
            kfd: kfd.clone(),
            pci,
        })
    }

    /// Which layers do not see GPUs of the driver, and why. `variable` reads the environment.
    pub(crate) fn missing(&self, variable: impl Fn(&str) -> Option<OsString>) -> String {
        let kfd: Vec<PciAddress> = self.kfd.iter().map(|(at, _)| *at).collect();
        let hsa = self.hsa.iter().map(|(_, at)| *at).collect();
        let hip = self.hip.iter().map(|(_, at)| *at).collect();
        let opencl = self.opencl.iter().filter_map(|gpu| gpu.pci).collect();
        missing(&kfd, &[(HSA, hsa), (HIP, hip), (OPENCL, opencl)], variable)
    }
}

fn missing(
    kfd: &[PciAddress],
    above: &[(Layer, Vec<PciAddress>)],
    variable: impl Fn(&str) -> Option<OsString>,
) -> String {
    if kfd.is_empty() {
        return "the kernel driver has none; is amdgpu loaded, and the GPU one that it drives for compute?".to_owned();
    }
    let mut lines = Vec::new();
    let mut seen_by_hsa = kfd.to_vec();
    for (layer, seen) in above {
        let sees = |at: &PciAddress| seen.iter().any(|other| at.is_same_without_domain(*other));
        let unseen: Vec<String> = seen_by_hsa.iter().filter(|at| !sees(at)).map(PciAddress::to_string).collect();
        if !unseen.is_empty() {
            lines.push(format!("{} does not see GPU {}: {}", layer.name, unseen.join(", "), layer.why(&variable)));
        }
        if layer.name == HSA.name {
            seen_by_hsa.retain(sees);
        }
    }
    if lines.is_empty() {
        return "all see them, but OpenCL gives neither PCI domain nor partition to tell them apart".to_owned();
    }
    lines.join("; ")
}

#[cfg(test)]
mod tests {
    use super::{HIP, HSA, OPENCL, PciAddress, missing};

    const fn place(bus: u8) -> PciAddress {
        PciAddress { domain: 0, bus, device: 0, function: 0 }
    }

    /// What is said of GPUs 3 and 6, of which the layers see these, with these variables.
    fn said(hsa: &[u8], hip: &[u8], opencl: &[u8], variables: &[(&str, &str)]) -> String {
        let places = |buses: &[u8]| buses.iter().copied().map(place).collect();
        let above = [(HSA, places(hsa)), (HIP, places(hip)), (OPENCL, places(opencl))];
        missing(&[place(3), place(6)], &above, |name| {
            variables.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).into())
        })
    }

    #[test]
    fn the_layer_that_misses_a_gpu_is_named_with_the_variable_that_hides_it() {
        let both = "does not see GPU 0000:03:00.0, 0000:06:00.0";
        let hip = ("HIP_VISIBLE_DEVICES", "-1");
        assert_eq!(said(&[3, 6], &[], &[3, 6], &[hip]), format!("HIP {both}: HIP_VISIBLE_DEVICES=-1 is set"));
        let cuda = ("CUDA_VISIBLE_DEVICES", "");
        assert_eq!(said(&[3, 6], &[], &[3, 6], &[cuda]), format!("HIP {both}: CUDA_VISIBLE_DEVICES= is set"));
        let icd = ("OCL_ICD_VENDORS", "pocl.icd");
        assert_eq!(said(&[3, 6], &[3, 6], &[], &[icd]), format!("OpenCL {both}: OCL_ICD_VENDORS=pocl.icd is set"));
        // Those above HSA see none either, and what hides them from HIP is not the first to change.
        let rocr = ("ROCR_VISIBLE_DEVICES", "7");
        assert_eq!(said(&[], &[], &[], &[hip, rocr]), format!("HSA {both}: ROCR_VISIBLE_DEVICES=7 is set"));
        assert_eq!(
            said(&[6], &[], &[6], &[hip, rocr]),
            "HSA does not see GPU 0000:03:00.0: ROCR_VISIBLE_DEVICES=7 is set; \
             HIP does not see GPU 0000:06:00.0: HIP_VISIBLE_DEVICES=-1 is set"
        );
        // Each sees one, and no two the same.
        assert_eq!(
            said(&[3, 6], &[6], &[3], &[("HIP_VISIBLE_DEVICES", "1"), ("GPU_DEVICE_ORDINAL", "0")]),
            "HIP does not see GPU 0000:03:00.0: HIP_VISIBLE_DEVICES=1 is set; \
             OpenCL does not see GPU 0000:06:00.0: GPU_DEVICE_ORDINAL=0 is set"
        );
    }

    #[test]
    fn without_a_variable_it_is_asked_what_else_it_may_be() {
        assert!(said(&[], &[], &[], &[]).ends_with("may this user open /dev/dri/renderD* (group `render`)?"));
        assert!(said(&[3, 6], &[3, 6], &[], &[]).contains("`.icd` file in /etc/OpenCL/vendors"));
        assert!(said(&[3, 6], &[], &[3, 6], &[]).ends_with("is this HIP built for the chip?"));
        assert!(said(&[3, 6], &[3, 6], &[3, 6], &[]).contains("neither PCI domain nor partition"));
        let none = missing(&[], &[(HSA, vec![]), (HIP, vec![]), (OPENCL, vec![])], |_| None);
        assert!(none.starts_with("the kernel driver has none; is amdgpu loaded"), "{none}");
    }

    #[test]
    fn opencl_gives_all_but_the_domain() {
        let place = PciAddress { domain: 7, bus: 1, device: 2, function: 3 };
        assert!(place.is_same_without_domain(PciAddress { domain: 0, ..place }));
        for other in
            [PciAddress { bus: 9, ..place }, PciAddress { device: 9, ..place }, PciAddress { function: 4, ..place }]
        {
            assert!(!place.is_same_without_domain(other), "{other}");
        }
    }
}
