//! What HIP does where a guess from CUDA or from its documentation is wrong, and what changed between its versions. The
//! findings are in `docs/src/stack/hip.md`; they are AMD's userspace on the virtual GPU, nobody has seen them on
//! hardware.
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use hip_sys::{Hip, hipError_t, hipMemcpyKind, hipStreamCaptureMode, hipStreamCaptureStatus};
use stack_tests::{exclusive, hip_version, hipcc, isa, needs_amd_opencl, run, work_folder};

const BYTES: usize = 8192;

/// Calls a function of HIP and gives its code.
macro_rules! hip {
    ($hip:expr, $function:ident($($argument:expr),*)) => {
        // SAFETY: each caller's pointers have the bytes that it names, or are what HIP is to refuse before it uses
        // them.
        unsafe { $hip.$function($($argument),*) }.expect(stringify!($function))
    };
}

/// As `hip!`, for a call that has to succeed.
macro_rules! done {
    ($hip:expr, $function:ident($($argument:expr),*)) => {
        assert_eq!(hip!($hip, $function($($argument),*)), hipError_t::hipSuccess, stringify!($function))
    };
}

/// HIP on device 0. One test at a time has it: a stream that is captured forbids calls to all threads.
fn hip() -> (MutexGuard<'static, ()>, Hip) {
    let alone = exclusive();
    let hip = Hip::load().expect("HIP");
    done!(hip, hipSetDevice(0));
    _ = hip!(hip, hipGetLastError());
    (alone, hip)
}

/// Which of HIP 5, 6 and 7 this is, as an index.
fn generation() -> usize {
    hip_version().0.saturating_sub(5).min(2) as usize
}

fn malloc(hip: &Hip) -> *mut c_void {
    let mut pointer = null_mut();
    done!(hip, hipMalloc(&mut pointer, BYTES));
    pointer
}

fn host_malloc(hip: &Hip) -> *mut c_void {
    let mut pointer = null_mut();
    done!(hip, hipHostMalloc(&mut pointer, BYTES, 0));
    pointer
}

fn stream(hip: &Hip) -> hip_sys::hipStream_t {
    let mut stream = null_mut();
    done!(hip, hipStreamCreate(&mut stream));
    stream
}

#[test]
fn a_copy_goes_where_the_pointers_say_whatever_its_direction() {
    let (_alone, hip) = hip();
    let device = malloc(&hip);
    let (mut from, mut to) = ([0_u8; BYTES], [0_u8; BYTES]);
    let wrong = [
        (hipMemcpyKind::hipMemcpyDeviceToHost, hipMemcpyKind::hipMemcpyHostToDevice),
        (hipMemcpyKind::hipMemcpyHostToHost, hipMemcpyKind::hipMemcpyHostToHost),
    ];
    for (round, (up, down)) in wrong.into_iter().enumerate() {
        from.fill(round as u8 + 1);
        done!(hip, hipMemcpy(device, from.as_ptr().cast(), BYTES, up));
        done!(hip, hipMemcpy(to.as_mut_ptr().cast(), device, BYTES, down));
        assert_eq!(to, from, "{up:?}, {down:?}");
    }
    let none = hipMemcpyKind(77);
    let expected = [
        hipError_t::hipSuccess,
        hipError_t::hipErrorInvalidMemcpyDirection,
        hipError_t::hipErrorInvalidMemcpyDirection,
    ];
    from.fill(9);
    assert_eq!(hip!(hip, hipMemcpy(device, from.as_ptr().cast(), BYTES, none)), expected[generation()]);
    done!(hip, hipMemcpy(to.as_mut_ptr().cast(), device, BYTES, hipMemcpyKind::hipMemcpyDeviceToHost));
    assert_eq!(to, [if generation() == 0 { 9 } else { 2 }; BYTES], "what the refused copy left");
    done!(hip, hipFree(device));
}

#[test]
fn overlapping_ranges_are_registered() {
    let (_alone, hip) = hip();
    // Pages of their own: the system's allocator puts its own data beside others.
    const PAGE: usize = 4096;
    #[repr(align(4096))]
    struct Pages([u8; 4 * PAGE]);
    let mut pages = Box::new(Pages([0; 4 * PAGE]));
    let pointer = |page: usize| pages.0.as_ptr().wrapping_add(page * PAGE).cast_mut().cast::<c_void>();
    done!(hip, hipHostRegister(pointer(0), 2 * PAGE, 0));
    // Within it, and over its end.
    done!(hip, hipHostRegister(pointer(1), PAGE, 0));
    done!(hip, hipHostRegister(pointer(1), 2 * PAGE, 0));
    let mut known = null_mut();
    done!(hip, hipHostGetDevicePointer(&mut known, pointer(0), 0));
    done!(hip, hipHostUnregister(pointer(1)));
    done!(hip, hipHostUnregister(pointer(0)));
    for page in [0, 1] {
        assert_eq!(
            hip!(hip, hipHostUnregister(pointer(page))),
            hipError_t::hipErrorHostMemoryNotRegistered,
            "page {page}"
        );
    }
    pages.0.fill(1);
}

