//! M6: host memory that both APIs use.
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cl_sys::Cl;
use hip_sys::{Hip, Hiprtc, hipError_t};
use hsa_sys::{Hsa, hsa_status_t, hsa_system_info_t};
use rocm_interop::hip::HipModule;
use rocm_interop::memory::Place;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::sys::Pod;
use rocm_interop::sys::bytemuck::Zeroable;
use rocm_interop::{Buffer, Error, Libraries, OpenCl, Session};

use crate::hand_over::{Late, assert_late, hold_up};
use crate::trace::{Marker, Seen, between, traced};
use crate::{HIP, N, OPENCL, assert_same, both_sides, open_with, session};

/// Sizes of launches that mark places in the device's trace.
const MARKS: [usize; 2] = [64 * 103, 64 * 104];

/// `N` numbers in pages of the program's own.
pub struct Pages(NonNull<u32>);

const LAYOUT: Layout = match Layout::from_size_align(N * 4, 4096) {
    Ok(layout) => layout,
    Err(_) => panic!("a size"),
};

impl Pages {
    pub fn new() -> Pages {
        // SAFETY: the size is not 0.
        Pages(NonNull::new(unsafe { alloc_zeroed(LAYOUT) }.cast()).expect("memory"))
    }

    pub fn slice(&self) -> NonNull<[u32]> {
        NonNull::slice_from_raw_parts(self.0, N)
    }

    /// What is in them, while no buffer uses them.
    fn contents(&self) -> &[u32] {
        // SAFETY: allocated and filled with zeros; nobody else writes.
        unsafe { self.slice().as_ref() }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: allocated with the same layout.
        unsafe { dealloc(self.0.as_ptr().cast(), LAYOUT) };
    }
}

/// The host fills it in place, each side works on it, and the host sees the result in place.
fn in_place(session: &Session, mut buffer: Buffer<u32, OpenCl>) -> Buffer<u32, OpenCl> {
    assert_eq!((buffer.residency().place, buffer.len()), (Place::Host, N));
    let program = OpenClProgram::build(session, OPENCL, "").expect("program");
    let module = HipModule::build(session, HIP).expect("module");
    let (add, triple) = (program.kernel("add").expect("kernel"), module.kernel("triple").expect("kernel"));
    let marker = Marker::new(session);
    marker.mark(MARKS[0]);
    let elements = buffer.host_slice().expect("host memory");
    elements.iter_mut().enumerate().for_each(|(i, element)| *element = i as u32);
    // SAFETY: one work-item an element.
    unsafe { add.launch(&[N], Some(&[64]), &[(&buffer).into(), 5.into()]) }.expect("launch");
    let on_hip = buffer.into_hip().expect("hand-over");
    // SAFETY: as above.
    unsafe { triple.launch((N / 64) as u32, 64, 0, &[(&on_hip).into()]) }.expect("launch");
    let mut buffer = on_hip.into_opencl().expect("hand-over");
    let end = buffer.host_slice().expect("host memory").to_vec();
    marker.mark(MARKS[1]);
    assert_same(&end, &want());
    buffer
}

fn want() -> Vec<u32> {
    (0..N as u32).map(|i| (i + 5) * 3).collect()
}

#[test]
fn m6_fine_grained_svm_is_shared_on_the_host() {
    needs_amd_opencl!();
    let session = session();
    let buffer = in_place(&session, session.allocate_host(N).expect("allocate"));
    both_sides(&session, buffer).expect("both sides");
}

#[test]
fn m6_managed_memory_is_shared_on_the_host() {
    needs_amd_opencl!();
    let session = session();
    let buffer = session.allocate_managed(N).expect("allocate").into_opencl().expect("hand-over");
    let buffer = in_place(&session, buffer);
    both_sides(&session, buffer).expect("both sides");
}

