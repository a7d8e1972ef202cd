//! The layer for loaders that know no layers: preloaded, its functions stand in front of the loader's.
//!
//! Programs that are linked with `libOpenCL` find the exported functions of this library by themselves. Those that load it find them by [`dlsym`].
//! As a layer the library is loaded for the loader alone, and nobody finds what it exports.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::{commands, create, layer, next, queries};

type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;

/// libc's function, or that of another library that stands in front of it.
static REAL: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// The functions of this library that stand in front of the loader's.
const IN_FRONT: [(&CStr, *const c_void); 11] = [
    (c"clGetPlatformInfo", queries::clGetPlatformInfo as *const c_void),
    (c"clGetDeviceInfo", queries::clGetDeviceInfo as *const c_void),
    (c"clGetMemObjectInfo", queries::clGetMemObjectInfo as *const c_void),
    (c"clGetImageInfo", queries::clGetImageInfo as *const c_void),
    (c"clGetEventInfo", commands::clGetEventInfo as *const c_void),
    (c"clRetainEvent", commands::clRetainEvent as *const c_void),
    (c"clReleaseEvent", commands::clReleaseEvent as *const c_void),
    (c"clGetExtensionFunctionAddress", queries::clGetExtensionFunctionAddress as *const c_void),
    (c"clGetExtensionFunctionAddressForPlatform", queries::clGetExtensionFunctionAddressForPlatform as *const c_void),
    (c"clCreateBufferWithProperties", create::clCreateBufferWithProperties as *const c_void),
    (c"clCreateImageWithProperties", create::clCreateImageWithProperties as *const c_void),
];

/// Whether the library was preloaded: then the whole program finds its functions.
pub fn is_active() -> bool {
    static ACTIVE: OnceLock<bool> = OnceLock::new();
    *ACTIVE.get_or_init(|| {
        // Not `RTLD_DEFAULT`, which finds the caller's own functions too, whoever loaded it. The handle is the program's, which is never unloaded.
        // SAFETY: null stands for the program.
        let program = unsafe { libc::dlopen(null(), libc::RTLD_LAZY) };
        let own: unsafe extern "C" fn(_, _, _, _) -> _ = layer::clGetLayerInfo;
        real(program, c"clGetLayerInfo").is_some_and(|found| std::ptr::eq(found, own as *const c_void))
    })
}

/// The loader's function of this name: of a library behind this one, or of a loader that was loaded for somebody else alone, as the modules of interpreters do.
pub fn next(name: &CStr) -> Option<*mut c_void> {
    real(libc::RTLD_NEXT, name).or_else(|| {
        // SAFETY: only a library that is there already is opened.
        let loader = unsafe { libc::dlopen(c"libOpenCL.so.1".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if loader.is_null() {
            forget_error();
            return None;
        }
        // The handle is kept, and with it the library whose functions are.
        real(loader, name)
    })
}

/// What the shim does next.
#[repr(C)]
struct Answer {
    /// What `dlsym` returns.
    address: *mut c_void,
    /// Not 0: the next `dlsym` is to be asked instead.
    pass_on: usize,
}

/// Interposes `dlsym`. The next one is jumped to, not called, so that it sees its caller: `RTLD_NEXT` and `RTLD_DEFAULT` depend on it.
///
/// # Safety
/// That of the function.
#[unsafe(no_mangle)]
#[unsafe(naked)]
pub unsafe extern "C" fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void {
    core::arch::naked_asm!(
        "push rdi",
        "push rsi",
        // The stack is aligned to 16 bytes at calls.
        "sub rsp, 8",
        "call {answer}",
        "add rsp, 8",
        "pop rsi",
        "pop rdi",
        "test rdx, rdx",
        "jnz 2f",
        "ret",
        "2:",
        "jmp qword ptr [rip + {real}]",
        answer = sym answer,
        real = sym REAL,
    )
}

/// # Safety
/// `name` is null or a C string.
unsafe extern "C" fn answer(handle: *mut c_void, name: *const c_char) -> Answer {
    const PASS_ON: Answer = Answer { address: null_mut(), pass_on: 1 };
    resolve();
    if handle == libc::RTLD_NEXT || name.is_null() {
        return PASS_ON;
    }
    // SAFETY: as promised by the caller.
    let name = unsafe { CStr::from_ptr(name) };
    // Most lookups are not of these functions.
    let Some((_, own)) = IN_FRONT.iter().find(|(known, _)| *known == name) else { return PASS_ON };
    if handle == libc::RTLD_DEFAULT {
        // Where no loader is there, the lookup is to fail, and `dlerror` to say so.
        return match next(name) {
            Some(_) => Answer { address: own.cast_mut(), pass_on: 0 },
            None => Answer { address: raw(libc::RTLD_NEXT, name), pass_on: 0 },
        };
    }
    let found = raw(handle, name);
    // The loader looks up functions of the same names in the implementations' libraries.
    let stands_behind = !found.is_null() && is_loaders(found) && {
        let next = next::FUNCTIONS.iter().find(|next| next.name == name);
        next.is_some_and(|next| next.take(found) == found)
    };
    Answer { address: if stands_behind { own.cast_mut() } else { found }, pass_on: 0 }
}

/// Whether a function is of an OpenCL loader.
fn is_loaders(function: *mut c_void) -> bool {
    // SAFETY: all zero is a valid `Dl_info`.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: `info` is valid for writing; any address may be asked for.
    if unsafe { libc::dladdr(function, &mut info) } == 0 || info.dli_fname.is_null() {
        return false;
    }
    // SAFETY: the name is a C string that lives as long as the library is loaded.
    let file = unsafe { CStr::from_ptr(info.dli_fname) }.to_bytes();
    file.rsplit(|byte| *byte == b'/').next().is_some_and(|name| name.starts_with(b"libOpenCL.so"))
}

/// Looks libc's function up.
fn resolve() {
    if !REAL.load(Ordering::Acquire).is_null() {
        return;
    }
    unsafe extern "C" {
        fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
    }
    // glibc 2.34 moved it from libdl to libc.
    for version in [c"GLIBC_2.34", c"GLIBC_2.2.5"] {
        // SAFETY: both are C strings.
        let found = unsafe { dlvsym(libc::RTLD_NEXT, c"dlsym".as_ptr(), version.as_ptr()) };
        if !found.is_null() {
            REAL.store(found, Ordering::Release);
            return;
        }
        forget_error();
    }
}

/// What libc's `dlsym` finds, with its error if it finds nothing.
fn raw(handle: *mut c_void, name: &CStr) -> *mut c_void {
    resolve();
    let real = REAL.load(Ordering::Acquire);
    if real.is_null() {
        return null_mut();
    }
    // SAFETY: `dlsym` has this type.
    let real = unsafe { std::mem::transmute::<*mut c_void, Dlsym>(real) };
    // SAFETY: the name is a C string, the handle the caller's.
    unsafe { real(handle, name.as_ptr()) }
}

/// What is looked up for the layer itself.
fn real(handle: *mut c_void, name: &CStr) -> Option<*mut c_void> {
    let found = raw(handle, name);
    if found.is_null() {
        forget_error();
    }
    Some(found).filter(|found| !found.is_null())
}

/// An error of the layer's is not the program's, which may ask (`dlerror`) for one of its own next.
pub fn forget_error() {
    // SAFETY: it has no preconditions.
    unsafe { libc::dlerror() };
}
