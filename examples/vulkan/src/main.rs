//! One picture by three APIs, on the same pages of the host: HIP computes a sine wave, Vulkan draws it, OpenCL inverts
//! the colours. Nothing is copied.
//!
//! The Vulkan is one of the CPU (Mesa's lavapipe), which every machine can have. `vulkan` checks each pixel of three
//! frames.
pub mod device;
pub mod pages;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use device::Vulkan;
use pages::Pages;
use rocm_interop::hip::HipModule;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::{Device, Libraries, Session};

/// Pixels in a row, a multiple of 1024: the heights fill whole pages.
pub const WIDTH: usize = 1024;
/// Rows.
pub const HEIGHT: usize = 128;

const HIP: &str = r#"
extern "C" __global__ void wave(float *heights, float phase) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    heights[x] = 64.0f + 50.0f * sinf(x * 0.0245436926f + phase);
}
"#;
/// Green where the wave is, black elsewhere.
const WGSL: &str = "
@group(0) @binding(0) var<storage, read> heights: array<f32>;
@group(0) @binding(1) var<storage, read_write> pixels: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    let on = abs(f32(at.y) - heights[at.x]) < 1.5;
    pixels[at.y * arrayLength(&heights) + at.x] = select(0xff000000u, 0xff00ff00u, on);
}
";
const OPENCL: &str = "kernel void invert(global uint *pixels) { pixels[get_global_id(0)] ^= 0x00ffffff; }";

fn main() -> ExitCode {
    let mut wrong = 0;
    let drawn = Vulkan::on_cpu().ok_or_else(|| "no Vulkan on the CPU; install mesa-vulkan-drivers".into());
    let drawn = drawn.and_then(|vulkan| {
        run(&vulkan, 3, |_, heights, pixels| {
            let colour =
                |x: usize, y: usize| if (y as f32 - heights[x]).abs() < 1.5 { 0xffff_00ff } else { 0xffff_ffff };
            wrong += pixels.iter().enumerate().filter(|&(i, &pixel)| pixel != colour(i % WIDTH, i / WIDTH)).count();
        })
    });
    match drawn {
        Ok(()) if wrong == 0 => {
            println!("all {WIDTH} x {HEIGHT} pixels of 3 frames are right");
            return ExitCode::SUCCESS;
        }
        Ok(()) => eprintln!("vulkan: {wrong} pixels are wrong"),
        Err(error) => eprintln!("vulkan: {error}"),
    }
    ExitCode::FAILURE
}

/// Draws frames, and shows each with its number, the wave's heights and the pixels.
pub fn run(vulkan: &Vulkan, frames: u64, mut show: impl FnMut(u64, &[f32], &[u32])) -> Result<(), Box<dyn Error>> {
    // AMD's side: a session on the first GPU, and kernels of both APIs.
    let session = Session::open(&Device::first(&Arc::new(Libraries::load()?))?)?;
    let wave = HipModule::build(&session, HIP)?.kernel("wave")?;
    let invert = OpenClProgram::build(&session, OPENCL, "")?.kernel("invert")?;

    // Pages of the program, which both sides take as they are.
    let (heights_at, pixels_at) = (Pages::<f32>::new(WIDTH), Pages::<u32>::new(WIDTH * HEIGHT));
    // SAFETY: the pages stay for the rest of the process; each side uses them in its turn.
    let mut heights = unsafe { session.view_pages(heights_at.elements()) }?;
    // SAFETY: as above.
    let mut pixels = unsafe { session.view_pages(pixels_at.elements()) }?;
    // SAFETY: as above.
    let (to_read, to_draw) = unsafe { (vulkan.on_host(&heights_at), vulkan.on_host(&pixels_at)) };
    let draw = vulkan.shader(WGSL, &[&to_read, &to_draw]);

    // Whose turn it is between HIP and Vulkan: both wait on the host, as HIP imports no semaphores.
    let turns = vulkan.timeline();
    for frame in 0..frames {
        let (hips_done, drawn) = (2 * frame + 1, 2 * frame + 2);
        let on_hip = heights.into_hip()?;
        // SAFETY: one work-item an element.
        unsafe { wave.launch((WIDTH / 64) as u32, 64, 0, &[(&on_hip).into(), (frame as f32).into()]) }?;
        // Submitted while HIP computes: it begins when the counter is at `hips_done`, and sets it to `drawn`.
        draw.submit([WIDTH as u32 / 64, HEIGHT as u32], &turns, hips_done, drawn);
        let handed = on_hip.into_opencl(); // waits for HIP
        let vulkan_waited = turns.value() == 2 * frame;
        // Also if that failed, as Vulkan's work has to end before its memory does.
        turns.signal(hips_done);
        turns.wait(drawn);
        heights = handed?;
        if !vulkan_waited {
            return Err("Vulkan has not waited for HIP".into());
        }

        // SAFETY: one work-item an element.
        unsafe { invert.launch(&[WIDTH * HEIGHT], None, &[(&pixels).into()]) }?;
        show(frame, heights.host_slice()?, pixels.host_slice()?); // waits for OpenCL
    }
    Ok(())
}
