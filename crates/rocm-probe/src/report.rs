//! What this machine offers, as text and as JSON.

#[path = "report/alone.rs"]
mod alone;
#[path = "report/ways.rs"]
mod ways;

use std::fmt;
use std::sync::Arc;

use rocm_interop::sys::hip_sys::Hip;
use rocm_interop::sys::hip_sys::compat::CallError;
use rocm_interop::sys::hsa_sys::hsa_agent_t;
use rocm_interop::sys::kfd_topology::{Node, Topology};
use rocm_interop::sys::{Api, Code, PciAddress};
use rocm_interop::{Device, Error, Libraries};
use rocm_loader::visibility::{HIP, HSA, Layer, OPENCL};
use ways::SHARED;

/// A finding: what was looked at, and what it is or why it is not there.
pub type Finding = Result<String, String>;
/// Findings by name, in the order of the report.
pub type Findings = Vec<(&'static str, Finding)>;

/// What was found. [`Display`](fmt::Display) is the report for people, [`to_json`](Report::to_json) the one for
/// programs.
#[derive(Clone, Debug)]
pub struct Report {
    /// The machine: driver and libraries.
    pub findings: Findings,
    /// Every GPU that at least one layer sees, by PCI address: what each layer calls it, and which ways of sharing work
    /// on it.
    pub gpus: Vec<(PciAddress, Findings)>,
}

impl Report {
    /// Asks this machine's libraries, which stay loaded. Each thing that is missing becomes a finding, not an error.
    ///
    /// The ways of sharing are tried: on each GPU an OpenCL queue, a HIP stream, a few KiB of memory and a small kernel
    /// are made and given back. A library that ends the process ends this one.
    pub fn run() -> Report {
        match Libraries::load() {
            Ok(libraries) => Report::with(&Arc::new(libraries)),
            Err(error) => {
                // Another library may be the one that is missing.
                let hip = Hip::load().map_err(|error| error.to_string()).and_then(|hip| hip_version(&hip));
                Report::of_driver(vec![("libraries", Err(error.to_string())), ("HIP library", hip)])
            }
        }
    }

    /// Asks one API alone: its library, and what that sees.
    pub fn of(api: Api) -> Report {
        let [library, devices] = names(api);
        let findings = match alone::ask(api) {
            Err(missing) => vec![(library, Err(missing))],
            Ok((file, seen)) => vec![(library, Ok(file)), (devices, seen)],
        };
        Report::new(findings, Vec::new())
    }

    /// What can be said where a process that asked all APIs gave no report, for the reason `why`: most likely one of
    /// their libraries ended it, or hangs. `alone` has the report of a process that asked one API ([`of`](Report::of)),
    /// as text, or why there is none.
    pub fn apart(why: String, alone: impl IntoIterator<Item = (Api, Finding)>) -> Report {
        let mut findings = Vec::new();
        for (api, report) in alone {
            match report {
                Ok(report) => {
                    findings.extend(names(api).into_iter().filter_map(|name| Some((name, finding_in(&report, name)?))))
                }
                Err(ended) => findings.push((names(api)[0], Err(ended))),
            }
        }
        findings.push(("all in one process", Err(why)));
        Report::of_driver(findings)
    }

    /// The driver's part, which needs no library, before these.
    fn of_driver(others: Findings) -> Report {
        let kfd = gpus();
        let findings = [vec![("KFD GPUs", count(&kfd))], others].concat();
        let gpus = kfd.unwrap_or_default().into_iter().map(|(pci, node)| (pci, vec![("KFD", Ok(driver(&node)))]));
        Report::new(findings, gpus.collect())
    }

    fn new(findings: Findings, gpus: Vec<(PciAddress, Findings)>) -> Report {
        let gpus = gpus.into_iter().map(|(pci, findings)| (pci, without_prefixes(findings))).collect();
        Report { findings: without_prefixes(findings), gpus }
    }

    /// In a line: on how many GPUs OpenCL and HIP share memory, or the first thing that is missing for that.
    pub fn verdict(&self) -> Finding {
        let shares = |findings: &Findings| findings.iter().any(|(name, finding)| *name == SHARED && finding.is_ok());
        let sharing = self.gpus.iter().filter(|(_, findings)| shares(findings)).count();
        if sharing > 0 {
            return Ok(format!("OpenCL and HIP share memory on {sharing} of {} GPUs", self.gpus.len()));
        }
        let all = self.findings.iter().chain(self.gpus.iter().flat_map(|(_, findings)| findings));
        let missing = all
            .filter(|(name, _)| *name != SEMAPHORES)
            .find_map(|(name, finding)| Some((name, finding.as_ref().err()?)));
        let why = missing.map(|(name, why)| format!(": {name}: {}", why.lines().next().unwrap_or_default()));
        Err(format!("OpenCL and HIP share no memory{}", why.unwrap_or_default()))
    }

    /// Asks libraries that the caller opened, as [`run`](Report::run) does.
    pub fn with(libraries: &Arc<Libraries>) -> Report {
        let layers = Layers {
            kfd: gpus(),
            opencl: libraries.opencl_devices().map(|devices| devices.iter().map(|device| device.pci).collect()),
            hip: libraries.hip_devices(),
            hsa: libraries.hsa_gpus(),
        };
        let findings = vec![
            ("KFD GPUs", count(&layers.kfd)),
            ("OpenCL library", Ok(libraries.cl.library().to_owned())),
            ("OpenCL devices", count(&layers.opencl)),
            ("HIP library", hip_version(&libraries.hip)),
            ("HIP devices", count(&layers.hip)),
            ("HSA library", Ok(libraries.hsa.library().to_owned())),
            ("HSA GPUs", count(&layers.hsa)),
            // After enumeration, so that OpenCL's implementation is loaded.
            ("one HSA runtime", one_runtime()),
            (SEMAPHORES, ways::external_semaphores(libraries)),
        ];
        let shared = Device::all(libraries).map_err(|error| error.to_string());
        let gpus = layers.places().into_iter().map(|at| (at, layers.gpu(at, &shared))).collect();
        Report::new(findings, gpus)
    }

    /// One JSON object: `findings` has a key for each, with `ok` and `text`, and so has each of `gpus`, next to its
    /// `pci`; `verdict` has the [verdict](Report::verdict) in the same form.
    pub fn to_json(&self) -> String {
        let gpus = self.gpus.iter().map(|(pci, findings)| {
            format!("    {{\"pci\": {}, \"findings\": {}}}", quoted(&pci.to_string()), object(findings, "      "))
        });
        let gpus: Vec<String> = gpus.collect();
        let (findings, verdict) = (object(&self.findings, "    "), answer(&self.verdict()));
        format!(
            "{{\n  \"findings\": {findings},\n  \"gpus\": [\n{}\n  ],\n  \"verdict\": {verdict}\n}}",
            gpus.join(",\n")
        )
    }

    /// A finding about the machine by name.
    #[cfg(test)]
    pub fn get(&self, name: &str) -> Option<&Finding> {
        self.findings.iter().find(|(known, _)| *known == name).map(|(_, finding)| finding)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list(f, &self.findings, "")?;
        self.gpus.iter().try_for_each(|(pci, findings)| {
            writeln!(f, "GPU {pci}")?;
            list(f, findings, "  ")
        })?;
        list(f, &vec![("verdict", self.verdict())], "")
    }
}

fn list(f: &mut fmt::Formatter<'_>, findings: &Findings, indent: &str) -> fmt::Result {
    findings.iter().try_for_each(|(name, finding)| match finding {
        Ok(text) => writeln!(f, "{indent}yes  {name}: {text}"),
        Err(text) => writeln!(f, "{indent}no   {name}: {text}"),
    })
}

fn object(findings: &Findings, indent: &str) -> String {
    let member = |(name, finding): &(&str, Finding)| format!("{indent}{}: {}", quoted(name), answer(finding));
    let members: Vec<String> = findings.iter().map(member).collect();
    format!("{{\n{}\n{}}}", members.join(",\n"), &indent[2..])
}

fn answer(finding: &Finding) -> String {
    let (ok, text) = match finding {
        Ok(text) => (true, text),
        Err(text) => (false, text),
    };
    format!("{{\"ok\": {ok}, \"text\": {}}}", quoted(text))
}

/// Not needed to share memory.
const SEMAPHORES: &str = "semaphores of other APIs";

/// What is found of an API: its library, and what that sees.
fn names(api: Api) -> [&'static str; 2] {
    match api {
        Api::OpenCl => ["OpenCL library", "OpenCL devices"],
        Api::Hsa => ["HSA library", "HSA GPUs"],
        _ => ["HIP library", "HIP devices"],
    }
}

/// What a report says of `name`, as [`list`] writes it: up to the next finding.
fn finding_in(report: &str, name: &str) -> Option<Finding> {
    let (yes, no) = (format!("yes  {name}: "), format!("no   {name}: "));
    let mut lines = report.lines().skip_while(|line| !line.starts_with(&yes) && !line.starts_with(&no));
    let first = lines.next()?;
    let rest = lines.take_while(|line| !line.starts_with("yes  ") && !line.starts_with("no   "));
    let text = [&first[yes.len()..]].into_iter().chain(rest).collect::<Vec<_>>().join("\n");
    Some(if first.starts_with(&yes) { Ok(text) } else { Err(text) })
}

/// An error begins with its API, which the finding's name says already.
fn without_prefixes(findings: Findings) -> Findings {
    let without = |(name, finding): (&'static str, Finding)| {
        let api = name.split(' ').next().unwrap_or(name);
        let strip = |text: String| text.strip_prefix(&format!("{api}: ")).map(str::to_owned).unwrap_or(text);
        (name, finding.map_err(strip))
    };
    findings.into_iter().map(without).collect()
}

/// What each layer enumerates, or why it does not.
struct Layers {
    kfd: rocm_interop::Result<Vec<(PciAddress, Node)>>,
    /// Where its devices are, of those that say so.
    opencl: rocm_interop::Result<Vec<Option<PciAddress>>>,
    hip: rocm_interop::Result<Vec<(i32, PciAddress)>>,
    hsa: rocm_interop::Result<Vec<(hsa_agent_t, PciAddress)>>,
}

/// The driver's GPUs. No library is asked, and no environment variable hides any.
fn gpus() -> rocm_interop::Result<Vec<(PciAddress, Node)>> {
    let topology = Topology::read().map_err(Error::Topology)?;
    Ok(topology.gpus_by_address().map(|(address, node)| (address, node.clone())).collect())
}

impl Layers {
    /// Where GPUs are. OpenCL gives no domain, so its devices count only where the other layers see nothing.
    fn places(&self) -> Vec<PciAddress> {
        let kfd = self.kfd.iter().flatten().map(|(at, _)| *at);
        let hip = self.hip.iter().flatten().map(|(_, at)| *at);
        let mut places: Vec<PciAddress> = kfd.chain(hip).chain(self.hsa.iter().flatten().map(|(_, at)| *at)).collect();
        let known = places.clone();
        let elsewhere = self.opencl.iter().flatten().flatten().copied();
        places.extend(elsewhere.filter(|at| !known.iter().any(|place| place.is_same_without_domain(*at))));
        places.sort_unstable();
        places.dedup();
        places
    }

    fn gpu(&self, at: PciAddress, shared: &Result<Vec<Device>, String>) -> Findings {
        let in_hsa = |(_, pci): &(_, PciAddress)| *pci == at;
        // What HSA does not see, the layers above it do not either.
        let hsa_sees = self.hsa.iter().flatten().any(in_hsa);
        let not_seen = |layer: Layer| {
            let layer = if hsa_sees { layer } else { HSA };
            format!("not seen; {}", layer.why(|name| std::env::var_os(name)))
        };
        let kfd = found(&self.kfd, |(pci, _)| *pci == at, || "not seen".to_owned()).map(|(_, (_, node))| driver(node));
        let in_opencl = |place: &Option<PciAddress>| place.is_some_and(|place| at.is_same_without_domain(place));
        let opencl = found(&self.opencl, in_opencl, || not_seen(OPENCL));
        let hip = found(&self.hip, |(_, pci)| *pci == at, || not_seen(HIP));
        let hsa = found(&self.hsa, in_hsa, || not_seen(HSA));
        let mut findings = vec![
            ("KFD", kfd),
            ("OpenCL", opencl.map(|(index, _)| format!("device {index}"))),
            ("HIP", hip.map(|(_, (ordinal, _))| format!("device {ordinal}"))),
            ("HSA", hsa.map(|(index, _)| format!("GPU {index}"))),
        ];
        let device = shared.as_ref().map_err(String::clone).and_then(|shared| {
            let device = shared.iter().find(|device| device.pci() == at);
            device.ok_or_else(|| "not every layer sees this GPU, or OpenCL cannot tell it from another".to_owned())
        });
        findings.extend(ways::all(device, shared.as_deref().unwrap_or_default()));
        findings
    }
}

/// Number and value of the one that `wanted` accepts, or why it is not there.
fn found<T>(
    list: &rocm_interop::Result<Vec<T>>,
    wanted: impl Fn(&T) -> bool,
    why_not: impl Fn() -> String,
) -> Result<(usize, &T), String> {
    let list = list.as_ref().map_err(ToString::to_string)?;
    list.iter().enumerate().find(|(_, one)| wanted(one)).ok_or_else(why_not)
}

fn driver(node: &Node) -> String {
    format!("node {}, gpu_id {}", node.number(), node.gpu_id())
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

fn count<T>(found: &rocm_interop::Result<Vec<T>>) -> Finding {
    match found {
        Ok(found) if found.is_empty() => Err("none".to_owned()),
        Ok(found) => Ok(found.len().to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn hip_version(hip: &Hip) -> Finding {
    let advised = |error| match error {
        CallError::Hip { function: call, error } => Error::Call { call, code: Code::Hip(error) }.to_string(),
        error => error.to_string(),
    };
    let (major, minor, patch) = hip.version().map_err(advised)?;
    Ok(format!("{}, {major}.{minor}.{patch}", hip.library()))
}

fn one_runtime() -> Finding {
    let mut files = rocm_loader::loaded_hsa_runtimes().map_err(|error| format!("/proc/self/maps: {error}"))?;
    if files.len() > 1 {
        return Err(Error::SeveralRuntimes { files }.to_string());
    }
    files.pop().ok_or_else(|| "none is loaded as a library of its own".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Api, Layers, PciAddress, Report, hsa_agent_t};

    #[test]
    fn reports_say_the_same_to_people_and_programs() {
        let at = PciAddress { domain: 0, bus: 3, device: 0, function: 0 };
        let findings = vec![("a", Ok("b \"c\" \\".to_owned())), ("d", Err("e\nf".to_owned()))];
        let probe = Report { findings: findings.clone(), gpus: vec![(at, findings)] };
        let text = "yes  a: b \"c\" \\\nno   d: e\nf\nGPU 0000:03:00.0\n  yes  a: b \"c\" \\\n  no   d: e\nf\n\
                    no   verdict: OpenCL and HIP share no memory: d: e\n";
        assert_eq!(probe.to_string(), text);
        let json = probe.to_json();
        let (yes, no) = (r#""a": {"ok": true, "text": "b \"c\" \\"}"#, r#""d": {"ok": false, "text": "e\u000af"}"#);
        assert_eq!((json.matches(yes).count(), json.matches(no).count()), (2, 2), "{json}");
        assert!(json.contains(r#"{"pci": "0000:03:00.0", "findings": {"#), "{json}");
        assert_eq!(
            (probe.get("a").map(Result::is_ok), probe.get("d").map(Result::is_ok), probe.get("x")),
            (Some(true), Some(false), None)
        );
    }

    /// As where HIP and OpenCL bring two copies of LLVM.
    #[test]
    fn the_report_goes_on_where_a_library_ends_a_process() {
        let opencl = "yes  OpenCL library: libOpenCL.so.1\nyes  OpenCL devices: 1\nno   verdict: none\n";
        let hsa = "no   HSA library: not there. Tried:\n  a\n  b\nno   verdict: none\n";
        let alone = [
            (Api::OpenCl, Ok(opencl.to_owned())),
            (Api::Hip, Err("signal: 6 (SIGABRT)".to_owned())),
            (Api::Hsa, Ok(hsa.to_owned())),
        ];
        let probe = Report::apart("it was ended by signal: 6 (SIGABRT)".to_owned(), alone);
        assert_eq!(probe.get("OpenCL library"), Some(&Ok("libOpenCL.so.1".to_owned())));
        assert_eq!(probe.get("OpenCL devices"), Some(&Ok("1".to_owned())));
        assert_eq!(probe.get("HIP library"), Some(&Err("signal: 6 (SIGABRT)".to_owned())));
        assert_eq!(probe.get("HSA library"), Some(&Err("not there. Tried:\n  a\n  b".to_owned())));
        assert!(probe.get("KFD GPUs").is_some() && probe.get("HSA GPUs").is_none());
        assert!(matches!(probe.get("all in one process"), Some(Err(why)) if why.ends_with("6 (SIGABRT)")));
        let report = probe.to_string();
        assert!(
            report
                .lines()
                .last()
                .is_some_and(|line| line.starts_with("no   verdict: OpenCL and HIP share no memory: ")),
            "{report}"
        );
    }

    #[test]
    fn a_name_is_not_said_twice() {
        let findings =
            vec![("HIP devices", Err("HIP: f returned code 1".to_owned())), ("dma-buf", Err("HIP: g".to_owned()))];
        let probe = Report::new(findings, Vec::new());
        assert_eq!(probe.get("HIP devices"), Some(&Err("f returned code 1".to_owned())));
        assert_eq!(probe.get("dma-buf"), Some(&Err("HIP: g".to_owned())));
    }

    #[test]
    fn a_gpu_that_only_opencl_sees_is_not_lost_and_no_gpu_is_there_twice() {
        let place = |domain, bus| PciAddress { domain, bus, device: 0, function: 0 };
        let layers = Layers {
            kfd: Err(super::Error::NoDevice(String::new())),
            opencl: Ok(vec![Some(place(0, 4)), Some(place(0, 9)), None]),
            hip: Ok(vec![(0, place(2, 4))]),
            hsa: Ok([place(2, 4), place(2, 1)].map(|at| (hsa_agent_t { handle: 1 }, at)).into()),
        };
        assert_eq!(layers.places(), [place(0, 9), place(2, 1), place(2, 4)]);
    }
}
