//! A5: what goes wrong on the GPU is a value, and the process goes on.
use std::thread;
use std::time::Duration;

use aql::{AgentDispatch, BarrierAnd, Condition, Control, Geometry, KernelDispatch, Packet};
use kfd::{
    Buffer, Copier, Device, Driver, Engine, Error, Fault, FaultPlace, MemoryFault, Module, ModuleOptions, Placement,
    Queue, QueueError, QueueOptions, Result, SdmaQueue, Signal, Wait,
};
use kfd_tests::within::within_long;
use kfd_tests::{gpu, module, on_gpu, on_gpu_with, on_machines_gpu};

const LONG: Duration = Duration::from_secs(60);

fn lost(result: Result<()>) -> Fault {
    match result {
        Err(Error::Lost { fault }) => fault,
        other => panic!("not lost: {other:?}"),
    }
}

fn stopped(result: Result<()>) -> QueueError {
    match result {
        Err(Error::Stopped { error, .. }) => error,
        other => panic!("not stopped: {other:?}"),
    }
}

#[test]
fn a5_memory_fault() {
    on_gpu("a5_memory_fault", || memory_fault().unwrap());
}

fn memory_fault() -> Result<()> {
    const NOWHERE: u64 = 0x7ff0_0000_0000;
    let gpu = gpu()?;
    let wild = module(gpu, "basic")?.kernel("wild")?;
    let mut queue = Queue::new(gpu)?;
    // SAFETY: nothing is mapped there, which is the point: the device refuses it.
    let work = unsafe { queue.launch(&wild, Geometry::one(1, 1)?)?.argument(NOWHERE + 0x123 * 4).submit() }?;
    let error = queue.wait(&work, Wait::Sleep(LONG)).unwrap_err();
    let Error::Lost { fault: Fault::Memory(fault) } = error else { panic!("{error}") };
    assert_eq!(fault.address, NOWHERE);
    // Which bits a GPU's interrupt has set is its own affair.
    assert!(on_machines_gpu() || fault.not_present && !fault.read_only, "{fault:?}");
    let text = error.to_string();
    assert!(text.contains("0x7ff000000000") && text.contains("new process"), "{text}");
    // The device says so from now on, and recovers for nobody in this process.
    assert_eq!(gpu.fault()?, Some(Fault::Memory(fault)));
    assert!(matches!(Buffer::<u32>::new(gpu, 1, Placement::HOST), Err(Error::Lost { .. })));
    assert!(matches!(Queue::new(gpu), Err(Error::Lost { .. })));
    assert!(matches!(queue.launch(&wild, Geometry::one(1, 1)?), Err(Error::Lost { .. })));
    drop(queue);
    assert_eq!(gpu.fault()?, Some(Fault::Memory(fault)));
    Ok(())
}

#[test]
fn a5_a_fault_behind_a_buffer_names_it() {
    on_gpu("a5_a_fault_behind_a_buffer_names_it", || {
        let fault = fault_at(Placement::VRAM, 3 * 4096, |address| (address + 3 * 4096 + 8, false)).unwrap();
        assert_eq!(fault.allocation.map(|found| (found.bytes, found.place)), Some((3 * 4096, FaultPlace::Guard)));
        let text = fault.to_string();
        assert!(text.contains("), behind the end of 12288 bytes of VRAM at 0x"), "{text}");
    });
}

#[test]
fn a5_a_fault_in_a_buffer_that_was_dropped_names_it() {
    on_gpu("a5_a_fault_in_a_buffer_that_was_dropped_names_it", || {
        let fault = fault_at(Placement::HOST, 5 * 4096, |address| (address + 4096 + 12, true)).unwrap();
        assert_eq!(fault.allocation.map(|found| (found.bytes, found.place)), Some((5 * 4096, FaultPlace::Freed)));
        let text = fault.to_string();
        let expected = "), byte 4096 of 20480 bytes of host memory at 0x";
        assert!(text.contains(expected) && text.ends_with(" that were dropped before"), "{text}");
    });
}

