//! The summary of a recording: the way of a launch, and the time of each step.

use cpp_demangle::{DemangleOptions, Symbol};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write};
use std::io::BufRead;

/// A file that is no recording.
#[derive(thiserror::Error)]
pub enum ReportError {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// A line is none of the format.
    #[error("line {line} is no line of a recording: {reason}")]
    Line {
        /// The number, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// The format is another.
    #[error("the recording's format is {0}, this program reads 1; or it is no `.jsonl` file of rocm-trace")]
    Format(Value),
}

/// The text of `Display`, as `main` prints an error by this.
impl fmt::Debug for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What matters of an event.
#[derive(Debug)]
struct Event {
    kind: String,
    layer: String,
    name: String,
    ns: u64,
    dur: Option<u64>,
    unfinished: bool,
    parent: Option<usize>,
    children: Vec<usize>,
    args: Value,
    result: Value,
}

/// A recording.
#[derive(Debug)]
pub struct Recording {
    processes: Vec<Value>,
    events: Vec<Event>,
    flows: Vec<Value>,
    /// What began before is left out of all sums.
    from: u64,
}

impl Recording {
    /// Reads lines of JSON.
    ///
    /// # Errors
    /// If they cannot be read, or are not of the format.
    pub fn read(lines: impl BufRead) -> Result<Recording, ReportError> {
        let mut recording = Recording { processes: Vec::new(), events: Vec::new(), flows: Vec::new(), from: 0 };
        for (index, line) in lines.lines().enumerate() {
            let bad = |reason: String| ReportError::Line { line: index + 1, reason };
            let mut value: Value = serde_json::from_str(&line?).map_err(|error| bad(error.to_string()))?;
            if index == 0 {
                if value["format"] != 1 {
                    return Err(ReportError::Format(value["format"].take()));
                }
                continue;
            }
            match value["kind"].as_str() {
                Some("process") => recording.processes.push(value),
                Some("thread") => {}
                Some("flow") => recording.flows.push(value),
                Some(_) => recording.add(value).map_err(bad)?,
                None => return Err(bad("it has no `kind`".into())),
            }
        }
        Ok(recording)
    }

    fn add(&mut self, mut value: Value) -> Result<(), String> {
        let index = self.events.len();
        if value["id"] != index {
            return Err(format!("its `id` is {}, must be {index}", value["id"]));
        }
        let mut text = |field: &str| match value[field].take() {
            Value::String(text) => Ok(text),
            _ => Err(format!("it has no `{field}`")),
        };
        let (kind, layer, name) = (text("kind")?, text("layer")?, text("name")?);
        let parent = value["parent"].as_u64().map(|parent| parent as usize);
        if let Some(parent) = parent {
            let parent = self.events.get_mut(parent).ok_or("its `parent` does not come before it")?;
            parent.children.push(index);
        }
        let mut args = value["args"].take();
        if let Some(Value::String(kernel)) = args.get_mut("kernel") {
            *kernel = demangled(kernel);
        }
        self.events.push(Event {
            kind,
            layer,
            name: demangled(&name),
            ns: value["ns"].as_u64().ok_or("it has no `ns`")?,
            dur: value["dur"].as_u64(),
            unfinished: value["unfinished"] == true,
            parent,
            children: Vec::new(),
            args,
            result: value["result"].take(),
        });
        Ok(())
    }

    /// The command of each process.
    pub fn commands(&self) -> String {
        let commands: Vec<_> = self.processes.iter().map(command).collect();
        commands.join("; ")
    }

    /// When the program's first launch began, with the calls around it; `None` without a launch.
    pub fn first_launch(&self) -> Option<u64> {
        let launches = self.launches().filter_map(|flow| self.step(flow, "call").or(self.step(flow, "packet")));
        let outermost = |index: usize| {
            let outwards = std::iter::successors(Some(index), |index| self.events[*index].parent);
            outwards.last().unwrap_or(index)
        };
        launches.map(|index| self.events[outermost(index)].ns).min()
    }

    /// Leaves out what began before the first launch: starting the runtimes and loading code, which is most of a short
    /// run. Without a launch, nothing is left out.
    pub fn begin_at_the_first_launch(&mut self) {
        self.from = self.first_launch().unwrap_or(0);
    }

