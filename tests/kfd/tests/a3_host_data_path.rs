//! A3: what the host writes to VRAM reaches the GPU although the chip's host data path (HDP) holds it until it is
//! flushed.
//!
//! VRAM of the virtual device is memory of the host, where a write is seen at once. Here the program has other pages in
//! place of VRAM behind the BAR, and one in place of the register. What it writes gets to the device when the register
//! was written and memory of the device was read behind it: the store to the register is posted, and only that read
//! says that it has arrived.
use std::ffi::{c_int, c_ulong, c_void};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use kfd::aql::Geometry;
use kfd::{Buffer, Engine, Placement, Queue, Result, SdmaQueue, Signal, Wait};
use kfd_sys::*;
use kfd_tests::within::{LONG, within_long};
use kfd_tests::{gpu, module, needs_vgpu, on_gpu};

const PAGE: usize = 4096;
/// Where the register's page is mapped from, and where it is.
static REGISTER_OFFSET: AtomicU64 = AtomicU64::new(0);
static REGISTER: AtomicUsize = AtomicUsize::new(0);
/// It was written, and nothing was read behind it yet.
static WRITTEN: AtomicBool = AtomicBool::new(false);
/// Memory behind the BAR. The first is the page that is read behind the register.
static WINDOWS: [Window; 16] = [const { Window::new() }; 16];

/// A mapping of VRAM.
struct Window {
    /// Where it is mapped from.
    offset: AtomicU64,
    /// Addresses of the pages that the program has, of what they had when they were last delivered, and of the device's
    /// memory.
    program: AtomicUsize,
    delivered: AtomicUsize,
    device: AtomicUsize,
    bytes: AtomicUsize,
}

impl Window {
    const fn new() -> Window {
        let [program, delivered, device, bytes] = [const { AtomicUsize::new(0) }; 4];
        Window { offset: AtomicU64::new(0), program, delivered, device, bytes }
    }

    /// Gives the device what the program wrote since the last time, and nothing else: the rest may be the device's own.
    fn deliver(&self) {
        let [program, delivered, device] = [&self.program, &self.delivered, &self.device]
            .map(|at| std::ptr::with_exposed_provenance_mut::<u8>(at.load(Ordering::Acquire)));
        if program.is_null() {
            return;
        }
        for at in 0..self.bytes.load(Ordering::Relaxed) {
            // SAFETY: inside all three, which are mapped as long as the first is known here.
            unsafe {
                let byte = program.add(at).read_volatile();
                if byte != delivered.add(at).read() {
                    device.add(at).write_volatile(byte);
                    delivered.add(at).write(byte);
                }
            }
        }
    }
}

/// The next function of this name: a loaded device's, or libc's.
fn next(name: &std::ffi::CStr) -> *mut c_void {
    // SAFETY: a name that ends with a null.
    let function = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    assert!(!function.is_null(), "{name:?}");
    function
}

fn next_mmap(at: *mut c_void, bytes: usize, flags: c_int, fd: c_int, offset: i64) -> *mut c_void {
    type Mmap = extern "C" fn(*mut c_void, usize, c_int, c_int, c_int, i64) -> *mut c_void;
    // SAFETY: the next `mmap`, with arguments as it takes them.
    let mmap = unsafe { std::mem::transmute::<*mut c_void, Mmap>(next(c"mmap")) };
    mmap(at, bytes, libc::PROT_READ | libc::PROT_WRITE, flags, fd, offset)
}

/// Pages of the program's own.
fn pages(at: *mut c_void, bytes: usize, flags: c_int) -> *mut c_void {
    let pages = next_mmap(at, bytes, flags | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0);
    assert_ne!(pages, libc::MAP_FAILED);
    pages
}

fn protect(page: usize, protection: c_int) {
    // By the system call: of a signal handler. SAFETY: pages of this test, whose accesses the handler expects.
    assert_eq!(unsafe { libc::syscall(libc::SYS_mprotect, page, PAGE, protection) }, 0);
}

