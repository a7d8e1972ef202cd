//! An event in displayable form, names and values, for all output formats.

use crate::flows::{self, Flow, Known};
use crate::gpu_clock::Ticks;
use crate::raw::{KernelArgument, Kind, SystemCall, words};
use crate::tables::{self, Type};
use crate::timeline::{Body, Call, Event, Index, Timeline};
use crate::values::{self, Object, address, hex, number};
use aql::{Decoded, PacketType};
use serde_json::Value;

/// An event with names and values.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The kind of event.
    pub kind: &'static str,
    /// The layer of the stack.
    pub layer: &'static str,
    /// The name.
    pub name: String,
    /// Where it happened, if not on a thread of the host.
    pub track: Option<String>,
    /// The arguments.
    pub args: Object,
    /// The values returned through arguments.
    pub out: Object,
    /// The result.
    pub result: Option<Value>,
}

/// A timeline with what its events refer to.
#[derive(Debug)]
pub struct View {
    /// The events.
    pub timeline: Timeline,
    /// Names to which the events refer.
    pub known: Known,
    /// Connections between events.
    pub flows: Vec<Flow>,
    /// The flows of each event.
    of_event: Vec<Vec<u32>>,
}

impl View {
    /// Looks for what belongs together.
    pub fn new(timeline: Timeline) -> View {
        let known = Known::new(&timeline);
        let flows = flows::find(&timeline, &known);
        let mut of_event = vec![Vec::new(); timeline.events.len()];
        for (number, flow) in flows.iter().enumerate() {
            for (_, event) in flow.steps() {
                // A call may submit a packet and wait for it.
                if of_event[event].last() != Some(&(number as u32)) {
                    of_event[event].push(number as u32);
                }
            }
        }
        View { timeline, known, flows, of_event }
    }

    /// The flows that an event is part of.
    pub fn flows_of(&self, index: Index) -> &[u32] {
        &self.of_event[index]
    }

    /// An event's names and values.
    pub fn show(&self, index: Index) -> Shown {
        let event = &self.timeline.events[index];
        match &event.body {
            Body::Doorbell { queue, signal, value } => {
                let mut args = self.queue(event.pid, *queue);
                args.insert("signal".into(), address(*signal));
                args.insert("value".into(), number(*value));
                shown("doorbell", "queue", "doorbell", args)
            }
            Body::Device(device) => {
                let mut args = device.fields.clone();
                let mut name = device.name.clone();
                let kernel =
                    device.number("kernel_object").and_then(|object| self.known.kernels.get(&(event.pid, object)));
                if let Some(kernel) = kernel {
                    name.clone_from(kernel);
                } else if device.name == "kernel"
                    && let Some(Value::String(kernel)) = device.fields.get("kernel")
                {
                    name.clone_from(kernel);
                } else if let Some(Value::String(packet)) = device.fields.get("packet") {
                    name = format!("{name} {packet}");
                }
                let kind = if device.name == "kernel" { "kernel" } else { "device" };
                args.insert("event".into(), device.name.clone().into());
                let track = device.number("queue").map_or("GPU".into(), |queue| format!("GPU queue {queue}"));
                Shown { track: Some(track), ..shown(kind, "gpu", &name, args) }
            }
            Body::Ticks(ticks) => self.ticks(event, ticks),
            Body::Log(line) => {
                let mut args = Object::new();
                args.insert("level".into(), line.level.into());
                args.insert("file".into(), line.file.clone().into());
                args.insert("line".into(), line.line.into());
                args.insert("message".into(), line.message.clone().into());
                shown("log", "runtime", &format!("{}:{}", line.file, line.line), args)
            }
            Body::Raw(record) => match record.kind {
                Kind::Call => event.call().map(|call| self.call(event, call)),
                Kind::Ioctl => self.ioctl(event),
                Kind::System => system(event),
                Kind::Queue => self.queue_made(event),
                Kind::Packet => self.packet(event),
                Kind::Kernel => self.kernel(event),
                Kind::Library => library(event),
                // In bodies of their own.
                Kind::Ticks => None,
                Kind::Metadata => metadata(event),
            }
            .unwrap_or_else(|| {
                let mut args = Object::new();
                args.insert("words".into(), record.words.iter().map(|word| address(*word)).collect());
                shown("unknown", "recorder", "torn record", args)
            }),
        }
    }

