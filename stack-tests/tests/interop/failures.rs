//! Every call that `rocm-interop` makes, failing: a named error each, and nothing kept.
use std::collections::BTreeSet;
use std::error::Error as StdError;
use std::sync::Arc;

use cl_sys::{Cl, cl_mem};
use hip_sys::{Hip, Hiprtc};
use hsa_sys::Hsa;
use rocm_interop::{Device, Error, HipModule, Libraries, OpenClProgram, Probe, Session};
use stack_tests::{Stack, stack};

use crate::shims::{self, Counts, OWNED};
use crate::{N, both_sides, open, some_mem};

/// The functions that `rocm-interop` calls, and the code that they fail with.
const CALLS: [(&str, &[&str]); 5] = [
    (
        "CL_OUT_OF_RESOURCES",
        &[
            "clBuildProgram",
            "clCreateBuffer",
            "clCreateCommandQueue",
            "clCreateContext",
            "clCreateKernel",
            "clCreateProgramWithSource",
            "clEnqueueNDRangeKernel",
            "clEnqueueReadBuffer",
            "clEnqueueSVMMemcpy",
            "clEnqueueWriteBuffer",
            "clFinish",
            "clGetCommandQueueInfo",
            "clGetContextInfo",
            "clGetDeviceIDs",
            "clGetDeviceInfo",
            "clGetMemObjectInfo",
            "clGetPlatformIDs",
            "clGetProgramBuildInfo",
            "clReleaseCommandQueue",
            "clReleaseContext",
            "clReleaseKernel",
            "clReleaseMemObject",
            "clReleaseProgram",
            "clRetainCommandQueue",
            "clRetainContext",
            "clRetainMemObject",
            "clSetKernelArg",
            "clSetKernelArgSVMPointer",
        ],
    ),
    // These have no code.
    ("NULL", &["clSVMAlloc", "clSVMFree"]),
    (
        "hipErrorUnknown",
        &[
            "hipDeviceGetPCIBusId",
            "hipGetDeviceCount",
            "hipModuleGetFunction",
            "hipModuleLaunchKernel",
            "hipModuleLoadData",
            "hipModuleUnload",
            "hipRuntimeGetVersion",
            "hipSetDevice",
            "hipStreamCreate",
            "hipStreamDestroy",
            "hipStreamSynchronize",
        ],
    ),
    (
        "HIPRTC_ERROR_INTERNAL_ERROR",
        &[
            "hiprtcCompileProgram",
            "hiprtcCreateProgram",
            "hiprtcDestroyProgram",
            "hiprtcGetCode",
            "hiprtcGetCodeSize",
            "hiprtcGetProgramLog",
            "hiprtcGetProgramLogSize",
        ],
    ),
    (
        "HSA_STATUS_ERROR_OUT_OF_RESOURCES",
        &["hsa_agent_get_info", "hsa_amd_pointer_info", "hsa_init", "hsa_iterate_agents", "hsa_shut_down"],
    ),
];

/// Giving back: called by destructors, whose errors have nobody to go to.
const UNHEARD: [&str; 8] = [
    "clReleaseCommandQueue",
    "clReleaseContext",
    "clReleaseKernel",
    "clReleaseProgram",
    "clSVMFree",
    "hipModuleUnload",
    "hipStreamDestroy",
    "hsa_shut_down",
];

/// Called by destructors, or after an error which is the one to tell, and elsewhere.
const SOMETIMES_HEARD: [&str; 4] = ["clFinish", "clReleaseMemObject", "hipStreamSynchronize", "hiprtcDestroyProgram"];

/// A buffer object of somebody else.
struct Existing<'c>(&'c Cl, cl_mem);

impl Drop for Existing<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `some_mem`, released once.
        _ = unsafe { self.0.clReleaseMemObject(self.1) };
    }
}

type Outcome = Result<(), Box<dyn StdError>>;

