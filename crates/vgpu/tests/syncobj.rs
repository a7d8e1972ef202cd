//! Sync objects of a render node: each way to fail and to succeed that `drm_syncobj.c` of Linux 6.12 has.
mod common;

use common::*;
use kfd_sys::*;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::process::Command;
use std::time::{Duration, Instant};

const ALL: u32 = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
const FOR_SUBMIT: u32 = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT;
const AVAILABLE: u32 = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE;
const SYNC_FILE: u32 = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE;
/// A handle that was never given out.
const NONE: u32 = 1234;
/// Where nothing is mapped.
const BAD: u64 = 16;
/// Longer than any test may take.
const LONG: Duration = Duration::from_secs(60);

type Answer<T> = Result<T, i32>;

fn answer<T>(result: io::Result<T>) -> Answer<T> {
    result.map_err(|error| error.raw_os_error().unwrap())
}

fn address<T>(values: &[T]) -> u64 {
    values.as_ptr().expose_provenance() as u64
}

/// The moment so far from now, as the requests take it.
fn after(time: Duration) -> i64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `now` is valid for writing.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec * 1_000_000_000 + now.tv_nsec + time.as_nanos() as i64
}

/// An open render node.
struct Node(OwnedFd);

macro_rules! request {
    ($node:expr, $call:ident, $args:expr) => {
        // SAFETY: addresses in the arguments are of arrays of this test, or such as the driver refuses.
        answer(unsafe { $call($node.0.as_fd(), $args) })
    };
}

impl Node {
    fn open() -> Node {
        Node(open_render_node(128).unwrap())
    }

    fn create(&self, flags: u32) -> Answer<u32> {
        let mut args = drm_syncobj_create { handle: 0, flags };
        request!(self, drm_ioctl_syncobj_create, &mut args).map(|()| args.handle)
    }

    fn destroy(&self, handle: u32, pad: u32) -> Answer<()> {
        request!(self, drm_ioctl_syncobj_destroy, &mut drm_syncobj_destroy { handle, pad })
    }

    fn to_fd(&self, handle: u32, flags: u32, pad: u32) -> Answer<OwnedFd> {
        let mut args = drm_syncobj_handle { handle, flags, fd: -1, pad, point: 0 };
        // SAFETY: a new descriptor of this test's own.
        request!(self, drm_ioctl_syncobj_handle_to_fd, &mut args).map(|()| unsafe { OwnedFd::from_raw_fd(args.fd) })
    }

    fn of_fd(&self, fd: RawFd, handle: u32, flags: u32, pad: u32) -> Answer<u32> {
        let mut args = drm_syncobj_handle { handle, flags, fd, pad, point: 0 };
        request!(self, drm_ioctl_syncobj_fd_to_handle, &mut args).map(|()| args.handle)
    }

    fn array(handles: &[u32], pad: u32) -> drm_syncobj_array {
        drm_syncobj_array { handles: address(handles), count_handles: handles.len() as u32, pad }
    }

    fn signal(&self, handles: &[u32]) -> Answer<()> {
        request!(self, drm_ioctl_syncobj_signal, &mut Node::array(handles, 0))
    }

    fn reset(&self, handles: &[u32]) -> Answer<()> {
        request!(self, drm_ioctl_syncobj_reset, &mut Node::array(handles, 0))
    }

    fn timeline(handles: &[u32], points: u64, flags: u32) -> drm_syncobj_timeline_array {
        drm_syncobj_timeline_array { handles: address(handles), points, count_handles: handles.len() as u32, flags }
    }

    fn signal_points(&self, handles: &[u32], points: &[u64]) -> Answer<()> {
        request!(self, drm_ioctl_syncobj_timeline_signal, &mut Node::timeline(handles, address(points), 0))
    }

    fn query(&self, handle: u32) -> u64 {
        let mut point = [u64::MAX];
        let at = point.as_mut_ptr().expose_provenance() as u64;
        for flags in [0, DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED] {
            request!(self, drm_ioctl_syncobj_query, &mut Node::timeline(&[handle], at, flags)).unwrap();
        }
        // SAFETY: a number of this test, that the driver wrote.
        unsafe { point.as_ptr().read_volatile() }
    }

