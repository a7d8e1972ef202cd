//! Programs that look libc's functions up instead of being linked with them.
mod common;

use common::*;
use libc::{c_char, c_int, c_void};
use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::os::fd::AsRawFd;
use std::process::Command;
use std::ptr::null_mut;

/// libc, as a program opens it by name.
fn libc_handle() -> *mut c_void {
    // SAFETY: a C string.
    let handle = unsafe { libc::dlopen(c"libc.so.6".as_ptr(), libc::RTLD_NOW) };
    assert!(!handle.is_null());
    handle
}

fn look_up(handle: *mut c_void, name: &CStr) -> *mut c_void {
    // SAFETY: a handle that is open, or a number that stands for libraries, and a C string.
    unsafe { libc::dlsym(handle, name.as_ptr()) }
}

/// The file that has this function.
fn file_of(function: *mut c_void) -> String {
    // SAFETY: all zero is a valid `Dl_info`.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: `info` is valid for writing.
    assert_ne!(unsafe { libc::dladdr(function, &mut info) }, 0, "{function:?}");
    // SAFETY: the library's name, a C string that lives as long as the library.
    unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy().into_owned()
}

/// Names of the functions that a library exports.
fn exported(library: &str) -> BTreeSet<String> {
    let output = Command::new("nm").args(["--dynamic", "--defined-only", library]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let functions = text.lines().filter_map(|line| line.split_once(" T "));
    functions.map(|(_, name)| name.split('@').next().unwrap_or(name).to_owned()).collect()
}

#[test]
fn all_that_is_interposed_is_found_in_libc() {
    on_gpu("all_that_is_interposed_is_found_in_libc", || {
        let libc = libc_handle();
        let ours = file_of(look_up(libc, c"ioctl"));
        assert!(ours.contains("libvgpu"), "{ours}");
        let mut names = exported(&ours);
        // For ROCr, which looks for a tool's, and in front of it; for programs that say of themselves what `vgpu check`
        // cannot know; and what looks the others up.
        let check = ["vgpu_check_allocated", "vgpu_check_freed", "vgpu_check_flag"];
        for other in ["OnLoad", "OnUnload", "hsa_signal_wait_scacquire", "dlsym"].into_iter().chain(check) {
            assert!(names.remove(other), "{other}");
        }
        assert!(names.len() > 70, "{names:?}");
        for name in names {
            let name = CString::new(name).unwrap();
            let found = look_up(libc, &name);
            // Some are not in every libc.
            assert!(found.is_null() || file_of(found) == ours, "{name:?} is in {}", file_of(found));
            assert_eq!(found.is_null(), look_up(libc::RTLD_DEFAULT, &name).is_null(), "{name:?}");
        }
        for name in [c"strlen", c"read", c"pthread_create"] {
            assert!(file_of(look_up(libc, name)).contains("libc.so"), "{name:?}");
        }
    });
}

/// What is behind a library is found from where the caller is: the program's next one is ours, and what is not there is
/// not found.
#[test]
fn what_is_behind_the_program_is_ours_too() {
    on_gpu("what_is_behind_the_program_is_ours_too", || {
        assert_eq!(look_up(libc::RTLD_NEXT, c"ioctl"), look_up(libc::RTLD_DEFAULT, c"ioctl"));
        assert!(file_of(look_up(libc::RTLD_NEXT, c"strlen")).contains("libc.so"));
        assert!(look_up(libc_handle(), c"no_such_function").is_null());
        // SAFETY: an error is there, so a C string.
        let error = unsafe { CStr::from_ptr(libc::dlerror()) }.to_string_lossy().into_owned();
        assert!(error.contains("no_such_function"), "{error}");
        // A library that needs libc is asked for a function of libc's.
        // SAFETY: a C string.
        let other = unsafe { libc::dlopen(c"libm.so.6".as_ptr(), libc::RTLD_NOW) };
        assert!(!other.is_null());
        assert_eq!(look_up(other, c"ioctl"), look_up(libc::RTLD_DEFAULT, c"ioctl"));
    });
}

/// As a program does that has no function of libc but by its handle: VRAM that it writes is there for whoever maps it
/// anew.
#[test]
fn memory_by_functions_that_were_looked_up() {
    on_gpu("memory_by_functions_that_were_looked_up", || {
        type Open = unsafe extern "C" fn(*const c_char, c_int) -> c_int;
        type Mmap = unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, c_int, i64) -> *mut c_void;
        type Munmap = unsafe extern "C" fn(*mut c_void, usize) -> c_int;
        let libc = libc_handle();
        // SAFETY: functions of libc, of these types.
        let (open, mmap, munmap) = unsafe {
            (
                std::mem::transmute::<*mut c_void, Open>(look_up(libc, c"open")),
                std::mem::transmute::<*mut c_void, Mmap>(look_up(libc, c"mmap")),
                std::mem::transmute::<*mut c_void, Munmap>(look_up(libc, c"munmap")),
            )
        };
        // SAFETY: a C string.
        let kfd = unsafe { open(c"/dev/kfd".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
        assert!(kfd >= 0, "{}", std::io::Error::last_os_error());
        let device = Device::open(1);
        let va = reserve(8192);
        let object = device.alloc(0, va, 8192, VRAM, 0).unwrap();
        let map = || {
            let (access, offset) = (libc::PROT_READ | libc::PROT_WRITE, object.mmap_offset as i64);
            // SAFETY: the kernel chooses the place.
            let at = unsafe { mmap(null_mut(), 8192, access, libc::MAP_SHARED, device.render[0].as_raw_fd(), offset) };
            assert_ne!(at, libc::MAP_FAILED, "{}", std::io::Error::last_os_error());
            at.cast::<u32>()
        };
        let first = map();
        // SAFETY: 2,048 dwords that were just mapped.
        (0..2048).for_each(|i| unsafe { first.add(i).write_volatile(i as u32 * 7) });
        // SAFETY: nobody uses it any more.
        assert_eq!(unsafe { munmap(first.cast(), 8192) }, 0);
        let second = map();
        // SAFETY: as above.
        assert!((0..2048).all(|i| unsafe { second.add(i).read_volatile() } == i as u32 * 7));
        // SAFETY: as above, and a descriptor of ours.
        unsafe { (munmap(second.cast(), 8192), libc::close(kfd)) };
        device.free(object.handle).unwrap();
    });
}
