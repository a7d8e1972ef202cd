//! What the device's trace says of a part of a program.
use std::time::Duration;

use rocm_interop::Session;
use rocm_interop::opencl::{OpenClKernel, OpenClProgram};
use serde_json::Value;
use stack_tests::{TraceFile, on_vgpu, run_tests};

/// Runs a test of this program again, on a device of its own that traces; gives the trace, and what the test wrote.
pub fn traced(test: &str, limit: Duration) -> (String, String) {
    let trace = TraceFile::new(&test.replace("::", "-"));
    let mut command = on_vgpu(&trace.options(), std::env::current_exe().expect("this test"));
    let output = run_tests(&mut command, &[test], limit);
    (trace.read(), output)
}

/// Marks places in the device's trace, by a kernel of OpenCL that does nothing.
pub struct Marker(Session, OpenClKernel);

impl Marker {
    /// Made before the first mark, since a program that is loaded may have kernels of the runtime run.
    pub fn new(session: &Session) -> Marker {
        let program = OpenClProgram::build(session, "kernel void mark() {}", "").expect("program");
        Marker(session.clone(), program.kernel("mark").expect("kernel"))
    }

    /// Marks this place by a launch of this many work-items; all earlier work of the queue is done.
    pub fn mark(&self, items: usize) {
        // SAFETY: it does nothing.
        unsafe { self.1.launch(&[items], Some(&[64]), &[]) }.expect("launch");
        self.0.finish().expect("clFinish");
    }
}

/// What happened between two marks.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    /// Bytes that the copy engines moved.
    pub copied: u64,
    /// Kernels that ran.
    pub kernels: usize,
}

/// What the device did between two marks.
pub fn between(trace: &str, marks: [usize; 2]) -> Seen {
    let first = all_between(trace, marks).into_iter().next();
    first.unwrap_or_else(|| panic!("the trace does not have both marks {marks:?}"))
}

/// What the devices did each time between these marks.
pub fn all_between(trace: &str, marks: [usize; 2]) -> Vec<Seen> {
    let (mut all, mut inside) = (Vec::new(), None);
    for line in trace.lines() {
        let event: Value = serde_json::from_str(line).expect("a line of JSON");
        match (event["event"].as_str(), event["packet"].as_str(), &mut inside) {
            (Some("dispatch"), ..) => {
                let items = event["grid"][0].as_u64().expect("a grid") as usize;
                match &mut inside {
                    None if items == marks[0] => inside = Some(Seen { copied: 0, kernels: 0 }),
                    Some(_) if items == marks[1] => all.extend(inside.take()),
                    Some(seen) => seen.kernels += 1,
                    None => {}
                }
            }
            (Some("sdma"), Some(packet), Some(seen)) if packet.starts_with("copy") => {
                assert_eq!(packet, "copy_linear", "its bytes are not counted");
                seen.copied += event["bytes"].as_u64().expect("bytes");
            }
            _ => {}
        }
    }
    all
}
