//! The layer, loaded by a loader, on C libraries that replace AMD's OpenCL and the HSA runtime (`stand_ins`). The calls
//! that the layer makes to both are tested without a GPU.
use cl_sys::*;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::{Read, Write};
use std::mem::transmute;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What HSA's functions were called for (`struct calls` of hsa.c).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct HsaCalls {
    allocated: u64,
    freed: u64,
    mapped: u64,
    unmapped: u64,
    /// The GPU that memory was last mapped for.
    agent: u64,
    /// Imported memory that HSA was to free as its own.
    misplaced: u64,
}

/// A folder, a layer, and the libraries behind it. They are copies, so that tests share nothing.
struct Stand {
    folder: PathBuf,
    hsa: *mut c_void,
    opencl: *mut c_void,
    /// The layer's table.
    layer: *const *const c_void,
}

// SAFETY: handles of libraries that stay loaded, and a table that nobody writes to.
unsafe impl Sync for Stand {}

/// How the stand-in for AMD's OpenCL is linked.
const AS_DEBIAN_DOES: &[&str] = &["-Wl,-z,now", "-Wl,-z,relro"];
const LAZILY: &[&str] = &["-Wl,-z,lazy"];

fn open(library: &Path) -> *mut c_void {
    let path = CString::new(library.to_str().expect("a path of text")).expect("no zeros");
    // SAFETY: none of the libraries has constructors.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY) };
    assert!(!handle.is_null(), "{}", library.display());
    handle
}

fn find(handle: *mut c_void, name: &CStr) -> *mut c_void {
    // SAFETY: a handle and a C string.
    let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
    assert!(!found.is_null(), "{name:?}");
    found
}

fn build(folder: &Path, name: &str, linking: &[&str]) -> PathBuf {
    let library = folder.join(name).with_extension("so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stand_ins").join(name);
    let mut compiler = c_compiler::command().expect("a C compiler");
    compiler.args(["-shared", "-fPIC", "-O1"]).arg(source).arg("-o").arg(&library).args(linking);
    assert!(compiler.status().expect("a C compiler").success());
    library
}

