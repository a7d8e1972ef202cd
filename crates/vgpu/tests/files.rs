//! The device's files, as programs look at them.
mod common;

use common::*;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

fn names(path: &str) -> BTreeSet<String> {
    fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn rust_programs_walk_the_tree() {
    on_gpus(2, "rust_programs_walk_the_tree", || {
        assert_eq!(names("/sys/class/kfd/kfd/topology/nodes"), ["0", "1", "2"].map(String::from).into());
        assert_eq!(names("/dev/dri"), ["renderD128", "renderD129"].map(String::from).into());
        assert_eq!(names("/sys/class/kfd/kfd/topology/nodes/1/caches").len(), 217);
        assert_eq!(fs::read_to_string("/sys/module/amdgpu/initstate").unwrap(), "live\n");
        assert_eq!(fs::read_link("/sys/class/kfd/kfd").unwrap().to_str(), Some("../../devices/virtual/kfd/kfd"));
        let real = fs::canonicalize("/sys/class/kfd/kfd/topology/nodes/0").unwrap();
        assert_eq!(real.to_str(), Some("/sys/devices/virtual/kfd/kfd/topology/nodes/0"));
        let kfd = fs::metadata("/dev/kfd").unwrap();
        assert!(kfd.file_type().is_char_device());
        assert!(fs::symlink_metadata("/sys/class/kfd/kfd").unwrap().file_type().is_symlink());
        let node = fs::OpenOptions::new().read(true).write(true).open("/dev/dri/renderD129").unwrap();
        assert_eq!(node.metadata().unwrap().rdev(), libc::makedev(226, 129));
        // The machine's own files are as they were.
        assert!(names("/dev").is_superset(&["null", "kfd", "dri"].map(String::from).into()));
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert!(names("/sys/class").contains("net"));
    });
}

#[test]
fn errors_are_those_of_sysfs() {
    on_gpu("errors_are_those_of_sysfs", || {
        let error = |path: &str| errno(fs::File::open(path));
        assert_eq!(error("/sys/class/kfd/kfd/topology/nodes/7/properties"), libc::ENOENT);
        assert_eq!(error("/sys/class/kfd/kfd/topology/generation_id/x"), libc::ENOTDIR);
        assert_eq!(error("/dev/dri/card0"), libc::ENOENT);
        let write = fs::OpenOptions::new().write(true).open("/sys/class/kfd/kfd/topology/generation_id");
        assert_eq!(errno(write), libc::EACCES);
        assert_eq!(errno(fs::read_dir("/sys/class/kfd/kfd/topology/generation_id").map(|_| ())), libc::ENOTDIR);
        let path = c"/sys/class/kfd/kfd/topology/generation_id";
        // SAFETY: a C string.
        unsafe {
            assert_eq!(libc::access(path.as_ptr(), libc::R_OK), 0);
            assert_eq!(libc::access(path.as_ptr(), libc::W_OK), -1);
        }
    });
}

#[test]
fn other_ways_to_open() {
    on_gpu("other_ways_to_open", || {
        let kfd = fs::metadata("//dev//kfd").unwrap();
        assert!(kfd.file_type().is_char_device());
        let count = || fs::read_dir("/proc/self/fd").unwrap().count();
        let error = || std::io::Error::last_os_error().raw_os_error();
        let before = count();
        // SAFETY: C strings.
        unsafe {
            let path = c"/sys/class/kfd/kfd/topology/generation_id".as_ptr();
            assert_eq!((libc::creat(path, 0o600), error()), (-1, Some(libc::EACCES)));
            assert!(libc::fopen(c"/dev/kfd".as_ptr(), c"no mode".as_ptr()).is_null());
            assert_eq!(error(), Some(libc::EINVAL));
        }
        // All but the device's own, which are there from now on.
        let own = |entry: &fs::DirEntry| entry.file_name().to_str().unwrap().parse::<i32>().unwrap() >= 512;
        let others = fs::read_dir("/proc/self/fd").unwrap().filter(|entry| !own(entry.as_ref().unwrap())).count();
        assert_eq!(others, before);
    });
}

unsafe extern "C" fn digits(entry: *const libc::dirent) -> libc::c_int {
    // SAFETY: scandir passes entries with a terminated name.
    let name = unsafe { CStr::from_ptr((*entry).d_name.as_ptr()) };
    name.to_bytes()[0].is_ascii_digit().into()
}

unsafe extern "C" {
    fn scandir(
        path: *const libc::c_char,
        list: *mut *mut *mut libc::dirent,
        filter: Option<unsafe extern "C" fn(*const libc::dirent) -> libc::c_int>,
        compare: Option<unsafe extern "C" fn(*mut *const libc::dirent, *mut *const libc::dirent) -> libc::c_int>,
    ) -> libc::c_int;
    fn readdir_r(stream: *mut libc::DIR, entry: *mut libc::dirent, result: *mut *mut libc::dirent) -> libc::c_int;
    fn alphasort(a: *mut *const libc::dirent, b: *mut *const libc::dirent) -> libc::c_int;
}

#[test]
fn c_programs_walk_the_tree() {
    on_gpu("c_programs_walk_the_tree", || {
        // SAFETY: C strings, and memory that scandir allocates.
        unsafe {
            let mut list = std::ptr::null_mut();
            let path = c"/sys/class/kfd/kfd/topology/nodes";
            assert_eq!(scandir(path.as_ptr(), &mut list, Some(digits), Some(alphasort)), 2);
            assert_eq!(CStr::from_ptr((**list.add(1)).d_name.as_ptr()), c"1");

            let directory = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY);
            assert!(directory >= 0);
            let mut stat: libc::stat = std::mem::zeroed();
            assert_eq!(libc::fstat(directory, &mut stat), 0);
            assert_eq!(stat.st_mode & libc::S_IFMT, libc::S_IFDIR);
            let file = libc::openat(directory, c"1/gpu_id".as_ptr(), libc::O_RDONLY);
            let mut text = [0u8; 16];
            let length = libc::read(file, text.as_mut_ptr().cast(), text.len());
            assert_eq!(std::str::from_utf8(&text[..length as usize]).unwrap().trim(), gpu_id(0).to_string());
            let stream = libc::fdopendir(directory);
            let mut count = 0;
            while !libc::readdir(stream).is_null() {
                count += 1;
            }
            assert_eq!(count, 4);
            libc::rewinddir(stream);
            assert!(!libc::readdir(stream).is_null());
            assert_eq!(libc::closedir(stream), 0);

            let path = CString::new("/sys/class/kfd/kfd/topology/system_properties").unwrap();
            let stream = libc::fopen(path.as_ptr(), c"r".as_ptr());
            let mut line = [0; 64];
            assert!(!libc::fgets(line.as_mut_ptr(), 64, stream).is_null());
            assert_eq!(CStr::from_ptr(line.as_ptr()), c"platform_oem 0\n");
            libc::fclose(stream);

            let stream = libc::popen(c"lsmod | grep amdgpu".as_ptr(), c"r".as_ptr());
            assert!(!libc::fgets(line.as_mut_ptr(), 64, stream).is_null());
            assert_eq!(libc::pclose(stream), 0);
        }
    });
}