/// All that `rocm-interop` does, in parts, through the shims. They get the OpenCL library itself.
const PARTS: [fn(&Cl) -> Outcome; 4] = [allocated, viewed, broken_kernels, probed];

fn allocated(_: &Cl) -> Outcome {
    let session = open(shims::libraries()?)?;
    Ok(both_sides(&session, session.allocate(N)?)?)
}

fn viewed(cl: &Cl) -> Outcome {
    let libraries = Arc::new(shims::libraries()?);
    let device = *Device::all(&libraries)?.first().ok_or("no device")?;
    let owner = Session::open(libraries.clone(), device)?;
    let existing = Existing(cl, some_mem(&owner, cl, cl_sys::CL_MEM_READ_WRITE));
    // SAFETY: handles of the owner, which outlives the guest.
    let guest = unsafe { Session::from_raw(libraries, owner.context(), owner.queue(), owner.stream()) }?;
    // SAFETY: of the same context, used through the view only.
    Ok(both_sides(&guest, unsafe { guest.view(existing.1) }?)?)
}

fn broken_kernels(_: &Cl) -> Outcome {
    let session = open(shims::libraries()?)?;
    compile_error(OpenClProgram::build(&session, "kernel void broken(", "").map(drop))?;
    compile_error(HipModule::build(&session, "__global__ void broken(").map(drop))
}

fn probed(_: &Cl) -> Outcome {
    for (what, finding) in Probe::with(&Arc::new(shims::libraries()?)).findings {
        match finding {
            Err(reason) if what != "M3 to M7" => return Err(format!("{what}: {reason}").into()),
            _ => {}
        }
    }
    Ok(())
}

/// Success is that the compiler's log was read.
fn compile_error(outcome: Result<(), Error>) -> Outcome {
    match outcome {
        Err(Error::Compile { log, .. }) if log.contains("error: expected") => Ok(()),
        Err(error) => Err(error.into()),
        Ok(()) => Err("a broken kernel compiled".into()),
    }
}

/// Everything that was taken was given back.
fn assert_balanced(counts: &Counts, context: &str) {
    for (what, takes, gives_back) in OWNED {
        let count = |function: &str| counts.get(function).copied().unwrap_or_default();
        let taken: usize = takes.iter().map(|function| count(function).succeeded).sum();
        assert_eq!(taken, count(gives_back).made, "{context}: {what} taken and given back");
    }
}

/// The first and the last call of each function in each part.
#[test]
fn every_call_that_fails_is_named_and_nothing_leaks() {
    needs_amd_opencl!();
    let cl = Cl::load().expect("OpenCL");
    let (mut called, mut heard) = (BTreeSet::new(), BTreeSet::new());
    for part in PARTS {
        shims::start(None);
        part(&cl).expect("nothing fails yet");
        let clean = shims::counts();
        assert_balanced(&clean, "no failure");
        called.extend(clean.keys().copied());
        for (function, count) in clean {
            for n in BTreeSet::from([1, count.made]) {
                let context = format!("call {n} of {function}");
                shims::start(Some((function, n)));
                let outcome = part(&cl).map_err(|error| error.to_string());
                assert_balanced(&shims::counts(), &context);
                match outcome {
                    Err(text) => {
                        assert_named(&text, function, &context);
                        heard.insert(function);
                    }
                    Ok(()) => assert!(UNHEARD.contains(&function) || SOMETIMES_HEARD.contains(&function), "{context}"),
                }
            }
        }
    }
    assert_eq!(called, table(), "the functions called are those of the table");
    let unheard: Vec<_> = called.difference(&heard).copied().collect();
    assert_eq!(unheard, UNHEARD, "every other function was heard failing");
}

fn table() -> BTreeSet<&'static str> {
    CALLS.iter().flat_map(|(_, functions)| functions.iter().copied()).collect()
}

