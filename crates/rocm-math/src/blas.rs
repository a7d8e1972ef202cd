//! rocBLAS: products, sums and scalings of dense matrices and vectors.

use std::sync::Arc;

use parking_lot::MutexGuard;
use rocblas_sys::{Rocblas, rocblas_handle, rocblas_operation, rocblas_pointer_mode};
use rocm_interop::hip::RawHip;
use rocm_interop::sys::bytemuck::Zeroable;
use rocm_interop::{Buffer, Hip, Session};

use crate::element::{typed, typed_name};
use crate::handle::{Handle, Raw};
use crate::operand::{self, Operation};
use crate::shape::{self, Size};
use crate::{Element, ElementsMut, Error, MatrixMut, Operand, Result, Vector, VectorMut};

/// rocBLAS on a session's stream.
///
/// Each call enqueues its work and returns; the next hand-over of a buffer waits for it. Threads can share the value:
/// one call at a time is made, and none while a [`RawBlas`] lives. Dropping it waits for the session's stream.
///
/// Scalars are the host's. Results that are scalars ([`dot`](Blas::dot), [`nrm2`](Blas::nrm2)) are written to a buffer,
/// so that no call waits.
///
/// Products may be computed in another order from one version or GPU to the next, so their last digits may differ.
///
/// ```no_run
/// use rocm_interop::{Buffer, Hip, Session};
/// use rocm_math::{Blas, Matrix, MatrixMut};
///
/// /// Adds X Xᴴ to the matrix C of order `n`.
/// fn covariance(
///     blas: &Blas,
///     n: usize,
///     x: &Buffer<[f32; 2], Hip>,
///     c: &mut Buffer<[f32; 2], Hip>,
/// ) -> rocm_math::Result<()> {
///     let x = Matrix::new(x, n, x.len() / n)?;
///     blas.gemm([1.0, 0.0], x, x.adjoint(), [1.0, 0.0], &mut MatrixMut::new(c, n, n)?)
/// }
/// ```
#[derive(Debug)]
pub struct Blas {
    handle: Handle,
}

const LIBRARY: &str = "rocBLAS";
const HOST: rocblas_pointer_mode = rocblas_pointer_mode::rocblas_pointer_mode_host;
const DEVICE: rocblas_pointer_mode = rocblas_pointer_mode::rocblas_pointer_mode_device;

/// Calls the one of four functions that is for `$T`, with the handle in front of the arguments.
macro_rules! call {
    ($blas:ident, $hip:expr, $mode:ident, $T:ty, [$($function:ident)*] ($($argument:expr),* $(,)?)) => {
        $blas.handle.call($hip, (LIBRARY, typed_name!($T, [$($function)*])), $mode, |handle| {
            let library = $blas.handle.library();
            // SAFETY: the caller of this macro has checked that the operands are in their buffers and the written one
            // overlaps no other; the handle has the session's stream, and the scalars live until the call returns.
            unsafe { typed!($T, library, [$($function)*] (handle, $($argument),*)) }
        })
    };
}

impl Blas {
    /// Loads rocBLAS and makes a handle on the session's stream.
    ///
    /// # Errors
    /// [`Error::Load`] if there is no rocBLAS, which says what was tried and what to install. [`Error::NoKernels`] if
    /// it has none for the session's GPU. [`Error::OtherCopy`] if it works with another HIP than the session.
    /// [`Error::Call`], [`Error::Session`].
    pub fn new(session: &Session) -> Result<Blas> {
        Blas::of_library(session, Arc::new(Rocblas::load().map_err(Error::load)?))
    }

    /// The same of a library that was loaded before.
    ///
    /// # Errors
    /// As of [`new`](Blas::new).
    pub fn of_library(session: &Session, library: Arc<Rocblas>) -> Result<Blas> {
        Ok(Blas { handle: Handle::new(session, library)? })
    }

    /// The session that the handle works for.
    pub fn session(&self) -> &Session {
        self.handle.session()
    }

    /// From now on, calls take the memory that they need beside their operands from `workspace`, which stays with the
    /// handle. Without it rocBLAS allocates such memory when it is needed first, and more when more is needed, for
    /// which it waits for the GPU. A call that needs more than there is in `workspace` fails with
    /// `rocblas_status_memory_error`.
    ///
    /// # Errors
    /// [`Error::Call`], [`Error::Session`].
    pub fn set_workspace(&self, workspace: Buffer<u8, Hip>) -> Result<()> {
        self.handle.set_workspace(workspace)
    }

