//! What drivers do on other machines or at rare moments: events of a GPU that was reset and of memory that fails, a
//! signal's that is raised just before a thread sleeps for it, an event that is number 0, a page of registers that a
//! virtual machine does not get, no shared virtual memory, machines that let no atomic operations of PCI Express
//! through, hosts that map only a part of the GPU's memory, and other chips' copy engines.
//!
//! The functions here come before libc's, and those of a device that is loaded in front of it.
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kfd::aql::{BarrierAnd, Condition, Geometry, Packet};
use kfd::raw::{self, Command, Memory};
use kfd::{
    Arg, Buffer, Choice, Copier, Device, Engine, Error, Fault, Kernel, Module, Placement, Queue, QueueError, Result,
    SdmaQueue, Signal, Wait,
};
use kfd_sys::*;
use kfd_tests::{engine_between_gpus, gpu, module, needs_vgpu, nth_gpu, on_gpu, on_gpu_with};

/// The driver's events other than signals.
static EVENTS: Mutex<BTreeMap<u32, Event>> = Mutex::new(BTreeMap::new());
/// Whether the driver refuses the page of registers that flush host writes, as in an SR-IOV guest
/// (`kfd_ioctl_alloc_memory_of_gpu` of Linux).
static NO_REGISTERS: AtomicBool = AtomicBool::new(false);
/// Whether the driver has no shared virtual memory (Linux without CONFIG_HSA_AMD_SVM).
static NO_SVM: AtomicBool = AtomicBool::new(false);
/// The id of the process's first event, where that is 0 for the process.
static EVENT_0: AtomicU32 = AtomicU32::new(0);
/// Whether it is, as with Linux 5.15 to 5.18.
static HAS_EVENT_0: AtomicBool = AtomicBool::new(false);
/// By the GPU's id, where to map its registers that flush host writes.
static REGISTERS: Mutex<BTreeMap<u32, u64>> = Mutex::new(BTreeMap::new());
/// Whether the links of GPUs have no atomic operations.
static NO_ATOMICS: AtomicBool = AtomicBool::new(false);
/// The GPU's `gfx_target_version`, if it is to be another than the device's.
static CHIP: AtomicU32 = AtomicU32::new(0);
/// Whether the host maps only a part of the GPU's memory, which is usual without resizable BARs.
static SMALL_BAR: AtomicBool = AtomicBool::new(false);
/// Calls of WAIT_EVENTS.
static WAITS: AtomicU32 = AtomicU32::new(0);
/// What happens just before the next wait begins, given the last event that it is for. Its result is kept then.
static BEFORE: Mutex<Option<Interruption>> = Mutex::new(None);
type Interruption = Box<dyn FnOnce(u32) + Send>;
/// The result of that wait.
static RESULT: AtomicU32 = AtomicU32::new(NO_RESULT);
const NO_RESULT: u32 = u32::MAX;

struct Event {
    kind: u32,
    auto_reset: bool,
    /// It is raised, with this record. Drivers of Linux 6.1 have one for memory events only.
    raised: Option<Option<kfd_event_data__bindgen_ty_1>>,
}

fn events() -> MutexGuard<'static, BTreeMap<u32, Event>> {
    EVENTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn registers() -> MutexGuard<'static, BTreeMap<u32, u64>> {
    REGISTERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Raises the process's events of a kind, as the driver does.
fn raise(kind: u32, record: Option<kfd_event_data__bindgen_ty_1>) {
    let mut raised = 0;
    for event in events().values_mut().filter(|event| event.kind == kind) {
        event.raised = Some(record);
        raised += 1;
    }
    assert_eq!(raised, 1, "the process has one event of kind {kind}");
}

fn next_in_line(fd: c_int, request: c_ulong, args: *mut c_void) -> c_int {
    type Ioctl = extern "C" fn(c_int, c_ulong, *mut c_void) -> c_int;
    // SAFETY: a name that ends with a null.
    let function = unsafe { libc::dlsym(libc::RTLD_NEXT, c"ioctl".as_ptr()) };
    assert!(!function.is_null());
    // SAFETY: the next `ioctl`, called as this one was.
    unsafe { std::mem::transmute::<*mut c_void, Ioctl>(function)(fd, request, args) }
}

