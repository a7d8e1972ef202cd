//! What programs find at descriptors of the device's files.
mod common;

use common::*;
use kfd_sys::*;
use libc::c_int;
use std::ffi::{CStr, CString, c_void};
use std::fs;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::process::Command;

fn last_errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap()
}

fn open(path: &str, flags: c_int) -> Result<OwnedFd, i32> {
    let path = CString::new(path).unwrap();
    // SAFETY: a C string.
    let fd = unsafe { libc::open(path.as_ptr(), flags | libc::O_CLOEXEC, 0o600) };
    // SAFETY: new and ours.
    if fd < 0 { Err(last_errno()) } else { Ok(unsafe { OwnedFd::from_raw_fd(fd) }) }
}

const FILE: &str = "/sys/class/kfd/kfd/topology/nodes/1/properties";
const LIVE: &str = "/sys/class/drm/renderD128/device/mem_info_vram_used";
const DIRECTORY: &str = "/sys/class/kfd/kfd/topology/nodes";

#[test]
fn a_file_is_one_by_its_path_and_by_its_descriptor() {
    on_gpu("a_file_is_one_by_its_path_and_by_its_descriptor", || {
        for path in [FILE, LIVE, DIRECTORY, "/dev/kfd", "/dev/dri/renderD128", "/dev/dri"] {
            let what = |data: &fs::Metadata| {
                (data.dev(), data.ino(), data.mode(), data.nlink(), data.rdev(), data.size(), data.blocks())
            };
            let by_path = fs::metadata(path).unwrap();
            assert_eq!(what(&fs::File::open(path).unwrap().metadata().unwrap()), what(&by_path), "{path}");
            let only_path = fs::File::from(open(path, libc::O_PATH).unwrap());
            assert_eq!(what(&only_path.metadata().unwrap()), what(&by_path), "{path}");
        }
        // Programs that copy files look whether what they have opened is what they were told to.
        let folder = temporary().join("copies-of-files");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        for program in ["cp", "install"] {
            let copy = folder.join(program);
            let output = Command::new(program).arg(FILE).arg(&copy).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            assert_eq!(fs::read_to_string(copy).unwrap(), fs::read_to_string(FILE).unwrap());
        }
    });
}

#[test]
fn files_are_opened_as_asked() {
    on_gpu("files_are_opened_as_asked", || {
        // SAFETY: plain system calls on descriptors that are open.
        unsafe {
            for (path, flags) in [
                (FILE, libc::O_RDONLY),
                (LIVE, libc::O_RDONLY | libc::O_NONBLOCK),
                ("/dev/kfd", libc::O_RDWR),
                ("/dev/kfd", libc::O_RDONLY),
                ("/dev/kfd", libc::O_PATH),
                ("/dev/dri/renderD128", libc::O_RDWR | libc::O_NONBLOCK),
            ] {
                let file = open(path, flags).unwrap();
                let kept = libc::O_ACCMODE | libc::O_NONBLOCK | libc::O_PATH;
                assert_eq!(libc::fcntl(file.as_raw_fd(), libc::F_GETFL) & kept, flags, "{path}");
                assert_eq!(libc::fcntl(file.as_raw_fd(), libc::F_GETFD), libc::FD_CLOEXEC);
            }
            let file = open(FILE, libc::O_RDONLY).unwrap();
            assert_eq!((libc::write(file.as_raw_fd(), c"x".as_ptr().cast(), 1), last_errno()), (-1, libc::EBADF));
            let only_path = open("/dev/kfd", libc::O_PATH).unwrap();
            let mut version = kfd_ioctl_get_version_args::default();
            assert_eq!(errno(amdkfd_ioc_get_version(only_path.as_fd(), &mut version)), libc::EBADF);
        }
        let refusal = |path, flags| open(path, flags).map(drop).unwrap_err();
        assert_eq!(refusal("/dev/kfd", libc::O_RDWR | libc::O_CREAT | libc::O_EXCL), libc::EEXIST);
        assert_eq!(refusal(DIRECTORY, libc::O_RDONLY | libc::O_CREAT), libc::EISDIR);
        assert_eq!(refusal("/dev/kfd/", libc::O_RDWR), libc::ENOTDIR);
        assert_eq!(refusal(&format!("{FILE}/"), libc::O_RDONLY), libc::ENOTDIR);
        assert_eq!(open(&format!("{DIRECTORY}/"), libc::O_RDONLY).map(drop), Ok(()));
        assert_eq!(errno(fs::metadata("/dev/kfd/")), libc::ENOTDIR);
        assert!(fs::symlink_metadata("/sys/class/kfd/kfd/").unwrap().is_dir());
    });
}

