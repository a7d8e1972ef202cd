//! Writes Perfetto's TrackEvent protobuf for ui.perfetto.dev: slices with arguments, and an arrow along each flow.
//!
//! The few messages that are written are declared here, with the numbers of Perfetto's `perfetto_trace.proto`.

use super::{Row, Rows, arrow};
use crate::view::{Shown, View};
use prost::Message;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Write};

#[derive(Clone, PartialEq, Message)]
struct Packet {
    #[prost(message, optional, tag = "6")]
    clock_snapshot: Option<ClockSnapshot>,
    #[prost(uint64, optional, tag = "8")]
    timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "10")]
    trusted_packet_sequence_id: Option<u32>,
    #[prost(message, optional, tag = "11")]
    track_event: Option<TrackEvent>,
    #[prost(uint32, optional, tag = "13")]
    sequence_flags: Option<u32>,
    #[prost(uint32, optional, tag = "58")]
    timestamp_clock_id: Option<u32>,
    #[prost(message, optional, tag = "60")]
    track_descriptor: Option<TrackDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct ClockSnapshot {
    #[prost(message, repeated, tag = "1")]
    clocks: Vec<Clock>,
    #[prost(enumeration = "BuiltinClock", optional, tag = "2")]
    primary_trace_clock: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
struct Clock {
    #[prost(uint32, optional, tag = "1")]
    clock_id: Option<u32>,
    #[prost(uint64, optional, tag = "2")]
    timestamp: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
enum BuiltinClock {
    Unknown = 0,
    Realtime = 1,
    MonotonicRaw = 5,
}

#[derive(Clone, PartialEq, Message)]
struct TrackDescriptor {
    #[prost(uint64, optional, tag = "1")]
    uuid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    name: Option<String>,
    #[prost(message, optional, tag = "3")]
    process: Option<ProcessDescriptor>,
    #[prost(message, optional, tag = "4")]
    thread: Option<ThreadDescriptor>,
    #[prost(uint64, optional, tag = "5")]
    parent_uuid: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
struct ProcessDescriptor {
    #[prost(int32, optional, tag = "1")]
    pid: Option<i32>,
    #[prost(string, repeated, tag = "2")]
    cmdline: Vec<String>,
    #[prost(string, optional, tag = "6")]
    process_name: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct ThreadDescriptor {
    #[prost(int32, optional, tag = "1")]
    pid: Option<i32>,
    #[prost(int64, optional, tag = "2")]
    tid: Option<i64>,
    #[prost(string, optional, tag = "5")]
    thread_name: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct TrackEvent {
    #[prost(message, repeated, tag = "4")]
    debug_annotations: Vec<DebugAnnotation>,
    #[prost(enumeration = "EventType", optional, tag = "9")]
    r#type: Option<i32>,
    #[prost(uint64, optional, tag = "11")]
    track_uuid: Option<u64>,
    #[prost(string, repeated, tag = "22")]
    categories: Vec<String>,
    #[prost(string, optional, tag = "23")]
    name: Option<String>,
    #[prost(fixed64, repeated, packed = "false", tag = "47")]
    flow_ids: Vec<u64>,
    #[prost(fixed64, repeated, packed = "false", tag = "48")]
    terminating_flow_ids: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
enum EventType {
    Unspecified = 0,
    SliceBegin = 1,
    SliceEnd = 2,
    Instant = 3,
}

#[derive(Clone, PartialEq, Message)]
struct DebugAnnotation {
    #[prost(bool, optional, tag = "2")]
    bool_value: Option<bool>,
    #[prost(uint64, optional, tag = "3")]
    uint_value: Option<u64>,
    #[prost(int64, optional, tag = "4")]
    int_value: Option<i64>,
    #[prost(double, optional, tag = "5")]
    double_value: Option<f64>,
    #[prost(string, optional, tag = "6")]
    string_value: Option<String>,
    #[prost(string, optional, tag = "10")]
    name: Option<String>,
    #[prost(message, repeated, tag = "11")]
    dict_entries: Vec<DebugAnnotation>,
    #[prost(message, repeated, tag = "12")]
    array_values: Vec<DebugAnnotation>,
}

/// `SEQ_INCREMENTAL_STATE_CLEARED`, which the first packet of a sequence needs.
const STATE_CLEARED: u32 = 1;
const SEQUENCE: u32 = 1;
/// The field of `Trace` that holds packets.
const TRACE_PACKET: u32 = 1;

fn annotation(name: Option<&str>, value: &Value) -> DebugAnnotation {
    let mut annotation = DebugAnnotation { name: name.map(str::to_owned), ..DebugAnnotation::default() };
    match value {
        Value::Null => annotation.string_value = Some("null".into()),
        Value::Bool(value) => annotation.bool_value = Some(*value),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(value), _) => annotation.uint_value = Some(value),
            (None, Some(value)) => annotation.int_value = Some(value),
            _ => annotation.double_value = number.as_f64(),
        },
        Value::String(text) => annotation.string_value = Some(text.clone()),
        Value::Array(values) => {
            annotation.array_values = values.iter().map(|value| self::annotation(None, value)).collect()
        }
        Value::Object(fields) => annotation.dict_entries = annotations(fields.iter()),
    }
    annotation
}

fn annotations<'a>(fields: impl Iterator<Item = (&'a String, &'a Value)>) -> Vec<DebugAnnotation> {
    fields.map(|(name, value)| annotation(Some(name), value)).collect()
}

/// Numbers of tracks.
#[derive(Default)]
struct Tracks {
    known: BTreeMap<Row, u64>,
    descriptors: Vec<TrackDescriptor>,
}

impl Tracks {
    fn add(&mut self, descriptor: TrackDescriptor) -> u64 {
        let uuid = self.descriptors.len() as u64 + 1;
        self.descriptors.push(TrackDescriptor { uuid: Some(uuid), ..descriptor });
        uuid
    }

    fn of(&mut self, view: &View, row: Row) -> u64 {
        if let Some(uuid) = self.known.get(&row) {
            return *uuid;
        }
        let descriptor = match &row {
            Row::Thread { pid, tid } => {
                let thread = view.timeline.threads.iter().find(|thread| thread.pid == *pid && thread.tid == *tid);
                let thread = ThreadDescriptor {
                    pid: Some(*pid as i32),
                    tid: Some((*tid).into()),
                    thread_name: thread.map(|thread| thread.name.clone()),
                };
                TrackDescriptor { thread: Some(thread), ..TrackDescriptor::default() }
            }
            Row::Gpu { pid, track, .. } => {
                // Processes come first, in their order.
                let process = view.timeline.processes.iter().position(|process| process.pid == *pid);
                let parent_uuid = process.map(|process| process as u64 + 1);
                TrackDescriptor { name: Some(track.clone()), parent_uuid, ..TrackDescriptor::default() }
            }
        };
        let uuid = self.add(descriptor);
        self.known.insert(row, uuid);
        uuid
    }
}

/// Writes all of `view`.
///
/// # Errors
/// Those of `out`.
pub fn write(view: &View, out: &mut impl Write) -> io::Result<()> {
    let timeline = &view.timeline;
    let mut tracks = Tracks::default();
    for process in &timeline.processes {
        let descriptor = ProcessDescriptor {
            pid: Some(process.pid as i32),
            cmdline: process.command.clone(),
            process_name: process.command.first().cloned(),
        };
        tracks.add(TrackDescriptor { process: Some(descriptor), ..TrackDescriptor::default() });
    }
    let mut events: Vec<(u64, TrackEvent)> = Vec::new();
    // Slices that are open, by track: their ends come before what begins later.
    let mut open: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let mut places = Vec::with_capacity(timeline.events.len());
    let mut rows = Rows::default();
    for (index, event) in timeline.events.iter().enumerate() {
        let shown = view.show(index);
        let row = rows.of(view, index, &shown);
        let track = tracks.of(view, row);
        places.push(track);
        let open = open.entry(track).or_default();
        while let Some(end) = open.pop_if(|end| *end <= event.ns && (event.end.is_some() || *end < event.ns)) {
            events.push((end, end_of(track)));
        }
        let spans = event.end.is_some() || event.unfinished();
        let kind = if spans { EventType::SliceBegin } else { EventType::Instant };
        events.push((event.ns, slice(kind, track, shown)));
        if spans {
            open.push(event.end.unwrap_or(u64::MAX));
        }
        add_flows(view, index, track, &mut events);
    }
    for (track, mut open) in open {
        while let Some(end) = open.pop() {
            // One that never ended is left open.
            if end != u64::MAX {
                events.push((end, end_of(track)));
            }
        }
    }
    events.sort_by_key(|(ns, _)| *ns);

    let mut packet = |packet: Packet| {
        let packet = Packet { trusted_packet_sequence_id: Some(SEQUENCE), ..packet };
        let mut bytes = Vec::with_capacity(packet.encoded_len() + 8);
        prost::encoding::message::encode(TRACE_PACKET, &packet, &mut bytes);
        out.write_all(&bytes)
    };
    let clocks = timeline.processes.first().map(|process| ClockSnapshot {
        clocks: vec![
            Clock { clock_id: Some(BuiltinClock::MonotonicRaw as u32), timestamp: Some(process.made.raw_ns) },
            Clock { clock_id: Some(BuiltinClock::Realtime as u32), timestamp: Some(process.made.real_ns) },
        ],
        primary_trace_clock: Some(BuiltinClock::MonotonicRaw as i32),
    });
    packet(Packet { clock_snapshot: clocks, sequence_flags: Some(STATE_CLEARED), ..Packet::default() })?;
    for descriptor in tracks.descriptors {
        packet(Packet { track_descriptor: Some(descriptor), ..Packet::default() })?;
    }
    for (ns, event) in events {
        packet(Packet {
            timestamp: Some(ns),
            timestamp_clock_id: Some(BuiltinClock::MonotonicRaw as u32),
            track_event: Some(event),
            ..Packet::default()
        })?;
    }
    Ok(())
}

fn slice(kind: EventType, track: u64, shown: Shown) -> TrackEvent {
    let mut annotations = annotations(shown.args.iter());
    if !shown.out.is_empty() {
        annotations.push(annotation(Some("out"), &Value::Object(shown.out)));
    }
    annotations.extend(shown.result.map(|result| annotation(Some("result"), &result)));
    TrackEvent {
        r#type: Some(kind as i32),
        track_uuid: Some(track),
        name: Some(shown.name),
        categories: vec![shown.layer.into()],
        debug_annotations: annotations,
        ..TrackEvent::default()
    }
}

fn end_of(track: u64) -> TrackEvent {
    TrackEvent { r#type: Some(EventType::SliceEnd as i32), track_uuid: Some(track), ..TrackEvent::default() }
}

/// Marks the event just added as a step of its flows. Where a flow reaches the end of a slice, a moment there stands
/// for it.
fn add_flows(view: &View, index: usize, track: u64, events: &mut Vec<(u64, TrackEvent)>) {
    let began = view.timeline.events[index].ns;
    let mut ended: Option<(u64, TrackEvent)> = None;
    for flow in view.flows_of(index) {
        let steps: Vec<_> = view.flows[*flow as usize].steps().filter(|(step, _)| *step != "waited_in").collect();
        let last = steps.last().is_some_and(|(_, last)| *last == index);
        let Some((step, _)) = steps.iter().find(|(_, event)| *event == index) else { continue };
        let ns = arrow(view, step, index);
        let event = if ns == began {
            events.last_mut().map(|(_, event)| event)
        } else {
            let event = || TrackEvent {
                r#type: Some(EventType::Instant as i32),
                track_uuid: Some(track),
                name: Some("signal seen".into()),
                ..TrackEvent::default()
            };
            Some(&mut ended.get_or_insert_with(|| (ns, event())).1)
        };
        // Perfetto takes 0 for no flow.
        let id = u64::from(*flow) + 1;
        let ids = event.map(|event| if last { &mut event.terminating_flow_ids } else { &mut event.flow_ids });
        ids.into_iter().for_each(|ids| ids.push(id));
    }
    events.extend(ended);
}
