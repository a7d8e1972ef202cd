//! Flows: connects the call that submitted a packet with the call that waited for it, across threads and queues.

use crate::raw::{KernelArgument, Kind, words};
use crate::timeline::{Body, Event, Index, Timeline};
use crate::values::Object;
use std::collections::{HashMap, HashSet};

/// The way of one packet. What was not recorded is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// The program's call, the outermost one, in which the packet was submitted.
    pub call: Option<Index>,
    /// The packet.
    pub packet: Index,
    /// The first doorbell that rang for it.
    pub doorbell: Option<Index>,
    /// The kernel, from its start to its end.
    pub kernel: Option<Index>,
    /// The later packet whose completion signal shows that this one has completed, if it has no signal itself.
    pub completed_by: Option<Index>,
    /// The change of the completion signal.
    pub signal: Option<Index>,
    /// The call that saw it: the program's own, or one of a runtime's own thread where the program did not look.
    pub wait: Option<Index>,
    /// The program's call in which that was.
    pub waited_in: Option<Index>,
}

impl Flow {
    /// The steps that are known, in the order of the way.
    pub fn steps(&self) -> impl Iterator<Item = (&'static str, Index)> + use<> {
        let steps = [
            ("call", self.call),
            ("packet", Some(self.packet)),
            ("doorbell", self.doorbell),
            ("kernel", self.kernel),
            ("completed_by", self.completed_by),
            ("signal", self.signal),
            ("wait", self.wait),
            ("waited_in", self.waited_in),
        ];
        steps.into_iter().filter_map(|(name, index)| Some((name, index?)))
    }
}

/// Names and queues that other events refer to.
#[derive(Debug, Default)]
pub struct Known {
    /// By process and kernel object.
    pub kernels: HashMap<(u32, u64), String>,
    /// Kernel names by process and address of the host function for the kernel.
    pub functions: HashMap<(u32, u64), String>,
    /// By process and the kernel's name.
    pub arguments: HashMap<(u32, String), Vec<KernelArgument>>,
    /// The driver's number of a queue, by process and the queue's address.
    pub queues: HashMap<(u32, u64), u64>,
}

impl Known {
    /// Collects the names in `timeline`.
    pub fn new(timeline: &Timeline) -> Known {
        let mut known = Known::default();
        let mut symbols: HashMap<(u32, u64), String> = HashMap::new();
        let mut rings: HashMap<(u32, u64), u64> = HashMap::new();
        for event in &timeline.events {
            let pid = event.pid;
            if let Some(call) = event.call() {
                match call.function.name.to_bytes() {
                    b"hsa_executable_get_symbol_by_name" | b"hsa_executable_get_symbol" if !call.failed() => {
                        let last = call.function.args.len() - 1;
                        if let (Some(symbol), Some(name)) = (call.out(last), call.texts().pop()) {
                            symbols.insert((pid, symbol), name);
                        }
                    }
                    b"__hipRegisterFunction" => {
                        if let (Some(function), Some(name)) = (call.argument(1), call.texts().pop()) {
                            known.functions.insert((pid, function), name);
                        }
                    }
                    _ => {}
                }
            } else if let Some(words) = event.words(Kind::Kernel, 5) {
                if let Some(name) = symbols.get(&(pid, words[2])) {
                    let name = name.strip_suffix(".kd").unwrap_or(name).to_owned();
                    known.kernels.insert((pid, words[3]), name);
                }
            } else if let Some((name, arguments)) = metadata(event) {
                known.arguments.insert((pid, name), arguments);
            } else if let Some(words) = event.words(Kind::Queue, 7) {
                if let Some(id) = rings.get(&(pid, words[3])) {
                    known.queues.insert((pid, words[2]), *id);
                }
            } else if let Some((ring, id)) = made_queue(event) {
                rings.insert((pid, ring), id);
            }
        }
        known
    }
}

/// A kernel's name and arguments.
pub fn metadata(event: &Event) -> Option<(String, Vec<KernelArgument>)> {
    let text = crate::values::text(&event.words(Kind::Metadata, 3)?[2..])?;
    let mut lines = text.split('\n');
    Some((lines.next()?.to_owned(), lines.filter_map(|line| line.parse().ok()).collect()))
}

