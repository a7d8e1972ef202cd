//! Checking a launch and filling its arguments does not allocate.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use aql::Geometry;
use kfd::code::{Arg, CodeObject, Launch};

/// The system's allocator, which counts what each thread asks of it.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // A thread that ends can still allocate.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn preparing_a_launch_does_not_allocate() {
    let seed = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/code_object/saxpy-v5");
    let bytes = std::fs::read(seed).expect("a code object");
    let object = CodeObject::parse(&bytes).expect("a code object");
    let kernel = object.kernel("saxpy").expect("a kernel");
    let mut kernarg = [0; 24];
    let before = ALLOCATIONS.get();
    assert!(before > 0, "reading the file is counted");
    for n in 1..1000 {
        let arguments = [Arg::pointer(0x1000), Arg::pointer(0x2000), 2.0f32.into(), n.into()];
        let launch = Launch::new(Geometry::one(n, 1).expect("a geometry"), &arguments);
        kernel.prepare(&launch, &mut kernarg).expect("a launch");
        assert_eq!(kernarg[20..], n.to_le_bytes());
    }
    assert_eq!(ALLOCATIONS.get(), before);
}
