//! Device memory, accessed through cached windows.
//!
//! The memory is shared with other engines, other threads and the host program. So no Rust reference to it exists: it
//! is only touched by relaxed atomic accesses of the size of the access where it is aligned, and byte by byte where it
//! is not (the hardware does not promise more either). [`Host::copy_out`] and [`Host::copy_in`], which move whole
//! waves, are made of 64-bit ones or of [`simd::copy_rows`].

use crate::machine::bus::{Access, Bus, MemoryFault, Path, Reached, Window};
use gcn_alu::simd;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};

/// Windows kept per run. Kernels touch their arguments, a few buffers, scratch, and constants.
pub(crate) const WINDOWS: usize = 8;

/// A [`MemoryFault`], with the lane whose access it was once that is known: `None` is the whole wave's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub address: u64,
    access: Access,
    protection: bool,
    lane: Option<u8>,
}

impl Fault {
    fn at(address: u64, access: Access, protection: bool) -> Fault {
        Fault { address, access, protection, lane: None }
    }

    /// The kind of access.
    pub fn access(self) -> Access {
        self.access
    }

    /// The lane, if it was not the whole wave.
    pub fn lane(self) -> Option<u8> {
        self.lane
    }
}

impl From<MemoryFault> for Fault {
    fn from(MemoryFault { address, access, protection }: MemoryFault) -> Fault {
        Fault::at(address, access, protection)
    }
}

impl From<Fault> for MemoryFault {
    fn from(Fault { address, access, protection, .. }: Fault) -> MemoryFault {
        MemoryFault { address, access, protection }
    }
}

/// An error of an instruction, which may be one lane's.
pub(crate) trait OfLane {
    /// Says which lane's it is, unless that is known.
    fn of_lane(self, lane: usize) -> Self;
}

impl OfLane for Fault {
    #[cold]
    fn of_lane(self, lane: usize) -> Fault {
        Fault { lane: self.lane.or(u8::try_from(lane).ok()), ..self }
    }
}

const NOWHERE: Window = Window { start: 0, end: 0, host: std::ptr::null_mut(), writable: false };

/// The device's memory as one run of a work-group sees it.
pub(crate) struct Memory<'a> {
    pub bus: &'a dyn Bus,
    /// The cache that the access goes through, if caches are modelled. Every vector load sets it; scalar accesses set
    /// it for their duration.
    pub path: Path,
    /// [`Bus::window`] may end before what is mapped does.
    bounded: bool,
    /// Accesses may go as far as memory is mapped, though [`Bus::window`] refuses them.
    unchecked: bool,
    /// Caches are modelled.
    has_caches: bool,
    windows: &'a mut Windows,
}

/// The windows found so far, which [`Memory`] only borrows: they last for as long as the bus is borrowed.
pub(crate) struct Windows {
    all: [Window; WINDOWS],
    /// Index of the one that was used last.
    newest: usize,
    /// Index of the one that was filled last.
    filled: usize,
}

impl Windows {
    pub const NONE: Windows = Windows { all: [NOWHERE; WINDOWS], newest: 0, filled: 0 };
}

/// A host address, good for the bytes and the access that it was asked for.
#[derive(Clone, Copy)]
pub(crate) struct Host(*mut u8);

