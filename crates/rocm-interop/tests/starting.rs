//! `Libraries` made by several threads at once.
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use cl_sys::Cl;
use hip_sys::{Hip, Hiprtc};
use hsa_sys::{Hsa, hsa_status_t};
use rocm_interop::Libraries;

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

fn libraries() -> Libraries {
    let hsa = |name: &str| match name {
        "hsa_init" => NonNull::new(hsa_init as *mut c_void),
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
    Libraries::new(cl, hip, hiprtc, hsa).expect("hsa_init in one thread at a time")
}

#[test]
fn threads_start_hsa_one_after_the_other() {
    let together: Vec<Libraries> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(libraries)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!(REFERENCES.load(Ordering::SeqCst), 4);
    drop(together);
    assert_eq!(REFERENCES.load(Ordering::SeqCst), 0);
}