#[test]
fn m6_pages_of_the_program_are_shared_where_they_are() {
    needs_amd_opencl!();
    let (session, pages) = (session(), Pages::new());
    // SAFETY: the pages outlive the view, and are looked at when it is closed.
    let view = || unsafe { session.view_pages(pages.slice()) }.expect("view");
    in_place(&session, view()).close().expect("close");
    assert_same(pages.contents(), &want());
    let again = view();
    both_sides(&session, again).expect("both sides");
    let want: Vec<u32> = (0..N as u32).map(|i| ((i + 5) * 3 + 1) * 3 + 2).collect();
    assert_same(pages.contents(), &want);
}

/// The tests above on a device that traces: no copy engine moves a byte, and no other kernels run than those two.
#[test]
fn m6_the_gpu_uses_host_memory_where_it_is() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    let tests = [
        "m6_fine_grained_svm_is_shared_on_the_host",
        "m6_managed_memory_is_shared_on_the_host",
        "m6_pages_of_the_program_are_shared_where_they_are",
    ];
    for test in tests {
        let (trace, _) = traced(&format!("host::{test}"), Duration::from_secs(120));
        assert_eq!(between(&trace, MARKS), Seen { copied: 0, kernels: 2 }, "{test}");
    }
}

#[test]
fn m6_what_is_not_whole_pages_of_the_program_is_refused() {
    needs_amd_opencl!();
    let (session, pages, hip) = (session(), Pages::new(), Hip::load().expect("HIP"));
    let refused = |start: *mut u32, elements: usize, words: &str| {
        let pages = NonNull::slice_from_raw_parts(NonNull::new(start).expect("a pointer"), elements);
        // SAFETY: refused before it is used.
        let error = unsafe { session.view_pages(pages) }.expect_err(words);
        assert!(
            matches!(error, Error::Argument { subject: "pages", .. }) && error.to_string().contains(words),
            "{error}"
        );
    };
    let start = pages.0.as_ptr();
    refused(start.wrapping_add(4), 1024, "are not whole pages of 4096 bytes");
    refused(start, 1023, "4092 bytes at");
    let mut pinned: *mut c_void = std::ptr::null_mut();
    // SAFETY: room for one pointer.
    assert_eq!(unsafe { hip.hipHostMalloc(&mut pinned, N * 4, 0) }.expect("hipHostMalloc"), hipError_t::hipSuccess);
    refused(pinned.cast(), N, "HSA's runtime has memory there");
    // SAFETY: allocated above.
    assert_eq!(unsafe { hip.hipHostFree(pinned) }.expect("hipHostFree"), hipError_t::hipSuccess);
    let svm = session.allocate::<u32>(N).expect("allocate");
    refused(std::ptr::with_exposed_provenance_mut(svm.address() as usize), N, "HSA's runtime has memory there");

    // SAFETY: the pages outlive the view.
    let view = unsafe { session.view_pages(pages.slice()) }.expect("view");
    refused(start, N, "HIP has them registered already");
    view.close().expect("close");
    // Not the first page.
    let second = start.wrapping_add(1024).cast::<c_void>();
    // SAFETY: a page that stays until it is unregistered.
    let registered = unsafe { hip.hipHostRegister(second, 4096, 0) }.expect("hipHostRegister");
    assert_eq!(registered, hipError_t::hipSuccess);
    refused(start, 2048, &format!("HIP has them registered already, the page at {second:p}"));
    // SAFETY: registered above.
    assert_eq!(unsafe { hip.hipHostUnregister(second) }.expect("hipHostUnregister"), hipError_t::hipSuccess);
    let mut on_gpu = session.allocate::<u32>(N).expect("allocate");
    let error = on_gpu.host_slice().expect_err("the GPU's memory").to_string();
    assert!(error.contains("is memory of GPU") && error.contains("use `read` and `write`"), "{error}");
}