/// The error names API, function and code, and says what to do.
fn assert_named(text: &str, function: &str, context: &str) {
    let (code, _) = CALLS.iter().find(|(_, functions)| functions.contains(&function)).expect("a row of the table");
    let api = match function {
        _ if function.starts_with("cl") => "OpenCL",
        _ if function.starts_with("hiprtc") => "hiprtc",
        _ if function.starts_with("hip") => "HIP",
        _ => "HSA",
    };
    assert!(text.contains(&format!("{api}: {function} returned {code}")), "{context}: {text}");
    let advice = text.rsplit_once("; ").map(|(_, advice)| advice).unwrap_or_default();
    assert!(["free memory", "check what", "`rocm-probe`"].iter().any(|start| advice.starts_with(start)), "{text}");
}

/// The table has what the sources call, so that no call can be added without a place in [`PARTS`].
#[test]
fn the_table_of_calls_is_complete() {
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/rocm-interop/src");
    let mut called = BTreeSet::new();
    for entry in std::fs::read_dir(sources).expect("the sources are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(path).expect("a source");
            let names = text.split_inclusive('(').filter_map(|before| before.strip_suffix('('));
            let name = |before: &str| {
                before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_owned()
            };
            called.extend(names.map(name));
        }
    }
    let known = [
        Cl::FUNCTIONS.iter().map(|f| f.name).collect::<Vec<_>>(),
        Hip::FUNCTIONS.iter().map(|f| f.name).collect(),
        Hiprtc::FUNCTIONS.iter().map(|f| f.name).collect(),
        Hsa::FUNCTIONS.iter().map(|f| f.name).collect(),
    ];
    let called: BTreeSet<&str> = known.into_iter().flatten().filter(|name| called.contains(*name)).collect();
    assert_eq!(called, table());
}

/// Each function of the libraries missing in turn: the error names it.
#[test]
fn every_call_that_is_missing_is_named() {
    needs_amd_opencl!();
    let calls = [
        "hsa_init",
        "clGetPlatformIDs",
        "clGetDeviceIDs",
        "hsa_iterate_agents",
        "hsa_agent_get_info",
        "hipGetDeviceCount",
        "hipDeviceGetPCIBusId",
        "clCreateContext",
        "clCreateCommandQueue",
        "hipSetDevice",
        "hipStreamCreate",
        "clSVMAlloc",
        "hsa_amd_pointer_info",
        "clCreateProgramWithSource",
        "clBuildProgram",
        "clCreateKernel",
        "hiprtcCreateProgram",
        "hiprtcCompileProgram",
        "hiprtcGetCodeSize",
        "hiprtcGetCode",
        "hiprtcDestroyProgram",
        "hipModuleLoadData",
        "hipModuleGetFunction",
        "clEnqueueSVMMemcpy",
        "clSetKernelArgSVMPointer",
        "clSetKernelArg",
        "clEnqueueNDRangeKernel",
        "clFinish",
        "hipModuleLaunchKernel",
        "hipStreamSynchronize",
    ];
    for call in calls {
        let error = without(call)
            .and_then(open)
            .and_then(|session| both_sides(&session, session.allocate(N)?))
            .expect_err(call);
        assert!(error.to_string().contains(call), "without {call}: {error}");
        assert!(matches!(error, Error::Load { .. }), "without {call}: {error}");
    }
}

fn without(call: &'static str) -> Result<Libraries, Error> {
    let (cl, hip) = (Cl::load().expect("OpenCL"), Hip::load().expect("HIP"));
    let (rtc, hsa) = (Hiprtc::load().expect("hiprtc"), Hsa::load().expect("HSA"));
    // SAFETY: the libraries' own functions; the libraries stay loaded.
    unsafe {
        Libraries::new(
            Cl::from_resolver("OpenCL", move |name| if name == call { None } else { cl.address(name) }),
            Hip::from_resolver("HIP", move |name| if name == call { None } else { hip.address(name) }),
            Hiprtc::from_resolver("hiprtc", move |name| if name == call { None } else { rtc.address(name) }),
            Hsa::from_resolver("HSA", move |name| if name == call { None } else { hsa.address(name) }),
        )
    }
}
