//! What the pages of `docs/src/happens` say of a process's begin and end, of copies, events, callbacks and graphs, in
//! the recordings of all versions.
use serde_json::Value;

use super::corrections::{Evidence, begin, end, field, layer};
use super::stack_pages::first_word;

/// The barrier bit of a packet's header.
const BARRIER: u64 = 1 << 8;
/// Barrier-AND with the barrier bit: without fences, and with both of system scope.
const NO_FENCES: u64 = 0x103;
const SYSTEM_FENCES: u64 = 0x1503;

/// So many bytes of a packet as a number.
fn number(packet: &Value, offset: usize, size: usize) -> u64 {
    let hexadecimal = packet["p"].as_str().expect("bytes");
    let byte = |place: usize| u64::from_str_radix(&hexadecimal[2 * place..2 * place + 2], 16).expect("a byte");
    (offset..offset + size).rev().fold(0, |value, place| value << 8 | byte(place))
}

fn header(packet: &Value) -> u64 {
    number(packet, 0, 2)
}

/// The first signal that a barrier packet waits for, as other events name it.
fn dependency(packet: &Value) -> String {
    format!("{:#x}", number(packet, 8, 8))
}

fn completion(packet: &Value) -> String {
    format!("{:#x}", number(packet, 56, 8))
}

fn is_of(event: &Value, signal: &str) -> bool {
    field(event, "signal") == signal
}

/// How many of the calls and requests in `events` have this name.
fn count<'a>(events: impl Iterator<Item = &'a Value>, name: &str) -> usize {
    events.filter(|event| first_word(event) == name).count()
}

#[test]
fn a_first_launch_starts_hip_makes_queues_and_loads_the_kernel() {
    for stack in Evidence::all() {
        let recording = stack.of("first-launch");
        let calls = ["__hipRegisterFatBinary", "hipMalloc", "hipMemcpy", "hipLaunchKernel", "hipDeviceSynchronize"];
        let calls = calls.map(|name| recording.first(name));
        assert!(calls.map(begin).is_sorted());
        let inside = |call: usize, name: &str| count(recording.during(calls[call]), name);
        let is_5_7 = stack.stack == "trixie";
        assert_eq!([inside(0, "open"), inside(1, "hsa_init"), inside(1, "AMDKFD_IOC_SET_TRAP_HANDLER")], [0, 1, 1]);
        assert_eq!(inside(1, "AMDKFD_IOC_ACQUIRE_VM"), if is_5_7 { 1 } else { 2 }, "{}", stack.stack);
        // ROCr's own queue has the small ring; the third is SDMA's.
        let mut queues = recording.during(calls[2]).filter(|event| first_word(event) == "AMDKFD_IOC_CREATE_QUEUE");
        let sizes: Vec<_> = queues.by_ref().map(|queue| field(queue, "ring_size")).collect();
        let expected: &[&str] = if is_5_7 { &["4096", "1048576", "1048576"] } else { &["4096", "1048576"] };
        assert_eq!((sizes.as_slice(), inside(2, "hsa_queue_create")), (expected, 1), "{}", stack.stack);
        let events = match stack.stack.as_str() {
            "trixie" => 36,
            "forky" => 7,
            _ => 6,
        };
        assert_eq!(inside(2, "AMDKFD_IOC_CREATE_EVENT"), events, "{}", stack.stack);
        // ROCclr's kernels, then the program's.
        assert_eq!([inside(2, "hsa_executable_freeze"), inside(3, "hsa_executable_freeze")], [1, 1]);
        let freeze = recording.nth("hsa_executable_freeze", 2);
        let emptied = recording.events.iter().filter(|event| event["n"] == "pm4 ACQUIRE_MEM").map(begin);
        assert!(emptied.into_iter().any(|time| (begin(freeze)..end(freeze)).contains(&time)), "{}", stack.stack);
        assert_eq!(recording.count("kernel_dispatch __amd_rocclr_copyBuffer"), usize::from(!is_5_7));
        let launched = recording.events.iter().find(|event| event["n"] == "kernel_dispatch _Z3addPff");
        assert!(begin(launched.expect("the launch")) > end(freeze), "{}", stack.stack);
    }
}

#[test]
fn newer_versions_destroy_their_queues_at_the_end_and_5_7_leaves_them() {
    for stack in Evidence::all() {
        let recording = stack.of("exit");
        let [stream, binary] = ["hipStreamDestroy", "__hipUnregisterFatBinary"].map(|name| recording.first(name));
        assert!(end(stream) < begin(binary));
        let all = |name: &str| count(recording.events.iter(), name);
        let inside = |call: &Value, name: &str| count(recording.during(call), name);
        let barriers = [stream, binary].map(|call| inside(call, "barrier_and"));
        let ends = ["hsa_queue_destroy", "AMDKFD_IOC_DESTROY_QUEUE", "AMDKFD_IOC_DESTROY_EVENT", "hsa_shut_down"];
        let (expected, barriers_expected) = match stack.stack.as_str() {
            "trixie" => ([0, 0, 0, 0], [1, 0]),
            "forky" => ([2, 3, 16, 1], [0, 0]),
            _ => ([2, 3, 16, 1], [0, 1]),
        };
        assert_eq!((ends.map(all), barriers), (expected, barriers_expected), "{}", stack.stack);
        assert_eq!(inside(stream, "AMDKFD_IOC_DESTROY_QUEUE"), 0);
        assert_eq!(inside(binary, "hsa_executable_destroy"), 1);
        if let Some(shut_down) = recording.events.iter().find(|event| first_word(event) == "hsa_shut_down") {
            // ROCr's own.
            assert_eq!(inside(shut_down, "AMDKFD_IOC_DESTROY_QUEUE"), 1, "{}", stack.stack);
            assert_eq!(inside(shut_down, "AMDKFD_IOC_RUNTIME_ENABLE"), 1, "{}", stack.stack);
        }
    }
}

