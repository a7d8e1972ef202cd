//! M11: memory that Vulkan and HIP use. The Vulkan is Mesa's of the CPU (lavapipe): it shares the host's memory with
//! HIP, and takes the GPU's.
mod descriptors;
#[path = "../../../../examples/vulkan/src/main.rs"]
#[expect(dead_code, reason = "main is the example's")]
mod example;

use std::sync::Arc;

use ash::vk;
use ash::vk::ExternalMemoryHandleTypeFlags as Kind;
use rocm_interop::opencl::{OpenClKernel, OpenClProgram};
use rocm_interop::share::DmaBuf;
use rocm_interop::{Buffer, Device, Error, Libraries, OpenCl, Session};

use example::device::Vulkan;
use example::pages::Pages;
use example::{HEIGHT, WIDTH};

/// A Vulkan device, or the end of a test that lacks it, or AMD's OpenCL.
macro_rules! vulkan_or_skip {
    () => {{
        stack_tests::needs_amd_opencl!();
        let Some(vulkan) = Vulkan::on_cpu() else { test_skip::skip!("this stack has no Vulkan on the CPU") };
        vulkan
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

/// The example: HIP computes a wave's heights, Vulkan draws it, OpenCL inverts the picture, all on the same pages of
/// the host, in turns that a timeline semaphore passes on.
#[test]
fn m11_a_sine_wave_by_hip_vulkan_and_opencl_pixel_by_pixel() {
    let vulkan = vulkan_or_skip!();
    assert!(Pages::<u32>::SIZE.is_multiple_of(vulkan.alignment), "pages can be imported by {}", vulkan.name);
    let mut frames = 0;
    let drawn = example::run(&vulkan, 3, |frame, heights, pixels| {
        let want = |x: usize| 64.0 + 50.0 * (x as f64 * std::f64::consts::TAU / 256.0 + frame as f64).sin();
        let wrong = (0..WIDTH).find(|&x| (f64::from(heights[x]) - want(x)).abs() > 1e-3);
        assert_eq!(wrong.map(|x| (x, heights[x], want(x))), None, "frame {frame}");
        check(pixels, heights, [0xffff_00ff, 0xffff_ffff]);
        frames += 1;
    });
    drawn.expect("the example");
    assert_eq!(frames, 3);
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
    let vulkan = vulkan_or_skip!();
    let session = session();
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

/// The host has the GPU's memory in its address space, so a Vulkan of the CPU can take it: over PCI Express, on
/// hardware.
#[test]
fn m11_memory_of_the_gpu_is_used_by_vulkan() {
    let vulkan = vulkan_or_skip!();
    let session = session();
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

/// HIP's external semaphores are opaque descriptors, of which a Vulkan of the CPU exports and takes none.
#[test]
fn m15_a_vulkan_of_the_cpu_has_no_semaphores_that_hip_takes() {
    let vulkan = vulkan_or_skip!();
    for kind in [vk::SemaphoreType::BINARY, vk::SemaphoreType::TIMELINE] {
        let mut of = vk::SemaphoreTypeCreateInfo::default().semaphore_type(kind);
        let handle = vk::ExternalSemaphoreHandleTypeFlags::OPAQUE_FD;
        let ask = vk::PhysicalDeviceExternalSemaphoreInfo::default().handle_type(handle).push_next(&mut of);
        let mut told = vk::ExternalSemaphoreProperties::default()
            .external_semaphore_features(vk::ExternalSemaphoreFeatureFlags::EXPORTABLE);
        // SAFETY: of the instance.
        unsafe {
            vulkan.instance.get_physical_device_external_semaphore_properties(vulkan.physical, &ask, &mut told);
        }
        let none = vk::ExternalSemaphoreFeatureFlags::empty();
        assert_eq!(told.external_semaphore_features, none, "{kind:?} of {}", vulkan.name);
    }
}