/// A position, and reading into the program's own buffer.
#[test]
fn streams_of_directories() {
    on_gpus(2, "streams_of_directories", || {
        // SAFETY: a C string, streams that are open, and entries that live as long as they are looked at.
        unsafe {
            let stream = libc::opendir(c"/dev/dri".as_ptr());
            let name = |entry: *const libc::dirent| CStr::from_ptr((*entry).d_name.as_ptr()).to_owned();
            assert_eq!(name(libc::readdir(stream)).as_c_str(), c".");
            assert_eq!(name(libc::readdir(stream)).as_c_str(), c"..");
            let position = libc::telldir(stream);
            let rest = || {
                let mut found = Vec::new();
                let (mut entry, mut result) = (std::mem::zeroed(), std::ptr::null_mut());
                while readdir_r(stream, &mut entry, &mut result) == 0 && !result.is_null() {
                    assert_eq!(result, &raw mut entry);
                    found.push(name(result));
                }
                found
            };
            let nodes = [c"renderD128", c"renderD129"].map(CStr::to_owned);
            assert_eq!(rest(), nodes);
            assert!(rest().is_empty());
            libc::seekdir(stream, position);
            assert_eq!(rest(), nodes);
            // The end is no error.
            *libc::__errno_location() = 0;
            assert!(libc::readdir(stream).is_null());
            assert_eq!(*libc::__errno_location(), 0);
            assert_eq!(libc::dirfd(stream), libc::dirfd(stream));
            let mut stat: libc::stat = std::mem::zeroed();
            assert_eq!(libc::fstatat(libc::dirfd(stream), c"renderD129".as_ptr(), &mut stat, 0), 0);
            assert_eq!(stat.st_rdev, libc::makedev(226, 129));
            assert_eq!(libc::closedir(stream), 0);
        }
    });
}

