//! What a wave needs from the device around it: memory, messages, clocks. `gcn` itself has none of them.

use crate::sanitizer::race::shadow::Shadow;
use gcn_isa::inst::{Cache, Inst};
use std::ops::Range;

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

/// The cache that an access of a wave goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// The vector L1 of its compute unit.
    Vector,
    /// None of its compute unit: a vector load with `glc`, or on chips whose loads and stores have a scope, those with that of the device or the system.
    /// Such a store, and all atomics, are seen by all waves of the device, also where it has several L2s.
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
/// The bytes that [`Caches::reach`] gives must be readable (and writable, if that was the access) until the next call of a method of this
/// or of the bus by the same thread.
pub unsafe trait Caches {
    /// Where a wave finds the `bytes` bytes at `address`, all of which it is about to access so.
    ///
    /// # Errors
    /// As of [`Bus::window`].
    fn reach(&self, address: u64, bytes: u64, access: Access, path: Path) -> Result<Reached, MemoryFault>;
    /// `buffer_wbinvl1`, `buffer_wbinvl1_vol`, `buffer_inv sc1`, `s_dcache_inv`, `s_dcache_inv_vol`: empties the cache of this path.
    fn invalidate(&self, path: Path);
    /// `buffer_wbl2`: writes what the L2 of its compute unit has to memory, where the host, other devices and other L2s see it.
    fn write_back_l2(&self);
    /// `buffer_invl2`, `buffer_inv sc0 sc1`: empties that L2 of what memory may have newer.
    fn invalidate_l2(&self);
}

/// Which memory an access is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Device memory.
    Device,
    /// The work-group's LDS; addresses are offsets in it.
    Lds {
        /// What the work-group has, as its dispatch asked.
        bytes: u32,
    },
    /// The kernel's arguments, in device memory.
    Kernarg {
        /// Device address of the first.
        start: u64,
        /// What they take, as the kernel descriptor says.
        bytes: u32,
    },
    /// Bytes of this memory that nobody has written; addresses are offsets in LDS or in private memory.
    Unwritten(Storage),
    /// A work-item's private memory; addresses are offsets in it, of 32 bits.
    Private {
        /// What the work-item has, as its dispatch asked.
        bytes: u32,
    },
    /// None: a barrier of the work-group that not all come to. Addresses are those of instructions.
    Barrier,
    /// None: a register of the wave, whose number is the address.
    Register(Registers),
}

/// Which registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registers {
    /// `s0` and so on; those with names by the encoding of operands.
    Scalar,
    /// `v0` and so on.
    Vector,
    /// `a0` and so on.
    Accumulation,
}

/// A memory that a wave loads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Device memory.
    Device,
    /// The work-group's LDS.
    Lds,
    /// A work-item's private memory.
    Private,
}

/// What the dword at `address`, a multiple of 4, holds if nobody has written it, on a device that looks for loads of such memory. Whoever writes there replaces it: a wave, a copy
/// engine or the host. Of other values one in 2^32 is the same.
pub fn poison(address: u64) -> u32 {
    // Vigna's mix of splitmix64.
    let mut z = (address >> 2).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ z >> 31) as u32
}

/// An access of a wave outside of what it may use: one that [`Bus::window`] refuses, to memory that is there, or one outside of the LDS that its work-group has, of the private
/// memory of a work-item, behind the kernel's arguments, or a load of what nobody has written.
#[derive(Clone, Copy, Debug)]
pub struct Stray<'a> {
    /// Address of the instruction.
    pub pc: u64,
    /// The instruction.
    pub instruction: &'a Inst,
    /// Index of the wave in its work-group.
    pub wave: u32,
    /// The lane, 0 to 63: of several the lowest. `None` for a scalar access, which is the wave's.
    pub lane: Option<u8>,
    /// Which memory it is.
    pub space: Space,
    /// The first byte that was refused, and what for.
    pub fault: MemoryFault,
}

/// One of the accesses of a [`Race`], or a wave that waits at a barrier.
#[derive(Clone, Copy, Debug)]
pub struct Racer<'a> {
    /// Address of the instruction.
    pub pc: u64,
    /// The instruction.
    pub instruction: &'a Inst,
    /// Its work-group.
    pub workgroup: [u32; 3],
    /// Index of the wave in its work-group.
    pub wave: u32,
    /// A lane that made it, 0 to 63. `None` for a scalar access, which is the wave's.
    pub lane: Option<u8>,
    /// What it was.
    pub access: Access,
}

