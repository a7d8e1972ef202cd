//! C3: every way of sharing, compared on the same work.
use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cl_sys::{Cl, cl_bool, cl_command_queue, cl_event, cl_int};
use hip_sys::{Hiprtc, hipError_t, hipMemcpyKind, hipStream_t};
use hsa_sys::Hsa;
use rocm_interop::memory::Place;
use rocm_interop::opencl::{OpenClKernel, OpenClProgram};
use rocm_interop::{Buffer, Libraries, OpenCl, Session};

use crate::hand_over::Gate;
use crate::processes::lasting_handle;
use crate::trace::{Marker, Seen, between, traced};
use crate::ways::{ITEMS, Kernels, Page, WAYS, Way, after};
use crate::{assert_same, open_with, real_opencl, session};

const BYTES: usize = 4 << 20;
const ROUNDS: u32 = 3;

/// Sizes of launches that mark where a way's rounds begin and end in the device's trace.
fn marks(way: usize) -> [usize; 2] {
    [64 * (201 + 2 * way), 64 * (202 + 2 * way)]
}

#[test]
fn c3_every_way_of_sharing_does_the_same_work() {
    needs_amd_opencl!();
    let session = session();
    let (kernels, marker) = (Kernels::new(&session), Marker::new(&session));
    let mut pages = vec![Page([0; 1024]); BYTES / size_of::<Page>()];
    for (number, (name, make)) in WAYS.into_iter().enumerate() {
        let mut way = make(&session, BYTES / 4, &mut pages);
        let on_the_host = ["allocate_host", "allocate_managed", "view_pages"].contains(&name);
        let place = if on_the_host { Place::Host } else { Place::Gpu(session.device().pci()) };
        assert_eq!(way.buffer().residency().place, place, "{name}");
        way.buffer().write(&vec![1; BYTES / 4]).expect("write");
        let [begin, end] = marks(number);
        marker.mark(begin);
        for _ in 0..ROUNDS {
            way.round(&kernels);
        }
        marker.mark(end);
        let mut found = vec![0; BYTES / 4];
        way.buffer().read(&mut found).expect("read");
        let (worked, rest) = found.split_at(ITEMS);
        assert_same(worked, &[after(ROUNDS); ITEMS]);
        assert_same(rest, &vec![1; BYTES / 4 - ITEMS]);
    }
}

/// The same on a device that traces: shared bytes stay where they are, and a staged copy moves all of them up and down,
/// there and back.
#[test]
fn c3_the_device_counts_what_each_way_moves() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    let (trace, _) = traced("sharing::c3_every_way_of_sharing_does_the_same_work", Duration::from_secs(120));
    for (number, (name, _)) in WAYS.into_iter().enumerate() {
        let copied = if name == "reference copy_staged" { 4 * BYTES as u64 * u64::from(ROUNDS) } else { 0 };
        // One kernel of each API a round.
        let want = Seen { copied, kernels: 2 * ROUNDS as usize };
        assert_eq!(between(&trace, marks(number)), want, "{name}");
    }
}

/// Sets all elements to `n`, those in front before those behind.
const SET: &str = "kernel void set(global uint *x, uint len, uint n) { for (uint i = get_global_id(0); i < len; i += get_global_size(0)) x[i] = n; }";

/// What one thread reads while another one launches is what one of the launches left, of whichever owner the memory is.
#[test]
fn c3_a_read_beside_launches_is_of_one_moment_whoever_made_the_memory() {
    needs_amd_opencl!();
    const LEN: usize = (2 << 20) / 4;
    let (session, other) = (session(), session());
    let set = OpenClProgram::build(&session, SET, "").expect("program").kernel("set").expect("kernel");
    let mut pages = vec![Page([0; 1024]); LEN * 4 / size_of::<Page>()];
    for (name, make) in WAYS {
        match make(&session, LEN, &mut pages) {
            Way::Shared(buffer) => assert_reads_are_whole(name, &session, &set, &buffer.expect("there")),
            Way::Staged { .. } => {}
        }
    }
    let lent = |buffer: Buffer<u32, OpenCl>| buffer.into_session(&session).expect("hand-over");
    assert_reads_are_whole("lent SVM", &session, &set, &lent(other.allocate(LEN).expect("SVM")));
    let hips = other.allocate_hip(LEN).expect("hipMalloc").into_opencl().expect("hand-over");
    assert_reads_are_whole("lent memory of HIP", &session, &set, &lent(hips));
    // SAFETY: as the other process gave it, which does nothing to its memory.
    let opened = unsafe { session.open_ipc::<u32>(&lasting_handle()) }.expect("open").into_opencl().expect("hand-over");
    assert_reads_are_whole("open_ipc", &session, &set, &opened);
}

/// How many elements are set: of a part of the buffer, so that a launch is over soon.
const SET_LEN: usize = 1 << 14;

