//! saxpy (`y = a * x + y`) sent to the GPU as one AQL packet, without a call into HIP or OpenCL for the launch.
//!
//! HIP's compiler makes the kernel and HSA's loader loads it; from there on it is a queue in memory, a packet and a
//! doorbell.
#[path = "aql_saxpy/hsa.rs"]
mod hsa;

use std::error::Error;

use aql::{Control, Geometry, Kernarg, KernelDispatch, KernelObject, Packet, Ring, Signal};
use hsa::Gpu;

const N: usize = 1 << 16;

/// The kernel's arguments, laid out as its C declaration lays them out.
#[repr(C)]
struct Arguments {
    a: f32,
    n: u32,
    x: *const f32,
    y: *mut f32,
}

fn main() -> Result<(), Box<dyn Error>> {
    // 1. A GPU, a kernel on it, and memory that both host and GPU see.
    let gpu = Gpu::first()?;
    let kernel = gpu.load(include_str!("aql_saxpy/saxpy.hip"), "saxpy")?;
    let x = gpu.allocate::<f32>(N)?;
    let y = gpu.allocate::<f32>(N)?;
    for i in 0..N {
        x[i] = i as f32;
        y[i] = 1.0;
    }
    let arguments = &mut gpu.allocate::<Arguments>(1)?[0];
    *arguments = Arguments { a: 2.0, n: N as u32, x: x.as_ptr(), y: y.as_mut_ptr() };

    // 2. A signal that the GPU counts down from 1 to 0, and a queue.
    let done = gpu.signal(1)?;
    let queue = gpu.queue(64, hsa_sys::hsa_queue_type_t::HSA_QUEUE_TYPE_SINGLE)?;
    // SAFETY: the pointer that AMD's runtime returned, to a queue that lasts as long as the process; only this producer
    // uses it.
    let ring = unsafe { Ring::from_amd_queue(queue.cast()) }?;
    let mut producer = ring.single_producer();

    // 3. The packet: N work-items in groups of 256.
    let packet = KernelDispatch::new(KernelObject::new(kernel.object)?, Geometry::one(N as u32, 256)?)
        .with_kernarg(Kernarg::new(std::ptr::from_mut(arguments).expose_provenance() as u64)?)
        .with_private_segment(kernel.private_segment)
        .with_group_segment(kernel.group_segment)
        .with_control(Control::SYSTEM)
        .with_completion(Signal::new(done.handle)?);
    println!("{packet:#x?}");
    for (i, line) in Packet::from(packet).to_bytes().chunks(16).enumerate() {
        println!("{:02x}: {line:02x?}", i * 16);
    }

    // 4. Into the ring, the doorbell with it. No system call happens here. SAFETY: kernel, arguments and signal are of
    //    this GPU and last as long as the process. The arguments are what the kernel declares, `x` and `y` have `n`
    //    elements, and nobody else uses them before the signal is 0.
    let id = unsafe { producer.try_submit(&packet) }?;
    gpu.wait(done)?;

    // 5. The result.
    for (i, &got) in y.iter().enumerate() {
        let want = 2.0 * i as f32 + 1.0;
        if got != want {
            return Err(format!("y[{i}] is {got}, not {want}").into());
        }
    }
    println!("packet {id} done: {N} values are right");
    Ok(())
}