#[test]
fn a5_a_fault_in_a_buffer_that_is_read_only_names_it() {
    on_gpu("a5_a_fault_in_a_buffer_that_is_read_only_names_it", || {
        let fault = fault_at(Placement::VRAM.with_read_only(true), 4096, |address| (address, false)).unwrap();
        assert_eq!(fault.allocation.map(|found| (found.bytes, found.place)), Some((4096, FaultPlace::Inside)));
        assert!(fault.to_string().contains("), byte 0 of 4096 bytes of VRAM at 0x"), "{fault}");
    });
}

/// The fault of a kernel that writes where `at` says, which also says whether the buffer that is at the address it is
/// given is dropped before.
fn fault_at(placement: Placement, bytes: usize, at: fn(u64) -> (u64, bool)) -> Result<MemoryFault> {
    let gpu = gpu()?;
    let wild = module(gpu, "basic")?.kernel("wild")?;
    let mut queue = Queue::new(gpu)?;
    // Others beside it, of other sizes.
    let others = [1, 2].map(|pages| Buffer::<u8>::new(gpu, pages * 4096, Placement::VRAM));
    let buffer = Buffer::<u8>::new(gpu, bytes, placement)?;
    let start = buffer.address();
    let (address, dropped) = at(start);
    let kept = (!dropped).then_some(buffer);
    // SAFETY: the device refuses it, which is the point.
    let work = unsafe { queue.launch(&wild, Geometry::one(1, 1)?)?.argument(address).submit() }?;
    let Fault::Memory(fault) = lost(queue.wait(&work, Wait::Sleep(LONG))) else { panic!("another fault") };
    assert_eq!(fault.allocation.map(|found| found.address), Some(start), "{fault}");
    drop((kept, others));
    Ok(fault)
}

#[test]
fn a5_polling_threads_hear_of_faults_at_the_end_of_their_time() {
    on_gpu("a5_polling_threads_hear_of_faults_at_the_end_of_their_time", || polled_fault().unwrap());
}

fn polled_fault() -> Result<()> {
    let gpu = gpu()?;
    let wild = module(gpu, "basic")?.kernel("wild")?;
    let mut queue = Queue::new(gpu)?;
    // SAFETY: as above.
    let work = unsafe { queue.launch(&wild, Geometry::one(1, 1)?)?.argument(8_u64).submit() }?;
    drop(work);
    let fault = loop {
        match queue.wait_idle(Wait::Poll(Duration::from_millis(50))) {
            // The device has not come to it yet.
            Err(Error::Timeout { .. }) => {}
            other => break lost(other),
        }
    };
    assert!(matches!(fault, Fault::Memory(fault) if fault.address == 0));
    Ok(())
}

#[test]
fn a5_polling_without_end_ends_at_a_fault() {
    on_gpu("a5_polling_without_end_ends_at_a_fault", || within_long(polled_without_end));
}

fn polled_without_end() -> Result<()> {
    let gpu = gpu()?;
    let wild = module(gpu, "basic")?.kernel("wild")?;
    let mut queue = Queue::new(gpu)?;
    // SAFETY: as above.
    let work = unsafe { queue.launch(&wild, Geometry::one(1, 1)?)?.argument(8_u64).submit() }?;
    let fault = lost(queue.wait(&work, Wait::Poll(Duration::MAX)));
    assert!(matches!(fault, Fault::Memory(fault) if fault.address == 0));
    Ok(())
}

#[test]
fn a5_errors_of_queues() {
    on_gpu("a5_errors_of_queues", || queue_errors().unwrap());
}

