//! C3: every way of sharing, compared on the same work.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rocm_interop::{Buffer, OpenCl, OpenClKernel, OpenClProgram, Place, Session};

use crate::processes::lasting_handle;
use crate::trace::{Marker, Seen, between, traced};
use crate::ways::{ITEMS, Kernels, Page, WAYS, Way, after};
use crate::{assert_same, session};

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

/// The same on a device that traces: shared bytes stay where they are, and a staged copy moves all of them up and down, there and back.
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
    // Of a buffer object of its own, for imports.
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