/// Programs may compare entries in ways that are no order.
#[test]
fn any_comparison_will_do() {
    unsafe extern "C" fn disorder(a: *mut *const libc::dirent, b: *mut *const libc::dirent) -> libc::c_int {
        // SAFETY: scandir passes entries with a terminated name.
        let [a, b] = [a, b].map(|entry| unsafe { CStr::from_ptr((**entry).d_name.as_ptr()) }.to_bytes());
        // Of three, each is before the next, and the last before the first.
        let class = |name: &[u8]| name.iter().fold(0, |sum, byte| sum + u32::from(*byte)) % 3;
        if (class(a) + 1) % 3 == class(b) { -1 } else { 1 }
    }
    on_gpu("any_comparison_will_do", || {
        let path = c"/sys/class/kfd/kfd/topology/nodes/1/caches";
        let mut list = std::ptr::null_mut();
        // SAFETY: a C string, and memory that scandir allocates.
        let found: BTreeSet<String> = unsafe {
            let count = scandir(path.as_ptr(), &mut list, Some(digits), Some(disorder));
            assert_eq!(count, 217);
            let entries = std::slice::from_raw_parts(list, count as usize);
            entries.iter().map(|entry| CStr::from_ptr((**entry).d_name.as_ptr()).to_str().unwrap().to_owned()).collect()
        };
        assert_eq!(found, names(path.to_str().unwrap()));
    });
}

#[test]
fn copies_of_a_descriptor_are_the_device() {
    on_gpu("copies_of_a_descriptor_are_the_device", || {
        let device = Device::open(1);
        // SAFETY: plain system calls.
        unsafe {
            for copy in [
                libc::dup(device.kfd.as_raw_fd()),
                libc::dup2(device.kfd.as_raw_fd(), 77),
                libc::dup3(device.kfd.as_raw_fd(), 78, libc::O_CLOEXEC),
                libc::fcntl(device.kfd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 50),
            ] {
                let mut version = kfd_sys::kfd_ioctl_get_version_args::default();
                let argument = std::ptr::from_mut(&mut version);
                assert_eq!(libc::ioctl(copy, kfd_sys::AMDKFD_IOC_GET_VERSION as _, argument), 0);
                assert_eq!(version.major_version, 1);
                // Another file at the same number is not the device.
                libc::dup2(libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY), copy);
                assert_eq!(libc::ioctl(copy, kfd_sys::AMDKFD_IOC_GET_VERSION as _, argument), -1);
            }
        }
    });
}

#[test]
fn requests_of_every_file() {
    on_gpu("requests_of_every_file", || {
        let device = Device::open(1);
        for fd in [device.kfd.as_raw_fd(), device.render[0].as_raw_fd()] {
            // SAFETY: plain system calls; FIONBIO and FIOASYNC read an int.
            unsafe {
                let closes_on_exec = || libc::fcntl(fd, libc::F_GETFD) & libc::FD_CLOEXEC != 0;
                for (request, closes) in [(libc::FIONCLEX, false), (libc::FIOCLEX, true), (libc::FIONCLEX, false)] {
                    assert_eq!(libc::ioctl(fd, request), 0);
                    assert_eq!(closes_on_exec(), closes);
                }
                assert_eq!(libc::ioctl(fd, libc::FIONBIO, &1), 0);
                assert_ne!(libc::fcntl(fd, libc::F_GETFL) & libc::O_NONBLOCK, 0);
                assert_eq!(libc::ioctl(fd, libc::FIONBIO, std::ptr::null::<libc::c_int>()), -1);
                assert_eq!(std::io::Error::last_os_error().raw_os_error(), Some(libc::EFAULT));
                // Neither driver can tell of events by a signal.
                assert_eq!(libc::ioctl(fd, libc::FIOASYNC, &1), -1);
                assert_eq!(std::io::Error::last_os_error().raw_os_error(), Some(libc::ENOTTY));
            }
        }
    });
}

#[test]
fn without_the_device_nothing_changes() {
    let output = std::process::Command::new("/bin/ls").arg("/dev/kfd").env_remove("VGPU_GPU").output().unwrap();
    assert!(!output.status.success() || std::path::Path::new("/dev/kfd").exists());
}

/// The bytes of a file that is opened relative to a directory.
fn read_at(directory: i32, path: &CStr) -> Result<String, i32> {
    use std::io::Read;
    use std::os::fd::FromRawFd;
    // SAFETY: a C string.
    let fd = unsafe { libc::openat(directory, path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if fd < 0 {
        return Err(std::io::Error::last_os_error().raw_os_error().unwrap());
    }
    let mut text = String::new();
    // SAFETY: new and ours.
    unsafe { fs::File::from_raw_fd(fd) }.read_to_string(&mut text).unwrap();
    Ok(text)
}

fn directory(path: &CStr) -> i32 {
    // SAFETY: a C string.
    let fd = unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC) };
    assert!(fd >= 0, "{path:?}: {}", std::io::Error::last_os_error());
    fd
}