/// Launches in one thread, and reads in another.
fn assert_reads_are_whole(name: &str, session: &Session, set: &OpenClKernel, buffer: &Buffer<u32, OpenCl>) {
    const READS: usize = 6;
    let done = AtomicBool::new(false);
    let launch = |n: u32| {
        // SAFETY: the kernel stays inside.
        unsafe { set.launch(&[256], Some(&[64]), &[buffer.into(), (SET_LEN as u32).into(), n.into()]) }
            .expect("launch");
    };
    launch(0);
    let (seen, mixed, launches) = std::thread::scope(|threads| {
        let launches = threads.spawn(|| {
            let mut n = 0;
            while !done.load(Ordering::SeqCst) {
                n += 1;
                launch(n);
                // So that there are never many in the queue.
                session.finish().expect("finish");
            }
            n
        });
        let (mut found, mut seen, mut mixed) = (vec![0; SET_LEN], Vec::new(), None);
        for _ in 0..READS {
            buffer.read(&mut found).expect("read");
            seen.push(found[0]);
            let other = found.iter().position(|x| *x != found[0]);
            mixed = mixed.or_else(|| other.map(|at| (at, found[0], found[at])));
        }
        done.store(true, Ordering::SeqCst);
        (seen, mixed, launches.join().expect("launches"))
    });
    assert_eq!(mixed, None, "{name}: an element is of another launch than the first");
    assert!(seen.is_sorted() && seen.iter().all(|n| *n <= launches), "{name}: {seen:?} of {launches}");
}

thread_local! {
    /// Of the thread that reads: told what it does; a copy goes on when it is let.
    static READER: RefCell<Option<(Sender<Does>, Receiver<()>)>> = const { RefCell::new(None) };
}

#[derive(Debug, PartialEq, Eq)]
enum Does {
    HasCopied,
    Waits,
}

fn does(what: Does) {
    READER.with_borrow(|reader| {
        let Some((does, go_on)) = reader else { return };
        let wait = what == Does::HasCopied;
        does.send(what).expect("somebody listens");
        if wait {
            go_on.recv().expect("somebody lets it");
        }
    });
}

unsafe extern "C" fn finish(queue: cl_command_queue) -> cl_int {
    does(Does::Waits);
    // SAFETY: the caller's queue.
    unsafe { real_opencl().clFinish(queue) }.expect("OpenCL")
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn copy_svm(
    queue: cl_command_queue,
    blocking: cl_bool,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    events: u32,
    list: *const cl_event,
    event: *mut cl_event,
) -> cl_int {
    does(Does::Waits);
    // SAFETY: the caller's arguments, passed on.
    unsafe { real_opencl().clEnqueueSVMMemcpy(queue, blocking, to, from, bytes, events, list, event) }.expect("OpenCL")
}

fn real_hip() -> &'static hip_sys::Hip {
    static REAL: OnceLock<hip_sys::Hip> = OnceLock::new();
    REAL.get_or_init(|| hip_sys::Hip::load().expect("HIP"))
}

unsafe extern "C" fn copy_by_hip(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: hipMemcpyKind,
    stream: hipStream_t,
) -> hipError_t {
    // SAFETY: the caller's arguments, passed on.
    let code = unsafe { real_hip().hipMemcpyWithStream(to, from, bytes, kind, stream) }.expect("HIP");
    does(Does::HasCopied);
    code
}

/// A reader whom another thread's launches disturb each time waits for a queue that goes on when that thread has
/// launched once more.
#[test]
fn c3_a_read_beside_launches_holds_up_no_launch() {
    needs_amd_opencl!();
    // SAFETY: the libraries' own functions, and some of the same types.
    let (cl, hip) = unsafe {
        let cl = Cl::from_resolver("OpenCL", |name| match name {
            "clFinish" => NonNull::new(finish as *mut c_void),
            "clEnqueueSVMMemcpy" => NonNull::new(copy_svm as *mut c_void),
            _ => real_opencl().address(name),
        });
        let hip = hip_sys::Hip::from_resolver("HIP", |name| match name {
            "hipMemcpyWithStream" => NonNull::new(copy_by_hip as *mut c_void),
            _ => real_hip().address(name),
        });
        (cl, hip)
    };
    let (rtc, hsa) = (Hiprtc::load().expect("hiprtc"), Hsa::load().expect("HSA"));
    let session = open_with(Arc::new(Libraries::new(cl, hip, rtc, hsa).expect("libraries"))).expect("session");
    let set = OpenClProgram::build(&session, SET, "").expect("program").kernel("set").expect("kernel");
    let buffer = session.allocate_hip::<u32>(SET_LEN).expect("hipMalloc").into_opencl().expect("hand-over");
    let launch = |n: u32| {
        // SAFETY: the kernel stays inside.
        unsafe { set.launch(&[256], Some(&[64]), &[(&buffer).into(), (SET_LEN as u32).into(), n.into()]) }
            .expect("launch");
    };
    // Each wait is for the whole queue.
    session.queue();
    launch(0);
    let ((does, done), (go_on, let_go)) = (channel(), channel());
    let found = std::thread::scope(|threads| {
        let reader = threads.spawn(|| {
            READER.set(Some((does, let_go)));
            let mut found = vec![u32::MAX; SET_LEN];
            buffer.read(&mut found).expect("read");
            READER.set(None);
            found
        });
        let mut gate = None;
        for copies in 1.. {
            while done.recv().expect("it reads") != Does::HasCopied {}
            launch(copies);
            if copies == 3 {
                gate = Some(Gate::new(&session));
            }
            go_on.send(()).expect("it goes on");
            if copies == 3 {
                break;
            }
        }
        assert_eq!(done.recv(), Ok(Does::Waits), "for the gate");
        launch(4);
        drop(gate);
        reader.join().expect("read")
    });
    assert!(found.iter().all(|x| *x == found[0]) && [3, 4].contains(&found[0]), "{:?}", &found[..8]);
    let mut end = vec![0; SET_LEN];
    buffer.read(&mut end).expect("read");
    assert_same(&end, &[4; SET_LEN]);
}
