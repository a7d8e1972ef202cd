//! Kernels in Rust. `cargo build` makes the code object that the host's tests load (`tests/kfd/tests/rust_kernels.rs`),
//! `cargo test` runs the tests below on the GPU.
#![no_std]
#![no_main]
#![feature(abi_gpu_kernel, core_intrinsics, gpu_intrinsics, gpu_launch_sized_workgroup_mem, stdarch_amdgpu)]
#![allow(internal_features)]
#![cfg_attr(test, feature(custom_test_frameworks))]
#![cfg_attr(test, reexport_test_harness_main = "test_main")]

#[cfg(test)]
mod tests;

use core::arch::amdgpu::{s_barrier, workgroup_id_x, workitem_id_x};
use core::intrinsics::gpu::{amdgpu_dispatch_ptr, gpu_launch_sized_workgroup_mem};
use core::sync::atomic::{AtomicU32, Ordering, fence};

#[cfg(test)]
test::harness!(test_main);

/// Stops the queue by a trap, so the host's wait ends with an error.
#[cfg(not(test))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::intrinsics::abort()
}

/// Work-items of a work-group, in x: two bytes of the packet that launched this kernel
/// (`hsa_kernel_dispatch_packet_t`).
fn workgroup_size() -> u32 {
    // SAFETY: the packet has 64 bytes, which stay as they are until the kernel is done.
    u32::from(unsafe { amdgpu_dispatch_ptr().cast::<u16>().add(2).read() })
}

/// The number of this work-item among all.
fn global_id() -> usize {
    (workgroup_id_x() * workgroup_size() + workitem_id_x()) as usize
}

// ANCHOR: example
/// `y = a * x + y` of `n` values.
///
/// # Safety
/// Both addresses are of `n` values, and no two launches use `y` at once.
#[unsafe(no_mangle)]
pub unsafe extern "gpu-kernel" fn saxpy(n: u32, a: f32, x: *const f32, y: *mut f32) {
    let i = global_id();
    if i < n as usize {
        // SAFETY: by the contract; each work-item has values of its own.
        unsafe { *y.add(i) += a * *x.add(i) };
    }
}
// ANCHOR_END: example

/// The sum of each work-group's values, without the carry, by a tree in LDS, of which the launch gives 4 bytes for each
/// work-item. A work-group has a power of two of them.
///
/// # Safety
/// `values` has one for each work-item, `sums` one for each work-group.
#[unsafe(no_mangle)]
pub unsafe extern "gpu-kernel" fn sums(values: *const u32, sums: *mut u32) {
    let local = gpu_launch_sized_workgroup_mem::<u32>();
    let item = workitem_id_x() as usize;
    // SAFETY: by the contract, and the launch's for the LDS. Between two barriers no value is written by one work-item
    // and used by another.
    unsafe {
        *local.add(item) = *values.add(global_id());
        let mut half = workgroup_size() as usize / 2;
        while half > 0 {
            barrier();
            if item < half {
                *local.add(item) = (*local.add(item)).wrapping_add(*local.add(item + half));
            }
            half /= 2;
        }
        if item == 0 {
            *sums.add(workgroup_id_x() as usize) = *local;
        }
    }
}

/// Has all of the work-group arrive here, and see what each has written.
fn barrier() {
    fence(Ordering::Release);
    s_barrier();
    fence(Ordering::Acquire);
}

/// Counts values by their lowest three bits.
///
/// # Safety
/// `values` has one for each of `n` work-items, `counts` eight.
#[unsafe(no_mangle)]
pub unsafe extern "gpu-kernel" fn histogram(n: u32, values: *const u32, counts: *const AtomicU32) {
    let i = global_id();
    if i < n as usize {
        // SAFETY: by the contract.
        let count = unsafe { &*counts.add(*values.add(i) as usize % 8) };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// A checksum of each work-item's `len` bytes, by a crate of others.
///
/// # Safety
/// `bytes` has `len` for each of `n` work-items, `sums` a value.
#[unsafe(no_mangle)]
pub unsafe extern "gpu-kernel" fn checksums(n: u32, len: u32, bytes: *const u8, sums: *mut u32) {
    const CRC: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);
    let i = global_id();
    if i < n as usize {
        let len = len as usize;
        // SAFETY: by the contract.
        unsafe { *sums.add(i) = CRC.checksum(core::slice::from_raw_parts(bytes.add(i * len), len)) };
    }
}

/// Reads a value at an index that is checked.
///
/// # Safety
/// `values` has `n` of them, `out` one.
#[unsafe(no_mangle)]
pub unsafe extern "gpu-kernel" fn checked(n: u32, index: u32, values: *const u32, out: *mut u32) {
    // SAFETY: by the contract.
    unsafe { *out = core::slice::from_raw_parts(values, n as usize)[index as usize] };
}