impl Stand {
    fn new(linking: &[&str]) -> Stand {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("stand-ins-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).expect("the target folder is writable");
        let hsa = build(&folder, "hsa.c", &[]);
        let opencl = build(&folder, "opencl.c", &[linking, &[hsa.to_str().expect("a path of text")]].concat());
        // Cargo builds it beside this program.
        let own = std::env::current_exe().expect("this program");
        let layer = folder.join("layer.so");
        std::fs::copy(own.with_file_name("libcl_external_memory.so"), &layer).expect("cargo builds the layer first");
        let [hsa, opencl, layer] = [hsa, opencl, layer].map(|library| open(&library));

        let (mut entries, mut table) = (0, std::ptr::null());
        type Init = unsafe extern "C" fn(cl_uint, *const c_void, *mut cl_uint, *mut *const *const c_void) -> cl_int;
        // SAFETY: the function has this type.
        let init = unsafe { transmute::<*mut c_void, Init>(find(layer, c"clInitLayer")) };
        // SAFETY: a table of so many entries, and places for two values.
        let code = unsafe { init(148, find(opencl, c"table"), &mut entries, &mut table) };
        assert_eq!((code, entries), (CL_SUCCESS, 148));
        Stand { folder, hsa, opencl, layer: table }
    }

    fn hsa_calls(&self) -> HsaCalls {
        // SAFETY: the library's variable, which is written to while it is called.
        unsafe { find(self.hsa, c"hsa_calls").cast::<HsaCalls>().read_volatile() }
    }

    /// Commands that AMD's OpenCL was given: flushes and markers.
    fn commands(&self) -> [u64; 2] {
        // SAFETY: as above.
        unsafe { find(self.opencl, c"cl_calls").cast::<[u64; 2]>().read_volatile() }
    }

    fn set<T>(&self, variable: &CStr, value: T) {
        let library = if variable.to_bytes().starts_with(b"hsa") { self.hsa } else { self.opencl };
        // SAFETY: a variable of this type, which is read by calls that come later.
        unsafe { find(library, variable).cast::<T>().write_volatile(value) };
    }

    /// Object number `nth` of an array in the stand-in.
    fn object<T>(&self, array: &CStr, nth: usize, size: usize) -> *mut T {
        find(self.opencl, array).wrapping_byte_add(nth * size).cast()
    }

    fn platform(&self) -> cl_platform_id {
        self.object(c"platforms", 0, 8)
    }

    fn device(&self, nth: usize) -> cl_device_id {
        self.object(c"devices", nth, 24)
    }

    /// Contexts 0 and 1 have one device each, context 2 has both.
    fn context(&self, nth: usize) -> cl_context {
        self.object(c"contexts", nth, 32)
    }

    fn queue(&self, nth: usize) -> cl_command_queue {
        self.object(c"queues", nth, 24)
    }

    /// A function of the layer's table, which the loader calls.
    fn layers(&self, slot: usize) -> *const c_void {
        // SAFETY: the table has 148 entries.
        let function = unsafe { *self.layer.add(slot) };
        assert!(!function.is_null());
        function
    }

    fn import_with(&self, context: usize, properties: &[u64], bytes: usize) -> Result<cl_mem, cl_int> {
        type Create = unsafe extern "C" fn(cl_context, *const u64, u64, usize, *mut c_void, *mut cl_int) -> cl_mem;
        // SAFETY: the function in this slot has this type.
        let create = unsafe { transmute::<*const c_void, Create>(self.layers(146)) };
        let mut code = 77;
        // SAFETY: a context, a list that ends with 0, and a place for the code.
        let memory = unsafe { create(self.context(context), properties.as_ptr(), 0, bytes, null_mut(), &mut code) };
        assert_eq!(memory.is_null(), code != CL_SUCCESS);
        if memory.is_null() { Err(code) } else { Ok(memory) }
    }

    fn import(&self, context: usize, fd: &impl AsRawFd, bytes: usize) -> Result<cl_mem, cl_int> {
        self.import_with(context, &[DMA_BUF, fd.as_raw_fd() as u64, 0], bytes)
    }

    /// By the function of the implementation: the loader calls it, since the layer does not stand in front.
    fn release(&self, memory: cl_mem) {
        // SAFETY: entry 18 of the table is clReleaseMemObject.
        let release = unsafe { *find(self.opencl, c"table").cast::<unsafe extern "C" fn(cl_mem) -> cl_int>().add(18) };
        // SAFETY: an object of a test's.
        assert_eq!(unsafe { release(memory) }, CL_SUCCESS);
    }

    /// What one of the layer's `clGet...Info` functions answers.
    fn ask<T>(&self, slot: usize, object: *mut T, what: cl_uint) -> Result<Vec<u8>, cl_int> {
        type Ask = unsafe extern "C" fn(*mut c_void, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
        // SAFETY: the function in this slot has this type.
        let ask = unsafe { transmute::<*const c_void, Ask>(self.layers(slot)) };
        let mut needed = 0;
        // SAFETY: an object, and a place for the length.
        match unsafe { ask(object.cast(), what, 0, null_mut(), &mut needed) } {
            CL_SUCCESS => {}
            code => return Err(code),
        }
        let mut answer = vec![0xee; needed];
        // SAFETY: as many bytes.
        match unsafe { ask(object.cast(), what, needed, answer.as_mut_ptr().cast(), null_mut()) } {
            CL_SUCCESS => Ok(answer),
            code => Err(code),
        }
    }

    fn extensions(&self) -> String {
        let text = self.ask(1, self.platform(), CL_PLATFORM_EXTENSIONS).expect("a text");
        String::from_utf8(text).expect("text").trim_end_matches('\0').to_owned()
    }

    /// Acquire or release.
    fn enqueue(
        &self,
        name: &CStr,
        queue: usize,
        objects: &[cl_mem],
        waits: &[cl_event],
        event: Option<&mut cl_event>,
    ) -> cl_int {
        type Find = unsafe extern "C" fn(cl_platform_id, *const c_char) -> *mut c_void;
        type Enqueue = unsafe extern "C" fn(
            cl_command_queue,
            cl_uint,
            *const cl_mem,
            cl_uint,
            *const cl_event,
            *mut cl_event,
        ) -> cl_int;
        // SAFETY: the function in this slot has this type.
        let find = unsafe { transmute::<*const c_void, Find>(self.layers(107)) };
        // SAFETY: a platform and a C string.
        let found = unsafe { find(self.platform(), name.as_ptr()) };
        assert!(!found.is_null());
        // SAFETY: the function of this name has this type.
        let enqueue = unsafe { transmute::<*mut c_void, Enqueue>(found) };
        let list = |list: &[cl_event]| if list.is_empty() { std::ptr::null() } else { list.as_ptr() };
        let objects_at = if objects.is_empty() { std::ptr::null() } else { objects.as_ptr() };
        let event = event.map_or(null_mut(), std::ptr::from_mut);
        let [count, waiting] = [objects.len(), waits.len()].map(|count| count as cl_uint);
        // SAFETY: a queue, lists with their lengths, and null or a place for an event.
        unsafe { enqueue(self.queue(queue), count, objects_at, waiting, list(waits), event) }
    }

    fn event(&self, slot: usize, event: cl_event) {
        // SAFETY: the functions in the slots of retain and release have this type.
        let function =
            unsafe { transmute::<*const c_void, unsafe extern "C" fn(cl_event) -> cl_int>(self.layers(slot)) };
        // SAFETY: an event.
        assert_eq!(unsafe { function(event) }, CL_SUCCESS);
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.folder);
    }
}

const DMA_BUF: u64 = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR as u64;
const ACQUIRE: &CStr = c"clEnqueueAcquireExternalMemObjectsKHR";
const RELEASE: &CStr = c"clEnqueueReleaseExternalMemObjectsKHR";

/// What stands in for a dma-buf: a file of memory.
fn memory(bytes: u64) -> std::fs::File {
    // SAFETY: a C string; the descriptor is new.
    let file = unsafe { std::fs::File::from(OwnedFd::from_raw_fd(libc::memfd_create(c"dma-buf".as_ptr(), 0))) };
    file.set_len(bytes).expect("a length");
    file
}

fn pipe() -> [std::fs::File; 2] {
    let mut ends: [c_int; 2] = [0; 2];
    // SAFETY: room for two descriptors.
    assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
    // SAFETY: both are new.
    ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) }.into())
}

