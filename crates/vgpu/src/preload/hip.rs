//! HIP's functions that free memory, for checks. ROCr sees only the start address of a valid `hipFree`, and does not
//! see a double free at all.
//!
//! Programs that are linked with HIP find these by themselves; those that look functions up, by [`answer`]. They do
//! what HIP does, and return that.

use super::rocr::stack;
use crate::hardware::checks::allocations::Heap;
use crate::hardware::checks::frees::{Function, allocating_for_host, watch};
use bundled_preload::dlsym::{self, for_program, object_of};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// `hipErrorNotSupported`, where there is no HIP.
const NOT_SUPPORTED: c_int = 801;

/// HIP's function of this name: of a library behind this one, or of one that was loaded for somebody else alone, as the
/// modules of interpreters do.
fn find(name: &CStr) -> Option<*mut c_void> {
    const LIBRARIES: [&CStr; 3] = [c"libamdhip64.so.7", c"libamdhip64.so.6", c"libamdhip64.so.5"];
    dlsym::next(name).or_else(|| {
        LIBRARIES.into_iter().find_map(|library| {
            // SAFETY: only a library that is there already is opened. The handle is kept, and with it the library whose
            // functions are.
            let handle = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
            // SAFETY: it was just opened.
            unsafe { dlsym::find(dlsym::or_forget_error(handle)?, name) }
        })
    })
}

/// A function of HIP's.
struct Next {
    name: &'static CStr,
    own: *const c_void,
    address: AtomicPtr<c_void>,
}

// SAFETY: the address of a function.
unsafe impl Sync for Next {}

impl Next {
    /// HIP's, once it is loaded.
    fn address(&self) -> Option<*mut c_void> {
        let mut address = self.address.load(Ordering::Acquire);
        if address.is_null() {
            address = find(self.name)?;
            self.address.store(address, Ordering::Release);
        }
        Some(address)
    }
}

macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*) |$call:ident| $body:expr;)*) => {
        #[allow(non_upper_case_globals)]
        mod next {
            use super::*;
            $(pub static $name: Next = Next {
                name: match CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("no zero in a name"),
                },
                own: super::$name as *const c_void,
                address: AtomicPtr::new(std::ptr::null_mut()),
            };)*
        }

        /// Those that stand in front of HIP's.
        static FUNCTIONS: &[&Next] = &[$(&next::$name),*];

        $(
            /// Interposes HIP's function of this name.
            ///
            /// # Safety
            /// That of HIP's function.
            #[unsafe(no_mangle)]
            #[allow(non_snake_case)]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
                let Some(address) = next::$name.address() else { return NOT_SUPPORTED };
                // SAFETY: HIP's function of this name has this type.
                let next = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> c_int>(address) };
                // SAFETY: as promised by the caller.
                let $call = || unsafe { next($($argument),*) };
                $body
            }
        )*
    };
}

/// Frees what `memory` is by `call` of a function of this name.
fn freed(name: &'static str, heap: Heap, memory: *mut c_void, call: impl FnOnce() -> c_int) -> c_int {
    watch(Function { name, heap }, memory.addr() as u64, stack, call, |code| i64::from(*code))
}

functions! {
    hipFree(memory: *mut c_void) |call| freed("hipFree", Heap::Device, memory, call);
    hipFreeAsync(memory: *mut c_void, stream: *mut c_void) |call| freed("hipFreeAsync", Heap::Device, memory, call);
    hipHostFree(memory: *mut c_void) |call| freed("hipHostFree", Heap::Host, memory, call);
    hipFreeHost(memory: *mut c_void) |call| freed("hipFreeHost", Heap::Host, memory, call);
    hipHostMalloc(memory: *mut *mut c_void, bytes: usize, flags: c_uint) |call| allocating_for_host(call);
    hipHostAlloc(memory: *mut *mut c_void, bytes: usize, flags: c_uint) |call| allocating_for_host(call);
    hipMallocHost(memory: *mut *mut c_void, bytes: usize) |call| allocating_for_host(call);
    hipMemAllocHost(memory: *mut *mut c_void, bytes: usize) |call| allocating_for_host(call);
    hipGetProcAddress(name: *const c_char, found: *mut *mut c_void, version: c_int, flags: u64, status: *mut c_int)
        |call| looked_up(call, name, found);
}

/// As [`answer`], for HIP's own way to look its functions up.
fn looked_up(call: impl FnOnce() -> c_int, name: *const c_char, found: *mut *mut c_void) -> c_int {
    let code = call();
    if code == 0 && !name.is_null() && !found.is_null() {
        // SAFETY: HIP has taken both for what they are.
        unsafe {
            let name = CStr::from_ptr(name);
            if let Some(function) = FUNCTIONS.iter().find(|function| function.name == name) {
                *found = in_front(function, *found);
            }
        }
    }
    code
}

/// What a program gets that has `found` a function of this name: ours, if that calls this one.
fn in_front(function: &Next, found: *mut c_void) -> *mut c_void {
    let file = object_of(found.addr()).map(CStr::to_bytes).unwrap_or_default();
    let is_hips = file.rsplit(|byte| *byte == b'/').next().is_some_and(|file| file.starts_with(b"libamdhip64.so"));
    if is_hips && function.address() == Some(found) { function.own.cast_mut() } else { found }
}

/// The result of `dlsym` for a HIP function.
pub fn answer(handle: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    if !name.to_bytes().starts_with(b"hip") {
        return None;
    }
    let function = FUNCTIONS.iter().find(|function| function.name == name)?;
    if handle == libc::RTLD_DEFAULT {
        // Where no library of HIP's is there, the lookup is to fail, and `dlerror` to say so.
        return Some(match function.address() {
            Some(_) => function.own.cast_mut(),
            // SAFETY: a number that stands for the libraries behind.
            None => unsafe { for_program(libc::RTLD_NEXT, name) },
        });
    }
    // SAFETY: the handle is the program's.
    let found = unsafe { for_program(handle, name) };
    Some(if found.is_null() { found } else { in_front(function, found) })
}
