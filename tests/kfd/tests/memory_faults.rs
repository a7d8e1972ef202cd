//! What the virtual GPU says of a memory fault, beyond what the driver tells the process: who made it.
use std::fs;
use std::time::Duration;

use aql::Geometry;
use kfd::{Buffer, Error, Fault, Module, Placement, Queue, Result, Signal, Wait};
use kfd_tests::{again, gpu, inside, module, needs_vgpu, on_gpu, text_of};

const LONG: Duration = Duration::from_secs(60);
const NOWHERE: u64 = 0x7ff0_0000_0000;

#[test]
fn a5_kernels_in_flight_are_named_after_a_fault() {
    on_gpu("a5_kernels_in_flight_are_named_after_a_fault", || in_flight().unwrap());
}

fn in_flight() -> Result<()> {
    let gpu = gpu()?;
    let module: Module = module(gpu, "basic")?;
    let (stray, saxpy, deep) = (module.kernel("stray")?, module.kernel("saxpy")?, module.kernel("deep")?);
    let mut out = Buffer::<u32>::new(gpu, 512, Placement::HOST)?;
    let x = Buffer::<f32>::new(gpu, 1, Placement::HOST)?;
    let mut y = Buffer::<f32>::new(gpu, 1, Placement::HOST)?;
    let (mut queue, mut other) = (Queue::new(gpu)?, Queue::new(gpu)?);
    let grid = Geometry::one(1, 1)?;
    let add = |queue: &mut Queue, y: &mut Buffer<f32>| -> Result<()> {
        let launch = queue.launch(&saxpy, grid)?.argument(1_i32).argument(1.0_f32).buffer(&x);
        // SAFETY: the kernel reads one value of `x` and writes one of `y`.
        unsafe { launch.buffer_mut(y).submit() }.map(drop)
    };
    for _ in 0..3 {
        add(&mut queue, &mut y)?;
    }
    queue.wait_idle(Wait::Sleep(LONG))?;
    assert!(queue.unfinished_kernels().is_empty(), "{:?}", queue.unfinished_kernels());
    let gate = Signal::new(gpu, 1)?;
    queue.wait_for(&[&gate])?;
    let launch = queue.launch(&stray, Geometry::one(500, 128)?)?.buffer_mut(&mut out);
    // SAFETY: every work-item writes its own value, but one an address where nothing is mapped.
    drop(unsafe { launch.argument(333_u32).argument(NOWHERE).submit() }?);
    add(&mut queue, &mut y)?;
    add(&mut queue, &mut y)?;
    // Its scratch makes another queue of the driver continue this one.
    let launch = queue.launch(&deep, Geometry::one(64, 64)?)?.buffer_mut(&mut out);
    // SAFETY: the kernel writes a value for each of 64 work-items.
    drop(unsafe { launch.submit() }?);
    gate.set(0);
    let lost = queue.wait_idle(Wait::Sleep(LONG));
    assert!(matches!(lost, Err(Error::Lost { fault: Fault::Memory(_) })), "{lost:?}");
    assert_eq!(queue.unfinished_kernels(), ["stray", "saxpy", "deep"]);
    assert!(other.unfinished_kernels().is_empty());
    assert!(matches!(add(&mut other, &mut y), Err(Error::Lost { .. })));
    Ok(())
}

/// The second dispatch of the queue: work-item 333 of 500, which is lane 13 of wave 1 of the third work-group of 128.
#[test]
fn one_stray_item() {
    if inside() {
        stray().unwrap();
    }
}

fn stray() -> Result<()> {
    let gpu = gpu()?;
    let module: Module = module(gpu, "basic")?;
    let stray = module.kernel("stray")?;
    let mut out = Buffer::<u32>::new(gpu, 512, Placement::HOST)?;
    let mut queue = Queue::new(gpu)?;
    for item in [u32::MAX, 333] {
        let launch = queue.launch(&stray, Geometry::one(500, 128)?)?.buffer_mut(&mut out);
        // SAFETY: every work-item writes its own value, but one an address where nothing is mapped.
        let work = unsafe { launch.argument(item).argument(NOWHERE + 0x234).submit() }?;
        match queue.wait(&work, Wait::Sleep(LONG)) {
            Ok(()) => assert_eq!(item, u32::MAX),
            Err(Error::Lost { fault: Fault::Memory(fault) }) => {
                // The page, as the driver tells it, and no more.
                assert_eq!((item, fault.address), (333, NOWHERE));
                println!("lost");
            }
            Err(other) => return Err(other),
        }
    }
    Ok(())
}

#[test]
fn a_memory_fault_names_kernel_instruction_and_lane() {
    needs_vgpu!();
    let trace = std::env::temp_dir().join(format!("kfd-tests-{}.fault", std::process::id()));
    let output = again(&["--trace", trace.to_str().expect("a plain path")], "one_stray_item");
    let text = text_of(&output);
    let lines = fs::read_to_string(&trace).expect("vgpu wrote it");
    fs::remove_file(&trace).expect("it is there");
    assert!(output.status.success() && text.contains("lost"), "{text}");
    let said: Vec<&str> =
        text.lines().filter_map(|line| line.split_once("vgpu: memory fault: ")).map(|it| it.1).collect();
    let [said] = said[..] else { panic!("{said:?}\n{text}") };
    let (access, rest) = said.split_once(" by kernel stray: ").expect(said);
    assert_eq!(access, "write at 0x7ff000000234, where nothing is mapped,");
    let (instruction, rest) = rest.split_once(" at stray+0x").expect(said);
    // Which addressing the compiler takes is its own affair.
    assert!(instruction.starts_with("global_store_dword v") || instruction.starts_with("flat_store_dword v"), "{said}");
    let (_, place) = rest.split_once("), ").expect(said);
    let expected = "lane 13 of wave 1 of work-group [2, 0, 0]; dispatch 2, queue ";
    assert!(place.starts_with(expected), "{said}");
    assert!(place.ends_with(", grid [500, 1, 1] in work-groups of [128, 1, 1]"), "{said}");
    // The trace has the same in fields, and what was executed there is the instruction.
    let faults: Vec<&str> = lines.lines().filter(|line| line.contains("\"event\":\"memory_fault\"")).collect();
    let [fault] = faults[..] else { panic!("{faults:?}") };
    for field in [
        r#""dispatch":2,"grid":[500, 1, 1],"workgroup_size":[128, 1, 1],"kernel":"stray","kernel_object":"0x"#,
        &format!(r#""instruction":"{instruction}","workgroup":[2, 0, 0],"wave":1,"lane":13,"#),
        r#""address":"0x7ff000000234","access":"write","protection":false"#,
    ] {
        assert!(fault.contains(field), "{field}: {fault}");
    }
    let value = |name: &str| {
        let (_, rest) = fault.split_once(&format!("\"{name}\":")).unwrap_or_else(|| panic!("no {name}: {fault}"));
        rest.split([',', '}']).next().expect("a value").trim_matches('"')
    };
    // The packet that the dispatch's line has, and the instruction's place counted from that kernel's first
    // instruction.
    let same =
        format!("\"event\":\"dispatch\",\"queue\":{},\"packet\":{},\"dispatch\":2,", value("queue"), value("packet"));
    assert!(lines.lines().any(|line| line.contains(&same)), "{same}\n{lines}");
    assert!(rest.starts_with(value("place").trim_start_matches("stray+0x")), "{said}: {fault}");
    assert!(rest.contains(&format!("(pc {})", value("pc"))), "{said}: {fault}");
}