#[test]
fn paths_from_directories_of_the_machine() {
    on_gpu("paths_from_directories_of_the_machine", || {
        let id = fs::read_to_string("/sys/class/kfd/kfd/topology/nodes/1/gpu_id").unwrap();
        let from = |at: &CStr, path: &CStr| read_at(directory(at), path);
        // As hwloc does it, whose root may be another one.
        assert_eq!(from(c"/", c"sys/class/kfd/kfd/topology/nodes/1/gpu_id").as_ref(), Ok(&id));
        assert_eq!(from(c"/sys/class", c"kfd/kfd/topology/nodes/1/gpu_id").as_ref(), Ok(&id));
        assert_eq!(from(c"/sys/class", c"../class/kfd/kfd/topology/nodes/1/gpu_id").as_ref(), Ok(&id));
        assert_eq!(from(c"/", c"sys/class/kfd/kfd/topology/nodes/9/gpu_id"), Err(libc::ENOENT));
        assert_eq!(from(c"/", c"proc/self/no-such-file"), Err(libc::ENOENT));
        // From a virtual directory to the machine's own.
        let online = fs::read_to_string("/sys/devices/system/cpu/online").unwrap();
        assert_eq!(from(c"/sys/class/kfd", c"../../devices/system/cpu/online").as_ref(), Ok(&online));
        let root = directory(c"/");
        // SAFETY: C strings, and buffers of the size that is told.
        unsafe {
            let mut status = std::mem::zeroed::<libc::stat>();
            assert_eq!(libc::fstatat(root, c"dev/kfd".as_ptr(), &mut status, 0), 0);
            assert_eq!(status.st_mode & libc::S_IFMT, libc::S_IFCHR);
            assert_eq!(libc::faccessat(root, c"dev/dri/renderD128".as_ptr(), libc::R_OK | libc::W_OK, 0), 0);
            let mut link = [0u8; 64];
            let length = libc::readlinkat(root, c"sys/class/kfd/kfd".as_ptr(), link.as_mut_ptr().cast(), 64);
            assert_eq!(&link[..length as usize], b"../../devices/virtual/kfd/kfd");
            // A stream of what the descriptor of a real directory shows, with what is virtual.
            let stream = libc::fdopendir(libc::openat(root, c"sys/class".as_ptr(), libc::O_RDONLY));
            let mut seen = BTreeSet::new();
            while let Some(entry) = libc::readdir(stream).as_ref() {
                seen.insert(CStr::from_ptr(entry.d_name.as_ptr()).to_str().unwrap().to_owned());
            }
            assert!(seen.is_superset(&["kfd", "drm", "net"].map(String::from).into()), "{seen:?}");
            assert_eq!(libc::closedir(stream), 0);
        }
    });
}

#[test]
fn links_of_the_program_lead_to_the_device() {
    on_gpu("links_of_the_program_lead_to_the_device", || {
        let folder = temporary().join("links-to-the-device");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let link = |name: &str, target: &str| {
            std::os::unix::fs::symlink(target, folder.join(name)).unwrap();
            folder.join(name)
        };
        let kfd = link("device", "/dev/kfd");
        assert!(fs::metadata(&kfd).unwrap().file_type().is_char_device());
        assert!(fs::symlink_metadata(&kfd).unwrap().file_type().is_symlink());
        assert_eq!(fs::read_link(&kfd).unwrap().to_str(), Some("/dev/kfd"));
        assert_eq!(errno(fs::metadata(kfd.join(""))), libc::ENOTDIR);
        let classes = link("classes", "/sys/class");
        let id = "kfd/kfd/topology/nodes/1/gpu_id";
        assert_eq!(fs::read_to_string(classes.join(id)).unwrap(), "51110\n");
        assert!(names(classes.to_str().unwrap()).contains("kfd"));
        assert_eq!(names(classes.join("kfd").to_str().unwrap()), ["kfd".to_owned()].into());
        // A link to a link, relative, and from the working directory.
        let up = "../".repeat(folder.components().count());
        link("relative", &format!("{up}sys/class/kfd/kfd"));
        link("twice", "relative");
        assert_eq!(
            fs::canonicalize(folder.join("twice/topology")).unwrap(),
            std::path::Path::new("/sys/devices/virtual/kfd/kfd/topology")
        );
        std::env::set_current_dir(&folder).unwrap();
        assert_eq!(fs::read_to_string("twice/topology/nodes/1/gpu_id").unwrap(), "51110\n");
        assert_eq!(errno(fs::read_to_string("twice/topology/nodes/9/gpu_id")), libc::ENOENT);
        assert_eq!(errno(fs::read_to_string("no/such/file")), libc::ENOENT);
        link("round", "round");
        assert_eq!(errno(fs::read_to_string("round")), libc::ELOOP);
    });
}

