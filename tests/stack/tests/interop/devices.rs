//! M9: one GPU has one PCI address in OpenCL, HIP, HSA and KFD, however each of them numbers it.
use std::ffi::CStr;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use rocm_interop::hip::HipModule;
use rocm_interop::memory::Place;
use rocm_interop::sys::PciAddress;
use rocm_interop::sys::kfd_topology::{Node, Topology};
use rocm_interop::{Buffer, Device, Libraries, OpenCl, Session};
use serde_json::Value;
use stack_tests::{TraceFile, on_vgpu, run_tests};

use crate::report::Report;
use crate::{HIP, N, both_sides, ran_alone, session, some_mem};

/// The driver's.
fn gpus() -> Vec<Node> {
    Topology::read().expect("KFD").gpus().cloned().collect()
}

/// Checks each device and says on standard output what the layers call it and where its buffers are, for
/// [`m9_two_gpus_in_any_order`], which runs this test on two GPUs.
#[test]
fn m9_devices_match_by_pci_address() {
    needs_amd_opencl!();
    // On one core, the test's name stands before what it says, on the same line.
    println!();
    let libraries = Arc::new(Libraries::load().expect("libraries"));
    let (opencl, hip) = (libraries.opencl_devices().expect("OpenCL"), libraries.hip_devices().expect("HIP"));
    let (hsa, kfd) = (libraries.hsa_gpus().expect("HSA"), gpus());
    let devices = Device::all(&libraries).expect("devices");
    if std::env::vars_os().all(|(name, _)| !name.to_string_lossy().contains("_DEVICE")) {
        assert_eq!(devices.len(), kfd.len(), "nothing hides a GPU");
    }
    let open = |device: &Device| Session::open(device).expect("session");
    let sessions: Vec<Session> = devices.iter().map(open).collect();
    for (session, device) in sessions.iter().zip(&devices) {
        let in_opencl = opencl.iter().position(|one| one.device == device.opencl()).expect("an OpenCL device");
        assert_eq!(PciAddress { domain: 0, ..device.pci() }, opencl[in_opencl].pci.expect("a PCI address"));
        assert!(hip.contains(&(device.hip(), device.pci())));
        let in_hsa = hsa.iter().position(|(agent, _)| agent.handle == device.hsa().handle).expect("an HSA agent");
        assert_eq!(hsa[in_hsa].1, device.pci());
        assert!(kfd.iter().any(|node| node.gpu_id() == device.kfd().gpu_id()));
        assert_eq!(device.kfd().pci_address(), Some(device.pci()));
        println!("gpu {} opencl {in_opencl} hip {} hsa {in_hsa}", device.kfd().gpu_id(), device.hip());

        let svm = session.allocate::<u32>(N).expect("allocate");
        // SAFETY: just made, used through the view only, and released below, when the view holds it.
        let view = unsafe {
            let mem = some_mem(session, &libraries.cl, cl_sys::CL_MEM_READ_WRITE);
            let view = session.view::<u32>(mem).expect("view");
            libraries.cl.clReleaseMemObject(mem).expect("clReleaseMemObject");
            view
        };
        for buffer in [svm, view] {
            lands(session, &sessions, buffer);
        }
    }
    default_streams(&sessions);
}

/// On a GPU of its own: other tests take memory too.
#[test]
fn a_device_says_what_it_is_and_how_much_is_free() {
    needs_amd_opencl!();
    if ran_alone("devices::a_device_says_what_it_is_and_how_much_is_free", &[]) {
        return;
    }
    const BYTES: usize = 64 << 20;
    let session = session();
    let device = session.device();
    assert_eq!(device.isa().expect("HSA"), stack_tests::isa());
    let mut name = [0u8; 256];
    // SAFETY: room as stated.
    let code = unsafe { device.libraries().hip.hipDeviceGetName(name.as_mut_ptr().cast(), 256, device.hip()) };
    assert_eq!(code.expect("HIP"), hip_sys::hipError_t::hipSuccess);
    let name = CStr::from_bytes_until_nul(&name).expect("HIP ends it").to_str().expect("ASCII");
    assert!(!name.is_empty());
    assert_eq!(device.name().expect("HSA"), name);
    let before = device.available_memory().expect("HSA");
    let buffer = session.allocate::<u8>(BYTES).expect("allocate");
    let taken = before - device.available_memory().expect("HSA");
    // The runtime may take some of its own with it.
    assert!((BYTES..BYTES + BYTES / 2).contains(&(taken as usize)), "{taken}");
    drop(buffer);
}

