//! M5: memory that one process frees and allocates again while another one is still to open it, in orders drawn by
//! seeds: what HIP's handles show then, and what `Held` does.
use std::ffi::c_void;
use std::io::{IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hip_sys::{Hip, hipError_t, hipIpcMemHandle_t, hipMemcpyKind};
use rocm_interop::share::{Away, Held};
use rocm_interop::{Buffer, Session};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
};
use stack_tests::{hip_version, needs_vgpu, on_vgpu, run_tests};

use crate::second::{LIMIT, Random, Second, first, role};
use crate::{ALONE, session};

/// Several fit into one of the blocks that HSA's runtime cuts allocations out of.
const SMALL: usize = 1 << 16;
/// More than these blocks have, so a buffer object of its own.
const WHOLE: usize = 4 << 20;
const STEPS: u32 = 30;
/// What the other process read where HIP did not open a handle.
const NONE: u32 = 0;

/// In the order that a seed draws: `replace` frees a place and allocates it again with another number, and says how it
/// is opened; the other process opens what was made, at once or some replacements later. Returns pairs of the number
/// that was there and the one that was read.
fn openings<H>(seed: u64, mut replace: impl FnMut(usize, u32) -> H, mut open: impl FnMut(H) -> u32) -> Vec<(u32, u32)> {
    let mut random = Random(seed);
    let (mut made, mut read) = (Vec::new(), Vec::new());
    for number in 1..=STEPS {
        made.push((number, replace(random.below(2) as usize, number)));
        if random.below(2) == 0 {
            let (number, handle) = made.swap_remove(random.below(made.len() as u64) as usize);
            read.push((number, open(handle)));
        }
    }
    read.extend(made.into_iter().map(|(number, handle)| (number, open(handle))));
    read
}

fn wrong(read: &[(u32, u32)]) -> usize {
    read.iter().filter(|(number, got)| *got != NONE && got != number).count()
}

fn succeeded<E: std::fmt::Debug>(code: Result<hipError_t, E>) {
    assert_eq!(code.expect("HIP"), hipError_t::hipSuccess);
}

fn allocate(hip: &Hip, number: u32) -> *mut c_void {
    allocate_bytes(hip, SMALL, number)
}

fn allocate_bytes(hip: &Hip, bytes: usize, number: u32) -> *mut c_void {
    let mut at = null_mut();
    // SAFETY: one pointer is written, and what is allocated is filled.
    unsafe {
        succeeded(hip.hipMalloc(&mut at, bytes));
        succeeded(hip.hipMemset(at, number as i32, bytes));
        succeeded(hip.hipDeviceSynchronize());
    }
    at
}

fn free(hip: &Hip, at: *mut c_void) {
    // SAFETY: allocated, and not used any more here.
    succeeded(unsafe { hip.hipFree(at) });
}

fn handle(hip: &Hip, at: *mut c_void) -> hipIpcMemHandle_t {
    let mut handle = hipIpcMemHandle_t { reserved: [0; 64] };
    // SAFETY: memory of HIP's; writes one handle.
    succeeded(unsafe { hip.hipIpcGetMemHandle(&mut handle, at) });
    handle
}

/// In the second process: a number there for each handle that comes.
fn open_handles() {
    let (hip, mut first) = (Hip::load().expect("HIP"), first());
    let mut bytes = [0; 64];
    while first.read_exact(&mut bytes).is_ok() {
        let handle = hipIpcMemHandle_t { reserved: bytes.map(|byte| byte as _) };
        let (mut at, mut got) = (null_mut(), [0u8]);
        // The flag of HIP 6.4 and 7, and that of 5.
        let opened = [1, 0].into_iter().any(|flags| {
            // SAFETY: as the other process made it; writes one pointer.
            unsafe { hip.hipIpcOpenMemHandle(&mut at, handle, flags) }.expect("HIP") == hipError_t::hipSuccess
        });
        if opened {
            // SAFETY: opened above, of more than a byte.
            unsafe {
                succeeded(hip.hipMemcpy(got.as_mut_ptr().cast(), at, 1, hipMemcpyKind::hipMemcpyDeviceToHost));
                succeeded(hip.hipIpcCloseMemHandle(at));
            }
        }
        first.write_all(&u32::from(got[0]).to_le_bytes()).expect("the first process waits");
    }
}

fn ask(second: &Second, handle: &hipIpcMemHandle_t) -> u32 {
    (&second.socket).write_all(&handle.reserved.map(|byte| byte as u8)).expect("sent");
    answer(second)
}

