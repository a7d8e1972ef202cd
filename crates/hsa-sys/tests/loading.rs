//! A missing HSA runtime is an error that names it; the installed one loads, on a machine without a GPU.
use hsa_sys::*;
use std::path::Path;

#[test]
fn a_missing_library_is_a_value() {
    // SAFETY: there is no such file.
    let error = unsafe { Hsa::open("/nonexistent/libhsa-runtime64.so.1") }.unwrap_err();
    assert!(error.to_string().contains("/nonexistent/libhsa-runtime64.so.1"), "{error}");
    assert!(error.to_string().contains("libhsa-runtime64-1"), "{error}");
}

#[test]
fn this_machines_runtime_says_that_there_is_no_driver() {
    let hsa = match Hsa::load() {
        Ok(hsa) => hsa,
        Err(error) => test_skip::skip!("{error}"),
    };
    if Path::new("/dev/kfd").exists() {
        test_skip::skip!("this machine has a GPU");
    }
    // SAFETY: hsa_init has no preconditions.
    let status = unsafe { hsa.hsa_init() }.unwrap();
    assert_eq!(status, hsa_status_t::HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    let mut text = std::ptr::null();
    // SAFETY: the pointer is valid, and the text is static.
    let text = unsafe {
        assert_eq!(hsa.hsa_status_string(status, &mut text).unwrap(), hsa_status_t::HSA_STATUS_SUCCESS);
        std::ffi::CStr::from_ptr(text)
    };
    assert!(text.to_string_lossy().starts_with("HSA_STATUS_ERROR_OUT_OF_RESOURCES"), "{text:?}");
}

#[test]
fn packets_and_queues_have_the_sizes_that_the_hardware_reads() {
    assert_eq!(size_of::<hsa_kernel_dispatch_packet_t>(), 64);
    assert_eq!(size_of::<hsa_barrier_and_packet_t>(), 64);
    assert_eq!(size_of::<hsa_agent_dispatch_packet_t>(), 64);
    assert_eq!(size_of::<amd_signal_t>(), 64);
    assert_eq!(size_of::<amd_queue_t>(), 256);
    assert_eq!(std::mem::offset_of!(amd_queue_t, read_dispatch_id), 0x80);
    assert_eq!(size_of::<amd_kernel_code_t>(), 256);
}

#[test]
fn a_packets_header_is_a_field() {
    let packet = hsa_kernel_dispatch_packet_t { header: 0x1502, setup: 3, workgroup_size_x: 64, ..Default::default() };
    // SAFETY: the packet is 64 bytes without padding.
    let words = unsafe { std::mem::transmute::<hsa_kernel_dispatch_packet_t, [u32; 16]>(packet) };
    assert_eq!(words[..3], [3 << 16 | 0x1502, 64, 0]);
}
