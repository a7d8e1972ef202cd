//! A3: what the host wrote to VRAM is flushed before the GPU can see the packets that may look at it.
//!
//! The register that flushes is made inaccessible, so that each flush is caught in the act: how many packets the queue
//! had then is known.
use std::ffi::{c_int, c_ulong, c_void};
use std::fs;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use kfd::aql::{BarrierAnd, Geometry, Packet};
use kfd::{Buffer, Kernel, Placement, Queue, Result, Signal, Wait};
use kfd_sys::*;
use kfd_tests::{gpu, module, needs_vgpu, on_gpu};

const PAGE: usize = 4096;
/// Where the register's page is mapped from.
static REGISTERS: AtomicU64 = AtomicU64::new(0);
/// Address of the last compute queue's `write_dispatch_id`.
static WRITE_INDEX: AtomicUsize = AtomicUsize::new(0);
/// Addresses of the pages by which the register can be written: the crate's, and the virtual device's own, which it
/// does not write.
static PAGES: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];
/// How often that was caught, and what the index was.
static FLUSHES: AtomicU32 = AtomicU32::new(0);
static PACKETS: AtomicU64 = AtomicU64::new(0);

/// As libc's; the argument is passed as if it were always there, which is the same to the machine.
#[unsafe(no_mangle)]
extern "C" fn ioctl(fd: c_int, request: c_ulong, args: *mut c_void) -> c_int {
    type Ioctl = extern "C" fn(c_int, c_ulong, *mut c_void) -> c_int;
    // SAFETY: a name that ends with a null.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, c"ioctl".as_ptr()) };
    assert!(!next.is_null());
    // SAFETY: the next `ioctl`, called as this one was.
    let result = unsafe { std::mem::transmute::<*mut c_void, Ioctl>(next)(fd, request, args) };
    if request == AMDKFD_IOC_ALLOC_MEMORY_OF_GPU && result == 0 {
        // SAFETY: the request's arguments.
        let args = unsafe { &*args.cast::<kfd_ioctl_alloc_memory_of_gpu_args>() };
        if args.flags & KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP != 0 {
            REGISTERS.store(args.mmap_offset, Ordering::Relaxed);
        }
    }
    if request == AMDKFD_IOC_CREATE_QUEUE && result == 0 {
        // SAFETY: the request's arguments.
        let args = unsafe { &*args.cast::<kfd_ioctl_create_queue_args>() };
        if args.queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL {
            WRITE_INDEX.store(args.write_pointer_address as usize, Ordering::Relaxed);
        }
    }
    result
}

fn packets() -> u64 {
    let index = std::ptr::with_exposed_provenance_mut(WRITE_INDEX.load(Ordering::Relaxed));
    // SAFETY: of a queue that is there, which changes it atomically.
    unsafe { AtomicU64::from_ptr(index) }.load(Ordering::Acquire)
}

fn pages() -> impl Iterator<Item = usize> {
    PAGES.iter().map(|page| page.load(Ordering::Relaxed)).filter(|page| *page != 0)
}

fn protect(protection: c_int) {
    for page in pages() {
        // SAFETY: a mapping of the register, whose accesses the handler below expects.
        assert_eq!(unsafe { libc::mprotect(std::ptr::with_exposed_provenance_mut(page), PAGE, protection) }, 0);
    }
}

extern "C" fn caught(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel says where the access was.
    let address = unsafe { (*info).si_addr() } as usize;
    if !pages().any(|page| page == address & !(PAGE - 1)) {
        // SAFETY: this is another mistake, and ends the process.
        unsafe { libc::abort() };
    }
    PACKETS.store(packets(), Ordering::Relaxed);
    FLUSHES.fetch_add(1, Ordering::Relaxed);
    protect(libc::PROT_READ | libc::PROT_WRITE);
}