/// What a program finds that another one, which it takes the place of, had opened.
fn inherited([kfd, render, directory]: [c_int; 3]) {
    // SAFETY: descriptors that the other program left open, each for this one alone.
    let [kfd, render, directory] = [kfd, render, directory].map(|fd| unsafe { OwnedFd::from_raw_fd(fd) });
    let mut version = kfd_ioctl_get_version_args::default();
    // SAFETY: no addresses.
    assert_eq!(errno(unsafe { amdkfd_ioc_get_version(kfd.as_fd(), &mut version) }), libc::EBADF);
    assert_eq!(shared(&kfd, 0, 4096), Some(libc::EINVAL));
    let name = |node: &OwnedFd| {
        let mut text = [0u8; 16];
        let mut version =
            drm_version { name: text.as_mut_ptr().cast(), name_len: text.len() as _, ..Default::default() };
        // SAFETY: the text is as long as it says.
        unsafe { drm_ioctl_version(node.as_fd(), &mut version) }.unwrap();
        String::from_utf8_lossy(&text[..version.name_len]).into_owned()
    };
    assert_eq!(name(&render), "amdgpu");
    // SAFETY: plain system call; the descriptor is new and ours.
    let copy = unsafe { OwnedFd::from_raw_fd(libc::dup(render.as_raw_fd())) };
    // It has no buffers yet, and its copy is the same open file.
    assert_eq!(shared(&render, 0, 4096), Some(libc::EINVAL));
    let gem = |node: &OwnedFd| {
        let (domains, domain_flags) = (AMDGPU_GEM_DOMAIN_GTT.into(), 0);
        let in_ = drm_amdgpu_gem_create_in { bo_size: 4096, alignment: 4096, domains, domain_flags };
        let mut args = drm_amdgpu_gem_create { in_ };
        // SAFETY: no addresses; the driver fills the answer in.
        unsafe { drm_ioctl_amdgpu_gem_create(node.as_fd(), &mut args).map(|()| args.out.handle) }.unwrap()
    };
    assert_eq!([gem(&render), gem(&copy)], [1, 2]);
    let device = Device { kfd: open_kfd().unwrap(), render: vec![render], gpu_ids: vec![gpu_id(0)] };
    device.acquire_vm(device.gpu_ids[0], device.render[0].as_fd()).unwrap();
    let status = fs::File::from(kfd).metadata().unwrap();
    assert_eq!(status.rdev(), fs::metadata("/dev/kfd").unwrap().rdev());
    // SAFETY: a C string.
    let file = unsafe { libc::openat(directory.as_raw_fd(), c"1/gpu_id".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    // SAFETY: new and ours.
    let text = std::io::read_to_string(unsafe { fs::File::from_raw_fd(file) }).unwrap();
    assert_eq!(text, "51110\n");
}

#[test]
fn programs_inherit_descriptors() {
    const OPEN: &str = "PROGRAMS_INHERIT_DESCRIPTORS";
    if let Ok(open) = std::env::var(OPEN) {
        let mut numbers = open.split(',').map(|number| number.parse().unwrap());
        return inherited(std::array::from_fn(|_| numbers.next().unwrap()));
    }
    on_gpu("programs_inherit_descriptors", || {
        let files = ["/dev/kfd", "/dev/dri/renderD128", DIRECTORY].map(|path| {
            let access = if path == DIRECTORY { libc::O_RDONLY } else { libc::O_RDWR };
            let file = open(path, access).unwrap();
            // SAFETY: plain system call.
            assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETFD, 0) }, 0);
            file
        });
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "programs_inherit_descriptors", "--nocapture"])
            .env(OPEN, files.each_ref().map(|file| file.as_raw_fd().to_string()).join(","))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}{output:?}");
    });
}

/// `dma_buf_ioctl`.
#[test]
fn requests_of_dmabufs() {
    on_gpu("requests_of_dmabufs", || {
        let device = Device::open(1);
        let object = device.alloc(0, reserve(4096), 4096, VRAM, 0).unwrap();
        let dmabuf = device.export(object.handle).unwrap();
        let ask = |request: u64, argument: *mut c_void| {
            // SAFETY: an argument of the size that the request says, or a bad one.
            let result = unsafe { libc::ioctl(dmabuf.as_raw_fd(), request, argument) };
            if result == 0 { Ok(()) } else { Err(last_errno()) }
        };
        const SYNC: u64 = 0x4008_6200;
        let sync = |mut flags: u64| ask(SYNC, std::ptr::from_mut(&mut flags).cast());
        // Begin and end of reading, writing and both.
        for flags in [1, 2, 3, 5, 6, 7] {
            assert_eq!(sync(flags), Ok(()), "{flags}");
        }
        for flags in [0, 4, 8, 9, 1 << 63 | 1] {
            assert_eq!(sync(flags), Err(libc::EINVAL), "{flags:#x}");
        }
        assert_eq!(ask(SYNC, std::ptr::without_provenance_mut(8)), Err(libc::EFAULT));
        assert_eq!(ask(0xc008_6202, std::ptr::null_mut()), Err(libc::ENOTTY));
    });
}

/// Memory files of the program's own are no files of the device, whatever is in them.
#[test]
fn other_memory_files_are_the_programs() {
    on_gpu("other_memory_files_are_the_programs", || {
        for name in [c"vgpu", c"vgpu-other", c"kfd"] as [&CStr; 3] {
            // SAFETY: a C string; the descriptor is new and ours.
            let file = unsafe { fs::File::from_raw_fd(libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC)) };
            file.set_len(5000).unwrap();
            let status = file.metadata().unwrap();
            assert!(status.is_file() && status.len() == 5000, "{name:?}");
            let mut version = kfd_ioctl_get_version_args::default();
            // SAFETY: no addresses.
            assert_eq!(errno(unsafe { amdkfd_ioc_get_version(file.as_fd(), &mut version) }), libc::ENOTTY);
        }
    });
}
