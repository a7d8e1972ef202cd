//! A3: what kernels find where they are loaded and launched.
use aql::{BarrierAnd, Control, Geometry, Kernarg, KernelDispatch, Packet};
use kfd::code::{self, LaunchProblem};
use kfd::{Arg, Buffer, Error, Kernel, Module, Placement, Queue, QueueOptions, Result, Service, Wait};
use kfd_tests::{again, gpu, inside, module, on_gpu, on_machines_gpu, text_of};

/// Launches a kernel with one work-item and `arguments`, and then `out`. What it wrote.
fn run(queue: &mut Queue, kernel: &Kernel, arguments: &[Arg], services: &[(Service, u64)]) -> Result<[u64; 2]> {
    let mut out = Buffer::new(queue.device(), 2, Placement::HOST)?;
    let mut launch = queue.launch(kernel, Geometry::one(1, 1)?)?;
    for argument in arguments {
        launch = launch.argument(*argument);
    }
    for (service, address) in services {
        launch = launch.service(*service, *address);
    }
    // SAFETY: the kernels write two values, and read what they are given.
    let work = unsafe { launch.buffer_mut(&mut out).submit() }?;
    queue.wait(&work, Wait::FOREVER)?;
    Ok([out.host()?[0], out.host()?[1]])
}

#[test]
fn a3_services_of_a_launch() {
    on_gpu("a3_services_of_a_launch", || services().unwrap());
}

fn services() -> Result<()> {
    let gpu = gpu()?;
    let kernel = module(gpu, "arguments")?.kernel("services")?;
    assert!(kernel.description().needs().eq([Service::Heap, Service::QueuePointer]));
    let mut queue = Queue::with(gpu, QueueOptions::default().with_packets(128))?;
    match run(&mut queue, &kernel, &[], &[]) {
        Err(Error::Launch(error)) => assert_eq!(error.problem, LaunchProblem::Service { service: Service::Heap }),
        other => panic!("{other:?}"),
    }
    // The queue gives its own address by itself.
    assert_eq!(run(&mut queue, &kernel, &[], &[(Service::Heap, 0x1234_5678_9abc)])?, [0x1234_5678_9abc, 128]);
    // Another's is as good, if the caller says so.
    let mut other = Buffer::<u32>::new(gpu, 7, Placement::HOST)?;
    other.host_mut()?[6] = 77;
    let given = [(Service::Heap, 0), (Service::QueuePointer, other.address())];
    assert_eq!(run(&mut queue, &kernel, &[], &given)?, [0, 77]);
    Ok(())
}

#[test]
fn a3_an_image_at_its_alignment() {
    on_gpu("a3_an_image_at_its_alignment", || alignment().unwrap());
}

fn alignment() -> Result<()> {
    let gpu = gpu()?;
    // Several, as one may be lucky.
    let modules: Vec<_> = (0..8).map(|_| module(gpu, "aligned")).collect::<Result<_>>()?;
    let mut queue = Queue::new(gpu)?;
    for module in &modules {
        let [address, last] = run(&mut queue, &module.kernel("table_at")?, &[], &[])?;
        assert_eq!((address % 65536, last), (0, 40));
    }
    Ok(())
}

/// GPUs from gfx90a on fetch instructions ahead, as far as 1 KiB behind the last. The kernel reads there, since no
/// MI100 fetches that far.
#[test]
fn a3_memory_behind_an_image_that_ends_with_its_page() {
    on_gpu("a3_memory_behind_an_image_that_ends_with_its_page", || behind_an_image().unwrap());
}

fn behind_an_image() -> Result<()> {
    let gpu = gpu()?;
    let bytes = kfd_tests::code_object("end", &gpu.node().isa());
    let image_bytes = code::CodeObject::parse(&bytes)?.image_bytes();
    let kernel = Module::load(gpu, &bytes)?.kernel("at")?;
    let mut queue = Queue::new(gpu)?;
    for place in [0, 1023, 1024, 1024 + 255_u64] {
        let [address, value] = run(&mut queue, &kernel, &[place.into()], &[])?;
        let image = kernel.object().get() - kernel.description().descriptor_offset();
        assert_eq!((image + image_bytes, address % 4096), (address + 4096, 0), "the variable ends image and page");
        assert_eq!(value, 0, "{place}");
    }
    Ok(())
}

#[test]
fn a3_arguments_at_their_alignment() {
    on_gpu("a3_arguments_at_their_alignment", || arguments().unwrap());
}

fn arguments() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "arguments")?;
    let (small, wide) = (module.kernel("small")?, module.kernel("wide")?);
    assert_eq!((small.description().kernarg_align(), wide.description().kernarg_align()), (16, 128));
    let mut queue = Queue::with(gpu, QueueOptions::default().with_argument_bytes(4096))?;
    // Two sizes, so that they would come at all multiples of 64 bytes.
    for round in 0..40u64 {
        assert_eq!(run(&mut queue, &small, &[], &[])?[0] % 16, 0);
        let values: Vec<u8> = (0..16).flat_map(|value| (round * 16 + value).to_le_bytes()).collect();
        let [address, last] = run(&mut queue, &wide, &[Arg::bytes(&values)], &[])?;
        assert_eq!((address % 128, last), (0, round * 16 + 15), "round {round}");
    }
    Ok(())
}

