//! Converts the JSON lines of `rocm-trace` into the format of the site's viewer (docs/viewer). xtask includes this file
//! as a module to make the site's recordings.
use std::collections::HashMap;

use serde_json::{Map, Value, json};

/// The rows of the viewer, from the program down; `docs/viewer/viewer.js` names them.
const LAYERS: [&str; 7] = ["hip", "opencl", "runtime", "hsa", "driver", "queue", "gpu"];

/// Kinds of lines that are events of a row. The others (libraries, symbols, times in signals) say what these already
/// show.
const KINDS: [&str; 9] = ["call", "ioctl", "syscall", "queue", "packet", "doorbell", "kernel", "device", "log"];

/// The steps of a flow, from the program's call to the one that waited.
const STEPS: [&str; 8] = ["call", "packet", "doorbell", "kernel", "completed_by", "signal", "wait", "waited_in"];

/// The part of a trace between two times.
#[derive(Debug)]
pub struct Recording {
    events: Vec<Event>,
    flows: Vec<Vec<usize>>,
    threads: Vec<String>,
}

/// Why a trace cannot be shown.
#[derive(Debug)]
pub struct NoRecording(String);

impl std::fmt::Display for NoRecording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoRecording {}

#[derive(Debug)]
struct Event {
    /// The number in the trace.
    id: u64,
    parent: Option<u64>,
    layer: String,
    name: String,
    ns: u64,
    duration: Option<u64>,
    thread: usize,
    arguments: Vec<(String, String)>,
    result: Option<String>,
    /// File and line of the runtime's source.
    source: Option<String>,
    message: Option<String>,
    packet: Option<String>,
    /// How many like it follow each other; only the first is kept.
    count: u64,
}

impl Recording {
    /// Reads a trace and keeps what begins from `begin` to `end`, in nanoseconds of its clock. What began before and
    /// ends then, as the sleep of a runtime's thread does that is woken, is put where it ends.
    ///
    /// # Errors
    /// If a line is no JSON, or no event lies between the times.
    pub fn read(trace: &str, begin: u64, end: u64) -> Result<Self, NoRecording> {
        let mut threads = Threads::default();
        let mut events: Vec<Event> = Vec::new();
        let mut flows = Vec::new();
        for (number, line) in trace.lines().enumerate() {
            let line: Value =
                serde_json::from_str(line).map_err(|error| NoRecording(format!("line {}: {error}", number + 1)))?;
            match line["kind"].as_str() {
                Some("thread") => threads.name(&line),
                Some("flow") => {
                    let steps = STEPS.iter().filter_map(|step| line[*step].as_u64());
                    flows.push(steps.collect::<Vec<_>>());
                }
                Some(kind) if KINDS.contains(&kind) => {
                    let ns =
                        line["ns"].as_u64().ok_or_else(|| NoRecording(format!("line {} has no time", number + 1)))?;
                    if LAYERS.contains(&line["layer"].as_str().unwrap_or_default()) {
                        events.push(Event::new(&line, ns, &mut threads));
                    }
                }
                _ => {}
            }
        }
        set_clock_of_the_log(&mut events);
        events.iter_mut().for_each(|event| event.put_behind(begin));
        events.retain(|event| (begin..=end).contains(&event.ns));
        events.sort_by_key(|event| event.ns);
        let mut kept: HashMap<u64, u64> = HashMap::new();
        let events = folded(sources_to_calls(events), &mut kept);
        if events.is_empty() {
            return Err(NoRecording("it has no event that the viewer shows".into()));
        }
        let places: HashMap<u64, usize> = events.iter().enumerate().map(|(place, event)| (event.id, place)).collect();
        let place = |id: u64| places.get(kept.get(&id).unwrap_or(&id)).copied();
        let flows = flows.into_iter().map(|flow| {
            let mut flow: Vec<_> = flow.into_iter().filter_map(place).collect();
            flow.dedup();
            flow
        });
        let flows = flows.filter(|flow| flow.len() > 1).collect();
        Ok(Self { events, flows, threads: threads.shown })
    }