fn queue_errors() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let mut out = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    let exceptions =
        [("trap", QueueError::Trap), ("illegal", QueueError::IllegalInstruction), ("outside", QueueError::Aperture)];
    for (name, expected) in exceptions {
        let kernel = module.kernel(name)?;
        let mut queue = Queue::new(gpu)?;
        out.host_mut()?[0] = 0;
        // SAFETY: the kernel writes the first value, then ends by an exception.
        let work = unsafe { queue.launch(&kernel, Geometry::one(1, 1)?)?.buffer_mut(&mut out).submit() }?;
        assert_eq!(stopped(queue.wait(&work, Wait::Sleep(LONG))), expected);
        assert_eq!(stopped(queue.launch(&kernel, Geometry::one(1, 1)?).map(drop)), expected);
        assert!(matches!(out.host(), Err(Error::InUse)), "nobody knows what the queue still does");
        assert_eq!(gpu.fault()?, None, "the device goes on");
        works(gpu)?;
        drop(queue);
        assert_eq!(out.host()?[0], 1, "what came before the exception");
        works(gpu)?;
    }
    // Packets that the checked launch cannot make.
    let object = module.kernel("increment")?.object();
    let lds =
        KernelDispatch::new(object, Geometry::one(64, 64)?).with_group_segment(1 << 20).with_control(Control::SYSTEM);
    let agent = AgentDispatch::new(0, [0; 4]).with_control(Control::SYSTEM);
    for (packet, expected) in [(lds.into(), QueueError::GroupMemory), (agent.into(), QueueError::Packet)] {
        let mut queue = Queue::new(gpu)?;
        // SAFETY: the device refuses them before anything runs.
        let work = unsafe { queue.submit(&[packet]) }?;
        assert_eq!(stopped(queue.wait(&work, Wait::Poll(LONG))), expected);
        works(gpu)?;
        drop(queue);
        works(gpu)?;
    }
    Ok(())
}

#[test]
fn a5_debug_traps_do_nothing_without_a_debugger() {
    on_gpu("a5_debug_traps_do_nothing_without_a_debugger", || debug_trap().unwrap());
}

fn debug_trap() -> Result<()> {
    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("debug")?;
    let mut out = Buffer::<u32>::new(gpu, 100, Placement::HOST)?;
    let mut queue = Queue::new(gpu)?;
    // SAFETY: the kernel writes a value for each work-item.
    let work = unsafe { queue.launch(&kernel, Geometry::one(100, 64)?)?.buffer_mut(&mut out).submit() }?;
    queue.wait(&work, Wait::Sleep(LONG))?;
    assert!(out.host()?.iter().enumerate().all(|(i, value)| *value == i as u32 + 1), "{:?}", out.host()?);
    Ok(())
}

