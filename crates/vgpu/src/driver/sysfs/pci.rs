//! The GPUs' folders and files as PCI and DRM devices: `/sys/devices/pci*`, `/sys/class/drm`, `/sys/dev/char`, `/dev`.
//!
//! Of the driver's files about the state of a GPU there are those that are true here; those of power management are in
//! `power.rs`.

use super::config_space;
use super::discovery;
use super::power;
use super::topology::unique_id;
use super::tree::{Directory, Node};
use crate::driver::config::Config;
use crate::driver::device;
use crate::hardware::profile::Profile;

/// Major number of DRM devices.
pub const DRM_MAJOR: u32 = 226;
/// Major number of `/dev/kfd`, from the range for dynamic allocation.
pub const KFD_MAJOR: u32 = 236;

/// Adds the devices of `config` to the tree's root.
pub fn add(root: &mut Directory, config: &Config) {
    root.insert("dev/kfd", Node::Device { major: KFD_MAJOR, minor: 0 });
    root.link("sys/dev/char/236:0", "../../devices/virtual/kfd/kfd");
    let mut partition_devices = 0;
    for card in config.cards() {
        gpu(root, config, card.start);
        // What the first partition is, the card is; each other one has a device of its own, of a driver for nothing
        // else (`amdgpu_xcp_drm_dev_alloc`).
        for index in card.skip(1) {
            partition(root, index, partition_devices);
            partition_devices += 1;
        }
    }
}

/// The card whose first GPU is `index`.
fn gpu(root: &mut Directory, config: &Config, index: u32) {
    let profile = config.profile(index);
    let vram_bytes: u64 = config.card(index).map(|partition| config.vram_bytes(partition)).sum();
    let cpus = cpus();
    let slot = format!("0000:{:02x}:00.0", config.pci_bus(index));
    let device = format!("devices/pci0000:20/{slot}");
    let sys = format!("sys/{device}");
    let (id, subsystem) = (profile.device_id, profile.subsystem);
    let files = [
        ("vendor", "0x1002\n".to_owned()),
        ("device", format!("{:#06x}\n", profile.device_id)),
        ("subsystem_vendor", "0x1002\n".to_owned()),
        ("subsystem_device", format!("{subsystem:#06x}\n")),
        ("revision", format!("{:#04x}\n", profile.pci_revision)),
        ("class", "0x120000\n".to_owned()),
        ("unique_id", format!("{:016x}\n", unique_id(index))),
        ("numa_node", "-1\n".to_owned()),
        ("mem_info_vram_total", format!("{vram_bytes}\n")),
        ("mem_info_vis_vram_total", format!("{vram_bytes}\n")),
        ("local_cpulist", format!("{cpus}\n")),
        ("local_cpus", format!("{}\n", mask(&cpus))),
        ("irq", "0\n".to_owned()),
        ("enable", "1\n".to_owned()),
        ("current_link_speed", "16.0 GT/s PCIe\n".to_owned()),
        ("current_link_width", "16\n".to_owned()),
        ("max_link_speed", "16.0 GT/s PCIe\n".to_owned()),
        ("max_link_width", "16\n".to_owned()),
        ("modalias", format!("pci:v00001002d{id:08X}sv00001002sd{subsystem:08X}bc12sc00i00\n")),
        // Six base address registers, the ROM, six of virtual functions, four windows of bridges: none.
        ("resource", "0x0000000000000000 0x0000000000000000 0x0000000000000000\n".repeat(17)),
        // rocm-smi takes no card for a GPU without one. An MI100's own is a part number of its board.
        ("vbios_version", "vgpu\n".to_owned()),
        ("fw_version/mec_fw_version", format!("{:#010x}\n", profile.firmware)),
        ("fw_version/mec2_fw_version", format!("{:#010x}\n", profile.firmware)),
        ("fw_version/sdma_fw_version", format!("{:#010x}\n", profile.sdma_firmware)),
        ("fw_version/sdma2_fw_version", format!("{:#010x}\n", profile.sdma_firmware)),
        (
            "uevent",
            format!(
                "DRIVER=amdgpu\nPCI_CLASS=120000\nPCI_ID=1002:{id:04X}\nPCI_SUBSYS_ID=1002:{subsystem:04X}\nPCI_SLOT_NAME={slot}\n"
            ),
        ),
    ];
    for (name, content) in files {
        root.file(&format!("{sys}/{name}"), content);
    }
    root.file(&format!("{sys}/config"), config_space::bytes(profile));
    for name in ["mem_info_vram_used", "mem_info_vis_vram_used"] {
        root.insert(&format!("{sys}/{name}"), Node::Live { read: vram_used, gpu: index });
    }
    if profile.xccs * profile.partitions > 1 {
        partitions(root, &sys, profile);
        discovery::add(root, profile, &device);
    }
    power::add(root, profile, index, &device, &slot);
    root.link(&format!("{sys}/driver"), "../../../bus/pci/drivers/amdgpu");
    root.link(&format!("{sys}/subsystem"), "../../../bus/pci");
    drm(root, &device, &slot, index);
    root.link(&format!("sys/bus/pci/devices/{slot}"), format!("../../../{device}"));
    root.link(&format!("sys/bus/pci/drivers/amdgpu/{slot}"), format!("../../../../{device}"));
}