    fn call(&self, event: &Event, call: Call) -> Shown {
        let (mut args, mut out) = (Object::new(), Object::new());
        let mut texts = call.texts().into_iter();
        let mut outs = call.outs().iter();
        let done = event.end.is_some() && !call.failed();
        for (field, argument) in call.function.args.iter().zip(call.arguments()) {
            let bytes = values::bytes_of(argument, field.bytes);
            let value = match field.ty {
                Type::Text if argument[0] != 0 => texts.next().map_or_else(|| address(argument[0]), Value::from),
                _ => values::value(&field.ty, &bytes),
            };
            if let Type::Out(ty, bytes) = field.ty {
                let given = outs.next().filter(|_| argument[0] != 0 && done);
                if let Some(given) = given {
                    out.insert(field.name.into(), values::value(ty, &given.to_le_bytes()[..bytes]));
                }
            }
            args.insert(field.name.into(), value);
        }
        let name = call.function.name.to_str().unwrap_or_default();
        if let Some(kernel) = call.argument(0).and_then(|function| self.known.functions.get(&(event.pid, function)))
            && name.contains("Launch")
        {
            args.insert("kernel".into(), kernel.clone().into());
        }
        let result = call.function.result.filter(|_| event.end.is_some()).map(|ty| {
            let bytes = match ty {
                Type::Record(_) | Type::Bytes => 8 * call.result().len(),
                Type::Enumerator(_) | Type::Named(_) => 4,
                _ => 8,
            };
            values::value(&ty, &values::bytes_of(call.result(), bytes))
        });
        Shown { out, result, ..shown("call", call.table.layer, name, args) }
    }

    fn ioctl(&self, event: &Event) -> Option<Shown> {
        let record = event.words(Kind::Ioctl, 5)?;
        let bytes = (record[4] >> 32) as usize;
        let half = words(bytes);
        let before = values::bytes_of(record.get(5..5 + half)?, bytes);
        let after = values::bytes_of(record.get(5 + half..5 + 2 * half)?, bytes);
        let mut args = Object::new();
        let mut out = Object::new();
        args.insert("fd".into(), (record[4] as i32).into());
        args.insert("request".into(), address(event.what().into()));
        let request = tables::request(event.what().into());
        if let Some(request) = request {
            args.extend(values::record(&request.argument, &before));
            if event.end.is_some() {
                out = values::record(&request.argument, &after);
                out.retain(|name, value| args.get(name) != Some(value));
            }
        } else {
            args.insert("bytes".into(), hex(&before).into());
        }
        let name = request.map_or("ioctl", |request| request.name);
        let result = event.end.map(|_| errno(record[3] as i64));
        Some(Shown { out, result, ..shown("ioctl", "driver", name, args) })
    }

    /// A queue, by its address and the driver's number.
    fn queue(&self, pid: u32, queue: u64) -> Object {
        let mut args = Object::new();
        args.insert("queue".into(), address(queue));
        if let Some(id) = self.known.queues.get(&(pid, queue)) {
            args.insert("queue_id".into(), number(*id));
        }
        args
    }

    fn queue_made(&self, event: &Event) -> Option<Shown> {
        let record = event.words(Kind::Queue, 7)?;
        let mut args = self.queue(event.pid, record[2]);
        args.insert("ring".into(), address(record[3]));
        args.insert("doorbell_signal".into(), address(record[4]));
        args.insert("packets".into(), number(record[5]));
        args.insert("hsa_id".into(), number(record[6]));
        Some(shown("queue", "queue", "queue made", args))
    }

    fn packet(&self, event: &Event) -> Option<Shown> {
        let packet = flows::packet(event)?;
        let record = event.words(Kind::Packet, 12)?;
        let mut args = self.queue(event.pid, packet.queue);
        args.insert("index".into(), number(packet.index));
        args.insert("bytes".into(), hex(&packet.bytes).into());
        args.insert("header".into(), address(packet.header.into()));
        args.insert("setup".into(), address(u16::from_le_bytes([packet.bytes[2], packet.bytes[3]]).into()));
        // The packet processor may have taken it already, if an earlier doorbell reached as far; it empties the slot.
        let mut bytes = packet.bytes;
        let taken = packet.header as u8 == PacketType::Invalid as u8;
        if taken {
            args.insert("taken".into(), true.into());
            bytes[0] = PacketType::KernelDispatch as u8;
            if Decoded::from_bytes(&bytes).is_err() {
                bytes[0] = PacketType::BarrierAnd as u8;
            }
        } else {
            args.insert("barrier".into(), (packet.header >> 8 & 1 == 1).into());
            args.insert("acquire".into(), scope(packet.header >> 9));
            args.insert("release".into(), scope(packet.header >> 11));
        }
        let mut name = match Decoded::from_bytes(&bytes) {
            Ok(decoded) => decoded_fields(&decoded, &mut args),
            Err(error) => {
                args.insert("invalid".into(), error.to_string().into());
                "invalid"
            }
        }
        .to_owned();
        if let Some(kernel) = args.get("kernel_object").and(self.kernel_name(event.pid, record[8])) {
            args.insert("kernel".into(), kernel.into());
            name = format!("{name} {kernel}");
        }
        if packet.completion != 0 {
            args.insert("completion_signal".into(), address(packet.completion));
        }
        let kernarg = event.what() as usize;
        if kernarg > 0 {
            let bytes = values::bytes_of(record.get(12..12 + words(kernarg))?, kernarg);
            args.insert("kernarg".into(), hex(&bytes).into());
            let known = self.kernel_name(event.pid, record[8]);
            let known = known.and_then(|kernel| self.known.arguments.get(&(event.pid, kernel.to_owned())));
            if let Some(arguments) = known {
                args.insert(
                    "arguments".into(),
                    arguments.iter().map(|argument| kernel_argument(argument, &bytes)).collect(),
                );
            }
        }
        Some(shown("packet", "queue", &name, args))
    }

