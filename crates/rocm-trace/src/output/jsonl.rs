//! Writes lines of JSON, the format for scripts, which `docs/src/tools/rocm-trace.md` describes.

use crate::values::Object;
use crate::view::View;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Version of the format.
pub const FORMAT: u32 = 1;

/// Writes all of `view`.
///
/// # Errors
/// Those of `out`.
pub fn write(view: &View, out: &mut impl Write) -> io::Result<()> {
    let timeline = &view.timeline;
    line(out, &json!({ "kind": "header", "format": FORMAT, "clock": "CLOCK_MONOTONIC_RAW" }))?;
    for process in &timeline.processes {
        let bytes: u64 = process.chunks().map(|chunk| chunk.bytes()).sum();
        line(
            out,
            &json!({
                "kind": "process", "pid": process.pid, "parent": process.parent, "ns": process.made.raw_ns,
                "realtime_ns": process.made.real_ns, "command": process.command, "bytes": bytes, "lost": process.lost,
            }),
        )?;
    }
    for thread in &timeline.threads {
        line(out, &json!({ "kind": "thread", "pid": thread.pid, "tid": thread.tid, "name": thread.name }))?;
    }
    for index in 0..timeline.events.len() {
        line(out, &Value::Object(event(view, index)))?;
    }
    for (number, flow) in view.flows.iter().enumerate() {
        let mut fields = Object::new();
        fields.insert("kind".into(), "flow".into());
        fields.insert("flow".into(), number.into());
        fields.extend(flow.steps().map(|(step, event)| (step.to_owned(), event.into())));
        line(out, &Value::Object(fields))?;
    }
    Ok(())
}

/// Not by `Display`, which checks again that each piece of the text is UTF-8.
fn line(out: &mut impl Write, value: &Value) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

fn event(view: &View, index: usize) -> Object {
    let event = &view.timeline.events[index];
    let shown = view.show(index);
    let mut line = Object::new();
    line.insert("id".into(), index.into());
    line.insert("kind".into(), shown.kind.into());
    line.insert("layer".into(), shown.layer.into());
    line.insert("name".into(), shown.name.into());
    line.insert("pid".into(), event.pid.into());
    match shown.track {
        Some(track) => line.insert("track".into(), track.into()),
        None => line.insert("tid".into(), event.tid.into()),
    };
    line.insert("ns".into(), event.ns.into());
    if let Some(end) = event.end {
        line.insert("dur".into(), end.saturating_sub(event.ns).into());
    } else if event.unfinished() {
        line.insert("unfinished".into(), true.into());
    }
    if let Some(parent) = event.parent {
        line.insert("parent".into(), parent.into());
    }
    if !view.flows_of(index).is_empty() {
        line.insert("flows".into(), view.flows_of(index).into());
    }
    line.insert("args".into(), Value::Object(shown.args));
    if !shown.out.is_empty() {
        line.insert("out".into(), Value::Object(shown.out));
    }
    if let Some(result) = shown.result {
        line.insert("result".into(), result);
    }
    line
}
