//! M11: memory that Vulkan and HIP use. The Vulkan is Mesa's of the CPU (lavapipe): it shares the host's memory with HIP, and takes the GPU's.
mod device;
mod pages;

use std::sync::Arc;

use ash::vk;
use ash::vk::ExternalMemoryHandleTypeFlags as Kind;
use rocm_interop::{Buffer, Device, DmaBuf, Error, HipModule, Libraries, OpenCl, OpenClKernel, OpenClProgram, Session};
use stack_tests::{Stack, stack};

use device::Vulkan;
use pages::Pages;

/// A session and a Vulkan device, or the end of a test that lacks one.
macro_rules! open_or_skip {
    () => {{
        if stack() == Stack::Native {
            test_skip::skip!("the native stack's OpenCL is PoCL, which does not use the GPU");
        }
        let Some(vulkan) = Vulkan::on_cpu() else { test_skip::skip!("this stack has no Vulkan on the CPU") };
        (session(), vulkan)
    }};
}

fn session() -> Session {
    let devices = Device::all(&Arc::new(Libraries::load().expect("libraries"))).expect("devices");
    Session::open(devices.first().expect("a GPU")).expect("session")
}

/// Elements of what is shared by descriptor: more than 2 MiB.
const LEN: usize = 1 << 20;
const ADD: &str = "kernel void add(global uint *x) { x[get_global_id(0)] += 5; }";
const TRIPLE: &str = "
@group(0) @binding(0) var<storage, read_write> x: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) at: vec3<u32>) { x[at.x] = x[at.x] * 3u; }
";

const WIDTH: usize = 1024;
const HEIGHT: usize = 128;
const FRAMES: u64 = 3;
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

/// HIP computes a wave's heights, Vulkan draws it, OpenCL inverts the picture: all on the same pages of the host, in turns that a timeline
/// semaphore passes on.
#[test]
fn m11_a_sine_wave_by_hip_vulkan_and_opencl_pixel_by_pixel() {
    let (session, vulkan) = open_or_skip!();
    let (heights_at, pixels_at) = (Pages::<f32>::new(WIDTH), Pages::<u32>::new(WIDTH * HEIGHT));
    assert!(Pages::<u32>::SIZE.is_multiple_of(vulkan.alignment), "pages can be imported");
    // SAFETY: the pages are declared first, so they go last; each side uses them in its turn.
    let (mut heights, mut pixels) = unsafe {
        let heights = session.view_pages(heights_at.elements()).expect("heights");
        (heights, session.view_pages(pixels_at.elements()).expect("pixels"))
    };
    // SAFETY: as above.
    let (to_read, to_draw) = unsafe { (vulkan.on_host(&heights_at), vulkan.on_host(&pixels_at)) };
    let wave = HipModule::build(&session, HIP).expect("HIP C++").kernel("wave").expect("wave");
    let invert = OpenClProgram::build(&session, OPENCL, "").expect("OpenCL C").kernel("invert").expect("invert");
    let draw = vulkan.shader(WGSL, &[&to_read, &to_draw]);
    let turns = vulkan.timeline();
    for frame in 0..FRAMES {
        let (hips_done, drawn) = (2 * frame + 1, 2 * frame + 2);
        // It begins when HIP is done, as the host says.
        draw.submit([WIDTH as u32 / 64, HEIGHT as u32], &turns, hips_done, drawn);
        let phase = frame as f32;
        let on_hip = heights.into_hip().expect("hand-over");
        // SAFETY: one work-item an element.
        unsafe { wave.launch((WIDTH / 64) as u32, 64, 0, &[(&on_hip).into(), phase.into()]) }.expect("launch");
        heights = on_hip.into_opencl().expect("hand-over");
        assert_eq!(turns.value(), 2 * frame, "Vulkan waits");
        turns.signal(hips_done);
        turns.wait(drawn);

        let wave: Vec<f32> = heights.host_slice().expect("host memory").to_vec();
        let want = |x: usize| 64.0 + 50.0 * (x as f64 * std::f64::consts::TAU / 256.0 + f64::from(phase)).sin();
        let wrong = (0..WIDTH).find(|&x| (f64::from(wave[x]) - want(x)).abs() > 1e-3);
        assert_eq!(wrong.map(|x| (x, wave[x], want(x))), None, "frame {frame}");
        check(pixels.host_slice().expect("host memory"), &wave, [0xff00_ff00, 0xff00_0000]);
        // SAFETY: one work-item an element.
        unsafe { invert.launch(&[WIDTH * HEIGHT], None, &[(&pixels).into()]) }.expect("launch");
        check(pixels.host_slice().expect("host memory"), &wave, [0xffff_00ff, 0xffff_ffff]);
    }
}

