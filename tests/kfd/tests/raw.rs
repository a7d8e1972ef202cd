//! The lower layer, `kfd::raw`: packets and commands by address, tickets that queues and threads wait for.
use std::ptr::NonNull;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use allocation_counter::measure;
use aql::{BarrierAnd, Condition, Control, Geometry, IndirectBuffer, Kernarg, KernelDispatch, Packet, Pm4Ib, Scope};
use kfd::code::{Arg, Launch};
use kfd::raw::{Atomic, Command, Memory, Queue, Room, SdmaQueue, SignalLink, Submission};
use kfd::{Device, Engine, Error, Kernel, Placement, QueueError, QueueOptions, Result, Signal, Ticket, Tickets, Wait};
use kfd_tests::within::{LONG, within_long};
use kfd_tests::{gpu, module, on_gpu};

const SOON: Wait = Wait::Sleep(LONG);
const SHORT: Wait = Wait::Sleep(Duration::from_millis(20));

/// Memory of the host with these words, and how the host sees them.
fn words(gpu: Device, words: &[u32]) -> Result<Memory> {
    let memory = Memory::new(gpu, size_of_val(words), Placement::HOST)?;
    write(&memory, 0, words)?;
    Ok(memory)
}

fn write(memory: &Memory, at: usize, words: &[u32]) -> Result<()> {
    let start = memory.host()?.cast::<u32>();
    for (index, word) in words.iter().enumerate() {
        // SAFETY: the tests stay inside, and what GPUs do at the same time is with other words.
        unsafe { start.add(at + index).write_volatile(*word) };
    }
    Ok(())
}

fn read(memory: &Memory, at: usize, count: usize) -> Result<Vec<u32>> {
    let start: NonNull<u32> = memory.host()?.cast();
    // SAFETY: as above.
    Ok((at..at + count).map(|index| unsafe { start.add(index).read_volatile() }).collect())
}

fn read_64(memory: &Memory, at: usize) -> Result<u64> {
    let two = read(memory, at, 2)?;
    Ok(u64::from(two[0]) | u64::from(two[1]) << 32)
}