impl<'a> Memory<'a> {
    pub fn new(bus: &'a dyn Bus, has_caches: bool, bounded: bool, windows: &'a mut Windows) -> Memory<'a> {
        Memory { bus, path: Path::Vector, bounded, unchecked: false, has_caches, windows }
    }

    /// Begins or ends to let accesses go as far as memory is mapped. What was found before does not count any more.
    pub fn set_unchecked(&mut self, unchecked: bool) {
        self.unchecked = unchecked;
        self.path = Path::Vector;
        *self.windows = Windows::NONE;
    }

    /// The host address of `bytes` bytes at `address`. `None` if they are in more than one window.
    #[inline]
    pub fn find(&mut self, address: u64, bytes: u64, access: Access) -> Result<Option<Host>, Fault> {
        let w = &self.windows.all[self.windows.newest % WINDOWS];
        if address >= w.start && address < w.end && w.end - address >= bytes && (w.writable || reads(access)) {
            return Ok(Some(Host(w.host.wrapping_add((address - w.start) as usize))));
        }
        self.find_other(address, bytes, access)
    }

    /// Empties the cache of a path, if caches are modelled.
    pub fn invalidate(&self, path: Path) {
        if let Some(caches) = self.bus.caches() {
            caches.invalidate(path);
        }
    }

    /// Writes the L2 back, if caches are modelled.
    pub fn write_back_l2(&self) {
        if let Some(caches) = self.bus.caches() {
            caches.write_back_l2();
        }
    }

    /// Empties the L2, if caches are modelled.
    pub fn invalidate_l2(&self) {
        if let Some(caches) = self.bus.caches() {
            caches.invalidate_l2();
        }
    }

    /// The windows found so far, through which accesses need not name a cache. None if caches are modelled.
    #[inline]
    pub fn windows(&self) -> &[Window; WINDOWS] {
        const NONE: &[Window; WINDOWS] = &[NOWHERE; WINDOWS];
        if self.has_caches { NONE } else { &self.windows.all }
    }

    /// Whether caches are modelled, so that each access must name its cache.
    #[inline]
    pub fn has_caches(&self) -> bool {
        self.has_caches
    }

    /// Start, length and host address of the window that [`Memory::find`] has just found something in.
    #[inline]
    pub fn newest(&self) -> (u64, u64, Host) {
        let w = &self.windows.all[self.windows.newest % WINDOWS];
        (w.start, w.end - w.start, Host(w.host))
    }

    fn find_other(&mut self, address: u64, bytes: u64, access: Access) -> Result<Option<Host>, Fault> {
        let usable = |w: &Window| (w.start..w.end).contains(&address) && (w.writable || reads(access));
        let windows = &mut *self.windows;
        windows.newest = match windows.all.iter().position(usable) {
            Some(known) => known,
            None => {
                if let Some(caches) = self.bus.caches() {
                    // What is in a line is not looked up in a window.
                    if self.bounded && !self.unchecked && self.bus.window(address, access)?.end - address < bytes {
                        windows.newest = windows.filled;
                        return Ok(None);
                    }
                    let line = match caches.reach(address, bytes, access, self.path)? {
                        Reached::Uncached => None,
                        Reached::Apart => Some(None),
                        Reached::Line(host) => Some(Some(Host(host))),
                    };
                    if let Some(line) = line {
                        // Of a line there is no window.
                        windows.filled = (windows.filled + 1) % WINDOWS;
                        windows.newest = windows.filled;
                        windows.all[windows.newest] = NOWHERE;
                        return Ok(line);
                    }
                }
                // Field by field: a copy would wait for the store of the flag to read it with the padding.
                let Window { start, end, host, writable } = match self.unchecked {
                    true => self.bus.mapped(address, access)?,
                    false => self.bus.window(address, access)?,
                };
                let window = Window { start, end, host, writable };
                if !usable(&window) {
                    return Err(Fault::at(address, access, true));
                }
                windows.filled = (windows.filled + 1) % WINDOWS;
                windows.all[windows.filled] = window;
                windows.filled
            }
        };
        let window = &windows.all[windows.newest];
        if window.end - address < bytes {
            return Ok(None);
        }
        Ok(Some(Host(window.host.wrapping_add((address - window.start) as usize))))
    }

    #[cold]
    fn read_bytes<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Fault> {
        let mut value = [0; N];
        for (i, byte) in value.iter_mut().enumerate() {
            *byte = self.read8(address.wrapping_add(i as u64))?;
        }
        Ok(value)
    }

    #[cold]
    fn write_bytes<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Result<(), Fault> {
        // All pages first: a store that faults changes nothing.
        for i in 0..N as u64 {
            self.find(address.wrapping_add(i), 1, Access::Write)?;
        }
        for (i, byte) in value.into_iter().enumerate() {
            self.write8(address.wrapping_add(i as u64), byte)?;
        }
        Ok(())
    }

    pub fn read8(&mut self, address: u64) -> Result<u8, Fault> {
        match self.find(address, 1, Access::Read)? {
            Some(host) => Ok(host.read8(0)),
            None => Err(Fault::at(address, Access::Read, false)),
        }
    }

    #[inline]
    pub fn read32(&mut self, address: u64) -> Result<u32, Fault> {
        match self.find(address, 4, Access::Read)? {
            Some(host) => Ok(host.read32(0)),
            None => self.read_bytes(address).map(u32::from_le_bytes),
        }
    }

    pub fn write8(&mut self, address: u64, value: u8) -> Result<(), Fault> {
        match self.find(address, 1, Access::Write)? {
            Some(host) => {
                host.write8(0, value);
                Ok(())
            }
            None => Err(Fault::at(address, Access::Write, false)),
        }
    }

    #[inline]
    pub fn write32(&mut self, address: u64, value: u32) -> Result<(), Fault> {
        match self.find(address, 4, Access::Write)? {
            Some(host) => {
                host.write32(0, value);
                Ok(())
            }
            None => self.write_bytes(address, value.to_le_bytes()),
        }
    }

    /// A read-modify-write of the dword at `address` (its low bits are ignored, as the hardware ignores them). Returns
    /// the old value.
    pub fn atomic32(&mut self, address: u64, f: impl Fn(u32) -> u32) -> Result<u32, Fault> {
        let address = address & !3;
        let Some(host) = self.find(address, 4, Access::Atomic)? else {
            return Err(Fault::at(address, Access::Atomic, false));
        };
        Ok(host.atomic32(f))
    }

    /// As [`Memory::atomic32`], for 64 bits.
    pub fn atomic64(&mut self, address: u64, f: impl Fn(u64) -> u64) -> Result<u64, Fault> {
        let address = address & !7;
        let Some(host) = self.find(address, 8, Access::Atomic)? else {
            return Err(Fault::at(address, Access::Atomic, false));
        };
        Ok(host.atomic64(f))
    }
}

