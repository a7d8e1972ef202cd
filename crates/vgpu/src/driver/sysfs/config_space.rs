//! The PCI configuration space of a GPU, the sysfs file `config`.
//!
//! A header and the PCI Express capability. There are no base address registers: nothing of the device is behind an
//! address of the bus.

use crate::hardware::profile::Profile;

/// `PCI_CAP_ID_EXP`.
const EXPRESS: u32 = 0x10;
/// Where that capability is on the chip.
const EXPRESS_AT: usize = 0x64;
/// 16 GT/s, as fields of speed say it, and the lanes. The link of the topology's 32 GB/s.
const SPEED: u32 = 4;
const LANES: u32 = 16;

/// The bytes (`pci_regs.h`).
pub fn bytes(profile: &Profile) -> Vec<u8> {
    let mut bytes = vec![0; 256];
    let mut put = |at: usize, value: u32| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    put(0x00, 0x1002 | profile.device_id << 16);
    // Command: memory space, bus master. Status: a list of capabilities.
    put(0x04, 0x0006 | 0x0010 << 16);
    // A processing accelerator.
    put(0x08, profile.pci_revision | 0x12_0000 << 8);
    put(0x0c, 0x10);
    put(0x2c, 0x1002 | profile.subsystem << 16);
    put(0x34, EXPRESS_AT as u32);
    // Version 2, a legacy endpoint.
    put(EXPRESS_AT, EXPRESS | 0x0012 << 16);
    // Device: payloads of 256 bytes, extended tags, error reporting by role; reads of 512 bytes.
    put(EXPRESS_AT + 0x04, 0x8021);
    put(EXPRESS_AT + 0x08, 1 << 5 | 2 << 12);
    // Link: what it can and what it has.
    put(EXPRESS_AT + 0x0c, SPEED | LANES << 4);
    put(EXPRESS_AT + 0x10, (SPEED | LANES << 4) << 16);
    // Atomics of 32 and 64 bits, which it also asks for. Speeds up to this one.
    put(EXPRESS_AT + 0x24, 1 << 7 | 1 << 8);
    put(EXPRESS_AT + 0x28, 1 << 6);
    put(EXPRESS_AT + 0x2c, 0x1e);
    put(EXPRESS_AT + 0x30, SPEED);
    bytes
}
