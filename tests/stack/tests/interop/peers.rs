//! M10: two GPUs, one of which uses a buffer of the other.
use std::ptr::NonNull;
use std::sync::Arc;
use std::time::Duration;

use rocm_interop::hand_over::Flags;
use rocm_interop::hip::HipModule;
use rocm_interop::memory::Place;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::{Buffer, Device, Error, Hip, Libraries, OpenCl, Session};
use stack_tests::TraceFile;

use crate::trace::{Marker, Seen, all_between};
use crate::{HIP, N, OPENCL, assert_same, both_sides, some_mem};

#[repr(C, align(4096))]
struct Pages([u32; N]);

pub fn two() -> [Session; 2] {
    let libraries = Arc::new(Libraries::load().expect("libraries"));
    let devices = Device::all(&libraries).expect("devices");
    let [first, second] = &devices[..] else { panic!("two GPUs: {devices:?}") };
    [first, second].map(|device| Session::open(device).expect("session"))
}

fn start() -> Vec<u32> {
    (0..N as u32).collect()
}

/// Whose kernels another GPU's session may launch on a buffer.
#[derive(Clone, Copy)]
enum By {
    Both,
    Hip,
}

/// Sizes of launches that mark places in the device's trace.
const MARKS: [usize; 2] = [64 * 105, 64 * 106];

/// Adds on the buffer's own session, triples on the other's, and adds there too if its OpenCL may, then once more at
/// home.
fn there_and_back(home: &Session, away: &Session, mut buffer: Buffer<u32, OpenCl>, by: By) -> Result<(), Error> {
    let [add, add_away] = [home, away].map(|session| OpenClProgram::build(session, OPENCL, "")?.kernel("add"));
    let (add, add_away, triple) = (add?, add_away?, HipModule::build(away, HIP)?.kernel("triple")?);
    let marker = Marker::new(home);
    buffer.write(&start())?;
    marker.mark(MARKS[0]);
    // SAFETY: one work-item an element, in all launches.
    unsafe { add.launch(&[N], None, &[(&buffer).into(), 5.into()]) }?;

    let mut there = buffer.into_session(away)?;
    // If OpenCL may use it here, it does not know it: these kernels follow each other by what `launch` does.
    for _ in 0..4 {
        // SAFETY: as above.
        let launched = unsafe { add_away.launch(&[N], None, &[(&there).into(), 1.into()]) };
        match by {
            By::Both => launched?,
            By::Hip => {
                let error = launched.expect_err("SVM of another GPU");
                let words = format!("buffer: is SVM that was made for GPU {}, ", home.device().pci());
                assert!(matches!(error, Error::Argument { .. }) && error.to_string().starts_with(&words), "{error}");
            }
        }
    }
    let on_hip = there.into_hip()?;
    // SAFETY: as above.
    unsafe { triple.launch((N / 64) as u32, 64, 0, &[(&on_hip).into()]) }?;
    let back = on_hip.into_opencl()?.into_session(home)?;
    // SAFETY: as above.
    unsafe { add.launch(&[N], None, &[(&back).into(), 2.into()]) }?;
    home.finish()?;
    marker.mark(MARKS[1]);

    let added = if let By::Both = by { 9 } else { 5 };
    let mut end = vec![0; N];
    there = back.into_session(away)?;
    there.read(&mut end)?;
    assert_same(&end, &start().iter().map(|i| (i + added) * 3 + 2).collect::<Vec<_>>());
    there.write(&[7; 64])?;
    let back = there.into_session(home)?;
    // SAFETY: as above.
    unsafe { add.launch(&[N], None, &[(&back).into(), 2.into()]) }?;
    back.read(&mut end)?;
    let want = |i: &u32| if *i < 64 { 9 } else { (i + added) * 3 + 4 };
    assert_same(&end, &start().iter().map(want).collect::<Vec<_>>());
    back.close()
}