fn reads(access: Access) -> bool {
    matches!(access, Access::Read | Access::Execute)
}

// Every method's SAFETY: a `Host` comes from `Memory::find`, which has checked that the bytes are inside a window;
// `Bus::window` promises that they stay mapped for this run. Offsets stay inside the bytes that were asked for.
/// Read-modify-write; gives the old value. Sequentially consistent, as the device's atomics at system scope must be for
/// the host.
macro_rules! atomic {
    ($self:ident, $f:ident, $atomic:ident, $read:ident, $write:ident) => {
        if $self.0.addr() % align_of::<$atomic>() == 0 {
            // SAFETY: inside a writable window (see above), aligned.
            let cell = unsafe { $atomic::from_ptr($self.0.cast()) };
            let mut old = cell.load(Relaxed);
            loop {
                match cell.compare_exchange_weak(old, $f(old), SeqCst, Relaxed) {
                    Ok(old) => break old,
                    Err(now) => old = now,
                }
            }
        } else {
            // The device address is aligned but its host address is not: a registered host buffer with a skewed alias.
            // Cannot be atomic.
            let old = $self.$read(0);
            $self.$write(0, $f(old));
            old
        }
    };
}

impl Host {
    pub(crate) fn new(window: &Window, address: u64) -> Host {
        Host(window.host.wrapping_add(address.wrapping_sub(window.start) as usize))
    }

    /// What [`crate::machine::bus::Caches::reach`] gave.
    pub(crate) fn of_line(host: *mut u8) -> Host {
        Host(host)
    }

