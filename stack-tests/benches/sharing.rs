//! One round of the same work by every way of sharing, over the size of what is shared: OpenCL adds to the first elements, HIP triples
//! them, and OpenCL has them again. The kernels' work is the same at all sizes, so what grows is the cost of sharing. Every round's result is checked.
//!
//! `cargo xtask bench -p stack-tests --plot docs/src/sharing.svg -- "a round"` draws it.
use std::ptr::{NonNull, null_mut};
use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode};
use rocm_interop::{
    Buffer, Device, Hip, HipKernel, HipModule, Libraries, OpenCl, OpenClKernel, OpenClProgram, Session,
};

/// In bytes.
const SIZES: [usize; 5] = [4 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20];
/// Copies of the bytes that exist at once, and one to spare.
const COPIES: usize = 4;
/// Work-items, one an element.
const ITEMS: usize = 1024;
const OPENCL: &str = "kernel void add(global uint *x) { x[get_global_id(0)] += 1; }";
const HIP: &str = "extern \"C\" __global__ void triple(unsigned *x) { x[blockIdx.x * 64 + threadIdx.x] *= 3; }";

struct Kernels {
    add: OpenClKernel,
    triple: HipKernel,
}

/// A way of sharing, with its memory.
enum Way {
    /// Both APIs use the same bytes. Always there between rounds.
    Shared(Option<Buffer<u32, OpenCl>>),
    /// Each has bytes of its own.
    Staged { opencl: Buffer<u32, OpenCl>, hip: Buffer<u32, Hip>, staging: Vec<u32> },
}

impl Way {
    fn round(&mut self, kernels: &Kernels) {
        let add = |buffer: &Buffer<u32, OpenCl>| {
            // SAFETY: each buffer has as many elements at least.
            unsafe { kernels.add.launch(&[ITEMS], Some(&[64]), &[buffer.into()]) }.expect("launch");
        };
        let triple = |buffer: &Buffer<u32, Hip>| {
            // SAFETY: as above.
            unsafe { kernels.triple.launch(ITEMS as u32 / 64, 64, 0, &[buffer.into()]) }.expect("launch");
        };
        match self {
            Way::Shared(place) => {
                let buffer = place.take().expect("there");
                add(&buffer);
                let buffer = buffer.into_hip().expect("into_hip");
                triple(&buffer);
                *place = Some(buffer.into_opencl().expect("into_opencl"));
            }
            Way::Staged { opencl, hip, staging } => {
                add(opencl);
                opencl.copy_staged(hip, staging).expect("to HIP");
                triple(hip);
                hip.copy_staged(opencl, staging).expect("to OpenCL");
            }
        }
    }

    fn buffer(&mut self) -> &mut Buffer<u32, OpenCl> {
        match self {
            Way::Shared(place) => place.as_mut().expect("there"),
            Way::Staged { opencl, .. } => opencl,
        }
    }
}

fn main() {
    let libraries = Arc::new(Libraries::load().expect("libraries"));
    let devices = Device::all(&libraries).expect("devices");
    let session = Session::open(devices.first().expect("a GPU that OpenCL, HIP and HSA see")).expect("session");
    let kernels = Kernels {
        add: OpenClProgram::build(&session, OPENCL, "").expect("OpenCL C").kernel("add").expect("add"),
        triple: HipModule::build(&session, HIP).expect("HIP C++").kernel("triple").expect("triple"),
    };
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(20))
        .measurement_time(Duration::from_millis(100))
        .sample_size(10)
        .configure_from_args();
    let mut group = criterion.benchmark_group("a round");
    group.sampling_mode(SamplingMode::Flat);
    for bytes in SIZES {
        if free_memory() < COPIES * bytes {
            println!("{bytes} bytes: skipped, too little memory is free");
            continue;
        }
        let mut pages = vec![Page([0; 1024]); bytes.div_ceil(size_of::<Page>())];
        for (name, make) in WAYS {
            group.bench_function(BenchmarkId::new(name, bytes), |b| {
                let mut way = make(&session, bytes / 4, &mut pages);
                way.buffer().write(&[1; ITEMS]).expect("write");
                let mut rounds = 0u32;
                b.iter(|| {
                    way.round(&kernels);
                    rounds += 1;
                });
                let mut end = [0; ITEMS];
                way.buffer().read(&mut end).expect("read");
                let want = (0..rounds).fold(1u32, |x, _| x.wrapping_add(1).wrapping_mul(3));
                assert!(end.iter().all(|&x| x == want), "{name}, {bytes} bytes: {} for {want}", end[0]);
            });
        }
    }
    group.finish();
    criterion.final_summary();
}

/// What the host's pages are made of.
#[derive(Clone, Copy)]
#[repr(C, align(4096))]
struct Page([u32; 1024]);

type Make = fn(&Session, usize, &mut [Page]) -> Way;

const WAYS: [(&str, Make); 7] = [
    ("reference copy_staged", |session, len, _| Way::Staged {
        opencl: session.allocate(len).expect("SVM"),
        hip: session.allocate_hip(len).expect("hipMalloc"),
        staging: vec![0; len.min(1 << 20)],
    }),
    ("allocate", |session, len, _| Way::Shared(Some(session.allocate(len).expect("SVM")))),
    ("view", |session, len, _| Way::Shared(Some(view(session, len)))),
    ("allocate_hip", |session, len, _| {
        let buffer = session.allocate_hip(len).expect("hipMalloc");
        Way::Shared(Some(buffer.into_opencl().expect("into_opencl")))
    }),
    ("allocate_host", |session, len, _| Way::Shared(Some(session.allocate_host(len).expect("fine-grained SVM")))),
    ("allocate_managed", |session, len, _| {
        let buffer = session.allocate_managed(len).expect("hipMallocManaged");
        Way::Shared(Some(buffer.into_opencl().expect("into_opencl")))
    }),
    ("view_pages", |session, len, pages| {
        let pages = NonNull::slice_from_raw_parts(NonNull::from(pages).cast(), len);
        // SAFETY: `main` keeps the pages longer than the way.
        Way::Shared(Some(unsafe { session.view_pages(pages) }.expect("pages")))
    }),
];

/// Of a `cl_mem`.
fn view(session: &Session, len: usize) -> Buffer<u32, OpenCl> {
    let (cl, mut code) = (&session.device().libraries().cl, 0);
    // SAFETY: no host pointer; the context lives.
    let mem =
        unsafe { cl.clCreateBuffer(session.context(), cl_sys::CL_MEM_READ_WRITE, len * 4, null_mut(), &mut code) };
    assert_eq!(code, cl_sys::CL_SUCCESS);
    let mem = mem.expect("clCreateBuffer");
    // SAFETY: made above, used through the view only, which holds it.
    unsafe {
        let view = session.view(mem).expect("view");
        cl.clReleaseMemObject(mem).expect("clReleaseMemObject");
        view
    }
}

/// Bytes that programs can still allocate.
fn free_memory() -> usize {
    let meminfo = std::fs::read_to_string("/proc/meminfo").expect("Linux");
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:")).expect("Linux");
    line.trim().trim_end_matches("kB").trim().parse::<usize>().expect("a number") << 10
}
