//! Faults of the GPU are values: a kernel that traps, which stops its queue, and one that writes to nowhere, which
//! stops the device.
use kfd::{Driver, Error, Fault, Module, Queue, QueueError, Topology, Wait, aql::Geometry};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let topology = Topology::read()?;
    let gpu = Driver::open()?.device(topology.gpus().next().ok_or("this machine has no GPU")?)?;
    let module = Module::load(gpu, include_bytes!("kernels.co"))?;
    let one = Geometry::one(1, 1)?;

    let trap = module.kernel("trap")?;
    let mut queue = Queue::new(gpu)?;
    // SAFETY: the kernel accesses no memory.
    let work = unsafe { queue.launch(&trap, one)?.submit() }?;
    match queue.wait(&work, Wait::FOREVER) {
        Err(error @ Error::Stopped { error: QueueError::Trap, .. }) => println!("{error}"),
        other => return Err(format!("expected the error of a queue, not {other:?}").into()),
    }

    let wild = module.kernel("wild")?;
    let mut queue = Queue::new(gpu)?;
    // SAFETY: nothing is mapped there: the GPU refuses the access, and no memory changes.
    let work = unsafe { queue.launch(&wild, one)?.argument(0x7ff0_dead_b000_u64).submit() }?;
    match queue.wait(&work, Wait::FOREVER) {
        Err(error @ Error::Lost { fault: Fault::Memory(_) }) => println!("{error}"),
        other => return Err(format!("expected a memory fault, not {other:?}").into()),
    }
    println!("and the program goes on");
    Ok(())
}
