//! Functions of libc that come to the device's files in ways of their own.
mod common;

use common::*;
use libc::{c_char, c_int};
use std::ffi::{CStr, CString};
use std::fs;
use std::process::Command;
use std::ptr::null_mut;

unsafe extern "C" {
    fn euidaccess(path: *const c_char, mode: c_int) -> c_int;
    fn eaccess(path: *const c_char, mode: c_int) -> c_int;
    fn __readlink_chk(path: *const c_char, buffer: *mut c_char, size: usize, room: usize) -> isize;
    fn __readlinkat_chk(directory: c_int, path: *const c_char, buffer: *mut c_char, size: usize, room: usize) -> isize;
    fn __getcwd_chk(buffer: *mut c_char, size: usize, room: usize) -> *mut c_char;
    fn scandirat(
        directory: c_int,
        path: *const c_char,
        list: *mut *mut *mut libc::dirent,
        filter: Option<unsafe extern "C" fn(*const libc::dirent) -> c_int>,
        compare: Option<unsafe extern "C" fn(*mut *const libc::dirent, *mut *const libc::dirent) -> c_int>,
    ) -> c_int;
    fn alphasort(a: *mut *const libc::dirent, b: *mut *const libc::dirent) -> c_int;
}

fn last_errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap()
}

#[test]
fn access_by_the_effective_user() {
    on_gpu("access_by_the_effective_user", || {
        let file = c"/sys/class/kfd/kfd/topology/generation_id".as_ptr();
        for access in [euidaccess, eaccess] as [unsafe extern "C" fn(*const c_char, c_int) -> c_int; 2] {
            // SAFETY: C strings.
            unsafe {
                assert_eq!(access(file, libc::R_OK), 0);
                assert_eq!((access(file, libc::W_OK), last_errno()), (-1, libc::EACCES));
                assert_eq!(access(c"/dev/kfd".as_ptr(), libc::R_OK | libc::W_OK), 0);
                assert_eq!((access(c"/dev/dri/card7".as_ptr(), libc::R_OK), last_errno()), (-1, libc::ENOENT));
                assert_eq!(access(c"/dev/null".as_ptr(), libc::R_OK), 0);
            }
        }
        let sorted =
            Command::new("sort").args(["-r", "/sys/class/kfd/kfd/topology/system_properties"]).output().unwrap();
        let mut lines: Vec<_> = String::from_utf8(sorted.stdout).unwrap().lines().map(String::from).collect();
        lines.reverse();
        let text = fs::read_to_string("/sys/class/kfd/kfd/topology/system_properties").unwrap();
        assert_eq!((lines.len(), lines.is_sorted()), (text.lines().count(), true), "{:?}", sorted.stderr);
        let test = Command::new("/usr/bin/test").args(["-r", "/dev/kfd"]).status().unwrap();
        assert!(test.success());
    });
}