    /// The library and the handle, for functions that have no method here. Other threads' calls wait until the value is
    /// dropped.
    ///
    /// A thread must drop the value before it calls another method of this handle: such a call waits for the value, for
    /// ever.
    ///
    /// Calls are `unsafe`, under the conditions of [`RawHip`](rocm_interop::hip::RawHip). The handle's stream must be
    /// the session's again when the value is dropped; the pointer mode may be any.
    pub fn raw(&self) -> RawBlas<'_> {
        RawBlas::of(&self.handle)
    }

    /// C = `alpha` A B + `beta` C. With batches, of each number of them.
    ///
    /// With `beta` of 0, C is not read. Sizes of 0 are allowed: without rows or columns of C nothing is done, and
    /// without columns of A, C is scaled.
    ///
    /// # Errors
    /// [`Error::Argument`] if the sizes do not fit, the batches have different counts, or C overlaps A or B; matrices
    /// of C's batch share elements; or one matrix of A or B spans more than `i32::MAX` bytes, which kernels of some
    /// versions compute offsets in. [`Error::Session`] if an operand is of another session. [`Error::Call`],
    /// [`Error::Load`].
    #[doc(alias("rocblas_sgemm", "rocblas_dgemm", "rocblas_cgemm", "rocblas_zgemm"))]
    #[doc(alias(
        "rocblas_sgemm_strided_batched",
        "rocblas_dgemm_strided_batched",
        "rocblas_cgemm_strided_batched",
        "rocblas_zgemm_strided_batched"
    ))]
    pub fn gemm<'a, 'b, T: Element>(
        &self,
        alpha: T,
        a: impl Into<Operand<'a, T>>,
        b: impl Into<Operand<'b, T>>,
        beta: T,
        c: &mut MatrixMut<'_, T>,
    ) -> Result<()> {
        let (a, b) = (a.into(), b.into());
        let [la, lb, lc] = [a.matrix.layout(), b.matrix.layout(), c.layout()];
        let size = Size { rows: lc.rows, columns: lc.columns, count: lc.count };
        let sizes = shape::product(a.size(), b.size(), size).map_err(Error::argument("gemm"))?;
        la.has_short_offsets(size_of::<T>()).map_err(Error::argument("A"))?;
        lb.has_short_offsets(size_of::<T>()).map_err(Error::argument("B"))?;
        let hip = self.session().raw_hip()?;
        let (from_a, from_b, to) = (a.matrix.given("A", &hip)?, b.matrix.given("B", &hip)?, c.given("C", &hip)?);
        shape::apart(&to.span, &[&from_a.span, &from_b.span]).map_err(Error::argument("gemm"))?;
        if lc.is_empty() {
            return Ok(());
        }
        let [m, n, k] = sizes.map(int);
        let (ta, tb) = (operation(a.operation), operation(b.operation));
        let (alpha, beta) = (&raw const alpha, &raw const beta);
        let (a, b, c) = (from_a.pointer, from_b.pointer, to.pointer);
        let [lda, ldb, ldc] = [la, lb, lc].map(|layout| int(layout.leading));
        if lc.count == 1 {
            return call!(self, &hip, HOST, T, [rocblas_sgemm rocblas_dgemm rocblas_cgemm rocblas_zgemm] (
                ta, tb, m, n, k, alpha.cast(), a.cast(), lda, b.cast(), ldb, beta.cast(), c.cast(), ldc,
            ));
        }
        let [stride_a, stride_b, stride_c] = [la, lb, lc].map(|layout| layout.stride as i64);
        let count = int(lc.count);
        call!(self, &hip, HOST, T, [
            rocblas_sgemm_strided_batched
            rocblas_dgemm_strided_batched
            rocblas_cgemm_strided_batched
            rocblas_zgemm_strided_batched
        ] (
            ta, tb, m, n, k, alpha.cast(), a.cast(), lda, stride_a, b.cast(), ldb, stride_b,
            beta.cast(), c.cast(), ldc, stride_c, count,
        ))
    }

    /// y = `alpha` A x + `beta` y.
    ///
    /// With `beta` of 0, y is not read.
    ///
    /// # Errors
    /// [`Error::Argument`] if the sizes do not fit, A is a batch, or y overlaps A or x. Else as of
    /// [`gemm`](Blas::gemm).
    #[doc(alias("rocblas_sgemv", "rocblas_dgemv", "rocblas_cgemv", "rocblas_zgemv"))]
    pub fn gemv<'a, T: Element>(
        &self,
        alpha: T,
        a: impl Into<Operand<'a, T>>,
        x: Vector<'_, T>,
        beta: T,
        y: &mut VectorMut<'_, T>,
    ) -> Result<()> {
        let a = a.into();
        let layout = a.matrix.layout();
        shape::matrix_times_vector(a.size(), x.len(), y.len()).map_err(Error::argument("gemv"))?;
        let hip = self.session().raw_hip()?;
        let (from_a, from_x, to) = (a.matrix.given("A", &hip)?, x.given("x", &hip)?, y.given("y", &hip)?);
        shape::apart(&to.span, &[&from_a.span, &from_x.span]).map_err(Error::argument("gemv"))?;
        if layout.columns == 0 || layout.rows == 0 {
            // The function returns then and leaves y as it is.
            return self.sum_of_none(&hip, beta, to.pointer, y.len(), y.increment());
        }
        let (m, n, lda) = (int(layout.rows), int(layout.columns), int(layout.leading));
        let (incx, incy) = (int(x.increment()), int(y.increment()));
        let (alpha, beta) = (&raw const alpha, &raw const beta);
        let (a_at, x, y) = (from_a.pointer, from_x.pointer, to.pointer);
        let transposed = operation(a.operation);
        call!(self, &hip, HOST, T, [rocblas_sgemv rocblas_dgemv rocblas_cgemv rocblas_zgemv] (
            transposed, m, n, alpha.cast(), a_at.cast(), lda, x.cast(), incx, beta.cast(), y.cast(), incy,
        ))
    }

    /// x = `alpha` x.
    ///
    /// # Errors
    /// [`Error::Session`] if x is of another session. [`Error::Call`], [`Error::Load`].
    #[doc(alias("rocblas_sscal", "rocblas_dscal", "rocblas_cscal", "rocblas_zscal"))]
    pub fn scal<T: Element>(&self, alpha: T, x: &mut VectorMut<'_, T>) -> Result<()> {
        let hip = self.session().raw_hip()?;
        let pointer = x.given("x", &hip)?.pointer;
        let (n, increment, alpha) = (int(x.len()), int(x.increment()), &raw const alpha);
        call!(self, &hip, HOST, T, [rocblas_sscal rocblas_dscal rocblas_cscal rocblas_zscal] (
            n, alpha.cast(), pointer.cast(), increment,
        ))
    }

    /// y = `alpha` x + y.
    ///
    /// # Errors
    /// [`Error::Argument`] if the lengths differ, or x and y overlap. Else as of [`scal`](Blas::scal).
    #[doc(alias("rocblas_saxpy", "rocblas_daxpy", "rocblas_caxpy", "rocblas_zaxpy"))]
    pub fn axpy<T: Element>(&self, alpha: T, x: Vector<'_, T>, y: &mut VectorMut<'_, T>) -> Result<()> {
        shape::same_length(x.len(), y.len()).map_err(Error::argument("axpy"))?;
        let hip = self.session().raw_hip()?;
        let (from, to) = (x.given("x", &hip)?, y.given("y", &hip)?);
        shape::apart(&to.span, &[&from.span]).map_err(Error::argument("axpy"))?;
        let (n, incx, incy, alpha) = (int(x.len()), int(x.increment()), int(y.increment()), &raw const alpha);
        let (x, y) = (from.pointer, to.pointer);
        call!(self, &hip, HOST, T, [rocblas_saxpy rocblas_daxpy rocblas_caxpy rocblas_zaxpy] (
            n, alpha.cast(), x.cast(), incx, y.cast(), incy,
        ))
    }

    /// Writes xᴴ y to the first element of `result`: of complex numbers, the elements of x are conjugated.
    ///
    /// # Errors
    /// [`Error::Argument`] if the lengths differ, or `result` overlaps x or y. Else as of [`scal`](Blas::scal).
    #[doc(alias("rocblas_sdot", "rocblas_ddot", "rocblas_cdotc", "rocblas_zdotc"))]
    pub fn dot<'r, T: Element>(
        &self,
        x: Vector<'_, T>,
        y: Vector<'_, T>,
        result: impl Into<ElementsMut<'r, T>>,
    ) -> Result<()> {
        shape::same_length(x.len(), y.len()).map_err(Error::argument("dot"))?;
        let hip = self.session().raw_hip()?;
        let mut result = result.into();
        let (from_x, from_y) = (x.given("x", &hip)?, y.given("y", &hip)?);
        let to = operand::result("result", &mut result, 1, &hip)?;
        shape::apart(&to.span, &[&from_x.span, &from_y.span]).map_err(Error::argument("dot"))?;
        let (n, incx, incy) = (int(x.len()), int(x.increment()), int(y.increment()));
        let (x, y, result) = (from_x.pointer, from_y.pointer, to.pointer);
        if n == 0 {
            return self.sum_of_none(&hip, T::zeroed(), result, 1, 1);
        }
        call!(self, &hip, DEVICE, T, [rocblas_sdot rocblas_ddot rocblas_cdotc rocblas_zdotc] (
            n, x.cast(), incx, y.cast(), incy, result.cast(),
        ))
    }

    /// Writes the Euclidean norm of x, which is real, to the first element of `result`.
    ///
    /// # Errors
    /// [`Error::Argument`] if `result` overlaps x. Else as of [`scal`](Blas::scal).
    #[doc(alias("rocblas_snrm2", "rocblas_dnrm2", "rocblas_scnrm2", "rocblas_dznrm2"))]
    pub fn nrm2<'r, T: Element>(&self, x: Vector<'_, T>, result: impl Into<ElementsMut<'r, T::Real>>) -> Result<()> {
        let hip = self.session().raw_hip()?;
        let mut result = result.into();
        let from = x.given("x", &hip)?;
        let to = operand::result("result", &mut result, 1, &hip)?;
        shape::apart(&to.span, &[&from.span]).map_err(Error::argument("nrm2"))?;
        let (n, increment, x, result) = (int(x.len()), int(x.increment()), from.pointer, to.pointer);
        if n == 0 {
            return self.sum_of_none(&hip, <T::Real as Zeroable>::zeroed(), result, 1, 1);
        }
        call!(self, &hip, DEVICE, T, [rocblas_snrm2 rocblas_dnrm2 rocblas_scnrm2 rocblas_dznrm2] (
            n, x.cast(), increment, result.cast(),
        ))
    }

    /// y = `beta` y, not read with `beta` of 0: a product whose inner size is 0, as the functions for vectors leave the
    /// result as it was, keep NaN, or fill it by `hipMemsetAsync`, which HIP refuses for memory of OpenCL.
    fn sum_of_none<T: Element>(
        &self,
        hip: &RawHip<'_>,
        beta: T,
        y: *mut T,
        len: usize,
        increment: usize,
    ) -> Result<()> {
        if len == 0 {
            return Ok(());
        }
        let (n, ldc, none) = (int(len), int(increment), rocblas_operation::rocblas_operation_none);
        let beta = &raw const beta;
        // A and B have no element, so their addresses are not used; the functions refuse null.
        let (alpha, a, b) = (beta, y.cast_const(), y.cast_const());
        call!(self, hip, HOST, T, [rocblas_sgemm rocblas_dgemm rocblas_cgemm rocblas_zgemm] (
            none, none, 1, n, 0, alpha.cast(), a.cast(), 1, b.cast(), 1, beta.cast(), y.cast(), ldc,
        ))
    }
}

/// A size that was checked when its layout was made.
pub(crate) fn int(size: usize) -> i32 {
    i32::try_from(size).expect("layouts have sizes up to i32::MAX")
}

pub(crate) fn operation(operation: Operation) -> rocblas_operation {
    match operation {
        Operation::AsIs => rocblas_operation::rocblas_operation_none,
        Operation::Transposed => rocblas_operation::rocblas_operation_transpose,
        Operation::Adjoint => rocblas_operation::rocblas_operation_conjugate_transpose,
    }
}

/// rocBLAS and a handle, which is this thread's as long as the value lives. A call of [`Blas`] or
/// [`Solver`](crate::Solver) with the same handle waits until it is dropped, so the thread that has it must make none.
#[derive(Debug)]
pub struct RawBlas<'b> {
    library: &'b Rocblas,
    raw: MutexGuard<'b, Raw>,
}

impl<'b> RawBlas<'b> {
    pub(crate) fn of(handle: &'b Handle) -> Self {
        RawBlas { library: handle.library(), raw: handle.lock() }
    }

    /// The functions.
    pub fn library(&self) -> &Rocblas {
        self.library
    }

    /// The handle, on the session's stream.
    pub fn handle(&self) -> rocblas_handle {
        self.raw.handle()
    }
}
