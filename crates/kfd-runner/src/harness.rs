//! The crate `test` for the GPU: `#[test]` and the compiler's test harness use it. The names are those of the standard
//! library's crate.

use core::arch::amdgpu::{endpgm, workgroup_id_x};
use core::fmt::{Debug, Write};
use core::panic::PanicInfo;
use core::ptr::null_mut;
use core::sync::atomic::AtomicPtr;
use core::sync::atomic::Ordering::Relaxed;

use crate::report::{Call, Report, flag, state};

// What the code that `#[test]` writes names. All of it is constant and made by the compiler.
#[doc(hidden)]
pub struct TestDescAndFn {
    pub desc: TestDesc,
    pub testfn: StaticTestFn,
}

#[doc(hidden)]
pub struct TestDesc {
    pub name: StaticTestName,
    pub ignore: bool,
    pub ignore_message: Option<&'static str>,
    pub source_file: &'static str,
    pub start_line: usize,
    pub start_col: usize,
    pub end_line: usize,
    pub end_col: usize,
    pub should_panic: ShouldPanic,
    pub compile_fail: bool,
    pub no_run: bool,
    pub test_type: TestType,
}

#[doc(hidden)]
pub struct StaticTestName(pub &'static str);

#[doc(hidden)]
pub struct StaticTestFn(pub fn() -> Result<(), ()>);

#[doc(hidden)]
pub enum ShouldPanic {
    No,
    Yes,
    YesWithMessage(&'static str),
}

#[doc(hidden)]
pub enum TestType {
    UnitTest,
    IntegrationTest,
    Unknown,
}

/// Return types of tests.
pub trait Outcome {
    /// Whether it is a success; an error is written to the report.
    #[expect(clippy::result_unit_err, reason = "the report has the error")]
    fn report(self, report: &mut Report) -> Result<(), ()>;
}

impl Outcome for () {
    fn report(self, _: &mut Report) -> Result<(), ()> {
        Ok(())
    }
}

impl<E: Debug> Outcome for Result<(), E> {
    fn report(self, report: &mut Report) -> Result<(), ()> {
        self.map_err(|error| {
            let _ = write!(report.message, "Error: {error:?}");
        })
    }
}

#[doc(hidden)]
pub fn assert_test_result<T: Outcome>(result: T) -> Result<(), ()> {
    // SAFETY: this work-group's alone, and the test is over.
    result.report(unsafe { &mut *report() })
}

// The arguments of the launch. All work-groups store the same.
static CALL: AtomicPtr<Call> = AtomicPtr::new(null_mut());
static REPORTS: AtomicPtr<Report> = AtomicPtr::new(null_mut());
static TESTS: AtomicPtr<u32> = AtomicPtr::new(null_mut());
static HEAP: AtomicPtr<u8> = AtomicPtr::new(null_mut());

/// The report of this work-group's test.
fn report() -> *mut Report {
    REPORTS.load(Relaxed).wrapping_add(workgroup_id_x() as usize)
}

/// The body of the kernel that [`harness!`](crate::harness) defines. `main` is the compiler's list of tests.
///
/// # Safety
/// The arguments are those that [`KERNEL`](crate::report::KERNEL) documents, and each work-group has one work-item.
pub unsafe fn run(call: *mut Call, reports: *mut Report, tests: *mut u32, heap: *mut u8, main: fn()) {
    CALL.store(call, Relaxed);
    REPORTS.store(reports, Relaxed);
    TESTS.store(tests, Relaxed);
    HEAP.store(heap, Relaxed);
    main();
}

/// Called by the compiler's list of tests.
#[doc(hidden)]
pub fn test_main_static(tests: &[&TestDescAndFn]) {
    let call = CALL.load(Relaxed);
    // SAFETY: by `run`; nobody writes this field.
    if unsafe { (*call).describe } != 0 {
        // SAFETY: one work-group describes, and uses the call alone.
        return describe(tests, unsafe { &mut *call });
    }
    // SAFETY: by `run`, there is a number for each work-group.
    let number = unsafe { *TESTS.load(Relaxed).wrapping_add(workgroup_id_x() as usize) };
    let Some(test) = tests.get(number as usize) else { return };
    let report = report();
    // SAFETY: by `run`, this work-group's alone. No reference to it lasts while the test runs, which may panic or
    // allocate.
    unsafe {
        (*report).name.push(test.desc.name.0);
        (*report).state = state::BEGUN;
    }
    let result = (test.testfn.0)();
    // SAFETY: as above.
    unsafe { (*report).state = if result.is_ok() { state::RETURNED } else { state::ERROR } };
}

/// Writes what the tests are into the reports.
fn describe(tests: &[&TestDescAndFn], call: &mut Call) {
    call.found = tests.len() as u32;
    for (i, test) in tests.iter().take(call.capacity as usize).enumerate() {
        // SAFETY: by `run`, there are as many reports as the capacity says.
        let report = unsafe { &mut *REPORTS.load(Relaxed).wrapping_add(i) };
        report.name.push(test.desc.name.0);
        if test.desc.ignore {
            report.flags |= flag::IGNORE;
        }
        match test.desc.should_panic {
            ShouldPanic::No => {}
            ShouldPanic::Yes => report.flags |= flag::SHOULD_PANIC,
            ShouldPanic::YesWithMessage(text) => {
                report.flags |= flag::SHOULD_PANIC;
                report.expected.push(text);
            }
        }
    }
}

/// Defines the kernel that `kfd-runner` launches. The argument is the function that `#![reexport_test_harness_main]`
/// names.
#[macro_export]
macro_rules! harness {
    ($main:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "gpu-kernel" fn kfd_runner_test(
            call: *mut $crate::report::Call,
            reports: *mut $crate::report::Report,
            tests: *mut u32,
            heap: *mut u8,
        ) {
            // SAFETY: `kfd-runner` launches it as it must be.
            unsafe { $crate::run(call, reports, tests, heap, $main) }
        }
    };
}

/// Reports the panic and ends the test's wave.
#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    // SAFETY: this work-group's alone, and no reference to it is in use: neither the harness nor an allocation panics
    // while it has one.
    let report = unsafe { &mut *report() };
    // It cannot fail: what there is no room for is cut off.
    _ = write!(report.message, "{info}");
    report.state = state::PANICKED;
    endpgm()
}

#[cfg(feature = "alloc")]
mod heap {
    use core::alloc::{GlobalAlloc, Layout};

    use super::*;

    /// Gives out each byte of a test's memory once.
    struct Arena;

    #[global_allocator]
    static ARENA: Arena = Arena;

    // SAFETY: blocks are aligned, since the memory begins at a page and each test's part has a power of two of bytes;
    // they do not overlap, and last until the launch is done.
    unsafe impl GlobalAlloc for Arena {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            // SAFETY: by `run`; nobody writes this field.
            let heap_bytes = unsafe { (*CALL.load(Relaxed)).heap_bytes };
            // SAFETY: this work-group's alone, which has one work-item.
            let allocated = unsafe { &mut (*report()).allocated };
            let start = allocated.next_multiple_of(layout.align() as u64);
            let end = start.saturating_add(layout.size() as u64);
            if end > heap_bytes {
                return null_mut();
            }
            *allocated = end;
            HEAP.load(Relaxed).wrapping_add((u64::from(workgroup_id_x()) * heap_bytes + start) as usize)
        }

        unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
    }
}

/// Compares bytes as C's function of this name, which `core` calls and no library for this target has.
///
/// # Safety
/// Both addresses are of `count` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, count: usize) -> i32 {
    for index in 0..count {
        // SAFETY: by the contract.
        let (left, right) = unsafe { (*left.add(index), *right.add(index)) };
        if left != right {
            return i32::from(left) - i32::from(right);
        }
    }
    0
}