    /// From the first event's beginning to the last one's end, in nanoseconds.
    pub fn duration(&self) -> u64 {
        let end = self.events.iter().map(|event| event.ns.saturating_add(event.duration.unwrap_or(0))).max();
        end.unwrap_or(0).saturating_sub(self.events[0].ns)
    }

    /// Keeps the first events, at most `most`, and gives how many there were.
    #[allow(dead_code, reason = "the site's recordings are whole")]
    pub fn shorten(&mut self, most: usize) -> usize {
        let all = self.events.len();
        self.events.truncate(most);
        for flow in &mut self.flows {
            flow.retain(|event| *event < most);
        }
        self.flows.retain(|flow| flow.len() > 1);
        all
    }

    /// Numbers that the virtual GPU gave the kernels (`--faults` counts the same way).
    pub fn dispatches(&self) -> impl Iterator<Item = u64> {
        let numbers = self.events.iter().filter(|event| event.layer == "gpu");
        numbers.filter_map(|event| event.arguments.iter().find(|(name, _)| name == "dispatch")?.1.parse().ok())
    }

    /// The file that the viewer loads.
    pub fn script(&self, name: &str, stack: &str, versions: &Value, command: &str, output: &str) -> String {
        let begin = self.events[0].ns;
        let layers: Vec<_> =
            LAYERS.into_iter().filter(|layer| self.events.iter().any(|event| event.layer == *layer)).collect();
        let mut text = format!("recording({}, {}, {{\n", json!(name), json!(stack));
        for (key, value) in [
            ("versions", versions.clone()),
            ("command", json!(command)),
            ("output", json!(output)),
            ("threads", json!(self.threads)),
            ("layers", json!(layers)),
            ("flows", json!(self.flows)),
        ] {
            text += &format!("{key}: {value},\n");
        }
        text += "events: [\n";
        for event in &self.events {
            text += &format!("{},\n", event.shown(begin));
        }
        text + "]});\n"
    }
}

/// The names that rows of threads get: `main`, then `thread 2` and so on, or what does it on the device.
#[derive(Default)]
struct Threads {
    shown: Vec<String>,
    of: HashMap<String, usize>,
    names: HashMap<u64, String>,
}

impl Threads {
    fn name(&mut self, line: &Value) {
        if let (Some(tid), Some(name)) = (line["tid"].as_u64(), line["name"].as_str()) {
            self.names.insert(tid, name.to_owned());
        }
    }

    fn place(&mut self, line: &Value) -> usize {
        let key = line["track"].as_str().map_or_else(|| line["tid"].to_string(), str::to_owned);
        if let Some(place) = self.of.get(&key) {
            return *place;
        }
        let hosts = self.of.keys().filter(|key| key.parse::<u64>().is_ok()).count();
        let name = match (line["track"].as_str(), line["tid"].as_u64(), line["pid"].as_u64()) {
            (Some(track), ..) => track.to_owned(),
            (_, Some(tid), Some(pid)) if tid == pid => "main".into(),
            _ => format!("{}", hosts + 1),
        };
        self.shown.push(name);
        self.of.insert(key, self.shown.len() - 1);
        self.shown.len() - 1
    }
}

impl Event {
    fn new(line: &Value, ns: u64, threads: &mut Threads) -> Self {
        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let mut arguments: Vec<(String, String)> = Vec::new();
        let (mut source, mut message, mut packet) = (None, None, None);
        let mut name = text("name");
        for (key, value) in line["args"].as_object().into_iter().flatten() {
            match (line["kind"].as_str(), key.as_str()) {
                (Some("log"), "file") => source = Some(format!("{}:{}", plain(value), line["args"]["line"])),
                (Some("log"), "message") => message = Some(without_colours(&plain(value))),
                (Some("log"), _) => {}
                (Some("packet"), "bytes") => packet = Some(plain(value)),
                // Said by the bytes, field by field.
                (
                    Some("packet"),
                    "header" | "setup" | "barrier" | "acquire" | "release" | "grid" | "workgroup" | "kernel_object",
                ) => {}
                (
                    Some("packet"),
                    "private_segment_size" | "group_segment_size" | "kernarg_address" | "completion_signal",
                ) => {}
                _ => arguments.push((key.clone(), plain(value))),
            }
        }
        for (key, value) in line["out"].as_object().into_iter().flatten() {
            arguments.push((format!("{key} (given back)"), plain(value)));
        }
        if line["kind"] == "log" {
            name = source.clone().unwrap_or(name);
        }
        Self {
            id: line["id"].as_u64().unwrap_or(u64::MAX),
            parent: line["parent"].as_u64(),
            layer: text("layer"),
            name,
            ns,
            duration: line["dur"].as_u64(),
            thread: threads.place(line),
            arguments,
            result: line.get("result").map(plain),
            source,
            message,
            packet,
            count: 1,
        }
    }

