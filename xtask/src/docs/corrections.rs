//! The misconceptions that recordings refute (`journey/misconceptions.md`), row by row, in the recordings of all
//! versions.
use serde_json::Value;

use super::stack_pages::{Recorded, first_word, read, recordings};
use crate::vgpu;

/// The recordings of one stack.
pub struct Evidence {
    pub stack: String,
    recordings: Vec<Recorded>,
}

/// The events of one recording.
pub struct Events {
    what: String,
    pub events: Vec<Value>,
}

impl Evidence {
    /// Of each stack that is recorded.
    pub fn all() -> [Self; 3] {
        ["trixie", "forky", "experimental"].map(|stack| Self { stack: stack.into(), recordings: recordings() })
    }

    pub fn of(&self, name: &str) -> Events {
        let found = self.recordings.iter().find(|recording| recording.name == name && recording.stack == self.stack);
        let recording = found.unwrap_or_else(|| panic!("no recording of {name} on {}", self.stack));
        Events { what: format!("{name} on {}", self.stack), events: recording.events() }
    }
}

impl Events {
    pub fn first(&self, name: &str) -> &Value {
        self.nth(name, 1)
    }

    /// As a link names it: `#e=barrier_and.2` is the second.
    pub fn nth(&self, name: &str, number: usize) -> &Value {
        let found = self.events.iter().filter(|event| first_word(event) == name).nth(number - 1);
        found.unwrap_or_else(|| panic!("{}: no {name}.{number}", self.what))
    }

    /// How many events have this whole name.
    pub fn count(&self, name: &str) -> usize {
        self.events.iter().filter(|event| event["n"] == name).count()
    }

    /// What the thread of `call` did meanwhile.
    pub fn during<'a>(&'a self, call: &'a Value) -> impl Iterator<Item = &'a Value> {
        let whole = begin(call)..=end(call);
        self.events.iter().filter(move |event| event["th"] == call["th"] && whole.contains(&begin(event)))
    }

    /// The bytes of the first packet of a type, in hexadecimal.
    fn packet(&self, name: &str) -> &str {
        self.first(name)["p"].as_str().expect("bytes")
    }
}

pub fn field<'a>(event: &'a Value, name: &str) -> &'a str {
    let fields = event["a"].as_array().into_iter().flatten();
    let mut found = fields.filter(|field| field[0] == name).filter_map(|field| field[1].as_str());
    found.next().unwrap_or_else(|| panic!("{event} has no {name}"))
}

pub fn begin(event: &Value) -> u64 {
    event["t"].as_u64().expect("a time")
}

pub fn end(event: &Value) -> u64 {
    begin(event) + event["d"].as_u64().expect("a duration")
}

pub fn layer(event: &Value) -> &str {
    event["l"].as_str().expect("a layer")
}

