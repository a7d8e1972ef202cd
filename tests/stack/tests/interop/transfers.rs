//! Uploads and downloads: what they run beside, what they wait for, and how they fail.
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cl_sys::{Cl, cl_event, cl_int};
use hip_sys::{Hip, Hiprtc, hipError_t};
use hsa_sys::Hsa;
use rocm_interop::hip::HipModule;
use rocm_interop::opencl::OpenClProgram;
use rocm_interop::sys::{Api, Code};
use rocm_interop::{Argument, Buffer, Error, Libraries, Turn};
use serde_json::Value;

use crate::failures::intercepted;
use crate::host::Pages;
use crate::shims;
use crate::trace::traced;
use crate::{N, Sides, assert_same, open_with, ran_alone, session, some_mem};

/// Adds when it is let, at the latest after so many ticks of the GPU's clock: then without adding.
const GATE: &str = "
ulong __ockl_steadyctr_u64(void);
struct words { atomic_uint running, open; };
kernel void gate(global uint *x, ulong at, ulong ticks) {
    global struct words *words = (global struct words *)at;
    ulong since = __ockl_steadyctr_u64();
    atomic_store_explicit(&words->running, 1, memory_order_release, memory_scope_all_svm_devices);
    while (!atomic_load_explicit(&words->open, memory_order_acquire, memory_scope_all_svm_devices)) {
        if (__ockl_steadyctr_u64() - since > ticks) return;
        __builtin_amdgcn_s_sleep(2);
    }
    x[get_global_id(0)] += 1;
}";
/// Work-items of that kernel, by which it is found in the device's trace.
const ITEMS: usize = 5;
/// What is copied up and down meanwhile: so much that an engine does it.
const LEN: usize = 1 << 20;

/// As in `GATE`, in memory of the host that the GPU does not cache.
#[derive(Default)]
#[repr(C)]
struct Words {
    running: AtomicU32,
    open: AtomicU32,
}

struct Gate(NonNull<Words>, Hip);

impl Gate {
    fn new() -> Gate {
        let (hip, mut pointer) = (Hip::load().expect("HIP"), std::ptr::null_mut());
        let flags = hip_sys::hipHostMallocMapped | hip_sys::hipHostMallocCoherent;
        // SAFETY: writes one pointer.
        let code = unsafe { hip.hipHostMalloc(&mut pointer, size_of::<Words>(), flags) };
        assert_eq!(code.expect("hipHostMalloc"), hipError_t::hipSuccess);
        let words = NonNull::new(pointer.cast::<Words>()).expect("memory");
        // SAFETY: memory of that size, which nobody uses yet.
        unsafe { words.write(Words::default()) };
        Gate(words, hip)
    }

    fn words(&self) -> &Words {
        // SAFETY: allocated until this is dropped; all access is atomic.
        unsafe { self.0.as_ref() }
    }

