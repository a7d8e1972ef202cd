//! rocFFT: Fourier transforms of one to three dimensions.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::Arc;

use parking_lot::Mutex;
use rocfft_sys::{
    LoadError, Rocfft, rocfft_execution_info, rocfft_plan, rocfft_precision, rocfft_result_placement, rocfft_status,
    rocfft_transform_type,
};
use rocm_interop::hip::RawHip;
use rocm_interop::sys::Pod;
use rocm_interop::{Buffer, Hip, Session};

use crate::element::{Kind, Sealed};
use crate::error::Code;
use crate::operand::result;
use crate::shape::{self, Transforms};
use crate::{Element, ElementsMut, Error, Real, Result, kernels, same_library};

/// rocFFT for a session: makes plans.
///
/// Elements are one after another: those of the first length are neighbours, and the transforms of a batch follow each
/// other. The inverse of a forward transform has its input times the product of the lengths: nothing is scaled.
///
/// ```no_run
/// use rocm_interop::{Buffer, Hip, Session};
/// use rocm_math::Fft;
///
/// /// The spectra of 16 signals of 1024 samples each: 513 numbers each.
/// fn spectra(
///     session: &Session,
///     signals: &mut Buffer<f32, Hip>,
///     spectra: &mut Buffer<[f32; 2], Hip>,
/// ) -> rocm_math::Result<()> {
///     let plan = Fft::new(session)?.real_forward::<f32>(&[1024], 16)?; // once
///     plan.run(signals, spectra)
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Fft {
    session: Session,
    library: Arc<Rocfft>,
}

/// The sign of a complex transform's exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// A minus: from signals to spectra.
    Forward,
    /// A plus: back.
    Inverse,
}

impl Direction {
    fn complex(self) -> rocfft_transform_type {
        match self {
            Direction::Forward => rocfft_transform_type::rocfft_transform_type_complex_forward,
            Direction::Inverse => rocfft_transform_type::rocfft_transform_type_complex_inverse,
        }
    }

    fn real(self) -> rocfft_transform_type {
        match self {
            Direction::Forward => rocfft_transform_type::rocfft_transform_type_real_forward,
            Direction::Inverse => rocfft_transform_type::rocfft_transform_type_real_inverse,
        }
    }
}

const LIBRARY: &str = "rocFFT";

impl Fft {
    /// Loads rocFFT.
    ///
    /// # Errors
    /// [`Error::Load`] if there is no rocFFT, which says what was tried and what to install. [`Error::NoKernels`] if it
    /// has none for the session's GPU. [`Error::OtherCopy`] if it works with another HIP than the session.
    /// [`Error::Call`], [`Error::Session`].
    pub fn new(session: &Session) -> Result<Fft> {
        Fft::of_library(session, Arc::new(Rocfft::load().map_err(Error::load)?))
    }

    /// The same of a library that was loaded before.
    ///
    /// # Errors
    /// As of [`new`](Fft::new).
    pub fn of_library(session: &Session, library: Arc<Rocfft>) -> Result<Fft> {
        /// Libraries that are set up, by the address of their function for it. Each is set up once in a process, by
        /// one thread, and not cleaned up: plans may live until the end.
        static SET_UP: Mutex<Vec<usize>> = Mutex::new(Vec::new());
        let function = library.address("rocfft_setup");
        kernels::check(LIBRARY, function, &session.device().isa()?)?;
        same_library::check_hip(LIBRARY, function, session)?;
        session.raw_hip()?;
        let (address, mut set_up) = (function.map_or(0, |function| function.addr().get()), SET_UP.lock());
        if !set_up.contains(&address) {
            // SAFETY: no arguments; no other thread sets it up meanwhile.
            check("rocfft_setup", unsafe { library.rocfft_setup() })?;
            set_up.push(address);
        }
        drop(set_up);
        Ok(Fft { session: session.clone(), library })
    }

    /// The session that plans are made for.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The library, for functions that have no method here.
    pub fn library(&self) -> &Rocfft {
        &self.library
    }

    /// `count` transforms of complex numbers, from one buffer to another.
    ///
    /// # Errors
    /// [`Error::Argument`] if there are no or more than three lengths, one of them or `count` is 0, or there are more
    /// elements than
    /// `i32::MAX / 2`, as kernels compute offsets of real numbers in 32 bits. [`Error::Session`] if there is no memory,
    /// [`Error::Call`], [`Error::Load`].
    pub fn complex<R: Real>(
        &self,
        direction: Direction,
        lengths: &[usize],
        count: usize,
    ) -> Result<FftPlan<R::Complex, R::Complex>> {
        let Transforms { whole, .. } = transforms(lengths, count)?;
        let plan = self.plan::<R>(false, direction.complex(), lengths, count)?;
        Ok(FftPlan { plan, from: whole, to: whole, marker: PhantomData })
    }

    /// `count` transforms of complex numbers, in place.
    ///
    /// # Errors
    /// As of [`complex`](Fft::complex).
    pub fn complex_in_place<R: Real>(
        &self,
        direction: Direction,
        lengths: &[usize],
        count: usize,
    ) -> Result<FftInPlace<R::Complex>> {
        let Transforms { whole, .. } = transforms(lengths, count)?;
        let plan = self.plan::<R>(true, direction.complex(), lengths, count)?;
        Ok(FftInPlace { plan, len: whole, marker: PhantomData })
    }