    fn wait(&self, handles: &[u32], flags: u32, timeout_nsec: i64) -> Answer<u32> {
        let mut args = drm_syncobj_wait {
            handles: address(handles),
            timeout_nsec,
            count_handles: handles.len() as u32,
            flags,
            first_signaled: 0,
            pad: 0,
            deadline_nsec: 0,
        };
        request!(self, drm_ioctl_syncobj_wait, &mut args).map(|()| args.first_signaled)
    }

    fn wait_points(&self, handles: &[u32], points: u64, flags: u32, timeout_nsec: i64) -> Answer<u32> {
        let mut args = drm_syncobj_timeline_wait {
            handles: address(handles),
            points,
            timeout_nsec,
            count_handles: handles.len() as u32,
            flags,
            first_signaled: 0,
            pad: 0,
            deadline_nsec: 0,
        };
        request!(self, drm_ioctl_syncobj_timeline_wait, &mut args).map(|()| args.first_signaled)
    }

    fn wait_point(&self, handle: u32, point: u64, flags: u32, timeout: i64) -> Answer<u32> {
        self.wait_points(&[handle], address(&[point]), flags, timeout)
    }

    fn transfer(&self, from: (u32, u64), to: (u32, u64), flags: u32, pad: u32) -> Answer<()> {
        let ((src_handle, src_point), (dst_handle, dst_point)) = (from, to);
        let mut args = drm_syncobj_transfer { src_handle, dst_handle, src_point, dst_point, flags, pad };
        request!(self, drm_ioctl_syncobj_transfer, &mut args)
    }
}

#[test]
fn capabilities_are_told() {
    on_gpu("capabilities_are_told", || {
        let node = Node::open();
        let ask = |capability: u64| {
            let mut args = drm_get_cap { capability, value: 99 };
            request!(node, drm_ioctl_get_cap, &mut args).map(|()| args.value)
        };
        for (capability, value) in
            [(DRM_CAP_SYNCOBJ, 1), (DRM_CAP_SYNCOBJ_TIMELINE, 1), (DRM_CAP_TIMESTAMP_MONOTONIC, 1), (DRM_CAP_PRIME, 3)]
        {
            assert_eq!(ask(capability.into()), Ok(value));
        }
        for capability in [0, DRM_CAP_DUMB_BUFFER.into(), u64::from(DRM_CAP_SYNCOBJ) << 32] {
            assert_eq!(ask(capability), Err(libc::EOPNOTSUPP));
        }
    });
}

