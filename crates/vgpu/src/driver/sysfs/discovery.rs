//! The chip's IP blocks and their versions (`ip_discovery`), as `amdgpu_discovery.c` reads them from the chip's
//! discovery table. Chips before MI300 have no such table.

use super::tree::Directory;
use crate::hardware::profile::Profile;

/// NBIO, whose version tells a program how its registers are laid out. It is an MI300's (`nbio_v7_9.c`).
const NBIO: [u32; 3] = [7, 9, 0];

/// Adds the blocks of a card, of which `profile` is a partition or the whole, to its directory, `device`. The addresses
/// of their registers are omitted, because nothing here has them.
pub fn add(root: &mut Directory, profile: &Profile, device: &str) {
    let copy_engines = (profile.sdma_engines + profile.sdma_xgmi_engines) * profile.partitions;
    // Numbers and names of `soc15_hw_ip.h` and of `hw_id_names`.
    for (number, name, version, instances) in [
        (11, "GC", profile.gc_version, profile.xccs * profile.partitions),
        (42, "SDMA0", profile.sdma_version, copy_engines),
        (108, "NBIF", NBIO, 1),
    ] {
        let die = format!("sys/{device}/ip_discovery/die/0");
        root.link(&format!("{die}/{name}"), number.to_string());
        for instance in 0..instances {
            let fields = ["major", "minor", "revision"].into_iter().zip(version);
            let block = format!("{die}/{number}/{instance}");
            for (field, value) in fields.chain([("hw_id", number), ("num_instance", instance)]) {
                root.file(&format!("{block}/{field}"), format!("{value}\n"));
            }
            root.file(&format!("{block}/harvest"), "0x0\n");
        }
    }
}
