//! Writes Chrome's trace format (JSON), which Perfetto, speedscope and browsers open.
//!
//! Threads of the host are threads of their process; queues of the GPU are threads of a process of their own.
//!
//! What has a duration is a pair of a beginning and an end, and the arguments are at the end: speedscope takes the name
//! of a beginning with its arguments for the frame, and so would add up only calls whose arguments are the same.
//! Perfetto and Chrome show a pair's arguments wherever they are.

use super::{Row, Rows, arrow};
use crate::values::Object;
use crate::view::View;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Numbers of the processes that stand for what the GPU does for a process, past any process of the host.
const GPU: u32 = 1 << 30;

/// Writes all of `view`.
///
/// # Errors
/// Those of `out`.
pub fn write(view: &View, out: &mut impl Write) -> io::Result<()> {
    let timeline = &view.timeline;
    let start = timeline.events.first().map_or(0, |event| event.ns);
    let us = |ns: u64| ns.saturating_sub(start) as f64 / 1000.0;
    write!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    let mut first = true;
    let mut emit = |out: &mut dyn Write, value: Value| {
        let comma = if std::mem::take(&mut first) { "\n" } else { ",\n" };
        out.write_all(comma.as_bytes())?;
        Ok::<_, io::Error>(serde_json::to_writer(out, &value)?)
    };
    let name = |what: &str, pid: u32, tid: u32, name: &str| json!({ "ph": "M", "name": what, "pid": pid, "tid": tid, "ts": 0, "args": { "name": name } });
    for process in &timeline.processes {
        emit(out, name("process_name", process.pid, 0, &process.command.join(" ")))?;
    }
    for thread in &timeline.threads {
        emit(out, name("thread_name", thread.pid, thread.tid, &thread.name))?;
    }
    let mut rows = Rows::default();
    let mut lanes: BTreeMap<Row, u32> = BTreeMap::new();
    let mut places = Vec::with_capacity(timeline.events.len());
    // The ends that are to be written of each row, with the innermost last.
    let mut open: BTreeMap<(u32, u32), Vec<(u64, Value)>> = BTreeMap::new();
    for (index, event) in timeline.events.iter().enumerate() {
        let shown = view.show(index);
        let place = match rows.of(view, index, &shown) {
            Row::Thread { pid, tid } => (pid, tid),
            lane @ Row::Gpu { pid, .. } => {
                let next = lanes.len() as u32 + 1;
                (GPU + pid, *lanes.entry(lane).or_insert(next))
            }
        };
        places.push(place);
        let open = open.entry(place).or_default();
        while let Some((_, end)) = open.pop_if(|(ns, _)| *ns <= event.ns) {
            emit(out, end)?;
        }
        let mut args = shown.args;
        if !shown.out.is_empty() {
            args.insert("out".into(), Value::Object(shown.out));
        }
        args.extend(shown.result.map(|result| ("result".to_owned(), result)));
        args.insert("id".into(), index.into());
        let line = |phase: &str, ns: u64| json!({ "ph": phase, "name": shown.name, "cat": shown.layer, "pid": place.0, "tid": place.1, "ts": us(ns) });
        let with_args = |mut line: Value, args: Object| {
            line["args"] = Value::Object(args);
            line
        };
        match event.end {
            Some(end) => {
                emit(out, line("B", event.ns))?;
                open.push((end, with_args(line("E", end), args)));
            }
            // Begun and never ended.
            None if event.unfinished() => emit(out, with_args(line("B", event.ns), args))?,
            None => {
                let mut line = with_args(line("i", event.ns), args);
                line["s"] = "t".into();
                emit(out, line)?;
            }
        }
    }
    for (_, end) in open.into_values().flat_map(|ends| ends.into_iter().rev()) {
        emit(out, end)?;
    }
    for (lane, tid) in &lanes {
        if let Row::Gpu { pid, track, .. } = lane {
            emit(out, name("process_name", GPU + pid, 0, &format!("GPU, for process {pid}")))?;
            emit(out, name("thread_name", GPU + pid, *tid, track))?;
        }
    }
    for (number, flow) in view.flows.iter().enumerate() {
        let steps: Vec<_> = flow.steps().collect();
        for (step, (name, index)) in steps.iter().enumerate().filter(|_| steps.len() > 1) {
            let last = step == steps.len() - 1;
            let phase = match step {
                0 => "s",
                _ if last => "f",
                _ => "t",
            };
            let (pid, tid) = places[*index];
            let ns = arrow(view, name, *index);
            let mut line = json!({
                "ph": phase, "name": "packet", "cat": "flow", "id": number, "pid": pid, "tid": tid, "ts": us(ns),
            });
            if last {
                line["bp"] = "e".into();
            }
            emit(out, line)?;
        }
    }
    writeln!(out, "\n]}}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, process};
    use crate::timeline::Timeline;
    use std::collections::BTreeSet;

    /// speedscope takes a beginning's name and arguments for the frame, and ends the innermost frame if the name of the
    /// end is the same.
    #[test]
    fn equal_calls_are_equal_frames_and_keep_their_arguments() {
        let records = [
            call(c"hipSetDevice", 10, 100, 0, &[3]),
            call(c"hipFree", 20, 30, 0, &[0x1000]),
            call(c"hipFree", 30, 40, 0, &[0x2000]),
            call(c"hipSetDevice", 100, 120, 0, &[1]),
        ];
        let view = View::new(Timeline::of(vec![process(7, 1, &[(7, &records)])], &[], b""));
        let mut bytes = Vec::new();
        write(&view, &mut bytes).expect("memory can be written");
        let value: Value = serde_json::from_slice(&bytes).expect("JSON");
        let (mut frames, mut stack, mut arguments) = (BTreeSet::new(), Vec::new(), Vec::new());
        for event in value["traceEvents"].as_array().expect("events") {
            match event["ph"].as_str().expect("a phase") {
                "B" => {
                    frames.insert(format!("{} {}", event["name"], event["args"]));
                    stack.push(event["name"].clone());
                }
                "E" => {
                    assert_eq!(stack.pop().as_ref(), Some(&event["name"]));
                    arguments.push(event["args"].clone());
                }
                _ => {}
            }
        }
        assert_eq!(frames, ["\"hipFree\" null", "\"hipSetDevice\" null"].map(String::from).into());
        assert!(stack.is_empty(), "{stack:?}");
        let given: Vec<_> =
            arguments.iter().map(|args| args.as_object().and_then(|args| args.values().next()).cloned()).collect();
        assert_eq!(given, [json!("0x1000"), json!("0x2000"), json!(3), json!(1)].map(Some));
    }
}