/// A request by its name, and its argument as the driver left it.
pub fn answer(event: &Event) -> Option<(&'static str, Object)> {
    let record = event.words(Kind::Ioctl, 5)?;
    let request = crate::tables::request(event.what().into())?;
    let bytes = (record[4] >> 32) as usize;
    let after = record.get(5 + words(bytes)..)?;
    Some((request.name, crate::values::record(&request.argument, &crate::values::bytes_of(after, bytes))))
}

/// The ring and the number of a queue that the driver made.
fn made_queue(event: &Event) -> Option<(u64, u64)> {
    let (_, args) = answer(event).filter(|(name, _)| *name == "AMDKFD_IOC_CREATE_QUEUE")?;
    let ring = args.get("ring_base_address")?.as_str()?.strip_prefix("0x")?;
    Some((u64::from_str_radix(ring, 16).ok()?, args.get("queue_id")?.as_u64()?))
}

/// The fields of a packet that flows use.
#[derive(Clone, Copy, Debug)]
pub struct PacketFields {
    /// Address of the queue.
    pub queue: u64,
    /// Index in the queue.
    pub index: u64,
    /// The header.
    pub header: u16,
    /// The kernel, of a dispatch.
    pub kernel_object: u64,
    /// Handle of the completion signal, or 0.
    pub completion: u64,
    /// The 64 bytes.
    pub bytes: [u8; aql::PACKET_BYTES],
}

/// The packet that an event is of.
pub fn packet(event: &Event) -> Option<PacketFields> {
    let words = event.words(Kind::Packet, 12)?;
    let bytes: [u8; aql::PACKET_BYTES] = crate::values::bytes_of(&words[4..12], aql::PACKET_BYTES).try_into().ok()?;
    Some(PacketFields {
        queue: words[2],
        index: words[3],
        header: words[4] as u16,
        kernel_object: words[8],
        completion: words[11],
        bytes,
    })
}

/// A step of a flow that is found at a time.
enum Step {
    At(Index),
    EndOf(Index),
}

/// Flows that wait for something.
#[derive(Default)]
struct Pending {
    flows: Vec<Flow>,
    /// Of packets without a completion signal, by process and queue.
    open: HashMap<(u32, u64), Vec<usize>>,
    /// By process and completion signal.
    signals: HashMap<(u32, u64), Vec<usize>>,
    /// By process, the driver's number of the queue, and the packet's index.
    packets: HashMap<(u32, u64, u64), usize>,
    /// By process, queue and index.
    rung: HashMap<(u32, u64), Vec<(u64, usize)>>,
}