    /// `count` transforms of real numbers to their spectra: of the first length n, a spectrum has the n / 2 + 1 numbers
    /// that are not the mirror image of others.
    ///
    /// # Errors
    /// As of [`complex`](Fft::complex).
    pub fn real_forward<R: Real>(&self, lengths: &[usize], count: usize) -> Result<FftPlan<R, R::Complex>> {
        let Transforms { whole, spectrum } = transforms(lengths, count)?;
        let plan = self.plan::<R>(false, Direction::Forward.real(), lengths, count)?;
        Ok(FftPlan { plan, from: whole, to: spectrum, marker: PhantomData })
    }

    /// `count` transforms of spectra, as of [`real_forward`](Fft::real_forward), to real numbers of these lengths.
    ///
    /// # Errors
    /// As of [`complex`](Fft::complex).
    pub fn real_inverse<R: Real>(&self, lengths: &[usize], count: usize) -> Result<FftPlan<R::Complex, R>> {
        let Transforms { whole, spectrum } = transforms(lengths, count)?;
        let plan = self.plan::<R>(false, Direction::Inverse.real(), lengths, count)?;
        Ok(FftPlan { plan, from: spectrum, to: whole, marker: PhantomData })
    }

    /// `count` transforms between real numbers and their spectra, in place. The elements are those of the spectra. A
    /// row of n real numbers is in the n / 2 + 1 complex ones of its spectrum, from their start, and the rest is not
    /// used.
    ///
    /// # Errors
    /// As of [`complex`](Fft::complex).
    pub fn real_in_place<R: Real>(
        &self,
        direction: Direction,
        lengths: &[usize],
        count: usize,
    ) -> Result<FftInPlace<R::Complex>> {
        let Transforms { spectrum, .. } = transforms(lengths, count)?;
        let plan = self.plan::<R>(true, direction.real(), lengths, count)?;
        Ok(FftInPlace { plan, len: spectrum, marker: PhantomData })
    }

    fn plan<R: Real>(
        &self,
        in_place: bool,
        kind: rocfft_transform_type,
        lengths: &[usize],
        count: usize,
    ) -> Result<Plan> {
        let placement = if in_place {
            rocfft_result_placement::rocfft_placement_inplace
        } else {
            rocfft_result_placement::rocfft_placement_notinplace
        };
        let precision = match <R as Sealed>::KIND {
            Kind::F32 | Kind::Complex32 => rocfft_precision::rocfft_precision_single,
            Kind::F64 | Kind::Complex64 => rocfft_precision::rocfft_precision_double,
        };
        // The plan is for the current device.
        let hip = self.session.raw_hip()?;
        let library = &self.library;
        let mut raw = Raw { plan: null_mut(), info: null_mut(), work: None };
        let (mut bytes, dimensions) = (0, lengths.len());
        // SAFETY: writes one plan; the lengths are as many as said; without a description, elements are one after
        // another.
        check("rocfft_plan_create", unsafe {
            let lengths = lengths.as_ptr();
            library.rocfft_plan_create(
                &mut raw.plan,
                placement,
                kind,
                precision,
                dimensions,
                lengths,
                count,
                null_mut(),
            )
        })?;
        // From here on `drop` gives back what there is.
        let mut plan = Plan { fft: self.clone(), raw: Mutex::new(raw) };
        let raw = plan.raw.get_mut();
        // SAFETY: the plan and the information are new; each output has the type that the function writes.
        unsafe {
            check("rocfft_plan_get_work_buffer_size", library.rocfft_plan_get_work_buffer_size(raw.plan, &mut bytes))?;
            check("rocfft_execution_info_create", library.rocfft_execution_info_create(&mut raw.info))?;
            let stream = hip.stream().cast();
            check("rocfft_execution_info_set_stream", library.rocfft_execution_info_set_stream(raw.info, stream))?;
        }
        if bytes != 0 {
            let mut work = self.session.allocate_hip::<u8>(bytes)?;
            let pointer = hip.pointer_mut(&mut work)?.cast();
            // SAFETY: the buffer has these bytes, and outlives the information.
            let set = unsafe { library.rocfft_execution_info_set_work_buffer(raw.info, pointer, bytes) };
            raw.work = Some(work);
            check("rocfft_execution_info_set_work_buffer", set)?;
        }
        Ok(plan)
    }
}

fn transforms(lengths: &[usize], count: usize) -> Result<Transforms> {
    shape::transforms(lengths, count).map_err(Error::argument("plan"))
}

fn check(call: &'static str, status: Result<rocfft_status, LoadError>) -> Result<()> {
    match status.map_err(Error::load)? {
        rocfft_status::rocfft_status_success => Ok(()),
        status => Err(Error::Call { library: LIBRARY, call, code: Code::new(status.0, status.name()) }),
    }
}