    /// The events that are not left out.
    fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(|event| event.ns >= self.from)
    }

    fn step(&self, flow: &Value, step: &str) -> Option<usize> {
        flow[step].as_u64().map(|event| event as usize).filter(|event| *event < self.events.len())
    }

    /// The flows of kernels that the program launched.
    fn launches(&self) -> impl Iterator<Item = &Value> {
        self.flows.iter().filter(|flow| {
            self.step(flow, "packet").is_some_and(|packet| self.events[packet].name.starts_with("kernel_dispatch"))
        })
    }

    /// Time in an event that is in none of its children.
    fn own(&self, event: &Event) -> u64 {
        let within = event.children.iter().filter_map(|child| self.events[*child].dur).fold(0, u64::saturating_add);
        event.dur.unwrap_or(0).saturating_sub(within)
    }
}

/// A name whose last word is that of a C++ function as compilers mangle it, as C++ has it. Names that are not mangled
/// stay: `f` is a kernel's name, and no `float`.
fn demangled(name: &str) -> String {
    let start = name.rfind(' ').map_or(0, |space| space + 1);
    let (before, symbol) = name.split_at(start);
    let function = symbol.strip_suffix(".kd").unwrap_or(symbol);
    let mut plain = Short(before.to_owned());
    let parsed = Some(function).filter(|name| name.starts_with("_Z")).and_then(|name| Symbol::new(name).ok());
    match parsed.map(|symbol| symbol.structured_demangle(&mut plain, &DemangleOptions::default())) {
        Some(Ok(())) => plain.0,
        _ => name.to_owned(),
    }
}

/// A text that does not become longer than a report can show: a short mangled name may stand for a very long one.
struct Short(String);

impl Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        const LONGEST: usize = 16 << 10;
        if self.0.len() + text.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// A time for people.
struct Time(u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.0 {
            ns if ns < 10_000 => format!("{ns} ns"),
            ns if ns < 10_000_000 => format!("{:.1} us", ns as f64 / 1e3),
            ns => format!("{:.1} ms", ns as f64 / 1e6),
        };
        f.pad(&text)
    }
}

/// Number, whole time and own time of calls.
#[derive(Clone, Copy, Default)]
struct Sum {
    count: u64,
    whole: u64,
    own: u64,
}

impl Sum {
    /// Adds `count` calls. A recording may name any times.
    fn add(&mut self, count: u64, whole: Option<u64>, own: u64) {
        self.count = self.count.saturating_add(count);
        self.whole = self.whole.saturating_add(whole.unwrap_or(0));
        self.own = self.own.saturating_add(own);
    }
}

/// The report: the way of the launch at `number` (the last if `None`), and a summary.
pub fn report(recording: &Recording, number: Option<usize>) -> String {
    let mut out = String::new();
    processes(recording, &mut out);
    launch(recording, number, &mut out);
    layers(recording, &mut out);
    system(recording, &mut out);
    moved(recording, &mut out);
    packets(recording, &mut out);
    waits(recording, &mut out);
    hung(recording, &mut out);
    out
}

