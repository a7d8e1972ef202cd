//! What reaches libc's `ioctl`, which this program has in its place, and device files that cannot be opened.
use kfd_sys::*;
use std::cell::RefCell;
use std::ffi::{c_int, c_ulong, c_void};
use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::{AsFd, AsRawFd};

/// A driver that notes what it is asked and answers with every byte plus one.
#[derive(Default)]
struct Driver {
    asked: Vec<(c_int, c_ulong, Vec<u8>)>,
    errno: Option<c_int>,
}

thread_local! {
    static DRIVER: RefCell<Driver> = RefCell::default();
}

/// What the linker takes for libc's function, which the crate is to call and which has its arguments where this one
/// has.
#[unsafe(no_mangle)]
extern "C" fn ioctl(fd: c_int, request: c_ulong, args: *mut c_void) -> c_int {
    DRIVER.with_borrow_mut(|driver| {
        let size = (request >> 16 & 0x3fff) as usize;
        assert_eq!(args.is_null(), size == 0);
        let bytes = match size {
            0 => &mut [][..],
            // SAFETY: a request's number says how many bytes are there.
            _ => unsafe { std::slice::from_raw_parts_mut(args.cast::<u8>(), size) },
        };
        driver.asked.push((fd, request, bytes.to_vec()));
        bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
        let Some(errno) = driver.errno else { return 0 };
        // SAFETY: the thread's own.
        unsafe { *libc::__errno_location() = errno };
        -1
    })
}

/// What was asked since the last call.
fn asked() -> Vec<(c_int, c_ulong, Vec<u8>)> {
    DRIVER.take().asked
}

#[test]
fn a_call_passes_its_number_its_arguments_and_the_answer() {
    let file = File::open("/dev/null").unwrap();
    let mut args = kfd_ioctl_set_memory_policy_args { gpu_id: 0x0403_0201, ..Default::default() };
    // SAFETY: the driver is this test's.
    unsafe { amdkfd_ioc_set_memory_policy(file.as_fd(), &mut args) }.unwrap();
    let (fd, request, bytes) = asked().remove(0);
    // _IOW('K', 0x04, struct kfd_ioctl_set_memory_policy_args), which has two addresses and four numbers.
    assert_eq!((fd, request), (file.as_raw_fd(), 1 << 30 | 32 << 16 | 0x4b << 8 | 0x04));
    assert_eq!(bytes[16..20], [1, 2, 3, 4]);
    assert_eq!((args.gpu_id, args.misc_process_flag), (0x0504_0302, 0x0101_0101));
    // SAFETY: as above.
    unsafe { amdkfd_ioc_create_process(file.as_fd()) }.unwrap();
    assert_eq!(asked(), [(file.as_raw_fd(), 0x4b27, vec![])]);
}

#[test]
fn the_drivers_errno_is_the_error() {
    let file = File::open("/dev/null").unwrap();
    DRIVER.with_borrow_mut(|driver| driver.errno = Some(libc::ENOTTY));
    let mut version = kfd_ioctl_get_version_args::default();
    // SAFETY: the driver is this test's.
    let error = unsafe { amdkfd_ioc_get_version(file.as_fd(), &mut version) }.unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::ENOTTY));
    let mut none = [];
    // SAFETY: as above.
    let error = unsafe { amdkfd_ioc_svm(file.as_fd(), &mut kfd_ioctl_svm_args::default(), &mut none) }.unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::ENOTTY));
}

