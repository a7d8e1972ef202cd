//! HIP's functions that free memory, for checks. ROCr sees only the start address of a valid `hipFree`, and does not
//! see a double free at all.
//!
//! Programs that are linked with HIP find these by themselves; those that look functions up, by `dlsym` and
//! `hipGetProcAddress`. They do what HIP does, and return that.

use super::rocr::stack;
use crate::hardware::checks::allocations::Heap;
use crate::hardware::checks::frees::{Function, allocating_for_host, watch};
use interposition::dlsym::next_or_loaded;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

/// `hipErrorNotSupported`, where there is no HIP.
const NOT_SUPPORTED: c_int = 801;

interposition::functions! {
    /// HIP's functions that free memory, those that allocate on the host, and the one that looks functions up.
    pub static HIP: found by find, in "libamdhip64.so";
    fn hipFree(memory: *mut c_void) -> c_int, else NOT_SUPPORTED
        => freed("hipFree", Heap::Device, memory, || next::hipFree(memory));
    fn hipFreeAsync(memory: *mut c_void, stream: *mut c_void) -> c_int, else NOT_SUPPORTED
        => freed("hipFreeAsync", Heap::Device, memory, || next::hipFreeAsync(memory, stream));
    fn hipHostFree(memory: *mut c_void) -> c_int, else NOT_SUPPORTED
        => freed("hipHostFree", Heap::Host, memory, || next::hipHostFree(memory));
    fn hipFreeHost(memory: *mut c_void) -> c_int, else NOT_SUPPORTED
        => freed("hipFreeHost", Heap::Host, memory, || next::hipFreeHost(memory));
    fn hipHostMalloc(memory: *mut *mut c_void, bytes: usize, flags: c_uint) -> c_int, else NOT_SUPPORTED
        => allocating_for_host(|| next::hipHostMalloc(memory, bytes, flags));
    fn hipHostAlloc(memory: *mut *mut c_void, bytes: usize, flags: c_uint) -> c_int, else NOT_SUPPORTED
        => allocating_for_host(|| next::hipHostAlloc(memory, bytes, flags));
    fn hipMallocHost(memory: *mut *mut c_void, bytes: usize) -> c_int, else NOT_SUPPORTED
        => allocating_for_host(|| next::hipMallocHost(memory, bytes));
    fn hipMemAllocHost(memory: *mut *mut c_void, bytes: usize) -> c_int, else NOT_SUPPORTED
        => allocating_for_host(|| next::hipMemAllocHost(memory, bytes));
    fn hipGetProcAddress(name: *const c_char, found: *mut *mut c_void, version: c_int, flags: u64, status: *mut c_int) -> c_int, else NOT_SUPPORTED
        => looked_up(|| next::hipGetProcAddress(name, found, version, flags, status), name, found);
}

fn find(name: &CStr) -> Option<*mut c_void> {
    next_or_loaded(name, "libamdhip64.so")
}

/// Frees what `memory` is by `call` of a function of this name.
fn freed(name: &'static str, heap: Heap, memory: *mut c_void, call: impl FnOnce() -> c_int) -> c_int {
    watch(Function { name, heap }, memory.addr() as u64, stack, call, |code| i64::from(*code))
}

/// What HIP's own way to look its functions up gives.
fn looked_up(call: impl FnOnce() -> c_int, name: *const c_char, found: *mut *mut c_void) -> c_int {
    let code = call();
    if code == 0 && !name.is_null() && !found.is_null() {
        // SAFETY: HIP has taken both for what they are.
        unsafe { *found = HIP.in_front(CStr::from_ptr(name), *found) };
    }
    code
}
