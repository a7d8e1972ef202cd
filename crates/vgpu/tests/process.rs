//! Programs that fork, end at any moment, and return statuses.
mod common;

use common::*;
use kfd_sys::*;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Forks; the child runs `body` and exits with 0 if it returns true. Returns the child's wait status.
fn fork(body: impl FnOnce() -> bool) -> i32 {
    // SAFETY: the child only runs `body` and exits without unwinding.
    unsafe {
        let pid = libc::fork();
        assert!(pid >= 0);
        if pid == 0 {
            let good = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).unwrap_or(false);
            libc::_exit(i32::from(!good));
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(pid, &mut status, 0), pid);
        status
    }
}

#[test]
fn a_forked_child_starts_afresh() {
    on_gpu("a_forked_child_starts_afresh", || {
        let device = Device::open(1);
        let va = reserve(1 << 20);
        let object = device.alloc(0, va, 1 << 20, VRAM, 0).unwrap();
        let descriptors = || {
            std::fs::read_dir("/proc/self/fd").unwrap().filter_map(Result::ok).filter(|entry| {
                let target = std::fs::read_link(entry.path()).unwrap_or_default();
                target.to_string_lossy().contains("vgpu-vram")
            })
        };
        assert_eq!(descriptors().count(), 1);
        let doorbells = (3 << 62 | u64::from(device.gpu_ids[0]) << 46) as i64;
        // SAFETY: a new mapping.
        let page = unsafe { libc::mmap(std::ptr::null_mut(), 8192, 3, 1, device.kfd.as_raw_fd(), doorbells) };
        assert_ne!(page, libc::MAP_FAILED);
        let last_errno = || std::io::Error::last_os_error().raw_os_error().unwrap();
        let status = fork(|| {
            // The parent's descriptor is not the child's, and its memory is not held by the child.
            let mut version = kfd_ioctl_get_version_args::default();
            // SAFETY: no addresses.
            let inherited = unsafe { amdkfd_ioc_get_version(device.fd(), &mut version) };
            assert_eq!(errno(inherited), libc::EBADF);
            // SAFETY: no request has this number.
            let unknown = unsafe { ioctl(device.fd(), 0xc008_4b7f, std::ptr::from_mut(&mut version).cast()) };
            assert_eq!(errno(unknown), libc::ENOTTY);
            // SAFETY: a new mapping.
            let mapped = unsafe { libc::mmap(std::ptr::null_mut(), 8192, 3, 1, device.kfd.as_raw_fd(), doorbells) };
            assert_eq!((mapped, last_errno()), (libc::MAP_FAILED, libc::EINVAL));
            // Its doorbells have not come along.
            // SAFETY: it reads and writes nothing.
            assert_eq!(unsafe { libc::msync(page, 8192, libc::MS_ASYNC) }, -1);
            assert_eq!(last_errno(), libc::ENOMEM);
            // Its render node answers, but its address space is the parent's.
            let mut version = drm_version::default();
            // SAFETY: no room for strings is offered.
            unsafe { drm_ioctl_version(device.render[0].as_fd(), &mut version) }.unwrap();
            assert_eq!(version.version_major, 3);
            let kfd = open_kfd().unwrap();
            let drm_fd = device.render[0].as_raw_fd() as u32;
            let mut acquire = kfd_ioctl_acquire_vm_args { drm_fd, gpu_id: device.gpu_ids[0] };
            // SAFETY: no addresses.
            assert_eq!(errno(unsafe { amdkfd_ioc_acquire_vm(kfd.as_fd(), &mut acquire) }), libc::EINVAL);
            assert_eq!(descriptors().count(), 0);
            let own = Device::open(1);
            let object = own.alloc(0, va, 1 << 20, VRAM, 0).unwrap();
            own.map(object.handle, &own.gpu_ids).unwrap();
            own.unmap(object.handle, &own.gpu_ids).unwrap();
            own.free(object.handle).is_ok()
        });
        assert_eq!(status, 0);
        device.map(object.handle, &device.gpu_ids).unwrap();
    });
}

#[test]
fn a_forked_child_has_no_doorbells() {
    on_gpu("a_forked_child_has_no_doorbells", || {
        let device = Device::open(1);
        let offset = 3 << 62 | u64::from(device.gpu_ids[0]) << 46;
        let doorbells = map_host(std::ptr::null_mut(), 8192, 3, libc::MAP_SHARED, device.kfd.as_raw_fd(), offset);
        let mapped = || {
            // SAFETY: only asks whether something is mapped there.
            unsafe { libc::msync(std::ptr::without_provenance_mut(doorbells as usize), 8192, libc::MS_ASYNC) == 0 }
        };
        assert!(mapped());
        assert_eq!(fork(|| !mapped()), 0);
    });
}