/// Each pixel is `on` where the wave is, else `off`.
#[track_caller]
fn check(pixels: &[u32], wave: &[f32], [on, off]: [u32; 2]) {
    assert_eq!(pixels.len(), WIDTH * HEIGHT);
    for (i, &pixel) in pixels.iter().enumerate() {
        let (x, y) = (i % WIDTH, i / WIDTH);
        let want = if (y as f32 - wave[x]).abs() < 1.5 { on } else { off };
        assert_eq!(pixel, want, "pixel {x}, {y}");
    }
    assert!(pixels.iter().filter(|&&pixel| pixel == on).count() >= 2 * WIDTH, "there is a wave");
}

/// HIP takes buffers of the GPU's own driver, so not what a Vulkan of the CPU exports.
#[test]
fn m11_memory_of_a_vulkan_of_the_cpu_is_refused_by_name() {
    let (session, vulkan) = open_or_skip!();
    let (opaque, dma_buf) = (Kind::OPAQUE_FD, Kind::DMA_BUF_EXT);
    assert!(vulkan.supports(opaque).contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE), "{}", vulkan.name);
    let (_buffer, fd) = vulkan.exported(LEN * 4, opaque).expect("a descriptor");
    let theirs = DmaBuf::from_fd(fd, 0, LEN as u64 * 4).expect("a descriptor with a size");
    for error in [
        session.import_hip::<u32>(&theirs).expect_err("memory of the CPU"),
        session.import::<u32>(&theirs).expect_err("memory of the CPU"),
    ] {
        assert!(matches!(error, Error::Driver { request: "AMDKFD_IOC_GET_DMABUF_INFO", .. }), "{error}");
        assert!(error.to_string().contains("EINVAL; is the descriptor memory of an AMD GPU"), "{error}");
    }
    assert!(!vulkan.supports(dma_buf).contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE), "{}", vulkan.name);
}

/// The host has the GPU's memory in its address space, so a Vulkan of the CPU can take it: over PCI Express, on hardware.
#[test]
fn m11_memory_of_the_gpu_is_used_by_vulkan() {
    let (session, vulkan) = open_or_skip!();
    let mut buffer = session.allocate::<u32>(LEN).expect("SVM");
    let start: Vec<u32> = (0..LEN as u32).collect();
    buffer.write(&start).expect("write");
    let exported = buffer.export().expect("a dma-buf of its own, as it is longer than 2 MiB");
    assert_eq!((exported.offset(), exported.object_bytes()), (0, LEN as u64 * 4));
    let in_vulkan = vulkan.imported(exported.into_fd(), LEN * 4).expect("an imported dma-buf");

    let run = |kernel: &OpenClKernel, buffer: &Buffer<u32, OpenCl>| {
        // SAFETY: one work-item an element.
        unsafe { kernel.launch(&[LEN], None, &[buffer.into()]) }.expect("launch");
        // What Vulkan is to see, or has seen.
        session.finish().expect("clFinish");
    };
    let add = OpenClProgram::build(&session, ADD, "").expect("OpenCL C").kernel("add").expect("add");
    let triple = vulkan.shader(TRIPLE, &[&in_vulkan]);
    let turns = vulkan.timeline();
    run(&add, &buffer);
    turns.signal(1);
    triple.submit([LEN as u32 / 64, 1], &turns, 1, 2);
    turns.wait(2);
    run(&add, &buffer);
    let mut end = vec![0; LEN];
    buffer.read(&mut end).expect("read");
    let wrong = (0..LEN).find(|&i| end[i] != (start[i] + 5) * 3 + 5);
    assert_eq!(wrong.map(|i| (i, end[i])), None);
}
