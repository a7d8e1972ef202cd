//! M5: memory of the GPU in two processes, of which one may die. The second process is this test again, in another
//! role.
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use rocm_interop::hip::HipModule;
use rocm_interop::share::{ChannelError, DmaBuf, IpcHandle};
use rocm_interop::{Buffer, Error, Hip, OpenCl, Session};
use rustix::net::RecvFlags;
use stack_tests::{exclusive, hip_version, needs_vgpu};

use crate::second::{Second, first, left, role};
use crate::{HIP, assert_same, both_sides, ran_alone, session};

/// More than the blocks of HSA's runtime have, and all of its buffer object.
const WHOLE: usize = (4 << 20) / 4;

fn numbers() -> Vec<u32> {
    (0..WHOLE as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect()
}

fn tripled() -> Vec<u32> {
    numbers().iter().map(|i| i.wrapping_mul(3)).collect()
}

fn contents(buffer: &Buffer<u32, OpenCl>) -> Vec<u32> {
    let mut end = vec![0; buffer.len()];
    buffer.read(&mut end).expect("read");
    end
}

fn filled(session: &Session) -> Buffer<u32, OpenCl> {
    let mut buffer = session.allocate_hip::<u32>(WHOLE).expect("allocate").into_opencl().expect("hand-over");
    buffer.write(&numbers()).expect("write");
    buffer
}

/// What this process keeps after its first kernels and copies is not left by others: AMD's runtime makes a queue of
/// SDMA for a direction with the first copy that is large enough, and it takes a page of the GPU's memory.
fn settle(session: &Session) {
    both_sides(session, filled(session)).expect("both sides");
    let buffer = filled(session);
    assert_same(&contents(&buffer), &numbers());
    buffer.close().expect("close");
}

fn triple(session: &Session, buffer: &Buffer<u32, Hip>) {
    let kernel = HipModule::build(session, HIP).expect("module").kernel("triple").expect("kernel");
    // SAFETY: one work-item an element.
    unsafe { kernel.launch((buffer.len() / 64) as u32, 64, 0, &[buffer.into()]) }.expect("launch");
    session.synchronize().expect("the kernel");
}

/// In the second process: takes a dma-buf, checks it and works on it.
fn import() -> (Session, Buffer<u32, Hip>, UnixStream) {
    let (session, mut first) = (session(), first());
    let received = DmaBuf::receive(&first, Duration::from_secs(60)).expect("a dma-buf");
    let imported = session.import::<u32>(&received).expect("import");
    assert_same(&contents(&imported), &numbers());
    let imported = imported.into_hip().expect("hand-over");
    triple(&session, &imported);
    first.write_all(&[1]).expect("the first process waits");
    (session, imported, first)
}

/// In the second process: fills memory and sends a dma-buf of it, and works on other memory for ever.
fn export_and_work() {
    let (session, first) = (session(), first());
    let original = filled(&session);
    original.export().expect("export").send(&first).expect("the first process waits");
    let other = session.allocate_hip::<u32>(WHOLE).expect("allocate");
    loop {
        triple(&session, &other);
    }
}

#[test]
fn m5_a_dma_buf_is_used_by_another_process() {
    needs_amd_opencl!();
    if role().is_some() {
        import().1.close().expect("close");
        return;
    }
    let session = session();
    let original = filled(&session);
    let mut second = Second::start("processes::m5_a_dma_buf_is_used_by_another_process", "import");
    original.export().expect("export").send(&second.socket).expect("send");
    second.done();
    assert!(second.process.wait().expect("a child can be waited for").success());
    assert_same(&contents(&original), &tripled());
    both_sides(&session, session.allocate(crate::N).expect("allocate")).expect("both sides");
}

/// When the second process is killed: eight times of about how long it takes to `begin` to work on the memory, and
/// `None`, which is after that however long it takes.
fn moments(test: &str, begin: impl FnOnce(&mut Second)) -> impl Iterator<Item = Option<Duration>> {
    let started = Instant::now();
    let mut second = Second::start(test, "undisturbed");
    begin(&mut second);
    let took = started.elapsed();
    second.kill();
    (0..8).map(move |moment| Some(took * moment / 6)).chain([None])
}

/// A second process, in the role of who works on memory that `give` gives it, is killed at nine moments. The memory,
/// and the GPU, are as good as before.
fn kill_who_was_given(test: &str, give: impl Fn(&Session, &mut UnixStream) -> Buffer<u32, OpenCl>) {
    let _alone = exclusive();
    let session = session();
    settle(&session);
    let moments = moments(test, |second| {
        let _original = give(&session, &mut second.socket);
        second.done();
    });
    let before = left(&session);
    for moment in moments {
        let mut second = Second::start(test, "killed");
        let mut original = give(&session, &mut second.socket);
        match moment {
            Some(time) => thread::sleep(time),
            None => second.done(),
        }
        second.kill();
        // The process is gone, so this ends; it had something to read if the message was still on its way.
        match second.socket.read_to_end(&mut Vec::new()) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
        }
        let error = original.export().expect("export").send(&second.socket).expect_err("nobody is there");
        assert!(matches!(&error, ChannelError::Socket { reason } if reason.kind() == ErrorKind::BrokenPipe), "{error}");
        // The buffer is as good as before.
        original.write(&numbers()).expect("write");
        let on_hip = original.into_hip().expect("hand-over");
        triple(&session, &on_hip);
        let original = on_hip.into_opencl().expect("hand-over");
        assert_same(&contents(&original), &tripled());
        original.close().expect("close");
        before.assert_no_more(&session, moment);
    }
}