/// Why nothing orders two accesses, or what is wrong with a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unordered {
    /// They are of two waves of a work-group, and no barrier is between them.
    Waves,
    /// They are of two waves of a work-group, and a barrier is between them, but the first wave came to it without a wait (`s_waitcnt`) for its access.
    Unwaited,
    /// They are of two work-groups, and no flag that the one sets, behind a wait for its stores, and the other sees is between them.
    Groups,
    /// They are of two work-groups. Such a flag is between them, but behind it the one that loads has not emptied the L1 of its compute unit.
    Stale,
    /// They are of two lanes of a wave, by one instruction.
    Lanes,
    /// Two waves of a work-group meet at different barriers.
    Elsewhere,
    /// A lane was off at its wave's barrier, and had not ended: the other instruction is its next barrier or store.
    Off,
    /// A wave ended, and others of its work-group come to a barrier after it.
    Ended,
    /// The first begins to load a register, and no `s_waitcnt` waits for it before the second, of the same wave, uses it.
    Begun,
}

/// Two accesses of different waves to the same bytes, of which at least one is a store and at most one is an atomic, and nothing orders them; or two stores of one instruction that leave something
/// else there. Of [`Space::Barrier`]: a barrier that a wave comes to, and what another one or a lane did instead. Of [`Space::Register`]:
/// a load and an instruction that uses what it loads.
#[derive(Clone, Copy, Debug)]
pub struct Race<'a> {
    /// Which memory it is: LDS, where both are of a work-group, or that of the device.
    pub space: Space,
    /// The first byte that is common to them.
    pub address: u64,
    /// Why nothing orders them.
    pub unordered: Unordered,
    /// The one that was made first, this time.
    pub first: Racer<'a>,
    /// The other.
    pub second: Racer<'a>,
}

/// What a device that checks accesses wants to be told of. For the rest nothing is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Accesses outside of what waves may use: [`Checks::stray`].
    pub strays: bool,
    /// Accesses to LDS that nothing orders, and to device memory if there is a [`Checks::shadow`]: [`Checks::race`].
    pub races: bool,
    /// Loads and atomics that find no byte that somebody has written, in LDS, private memory, or device memory that the device has filled with [`poison`]: [`Checks::stray`],
    /// with [`Space::Unwritten`].
    pub unwritten: bool,
    /// Barriers at which waves meet others that wait at another one, or without some of their lanes: [`Checks::race`], with [`Space::Barrier`].
    pub barriers: bool,
    /// Barriers that waves come to when others have ended, told likewise. Hardware does not count those, and kernels rely on it.
    pub ended: bool,
    /// Registers that are used before the load to them is waited for: [`Checks::race`], with [`Space::Register`]. Each instruction is looked at.
    pub waits: bool,
}

impl Wanted {
    /// What is looked for unless somebody says otherwise: what programs that are right do not do.
    pub const USUAL: Wanted = Wanted { strays: true, races: true, barriers: true, ..Wanted::NOTHING };
    /// Nothing.
    pub const NOTHING: Wanted =
        Wanted { strays: false, races: false, unwritten: false, barriers: false, ended: false, waits: false };
}