/// The flows of all packets, in the order of their submission.
pub fn find(timeline: &Timeline, known: &Known) -> Vec<Flow> {
    let events = &timeline.events;
    let mut steps: Vec<(u64, Step)> = Vec::new();
    let mut submitting: HashSet<Index> = HashSet::new();
    for (index, event) in events.iter().enumerate() {
        match &event.body {
            Body::Raw(record) if record.kind == Kind::Packet => {
                submitting.insert(timeline.root(index));
                steps.push((event.ns, Step::At(index)));
            }
            Body::Doorbell { .. } => steps.push((event.ns, Step::At(index))),
            Body::Device(device) if matches!(device.name.as_str(), "kernel" | "signal") => {
                steps.push((event.ns, Step::At(index)));
            }
            Body::Raw(record) if record.kind == Kind::Call && looks_at(event).is_some() => {
                steps.push((event.end.unwrap_or(event.ns), Step::EndOf(index)));
            }
            _ => {}
        }
    }
    steps.sort_by_key(|(ns, _)| *ns);
    let above_hsa = programs_above_hsa(timeline);
    // Signals that were looked at before they had changed, with the program's call in which that was.
    let mut watched: HashSet<(u32, u64, Index)> = HashSet::new();
    let mut pending = Pending::default();
    // The virtual GPU may start a kernel before its doorbell is recorded.
    let mut early: HashMap<(u32, u64, u64), Index> = HashMap::new();
    for (_, step) in steps {
        match step {
            Step::At(index) => {
                let event = &events[index];
                if let Some(fields) = packet(event) {
                    pending.packet(timeline, index, fields);
                    if let Some(queue) = known.queues.get(&(event.pid, fields.queue)) {
                        let key = (event.pid, *queue, fields.index);
                        let flow = pending.flows.len() - 1;
                        match early.remove(&key) {
                            Some(kernel) => pending.flows[flow].kernel = Some(kernel),
                            None => _ = pending.packets.insert(key, flow),
                        }
                    }
                } else if let Body::Doorbell { queue, value, .. } = &event.body {
                    pending.doorbell((event.pid, *queue), *value, index);
                } else if let Some(kernel) = event.device("kernel") {
                    let key = kernel.number("queue").zip(kernel.number("packet"));
                    if let Some((queue, packet)) = key {
                        match pending.packets.remove(&(event.pid, queue, packet)) {
                            Some(flow) => pending.flows[flow].kernel = Some(index),
                            None => _ = early.insert((event.pid, queue, packet), index),
                        }
                    }
                } else if let Some(signal) = event.device("signal").and_then(|event| event.number("signal")) {
                    for flow in pending.signals.get(&(event.pid, signal)).into_iter().flatten() {
                        pending.flows[*flow].signal.get_or_insert(index);
                    }
                }
            }
            Step::EndOf(index) => {
                let event = &events[index];
                let Some(Look { signal, changed, once }) = looks_at(event) else { continue };
                let root = timeline.root(index);
                let watched_one = (event.pid, signal, root);
                if !changed {
                    watched.insert(watched_one);
                    continue;
                }
                // Before AMD's runtime uses a signal for the next packet, it looks whether that is free. It waits for
                // packets that the same call has submitted, or looks again and again.
                let waiting = pending.signals.get(&(event.pid, signal)).into_iter().flatten();
                let is_own = waiting.map(|flow| &pending.flows[*flow]).any(|flow| flow.call == Some(root));
                if once && submitting.contains(&root) && !is_own && !watched.contains(&watched_one) {
                    continue;
                }
                // What a runtime's own thread sees first, the program may still be waiting for. It stays the runtime's
                // when it calls back the program, which may call HIP there.
                let of_hsa = events[root].call().is_some_and(|call| call.table.layer == "hsa");
                let provisional = of_hsa && above_hsa.contains(&event.pid);
                pending.seen((event.pid, signal), index, root, provisional);
            }
        }
    }
    let mut flows = pending.flows;
    // Where the device has no trace of its own, the times in signals tell when kernels ran.
    let places: HashMap<_, _> = flows
        .iter()
        .enumerate()
        .filter_map(|(flow, Flow { packet: index, .. })| {
            let event = &events[*index];
            packet(event).map(|fields| ((event.pid, fields.queue, fields.index), flow))
        })
        .collect();
    for (index, event) in events.iter().enumerate().filter(|(_, event)| event.end.is_some()) {
        if let Body::Ticks(ticks) = &event.body
            && let Some(of) = ticks.packet
            && let Some(flow) = places.get(&(event.pid, of.queue, of.index))
        {
            flows[*flow].kernel.get_or_insert(index);
        }
    }
    flows
}

impl Pending {
    fn packet(&mut self, timeline: &Timeline, index: Index, fields: PacketFields) {
        let event = &timeline.events[index];
        let root = timeline.root(index);
        let flow = self.flows.len();
        let call = Some(root).filter(|root| *root != index);
        self.flows.push(Flow { call, packet: index, ..Flow::default() });
        let queue = (event.pid, fields.queue);
        let open = self.open.entry(queue).or_default();
        open.push(flow);
        if fields.completion != 0 {
            // Kernels of a queue may overtake each other, except for packets with the barrier bit.
            let barrier = fields.header & 1 << 8 != 0;
            let done = if barrier { std::mem::take(open) } else { open.pop().into_iter().collect() };
            for earlier in done.iter().filter(|earlier| **earlier != flow) {
                self.flows[*earlier].completed_by = Some(index);
            }
            let waiting = self.signals.entry((event.pid, fields.completion)).or_default();
            // The signal is used again: those that were seen to be done do not wait for this packet.
            waiting.retain(|flow| self.flows[*flow].wait.is_none());
            waiting.extend(done);
        }
        self.rung.entry(queue).or_default().push((fields.index, flow));
    }