#[test]
fn memory_is_imported_for_the_gpu_whose_pool_it_would_be_of() {
    let stand = Stand::new(AS_DEBIAN_DOES);
    let file = memory(8192);
    for (context, agent) in [(0, 2), (1, 3), (0, 2)] {
        let before = stand.hsa_calls();
        let memory = stand.import(context, &file, 4096).expect("a buffer");
        assert_eq!(stand.hsa_calls(), HsaCalls { mapped: before.mapped + 1, agent, ..before });
        stand.release(memory);
        assert_eq!(
            stand.hsa_calls(),
            HsaCalls { mapped: before.mapped + 1, unmapped: before.unmapped + 1, agent, ..before }
        );
    }
    // A pool of the host is of no GPU.
    stand.set(c"cl_of_the_host", 1);
    let before = stand.hsa_calls();
    assert_eq!(stand.import(0, &file, 4096), Err(CL_OUT_OF_RESOURCES));
    assert_eq!(stand.hsa_calls(), before, "neither mapped nor other memory in its place");
}

#[test]
fn buffers_without_a_dma_buf_are_the_implementations() {
    let stand = Stand::new(AS_DEBIAN_DOES);
    let ordinary = stand.import_with(0, &[0], 64).expect("a buffer");
    let file = memory(4096);
    let imported = stand.import(0, &file, 4096).expect("a buffer");
    // Created and freed while the layer sees the calls.
    let other = stand.import_with(0, &[0], 64).expect("a buffer");
    for memory in [ordinary, other, imported] {
        stand.release(memory);
    }
    let calls = HsaCalls { allocated: 2, freed: 2, mapped: 1, unmapped: 1, agent: 2, misplaced: 0 };
    assert_eq!(stand.hsa_calls(), calls);
}

