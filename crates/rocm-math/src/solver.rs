//! rocSOLVER: factorisations, solutions and eigenvalues of dense matrices.

use std::sync::Arc;

use rocblas_sys::{Rocblas, rocblas_fill, rocblas_pointer_mode};
use rocm_interop::{Buffer, Hip, Session};
use rocsolver_sys::{Rocsolver, rocblas_evect};

use crate::blas::{int, operation};
use crate::element::{typed, typed_name};
use crate::handle::Handle;
use crate::operand;
use crate::shape::{self, Layout};
use crate::{Element, ElementsMut, Error, MatrixMut, Operand, Result, kernels, same_library};

/// rocSOLVER on a session's stream.
///
/// Each call enqueues its work and returns; the next hand-over of a buffer waits for it. Threads can share the value:
/// one call at a time is made, and none while a [`RawBlas`](crate::RawBlas) lives. Dropping it waits for the session's
/// stream.
///
/// Whether a matrix could be factorised is data, not an error: a call writes it to the first element of `info`.
///
/// ```no_run
/// use rocm_interop::{Buffer, Hip, Session};
/// use rocm_math::{MatrixMut, Pivots, Solver};
///
/// /// Solves A X = B, and puts X in the place of B.
/// fn solve(
///     solver: &Solver,
///     n: usize,
///     a: &mut Buffer<f64, Hip>,
///     b: &mut Buffer<f64, Hip>,
///     info: &mut Buffer<i32, Hip>,
/// ) -> rocm_math::Result<()> {
///     let columns = b.len() / n;
///     let mut pivots = Pivots::new(solver.session(), n)?;
///     let mut a = MatrixMut::new(a, n, n)?;
///     solver.getrf(&mut a, &mut pivots, info)?;
///     solver.getrs(a.as_matrix(), &pivots, &mut MatrixMut::new(b, n, columns)?)
/// }
/// ```
#[derive(Debug)]
pub struct Solver {
    handle: Handle,
    library: Arc<Rocsolver>,
}

const LIBRARY: &str = "rocSOLVER";
const HOST: rocblas_pointer_mode = rocblas_pointer_mode::rocblas_pointer_mode_host;

/// The triangle of a symmetric or Hermitian matrix that a call reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangle {
    /// Elements (i, j) with i ≥ j.
    Lower,
    /// Elements (i, j) with i ≤ j.
    Upper,
}

impl Triangle {
    fn fill(self) -> rocblas_fill {
        match self {
            Triangle::Lower => rocblas_fill::rocblas_fill_lower,
            Triangle::Upper => rocblas_fill::rocblas_fill_upper,
        }
    }
}

/// The rows that [`getrf`](Solver::getrf) exchanged, for [`getrs`](Solver::getrs), which would exchange elements
/// outside of its matrix by other numbers. So only `getrf` writes them.
#[derive(Debug)]
pub struct Pivots {
    rows: Buffer<i32, Hip>,
    /// Of the matrix that was factorised last, if one was.
    of: Option<[usize; 2]>,
}

impl Pivots {
    /// Room for those of matrices with up to `order` rows or columns, whichever are fewer.
    ///
    /// # Errors
    /// [`Error::Argument`] if `order` is more than `i32::MAX`. [`Error::Session`] if there is no memory for them.
    pub fn new(session: &Session, order: usize) -> Result<Pivots> {
        let last = i32::try_from(order.max(1)).map_err(|_| {
            let reason = format!("of order {order}, but rows are counted in 32 bits, up to {}", i32::MAX);
            Error::argument("pivots")(reason)
        })?;
        // Numbers of rows from the start, also where `getrf` leaves one as it was.
        let numbers: Vec<i32> = (1..=last).collect();
        let mut rows = session.allocate(numbers.len())?;
        rows.write(&numbers)?;
        Ok(Pivots { rows: rows.into_hip().map_err(rocm_interop::Error::from)?, of: None })
    }

    /// The rows themselves: row i, counted from 1, was exchanged with row number i of these. Waits for the work that
    /// computes them.
    ///
    /// # Errors
    /// [`Error::Argument`] if nothing was factorised, [`Error::Session`].
    pub fn read(&self) -> Result<Vec<i32>> {
        let [rows, columns] = self.of.ok_or_else(none_factorised)?;
        let mut read = vec![0; rows.min(columns)];
        self.rows.read(&mut read)?;
        Ok(read)
    }
}

