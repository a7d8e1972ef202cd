//! What a session needs of the process and its libraries.
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::fs;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cl_sys::Cl;
use hip_sys::{Hip, Hiprtc, hipError_t, hipModule_t};
use hsa_sys::Hsa;
use rocm_interop::hip::HipModule;
use rocm_interop::{Device, Error, Libraries, Session};
use rustix::mm::{MapFlags, ProtFlags};
use stack_tests::{on_vgpu, run, work_folder};

use crate::open_with;

/// For [`a_second_hsa_runtime_is_refused`], which runs this with a second one.
#[test]
fn a_session_opens_with_one_hsa_runtime() {
    needs_amd_opencl!();
    let libraries = Arc::new(Libraries::load().expect("libraries"));
    let outcome = Device::all(&libraries).and_then(|devices| Session::open(devices.first().expect("a GPU")));
    let Some(copy) = std::env::var_os("HSA_SYS_LIBRARY") else {
        let session = outcome.expect("session");
        assert!(Arc::ptr_eq(session.device().libraries(), &libraries), "by the libraries that found the device");
        return;
    };
    let Err(Error::SeveralRuntimes { files }) = outcome else { panic!("{outcome:?}") };
    assert_eq!(files.len(), 2);
    assert!(files.iter().any(|file| **file == *copy.to_string_lossy()), "{files:?}");
    println!("refused {}", Error::SeveralRuntimes { files });
}

/// The file of the HSA runtime of this process.
fn runtimes_file() -> String {
    let maps = fs::read_to_string("/proc/self/maps").expect("Linux");
    _ = Libraries::load().expect("libraries");
    let maps = maps + &fs::read_to_string("/proc/self/maps").expect("Linux");
    let line = maps.lines().find(|line| line.contains("/libhsa-runtime64")).expect("an HSA runtime");
    line[line.find('/').expect("a path")..].to_owned()
}

/// What names the functions of a backtrace maps whole libraries to read them.
#[test]
fn a_runtime_that_is_only_read_is_not_taken_for_a_second_one() {
    needs_amd_opencl!();
    let file = fs::File::open(runtimes_file()).expect("the runtime's file");
    let bytes = file.metadata().expect("metadata").len() as usize;
    // SAFETY: a new mapping, which nobody writes.
    let start = unsafe { rustix::mm::mmap(null_mut(), bytes, ProtFlags::READ, MapFlags::PRIVATE, &file, 0) };
    let start = start.expect("a mapping");
    let session = open_with(Arc::new(Libraries::load().expect("libraries"))).expect("one runtime");
    session.close().expect("close");
    // SAFETY: mapped above, used by nobody.
    unsafe { rustix::mm::munmap(start, bytes) }.expect("unmapped");
}

/// As a Python wheel brings one: HIP and OpenCL use the system's, `rocm-interop` would ask the other where memory is.
#[test]
fn a_second_hsa_runtime_is_refused() {
    needs_amd_opencl!();
    stack_tests::needs_vgpu!();
    let file = runtimes_file();
    let copy = work_folder().join("libhsa-runtime64-bundled.so");
    fs::create_dir_all(work_folder()).expect("the target folder is writable");
    fs::copy(file, &copy).expect("a copy");
    let mut command = on_vgpu(&[], std::env::current_exe().expect("this test"));
    command.args(["--exact", "runtimes::a_session_opens_with_one_hsa_runtime", "--nocapture"]);
    let output = run(command.env("HSA_SYS_LIBRARY", &copy), Duration::from_secs(60));
    assert!(output.contains("refused 2 HSA runtimes are loaded in this process: "), "{output}");
}

/// Notes when the memory at [`WATCHED`] is freed.
struct Watching;

#[global_allocator]
static ALLOCATOR: Watching = Watching;
static WATCHED: AtomicUsize = AtomicUsize::new(0);
static FREED: AtomicBool = AtomicBool::new(false);

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if pointer.addr() == WATCHED.load(Ordering::Relaxed) {
            FREED.store(true, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn real_hip() -> &'static Hip {
    static REAL: OnceLock<Hip> = OnceLock::new();
    REAL.get_or_init(|| Hip::load().expect("HIP"))
}

unsafe extern "C" fn watched_load(module: *mut hipModule_t, image: *const c_void) -> hipError_t {
    WATCHED.store(image.addr(), Ordering::Relaxed);
    // SAFETY: the caller's arguments, passed on.
    unsafe { real_hip().hipModuleLoadData(module, image) }.expect("HIP")
}

/// HIP looks at the image again when a kernel is first asked for, and later.
#[test]
fn the_image_of_a_module_stays_until_it_is_unloaded() {
    needs_amd_opencl!();
    let (cl, rtc, hsa) = (Cl::load().expect("OpenCL"), Hiprtc::load().expect("hiprtc"), Hsa::load().expect("HSA"));
    // SAFETY: HIP's own functions, and one of the same type.
    let hip = unsafe {
        Hip::from_resolver("HIP", |name| match name {
            "hipModuleLoadData" => NonNull::new(watched_load as *mut c_void),
            _ => real_hip().address(name),
        })
    };
    let session = open_with(Arc::new(Libraries::new(cl, hip, rtc, hsa).expect("libraries"))).expect("session");
    let module = HipModule::build(&session, crate::HIP).expect("module");
    let kernel = module.kernel("triple").expect("kernel");
    assert_ne!(WATCHED.load(Ordering::Relaxed), 0);
    module.close().expect("close");
    assert!(!FREED.load(Ordering::Relaxed), "the kernel keeps the module");
    kernel.close().expect("close");
    assert!(FREED.load(Ordering::Relaxed), "unloaded with its last kernel");
}
