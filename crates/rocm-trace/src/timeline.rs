//! Merges all records of a run into one time line.

use crate::device::{self, DeviceEvent};
use crate::flows;
use crate::gpu_clock::{self, Ticks};
use crate::log::LogLine;
use crate::preload::calls::RESULT;
use crate::raw::{Kind, words};
use crate::reader::{ProcessFile, RawRecord, ReadError};
use crate::tables::{Function, Id, Table, Type};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A place in [`Timeline::events`].
pub type Index = usize;

/// The source of an event.
#[derive(Clone, Debug)]
pub enum Body {
    /// A record of the recorder.
    Raw(RawRecord),
    /// The doorbell of a queue rings, for packets up to this index.
    Doorbell {
        /// Address of the queue.
        queue: u64,
        /// Handle of the signal that is stored to.
        signal: u64,
        /// What is stored.
        value: u64,
    },
    /// The times that the GPU left in a signal.
    Ticks(Box<Ticks>),
    /// An event of the device's own trace.
    Device(Box<DeviceEvent>),
    /// A line of a runtime's log.
    Log(Box<LogLine>),
}

/// Something that happened.
#[derive(Clone, Debug)]
pub struct Event {
    /// When it began, in nanoseconds of `CLOCK_MONOTONIC_RAW`.
    pub ns: u64,
    /// When it ended; `None`: it takes no time, or had not ended when the process did.
    pub end: Option<u64>,
    /// The process.
    pub pid: u32,
    /// The host's thread; 0 for events of the GPU.
    pub tid: u32,
    /// The innermost call of the thread in which it happened.
    pub parent: Option<Index>,
    /// The event's source and data.
    pub body: Body,
}

/// A thread that recorded something.
#[derive(Clone, Debug)]
pub struct Thread {
    /// The process.
    pub pid: u32,
    /// The kernel's number.
    pub tid: u32,
    /// The thread's `pthread_self`.
    pub pthread: u64,
    /// The name.
    pub name: String,
}

/// All that was recorded, in the order of time.
#[derive(Debug, Default)]
pub struct Timeline {
    /// The processes.
    pub processes: Vec<ProcessFile>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// The events.
    pub events: Vec<Event>,
}

/// A call that was recorded.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The function's table.
    pub table: &'static Table,
    /// The function.
    pub function: &'static Function,
    words: &'static [u64],
}

impl Call {
    fn of(record: RawRecord) -> Option<Call> {
        let words = record.words;
        let (table, function) = Id(record.what).find()?;
        let arguments: usize = function.args.iter().map(|field| crate::raw::words(field.bytes)).sum();
        let fits = words.len() >= RESULT + usize::from(function.results) + arguments + usize::from(function.outs);
        fits.then_some(Call { table, function, words })
    }

    /// The words of the result.
    pub fn result(&self) -> &'static [u64] {
        &self.words[RESULT..][..self.function.results.into()]
    }

    /// The words behind the result.
    fn behind_result(&self) -> &'static [u64] {
        &self.words[RESULT + usize::from(self.function.results)..]
    }

    /// The words of each argument.
    pub fn arguments(&self) -> impl Iterator<Item = &'static [u64]> + use<> {
        let mut rest = self.behind_result();
        self.function.args.iter().map(move |field| {
            let (argument, behind) = rest.split_at(words(field.bytes));
            rest = behind;
            argument
        })
    }

    /// The first word of the argument at `index`.
    pub fn argument(&self, index: usize) -> Option<u64> {
        self.arguments().nth(index)?.first().copied()
    }

    /// The first word of what the function gave through the argument at `index`.
    pub fn out(&self, index: usize) -> Option<u64> {
        let nth = self.function.args.get(..index)?.iter().filter(|field| matches!(field.ty, Type::Out(..))).count();
        self.outs().get(nth).copied()
    }

    /// The words that the function returned through its arguments.
    pub fn outs(&self) -> &'static [u64] {
        let arguments: usize = self.function.args.iter().map(|field| words(field.bytes)).sum();
        &self.behind_result()[arguments..][..self.function.outs.into()]
    }

    /// Whether the call reports a failure through its result.
    pub fn failed(&self) -> bool {
        matches!(self.function.result, Some(Type::Enumerator(_) | Type::Named(_)))
            && self.result().first().is_some_and(|result| *result as u32 != 0)
    }

    /// The texts among the arguments, in order, as far as they were kept.
    pub fn texts(&self) -> Vec<String> {
        let arguments: usize = self.function.args.iter().map(|field| words(field.bytes)).sum();
        let mut rest = &self.behind_result()[arguments + usize::from(self.function.outs)..];
        let mut texts = Vec::new();
        while let Some((bytes, behind)) = rest.split_first() {
            let Some(text) = behind.get(..words(*bytes as usize)) else { break };
            texts.push(String::from_utf8_lossy(&crate::values::bytes_of(text, *bytes as usize)).into_owned());
            rest = &behind[text.len()..];
        }
        texts
    }
}

