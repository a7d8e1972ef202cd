//! A ROCr tool for checks: learns of the program's allocations and of loaded code objects. The device itself works
//! without it.
//!
//! ROCr loads the libraries that `HSA_TOOLS_LIB` names and gives them its tables of functions, of which they may
//! replace entries. `vgpu check` names this library there. Only entries are used whose places are the same in all
//! versions from 5.2 to 7.2 (`hsa_api_trace.h`).

pub(super) mod chips;
mod signals;

use super::memory;
use crate::driver::device::{self, MemoryAt};
use crate::hardware::checks::allocations::{Heap, Stack};
use crate::hardware::checks::code::{self, Loaded};
use crate::hardware::checks::{
    allocations, allocations_mut, findings, frees, leaks, overlaps, pinned, poison, signals as held,
};
use hsa_sys::{
    HsaApiTable, hsa_amd_memory_pool_t, hsa_executable_t, hsa_loaded_code_object_t, hsa_region_t, hsa_signal_t,
    hsa_status_t, hsa_ven_amd_loader_1_01_pfn_t as LoaderTable,
};
use std::ffi::{c_char, c_void};
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::OnceLock;

type PoolAllocate = unsafe extern "C" fn(hsa_amd_memory_pool_t, usize, u32, *mut *mut c_void) -> hsa_status_t;
type RegionAllocate = unsafe extern "C" fn(hsa_region_t, usize, *mut *mut c_void) -> hsa_status_t;
type Free = unsafe extern "C" fn(*mut c_void) -> hsa_status_t;
type Freeze = unsafe extern "C" fn(hsa_executable_t, *const c_char) -> hsa_status_t;
type DestroySignal = unsafe extern "C" fn(hsa_signal_t) -> hsa_status_t;
type Destroy = unsafe extern "C" fn(hsa_executable_t) -> hsa_status_t;

/// ROCr's own functions.
struct Real {
    pool_allocate: PoolAllocate,
    pool_free: Free,
    allocate: RegionAllocate,
    free: Free,
    freeze: Freeze,
    destroy: Destroy,
    destroy_signal: DestroySignal,
    extension: unsafe extern "C" fn(u16, u16, usize, *mut c_void) -> hsa_status_t,
}

static REAL: OnceLock<Real> = OnceLock::new();

const SUCCESS: hsa_status_t = hsa_status_t::HSA_STATUS_SUCCESS;
/// What ROCr answers where this library has no functions of it.
const NO_RUNTIME: hsa_status_t = hsa_status_t::HSA_STATUS_ERROR_NOT_INITIALIZED;

/// Called by ROCr when a program initialises it.
///
/// # Safety
/// `table` is ROCr's table, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn OnLoad(table: *mut HsaApiTable, _: u64, _: u64, _: *const *const c_char) -> bool {
    let (wanted, leaks) = (findings::wanted(), findings::wants_leaks());
    if table.is_null() || wanted.is_none() && !leaks {
        return false;
    }
    // Not as references: the tables of older versions end earlier than the types.
    // SAFETY: ROCr's tables have these entries in all versions.
    unsafe {
        let (core, amd) = ((*table).core_, (*table).amd_ext_);
        macro_rules! entry {
            ($table:ident.$name:ident) => {
                match (&raw const (*$table).$name).read() {
                    Some(function) => function,
                    None => return false,
                }
            };
        }
        let real = Real {
            pool_allocate: entry!(amd.hsa_amd_memory_pool_allocate_fn),
            pool_free: entry!(amd.hsa_amd_memory_pool_free_fn),
            allocate: entry!(core.hsa_memory_allocate_fn),
            free: entry!(core.hsa_memory_free_fn),
            freeze: entry!(core.hsa_executable_freeze_fn),
            destroy: entry!(core.hsa_executable_destroy_fn),
            destroy_signal: entry!(core.hsa_signal_destroy_fn),
            extension: entry!(core.hsa_system_get_major_extension_table_fn),
        };
        if findings::wants_streams() && !signals::watch(core, amd) {
            return false;
        }
        // Another load of ROCr in this process has the same functions.
        let _ = REAL.set(real);
        if leaks || wanted.is_some_and(|wanted| wanted.strays || wanted.races || wanted.unwritten) {
            (&raw mut (*amd).hsa_amd_memory_pool_allocate_fn).write(Some(pool_allocate));
            (&raw mut (*amd).hsa_amd_memory_pool_free_fn).write(Some(pool_free));
            (&raw mut (*core).hsa_memory_allocate_fn).write(Some(allocate));
            (&raw mut (*core).hsa_memory_free_fn).write(Some(free));
        }
        if findings::wants_sync() || findings::wants_streams() {
            (&raw mut (*core).hsa_signal_destroy_fn).write(Some(destroy_signal));
        }
        (&raw mut (*core).hsa_executable_freeze_fn).write(Some(freeze));
        (&raw mut (*core).hsa_executable_destroy_fn).write(Some(destroy));
    }
    if leaks {
        leaks::watch();
    }
    true
}