    #[inline(always)]
    fn at(self, offset: usize) -> *mut u8 {
        self.0.wrapping_add(offset)
    }

    #[inline(always)]
    pub fn read8(self, offset: usize) -> u8 {
        // SAFETY: inside a window (see above); a byte is always aligned.
        unsafe { AtomicU8::from_ptr(self.at(offset)) }.load(Relaxed)
    }

    #[inline(always)]
    pub fn read16(self, offset: usize) -> u16 {
        let p = self.at(offset);
        if p.addr() & 1 == 0 {
            // SAFETY: inside a window (see above), aligned.
            unsafe { AtomicU16::from_ptr(p.cast()) }.load(Relaxed)
        } else {
            u16::from_le_bytes([self.read8(offset), self.read8(offset + 1)])
        }
    }

    #[inline(always)]
    pub fn read32(self, offset: usize) -> u32 {
        let p = self.at(offset);
        if p.addr() & 3 == 0 {
            // SAFETY: inside a window (see above), aligned.
            unsafe { AtomicU32::from_ptr(p.cast()) }.load(Relaxed)
        } else {
            u32::from_le_bytes(std::array::from_fn(|i| self.read8(offset + i)))
        }
    }

    #[inline(always)]
    pub fn read64(self, offset: usize) -> u64 {
        let p = self.at(offset);
        if p.addr() & 7 == 0 {
            // SAFETY: inside a window (see above), aligned.
            unsafe { AtomicU64::from_ptr(p.cast()) }.load(Relaxed)
        } else {
            u64::from(self.read32(offset)) | u64::from(self.read32(offset + 4)) << 32
        }
    }

    #[inline(always)]
    pub fn write8(self, offset: usize, value: u8) {
        // SAFETY: inside a writable window (see above); a byte is always aligned.
        unsafe { AtomicU8::from_ptr(self.at(offset)) }.store(value, Relaxed);
    }

    #[inline(always)]
    pub fn write16(self, offset: usize, value: u16) {
        let p = self.at(offset);
        if p.addr() & 1 == 0 {
            // SAFETY: inside a writable window (see above), aligned.
            unsafe { AtomicU16::from_ptr(p.cast()) }.store(value, Relaxed);
        } else {
            self.write8(offset, value as u8);
            self.write8(offset + 1, (value >> 8) as u8);
        }
    }

    #[inline(always)]
    pub fn write32(self, offset: usize, value: u32) {
        let p = self.at(offset);
        if p.addr() & 3 == 0 {
            // SAFETY: inside a writable window (see above), aligned.
            unsafe { AtomicU32::from_ptr(p.cast()) }.store(value, Relaxed);
        } else {
            for (i, byte) in value.to_le_bytes().into_iter().enumerate() {
                self.write8(offset + i, byte);
            }
        }
    }

    #[inline(always)]
    pub fn write64(self, offset: usize, value: u64) {
        let p = self.at(offset);
        if p.addr() & 7 == 0 {
            // SAFETY: inside a writable window (see above), aligned.
            unsafe { AtomicU64::from_ptr(p.cast()) }.store(value, Relaxed);
        } else {
            self.write32(offset, value as u32);
            self.write32(offset + 4, (value >> 32) as u32);
        }
    }

    /// `rows` times [`simd::ROW`] dwords, each pair that is aligned in one piece. Returns false if this processor has
    /// no instruction for it or the dwords are not aligned, with nothing copied.
    #[inline(always)]
    pub fn copy_rows_out(self, offset: usize, to: &mut [u32; 4 * simd::ROW], rows: usize) -> bool {
        let from = self.at(offset);
        // SAFETY: the dwords are inside a window (see above), and aligned; `to` has as many as rows at most.
        from.addr() & 3 == 0 && unsafe { simd::copy_rows(from.cast(), to.as_mut_ptr(), rows.min(4)) }
    }