/// What a device that checks accesses does beyond refusing them.
///
/// A device may let [`Bus::window`] end before the memory does that is mapped, such as where an allocation ends in its last page. A wave that goes beyond
/// is then reported, and its instruction done all the same: the wave goes on as if nobody looked.
///
/// # Safety
/// As of [`Bus`], for the windows of [`Checks::mapped`].
pub unsafe trait Checks {
    /// What is wanted. The same for all calls of one [`crate::exec::Workgroup::run`].
    fn wanted(&self) -> Wanted {
        Wanted::USUAL
    }
    /// As [`Bus::window`], but all that is mapped.
    ///
    /// # Errors
    /// As of [`Bus::window`]: this one ends the wave.
    fn mapped(&self, address: u64, access: Access) -> Result<Window, MemoryFault>;
    /// A wave makes this access.
    fn stray(&self, stray: &Stray);
    /// The dword at `address` holds its [`poison`]. Whether nobody has written it.
    fn is_unwritten(&self, address: u64) -> bool {
        let _ = address;
        false
    }
    /// A wave has written bytes of the dword at `address`, and they are those of its [`poison`].
    fn wrote_poison(&self, address: u64) {
        let _ = address;
    }
    /// Nothing orders these accesses. Of two instructions it is told once for each time that a wave executes the second.
    fn race(&self, race: &Race);
    /// Whether each instruction is wanted that a wave executes ([`Checks::step`]), which takes far longer. The same for all calls of one
    /// [`crate::exec::Workgroup::run`].
    fn follows(&self) -> bool {
        false
    }
    /// A wave of the work-group, by its index, is about to execute the instruction at `pc`.
    fn step(&self, wave: u32, pc: u64) {
        let _ = (wave, pc);
    }
    /// Where the accesses of all waves of the dispatch to device memory are kept, of a device that wants races there. The same for all calls of
    /// [`crate::exec::Workgroup::run`] of a dispatch.
    fn shadow(&self) -> Option<&Shadow> {
        None
    }
    /// The addresses around `address` that the program has for its data. `None`: it is not the program's, and nobody looks for races there.
    fn allocation(&self, address: u64) -> Option<Range<u64>> {
        let _ = address;
        None
    }
    /// The addresses that begin in `range` and of which the program says that waves synchronise by them, though by plain accesses.
    fn flags(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let _ = range;
        Vec::new()
    }
}

/// What becomes of a wave that raises an exception other than a memory fault: an illegal instruction, an access outside the apertures, `s_trap`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Traps {
    /// Its work-group ends with [`Outcome::Exception`](crate::exec::Outcome::Exception), except that `s_trap 3` does nothing. No device does so;
    /// it is for whoever wants to know what code does.
    #[default]
    End,
    /// The driver's trap handler runs, and the process has none for it to jump to: the wave goes on behind an `s_trap` other than 0, and halts otherwise.
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
/// A [`Window`] returned must be readable (and writable, if it says so) host memory of `end - start` bytes for as long as a
/// [`View`](crate::exec::View) borrows the bus. The memory may be changed by other threads at any time.
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
    /// Who is told of accesses that [`Bus::window`] refuses though something is mapped, if the device checks them. The same for all calls of one
    /// [`crate::exec::Workgroup::run`].
    fn checks(&self) -> Option<&dyn Checks> {
        None
    }
    /// Whether a wave whose access [`Bus::window`] refuses does its instruction again once the memory is there (XNACK): its work-group's run ends with
    /// [`Outcome::Faulted`](crate::exec::Outcome::Faulted) then. The same for all calls of one [`crate::exec::Workgroup::run`].
    fn replays(&self) -> bool {
        false
    }
    /// `s_memrealtime`: the constant 100 MHz counter.
    fn realtime(&self) -> u64;
    /// `s_memtime`: the core clock counter.
    fn memtime(&self) -> u64;
    /// `s_sendmsg MSG_INTERRUPT`: interrupt the host with M0\[23:0\], the id of an event if `privileged` is not set. It is for waves in a trap
    /// handler.
    fn interrupt(&self, m0: u32, privileged: bool);
    /// `s_sendmsg MSG_GET_DOORBELL`: which doorbell the queue of the wave has. The lowest ten bits are its number among the process's.
    fn doorbell(&self) -> u32 {
        0
    }
    /// What becomes of exceptions now.
    fn traps(&self) -> Traps {
        Traps::End
    }
    /// `ds_gws_init`: the next `value` waves that arrive at global wave sync resource `resource` (0 to 63) wait for one more, or that many may pass,
    /// if it is used as a semaphore.
    ///
    /// Returns false if the device has no global wave sync.
    fn gws_init(&self, resource: u32, value: u32) -> bool {
        let _ = (resource, value);
        false
    }
    /// `ds_gws_barrier`: arrives at `resource`, whose count becomes `value` once all have. `None` if this wave was the last; else a
    /// ticket for [`Bus::gws_open`]. A bus that has no global wave sync lets every wave pass, as this default does.
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
    /// `ds_gws_sema_p`: passes the semaphore, if a wave may, or gets a ticket (`Err`) to try again with. `None` if the device has no global wave sync.
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
