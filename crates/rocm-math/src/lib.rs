//! Calls of ROCm's mathematical libraries on buffers of `rocm-interop`, checked before they are made.
//!
//! OpenCL fills a buffer, rocBLAS computes on the same bytes, OpenCL goes on with the result:
//! ```no_run
//! use std::sync::Arc;
//!
//! use rocm_interop::{Device, Libraries, Session};
//! use rocm_math::{Blas, Matrix, MatrixMut};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let libraries = Arc::new(Libraries::load()?);
//! let session = Session::open(&Device::first(&libraries)?)?;
//! let blas = Blas::new(&session)?;
//!
//! let mut a = session.allocate::<f32>(6)?;
//! a.write(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?; // two rows, three columns: column by column
//! let c = session.allocate::<f32>(4)?;
//!
//! let (a, mut c) = (a.into_hip()?, c.into_hip()?); // waits for OpenCL
//! let matrix = Matrix::new(&a, 2, 3)?;
//! blas.gemm(1.0, matrix, matrix.transposed(), 0.0, &mut MatrixMut::new(&mut c, 2, 2)?)?; // C = A Aᵀ
//! let c = c.into_opencl()?; // waits for rocBLAS
//!
//! let mut result = [0.0; 4];
//! c.read(&mut result)?;
//! assert_eq!(result, [35.0, 44.0, 44.0, 56.0]);
//! # Ok(()) }
//! ```
//!
//! | type | library | feature |
//! |---|---|---|
//! | [`Blas`] | rocBLAS | `rocblas` |
//! | [`Solver`] | rocSOLVER | `rocsolver` |
//! | [`Fft`] | rocFFT | `rocfft` |
//! | [`Random`] | rocRAND | `rocrand` |
//! | [`Sparse`] | rocSPARSE | `rocsparse` |
//!
//! # Rules
//! - A handle belongs to a session and works on its stream. Operands are buffers of that session on HIP's turn, parts
//!   of them, or read-only tables; those of another session are refused.
//! - A [`Matrix`] or [`Vector`] is made of elements by its layout, and refused if it is not inside of them. Matrices
//!   are column-major.
//! - Many kernels of the libraries compute offsets in 32 bits, and would use other memory where these wrap. So a matrix
//!   or vector spans at most `i32::MAX` elements, one of A or B of [`Blas::gemm`] as many bytes, and a plan of [`Fft`]
//!   has at most `i32::MAX / 2` elements. Batches have these limits for each matrix, and strides of 64 bits. Larger
//!   ones are for the functions themselves, by [`Blas::raw`] and its like.
//! - A library must be linked to the copy of HIP that the session has, and rocSOLVER to the rocBLAS of its handle;
//!   another one is refused ([`Error::OtherCopy`]).
//! - What a call writes is borrowed alone. Two buffers may be views of the same bytes, so a call also compares
//!   addresses, and refuses an operand that it writes if another one overlaps it.
//! - A call enqueues work and returns. The next hand-over of a buffer waits for that work. What a call computes as a
//!   single number is written to a buffer too.
//! - A call is a [`Work::Library`](rocm_interop::times::Work::Library) of its function's name in the session's
//!   [times](rocm_interop::Session::record_times).
//! - Each call can be in a stage of a pipeline (`rocm-pipeline`), whose errors are this crate's [`Error`] then.
//!
//! Handles are [`Send`] and [`Sync`]; calls of several threads with one handle are made one after another.
#[cfg(feature = "rocblas")]
mod blas;
mod element;
mod error;
#[cfg(feature = "rocfft")]
mod fft;
#[cfg(feature = "rocblas")]
mod handle;
mod kernels;
mod operand;
#[cfg(feature = "rocrand")]
mod random;
mod same_library;
mod shape;
#[cfg(feature = "rocsolver")]
mod solver;
#[cfg(feature = "rocsparse")]
mod sparse;

#[cfg(feature = "rocblas")]
pub use blas::{Blas, RawBlas};
pub use element::{Element, Real};
pub use error::{Code, Error, Result};
#[cfg(feature = "rocfft")]
pub use fft::{Direction, Fft, FftInPlace, FftPlan};
pub use operand::{Elements, ElementsMut, Matrix, MatrixMut, Operand, Vector, VectorMut};
#[cfg(feature = "rocrand")]
pub use random::Random;
#[cfg(feature = "rocsolver")]
pub use solver::{Pivots, Solver, Triangle};
#[cfg(feature = "rocsparse")]
pub use sparse::{Csr, Sparse};
