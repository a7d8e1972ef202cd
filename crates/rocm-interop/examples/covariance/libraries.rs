//! rocBLAS and rocSOLVER, as much of them as the example uses, found at run time.
//!
//! A crate of bindings does as well: what it takes from `rocm-interop` are a stream and addresses.
use std::error::Error;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;

use hip_sys::hipStream_t;
use libloading::Library;
use rocm_interop::hip::RawHip;

use super::Complex;

type Handle = *mut c_void;
/// `rocblas_status`; 0 is success.
type Status = c_int;

/// Of rocblas-types.h.
const NONE: c_int = 111;
/// `rocblas_operation_conjugate_transpose`
const CONJUGATE_TRANSPOSE: c_int = 113;
/// `rocblas_fill_lower`
const LOWER: c_int = 122;

/// `rocblas_cgemm`: handle, operations on A and B, m, n, k, alpha, A and its leading dimension, B and its, beta, C and
/// its.
type Cgemm = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const Complex,
    *const Complex,
    c_int,
    *const Complex,
    c_int,
    *const Complex,
    *mut Complex,
    c_int,
) -> Status;
/// `rocsolver_cpotrf`: handle, which triangle, n, A and its leading dimension, where it says what failed.
type Cpotrf = unsafe extern "C" fn(Handle, c_int, c_int, *mut Complex, c_int, *mut i32) -> Status;

/// A handle of rocBLAS, which rocSOLVER uses too, on one stream.
pub struct Solver {
    blas: Library,
    solver: Library,
    handle: Handle,
}

impl Solver {
    /// On HIP's current device and the session's stream.
    pub fn new(hip: &RawHip) -> Result<Solver, Box<dyn Error>> {
        let (blas, solver) = (open("librocblas.so", &["5", "4", "0"])?, open("librocsolver.so", &["0"])?);
        let mut this = Solver { blas, solver, handle: null_mut() };
        // SAFETY: the functions' types; the first writes one handle.
        unsafe {
            let create = this.blas.get::<unsafe extern "C" fn(*mut Handle) -> Status>(b"rocblas_create_handle")?;
            let status = create(&mut this.handle);
            this.check("rocblas_create_handle", status)?;
            let set_stream =
                this.blas.get::<unsafe extern "C" fn(Handle, hipStream_t) -> Status>(b"rocblas_set_stream")?;
            this.check("rocblas_set_stream", set_stream(this.handle, hip.stream()))?;
        }
        Ok(this)
    }

    /// Adds `factor` X Xᴴ to C.
    ///
    /// # Safety
    /// The GPU may read `rows` * `columns` elements at `x`, and write `rows` * `rows` at `c`.
    pub unsafe fn add_product(
        &self,
        (rows, columns): (usize, usize),
        factor: f32,
        x: *const Complex,
        c: *mut Complex,
    ) -> Result<(), Box<dyn Error>> {
        let (n, k) = (c_int::try_from(rows)?, c_int::try_from(columns)?);
        let (alpha, beta) = ([factor, 0.0], [1.0, 0.0]);
        // SAFETY: the function's type; the caller's promise.
        unsafe {
            let cgemm = self.blas.get::<Cgemm>(b"rocblas_cgemm")?;
            let status = cgemm(self.handle, NONE, CONJUGATE_TRANSPOSE, n, n, k, &alpha, x, n, x, n, &beta, c, n);
            self.check("rocblas_cgemm", status)
        }
    }

    /// Puts the Cholesky factor of A into its lower triangle. `failed` is 0, or the order of the first minor that is
    /// not positive.
    ///
    /// # Safety
    /// The GPU may write `n` * `n` elements at `a`, and `failed`.
    pub unsafe fn factorise(&self, n: usize, a: *mut Complex, failed: *mut i32) -> Result<(), Box<dyn Error>> {
        let n = c_int::try_from(n)?;
        // SAFETY: the function's type; the caller's promise.
        unsafe {
            let cpotrf = self.solver.get::<Cpotrf>(b"rocsolver_cpotrf")?;
            self.check("rocsolver_cpotrf", cpotrf(self.handle, LOWER, n, a, n, failed))
        }
    }

    fn check(&self, call: &str, status: Status) -> Result<(), Box<dyn Error>> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: the function's type; it returns a constant.
        let name = unsafe {
            let name = self.blas.get::<unsafe extern "C" fn(Status) -> *const c_char>(b"rocblas_status_to_string")?;
            CStr::from_ptr(name(status))
        };
        Err(format!("{call} returned {}", name.to_string_lossy()).into())
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        if self.handle.is_null() {
            return;
        }
        // SAFETY: made by `new`; the function waits for the handle's stream.
        unsafe {
            if let Ok(destroy) = self.blas.get::<unsafe extern "C" fn(Handle) -> Status>(b"rocblas_destroy_handle") {
                destroy(self.handle);
            }
        }
    }
}

/// The name without a version is that of a package for development.
fn open(name: &str, versions: &[&str]) -> Result<Library, Box<dyn Error>> {
    let names: Vec<String> =
        std::iter::once(name.to_owned()).chain(versions.iter().map(|version| format!("{name}.{version}"))).collect();
    // SAFETY: the library's initialisers are those of any program that links it.
    let found = names.iter().find_map(|name| unsafe { Library::new(name) }.ok());
    found.ok_or_else(|| format!("none of {} can be loaded; install rocBLAS and rocSOLVER", names.join(", ")).into())
}
