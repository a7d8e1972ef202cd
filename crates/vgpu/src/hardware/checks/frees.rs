//! Invalid frees of device memory: double frees, addresses inside an allocation, and memory that a different function
//! frees. The runtime's answer to the call is not changed.

use super::allocations::{Allocation, Heap, Stack};
use super::{allocations, findings};
use gcn::bus::Access;
use std::cell::Cell;

thread_local! {
    /// Start of the allocation that the runtime frees now.
    static FREEING: Cell<u64> = const { Cell::new(0) };
    /// A call that frees is under way: what the runtime calls in it is its own affair.
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    /// A call that allocates pinned memory of the host is under way.
    static FOR_HOST: Cell<bool> = const { Cell::new(false) };
}

fn within<C: Copy, T>(cell: &'static std::thread::LocalKey<Cell<C>>, value: C, call: impl FnOnce() -> T) -> T {
    let before = cell.replace(value);
    let result = call();
    cell.set(before);
    result
}

/// Lets the runtime free the allocation at `start`, whose pages stay mapped for the GPUs and whose addresses stay
/// reserved.
pub fn keeping<T>(start: u64, free: impl FnOnce() -> T) -> T {
    within(&FREEING, start, free)
}

/// Whether this thread frees the allocation at `start`, of which the pages are to stay.
pub fn is_kept(start: u64) -> bool {
    start != 0 && FREEING.get() == start
}

/// A call of a function that allocates what only the functions for the host's memory may free.
pub fn allocating_for_host<T>(call: impl FnOnce() -> T) -> T {
    within(&FOR_HOST, true, call)
}

/// The functions that may free an allocation that this thread makes now, in a GPU's memory or not.
pub fn heap(is_vram: bool) -> Heap {
    match () {
        () if is_vram => Heap::Device,
        () if FOR_HOST.get() => Heap::Host,
        () => Heap::Any,
    }
}

/// A function that frees.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The name.
    pub name: &'static str,
    /// The kind of memory that the function frees.
    pub heap: Heap,
}

/// Calls `function` to free the memory at `address`, and reports an invalid free. `code` is the result's code, 0 for
/// success.
pub fn watch<T>(
    function: Function,
    address: u64,
    stack: fn() -> Stack,
    free: impl FnOnce() -> T,
    code: impl FnOnce(&T) -> i64,
) -> T {
    let is_looked_for = findings::wanted().is_some_and(|wanted| wanted.strays);
    if address == 0 || WATCHED.get() || !is_looked_for {
        return free();
    }
    let before = mistake(function, address);
    let result = within(&WATCHED, true, free);
    let code = code(&result);
    // Behind the call, as another thread may have freed it meanwhile. Of memory that is free the runtime knows nothing;
    // if it does, it is other memory by now.
    let twice = || allocations().freed_around(address).cloned().map(|freed| ("double-free", freed));
    if let Some((finding, allocation)) = before.or_else(|| twice().filter(|_| code != 0)) {
        tell(finding, function, address, code, &allocation, &stack());
    }
    result
}

/// What is wrong with a free of memory that is allocated.
fn mistake(function: Function, address: u64) -> Option<(&'static str, Allocation)> {
    let allocations = allocations();
    let around = allocations.around(address)?;
    let finding = match (around.heap, function.heap) {
        _ if address != around.start => "invalid-free",
        (Heap::Device, Heap::Host) | (Heap::Host, Heap::Device) => "mismatched-free",
        _ => return None,
    };
    Some((finding, around.clone()))
}

fn tell(finding: &'static str, function: Function, address: u64, code: i64, allocation: &Allocation, stack: &Stack) {
    // One finding for each way to a call.
    let way = stack.iter().fold(0u64, |way, call| way.rotate_left(7) ^ call);
    let place = findings::Place { finding, pc: way, access: Access::Write, with: None };
    if let Some(id) = findings::count(place, 1) {
        findings::write(id, finding, |e| {
            e.text("function", function.name).number("result", code).address("address", address);
            e.address("allocation", allocation.start).number("allocation_bytes", allocation.size);
            e.number("offset", address - allocation.start);
            if finding == "mismatched-free" {
                e.text("heap", if allocation.heap == Heap::Device { "device" } else { "host" });
            }
            findings::describe_stack("called_by", stack, e);
            findings::describe_stack("allocated_by", &allocation.allocated, e);
            if let Some(freed) = &allocation.freed {
                findings::describe_stack("freed_by", freed, e);
            }
            e
        });
    }
    findings::flush();
}
