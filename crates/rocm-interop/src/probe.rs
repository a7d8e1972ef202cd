//! What this machine offers, without changing anything.

use std::fmt;
use std::sync::Arc;

use crate::{Device, Libraries, PciAddress, Session};

/// A finding: what was looked at, and what it is or why it is not there.
pub type Finding = Result<String, String>;

/// What was found. [`Display`](fmt::Display) is the report for people, [`to_json`](Probe::to_json) the one for programs.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Libraries, devices and routes, in the order of the report.
    pub findings: Vec<(&'static str, Finding)>,
}

impl Probe {
    /// Looks with this machine's libraries. Each thing that is missing becomes a finding, not an error.
    pub fn run() -> Probe {
        match Libraries::load() {
            Ok(libraries) => Probe::with(&Arc::new(libraries)),
            Err(error) => Probe { findings: vec![("KFD", kfd()), ("libraries", Err(error.to_string()))] },
        }
    }

    /// Looks with libraries that the caller opened.
    pub fn with(libraries: &Arc<Libraries>) -> Probe {
        let mut findings = vec![("KFD", kfd())];
        findings.push(("OpenCL library", Ok(libraries.cl.library().to_owned())));
        findings.push(("HIP library", hip_version(libraries)));
        findings.push(("HSA library", Ok(libraries.hsa.library().to_owned())));
        findings.push((
            "OpenCL devices",
            devices(libraries.opencl_devices().map(|found| {
                found
                    .into_iter()
                    .map(|device| device.pci.map_or("not AMD's".to_owned(), |pci| pci.to_string()))
                    .collect()
            })),
        ));
        let pci = |list: Vec<PciAddress>| list.iter().map(PciAddress::to_string).collect();
        let hip = libraries.hip_devices().map(|found| pci(found.into_iter().map(|(_, at)| at).collect()));
        findings.push(("HIP devices", devices(hip)));
        let hsa = libraries.hsa_gpus().map(|found| pci(found.into_iter().map(|(_, at)| at).collect()));
        findings.push(("HSA GPUs", devices(hsa)));
        let shared = Device::all(libraries);
        // After enumeration, so that OpenCL's implementation is loaded.
        findings.push(("one HSA runtime", one_runtime()));
        match shared {
            Ok(shared) => {
                findings.push(("shared devices", devices(Ok(shared.iter().map(|d| d.pci.to_string()).collect()))));
                if let Some(&device) = shared.first() {
                    findings.push(("M1 coarse-grained SVM", route(libraries, device, m1)));
                    findings.push(("M2 existing cl_mem", route(libraries, device, m2)));
                }
            }
            Err(error) => findings.push(("shared devices", Err(error.to_string()))),
        }
        findings.push(("M3 to M7", Err("this crate does not have these routes yet".to_owned())));
        Probe { findings }
    }

    /// One JSON object: a key for each finding, with `ok` and `text`.
    pub fn to_json(&self) -> String {
        let finding = |(name, finding): &(&str, Finding)| {
            let (ok, text) = match finding {
                Ok(text) => (true, text),
                Err(text) => (false, text),
            };
            format!("  {}: {{\"ok\": {ok}, \"text\": {}}}", quoted(name), quoted(text))
        };
        format!("{{\n{}\n}}", self.findings.iter().map(finding).collect::<Vec<_>>().join(",\n"))
    }

    /// A finding by name.
    pub fn get(&self, name: &str) -> Option<&Finding> {
        self.findings.iter().find(|(known, _)| *known == name).map(|(_, finding)| finding)
    }
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.findings.iter().try_for_each(|(name, finding)| match finding {
            Ok(text) => writeln!(f, "yes  {name}: {text}"),
            Err(text) => writeln!(f, "no   {name}: {text}"),
        })
    }
}

fn quoted(text: &str) -> String {
    let mut json = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if c < ' ' => json.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json + "\""
}

fn devices(found: crate::Result<Vec<String>>) -> Finding {
    match found {
        Ok(found) if found.is_empty() => Err("none".to_owned()),
        Ok(found) => Ok(found.join(", ")),
        Err(error) => Err(error.to_string()),
    }
}

fn hip_version(libraries: &Libraries) -> Finding {
    let mut version = 0;
    // SAFETY: writes one int.
    let outcome = unsafe { crate::call::call!(libraries.hip, hipRuntimeGetVersion(&mut version)) };
    outcome.map_err(|error| error.to_string())?;
    Ok(format!(
        "{}, {}.{}.{}",
        libraries.hip.library(),
        version / 10_000_000,
        version / 100_000 % 100,
        version % 100_000
    ))
}

/// GPUs of the kernel driver, by its topology.
fn kfd() -> Finding {
    const NODES: &str = "/sys/class/kfd/kfd/topology/nodes";
    let nodes = std::fs::read_dir(NODES).map_err(|error| format!("{NODES}: {error}; is the amdgpu driver loaded?"))?;
    let mut gpus = Vec::new();
    for node in nodes {
        let path = node.map_err(|error| format!("{NODES}: {error}"))?.path().join("properties");
        let properties = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let property = |name: &str| -> Option<u32> {
            properties.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
        };
        if property("simd_count").unwrap_or(0) != 0 && property("cpu_cores_count") == Some(0) {
            let pci = PciAddress::from_bdf(property("domain").unwrap_or(0), property("location_id").unwrap_or(0));
            gpus.push(pci.to_string());
        }
    }
    gpus.sort();
    devices(Ok(gpus))
}

/// Two HSA runtimes in a process have two address spaces.
fn one_runtime() -> Finding {
    let maps = std::fs::read_to_string("/proc/self/maps").map_err(|error| format!("/proc/self/maps: {error}"))?;
    let mut files: Vec<&str> = maps
        .lines()
        .filter_map(|line| line.find('/').map(|at| &line[at..]))
        .filter(|file| file.contains("libhsa-runtime64"))
        .collect();
    files.sort_unstable();
    files.dedup();
    match files.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => Err("none is loaded".to_owned()),
        several => Err(format!("{}; memory of one is unknown to the other", several.join(" and "))),
    }
}

fn route(libraries: &Arc<Libraries>, device: Device, check: fn(&Session) -> crate::Result<String>) -> Finding {
    Session::open(libraries.clone(), device).and_then(|session| check(&session)).map_err(|error| error.to_string())
}

fn m1(session: &Session) -> crate::Result<String> {
    let buffer = session.allocate::<u32>(1024)?;
    Ok(format!("memory of GPU {}", buffer.residency().gpu))
}

fn m2(session: &Session) -> crate::Result<String> {
    let null = std::ptr::null_mut();
    let flags = cl_sys::CL_MEM_READ_WRITE;
    // SAFETY: a plain buffer of the session's context, released below; the view ends before.
    let mem =
        unsafe { crate::call::create!(session.libraries.cl, clCreateBuffer(session.context, flags, 4096, null)) }?;
    // SAFETY: made above, used by nobody else.
    let found = unsafe { session.view::<u32>(mem) }.map(|view| format!("memory of GPU {}", view.residency().gpu));
    // SAFETY: made above.
    unsafe { crate::call::call!(session.libraries.cl, clReleaseMemObject(mem)) }?;
    found
}