/// In a destructor that runs after those of the thread's variables.
#[test]
fn forking_while_a_thread_ends() {
    use std::sync::atomic::{AtomicI32, Ordering};

    static STATUS: AtomicI32 = AtomicI32::new(-1);
    unsafe extern "C" fn at_end(_: *mut libc::c_void) {
        STATUS.store(fork(|| open_kfd().is_ok()), Ordering::Relaxed);
    }
    on_gpu("forking_while_a_thread_ends", || {
        let device = Device::open(1);
        std::thread::spawn(|| {
            assert_eq!(fork(|| open_kfd().is_ok()), 0);
            let mut key = 0;
            // SAFETY: the destructor takes any value.
            unsafe {
                assert_eq!(libc::pthread_key_create(&mut key, Some(at_end)), 0);
                assert_eq!(libc::pthread_setspecific(key, std::ptr::dangling()), 0);
            }
        })
        .join()
        .unwrap();
        assert_eq!(STATUS.load(Ordering::Relaxed), 0);
        assert!(device.available(0) > 0);
    });
}

#[test]
fn forking_while_other_threads_use_the_device() {
    on_gpu("forking_while_other_threads_use_the_device", || {
        let device = Device::open(1);
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for thread in 0..2u64 {
                let (device, stop) = (&device, &stop);
                scope.spawn(move || {
                    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                        let object = device.alloc(0, 0x10_0000 * (thread + 1), 4096, GTT, 0).unwrap();
                        device.map(object.handle, &device.gpu_ids).unwrap();
                        device.unmap(object.handle, &device.gpu_ids).unwrap();
                        device.free(object.handle).unwrap();
                    }
                });
            }
            for _ in 0..50 {
                assert_eq!(fork(|| Device::open(1).available(0) > 0), 0);
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    });
}

#[test]
fn forking_while_other_threads_read_directories() {
    on_gpu("forking_while_other_threads_read_directories", || {
        let nodes = || std::fs::read_dir("/sys/class/kfd/kfd/topology/nodes").unwrap().count();
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                        assert_eq!(nodes(), 2);
                    }
                });
            }
            for _ in 0..200 {
                let child = || {
                    // SAFETY: ends the child, should it hang.
                    unsafe { libc::alarm(30) };
                    nodes() == 2
                };
                assert_eq!(fork(child), 0);
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    });
}

#[test]
fn processes_share_the_memory_of_the_gpu() {
    on_gpu("processes_share_the_memory_of_the_gpu", || {
        const GIB: u64 = 1 << 30;
        const VA: u64 = 1 << 40;
        let device = Device::open(1);
        let all = device.available(0);
        // Nothing is touched, so nothing is needed of the host.
        let first = device.alloc(0, VA, 20 * GIB, VRAM, 0).unwrap();
        let child = |taken: u64| {
            let own = Device::open(1);
            let free = own.available(0) == all - taken;
            own.alloc(0, VA, 8 * GIB, VRAM, 0).unwrap();
            let full = errno(own.alloc(0, VA, 24 * GIB, VRAM, 0)) == libc::ENOMEM;
            free && full
        };
        assert_eq!(fork(|| child(20 * GIB)), 0);
        // What the child had is free again, though it gave nothing back.
        assert_eq!(device.available(0), all - 20 * GIB);
        device.free(first.handle).unwrap();
        assert_eq!(device.available(0), all);
        let own = device.alloc(0, VA, GIB, VRAM, 0).unwrap();
        // A grandchild is on the same GPU.
        assert_eq!(fork(|| fork(|| child(GIB)) == 0), 0);
        device.free(own.handle).unwrap();
    });
}

const VICTIM: &str = "VGPU_TEST_VICTIM";

/// Files that a killed program could leave.
fn traces() -> BTreeSet<String> {
    ["/dev/shm", "/tmp", "/var/tmp", "/run"]
        .iter()
        .filter_map(|path| std::fs::read_dir(path).ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().to_string_lossy().into_owned()))
        .filter(|path| path.contains("vgpu"))
        .collect()
}

#[test]
fn a_killed_program_leaves_nothing() {
    if std::env::var_os(VICTIM).is_some() {
        let device = Device::open(1);
        let va = reserve(1 << 20);
        device.alloc(0, va, 1 << 20, VRAM, 0).unwrap();
        println!("\nready");
        std::thread::sleep(Duration::from_secs(60));
        return;
    }
    let before = traces();
    let mut child = vgpu(&[])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "a_killed_program_leaves_nothing", "--nocapture"])
        .env(VICTIM, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "ready"));
    let fds = format!("/proc/{}/fd", child.id());
    let held = std::fs::read_dir(&fds)
        .unwrap()
        .filter_map(Result::ok)
        .filter_map(|entry| std::fs::read_link(entry.path()).ok());
    assert!(held.filter(|target| target.to_string_lossy().starts_with("/memfd:vgpu")).count() >= 3);
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGKILL));
    // What it held were memory files without a name, so there is nothing to look for but stray processes and files.
    assert!(!std::path::Path::new(&fds).exists());
    assert_eq!(traces(), before);
}