#[test]
fn the_attributes_of_shared_virtual_memory_are_part_of_the_request() {
    let file = File::open("/dev/null").unwrap();
    let set = kfd_ioctl_svm_op::KFD_IOCTL_SVM_OP_SET_ATTR.0;
    let mut args = kfd_ioctl_svm_args { start_addr: 0x1000, size: 0x2000, op: set, nattr: 77, ..Default::default() };
    let mut attributes = [
        kfd_ioctl_svm_attribute { type_: 5, value: 0x6070 },
        kfd_ioctl_svm_attribute { type_: 0x0101, value: 0 },
        kfd_ioctl_svm_attribute { type_: 2, value: 9 },
    ];
    // SAFETY: the driver is this test's.
    unsafe { amdkfd_ioc_svm(file.as_fd(), &mut args, &mut attributes) }.unwrap();
    let (_, request, bytes) = asked().remove(0);
    // _IOWR('K', 0x20, struct kfd_ioctl_svm_args) with three attributes of 8 bytes.
    assert_eq!(request, 3 << 30 | (24 + 3 * 8) << 16 | 0x4b << 8 | 0x20);
    let words: Vec<u32> = bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!(words, [0x1000, 0, 0x2000, 0, set, 3, 5, 0x6070, 0x0101, 0, 2, 9]);
    // The driver's answer, in both.
    assert_eq!(args.size, 0x2000 + 0x0101_0101_0101_0101);
    assert_eq!((attributes[0].value, attributes[2].type_), (0x6070 + 0x0101_0101, 2 + 0x0101_0101));
}

#[test]
fn a_request_has_room_for_2044_attributes() {
    let file = File::open("/dev/null").unwrap();
    let call = |count| {
        let mut attributes = vec![kfd_ioctl_svm_attribute::default(); count];
        // SAFETY: the driver is this test's.
        unsafe { amdkfd_ioc_svm(file.as_fd(), &mut kfd_ioctl_svm_args::default(), &mut attributes) }
    };
    call(2044).unwrap();
    assert_eq!(asked()[0].2.len(), 24 + 2044 * 8);
    let error = call(2045).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.to_string().starts_with("2045 elements in one request, which can have 2044"), "{error}");
    assert_eq!(asked(), [], "nothing is asked");
}

#[test]
fn requests_say_since_when_they_are_there() {
    let since = |name: &str| REQUESTS.iter().find(|request| request.name == name).unwrap().since_minor;
    assert_eq!(since("AMDKFD_IOC_GET_VERSION"), Some(1));
    assert_eq!(since("AMDKFD_IOC_AVAILABLE_MEMORY"), Some(9));
    assert_eq!(since("AMDKFD_IOC_CREATE_PROCESS"), Some(19));
    assert_eq!(since("DRM_IOCTL_AMDGPU_INFO"), None);
    let newest = REQUESTS.iter().filter_map(|request| request.since_minor).max();
    assert_eq!(newest, Some(KFD_IOCTL_MINOR_VERSION));
}

#[test]
fn a_device_file_that_cannot_be_opened_says_why() {
    let folder = std::env::temp_dir().join(format!("kfd-sys-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let missing = open(&folder.join("kfd")).unwrap_err();
    let refused = open(&folder).unwrap_err();
    std::fs::write(folder.join("file"), "").unwrap();
    let file = open(&folder.join("file")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!((&missing.path, missing.reason.kind()), (&folder.join("kfd"), ErrorKind::NotFound));
    // As a `main` that returns it prints it.
    let printed = format!("Error: {missing:?}");
    assert!(printed.starts_with(&format!("Error: cannot open {}", missing.path.display())), "{printed}");
    assert!(printed.ends_with("or this container was not given the device"), "{printed}");
    assert!(missing.to_string().contains("no amdgpu driver with compute support is loaded"), "{missing}");
    assert_eq!((&refused.path, refused.reason.kind()), (&folder, ErrorKind::IsADirectory));
    assert!(refused.to_string().ends_with("the driver refused"), "{refused}");
    // SAFETY: fcntl on a descriptor of this test.
    let flags = unsafe { (libc::fcntl(file.as_raw_fd(), libc::F_GETFD), libc::fcntl(file.as_raw_fd(), libc::F_GETFL)) };
    assert_eq!((flags.0, flags.1 & libc::O_ACCMODE), (libc::FD_CLOEXEC, libc::O_RDWR));
}
