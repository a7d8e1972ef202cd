//! The same calls on libraries that behave as HIP 5 and as HIP 6 do.
use hip_sys::compat::{CallError, memory_type_from_library, memory_type_to_library};
use hip_sys::*;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

unsafe extern "C" fn version_5(version: *mut c_int) -> hipError_t {
    // SAFETY: the test passes a valid pointer.
    unsafe { *version = 50_731_921 };
    hipError_t::hipSuccess
}
unsafe extern "C" fn version_6(version: *mut c_int) -> hipError_t {
    // SAFETY: as above.
    unsafe { *version = 60_443_484 };
    hipError_t::hipSuccess
}
unsafe extern "C" fn properties_5(properties: *mut hipDeviceProp_tR0000, device: c_int) -> hipError_t {
    if device != 0 {
        return hipError_t::hipErrorInvalidDevice;
    }
    // SAFETY: as above.
    let properties = unsafe { &mut *properties };
    properties.multiProcessorCount = 120;
    properties.totalGlobalMem = 32 << 30;
    properties.pciBusID = 3;
    properties.isLargeBar = 1;
    hipError_t::hipSuccess
}
unsafe extern "C" fn properties_6(properties: *mut hipDeviceProp_tR0600, _device: c_int) -> hipError_t {
    // SAFETY: as above.
    let properties = unsafe { &mut *properties };
    properties.multiProcessorCount = 104;
    properties.asyncEngineCount = 2;
    hipError_t::hipSuccess
}
/// A device pointer, by HIP 5's number and by HIP 6's.
unsafe extern "C" fn attributes_5(attributes: *mut hipPointerAttribute_t, _pointer: *const c_void) -> hipError_t {
    // SAFETY: as above.
    unsafe { (*attributes).type_ = hipMemoryType(1) };
    hipError_t::hipSuccess
}
unsafe extern "C" fn attributes_6(attributes: *mut hipPointerAttribute_t, _pointer: *const c_void) -> hipError_t {
    // SAFETY: as above.
    unsafe { (*attributes).type_ = hipMemoryType(2) };
    hipError_t::hipSuccess
}
/// Succeeds if the struct is HIP 5's, with the values of the test.
unsafe extern "C" fn memcpy_3d_5(copy: *const HIP_MEMCPY3D_HIP5) -> hipError_t {
    // SAFETY: as above.
    let copy = unsafe { &*copy };
    let sizes = [copy.srcXInBytes, copy.dstPitch, copy.WidthInBytes, copy.Depth];
    if sizes == [1, 2, 3, 4] && copy.srcMemoryType.0 == 0 && copy.dstMemoryType.0 == 1 {
        hipError_t::hipSuccess
    } else {
        hipError_t::hipErrorInvalidValue
    }
}

fn hip(functions: &'static [(&'static str, usize)]) -> Hip {
    let resolve = |name: &str| {
        let (_, address) = functions.iter().find(|(known, _)| *known == name)?;
        NonNull::new(*address as *mut c_void)
    };
    // SAFETY: the functions have the types that the two versions give them.
    unsafe { Hip::from_resolver("a library of the test's own", resolve) }
}

fn hip_5() -> Hip {
    hip(Box::leak(Box::new([
        ("hipRuntimeGetVersion", version_5 as *const () as usize),
        ("hipGetDeviceProperties", properties_5 as *const () as usize),
        ("hipPointerGetAttributes", attributes_5 as *const () as usize),
        ("hipDrvMemcpy3D", memcpy_3d_5 as *const () as usize),
    ])))
}

fn hip_6() -> Hip {
    hip(Box::leak(Box::new([
        ("hipRuntimeGetVersion", version_6 as *const () as usize),
        // HIP 6 has the old function too; it must not be the one that is called.
        ("hipGetDeviceProperties", properties_5 as *const () as usize),
        ("hipGetDevicePropertiesR0600", properties_6 as *const () as usize),
        ("hipPointerGetAttributes", attributes_6 as *const () as usize),
    ])))
}

#[test]
fn properties_have_one_form() {
    let old = hip_5().device_properties(0).unwrap();
    assert_eq!((old.multiProcessorCount, old.totalGlobalMem, old.pciBusID, old.isLargeBar), (120, 32 << 30, 3, 1));
    assert_eq!(old.asyncEngineCount, 0);
    let new = hip_6().device_properties(0).unwrap();
    assert_eq!((new.multiProcessorCount, new.asyncEngineCount), (104, 2));
}

#[test]
fn an_error_names_the_function_and_the_code() {
    let error = hip_5().device_properties(7).unwrap_err();
    assert!(matches!(error, CallError::Hip { error: hipError_t::hipErrorInvalidDevice, .. }), "{error:?}");
    assert_eq!(error.to_string(), "hipGetDeviceProperties returned hipErrorInvalidDevice (101)");
}

#[test]
fn memory_types_have_one_numbering() {
    use hipMemoryType as T;
    for hip in [hip_5(), hip_6()] {
        assert_eq!(hip.pointer_attributes(std::ptr::null()).unwrap().type_, T::hipMemoryTypeDevice);
    }
    for known in [
        T::hipMemoryTypeHost,
        T::hipMemoryTypeDevice,
        T::hipMemoryTypeArray,
        T::hipMemoryTypeUnified,
        T::hipMemoryTypeManaged,
    ] {
        for major in [5, 6, 7] {
            let there = memory_type_to_library(known, major).unwrap();
            assert_eq!(memory_type_from_library(there, major), Some(known));
        }
    }
    assert_eq!(memory_type_to_library(T::hipMemoryTypeManaged, 5), Some(hipMemoryType(4)));
    assert_eq!(memory_type_to_library(T::hipMemoryTypeUnregistered, 5), None);
    assert_eq!(memory_type_from_library(hipMemoryType(9), 5), None);
}

#[test]
fn copies_are_laid_out_as_the_library_reads_them() {
    let mut copy = HIP_MEMCPY3D {
        srcXInBytes: 1,
        dstPitch: 2,
        WidthInBytes: 3,
        Depth: 4,
        srcMemoryType: hipMemoryType::hipMemoryTypeHost,
        dstMemoryType: hipMemoryType::hipMemoryTypeDevice,
        ..Default::default()
    };
    // SAFETY: the function only looks at the struct.
    unsafe { hip_5().drv_memcpy_3d(&copy) }.unwrap();
    copy.dstPitch = 1 << 32;
    // SAFETY: as above.
    let error = unsafe { hip_5().drv_memcpy_3d(&copy) }.unwrap_err();
    assert_eq!(error.to_string(), "hipDrvMemcpy3D: dstPitch 4294967296 cannot be expressed to HIP 5");
}

#[test]
fn a_value_that_no_header_knows_is_a_number() {
    assert_eq!(format!("{:?}", hipError_t(123_456)), "hipError_t(123456)");
    assert_eq!(format!("{:?}", hipError_t::hipErrorNoDevice), "hipErrorNoDevice");
    assert_eq!(hipError_t(123_456).name(), None);
}