/// Finds the mappings of the register that are there already.
fn find_pages() {
    let kfd = open_kfd().expect("it is open");
    let (protection, offset) = (libc::PROT_READ | libc::PROT_WRITE, REGISTERS.load(Ordering::Relaxed));
    // SAFETY: a new mapping, wherever it fits.
    let own =
        unsafe { libc::mmap(std::ptr::null_mut(), PAGE, protection, libc::MAP_SHARED, kfd.as_raw_fd(), offset as i64) };
    assert_ne!(own, libc::MAP_FAILED);
    let maps = fs::read_to_string("/proc/self/maps").expect("the kernel shows it");
    // Address, and offset, device and number of the file.
    let parsed = maps.lines().filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let start = usize::from_str_radix(words.next()?.split('-').next()?, 16).ok()?;
        Some((start, words.skip(1).take(3).collect::<Vec<_>>()))
    });
    let all: Vec<_> = parsed.collect();
    let file = &all.iter().find(|(start, _)| *start == own as usize).expect("it is mapped").1;
    let others: Vec<_> = all.iter().filter(|(start, of)| of == file && *start != own as usize).collect();
    // SAFETY: mapped above.
    unsafe { libc::munmap(own, PAGE) };
    assert!((1..=PAGES.len()).contains(&others.len()), "{maps}");
    PAGES.iter().zip(others).for_each(|(page, (start, _))| page.store(*start, Ordering::Relaxed));
}

#[test]
fn a3_host_writes_are_flushed_before_the_packets_are_there() {
    needs_vgpu!();
    on_gpu("a3_host_writes_are_flushed_before_the_packets_are_there", || order().unwrap());
}

/// Submits something.
type Submit = fn(&mut Queue, &Kernel, &mut Buffer<u32>, &Signal) -> Result<()>;

fn order() -> Result<()> {
    let gpu = gpu()?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let mut queue = Queue::new(gpu)?;
    let signal = Signal::new(gpu, 0)?;
    let mut vram = Buffer::<u32>::new(gpu, 1, Placement::VISIBLE)?;
    let submit: [(&str, Submit); 4] = [
        ("a launch", |queue, kernel, vram, _| {
            // SAFETY: the kernel changes the first value.
            unsafe { queue.launch(kernel, Geometry::one(1, 1)?)?.buffer_mut(vram).submit() }.map(drop)
        }),
        // SAFETY: the packet does nothing.
        ("a packet", |queue, _, _, _| unsafe { queue.submit(&[Packet::from(BarrierAnd::NOP)]) }.map(drop)),
        ("a wait", |queue, _, _, signal| queue.wait_for(&[signal])),
        ("a signal", |queue, _, _, signal| queue.signal(signal)),
    ];
    vram.host_mut()?[0] = 6;
    // The first launch empties the caches of instructions by a packet of its own.
    submit[0].1(&mut queue, &increment, &mut vram, &signal)?;
    queue.wait_idle(Wait::FOREVER)?;
    find_pages();
    // SAFETY: a structure of integers, and a function as it wants one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = caught as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO;
        assert_eq!(libc::sigaction(libc::SIGSEGV, &action, std::ptr::null_mut()), 0);
    }
    for (what, submit) in submit {
        let (flushes, before) = (FLUSHES.load(Ordering::Relaxed), packets());
        protect(libc::PROT_NONE);
        signal.set(0);
        assert_eq!(FLUSHES.load(Ordering::Relaxed), flushes + 1, "it is caught");
        protect(libc::PROT_NONE);
        submit(&mut queue, &increment, &mut vram, &signal)?;
        assert_eq!(FLUSHES.load(Ordering::Relaxed), flushes + 2, "{what}");
        assert_eq!(PACKETS.load(Ordering::Relaxed), before, "{what}: packets were there before the flush");
        assert!(packets() > before);
    }
    queue.wait_idle(Wait::FOREVER)?;
    assert_eq!(vram.host()?, [8]);
    Ok(())
}
