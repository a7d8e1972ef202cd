//! The crates of ROCm's libraries on the libraries that the stack has: each loads, has the functions that its headers
//! declare, and answers.
//!
//! The tests run one at a time, as those of `bindings.rs` do: the libraries start HIP.
use std::collections::BTreeSet;
use std::ffi::{CStr, c_char};
use std::ptr::null_mut;

use rocblas_sys::{Function, LoadError};
use stack_tests::{Stack, exclusive, stack};

/// The library, or nothing where the stack lacks it.
fn loaded<T>(loaded: Result<T, LoadError>) -> Option<T> {
    match loaded {
        Ok(library) => Some(library),
        Err(LoadError::LibraryNotFound { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

/// Loads the stack's library, or skips the test.
macro_rules! load {
    ($table:ty, $title:literal) => {
        match loaded(<$table>::load()) {
            Some(library) => library,
            None => test_skip::skip!("this stack has no {}", $title),
        }
    };
}

/// Fails unless the library has all functions that the headers of this version declare, without `not_exported`.
macro_rules! has_declared_functions {
    ($library:expr, $table:ty, $version:expr, $not_exported:expr) => {
        if let Some(version) = $version {
            let missing = missing(<$table>::FUNCTIONS, version, |name| $library.address(name).is_some());
            let not_exported: &[&str] = $not_exported;
            assert_eq!(missing, not_exported.iter().copied().collect(), "{version}");
        }
    };
}

/// The functions that headers of this version declare and the library lacks.
fn missing(functions: &[Function], version: &str, has: impl Fn(&str) -> bool) -> BTreeSet<&'static str> {
    let numbers = |version: &str| version.split('.').map(|number| number.parse().unwrap()).collect::<Vec<u32>>();
    let version = numbers(version);
    let declared = |function: &&Function| (numbers(function.since)..=numbers(function.until)).contains(&version);
    let declared: Vec<_> = functions.iter().filter(declared).map(|function| function.name).collect();
    assert!(!declared.is_empty(), "no headers of {version:?}");
    declared.into_iter().filter(|name| !has(name)).collect()
}

/// The one of the versions in trixie, forky and experimental that this stack has.
fn version(versions: [&'static str; 3]) -> Option<&'static str> {
    match stack() {
        Stack::Trixie => Some(versions[0]),
        Stack::Forky => Some(versions[1]),
        Stack::Experimental => Some(versions[2]),
        Stack::Native | Stack::Host => None,
    }
}

/// The text that `get` writes into the buffer.
fn text(get: impl FnOnce(*mut c_char, usize)) -> String {
    let mut bytes = [0u8; 256];
    get(bytes.as_mut_ptr().cast(), bytes.len());
    CStr::from_bytes_until_nul(&bytes).expect("text ends with a zero").to_str().expect("ASCII").to_owned()
}

/// Major and minor number of a version such as `4.4.0.abcdef`.
fn numbers(text: &str) -> (u32, u32) {
    let mut numbers = text.split('.').map(|number| number.parse().expect("a number"));
    (numbers.next().expect("a major version"), numbers.next().expect("a minor version"))
}

#[test]
fn b1_rocblas_answers() {
    use rocblas_sys::{Rocblas, rocblas_handle, rocblas_operation, rocblas_status};
    let rocblas = load!(Rocblas, "rocBLAS");
    has_declared_functions!(rocblas, Rocblas, version(["5.5", "6.4", "7.2"]), &[]);
    // 5.5 takes fewer arguments.
    assert_eq!(rocblas.address("rocblas_strmm").is_some(), stack() != Stack::Trixie);
    let _alone = exclusive();
    let version = text(|buffer, length| {
        // SAFETY: the buffer has the length that is passed.
        let status = unsafe { rocblas.rocblas_get_version_string(buffer, length) }.unwrap();
        assert_eq!(status, rocblas_status::rocblas_status_success);
    });
    assert!(numbers(&version) >= (2, 40), "{version}");
    // SAFETY: this value is one of the enum.
    let name = unsafe { rocblas.rocblas_status_to_string(rocblas_status::rocblas_status_invalid_size) }.unwrap();
    // SAFETY: the library's names are text that stays.
    assert_eq!(unsafe { CStr::from_ptr(name) }, c"rocblas_status_invalid_size");
    let mut handle: rocblas_handle = null_mut();
    // SAFETY: one handle is written, used by this thread only, and destroyed; a product of no rows touches no matrix.
    unsafe {
        assert_eq!(rocblas.rocblas_create_handle(&mut handle).unwrap(), rocblas_status::rocblas_status_success);
        let (none, one) = (rocblas_operation::rocblas_operation_none, 1.0);
        let (a, b, c) = (std::ptr::null(), std::ptr::null(), null_mut());
        let status = rocblas.rocblas_sgemm(handle, none, none, -1, 1, 1, &one, a, 1, b, 1, &one, c, 1).unwrap();
        assert_eq!(status, rocblas_status::rocblas_status_invalid_size);
        assert_eq!(rocblas.rocblas_destroy_handle(handle).unwrap(), rocblas_status::rocblas_status_success);
    }
}

#[test]
fn b1_rocsolver_answers() {
    use rocsolver_sys::{Rocsolver, rocblas_status};
    let rocsolver = load!(Rocsolver, "rocSOLVER");
    has_declared_functions!(rocsolver, Rocsolver, version(["5.5", "6.4", "7.2"]), &[]);
    let _alone = exclusive();
    let version = text(|buffer, length| {
        // SAFETY: the buffer has the length that is passed.
        let status = unsafe { rocsolver.rocsolver_get_version_string(buffer, length) }.unwrap();
        assert_eq!(status, rocblas_status::rocblas_status_success);
    });
    assert!(numbers(&version) >= (3, 20), "{version}");
    // SAFETY: without a handle nothing is looked at.
    let status = unsafe {
        rocsolver.rocsolver_spotrf(
            null_mut(),
            rocsolver_sys::rocblas_fill::rocblas_fill_lower,
            1,
            null_mut(),
            1,
            null_mut(),
        )
    };
    assert_eq!(status.unwrap(), rocblas_status::rocblas_status_invalid_handle);
}

#[test]
fn b1_rocfft_answers() {
    use rocfft_sys::{Rocfft, rocfft_status};
    let rocfft = load!(Rocfft, "rocFFT");
    has_declared_functions!(rocfft, Rocfft, version(["6.1", "6.4", "7.2"]), &[]);
    let _alone = exclusive();
    let version = text(|buffer, length| {
        // SAFETY: the buffer has the length that is passed.
        let status = unsafe { rocfft.rocfft_get_version_string(buffer, length) }.unwrap();
        assert_eq!(status, rocfft_status::rocfft_status_success);
    });
    assert!(numbers(&version) >= (1, 0), "{version}");
    // SAFETY: it is set up once, and a missing description is refused.
    unsafe {
        assert_eq!(rocfft.rocfft_setup().unwrap(), rocfft_status::rocfft_status_success);
        let refused = rocfft.rocfft_plan_description_destroy(null_mut()).unwrap();
        assert_eq!(refused, rocfft_status::rocfft_status_success, "destroying nothing is no error");
        assert_eq!(rocfft.rocfft_cleanup().unwrap(), rocfft_status::rocfft_status_success);
    }
}

#[test]
fn b1_rocrand_answers() {
    use rocrand_sys::{Rocrand, rocrand_generator, rocrand_rng_type, rocrand_status};
    let rocrand = load!(Rocrand, "rocRAND");
    has_declared_functions!(rocrand, Rocrand, version(["5.7", "6.4", "7.2"]), &[]);
    let _alone = exclusive();
    let mut version = 0;
    let mut generator: rocrand_generator = null_mut();
    // SAFETY: each pointer is valid for one value; the generator is destroyed once.
    unsafe {
        assert_eq!(rocrand.rocrand_get_version(&mut version).unwrap(), rocrand_status::ROCRAND_STATUS_SUCCESS);
        let kind = rocrand_rng_type::ROCRAND_RNG_PSEUDO_PHILOX4_32_10;
        let status = rocrand.rocrand_create_generator(&mut generator, kind).unwrap();
        assert_eq!(status, rocrand_status::ROCRAND_STATUS_SUCCESS);
        let status = rocrand.rocrand_destroy_generator(generator).unwrap();
        assert_eq!(status, rocrand_status::ROCRAND_STATUS_SUCCESS);
    }
    assert!(version >= 200_000, "{version}");
}

#[test]
fn b1_rocsparse_answers() {
    use rocsparse_sys::{Rocsparse, rocsparse_handle, rocsparse_status};
    let rocsparse = load!(Rocsparse, "rocSPARSE");
    has_declared_functions!(rocsparse, Rocsparse, version(["5.7", "6.4", "7.2"]), &[]);
    let _alone = exclusive();
    let mut version = 0;
    let mut handle: rocsparse_handle = null_mut();
    // SAFETY: each pointer is valid for one value; the handle is destroyed once.
    unsafe {
        assert_eq!(rocsparse.rocsparse_create_handle(&mut handle).unwrap(), rocsparse_status::rocsparse_status_success);
        let status = rocsparse.rocsparse_get_version(handle, &mut version).unwrap();
        assert_eq!(status, rocsparse_status::rocsparse_status_success);
        assert_eq!(rocsparse.rocsparse_destroy_handle(handle).unwrap(), rocsparse_status::rocsparse_status_success);
    }
    assert!(version >= 200_000, "{version}");
}

#[test]
fn b1_hipfft_answers() {
    use hipfft_sys::{Hipfft, hipfftResult_t};
    let hipfft = load!(Hipfft, "hipFFT");
    has_declared_functions!(hipfft, Hipfft, version(["6.1", "6.4", "7.2"]), &[]);
    let _alone = exclusive();
    let mut version = 0;
    let mut plan = null_mut();
    // SAFETY: each pointer is valid for one value; the plan is destroyed once.
    unsafe {
        assert_eq!(hipfft.hipfftGetVersion(&mut version).unwrap(), hipfftResult_t::HIPFFT_SUCCESS);
        assert_eq!(hipfft.hipfftCreate(&mut plan).unwrap(), hipfftResult_t::HIPFFT_SUCCESS);
        assert_eq!(hipfft.hipfftDestroy(plan).unwrap(), hipfftResult_t::HIPFFT_SUCCESS);
    }
    assert!(version >= 10_000, "{version}");
}

#[test]
fn b1_hipblas_answers() {
    use hipblas_sys::{Hipblas, hipblasHandle_t, hipblasStatus_t};
    let hipblas = load!(Hipblas, "hipBLAS");
    has_declared_functions!(hipblas, Hipblas, version(["5.5", "6.4", "7.2"]), &[]);
    let _alone = exclusive();
    let mut handle: hipblasHandle_t = null_mut();
    // SAFETY: each pointer is valid for one value; the handle is destroyed once; the name is text that stays.
    unsafe {
        let name = hipblas.hipblasStatusToString(hipblasStatus_t::HIPBLAS_STATUS_INVALID_VALUE).unwrap();
        assert_eq!(CStr::from_ptr(name), c"HIPBLAS_STATUS_INVALID_VALUE");
        assert_eq!(hipblas.hipblasCreate(&mut handle).unwrap(), hipblasStatus_t::HIPBLAS_STATUS_SUCCESS);
        assert_eq!(hipblas.hipblasDestroy(handle).unwrap(), hipblasStatus_t::HIPBLAS_STATUS_SUCCESS);
    }
}

#[test]
fn b1_hipblaslt_answers() {
    use hipblaslt_sys::{Hipblaslt, hipblasLtHandle_t, hipblasStatus_t};
    let hipblaslt = load!(Hipblaslt, "hipBLASLt");
    has_declared_functions!(hipblaslt, Hipblaslt, version(["7.1", "7.1", "7.2"]), &[]);
    let _alone = exclusive();
    let mut version = 0;
    let mut handle: hipblasLtHandle_t = null_mut();
    // SAFETY: each pointer is valid for one value; the handle is destroyed once.
    unsafe {
        assert_eq!(hipblaslt.hipblasLtCreate(&mut handle).unwrap(), hipblasStatus_t::HIPBLAS_STATUS_SUCCESS);
        let status = hipblaslt.hipblasLtGetVersion(handle, &mut version).unwrap();
        assert_eq!(status, hipblasStatus_t::HIPBLAS_STATUS_SUCCESS);
        assert_eq!(hipblaslt.hipblasLtDestroy(handle).unwrap(), hipblasStatus_t::HIPBLAS_STATUS_SUCCESS);
    }
    assert!(version >= 1000, "{version}");
}

#[test]
fn b1_miopen_answers() {
    use miopen_sys::{Miopen, miopenStatus_t};
    let miopen = load!(Miopen, "MIOpen");
    has_declared_functions!(miopen, Miopen, version(["6.4", "6.4", "7.2"]), &[]);
    let _alone = exclusive();
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: each pointer is valid for one value.
    let status = unsafe { miopen.miopenGetVersion(&mut major, &mut minor, &mut patch) }.unwrap();
    assert_eq!(status, miopenStatus_t::miopenStatusSuccess);
    assert!((major, minor) >= (3, 0), "{major}.{minor}.{patch}");
}

#[test]
fn b1_amd_smi_answers() {
    use amd_smi_sys::{AmdSmi, amdsmi_status_t, amdsmi_version_t};
    let smi = load!(AmdSmi, "AMD SMI");
    // 6.1 declares a function that Debian's build does not have.
    let not_exported: &[_] = if stack() == Stack::Trixie { &["amdsmi_get_cpusocket_handles"] } else { &[] };
    has_declared_functions!(smi, AmdSmi, version(["6.1", "10.1", "10.1"]), not_exported);
    let _alone = exclusive();
    let mut version = amdsmi_version_t::default();
    // SAFETY: the pointer is valid for one value.
    match unsafe { smi.amdsmi_get_lib_version(&mut version) } {
        Ok(status) => {
            assert_eq!(status, amdsmi_status_t::AMDSMI_STATUS_SUCCESS);
            assert!(version.major >= 24, "{}", version.major);
        }
        // 6.1 writes another struct.
        Err(LoadError::FunctionMissing { function, .. }) => {
            assert_eq!(stack(), Stack::Trixie);
            assert_eq!((function.since, function.changed), ("10.1", true));
        }
        Err(error) => panic!("{error}"),
    }
}