/// As libc's; the argument is passed as if it were always there, which is the same to the machine.
#[unsafe(no_mangle)]
extern "C" fn ioctl(fd: c_int, request: c_ulong, args: *mut c_void) -> c_int {
    if request == AMDKFD_IOC_WAIT_EVENTS {
        WAITS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the request's arguments.
        let waits = unsafe { &mut *args.cast::<kfd_ioctl_wait_events_args>() };
        for record in records(waits).iter_mut().filter(|record| record.event_id == 0) {
            record.event_id = EVENT_0.load(Ordering::Relaxed);
        }
        let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(before) = before {
            before(records(waits).last().expect("waits are for events").event_id);
            let result = next_in_line(fd, request, args);
            RESULT.store(waits.wait_result, Ordering::Relaxed);
            return result;
        }
        if complete(waits) {
            return 0;
        }
    }
    if request == AMDKFD_IOC_ALLOC_MEMORY_OF_GPU && NO_REGISTERS.load(Ordering::Relaxed) {
        // SAFETY: as above.
        let args = unsafe { &*args.cast::<kfd_ioctl_alloc_memory_of_gpu_args>() };
        if args.flags & KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP != 0 {
            // SAFETY: this thread's.
            unsafe { *libc::__errno_location() = libc::ENOMEM };
            return -1;
        }
    }
    if request == AMDKFD_IOC_SET_XNACK_MODE && NO_SVM.load(Ordering::Relaxed) {
        // SAFETY: this thread's.
        unsafe { *libc::__errno_location() = libc::EPERM };
        return -1;
    }
    let result = next_in_line(fd, request, args);
    if request == AMDKFD_IOC_ALLOC_MEMORY_OF_GPU && result == 0 {
        // SAFETY: as above.
        let args = unsafe { &*args.cast::<kfd_ioctl_alloc_memory_of_gpu_args>() };
        if args.flags & KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP != 0 {
            registers().insert(args.gpu_id, args.mmap_offset);
        }
    }
    if request == AMDKFD_IOC_CREATE_EVENT && result == 0 {
        // SAFETY: as above.
        let args = unsafe { &mut *args.cast::<kfd_ioctl_create_event_args>() };
        if HAS_EVENT_0.load(Ordering::Relaxed) && EVENT_0.load(Ordering::Relaxed) == 0 {
            EVENT_0.store(args.event_id, Ordering::Relaxed);
            args.event_id = 0;
        }
        if args.event_type != KFD_IOC_EVENT_SIGNAL {
            let event = Event { kind: args.event_type, auto_reset: args.auto_reset != 0, raised: None };
            events().insert(args.event_id, event);
        }
    }
    result
}

/// As libc's; the mode is passed as if it were always there, which is the same to the machine.
#[unsafe(no_mangle)]
extern "C" fn open64(path: *const c_char, flags: c_int, mode: c_int) -> c_int {
    type Open = extern "C" fn(*const c_char, c_int, c_int) -> c_int;
    // SAFETY: a name that ends with a null.
    let function = unsafe { libc::dlsym(libc::RTLD_NEXT, c"open64".as_ptr()) };
    assert!(!function.is_null());
    // SAFETY: the next `open64`, called as this one was.
    let file = unsafe { std::mem::transmute::<*mut c_void, Open>(function)(path, flags, mode) };
    // SAFETY: the caller of `open64` gives a path.
    let path = unsafe { CStr::from_ptr(path) }.to_string_lossy();
    if file >= 0 && path.contains("/io_links/") && NO_ATOMICS.load(Ordering::Relaxed) {
        let none = HSA_IOLINK_FLAGS_NO_ATOMICS_32_BIT | HSA_IOLINK_FLAGS_NO_ATOMICS_64_BIT;
        return with_property(file, "flags", |flags| flags | none);
    }
    if file >= 0 && path.ends_with("/nodes/1/properties") && CHIP.load(Ordering::Relaxed) != 0 {
        return with_property(file, "gfx_target_version", |_| CHIP.load(Ordering::Relaxed));
    }
    if file >= 0 && path.contains("/nodes/1/mem_banks/") && SMALL_BAR.load(Ordering::Relaxed) {
        return with_property(file, "heap_type", |_| HSA_MEM_HEAP_TYPE_FB_PRIVATE);
    }
    file
}

/// A file of properties, which nobody else has open, with another value of one of them.
fn with_property(file: c_int, name: &str, value: impl Fn(u32) -> u32) -> c_int {
    let mut text = String::new();
    // SAFETY: the caller opened it, for nobody else.
    let mut old = unsafe { File::from_raw_fd(file) };
    old.read_to_string(&mut text).expect("a file of text");
    let line = |line: &str| match line.split_once(' ') {
        Some((found, number)) if found == name => {
            format!("{name} {}\n", value(number.parse().expect("a number of 32 bits")))
        }
        _ => format!("{line}\n"),
    };
    let new: String = text.lines().map(line).collect();
    // SAFETY: a name that ends with a null.
    let file = unsafe { libc::memfd_create(c"properties".as_ptr(), libc::MFD_CLOEXEC) };
    assert!(file >= 0 && text.contains(name), "{name}: {text}");
    // SAFETY: made above.
    let mut file = unsafe { File::from_raw_fd(file) };
    file.write_all(new.as_bytes()).expect("it is memory");
    file.rewind().expect("it is memory");
    file.into_raw_fd()
}