#[test]
fn a_copy_on_the_device_is_a_kernel_that_the_host_does_not_wait_for() {
    for stack in Evidence::all() {
        let copy = stack.of("copy-device");
        assert_eq!(copy.count("kernel_dispatch __amd_rocclr_copyBuffer"), 1);
        assert!(copy.events.iter().all(|event| first_word(event) != "sdma"), "no copy engine on {}", stack.stack);
        let kernel = copy.first("__amd_rocclr_copyBuffer");
        assert!(end(copy.first("hipMemcpy")) < end(kernel), "{}", stack.stack);
        let grid = if stack.stack == "trixie" { "[262400,1,1]" } else { "[61440,1,1]" };
        assert_eq!(field(kernel, "grid"), grid, "{}", stack.stack);
    }
}

#[test]
fn the_gpu_waits_for_an_event_that_has_not_ended() {
    for stack in Evidence::all() {
        let recording = stack.of("wait-event");
        let [recorded, waiting] = [1, 2].map(|number| recording.nth("barrier_and", number));
        let event = completion(recorded);
        assert_ne!(field(recorded, "queue"), field(waiting, "queue"));
        assert_eq!(dependency(waiting), event);
        assert_eq!(header(waiting), if stack.stack == "trixie" { SYSTEM_FENCES } else { NO_FENCES });
        let within: Vec<_> = recording.during(recording.first("hipStreamWaitEvent")).collect();
        let mut looks = within.iter().filter(|look| first_word(look) == "hsa_signal_load_relaxed");
        assert!(looks.any(|look| is_of(look, &event) && look["r"] == "1"), "HIP sees that it has not ended");
        assert!(within.iter().any(|packet| begin(packet) == begin(waiting) && first_word(packet) == "barrier_and"));
        assert!(within.iter().all(|call| !first_word(call).starts_with("hsa_signal_wait")), "the host does not wait");
        assert!(within.iter().any(|call| first_word(call) == "hsa_amd_signal_async_handler"));

        let query = recording.first("hipEventQuery");
        assert_eq!(query["r"], "hipErrorNotReady");
        let waits = recording.during(query).filter(|call| first_word(call) == "hsa_signal_wait_scacquire");
        let waits: Vec<_> = waits.map(|wait| field(wait, "timeout_hint")).collect();
        let expected: &[&str] = if stack.stack == "trixie" { &["10000"] } else { &[] };
        assert_eq!(waits, expected, "{}", stack.stack);

        let over = [1, 2].map(|number| recording.nth("packet", number));
        assert_eq!(field(over[0], "completion"), event);
        assert_eq!(field(over[1], "depends_on"), format!("[\"{event}\"]"));
        assert!(is_of(recording.first("signal"), &event));
        let second = recording.first("_Z3addPff");
        let times = [end(recording.first("_Z4gateP4Gate")), begin(over[0]), begin(over[1]), begin(second)];
        assert!(times.is_sorted(), "{}: {times:?}", stack.stack);
    }
}

#[test]
fn a_callback_runs_in_rocrs_thread_while_a_packet_holds_up_the_stream() {
    for stack in Evidence::all() {
        let recording = stack.of("callback");
        let call = recording.first("hipLaunchHostFunc");
        let within: Vec<_> = recording.during(call).collect();
        assert_eq!(within.iter().filter(|event| first_word(event) == "barrier_and").count(), 3, "{}", stack.stack);
        let [callback, behind] = [2, 3].map(|number| recording.nth("barrier_and", number));
        let signal = completion(callback);
        assert_eq!(dependency(behind), signal);
        let value = |name: &str| {
            let found = within.iter().find(|event| first_word(event) == name && is_of(event, &signal));
            field(found.expect(name), "value")
        };
        let names = ["hsa_signal_silent_store_relaxed", "hsa_signal_add_relaxed", "hsa_amd_signal_async_handler"];
        assert_eq!(names.map(value), ["1", "1", "2"], "{}", stack.stack);
        let changed = recording.nth("signal", 2);
        assert!(is_of(changed, &signal), "{changed}");
        assert_eq!(field(changed, "value"), "1");

        let [function, subtraction] =
            ["hsa_system_get_info", "hsa_signal_subtract_relaxed"].map(|name| recording.first(name));
        assert_ne!(function["th"], call["th"]);
        assert_eq!(function["th"], subtraction["th"]);
        assert!(is_of(subtraction, &signal) && field(subtraction, "value") == "1");
        let driver: Vec<_> =
            recording.during(subtraction).filter(|event| layer(event) == "driver").map(first_word).collect();
        let expected: &[&str] = if stack.stack == "trixie" { &[] } else { &["AMDKFD_IOC_SET_EVENT"] };
        assert_eq!(driver, expected, "{}", stack.stack);

        let over = [2, 3].map(|number| recording.nth("packet", number));
        assert_eq!(over.map(|packet| field(packet, "completion")), [&signal, &completion(behind)]);
        let second = recording.nth("_Z3addPff", 2);
        let times = [begin(over[0]), begin(function), begin(subtraction), begin(over[1]), begin(second)];
        assert!(times.is_sorted(), "{}: {times:?}", stack.stack);
    }
}

