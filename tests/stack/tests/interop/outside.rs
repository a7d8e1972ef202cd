//! Several queues and streams, and events of other code.
use std::ptr::null_mut;
use std::time::Duration;

use cl_sys::{Cl, cl_event, cl_int};
use hip_sys::{Hip, hipError_t, hipEvent_t};
use rocm_interop::hip::HipModule;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::{Argument, Buffer, Error, OpenCl, Session};

use crate::hand_over::Gate;
use crate::{N, Sides, session, some_mem};

/// `slow` and `add_at` get the address as other code has it.
const OPENCL: &str = "
kernel void slow(ulong at, uint n) {
    global uint *x = (global uint *)at + get_global_id(0);
    uint v = *x;
    for (uint i = 0; i < n; i++) v = v * 1664525u + 1013904223u;
    *x = v;
}
kernel void add_at(ulong at, uint n) { ((global uint *)at)[get_global_id(0)] += n; }
kernel void add(global uint *x, uint n) { x[get_global_id(0)] += n; }";
const HIP: &str = "
extern \"C\" __global__ void slow(unsigned long at, unsigned n) {
    unsigned *x = (unsigned *)at + threadIdx.x, v = *x;
    for (unsigned i = 0; i < n; i++) v = v * 1664525u + 1013904223u;
    *x = v;
}
extern \"C\" __global__ void add_at(unsigned long at, unsigned n) { ((unsigned *)at)[threadIdx.x] += n; }
extern \"C\" __global__ void add(unsigned *x, unsigned n) { x[threadIdx.x] += n; }";
/// Long enough for everything else to come first.
const TURNS: u32 = 300_000;
const ITEMS: usize = 64;

/// Of 1, after `slow`.
fn slowly() -> u32 {
    (0..TURNS).fold(1, |x: u32, _| x.wrapping_mul(1664525).wrapping_add(1013904223))
}

struct Kernels(OpenClProgram, HipModule);

impl Kernels {
    fn new(session: &Session) -> Kernels {
        let program = OpenClProgram::build(session, OPENCL, "").expect("program");
        Kernels(program, HipModule::build(session, HIP).expect("module"))
    }

    fn opencl(&self, name: &str, first: Argument<'_, OpenCl>, second: u32) {
        let kernel = self.0.kernel(name).expect("kernel");
        // SAFETY: one work-item an element.
        unsafe { kernel.launch(&[ITEMS], None, &[first, second.into()]) }.expect("launch");
    }

    fn hip(&self, name: &str, first: Argument<'_, rocm_interop::Hip>, second: u32) {
        let kernel = self.1.kernel(name).expect("kernel");
        // SAFETY: one work-item an element.
        unsafe { kernel.launch(1, ITEMS as u32, 0, &[first, second.into()]) }.expect("launch");
    }
}

fn ones(session: &Session) -> Buffer<u32, OpenCl> {
    let mut buffer = session.allocate(ITEMS).expect("allocate");
    buffer.write(&[1; ITEMS]).expect("write");
    buffer
}

fn contents(buffer: &Buffer<u32, OpenCl>) -> [u32; ITEMS] {
    let mut end = [0; ITEMS];
    buffer.read(&mut end).expect("read");
    end
}

/// An event of code that uses HIP itself.
struct Foreign(Hip, hipEvent_t);

impl Foreign {
    fn record(on: &Session) -> Foreign {
        let (hip, mut event) = (Hip::load().expect("HIP"), null_mut());
        // SAFETY: writes one handle; the stream lives.
        let codes = unsafe { [hip.hipEventCreateWithFlags(&mut event, 0), hip.hipEventRecord(event, on.stream())] };
        codes.into_iter().for_each(|code| assert_eq!(code.expect("HIP"), hipError_t::hipSuccess));
        Foreign(hip, event)
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        // SAFETY: made by `record`, destroyed once.
        assert_eq!(unsafe { self.0.hipEventDestroy(self.1) }.expect("HIP"), hipError_t::hipSuccess);
    }
}

