//! `y = a * x + y` on the first GPU, with nothing but the kernel's driver below.
//!
//! ```sh
//! cargo run -p kfd --example saxpy          # on a GPU of this machine
//! vgpu run -- target/debug/examples/saxpy   # on the virtual one
//! ```
use kfd::{Buffer, Driver, Module, Placement, Queue, Topology, Wait, aql::Geometry};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const N: usize = 1 << 20;
    let topology = Topology::read()?;
    let node = topology.gpus().next().ok_or("this machine has no GPU")?;
    let gpu = Driver::open()?.device(node)?;
    println!("{} at {}", node.isa(), node.pci_address().ok_or("no PCI address")?);

    // Made by a compiler from kernels.cl.
    let module = Module::load(gpu, include_bytes!("kernels.co"))?;
    let saxpy = module.kernel("saxpy")?;

    let mut x = Buffer::new(gpu, N, Placement::HOST)?;
    let mut y = Buffer::new(gpu, N, Placement::HOST)?;
    for (i, (x, y)) in x.host_mut()?.iter_mut().zip(y.host_mut()?).enumerate() {
        (*x, *y) = (i as f32, 1.0f32);
    }

    let mut queue = Queue::new(gpu)?;
    let launch = queue.launch(&saxpy, Geometry::one(N as u32, 256)?)?;
    let launch = launch.argument(N as i32).argument(2.0f32).buffer(&x).buffer_mut(&mut y);
    // SAFETY: the kernel reads N values of `x`, and reads and writes N values of `y`.
    let work = unsafe { launch.submit() }?;
    queue.wait(&work, Wait::FOREVER)?;

    for (i, y) in y.host()?.iter().enumerate() {
        assert_eq!(*y, 2.0 * i as f32 + 1.0);
    }
    println!("{N} values are right");
    Ok(())
}