fn none_factorised() -> Error {
    Error::argument("pivots")("no matrix was factorised: call `getrf` first".to_owned())
}

/// Calls the one of four functions that is for `$T`, with the handle in front of the arguments.
macro_rules! call {
    ($solver:ident, $hip:ident, $T:ty, [$($function:ident)*] ($($argument:expr),* $(,)?)) => {
        $solver.handle.call(&$hip, (LIBRARY, typed_name!($T, [$($function)*])), HOST, |handle| {
            // SAFETY: the caller of this macro has checked that the operands are in their buffers and that those which
            // are written overlap no other; the handle has the session's stream.
            unsafe { typed!($T, $solver.library, [$($function)*] (handle, $($argument),*)) }
        })
    };
}

impl Solver {
    /// Loads rocSOLVER and rocBLAS, and makes a handle on the session's stream.
    ///
    /// # Errors
    /// As of [`Blas::new`](crate::Blas::new), of either library.
    pub fn new(session: &Session) -> Result<Solver> {
        let blas = Rocblas::load().map_err(Error::load)?;
        let library = Rocsolver::load().map_err(Error::load)?;
        Solver::of_libraries(session, Arc::new(blas), Arc::new(library))
    }

    /// The same of libraries that were loaded before.
    ///
    /// # Errors
    /// As of [`new`](Solver::new). [`Error::OtherCopy`] if `library` works with another rocBLAS than `blas`.
    pub fn of_libraries(session: &Session, blas: Arc<Rocblas>, library: Arc<Rocsolver>) -> Result<Solver> {
        let (function, of_blas) = (library.address("rocsolver_spotrf"), blas.address("rocblas_create_handle"));
        kernels::check(LIBRARY, function, &session.device().isa()?)?;
        // The handle is made by one and used by the other.
        same_library::check(LIBRARY, function, "rocBLAS", c"rocblas_create_handle", of_blas)?;
        same_library::check_hip(LIBRARY, function, session)?;
        Ok(Solver { handle: Handle::new(session, blas)?, library })
    }

    /// The session that the handle works for.
    pub fn session(&self) -> &Session {
        self.handle.session()
    }

    /// The library, for functions that have no method here.
    pub fn library(&self) -> &Rocsolver {
        &self.library
    }

