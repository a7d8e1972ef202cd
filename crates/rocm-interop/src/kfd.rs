//! GPUs of the kernel driver, as its topology in sysfs has them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::{Error, PciAddress, Result};

const NODES: &str = "/sys/class/kfd/kfd/topology/nodes";

/// A GPU of the kernel driver (KFD).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KfdGpu {
    /// Number of its node in the topology.
    pub node: u32,
    /// What the driver's requests call it.
    pub gpu_id: u32,
    /// Where it is.
    pub pci: PciAddress,
}

impl KfdGpu {
    /// All GPUs whose properties this process may read, by node. No library is asked, and no environment variable hides any.
    ///
    /// # Errors
    /// [`Error::Topology`] names the file that cannot be read or understood.
    pub fn all() -> Result<Vec<KfdGpu>> {
        KfdGpu::all_in(Path::new(NODES))
    }

    fn all_in(nodes: &Path) -> Result<Vec<KfdGpu>> {
        let mut gpus = Vec::new();
        for entry in fs::read_dir(nodes).map_err(|reason| topology(nodes, reason))? {
            let folder = entry.map_err(|reason| topology(nodes, reason))?.path();
            let Some(node) = folder.file_name().and_then(|name| name.to_str()?.parse().ok()) else { continue };
            gpus.extend(read(&folder, node)?);
        }
        gpus.sort_by_key(|gpu| gpu.node);
        Ok(gpus)
    }
}

/// The GPU of a node; `None` if it is a CPU, or a GPU that is not this process's to use.
fn read(folder: &Path, node: u32) -> Result<Option<KfdGpu>> {
    let (id, properties) = (folder.join("gpu_id"), folder.join("properties"));
    // The driver refuses both to a process whose device cgroup excludes the GPU.
    let Some(gpu_id) = text(&id)? else { return Ok(None) };
    let Some(text) = text(&properties)? else { return Ok(None) };
    let gpu_id = gpu_id.trim().parse().map_err(|_| malformed(&id))?;
    if gpu_id == 0 {
        return Ok(None);
    }
    let property = |name: &str| -> Result<u32> {
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok());
        value.ok_or_else(|| malformed(&properties))
    };
    let pci = PciAddress::from_bdf(property("domain")?, property("location_id")?);
    Ok(Some(KfdGpu { node, gpu_id, pci }))
}

fn text(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        Err(reason) => Err(topology(path, reason)),
    }
}

fn topology(path: &Path, reason: io::Error) -> Error {
    Error::Topology { path: PathBuf::from(path), reason }
}

fn malformed(path: &Path) -> Error {
    topology(path, io::Error::new(io::ErrorKind::InvalidData, "no number where the driver writes one"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::{Error, KfdGpu, PciAddress, fs};

    /// The driver refuses to read what is not this process's.
    #[test]
    fn gpus_of_others_are_left_out_and_other_errors_told() {
        let folder = std::env::temp_dir().join(format!("rocm-interop-topology-of-others-{}", std::process::id()));
        for (node, gpu_id) in [("1", "55"), ("2", "77")] {
            let node = folder.join(node);
            fs::create_dir_all(&node).expect("a folder");
            fs::write(node.join("gpu_id"), gpu_id).expect("gpu_id");
            fs::write(node.join("properties"), "location_id 0\ndomain 0\n").expect("properties");
        }
        let set_mode = |mode| fs::set_permissions(folder.join("1/gpu_id"), fs::Permissions::from_mode(mode));
        set_mode(0).expect("chmod");
        let found = std::thread::scope(|scope| {
            let as_nobody = scope.spawn(|| {
                // Root reads all files. SAFETY: changes whom the kernel takes this thread for when it opens files, no other thread.
                unsafe { libc::setfsuid(65534) };
                KfdGpu::all_in(&folder)
            });
            as_nobody.join().expect("no panic")
        });
        assert_eq!(found.expect("a topology").iter().map(|gpu| gpu.gpu_id).collect::<Vec<_>>(), [77]);

        set_mode(0o600).expect("chmod");
        fs::remove_file(folder.join("1/gpu_id")).expect("removed");
        fs::create_dir(folder.join("1/gpu_id")).expect("a folder");
        let error = KfdGpu::all_in(&folder).expect_err("a folder is no number");
        assert!(matches!(&error, Error::Topology { path, .. } if path.ends_with("1/gpu_id")), "{error}");
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn gpus_are_read_and_cpus_left_out() {
        let folder = std::env::temp_dir().join(format!("rocm-interop-topology-{}", std::process::id()));
        let write = |node: &str, gpu_id: &str, properties: &str| {
            let node = folder.join(node);
            fs::create_dir_all(&node).expect("a folder");
            fs::write(node.join("gpu_id"), gpu_id).expect("gpu_id");
            fs::write(node.join("properties"), properties).expect("properties");
        };
        write("0", "0\n", "cpu_cores_count 8\nlocation_id 0\ndomain 0\n");
        write("10", "77\n", "simd_count 480\nlocation_id 50688\ndomain 1\n");
        write("2", "55\n", "simd_count 480\nlocation_id 779\ndomain 0\n");
        let place = |domain, bus, device, function| PciAddress { domain, bus, device, function };
        let gpus = [
            KfdGpu { node: 2, gpu_id: 55, pci: place(0, 3, 1, 3) },
            KfdGpu { node: 10, gpu_id: 77, pci: place(1, 0xc6, 0, 0) },
        ];
        assert_eq!(KfdGpu::all_in(&folder).expect("a topology"), gpus);

        write("3", "99\n", "simd_count 480\ndomain 0\n");
        let error = KfdGpu::all_in(&folder).expect_err("no location").to_string();
        assert!(error.contains("/3/properties"), "{error}");
        fs::remove_dir_all(&folder).expect("removed");
        let error = KfdGpu::all_in(&folder).expect_err("no topology").to_string();
        assert!(error.contains("is the amdgpu driver loaded?"), "{error}");
    }
}