#[test]
fn what_cannot_be_imported_is_refused_and_leaves_nothing() {
    let stand = Stand::new(AS_DEBIAN_DOES);
    let file = memory(4096);
    let [not_memory, _other] = pipe();
    assert_eq!(stand.import(0, &not_memory, 64), Err(CL_INVALID_PROPERTY));
    assert_eq!(stand.import_with(0, &[DMA_BUF, 1 << 20, 0], 64), Err(CL_INVALID_PROPERTY), "no descriptor");
    assert_eq!(stand.import(2, &file, 64), Err(CL_INVALID_DEVICE), "a context of two devices");
    let of_another = [DMA_BUF, file.as_raw_fd() as u64, CL_MEM_DEVICE_HANDLE_LIST_KHR, stand.device(1) as u64, 0, 0];
    assert_eq!(stand.import_with(0, &of_another, 64), Err(CL_INVALID_DEVICE));
    assert_eq!(stand.hsa_calls(), HsaCalls::default(), "nothing was mapped so far");
    assert_eq!(stand.import(0, &file, 4097), Err(CL_INVALID_BUFFER_SIZE));
    let mapped = |count| HsaCalls { mapped: count, unmapped: count, agent: 2, ..HsaCalls::default() };
    assert_eq!(stand.hsa_calls(), mapped(1));
    // AMD's OpenCL takes the memory, and gives up after that.
    stand.set(c"cl_fails_after_allocation", 1);
    assert_eq!(stand.import(0, &file, 64), Err(CL_OUT_OF_RESOURCES));
    assert_eq!(stand.hsa_calls(), mapped(2));
    stand.set(c"cl_fails_after_allocation", 0);
    // As with flags that mean other memory.
    stand.set(c"cl_allocates_nothing", 1);
    assert_eq!(stand.import(0, &file, 64), Err(CL_INVALID_VALUE));
    stand.set(c"cl_allocates_nothing", 0);
    stand.release(stand.import(0, &file, 4096).expect("a buffer"));
    assert_eq!(stand.hsa_calls(), HsaCalls { freed: 1, ..mapped(3) });
}

#[test]
fn images_are_on_a_buffer_that_the_program_does_not_see() {
    type Create = unsafe extern "C" fn(
        cl_context,
        *const u64,
        u64,
        *const cl_image_format,
        *const cl_image_desc,
        *mut c_void,
        *mut cl_int,
    ) -> cl_mem;
    let stand = Stand::new(AS_DEBIAN_DOES);
    let file = memory(4096);
    let properties = [DMA_BUF, file.as_raw_fd() as u64, 0];
    let format = cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNSIGNED_INT8 };
    // SAFETY: numbers and a null handle.
    let mut description: cl_image_desc = unsafe { std::mem::zeroed() };
    (description.image_type, description.image_width, description.image_height) = (CL_MEM_OBJECT_IMAGE2D, 65, 8);
    // SAFETY: the function in this slot has this type.
    let create = unsafe { transmute::<*const c_void, Create>(stand.layers(147)) };
    let mut code = 77;
    let mut image = |height| {
        description.image_height = height;
        // SAFETY: a context, a list that ends with 0, what images are described by, and a place for the code.
        let image =
            unsafe { create(stand.context(0), properties.as_ptr(), 0, &format, &description, null_mut(), &mut code) };
        if image.is_null() { Err(code) } else { Ok(image) }
    };
    // Rows of 65 elements of 4 bytes, 512 bytes apart, as the device wants multiples of 256.
    assert_eq!(image(9), Err(CL_INVALID_BUFFER_SIZE));
    let made = image(8).expect("an image");
    let number = |slot, what| {
        stand.ask(slot, made, what).map(|answer| usize::from_ne_bytes(answer.try_into().expect("8 bytes")))
    };
    // The stand-in says its row pitch instead.
    assert_eq!(number(20, CL_MEM_SIZE), Ok(512));
    assert_eq!((number(21, CL_IMAGE_BUFFER), number(20, CL_MEM_ASSOCIATED_MEMOBJECT)), (Ok(0), Ok(0)));
    let kept = stand.ask(20, made, CL_MEM_PROPERTIES).expect("what it was made with");
    assert_eq!(kept, properties.map(u64::to_ne_bytes).concat());
    stand.release(made);
    assert_eq!(stand.hsa_calls(), HsaCalls { mapped: 2, unmapped: 2, agent: 2, ..HsaCalls::default() });
}

