//! Graphs of `kfd-runtime`: recorded once, submitted often, over several queues.
use std::time::Duration;

use aql::{BarrierAnd, Control, Geometry, Kernarg, KernelDispatch, Packet, Scope};
use kfd::code::{Arg, Launch};
use kfd::raw::{Command, Memory, Queue, SdmaQueue};
use kfd::{Buffer, Device, Engine, Kernel, Placement, QueueOptions, Signal, Wait};
use kfd_runtime::{Error, Graph, Result, Step};
use kfd_tests::within::{LONG, within_long};
use kfd_tests::{gpu, isa, module, needs_vgpu, on_gpu, on_gpu_with};

const SOON: Wait = Wait::Sleep(LONG);
const N: usize = 1000;

fn values(gpu: Device, value: f32) -> Result<Buffer<f32>> {
    let mut buffer = Buffer::new(gpu, N, Placement::HOST)?;
    buffer.host_mut()?.fill(value);
    Ok(buffer)
}

fn saxpy(a: f32, x: &Buffer<f32>, y: &Buffer<f32>) -> [Arg<'static>; 4] {
    [Arg::from(N as i32), a.into(), Arg::pointer(x.address()), Arg::pointer(y.address())]
}

#[test]
fn runtime_graph_over_queues_of_both_kinds_with_changed_arguments() {
    on_gpu("runtime_graph_over_queues_of_both_kinds_with_changed_arguments", || within_long(graph));
}

/// An engine sets two buffers, two queues change one each, side by side, and the first adds both.
fn graph() -> Result<()> {
    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("saxpy")?;
    let grid = Geometry::one(N as u32, 256)?;
    let (x, a, b) = (values(gpu, 1.0)?, values(gpu, 0.0)?, values(gpu, 0.0)?);
    let fill =
        |to: &Buffer<f32>, value: f32| Command::Fill { to: to.address(), value: value.to_bits(), bytes: N as u64 * 4 };
    let mut graph = Graph::new(gpu, 4096)?;
    // Something long first, which who does not wait for the engine overtakes.
    const LONG_FILL: u64 = 24 << 20;
    let far = Memory::new(gpu, LONG_FILL as usize, Placement::VRAM)?;
    let long = Command::Fill { to: far.address(), value: 1, bytes: LONG_FILL };
    let set = graph.commands(0, &[], &[fill(&a, 10.0), long, fill(&b, 100.0)])?;
    let left = graph.launch(0, &[set], &kernel, &Launch::new(grid, &saxpy(2.0, &x, &a)))?;
    let right = graph.launch(1, &[set], &kernel, &Launch::new(grid, &saxpy(3.0, &x, &b)))?;
    let sum = graph.launch(0, &[left, right], &kernel, &Launch::new(grid, &saxpy(1.0, &a, &b)))?;
    let mut engines = [SdmaQueue::new(gpu, Engine::Any)?];
    let mut queues = [Queue::new(gpu)?, Queue::new(gpu)?];
    assert!(graph.is_done() && graph.ticket(sum).is_none());
    for round in 0..40 {
        let factor = round as f32;
        graph.set_launch(right, &Launch::new(grid, &saxpy(factor, &x, &b)))?;
        graph.commands_mut(set)?[0] = fill(&a, factor * 2.0);
        // SAFETY: the kernels access N values of each buffer, of which nobody has a slice while they run.
        unsafe { graph.submit(&mut queues, &mut engines) }?;
        graph.ticket(sum).expect("submitted").wait(SOON)?;
        graph.wait(SOON)?;
        assert!(graph.is_done());
        assert_eq!(a.host()?, [factor * 2.0 + 2.0; N], "{round}");
        assert_eq!(b.host()?, [100.0 + factor + factor * 2.0 + 2.0; N], "{round}");
    }
    // A queue that is held holds what comes after its step, in the other queue.
    let gate = Signal::new(gpu, 1)?;
    queues[1].wait_for(&[&gate])?;
    // SAFETY: as above.
    unsafe { graph.submit(&mut queues, &mut engines) }?;
    graph.ticket(left).expect("submitted").wait(SOON)?;
    let held = graph.ticket(sum).expect("submitted").wait(Wait::Sleep(Duration::from_millis(20)));
    assert!(matches!(held, Err(kfd::Error::Timeout { .. })), "{held:?}");
    gate.set(0);
    graph.wait(SOON)?;
    assert_eq!(b.host()?, [100.0 + 39.0 + 39.0 * 2.0 + 2.0; N]);
    // Several times at once, as they are: each queue does them in turn.
    let mut graph = Graph::new(gpu, 4096)?;
    let first = graph.launch(0, &[], &kernel, &Launch::new(grid, &saxpy(1.0, &x, &a)))?;
    graph.launch(1, &[first], &kernel, &Launch::new(grid, &saxpy(1.0, &x, &b)))?;
    let (before_a, before_b) = (a.host()?[0], b.host()?[0]);
    for _ in 0..30 {
        // SAFETY: as above.
        unsafe { graph.submit(&mut queues, &mut []) }?;
    }
    graph.wait(SOON)?;
    assert_eq!((a.host()?[N - 1], b.host()?[N - 1]), (before_a + 30.0, before_b + 30.0));
    Ok(())
}

