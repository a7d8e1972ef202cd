//! A handle of rocBLAS, through which rocBLAS and rocSOLVER work.

use std::ptr::null_mut;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use rocblas_sys::{Rocblas, rocblas_handle, rocblas_pointer_mode, rocblas_status};
use rocm_interop::hip::RawHip;
use rocm_interop::{Buffer, Hip, Session};
use rocm_loader::LoadError;

use crate::error::Code;
use crate::{Error, Result, kernels, same_library};

const LIBRARY: &str = "rocBLAS";

#[derive(Debug)]
pub(crate) struct Handle {
    session: Session,
    library: Arc<Rocblas>,
    raw: Mutex<Raw>,
}

/// Used by one thread at a time.
#[derive(Debug)]
pub(crate) struct Raw {
    handle: rocblas_handle,
    /// Dropped behind the handle, which has its address.
    workspace: Option<Buffer<u8, Hip>>,
}

// SAFETY: rocBLAS's handles belong to no thread.
unsafe impl Send for Raw {}

impl Handle {
    pub fn new(session: &Session, library: Arc<Rocblas>) -> Result<Handle> {
        let isa = session.device().isa()?;
        let function = library.address("rocblas_create_handle");
        kernels::check(LIBRARY, function, &isa)?;
        kernels::check_tensile(LIBRARY, function, &isa)?;
        same_library::check_hip(LIBRARY, function, session)?;
        // The current device, which the handle is for.
        let hip = session.raw_hip()?;
        let mut handle = null_mut();
        // SAFETY: writes one handle.
        let status = unsafe { library.rocblas_create_handle(&mut handle) };
        check(LIBRARY, "rocblas_create_handle", status)?;
        // From here on `drop` destroys it.
        let this = Handle { session: session.clone(), library, raw: Mutex::new(Raw { handle, workspace: None }) };
        // SAFETY: the handle is new; the stream is the session's, which the handle keeps.
        let status = unsafe { this.library.rocblas_set_stream(handle, hip.stream()) };
        check(LIBRARY, "rocblas_set_stream", status)?;
        Ok(this)
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    pub fn library(&self) -> &Arc<Rocblas> {
        &self.library
    }

    /// Makes a call with the handle, of which no other thread makes one meanwhile. `mode` says where its scalars are.
    pub fn call(
        &self,
        hip: &RawHip<'_>,
        (library, name): (&'static str, &'static str),
        mode: rocblas_pointer_mode,
        call: impl FnOnce(rocblas_handle) -> Result<rocblas_status, LoadError>,
    ) -> Result<()> {
        let raw = self.raw.lock();
        // SAFETY: the handle is alive, and this thread's as long as it is locked.
        check(LIBRARY, "rocblas_set_pointer_mode", unsafe { self.library.rocblas_set_pointer_mode(raw.handle, mode) })?;
        check(library, name, hip.timed(name, || call(raw.handle))?)
    }

    /// Gives the handle memory for what calls need beside their operands.
    pub fn set_workspace(&self, mut workspace: Buffer<u8, Hip>) -> Result<()> {
        let hip = self.session.raw_hip()?;
        let (pointer, len) = (hip.pointer_mut(&mut workspace)?, workspace.len());
        let mut raw = self.raw.lock();
        // SAFETY: the buffer outlives the handle, or its use by it: what was given before is dropped behind this call,
        // and a drop waits for the stream.
        let status = unsafe { self.library.rocblas_set_workspace(raw.handle, pointer.cast(), len) };
        check(LIBRARY, "rocblas_set_workspace", status)?;
        raw.workspace = Some(workspace);
        Ok(())
    }

    pub fn lock(&self) -> MutexGuard<'_, Raw> {
        self.raw.lock()
    }
}

impl Raw {
    pub fn handle(&self) -> rocblas_handle {
        self.handle
    }
}

/// An error for what is no success.
pub(crate) fn check(
    library: &'static str,
    call: &'static str,
    status: Result<rocblas_status, LoadError>,
) -> Result<()> {
    match status.map_err(Error::load)? {
        rocblas_status::rocblas_status_success
        | rocblas_status::rocblas_status_size_unchanged
        | rocblas_status::rocblas_status_size_increased
        | rocblas_status::rocblas_status_continue => Ok(()),
        rocblas_status::rocblas_status_perf_degraded => {
            tracing::warn!("{library}: {call} has less memory than it could use, and computed slower");
            Ok(())
        }
        status => Err(Error::Call { library, call, code: Code::new(status.0, status.name()) }),
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let raw = self.raw.get_mut();
        // rocBLAS waits for the stream without a limit, so the session waits first, with its own.
        let ended = match self.session.synchronize() {
            Err(error) if !error.is_of_work_that_ended() => Err(Error::from(error)),
            // SAFETY: nobody has the handle any more, and no work uses its memory.
            _ => check(LIBRARY, "rocblas_destroy_handle", unsafe { self.library.rocblas_destroy_handle(raw.handle) }),
        };
        if let Err(error) = ended {
            tracing::error!("a handle of rocBLAS may still be in use and is leaked: {error}");
            std::mem::forget(raw.workspace.take());
        }
    }
}
