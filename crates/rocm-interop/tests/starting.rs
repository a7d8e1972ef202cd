//! `Libraries` made by several threads at once.
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use cl_sys::Cl;
use hip_sys::{Hip, Hiprtc};
use hsa_sys::{Hsa, hsa_status_t};
use rocm_interop::{Error, Libraries};

static INSIDE: AtomicBool = AtomicBool::new(false);
static REFERENCES: AtomicU32 = AtomicU32::new(0);

/// Fails, as ROCr 6.4 may, if another thread is in it; stays long enough to be met there.
unsafe extern "C" fn hsa_init() -> hsa_status_t {
    if INSIDE.swap(true, Ordering::SeqCst) {
        return hsa_status_t::HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    thread::sleep(Duration::from_millis(20));
    REFERENCES.fetch_add(1, Ordering::SeqCst);
    INSIDE.store(false, Ordering::SeqCst);
    hsa_status_t::HSA_STATUS_SUCCESS
}

unsafe extern "C" fn hsa_shut_down() -> hsa_status_t {
    REFERENCES.fetch_sub(1, Ordering::SeqCst);
    hsa_status_t::HSA_STATUS_SUCCESS
}

/// What ROCr says if it cannot open the driver, and else too.
unsafe extern "C" fn refused_init() -> hsa_status_t {
    hsa_status_t::HSA_STATUS_ERROR_OUT_OF_RESOURCES
}

type Init = unsafe extern "C" fn() -> hsa_status_t;

fn libraries(init: Init) -> Result<Libraries, Error> {
    let hsa = move |name: &str| match name {
        "hsa_init" => NonNull::new(init as *mut c_void),
        "hsa_shut_down" => NonNull::new(hsa_shut_down as *mut c_void),
        _ => None,
    };
    // SAFETY: both functions have the types of HSA's.
    let hsa = unsafe { Hsa::from_resolver("HSA of this test", hsa) };
    // SAFETY: they resolve nothing.
    let (cl, hip, hiprtc) = unsafe {
        (
            Cl::from_resolver("no OpenCL", |_| None),
            Hip::from_resolver("no HIP", |_| None),
            Hiprtc::from_resolver("no hiprtc", |_| None),
        )
    };
    Libraries::new(cl, hip, hiprtc, hsa)
}

#[test]
fn threads_start_hsa_one_after_the_other() {
    let together: Vec<Libraries> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| libraries(hsa_init))).collect();
        let threads = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        threads.map(|started| started.expect("hsa_init in one thread at a time")).collect()
    });
    assert_eq!(REFERENCES.load(Ordering::SeqCst), 4);
    drop(together);
    assert_eq!(REFERENCES.load(Ordering::SeqCst), 0);
}

/// By its reason, as `hsa_init` has one code for all.
#[test]
fn a_driver_that_cannot_be_opened_is_the_error() {
    let error = libraries(refused_init).expect_err("refused");
    match kfd_sys::open_kfd() {
        Ok(_) => assert!(matches!(error, Error::Call { call: "hsa_init", .. }), "{error}"),
        Err(driver) => assert_eq!(error.to_string(), format!("KFD: {driver}")),
    }
}