    fn address(&self) -> u64 {
        self.0.as_ptr().expose_provenance() as u64
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`; the test has waited for the kernel.
        let code = unsafe { self.1.hipHostFree(self.0.as_ptr().cast()) };
        assert_eq!(code.expect("hipHostFree"), hipError_t::hipSuccess);
    }
}

/// A kernel of OpenCL's is on the GPU when the copies begin, and goes on when they have ended: one that waited for it
/// would not come.
#[test]
fn y4_batches_are_copied_while_opencl_computes() {
    needs_amd_opencl!();
    let (session, cl) = (session(), Cl::load().expect("OpenCL"));
    let program = OpenClProgram::build(&session, GATE, "-cl-std=CL2.0").expect("OpenCL C");
    let kernel = program.kernel("gate").expect("kernel");
    let numbers: Vec<u32> = (0..LEN as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let mem = some_mem(&session, &cl, cl_sys::CL_MEM_READ_WRITE);
    // SAFETY: made above, used through the view only.
    let view = unsafe { session.view::<u32>(mem) }.expect("view");
    for next in [session.allocate::<u32>(LEN).expect("allocate"), view] {
        let gate = Gate::new();
        let data = numbers[..next.len()].to_vec();
        let mut current = session.allocate::<u32>(N).expect("allocate");
        current.write(&[7; N]).expect("write");
        // 10^10 ticks are a hundred seconds or more.
        let (words, ticks) = (gate.address(), 10_000_000_000u64);
        let arguments = [(&current).into(), Argument::value(&words), Argument::value(&ticks)];
        // SAFETY: it adds to the first elements, and its words are there until it was waited for.
        unsafe { kernel.launch(&[ITEMS], Some(&[ITEMS]), &arguments) }.expect("launch");
        while gate.words().running.load(Ordering::Acquire) == 0 {
            std::thread::yield_now();
        }
        let (next, data) = next.upload(data).expect("upload").wait().expect("wait");
        let (next, got) = next.download(vec![0; data.len()]).expect("download").wait().expect("wait");
        assert_same(&got, &data);
        gate.words().open.store(1, Ordering::Release);
        let mut end = vec![0; N];
        current.read(&mut end).expect("read");
        let want: Vec<u32> = (0..N).map(|i| if i < ITEMS { 8 } else { 7 }).collect();
        assert_same(&end, &want);
        let mut end = vec![0; data.len()];
        next.read(&mut end).expect("read");
        assert_same(&end, &data);
    }
    // SAFETY: made above.
    unsafe { cl.clReleaseMemObject(mem) }.expect("clReleaseMemObject");
}

/// Of memory of each kind: what OpenCL knows is copied in the background, the rest before the call returns.
#[test]
fn memory_of_every_kind_is_uploaded_and_downloaded() {
    needs_amd_opencl!();
    let (session, other, cl) = (session(), session(), Cl::load().expect("OpenCL"));
    let (mem, pages) = (some_mem(&session, &cl, cl_sys::CL_MEM_READ_WRITE), Pages::new());
    // SAFETY: a live buffer object, and pages that live longer than the view; both are used through the view only.
    let (view, pages_view) =
        unsafe { (session.view::<u32>(mem).expect("view"), session.view_pages(pages.slice()).expect("view")) };
    let [svm, host] = [session.allocate(N), session.allocate_host(N)].map(|buffer| buffer.expect("allocate"));
    let hips = session.allocate_hip::<u32>(N).expect("allocate").into_opencl().expect("hand-over");
    let lent = other.allocate::<u32>(N).expect("allocate").into_session(&session).expect("lend");
    let exported = other.allocate::<u32>(1 << 20).expect("allocate");
    let imported = session.import::<u32>(&exported.export().expect("export")).expect("import");
    let all = [
        ("SVM", svm),
        ("SVM on the host", host),
        ("cl_mem", view),
        ("pages", pages_view),
        ("HIP", hips),
        ("lent", lent),
        ("imported", imported),
    ];
    let data: Vec<u32> = (0..N as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    for (kind, buffer) in all {
        let upload = buffer.upload(data.clone()).expect("upload");
        while !upload.is_ready().expect("asked") {
            std::thread::yield_now();
        }
        let (buffer, _) = upload.wait().expect("wait");
        let (buffer, got) = buffer.download(vec![0; N]).expect("download").wait().expect("wait");
        assert!(got == data, "{kind}");
        // Waited for when it is dropped, with what it is to write to.
        drop(buffer.download(vec![0; N]).expect("download"));
    }
    session.finish().expect("nothing failed");
    // SAFETY: made above; its view is gone.
    assert_eq!(unsafe { cl.clReleaseMemObject(mem) }.expect("OpenCL"), cl_sys::CL_SUCCESS);
}

/// The same by the device's own account: an engine copies every byte up and down between the start and the end of the
/// kernel.
#[test]
fn y4_the_device_copies_batches_while_opencl_computes() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    let test = "transfers::y4_batches_are_copied_while_opencl_computes";
    let (trace, _) = traced(test, Duration::from_secs(240));
    let mut copied = Vec::new();
    let mut gate = None;
    for line in trace.lines() {
        let event: Value = serde_json::from_str(line).expect("a line of JSON");
        match event["event"].as_str() {
            Some("dispatch") if event["grid"][0] == ITEMS => {
                gate = Some(event["dispatch"].clone());
                copied.push(0);
            }
            Some("dispatch_end") if Some(&event["dispatch"]) == gate.as_ref() => gate = None,
            Some("sdma") if gate.is_some() && event["packet"] == "copy_linear" => {
                *copied.last_mut().expect("inside a dispatch") += event["bytes"].as_u64().expect("bytes");
            }
            _ => {}
        }
    }
    assert_eq!(copied, [LEN, N].map(|len| 2 * 4 * len as u64));
}

/// Whether OpenCL says of commands that they failed.
static FAILING: AtomicBool = AtomicBool::new(false);

fn real_opencl() -> &'static Cl {
    static REAL: OnceLock<Cl> = OnceLock::new();
    REAL.get_or_init(|| Cl::load().expect("OpenCL"))
}

/// `clWaitForEvents` as where one of the commands failed.
unsafe extern "C" fn wait_for_events(count: u32, events: *const cl_event) -> cl_int {
    // SAFETY: the caller's arguments, passed on.
    let code = unsafe { real_opencl().clWaitForEvents(count, events) }.expect("OpenCL");
    let failed = cl_sys::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if FAILING.load(Ordering::Relaxed) { failed } else { code }
}

/// `clGetEventInfo` as of one that failed.
unsafe extern "C" fn event_info(
    event: cl_event,
    info: cl_sys::cl_event_info,
    size: usize,
    value: *mut c_void,
    written: *mut usize,
) -> cl_int {
    // SAFETY: the caller's arguments, passed on.
    let code = unsafe { real_opencl().clGetEventInfo(event, info, size, value, written) }.expect("OpenCL");
    if FAILING.load(Ordering::Relaxed) && info == cl_sys::CL_EVENT_COMMAND_EXECUTION_STATUS {
        // SAFETY: the caller asks for one value of this type.
        unsafe { *value.cast::<cl_int>() = cl_sys::CL_OUT_OF_RESOURCES };
    }
    code
}

/// OpenCL's calls say of a copy that was accepted and failed nothing, also those that wait for it: its event does. What
/// one says that fails is made up.
#[test]
fn a_copy_that_failed_later_is_told() {
    needs_amd_opencl!();
    let (hip, rtc, hsa) = (Hip::load().expect("HIP"), Hiprtc::load().expect("hiprtc"), Hsa::load().expect("HSA"));
    // SAFETY: the library's own functions, and two of the same types.
    let cl = unsafe {
        Cl::from_resolver("OpenCL", |name| match name {
            "clWaitForEvents" => NonNull::new(wait_for_events as *mut c_void),
            "clGetEventInfo" => NonNull::new(event_info as *mut c_void),
            _ => real_opencl().address(name),
        })
    };
    let session = open_with(Arc::new(Libraries::new(cl, hip, rtc, hsa).expect("libraries"))).expect("session");
    let told = |error: &Error| {
        assert!(
            matches!(error, Error::Failed { code } if *code == Code::OpenCl(cl_sys::CL_OUT_OF_RESOURCES)),
            "{error}"
        );
        assert!(matches!(error, Error::Failed { code } if code.api() == Api::OpenCl), "{error}");
    };
    let mem = some_mem(&session, real_opencl(), cl_sys::CL_MEM_READ_WRITE);
    // SAFETY: made above, used through the view only.
    let view = unsafe { session.view::<u32>(mem) }.expect("view");
    for mut buffer in [session.allocate::<u32>(N).expect("allocate"), view] {
        FAILING.store(true, Ordering::Relaxed);
        told(&buffer.write(&[1; N]).expect_err("it failed"));
        told(&buffer.read(&mut [0; N]).expect_err("it failed"));
        let (error, upload) = buffer.upload(vec![2; N]).expect("it begins").wait().expect_err("it failed").into_parts();
        told(&error);
        let (buffer, data) = upload.wait().expect("told once");
        let download = buffer.download(vec![3; N]).expect("it begins");
        assert!(!format!("{download:?}").contains("[3"), "the data may be written meanwhile");
        let (error, download) = download.wait().expect_err("it failed").into_parts();
        told(&error);
        let (buffer, _) = download.wait().expect("told once");
        FAILING.store(false, Ordering::Relaxed);
        let mut end = vec![0; N];
        buffer.read(&mut end).expect("read");
        assert_same(&end, &data);
        buffer.close().expect("it is not leaked");
    }
    // SAFETY: made above.
    unsafe { real_opencl().clReleaseMemObject(mem) }.expect("clReleaseMemObject");
}

#[test]
fn uploads_and_downloads_have_to_fit() {
    needs_amd_opencl!();
    let session = session();
    let buffer = session.allocate::<u32>(1 << 20).expect("allocate");
    let refused = buffer.upload(vec![1; (1 << 20) + 1]).expect_err("too long");
    assert!(refused.to_string().contains("1048577 elements, but the buffer has 1048576"), "{refused}");
    let (error, (buffer, data)) = refused.into_parts();
    assert!(matches!(error, Error::Argument { subject: "data", .. }));
    assert_eq!((data.len(), data[1 << 20]), ((1 << 20) + 1, 1), "the data comes back");
    let (error, (buffer, mut data)) = buffer.download(data).expect_err("too long").into_parts();
    assert!(error.to_string().contains("1048577 elements, but the buffer has 1048576"), "{error}");
    assert_eq!((data.len(), data[1 << 20]), ((1 << 20) + 1, 1), "the data comes back");
    data.truncate(1 << 20);
    let (filled, data) = buffer.upload(data).expect("upload").wait().expect("wait");
    let mut end = vec![0; 1 << 20];
    filled.read(&mut end).expect("read");
    assert_eq!(end, data);
    let (buffer, first) = filled.download(vec![7; 2]).expect("download").wait().expect("wait");
    let (_, nothing) = buffer.download(Vec::new()).expect("download").wait().expect("wait");
    assert_eq!((first, nothing.len()), (vec![1; 2], 0));
}

/// Of memory of each kind, from the middle, in both directions; it stays HIP's.
#[test]
fn memory_of_every_kind_is_written_and_read_on_hips_turn() {
    needs_amd_opencl!();
    let (session, other, cl) = (session(), session(), Cl::load().expect("OpenCL"));
    let (mem, pages, sides) = (some_mem(&session, &cl, cl_sys::CL_MEM_READ_WRITE), Pages::new(), Sides::new(&session));
    // SAFETY: as above.
    let (view, pages_view) =
        unsafe { (session.view::<u32>(mem).expect("view"), session.view_pages(pages.slice()).expect("view")) };
    let [svm, host] = [session.allocate(N), session.allocate_host(N)].map(|buffer| buffer.expect("allocate"));
    let lent = other.allocate::<u32>(N).expect("allocate").into_session(&session).expect("lend");
    let exported = other.allocate::<u32>(1 << 20).expect("allocate").export().expect("export");
    let imported = session.import::<u32>(&exported).expect("import");
    let by_hip = session.import_hip::<u32>(&exported).expect("import");
    let all = [("SVM", svm), ("SVM on the host", host), ("cl_mem", view), ("pages", pages_view), ("lent", lent)];
    let all = all.into_iter().map(|(kind, buffer)| (kind, buffer.into_hip().expect("hand-over")));
    let hips = session.allocate_hip::<u32>(N).expect("allocate");
    let sides = sides.expect("kernels");
    for (kind, mut buffer) in
        all.chain([("HIP", hips), ("imported", imported.into_hip().expect("hand-over")), ("imported by HIP", by_hip)])
    {
        buffer.write(&[1; N]).expect("write");
        sides.triple(&buffer).expect("launch");
        buffer.write_at(7, &[5; 9]).expect("it waits for the kernel");
        sides.triple(&buffer).expect("launch");
        let mut end = vec![0; N];
        buffer.read_at(0, &mut end).expect("read");
        let mut want = vec![9; N];
        want[7..16].fill(15);
        assert!(end == want, "{kind}: {:?}", &end[..20]);
        sides.triple(&buffer).expect("launch");
        let (buffer, _) = buffer.upload_at(10, vec![2; 3]).expect("upload").wait().expect("wait");
        let (buffer, got) = buffer.download_at(8, vec![0; 6]).expect("download").wait().expect("wait");
        assert!(got == [45, 45, 2, 2, 2, 45], "{kind}: {got:?}");
        let len = buffer.len();
        let refused = buffer.upload_at(len - 1, vec![0; 2]).expect_err("too long");
        assert!(
            refused.to_string().contains(&format!("2 elements from element {} on, but the buffer has {len}", len - 1)),
            "{refused}"
        );
        let (_, (buffer, data)) = refused.into_parts();
        assert_eq!(data, [0; 2]);
        drop(buffer.download_at(usize::MAX, vec![0; 2]).expect_err("far behind the end"));
    }
    // SAFETY: made above; its view is gone.
    assert_eq!(unsafe { cl.clReleaseMemObject(mem) }.expect("OpenCL"), cl_sys::CL_SUCCESS);
}

/// A download does not come behind an upload that takes longer, of either API's memory: in one queue it would, always.
#[test]
fn uploads_and_downloads_run_at_once() {
    needs_amd_opencl!();
    let session = session();
    const MUCH: usize = 1 << 26;
    fn at_once<Side: Turn>(mut large: Buffer<u32, Side>, mut small: Buffer<u32, Side>) -> bool {
        small.write(&[3; N]).expect("write");
        let mut data = vec![7; MUCH];
        // Beside other programs a thread may be late.
        for _ in 0..20 {
            let upload = large.upload(data).expect("upload");
            let (back, got) = small.download(vec![0; 1]).expect("download").wait().expect("wait");
            let beside = !upload.is_ready().expect("asked");
            assert_eq!(got, [3]);
            if beside {
                return true;
            }
            (large, data) = upload.wait().expect("wait");
            small = back;
        }
        false
    }
    let small = session.allocate(N).expect("allocate");
    assert!(at_once(session.allocate::<u32>(MUCH).expect("allocate"), small), "OpenCL");
}

/// Into and out of memory of each API, in place; the addresses are for the next test.
#[test]
fn staging_is_copied_whole_and_in_part() {
    needs_amd_opencl!();
    let (session, cl) = (session(), Cl::load().expect("OpenCL"));
    let mut staging = session.staging::<u32>(LEN).expect("staging");
    assert!(staging.iter().all(|element| *element == 0) && staging.len() == LEN);
    println!("staging at {}", staging.as_ptr().addr());
    staging.iter_mut().zip(0u32..).for_each(|(element, i)| *element = i.wrapping_mul(2_654_435_761));
    let want = staging.to_vec();
    let svm = session.allocate::<u32>(LEN).expect("allocate");
    let hips = session.allocate_hip::<u32>(LEN).expect("allocate").into_opencl().expect("hand-over");
    for buffer in [svm, hips] {
        let (buffer, mut back) = buffer.upload(staging).expect("upload").wait().expect("wait");
        back.fill(0);
        let (buffer, back) = buffer.download(back).expect("download").wait().expect("wait");
        assert_same(&back, &want);
        staging = back;
        drop(buffer);
    }
    let error = staging.set_len(LEN + 1).expect_err("too many").to_string();
    assert!(error.contains(&format!("{} elements, but there is room for {LEN}", LEN + 1)), "{error}");
    staging.set_len(5).expect("room");
    assert_eq!((staging.len(), staging.capacity()), (5, LEN));
    // Of a `cl_mem` too, if not in place.
    let mem = some_mem(&session, &cl, cl_sys::CL_MEM_READ_WRITE);
    // SAFETY: made above, used through the view only.
    let view = unsafe { session.view::<u32>(mem) }.expect("view");
    let (view, mut staging) = view.upload_at(3, staging).expect("upload").wait().expect("wait");
    staging.set_len(4).expect("room");
    let (view, staging) = view.download_at(4, staging).expect("download").wait().expect("wait");
    assert_eq!(*staging, want[1..5]);
    drop((view, staging));
    // SAFETY: made above; its view is gone.
    assert_eq!(unsafe { cl.clReleaseMemObject(mem) }.expect("OpenCL"), cl_sys::CL_SUCCESS);
}

/// By the device's own account its engines read and wrote the staging memory itself: once in each direction for each
/// kind of memory.
#[test]
fn staging_is_copied_in_place() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    let (trace, output) = traced("transfers::staging_is_copied_whole_and_in_part", Duration::from_secs(240));
    let start =
        output.split("staging at ").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("its address");
    let start: u64 = start.parse().expect("a number");
    let is_staging = |value: &Value| {
        let address = value.as_u64().or_else(|| u64::from_str_radix(value.as_str()?.trim_start_matches("0x"), 16).ok());
        address.is_some_and(|address| (start..start + 4 * LEN as u64).contains(&address))
    };
    let (mut up, mut down) = (0, 0);
    for line in trace.lines() {
        let event: Value = serde_json::from_str(line).expect("a line of JSON");
        if event["event"] == "sdma" && event["packet"] == "copy_linear" {
            let bytes = event["bytes"].as_u64().expect("bytes");
            up += if is_staging(&event["from"]) { bytes } else { 0 };
            down += if is_staging(&event["to"]) { bytes } else { 0 };
        }
    }
    assert_eq!([up, down], [2 * 4 * LEN as u64; 2]);
}

const HANG: &str = "kernel void hang(ulong flag, global uint *x) {
    while (!atomic_load_explicit((global atomic_uint *)flag, memory_order_relaxed, memory_scope_all_svm_devices)) __builtin_amdgcn_s_sleep(8);
    x[0] = 7;
}";

/// A kernel on one buffer holds up nobody who writes another, or has it in place.
#[test]
fn writes_and_slices_wait_for_their_own_buffer_alone() {
    needs_amd_opencl!();
    // The kernel that does not end would hold up other tests' queues, which share its queue of the hardware.
    if ran_alone("transfers::writes_and_slices_wait_for_their_own_buffer_alone", &[]) {
        return;
    }
    let (session, other) = (session(), session());
    let hang = OpenClProgram::build(&session, HANG, "-cl-std=CL2.0").expect("program").kernel("hang").expect("kernel");
    let sides = Sides::new(&session).expect("kernels");
    let mut flag = other.allocate_host::<u32>(1).expect("allocate");
    flag.host_slice().expect("nobody uses it")[0] = 0;
    let (mut written, mut seen) =
        (session.allocate::<u32>(N).expect("allocate"), session.allocate_host::<u32>(N).expect("allocate"));
    let busy = session.allocate::<u32>(1).expect("allocate");
    written.write(&[1; N]).expect("write");
    seen.host_slice().expect("nobody uses it").fill(2);
    sides.add(&written, 3).expect("launch");
    sides.add(&seen, 4).expect("launch");
    // AMD's OpenCL tells of the end of commands that it submitted as one only when all of them have ended.
    session.finish().expect("both kernels");
    // SAFETY: the flag is there until the kernel has ended.
    unsafe { hang.launch(&[1], None, &[Argument::value(&flag.address()), (&busy).into()]) }.expect("launch");
    assert_eq!(seen.host_slice().expect("its own kernel has ended"), [6; N]);
    written.write_at(1, &[9]).expect("write");
    // Here the kernel still runs: it ends by this.
    flag.host_slice().expect("no kernel of its session's uses it")[0] = 1;
    let mut end = [0; N];
    written.read(&mut end).expect("read");
    assert_eq!((end[0], end[1], &end[2..]), (4, 9, &[4; N - 2][..]));
    let mut end = [0];
    busy.read(&mut end).expect("read");
    assert_eq!(end, [7]);
}

const HANG_ON: &str = r#"extern "C" __global__ void hang_on(unsigned long long flag, unsigned *x) {
    while (!__hip_atomic_load((unsigned *)flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM)) __builtin_amdgcn_s_sleep(8);
    x[0] = 7;
}"#;

/// A kernel on one buffer, of either API, holds up nobody who reads, drops or closes another; and who gives back a
/// buffer that it may use waits for it.
#[test]
fn reads_drops_and_closes_wait_for_their_own_buffer_alone() {
    needs_amd_opencl!();
    // As above.
    if ran_alone("transfers::reads_drops_and_closes_wait_for_their_own_buffer_alone", &[]) {
        return;
    }
    let (session, other) = (intercepted(), session());
    let on_opencl =
        OpenClProgram::build(&session, HANG, "-cl-std=CL2.0").expect("program").kernel("hang").expect("kernel");
    let on_hip = HipModule::build(&session, HANG_ON).expect("module").kernel("hang_on").expect("kernel");
    let sides = Sides::new(&session).expect("kernels");
    let mut flag = other.allocate_host::<u32>(1).expect("allocate");
    let allocate = || {
        let mut buffer = session.allocate::<u32>(N).expect("allocate");
        buffer.write(&[1; N]).expect("write");
        buffer
    };
    for api in [Api::OpenCl, Api::Hip] {
        flag.host_slice().expect("nobody uses it")[0] = 0;
        // Both sides have used each of these, and were waited for.
        let mut unused: Vec<_> = (0..4)
            .map(|_| {
                let buffer = allocate();
                sides.add(&buffer, 2).expect("launch");
                let buffer = buffer.into_hip().expect("hand-over");
                sides.triple(&buffer).expect("launch");
                buffer.into_opencl().expect("hand-over")
            })
            .collect();
        let never = session.allocate::<u32>(N).expect("allocate").into_hip().expect("hand-over");
        let (used, part, told) = (allocate(), allocate(), allocate());
        let until = flag.address();
        let mut ends: Vec<Box<dyn FnOnce() + Send>> = Vec::new();
        if api == Api::OpenCl {
            // SAFETY: the flag is there until the kernels have ended.
            unsafe {
                on_opencl.launch(&[1], None, &[Argument::value(&until), (&used).into()]).expect("launch");
                let part = part.slice(7..).expect("a part");
                on_opencl.launch(&[1], None, &[Argument::value(&until), part.into()]).expect("launch");
            }
            ends.push(Box::new(move || used.close().expect("it has ended")));
            ends.push(Box::new(move || drop(part)));
        } else {
            let (used, part) = (used.into_hip().expect("hand-over"), part.into_hip().expect("hand-over"));
            // SAFETY: as above.
            unsafe {
                on_hip.launch(1, 1, 0, &[Argument::value(&until), (&used).into()]).expect("launch");
                let part = part.slice(7..).expect("a part");
                on_hip.launch(1, 1, 0, &[Argument::value(&until), part.into()]).expect("launch");
            }
            ends.push(Box::new(move || used.close().expect("it has ended")));
            ends.push(Box::new(move || drop(part)));
        }
        // A kernel could have its address.
        assert_ne!(told.address(), 0);
        ends.push(Box::new(move || drop(told)));
        // Nobody waits here: otherwise this would not come to an end.
        let mut end = vec![0; N];
        unused[0].read(&mut end).expect("read");
        assert_same(&end, &[9; N]);
        unused[1].write_at(1, &[3]).expect("write");
        unused[1].read_at(1, &mut end[..2]).expect("read");
        assert_eq!(end[..2], [3, 9]);
        unused.pop().expect("a buffer").close().expect("nothing of it failed");
        drop((unused, never));
        let ended = AtomicU32::new(0);
        std::thread::scope(|threads| {
            let ended = &ended;
            for end in ends {
                threads.spawn(move || {
                    end();
                    ended.fetch_add(1, Ordering::SeqCst);
                });
            }
            std::thread::sleep(Duration::from_millis(300));
            let early = ended.load(Ordering::SeqCst);
            flag.host_slice().expect("no kernel of its session's uses it")[0] = 1;
            assert_eq!(early, 0, "{api:?}: freed while a kernel may use it");
        });
        assert_eq!(ended.load(Ordering::SeqCst), 3);
        session.finish().expect("nothing failed");
        session.synchronize().expect("nothing failed");
        assert_eq!(shims::freed_in_use(), [""; 0], "{api:?}");
    }
}

/// The tests' own model of who uses what, by calls that are wrong.
#[test]
fn what_is_freed_in_use_is_noticed_and_nothing_else() {
    needs_amd_opencl!();
    if ran_alone("transfers::what_is_freed_in_use_is_noticed_and_nothing_else", &[]) {
        return;
    }
    let session = intercepted();
    let (sides, cl) = (Sides::new(&session).expect("kernels"), shims::opencl());
    let svm = || {
        let flags = cl_sys::CL_MEM_READ_WRITE;
        // SAFETY: a live context.
        unsafe { cl.clSVMAlloc(session.context(), flags, 4 * N, 0) }.expect("clSVMAlloc")
    };
    // SAFETY: allocated by `svm`, given back once.
    let free = |svm| unsafe { cl.clSVMFree(session.context(), svm) }.expect("clSVMFree");
    let add = sides.add.raw();
    let (used, unused, late) = (svm(), svm(), svm());
    let (n, size) = (1u32, N);
    // SAFETY: what the kernel declares. The second stays until the session is closed.
    unsafe {
        cl.clSetKernelArgSVMPointer(add, 0, used.wrapping_byte_add(64)).expect("OpenCL");
        cl.clSetKernelArg(add, 1, 4, (&raw const n).cast()).expect("OpenCL");
        let (none, mut event) = (std::ptr::null::<cl_event>(), std::ptr::null_mut());
        let size = &(size - 16);
        cl.clEnqueueNDRangeKernel(session.queue(), add, 1, none.cast(), size, none.cast(), 0, none, &mut event)
            .expect("OpenCL");
        free(unused);
        assert_eq!(shims::freed_in_use(), [""; 0]);
        cl.clWaitForEvents(1, &event).expect("OpenCL");
        cl.clSetKernelArgSVMPointer(add, 0, late).expect("OpenCL");
        let mut second = std::ptr::null_mut();
        cl.clEnqueueNDRangeKernel(session.queue(), add, 1, none.cast(), size, none.cast(), 0, none, &mut second)
            .expect("OpenCL");
        free(used);
        assert_eq!(shims::freed_in_use(), [""; 0], "it was waited for");
        // Not yet by the model; the GPU is done, so that nothing breaks.
        Cl::load().expect("OpenCL").clFinish(session.queue()).expect("OpenCL");
        free(late);
        assert_eq!(shims::freed_in_use(), ["clSVMFree"]);
        shims::start(None);
        cl.clReleaseEvent(event).expect("OpenCL");
        cl.clReleaseEvent(second).expect("OpenCL");
    }
}