#[test]
fn m5_an_importer_that_is_killed_harms_nobody() {
    needs_amd_opencl!();
    const TEST: &str = "processes::m5_an_importer_that_is_killed_harms_nobody";
    if role().is_some() {
        let (session, imported, _first) = import();
        loop {
            triple(&session, &imported);
        }
    }
    if ran_alone(TEST, &[]) {
        return;
    }
    kill_who_was_given(TEST, |session, socket| {
        let original = filled(session);
        original.export().expect("export").send(&*socket).expect("send");
        original
    });
}

#[test]
fn m5_the_bytes_of_an_owner_that_is_killed_stay() {
    needs_amd_opencl!();
    const TEST: &str = "processes::m5_the_bytes_of_an_owner_that_is_killed_stay";
    if role().is_some() {
        return export_and_work();
    }
    if ran_alone(TEST, &[]) {
        return;
    }
    let _alone = exclusive();
    let session = session();
    settle(&session);
    let receive = |second: &Second| DmaBuf::receive(&second.socket, Duration::from_secs(60));
    let moments = moments(TEST, |second| drop(receive(second).expect("a dma-buf")));
    let before = left(&session);
    for moment in moments {
        let mut second = Second::start(TEST, "killed");
        match moment {
            Some(time) => thread::sleep(time),
            None => assert_eq!(rustix::net::recv(&second.socket, &mut [0; 1][..], RecvFlags::PEEK), Ok((1, 1))),
        }
        second.kill();
        match receive(&second) {
            Ok(received) => {
                let imported = session.import::<u32>(&received).expect("import");
                assert_same(&contents(&imported), &numbers());
                let imported = imported.into_hip().expect("hand-over");
                triple(&session, &imported);
                assert_same(&contents(&imported.into_opencl().expect("hand-over")), &tripled());
            }
            Err(error) => assert!(
                matches!(&error, ChannelError::Socket { reason } if moment.is_some()
                    && [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset].contains(&reason.kind())),
                "{error}"
            ),
        }
        before.assert_no_more(&session, moment);
    }
}

fn send_handle(session: &Session, socket: &mut UnixStream) -> Buffer<u32, Hip> {
    let original = filled(session).into_hip().expect("hand-over");
    socket.write_all(&original.ipc_handle().expect("a handle").to_bytes()).expect("sent");
    original
}

fn receive_handle(mut socket: &UnixStream) -> Result<IpcHandle, Error> {
    let mut bytes = [0; IpcHandle::SIZE];
    socket.read_exact(&mut bytes).map_err(|reason| ChannelError::Socket { reason })?;
    Ok(IpcHandle::from_bytes(bytes))
}

fn open_received(session: &Session, socket: &UnixStream) -> Result<Buffer<u32, Hip>, Error> {
    // SAFETY: as it was sent.
    unsafe { session.open_ipc(&receive_handle(socket)?) }
}

/// Memory of a second process that lives as long as this one.
pub fn lasting_handle() -> IpcHandle {
    static SECOND: OnceLock<(Second, IpcHandle)> = OnceLock::new();
    SECOND.get_or_init(second_with_handle).1
}

