//! A card that is divided: its partitions are GPUs with one place on the PCI bus.
use aql::Geometry;
use kfd::{Buffer, Device, Driver, Engine, Node, PciAddress, Placement, Queue, Result, SdmaQueue, Topology, Wait};
use kfd_tests::{module, needs_vgpu, on_gpu_with};

const N: usize = 640;

/// All that has the place of the first GPU.
fn card(topology: &Topology) -> (PciAddress, Vec<&Node>) {
    let place = topology.gpus().next().and_then(Node::pci_address).expect("a GPU has a place");
    (place, topology.gpus_at(place).collect())
}

#[test]
fn a3_partitions_of_a_card_are_told_apart_and_opened() {
    needs_vgpu!();
    let name = "a3_partitions_of_a_card_are_told_apart_and_opened";
    on_gpu_with(&["--gpu", "mi300x:cpx,mi300x"], name, || told_apart().unwrap());
}

fn told_apart() -> Result<()> {
    let topology = Topology::read()?;
    let (place, partitions) = card(&topology);
    assert!(topology.gpu_at(place).is_none(), "the place does not say which of them is meant");
    assert_eq!(partitions.iter().map(|node| node.partition()).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert!(partitions.iter().all(|node| (node.compute_units(), node.vram()) == (38, 206_141_652_992 / 8)));
    let whole = topology.gpus().last().expect("there are nine");
    assert_eq!((topology.gpus().count(), whole.compute_units(), whole.partition()), (9, 304, 0));
    let of_whole = whole.pci_address().expect("a GPU has a place");
    assert_eq!(topology.gpu_at(of_whole).map(Node::gpu_id), Some(whole.gpu_id()));
    let opened = partitions.iter().map(|node| Driver::open()?.device(node)).collect::<Result<Vec<Device>>>()?;
    let ids: Vec<u32> = opened.iter().map(|device| device.node().gpu_id()).collect();
    assert_eq!(ids, partitions.iter().map(|node| node.gpu_id()).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn a3_each_partition_computes_with_private_memory_and_copies() {
    needs_vgpu!();
    let name = "a3_each_partition_computes_with_private_memory_and_copies";
    on_gpu_with(&["--gpu", "mi300x:cpx"], name, || each_computes(8, 1).unwrap());
}

#[test]
fn a3_partitions_of_several_xccs_compute() {
    needs_vgpu!();
    let name = "a3_partitions_of_several_xccs_compute";
    on_gpu_with(&["--gpu", "mi300x:dpx"], name, || each_computes(2, 4).unwrap());
}

/// With caches that keep what they may, of which each XCC has its own.
#[test]
fn a3_partitions_with_caches_compute() {
    needs_vgpu!();
    let name = "a3_partitions_with_caches_compute";
    on_gpu_with(&["--gpu", "mi300x:dpx", "--caches", "3"], name, || each_computes(2, 4).unwrap());
}

/// Each of so many partitions, with so many XCCs, uses private memory, and a copy engine of its own.
fn each_computes(partitions: usize, xccs: u32) -> Result<()> {
    let topology = Topology::read()?;
    let (_, nodes) = card(&topology);
    assert_eq!(nodes.len(), partitions);
    for node in nodes {
        let gpu = Driver::open()?.device(node)?;
        let module = module(gpu, "basic")?;
        let mut queue = Queue::new(gpu)?;
        let mut out = Buffer::<u32>::new(gpu, N, Placement::VISIBLE)?;
        let kernel = module.kernel("deep")?;
        let launch = queue.launch(&kernel, Geometry::one(N as u32, 64)?)?;
        // SAFETY: a value for each work-item.
        let work = unsafe { launch.buffer_mut(&mut out).submit() }?;
        queue.wait(&work, Wait::FOREVER)?;
        // What the kernel sums up of its private array.
        let deep = |i: u32| (0..1024).step_by(5).fold(0_u32, |sum, k| sum + i * ((k * 7 + i) & 1023));
        let expected: Vec<u32> = (0..N as u32).map(deep).collect();
        let mut copy = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
        let mut engine = SdmaQueue::new(gpu, Engine::Any)?;
        let work = engine.copy(&out, 0, &mut copy, 0, N)?;
        engine.wait(&work, Wait::FOREVER)?;
        assert_eq!(copy.host()?, expected, "partition {}", node.partition());

        if xccs == 1 {
            let refused = SdmaQueue::new(gpu, Engine::Xgmi).unwrap_err().to_string();
            assert!(refused.contains("num_sdma_xgmi_engines is 0") && refused.contains("Engine::Any"), "{refused}");
        }

        let mut places = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
        let kernel = module.kernel("unit")?;
        let launch = queue.launch(&kernel, Geometry::one(N as u32, 64)?)?;
        // SAFETY: as above.
        let work = unsafe { launch.buffer_mut(&mut places).submit() }?;
        queue.wait(&work, Wait::FOREVER)?;
        let mut seen: Vec<u32> = places.host()?.iter().map(|place| place >> 16).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, (0..xccs).collect::<Vec<u32>>(), "partition {}", node.partition());
    }
    Ok(())
}

#[test]
fn a3_partitions_use_each_others_memory() {
    needs_vgpu!();
    let name = "a3_partitions_use_each_others_memory";
    on_gpu_with(&["--gpu", "mi300x:cpx"], name, || each_others_memory().unwrap());
}

fn each_others_memory() -> Result<()> {
    let topology = Topology::read()?;
    let (_, nodes) = card(&topology);
    let gpus = nodes.iter().map(|node| Driver::open()?.device(node)).collect::<Result<Vec<Device>>>()?;
    let mut counter = Buffer::<u32>::new(gpus[0], 1, Placement::VISIBLE)?;
    counter.host_mut()?[0] = 34;
    gpus[1..].iter().try_for_each(|gpu| counter.map_to(*gpu))?;
    for gpu in gpus {
        let mut queue = Queue::new(gpu)?;
        let kernel = module(gpu, "basic")?.kernel("increment")?;
        // SAFETY: the kernel changes the first value.
        let work = unsafe { queue.launch(&kernel, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?;
        queue.wait(&work, Wait::FOREVER)?;
    }
    assert_eq!(counter.host()?, [42]);
    Ok(())
}

/// A fault stops the queues of the partition that it happened on, and no others.
#[test]
fn a5_a_fault_of_one_partition_leaves_the_others() {
    needs_vgpu!();
    let options = ["--gpu", "mi300x:cpx", "--faults", "memory-fault@dispatch:2"];
    on_gpu_with(&options, "a5_a_fault_of_one_partition_leaves_the_others", || fault_of_one().unwrap());
}

fn fault_of_one() -> Result<()> {
    let topology = Topology::read()?;
    let (_, nodes) = card(&topology);
    // Dispatches are counted on each GPU for itself: the second one is the first partition's, the others have one each.
    for (number, launches) in [(0, 2), (3, 1), (7, 1)] {
        let gpu = Driver::open()?.device(nodes[number])?;
        let kernel = module(gpu, "basic")?.kernel("increment")?;
        let mut queue = Queue::new(gpu)?;
        let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
        counter.host_mut()?[0] = 0;
        for launch in 1..=launches {
            // SAFETY: the kernel changes the first value.
            let work = unsafe { queue.launch(&kernel, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?;
            let faults = launch == 2;
            let end = queue.wait(&work, Wait::FOREVER);
            assert_eq!(end.is_err(), faults, "partition {number}, launch {launch}: {end:?}");
            if let Err(error) = end {
                assert!(matches!(error, kfd::Error::Lost { fault: kfd::Fault::Memory(_) }), "{error:?}");
            }
        }
        if launches == 1 {
            assert_eq!(counter.host()?, [1]);
        }
    }
    Ok(())
}
