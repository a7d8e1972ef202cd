//! Every way of sharing on the same work: OpenCL adds to the first elements, HIP triples them, and OpenCL has them
//! again. The kernels' work is the same at all sizes, so what grows is the cost of sharing. The benchmark `sharing`
//! times it.
use std::ptr::{NonNull, null_mut};

use rocm_interop::hip::{HipKernel, HipModule};
use rocm_interop::opencl::{OpenClKernel, OpenClProgram};
use rocm_interop::share::DmaBuf;
use rocm_interop::{Buffer, Hip, OpenCl, Session};

/// Work-items, one an element.
pub const ITEMS: usize = 1024;
const OPENCL: &str = "kernel void add(global uint *x) { x[get_global_id(0)] += 1; }";
const HIP: &str = "extern \"C\" __global__ void triple(unsigned *x) { x[blockIdx.x * 64 + threadIdx.x] *= 3; }";
/// What HSA's runtime gives a buffer object of its own.
const OBJECT: usize = 4 << 20;

pub struct Kernels {
    add: OpenClKernel,
    triple: HipKernel,
}

impl Kernels {
    pub fn new(session: &Session) -> Kernels {
        Kernels {
            add: OpenClProgram::build(session, OPENCL, "").expect("OpenCL C").kernel("add").expect("add"),
            triple: HipModule::build(session, HIP).expect("HIP C++").kernel("triple").expect("triple"),
        }
    }
}

/// A way of sharing, with its memory.
pub enum Way {
    /// Both APIs use the same bytes. Always there between rounds.
    Shared(Option<Buffer<u32, OpenCl>>),
    /// Each has bytes of its own.
    Staged { opencl: Buffer<u32, OpenCl>, hip: Buffer<u32, Hip>, staging: Vec<u32> },
}

impl Way {
    pub fn round(&mut self, kernels: &Kernels) {
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

    pub fn buffer(&mut self) -> &mut Buffer<u32, OpenCl> {
        match self {
            Way::Shared(place) => place.as_mut().expect("there"),
            Way::Staged { opencl, .. } => opencl,
        }
    }
}

/// What each element is after so many rounds, if all were 1.
pub fn after(rounds: u32) -> u32 {
    (0..rounds).fold(1, |x, _| x.wrapping_add(1).wrapping_mul(3))
}

/// What the host's pages are made of.
#[derive(Clone, Copy)]
#[repr(C, align(4096))]
pub struct Page(pub [u32; 1024]);

/// Makes a way whose buffers have so many elements. The pages have to outlive it.
pub type Make = fn(&Session, usize, &mut [Page]) -> Way;

pub const WAYS: [(&str, Make); 9] = [
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
    ("import", |session, len, _| Way::Shared(Some(session.import(&exported(session, len)).expect("import")))),
    ("import_hip", |session, len, _| {
        let buffer = session.import_hip(&exported(session, len)).expect("import_hip");
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

/// A dma-buf of so many elements, or more; nobody else has the bytes.
fn exported(session: &Session, len: usize) -> DmaBuf {
    let whole = (len * 4).next_multiple_of(OBJECT) / 4;
    session.allocate::<u32>(whole).expect("SVM").export().expect("export")
}

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
