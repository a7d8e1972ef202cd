//! A copy by a copy engine, from the host's memory to the GPU's and back, with progress.
use kfd::{Buffer, Driver, Engine, Placement, SdmaQueue, Signal, Topology, Wait};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const MIB: usize = 64;
    const N: usize = MIB << 18;
    let topology = Topology::read()?;
    let gpu = Driver::open()?.device(topology.gpus().next().ok_or("this machine has no GPU")?)?;

    let mut host = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    let mut vram = Buffer::<u32>::new(gpu, N, Placement::VRAM)?;
    let mut back = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    host.host_mut()?.iter_mut().enumerate().for_each(|(i, value)| *value = i as u32);

    let mut sdma = SdmaQueue::new(gpu, Engine::Any)?;
    let parts = Signal::polled(gpu, 0)?;
    let up = sdma.copy_with_progress(&host, 0, &mut vram, 0, N, &parts)?;
    let total = parts.value();
    while !sdma.is_done(&up) {
        eprint!("\r{:3} %", 100 * (total - parts.value()) / total);
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    eprintln!("\r100 %");
    sdma.wait(&up, Wait::FOREVER)?;

    let down = sdma.copy(&vram, 0, &mut back, 0, N)?;
    sdma.wait(&down, Wait::FOREVER)?;
    assert_eq!(host.host()?, back.host()?);
    println!("{MIB} MiB are right");
    Ok(())
}