/// The events that a wait is for.
fn records(args: &mut kfd_ioctl_wait_events_args) -> &mut [kfd_event_data] {
    let data = std::ptr::with_exposed_provenance_mut::<kfd_event_data>(args.events_ptr as usize);
    // SAFETY: as many records as the arguments say.
    unsafe { std::slice::from_raw_parts_mut(data, args.num_events as usize) }
}

/// Answers a wait for events that are raised here.
fn complete(args: &mut kfd_ioctl_wait_events_args) -> bool {
    let mut any = false;
    for data in records(args) {
        let mut events = events();
        let Some(event) = events.get_mut(&data.event_id) else { continue };
        let Some(record) = event.raised else { continue };
        any = true;
        if let Some(record) = record {
            data.__bindgen_anon_1 = record;
        }
        if event.auto_reset {
            event.raised = None;
        }
    }
    if any {
        args.wait_result = KFD_IOC_WAIT_RESULT_COMPLETE;
    }
    any
}

const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_secs(20);

/// A queue that waits for the host, and what it waits for.
struct Held {
    queue: Queue,
    flag: Buffer<u32>,
}

impl Held {
    fn new(gpu: Device) -> Result<Held> {
        let mut held = Held { queue: Queue::new(gpu)?, flag: Buffer::new(gpu, 1, Placement::HOST)? };
        held.flag.host_mut()?[0] = 0;
        let gate = module(gpu, "basic")?.kernel("gate")?;
        // SAFETY: the kernel reads one value, which the host writes atomically as far as it is concerned.
        drop(unsafe { held.queue.launch(&gate, Geometry::one(1, 1)?)?.buffer(&held.flag).submit() }?);
        Ok(held)
    }

    /// Why its device is lost.
    fn lost(&mut self) -> Fault {
        match self.queue.wait_idle(Wait::Sleep(LONG)) {
            Err(Error::Lost { fault }) => fault,
            other => panic!("not lost: {other:?}"),
        }
    }
}

#[test]
fn a5_gpus_of_other_families_are_refused_by_name() {
    on_gpu("a5_gpus_of_other_families_are_refused_by_name", || other_families().unwrap());
}

