//! Sessions on what others have: OpenCL's queue without a stream, owners that are kept, and who was the last.
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use rocm_interop::Session;
use rocm_interop::memory::Place;

use crate::failures::intercepted;
use crate::{N, both_sides, session, shims};

/// OpenCL code that has no stream of HIP's gets one.
#[test]
fn a_session_on_a_context_and_queue_makes_its_own_stream() {
    needs_amd_opencl!();
    let owner = session();
    // SAFETY: live handles of the owner, which outlives the guest.
    let guest =
        unsafe { Session::from_opencl(owner.device().libraries(), owner.context(), owner.queue()) }.expect("guest");
    assert_eq!((guest.context(), guest.queue()), (owner.context(), owner.queue()));
    assert!(!guest.stream().is_null() && guest.stream() != owner.stream());
    let buffer = guest.allocate::<u32>(N).expect("allocate");
    assert_eq!(buffer.residency().place, Place::Gpu(owner.device().pci()));
    both_sides(&guest, buffer).expect("both sides");
    assert!(guest.close().expect("close"), "the last reference");
    both_sides(&owner, owner.allocate(N).expect("allocate")).expect("the owner's handles still work");
    let other = session();
    // SAFETY: live handles.
    let mixed = unsafe { Session::from_opencl(owner.device().libraries(), owner.context(), other.queue()) };
    assert!(mixed.expect_err("two contexts").to_string().contains("OpenCL queue: is of another context"));
}

/// Says when it is dropped what had been given back by then.
struct Owner(Sender<usize>);

impl Drop for Owner {
    fn drop(&mut self) {
        let released = shims::counts().get("clReleaseContext").map_or(0, |count| count.made);
        self.0.send(released).expect("the test listens");
    }
}

/// What owns a stream goes behind the last call of the session that uses it; `close` says whose that is.
#[test]
fn an_owner_is_kept_until_the_session_is_gone() {
    needs_amd_opencl!();
    let _alone = stack_tests::exclusive();
    let owner = intercepted();
    let libraries = Arc::clone(owner.device().libraries());
    // SAFETY: live handles of the owner, which the guest keeps.
    let guest =
        unsafe { Session::from_raw(&libraries, owner.context(), owner.queue(), owner.stream()) }.expect("guest");
    let (dropped, heard) = channel();
    guest.keep_alive(Owner(dropped));
    guest.keep_alive(owner);
    let buffer = guest.allocate::<u32>(N).expect("allocate");
    shims::start(None);
    assert!(!guest.clone().close().expect("close"), "there is another reference");
    assert!(!guest.close().expect("close"), "the buffer has one");
    assert!(heard.try_recv().is_err(), "the stream is in use");
    buffer.close().expect("close");
    assert_eq!(heard.try_recv(), Ok(1), "behind the session's own context");
    let released = shims::counts()["clReleaseContext"].made;
    assert_eq!(released, 2, "the session that was kept is gone too");
}