/// The statements in the order of the page, and whether the recordings of a stack show what is so.
type Check = (&'static str, fn(&Evidence) -> bool);
const CHECKS: [Check; 18] = [
    ("A launch is an ioctl to the driver", |stack| {
        // By whichever thread: what was before is over when the recording begins.
        let launch = stack.of("launch");
        let waits = begin(launch.first("hipDeviceSynchronize"));
        launch.events.iter().all(|event| layer(event) != "driver" || begin(event) > waits)
    }),
    ("The driver rings the doorbell", |stack| {
        let launch = stack.of("launch");
        let store = launch
            .during(launch.first("hipLaunchKernel"))
            .find(|event| first_word(event) == "hsa_signal_store_screlease");
        launch.during(store.expect("a store")).any(|event| first_word(event) == "doorbell")
    }),
    ("The driver schedules each kernel", |stack| {
        let launch = stack.of("launch");
        launch.events.iter().all(|event| !first_word(event).ends_with("_QUEUE"))
    }),
    // A dispatch; three dimensions and nothing else; 64 work-items a work-group.
    ("`setup` holds the size of the block", |stack| {
        let launch = stack.of("launch");
        let packet = launch.packet("kernel_dispatch");
        packet.starts_with("02") && packet[4..].starts_with("03004000010001000000")
    }),
    // `<<<1, 64>>>`.
    ("The grid's size counts blocks", |stack| {
        stack.of("launch").packet("kernel_dispatch")[24..].starts_with("400000000100000001000000")
    }),
    // Type 2 and 3, the barrier bit, and both scopes: 1 is agent, 2 is system.
    ("Each kernel makes its results visible to the CPU", |stack| {
        let launch = stack.of("launch");
        launch.packet("kernel_dispatch").starts_with("020b") && launch.packet("barrier_and").starts_with("0315")
    }),
    ("The doorbell gets the next free index", |stack| {
        let launch = stack.of("launch");
        field(launch.first("doorbell"), "value") == field(launch.first("kernel_dispatch"), "index")
    }),
    ("Each launch creates a signal", |stack| {
        let launch = stack.of("launch");
        let [kernel, barrier] = ["kernel_dispatch", "barrier_and"].map(|name| &launch.packet(name)[112..]);
        let created = launch.events.iter().any(|event| first_word(event).contains("signal_create"));
        kernel == "0000000000000000" && barrier != "0000000000000000" && !created
    }),
    ("A stream is a hardware queue", |stack| {
        let queue = stack.of("queue");
        let mut lines = queue.events.iter().filter_map(|event| event["m"].as_str());
        lines.any(|line| line.ends_with("maximum per priority is: 4"))
    }),
    ("`hipMemcpy` always uses a copy engine", |stack| {
        let copy = stack.of("copy-small");
        let [kernels, engines] =
            ["kernel_dispatch __amd_rocclr_copyBuffer", "sdma copy_linear"].map(|name| copy.count(name));
        (kernels, engines) == if stack.stack == "trixie" { (0, 2) } else { (2, 0) }
    }),
    ("Copies are packets in the AQL queue", |stack| {
        let copy = stack.of("copy-large");
        copy.events.iter().all(|event| first_word(event) != "agent_dispatch") && copy.count("sdma copy_linear") > 0
    }),
    ("`hipEventRecord` asks the driver for an event", |stack| {
        let stream = stack.of("stream");
        let within: Vec<_> = stream.during(stream.first("hipEventRecord")).map(first_word).collect();
        within.contains(&"barrier_and") && !within.contains(&"AMDKFD_IOC_CREATE_EVENT")
    }),
    ("`hipMemcpy` has copied when it returns", |stack| {
        let copy = stack.of("copy-device");
        end(copy.first("hipMemcpy")) < end(copy.first("__amd_rocclr_copyBuffer"))
    }),
    ("`hipStreamWaitEvent` makes the host wait", |stack| {
        let wait = stack.of("wait-event");
        let call = wait.first("hipStreamWaitEvent");
        let within: Vec<_> = wait.during(call).map(first_word).collect();
        within.contains(&"barrier_and") && end(call) < end(wait.first("_Z4gateP4Gate"))
    }),
    ("A callback runs in the thread that waits", |stack| {
        let callback = stack.of("callback");
        callback.first("hsa_system_get_info")["th"] != callback.first("hipStreamSynchronize")["th"]
    }),
    ("A graph goes to the GPU as one piece", |stack| {
        let graph = stack.of("graph");
        let within = graph.during(graph.first("hipGraphLaunch"));
        within.filter(|event| first_word(event) == "kernel_dispatch").count() == graph.count("_Z3addPff")
    }),
    ("OpenCL launches like HIP", |stack| {
        let opencl = stack.of("opencl");
        opencl.first("kernel_dispatch")["th"] != opencl.first("clEnqueueNDRangeKernel")["th"]
    }),
    ("Device memory has one address for the CPU", |stack| {
        let malloc = stack.of("malloc");
        let address = field(malloc.first("AMDKFD_IOC_ALLOC_MEMORY_OF_GPU"), "va_addr");
        let mapped = malloc.events.iter().any(|event| first_word(event) == "mmap" && event["r"] == address);
        mapped && field(malloc.first("hipMalloc"), "ptr (given back)") == address
    }),
];

#[test]
fn corrections_hold_in_the_recordings() {
    let page = read(&vgpu::root().join("docs/src/journey/misconceptions.md"));
    let shown = page.split("\n## ").find(|section| section.starts_with("Shown by recordings")).expect("its section");
    let rows: Vec<_> = shown.lines().filter_map(|line| line.strip_prefix("| ")).skip(1).collect();
    assert_eq!(rows.len(), CHECKS.len(), "{rows:#?}");
    for stack in Evidence::all() {
        for (row, (statement, shown)) in rows.iter().zip(CHECKS) {
            assert!(row.starts_with(statement), "the page says {row}, the test {statement}");
            assert!(shown(&stack), "the recordings on {} do not show it: {row}", stack.stack);
        }
    }
}