    /// Of an event that began before a time and ended after it, only the end is kept.
    fn put_behind(&mut self, time: u64) {
        let Some(duration) =
            self.duration.filter(|duration| self.ns < time && self.ns.saturating_add(*duration) >= time)
        else {
            return;
        };
        self.ns = self.ns.saturating_add(duration);
        self.duration = None;
        self.arguments.push(("began".into(), "before the recording".into()));
    }

    fn shown(&self, begin: u64) -> Value {
        let mut shown = Map::new();
        let mut put = |key: &str, value: Value| shown.insert(key.to_owned(), value);
        put("l", json!(self.layer));
        put("n", json!(self.name));
        put("t", json!(self.ns - begin));
        put("th", json!(self.thread));
        if let Some(duration) = self.duration {
            put("d", json!(duration));
        }
        if !self.arguments.is_empty() {
            put("a", json!(self.arguments));
        }
        for (key, value) in [("r", &self.result), ("s", &self.source), ("m", &self.message), ("p", &self.packet)] {
            if let Some(value) = value {
                put(key, json!(value));
            }
        }
        if self.count > 1 {
            put("k", json!(self.count));
        }
        Value::Object(shown)
    }

    /// Whether `other` is the same once more.
    fn is_like(&self, other: &Event) -> bool {
        let what =
            |event: &Event| (event.thread, event.layer.clone(), event.name.clone(), event.parent, event.packet.clone());
        what(self) == what(other) && self.arguments == other.arguments && self.message == other.message
    }
}

/// The log has a clock of its own, whose difference the recorder knows only as well as a busy machine let it read two
/// clocks at once. What is both logged and recorded, the beginnings of HIP's functions, tells it.
fn set_clock_of_the_log(events: &mut [Event]) {
    let mut logged: HashMap<&str, Vec<u64>> = HashMap::new();
    let mut called: HashMap<&str, Vec<u64>> = HashMap::new();
    for event in events.iter() {
        match (event.layer.as_str(), event.message.as_deref().and_then(|message| message.split_once(" ("))) {
            ("hip", _) => called.entry(&event.name).or_default().push(event.ns),
            ("runtime", Some((function, _))) => logged.entry(function).or_default().push(event.ns),
            _ => {}
        }
    }
    let pairs = logged.iter().filter_map(|(function, times)| Some((times, called.get(function)?)));
    let same = pairs.filter(|(logged, called)| logged.len() == called.len());
    let differences: Vec<i64> = same
        .flat_map(|(logged, called)| {
            logged.iter().zip(called).map(|(logged, called)| (*called as i64).wrapping_sub(*logged as i64))
        })
        .collect();
    // Of the others, the thread had to wait between the call and its line. OpenCL logs no calls: the recorder's word is
    // taken.
    let difference = differences.into_iter().max().unwrap_or(0);
    for event in events.iter_mut().filter(|event| event.layer == "runtime") {
        // A microsecond, the log's resolution, so that no line comes before its call.
        event.ns = event.ns.saturating_add_signed(difference).saturating_add(1000);
    }
}