#[test]
fn m10_a_buffer_is_used_by_both_apis_of_another_gpu() {
    on_two_gpus!("peers::m10_a_buffer_is_used_by_both_apis_of_another_gpu");
    let [first, second] = two();
    for (home, away) in [(&first, &second), (&second, &first)] {
        there_and_back(home, away, home.allocate(N).expect("SVM"), By::Hip).expect("SVM");
        let hips = home.allocate_hip(N).expect("hipMalloc").into_opencl().expect("hand-over");
        there_and_back(home, away, hips, By::Both).expect("hipMalloc");
        let cl = cl_sys::Cl::load().expect("OpenCL");
        let mem = some_mem(home, &cl, cl_sys::CL_MEM_READ_WRITE);
        // SAFETY: made above, used through the view only.
        let view = unsafe { home.view(mem) }.expect("view");
        assert_eq!(view.residency().place, Place::Gpu(home.device().pci()));
        there_and_back(home, away, view, By::Both).expect("cl_mem");
        // SAFETY: made above.
        unsafe { cl.clReleaseMemObject(mem) }.expect("clReleaseMemObject");
    }
    let host = first.allocate_host(N).expect("fine-grained SVM");
    assert_eq!(host.residency().place, Place::Host);
    there_and_back(&first, &second, host, By::Hip).expect("host memory");
    let mut pages = Box::new(Pages([0; N]));
    // SAFETY: they stay until the buffer is closed, and are used through it only.
    let view = unsafe { first.view_pages(NonNull::from(&mut pages.0[..])) }.expect("pages");
    let (error, view) = view.into_session(&second).expect_err("pages").into_parts();
    let refused = error.to_string();
    assert!(refused.contains("; it gives other GPUs access to its own allocations only"), "{refused}");
    view.close().expect("close");
    // Dropped while it is lent, and lent by HIP and further within one GPU.
    let other = Session::open(second.device()).expect("session");
    let lent = first.allocate_hip::<u32>(N).expect("hipMalloc");
    let lent = lent.into_session(&second).expect("to the second GPU").into_session(&other).expect("to another session");
    let (mut lent, at) = (lent.into_opencl().expect("hand-over"), first.device().pci());
    lent.write(&start()).expect("write");
    assert_eq!(lent.residency().place, Place::Gpu(at));
    // Within one GPU, OpenCL has one copy of its SVM. By flags too, the other GPU's OpenCL does not get it.
    let flags = Flags::new(&second, Duration::from_secs(3600)).expect("flags");
    let svm = first.allocate::<u32>(N).expect("SVM").into_session(&second).expect("to the second GPU");
    let (error, svm) = flags.into_hip(svm).expect_err("OpenCL's kernel gets it").into_parts();
    assert!(error.to_string().starts_with("buffer: is SVM that was made for GPU "), "{error}");
    let (error, svm) = flags.into_opencl(svm.into_hip().expect("hand-over")).expect_err("as above").into_parts();
    assert!(error.to_string().starts_with("buffer: is SVM that was made for GPU "), "{error}");
    drop(svm);
    let svm = other.allocate::<u32>(N).expect("SVM").into_session(&second).expect("to another session");
    both_sides(&second, svm).expect("both sides");
    drop(first);
    let mut end = vec![0; N];
    lent.read(&mut end).expect("read");
    assert_same(&end, &start());
    both_sides(&other, lent).expect("both sides");
}

/// The test above on devices that trace: no copy engine moves a byte, and no other kernels run than those of the test,
/// whoever made the buffer.
#[test]
fn m10_another_gpu_uses_the_bytes_where_they_are() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    let trace = TraceFile::new("m10");
    crate::again_on_two_gpus("peers::m10_a_buffer_is_used_by_both_apis_of_another_gpu", &trace.options());
    let (by_both, by_hip) = (Seen { copied: 0, kernels: 7 }, Seen { copied: 0, kernels: 3 });
    let there = [&by_hip, &by_both, &by_both];
    let want: Vec<&Seen> = [&there[..], &there, &[&by_hip]].concat();
    assert_eq!(all_between(&trace.read(), MARKS).iter().collect::<Vec<_>>(), want);
}