    fn ticks(&self, event: &Event, ticks: &Ticks) -> Shown {
        let mut args = Object::new();
        args.insert("signal".into(), address(ticks.signal));
        args.insert("start".into(), number(ticks.start));
        args.insert("end".into(), number(ticks.end));
        let mut name = "times in the signal";
        let mut track = "GPU".to_owned();
        if let Some(packet) = ticks.packet {
            args.extend(self.queue(event.pid, packet.queue));
            args.insert("packet".into(), number(packet.index));
            name = self.kernel_name(event.pid, packet.kernel_object).unwrap_or(name);
            if let Some(id) = self.known.queues.get(&(event.pid, packet.queue)) {
                track = format!("GPU queue {id}");
            }
        }
        // Without the GPU's clock it is only known when a thread saw them.
        Shown { track: event.end.map(|_| track), ..shown("ticks", "gpu", name, args) }
    }

    fn kernel_name(&self, pid: u32, object: u64) -> Option<&str> {
        self.known.kernels.get(&(pid, object)).map(String::as_str)
    }

    fn kernel(&self, event: &Event) -> Option<Shown> {
        let record = event.words(Kind::Kernel, 5)?;
        let mut args = Object::new();
        args.insert("symbol".into(), address(record[2]));
        args.insert("kernel_object".into(), address(record[3]));
        args.insert("kernarg_bytes".into(), number(record[4]));
        if let Some(name) = self.kernel_name(event.pid, record[3]) {
            args.insert("kernel".into(), name.into());
        }
        Some(shown("symbol", "hsa", "kernel object", args))
    }
}

fn shown(kind: &'static str, layer: &'static str, name: &str, args: Object) -> Shown {
    Shown { kind, layer, name: name.to_owned(), track: None, args, out: Object::new(), result: None }
}

/// What a system call returned: the errno's number as a negative one.
fn errno(result: i64) -> Value {
    match result {
        -4095..=-1 => {
            let error = std::io::Error::from_raw_os_error(-result as i32);
            Value::String(format!("{error}"))
        }
        _ => Value::from(result),
    }
}

fn system(event: &Event) -> Option<Shown> {
    let record = event.words(Kind::System, 11)?;
    let call = SystemCall::from_number(event.what())?;
    let (name, arguments) = call.names();
    let mut args = Object::new();
    let path = values::text(&record[10..])?;
    if !path.is_empty() {
        args.insert("path".into(), path.into());
    }
    for (argument, value) in arguments.iter().zip(&record[4..10]) {
        let value = match *argument {
            "fd" => Value::from(*value as i32),
            "length" => number(*value),
            _ => address(*value),
        };
        args.insert((*argument).into(), value);
    }
    let result = event.end.map(|_| match (call, record[3] as i64) {
        (SystemCall::Mmap, result) if !(-4095..0).contains(&result) => address(result as u64),
        (_, result) => errno(result),
    });
    Some(Shown { result, ..shown("syscall", "driver", name, args) })
}

fn library(event: &Event) -> Option<Shown> {
    let path = values::text(&event.words(Kind::Library, 3)?[2..])?;
    let (table, function) = tables::Id(event.what()).find()?;
    let mut args = Object::new();
    args.insert("path".into(), path.into());
    args.insert("function".into(), function.name.to_string_lossy().into_owned().into());
    Some(shown("library", table.layer, "library", args))
}

fn metadata(event: &Event) -> Option<Shown> {
    let (kernel, arguments) = flows::metadata(event)?;
    let mut args = Object::new();
    args.insert("kernel".into(), kernel.into());
    args.insert("kernarg_bytes".into(), event.what().into());
    let argument = |argument: &KernelArgument| {
        let mut fields = Object::new();
        fields.insert("name".into(), argument.name.clone().into());
        fields.insert("type".into(), argument.ty.clone().into());
        fields.insert("offset".into(), argument.offset.into());
        fields.insert("bytes".into(), argument.bytes.into());
        Value::Object(fields)
    };
    args.insert("arguments".into(), arguments.iter().map(argument).collect());
    Some(shown("metadata", "hsa", "kernel", args))
}