#[test]
fn each_request_refuses_what_linux_refuses() {
    on_gpu("each_request_refuses_what_linux_refuses", || {
        let node = Node::open();
        let known = node.create(0).unwrap();
        let signaled = node.create(DRM_SYNCOBJ_CREATE_SIGNALED).unwrap();
        assert_eq!((known, signaled), (1, 2));
        let (invalid, none, fault) = (Err(libc::EINVAL), Err(libc::ENOENT), Err(libc::EFAULT));

        assert_eq!(node.create(2).map(|_| ()), invalid);
        assert_eq!(node.destroy(known, 1), invalid);
        assert_eq!(node.destroy(NONE, 0), invalid);

        let to_fd = |handle, flags, pad| node.to_fd(handle, flags, pad).map(|_| ());
        assert_eq!(to_fd(known, 0, 1), invalid);
        assert_eq!(to_fd(known, 2, 0), invalid);
        assert_eq!(to_fd(known, 3, 0), invalid);
        assert_eq!(to_fd(NONE, 0, 0), invalid);
        assert_eq!(to_fd(NONE, SYNC_FILE, 0), none);
        assert_eq!(to_fd(known, SYNC_FILE, 0), invalid, "there is no fence");

        let fd = node.to_fd(signaled, 0, 0).unwrap();
        let file = node.to_fd(signaled, SYNC_FILE, 0).unwrap();
        let of_fd = |fd, handle, flags, pad| node.of_fd(fd, handle, flags, pad).map(|_| ());
        assert_eq!(of_fd(fd.as_raw_fd(), 0, 0, 1), invalid);
        assert_eq!(of_fd(fd.as_raw_fd(), 0, 2, 0), invalid);
        for other in [-1, 4321, node.0.as_raw_fd(), file.as_raw_fd(), 0] {
            assert_eq!(of_fd(other, 0, 0, 0), invalid);
        }
        assert_eq!(of_fd(fd.as_raw_fd(), known, SYNC_FILE, 0), invalid, "a sync object is no sync file");
        assert_eq!(of_fd(file.as_raw_fd(), NONE, SYNC_FILE, 0), none);

        for array in [drm_ioctl_syncobj_reset, drm_ioctl_syncobj_signal] {
            let ask = |mut args| request!(node, array, &mut args);
            assert_eq!(ask(Node::array(&[known], 1)), invalid);
            assert_eq!(ask(Node::array(&[], 0)), invalid);
            assert_eq!(ask(Node::array(&[known, NONE], 0)), none);
            assert_eq!(ask(drm_syncobj_array { handles: BAD, count_handles: 1, pad: 0 }), fault);
        }
        let mut point = [7];
        let at = point.as_mut_ptr().expose_provenance() as u64;
        for array in [drm_ioctl_syncobj_timeline_signal, drm_ioctl_syncobj_query] {
            let ask = |mut args| request!(node, array, &mut args);
            assert_eq!(ask(Node::timeline(&[known], at, 2)), invalid);
            assert_eq!(ask(Node::timeline(&[], at, 0)), invalid);
            assert_eq!(ask(Node::timeline(&[NONE], at, 0)), none);
            assert_eq!(ask(Node::timeline(&[known], BAD, 0)), fault);
            let args = drm_syncobj_timeline_array { handles: BAD, points: at, count_handles: 1, flags: 0 };
            assert_eq!(ask(args), fault);
        }
        assert_eq!(request!(node, drm_ioctl_syncobj_timeline_signal, &mut Node::timeline(&[known], at, 1)), invalid);
        assert_eq!(node.wait(&[known], 0, 0), Err(libc::EINVAL), "none of these gave it a fence");

        let late = after(LONG);
        assert_eq!(node.wait(&[signaled], 16, late).map(|_| ()), invalid);
        assert_eq!(node.wait(&[signaled], AVAILABLE, late).map(|_| ()), invalid);
        assert_eq!(node.wait(&[], 16, late).map(|_| ()), invalid);
        assert_eq!(node.wait(&[], 0, late).map(|_| ()), Ok(()), "there is nothing to wait for");
        assert_eq!(node.wait(&[signaled, NONE], 0, late).map(|_| ()), none);
        assert_eq!(node.wait(&[signaled, known], 0, late).map(|_| ()), invalid, "one has no fence");
        assert_eq!(node.wait_points(&[signaled], at, 16, late).map(|_| ()), invalid);
        assert_eq!(node.wait_points(&[], BAD, 0, late).map(|_| ()), Ok(()));
        assert_eq!(node.wait_points(&[NONE], at, 0, late).map(|_| ()), none);
        assert_eq!(node.wait_points(&[signaled], BAD, 0, late).map(|_| ()), fault);
        assert_eq!(node.wait_points(&[signaled], at, 0, late).map(|_| ()), invalid, "a binary fence has no point 7");

        assert_eq!(node.transfer((signaled, 0), (known, 0), 0, 1), invalid);
        assert_eq!(node.transfer((NONE, 0), (known, 0), 0, 0), none);
        assert_eq!(node.transfer((signaled, 0), (NONE, 0), 0, 0), none);
        assert_eq!(node.transfer((NONE, 0), (known, 0), AVAILABLE, 0), none);
        assert_eq!(node.transfer((signaled, 0), (known, 0), AVAILABLE, 0), invalid);
        assert_eq!(node.transfer((known, 0), (signaled, 0), 0, 0), invalid);
        assert_eq!(node.transfer((signaled, 3), (known, 5), 0, 0), invalid);
        let start = Instant::now();
        assert_eq!(node.transfer((known, 0), (signaled, 0), FOR_SUBMIT, 0), Err(libc::ETIME));
        assert!((4..20).contains(&start.elapsed().as_secs()), "{:?}", start.elapsed());
    });
}