/// The default stream is that of HIP's current device, which is the last session's when the first one waits.
fn default_streams(owners: &[Session]) {
    const LONG: usize = 1 << 20;
    let libraries = Arc::new(Libraries::load().expect("libraries"));
    let null = std::ptr::null_mut();
    // SAFETY: live handles of the owners, which outlive the guests; null is the default stream.
    let guest = |owner: &Session| unsafe { Session::from_raw(&libraries, owner.context(), owner.queue(), null) };
    let guests: Vec<Session> = owners.iter().map(|owner| guest(owner).expect("from_raw")).collect();
    let modules: Vec<_> = guests.iter().map(|guest| HipModule::build(guest, HIP).expect("module")).collect();
    let mut busy = Vec::new();
    for (guest, module) in guests.iter().zip(&modules) {
        let mut buffer = guest.allocate::<u32>(LONG).expect("allocate");
        buffer.write(&vec![7; LONG]).expect("write");
        busy.push((buffer.into_hip().expect("hand-over"), module.kernel("triple").expect("kernel")));
    }
    // The first has work for longer than the last, whose stream would be done too early.
    let times = |number: usize| if number == 0 { 8 } else { 1 };
    for (number, (buffer, triple)) in busy.iter().enumerate() {
        // SAFETY: one work-item an element.
        let launch = || unsafe { triple.launch((LONG / 64) as u32, 64, 0, &[buffer.into()]) };
        (0..times(number)).for_each(|_| launch().expect("launch"));
    }
    for (number, (buffer, _)) in busy.into_iter().enumerate() {
        let mut end = vec![0; LONG];
        buffer.into_opencl().expect("hand-over").read(&mut end).expect("read");
        let want = 7 * 3u32.pow(times(number));
        assert!(end.iter().all(|&value| value == want), "handed over before HIP was done");
    }
}

fn lands(session: &Session, sessions: &[Session], buffer: Buffer<u32, OpenCl>) {
    let (device, residency) = (session.device(), buffer.residency());
    assert_eq!(residency.place, Place::Gpu(device.pci()));
    println!("buffer {} gpu {}", buffer.address(), device.kfd().gpu_id());
    for other in sessions.iter().filter(|other| other.device().pci() != device.pci()) {
        let error = other.residency(buffer.address(), N * 4).expect_err("another GPU's memory").to_string();
        assert!(error.contains(&format!("it is memory of GPU {}, not of the GPU at", device.pci())), "{error}");
    }
    both_sides(session, buffer).expect("both sides");
}

/// What the test above said about one GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Said {
    gpu: u64,
    opencl: u64,
    hip: u64,
    hsa: u64,
}

/// Runs the test above on two GPUs with these variables. Checks by the device's own trace that its buffers are where it
/// says.
fn said(number: usize, variables: &[(&str, &str)]) -> Vec<Said> {
    let trace = TraceFile::new(&format!("m9-{number}"));
    let options = [&["--gpus", "2"], &trace.options()[..]].concat();
    let mut command = on_vgpu(&options, std::env::current_exe().expect("this test"));
    command.envs(variables.iter().copied());
    let output = run_tests(&mut command, &["devices::m9_devices_match_by_pci_address"], Duration::from_secs(120));
    let trace = trace.read();
    let words: Vec<Vec<&str>> = output.lines().map(|line| line.split(' ').collect()).collect();
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let mut said = Vec::new();
    for line in words {
        match line[..] {
            ["gpu", gpu, "opencl", opencl, "hip", hip, "hsa", hsa] => {
                said.push(Said { gpu: number(gpu), opencl: number(opencl), hip: number(hip), hsa: number(hsa) });
            }
            ["buffer", address, "gpu", gpu] => {
                assert_eq!(driver_put(&trace, number(address)), number(gpu), "{output:?}")
            }
            _ => {}
        }
    }
    // Escaped: the totals of that run are not those of this one.
    assert_eq!(output.matches("buffer ").count(), 2 * said.len(), "{output:?}");
    said
}