#[test]
fn the_status_is_the_programs() {
    let status = |program: &[&str]| vgpu(&[]).args(program).stderr(Stdio::null()).status().unwrap();
    assert_eq!(status(&["sh", "-c", "exit 7"]).code(), Some(7));
    assert_eq!(status(&["sh", "-c", "kill -TERM $$"]).signal(), Some(libc::SIGTERM));
    assert_eq!(status(&["/nonexistent/program"]).code(), Some(127));
    assert_eq!(status(&["/etc/passwd"]).code(), Some(126));
}

#[test]
fn waiting_for_an_event_sleeps() {
    on_gpu("waiting_for_an_event_sleeps", || {
        let device = Device::open(1);
        let mut event =
            kfd_ioctl_create_event_args { event_type: KFD_IOC_EVENT_SIGNAL, auto_reset: 1, ..Default::default() };
        // SAFETY: no addresses.
        unsafe { amdkfd_ioc_create_event(device.fd(), &mut event) }.unwrap();
        assert_ne!(event.event_page_offset, 0);
        let wait = |timeout| {
            let mut data = kfd_event_data { event_id: event.event_id, ..Default::default() };
            let mut args = kfd_ioctl_wait_events_args {
                events_ptr: std::ptr::from_mut(&mut data).addr() as u64,
                num_events: 1,
                wait_for_all: 1,
                timeout,
                wait_result: 9,
            };
            // SAFETY: `data` is one event.
            unsafe { amdkfd_ioc_wait_events(device.fd(), &mut args) }.unwrap();
            args.wait_result
        };
        let started = Instant::now();
        assert_eq!(wait(100), KFD_IOC_WAIT_RESULT_TIMEOUT);
        assert!(started.elapsed() >= Duration::from_millis(100));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| wait(u32::MAX));
            std::thread::sleep(Duration::from_millis(50));
            let mut set = kfd_ioctl_set_event_args { event_id: event.event_id, pad: 0 };
            // SAFETY: no addresses.
            unsafe { amdkfd_ioc_set_event(device.fd(), &mut set) }.unwrap();
            assert_eq!(waiting.join().unwrap(), KFD_IOC_WAIT_RESULT_COMPLETE);
        });
    });
}

/// Lets the calling thread make only these system calls from now on, and those of a thread that ends. Any other ends
/// the process.
fn allow_only(calls: &[libc::c_long]) {
    const OF_THE_END: [libc::c_long; 6] = [
        libc::SYS_exit,
        libc::SYS_futex,
        libc::SYS_madvise,
        libc::SYS_munmap,
        libc::SYS_rt_sigprocmask,
        libc::SYS_sigaltstack,
    ];
    let statement = |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let mut filter = vec![statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0)];
    for &call in calls.iter().chain(&OF_THE_END) {
        let equal = statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, call as u32);
        filter.push(libc::sock_filter { jf: 1, ..equal });
        filter.push(statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW));
    }
    filter.push(statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_KILL_PROCESS));
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: a valid program, of as many statements as it says.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program), 0);
    }
}

/// As AMD's thunk waits for ever, in milliseconds.
const LONGEST: u32 = 0xffff_fffe;