fn other_families() -> Result<()> {
    let driver = kfd::Driver::open()?;
    for (chip, why) in [
        (110_000, "gfx1100 is RDNA 3 (gfx11), and this crate speaks to gfx9 only"),
        (120_001, "gfx1201 is RDNA 4 (gfx12), and this crate speaks to gfx9 only"),
        (90_007, "gfx907 is of no family that this crate speaks to, which is gfx9"),
    ] {
        CHIP.store(chip, Ordering::Relaxed);
        let topology = kfd::Topology::read()?;
        let error = driver.device(topology.gpus().next().expect("there is one")).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    Ok(())
}

#[test]
fn a5_reset_of_which_the_driver_tells_no_more() {
    on_gpu_with(&["--gpus", "2"], "a5_reset_of_which_the_driver_tells_no_more", || untold_reset().unwrap());
}

fn untold_reset() -> Result<()> {
    let gpus = [nth_gpu(0)?, nth_gpu(1)?];
    let mut held = Held::new(gpus[0])?;
    let mut other = Held::new(gpus[1])?;
    raise(KFD_IOC_EVENT_HW_EXCEPTION, None);
    let reset = Fault::Reset { memory_lost: true };
    assert_eq!(held.lost(), reset);
    // Which GPU it was is not known.
    assert_eq!(other.lost(), reset);
    assert_eq!(gpus[1].fault()?, Some(reset));
    Ok(())
}

#[test]
fn a5_reset_of_one_of_two_gpus() {
    on_gpu_with(&["--gpus", "2"], "a5_reset_of_one_of_two_gpus", || told_reset().unwrap());
}

fn told_reset() -> Result<()> {
    let gpus = [nth_gpu(0)?, nth_gpu(1)?];
    let (mut first, mut second) = (Held::new(gpus[0])?, Held::new(gpus[1])?);
    let reset = |gpu: Device, memory_lost| {
        let hw_exception_data =
            kfd_hsa_hw_exception_data { gpu_id: gpu.node().gpu_id(), memory_lost, ..Default::default() };
        raise(KFD_IOC_EVENT_HW_EXCEPTION, Some(kfd_event_data__bindgen_ty_1 { hw_exception_data }));
    };
    reset(gpus[1], 0);
    assert!(matches!(first.queue.wait_idle(Wait::Sleep(SHORT)), Err(Error::Timeout { .. })));
    assert_eq!(second.lost(), Fault::Reset { memory_lost: false });
    // The event stays raised, and threads sleep all the same.
    let before = WAITS.load(Ordering::Relaxed);
    assert!(matches!(first.queue.wait_idle(Wait::Sleep(SHORT)), Err(Error::Timeout { .. })));
    let waits = WAITS.load(Ordering::Relaxed) - before;
    assert!(waits < 20, "{waits}");
    reset(gpus[0], 1);
    assert_eq!(first.lost(), Fault::Reset { memory_lost: true });
    assert_eq!(gpus[1].fault()?, Some(Fault::Reset { memory_lost: false }));
    Ok(())
}

#[test]
fn a5_errors_of_the_cards_memory() {
    on_gpu_with(&["--gpus", "2"], "a5_errors_of_the_cards_memory", || ecc().unwrap());
}

fn ecc() -> Result<()> {
    for (index, error_type, fault) in [
        (0, KFD_MEM_ERR_SRAM_ECC, Fault::Ecc { poison: false }),
        (1, KFD_MEM_ERR_POISON_CONSUMED, Fault::Ecc { poison: true }),
    ] {
        let gpu = nth_gpu(index)?;
        let mut held = Held::new(gpu)?;
        // The driver tells of a reset too (`kfd_signal_reset_event`, `kfd_signal_poison_consumed_event` of Linux).
        let gpu_id = gpu.node().gpu_id();
        let memory_exception_data =
            kfd_hsa_memory_exception_data { gpu_id, ErrorType: error_type, ..Default::default() };
        let hw_exception_data = kfd_hsa_hw_exception_data { gpu_id, memory_lost: 1, ..Default::default() };
        raise(KFD_IOC_EVENT_MEMORY, Some(kfd_event_data__bindgen_ty_1 { memory_exception_data }));
        raise(KFD_IOC_EVENT_HW_EXCEPTION, Some(kfd_event_data__bindgen_ty_1 { hw_exception_data }));
        assert_eq!(held.lost(), fault);
        let text = Error::Lost { fault }.to_string();
        assert!(text.contains("memory of the card") && text.contains("new process"), "{text}");
        assert!(!text.contains("memory fault"), "{text}");
        assert_eq!(gpu.fault()?, Some(fault));
    }
    Ok(())
}

#[test]
fn a4_events_that_another_thread_took() {
    on_gpu("a4_events_that_another_thread_took", || taken().unwrap());
}

fn taken() -> Result<()> {
    let gpu = gpu()?;
    let Held { mut queue, mut flag } = Held::new(gpu)?;
    let signal = Signal::new(gpu, 1)?;
    queue.signal(&signal)?;
    let other = signal.clone();
    // When the thread has looked for the last time, the signal's event is raised, and taken by somebody else.
    *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(move |event| {
        flag.write(0, &[1]).expect("the host sees it");
        while other.value() != 0 {
            std::thread::yield_now();
        }
        let kfd = open_kfd().expect("it is open");
        take(kfd.as_fd(), event);
    }));
    signal.wait(Condition::Eq, 0, Wait::Sleep(LONG))?;
    // Before 1.14 it sleeps for 20 ms in vain.
    let ages = gpu.driver().version() >= (1, 14);
    let result = RESULT.load(Ordering::Relaxed);
    assert_eq!(result, if ages { KFD_IOC_WAIT_RESULT_COMPLETE } else { KFD_IOC_WAIT_RESULT_TIMEOUT });
    Ok(())
}

#[test]
fn a4_a_wait_behind_one_that_timed_out_is_woken() {
    on_gpu("a4_a_wait_behind_one_that_timed_out_is_woken", || woken_again().unwrap());
}

/// What wakes the first wait comes before the work of the second.
fn woken_again() -> Result<()> {
    fn before_the_next_wait(what: impl FnOnce(u32) + Send + 'static) {
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(what));
    }
    /// Between two sleeps the driver is asked for other events.
    fn before_the_next_sleep(event: u32, what: impl FnOnce() + Send + 'static) {
        before_the_next_wait(move |last| if last == event { what() } else { before_the_next_sleep(event, what) });
    }
    let gpu = gpu()?;
    let gate = module(gpu, "basic")?.kernel("gate")?;
    let Held { mut queue, flag: mut first } = Held::new(gpu)?;
    assert!(matches!(queue.wait_idle(Wait::Sleep(Duration::from_millis(1))), Err(Error::Timeout { .. })));
    let mut second = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    second.host_mut()?[0] = 0;
    // SAFETY: the kernel reads one value, which the host writes atomically as far as it is concerned.
    let work = unsafe { queue.launch(&gate, Geometry::one(1, 1)?)?.buffer(&second).submit() }?;
    let ticket = queue.ticket(&work)?;
    let done = ticket.clone();
    before_the_next_wait(move |event| {
        first.write(0, &[1]).expect("the host sees it");
        before_the_next_sleep(event, move || {
            second.write(0, &[1]).expect("the host sees it");
            while !done.is_done() {
                std::thread::yield_now();
            }
        });
    });
    queue.wait_idle(Wait::Sleep(LONG))?;
    assert!(ticket.is_done());
    assert_eq!(RESULT.load(Ordering::Relaxed), KFD_IOC_WAIT_RESULT_COMPLETE, "it slept in vain");
    Ok(())
}