#[test]
fn fences_and_points_are_kept() {
    on_gpu("fences_and_points_are_kept", || {
        let node = Node::open();
        let [one, two, three] = [0; 3].map(|flags| node.create(flags).unwrap());
        assert_eq!(node.query(one), 0);
        node.signal(&[one, two]).unwrap();
        assert_eq!((node.wait(&[one, two], ALL, 0), node.query(one)), (Ok(0), 0));
        node.reset(&[one]).unwrap();
        assert_eq!(node.wait(&[one], 0, 0), Err(libc::EINVAL));
        assert_eq!(node.wait(&[one, two], FOR_SUBMIT, 0), Ok(1));
        assert_eq!(node.wait(&[one, two], FOR_SUBMIT | ALL, 0), Err(libc::ETIME));

        // Points go forward only, and a binary fence takes their place.
        for (point, last) in [(5, 5), (3, 5), (1 << 40, 1 << 40), (0, 1 << 40)] {
            node.signal_points(&[three], &[point]).unwrap();
            assert_eq!(node.query(three), last);
        }
        for (point, there) in [(0, Ok(0)), (5, Ok(0)), (1 << 40, Ok(0)), ((1 << 40) + 1, Err(libc::EINVAL))] {
            assert_eq!(node.wait_point(three, point, 0, 0), there);
        }
        assert_eq!(node.wait_point(three, u64::MAX, AVAILABLE, 0), Err(libc::ETIME));
        assert_eq!(node.wait_points(&[three], 0, 0, 0), Ok(0), "no points are points 0");
        node.signal_points(&[three], &[u64::MAX]).unwrap();
        assert_eq!(node.wait_point(three, u64::MAX - 1, 0, 0), Ok(0));
        node.signal(&[three]).unwrap();
        assert_eq!((node.query(three), node.wait_point(three, 1, 0, 0)), (0, Err(libc::EINVAL)));

        // From a timeline to another, to a binary one, and back.
        node.reset(&[one, two, three]).unwrap();
        node.signal_points(&[one], &[4]).unwrap();
        node.transfer((one, 3), (two, 9), 0, 0).unwrap();
        node.transfer((one, 4), (three, 0), 0, 0).unwrap();
        assert_eq!((node.query(two), node.wait(&[three], 0, 0)), (9, Ok(0)));
        node.transfer((three, 0), (two, 20), 0, 0).unwrap();
        assert_eq!((node.query(one), node.query(two)), (4, 20));

        // A sync file keeps the fence that there was.
        let file = node.to_fd(two, SYNC_FILE, 0).unwrap();
        let mut poll = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor.
        assert_eq!((unsafe { libc::poll(&mut poll, 1, 0) }, poll.revents), (1, libc::POLLIN));
        node.reset(&[two, three]).unwrap();
        assert_eq!(node.of_fd(file.as_raw_fd(), three, SYNC_FILE, 0), Ok(three));
        assert_eq!((node.wait(&[three], 0, 0), node.wait(&[two], 0, 0)), (Ok(0), Err(libc::EINVAL)));

        // The object stays while anything leads to it; the lowest handle is the next.
        let fd = node.to_fd(three, 0, 0).unwrap();
        // SAFETY: plain system call.
        assert_eq!(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GETFD) }, libc::FD_CLOEXEC);
        node.destroy(one, 0).unwrap();
        node.destroy(three, 0).unwrap();
        assert_eq!(node.of_fd(fd.as_raw_fd(), 0, 0, 0), Ok(one));
        let again = node.of_fd(fd.as_raw_fd(), 0, 0, 0).unwrap();
        assert_eq!((again, node.wait(&[one], 0, 0)), (three, Ok(0)));
        node.reset(&[again]).unwrap();
        assert_eq!(node.wait(&[one], 0, 0), Err(libc::EINVAL), "two handles, one object");
        // Handles are a node's own.
        let other = Node::open();
        assert_eq!(other.wait(&[two], 0, 0), Err(libc::ENOENT));
        assert_eq!(other.of_fd(fd.as_raw_fd(), 0, 0, 0), Ok(1));
    });
}