#[test]
fn runtime_graph_edges_are_barrier_and_packets_where_barrier_values_are_doubtful() {
    on_gpu("runtime_graph_edges_are_barrier_and_packets_where_barrier_values_are_doubtful", || within_long(edges));
}

/// A queue and an engine are each before another queue, in many submissions at once.
fn edges() -> Result<()> {
    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("saxpy")?;
    let grid = Geometry::one(N as u32, 256)?;
    let (x, a, b) = (values(gpu, 1.0)?, values(gpu, 0.0)?, values(gpu, 0.0)?);
    let copied = values(gpu, 0.0)?;
    let nothing: Packet = BarrierAnd::NOP.with_control(Control::SYSTEM).into();
    let mut graph = Graph::new(gpu, 4096)?;
    let first = graph.launch(0, &[], &kernel, &Launch::new(grid, &saxpy(1.0, &x, &a)))?;
    let packets = graph.packets(0, &[first], &[nothing; 2])?;
    let copy = Command::Copy { from: x.address(), to: copied.address(), bytes: N as u64 * 4 };
    let engine = graph.commands(0, &[], &[copy])?;
    graph.launch(1, &[first, packets, engine], &kernel, &Launch::new(grid, &saxpy(1.0, &copied, &b)))?;
    assert_eq!(graph.commands_mut(engine)?, [copy], "nothing else is shown");
    let (mut queues, mut engines) = ([Queue::new(gpu)?, Queue::new(gpu)?], [SdmaQueue::new(gpu, Engine::Any)?]);
    let gate = Signal::new(gpu, 1)?;
    queues[0].wait_for(&[&gate])?;
    for _ in 0..20 {
        // SAFETY: the kernels access N values of each buffer, of which nobody has a slice while they run.
        unsafe { graph.submit(&mut queues, &mut engines) }?;
    }
    let early = queues[1].wait_idle(Wait::Sleep(Duration::from_millis(20)));
    assert!(matches!(early, Err(kfd::Error::Timeout { .. })), "{early:?}");
    assert_eq!((a.host()?[0], b.host()?[0]), (0.0, 0.0), "nothing has begun");
    gate.set(0);
    graph.wait(SOON)?;
    assert_eq!((a.host()?[0], b.host()?[N - 1]), (20.0, 20.0));
    // What the ring has had: AMD's own packets have their format behind the header.
    const BARRIER_VALUE: u32 = 2 << 16;
    // SAFETY: the queue's `amd_queue_t`, whose second word is the ring's address.
    let ring = unsafe { std::ptr::with_exposed_provenance::<u64>(queues[1].address() as usize).add(1).read() };
    // SAFETY: the ring, whose first packets nobody writes now.
    let word =
        |slot: usize| unsafe { std::ptr::with_exposed_provenance::<u32>(ring as usize).add(slot * 16).read_volatile() };
    let values = (0..20).filter(|slot| word(*slot) & 0xff_0000 == BARRIER_VALUE).count();
    assert_eq!(values > 0, isa() != "gfx908", "{values} of the first 20 packets");
    Ok(())
}