#[test]
fn each_of_hips_two_functions_frees_the_memory_of_the_other() {
    let (_alone, hip) = hip();
    let (pinned, device) = (host_malloc(&hip), malloc(&hip));
    done!(hip, hipFree(pinned));
    assert_eq!(hip!(hip, hipHostFree(pinned)), hipError_t::hipErrorInvalidValue, "it is freed");
    done!(hip, hipHostFree(device));
    assert_eq!(hip!(hip, hipFree(device)), hipError_t::hipErrorInvalidValue, "it is freed");
}

#[test]
fn an_address_inside_an_allocation_frees_all_of_it() {
    let (_alone, hip) = hip();
    let (pinned, device) = (host_malloc(&hip), malloc(&hip));
    done!(hip, hipFree(device.wrapping_byte_add(256)));
    assert_eq!(hip!(hip, hipFree(device)), hipError_t::hipErrorInvalidValue, "it is freed");
    done!(hip, hipHostFree(pinned.wrapping_byte_add(64)));
    assert_eq!(hip!(hip, hipHostFree(pinned)), hipError_t::hipErrorInvalidValue, "it is freed");
}

#[test]
fn an_event_that_was_never_recorded_has_happened() {
    let (_alone, hip) = hip();
    let mut events = [null_mut(); 2];
    events.iter_mut().for_each(|event| done!(hip, hipEventCreate(event)));
    done!(hip, hipEventQuery(events[0]));
    done!(hip, hipEventSynchronize(events[0]));
    let mut milliseconds = 0.0;
    let elapsed = hip!(hip, hipEventElapsedTime(&mut milliseconds, events[0], events[1]));
    assert_eq!(elapsed, hipError_t::hipErrorInvalidHandle, "but it has no time");
    events.into_iter().for_each(|event| done!(hip, hipEventDestroy(event)));
}

#[test]
fn memory_that_is_allocated_while_a_stream_is_captured_ends_the_capture() {
    let (_alone, hip) = hip();
    let stream = stream(&hip);
    let (mut pointer, mut graph) = (null_mut(), null_mut());
    done!(hip, hipStreamBeginCapture(stream, hipStreamCaptureMode::hipStreamCaptureModeGlobal));
    assert_eq!(hip!(hip, hipMalloc(&mut pointer, BYTES)), hipError_t::hipErrorStreamCaptureUnsupported);
    let mut status = hipStreamCaptureStatus::hipStreamCaptureStatusNone;
    done!(hip, hipStreamIsCapturing(stream, &mut status));
    let ended = hip!(hip, hipStreamEndCapture(stream, &mut graph));
    let (active, invalidated) = (
        hipStreamCaptureStatus::hipStreamCaptureStatusActive,
        hipStreamCaptureStatus::hipStreamCaptureStatusInvalidated,
    );
    let expected = match generation() {
        0 => (active, hipError_t::hipSuccess, true),
        _ => (invalidated, hipError_t::hipErrorStreamCaptureInvalidated, false),
    };
    assert_eq!((status, ended, !graph.is_null()), expected);
    if !graph.is_null() {
        done!(hip, hipGraphDestroy(graph));
    }
    done!(hip, hipStreamDestroy(stream));
    // It is over: other calls allocate again.
    done!(hip, hipFree(malloc(&hip)));
}

#[test]
fn an_error_outlives_a_later_success_from_hip_7_on() {
    let (_alone, hip) = hip();
    assert_eq!(hip!(hip, hipSetDevice(99)), hipError_t::hipErrorInvalidDevice);
    let device = malloc(&hip);
    let expected = [hipError_t::hipSuccess, hipError_t::hipSuccess, hipError_t::hipErrorInvalidDevice];
    assert_eq!(hip!(hip, hipGetLastError()), expected[generation()]);
    assert_eq!(hip!(hip, hipGetLastError()), hipError_t::hipSuccess, "asking clears it");
    done!(hip, hipFree(device));
}

#[test]
fn not_ready_is_an_error_that_hip_keeps_before_7() {
    let (_alone, hip) = hip();
    let (stream, pinned, mut event) = (stream(&hip), host_malloc(&hip), null_mut());
    done!(hip, hipEventCreate(&mut event));
    // SAFETY: allocated above, aligned, and used atomically from here on.
    let word = unsafe {
        pinned.cast::<u32>().write(0);
        AtomicU32::from_ptr(pinned.cast())
    };
    done!(hip, hipStreamWaitValue32(stream, pinned, 1, hip_sys::hipStreamWaitValueGte, u32::MAX));
    done!(hip, hipEventRecord(event, stream));
    let query = hip!(hip, hipEventQuery(event));
    let kept = hip!(hip, hipPeekAtLastError());
    word.store(1, Ordering::Release);
    done!(hip, hipStreamSynchronize(stream));
    assert_eq!(
        (query, kept),
        (
            hipError_t::hipErrorNotReady,
            [hipError_t::hipErrorNotReady, hipError_t::hipErrorNotReady, hipError_t::hipSuccess][generation()]
        )
    );
    done!(hip, hipEventQuery(event));
    done!(hip, hipEventDestroy(event));
    done!(hip, hipStreamDestroy(stream));
    done!(hip, hipHostFree(pinned));
}