/// A process that does nothing to its memory until it is dropped.
fn second_with_handle() -> (Second, IpcHandle) {
    let second = Second::start("processes::m5_hips_handle_of_a_process_that_is_killed", "lasting");
    let handle = receive_handle(&second.socket).expect("a handle");
    (second, handle)
}

#[test]
fn m5_hips_handle_is_opened_by_another_process() {
    needs_amd_opencl!();
    let session = session();
    if role().is_some() {
        let mut first = first();
        let opened = open_received(&session, &first).expect("open");
        triple(&session, &opened);
        let opened = opened.into_opencl().expect("hand-over");
        assert_same(&contents(&opened), &tripled());
        opened.close().expect("close");
        return first.write_all(&[1]).expect("the first process waits");
    }
    let mut second = Second::start("processes::m5_hips_handle_is_opened_by_another_process", "open");
    let original = send_handle(&session, &mut second.socket);
    second.done();
    assert!(second.process.wait().expect("a child can be waited for").success());
    let handle = original.ipc_handle().expect("a handle");
    // SAFETY: a handle of this process's.
    let error = unsafe { session.open_ipc::<u32>(&handle) }.expect_err("the same process").to_string();
    assert!(error.contains("hipIpcOpenMemHandle returned hipErrorInvalid"), "{error}");
    assert_same(&contents(&original.into_opencl().expect("hand-over")), &tripled());

    let svm = session.allocate::<u32>(WHOLE).expect("allocate").into_hip().expect("hand-over");
    let error = svm.ipc_handle().expect_err("not HIP's").to_string();
    assert!(error.contains("buffer: is not memory of HIP"), "{error}");
    let small = session.allocate_hip::<u32>(64).expect("allocate");
    let error = small.ipc_handle().expect_err("neighbours").to_string();
    assert!(error.contains("in which other buffers are, or will be"), "{error}");
}

/// AMD's own kernel module makes the handles; Linux' driver knows no such request, and HIP before 7 does not hear of
/// it.
#[test]
fn m5_a_handle_that_the_driver_does_not_make_is_an_error() {
    needs_amd_opencl!();
    needs_vgpu!();
    let faults = ["--faults", "ioctl:IPC_EXPORT_HANDLE:*=ENOTTY"];
    if ran_alone("processes::m5_a_handle_that_the_driver_does_not_make_is_an_error", &faults) {
        return;
    }
    let session = session();
    let made = filled(&session).into_hip().expect("hand-over").ipc_handle();
    if hip_version() < (7, 0) {
        let error = made.expect_err("no handle");
        assert!(matches!(error, Error::NoIpcHandle { .. }) && error.to_string().contains("amdgpu-dkms"), "{error}");
    } else {
        made.expect("a dma-buf");
    }
}

/// Whether an address is in HIP's map.
fn hip_knows(address: u64) -> bool {
    let hip = hip_sys::Hip::load().expect("HIP");
    let (mut base, mut bytes) = (std::ptr::null_mut(), 0);
    let address = std::ptr::without_provenance_mut(address as usize);
    // SAFETY: the address is looked up; writes what is there.
    let code = unsafe { hip.hipMemGetAddressRange(&mut base, &mut bytes, address) }.expect("HIP");
    // SAFETY: no preconditions.
    _ = unsafe { hip.hipGetLastError() };
    // What it says of an address that it does not know.
    code == hip_sys::hipError_t::hipSuccess && bytes != usize::MAX
}

/// HIP 5.7 keeps the command of a kernel for a while after a wait for an event behind it, and leaves memory that a
/// command refers to in its map for ever: then the map has an address of what is freed.
#[test]
fn m5_hips_handle_is_opened_and_closed_behind_kernels() {
    needs_amd_opencl!();
    // Other tests of the process would be given the addresses that are free again.
    if ran_alone("processes::m5_hips_handle_is_opened_and_closed_behind_kernels", &[]) {
        return;
    }
    const ROUNDS: u32 = 100;
    // Not the lasting one's: other tests write there.
    let (session, (_second, handle)) = (session(), second_with_handle());
    let module = HipModule::build(
        &session,
        "extern \"C\" __global__ void look(const unsigned *b, unsigned *sum) { atomicAdd(sum, b[threadIdx.x]); }",
    );
    let look = module.expect("module").kernel("look").expect("kernel");
    let mut sum = session.allocate::<u32>(1).expect("allocate");
    sum.write(&[0]).expect("write");
    let sum = sum.into_hip().expect("hand-over");
    let mut kept = 0;
    for _ in 0..ROUNDS {
        // SAFETY: as the other process gave it.
        let opened = unsafe { session.open_ipc::<u32>(&handle) }.expect("open");
        // SAFETY: it reads 64 numbers of one and adds them to the other.
        unsafe { look.launch(1, 64, 0, &[(&opened).into(), (&sum).into()]) }.expect("launch");
        let address = opened.address();
        let opened = opened.into_opencl_later().expect("an event").wait().expect("wait");
        opened.close().expect("close");
        kept += usize::from(hip_knows(address));
    }
    assert_eq!(kept, 0, "addresses that are still in HIP's map");
    let mut end = [0];
    sum.into_opencl().expect("hand-over").read(&mut end).expect("read");
    let once = numbers()[..64].iter().fold(0u32, |sum, number| sum.wrapping_add(*number));
    assert_eq!(end, [once.wrapping_mul(ROUNDS)]);
}

