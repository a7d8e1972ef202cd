//! A missing RCCL is an error that names it; the macros of the header have the same values.
use rccl_sys::*;

#[test]
fn a_missing_library_is_a_value() {
    // SAFETY: there is no such file.
    let error = unsafe { Rccl::open("/nonexistent/librccl.so.1") }.unwrap_err();
    assert!(error.to_string().contains("/nonexistent/librccl.so.1"), "{error}");
    assert!(error.to_string().contains("librccl1"), "{error}");
}

#[test]
fn a_missing_function_is_a_value_that_names_its_versions() {
    // SAFETY: nothing is resolved, so nothing is called.
    let rccl = unsafe { Rccl::from_resolver("a RCCL without functions", |_| None) };
    // SAFETY: it is not there to be called.
    let error = unsafe { rccl.ncclMemFree(std::ptr::null_mut()) }.unwrap_err();
    let LoadError::FunctionMissing { function, library } = &error else { panic!("{error}") };
    assert_eq!((function.name, function.since, function.until), ("ncclMemFree", "7.2", "7.2"));
    assert_eq!(library, "a RCCL without functions");
    let multi = Rccl::FUNCTIONS.iter().find(|function| function.name == "ncclCommInitRankMulti").unwrap();
    assert_eq!((multi.since, multi.until), ("5.4", "5.4"));
}

#[test]
fn this_machines_rccl_says_its_version() {
    let rccl = match Rccl::load() {
        Ok(rccl) => rccl,
        Err(LoadError::LibraryNotFound { .. }) => test_skip::skip!("RCCL is not installed (librccl1)"),
        Err(error) => panic!("{error}"),
    };
    let mut version = 0;
    // SAFETY: the pointer is valid for one c_int.
    let result = unsafe { rccl.ncclGetVersion(&mut version) }.unwrap();
    assert_eq!(result, ncclResult_t::ncclSuccess);
    assert!(version > 21000, "{version}");
}

#[test]
fn an_id_is_passed_by_value_as_c_does() {
    assert_eq!(size_of::<ncclUniqueId>(), NCCL_UNIQUE_ID_BYTES as usize);
    assert_eq!(ncclUniqueId::default().internal, [0; 128]);
}

#[test]
fn numbers_that_newer_versions_gave_away_have_the_newer_names() {
    assert_eq!(ncclResult_t(7).name(), Some("ncclInProgress"));
    assert_eq!(ncclResult_t(8).name(), Some("ncclNumResults"));
    assert_eq!(ncclDataType_t(10).name(), Some("ncclFloat8e4m3"));
}