/// HIP logs the beginning and the end of its functions. The call itself is recorded, so the lines only tell where its
/// source is.
fn sources_to_calls(events: Vec<Event>) -> Vec<Event> {
    let mut kept: Vec<Event> = Vec::new();
    for event in events {
        if event.layer == "runtime"
            && let Some(message) = &event.message
            && let Some((function, _)) = message.split_once(" (").or_else(|| message.split_once(": Returned"))
            && let Some(call) = kept.iter_mut().rfind(|call| call.name == function && call.thread == event.thread)
        {
            call.source.get_or_insert(event.source.unwrap_or_default());
            continue;
        }
        kept.push(event);
    }
    kept
}

/// Keeps the first of events that repeat (a thread that looks at a signal again and again); `kept` says which stands
/// for which.
fn folded(events: Vec<Event>, kept: &mut HashMap<u64, u64>) -> Vec<Event> {
    let mut folded: Vec<Event> = Vec::new();
    // The last event of each thread.
    let mut last: HashMap<usize, usize> = HashMap::new();
    for event in events {
        if let Some(place) = last.get(&event.thread)
            && folded[*place].is_like(&event)
            && folded[*place].layer != "queue"
        {
            let first = &mut folded[*place];
            first.count += 1;
            first.duration = event.duration.map(|duration| event.ns.saturating_add(duration).saturating_sub(first.ns));
            first.result = event.result;
            kept.insert(event.id, first.id);
            continue;
        }
        last.insert(event.thread, folded.len());
        folded.push(event);
    }
    folded
}