/// Memory for arguments is a ring, in which each launch has one piece: what is left at its end is skipped, also by one
/// that needs most of it.
#[test]
fn a3_arguments_that_nearly_fill_their_memory() {
    on_gpu("a3_arguments_that_nearly_fill_their_memory", || large_arguments().unwrap());
}

fn large_arguments() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "arguments")?;
    let (small, large) = (module.kernel("small")?, module.kernel("large")?);
    let mut queue = Queue::with(gpu, QueueOptions::default().with_argument_bytes(4096))?;
    let values: Vec<u8> = (0..800u32).flat_map(|value| (value * 3).to_le_bytes()).collect();
    for round in 0..40u32 {
        // A cache line each, so that a large one begins anywhere.
        for _ in 0..round {
            run(&mut queue, &small, &[], &[])?;
        }
        let [_, value] = run(&mut queue, &large, &[Arg::bytes(&values), (round * 19).into()], &[])?;
        assert_eq!(value, u64::from(round * 57), "round {round}");
    }
    Ok(())
}

#[test]
fn a3_constructors_are_refused_by_name() {
    on_gpu("a3_constructors_are_refused_by_name", || constructors().unwrap());
}

fn constructors() -> Result<()> {
    match module(gpu()?, "constructors") {
        Err(Error::Code(code::Error::Constructors { kernel })) => assert_eq!(kernel, "amdgcn.device.init"),
        other => panic!("{other:?}"),
    }
    Ok(())
}

#[test]
fn a3_global_offset() {
    on_gpu("a3_global_offset", || global_offset().unwrap());
}

fn global_offset() -> Result<()> {
    let gpu = gpu()?;
    let kernel = module(gpu, "basic")?.kernel("offset")?;
    let mut out = Buffer::<u64>::new(gpu, 3, Placement::HOST)?;
    let mut queue = Queue::new(gpu)?;
    for offset in [[0; 3], [7, 1 << 33, u64::MAX]] {
        out.host_mut()?.fill(1);
        let launch = queue.launch(&kernel, Geometry::one(1, 1)?)?.buffer_mut(&mut out);
        // SAFETY: the kernel writes three values.
        let work = unsafe { launch.global_offset(offset).submit() }?;
        queue.wait(&work, Wait::FOREVER)?;
        assert_eq!(out.host()?, offset);
    }
    Ok(())
}

/// Packets as they are may run code that was loaded where other code was: the instruction caches are emptied before.
#[test]
fn a3_packets_as_they_are_see_new_code() {
    const NAME: &str = "a3_packets_as_they_are_see_new_code";
    if inside() || on_machines_gpu() {
        return on_gpu(NAME, || packets_as_they_are().unwrap());
    }
    let trace = std::env::temp_dir().join(format!("kfd-tests-packets-{}.trace", std::process::id()));
    let traced = again(&["--trace", trace.to_str().expect("a plain path")], NAME);
    assert!(traced.status.success(), "{}", text_of(&traced));
    let text = std::fs::read_to_string(&trace).expect("vgpu wrote it");
    std::fs::remove_file(&trace).expect("it is there");
    let kinds = text.lines().filter_map(|line| {
        let kinds = [("\"event\":\"dispatch\"", "kernel"), ("\"type\":\"pm4_ib\"", "commands")];
        kinds.into_iter().find_map(|(part, kind)| line.contains(part).then_some(kind))
    });
    let order: Vec<_> = kinds.collect();
    assert_eq!(order, ["commands", "kernel", "kernel", "commands", "kernel", "commands"], "{text}");
}

fn packets_as_they_are() -> Result<()> {
    let gpu = gpu()?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    counter.host_mut()?[0] = 0;
    let mut arguments = Buffer::<u64>::new(gpu, 64, Placement::HOST)?;
    arguments.host_mut()?.fill(0);
    arguments.host_mut()?[0] = counter.address();
    let mut queue = Queue::new(gpu)?;
    let mut run = |module: &Module, times: usize| -> Result<()> {
        let packet = KernelDispatch::new(module.kernel("increment")?.object(), Geometry::one(1, 1)?)
            .with_kernarg(Kernarg::new(arguments.address()).expect("memory begins with a page"))
            .with_control(Control::SYSTEM);
        for _ in 0..times {
            // SAFETY: the kernel changes the value at the address in its arguments. All are there until the work is
            // done.
            let work = unsafe { queue.submit(&[packet.into()]) }?;
            queue.wait(&work, Wait::FOREVER)?;
        }
        Ok(())
    };
    let first = module(gpu, "basic")?;
    run(&first, 2)?;
    run(&module(gpu, "basic")?, 1)?;
    let mut seen = [0];
    counter.read(0, &mut seen)?;
    assert_eq!(seen, [3]);
    // As many packets as a ring of 64 can take: one counts them, one empties caches, one may wake a thread.
    let mut small = Queue::with(gpu, QueueOptions::default().with_packets(64))?;
    let packets = [Packet::from(BarrierAnd::NOP); 62];
    // SAFETY: they do nothing.
    let refused = unsafe { small.submit(&packets) };
    assert!(matches!(refused, Err(Error::Value { value: 62, .. })), "{refused:?}");
    // SAFETY: as above.
    let work = unsafe { small.submit(&packets[1..]) }?;
    small.wait(&work, Wait::FOREVER)
}