#[test]
fn virtual_directories_can_be_the_working_directory() {
    on_gpu("virtual_directories_can_be_the_working_directory", || {
        let topology = "/sys/devices/virtual/kfd/kfd/topology";
        let here = || std::env::current_dir().unwrap().to_str().unwrap().to_owned();
        std::env::set_current_dir("/sys/class/kfd/kfd/topology").unwrap();
        assert_eq!(here(), topology);
        assert_eq!(fs::read_to_string("nodes/1/gpu_id").unwrap(), "51110\n");
        assert_eq!(names("nodes"), ["0", "1"].map(String::from).into());
        assert_eq!(fs::canonicalize(".").unwrap().to_str(), Some(topology));
        // What the kernel has meanwhile is not seen.
        assert_eq!(errno(fs::read_to_string("self/maps")), libc::ENOENT);
        assert_eq!(errno(std::env::set_current_dir("generation_id")), libc::ENOTDIR);
        assert_eq!(errno(std::env::set_current_dir("nowhere")), libc::ENOENT);
        std::env::set_current_dir("nodes/1").unwrap();
        assert_eq!(here(), format!("{topology}/nodes/1"));
        let mut buffer = [0u8; 8];
        // SAFETY: a buffer of that size; memory of malloc's.
        unsafe {
            assert!(libc::getcwd(buffer.as_mut_ptr().cast(), buffer.len()).is_null());
            assert_eq!(std::io::Error::last_os_error().raw_os_error(), Some(libc::ERANGE));
            let path = libc::getcwd(std::ptr::null_mut(), 0);
            assert_eq!(CStr::from_ptr(path).to_str(), Ok(format!("{topology}/nodes/1").as_str()));
            libc::free(path.cast());
        }
        // By a descriptor, and out again to the machine's own.
        // SAFETY: a descriptor of this test's.
        assert_eq!(unsafe { libc::fchdir(directory(c"/sys/class/kfd")) }, 0);
        assert_eq!(here(), "/sys/class/kfd");
        std::env::set_current_dir("../../class").unwrap();
        assert_eq!((here().as_str(), names(".").contains("kfd")), ("/sys/class", true));
        assert_eq!(fs::read_to_string("kfd/kfd/topology/nodes/1/gpu_id").unwrap(), "51110\n");
        std::env::set_current_dir("/proc/self").unwrap();
        assert_eq!(errno(fs::read_to_string("kfd/kfd/topology/nodes/1/gpu_id")), libc::ENOENT);
    });
}

#[test]
fn a_shell_goes_into_virtual_directories() {
    let script = "cd /sys/class/kfd/kfd/topology/nodes && cat 1/gpu_id && pwd && cd 1 && cat gpu_id && cd .. && ls && cd /proc/self && cat comm";
    let output = vgpu(&[]).args(["sh", "-c", script]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(text, "51110\n/sys/class/kfd/kfd/topology/nodes\n51110\n0\n1\nsh\n");
}

/// As rocm-smi finds GPUs: it takes a card for one by these files.
#[test]
fn cards_have_what_describes_them() {
    on_gpus(2, "cards_have_what_describes_them", || {
        for index in 0..2 {
            let card = format!("/sys/class/drm/card{index}/device");
            assert_eq!(fs::read_to_string(format!("{card}/vbios_version")).unwrap(), "vgpu\n");
            assert_eq!(fs::read_to_string(format!("{card}/pp_dpm_sclk")).unwrap(), "0: 1502Mhz *\n");
            let config = fs::read(format!("{card}/config")).unwrap();
            assert_eq!((config.len(), &config[..4]), (256, &[0x02, 0x10, 0x8c, 0x73][..]));
        }
        assert_eq!(fs::read_to_string("/sys/module/amdgpu/parameters/cwsr_enable").unwrap(), "1\n");
        // Where the machine has no such directory, the virtual one is there alone.
        assert!(fs::metadata("/sys/devices/pci0000:20").unwrap().is_dir());
    });
}