/// The dispatch of a kernel, with arguments at a place of `kernargs`.
fn dispatch(
    kernel: &Kernel,
    grid: Geometry,
    given: &[Arg<'_>],
    kernargs: &Memory,
    at: usize,
    control: Control,
) -> Result<Packet> {
    // SAFETY: inside the memory, which no work uses yet.
    let room = unsafe { std::slice::from_raw_parts_mut(kernargs.host()?.as_ptr().add(at), 512) };
    let segments = kernel.description().prepare(&Launch::new(grid, given), room)?;
    let kernarg = Kernarg::new(kernargs.address() + at as u64).expect("aligned");
    let packet = KernelDispatch::new(kernel.object(), grid).with_kernarg(kernarg);
    let packet = packet.with_private_segment(segments.private_bytes).with_group_segment(segments.group_bytes);
    Ok(packet.with_control(control).into())
}

#[test]
fn runtime_graph_edges_hold_inside_a_queue_whatever_its_packets_say() {
    on_gpu("runtime_graph_edges_hold_inside_a_queue_whatever_its_packets_say", || within_long(own_edges));
}

/// x is held by the host; y += x, then z += y and w += y, by packets with every kind of header.
fn own_edges() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let (kernel, gate) = (module.kernel("saxpy")?, module.kernel("gate")?);
    let kernargs = Memory::new(gpu, 4096, Placement::HOST)?;
    let flag = Memory::new(gpu, 4096, Placement::HOST)?;
    let opened = flag.host()?.cast::<u32>();
    let (x, mut y, mut z, mut w) = (values(gpu, 1.0)?, values(gpu, 0.0)?, values(gpu, 0.0)?, values(gpu, 0.0)?);
    let grid = Geometry::one(N as u32, 256)?;
    let none = Control { barrier: false, acquire: Scope::None, release: Scope::None };
    let system = Control { barrier: false, ..Control::SYSTEM };
    let in_order = Control { barrier: true, acquire: Scope::None, release: Scope::System };
    // Headers of the first step's two kernels, and of the second's.
    let cases = [
        [Control::SYSTEM, Control::SYSTEM, none, none],
        [Control::SYSTEM, Control::SYSTEM, system, Control::SYSTEM],
        [none, in_order, none, system],
        [none, in_order, Control::SYSTEM, none],
        [none, in_order, in_order, none],
    ];
    for (index, case) in cases.into_iter().enumerate() {
        // SAFETY: the flag, which no kernel reads now.
        unsafe { opened.write_volatile(0) };
        [&mut y, &mut z, &mut w].into_iter().try_for_each(|buffer| buffer.host_mut().map(|values| values.fill(0.0)))?;
        let held = [Arg::pointer(flag.address())];
        let add = |from, to, at, control| dispatch(&kernel, grid, &saxpy(1.0, from, to), &kernargs, at, control);
        let first = [dispatch(&gate, Geometry::one(1, 1)?, &held, &kernargs, 0, case[0])?, add(&x, &y, 512, case[1])?];
        let second = [add(&y, &z, 1024, case[2])?, add(&y, &w, 1536, case[3])?];
        let mut graph = Graph::new(gpu, 4096)?;
        let before = graph.packets(0, &[], &first)?;
        graph.packets(0, &[before], &second)?;
        let mut queues = [Queue::new(gpu)?];
        // SAFETY: the kernels access N values of each buffer, of which nobody has a slice while they run, and the flag,
        // which is one word.
        unsafe { graph.submit(&mut queues, &mut []) }?;
        std::thread::sleep(Duration::from_millis(50));
        // SAFETY: the flag, which the kernel reads by atomic loads.
        unsafe { opened.write_volatile(1) };
        graph.wait(SOON)?;
        for (name, values) in [("y", &y), ("z", &z), ("w", &w)] {
            assert_eq!(values.host()?, [1.0; N], "{name} of case {index}");
        }
    }
    Ok(())
}

#[test]
fn runtime_graph_edges_make_stores_visible_whatever_fences_packets_have() {
    needs_vgpu!();
    for seed in ["1", "2"] {
        let name = "runtime_graph_edges_make_stores_visible_whatever_fences_packets_have";
        on_gpu_with(&["--caches", seed], name, || within_long(visible));
    }
}