/// Called by ROCr when it ends, with all memory that it had.
#[unsafe(no_mangle)]
pub extern "C" fn OnUnload() {
    leaks::tell();
    findings::flush();
    pinned::clear();
    let kept = allocations_mut().take_freed();
    let_go(kept);
    allocations_mut().clear();
}

/// The call stack of the function of this library that calls this, including its own frames.
pub fn stack() -> Stack {
    const FRAMES: usize = 32;
    let mut frames = [null_mut(); FRAMES];
    // SAFETY: `frames` is valid for writing as many.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), FRAMES as i32) };
    // A return address is behind the call, perhaps in the next function.
    frames[..count.max(0) as usize].iter().map(|frame| (frame.addr() as u64).saturating_sub(1)).collect()
}

/// Allocates by `real`.
fn allocated(size: usize, pointer: *mut *mut c_void, real: impl Fn(&Real) -> hsa_status_t) -> hsa_status_t {
    let Some(functions) = REAL.get() else { return NO_RUNTIME };
    let status = real(functions);
    if status == SUCCESS {
        // SAFETY: the function succeeded, so that it wrote there.
        let start = unsafe { *pointer }.addr() as u64;
        let (stack, size) = (stack(), size as u64);
        let poisoned = poison::is_wanted() && device::poison(start, size);
        if findings::wants_leaks() {
            leaks::allocated(&stack);
        }
        let heap = frees::heap(device::is_vram(start));
        allocations_mut().add(start, size, stack, poisoned, heap);
        let range = start..start.saturating_add(size);
        overlaps::forget(&range);
        if findings::wants_streams() {
            pinned::forget(&range);
            if let Some(MemoryAt::Pinned) = device::memory_at(start, 1) {
                pinned::allocated(range);
            }
        }
    }
    status
}

/// The pages of these ranges, which the runtime has freed, leave the GPUs' page tables, and the program may get their
/// addresses again.
fn let_go(ranges: Vec<Range<u64>>) {
    for range in ranges {
        let size = range.end - range.start;
        device::forget_kept(range.start, size);
        memory::unmap_kept(range.start);
    }
}

/// Frees by `real`. The GPUs go on to have the pages for a while, to find who uses them.
fn freed(pointer: *mut c_void, name: &'static str, real: impl Fn(&Real) -> hsa_status_t) -> hsa_status_t {
    let Some(functions) = REAL.get() else { return NO_RUNTIME };
    let address = pointer.addr() as u64;
    let range = allocations().at(address).map(|allocation| allocation.start..allocation.end());
    if let Some(range) = range {
        overlaps::forget(&range);
        pinned::forget(&range);
    }
    if findings::wants_leaks()
        && let Some(allocation) = allocations().at(address)
    {
        leaks::freed(allocation, &stack());
    }
    if !findings::wanted().is_some_and(|wanted| wanted.strays) {
        allocations_mut().forget(address);
        return real(functions);
    }
    let free = || {
        // Before the runtime does: as soon as it has, another thread may get the address.
        if !allocations_mut().free(address, stack()) {
            return real(functions);
        }
        let status = frees::keeping(address, || real(functions));
        if status != SUCCESS {
            allocations_mut().not_freed(address);
        }
        let over = allocations_mut().take_over();
        let_go(over);
        status
    };
    let function = frees::Function { name, heap: Heap::Any };
    frees::watch(function, address, stack, free, |status| i64::from(status.0))
}

unsafe extern "C" fn pool_allocate(
    pool: hsa_amd_memory_pool_t,
    size: usize,
    flags: u32,
    pointer: *mut *mut c_void,
) -> hsa_status_t {
    // SAFETY: as the caller promised.
    allocated(size, pointer, |real| unsafe { (real.pool_allocate)(pool, size, flags, pointer) })
}