/// An argument's name and value, in the bytes of a kernarg segment that were kept.
fn kernel_argument(argument: &KernelArgument, bytes: &[u8]) -> Value {
    let mut fields = Object::new();
    if !argument.name.is_empty() {
        fields.insert("name".into(), argument.name.clone().into());
    }
    let kept = bytes.get(argument.offset..argument.offset.saturating_add(argument.bytes));
    let ty = match (argument.ty.as_str(), argument.bytes) {
        _ if argument.address => Type::Address,
        ("float", 4) | ("double", 8) => Type::Float,
        ("int" | "long" | "short" | "char", 1 | 2 | 4 | 8) => Type::Signed,
        // Without a type's name, the bits.
        (_, 1 | 2 | 4 | 8) => Type::Unsigned,
        _ => Type::Bytes,
    };
    fields.insert("value".into(), kept.map_or(Value::Null, |kept| values::value(&ty, kept)));
    Value::Object(fields)
}

fn scope(bits: u16) -> Value {
    Value::from(match bits & 3 {
        0 => "none",
        1 => "agent",
        2 => "system",
        _ => "reserved",
    })
}

/// Adds a packet's fields; gives the name of its type.
fn decoded_fields(decoded: &Decoded, args: &mut Object) -> &'static str {
    let addresses = |values: &[u64]| values.iter().filter(|value| **value != 0).map(|value| address(*value)).collect();
    match decoded {
        Decoded::KernelDispatch(packet) => {
            let geometry = packet.geometry();
            args.insert("grid".into(), geometry.grid().to_vec().into());
            args.insert("workgroup".into(), geometry.workgroup().to_vec().into());
            args.insert("private_segment_size".into(), packet.private_segment_size().into());
            args.insert("group_segment_size".into(), packet.group_segment_size().into());
            args.insert("kernel_object".into(), address(packet.kernel_object()));
            args.insert("kernarg_address".into(), address(packet.kernarg_address()));
            "kernel_dispatch"
        }
        Decoded::BarrierAnd(packet) => {
            args.insert("dep_signals".into(), addresses(&packet.dep_signals()));
            "barrier_and"
        }
        Decoded::BarrierOr(packet) => {
            args.insert("dep_signals".into(), addresses(&packet.dep_signals()));
            "barrier_or"
        }
        Decoded::AgentDispatch(packet) => {
            args.insert("function".into(), packet.function().into());
            args.insert("return_address".into(), address(packet.return_address()));
            args.insert("args".into(), packet.args().iter().map(|value| address(*value)).collect());
            "agent_dispatch"
        }
        Decoded::BarrierValue(packet) => {
            args.insert("signal".into(), address(packet.signal()));
            args.insert("condition".into(), format!("{:?}", packet.condition()).into());
            args.insert("value".into(), packet.value().into());
            args.insert("mask".into(), address(packet.mask() as u64));
            "barrier_value"
        }
        Decoded::Pm4Ib(packet) => {
            args.insert("commands".into(), address(packet.commands()));
            args.insert("dwords".into(), packet.dwords().into());
            "pm4_ib"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, packet, process, queue};
    use crate::timeline::Timeline;
    use serde_json::json;

    fn shown(records: &[Vec<u64>]) -> Vec<Shown> {
        let view = View::new(Timeline::of(vec![process(7, 1, &[(7, records)])], &[], b""));
        (0..view.timeline.events.len()).map(|index| view.show(index)).collect()
    }

    /// The upper half of the register is undefined.
    #[test]
    fn results_of_enumerations_have_four_bytes() {
        let result = |name: &std::ffi::CStr, register| {
            let events = shown(&[call(name, 10, 20, register, &[3])]);
            events.into_iter().find_map(|event| event.result).expect("the call's result")
        };
        assert_eq!(result(c"hipSetDevice", 0xdead_beef_0000_0001), json!("hipErrorInvalidValue"));
        // A number that this version of HIP does not have.
        assert_eq!(result(c"hipSetDevice", 0xdead_beef_0000_ffff), json!(0xffff));
        assert_eq!(result(c"clFinish", 0xffff_fffb), json!("CL_OUT_OF_RESOURCES"));
    }

    #[test]
    fn packets_show_barrier_bit_and_scopes() {
        const QUEUE: u64 = 0x1000;
        for (header, barrier, acquire, release) in
            [(0x1502, true, "system", "system"), (0x0a02, false, "agent", "agent")]
        {
            let events = shown(&[queue(5, QUEUE, 0x77), packet(10, QUEUE, 0, header, 0)]);
            let packet = events.iter().find(|event| event.kind == "packet").expect("the packet");
            let fields = ["barrier", "acquire", "release"].map(|field| packet.args[field].clone());
            assert_eq!(fields, [json!(barrier), json!(acquire), json!(release)], "{header:#x}");
        }
    }
}