#[test]
fn a_graph_of_kernels_is_their_packets() {
    for stack in Evidence::all() {
        let recording = stack.of("graph");
        let within: Vec<_> = recording.during(recording.first("hipGraphLaunch")).collect();
        let named = |name: &str| within.iter().filter(|event| first_word(event) == name).collect::<Vec<_>>();
        let kernels = named("kernel_dispatch");
        assert_eq!(kernels.len(), 3, "{}", stack.stack);
        assert!(kernels.iter().all(|packet| header(packet) & BARRIER != 0));
        let behind = named("barrier_and");
        assert!(behind.iter().all(|packet| header(packet) == NO_FENCES && completion(packet) != "0x0"));
        let last = begin(kernels[2]);
        let doorbells = named("doorbell").iter().filter(|doorbell| begin(doorbell) < begin_or_never(&behind)).count();
        let made = within.iter().filter_map(|event| event["m"].as_str());
        let commands = made.filter(|line| line.starts_with("Command (KernelExecution) enqueued")).count();
        let requests = named("AMDKFD_IOC_SET_EVENT").len();
        assert!(behind.iter().all(|packet| begin(packet) > last));
        let expected = match stack.stack.as_str() {
            "trixie" => (3, 3, 0, 0),
            "forky" => (3, 0, 2, 2),
            _ => (2, 0, 2, 2),
        };
        assert_eq!((doorbells, commands, behind.len(), requests), expected, "{}", stack.stack);
    }
}

/// The beginning of the first of some events.
fn begin_or_never(events: &[&&Value]) -> u64 {
    events.first().map_or(u64::MAX, |event| begin(event))
}

#[test]
fn edges_between_branches_are_barrier_packets() {
    for stack in Evidence::all() {
        let recording = stack.of("graph-branches");
        let launch = recording.first("hipGraphLaunch");
        let barriers: Vec<_> = recording.during(launch).filter(|event| first_word(event) == "barrier_and").collect();
        let kernels = [1, 2, 3, 4].map(|number| recording.nth("kernel_dispatch", number));
        let [own, other] = [0, 2].map(|kernel| field(kernels[kernel], "queue"));
        assert_ne!(own, other);
        assert_eq!([1, 3].map(|kernel| field(kernels[kernel], "queue")), [own, own]);

        // What a queue waits for before a kernel: by the last barrier packet there.
        let waits_for = |kernel: &Value| {
            let queue = field(kernel, "queue");
            let before =
                barriers.iter().rfind(|packet| field(packet, "queue") == queue && begin(packet) < begin(kernel));
            dependency(before.expect("a barrier packet before it"))
        };
        let counted_by = |signal: &str| {
            let mut packets = barriers.iter().rev().chain(&kernels);
            *packets.find(|packet| completion(packet) == signal).expect("a packet with that signal")
        };
        let [gate, third] = [2, 3].map(|kernel| counted_by(&waits_for(kernels[kernel])));
        assert_eq!([field(gate, "queue"), field(third, "queue")], [own, other], "{}", stack.stack);
        let place = |packet: &Value| field(packet, "index").parse::<u64>().expect("an index");
        let behind = [place(gate) - place(kernels[0]), place(third) - place(kernels[2])];
        // Behind the second kernel, the kernel itself, behind it.
        let expected = match stack.stack.as_str() {
            "trixie" => (6, [2, 1]),
            "forky" => (3, [0, 0]),
            _ => (8, [1, 1]),
        };
        assert_eq!((barriers.len(), behind), expected, "{}", stack.stack);

        let run = kernels.map(|kernel| {
            let on_gpu = recording.events.iter().filter(|event| layer(event) == "gpu" && event["d"].is_u64());
            let mut of_it = on_gpu.filter(|event| {
                field(event, "queue") == field(kernel, "queue_id") && field(event, "packet") == field(kernel, "index")
            });
            of_it.next().expect("the kernel runs")
        });
        assert!(end(launch) < end(run[0]), "the gate is open later");
        assert!(end(run[0]) <= begin(run[1]) && end(run[0]) <= begin(run[2]));
        assert!(end(run[1]) <= begin(run[3]) && end(run[2]) <= begin(run[3]));
        assert!(stack.stack != "trixie" || end(run[1]) <= begin(run[2]), "one branch after the other");
    }
}
