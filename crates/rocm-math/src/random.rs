//! rocRAND: random numbers.

use std::ptr::null_mut;
use std::sync::Arc;

use parking_lot::Mutex;
use rocm_interop::Session;
use rocm_interop::hip::RawHip;
use rocrand_sys::{LoadError, Rocrand, rocrand_generator, rocrand_rng_type, rocrand_status};

use crate::element::{Kind, Sealed};
use crate::error::Code;
use crate::operand::result;
use crate::{ElementsMut, Error, Real, Result, kernels, same_library};

/// A generator of rocRAND on a session's stream: pseudo-random numbers of the method Philox 4x32-10.
///
/// The same seed gives the same numbers. Each call continues where the one before it ended. Threads can share the
/// value: one call at a time is made. Dropping it waits for the session's stream.
///
/// ```no_run
/// use rocm_interop::{Buffer, Hip, Session};
/// use rocm_math::Random;
///
/// fn noise(session: &Session, x: &mut Buffer<f32, Hip>) -> rocm_math::Result<()> {
///     Random::new(session, 42)?.normal(0.0, 1.0, x)
/// }
/// ```
#[derive(Debug)]
pub struct Random {
    session: Session,
    library: Arc<Rocrand>,
    generator: Mutex<Raw>,
}

/// Used by one thread at a time.
#[derive(Debug)]
struct Raw(rocrand_generator);

// SAFETY: rocRAND's generators belong to no thread.
unsafe impl Send for Raw {}

const LIBRARY: &str = "rocRAND";

impl Random {
    /// Loads rocRAND and makes a generator on the session's stream.
    ///
    /// # Errors
    /// [`Error::Load`] if there is no rocRAND, which says what was tried and what to install. [`Error::NoKernels`] if
    /// it has none for the session's GPU. [`Error::OtherCopy`] if it works with another HIP than the session.
    /// [`Error::Call`], [`Error::Session`].
    pub fn new(session: &Session, seed: u64) -> Result<Random> {
        Random::of_library(session, Arc::new(Rocrand::load().map_err(Error::load)?), seed)
    }

    /// The same of a library that was loaded before.
    ///
    /// # Errors
    /// As of [`new`](Random::new).
    pub fn of_library(session: &Session, library: Arc<Rocrand>, seed: u64) -> Result<Random> {
        let function = library.address("rocrand_create_generator");
        kernels::check(LIBRARY, function, &session.device().isa()?)?;
        same_library::check_hip(LIBRARY, function, session)?;
        // The generator is for the current device.
        let hip = session.raw_hip()?;
        let mut generator = null_mut();
        let kind = rocrand_rng_type::ROCRAND_RNG_PSEUDO_PHILOX4_32_10;
        // SAFETY: writes one generator.
        check("rocrand_create_generator", unsafe { library.rocrand_create_generator(&mut generator, kind) })?;
        // From here on `drop` destroys it.
        let this = Random { session: session.clone(), library, generator: Mutex::new(Raw(generator)) };
        // SAFETY: the generator is new; the stream is the session's, which this value keeps.
        unsafe {
            check("rocrand_set_stream", this.library.rocrand_set_stream(generator, hip.stream()))?;
            check("rocrand_set_seed", this.library.rocrand_set_seed(generator, seed))?;
        }
        Ok(this)
    }

    /// The session that the generator works for.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Fills `to` with numbers that are evenly distributed, above 0 and up to 1.
    ///
    /// # Errors
    /// [`Error::Session`] if they are of another session. [`Error::Call`], [`Error::Load`].
    #[doc(alias = "rocrand_generate_uniform")]
    pub fn uniform<'t, R: Real>(&self, to: impl Into<ElementsMut<'t, R>>) -> Result<()> {
        let mut to = to.into();
        let (hip, len) = (self.session.raw_hip()?, to.len());
        let to = result("numbers", &mut to, len, &hip)?.pointer;
        let library = &self.library;
        match <R as Sealed>::KIND {
            // SAFETY: there are `len` elements of this type.
            Kind::F32 | Kind::Complex32 => self.call(&hip, "rocrand_generate_uniform", |generator| unsafe {
                library.rocrand_generate_uniform(generator, to.cast(), len)
            }),
            // SAFETY: as above.
            Kind::F64 | Kind::Complex64 => self.call(&hip, "rocrand_generate_uniform_double", |generator| unsafe {
                library.rocrand_generate_uniform_double(generator, to.cast(), len)
            }),
        }
    }

    /// Fills `to` with numbers that are normally distributed.
    ///
    /// # Errors
    /// As of [`uniform`](Random::uniform).
    #[doc(alias = "rocrand_generate_normal")]
    pub fn normal<'t, R: Real + Into<f64>>(
        &self,
        mean: R,
        deviation: R,
        to: impl Into<ElementsMut<'t, R>>,
    ) -> Result<()> {
        let mut to = to.into();
        let (hip, len) = (self.session.raw_hip()?, to.len());
        let to = result("numbers", &mut to, len, &hip)?.pointer;
        let (mean, deviation): (f64, f64) = (mean.into(), deviation.into());
        let library = &self.library;
        match <R as Sealed>::KIND {
            // SAFETY: there are `len` elements of this type.
            Kind::F32 | Kind::Complex32 => self.call(&hip, "rocrand_generate_normal", |generator| unsafe {
                library.rocrand_generate_normal(generator, to.cast(), len, mean as f32, deviation as f32)
            }),
            // SAFETY: as above.
            Kind::F64 | Kind::Complex64 => self.call(&hip, "rocrand_generate_normal_double", |generator| unsafe {
                library.rocrand_generate_normal_double(generator, to.cast(), len, mean, deviation)
            }),
        }
    }

    /// Calls `f` with the library and the generator, which no other thread uses meanwhile, for functions that have no
    /// method here. Their calls are `unsafe`, under the conditions of [`RawHip`]. `f` must call no method of this
    /// value, which would wait for `f`, for ever.
    pub fn with_raw<R>(&self, f: impl FnOnce(&Rocrand, rocrand_generator) -> R) -> R {
        let generator = self.generator.lock();
        f(&self.library, generator.0)
    }

    fn call(
        &self,
        hip: &RawHip<'_>,
        name: &'static str,
        call: impl FnOnce(rocrand_generator) -> Result<rocrand_status, LoadError>,
    ) -> Result<()> {
        let generator = self.generator.lock();
        check(name, hip.timed(name, || call(generator.0))?)
    }
}

fn check(call: &'static str, status: Result<rocrand_status, LoadError>) -> Result<()> {
    match status.map_err(Error::load)? {
        rocrand_status::ROCRAND_STATUS_SUCCESS => Ok(()),
        status => Err(Error::Call { library: LIBRARY, call, code: Code::new(status.0, status.name()) }),
    }
}

impl Drop for Random {
    fn drop(&mut self) {
        let generator = self.generator.get_mut().0;
        let ended = match self.session.synchronize() {
            Err(error) if !error.is_of_work_that_ended() => Err(Error::from(error)),
            // SAFETY: nobody has it any more, and no work uses its memory.
            _ => check("rocrand_destroy_generator", unsafe { self.library.rocrand_destroy_generator(generator) }),
        };
        if let Err(error) = ended {
            tracing::error!("a generator of rocRAND may still be in use and is leaked: {error}");
        }
    }
}