/// The GPU whose memory the driver was last asked for at `address`.
fn driver_put(trace: &str, address: u64) -> u64 {
    const VRAM: u64 = 1;
    let allocation = |line: &str| -> Option<u64> {
        let event: Value = serde_json::from_str(line).expect("a line of JSON");
        let arguments = event["args"].as_str().filter(|_| event["name"] == "ALLOC_MEMORY_OF_GPU")?;
        let argument = |name: &str| -> u64 {
            let value = arguments.split(", ").find_map(|pair| pair.strip_prefix(name)?.strip_prefix(": "));
            value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {name} in {line}"))
        };
        let start = argument("va_addr");
        let contains = (start..start + argument("size")).contains(&address);
        (contains && argument("flags") & VRAM != 0).then(|| argument("gpu_id"))
    };
    trace
        .lines()
        .filter_map(allocation)
        .next_back()
        .unwrap_or_else(|| panic!("no GPU memory was asked for at {address:#x}"))
}

#[test]
fn m9_two_gpus_in_any_order() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    let plain = said(0, &[]);
    let [first, second] = plain[..] else { panic!("two GPUs: {plain:?}") };
    assert_ne!(first.gpu, second.gpu);
    let numbered = |numbers: [(u64, u64, u64); 2]| {
        let one = |said: Said, (opencl, hip, hsa)| Said { opencl, hip, hsa, ..said };
        [one(first, numbers[0]), one(second, numbers[1])]
    };
    assert_eq!(plain, numbered([(0, 0, 0), (1, 1, 1)]));

    let (rocr, hip, opencl) = ("ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL");
    // The result is in HIP's order.
    let [a, b] = numbered([(1, 1, 1), (0, 0, 0)]);
    assert_eq!(said(1, &[(rocr, "1,0")]), [b, a]);
    let [a, b] = numbered([(0, 1, 0), (1, 0, 1)]);
    assert_eq!(said(2, &[(hip, "1,0")]), [b, a]);
    assert_eq!(said(3, &[(opencl, "1,0")]), numbered([(1, 0, 0), (0, 1, 1)]));
    assert_eq!(said(4, &[(rocr, "1,0"), (hip, "1,0")]), numbered([(1, 0, 1), (0, 1, 0)]));
    // One GPU is hidden from one layer, or a different one from each.
    let [_, b] = numbered([(0, 0, 0), (1, 0, 1)]);
    assert_eq!(said(5, &[(hip, "1")]), [b]);
    let [_, b] = numbered([(0, 0, 0), (0, 1, 1)]);
    assert_eq!(said(6, &[(opencl, "1")]), [b]);
    let [_, b] = numbered([(0, 0, 0), (0, 0, 0)]);
    assert_eq!(said(7, &[(rocr, "1")]), [b]);
    assert_eq!(said(8, &[(hip, "0"), (opencl, "1")]), []);
    // HIP sees none, which is no failure of HIP's.
    assert_eq!(said(9, &[(hip, "-1")]), []);
}

/// By itself again with each variable, as the libraries read these once.
#[test]
fn a_hidden_gpu_is_named_with_the_layer_and_the_variable() {
    const HIDDEN: &str = "STACK_TESTS_HIDDEN";
    needs_amd_opencl!();
    if let Ok(expected) = std::env::var(HIDDEN) {
        let libraries = Arc::new(Libraries::load().expect("libraries"));
        let error = Device::first(&libraries).expect_err("all are hidden").to_string();
        let (layer, variable) = expected.split_once(' ').expect("both");
        let first = gpus()[0].pci_address().expect("a GPU");
        assert!(error.contains(&format!(": {layer} does not see GPU {first}")), "{error}");
        assert!(error.ends_with(&format!(": {variable} is set; run `rocm-probe` for details")), "{error}");
        return assert_eq!(Device::all(&libraries).expect("no call fails").len(), 0);
    }
    for (layer, variable, value) in [
        ("HSA", "ROCR_VISIBLE_DEVICES", "-1"),
        ("HIP", "HIP_VISIBLE_DEVICES", "-1"),
        ("HIP", "CUDA_VISIBLE_DEVICES", "-1"),
        ("OpenCL", "GPU_DEVICE_ORDINAL", "-1"),
        ("OpenCL", "OCL_ICD_VENDORS", "/nowhere"),
    ] {
        let mut command = Command::new(std::env::current_exe().expect("this test"));
        command.env(HIDDEN, format!("{layer} {variable}={value}")).env(variable, value);
        let test = "devices::a_hidden_gpu_is_named_with_the_layer_and_the_variable";
        run_tests(&mut command, &[test], Duration::from_secs(120));
    }
}