#[test]
fn m10_bytes_are_copied_from_one_gpu_to_another() {
    on_two_gpus!("peers::m10_bytes_are_copied_from_one_gpu_to_another");
    copies();
}

/// As `copies` says, whatever the links.
fn copies() {
    let [first, second] = two();
    let fill = |session: &Session, values: &[u32]| -> Buffer<u32, Hip> {
        let mut buffer =
            session.allocate_hip::<u32>(values.len()).expect("hipMalloc").into_opencl().expect("hand-over");
        buffer.write(values).expect("write");
        buffer.into_hip().expect("hand-over")
    };
    let triple = HipModule::build(&first, HIP).expect("module").kernel("triple").expect("kernel");
    let (mut source, mut target) = (fill(&first, &start()), fill(&second, &[7; N + 3]));
    // SAFETY: one work-item an element.
    unsafe { triple.launch((N / 64) as u32, 64, 0, &[(&source).into()]) }.expect("launch");
    source.copy_peer(&mut target).expect("copy");
    let mut end = vec![0; N + 3];
    target.into_opencl().expect("hand-over").read(&mut end).expect("read");
    let want: Vec<u32> = start().iter().map(|i| i * 3).chain([7; 3]).collect();
    assert_same(&end, &want);

    let refused = |outcome: Result<(), Error>, words: &str| {
        let error = outcome.expect_err(words);
        assert!(matches!(error, Error::Argument { .. }) && error.to_string().contains(words), "{error}");
    };
    let mut short = fill(&second, &[7; N - 1]);
    refused(source.copy_peer(&mut short), "to: has 4095 elements, but 4096 are to be copied to it");
    let mut svm = second.allocate::<u32>(N).expect("SVM").into_hip().expect("hand-over");
    refused(source.copy_peer(&mut svm), "to: is not memory of `hipMalloc`");
    let mut managed = second.allocate_managed::<u32>(N).expect("allocate");
    refused(source.copy_peer(&mut managed), "to: is not memory of `hipMalloc`");
    refused(svm.copy_peer(&mut short), "to: has 4095");
}

#[test]
fn m10_gpus_without_a_link_are_refused_by_name_and_can_copy() {
    on_two_gpus!("peers::m10_gpus_without_a_link_are_refused_by_name_and_can_copy", "--unlinked");
    let [first, second] = two();
    let (owner, user) = (first.device().pci(), second.device().pci());
    let mut buffer = first.allocate::<u32>(N).expect("SVM");
    buffer.write(&start()).expect("write");
    let (error, buffer) = buffer.into_session(&second).expect_err("no link").into_parts();
    let Error::NoLink { user: named, owner: of } = error else { panic!("{error}") };
    assert_eq!((named, of), (user, owner));
    let text = error.to_string();
    assert!(
        text.starts_with(&format!("GPU {user} cannot use memory of GPU {owner}: hipDeviceCanAccessPeer")),
        "{text}"
    );
    let mut end = vec![0; N];
    buffer.read(&mut end).expect("read");
    assert_same(&end, &start());
    both_sides(&first, buffer).expect("it is still the first session's");
    let host = first.allocate_host(N).expect("fine-grained SVM");
    there_and_back(&first, &second, host, By::Hip).expect("to the host's memory every GPU has a link");
    copies();

    let probe = crate::report::Report::run();
    for (_, findings) in &probe.gpus {
        let finding = findings.iter().find(|(name, _)| *name == "other GPUs").expect("the finding");
        assert!(matches!(&finding.1, Err(why) if why.contains("hipDeviceCanAccessPeer says that no link")), "{probe}");
    }
}