/// Waits for an event, which resets it.
fn take(kfd: BorrowedFd<'_>, event_id: u32) {
    let memory_exception_data = kfd_hsa_memory_exception_data::default();
    let __bindgen_anon_1 = kfd_event_data__bindgen_ty_1 { memory_exception_data };
    let mut record = kfd_event_data { __bindgen_anon_1, kfd_event_data_ext: 0, event_id, pad: 0 };
    let mut args = kfd_ioctl_wait_events_args {
        events_ptr: std::ptr::from_mut(&mut record).expose_provenance() as u64,
        num_events: 1,
        wait_for_all: 0,
        timeout: LONG.as_millis() as u32,
        wait_result: 0,
    };
    // SAFETY: one record.
    unsafe { amdkfd_ioc_wait_events(kfd, &mut args) }.expect("the event is there");
    assert_eq!(args.wait_result, KFD_IOC_WAIT_RESULT_COMPLETE);
}

#[test]
fn a5_guest_without_the_registers_that_flush_host_writes() {
    on_gpu("a5_guest_without_the_registers_that_flush_host_writes", || guest().unwrap());
}

fn guest() -> Result<()> {
    const N: usize = 1000;
    NO_REGISTERS.store(true, Ordering::Relaxed);
    let gpu = gpu()?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let mut queue = Queue::new(gpu)?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    counter.host_mut()?[0] = 6;
    // SAFETY: the kernel changes the first value.
    let work = unsafe { queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?;
    queue.wait(&work, Wait::Sleep(LONG))?;
    assert_eq!(counter.host()?[0], 7);
    // The crate's own kernels are loaded the same way.
    let mut far = Buffer::<u32>::new(gpu, N, Placement::VRAM)?;
    let mut near = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    drop(queue.fill(&mut far, 0, N, 8)?);
    let work = queue.copy(&far, 0, &mut near, 0, N)?;
    queue.wait(&work, Wait::Sleep(LONG))?;
    assert!(near.host()?.iter().all(|value| *value == 8));
    let error = Buffer::<u32>::new(gpu, N, Placement::VISIBLE).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    let text = error.to_string();
    assert!(
        ["AMDKFD_IOC_ALLOC_MEMORY_OF_GPU", "ENOMEM", "SR-IOV", "Placement::HOST"]
            .iter()
            .all(|word| text.contains(word)),
        "{text}"
    );
    Ok(())
}

#[test]
fn a3_code_on_a_driver_without_shared_virtual_memory() {
    on_gpu("a3_code_on_a_driver_without_shared_virtual_memory", || no_svm().unwrap());
}

fn no_svm() -> Result<()> {
    NO_SVM.store(true, Ordering::Relaxed);
    let gpu = gpu()?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    let mut queue = Queue::new(gpu)?;
    let mut counter = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    counter.host_mut()?[0] = 6;
    // SAFETY: the kernel changes the first value.
    let work = unsafe { queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut counter).submit() }?;
    queue.wait(&work, Wait::Sleep(LONG))?;
    assert_eq!(counter.host()?[0], 7);
    Ok(())
}

#[test]
fn a5_a_stopped_queue_wakes_threads_where_the_first_event_is_number_0() {
    on_gpu("a5_a_stopped_queue_wakes_threads_where_the_first_event_is_number_0", || event_0().unwrap());
}

fn event_0() -> Result<()> {
    HAS_EVENT_0.store(true, Ordering::Relaxed);
    let gpu = gpu()?;
    let illegal = module(gpu, "basic")?.kernel("illegal")?;
    let Held { mut queue, mut flag } = Held::new(gpu)?;
    let mut out = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    // SAFETY: the kernel writes the first value.
    let work = unsafe { queue.launch(&illegal, Geometry::one(1, 1)?)?.buffer_mut(&mut out).submit() }?;
    // When the thread has looked for the last time, the queue is let go.
    *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) =
        Some(Box::new(move |_| flag.write(0, &[1]).expect("the host sees it")));
    let error = queue.wait(&work, Wait::Sleep(LONG)).unwrap_err();
    let Error::Stopped { error, .. } = error else { panic!("{error}") };
    assert_eq!(error, QueueError::IllegalInstruction);
    // It was woken, and did not look by itself half a second later.
    assert_eq!(RESULT.load(Ordering::Relaxed), KFD_IOC_WAIT_RESULT_COMPLETE);
    Ok(())
}

#[test]
fn a7_kernels_copy_where_engines_have_no_atomics() {
    on_gpu("a7_kernels_copy_where_engines_have_no_atomics", || no_atomics().unwrap());
}

