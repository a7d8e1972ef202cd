//! What programs do to descriptors that are not theirs.
mod common;

use common::*;
use kfd_sys::*;
use libc::c_int;
use std::os::fd::{AsFd, AsRawFd, IntoRawFd};
use std::sync::Barrier;

unsafe extern "C" {
    fn closefrom(first: c_int);
}

/// The descriptors that are open, but for standard streams, with what they are open on.
fn open_files() -> Vec<(c_int, String)> {
    let entries = std::fs::read_dir("/proc/self/fd").unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter_map(|path| {
        let target = std::fs::read_link(&path).ok()?.to_string_lossy().into_owned();
        Some((path.file_name()?.to_str()?.parse().ok()?, target))
    });
    files.filter(|(fd, target)| *fd > 2 && !target.contains("/proc/")).collect()
}

/// A device of which the program has closed everything that it could, in one of the ways there are.
fn survives(close_all: fn()) {
    let device = Device::open(1);
    let va = reserve(1 << 20);
    let object = device.alloc(0, va, 1 << 20, VRAM, 0).unwrap();
    let bytes = map_object(va, 1 << 20, &device.render[0], object.mmap_offset);
    // SAFETY: mapped just now.
    unsafe { bytes.write_volatile(7) };
    let own = || open_files().into_iter().filter(|(fd, _)| *fd >= 512).collect::<Vec<_>>();
    let before = own();
    assert!(before.iter().any(|(_, target)| target.contains("vgpu-vram")), "{before:?}");
    close_all();
    assert_eq!(own(), before);
    // The program's own are closed.
    // SAFETY: plain system call.
    assert_eq!(unsafe { libc::fcntl(device.kfd.as_raw_fd(), libc::F_GETFD) }, -1);
    let gpu_ids = device.gpu_ids.clone();
    std::mem::forget(device);
    // The device of a process is the same when it is opened again.
    let again = Device { kfd: open_kfd().unwrap(), render: vec![open_render_node(128).unwrap()], gpu_ids };
    again.map(object.handle, &again.gpu_ids).unwrap();
    let dmabuf = again.export(object.handle).unwrap();
    let copy = map_host(std::ptr::null_mut(), 1 << 20, libc::PROT_READ, libc::MAP_SHARED, dmabuf.as_raw_fd(), 0);
    // SAFETY: mapped just now.
    assert_eq!(unsafe { std::ptr::with_exposed_provenance::<u8>(copy as usize).read_volatile() }, 7);
    let mut event =
        kfd_ioctl_create_event_args { event_type: KFD_IOC_EVENT_SIGNAL, auto_reset: 1, ..Default::default() };
    // SAFETY: no addresses.
    unsafe { amdkfd_ioc_create_event(again.kfd.as_fd(), &mut event) }.unwrap();
    let mut data = kfd_event_data { event_id: event.event_id, ..Default::default() };
    let mut args = kfd_ioctl_wait_events_args {
        events_ptr: std::ptr::from_mut(&mut data).addr() as u64,
        num_events: 1,
        wait_for_all: 1,
        timeout: 20,
        wait_result: 9,
    };
    // SAFETY: `data` is one event.
    unsafe { amdkfd_ioc_wait_events(again.kfd.as_fd(), &mut args) }.unwrap();
    assert_eq!(args.wait_result, KFD_IOC_WAIT_RESULT_TIMEOUT);
}

#[test]
fn programs_that_close_from_a_number_on_keep_the_device() {
    on_gpu("programs_that_close_from_a_number_on_keep_the_device", || {
        // SAFETY: nothing of the test's own is used afterwards.
        survives(|| unsafe { closefrom(3) });
    });
}

#[test]
fn programs_that_close_ranges_keep_the_device() {
    on_gpu("programs_that_close_ranges_keep_the_device", || {
        // SAFETY: as above.
        survives(|| assert_eq!(unsafe { libc::close_range(3, u32::MAX, 0) }, 0));
    });
}

#[test]
fn programs_that_close_every_number_keep_the_device() {
    on_gpu("programs_that_close_every_number_keep_the_device", || {
        survives(|| {
            for fd in 3..4096 {
                // SAFETY: as above.
                unsafe { libc::close(fd) };
            }
        });
    });
}