#[test]
fn a_stream_waits_for_events_of_others_and_others_for_its_own() {
    needs_amd_opencl!();
    let (others, own) = (session(), session());
    let (kernels_of_others, kernels) = (Kernels::new(&others), Kernels::new(&own));
    let buffer = ones(&own).into_hip().expect("hand-over");
    let address = buffer.address();
    kernels_of_others.hip("slow", Argument::value(&address), TURNS);
    let written = Foreign::record(&others);
    // SAFETY: a live event.
    unsafe { own.stream_waits_for(&[written.1]) }.expect("wait");
    drop(written);
    kernels.hip("add", (&buffer).into(), 5);
    let buffer = buffer.into_opencl().expect("hand-over");
    assert_eq!(contents(&buffer), [slowly() + 5; ITEMS], "in");

    let mut buffer = buffer;
    buffer.write(&[1; ITEMS]).expect("write");
    let buffer = buffer.into_hip().expect("hand-over");
    kernels.hip("slow", Argument::value(&address), TURNS);
    let event = own.stream_event().expect("event");
    let hip = Hip::load().expect("HIP");
    // SAFETY: the stream of others, and a live event.
    let code = unsafe { hip.hipStreamWaitEvent(others.stream(), event.raw(), 0) };
    assert_eq!(code.expect("HIP"), hipError_t::hipSuccess);
    let handle = event.raw();
    drop(event);
    // It is used again, and who waits for it waits for what it was.
    let again = own.stream_event().expect("event");
    assert_eq!(again.raw(), handle);
    kernels_of_others.hip("add_at", Argument::value(&address), 7);
    others.synchronize().expect("hipStreamSynchronize");
    assert_eq!(contents(&buffer.into_opencl().expect("hand-over")), [slowly() + 7; ITEMS], "out");
}

/// Other code has the bytes by another address of theirs, so that nobody asked for this buffer's.
#[test]
fn a_read_waits_for_what_the_stream_waits_for() {
    needs_amd_opencl!();
    let (others, own) = (session(), session());
    let kernels = Kernels::new(&others);
    let mut original = own.allocate::<u32>(1 << 20).expect("allocate");
    original.write_at(0, &[1; ITEMS]).expect("write");
    let imported = own.import::<u32>(&original.export().expect("export")).expect("import");
    let imported = imported.into_hip().expect("hand-over");
    kernels.hip("slow", Argument::value(&original.address()), TURNS);
    let written = Foreign::record(&others);
    // SAFETY: a live event.
    unsafe { own.stream_waits_for(&[written.1]) }.expect("wait");
    let mut end = [0; ITEMS];
    imported.read_at(0, &mut end).expect("read");
    assert_eq!(end, [slowly(); ITEMS]);
}

/// Completed by the host, with a status below 0 as one that failed.
pub struct UserEvent(Cl, pub cl_event);

impl UserEvent {
    pub fn new(session: &Session) -> UserEvent {
        let (cl, mut code) = (Cl::load().expect("OpenCL"), 0);
        // SAFETY: the context lives.
        let event = unsafe { cl.clCreateUserEvent(session.context(), &mut code) }.expect("clCreateUserEvent");
        assert_eq!(code, cl_sys::CL_SUCCESS);
        UserEvent(cl, event)
    }

    pub fn complete(self, status: cl_int) {
        // SAFETY: made by `new`, completed and released once.
        let codes = unsafe { [self.0.clSetUserEventStatus(self.1, status), self.0.clReleaseEvent(self.1)] };
        codes.into_iter().for_each(|code| assert_eq!(code.expect("OpenCL"), cl_sys::CL_SUCCESS));
    }
}

#[test]
fn a_queue_waits_for_events_of_others_and_others_for_its_own() {
    needs_amd_opencl!();
    let own = session();
    let others = own.beside().expect("another queue");
    let (kernels_of_others, kernels) = (Kernels::new(&others), Kernels::new(&own));
    let mut buffer = ones(&own);
    let address = buffer.address();
    let (user, other) = (UserEvent::new(&own), UserEvent::new(&own));
    // SAFETY: live events.
    unsafe { own.queue_waits_for(&[user.1, other.1]) }.expect("wait");
    kernels.opencl("add", (&buffer).into(), 5);
    let mut pending = buffer.into_hip_later().expect("hand-over");
    for event in [other, user] {
        std::thread::sleep(Duration::from_millis(30));
        assert!(!pending.is_ready().expect("OpenCL"));
        pending = match pending.wait_within(Duration::from_millis(30)) {
            Err(refused) if matches!(refused.error(), Error::StillRunning { .. }) => refused.into_parts().1,
            outcome => panic!("{outcome:?}"),
        };
        event.complete(cl_sys::CL_COMPLETE as cl_int);
    }
    buffer = pending.wait().expect("hand-over").into_opencl().expect("hand-over");
    assert_eq!(contents(&buffer), [6; ITEMS], "in");

    buffer.write(&[1; ITEMS]).expect("write");
    kernels.opencl("slow", Argument::value(&address), TURNS);
    let event = own.queue_event().expect("event");
    // SAFETY: a live event.
    unsafe { others.queue_waits_for(&[event.raw()]) }.expect("wait");
    event.close().expect("it is held by who waits");
    kernels_of_others.opencl("add_at", Argument::value(&address), 7);
    others.finish().expect("clFinish");
    assert_eq!(contents(&buffer), [slowly() + 7; ITEMS], "out");

    // Nothing, and what is none.
    // SAFETY: no events, or refused.
    unsafe {
        own.queue_waits_for(&[]).expect("nothing to wait for");
        own.stream_waits_for(&[]).expect("nothing to wait for");
        let errors = [own.queue_waits_for(&[null_mut()]), own.stream_waits_for(&[null_mut()])];
        for error in errors.map(|outcome| outcome.expect_err("null").to_string()) {
            assert_eq!(error, "events: number 0 of 1 is null");
        }
    }
    let elsewhere = UserEvent::new(&session());
    // SAFETY: a live event.
    let error = unsafe { own.queue_waits_for(&[elsewhere.1]) }.expect_err("of another context").to_string();
    assert!(error.contains("clEnqueueBarrierWithWaitList returned CL_INVALID_CONTEXT"), "{error}");
    elsewhere.complete(cl_sys::CL_COMPLETE as cl_int);
    own.finish().expect("nothing failed");
}