fn no_atomics() -> Result<()> {
    const N: usize = 100_000;
    NO_ATOMICS.store(true, Ordering::Relaxed);
    let gpu = gpu()?;
    assert!(!gpu.node().has_host_atomics());
    let error = SdmaQueue::new(gpu, Engine::Any).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("atomic operations of PCI Express") && text.contains("Copier"), "{text}");
    let mut copier = Copier::new(gpu, Engine::Any)?;
    let mut host = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    let mut vram = Buffer::<u32>::new(gpu, N, Placement::VRAM)?;
    let mut back = Buffer::<u32>::new(gpu, N, Placement::HOST)?;
    host.host_mut()?.iter_mut().enumerate().for_each(|(index, value)| *value = index as u32);
    let gate = Signal::new(gpu, 1)?;
    copier.wait_for(&[&gate])?;
    let there = copier.copy(&host, 0, &mut vram, 0, N)?.choice();
    let filled = copier.fill(&mut vram, 0, 1, 7)?.choice();
    let work = copier.copy(&vram, 0, &mut back, 0, N)?;
    let chosen = [there, filled, work.choice()];
    assert_eq!(chosen, [Choice::KernelWithoutAtomics, Choice::KernelInOwnMemory, Choice::KernelWithoutAtomics]);
    assert!(!copier.is_done(&work));
    gate.set(0);
    copier.wait(&work, Wait::Sleep(LONG))?;
    assert!(copier.is_done(&work));
    assert!(back.host()?.iter().enumerate().all(|(index, value)| *value == if index == 0 { 7 } else { index as u32 }));
    let done = Signal::new(gpu, 1)?;
    copier.signal(&done)?;
    done.wait(Condition::Eq, 0, Wait::Sleep(LONG))?;
    copier.wait_idle(Wait::Sleep(LONG))
}

#[test]
fn a3_memory_that_the_host_cannot_map_is_refused() {
    needs_vgpu!();
    on_gpu("a3_memory_that_the_host_cannot_map_is_refused", || small_bar().unwrap());
}

fn small_bar() -> Result<()> {
    SMALL_BAR.store(true, Ordering::Relaxed);
    let gpu = gpu()?;
    assert!(gpu.node().vram() > 0 && !gpu.node().has_visible_vram());
    let error = Buffer::<u32>::new(gpu, 16, Placement::VISIBLE).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    assert!(error.to_string().contains("no large BAR"), "{error}");
    // Code gets there all the same, and the rest works.
    let mut values = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    values.host_mut()?[0] = 6;
    let mut queue = Queue::new(gpu)?;
    let increment = module(gpu, "basic")?.kernel("increment")?;
    // SAFETY: the kernel changes the first value.
    let work = unsafe { queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut values).submit() }?;
    queue.wait(&work, Wait::Sleep(LONG))?;
    let mut vram = Buffer::<u32>::new(gpu, 1, Placement::VRAM)?;
    let mut back = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    drop(queue.copy(&values, 0, &mut vram, 0, 1)?);
    let work = queue.copy(&vram, 0, &mut back, 0, 1)?;
    queue.wait(&work, Wait::Sleep(LONG))?;
    assert_eq!(back.host()?[0], 7);
    Ok(())
}

/// Copy engines wait for signals on chips where they can be trusted to: gfx90a here, of which only the name is needed.
#[test]
fn raw_engines_wait_for_values_and_work_where_they_do() {
    needs_vgpu!();
    on_gpu("raw_engines_wait_for_values_and_work_where_they_do", || values().unwrap());
}