unsafe extern "C" fn allocate(region: hsa_region_t, size: usize, pointer: *mut *mut c_void) -> hsa_status_t {
    // SAFETY: as the caller promised.
    allocated(size, pointer, |real| unsafe { (real.allocate)(region, size, pointer) })
}

unsafe extern "C" fn pool_free(pointer: *mut c_void) -> hsa_status_t {
    // SAFETY: as the caller promised.
    freed(pointer, "hsa_amd_memory_pool_free", |real| unsafe { (real.pool_free)(pointer) })
}

unsafe extern "C" fn free(pointer: *mut c_void) -> hsa_status_t {
    // SAFETY: as the caller promised.
    freed(pointer, "hsa_memory_free", |real| unsafe { (real.free)(pointer) })
}

/// From here on the code of `executable` can run.
unsafe extern "C" fn freeze(executable: hsa_executable_t, options: *const c_char) -> hsa_status_t {
    let Some(real) = REAL.get() else { return NO_RUNTIME };
    // SAFETY: as the caller promised.
    let status = unsafe { (real.freeze)(executable, options) };
    if status == SUCCESS {
        note_code(real, executable);
    }
    status
}

unsafe extern "C" fn destroy(executable: hsa_executable_t) -> hsa_status_t {
    let Some(real) = REAL.get() else { return NO_RUNTIME };
    code::unloaded(executable.handle);
    // SAFETY: as the caller promised.
    unsafe { (real.destroy)(executable) }
}

unsafe extern "C" fn destroy_signal(signal: hsa_signal_t) -> hsa_status_t {
    let Some(real) = REAL.get() else { return NO_RUNTIME };
    if findings::wants_streams() {
        signals::destroyed(signal);
    }
    held::destroyed(signal.handle, stack);
    // SAFETY: as the caller promised.
    unsafe { (real.destroy_signal)(signal) }
}

/// Notes where the code objects of `executable` are, and in which files.
fn note_code(real: &Real, executable: hsa_executable_t) {
    /// `HSA_EXTENSION_AMD_LOADER`.
    const LOADER: u16 = 0x201;
    let mut table = std::mem::MaybeUninit::<LoaderTable>::zeroed();
    // SAFETY: ROCr writes as many bytes as it is told.
    let status = unsafe { (real.extension)(LOADER, 1, size_of::<LoaderTable>(), table.as_mut_ptr().cast()) };
    // SAFETY: all zeros are no functions.
    let table = unsafe { table.assume_init() };
    let Some(iterate) = table.hsa_ven_amd_loader_executable_iterate_loaded_code_objects.filter(|_| status == SUCCESS)
    else {
        return;
    };
    // Without it there are no lines in reports.
    // SAFETY: the callback is as ROCr wants it, and gets the table.
    let _ = unsafe { iterate(executable, Some(note_object), (&raw const table).cast_mut().cast()) };
}

unsafe extern "C" fn note_object(
    executable: hsa_executable_t,
    object: hsa_loaded_code_object_t,
    table: *mut c_void,
) -> hsa_status_t {
    use hsa_sys::hsa_ven_amd_loader_loaded_code_object_info_t as Info;
    // SAFETY: `note_code` gives it, and waits.
    let table = unsafe { &*table.cast::<LoaderTable>() };
    let Some(info) = table.hsa_ven_amd_loader_loaded_code_object_get_info else { return SUCCESS };
    let number = |attribute| {
        let mut value = 0u64;
        // SAFETY: all of these values have 64 bits, or 32 of which the others are zero.
        let status = unsafe { info(object, attribute, (&raw mut value).cast()) };
        (status == SUCCESS).then_some(value)
    };
    let text = |length: u64| {
        let mut bytes = vec![0u8; length as usize];
        // SAFETY: it writes as many bytes as it said.
        let status =
            unsafe { info(object, Info::HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI, bytes.as_mut_ptr().cast()) };
        (status == SUCCESS).then(|| String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned())
    };
    let loaded = || {
        let start = number(Info::HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE)?;
        let size = number(Info::HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE)?;
        let base = number(Info::HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA)?;
        let uri = text(number(Info::HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH)?)?;
        Some(Loaded { executable: executable.handle, start, end: start.saturating_add(size), base, uri })
    };
    if let Some(loaded) = loaded() {
        code::loaded(loaded);
    }
    SUCCESS
}