#[test]
fn m8_probe_reports_routes_as_text_and_json() {
    needs_amd_opencl!();
    let probe = Report::run();
    for name in ["KFD GPUs", "OpenCL devices", "HIP devices", "HSA GPUs", "one HSA runtime"] {
        assert!(matches!(probe.get(name), Some(Ok(_))), "{name}:\n{probe}");
    }
    let semaphores = probe.get("semaphores of other APIs");
    assert!(matches!(semaphores, Some(Err(why)) if why.contains("returned hipErrorNotSupported")), "{probe}");
    let report = probe.to_string();
    let is_id = |word: &str| {
        word.len() > 1 && word.starts_with(['M', 'Y', 'C']) && word[1..].bytes().all(|b| b.is_ascii_digit())
    };
    let ids: Vec<&str> = report.split(|c: char| !c.is_alphanumeric()).filter(|word| is_id(word)).collect();
    assert_eq!(ids, [""; 0], "ids of this project's scenarios are nothing to users");
    let gpus = gpus();
    assert_eq!(probe.gpus.len(), gpus.len(), "{probe}");
    let hides = std::env::var_os("HIP_VISIBLE_DEVICES").is_some();
    for (gpu, (pci, findings)) in gpus.iter().zip(&probe.gpus) {
        assert_eq!(gpu.pci_address(), Some(*pci));
        let names: Vec<&str> = findings.iter().map(|(name, _)| *name).collect();
        let ways = [
            "coarse-grained SVM",
            "existing cl_mem",
            "memory of HIP",
            "dma-buf",
            "dma-buf into HIP",
            "other processes",
            "other processes by HIP",
            "fine-grained SVM",
            "managed memory",
            "pages of the program",
            "copy through the host",
            "other GPUs",
        ];
        assert_eq!(names, [&["KFD", "OpenCL", "HIP", "HSA"][..], &ways].concat());
        let hidden = hides && gpu.number() != gpus[0].number();
        for (name, finding) in findings {
            if *name == "other GPUs" {
                assert_eq!(finding.is_ok(), gpus.len() > 1 && !hides, "{probe}");
                continue;
            }
            assert_eq!(finding.is_ok(), !hidden || ["KFD", "OpenCL", "HSA"].contains(name), "{name}:\n{probe}");
        }
    }
    same_in_json(&probe);
}

fn same_in_json(probe: &Report) {
    let json: Value = serde_json::from_str(&probe.to_json()).expect("JSON");
    let same = |json: &Value, findings: &[(&str, Result<String, String>)]| {
        assert_eq!(json.as_object().expect("an object").len(), findings.len());
        for (name, finding) in findings {
            let (ok, text) = match finding {
                Ok(text) => (true, text),
                Err(text) => (false, text),
            };
            assert_eq!((json[name]["ok"].as_bool(), json[name]["text"].as_str()), (Some(ok), Some(text.as_str())));
        }
    };
    same(&json["findings"], &probe.findings);
    let gpus = json["gpus"].as_array().expect("an array");
    assert_eq!(gpus.len(), probe.gpus.len());
    for (json, (pci, findings)) in gpus.iter().zip(&probe.gpus) {
        assert_eq!(json["pci"], pci.to_string());
        same(&json["findings"], findings);
    }
}

/// The probe's test again, with two GPUs, and with one of them hidden from HIP.
#[test]
fn m8_probe_reports_every_gpu() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    for variables in [&[][..], &[("HIP_VISIBLE_DEVICES", "0")]] {
        let mut command = on_vgpu(&["--gpus", "2"], std::env::current_exe().expect("this test"));
        let test = "devices::m8_probe_reports_routes_as_text_and_json";
        run_tests(command.envs(variables.iter().copied()), &[test], Duration::from_secs(300));
    }
}