    /// A call has seen the change of a signal. After a `provisional` one the program's own may follow.
    fn seen(&mut self, signal: (u32, u64), wait: Index, root: Index, provisional: bool) {
        let waiting = self.signals.get_mut(&signal).map(std::mem::take).unwrap_or_default();
        for flow in &waiting {
            let flow = &mut self.flows[*flow];
            if !provisional || flow.wait.is_none() {
                flow.wait = Some(wait);
                flow.waited_in = Some(root);
            }
        }
        if provisional {
            self.signals.insert(signal, waiting);
        }
    }

    fn doorbell(&mut self, queue: (u32, u64), value: u64, index: Index) {
        let Some(waiting) = self.rung.get_mut(&queue) else { return };
        for (_, flow) in waiting.extract_if(.., |(packet, _)| *packet <= value) {
            self.flows[flow].doorbell = Some(index);
        }
    }
}

/// Processes whose program calls a layer above HSA. The program looks at the signals of that layer's packets within
/// such calls only: who does outside of them is a thread of the runtime.
fn programs_above_hsa(timeline: &Timeline) -> HashSet<u32> {
    let calls = timeline.events.iter().filter_map(|event| Some((event.pid, event.call()?.table.layer)));
    calls.filter(|(_, layer)| *layer != "hsa").map(|(pid, _)| pid).collect()
}

/// A call has looked at a signal.
struct Look {
    signal: u64,
    /// It saw the change that was waited for.
    changed: bool,
    /// It did not wait for it.
    once: bool,
}

