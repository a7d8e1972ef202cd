//! Telling the packet processor that there is work.

use core::ptr::NonNull;

/// Tells the packet processor about new packets.
///
/// Any `Fn(u64)` is one, for instance a call of `hsa_signal_store_screlease` on a queue's doorbell signal.
pub trait Doorbell {
    /// Called after the packet `id` and all before it of the same batch are in the ring. With several producers, calls
    /// can come out of order; the packet processor must cope (AMD's does). What the caller stored before has to be
    /// visible to the device first: [`MmioDoorbell`] fences, other doorbells have to do so themselves.
    fn ring(&self, id: u64);
}

impl<F: Fn(u64)> Doorbell for F {
    #[inline]
    fn ring(&self, id: u64) {
        self(id);
    }
}

/// The 64-bit doorbell register of a queue, mapped into this process (gfx9 and later).
///
/// It takes the id of the last packet written.
#[derive(Clone, Copy, Debug)]
pub struct MmioDoorbell(NonNull<u64>);

// SAFETY: the register may be written from any thread, in any order; nothing is read through the pointer.
unsafe impl Send for MmioDoorbell {}
// SAFETY: as above.
unsafe impl Sync for MmioDoorbell {}

impl MmioDoorbell {
    /// A doorbell at this address.
    ///
    /// # Safety
    /// The address is aligned to 8 bytes, and any value may be stored there while this doorbell or a copy of it is
    /// used.
    ///
    /// It is a register, which any thread may store to at any time. Where memory of the program's own stands in for
    /// one, threads may not ring at the same time, nor look: the stores are volatile, not atomic.
    pub const unsafe fn new(register: NonNull<u64>) -> MmioDoorbell {
        MmioDoorbell(register)
    }
}

impl Doorbell for MmioDoorbell {
    #[inline]
    fn ring(&self, id: u64) {
        flush_stores();
        // SAFETY: valid by the contract of `new`. Volatile: a device register. One 64-bit store, so that the device
        // never sees a half.
        unsafe { self.0.as_ptr().write_volatile(id) };
    }
}

/// Makes every earlier store of this thread visible to the device before any later one.
///
/// x86 keeps ordinary (write-back) stores in order, but not stores to write-combining memory: those wait in the core's
/// combining buffers and may leave after a later doorbell store. Kernel arguments in device memory, seen through the
/// PCIe BAR, are mapped write-combining, and non-temporal stores behave alike wherever they go. `sfence` drains both.
/// The release store of the packet's header does not: release orders what another core sees, by rules that exclude such
/// memory. A packet processor that finds the packet before the doorbell may so read the arguments too early: who writes
/// them to device memory fences them before submitting.
///
/// Counterpart: the device, which reads the packet and the arguments after the doorbell write reaches it; PCIe keeps
/// the order of posted writes once they have left the core.
#[inline]
fn flush_stores() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: sfence is part of x86-64's baseline and touches neither memory nor registers.
    unsafe {
        core::arch::asm!("sfence", options(nostack, preserves_flags));
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: as above. Outer shareable, because the device is outside the cores' inner domain.
    unsafe {
        core::arch::asm!("dmb oshst", options(nostack, preserves_flags));
    }
}