/// HIP keeps an error for whoever asks next in the same thread, which is other code: a library that looks whether its
/// own launch failed.
#[test]
fn what_was_expected_is_no_error_that_hip_keeps() {
    needs_amd_opencl!();
    let (late, pages, hip) = (Late::new(), Pages::new(), Hip::load().expect("HIP"));
    // SAFETY: no preconditions.
    let kept = || unsafe { hip.hipGetLastError() }.expect("hipGetLastError");
    let on_hip = late.buffer().into_hip().expect("hand-over");
    let held = hold_up(&late.session);
    late.hip(&on_hip);
    let pending = on_hip.into_opencl_later().expect("hand-over");
    assert_eq!(kept(), hipError_t::hipSuccess);
    assert!(!pending.is_ready().expect("asked"), "the stream is held up");
    assert_eq!(kept(), hipError_t::hipSuccess, "of `is_ready`");
    drop(held);
    assert_late(&pending.wait().expect("wait"), 1);
    // SAFETY: the pages outlive the view.
    let view = unsafe { late.session.view_pages(pages.slice()) }.expect("view");
    assert_eq!(kept(), hipError_t::hipSuccess, "of `view_pages`");
    view.close().expect("close");
}

const WIDE: usize = 8 << 20;

/// An element that wants more than the APIs give. Nobody makes one.
#[derive(Clone, Copy)]
#[repr(C, align(8388608))]
struct Wide([u8; WIDE]);
// SAFETY: bytes, all of which may be 0.
unsafe impl Zeroable for Wide {}
// SAFETY: bytes without padding.
unsafe impl Pod for Wide {}

#[test]
fn elements_are_aligned_or_refused() {
    needs_amd_opencl!();
    let session = session();
    let (mut taken, mut between, mut refused) = (Vec::new(), Vec::new(), 0);
    for _ in 0..8 {
        // So that what comes next begins elsewhere.
        between.push(session.allocate_host::<u8>(3 << 20).expect("allocate"));
        match session.allocate_host::<Wide>(1) {
            Ok(buffer) => taken.push(buffer),
            Err(error) => {
                let aligned = format!("but elements of this type are aligned to {WIDE} bytes");
                assert!(matches!(error, Error::Argument { subject: "memory", .. }), "{error}");
                assert!(error.to_string().ends_with(&aligned), "{error}");
                refused += 1;
            }
        }
    }
    for buffer in &mut taken {
        assert!(buffer.host_slice().expect("host memory").as_ptr().is_aligned());
    }
    assert!(refused > 0, "all of {} were aligned by chance", taken.len());
}

fn real_hsa() -> &'static Hsa {
    static REAL: OnceLock<Hsa> = OnceLock::new();
    REAL.get_or_init(|| Hsa::load().expect("HSA"))
}

/// `hsa_system_get_info` as on a machine with XNACK.
unsafe extern "C" fn with_xnack(attribute: hsa_system_info_t, value: *mut c_void) -> hsa_status_t {
    // SAFETY: the caller's arguments, passed on.
    let code = unsafe { real_hsa().hsa_system_get_info(attribute, value) }.expect("HSA");
    if attribute == hsa_system_info_t::HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT {
        // SAFETY: the attribute is a bool.
        unsafe { *value.cast::<bool>() = true };
    }
    code
}

#[test]
fn m6_managed_memory_that_moves_is_refused() {
    needs_amd_opencl!();
    let (cl, hip, rtc) = (Cl::load().expect("OpenCL"), Hip::load().expect("HIP"), Hiprtc::load().expect("hiprtc"));
    // SAFETY: the library's own functions, and one of the same type.
    let hsa = unsafe {
        Hsa::from_resolver("HSA", |name| match name {
            "hsa_system_get_info" => NonNull::new(with_xnack as *mut c_void),
            _ => real_hsa().address(name),
        })
    };
    let session = open_with(Arc::new(Libraries::new(cl, hip, rtc, hsa).expect("libraries"))).expect("session");
    let error = session.allocate_managed::<u32>(N).expect_err("it moves");
    assert!(matches!(error, Error::NotResident { .. }) && error.to_string().contains("XNACK is on"), "{error}");
}
