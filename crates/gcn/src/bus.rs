//! What a wave needs from the device around it: memory, messages, clocks. `gcn` itself has none of them.

/// How an access uses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A range of device addresses that is mapped, contiguous in host memory, and stays valid until [`Bus::window`]'s contract ends it.
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
    /// What was tried.
    pub access: Access,
    /// The page is mapped, but not for this access.
    pub protection: bool,
}

/// The device, as a wave sees it.
///
/// # Safety
/// A [`Window`] returned must be readable (and writable, if it says so) host memory of `end - start` bytes until the current call
/// of [`crate::exec::Workgroup::run`] returns. The memory may be changed by other threads at any time.
pub unsafe trait Bus: Sync {
    /// The mapped window around `address`, as large as is cheap to find.
    fn window(&self, address: u64, access: Access) -> Result<Window, MemoryFault>;
    /// `s_memrealtime`: the constant 100 MHz counter.
    fn realtime(&self) -> u64;
    /// `s_memtime`: the core clock counter.
    fn memtime(&self) -> u64;
    /// `s_sendmsg MSG_INTERRUPT`: raise the event whose id is in M0\[23:0\].
    fn interrupt(&self, m0: u32);
}
