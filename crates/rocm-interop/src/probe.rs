//! What this machine offers.

use std::fmt;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

use hip_sys::Hip;
use kfd_topology::Node;

use crate::apis::layers::{HIP, HSA, Layer, Layers, OPENCL, matches_opencl};
use crate::apis::{device, libraries, runtime};
use crate::{Api, Device, DmaBuf, Libraries, OpenClDevice, PciAddress, Session};

/// A finding: what was looked at, and what it is or why it is not there.
pub type Finding = Result<String, String>;
/// Findings by name, in the order of the report.
pub type Findings = Vec<(&'static str, Finding)>;

/// What was found. [`Display`](fmt::Display) is the report for people, [`to_json`](Probe::to_json) the one for programs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Probe {
    /// The machine: driver and libraries.
    pub findings: Findings,
    /// Every GPU that at least one layer sees, by PCI address: what each layer calls it, and which ways of sharing work on it.
    pub gpus: Vec<(PciAddress, Findings)>,
}

impl Probe {
    /// Looks with this machine's libraries, which stay loaded. Each thing that is missing becomes a finding, not an error.
    ///
    /// The ways of sharing are tried: on each GPU an OpenCL queue, a HIP stream, a few KiB of memory and a small kernel are made and given
    /// back. HIP's current device of this thread is then the last GPU.
    ///
    /// A library that ends the process ends this one. The program `rocm-probe` looks in processes of its own ([`apart`](Probe::apart)).
    pub fn run() -> Probe {
        match Libraries::load() {
            Ok(libraries) => Probe::with(&Arc::new(libraries)),
            Err(error) => {
                // Another library may be the one that is missing.
                let hip = Hip::load().map_err(|error| error.to_string()).and_then(|hip| hip_version(&hip));
                Probe::of_driver(vec![("libraries", Err(error.to_string())), ("HIP library", hip)])
            }
        }
    }

    /// Looks for one API alone: its library, and what that sees.
    pub fn of(api: Api) -> Probe {
        let [library, devices] = names(api);
        let findings = match Libraries::alone(api) {
            Err(missing) => vec![(library, Err(missing.to_string()))],
            Ok(libraries) => {
                let (file, seen) = match api {
                    Api::OpenCl => (Ok(libraries.cl.library().to_owned()), count(&libraries.opencl_devices())),
                    Api::Hip | Api::Hiprtc => (hip_version(&libraries.hip), count(&libraries.hip_devices())),
                    Api::Hsa => (Ok(libraries.hsa.library().to_owned()), count(&libraries.hsa_gpus())),
                };
                vec![(library, file), (devices, seen)]
            }
        };
        Probe::new(findings, Vec::new())
    }

    /// What can be said where a process that asked all APIs was ended, for the reason `why`, most likely by one of their libraries. `ask` starts a process that looks for one API ([`of`](Probe::of)) and gives its
    /// report as text, or how that process ended.
    pub fn apart(why: String, ask: impl Fn(Api) -> Finding) -> Probe {
        let mut findings = Vec::new();
        for api in [Api::OpenCl, Api::Hip, Api::Hsa] {
            match ask(api) {
                Ok(report) => {
                    findings.extend(names(api).into_iter().filter_map(|name| Some((name, told(&report, name)?))))
                }
                Err(ended) => findings.push((names(api)[0], Err(ended))),
            }
        }
        findings.push(("all in one process", Err(why)));
        Probe::of_driver(findings)
    }

    /// The driver's part, which needs no library, before these.
    fn of_driver(others: Findings) -> Probe {
        let kfd = device::gpus();
        let findings = [vec![("KFD GPUs", count(&kfd))], others].concat();
        let gpus = kfd.unwrap_or_default().into_iter().map(|(pci, node)| (pci, vec![("KFD", Ok(driver(&node)))]));
        Probe::new(findings, gpus.collect())
    }

    fn new(findings: Findings, gpus: Vec<(PciAddress, Findings)>) -> Probe {
        let gpus = gpus.into_iter().map(|(pci, findings)| (pci, without_prefixes(findings))).collect();
        Probe { findings: without_prefixes(findings), gpus }
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

    /// Looks with libraries that the caller opened, as [`run`](Probe::run) does.
    pub fn with(libraries: &Arc<Libraries>) -> Probe {
        let layers = Layers::ask(libraries);
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
            (SEMAPHORES, external_semaphores(libraries)),
        ];
        let shared = Device::all(libraries).map_err(|error| error.to_string());
        let gpus = layers.places().into_iter().map(|at| (at, layers.gpu(at, &shared))).collect();
        Probe::new(findings, gpus)
    }

    /// One JSON object: `findings` has a key for each, with `ok` and `text`, and so has each of `gpus`, beside its `pci`; `verdict` has the [verdict](Probe::verdict) in the same form.
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