/// A value as the viewer shows it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A log's line without the colours that HIP puts into it.
fn without_colours(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once('m').map_or(part, |(_, rest)| rest));
    (first + &rest.collect::<String>()).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A launch as `rocm-trace` writes it, shortened; the first event is before the time that is kept.
    const TRACE: &str = r#"{"kind":"header","format":1,"clock":"CLOCK_MONOTONIC_RAW"}
{"kind":"thread","pid":7,"tid":7,"name":"hip"}
{"id":0,"kind":"call","layer":"hip","name":"hipMalloc","pid":7,"tid":7,"ns":50,"dur":10,"args":{"size":64},"result":"hipSuccess"}
{"id":1,"kind":"call","layer":"hip","name":"hipLaunchKernel","pid":7,"tid":7,"ns":100,"dur":90,"flows":[0],"args":{"stream":"0x0"},"result":"hipSuccess"}
{"id":2,"kind":"log","layer":"runtime","name":"hip_module.cpp:678","pid":7,"tid":7,"ns":5000100,"args":{"level":3,"file":"hip_module.cpp","line":678,"message":"\u001b[32m hipLaunchKernel ( 0x1 ) \u001b[0m"}}
{"id":3,"kind":"log","layer":"runtime","name":"command.cpp:349","pid":7,"tid":7,"ns":5000110,"args":{"level":4,"file":"command.cpp","line":349,"message":"Command (KernelExecution) enqueued: 0x5"}}
{"id":4,"kind":"packet","layer":"queue","name":"kernel_dispatch add","pid":7,"tid":7,"ns":120,"parent":1,"args":{"index":4,"bytes":"0215","header":"0x1502"}}
{"id":5,"kind":"kernel","layer":"gpu","name":"add","pid":7,"track":"GPU queue 1","ns":130,"dur":5,"args":{"dispatch":5}}
{"id":6,"kind":"call","layer":"hsa","name":"hsa_signal_load_relaxed","pid":7,"tid":7,"ns":140,"dur":1,"args":{"signal":"0x9"},"result":1}
{"id":7,"kind":"call","layer":"hsa","name":"hsa_signal_load_relaxed","pid":7,"tid":7,"ns":150,"dur":1,"args":{"signal":"0x9"},"result":0}
{"id":8,"kind":"library","layer":"hip","name":"library","pid":7,"tid":7,"ns":151,"args":{}}
{"kind":"flow","flow":0,"call":1,"packet":4,"kernel":5,"wait":7}
"#;

    #[test]
    fn a_trace_is_cut_and_repetitions_and_logged_calls_are_folded() {
        let recording = Recording::read(TRACE, 90, 2000).expect("a recording");
        let names: Vec<_> = recording.events.iter().map(|event| event.name.as_str()).collect();
        // The log's clock is 5 ms ahead; its lines are put a microsecond behind their calls.
        let expected = ["hipLaunchKernel", "kernel_dispatch add", "add", "hsa_signal_load_relaxed", "command.cpp:349"];
        assert_eq!((names.as_slice(), recording.events[4].ns), (expected.as_slice(), 1110));
        assert_eq!(recording.events[0].source.as_deref(), Some("hip_module.cpp:678"));
        assert_eq!(recording.events[1].packet.as_deref(), Some("0215"));
        let last = &recording.events[3];
        assert_eq!((last.count, last.duration, last.result.as_deref()), (2, Some(11), Some("0")));
        // The flow ends at the event that stands for the one that saw the end.
        assert_eq!(recording.flows, [[0, 1, 2, 3]]);
        assert_eq!(recording.dispatches().collect::<Vec<_>>(), [5]);
        assert_eq!(recording.threads, ["main", "GPU queue 1"]);
    }

    /// What happens in a call is not put before it because the log counts in microseconds.
    #[test]
    fn a_log_without_calls_is_a_microsecond_later() {
        let trace = r#"{"id":0,"kind":"call","layer":"opencl","name":"clFinish","pid":7,"tid":7,"ns":5708,"dur":9000}
{"id":1,"kind":"log","layer":"runtime","name":"command.cpp:1","pid":7,"tid":7,"ns":5404,"args":{"file":"command.cpp","line":1,"message":"Queue marker"}}"#;
        let recording = Recording::read(trace, 0, u64::MAX).expect("a recording");
        let events: Vec<_> = recording.events.iter().map(|event| (event.name.as_str(), event.ns)).collect();
        assert_eq!(events, [("clFinish", 5708), ("command.cpp:1", 6404)]);
    }

    /// A thread that sleeps when the recording begins is there when it is woken, and not if that is later than the end.
    #[test]
    fn what_began_before_is_where_it_ends() {
        let sleep = |id: u64, duration: u64| {
            let args = r#""args":{"num_events":3},"result":0"#;
            let event = r#""kind":"ioctl","layer":"driver","name":"AMDKFD_IOC_WAIT_EVENTS","pid":7,"tid":8,"ns":10"#;
            format!("{{\"id\":{id},{event},\"dur\":{duration},{args}}}\n")
        };
        let trace = [TRACE, &sleep(20, 127), &sleep(21, 60), &sleep(22, 3000)].concat();
        let recording = Recording::read(&trace, 90, 2000).expect("a recording");
        let woken: Vec<_> = recording.events.iter().filter(|event| event.layer == "driver").collect();
        let expected = [("num_events".to_owned(), "3".to_owned()), ("began".into(), "before the recording".into())];
        assert_eq!(woken.len(), 1, "one ends before the recording, one after it");
        assert_eq!((woken[0].id, woken[0].ns, woken[0].duration), (20, 137, None));
        assert_eq!(woken[0].arguments, expected);
        assert_eq!(recording.events[0].ns, 100, "and nothing is longer by it");
    }

    #[test]
    fn the_viewer_gets_times_from_the_beginning() {
        let recording = Recording::read(TRACE, 90, 2000).expect("a recording");
        let script = recording.script("launch", "trixie", &json!({"HIP": "5.7.1"}), "hip launch", "");
        let body =
            script.strip_prefix("recording(\"launch\", \"trixie\", {\n").expect("a call of the viewer's function");
        let event = body.lines().find(|line| line.contains("\"add\"")).expect("the kernel");
        let event: Value = serde_json::from_str(event.trim_end_matches(',')).expect("JSON");
        assert_eq!((&event["t"], &event["d"], &event["l"]), (&json!(30), &json!(5), &json!("gpu")));
        assert!(Recording::read(TRACE, 3000, 4000).is_err(), "nothing happens then");
        assert!(Recording::read("{\n", 0, 1).is_err(), "a torn line");
    }
}
