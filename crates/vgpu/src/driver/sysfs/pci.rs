//! The GPUs as PCI and DRM devices: `/sys/devices/pci*`, `/sys/class/drm`, `/sys/dev/char`, `/sys/module/amdgpu`, `/dev`.

use super::topology::unique_id;
use super::tree::{Directory, Node};
use crate::driver::config::Config;

/// Major number of DRM devices.
pub const DRM_MAJOR: u32 = 226;
/// Major number of `/dev/kfd`, from the range for dynamic allocation.
pub const KFD_MAJOR: u32 = 236;

/// Adds the devices of `config` to the tree's root.
pub fn add(root: &mut Directory, config: &Config) {
    root.insert("dev/kfd", Node::Device { major: KFD_MAJOR, minor: 0 });
    let module = root.directory("sys/module/amdgpu", false);
    module.file("initstate", "live\n");
    module.file("version", "6.10.5\n");
    module.file("refcnt", "0\n");
    module.directory("parameters", false);
    root.link("sys/dev/char/236:0", "../../devices/virtual/kfd/kfd");
    for index in 0..config.gpus {
        gpu(root, config, index);
    }
}

fn gpu(root: &mut Directory, config: &Config, index: u32) {
    let profile = config.profile;
    let slot = format!("0000:{:02x}:00.0", Config::pci_bus(index));
    let device = format!("devices/pci0000:20/{slot}");
    let sys = format!("sys/{device}");
    let render = Config::render_minor(index);
    let files = [
        ("vendor", "0x1002\n".to_owned()),
        ("device", format!("{:#06x}\n", profile.device_id)),
        ("subsystem_vendor", "0x1002\n".to_owned()),
        ("subsystem_device", "0x0c34\n".to_owned()),
        ("revision", format!("{:#04x}\n", profile.pci_revision)),
        ("class", "0x120000\n".to_owned()),
        ("unique_id", format!("{:016x}\n", unique_id(index))),
        ("numa_node", "-1\n".to_owned()),
        ("mem_info_vram_total", format!("{}\n", config.vram_bytes())),
        ("mem_info_vis_vram_total", format!("{}\n", config.vram_bytes())),
        (
            "uevent",
            format!(
                "DRIVER=amdgpu\nPCI_CLASS=120000\nPCI_ID=1002:{:04X}\nPCI_SUBSYS_ID=1002:0C34\nPCI_SLOT_NAME={slot}\n",
                profile.device_id
            ),
        ),
    ];
    for (name, content) in files {
        root.file(&format!("{sys}/{name}"), content);
    }
    root.link(&format!("{sys}/driver"), "../../../bus/pci/drivers/amdgpu");
    root.link(&format!("{sys}/subsystem"), "../../../bus/pci");
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
    root.link(&format!("sys/bus/pci/devices/{slot}"), format!("../../../{device}"));
    root.link(&format!("sys/bus/pci/drivers/amdgpu/{slot}"), format!("../../../../{device}"));
    // The primary node is not served: no display, and compute clients use the render node.
    root.insert(&format!("dev/dri/renderD{render}"), Node::Device { major: DRM_MAJOR, minor: render });
}