impl Event {
    /// The call that it is, if it is one.
    pub fn call(&self) -> Option<Call> {
        match &self.body {
            Body::Raw(record) if record.kind == Kind::Call => Call::of(*record),
            _ => None,
        }
    }

    /// The words of a record of this kind, if it is one of at least `length` words.
    pub fn words(&self, kind: Kind, length: usize) -> Option<&'static [u64]> {
        match &self.body {
            Body::Raw(record) if record.kind == kind && record.words.len() >= length => Some(record.words),
            _ => None,
        }
    }

    /// The upper half of the record's first word, whose meaning depends on the kind; 0 if there is no record.
    pub fn what(&self) -> u32 {
        match &self.body {
            Body::Raw(record) => record.what,
            _ => 0,
        }
    }

    /// The device's event, if it is one of this name.
    pub fn device(&self, name: &str) -> Option<&DeviceEvent> {
        match &self.body {
            Body::Device(event) if event.name == name => Some(event),
            _ => None,
        }
    }

    /// Whether it should have an end and has none.
    pub fn unfinished(&self) -> bool {
        let spans = match &self.body {
            Body::Raw(record) => matches!(record.kind, Kind::Call | Kind::Ioctl | Kind::System),
            Body::Device(event) => event.name == "kernel",
            _ => false,
        };
        spans && self.end.is_none()
    }
}