/// As libc's; the argument is passed as if it were always there, which is the same to the machine.
#[unsafe(no_mangle)]
extern "C" fn ioctl(fd: c_int, request: c_ulong, args: *mut c_void) -> c_int {
    type Ioctl = extern "C" fn(c_int, c_ulong, *mut c_void) -> c_int;
    // SAFETY: the next `ioctl`, called as this one was.
    let result = unsafe { std::mem::transmute::<*mut c_void, Ioctl>(next(c"ioctl"))(fd, request, args) };
    if request == AMDKFD_IOC_ALLOC_MEMORY_OF_GPU && result == 0 {
        // SAFETY: the request's arguments.
        let args = unsafe { &*args.cast::<kfd_ioctl_alloc_memory_of_gpu_args>() };
        if args.flags & KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP != 0 {
            REGISTER_OFFSET.store(args.mmap_offset, Ordering::Relaxed);
        }
        if args.flags & KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC != 0 {
            let window = WINDOWS.iter().find(|window| window.offset.load(Ordering::Relaxed) == 0);
            window.expect("few buffers").offset.store(args.mmap_offset, Ordering::Relaxed);
        }
    }
    result
}

/// As libc's.
#[unsafe(no_mangle)]
extern "C" fn mmap(
    at: *mut c_void,
    bytes: usize,
    protection: c_int,
    flags: c_int,
    fd: c_int,
    offset: i64,
) -> *mut c_void {
    let is = |of: &AtomicU64| fd >= 0 && offset != 0 && of.load(Ordering::Relaxed) == offset as u64;
    if is(&REGISTER_OFFSET) {
        let page = pages(at, bytes, 0);
        REGISTER.store(page.expose_provenance(), Ordering::Relaxed);
        protect(page as usize, libc::PROT_NONE);
        return page;
    }
    let Some(window) = WINDOWS.iter().find(|window| is(&window.offset)) else {
        type Mmap = extern "C" fn(*mut c_void, usize, c_int, c_int, c_int, i64) -> *mut c_void;
        // SAFETY: the next `mmap`, called as this one was.
        let mmap = unsafe { std::mem::transmute::<*mut c_void, Mmap>(next(c"mmap")) };
        return mmap(at, bytes, protection, flags, fd, offset);
    };
    let device = next_mmap(std::ptr::null_mut(), bytes, libc::MAP_SHARED, fd, offset);
    assert_ne!(device, libc::MAP_FAILED);
    let delivered = pages(std::ptr::null_mut(), bytes, 0);
    let program = pages(at, bytes, flags & libc::MAP_FIXED);
    window.device.store(device.expose_provenance(), Ordering::Relaxed);
    window.delivered.store(delivered.expose_provenance(), Ordering::Relaxed);
    window.bytes.store(bytes, Ordering::Relaxed);
    window.program.store(program.expose_provenance(), Ordering::Release);
    if std::ptr::eq(window, &WINDOWS[0]) {
        protect(program as usize, libc::PROT_NONE);
    }
    program
}

/// As libc's.
#[unsafe(no_mangle)]
extern "C" fn munmap(at: *mut c_void, bytes: usize) -> c_int {
    for window in &WINDOWS {
        if (at as usize..at as usize + bytes).contains(&window.program.load(Ordering::Relaxed)) {
            window.program.store(0, Ordering::Relaxed);
        }
    }
    type Munmap = extern "C" fn(*mut c_void, usize) -> c_int;
    // SAFETY: the next `munmap`, called as this one was.
    unsafe { std::mem::transmute::<*mut c_void, Munmap>(next(c"munmap"))(at, bytes) }
}

extern "C" fn caught(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel says where the access was.
    let page = unsafe { (*info).si_addr() } as usize & !(PAGE - 1);
    let (register, behind) = (REGISTER.load(Ordering::Relaxed), WINDOWS[0].program.load(Ordering::Relaxed));
    if page == register {
        WRITTEN.store(true, Ordering::Relaxed);
        protect(behind, libc::PROT_NONE);
    } else if page == behind {
        protect(register, libc::PROT_NONE);
    } else {
        // SAFETY: this is another mistake, and ends the process.
        unsafe { libc::abort() };
    }
    // What was tried is done when this returns.
    protect(page, libc::PROT_READ | libc::PROT_WRITE);
    if page == behind && WRITTEN.swap(false, Ordering::Relaxed) {
        WINDOWS.iter().for_each(Window::deliver);
    }
}

