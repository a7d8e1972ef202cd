//! `rocm-math`: its calls of AMD's libraries, against the CPU, and what it refuses.
//!
//! Numbers are small integers wherever sums and products of such are computed, so that results are exact in any order
//! of computation.
#[macro_use(needs_amd_opencl)]
extern crate stack_tests;

#[path = "math/blas.rs"]
mod blas;
#[path = "math/fft.rs"]
mod fft;
#[path = "math/number.rs"]
mod number;
#[path = "math/random.rs"]
mod random;
#[path = "math/solver.rs"]
mod solver;
#[path = "math/sparse.rs"]
mod sparse;

use std::sync::{Arc, OnceLock};

use rocm_interop::sys::Pod;
use rocm_interop::{Buffer, Device, Hip, Libraries, Session};

/// A session of its own on the first GPU.
fn session() -> Session {
    static LIBRARIES: OnceLock<Arc<Libraries>> = OnceLock::new();
    let libraries = LIBRARIES.get_or_init(|| Arc::new(Libraries::load().expect("OpenCL, HIP and HSA")));
    Session::open(&Device::first(libraries).expect("a GPU")).expect("a session")
}

/// These elements in the GPU's memory, on HIP's turn.
fn on_gpu<T: Pod>(session: &Session, data: &[T]) -> Buffer<T, Hip> {
    let mut buffer = session.allocate(data.len()).expect("allocate");
    buffer.write(data).expect("write");
    buffer.into_hip().expect("hand over")
}

/// The elements, when the work before has ended.
fn read<T: Pod>(buffer: &Buffer<T, Hip>) -> Vec<T> {
    let mut data = vec![T::zeroed(); buffer.len()];
    buffer.read(&mut data).expect("read");
    data
}

/// A buffer object of OpenCL.
struct Mem<'s> {
    session: &'s Session,
    mem: cl_sys::cl_mem,
}

impl Mem<'_> {
    fn new(session: &Session, bytes: usize) -> Mem<'_> {
        let (mut code, flags) = (0, cl_sys::CL_MEM_READ_WRITE);
        let cl = &session.device().libraries().cl;
        // SAFETY: the session's context; no host memory.
        let mem = unsafe { cl.clCreateBuffer(session.context(), flags, bytes, std::ptr::null_mut(), &mut code) };
        assert_eq!(code, cl_sys::CL_SUCCESS);
        Mem { session, mem: mem.expect("clCreateBuffer") }
    }

    /// A view of its bytes on HIP's turn, one of several.
    fn view<T: Pod>(&self) -> Buffer<T, Hip> {
        // SAFETY: a buffer of the session's context, which nothing but views uses.
        let view = unsafe { self.session.view::<T>(self.mem) }.expect("view");
        view.into_hip().expect("hand over")
    }
}

impl Drop for Mem<'_> {
    fn drop(&mut self) {
        // SAFETY: created by `new`; views have references of their own.
        let code = unsafe { self.session.device().libraries().cl.clReleaseMemObject(self.mem) };
        assert_eq!(code.expect("clReleaseMemObject"), cl_sys::CL_SUCCESS);
    }
}

/// The text of an error that says all of this.
#[track_caller]
fn assert_refused<T>(result: rocm_math::Result<T>, words: &[&str]) {
    let Err(error) = result else { panic!("not refused: {words:?}") };
    let text = error.to_string();
    assert!(words.iter().all(|word| text.contains(word)), "{text}");
}