    /// rocBLAS and the handle, as of [`Blas::raw`](crate::Blas::raw), for functions that have no method here. The
    /// thread must drop the value before it calls another method of this handle.
    pub fn raw(&self) -> crate::RawBlas<'_> {
        crate::RawBlas::of(&self.handle)
    }

    /// Cholesky factorisation of a symmetric or Hermitian matrix A: A = L Lᴴ with [`Triangle::Lower`], whose lower
    /// triangle becomes L, or A = Uᴴ U with [`Triangle::Upper`]. The other triangle is neither read nor written.
    ///
    /// `info` becomes 0, or the order of the first leading minor that is not positive definite; the triangle has no
    /// factor then. rocSOLVER 5.5 does not notice NaN, which is in the factor then.
    ///
    /// rocSOLVER 6.4 and 7.2 have a data race in matrices of more than 65 rows: the factor may be wrong, whatever
    /// `info` is.
    ///
    /// # Errors
    /// [`Error::Argument`] if A is not square, is a batch, or overlaps `info`. [`Error::Session`] if an operand is of
    /// another session. [`Error::Call`], [`Error::Load`].
    #[doc(alias("rocsolver_spotrf", "rocsolver_dpotrf", "rocsolver_cpotrf", "rocsolver_zpotrf"))]
    pub fn potrf<'i, T: Element>(
        &self,
        triangle: Triangle,
        a: &mut MatrixMut<'_, T>,
        info: impl Into<ElementsMut<'i, i32>>,
    ) -> Result<()> {
        let layout = one("potrf", a.layout())?;
        let n = int(shape::square(layout).map_err(Error::argument("potrf"))?);
        let (hip, mut info) = (self.session().raw_hip()?, info.into());
        let (a, info) = (a.given("A", &hip)?, operand::result("info", &mut info, 1, &hip)?);
        all_apart("potrf", [&a.span, &info.span])?;
        let (a, lda, info) = (a.pointer, int(layout.leading), info.pointer);
        call!(self, hip, T, [rocsolver_spotrf rocsolver_dpotrf rocsolver_cpotrf rocsolver_zpotrf] (
            triangle.fill(), n, a.cast(), lda, info,
        ))
    }

    /// LU factorisation with exchanges of rows: A = P L U. A becomes U, and below its diagonal L, whose diagonal of
    /// ones is not stored.
    ///
    /// `info` becomes 0, or the number of the first column, counted from 1, whose pivot is 0.
    ///
    /// # Errors
    /// [`Error::Argument`] if A is a batch, overlaps `info`, or `pivots` have no room for it. Else as of
    /// [`potrf`](Solver::potrf).
    #[doc(alias("rocsolver_sgetrf", "rocsolver_dgetrf", "rocsolver_cgetrf", "rocsolver_zgetrf"))]
    pub fn getrf<'i, T: Element>(
        &self,
        a: &mut MatrixMut<'_, T>,
        pivots: &mut Pivots,
        info: impl Into<ElementsMut<'i, i32>>,
    ) -> Result<()> {
        let layout = one("getrf", a.layout())?;
        let (hip, mut info) = (self.session().raw_hip()?, info.into());
        let (a, info) = (a.given("A", &hip)?, operand::result("info", &mut info, 1, &hip)?);
        let mut rows = ElementsMut::from(&mut pivots.rows);
        let rows = operand::result("pivots", &mut rows, layout.rows.min(layout.columns), &hip)?;
        all_apart("getrf", [&a.span, &info.span])?;
        // Until it has succeeded, they may be of no matrix.
        pivots.of = None;
        let (m, n, lda) = (int(layout.rows), int(layout.columns), int(layout.leading));
        let (a, rows, info) = (a.pointer, rows.pointer, info.pointer);
        call!(self, hip, T, [rocsolver_sgetrf rocsolver_dgetrf rocsolver_cgetrf rocsolver_zgetrf] (
            m, n, a.cast(), lda, rows, info,
        ))?;
        pivots.of = Some([layout.rows, layout.columns]);
        Ok(())
    }

    /// Solves A X = B with the factors and pivots of [`getrf`](Solver::getrf), and puts X in the place of B. Of the
    /// transpose or adjoint of the factors, it solves Aᵀ X = B or Aᴴ X = B.
    ///
    /// # Errors
    /// [`Error::Argument`] if the factors are not square, B has other rows, one of both is a batch or they overlap, or
    /// `pivots` are of a matrix of another size, or none. Else as of [`potrf`](Solver::potrf).
    #[doc(alias("rocsolver_sgetrs", "rocsolver_dgetrs", "rocsolver_cgetrs", "rocsolver_zgetrs"))]
    pub fn getrs<'f, T: Element>(
        &self,
        factors: impl Into<Operand<'f, T>>,
        pivots: &Pivots,
        b: &mut MatrixMut<'_, T>,
    ) -> Result<()> {
        let factors = factors.into();
        let (layout, right) = (one("getrs", factors.matrix.layout())?, one("getrs", b.layout())?);
        let order = shape::square(layout).map_err(Error::argument("getrs"))?;
        shape::solution(order, right.rows, pivots.of).map_err(Error::argument("getrs"))?;
        let hip = self.session().raw_hip()?;
        let (a, b) = (factors.matrix.given("A", &hip)?, b.given("B", &hip)?);
        shape::apart(&b.span, &[&a.span]).map_err(Error::argument("getrs"))?;
        let rows = hip.pointer(&pivots.rows)?;
        let (n, columns, lda, ldb) = (int(order), int(right.columns), int(layout.leading), int(right.leading));
        // The function declares the factors writable and only reads them.
        let (a, b, transposed) = (a.pointer.cast_mut(), b.pointer, operation(factors.operation));
        call!(self, hip, T, [rocsolver_sgetrs rocsolver_dgetrs rocsolver_cgetrs rocsolver_zgetrs] (
            transposed, n, columns, a.cast(), lda, rows, b.cast(), ldb,
        ))
    }

    /// QR factorisation: A = Q R. A becomes R, and below its diagonal the Householder vectors that Q is made of, whose
    /// factors `tau` gets: as many as A has rows or columns, whichever are fewer.
    ///
    /// # Errors
    /// [`Error::Argument`] if A is a batch or overlaps `tau`, or `tau` is shorter. Else as of [`potrf`](Solver::potrf).
    #[doc(alias("rocsolver_sgeqrf", "rocsolver_dgeqrf", "rocsolver_cgeqrf", "rocsolver_zgeqrf"))]
    pub fn geqrf<'t, T: Element>(&self, a: &mut MatrixMut<'_, T>, tau: impl Into<ElementsMut<'t, T>>) -> Result<()> {
        let layout = one("geqrf", a.layout())?;
        let (hip, mut tau) = (self.session().raw_hip()?, tau.into());
        let a = a.given("A", &hip)?;
        let tau = operand::result("tau", &mut tau, layout.rows.min(layout.columns), &hip)?;
        all_apart("geqrf", [&a.span, &tau.span])?;
        let (m, n, lda) = (int(layout.rows), int(layout.columns), int(layout.leading));
        let (a, tau) = (a.pointer, tau.pointer);
        call!(self, hip, T, [rocsolver_sgeqrf rocsolver_dgeqrf rocsolver_cgeqrf rocsolver_zgeqrf] (
            m, n, a.cast(), lda, tau.cast(),
        ))
    }

    /// Eigenvalues and eigenvectors of a symmetric or Hermitian matrix A, of which one triangle is read. `values` gets
    /// the eigenvalues, which are real, in ascending order, and the columns of A become the eigenvectors. `work` is as
    /// long as `values`; its contents are of no use.
    ///
    /// `info` becomes 0, or a positive number if the computation did not converge.
    ///
    /// # Errors
    /// [`Error::Argument`] if A is not square or is a batch, operands overlap, or `values` or `work` is shorter than A
    /// has rows. Else as of [`potrf`](Solver::potrf).
    #[doc(alias("rocsolver_ssyevd", "rocsolver_dsyevd", "rocsolver_cheevd", "rocsolver_zheevd"))]
    pub fn syevd<'v, 'w, 'i, T: Element>(
        &self,
        triangle: Triangle,
        a: &mut MatrixMut<'_, T>,
        values: impl Into<ElementsMut<'v, T::Real>>,
        work: impl Into<ElementsMut<'w, T::Real>>,
        info: impl Into<ElementsMut<'i, i32>>,
    ) -> Result<()> {
        let layout = one("syevd", a.layout())?;
        let order = shape::square(layout).map_err(Error::argument("syevd"))?;
        let hip = self.session().raw_hip()?;
        let (mut values, mut work, mut info) = (values.into(), work.into(), info.into());
        let a = a.given("A", &hip)?;
        let values = operand::result("values", &mut values, order, &hip)?;
        let work = operand::result("work", &mut work, order, &hip)?;
        let info = operand::result("info", &mut info, 1, &hip)?;
        all_apart("syevd", [&a.span, &values.span, &work.span, &info.span])?;
        let (n, lda, fill) = (int(order), int(layout.leading), triangle.fill());
        let (a, values, work, info) = (a.pointer, values.pointer, work.pointer, info.pointer);
        call!(self, hip, T, [rocsolver_ssyevd rocsolver_dsyevd rocsolver_cheevd rocsolver_zheevd] (
            rocblas_evect::rocblas_evect_original, fill, n, a.cast(), lda, values.cast(), work.cast(), info,
        ))
    }
}

/// Refuses a batch.
fn one(call: &'static str, layout: Layout) -> Result<Layout> {
    shape::one(layout).map_err(Error::argument(call))?;
    Ok(layout)
}

/// Refuses two of what a call writes that overlap.
fn all_apart<const N: usize>(call: &'static str, written: [&shape::Span; N]) -> Result<()> {
    (0..N).try_for_each(|at| shape::apart(written[at], &written[at + 1..])).map_err(Error::argument(call))
}