#[test]
fn m5_an_opener_of_hips_handle_that_is_killed_harms_nobody() {
    needs_amd_opencl!();
    const TEST: &str = "processes::m5_an_opener_of_hips_handle_that_is_killed_harms_nobody";
    if role().is_some() {
        let (session, mut first) = (session(), first());
        let opened = open_received(&session, &first).expect("open");
        triple(&session, &opened);
        first.write_all(&[1]).expect("the first process waits");
        loop {
            triple(&session, &opened);
        }
    }
    if ran_alone(TEST, &[]) {
        return;
    }
    kill_who_was_given(TEST, |session, socket| send_handle(session, socket).into_opencl().expect("hand-over"));
}

#[test]
fn m5_hips_handle_of_a_process_that_is_killed() {
    needs_amd_opencl!();
    const TEST: &str = "processes::m5_hips_handle_of_a_process_that_is_killed";
    if let Some(role) = role() {
        let (session, mut first) = (session(), first());
        let _original = send_handle(&session, &mut first);
        if role == "lasting" {
            // Until the first process ends.
            _ = first.read(&mut [0]);
            return;
        }
        let other = session.allocate_hip::<u32>(WHOLE).expect("allocate");
        loop {
            triple(&session, &other);
        }
    }
    if ran_alone(TEST, &[]) {
        return;
    }
    let _alone = exclusive();
    let session = session();
    settle(&session);
    let moments =
        moments(TEST, |second| open_received(&session, &second.socket).expect("open").close().expect("close"));
    let before = left(&session);
    for moment in moments {
        let mut second = Second::start(TEST, "killed");
        let socket = second.socket.try_clone().expect("a descriptor");
        // The memory is opened when it can be, while the other process is killed; before HIP 7 only, whose runtime asks
        // an owner that is gone for ever (docs/src/limits.md).
        let opened = match moment {
            Some(time) if hip_version() >= (7, 0) => {
                thread::sleep(time);
                second.kill();
                open_received(&session, &socket)
            }
            _ => thread::scope(|threads| {
                let opener = threads.spawn(|| open_received(&session, &socket));
                match moment {
                    Some(time) => thread::sleep(time),
                    None => {
                        while !opener.is_finished() {
                            thread::sleep(Duration::from_millis(1));
                        }
                    }
                }
                second.kill();
                opener.join().expect("no panic")
            }),
        };
        match opened {
            // The bytes stay.
            Ok(opened) => {
                triple(&session, &opened);
                let opened = opened.into_opencl().expect("hand-over");
                assert_same(&contents(&opened), &tripled());
                opened.close().expect("close");
            }
            Err(error) => {
                let ended = [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset];
                let named = match &error {
                    Error::Channel(ChannelError::Socket { reason }) => ended.contains(&reason.kind()),
                    error => error.to_string().contains("HIP: hipIpcOpenMemHandle returned hipError"),
                };
                assert!(named && moment.is_some(), "killed after {moment:?}: {error}");
            }
        }
        before.assert_no_more(&session, moment);
    }
    // Killed before the memory is opened: an error by name.
    let mut second = Second::start(TEST, "killed");
    let handle = receive_handle(&second.socket).expect("a handle");
    second.kill();
    // SAFETY: as it was sent.
    let error = unsafe { session.open_ipc::<u32>(&handle) }.expect_err("nobody has the memory").to_string();
    assert!(error.contains("HIP: hipIpcOpenMemHandle returned hipError"), "{error}");
    both_sides(&session, session.allocate(crate::N).expect("allocate")).expect("both sides");
}