fn answer(second: &Second) -> u32 {
    let mut number = [0; 4];
    (&second.socket).read_exact(&mut number).expect("the second process answers");
    u32::from_le_bytes(number)
}

/// By handles of HIP's.
fn by_handles(hip: &Hip, second: &Second, seed: u64) -> Vec<(u32, u32)> {
    // Keeps the block, whose mark all handles of memory in it have.
    let keeper = allocate(hip, 255);
    handle(hip, keeper);
    let mut places = [null_mut::<c_void>(); 2];
    let read = openings(
        seed,
        |place, number| {
            if !places[place].is_null() {
                free(hip, places[place]);
            }
            places[place] = allocate(hip, number);
            handle(hip, places[place])
        },
        |handle| ask(second, &handle),
    );
    places.into_iter().chain([keeper]).filter(|place| !place.is_null()).for_each(|place| free(hip, place));
    read
}

/// Sends a socket over a socket.
fn send(socket: &UnixStream, sent: &UnixStream) {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let (mut control, descriptors) = (SendAncillaryBuffer::new(&mut space), [sent.as_fd()]);
    control.push(SendAncillaryMessage::ScmRights(&descriptors));
    rustix::net::sendmsg(socket, &[IoSlice::new(&[1])], &mut control, SendFlags::empty()).expect("sent");
}

/// `None` if the first process is gone.
fn receive(socket: &UnixStream) -> Option<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut data = [0];
    rustix::net::recvmsg(socket, &mut [IoSliceMut::new(&mut data)], &mut control, RecvFlags::CMSG_CLOEXEC).ok()?;
    control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    })
}

/// In the second process: a number there for each buffer that is offered.
fn accept_buffers() {
    let (session, mut first) = (session(), first());
    while let Some(socket) = receive(&first) {
        let theirs = Away::accept(socket, LIMIT, |memory| session.import::<u32>(memory)).expect("accept");
        let mut got = [NONE];
        theirs.take(LIMIT).expect("the turn").read(&mut got).expect("read");
        first.write_all(&got[0].to_le_bytes()).expect("the first process waits");
    }
}

/// By [`Held`]: given, and freed here before the other process has it.
fn by_turns(session: &Session, second: &Second, seed: u64) -> Vec<(u32, u32)> {
    let mut places = [None, None];
    openings(
        seed,
        |place, number| {
            // Freed before the next is allocated, as by HIP.
            places[place] = None;
            let (ours, theirs) = UnixStream::pair().expect("sockets");
            let buffer = session.allocate_hip::<u32>(1 << 20).expect("allocate");
            let mut mine = Held::offer(buffer, ours).expect("offer").with(Buffer::into_opencl).expect("hand-over");
            mine.write(&[number]).expect("write");
            places[place] = Some(mine.give().expect("somebody takes it"));
            theirs
        },
        |socket| {
            send(&second.socket, &socket);
            drop(socket);
            answer(second)
        },
    )
}

#[test]
fn m5_memory_that_is_replaced_while_another_process_opens_it() {
    needs_amd_opencl!();
    needs_vgpu!();
    const TEST: &str = "handles::m5_memory_that_is_replaced_while_another_process_opens_it";
    const SEEDS: [&str; 4] = ["1", "2", "3", "4"];
    match role().as_deref() {
        Some("handles") => return open_handles(),
        Some(_) => return accept_buffers(),
        None => {}
    }
    let Some(seed) = std::env::var(ALONE).ok().and_then(|seed| seed.parse().ok()) else {
        for seed in SEEDS {
            let mut command = on_vgpu(&["--schedule", seed], std::env::current_exe().expect("this test"));
            run_tests(command.env(ALONE, seed), &[TEST], LIMIT);
        }
        return;
    };
    let (session, hip) = (session(), Hip::load().expect("HIP"));
    let read = by_turns(&session, &Second::start(TEST, "turns"), seed);
    let right: Vec<(u32, u32)> = read.iter().map(|(number, _)| (*number, *number)).collect();
    assert_eq!(read, right, "with `Held`, seed {seed}");

    let read = by_handles(&hip, &Second::start(TEST, "handles"), seed);
    println!("\nseed {seed}: HIP's handles show other memory in {} of {} openings: {read:?}", wrong(&read), read.len());
    if hip_version() < (7, 0) {
        assert_eq!(wrong(&read), 0, "an error or what was there: the driver makes the handles");
    } else {
        assert!(wrong(&read) > 0, "{read:?}: then this page of docs/src/rocm-interop/processes.md is out of date");
    }
}