/// Kernels without fences read what a kernel of their own queue, one of another, and an engine stored, again and again,
/// in memory that caches keep.
fn visible() -> Result<()> {
    const ROUNDS: u32 = 12;
    let gpu = gpu()?;
    let saxpy = module(gpu, "basic")?.kernel("saxpy")?;
    let kernargs = Memory::new(gpu, 4096, Placement::HOST)?;
    let memory = Memory::new(gpu, 3 * N * 4, Placement::VRAM)?;
    let [stored, filled, sum] = [0, 1, 2].map(|index| memory.address() + (index * N * 4) as u64);
    let one = values(gpu, 1.0)?;
    // None of the packets empties a cache, whoever counts them: the last of each step counts itself.
    let unfenced = Control { barrier: true, acquire: Scope::None, release: Scope::System };
    // In other work-groups, and so on other compute units, than those that stored.
    let add = |from: u64, to: u64, group, at| {
        let given = [Arg::from(N as i32), 1.0f32.into(), Arg::pointer(from), Arg::pointer(to)];
        dispatch(&saxpy, Geometry::one(N as u32, group)?, &given, &kernargs, at, unfenced)
    };
    let nothing: Packet = BarrierAnd::NOP.with_control(unfenced).into();
    let bytes = N as u64 * 4;
    let clear = Command::Fill { to: memory.address(), value: 0, bytes: 3 * bytes };
    let mut queues = [Queue::new(gpu)?, Queue::new(gpu)?, Queue::new(gpu)?];
    let mut engines = [SdmaQueue::new(gpu, Engine::Any)?];
    // SAFETY: all of the memory, which nothing else uses yet.
    unsafe { engines[0].submit(&[clear]) }?.wait(SOON)?;
    // The kernel that stores is of the reader's queue, and of another.
    let mut expected = 0.0;
    for storing in [1, 0] {
        let mut graph = Graph::new(gpu, 4096)?;
        let store = graph.packets(storing, &[], &[add(one.address(), stored, 64, 0)?])?;
        let fill = Command::Fill { to: filled, value: 2.0f32.to_bits(), bytes };
        let fill = graph.commands(0, &[], &[fill])?;
        // In the meantime both are mostly done, so that nothing is left to wait for.
        (0..200).try_for_each(|_| graph.packets(2, &[], &[nothing]).map(drop))?;
        graph.packets(1, &[store, fill], &[add(stored, sum, 256, 512)?, add(filled, sum, 256, 1024)?])?;
        for round in 0..ROUNDS {
            let value = round as f32;
            graph.commands_mut(fill)?[0] = Command::Fill { to: filled, value: value.to_bits(), bytes };
            // SAFETY: all in the memory and the buffer; the graph is waited for.
            unsafe { graph.submit(&mut queues, &mut engines) }?;
            graph.wait(SOON)?;
            let stores = (if storing == 1 { 0 } else { ROUNDS }) + round + 1;
            expected += stores as f32 + value;
        }
    }
    let seen = values(gpu, 0.0)?;
    // SAFETY: into a buffer of which nobody has a slice.
    unsafe { engines[0].submit(&[Command::Copy { from: sum, to: seen.address(), bytes }]) }?.wait(SOON)?;
    assert_eq!(seen.host()?, [expected; N]);
    Ok(())
}

#[test]
fn runtime_graph_mistakes_are_told_and_nothing_is_submitted() {
    on_gpu("runtime_graph_mistakes_are_told_and_nothing_is_submitted", || within_long(mistakes));
}