/// Bytes of the memory of the card whose first GPU is `index` that are taken.
fn vram_used(index: u32) -> Vec<u8> {
    let card = Config::get().map_or(index..index + 1, |config| config.card(index));
    format!("{}\n", card.map(device::vram_taken).sum::<u64>()).into()
}

/// The device of the partition that is GPU `index`, the `number`-th such device of the machine.
fn partition(root: &mut Directory, index: u32, number: u32) {
    let name = format!("amdgpu_xcp_{number}");
    let device = format!("devices/platform/{name}");
    root.file(&format!("sys/{device}/uevent"), format!("MODALIAS=platform:{name}\n"));
    root.file(&format!("sys/{device}/modalias"), format!("platform:{name}\n"));
    root.link(&format!("sys/{device}/subsystem"), "../../../bus/platform");
    drm(root, &device, &name, index);
}

/// The DRM nodes of GPU `index`, below its device.
fn drm(root: &mut Directory, device: &str, slot: &str, index: u32) {
    let sys = format!("sys/{device}");
    let render = Config::render_minor(index);
    for (name, minor) in [(format!("card{index}"), index), (format!("renderD{render}"), render)] {
        let node = format!("{sys}/drm/{name}");
        root.file(&format!("{node}/dev"), format!("{DRM_MAJOR}:{minor}\n"));
        root.file(
            &format!("{node}/uevent"),
            format!("MAJOR={DRM_MAJOR}\nMINOR={minor}\nDEVNAME=dri/{name}\nDEVTYPE=drm_minor\n"),
        );
        root.link(&format!("{node}/device"), format!("../../../{slot}"));
        root.link(&format!("{node}/subsystem"), "../../../../../class/drm");
        root.link(&format!("sys/class/drm/{name}"), format!("../../{device}/drm/{name}"));
        root.link(&format!("sys/dev/char/{DRM_MAJOR}:{minor}"), format!("../../{device}/drm/{name}"));
    }
    // The primary node is not served: no display, and compute clients use the render node.
    root.insert(&format!("dev/dri/renderD{render}"), Node::Device { major: DRM_MAJOR, minor: render });
}

/// How a card of several XCCs is divided (`amdgpu_gfx.c` and `amdgpu_gmc.c`), which stays so here; its memory is not.
fn partitions(root: &mut Directory, sys: &str, profile: &Profile) {
    for (name, content) in [
        ("current_compute_partition", profile.mode()),
        ("available_compute_partition", "SPX, DPX, QPX, CPX"),
        ("current_memory_partition", "NPS1"),
    ] {
        root.file(&format!("{sys}/{name}"), format!("{content}\n"));
    }
}

/// The processors that are near: all, as a list of ranges.
fn cpus() -> String {
    let online = crate::real::read_file(c"/sys/devices/system/cpu/online");
    let text = online.and_then(|text| String::from_utf8(text).ok()).map(|text| text.trim().to_owned());
    text.filter(|text| !text.is_empty()).unwrap_or_else(|| "0".to_owned())
}

/// A list of ranges as the kernel writes masks: words of 32 bits in hexadecimal, the highest first.
fn mask(list: &str) -> String {
    let mut words: Vec<u32> = vec![0];
    for range in list.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) else { continue };
        for cpu in first..=last {
            words.resize(words.len().max(cpu / 32 + 1), 0);
            words[cpu / 32] |= 1 << (cpu % 32);
        }
    }
    words.iter().rev().map(|word| format!("{word:08x}")).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_have_a_bit_for_each_processor() {
        assert_eq!(mask("0-1"), "00000003");
        assert_eq!(mask("0,2-3,33"), "00000002,0000000d");
        assert_eq!(mask("0-127"), "ffffffff,ffffffff,ffffffff,ffffffff");
    }
}