/// What transforms of one kind have in common.
#[derive(Debug)]
struct Plan {
    fft: Fft,
    raw: Mutex<Raw>,
}

/// Used by one thread at a time.
#[derive(Debug)]
struct Raw {
    plan: rocfft_plan,
    info: rocfft_execution_info,
    /// Dropped behind both.
    work: Option<Buffer<u8, Hip>>,
}

// SAFETY: rocFFT's plans belong to no thread.
unsafe impl Send for Raw {}

impl Plan {
    /// # Safety
    /// There are as many elements as the plan takes, and the two do not overlap. In place, `to` is null.
    unsafe fn execute<I, O>(&self, hip: &RawHip<'_>, from: *mut I, to: *mut O) -> Result<()> {
        let raw = self.raw.lock();
        let (mut from, mut to) = ([from.cast::<c_void>()], [to.cast::<c_void>()]);
        let outputs = if to[0].is_null() { null_mut() } else { to.as_mut_ptr() };
        // The work buffer may be used until the next hand-over, or the drop that waits for it.
        if let Some(work) = &raw.work {
            hip.pointer(work)?;
        }
        // SAFETY: the caller's promise; the information has the session's stream.
        let executed = hip.timed("rocfft_execute", || unsafe {
            self.fft.library.rocfft_execute(raw.plan, from.as_mut_ptr(), outputs, raw.info)
        });
        check("rocfft_execute", executed?)
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        let raw = self.raw.get_mut();
        let library = &self.fft.library;
        // The plan has memory that its kernels use.
        let ended = match self.fft.session.synchronize() {
            Err(error) if !error.is_of_work_that_ended() => Err(Error::from(error)),
            _ if raw.info.is_null() => Ok(()),
            // SAFETY: nobody has it any more, and no work uses it.
            _ => check("rocfft_execution_info_destroy", unsafe { library.rocfft_execution_info_destroy(raw.info) }),
        };
        // SAFETY: as above.
        let ended = ended.and_then(|()| check("rocfft_plan_destroy", unsafe { library.rocfft_plan_destroy(raw.plan) }));
        if let Err(error) = ended {
            tracing::error!("a plan of rocFFT may still be in use and is leaked: {error}");
            std::mem::forget(raw.work.take());
        }
    }
}

/// Transforms from elements `I` to elements `O` of another buffer, made by [`Fft`].
///
/// Threads can share it: one call at a time is made. Dropping it waits for the session's stream.
#[derive(Debug)]
pub struct FftPlan<I, O> {
    plan: Plan,
    from: usize,
    to: usize,
    marker: PhantomData<fn(I) -> O>,
}

impl<I: Element, O: Element> FftPlan<I, O> {
    /// Number of elements that it reads.
    pub fn input_len(&self) -> usize {
        self.from
    }

    /// Number of elements that it writes.
    pub fn output_len(&self) -> usize {
        self.to
    }

    /// Enqueues the transforms. rocFFT may use the input as room to compute in: its contents are undefined afterwards.
    ///
    /// # Errors
    /// [`Error::Argument`] if there are fewer elements than [`input_len`](FftPlan::input_len) or
    /// [`output_len`](FftPlan::output_len), or the two overlap. [`Error::Session`] if one is of another session.
    /// [`Error::Call`], [`Error::Load`].
    #[doc(alias = "rocfft_execute")]
    pub fn run<'i, 'o>(
        &self,
        input: impl Into<ElementsMut<'i, I>>,
        output: impl Into<ElementsMut<'o, O>>,
    ) -> Result<()> {
        let (mut input, mut output) = (input.into(), output.into());
        let hip = self.plan.fft.session.raw_hip()?;
        let from = result("input", &mut input, self.from, &hip)?;
        let to = result("output", &mut output, self.to, &hip)?;
        shape::apart(&to.span, &[&from.span]).map_err(Error::argument("transform"))?;
        // SAFETY: there are as many elements as the plan takes, and they do not overlap.
        unsafe { self.plan.execute(&hip, from.pointer, to.pointer) }
    }
}

/// Transforms of elements in place, made by [`Fft`].
///
/// Threads can share it: one call at a time is made. Dropping it waits for the session's stream.
#[derive(Debug)]
pub struct FftInPlace<T> {
    plan: Plan,
    len: usize,
    marker: PhantomData<fn(T)>,
}

impl<T: Pod> FftInPlace<T> {
    /// Number of elements that it reads and writes.
    #[allow(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Enqueues the transforms.
    ///
    /// # Errors
    /// [`Error::Argument`] if there are fewer elements than [`len`](FftInPlace::len). [`Error::Session`] if they are of
    /// another session. [`Error::Call`], [`Error::Load`].
    #[doc(alias = "rocfft_execute")]
    pub fn run<'t>(&self, elements: impl Into<ElementsMut<'t, T>>) -> Result<()> {
        let mut elements = elements.into();
        let hip = self.plan.fft.session.raw_hip()?;
        let given = result("elements", &mut elements, self.len, &hip)?;
        // SAFETY: there are as many elements as the plan takes.
        unsafe { self.plan.execute(&hip, given.pointer, null_mut::<T>()) }
    }
}