fn looks_at(event: &Event) -> Option<Look> {
    let call = event.call()?;
    let name = call.function.name.to_bytes();
    event.end?;
    let (signal, value) = (call.argument(0)?, *call.result().first()? as i64);
    if name.starts_with(b"hsa_signal_wait_") {
        let (condition, compared) = (call.argument(1)?, call.argument(2)? as i64);
        let changed = match condition {
            0 => value == compared,
            1 => value != compared,
            2 => value < compared,
            _ => value >= compared,
        };
        return Some(Look { signal, changed, once: false });
    }
    // Programs count signals down to 0.
    name.starts_with(b"hsa_signal_load_").then_some(Look { signal, changed: value <= 0, once: true })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, packet, process, queue};

    const PID: u32 = 7;
    const QUEUE: u64 = 0x1000;
    const BARRIER: u16 = 1 << 8 | 2;
    const NO_BARRIER: u16 = 2;
    const SIGNALS: [u64; 2] = [0xa000, 0xb000];

    /// The timeline of one process with these threads, and its flows.
    fn flows_of(threads: &[(u32, &[Vec<u64>])]) -> (Timeline, Vec<Flow>) {
        let timeline = Timeline::of(vec![process(PID, 1, threads)], &[], b"");
        let flows = find(&timeline, &Known::new(&timeline));
        (timeline, flows)
    }

    /// When an event began, by which these tests know it.
    fn began(timeline: &Timeline, index: Option<Index>) -> Option<u64> {
        index.map(|index| timeline.events[index].ns)
    }

    /// When the wait of each flow began, and the program's call around it.
    fn waits(timeline: &Timeline, flows: &[Flow]) -> Vec<(Option<u64>, Option<u64>)> {
        flows.iter().map(|flow| (began(timeline, flow.wait), began(timeline, flow.waited_in))).collect()
    }

    fn load(start: u64, signal: u64, value: u64) -> Vec<u64> {
        call(c"hsa_signal_load_relaxed", start, start + 1, value, &[signal])
    }

    /// Waits until the signal is below 1.
    fn wait(start: u64, end: u64, signal: u64, value: u64) -> Vec<u64> {
        call(c"hsa_signal_wait_scacquire", start, end, value, &[signal, 2, 1])
    }

    #[test]
    fn a_launch_from_its_call_to_its_wait() {
        let (timeline, flows) = flows_of(&[(
            1,
            &[
                queue(10, QUEUE, 0xd000),
                call(c"hipLaunchKernel", 20, 29, 0, &[]),
                call(c"hsa_signal_store_screlease", 21, 25, 0, &[0xd000, 0]),
                packet(22, QUEUE, 0, BARRIER, SIGNALS[0]),
                call(c"hipStreamSynchronize", 30, 39, 0, &[]),
                wait(31, 35, SIGNALS[0], 0),
            ],
        )]);
        let [flow] = &flows[..] else { panic!("{flows:?}") };
        let steps: Vec<_> = flow.steps().map(|(name, index)| (name, timeline.events[index].ns)).collect();
        assert_eq!(steps, [("call", 20), ("packet", 22), ("doorbell", 25), ("wait", 31), ("waited_in", 30)]);
        assert_eq!((flow.kernel, flow.completed_by, flow.signal), (None, None, None));
    }

    #[test]
    fn the_devices_kernel_and_signal_are_found_even_before_the_packet() {
        let device = br#"{"ns":20,"pid":7,"tid":0,"event":"dispatch","queue":3,"packet":0,"dispatch":1}
{"ns":26,"pid":7,"tid":0,"event":"dispatch_end","queue":3,"dispatch":1}
{"ns":27,"pid":7,"tid":0,"event":"signal","signal":"0xa000","value":0}
{"ns":40,"pid":7,"tid":0,"event":"dispatch","queue":3,"packet":1,"dispatch":2}
{"ns":41,"pid":7,"tid":0,"event":"dispatch","queue":4,"packet":1,"dispatch":3}"#;
        let records = [packet(22, QUEUE, 0, BARRIER, SIGNALS[0]), packet(32, QUEUE, 1, BARRIER, SIGNALS[1])];
        let timeline = Timeline::of(vec![process(PID, 1, &[(1, &records)])], &[], device);
        let known = Known { queues: [((PID, QUEUE), 3)].into(), ..Known::default() };
        let flows = find(&timeline, &known);
        let found: Vec<_> =
            flows.iter().map(|flow| [flow.kernel, flow.signal].map(|step| began(&timeline, step))).collect();
        assert_eq!(found, [[Some(20), Some(27)], [Some(40), None]]);
    }

    #[test]
    fn only_a_packet_with_the_barrier_bit_completes_those_before_it() {
        let (timeline, flows) = flows_of(&[(
            1,
            &[
                packet(10, QUEUE, 0, NO_BARRIER, 0),
                packet(11, QUEUE, 1, NO_BARRIER, SIGNALS[0]),
                wait(12, 13, SIGNALS[0], 0),
                packet(14, QUEUE, 2, BARRIER, SIGNALS[1]),
                wait(15, 16, SIGNALS[1], 0),
            ],
        )]);
        let completed: Vec<_> = flows.iter().map(|flow| began(&timeline, flow.completed_by)).collect();
        assert_eq!(completed, [Some(14), None, None]);
        assert_eq!(waits(&timeline, &flows), [15, 12, 15].map(|wait| (Some(wait), Some(wait))));
    }

    #[test]
    fn a_launch_that_looks_whether_a_signal_is_free_does_not_wait_for_it_and_one_that_looks_again_does() {
        for (looks, waited) in [(&[1][..], true), (&[][..], false)] {
            let mut records = vec![packet(10, QUEUE, 0, BARRIER, SIGNALS[0]), call(c"hipLaunchKernel", 20, 29, 0, &[])];
            records.extend(looks.iter().map(|value| load(21, SIGNALS[0], *value)));
            records.extend([load(24, SIGNALS[0], 0), packet(27, QUEUE, 1, BARRIER, SIGNALS[1])]);
            let (timeline, flows) = flows_of(&[(1, &records)]);
            let of_first = if waited { (Some(24), Some(20)) } else { (None, None) };
            assert_eq!(waits(&timeline, &flows), [of_first, (None, None)], "{looks:?}");
        }
    }

    #[test]
    fn a_wait_that_gave_up_is_none_and_each_change_is_waited_for_once() {
        let (timeline, flows) = flows_of(&[(
            1,
            &[
                packet(10, QUEUE, 0, BARRIER, SIGNALS[0]),
                wait(11, 12, SIGNALS[0], 1),
                wait(13, 14, SIGNALS[0], 0),
                wait(15, 16, SIGNALS[0], 0),
                packet(17, QUEUE, 1, BARRIER, SIGNALS[0]),
                wait(18, 0, SIGNALS[0], 0),
            ],
        )]);
        assert_eq!(waits(&timeline, &flows), [(Some(13), Some(13)), (None, None)]);
    }

    /// HIP 6.4: ROCr's thread sees the signal while `hipStreamSynchronize` waits for it on the program's.
    #[test]
    fn a_flow_ends_at_the_programs_wait_though_a_runtimes_own_thread_looked_before() {
        let program = [
            call(c"hipLaunchKernel", 10, 19, 0, &[]),
            packet(12, QUEUE, 0, BARRIER, SIGNALS[0]),
            call(c"hipStreamSynchronize", 20, 39, 0, &[]),
            wait(21, 36, SIGNALS[0], 0),
            call(c"hipLaunchKernel", 40, 49, 0, &[]),
            packet(42, QUEUE, 1, BARRIER, SIGNALS[0]),
        ];
        let runtime =
            [load(30, SIGNALS[0], 0), load(32, SIGNALS[0], 0), load(50, SIGNALS[0], 0), load(52, SIGNALS[0], 0)];
        let (timeline, flows) = flows_of(&[(1, &program), (2, &runtime)]);
        // The program waits for the first. For the second it does not, and the first look at it stays.
        assert_eq!(waits(&timeline, &flows), [(Some(21), Some(20)), (Some(50), Some(50))]);
    }

    /// `hipLaunchHostFunc`: the program's function runs in ROCr's thread, and may look up an error's name there.
    #[test]
    fn a_callback_that_calls_hip_leaves_its_thread_the_runtimes() {
        let program = [
            call(c"hipLaunchKernel", 10, 19, 0, &[]),
            packet(12, QUEUE, 0, BARRIER, SIGNALS[0]),
            call(c"hipStreamSynchronize", 20, 39, 0, &[]),
            wait(21, 36, SIGNALS[0], 0),
        ];
        let runtime = [load(30, SIGNALS[0], 0), call(c"hipGetErrorName", 32, 33, 0, &[])];
        let (timeline, flows) = flows_of(&[(1, &program), (2, &runtime)]);
        assert_eq!(waits(&timeline, &flows), [(Some(21), Some(20))]);
    }

    #[test]
    fn in_a_program_of_hsa_every_threads_look_is_the_programs() {
        let (timeline, flows) = flows_of(&[
            (1, &[packet(12, QUEUE, 0, BARRIER, SIGNALS[0]), wait(21, 36, SIGNALS[0], 0)]),
            (2, &[load(30, SIGNALS[0], 0)]),
        ]);
        assert_eq!(waits(&timeline, &flows), [(Some(30), Some(30))]);
    }

    #[test]
    fn a_doorbell_rings_for_all_packets_up_to_its_value_once() {
        let (timeline, flows) = flows_of(&[(
            1,
            &[
                queue(5, QUEUE, 0xd000),
                packet(10, QUEUE, 0, BARRIER, 0),
                packet(11, QUEUE, 1, BARRIER, 0),
                packet(12, QUEUE, 2, BARRIER, 0),
                call(c"hsa_signal_store_relaxed", 13, 14, 0, &[0xd000, 1]),
                call(c"hsa_signal_store_relaxed", 15, 16, 0, &[0xd000, 2]),
            ],
        )]);
        let rung: Vec<_> = flows.iter().map(|flow| began(&timeline, flow.doorbell)).collect();
        assert_eq!(rung, [Some(14), Some(14), Some(16)]);
    }
}