fn values() -> Result<()> {
    CHIP.store(90_010, Ordering::Relaxed);
    let gpu = gpu()?;
    let memory = Memory::new(gpu, 4096, Placement::HOST)?;
    let word = memory.host()?.cast::<u32>();
    let fill = |value| Command::Fill { to: memory.address(), value, bytes: 4 };
    // SAFETY: in the memory, which lasts.
    let seen = || unsafe { word.read_volatile() };
    let short = Wait::Sleep(Duration::from_millis(20));
    let (mut first, mut second) = (raw::SdmaQueue::new(gpu, Engine::Any)?, raw::SdmaQueue::new(gpu, Engine::Any)?);
    let value = Signal::new(gpu, 0)?;
    for outside in [-1, 1 << 32] {
        assert!(matches!(first.wait_for_value(&value, outside), Err(Error::Value { .. })), "{outside}");
    }
    // An engine waits for at least a value, another for its work, and so does a compute queue.
    first.wait_for_value(&value, 5)?;
    // SAFETY: as above, for all of them.
    let one = unsafe { first.submit(&[fill(1)]) }?;
    second.wait_for_work(&one)?;
    // SAFETY: as above.
    let two = unsafe { second.submit(&[fill(2)]) }?;
    let mut last = raw::Queue::new(gpu)?;
    last.wait_for_work(&two)?;
    // SAFETY: nothing is named.
    let three = unsafe { last.submit(&[]) }?;
    value.set(4);
    for ticket in [&one, &two, &three] {
        assert!(matches!(ticket.wait(short), Err(Error::Timeout { .. })));
    }
    value.set(6);
    three.wait(Wait::Sleep(LONG))?;
    assert_eq!((seen(), one.is_done()), (2, true));
    // The other way round: an engine behind a compute queue, which has done other work before.
    let gate = Signal::new(gpu, 1)?;
    last.wait_for(&[&gate])?;
    // SAFETY: nothing is named.
    let held = unsafe { last.submit(&[]) }?;
    second.wait_for_work(&held)?;
    // SAFETY: as above.
    let filled = unsafe { second.submit(&[fill(3)]) }?;
    assert!(matches!(filled.wait(short), Err(Error::Timeout { .. })));
    assert_eq!(seen(), 2);
    gate.set(0);
    filled.wait(Wait::Sleep(LONG))?;
    assert_eq!(seen(), 3);
    // Of a queue that is gone nothing is waited for.
    gate.set(1);
    last.wait_for(&[&gate])?;
    // SAFETY: nothing is named.
    let never = unsafe { last.submit(&[]) }?;
    second.wait_for_work(&never)?;
    // SAFETY: as above.
    let behind = unsafe { second.submit(&[fill(4)]) }?;
    drop(last);
    assert!(matches!(behind.wait(Wait::FOREVER), Err(Error::Abandoned)));
    assert_eq!(seen(), 3);
    Ok(())
}

#[test]
fn a7_copies_wait_for_signals_where_engines_do() {
    needs_vgpu!();
    on_gpu("a7_copies_wait_for_signals_where_engines_do", || dependencies().unwrap());
}

fn dependencies() -> Result<()> {
    CHIP.store(90_010, Ordering::Relaxed);
    let gpu = gpu()?;
    assert_eq!((gpu.node().gfx_version(), gpu.node().engines_wait()), ((9, 0, 10), true));
    let mut a = Buffer::<u32>::new(gpu, 16, Placement::HOST)?;
    let mut b = Buffer::<u32>::new(gpu, 16, Placement::VRAM)?;
    let mut c = Buffer::<u32>::new(gpu, 16, Placement::HOST)?;
    let mut queues = [SdmaQueue::new(gpu, Engine::Any)?, SdmaQueue::new(gpu, Engine::Any)?];
    let (start, middle) = (Signal::new(gpu, 1)?, Signal::new(gpu, 1)?);
    a.host_mut()?.fill(1);
    c.host_mut()?.fill(0);
    // The second queue is given its work first.
    queues[1].wait_for(&[&middle])?;
    let last = queues[1].copy(&b, 0, &mut c, 0, 16)?;
    assert!(matches!(queues[1].wait_idle(Wait::Sleep(Duration::from_millis(20))), Err(Error::Timeout { .. })));
    drop(last);
    queues[0].wait_for(&[&start])?;
    drop(queues[0].copy(&a, 0, &mut b, 0, 16)?);
    queues[0].signal(&middle)?;
    start.set(0);
    middle.wait(Condition::Eq, 0, Wait::Sleep(LONG))?;
    queues.iter_mut().try_for_each(|queue| queue.wait_idle(Wait::Sleep(LONG)))?;
    assert_eq!(c.host()?, [1; 16]);
    Ok(())
}