    /// A finding about the machine by name, `None` if the report has none of that name.
    pub fn get(&self, name: &str) -> Option<&Finding> {
        self.findings.iter().find(|(known, _)| *known == name).map(|(_, finding)| finding)
    }
}

impl fmt::Display for Probe {
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

/// The way of sharing by which the verdict goes.
const SHARED: &str = "coarse-grained SVM";
/// Not needed to share memory.
const SEMAPHORES: &str = "semaphores of other APIs";

/// What is found of an API: its library, and what that sees.
fn names(api: Api) -> [&'static str; 2] {
    match api {
        Api::OpenCl => ["OpenCL library", "OpenCL devices"],
        Api::Hip | Api::Hiprtc => ["HIP library", "HIP devices"],
        Api::Hsa => ["HSA library", "HSA GPUs"],
    }
}

/// What a report says of `name`, as [`list`] writes it: up to the next finding.
fn told(report: &str, name: &str) -> Option<Finding> {
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

impl Layers {
    /// Where GPUs are. OpenCL gives no domain, so its devices count only where the other layers see nothing.
    fn places(&self) -> Vec<PciAddress> {
        let kfd = self.kfd.iter().flatten().map(|(at, _)| *at);
        let hip = self.hip.iter().flatten().map(|(_, at)| *at);
        let mut places: Vec<PciAddress> = kfd.chain(hip).chain(self.hsa.iter().flatten().map(|(_, at)| *at)).collect();
        let known = places.clone();
        let elsewhere = self.opencl.iter().flatten().filter_map(|device| device.pci);
        places.extend(elsewhere.filter(|at| !known.iter().any(|place| matches_opencl(*place, *at))));
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
        let in_opencl = |device: &OpenClDevice| device.pci.is_some_and(|pci| matches_opencl(at, pci));
        let opencl = found(&self.opencl, in_opencl, || not_seen(OPENCL));
        let hip = found(&self.hip, |(_, pci)| *pci == at, || not_seen(HIP));
        let hsa = found(&self.hsa, in_hsa, || not_seen(HSA));
        let mut findings = vec![
            ("KFD", kfd),
            ("OpenCL", opencl.map(|(index, _)| format!("device {index}"))),
            ("HIP", hip.map(|(_, (ordinal, _))| format!("device {ordinal}"))),
            ("HSA", hsa.map(|(index, _)| format!("GPU {index}"))),
        ];
        let device = shared.clone().and_then(|shared| {
            let device = shared.into_iter().find(|device| device.pci() == at);
            device.ok_or_else(|| "not every layer sees this GPU, or OpenCL cannot tell it from another".to_owned())
        });
        let route = |check: fn(&Session) -> crate::Result<String>| -> Finding {
            let session = Session::open(device.as_ref().map_err(String::clone)?);
            let checked = session.and_then(|session| check(&session).and_then(|text| session.close().map(|_| text)));
            checked.map_err(|error| error.to_string())
        };
        let others = shared.iter().flatten().filter(|other| other.pci() != at);
        findings.push((SHARED, route(coarse_svm)));
        findings.push(("existing cl_mem", route(existing_mem)));
        findings.push(("memory of HIP", route(hip_memory)));
        findings.push(("dma-buf", route(dma_buf)));
        findings.push(("dma-buf into HIP", route(dma_buf_into_hip)));
        findings.push(("other processes", route(socket)));
        findings.push(("other processes by HIP", route(hips_handle)));
        findings.push(("fine-grained SVM", route(fine_svm)));
        findings.push(("managed memory", route(managed)));
        findings.push(("pages of the program", route(pages)));
        findings.push(("copy through the host", route(staged)));
        findings.push(("other GPUs", device.as_ref().map_err(String::clone).and_then(|own| other_gpus(own, others))));
        findings
    }
}

/// Number and value of the one that `wanted` accepts, or why it is not there.
fn found<T>(
    list: &crate::Result<Vec<T>>,
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

fn count<T>(found: &crate::Result<Vec<T>>) -> Finding {
    match found {
        Ok(found) if found.is_empty() => Err("none".to_owned()),
        Ok(found) => Ok(found.len().to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn hip_version(hip: &Hip) -> Finding {
    let (major, minor, patch) = libraries::hip_version(hip).map_err(|error| error.to_string())?;
    Ok(format!("{}, {major}.{minor}.{patch}", hip.library()))
}

fn one_runtime() -> Finding {
    match runtime::one() {
        Ok(Some(file)) => Ok(file),
        Ok(None) => Err("none is loaded as a library of its own".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Whether HIP imports semaphores of Vulkan, say. It is asked by a descriptor that is none, so nothing is made.
fn external_semaphores(libraries: &Libraries) -> Finding {
    let name = "hipImportExternalSemaphore";
    let null = std::fs::File::open("/dev/null").map_err(|error| format!("/dev/null: {error}"))?;
    let description = hip_sys::hipExternalSemaphoreHandleDesc {
        type_: hip_sys::hipExternalSemaphoreHandleType::hipExternalSemaphoreHandleTypeOpaqueFd,
        handle: hip_sys::hipExternalSemaphoreHandleDesc_st__bindgen_ty_1 { fd: null.as_raw_fd() },
        flags: 0,
        reserved: [0; 16],
    };
    let mut semaphore = std::ptr::null_mut();
    // SAFETY: writes one handle; the description is of an open file.
    let outcome =
        unsafe { crate::apis::call::call!(libraries.hip, hipImportExternalSemaphore(&mut semaphore, &description)) };
    match outcome {
        Err(crate::Error::Call { code: crate::Code::Hip(hip_sys::hipError_t::hipErrorNotSupported), .. }) => {
            libraries.forget_hips_error();
            Err(format!("HIP: {name} returned hipErrorNotSupported; wait for the other API's work on the host"))
        }
        Err(error) => Err(error.to_string()),
        Ok(()) => Err(format!("HIP: {name} took a file for one")),
    }
}

fn coarse_svm(session: &Session) -> crate::Result<String> {
    let buffer = session.allocate::<u32>(1024)?;
    let place = buffer.residency().place;
    buffer.close().map(|()| place.to_string())
}

fn hip_memory(session: &Session) -> crate::Result<String> {
    let buffer = session.allocate_hip::<u32>(1024)?;
    let place = buffer.residency().place;
    buffer.close().map(|()| format!("{place}; OpenCL's queue is flushed behind each kernel that uses it"))
}

/// More than the blocks of HSA's runtime have, so that no other buffer is in its buffer object.
const OBJECT: usize = 4 << 20;

fn dma_buf(session: &Session) -> crate::Result<String> {
    let original = session.allocate::<u8>(OBJECT)?;
    let imported = session.import::<u8>(&original.export()?)?;
    let place = imported.residency().place;
    imported.close()?;
    original.close().map(|()| format!("{place}; OpenCL's queue is flushed behind each kernel that uses it"))
}

fn dma_buf_into_hip(session: &Session) -> crate::Result<String> {
    let original = session.allocate::<u8>(OBJECT)?;
    let imported = session.import_hip::<u8>(&original.export()?)?;
    let place = imported.residency().place;
    imported.close()?;
    original.close().map(|()| format!("{place}; OpenCL's queue is flushed behind each kernel that uses it"))
}

fn socket(session: &Session) -> crate::Result<String> {
    let (here, there) = UnixStream::pair().map_err(|reason| dmabuf_channel::Error::Socket { reason })?;
    let original = session.allocate::<u8>(OBJECT)?;
    original.export()?.send(&here)?;
    let imported = session.import::<u8>(&DmaBuf::receive(&there, Duration::from_secs(10))?)?;
    let place = imported.residency().place;
    imported.close()?;
    original.close().map(|()| format!("{place}; by dma-bufs over a Unix socket"))
}

fn hips_handle(session: &Session) -> crate::Result<String> {
    let original = session.allocate_hip::<u8>(OBJECT)?;
    let (place, _handle) = (original.residency().place, original.ipc_handle()?);
    original.close().map(|()| format!("{place}; a handle was made, and only another process can open it"))
}

fn fine_svm(session: &Session) -> crate::Result<String> {
    let buffer = session.allocate_host::<u32>(1024)?;
    let place = buffer.residency().place;
    buffer.close().map(|()| place.to_string())
}

fn managed(session: &Session) -> crate::Result<String> {
    let buffer = session.allocate_managed::<u32>(1024)?;
    let place = buffer.residency().place;
    buffer.close().map(|()| format!("{place}; OpenCL's queue is flushed behind each kernel that uses it"))
}

fn pages(session: &Session) -> crate::Result<String> {
    let page = rustix::param::page_size();
    let mut memory = vec![0u8; 2 * page];
    let start = memory.as_ptr().align_offset(page);
    let whole = NonNull::from(&mut memory[start..start + page]);
    // SAFETY: used by nobody else. `memory` stays where it is until the view is closed, and then for ever if that fails.
    let closed = unsafe { session.view_pages::<u8>(whole) }.and_then(|view| {
        let place = view.residency().place;
        view.close().map(|()| place.to_string())
    });
    if closed.is_err() {
        std::mem::forget(memory);
    }
    closed
}

/// The data is looked at too, as this way has no address that could be asked about.
fn staged(session: &Session) -> crate::Result<String> {
    const DATA: [u32; 4] = [1, 2, 3, 4];
    let mut from = session.allocate::<u32>(4)?;
    from.write(&DATA)?;
    let mut to = session.allocate_hip::<u32>(4)?;
    let moved = from.copy_staged(&mut to, &mut [0; 4])?;
    let (to, mut end) = (to.into_opencl()?, [0; 4]);
    to.read(&mut end)?;
    to.close()?;
    from.close()?;
    if end != DATA {
        let reason = format!("{DATA:?} arrived as {end:?}");
        return Err(crate::Error::Argument { subject: "a copy through the host", reason });
    }
    Ok(format!("{} bytes went down and {} up for {} shared", moved.down, moved.up, size_of_val(&DATA)))
}

/// Which of the others' memory a GPU can use, and why not the rest.
fn other_gpus<'d>(own: &Device, others: impl Iterator<Item = &'d Device>) -> Finding {
    let uses = |other: &Device| -> crate::Result<()> {
        let (user, owner) = (Session::open(own)?, Session::open(other)?);
        owner.allocate::<u32>(1024)?.into_session(&user)?.close()?;
        crate::apis::call::first([user.close().map(drop), owner.close().map(drop)])
    };
    let (mut usable, mut refused) = (Vec::new(), Vec::new());
    for other in others {
        match uses(other) {
            Ok(()) => usable.push(format!("uses memory of GPU {}", other.pci())),
            Err(error) => refused.push(error.to_string()),
        }
    }
    match (usable.is_empty(), refused.is_empty()) {
        (true, true) => Err("there is none that every layer sees".to_owned()),
        (true, false) => Err(refused.join("; ")),
        (false, _) => Ok([usable, refused].concat().join("; ")),
    }
}

fn existing_mem(session: &Session) -> crate::Result<String> {
    let null = std::ptr::null_mut();
    let (cl, flags) = (&session.0.libraries.cl, cl_sys::CL_MEM_READ_WRITE);
    // SAFETY: a plain buffer of the session's context, released below.
    let mem = unsafe { crate::apis::call::create!(cl, clCreateBuffer(session.context(), flags, 4096, null)) }?;
    // SAFETY: made above, used by nobody else.
    let view = unsafe { session.view::<u32>(mem) };
    // SAFETY: made above; the view holds it.
    let released = unsafe { crate::apis::call::call!(cl, clReleaseMemObject(mem)) };
    let view = match (view, released) {
        (Ok(view), Ok(())) => view,
        (Err(error), released) => {
            crate::apis::call::log(released);
            return Err(error);
        }
        (Ok(_), Err(error)) => return Err(error),
    };
    let place = view.residency().place;
    view.close().map(|()| place.to_string())
}

#[cfg(test)]
mod tests {
    use super::{Api, Layers, OpenClDevice, PciAddress, Probe};

    #[test]
    fn reports_say_the_same_to_people_and_programs() {
        let at = PciAddress { domain: 0, bus: 3, device: 0, function: 0 };
        let findings = vec![("a", Ok("b \"c\" \\".to_owned())), ("d", Err("e\nf".to_owned()))];
        let probe = Probe { findings: findings.clone(), gpus: vec![(at, findings)] };
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
        let ask = |api| match api {
            Api::OpenCl => {
                Ok("yes  OpenCL library: libOpenCL.so.1\nyes  OpenCL devices: 1\nno   verdict: none\n".to_owned())
            }
            Api::Hip => Err("signal: 6 (SIGABRT)".to_owned()),
            _ => Ok("no   HSA library: not there. Tried:\n  a\n  b\nno   verdict: none\n".to_owned()),
        };
        let probe = Probe::apart("it was ended by signal: 6 (SIGABRT)".to_owned(), ask);
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
        let probe = Probe::new(findings, Vec::new());
        assert_eq!(probe.get("HIP devices"), Some(&Err("f returned code 1".to_owned())));
        assert_eq!(probe.get("dma-buf"), Some(&Err("HIP: g".to_owned())));
    }

    #[test]
    fn a_gpu_that_only_opencl_sees_is_not_lost_and_no_gpu_is_there_twice() {
        let place = |domain, bus| PciAddress { domain, bus, device: 0, function: 0 };
        use std::ptr::null_mut;
        let device = |bus| OpenClDevice { platform: null_mut(), device: null_mut(), pci: Some(place(0, bus)) };
        let layers = Layers {
            kfd: Err(crate::Error::NoDevice(String::new())),
            opencl: Ok(vec![device(4), device(9), OpenClDevice { pci: None, ..device(1) }]),
            hip: Ok(vec![(0, place(2, 4))]),
            hsa: Ok([place(2, 4), place(2, 1)].map(|at| (hsa_sys::hsa_agent_t { handle: 1 }, at)).into()),
        };
        assert_eq!(layers.places(), [place(0, 9), place(2, 1), place(2, 4)]);
    }
}