/// The first value of a buffer as the device has it.
fn on_device(buffer: &Buffer<u32>) -> u32 {
    let address = buffer.address() as usize;
    let window = WINDOWS.iter().find(|window| window.program.load(Ordering::Relaxed) == address);
    let device = window.expect("it is behind the BAR").device.load(Ordering::Relaxed);
    // SAFETY: the device's memory, which stays mapped.
    unsafe { std::ptr::with_exposed_provenance::<u32>(device).read_volatile() }
}

#[test]
fn a3_what_the_host_writes_to_vram_reaches_the_gpu() {
    needs_vgpu!();
    on_gpu("a3_what_the_host_writes_to_vram_reaches_the_gpu", || within_long(reaches));
}

fn reaches() -> Result<()> {
    const N: usize = 100;
    // SAFETY: a structure of integers, and a function as it wants one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = caught as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        assert_eq!(libc::sigaction(libc::SIGSEGV, &action, std::ptr::null_mut()), 0);
    }
    let wait = Wait::Sleep(LONG);
    let gpu = gpu()?;
    let (mut queue, mut engine) = (Queue::new(gpu)?, SdmaQueue::new(gpu, Engine::Any)?);
    let mut copy = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    copy.host_mut()?.fill(0);

    // Code, which a kernel of zeros would not be.
    let increment = module(gpu, "basic")?.kernel("increment")?;
    // SAFETY: the kernel changes the first value.
    let work = unsafe { queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut copy).submit() }?;
    queue.wait(&work, wait)?;
    assert_eq!(copy.host()?[0], 1);

    // Values that are written at once, to a kernel that is already there.
    let gate = module(gpu, "basic")?.kernel("gate")?;
    let mut flag = Buffer::<u32>::new(gpu, 1, Placement::VISIBLE)?;
    flag.write(0, &[0])?;
    // SAFETY: the kernel reads one value, which the host writes atomically as far as it is concerned.
    let work = unsafe { queue.launch(&gate, Geometry::one(1, 1)?)?.buffer(&flag).submit() }?;
    let work = queue.ticket(&work)?;
    flag.write(0, &[1])?;
    work.wait(wait)?;

    // Slices, of which nobody knows when they are written.
    let mut vram = Buffer::<u32>::new(gpu, N, Placement::VISIBLE)?;
    // Loads the kernel that copies, which is written at once.
    let work = queue.copy(&vram, 0, &mut copy, 0, N)?;
    queue.wait(&work, wait)?;
    vram.host_mut()?.fill(2);
    assert_ne!(on_device(&vram), 2, "nothing was submitted since");
    let work = queue.copy(&vram, 0, &mut copy, 0, N)?;
    queue.wait(&work, wait)?;
    assert_eq!(copy.host()?, [2; N]);
    vram.host_mut()?.fill(3);
    assert_eq!(on_device(&vram), 2, "nothing was submitted since");
    let work = engine.copy(&vram, 0, &mut copy, 0, N)?;
    engine.wait(&work, wait)?;
    assert_eq!(copy.host()?, [3; N]);

    // One that is written while work waits for a signal of the host.
    let signal = Signal::new(gpu, 1)?;
    let slice = vram.host_mut()?.as_mut_ptr();
    queue.wait_for(&[&signal])?;
    let work = queue.copy(&vram, 0, &mut copy, 0, N)?;
    for index in 0..N {
        // SAFETY: inside the buffer, which nothing else uses before the signal is set.
        unsafe { slice.add(index).write_volatile(4) };
    }
    assert_eq!(on_device(&vram), 3, "nothing was published since");
    signal.set(0);
    queue.wait(&work, wait)?;
    assert_eq!(copy.host()?, [4; N]);

    // What others import.
    vram.host_mut()?.fill(5);
    // SAFETY: what imports it below does not conflict.
    let exported = unsafe { vram.export() }?;
    assert_eq!(on_device(&vram), 5);
    // SAFETY: nothing is done with both at the same time.
    let imported = unsafe { Buffer::<u32>::import(gpu, exported.as_fd()) }?;

    // The importer has the memory when the buffer is gone.
    vram.host_mut()?.fill(6);
    drop(vram);
    let work = queue.copy(&imported, 0, &mut copy, 0, N)?;
    queue.wait(&work, wait)?;
    assert_eq!(copy.host()?, [6; N]);
    Ok(())
}