/// What a compiler makes of `readlink` and `getcwd` with `-D_FORTIFY_SOURCE=2`.
#[test]
fn fortified_functions() {
    on_gpu("fortified_functions", || {
        let mut buffer = [0u8; 64];
        let (at, room) = (buffer.as_mut_ptr().cast::<c_char>(), buffer.len());
        let link = b"../../devices/virtual/kfd/kfd";
        // SAFETY: C strings, and a buffer of that size.
        unsafe {
            assert_eq!(__readlink_chk(c"/sys/class/kfd/kfd".as_ptr(), at, room, room), link.len() as isize);
            assert_eq!(&buffer[..link.len()], link);
            let class = libc::open(c"/sys/class/kfd".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
            buffer.fill(0);
            assert_eq!(__readlinkat_chk(class, c"kfd".as_ptr(), at, room, room), link.len() as isize);
            assert_eq!(&buffer[..link.len()], link);
            assert_eq!(libc::chdir(c"/sys/class/kfd".as_ptr()), 0);
            assert_eq!(__getcwd_chk(at, room, room), at);
            assert_eq!(CStr::from_ptr(at), c"/sys/class/kfd");
        }
    });
}

#[test]
fn streams_are_opened_again() {
    on_gpu("streams_are_opened_again", || {
        // SAFETY: C strings, and streams that are open.
        unsafe {
            let stream = libc::fopen(c"/dev/null".as_ptr(), c"r".as_ptr());
            let fd = libc::fileno(stream);
            let path = c"/sys/class/kfd/kfd/topology/nodes/1/gpu_id".as_ptr();
            assert_eq!(libc::freopen(path, c"r".as_ptr(), stream), stream);
            let mut line = [0; 64];
            assert!(!libc::fgets(line.as_mut_ptr(), 64, stream).is_null());
            assert_eq!((CStr::from_ptr(line.as_ptr()), libc::fileno(stream)), (c"51110\n", fd));
            // And the machine's.
            assert_eq!(libc::freopen(c"/proc/self/comm".as_ptr(), c"r".as_ptr(), stream), stream);
            assert!(!libc::fgets(line.as_mut_ptr(), 64, stream).is_null());
            assert_eq!(CStr::from_ptr(line.as_ptr()).to_str().unwrap(), fs::read_to_string("/proc/self/comm").unwrap());
            let before = fs::read_dir("/proc/self/fd").unwrap().count();
            assert_eq!((libc::freopen(path, c"w".as_ptr(), stream), last_errno()), (null_mut(), libc::EACCES));
            assert_eq!(fs::read_dir("/proc/self/fd").unwrap().count(), before - 1, "the stream is still open");
        }
    });
}

#[test]
fn directories_are_scanned_from_others() {
    on_gpus(2, "directories_are_scanned_from_others", || {
        // SAFETY: C strings, and memory that scandirat allocates.
        let names = |directory: c_int, path: &CStr| unsafe {
            let mut list = null_mut();
            let count = scandirat(directory, path.as_ptr(), &mut list, None, Some(alphasort));
            if count < 0 {
                return Err(last_errno());
            }
            let entries = std::slice::from_raw_parts(list, count as usize);
            Ok(entries.iter().map(|entry| CStr::from_ptr((**entry).d_name.as_ptr()).to_owned()).collect::<Vec<_>>())
        };
        // SAFETY: C strings.
        let [class, root] = [c"/sys/class/kfd", c"/"]
            .map(|path| unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) });
        let nodes = [c".", c"..", c"0", c"1", c"2"].map(CStr::to_owned).to_vec();
        assert_eq!(names(class, c"kfd/topology/nodes"), Ok(nodes.clone()));
        assert_eq!(names(root, c"sys/class/kfd/kfd/topology/nodes"), Ok(nodes));
        assert_eq!(names(class, c"kfd/topology/nowhere"), Err(libc::ENOENT));
        assert_eq!(names(class, c"kfd/topology/generation_id"), Err(libc::ENOTDIR));
        assert!(names(root, c"proc/self").unwrap().contains(&c"maps".to_owned()));
    });
}

#[test]
fn patterns_find_the_device() {
    on_gpus(2, "patterns_find_the_device", || {
        let glob = |pattern: &str, flags| {
            let pattern = CString::new(pattern).unwrap();
            // SAFETY: zero is valid, and what is found is valid until it is freed.
            unsafe {
                let mut found: libc::glob_t = std::mem::zeroed();
                let result = libc::glob(pattern.as_ptr(), flags, None, &mut found);
                assert_eq!(found.gl_flags & (1 << 9), 0, "GLOB_ALTDIRFUNC was not asked for");
                let paths = (0..found.gl_pathc).map(|index| *found.gl_pathv.add(index));
                let paths: Vec<String> = paths.map(|path| CStr::from_ptr(path).to_str().unwrap().to_owned()).collect();
                libc::globfree(&mut found);
                if result == 0 { Ok(paths) } else { Err(result) }
            }
        };
        let nodes = ["/dev/dri/renderD128", "/dev/dri/renderD129"].map(String::from).to_vec();
        assert_eq!(glob("/dev/dri/renderD*", 0), Ok(nodes));
        assert_eq!(glob("/sys/class/kfd/kfd/topology/nodes/[12]/gpu_i?", 0).map(|found| found.len()), Ok(2));
        assert_eq!(glob("/dev/kfd", 0), Ok(vec!["/dev/kfd".to_owned()]));
        assert_eq!(glob("/dev/d[r]i", libc::GLOB_MARK), Ok(vec!["/dev/dri/".to_owned()]));
        assert_eq!(glob("/dev/dri/card*", 0), Err(libc::GLOB_NOMATCH));
        assert_eq!(glob("/proc/self/com[m]", 0), Ok(vec!["/proc/self/comm".to_owned()]));
    });
}
