//! rocSPARSE: products of sparse matrices with vectors.

use std::ptr::null_mut;
use std::sync::Arc;

use parking_lot::Mutex;
use rocm_interop::Session;
use rocm_interop::memory::ReadOnly;
use rocm_interop::sys::Pod;
use rocsparse_sys::{
    LoadError, Rocsparse, rocsparse_handle, rocsparse_mat_descr, rocsparse_operation, rocsparse_status,
};

use crate::element::{typed, typed_name};
use crate::error::Code;
use crate::shape::{self, Size};
use crate::{Element, Error, Result, Vector, VectorMut, kernels, same_library};

/// rocSPARSE on a session's stream.
///
/// Each call enqueues its work and returns. Threads can share the value: one call at a time is made. Dropping it waits
/// for the session's stream.
///
/// No version of it has been run yet: none of the systems that this crate is tested on has rocSPARSE.
#[derive(Debug)]
pub struct Sparse {
    session: Session,
    library: Arc<Rocsparse>,
    raw: Mutex<Raw>,
}

/// Used by one thread at a time.
#[derive(Debug)]
struct Raw {
    handle: rocsparse_handle,
    general: rocsparse_mat_descr,
}

// SAFETY: rocSPARSE's handles and descriptions belong to no thread.
unsafe impl Send for Raw {}

const LIBRARY: &str = "rocSPARSE";

/// A sparse matrix in the GPU's memory, by rows (CSR). A kernel reads wherever the indices of columns say, so they are
/// checked on the host when the matrix is made, and nothing writes them afterwards.
#[derive(Clone, Debug)]
pub struct Csr<T: Pod> {
    rows: usize,
    columns: usize,
    entries: usize,
    starts: ReadOnly<i32>,
    indices: ReadOnly<i32>,
    values: ReadOnly<T>,
}

