//! Reads the trace that a virtual GPU writes itself: events of the GPU as lines of JSON.
//!
//! Lines have `ns` (`CLOCK_MONOTONIC_RAW`), `pid`, `tid`, `event` and fields that depend on the event. Requests of the
//! driver are left out: the recorder has them itself.

use crate::values::Object;
use serde_json::Value;
use std::collections::HashMap;

/// Something that the GPU did.
#[derive(Clone, Debug)]
pub struct DeviceEvent {
    /// When, in nanoseconds.
    pub ns: u64,
    /// When it ended.
    pub end: Option<u64>,
    /// For which process.
    pub pid: u32,
    /// The trace's name of the event, or `kernel` for a dispatch from start to end.
    pub name: String,
    /// The other fields.
    pub fields: Object,
}

impl DeviceEvent {
    /// A field that is a number, or an address as text.
    pub fn number(&self, field: &str) -> Option<u64> {
        match self.fields.get(field)? {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => u64::from_str_radix(text.strip_prefix("0x")?, 16).ok(),
            _ => None,
        }
    }
}

/// Reads a trace. A line that was cut off is passed over.
pub fn read(lines: &[u8]) -> Vec<DeviceEvent> {
    let mut events: Vec<DeviceEvent> = Vec::new();
    // A dispatch's number is that of its GPU, whose queues have numbers of their own.
    let mut running: HashMap<(u32, u64, u64), usize> = HashMap::new();
    for line in lines.split(|byte| *byte == b'\n') {
        let Ok(Value::Object(mut fields)) = serde_json::from_slice(line) else { continue };
        let mut take = |name: &str| fields.shift_remove(name).and_then(|value| value.as_u64());
        let (Some(ns), Some(pid)) = (take("ns"), take("pid")) else { continue };
        take("tid");
        let Some(Value::String(name)) = fields.shift_remove("event") else { continue };
        let mut event = DeviceEvent { ns, end: None, pid: pid as u32, name, fields };
        let key = |event: &DeviceEvent| Some((event.pid, event.number("queue")?, event.number("dispatch")?));
        match event.name.as_str() {
            "ioctl" => continue,
            "dispatch" => {
                event.name = "kernel".into();
                if let Some(key) = key(&event) {
                    running.insert(key, events.len());
                }
            }
            "dispatch_end" => {
                if let Some(index) = key(&event).and_then(|key| running.remove(&key)) {
                    events[index].end = Some(event.ns);
                    if let Some(instructions) = event.fields.shift_remove("instructions") {
                        events[index].fields.insert("instructions".into(), instructions);
                    }
                    continue;
                }
            }
            _ => {}
        }
        events.push(event);
    }
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dispatches_have_their_ends_and_torn_lines_are_passed_over() {
        let lines = br#"{"ns":10,"pid":7,"tid":8,"event":"ioctl","name":"X"}
{"ns":20,"pid":7,"tid":8,"event":"dispatch","queue":1,"packet":3,"dispatch":5,"kernel_object":"0x1040"}
{"ns":21,"pid":9,"tid":8,"event":"dispatch","queue":1,"packet":0,"dispatch":5}
{"ns":25,"pid":7,"tid":8,"event":"sig
{"ns":30,"pid":7,"tid":8,"event":"dispatch_end","queue":1,"dispatch":5,"instructions":99}
{"ns":31,"event":"signal"}
{"ns":32,"pid":7,"tid":8,"event":"signal","signal":"0xffff800000000000","value":-1}"#;
        let events = read(lines);
        let shown: Vec<_> = events.iter().map(|event| (event.ns, event.end, event.pid, event.name.as_str())).collect();
        assert_eq!(shown, [(20, Some(30), 7, "kernel"), (21, None, 9, "kernel"), (32, None, 7, "signal")]);
        assert_eq!(events[0].number("kernel_object"), Some(0x1040));
        assert_eq!(events[0].number("instructions"), Some(99));
        assert_eq!(events[2].number("signal"), Some(0xffff_8000_0000_0000));
    }
}