/// The register that flushes host writes to a GPU's memory. That of a physical GPU is not for reading.
struct FlushRegister(&'static AtomicU32);

impl FlushRegister {
    fn of(gpu: Device) -> FlushRegister {
        let offset = registers()[&gpu.node().gpu_id()];
        let kfd = open_kfd().expect("it is open");
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
        // SAFETY: a new mapping, wherever it fits.
        let page = unsafe { libc::mmap(std::ptr::null_mut(), 4096, protection, flags, kfd.as_raw_fd(), offset as i64) };
        assert_ne!(page, libc::MAP_FAILED);
        // SAFETY: a page that stays mapped, and holds integers.
        FlushRegister(unsafe { AtomicU32::from_ptr(page.cast()) })
    }

    /// Whether it was written since the last call.
    fn was_written(&self) -> bool {
        self.0.swap(0, Ordering::Relaxed) != 0
    }
}

#[test]
fn a3_what_the_host_writes_to_vram_is_flushed() {
    needs_vgpu!();
    on_gpu("a3_what_the_host_writes_to_vram_is_flushed", || flushes().unwrap());
}

/// Does something by which work may see what the host wrote.
type Publish = fn(&mut Queue, &mut SdmaQueue, &Module, &mut Buffer<u32>, &Signal) -> Result<()>;

fn launch(queue: &mut Queue, kernel: &Kernel, argument: Arg<'_>) -> Result<()> {
    // SAFETY: the kernel changes the first value at the address, which is a buffer's.
    drop(unsafe { queue.launch(kernel, Geometry::one(1, 1)?)?.argument(argument).submit() }?);
    Ok(())
}

fn flushes() -> Result<()> {
    let gpu = gpu()?;
    let module = module(gpu, "basic")?;
    let register = FlushRegister::of(gpu);
    let mut queue = Queue::new(gpu)?;
    let mut sdma = SdmaQueue::new(gpu, Engine::Any)?;
    let signal = Signal::new(gpu, 0)?;
    assert!(register.was_written(), "code was loaded");
    let publish: [(&str, Publish); 8] = [
        // SAFETY: the descriptor is closed at once.
        ("an export", |_, _, _, vram, _| unsafe { vram.export() }.map(drop)),
        ("a launch with the buffer", |queue, _, module, vram, _| {
            let kernel = module.kernel("increment")?;
            // SAFETY: the kernel changes the first value.
            drop(unsafe { queue.launch(&kernel, Geometry::one(1, 1)?)?.buffer_mut(vram).submit() }?);
            Ok(())
        }),
        ("a launch with its address", |queue, _, module, vram, _| {
            launch(queue, &module.kernel("increment")?, Arg::pointer(vram.address()))
        }),
        // SAFETY: the packet does nothing.
        ("a packet", |queue, _, _, _, _| unsafe { queue.submit(&[Packet::from(BarrierAnd::NOP)]) }.map(drop)),
        ("a signal by a queue", |queue, _, _, _, signal| queue.signal(signal)),
        ("a copy", |_, sdma, _, vram, _| {
            let mut copy = Buffer::<u32>::new(vram.device(), 1, Placement::HOST)?;
            drop(sdma.copy(vram, 0, &mut copy, 0, 1)?);
            Ok(())
        }),
        ("a fill", |_, sdma, _, vram, _| sdma.fill(vram, 0, 1, 7).map(drop)),
        ("a signal by the host", |_, _, _, _, signal| {
            signal.set(0);
            Ok(())
        }),
    ];
    let mut host = Buffer::<u32>::new(gpu, 1, Placement::HOST)?;
    let mut vram = Buffer::<u32>::new(gpu, 1, Placement::VISIBLE)?;
    host.host_mut()?[0] = 0;
    for (what, publish) in publish {
        publish(&mut queue, &mut sdma, &module, &mut host, &signal)?;
        assert!(!register.was_written(), "{what}: nothing was written to VRAM");
    }
    vram.write(0, &[0])?;
    assert!(register.was_written(), "Buffer::write");
    vram.host_mut()?[0] = 1;
    assert!(!register.was_written(), "nobody knows when a slice is written");
    for (what, publish) in publish {
        publish(&mut queue, &mut sdma, &module, &mut vram, &signal)?;
        assert!(register.was_written(), "{what}");
    }
    queue.wait_idle(Wait::Sleep(LONG))?;
    sdma.wait_idle(Wait::Sleep(LONG))?;
    drop(vram);
    assert!(register.was_written(), "others may have imported it");
    signal.set(0);
    assert!(!register.was_written(), "there is no slice any more");
    Ok(())
}

#[test]
fn a3_what_the_host_writes_to_vram_of_another_gpu_is_flushed_there() {
    needs_vgpu!();
    on_gpu_with(&["--gpus", "2"], "a3_what_the_host_writes_to_vram_of_another_gpu_is_flushed_there", || {
        flushes_of_two().unwrap();
    });
}

fn flushes_of_two() -> Result<()> {
    let gpus = [nth_gpu(0)?, nth_gpu(1)?];
    let increment = module(gpus[1], "basic")?.kernel("increment")?;
    let mut queue = Queue::new(gpus[1])?;
    let mut sdma = SdmaQueue::new(gpus[1], engine_between_gpus(gpus[1]))?;
    let mut far = Buffer::<u32>::new(gpus[0], 1, Placement::VISIBLE)?;
    far.map_to(gpus[1])?;
    let registers = gpus.map(FlushRegister::of);
    far.host_mut()?[0] = 6;
    registers.iter().for_each(|register| _ = register.was_written());
    // SAFETY: the kernel changes the first value.
    let work = unsafe { queue.launch(&increment, Geometry::one(1, 1)?)?.buffer_mut(&mut far).submit() }?;
    assert_eq!(registers.each_ref().map(FlushRegister::was_written), [true, false]);
    queue.wait(&work, Wait::Sleep(LONG))?;
    let mut near = Buffer::<u32>::new(gpus[1], 1, Placement::HOST)?;
    let work = sdma.copy(&far, 0, &mut near, 0, 1)?;
    assert_eq!(registers.each_ref().map(FlushRegister::was_written), [true, false]);
    sdma.wait(&work, Wait::Sleep(LONG))?;
    assert_eq!(near.host()?[0], 7);
    Ok(())
}
