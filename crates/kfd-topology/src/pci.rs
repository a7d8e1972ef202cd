//! PCI addresses.

use std::fmt;

/// Where a GPU is on the PCI bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PciAddress {
    /// Domain.
    pub domain: u32,
    /// Bus.
    pub bus: u8,
    /// Device, 0 to 31.
    pub device: u8,
    /// Function, 0 to 7.
    pub function: u8,
}

impl PciAddress {
    /// From bus, device and function (BDF) in one number, as the driver and HSA give it.
    pub fn from_bdf(domain: u32, bdf: u32) -> PciAddress {
        PciAddress { domain, bus: (bdf >> 8) as u8, device: (bdf >> 3 & 31) as u8, function: (bdf & 7) as u8 }
    }

    /// From the text form of Linux and HIP, `0000:03:00.0`; `None` for any other.
    pub fn parse(text: &str) -> Option<PciAddress> {
        let (domain, rest) = text.split_once(':')?;
        let (bus, rest) = rest.split_once(':')?;
        let (device, function) = rest.split_once('.')?;
        let byte = |text| u8::from_str_radix(text, 16).ok();
        let domain = u32::from_str_radix(domain, 16).ok()?;
        Some(PciAddress { domain, bus: byte(bus)?, device: byte(device)?, function: byte(function)? })
    }

    /// Whether both are one place of their domains. OpenCL's `CL_DEVICE_TOPOLOGY_AMD` gives no domain.
    pub fn is_same_without_domain(self, other: PciAddress) -> bool {
        PciAddress { domain: 0, ..self } == PciAddress { domain: 0, ..other }
    }
}

impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:02x}:{:02x}.{:x}", self.domain, self.bus, self.device, self.function)
    }
}

#[cfg(test)]
mod tests {
    use super::PciAddress;

    #[test]
    fn one_place_has_one_address_in_every_form() {
        let place = PciAddress { domain: 0x1_0001, bus: 0xc6, device: 0x1f, function: 3 };
        assert_eq!(place.to_string(), "10001:c6:1f.3");
        assert_eq!(PciAddress::parse("10001:c6:1f.3"), Some(place));
        assert_eq!(PciAddress::from_bdf(0x1_0001, 0xc6 << 8 | 0x1f << 3 | 3), place);
        assert_eq!(
            PciAddress::from_bdf(0, 0xc6 << 8 | 4 << 3),
            PciAddress { domain: 0, device: 4, function: 0, ..place }
        );
        for torn in [
            "",
            "0000",
            "0000:c6",
            "0000:c6:1f",
            "0000:c6:1f.",
            "0000:c6:.3",
            "x:c6:1f.3",
            "0000:1c6:1f.3",
            "0000:c6:1f.3.3",
        ] {
            assert_eq!(PciAddress::parse(torn), None, "{torn:?}");
        }
    }
}
