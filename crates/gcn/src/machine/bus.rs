//! The interface to the device: a wave's memory, messages and clocks. `gcn` itself has none of them.

use gcn_isa::inst::Cache;

/// How an access uses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Load, scalar load.
    Read,
    /// Store.
    Write,
    /// Read-modify-write.
    Atomic,
    /// Instruction fetch.
    Execute,
}

/// A range of device addresses that is mapped, contiguous in host memory, and stays valid until [`Bus::window`]'s
/// contract ends it.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// First device address.
    pub start: u64,
    /// One past the last device address.
    pub end: u64,
    /// Host address of `start`.
    pub host: *mut u8,
    /// Stores and atomics are allowed.
    pub writable: bool,
}

/// An access that the device's page tables refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryFault {
    /// The device address.
    pub address: u64,
    /// The kind of access.
    pub access: Access,
    /// The page is mapped, but not for this access.
    pub protection: bool,
}

/// The cache that an access of a wave goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// The vector L1 of its compute unit.
    Vector,
    /// None of its compute unit: a vector load with `glc`, or on chips whose loads and stores have a scope, those with
    /// that of the device or the system. Such a store, and all atomics, are seen by all waves of the device, also where
    /// it has several L2s.
    Coherent,
    /// The scalar L1.
    Scalar,
}

impl Path {
    /// That of a vector access.
    #[inline(always)]
    pub(crate) fn of_vector(cache: Cache) -> Path {
        if cache.has(Cache::COHERENT) { Path::Coherent } else { Path::Vector }
    }
}

/// Where [`Caches::reach`] finds memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// In no cache: it is accessed through its window.
    Uncached,
    /// In more than one line: it is to be reached piece by piece.
    Apart,
    /// In a line, at this host address.
    Line(*mut u8),
}

/// The caches between a wave and memory, of a device that has them modelled.
///
/// # Safety
/// The bytes that [`Caches::reach`] gives must be readable (and writable, if that was the access) until the next call
/// of a method of this or of the bus by the same thread.
pub unsafe trait Caches {
    /// Where a wave finds the `bytes` bytes at `address`, all of which it is about to access so.
    ///
    /// # Errors
    /// As of [`Bus::window`].
    fn reach(&self, address: u64, bytes: u64, access: Access, path: Path) -> Result<Reached, MemoryFault>;
    /// `buffer_wbinvl1`, `buffer_wbinvl1_vol`, `buffer_inv sc1`, `s_dcache_inv`, `s_dcache_inv_vol`: empties the cache
    /// of this path.
    fn invalidate(&self, path: Path);
    /// `buffer_wbl2`: writes what the L2 of its compute unit has to memory, where the host, other devices and other L2s
    /// see it.
    fn write_back_l2(&self);
    /// `buffer_invl2`, `buffer_inv sc0 sc1`: empties that L2 of what memory may have newer.
    fn invalidate_l2(&self);
}

/// The fate of a wave that raises an exception other than a memory fault: an illegal instruction, an access outside the
/// apertures, or `s_trap`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Traps {
    /// The work-group ends with [`Outcome::Exception`](crate::exec::Outcome::Exception), except that `s_trap 3` does
    /// nothing. No device behaves so; this is for analysing code.
    #[default]
    End,
    /// The driver's trap handler runs without a second-level handler of the process: the wave continues after an
    /// `s_trap` other than 0, and halts otherwise.
    NoHandler,
    /// The driver's trap handler jumps to the process's.
    Handler {
        /// Device address of its first instruction (TBA).
        code: u64,
        /// What it finds in ttmp14 and ttmp15 (TMA).
        memory: u64,
    },
}

/// The device, as a wave sees it.
///
/// # Safety
/// A [`Window`] returned must be readable (and writable, if it says so) host memory of `end - start` bytes for as long
/// as a [`View`](crate::exec::View) borrows the bus. The memory may be changed by other threads at any time.
pub unsafe trait Bus: Sync {
    /// The mapped window around `address`, as large as is cheap to find.
    ///
    /// # Errors
    /// The fault that the wave ends with: nothing is mapped there, or not for this access.
    fn window(&self, address: u64, access: Access) -> Result<Window, MemoryFault>;
    /// The caches between the wave and memory, if they are modelled. Without, all memory is coherent.
    fn caches(&self) -> Option<&dyn Caches> {
        None
    }
    /// As [`Bus::window`], but all that is mapped: a device that [checks](crate::sanitizer::Checks) accesses may let
    /// [`Bus::window`] end before, such as where an allocation ends in its last page.
    ///
    /// # Errors
    /// As of [`Bus::window`]: this one ends the wave.
    fn mapped(&self, address: u64, access: Access) -> Result<Window, MemoryFault> {
        self.window(address, access)
    }
    /// Whether a wave whose access [`Bus::window`] refuses does its instruction again once the memory is there (XNACK):
    /// its work-group's run ends with [`Outcome::Faulted`](crate::exec::Outcome::Faulted) then. The same for all calls
    /// of one [`crate::exec::Workgroup::run`].
    fn replays(&self) -> bool {
        false
    }
    /// `s_memrealtime`: the constant 100 MHz counter.
    fn realtime(&self) -> u64;
    /// `s_memtime`: the core clock counter.
    fn memtime(&self) -> u64;
    /// `s_sendmsg MSG_INTERRUPT`: interrupt the host with M0\[23:0\], the id of an event if `privileged` is not set. It
    /// is for waves in a trap handler.
    fn interrupt(&self, m0: u32, privileged: bool);
    /// `s_sendmsg MSG_GET_DOORBELL`: which doorbell the queue of the wave has. The lowest ten bits are its number among
    /// the process's.
    fn doorbell(&self) -> u32 {
        0
    }
    /// What becomes of exceptions now.
    fn traps(&self) -> Traps {
        Traps::End
    }
    /// `ds_gws_init`: the next `value` waves that arrive at global wave sync resource `resource` (0 to 63) wait for one
    /// more, or that many may pass, if it is used as a semaphore.
    ///
    /// Returns false if the device has no global wave sync.
    fn gws_init(&self, resource: u32, value: u32) -> bool {
        let _ = (resource, value);
        false
    }
    /// `ds_gws_barrier`: arrives at `resource`, whose count becomes `value` once all have. `None` if this wave was the
    /// last; else a ticket for [`Bus::gws_open`]. A bus that has no global wave sync lets every wave pass, as this
    /// default does.
    fn gws_arrive(&self, resource: u32, value: u32) -> Option<u64> {
        let _ = (resource, value);
        None
    }
    /// `ds_gws_sema_v` and `ds_gws_sema_br`: lets `count` more waves pass the semaphore that `resource` is.
    ///
    /// Returns false if the device has no global wave sync.
    fn gws_release(&self, resource: u32, count: u32) -> bool {
        let _ = (resource, count);
        false
    }
    /// `ds_gws_sema_release_all`: lets all waves pass that wait at `resource`.
    ///
    /// Returns false if the device has no global wave sync.
    fn gws_release_all(&self, resource: u32) -> bool {
        let _ = resource;
        false
    }
    /// `ds_gws_sema_p`: passes the semaphore, if a wave may, or gets a ticket (`Err`) to try again with. `None` if the
    /// device has no global wave sync.
    fn gws_pass(&self, resource: u32, ticket: Option<u64>) -> Option<Result<(), u64>> {
        let _ = (resource, ticket);
        None
    }
    /// Whether all that the holder of `ticket` waits for have arrived.
    fn gws_open(&self, resource: u32, ticket: u64) -> bool {
        let _ = (resource, ticket);
        true
    }
}