    /// The reverse of [`Host::copy_rows_out`].
    #[inline(always)]
    pub fn copy_rows_in(self, offset: usize, from: &[u32; 4 * simd::ROW], rows: usize) -> bool {
        let to = self.at(offset);
        // SAFETY: the dwords are inside a writable window (see above), and aligned; `from` has as many as rows at most.
        to.addr() & 3 == 0 && unsafe { simd::copy_rows(from.as_ptr(), to.cast(), rows.min(4)) }
    }

    /// `N` consecutive dwords, in pieces as large as the alignment allows. `N` is a multiple of [`simd::ROW`].
    #[inline(always)]
    pub fn copy_out<const N: usize>(self, offset: usize, lanes: &mut [u32; N]) {
        let from = self.at(offset);
        // SAFETY: the dwords are inside a window (see above), and aligned; `lanes` has as many.
        if from.addr() & 3 == 0 && unsafe { simd::copy_rows(from.cast(), lanes.as_mut_ptr(), N / simd::ROW) } {
            return;
        }
        if from.addr() & 7 == 0 {
            for (i, pair) in lanes.chunks_exact_mut(2).enumerate() {
                let value = self.read64(offset + i * 8);
                pair[0] = value as u32;
                pair[1] = (value >> 32) as u32;
            }
        } else {
            for (i, lane) in lanes.iter_mut().enumerate() {
                *lane = self.read32(offset + i * 4);
            }
        }
    }

    /// The reverse of [`Host::copy_out`].
    #[inline(always)]
    pub fn copy_in<const N: usize>(self, offset: usize, lanes: &[u32; N]) {
        let to = self.at(offset);
        // SAFETY: the dwords are inside a writable window (see above), and aligned; `lanes` has as many.
        if to.addr() & 3 == 0 && unsafe { simd::copy_rows(lanes.as_ptr(), to.cast(), N / simd::ROW) } {
            return;
        }
        if to.addr() & 7 == 0 {
            for (i, pair) in lanes.chunks_exact(2).enumerate() {
                self.write64(offset + i * 8, u64::from(pair[0]) | u64::from(pair[1]) << 32);
            }
        } else {
            for (i, &lane) in lanes.iter().enumerate() {
                self.write32(offset + i * 4, lane);
            }
        }
    }

    /// The dword at each of `offsets`, which are multiples of 4.
    #[inline(always)]
    pub fn gather32<const N: usize>(self, offsets: &[u32; N], to: &mut [u32; N]) {
        if self.0.addr() & 3 != 0 {
            return to.iter_mut().zip(offsets).for_each(|(to, &offset)| *to = self.read32(offset as usize));
        }
        for i in 0..N {
            // SAFETY: inside a window (see above), aligned.
            to[i] = unsafe { AtomicU32::from_ptr(self.at(offsets[i] as usize).cast()) }.load(Relaxed);
        }
    }

    /// Two dwords for each of `offsets`, at `behind` bytes after it. All offsets are multiples of 8.
    #[inline(always)]
    pub fn gather64<const N: usize>(self, offsets: &[u32; N], behind: usize, to: [&mut [u32; N]; 2]) {
        let [low, high] = to;
        if self.0.addr() & 7 != 0 {
            for i in 0..N {
                let both = self.read64(offsets[i] as usize + behind);
                (low[i], high[i]) = (both as u32, (both >> 32) as u32);
            }
            return;
        }
        for i in 0..N {
            let at = self.at(offsets[i] as usize + behind);
            // SAFETY: inside a window (see above), aligned.
            let both = unsafe { AtomicU64::from_ptr(at.cast()) }.load(Relaxed);
            (low[i], high[i]) = (both as u32, (both >> 32) as u32);
        }
    }

    fn atomic32(self, f: impl Fn(u32) -> u32) -> u32 {
        atomic!(self, f, AtomicU32, read32, write32)
    }

    fn atomic64(self, f: impl Fn(u64) -> u64) -> u64 {
        atomic!(self, f, AtomicU64, read64, write64)
    }
}
