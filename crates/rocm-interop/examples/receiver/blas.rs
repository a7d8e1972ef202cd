//! rocBLAS, as much of it as the program uses, found at run time. A crate of bindings does as well.
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Mutex;

use libloading::Library;

use super::Failure;
use super::reference::{ANTENNAS, Complex, SAMPLES};

type Handle = *mut c_void;
/// `rocblas_status`; 0 is success.
type Status = c_int;

/// `rocblas_operation_none` of rocblas-types.h, and `rocblas_operation_conjugate_transpose`.
const NONE: c_int = 111;
const CONJUGATE_TRANSPOSE: c_int = 113;

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

/// A handle of rocBLAS, on one stream.
pub struct Blas {
    library: Library,
    /// Used by one thread at a time.
    handle: Mutex<Raw>,
}

struct Raw(Handle);

// SAFETY: rocBLAS's handles belong to no thread.
unsafe impl Send for Raw {}

impl Blas {
    /// On HIP's current device.
    ///
    /// # Safety
    /// A stream of that, which outlives the value.
    pub unsafe fn new(stream: *mut c_void) -> Result<Blas, Failure> {
        let names = ["librocblas.so", "librocblas.so.5", "librocblas.so.4", "librocblas.so.0"];
        // SAFETY: the library's initialisers are those of any program that links it.
        let library =
            names.iter().find_map(|name| unsafe { Library::new(*name) }.ok()).ok_or("rocBLAS is not installed")?;
        let mut handle = null_mut();
        // SAFETY: the functions' types; the first writes one handle.
        unsafe {
            check(library.get::<unsafe extern "C" fn(*mut Handle) -> Status>(b"rocblas_create_handle")?(&mut handle))?;
            check(library.get::<unsafe extern "C" fn(Handle, *mut c_void) -> Status>(b"rocblas_set_stream")?(
                handle, stream,
            ))?;
        }
        Ok(Blas { library, handle: Mutex::new(Raw(handle)) })
    }

    /// Enqueues the covariance matrix of the samples.
    ///
    /// # Safety
    /// The GPU may read a batch's samples at `samples`, and write a matrix at `matrix`, until the stream was waited
    /// for. HIP's current device is that of `new`.
    pub unsafe fn covariance(&self, samples: *const Complex, matrix: *mut Complex) -> Result<(), Failure> {
        let (n, k) = (ANTENNAS as c_int, SAMPLES as c_int);
        let (alpha, beta) = ([1.0 / SAMPLES as f32, 0.0], [0.0, 0.0]);
        let handle = self.handle.lock().expect("nobody panics with it");
        // SAFETY: the function's type; the caller's promise.
        check(unsafe {
            let cgemm = self.library.get::<Cgemm>(b"rocblas_cgemm")?;
            cgemm(handle.0, NONE, CONJUGATE_TRANSPOSE, n, n, k, &alpha, samples, n, samples, n, &beta, matrix, n)
        })
    }
}

fn check(status: Status) -> Result<(), Failure> {
    if status == 0 { Ok(()) } else { Err(format!("rocBLAS: status {status}").into()) }
}

impl Drop for Blas {
    fn drop(&mut self) {
        let Raw(handle) = *self.handle.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner);
        // SAFETY: made by `new`; the function waits for the handle's stream.
        unsafe {
            if let Ok(destroy) = self.library.get::<unsafe extern "C" fn(Handle) -> Status>(b"rocblas_destroy_handle") {
                destroy(handle);
            }
        }
    }
}