#[test]
fn waits_end_by_others_threads_and_by_time() {
    on_gpu("waits_end_by_others_threads_and_by_time", || {
        let node = &Node::open();
        let [one, two] = [0; 2].map(|flags| node.create(flags).unwrap());
        for timeout in [0, -1, i64::MIN, 1] {
            assert_eq!(node.wait(&[one], FOR_SUBMIT, timeout), Err(libc::ETIME));
        }
        let start = Instant::now();
        assert_eq!(node.wait(&[one, two], FOR_SUBMIT, after(Duration::from_millis(150))), Err(libc::ETIME));
        assert!(start.elapsed() >= Duration::from_millis(150));
        let soon = |change: &(dyn Fn() + Sync), wait: &dyn Fn() -> Answer<u32>| {
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(30));
                    change();
                });
                let start = Instant::now();
                let answer = wait();
                assert!(start.elapsed() >= Duration::from_millis(25), "it did not wait");
                answer
            })
        };
        let late = i64::MAX;
        assert_eq!(soon(&|| node.signal(&[two]).unwrap(), &|| node.wait(&[one, two], FOR_SUBMIT, late)), Ok(1));
        let both = || node.wait(&[one, two], FOR_SUBMIT | ALL, late);
        assert_eq!(soon(&|| node.signal(&[one]).unwrap(), &both), Ok(1), "what was there first");
        node.reset(&[one, two]).unwrap();
        assert_eq!(soon(&|| node.signal(&[one, two]).unwrap(), &both), Ok(u32::MAX));
        node.reset(&[one, two]).unwrap();
        // A fence that is taken away at once was there.
        let pulse = || {
            node.signal(&[one]).unwrap();
            node.reset(&[one]).unwrap();
        };
        assert_eq!(soon(&pulse, &|| node.wait(&[one], FOR_SUBMIT, late)), Ok(0));
        for flags in [FOR_SUBMIT, AVAILABLE, FOR_SUBMIT | AVAILABLE] {
            node.reset(&[two]).unwrap();
            let steps = || (1..=3).for_each(|point| node.signal_points(&[two], &[point]).unwrap());
            assert_eq!(soon(&steps, &|| node.wait_point(two, 3, flags, late)), Ok(0));
        }
        node.reset(&[one]).unwrap();
        let transfer = || node.transfer((one, 0), (two, 8), FOR_SUBMIT, 0).map(|()| 0);
        assert_eq!(soon(&|| node.signal(&[one]).unwrap(), &transfer), Ok(0));
        assert_eq!(node.query(two), 8);
    });
}

/// Names the descriptor in the environment of the other process.
const SHARED: &str = "TEST_SYNCOBJ";

#[test]
fn processes_share_an_object_by_its_descriptor() {
    const NAME: &str = "processes_share_an_object_by_its_descriptor";
    on_gpu(NAME, || {
        let node = Node::open();
        if let Some(fd) = std::env::var_os(SHARED) {
            let fd = fd.to_str().unwrap().parse().unwrap();
            let object = node.of_fd(fd, 0, 0, 0).unwrap();
            for round in 0..100 {
                node.wait_point(object, 2 * round + 1, FOR_SUBMIT, after(LONG)).unwrap();
                node.signal_points(&[object], &[2 * round + 2]).unwrap();
            }
            // Until it is killed.
            let late = node.wait_point(object, 1 << 20, FOR_SUBMIT, i64::MAX);
            unreachable!("{late:?}");
        }
        let object = node.create(0).unwrap();
        let fd = node.to_fd(object, 0, 0).unwrap();
        // SAFETY: plain system call.
        assert_eq!(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFD, 0) }, 0);
        let mut other = Command::new(std::env::current_exe().unwrap());
        other.args(["--exact", NAME]).env(SHARED, fd.as_raw_fd().to_string());
        let mut other = other.spawn().unwrap();
        for round in 0..100 {
            assert_eq!(node.query(object), 2 * round);
            node.signal_points(&[object], &[2 * round + 1]).unwrap();
            node.wait_point(object, 2 * round + 2, FOR_SUBMIT, after(LONG)).unwrap();
        }
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(node.query(object), 200);
        node.signal_points(&[object], &[201]).unwrap();
        assert_eq!(node.wait_point(object, 201, 0, 0), Ok(0));
    });
}