fn mistakes() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let kernel = module.kernel("saxpy")?;
    let grid = Geometry::one(N as u32, 256)?;
    let (x, y) = (values(gpu, 1.0)?, values(gpu, 0.0)?);
    let arguments = saxpy(1.0, &x, &y);
    let launch = Launch::new(grid, &arguments);
    let mut graph = Graph::new(gpu, 4096)?;
    let mut other = Graph::new(gpu, 4096)?;
    let step = graph.launch(1, &[], &kernel, &launch)?;
    let fill = Command::Fill { to: y.address(), value: 0, bytes: 4 };
    let filled = other.commands(0, &[], &[fill])?;
    let message = |outcome: Result<Step>| outcome.map(drop).unwrap_err().to_string();
    assert_eq!(message(graph.launch(0, &[filled], &kernel, &launch)), "step 0 is not of this graph");
    assert!(message(graph.launch(1024, &[], &kernel, &launch)).contains("must be below 1024"));
    assert!(message(graph.launch(0, &[], &kernel, &Launch::new(grid, &[]))).contains("saxpy"));
    assert!(message(other.commands(0, &[], &[Command::Fence { to: 1, value: 0 }])).contains("address of a fence"));
    if !gpu.node().engines_wait() {
        assert!(matches!(graph.commands(0, &[step], &[fill]), Err(Error::Kfd(kfd::Error::Unsupported { .. }))));
        // Behind its own it need not wait.
        other.commands(0, &[filled], &[fill])?;
    }
    assert!(matches!(graph.set_launch(filled, &launch), Err(Error::Step { .. })));
    assert!(matches!(graph.commands_mut(step), Err(Error::Step { .. })));
    // Of another graph, also where this one has a step of the same kind and number.
    let (mut one, mut two) = (Graph::new(gpu, 4096)?, Graph::new(gpu, 4096)?);
    let (own, foreign) = (one.commands(0, &[], &[fill])?, two.commands(0, &[], &[fill])?);
    assert_eq!(one.commands_mut(foreign).unwrap_err().to_string(), "step 0 is not of this graph");
    assert_eq!(one.commands_mut(own)?, [fill]);
    let (own, foreign) = (one.launch(0, &[], &kernel, &launch)?, two.launch(0, &[], &kernel, &launch)?);
    let refused = one.set_launch(foreign, &launch).unwrap_err().to_string();
    assert_eq!(refused, "step 1 is not of this graph");
    one.set_launch(own, &launch)?;
    assert!(matches!(graph.reserve(usize::MAX), Err(Error::Kfd(kfd::Error::Value { .. }))));
    let mut many = Graph::new(gpu, 100)?;
    let outcome = (0..200).try_for_each(|_| many.launch(0, &[], &kernel, &launch).map(drop));
    assert!(outcome.unwrap_err().to_string().starts_with("the bytes of a graph's kernel arguments is "));
    // A queue too few, and one that is full: the first of two is given nothing.
    let mut queues = [Queue::new(gpu)?, Queue::with(gpu, QueueOptions::default().with_packets(64))?];
    let gate = Signal::new(gpu, 1)?;
    let nothing: Packet = BarrierAnd::NOP.with_control(Control::SYSTEM).into();
    let mut graph = Graph::new(gpu, 4096)?;
    let first = graph.launch(0, &[], &kernel, &launch)?;
    graph.packets(1, &[first], &[nothing; 20])?;
    // SAFETY: the kernel accesses N values of both buffers, of which nobody has a slice while it runs.
    let few = unsafe { graph.submit(&mut queues[..1], &mut []) };
    assert!(matches!(few, Err(Error::Kfd(kfd::Error::Value { .. }))), "{few:?}");
    queues[1].wait_for(&[&gate])?;
    // SAFETY: as above.
    unsafe { graph.submit(&mut queues, &mut []) }?;
    // SAFETY: as above.
    unsafe { graph.submit(&mut queues, &mut []) }?;
    // SAFETY: as above.
    let full = unsafe { graph.submit(&mut queues, &mut []) };
    assert!(matches!(full, Err(Error::Kfd(kfd::Error::QueueFull { .. }))), "{full:?}");
    assert!(matches!(graph.set_launch(first, &launch), Err(Error::InUse)));
    queues[0].wait_idle(SOON)?;
    assert_eq!(y.host()?, [2.0; N], "twice, not three times");
    gate.set(0);
    graph.wait(SOON)?;
    graph.set_launch(first, &launch)?;
    // One that never fits.
    graph.packets(1, &[], &[nothing; 80])?;
    // SAFETY: as above.
    let never = unsafe { graph.submit(&mut queues, &mut []) };
    assert!(matches!(never, Err(Error::Kfd(kfd::Error::Value { .. }))), "{never:?}");
    queues[0].wait_idle(SOON)?;
    assert_eq!(y.host()?, [2.0; N]);
    Ok(())
}

#[test]
fn runtime_graph_of_kernels_with_private_memory() {
    needs_vgpu!();
    on_gpu("runtime_graph_of_kernels_with_private_memory", || within_long(private));
}

fn private() -> Result<()> {
    let gpu = gpu()?;
    let deep = module(gpu, "basic")?.kernel("deep")?;
    let mut out = Buffer::<u32>::new(gpu, 64, Placement::HOST)?;
    out.host_mut()?.fill(0);
    let mut graph = Graph::new(gpu, 4096)?;
    graph.launch(0, &[], &deep, &Launch::new(Geometry::one(64, 64)?, &[Arg::pointer(out.address())]))?;
    let mut queues = [Queue::new(gpu)?];
    // SAFETY: the kernel writes a value for each work-item.
    unsafe { graph.submit(&mut queues, &mut []) }?;
    graph.wait(SOON)?;
    let expected: Vec<u32> = (0..64).map(|i| (0..1024).step_by(5).map(|k| i * ((k * 7 + i) & 1023)).sum()).collect();
    assert_eq!(out.host()?, expected);
    // A queue that is dropped ends the graph's waits.
    let gate = Signal::new(gpu, 1)?;
    queues[0].wait_for(&[&gate])?;
    // SAFETY: as above.
    unsafe { graph.submit(&mut queues, &mut []) }?;
    assert!(matches!(graph.wait(Wait::Sleep(Duration::from_millis(20))), Err(Error::Kfd(kfd::Error::Timeout { .. }))));
    drop(queues);
    assert!(matches!(graph.wait(Wait::FOREVER), Err(Error::Kfd(kfd::Error::Abandoned))));
    Ok(())
}