/// Others' work that failed is told by `finish`, and the session goes on.
#[test]
fn an_event_that_fails_is_told_and_ends_the_wait() {
    needs_amd_opencl!();
    let session = session();
    let (kernels, buffer) = (Kernels::new(&session), ones(&session));
    let event = UserEvent::new(&session);
    // SAFETY: a live event.
    unsafe { session.queue_waits_for(&[event.1]) }.expect("wait");
    event.complete(-7);
    let error = session.finish().expect_err("the wait failed");
    assert!(matches!(error, Error::Failed { .. }), "{error}");
    kernels.opencl("add", (&buffer).into(), 5);
    assert_eq!(contents(&buffer), [6; ITEMS]);
    session.finish().expect("told once");
}

#[test]
fn sessions_beside_each_other_work_at_the_same_time_and_pass_buffers_on() {
    needs_amd_opencl!();
    let one = session();
    let other = one.beside().expect("another queue and stream");
    assert!(one.context() == other.context() && one.queue() != other.queue() && one.stream() != other.stream());
    let (held, kernels) = (ones(&one), Kernels::new(&one));
    let gate = Gate::new(&one);
    kernels.opencl("add", (&held).into(), 5);
    let pending = held.into_hip_later().expect("hand-over");
    // The other's goes on meanwhile, on both sides.
    let sides = Sides::new(&other).expect("kernels");
    sides.run(other.allocate(N).expect("allocate")).expect("both sides");
    let kernels_of_other = Kernels::new(&other);
    let fast = ones(&other);
    kernels_of_other.opencl("add", (&fast).into(), 8);
    assert_eq!(contents(&fast), [9; ITEMS]);
    assert!(!pending.is_ready().expect("OpenCL"), "the first still waits");
    gate.open();
    let held = pending.wait().expect("hand-over");

    // On HIP's turn, and back on OpenCL's.
    kernels.hip("add", (&held).into(), 10);
    let held = held.into_session(&other).expect("HIP's work is done");
    kernels_of_other.hip("add", (&held).into(), 100);
    let held = held.into_opencl().expect("hand-over");
    kernels_of_other.opencl("add", (&held).into(), 1000);
    // SAFETY: refused.
    let error = unsafe { kernels.0.kernel("add").expect("kernel").launch(&[ITEMS], None, &[(&held).into(), 1.into()]) };
    assert!(error.expect_err("it is the other's").to_string().contains("buffer: is of another session"));
    let held = held.into_session(&one).expect("OpenCL's work is done");
    kernels.opencl("add", (&held).into(), 10_000);
    assert_eq!(contents(&held), [11_116; ITEMS]);
}

/// Whatever memory it is, and whichever session goes first.
#[test]
fn all_memory_of_one_context_may_be_passed_on_and_outlive_its_maker() {
    needs_amd_opencl!();
    let cl = Cl::load().expect("OpenCL");
    type Maker = fn(&Session, &Cl) -> Buffer<u32, OpenCl>;
    let makers: [Maker; 4] = [
        |session, _| session.allocate(N).expect("allocate"),
        |session, _| session.allocate_hip(N).expect("allocate").into_opencl().expect("hand-over"),
        |session, _| session.allocate_host(N).expect("allocate"),
        |session, cl| {
            let mem = some_mem(session, cl, cl_sys::CL_MEM_READ_WRITE);
            // SAFETY: made above, used through the view only.
            let view = unsafe { session.view(mem) }.expect("view");
            // SAFETY: the view holds it.
            assert_eq!(unsafe { cl.clReleaseMemObject(mem) }.expect("OpenCL"), cl_sys::CL_SUCCESS);
            view
        },
    ];
    for maker in makers {
        let one = session();
        let other = one.beside().expect("another queue and stream");
        let sides = Sides::new(&other).expect("kernels");
        let buffer = maker(&one, &cl).into_session(&other).expect("nobody works on it");
        one.close().expect("its buffer is the other's");
        sides.run(buffer).expect("both sides");
        sides.close().expect("close");
        other.close().expect("close");
    }
}