/// A dispatch whose arguments go to `kernargs`, which lasts as long as it needs them.
fn dispatch(
    kernel: &Kernel,
    grid: Geometry,
    arguments: &[Arg<'_>],
    kernargs: &Memory,
    at: usize,
) -> Result<KernelDispatch> {
    let described = kernel.description();
    let mut bytes = vec![0; described.kernarg_bytes() as usize];
    let segments = described.prepare(&Launch::new(grid, arguments), &mut bytes)?;
    let start = kernargs.host()?;
    // SAFETY: inside the memory, in places that no work uses yet.
    unsafe { start.add(at).as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    let kernarg = Kernarg::new(kernargs.address() + at as u64).expect("aligned");
    Ok(KernelDispatch::new(kernel.object(), grid)
        .with_kernarg(kernarg)
        .with_group_segment(segments.group_bytes)
        .with_private_segment(segments.private_bytes))
}

#[test]
fn raw_commands_do_what_they_say_and_in_their_order() {
    on_gpu("raw_commands_do_what_they_say_and_in_their_order", || within_long(commands));
}

fn commands() -> Result<()> {
    let gpu = gpu()?;
    let memory = words(gpu, &(0..1024).collect::<Vec<_>>())?;
    let word = |index: u64| memory.address() + index * 4;
    let mut queue = SdmaQueue::new(gpu, Engine::Any)?;
    let mut list = [
        // Within one allocation, at odd places.
        Command::Copy { from: word(1) + 1, to: word(500) + 2, bytes: 101 },
        Command::Fill { to: word(600), value: 0xdead_beef, bytes: 40 },
        Command::Fence { to: word(700), value: 77 },
        Command::Timestamp { to: word(702) },
        Command::Copy { from: word(600), to: word(620), bytes: 8 },
        Command::Timestamp { to: word(704) },
    ];
    // SAFETY: all places are in the memory, which lasts until the work is done.
    let ticket = unsafe { queue.submit(&list) }?;
    queue.wait(&ticket, SOON)?;
    assert!(ticket.is_done() && ticket.is_over());
    let (printed, of_memory) = (format!("{ticket:?}"), format!("{memory:?}"));
    assert!(printed.starts_with("Ticket { queue: ") && printed.len() < 60, "{printed}");
    assert!(of_memory.len() < 500, "{of_memory}");
    let bytes: Vec<u8> = read(&memory, 500, 27)?.iter().flat_map(|word| word.to_le_bytes()).collect();
    let expected: Vec<u8> = (1..40_u32).flat_map(u32::to_le_bytes).skip(1).take(101).collect();
    assert_eq!(bytes[2..103], expected);
    assert_eq!(bytes[..2], 500_u32.to_le_bytes()[..2], "what is in front of it stays");
    assert_eq!(bytes[103], 526_u32.to_le_bytes()[3], "and what is behind");
    assert_eq!(read(&memory, 599, 12)?, [&[599][..], &[0xdead_beef; 10], &[610]].concat());
    assert_eq!(read(&memory, 700, 1)?, [77]);
    assert_eq!(read(&memory, 620, 3)?, [0xdead_beef, 0xdead_beef, 622]);
    let [first, second] = [702, 704].map(|at| read_64(&memory, at).and_then(|ticks| gpu.time(ticks)));
    let (first, second) = (first?, second?);
    assert!(first <= second && second - first < LONG && !first.is_zero(), "{first:?} {second:?}");
    // The same list again, with one thing changed.
    list[1] = Command::Fill { to: word(600), value: 5, bytes: 40 };
    // SAFETY: as above.
    unsafe { queue.submit(&list) }?.wait(SOON)?;
    assert_eq!(read(&memory, 620, 2)?, [5, 5]);
    // More than one packet moves.
    const LARGE: usize = 9 << 20;
    let (far, near) = (Memory::new(gpu, LARGE, Placement::VRAM)?, Memory::new(gpu, LARGE, Placement::HOST)?);
    write(&near, 0, &[1; LARGE / 4])?;
    let fill = Command::Fill { to: far.address(), value: 0x0102_0304, bytes: LARGE as u64 };
    let back = Command::Copy { from: far.address(), to: near.address(), bytes: LARGE as u64 };
    // SAFETY: as above.
    unsafe { (queue.submit(&[fill])?, queue.submit(&[back])?) }.1.wait(SOON)?;
    assert!(read(&near, 0, LARGE / 4)?.iter().all(|word| *word == 0x0102_0304));
    Ok(())
}

#[test]
fn raw_atomics_of_engines() {
    on_gpu("raw_atomics_of_engines", || within_long(atomics));
}

fn atomics() -> Result<()> {
    let gpu = gpu()?;
    let minus = |value: u64| value.wrapping_neg();
    let cases = [
        (Atomic::Swap, 5, 9, 9),
        (Atomic::Add, u64::from(u32::MAX), 2, 1 << 32 | 1),
        (Atomic::Sub, 5, 6, minus(1)),
        (Atomic::SignedMin, 5, minus(6), minus(6)),
        (Atomic::Min, 5, minus(6), 5),
        (Atomic::SignedMax, 5, minus(6), 5),
        (Atomic::Max, 5, minus(6), minus(6)),
        (Atomic::And, 0b1100 << 40, 0b1010 << 40, 0b1000 << 40),
        (Atomic::Or, 0b1100 << 40, 0b1010 << 40, 0b1110 << 40),
        (Atomic::Xor, 0b1100 << 40, 0b1010 << 40, 0b0110 << 40),
    ];
    let old: Vec<u32> = cases.iter().flat_map(|case| [case.1 as u32, (case.1 >> 32) as u32]).collect();
    let memory = words(gpu, &old)?;
    let command = |(index, case): (usize, &(Atomic, u64, u64, u64))| Command::Atomic {
        at: memory.address() + index as u64 * 8,
        operation: case.0,
        value: case.2,
    };
    let list: Vec<Command> = cases.iter().enumerate().map(command).collect();
    let mut queue = SdmaQueue::new(gpu, Engine::Any)?;
    // SAFETY: all in the memory, which lasts.
    unsafe { queue.submit(&list) }?.wait(SOON)?;
    for (index, case) in cases.iter().enumerate() {
        assert_eq!(read_64(&memory, index * 2)?, case.3, "{case:?}");
    }
    Ok(())
}

#[test]
fn raw_what_engines_do_not_do_is_refused_whole() {
    on_gpu("raw_what_engines_do_not_do_is_refused_whole", || within_long(refused));
}

fn refused() -> Result<()> {
    let gpu = gpu()?;
    let memory = words(gpu, &[1, 2, 3, 4])?;
    let mut queue = SdmaQueue::new(gpu, Engine::Any)?;
    let good = Command::Fill { to: memory.address(), value: 9, bytes: 8 };
    let bad = Command::Fence { to: memory.address() + 1, value: 9 };
    // SAFETY: all in the memory, which lasts.
    let error = unsafe { queue.submit(&[good, bad]) }.unwrap_err();
    assert!(error.to_string().starts_with("the address of a fence is "), "{error}");
    let many = vec![good; 60_000];
    // SAFETY: as above.
    let error = unsafe { queue.submit(&many) }.unwrap_err();
    assert!(matches!(error, Error::Value { .. }), "{error}");
    // A signal that it would have completed is not abandoned with the queue, as nothing was submitted.
    let signal = Signal::new(gpu, 1)?;
    // SAFETY: as above.
    assert!(unsafe { queue.submit(Submission::new(&[bad]).with_links(&[SignalLink::completes(&signal)])) }.is_err());
    queue.wait_idle(SOON)?;
    assert_eq!(read(&memory, 0, 4)?, [1, 2, 3, 4]);
    // SAFETY: as above. No commands are no mistake.
    unsafe { queue.submit(&[]) }?.wait(SOON)?;
    drop(queue);
    assert!(matches!(signal.wait(Condition::Eq, 0, SHORT), Err(Error::Timeout { .. })));
    if !gpu.node().engines_wait() {
        let (_queue, _gate, ticket) = held(gpu)?;
        let mut engine = SdmaQueue::new(gpu, Engine::Any)?;
        for error in [engine.wait_for(&[&signal]), engine.wait_for_value(&signal, 5), engine.wait_for_work(&ticket)] {
            assert!(matches!(error, Err(Error::Unsupported { .. })), "{error:?}");
        }
    }
    Ok(())
}

/// A queue that stands until the signal is 0, and the ticket of what comes behind that.
fn held(gpu: Device) -> Result<(Queue, Signal, Ticket)> {
    let (mut queue, gate) = (Queue::new(gpu)?, Signal::new(gpu, 1)?);
    queue.wait_for(&[&gate])?;
    // SAFETY: nothing is named.
    let ticket = unsafe { queue.submit(&[]) }?;
    Ok((queue, gate, ticket))
}

#[test]
fn raw_packets_have_barriers_and_fences_of_their_own() {
    on_gpu("raw_packets_have_barriers_and_fences_of_their_own", || within_long(packets));
}

fn packets() -> Result<()> {
    const N: usize = 1000;
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let (saxpy, gate) = (module.kernel("saxpy")?, module.kernel("gate")?);
    let values = |value: f32| words(gpu, &[value.to_bits(); N]);
    let (x, y, z) = (values(1.0)?, values(2.0)?, values(3.0)?);
    let flag = words(gpu, &[0])?;
    let kernargs = Memory::new(gpu, 4096, Placement::HOST)?;
    let grid = Geometry::one(N as u32, 256)?;
    let arguments =
        |to: &Memory| [Arg::from(N as i32), 2.0f32.into(), Arg::pointer(x.address()), Arg::pointer(to.address())];
    let beside = Control { barrier: false, acquire: Scope::Agent, release: Scope::Agent };
    let marked = Signal::new(gpu, 1)?;
    let list: [Packet; 3] = [
        // The first is held, and the second does not wait for it.
        dispatch(&gate, Geometry::one(1, 1)?, &[Arg::pointer(flag.address())], &kernargs, 0)?
            .with_control(beside)
            .into(),
        dispatch(&saxpy, grid, &arguments(&y), &kernargs, 1024)?
            .with_control(Control { release: Scope::System, ..beside })
            .with_completion(marked.handle())
            .into(),
        // This one does.
        dispatch(&saxpy, grid, &arguments(&z), &kernargs, 2048)?.with_control(Control::SYSTEM).into(),
    ];
    let mut queue = Queue::new(gpu)?;
    // SAFETY: the kernels get what they were compiled for, all of which lasts.
    let ticket = unsafe { queue.submit(Submission::new(&list).with_links(&[SignalLink::completes(&marked)])) }?;
    marked.wait(Condition::Eq, 0, SOON)?;
    assert_eq!(read(&y, 0, N)?, [4.0f32.to_bits(); N]);
    assert!(!ticket.is_done() && !ticket.is_over());
    assert!(matches!(ticket.wait(SHORT), Err(Error::Timeout { .. })));
    assert_eq!(read(&z, 0, N)?, [3.0f32.to_bits(); N]);
    write(&flag, 0, &[1])?;
    let (mine, other) = (ticket.clone(), ticket.clone());
    let waits = thread::spawn(move || other.wait(SOON));
    queue.wait(&mine, SOON)?;
    waits.join().expect("no panic")?;
    assert_eq!(read(&z, 0, N)?, [5.0f32.to_bits(); N]);
    // The same packets again.
    marked.set(1);
    // SAFETY: as above.
    let again = unsafe { queue.submit(&list) }?;
    again.wait(SOON)?;
    assert_eq!((read(&y, 0, 1)?, read(&z, 0, 1)?), (vec![6.0f32.to_bits()], vec![7.0f32.to_bits()]));
    // Nor is the ticket done when the last packet is, if that waits for none.
    write(&flag, 0, &[0])?;
    let system = Control { release: Scope::System, ..beside };
    let two: [Packet; 2] =
        [list[0], dispatch(&saxpy, grid, &arguments(&z), &kernargs, 3072)?.with_control(system).into()];
    // SAFETY: as above.
    let held_up = unsafe { queue.submit(&two) }?;
    while read(&z, N - 1, 1)? != [9.0f32.to_bits()] {
        thread::yield_now();
    }
    assert!(matches!(held_up.wait(SHORT), Err(Error::Timeout { .. })));
    write(&flag, 0, &[1])?;
    held_up.wait(SOON)?;
    // The last of a queue stands for its earlier ones, whatever the order in which they come; another queue's is kept
    // beside it.
    let mut last = Tickets::new();
    assert!(last.are_done() && last.are_over());
    [&again, &ticket].into_iter().for_each(|ticket| last.insert(ticket));
    assert!(last.are_done());
    let (other, gate, not_done) = held(gpu)?;
    last.insert(&not_done);
    last.insert(&held_up);
    assert!(!last.are_done() && !last.are_over());
    assert!(matches!(last.wait(SHORT), Err(Error::Timeout { .. })));
    gate.set(0);
    last.wait(SOON)?;
    assert!(last.are_done());
    last.clear();
    assert!(last.are_done());
    // An earlier one that comes later changes nothing.
    let shut = Signal::new(gpu, 1)?;
    queue.wait_for(&[&shut])?;
    // SAFETY: nothing is named.
    let later = unsafe { queue.submit(&[]) }?;
    [&later, &ticket].into_iter().for_each(|ticket| last.insert(ticket));
    assert!(!last.are_done() && !last.are_over());
    shut.set(0);
    last.wait(SOON)?;
    // Work that ended with its queue is never done, whatever comes behind it.
    let (ended, _gate, abandoned) = held(gpu)?;
    drop(ended);
    [&abandoned, &later].into_iter().for_each(|ticket| last.insert(ticket));
    assert!(!last.are_done() && last.are_over());
    assert!(matches!(last.wait(SOON), Err(Error::Abandoned)));
    drop(other);
    assert!(matches!(Queue::new(gpu)?.wait(&again, SOON), Err(Error::OtherQueue)));
    Ok(())
}

#[test]
fn raw_room_is_checked_before_anything_is_submitted() {
    on_gpu("raw_room_is_checked_before_anything_is_submitted", || within_long(room));
}

/// Work that `check_room` accepts can be submitted.
fn room() -> Result<()> {
    const PACKETS: u64 = 64;
    let gpu = gpu()?;
    let nothing: Packet = BarrierAnd::NOP.with_control(Control::SYSTEM).into();
    let mut queue = Queue::with(gpu, QueueOptions::default().with_packets(PACKETS as u32))?;
    let gate = Signal::new(gpu, 1)?;
    queue.wait_for(&[&gate])?;
    let need = Room { submissions: 10, waits: 5, items: 20 };
    queue.check_room(need)?;
    for _ in 0..need.submissions {
        // SAFETY: nothing is named.
        unsafe { queue.submit(&[nothing; 2]) }?;
    }
    (0..need.waits).try_for_each(|_| queue.wait_for(&[&gate]))?;
    assert!(matches!(queue.check_room(need), Err(Error::QueueFull { .. })));
    let never = queue.check_room(Room { items: PACKETS - 2, submissions: 1, waits: 0 });
    assert!(matches!(never, Err(Error::Value { value: PACKETS, .. })), "{never:?}");
    assert!(matches!(queue.check_room(Room { items: u64::MAX, ..need }), Err(Error::Value { .. })));
    gate.set(0);
    queue.wait_idle(SOON)?;
    queue.check_room(need)?;
    // An engine's ring has 1 MiB, and 1024 pieces of work.
    let mut engine = SdmaQueue::new(gpu, Engine::Any)?;
    let dwords = Command::Fence { to: 4096, value: 0 }.dwords();
    engine.check_room(Room { submissions: 1, waits: 0, items: 60_000 * dwords })?;
    let too_much = engine.check_room(Room { submissions: 1, waits: 0, items: 70_000 * dwords });
    assert!(matches!(too_much, Err(Error::Value { .. })), "{too_much:?}");
    engine.check_room(Room { submissions: SdmaQueue::WORKS as u64, ..Room::default() })?;
    let too_many = engine.check_room(Room { submissions: 1000, waits: 25, items: 0 });
    assert!(matches!(too_many, Err(Error::Value { value: 1025, .. })), "{too_many:?}");
    Ok(())
}

#[test]
fn raw_order_behind_work_takes_no_packet_but_for_another_queues() {
    on_gpu("raw_order_behind_work_takes_no_packet_but_for_another_queues", || within_long(ordered));
}

fn ordered() -> Result<()> {
    let gpu = gpu()?;
    let (mut queue, gate, ticket) = held(gpu)?;
    let mut other = Queue::with(gpu, QueueOptions::default().with_packets(64))?;
    other.order_after(&ticket)?;
    // SAFETY: nothing is named.
    let behind = unsafe { other.submit(&[]) }?;
    assert!(matches!(behind.wait(SHORT), Err(Error::Timeout { .. })));
    // More than the ring has.
    (0..100).try_for_each(|_| other.order_after(&behind))?;
    gate.set(0);
    behind.wait(SOON)?;
    assert!(ticket.is_done());
    (0..100).try_for_each(|_| other.order_after(&ticket))?;
    queue.wait_idle(SOON)
}

/// WRITE_DATA of PM4 to memory, in an AQL queue.
#[test]
fn raw_pm4_commands_in_packets() {
    on_gpu("raw_pm4_commands_in_packets", || within_long(pm4));
}

fn pm4() -> Result<()> {
    const WRITE_DATA: u32 = 3 << 30 | 3 << 16 | 0x37 << 8;
    const MEMORY_CONFIRMED: u32 = 5 << 8 | 1 << 20;
    let gpu = gpu()?;
    let result = words(gpu, &[1, 2, 3])?;
    let commands = Memory::new(gpu, 4096, Placement::HOST.with_executable(true))?;
    let to = result.address() + 4;
    write(&commands, 0, &[WRITE_DATA, MEMORY_CONFIRMED, to as u32, (to >> 32) as u32, 99])?;
    let packet = Pm4Ib::new(IndirectBuffer::new(commands.address()).expect("aligned"), 5).expect("a few");
    let mut queue = Queue::new(gpu)?;
    // SAFETY: the commands write to memory that lasts.
    unsafe { queue.submit(&[packet.with_control(Control::SYSTEM).into()]) }?.wait(SOON)?;
    assert_eq!(read(&result, 0, 3)?, [1, 99, 3]);
    Ok(())
}

#[test]
fn raw_queues_wait_for_values_and_for_each_others_work() {
    on_gpu("raw_queues_wait_for_values_and_for_each_others_work", || within_long(timelines));
}

fn timelines() -> Result<()> {
    let gpu = gpu()?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let (memory, kernargs) = (words(gpu, &[0, 0])?, Memory::new(gpu, 4096, Placement::HOST)?);
    let packet: Packet = dispatch(&increment, Geometry::one(1, 1)?, &[Arg::pointer(memory.address())], &kernargs, 0)?
        .with_control(Control::SYSTEM)
        .into();
    let value = Signal::new(gpu, 0)?;
    let mut queue = Queue::new(gpu)?;
    let mut tickets = Vec::new();
    for least in [3, 5] {
        queue.wait_for_value(&value, Condition::Gte, least)?;
        // SAFETY: the kernel changes the first word, which lasts.
        tickets.push(unsafe { queue.submit(&[packet]) }?);
    }
    value.set(2);
    assert!(matches!(tickets[0].wait(SHORT), Err(Error::Timeout { .. })));
    value.set(4);
    tickets[0].wait(SOON)?;
    assert!(matches!(tickets[1].wait(SHORT), Err(Error::Timeout { .. })));
    assert_eq!(read(&memory, 0, 1)?, [1]);
    // An engine counts it up.
    let mut engine = SdmaQueue::new(gpu, Engine::Any)?;
    let up = Command::Atomic { at: value.value_address(), operation: Atomic::Add, value: 1 };
    // SAFETY: the signal lasts.
    unsafe { engine.submit(&[up]) }?.wait(SOON)?;
    tickets[1].wait(SOON)?;
    assert_eq!((read(&memory, 0, 1)?, value.value()), (vec![2], 5));
    // A chain over queues of both kinds, begun by the host at its end.
    let (mut first, gate, _) = held(gpu)?;
    // SAFETY: as above, for each of them.
    let one = unsafe { first.submit(&[packet]) }?;
    let mut second = Queue::new(gpu)?;
    second.wait_for_work(&one)?;
    // SAFETY: as above.
    let two = unsafe { second.submit(&[packet]) }?;
    assert!(matches!(two.wait(SHORT), Err(Error::Timeout { .. })));
    assert_eq!(read(&memory, 0, 1)?, [2]);
    gate.set(0);
    two.wait(SOON)?;
    assert_eq!(read(&memory, 0, 1)?, [4]);
    // Behind an engine.
    const LARGE: u64 = 32 << 20;
    let far = Memory::new(gpu, LARGE as usize, Placement::VRAM)?;
    let fills = [
        Command::Fill { to: far.address(), value: 1, bytes: LARGE },
        Command::Fence { to: memory.address() + 4, value: 1 },
        Command::Fence { to: memory.address(), value: 100 },
    ];
    // SAFETY: as above.
    let filled = unsafe { engine.submit(&fills) }?;
    second.wait_for_work(&filled)?;
    // SAFETY: as above.
    unsafe { second.submit(&[packet]) }?.wait(SOON)?;
    assert_eq!(read(&memory, 0, 2)?, [101, 1]);
    // What is done can be waited for like all else.
    second.wait_for_work(&filled)?;
    // SAFETY: as above.
    let own = unsafe { second.submit(&[packet]) }?;
    second.wait_for_work(&own)?;
    second.wait_idle(SOON)?;
    assert_eq!(read(&memory, 0, 1)?, [102]);
    Ok(())
}

#[test]
fn raw_packets_without_a_barrier_wait_for_work_of_their_own_queue() {
    on_gpu("raw_packets_without_a_barrier_wait_for_work_of_their_own_queue", || within_long(own_work));
}

fn own_work() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let (gate, increment) = (module.kernel("gate")?, module.kernel("increment")?);
    let (flag, memory) = (words(gpu, &[0])?, words(gpu, &[5])?);
    let kernargs = Memory::new(gpu, 4096, Placement::HOST)?;
    let one = Geometry::one(1, 1)?;
    let held = dispatch(&gate, one, &[Arg::pointer(flag.address())], &kernargs, 0)?;
    let beside = Control { barrier: false, acquire: Scope::None, release: Scope::None };
    let counts = dispatch(&increment, one, &[Arg::pointer(memory.address())], &kernargs, 1024)?.with_control(beside);
    let mut queue = Queue::new(gpu)?;
    // SAFETY: the kernels get what they were compiled for, all of which lasts.
    let first = unsafe { queue.submit(&[held.with_control(Control::SYSTEM).into()]) }?;
    queue.wait_for_work(&first)?;
    // SAFETY: as above.
    let second = unsafe { queue.submit(&[counts.into()]) }?;
    thread::sleep(Duration::from_millis(50));
    assert_eq!(read(&memory, 0, 1)?, [5], "it has not begun");
    write(&flag, 0, &[1])?;
    second.wait(SOON)?;
    assert_eq!(read(&memory, 0, 1)?, [6]);
    // Done long ago: nothing to wait for.
    queue.wait_for_work(&first)?;
    // SAFETY: as above.
    unsafe { queue.submit(&[counts.into()]) }?.wait(SOON)?;
    assert_eq!(read(&memory, 0, 1)?, [7]);
    Ok(())
}

/// A ticket in a struct beside what its work uses, without a lifetime.
struct Task {
    ticket: Ticket,
    memory: Arc<Memory>,
}

#[test]
fn raw_a_ticket_is_kept_beside_its_memory_and_sent_away() {
    on_gpu("raw_a_ticket_is_kept_beside_its_memory_and_sent_away", || within_long(kept));
}

fn kept() -> Result<()> {
    let gpu = gpu()?;
    let mut engine = SdmaQueue::new(gpu, Engine::Any)?;
    let shared = Arc::new(words(gpu, &[0; 64])?);
    let tasks: Result<Vec<Task>> = (0..8_u32)
        .map(|index| {
            let fill = Command::Fill { to: shared.address() + u64::from(index) * 32, value: index + 1, bytes: 32 };
            // SAFETY: inside the memory, which each task keeps.
            Ok(Task { ticket: unsafe { engine.submit(&[fill]) }?, memory: shared.clone() })
        })
        .collect();
    drop(shared);
    let waits = tasks?.into_iter().zip(0..).map(|(task, index)| {
        thread::spawn(move || {
            task.ticket.wait(SOON)?;
            read(&task.memory, index * 8, 8).map(|seen| assert_eq!(seen, [index as u32 + 1; 8]))
        })
    });
    waits.collect::<Vec<_>>().into_iter().try_for_each(|thread| thread.join().expect("no panic"))
}

#[test]
fn raw_waits_end_with_the_error_of_the_queue() {
    on_gpu("raw_waits_end_with_the_error_of_the_queue", || within_long(ends));
}

fn ends() -> Result<()> {
    let gpu = gpu()?;
    // A queue that is dropped: its ticket, who waits for it on the GPU, and a signal that a packet was to complete.
    let (mut first, _gate, _) = held(gpu)?;
    let signal = Signal::new(gpu, 1)?;
    let completes = BarrierAnd::NOP.with_control(Control::SYSTEM).with_completion(signal.handle());
    // SAFETY: the signal lasts.
    let never =
        unsafe { first.submit(Submission::new(&[completes.into()]).with_links(&[SignalLink::completes(&signal)])) }?;
    let mut second = Queue::new(gpu)?;
    second.wait_for_work(&never)?;
    // SAFETY: nothing is named.
    let behind = unsafe { second.submit(&[]) }?;
    let waits = [never.clone(), behind.clone()].map(|ticket| thread::spawn(move || ticket.wait(Wait::FOREVER)));
    let signalled = signal.clone();
    let waits_for_signal = thread::spawn(move || signalled.wait(Condition::Eq, 0, Wait::FOREVER));
    thread::sleep(Duration::from_millis(50));
    drop(first);
    for wait in waits {
        let ended = wait.join().expect("no panic");
        assert!(matches!(ended, Err(Error::Abandoned)), "{ended:?}");
    }
    assert!(matches!(waits_for_signal.join().expect("no panic"), Err(Error::Abandoned)));
    assert!(never.is_over() && !never.is_done() && !behind.is_over());
    assert!(matches!(Queue::new(gpu)?.wait_for_work(&never), Err(Error::Abandoned)));
    drop(second);
    // A queue that stops.
    let (trap, out) = (module(gpu, "basic")?.kernel("trap")?, words(gpu, &[0])?);
    let kernargs = Memory::new(gpu, 4096, Placement::HOST)?;
    let packet = dispatch(&trap, Geometry::one(1, 1)?, &[Arg::pointer(out.address())], &kernargs, 0)?;
    let (mut bad, gate, _) = held(gpu)?;
    // SAFETY: the kernel writes to memory that lasts.
    let stopped = unsafe { bad.submit(&[packet.with_control(Control::SYSTEM).into()]) }?;
    let (mut good, mut other) = (Queue::new(gpu)?, Queue::new(gpu)?);
    good.wait_for_work(&stopped)?;
    // SAFETY: nothing is named.
    let behind = unsafe { good.submit(&[]) }?;
    gate.set(0);
    for ticket in [&stopped, &behind] {
        let ended = ticket.wait(Wait::FOREVER);
        // Also whoever waits for the queue behind it hears which kernel it was.
        let Err(Error::Stopped { error: QueueError::Trap, kernels }) = ended else { panic!("{ended:?}") };
        assert_eq!(kernels, ["trap"]);
    }
    // SAFETY: nothing is named.
    let refused = unsafe { bad.submit(&[]) };
    let text = "a queue stopped that was to do it, or that it waits for: a trap (not done: kernel trap); drop that queue and make another";
    assert_eq!(refused.unwrap_err().to_string(), text);
    // The others go on.
    // SAFETY: nothing is named.
    unsafe { other.submit(&[]) }?.wait(SOON)
}

#[test]
fn raw_submitting_a_list_again_allocates_nothing() {
    on_gpu("raw_submitting_a_list_again_allocates_nothing", || within_long(replay));
}

fn replay() -> Result<()> {
    let gpu = gpu()?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let (memory, kernargs) = (words(gpu, &[0, 0, 0, 0])?, Memory::new(gpu, 4096, Placement::HOST)?);
    let packet: Packet = dispatch(&increment, Geometry::one(1, 1)?, &[Arg::pointer(memory.address())], &kernargs, 0)?
        .with_control(Control::SYSTEM)
        .into();
    let list = [packet; 20];
    let copies = [Command::Copy { from: memory.address(), to: memory.address() + 8, bytes: 4 }; 3];
    let (mut queue, mut engine) = (Queue::new(gpu)?, SdmaQueue::new(gpu, Engine::Any)?);
    let poll = Wait::Poll(LONG);
    let mut once = || -> Result<()> {
        // SAFETY: the kernels change the first word, and the engine copies it when they are done.
        let counted = unsafe { queue.submit(&list) }?;
        queue.wait(&counted, poll)?;
        // SAFETY: as above.
        let copied = unsafe { engine.submit(&copies) }?;
        queue.wait_for_work(&copied)?;
        queue.wait_for_room(poll)
    };
    once()?;
    let mut outcome = Ok(());
    let allocations = measure(|| outcome = (0..200).try_for_each(|_| once()));
    outcome?;
    queue.wait_idle(SOON)?;
    assert_eq!(allocations.count_total, 0);
    assert_eq!(read(&memory, 0, 3)?, [4020, 0, 4020]);
    Ok(())
}