/// Within HIP's rules: memory that lives, whose handle HIP 7 does not open, as a neighbour in its block was freed.
/// Turns are of whole buffer objects.
#[test]
fn m5_a_handle_of_hips_whose_neighbour_is_freed() {
    needs_amd_opencl!();
    const TEST: &str = "handles::m5_a_handle_of_hips_whose_neighbour_is_freed";
    if role().is_some() {
        return open_handles();
    }
    // Other tests' memory would be in the block.
    if crate::ran_alone(TEST, &[]) {
        return;
    }
    let (hip, second) = (Hip::load().expect("HIP"), Second::start(TEST, "handles"));
    let (neighbour, lives) = (allocate(&hip, 1), allocate(&hip, 2));
    handle(&hip, neighbour);
    let handle = handle(&hip, lives);
    assert_eq!(ask(&second, &handle), 2);
    free(&hip, neighbour);
    assert_eq!(ask(&second, &handle), if hip_version() < (7, 0) { 2 } else { NONE });
    free(&hip, lives);
}

/// Within HIP's rules too: threads make handles of memory that lives, of a whole buffer object. HIP 7 may make one of
/// the first two that it does not open; none opens other memory.
#[test]
fn m5_handles_of_hips_that_threads_make_at_once() {
    needs_amd_opencl!();
    const TEST: &str = "handles::m5_handles_of_hips_that_threads_make_at_once";
    if role().is_some() {
        return open_handles();
    }
    let (hip, second) = (Hip::load().expect("HIP"), Second::start(TEST, "handles"));
    // An address, as pointers are not for other threads.
    let make = |at: usize| handle(&hip, std::ptr::with_exposed_provenance_mut(at));
    let mut refused = 0;
    for number in 1..=100 {
        let at = allocate_bytes(&hip, WHOLE, number);
        let (address, start) = (at.expose_provenance(), std::sync::Barrier::new(2));
        let make = || {
            start.wait();
            make(address)
        };
        let (one, other) = std::thread::scope(|scope| {
            let (one, other) = (scope.spawn(make), scope.spawn(make));
            (one.join().expect("no panic"), other.join().expect("no panic"))
        });
        for handle in [one, other] {
            match ask(&second, &handle) {
                NONE => refused += 1,
                got => assert_eq!(got, number, "other memory"),
            }
        }
        free(&hip, at);
    }
    println!("HIP did not open {refused} of 200 handles");
    assert!(refused == 0 || hip_version() >= (7, 0), "{refused}");

    let at = allocate_bytes(&hip, WHOLE, 7);
    let (address, handle, stop) = (at.expose_provenance(), handle(&hip, at), AtomicBool::new(false));
    let made = std::thread::scope(|scope| {
        let makers = [(); 2].map(|()| {
            scope.spawn(|| {
                let mut made = 0;
                while !stop.load(Ordering::Relaxed) {
                    make(address);
                    made += 1;
                }
                made
            })
        });
        let wrong = (0..100).filter(|_| ask(&second, &handle) != 7).count();
        stop.store(true, Ordering::Relaxed);
        assert_eq!(wrong, 0, "openings while others make handles");
        makers.into_iter().map(|maker| maker.join().expect("no panic")).sum::<u32>()
    });
    println!("{made} handles made beside 100 openings");
    free(&hip, at);
}

/// Against HIP's rules, as in the first test: nothing is there any more.
#[test]
fn m5_a_handle_of_hips_of_memory_that_is_gone() {
    needs_amd_opencl!();
    const TEST: &str = "handles::m5_a_handle_of_hips_of_memory_that_is_gone";
    if role().is_some() {
        return open_handles();
    }
    if crate::ran_alone(TEST, &[]) {
        return;
    }
    let (hip, second) = (Hip::load().expect("HIP"), Second::start(TEST, "handles"));
    let at = allocate_bytes(&hip, WHOLE, 1);
    let handle = handle(&hip, at);
    assert_eq!(ask(&second, &handle), 1);
    free(&hip, at);
    if hip_version() < (7, 0) {
        assert_eq!(ask(&second, &handle), NONE);
        return;
    }
    second.socket.set_read_timeout(Some(Duration::from_secs(3))).expect("a limit");
    (&second.socket).write_all(&handle.reserved.map(|byte| byte as u8)).expect("sent");
    let error = (&second.socket).read_exact(&mut [0; 4]).expect_err("`hipIpcOpenMemHandle` has not returned");
    assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock, "{error}");
}
