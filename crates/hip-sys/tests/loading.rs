//! Missing libraries and functions are errors that name them; the installed library loads, on a machine without a GPU.
use hip_sys::{Hip, LoadError, hipError_t};
use std::path::Path;

#[test]
fn a_missing_library_names_every_file_tried() {
    // SAFETY: there is no such file.
    let error = unsafe { Hip::open("/nonexistent/libamdhip64.so.9") }.unwrap_err();
    let text = error.to_string();
    let LoadError::LibraryNotFound { tried, help, .. } = error else { panic!("{text}") };
    assert_eq!(tried.len(), 1);
    assert_eq!(tried[0].0, Path::new("/nonexistent/libamdhip64.so.9"));
    assert!(help.contains("hip-runtime-amd"), "{help}");
    assert!(text.contains("/nonexistent/libamdhip64.so.9") && text.contains("No such file"), "{text}");
}

#[test]
fn a_missing_function_names_itself_and_the_versions_that_have_it() {
    // SAFETY: no function is ever given.
    let hip = unsafe { Hip::from_resolver("an empty library", |_| None) };
    // SAFETY: the call is not made.
    let error = unsafe { hip.hipMemcpyHtoD(std::ptr::null_mut(), std::ptr::null(), 0) }.unwrap_err();
    assert_eq!(
        error.to_string(),
        "an empty library has no function hipMemcpyHtoD; the headers that declare it are of versions 5.2 to 7.2: install a library of \
         such a version, or do without the function"
    );
    assert_eq!(hip.address("hipMalloc"), None);
    assert_eq!(hip.address("hipNoSuchFunction"), None);
}

#[test]
fn this_machines_hip_tells_its_version_and_that_it_has_no_device() {
    let hip = match Hip::load() {
        Ok(hip) => hip,
        Err(error) => test_skip::skip!("{error}"),
    };
    if Path::new("/dev/kfd").exists() {
        test_skip::skip!("this machine has a GPU");
    }
    let major = hip.major_version().unwrap();
    assert!((5..20).contains(&major), "{major}");
    let mut count = -1;
    // SAFETY: the pointer is valid for one c_int.
    let error = unsafe { hip.hipGetDeviceCount(&mut count) }.unwrap();
    assert_eq!((error, count), (hipError_t::hipErrorNoDevice, 0));
}