impl Timeline {
    /// Reads what the recorder left in `folder`. `device_trace` is what the device wrote of the run itself. Files of
    /// the folder that cannot be read are left out, and returned.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn read(folder: &Path, device_trace: &[u8]) -> Result<(Timeline, Vec<ReadError>), ReadError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |reason| ReadError::Io { path, reason }
        };
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(io(folder))? {
            paths.push(entry.map_err(io(folder))?.path());
        }
        paths.sort();
        let (mut files, mut logs, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
        for path in &paths {
            if path.extension().is_some_and(|extension| extension == "raw") {
                ProcessFile::open(path).map_or_else(|error| unreadable.push(error), |file| files.push(file));
            } else if crate::log::is_called_so(path) {
                std::fs::read(path).map_or_else(|reason| unreadable.push(io(path)(reason)), |log| logs.push(log));
            }
        }
        Ok((Timeline::of(files, &logs, device_trace), unreadable))
    }

    /// Merges the recordings of processes, lines of runtimes' logs, and the device's own trace.
    pub fn of(files: Vec<ProcessFile>, logs: &[Vec<u8>], device_trace: &[u8]) -> Timeline {
        let mut timeline = Timeline::default();
        for file in files {
            timeline.add_process(file);
        }
        for log in logs {
            timeline.add_log(log);
        }
        timeline.add_device(device_trace);
        timeline.events.sort_by_key(|event| event.ns);
        timeline.drop_repeated_packets();
        gpu_clock::place(&mut timeline.events);
        timeline.add_doorbells();
        timeline.find_parents();
        timeline
    }

    fn add_process(&mut self, file: ProcessFile) {
        let clock = file.clock();
        for chunk in file.chunks() {
            if !self.threads.iter().any(|thread| thread.pid == file.pid && thread.tid == chunk.tid) {
                let (pid, tid, pthread, name) = (file.pid, chunk.tid, chunk.pthread, chunk.name.clone());
                self.threads.push(Thread { pid, tid, pthread, name });
            }
            for record in chunk.records() {
                let spans = matches!(record.kind, Kind::Call | Kind::Ioctl | Kind::System);
                let end = record.words.get(2).copied().filter(|end| spans && *end != 0);
                let event = Event {
                    ns: clock.convert(record.words[1]),
                    end: end.map(|end| clock.convert(end)),
                    pid: file.pid,
                    tid: chunk.tid,
                    parent: None,
                    body: Body::Raw(record),
                };
                self.events.push(event);
            }
        }
        self.processes.push(file);
    }

    fn add_device(&mut self, lines: &[u8]) {
        for event in device::read(lines) {
            // Several runs may share the device's trace.
            let Some(process) = self.processes.iter().find(|process| process.pid == event.pid) else { continue };
            if event.ns < process.made.raw_ns {
                continue;
            }
            let (ns, end, pid) = (event.ns, event.end, event.pid);
            self.events.push(Event { ns, end, pid, tid: 0, parent: None, body: Body::Device(Box::new(event)) });
        }
    }

    fn add_log(&mut self, text: &[u8]) {
        for line in crate::log::read(&String::from_utf8_lossy(text), &self.threads) {
            let Some(process) = self.processes.iter().find(|process| process.pid == line.pid) else { continue };
            let ns = line.ns(process);
            let (pid, tid) = (line.pid, line.tid);
            self.events.push(Event { ns, end: None, pid, tid, parent: None, body: Body::Log(Box::new(line)) });
        }
    }

    /// Of a packet that doorbells of several threads were rung for, the first record that has its header stays.
    fn drop_repeated_packets(&mut self) {
        let mut first: HashMap<(u32, u64), HashMap<u64, (Index, bool)>> = HashMap::new();
        let mut repeated = HashSet::new();
        for (index, event) in self.events.iter().enumerate() {
            if let Some(packet) = flows::packet(event) {
                let taken = packet.header as u8 == aql::PacketType::Invalid as u8;
                let known = first.entry((event.pid, packet.queue)).or_default();
                match known.get(&packet.index) {
                    Some((_, taken_before)) if taken || !taken_before => _ = repeated.insert(index),
                    _ => repeated.extend(known.insert(packet.index, (index, taken)).map(|(before, _)| before)),
                }
            } else if let Some(words) = event.words(Kind::Queue, 7) {
                // It counts from 0.
                first.remove(&(event.pid, words[2]));
            }
        }
        let mut index = 0..;
        self.events.retain(|_| index.next().is_some_and(|index| !repeated.contains(&index)));
    }

    /// Stores to a queue's doorbell become events of their own, at the end of the call that does it.
    fn add_doorbells(&mut self) {
        let mut queues: HashMap<(u32, u64), u64> = HashMap::new();
        let mut doorbells = Vec::new();
        for event in &self.events {
            if let Some(words) = event.words(Kind::Queue, 7) {
                queues.insert((event.pid, words[4]), words[2]);
            } else if let Some(call) = event.call()
                && call.function.name.to_bytes().starts_with(b"hsa_signal_store_")
                && let (Some(signal), Some(value)) = (call.argument(0), call.argument(1))
                && let Some(queue) = queues.get(&(event.pid, signal))
            {
                let ns = event.end.unwrap_or(event.ns);
                let body = Body::Doorbell { queue: *queue, signal, value };
                doorbells.push(Event { ns, end: None, body, ..event.clone() });
            }
        }
        self.events.extend(doorbells);
        self.events.sort_by_key(|event| event.ns);
    }

    /// On each thread, calls nest.
    fn find_parents(&mut self) {
        let mut open: HashMap<(u32, u32), Vec<(Index, u64)>> = HashMap::new();
        for index in 0..self.events.len() {
            let event = &self.events[index];
            if event.tid == 0 {
                continue;
            }
            let (ns, end) = (event.ns, event.end);
            let opens = matches!(&event.body, Body::Raw(record) if matches!(record.kind, Kind::Call | Kind::Ioctl | Kind::System));
            let open = open.entry((event.pid, event.tid)).or_default();
            while open.last().is_some_and(|(_, end)| *end < ns) {
                open.pop();
            }
            self.events[index].parent = open.last().map(|(parent, _)| *parent);
            if opens {
                open.push((index, end.unwrap_or(u64::MAX)));
            }
        }
    }

    /// The outermost call in which an event happened; itself if there is none.
    pub fn root(&self, mut index: Index) -> Index {
        while let Some(parent) = self.events[index].parent {
            index = parent;
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, packet, process, queue};

    const QUEUE: u64 = 0x1000;
    const DISPATCH: u16 = 2;
    const TAKEN: u16 = aql::PacketType::Invalid as u16;

    fn of_threads(threads: &[(u32, &[Vec<u64>])]) -> Timeline {
        Timeline::of(vec![process(7, 1, threads)], &[], b"")
    }

    /// When the packets that stayed were recorded.
    fn packets(timeline: &Timeline) -> Vec<u64> {
        timeline.events.iter().filter(|event| flows::packet(event).is_some()).map(|event| event.ns).collect()
    }

    #[test]
    fn of_a_shared_device_trace_only_what_belongs_to_the_recorded_processes_stays() {
        // An earlier process had the same number.
        let device = br#"{"ns":99,"pid":7,"tid":0,"event":"signal","signal":1}
{"ns":100,"pid":7,"tid":0,"event":"signal","signal":2}
{"ns":101,"pid":8,"tid":0,"event":"signal","signal":3}
{"ns":102,"pid":7,"tid":0,"event":"signal","signal":4}"#;
        let timeline = Timeline::of(vec![process(7, 100, &[])], &[], device);
        let signals: Vec<_> =
            timeline.events.iter().filter_map(|event| event.device("signal")?.number("signal")).collect();
        assert_eq!(signals, [2, 4]);
    }

    #[test]
    fn a_queue_made_again_at_an_address_counts_from_0() {
        let timeline = of_threads(&[(
            1,
            &[
                queue(10, QUEUE, 0xd000),
                packet(11, QUEUE, 0, DISPATCH, 0),
                packet(12, QUEUE, 0, DISPATCH, 0),
                queue(20, QUEUE, 0xe000),
                packet(21, QUEUE, 0, DISPATCH, 0),
            ],
        )]);
        assert_eq!(packets(&timeline), [11, 21]);
    }

    #[test]
    fn of_a_repeated_packet_the_first_that_was_not_yet_taken_stays() {
        let of = |headers: [u16; 3]| {
            let records: Vec<_> = (11..).zip(headers).map(|(ns, header)| packet(ns, QUEUE, 0, header, 0)).collect();
            packets(&of_threads(&[(1, &records)]))
        };
        assert_eq!(of([DISPATCH, DISPATCH, TAKEN]), [11]);
        assert_eq!(of([TAKEN, DISPATCH, DISPATCH]), [12]);
        assert_eq!(of([TAKEN, TAKEN, TAKEN]), [11]);
    }

    #[test]
    fn queues_and_indices_are_told_apart() {
        let records = [
            packet(11, QUEUE, 0, DISPATCH, 0),
            packet(12, QUEUE, 1, DISPATCH, 0),
            packet(13, 2 * QUEUE, 0, DISPATCH, 0),
        ];
        assert_eq!(packets(&of_threads(&[(1, &records)])), [11, 12, 13]);
    }

    #[test]
    fn a_doorbell_belongs_to_the_queue_that_has_the_signal_at_that_time() {
        let store = |start, value| call(c"hsa_signal_store_relaxed", start, start + 1, 0, &[0xd000, value]);
        let timeline = of_threads(&[(
            1,
            &[store(5, 9), queue(10, QUEUE, 0xd000), store(11, 0), queue(20, 2 * QUEUE, 0xd000), store(21, 3)],
        )]);
        let rung = timeline.events.iter().filter_map(|event| match event.body {
            Body::Doorbell { queue, signal, value } => Some((event.ns, queue, signal, value)),
            _ => None,
        });
        let rung: Vec<_> = rung.collect();
        assert_eq!(rung, [(12, QUEUE, 0xd000, 0), (22, 2 * QUEUE, 0xd000, 3)]);
    }

    #[test]
    fn calls_nest_on_their_own_thread_and_one_that_did_not_return_holds_the_rest() {
        let load = |start, end| call(c"hsa_signal_load_relaxed", start, end, 0, &[1]);
        let first = [
            call(c"hipStreamSynchronize", 10, 20, 0, &[]),
            load(11, 15),
            packet(12, QUEUE, 0, DISPATCH, 0),
            load(16, 20),
            load(30, 31),
            call(c"hipDeviceSynchronize", 40, 0, 0, &[]),
            load(50, 51),
        ];
        let timeline = of_threads(&[(1, &first), (2, &[load(13, 14)])]);
        let around = |event: &Event| event.parent.map(|parent| timeline.events[parent].ns);
        let parents: Vec<_> = timeline.events.iter().map(|event| (event.ns, around(event))).collect();
        let wanted = [
            (10, None),
            (11, Some(10)),
            (12, Some(11)),
            (13, None),
            (16, Some(10)),
            (30, None),
            (40, None),
            (50, Some(40)),
        ];
        assert_eq!(parents, wanted);
        let roots: Vec<_> = (0..timeline.events.len()).map(|index| timeline.events[timeline.root(index)].ns).collect();
        assert_eq!(roots, [10, 10, 10, 13, 10, 30, 40, 40]);
        let unfinished: Vec<_> =
            timeline.events.iter().filter(|event| event.unfinished()).map(|event| event.ns).collect();
        assert_eq!(unfinished, [40]);
    }
}