/// A code object of version 5, alone in its file (`bundled`: in an offload bundle), for a GPU.
fn code_object(isa: &str, bundled: bool) -> Vec<u8> {
    let folder = work_folder().join(format!("code-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the target folder is writable");
    let (source, code) = (folder.join("k.hip"), folder.join("k.co"));
    let text = "#include <hip/hip_runtime.h>\n__global__ void k(int *p) { p[threadIdx.x] = 42; }\n";
    std::fs::write(&source, text).expect("the target folder is writable");
    let mut hipcc = hipcc();
    hipcc.args(["--genco", "-mcode-object-version=5", &format!("--offload-arch={isa}")]);
    hipcc.args((!bundled).then_some("--no-gpu-bundle-output")).arg(&source).arg("-o").arg(&code);
    run(&mut hipcc, Duration::from_secs(120));
    let bytes = std::fs::read(&code).expect("hipcc wrote its output");
    std::fs::remove_dir_all(&folder).expect("the folder is this test's");
    bytes
}

/// Where an ELF file says which version of code objects it is of, and the two newest: 6 differs from 5 in that byte,
/// and in flags that only generic processors use.
const ABI_VERSION: usize = 8;
const VERSION_5: u8 = 3;
const VERSION_6: u8 = 4;

fn load(hip: &Hip, code: &[u8]) -> hipError_t {
    let mut module = null_mut();
    let code = hip!(hip, hipModuleLoadData(&mut module, code.as_ptr().cast()));
    if code == hipError_t::hipSuccess {
        done!(hip, hipModuleUnload(module));
    }
    code
}

#[test]
fn code_of_a_newer_version_and_of_another_chip_is_refused_without_the_reason() {
    if hip_version() < (5, 7) {
        test_skip::skip!("HIP 5.2 ends the process when code is for another chip");
    }
    let (_alone, hip) = hip();
    let other = if isa() == "gfx908" { "gfx90a" } else { "gfx908" };
    let fits = code_object(&isa(), false);
    assert_eq!((&fits[..4], fits[ABI_VERSION]), (&b"\x7fELF"[..], VERSION_5));
    let mut newer = fits.clone();
    newer[ABI_VERSION] = VERSION_6;
    let given = [fits, newer, code_object(other, false), code_object(other, true)].map(|code| load(&hip, &code));
    let expected = match generation() {
        0 => [
            hipError_t::hipSuccess,
            hipError_t::hipErrorSharedObjectInitFailed,
            hipError_t::hipErrorSharedObjectInitFailed,
            hipError_t::hipErrorNoBinaryForGpu,
        ],
        1 => [
            hipError_t::hipSuccess,
            hipError_t::hipSuccess,
            hipError_t::hipErrorNoBinaryForGpu,
            hipError_t::hipErrorInvalidValue,
        ],
        _ => [
            hipError_t::hipSuccess,
            hipError_t::hipSuccess,
            hipError_t::hipErrorNoBinaryForGpu,
            hipError_t::hipErrorInvalidImage,
        ],
    };
    assert_eq!(given, expected, "version 5, version 6, code for {other}, a bundle for {other}");
}

#[test]
fn the_number_of_amds_opencl_does_not_grow_with_rocm() {
    needs_amd_opencl!();
    let expected = match hip_version() {
        (5, 7) => "3590",
        (6, 4) => "3649",
        (7, 2) => "3581",
        other => test_skip::skip!("the number of AMD's OpenCL for HIP {}.{} is not known", other.0, other.1),
    };
    let cl = cl_sys::Cl::load().expect("OpenCL");
    let mut count = 0;
    // SAFETY: asks for the number alone.
    assert_eq!(unsafe { cl.clGetPlatformIDs(0, null_mut(), &mut count) }.expect("clGetPlatformIDs"), 0);
    let mut platforms = vec![null_mut(); count as usize];
    // SAFETY: there is room for so many.
    let code = unsafe { cl.clGetPlatformIDs(count, platforms.as_mut_ptr(), null_mut()) };
    assert_eq!(code.expect("clGetPlatformIDs"), 0);
    let versions: Vec<String> = platforms
        .into_iter()
        .map(|platform| {
            let mut text = [0_u8; 256];
            let parameter = cl_sys::CL_PLATFORM_VERSION as cl_sys::cl_platform_info;
            let (bytes, to) = (text.len() - 1, text.as_mut_ptr().cast());
            // SAFETY: there is room for so many bytes.
            let code = unsafe { cl.clGetPlatformInfo(platform, parameter, bytes, to, null_mut()) };
            assert_eq!(code.expect("clGetPlatformInfo"), 0);
            CStr::from_bytes_until_nul(&text).expect("a NUL").to_string_lossy().into_owned()
        })
        .collect();
    let amd: Vec<&String> = versions.iter().filter(|version| version.contains("AMD-APP")).collect();
    assert_eq!(amd, [&format!("OpenCL 2.1 AMD-APP ({expected}.0)")], "{versions:?}");
}