#[test]
fn a_wait_like_the_one_before_makes_few_system_calls() {
    on_gpu("a_wait_like_the_one_before_makes_few_system_calls", || {
        let device = Device::open(1);
        let mut event =
            kfd_ioctl_create_event_args { event_type: KFD_IOC_EVENT_SIGNAL, auto_reset: 1, ..Default::default() };
        // SAFETY: no addresses.
        unsafe { amdkfd_ioc_create_event(device.fd(), &mut event) }.unwrap();
        let set = || {
            let mut set = kfd_ioctl_set_event_args { event_id: event.event_id, pad: 0 };
            // SAFETY: no addresses.
            unsafe { amdkfd_ioc_set_event(device.fd(), &mut set) }.unwrap();
        };
        // As AMD's thunk does: the request on the stack, the events elsewhere.
        let mut data = Box::new(kfd_event_data { event_id: event.event_id, ..Default::default() });
        data.__bindgen_anon_1.signal_event_data.last_event_age = 1;
        let mut wait = |timeout| {
            let mut args = kfd_ioctl_wait_events_args {
                events_ptr: std::ptr::from_mut(&mut *data).addr() as u64,
                num_events: 1,
                wait_for_all: 1,
                timeout,
                wait_result: 9,
            };
            // SAFETY: `data` is one event.
            unsafe { amdkfd_ioc_wait_events(device.fd(), &mut args) }.unwrap();
            // SAFETY: integers.
            (args.wait_result, unsafe { data.__bindgen_anon_1.signal_event_data.last_event_age })
        };
        let (ready, start) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                assert_eq!(wait(1), (KFD_IOC_WAIT_RESULT_TIMEOUT, 1));
                // Of the request: the events in and out, and the sleep.
                let of_any = [libc::SYS_process_vm_readv, libc::SYS_process_vm_writev, libc::SYS_read];
                allow_only(&[&of_any[..], &[libc::SYS_timerfd_settime, libc::SYS_prctl]].concat());
                let timed_out = wait(1);
                ready.wait();
                let first = wait(LONGEST);
                // Whoever raised the event has set the timer for the next wait like this one.
                allow_only(&of_any);
                start.wait();
                [timed_out, first, wait(LONGEST)]
            });
            ready.wait();
            std::thread::sleep(Duration::from_millis(20));
            set();
            start.wait();
            std::thread::sleep(Duration::from_millis(20));
            set();
            let complete = KFD_IOC_WAIT_RESULT_COMPLETE;
            assert_eq!(waiting.join().unwrap(), [(KFD_IOC_WAIT_RESULT_TIMEOUT, 1), (complete, 2), (complete, 3)]);
        });
    });
}

#[test]
fn monitors_get_the_events_they_ask_for() {
    on_gpu("monitors_get_the_events_they_ask_for", || {
        let device = Device::open(1);
        let mut args = kfd_ioctl_smi_events_args { gpuid: device.gpu_ids[0], anon_fd: 0 };
        // SAFETY: no addresses.
        unsafe { amdkfd_ioc_smi_events(device.fd(), &mut args) }.unwrap();
        let mask = 1u64.to_ne_bytes();
        let mut byte = 0u8;
        // SAFETY: buffers of the sizes given.
        unsafe {
            assert_eq!(libc::write(args.anon_fd as i32, mask.as_ptr().cast(), 8), 8);
            // Nothing has happened yet, and reading does not block.
            assert_eq!(libc::read(args.anon_fd as i32, std::ptr::from_mut(&mut byte).cast(), 1), -1);
        }
        assert_eq!(std::io::Error::last_os_error().raw_os_error(), Some(libc::EAGAIN));
        args.gpuid = 1;
        // SAFETY: no addresses.
        assert_eq!(errno(unsafe { amdkfd_ioc_smi_events(device.fd(), &mut args) }), libc::EINVAL);
    });
}

#[test]
fn faults_on_demand_hit_the_call_they_name() {
    if std::env::var_os("VGPU_GPU").is_some() {
        let device = Device::open(1);
        assert_eq!(device.available(0), 64 << 20);
        assert_eq!(errno(device.alloc(0, 0x10_0000, 65 << 20, VRAM, 0)), libc::ENOMEM);
        assert_eq!(errno(device.alloc(0, 0x10_0000, 4096, VRAM, 0)), libc::EBUSY);
        device.alloc(0, 0x10_0000, 4096, VRAM, 0).unwrap();
        // A queue that was not destroyed stays; one that the driver gave up leaves its id to the next.
        let queue = queues::queue(&device, KFD_IOC_QUEUE_TYPE_SDMA);
        let destroy = || {
            let mut args = kfd_ioctl_destroy_queue_args { queue_id: queue.queue_id, pad: 0 };
            // SAFETY: no addresses.
            errno(unsafe { amdkfd_ioc_destroy_queue(device.fd(), &mut args) })
        };
        assert_eq!([destroy(), destroy(), destroy()], [libc::EBUSY, libc::ETIME, libc::EINVAL]);
        assert_eq!(queues::queue(&device, KFD_IOC_QUEUE_TYPE_SDMA).queue_id, queue.queue_id);
        return;
    }
    let run = |faults: &str| {
        vgpu(&["--faults", faults])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "faults_on_demand_hit_the_call_they_name"])
            .output()
            .unwrap()
    };
    let output =
        run("vram=64M,ioctl:ALLOC_MEMORY_OF_GPU:2=EBUSY,ioctl:DESTROY_QUEUE:1=EBUSY,ioctl:DESTROY_QUEUE:2=ETIME");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(run("ioctl:NO_SUCH:1=EBUSY").status.code(), Some(2));
}
