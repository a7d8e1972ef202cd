//! Chrome's trace format (JSON), which Perfetto, speedscope and browsers open.
//!
//! Threads of the host are threads of their process; queues of the GPU are threads of a process of their own.

use super::{Row, Rows, arrow};
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
        write!(out, "{comma}{value}")
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
        let mut args = shown.args;
        if !shown.out.is_empty() {
            args.insert("out".into(), Value::Object(shown.out));
        }
        args.extend(shown.result.map(|result| ("result".to_owned(), result)));
        args.insert("id".into(), index.into());
        let mut line = json!({
            "name": shown.name, "cat": shown.layer, "pid": place.0, "tid": place.1, "ts": us(event.ns), "args": args,
        });
        match event.end {
            Some(end) => {
                line["ph"] = "X".into();
                line["dur"] = (end.saturating_sub(event.ns) as f64 / 1000.0).into();
            }
            // Begun and never ended.
            None if event.unfinished() => line["ph"] = "B".into(),
            None => {
                line["ph"] = "i".into();
                line["s"] = "t".into();
            }
        }
        emit(out, line)?;
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