/// The device computes.
fn works(gpu: Device) -> Result<()> {
    let kernel = module(gpu, "basic")?.kernel("increment")?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    counter.host_mut()?[0] = 6;
    let mut queue = Queue::new(gpu)?;
    // SAFETY: the kernel changes the first value.
    let work = unsafe { queue.launch(&kernel, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?;
    queue.wait(&work, Wait::Sleep(LONG))?;
    assert_eq!(counter.host()?[0], 7);
    Ok(())
}

#[test]
fn a5_modules_of_more_memory_than_allowed() {
    on_gpu("a5_modules_of_more_memory_than_allowed", || large_modules().unwrap());
}

fn large_modules() -> Result<()> {
    // 300 MiB without a value.
    const LAST: u64 = (300 << 20) / 4 - 1;
    let gpu = gpu()?;
    let bytes = kfd_tests::code_object("large", &gpu.node().isa());
    assert!(bytes.len() < 64 << 10, "the file has them not");
    let excess = kfd::code::CodeObject::parse(&bytes)?.excess_bytes();
    assert!(excess > 299 << 20 && excess < 301 << 20, "{excess}");
    let refused = |result: Result<Module>, limit: u64| {
        let text = result.map(drop).unwrap_err().to_string();
        for part in
            [excess.to_string(), format!("the limit is {limit}:"), "ModuleOptions::with_excess_bytes".to_owned()]
        {
            assert!(text.contains(&part), "{part}: {text}");
        }
    };
    refused(Module::load(gpu, &bytes), ModuleOptions::EXCESS_BYTES);
    let options = ModuleOptions::default();
    refused(Module::load_with(gpu, &bytes, options.with_excess_bytes(excess - 1)), excess - 1);
    let module = Module::load_with(gpu, &bytes, options.with_excess_bytes(excess))?;
    let add = module.kernel("add")?;
    let mut out = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    let mut queue = Queue::new(gpu)?;
    for before in [0, 7] {
        out.host_mut()?[0] = u32::MAX;
        // SAFETY: the kernel changes the last value of its own, and writes one of the buffer.
        let work = unsafe {
            queue.launch(&add, Geometry::one(1, 1)?)?.argument(LAST).argument(7_u32).buffer_mut(&mut out).submit()
        }?;
        queue.wait(&work, Wait::Sleep(LONG))?;
        assert_eq!(out.host()?[0], before, "zero at first");
    }
    Ok(())
}

#[test]
fn a5_full_queue() {
    on_gpu("a5_full_queue", || full_queue().unwrap());
}

fn full_queue() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let (gate, increment) = (module.kernel("gate")?, module.kernel("increment")?);
    let mut flag = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    counter.host_mut()?[0] = 0;
    let few_packets = QueueOptions::default().with_packets(64);
    let few_arguments = QueueOptions::default().with_argument_bytes(4096);
    for (options, least) in [(few_packets, 50), (few_arguments, 10)] {
        let before = counter.host()?[0];
        let mut queue = Queue::with(gpu, options)?;
        flag.write(0, &[0])?;
        // SAFETY: the kernel reads the first value.
        drop(unsafe { queue.launch(&gate, Geometry::one(1, 1)?)?.buffer(&flag).submit() }?);
        let mut submitted = 0;
        let error = loop {
            // SAFETY: the kernel changes the first value.
            match unsafe { queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() } {
                Ok(work) => drop(work),
                Err(error) => break error,
            }
            submitted += 1;
        };
        assert!(matches!(error, Error::QueueFull { .. }) && submitted >= least, "{error} after {submitted}");
        assert!(matches!(queue.wait_for_room(Wait::Sleep(Duration::from_millis(20))), Err(Error::Timeout { .. })));
        flag.write(0, &[1])?;
        queue.wait_for_room(Wait::Sleep(LONG))?;
        // SAFETY: as above.
        drop(unsafe { queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?);
        queue.wait_idle(Wait::Sleep(LONG))?;
        assert_eq!(counter.host()?[0], before + submitted + 1, "what was refused did not run");
    }
    Ok(())
}

#[test]
fn a5_packets_that_a_full_queue_refuses_do_not_run() {
    on_gpu("a5_packets_that_a_full_queue_refuses_do_not_run", || refused_packets().unwrap());
}

/// At the edge: besides the packets, one counts them, one empties the instruction caches as there is new code, and one
/// slot stays free.
fn refused_packets() -> Result<()> {
    const PACKETS: u64 = 64;
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let (gate, increment) = (module.kernel("gate")?, module.kernel("increment")?);
    let mut flag = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    counter.host_mut()?[0] = 0;
    for (more, fits) in [(60, true), (61, false)] {
        let mut queue = Queue::with(gpu, QueueOptions::default().with_packets(PACKETS as u32))?;
        flag.write(0, &[0])?;
        // What empties the caches for the code so far is over.
        // SAFETY: no packet of the caller's.
        let first = unsafe { queue.submit(&[]) }?;
        queue.wait(&first, Wait::Sleep(LONG))?;
        // SAFETY: the kernel reads the first value.
        drop(unsafe { queue.launch(&gate, Geometry::one(1, 1)?)?.buffer(&flag).submit() }?);
        let _new_code = kfd_tests::module(gpu, "basic")?;
        let signal = Signal::polled(gpu, 100)?;
        let packet = BarrierAnd::NOP.with_control(Control::SYSTEM).with_completion(signal.handle());
        let packets = vec![Packet::from(packet); more];
        // SAFETY: they decrement a signal, which lasts.
        let result = unsafe { queue.submit(&packets) }.map(drop);
        match result {
            Ok(()) => assert!(fits, "{more} packets were accepted"),
            Err(error) => assert!(!fits && matches!(error, Error::QueueFull { .. }), "{more} packets: {error}"),
        }
        flag.write(0, &[1])?;
        queue.wait_idle(Wait::Sleep(LONG))?;
        // Behind whatever was submitted.
        // SAFETY: the kernel changes the first value.
        let work = unsafe { queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?;
        queue.wait(&work, Wait::Sleep(LONG))?;
        assert_eq!(signal.value(), if fits { 100 - more as i64 } else { 100 }, "{more} packets");
    }
    assert_eq!(counter.host()?[0], 2);
    Ok(())
}

#[test]
fn a5_one_piece_of_work_is_waited_for_to_make_room() {
    on_gpu("a5_one_piece_of_work_is_waited_for_to_make_room", || one_piece().unwrap());
}

fn one_piece() -> Result<()> {
    let gpu = gpu()?;
    let gate = module(gpu, "basic")?.kernel("gate")?;
    let mut flag = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    let mut queue = Queue::new(gpu)?;
    // The older half of so many, which are held one behind the other.
    for pieces in 1..4 {
        flag.host_mut()?[0] = 0;
        for _ in 0..pieces {
            // SAFETY: the kernel reads the first value.
            drop(unsafe { queue.launch(&gate, Geometry::one(1, 1)?)?.buffer(&flag).submit() }?);
        }
        let early = queue.wait_for_room(Wait::Sleep(Duration::from_millis(5)));
        assert!(matches!(early, Err(Error::Timeout { .. })), "none of {pieces} is done: {early:?}");
        flag.write(0, &[1])?;
        queue.wait_for_room(Wait::Sleep(LONG))?;
        queue.wait_idle(Wait::Sleep(LONG))?;
    }
    Ok(())
}

#[test]
fn a5_queue_dropped_under_a_waiter() {
    on_gpu("a5_queue_dropped_under_a_waiter", || dropped_queue().unwrap());
}

fn dropped_queue() -> Result<()> {
    let gpu = gpu()?;
    let gate = module(gpu, "basic")?.kernel("gate")?;
    let mut flag = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    flag.host_mut()?[0] = 0;
    for waking in [true, false] {
        let mut queue = Queue::new(gpu)?;
        // SAFETY: the kernel reads the first value.
        drop(unsafe { queue.launch(&gate, Geometry::one(1, 1)?)?.buffer(&flag).submit() }?);
        let signal = if waking { Signal::new(gpu, 1)? } else { Signal::polled(gpu, 1)? };
        queue.signal(&signal)?;
        let waiter = signal.clone();
        let waiter = thread::spawn(move || waiter.wait(Condition::Eq, 0, Wait::Sleep(LONG)));
        thread::sleep(Duration::from_millis(50));
        drop(queue);
        assert!(matches!(waiter.join().expect("no panic"), Err(Error::Abandoned)));
        assert_eq!(signal.value(), 1);
        // The kernel is gone with its queue.
        assert_eq!(flag.host_mut()?[0], 0);
    }
    works(gpu)
}

#[test]
fn a5_kernel_that_never_ends() {
    on_gpu_with(&["--faults", "hang@dispatch:1"], "a5_kernel_that_never_ends", || hang().unwrap());
}

fn hang() -> Result<()> {
    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("increment")?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    let mut queue = Queue::new(gpu)?;
    // SAFETY: the kernel changes the first value.
    let work = unsafe { queue.launch(&kernel, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?;
    let error = queue.wait(&work, Wait::Sleep(Duration::from_millis(50))).unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error}");
    assert!(matches!(counter.host_mut(), Err(Error::InUse)));
    drop(queue);
    counter.host_mut()?[0] = 1;
    works(gpu)
}

#[test]
fn a5_what_cannot_be_is_refused_before_the_driver_is_asked() {
    on_gpu("a5_what_cannot_be_is_refused_before_the_driver_is_asked", || refused().unwrap());
}

fn refused() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let text = |error: Error| error.to_string();
    assert_eq!(
        text(Buffer::<u32>::new(gpu, 0, Placement::HOST).unwrap_err()),
        "a buffer's size in bytes is 0, must be 1 to 2^46"
    );
    assert!(matches!(Buffer::<u64>::new(gpu, usize::MAX / 2, Placement::HOST), Err(Error::Value { .. })));
    for options in [
        QueueOptions::default().with_packets(100),
        QueueOptions::default().with_packets(32),
        QueueOptions::default().with_priority(16),
        QueueOptions::default().with_private_bytes(1 << 20),
        QueueOptions::default().with_argument_bytes(0),
        QueueOptions::default().with_cu_mask(&[1; 33]),
    ] {
        let error = Queue::with(gpu, options).unwrap_err();
        assert!(matches!(error, Error::Value { .. }), "{error}");
    }
    let error = Queue::new(gpu)?.set_cu_mask(&[1; 33]).unwrap_err();
    assert!(matches!(error, Error::Value { value: 1056, .. }), "{error}");
    let error = text(module.kernel("sexpy").unwrap_err());
    assert!(error.contains("sexpy") && error.contains("saxpy"), "{error}");
    let saxpy = module.kernel("saxpy")?;
    let mut queue = Queue::new(gpu)?;
    let mut y = Buffer::<f32>::new(gpu, 4, Placement::HOST)?;
    // SAFETY: the launches are refused.
    let error =
        unsafe { queue.launch(&saxpy, Geometry::one(4, 4)?)?.argument(4).argument(1.0f64).buffer_mut(&mut y).submit() };
    let error = text(error.unwrap_err());
    assert!(error.contains("saxpy") && error.contains('4') && error.contains('3'), "{error}");
    assert_eq!(y.host_mut()?.len(), 4, "what was refused does not keep the buffer");
    let reduce = module.kernel("reduce")?;
    // SAFETY: as above.
    let error = unsafe { queue.launch(&reduce, Geometry::one(64, 64)?)?.buffer(&y).buffer(&y).submit() };
    let error = text(error.unwrap_err());
    assert!(error.contains("reduce") && error.contains("256"), "{error}");
    let other = Queue::new(gpu)?.wait_idle(Wait::FOREVER);
    assert!(other.is_ok());
    // SAFETY: no packets.
    let work = unsafe { queue.submit(&[]) }?;
    assert!(matches!(Queue::new(gpu)?.wait(&work, Wait::FOREVER), Err(Error::OtherQueue)));
    assert!(matches!(kfd::Module::load(gpu, b"\x7fELF"), Err(Error::Code(_))));
    works(gpu)
}

#[test]
fn a5_child_of_a_fork() {
    on_gpu("a5_child_of_a_fork", || fork().unwrap());
}

/// Whether everything of this device refuses a buffer and a signal of the parent process.
fn refuses(own: Device, buffer: &mut Buffer<u32>, signal: &Signal) -> Result<bool> {
    let (mut queue, mut sdma) = (Queue::new(own)?, SdmaQueue::new(own, Engine::Any)?);
    let (mut copier, kernel) = (Copier::new(own, Engine::Any)?, module(own, "basic")?.kernel("increment")?);
    let (mut mine, mut other) =
        (Buffer::<u32>::new(own, 1, Placement::HOST)?, Buffer::<u32>::new(own, 1, Placement::HOST)?);
    let one = Geometry::one(1, 1)?;
    let answers = [
        buffer.map_to(own),
        sdma.fill(buffer, 0, 1, 7).map(drop),
        sdma.copy(buffer, 0, &mut mine, 0, 1).map(drop),
        sdma.copy(&mine, 0, buffer, 0, 1).map(drop),
        sdma.copy_with_progress(&mine, 0, &mut other, 0, 1, signal).map(drop),
        sdma.wait_for(&[signal]),
        sdma.signal(signal),
        queue.fill(buffer, 0, 1, 7).map(drop),
        queue.copy(buffer, 0, &mut mine, 0, 1).map(drop),
        copier.copy(buffer, 0, &mut mine, 0, 1).map(drop),
        queue.wait_for(&[signal]),
        queue.signal(signal),
        // SAFETY: refused.
        unsafe { queue.launch(&kernel, one)?.buffer_mut(buffer).submit() }.map(drop),
        // SAFETY: refused; the kernel changes the first value.
        unsafe { queue.launch(&kernel, one)?.buffer_mut(&mut mine).completes(signal).submit() }.map(drop),
    ];
    Ok(answers.iter().all(|answer| matches!(answer, Err(Error::Forked))))
}

fn fork() -> Result<()> {
    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("increment")?;
    let mut queue = Queue::new(gpu)?;
    let signal = Signal::new(gpu, 1)?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    // SAFETY: the child uses nothing that other threads may have locked: of the device, only what is to refuse; then it
    // exits.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        let geometry = Geometry::one(1, 1).expect("valid");
        let launch = matches!(queue.launch(&kernel, geometry), Err(Error::Forked));
        let refusals = [
            launch,
            matches!(queue.wait_idle(Wait::FOREVER), Err(Error::Forked)),
            matches!(counter.host_mut(), Err(Error::Forked)),
            matches!(counter.read(0, &mut [0]), Err(Error::Forked)),
            matches!(Buffer::<u32>::new(gpu, 1, Placement::HOST), Err(Error::Forked)),
            matches!(signal.wait(Condition::Eq, 1, Wait::FOREVER), Err(Error::Forked)),
            matches!(gpu.fault(), Err(Error::Forked)),
            matches!(signal.dispatch_time(gpu), Err(Error::Forked)),
            // The child has not got the memory: no word of the parent's, and no crash.
            signal.value() == 0,
        ];
        // The child has a driver of its own, whose queues do not take the parent's objects either.
        let own = Driver::open().and_then(|driver| driver.device(gpu.node()));
        let own = own.and_then(|own| works(own).and(refuses(own, &mut counter, &signal)));
        // Dropping does nothing to the parent's objects.
        drop((queue, counter, kernel));
        let status = match own {
            _ if refusals.contains(&false) => 1,
            Err(_) => 2,
            Ok(false) => 3,
            Ok(true) => 0,
        };
        // SAFETY: ends the child.
        unsafe { libc::_exit(status) };
    }
    let mut status = -1;
    // SAFETY: waits for the child.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0, "the child's exit status");
    counter.host_mut()?[0] = 1;
    // SAFETY: the kernel changes the first value.
    let work = unsafe { queue.launch(&kernel, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?;
    queue.wait(&work, Wait::Sleep(LONG))?;
    assert_eq!(counter.host()?[0], 2);
    Ok(())
}

/// The register that flushes host writes is not mapped in a child.
#[test]
fn a5_a_child_of_a_fork_exports_nothing() {
    on_gpu("a5_a_child_of_a_fork_exports_nothing", || exports_nothing().unwrap());
}

fn exports_nothing() -> Result<()> {
    let gpu = gpu()?;
    let mut vram = Buffer::<u32>::new(gpu, 1, Placement::VISIBLE)?;
    vram.host_mut()?.fill(7);
    // SAFETY: the child only asks for what is to be refused, and exits.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        // SAFETY: refused.
        let refused = matches!(unsafe { vram.export() }, Err(Error::Forked));
        // SAFETY: ends the child.
        unsafe { libc::_exit(i32::from(!refused)) };
    }
    let mut status = -1;
    // SAFETY: waits for the child.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0, "the child's status");
    Ok(())
}

/// A dispatch has one completion signal. That of the first call would never have been decremented.
#[test]
fn a5_a_launch_completes_one_signal() {
    on_gpu("a5_a_launch_completes_one_signal", || one_signal().unwrap());
}

fn one_signal() -> Result<()> {
    let gpu = gpu()?;
    let mut queue = Queue::new(gpu)?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    counter.host_mut()?[0] = 0;
    let [first, second] = [Signal::new(gpu, 1)?, Signal::new(gpu, 1)?];
    let launch = queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut counter);
    // SAFETY: the kernel changes the first value.
    let refused = unsafe { launch.completes(&first).completes(&second).submit() };
    assert!(matches!(refused, Err(Error::Value { value: 2, .. })), "{refused:?}");
    let launch = queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut counter);
    // SAFETY: as above.
    let work = unsafe { launch.completes(&first).submit() }?;
    queue.wait(&work, Wait::FOREVER)?;
    assert_eq!((first.value(), second.value(), counter.host()?[0]), (0, 1, 1));
    Ok(())
}