#[test]
fn extensions_are_added_to_amds_platform_alone() {
    let ours = "cl_khr_fp64 cl_khr_external_memory cl_khr_external_memory_dma_buf";
    let stand = Stand::new(AS_DEBIAN_DOES);
    assert_eq!(stand.extensions(), ours);
    let of_device = stand.ask(3, stand.device(1), CL_DEVICE_EXTENSIONS).expect("a text");
    assert_eq!(of_device, format!("{ours}\0").into_bytes());
    let types = CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR.to_ne_bytes().to_vec();
    let asked = |slot, object, what| stand.ask::<c_void>(slot, object, what);
    let (platform, device) = (stand.platform().cast(), stand.device(0).cast());
    assert_eq!(asked(1, platform, CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR), Ok(types.clone()));
    assert_eq!(asked(3, device, CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR), Ok(types));
    assert_eq!(asked(1, platform, CL_PLATFORM_NAME), Ok(b"AMD Accelerated Parallel Processing\0".to_vec()));
    assert_eq!(asked(1, platform, CL_PLATFORM_VENDOR), Err(CL_INVALID_VALUE), "what the implementation says");

    for (name, extensions) in [
        (c"Another Platform", c"cl_khr_fp64 "),
        (c"AMD Accelerated Parallel Processing", c"cl_khr_external_memory cl_khr_fp64"),
    ] {
        let stand = Stand::new(AS_DEBIAN_DOES);
        stand.set(c"cl_name", name.as_ptr());
        stand.set(c"cl_extensions", extensions.as_ptr());
        assert_eq!(stand.extensions(), extensions.to_str().expect("text"), "{name:?}");
        let file = memory(4096);
        // It has no such function, as AMD's has none.
        assert_eq!(stand.import(0, &file, 64), Err(CL_INVALID_OPERATION));
        assert_eq!(stand.hsa_calls(), HsaCalls::default());
    }
}

/// Memory for as many bytes as the implementation says there is none.
#[test]
fn a_senseless_answer_is_an_error_and_does_not_end_the_program() {
    let stand = Stand::new(AS_DEBIAN_DOES);
    assert!(stand.extensions().ends_with("dma_buf"));
    stand.set(c"cl_length_of_extensions", usize::MAX);
    let code = stand.ask(1, stand.platform(), CL_PLATFORM_EXTENSIONS).expect_err("no text");
    assert_eq!(code, CL_OUT_OF_HOST_MEMORY);
}

#[test]
fn acquire_and_release_are_markers_and_release_flushes() {
    let stand = Stand::new(AS_DEBIAN_DOES);
    let file = memory(4096);
    let memory = stand.import(0, &file, 4096).expect("a buffer");
    let kind = |event| {
        let kind = stand.ask::<c_void>(42, event, CL_EVENT_COMMAND_TYPE).expect("a kind");
        cl_uint::from_ne_bytes(kind.try_into().expect("4 bytes"))
    };
    let mut events = [null_mut(); 2];
    let [acquired, released] = &mut events;
    assert_eq!(stand.enqueue(ACQUIRE, 0, &[memory], &[], Some(acquired)), CL_SUCCESS);
    assert_eq!(stand.commands(), [0, 1]);
    assert_eq!(stand.enqueue(RELEASE, 0, &[memory], &[*acquired], Some(released)), CL_SUCCESS);
    assert_eq!(stand.commands(), [1, 2]);
    let [acquired, released] = events.map(|event| event.cast());
    assert_eq!(
        [kind(acquired), kind(released)],
        [CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR]
    );
    // As long as the program has a reference.
    stand.event(43, events[0]);
    stand.event(44, events[0]);
    assert_eq!(kind(acquired), CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR);
    stand.event(44, events[0]);
    assert_eq!([kind(acquired), kind(released)], [CL_COMMAND_MARKER, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR]);

    let ordinary = stand.import_with(0, &[0], 64).expect("a buffer");
    assert_eq!(stand.enqueue(ACQUIRE, 0, &[memory, ordinary], &[], None), CL_INVALID_MEM_OBJECT);
    assert_eq!(stand.enqueue(ACQUIRE, 1, &[memory], &[], None), CL_INVALID_COMMAND_QUEUE);
    let failed = events[1].cast::<c_void>().wrapping_byte_add(8).cast::<cl_int>();
    // SAFETY: the status in the stand-in's event.
    unsafe { failed.write(-5) };
    assert_eq!(stand.enqueue(ACQUIRE, 0, &[memory], &events[1..], None), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_eq!(stand.commands(), [1, 2], "none of these was enqueued");
    assert_eq!(stand.enqueue(RELEASE, 0, &[], &[], None), CL_SUCCESS);
    stand.release(memory);
    assert_eq!(stand.enqueue(ACQUIRE, 0, &[memory], &[], None), CL_INVALID_MEM_OBJECT, "it is gone");
}

/// Two threads, the second of which is within the dynamic linker, where it binds an import of AMD's OpenCL.
struct Binding {
    begun: std::fs::File,
    go_on: std::fs::File,
    _ends: [std::fs::File; 2],
    thread: std::thread::JoinHandle<()>,
}

impl Binding {
    fn begin(stand: &'static Stand, call: fn(&Stand)) -> Binding {
        // Where the layer itself looks the functions up.
        assert!(stand.extensions().ends_with("dma_buf"));
        let ([mut begun, begun_end], [go_on_end, go_on]) = (pipe(), pipe());
        stand.set(c"hsa_bind", [go_on_end.as_raw_fd(), begun_end.as_raw_fd()]);
        let thread = std::thread::spawn(move || call(stand));
        begun.read_exact(&mut [0]).expect("the thread is within the dynamic linker");
        stand.set(c"hsa_bind", [0; 2]);
        Binding { begun, go_on, _ends: [begun_end, go_on_end], thread }
    }

    /// The dynamic linker has AMD's OpenCL call the function that it found, whatever was set meanwhile.
    fn end(mut self) {
        self.go_on.write_all(&[0]).expect("a pipe");
        self.thread.join().expect("no panic");
        drop(self.begun);
    }
}

fn stand_for_ever(linking: &[&str]) -> &'static Stand {
    Box::leak(Box::new(Stand::new(linking)))
}

