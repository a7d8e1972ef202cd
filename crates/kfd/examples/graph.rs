//! A graph of kernels over three queues: `d = 2 * (a * b) + (c * c)`. Two products are computed side by side, the last
//! step waits for both.
use kfd::{Buffer, Driver, Module, Placement, Queue, Signal, Topology, Wait, aql::Geometry};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const N: usize = 1 << 18;
    let topology = Topology::read()?;
    let gpu = Driver::open()?.device(topology.gpus().next().ok_or("this machine has no GPU")?)?;
    let module = Module::load(gpu, include_bytes!("kernels.co"))?;
    let (multiply, saxpy) = (module.kernel("multiply")?, module.kernel("saxpy")?);
    let grid = Geometry::one(N as u32, 256)?;

    let buffer = |of: fn(usize) -> f32| -> kfd::Result<Buffer<f32>> {
        let mut buffer = Buffer::new(gpu, N, Placement::HOST)?;
        buffer.host_mut()?.iter_mut().enumerate().for_each(|(i, value)| *value = of(i));
        Ok(buffer)
    };
    let (a, b, c) = (buffer(|i| (i % 100) as f32)?, buffer(|i| (i % 7) as f32)?, buffer(|i| (i % 30) as f32)?);
    let (mut product, mut d) = (buffer(|_| 0.0)?, buffer(|_| 0.0)?);

    let mut left = Queue::new(gpu)?;
    let mut right = Queue::new(gpu)?;
    let mut last = Queue::new(gpu)?;
    // Counted down by two kernels, so 0 when both are done.
    let both = Signal::new(gpu, 2)?;

    // The last queue gets its work first; it waits on the GPU, not on the host.
    last.wait_for(&[&both])?;
    let launch = left.launch(&multiply, grid)?.argument(N as i32).buffer(&a).buffer(&b).buffer_mut(&mut product);
    // SAFETY: the kernel reads N values of two buffers and writes N of the third.
    drop(unsafe { launch.completes(&both).submit() }?);
    let launch = right.launch(&multiply, grid)?.argument(N as i32).buffer(&c).buffer(&c).buffer_mut(&mut d);
    // SAFETY: as above.
    drop(unsafe { launch.completes(&both).submit() }?);
    let launch = last.launch(&saxpy, grid)?.argument(N as i32).argument(2.0f32).buffer(&product).buffer_mut(&mut d);
    // SAFETY: the kernel reads N values of `product`, and changes N of `d`, which nobody else does when `both` is 0.
    let work = unsafe { launch.submit() }?;

    last.wait(&work, Wait::FOREVER)?;
    // The other queues are done, too, as this one waited for them, and `d` finds that out.
    for (i, d) in d.host()?.iter().enumerate() {
        let square = ((i % 30) * (i % 30)) as f32;
        assert_eq!(*d, 2.0 * ((i % 100) * (i % 7)) as f32 + square);
    }
    println!("{N} values are right");
    Ok(())
}