#[test]
fn numbers_of_the_device_are_taken() {
    on_gpu("numbers_of_the_device_are_taken", || {
        let device = Device::open(1);
        let own = open_files().into_iter().find(|(_, target)| target.contains("vgpu-doorbells")).unwrap().0;
        let error = || std::io::Error::last_os_error().raw_os_error();
        // SAFETY: plain system calls.
        unsafe {
            assert_eq!((libc::dup2(device.kfd.as_raw_fd(), own), error()), (-1, Some(libc::EBUSY)));
            assert_eq!((libc::dup3(device.kfd.as_raw_fd(), own, 0), error()), (-1, Some(libc::EBUSY)));
            assert_eq!((libc::close(own), error()), (-1, Some(libc::EBADF)));
            // A number that nobody has is the program's.
            let free = own + 1000;
            assert_eq!(libc::dup2(device.kfd.as_raw_fd(), free), free);
            assert_eq!(libc::close(free), 0);
        }
    });
}

/// What a request of the driver's says on `fd`: 0 or an errno.
fn asked(fd: c_int) -> c_int {
    let mut version = kfd_ioctl_get_version_args::default();
    // SAFETY: the request has no other arguments.
    match unsafe { libc::ioctl(fd, AMDKFD_IOC_GET_VERSION, &raw mut version) } {
        0 => 0,
        _ => std::io::Error::last_os_error().raw_os_error().unwrap(),
    }
}

/// Another name for `file`, far from those of the tests' own files.
fn far(file: c_int) -> c_int {
    // SAFETY: plain system call.
    let fd = unsafe { libc::fcntl(file, libc::F_DUPFD_CLOEXEC, 900) };
    assert!(fd >= 900);
    fd
}

/// Ways to take a descriptor away, and what a request on it says then.
const WAYS: [(&str, c_int); 8] = [
    ("close", libc::EBADF),
    ("close_range", libc::EBADF),
    ("closefrom", libc::EBADF),
    ("fclose", libc::EBADF),
    ("freopen", libc::ENOTTY),
    ("dup2", libc::ENOTTY),
    ("dup3", libc::ENOTTY),
    ("another thread", libc::EBADF),
];

/// Takes `fd` away, or puts `null` at its number.
fn take(way: &str, fd: c_int, null: c_int) -> bool {
    // SAFETY: the descriptor is the test's own, and not used afterwards but for what is tested.
    unsafe {
        match way {
            "close" => libc::close(fd) == 0,
            "close_range" => libc::close_range(fd as u32, fd as u32, 0) == 0,
            "closefrom" => {
                closefrom(fd);
                true
            }
            "fclose" => libc::fclose(libc::fdopen(fd, c"r+".as_ptr())) == 0,
            "freopen" => {
                let stream = libc::fdopen(fd, c"r+".as_ptr());
                libc::freopen(c"/dev/null".as_ptr(), c"r+".as_ptr(), stream) == stream && libc::fileno(stream) == fd
            }
            "dup2" => libc::dup2(null, fd) == fd,
            "dup3" => libc::dup3(null, fd, libc::O_CLOEXEC) == fd,
            _ => std::thread::spawn(move || take("close", fd, null)).join().unwrap(),
        }
    }
}

#[test]
fn a_descriptor_that_was_closed_or_replaced_is_no_device_any_more() {
    on_gpu("a_descriptor_that_was_closed_or_replaced_is_no_device_any_more", || {
        let kfd = open_kfd().unwrap().into_raw_fd();
        let null = std::fs::File::open("/dev/null").unwrap();
        for (way, expected) in WAYS {
            let fd = far(kfd);
            assert_eq!([asked(fd), asked(fd)], [0; 2], "{way}");
            assert!(take(way, fd, null.as_raw_fd()), "{way}");
            assert_eq!(asked(fd), expected, "{way}");
            assert_eq!([asked(kfd), asked(fd)], [0, expected], "{way}: another name of the device is one still");
        }
    });
}

#[test]
fn a_thread_may_have_descriptors_of_its_own() {
    on_gpu("a_thread_may_have_descriptors_of_its_own", || {
        let kfd = open_kfd().unwrap();
        let fd = far(kfd.as_raw_fd());
        let turns = Barrier::new(2);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                // SAFETY: this thread's table of descriptors, of which it uses no more than this.
                unsafe {
                    assert_eq!(libc::unshare(libc::CLONE_FILES), 0);
                    assert_eq!((asked(fd), libc::close(fd)), (0, 0));
                }
                turns.wait();
                turns.wait();
                asked(fd)
            });
            turns.wait();
            assert_eq!([asked(fd), asked(fd)], [0; 2]);
            turns.wait();
            assert_eq!(other.join().unwrap(), libc::EBADF);
        });
        assert_eq!(asked(fd), 0);
    });
}
