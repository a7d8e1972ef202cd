//! Request numbers against the kernel's formula, and a machine without the driver.
use kfd_sys::*;
use std::fs::File;
use std::os::fd::AsFd;
use std::path::Path;

#[test]
fn request_numbers_encode_size_and_direction() {
    // _IOWR('K', 0x02, struct kfd_ioctl_create_queue_args)
    let size = size_of::<kfd_ioctl_create_queue_args>() as u64;
    assert_eq!(AMDKFD_IOC_CREATE_QUEUE, 3 << 30 | size << 16 | 0x4b << 8 | 0x02);
    // _IOR('K', 0x01, struct kfd_ioctl_get_version_args)
    assert_eq!(AMDKFD_IOC_GET_VERSION, 2 << 30 | 8 << 16 | 0x4b << 8 | 0x01);
    // DRM_IOW(DRM_COMMAND_BASE + 0x05, struct drm_amdgpu_info)
    assert_eq!(DRM_IOCTL_AMDGPU_INFO, 1 << 30 | 32 << 16 | 0x64 << 8 | 0x45);
    let kfd = REQUESTS.iter().filter(|(name, _)| name.starts_with("AMDKFD_IOC_")).count();
    assert_eq!(kfd, 38, "0x01 to 0x26");
}

#[test]
fn a_missing_driver_is_a_value_that_says_so() {
    if Path::new("/dev/kfd").exists() {
        test_skip::skip!("this machine has a GPU");
    }
    let error = open_kfd().unwrap_err();
    assert_eq!(error.path, Path::new("/dev/kfd"));
    assert_eq!(error.reason.kind(), std::io::ErrorKind::NotFound);
    assert!(error.to_string().contains("no amdgpu driver"), "{error}");
}

#[test]
fn what_the_driver_answers_is_an_error_value() {
    let null = File::open("/dev/null").unwrap();
    let mut version = kfd_ioctl_get_version_args::default();
    // SAFETY: /dev/null knows no requests.
    let error = unsafe { amdkfd_ioc_get_version(null.as_fd(), &mut version) }.unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::ENOTTY));
}