impl<T: Element> Csr<T> {
    /// A matrix of `rows` rows and `columns` columns. The elements of row i that are not 0 are number `starts[i]` up to
    /// `starts[i + 1]`, the latter excluded, of `values`, and in the columns of these numbers of `indices`. All are
    /// counted from 0.
    ///
    /// # Errors
    /// [`Error::Argument`] if a start or an index is outside, starts decrease, or the lengths do not fit.
    /// [`Error::Session`] if there is no memory.
    pub fn new(
        session: &Session,
        [rows, columns]: [usize; 2],
        starts: &[i32],
        indices: &[i32],
        values: &[T],
    ) -> Result<Csr<T>> {
        shape::csr(rows, columns, starts, indices, values.len()).map_err(Error::argument("sparse matrix"))?;
        Ok(Csr {
            rows,
            columns,
            entries: values.len(),
            starts: table(session, starts)?,
            indices: table(session, indices)?,
            values: table(session, values)?,
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }
}

/// These in the GPU's memory, at least one element of it.
fn table<T: Pod>(session: &Session, data: &[T]) -> Result<ReadOnly<T>> {
    let mut buffer = session.allocate(data.len().max(1))?;
    buffer.write(data)?;
    Ok(buffer.into_read_only().map_err(rocm_interop::Error::from)?)
}

impl Sparse {
    /// Loads rocSPARSE and makes a handle on the session's stream.
    ///
    /// # Errors
    /// [`Error::Load`] if there is no rocSPARSE, which says what was tried and what to install. [`Error::NoKernels`] if
    /// it has none for the session's GPU. [`Error::OtherCopy`] if it works with another HIP than the session.
    /// [`Error::Call`], [`Error::Session`].
    pub fn new(session: &Session) -> Result<Sparse> {
        Sparse::of_library(session, Arc::new(Rocsparse::load().map_err(Error::load)?))
    }

    /// The same of a library that was loaded before.
    ///
    /// # Errors
    /// As of [`new`](Sparse::new).
    pub fn of_library(session: &Session, library: Arc<Rocsparse>) -> Result<Sparse> {
        let function = library.address("rocsparse_create_handle");
        kernels::check(LIBRARY, function, &session.device().isa()?)?;
        same_library::check_hip(LIBRARY, function, session)?;
        // The handle is for the current device.
        let hip = session.raw_hip()?;
        let mut handle = null_mut();
        // SAFETY: writes one handle.
        check("rocsparse_create_handle", unsafe { library.rocsparse_create_handle(&mut handle) })?;
        // From here on `drop` gives back what there is.
        let raw = Mutex::new(Raw { handle, general: null_mut() });
        let mut this = Sparse { session: session.clone(), library, raw };
        let raw = this.raw.get_mut();
        // SAFETY: the handle is new; the stream is the session's, which this value keeps. A new description is of a
        // general matrix whose indices are counted from 0, and a new handle's scalars are the host's.
        unsafe {
            check("rocsparse_set_stream", this.library.rocsparse_set_stream(handle, hip.stream()))?;
            check("rocsparse_create_mat_descr", this.library.rocsparse_create_mat_descr(&mut raw.general))?;
        }
        Ok(this)
    }

    /// The session that the handle works for.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// y = `alpha` A x + `beta` y.
    ///
    /// With `beta` of 0, y is not read.
    ///
    /// # Errors
    /// [`Error::Argument`] if the sizes do not fit, x or y has gaps between its elements, or they overlap.
    /// [`Error::Session`] if an operand is of another session. [`Error::Call`], [`Error::Load`].
    #[doc(alias("rocsparse_scsrmv", "rocsparse_dcsrmv", "rocsparse_ccsrmv", "rocsparse_zcsrmv"))]
    pub fn csrmv<T: Element>(
        &self,
        alpha: T,
        a: &Csr<T>,
        x: Vector<'_, T>,
        beta: T,
        y: &mut VectorMut<'_, T>,
    ) -> Result<()> {
        let size = Size { rows: a.rows, columns: a.columns, count: 1 };
        shape::matrix_times_vector(size, x.len(), y.len()).map_err(Error::argument("csrmv"))?;
        shape::dense(x.increment(), y.increment()).map_err(Error::argument("csrmv"))?;
        let hip = self.session.raw_hip()?;
        let (from, to) = (x.given("x", &hip)?, y.given("y", &hip)?);
        shape::apart(&to.span, &[&from.span]).map_err(Error::argument("csrmv"))?;
        let starts = hip.read_only_pointer(&a.starts)?;
        let (indices, values) = (hip.read_only_pointer(&a.indices)?, hip.read_only_pointer(&a.values)?);
        let [m, n, entries] =
            [a.rows, a.columns, a.entries].map(|size| i32::try_from(size).expect("checked when it was made"));
        let (alpha, beta, x, y) = (&raw const alpha, &raw const beta, from.pointer, to.pointer);
        let name = typed_name!(T, [rocsparse_scsrmv rocsparse_dcsrmv rocsparse_ccsrmv rocsparse_zcsrmv]);
        let raw = self.raw.lock();
        let none = rocsparse_operation::rocsparse_operation_none;
        // SAFETY: starts and indices were checked when the matrix was made; x and y have as many elements as it has
        // columns and rows, and do not overlap; the scalars live until the call returns.
        let called = hip.timed(name, || unsafe {
            typed!(T, self.library, [rocsparse_scsrmv rocsparse_dcsrmv rocsparse_ccsrmv rocsparse_zcsrmv] (
                raw.handle, none, m, n, entries, alpha.cast(), raw.general, values.cast(), starts, indices,
                null_mut(), x.cast(), beta.cast(), y.cast(),
            ))
        });
        check(name, called?)
    }

    /// Calls `f` with the library and the handle, which no other thread uses meanwhile, for functions that have no
    /// method here. Their calls are `unsafe`, under the conditions of [`RawHip`](rocm_interop::hip::RawHip); the
    /// handle's stream and pointer mode must be as before when `f` returns. `f` must call no method of this value,
    /// which would wait for `f`, for ever.
    pub fn with_raw<R>(&self, f: impl FnOnce(&Rocsparse, rocsparse_handle) -> R) -> R {
        let raw = self.raw.lock();
        f(&self.library, raw.handle)
    }
}

fn check(call: &'static str, status: Result<rocsparse_status, LoadError>) -> Result<()> {
    match status.map_err(Error::load)? {
        rocsparse_status::rocsparse_status_success => Ok(()),
        status => Err(Error::Call { library: LIBRARY, call, code: Code::new(status.0, status.name()) }),
    }
}

impl Drop for Sparse {
    fn drop(&mut self) {
        let (raw, library) = (self.raw.get_mut(), &self.library);
        let ended = match self.session.synchronize() {
            Err(error) if !error.is_of_work_that_ended() => Err(Error::from(error)),
            _ if raw.general.is_null() => Ok(()),
            // SAFETY: nobody has it any more.
            _ => check("rocsparse_destroy_mat_descr", unsafe { library.rocsparse_destroy_mat_descr(raw.general) }),
        };
        let ended = ended.and_then(|()| {
            // SAFETY: nobody has it any more, and no work uses its memory.
            check("rocsparse_destroy_handle", unsafe { library.rocsparse_destroy_handle(raw.handle) })
        });
        if let Err(error) = ended {
            tracing::error!("a handle of rocSPARSE may still be in use and is leaked: {error}");
        }
    }
}