/// A test's stand that threads use too is not dropped, so its folder is removed by this.
struct Removed(&'static Stand);

impl Drop for Removed {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0.folder);
    }
}

#[test]
fn memory_is_unmapped_though_another_thread_bound_the_function_that_frees() {
    let Removed(stand) = &Removed(stand_for_ever(LAZILY));
    let stand: &'static Stand = stand;
    let binding = Binding::begin(stand, |stand| {
        // SAFETY: the function has this type.
        let frees =
            unsafe { transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void)>(find(stand.opencl, c"cl_frees")) };
        // SAFETY: null is nothing.
        unsafe { frees(null_mut()) };
    });
    let file = memory(4096);
    let memory = stand.import(0, &file, 4096).expect("a buffer");
    binding.end();
    stand.release(memory);
    let calls = HsaCalls { freed: 1, mapped: 1, unmapped: 1, agent: 2, ..HsaCalls::default() };
    assert_eq!(stand.hsa_calls(), calls);
}

#[test]
fn memory_is_imported_though_another_thread_bound_the_function_that_allocates() {
    let Removed(stand) = &Removed(stand_for_ever(LAZILY));
    let stand: &'static Stand = stand;
    let ordinary = |stand: &Stand| stand.release(stand.import_with(0, &[0], 64).expect("a buffer"));
    let binding = Binding::begin(stand, ordinary);
    let file = memory(4096);
    let memory = stand.import(0, &file, 4096).expect("a buffer");
    binding.end();
    let second = stand.import(0, &file, 4096).expect("a buffer");
    for memory in [memory, second] {
        stand.release(memory);
    }
    let calls = HsaCalls { allocated: 1, freed: 1, mapped: 2, unmapped: 2, agent: 2, misplaced: 0 };
    assert_eq!(stand.hsa_calls(), calls);
}

/// The hook is lost between the layer's look at it and the call that it is for.
#[test]
fn an_import_whose_hook_is_lost_on_the_way_is_done_again() {
    static BINDING: Mutex<Option<Binding>> = Mutex::new(None);
    unsafe extern "C" fn bind() {
        let binding = BINDING.lock().expect("no panic").take();
        if let Some(binding) = binding {
            binding.end();
        }
    }
    let Removed(stand) = &Removed(stand_for_ever(LAZILY));
    let stand: &'static Stand = stand;
    let ordinary = |stand: &Stand| stand.release(stand.import_with(0, &[0], 64).expect("a buffer"));
    *BINDING.lock().expect("no panic") = Some(Binding::begin(stand, ordinary));
    stand.set::<unsafe extern "C" fn()>(c"cl_before_allocation", bind);
    let file = memory(4096);
    let memory = stand.import(0, &file, 4096).expect("a buffer");
    stand.release(memory);
    // The thread's memory, and that of the first attempt, which is freed again.
    let calls = HsaCalls { allocated: 2, freed: 2, mapped: 1, unmapped: 1, agent: 2, misplaced: 0 };
    assert_eq!(stand.hsa_calls(), calls);
}