/// The words of a process's command line.
fn command(process: &Value) -> String {
    let words: Vec<_> = process["command"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    words.join(" ")
}

fn processes(recording: &Recording, out: &mut String) {
    for process in &recording.processes {
        let lost = process["lost"].as_u64().unwrap_or(0);
        _ = write!(out, "process {}: {}", process["pid"], command(process));
        if let Some(bytes) = process["bytes"].as_u64() {
            _ = write!(out, ", recorded in {bytes} bytes");
        }
        _ = writeln!(out, "{}", if lost > 0 { format!(", {lost} events lost") } else { String::new() });
    }
}

fn launch(recording: &Recording, number: Option<usize>, out: &mut String) {
    let count = recording.launches().count();
    let Some(index) = number.map_or(count.checked_sub(1), |number| Some(number).filter(|number| *number < count))
    else {
        _ = writeln!(out, "\nno launch {}", number.map(|number| number.to_string()).unwrap_or_default());
        return;
    };
    let Some(flow) = recording.launches().nth(index) else { return };
    _ = writeln!(out, "\nlaunch {index} of 0 to {}:", count - 1);
    let start = match recording.step(flow, "call").or(recording.step(flow, "packet")) {
        Some(first) => {
            tree(recording, first, recording.events[first].ns, 1, out);
            recording.events[first].ns
        }
        None => return,
    };
    let at = |step: &str| recording.step(flow, step).map(|event| &recording.events[event]);
    if let Some(kernel) = at("kernel") {
        line(kernel, start, 1, "on the GPU: ", out);
    }
    if let Some(packet) = at("completed_by") {
        line(packet, start, 1, "completed by ", out);
    }
    if let Some(signal) = at("signal") {
        line(signal, start, 1, "", out);
    }
    if let Some(wait) = at("waited_in") {
        line(wait, start, 1, "waited for in ", out);
    }
    if let Some(wait) = at("wait") {
        line(wait, start, 2, "by ", out);
    }
}

fn tree(recording: &Recording, index: usize, start: u64, depth: usize, out: &mut String) {
    // Not by recursion: how deep a recording is nested is up to the recording.
    let mut left = vec![(index, depth)];
    while let Some((index, depth)) = left.pop() {
        let event = &recording.events[index];
        line(event, start, depth, "", out);
        left.extend(event.children.iter().rev().map(|child| (*child, depth + 1)));
    }
}

/// Lines that are nested deeper than this are not moved further to the right.
const DEEPEST: usize = 40;

/// An event with when it began, how long it took, and what tells it from others.
fn line(event: &Event, start: u64, depth: usize, prefix: &str, out: &mut String) {
    let after = if event.ns >= start { Time(event.ns - start) } else { Time(0) };
    let took = event.dur.map(|dur| Time(dur).to_string()).unwrap_or_default();
    let indent = "  ".repeat(depth.min(DEEPEST));
    _ = write!(out, "{after:>10} {took:>10} {indent}{prefix}{} {}", event.layer, event.name);
    let shown: Vec<_> = SHOWN.iter().filter_map(|field| Some((field, event.args.get(field)?))).collect();
    for (field, value) in shown {
        _ = write!(out, " {field}={value}");
    }
    if !event.result.is_null() {
        _ = write!(out, " -> {}", event.result);
    }
    if event.unfinished {
        _ = write!(out, " (never returned)");
    }
    out.push('\n');
}

/// Arguments that a line shows.
const SHOWN: [&str; 13] = [
    "kernel",
    "queue_id",
    "index",
    "header",
    "setup",
    "grid",
    "workgroup",
    "value",
    "signal",
    "completion_signal",
    "sizeBytes",
    "size",
    "length",
];

fn layers(recording: &Recording, out: &mut String) {
    let mut layers: BTreeMap<&str, Sum> = BTreeMap::new();
    let mut functions: HashMap<&str, Sum> = HashMap::new();
    for event in recording.events().filter(|event| event.dur.is_some() && event.layer != "gpu") {
        let own = recording.own(event);
        for sum in [layers.entry(&event.layer).or_default(), functions.entry(&event.name).or_default()] {
            sum.add(1, event.dur, own);
        }
    }
    _ = writeln!(
        out,
        "\n{:<44} {:>8} {:>12} {:>12}",
        "time of the host's threads, by layer", "calls", "own", "with inner"
    );
    for (layer, sum) in layers {
        _ = writeln!(out, "  {layer:<42} {:>8} {:>12} {:>12}", sum.count, Time(sum.own), Time(sum.whole));
    }
    let mut functions: Vec<_> = functions.into_iter().collect();
    functions.sort_by_key(|(name, sum)| (std::cmp::Reverse(sum.own), *name));
    _ = writeln!(out, "most of it in");
    for (function, sum) in functions.iter().take(10) {
        _ = writeln!(out, "  {function:<42} {:>8} {:>12} {:>12}", sum.count, Time(sum.own), Time(sum.whole));
    }
}

fn system(recording: &Recording, out: &mut String) {
    let mut calls: BTreeMap<&str, Sum> = BTreeMap::new();
    for event in recording.events().filter(|event| matches!(event.kind.as_str(), "ioctl" | "syscall")) {
        calls.entry(&event.name).or_default().add(1, event.dur, 0);
    }
    let count: u64 = calls.values().map(|sum| sum.count).sum();
    _ = writeln!(out, "\nsystem calls to the driver and for memory: {count}");
    for (name, sum) in &calls {
        _ = writeln!(out, "  {name:<42} {:>8} {:>12}", sum.count, Time(sum.whole));
    }
    // Those that make one, and all calls around them.
    let mut makes_one = vec![false; recording.events.len()];
    for (index, event) in recording.events.iter().enumerate() {
        let mut call = Some(index).filter(|_| matches!(event.kind.as_str(), "ioctl" | "syscall"));
        while let Some(index) = call.filter(|index| !makes_one[*index]) {
            makes_one[index] = true;
            call = recording.events[index].parent;
        }
    }
    let launches: Vec<_> = recording.launches().filter_map(|flow| recording.step(flow, "call")).collect();
    let free = launches.iter().filter(|call| !makes_one[**call]).count();
    _ = writeln!(out, "  launches without any: {free} of {}", launches.len());
}

fn moved(recording: &Recording, out: &mut String) {
    let mut copies: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for event in recording.events() {
        let by_name = event.name.contains("Memcpy")
            || event.name.contains("Memset")
            || event.name.contains("memory_copy")
            || event.name.contains("memory_async_copy")
            || event.name.starts_with("clEnqueue");
        let copies_bytes = event.kind == "call" && by_name || event.kind == "device" && event.name.starts_with("sdma");
        // The names that HIP, HSA, OpenCL and the device's trace give the number of bytes.
        let bytes = ["sizeBytes", "size", "cb", "bytes"].iter().find_map(|field| event.args[field].as_u64());
        if let (true, Some(bytes)) = (copies_bytes, bytes) {
            let sum = copies.entry(&event.name).or_default();
            sum.0 += 1;
            sum.1 = sum.1.saturating_add(bytes);
        }
    }
    if !copies.is_empty() {
        _ = writeln!(out, "\nbytes moved, as each layer was asked (the same bytes appear in several)");
    }
    for (name, (count, bytes)) in copies {
        _ = writeln!(out, "  {name:<42} {count:>8} {bytes:>12}");
    }
}

fn packets(recording: &Recording, out: &mut String) {
    let mut packets: BTreeMap<&str, u64> = BTreeMap::new();
    let mut kernels: BTreeMap<&str, Sum> = BTreeMap::new();
    for event in recording.events() {
        if event.kind == "packet" {
            *packets.entry(event.name.split(' ').next().unwrap_or_default()).or_default() += 1;
        } else if event.kind == "kernel" {
            kernels.entry(&event.name).or_default().add(1, event.dur, 0);
        }
    }
    _ = writeln!(out, "\npackets");
    for (name, count) in packets {
        _ = writeln!(out, "  {name:<42} {count:>8}");
    }
    if !kernels.is_empty() {
        _ = writeln!(out, "kernels on the GPU");
    }
    for (name, sum) in kernels {
        _ = writeln!(out, "  {name:<42} {:>8} {:>12}", sum.count, Time(sum.whole));
    }
}

fn waits(recording: &Recording, out: &mut String) {
    let mut waits: BTreeMap<(usize, String), u64> = BTreeMap::new();
    for flow in &recording.flows {
        let (Some(wait), Some(packet)) = (recording.step(flow, "waited_in"), recording.step(flow, "packet")) else {
            continue;
        };
        if recording.events[packet].ns < recording.from {
            continue;
        }
        *waits.entry((wait, recording.events[packet].name.clone())).or_default() += 1;
    }
    let mut sums: BTreeMap<(&str, &str), Sum> = BTreeMap::new();
    for ((wait, packet), count) in &waits {
        let wait = &recording.events[*wait];
        sums.entry((&wait.name, packet)).or_default().add(*count, wait.dur, 0);
    }
    _ = writeln!(out, "\nwhat waited for what (packets, time in those calls)");
    for ((wait, packet), sum) in sums {
        _ = writeln!(out, "  {:<42} {:>8} {:>12}", format!("{wait} for {packet}"), sum.count, Time(sum.whole));
    }
    let counts = |flow: &Value| {
        recording.step(flow, "packet").is_none_or(|packet| recording.events[packet].ns >= recording.from)
    };
    let open = recording.flows.iter().filter(|flow| recording.step(flow, "wait").is_none() && counts(flow)).count();
    if open > 0 {
        _ = writeln!(out, "  packets that no recorded call waited for: {open}");
    }
}

/// Calls that never returned, with those around them.
fn hung(recording: &Recording, out: &mut String) {
    let hung: Vec<_> = recording.events.iter().filter(|event| event.unfinished).collect();
    if hung.is_empty() {
        return;
    }
    _ = writeln!(out, "\ncalls that had not returned at the end");
    for event in hung {
        let depth = std::iter::successors(event.parent, |parent| recording.events[*parent].parent);
        let depth = depth.take(DEEPEST).count();
        line(event, event.ns, depth + 1, "", out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Calls by `(parent, kind)`, and flows by `(call, packet)`.
    fn report_of(events: impl Iterator<Item = (Option<usize>, &'static str)>, flows: &[(usize, usize)]) -> String {
        let mut lines = json!({ "kind": "header", "format": 1 }).to_string();
        for (id, (parent, kind)) in events.enumerate() {
            let name = if kind == "packet" { "kernel_dispatch" } else { kind };
            let event = json!({ "id": id, "kind": kind, "layer": "hip", "name": name, "ns": id, "parent": parent });
            lines.push_str(&format!("\n{event}"));
        }
        for (call, packet) in flows {
            lines.push_str(&format!("\n{}", json!({ "kind": "flow", "call": call, "packet": packet })));
        }
        report(&Recording::read(lines.as_bytes()).expect("lines of a recording"), Some(0))
    }

    #[test]
    fn launches_with_system_calls_at_any_depth_are_told_from_those_without() {
        let call = |parent: Option<usize>| (parent, "call");
        let events = [
            call(None),
            call(Some(0)),
            (Some(1), "packet"),
            (Some(1), "ioctl"),
            (Some(1), "syscall"),
            call(None),
            call(Some(5)),
            (Some(6), "packet"),
        ];
        let text = report_of(events.into_iter(), &[(0, 2), (5, 7)]);
        assert!(text.contains("system calls to the driver and for memory: 2\n"), "{text}");
        assert!(text.contains("launches without any: 1 of 2\n"), "{text}");
    }

    #[test]
    fn kernels_have_their_names_in_cpp() {
        for (name, expected) in [
            ("_Z3addPff", "add(float*, float)"),
            ("kernel_dispatch _Z4copyIfEvPT_S1_.kd", "kernel_dispatch void copy<float>(float*, float*)"),
            ("kernel_dispatch f", "kernel_dispatch f"),
            ("Cijk_Ailk_Bljk_SB_MT64x64x8", "Cijk_Ailk_Bljk_SB_MT64x64x8"),
            ("_Zzz", "_Zzz"),
            ("", ""),
        ] {
            assert_eq!(demangled(name), expected);
        }
        // Each level doubles the name that it stands for.
        let long = (0..30).fold("1A".to_owned(), |inner, _| format!("1BI{inner}S_E"));
        assert!(demangled(&format!("_Z1fv{long}")).len() <= 16 << 10);
    }

    #[test]
    fn a_report_can_begin_at_the_first_launch() {
        let events = [
            json!({ "kind": "call", "name": "hipInit", "ns": 0, "dur": 1000 }),
            json!({ "kind": "ioctl", "name": "AMDKFD_IOC_GET_VERSION", "ns": 5, "dur": 5, "parent": 0 }),
            json!({ "kind": "packet", "name": "barrier_and", "ns": 6 }),
            json!({ "kind": "call", "name": "hipGraphLaunch", "ns": 2000, "dur": 100 }),
            json!({ "kind": "call", "name": "hsa_signal_store_screlease", "ns": 2010, "dur": 7, "parent": 3 }),
            json!({ "kind": "packet", "name": "kernel_dispatch _Z3addPff", "ns": 2011, "parent": 4, "args": { "kernel": "_Z3addPff" } }),
            json!({ "kind": "call", "name": "hipFree", "ns": 3000, "dur": 30 }),
        ];
        let mut lines = json!({ "kind": "header", "format": 1 }).to_string();
        for (id, mut event) in events.into_iter().enumerate() {
            (event["id"], event["layer"]) = (id.into(), "hip".into());
            lines.push_str(&format!("\n{event}"));
        }
        lines.push_str(&format!("\n{}", json!({ "kind": "flow", "packet": 2, "wait": 0, "waited_in": 0 })));
        lines.push_str(&format!("\n{}", json!({ "kind": "flow", "call": 4, "packet": 5 })));
        let mut recording = Recording::read(lines.as_bytes()).expect("lines of a recording");
        let whole = report(&recording, None);
        recording.begin_at_the_first_launch();
        let text = report(&recording, None);
        for early in ["hipInit", "AMDKFD_IOC_GET_VERSION", "barrier_and"] {
            assert!(whole.contains(early) && !text.contains(early), "{early}\n{text}");
        }
        let rows: Vec<_> = text.lines().map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        for row in [
            "hip 3 130 ns 137 ns",
            "hipGraphLaunch 1 93 ns 100 ns",
            "hipFree 1 30 ns 30 ns",
            "system calls to the driver and for memory: 0",
            "kernel_dispatch 1",
            "packets that no recorded call waited for: 1",
        ] {
            assert!(rows.iter().any(|found| found == row), "{row}\n{text}");
        }
        assert!(
            text.contains("queue kernel_dispatch add(float*, float)")
                || text.contains("hip kernel_dispatch add(float*, float)"),
            "{text}"
        );
    }

    #[test]
    fn bytes_are_those_of_copies_and_fills() {
        let events = [
            ("call", "hipMemcpy", json!({ "sizeBytes": 100 })),
            ("call", "hipMemcpy", json!({ "sizeBytes": 11 })),
            ("call", "hipMemset", json!({ "sizeBytes": 7 })),
            ("call", "hsa_amd_memory_async_copy", json!({ "size": 300 })),
            ("call", "hsa_memory_copy", json!({ "size": 400 })),
            ("call", "clEnqueueWriteBuffer", json!({ "cb": 50 })),
            ("call", "hipMalloc", json!({ "size": 1000 })),
            ("device", "sdma_copy", json!({ "bytes": 300 })),
            ("device", "memory_fault", json!({ "bytes": 9 })),
            ("ioctl", "Memcpy", json!({ "size": 9 })),
            ("call", "hipMemcpyToSymbol", json!({})),
        ];
        let lines = events.into_iter().enumerate().map(|(id, (kind, name, args))| {
            format!("\n{}", json!({ "id": id, "kind": kind, "layer": "hip", "name": name, "ns": id, "args": args }))
        });
        let lines: String =
            std::iter::once(json!({ "kind": "header", "format": 1 }).to_string()).chain(lines).collect();
        let text = report(&Recording::read(lines.as_bytes()).expect("lines of a recording"), Some(0));
        let moved = text.split("bytes moved").nth(1).and_then(|text| text.split("\n\n").next()).expect("bytes moved");
        let rows: Vec<_> =
            moved.lines().skip(1).map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let expected = [
            "clEnqueueWriteBuffer 1 50",
            "hipMemcpy 2 111",
            "hipMemset 1 7",
            "hsa_amd_memory_async_copy 1 300",
            "hsa_memory_copy 1 400",
            "sdma_copy 1 300",
        ];
        assert_eq!(rows, expected);
    }

    /// As of a graph. Looking at all of the call for each of them would take hours.
    #[test]
    fn a_call_may_launch_many_kernels() {
        const KERNELS: usize = 200_000;
        let events = std::iter::once((None, "call")).chain((0..KERNELS).map(|_| (Some(0), "packet")));
        let flows: Vec<_> = (0..KERNELS).map(|kernel| (0, kernel + 1)).collect();
        let text = report_of(events, &flows);
        assert!(text.contains("launches without any: 200000 of 200000\n"), "{text}");
    }
}
